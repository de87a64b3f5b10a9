//! Positions whose y is turned over, as `--invert-y` asks: clip space of the target has y in the other direction.
//!
//! Before: `Point main(...) { Point p; p.position = mul(m, v); return p; }`
//! After:  `Point main(...) { Point p; p.position = mul(m, v); p.position.y = -p.position.y; return p; }`
//!
//! Of the stages of a program the last one before rasterization does it: its domain shader where it has one, and no vertex shader
//! beside a domain, hull or geometry shader. Vertices of geometry and mesh shaders are turned over where they are written:
//! [`super::entry_elements`]. A target whose own compiler has this option keeps its text, with a warning.

use super::stage_io::{Flatten, Leaf, Source};
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::target::StageIo;
use crate::target::system_values::Direction;
use crate::tree::analyses::ends_flow;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "positions",
    always: Some("an option asks for it"),
    after: &["called_entry_points", "called_values", "system_value_types", "varyings"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if cx.profile.facts.stage_io == StageIo::Semantics {
        return report_kept(cx);
    }
    if !cx.options.invert_y {
        return;
    }
    for entry in cx.program.entry_points.clone() {
        if writes_points(cx.program, entry.stage) {
            invert(cx, &entry);
        }
    }
}

/// Whether a stage is the last one before rasterization that gives one point an invocation.
fn writes_points(program: &Program, stage: Stage) -> bool {
    let has = |stages: &[Stage]| program.entry_points.iter().any(|e| stages.contains(&e.stage));
    match stage {
        Stage::Vertex => !has(&[Stage::Hull, Stage::Domain, Stage::Geometry]),
        Stage::Domain => !has(&[Stage::Geometry]),
        Stage::Hull
        | Stage::Geometry
        | Stage::Mesh
        | Stage::Fragment
        | Stage::Compute
        | Stage::Amplification
        | Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => false,
    }
}

/// Warns once of each option that is given in vain: the compiler of the target's text turns positions over, or not.
fn report_kept(cx: &mut Context) {
    let is_fragment = |entry: &EntryPoint| entry.stage == Stage::Fragment;
    let entries = cx.program.entry_points.clone();
    for (asked, direction, option) in [
        (cx.options.invert_y, Direction::Out, "invert-y"),
        (cx.options.target_position_w, Direction::In, "dx-position-w = false"),
    ] {
        let of_option = |entry: &&EntryPoint| asked && is_fragment(entry) == (direction == Direction::In);
        let position = entries.iter().filter(of_option).find_map(|entry| position(cx, entry, direction));
        if let Some(span) = position {
            let message = format!("`{option}` does nothing for {}: positions stay as they are", cx.profile.name);
            let note = "the compiler of this text has an option of its own for it, where positions can differ";
            cx.diags.push(Diagnostic::warning(Code::OMITTED, span, message).note(note));
        }
    }
}

/// Where an entry point has the position that is rasterized.
fn position(cx: &mut Context, entry: &EntryPoint, direction: Direction) -> Option<Span> {
    let mut flatten = Flatten { program: cx.program, split: false, settings: cx.layout.settings };
    let one = flatten.leaves(entry, direction);
    let many = flatten.elements(entry).into_iter().filter(|many| many.direction == direction);
    let found = one.into_iter().chain(many.flat_map(|many| many.leaves)).find(Leaf::is_position);
    found.filter(|_| entry.stage != Stage::Hull).map(|leaf| leaf.span)
}

/// Turns over the position that an entry point gives.
fn invert(cx: &mut Context, entry: &EntryPoint) {
    let settings = cx.layout.settings;
    let leaves = Flatten { program: cx.program, split: false, settings }.leaves(entry, Direction::Out);
    let Some(position) = leaves.into_iter().find(|leaf| leaf.is_position() && has_y(&cx.program.types, leaf.ty)) else {
        return;
    };
    let function = &mut cx.program.functions[entry.function];
    let params: Vec<LocalId> = function.params.iter().map(|param| param.local).collect();
    let body = std::mem::take(&mut function.code);
    let mut inverting = Inverting { cx, body, path: position.path, params };
    match position.source {
        Source::Param(index) => inverting.parameter(index),
        Source::Result => inverting.result(),
        Source::Nothing => {}
    }
    let body = inverting.body;
    cx.program.functions[entry.function].code = body;
}

