//! Keep what the entry points use, each declaration after those it uses.
//!
//! Before: `float unused() {...}  float f() { return g(); }  float g() {...}`
//! After:  `float g() {...}  float f() { return g(); }`
//!
//! Where functions stand in structs, what a struct has in it uses the struct, if that is plain data.
//!
//! Declarations keep their order; only one that would stand before something it uses makes that come first. Builtin
//! polyfills that are called are listed just before their first user.

use super::{Context, Pass, methods};
use crate::symbol::Symbol;
use crate::target::{Capability, Profile};
use crate::tree::analyses::items;
use crate::tree::{EntryPoint, Function, FunctionBody, FunctionId, Global, GlobalId, Item, Program};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "dead_code",
    always: Some("what is not used has no text, and passes leave items unordered"),
    adds: Capability::ALL,
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let (items, live) = listed(cx.program, cx.profile);
    // What is borrowed to be changed counts as changed.
    if *cx.program.items != items {
        cx.program.items = items.into();
    }
    let is_live = |g: &GlobalId| live.contains(&Item::Global(*g));
    if !cx.program.parameters.iter().all(is_live) {
        cx.program.parameters.retain(is_live);
    }
    // Nothing looks into a dead function any more.
    let has_code = |(id, f): (FunctionId, &Function)| {
        (!live.contains(&Item::Function(id)) && matches!(f.body, FunctionBody::Block)).then_some(id)
    };
    let dead: Vec<FunctionId> = cx.program.functions.iter().filter_map(has_code).collect();
    for id in dead {
        let function = &mut cx.program.functions[id];
        function.body = FunctionBody::None;
        function.code.block = Default::default();
    }
    let has_value = |(id, global): (GlobalId, &Global)| (!is_live(&id) && global.init.is_some()).then_some(id);
    let dead: Vec<GlobalId> = cx.program.globals.iter().filter_map(has_value).collect();
    dead.into_iter().for_each(|id| cx.program.globals[id].init = None);
}

/// The items to print, in their old order but each after what it uses, and all that is live.
fn listed(program: &Program, profile: &Profile) -> (Vec<Item>, FxHashSet<Item>) {
    let analyses = program.analyses();
    let stay = profile.has(Capability::Methods);
    let roots: FxHashSet<Item> = program.entry_points.iter().flat_map(|e| e.roots()).map(Item::Function).collect();
    // Functions and static members stand in their structs.
    let host = |item: Item| methods::plain_host(program, item).filter(|_| stay && !roots.contains(&item));
    let with_host = |item: Item, uses: Vec<Item>| uses.into_iter().chain(host(item).map(Item::Struct)).collect();
    let uses = |item: Item| with_host(item, analyses.item_uses(item));
    let entries: Vec<Item> = program.entry_points.iter().flat_map(|e| e.roots()).map(Item::Function).collect();
    // Specialization constants and stage variables are an interface, used or not.
    let variables = program.entry_points.iter().flat_map(EntryPoint::globals).map(Item::Global);
    let interface = variables.chain(program.specialization_constants());
    let named: Vec<Item> = entries.iter().copied().chain(interface).collect();
    let mut live: FxHashSet<Item> = items::reached(named.iter().copied(), &uses).into_iter().collect();
    let whole = whole_buffers(program, &live);
    if !whole.is_empty() {
        live = items::reached(named.into_iter().chain(whole), &uses).into_iter().collect();
    }
    let roots = program.items.iter().chain(&entries).copied();
    let declared_before = analyses.declared_before();
    let before = |item: Item| with_host(item, declared_before(item));
    let mut items = items::in_order_of_use(roots, &before, &|item| live.contains(&item));
    items.retain(|item| is_printed(program, *item));
    (items, live)
}

/// What is not used of buffers of uniform parameters of entry points that are: such a buffer has all of them, as in the source, unless
/// something else has the name of one.
fn whole_buffers(program: &Program, live: &FxHashSet<Item>) -> Vec<Item> {
    let is_live = |global: &&GlobalId| live.contains(&Item::Global(**global));
    let used = program.entry_points.iter().map(|e| &e.uniforms).filter(|uniforms| uniforms.iter().any(|g| is_live(&g)));
    let rest: Vec<GlobalId> = used.flatten().filter(|global| !is_live(global)).copied().collect();
    if rest.is_empty() {
        return Vec::new();
    }
    let mut names: FxHashMap<Symbol, usize> = FxHashMap::default();
    let others = program.globals.iter().map(|(id, _)| id).filter(|id| is_live(&id) || rest.contains(id));
    others.for_each(|id| *names.entry(program.globals[id].name).or_default() += 1);
    let is_sole = |global: &GlobalId| names.get(&program.globals[*global].name) == Some(&1);
    rest.into_iter().filter(is_sole).map(Item::Global).collect()
}

/// Whether an item has a text: functions with statements; the library's structs stand for builtin types.
fn is_printed(program: &Program, item: Item) -> bool {
    match item {
        Item::Function(id) => matches!(program.functions[id].body, FunctionBody::Block),
        Item::Struct(id) => {
            let declared = &program.structs[id];
            !declared.builtin || !declared.name.is_empty() || !declared.fields.is_empty()
        }
        _ => true,
    }
}
