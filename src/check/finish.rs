//! The end of checking: which methods change `this`, recursion, what is reachable and in what order it is emitted.

use super::scope::{DeclId, What};
use super::{Checker, Input, written_numbers};
use crate::diagnostic::{Code, Diagnostic};
use crate::lex::Comment;
use crate::source::{FileId, Span};
use crate::symbol::Symbol;
use crate::tree::analyses::items;
use crate::tree::{
    Body, EnumId, Expr, ExprArena, ExprId, ExprKind, ExprTree, Function, FunctionBody, FunctionId, GlobalId,
    GlobalKind, Id, Item, LocalId, ParamMode, Program, Stmt, StmtKind, StructId, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Where an item stands in the source: standard library, modules, units; then by the declaration at file scope, and in that.
type Key = (u32, u32, ItemPlace);

/// A place in a declaration at file scope. What the library adds to a type is declared when it is asked for: its place is that in
/// the text, for all programs alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ItemPlace {
    Text(FileId, u32),
    Decl(u32),
}

impl<'a> Checker<'a> {
    /// Completes the program.
    pub(super) fn finish(&mut self, input: &'a Input) {
        if self.diags.has_errors() {
            return;
        }
        self.mark_mutating();
        self.merge_units();
        let sources = input.units.iter().chain(&input.modules);
        let numbers = written_numbers::of_declarations(&self.program, &self.known_names(), sources);
        self.program.written_numbers = Arc::new(numbers);
        self.declare_stage_variables();
        self.mark_vertex_inputs();
        self.convert_old_inputs();
        self.convert_old_fields();
        self.leave_out_repeated_inputs();
        let reached = self.reached();
        self.check_recursion(&reached);
        self.check_values(&reached);
        self.check_bodies(&reached);
        self.check_endless(&reached);
        self.check_unset(&reached);
        self.settle_resource_modes(&reached);
        super::atomic_places::pass_by_reference(&mut self.program, &reached);
        self.check_receivers(&reached);
        self.check_getters(&reached);
        self.order_items(reached);
        self.unwrap_structs();
        self.take_header(input);
        self.program.has_algebraic_products = self.has_algebraic_products();
        if self.addresses_taken {
            let errors = super::addresses::lower(&mut self.program);
            errors.into_iter().for_each(|error| self.diags.push(error));
        }
    }

    // ---- Methods that change `this` ----

    /// Methods get `this` by reference only if they write it, directly or through other methods.
    fn mark_mutating(&mut self) {
        let by_value = |program: &Program, id: FunctionId| {
            let function = &program.functions[id];
            let this = function.params.first().filter(|p| p.mode == ParamMode::In);
            function.owner.is_some() && this.is_some_and(|p| function.code.locals[p.local].name == *"this")
        };
        let mut work: Vec<FunctionId> =
            self.program.functions.ids().filter(|id| by_value(&self.program, *id)).collect();
        let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
        let analyses = self.program.analyses();
        for &id in &work {
            analyses.uses(id).functions.iter().for_each(|callee| callers.entry(*callee).or_default().push(id));
        }
        while let Some(id) = work.pop() {
            if !by_value(&self.program, id) || !self.writes_this(id) {
                continue;
            }
            if let Some(param) = self.program.functions[id].params.first_mut() {
                param.mode = ParamMode::InOut;
            }
            // What passes its own object to it writes that too.
            work.extend(callers.get(&id).into_iter().flatten());
        }
    }

    fn writes_this(&self, id: FunctionId) -> bool {
        let function = &self.program.functions[id];
        let Some(this) = function.params.first().map(|p| p.local) else { return false };
        // A spelling says by `[mutating]` that it writes.
        let by_spelling = matches!(function.body, FunctionBody::Intrinsic(_) | FunctionBody::None);
        let mut found = by_spelling && super::attributes::find(&function.attributes, "mutating").is_some();
        function.each_body(&mut |body| found = found || self.writes(body, this));
        found
    }

