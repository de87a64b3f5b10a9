//! Integers of 8 and 16 bits become those of 32 bits, cut to their width where a result may not fit.
//!
//! Before: `uint16_t sum = a + b;           int8_t c = int8_t(word);`
//! After:  `uint sum = a + b & 0xFFFFu;     int c = int(word) << 24 >> 24;`
//!
//! A value is always one that the narrow type has. Builtins whose result may be another are marked `[__widens]`. Data in
//! buffers is made of words by `byte_address` and `storage`; programs with such integers in other buffers are left as they
//! are, which is an error.

use super::hoist::{Mark, Marks, hoist_all, temporary_name};
use super::lower_properties::mark_for_repetition;
use super::needs::scalar_need;
use super::wide_integers::statement_roots;
use super::{Context, Pass, case_constants, wrapping_constants};
use crate::check::constant::eval;
use crate::source::Span;
use crate::stdlib::Operation;
use crate::target::{Capability, Profile};
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "narrow_integers",
    lessens: &[Capability::Int16, Capability::Int8],
    // Of what only the target computes in a constant it is not known whether it fits.
    adds: &[Capability::WrappingConstants],
    after: &["storage", "byte_address", "narrow_texels", "non_float_matrices", "flatten"],
    run,
    ..Pass::ROW
};

/// The scalar of 32 bits for one of less that a profile lacks.
fn widened(profile: &Profile, s: Scalar) -> Option<Scalar> {
    let wider = match s {
        Scalar::I8 | Scalar::I16 => Scalar::I32,
        Scalar::U8 | Scalar::U16 => Scalar::U32,
        _ => return None,
    };
    scalar_need(s).is_some_and(|c| !profile.has(c)).then_some(wider)
}

/// Whether there is such a scalar in a type.
pub(super) fn is_narrow(program: &Program, profile: &Profile, ty: TypeId) -> bool {
    program.any_leaf(ty, &mut |leaf| match leaf {
        Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => widened(profile, s).is_some(),
        _ => false,
    })
}

/// The scalar of a number or vector, if it is such a one.
fn narrow(program: &Program, profile: &Profile, ty: TypeId) -> Option<Scalar> {
    match program.types.get(ty) {
        Type::Scalar(s) | Type::Vector(s, _) => widened(profile, s).map(|_| s),
        _ => None,
    }
}

/// Where a buffer is declared whose data cannot be of 32-bit integers.
fn not_possible(cx: &Context) -> Option<Span> {
    let program = &*cx.program;
    let is_foreign = |global: &&Global| {
        let data = match program.types.get(program.types.innermost(global.ty)) {
            // Texels have formats, which the type does not show any more.
            Type::Buffer(BufferKind::Typed, ..) => return false,
            Type::ConstantBuffer(data, _) | Type::TextureBuffer(data) | Type::Buffer(_, _, data) => data,
            _ => return false,
        };
        is_narrow(program, cx.profile, data)
    };
    program.listed_globals().map(|id| &program.globals[id]).find(is_foreign).map(|global| global.span)
}

