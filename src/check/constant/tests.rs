use super::*;
use crate::check::tests::check_text;
use crate::symbol::Symbol;
use crate::tree::{ExprTree, Global, Scalar, TypeId};

/// The value of an expression as one of a type, where it may use these declarations; else the reason why there is none.
fn value(declarations: &str, ty: &str, e: &str) -> Result<Value, String> {
    let (program, problems) = check_text("a.slang", &format!("{declarations}\nstatic const {ty} last = {e};"));
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    let (_, last) = program.globals.iter().find(|(_, g)| g.name == "last").expect("the constant");
    let init = last.init.as_ref().expect("a value");
    eval(&program, &init.exprs, init.root).map_err(|(_, reason)| reason)
}

/// Asserts values, by (type, expression, value).
fn values(rows: &[(&str, &str, &str)]) {
    for (ty, e, expected) in rows {
        let found = value("", ty, e).map_or_else(|reason| reason, |v| format!("{v:?}"));
        assert_eq!(found, *expected, "{ty}: {e}");
    }
}

#[test]
fn integers_wrap_at_their_width() {
    values(&[
        ("int", "2147483647 + 1", "Int(-2147483648, I32)"),
        ("uint", "0u - 1u", "Int(4294967295, U32)"),
        ("uint", "0x10000u * 0x10000u", "Int(0, U32)"),
        ("int16_t", "int16_t(300) * int16_t(300)", "Int(24464, I16)"),
        ("uint64_t", "uint64_t(0) - uint64_t(1)", "Int(-1, U64)"),
        ("int", "-7 / 2", "Int(-3, I32)"),
        ("int", "-7 % 2", "Int(-1, I32)"),
        ("uint", "0xfffffff9u / 2u", "Int(2147483644, U32)"),
        ("uint64_t", "uint64_t(-1) / uint64_t(2)", "Int(9223372036854775807, U64)"),
        ("int", "int(0x80000000) / -1", "Int(-2147483648, I32)"),
        ("int64_t", "(int64_t(1) << 63) / int64_t(-1)", "Int(-9223372036854775808, I64)"),
        ("int", "1 << 31", "Int(-2147483648, I32)"),
        ("int", "1 << 33", "Int(0, I32)"),
        ("int", "-8 >> 40", "Int(-1, I32)"),
        ("uint", "0x80000000u >> 32", "Int(0, U32)"),
        ("uint16_t", "uint16_t(7) << 16", "Int(0, U16)"),
        ("int64_t", "int64_t(1) << 33", "Int(8589934592, I64)"),
        ("int", "-8 >> 1", "Int(-4, I32)"),
        ("uint", "0x80000000u >> 31", "Int(1, U32)"),
        ("uint64_t", "uint64_t(-1) >> 63", "Int(1, U64)"),
        ("int", "5 ^ 3", "Int(6, I32)"),
    ]);
}

#[test]
fn comparisons_and_faults() {
    values(&[
        ("bool", "int64_t(-1) < int64_t(1)", "Bool(true)"),
        ("bool", "uint64_t(-1) < uint64_t(1)", "Bool(false)"),
        ("bool", "2 >= 2", "Bool(true)"),
        ("bool", "0.0 / 0.0 == 0.0 / 0.0", "Bool(false)"),
        ("int", "1 / 0", "division by zero"),
        ("uint", "1u % 0u", "division by zero"),
        ("float", "1.0 / 0.0", "Float(inf, F32)"),
        ("float", "16777216.0 + 1.0", "Float(16777216.0, F32)"),
    ]);
}

#[test]
fn conversions() {
    values(&[
        ("int", "int(-2.9)", "Int(-2, I32)"),
        ("int", "int(1e20)", "Int(2147483647, I32)"),
        ("uint", "uint(-1)", "Int(4294967295, U32)"),
        ("double", "double(uint64_t(-1))", "Float(1.8446744073709552e19, F64)"),
        ("bool", "bool(3)", "Bool(true)"),
        ("float", "float(true)", "Float(1.0, F32)"),
        ("float2", "2", "Composite([Float(2.0, F32), Float(2.0, F32)])"),
    ]);
}