    fn writes(&self, body: &Body, local: LocalId) -> bool {
        let is_root = |id: ExprId| root_local(body, id) == Some(local);
        body.expressions().into_iter().any(|id| match &body.exprs[id].kind {
            ExprKind::Assign(_, target, _) => self.write_reaches(body, *target, local),
            ExprKind::Step(_, _, target) => self.write_reaches(body, *target, local),
            ExprKind::AddressOf(target) => is_root(*target),
            ExprKind::Call(callee, args) => {
                let callee = &self.program.functions[*callee];
                callee
                    .params
                    .iter()
                    .zip(args)
                    .any(|(p, a)| p.mode != ParamMode::In && self.write_reaches(body, *a, local))
            }
            _ => false,
        })
    }

    /// Whether writing an lvalue changes a local: through fields and elements, and setters that change their object.
    fn write_reaches(&self, body: &Body, target: ExprId, local: LocalId) -> bool {
        let mut current = target;
        for _ in 0..512 {
            match &body.exprs[current].kind {
                ExprKind::Local(l) => return *l == local,
                // What a resource holds, and what a pointer refers to, is no part of the object.
                ExprKind::Index(base, _) if self.refers_elsewhere(body.exprs[*base].ty) => return false,
                ExprKind::Property(p) => {
                    let setter = p.set.or(p.reference).map(|f| &self.program.functions[f]);
                    let by_reference = setter.and_then(|f| f.params.first()).is_some_and(|p| p.mode != ParamMode::In);
                    match (by_reference, p.args.first()) {
                        (true, Some(object)) => current = *object,
                        _ => return false,
                    }
                }
                ExprKind::Field(base, _)
                | ExprKind::Index(base, _)
                | ExprKind::Swizzle(base, _)
                | ExprKind::MatrixSwizzle(base, _)
                | ExprKind::Convert(base, _) => current = *base,
                _ => return false,
            }
        }
        false
    }

    /// Whether what is written through a `set` or a `ref` gets into its object. Only known when all bodies are checked.
    pub(super) fn accessor_changes_object(&self, id: FunctionId) -> bool {
        let accessor = &self.program.functions[id];
        let Some(this) = accessor.params.first().filter(|_| accessor.is_method()) else { return false };
        match accessor.code.block.stmts.as_slice() {
            [Stmt { kind: StmtKind::Return(Some(place)), .. }] if accessor.returns_ref => {
                self.write_reaches(&accessor.code, *place, this.local)
            }
            _ => this.mode == ParamMode::InOut,
        }
    }

    fn refers_elsewhere(&self, ty: TypeId) -> bool {
        let ty = self.program.types.get(ty);
        ty.is_resource() || matches!(ty, Type::Pointer(..))
    }

    // ---- Recursion ----

    /// No target has recursion: each cycle of calls that is found among what is reachable is an error.
    fn check_recursion(&mut self, reached: &[Item]) {
        let functions: FxHashSet<FunctionId> = reached.iter().filter_map(|item| item.function()).collect();
        for cycle in self.program.analyses().cycles() {
            if !cycle.iter().any(|f| functions.contains(f)) {
                continue;
            }
            let names = cycle.iter().chain(cycle.first()).map(|f| self.program.functions[*f].name.as_str());
            let names: Vec<&str> = names.collect();
            let Some(first) = cycle.first().map(|f| &self.program.functions[*f]) else { continue };
            let message = format!("`{}` calls itself: {}", first.name, names.join(" -> "));
            let diagnostic = Diagnostic::error(Code::RECURSION, first.span, message);
            self.diags.push(diagnostic.note("shading languages have no recursion"));
        }
    }

    /// A value that calls a function which reads it is none.
    fn check_values(&mut self, reached: &[Item]) {
        let mut found = Vec::new();
        let globals = reached.iter().filter_map(|item| match item {
            Item::Global(id) => Some(*id),
            Item::Function(_) | Item::Struct(_) | Item::Enum(_) => None,
        });
        for id in globals {
            let global = &self.program.globals[id];
            let calls =
                |tree: &ExprTree| tree.exprs.any_part(tree.root, |e| matches!(tree.exprs[e].kind, ExprKind::Call(..)));
            let uses = || items::reached(self.dependencies(Item::Global(id)), &|item: Item| self.dependencies(item));
            if global.init.as_ref().is_some_and(calls) && uses().contains(&Item::Global(id)) {
                found.push((global.span, global.name));
            }
        }
        for (span, name) in found {
            let message = format!("the value of `{name}` depends on itself");
            self.diags.push(Diagnostic::error(Code::RECURSION, span, message));
        }
    }

