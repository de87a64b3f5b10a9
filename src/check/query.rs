//! `sizeof` and its like.

use super::Checker;
use super::types::Name;
use crate::ast;
use crate::diagnostic::Code;
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::analyses::bit_units::{self, Unit};
use crate::tree::{AddressSpace, DataLayout, ExprId, Length, MatrixOrder, Scalar, Type, TypeId};

/// Indices of a value in the operand of `sizeof`.
const MAX_INDICES: u32 = 64;

/// How bytes are counted.
#[derive(Clone, Copy)]
struct Rules {
    layout: DataLayout,
    bool_size: u32,
    /// Structs are filled up to a multiple of their alignment.
    fills_structs: bool,
}

impl Rules {
    fn size(self, scalar: Scalar) -> u32 {
        if scalar == Scalar::Bool { self.bool_size } else { scalar.size() }
    }
}

impl<'a> Checker<'a> {
    /// `sizeof(T)` and its like.
    pub(super) fn type_query(
        &mut self,
        op: Symbol,
        ty: &'a ast::TypeExpr,
        layout: Option<&'a ast::TypeExpr>,
        span: Span,
    ) -> ExprId {
        match op.as_str() {
            "sizeof" | "alignof" | "__sizeOf" | "__alignOf" | "__strideof" => {
                let ty = self.queried_type(ty);
                if let Some(open) = self.unfinished(ty) {
                    let message = format!("the size of `{}` depends on itself", self.type_text(open));
                    return self.error_at(Code::RECURSION, span, &message);
                }
                let layout = layout.map(|l| self.resolve_type(l, self.cx.scope));
                let layout = match super::objects::data_layout(&self.program.types, layout) {
                    Ok(layout) => layout,
                    Err(message) => return self.error_at(Code::GENERIC_ARGUMENTS, span, &message),
                };
                // A `bool` of Slang's own layout has one byte, as slangc counts; in buffers, and for DXC, it has four.
                let byte = self.language() == Language::Slang && !self.in_builtin() && layout == DataLayout::Default;
                // DXC fills structs up, slangc leaves that to what holds them.
                let fills_structs = self.language() == Language::Hlsl && layout == DataLayout::Default;
                let bool_size = if byte { 1 } else { Scalar::Bool.size() };
                let rules = Rules { layout, bool_size, fills_structs };
                let (size, align) = self.measured(ty, rules, 0);
                let size = match op.as_str() {
                    "sizeof" | "__sizeOf" => size,
                    "__strideof" => size.div_ceil(align.max(1)).saturating_mul(align),
                    _ => align,
                };
                self.int_value(i64::from(size), TypeId::INT, span)
            }
            "countof" => {
                if let Some(n) = self.quiet(|c| c.count_of(ty)) {
                    return self.int_value(n as i64, TypeId::INT, span);
                }
                let ty = self.queried_type(ty);
                match self.program.types.get(ty) {
                    Type::Array(_, Length::Fixed(n)) => self.int_value(i64::from(n), TypeId::INT, span),
                    Type::Vector(_, n) => self.int_value(i64::from(n), TypeId::INT, span),
                    Type::Error => self.error_value(span),
                    _ => self.error_at(Code::BAD_OPERANDS, span, "`countof` takes an array, a tuple or a pack"),
                }
            }
            _ => self.unsupported_value(span, &format!("`{op}`")),
        }
    }

    /// The operand of `sizeof`: a type, or a value whose type is meant.
    pub(super) fn queried_type(&mut self, ty: &'a ast::TypeExpr) -> TypeId {
        match self.queried_value(ty, 0) {
            Some(value) => self.ty(value),
            None => self.resolve_type(ty, self.cx.scope),
        }
    }

