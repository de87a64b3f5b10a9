//! Which values that are evaluated at another place are taken from inputs as they are.
//!
//! A program is followed from its entry points through variables, calls, branches and loops, with what is known of every
//! component: DXC asks the same after it has put all functions into one. `l.x = v.s; l.y = v.p.x;  EvaluateAttributeCentroid(l)`
//! is right, and with `if (c) l.x = 0;` between them it is not.

use super::{AT_VERTEX, ELSEWHERE, is, is_generated};
use crate::check::constant::eval;
use crate::tree::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// So many expressions are looked at; of what comes later nothing is known.
const BUDGET: u32 = 200_000;
/// So many elements of an array are looked at one by one.
const MAX_ELEMENTS: u32 = 64;
/// How deep calls are followed.
const DEPTH: u32 = 64;

/// What is known of the values that a call evaluates.
#[derive(Clone, Copy, Default)]
pub(super) struct Taken {
    /// Some are no inputs.
    pub(super) others: bool,
    /// Some are inputs that are not interpolated.
    pub(super) flat: bool,
    /// Some are inputs that are interpolated.
    pub(super) smooth: bool,
}

/// Calls in functions, with what they evaluate.
pub(super) type Calls = BTreeMap<(FunctionId, ExprId), Taken>;

/// Follows all entry points.
pub(super) fn calls(program: &Program) -> Calls {
    let mut follower = Follower { program, left: BUDGET, inputs: 0, calls: Calls::new() };
    for id in program.entry_points.iter().flat_map(EntryPoint::roots) {
        let function = &program.functions[id];
        let given = function.params.iter().map(|p| follower.entry_parameter(function, p)).collect();
        follower.function(id, given, &mut FxHashMap::default(), 0);
    }
    follower.calls
}

/// A component.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atom {
    /// Of an input, with its number.
    Input {
        number: u32,
        flat: bool,
    },
    /// A number that an index may be.
    Number(u16),
    /// Something else.
    Other,
    /// Nothing yet.
    Unset,
    Unknown,
}

#[derive(Clone, PartialEq)]
enum Value {
    /// Of a scalar, a vector, or a matrix row by row.
    Components(Vec<Atom>),
    /// Fields or elements.
    Parts(Vec<Value>),
    Unknown,
}

impl Value {
    fn atoms(&self, found: &mut Vec<Atom>) {
        match self {
            Value::Components(atoms) => found.extend(atoms),
            Value::Parts(parts) => parts.iter().for_each(|part| part.atoms(found)),
            Value::Unknown => found.push(Atom::Unknown),
        }
    }

    /// What it is if it is one of two.
    fn join(&self, other: &Value) -> Value {
        let atom = |(a, b): (&Atom, &Atom)| match (*a, *b) {
            (a, b) if a == b => a,
            (Atom::Unknown | Atom::Unset, _) | (_, Atom::Unknown | Atom::Unset) => Atom::Unknown,
            _ => Atom::Other,
        };
        match (self, other) {
            (Value::Components(a), Value::Components(b)) if a.len() == b.len() => {
                Value::Components(a.iter().zip(b).map(atom).collect())
            }
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                Value::Parts(a.iter().zip(b).map(|(a, b)| a.join(b)).collect())
            }
            _ => Value::Unknown,
        }
    }

    fn part(&self, index: usize) -> Value {
        match self {
            // Behind the end nothing is taken from.
            Value::Parts(parts) => parts.get(index).cloned().unwrap_or(Value::Components(vec![Atom::Other])),
            Value::Components(_) | Value::Unknown => Value::Unknown,
        }
    }

    fn components(&self, at: impl Iterator<Item = usize>) -> Value {
        match self {
            Value::Components(atoms) => {
                Value::Components(at.map(|i| atoms.get(i).copied().unwrap_or(Atom::Unknown)).collect())
            }
            Value::Parts(_) | Value::Unknown => Value::Unknown,
        }
    }

    fn set_components(&mut self, at: impl Iterator<Item = usize>, value: &Value) {
        let Value::Components(atoms) = self else { return };
        for (from, to) in at.enumerate() {
            let atom = match value {
                Value::Components(given) => given.get(from).copied().unwrap_or(Atom::Unknown),
                Value::Parts(_) | Value::Unknown => Atom::Unknown,
            };
            atoms.get_mut(to).into_iter().for_each(|place| *place = atom);
        }
    }
}

