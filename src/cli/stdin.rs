//! A source from the standard input: `-` among the files.

use crate::batch::FileLoader;
use crate::diagnostic::Code;
use crate::limits::Limits;
use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What stands for the standard input.
const STDIN: &str = "-";

/// How the source from the standard input is called.
#[derive(Args, Debug)]
pub struct StdinArgs {
    /// What `-` among the files, the standard input, is called. The name decides as that of a file does: on the language, on the
    /// directory that includes are looked for in, on the manifest, and on stages.
    #[arg(long, value_name = "NAME", default_value = "stdin.slang")]
    stdin_name: PathBuf,
}

/// The sources of a program.
#[derive(Debug, Default)]
pub struct SourceFiles {
    /// Their names.
    pub names: Vec<PathBuf>,
    /// The one of the standard input, with what was read there.
    given: Option<(PathBuf, Vec<u8>)>,
}

impl SourceFiles {
    /// Files alone.
    pub fn of_files(files: &[PathBuf]) -> SourceFiles {
        SourceFiles { names: files.to_vec(), given: None }
    }

    /// The one of the standard input, with its text.
    pub fn given(&self) -> Option<(&Path, &[u8])> {
        self.given.as_ref().map(|(name, bytes)| (name.as_path(), bytes.as_slice()))
    }

    /// Gives a loader the text of the standard input.
    pub fn give(&self, loader: FileLoader) -> FileLoader {
        self.given.iter().fold(loader, |loader, (name, bytes)| loader.given(name, bytes.clone()))
    }

    /// Whether a file that was read is the standard input.
    pub fn is_stdin(&self, name: &str) -> bool {
        self.given.as_ref().is_some_and(|(given, _)| FileLoader::name_of(given) == name)
    }
}

impl StdinArgs {
    /// The sources of the command line; the standard input is read if it is one of them. The error is a message with its code.
    pub fn read(&self, files: &[PathBuf]) -> Result<SourceFiles, (Code, String)> {
        let mut sources = SourceFiles::of_files(files);
        let is_stdin = |file: &&mut PathBuf| file.as_path() == Path::new(STDIN);
        for name in sources.names.iter_mut().filter(is_stdin) {
            if sources.given.is_some() {
                return Err((Code::BAD_OPTION, "the standard input is named twice".to_owned()));
            }
            name.clone_from(&self.stdin_name);
            let mut bytes = Vec::new();
            // One byte more than is allowed, so that the loader sees that it is too much.
            let read = std::io::stdin().lock().take(Limits::USUAL.file_bytes + 1).read_to_end(&mut bytes);
            read.map_err(|e| (Code::UNREADABLE, format!("cannot read the standard input: {e}")))?;
            sources.given = Some((name.clone(), bytes));
        }
        Ok(sources)
    }
}
