//! Values of constant expressions: array sizes, enum cases, template arguments, `[numthreads]`, `static const`.
//!
//! Integers wrap around at the width of their kind, shifts by that width or more leave nothing but the sign, floats are rounded to
//! their kind,
//! all as a shader would compute them. What has no value (a shader parameter, a division by zero, a call of a function
//! that only a target can spell) is an error with its place; nothing panics, and depth and work are bounded.

use super::convert::{Shape, enum_tag, numeric, wrap};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Arena, BinaryOp, Block, Body, Expr, ExprId, ExprKind, FunctionBody, FunctionId, GlobalId, GlobalKind, Id, Literal,
    LocalId, Program, Scalar, StmtKind, Type, TypeId, Types, UnaryOp,
};

/// The value of a constant expression. Vectors, arrays and structs are lists of their parts, matrices lists of rows.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A bool.
    Bool(bool),
    /// An integer of a kind; unsigned 64-bit ones as their bits. An enum is its tag.
    Int(i64, Scalar),
    /// A float of a kind.
    Float(f64, Scalar),
    /// Parts.
    Composite(Vec<Value>),
    /// A string.
    Text(Symbol),
}

impl Value {
    /// The integer, also of a bool.
    pub fn int(&self) -> Option<i64> {
        match *self {
            Value::Int(v, _) => Some(v),
            Value::Bool(v) => Some(v.into()),
            _ => None,
        }
    }

    /// The truth of a scalar.
    pub fn truth(&self) -> Option<bool> {
        match *self {
            Value::Bool(v) => Some(v),
            Value::Int(v, _) => Some(v != 0),
            Value::Float(v, _) => Some(v != 0.0),
            _ => None,
        }
    }

    /// The literal of a scalar or string.
    pub fn to_literal(&self) -> Option<Literal> {
        Some(match *self {
            Value::Bool(v) => Literal::Bool(v),
            Value::Int(v, _) => Literal::Int(v),
            Value::Float(v, _) => Literal::Float(v),
            Value::Text(s) => Literal::Text(s),
            Value::Composite(_) => return None,
        })
    }

    /// An expression of type `ty` with this value. `None` if the value is not one of the type.
    pub fn to_expr(
        &self,
        exprs: &mut Arena<ExprId, Expr>,
        program: &mut Program,
        ty: TypeId,
        span: Span,
    ) -> Option<ExprId> {
        let kind = match self {
            Value::Composite(parts) => {
                let mut ids = Vec::with_capacity(parts.len());
                for (index, part) in parts.iter().enumerate() {
                    let ty = part_type(program, ty, index)?;
                    ids.push(part.to_expr(exprs, program, ty, span)?);
                }
                ExprKind::Construct(ids)
            }
            scalar => match program.types.get(ty) {
                Type::Enum(id) => {
                    let value = scalar.int()?;
                    let case = program.enums[id].cases.iter().position(|c| c.value == value);
                    match case {
                        Some(case) => ExprKind::EnumCase(id, case as u32),
                        None => {
                            let tag = program.types.scalar(enum_tag(program, id));
                            let literal = ExprKind::Literal(scalar.to_literal()?, None);
                            ExprKind::Convert(exprs.push(Expr { kind: literal, ty: tag, span }), true)
                        }
                    }
                }
                _ => ExprKind::Literal(scalar.to_literal()?, None),
            },
        };
        Some(exprs.push(Expr { kind, ty, span }))
    }
}

/// The type of a part of a composite type.
fn part_type(program: &mut Program, ty: TypeId, index: usize) -> Option<TypeId> {
    Some(match program.types.get(ty) {
        Type::Vector(s, _) => program.types.scalar(s),
        Type::Matrix(s, _, c) => program.types.vector(s, c),
        Type::Array(element, _) => element,
        Type::Struct(id) => program.structs[id].fields.get(index)?.ty,
        _ => return None,
    })
}

/// Why an expression has no constant value, and where.
pub type NotConstant = (Span, String);

/// The value of an expression without local variables.
pub fn eval(program: &Program, exprs: &Arena<ExprId, Expr>, root: ExprId) -> Result<Value, NotConstant> {
    eval_with(program, exprs, root, &|_| None)
}

/// The value of an expression, in which `local` gives the values of constant local variables.
pub fn eval_with(
    program: &Program,
    exprs: &Arena<ExprId, Expr>,
    root: ExprId,
    local: &dyn Fn(LocalId) -> Option<Value>,
) -> Result<Value, NotConstant> {
    Evaluator { program, depth: 0, work: 0 }.expr(exprs, root, local)
}

