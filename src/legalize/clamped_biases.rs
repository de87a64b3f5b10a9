//! Biases of levels of detail that a target may know are in its range.
//!
//! Before: `image.SampleBias(s, uv, reversebits(1u))`
//! After:  `image.SampleBias(s, uv, clamp(reversebits(1u), -16.0, 15.99))`
//!
//! D3D adds -16 to 15.99. DXC brings a constant into this range when it makes the instruction; of a constant that it finds
//! later, in a loop that it unrolls or a call that it folds, its validator says that it is out of range.
//!
//! Spec: D3D11.3 functional specification, `sample_b`.

use super::{Context, Pass};
use crate::check::constant::eval;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass =
    Pass { name: "clamped_biases", always: Some("which numbers a compiler folds is no capability"), run, ..Pass::ROW };

/// The attribute of the parameters that are such biases.
const BIAS: &str = "__bias";

fn run(cx: &mut Context) {
    let Some((least, most)) = cx.profile.facts.numbers.bias else { return };
    let clamp = Template::parse(&format!("clamp($0, {least:?}, {most:?})")).unwrap_or_default();
    cx.each_body(&mut |cx, function, body| {
        let args = biases(cx.program, body);
        if args.is_empty() {
            return;
        }
        let values = Assigned::of(cx.program, function, body);
        let in_range = |n: f64| (f64::from(least)..=f64::from(most)).contains(&n);
        let may_leave = |arg: &ExprId| {
            let known = eval(cx.program, &body.exprs, *arg).ok().and_then(|value| value.float());
            known.map_or_else(|| values.may_fold(*arg), |n| !in_range(n))
        };
        let args: Vec<ExprId> = args.into_iter().filter(may_leave).collect();
        for arg in args {
            let Expr { ty, span, .. } = body.exprs[arg];
            let bias = body.exprs.displace(arg);
            let mut b = Build::new(&mut cx.program.types, &mut body.exprs, span);
            let bounded = b.native(clamp.clone(), vec![bias], ty);
            body.exprs.replace_by(arg, bounded);
        }
    });
}

/// The arguments of a body that are biases.
fn biases(program: &Program, body: &Body) -> Vec<ExprId> {
    let mut found = Vec::new();
    for id in body.expressions() {
        let ExprKind::Call(callee, args) = &body.exprs[id].kind else { continue };
        let params = program.functions[*callee].params.iter().zip(args);
        found.extend(params.filter(|(p, _)| p.attributes.iter().any(|a| a.name == BIAS)).map(|(_, arg)| *arg));
    }
    found
}

/// What the variables of a body get.
struct Assigned<'a> {
    program: &'a Program,
    exprs: &'a ExprArena,
    /// By variable.
    given: FxHashMap<LocalId, Vec<ExprId>>,
    /// Those that get something else, too: parameters, and what calls write.
    open: FxHashSet<LocalId>,
}

impl<'a> Assigned<'a> {
    fn of(program: &'a Program, function: FunctionId, body: &'a Body) -> Assigned<'a> {
        let mut given: FxHashMap<LocalId, Vec<ExprId>> = FxHashMap::default();
        let mut open: FxHashSet<LocalId> = program.functions[function].params.iter().map(|p| p.local).collect();
        body.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, Some(value)) = stmt.kind {
                given.entry(local).or_default().push(value);
            }
        });
        for id in body.expressions() {
            match &body.exprs[id].kind {
                ExprKind::Assign(_, target, value) => {
                    body.exprs.base_local(*target).into_iter().for_each(|l| given.entry(l).or_default().push(*value));
                }
                ExprKind::Call(callee, args) => {
                    // What is converted on its way back is the place below.
                    let places = program.written_arguments(*callee, args).map(|arg| match body.exprs[arg].kind {
                        ExprKind::Convert(place, _) => place,
                        _ => arg,
                    });
                    open.extend(places.filter_map(|place| body.exprs.base_local(place)));
                }
                _ => {}
            }
        }
        Assigned { program, exprs: &body.exprs, given, open }
    }

    /// Whether a compiler may find out a value: nothing in it comes from outside of the function.
    fn may_fold(&self, value: ExprId) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![value];
        while let Some(root) = open.pop() {
            for id in self.exprs.post_order(root) {
                let comes_from_outside = match &self.exprs[id].kind {
                    ExprKind::Local(local) => {
                        if seen.insert(*local) {
                            open.extend(self.given.get(local).into_iter().flatten());
                        }
                        self.open.contains(local)
                    }
                    ExprKind::Global(id) => self.program.globals[*id].kind != GlobalKind::Const,
                    ExprKind::Call(callee, _) => !self.program.functions[*callee].builtin,
                    kind => matches!(
                        kind,
                        ExprKind::Property(_) | ExprKind::AddressOf(_) | ExprKind::Deref(_) | ExprKind::Contents(_)
                    ),
                };
                if comes_from_outside {
                    return false;
                }
            }
        }
        true
    }
}
