//! System values are made of the numbers that the target's signatures have for them, and converted where they are used.
//!
//! Before: `void main(int id : SV_VertexID) { f(id); }         struct V { int layer : SV_RenderTargetArrayIndex; }   v.layer = n;`
//! After:  `void main(uint id : SV_VertexID) { f(int(id)); }   struct V { uint layer : SV_RenderTargetArrayIndex; }  v.layer = uint(n);`
//!
//! An input that is written is copied first. What cannot be converted in place stays, and is an error of its signature.

use super::signatures::{Place, other_type, places};
use super::stage_io::Source;
use super::{Context, Pass, distance_rows, domain_locations};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::analyses::is_trivial;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "system_value_types",
    always: Some("what a system value must be made of is found with the signature that it is in"),
    // Rows of distances are put together.
    adds: &[Capability::AggregateExpressions],
    after: &["payloads"],
    run,
    ..Pass::ROW
};

/// What holds a value of a signature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Holder {
    Field(StructId, u32),
    Param(FunctionId, usize),
    Result(FunctionId),
}

impl Holder {
    /// Gives what holds a value another type.
    pub(super) fn retype(self, program: &mut Program, ty: TypeId) {
        match self {
            Holder::Field(id, index) => {
                if let Some(field) = program.structs[id].fields.get_mut(index as usize) {
                    field.ty = ty;
                }
            }
            Holder::Param(id, index) => {
                let function = &mut program.functions[id];
                if let Some(local) = function.params.get(index).map(|p| p.local) {
                    function.code.locals[local].ty = ty;
                }
            }
            Holder::Result(id) => program.functions[id].result = ty,
        }
    }
}

/// The slots that get another type, with what that is.
type Retyped = BTreeMap<Holder, TypeId>;

fn run(cx: &mut Context) {
    // Elsewhere inputs and outputs are declared by the target's own types.
    if cx.profile.has(Capability::VaryingsWithoutSemantics) {
        return;
    }
    domain_locations::run(cx);
    distance_rows::run(cx);
    let mut retyped = Retyped::new();
    for entry in cx.program.entry_points.clone() {
        for place in places(cx, &entry) {
            let Some(ty) = other_type(&mut cx.program.types, &place) else { continue };
            let Some(slot) = slot(cx.program, &place) else { continue };
            // More numbers would change the bytes of a struct.
            if !matches!(slot, Holder::Field(..)) || is_as_long(&cx.program.types, ty, place.leaf.ty) {
                retyped.insert(slot, ty);
            }
        }
    }
    if retyped.is_empty() {
        return;
    }
    keep_written(cx.program, &mut retyped);
    leave_out(cx.program, &mut retyped);
    for id in cx.program.functions_with_code() {
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        let results = retyped.get(&Holder::Result(id)).copied();
        let places = Places::of(cx.program, id);
        ValueUses { program: cx.program, retyped: &retyped, places }.rewrite(&mut body);
        if let Some(ty) = results {
            convert_results(cx.program, &mut body, ty);
        }
        cx.program.functions[id].code = body;
    }
    for (slot, ty) in retyped {
        slot.retype(cx.program, ty);
    }
}

fn is_as_long(types: &Types, a: TypeId, b: TypeId) -> bool {
    let length = |ty| if let Type::Vector(_, n) = types.get(ty) { n } else { 1 };
    length(a) == length(b)
}

/// What holds a value of a signature: the last field on the way to it, or the parameter or result itself.
pub(super) fn slot(program: &Program, place: &Place) -> Option<Holder> {
    let mut ty = place.whole;
    let mut slot = match place.leaf.source {
        Source::Param(index) => Holder::Param(place.function, index),
        Source::Result => Holder::Result(place.function),
        Source::Nothing => return None,
    };
    for step in &place.leaf.path {
        ty = match (*step, program.types.get(ty)) {
            (Step::Field(index), Type::Struct(id)) => {
                slot = Holder::Field(id, index);
                program.field_type(ty, index)?
            }
            (Step::Element(_), Type::Array(element, _)) => element,
            _ => return None,
        };
    }
    Some(slot)
}

