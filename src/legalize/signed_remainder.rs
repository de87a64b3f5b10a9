//! `%` on signed integers as a function, where an operand may be negative.
//!
//! Before: `i % n`
//! After:  `remainder(i, n)` with `int remainder(int x, int y) { return x - y * (x / y); }`
//!
//! The sign is that of the left operand, as in HLSL; a target without the capability says nothing of negative operands. What
//! counts up from zero, comes from a system value, or is a mask or remainder of such is known not to be negative and stays.

use super::float_remainder::{call, helper, list};
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "signed_remainder",
    removes: &[(
        Capability::SignedRemainder,
        Find::Body(|p, id, body, live| doubtful(p, id, body, live).first().map(|e| body.exprs[*e].span)),
    )],
    adds: &[Capability::ArgumentsInOrder],
    after: &["lower_matrix_ops", "entry_points"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let mut functions = BTreeMap::new();
    cx.each_body(&mut |cx, id, body| {
        for id in doubtful(cx.program, id, body, &body.expressions()) {
            let ty = body.exprs[id].ty;
            let function = *functions.entry(ty).or_insert_with(|| helper(cx, ty));
            call(&mut cx.program.types, body, id, function);
        }
    });
    list(cx, functions.into_values());
}

/// The remainders of a body of which an operand may be negative.
fn doubtful(program: &Program, function: FunctionId, body: &Body, live: &[ExprId]) -> Vec<ExprId> {
    let remainder = |id: ExprId| match body.exprs[id].kind {
        ExprKind::Binary(BinaryOp::Rem, a, b) | ExprKind::Assign(Some(BinaryOp::Rem), a, b) => Some((a, b)),
        _ => None,
    };
    let signed = |id: ExprId| program.types.component(body.exprs[id].ty).is_some_and(Scalar::is_signed);
    let found: Vec<ExprId> = live.iter().copied().filter(|id| remainder(*id).is_some() && signed(*id)).collect();
    if found.is_empty() {
        return found;
    }
    let signs = Signs::of(program, function, body, live);
    found
        .into_iter()
        .filter(|id| remainder(*id).is_some_and(|(a, b)| !(signs.positive(a) && signs.positive(b))))
        .collect()
}

/// Variables that are never negative, as far as their definitions show; numbers are taken not to run over.
struct Signs<'a> {
    program: &'a Program,
    body: &'a Body,
    /// The parameters of an entry point.
    inputs: FxHashSet<LocalId>,
    /// Variables that may be negative.
    negative: FxHashSet<LocalId>,
}

impl<'a> Signs<'a> {
    fn of(program: &'a Program, function: FunctionId, body: &'a Body, live: &[ExprId]) -> Signs<'a> {
        let params: FxHashSet<LocalId> = program.functions[function].params.iter().map(|p| p.local).collect();
        let is_entry = program.entry_point_of(function).is_some();
        let inputs = if is_entry { params.clone() } else { FxHashSet::default() };
        let mut signs = Signs { program, body, negative: params, inputs };
        let mut definitions: Vec<(LocalId, Option<ExprId>)> = Vec::new();
        body.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, init) = stmt.kind {
                definitions.push((local, init));
            }
        });
        for &id in live {
            match &body.exprs[id].kind {
                ExprKind::Assign(op, target, value) => {
                    let keeps = !matches!(op, Some(BinaryOp::Sub | BinaryOp::BitXor));
                    definitions.extend(body.exprs.base_local(*target).map(|l| (l, keeps.then_some(*value))));
                }
                // One more is not negative either.
                ExprKind::Step(true, ..) => {}
                _ => program.each_written(&body.exprs, id, &mut |place| {
                    definitions.extend(body.exprs.base_local(place).map(|l| (l, None)));
                }),
            }
        }
        // One that may be negative makes others so, until nothing changes.
        loop {
            let before = signs.negative.len();
            for (local, value) in &definitions {
                if !value.is_some_and(|v| signs.positive(v)) {
                    signs.negative.insert(*local);
                }
            }
            if signs.negative.len() == before {
                return signs;
            }
        }
    }

    /// Whether a signed value is known not to be negative.
    fn positive(&self, id: ExprId) -> bool {
        use BinaryOp::*;
        match &self.body.exprs[id].kind {
            ExprKind::Literal(Literal::Int(n), _) => *n >= 0,
            ExprKind::Local(local) => !self.negative.contains(local),
            ExprKind::Binary(BitAnd, a, b) => self.positive(*a) || self.positive(*b),
            ExprKind::Binary(Shr, a, _) | ExprKind::Swizzle(a, _) => self.positive(*a),
            ExprKind::Binary(Add | Mul | Div | Rem | BitOr, a, b) => self.positive(*a) && self.positive(*b),
            ExprKind::Select(_, a, b) => self.positive(*a) && self.positive(*b),
            ExprKind::Construct(parts) => parts.iter().all(|p| self.positive(*p)),
            ExprKind::Convert(inner, _) => match self.program.types.component(self.body.exprs[*inner].ty) {
                Some(Scalar::Bool | Scalar::U8 | Scalar::U16) => true,
                Some(s) if s.is_unsigned() => self.small(*inner),
                Some(s) if s.is_signed() => self.positive(*inner),
                _ => false,
            },
            ExprKind::Zero => true,
            _ => false,
        }
    }

    /// Whether an unsigned value is far from the largest: a number of an invocation, or less than a constant.
    fn small(&self, id: ExprId) -> bool {
        use BinaryOp::*;
        match &self.body.exprs[id].kind {
            ExprKind::Literal(Literal::Int(n), _) => (0..1 << 31).contains(n),
            ExprKind::Native(..) => true,
            ExprKind::Global(g) => matches!(self.program.globals[*g].kind, GlobalKind::Input),
            ExprKind::Local(local) => self.inputs.contains(local),
            ExprKind::Swizzle(a, _) | ExprKind::Index(a, _) | ExprKind::Convert(a, _) => self.small(*a),
            ExprKind::Binary(BitAnd | Rem, a, b) => self.small(*a) || self.small(*b),
            ExprKind::Binary(Shr | Div, a, _) => self.small(*a),
            ExprKind::Binary(Add | Mul | BitOr, a, b) => self.small(*a) && self.small(*b),
            _ => false,
        }
    }
}
