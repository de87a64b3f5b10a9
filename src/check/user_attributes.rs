//! User attributes: a struct marked `[__AttributeUsage(...)]` declares one, and `RangeAttribute` is written `[Range(...)]`.
//! Its fields say how many arguments there are and of which types.

use super::Checker;
use super::attributes::is_known;
use super::constant::Value;
use super::scope::{DeclInfo, Entity, ScopeId, What};
use crate::ast::{self, DeclKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::symbol::Symbol;
use crate::tree::{Attribute, AttributeArg, Type, TypeId};

/// What marks the struct.
const USAGE: &str = "__AttributeUsage";
/// What its name ends in, and the attribute's does not.
const SUFFIX: &str = "Attribute";

impl<'a> Checker<'a> {
    /// Gives attributes that a struct declares the arguments that it asks for, and reports those that nothing declares.
    pub(super) fn user_attributes(&mut self, list: &'a [ast::Attribute], resolved: &mut [Attribute], scope: ScopeId) {
        let named = list.iter().zip(resolved).filter(|(a, _)| !is_known(a.name.name.as_str()));
        for (written, attribute) in named {
            let Some(info) = self.attribute_struct(written.name.name, scope) else {
                self.diags.push(super::attributes::unknown(written));
                continue;
            };
            attribute.declared = true;
            attribute.args = self.user_arguments(written, info, scope);
        }
    }

    /// The struct that declares an attribute.
    fn attribute_struct(&mut self, name: Symbol, scope: ScopeId) -> Option<DeclInfo<'a>> {
        let mut scopes: Option<Vec<ScopeId>> = None;
        let mut segments = name.as_str().split("::").peekable();
        while let Some(segment) = segments.next() {
            let last = segments.peek().is_none();
            let name = if last { Symbol::new(&format!("{segment}{SUFFIX}")) } else { Symbol::new(segment) };
            let found: Vec<Entity> = match scopes.take() {
                None => self.lookup(scope, name).entities,
                Some(list) => list.into_iter().flat_map(|s| self.lookup_here(s, name).entities).collect(),
            };
            let declared = found.into_iter().filter_map(|e| if let Entity::Decl(d) = e { Some(d) } else { None });
            let declared: Vec<DeclInfo<'a>> = declared.map(|d| self.info(d)).collect();
            if last {
                let is_one = |i: &DeclInfo| matches!(i.what, What::Struct(_)) && i.attribute(USAGE).is_some();
                return declared.into_iter().find(is_one);
            }
            let inner = |i: &DeclInfo| if let What::Namespace(s) = i.what { Some(s) } else { None };
            scopes = Some(declared.iter().filter_map(inner).collect());
        }
        None
    }

    fn user_arguments(&mut self, written: &'a ast::Attribute, info: DeclInfo<'a>, scope: ScopeId) -> Vec<AttributeArg> {
        let What::Struct(s) = info.what else { return Vec::new() };
        let fields = s.members.iter().flatten().filter_map(|m| match &m.kind {
            DeclKind::Var(var) if !super::scope::has_modifier(m, "static") => Some(var),
            _ => None,
        });
        let fields: Vec<_> = fields.collect();
        let name = written.name.name;
        if fields.len() != written.args.len() {
            let (n, given) = (fields.len(), written.args.len());
            let s = if n == 1 { "" } else { "s" };
            let message = format!("`[{name}]` takes {n} argument{s}, not {given}");
            let note = format!("`{}` declares it", info.name);
            let error = Diagnostic::error(Code::BAD_ATTRIBUTE, written.name.span, message);
            self.diags.push(error.label(info.span, note));
            return Vec::new();
        }
        let mut args = Vec::new();
        for (field, arg) in fields.into_iter().zip(&written.args) {
            let ty = self.quiet(|c| c.resolve_type(&field.ty, info.scope));
            match self.try_constant(arg, scope).and_then(|value| self.user_argument(ty, value)) {
                Some(value) => args.push(value),
                None => {
                    let message = format!(
                        "`{}` of `[{name}]` must be a constant of type {}",
                        field.name.name,
                        self.type_text(ty)
                    );
                    let error = Diagnostic::error(Code::BAD_ATTRIBUTE, arg.span, message);
                    self.diags.push(error.label(field.name.span, "declared here"));
                }
            }
        }
        args
    }

    fn user_argument(&self, ty: TypeId, value: Value) -> Option<AttributeArg> {
        match (self.program.types.get(ty), value) {
            (Type::Scalar(s), Value::Float(v, _)) if s.is_float() => Some(AttributeArg::Float(v)),
            (Type::Scalar(s), value) if s.is_float() => Some(AttributeArg::Float(value.int()? as f64)),
            (Type::Scalar(_), Value::Float(v, _)) => Some(AttributeArg::Int(v as i64)),
            (Type::Scalar(_) | Type::Enum(_), value) => value.int().map(AttributeArg::Int),
            (Type::Text, Value::Text(text)) => Some(AttributeArg::Text(text)),
            _ => None,
        }
    }
}
