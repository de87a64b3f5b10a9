//! What the variants of a program know of each other: they have the same files, and the same options but for macros.

use crate::check::KnownCode;
use crate::parse::Beginnings;
use crate::preprocess::TokenCache;
use crate::stdlib::{Mentions, Stdlib};
use std::sync::{Arc, Mutex};

/// What was found for one variant and holds in others.
#[derive(Debug, Default)]
pub(crate) struct Variants {
    /// Functions that are checked.
    pub code: Arc<KnownCode>,
    /// The tokens of the program's files, which no other program has, and those of macros that are defined everywhere.
    pub tokens: Arc<TokenCache>,
    /// How the program's files begin.
    pub beginnings: Beginnings,
    library: Mutex<Option<(Arc<Mentions>, Arc<Stdlib>)>>,
}

impl Variants {
    /// What a program needs of the library: that of the variant before it if that has all that it mentions.
    pub fn library(&self, mentions: Mentions) -> (Arc<Mentions>, Arc<Stdlib>) {
        let mut known = self.library.lock().unwrap_or_else(|e| e.into_inner());
        if let Some((names, library)) = &*known
            && names.has(&mentions)
        {
            return (names.clone(), library.clone());
        }
        let library = mentions.stdlib();
        known.insert((Arc::new(mentions), library)).clone()
    }
}
