//! Texts from legalized programs: printing only, no decisions.
//!
//! [`expr`] and [`stmt`] print what the languages write alike; a [`dialect::Dialect`] says where they differ. Each language's
//! declarations are in its own directory.

mod adapting;
mod aliases;
mod context;
mod dialect;
mod expr;
mod hints;
mod layout;
mod literal;
mod local_numbers;
mod macro_calls;
mod macro_functions;
mod macro_places;
mod macro_statements;
mod marks;
mod named;
mod reversed;
mod stmt;
mod style;
mod trivia;
mod writer;

mod glsl;
mod hlsl;
mod wgsl;

pub use marks::{Piece, PieceKind};

use crate::source::Sources;
use crate::symbol::Symbol;
use crate::target::{Capability, Language, Profile};
use crate::tree::{EntryPoint, Global, GlobalId, Item, Program, Slices, StructId, Type};
use context::Context;
use rustc_hash::FxHashSet;
pub use style::{Braces, Indent, TextStyle};

/// How texts are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Keep the comments of the source.
    pub comments: bool,
    /// How they are laid out.
    pub style: TextStyle,
    /// Tell what each piece of a text is made from.
    pub pieces: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { comments: true, style: TextStyle::default(), pieces: false }
    }
}

/// A text of a program.
#[derive(Clone, Debug)]
pub struct Text {
    /// The entry point that it is for, by its position in the program; `None` if it is for all of them.
    pub entry: Option<usize>,
    /// What is written.
    pub text: String,
    /// What it is made from, if that was asked for.
    pub pieces: Vec<Piece>,
}

/// The texts of a legalized program, which needs nothing that the profile has not: one for all entry points, or one each of
/// what that needs, where texts have no more.
pub fn emit(program: &Program, profile: &Profile, options: &Options, sources: &Sources) -> Vec<Text> {
    let shared = Shared::new(program, profile);
    let options = &Options { style: options.style.or_of(main_text(program, sources), profile.language), ..*options };
    let print = |items: &[Item], entries: &[EntryPoint]| {
        let cx = Context::new(program, (items, entries), (profile, options), sources, &shared);
        named::with_macros(
            &cx,
            match profile.language {
                Language::Hlsl => hlsl::emit,
                Language::Glsl => glsl::emit,
                Language::Wgsl => wgsl::emit,
            },
        )
    };
    if profile.has(Capability::SeveralEntryPoints) {
        let (text, pieces) = print(&program.items, &program.entry_points);
        return vec![Text { entry: None, text, pieces }];
    }
    let slices = Slices::new(program);
    let entries = program.entry_points.iter().enumerate();
    let text = |(index, entry): (usize, &EntryPoint)| {
        let (text, pieces) = print(&slices.of(entry), std::slice::from_ref(entry));
        Text { entry: Some(index), text, pieces }
    };
    entries.map(text).collect()
}

/// The text of the file that the first entry point is in.
fn main_text<'a>(program: &Program, sources: &'a Sources) -> &'a str {
    let place = program.entry_points.first().map(|entry| sources.use_site(program.functions[entry.function].span));
    place.and_then(|place| sources.file(place.file)).map_or("", |file| &file.text)
}

/// What all texts of a program have in common, so that a block is the same in each.
struct Shared {
    /// Structs that only are the members of a block and are not declared apart.
    block_structs: FxHashSet<StructId>,
}

impl Shared {
    fn new(program: &Program, profile: &Profile) -> Shared {
        let globals = program.listed_globals();
        let transparent = globals.filter_map(|id| context::transparent_element(program, &program.globals[id]));
        let mut block_structs: FxHashSet<StructId> = transparent.collect();
        if profile.language == Language::Glsl {
            block_structs.extend(glsl::member_structs(program));
        }
        Shared { block_structs }
    }
}

/// What the contents of a constant buffer that are no struct are called in its block, below the buffer.
pub fn contents(program: &Program, global: &Global) -> Option<&'static str> {
    let types = &program.types;
    let (Type::ConstantBuffer(element, _) | Type::TextureBuffer(element)) = types.get(types.innermost(global.ty))
    else {
        return None;
    };
    let is_struct = matches!(types.get(element), Type::Struct(_));
    let name = if types.innermost(global.ty) == global.ty { global.name.as_str() } else { glsl::CONTENTS };
    (!is_struct && global.block.is_some()).then_some(name)
}

/// The names of blocks in the text of a legalized program, where they are not those of their buffers.
pub fn blocks(program: &Program, profile: &Profile) -> Vec<(GlobalId, Symbol)> {
    match profile.language {
        Language::Glsl => glsl::block_names(program),
        Language::Hlsl | Language::Wgsl => {
            program.globals.iter().filter_map(|(id, global)| Some((id, global.block?))).collect()
        }
    }
}
