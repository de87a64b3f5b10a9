//! Tuples: structs of the standard library, and selections of several of their parts, `t._1_2`.

use super::expr::Operand;
use super::{Arg, Checker};
use crate::ast;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, Local, LocalId, Modifiers, TypeId};

/// The parts that a name such as `_0_2` selects, if it is one of several.
fn selected(name: &str) -> Option<Vec<usize>> {
    let list: Option<Vec<usize>> = name.strip_prefix('_')?.split('_').map(|part| part.parse().ok()).collect();
    list.filter(|list| list.len() > 1)
}

impl<'a> Checker<'a> {
    /// The tuple of these parts.
    pub(super) fn tuple_type(&mut self, parts: Vec<TypeId>, span: Span) -> TypeId {
        if parts.contains(&TypeId::ERROR) {
            return TypeId::ERROR;
        }
        match self.library_struct("Tuple") {
            Some(decl) => {
                let pack = Arg::Pack(parts.into_iter().map(Arg::Type).collect());
                self.instantiate_struct(decl, vec![pack], span)
            }
            None => {
                self.error(Code::UNDECLARED, span, "`Tuple` is not declared");
                TypeId::ERROR
            }
        }
    }

    /// `(a, b)`, the tuple of these.
    pub(super) fn tuple_of(&mut self, list: &'a [ast::Expr], span: Span) -> ExprId {
        let mut parts = Vec::with_capacity(list.len());
        for e in list {
            match self.spread(e) {
                Some(values) => parts.extend(values),
                None => {
                    let value = self.expr(e);
                    parts.push(self.plain(value));
                }
            }
        }
        let types = parts.iter().map(|part| self.ty(*part)).collect();
        let ty = self.tuple_type(types, span);
        self.push(ExprKind::Construct(parts), ty, span)
    }

    /// The types of a tuple's parts.
    pub(super) fn tuple_parts(&self, ty: TypeId) -> Option<Vec<TypeId>> {
        let instance = self.structs.instance(ty)?;
        let is_tuple = self.source_of(instance.decl).builtin && self.info(instance.decl).name == *"Tuple";
        match instance.args.first() {
            Some(Arg::Pack(list)) if is_tuple => {
                list.iter().map(|arg| if let Arg::Type(ty) = arg { Some(*ty) } else { None }).collect()
            }
            _ => None,
        }
    }

    /// `t._1_2`: a tuple of some parts of another. `None`: it is no such selection.
    pub(super) fn tuple_selection(&mut self, value: ExprId, name: ast::Ident, span: Span) -> Option<Operand<'a>> {
        let parts = self.tuple_parts(self.ty(value))?;
        let list = selected(name.name.as_str())?;
        let mut types = Vec::new();
        for index in &list {
            let Some(ty) = parts.get(*index) else {
                let message = format!("this tuple has no part {index}");
                return Some(self.operand_error(Code::NO_MEMBER, name.span, message));
            };
            types.push(*ty);
        }
        let (held, base) = self.held(value, "selected");
        let fields: Vec<ExprId> = list
            .iter()
            .zip(&types)
            .map(|(index, ty)| {
                let base = self.copy(base);
                self.push(ExprKind::Field(base, *index as u32), *ty, span)
            })
            .collect();
        let ty = self.tuple_type(types, span);
        let made = self.push(ExprKind::Construct(fields), ty, span);
        Some(Operand::Value(match held {
            Some(held) => self.push(ExprKind::Comma(held, made), ty, span),
            None => made,
        }))
    }

    /// A value that is used several times: itself, or a variable and what sets it.
    pub(super) fn held(&mut self, value: ExprId, name: &str) -> (Option<ExprId>, ExprId) {
        if !self.acts(value) {
            return (None, value);
        }
        let (ty, span) = (self.ty(value), self.span(value));
        let local = self.temporary(name, ty, span);
        let target = self.push(ExprKind::Local(local), ty, span);
        let set = self.push(ExprKind::Assign(None, target, value), ty, span);
        (Some(set), self.push(ExprKind::Local(local), ty, span))
    }

    /// A variable that is declared before the statement at hand.
    pub(super) fn temporary(&mut self, name: &str, ty: TypeId, span: Span) -> LocalId {
        let name = Symbol::new(name);
        let local = Local { name, ty, constant: false, modifiers: Modifiers::default(), span };
        let local = self.cx.body.locals.push(local);
        self.cx.temporaries.push(local);
        local
    }

    /// The parts that an assignment to a selection of a tuple's parts sets.
    fn selected_places(&self, target: ExprId) -> Option<Vec<ExprId>> {
        self.tuple_parts(self.ty(target))?;
        match self.kind(target) {
            ExprKind::Construct(parts) if parts.iter().all(|p| matches!(self.kind(*p), ExprKind::Field(..))) => {
                Some(parts.clone())
            }
            _ => None,
        }
    }

    /// `t._1_2 = value`, part by part. `None`: the target is no selection.
    pub(super) fn assign_selected(&mut self, target: ExprId, value: ExprId, span: Span) -> Option<ExprId> {
        let places = self.selected_places(target)?;
        let ty = self.ty(target);
        let value = self.coerce(value, ty);
        let local = self.temporary("value", ty, span);
        let held = self.push(ExprKind::Local(local), ty, span);
        let mut whole = self.push(ExprKind::Assign(None, held, value), ty, span);
        for (index, place) in places.into_iter().enumerate() {
            if !self.check_assignable(place) {
                return Some(self.error_value(span));
            }
            let part_ty = self.ty(place);
            let held = self.push(ExprKind::Local(local), ty, span);
            let part = self.push(ExprKind::Field(held, index as u32), part_ty, span);
            let set = self.push(ExprKind::Assign(None, place, part), part_ty, span);
            whole = self.push(ExprKind::Comma(whole, set), part_ty, span);
        }
        Some(whole)
    }
}