/// The constant integer of an expression.
pub fn eval_int(program: &Program, exprs: &Arena<ExprId, Expr>, root: ExprId) -> Result<i64, NotConstant> {
    let value = eval(program, exprs, root)?;
    value.int().ok_or_else(|| (exprs[root].span, "this is not an integer".into()))
}

/// Values of locals.
type Locals<'a> = &'a dyn Fn(LocalId) -> Option<Value>;

type Evaluated = Result<Value, NotConstant>;

struct Evaluator<'a> {
    program: &'a Program,
    depth: u32,
    work: u32,
}

/// Deepest nesting of expressions, initializers and calls.
const MAX_DEPTH: u32 = 128;
/// Most nodes that are visited for one constant.
const MAX_WORK: u32 = 1 << 17;

fn fail<T>(span: Span, reason: impl Into<String>) -> Result<T, NotConstant> {
    Err((span, reason.into()))
}

impl Evaluator<'_> {
    fn expr(&mut self, exprs: &Arena<ExprId, Expr>, id: ExprId, locals: Locals) -> Evaluated {
        if id.index() >= exprs.len() {
            return fail(Span::default(), "this is not a constant");
        }
        let span = exprs[id].span;
        self.work += 1;
        if self.depth >= MAX_DEPTH || self.work > MAX_WORK {
            return fail(span, "this constant expression is too complex");
        }
        self.depth += 1;
        let value = self.kind(exprs, &exprs[id], locals);
        self.depth -= 1;
        value
    }

    fn kind(&mut self, exprs: &Arena<ExprId, Expr>, expr: &Expr, locals: Locals) -> Evaluated {
        let (span, ty, program) = (expr.span, expr.ty, self.program);
        let types = &program.types;
        match &expr.kind {
            ExprKind::Literal(literal, _) => Ok(literal_value(*literal, types.component(ty))),
            ExprKind::Zero => zero(program, ty, MAX_DEPTH).map_or_else(|| fail(span, "this is not plain data"), Ok),
            ExprKind::Local(id) => {
                locals(*id).map_or_else(|| fail(span, "the value of this variable is not known at compile time"), Ok)
            }
            ExprKind::Global(id) => self.global(*id, span),
            ExprKind::EnumCase(id, case) => {
                let tag = enum_tag(program, *id);
                let value = program.enums[*id].cases.get(*case as usize).map(|c| Value::Int(c.value, tag));
                value.map_or_else(|| fail(span, "the enum has no such case"), Ok)
            }
            ExprKind::Field(of, index) => part(self.expr(exprs, *of, locals)?, i64::from(*index), span),
            ExprKind::Index(of, index) => {
                let index = self.expr(exprs, *index, locals)?.int();
                let Some(index) = index else { return fail(span, "the index is not an integer") };
                part(self.expr(exprs, *of, locals)?, index, span)
            }
            ExprKind::Swizzle(of, swizzle) => {
                let of = self.expr(exprs, *of, locals)?;
                let all: Result<Vec<Value>, _> = swizzle
                    .list()
                    .iter()
                    .map(|c| {
                        if matches!(of, Value::Composite(_)) {
                            part(of.clone(), (*c).into(), span)
                        } else {
                            Ok(of.clone())
                        }
                    })
                    .collect();
                Ok(scalar_or_list(all?, types, ty))
            }
            ExprKind::MatrixSwizzle(of, elements) => {
                let of = self.expr(exprs, *of, locals)?;
                let all: Result<Vec<Value>, _> = elements
                    .iter()
                    .map(|(r, c)| part(part(of.clone(), (*r).into(), span)?, (*c).into(), span))
                    .collect();
                Ok(scalar_or_list(all?, types, ty))
            }
            ExprKind::Unary(op, of) => {
                let of = self.expr(exprs, *of, locals)?;
                map1(&of, &mut |v| unary(*op, v, span))
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let a = self.expr(exprs, *a, locals)?;
                match (a.truth(), op) {
                    (Some(false), BinaryOp::And) => Ok(Value::Bool(false)),
                    (Some(true), BinaryOp::Or) => Ok(Value::Bool(true)),
                    _ => map2(&a, &self.expr(exprs, *b, locals)?, span, &mut |a, b| binary(*op, a, b, span)),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(exprs, *a, locals)?, self.expr(exprs, *b, locals)?);
                map2(&a, &b, span, &mut |a, b| binary(*op, a, b, span))
            }
            ExprKind::Select(c, a, b) => self.select(exprs, [*c, *a, *b], span, locals),
            ExprKind::Comma(a, b) => {
                self.expr(exprs, *a, locals)?;
                self.expr(exprs, *b, locals)
            }
            ExprKind::Construct(parts) => {
                let parts: Result<Vec<Value>, _> = parts.iter().map(|p| self.expr(exprs, *p, locals)).collect();
                construct(types, ty, parts?, span)
            }
            ExprKind::Convert(of, _) => {
                let from = exprs[*of].ty;
                convert(program, self.expr(exprs, *of, locals)?, from, ty, span)
            }
            ExprKind::Call(function, args) => self.call(exprs, *function, args, span, locals),
            ExprKind::Property(p) => match p.get {
                Some(get) => self.call(exprs, get, &p.args, span, locals),
                None => fail(span, "this is not a constant"),
            },
            ExprKind::Assign(..) | ExprKind::Step(..) => fail(span, "an assignment is not a constant"),
            ExprKind::Contents(_) | ExprKind::Native(..) | ExprKind::AddressOf(_) | ExprKind::Deref(_) => {
                fail(span, "this value is not known at compile time")
            }
        }
    }

    /// The value of a constant's initializer.
    fn global(&mut self, id: GlobalId, span: Span) -> Evaluated {
        let global = &self.program.globals[id];
        let what = match global.kind {
            GlobalKind::Const => match &global.init {
                Some(init) => {
                    return self.expr(&init.exprs, init.root, &|_| None).map_err(|(_, reason)| (span, reason));
                }
                None => "has no initializer",
            },
            GlobalKind::Specialization => "is a specialization constant, whose value is set when the pipeline is made",
            GlobalKind::Parameter => "is a shader parameter, whose value is set by the application",
            _ => "is a variable; only `static const` has a value at compile time",
        };
        fail(span, format!("`{}` {what}", global.name))
    }

    fn select(&mut self, exprs: &Arena<ExprId, Expr>, [c, a, b]: [ExprId; 3], span: Span, locals: Locals) -> Evaluated {
        let c = self.expr(exprs, c, locals)?;
        if let Some(truth) = c.truth() {
            return self.expr(exprs, if truth { a } else { b }, locals);
        }
        let (a, b) = (self.expr(exprs, a, locals)?, self.expr(exprs, b, locals)?);
        match (c, a, b) {
            (Value::Composite(c), Value::Composite(a), Value::Composite(b)) => {
                let pick = |((c, a), b): ((Value, Value), Value)| if c.truth() == Some(true) { a } else { b };
                Ok(Value::Composite(c.into_iter().zip(a).zip(b).map(pick).collect()))
            }
            _ => fail(span, "the condition is not constant"),
        }
    }

    /// A call of a function whose body is in the language.
    fn call(
        &mut self,
        exprs: &Arena<ExprId, Expr>,
        function: FunctionId,
        args: &[ExprId],
        span: Span,
        locals: Locals,
    ) -> Evaluated {
        let callee = &self.program.functions[function];
        let FunctionBody::Block = callee.body else {
            return fail(span, format!("a call of `{}` is not a constant", callee.name));
        };
        let values: Result<Vec<Value>, _> = args.iter().map(|a| self.expr(exprs, *a, locals)).collect();
        let mut frame: Vec<Option<Value>> = values?.into_iter().map(Some).collect();
        frame.resize(callee.code.locals.len().max(frame.len()), None);
        match self.block(&callee.code, &callee.code.block, &mut frame).map_err(|(_, reason)| (span, reason))? {
            Some(value) => Ok(value),
            None => fail(span, format!("a call of `{}` is not a constant", callee.name)),
        }
    }

    /// Runs a block of declarations, `if` and `return`; the value that it returns, if it does.
    fn block(
        &mut self,
        code: &Body,
        block: &Block,
        frame: &mut Vec<Option<Value>>,
    ) -> Result<Option<Value>, NotConstant> {
        for stmt in &block.stmts {
            let known = frame.clone();
            let local = |id: LocalId| known.get(id.index()).cloned().flatten();
            match &stmt.kind {
                StmtKind::Local(id, Some(init)) => {
                    let value = self.expr(&code.exprs, *init, &local)?;
                    if let Some(slot) = frame.get_mut(id.index()) {
                        *slot = Some(value);
                    }
                }
                StmtKind::Local(..) => {}
                StmtKind::Return(Some(value)) => return self.expr(&code.exprs, *value, &local).map(Some),
                StmtKind::Block(inner) => {
                    if let Some(value) = self.block(code, inner, frame)? {
                        return Ok(Some(value));
                    }
                }
                StmtKind::If(condition, yes, no, _) => {
                    let truth = self.expr(&code.exprs, *condition, &local)?.truth();
                    let taken = if truth == Some(true) { Some(yes) } else { no.as_ref() };
                    if let Some(taken) = taken
                        && let Some(value) = self.block(code, taken, frame)?
                    {
                        return Ok(Some(value));
                    }
                }
                _ => return fail(stmt.span, "a function with such statements is not evaluated at compile time"),
            }
        }
        Ok(None)
    }
}

