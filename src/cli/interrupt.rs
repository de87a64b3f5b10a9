//! Ctrl-C while a build writes: what is begun is ended, so that nothing is left half done, and the next build goes on from there.
//!
//! At all other times, and when it comes a second time, Ctrl-C ends the program at once, which harms nothing: files appear whole.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The exit code of a program that was interrupted, as shells have it.
pub const CODE: u8 = 130;

/// What signals do.
#[derive(Default)]
struct Signals {
    /// There was one.
    interrupted: Arc<AtomicBool>,
    /// The next one ends the program.
    at_once: Arc<AtomicBool>,
}

/// There once they are listened to.
static SIGNALS: OnceLock<Signals> = OnceLock::new();

/// Listens to signals. Where that cannot be, they end the program.
pub fn listen() {
    let signals = SIGNALS.get_or_init(Signals::default);
    signals.at_once.store(true, Ordering::SeqCst);
    for signal in [SIGINT, SIGTERM] {
        // In this order: a signal ends the program if one came before it.
        let _ = flag::register_conditional_shutdown(signal, i32::from(CODE), signals.at_once.clone())
            .and_then(|_| flag::register(signal, signals.at_once.clone()))
            .and_then(|_| flag::register(signal, signals.interrupted.clone()));
    }
}

/// Whether there was a signal.
pub fn is_interrupted() -> bool {
    SIGNALS.get().is_some_and(|signals| signals.interrupted.load(Ordering::SeqCst))
}

/// The same. Who asks for the first time will go on asking, and end by himself, until [`asked_enough`].
pub fn ask() -> bool {
    let is_interrupted = is_interrupted();
    if !is_interrupted {
        SIGNALS.get().into_iter().for_each(|signals| signals.at_once.store(false, Ordering::SeqCst));
    }
    is_interrupted
}

/// Nobody asks any more.
pub fn asked_enough() {
    SIGNALS.get().into_iter().for_each(|signals| signals.at_once.store(true, Ordering::SeqCst));
}
