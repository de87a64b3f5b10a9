//! Parameter packs: `each T`, `expand each T args`, `expand f(each args)`, and queries such as `__first(T)`.
//!
//! Before: `void all<each T>(expand each T v) { expand one(each v); }    all(1, 2.0);`
//! After:  `void all_int_float(int v_0, float v_1) { one(v_0); one(v_1); }    all_int_float(1, 2.0);`
//!
//! As generics are instantiated, the elements of a pack are known wherever it is named: what is expanded is checked again
//! for each element. Where several packs share a list of arguments, they are of one length.

use super::Checker;
use super::expr::Operand;
use super::scope::{Entity, ScopeId};
use super::types::Name;
use crate::ast::{self, ExprKind as Ast, GenericArg, PathSegment, TypeExpr, TypeKind};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, LocalId, Stmt, StmtKind, TypeId};
use std::rc::Rc;

/// An element of a pack.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Item {
    Type(TypeId),
    /// A constant and its type.
    Value(i64, TypeId),
    /// A parameter of the body with this number.
    Local(LocalId, u32),
    Expr(ExprId),
}

/// The word of a query and its operand, if a call is one: `__trimFirst(x)`.
fn query<'a>(callee: &ast::Expr, args: &'a [ast::Expr]) -> Option<(Symbol, &'a ast::Expr)> {
    let (Ast::Path(path), [only]) = (&callee.kind, args) else { return None };
    let [word] = path.as_slice() else { return None };
    is_query(word.name.name).then_some((word.name.name, only))
}

fn is_query(word: Symbol) -> bool {
    matches!(word.as_str(), "__first" | "__last" | "__trimFirst" | "__trimLast")
}

/// What a query that gives a pack leaves of one.
fn trimmed(word: Symbol, items: &[Item]) -> Option<Vec<Item>> {
    match word.as_str() {
        "__trimFirst" => Some(items.get(1..).unwrap_or(&[]).to_vec()),
        "__trimLast" => Some(items.split_last().map_or(&[][..], |(_, rest)| rest).to_vec()),
        _ => None,
    }
}

