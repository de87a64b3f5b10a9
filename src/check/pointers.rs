//! Pointers and descriptor handles: `*p`, `&x`, `p == q`, `nullptr`.

use super::Checker;
use super::expr::decl_of;
use super::scope::ScopeId;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{AddressSpace, BinaryOp, DataLayout, ExprId, ExprKind, Scalar, Type, TypeId};

impl<'a> Checker<'a> {
    /// `&x`. Pointers are those of memory outside of the shader: of the address of a variable, nothing is left in the end.
    pub(super) fn address_expr(&mut self, inner: &'a ast::Expr, span: Span) -> ExprId {
        let value = self.expr(inner);
        if self.ty(value) == TypeId::ERROR {
            return value;
        }
        // Of what a pointer refers to, there is one.
        match self.cx.body.exprs[value].kind {
            ExprKind::Deref(pointer) => return pointer,
            ExprKind::Index(base, index) if self.is_pointer(self.ty(base)) => {
                if let Some(moved) = self.moved_pointer(BinaryOp::Add, base, index, span) {
                    return moved;
                }
            }
            _ => {}
        }
        if let Some(space) = self.space_of_part(value) {
            let address = self.library_call("__memberAddress", &[value], span);
            let pointer = self.program.types.intern(Type::Pointer(self.ty(value), space));
            return self.convert(address, pointer, true);
        }
        if super::addresses::has_address(&self.program.types, &self.cx.body.exprs, value) {
            self.addresses_taken = true;
            let space = AddressSpace::Device(DataLayout::Default);
            let pointer = self.program.types.intern(Type::Pointer(self.ty(value), space));
            return self.push(ExprKind::AddressOf(value), pointer, span);
        }
        let message = "this has no address";
        let note = "only variables, elements of buffers, and parts of these have one";
        self.diags.push(Diagnostic::error(Code::UNSUPPORTED, span, message).note(note));
        self.error_value(span)
    }

    /// Where a part lies, if that is in what a pointer refers to.
    fn space_of_part(&self, part: ExprId) -> Option<AddressSpace> {
        let exprs = &self.cx.body.exprs;
        let mut at = part;
        loop {
            let of = match exprs[at].kind {
                ExprKind::Field(of, _) | ExprKind::Index(of, _) | ExprKind::Deref(of) => of,
                ExprKind::Swizzle(of, swizzle) if swizzle.len == 1 => of,
                _ => return None,
            };
            match self.program.types.get(self.ty(of)) {
                Type::Pointer(_, space) => return Some(space),
                _ => at = of,
            }
        }
    }

    /// `*p`, and `*&x`, which is `x`.
    pub(super) fn deref_expr(&mut self, inner: &'a ast::Expr, span: Span) -> ExprId {
        let mut bare = inner;
        while let ast::ExprKind::Paren(within) = &bare.kind {
            bare = within;
        }
        if let ast::ExprKind::Prefix(op, place) = &bare.kind
            && op.as_str() == "&"
        {
            return self.expr(place);
        }
        let value = self.expr(inner);
        let ty = self.ty(value);
        match self.program.types.get(ty) {
            Type::Pointer(to, _) => self.push(ExprKind::Deref(value), to, span),
            Type::Handle(to) => self.convert(value, to, false),
            Type::Error => value,
            _ => {
                let text = self.type_text(ty);
                self.error_at(Code::BAD_OPERANDS, span, format!("`*` takes a pointer, not `{text}`"))
            }
        }
    }

    /// `nullptr` where a value of a type is expected.
    pub(super) fn null_expr(&mut self, expected: TypeId, span: Span) -> ExprId {
        if self.optional_element(expected).is_some() {
            return self.push(ExprKind::Zero, expected, span);
        }
        if !self.is_pointer(expected) {
            return self.unsupported_value(span, "a null value");
        }
        self.null_of(expected, span)
    }

    /// Operands of which one may be `nullptr` or a list of values: it is of the other's type.
    pub(super) fn operands(&mut self, a: &'a ast::Expr, b: &'a ast::Expr) -> (ExprId, ExprId) {
        let is_typeless = |e: &ast::Expr| matches!(e.kind, ast::ExprKind::Null | ast::ExprKind::InitList(_));
        if is_typeless(a) && !is_typeless(b) {
            let right = self.expr(b);
            return (self.expr_of(a, self.ty(right)), right);
        }
        let left = self.expr(a);
        let right = if is_typeless(b) { self.expr_of(b, self.ty(left)) } else { self.expr(b) };
        (left, right)
    }

