//! Gradients of the locations of samples, by the rules of differentiation where a location is not known in front of the statement.
//!
//! ```text
//! for (x...) { t.Sample(s, uv + float2(x, 0) * size) }      is      float2 uv_dx = ddx(uv); ...
//!                                                                   for (x...) { t.SampleGrad(s, uv + ..., uv_dx, uv_dy) }
//! ```

use super::DERIVATIVE;
use super::region::{Definitions, Region};
use crate::source::Span;
use crate::stdlib::Operation;
use crate::symbol::Symbol;
use crate::tree::analyses::is_trivial;
use crate::tree::*;

/// The attribute of a sample with its spelling with gradients, which are the arguments behind its own.
const BY_GRADIENTS: &str = "__by_gradients";
/// Which argument of these is the location.
pub(super) const LOCATION: usize = 2;
/// Deepest nesting of locations.
const DEPTH: u32 = 32;

/// The spelling of a sample with gradients, if it has one, and the location.
pub(super) fn form(
    program: &Program,
    exprs: &ExprArena,
    function: FunctionId,
    args: &[ExprId],
) -> Option<(Template, ExprId)> {
    let attribute = program.functions[function].attribute(BY_GRADIENTS)?;
    let Some(AttributeArg::Text(text) | AttributeArg::Name(text)) = attribute.args.first() else { return None };
    let location = *args.get(LOCATION)?;
    let texture = args.first().map(|texture| program.types.get(exprs[*texture].ty));
    // Depth textures and those of one dimension are not sampled with gradients.
    let sampled = matches!(texture, Some(Type::Texture(t)) if !t.depth);
    let several = matches!(program.types.get(exprs[location].ty), Type::Vector(..));
    let template = Template::parse(text.as_str()).ok()?;
    (sampled && several).then_some((template, location))
}

/// Derivatives that are taken already: of what, in which direction.
#[derive(Default)]
pub(super) struct Gradients {
    list: Vec<(ExprId, Direction, LocalId)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    X,
    Y,
}

/// The derivative of an expression.
enum Derivative {
    Zero,
    Value(ExprId),
}

/// What derivatives are taken with.
pub(super) struct Taking<'a> {
    pub program: &'a mut Program,
    pub body: &'a mut Body,
    pub region: &'a Region,
    pub definitions: &'a Definitions,
    pub effects: &'a Effects,
    pub language: &'static str,
    /// Where the sample is, which is what an error of a derivative is about.
    pub sample: Span,
    pub known: &'a mut Gradients,
    /// Statements to stand before the region.
    pub out: &'a mut Vec<Stmt>,
}

