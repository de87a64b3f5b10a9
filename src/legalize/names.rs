//! Names that the language forbids, and names that clash, change as little as possible.
//!
//! Before: `struct Light { float3 at(float t) {...} }     float3 sample;       float f(int a) ...  float f(float a) ...`
//! After:  `float3 Light_at(Light this_, float t) {...}   float3 sample_;      float f(...)        float f_float(...)`
//!
//! A word of the language gets `_` behind it; what clashes with another name gets a number, but a variable may hide names that
//! its scope does not mention (see `locals`); a method is named after its type, and an overload, where the language has none,
//! after its parameters, and the `main` of another stage after that stage. A name of the source never yields to one that is made
//! from others, and that never to one that passes made up ([`Class`]); among equals what comes first keeps its name: entry points,
//! shader parameters, then the rest in order.
//!
//! Where each text has one entry point, what belongs to an entry point (stage inputs and outputs, uniform parameters) is
//! named among what its slice declares, since it never meets what belongs to others, unless the texts of stages are linked by
//! name. All else has one name in all texts.
//!
//! It is the last pass, after all that make names.

pub(super) mod locals;

use super::needs::Find;
use super::{Context, Pass};
use crate::layout::lock::Owner;
use crate::layout::{Leaves, Role};
use crate::symbol::Symbol;
use crate::target::reserved::Reserved;
use crate::target::{Capability, Facts, NamedBlocks, Profile, Varyings};
use crate::tree::{
    Access, AddressSpace, AttributeArg, BufferKind, EntryPoint, Enum, EnumId, Field, Function, FunctionId, Global,
    GlobalId, GlobalKind, Item, Origin, Param, ParamMode, Program, Scalar, Slices, Stage, Struct, StructId, Texture,
    Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "names",
    always: Some("every target has reserved words"),
    removes: &[(Capability::Methods, Find::Function(|_, f| f.owner.is_some() && !f.builtin))],
    after: &["*"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let reserved = Reserved::of(cx.profile);
    let wanted = wanted(cx.program, &cx.layout.leaves, &cx.profile.facts);
    let spelled = locals::spelled_words(cx.program, cx.profile.language);
    let (taken, blocks, signatures) = Default::default();
    let members = members(cx.program);
    let mut names = Names { cx, reserved, spelled, wanted, taken, blocks, signatures, members };
    if let Some(entry) = names.cx.profile.facts.entry_name {
        names.taken.insert(entry.to_owned());
    }
    names.entry_points();
    names.subobjects();
    let (shared, own) = names.listed_parameters();
    names.parameters(&shared);
    names.other_items();
    if !names.cx.profile.has(Capability::SeveralEntryPoints) {
        names.slices(&own);
    }
    shared.into_iter().for_each(|id| names.block(id));
    names.fields();
    let kept = match names.cx.profile.facts.api.facts().numbers_shadowed {
        true => names.cx.program.parameters.iter().map(|id| names.cx.program.globals[*id].name).collect(),
        false => FxHashSet::default(),
    };
    let open = open_blocks(names.cx.program, names.cx.profile);
    for id in names.cx.program.functions_with_code() {
        let language = names.cx.profile.language;
        locals::name(names.cx.program, names.reserved, language, id, (&kept, &open));
    }
}

struct Names<'a, 'b> {
    cx: &'a mut Context<'b>,
    reserved: &'static Reserved,
    /// What spellings of builtins are made of.
    spelled: FxHashSet<Symbol>,
    /// The names that declarations have had so far, with the best class of these: others do not take them.
    wanted: FxHashMap<Symbol, Class>,
    /// Names at global scope.
    taken: FxHashSet<String>,
    /// Names of blocks whose members are named without them.
    blocks: FxHashSet<String>,
    /// Names with parameter types, where overloads are.
    signatures: FxHashSet<String>,
    /// The names in structs that have methods. What they mean there is no name that is made up for something outside.
    members: BTreeMap<StructId, FxHashSet<Symbol>>,
}

/// The names of fields, methods and static members in each struct that has some of these.
pub(super) fn members(program: &Program) -> BTreeMap<StructId, FxHashSet<Symbol>> {
    let mut found: BTreeMap<StructId, FxHashSet<Symbol>> = BTreeMap::new();
    let fields = |id: StructId| program.structs[id].fields.iter().map(|field| field.name).collect();
    for function in program.items.iter().filter_map(|item| item.function()).map(|id| &program.functions[id]) {
        if let Some(id) = struct_of_member(program, function) {
            found.entry(id).or_insert_with(|| fields(id)).insert(function.name);
        }
    }
    for global in program.listed_globals().map(|id| &program.globals[id]) {
        if let (Some(id), Some(member)) = (struct_of_variable(program, global), &global.member) {
            found.entry(id).or_insert_with(|| fields(id)).insert(member.name);
        }
    }
    // What a base has is in the struct, too.
    for id in found.keys().copied().collect::<Vec<_>>() {
        let mut next = base_of(program, id);
        while let Some(base) = next {
            let fields: Vec<Symbol> = program.structs[base].fields.iter().map(|field| field.name).collect();
            let all: Vec<Symbol> = found.get(&base).into_iter().flatten().copied().chain(fields).collect();
            found.entry(id).or_default().extend(all);
            next = base_of(program, base);
        }
    }
    found
}

/// The struct that is the base of another one.
pub(super) fn base_of(program: &Program, id: StructId) -> Option<StructId> {
    let first = program.structs[id].fields.first().filter(|field| field.is_base)?;
    match program.types.get(first.ty) {
        Type::Struct(base) => Some(base),
        _ => None,
    }
}

/// The struct in which a function is declared.
pub(super) fn struct_of_member(program: &Program, function: &Function) -> Option<StructId> {
    match program.types.get(function.owner.filter(|_| function.is_member())?) {
        Type::Struct(id) => Some(id),
        _ => None,
    }
}

/// The struct in which a variable is declared as a static member.
pub(super) fn struct_of_variable(program: &Program, global: &Global) -> Option<StructId> {
    match program.types.get(global.member.as_ref()?.of) {
        Type::Struct(id) => Some(id),
        _ => None,
    }
}

/// Where a name is from, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    /// The source has it.
    Written,
    /// It is made from names of the source: of a leaf, an element, an instance, a method.
    Derived,
    /// A pass or the library made it up.
    Made,
}

