use super::*;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Field, Struct, StructId, Swizzle};

fn cost(program: &mut Program, from: Type, to: Type) -> Option<u32> {
    let (from, to) = (program.types.intern(from), program.types.intern(to));
    rank(program, from, to, LiteralKind::None).map(|r| r.0)
}

/// Asserts that every conversion of the list is dearer than the one before it.
fn ordered(from: Type, to: &[Type]) {
    let mut program = Program::default();
    let costs: Vec<_> = to.iter().map(|t| cost(&mut program, from, *t)).collect();
    assert!(costs.iter().all(Option::is_some), "{from:?} -> {to:?}: {costs:?}");
    assert!(costs.is_sorted_by(|a, b| a < b), "{from:?} -> {to:?}: {costs:?}");
}

const fn s(scalar: Scalar) -> Type {
    Type::Scalar(scalar)
}

#[test]
fn order_of_scalar_conversions() {
    use Scalar::*;
    ordered(s(I32), &[s(I32), s(I64), s(U32), s(U64), s(F32), s(F64), s(F16), s(Bool)]);
    ordered(s(U32), &[s(U32), s(U64), s(I64), s(I32), s(F32), s(F64), s(F16), s(Bool)]);
    ordered(s(F16), &[s(F16), s(F32), s(F64), s(I32), s(Bool)]);
    ordered(s(F32), &[s(F32), s(F64), s(F16), s(I32), s(Bool)]);
    ordered(s(Bool), &[s(Bool), s(I32), s(U32), s(F32)]);
    ordered(s(I16), &[s(I16), s(I32), s(I64), s(U16), s(F32)]);
}

#[test]
fn order_of_shapes() {
    use Scalar::*;
    ordered(s(F32), &[s(F32), Type::Vector(F32, 3), Type::Matrix(F32, 3, 3), s(F64), s(I32)]);
    ordered(
        Type::Vector(F32, 4),
        &[
            Type::Vector(F32, 4),
            Type::Vector(F64, 4),
            Type::Vector(I32, 4),
            Type::Vector(F32, 3),
            Type::Vector(F32, 2),
            s(F32),
        ],
    );
    ordered(Type::Matrix(F32, 1, 3), &[Type::Matrix(F32, 1, 3), Type::Vector(F32, 3), Type::Vector(F32, 2)]);
    ordered(Type::Matrix(F32, 4, 4), &[Type::Matrix(F32, 4, 4), Type::Matrix(F32, 3, 3), Type::Matrix(F32, 2, 2)]);
    ordered(Type::Vector(F32, 1), &[Type::Vector(F32, 1), s(F32), s(F64)]);
}

#[test]
fn no_conversion() {
    use Scalar::F32;
    let mut program = Program::default();
    for (from, to) in [
        (Type::Vector(F32, 2), Type::Vector(F32, 3)),
        (Type::Matrix(F32, 3, 3), Type::Matrix(F32, 4, 4)),
        (Type::Matrix(F32, 2, 3), Type::Vector(F32, 3)),
        (s(F32), Type::Sampler(false)),
        (Type::Array(TypeId::INT, Some(2)), Type::Array(TypeId::INT, Some(3))),
        (Type::Array(TypeId::INT, Some(2)), s(F32)),
        (Type::Void, s(F32)),
    ] {
        assert_eq!(cost(&mut program, from, to), None, "{from:?} -> {to:?}");
    }
    assert_eq!(cost(&mut program, Type::Error, Type::Sampler(false)), Some(0));
}

#[test]
fn literals_have_no_type_of_their_own_yet() {
    let program = Program::default();
    let of = |to, literal| rank(&program, TypeId::INT, to, literal).unwrap();
    assert!(of(TypeId::UINT, LiteralKind::Int) < of(TypeId::UINT, LiteralKind::None));
    assert!(of(TypeId::UINT, LiteralKind::Int) < of(TypeId::FLOAT, LiteralKind::Int));
    assert!(of(TypeId::INT, LiteralKind::Int) < of(TypeId::UINT, LiteralKind::Int));
}