impl Taking<'_> {
    /// The derivatives of a location in both directions; the source calls it `written`.
    pub(super) fn of(&mut self, location: ExprId, written: ExprId) -> Option<[ExprId; 2]> {
        if !self.is_differentiable(location, DEPTH) {
            return None;
        }
        let location = if location == written { location } else { self.in_variable(location, written) };
        let x = self.derivative(location, Direction::X, DEPTH)?;
        let y = self.derivative(location, Direction::Y, DEPTH)?;
        let ty = self.body.exprs[location].ty;
        Some([x, y].map(|d| self.value(d, ty)))
    }

    /// A value of what was written otherwise; both derivatives read it in a variable where it is known as a whole.
    fn in_variable(&mut self, location: ExprId, written: ExprId) -> ExprId {
        if !self.is_known(location) || is_trivial(&self.body.exprs, location) {
            return location;
        }
        let Expr { ty, span, .. } = self.body.exprs[location];
        let name = name_of(self.program, self.body, written);
        let local = self.body.add_local(name, ty, span);
        self.body.locals[local].constant = true;
        self.out.push(Stmt::new(StmtKind::Local(local, Some(location)), span));
        self.build(location).local(local, ty)
    }

    fn build(&mut self, at: ExprId) -> Build<'_> {
        let span = self.body.exprs[at].span;
        Build::new(&mut self.program.types, &mut self.body.exprs, span)
    }

    fn value(&mut self, derivative: Derivative, ty: TypeId) -> ExprId {
        match derivative {
            Derivative::Value(value) => value,
            Derivative::Zero => {
                Build::new(&mut self.program.types, &mut self.body.exprs, Default::default()).add(ExprKind::Zero, ty)
            }
        }
    }

    fn is_uniform(&self, id: ExprId) -> bool {
        self.definitions.is_uniform(self.program, self.effects, &self.body.exprs, id, DEPTH)
    }

    fn is_known(&self, id: ExprId) -> bool {
        self.region.is_known(self.program, self.effects, &self.body.exprs, id)
    }

    fn is_float(&self, id: ExprId) -> bool {
        let scalar = self.program.types.component(self.body.exprs[id].ty);
        scalar == Some(Scalar::F32) && !matches!(self.program.types.get(self.body.exprs[id].ty), Type::Matrix(..))
    }

    /// Whether [`Self::derivative`] gives one, so that nothing is taken in vain.
    fn is_differentiable(&self, id: ExprId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if self.is_uniform(id) || self.is_float(id) && self.is_known(id) {
            return true;
        }
        let inside = |id: ExprId| self.is_differentiable(id, depth);
        self.is_float(id)
            && match &self.body.exprs[id].kind {
                ExprKind::Construct(parts) => parts.iter().all(|part| inside(*part)),
                ExprKind::Swizzle(a, _) | ExprKind::Unary(UnaryOp::Negate, a) => inside(*a),
                ExprKind::Convert(a, _) => self.is_float(*a) && inside(*a),
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => inside(*a) && inside(*b),
                ExprKind::Binary(BinaryOp::Mul, a, b) => {
                    self.is_uniform(*b) && inside(*a) || self.is_uniform(*a) && inside(*b)
                }
                ExprKind::Binary(BinaryOp::Div, a, b) => self.is_uniform(*b) && inside(*a),
                ExprKind::Local(local) => self.definitions.value(*local).is_some_and(inside),
                _ => false,
            }
    }

    fn derivative(&mut self, id: ExprId, direction: Direction, depth: u32) -> Option<Derivative> {
        let depth = depth.checked_sub(1)?;
        if self.is_uniform(id) {
            return Some(Derivative::Zero);
        }
        if self.is_float(id) && self.is_known(id) {
            return Some(Derivative::Value(self.taken(id, direction)));
        }
        let ty = self.body.exprs[id].ty;
        let kind = match self.body.exprs[id].kind.clone() {
            ExprKind::Construct(parts) => {
                let mut derivatives = Vec::with_capacity(parts.len());
                for part in parts {
                    let ty = self.body.exprs[part].ty;
                    let derivative = self.derivative(part, direction, depth)?;
                    derivatives.push(self.value(derivative, ty));
                }
                ExprKind::Construct(derivatives)
            }
            ExprKind::Swizzle(a, swizzle) => match self.derivative(a, direction, depth)? {
                Derivative::Zero => return Some(Derivative::Zero),
                Derivative::Value(a) => ExprKind::Swizzle(a, swizzle),
            },
            ExprKind::Unary(UnaryOp::Negate, a) => match self.derivative(a, direction, depth)? {
                Derivative::Zero => return Some(Derivative::Zero),
                Derivative::Value(a) => ExprKind::Unary(UnaryOp::Negate, a),
            },
            ExprKind::Convert(a, written) => match self.derivative(a, direction, depth)? {
                Derivative::Zero => return Some(Derivative::Zero),
                Derivative::Value(a) => ExprKind::Convert(a, written),
            },
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                match (self.derivative(a, direction, depth)?, self.derivative(b, direction, depth)?) {
                    (a, Derivative::Zero) => return Some(a),
                    (Derivative::Zero, Derivative::Value(b)) if op == BinaryOp::Add => {
                        return Some(Derivative::Value(b));
                    }
                    (Derivative::Zero, Derivative::Value(b)) => ExprKind::Unary(UnaryOp::Negate, b),
                    (Derivative::Value(a), Derivative::Value(b)) => ExprKind::Binary(op, a, b),
                }
            }
            ExprKind::Binary(op @ (BinaryOp::Mul | BinaryOp::Div), a, b) if self.is_uniform(b) => {
                match self.derivative(a, direction, depth)? {
                    Derivative::Zero => return Some(Derivative::Zero),
                    Derivative::Value(a) => ExprKind::Binary(op, a, self.body.exprs.duplicate(b)),
                }
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) => match self.derivative(b, direction, depth)? {
                Derivative::Zero => return Some(Derivative::Zero),
                Derivative::Value(b) => ExprKind::Binary(BinaryOp::Mul, self.body.exprs.duplicate(a), b),
            },
            ExprKind::Local(local) => return self.derivative(self.definitions.value(local)?, direction, depth),
            _ => return None,
        };
        Some(Derivative::Value(self.build(id).add(kind, ty)))
    }

    /// The derivative of what is known in front of the region, in a variable there.
    fn taken(&mut self, id: ExprId, direction: Direction) -> ExprId {
        let Expr { ty, span, .. } = self.body.exprs[id];
        let exprs = &self.body.exprs;
        let same = |known: &&(ExprId, Direction, LocalId)| known.1 == direction && is_same(exprs, known.0, id);
        let local = match self.known.list.iter().find(same) {
            Some((_, _, local)) => *local,
            None => {
                let (operation, end) = match direction {
                    Direction::X => (Operation::DerivativeX, "dx"),
                    Direction::Y => (Operation::DerivativeY, "dy"),
                };
                let name = format!("{}_{end}", name_of(self.program, self.body, id));
                let function = self.function(operation, ty);
                let local = self.body.add_local(name.as_str(), ty, span);
                self.body.locals[local].constant = true;
                let value = self.body.exprs.duplicate(id);
                let taken = self.build(id).call(function, vec![value], ty);
                self.body.exprs[taken].span = self.sample;
                self.out.push(Stmt::new(StmtKind::Local(local, Some(taken)), span));
                self.known.list.push((id, direction, local));
                local
            }
        };
        self.build(id).local(local, ty)
    }

    /// A builtin that takes derivatives of a type.
    fn function(&mut self, operation: Operation, ty: TypeId) -> FunctionId {
        let spelling = operation.spelling(self.language);
        let is = |f: &Function| {
            matches!(&f.body, FunctionBody::Intrinsic(template) if template == spelling)
                && f.is_marked(DERIVATIVE)
                && f.result == ty
        };
        if let Some((id, _)) = self.program.functions.iter().find(|(_, f)| is(f)) {
            return id;
        }
        let mut code = Body::default();
        let param = Param::new(code.add_local("x", ty, Default::default()));
        let name = DERIVATIVE.into();
        let attribute = Attribute { name, args: Vec::new(), declared: false, written: None, span: Default::default() };
        let function = Function {
            builtin: true,
            body: FunctionBody::Intrinsic(spelling.clone()),
            attributes: vec![attribute],
            ..Function::new("derivative", vec![param], ty, code, Default::default())
        };
        self.program.functions.push(function)
    }
}