fn class_of_origin(leaves: &Leaves, origin: Origin) -> Class {
    match origin {
        Origin::Declared | Origin::Parameter(_) | Origin::Field(_) => Class::Written,
        Origin::Leaf(id) => match leaves.leaf(id) {
            leaf if leaf.role == Role::Scope => Class::Made,
            leaf if leaf.path.is_empty() => Class::Written,
            _ => Class::Derived,
        },
        Origin::Element(..) => Class::Derived,
        Origin::Builtin | Origin::Synthesized => Class::Made,
    }
}

fn class_of_global(leaves: &Leaves, global: &Global) -> Class {
    match global.kind {
        // Named after parameters and fields.
        GlobalKind::Input | GlobalKind::Output | GlobalKind::Passed => Class::Derived,
        _ if global.span.file.is_library() => Class::Made,
        // The buffer of a scope that is its only member has the name of that.
        _ if !global.transparent && is_scope(leaves, global.origin) => Class::Written,
        _ => class_of_origin(leaves, global.origin),
    }
}

fn is_scope(leaves: &Leaves, origin: Origin) -> bool {
    matches!(origin, Origin::Leaf(id) if leaves.leaf(id).role == Role::Scope)
}

fn class_of_function(function: &Function) -> Class {
    match function {
        f if f.builtin || f.made => Class::Made,
        f if f.owner.is_some() || !f.instance.is_empty() => Class::Derived,
        _ => Class::Written,
    }
}

fn class_of_struct(structure: &Struct) -> Class {
    match structure {
        s if s.builtin || s.made || s.span.file.is_library() => Class::Made,
        s if s.instance.is_some() => Class::Derived,
        _ => Class::Written,
    }
}

/// The names that declarations have before any is changed. Parameters that nothing uses keep theirs from others too, so
/// that no name depends on which entry points are asked for.
fn wanted(program: &Program, leaves: &Leaves, facts: &Facts) -> FxHashMap<Symbol, Class> {
    let (blocks, entry_name) = (facts.named_blocks, facts.entry_name);
    let mut wanted: FxHashMap<Symbol, Class> = FxHashMap::default();
    let is_printed = |id: FunctionId| entry_name.is_none() || program.entry_point_of(id).is_none();
    let mut want = |name: Symbol, class: Class| {
        let best = wanted.entry(name).or_insert(class);
        *best = class.min(*best);
    };
    let declared = leaves.parameters().filter_map(|(_, p)| p.owner.global());
    declared.for_each(|id| want(program.globals[id].name, Class::Written));
    program.subobjects.iter().for_each(|s| want(s.name, Class::Written));
    for item in &program.items {
        match *item {
            Item::Struct(id) => want(program.structs[id].name, class_of_struct(&program.structs[id])),
            Item::Enum(id) => {
                want(program.enums[id].name, Class::Written);
                open_cases(&program.enums[id]).for_each(|case| want(case, Class::Written));
            }
            Item::Global(id) if program.globals[id].member.is_some() => {}
            Item::Global(id) => {
                let global = &program.globals[id];
                want(global.name, class_of_global(leaves, global));
                let open = open_struct(program, global, blocks).into_iter();
                let members = open.flat_map(|id| &program.structs[id].fields);
                members.for_each(|field| want(field.name, class_of_origin(leaves, field.origin)));
            }
            // A method is named after its type.
            Item::Function(id) if program.functions[id].owner.is_some() || !is_printed(id) => {}
            Item::Function(id) => want(program.functions[id].name, class_of_function(&program.functions[id])),
        }
    }
    wanted
}

