//! Methods of interface values: the function that chooses by the type, and what it calls for each.
//!
//! Before: `s.area()` where `s` is an `IShape` that may be a `Circle` or a `Square`
//! After:  `IShape_area(s)`: `switch (this.kind) { case 0: return Circle_area(this.circle); default: return Square_area(this.square); }`
//!
//! The types are known when all bodies are checked: [`super::existential`] asks then for the choices, and for the bodies.

use super::associated_values::GIVES_ASSOCIATED;
use super::existential::{KIND, WIDENS_INTERFACE};
use super::expr::decl_of;
use super::function::{Instance, InstanceId, Signature, WHOLE};
use super::scope::{DeclId, What};
use super::{Arg, Checker};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Block, Body, Build, Expr, ExprId, ExprKind, FunctionBody, FunctionId, Hints, Literal, Local, LocalId, Modifiers,
    ParamMode, Stmt, StmtKind, SwitchCase, TypeId, Types,
};
/// What a method is for one of the types.
pub(super) struct Choice {
    pub own: Own,
    /// The type whose member it is: the type itself or one of its bases.
    pub owner: Option<TypeId>,
    /// By parameter: which of the types of an interface value the method takes.
    pub args: Vec<Option<usize>>,
    /// Which of the types of an interface value the method gives.
    pub result: Option<usize>,
}

/// What a type has for a method or property of an interface.
#[derive(Clone, Copy)]
pub(super) enum Own {
    Method(FunctionId),
    /// A function without an object.
    Static(FunctionId),
    /// A field for a property: its index and type.
    Field(u32, TypeId),
    /// The value itself, as one of another interface.
    Whole(TypeId),
    /// A value that nothing is known of but the type.
    Zero(TypeId),
}

impl<'a> Checker<'a> {
    /// The next type that a method has no choice for.
    pub(super) fn next_variant(&self, id: InstanceId, choices: Option<&Vec<Choice>>) -> Option<TypeId> {
        let existential = self.existentials.list.get(self.existential(self.chooses_by(id)?)?)?;
        existential.variants.get(choices?.len()).map(|v| v.ty)
    }

    /// What a method is for a type. Reports if there is nothing that fits.
    pub(super) fn choice(&mut self, id: InstanceId, ty: TypeId) -> Option<Choice> {
        let instance = self.functions.get(id).clone();
        let info = self.info(instance.decl);
        let wanted = instance.signature.clone();
        if info.attribute(WIDENS_INTERFACE).is_some() {
            let wider = self.existential(wanted.result)?;
            let result = self.variant(wider, ty, info.span)?;
            return Some(Choice { own: Own::Whole(ty), owner: None, args: Vec::new(), result: Some(result) });
        }
        if info.attribute(GIVES_ASSOCIATED).is_some() {
            return self.associated_choice(&instance, ty);
        }
        let members = self.members(ty, info.name);
        let members = match self.interfaces_around(info.scope) {
            Some(asking) => self.of_conformance(members, &asking, ty, info.name),
            None => members,
        };
        for decl in members.into_iter().filter_map(decl_of) {
            if let (What::Field(_, index), What::Property(_)) = (self.info(decl).what, info.what)
                && let Some(choice) = self.field_choice(&wanted, self.info(decl).owner.unwrap_or(ty), index)
            {
                return Some(choice);
            }
            let found = match (self.info(decl).what, info.what) {
                (What::Function(f), What::Function(_)) => {
                    let generics = f.generics.as_ref().map_or(0, |g| g.params.len());
                    let args = self.args_for(decl, generics, &instance);
                    args.and_then(|args| self.instance(decl, WHOLE, args))
                }
                (What::Property(p), What::Property(q)) | (What::Subscript(p), What::Subscript(q)) => {
                    let name = q.accessors.get(instance.accessor as usize).map(|a| a.name.name);
                    let accessor = p.accessors.iter().position(|a| Some(a.name.name) == name);
                    accessor.and_then(|i| self.instance(decl, i as u32, instance.args.clone()))
                }
                _ => None,
            };
            if let Some(found) = found
                && let Some((args, result)) = self.adapted(&wanted, found)
            {
                let function = self.function(found);
                let own = match self.functions.get(found).signature.is_static {
                    true => Own::Static(function),
                    false => Own::Method(function),
                };
                let owner = self.functions.get(found).signature.owner;
                return Some(Choice { own, owner, args, result });
            }
        }
        let text = self.type_text(ty);
        self.unsupported(info.span, &format!("a call of `{}` on an interface value that may be a `{text}`", info.name));
        None
    }

