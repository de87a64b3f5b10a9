//! GLSL's own ways with expressions.

use super::Glsl;
use super::blocks::open_struct;
use super::types;
use crate::emit::context::Context;
use crate::emit::dialect::{Dialect, Spelling, plain_local, sized_array};
use crate::emit::expr::{Exprs, Prec};
use crate::emit::hints;
use crate::emit::literal::Literals;
use crate::source::Span;
use crate::target::Language;
use crate::target::operators::{Operator, function_of};
use crate::tree::*;

const LITERALS: Literals = Literals {
    forms: &[
        (Scalar::U32, "", "u"),
        (Scalar::MinU16, "", "u"),
        (Scalar::I64, "", "l"),
        (Scalar::U64, "", "ul"),
        (Scalar::F64, "", "lf"),
        (Scalar::F16, "", "hf"),
        (Scalar::I16, "", "s"),
        (Scalar::U16, "", "us"),
        (Scalar::I8, "int8_t(", ")"),
        (Scalar::U8, "uint8_t(", "u)"),
    ],
    minimum: &[(Scalar::I32, "int(0x80000000u)"), (Scalar::I64, "int64_t(0x8000000000000000ul)")],
    bits: ("uintBitsToFloat(", "u)"),
    suffixes: &[(Scalar::U32, &["u", "U"])],
    adapts: false,
};

impl Dialect for Glsl {
    fn literals(&self) -> &'static Literals {
        &LITERALS
    }

    fn expr(&self, ex: &Exprs, id: ExprId, out: &mut String) -> Option<Prec> {
        match ex.kind(id) {
            ExprKind::Convert(inner, _) => Some(convert(ex, id, *inner, out)),
            // A struct without fields has a placeholder.
            ExprKind::Construct(parts) if parts.is_empty() => Some(zero(ex, ex.type_id(id), out)),
            ExprKind::Zero => Some(zero(ex, ex.type_id(id), out)),
            ExprKind::Swizzle(base, _) if is_scalar(ex, *base) && !is_scalar(ex, id) => {
                Some(ex.constructor(id, &[*base], out))
            }
            ExprKind::Swizzle(base, _) if is_scalar(ex, *base) => Some(ex.print(*base, out)),
            ExprKind::Binary(op, a, b) if is_vector(ex, *a) && (op.is_comparison() || is_logic(*op)) => {
                Some(vector_logic(ex, *op, *a, *b, out))
            }
            ExprKind::Binary(op, a, b) if is_bits(*op) && is_bool(ex, id) => Some(bool_bits(ex, *op, *a, *b, out)),
            ExprKind::Assign(Some(op), target, value) if is_bits(*op) && is_bool(ex, id) => {
                ex.operand(*target, Prec::Unary, out);
                out.push_str(" = ");
                bool_bits(ex, *op, *value, *target, out);
                Some(Prec::Assign)
            }
            ExprKind::Unary(UnaryOp::Not, a) if is_vector(ex, *a) => {
                function_of(Language::Glsl, Operator::Not).map(|not| ex.call_of(not, &[*a], out))
            }
            ExprKind::Select(c, a, b) if is_vector(ex, *c) => {
                function_of(Language::Glsl, Operator::Select).map(|mix| ex.call_of(mix, &[*b, *a, *c], out))
            }
            ExprKind::Deref(pointer) if is_open_pointer(ex, *pointer) => Some(ex.print(*pointer, out)),
            ExprKind::Deref(pointer) if is_device_pointer(ex, *pointer) => Some(ex.selected(*pointer, ".data[0]", out)),
            ExprKind::Field(pointer, index) if is_device_pointer(ex, *pointer) => {
                let field = ex.cx.field_name(ex.type_id(*pointer), *index);
                let data = if is_open_pointer(ex, *pointer) { "" } else { ".data[0]" };
                Some(ex.selected(*pointer, &format!("{data}.{field}"), out))
            }
            // The elements of a buffer in an array of buffers, or behind a pointer.
            ExprKind::Index(base, index) if is_device_pointer(ex, *base) || ex.is_element_buffer(*base) => {
                Some(ex.selected(*base, &format!(".data[{}]", ex.text(*index)), out))
            }
            ExprKind::Contents(inner) if is_wrapped_element(ex, *inner) => Some(ex.selected(*inner, ".data", out)),
            _ => None,
        }
    }

    fn around_argument(&self, ex: &Exprs, _args: &[ExprId], arg: ExprId) -> (&'static str, &'static str) {
        ("", if ex.is_element_buffer(arg) { ".data" } else { "" })
    }

    /// What is marked as an index that may differ between invocations loses the mark in a variable that is not marked itself.
    fn local(&self, ex: &Exprs, local: LocalId, init: Option<ExprId>) -> String {
        match init.filter(|init| is_marked_index(ex, *init, 0)) {
            Some(init) => {
                let Some(variable) = ex.locals.map(|l| &l[local]) else { return String::new() };
                let value = match ex.kind(init) {
                    ExprKind::Call(_, args) => args.first().copied().unwrap_or(init),
                    _ => init,
                };
                let mut text = format!(
                    "nonuniformEXT {} = ",
                    self.variable(ex.cx, variable.ty, (variable.name.as_str(), variable.span))
                );
                ex.first_value(value, &mut text);
                text
            }
            None => plain_local(self, ex, local, init),
        }
    }

    fn splats(&self, ex: &Exprs, op: BinaryOp, id: ExprId, other: ExprId) -> bool {
        use BinaryOp::*;
        let scalar = ex.splat_source(id).is_some() && ex.splat_source(other).is_none();
        match ex.ty(id) {
            Type::Vector(Scalar::Bool, _) => false,
            Type::Vector(..) => scalar && matches!(op, Add | Sub | Mul | Div | Rem | BitAnd | BitOr | BitXor),
            Type::Matrix(..) => scalar && matches!(op, Add | Sub | Mul | Div),
            _ => false,
        }
    }

    fn hints(&self, cx: &Context, hints: &Hints) -> Vec<String> {
        hints::glsl(cx, hints)
    }

    fn members_are_global(&self, global: &Global) -> bool {
        global.transparent
    }

    fn array_type(&self, cx: &Context, ty: TypeId, name: Span) -> Option<String> {
        let (element, sizes) = sized_array(cx, self, ty, name);
        Some(self.type_name(cx, element) + &sizes)
    }

    fn text<'t>(&self, cx: &Context, text: &'t str) -> &'t str {
        cx.profile.facts.glsl.word(text)
    }

    fn has_constant(&self, ex: &Exprs, local: LocalId) -> bool {
        // References have no qualifier (GLSL_EXT_buffer_reference, "4.3 Storage Qualifiers").
        let types = &ex.cx.program.types;
        let is_reference = |local: &Local| matches!(types.get(types.innermost(local.ty)), Type::Pointer(..));
        let constant = ex.labels.contains(&local) || ex.cx.profile.facts.glsl.runtime_constants;
        constant && !ex.locals.is_some_and(|locals| is_reference(&locals[local]))
    }

    fn sampler_name(&self, cx: &Context, texture: &Texture, depth: bool) -> String {
        let shadow = if depth { "Shadow" } else { "" };
        format!("{}{shadow}", types::texture(cx, &Texture { access: Access::Read, ..*texture }, "sampler"))
    }
}