#[test]
fn joins() {
    use Scalar::*;
    let mut types = Types::default();
    for (a, b, joined) in [
        (s(I32), s(U32), Some(s(U32))),
        (s(U32), s(I64), Some(s(I64))),
        (s(I16), s(U16), Some(s(U16))),
        (s(U16), s(I32), Some(s(I32))),
        (s(F16), s(I32), Some(s(F16))),
        (s(I64), s(F16), Some(s(F16))),
        (s(F16), s(F32), Some(s(F32))),
        (s(MinF16), s(F32), Some(s(F32))),
        (s(Bool), s(F32), Some(s(F32))),
        (s(I32), Type::Vector(F32, 3), Some(Type::Vector(F32, 3))),
        (s(F32), Type::Vector(I32, 3), Some(Type::Vector(F32, 3))),
        (Type::Vector(F32, 3), Type::Vector(F32, 4), Some(Type::Vector(F32, 3))),
        (Type::Vector(F32, 1), Type::Vector(F32, 4), Some(Type::Vector(F32, 4))),
        (Type::Vector(F32, 1), s(F32), Some(s(F32))),
        (Type::Matrix(F32, 3, 4), Type::Matrix(I32, 4, 3), Some(Type::Matrix(F32, 3, 3))),
        (Type::Matrix(F32, 3, 1), Type::Vector(F32, 3), Some(Type::Vector(F32, 3))),
        (Type::Matrix(F32, 3, 3), Type::Vector(F32, 3), None),
        (Type::Sampler(false), s(F32), None),
        (Type::Sampler(true), Type::Sampler(true), Some(Type::Sampler(true))),
    ] {
        let (x, y) = (types.intern(a), types.intern(b));
        let forth = join(&mut types, x, y).map(|t| types.get(t));
        let back = join(&mut types, y, x).map(|t| types.get(t));
        assert_eq!((forth, back), (joined, joined), "{a:?} {b:?}");
    }
}

struct Case {
    program: Program,
    exprs: Arena<ExprId, Expr>,
}

impl Case {
    fn new() -> Case {
        Case { program: Program::default(), exprs: Arena::default() }
    }
    fn push(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        let ty = self.program.types.intern(ty);
        self.exprs.push(Expr { kind, ty, span: Span::default() })
    }
    fn int(&mut self, value: i64, spelling: &str) -> ExprId {
        let spelling = Some(Symbol::new(spelling));
        self.push(ExprKind::Literal(Literal::Int(value), spelling), s(Scalar::I32))
    }
    fn local(&mut self, ty: Type) -> ExprId {
        self.push(ExprKind::Local(crate::tree::LocalId(0)), ty)
    }
    fn apply(&mut self, id: ExprId, to: Type) -> String {
        let to = self.program.types.intern(to);
        let id = apply(&mut self.exprs, &mut self.program, id, to, false);
        assert_eq!(self.exprs[id].ty, to);
        self.text(id)
    }
    fn text(&self, id: ExprId) -> String {
        let ty = self.program.types.get(self.exprs[id].ty);
        let parts = |list: &[ExprId]| list.iter().map(|e| self.text(*e)).collect::<Vec<_>>().join(", ");
        let name = match ty {
            Type::Scalar(s) => s.name().to_owned(),
            Type::Vector(s, n) => format!("{}{n}", s.name()),
            Type::Matrix(s, r, c) => format!("{}{r}x{c}", s.name()),
            other => format!("{other:?}"),
        };
        match &self.exprs[id].kind {
            ExprKind::Literal(_, Some(spelling)) => spelling.to_string(),
            ExprKind::Literal(value, None) => format!("{value:?}"),
            ExprKind::Local(_) => "v".into(),
            ExprKind::Unary(_, of) => format!("-{}", self.text(*of)),
            ExprKind::Select(c, a, b) => format!("{} ? {} : {}", self.text(*c), self.text(*a), self.text(*b)),
            ExprKind::Construct(list) => format!("{name}{{{}}}", parts(list)),
            ExprKind::Convert(of, _) => format!("{name}({})", self.text(*of)),
            ExprKind::Swizzle(of, s) => format!("{}.{}", self.text(*of), s.text()),
            ExprKind::Field(of, n) => format!("{}.{n}", self.text(*of)),
            ExprKind::Contents(of) => format!("*{}", self.text(*of)),
            ExprKind::Zero => format!("{name}{{}}"),
            other => format!("{other:?}"),
        }
    }
}

