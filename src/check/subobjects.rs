//! Parts of state objects of ray tracing: what they hold is written for the target as it is, and constants as numbers.

use super::Checker;
use super::root_signature;
use super::scope::ScopeId;
use crate::ast::{self, ExprKind, SUBOBJECTS, SubobjectValue};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{AttributeArg, Subobject};

use SubobjectValue::{Flags, Name, Names, Number, Signature};

/// The flags that D3D defines (DirectX Raytracing functional specification, "Subobjects").
const FLAGS: [&str; 6] = [
    "RAYTRACING_PIPELINE_FLAG_NONE",
    "RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES",
    "RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES",
    "STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS",
    "STATE_OBJECT_FLAGS_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS",
    "STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS",
];

impl<'a> Checker<'a> {
    /// Takes the parts of state objects into the program.
    pub(super) fn check_subobjects(&mut self) {
        for (decl, subobject, scope) in std::mem::take(&mut self.subobjects) {
            let (kind, name) = (subobject.kind, subobject.name);
            let is_taken = self.program.subobjects.iter().any(|other| other.name == name.name);
            if is_taken || !self.named(scope, name.name).is_empty() {
                self.error(Code::REDECLARED, name.span, format!("`{}` is declared twice", name.name));
                continue;
            }
            let holds = SUBOBJECTS.iter().find(|(known, _)| kind == **known).map_or(&[][..], |(_, holds)| holds);
            if holds.len() != subobject.values.len() {
                let (wanted, given) = (holds.len(), subobject.values.len());
                let message = format!("a `{kind}` has {wanted} values, and `{}` has {given}", name.name);
                self.error(Code::TYPE_MISMATCH, name.span, message);
                continue;
            }
            let pairs = subobject.values.iter().zip(holds);
            let values: Option<Vec<AttributeArg>> =
                pairs.map(|(value, of)| self.value_of_subobject(value, *of, scope)).collect();
            self.program.subobjects.extend(values.map(|values| Subobject {
                kind,
                name: name.name,
                values,
                span: name.span,
                comments: decl.comments.clone(),
            }));
        }
    }

    /// A string or a flag as it is written, or the number that a constant is.
    fn value_of_subobject(&mut self, value: &'a ast::Expr, of: SubobjectValue, scope: ScopeId) -> Option<AttributeArg> {
        match (&value.kind, of) {
            // Of several names there may be none.
            (ExprKind::String(text), Signature | Name) if text.as_str().is_empty() => {
                self.no_value(value.span, "this string must not be empty")
            }
            (ExprKind::String(text), Signature) => match root_signature::fault(text.as_str()) {
                None => Some(AttributeArg::Text(root_signature::spaced(text.as_str()))),
                Some(fault) => self.no_value(value.span, &format!("this is no root signature: {fault}")),
            },
            (ExprKind::String(text), Name | Names) if is_list_of_names(text.as_str()) => {
                Some(AttributeArg::Text(*text))
            }
            (_, Signature) => self.no_value(value.span, "a root signature is a string"),
            (_, Name | Names) => self.no_value(value.span, "names of exports or subobjects are a string"),
            (_, Flags) => self.flags(value, scope).map(|flags| AttributeArg::Name(Symbol::new(&flags))),
            (_, Number) => self.count(value, scope).map(AttributeArg::Int),
        }
    }

    /// Flags by their names, or as a number.
    fn flags(&mut self, value: &'a ast::Expr, scope: ScopeId) -> Option<String> {
        match &value.kind {
            ExprKind::Path(path) if flag(path).is_some() => flag(path).map(str::to_owned),
            ExprKind::Binary(op, a, b) if *op == *"|" => {
                let (a, b) = (self.flags(a, scope)?, self.flags(b, scope)?);
                Some(format!("{a} | {b}"))
            }
            _ => self.count(value, scope).map(|number| number.to_string()),
        }
    }

    fn count(&mut self, value: &'a ast::Expr, scope: ScopeId) -> Option<i64> {
        match self.constant_int(value, scope)? {
            number @ 0..=0x7fff_ffff => Some(number),
            _ => {
                self.error(Code::TYPE_MISMATCH, value.span, "this is no size, count or flag");
                None
            }
        }
    }

    fn no_value(&mut self, span: Span, why: &str) -> Option<AttributeArg> {
        self.error(Code::TYPE_MISMATCH, span, why.to_owned());
        None
    }
}

fn flag(path: &[ast::PathSegment]) -> Option<&'static str> {
    let [ast::PathSegment { name, args: None }] = path else { return None };
    FLAGS.into_iter().find(|flag| name.name == **flag)
}

/// Names of exports, perhaps mangled by a compiler, with `;` between them.
fn is_list_of_names(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_;?@$*. ".contains(&b))
}
