//! What is made of matrices, or cut from them, is written out by rows.
//!
//! Before: `(float2x2)big                 float2x2(v)             float3x3(m2, v3, s, s)     c ? a : b`
//! After:  `(big[0].xy, big[1].xy)        (v.xy, v.zw)            rows of three              (c[0] ? a[0] : b[0], ...)`
//!
//! Afterwards a matrix is made of its rows, or of scalars, and converted only to another float type.
//!
//! An operand that is mentioned several times and is more than a name goes into a local first.

use super::hoist::{Mark, Marks, hoist_all, temporary_name};
use super::needs::Find;
use super::{Context, Pass};
use crate::target::{Capabilities, Capability};
use crate::tree::ExprKinds;
use crate::tree::analyses::is_trivial;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "matrix_parts",
    removes: &[
        (
            Capability::MatrixParts,
            Find::at(ExprKinds::SELECT.or(ExprKinds::CONVERT).or(ExprKinds::CONSTRUCT), |p, exprs, id| {
                need(&p.types, exprs, id) == Some(Capability::MatrixParts)
            }),
        ),
        (
            Capability::MatrixTruncation,
            Find::at(ExprKinds::SELECT.or(ExprKinds::CONVERT).or(ExprKinds::CONSTRUCT), |p, exprs, id| {
                need(&p.types, exprs, id) == Some(Capability::MatrixTruncation)
            }),
        ),
    ],
    // Rows are chosen by components.
    adds: &[Capability::VectorLogic],
    after: &["lower_matrix_ops"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let native = cx.profile.capabilities;
    hoist_all(cx, &mut |program, body| marks(program, body, native));
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        live.iter().for_each(|id| write_out(types, exprs, *id, native));
    });
}

/// Whether an expression must be written out.
fn is_part(types: &Types, exprs: &ExprArena, id: ExprId, native: Capabilities) -> bool {
    need(types, exprs, id).is_some_and(|c| !native.has(c))
}

/// What an expression needs that makes, cuts or chooses a matrix in a way that not every language has.
fn need(types: &Types, exprs: &ExprArena, id: ExprId) -> Option<Capability> {
    let is_matrix = |e: ExprId| matches!(types.get(exprs[e].ty), Type::Matrix(..));
    let part = match &exprs[id].kind {
        ExprKind::Select(c, ..) => is_matrix(*c),
        ExprKind::Convert(inner, _) if is_matrix(*inner) => {
            return conversion_need(types, exprs[*inner].ty, exprs[id].ty);
        }
        ExprKind::Convert(inner, _) => is_matrix(id) && matches!(types.get(exprs[*inner].ty), Type::Vector(..)),
        ExprKind::Construct(parts) => !fits(types, exprs, id, parts),
        _ => false,
    };
    part.then_some(Capability::MatrixParts)
}

/// What the conversion of a matrix needs.
fn conversion_need(types: &Types, from: TypeId, to: TypeId) -> Option<Capability> {
    match (types.get(from), types.get(to)) {
        (Type::Matrix(f, r, c), Type::Matrix(t, r2, c2)) if f.is_float() && t.is_float() => {
            ((r, c) != (r2, c2)).then_some(Capability::MatrixTruncation)
        }
        _ => Some(Capability::MatrixParts),
    }
}

/// Operands that will be written down several times.
fn marks(program: &Program, body: &Body, native: Capabilities) -> Marks {
    let mut marks = Marks::default();
    for id in body.expressions() {
        for operand in repeated(&program.types, &body.exprs, id, native) {
            if !is_cheap(&body.exprs, operand) {
                marks.insert(operand, Mark::Value(temporary_name(program, body, operand)));
            }
        }
    }
    marks
}

/// A name, or components of one.
fn is_cheap(exprs: &ExprArena, id: ExprId) -> bool {
    match exprs[id].kind {
        ExprKind::Swizzle(inner, _) => is_trivial(exprs, inner),
        _ => is_trivial(exprs, id),
    }
}