    /// The arguments by which a type's own method is that of an interface. Where a parameter is of an interface type and the
    /// interface has it by an argument of its own, `T` of `ICalculator<IFoo>`, it is a value of that type.
    fn args_for(&mut self, decl: DeclId, generics: usize, wanted: &Instance<'a>) -> Option<Vec<Arg>> {
        let (own, asked) = (self.implicit_params(decl), self.implicit_params(wanted.decl));
        let mut args = wanted.args.get(..generics)?.to_vec();
        let mut given = wanted.args.get(generics..)?.iter();
        for index in own.iter() {
            args.push(match asked.contains(index) {
                true => given.next()?.clone(),
                false => Arg::Type(wanted.signature.params.get(*index)?.ty),
            });
        }
        given.next().is_none().then_some(args)
    }

    /// A field is a property that is read, or written where the accessor takes a value.
    fn field_choice(&mut self, wanted: &Signature<'a>, ty: TypeId, index: u32) -> Option<Choice> {
        let own = self.program.field_type(ty, index)?;
        let seen = wanted.params.first().map_or(wanted.result, |p| p.ty);
        let part = match own == seen {
            true => None,
            false => {
                let existential = self.existential(seen)?;
                Some(self.variant(existential, own, Span::default())?)
            }
        };
        let (args, result) = if wanted.params.is_empty() { (Vec::new(), part) } else { (vec![part], None) };
        Some(Choice { own: Own::Field(index, own), owner: Some(ty), args, result })
    }

    /// How the parameters and the result of a method of an interface become those of a type's own.
    fn adapted(&mut self, wanted: &Signature<'a>, found: InstanceId) -> Option<(Vec<Option<usize>>, Option<usize>)> {
        let own = self.functions.get(found).signature.clone();
        if own.is_constructor || own.params.len() != wanted.params.len() {
            return None;
        }
        let mut args = Vec::new();
        for (own, wanted) in own.params.iter().zip(&wanted.params) {
            if own.mode != wanted.mode {
                return None;
            }
            args.push(match own.ty == wanted.ty {
                true => None,
                false => {
                    let existential = self.existential(wanted.ty)?;
                    Some(self.variant(existential, own.ty, own.span)?)
                }
            });
        }
        let result = match own.result == wanted.result {
            true => None,
            false => {
                let existential = self.existential(wanted.result)?;
                Some(self.variant(existential, own.result, Span::default())?)
            }
        };
        Some((args, result))
    }