fn is_vector(ex: &Exprs, id: ExprId) -> bool {
    matches!(ex.ty(id), Type::Vector(_, 2..))
}

fn is_bits(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor)
}

fn is_bool(ex: &Exprs, id: ExprId) -> bool {
    ex.cx.program.types.component(ex.type_id(id)) == Some(Scalar::Bool)
}

/// Bit operators do not take `bool`: logical ones do the same.
fn bool_bits(ex: &Exprs, op: BinaryOp, a: ExprId, b: ExprId, out: &mut String) -> Prec {
    let logic = match op {
        BinaryOp::BitAnd => BinaryOp::And,
        BinaryOp::BitOr => BinaryOp::Or,
        _ => BinaryOp::NotEqual,
    };
    if is_vector(ex, a) { vector_logic(ex, logic, a, b, out) } else { ex.binary(logic, a, b, out) }
}

fn is_logic(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or)
}

/// Comparisons of vectors are functions; `&&` and `||` of vectors are bit operations on integers.
fn vector_logic(ex: &Exprs, op: BinaryOp, a: ExprId, b: ExprId, out: &mut String) -> Prec {
    let Some(function) = function_of(Language::Glsl, Operator::Binary(op)) else {
        let n = if let Type::Vector(_, n) = ex.ty(a) { n } else { 2 };
        let sign = if op == BinaryOp::And { '&' } else { '|' };
        let (a, b) = (ex.operand_text(a, Prec::Assign), ex.operand_text(b, Prec::Assign));
        out.push_str(&format!("bvec{n}(uvec{n}({a}) {sign} uvec{n}({b}))"));
        return Prec::Postfix;
    };
    ex.call_of(function, &[a, b], out)
}

/// Whether a value is a marked index, or made of one.
fn is_marked_index(ex: &Exprs, id: ExprId, depth: u32) -> bool {
    match ex.kind(id) {
        ExprKind::Call(f, _) => ex.cx.program.functions[*f].is_marked("__index_marker"),
        ExprKind::Convert(a, _) | ExprKind::Swizzle(a, _) => depth < 16 && is_marked_index(ex, *a, depth + 1),
        ExprKind::Construct(parts) => depth < 16 && parts.iter().any(|p| is_marked_index(ex, *p, depth + 1)),
        _ => false,
    }
}

