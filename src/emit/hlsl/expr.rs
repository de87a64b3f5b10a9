//! HLSL's own ways with expressions: implicit conversions, casts, initializer lists, logic on vectors.

use super::{Hlsl, untyped};
use crate::emit::context::Context;
use crate::emit::dialect::Dialect;
use crate::emit::expr::{Exprs, Prec};
use crate::emit::hints;
use crate::emit::literal::Literals;
use crate::emit::marks::is_mark;
use crate::target::Language;
use crate::target::operators::{Operator, function_of};
use crate::tree::*;
use std::borrow::Cow;

const LITERALS: Literals = Literals {
    forms: &[
        (Scalar::U32, "", "u"),
        (Scalar::I64, "", "ll"),
        (Scalar::U64, "", "ull"),
        (Scalar::F64, "", "L"),
        (Scalar::F16, "", "h"),
        (Scalar::I16, "int16_t(", ")"),
        (Scalar::U16, "uint16_t(", ")"),
        (Scalar::MinI16, "min16int(", ")"),
        (Scalar::MinI12, "min12int(", ")"),
        (Scalar::MinU16, "min16uint(", ")"),
    ],
    minimum: &[(Scalar::I32, "int(0x80000000)"), (Scalar::I64, "int64_t(0x8000000000000000ull)")],
    bits: ("asfloat(", ")"),
    suffixes: &[
        (Scalar::F32, &["f", "F"]),
        (Scalar::U32, &["u", "U"]),
        (Scalar::F64, &["l", "L"]),
        (Scalar::F16, &["h", "H"]),
    ],
    adapts: true,
};

/// Shape of a numeric type: (rows, columns) with 0 rows for vectors and (0, 0) for scalars.
type Shape = (u8, u8);

fn numeric(cx: &Context, ty: TypeId) -> Option<(Scalar, Shape)> {
    match cx.program.types.get(ty) {
        Type::Scalar(s) => Some((s, (0, 0))),
        Type::Vector(s, n) => Some((s, (0, n))),
        Type::Matrix(s, r, c) => Some((s, (r, c))),
        Type::Enum(id) => Some((cx.program.enums[id].tag, (0, 0))),
        _ => None,
    }
}

/// How many numbers a shape has.
fn components(shape: Shape) -> u32 {
    match shape {
        (0, n) => n.max(1).into(),
        (rows, columns) => u32::from(rows) * u32::from(columns),
    }
}

/// The order in which HLSL joins component types of two operands.
const RANKS: &[Scalar] = &[
    Scalar::Bool,
    Scalar::MinI12,
    Scalar::MinI16,
    Scalar::MinU16,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
    Scalar::MinF10,
    Scalar::MinF16,
    Scalar::F16,
    Scalar::F32,
    Scalar::F64,
];

fn rank(scalar: Scalar) -> usize {
    RANKS.iter().position(|s| *s == scalar).unwrap_or(0)
}

/// The type that HLSL gives both operands of a binary operator.
fn join(a: (Scalar, Shape), b: (Scalar, Shape)) -> Option<(Scalar, Shape)> {
    let later = if rank(a.0) >= rank(b.0) { a.0 } else { b.0 };
    let scalar = if a.0.is_unsigned() || b.0.is_unsigned() { later.unsigned() } else { later };
    let shape = match (a.1, b.1) {
        (x, y) if x == y => x,
        ((0, 0), y) => y,
        (x, (0, 0)) => x,
        ((0, m), (0, n)) => (0, m.min(n)),
        _ => return None,
    };
    Some((scalar, shape))
}

/// The type of an operand beside another one: literals take the type of what stands beside them.
fn beside(ex: &Exprs, id: ExprId, own: (Scalar, Shape), other: ExprId, beside: (Scalar, Shape)) -> (Scalar, Shape) {
    let takes = match own.0.is_float() {
        true => beside.0.is_float(),
        false => beside.0 != Scalar::Bool,
    };
    let adapts = takes && untyped::is_untyped(ex, id) && !untyped::is_untyped(ex, other);
    if adapts { (beside.0, own.1) } else { own }
}

