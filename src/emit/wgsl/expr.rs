//! WGSL's own ways with expressions.

use super::{BUFFER_MEMBER, Wgsl, types};
use crate::check::constant::{Value, eval};
use crate::emit::context::Context;
use crate::emit::dialect::{Dialect, Spelling, Style};
use crate::emit::expr::{Exprs, Prec};
use crate::emit::hints;
use crate::emit::literal::Literals;
use crate::source::Span;
use crate::tree::*;

const LITERALS: Literals = Literals {
    forms: &[
        (Scalar::U32, "", "u"),
        (Scalar::U16, "", "u"),
        (Scalar::U8, "", "u"),
        (Scalar::MinU16, "", "u"),
        (Scalar::F16, "", "h"),
        (Scalar::I64, "", "li"),
        (Scalar::U64, "", "lu"),
        (Scalar::F64, "", "lf"),
    ],
    minimum: &[(Scalar::I32, "i32(-2147483648)"), (Scalar::I64, "i64(0x8000000000000000lu)")],
    bits: ("bitcast<f32>(", "u)"),
    suffixes: &[],
    adapts: false,
};

impl Dialect for Wgsl {
    fn array_type(&self, cx: &Context, ty: TypeId, name: Span) -> Option<String> {
        Some(types::declared(cx, ty, name))
    }

    fn hints(&self, cx: &Context, hints: &Hints) -> Vec<String> {
        hints::comments(cx, hints)
    }

