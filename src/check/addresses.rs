//! Addresses of variables: what has one is named itself.
//!
//! Before: `S* s = &b[i + 1];   s.x = 2;                      float two(Rng* r) { return r.next(); }       two(&rng)`
//! After:  `uint index = i + 1;   b[index].x = 2;             float two(__ref Rng r) { return r.next(); }  two(rng)`
//!
//! A variable that keeps the address that it begins with stands for the place; the subscripts are evaluated where it begins. A
//! function is made for each kind of places that it is given the addresses of: by reference where they can be written, and by
//! value where not. No target has any other address of a variable, which is an error.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Access, Body, Build, Expr, ExprArena, ExprId, ExprKind, Function, FunctionBody, FunctionId, GlobalKind, Item,
    Local, LocalId, ParamMode, Program, Stmt, StmtKind, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

const MESSAGE: &str = "the address of a variable of the shader cannot be stored or passed on like this";
const NOTE: &str = "an address of a variable begins a variable that keeps it, or is an argument of a function; instead of \
                    others, hand on what the subscripts are";
const CONVERTED: &str = "a pointer to a variable of the shader does not become one to another type";
const CONVERTED_NOTE: &str = "`bit_cast<T>(x)` reads the bits of a value as another type";
const MOVED: &str = "a pointer to a variable of the shader cannot be changed";

/// Names the variables themselves everywhere; gives the errors of what has no such name.
pub(super) fn lower(program: &mut Program) -> Vec<Diagnostic> {
    let mut all = Addresses {
        waiting: program.functions_with_code(),
        program,
        made: FxHashMap::default(),
        originals: FxHashMap::default(),
        refused: FxHashSet::default(),
        diags: Vec::new(),
    };
    all.waiting.reverse();
    while let Some(function) = all.waiting.pop() {
        all.function(function);
    }
    all.initializers();
    all.program.items.settle();
    all.diags
}

/// Whether an expression names a variable or a part of one, which is not behind a pointer.
pub(super) fn has_address(types: &Types, exprs: &ExprArena, place: ExprId) -> bool {
    let is_whole = |id: ExprId| match &exprs[id].kind {
        ExprKind::Swizzle(_, swizzle) => swizzle.len == 1,
        ExprKind::MatrixSwizzle(_, list) => list.len() == 1,
        _ => true,
    };
    let named = matches!(exprs[exprs.base(place)].kind, ExprKind::Local(_) | ExprKind::Global(_));
    let held = types.get(exprs[place].ty);
    named && exprs.way_to_base(place).all(is_whole) && !held.is_resource() && !held.is_object()
}

/// How a function is given the address of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum PointedTo {
    /// The variable can be written.
    Writable,
    /// It can only be read.
    ReadOnly,
}

/// A function by what its parameters are given.
type Kinds = (FunctionId, Vec<Option<PointedTo>>);

struct Addresses<'p> {
    program: &'p mut Program,
    made: FxHashMap<Kinds, FunctionId>,
    /// What functions were made of.
    originals: FxHashMap<FunctionId, FunctionId>,
    waiting: Vec<FunctionId>,
    /// Where something was reported: of several functions of one, it is told once.
    refused: FxHashSet<Span>,
    diags: Vec<Diagnostic>,
}