/// The functions of HLSL that take floats alone: integers among their arguments become `float`.
const FLOAT_FUNCTIONS: &[&str] = &[
    "acos",
    "asin",
    "atan",
    "atan2",
    "ceil",
    "cos",
    "cosh",
    "cross",
    "degrees",
    "distance",
    "exp",
    "exp2",
    "floor",
    "fmod",
    "frac",
    "length",
    "lerp",
    "log",
    "log10",
    "log2",
    "normalize",
    "pow",
    "radians",
    "rcp",
    "reflect",
    "round",
    "rsqrt",
    "saturate",
    "sin",
    "sinh",
    "smoothstep",
    "sqrt",
    "step",
    "tan",
    "tanh",
    "trunc",
];

/// Whether a builtin converts an argument by itself as the tree does, if that is given as `inner`.
fn is_given_plainly(ex: &Exprs, callee: &Function, args: &[ExprId], (arg, inner): (ExprId, ExprId)) -> bool {
    let is_enum = matches!(ex.ty(inner), Type::Enum(_));
    let of = |id: ExprId| numeric(ex.cx, ex.type_id(id)).filter(|_| !is_enum);
    let (Some(from), Some(to)) = (of(inner), of(arg)) else { return false };
    let is_scalar = from.1 == (0, 0);
    if !(from.1 == to.1 || is_scalar) || !joins_plainly(from.0, to.0) || !has_plain_spelling(callee) {
        return false;
    }
    // A subscript makes no vector of a number.
    if from.1 != to.1 && is_subscript(callee) {
        return false;
    }
    if callee.owner.is_some() && takes_one_type(ex, args, arg) {
        return true;
    }
    let (is_integer, is_untyped) = (matches!(from.0, Scalar::I32 | Scalar::U32), untyped::is_untyped(ex, inner));
    if is_integer && !is_untyped && to == (Scalar::F32, from.1) && FLOAT_FUNCTIONS.contains(&callee.name.as_str()) {
        return true;
    }
    // What is written by an atomic operation has its type in any case.
    let reads = callee.params.iter().all(|param| param.mode == ParamMode::In);
    reads && !is_untyped && is_fixed(ex, args, arg) && join(from, to) == Some(to)
}

/// Whether another argument of the wanted type makes a builtin widen one, as it makes an operator.
fn is_fixed(ex: &Exprs, args: &[ExprId], arg: ExprId) -> bool {
    args.iter().any(|other| {
        *other != arg
            && ex.type_id(*other) == ex.type_id(arg)
            && !matches!(ex.kind(*other), ExprKind::Convert(_, false) | ExprKind::Literal(..))
    })
}

/// Whether the spelling of a builtin is a call or an operator that says nothing of the types of arguments.
fn has_plain_spelling(callee: &Function) -> bool {
    let is_plain = |piece: &TemplatePiece| {
        matches!(
            piece,
            TemplatePiece::Text(_) | TemplatePiece::Arg(_) | TemplatePiece::Rest(_) | TemplatePiece::Address(_)
        )
    };
    match &callee.body {
        FunctionBody::Intrinsic(template) => template.pieces.iter().all(is_plain),
        FunctionBody::None | FunctionBody::Block | FunctionBody::Switch(_) => false,
    }
}

/// Whether a builtin is spelled as a subscript.
fn is_subscript(callee: &Function) -> bool {
    let opens = |piece: &TemplatePiece| matches!(piece, TemplatePiece::Text(text) if text.contains('['));
    matches!(&callee.body, FunctionBody::Intrinsic(template) if template.pieces.iter().any(opens))
}

/// Numbers of 32 bits and `bool`: whatever a program is compiled with, DXC joins and converts them in one way.
fn joins_plainly(from: Scalar, to: Scalar) -> bool {
    const PLAIN: &[Scalar] = &[Scalar::Bool, Scalar::I32, Scalar::U32, Scalar::F32];
    PLAIN.contains(&from) && PLAIN.contains(&to)
}

