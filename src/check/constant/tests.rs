use super::*;
use crate::symbol::Symbol;
use crate::tree::{
    Enum, EnumCase, ExprTree, Global, Literal, MatrixOrder, Modifiers, Origin, Scalar, Swizzle, Type, TypeId,
};

#[derive(Default)]
struct Case {
    program: Program,
    exprs: Arena<ExprId, Expr>,
}

impl Case {
    fn push(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        let ty = self.program.types.intern(ty);
        self.exprs.push(Expr { kind, ty, span: Span::default() })
    }
    fn int(&mut self, value: i64, kind: Scalar) -> ExprId {
        self.push(ExprKind::Literal(Literal::Int(value), None), Type::Scalar(kind))
    }
    fn float(&mut self, value: f64) -> ExprId {
        self.push(ExprKind::Literal(Literal::Float(value), None), Type::Scalar(Scalar::F32))
    }
    fn eval(&self, id: ExprId) -> Result<Value, String> {
        eval(&self.program, &self.exprs, id).map_err(|(_, reason)| reason)
    }
    fn constant(&mut self, kind: GlobalKind, exprs: Arena<ExprId, Expr>, root: Option<ExprId>) -> GlobalId {
        self.program.globals.push(Global {
            name: Symbol::new("N"),
            ty: TypeId::INT,
            kind,
            transparent: false,
            modifiers: Modifiers::default(),
            matrix_order: None::<MatrixOrder>,
            explicit: Default::default(),
            binding: None,
            init: root.map(|root| ExprTree { exprs, root }),
            semantic: None,
            attributes: Vec::new(),
            comments: Vec::new(),
            span: Span::default(),
            file: Default::default(),
            unit: 0,
            ordinal: 0,
            namespace: Default::default(),
            origin: Origin::Declared,
            block: None,
            stored: Vec::new(),
            wraps: None,
            pair: None,
        })
    }
}

fn int2(op: BinaryOp, a: i64, b: i64, kind: Scalar) -> Result<Value, String> {
    let mut case = Case::default();
    let (x, y) = (case.int(a, kind), case.int(b, kind));
    let id = case.push(ExprKind::Binary(op, x, y), Type::Scalar(kind));
    case.eval(id)
}

#[test]
fn integers_wrap_at_their_width() {
    use BinaryOp::*;
    use Scalar::*;
    for (op, a, b, kind, expected) in [
        (Add, i64::from(i32::MAX), 1, I32, i64::from(i32::MIN)),
        (Sub, 0, 1, U32, 0xffff_ffff),
        (Mul, 0x10000, 0x10000, U32, 0),
        (Mul, 300, 300, I16, 24464),
        (Sub, 0, 1, U64, -1),
        (Div, -7, 2, I32, -3),
        (Rem, -7, 2, I32, -1),
        (Div, 0xffff_fff9, 2, U32, 0x7fff_fffc),
        (Div, -1, 2, U64, i64::MAX),
        (Div, i64::from(i32::MIN), -1, I32, i64::from(i32::MIN)),
        (Div, i64::MIN, -1, I64, i64::MIN),
        (Shl, 1, 31, I32, i64::from(i32::MIN)),
        (Shl, 1, 33, I32, 0),
        (Shr, -8, 40, I32, -1),
        (Shr, 0x8000_0000, 32, U32, 0),
        (Shl, 7, 16, U16, 0),
        (Shl, 1, 33, I64, 1 << 33),
        (Shr, -8, 1, I32, -4),
        (Shr, 0x8000_0000, 31, U32, 1),
        (Shr, -1, 63, U64, 1),
        (BitXor, 5, 3, I32, 6),
    ] {
        assert_eq!(int2(op, a, b, kind), Ok(Value::Int(expected, kind)), "{a} {op:?} {b} {kind:?}");
    }
}

#[test]
fn comparisons_respect_the_sign() {
    assert_eq!(int2(BinaryOp::Less, -1, 1, Scalar::I64), Ok(Value::Bool(true)));
    assert_eq!(int2(BinaryOp::Less, -1, 1, Scalar::U64), Ok(Value::Bool(false)));
    assert_eq!(int2(BinaryOp::GreaterEqual, 2, 2, Scalar::I32), Ok(Value::Bool(true)));
    let mut case = Case::default();
    let nan = case.float(f64::NAN);
    let other = case.float(f64::NAN);
    let equal = case.push(ExprKind::Binary(BinaryOp::Equal, nan, other), Type::Scalar(Scalar::Bool));
    assert_eq!(case.eval(equal), Ok(Value::Bool(false)));
}