impl Addresses<'_> {
    fn function(&mut self, function: FunctionId) {
        let mut body = std::mem::take(&mut self.program.functions[function].code);
        if has_addresses(&body) {
            let mut aliases = FxHashMap::default();
            loop {
                fold(self.program, &mut body);
                let more = self.take_aliases(&mut body, &mut aliases);
                if !substitute(&mut body, &aliases) && !more {
                    break;
                }
            }
            for id in body.expressions() {
                self.call(&mut body, id);
            }
            for id in body.expressions() {
                if let ExprKind::Convert(of, _) = body.exprs[id].kind
                    && is_address(&body.exprs, of)
                    && matches!(self.program.types.get(body.exprs[id].ty), Type::Pointer(..))
                {
                    self.refuse(body.exprs[id].span, CONVERTED, CONVERTED_NOTE);
                }
            }
            // Of an expression that moves a pointer or converts it, the error is said of the whole.
            let refused: FxHashSet<ExprId> = body
                .expressions()
                .into_iter()
                .filter(|id| self.refused.contains(&body.exprs[*id].span))
                .flat_map(|id| body.exprs.post_order(id))
                .collect();
            for id in body.expressions().into_iter().filter(|id| is_address(&body.exprs, *id) && !refused.contains(id))
            {
                self.refuse(body.exprs[id].span, MESSAGE, NOTE);
            }
        }
        self.program.functions[function].code = body;
    }

    /// Reports addresses in the first values of variables of the module.
    fn initializers(&mut self) {
        let mut spans = Vec::new();
        for (_, global) in self.program.globals.iter() {
            let Some(tree) = &global.init else { continue };
            let live = tree.exprs.post_order(tree.root).into_iter().filter(|id| is_address(&tree.exprs, *id));
            spans.extend(live.map(|id| tree.exprs[id].span));
        }
        spans.into_iter().for_each(|span| self.refuse(span, MESSAGE, NOTE));
    }

    fn refuse(&mut self, span: Span, message: &str, note: &str) {
        if self.refused.insert(span) {
            self.diags.push(Diagnostic::error(Code::UNSUPPORTED, span, message).note(note));
        }
    }

    /// Takes out variables that begin with an address, and notes what they stand for.
    fn take_aliases(&mut self, body: &mut Body, aliases: &mut FxHashMap<LocalId, ExprId>) -> bool {
        let written = self.program.written_locals(body);
        let mut block = std::mem::take(&mut body.block);
        let mut found = Vec::new();
        block.rewrite(&mut |mut stmt, out| {
            let place = match stmt.kind {
                StmtKind::Local(local, Some(init)) => addressed(&body.exprs, init).map(|place| (local, place)),
                _ => None,
            };
            let Some((local, place)) = place else { return out.push(stmt) };
            let mut fixed = fix_subscripts(body, place, &written);
            stmt.give_comments(fixed.first_mut(), false);
            out.append(&mut fixed);
            found.push((local, place));
        });
        body.block = block;
        for &(local, place) in &found {
            self.refuse_moves(body, local);
            self.refuse_writes(body, local, is_read_only(self.program, &body.exprs, &body.locals, place));
            // Nothing is of the pointer's type any more.
            body.locals[local].ty = body.exprs[place].ty;
        }
        aliases.extend(found.iter().copied());
        !found.is_empty()
    }

    /// Reports assignments to a pointer itself.
    fn refuse_moves(&mut self, body: &Body, pointer: LocalId) {
        let is_pointer = |place: ExprId| matches!(body.exprs[place].kind, ExprKind::Local(local) if local == pointer);
        self.refuse_written(body, &|place| is_pointer(place), MOVED, NOTE);
    }

    /// Reports what writes through a pointer to what can only be read.
    fn refuse_writes(&mut self, body: &Body, pointer: LocalId, read_only: bool) {
        if read_only {
            let types = &self.program.types.clone();
            let message = "what this pointer refers to can only be read";
            let is_write = |place: ExprId| place_of(types, &body.exprs, place) == Some(pointer);
            self.refuse_written(body, &is_write, message, "copy it to a variable, and take the address of that");
        }
    }

    fn refuse_written(&mut self, body: &Body, is_refused: &dyn Fn(ExprId) -> bool, message: &str, note: &str) {
        let mut refused = Vec::new();
        for id in body.expressions() {
            self.program.each_written(&body.exprs, id, &mut |place| {
                if is_refused(place) {
                    refused.push(body.exprs[id].span);
                }
            });
        }
        refused.into_iter().for_each(|span| self.refuse(span, message, note));
    }

    /// Gives a function the variables whose addresses it is given.
    fn call(&mut self, body: &mut Body, id: ExprId) {
        let ExprKind::Call(callee, args) = &body.exprs[id].kind else { return };
        let (callee, args) = (*callee, args.clone());
        let given: Vec<Option<PointedTo>> = args.iter().map(|arg| self.given(body, *arg)).collect();
        let has_body = matches!(self.program.functions[callee].body, FunctionBody::Block);
        if !has_body || given.iter().all(Option::is_none) {
            return;
        }
        let made = self.made_for((self.originals.get(&callee).copied().unwrap_or(callee), given));
        for arg in args {
            if let Some(place) = addressed(&body.exprs, arg) {
                body.exprs.replace_by(arg, place);
            }
        }
        if let ExprKind::Call(callee, _) = &mut body.exprs[id].kind {
            *callee = made;
        }
    }

    fn given(&self, body: &Body, arg: ExprId) -> Option<PointedTo> {
        let place = addressed(&body.exprs, arg)?;
        Some(match is_read_only(self.program, &body.exprs, &body.locals, place) {
            true => PointedTo::ReadOnly,
            false => PointedTo::Writable,
        })
    }

    /// The function of which these parameters are variables.
    fn made_for(&mut self, key: Kinds) -> FunctionId {
        if let Some(made) = self.made.get(&key) {
            return *made;
        }
        let original = key.0;
        let mut made = Function { comments: Vec::new(), ..self.program.functions[original].clone() };
        for (index, given) in key.1.iter().enumerate() {
            if let Some(given) = given {
                self.make_variable(&mut made, index, *given);
            }
        }
        let made = self.program.functions.push(made);
        self.program.items.put_before(Some(Item::Function(original)), Item::Function(made));
        self.originals.insert(made, original);
        self.made.insert(key, made);
        self.waiting.push(made);
        made
    }

    /// Makes a parameter that is a pointer the variable that it points to.
    fn make_variable(&mut self, function: &mut Function, index: usize, given: PointedTo) {
        let Some(param) = function.params.get_mut(index) else { return };
        let (local, body) = (param.local, &mut function.code);
        let Type::Pointer(to, _) = self.program.types.get(body.locals[local].ty) else { return };
        let read_only = given == PointedTo::ReadOnly;
        param.mode = if read_only { ParamMode::In } else { ParamMode::Ref };
        self.refuse_moves(body, local);
        self.refuse_writes(body, local, read_only);
        body.locals[local].ty = to;
        body.locals[local].constant = read_only;
        for id in body.expressions() {
            if matches!(body.exprs[id].kind, ExprKind::Local(named) if named == local) {
                let span = body.exprs[id].span;
                let variable = body.exprs.push(Expr { kind: ExprKind::Local(local), ty: to, span });
                body.exprs[id].kind = ExprKind::AddressOf(variable);
            }
        }
    }
}