    /// `p + n`, `n + p`, `p - n`, and `p - q`, which counts elements.
    pub(super) fn moved_pointer(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> Option<ExprId> {
        let (a, b) = (self.ty(left), self.ty(right));
        let whole = |c: &Self, ty| matches!(c.program.types.get(ty), Type::Scalar(s) if s.is_integer());
        let (pointer, count) = match (op, self.is_pointer(a), self.is_pointer(b)) {
            (BinaryOp::Sub, true, true) if a == b => {
                return Some(match self.program.types.get(a) {
                    Type::Pointer(element, _) if self.is_unsized(element) => self.unsized_elements(element, span),
                    _ => self.pointer_distance(left, right, span),
                });
            }
            (BinaryOp::Add | BinaryOp::Sub, true, false) if whole(self, b) => (left, right),
            (BinaryOp::Add, false, true) if whole(self, a) => (right, left),
            _ => return None,
        };
        let ty = self.ty(pointer);
        if let Type::Pointer(element, _) = self.program.types.get(ty)
            && self.is_unsized(element)
        {
            return Some(self.unsized_elements(element, span));
        }
        let number = self.program.types.scalar(Scalar::U64);
        let signed = self.program.types.scalar(Scalar::I64);
        let stride = self.pointer_stride(pointer, span);
        let count = self.convert(count, signed, true);
        let count = self.convert(count, number, true);
        let bytes = self.push(ExprKind::Binary(BinaryOp::Mul, count, stride), number, span);
        let address = self.convert(pointer, number, true);
        let moved = self.push(ExprKind::Binary(op, address, bytes), number, span);
        Some(self.convert(moved, ty, true))
    }

    /// What ends in an array without a size has no next one behind it.
    pub(super) fn unsized_elements(&mut self, element: TypeId, span: Span) -> ExprId {
        let text = self.type_text(element);
        let message = format!("a pointer to `{text}`, which has no size, refers to one alone");
        self.error_at(Code::BAD_SUBSCRIPT, span, message)
    }

    fn pointer_distance(&mut self, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let number = self.program.types.scalar(Scalar::I64);
        let stride = self.pointer_stride(left, span);
        let [left, right, stride] = [left, right, stride].map(|e| self.convert(e, number, true));
        let bytes = self.push(ExprKind::Binary(BinaryOp::Sub, left, right), number, span);
        self.push(ExprKind::Binary(BinaryOp::Div, bytes, stride), number, span)
    }

    /// `++p` and `p++`.
    pub(super) fn step_pointer(&mut self, up: bool, prefix: bool, target: ExprId, span: Span) -> ExprId {
        let ty = self.ty(target);
        let one = self.int_value(1, TypeId::INT, span);
        let (op, back) = if up { (BinaryOp::Add, BinaryOp::Sub) } else { (BinaryOp::Sub, BinaryOp::Add) };
        let before = self.copy(target);
        let Some(moved) = self.moved_pointer(op, before, one, span) else { return self.error_value(span) };
        let stepped = self.push(ExprKind::Assign(None, target, moved), ty, span);
        if prefix {
            return stepped;
        }
        let one = self.int_value(1, TypeId::INT, span);
        self.moved_pointer(back, stepped, one, span).unwrap_or(stepped)
    }

    /// How far the elements at a pointer are apart, which layout knows: the pointer as what the library measures it by.
    fn pointer_stride(&mut self, pointer: ExprId, span: Span) -> ExprId {
        let number = self.program.types.scalar(Scalar::U64);
        let pointer = self.null_of(self.ty(pointer), span);
        let name = Symbol::new("__elementStride");
        let library = self.sources.first().map_or(ScopeId(0), |s| s.scope);
        let found = self.lookup_here(library, name);
        let decls = found.entities.iter().copied().filter_map(decl_of).collect();
        let args = [self.value_arg_of(pointer)];
        let stride = self.call(&super::overload::Candidates::of(name, decls), None, &args, span);
        self.convert(stride, number, true)
    }

    /// `a == b` and `a != b` of descriptor handles, which are two numbers each.
    pub(super) fn compared_handles(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> Option<ExprId> {
        let is_handle = matches!(self.program.types.get(self.ty(left)), Type::Handle(_));
        if !is_handle || self.ty(left) != self.ty(right) {
            return None;
        }
        let joined = match op {
            BinaryOp::Equal => "all",
            BinaryOp::NotEqual => "any",
            _ => return None,
        };
        let numbers = self.program.types.vector(Scalar::U32, 2);
        let truths = self.program.types.vector(Scalar::Bool, 2);
        let [left, right] = [left, right].map(|handle| self.convert(handle, numbers, true));
        let compared = self.push(ExprKind::Binary(op, left, right), truths, span);
        Some(self.library_call(joined, &[compared], span))
    }

    /// The type of the library that names a layout.
    pub(super) fn layout_type(&mut self, layout: DataLayout) -> TypeId {
        let name = Symbol::new(layout.type_name());
        let library = self.sources.first().map_or(ScopeId(0), |s| s.scope);
        let found = self.lookup_here(library, name);
        match found.entities.iter().copied().find_map(decl_of) {
            Some(decl) => self.instantiate_struct(decl, Vec::new(), Span::default()),
            None => self.program.types.intern(Type::Opaque(name)),
        }
    }

    fn null_of(&mut self, ty: TypeId, span: Span) -> ExprId {
        let number = self.program.types.scalar(Scalar::U64);
        let zero = self.int_value(0, number, span);
        self.push(ExprKind::Convert(zero, true), ty, span)
    }

    /// Pointers as operands: of comparisons as addresses, of logic as whether there is something.
    pub(super) fn addresses(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> (ExprId, ExprId) {
        let to = match op {
            BinaryOp::And | BinaryOp::Or => TypeId::BOOL,
            _ if op.is_comparison() && [left, right].iter().all(|e| self.is_pointer(self.ty(*e))) => {
                self.program.types.scalar(Scalar::U64)
            }
            _ => return (left, right),
        };
        let [left, right] =
            [left, right].map(|e| if self.is_pointer(self.ty(e)) { self.convert(e, to, true) } else { e });
        (left, right)
    }

    pub(super) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Pointer(..))
    }
}