#[test]
fn division_of_integers_by_zero_is_an_error() {
    assert_eq!(int2(BinaryOp::Div, 1, 0, Scalar::I32), Err("division by zero".into()));
    assert_eq!(int2(BinaryOp::Rem, 1, 0, Scalar::U32), Err("division by zero".into()));
    let mut case = Case::default();
    let (a, b) = (case.float(1.0), case.float(0.0));
    let id = case.push(ExprKind::Binary(BinaryOp::Div, a, b), Type::Scalar(Scalar::F32));
    assert_eq!(case.eval(id), Ok(Value::Float(f64::INFINITY, Scalar::F32)));
}

#[test]
fn floats_are_rounded() {
    let mut case = Case::default();
    let (a, b) = (case.float(16_777_216.0), case.float(1.0));
    let id = case.push(ExprKind::Binary(BinaryOp::Add, a, b), Type::Scalar(Scalar::F32));
    assert_eq!(case.eval(id), Ok(Value::Float(16_777_216.0, Scalar::F32)));
}

fn converted(value: ExprKind, from: Type, to: Type) -> Result<Value, String> {
    let mut case = Case::default();
    let of = case.push(value, from);
    let id = case.push(ExprKind::Convert(of, true), to);
    case.eval(id)
}

#[test]
fn conversions() {
    use Scalar::*;
    let scalar = |literal, from, to| converted(ExprKind::Literal(literal, None), Type::Scalar(from), Type::Scalar(to));
    assert_eq!(scalar(Literal::Float(-2.9), F32, I32), Ok(Value::Int(-2, I32)));
    assert_eq!(scalar(Literal::Float(1e20), F32, I32), Ok(Value::Int(i32::MAX.into(), I32)));
    assert_eq!(scalar(Literal::Int(-1), I32, U32), Ok(Value::Int(0xffff_ffff, U32)));
    assert_eq!(scalar(Literal::Int(-1), U64, F64), Ok(Value::Float(u64::MAX as f64, F64)));
    assert_eq!(scalar(Literal::Int(3), I32, Bool), Ok(Value::Bool(true)));
    assert_eq!(scalar(Literal::Bool(true), Bool, F32), Ok(Value::Float(1.0, F32)));
    let splat = converted(ExprKind::Literal(Literal::Int(2), None), Type::Scalar(I32), Type::Vector(F32, 2));
    assert_eq!(splat, Ok(Value::Composite(vec![Value::Float(2.0, F32); 2])));
}

#[test]
fn a_matrix_is_cut_by_rows() {
    let mut case = Case::default();
    let parts: Vec<ExprId> = (0..9).map(|n| case.int(n, Scalar::I32)).collect();
    let matrix = case.push(ExprKind::Construct(parts), Type::Matrix(Scalar::I32, 3, 3));
    let id = case.push(ExprKind::Convert(matrix, false), Type::Matrix(Scalar::I32, 2, 2));
    let row = |a, b| Value::Composite(vec![Value::Int(a, Scalar::I32), Value::Int(b, Scalar::I32)]);
    assert_eq!(case.eval(id), Ok(Value::Composite(vec![row(0, 1), row(3, 4)])));
    let id = case.push(ExprKind::MatrixSwizzle(matrix, vec![(2, 1), (0, 2)]), Type::Vector(Scalar::I32, 2));
    assert_eq!(case.eval(id), Ok(row(7, 2)));
}

#[test]
fn parts() {
    let mut case = Case::default();
    let list: Vec<ExprId> = (4..7).map(|n| case.int(n, Scalar::I32)).collect();
    let vector = case.push(ExprKind::Construct(list), Type::Vector(Scalar::I32, 3));
    let index = |case: &mut Case, n| {
        let n = case.int(n, Scalar::I32);
        let id = case.push(ExprKind::Index(vector, n), Type::Scalar(Scalar::I32));
        case.eval(id)
    };
    assert_eq!(index(&mut case, 2), Ok(Value::Int(6, Scalar::I32)));
    assert_eq!(index(&mut case, 3), Err("the index 3 is out of range; there are 3 elements".into()));
    assert!(index(&mut case, -1).is_err());
    let id = case.push(ExprKind::Swizzle(vector, Swizzle::new(&[2])), Type::Scalar(Scalar::I32));
    assert_eq!(case.eval(id), Ok(Value::Int(6, Scalar::I32)));
    let one = case.float(1.0);
    let id = case.push(ExprKind::Swizzle(one, Swizzle::new(&[0, 0])), Type::Vector(Scalar::F32, 2));
    assert_eq!(case.eval(id), Ok(Value::Composite(vec![Value::Float(1.0, Scalar::F32); 2])));
    let zero = case.push(ExprKind::Zero, Type::Array(TypeId::UINT, Some(2)));
    assert_eq!(case.eval(zero), Ok(Value::Composite(vec![Value::Int(0, Scalar::U32); 2])));
}