pub(super) fn picked(word: Symbol, items: &[Item]) -> Option<Item> {
    match word.as_str() {
        "__first" => items.first().copied(),
        "__last" => items.last().copied(),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// Binds a pack.
    pub(super) fn new_pack(&mut self, items: Vec<Item>) -> Entity {
        self.packs.push(Rc::from(items));
        Entity::Pack(self.packs.len() as u32 - 1)
    }

    fn pack(&self, entity: Entity) -> Option<Rc<[Item]>> {
        match entity {
            Entity::Pack(index) => self.packs.get(index as usize).cloned(),
            _ => None,
        }
    }

    /// The elements of the pack that a path names.
    pub(super) fn named_pack(&mut self, path: &[PathSegment], scope: ScopeId) -> Option<Rc<[Item]>> {
        let [only] = path else { return None };
        if only.args.is_some() || self.packs.is_empty() {
            return None;
        }
        let first = self.lookup(scope, only.name.name).entities.first().copied()?;
        self.pack(first)
    }

    /// Runs `f` for the elements of the packs that are expanded, one after the other.
    pub(super) fn for_each<R>(&mut self, count: usize, mut f: impl FnMut(&mut Self, usize) -> R) -> Vec<R> {
        let outer = self.element;
        let mut list = Vec::new();
        for index in 0..count {
            self.element = Some(index);
            list.push(f(self, index));
        }
        self.element = outer;
        list
    }

    // ---- Types ----

    /// The elements of the pack that a type stands for; `None` if it is one type.
    pub(super) fn type_pack(&mut self, ty: &'a TypeExpr, scope: ScopeId) -> Option<Vec<Item>> {
        match &ty.kind {
            TypeKind::Modified(_, inner) => self.type_pack(inner, scope),
            TypeKind::Path(path) => self.named_pack(path, scope).map(|p| p.to_vec()),
            TypeKind::Expand(inner) => Some(self.expand_type(inner, scope)),
            TypeKind::PackQuery(op, args, rest) if rest.is_empty() => {
                let items = args.first().and_then(|ty| self.type_items(ty, scope))?;
                trimmed(op.name, &items)
            }
            _ => None,
        }
    }

    /// The elements of the pack or tuple that a type stands for.
    pub(super) fn type_items(&mut self, ty: &'a TypeExpr, scope: ScopeId) -> Option<Vec<Item>> {
        if let Some(items) = self.type_pack(ty, scope) {
            return Some(items);
        }
        if let TypeKind::Path(path) = &ty.kind
            && let Name::Values(found, args) = self.resolve_path(path, scope)
        {
            let operand = self.found_operand(found, args, ty.span);
            return self.operand_items(operand, ty.span);
        }
        let ty = self.resolve_type(ty, scope);
        Some(self.tuple_parts(ty)?.into_iter().map(Item::Type).collect())
    }

    fn expand_type(&mut self, inner: &'a TypeExpr, scope: ScopeId) -> Vec<Item> {
        if let TypeKind::Each(pack) = &inner.kind {
            return match self.type_items(pack, scope) {
                Some(items) => items,
                None => {
                    self.not_a_pack(pack.span);
                    Vec::new()
                }
            };
        }
        let mut count = None;
        self.count_in_type(inner, scope, &mut count);
        let Some(count) = count else {
            self.error(Code::BAD_OPERANDS, inner.span, "`expand` needs an `each` in what it expands");
            return Vec::new();
        };
        self.for_each(count, |c, _| Item::Type(c.resolve_type(inner, scope)))
    }

    fn not_a_pack(&mut self, span: Span) {
        self.error(Code::BAD_OPERANDS, span, "this is neither a parameter pack nor a tuple");
    }

    /// The type of `each P`.
    pub(super) fn each_type(&mut self, pack: &'a TypeExpr, scope: ScopeId) -> TypeId {
        let Some(items) = self.type_items(pack, scope) else {
            self.not_a_pack(pack.span);
            return TypeId::ERROR;
        };
        match self.element.map(|i| items.get(i).copied()) {
            Some(Some(Item::Type(ty))) => ty,
            Some(_) => TypeId::ERROR,
            None => {
                self.error(Code::BAD_OPERANDS, pack.span, "`each` needs an `expand` around it");
                TypeId::ERROR
            }
        }
    }

    /// `__first(P)` and its like as a type, and what is named in it.
    pub(super) fn pack_query_type(
        &mut self,
        op: ast::Ident,
        args: &'a [TypeExpr],
        rest: &'a [PathSegment],
        scope: ScopeId,
    ) -> TypeId {
        let Some(items) = args.first().and_then(|ty| self.type_items(ty, scope)) else {
            self.not_a_pack(op.span);
            return TypeId::ERROR;
        };
        let ty = match (op.name.as_str(), args) {
            ("__packBranch", [_, empty, more]) => {
                let chosen = if items.is_empty() { empty } else { more };
                self.resolve_type(chosen, scope)
            }
            _ => match picked(op.name, &items) {
                Some(Item::Type(ty)) => ty,
                _ => {
                    let message =
                        format!("`{}` gives no type here: is the pack empty, or does it hold values?", op.name);
                    self.error(Code::GENERIC_ARGUMENTS, op.span, message);
                    TypeId::ERROR
                }
            },
        };
        let mut name: Name<'a> = Name::Type(ty);
        for segment in rest {
            let Name::Type(ty) = name else { break };
            let found = self.type_members(ty, segment.name.name);
            name = self.name_of(found, segment, scope);
        }
        match name {
            Name::Type(ty) => ty,
            Name::Error => TypeId::ERROR,
            _ => {
                self.error(Code::NOT_A_TYPE, op.span, "this does not name a type");
                TypeId::ERROR
            }
        }
    }

    // ---- How often something is expanded ----

    fn note_count(&mut self, items: Option<usize>, count: &mut Option<usize>, span: Span) {
        match (items, *count) {
            (None, _) => self.not_a_pack(span),
            (Some(n), Some(known)) if n != known => {
                let message = format!("packs of {known} and {n} elements cannot be expanded together");
                self.error(Code::BAD_OPERANDS, span, message);
            }
            (Some(n), _) => *count = Some(n),
        }
    }

    fn count_in_type(&mut self, ty: &'a TypeExpr, scope: ScopeId, count: &mut Option<usize>) {
        match &ty.kind {
            TypeKind::Each(pack) => {
                let items = self.type_items(pack, scope).map(|items| items.len());
                self.note_count(items, count, ty.span);
            }
            TypeKind::Path(path) => path.iter().for_each(|s| self.count_in_segment(s, scope, count)),
            TypeKind::PackQuery(_, args, rest) => {
                args.iter().for_each(|ty| self.count_in_type(ty, scope, count));
                rest.iter().for_each(|s| self.count_in_segment(s, scope, count));
            }
            TypeKind::Array(inner, size) => {
                self.count_in_type(inner, scope, count);
                if let Some(size) = size {
                    self.count_in_expr(size, count);
                }
            }
            TypeKind::Pointer(inner)
            | TypeKind::Modified(_, inner)
            | TypeKind::Optional(inner)
            | TypeKind::Some(inner) => self.count_in_type(inner, scope, count),
            TypeKind::Tuple(list) | TypeKind::And(list) => {
                list.iter().for_each(|ty| self.count_in_type(ty, scope, count));
            }
            TypeKind::TypeOf(e) => self.count_in_expr(e, count),
            TypeKind::Expand(_)
            | TypeKind::Function(..)
            | TypeKind::Struct(_)
            | TypeKind::Infer
            | TypeKind::This
            | TypeKind::Error => {}
        }
    }

    fn count_in_segment(&mut self, segment: &'a PathSegment, scope: ScopeId, count: &mut Option<usize>) {
        for arg in segment.args.iter().flatten() {
            match arg {
                GenericArg::Type(ty) => self.count_in_type(ty, scope, count),
                GenericArg::Value(e) => self.count_in_expr(e, count),
            }
        }
    }

    pub(super) fn count_in_expr(&mut self, e: &'a ast::Expr, count: &mut Option<usize>) {
        let scope = self.cx.scope;
        match &e.kind {
            Ast::Each(pack) => {
                let items = self.quiet(|c| c.expr_items(pack)).map(|items| items.len());
                self.note_count(items, count, e.span);
            }
            Ast::Path(path) => path.iter().for_each(|s| self.count_in_segment(s, scope, count)),
            Ast::Qualified(object, base) => {
                self.count_in_expr(object, count);
                base.iter().for_each(|s| self.count_in_segment(s, scope, count));
            }
            Ast::Member(base, segment) => {
                self.count_in_expr(base, count);
                self.count_in_segment(segment, scope, count);
            }
            Ast::Paren(inner) | Ast::Try(inner) | Ast::Prefix(_, inner) | Ast::Postfix(_, inner) => {
                self.count_in_expr(inner, count)
            }
            Ast::Index(base, list) | Ast::Call(base, list) => {
                self.count_in_expr(base, count);
                list.iter().for_each(|e| self.count_in_expr(e, count));
            }
            Ast::InitList(list) | Ast::Tuple(list) => list.iter().for_each(|e| self.count_in_expr(e, count)),
            Ast::Construct(ty, list) => {
                self.count_in_type(ty, scope, count);
                list.iter().for_each(|e| self.count_in_expr(e, count));
            }
            Ast::Cast(ty, inner) | Ast::IsAs(inner, _, ty) => {
                self.count_in_type(ty, scope, count);
                self.count_in_expr(inner, count);
            }
            Ast::Binary(_, a, b) | Ast::Assign(_, a, b) | Ast::Comma(a, b) => {
                self.count_in_expr(a, count);
                self.count_in_expr(b, count);
            }
            Ast::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| self.count_in_expr(e, count)),
            Ast::TypeQuery(_, ty, _) => self.count_in_type(ty, scope, count),
            Ast::Expand(_)
            | Ast::Lambda(_)
            | Ast::Int(..)
            | Ast::Float(..)
            | Ast::Bool(_)
            | Ast::String(_)
            | Ast::Null
            | Ast::This
            | Ast::Unsupported(_)
            | Ast::Error => {}
        }
    }

    // ---- Expressions ----

    /// The elements of the pack or tuple that an expression is. Made anew by each call, as an expression has one use.
    fn expr_items(&mut self, e: &'a ast::Expr) -> Option<Vec<Item>> {
        match &e.kind {
            Ast::Paren(inner) => return self.expr_items(inner),
            Ast::Path(path) => {
                if let Some(items) = self.named_pack(path, self.cx.scope) {
                    return Some(items.to_vec());
                }
            }
            Ast::Call(callee, args) => {
                if let Some((word, arg)) = query(callee, args) {
                    let items = self.expr_items(arg)?;
                    if let Some(items) = trimmed(word, &items) {
                        return Some(items);
                    }
                }
            }
            Ast::Expand(inner) => return Some(self.expand(inner)),
            _ => {}
        }
        let operand = self.operand(e);
        self.operand_items(operand, e.span)
    }

    fn operand_items(&mut self, operand: Operand<'a>, span: Span) -> Option<Vec<Item>> {
        match operand {
            Operand::Type(ty) => Some(self.tuple_parts(ty)?.into_iter().map(Item::Type).collect()),
            Operand::Value(value) => {
                let parts = self.tuple_parts(self.ty(value))?;
                if self.acts(value) {
                    self.unsupported(span, "a pack of the results of a call; store the tuple in a variable first,");
                    return Some(Vec::new());
                }
                let mut items = Vec::new();
                for (index, ty) in parts.into_iter().enumerate() {
                    let base = self.copy(value);
                    items.push(Item::Expr(self.push(ExprKind::Field(base, index as u32), ty, span)));
                }
                Some(items)
            }
            _ => None,
        }
    }

    /// Whether an expression may do more than give a value.
    pub(super) fn acts(&self, value: ExprId) -> bool {
        let exprs = &self.cx.body.exprs;
        let acts = |kind: &ExprKind| {
            matches!(kind, ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Property(_))
        };
        exprs.any_part(value, |e| acts(&exprs[e].kind))
    }

    /// `expand e`: what `e` is for each element.
    fn expand(&mut self, inner: &'a ast::Expr) -> Vec<Item> {
        let mut count = None;
        self.count_in_expr(inner, &mut count);
        let Some(count) = count else {
            self.error(Code::BAD_OPERANDS, inner.span, "`expand` needs an `each` in what it expands");
            return Vec::new();
        };
        self.for_each(count, |c, _| match c.operand(inner) {
            Operand::Type(ty) => Item::Type(ty),
            operand => Item::Expr(c.value(operand, inner.span)),
        })
    }

    /// `each e` as an operand.
    pub(super) fn each(&mut self, pack: &'a ast::Expr, span: Span) -> Operand<'a> {
        let Some(element) = self.element else {
            return self.operand_error(Code::BAD_OPERANDS, span, "`each` needs an `expand` around it".into());
        };
        let Some(items) = self.expr_items(pack) else {
            self.not_a_pack(pack.span);
            return Operand::Error;
        };
        items.get(element).map_or(Operand::Error, |item| self.item_operand(*item, span))
    }

    fn item_operand(&mut self, item: Item, span: Span) -> Operand<'a> {
        match item {
            Item::Type(ty) => Operand::Type(ty),
            Item::Value(n, ty) => Operand::Value(self.int_value(n, ty, span)),
            Item::Local(local, context) => self.local_operand(local, context, span),
            Item::Expr(value) => Operand::Value(value),
        }
    }

    /// The values that an argument stands for, where it is an expansion or a pack.
    pub(super) fn spread(&mut self, e: &'a ast::Expr) -> Option<Vec<ExprId>> {
        let items = match &e.kind {
            Ast::Expand(inner) => self.expand(inner),
            Ast::Path(path) => self.named_pack(path, self.cx.scope)?.to_vec(),
            Ast::Call(callee, args) => {
                let (word, arg) = query(callee, args)?;
                let Ast::Path(path) = &arg.kind else { return None };
                let items = self.named_pack(path, self.cx.scope)?;
                trimmed(word, &items)?
            }
            _ => return None,
        };
        let mut values = Vec::new();
        for item in items {
            let operand = self.item_operand(item, e.span);
            values.push(self.value(operand, e.span));
        }
        Some(values)
    }

    /// `expand e;`
    pub(super) fn expand_stmt(&mut self, inner: &'a ast::Expr, out: &mut Vec<Stmt>) {
        for item in self.expand(inner) {
            let operand = self.item_operand(item, inner.span);
            let value = self.value(operand, inner.span);
            out.push(super::stmt::statement(StmtKind::Expr(value), inner.span));
        }
    }

    /// `__first(x)` and its like as an expression; `None` if a call is none.
    pub(super) fn pack_query(&mut self, callee: &ast::Expr, args: &'a [ast::Expr], span: Span) -> Option<Operand<'a>> {
        let (word, arg) = query(callee, args)?;
        let Some(items) = self.expr_items(arg) else {
            self.not_a_pack(arg.span);
            return Some(Operand::Error);
        };
        if let Some(item) = picked(word, &items) {
            return Some(self.item_operand(item, span));
        }
        let Some(rest) = trimmed(word, &items) else {
            let message = format!("`{word}` of an empty pack has no value");
            return Some(self.operand_error(Code::BAD_OPERANDS, span, message));
        };
        // What is left of a tuple is a tuple.
        let mut parts = Vec::new();
        let mut types = Vec::new();
        for item in rest {
            match self.item_operand(item, span) {
                Operand::Type(ty) => types.push(ty),
                operand => {
                    let value = self.value(operand, span);
                    types.push(self.ty(value));
                    parts.push(value);
                }
            }
        }
        let is_value = parts.len() == types.len() && !types.is_empty();
        let ty = self.tuple_type(types, span);
        Some(if is_value { Operand::Value(self.push(ExprKind::Construct(parts), ty, span)) } else { Operand::Type(ty) })
    }

    /// How many elements the operand of `countof` has.
    pub(super) fn count_of(&mut self, ty: &'a TypeExpr) -> Option<usize> {
        match &ty.kind {
            TypeKind::TypeOf(e) => match &e.kind {
                Ast::Expand(inner) => {
                    let mut count = None;
                    self.count_in_expr(inner, &mut count);
                    count
                }
                _ => self.expr_items(e).map(|items| items.len()),
            },
            _ => self.type_items(ty, self.cx.scope).map(|items| items.len()),
        }
    }

    /// The constant that an element of a pack is, where a generic argument is written as a type.
    pub(super) fn pack_value(&mut self, ty: &'a TypeExpr, scope: ScopeId) -> Option<i64> {
        let item = match &ty.kind {
            TypeKind::Each(pack) => {
                let items = self.type_items(pack, scope)?;
                items.get(self.element?).copied()?
            }
            TypeKind::PackQuery(op, args, _) => {
                let items = self.type_items(args.first()?, scope)?;
                picked(op.name, &items)?
            }
            _ => return None,
        };
        match item {
            Item::Value(n, _) => Some(n),
            Item::Type(_) | Item::Local(..) | Item::Expr(_) => None,
        }
    }
}
