//! Making expressions: one helper a form, so that passes say what they mean.

use super::{
    Block, Expr, ExprArena, ExprId, ExprKind, Field, FunctionId, GlobalId, Hints, Item, Length, Literal, LocalId,
    Program, Scalar, Step, Stmt, StmtKind, Struct, StructId, Swizzle, Template, Type, TypeId, Types, UnaryOp,
};
use crate::source::Span;

/// Adds expressions to an arena; the types of composed ones are found from their parts.
pub struct Build<'a> {
    /// Types.
    pub types: &'a mut Types,
    /// Where expressions go.
    pub exprs: &'a mut ExprArena,
    /// The place that new expressions are given.
    pub span: Span,
}

impl<'a> Build<'a> {
    /// A builder at a place.
    pub fn new(types: &'a mut Types, exprs: &'a mut ExprArena, span: Span) -> Self {
        Build { types, exprs, span }
    }

    /// Any expression.
    pub fn add(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.exprs.push(Expr { kind, ty, span: self.span })
    }

    /// `int` literal.
    pub fn int(&mut self, value: i64) -> ExprId {
        self.add(ExprKind::Literal(Literal::Int(value), None), TypeId::INT)
    }

    /// `uint` literal.
    pub fn uint(&mut self, value: u32) -> ExprId {
        self.add(ExprKind::Literal(Literal::Int(value.into()), None), TypeId::UINT)
    }

    /// `float` literal.
    pub fn float(&mut self, value: f64) -> ExprId {
        self.add(ExprKind::Literal(Literal::Float(value), None), TypeId::FLOAT)
    }

    /// `bool` literal.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.add(ExprKind::Literal(Literal::Bool(value), None), TypeId::BOOL)
    }

    /// A number of a scalar, or of every component of a vector.
    pub fn number(&mut self, value: i64, ty: TypeId) -> ExprId {
        let Some(scalar) = self.types.component(ty) else { return self.add(ExprKind::Zero, ty) };
        let literal = match scalar {
            Scalar::Bool => Literal::Bool(value != 0),
            s if s.is_float() => Literal::Float(value as f64),
            _ => Literal::Int(value),
        };
        let scalar = self.types.scalar(scalar);
        let one = self.add(ExprKind::Literal(literal, None), scalar);
        if scalar == ty { one } else { self.convert(one, ty) }
    }

    /// A local.
    pub fn local(&mut self, local: LocalId, ty: TypeId) -> ExprId {
        self.add(ExprKind::Local(local), ty)
    }

    /// A global.
    pub fn global(&mut self, global: GlobalId, ty: TypeId) -> ExprId {
        self.add(ExprKind::Global(global), ty)
    }

    /// A field; its type is given.
    pub fn field(&mut self, base: ExprId, index: u32, ty: TypeId) -> ExprId {
        self.add(ExprKind::Field(base, index), ty)
    }

    /// The type of an element of `ty`: of an array, a vector, a matrix (its row), a buffer.
    pub fn element_type(&mut self, ty: TypeId) -> TypeId {
        match self.types.get(ty) {
            Type::Vector(s, _) => self.types.scalar(s),
            Type::Matrix(s, _, columns) => self.types.vector(s, columns),
            other => other.element().unwrap_or(TypeId::ERROR),
        }
    }

    /// An element.
    pub fn index(&mut self, base: ExprId, index: ExprId) -> ExprId {
        let ty = self.element_type(self.exprs[base].ty);
        self.add(ExprKind::Index(base, index), ty)
    }

    /// An element at a constant index.
    pub fn at(&mut self, base: ExprId, index: u32) -> ExprId {
        let index = self.int(index.into());
        self.index(base, index)
    }

    /// Components.
    pub fn swizzle(&mut self, base: ExprId, components: &[u8]) -> ExprId {
        self.selection(base, Swizzle::new(components))
    }

    /// Components, with their letters.
    pub fn selection(&mut self, base: ExprId, swizzle: Swizzle) -> ExprId {
        let scalar = self.types.component(self.exprs[base].ty).unwrap_or(Scalar::F32);
        let ty = self.types.scalar_or_vector(scalar, swizzle.len);
        self.add(ExprKind::Swizzle(base, swizzle), ty)
    }

    /// An explicit conversion, or nothing where the type is right already.
    pub fn convert(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        if self.exprs[value].ty == ty { value } else { self.add(ExprKind::Convert(value, false), ty) }
    }

    /// From parts.
    pub fn construct(&mut self, parts: Vec<ExprId>, ty: TypeId) -> ExprId {
        self.add(ExprKind::Construct(parts), ty)
    }

    /// A call.
    pub fn call(&mut self, function: FunctionId, args: Vec<ExprId>, result: TypeId) -> ExprId {
        self.add(ExprKind::Call(function, args), result)
    }

    /// `a op b`; a comparison gives bool of the operands' width.
    pub fn binary(&mut self, op: super::BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let mut ty = self.exprs[a].ty;
        if op.is_comparison() {
            ty = match self.types.get(ty) {
                Type::Vector(_, n) => self.types.vector(Scalar::Bool, n),
                Type::Matrix(_, r, c) => self.types.matrix(Scalar::Bool, r, c),
                _ => TypeId::BOOL,
            };
        }
        self.add(ExprKind::Binary(op, a, b), ty)
    }

    /// `!condition`, of a scalar.
    pub fn not(&mut self, condition: ExprId) -> ExprId {
        self.add(ExprKind::Unary(UnaryOp::Not, condition), TypeId::BOOL)
    }

    /// `-value`.
    pub fn negated(&mut self, value: ExprId) -> ExprId {
        self.add(ExprKind::Unary(UnaryOp::Negate, value), self.exprs[value].ty)
    }

    /// The statement `if (!condition) break;`
    pub fn break_unless(&mut self, condition: ExprId) -> Stmt {
        let then = Block::of(vec![Stmt::new(StmtKind::Break, self.span)]);
        Stmt::new(StmtKind::If(self.not(condition), then, None, Hints::default()), self.span)
    }

    /// The statement `target = value;`
    pub fn set(&mut self, target: ExprId, value: ExprId) -> Stmt {
        Stmt::new(StmtKind::Expr(self.assign(target, value)), self.span)
    }

    /// The statement `local = value;`
    pub fn set_local(&mut self, local: LocalId, value: ExprId) -> Stmt {
        let target = self.local(local, self.exprs[value].ty);
        self.set(target, value)
    }

    /// `target = value`.
    pub fn assign(&mut self, target: ExprId, value: ExprId) -> ExprId {
        let ty = self.exprs[target].ty;
        self.add(ExprKind::Assign(None, target, value), ty)
    }

    /// A spelling of the target with arguments.
    pub fn native(&mut self, template: Template, args: Vec<ExprId>, ty: TypeId) -> ExprId {
        self.add(ExprKind::Native(Box::new(template), args), ty)
    }
}

