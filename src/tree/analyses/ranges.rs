//! Which values integers may have, as far as the definitions of variables and the calls of functions show.
//!
//! What is signed is taken not to run over, as compilers of targets take it; what is unsigned wraps around.

use super::effects::target;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

/// The least and the greatest value of an integer, or of the components of a vector of them.
pub type Range = (i128, i128);

/// Expressions and definitions nested deeper than this are not looked into.
const MAX_DEPTH: u32 = 64;

/// The largest number of a system value that counts something.
const MOST_COUNTED: i128 = i32::MAX as i128;

/// The ranges of the integer variables and parameters of a program.
#[derive(Default)]
pub struct Ranges {
    locals: Vec<FxHashMap<LocalId, Range>>,
}

impl Ranges {
    /// Functions are looked at before those that they call, whose parameters have the values of the arguments.
    pub(super) fn of_program(program: &Program) -> Ranges {
        let mut ranges = Ranges { locals: vec![FxHashMap::default(); program.functions.len()] };
        let order = program.reachable_functions();
        let mut arguments = Arguments::of(program, &order);
        for &id in order.iter().rev() {
            let function = &program.functions[id];
            let mut locals = Locals::of(program, id, arguments.given.remove(&id).unwrap_or_default());
            arguments.give(program, &function.code, &mut |e| locals.range(e, 0));
            ranges.locals[id.index()] = locals.known;
        }
        ranges
    }

    /// The range of an integer in a function; nothing for what is none.
    pub fn of(&self, program: &Program, function: FunctionId, exprs: &ExprArena, id: ExprId) -> Option<Range> {
        let known = self.locals.get(function.index())?;
        range(program, exprs, id, 0, &mut |local, _| known.get(&local).copied())
    }
}

/// The arguments of the calls seen so far.
struct Arguments {
    /// The hull of what each parameter is given; nothing where one is not known.
    given: FxHashMap<FunctionId, Vec<Option<Range>>>,
    /// Functions that are called otherwise, too.
    open: FxHashSet<FunctionId>,
}

impl Arguments {
    fn of(program: &Program, order: &[FunctionId]) -> Arguments {
        let mut open: FxHashSet<FunctionId> = program.entry_points.iter().flat_map(|e| e.roots()).collect();
        let initializers = program.globals.iter().filter_map(|(_, g)| g.init.as_ref());
        let called = |exprs: &ExprArena, id: &ExprId, open: &mut FxHashSet<FunctionId>| match &exprs[*id].kind {
            ExprKind::Property(p) => open.extend([p.get, p.set, p.reference].into_iter().flatten()),
            ExprKind::Call(function, _) => _ = open.insert(*function),
            _ => {}
        };
        for tree in initializers {
            tree.exprs.post_order(tree.root).iter().for_each(|id| called(&tree.exprs, id, &mut open));
        }
        for id in order {
            let body = &program.functions[*id].code;
            let properties = body.expressions().into_iter();
            let is_property = |id: &ExprId| matches!(body.exprs[*id].kind, ExprKind::Property(_));
            properties.filter(is_property).for_each(|id| called(&body.exprs, &id, &mut open));
        }
        Arguments { given: FxHashMap::default(), open }
    }

    fn give(&mut self, program: &Program, body: &Body, range: &mut dyn FnMut(ExprId) -> Option<Range>) {
        for id in body.expressions() {
            let ExprKind::Call(function, args) = &body.exprs[id].kind else { continue };
            let callee = &program.functions[*function];
            if self.open.contains(function) || !matches!(callee.body, FunctionBody::Block) {
                continue;
            }
            let now: Vec<Option<Range>> = args.iter().map(|a| range(*a)).collect();
            match self.given.entry(*function) {
                Entry::Vacant(new) => _ = new.insert(now),
                Entry::Occupied(mut old) => {
                    for (old, now) in old.get_mut().iter_mut().zip(now) {
                        *old = old.zip(now).map(|(a, b)| hull(a, b));
                    }
                }
            }
        }
    }
}

/// What gives a variable a value.
enum Definition {
    Value(ExprId),
    /// A value in this range.
    Within(Range),
    /// Nothing that makes it negative if it is not.
    Grows,
    /// Anything.
    Any,
}

/// Finds the ranges of the variables of a function.
struct Locals<'a> {
    program: &'a Program,
    body: &'a Body,
    definitions: FxHashMap<LocalId, Vec<Definition>>,
    known: FxHashMap<LocalId, Range>,
}