    // ---- Bodies ----

    /// A user's function that is reachable has a body; C++ and DXC ask no more.
    fn check_bodies(&mut self, reached: &[Item]) {
        for function in reached.iter().filter_map(|item| item.function()).map(|id| &self.program.functions[id]) {
            if matches!(function.body, FunctionBody::None) && !function.builtin {
                let message = format!("`{}` is used but has no body", function.name);
                self.diags.push(Diagnostic::error(Code::UNDECLARED, function.span, message));
            }
        }
    }

    /// A loop without an end is refused by DXC and Tint, and a driver that takes it hangs. What nobody calls may have some.
    fn check_endless(&mut self, reached: &[Item]) {
        let reached: FxHashSet<FunctionId> = reached.iter().filter_map(|item| item.function()).collect();
        for (_, span) in
            std::mem::take(&mut self.endless).into_iter().filter(|(function, _)| reached.contains(function))
        {
            self.error(Code::BAD_STATEMENT, span, "nothing ends this loop");
        }
    }

    /// A method that changes its object has one that can be changed; in HLSL also one that nobody sees afterwards. Which methods
    /// do is only known now.
    fn check_receivers(&mut self, reached: &[Item]) {
        // Asked for before bodies are taken out: a method may call itself.
        let changing: FxHashSet<FunctionId> =
            self.program.functions.iter().filter(|(_, f)| f.changes_object()).map(|(id, _)| id).collect();
        for id in reached.iter().filter_map(|item| item.function()) {
            let body = std::mem::take(&mut self.program.functions[id].code);
            let outer = std::mem::replace(&mut self.cx.body, body);
            let mut declared = Vec::new();
            let live = self.cx.body.expressions();
            self.check_accessors(&live);
            for call in live {
                let ExprKind::Call(callee, args) = &self.cx.body.exprs[call].kind else { continue };
                let (method, Some(object)) = (&self.program.functions[*callee], args.first().copied()) else {
                    continue;
                };
                if !changing.contains(callee) {
                    continue;
                }
                if let Some(why) = self.assignable(object, 0) {
                    let (owner, name) = (method.owner, method.name);
                    if self.is_kept(object) && owner.is_some_and(|owner| self.asks_for(owner, name)) {
                        continue;
                    }
                    if self.cx.body.value_first && is_temporary(&self.cx.body.exprs, object) {
                        declared.push(in_variable(&mut self.cx.body, call, object));
                        continue;
                    }
                    let span = self.cx.body.exprs[call].span;
                    self.error(Code::NOT_ASSIGNABLE, span, format!("`{name}` changes its object: {why}"));
                }
            }
            self.cx.body.block.stmts.splice(0..0, declared);
            self.program.functions[id].code = std::mem::replace(&mut self.cx.body, outer);
        }
    }

    /// Properties and subscripts that are written through an accessor that changes its object: that one can be changed.
    fn check_accessors(&mut self, live: &[ExprId]) {
        let exprs = &self.cx.body.exprs;
        let mut written = Vec::new();
        for &id in live {
            match &exprs[id].kind {
                ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => written.push(*target),
                ExprKind::Call(callee, args) => {
                    let params = &self.program.functions[*callee].params;
                    written.extend(params.iter().zip(args).filter(|(p, _)| p.mode != ParamMode::In).map(|(_, a)| *a));
                }
                _ => {}
            }
        }
        written.retain(|target| matches!(exprs[exprs.base(*target)].kind, ExprKind::Property(_)));
        for target in written {
            self.check_assignable(target);
        }
    }

    /// Whether an expression is a part of the object of a method that is not marked `[mutating]`.
    fn is_kept(&self, object: ExprId) -> bool {
        let local = self.cx.body.exprs.base_local(object).map(|local| &self.cx.body.locals[local]);
        local.is_some_and(|local| local.is_kept_object())
    }