impl Program {
    /// The fields of a struct type; nothing else has any.
    pub fn fields(&self, ty: TypeId) -> &[Field] {
        match self.types.get(ty) {
            Type::Struct(id) => self.structs.get_if(id).map_or(&[], |s| s.fields.as_slice()),
            _ => &[],
        }
    }

    /// A field of a struct type.
    pub fn field(&self, ty: TypeId, index: u32) -> Option<&Field> {
        self.fields(ty).get(index as usize)
    }

    /// The type of a field of a struct type.
    pub fn field_type(&self, ty: TypeId, index: u32) -> Option<TypeId> {
        self.field(ty, index).map(|f| f.ty)
    }

    /// Makes a second declaration of a struct, behind the first.
    pub fn declare_again(&mut self, id: StructId, suffix: &str) -> StructId {
        let first = &self.structs[id];
        let name = format!("{}_{suffix}", first.name).as_str().into();
        let copy = Struct { name, comments: Vec::new(), made: true, ..first.clone() };
        let second = self.structs.push(copy);
        self.items.put_after(Item::Struct(id), Item::Struct(second));
        second
    }

    /// The ways from a struct or array to its fields or elements, with their types; nothing for other types.
    pub fn members(&self, ty: TypeId) -> Option<Vec<(Step, TypeId)>> {
        match self.types.get(ty) {
            Type::Struct(id) => {
                Some((0..).zip(&self.structs[id].fields).map(|(i, f)| (Step::Field(i), f.ty)).collect())
            }
            Type::Array(element, Length::Fixed(count)) => {
                Some((0..count).map(|i| (Step::Element(i), element)).collect())
            }
            _ => None,
        }
    }

    /// The part of `base` at the end of a path.
    pub fn part(&mut self, exprs: &mut ExprArena, base: ExprId, path: &[Step]) -> ExprId {
        let span = exprs[base].span;
        path.iter().fold(base, |value, step| match *step {
            Step::Field(index) => {
                let ty = self.field_type(exprs[value].ty, index).unwrap_or(TypeId::ERROR);
                Build::new(&mut self.types, exprs, span).field(value, index, ty)
            }
            Step::Element(index) => Build::new(&mut self.types, exprs, span).at(value, index),
        })
    }

    /// A name for people: the type in the input language.
    pub fn type_name(&self, ty: TypeId) -> String {
        super::dump::type_text(self, ty)
    }

    /// A name for people who know the source: an instance of a generic with its arguments.
    pub fn type_written(&self, ty: TypeId) -> String {
        super::dump::type_written(self, ty)
    }
}