/// Whether a position of a type has a `y`.
pub(super) fn has_y(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Vector(_, 2..=4))
}

struct Inverting<'a, 'b> {
    cx: &'a mut Context<'b>,
    body: Body,
    /// The way to the position.
    path: Vec<Step>,
    /// The parameters of the entry point.
    params: Vec<LocalId>,
}

impl Inverting<'_, '_> {
    /// The position is of an `out` parameter: it is turned over wherever the entry point ends.
    fn parameter(&mut self, index: usize) {
        let Some(&local) = self.params.get(index) else { return };
        let span = self.body.block.stmts.last().map_or(self.body.locals[local].span, |last| last.span);
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |mut stmt, out| {
            let StmtKind::Return(value) = &mut stmt.kind else { return out.push(stmt) };
            let start = out.len();
            if let Some(value) = value
                && self.mentions(*value, local)
            {
                (_, *value) = self.kept("result", *value, out);
            }
            out.push(self.inverted(local, stmt.span));
            stmt.give_comments(out.get_mut(start), true);
            out.push(stmt);
        });
        if !ends_flow(&block) {
            block.stmts.push(self.inverted(local, span));
        }
        self.body.block = block;
    }

    /// The position is of the result: it is turned over before each return.
    fn result(&mut self) {
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |mut stmt, out| {
            let StmtKind::Return(Some(value)) = &mut stmt.kind else { return out.push(stmt) };
            let start = out.len();
            let local = self.own_variable(*value).unwrap_or_else(|| {
                let name = if self.path.is_empty() { "position" } else { "result" };
                let (local, kept) = self.kept(name, *value, out);
                *value = kept;
                local
            });
            out.push(self.inverted(local, stmt.span));
            stmt.give_comments(out.get_mut(start), true);
            out.push(stmt);
        });
        self.body.block = block;
    }

    /// The variable that a value is, if it may be changed.
    fn own_variable(&self, value: ExprId) -> Option<LocalId> {
        let ExprKind::Local(local) = self.body.exprs[value].kind else { return None };
        let Local { constant, modifiers, .. } = self.body.locals[local];
        let is_free = !constant && !modifiers.has(Modifiers::CONST) && !self.params.contains(&local);
        is_free.then_some(local)
    }

    fn mentions(&self, value: ExprId, local: LocalId) -> bool {
        let mut parts = self.body.exprs.post_order(value).into_iter();
        parts.any(|id| matches!(self.body.exprs[id].kind, ExprKind::Local(l) if l == local))
    }

    /// A value in a variable of its own.
    fn kept(&mut self, name: &str, value: ExprId, out: &mut Vec<Stmt>) -> (LocalId, ExprId) {
        let Expr { ty, span, .. } = self.body.exprs[value];
        let local = self.body.add_local(name, ty, span);
        out.push(Stmt::new(StmtKind::Local(local, Some(value)), span));
        (local, self.body.exprs.push(Expr { kind: ExprKind::Local(local), ty, span }))
    }

    /// `local.position.y = -local.position.y;`
    fn inverted(&mut self, local: LocalId, span: Span) -> Stmt {
        let ty = self.body.locals[local].ty;
        let exprs = &mut self.body.exprs;
        let whole = exprs.push(Expr { kind: ExprKind::Local(local), ty, span });
        let position = self.cx.program.part(exprs, whole, &self.path);
        let target = exprs.duplicate(position);
        let mut b = Build::new(&mut self.cx.program.types, exprs, span);
        let (target, old) = (b.swizzle(target, &[1]), b.swizzle(position, &[1]));
        let value = b.negated(old);
        b.set(target, value)
    }
}