    fn literals(&self) -> &'static Literals {
        &LITERALS
    }

    fn expr(&self, ex: &Exprs, id: ExprId, out: &mut String) -> Option<Prec> {
        match ex.kind(id) {
            ExprKind::Convert(inner, _) => Some(convert(ex, id, *inner, out)),
            ExprKind::Index(base, index) if ex.is_element_buffer(*base) => {
                Some(ex.selected(*base, &format!(".{BUFFER_MEMBER}[{}]", ex.text(*index)), out))
            }
            ExprKind::Zero => match ex.ty(id) {
                Type::Scalar(scalar) => Some(ex.push_literal(scalar, Literal::Int(0), None, out)),
                _ => None,
            },
            ExprKind::Swizzle(base, _) if is_scalar(ex, *base) && !is_scalar(ex, id) => {
                Some(ex.constructor(id, &[*base], out))
            }
            ExprKind::Swizzle(base, _) if is_scalar(ex, *base) => Some(ex.print(*base, out)),
            // Only signed integers have a sign to turn.
            ExprKind::Unary(UnaryOp::Negate, a) => match ex.ty(id) {
                Type::Scalar(Scalar::U32 | Scalar::MinU16) => Some(negated(ex, *a, "u32", "i32", out)),
                Type::Vector(Scalar::U32 | Scalar::MinU16, n) => {
                    Some(negated(ex, *a, &format!("vec{n}u"), &format!("vec{n}i"), out))
                }
                Type::Scalar(Scalar::U64) => Some(negated(ex, *a, "u64", "i64", out)),
                Type::Vector(Scalar::U64, n) => {
                    Some(negated(ex, *a, &format!("vec{n}<u64>"), &format!("vec{n}<i64>"), out))
                }
                _ => None,
            },
            ExprKind::Binary(BinaryOp::BitXor, a, b)
                if ex.cx.program.types.component(ex.type_id(id)) == Some(Scalar::Bool) =>
            {
                Some(ex.binary(BinaryOp::NotEqual, *a, *b, out))
            }
            ExprKind::Select(c, a, b) => Some(ex.call_of_reordered("select", &[*b, *a, *c], out)),
            // Componentwise logic is a bit operation here.
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if !is_scalar(ex, id) => {
                let bits = if *op == BinaryOp::And { BinaryOp::BitAnd } else { BinaryOp::BitOr };
                Some(ex.binary(bits, *a, *b, out))
            }
            // `a < b >> c` would begin with a list of templates.
            ExprKind::Binary(op @ BinaryOp::Less, a, b)
                if matches!(ex.kind(*b), ExprKind::Binary(BinaryOp::Shr, ..)) =>
            {
                ex.operand(*a, Prec::Shift, out);
                ex.operator(*a, op.spelling(), *b, out);
                out.push('(');
                ex.operand(*b, Prec::Assign, out);
                out.push(')');
                Some(Prec::Relational)
            }
            ExprKind::Binary(op @ (BinaryOp::Shl | BinaryOp::Shr), a, b) => {
                ex.operand(*a, Prec::Unary, out);
                ex.operator(*a, op.spelling(), *b, out);
                shift_amount(ex, *b, ex.ty(*a), out);
                Some(Prec::Shift)
            }
            ExprKind::Assign(Some(op @ (BinaryOp::Shl | BinaryOp::Shr)), a, b) => {
                ex.operand(*a, Prec::Unary, out);
                out.push_str(&format!(" {}= ", op.spelling()));
                shift_amount(ex, *b, ex.ty(*a), out);
                Some(Prec::Assign)
            }
            _ => None,
        }
    }

    fn splats(&self, ex: &Exprs, op: BinaryOp, id: ExprId, other: ExprId) -> bool {
        use BinaryOp::*;
        let scalar = ex.splat_source(id).is_some() && ex.splat_source(other).is_none();
        match ex.ty(id) {
            Type::Vector(Scalar::Bool, _) => false,
            Type::Vector(..) => scalar && matches!(op, Add | Sub | Mul | Div | Rem),
            Type::Matrix(..) => scalar && op == Mul,
            _ => false,
        }
    }

    /// naga refuses some calls of builtins whose arguments are all of the abstract type of literals.
    fn around_argument(&self, ex: &Exprs, args: &[ExprId], arg: ExprId) -> (&'static str, &'static str) {
        if !are_typed(ex, args, ABSTRACT_DEPTH) {
            return ("", "");
        }
        let (name, suffix) = if ex.ty(arg) == Type::Scalar(Scalar::I32) { ("i32(", "i") } else { ("f32(", "f") };
        match args.iter().find(|id| takes_suffix(ex, **id)) {
            Some(literal) if *literal == arg => ("", suffix),
            None if args.first() == Some(&arg) => (name, ")"),
            _ => ("", ""),
        }
    }

    fn members_are_global(&self, _: &Global) -> bool {
        false
    }

    fn address(&self, ex: &Exprs, arg: ExprId, out: &mut String) {
        match (ex.kind(arg), ex.ty(arg)) {
            (ExprKind::AddressOf(_), _) | (_, Type::Pointer(..)) => {
                ex.operand(arg, Prec::Assign, out);
            }
            (ExprKind::Deref(pointer), _) => ex.operand(*pointer, Prec::Assign, out),
            _ => {
                out.push('&');
                ex.operand(arg, Prec::Unary, out);
                if ex.is_element_buffer(arg) {
                    out.push_str(&format!(".{BUFFER_MEMBER}"));
                }
            }
        }
    }

    fn has_template_lists(&self) -> bool {
        true
    }

    fn depth_reads_are_scalar(&self) -> bool {
        true
    }

    fn style(&self) -> Style {
        Style::Rust
    }

    fn local(&self, ex: &Exprs, local: LocalId, init: Option<ExprId>) -> String {
        let Some(variable) = ex.locals.map(|l| &l[local]) else { return String::new() };
        let name = variable.name;
        let Some(init) = init else {
            return format!("var {}", self.variable(ex.cx, variable.ty, (name.as_str(), variable.span)));
        };
        // With its type: else a number would be one without bounds.
        if variable.modifiers.has(Modifiers::STATIC) {
            let mut text = format!("const {} = ", self.variable(ex.cx, variable.ty, (name.as_str(), variable.span)));
            ex.declared_value(init, variable.span, &mut text);
            return text;
        }
        let word = match local {
            _ if ex.assigned.contains(&local) => "var",
            _ if ex.labels.contains(&local) => "const",
            _ => "let",
        };
        // As above.
        let is_open = word == "const" && variable.ty == TypeId::INT;
        let mut text = match is_open || names_structure(ex, local, init) {
            true => format!("{word} {} = ", self.variable(ex.cx, variable.ty, (name.as_str(), variable.span))),
            false => format!("{word} {name} = "),
        };
        ex.declared_value(init, variable.span, &mut text);
        text
    }

    /// `++` is a statement on integers; a value that is not used is assigned to `_`.
    fn statement(&self, ex: &Exprs, id: ExprId) -> String {
        match ex.kind(id) {
            ExprKind::Step(increment, _, target) => {
                let place = ex.operand_text(*target, Prec::Unary);
                match (ex.ty(*target), increment) {
                    (Type::Scalar(s), true) if s.is_integer() => format!("{place}++"),
                    (Type::Scalar(s), false) if s.is_integer() => format!("{place}--"),
                    _ => {
                        let scalar = ex.cx.program.types.component(ex.type_id(*target)).unwrap_or(Scalar::F32);
                        let mut one = String::new();
                        ex.push_literal(scalar, Literal::Int(1), None, &mut one);
                        format!("{place} {}= {one}", if *increment { '+' } else { '-' })
                    }
                }
            }
            ExprKind::Assign(..) => ex.text(id),
            ExprKind::Call(function, _) => {
                let function = &ex.cx.program.functions[*function];
                // The results of subgroup operations must be used.
                let effects = function.is_marked("__effects") && !function.is_marked("__non_uniform")
                    || function.params.iter().any(|p| p.mode != ParamMode::In);
                let builtin = matches!(function.body, FunctionBody::Intrinsic(_));
                let plain = !builtin || effects || ex.type_id(id) == TypeId::VOID;
                if plain { ex.text(id) } else { format!("_ = {}", ex.text(id)) }
            }
            ExprKind::Native(..) if ex.type_id(id) == TypeId::VOID => ex.text(id),
            _ => format!("_ = {}", ex.text(id)),
        }
    }
}

