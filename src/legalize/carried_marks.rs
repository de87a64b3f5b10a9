//! Marks of indices that may differ between invocations stand where arrays of resources are indexed.
//!
//! Before: `vec4 load(uint i) { return texelFetch(textures[i], ...); }   load(nonuniformEXT(k))`
//! After:  `vec4 load(uint i) { return texelFetch(textures[nonuniformEXT(i)], ...); }   load(nonuniformEXT(k))`
//!
//! In HLSL the mark is of the value, wherever it goes. In GLSL a parameter, result, field or variable without the word loses it
//! (`GL_EXT_nonuniform_qualifier`). A variable whose first value is marked is declared with the word, and keeps it.

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "carried_marks",
    always: Some("where a marked value goes is seen when all else has been rewritten"),
    // Which marks are lost is known there alone: nothing asks before.
    removes: &[(Capability::CarriedMarks, Find::Entry(|_, _| None))],
    after: &["resolve_resources", "out_parameters"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::CarriedMarks) {
        return;
    }
    let carried = Carried::of(cx.program);
    for id in cx.program.functions_with_code() {
        let lost = lost(cx.program, &carried, id);
        if lost.is_empty() {
            continue;
        }
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        for index in lost {
            carried.mark(cx.program, &mut body.exprs, index);
        }
        cx.program.functions[id].code = body;
    }
}

/// The indices of arrays of resources in a function whose marks do not show there.
fn lost(program: &Program, carried: &Carried, id: FunctionId) -> Vec<ExprId> {
    let body = &program.functions[id].code;
    let shown = shown_locals(carried, body);
    let mut found = Vec::new();
    for at in body.expressions() {
        let ExprKind::Index(base, index) = body.exprs[at].kind else { continue };
        let ty = body.exprs[base].ty;
        let of_resources = matches!(program.types.get(ty), Type::Array(..)) && program.holds_resource(ty);
        if of_resources && carried.has(program, (id, &body.exprs), index) && !shows(carried, &shown, &body.exprs, index)
        {
            found.push(index);
        }
    }
    found
}

/// The variables that begin with a marked value.
fn shown_locals(carried: &Carried, body: &Body) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Local(local, Some(init)) = stmt.kind
            && shows(carried, &FxHashSet::default(), &body.exprs, init)
        {
            found.insert(local);
        }
    });
    found
}

/// Whether a value is marked where it stands, or made of one that is.
fn shows(carried: &Carried, locals: &FxHashSet<LocalId>, exprs: &ExprArena, id: ExprId) -> bool {
    match &exprs[id].kind {
        ExprKind::Call(f, _) => carried.markers.contains(f),
        ExprKind::Local(local) => locals.contains(local),
        ExprKind::Convert(a, _) | ExprKind::Swizzle(a, _) => shows(carried, locals, exprs, *a),
        ExprKind::Construct(parts) => parts.iter().any(|part| shows(carried, locals, exprs, *part)),
        _ => false,
    }
}

/// The attribute of the function that marks.
const MARKER: &str = "__index_marker";

/// What may hold a marked value, whichever way it comes there.
#[derive(Default)]
pub(super) struct Carried {
    markers: FxHashSet<FunctionId>,
    locals: FxHashSet<(FunctionId, LocalId)>,
    globals: FxHashSet<GlobalId>,
    fields: FxHashSet<(StructId, u32)>,
    results: FxHashSet<FunctionId>,
}

impl Carried {
    pub(super) fn of(program: &Program) -> Carried {
        let mut carried = Carried { markers: program.marked(MARKER), ..Carried::default() };
        if carried.markers.is_empty() {
            return carried;
        }
        let functions = program.functions_with_code();
        loop {
            let before = carried.size();
            functions.iter().for_each(|id| carried.pass(program, *id));
            if carried.size() == before {
                return carried;
            }
        }
    }

    fn size(&self) -> usize {
        self.locals.len() + self.globals.len() + self.fields.len() + self.results.len()
    }

    /// Puts the mark at an index.
    pub(super) fn mark(&self, program: &mut Program, exprs: &mut ExprArena, index: ExprId) {
        let Expr { ty, span, .. } = exprs[index];
        let Some(marker) = self.marker(program, ty) else { return };
        let wanted = program.functions[marker].result;
        let value = exprs.displace(index);
        let mut b = Build::new(&mut program.types, exprs, span);
        let value = b.convert(value, wanted);
        exprs[index] = Expr { kind: ExprKind::Call(marker, vec![value]), ty: wanted, span };
    }