fn is_device_pointer(ex: &Exprs, id: ExprId) -> bool {
    matches!(ex.ty(id), Type::Pointer(_, AddressSpace::Device(_)))
}

/// To a struct that ends in an array without a size: its block has its members.
fn is_open_pointer(ex: &Exprs, id: ExprId) -> bool {
    matches!(ex.ty(id), Type::Pointer(to, AddressSpace::Device(_)) if open_struct(ex.cx.program, to).is_some())
}

fn is_scalar(ex: &Exprs, id: ExprId) -> bool {
    matches!(ex.ty(id), Type::Scalar(_) | Type::Vector(_, 1))
}

/// An element of an array of constant buffers whose contents are one member, `data`.
fn is_wrapped_element(ex: &Exprs, id: ExprId) -> bool {
    match (ex.ty(id), ex.kind(id)) {
        (_, ExprKind::Global(_)) => false,
        (Type::ConstantBuffer(element, _) | Type::TextureBuffer(element), _) => {
            match ex.cx.program.types.get(element) {
                Type::Struct(id) => !ex.cx.is_block_struct(id),
                _ => true,
            }
        }
        _ => false,
    }
}

/// A literal in its new type, a swizzle that truncates, else a constructor.
fn convert(ex: &Exprs, id: ExprId, inner: ExprId, out: &mut String) -> Prec {
    if let Some(same) = ex.there_and_back(id, inner) {
        return ex.print(same, out);
    }
    let (from, to) = (ex.ty(inner), ex.ty(id));
    match (from, to) {
        (Type::Scalar(f), Type::Vector(t, 1)) | (Type::Vector(f, 1), Type::Scalar(t)) if f == t => {
            return ex.print(inner, out);
        }
        (_, Type::Scalar(scalar)) => {
            if let Some(prec) = ex.converted_literal(inner, scalar, out) {
                return prec;
            }
        }
        (Type::Vector(f, m), Type::Vector(t, n)) if m > n && n > 1 => {
            let swizzle = "xyzw".get(..n as usize).unwrap_or("");
            let text = format!("{}.{swizzle}", ex.operand_text(inner, Prec::Postfix));
            if f == t {
                out.push_str(&text);
            } else {
                out.push_str(&format!("{}({text})", Glsl.vector_name(t, n)));
            }
            return Prec::Postfix;
        }
        (Type::Scalar(_), Type::Vector(scalar, n)) => {
            out.push_str(&Glsl.vector_name(scalar, n));
            out.push('(');
            if ex.converted_literal(inner, scalar, out).is_none() {
                ex.operand(inner, Prec::Assign, out);
            }
            out.push(')');
            return Prec::Postfix;
        }
        _ => {}
    }
    // A vector goes to a scalar by its first component.
    let first = if matches!((from, to), (Type::Vector(..), Type::Scalar(_))) { ".x" } else { "" };
    let least = if first.is_empty() { Prec::Assign } else { Prec::Postfix };
    let value = ex.operand_text(inner, least);
    match (from, to) {
        (Type::Vector(f, _), Type::Scalar(t)) if f == t => out.push_str(&format!("{value}{first}")),
        _ => out.push_str(&format!("{}({value}{first})", Glsl.type_name(ex.cx, ex.type_id(id)))),
    }
    Prec::Postfix
}

/// The zero value, member by member.
fn zero(ex: &Exprs, ty: TypeId, out: &mut String) -> Prec {
    let program = ex.cx.program;
    let name = Glsl.type_name(ex.cx, ty);
    match program.types.get(ty) {
        Type::Scalar(scalar) => return ex.push_literal(scalar, Literal::Int(0), None, out),
        Type::Vector(scalar, _) | Type::Matrix(scalar, ..) => {
            out.push_str(&format!("{name}("));
            ex.push_literal(scalar, Literal::Int(0), None, out);
        }
        Type::Pointer(_, AddressSpace::Device(_)) => {
            out.push_str(&format!("{name}("));
            ex.push_literal(Scalar::U64, Literal::Int(0), None, out);
        }
        Type::Array(element, count) => {
            out.push_str(&format!("{name}("));
            for i in 0..count.laid_out().unwrap_or(0) {
                if i > 0 {
                    out.push_str(", ");
                }
                zero(ex, element, out);
            }
        }
        Type::Struct(id) => {
            out.push_str(&format!("{name}("));
            // A struct without fields is declared with one that is not used.
            if program.structs[id].fields.is_empty() {
                out.push('0');
            }
            for (i, field) in program.structs[id].fields.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                zero(ex, field.ty, out);
            }
        }
        Type::Enum(id) => return ex.push_literal(program.enums[id].tag, Literal::Int(0), None, out),
        _ => out.push_str(&format!("{name}(")),
    }
    out.push(')');
    Prec::Postfix
}
