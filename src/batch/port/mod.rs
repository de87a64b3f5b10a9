//! Porting a tree by what it says of its own build.
//!
//! | file | what |
//! |---|---|
//! | `flags`, `invocation`, `words` | command lines of fxc, dxc and slangc |
//! | `script`, `batch_file`, `batch_syntax`, `shell_file`, `cmake_file`, `list_files` | build descriptions, as the commands that they run |
//! | `describe`, `groups` | all of a tree, and what it is in a manifest |

mod batch_file;
mod batch_syntax;
mod cmake_file;
mod describe;
mod flags;
mod groups;
mod invocation;
mod list_files;
mod script;
mod shell_file;
mod words;

pub use describe::{Described, Descriptions, describe};
pub use flags::CompilerTool;
pub use groups::{Group, groups, list, quoted};
pub use invocation::{Invocation, read_invocation};
