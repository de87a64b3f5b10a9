//! Names of types that the source declares: `typedef float3 Color;`, `alias Color = vec3f;`.
//!
//! A type is written by such a name where the source writes it so, if the target has such declarations. Which name stands for which
//! text, and where it is declared, is found as for macros: by [`super::named`].

use super::context::Context;
use super::expr::Exprs;
use crate::source::Span;
use crate::target::Language;
use crate::tree::{Alias, ExprArena, ExprId, ExprKind, Length, Program, StmtKind, Type, TypeId};
use rustc_hash::FxHashSet;

/// The line that gives a name to a type, where a language has one.
pub(super) fn declaration(language: Language, name: &str, ty: &str) -> Option<String> {
    match language {
        Language::Hlsl => {
            let (element, sizes) = ty.split_at(ty.find('[').unwrap_or(ty.len()));
            Some(format!("typedef {element} {name}{sizes};"))
        }
        Language::Wgsl => Some(format!("alias {name} = {ty};")),
        Language::Glsl => None,
    }
}

/// What is before the element of an array of some dimensions, the element, and what is behind it, in the text of its type.
fn around_element(language: Language, text: &str, dimensions: usize) -> Option<(String, String, String)> {
    match language {
        // The sizes of the element are behind those of the array.
        Language::Hlsl => {
            let (element, sizes) = text.split_at(text.find('[').unwrap_or(text.len()));
            let outer: usize = sizes.split_inclusive(']').take(dimensions).map(str::len).sum();
            let (outer, inner) = sizes.split_at_checked(outer)?;
            Some((String::new(), format!("{element}{inner}"), outer.to_owned()))
        }
        Language::Wgsl => {
            let before = "array<".repeat(dimensions);
            let mut element = text.strip_prefix(&before)?;
            let length = element.len();
            for _ in 0..dimensions {
                element = element.rsplit_once(", ")?.0;
            }
            let behind = text.get(text.len() - (length - element.len())..)?;
            Some((before, element.to_owned(), behind.to_owned()))
        }
        Language::Glsl => None,
    }
}

/// The types of arrays of which there are values, beside those that variables are declared with. Naga takes arrays for different types
/// whose elements have different names.
pub(super) fn whole_arrays(program: &Program) -> FxHashSet<TypeId> {
    let mut found = FxHashSet::default();
    for (_, function) in program.functions.iter() {
        let code = &function.code;
        let mut values = Vec::new();
        code.block.visit(&mut |stmt| {
            if let StmtKind::Local(_, Some(value)) = stmt.kind {
                values.push(value);
            }
        });
        arrays_in((program, &code.exprs), &code.expressions(), &values, &mut found);
    }
    for tree in program.globals.iter().filter_map(|(_, global)| global.init.as_ref()) {
        arrays_in((program, &tree.exprs), &tree.exprs.post_order(tree.root), &[tree.root], &mut found);
    }
    found
}

/// Collects those of some expressions, in which elements of arrays are no values of these, nor are some `values` that are made of elements.
fn arrays_in(
    (program, exprs): (&Program, &ExprArena),
    live: &[ExprId],
    values: &[ExprId],
    found: &mut FxHashSet<TypeId>,
) {
    let is_made = |id: &ExprId| matches!(exprs[*id].kind, ExprKind::Construct(_));
    let mut apart: FxHashSet<ExprId> = values.iter().copied().filter(is_made).collect();
    apart.extend(live.iter().filter_map(|id| match exprs[*id].kind {
        ExprKind::Index(base, _) => Some(base),
        _ => None,
    }));
    for id in live.iter().filter(|id| !apart.contains(*id)) {
        let mut ty = exprs[*id].ty;
        while let Type::Array(element, _) = program.types.get(ty) {
            found.insert(ty);
            ty = element;
        }
    }
}

