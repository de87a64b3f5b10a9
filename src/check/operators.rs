//! Types of operators on scalars, vectors, matrices and enums: what the operands are converted to and what comes out.
//!
//! Both operands of an operator get one common type (see [`convert::join`]); shifts keep the left operand's kind. Logical
//! operators and `?:` are HLSL 2021's on scalars, and componentwise on vectors as Slang and older HLSL have them.

use super::convert::{self, Shape, enum_tag, join_scalars, join_shapes, numeric};
use crate::tree::{BinaryOp, Program, Scalar, Type, TypeId, UnaryOp};

/// A typed binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binary {
    /// The left operand is converted to this.
    pub left: TypeId,
    /// The right operand is converted to this.
    pub right: TypeId,
    /// The type of the whole.
    pub result: TypeId,
}

/// A typed unary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unary {
    /// The operator to use: `~` on a bool is `!`.
    pub op: UnaryOp,
    /// The operand is converted to this.
    pub operand: TypeId,
    /// The type of the whole.
    pub result: TypeId,
}

/// A typed assignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assign {
    /// The value is converted to this.
    pub value: TypeId,
    /// Set when the operation is done in another type than the target's (`i *= 2.5` multiplies floats): the target
    /// becomes `(target type)(target op value)` with these types.
    pub through: Option<Binary>,
}

/// A typed `?:`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Select {
    /// The condition is converted to this.
    pub condition: TypeId,
    /// Both branches are converted to this, and it is the type of the whole.
    pub result: TypeId,
}

/// What an operator asks of its operands' components.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Any number; bool becomes int.
    Arithmetic,
    /// Integers, and bool as itself.
    Bits,
    /// Integers; bool becomes int.
    Shift,
    /// Anything, becomes bool.
    Logic,
    /// Anything.
    Equality,
    /// Any number; bool becomes int.
    Order,
}

/// Operators by family.
fn family(op: BinaryOp) -> Family {
    use BinaryOp::*;
    match op {
        Add | Sub | Mul | Div | Rem => Family::Arithmetic,
        BitAnd | BitOr | BitXor => Family::Bits,
        Shl | Shr => Family::Shift,
        And | Or => Family::Logic,
        Equal | NotEqual => Family::Equality,
        Less | LessEqual | Greater | GreaterEqual => Family::Order,
    }
}

impl Family {
    /// The component kind in which an operation on the common kind `s` is done, `None` if there is none.
    fn operand(self, s: Scalar) -> Option<Scalar> {
        match self {
            Family::Arithmetic | Family::Order => Some(if s == Scalar::Bool { Scalar::I32 } else { s }),
            Family::Bits => (!s.is_float()).then_some(s),
            Family::Shift => (!s.is_float()).then_some(if s == Scalar::Bool { Scalar::I32 } else { s }),
            Family::Logic => Some(Scalar::Bool),
            Family::Equality => Some(s),
        }
    }

    /// Whether the result is bool.
    fn gives_bool(self) -> bool {
        matches!(self, Family::Logic | Family::Equality | Family::Order)
    }

    /// In words.
    fn wants(self) -> &'static str {
        match self {
            Family::Bits | Family::Shift => "integers",
            _ => "scalars, vectors or matrices",
        }
    }
}

/// Component kind and shape of an operand; an enum counts as its tag, a constant buffer as its contents.
fn operand(program: &Program, ty: TypeId) -> Option<(Scalar, Shape)> {
    match program.types.get(ty) {
        Type::Enum(id) => Some((enum_tag(program, id), Shape::Scalar)),
        Type::ConstantBuffer(e) | Type::TextureBuffer(e) | Type::ParameterBlock(e) => numeric(&program.types, e),
        _ => numeric(&program.types, ty),
    }
}

