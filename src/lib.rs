//! shaderport: ports Slang and HLSL shaders to readable, legal HLSL, GLSL and WGSL.
//!
//! ```text
//!  text --lex--> tokens --preprocess--> tokens --parse--> ast --check--> tree
//!                                                                         |
//!                       layout (types, bindings) for the profile's rules--+
//!                                                                         |
//!                                  legalize (passes edit the tree) -------+
//!                                                                         |
//!                                     emit: text      reflect: sidecar ---+
//! ```
//!
//! The modules are layers, in this order; each uses only modules above it (a test checks that).
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "unit tests read pages"))]

pub mod symbol;
pub mod source;
pub mod diagnostic;
pub mod json;
pub mod lex;
pub mod preprocess;
pub mod ast;
pub mod parse;
pub mod tree;
pub mod stdlib;
pub mod check;
pub mod usage;
pub mod target;
pub mod layout;
pub mod legalize;
pub mod emit;
pub mod reflect;
pub mod validate;
pub mod compile;
pub mod options;
pub mod guide;
pub mod batch;
pub mod build_script;
#[cfg(feature = "cli")]
pub mod cli;

pub use build_script::Build;
pub use compile::{Options, Output, Target, compile};