impl<'a> Locals<'a> {
    fn of(program: &'a Program, id: FunctionId, given: Vec<Option<Range>>) -> Locals<'a> {
        let function = &program.functions[id];
        let body = &function.code;
        let mut locals = Locals { program, body, definitions: FxHashMap::default(), known: FxHashMap::default() };
        let is_entry = program.entry_point_of(id).is_some();
        for (index, param) in function.params.iter().enumerate() {
            let counted = is_entry.then(|| counted(program, body.locals[param.local].ty)).flatten();
            let range = given.get(index).copied().flatten().filter(|_| param.mode == ParamMode::In).or(counted);
            locals.define(param.local, range.map_or(Definition::Any, Definition::Within));
        }
        let counters = locals.counters();
        body.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, Some(value)) = stmt.kind
                && !counters.contains_key(&local)
            {
                locals.define(local, Definition::Value(value));
            }
        });
        for id in body.expressions() {
            locals.assigned(id, &counters);
        }
        for (local, definition) in counters {
            locals.define(local, Definition::Within(definition));
        }
        for (local, variable) in body.locals.iter() {
            if bounds(program, variable.ty).is_some() {
                locals.local(local, 0);
            }
        }
        locals
    }

    fn define(&mut self, local: LocalId, definition: Definition) {
        self.definitions.entry(local).or_default().push(definition);
    }

    /// The definitions that an expression is.
    fn assigned(&mut self, id: ExprId, counters: &BTreeMap<LocalId, Range>) {
        use BinaryOp::*;
        let (program, body) = (self.program, self.body);
        let definition = |exprs: &ExprArena| match &exprs[id].kind {
            ExprKind::Assign(None, _, value) => Definition::Value(*value),
            ExprKind::Assign(Some(op), _, value) => match (op, range(program, exprs, *value, 0, &mut |_, _| None)) {
                (BitAnd, Some((least, most))) if least >= 0 => Definition::Within((0, most)),
                // Bits that are shifted out are lost, and one may become the sign.
                (Add | Mul | Div | Rem | BitOr | Shr, Some((0.., _))) => Definition::Grows,
                _ => Definition::Any,
            },
            // One more is not negative either.
            ExprKind::Step(true, ..) => Definition::Grows,
            _ => Definition::Any,
        };
        program.each_written(&body.exprs, id, &mut |place| {
            if let Some(local) = body.exprs.base_local(place)
                && !counters.contains_key(&local)
            {
                let ty = |e: ExprId| program.types.component(body.exprs[e].ty);
                let direct = program.types.component(body.locals[local].ty) == ty(place);
                self.define(local, if direct { definition(&body.exprs) } else { Definition::Any });
            }
        });
    }

    /// The counters of loops that nothing but the loop changes, with their values within it.
    fn counters(&self) -> BTreeMap<LocalId, Range> {
        let mut writes: FxHashMap<LocalId, u32> = FxHashMap::default();
        for id in self.body.expressions() {
            self.program.each_written(&self.body.exprs, id, &mut |place| {
                self.body.exprs.base_local(place).into_iter().for_each(|l| *writes.entry(l).or_default() += 1);
            });
        }
        let mut found = BTreeMap::new();
        self.body.block.visit(&mut |stmt| {
            if let Some((counter, range)) = self.counter(stmt)
                && writes.get(&counter) == Some(&1)
            {
                found.insert(counter, range);
            }
        });
        found
    }

    /// The counter of a loop and what the loop's condition leaves of its values.
    fn counter(&self, stmt: &Stmt) -> Option<(LocalId, Range)> {
        let StmtKind::For(init, Some(condition), Some(step), ..) = &stmt.kind else { return None };
        let [Stmt { kind: StmtKind::Local(counter, Some(first)), .. }] = init.as_slice() else { return None };
        let exprs = &self.body.exprs;
        let of = |id: ExprId| range(self.program, exprs, id, 0, &mut |_, _| None);
        let kind = &exprs[*step].kind;
        if exprs.base_local(target(kind)?) != Some(*counter) {
            return None;
        }
        let positive = |value: &ExprId| of(*value).is_some_and(|r| r.0 >= 0);
        let (up, down) = match kind {
            ExprKind::Step(up, ..) => (*up, !*up),
            ExprKind::Assign(Some(BinaryOp::Add), _, by) => (positive(by), false),
            ExprKind::Assign(Some(BinaryOp::Sub), _, by) => (false, positive(by)),
            _ => (false, false),
        };
        let ExprKind::Binary(op, left, right) = exprs[*condition].kind else { return None };
        let is_counter = |id: ExprId| matches!(exprs[id].kind, ExprKind::Local(l) if l == *counter);
        let (first, limit) = (of(*first)?, of(right)?);
        let whole = bounds(self.program, self.body.locals[*counter].ty)?;
        let least = if up { first.0 } else { whole.0 };
        let most = if down { first.1 } else { whole.1 };
        let range = match op {
            _ if !is_counter(left) => return None,
            BinaryOp::Less => (least, limit.1 - 1),
            BinaryOp::LessEqual => (least, limit.1),
            BinaryOp::Greater => (limit.0 + 1, most),
            BinaryOp::GreaterEqual => (limit.0, most),
            BinaryOp::NotEqual if up && first.1 <= limit.0 => (first.0, limit.1 - 1),
            _ => return None,
        };
        // A loop without rounds has no values.
        Some((*counter, (range.0.min(range.1), range.1)))
    }

    /// The range of a variable: the hull of its definitions.
    fn local(&mut self, local: LocalId, depth: u32) -> Option<Range> {
        if let Some(known) = self.known.get(&local) {
            return Some(*known);
        }
        let whole = bounds(self.program, self.body.locals[local].ty)?;
        if depth > MAX_DEPTH {
            return Some(whole);
        }
        // What depends on itself may be anything.
        self.known.insert(local, whole);
        let definitions = self.definitions.remove(&local).unwrap_or_default();
        let mut found: Option<Range> = None;
        let mut grows = false;
        for definition in &definitions {
            let one = match definition {
                Definition::Value(value) => self.range(*value, depth + 1).unwrap_or(whole),
                Definition::Within(range) => *range,
                Definition::Any => whole,
                Definition::Grows => {
                    grows = true;
                    continue;
                }
            };
            found = Some(found.map_or(one, |f| hull(f, one)));
        }
        let found = match found {
            Some((least, _)) if grows => (if least >= 0 { 0 } else { whole.0 }, whole.1),
            Some(found) => found,
            None => whole,
        };
        self.known.insert(local, found);
        Some(found)
    }

    fn range(&mut self, id: ExprId, depth: u32) -> Option<Range> {
        let (program, body) = (self.program, self.body);
        range(program, &body.exprs, id, depth, &mut |local, depth| self.local(local, depth))
    }
}

