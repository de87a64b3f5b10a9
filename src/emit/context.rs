//! What all printers know of the program, and the order and spacing of declarations.

use super::aliases;
use super::dialect::Dialect;
use super::expr::Exprs;
use super::local_numbers::LocalNumbers;
use super::marks::{Marks, Origin, PieceKind};
use super::named::Macros;
use super::stmt::{Stmts, declarator};
use super::trivia::Trivia;
use super::writer::Writer;
use super::{Options, Shared};
use crate::lex::Comment;
use crate::source::{Sources, Span};
use crate::symbol::Symbol;
use crate::target::reserved::Reserved;
use crate::target::{Language, Profile};
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The program, the target, and facts found once.
pub(super) struct Context<'a> {
    /// What is printed.
    pub(super) program: &'a Program,
    /// The declarations of it that this text has.
    pub(super) items: &'a [Item],
    /// The entry points of it that this text has.
    pub(super) entry_points: &'a [EntryPoint],
    /// For what.
    pub(super) profile: &'a Profile,
    /// How.
    pub(super) options: &'a Options,
    /// The macros that it comes from.
    pub(super) macros: Macros<'a>,
    /// What the source has between the parts of expressions.
    pub(super) trivia: Trivia<'a>,
    /// The places that it comes from.
    pub(super) marks: Rc<Marks>,
    /// What all texts of the program have in common.
    shared: &'a Shared,
    /// The listed functions of each name, by the struct that they stand in.
    overloads: FxHashMap<(Option<TypeId>, Symbol), Vec<FunctionId>>,
    /// The functions that stand in structs.
    methods: FxHashMap<StructId, Vec<FunctionId>>,
    /// The variables that stand in structs.
    static_members: FxHashMap<StructId, Vec<GlobalId>>,
    /// The struct whose members are printed now: names of them have no struct before them.
    pub(super) inside: Cell<Option<TypeId>>,
    /// The entry points by their functions.
    entries: FxHashMap<FunctionId, &'a EntryPoint>,
    /// Initializers of globals have no variables.
    nothing: FxHashSet<LocalId>,
    /// Arrays whose elements have no other names than their own.
    pub(super) whole_arrays: FxHashSet<TypeId>,
    /// The array that is the first value of what is declared now, by the name of that.
    pub(super) declared: Cell<Option<(ExprId, Span)>>,
    /// The numbers that constants of the function are in which is printed now.
    local_numbers: RefCell<LocalNumbers>,
    /// Unsigned numbers that the source writes without a suffix are written so.
    are_numbers_whole: Cell<bool>,
    /// The names of enums by those of their cases.
    cases: FxHashMap<Span, Span>,
    /// The name of the member that was printed last.
    last_member: Cell<Span>,
}