/// Types a binary operator. The error is what is wrong, without the operands' types.
pub fn binary(program: &mut Program, op: BinaryOp, left: TypeId, right: TypeId) -> Result<Binary, String> {
    let family = family(op);
    if left == TypeId::ERROR || right == TypeId::ERROR {
        return Ok(Binary { left: TypeId::ERROR, right: TypeId::ERROR, result: error_result(family) });
    }
    if let Some(kept) = enums(program, op, left, right) {
        return Ok(kept);
    }
    let (Some((a, p)), Some((b, q))) = (operand(program, left), operand(program, right)) else {
        return Err(format!("`{}` takes {}", op.spelling(), family.wants()));
    };
    let Some(shape) = join_shapes(p, q) else {
        return Err(format!(
            "`{}` takes operands of one shape; use `mul` for products of matrices and vectors",
            op.spelling()
        ));
    };
    let types = &mut program.types;
    if family == Family::Shift {
        let kinds = family.operand(a).zip(family.operand(b));
        let (a, b) = kinds.ok_or_else(|| format!("`{}` takes integers", op.spelling()))?;
        let (left, right) = (shape.of(types, a), shape.of(types, b));
        return Ok(Binary { left, right, result: left });
    }
    let kind = if family == Family::Bits && (a.is_float() || b.is_float()) {
        None
    } else {
        family.operand(join_scalars(a, b))
    };
    let kind = kind.ok_or_else(|| format!("`{}` takes {}", op.spelling(), family.wants()))?;
    let common = shape.of(types, kind);
    let result = if family.gives_bool() { shape.of(types, Scalar::Bool) } else { common };
    Ok(Binary { left: common, right: common, result })
}

/// The result type of an operator on operands that were in error.
fn error_result(family: Family) -> TypeId {
    if family.gives_bool() { TypeId::BOOL } else { TypeId::ERROR }
}

/// Equal enums compare as themselves, and `|`, `&`, `^` of flags stay their enum.
fn enums(program: &Program, op: BinaryOp, left: TypeId, right: TypeId) -> Option<Binary> {
    let is_enum = matches!(program.types.get(left), Type::Enum(_));
    let same = |result| Some(Binary { left, right, result });
    match family(op) {
        Family::Equality | Family::Order if is_enum && left == right => same(TypeId::BOOL),
        Family::Bits if is_enum && left == right => same(left),
        _ => None,
    }
}

/// Types a prefix operator.
pub fn unary(program: &mut Program, op: UnaryOp, ty: TypeId) -> Result<Unary, String> {
    if ty == TypeId::ERROR {
        return Ok(Unary { op, operand: ty, result: ty });
    }
    let Some((kind, shape)) = operand(program, ty) else {
        return Err(format!("`{}` takes a scalar, vector or matrix", unary_spelling(op)));
    };
    let (op, kind) = match (op, kind) {
        (UnaryOp::Negate, Scalar::Bool) => (op, Scalar::I32),
        (UnaryOp::BitNot, Scalar::Bool) => (UnaryOp::Not, Scalar::Bool),
        (UnaryOp::BitNot, s) if s.is_float() => return Err("`~` takes integers".into()),
        (UnaryOp::Not, _) => (op, Scalar::Bool),
        (op, s) => (op, s),
    };
    if op == UnaryOp::BitNot && matches!(program.types.get(ty), Type::Enum(_)) {
        return Ok(Unary { op, operand: ty, result: ty });
    }
    let ty = shape.of(&mut program.types, kind);
    Ok(Unary { op, operand: ty, result: ty })
}

/// Spelling of a prefix operator.
pub fn unary_spelling(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "-",
        UnaryOp::Not => "!",
        UnaryOp::BitNot => "~",
    }
}

/// The prefix operator of a spelling; `+` is none (it only promotes), `++` and `--` are steps.
pub fn unary_op(spelling: &str) -> Option<UnaryOp> {
    Some(match spelling {
        "-" => UnaryOp::Negate,
        "!" => UnaryOp::Not,
        "~" => UnaryOp::BitNot,
        _ => return None,
    })
}