/// Whether all numbers of a range have more than 16 bits.
fn is_large((least, most): Range) -> bool {
    least.signum() == most.signum() && least.abs().min(most.abs()) > 0xFFFF
}

fn hull(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The values that a type of integers, or vectors of them, has.
fn bounds(program: &Program, ty: TypeId) -> Option<Range> {
    let scalar = match program.types.get(ty) {
        Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar,
        _ => return None,
    };
    let bits = scalar.size() * 8;
    match scalar {
        Scalar::Bool => Some((0, 1)),
        s if s.is_unsigned() => Some((0, (1 << bits) - 1)),
        s if s.is_signed() => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        _ => None,
    }
}

/// The values of a number that comes from the pipeline: what is unsigned counts something.
fn counted(program: &Program, ty: TypeId) -> Option<Range> {
    let unsigned = program.types.component(ty).is_some_and(Scalar::is_unsigned);
    bounds(program, ty).map(|(least, most)| if unsigned { (0, most.min(MOST_COUNTED)) } else { (least, most) })
}

/// Whether an expression is a variable that the target has for a system value.
fn is_variable_of_target(exprs: &ExprArena, id: ExprId) -> bool {
    matches!(&exprs[id].kind, ExprKind::Native(_, args) if args.is_empty())
}

/// The range of an integer, with what is known of variables.
fn range(
    program: &Program,
    exprs: &ExprArena,
    id: ExprId,
    depth: u32,
    local: &mut dyn FnMut(LocalId, u32) -> Option<Range>,
) -> Option<Range> {
    let expr = &exprs[id];
    let whole = bounds(program, expr.ty)?;
    if depth > MAX_DEPTH {
        return Some(whole);
    }
    let mut of = |e: ExprId| range(program, exprs, e, depth + 1, local);
    let found = match &expr.kind {
        ExprKind::Literal(Literal::Int(n), _) => Some((i128::from(*n), i128::from(*n))),
        ExprKind::Zero => Some((0, 0)),
        ExprKind::Local(l) => local(*l, depth + 1),
        ExprKind::Global(g) => global(program, *g, depth + 1),
        ExprKind::Native(_, args) if args.is_empty() => counted(program, expr.ty),
        ExprKind::Swizzle(inner, _) => of(*inner),
        ExprKind::Index(inner, _) => match program.types.get(exprs[*inner].ty) {
            Type::Vector(..) => of(*inner),
            _ => None,
        },
        // A signed variable of the target stands for a system value that counts: `uint(gl_VertexIndex)`.
        ExprKind::Convert(inner, _) if whole.0 == 0 && is_variable_of_target(exprs, *inner) => {
            counted(program, expr.ty)
        }
        // Bits are taken as another type's.
        ExprKind::Convert(inner, _) => of(*inner).filter(|r| r.0 >= whole.0 && r.1 <= whole.1),
        ExprKind::Construct(parts) => {
            let parts: Option<Vec<Range>> = parts.iter().map(|p| of(*p)).collect();
            parts?.into_iter().reduce(hull)
        }
        ExprKind::Select(_, a, b) => of(*a).zip(of(*b)).map(|(a, b)| hull(a, b)),
        ExprKind::Comma(_, last) => of(*last),
        ExprKind::Unary(UnaryOp::Negate, e) => of(*e).map(|(least, most)| (-most, -least)),
        ExprKind::Binary(op, a, b) => of(*a).zip(of(*b)).and_then(|(a, b)| {
            let found = arithmetic(*op, a, b)?;
            // Bits that are shifted out are lost, and one may become the sign. Factors that are large are those of hashes, which
            // are meant to wrap around, and so are sums with numbers near the ends of the type.
            let wraps = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) && (is_large(a) || is_large(b));
            let loses = *op == BinaryOp::Shl || wraps;
            (!loses || found.0 >= whole.0 && found.1 <= whole.1).then_some(found)
        }),
        ExprKind::Call(function, args) => program.functions[*function].computes().and_then(|name| {
            let args: Option<Vec<Range>> = args.iter().map(|a| of(*a)).collect();
            of_builtin(name, args?.as_slice())
        }),
        _ => None,
    };
    let unsigned = whole.0 == 0;
    let Some((least, most)) = found else { return Some(whole) };
    let fits = least >= whole.0 && most <= whole.1;
    let outside = least > whole.1 || most < whole.0;
    // What is unsigned wraps around, and what cannot but do so.
    Some(if fits || !(unsigned || outside) {
        (least.max(whole.0).min(whole.1), most.min(whole.1).max(whole.0))
    } else {
        whole
    })
}