/// The operands that are mentioned more than once when a node is written out.
fn repeated(types: &Types, exprs: &ExprArena, id: ExprId, native: Capabilities) -> Vec<ExprId> {
    if !is_part(types, exprs, id, native) {
        return Vec::new();
    }
    match &exprs[id].kind {
        ExprKind::Select(c, a, b) => vec![*c, *a, *b],
        ExprKind::Convert(inner, _) if !matches!(types.get(exprs[id].ty), Type::Scalar(_)) => vec![*inner],
        ExprKind::Construct(parts) => {
            parts.iter().copied().filter(|p| !matches!(types.get(exprs[*p].ty), Type::Scalar(_))).collect()
        }
        _ => Vec::new(),
    }
}

fn dimensions(types: &Types, ty: TypeId) -> Option<(Scalar, u8, u8)> {
    match types.get(ty) {
        Type::Matrix(s, r, c) => Some((s, r, c)),
        _ => None,
    }
}

/// Whether the parts of a construction are what every language takes: rows or components of a matrix; of vectors no matrices.
fn fits(types: &Types, exprs: &ExprArena, id: ExprId, parts: &[ExprId]) -> bool {
    let part = |p: &ExprId| types.get(exprs[*p].ty);
    match types.get(exprs[id].ty) {
        Type::Matrix(_, rows, columns) => {
            let by_rows = parts.len() == usize::from(rows)
                && parts.iter().all(|p| matches!(part(p), Type::Vector(_, n) if n == columns));
            by_rows || parts.iter().all(|p| matches!(part(p), Type::Scalar(_)))
        }
        Type::Vector(..) => !parts.iter().any(|p| matches!(part(p), Type::Matrix(..))),
        _ => true,
    }
}

/// Writes one node out; its operands are written out already.
fn write_out(types: &mut Types, exprs: &mut ExprArena, id: ExprId, native: Capabilities) {
    if !is_part(types, exprs, id, native) {
        return;
    }
    let mut rows = MatrixRows { types, exprs };
    if let Some(new) = rows.expand(id) {
        rows.exprs.replace_by(id, new);
    }
}

/// Row `r` of a matrix operand, which itself is copied.
pub(super) fn row(b: &mut Build, id: ExprId, r: u8) -> ExprId {
    // The rows of what is just built are at hand.
    if let ExprKind::Construct(parts) = &b.exprs[id].kind
        && let Some(&part) = parts.get(usize::from(r)).filter(|_| fits(b.types, b.exprs, id, parts))
        && matches!(b.types.get(b.exprs[part].ty), Type::Vector(..))
    {
        return b.exprs.duplicate(part);
    }
    let copy = b.exprs.duplicate(id);
    b.at(copy, r.into())
}

struct MatrixRows<'a> {
    types: &'a mut Types,
    exprs: &'a mut ExprArena,
}