/// Whether a method of a resource takes an argument as one type, whatever it is given: the places in textures and buffers. What is written to
/// a buffer chooses what is done.
fn takes_one_type(ex: &Exprs, args: &[ExprId], arg: ExprId) -> bool {
    let Some((object, rest)) = args.split_first() else { return false };
    match ex.ty(*object) {
        Type::Texture(_) => rest.contains(&arg),
        Type::Buffer(..) => rest.first() == Some(&arg),
        _ => false,
    }
}

/// What is under the conversions of a subscript.
fn subscript(ex: &Exprs, index: ExprId) -> Option<ExprId> {
    let inner = Some(natural(ex, index)).filter(|inner| *inner != index)?;
    let shape = |id: ExprId| numeric(ex.cx, ex.type_id(id)).map(|(_, shape)| shape);
    let converts = ex.dialect.converts(ex.cx, ex.type_id(inner), ex.type_id(index));
    // It makes no vector of a number.
    (converts && shape(inner) == shape(index)).then_some(inner)
}

/// The values that `?:` chooses from, without the conversions that it makes by itself, as an operator does.
fn choices(ex: &Exprs, id: ExprId, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
    let of = |id: ExprId| numeric(ex.cx, ex.type_id(id));
    match of(id) {
        Some((scalar, (0, 0)))
            if [a, b].iter().all(|v| of(natural(ex, *v)).is_some_and(|n| joins_plainly(n.0, scalar))) =>
        {
            ex.dialect.operands(ex, BinaryOp::Add, a, b)
        }
        _ => (a, b),
    }
}

/// What is under the implicit conversions around an expression.
fn natural(ex: &Exprs, mut id: ExprId) -> ExprId {
    while let ExprKind::Convert(inner, false) = *ex.kind(id) {
        id = inner;
    }
    id
}