/// The value of a constant, or what is known of one from the pipeline.
fn global(program: &Program, id: GlobalId, depth: u32) -> Option<Range> {
    let global = &program.globals[id];
    match global.kind {
        GlobalKind::Const => {
            let tree = global.init.as_ref()?;
            range(program, &tree.exprs, tree.root, depth, &mut |_, _| None)
        }
        GlobalKind::Input => counted(program, global.ty),
        _ => None,
    }
}

/// What a builtin gives (`[__computes("min")]` of the library).
fn of_builtin(name: &str, args: &[Range]) -> Option<Range> {
    match (name, args) {
        ("min", [a, b]) => Some((a.0.min(b.0), a.1.min(b.1))),
        ("max", [a, b]) => Some((a.0.max(b.0), a.1.max(b.1))),
        ("clamp", [v, least, most]) => Some((v.0.max(least.0).min(most.0), v.1.max(least.1).min(most.1))),
        _ => None,
    }
}

/// What an operator makes of two ranges, if numbers had no bounds; nothing where that is not known.
pub fn arithmetic(op: BinaryOp, (a, b): Range, (c, d): Range) -> Option<Range> {
    let positive = a >= 0 && c >= 0;
    match op {
        BinaryOp::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
        BinaryOp::Sub => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
        BinaryOp::Mul => {
            let corners = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            corners.into_iter().map(|n| (n, n)).reduce(hull)
        }
        BinaryOp::Div if positive && c > 0 => Some((a / d, b / c)),
        BinaryOp::Rem if positive && c > 0 => Some((0, b.min(d - 1))),
        // A mask that is not negative leaves no more than itself.
        BinaryOp::BitAnd if positive => Some((0, b.min(d))),
        BinaryOp::BitAnd if a >= 0 => Some((0, b)),
        BinaryOp::BitAnd if c >= 0 => Some((0, d)),
        BinaryOp::BitOr | BinaryOp::BitXor if positive => Some((0, all_bits(b.max(d)))),
        BinaryOp::Shr if a >= 0 && (0..32).contains(&c) && d < 32 => Some((a >> d, b >> c)),
        BinaryOp::Shr if a >= 0 => Some((0, b)),
        BinaryOp::Shl if positive && d < 32 => Some((a << c, b << d)),
        _ => None,
    }
}

/// The least number of ones alone that is not smaller.
fn all_bits(number: i128) -> i128 {
    (1 << (128 - number.leading_zeros()).min(126)) - 1
}
