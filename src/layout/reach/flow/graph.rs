//! Values as a graph: equal operations on equal values are one value, and what follows from constants, identities, ranges,
//! known bits and the conditions on the way is found when a value is made.

use super::rules::{self, Bits};
use crate::check::constant::{self, Value};
use crate::layout::reach::values::{FALSE, Range, TRUE};
use crate::tree::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Val(u32);

/// The type of a value. Parts of types have no ids of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    Scalar(Scalar),
    Vector(Scalar, u8),
    Other(TypeId),
}

/// How a value is made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A number, by its bits.
    Number(i64),
    /// All parts of a vector, matrix, array or struct.
    Parts,
    Unary(UnaryOp),
    Binary(BinaryOp),
    Convert,
    Select,
    /// One of two values, each with what it comes with.
    Either,
    Part(u32),
    /// An element of memory or at an index that is not known, as of so many effects.
    Element(usize),
    /// What a call gives, as of so many effects.
    Call(FunctionId, usize),
    /// What it writes to a parameter.
    Out(u32),
    Global(GlobalId),
    Param(LocalId),
    /// What decides whether something runs.
    Under,
    /// Anything made of its operands.
    Mixed,
    Undefined,
    /// A value of its own; its operands may be added later.
    Fresh(u32),
}

struct Node {
    op: Op,
    args: Vec<Val>,
    ty: Ty,
    value: Option<Value>,
    range: Option<Range>,
    bits: Bits,
}

/// What is known on the way: ranges of values.
pub type Facts = BTreeMap<Val, Range>;

/// Arrays of more elements than this are not told apart,
const MAX_PARTS: u32 = 64;
/// nor are composites of more scalars: one assignment makes a value of each.
const MAX_SCALARS: u32 = 1 << 13;
/// More values than this are not made.
const MAX_VALUES: usize = 1 << 18;
/// Nor are they asked for more often than this.
const MAX_ASKED: u32 = 1 << 22;
/// What follows from one condition is followed through so many others.
const MAX_ASSUMED: u32 = 256;
/// What values are made of is followed this deep for what conditions say of it.
const MAX_DEPTH: u32 = 8;

/// The graph.
pub struct Graph<'a> {
    program: &'a Program,
    nodes: Vec<Node>,
    interned: FxHashMap<(Op, Vec<Val>, Ty), Val>,
    /// How often values were asked for.
    asked: u32,
}