fn is_address(exprs: &ExprArena, id: ExprId) -> bool {
    addressed(exprs, id).is_some()
}

/// What an expression is the address of.
fn addressed(exprs: &ExprArena, id: ExprId) -> Option<ExprId> {
    match exprs[id].kind {
        ExprKind::AddressOf(place) => Some(place),
        _ => None,
    }
}

fn has_addresses(body: &Body) -> bool {
    body.expressions().into_iter().any(|id| is_address(&body.exprs, id))
}

/// The local that a place is a part of, also through its being a pointer, but not through another pointer or a resource.
fn place_of(types: &Types, exprs: &ExprArena, place: ExprId) -> Option<LocalId> {
    for id in exprs.way_to_base(place) {
        match exprs[id].kind {
            ExprKind::Local(local) => return (id != place).then_some(local),
            _ if id == place => {}
            _ if matches!(types.get(exprs[id].ty), Type::Pointer(..) | Type::Buffer(..)) => return None,
            _ => {}
        }
    }
    None
}

/// Whether a place cannot be written.
fn is_read_only(
    program: &Program,
    exprs: &ExprArena,
    locals: &crate::tree::Arena<LocalId, Local>,
    place: ExprId,
) -> bool {
    for id in exprs.way_to_base(place) {
        match exprs[id].kind {
            ExprKind::Contents(_) => return true,
            ExprKind::Index(base, _) => match program.types.get(exprs[base].ty) {
                Type::Buffer(_, access, _) => return access == Access::Read,
                Type::Pointer(..) => return false,
                _ => {}
            },
            ExprKind::Local(local) => return locals[local].constant,
            ExprKind::Global(global) => {
                return !matches!(program.globals[global].kind, GlobalKind::Static | GlobalKind::Groupshared);
            }
            _ => {}
        }
    }
    false
}

/// Puts subscripts of a place that may have other values later into variables.
fn fix_subscripts(body: &mut Body, place: ExprId, written: &FxHashSet<LocalId>) -> Vec<Stmt> {
    let mut made = Vec::new();
    let way: Vec<ExprId> = body.exprs.way_to_base(place).collect();
    for id in way.into_iter().rev() {
        let ExprKind::Index(_, index) = body.exprs[id].kind else { continue };
        if keeps_value(&body.exprs, index, written) {
            continue;
        }
        let Expr { ty, span, .. } = body.exprs[index];
        let value = body.exprs.displace(index);
        let local = body.add_local(Symbol::new("index"), ty, span);
        body.locals[local].constant = true;
        body.exprs[index].kind = ExprKind::Local(local);
        made.push(Stmt::new(StmtKind::Local(local, Some(value)), span));
    }
    made
}

