//! Names of types that the source declares: `typedef float3 Color;`, `alias Color = vec3f;`.
//!
//! A type is written by such a name where the source writes it so, if the target has such declarations. Which name stands for which
//! text, and where it is declared, is found as for macros: by [`super::named`].

use super::context::Context;
use super::expr::Exprs;
use crate::source::Span;
use crate::target::Language;
use crate::tree::{Alias, ExprId, Type, TypeId};

/// The line that gives a name to a type, where a language has one.
pub(super) fn declaration(language: Language, name: &str, ty: &str) -> Option<String> {
    match language {
        Language::Hlsl => Some(format!("typedef {ty} {name};")),
        Language::Wgsl => Some(format!("alias {name} = {ty};")),
        Language::Glsl => None,
    }
}

impl Context<'_> {
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
            Some(alias) => self.macros.alias(alias, text),
            None => text,
        }
    }

    /// Whether the target can have the declaration of a name before all that uses it.
    fn has_alias(&self, alias: &Alias) -> bool {
        let types = &self.program.types;
        let is_known = match types.get(alias.ty) {
            Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) => true,
            Type::Texture(texture) => !self.macros.are_constants && types.component(texture.element).is_some(),
            Type::Sampler(_) => !self.macros.are_constants,
            // What it stands for is declared somewhere: that order means nothing.
            Type::Struct(_) => self.macros.are_constants,
            _ => false,
        };
        is_known && declaration(self.profile.language, "", "").is_some()
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