/// A literal as a value of its expression's kind.
fn literal_value(literal: Literal, kind: Option<Scalar>) -> Value {
    match literal {
        Literal::Bool(v) => Value::Bool(v),
        Literal::Int(v) => Value::Int(wrap(v, kind.unwrap_or(Scalar::I32)), kind.unwrap_or(Scalar::I32)),
        Literal::Float(v) => Value::Float(v, kind.unwrap_or(Scalar::F32)),
        Literal::Text(s) => Value::Text(s),
    }
}

/// The zero of a scalar kind.
fn zero_scalar(kind: Scalar) -> Value {
    match kind {
        Scalar::Bool => Value::Bool(false),
        s if s.is_float() => Value::Float(0.0, s),
        s => Value::Int(0, s),
    }
}

/// Longest array that is held as a value.
const MAX_ELEMENTS: u32 = 1 << 16;

/// The zero of plain data.
fn zero(program: &Program, ty: TypeId, depth: u32) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match program.types.get(ty) {
        Type::Scalar(s) => zero_scalar(s),
        Type::Enum(id) => Value::Int(0, enum_tag(program, id)),
        Type::Vector(s, n) => Value::Composite(vec![zero_scalar(s); n.into()]),
        Type::Matrix(s, r, c) => Value::Composite(vec![Value::Composite(vec![zero_scalar(s); c.into()]); r.into()]),
        Type::Array(element, Some(n)) if n <= MAX_ELEMENTS => {
            Value::Composite(vec![zero(program, element, depth)?; n as usize])
        }
        Type::Struct(id) => {
            let fields = program.structs[id].fields.iter().map(|f| zero(program, f.ty, depth));
            Value::Composite(fields.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// A part of a composite.
fn part(of: Value, index: i64, span: Span) -> Evaluated {
    let Value::Composite(mut parts) = of else { return fail(span, "this has no parts") };
    let count = parts.len();
    match usize::try_from(index).ok().filter(|i| *i < count) {
        Some(index) => Ok(parts.swap_remove(index)),
        None => fail(span, format!("the index {index} is out of range; there are {count} elements")),
    }
}

/// Selected components: a scalar if the type is one.
fn scalar_or_list(mut list: Vec<Value>, types: &Types, ty: TypeId) -> Value {
    match (types.get(ty), list.len()) {
        (Type::Scalar(_), 1) => list.remove(0),
        _ => Value::Composite(list),
    }
}

/// Applies a function to every scalar of a value.
fn map1(value: &Value, f: &mut dyn FnMut(&Value) -> Evaluated) -> Evaluated {
    match value {
        Value::Composite(parts) => Ok(Value::Composite(parts.iter().map(|p| map1(p, f)).collect::<Result<_, _>>()?)),
        scalar => f(scalar),
    }
}

/// Applies a function to every pair of scalars.
fn map2(a: &Value, b: &Value, span: Span, f: &mut dyn FnMut(&Value, &Value) -> Evaluated) -> Evaluated {
    match (a, b) {
        (Value::Composite(a), Value::Composite(b)) if a.len() == b.len() => {
            Ok(Value::Composite(a.iter().zip(b).map(|(a, b)| map2(a, b, span, f)).collect::<Result<_, _>>()?))
        }
        (Value::Composite(_), _) | (_, Value::Composite(_)) => fail(span, "the operands differ in shape"),
        _ => f(a, b),
    }
}

/// A prefix operator on a scalar.
fn unary(op: UnaryOp, value: &Value, span: Span) -> Evaluated {
    Ok(match (op, value) {
        (UnaryOp::Negate, Value::Int(v, s)) => Value::Int(wrap(v.wrapping_neg(), *s), *s),
        (UnaryOp::Negate, Value::Float(v, s)) => Value::Float(-v, *s),
        (UnaryOp::BitNot, Value::Int(v, s)) => Value::Int(wrap(!v, *s), *s),
        (UnaryOp::Not, v) => match v.truth() {
            Some(truth) => Value::Bool(!truth),
            None => return fail(span, "this is not a truth value"),
        },
        _ => return fail(span, "the operator does not take such a value"),
    })
}

/// A binary operator on scalars.
fn binary(op: BinaryOp, a: &Value, b: &Value, span: Span) -> Evaluated {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => match bools(op, *a, *b) {
            Some(v) => Ok(Value::Bool(v)),
            None => fail(span, "the operator does not take bools"),
        },
        (Value::Int(a, s), Value::Int(b, t)) if s == t || matches!(op, BinaryOp::Shl | BinaryOp::Shr) => {
            match compare(op, if s.size() == 8 && s.is_unsigned() { (*a as u64).cmp(&(*b as u64)) } else { a.cmp(b) }) {
                Some(v) => Ok(Value::Bool(v)),
                None => integers(op, *a, *b, *s, span),
            }
        }
        (Value::Float(a, s), Value::Float(b, _)) => match a.partial_cmp(b) {
            _ if !op.is_comparison() => floats(op, *a, *b, *s, span),
            Some(order) => Ok(Value::Bool(compare(op, order).unwrap_or(false))),
            None => Ok(Value::Bool(op == BinaryOp::NotEqual)),
        },
        _ => fail(span, "the operands differ in type"),
    }
}

/// A comparison's outcome; `None` for other operators.
fn compare(op: BinaryOp, order: std::cmp::Ordering) -> Option<bool> {
    Some(match op {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => order.is_ne(),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        BinaryOp::GreaterEqual => order.is_ge(),
        _ => return None,
    })
}

fn bools(op: BinaryOp, a: bool, b: bool) -> Option<bool> {
    Some(match op {
        BinaryOp::And | BinaryOp::BitAnd => a && b,
        BinaryOp::Or | BinaryOp::BitOr => a || b,
        BinaryOp::BitXor => a ^ b,
        _ => return compare(op, a.cmp(&b)),
    })
}

fn integers(op: BinaryOp, a: i64, b: i64, kind: Scalar, span: Span) -> Evaluated {
    if b == 0 && matches!(op, BinaryOp::Div | BinaryOp::Rem) {
        return fail(span, "division by zero");
    }
    let width = match kind {
        Scalar::MinI16 | Scalar::MinU16 => 16,
        kind => kind.size() * 8,
    };
    // What is shifted out altogether: of the sign, one bit remains.
    let out = !(0..i64::from(width)).contains(&b);
    let shift = if out { width - 1 } else { b as u32 };
    let unsigned = kind.is_unsigned();
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if unsigned => ((a as u64) / (b as u64)) as i64,
        BinaryOp::Rem if unsigned => ((a as u64) % (b as u64)) as i64,
        BinaryOp::Div => a.wrapping_div(b),
        BinaryOp::Rem => a.wrapping_rem(b),
        BinaryOp::Shl | BinaryOp::Shr if out && (unsigned || op == BinaryOp::Shl) => 0,
        BinaryOp::Shl => a.wrapping_shl(shift),
        BinaryOp::Shr if unsigned => (a as u64).wrapping_shr(shift) as i64,
        BinaryOp::Shr => a.wrapping_shr(shift),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        _ => return fail(span, "the operator does not take integers"),
    };
    Ok(Value::Int(wrap(value, kind), kind))
}

fn floats(op: BinaryOp, a: f64, b: f64, kind: Scalar, span: Span) -> Evaluated {
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        // By zero too: infinities and NaN are floats.
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        _ => return fail(span, "the operator does not take floats"),
    };
    Ok(Value::Float(round(value, kind), kind))
}