#[test]
fn parts() {
    let matrix = "int3x3(0, 1, 2, 3, 4, 5, 6, 7, 8)";
    let row = |a, b| format!("Composite([Int({a}, I32), Int({b}, I32)])");
    values(&[
        // A matrix is cut by rows.
        ("int2x2", &format!("(int2x2){matrix}"), &format!("Composite([{}, {}])", row(0, 1), row(3, 4))),
        ("int2", &format!("{matrix}._m21_m02"), &row(7, 2)),
        ("int", "int3(4, 5, 6)[2]", "Int(6, I32)"),
        ("int", "int3(4, 5, 6).z", "Int(6, I32)"),
        ("float2", "(1.0).xx", "Composite([Float(1.0, F32), Float(1.0, F32)])"),
        ("uint[2]", "{}", "Composite([Int(0, U32), Int(0, U32)])"),
    ]);
    let index = |n: &str| value("static const int list[] = { 4, 5, 6 };", "int", &format!("list[{n}]"));
    assert_eq!(index("2"), Ok(Value::Int(6, Scalar::I32)));
    assert_eq!(index("1 + 2"), Err("2: E0313 `int[3]` has no element 3".into()));
    assert!(index("0 - 1").is_err());
}

#[test]
fn logic_stops_early() {
    let of = |ty, e| value("int unknown;", ty, e);
    assert_eq!(of("bool", "false && unknown > 0"), Ok(Value::Bool(false)));
    assert!(of("bool", "false || unknown > 0").is_err());
    assert_eq!(of("int", "false ? unknown : 1"), Ok(Value::Int(1, Scalar::I32)));
}

#[test]
fn globals_and_enum_cases() {
    let of = |e| value("static const int seven = 7; int given; enum E : uint { A = 5 }", "uint", e);
    assert_eq!(of("uint(seven)"), Ok(Value::Int(7, Scalar::U32)));
    assert_eq!(of("given"), Err("`given` is a shader parameter, whose value is set by the application".into()));
    assert_eq!(of("E.A"), Ok(Value::Int(5, Scalar::U32)));

    let (mut program, _) = check_text("a.slang", "enum E : uint { A = 5 }\nvoid f(E e) {}");
    let ty = program.functions.iter().find_map(|(_, f)| Some(f.code.locals.iter().next()?.1.ty)).expect("a parameter");
    let mut exprs = Arena::default();
    let mut kind = |n| {
        let id = Value::Int(n, Scalar::U32).to_expr(&mut exprs, &mut program, ty, Span::default()).expect("an integer");
        exprs[id].kind.clone()
    };
    assert!(matches!(kind(5), ExprKind::EnumCase(..)));
    assert!(matches!(kind(6), ExprKind::Convert(..)));
}

#[test]
fn a_constant_that_needs_itself_is_an_error() {
    let mut program = Program::default();
    let mut exprs = Arena::default();
    let root = exprs.push(Expr { kind: ExprKind::Global(GlobalId(0)), ty: TypeId::INT, span: Span::default() });
    let mut global = Global::new(Symbol::new("N"), TypeId::INT, GlobalKind::Const, Span::default());
    global.init = Some(ExprTree { exprs: exprs.clone(), root });
    assert_eq!(program.globals.push(global), GlobalId(0));
    assert_eq!(eval(&program, &exprs, root).unwrap_err().1, "this constant expression is too complex");
}

#[test]
fn doubling_chains_end() {
    let sum = |n: u32| format!("static const int n{} = n{n} + n{n};", n + 1);
    let chain: String = (0..60).map(sum).collect();
    let last = value(&format!("static const int n0 = 1; {chain}"), "int", "n60");
    assert_eq!(last, Err("this constant expression is too complex".into()));
}

#[test]
fn values_become_expressions() {
    let (mut program, mut exprs) = (Program::default(), Arena::default());
    let row = |a: f64| Value::Composite(vec![Value::Float(a, Scalar::F32), Value::Float(a + 1.0, Scalar::F32)]);
    let value = Value::Composite(vec![row(1.0), row(3.0)]);
    let ty = program.types.matrix(Scalar::F32, 2, 2);
    let id = value.to_expr(&mut exprs, &mut program, ty, Span::default()).unwrap();
    assert_eq!(eval(&program, &exprs, id), Ok(value));
    assert_eq!(exprs[id].ty, ty);
    assert!(Value::Composite(vec![]).to_literal().is_none());
}