fn run(cx: &mut Context) {
    if let Some(span) = not_possible(cx) {
        let message =
            format!("{} does not support buffers whose elements have integers of 8 or 16 bits", cx.profile.name);
        return cx.unsupported(span, message);
    }
    let profile = cx.profile;
    hoist_all(cx, &mut |program, body| repeated_targets(program, profile, body));
    cx.each_body(&mut |cx, _, body| {
        // Labels of cases are computed by compilers, and not all of them compute what cuts.
        let profile = cx.profile;
        let labels = case_constants::computed(cx.program, body, |ty| narrow(cx.program, profile, ty).is_some());
        case_constants::replace(cx.program, body, labels);
        let live = body.expressions();
        let statements = statement_roots(body);
        let mut cut =
            Cut { program: cx.program, profile, exprs: &mut body.exprs, statements, whole: FxHashMap::default() };
        live.into_iter().for_each(|id| cut.lower(id));
    });
    for id in cx.program.globals.ids() {
        let Some(mut tree) = cx.program.globals[id].init.take() else { continue };
        let whole_value = eval(cx.program, &tree.exprs, tree.root).ok();
        let live = tree.exprs.post_order(tree.root);
        let (statements, whole) = (FxHashSet::default(), FxHashMap::default());
        let mut cut = Cut { program: cx.program, profile, exprs: &mut tree.exprs, statements, whole };
        live.into_iter().for_each(|id| cut.lower(id));
        // Not every compiler computes what cuts in the first value of a variable of the module.
        let cuts = |id: ExprId| matches!(tree.exprs[id].kind, ExprKind::Native(..) | ExprKind::Call(..));
        if tree.exprs.any_part(tree.root, cuts)
            && let Some(value) = whole_value
            && let Expr { ty, span, .. } = tree.exprs[tree.root]
            && let Some(root) = value.to_expr(&mut tree.exprs, cx.program, ty, span)
        {
            tree.root = root;
        }
        cx.program.globals[id].init = Some(tree);
    }
    cx.program.map_types(&mut |types, ty| {
        let wider = |s| widened(profile, s);
        match types.get(ty) {
            Type::Scalar(s) => wider(s).map(|s| types.scalar(s)),
            Type::Vector(s, n) => wider(s).map(|s| types.vector(s, n)),
            Type::Matrix(s, rows, columns) => wider(s).map(|s| types.matrix(s, rows, columns)),
            _ => None,
        }
        .unwrap_or(ty)
    });
    // What fits into fewer bits may be known now that it is cut, and wrap around in more.
    if !profile.has(Capability::WrappingConstants) {
        cx.each_exprs(&mut |cx, exprs, live| wrapping_constants::fold(cx.program, exprs, live));
    }
}

/// The targets of assignments that read them, too.
fn repeated_targets(program: &Program, profile: &Profile, body: &Body) -> Marks {
    let mut marks = Marks::default();
    for id in body.expressions() {
        let target = match body.exprs[id].kind {
            ExprKind::Assign(Some(_), target, _) | ExprKind::Step(_, _, target) => target,
            _ => continue,
        };
        if narrow(program, profile, body.exprs[target].ty).is_none() {
            continue;
        }
        match body.exprs[target].kind {
            ExprKind::Convert(..) => drop(marks.insert(target, Mark::Value(temporary_name(program, body, target)))),
            _ => mark_for_repetition(program, body, target, &mut marks),
        }
    }
    marks
}

/// Rewrites the expressions of a body or initializer. They keep their types until all of them are rewritten.
struct Cut<'a> {
    program: &'a mut Program,
    profile: &'a Profile,
    exprs: &'a mut ExprArena,
    /// Expressions whose value is not used.
    statements: FxHashSet<ExprId>,
    /// What was cut, with what it was before.
    whole: FxHashMap<ExprId, ExprId>,
}

