//! The types of expressions: what each kind of expression may be made of, and what it gives. A row a kind.

use super::Verify;
use crate::tree::{
    Arena, BinaryOp, ExprArena, ExprId, ExprKind, Id, Literal, Local, LocalId, Program, Scalar, Type, TypeId, UnaryOp,
};

/// A number or several: the component type, rows and columns; a scalar is one of each.
type Shape = (Scalar, u8, u8);

fn shape(program: &Program, ty: TypeId) -> Option<Shape> {
    match program.types.get(ty) {
        Type::Scalar(s) | Type::Atomic(s) => Some((s, 1, 1)),
        Type::Vector(s, n) => Some((s, 1, n)),
        Type::Matrix(s, rows, columns) => Some((s, rows, columns)),
        Type::Enum(id) => Some((program.enums[id].tag, 1, 1)),
        _ => None,
    }
}

/// The shape of a matrix, also where a target has an array of its rows for it.
fn rows(program: &Program, ty: TypeId) -> Option<Shape> {
    match program.types.array_parts(ty) {
        Some((row, count)) => {
            shape(program, row).map(|(s, _, n)| (s, count.fixed().and_then(|c| c.try_into().ok()).unwrap_or(0), n))
        }
        None => shape(program, ty),
    }
}

/// Where expressions are, with the types of the variables that they may mention.
pub(super) struct Scope<'a> {
    pub exprs: &'a ExprArena,
    pub locals: &'a Arena<LocalId, Local>,
}

impl Scope<'_> {
    fn ty(&self, id: ExprId) -> TypeId {
        if id.index() < self.exprs.len() { self.exprs[id].ty } else { TypeId::ERROR }
    }
}