impl<'a> Context<'a> {
    /// Looks at a text's declarations once.
    pub(super) fn new(
        program: &'a Program,
        (items, entry_points): (&'a [Item], &'a [EntryPoint]),
        (profile, options): (&'a Profile, &'a Options),
        sources: &'a Sources,
        shared: &'a Shared,
    ) -> Context<'a> {
        let mut overloads: FxHashMap<(Option<TypeId>, Symbol), Vec<FunctionId>> = FxHashMap::default();
        let mut methods: FxHashMap<StructId, Vec<FunctionId>> = FxHashMap::default();
        let mut static_members: FxHashMap<StructId, Vec<GlobalId>> = FxHashMap::default();
        for item in items {
            if let Item::Global(id) = item
                && let Some(member) = &program.globals[*id].member
                && let Type::Struct(of) = program.types.get(member.of)
            {
                static_members.entry(of).or_default().push(*id);
            }
            if let Item::Function(id) = item {
                let function = &program.functions[*id];
                let owner = function.owner.filter(|_| function.is_member());
                overloads.entry((owner, function.name)).or_default().push(*id);
                if let Some(Type::Struct(of)) = owner.map(|owner| program.types.get(owner)) {
                    methods.entry(of).or_default().push(*id);
                }
            }
        }
        let enums = program.enums.iter();
        let cases = enums.flat_map(|(_, of)| of.cases.iter().map(|case| (case.span, of.span))).collect();
        let nothing = FxHashSet::default();
        let entries = entry_points.iter().map(|e| (e.function, e)).collect();
        let macros = Macros::new(sources, profile);
        let trivia = Trivia::new(sources, options.comments);
        let marks = Rc::default();
        let has_names = macros.are_constants && !program.aliases.is_empty();
        let whole_arrays = if has_names { aliases::whole_arrays(program) } else { FxHashSet::default() };
        Context {
            program,
            items,
            entry_points,
            profile,
            options,
            macros,
            trivia,
            marks,
            shared,
            overloads,
            methods,
            static_members,
            inside: Cell::new(None),
            entries,
            nothing,
            whole_arrays,
            declared: Cell::default(),
            local_numbers: RefCell::default(),
            are_numbers_whole: Cell::default(),
            cases,
            last_member: Cell::default(),
        }
    }

    /// The functions that are called as one is, itself among them: arguments choose among several.
    fn overloads(&self, function: &Function) -> &[FunctionId] {
        let owner = function.owner.filter(|_| function.is_member());
        self.overloads.get(&(owner, function.name)).map_or(&[], Vec::as_slice)
    }

    /// Several functions are called like this one, so that arguments choose among them.
    pub(super) fn is_overloaded(&self, function: &Function) -> bool {
        self.overloads(function).len() > 1
    }

    /// The functions that stand in a struct, in the order of the source.
    pub(super) fn methods(&self, of: StructId) -> Vec<FunctionId> {
        let mut found = self.methods.get(&of).cloned().unwrap_or_default();
        found.sort_by_key(|id| self.trivia.place_in_source(self.program.functions[*id].span));
        found
    }

    /// The variables that stand in a struct, in the order of the source.
    pub(super) fn static_members(&self, of: StructId) -> Vec<GlobalId> {
        let mut found = self.static_members.get(&of).cloned().unwrap_or_default();
        found.sort_by_key(|id| self.trivia.place_in_source(self.program.globals[*id].span));
        found
    }

    /// The declaration of the first of several fields with those behind it that the source declares with it: its text, how many
    /// they are, and the comments behind the last one.
    pub(super) fn field_declaration<'f>(
        &self,
        fields: &[&'f Field],
        text_of: &dyn Fn(&Field) -> String,
    ) -> Option<(String, usize, &'f [Comment])> {
        let (first, rest) = fields.split_first()?;
        let (mut text, mut last, mut count) = (text_of(first), *first, 1);
        for next in rest {
            let own = text_of(next);
            let says_before = next.comments.iter().any(|comment| !comment.trailing);
            let is_next = self.trivia.declares_both(last.span, next.span) && !says_before;
            let Some(declarator) = declarator(&text, first.name.as_str(), &own).filter(|_| is_next) else { break };
            text.push_str(&format!(", {declarator}"));
            (last, count) = (next, count + 1);
        }
        Some((text, count, if count > 1 { &last.comments } else { &[] }))
    }

    /// How many of the last parameters of a function are declared with their default values, so that calls may leave them
    /// out: none where fewer arguments may mean another function, one of the language or of the program.
    pub(super) fn defaults(&self, function: &Function) -> usize {
        let is_kept = |param: &&Param| {
            let ty = function.code.locals[param.local].ty;
            param.default.as_ref().is_some_and(|tree| tree.exprs[tree.root].ty == ty && self.is_declared(tree))
        };
        let count = function.params.iter().rev().take_while(is_kept).count();
        let reserved = Reserved::of(self.profile);
        let fewest = function.params.len() - count;
        let is_taken =
            |n: usize| !function.is_member() && reserved.is_function(function.name.as_str(), Some(n), |_| false);
        let others = self.is_overloaded(function) || (fewest..function.params.len()).any(is_taken);
        if others { 0 } else { count }
    }

    /// Whether all that a default value names is still declared: passes may have replaced it.
    fn is_declared(&self, tree: &ExprTree) -> bool {
        let is_item = |item: Item| self.program.items.contains(&item);
        !tree.exprs.any_part(tree.root, |id| match tree.exprs[id].kind {
            ExprKind::Global(global) => !is_item(Item::Global(global)),
            ExprKind::EnumCase(of, _) => !is_item(Item::Enum(of)),
            _ => false,
        })
    }

    /// Whether another function of the name takes another scalar, or vector of one, for a parameter.
    pub(super) fn is_contested(&self, callee: &Function, count: usize, index: usize) -> bool {
        let scalar = |f: &Function| {
            let param = f.params.get(index).filter(|_| f.params.len() == count)?;
            match self.program.types.get(f.code.locals[param.local].ty) {
                Type::Scalar(s) | Type::Vector(s, 1) => Some(s),
                _ => None,
            }
        };
        let own = scalar(callee);
        let others = self.overloads(callee).iter();
        others.filter_map(|f| scalar(&self.program.functions[*f])).any(|s| Some(s) != own)
    }

    /// Whether another function of the name takes another type for a parameter.
    pub(super) fn takes_another(&self, callee: &Function, count: usize, index: usize) -> bool {
        let ty = |f: &Function| {
            let param = f.params.get(index).filter(|_| f.params.len() == count)?;
            Some(f.code.locals[param.local].ty)
        };
        let own = ty(callee);
        let others = self.overloads(callee).iter();
        others.filter_map(|f| ty(&self.program.functions[*f])).any(|other| Some(other) != own)
    }

    /// The struct is the inside of a block and has no declaration of its own.
    pub(super) fn is_block_struct(&self, id: StructId) -> bool {
        self.shared.block_structs.contains(&id)
    }

    /// The name of a field of a struct type, or of what a pointer or buffer to it holds.
    pub(super) fn field_name(&self, ty: TypeId, index: u32) -> &'a str {
        match self.program.types.get(ty) {
            Type::Struct(id) => self.program.structs[id].fields.get(index as usize).map_or("", |f| f.name.as_str()),
            Type::Pointer(inner, _) | Type::ConstantBuffer(inner, _) | Type::ParameterBlock(inner) => {
                self.field_name(inner, index)
            }
            _ => "",
        }
    }

    /// The component scalar of a value, or of the element of a texture or buffer.
    pub(super) fn element_scalar(&self, ty: TypeId) -> Scalar {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Texture(texture) => types.component(texture.element),
            Type::Buffer(_, _, element) | Type::SubpassInput(element, _) | Type::Array(element, _) => {
                Some(self.element_scalar(element))
            }
            Type::Pointer(element, _) => Some(self.element_scalar(element)),
            Type::Enum(id) => Some(self.program.enums[id].tag),
            _ => types.component(ty),
        }
        .unwrap_or(Scalar::F32)
    }

    /// The printer of an initializer's expressions.
    pub(super) fn tree<'b>(&'b self, dialect: &'b dyn Dialect, tree: &'b ExprTree) -> Exprs<'b> {
        self.trivia.begin();
        self.tree_inside(dialect, tree)
    }

    /// The same in the middle of what another one prints.
    fn tree_inside<'b>(&'b self, dialect: &'b dyn Dialect, tree: &'b ExprTree) -> Exprs<'b> {
        let (assigned, labels) = (&self.nothing, &self.nothing);
        Exprs {
            cx: self,
            dialect,
            arena: &tree.exprs,
            locals: None,
            owner: self.inside.get(),
            assigned,
            labels,
            made: None,
        }
    }

    /// The sizes of an array from the outermost on, as the declaration has them whose name has this span.
    pub(super) fn lengths(&self, dialect: &dyn Dialect, ty: TypeId, span: Span) -> Vec<String> {
        let lengths = self.program.lengths(ty);
        let text = |(at, length): (usize, Length)| match length {
            Length::Fixed(n) => self.number(dialect, (span, at, lengths.len()), n.into()),
            Length::Unsized | Length::Constant(_) => self.program.length_text(length),
        };
        lengths.iter().copied().enumerate().map(text).collect()
    }

    /// A number of a declaration or an attribute whose name has this span: which one it is of how many. It is written with the
    /// macros and constants that the source has for it, if it is still what they say.
    pub(super) fn number(&self, dialect: &dyn Dialect, place: NumberPlace, number: i64) -> String {
        match self.program.written_numbers.get(place, number) {
            Some(known) if known.locals.is_empty() => {
                self.macros.size(|| self.tree_inside(dialect, &known.tree).text(known.tree.root))
            }
            Some(_) => self.local_number(dialect, place, number).unwrap_or_else(|| number.to_string()),
            None => number.to_string(),
        }
    }

    /// Writes what is the same with a sign and without, so that unsigned numbers have no suffix where the source has none.
    pub(super) fn whole_numbers<T>(&self, print: impl FnOnce() -> T) -> T {
        let before = self.are_numbers_whole.replace(true);
        let printed = print();
        self.are_numbers_whole.set(before);
        printed
    }

    /// Whether that is so now.
    pub(super) fn are_numbers_whole(&self) -> bool {
        self.are_numbers_whole.get()
    }

    /// The same of one that constants of the function are in which is printed now.
    fn local_number(&self, dialect: &dyn Dialect, place: NumberPlace, number: i64) -> Option<String> {
        let numbers = self.local_numbers.borrow();
        let tree = numbers.get(place, number)?;
        let ex = Exprs { locals: Some(&numbers.locals), ..self.tree_inside(dialect, tree) };
        Some(self.macros.size(|| ex.text(tree.root)))
    }

    /// The numbers of a work group along an axis, as the source has them.
    pub(super) fn group_size(&self, dialect: &dyn Dialect, entry: &EntryPoint) -> [String; 3] {
        let attributes = &self.program.functions[entry.function].attributes;
        let attribute = attributes.iter().find(|a| a.name.as_str().eq_ignore_ascii_case("numthreads"));
        let (span, of) = attribute.map_or((Span::default(), 0), |a| (a.span, a.args.len()));
        std::array::from_fn(|axis| self.number(dialect, (span, axis, of), entry.workgroup_size[axis].into()))
    }

    /// The statements of a function, in braces after `head`.
    pub(super) fn function_body(&self, dialect: &dyn Dialect, head: &str, id: FunctionId, w: &mut Writer) {
        self.trivia.begin();
        let function = &self.program.functions[id];
        let made = self.program.made.as_ref().and_then(|made| made.code(id));
        let body = &function.code;
        let owner = function.owner.filter(|_| function.is_member());
        let assigned = assigned_locals(self.program, body);
        let numbers = LocalNumbers::of(self.program, body);
        let mut labels = label_locals(body);
        labels.extend(numbers.used.iter().copied());
        self.local_numbers.replace(numbers);
        let locals = Some(&*body.locals);
        let (assigned, labels) = (&assigned, &labels);
        let ex = Exprs { cx: self, dialect, arena: &body.exprs, locals, owner, assigned, labels, made };
        w.open(head);
        Stmts { ex, w: &mut *w }.block(&body.block);
        w.close("");
    }

    /// The declarations that are printed by themselves, methods with their structs where they are defined there: enums only where the language has them, and functions with statements. A `cbuffer`
    /// has no members of its own in WGSL, so its struct is declared like any other there.
    pub(super) fn printed(&self) -> impl Iterator<Item = Item> {
        let language = self.profile.language;
        self.items.iter().copied().filter(move |item| match *item {
            Item::Struct(id) => language == Language::Wgsl || !self.is_block_struct(id),
            Item::Function(id) => {
                let function = &self.program.functions[id];
                let is_inside = function.is_member() && function.outside.is_none();
                matches!(function.body, FunctionBody::Block) && !is_inside
            }
            Item::Enum(_) => language == Language::Hlsl,
            Item::Global(id) => {
                self.program.globals[id].kind != GlobalKind::Heap && !self.program.globals[id].is_inside()
            }
        })
    }

    /// What a declaration is made from, for the lines that it is.
    pub(super) fn origin(&self, item: Item) -> Origin {
        let pass = self.program.made.as_ref().and_then(|made| made.item(item));
        let (span, kind) = match item {
            Item::Struct(id) => (self.program.structs[id].span, PieceKind::Name),
            Item::Enum(id) => (self.program.enums[id].span, PieceKind::Whole),
            Item::Global(id) => (self.program.globals[id].definition_span(), PieceKind::Name),
            Item::Function(id) => match self.place_of(item) {
                span if span == Span::default() && self.marks.are_written() => (self.first_call(id), PieceKind::Code),
                span => (span, PieceKind::Name),
            },
        };
        Origin { span, kind, pass }
    }

    /// Where a function that has no place of its own is called first: it was made for that.
    fn first_call(&self, function: FunctionId) -> Span {
        let functions = self.items.iter().filter_map(|item| match *item {
            Item::Function(id) => Some(&self.program.functions[id].code.exprs),
            Item::Struct(_) | Item::Enum(_) | Item::Global(_) => None,
        });
        let mut exprs = functions.flat_map(|exprs| exprs.iter());
        let is_call = |expr: &Expr| matches!(expr.kind, ExprKind::Call(called, _) if called == function);
        let found = exprs.find(|(_, expr)| is_call(expr) && expr.span != Span::default());
        found.map_or(Span::default(), |(_, expr)| expr.span)
    }

    /// What is printed before declarations is made from: the start of the file of the first entry point.
    pub(super) fn head_origin(&self) -> (Span, PieceKind) {
        let first = self.entry_points.first().map(|entry| self.program.functions[entry.function].span);
        (first.unwrap_or_default(), PieceKind::Head)
    }

    /// The text of a parameter as a piece of its own.
    fn param_piece(&self, id: FunctionId, param: &Param, text: String) -> String {
        let span = self.program.functions[id].code.locals[param.local].span;
        let made = self.program.made.as_ref().and_then(|made| made.code(id));
        let pass = made.and_then(|made| made.local(param.local));
        self.marks.around(Origin { span, kind: PieceKind::Name, pass }, text)
    }

    /// The entry point that a function is.
    pub(super) fn entry_of(&self, function: FunctionId) -> Option<&'a EntryPoint> {
        self.entries.get(&function).copied()
    }
}

