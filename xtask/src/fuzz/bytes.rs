//! Mutations of bytes for the targets that `cargo-fuzz` has, too: see `fuzz/bodies.rs`.

use super::bodies::{BODIES, Body};
use super::judge::{Finding, Verdict, compiled, panicked};
use super::seeds::Program;
use crate::process;
use crate::random::Random;
use shaderport::internals::layout::lock::{Lock, LockInput};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The target of a name.
pub fn find(name: &str) -> Result<&'static Body, String> {
    let names: Vec<&str> = BODIES.iter().map(|(name, ..)| *name).collect();
    BODIES.iter().find(|(n, ..)| *n == name).ok_or(format!("no target `{name}`; there are {}", names.join(", ")))
}

/// Texts that a target begins with.
pub fn corpus((name, _, endings): &Body, programs: &[Program]) -> Vec<Vec<u8>> {
    let root = process::repository();
    let walk = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter();
    let walk = walk.filter_entry(|e| !e.file_name().to_string_lossy().starts_with("target")).flatten();
    let fits = |path: &std::path::Path| path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending));
    let files = walk.filter(|f| f.file_type().is_file() && fits(f.path()) && *name != "sidecar" && *name != "lock");
    let mut list: Vec<Vec<u8>> = files.filter_map(|f| std::fs::read(f.path()).ok()).collect();
    match *name {
        "sidecar" => {
            let outputs = programs.iter().take(40).map(compiled);
            list.extend(outputs.flat_map(|o| o.reflections).map(|(_, r)| r.to_json().into_bytes()));
        }
        "lock" => list.extend(programs.iter().take(40).filter_map(|p| lock_of(p).map(String::into_bytes))),
        "manifest" => {}
        _ => list.extend(programs.iter().flat_map(|p| &p.sources).map(|(_, text)| text.clone().into_bytes())),
    }
    list.retain(|bytes| bytes.len() < 64 << 10);
    list
}

/// The lock of one program.
fn lock_of(program: &Program) -> Option<String> {
    let mut program = program.clone();
    let input = LockInput {
        lock: Arc::new(Lock::default()),
        program: "main".to_owned(),
        name: "bindings.lock".to_owned(),
        text: "".into(),
        frozen: false,
    };
    program.options = program.options.lock(Some(input));
    let records = compiled(&program).records()?.clone();
    Some(Lock { programs: BTreeMap::from([("main".to_owned(), records)]), ..Lock::default() }.to_json())
}

/// The bytes of a number.
pub fn mutant(corpus: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut random = Random::of_seed(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number);
    random.below(2);
    let pick = |random: &mut Random| corpus.get(random.index(corpus.len())).cloned().unwrap_or_default();
    let mut bytes = pick(&mut random);
    for _ in 0..1 + random.index(6) {
        let other = pick(&mut random);
        mutate(&mut bytes, &other, &mut random);
    }
    bytes
}

/// What readers of text stumble over.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\x1b[31m",
    b"\x1b]8;;x\x07",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\\\n",
    b"\t",
    b"\x7f",
    b"\xc2\x9b",
    "\u{202e}".as_bytes(),
    "\u{2028}".as_bytes(),
    b"\"",
    b"'",
    b"/*",
    b"*/",
    b"//",
    b"#",
    b"##",
    b"\n#include \"main.slang\"\n",
    b"\n#include \"again.hlsli\"\n",
    b"\n#if ",
    b"\n#else\n",
    b"\n#endif\n",
    b"\n#define A(x, ...) x A(x) __VA_ARGS__ #x ## A\n",
    b"\n#define B B B\n",
    b"\n#undef A\n",
    b"\n#line 99999999999\n",
    b"\n#error \x1b[0m\n",
    b"\n#pragma once\n",
    b"{",
    b"}",
    b"(",
    b")",
    b"[",
    b"]",
    b"<",
    b">",
    b",",
    b";",
    b":",
    b"0x",
    b"1e999999",
    b"99999999999999999999999",
    b"-1",
    b"18446744073709551615",
    b"4294967296",
    b"null",
    b"true",
    b"[[",
    b"]]",
    b"1.0e",
    b"0b2",
    b"\\u0000",
    b"\\ud800",
    b"::",
    b"->",
    b"...",
    b"<<=",
];

fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.index(bytes.len() + 1).min(bytes.len());
    let end = (at + 1 + random.index(40)).min(bytes.len());
    let piece = PIECES[random.index(PIECES.len())];
    match random.below(9) {
        0 => drop(bytes.drain(at..end)),
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        2 | 3 => drop(bytes.splice(at..at, piece.iter().copied())),
        4 => drop(bytes.splice(at..end, piece.iter().copied())),
        5 => {
            let copy = bytes[at..end].to_vec();
            let to = random.index(bytes.len() + 1).min(bytes.len());
            drop(bytes.splice(to..to, copy));
        }
        6 => {
            let from = random.index(other.len() + 1).min(other.len());
            let part = &other[from..(from + random.index(200)).min(other.len())];
            drop(bytes.splice(at..at, part.iter().copied()));
        }
        7 => {
            let most = if random.chance(10) { 20_000 } else { 200 };
            let many = piece.repeat(1 + random.index(most));
            drop(bytes.splice(at..at, many));
        }
        _ => bytes.truncate(at),
    }
    bytes.truncate(256 << 10);
}

/// Runs a target on bytes.
pub fn verdict((name, body, _): &Body, bytes: &[u8]) -> Verdict {
    let ended = catch_unwind(AssertUnwindSafe(|| body(bytes)));
    let finding = |_| Finding {
        target: String::new(),
        judge: (*name).to_owned(),
        reason: panicked(),
        text: String::from_utf8_lossy(bytes).into_owned(),
    };
    Verdict { findings: ended.err().map(finding).into_iter().collect(), ..Verdict::default() }
}