impl<'a> Graph<'a> {
    pub fn new(program: &'a Program) -> Graph<'a> {
        Graph { program, nodes: Vec::new(), interned: FxHashMap::default(), asked: 0 }
    }

    /// Whether there are too many values, or they are too much work.
    pub fn is_full(&self) -> bool {
        self.nodes.len() > MAX_VALUES || self.asked > MAX_ASKED
    }

    fn node(&self, val: Val) -> Option<&Node> {
        self.nodes.get(val.0 as usize)
    }

    pub fn ty(&self, val: Val) -> Ty {
        self.node(val).map_or(Ty::Other(TypeId::ERROR), |n| n.ty)
    }

    pub fn ty_of(&self, id: TypeId) -> Ty {
        match self.program.types.get(id) {
            Type::Scalar(s) => Ty::Scalar(s),
            Type::Vector(s, n) => Ty::Vector(s, n),
            Type::Enum(id) => Ty::Scalar(self.program.enums[id].tag),
            _ => Ty::Other(id),
        }
    }

    /// The types of the parts, if they are told apart.
    fn part_types(&self, ty: Ty) -> Option<Vec<Ty>> {
        let id = match ty {
            Ty::Scalar(_) => return None,
            Ty::Vector(s, n) => return Some(vec![Ty::Scalar(s); n.into()]),
            Ty::Other(id) => id,
        };
        self.scalars(id, MAX_SCALARS)?;
        match self.program.types.get(id) {
            Type::Matrix(s, rows, columns) => Some(vec![Ty::Vector(s, columns); rows.into()]),
            Type::Array(element, Some(n)) if n <= MAX_PARTS => Some(vec![self.ty_of(element); n as usize]),
            Type::Struct(id) => Some(self.program.structs[id].fields.iter().map(|f| self.ty_of(f.ty)).collect()),
            _ => None,
        }
    }

    /// How many scalars a type has, anything else counted as one; `None` if that is more than `most`.
    fn scalars(&self, id: TypeId, most: u32) -> Option<u32> {
        let count = match self.program.types.get(id) {
            Type::Vector(_, n) => n.into(),
            Type::Matrix(_, rows, columns) => u32::from(rows) * u32::from(columns),
            Type::Array(element, Some(n)) => self.scalars(element, most)?.checked_mul(n)?,
            Type::Struct(id) => {
                // An empty struct is a part, too.
                let fields = &self.program.structs[id].fields;
                fields.iter().try_fold(1u32, |sum, f| sum.checked_add(self.scalars(f.ty, most.checked_sub(sum)?)?))?
            }
            _ => 1,
        };
        (count <= most).then_some(count)
    }

    /// A value, the same for the same.
    pub fn make(&mut self, op: Op, args: Vec<Val>, ty: Ty) -> Val {
        self.with_range(op, args, ty, None)
    }

    fn with_range(&mut self, op: Op, args: Vec<Val>, ty: Ty, range: Option<Range>) -> Val {
        self.asked = self.asked.saturating_add(1);
        let key = (op, args, ty);
        if let Some(found) = self.interned.get(&key) {
            return *found;
        }
        let (op, args, _) = key.clone();
        let bits = self.bits_of(&op, &args, ty);
        let bounds = bounds(ty);
        let range = range.or_else(|| self.transfer(&op, &args, ty, &Facts::new(), MAX_DEPTH)).or(bounds);
        let range = rules::within(range, rules::range_of_bits(bits, ty));
        let val = Val(self.nodes.len() as u32);
        self.nodes.push(Node { op, args, ty, value: None, range, bits });
        self.interned.insert(key, val);
        val
    }

    /// A value that equals no other, made of these and of what is added to it.
    pub fn fresh(&mut self, args: Vec<Val>, ty: Ty, range: Option<Range>, bits: Bits) -> Val {
        let val = Val(self.nodes.len() as u32);
        let range = range.or_else(|| bounds(ty));
        self.nodes.push(Node { op: Op::Fresh(val.0), args, ty, value: None, range, bits });
        val
    }

    /// Adds to what a fresh value is made of.
    pub fn add(&mut self, to: Val, args: impl IntoIterator<Item = Val>) {
        if let Some(node) = self.nodes.get_mut(to.0 as usize) {
            node.args.extend(args);
        }
    }

    pub fn undefined(&mut self, ty: Ty) -> Val {
        self.make(Op::Undefined, Vec::new(), ty)
    }

    /// A constant.
    pub fn constant(&mut self, value: &Value, ty: Ty) -> Option<Val> {
        let bits = match value {
            Value::Composite(values) => {
                let types = self.part_types(ty).filter(|t| t.len() == values.len())?;
                let parts: Option<Vec<Val>> = values.iter().zip(types).map(|(v, t)| self.constant(v, t)).collect();
                return Some(self.make(Op::Parts, parts?, ty));
            }
            Value::Text(_) => return None,
            Value::Float(v, _) => v.to_bits() as i64,
            other => other.int()?,
        };
        let number = value.int().map(i128::from);
        let val = self.with_range(Op::Number(bits), Vec::new(), ty, number.map(|n| (n, n)));
        if let Some(node) = self.nodes.get_mut(val.0 as usize) {
            node.value = Some(value.clone());
            node.bits = number.map_or(Bits::NONE, |n| Bits::of(n as i64 as u64));
        }
        Some(val)
    }

    pub fn truth(&mut self, truth: bool) -> Val {
        let made = self.constant(&Value::Bool(truth), Ty::Scalar(Scalar::Bool));
        made.unwrap_or_else(|| self.undefined(Ty::Scalar(Scalar::Bool)))
    }

    /// The number, of a composite all numbers.
    pub fn value(&self, val: Val) -> Option<Value> {
        let node = self.node(val)?;
        match node.op {
            Op::Parts => node.args.iter().map(|a| self.value(*a)).collect::<Option<Vec<_>>>().map(Value::Composite),
            _ => node.value.clone(),
        }
    }

    fn is(&self, val: Val, number: i64) -> bool {
        match self.node(val).and_then(|n| n.value.as_ref()) {
            Some(Value::Float(v, _)) => *v == number as f64,
            Some(other) => other.int() == Some(number),
            None => false,
        }
    }

    /// The value as of what is known: a constant where that is plain.
    pub fn range(&self, val: Val, facts: &Facts) -> Option<Range> {
        self.range_at(val, facts, MAX_DEPTH)
    }

    fn range_at(&self, val: Val, facts: &Facts, depth: u32) -> Option<Range> {
        let node = self.node(val)?;
        let mut range = rules::within(node.range, facts.get(&val).copied());
        if depth > 0 && !facts.is_empty() && node.value.is_none() {
            range = rules::within(range, self.transfer(&node.op, &node.args, node.ty, facts, depth - 1));
        }
        range
    }

    /// Whether a condition holds, if that is known.
    pub fn decided(&self, val: Val, facts: &Facts) -> Option<bool> {
        if let Some(truth) = self.node(val)?.value.as_ref().and_then(Value::truth) {
            return Some(truth);
        }
        match self.range(val, facts) {
            Some(TRUE) => Some(true),
            Some(FALSE) => Some(false),
            _ => None,
        }
    }

    /// A part: of parts, or of anything.
    pub fn part(&mut self, of: Val, index: u32) -> Option<Val> {
        let node = self.node(of)?;
        match node.op {
            Op::Parts => node.args.get(index as usize).copied(),
            Op::Undefined => {
                let ty = self.part_type(of, index)?;
                Some(self.undefined(ty))
            }
            _ => {
                let ty = self.part_type(of, index)?;
                Some(self.make(Op::Part(index), vec![of], ty))
            }
        }
    }

    fn part_type(&self, of: Val, index: u32) -> Option<Ty> {
        let ty = self.ty(of);
        match ty {
            Ty::Other(id) => match self.program.types.get(id) {
                Type::Array(element, _) => Some(self.ty_of(element)),
                Type::Struct(id) => Some(self.ty_of(self.program.structs[id].fields.get(index as usize)?.ty)),
                _ => self.part_types(ty)?.get(index as usize).copied(),
            },
            _ => self.part_types(ty)?.get(index as usize).copied(),
        }
    }

    /// All parts, if they are told apart.
    pub fn parts(&mut self, of: Val) -> Option<Vec<Val>> {
        let count = self.part_types(self.ty(of))?.len() as u32;
        (0..count).map(|i| self.part(of, i)).collect()
    }

    /// The parts of a vector or matrix.
    fn components(&mut self, of: Val) -> Option<Vec<Val>> {
        let numeric = match self.ty(of) {
            Ty::Scalar(_) => false,
            Ty::Vector(..) => true,
            Ty::Other(id) => matches!(self.program.types.get(id), Type::Matrix(..)),
        };
        if numeric { self.parts(of) } else { None }
    }

    pub fn compose(&mut self, parts: Vec<Val>, ty: Ty) -> Val {
        self.make(Op::Parts, parts, ty)
    }

    /// All scalars of vectors and matrices in order.
    pub fn flatten(&mut self, val: Val, list: &mut Vec<Val>) {
        match self.components(val) {
            Some(parts) => parts.into_iter().for_each(|p| self.flatten(p, list)),
            None => list.push(val),
        }
    }

    /// A vector or matrix of scalars in order.
    pub fn gather(&mut self, scalars: &mut dyn Iterator<Item = Val>, ty: Ty) -> Option<Val> {
        match self.part_types(ty) {
            None => scalars.next(),
            Some(types) => {
                let parts: Option<Vec<Val>> = types.into_iter().map(|t| self.gather(scalars, t)).collect();
                Some(self.compose(parts?, ty))
            }
        }
    }

    pub fn unary(&mut self, facts: &Facts, op: UnaryOp, of: Val) -> Val {
        let ty = self.ty(of);
        if let Some(parts) = self.components(of) {
            let parts = parts.into_iter().map(|p| self.unary(facts, op, p)).collect();
            return self.compose(parts, ty);
        }
        if let Some(value) = self.value(of)
            && let Some(result) = constant::fold_unary(op, &value)
            && let Some(made) = self.constant(&result, ty)
        {
            return made;
        }
        if op == UnaryOp::Not
            && let Some(truth) = self.decided(of, facts)
        {
            return self.truth(!truth);
        }
        // Twice is not at all.
        if let Some(Node { op: Op::Unary(inner), args, .. }) = self.node(of)
            && *inner == op
        {
            return args.first().copied().unwrap_or(of);
        }
        self.make(Op::Unary(op), vec![of], ty)
    }

    pub fn binary(&mut self, facts: &Facts, op: BinaryOp, left: Val, right: Val) -> Val {
        if let Some((left, right)) = self.pairs(left, right) {
            let shape = self.ty(if matches!(self.ty(left.1), Ty::Scalar(_)) { right.1 } else { left.1 });
            let pairs: Vec<(Val, Val)> = left.0.into_iter().zip(right.0).collect();
            let parts: Vec<Val> = pairs.into_iter().map(|(a, b)| self.binary(facts, op, a, b)).collect();
            let ty = match (op.is_comparison(), shape) {
                (true, Ty::Vector(_, n)) => Ty::Vector(Scalar::Bool, n),
                _ => shape,
            };
            return self.compose(parts, ty);
        }
        let (op, left, right, negated) = self.canonical(op, left, right);
        let found = self.scalar(facts, op, left, right);
        if negated { self.unary(facts, UnaryOp::Not, found) } else { found }
    }

    /// Operands component by component, if any has components.
    #[allow(clippy::type_complexity)]
    fn pairs(&mut self, left: Val, right: Val) -> Option<((Vec<Val>, Val), (Vec<Val>, Val))> {
        match (self.components(left), self.components(right)) {
            (None, None) => None,
            (Some(a), Some(b)) => Some(((a, left), (b, right))),
            (Some(a), None) => {
                let b = vec![right; a.len()];
                Some(((a, left), (b, right)))
            }
            (None, Some(b)) => {
                let a = vec![left; b.len()];
                Some(((a, left), (b, right)))
            }
        }
    }

    /// One operator for several: of comparisons of integers, `<` and `==` alone are left, of others those with `<`; constants
    /// stand on the right where it makes no difference.
    fn canonical(&self, op: BinaryOp, left: Val, right: Val) -> (BinaryOp, Val, Val, bool) {
        let is_float = matches!(self.ty(left), Ty::Scalar(s) if s.is_float());
        let swapped = self.value(left).is_some() && self.value(right).is_none() || {
            self.value(left).is_none() == self.value(right).is_none() && right < left
        };
        let (first, second) = if swapped { (right, left) } else { (left, right) };
        match op {
            BinaryOp::Greater => (BinaryOp::Less, right, left, false),
            BinaryOp::GreaterEqual if is_float => (BinaryOp::LessEqual, right, left, false),
            BinaryOp::GreaterEqual => (BinaryOp::Less, left, right, true),
            BinaryOp::LessEqual if !is_float => (BinaryOp::Less, right, left, true),
            BinaryOp::NotEqual => (BinaryOp::Equal, first, second, true),
            BinaryOp::Equal | BinaryOp::Add | BinaryOp::Mul => (op, first, second, false),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => (op, first, second, false),
            BinaryOp::And | BinaryOp::Or => (op, first, second, false),
            _ => (op, left, right, false),
        }
    }

    fn scalar(&mut self, facts: &Facts, op: BinaryOp, left: Val, right: Val) -> Val {
        let of = self.ty(left);
        let ty = if op.is_comparison() { Ty::Scalar(Scalar::Bool) } else { of };
        if let (Some(a), Some(b)) = (self.value(left), self.value(right))
            && let Some(result) = constant::fold_binary(op, &a, &b)
            && let Some(made) = self.constant(&result, ty)
        {
            return made;
        }
        if let Some(found) = self.identity(op, left, right, ty) {
            return found;
        }
        if let Some(truth) = self.compared(facts, op, left, right) {
            return self.truth(truth);
        }
        if let Some(found) = self.moved(facts, op, left, right, ty).or_else(|| self.of_choice(facts, op, left, right)) {
            return found;
        }
        self.make(Op::Binary(op), vec![left, right], ty)
    }

    /// The same with one constant in place of two, or with an operator that others are brought to.
    fn moved(&mut self, facts: &Facts, op: BinaryOp, left: Val, right: Val, ty: Ty) -> Option<Val> {
        let Ty::Scalar(kind) = ty else { return None };
        let number = |n: i64| if kind.is_float() { Value::Float(n as f64, kind) } else { Value::Int(n, kind) };
        if op == BinaryOp::Add && left == right {
            let two = self.constant(&number(2), ty)?;
            return Some(self.binary(facts, BinaryOp::Mul, left, two));
        }
        let by = self.value(right)?;
        let (to, by) = match (op, &by) {
            (BinaryOp::Sub, by) => (BinaryOp::Add, constant::fold_unary(UnaryOp::Negate, by)?),
            (BinaryOp::Shl, Value::Int(n @ 0..31, _)) => (BinaryOp::Mul, number(1 << n)),
            (BinaryOp::Div, Value::Float(v, kind)) if v.abs().log2().fract() == 0.0 => {
                (BinaryOp::Mul, Value::Float(v.recip(), *kind))
            }
            (BinaryOp::Add | BinaryOp::Mul, by) => {
                let Node { op: Op::Binary(inner), args, .. } = self.node(left)? else { return None };
                let [base, first] = args.as_slice() else { return None };
                let (base, first) = (*base, self.value(*first).filter(|_| *inner == op)?);
                let both = constant::fold_binary(op, &first, by)?;
                let both = self.constant(&both, ty)?;
                return Some(self.binary(facts, op, base, both));
            }
            _ => return None,
        };
        let by = self.constant(&by, ty)?;
        Some(self.binary(facts, to, left, by))
    }

    /// A comparison of a choice between constants with a constant is the condition, or not it.
    fn of_choice(&mut self, facts: &Facts, op: BinaryOp, left: Val, right: Val) -> Option<Val> {
        if !op.is_comparison() {
            return None;
        }
        let by = self.value(right)?;
        let Node { op: Op::Select, args, .. } = self.node(left)? else { return None };
        let [condition, yes, no] = args.as_slice() else { return None };
        let (condition, yes, no) = (*condition, self.value(*yes)?, self.value(*no)?);
        let truth = |v: &Value| constant::fold_binary(op, v, &by)?.truth();
        match (truth(&yes)?, truth(&no)?) {
            (true, false) => Some(condition),
            (false, true) => Some(self.unary(facts, UnaryOp::Not, condition)),
            (both, _) => Some(self.truth(both)),
        }
    }

    /// What an operator gives whatever its operands are.
    fn identity(&mut self, op: BinaryOp, left: Val, right: Val, ty: Ty) -> Option<Val> {
        let (a, b) = (|n: i64| self.is(left, n), |n: i64| self.is(right, n));
        // The opposite of a comparison of floats is one that NaN fulfils, too.
        let of_floats = |y: Val| {
            let first = self.node(y).filter(|n| matches!(n.op, Op::Binary(_))).and_then(|n| n.args.first());
            first.is_some_and(|f| matches!(self.ty(*f), Ty::Scalar(s) if s.is_float()))
        };
        let opposite = |x: Val, y: Val| {
            let is = |n: &Node| matches!(n.op, Op::Unary(UnaryOp::Not | UnaryOp::BitNot)) && n.args.first() == Some(&y);
            self.node(x).is_some_and(is) && !of_floats(y)
        };
        let rule = rules::Operands {
            same: left == right,
            opposite: opposite(left, right) || opposite(right, left),
            left: [0, 1].into_iter().find(|n| a(*n)),
            right: [0, 1].into_iter().find(|n| b(*n)),
            is_int: matches!(self.ty(left), Ty::Scalar(s) if !s.is_float()),
        };
        match rules::identity(op, &rule)? {
            rules::Gives::Left => Some(left),
            rules::Gives::Right => Some(right),
            rules::Gives::Number(n) => {
                let Ty::Scalar(kind) = ty else { return None };
                let value = match kind {
                    Scalar::Bool => Value::Bool(n != 0),
                    k if k.is_float() => Value::Float(n as f64, k),
                    k => Value::Int(n, k),
                };
                self.constant(&value, ty)
            }
        }
    }

    /// What ranges, bits and conditions on the way say of a comparison.
    fn compared(&self, facts: &Facts, op: BinaryOp, left: Val, right: Val) -> Option<bool> {
        let found = match (self.range(left, facts), self.range(right, facts)) {
            (Some(a), Some(b)) => rules::compare(op, a, b),
            _ => None,
        };
        if found.is_some() || !op.is_comparison() {
            return found;
        }
        if op == BinaryOp::Equal {
            let (a, b) = (self.node(left)?, self.node(right)?);
            // Of counters, DXC looks at bits only where code does.
            let counts = matches!(a.op, Op::Fresh(_)) || matches!(b.op, Op::Fresh(_));
            if !counts && a.bits.differ(b.bits) || self.offset(left, right) {
                return Some(false);
            }
        }
        self.related(facts, op, left, right)
    }

    /// Whether one is the other and a number that is not 0.
    fn offset(&self, left: Val, right: Val) -> bool {
        let is_int = matches!(self.ty(left), Ty::Scalar(s) if !s.is_float());
        let base = |val: Val| match self.node(val) {
            Some(Node { op: Op::Binary(BinaryOp::Add), args, .. }) => match args.as_slice() {
                [base, by] => self.value(*by).and_then(|v| v.int()).map(|by| (*base, by)),
                _ => None,
            },
            _ => None,
        };
        let (a, b) = (base(left).unwrap_or((left, 0)), base(right).unwrap_or((right, 0)));
        is_int && a.0 == b.0 && a.1 != b.1
    }

    /// What other comparisons of the same operands say.
    fn related(&self, facts: &Facts, op: BinaryOp, left: Val, right: Val) -> Option<bool> {
        let boolean = Ty::Scalar(Scalar::Bool);
        let known = |op: BinaryOp, a: Val, b: Val| {
            let found = self.interned.get(&(Op::Binary(op), vec![a, b], boolean))?;
            match facts.get(found) {
                Some(&TRUE) => Some(true),
                Some(&FALSE) => Some(false),
                _ => None,
            }
        };
        let is_float = matches!(self.ty(left), Ty::Scalar(s) if s.is_float());
        if is_float {
            return None;
        }
        let less = known(BinaryOp::Less, left, right);
        let more = known(BinaryOp::Less, right, left);
        let equal = known(BinaryOp::Equal, left, right).or_else(|| known(BinaryOp::Equal, right, left));
        match op {
            BinaryOp::Equal if less == Some(true) || more == Some(true) => Some(false),
            BinaryOp::Equal if less == Some(false) && more == Some(false) => Some(true),
            BinaryOp::Less if more == Some(true) || equal == Some(true) => Some(false),
            BinaryOp::Less if more == Some(false) && equal == Some(false) => Some(true),
            _ => None,
        }
    }

    /// Of scalars; composites part by part.
    pub fn select(&mut self, facts: &Facts, condition: Val, yes: Val, no: Val) -> Val {
        if let Some(truth) = self.decided(condition, facts) {
            return if truth { yes } else { no };
        }
        let undefined = |g: &Self, v: Val| g.node(v).is_some_and(|n| n.op == Op::Undefined);
        if yes == no || undefined(self, no) {
            return yes;
        }
        if undefined(self, yes) {
            return no;
        }
        let ty = self.ty(yes);
        let both = [yes, no].iter().any(|v| self.node(*v).is_some_and(|n| n.op == Op::Parts));
        if both
            && self.ty(no) == ty
            && let (Some(a), Some(b)) = (self.parts(yes), self.parts(no))
        {
            let conditions = self.components(condition).unwrap_or_else(|| vec![condition; a.len()]);
            let all: Vec<(Val, (Val, Val))> = conditions.into_iter().zip(a.into_iter().zip(b)).collect();
            let parts = all.into_iter().map(|(c, (a, b))| self.select(facts, c, a, b)).collect();
            return self.compose(parts, ty);
        }
        if ty == Ty::Scalar(Scalar::Bool) {
            match (self.value(yes).and_then(|v| v.truth()), self.value(no).and_then(|v| v.truth())) {
                (Some(true), Some(false)) => return condition,
                (Some(false), Some(true)) => return self.unary(facts, UnaryOp::Not, condition),
                _ => {}
            }
        }
        let range = rules::hull(self.range(yes, facts), self.range(no, facts));
        self.with_range(Op::Select, vec![condition, yes, no], ty, range)
    }

    /// One of two values, each reached as its control tells.
    pub fn either(
        &mut self,
        (first, one): (Val, Option<Range>),
        (second, other): (Val, Option<Range>),
        controls: [Val; 2],
    ) -> Val {
        let undefined = |g: &Self, v: Val| g.node(v).is_some_and(|n| n.op == Op::Undefined);
        if first == second || undefined(self, second) {
            return first;
        }
        if undefined(self, first) {
            return second;
        }
        let ty = self.ty(first);
        let both = [first, second].iter().any(|v| self.node(*v).is_some_and(|n| n.op == Op::Parts));
        if both
            && self.ty(second) == ty
            && let (Some(a), Some(b)) = (self.parts(first), self.parts(second))
        {
            let all: Vec<(Val, Val)> = a.into_iter().zip(b).collect();
            let none = Facts::new();
            let mut parts = Vec::new();
            for (a, b) in all {
                let ranges = (self.range(a, &none), self.range(b, &none));
                parts.push(self.either((a, ranges.0), (b, ranges.1), controls));
            }
            return self.compose(parts, ty);
        }
        let [a, b] = controls;
        self.with_range(Op::Either, vec![first, second, a, b], ty, rules::hull(one, other))
    }

    pub fn convert(&mut self, facts: &Facts, of: Val, to: Ty) -> Val {
        let from = self.ty(of);
        if from == to {
            return of;
        }
        let numeric = match to {
            Ty::Other(id) => matches!(self.program.types.get(id), Type::Matrix(..)),
            _ => true,
        };
        if !numeric {
            return self.make(Op::Convert, vec![of], to);
        }
        match (self.part_types(to), self.components(of)) {
            (None, None) => self.convert_scalar(facts, of, to),
            (None, Some(parts)) => match parts.first() {
                Some(first) => self.convert(facts, *first, to),
                None => self.make(Op::Convert, vec![of], to),
            },
            (Some(types), parts) => {
                let all = types.into_iter().enumerate();
                let parts = all.map(|(i, ty)| {
                    let part = parts.as_ref().map_or(Some(of), |p| p.get(i).copied());
                    part.map(|part| self.convert(facts, part, ty))
                });
                match parts.collect::<Option<Vec<Val>>>() {
                    Some(parts) => self.compose(parts, to),
                    None => self.make(Op::Convert, vec![of], to),
                }
            }
        }
    }

    fn convert_scalar(&mut self, facts: &Facts, of: Val, to: Ty) -> Val {
        let Ty::Scalar(kind) = to else { return self.make(Op::Convert, vec![of], to) };
        if let Some(value) = self.value(of)
            && let Some(result) = constant::fold_convert(&value, kind)
            && let Some(made) = self.constant(&result, to)
        {
            return made;
        }
        let is_number = matches!(self.ty(of), Ty::Scalar(_));
        if kind == Scalar::Bool && is_number {
            let Ty::Scalar(from) = self.ty(of) else { return of };
            let zero = if from.is_float() { Value::Float(0.0, from) } else { Value::Int(0, from) };
            if let Some(zero) = self.constant(&zero, self.ty(of)) {
                return self.binary(facts, BinaryOp::NotEqual, of, zero);
            }
        }
        if self.ty(of) == Ty::Scalar(Scalar::Bool) {
            let number = |n: i64| if kind.is_float() { Value::Float(n as f64, kind) } else { Value::Int(n, kind) };
            if let (Some(one), Some(zero)) = (self.constant(&number(1), to), self.constant(&number(0), to)) {
                return self.select(facts, of, one, zero);
            }
        }
        self.make(Op::Convert, vec![of], to)
    }

    /// The range of an operation by those of its operands.
    fn transfer(&self, op: &Op, args: &[Val], ty: Ty, facts: &Facts, depth: u32) -> Option<Range> {
        let Ty::Scalar(kind) = ty else { return None };
        // What is known of a value says something of those made of it if it is one number, as for DXC.
        let of = |i: usize| {
            let known = args.get(i).and_then(|a| self.range_at(*a, facts, depth));
            let whole = facts.is_empty() || known.is_some_and(|r| r.0 == r.1) || !matches!(op, Op::Binary(_));
            if whole { known } else { self.node(*args.get(i)?)?.range }
        };
        match op {
            Op::Binary(op) => {
                let (a, b) = (of(0)?, of(1)?);
                match rules::compare(*op, a, b) {
                    Some(truth) => Some(if truth { TRUE } else { FALSE }),
                    None if b.0 != b.1 && !matches!(op, BinaryOp::And | BinaryOp::Or) => None,
                    None => rules::combine(*op, a, b).filter(|r| rules::fits(*r, kind)),
                }
            }
            Op::Unary(UnaryOp::Not) => of(0).map(|(low, high)| (1 - high, 1 - low)),
            Op::Unary(UnaryOp::Negate) => of(0).map(|(low, high)| (-high, -low)).filter(|r| rules::fits(*r, kind)),
            Op::Convert if !kind.is_float() => of(0).filter(|r| rules::fits(*r, kind)),
            Op::Select => match args.first().and_then(|c| self.range_at(*c, facts, depth)) {
                Some(TRUE) => of(1),
                Some(FALSE) => of(2),
                _ => rules::hull(of(1), of(2)),
            },
            _ => None,
        }
    }

    fn bits_of(&self, op: &Op, args: &[Val], ty: Ty) -> Bits {
        let Ty::Scalar(kind) = ty else { return Bits::NONE };
        if kind.is_float() || kind == Scalar::Bool {
            return Bits::NONE;
        }
        let of = |i: usize| args.get(i).and_then(|a| self.node(*a)).map_or(Bits::NONE, |n| n.bits);
        match op {
            Op::Binary(op) => rules::bits(*op, of(0), of(1), args.get(1).and_then(|b| self.value(*b)?.int()), kind),
            _ => Bits::NONE,
        }
    }

    /// Notes that a condition holds or not, with what follows.
    pub fn assume(&self, facts: &mut Facts, condition: Val, truth: bool) {
        let mut left = MAX_ASSUMED;
        self.assume_within(facts, condition, truth, &mut left);
    }

    /// The same with so many conditions at most: what they are made of may be shared again and again.
    fn assume_within(&self, facts: &mut Facts, condition: Val, truth: bool, left: &mut u32) {
        let Some(node) = self.node(condition).filter(|_| *left > 0) else { return };
        *left -= 1;
        // Comparisons of floats are made again, as DXC makes them.
        let of_floats = match (&node.op, node.args.first()) {
            (Op::Binary(op), Some(left)) => {
                op.is_comparison() && matches!(self.ty(*left), Ty::Scalar(s) if s.is_float())
            }
            _ => false,
        };
        if of_floats {
            return;
        }
        facts.insert(condition, if truth { TRUE } else { FALSE });
        match (&node.op, node.args.as_slice()) {
            (Op::Unary(UnaryOp::Not), [of]) => self.assume_within(facts, *of, !truth, left),
            (Op::Binary(BinaryOp::And), [a, b]) if truth => {
                [a, b].into_iter().for_each(|v| self.assume_within(facts, *v, true, left))
            }
            (Op::Binary(BinaryOp::Or), [a, b]) if truth => {
                let (mut one, mut other) = (facts.clone(), facts.clone());
                self.assume_within(&mut one, *a, true, left);
                self.assume_within(&mut other, *b, true, left);
                for (val, range) in one {
                    if let Some(hull) = rules::hull(Some(range), other.get(&val).copied()) {
                        facts.insert(val, hull);
                    }
                }
            }
            (Op::Binary(BinaryOp::Or), [a, b]) if !truth => {
                [a, b].into_iter().for_each(|v| self.assume_within(facts, *v, false, left))
            }
            (Op::Binary(op), [a, b]) if op.is_comparison() => {
                let (Some(x), Some(y)) = (self.range(*a, facts), self.range(*b, facts)) else { return };
                let (x, y) = rules::narrow(*op, truth, x, y);
                for (val, other, range) in [(*a, *b, x), (*b, *a, y)] {
                    let constant = self.value(other).is_some();
                    if constant && self.value(val).is_none() && range.0 <= range.1 {
                        facts.insert(val, range);
                    }
                }
            }
            _ => {}
        }
    }

    /// What holds on both of two ways, as far as it is more than what holds anyway.
    pub fn common(&self, one: &Facts, other: &Facts) -> Facts {
        let both = one.iter().filter_map(|(val, a)| {
            let hull = rules::hull(Some(*a), other.get(val).copied())?;
            let known = self.node(*val)?.range.is_some_and(|r| hull.0 <= r.0 && r.1 <= hull.1);
            (!known).then_some((*val, hull))
        });
        both.collect()
    }

    /// The operator and the operands of a comparison, neither of them constant.
    pub fn comparison(&self, val: Val) -> Option<(BinaryOp, Val, Val)> {
        match self.node(val)? {
            Node { op: Op::Binary(op), args, .. } => match args.as_slice() {
                [a, b] if op.is_comparison() && self.value(*a).is_none() && self.value(*b).is_none() => {
                    Some((*op, *a, *b))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// All globals that values are made of.
    pub fn globals(&self, roots: &[Val]) -> Vec<GlobalId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = roots.to_vec();
        let mut found = Vec::new();
        while let Some(val) = todo.pop() {
            if seen.get_mut(val.0 as usize).is_none_or(|seen| std::mem::replace(seen, true)) {
                continue;
            }
            let Some(node) = self.node(val) else { continue };
            if let Op::Global(global) = node.op {
                found.push(global);
            }
            todo.extend(node.args.iter().copied());
        }
        found
    }
}

/// The values that a type has at all.
fn bounds(ty: Ty) -> Option<Range> {
    match ty {
        Ty::Scalar(kind) => rules::bounds(kind),
        _ => None,
    }
}
