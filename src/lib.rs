//! shaderport reads Slang and HLSL and writes HLSL, GLSL or WGSL that reads like the source, with a reflection sidecar.
//!
//! ```
//! use shaderport::{MemoryLoader, Options, Target, compile};
//!
//! let loader = MemoryLoader::new().with("tint.slang", "
//!     Texture2D<float4> image;
//!     SamplerState linearSampler;
//!
//!     [shader(\"fragment\")]
//!     float4 psMain(float2 uv : TEXCOORD0) : SV_Target { return image.Sample(linearSampler, uv); }
//! ");
//! let output = compile(&loader, &["tint.slang"], &Options::for_target(Target::Wgsl));
//! assert!(!output.has_errors(), "{}", output.render(false));
//! assert!(output.artifacts[0].text().contains("textureSample(image, linearSampler, uv)"));
//!
//! let (_, sidecar) = &output.reflections[0];
//! let sampler = sidecar.leaves.iter().find(|leaf| leaf.path == "linearSampler").expect("a leaf");
//! assert_eq!((sampler.space, sampler.index), (Some(0), Some(1)));
//! ```
//!
//! There are three ways to use it:
//!
//! - From a build script: [`Build`] compiles a tree of shaders into `OUT_DIR`, in parallel, and tells cargo what to watch. See
//!   [`guide::rust`].
//! - As a library: [`compile()`] does no I/O. A [`Loader`] brings the sources, [`Options`] say what to make of them, and
//!   [`Output`] has the texts, the sidecars ([`reflection`]) and the diagnostics. [`FileLoader`] reads files.
//! - On the command line: `cargo install shaderport`, then `shaderport build shaders --target hlsl,glsl,wgsl`. See
//!   [`guide::build`].
//!
//! # Cargo features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `cli` | yes | the program `shaderport`, and colors in rendered diagnostics |
//! | `remote` | no | `build --remote`: servers of the Remote Execution API, see [`guide::farm`] |
//! | `validate` | yes | [naga](https://docs.rs/naga): the targets `spirv` and `metal`, and validation of WGSL |
//! | `shared-cache` | no | caches in Redis, S3 and WebDAV ([`guide::build`]) |
//!
//! A build script for the other targets needs neither: `default-features = false`.
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "cli"), allow(dead_code, reason = "what only the command line shows"))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "unit tests read pages"))]

// Layers, in this order: each uses only modules above it (`tests/layers.rs`). `src/README.md` is the map.
mod symbol;
mod source;
mod diagnostic;
mod json;
mod limits;
mod lex;
mod preprocess;
mod ast;
mod parse;
mod tree;
mod stdlib;
mod check;
mod usage;
mod target;
mod layout;
mod legalize;
mod emit;
mod source_map;
mod reflect;
pub mod host;
mod validate;
mod compile;
mod options;
pub mod guide;
mod batch;
mod build_script;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;

pub use batch::FileLoader;
pub use build_script::Build;
pub use check::EntryRequest;
/// The program; for its `main` only.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use cli::run as run_command_line;
pub use compile::{Artifact, BufferLayout, Options, Output, PermutationTexts, RootConstants, compile};
pub use diagnostic::{Code, Diagnostic, Label, Severity, Suggestion, WarningLevel, WarningRule};
pub use emit::{Braces, Indent, TextStyle};
pub use layout::{Policy, Shift};
pub use limits::Limits;
pub use options::Lint;
pub use reflect::model as reflection;
pub use source::{LoadError, Loaded, Loader, MemoryLoader, Span};
pub use source_map::{MapForm, Origin, SourceMap, SourceMapUse};
pub use symbol::Symbol;
pub use target::Target;
pub use tree::{MatrixOrder, Stage};
