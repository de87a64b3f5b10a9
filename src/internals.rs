//! What the tests and tools of this repository see of the modules, and of options and outputs, besides the public surface. Only
//! under the feature `internals`, which the package enables for its own tests: without it, all of this is private, and the
//! compiler finds what nothing uses.

use crate::compile::{Options, Output};
use crate::layout::lock::{LockInput, ProgramLock};
use crate::reflect::explain::Explanation;

macro_rules! modules {
    ($($name:ident)*) => {$(
        /// The module of this name.
        pub mod $name {
            pub use crate::$name::*;
        }
    )*};
}

modules! { batch check diagnostic json layout legalize lex options parse preprocess reflect source source_map symbol target tree validate }

/// Options that only the program itself sets.
impl Options {
    /// Keeps the positions of a lock.
    pub fn lock(mut self, lock: Option<LockInput>) -> Options {
        self.lock = lock;
        self
    }

    /// Gives derivations of positions, too.
    pub fn explain(mut self) -> Options {
        self.explain = true;
        self
    }

    /// Gives sidecars of what cannot be emitted, too.
    pub fn layouts_anyway(mut self) -> Options {
        self.layouts_anyway = true;
        self
    }

    /// Takes a file without entry points for a module of others.
    pub fn skip_libraries(mut self) -> Options {
        self.skip_libraries = true;
        self
    }

    /// Makes a pass do nothing, for tests of the tests.
    pub fn left_out_pass(mut self, name: &str) -> Options {
        self.left_out_pass = Some(name.to_owned());
        self
    }
}

/// Results that only the program itself shows.
impl Output {
    /// What a lock holds of the program from now on.
    pub fn records(&self) -> Option<&ProgramLock> {
        self.records.as_ref()
    }

    /// Why everything is where it is, one list a sidecar.
    pub fn explanations(&self) -> &[Vec<Explanation>] {
        &self.explanations
    }
}
