//! Names of parameters and variables: where one hides another name, nothing in its scope means the other.

mod scopes;

use super::{numbered, plain};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Language;
use crate::target::operators::{Operator, function_of};
use crate::target::reserved::Reserved;
use crate::tree::{
    Body, EnumId, ExprId, ExprKind, Function, FunctionBody, FunctionId, Global, GlobalId, Item, LocalId, Member,
    NumberName, Program, Stmt, StmtKind, Template, TemplatePiece, Type, TypeId, UnaryOp,
};
use rustc_hash::{FxHashMap, FxHashSet};
use scopes::Mentions;

/// What the names in a function depend on beside it.
#[derive(Clone, Copy)]
pub(in crate::legalize) struct NameFacts<'a> {
    /// The language of the text.
    pub(in crate::legalize) language: Language,
    /// The blocks whose members are named without them.
    pub(in crate::legalize) open: &'a FxHashSet<GlobalId>,
    /// The struct in which the function stands: its members are named without it there.
    pub(in crate::legalize) owner: Option<TypeId>,
}

/// Names what a function declares. Global names are final, and those that are `kept` are not hidden even if it uses them not.
/// `open` are the blocks whose members are named without them.
pub(super) fn name(
    program: &mut Program,
    reserved: &'static Reserved,
    language: Language,
    id: FunctionId,
    (kept, open): (&FxHashSet<Symbol>, &FxHashSet<GlobalId>),
) {
    let function = &program.functions[id];
    let owner = function.owner.filter(|_| function.is_member());
    // The object has no other name in its struct.
    let named = usize::from(owner.is_some() && function.is_method());
    let mut body = std::mem::take(&mut program.functions[id].code);
    let objects = if reserved.structs_before_objects() { objects(program, &body) } else { FxHashSet::default() };
    let structs = if objects.is_empty() { FxHashSet::default() } else { struct_names(program) };
    let params: Vec<LocalId> = program.functions[id].params.iter().map(|p| p.local).collect();
    let mut kept = kept.clone();
    for name in program.number_names(&program.functions[id], &body) {
        name_in_number(program, owner, name, &mut |name| kept.extend([name]));
    }
    let kept = &kept;
    let mentions = Mentions::of(program, NameFacts { language, open, owner }, &body, &params);
    let block = std::mem::take(&mut body.block);
    let mut scopes = NameScopes { reserved, kept, mentions, objects, structs, visible: vec![FxHashMap::default()] };
    params.iter().skip(named).for_each(|local| scopes.declare(&mut body, *local));
    // The body's block is in the scope of the parameters.
    scopes.statements(&mut body, &block.stmts);
    body.block = block;
    program.functions[id].code = body;
}