#[test]
fn literals_become_literals() {
    use Scalar::*;
    let literal = |value, spelling, to| {
        let mut case = Case::new();
        let id = case.int(value, spelling);
        case.apply(id, s(to))
    };
    assert_eq!(literal(1, "1", F32), "1.0");
    assert_eq!(literal(255, "0xFF", U32), "0xFF");
    assert_eq!(literal(255, "0xFF", F32), "255.0");
    assert_eq!(literal(1, "1", Bool), "Bool(true)");
    assert_eq!(literal(70000, "70000", I16), "int16_t(70000)");
    assert_eq!(literal(33_554_433, "33554433", F32), "float(33554433)");
}

#[test]
fn negated_literals() {
    let negated = |to| {
        let mut case = Case::new();
        let one = case.int(1, "1");
        let id = case.push(ExprKind::Unary(UnaryOp::Negate, one), s(Scalar::I32));
        case.apply(id, s(to))
    };
    assert_eq!(negated(Scalar::F32), "-1.0");
    assert_eq!(negated(Scalar::I64), "-1");
    assert_eq!(negated(Scalar::U32), "0xffffffff");
    assert_eq!(negated(Scalar::U16), "0xffff");
}

#[test]
fn floats_become_integers_only_when_whole() {
    let mut case = Case::new();
    let two = case.push(ExprKind::Literal(Literal::Float(2.0), None), s(Scalar::F32));
    assert_eq!(case.apply(two, s(Scalar::I32)), "Int(2)");
    let half = case.push(ExprKind::Literal(Literal::Float(2.5), Some("2.5".into())), s(Scalar::F32));
    assert_eq!(case.apply(half, s(Scalar::I32)), "int(2.5)");
    let minus = case.push(ExprKind::Literal(Literal::Float(-1.0), Some("-1.0".into())), s(Scalar::F32));
    assert_eq!(case.apply(minus, s(Scalar::U32)), "uint(-1.0)");
}

#[test]
fn shapes_change() {
    use Scalar::*;
    let change = |from, to| {
        let mut case = Case::new();
        let id = case.local(from);
        case.apply(id, to)
    };
    assert_eq!(change(s(I32), Type::Vector(F32, 3)), "float3(float(v))");
    assert_eq!(change(Type::Vector(F32, 4), Type::Vector(F32, 3)), "v.xyz");
    assert_eq!(change(Type::Vector(F32, 4), Type::Vector(I32, 2)), "int2(v.xy)");
    assert_eq!(change(Type::Vector(F32, 4), s(F32)), "v.x");
    assert_eq!(change(Type::Vector(F32, 1), Type::Vector(F32, 4)), "float4(float(v))");
    assert_eq!(change(Type::Vector(F32, 1), s(F32)), "float(v)");
    assert_eq!(change(Type::Matrix(F32, 4, 4), Type::Matrix(F32, 3, 3)), "float3x3(v)");
    assert_eq!(change(Type::Matrix(F32, 1, 3), Type::Vector(F32, 3)), "float3{v}");
    assert_eq!(change(Type::Matrix(F32, 1, 3), Type::Vector(F32, 2)), "float3{v}.xy");
    assert_eq!(change(Type::Vector(F32, 4), Type::Matrix(F32, 2, 2)), "float2x2{v}");
    assert_eq!(change(s(F32), Type::Matrix(F32, 2, 2)), "float2x2(v)");
    assert_eq!(change(Type::ConstantBuffer(TypeId::INT), s(F32)), "float(*v)");
}