fn is_scalar(ex: &Exprs, id: ExprId) -> bool {
    matches!(ex.ty(id), Type::Scalar(_) | Type::Vector(_, 1))
}

/// `-x` of unsigned integers, by way of signed ones.
fn negated(ex: &Exprs, id: ExprId, unsigned: &str, signed: &str, out: &mut String) -> Prec {
    let value = ex.operand_text(id, Prec::Assign);
    out.push_str(&format!("{unsigned}(-{signed}({value}))"));
    Prec::Postfix
}

/// The right side of a shift: unsigned, and as wide as the left.
fn shift_amount(ex: &Exprs, id: ExprId, left: Type, out: &mut String) {
    let width = if let Type::Vector(_, n) = left { n } else { 1 };
    let component = ex.cx.program.types.component(ex.type_id(id));
    let scalar = is_scalar(ex, id);
    let fits = component == Some(Scalar::U32) && (scalar == (width == 1));
    if fits {
        ex.operand(id, Prec::Unary, out);
        return;
    }
    let source = ex.splat_source(id).unwrap_or(id);
    let mut amount = String::new();
    if ex.converted_literal(source, Scalar::U32, &mut amount).is_some() {
        if width > 1 {
            amount = format!("{}({amount})", Wgsl.vector_name(Scalar::U32, width));
        }
        out.push_str(&amount);
        return;
    }
    amount = ex.operand_text(id, Prec::Assign);
    if scalar && width > 1 && component != Some(Scalar::U32) {
        amount = format!("u32({amount})");
    }
    out.push_str(&format!("{}({amount})", Wgsl.vector_name(Scalar::U32, width)));
}

