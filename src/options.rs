//! Options: the same words on the command line, in the manifest and as setters of a build script.

use crate::check::{Conformance, EntryRequest};
use crate::compile::{BufferLayout, Options, PermutationTexts, RootConstants, Target};
use crate::diagnostic::WarningRule;
use crate::emit::TextStyle;
use crate::host::{CppTables, RustBindings};
use crate::layout::{Policy, Shift, Unit};
use crate::limits::Limits;
use crate::source_map::SourceMapUse;
use crate::tree::{MatrixOrder, Stage};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::str::FromStr;

macro_rules! choices {
    ($(
        $(#[doc = $doc:literal])*
        #[arg($($arg:tt)*)]
        $(#[serde($($serde:tt)*)])?
        $name:ident: $type:ty,
    )*) => {
        /// What may be chosen for programs besides their sources, macros and targets. This is the one list of it: each field is
        /// an option of the command line, a key of `shaderport.toml` of the same name, and a setter of [`crate::Build`]. What
        /// is `None` is left to whoever is asked next (the command line or the build script, then the manifest), at last to
        /// the default.
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        #[derive(Deserialize, Clone, PartialEq, Debug, Default)]
        #[serde(rename_all = "kebab-case", default)]
        pub struct Choices {$(
            $(#[doc = $doc])*
            #[cfg_attr(feature = "cli", arg($($arg)*))]
            $(#[serde($($serde)*)])?
            pub $name: Option<$type>,
        )*}

        impl Choices {
            /// What is not chosen here is taken from `other`.
            pub fn or(mut self, other: &Choices) -> Choices {
                self.severity = self.severity_after(other);
                Choices { $($name: self.$name.or_else(|| other.$name.clone()),)* }
            }

            /// The names of all of them, as in a manifest.
            pub fn names() -> Vec<String> {
                [$(stringify!($name)),*].iter().map(|name| name.replace('_', "-")).collect()
            }
        }
    };
}

choices! {
    /// Profile of the target, such as sm_6_6, glsl_450, wgsl.
    #[arg(long, value_name = "NAME")]
    profile: String,
    /// Storage order of matrices without a modifier; column is the default.
    #[arg(long, value_name = "row|column")]
    #[serde(deserialize_with = "said")]
    matrix_layout: MatrixOrder,
    /// How bindings are assigned; spec is the default.
    #[arg(long, value_name = "spec|slangc|dxc")]
    #[serde(deserialize_with = "said")]
    binding_policy: Policy,
    /// Map register classes to ranges of bindings on Vulkan and WebGPU: `register(t3)` is binding N + 3.
    #[arg(long, value_name = "b=N,t=N,u=N,s=N")]
    #[serde(deserialize_with = "said")]
    shift: Shift,
    /// Binding or `b` register, and set or space, of the buffer of plain globals.
    #[arg(long, value_name = "BINDING[,SET]", value_parser = binding)]
    #[serde(deserialize_with = "said_binding")]
    globals_binding: (u32, u32),
    /// Binding and set of the descriptors of `ResourceDescriptorHeap` and of handles, where the target has no descriptor heaps.
    #[arg(long, value_name = "BINDING[,SET]", value_parser = binding)]
    #[serde(deserialize_with = "said_binding")]
    resource_heap: (u32, u32),
    /// Binding and set of the descriptors of `SamplerDescriptorHeap`, where the target has no descriptor heaps.
    #[arg(long, value_name = "BINDING[,SET]", value_parser = binding)]
    #[serde(deserialize_with = "said_binding")]
    sampler_heap: (u32, u32),
    /// Reserve the explicit positions of parameters that the binding policy drops.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    reserve_unused: bool,
    /// Size of arrays of resources without one, for targets that need it.
    #[arg(long, value_name = "N", value_parser = array_size)]
    #[serde(deserialize_with = "said_size")]
    unsized_array_size: u32,
    /// Leave derivatives that cannot be moved where flow differs between invocations, and turn the check of WGSL off.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    varying_derivatives: bool,
    /// Negate the y of positions where the last stage before rasterization writes them, as DXC's `-fvk-invert-y` does. HLSL stays as
    /// it is.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    invert_y: bool,
    /// The `w` of `SV_Position` in fragment shaders is the one of D3D, which is the default; without it, what the target has: its
    /// reciprocal on Vulkan and WebGPU.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    dx_position_w: bool,
    /// Combine each texture with the sampler that it is read through, if it is one, in GLSL for Vulkan: `sampler2D` at the binding of
    /// the texture.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    combine_samplers: bool,
    /// Constants of root signatures (`RootConstants(b0, ...)`): constant buffers as in the source, which is the default, or push
    /// constants, on Vulkan and wgpu.
    #[arg(long, value_name = "buffer|push")]
    #[serde(deserialize_with = "said")]
    root_constants: RootConstants,
    /// Rules for the bytes of buffers; native, each target's own, is the default.
    #[arg(long, value_name = "native|d3d|std140|std430|scalar")]
    #[serde(deserialize_with = "said")]
    buffer_layout: BufferLayout,
    /// Write the registers and semantics of the source as comments where the text has no such thing.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    register_comments: bool,
    /// How texts are laid out: `source`, as the file of the first entry point is, which is the default; `own-line` or `same-line`
    /// for braces; `tab` or a number of spaces for blocks; or two of these with a comma between. WGSL has its braces on the same line
    /// in any case.
    #[arg(long, value_name = "source|BRACES|INDENT")]
    #[serde(deserialize_with = "said")]
    style: TextStyle,
    /// Types that values of an interface in buffers may be of, each with the number that tells them: `Circle:IShape=0`. Without
    /// it they are all types that conform, numbered from 0 in order of declaration.
    #[arg(long, value_name = "TYPE:INTERFACE[=N]")]
    conformance: Vec<Conformance>,
    /// Warnings to report: `layout` for structs whose offsets differ between targets, with the padding that mends it;
    /// `stages` for stages that do not read what the stage before them writes.
    #[arg(long, value_enum, value_delimiter = ',')]
    lint: Vec<Lint>,
    /// What becomes of warnings, by code or of all; what is an error stays one. `-Werror` is `-W all=error`. Rules of the command
    /// line are added to those of a manifest.
    #[arg(short = 'W', long, value_name = "[CODE=]off|warn|error", value_delimiter = ',')]
    #[serde(deserialize_with = "said_severity")]
    severity: Vec<WarningRule>,
    /// Source maps: a file beside each text, or inline in it. SPIR-V and Metal have none.
    #[arg(long, value_name = "file|inline|none", num_args = 0..=1, require_equals = true, default_missing_value = "file")]
    #[serde(deserialize_with = "said")]
    source_map: SourceMapUse,
    /// Put the texts of the sources into source maps.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    source_map_content: bool,
    /// Write `#line` where the next line comes from elsewhere, for the messages of compilers. WGSL has nothing like it.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    line_directives: bool,
    /// What becomes of the variants of `permute`: a text for each, or one text of all with `#if`, in HLSL and GLSL; `merged-wesl` has one
    /// in WGSL too, with the `@if` of WESL.
    #[arg(long, value_name = "separate|merged|merged-wesl")]
    #[serde(deserialize_with = "said")]
    permutations: PermutationTexts,
    /// How much a program may have before it is an error: file-bytes, include-depth, includes, tokens, expansion, nesting, instances,
    /// output.
    #[arg(long, value_name = "NAME=N,...")]
    #[serde(deserialize_with = "said")]
    limit: Limits,
}

#[cfg(feature = "cli")]
impl Choices {
    /// The choices of a flat build that a tree is made from; the error is what cannot be had with trees.
    pub(crate) fn of_flat_build(mut self) -> Result<Choices, &'static str> {
        if self.line_directives == Some(true) {
            return Err("--line-directives are of flat outputs; texts of a tree have none");
        }
        (self.source_map, self.line_directives) = (Some(SourceMapUse::File), Some(false));
        // The texts of a tree are what is merged.
        self.permutations = Some(PermutationTexts::Separate);
        Ok(self)
    }

    /// What becomes of the texts of variants, if that is said.
    pub(crate) fn said_permutations(&self) -> Option<PermutationTexts> {
        self.permutations
    }

    /// The same where it is not said.
    pub(crate) fn with_permutations(mut self, texts: Option<PermutationTexts>) -> Choices {
        self.permutations = self.permutations.or(texts);
        self
    }
}

/// The setters of [`Choices`] for a builder that has `choose`.
macro_rules! setters {
    () => {
        /// The profile of the target, such as `sm_6_6`. Those of other targets have their defaults.
        pub fn profile(self, name: &str) -> Self {
            self.choose(|c| c.profile = Some(name.to_owned()))
        }

        /// The storage order of matrices without a modifier.
        pub fn matrix_layout(self, order: MatrixOrder) -> Self {
            self.choose(|c| c.matrix_layout = Some(order))
        }

        /// How bindings are assigned.
        pub fn binding_policy(self, policy: Policy) -> Self {
            self.choose(|c| c.binding_policy = Some(policy))
        }

        /// Ranges of bindings that register classes are mapped to on Vulkan and WebGPU.
        pub fn shift(self, shift: Shift) -> Self {
            self.choose(|c| c.shift = Some(shift))
        }

        /// Binding or `b` register, and set or space, of the buffer of plain globals.
        pub fn globals_binding(self, binding: u32, set: u32) -> Self {
            self.choose(|c| c.globals_binding = Some((binding, set)))
        }

        /// Binding and set of the descriptors that `ResourceDescriptorHeap` finds, where the target has no heaps.
        pub fn resource_heap(self, binding: u32, set: u32) -> Self {
            self.choose(|c| c.resource_heap = Some((binding, set)))
        }

        /// Binding and set of the descriptors that `SamplerDescriptorHeap` finds, where the target has no heaps.
        pub fn sampler_heap(self, binding: u32, set: u32) -> Self {
            self.choose(|c| c.sampler_heap = Some((binding, set)))
        }

        /// Reserves the explicit positions of parameters that the binding policy drops.
        pub fn reserve_unused(self, reserve: bool) -> Self {
            self.choose(|c| c.reserve_unused = Some(reserve))
        }

        /// The size of arrays of resources without one, from 1 to 64, for targets that need it.
        pub fn unsized_array_size(self, size: u32) -> Self {
            self.choose(|c| c.unsized_array_size = Some(size.clamp(1, 64)))
        }

        /// Leaves derivatives that cannot be moved where flow differs between invocations, and turns the check of WGSL off.
        pub fn varying_derivatives(self, leave: bool) -> Self {
            self.choose(|c| c.varying_derivatives = Some(leave))
        }

        /// Negates the y of positions where the last stage before rasterization writes them, except in HLSL.
        pub fn invert_y(self, invert: bool) -> Self {
            self.choose(|c| c.invert_y = Some(invert))
        }

        /// The `w` of `SV_Position` in fragment shaders is the one of D3D, which is the default, or what the target has.
        pub fn dx_position_w(self, d3d: bool) -> Self {
            self.choose(|c| c.dx_position_w = Some(d3d))
        }

        /// Combines each texture with the sampler that it is read through, if it is one, in GLSL for Vulkan.
        pub fn combine_samplers(self, combine: bool) -> Self {
            self.choose(|c| c.combine_samplers = Some(combine))
        }

        /// What constants of root signatures become on APIs that have push constants.
        pub fn root_constants(self, become_: crate::RootConstants) -> Self {
            self.choose(|c| c.root_constants = Some(become_))
        }

        /// Rules for the bytes of buffers.
        pub fn buffer_layout(self, layout: BufferLayout) -> Self {
            self.choose(|c| c.buffer_layout = Some(layout))
        }

        /// Writes the registers and semantics of the source as comments where the text has no such thing.
        pub fn register_comments(self, write: bool) -> Self {
            self.choose(|c| c.register_comments = Some(write))
        }

        /// How texts are laid out.
        pub fn style(self, style: crate::TextStyle) -> Self {
            self.choose(|c| c.style = Some(style))
        }

        /// Adds a type that values of an interface in buffers may be of: `Circle:IShape=0`. What is not of this form is ignored.
        pub fn conformance(self, conformance: &str) -> Self {
            self.choose(|c| c.conformance.get_or_insert_default().extend(conformance.parse().ok()))
        }

        /// What becomes of warnings with a code, or of all that no other rule names.
        pub fn severity(self, code: Option<crate::Code>, level: crate::WarningLevel) -> Self {
            self.choose(|c| c.severity.get_or_insert_default().push(crate::diagnostic::WarningRule { code, level }))
        }

        /// What becomes of source maps.
        pub fn source_map(self, maps: crate::SourceMapUse) -> Self {
            self.choose(|c| c.source_map = Some(maps))
        }

        /// Puts the texts of the sources into source maps.
        pub fn source_map_content(self, content: bool) -> Self {
            self.choose(|c| c.source_map_content = Some(content))
        }

        /// Writes `#line` where the next line comes from elsewhere. WGSL has nothing like it.
        pub fn line_directives(self, write: bool) -> Self {
            self.choose(|c| c.line_directives = Some(write))
        }

        /// What becomes of the variants that the manifest's `permute` makes.
        pub fn permutations(self, texts: crate::PermutationTexts) -> Self {
            self.choose(|c| c.permutations = Some(texts))
        }

        /// How much a program may have before it is an error.
        pub fn limit(self, limits: crate::Limits) -> Self {
            self.choose(|c| c.limit = Some(limits))
        }

        /// Adds a warning to report.
        pub fn lint(self, lint: Lint) -> Self {
            self.choose(|c| c.lint.get_or_insert_default().push(lint))
        }
    };
}
pub(crate) use setters;

impl Options {
    setters!();

    fn choose(mut self, set: impl FnOnce(&mut Choices)) -> Options {
        let mut choices = Choices::default();
        set(&mut choices);
        choices.apply(&mut self);
        self
    }
}

/// Warnings that are reported on request.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Lint {
    /// Structs whose bytes differ between targets.
    Layout,
    /// Stages that do not read what the stage before them writes.
    Stages,
}

impl Choices {
    /// The rules of `other` and then those of here, so that these hold.
    fn severity_after(&self, other: &Choices) -> Option<Vec<WarningRule>> {
        let (Some(first), Some(then)) = (&other.severity, &self.severity) else { return self.severity.clone() };
        Some(first.iter().chain(then).copied().collect())
    }

    /// The library's options, where they are chosen.
    pub fn apply(&self, to: &mut Options) {
        let Choices { profile, matrix_layout, binding_policy, shift, .. } = self;
        let Choices { resource_heap, sampler_heap, .. } = self;
        let Choices {
            globals_binding,
            reserve_unused,
            unsized_array_size,
            buffer_layout,
            lint,
            conformance,
            severity,
            limit,
            ..
        } = self;
        to.varying_derivatives = self.varying_derivatives.unwrap_or(to.varying_derivatives);
        to.invert_y = self.invert_y.unwrap_or(to.invert_y);
        to.dx_position_w = self.dx_position_w.unwrap_or(to.dx_position_w);
        to.combine_samplers = self.combine_samplers.unwrap_or(to.combine_samplers);
        to.root_constants = self.root_constants.unwrap_or(to.root_constants);
        to.profile = profile.clone().or(to.profile.take());
        to.matrix_order = matrix_layout.unwrap_or(to.matrix_order);
        to.policy = binding_policy.unwrap_or(to.policy);
        to.shift = shift.unwrap_or(to.shift);
        to.globals_binding = globals_binding.or(to.globals_binding);
        to.resource_heap = resource_heap.or(to.resource_heap);
        to.sampler_heap = sampler_heap.or(to.sampler_heap);
        to.reserve_unused = reserve_unused.unwrap_or(to.reserve_unused);
        to.unsized_array_size = unsized_array_size.or(to.unsized_array_size);
        to.buffer_layout = buffer_layout.unwrap_or(to.buffer_layout);
        to.register_comments = self.register_comments.unwrap_or(to.register_comments);
        to.style = self.style.unwrap_or(to.style);
        to.conformances = conformance.clone().unwrap_or(std::mem::take(&mut to.conformances));
        to.severity.extend(severity.iter().flatten());
        to.source_map = self.source_map.unwrap_or(to.source_map);
        to.source_map_content = self.source_map_content.unwrap_or(to.source_map_content);
        to.line_directives = self.line_directives.unwrap_or(to.line_directives);
        to.permutations = self.permutations.unwrap_or(to.permutations);
        to.limits = limit.unwrap_or(to.limits);
        to.lint_layout |= lint.iter().flatten().any(|l| *l == Lint::Layout);
        to.lint_stages |= lint.iter().flatten().any(|l| *l == Lint::Stages);
    }
}

/// A value in a manifest: text as on the command line, or what TOML has for it (`5`, `[5, 1]`, `{ t = 100 }`).
#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Text(String),
    Number(i64),
    List(Vec<i64>),
    Table(BTreeMap<String, i64>),
}

/// A value as text.
fn text_of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let joined = |parts: Vec<String>| parts.join(",");
    Ok(match Said::deserialize(deserializer)? {
        Said::Text(text) => text,
        Said::Number(n) => n.to_string(),
        Said::List(list) => joined(list.iter().map(i64::to_string).collect()),
        Said::Table(table) => joined(table.iter().map(|(name, n)| format!("{name}={n}")).collect()),
    })
}