    /// Whether an interface of a type asks for a method: slangc lets each method call those.
    fn asks_for(&mut self, ty: TypeId, name: Symbol) -> bool {
        self.conformances(ty).into_iter().any(|(interface, args)| {
            let scope = self.interface_scope(interface, &args, ty);
            self.at(scope).order.iter().any(|decl| self.info(*decl).name == name)
        })
    }

    /// What is read has a `get` or a `ref`: all properties but those that are only given a value.
    fn check_getters(&mut self, reached: &[Item]) {
        let mut found = Vec::new();
        for item in reached {
            match item {
                Item::Function(id) => {
                    let body = &self.program.functions[*id].code;
                    found.extend(self.read_without_getter(&body.exprs, &body.expressions()));
                }
                Item::Global(id) => {
                    let Some(tree) = &self.program.globals[*id].init else { continue };
                    found.extend(self.read_without_getter(&tree.exprs, &tree.exprs.post_order(tree.root)));
                }
                Item::Struct(_) | Item::Enum(_) => {}
            }
        }
        for span in found {
            self.error(Code::NOT_A_VALUE, span, "this can only be written: it has no `get`");
        }
    }

    /// The properties without a reading accessor that are more than the whole target of an assignment or an output.
    fn read_without_getter(&self, exprs: &ExprArena, live: &[ExprId]) -> Vec<Span> {
        let unreadable = |id: &ExprId| match &exprs[*id].kind {
            ExprKind::Property(p) => p.get.is_none() && p.reference.is_none(),
            _ => false,
        };
        let mut found: FxHashSet<ExprId> = live.iter().copied().filter(unreadable).collect();
        if found.is_empty() {
            return Vec::new();
        }
        for &id in live {
            match &exprs[id].kind {
                ExprKind::Assign(None, target, _) => {
                    found.remove(target);
                }
                ExprKind::Call(callee, args) => {
                    let params = &self.program.functions[*callee].params;
                    let outputs = params.iter().zip(args).filter(|(p, _)| p.mode == ParamMode::Out);
                    outputs.for_each(|(_, arg)| {
                        found.remove(arg);
                    });
                }
                _ => {}
            }
        }
        live.iter().filter(|id| found.contains(id)).map(|id| exprs[*id].span).collect()
    }

    // ---- Order ----

