use super::*;
use crate::check::tests::{becomes, check_text};
use crate::parse::Language;
use crate::source::Span;

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
        (Type::Array(TypeId::INT, Length::Fixed(2)), Type::Array(TypeId::INT, Length::Fixed(3))),
        (Type::Array(TypeId::INT, Length::Fixed(2)), s(F32)),
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
        (Type::Vector(F32, 3), Type::Vector(F32, 4), None),
        (Type::Vector(F32, 1), Type::Vector(F32, 4), Some(Type::Vector(F32, 4))),
        (Type::Vector(F32, 1), s(F32), Some(s(F32))),
        (Type::Matrix(F32, 3, 4), Type::Matrix(I32, 4, 3), None),
        (Type::Matrix(F32, 3, 1), Type::Vector(F32, 3), Some(Type::Vector(F32, 3))),
        (Type::Matrix(F32, 3, 3), Type::Vector(F32, 3), None),
        (Type::Sampler(false), s(F32), None),
        (Type::Sampler(true), Type::Sampler(true), Some(Type::Sampler(true))),
    ] {
        let (x, y) = (types.intern(a), types.intern(b));
        let forth = join(&mut types, x, y, Language::Slang).map(|t| types.get(t));
        let back = join(&mut types, y, x, Language::Slang).map(|t| types.get(t));
        assert_eq!((forth, back), (joined, joined), "{a:?} {b:?}");
    }
}

#[test]
fn literals_become_literals() {
    becomes(&[
        ("", "float x = 1;", "float x = 1.0;"),
        ("", "uint x = 0xFF;", "uint x = 0xFFu;"),
        ("", "float x = 0xFF;", "float x = 255.0;"),
        ("", "bool x = 1;", "bool x = true;"),
        ("", "int16_t x = 70000;", "int16_t x = int16_t(70000);"),
        ("", "float x = 33554433;", "float x = float(33554433);"),
        ("", "float x = -1;", "float x = -1.0;"),
        ("", "int64_t x = -1;", "int64_t x = -1;"),
        ("", "uint x = -1;", "uint x = 0xffffffffu;"),
        ("", "uint16_t x = -1;", "uint16_t x = 0xffffu;"),
        // A number with a fraction is no integer.
        ("", "int x = 2.0;", "int x = 2;"),
        ("", "int x = 2.5;", "int x = int(2.5);"),
        ("", "uint x = -1.0;", "uint x = uint(-1.0);"),
    ]);
}

#[test]
fn shapes_change() {
    becomes(&[
        ("int v", "float3 x = v;", "float3 x = float3(float(v));"),
        ("float4 v", "float3 x = (float3)v;", "float3 x = v.xyz;"),
        ("float4 v", "int2 x = (int2)v;", "int2 x = int2(v.xy);"),
        ("float4 v", "float x = (float)v;", "float x = v.x;"),
        ("float1 v", "float4 x = v;", "float4 x = float4(float(v));"),
        ("float1 v", "float x = v;", "float x = float(v);"),
        ("float4x4 v", "float3x3 x = (float3x3)v;", "float3x3 x = float3x3(v);"),
        ("float1x3 v", "float3 x = v;", "float3 x = float3(v);"),
        ("float1x3 v", "float2 x = (float2)v;", "float2 x = float3(v).xy;"),
        ("float4 v", "float2x2 x = (float2x2)v;", "float2x2 x = float2x2(v);"),
        ("float v", "float2x2 x = v;", "float2x2 x = float2x2(v);"),
        ("ConstantBuffer<int> v", "float x = v;", "float x = float(v);"),
        // A swizzle is cut in place.
        ("float4 v", "float2 x = (float2)v.wzy;", "float2 x = v.wz;"),
    ]);
}

#[test]
fn conversions_go_into_constructors_and_selections_of_literals() {
    becomes(&[
        ("", "float2 x = int2(1, 2);", "float2 x = float2(1.0, 2.0);"),
        ("bool v", "float x = v ? 1 : 0;", "float x = v ? 1.0 : 0.0;"),
        ("", "float x = int();", "float x = (float)0;"),
    ]);
}

#[test]
fn structs_give_their_bases_and_take_zero() {
    let structs = "struct Base { int a; }; struct Derived : Base { int b; }; struct Leaf : Derived { int c; };
         struct Held { SamplerState s; };
         int of(Base b) { return 1; } int of(Derived d) { return 2; }";
    let dump = |body: &str| {
        let (program, problems) = check_text("a.hlsl", &format!("{structs} void f(Leaf leaf, Base base) {{ {body} }}"));
        (crate::tree::dump::dump(&program), problems.into_iter().map(|p| p[..8].to_owned()).collect::<Vec<_>>())
    };
    let (text, problems) = dump("Base b = leaf; int n = of(leaf); Leaf zero = (Leaf)0; Leaf one = (Leaf)1;");
    assert_eq!(problems, Vec::<String>::new());
    for line in ["Base b = leaf.base.base;", "int n = of(leaf.base);", "Leaf zero = (Leaf)0;", "Leaf one = {"] {
        assert!(text.contains(line), "`{line}` is not in\n{text}");
    }
    for wrong in ["Derived d = base;", "Held held = (Held)0;"] {
        assert_eq!(dump(wrong).1, ["3: E0303"], "{wrong}");
    }
}

#[test]
fn literal_kinds() {
    let mut exprs = Arena::default();
    let mut push = |kind, ty| exprs.push(Expr { kind, ty, span: Span::default() });
    let one = push(ExprKind::Literal(Literal::Int(1), None), TypeId::INT);
    let negative = push(ExprKind::Unary(UnaryOp::Negate, one), TypeId::INT);
    let unsigned = push(ExprKind::Literal(Literal::Int(1), None), TypeId::UINT);
    let float = push(ExprKind::Literal(Literal::Float(1.0), None), TypeId::FLOAT);
    let local = push(ExprKind::Local(crate::tree::LocalId(0)), TypeId::INT);
    let kinds = [negative, unsigned, float, local].map(|id| literal_kind(&exprs, &LiteralMarks::default(), id));
    assert_eq!(kinds, [LiteralKind::Int, LiteralKind::None, LiteralKind::Float, LiteralKind::None]);
}

/// What DXC makes of two widths; slangc follows C++.
#[test]
fn unsigned_integers_win_in_hlsl() {
    use Scalar::{F32, I16, I32, I64, MinU16, U16, U32, U64};
    for (a, b, slang, hlsl) in
        [(I64, U32, I64, U64), (U16, I32, I32, U32), (MinU16, I64, I64, U64), (I16, F32, F32, F32)]
    {
        assert_eq!(join_scalars(a, b, Language::Slang), slang);
        assert_eq!(join_scalars(b, a, Language::Hlsl), hlsl);
    }
}