fn said<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(deserializer: D) -> Result<Option<T>, D::Error> {
    text_of(deserializer)?.parse().map(Some).map_err(serde::de::Error::custom)
}

fn said_binding<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<(u32, u32)>, D::Error> {
    binding(&text_of(deserializer)?).map(Some).map_err(serde::de::Error::custom)
}

fn said_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let size = i64::deserialize(deserializer)?;
    array_size(&size.to_string()).map(Some).map_err(serde::de::Error::custom)
}

/// `"error"`, `["all=error", "E0315=off"]` or `{ E0315 = "off" }`.
fn said_severity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<WarningRule>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum SaidRules {
        Text(String),
        List(Vec<String>),
        Table(BTreeMap<String, String>),
    }
    let rules = match SaidRules::deserialize(deserializer)? {
        SaidRules::Text(text) => vec![text],
        SaidRules::List(list) => list,
        SaidRules::Table(table) => table.iter().map(|(code, level)| format!("{code}={level}")).collect(),
    };
    let parsed: Result<Vec<WarningRule>, String> = rules.iter().map(|rule| rule.parse()).collect();
    parsed.map(Some).map_err(serde::de::Error::custom)
}

/// The size of an array of resources.
fn array_size(text: &str) -> Result<u32, String> {
    let size = text.parse().ok().filter(|n| (1..=64).contains(n));
    size.ok_or_else(|| "a size is a number from 1 to 64".to_owned())
}