    /// What the parameters and entry points use. Without entry points that is what all functions with a body use; what is not used
    /// may be asked for, too.
    fn reached(&self) -> Vec<Item> {
        let mut roots: Vec<Item> = self.program.parameters.iter().map(|g| Item::Global(*g)).collect();
        roots.extend(self.program.entry_points.iter().flat_map(|e| e.roots()).map(Item::Function));
        roots.extend(self.program.entry_points.iter().flat_map(|e| e.globals()).map(Item::Global));
        if self.options.keeps_unused {
            let structs = self.program.structs.ids().map(Item::Struct);
            let constants = self.program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Const);
            let all = structs.chain(constants.map(|(id, _)| Item::Global(id)));
            // The first ones are the library's, and what was made has no place.
            roots.extend(all.filter(|item| (1..u32::MAX).contains(&self.key(*item).0)));
        }
        if self.program.entry_points.is_empty() || self.options.keeps_unused {
            let bodies = |f: &Function| !f.builtin && !matches!(f.body, FunctionBody::None);
            let user = self.program.functions.iter().filter(|(_, f)| bodies(f));
            roots.extend(user.map(|(id, _)| Item::Function(id)).filter(|i| !self.is_merged(*i)));
        }
        items::reached(roots, &|item: Item| self.dependencies(item))
    }

    /// Lists what is reachable in the order of the source, each after what it uses.
    fn order_items(&mut self, reached: Vec<Item>) {
        let mut keyed: Vec<(Key, Item)> = reached.into_iter().map(|i| (self.key(i), i)).collect();
        keyed.sort_by_key(|(key, item)| (*key, item_index(*item)));
        let sorted = |item: Item| {
            let mut uses = self.dependencies(item);
            uses.sort_by_key(|i| (self.key(*i), item_index(*i)));
            uses
        };
        let mut items = items::in_order_of_use(keyed.into_iter().map(|(_, item)| item), &sorted, &|_| true);
        items.retain(|item| match item {
            Item::Function(f) => {
                !matches!(self.program.functions[*f].body, FunctionBody::Intrinsic(_) | FunctionBody::None)
            }
            _ => true,
        });
        self.program.items = items.into();
    }

    /// What an item uses, with what a cbuffer's struct is made of in its place: that struct belongs to the global.
    fn dependencies(&self, item: Item) -> Vec<Item> {
        let analyses = self.program.analyses();
        let mut list = Vec::new();
        let mut todo = analyses.item_uses(item);
        todo.reverse();
        while let Some(used) = todo.pop() {
            match used {
                Item::Struct(id) if self.is_block(id) => todo.extend(analyses.item_uses(used).into_iter().rev()),
                _ => list.push(used),
            }
        }
        list
    }

    fn is_block(&self, id: StructId) -> bool {
        self.struct_decl(id).is_some_and(|d| matches!(self.info(d).what, What::Buffer(_)))
    }

    fn key(&self, item: Item) -> Key {
        let decl = match item {
            Item::Struct(StructId(id)) => self.structs.decls.get(id as usize).copied(),
            Item::Enum(EnumId(id)) => self.enum_decls.get(id as usize).copied(),
            Item::Global(id) => self.global_decl(id),
            Item::Function(id) => self.functions.of_function.get(id.index()).map(|i| self.functions.get(*i).decl),
        };
        let Some(decl) = decl else { return (u32::MAX, 0, ItemPlace::Decl(0)) };
        let source = self.source_of(decl);
        let count = self.sources.len() as u32;
        // Modules that others import come later in the order of first import, and earlier in the text.
        let rank = match (source.builtin, source.module) {
            (true, _) => 0,
            (_, true) => count.saturating_sub(source.unit),
            _ => count + 1 + source.unit,
        };
        let span = self.info(decl).span;
        let place = if source.builtin { ItemPlace::Text(span.file, span.start) } else { ItemPlace::Decl(decl.0) };
        (rank, self.root_decl(decl).0, place)
    }

    pub(super) fn global_decl(&self, id: GlobalId) -> Option<DeclId> {
        let at = self.global_decls.binary_search_by_key(&id, |(g, _)| *g).ok()?;
        self.global_decls.get(at).map(|(_, d)| *d)
    }

    /// The declaration at file scope that a declaration belongs to.
    fn root_decl(&self, decl: DeclId) -> DeclId {
        let mut current = decl;
        for _ in 0..64 {
            match self.info(current).owner.and_then(|o| self.structs.instance(o)) {
                Some(instance) if instance.decl != current => current = instance.decl,
                _ => break,
            }
        }
        current
    }

    // ---- Header ----

    /// Takes the comments at the head of the main file off the first declaration: all before the last directive or the last blank
    /// line among them, or a licence. Licences of other files join them, once each, with what stands below them.
    fn take_header(&mut self, input: &'a Input) {
        let Some(unit) = input.units.first() else { return };
        let of_main = |c: &&Comment| c.span.file == unit.file;
        let trailing = unit.files.last().map(|f| f.trailing.as_slice()).unwrap_or_default();
        self.program.footer = trailing.iter().filter(of_main).cloned().collect();
        let Some(first) = unit.files.iter().find_map(|f| f.decls.iter().next()) else {
            self.program.header = std::mem::take(&mut self.program.footer);
            return;
        };
        let comments = &first.comments;
        let in_main = comments.iter().take_while(|c| c.span.file == unit.file && !c.trailing).count();
        let main = comments.get(..in_main).unwrap_or(&[]);
        let blank = main.iter().rposition(|c| c.blank_before).filter(|i| *i > 0).unwrap_or(0);
        let head_end = unit.files.iter().map(|f| f.head).max().unwrap_or(0);
        let head = main.iter().take_while(|c| c.span.end <= head_end).count();
        let mut header: Vec<Comment> = main.iter().take(blank.max(licence(main)).max(head)).cloned().collect();
        let mut taken: Vec<Span> = header.iter().map(|c| c.span).collect();
        self.each_comments(&mut |list| {
            list.retain(|c| !taken.contains(&c.span));
            let head = list.first().is_some_and(|c| c.span.start == 0 && c.span.file != unit.file);
            let block = if head { licence(list) } else { 0 };
            let block = list.get(..block).unwrap_or(&[]);
            taken.extend(block.iter().map(|c| c.span));
            let known = |c: &Comment, header: &[Comment]| header.iter().any(|h| same_words(h, c));
            let is_new = block.iter().any(|c| is_licence(c) && !known(c, &header));
            for comment in block {
                // Of a licence that is there already, only what else it says: a reference, an author. Two files that begin one
                // after the other may say the same.
                let is_known = match has_words(comment) {
                    true => known(comment, &header),
                    false => !is_new || header.last().is_some_and(|last| !has_words(last)),
                };
                if !is_known {
                    header.push(comment.clone());
                }
            }
        });
        self.each_comments(&mut |list| list.retain(|c| !taken.contains(&c.span)));
        self.program.header = header;
    }

    /// The comments of all declarations.
    fn each_comments(&mut self, f: &mut dyn FnMut(&mut Vec<Comment>)) {
        self.program.structs.iter_mut().for_each(|(_, s)| f(&mut s.comments));
        self.program.enums.iter_mut().for_each(|(_, e)| f(&mut e.comments));
        self.program.globals.iter_mut().for_each(|(_, g)| f(&mut g.comments));
        self.program.functions.iter_mut().for_each(|(_, f_)| f(&mut f_.comments));
    }
}

