//! Values of constant expressions: array sizes, enum cases, template arguments, `[numthreads]`, `static const`.
//!
//! Integers wrap around at the width of their kind, shifts by that width or more leave nothing but the sign, floats are rounded to
//! their kind,
//! all as a shader would compute them. What has no value (a shader parameter, a division by zero, a call of a function
//! that only a target can spell) is an error with its place; nothing panics, and depth and work are bounded.

mod arithmetic;
mod builtins;
mod shifts;
mod value;

pub use arithmetic::{HALF_INFINITY, LARGEST_HALF, leaves, round};
pub use shifts::{is_wide, masked_distance, shifts_out, whole_shift};
pub use value::Value;

use arithmetic::{binary, construct, convert, map1, map2, part, scalar_or_list, unary, wraps};
use value::{literal_value, zero};

use super::convert::enum_tag;
use crate::source::Span;
use crate::tree::{
    Arena, BinaryOp, Block, Body, Expr, ExprId, ExprKind, FunctionBody, FunctionId, GlobalId, GlobalKind, Id, LocalId,
    Program, StmtKind,
};

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
    Evaluator { program, depth: 0, work: 0, exact: false, about: false, first: false }.expr(exprs, root, local)
}

/// About the value of an expression that may call builtins, which targets compute a little differently.
pub fn about(
    program: &Program,
    exprs: &Arena<ExprId, Expr>,
    root: ExprId,
    local: &dyn Fn(LocalId) -> Option<Value>,
) -> Result<Value, NotConstant> {
    Evaluator { program, depth: 0, work: 0, exact: false, about: true, first: false }.expr(exprs, root, local)
}

/// The value of an expression if the application sets no specialization constant.
pub fn eval_first(program: &Program, exprs: &Arena<ExprId, Expr>, root: ExprId) -> Result<Value, NotConstant> {
    Evaluator { program, depth: 0, work: 0, exact: true, about: false, first: true }.expr(exprs, root, &|_| None)
}

/// The same where the number itself is meant, as the size of an array: it is no constant if a signed integer wraps around.
pub fn eval_exact(
    program: &Program,
    exprs: &Arena<ExprId, Expr>,
    root: ExprId,
    local: &dyn Fn(LocalId) -> Option<Value>,
) -> Result<Value, NotConstant> {
    Evaluator { program, depth: 0, work: 0, exact: true, about: false, first: false }.expr(exprs, root, local)
}

/// What an operator makes of two values of one shape, part by part, if they have a value together.
pub fn operate(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    map2(a, b, Span::default(), &mut |a, b| binary(op, a, b, Span::default())).ok()
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
    /// Signed integers do not wrap around.
    exact: bool,
    /// Builtins give about what they compute.
    about: bool,
    /// Specialization constants have the values that stand in the source.
    first: bool,
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
                let exact = self.exact;
                map2(&a, &b, span, &mut |a, b| match exact && wraps(*op, a, b) {
                    true => fail(span, "the result is not a number of this type"),
                    false => binary(*op, a, b, span),
                })
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
            GlobalKind::Specialization if self.first => match &global.init {
                Some(init) => return self.expr(&init.exprs, init.root, &|_| None),
                // As those of `[vk::constant_id(0)] const int n;`.
                None => {
                    return zero(self.program, global.ty, MAX_DEPTH)
                        .map_or_else(|| fail(span, "this is not plain data"), Ok);
                }
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
        let spelled = !matches!(callee.body, FunctionBody::Block);
        if spelled && !self.about && !builtins::is_exact(&self.program.types, callee) {
            return fail(span, format!("a call of `{}` is not a constant", callee.name));
        }
        let values: Result<Vec<Value>, _> = args.iter().map(|a| self.expr(exprs, *a, locals)).collect();
        if spelled {
            let value = builtins::call(&self.program.types, callee, values.as_deref().unwrap_or_default());
            return value.map_or_else(|| fail(span, "what this computes is not known"), Ok);
        }
        self.program.memo.note_run();
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

#[cfg(test)]
mod tests;