    pub(super) fn method_body(&mut self, id: InstanceId, choices: &[Choice]) {
        let instance = self.functions.get(id);
        let (Some(function), signature) = (instance.function, instance.signature.clone()) else { return };
        let Some(owner) = self.chooses_by(id) else { return };
        let span = self.info(instance.decl).span;
        let mutates = self.may_mutate(id);
        let mut code = std::mem::take(&mut self.program.functions[function].code);
        let mut cases = Vec::new();
        for (index, choice) in choices.iter().enumerate() {
            let mut stmts = self.chosen(&mut code, choice, (owner, index), &signature, mutates, span);
            let last = index + 1 == choices.len();
            if signature.result == TypeId::VOID && choices.len() > 1 {
                stmts.push(Stmt::new(StmtKind::Break, span));
            }
            let label = (!last).then(|| {
                let number = ExprKind::Literal(Literal::Int(index as i64), None);
                code.exprs.push(Expr { kind: number, ty: TypeId::UINT, span })
            });
            let declares = stmts.iter().any(|s| matches!(s.kind, StmtKind::Local(..)));
            if declares && choices.len() > 1 {
                stmts = vec![Stmt::new(StmtKind::Block(Block::of(stmts)), span)];
            }
            let body = Block::of(stmts);
            cases.push(SwitchCase::new(vec![label], body));
        }
        let block = match cases.len() {
            // Nothing conforms: a value of the type is never made.
            0 => {
                let value = (signature.result != TypeId::VOID)
                    .then(|| code.exprs.push(Expr { kind: ExprKind::Zero, ty: signature.result, span }));
                Block::of(vec![Stmt::new(StmtKind::Return(value), span)])
            }
            1 => cases.pop().map(|c| c.body).unwrap_or_default(),
            _ => {
                let this = this_of(&mut self.program.types, &mut code, owner, span);
                let kind = code.exprs.push(Expr { kind: ExprKind::Field(this, KIND), ty: TypeId::UINT, span });
                self.number_labels(owner, &cases, &mut code);
                let choose = StmtKind::Switch(kind, cases, Hints::default());
                Block::of(vec![Stmt::new(choose, span)])
            }
        };
        code.block = block.into();
        self.program.functions[function].code = code;
        self.program.functions[function].body = FunctionBody::Block;
    }

    /// Labels name a type by its place among those of the interface so far; now by its number.
    fn number_labels(&self, owner: TypeId, cases: &[SwitchCase], code: &mut Body) {
        let variants = self.existential(owner).and_then(|e| self.existentials.list.get(e)).map(|e| &e.variants);
        for label in cases.iter().flat_map(|c| &c.labels).flatten() {
            if let ExprKind::Literal(Literal::Int(n), _) = &mut code.exprs[*label].kind {
                let index = usize::try_from(*n).unwrap_or(usize::MAX);
                *n = variants.and_then(|v| v.get(index)).map_or(*n, |v| v.number.into());
            }
        }
    }

    /// Whether a method of an interface says that it changes its object.
    fn may_mutate(&self, id: InstanceId) -> bool {
        let instance = self.functions.get(id);
        let info = self.info(instance.decl);
        let sets = match info.what {
            What::Property(p) | What::Subscript(p) => {
                p.accessors.get(instance.accessor as usize).is_some_and(|a| a.name.name != *"get")
            }
            _ => false,
        };
        (sets || info.attribute("mutating").is_some()) && info.attribute("nonmutating").is_none()
    }