/// A float rounded to its kind (16-bit ones as `float`, the precision of which they have at least here).
fn round(value: f64, kind: Scalar) -> f64 {
    if kind == Scalar::F64 { value } else { f64::from(value as f32) }
}

/// A scalar of another kind.
fn convert_scalar(value: &Value, to: Scalar, span: Span) -> Evaluated {
    let int = |v: i64, from: Scalar| match to {
        Scalar::Bool => Value::Bool(v != 0),
        Scalar::U64 | Scalar::I64 => Value::Int(v, to),
        s if s.is_float() && from == Scalar::U64 => Value::Float(round(v as u64 as f64, s), s),
        s if s.is_float() => Value::Float(round(v as f64, s), s),
        s => Value::Int(wrap(v, s), s),
    };
    Ok(match *value {
        Value::Bool(v) => int(v.into(), Scalar::I32),
        Value::Int(v, from) => int(v, from),
        Value::Float(v, _) if to == Scalar::Bool => Value::Bool(v != 0.0),
        Value::Float(v, from) if to.is_float() => Value::Float(if from == to { v } else { round(v, to) }, to),
        Value::Float(v, _) if to == Scalar::U64 => Value::Int(v as u64 as i64, to),
        Value::Float(v, _) if to == Scalar::U32 => Value::Int((v as i64 as u32).into(), to),
        Value::Float(v, _) if to == Scalar::I32 => Value::Int((v as i32).into(), to),
        Value::Float(v, _) => Value::Int(wrap(v as i64, to), to),
        _ => return fail(span, "this value is not a number"),
    })
}