/// The words of a spelling that are no members: `max`, but not `Load` of `.Load(`.
fn words_of(template: &Template) -> impl Iterator<Item = &str> {
    let texts = template.pieces.iter().filter_map(|piece| match piece {
        TemplatePiece::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let paths = texts.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.'));
    paths.filter_map(|path| path.split('.').next()).filter(|word| !word.is_empty())
}

/// The spelling of a builtin that an expression is.
fn spelling<'t>(program: &'t Program, kind: &'t ExprKind) -> Option<&'t Template> {
    match kind {
        ExprKind::Call(f, _) => match &program.functions[*f].body {
            FunctionBody::Intrinsic(template) => Some(template),
            _ => None,
        },
        ExprKind::Native(template, _) => Some(template),
        _ => None,
    }
}

/// The words in spellings of builtins that a program uses, and the functions that its operators are.
pub(super) fn spelled_words(program: &Program, language: Language) -> FxHashSet<Symbol> {
    let mut words = FxHashSet::default();
    for id in program.functions_with_code() {
        let body = &program.functions[id].code;
        let live = body.expressions();
        let spellings = live.iter().filter_map(|e| spelling(program, &body.exprs[*e].kind));
        words.extend(spellings.flat_map(words_of).map(Symbol::new));
        words.extend(live.iter().filter_map(|e| function_of_operator(program, language, body, *e)));
    }
    words
}

/// Calls `f` with the name of the struct or enum that a type is or is made of.
fn struct_of(program: &Program, mut ty: TypeId, f: &mut dyn FnMut(Symbol)) {
    // Types of buffers, patches and what a mesh shader gives name their elements, too.
    while let Some(element) = program.types.get(ty).element() {
        ty = element;
    }
    match program.types.get(ty) {
        Type::Struct(id) => f(program.structs[id].name),
        Type::Enum(id) => f(program.enums[id].name),
        _ => {}
    }
}

/// Calls `f` with the global names that an expression mentions by itself, words in spellings of builtins among them. Of the `open`
/// blocks those are their members.
fn used_names(program: &Program, facts: NameFacts, body: &Body, id: ExprId, f: &mut dyn FnMut(Symbol)) {
    let NameFacts { language, open, owner } = facts;
    let expr = &body.exprs[id];
    match &expr.kind {
        ExprKind::Global(g) if open.contains(g) => {}
        ExprKind::Global(g) => variable_names(program, owner, *g, f),
        ExprKind::Call(callee, args) if program.functions[*callee].is_member() => {
            member_names(program, (owner, body), (*callee, args), f);
        }
        ExprKind::Call(function, _) if spelling(program, &expr.kind).is_none() => f(program.functions[*function].name),
        kind @ (ExprKind::Call(..) | ExprKind::Native(..)) => {
            spelling(program, kind).into_iter().flat_map(words_of).map(Symbol::new).for_each(&mut *f);
        }
        ExprKind::Field(base, index) => {
            // A member that is named without its block.
            if let ExprKind::Contents(block) = body.exprs[*base].kind
                && let ExprKind::Global(g) = body.exprs[body.exprs.base(block)].kind
                && open.contains(&g)
                && let Some(field) = program.field(body.exprs[*base].ty, *index)
            {
                f(field.name);
            }
            // One that is named without its object.
            if owner.is_some()
                && is_unsaid(body, program.without_bases(&body.exprs, *base), id)
                && let Some(field) = program.field(body.exprs[*base].ty, *index)
            {
                f(field.name);
            }
        }
        ExprKind::EnumCase(e, index) => f(case_name(program, *e, *index)),
        ExprKind::Construct(_) | ExprKind::Zero | ExprKind::Convert(..) => struct_of(program, expr.ty, f),
        _ => {}
    }
    if let Some(function) = function_of_operator(program, language, body, id) {
        f(function);
    }
}

/// The first name of what is a case of an enum.
fn case_name(program: &Program, id: EnumId, index: u32) -> Symbol {
    let of = &program.enums[id];
    match of.cases.get(index as usize) {
        Some(case) if !of.is_named_by_cases() => case.name,
        _ => of.name,
    }
}

/// Calls `f` with the names of what is named in a number.
fn name_in_number(program: &Program, owner: Option<TypeId>, name: NumberName, f: &mut dyn FnMut(Symbol)) {
    match name {
        NumberName::Constant(id) => variable_names(program, owner, id, f),
        NumberName::Case(id, index) => f(case_name(program, id, index)),
        // It is one of those that are named here.
        NumberName::Local(..) => {}
    }
}

/// Calls `f` with the names of a variable: a static member is known by that of its struct, in there by its own, too.
fn variable_names(program: &Program, owner: Option<TypeId>, id: GlobalId, f: &mut dyn FnMut(Symbol)) {
    let global = &program.globals[id];
    let Some(member) = &global.member else { return f(global.name) };
    struct_of(program, member.of, f);
    if owner == Some(member.of) {
        f(global.name);
    }
}

/// The global names that the sizes of what has a name and a type mention, without those of static members.
pub(in crate::legalize) fn in_sizes(program: &Program, (name, ty): (Span, TypeId), found: &mut FxHashSet<Symbol>) {
    for name in program.size_names(name, ty) {
        name_in_number(program, None, name, &mut |name| found.extend([name]));
    }
}

/// The global names that the type and the value of a variable mention, without those of static members.
pub(in crate::legalize) fn in_value(
    program: &Program,
    (language, open): (Language, &FxHashSet<GlobalId>),
    global: &Global,
) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    in_sizes(program, (global.span, global.ty), &mut found);
    let mut note = |name: Symbol| found.extend([name]);
    struct_of(program, global.ty, &mut note);
    if let Some(tree) = &global.init {
        let facts = NameFacts { language, open, owner: None };
        let body = Body { exprs: tree.exprs.clone().into(), ..Default::default() };
        let live = tree.exprs.post_order(tree.root);
        live.into_iter().for_each(|id| used_names(program, facts, &body, id, &mut note));
    }
    found
}

/// The names in a call of a function that stands in a struct: behind a dot there are none.
fn member_names(
    program: &Program,
    (owner, body): (Option<TypeId>, &Body),
    (callee, args): (FunctionId, &[ExprId]),
    f: &mut dyn FnMut(Symbol),
) {
    let callee = &program.functions[callee];
    let is_own = owner.is_some() && callee.owner == owner;
    match callee.member {
        Member::Static => {
            if is_own {
                f(callee.name);
            }
            callee.owner.into_iter().for_each(|owner| struct_of(program, owner, f));
        }
        Member::Method if owner.is_some() => {
            let object = args.first().map(|object| program.without_bases(&body.exprs, *object));
            object.filter(|object| is_object(body, *object)).into_iter().for_each(|_| f(callee.name));
        }
        Member::Method | Member::None => {}
    }
}

/// Whether an expression is the object of the method that a body is.
pub(in crate::legalize) fn is_object(body: &Body, id: ExprId) -> bool {
    matches!(body.exprs[id].kind, ExprKind::Local(local) if body.locals[local].name == "this")
}

/// Whether an object is one of which the source does not say `this`, where it names a member.
fn is_unsaid(body: &Body, object: ExprId, member: ExprId) -> bool {
    is_object(body, object) && body.exprs[object].span == body.exprs[member].span
}

/// The global names that a function mentions, those of types among them, without those of its own struct.
pub(in crate::legalize) fn mentioned(
    program: &Program,
    (language, open): (Language, &FxHashSet<GlobalId>),
    function: &Function,
) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    let facts = NameFacts { language, open, owner: None };
    let body = &function.code;
    let mut note = |name: Symbol| found.extend([name]);
    body.expressions().into_iter().for_each(|id| used_names(program, facts, body, id, &mut note));
    let types = body.locals.iter().map(|(_, local)| local.ty).chain([function.result]);
    types.for_each(|ty| struct_of(program, ty, &mut note));
    for name in program.number_names(function, body) {
        name_in_number(program, None, name, &mut note);
    }
    found
}