/// A literal in its new type, a swizzle that truncates, else a constructor.
fn convert(ex: &Exprs, id: ExprId, inner: ExprId, out: &mut String) -> Prec {
    if let Some(same) = ex.there_and_back(id, inner) {
        return ex.print(same, out);
    }
    let (from, to) = (ex.ty(inner), ex.ty(id));
    let name = ex.leading_type(id);
    let same = |f: Scalar, t: Scalar| Wgsl.scalar_name(f) == Wgsl.scalar_name(t);
    match (from, to) {
        (Type::Scalar(f), Type::Vector(t, 1) | Type::Scalar(t)) | (Type::Vector(f, 1), Type::Scalar(t))
            if same(f, t) && !matches!(ex.kind(inner), ExprKind::Literal(..)) =>
        {
            return ex.print(inner, out);
        }
        (_, Type::Scalar(scalar)) => {
            if let Some(prec) = ex.converted_literal(inner, scalar, out) {
                return prec;
            }
            let first = if matches!(from, Type::Vector(..)) { ".x" } else { "" };
            let least = if first.is_empty() { Prec::Assign } else { Prec::Postfix };
            let value = match from {
                Type::Scalar(_) => converted_text(ex, inner, scalar),
                _ => ex.operand_text(inner, least) + first,
            };
            match from {
                Type::Vector(f, _) if same(f, scalar) => out.push_str(&value),
                _ => out.push_str(&format!("{name}({value})")),
            }
        }
        (Type::Vector(f, m), Type::Vector(t, n)) => {
            let cut = if m > n { format!(".{}", "xyzw".get(..n as usize).unwrap_or("")) } else { String::new() };
            let least = if cut.is_empty() { Prec::Assign } else { Prec::Postfix };
            if same(f, t) && cut.is_empty() {
                return ex.print(inner, out);
            }
            let value = ex.operand_text(inner, least) + &cut;
            out.push_str(&if same(f, t) { value } else { format!("{name}({value})") });
        }
        (Type::Scalar(f), Type::Vector(t, _)) => {
            let mut value = String::new();
            if ex.converted_literal(inner, t, &mut value).is_none() {
                value = match same(f, t) {
                    true => ex.operand_text(inner, Prec::Assign),
                    false => format!("{}({})", Wgsl.scalar_name(t), converted_text(ex, inner, t)),
                };
            }
            out.push_str(&format!("{name}({value})"));
        }
        _ => out.push_str(&format!("{name}({})", ex.operand_text(inner, Prec::Assign))),
    }
    Prec::Postfix
}

/// How deep expressions of literals alone are looked into.
const ABSTRACT_DEPTH: u32 = 8;

/// A literal, perhaps negated, whose text may end in a suffix.
fn takes_suffix(ex: &Exprs, id: ExprId) -> bool {
    match *ex.kind(id) {
        ExprKind::Literal(Literal::Float(value), _) => is_single(ex.ty(id)) && (value as f32).is_finite(),
        ExprKind::Literal(Literal::Int(value), _) => {
            ex.ty(id) == Type::Scalar(Scalar::I32) && i32::try_from(value).is_ok_and(|v| v >= 0)
        }
        ExprKind::Unary(UnaryOp::Negate, inner) => {
            matches!(ex.kind(inner), ExprKind::Literal(..)) && takes_suffix(ex, inner)
        }
        _ => false,
    }
}

/// Whether a type is written as `f32`.
fn is_single(ty: Type) -> bool {
    matches!(ty, Type::Scalar(s) if s == Scalar::F32 || s.is_float() && s.is_least_precision())
}

/// Whether one of the arguments of a builtin is given a type, since all are abstract: naga does not compute all builtins of such floats,
/// and integers without a type do not wrap.
fn are_typed(ex: &Exprs, args: &[ExprId], depth: u32) -> bool {
    let integers = args.iter().all(|id| ex.ty(*id) == Type::Scalar(Scalar::I32));
    (integers || args.len() > 1) && !args.is_empty() && args.iter().all(|id| is_abstract(ex, *id, depth))
}