type Statics = FxHashMap<GlobalId, Value>;

#[derive(Clone)]
struct State {
    locals: FxHashMap<LocalId, Value>,
    statics: Statics,
    /// Control comes here.
    live: bool,
}

impl State {
    fn join(&mut self, other: &State) {
        if !other.live {
            return;
        }
        if !self.live {
            *self = other.clone();
            return;
        }
        // What one does not know is declared inside.
        self.locals.retain(|local, value| {
            other.locals.get(local).is_some_and(|theirs| {
                *value = value.join(theirs);
                true
            })
        });
        self.statics.retain(|global, value| {
            other.statics.get(global).is_some_and(|theirs| {
                *value = value.join(theirs);
                true
            })
        });
    }
}

struct Follower<'a> {
    program: &'a Program,
    left: u32,
    inputs: u32,
    calls: Calls,
}

impl Follower<'_> {
    fn entry_parameter(&mut self, function: &Function, param: &Param) -> Value {
        let ty = function.code.locals[param.local].ty;
        if param.mode == ParamMode::Out {
            self.of_type(ty, &mut |_| Atom::Unset)
        } else if is_uniform(self.program, param, ty) || is_generated(param.semantic) {
            self.of_type(ty, &mut |_| Atom::Other)
        } else {
            self.input(ty, param.modifiers)
        }
    }

    fn input(&mut self, ty: TypeId, modifiers: Modifiers) -> Value {
        let fields = self.program.fields(ty);
        if !fields.is_empty() {
            let field = |f: &Field| match is_generated(f.semantic) {
                true => self.of_type(f.ty, &mut |_| Atom::Other),
                false => self.input(f.ty, if f.modifiers.says_interpolation() { f.modifiers } else { modifiers }),
            };
            return Value::Parts(fields.iter().map(field).collect());
        }
        if let Type::Array(element, Length::Fixed(count)) = self.program.types.get(ty)
            && count <= MAX_ELEMENTS
        {
            return Value::Parts((0..count).map(|_| self.input(element, modifiers)).collect());
        }
        let (flat, mut number) = (modifiers.has(Modifiers::NOINTERPOLATION), self.inputs);
        let value = self.of_type(ty, &mut |scalar| {
            number += 1;
            Atom::Input { number, flat: flat || !scalar.is_float() }
        });
        self.inputs = number;
        value
    }

    fn of_type(&self, ty: TypeId, atom: &mut dyn FnMut(Scalar) -> Atom) -> Value {
        match self.program.types.get(ty) {
            Type::Scalar(scalar) => Value::Components(vec![atom(scalar)]),
            Type::Vector(scalar, n) => Value::Components((0..n).map(|_| atom(scalar)).collect()),
            Type::Matrix(scalar, r, c) => Value::Components((0..r * c).map(|_| atom(scalar)).collect()),
            Type::Struct(_) => Value::Parts(self.program.fields(ty).iter().map(|f| self.of_type(f.ty, atom)).collect()),
            Type::Array(element, Length::Fixed(count)) if count <= MAX_ELEMENTS => {
                Value::Parts((0..count).map(|_| self.of_type(element, atom)).collect())
            }
            _ => Value::Unknown,
        }
    }

    fn other(&self, ty: TypeId) -> Value {
        self.of_type(ty, &mut |_| Atom::Other)
    }

    /// Follows a function; gives its result and what its parameters hold at its end.
    fn function(
        &mut self,
        id: FunctionId,
        given: Vec<Value>,
        statics: &mut Statics,
        depth: u32,
    ) -> (Value, Vec<Value>) {
        let function = &self.program.functions[id];
        let locals = function.params.iter().map(|p| p.local).zip(given).collect();
        let state = State { locals, statics: std::mem::take(statics), live: true };
        let dead = State { live: false, ..state.clone() };
        let mut frame =
            Followed { id, body: &function.code, state, result: None, end: dead.clone(), exits: dead, depth };
        self.block(&mut frame, &function.code.block);
        let last = frame.state;
        frame.end.join(&last);
        *statics = frame.end.statics;
        let kept = |p: &Param| frame.end.locals.get(&p.local).cloned().unwrap_or(Value::Unknown);
        let result = frame.result.unwrap_or_else(|| self.other(function.result));
        (result, function.params.iter().map(kept).collect())
    }

    fn block(&mut self, frame: &mut Followed, block: &Block) {
        for stmt in &block.stmts {
            if !frame.state.live {
                return;
            }
            self.stmt(frame, stmt);
        }
    }

    fn stmt(&mut self, frame: &mut Followed, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Local(local, value) => {
                let value = match value {
                    Some(value) => self.value(frame, *value),
                    None => self.of_type(frame.body.locals[*local].ty, &mut |_| Atom::Unset),
                };
                frame.state.locals.insert(*local, value);
            }
            StmtKind::Expr(root) => drop(self.value(frame, *root)),
            StmtKind::Block(block) => self.block(frame, block),
            StmtKind::If(condition, then, other, _) => self.branch(frame, *condition, then, other.as_ref()),
            StmtKind::For(init, condition, step, body, _) => {
                init.iter().for_each(|stmt| self.stmt(frame, stmt));
                self.rounds(frame, *condition, *step, body);
            }
            StmtKind::While(condition, body, _) => self.rounds(frame, Some(*condition), None, body),
            StmtKind::DoWhile(body, condition, _) => self.rounds(frame, None, Some(*condition), body),
            StmtKind::Switch(value, cases, _) => {
                self.value(frame, *value);
                self.cases(frame, cases);
            }
            StmtKind::Break | StmtKind::Continue => {
                frame.exits.join(&frame.state);
                frame.state.live = false;
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let value = self.value(frame, *value);
                    frame.result = Some(frame.result.take().map_or(value.clone(), |known| known.join(&value)));
                }
                frame.end.join(&frame.state);
                frame.state.live = false;
            }
            StmtKind::Discard | StmtKind::Intrinsic(_) => {}
        }
    }

    fn branch(&mut self, frame: &mut Followed, condition: ExprId, then: &Block, other: Option<&Block>) {
        self.value(frame, condition);
        let known = eval(self.program, &frame.body.exprs, condition).ok().and_then(|value| value.truth());
        let before = frame.state.clone();
        if known != Some(false) {
            self.block(frame, then);
        }
        if known == Some(true) {
            return;
        }
        let after = match known {
            None => std::mem::replace(&mut frame.state, before),
            Some(_) => State { live: false, ..before },
        };
        other.into_iter().for_each(|block| self.block(frame, block));
        frame.state.join(&after);
    }

    /// A second round shows what the first has changed.
    fn rounds(&mut self, frame: &mut Followed, condition: Option<ExprId>, step: Option<ExprId>, body: &Block) {
        let dead = State { live: false, ..frame.state.clone() };
        let outside = std::mem::replace(&mut frame.exits, dead);
        for _ in 0..2 {
            condition.into_iter().for_each(|e| drop(self.value(frame, e)));
            let before = frame.state.clone();
            self.block(frame, body);
            let exits = frame.exits.clone();
            frame.state.join(&exits);
            if frame.state.live {
                step.into_iter().for_each(|e| drop(self.value(frame, e)));
            }
            frame.state.join(&before);
        }
        frame.exits = outside;
    }

    fn cases(&mut self, frame: &mut Followed, cases: &[SwitchCase]) {
        let entry = frame.state.clone();
        let outside = std::mem::replace(&mut frame.exits, State { live: false, ..entry.clone() });
        frame.state.live = false;
        for case in cases {
            frame.state.join(&entry);
            self.block(frame, &case.body);
        }
        if cases.iter().all(|case| case.labels.iter().all(Option::is_some)) {
            frame.state.join(&entry);
        }
        let exits = std::mem::replace(&mut frame.exits, outside);
        frame.state.join(&exits);
    }

    fn values(&mut self, frame: &mut Followed, ids: &[ExprId]) -> Vec<Value> {
        ids.iter().map(|id| self.value(frame, *id)).collect()
    }

    fn value(&mut self, frame: &mut Followed, id: ExprId) -> Value {
        let Some(left) = self.left.checked_sub(1) else { return Value::Unknown };
        self.left = left;
        let Expr { ty, ref kind, .. } = frame.body.exprs[id];
        if let Some(number) = self.number(frame, id) {
            return Value::Components(vec![Atom::Number(number)]);
        }
        match kind {
            ExprKind::Local(local) => frame.state.locals.get(local).cloned().unwrap_or(Value::Unknown),
            ExprKind::Global(global) => self.global(frame, *global, ty),
            ExprKind::Field(base, index) => self.value(frame, *base).part(*index as usize),
            ExprKind::Index(base, index) => self.element(frame, *base, *index, ty),
            ExprKind::Swizzle(base, _) | ExprKind::MatrixSwizzle(base, _) => {
                let value = self.value(frame, *base);
                value.components(self.selected(frame, id).into_iter())
            }
            ExprKind::Construct(parts) => {
                let parts = self.values(frame, parts);
                if self.program.members(ty).is_some() {
                    return Value::Parts(parts);
                }
                let mut atoms = Vec::new();
                parts.iter().for_each(|part| part.atoms(&mut atoms));
                Value::Components(atoms)
            }
            ExprKind::Convert(inner, _) => {
                let value = self.value(frame, *inner);
                self.converted(value, frame.body.exprs[*inner].ty, ty)
            }
            ExprKind::Assign(op, target, value) => {
                let value = self.value(frame, *value);
                self.indices(frame, *target);
                let value = if op.is_some() { self.other(ty) } else { value };
                self.write(frame, *target, value.clone());
                value
            }
            ExprKind::Step(_, _, target) => {
                let value = self.other(ty);
                self.write(frame, *target, value.clone());
                value
            }
            ExprKind::Comma(first, last) => {
                self.value(frame, *first);
                self.value(frame, *last)
            }
            ExprKind::Select(condition, a, b) => self.select(frame, [*condition, *a, *b]),
            ExprKind::Call(function, args) => self.call(frame, id, *function, args),
            ExprKind::Property(_) | ExprKind::AddressOf(_) | ExprKind::Deref(_) => {
                let mut children = Vec::new();
                kind.children(&mut |child| children.push(child));
                self.values(frame, &children);
                Value::Unknown
            }
            ExprKind::Literal(..)
            | ExprKind::EnumCase(..)
            | ExprKind::Zero
            | ExprKind::Contents(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Native(..) => {
                let mut children = Vec::new();
                kind.children(&mut |child| children.push(child));
                self.values(frame, &children);
                self.other(ty)
            }
        }
    }

    /// A static variable holds what it was assigned; nothing else outside of functions is an input.
    fn global(&self, frame: &Followed, global: GlobalId, ty: TypeId) -> Value {
        frame.state.statics.get(&global).cloned().unwrap_or_else(|| self.other(ty))
    }

    /// An element or component. At an index that varies it is an input if it is one of a parameter: compilers know of no other
    /// variable which input it is a copy of.
    fn element(&mut self, frame: &mut Followed, base: ExprId, index: ExprId, ty: TypeId) -> Value {
        let whole = self.value(frame, base);
        if let Some(at) = self.constant_index(frame, index) {
            return match whole {
                Value::Parts(_) => whole.part(at),
                Value::Components(_) => {
                    let count = self.width(ty);
                    whole.components((at * count..).take(count))
                }
                Value::Unknown => Value::Unknown,
            };
        }
        let is_parameter = frame
            .body
            .exprs
            .base_local(base)
            .is_some_and(|local| self.program.functions[frame.id].params.iter().any(|p| p.local == local));
        let mut atoms = Vec::new();
        whole.atoms(&mut atoms);
        match whole {
            Value::Parts(parts) if atoms.iter().all(|a| matches!(a, Atom::Input { .. })) && is_parameter => {
                parts.into_iter().next().unwrap_or(Value::Unknown)
            }
            Value::Parts(_) => self.other(ty),
            // These have an error of their own.
            Value::Components(_) | Value::Unknown => Value::Unknown,
        }
    }

    /// The number that an integer is.
    fn number(&self, frame: &Followed, id: ExprId) -> Option<u16> {
        let exprs = &frame.body.exprs;
        let Type::Scalar(scalar) = self.program.types.get(exprs[id].ty) else { return None };
        let is_index = !scalar.is_float() && scalar != Scalar::Bool;
        let number = || u16::try_from(eval(self.program, exprs, id).ok()?.int()?).ok();
        is_index.then(number).flatten()
    }

    fn constant_index(&mut self, frame: &mut Followed, index: ExprId) -> Option<usize> {
        match self.value(frame, index) {
            Value::Components(atoms) => match *atoms.as_slice() {
                [Atom::Number(number)] => Some(number.into()),
                _ => None,
            },
            Value::Parts(_) | Value::Unknown => None,
        }
    }

    fn width(&self, ty: TypeId) -> usize {
        match self.program.types.get(ty) {
            Type::Vector(_, n) => n.into(),
            Type::Matrix(_, r, c) => usize::from(r) * usize::from(c),
            _ => 1,
        }
    }

    /// The components that a selection takes, in the order of a matrix row by row.
    fn selected(&self, frame: &Followed, id: ExprId) -> Vec<usize> {
        match &frame.body.exprs[id].kind {
            ExprKind::Swizzle(_, swizzle) => swizzle.list().iter().map(|c| usize::from(*c)).collect(),
            ExprKind::MatrixSwizzle(base, list) => {
                let columns = match self.program.types.get(frame.body.exprs[*base].ty) {
                    Type::Matrix(_, _, columns) => columns.into(),
                    _ => 1,
                };
                list.iter().map(|(row, column)| usize::from(*row) * columns + usize::from(*column)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Numbers of another kind are others; of a cut value some are left.
    fn converted(&self, value: Value, from: TypeId, to: TypeId) -> Value {
        let types = &self.program.types;
        match (types.component(from), types.component(to)) {
            (Some(a), Some(b)) if a != b => {
                let is_number = matches!(&value, Value::Components(atoms) if matches!(**atoms, [Atom::Number(_)]));
                return if is_number && !b.is_float() && types.get(to) == Type::Scalar(b) {
                    value
                } else {
                    self.other(to)
                };
            }
            (Some(_), Some(_)) => {}
            _ => return if from == to { value } else { Value::Unknown },
        }
        let count = self.width(to);
        match (types.get(from), types.get(to)) {
            (Type::Scalar(_), _) => value.components(std::iter::repeat_n(0, count)),
            (Type::Matrix(_, _, wide), Type::Matrix(_, rows, columns)) => {
                let at = (0..rows)
                    .flat_map(|r| (0..columns).map(move |c| usize::from(r) * usize::from(wide) + usize::from(c)));
                value.components(at)
            }
            _ => value.components(0..count),
        }
    }

    fn select(&mut self, frame: &mut Followed, [condition, a, b]: [ExprId; 3]) -> Value {
        self.value(frame, condition);
        let [first, second] = [a, b].map(|id| self.value(frame, id));
        match eval(self.program, &frame.body.exprs, condition).ok().and_then(|value| value.truth()) {
            Some(true) => first,
            Some(false) => second,
            // Chosen by component it is an input no more, not even where both are the same one.
            None if matches!(self.program.types.get(frame.body.exprs[condition].ty), Type::Vector(..)) => {
                self.other(frame.body.exprs[a].ty)
            }
            None => first.join(&second),
        }
    }

    fn call(&mut self, frame: &mut Followed, id: ExprId, callee: FunctionId, args: &[ExprId]) -> Value {
        let given = self.values(frame, args);
        let program = self.program;
        let function = &program.functions[callee];
        if is(function, ELSEWHERE) || is(function, AT_VERTEX) {
            self.note((frame.id, id), given.first());
        }
        let modes = function.params.iter().map(|p| p.mode);
        if !matches!(function.body, FunctionBody::Block) || frame.depth >= DEPTH {
            for (arg, mode) in args.iter().zip(modes) {
                if mode != ParamMode::In {
                    let other = self.other(frame.body.exprs[*arg].ty);
                    self.write(frame, *arg, other);
                }
            }
            return self.other(function.result);
        }
        let (result, kept) = self.function(callee, given, &mut frame.state.statics, frame.depth + 1);
        for ((arg, mode), value) in args.iter().zip(modes).zip(kept) {
            if mode != ParamMode::In {
                self.write(frame, *arg, value);
            }
        }
        result
    }

    fn note(&mut self, call: (FunctionId, ExprId), value: Option<&Value>) {
        let mut atoms = Vec::new();
        value.into_iter().for_each(|value| value.atoms(&mut atoms));
        let taken = self.calls.entry(call).or_default();
        for atom in atoms {
            match atom {
                Atom::Input { flat: true, .. } => taken.flat = true,
                Atom::Input { flat: false, .. } => taken.smooth = true,
                Atom::Number(_) | Atom::Other | Atom::Unset => taken.others = true,
                Atom::Unknown => {}
            }
        }
    }

    /// Follows what the indices of a place do.
    fn indices(&mut self, frame: &mut Followed, place: ExprId) {
        for index in frame.body.exprs.indices(place) {
            self.value(frame, index);
        }
    }

    fn write(&mut self, frame: &mut Followed, place: ExprId, value: Value) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        let body = frame.body;
        match &body.exprs[place].kind {
            ExprKind::Local(local) => drop(frame.state.locals.insert(*local, value)),
            ExprKind::Global(global) if self.program.globals[*global].kind == GlobalKind::Static => {
                frame.state.statics.insert(*global, value);
            }
            ExprKind::Field(base, index) => {
                let mut whole = self.value(frame, *base);
                if let Value::Parts(parts) = &mut whole {
                    parts.get_mut(*index as usize).into_iter().for_each(|part| *part = value.clone());
                }
                self.write(frame, *base, whole);
            }
            ExprKind::Index(base, index) => {
                let mut whole = self.value(frame, *base);
                let at = self.constant_index(frame, *index);
                match (&mut whole, at) {
                    (Value::Parts(parts), Some(at)) => {
                        parts.get_mut(at).into_iter().for_each(|part| *part = value.clone());
                    }
                    (Value::Parts(parts), None) => parts.iter_mut().for_each(|part| *part = part.join(&value)),
                    (Value::Components(_), Some(at)) => {
                        let count = self.width(body.exprs[place].ty);
                        whole.set_components((at * count..).take(count), &value);
                    }
                    (Value::Components(atoms), None) => atoms.iter_mut().for_each(|atom| *atom = Atom::Unknown),
                    (Value::Unknown, _) => {}
                }
                self.write(frame, *base, whole);
            }
            ExprKind::Swizzle(base, _) | ExprKind::MatrixSwizzle(base, _) => {
                let mut whole = self.value(frame, *base);
                whole.set_components(self.selected(frame, place).into_iter(), &value);
                self.write(frame, *base, whole);
            }
            // What is converted on its way back.
            ExprKind::Convert(inner, _) => {
                let value = self.converted(value, body.exprs[place].ty, body.exprs[*inner].ty);
                self.write(frame, *inner, value);
            }
            _ => {}
        }
    }
}

/// A function that is followed.
struct Followed<'a> {
    id: FunctionId,
    body: &'a Body,
    state: State,
    /// What was returned.
    result: Option<Value>,
    /// Where it returned.
    end: State,
    /// Where the loop or `switch` around was left or begun again.
    exits: State,
    depth: u32,
}
