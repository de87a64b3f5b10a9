//! The operations that passes write by themselves: `stdlib/operations.slang`, which programs do not see.

use crate::ast::{DeclKind, StmtKind};
use crate::symbol::Symbol;
use crate::tree::Template;
use std::sync::LazyLock;

/// An operation that passes write by themselves, by its name in `stdlib/operations.slang`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Operation {
    BitsToFloat,
    FloatToBits,
    BitsToHalf,
    HalfToBits,
    WordsToDouble,
    DoubleToWords,
    AtomicLoad,
    AtomicStore,
    Transpose,
    Determinant,
    Product,
    Dot,
    Truncate,
    All,
    Any,
    DerivativeX,
    DerivativeY,
    TextureSize,
    LowSigned,
}

impl Operation {
    /// (operation, its name in the file).
    const TABLE: &[(Operation, &str)] = &[
        (Operation::BitsToFloat, "bits_to_float"),
        (Operation::FloatToBits, "float_to_bits"),
        (Operation::BitsToHalf, "bits_to_half"),
        (Operation::HalfToBits, "half_to_bits"),
        (Operation::WordsToDouble, "words_to_double"),
        (Operation::DoubleToWords, "double_to_words"),
        (Operation::AtomicLoad, "atomic_load"),
        (Operation::AtomicStore, "atomic_store"),
        (Operation::Transpose, "transpose"),
        (Operation::Determinant, "determinant"),
        (Operation::Product, "product"),
        (Operation::Dot, "dot"),
        (Operation::Truncate, "truncate"),
        (Operation::All, "all"),
        (Operation::Any, "any"),
        (Operation::DerivativeX, "derivative_x"),
        (Operation::DerivativeY, "derivative_y"),
        (Operation::TextureSize, "texture_size"),
        (Operation::LowSigned, "low_signed"),
    ];

    /// The spelling in a language, or that of all languages that have no case of their own.
    pub fn spelling(self, language: &str) -> &'static Template {
        static NONE: Template = Template { pieces: Vec::new(), loose: false };
        let cases = OPERATIONS.iter().filter(|s| s.0 == self);
        let own = cases.clone().find(|s| s.1.as_str() == language);
        let found = own.or_else(|| cases.clone().find(|s| s.1.as_str() == EVERY));
        found.map_or(&NONE, |s| &s.2)
    }

    /// The spelling of the languages that have no case of their own.
    pub fn common(self) -> &'static Template {
        self.spelling(EVERY)
    }
}

/// The name of the case for all other targets.
const EVERY: &str = "default";

/// The cases of all operations: (operation, language, spelling).
static OPERATIONS: LazyLock<Vec<(Operation, Symbol, Template)>> = LazyLock::new(|| {
    let mut found = Vec::new();
    for part in super::operations() {
        let DeclKind::Function(function) = &part.decl.kind else { continue };
        let row = Operation::TABLE.iter().find(|(_, name)| function.name.name == **name);
        let (Some((operation, _)), Some(body)) = (row, &function.body) else { continue };
        for stmt in &body.stmts {
            match &stmt.kind {
                StmtKind::TargetSwitch(cases) => {
                    for (names, block) in cases {
                        let template = block.stmts.iter().find_map(|s| spelling(&s.kind)).unwrap_or_default();
                        let every = names.is_empty().then(|| Symbol::new(EVERY));
                        let languages = names.iter().map(|n| n.name).chain(every);
                        found.extend(languages.map(|name| (*operation, name, template.clone())));
                    }
                }
                other => found.extend(spelling(other).map(|t| (*operation, Symbol::new(EVERY), t))),
            }
        }
    }
    found
});

fn spelling(stmt: &StmtKind) -> Option<Template> {
    match stmt {
        StmtKind::IntrinsicAsm(text) => Template::parse(text.as_str()).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_spellings() {
        for (operation, name) in Operation::TABLE {
            for language in ["hlsl", "glsl", "wgsl"] {
                // WGSL has no doubles; HLSL's words of a double are two results.
                let lacks = name.contains("double") && language == "wgsl";
                assert!(lacks || !operation.spelling(language).pieces.is_empty(), "{name} in {language}");
            }
        }
    }
}