/// The function that an operator is whose operands or value are vectors or matrices.
fn function_of_operator(program: &Program, language: Language, body: &Body, id: ExprId) -> Option<Symbol> {
    let whole = |id: ExprId| !matches!(program.types.get(body.exprs[id].ty), Type::Scalar(_));
    let operator = match body.exprs[id].kind {
        ExprKind::Select(condition, ..) if whole(condition) || whole(id) => Operator::Select,
        ExprKind::Unary(UnaryOp::Not, a) if whole(a) => Operator::Not,
        ExprKind::Binary(op, a, b) if whole(a) || whole(b) => Operator::Binary(op),
        _ => return None,
    };
    function_of(language, operator).map(Symbol::new)
}

/// The variables and parameters that are objects, or arrays of them.
fn objects(program: &Program, body: &Body) -> FxHashSet<LocalId> {
    let is_object = |ty: Type| ty.is_resource() || ty.is_object();
    let of = |ty: TypeId| is_object(program.types.get(program.types.innermost(ty)));
    body.locals.iter().filter(|(_, local)| of(local.ty)).map(|(id, _)| id).collect()
}

fn struct_names(program: &Program) -> FxHashSet<Symbol> {
    let structs = program.items.iter().filter_map(|item| match item {
        Item::Struct(id) => Some(program.structs[*id].name),
        Item::Enum(_) | Item::Global(_) | Item::Function(_) => None,
    });
    structs.collect()
}

struct NameScopes<'a> {
    reserved: &'static Reserved,
    kept: &'a FxHashSet<Symbol>,
    mentions: Mentions,
    /// The variables whose names are none of `structs`.
    objects: FxHashSet<LocalId>,
    structs: FxHashSet<Symbol>,
    /// What the names in the scopes around a place are, the innermost last.
    visible: Vec<FxHashMap<Symbol, LocalId>>,
}

impl NameScopes<'_> {
    fn declare(&mut self, body: &mut Body, local: LocalId) {
        let name = body.locals[local].name;
        let text = self.reserved.respell(&plain(name.as_str()));
        let is_object = self.objects.contains(&local);
        let free = |candidate: &str| {
            let n = Symbol::new(candidate);
            let is_type = is_object && self.structs.contains(&n);
            self.reserved.respell(candidate) == candidate && !is_type && !self.kept.contains(&n) && self.hides(local, n)
        };
        let found = Symbol::new(&numbered(&text, free));
        body.locals[local].name = found;
        if let Some(scope) = self.visible.last_mut() {
            scope.insert(found, local);
        }
    }

    /// Whether what a name means around a variable may be hidden by it.
    fn hides(&self, local: LocalId, name: Symbol) -> bool {
        let Some((innermost, around)) = self.visible.split_last() else { return true };
        let is_met = |outer: &LocalId| self.mentions.has_local(*outer, local);
        !innermost.contains_key(&name)
            && !around.iter().filter_map(|scope| scope.get(&name)).any(is_met)
            && !self.mentions.has_name(name, local)
    }

    fn scope(&mut self, body: &mut Body, stmts: &[Stmt]) {
        self.visible.push(FxHashMap::default());
        self.statements(body, stmts);
        self.visible.pop();
    }

    fn statements(&mut self, body: &mut Body, stmts: &[Stmt]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Local(local, _) => self.declare(body, *local),
                // What a loop declares at its head is not declared again directly in its body (C++, [basic.scope.block]).
                StmtKind::For(init, _, _, block, _) => {
                    self.visible.push(FxHashMap::default());
                    self.statements(body, init);
                    self.statements(body, &block.stmts);
                    self.visible.pop();
                }
                // All cases of a switch are one scope in the C family.
                StmtKind::Switch(_, cases, _) => {
                    self.visible.push(FxHashMap::default());
                    cases.iter().for_each(|c| self.statements(body, &c.body.stmts));
                    self.visible.pop();
                }
                _ => stmt.blocks(&mut |b| self.scope(body, &b.stmts)),
            }
        }
    }
}