    /// An index without the mark that stands at it.
    pub(super) fn unmarked(&self, exprs: &ExprArena, index: ExprId) -> ExprId {
        match &exprs[index].kind {
            ExprKind::Call(function, args) if self.markers.contains(function) => args.first().copied().unwrap_or(index),
            _ => index,
        }
    }

    /// A marker for numbers of a type, or of another.
    fn marker(&self, program: &Program, ty: TypeId) -> Option<FunctionId> {
        let all = program.functions.iter().filter(|(id, _)| self.markers.contains(id));
        all.min_by_key(|(_, function)| function.result != ty).map(|(id, _)| id)
    }

    /// Follows marks through the statements and expressions of a function.
    fn pass(&mut self, program: &Program, id: FunctionId) {
        let body = &program.functions[id].code;
        body.block.visit(&mut |stmt| match stmt.kind {
            StmtKind::Local(local, Some(init)) if self.has(program, (id, &body.exprs), init) => {
                self.locals.insert((id, local));
            }
            StmtKind::Return(Some(value)) if self.has(program, (id, &body.exprs), value) => {
                self.results.insert(id);
            }
            _ => {}
        });
        for at in body.expressions() {
            match &body.exprs[at].kind {
                ExprKind::Assign(_, target, value) if self.has(program, (id, &body.exprs), *value) => {
                    self.put(program, (id, &body.exprs), *target);
                }
                ExprKind::Construct(parts) => {
                    let Type::Struct(of) = program.types.get(body.exprs[at].ty) else { continue };
                    for (index, part) in (0..).zip(parts) {
                        if self.has(program, (id, &body.exprs), *part) {
                            self.fields.insert((of, index));
                        }
                    }
                }
                ExprKind::Call(function, args) => self.call(program, (id, &body.exprs), *function, args),
                _ => {}
            }
        }
    }

    fn call(&mut self, program: &Program, at: (FunctionId, &ExprArena), function: FunctionId, args: &[ExprId]) {
        for (param, arg) in program.functions[function].params.iter().zip(args) {
            if param.mode != ParamMode::Out && self.has(program, at, *arg) {
                self.locals.insert((function, param.local));
            }
            if param.mode != ParamMode::In && self.locals.contains(&(function, param.local)) {
                self.put(program, at, *arg);
            }
        }
    }

    /// A place that is given a marked value.
    fn put(&mut self, program: &Program, at: (FunctionId, &ExprArena), place: ExprId) {
        match at.1[place].kind {
            ExprKind::Field(base, index) => {
                if let Type::Struct(of) = program.types.get(at.1[base].ty) {
                    self.fields.insert((of, index));
                }
            }
            ExprKind::Index(base, _) if program.types.get(at.1[base].ty).is_resource() => {}
            ExprKind::Index(base, _)
            | ExprKind::Swizzle(base, _)
            | ExprKind::MatrixSwizzle(base, _)
            | ExprKind::Convert(base, _) => self.put(program, at, base),
            ExprKind::Local(local) => _ = self.locals.insert((at.0, local)),
            ExprKind::Global(global) => _ = self.globals.insert(global),
            _ => {}
        }
    }

    /// Whether a value may be a marked one, or be computed of one.
    pub(super) fn has(&self, program: &Program, at: (FunctionId, &ExprArena), id: ExprId) -> bool {
        let has = |id: &ExprId| self.has(program, at, *id);
        match &at.1[id].kind {
            ExprKind::Call(function, _) => self.markers.contains(function) || self.results.contains(function),
            ExprKind::Local(local) => self.locals.contains(&(at.0, *local)),
            ExprKind::Global(global) => self.globals.contains(global),
            ExprKind::Field(base, index) => match program.types.get(at.1[*base].ty) {
                Type::Struct(of) => self.fields.contains(&(of, *index)),
                _ => false,
            },
            // What a resource holds is no marked value.
            ExprKind::Index(base, _) => !program.holds_resource(at.1[*base].ty) && has(base),
            ExprKind::Swizzle(a, _) | ExprKind::Convert(a, _) | ExprKind::Unary(_, a) | ExprKind::Step(_, _, a) => {
                has(a)
            }
            ExprKind::Binary(op, a, b) => !op.is_comparison() && (has(a) || has(b)),
            ExprKind::Select(_, a, b) => has(a) || has(b),
            ExprKind::Comma(_, value) | ExprKind::Assign(_, _, value) => has(value),
            ExprKind::Construct(parts) => {
                !matches!(program.types.get(at.1[id].ty), Type::Struct(_)) && parts.iter().any(has)
            }
            _ => false,
        }
    }
}
