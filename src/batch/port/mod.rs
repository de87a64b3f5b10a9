//! Porting a tree by what it says of its own build.
//!
//! | file | what |
//! |---|---|
//! | `flags`, `invocation`, `words` | command lines of fxc, dxc and slangc |
//! | `script`, `batch_file`, `batch_syntax`, `batch_text`, `shell_file`, `cmake_file`, `cmake_syntax`, `cmake_scope`, `cmake_condition`, `cmake_values`, `json_file`, `shader_make`, `content_file`, `project_file`, `project_condition`, `project_xml`, `makefile` | build descriptions, as the commands that they run |
//! | `describe`, `groups`, `tree_manifest` | all of a tree, and what it is in a manifest |
//! | `merge`, `update`, `output` | three-way merges: of a text, of all files, on disk |
//! | `report`, `document` | what is told |

mod batch_file;
mod batch_syntax;
mod batch_text;
mod cmake_condition;
mod cmake_file;
mod cmake_scope;
mod cmake_syntax;
mod cmake_values;
mod content_file;
mod describe;
mod document;
mod flags;
mod groups;
mod invocation;
mod json_file;
mod makefile;
mod merge;
mod output;
mod project_condition;
mod project_file;
mod project_xml;
mod report;
mod script;
mod shader_make;
mod shell_file;
mod tree_manifest;
mod update;
mod words;

pub use describe::{Described, Descriptions};
pub use document::{markdown, page};
pub use flags::CompilerTool;
pub use groups::{Group, groups, list, quoted};
pub use invocation::{Invocation, read_invocation};
#[cfg(feature = "internals")]
pub use merge::merge;
pub use output::{OutputCut, PortDirectory};
pub use report::{PortFacts, report, summary_of};
pub use script::joined;
pub use tree_manifest::TreeManifest;
pub use update::{Deed, ThreeWays, step, steps};