/// The binary operator of a spelling.
pub fn binary_op(spelling: &str) -> Option<BinaryOp> {
    BinaryOp::ALL.iter().copied().find(|op| op.spelling() == spelling)
}

/// The operator of a compound assignment `+=`; `Some(None)` for `=`.
pub fn assign_op(spelling: &str) -> Option<Option<BinaryOp>> {
    let op = spelling.strip_suffix('=')?;
    if op.is_empty() {
        return Some(None);
    }
    binary_op(op).filter(|op| matches!(family(*op), Family::Arithmetic | Family::Bits | Family::Shift)).map(Some)
}

/// Types `target op= value`. Plain assignment takes whatever converts; the caller reports what does not.
pub fn assign(program: &mut Program, op: Option<BinaryOp>, target: TypeId, value: TypeId) -> Result<Assign, String> {
    let Some(op) = op else { return Ok(Assign { value: target, through: None }) };
    let typed = binary(program, op, target, value)?;
    if target == TypeId::ERROR || value == TypeId::ERROR {
        return Ok(Assign { value: TypeId::ERROR, through: None });
    }
    if typed.left == target && typed.result == target {
        return Ok(Assign { value: typed.right, through: None });
    }
    // Same components, wider value: `v3 *= v4`, `s += v3` cut the value down to the target first.
    let (Some((a, p)), Some((b, q))) = (operand(program, target), operand(program, value)) else {
        return Ok(Assign { value: typed.right, through: Some(typed) });
    };
    if convert::join_shapes(p, q).is_some_and(|s| s.count() < p.count()) {
        return Err(format!("the right side of `{}=` has fewer components than the left", op.spelling()));
    }
    let kind = match family(op) {
        Family::Shift => b,
        _ => join_scalars(a, b),
    };
    let right = p.of(&mut program.types, kind);
    if a == Scalar::Bool || (a != join_scalars(a, b) && family(op) != Family::Shift) {
        // The operation is done in a wider kind than the target's.
        let typed = binary(program, op, target, right)?;
        return Ok(Assign { value: typed.right, through: Some(typed).filter(|t| t.left != target) });
    }
    Ok(Assign { value: right, through: None })
}

/// Types `++` and `--`: the target must be a number.
pub fn step(program: &Program, target: TypeId) -> Result<TypeId, String> {
    match numeric(&program.types, target) {
        _ if target == TypeId::ERROR => Ok(target),
        Some((Scalar::Bool, _)) => Err("`++` and `--` do not take bool".into()),
        Some(_) => Ok(target),
        None => Err("`++` and `--` take numbers".into()),
    }
}

/// Types `condition ? a : b`.
pub fn select(program: &mut Program, condition: TypeId, a: TypeId, b: TypeId) -> Result<Select, String> {
    let shape = match operand(program, condition) {
        _ if condition == TypeId::ERROR => Shape::Scalar,
        Some((_, shape)) => shape,
        None => return Err("the condition of `?:` must be a bool or a vector of bools".into()),
    };
    let result = branches(program, a, b).ok_or("the branches of `?:` have no common type")?;
    if shape.count() == 1 {
        return Ok(Select { condition: TypeId::BOOL, result });
    }
    if result == TypeId::ERROR {
        return Ok(Select { condition, result });
    }
    let Some((kind, of)) = numeric(&program.types, result) else {
        return Err("`?:` with a vector condition takes branches of numbers".into());
    };
    let both = join_shapes(shape, of).ok_or("the condition and branches of `?:` differ in shape")?;
    let types = &mut program.types;
    Ok(Select { condition: both.of(types, Scalar::Bool), result: both.of(types, kind) })
}

