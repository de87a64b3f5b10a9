#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code, reason = "each target is one of them")]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::pipeline(data));