/// A name that begins with a letter, without what only library names have in front.
fn plain(name: &str) -> String {
    let part = |c: char| if unicode_ident::is_xid_continue(c) { c } else { '_' };
    let mut text: String = name.chars().map(part).collect();
    if text.starts_with("__") {
        text = text.trim_start_matches('_').to_owned();
    }
    if is_blank(&text) {
        return "unnamed".to_owned();
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    text
}

/// `cbuffer _` names nothing.
fn is_blank(name: &str) -> bool {
    !name.contains(|c: char| c != '_')
}

/// The longest name that a number is added to: with it, it is no longer than [`Reserved::respell`] makes names.
const LONGEST_NUMBERED: usize = 980;

/// The first of `name`, `name2`, `name3`... that is free. A number may make a word of the language of a name: `i32`.
fn numbered(name: &str, mut free: impl FnMut(&str) -> bool) -> String {
    if free(name) {
        return name.to_owned();
    }
    let name = name.get(..LONGEST_NUMBERED).unwrap_or(name);
    let joint = if name.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    let mut number = 2u32;
    loop {
        let candidate = format!("{name}{joint}{number}");
        // `mat` and a number may be a word of the language.
        if free(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

impl Names<'_, '_> {
    /// A legal spelling at global scope.
    fn legal(&self, name: &str) -> String {
        if self.is_lone_underscore(name) {
            return name.to_owned();
        }
        let mut text = self.reserved.respell(&plain(name));
        if self.reserved.is_builtin(&text) || self.is_spelled(&text) {
            text.push('_');
        }
        text
    }

    /// Whether this is the name `_`, of which the language makes nothing else.
    fn is_lone_underscore(&self, name: &str) -> bool {
        name == "_" && !self.reserved.is_keyword(name)
    }

    fn is_spelled(&self, name: &str) -> bool {
        self.spelled.contains(&Symbol::new(name))
    }

    /// A legal spelling of a function.
    fn legal_function(&self, name: &str, function: &Function) -> String {
        let mut text = self.reserved.respell(&plain(name));
        let is_number = |ty| self.cx.program.types.component(ty).is_some();
        let numbers = param_values(self.cx.program, function).all(is_number).then_some(function.params.len());
        let is_integer = |ty| self.cx.program.types.component(ty).is_some_and(|s| s.is_integer());
        let integers = !function.params.is_empty() && param_values(self.cx.program, function).all(is_integer);
        let is_builtin = self.reserved.is_builtin(&text) && !self.reserved.is_open(&text, numbers, integers);
        if is_builtin || self.reserved.is_function(&text, numbers, |name| self.is_spelled(name)) {
            text.push('_');
        }
        text
    }

    /// Whether a declaration of a class that is called `own` may be called `name` as far as others want that name.
    fn is_open(&self, name: &str, own: &str, class: Class) -> bool {
        match self.wanted.get(&Symbol::new(name)) {
            Some(best) if name == own => class <= *best,
            Some(best) => class < *best,
            None => true,
        }
    }

    /// Whether what is called `own` may be called `name` as far as the insides of structs are concerned: another name than its
    /// own is not hidden there.
    fn is_outside(&self, name: &str, own: &str) -> bool {
        name == own || self.members.is_empty() || {
            let name = Symbol::new(name);
            !self.members.values().any(|members| members.contains(&name))
        }
    }

    fn global_name(&mut self, name: Symbol, class: Class) -> Symbol {
        let legal = self.legal(name.as_str());
        let is_legal = |n: &str| n == legal || self.legal(n) == n;
        let free = |n: &str| {
            is_legal(n)
                && !self.taken.contains(n)
                && self.is_open(n, name.as_str(), class)
                && self.is_outside(n, name.as_str())
        };
        let found = numbered(&legal, free);
        self.taken.insert(found.clone());
        Symbol::new(&found)
    }

    fn entry_points(&mut self) {
        let entries = self.cx.program.entry_points.iter();
        let entries: Vec<(FunctionId, Stage)> = entries.map(|e| (e.function, e.stage)).collect();
        for (id, stage) in entries {
            if self.cx.profile.facts.entry_name.is_none() {
                let name = self.cx.program.functions[id].name;
                // Files of one program may each have a `main`.
                let is_taken = self.taken.contains(self.legal(name.as_str()).as_str());
                let (wanted, class) = match is_taken {
                    true => (Symbol::new(&format!("{name}_{}", stage.name())), Class::Derived),
                    false => (name, Class::Written),
                };
                self.cx.program.functions[id].name = self.global_name(wanted, class);
            }
            self.cx.program.functions[id].owner = None;
        }
    }

    /// Subobjects of state objects, and what their strings call entry points and one another.
    fn subobjects(&mut self) {
        let entries = self.cx.program.entry_points.iter();
        let mut names: FxHashMap<Symbol, Symbol> =
            entries.map(|entry| (entry.name, self.cx.program.functions[entry.function].name)).collect();
        for index in 0..self.cx.program.subobjects.len() {
            let old = self.cx.program.subobjects[index].name;
            let new = self.global_name(old, Class::Written);
            self.cx.program.subobjects[index].name = new;
            names.insert(old, new);
        }
        let others = self.cx.program.subobjects.iter_mut().filter(|s| !s.is_signature());
        for value in others.flat_map(|subobject| &mut subobject.values) {
            if let AttributeArg::Text(list) = value {
                let now = |part: &str| match names.get(&Symbol::new(part.trim())) {
                    Some(name) => part.replace(part.trim(), name.as_str()),
                    None => part.to_owned(),
                };
                *list = Symbol::new(&list.as_str().split(';').map(now).collect::<Vec<_>>().join(";"));
            }
        }
    }

    /// The listed shader parameters: those that all texts share, and those of each entry point.
    fn listed_parameters(&self) -> (Vec<GlobalId>, Vec<Vec<GlobalId>>) {
        let (mut shared, mut own) = (Vec::new(), vec![Vec::new(); self.cx.program.entry_points.len()]);
        for id in self.cx.program.items.iter().filter_map(|i| self.as_parameter(*i)) {
            match self.entry_of(id).and_then(|entry| own.get_mut(entry)) {
                Some(own) => own.push(id),
                None => shared.push(id),
            }
        }
        (shared, own)
    }

    /// The entry point in whose text alone a shader parameter stands.
    fn entry_of(&self, id: GlobalId) -> Option<usize> {
        let leaves = &self.cx.layout.leaves;
        let parameter = match self.cx.program.globals[id].origin {
            Origin::Parameter(parameter) => parameter,
            Origin::Leaf(leaf) | Origin::Element(leaf, _) => leaves.leaf(leaf).parameter,
            Origin::Declared | Origin::Field(_) | Origin::Builtin | Origin::Synthesized => return None,
        };
        match leaves.parameter(parameter).owner {
            Owner::Param(entry, _) | Owner::EntryBuffer(entry) | Owner::EntryScope(entry) => Some(entry),
            Owner::Global(_) | Owner::Globals | Owner::Counter(_) | Owner::Nobody => None,
        }
        .filter(|_| !self.cx.profile.has(Capability::SeveralEntryPoints))
    }

    /// Shader parameters, and the members that are named without their block, whose own name comes last.
    fn parameters(&mut self, ids: &[GlobalId]) {
        for &id in ids {
            if self.is_open_block(id) {
                self.members(id);
                continue;
            }
            let global = &self.cx.program.globals[id];
            let (name, class) = (self.parameter_name(global), class_of_global(&self.cx.layout.leaves, global));
            self.cx.program.globals[id].name = self.global_name(name, class);
        }
    }

    fn is_open_block(&self, id: GlobalId) -> bool {
        open_struct(self.cx.program, &self.cx.program.globals[id], self.cx.profile.facts.named_blocks).is_some()
    }

    /// The name that a parameter is to have.
    fn parameter_name(&self, global: &Global) -> Symbol {
        let name = match global.name {
            name if self.is_lone_underscore(name.as_str()) => name,
            name if global.transparent && is_blank(name.as_str()) => Symbol::new("constants"),
            name => name,
        };
        match global.transparent && self.reserved.is_no_block(name.as_str()) {
            true => Symbol::new(&format!("{name}_")),
            false => name,
        }
    }

    fn as_parameter(&self, item: Item) -> Option<GlobalId> {
        match item {
            Item::Global(id) if self.cx.program.globals[id].kind == GlobalKind::Parameter => Some(id),
            _ => None,
        }
    }

    /// Members of a block that are named without it are names at global scope.
    fn members(&mut self, global: GlobalId) {
        let named_blocks = self.cx.profile.facts.named_blocks;
        let Some(id) = open_struct(self.cx.program, &self.cx.program.globals[global], named_blocks) else { return };
        for index in 0..self.cx.program.structs[id].fields.len() {
            let field = self.cx.program.structs[id].fields.get(index);
            let Some((name, origin)) = field.map(|f| (f.name, f.origin)) else { continue };
            let name = self.global_name(name, class_of_origin(&self.cx.layout.leaves, origin));
            if let Some(field) = self.cx.program.structs[id].fields.get_mut(index) {
                field.name = name;
            }
        }
    }

    fn other_items(&mut self) {
        let native: Vec<Item> = self.cx.program.items.iter().copied().filter(|i| self.is_native(*i)).collect();
        native.into_iter().for_each(|item| self.cx.program.items.remove(item));
        self.cx.program.items.settle();
        let within = within_blocks(self.cx.program, self.cx.profile);
        for item in self.cx.program.items.clone() {
            match item {
                Item::Struct(id) if within.contains(&id) => {}
                Item::Struct(id) => self.structure(id),
                Item::Enum(id) => self.enumeration(id),
                // The target's own.
                Item::Global(id) if self.cx.program.globals[id].kind == GlobalKind::Heap => {}
                Item::Global(id) if self.cx.program.globals[id].member.is_some() => self.static_member(id),
                Item::Global(id) if self.as_parameter(item).is_none() && !self.is_interface(id) => {
                    let global = &self.cx.program.globals[id];
                    let (name, class) = (global.name, class_of_global(&self.cx.layout.leaves, global));
                    self.cx.program.globals[id].name = self.global_name(name, class);
                }
                Item::Function(id) if self.cx.program.entry_point_of(id).is_none() => self.function(id),
                _ => {}
            }
        }
    }

    fn is_interface(&self, id: GlobalId) -> bool {
        match self.cx.program.globals[id].kind {
            GlobalKind::Input | GlobalKind::Output => true,
            // That of calls belongs to all that call.
            GlobalKind::Passed => self.cx.program.entry_points.iter().any(|e| e.interface.contains(&id)),
            GlobalKind::Parameter
            | GlobalKind::Static
            | GlobalKind::Const
            | GlobalKind::Groupshared
            | GlobalKind::Specialization
            | GlobalKind::Heap => false,
        }
    }

    /// What belongs to one entry point each, among the names of its slice.
    fn slices(&mut self, own: &[Vec<GlobalId>]) {
        let (program, blocks) = (&*self.cx.program, self.cx.profile.facts.named_blocks);
        let slices = Slices::new(program);
        let within = within_blocks(self.cx.program, self.cx.profile);
        let private = |item: &Item| match *item {
            Item::Global(id) => self.is_interface(id) || self.entry_of(id).is_some(),
            Item::Struct(id) => within.contains(&id),
            // No text has the name of an entry point that is called by another name.
            Item::Function(id) => self.cx.profile.facts.entry_name.is_some() && program.entry_point_of(id).is_some(),
            Item::Enum(_) => false,
        };
        let mut texts = Vec::new();
        for entry in &program.entry_points {
            let declared = slices.of(entry).into_iter().filter(|item| !private(item));
            let taken: FxHashSet<String> =
                declared.flat_map(|item| global_names(program, item, blocks)).map(|n| n.to_string()).collect();
            texts.push((taken, entry.interface.clone()));
        }
        let linked = self.cx.profile.facts.api.facts().linked_names;
        if linked {
            self.linked(own, &mut texts);
        }
        let all = std::mem::take(&mut self.taken);
        // What connects stages by its name has the same name in all texts.
        let connects = self.cx.profile.facts.varyings == Varyings::Names;
        let mut named = Vec::new();
        for ((taken, interface), own) in texts.into_iter().zip(own) {
            self.taken = taken;
            self.taken.extend(self.cx.profile.facts.entry_name.map(str::to_owned));
            let own = if linked { &[][..] } else { own };
            self.parameters(own);
            let builtin = |id: &GlobalId| self.cx.program.globals[*id].origin == Origin::Builtin;
            let (_, interface): (Vec<_>, Vec<_>) = interface.into_iter().partition(builtin);
            for id in interface {
                let mut name = self.legal(self.cx.program.globals[id].name.as_str());
                while connects && all.contains(&name) || !self.taken.insert(name.clone()) {
                    name = self.reserved.respell(&format!("{name}_in"));
                }
                self.cx.program.globals[id].name = Symbol::new(&name);
            }
            own.iter().for_each(|id| self.block(*id));
            named.push(std::mem::take(&mut self.taken));
        }
        self.taken = all;
        self.taken.extend(named.into_iter().flatten());
    }

    /// Where the texts of stages are linked, what belongs to an entry point meets all that other stages declare.
    fn linked(&mut self, own: &[Vec<GlobalId>], texts: &mut [(FxHashSet<String>, Vec<GlobalId>)]) {
        let blocks = self.cx.profile.facts.named_blocks;
        let stages = self.cx.program.entry_points.iter().map(|e| e.stage);
        let mut work: Vec<_> = stages.zip(own).zip(texts).collect();
        work.sort_by_key(|((stage, _), _)| *stage);
        for stage in work.chunk_by_mut(|((a, _), _), ((b, _), _)| a == b) {
            let mut met = Vec::new();
            for ((_, own), (taken, _)) in stage {
                self.parameters(own);
                own.iter().for_each(|id| self.block(*id));
                let program = &*self.cx.program;
                let all =
                    |id: &GlobalId| [global_names(program, Item::Global(*id), blocks), vec![program.globals[*id].name]];
                let names = own.iter().flat_map(all).flatten();
                let names: Vec<String> = names.map(|n| n.to_string()).collect();
                // Two entry points of one stage do not meet.
                for name in &names {
                    self.taken.remove(name);
                }
                taken.extend(names.iter().cloned());
                met.extend(names);
            }
            self.taken.extend(met);
        }
    }

    /// Names of blocks by which nobody uses what they hold: `lights_block`, and those of blocks whose members are named without
    /// them. They come last.
    fn block(&mut self, id: GlobalId) {
        let global = &self.cx.program.globals[id];
        // Two underscores in a row are reserved.
        let in_block = |name: Symbol| Symbol::new(&format!("{}_block", name.as_str().trim_end_matches('_')));
        if self.is_open_block(id) {
            let (name, class) = (self.parameter_name(global), class_of_global(&self.cx.layout.leaves, global));
            let legal = self.legal(name.as_str());
            let is_block = self.blocks.contains(&legal);
            let name = match self.taken.contains(&legal) {
                _ if self.cx.profile.facts.blocks_apart => return self.block_apart(id, &legal),
                true if !is_block => in_block(name),
                _ => name,
            };
            let name = self.global_name(name, class);
            self.blocks.insert(name.to_string());
            self.cx.program.globals[id].name = name;
        } else if is_named_block(self.cx.program, global, self.cx.profile.facts.named_blocks) {
            let name = self.scope_name(global).unwrap_or_else(|| in_block(global.name));
            self.cx.program.globals[id].block = Some(self.global_name(name, Class::Made));
        }
    }

    /// The name of a block around all that an entry point has of uniform data: that of the entry point.
    fn scope_name(&self, global: &Global) -> Option<Symbol> {
        if self.cx.options.fixed_names {
            return None;
        }
        let leaves = &self.cx.layout.leaves;
        let owner = match global.origin {
            Origin::Leaf(leaf) => leaves.parameter(leaves.leaf(leaf).parameter).owner,
            _ => return None,
        };
        match owner {
            Owner::EntryBuffer(entry) => {
                block_of_entry(&self.cx.profile.facts, self.cx.program.entry_points.get(entry)?)
            }
            _ => None,
        }
    }

    /// The name of a block that is among no names but those of other blocks.
    fn block_apart(&mut self, id: GlobalId, legal: &str) {
        let name = numbered(legal, |n| (n == legal || self.legal(n) == n) && !self.blocks.contains(n));
        self.cx.program.globals[id].name = Symbol::new(&name);
        self.blocks.insert(name);
    }

    /// A struct or constant of the library that the language declares too, under the same name.
    fn is_native(&self, item: Item) -> bool {
        let (name, span) = match item {
            Item::Struct(id) => (self.cx.program.structs[id].name, self.cx.program.structs[id].span),
            Item::Global(id) if self.cx.program.globals[id].kind == GlobalKind::Const => {
                (self.cx.program.globals[id].name, self.cx.program.globals[id].span)
            }
            _ => return false,
        };
        span.file.is_library() && self.reserved.is_builtin(name.as_str())
    }

    fn structure(&mut self, id: StructId) {
        let class = class_of_struct(&self.cx.program.structs[id]);
        let mut name = self.cx.program.structs[id].name.to_string();
        if is_blank(&name) {
            name = if name.is_empty() { "Struct" } else { "Constants" }.to_owned();
        }
        if self.reserved.is_no_type(&name) {
            name.push('_');
        }
        // `cbuffer Camera` and the struct of its members have one name in the source.
        if self.taken.contains(&name) || !self.is_open(&name, &name, class) {
            name.push_str("Data");
        }
        self.cx.program.structs[id].name = self.global_name(Symbol::new(&name), class);
    }

    /// An enum and its cases. Cases in the scope around it are named after it if one of them cannot have its name.
    fn enumeration(&mut self, id: EnumId) {
        let Enum { name, strict, ref cases, .. } = self.cx.program.enums[id];
        let cases: Vec<Symbol> = cases.iter().map(|case| case.name).collect();
        let name = self.global_name(name, Class::Written);
        let is_free = |case: &Symbol| self.legal(case.as_str()) == case.as_str() && !self.taken.contains(case.as_str());
        let apart = !strict && !cases.iter().all(is_free);
        let mut own = FxHashSet::default();
        let mut named = Vec::new();
        for case in cases {
            named.push(match (strict, apart) {
                (true, _) => {
                    let legal = self.legal(case.as_str());
                    let free = |n: &str| self.legal(n) == n && !own.contains(n);
                    let found = numbered(&legal, free);
                    own.insert(found.clone());
                    Symbol::new(&found)
                }
                (false, true) => self.global_name(Symbol::new(&format!("{name}_{case}")), Class::Derived),
                (false, false) => self.global_name(case, Class::Written),
            });
        }
        let e = &mut self.cx.program.enums[id];
        e.name = name;
        e.cases.iter_mut().zip(named).for_each(|(case, name)| case.name = name);
        if apart {
            (e.scoped, e.qualified) = (false, false);
        }
    }

    fn function(&mut self, id: FunctionId) {
        let function = &self.cx.program.functions[id];
        let (own, class) = (function.name.as_str(), class_of_function(function));
        let host = struct_of_member(self.cx.program, function);
        // Names in a struct are apart from those around it.
        let scope = host.map(|id| format!("{}::", self.cx.program.structs[id].name)).unwrap_or_default();
        let mut base = own.to_owned();
        if let Some(owner) = function.owner.filter(|_| !function.builtin && host.is_none()) {
            base = format!("{}_{}", plain(&self.cx.program.type_name(owner)), plain(&base));
        }
        let base = self.legal_function(&base, function);
        let types: Vec<String> = param_types(self.cx.program, function);
        let overloads = self.cx.profile.has(Capability::Overloads) && !self.reserved.is_single(&base);
        let distinguishing_types =
            distinguishing_types(self.cx.program, function, self.cx.profile.has(Capability::FineOverloads));
        let signature = |name: &str| format!("{scope}{name}({})", distinguishing_types.join(","));
        // HLSL converts arrays and vectors of as many numbers as easily as it passes them.
        let is_array =
            |p: &Param| matches!(self.cx.program.types.get(function.code.locals[p.local].ty), Type::Array(..));
        let with_array = self.cx.profile.has(Capability::FineOverloads) && function.params.iter().any(is_array);
        let of_count =
            |name: &str, array: bool| format!("{scope}{name}/{}{}", types.len(), if array { "[]" } else { "" });
        // Where it converts what comes out, numbers of all kinds are alike there.
        let gives = function.builtin
            && self.cx.profile.has(Capability::ConvertedOutArguments)
            && function.params.iter().any(|p| p.mode != ParamMode::In);
        let any_kind = any_kind_of_results(self.cx.program, function);
        let of_results = |name: &str| format!("{scope}{name}/{}", any_kind.join(","));
        let free = |plain: &str, names: &Self| {
            let name = plain;
            let is_field = |id| names.cx.program.structs[id].fields.iter().any(|field| field.name == *name);
            let is_open = match host {
                Some(id) => !is_field(id) && (name == own || !names.taken.contains(name)),
                None => names.is_open(name, own, class) && names.is_outside(name, own),
            };
            if !is_open {
                return false;
            }
            let name = &format!("{scope}{name}");
            if overloads && names.taken.contains(&format!("{name}()")) {
                let unclear = names.signatures.contains(&of_count(plain, !with_array))
                    || gives && names.signatures.contains(&of_results(plain));
                return !unclear && !names.signatures.contains(&signature(plain));
            }
            !names.taken.contains(name) && !names.taken.contains(&format!("{name}()"))
        };
        let mut name = base.clone();
        // The underscore that kept it apart from a word of the language is not needed in a longer name.
        let stem = base.trim_end_matches('_');
        if !free(&name, self) && !function.instance.is_empty() {
            name = self.legal_function(&format!("{stem}_{}", function.instance), function);
        }
        if !free(&name, self) && !types.is_empty() {
            let types: Vec<String> = types.iter().map(|t| plain(t).trim_end_matches('_').to_owned()).collect();
            name = self.legal_function(&format!("{stem}_{}", types.join("_")), function);
        }
        let is_legal = |n: &str| n == name || self.legal_function(n, function) == n;
        let name = numbered(&name, |n| is_legal(n) && free(n, self));
        // Functions of one name share it; nothing else may have it.
        self.taken.insert(format!("{scope}{name}()"));
        self.taken.insert(format!("{scope}{name}"));
        self.signatures.insert(signature(&name));
        self.signatures.insert(of_count(&name, with_array));
        if gives {
            self.signatures.insert(of_results(&name));
        }
        let function = &mut self.cx.program.functions[id];
        function.name = Symbol::new(&name);
        function.owner = function.owner.filter(|_| host.is_some());
    }

    /// A static member is named among those of its struct.
    fn static_member(&mut self, id: GlobalId) {
        let global = &self.cx.program.globals[id];
        let Some((of, member)) = struct_of_variable(self.cx.program, global).zip(global.member.as_ref()) else {
            return;
        };
        let structure = &self.cx.program.structs[of];
        let scope = format!("{}::", structure.name);
        let is_field = |name: &str| structure.fields.iter().any(|field| field.name == *name);
        let legal = self.legal(member.name.as_str());
        let is_free = |name: &str| !is_field(name) && !self.taken.contains(&format!("{scope}{name}"));
        let is_other = |name: &str| name == member.name.as_str() || !self.taken.contains(name);
        let name = numbered(&legal, |n| (n == legal || self.legal(n) == n) && is_free(n) && is_other(n));
        self.taken.insert(format!("{scope}{name}"));
        self.cx.program.globals[id].name = Symbol::new(&name);
    }

    /// Fields are in scopes of their own: only the language's words are forbidden.
    fn fields(&mut self) {
        let hiding = match self.cx.profile.facts.fields_hide_types {
            true => self.hiding_fields(),
            false => FxHashSet::default(),
        };
        let leaves = &self.cx.layout.leaves;
        for (id, s) in self.cx.program.structs.iter_mut() {
            let mut taken: FxHashSet<Symbol> = s.fields.iter().map(|f| f.name).collect();
            let mut seen: FxHashSet<Symbol> = FxHashSet::default();
            let mut fields: Vec<&mut Field> = s.fields.iter_mut().collect();
            fields.sort_by_key(|f| class_of_origin(leaves, f.origin));
            for field in fields {
                let mut text = self.reserved.respell(&plain(field.name.as_str()));
                if self.reserved.is_no_field(&text) {
                    text.push('_');
                }
                let same = field.name == *text.as_str() && seen.insert(field.name);
                if !same || hiding.contains(&(id, field.name)) {
                    // Methods in the struct name it beside what is outside.
                    let members = self.members.get(&id);
                    let is_apart =
                        |n: &str| members.is_none_or(|of| !of.contains(&Symbol::new(n)) && !self.taken.contains(n));
                    let text = numbered(&text, |n| {
                        self.reserved.respell(n) == n && !taken.contains(&Symbol::new(n)) && is_apart(n)
                    });
                    field.name = Symbol::new(&text);
                    taken.insert(field.name);
                    seen.insert(field.name);
                }
            }
        }
    }

    /// The fields that hide the type of a later one.
    fn hiding_fields(&self) -> FxHashSet<(StructId, Symbol)> {
        let program = &*self.cx.program;
        let mut hiding = FxHashSet::default();
        for (id, s) in program.structs.iter() {
            let mut seen: FxHashSet<Symbol> = FxHashSet::default();
            for field in &s.fields {
                if let Type::Struct(of) = program.types.get(program.types.innermost(field.ty))
                    && seen.contains(&program.structs[of].name)
                {
                    hiding.insert((id, program.structs[of].name));
                }
                seen.insert(field.name);
            }
        }
        hiding
    }
}

/// The structs whose members are named without their blocks: the text declares no such types.
pub(super) fn within_blocks(program: &Program, profile: &Profile) -> FxHashSet<StructId> {
    let blocks = profile.facts.named_blocks;
    program.listed_globals().filter_map(|id| open_struct(program, &program.globals[id], blocks)).collect()
}

/// The blocks whose members are named without them.
pub(super) fn open_blocks(program: &Program, profile: &Profile) -> FxHashSet<GlobalId> {
    let blocks = profile.facts.named_blocks;
    program.listed_globals().filter(|id| open_struct(program, &program.globals[*id], blocks).is_some()).collect()
}

/// The name of an entry point, if the block of its uniform parameters may have it: where the name of a block is no other one's,
/// and where no text has that of the entry point. Texts that are linked by name may each have an entry point of one name.
pub(super) fn block_of_entry(facts: &Facts, entry: &EntryPoint) -> Option<Symbol> {
    let is_block = match facts.named_blocks {
        NamedBlocks::WithoutStruct | NamedBlocks::All => facts.blocks_apart || facts.entry_name.is_some(),
        NamedBlocks::None | NamedBlocks::Arrays => false,
    };
    let is_linked = facts.api.facts().linked_names;
    (is_block && !is_linked && facts.entry_name.is_none_or(|name| entry.name != *name)).then_some(entry.name)
}

/// The cases of an enum that are declared in the scope around it: all but those of an `enum class`.
fn open_cases(e: &Enum) -> impl Iterator<Item = Symbol> {
    e.cases.iter().filter(|_| !e.strict).map(|case| case.name)
}

/// The names that a declaration has at global scope, but for those of blocks whose members are named without them.
fn global_names(program: &Program, item: Item, blocks: NamedBlocks) -> Vec<Symbol> {
    match item {
        Item::Struct(id) => vec![program.structs[id].name],
        Item::Enum(id) => [program.enums[id].name].into_iter().chain(open_cases(&program.enums[id])).collect(),
        Item::Function(id) => vec![program.functions[id].name],
        Item::Global(id) if program.globals[id].member.is_some() => Vec::new(),
        Item::Global(id) => {
            let global = &program.globals[id];
            match open_struct(program, global, blocks) {
                Some(open) => program.structs[open].fields.iter().map(|f| f.name).collect(),
                None => [global.name].into_iter().chain(global.block).collect(),
            }
        }
    }
}

fn is_named_block(program: &Program, global: &Global, which: NamedBlocks) -> bool {
    let types = &program.types;
    let constant = |ty: TypeId| match types.get(ty) {
        Type::ConstantBuffer(element, _) | Type::TextureBuffer(element) => Some(element),
        _ => None,
    };
    match which {
        NamedBlocks::None => false,
        NamedBlocks::Arrays => {
            let array = matches!(types.get(global.ty), Type::Array(..));
            // A storage block is its struct.
            let named = |kind| !matches!(kind, BufferKind::Typed | BufferKind::Block(_));
            array && matches!(types.get(types.innermost(global.ty)), Type::Buffer(kind, ..) if named(kind))
        }
        NamedBlocks::WithoutStruct => {
            constant(global.ty).is_some_and(|element| !matches!(types.get(element), Type::Struct(_)))
        }
        NamedBlocks::All => match types.get(types.innermost(global.ty)) {
            Type::Buffer(kind, ..) => kind != BufferKind::Typed,
            _ if global.transparent => false,
            _ => constant(types.innermost(global.ty)).is_some(),
        },
    }
}

fn param_types(program: &Program, function: &Function) -> Vec<String> {
    param_values(program, function).map(|ty| program.type_name(ty)).collect()
}

/// The types of parameters; what is passed by reference is what it is.
fn param_values(program: &Program, function: &Function) -> impl Iterator<Item = TypeId> {
    function.params.iter().map(|p| match program.types.get(function.code.locals[p.local].ty) {
        Type::Pointer(inner, _) => inner,
        _ => function.code.locals[p.local].ty,
    })
}

/// The types of parameters; of the numbers that come out, only the shape.
fn any_kind_of_results(program: &Program, function: &Function) -> Vec<String> {
    let modes = function.params.iter().map(|p| p.mode);
    let text = |(mode, ty): (ParamMode, TypeId)| match (mode, program.types.get(ty)) {
        (ParamMode::In, _) => program.type_name(ty),
        (_, Type::Scalar(_)) => "out".to_owned(),
        (_, Type::Vector(_, n)) => format!("out {n}"),
        (_, Type::Matrix(_, rows, columns)) => format!("out {rows}x{columns}"),
        _ => program.type_name(ty),
    };
    modes.zip(param_values(program, function)).map(text).collect()
}

/// The types of the parameters by which the language distinguishes overloads. One without fine overloads has no minimum
/// precision, textures of a kind of numbers, not of vectors, and ray queries without flags; the other takes scalars,
/// vectors and matrices of as many numbers for one another.
fn distinguishing_types(program: &Program, function: &Function, fine: bool) -> Vec<String> {
    // Both have one type for textures alone, whether they are compared or not.
    let alone = |t: Texture| Texture { depth: t.depth && t.combined, ..t };
    let fine_name = |ty: TypeId| match program.types.get(ty) {
        Type::Matrix(s, r, c) if r * c <= 4 => format!("{s:?}{}", r * c),
        Type::Vector(s, n) => format!("{s:?}{n}"),
        Type::Scalar(s) => format!("{s:?}1"),
        Type::Texture(t) => format!("{:?}", alone(t)),
        _ => program.type_name(ty),
    };
    let coarse = |ty: TypeId| {
        let scalar = |s: Scalar| match s {
            Scalar::MinF16 | Scalar::MinF10 => Scalar::F32,
            Scalar::MinI16 | Scalar::MinI12 => Scalar::I32,
            Scalar::MinU16 => Scalar::U32,
            _ => s,
        };
        // Texels are floats or integers, of any size and count.
        let texel = |ty: TypeId| program.types.component(ty).map(|s| (s.is_float(), s.is_signed(), s.size() == 8));
        match program.types.get(ty) {
            Type::Scalar(s) | Type::Vector(s, 1) => format!("{:?}", scalar(s)),
            Type::Vector(s, n) => format!("{:?}{n}", scalar(s)),
            Type::Matrix(s, r, c) => format!("{:?}{r}x{c}", scalar(s)),
            Type::Texture(t) => {
                let shape = Texture { element: TypeId::VOID, access: Access::Read, ..alone(t) };
                format!("{:?} {shape:?} {}", texel(t.element), t.access == Access::Read)
            }
            Type::Buffer(BufferKind::Typed, access, element) => {
                format!("{:?} {}", texel(element), access == Access::Read)
            }
            Type::SubpassInput(element, multisampled) => format!("{:?} {multisampled}", texel(element)),
            Type::RayQuery(_) => "RayQuery".to_owned(),
            _ => program.type_name(ty),
        }
    };
    // All addresses of device memory are of one type there.
    let is_address = |p: &Param| {
        matches!(program.types.get(function.code.locals[p.local].ty), Type::Pointer(_, AddressSpace::Device(_)))
    };
    let name = |(p, ty): (&Param, TypeId)| match fine {
        true => fine_name(ty),
        false if is_address(p) => "address".to_owned(),
        false => coarse(ty),
    };
    function.params.iter().zip(param_values(program, function)).map(name).collect()
}

/// The struct whose members a block declares at global scope.
fn open_struct(program: &Program, global: &Global, which: NamedBlocks) -> Option<StructId> {
    let closed = matches!(which, NamedBlocks::None | NamedBlocks::Arrays);
    match program.types.get(program.types.innermost(global.ty)) {
        _ if closed || !global.transparent => None,
        Type::ConstantBuffer(t, _) | Type::TextureBuffer(t) => match program.types.get(t) {
            Type::Struct(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}