impl Context<'_> {
    /// The parameters of a function in parentheses, with their comments, on lines as in the source. A method does not list its object.
    pub(super) fn params(&self, id: FunctionId, print: &dyn Fn(usize, &Param) -> String) -> String {
        let function = &self.program.functions[id];
        let mut out = "(".to_owned();
        let mut last = function.definition_span();
        let object = usize::from(function.is_member() && function.is_method());
        for (index, param) in function.params.iter().enumerate().skip(object) {
            let span = function.code.locals[param.local].span;
            out.push_str(self.trivia.line_break(last, span));
            last = span;
            self.trivia.write_all(param.comments.iter().filter(|c| !c.trailing), &mut out);
            out.push_str(&self.param_piece(id, param, print(index, param)));
            // Those of the source are behind the comma there; one that a pass made is about what is before it.
            let is_made = |c: &&Comment| c.trailing && c.span == span;
            self.trivia.write_all(param.comments.iter().filter(is_made), &mut out);
            if index + 1 < function.params.len() {
                out.truncate(out.trim_end_matches(' ').len());
                out.push_str(", ");
            }
            let is_written = |c: &&Comment| c.trailing && c.span != span;
            self.trivia.write_all(param.comments.iter().filter(is_written), &mut out);
        }
        if self.trivia.is_closed_apart(last) && !function.params.is_empty() {
            out.push('\n');
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push(')');
        out
    }

    /// What the source has before a member of a struct, enum or block: a blank line, and comments. Several members may be made of one
    /// of the source, and others of something else.
    pub(super) fn before_member(&self, name: Span, comments: &[Comment], w: &mut Writer) {
        if self.trivia.is_member_apart(self.last_member.replace(name), name) {
            w.blank();
        }
        w.before(comments);
    }

    /// Closes what lists the members of a struct, enum or block of this name, with the comments behind the last of them.
    pub(super) fn close(&self, name: Span, tail: &str, w: &mut Writer) {
        w.before(&self.trivia.closing(name));
        w.close(tail);
    }

    /// Where an item is declared.
    fn place_of(&self, item: Item) -> Span {
        match item {
            Item::Struct(id) => self.program.structs[id].span,
            Item::Enum(id) => self.program.enums[id].span,
            Item::Global(id) => self.program.globals[id].definition_span(),
            Item::Function(id) => self.program.functions[id].definition_span(),
        }
    }
}