/// [`ExprKind::Convert`].
fn convert(program: &Program, value: Value, from: TypeId, to: TypeId, span: Span) -> Evaluated {
    let types = &program.types;
    if let Type::Enum(id) = types.get(to) {
        return convert_scalar(&value, enum_tag(program, id), span);
    }
    let Some((kind, shape)) = numeric(types, to) else {
        return if from == to { Ok(value) } else { fail(span, "this conversion has no constant value") };
    };
    let mut scalars = Vec::new();
    flatten(&value, &mut scalars);
    let scalars: Vec<Value> = scalars.iter().map(|v| convert_scalar(v, kind, span)).collect::<Result<_, _>>()?;
    let pick = |row: u8, column: u8, columns: u8| {
        let index = usize::from(row) * usize::from(columns) + usize::from(column);
        scalars.get(if scalars.len() == 1 { 0 } else { index }).cloned()
    };
    // The source's row length, by which a truncated matrix is read.
    let stride = match numeric(types, from) {
        Some((_, Shape::Matrix(_, c))) => c,
        _ => match shape {
            Shape::Matrix(_, c) => c,
            _ => 0,
        },
    };
    let built = match shape {
        Shape::Scalar => pick(0, 0, stride),
        Shape::Vector(n) => (0..n).map(|i| pick(0, i, 0)).collect::<Option<Vec<_>>>().map(Value::Composite),
        Shape::Matrix(r, c) => (0..r)
            .map(|row| (0..c).map(|column| pick(row, column, stride)).collect::<Option<Vec<_>>>().map(Value::Composite))
            .collect::<Option<Vec<_>>>()
            .map(Value::Composite),
    };
    built.map_or_else(|| fail(span, "this conversion has no constant value"), Ok)
}