impl Dialect for Hlsl {
    fn static_word(&self) -> &'static str {
        "static "
    }

    fn literals(&self) -> &'static Literals {
        &LITERALS
    }

    fn choosing_literal(&self, scalar: Scalar) -> (&'static str, &'static str) {
        match scalar {
            Scalar::F32 => ("", "f"),
            Scalar::I32 => ("int(", ")"),
            Scalar::MinF16 => ("min16float(", ")"),
            Scalar::MinF10 => ("min10float(", ")"),
            // Where DXC is not told that it has 16 bits, its literals are of another type.
            Scalar::F16 => ("half(", ")"),
            _ => ("", ""),
        }
    }

    fn is_untyped(&self, ex: &Exprs, id: ExprId) -> bool {
        untyped::is_untyped(ex, id)
    }

    fn may_widen(&self, ex: &Exprs, id: ExprId) -> bool {
        untyped::may_widen(ex, id)
    }

    fn wants_typed_left(&self, ex: &Exprs, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
        untyped::wants_type(ex, op, a, b)
    }

    /// The value of a step that is a statement is not used, so both of its forms are the same.
    fn statement(&self, ex: &Exprs, id: ExprId) -> String {
        let mut out = String::new();
        if let ExprKind::Step(up, false, target) = ex.kind(id)
            && step(ex, *up, true, *target, &mut out) == Some(Prec::Assign)
        {
            return out;
        }
        let text = ex.text(id);
        if begins_with_type(ex, id, &text) { format!("({text})") } else { text }
    }

    fn keeps_parentheses(&self) -> bool {
        true
    }

    fn expr(&self, ex: &Exprs, id: ExprId, out: &mut String) -> Option<Prec> {
        match ex.kind(id) {
            ExprKind::Construct(parts) => Some(construct(ex, id, parts, out)),
            ExprKind::Convert(inner, is_said) => Some(convert(ex, id, (*inner, *is_said), out)),
            ExprKind::Zero => Some(zero(ex, id, out)),
            ExprKind::Swizzle(base, swizzle) if is_scalar(ex, *base) => Some(splat(ex, id, *base, swizzle, out)),
            ExprKind::MatrixSwizzle(base, elements) => {
                let written = |(row, column): &(u8, u8)| match elements.from_one {
                    true => format!("_{}{}", row + 1, column + 1),
                    false => format!("_m{row}{column}"),
                };
                let part: String = elements.iter().map(written).collect();
                Some(ex.selected(*base, &format!(".{part}"), out))
            }
            ExprKind::Step(up, prefix, target) => step(ex, *up, *prefix, *target, out),
            // `v.x` is a number, which has no subscript, as a vector of one component has.
            ExprKind::Index(base, index)
                if matches!((ex.ty(*base), ex.kind(*base)), (Type::Vector(_, 1), ExprKind::Swizzle(..))) =>
            {
                out.push('(');
                cast(ex, *base, *base, out);
                out.push_str(&format!(")[{}]", ex.text(*index)));
                Some(Prec::Postfix)
            }
            // What is no `enum class` is an index as it is.
            ExprKind::Index(base, index) if matches!(ex.ty(natural(ex, *index)), Type::Enum(_)) => {
                Some(ex.selected(*base, &format!("[{}]", ex.text(natural(ex, *index))), out))
            }
            // A vector of one component is no condition.
            ExprKind::Select(c, a, b) if matches!(ex.ty(ex.condition_of(*c)), Type::Vector(_, 1)) => {
                ex.selected(ex.condition_of(*c), ".x", out);
                out.push_str(" ? ");
                ex.operand(*a, Prec::Ternary, out);
                out.push_str(" : ");
                ex.operand(*b, Prec::Ternary, out);
                Some(Prec::Ternary)
            }
            // The source calls the function, of which both values are made.
            ExprKind::Select(c, a, b) if self.has_select && ex.cx.trivia.is_call_of("select", ex.span(id)) => {
                let condition = ex.condition_of(*c);
                function_of(Language::Hlsl, Operator::Select)
                    .map(|select| ex.call_of(select, &[condition, *a, *b], out))
            }
            // DXC fails on matrices in a `?:` with short circuit. What has effects is no operand any more.
            ExprKind::Select(c, a, b)
                if self.has_select && (!is_scalar(ex, *c) || matches!(ex.ty(id), Type::Matrix(..))) =>
            {
                function_of(Language::Hlsl, Operator::Select).map(|select| ex.call_of(select, &[*c, *a, *b], out))
            }
            ExprKind::Select(c, a, b) => {
                let (a, b) = choices(ex, id, *a, *b);
                Some(ex.ternary(*c, a, b, out))
            }
            // A subscript converts its numbers.
            ExprKind::Index(base, index) if let Some(inner) = subscript(ex, *index) => {
                Some(ex.selected(*base, &format!("[{}]", ex.text(inner)), out))
            }
            ExprKind::Unary(UnaryOp::Not, operand) if let Some(inner) = ex.unconverted(*operand) => {
                Some(ex.unary(UnaryOp::Not, inner, out))
            }
            // What was one assignment in the source, which computes in another type than that of its target.
            ExprKind::Assign(None, target, value) if let Some((op, other)) = compound(ex, *target, *value) => {
                Some(ex.assign(Some(op), *target, other, out))
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if self.has_select && !is_scalar(ex, id) => {
                function_of(Language::Hlsl, Operator::Binary(*op)).map(|logic| ex.call_of(logic, &[*a, *b], out))
            }
            _ => None,
        }
    }

    fn converts(&self, cx: &Context, from: TypeId, to: TypeId) -> bool {
        // The condition of `?:` must be a scalar: `bool1` is none to it.
        if matches!(cx.program.types.get(from), Type::Vector(Scalar::Bool, 1)) {
            return false;
        }
        if matches!(cx.program.types.get(to), Type::Enum(_)) {
            return false;
        }
        let (Some((_, from)), Some((_, to))) = (numeric(cx, from), numeric(cx, to)) else { return false };
        match (from, to) {
            (f, t) if f == t => true,
            ((0, 0), _) => true,
            ((0, m), (0, n)) => m >= n,
            ((r, c), (r2, c2)) if r > 0 => r2 > 0 && r >= r2 && c >= c2,
            _ => false,
        }
    }

    fn operands(&self, ex: &Exprs, op: BinaryOp, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let (plain_a, plain_b) = (natural(ex, a), natural(ex, b));
        // A distance is an integer: a literal of another type keeps its conversion.
        let literal = |id: ExprId| {
            matches!(ex.kind(id), ExprKind::Literal(..)) && matches!(ex.ty(id), Type::Scalar(s) if s.is_integer())
        };
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return (a, if literal(plain_b) { plain_b } else { b });
        }
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let scalars = is_scalar(ex, plain_a) && is_scalar(ex, plain_b);
            return if scalars { (plain_a, plain_b) } else { (a, b) };
        }
        let of = |id: ExprId| numeric(ex.cx, ex.type_id(id));
        // Values of two enums are no operands of one operator.
        let is_enum = |id: ExprId| matches!(ex.ty(id), Type::Enum(_));
        let of_two = |x: ExprId, y: ExprId| is_enum(x) && is_enum(y) && ex.type_id(x) != ex.type_id(y);
        let fits = |x: ExprId, y: ExprId, want: ExprId| match (of(x), of(y)) {
            _ if of_two(x, y) => false,
            (Some(p), Some(q)) => join(beside(ex, x, p, y, q), beside(ex, y, q, x, p)) == of(want),
            _ => false,
        };
        // Both operands had one type; leave out what HLSL's own rule restores.
        if fits(plain_a, plain_b, a) {
            (plain_a, plain_b)
        } else if fits(plain_a, b, a) {
            (plain_a, b)
        } else if fits(a, plain_b, a) {
            (a, plain_b)
        } else {
            (a, b)
        }
    }

    fn template_argument(&self, ex: &Exprs, args: &[ExprId], arg: ExprId) -> ExprId {
        let ExprKind::Convert(inner, false) = *ex.kind(arg) else { return arg };
        let literal = matches!(ex.kind(inner), ExprKind::Literal(..));
        let (Some((from, (0, 0))), Some((to, _))) =
            (numeric(ex.cx, ex.type_id(inner)), numeric(ex.cx, ex.type_id(arg)))
        else {
            return arg;
        };
        // Another argument of the wanted type makes the builtin widen this one.
        if is_fixed(ex, args, arg) && (literal || from == to) { inner } else { arg }
    }

    fn plain_arguments<'e>(&self, ex: &Exprs, callee: &Function, args: &'e [ExprId]) -> Cow<'e, [ExprId]> {
        let plain = |arg: &ExprId| match *ex.kind(*arg) {
            ExprKind::Convert(inner, false) if is_given_plainly(ex, callee, args, (*arg, inner)) => inner,
            _ => *arg,
        };
        Cow::Owned(args.iter().map(plain).collect())
    }

    fn members_are_global(&self, global: &Global) -> bool {
        global.transparent
    }

    fn hints(&self, cx: &Context, hints: &Hints) -> Vec<String> {
        hints::hlsl(cx, self, hints)
    }
}