/// Literals alone: what has the abstract type of integers or floats.
fn is_abstract(ex: &Exprs, id: ExprId, depth: u32) -> bool {
    if takes_suffix(ex, id) {
        return true;
    }
    match ex.kind(id) {
        _ if depth == 0 => false,
        ExprKind::Zero => is_single(ex.ty(id)) || ex.ty(id) == Type::Scalar(Scalar::I32),
        ExprKind::Convert(inner, _) => {
            // A literal of another type is written as one of this type.
            let is_written = || ex.converted_literal(*inner, Scalar::F32, &mut String::new()).is_some();
            is_single(ex.ty(id)) && (is_abstract(ex, *inner, depth - 1) || is_written())
        }
        ExprKind::Unary(UnaryOp::Negate | UnaryOp::BitNot, inner) => is_abstract(ex, *inner, depth - 1),
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, a, _) => is_abstract(ex, *a, depth - 1),
        ExprKind::Binary(op, a, b) if !op.is_comparison() => {
            is_abstract(ex, *a, depth - 1) && is_abstract(ex, *b, depth - 1)
        }
        // A condition that a shader computes makes a type of it.
        ExprKind::Select(condition, a, b) if eval(ex.cx.program, ex.arena, *condition).is_ok() => {
            is_abstract(ex, *a, depth - 1) && is_abstract(ex, *b, depth - 1)
        }
        ExprKind::Call(function, args)
            if matches!(ex.cx.program.functions[*function].body, FunctionBody::Intrinsic(_)) =>
        {
            !args.is_empty()
                && args.iter().all(|a| ex.ty(*a) == ex.ty(id) && is_abstract(ex, *a, depth - 1))
                && !are_typed(ex, args, depth - 1)
        }
        _ => false,
    }
}

/// A number to be converted to an integer of another kind: literals alone say their type, since a constant of none has to be in the
/// range of the new one, where it may be out of it.
fn converted_text(ex: &Exprs, inner: ExprId, to: Scalar) -> String {
    let text = ex.operand_text(inner, Prec::Assign);
    match ex.ty(inner) {
        Type::Scalar(from) if to.is_integer() && is_abstract(ex, inner, ABSTRACT_DEPTH) && !fits(ex, inner, to) => {
            format!("{}({text})", Wgsl.scalar_name(from))
        }
        _ => text,
    }
}

/// Whether a constant is one of a type of integers, as far as we can tell.
fn fits(ex: &Exprs, id: ExprId, to: Scalar) -> bool {
    let least = if to.is_unsigned() { 0.0 } else { f64::from(i32::MIN) };
    let range = least..=if to.is_unsigned() { f64::from(u32::MAX) } else { f64::from(i32::MAX) };
    match eval(ex.cx.program, ex.arena, id) {
        Ok(Value::Int(value, _)) => range.contains(&(value as f64)),
        Ok(Value::Float(value, _)) => range.contains(&value),
        // Few builtins give what is larger than a signed number.
        _ => !to.is_unsigned(),
    }
}

/// Whether the declaration of a local names its structure: the source does, and the value does not.
fn names_structure(ex: &Exprs, local: LocalId, init: ExprId) -> bool {
    let Some(variable) = ex.locals.map(|l| &l[local]) else { return false };
    let is_said = match ex.kind(init) {
        ExprKind::Construct(_) | ExprKind::Zero => true,
        // A copy of a parameter, whose head says it.
        ExprKind::Local(of) => ex.locals.is_some_and(|l| l[*of].span == variable.span),
        _ => false,
    };
    matches!(ex.ty(init), Type::Struct(_)) && !is_said && ex.cx.trivia.is_typed(variable)
}