/// Variables that are written after their declaration, or whose address is taken.
fn assigned_locals(program: &Program, body: &Body) -> FxHashSet<LocalId> {
    let mut assigned = FxHashSet::default();
    let mut note = |id: Option<&ExprId>| {
        if let Some(local) = id.and_then(|id| root_local(&body.exprs, *id)) {
            assigned.insert(local);
        }
    };
    let by_address = |template: &Template, args: &[ExprId], note: &mut dyn FnMut(Option<&ExprId>)| {
        for piece in &template.pieces {
            if let TemplatePiece::Address(n) = piece {
                note(args.get(*n as usize));
            }
        }
    };
    for id in body.expressions() {
        match &body.exprs[id].kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) | ExprKind::AddressOf(target) => {
                note(Some(target));
            }
            ExprKind::Native(template, args) => by_address(template, args, &mut note),
            ExprKind::Call(function, args) => {
                let function = &program.functions[*function];
                for (param, arg) in function.params.iter().zip(args) {
                    if param.mode != ParamMode::In {
                        note(Some(arg));
                    }
                }
                if let FunctionBody::Intrinsic(template) = &function.body {
                    by_address(template, args, &mut note);
                }
            }
            _ => {}
        }
    }
    assigned
}

/// Variables that labels of cases are made of, themselves or through others: their values are constants.
fn label_locals(body: &Body) -> FxHashSet<LocalId> {
    let mut open: Vec<ExprId> = Vec::new();
    let mut values: FxHashMap<LocalId, ExprId> = FxHashMap::default();
    body.block.visit(&mut |stmt| match &stmt.kind {
        StmtKind::Switch(_, cases, _) => open.extend(cases.iter().flat_map(|c| c.labels.iter().flatten())),
        StmtKind::Local(local, Some(value)) => {
            values.insert(*local, *value);
        }
        _ => {}
    });
    let mut found = FxHashSet::default();
    while let Some(next) = open.pop() {
        for id in body.exprs.post_order(next) {
            if let ExprKind::Local(local) = body.exprs[id].kind
                && found.insert(local)
            {
                open.extend(values.get(&local));
            }
        }
    }
    found
}