/// All scalars of a value in order.
fn flatten(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Composite(parts) => parts.iter().for_each(|p| flatten(p, out)),
        scalar => out.push(scalar.clone()),
    }
}

/// [`ExprKind::Construct`].
fn construct(types: &Types, ty: TypeId, parts: Vec<Value>, span: Span) -> Evaluated {
    let Some((_, shape)) = numeric(types, ty) else { return Ok(Value::Composite(parts)) };
    let mut scalars = Vec::new();
    parts.iter().for_each(|p| flatten(p, &mut scalars));
    if scalars.len() != shape.count() as usize {
        return fail(span, "the parts do not add up");
    }
    Ok(match shape {
        Shape::Scalar => scalars.swap_remove(0),
        Shape::Vector(_) => Value::Composite(scalars),
        Shape::Matrix(_, c) => {
            Value::Composite(scalars.chunks(usize::from(c.max(1))).map(|row| Value::Composite(row.to_vec())).collect())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Enum, EnumCase, ExprTree, Global, MatrixOrder, Modifiers, Swizzle};

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
                namespace: Default::default(),
                source_path: Symbol::new("N"),
                stored: Vec::new(),
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
        let scalar =
            |literal, from, to| converted(ExprKind::Literal(literal, None), Type::Scalar(from), Type::Scalar(to));
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
}