/// Steps that DXC's SPIR-V does not have: one of an element `m._m01` is not stored, so the element is named by its indices, and
/// one of several components ends in an error, so it is `v.xy += 1` where its old value is not asked for.
fn step(ex: &Exprs, up: bool, prefix: bool, target: ExprId, out: &mut String) -> Option<Prec> {
    match ex.kind(target) {
        ExprKind::MatrixSwizzle(base, elements) if elements.len() == 1 => {
            let (row, column) = elements.first()?;
            let sign = if up { "++" } else { "--" };
            out.push_str(if prefix { sign } else { "" });
            ex.selected(*base, &format!("[{row}][{column}]"), out);
            out.push_str(if prefix { "" } else { sign });
            Some(if prefix { Prec::Unary } else { Prec::Postfix })
        }
        ExprKind::MatrixSwizzle(..) | ExprKind::Swizzle(..) if prefix && matches!(ex.ty(target), Type::Vector(..)) => {
            ex.operand(target, Prec::Unary, out);
            out.push_str(if up { " += 1" } else { " -= 1" });
            Some(Prec::Assign)
        }
        _ => None,
    }
}

/// The value of an enum that becomes a number here without a cast.
fn open_enum(ex: &Exprs, id: ExprId) -> Option<ExprId> {
    match *ex.kind(id) {
        ExprKind::Convert(inner, false) => match (ex.ty(inner), ex.ty(id)) {
            (Type::Enum(e), Type::Scalar(to)) => {
                let of = &ex.cx.program.enums[e];
                (!of.strict && of.tag == to).then_some(inner)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The operator and the operand of an assignment that the source writes with an operator: what is assigned has its target from
/// the same place.
fn compound(ex: &Exprs, target: ExprId, value: ExprId) -> Option<(BinaryOp, ExprId)> {
    let ExprKind::Binary(op, a, b) = *ex.kind(natural(ex, value)) else { return None };
    let is_target = ex.span(natural(ex, a)) == ex.span(target) && is_same_place(ex, natural(ex, a), target);
    let of = |id: ExprId| numeric(ex.cx, ex.type_id(id));
    let (left, right) = ex.dialect.operands(ex, op, a, b);
    let is_plain = is_target && left == natural(ex, a) && ex.type_id(left) == ex.type_id(target);
    let converts = of(value)?.1 == of(target)?.1 && joins_plainly(of(a)?.0, of(target)?.0);
    (is_plain && converts && !op.is_comparison()).then_some((op, right))
}

/// Whether two expressions are one variable, or one part of it that is named.
fn is_same_place(ex: &Exprs, mut a: ExprId, mut b: ExprId) -> bool {
    loop {
        (a, b) = match (ex.kind(a), ex.kind(b)) {
            (ExprKind::Local(x), ExprKind::Local(y)) => return x == y,
            (ExprKind::Global(x), ExprKind::Global(y)) => return x == y,
            (ExprKind::Field(x, m), ExprKind::Field(y, n)) if m == n => (*x, *y),
            (ExprKind::Swizzle(x, m), ExprKind::Swizzle(y, n)) if m.text() == n.text() => (*x, *y),
            (ExprKind::Contents(x), ExprKind::Contents(y)) => (*x, *y),
            _ => return false,
        }
    }
}

fn is_scalar(ex: &Exprs, id: ExprId) -> bool {
    !matches!(ex.ty(id), Type::Vector(..) | Type::Matrix(..))
}

/// Vectors and matrices by constructor, whose parts convert by themselves; arrays and structs by initializer list.
fn construct(ex: &Exprs, id: ExprId, parts: &[ExprId], out: &mut String) -> Prec {
    let numeric_type = matches!(ex.ty(id), Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..));
    let (open, close) = if numeric_type { ("(", ")") } else { ("{ ", " }") };
    if is_empty(ex.cx, ex.type_id(id), 0) {
        out.push_str(&format!("({})0", ex.dialect.type_name(ex.cx, ex.type_id(id))));
        return Prec::Unary;
    }
    if numeric_type {
        out.push_str(&ex.leading_type(id));
    }
    out.push_str(if parts.is_empty() { open.trim_end() } else { open });
    // Lists are flattened: a struct without fields takes no part of them, except at the end, where DXC misses it.
    let empty = |id: &ExprId| !numeric_type && is_empty(ex.cx, ex.type_id(*id), 0);
    let end = parts.iter().rposition(|p| !empty(p)).map_or(0, |last| last + 1);
    let counts = |(index, id): &(usize, &ExprId)| *index >= end || !empty(id);
    let parts: Vec<ExprId> = parts.iter().enumerate().filter(counts).map(|(_, id)| *id).collect();
    ex.list(&parts, out, &mut |_, part, out| {
        let count = |id: ExprId| numeric(ex.cx, ex.type_id(id)).map(|n| components(n.1));
        match *ex.kind(part) {
            // A part counts by its own components, so that only a conversion between kinds of numbers may be left out.
            ExprKind::Convert(inner, _) if count(inner) != count(part) => {
                ex.operand(part, Prec::Assign, out);
            }
            ExprKind::Convert(inner, false) if numeric_type => {
                ex.operand(inner, Prec::Assign, out);
            }
            // DXC takes a constant buffer for one part of the list.
            ExprKind::Contents(_) if !numeric_type && matches!(ex.ty(part), Type::Struct(_)) => {
                cast(ex, part, part, out);
            }
            _ => ex.value(part, out),
        }
    });
    out.push_str(close);
    Prec::Postfix
}

/// A struct without data.
fn is_empty(cx: &Context, ty: TypeId, depth: u32) -> bool {
    match cx.program.types.get(ty) {
        Type::Struct(s) => depth < 64 && cx.program.structs[s].fields.iter().all(|f| is_empty(cx, f.ty, depth + 1)),
        _ => false,
    }
}

/// A literal in its new type, a constructor where the shapes agree, a swizzle that truncates, else a cast.
fn convert(ex: &Exprs, id: ExprId, (inner, is_said): (ExprId, bool), out: &mut String) -> Prec {
    if let Some(same) = ex.there_and_back(id, inner) {
        return ex.print(same, out);
    }
    let (to, from) = (numeric(ex.cx, ex.type_id(id)), numeric(ex.cx, ex.type_id(inner)));
    if let (Some((scalar, (0, 0))), ExprKind::Literal(literal, spelling), Type::Scalar(_)) =
        (to, ex.kind(inner), ex.ty(id))
    {
        let literal = ex.as_typed(inner, *literal, scalar);
        return ex.push_literal(scalar, literal, spelling.map(|s| s.as_str()), out);
    }
    let is_strict = matches!(ex.ty(inner), Type::Enum(e) if ex.cx.program.enums[e].strict);
    if is_strict || matches!(ex.ty(id), Type::Enum(_)) {
        // Cases in a choice are numbers by themselves.
        if let ExprKind::Select(c, a, b) = *ex.kind(inner)
            && let (Some(a), Some(b)) = (open_enum(ex, a), open_enum(ex, b))
            && ex.type_id(a) == ex.type_id(b)
        {
            out.push_str(&format!("({})(", ex.dialect.type_name(ex.cx, ex.type_id(id))));
            ex.ternary(c, a, b, out);
            out.push(')');
            return Prec::Unary;
        }
        return cast(ex, id, inner, out);
    }
    if is_said && ex.cx.trivia.is_cast(ex.span(id), ex.span(inner)) {
        return cast(ex, id, widened_number(ex, inner), out);
    }
    match (from, to) {
        // DXC leaves the bool out of `int2(bool2(v))` in SPIR-V.
        (Some((Scalar::Bool, a @ (0, 2..))), Some((_, b)))
            if a == b && matches!(ex.kind(inner), ExprKind::Convert(..)) =>
        {
            cast(ex, id, inner, out)
        }
        (Some((_, a)), Some((_, b))) if a == b => ex.converted(id, inner, out),
        // `.x` is a number, which has no subscript, as a vector of one component has.
        (Some((f, (0, m))), Some((t, (0, n)))) if f == t && m > n && n > 1 => {
            ex.selected(inner, &format!(".{}", "xyzw".get(..n as usize).unwrap_or("")), out)
        }
        _ => cast(ex, id, inner, out),
    }
}

/// Whether a statement reads as the declaration `int(n);` to DXC: it begins with a type in front of a parenthesis.
fn begins_with_type(ex: &Exprs, id: ExprId, text: &str) -> bool {
    match ex.kind(id) {
        ExprKind::Convert(inner, _) => is_called(ex, id, text) || begins_with_type(ex, *inner, text),
        ExprKind::Construct(_) => is_called(ex, id, text),
        ExprKind::Binary(_, first, _)
        | ExprKind::Assign(_, first, _)
        | ExprKind::Comma(first, _)
        | ExprKind::Select(first, ..)
        | ExprKind::Step(_, false, first)
        | ExprKind::Index(first, _)
        | ExprKind::Field(first, _)
        | ExprKind::Swizzle(first, _)
        | ExprKind::MatrixSwizzle(first, _) => begins_with_type(ex, *first, text),
        _ => false,
    }
}

/// Whether a text begins with the type of a value as a function.
fn is_called(ex: &Exprs, id: ExprId, text: &str) -> bool {
    let name = ex.leading_type(id);
    text.trim_start_matches(is_mark).strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('('))
}

/// A number of another kind that a cast makes a vector or matrix of: the cast converts it, too.
fn widened_number(ex: &Exprs, id: ExprId) -> ExprId {
    match (ex.kind(id), ex.ty(id)) {
        (ExprKind::Convert(inner, false), Type::Scalar(to)) => match ex.ty(*inner) {
            Type::Scalar(from) if joins_plainly(from, to) && to != Scalar::Bool => *inner,
            _ => id,
        },
        _ => id,
    }
}

/// `(T)x`, with the type of `id`.
fn cast(ex: &Exprs, id: ExprId, value: ExprId, out: &mut String) -> Prec {
    out.push_str(&format!("({})", ex.leading_type(id)));
    ex.operand(value, Prec::Unary, out);
    Prec::Unary
}

fn zero(ex: &Exprs, id: ExprId, out: &mut String) -> Prec {
    match ex.ty(id) {
        Type::Scalar(scalar) => ex.push_literal(scalar, Literal::Int(0), None, out),
        // What holds enums is no `(S)0`.
        Type::Struct(_) | Type::Array(..)
            if ex.cx.program.any_leaf(ex.type_id(id), &mut |leaf| matches!(leaf, Type::Enum(_))) =>
        {
            zero_list(ex, ex.type_id(id), 0, out);
            Prec::Postfix
        }
        _ => {
            out.push_str(&format!("({})0", ex.dialect.type_name(ex.cx, ex.type_id(id))));
            Prec::Unary
        }
    }
}

/// `{ (Mode)0, 0 }`.
fn zero_list(ex: &Exprs, ty: TypeId, depth: u32, out: &mut String) {
    let program = ex.cx.program;
    let parts: Vec<TypeId> = match program.types.get(ty) {
        Type::Struct(id) if depth < 64 => program.structs[id].fields.iter().map(|f| f.ty).collect(),
        Type::Array(element, Length::Fixed(n)) if depth < 64 => vec![element; n as usize],
        _ => {
            let name = ex.dialect.type_name(ex.cx, ty);
            return out.push_str(&format!("({name})0"));
        }
    };
    out.push_str("{ ");
    for (at, part) in parts.into_iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        match program.types.get(part) {
            Type::Scalar(scalar) => {
                ex.push_literal(scalar, Literal::Int(0), None, out);
            }
            _ => zero_list(ex, part, depth + 1, out),
        }
    }
    out.push_str(" }");
}

/// Components of a scalar: `x.xxx`; a literal needs parentheses.
fn splat(ex: &Exprs, id: ExprId, base: ExprId, swizzle: &Swizzle, out: &mut String) -> Prec {
    // A point behind digits belongs to the number.
    let has_point = |text: String| text.split_once('.').is_some_and(|(_, behind)| !behind.is_empty());
    if matches!(ex.kind(base), ExprKind::Literal(..)) && !has_point(ex.text(base)) {
        return cast(ex, id, base, out);
    }
    ex.selected(base, &format!(".{}", swizzle.text()), out)
}