/// The storage order of matrices.
impl FromStr for MatrixOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<MatrixOrder, String> {
        match text {
            "row" => Ok(MatrixOrder::Row),
            "column" => Ok(MatrixOrder::Column),
            _ => Err("not an order of matrices; there are row, column".to_owned()),
        }
    }
}

/// A target, as an option's value.
impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let known: Vec<&str> = Target::TABLE.iter().map(|row| row.name).collect();
        Target::parse(text).ok_or_else(|| format!("not a target; there are {}", known.join(", ")))
    }
}

/// `[FILE:]NAME[:STAGE]`, where a name may be `Outer::main` or `main<float>`.
pub fn entry(text: &str) -> Result<EntryRequest, String> {
    let (text_of_file, file) = match text.split_once(':') {
        // A file has an ending.
        Some((file, rest)) if file.contains('.') && !rest.starts_with(':') && Stage::parse(rest).is_none() => {
            (rest, Some(file.replace('\\', "/")))
        }
        _ => (text, None),
    };
    let request = |name: &str, stage| EntryRequest { name: name.to_owned(), stage, file: file.clone() };
    match text_of_file.rsplit_once(':') {
        None => Ok(request(text_of_file, None)),
        // `Outer::main`
        Some((outer, _)) if outer.ends_with(':') => Ok(request(text_of_file, None)),
        Some((name, stage)) => match Stage::parse(stage) {
            Some(stage) => Ok(request(name, Some(stage))),
            None => match Stage::similar(stage) {
                Some(similar) => Err(format!("`{stage}` is not a stage; there is {similar}")),
                None => {
                    Err(format!("`{stage}` is not a stage; there are vertex, fragment (pixel), compute, geometry, ..."))
                }
            },
        },
    }
}