impl Verify<'_> {
    /// An expression whose parts are in range.
    pub(super) fn kind(&mut self, scope: &Scope, id: ExprId) {
        let (kind, ty) = (&scope.exprs[id].kind, scope.exprs[id].ty);
        match kind {
            ExprKind::Literal(literal, _) => self.literal(literal, ty),
            ExprKind::Local(local) if self.range("variable", *local, scope.locals) => {
                self.same("variable", scope.locals[*local].ty, ty);
            }
            ExprKind::Global(g) if self.range("global", *g, &self.program.globals) => {
                self.same("global", self.program.globals[*g].ty, ty);
            }
            ExprKind::EnumCase(e, case) if self.range("enum", *e, &self.program.enums) => {
                let good = (*case as usize) < self.program.enums[*e].cases.len();
                self.check(good && self.program.types.get(ty) == Type::Enum(*e), "case of an enum", &[ty]);
            }
            ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::EnumCase(..) => {}
            ExprKind::Field(base, index) => match self.program.field_type(scope.ty(*base), *index) {
                Some(field) => self.same("field", field, ty),
                None => self.fault(format!("field {index} of {}", self.program.type_name(scope.ty(*base)))),
            },
            ExprKind::Index(base, index) => self.index(scope.ty(*base), scope.ty(*index), ty),
            ExprKind::Contents(base) => self.contents(scope.ty(*base), ty),
            ExprKind::Swizzle(base, swizzle) => {
                let width = |t| shape(self.program, t).filter(|(_, rows, _)| *rows == 1);
                let good = width(scope.ty(*base)).zip(width(ty)).is_some_and(|((a, _, n), (b, _, m))| {
                    a == b && m == swizzle.len && swizzle.list().iter().all(|c| *c < n)
                });
                self.check(good, "swizzle", &[scope.ty(*base), ty]);
            }
            ExprKind::MatrixSwizzle(base, list) => {
                let good = rows(self.program, scope.ty(*base)).zip(shape(self.program, ty)).is_some_and(
                    |((a, rows, columns), (b, one, n))| {
                        let inside = list.iter().all(|(row, column)| *row < rows && *column < columns);
                        a == b && one == 1 && list.len() == usize::from(n) && inside
                    },
                );
                self.check(good, "swizzle of a matrix", &[scope.ty(*base), ty]);
            }
            ExprKind::Unary(op, a) => self.unary(*op, scope.ty(*a), ty),
            ExprKind::Binary(op, a, b) => self.binary(*op, (scope.ty(*a), scope.ty(*b)), ty),
            ExprKind::Select(c, a, b) => {
                self.same("?:", scope.ty(*a), scope.ty(*b));
                self.same("?: result", scope.ty(*a), ty);
                self.condition(scope.ty(*c), ty);
            }
            ExprKind::Assign(op, target, value) => {
                let (target, value) = (scope.ty(*target), scope.ty(*value));
                match op {
                    Some(BinaryOp::Shl | BinaryOp::Shr) => self.same_size("shift", target, value),
                    Some(_) | None => self.same("assignment", target, value),
                }
                self.same("assignment", target, ty);
            }
            ExprKind::Step(_, _, target) => self.same("step", scope.ty(*target), ty),
            ExprKind::Comma(_, value) => self.same("comma", scope.ty(*value), ty),
            ExprKind::Call(f, args) if self.range("function", *f, &self.program.functions) => {
                let f = &self.program.functions[*f];
                self.same(&format!("call of {}", f.name), f.result, ty);
                self.check(f.params.len() == args.len(), &format!("arguments of {}", f.name), &[]);
                for (p, a) in f.params.iter().zip(args) {
                    self.same(&format!("argument of {}", f.name), f.code.locals[p.local].ty, scope.ty(*a));
                }
            }
            ExprKind::Call(..) => {}
            ExprKind::Construct(parts) => {
                self.construct(&parts.iter().map(|p| scope.ty(*p)).collect::<Vec<TypeId>>(), ty);
            }
            ExprKind::Convert(a, _) => self.convert(scope.ty(*a), ty),
            // Of any type; what a spelling means is not known.
            ExprKind::Zero | ExprKind::Native(..) => {}
            ExprKind::Property(p) => {
                for f in [p.get, p.set, p.reference].into_iter().flatten() {
                    self.range("accessor", f, &self.program.functions);
                }
            }
            ExprKind::AddressOf(a) => match self.program.types.get(ty) {
                Type::Pointer(to, _) => self.same("address", to, scope.ty(*a)),
                _ => self.check(false, "address", &[scope.ty(*a), ty]),
            },
            ExprKind::Deref(a) => match self.program.types.get(scope.ty(*a)) {
                Type::Pointer(to, _) => self.same("what a pointer points to", to, ty),
                _ => self.check(false, "what a pointer points to", &[scope.ty(*a), ty]),
            },
        }
    }

    fn check(&mut self, good: bool, what: &str, types: &[TypeId]) {
        if !good {
            let names: Vec<String> = types.iter().map(|t| self.program.type_name(*t)).collect();
            self.fault(format!("{what}: {}", names.join(", ")));
        }
    }

    fn literal(&mut self, literal: &Literal, ty: TypeId) {
        let good = match (literal, self.program.types.get(ty)) {
            (Literal::Bool(_), Type::Scalar(s)) => s == Scalar::Bool,
            (Literal::Int(_), Type::Scalar(s)) => s.is_integer(),
            (Literal::Float(_), Type::Scalar(s)) => s.is_float(),
            (Literal::Text(_), Type::Text) => true,
            _ => false,
        };
        self.check(good, "literal", &[ty]);
    }

    fn index(&mut self, base: TypeId, index: TypeId, ty: TypeId) {
        let number = shape(self.program, index).is_some_and(|(s, rows, _)| s.is_integer() && rows == 1);
        self.check(number, "index", &[index]);
        match (self.program.types.get(base), self.program.types.get(ty)) {
            (Type::Vector(s, _), element) => self.check(element == Type::Scalar(s), "component", &[base, ty]),
            (Type::Matrix(s, _, n), element) => self.check(element == Type::Vector(s, n), "row", &[base, ty]),
            (other, _) => match other.element() {
                Some(element) => self.same("element", element, ty),
                None => self.check(false, "element", &[base, ty]),
            },
        }
    }

    fn contents(&mut self, base: TypeId, ty: TypeId) {
        match self.program.types.get(base) {
            Type::ConstantBuffer(element, _) | Type::TextureBuffer(element) | Type::ParameterBlock(element) => {
                self.same("contents", element, ty);
            }
            _ => self.check(false, "contents", &[base, ty]),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: TypeId, ty: TypeId) {
        self.same("operand", operand, ty);
        let good = shape(self.program, operand).is_some_and(|(s, ..)| match op {
            UnaryOp::Negate => s != Scalar::Bool,
            UnaryOp::Not => s == Scalar::Bool,
            UnaryOp::BitNot => s.is_integer(),
        });
        self.check(good, "operand", &[operand]);
    }

    fn binary(&mut self, op: BinaryOp, (a, b): (TypeId, TypeId), ty: TypeId) {
        match op {
            BinaryOp::Shl | BinaryOp::Shr => self.same_size(op.spelling(), a, b),
            _ => self.same(op.spelling(), a, b),
        }
        if op.is_comparison() {
            self.condition(ty, a);
        } else {
            self.same(op.spelling(), a, ty);
        }
    }

    /// A truth value for each component of another type, or one for all.
    fn condition(&mut self, truth: TypeId, of: TypeId) {
        let good = match (shape(self.program, truth), shape(self.program, of)) {
            (Some((Scalar::Bool, 1, 1)), _) => true,
            (Some((Scalar::Bool, rows, columns)), Some((_, r, c))) => (rows, columns) == (r, c),
            _ => false,
        };
        self.check(good, "condition", &[truth, of]);
    }

    fn same_size(&mut self, what: &str, a: TypeId, b: TypeId) {
        let size = |t| shape(self.program, t).map(|(_, rows, columns)| (rows, columns));
        self.check(size(a).is_some() && size(a) == size(b), what, &[a, b]);
    }

    fn construct(&mut self, parts: &[TypeId], ty: TypeId) {
        match self.program.types.get(ty) {
            Type::Array(element, count) => {
                self.check(count.fixed().is_none_or(|n| n as usize == parts.len()), "parts of an array", &[ty]);
                parts.iter().for_each(|part| self.same("part of an array", element, *part));
            }
            Type::Struct(id) => {
                let fields = &self.program.structs[id].fields;
                self.check(fields.len() == parts.len(), "parts of a struct", &[ty]);
                fields.iter().zip(parts).for_each(|(f, part)| self.same("part of a struct", f.ty, *part));
            }
            _ => {
                let count =
                    |t| shape(self.program, t).map(|(_, rows, columns)| usize::from(rows) * usize::from(columns));
                let given: Option<usize> = parts.iter().map(|p| count(*p)).sum();
                self.check(given.is_some() && given == count(ty), "parts", &[parts, &[ty]].concat());
                let component = |t: &TypeId| self.program.types.component(*t);
                self.check(parts.iter().all(|p| component(p) == component(&ty)), "parts", &[parts, &[ty]].concat());
            }
        }
    }

    /// Between numbers: a splat of one, or as many rows and columns or less. Between pointers and numbers of 64 bits. From a resource of
    /// any type to one.
    fn convert(&mut self, from: TypeId, to: TypeId) {
        let address = |ty| matches!(self.program.types.get(ty), Type::Pointer(..) | Type::Scalar(Scalar::U64));
        let good = match (shape(self.program, from), shape(self.program, to)) {
            _ if address(from) && address(to) => true,
            (Some((_, 1, 1)), Some(_)) => true,
            // Until layout knows the arrays of its types.
            _ if matches!(self.program.types.get(from), Type::DynamicResource(_)) => {
                self.program.types.get(to).is_resource()
            }
            (Some((_, r, c)), Some((_, rows, columns))) => rows <= r && columns <= c || r * c == rows * columns,
            _ => false,
        };
        self.check(good, "conversion", &[from, to]);
    }
}