/// What the source calls a location.
fn name_of(program: &Program, body: &Body, id: ExprId) -> Symbol {
    match &body.exprs[id].kind {
        ExprKind::Local(local) => body.locals[*local].name,
        ExprKind::Field(base, index) => {
            program.field(body.exprs[*base].ty, *index).map_or(Symbol::new("location"), |f| f.name)
        }
        ExprKind::Swizzle(base, swizzle) => {
            let base = name_of(program, body, *base);
            Symbol::new(&format!("{base}_{}", swizzle.text()))
        }
        _ => Symbol::new("location"),
    }
}

/// Whether two expressions that are known in front of a region are written alike.
fn is_same(exprs: &ExprArena, a: ExprId, b: ExprId) -> bool {
    let all = |a: &[ExprId], b: &[ExprId]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(exprs, *a, *b));
    exprs[a].ty == exprs[b].ty
        && match (&exprs[a].kind, &exprs[b].kind) {
            (ExprKind::Literal(a, _), ExprKind::Literal(b, _)) => a == b,
            (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
            (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
            (ExprKind::Swizzle(a, i), ExprKind::Swizzle(b, j)) => i.list() == j.list() && is_same(exprs, *a, *b),
            (ExprKind::Field(a, i), ExprKind::Field(b, j)) => i == j && is_same(exprs, *a, *b),
            (ExprKind::Contents(a), ExprKind::Contents(b)) | (ExprKind::Convert(a, _), ExprKind::Convert(b, _)) => {
                is_same(exprs, *a, *b)
            }
            (ExprKind::Index(a, i), ExprKind::Index(b, j)) => all(&[*a, *i], &[*b, *j]),
            (ExprKind::Unary(o, a), ExprKind::Unary(p, b)) => o == p && is_same(exprs, *a, *b),
            (ExprKind::Binary(o, a, i), ExprKind::Binary(p, b, j)) => o == p && all(&[*a, *i], &[*b, *j]),
            (ExprKind::Construct(a), ExprKind::Construct(b)) => all(a, b),
            _ => false,
        }
}