/// `NAME` or `NAME=VALUE`.
pub fn define(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let legal = crate::lex::single_token(name) == Some(crate::lex::TokenKind::Ident);
    if legal { Ok((name.to_owned(), value)) } else { Err("a macro needs a name".to_owned()) }
}

/// The value of a name in a table of names.
fn named<T: Copy>(table: &[(&str, T)], what: &str, text: &str) -> Result<T, String> {
    let known: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    let found = table.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    found.ok_or_else(|| format!("not {what}; there are {}", known.join(", ")))
}

impl FromStr for CppTables {
    type Err = String;

    fn from_str(text: &str) -> Result<CppTables, String> {
        named(Self::TABLE, "an API with tables", text)
    }
}

impl FromStr for RustBindings {
    type Err = String;

    fn from_str(text: &str) -> Result<RustBindings, String> {
        named(Self::TABLE, "a kind of bindings", text)
    }
}

/// What becomes of source maps, by name.
impl FromStr for SourceMapUse {
    type Err = String;

    fn from_str(text: &str) -> Result<SourceMapUse, String> {
        named(Self::TABLE, "a way to write source maps", text)
    }
}

/// What becomes of variants, by name.
impl FromStr for PermutationTexts {
    type Err = String;

    fn from_str(text: &str) -> Result<PermutationTexts, String> {
        named(Self::TABLE, "what becomes of variants", text)
    }
}