/// The common type of two branches; enums of different types meet as integers.
fn branches(program: &mut Program, a: TypeId, b: TypeId) -> Option<TypeId> {
    if a == b {
        return Some(a);
    }
    let value = |program: &mut Program, ty| match program.types.get(ty) {
        Type::Enum(id) => {
            let tag = enum_tag(program, id);
            program.types.scalar(tag)
        }
        Type::ConstantBuffer(e) | Type::TextureBuffer(e) | Type::ParameterBlock(e) => e,
        _ => ty,
    };
    let (a, b) = (value(program, a), value(program, b));
    convert::join(&mut program.types, a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;
    use crate::symbol::Symbol;
    use crate::tree::{Enum, EnumId};

    fn program_with_enum() -> (Program, Type) {
        let mut program = Program::default();
        let id: EnumId = program.enums.push(Enum {
            name: Symbol::new("E"),
            tag: Scalar::I32,
            cases: Vec::new(),
            comments: Vec::new(),
            span: Span::default(),
        });
        (program, Type::Enum(id))
    }

    /// Operand types and result of an operator on two types.
    fn typed(op: &str, a: Type, b: Type) -> Result<(Type, Type, Type), String> {
        let (mut program, _) = program_with_enum();
        let (a, b) = (program.types.intern(a), program.types.intern(b));
        let t = binary(&mut program, binary_op(op).expect("an operator"), a, b)?;
        Ok((program.types.get(t.left), program.types.get(t.right), program.types.get(t.result)))
    }

    const INT: Type = Type::Scalar(Scalar::I32);
    const UINT: Type = Type::Scalar(Scalar::U32);
    const FLOAT: Type = Type::Scalar(Scalar::F32);
    const BOOL: Type = Type::Scalar(Scalar::Bool);
    const FLOAT3: Type = Type::Vector(Scalar::F32, 3);
    const BOOL3: Type = Type::Vector(Scalar::Bool, 3);
    const INT3: Type = Type::Vector(Scalar::I32, 3);

    #[test]
    fn arithmetic() {
        for op in ["+", "-", "*", "/", "%"] {
            assert_eq!(typed(op, INT, UINT), Ok((UINT, UINT, UINT)));
            assert_eq!(typed(op, INT3, FLOAT), Ok((FLOAT3, FLOAT3, FLOAT3)));
            assert_eq!(typed(op, BOOL, BOOL), Ok((INT, INT, INT)));
            assert_eq!(typed(op, BOOL, FLOAT), Ok((FLOAT, FLOAT, FLOAT)));
            assert!(typed(op, Type::Sampler(false), FLOAT).is_err());
            assert!(typed(op, Type::Matrix(Scalar::F32, 3, 3), FLOAT3).is_err());
        }
        let float4 = Type::Vector(Scalar::F32, 4);
        assert_eq!(typed("+", FLOAT3, float4), Ok((FLOAT3, FLOAT3, FLOAT3)));
        let matrix = Type::Matrix(Scalar::F32, 3, 3);
        assert_eq!(typed("*", matrix, INT), Ok((matrix, matrix, matrix)));
    }

    #[test]
    fn bits_and_shifts() {
        let short = Type::Scalar(Scalar::I16);
        let long = Type::Scalar(Scalar::I64);
        assert_eq!(typed("&", BOOL, BOOL), Ok((BOOL, BOOL, BOOL)));
        assert_eq!(typed("&", BOOL, INT), Ok((INT, INT, INT)));
        assert_eq!(typed("|", INT3, UINT).map(|t| t.2), Ok(Type::Vector(Scalar::U32, 3)));
        assert_eq!(typed("<<", INT, long), Ok((INT, long, INT)));
        assert_eq!(typed("<<", short, INT), Ok((short, INT, short)));
        assert_eq!(typed("<<", BOOL, INT), Ok((INT, INT, INT)));
        assert_eq!(typed(">>", INT, INT3), Ok((INT3, INT3, INT3)));
        for op in ["&", "|", "^", "<<", ">>"] {
            assert!(typed(op, INT, FLOAT).is_err());
            assert!(typed(op, FLOAT3, INT).is_err());
        }
    }

    #[test]
    fn comparison_and_logic() {
        assert_eq!(typed("<", INT, FLOAT), Ok((FLOAT, FLOAT, BOOL)));
        assert_eq!(typed("<", BOOL, BOOL), Ok((INT, INT, BOOL)));
        assert_eq!(typed("==", BOOL, BOOL), Ok((BOOL, BOOL, BOOL)));
        assert_eq!(typed("==", FLOAT3, FLOAT), Ok((FLOAT3, FLOAT3, BOOL3)));
        assert_eq!(typed("&&", FLOAT, INT), Ok((BOOL, BOOL, BOOL)));
        assert_eq!(typed("||", BOOL3, BOOL), Ok((BOOL3, BOOL3, BOOL3)));
        let matrix = Type::Matrix(Scalar::F32, 2, 2);
        assert_eq!(typed("!=", matrix, matrix).map(|t| t.2), Ok(Type::Matrix(Scalar::Bool, 2, 2)));
        assert!(typed("==", Type::Sampler(false), Type::Sampler(false)).is_err());
    }

    #[test]
    fn enums_are_their_tags_except_among_themselves() {
        let (_, e) = program_with_enum();
        assert_eq!(typed("==", e, e), Ok((e, e, BOOL)));
        assert_eq!(typed("|", e, e), Ok((e, e, e)));
        assert_eq!(typed("+", e, e), Ok((INT, INT, INT)));
        assert_eq!(typed("==", e, UINT), Ok((UINT, UINT, BOOL)));
        assert_eq!(typed("*", e, FLOAT), Ok((FLOAT, FLOAT, FLOAT)));
    }

    #[test]
    fn prefix_operators() {
        let (mut program, e) = program_with_enum();
        let mut typed = |op, ty| {
            let ty = program.types.intern(ty);
            unary(&mut program, op, ty).map(|u| (u.op, program.types.get(u.operand), program.types.get(u.result)))
        };
        assert_eq!(typed(UnaryOp::Negate, BOOL), Ok((UnaryOp::Negate, INT, INT)));
        assert_eq!(typed(UnaryOp::Negate, UINT), Ok((UnaryOp::Negate, UINT, UINT)));
        assert_eq!(typed(UnaryOp::Not, FLOAT3), Ok((UnaryOp::Not, BOOL3, BOOL3)));
        assert_eq!(typed(UnaryOp::BitNot, BOOL3), Ok((UnaryOp::Not, BOOL3, BOOL3)));
        assert_eq!(typed(UnaryOp::BitNot, e), Ok((UnaryOp::BitNot, e, e)));
        assert!(typed(UnaryOp::BitNot, FLOAT).is_err());
        assert!(typed(UnaryOp::Negate, Type::Text).is_err());
    }

    #[test]
    fn assignments() {
        let (mut program, _) = program_with_enum();
        let mut typed = |op: &str, target, value| {
            let (target, value) = (program.types.intern(target), program.types.intern(value));
            let op = assign_op(op).expect("an assignment");
            let a = assign(&mut program, op, target, value)?;
            let through = a.through.map(|t| program.types.get(t.left));
            Ok::<_, String>((program.types.get(a.value), through))
        };
        assert_eq!(typed("=", FLOAT, INT), Ok((FLOAT, None)));
        assert_eq!(typed("+=", FLOAT, INT), Ok((FLOAT, None)));
        assert_eq!(typed("+=", FLOAT3, FLOAT), Ok((FLOAT3, None)));
        assert_eq!(typed("+=", FLOAT3, Type::Vector(Scalar::F32, 4)), Ok((FLOAT3, None)));
        assert_eq!(typed("+=", FLOAT, FLOAT3), Ok((FLOAT, None)));
        assert_eq!(typed("*=", INT, FLOAT), Ok((FLOAT, Some(FLOAT))));
        assert_eq!(typed("*=", INT3, FLOAT), Ok((FLOAT3, Some(FLOAT3))));
        assert_eq!(typed("+=", INT, UINT), Ok((UINT, Some(UINT))));
        assert_eq!(typed("|=", BOOL, BOOL), Ok((BOOL, None)));
        assert_eq!(typed("|=", BOOL, UINT), Ok((UINT, Some(UINT))));
        assert_eq!(typed("+=", BOOL, INT), Ok((INT, Some(INT))));
        assert_eq!(typed("<<=", INT, UINT), Ok((UINT, None)));
        assert_eq!(typed("<<=", Type::Scalar(Scalar::I16), INT), Ok((INT, None)));
        assert!(typed("+=", FLOAT3, Type::Vector(Scalar::F32, 2)).is_err());
        assert!(typed("&=", INT, FLOAT).is_err());
        assert!(typed("<<=", INT, FLOAT).is_err());
    }

    #[test]
    fn spellings() {
        assert_eq!(assign_op("="), Some(None));
        assert_eq!(assign_op(">>="), Some(Some(BinaryOp::Shr)));
        assert_eq!(assign_op("=="), None);
        assert_eq!(assign_op("<="), None);
        assert_eq!(assign_op("&&="), None);
        assert_eq!(binary_op("&&"), Some(BinaryOp::And));
        assert_eq!(binary_op("="), None);
        assert_eq!(unary_op("~").map(unary_spelling), Some("~"));
    }

    #[test]
    fn steps() {
        let mut program = Program::default();
        assert_eq!(step(&program, TypeId::INT), Ok(TypeId::INT));
        assert!(step(&program, TypeId::BOOL).is_err());
        let sampler = program.types.intern(Type::Sampler(false));
        assert!(step(&program, sampler).is_err());
    }

    #[test]
    fn selections() {
        let (mut program, e) = program_with_enum();
        let mut typed = |c, a, b| {
            let [c, a, b] = [c, a, b].map(|t| program.types.intern(t));
            select(&mut program, c, a, b).map(|s| (program.types.get(s.condition), program.types.get(s.result)))
        };
        assert_eq!(typed(INT, INT, FLOAT), Ok((BOOL, FLOAT)));
        assert_eq!(typed(BOOL, INT3, FLOAT), Ok((BOOL, FLOAT3)));
        assert_eq!(typed(BOOL3, FLOAT3, FLOAT), Ok((BOOL3, FLOAT3)));
        assert_eq!(typed(FLOAT3, FLOAT, INT), Ok((BOOL3, FLOAT3)));
        assert_eq!(typed(BOOL, BOOL, BOOL), Ok((BOOL, BOOL)));
        assert_eq!(typed(BOOL, e, e), Ok((BOOL, e)));
        assert_eq!(typed(BOOL, e, INT), Ok((BOOL, INT)));
        assert_eq!(typed(BOOL, Type::Sampler(false), Type::Sampler(false)), Ok((BOOL, Type::Sampler(false))));
        assert!(typed(BOOL, Type::Sampler(false), INT).is_err());
        assert!(typed(Type::Sampler(false), INT, INT).is_err());
        assert!(typed(BOOL3, Type::Sampler(false), Type::Sampler(false)).is_err());
    }

    #[test]
    fn one_fault_is_reported_once() {
        let mut program = Program::default();
        assert!(binary(&mut program, BinaryOp::Add, TypeId::ERROR, TypeId::VOID).is_ok());
        assert!(unary(&mut program, UnaryOp::BitNot, TypeId::ERROR).is_ok());
        assert!(select(&mut program, TypeId::ERROR, TypeId::INT, TypeId::ERROR).is_ok());
        assert!(assign(&mut program, Some(BinaryOp::Add), TypeId::ERROR, TypeId::INT).is_ok());
        assert!(step(&program, TypeId::ERROR).is_ok());
    }
}