#[test]
fn conversions_go_into_constructors_and_selections_of_literals() {
    let mut case = Case::new();
    let parts = vec![case.int(1, "1"), case.int(2, "2")];
    let id = case.push(ExprKind::Construct(parts), Type::Vector(Scalar::I32, 2));
    assert_eq!(case.apply(id, Type::Vector(Scalar::F32, 2)), "float2{1.0, 2.0}");
    let condition = case.local(s(Scalar::Bool));
    let (one, zero) = (case.int(1, "1"), case.int(0, "0"));
    let id = case.push(ExprKind::Select(condition, one, zero), s(Scalar::I32));
    assert_eq!(case.apply(id, s(Scalar::F32)), "v ? 1.0 : 0.0");
    let id = case.push(ExprKind::Zero, s(Scalar::I32));
    assert_eq!(case.apply(id, s(Scalar::F32)), "float{}");
}

#[test]
fn a_swizzle_is_cut_in_place() {
    let mut case = Case::new();
    let v = case.local(Type::Vector(Scalar::F32, 4));
    let id = case.push(ExprKind::Swizzle(v, Swizzle::new(&[3, 2, 1])), Type::Vector(Scalar::F32, 3));
    assert_eq!(case.apply(id, Type::Vector(Scalar::F32, 2)), "v.wz");
}

fn add_struct(program: &mut Program, fields: &[(&str, TypeId)]) -> TypeId {
    let field = |(name, ty): &(&str, TypeId)| Field::new(*name, *ty, Span::default());
    let id: StructId = program.structs.push(Struct {
        name: Symbol::new("S"),
        fields: fields.iter().map(field).collect(),
        comments: Vec::new(),
        span: Span::default(),
        builtin: false,
        attributes: Vec::new(),
        instance: None,
        made: false,
    });
    program.types.intern(Type::Struct(id))
}

#[test]
fn structs_give_their_bases_and_take_zero() {
    let mut case = Case::new();
    let base = add_struct(&mut case.program, &[("a", TypeId::INT)]);
    let derived = add_struct(&mut case.program, &[("base", base), ("b", TypeId::INT)]);
    let leaf = add_struct(&mut case.program, &[("base", derived)]);
    let to_base = rank(&case.program, leaf, base, LiteralKind::None).unwrap();
    assert!(rank(&case.program, leaf, derived, LiteralKind::None).unwrap() < to_base);
    assert_eq!(rank(&case.program, base, derived, LiteralKind::None), None);
    let (from, to) = (case.program.types.get(leaf), case.program.types.get(base));
    let id = case.local(from);
    assert_eq!(case.apply(id, to), "v.0.0");
    assert!(castable(&case.program, TypeId::INT, leaf, true));
    assert!(!castable(&case.program, TypeId::INT, leaf, false));
    let zero = case.int(0, "0");
    let id = apply(&mut case.exprs, &mut case.program, zero, leaf, true);
    assert!(matches!(case.exprs[id].kind, ExprKind::Zero));
    let sampler = case.program.types.intern(Type::Sampler(false));
    let resources = add_struct(&mut case.program, &[("s", sampler)]);
    assert!(!castable(&case.program, TypeId::INT, resources, true));
}

#[test]
fn literal_kinds() {
    let mut case = Case::new();
    let one = case.int(1, "1");
    let negative = case.push(ExprKind::Unary(UnaryOp::Negate, one), s(Scalar::I32));
    assert_eq!(literal_kind(&case.exprs, negative), LiteralKind::Int);
    let unsigned = case.push(ExprKind::Literal(Literal::Int(1), None), s(Scalar::U32));
    assert_eq!(literal_kind(&case.exprs, unsigned), LiteralKind::None);
    let float = case.push(ExprKind::Literal(Literal::Float(1.0), None), s(Scalar::F32));
    assert_eq!(literal_kind(&case.exprs, float), LiteralKind::Float);
    let local = case.local(s(Scalar::I32));
    assert_eq!(literal_kind(&case.exprs, local), LiteralKind::None);
}