/// Whether two comments say the same, however it is laid out.
fn same_words(a: &Comment, b: &Comment) -> bool {
    let letters = |c: &Comment| c.text.as_str().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    a.text == b.text || letters(a) == letters(b)
}

fn has_words(comment: &Comment) -> bool {
    comment.text.as_str().contains(char::is_alphanumeric)
}

/// How many comments at the head of a list are a licence and the lines that go on from it.
fn licence(comments: &[Comment]) -> usize {
    let Some(last) = comments.iter().rposition(is_licence) else { return 0 };
    let goes_on = |c: &&Comment| !c.blank_before && !c.trailing && c.text.as_str().starts_with("//");
    let line = comments.get(last).is_some_and(|c| c.text.as_str().starts_with("//"));
    let more = comments.iter().skip(last + 1).take_while(goes_on).count();
    if line { last + 1 + more } else { last + 1 }
}

fn is_licence(comment: &Comment) -> bool {
    let text = comment.text.as_str().to_ascii_lowercase();
    ["copyright", "licen", "spdx"].iter().any(|word| text.contains(word))
}

fn item_index(item: Item) -> u32 {
    match item {
        Item::Struct(id) => id.0,
        Item::Enum(id) => id.0,
        Item::Global(id) => id.0,
        Item::Function(id) => id.0,
    }
}

/// The variable that an lvalue is a part of.
fn root_local(body: &Body, id: ExprId) -> Option<LocalId> {
    let mut current = id;
    for _ in 0..512 {
        match &body.exprs[current].kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) => current = *base,
            _ => return None,
        }
    }
    None
}

/// Whether it is, or is a part of, what a call or conversion gives.
fn is_temporary(exprs: &ExprArena, object: ExprId) -> bool {
    matches!(exprs[exprs.base(object)].kind, ExprKind::Call(..) | ExprKind::Convert(..) | ExprKind::Zero)
}

/// `f().change()` is `object = f(), object.change()`, with this declaration of the variable.
fn in_variable(body: &mut Body, call: ExprId, object: ExprId) -> Stmt {
    let Expr { ty, span, .. } = body.exprs[object];
    let local = body.add_local("object", ty, span);
    let mut variable = || body.exprs.push(Expr { kind: ExprKind::Local(local), ty, span });
    let (target, receiver) = (variable(), variable());
    let set = body.exprs.push(Expr { kind: ExprKind::Assign(None, target, object), ty, span });
    if let ExprKind::Call(_, args) = &mut body.exprs[call].kind
        && let Some(first) = args.first_mut()
    {
        *first = receiver;
    }
    let changed = body.exprs.displace(call);
    body.exprs[call].kind = ExprKind::Comma(set, changed);
    Stmt::new(StmtKind::Local(local, None), span)
}