#[test]
fn logic_stops_early() {
    let mut case = Case::default();
    let bool_ = Type::Scalar(Scalar::Bool);
    let no = case.push(ExprKind::Literal(Literal::Bool(false), None), bool_);
    let unknown = case.push(ExprKind::Local(LocalId(0)), bool_);
    let and = case.push(ExprKind::Binary(BinaryOp::And, no, unknown), bool_);
    assert_eq!(case.eval(and), Ok(Value::Bool(false)));
    let or = case.push(ExprKind::Binary(BinaryOp::Or, no, unknown), bool_);
    assert!(case.eval(or).is_err());
    let one = case.int(1, Scalar::I32);
    let select = case.push(ExprKind::Select(no, unknown, one), Type::Scalar(Scalar::I32));
    assert_eq!(case.eval(select), Ok(Value::Int(1, Scalar::I32)));
}

#[test]
fn globals_and_enum_cases() {
    let mut case = Case::default();
    let mut init = Arena::default();
    let literal = ExprKind::Literal(Literal::Int(7), None);
    let root = init.push(Expr { kind: literal, ty: TypeId::INT, span: Span::default() });
    let known = case.constant(GlobalKind::Const, init, Some(root));
    let parameter = case.constant(GlobalKind::Parameter, Arena::default(), None);
    let int = Type::Scalar(Scalar::I32);
    let id = case.push(ExprKind::Global(known), int);
    assert_eq!(case.eval(id), Ok(Value::Int(7, Scalar::I32)));
    let id = case.push(ExprKind::Global(parameter), int);
    assert_eq!(case.eval(id), Err("`N` is a shader parameter, whose value is set by the application".into()));

    let cases = vec![EnumCase { name: Symbol::new("A"), value: 5, comments: Vec::new() }];
    let (name, span) = (Symbol::new("E"), Span::default());
    let e = case.program.enums.push(Enum { name, tag: Scalar::U32, cases, comments: Vec::new(), span });
    let id = case.push(ExprKind::EnumCase(e, 0), Type::Enum(e));
    assert_eq!(case.eval(id), Ok(Value::Int(5, Scalar::U32)));
    let ty = case.program.types.intern(Type::Enum(e));
    let back = Value::Int(5, Scalar::U32).to_expr(&mut case.exprs, &mut case.program, ty, span).unwrap();
    assert!(matches!(case.exprs[back].kind, ExprKind::EnumCase(..)));
    let back = Value::Int(6, Scalar::U32).to_expr(&mut case.exprs, &mut case.program, ty, span).unwrap();
    assert!(matches!(case.exprs[back].kind, ExprKind::Convert(..)));
}

#[test]
fn a_constant_that_needs_itself_is_an_error() {
    let mut case = Case::default();
    let id = GlobalId(0);
    let mut init = Arena::default();
    let root = init.push(Expr { kind: ExprKind::Global(id), ty: TypeId::INT, span: Span::default() });
    assert_eq!(case.constant(GlobalKind::Const, init, Some(root)), id);
    let use_ = case.push(ExprKind::Global(id), Type::Scalar(Scalar::I32));
    assert_eq!(case.eval(use_), Err("this constant expression is too complex".into()));
}

#[test]
fn doubling_chains_end() {
    let mut case = Case::default();
    let mut before: Option<GlobalId> = None;
    for _ in 0..60 {
        let mut init = Arena::default();
        let span = Span::default();
        let mut leaf = || {
            let kind = before.map_or(ExprKind::Literal(Literal::Int(1), None), ExprKind::Global);
            init.push(Expr { kind, ty: TypeId::INT, span })
        };
        let (a, b) = (leaf(), leaf());
        let root = init.push(Expr { kind: ExprKind::Binary(BinaryOp::Add, a, b), ty: TypeId::INT, span });
        before = Some(case.constant(GlobalKind::Const, init, Some(root)));
    }
    let last = case.push(ExprKind::Global(before.unwrap()), Type::Scalar(Scalar::I32));
    assert_eq!(case.eval(last), Err("this constant expression is too complex".into()));
}

#[test]
fn values_become_expressions() {
    let mut case = Case::default();
    let row = |a: f64| Value::Composite(vec![Value::Float(a, Scalar::F32), Value::Float(a + 1.0, Scalar::F32)]);
    let value = Value::Composite(vec![row(1.0), row(3.0)]);
    let ty = case.program.types.matrix(Scalar::F32, 2, 2);
    let id = value.to_expr(&mut case.exprs, &mut case.program, ty, Span::default()).unwrap();
    assert_eq!(case.eval(id), Ok(value));
    assert_eq!(case.exprs[id].ty, ty);
    assert!(Value::Composite(vec![]).to_literal().is_none());
}
