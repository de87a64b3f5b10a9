//! Types of operators on scalars, vectors, matrices and enums: what the operands are converted to and what comes out.
//!
//! Both operands of an operator get one common type (see [`convert::join`]); shifts keep the left operand's kind. Logical
//! operators and `?:` are HLSL 2021's on scalars, and componentwise on vectors as Slang and older HLSL have them.

use super::convert::{self, Shape, enum_tag, join_scalars, join_shapes, numeric};
use crate::parse::Language;
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
        other => numeric(&program.types, other.contents().unwrap_or(ty)),
    }
}

/// Types a binary operator. The error is what is wrong, without the operands' types.
pub fn binary(
    program: &mut Program,
    op: BinaryOp,
    (left, right): (TypeId, TypeId),
    language: Language,
) -> Result<Binary, String> {
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
    // In a generic function of Slang `==` of vectors gives one bool; its instances have a vector here.
    let language = if (a, b) == (Scalar::Bool, Scalar::Bool) { Language::Hlsl } else { language };
    let Some(shape) = join_shapes(p, q, language) else {
        let product = match (p, q) {
            (Shape::Vector(_), Shape::Vector(_)) => "",
            _ => "; use `mul` for products of matrices and vectors",
        };
        return Err(format!("`{}` takes operands of one shape{product}", op.spelling()));
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
        family.operand(join_scalars(a, b, language))
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
    let is_of_bools = matches!(program.types.get(left), Type::Enum(id) if enum_tag(program, id) == Scalar::Bool);
    let same = |result| Some(Binary { left, right, result });
    match family(op) {
        // Bools have no order: their numbers have.
        Family::Order if is_of_bools => None,
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
        return Err(format!("`{}` takes a scalar, vector or matrix", op.spelling()));
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

/// The prefix operator of a spelling; `+` is none (it only promotes), `++` and `--` are steps.
pub fn unary_op(spelling: &str) -> Option<UnaryOp> {
    [UnaryOp::Negate, UnaryOp::Not, UnaryOp::BitNot].into_iter().find(|op| op.spelling() == spelling)
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
pub fn assign(
    program: &mut Program,
    op: Option<BinaryOp>,
    (target, value): (TypeId, TypeId),
    language: Language,
) -> Result<Assign, String> {
    let Some(op) = op else { return Ok(Assign { value: target, through: None }) };
    // Flags of one enum make a value of it.
    let of_flags = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor) && value == target;
    if matches!(program.types.get(target), Type::Enum(_)) && !of_flags {
        return Err(format!("`{}=` gives a number, which is no value of an enum", op.spelling()));
    }
    if matches!(program.types.get(target), Type::ConstantBuffer(..) | Type::TextureBuffer(_)) {
        return Err("a constant buffer is only read".into());
    }
    let typed = binary(program, op, (target, value), language)?;
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
    if convert::join_shapes(p, q, language).is_some_and(|s| s.count() < p.count()) {
        return Err(format!("the right side of `{}=` has fewer components than the left", op.spelling()));
    }
    let kind = match family(op) {
        Family::Shift if b == Scalar::Bool => Scalar::I32,
        Family::Shift => b,
        _ => join_scalars(a, b, language),
    };
    // Such an operator gives the same bits whatever the sign: `wide += word` in HLSL.
    let bits_alone = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) || family(op) == Family::Bits;
    if bits_alone && a.is_signed() && kind.is_unsigned() && a.size() == kind.size() && b.size() < a.size() {
        return Ok(Assign { value: p.of(&mut program.types, a), through: None });
    }
    let right = p.of(&mut program.types, kind);
    if a == Scalar::Bool || (a != join_scalars(a, b, language) && family(op) != Family::Shift) {
        // The operation is done in a wider kind than the target's.
        let typed = binary(program, op, (target, right), language)?;
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
pub fn select(
    program: &mut Program,
    condition: TypeId,
    (a, b): (TypeId, TypeId),
    language: Language,
) -> Result<Select, String> {
    let shape = match operand(program, condition) {
        _ if condition == TypeId::ERROR => Shape::Scalar,
        Some((_, shape)) => shape,
        None => return Err("the condition of `?:` must be a bool or a vector of bools".into()),
    };
    let result = branches(program, a, b, language).ok_or("the branches of `?:` have no common type")?;
    if shape.count() == 1 {
        return Ok(Select { condition: TypeId::BOOL, result });
    }
    if result == TypeId::ERROR {
        return Ok(Select { condition, result });
    }
    let Some((kind, of)) = numeric(&program.types, result) else {
        return Err("`?:` with a vector condition takes branches of numbers".into());
    };
    let both = join_shapes(shape, of, language).ok_or("the condition and branches of `?:` differ in shape")?;
    let types = &mut program.types;
    Ok(Select { condition: both.of(types, Scalar::Bool), result: both.of(types, kind) })
}

/// The common type of two branches; enums of different types meet as integers.
fn branches(program: &mut Program, a: TypeId, b: TypeId, language: Language) -> Option<TypeId> {
    if a == b {
        return Some(a);
    }
    let value = |program: &mut Program, ty| match program.types.get(ty) {
        Type::Enum(id) => {
            let tag = enum_tag(program, id);
            program.types.scalar(tag)
        }
        other => other.contents().unwrap_or(ty),
    };
    let (a, b) = (value(program, a), value(program, b));
    convert::join(&mut program.types, a, b, language)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::{becomes, problems};

    #[test]
    fn arithmetic() {
        for op in ["+", "-", "*", "/", "%"] {
            becomes(&[
                ("int a, uint b", &format!("var x = a {op} b;"), &format!("uint x = uint(a) {op} b;")),
                ("int3 a, float b", &format!("var x = a {op} b;"), &format!("float3 x = float3(a) {op} float3(b);")),
                ("bool a, bool b", &format!("var x = a {op} b;"), &format!("int x = int(a) {op} int(b);")),
                ("bool a, float b", &format!("var x = a {op} b;"), &format!("float x = float(a) {op} b;")),
                ("SamplerState a, float b", &format!("var x = a {op} b;"), "E0309"),
                ("float3x3 a, float3 b", &format!("var x = a {op} b;"), "E0309"),
            ]);
        }
        becomes(&[
            ("float3 a, float4 b", "var x = a + b;", "E0309"),
            ("float3x3 a, int b", "var x = a * b;", "float3x3 x = a * float3x3(float(b));"),
        ]);
    }

    #[test]
    fn bits_and_shifts() {
        becomes(&[
            ("bool a, bool b", "var x = a & b;", "bool x = a & b;"),
            ("bool a, int b", "var x = a & b;", "int x = int(a) & b;"),
            ("int3 a, uint b", "var x = a | b;", "uint3 x = uint3(a) | uint3(b);"),
            ("int a, int64_t b", "var x = a << b;", "int x = a << b;"),
            ("int16_t a, int b", "var x = a << b;", "int16_t x = a << b;"),
            ("bool a, int b", "var x = a << b;", "int x = int(a) << b;"),
            ("int a, int3 b", "var x = a >> b;", "int3 x = int3(a) >> b;"),
        ]);
        for op in ["&", "|", "^", "<<", ">>"] {
            becomes(&[
                ("int a, float b", &format!("var x = a {op} b;"), "E0309"),
                ("float3 a, int b", &format!("var x = a {op} b;"), "E0309"),
            ]);
        }
    }

    #[test]
    fn comparison_and_logic() {
        becomes(&[
            ("int a, float b", "var x = a < b;", "bool x = float(a) < b;"),
            ("bool a, bool b", "var x = a < b;", "bool x = int(a) < int(b);"),
            ("bool a, bool b", "var x = a == b;", "bool x = a == b;"),
            ("float3 a, float b", "var x = a == b;", "bool3 x = a == float3(b);"),
            ("float a, int b", "var x = a && b;", "bool x = bool(a) && bool(b);"),
            ("bool3 a, bool b", "var x = a || b;", "bool3 x = a || bool3(b);"),
            ("float2x2 a, float2x2 b", "var x = a != b;", "bool2x2 x = a != b;"),
            ("SamplerState a, SamplerState b", "var x = a == b;", "E0309"),
        ]);
    }

    #[test]
    fn enums_are_their_tags_except_among_themselves() {
        becomes(&[
            ("E a, E b", "var x = a == b;", "bool x = a == b;"),
            ("E a, E b", "var x = a | b;", "E x = a | b;"),
            ("E a, E b", "var x = a + b;", "int x = int(a) + int(b);"),
            ("E a, uint b", "var x = a == b;", "bool x = uint(a) == b;"),
            ("E a, float b", "var x = a * b;", "float x = float(a) * b;"),
        ]);
    }

    #[test]
    fn prefix_operators_and_steps() {
        becomes(&[
            ("bool a", "var x = -a;", "int x = -int(a);"),
            ("uint a", "var x = -a;", "uint x = -a;"),
            ("float3 a", "var x = !a;", "bool3 x = !bool3(a);"),
            ("bool3 a", "var x = ~a;", "bool3 x = !a;"),
            ("E a", "var x = ~a;", "E x = ~a;"),
            ("float a", "var x = ~a;", "E0309"),
            ("", "var x = -\"text\";", "E0309"),
            ("int a", "var x = a++;", "int x = a++;"),
            ("bool a", "var x = a++;", "E0309"),
            ("SamplerState a", "var x = a++;", "E0309"),
        ]);
    }

    #[test]
    fn assignments() {
        becomes(&[
            ("float a, int b", "a = b;", "a = float(b);"),
            ("float a, int b", "a += b;", "a += float(b);"),
            ("float3 a, float b", "a += b;", "a += float3(b);"),
            ("float3 a, float4 b", "a += b;", "E0309"),
            ("float a, float3 b", "a += b;", "a += b.x;"),
            ("int a, float b", "a *= b;", "a = int(float(a) * b);"),
            ("int3 a, float b", "a *= b;", "a = int3(float3(a) * float3(b));"),
            ("int a, uint b", "a += b;", "a = int(uint(a) + b);"),
            ("bool a, bool b", "a |= b;", "a |= b;"),
            ("bool a, uint b", "a |= b;", "a = bool(uint(a) | b);"),
            ("bool a, int b", "a += b;", "a = bool(int(a) + b);"),
            ("int a, uint b", "a <<= b;", "a <<= b;"),
            ("int16_t a, int b", "a <<= b;", "a <<= b;"),
            ("float3 a, float2 b", "a += b;", "E0309"),
            ("int a, float b", "a &= b;", "E0309"),
            ("int a, float b", "a <<= b;", "E0309"),
        ]);
    }

    #[test]
    fn spellings() {
        assert_eq!(assign_op("="), Some(None));
        assert_eq!(assign_op(">>="), Some(Some(BinaryOp::Shr)));
        assert_eq!(["==", "<=", "&&="].map(assign_op), [None; 3]);
        assert_eq!(["&&", "="].map(binary_op), [Some(BinaryOp::And), None]);
        assert_eq!(unary_op("~"), Some(UnaryOp::BitNot));
    }

    #[test]
    fn selections() {
        becomes(&[
            ("int c, int a, float b", "var x = c ? a : b;", "float x = bool(c) ? float(a) : b;"),
            ("bool c, int3 a, float b", "var x = c ? a : b;", "float3 x = c ? float3(a) : float3(b);"),
            ("bool3 c, float3 a, float b", "var x = c ? a : b;", "float3 x = c ? a : float3(b);"),
            ("float3 c, float a, int b", "var x = c ? a : b;", "float3 x = bool3(c) ? float3(a) : float3(float(b));"),
            ("bool c, bool a, bool b", "var x = c ? a : b;", "bool x = c ? a : b;"),
            ("bool c, E a, E b", "var x = c ? a : b;", "E x = c ? a : b;"),
            ("bool c, E a, int b", "var x = c ? a : b;", "int x = c ? int(a) : b;"),
            ("bool c, SamplerState a", "var x = c ? a : a;", "SamplerState x = c ? a : a;"),
            ("bool c, SamplerState a, int b", "var x = c ? a : b;", "E0309"),
            ("SamplerState c, int a, int b", "var x = c ? a : b;", "E0309"),
            ("bool3 c, SamplerState a", "var x = c ? a : a;", "E0309"),
        ]);
    }

    #[test]
    fn one_fault_is_reported_once() {
        for statement in ["other + nothing();", "~other;", "other ? 1 : other;", "other += 1;", "other++;"] {
            let list = problems("a.slang", &format!("void nothing() {{}} void f() {{ {statement} }}"));
            assert_eq!(list.len(), 1, "{statement}: {list:?}");
        }
    }
}