/// What root constants become, by name.
impl FromStr for RootConstants {
    type Err = String;

    fn from_str(text: &str) -> Result<RootConstants, String> {
        named(Self::TABLE, "what root constants become", text)
    }
}

/// A binding policy by name.
impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Policy, String> {
        let known: Vec<&str> = Policy::ALL.iter().map(|p| p.name).collect();
        let found = Policy::ALL.iter().find(|p| p.name == text).copied();
        found.ok_or_else(|| format!("not a binding policy; there are {}", known.join(", ")))
    }
}

/// `b=N,t=N,u=N,s=N`, any of them.
impl FromStr for Shift {
    type Err = String;

    fn from_str(text: &str) -> Result<Shift, String> {
        let mut shift = Shift::NONE;
        for part in text.split(',') {
            let parsed = part.split_once('=').and_then(|(class, start)| {
                let mut letters = class.trim().chars();
                let class = letters.next().filter(|_| letters.next().is_none())?;
                Some((class, start.trim().parse::<u32>().ok()?))
            });
            if let Some((class, _)) =
                parsed.filter(|(class, _)| Unit::of_class(*class).is_some_and(|u| shift.get(u).is_some()))
            {
                return Err(format!("`{class}` is shifted twice"));
            }
            if !parsed.is_some_and(|(class, start)| shift.set(class, start)) {
                return Err(format!("`{part}` is not like t=100; the classes are b, t, u and s"));
            }
        }
        Ok(shift)
    }
}

/// `BINDING` or `BINDING,SET`.
pub fn binding(text: &str) -> Result<(u32, u32), String> {
    let number = |s: &str| s.trim().parse::<u32>().map_err(|e| format!("`{s}`: {e}"));
    match text.split_once(',') {
        Some((index, set)) => Ok((number(index)?, number(set)?)),
        None => Ok((number(text)?, 0)),
    }
}

/// How texts are laid out.
impl FromStr for TextStyle {
    type Err = String;

    fn from_str(text: &str) -> Result<TextStyle, String> {
        let message = "not a style; there are source, own-line, same-line, tab and numbers of spaces from 1 to 8";
        TextStyle::parse(text).ok_or_else(|| message.to_owned())
    }
}

/// Rules for the bytes of buffers, by name.
impl FromStr for BufferLayout {
    type Err = String;

    fn from_str(text: &str) -> Result<BufferLayout, String> {
        named(Self::TABLE, "a layout of buffers", text)
    }
}