impl Cut<'_> {
    fn narrow(&self, id: ExprId) -> Option<Scalar> {
        narrow(self.program, self.profile, self.exprs[id].ty)
    }

    fn lower(&mut self, id: ExprId) {
        match self.exprs[id].kind.clone() {
            ExprKind::Literal(Literal::Int(value), _) => {
                if let Some(s) = self.narrow(id) {
                    let value = wrapped(s, value);
                    if !matches!(self.exprs[id].kind, ExprKind::Literal(Literal::Int(n), _) if n == value) {
                        self.exprs[id].kind = ExprKind::Literal(Literal::Int(value), None);
                    }
                }
            }
            ExprKind::Unary(UnaryOp::Negate, operand) if self.is_literal(operand, 1..=i64::MAX) => {}
            ExprKind::Unary(UnaryOp::BitNot, _) if self.narrow(id).is_some_and(Scalar::is_signed) => {}
            ExprKind::Unary(UnaryOp::Negate | UnaryOp::BitNot, _) => self.cut(id),
            ExprKind::Binary(op, a, b) => self.binary(id, op, a, b),
            ExprKind::Assign(Some(op), target, value) if self.narrow(target).is_some() => {
                self.assign(id, op, target, value);
            }
            ExprKind::Step(increment, prefix, target) if self.narrow(target).is_some() => {
                self.step(id, increment, prefix, target);
            }
            ExprKind::Convert(inner, _) => self.convert(id, inner),
            ExprKind::Call(f, _) if self.program.functions[f].is_marked("__widens") => self.cut(id),
            _ => {}
        }
    }

    fn build(&mut self, at: ExprId) -> Build<'_> {
        let span = self.exprs[at].span;
        Build::new(&mut self.program.types, self.exprs, span)
    }

    /// Makes an expression its own value in the range of its narrow type.
    fn cut(&mut self, id: ExprId) {
        let Some(s) = self.narrow(id) else { return };
        let ty = self.exprs[id].ty;
        let value = self.exprs.displace(id);
        self.whole.insert(id, value);
        let language = self.profile.language.name();
        let mut b = self.build(id);
        let kind = if s.is_signed() {
            let bits = b.uint(s.size() * 8);
            ExprKind::Native(Box::new(Operation::LowSigned.spelling(language).clone()), vec![value, bits])
        } else {
            let mask = b.add(ExprKind::Literal(Literal::Int((1 << (s.size() * 8)) - 1), hexadecimal(s)), TypeId::UINT);
            let mask = match b.types.get(ty) {
                Type::Vector(_, n) => {
                    let words = b.types.vector(Scalar::U32, n);
                    b.convert(mask, words)
                }
                _ => mask,
            };
            ExprKind::Binary(BinaryOp::BitAnd, value, mask)
        };
        self.exprs[id].kind = kind;
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, a: ExprId, b: ExprId) {
        use BinaryOp::*;
        match op {
            Shl | Shr => {
                let Some(s) = self.narrow(a) else { return };
                let distance = self.distance(b, s);
                self.exprs[id].kind = ExprKind::Binary(op, a, distance);
                if op == Shl {
                    self.cut(id);
                }
            }
            // Their low bits come from low bits.
            Add | Sub | Mul if self.narrow(id).is_some() => {
                let [a, b] = [a, b].map(|operand| self.whole.get(&operand).copied().unwrap_or(operand));
                self.exprs[id].kind = ExprKind::Binary(op, a, b);
                self.cut(id);
            }
            Div if self.narrow(id).is_some_and(Scalar::is_signed) => self.cut(id),
            BitAnd if self.is_literal(b, 0xFFFF..=0xFFFF) => self.uncut_below_mask(a),
            Add | Sub | Mul | Div | Rem | BitAnd | BitOr | BitXor | And | Or | Equal | NotEqual | Less | LessEqual
            | Greater | GreaterEqual => {}
        }
    }

    fn is_literal(&self, id: ExprId, range: std::ops::RangeInclusive<i64>) -> bool {
        matches!(self.exprs[id].kind, ExprKind::Literal(Literal::Int(n), _) if range.contains(&n))
    }

    /// A mask of 16 bits takes the bits above away, too.
    fn uncut_below_mask(&mut self, masked: ExprId) {
        if let ExprKind::Convert(inner, explicit) = self.exprs[masked].kind
            && self.narrow(inner).is_some_and(|s| s.size() == 2)
            && let Some(whole) = self.whole.get(&inner)
        {
            self.exprs[masked].kind = ExprKind::Convert(*whole, explicit);
        }
    }

    /// A distance of a shift, which counts as a remainder by the width.
    fn distance(&mut self, distance: ExprId, s: Scalar) -> ExprId {
        let width = i64::from(s.size()) * 8;
        let is_small = |id: ExprId| self.is_literal(id, 0..=width - 1);
        let splat = |id: ExprId| match self.exprs[id].kind {
            ExprKind::Convert(inner, _) => is_small(inner),
            _ => false,
        };
        if is_small(distance) || splat(distance) {
            return distance;
        }
        let ty = self.exprs[distance].ty;
        let mut b = self.build(distance);
        let most = b.number(width - 1, ty);
        b.add(ExprKind::Binary(BinaryOp::BitAnd, distance, most), ty)
    }

    fn assign(&mut self, id: ExprId, op: BinaryOp, target: ExprId, value: ExprId) {
        let read = self.exprs.duplicate(target);
        let ty = self.exprs[target].ty;
        let new = self.build(id).add(ExprKind::Binary(op, read, value), ty);
        self.binary(new, op, read, value);
        self.exprs[id].kind = ExprKind::Assign(None, target, new);
    }

    /// `x++` is an assignment; where its value is used, one that is taken back.
    fn step(&mut self, id: ExprId, increment: bool, prefix: bool, target: ExprId) {
        let (next, back) = if increment { (BinaryOp::Add, BinaryOp::Sub) } else { (BinaryOp::Sub, BinaryOp::Add) };
        let ty = self.exprs[target].ty;
        let one = self.build(id).number(1, ty);
        if prefix || self.statements.contains(&id) {
            return self.assign(id, next, target, one);
        }
        let assignment = self.build(id).add(ExprKind::Zero, ty);
        self.assign(assignment, next, target, one);
        let one = self.build(id).number(1, ty);
        self.exprs[id].kind = ExprKind::Binary(back, assignment, one);
        self.cut(id);
    }

    /// From another number to a narrow one, or from a narrow one.
    fn convert(&mut self, id: ExprId, inner: ExprId) {
        let component = |ty| self.program.types.component(ty);
        let (Some(to), Some(from)) = (component(self.exprs[id].ty), component(self.exprs[inner].ty)) else { return };
        let fits = from == Scalar::Bool
            || from.is_float()
            || from == to
            || !from.is_signed() && from.size() < to.size()
            || from.is_signed() && to.is_signed() && from.size() <= to.size()
            || !to.is_signed()
                && matches!(self.exprs[inner].kind, ExprKind::Binary(BinaryOp::Shr, word, distance)
                if self.exprs[word].ty == TypeId::UINT && self.is_literal(distance, 32 - i64::from(to.size()) * 8..=31));
        if self.narrow(id).is_some() && !fits {
            self.cut(id);
        }
        // What has the type of the result already is the result.
        let wide = |s| widened(self.profile, s).unwrap_or(s);
        let same_shape = match (self.program.types.get(self.exprs[id].ty), self.program.types.get(self.exprs[inner].ty))
        {
            (Type::Scalar(_), Type::Scalar(_)) => true,
            (Type::Vector(_, a), Type::Vector(_, b)) => a == b,
            _ => false,
        };
        if same_shape && wide(to) == wide(from) && to != from {
            self.drop_conversion(id, inner);
        }
    }

    /// Takes a conversion out that may have been cut.
    fn drop_conversion(&mut self, id: ExprId, inner: ExprId) {
        let ty = self.exprs[id].ty;
        let cut = match &self.exprs[id].kind {
            ExprKind::Convert(..) => None,
            ExprKind::Native(_, args) => args.first().copied(),
            ExprKind::Binary(_, value, _) => Some(*value),
            _ => return,
        };
        let conversion = cut.unwrap_or(id);
        self.exprs.replace_by(conversion, inner);
        self.exprs[conversion].ty = ty;
    }
}

fn hexadecimal(s: Scalar) -> Option<crate::symbol::Symbol> {
    Some(crate::symbol::Symbol::new(if s.size() == 1 { "0xFF" } else { "0xFFFF" }))
}

/// A number in the range of a narrow type.
fn wrapped(s: Scalar, value: i64) -> i64 {
    match s {
        Scalar::I8 => i64::from(value as i8),
        Scalar::U8 => i64::from(value as u8),
        Scalar::I16 => i64::from(value as i16),
        Scalar::U16 => i64::from(value as u16),
        _ => value,
    }
}