/// Which slot an expression of a function names.
#[derive(Default)]
pub(super) struct Places {
    params: FxHashMap<LocalId, Holder>,
}

impl Places {
    pub fn of(program: &Program, id: FunctionId) -> Places {
        let params = program.functions[id].params.iter().enumerate();
        Places { params: params.map(|(index, p)| (p.local, Holder::Param(id, index))).collect() }
    }

    pub fn slot(&self, types: &Types, exprs: &ExprArena, id: ExprId) -> Option<Holder> {
        match exprs[id].kind {
            ExprKind::Local(local) => self.params.get(&local).copied(),
            ExprKind::Field(base, index) => match types.get(exprs[base].ty) {
                Type::Struct(of) => Some(Holder::Field(of, index)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// An input that its function writes is copied to a variable of the type of before.
fn keep_written(program: &mut Program, retyped: &mut Retyped) {
    let params: Vec<(FunctionId, usize, TypeId)> = retyped
        .iter()
        .filter_map(|(slot, ty)| match *slot {
            Holder::Param(id, index) => Some((id, index, *ty)),
            Holder::Field(..) | Holder::Result(_) => None,
        })
        .collect();
    for (id, index, ty) in params {
        let written = program.written_locals(&program.functions[id].code);
        let Program { functions, types, .. } = &mut *program;
        let Function { params, code, .. } = &mut functions[id];
        let Some(param) = params.get_mut(index).filter(|p| p.mode == ParamMode::In && written.contains(&p.local))
        else {
            continue;
        };
        let variable = param.local;
        let Local { span, ty: old, .. } = code.locals[variable];
        let mut fresh = Local { ty, ..code.locals[variable].clone() };
        fresh.name = Symbol::new(&format!("{}_in", fresh.name));
        param.local = code.locals.push(fresh);
        let mut b = Build::new(types, &mut code.exprs, span);
        let given = b.local(param.local, ty);
        let value = b.convert(given, old);
        code.block.stmts.insert(0, Stmt::new(StmtKind::Local(variable, Some(value)), span));
        retyped.remove(&Holder::Param(id, index));
    }
}

/// Leaves out what is written in a way that no conversion in place follows.
fn leave_out(program: &Program, retyped: &mut Retyped) {
    for id in program.functions_with_code() {
        let body = &program.functions[id].code;
        let places = Places::of(program, id);
        let roots: FxHashSet<ExprId> = statements(body);
        for id in body.expressions() {
            let target = match body.exprs[id].kind {
                ExprKind::Assign(None, target, _) => Some(target),
                ExprKind::Assign(Some(_), target, _) if is_trivial(&body.exprs, target) => Some(target),
                ExprKind::Step(_, prefix, target) if is_trivial(&body.exprs, target) => {
                    Some(target).filter(|_| prefix || roots.contains(&id))
                }
                _ => None,
            };
            program.each_written(&body.exprs, id, &mut |written| {
                let assigned = target == Some(written);
                for part in body.exprs.way_to_base(written) {
                    let Some(slot) = places.slot(&program.types, &body.exprs, part) else { continue };
                    let Some(ty) = retyped.get(&slot) else { continue };
                    let whole = part == written && is_as_long(&program.types, *ty, body.exprs[part].ty);
                    let by_call = matches!(body.exprs[id].kind, ExprKind::Call(..));
                    if !(whole && (assigned || by_call)) {
                        retyped.remove(&slot);
                    }
                }
            });
        }
    }
}

/// The expressions that are statements.
pub(super) fn statements(body: &Body) -> FxHashSet<ExprId> {
    let mut roots = FxHashSet::default();
    body.block.visit(&mut |stmt| {
        match stmt.kind {
            StmtKind::Expr(e) => roots.insert(e),
            StmtKind::For(_, _, Some(step), ..) => roots.insert(step),
            _ => false,
        };
    });
    roots
}

struct ValueUses<'a> {
    program: &'a mut Program,
    retyped: &'a Retyped,
    places: Places,
}

impl ValueUses<'_> {
    fn new_type(&self, exprs: &ExprArena, id: ExprId) -> Option<TypeId> {
        let slot = self.places.slot(&self.program.types, exprs, id)?;
        self.retyped.get(&slot).copied()
    }

    fn rewrite(&mut self, body: &mut Body) {
        let roots = statements(body);
        let live = body.expressions();
        let exprs = &mut body.exprs;
        let target = |id: &ExprId| match exprs[*id].kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => Some(target),
            _ => None,
        };
        let targets: FxHashSet<ExprId> = live.iter().filter_map(target).collect();
        for id in live {
            let Expr { ty: old, span, .. } = exprs[id];
            match exprs[id].kind.clone() {
                ExprKind::Assign(op, target, value) => {
                    let Some(new) = self.assigned(exprs, target) else { continue };
                    let value = self.value(exprs, (op, target), value, (old, new));
                    exprs[id] = Expr { kind: ExprKind::Assign(None, target, value), ty: new, span };
                    if !roots.contains(&id) {
                        self.convert_to(exprs, id, old);
                    }
                }
                ExprKind::Step(up, _, target) => {
                    let Some(new) = self.assigned(exprs, target) else { continue };
                    let one = Build::new(&mut self.program.types, exprs, span).number(1, old);
                    let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
                    let value = self.value(exprs, (Some(op), target), one, (old, new));
                    exprs[id] = Expr { kind: ExprKind::Assign(None, target, value), ty: new, span };
                    if !roots.contains(&id) {
                        self.convert_to(exprs, id, old);
                    }
                }
                ExprKind::Construct(parts) => self.parts(exprs, id, parts),
                _ => {
                    let Some(new) = self.new_type(exprs, id) else { continue };
                    exprs[id].ty = new;
                    if !targets.contains(&id) {
                        self.convert_to(exprs, id, old);
                    }
                }
            }
        }
    }

    /// The type of what is assigned to, if that is another one now.
    fn assigned(&self, exprs: &ExprArena, target: ExprId) -> Option<TypeId> {
        self.new_type(exprs, target)
    }

    /// What is assigned: the value, or what an operator makes of it and the value of before.
    fn value(
        &mut self,
        exprs: &mut ExprArena,
        (op, target): (Option<BinaryOp>, ExprId),
        value: ExprId,
        (old, new): (TypeId, TypeId),
    ) -> ExprId {
        let before = op.map(|op| (op, exprs.duplicate(target)));
        let mut b = Build::new(&mut self.program.types, exprs, exprs[value].span);
        let value = match before {
            Some((op, before)) => {
                let before = b.convert(before, old);
                b.binary(op, before, value)
            }
            None => value,
        };
        b.convert(value, new)
    }

    /// Leaves a conversion of an expression in its place.
    fn convert_to(&mut self, exprs: &mut ExprArena, id: ExprId, ty: TypeId) {
        let inner = exprs.displace(id);
        exprs[id].kind = ExprKind::Convert(inner, false);
        exprs[id].ty = ty;
    }

    /// The fields of a struct that is written out.
    fn parts(&mut self, exprs: &mut ExprArena, id: ExprId, mut parts: Vec<ExprId>) {
        let Type::Struct(of) = self.program.types.get(exprs[id].ty) else { return };
        for (index, part) in (0..).zip(&mut parts) {
            if let Some(ty) = self.retyped.get(&Holder::Field(of, index)) {
                *part = Build::new(&mut self.program.types, exprs, exprs[*part].span).convert(*part, *ty);
            }
        }
        exprs[id].kind = ExprKind::Construct(parts);
    }
}

/// Converts what a function returns.
fn convert_results(program: &mut Program, body: &mut Body, ty: TypeId) {
    let Body { block, exprs, .. } = body;
    block.visit_mut(&mut |stmt| {
        if let StmtKind::Return(Some(value)) = &mut stmt.kind {
            let span = exprs[*value].span;
            *value = Build::new(&mut program.types, exprs, span).convert(*value, ty);
        }
    });
}