    /// `return own(this.part, arguments);`
    fn chosen(
        &mut self,
        code: &mut Body,
        choice: &Choice,
        (owner, variant): (TypeId, usize),
        signature: &Signature<'a>,
        mutates: bool,
        span: Span,
    ) -> Vec<Stmt> {
        let result = match choice.own {
            Own::Method(function) | Own::Static(function) => self.program.functions[function].result,
            Own::Field(_, ty) | Own::Whole(ty) | Own::Zero(ty) => ty,
        };
        let locals: Vec<_> = code.locals.ids().collect();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut args = Vec::new();
        if let Some(this) = locals.first()
            && let (Some(existential), false) =
                (self.existential(owner), matches!(choice.own, Own::Static(_) | Own::Zero(_)))
        {
            let stored = self.existentials.list.get(existential).is_some_and(|e| e.is_stored);
            let parts = (existential, variant, owner, *this);
            let mut object = match stored && mutates {
                true => self.part_variable(code, parts, (&mut before, &mut after), true, span),
                false => {
                    let this = this_of(&mut self.program.types, code, owner, span);
                    self.variant_part(existential, variant, this, &mut code.exprs)
                }
            };
            while choice.owner.is_some_and(|owner| owner != code.exprs[object].ty)
                && let Some(ty) = self.structs.instance(code.exprs[object].ty).and_then(|i| i.base)
            {
                object = code.exprs.push(Expr { kind: ExprKind::Field(object, 0), ty, span });
            }
            args.push(object);
        }
        for ((local, param), unboxed) in locals.iter().skip(1).zip(&signature.params).zip(&choice.args) {
            args.push(match (unboxed, self.existential(param.ty)) {
                (Some(variant), Some(existential)) if param.mode != ParamMode::In => {
                    let parts = (existential, *variant, param.ty, *local);
                    let reads = param.mode != ParamMode::Out;
                    self.part_variable(code, parts, (&mut before, &mut after), reads, span)
                }
                (Some(variant), Some(existential)) => {
                    let whole = code.exprs.push(Expr { kind: ExprKind::Local(*local), ty: param.ty, span });
                    self.variant_part(existential, *variant, whole, &mut code.exprs)
                }
                _ => code.exprs.push(Expr { kind: ExprKind::Local(*local), ty: param.ty, span }),
            });
        }
        let mut b = Build::new(&mut self.program.types, &mut code.exprs, span);
        let call = match (choice.own, args.as_slice()) {
            (Own::Field(index, ty), [this]) => b.field(*this, index, ty),
            (Own::Field(index, ty), [this, value, ..]) => {
                let field = b.field(*this, index, ty);
                b.assign(field, *value)
            }
            (Own::Whole(_), [this, ..]) => *this,
            (Own::Field(_, ty) | Own::Whole(ty), []) | (Own::Zero(ty), _) => b.add(ExprKind::Zero, ty),
            (Own::Method(function) | Own::Static(function), _) => b.call(function, args, result),
        };
        if signature.result == TypeId::VOID {
            before.push(Stmt::new(StmtKind::Expr(call), span));
            before.extend(after);
            return before;
        }
        let mut value = match choice.result {
            Some(variant) => {
                let kind = b.uint(variant as u32);
                b.construct(vec![kind, call], signature.result)
            }
            None => call,
        };
        if !after.is_empty() {
            let local = new_local(code, "result", signature.result, span);
            before.push(Stmt::new(StmtKind::Local(local, Some(value)), span));
            value = code.exprs.push(Expr { kind: ExprKind::Local(local), ty: signature.result, span });
        }
        before.extend(after);
        before.push(Stmt::new(StmtKind::Return(Some(value)), span));
        before
    }

    /// A variable with the value of one of its types in an interface value, which takes it back afterwards.
    fn part_variable(
        &self,
        code: &mut Body,
        (existential, variant, whole_ty, whole): (usize, usize, TypeId, LocalId),
        (before, after): (&mut Vec<Stmt>, &mut Vec<Stmt>),
        reads: bool,
        span: Span,
    ) -> ExprId {
        let value = |code: &mut Body| code.exprs.push(Expr { kind: ExprKind::Local(whole), ty: whole_ty, span });
        let from = value(code);
        let part = self.variant_part(existential, variant, from, &mut code.exprs);
        let ty = code.exprs[part].ty;
        let local = new_local(code, &self.part_name(ty), ty, span);
        before.push(Stmt::new(StmtKind::Local(local, reads.then_some(part)), span));
        let to = value(code);
        let number = ExprKind::Literal(Literal::Int(variant as i64), None);
        let kind = code.exprs.push(Expr { kind: number, ty: TypeId::UINT, span });
        let changed = code.exprs.push(Expr { kind: ExprKind::Local(local), ty, span });
        let boxed = code.exprs.push(Expr { kind: ExprKind::Construct(vec![kind, changed]), ty: whole_ty, span });
        let assign = code.exprs.push(Expr { kind: ExprKind::Assign(None, to, boxed), ty: whole_ty, span });
        after.push(Stmt::new(StmtKind::Expr(assign), span));
        code.exprs.push(Expr { kind: ExprKind::Local(local), ty, span })
    }
}

fn new_local(code: &mut Body, name: &str, ty: TypeId, span: Span) -> LocalId {
    let modifiers = Modifiers::default();
    code.locals.push(Local { name: Symbol::new(name), ty, constant: false, modifiers, span })
}

/// The `this` of a method.
fn this_of(types: &mut Types, code: &mut Body, owner: TypeId, span: Span) -> ExprId {
    let first = code.locals.ids().next();
    let mut b = Build::new(types, &mut code.exprs, span);
    match first {
        Some(local) => b.local(local, owner),
        None => b.add(ExprKind::Zero, owner),
    }
}