impl MatrixRows<'_> {
    fn build(&mut self, id: ExprId) -> Build<'_> {
        let span = self.exprs[id].span;
        Build::new(self.types, self.exprs, span)
    }

    fn expand(&mut self, id: ExprId) -> Option<ExprId> {
        let ty = self.exprs[id].ty;
        match self.exprs[id].kind.clone() {
            ExprKind::Select(c, a, b) => {
                let (_, rows, _) = dimensions(self.types, self.exprs[c].ty)?;
                let parts = (0..rows).map(|r| {
                    let (c, a, b) = (self.row(c, r), self.row(a, r), self.row(b, r));
                    let row_ty = self.exprs[a].ty;
                    self.build(id).add(ExprKind::Select(c, a, b), row_ty)
                });
                let parts = parts.collect();
                Some(self.build(id).construct(parts, ty))
            }
            ExprKind::Convert(inner, _) => self.conversion(id, inner),
            ExprKind::Construct(parts) => Some(self.construction(id, &parts)),
            _ => None,
        }
    }

    fn row(&mut self, id: ExprId, r: u8) -> ExprId {
        row(&mut self.build(id), id, r)
    }

    fn conversion(&mut self, id: ExprId, inner: ExprId) -> Option<ExprId> {
        let (ty, from) = (self.exprs[id].ty, self.exprs[inner].ty);
        match (self.types.get(ty), self.types.get(from)) {
            (Type::Matrix(s, rows, columns), Type::Matrix(..)) => {
                let row_ty = self.types.vector(s, columns);
                let parts = (0..rows).map(|r| {
                    let row = self.row(inner, r);
                    self.build(id).convert(row, row_ty)
                });
                let parts = parts.collect();
                Some(self.build(id).construct(parts, ty))
            }
            (Type::Matrix(s, ..), Type::Vector(f, _)) if s == f => Some(self.construction(id, &[inner])),
            // Components in order.
            (Type::Matrix(s, ..), Type::Vector(..)) | (Type::Vector(s, _), Type::Matrix(..)) => {
                let scalar = self.types.scalar(s);
                let parts = self.components(inner);
                let parts = parts.into_iter().map(|p| self.build(id).convert(p, scalar)).collect();
                Some(self.build(id).construct(parts, ty))
            }
            (Type::Scalar(_), Type::Matrix(..)) => {
                let mut build = self.build(id);
                let row = build.at(inner, 0);
                let element = build.at(row, 0);
                Some(build.convert(element, ty))
            }
            _ => None,
        }
    }

    /// Copies of all components of a value, row by row.
    fn components(&mut self, id: ExprId) -> Vec<ExprId> {
        match self.types.get(self.exprs[id].ty) {
            Type::Matrix(_, rows, columns) => {
                let mut list = Vec::new();
                for r in 0..rows {
                    for c in 0..columns {
                        let row = self.row(id, r);
                        list.push(self.build(id).at(row, c.into()));
                    }
                }
                list
            }
            Type::Vector(_, n) => (0..n).map(|c| self.part(id, c, 1)).collect(),
            _ => vec![id],
        }
    }

    /// Parts of any size become rows of a matrix (or parts of a vector).
    fn construction(&mut self, id: ExprId, parts: &[ExprId]) -> ExprId {
        let ty = self.exprs[id].ty;
        let (scalar, columns) = match self.types.get(ty) {
            Type::Matrix(s, _, c) => (s, usize::from(c)),
            _ => {
                let list = parts.iter().flat_map(|p| self.rows_of(*p)).collect();
                return self.build(id).construct(list, ty);
            }
        };
        // Parts that end with the row stay whole; others are cut there.
        let pieces: Vec<ExprId> = parts.iter().flat_map(|p| self.rows_of(*p)).collect();
        let row_ty = self.types.vector(scalar, columns as u8);
        let (mut rows, mut row, mut filled) = (Vec::new(), Vec::new(), 0);
        for piece in pieces {
            let width = self.width(piece);
            let mut used = 0;
            while used < width {
                let count = (columns - filled).min(width - used);
                row.push(if count == width { piece } else { self.part(piece, used as u8, count as u8) });
                (used, filled) = (used + count, filled + count);
                if filled == columns {
                    let parts = std::mem::take(&mut row);
                    let whole = matches!(parts.as_slice(), [one] if self.exprs[*one].ty == row_ty);
                    rows.push(match parts.first() {
                        Some(&one) if whole => one,
                        _ => self.build(id).construct(parts, row_ty),
                    });
                    filled = 0;
                }
            }
        }
        self.build(id).construct(rows, ty)
    }

    /// A copy of some components of a vector.
    fn part(&mut self, id: ExprId, first: u8, count: u8) -> ExprId {
        let copy = self.exprs.duplicate(id);
        let list: Vec<u8> = (first..first + count).collect();
        match self.exprs[copy].kind {
            ExprKind::Swizzle(base, outer) => {
                let list: Vec<u8> = list.iter().filter_map(|c| outer.list().get(usize::from(*c)).copied()).collect();
                self.build(id).swizzle(base, &list)
            }
            _ => self.build(id).swizzle(copy, &list),
        }
    }

    fn width(&self, id: ExprId) -> usize {
        match self.types.get(self.exprs[id].ty) {
            Type::Vector(_, n) => n.into(),
            _ => 1,
        }
    }

    /// A matrix as its rows; anything else as it is.
    fn rows_of(&mut self, id: ExprId) -> Vec<ExprId> {
        match dimensions(self.types, self.exprs[id].ty) {
            Some((_, rows, _)) => (0..rows).map(|r| self.row(id, r)).collect(),
            None => vec![id],
        }
    }
}