impl Context<'_> {
    /// The type of an element of what is declared by a name, perhaps at any depth, as `text` or as the source writes it.
    pub(super) fn element_type(&self, name: Span, (array, ty): (TypeId, TypeId), text: String) -> String {
        match self.whole_arrays.contains(&array) {
            true => text,
            false => self.declared_type(name, ty, text),
        }
    }

    /// The type of what is declared by a name, as `text` or as the source writes it.
    pub(super) fn declared_type(&self, name: Span, ty: TypeId, text: String) -> String {
        if self.program.aliases.is_empty() {
            return text;
        }
        self.aliased(self.trivia.word_before(name), ty, text)
    }

    /// The type that is the argument of the type of what is declared by a name, as `text` or as the source writes it: `Color` of
    /// `StructuredBuffer<Color> colors`.
    pub(super) fn argument_type(&self, name: Span, ty: TypeId, text: String) -> String {
        if self.program.aliases.is_empty() {
            return text;
        }
        self.aliased(self.trivia.argument_before(name), ty, text)
    }

    /// A type that the source writes in a place by one word, as `text` or by that word.
    fn aliased(&self, word: Option<Span>, ty: TypeId, text: String) -> String {
        let alias = word.and_then(|word| self.program.aliases.get(&word));
        match alias.filter(|alias| alias.ty == ty && self.has_alias(alias)) {
            // What it stands for may have a name, too.
            Some(alias) => self.macros.alias((alias, self.struct_of(alias.ty)), text, &|text| {
                let text = self.aliased(alias.target, ty, text);
                self.with_aliased_element(alias, &text).unwrap_or(text)
            }),
            None => text,
        }
    }

    /// The text of an array that a name stands for, with the name of its element as the source has it there: `Lamp[2]` of
    /// `typedef Lamp Pair[2];`.
    fn with_aliased_element(&self, alias: &Alias, text: &str) -> Option<String> {
        let element = self.program.aliases.get(&alias.target?)?;
        let (mut ty, mut dimensions) = (alias.ty, 0);
        while ty != element.ty {
            if self.whole_arrays.contains(&ty) {
                return None;
            }
            (ty, _) = self.program.types.array_parts(ty)?;
            dimensions += 1;
        }
        let (before, own, behind) = around_element(self.profile.language, text, dimensions)?;
        Some(format!("{before}{}{behind}", self.aliased(alias.target, ty, own)))
    }

    /// Whether the target can have the declaration of a name before all that uses it.
    fn has_alias(&self, alias: &Alias) -> bool {
        let types = &self.program.types;
        let is_known = match types.get(types.innermost(alias.ty)) {
            Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) | Type::Struct(_) => true,
            Type::Texture(texture) => !self.macros.are_constants && types.component(texture.element).is_some(),
            Type::Sampler(_) => !self.macros.are_constants,
            _ => false,
        };
        let is_sized = self.program.lengths(alias.ty).iter().all(|length| matches!(length, Length::Fixed(_)));
        is_known && is_sized && declaration(self.profile.language, "", "").is_some()
    }

    /// The name of the struct that a type is or has for elements.
    fn struct_of(&self, ty: TypeId) -> Option<Span> {
        match self.program.types.get(self.program.types.innermost(ty)) {
            Type::Struct(id) => Some(self.program.structs[id].span),
            _ => None,
        }
    }

    /// The name of an array type that the source declares a name with, and how many sizes are behind that. `text` spells types.
    pub(super) fn declared_array(
        &self,
        name: Span,
        ty: TypeId,
        text: &dyn Fn(TypeId) -> String,
    ) -> Option<(usize, String)> {
        let (mut ty, mut sizes) = (ty, 0);
        while let (false, Type::Array(element, _)) = (self.program.aliases.is_empty(), self.program.types.get(ty)) {
            let plain = text(ty);
            let declared = self.declared_type(name, ty, plain.clone());
            if declared != plain {
                return Some((sizes, declared));
            }
            (ty, sizes) = (element, sizes + 1);
        }
        None
    }
}

impl Exprs<'_> {
    /// The type of an expression that begins with it in the source: `Color(1, 2, 3)`, `(Color)x`.
    pub(super) fn leading_type(&self, id: ExprId) -> String {
        let text = self.dialect.type_name(self.cx, self.type_id(id));
        if self.cx.program.aliases.is_empty() {
            return text;
        }
        self.cx.aliased(self.cx.trivia.first_word(self.arena[id].span), self.type_id(id), text)
    }
}