    /// The value that reads as a type: `x`, `x[0]`, `x[1][2]`.
    fn queried_value(&mut self, ty: &'a ast::TypeExpr, depth: u32) -> Option<ExprId> {
        match &ty.kind {
            ast::TypeKind::Path(path) => {
                // A value and its members: `x.y.z`. Of another path the whole may be a value: `Type::constant`.
                let first = path.get(..1).map(|first| self.resolve_value_path(first, self.cx.scope));
                let (name, members) = match first {
                    Some(Name::Values(found, args)) => (Name::Values(found, args), path.get(1..).unwrap_or_default()),
                    _ => (self.resolve_value_path(path, self.cx.scope), &[][..]),
                };
                let Name::Values(found, args) = name else { return None };
                let operand = self.found_operand(found, args, ty.span);
                let value = self.value(operand, ty.span);
                Some(members.iter().fold(value, |value, segment| {
                    let operand = self.member_of(value, segment, ty.span);
                    self.value(operand, ty.span)
                }))
            }
            ast::TypeKind::TypeOf(value) if matches!(value.kind, ast::ExprKind::Null) => {
                let pointer = Type::Pointer(TypeId::VOID, AddressSpace::Device(DataLayout::Default));
                let pointer = self.program.types.intern(pointer);
                Some(self.push(crate::tree::ExprKind::Zero, pointer, value.span))
            }
            ast::TypeKind::TypeOf(value) => Some(self.expr(value)),
            // The last brackets of a type are its innermost; those of a value are read from the left.
            ast::TypeKind::Array(inner, Some(index)) if depth < MAX_INDICES => {
                let base = self.queried_value(inner, depth + 1)?;
                let args = self.call_args(std::slice::from_ref(index));
                Some(self.index(base, &args, ty.span))
            }
            _ => None,
        }
    }

    /// Size and alignment as in C, but for the tails of structs.
    pub(super) fn natural_layout(&self, ty: TypeId) -> (u32, u32) {
        let rules = Rules { layout: DataLayout::Default, bool_size: Scalar::Bool.size(), fills_structs: false };
        self.measured(ty, rules, 0)
    }

    /// Size and alignment by rules. Tails are not filled up; only elements of arrays are.
    fn measured(&self, ty: TypeId, rules: Rules, depth: u32) -> (u32, u32) {
        let align = |offset: u32, a: u32| offset.div_ceil(a.max(1)).saturating_mul(a.max(1));
        if depth > 64 {
            return (0, 1);
        }
        let (whole, least) = match rules.layout {
            DataLayout::Default | DataLayout::Scalar => (false, 1),
            DataLayout::Std430 => (true, 1),
            DataLayout::Std140 => (true, 16),
        };
        let vector = |s: Scalar, n: u8| {
            let size = rules.size(s) * u32::from(n);
            (size, if whole { size.next_power_of_two() } else { rules.size(s) })
        };
        // The last of an array ends where it does, where the distances are those of a block.
        let array = |(size, a): (u32, u32), n: u32| {
            let a = a.max(least);
            let stride = align(size, a);
            let last = if whole { size } else { stride };
            (if n == 0 { 0 } else { stride.saturating_mul(n - 1).saturating_add(last) }, a)
        };
        match self.program.types.get(ty) {
            Type::Scalar(s) => (rules.size(s), rules.size(s)),
            Type::Vector(s, n) => vector(s, n),
            Type::Matrix(s, r, c) if whole => match self.program.default_matrix_order {
                MatrixOrder::Row => array(vector(s, c), r.into()),
                MatrixOrder::Column => array(vector(s, r), c.into()),
            },
            Type::Matrix(s, r, c) => (rules.size(s) * u32::from(r) * u32::from(c), rules.size(s)),
            Type::Enum(id) => (self.program.enums[id].tag.size(), self.program.enums[id].tag.size()),
            Type::Pointer(..) => (8, 8),
            Type::Handle(_) => (8, 4),
            Type::Array(e, n) => array(self.measured(e, rules, depth + 1), n.laid_out().unwrap_or(0)),
            Type::Struct(id) => {
                let (mut size, mut most) = (0u32, least);
                let fields = &self.program.structs[id].fields;
                for unit in bit_units::of_fields(&self.program, fields) {
                    let (s, a) = match unit {
                        Unit::Bits(width, _) => (width / 8, width / 8),
                        Unit::Field(number) => match fields.get(number) {
                            Some(field) => self.measured(field.ty, rules, depth + 1),
                            None => (0, 1),
                        },
                    };
                    size = align(size, a).saturating_add(s);
                    most = most.max(a);
                }
                (if rules.fills_structs { align(size, most) } else { size }, most)
            }
            _ => (0, 1),
        }
    }
}
