//! Keep what the entry points use, each declaration after those it uses.
//!
//! Before: `float unused() {...}  float f() { return g(); }  float g() {...}`
//! After:  `float g() {...}  float f() { return g(); }`
//!
//! Declarations keep their order; only one that would stand before something it uses makes that come first. Builtin
//! polyfills that are called are listed just before their first user.

use super::{Context, Pass};
use crate::tree::{
    Body, ExprKind, FunctionBody, FunctionId, GlobalId, GlobalKind, Item, Program, StmtKind, Type, TypeId, Uses,
};
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass { name: "dead_code", removes: &[], adds: &[], run };

fn run(cx: &mut Context) {
    let mut order =
        Order { program: cx.program, live: FxHashSet::default(), listed: FxHashSet::default(), items: Vec::new() };
    order.mark_all();
    order.list_all();
    let (items, live) = (order.items, order.live);
    cx.program.items = items;
    cx.program.parameters.retain(|g| live.contains(&Item::Global(*g)));
    // Nothing looks into a dead function any more.
    for (id, function) in cx.program.functions.iter_mut() {
        if !live.contains(&Item::Function(id)) && matches!(function.body, FunctionBody::Block) {
            function.body = FunctionBody::None;
            function.code.block = Default::default();
        }
    }
    for (id, global) in cx.program.globals.iter_mut() {
        if !live.contains(&Item::Global(id)) {
            global.init = None;
        }
    }
}

struct Order<'a> {
    program: &'a Program,
    live: FxHashSet<Item>,
    listed: FxHashSet<Item>,
    items: Vec<Item>,
}

impl Order<'_> {
    fn mark_all(&mut self) {
        let roots = self.program.entry_points.iter().flat_map(|e| e.roots());
        let mut stack: Vec<Item> = roots.map(Item::Function).collect();
        // Specialization constants and stage variables are an interface, used or not.
        let interface = self
            .program
            .globals
            .iter()
            .filter(|(_, g)| matches!(g.kind, GlobalKind::Specialization | GlobalKind::Input | GlobalKind::Output));
        stack.extend(interface.map(|(id, _)| Item::Global(id)).filter(|i| self.program.items.contains(i)));
        while let Some(item) = stack.pop() {
            if self.live.insert(item) {
                stack.extend(self.uses(item));
            }
        }
    }

    /// What a declaration uses, in order of use.
    fn uses(&self, item: Item) -> Vec<Item> {
        let mut items = Vec::new();
        match item {
            Item::Struct(id) => self.program.structs[id].fields.iter().for_each(|f| self.type_items(f.ty, &mut items)),
            Item::Enum(_) => {}
            Item::Global(id) => self.global_uses(id, &mut items),
            Item::Function(id) => self.function_uses(id, &mut items),
        }
        items
    }

    fn global_uses(&self, id: GlobalId, items: &mut Vec<Item>) {
        let global = &self.program.globals[id];
        self.type_items(global.ty, items);
        if let Some(tree) = &global.init {
            self.mentioned(Uses::of_tree(tree), items);
        }
    }

    fn function_uses(&self, id: FunctionId, items: &mut Vec<Item>) {
        let function = &self.program.functions[id];
        self.type_items(function.result, items);
        function.params.iter().for_each(|p| self.type_items(function.code.locals[p.local].ty, items));
        if let FunctionBody::Block = function.body {
            self.body_uses(&function.code, items);
        }
    }

    fn body_uses(&self, body: &Body, items: &mut Vec<Item>) {
        body.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, _) = stmt.kind {
                self.type_items(body.locals[local].ty, items);
            }
        });
        let live = body.expressions();
        for &id in &live {
            if let ExprKind::EnumCase(e, _) = body.exprs[id].kind {
                items.push(Item::Enum(e));
            }
        }
        self.mentioned(Uses::of_exprs(&body.exprs, &live), items);
    }

    fn mentioned(&self, uses: Uses, items: &mut Vec<Item>) {
        uses.types.iter().for_each(|t| self.type_items(*t, items));
        items.extend(uses.globals.into_iter().map(Item::Global));
        items.extend(uses.functions.into_iter().map(Item::Function));
    }

    fn type_items(&self, ty: TypeId, items: &mut Vec<Item>) {
        match self.program.types.get(ty) {
            Type::Struct(id) => items.push(Item::Struct(id)),
            Type::Enum(id) => items.push(Item::Enum(id)),
            other => {
                if let Some(element) = other.element() {
                    self.type_items(element, items);
                }
            }
        }
    }

    /// Lists all live items: in their old order, but each after what it uses.
    fn list_all(&mut self) {
        for item in &self.program.items {
            self.list(*item, 0);
        }
        for entry in &self.program.entry_points {
            self.list(Item::Function(entry.function), 0);
        }
    }

    fn list(&mut self, item: Item, depth: u32) {
        // Declarations cannot form longer chains than the front end lets through; this only guards the stack.
        if depth > 2000 || !self.live.contains(&item) || !self.listed.insert(item) {
            return;
        }
        for used in self.uses(item) {
            self.list(used, depth + 1);
        }
        let prints = match item {
            Item::Function(id) => matches!(self.program.functions[id].body, FunctionBody::Block),
            // The library's structs stand for builtin types.
            Item::Struct(id) => {
                !self.program.structs[id].name.is_empty() || !self.program.structs[id].fields.is_empty()
            }
            _ => true,
        };
        if prints {
            self.items.push(item);
        }
    }
}