/// Whether a subscript has one value wherever it is evaluated.
fn keeps_value(exprs: &ExprArena, index: ExprId, written: &FxHashSet<LocalId>) -> bool {
    match exprs[index].kind {
        ExprKind::Literal(..) | ExprKind::EnumCase(..) => true,
        ExprKind::Local(local) => !written.contains(&local),
        ExprKind::Convert(of, _) | ExprKind::Swizzle(of, _) | ExprKind::Field(of, _) => keeps_value(exprs, of, written),
        _ => false,
    }
}

/// Puts the addresses in the place of the variables that keep them.
fn substitute(body: &mut Body, aliases: &FxHashMap<LocalId, ExprId>) -> bool {
    let mut found = false;
    for id in body.expressions() {
        if let ExprKind::Local(local) = body.exprs[id].kind
            && let Some(&place) = aliases.get(&local)
        {
            let place = body.exprs.duplicate(place);
            body.exprs[id].kind = ExprKind::AddressOf(place);
            found = true;
        }
    }
    found
}

/// Names what addresses are followed to.
fn fold(program: &mut Program, body: &mut Body) {
    for id in body.expressions() {
        let followed = |base: ExprId| addressed(&body.exprs, base);
        match body.exprs[id].kind {
            ExprKind::Deref(of) => {
                if let Some(place) = followed(of) {
                    body.exprs.replace_by(id, place);
                }
            }
            ExprKind::AddressOf(place) => {
                if let ExprKind::Deref(pointer) = body.exprs[place].kind {
                    body.exprs.replace_by(id, pointer);
                }
            }
            ExprKind::Field(of, _) | ExprKind::Swizzle(of, _) | ExprKind::MatrixSwizzle(of, _) => {
                if let Some(place) = followed(of) {
                    body.exprs.replace_by(of, place);
                }
            }
            ExprKind::Index(of, index) => {
                if let Some(place) = followed(of) {
                    fold_element(&mut program.types, &mut body.exprs, id, (place, index));
                }
            }
            ExprKind::Convert(of, _) => fold_conversion(program, &mut body.exprs, id, of),
            _ => {}
        }
    }
}

/// `(&x)[0]` is `x`, and `(&a[i])[n]` is `a[i + n]`.
fn fold_element(types: &mut Types, exprs: &mut ExprArena, id: ExprId, (place, index): (ExprId, ExprId)) {
    if exprs.integer(index) == Some(0) {
        return exprs.replace_by(id, place);
    }
    let ExprKind::Index(base, first) = exprs[place].kind else { return };
    if matches!(types.get(exprs[base].ty), Type::Array(..) | Type::Buffer(..)) {
        let ty = exprs[first].ty;
        let mut build = Build::new(types, exprs, Span::default());
        build.span = build.exprs[index].span;
        let index = build.convert(index, ty);
        let sum = build.binary(crate::tree::BinaryOp::Add, first, index);
        exprs[id].kind = ExprKind::Index(base, sum);
    }
}

/// An address as a pointer is itself; that of a part of what is behind a pointer is one of a variable, if that is there now.
fn fold_conversion(program: &Program, exprs: &mut ExprArena, id: ExprId, of: ExprId) {
    let to = program.types.get(exprs[id].ty);
    match (&exprs[of].kind, to) {
        // As a pointer to another type it would be followed to what is not there.
        (ExprKind::AddressOf(place), Type::Pointer(wanted, _)) if exprs[*place].ty == wanted => {
            exprs.replace_by(id, of);
        }
        (ExprKind::AddressOf(_), _) if exprs[id].ty == TypeId::BOOL => {
            exprs[id].kind = ExprKind::Literal(crate::tree::Literal::Bool(true), None);
        }
        (ExprKind::Call(function, args), Type::Pointer(..)) => {
            let is_part = program.functions[*function].is_marked("__member_address");
            let place = args.first().copied().filter(|_| is_part);
            let behind = |id: ExprId| matches!(program.types.get(exprs[id].ty), Type::Pointer(..));
            if let Some(place) = place.filter(|place| !exprs.way_to_base(*place).skip(1).any(behind)) {
                exprs[id].kind = ExprKind::AddressOf(place);
            }
        }
        _ => {}
    }
}