/// The variable that an lvalue is a part of; not what a pointer variable points to.
fn root_local(exprs: &ExprArena, id: ExprId) -> Option<LocalId> {
    let mut id = id;
    loop {
        match exprs[id].kind {
            ExprKind::Local(local) => return Some(local),
            ExprKind::Field(base, _)
            | ExprKind::Index(base, _)
            | ExprKind::Swizzle(base, _)
            | ExprKind::MatrixSwizzle(base, _) => id = base,
            _ => return None,
        }
    }
}

/// The struct that a constant buffer (or an array of them) holds.
pub(super) fn constant_element(program: &Program, global: &Global) -> Option<StructId> {
    match program.types.get(program.types.innermost(global.ty)) {
        Type::ConstantBuffer(element, _) | Type::TextureBuffer(element) => match program.types.get(element) {
            Type::Struct(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}

/// The struct inside a `cbuffer` or `tbuffer`.
pub(super) fn transparent_element(program: &Program, global: &Global) -> Option<StructId> {
    constant_element(program, global).filter(|_| global.transparent)
}

/// Groups of declarations that stand without blank lines between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    /// Declarations of several lines: always apart.
    Block,
    /// One-line declarations of a kind.
    Lines(u8),
}

/// Keeps blank lines between declarations of different groups.
#[derive(Default)]
pub(super) struct Spacing {
    last: Option<Group>,
    /// Where the last declaration of the source is: several may be made of one.
    place: Option<Span>,
    /// The enum that the last declaration is a case of.
    cases_of: Option<Span>,
}

impl Spacing {
    /// Called before each declaration.
    pub(super) fn before(&mut self, group: Group, w: &mut Writer) {
        if self.last.is_some_and(|last| last != group || group == Group::Block) {
            w.blank();
        }
        self.last = Some(group);
    }

    /// Called before each declaration of the source: within a group, blank lines are where they were.
    pub(super) fn before_item(&mut self, cx: &Context, item: Item, group: Group, w: &mut Writer) {
        let place = cx.place_of(item);
        let is_constant = matches!(item, Item::Global(id) if cx.program.globals[id].kind == GlobalKind::Const);
        let cases_of = if is_constant { cx.cases.get(&place).copied() } else { None };
        if let Some(of) = self.cases_of.filter(|of| cases_of != Some(*of)) {
            w.before(&cx.trivia.closing(of));
        }
        if cases_of != self.cases_of {
            w.blank();
        }
        // What is above the enum is above the first constant that is left of it.
        let first_place = cases_of.filter(|of| self.cases_of != Some(*of)).unwrap_or(place);
        self.cases_of = cases_of;
        w.slot(place);
        self.before(group, w);
        if group != Group::Block && self.place != Some(place) && cx.trivia.is_blank_before(first_place) {
            w.blank();
        }
        self.place = Some(place);
    }

    /// Called after the head of a file.
    pub(super) fn head(&mut self) {
        self.last = Some(Group::Block);
    }
}

/// The head of a file: the licence and the like.
pub(super) fn header(cx: &Context, w: &mut Writer) -> bool {
    for comment in &cx.program.header {
        w.comment(comment);
    }
    !cx.program.header.is_empty() && cx.options.comments
}

/// The comments at the end of a file.
pub(super) fn footer(cx: &Context, w: &mut Writer) {
    if !cx.program.footer.is_empty() {
        w.blank();
    }
    w.before(&cx.program.footer);
}
