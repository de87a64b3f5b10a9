//! What does more than give a value.

use super::calls::with_callers;
use crate::tree::{Body, ExprArena, ExprId, ExprKind, Function, FunctionId, LocalId, ParamMode, Program, StmtKind};
use rustc_hash::FxHashSet;

/// Which functions have effects beside their result.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    functions: FxHashSet<FunctionId>,
}

impl Effects {
    /// Finds the functions that write memory, have `out` parameters, synchronize, or end the invocation, themselves or
    /// through others.
    pub(super) fn of(program: &Program) -> Effects {
        let acting = program.functions.iter().filter(|(_, f)| acts(f)).map(|(id, _)| id).collect();
        // A property that is only read is not written, so this is not all that a function mentions.
        let called = &mut |id| {
            let mut callees = Vec::new();
            program.functions[id].each_body(&mut |body| {
                callees.extend(body.expressions().into_iter().filter_map(|e| called(&body.exprs[e].kind)));
            });
            callees
        };
        Effects { functions: with_callers(program, acting, called) }
    }

    /// Whether a function has effects.
    pub fn has(&self, function: FunctionId) -> bool {
        self.functions.contains(&function)
    }

    /// Whether evaluating an expression does anything but give a value.
    pub fn expr(&self, exprs: &ExprArena, root: ExprId) -> bool {
        exprs.any_part(root, |id| {
            let kind = &exprs[id].kind;
            target(kind).is_some() || called(kind).is_some_and(|f| self.has(f))
        })
    }
}

/// The attribute of builtins that give the value of an input at a vertex, which is the second argument.
pub const AT_VERTEX: &str = "__at_vertex";

impl Function {
    /// Whether it has an attribute.
    pub fn is_marked(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|a| a.name == attribute)
    }
}

impl Program {
    /// The functions that have an attribute.
    pub fn marked(&self, attribute: &str) -> FxHashSet<FunctionId> {
        self.functions.iter().filter(|(_, f)| f.is_marked(attribute)).map(|(id, _)| id).collect()
    }

    /// The arguments that a function may write.
    pub fn written_arguments<'a>(
        &'a self,
        function: FunctionId,
        args: &'a [ExprId],
    ) -> impl Iterator<Item = ExprId> + 'a {
        let params = &self.functions[function].params;
        args.iter().zip(params).filter(|(_, p)| p.mode != ParamMode::In).map(|(a, _)| *a)
    }

    /// Calls `f` with what an expression by itself assigns, steps, or passes to be written.
    pub fn each_written(&self, exprs: &ExprArena, id: ExprId, f: &mut dyn FnMut(ExprId)) {
        match &exprs[id].kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) | ExprKind::AddressOf(target) => f(*target),
            ExprKind::Call(function, args) => {
                // What is converted on its way back is the place below.
                let places = self.written_arguments(*function, args).map(|arg| match exprs[arg].kind {
                    ExprKind::Convert(place, _) => place,
                    _ => arg,
                });
                places.for_each(f);
            }
            _ => {}
        }
    }

    /// Locals that a body writes, as a whole or in part.
    pub fn written_locals(&self, body: &Body) -> FxHashSet<LocalId> {
        self.written_among(&body.exprs, &body.expressions())
    }

    /// Locals that some expressions write by themselves.
    pub fn written_among(&self, exprs: &ExprArena, among: &[ExprId]) -> FxHashSet<LocalId> {
        let mut written = FxHashSet::default();
        for id in among {
            self.each_written(exprs, *id, &mut |place| written.extend(exprs.base_local(place)));
        }
        written
    }
}

/// What an expression assigns.
pub fn target(kind: &ExprKind) -> Option<ExprId> {
    match kind {
        ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => Some(*target),
        _ => None,
    }
}

/// The function that an expression calls for its value.
fn called(kind: &ExprKind) -> Option<FunctionId> {
    match kind {
        ExprKind::Call(f, _) => Some(*f),
        ExprKind::Property(p) => p.get,
        _ => None,
    }
}

/// Whether a function has effects by itself. Assignments to its own variables are none.
fn acts(function: &Function) -> bool {
    let mut found = function.is_marked("__effects") || function.params.iter().any(|p| p.mode != ParamMode::In);
    function.each_body(&mut |body| {
        let shared = |id| target(&body.exprs[id].kind).is_some_and(|t| body.exprs.base_local(t).is_none());
        found = found
            || body.block.any(&mut |s| matches!(s.kind, StmtKind::Discard))
            || body.expressions().into_iter().any(shared);
    });
    found
}

/// Whether an expression calls and assigns nothing: what needs no knowledge of the functions.
pub fn is_pure(exprs: &ExprArena, root: ExprId) -> bool {
    let may_act = |id: &ExprId| {
        let kind = &exprs[*id].kind;
        matches!(kind, ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Property(_))
    };
    !exprs.post_order(root).iter().any(may_act)
}

/// An expression that costs nothing and has the same value wherever it stands between two statements: a name, a literal, or
/// a field or constant element of one.
pub fn is_trivial(exprs: &ExprArena, id: ExprId) -> bool {
    match &exprs[id].kind {
        ExprKind::Literal(..) | ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::EnumCase(..) | ExprKind::Zero => {
            true
        }
        ExprKind::Field(a, _) | ExprKind::Contents(a) | ExprKind::AddressOf(a) | ExprKind::Deref(a) => {
            is_trivial(exprs, *a)
        }
        ExprKind::Swizzle(a, s) => s.len == 1 && is_trivial(exprs, *a),
        ExprKind::Unary(_, a) => matches!(exprs[*a].kind, ExprKind::Literal(..)),
        ExprKind::Index(a, b) => {
            is_trivial(exprs, *a)
                && matches!(exprs[*b].kind, ExprKind::Literal(..) | ExprKind::Local(_) | ExprKind::Global(_))
        }
        _ => false,
    }
}
