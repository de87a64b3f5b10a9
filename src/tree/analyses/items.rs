//! What declarations use, and their order.

use super::{Analyses, Uses};
use crate::tree::{FunctionId, GlobalId, Item, Length, NumberName, Program, Type, TypeId};
use rustc_hash::FxHashSet;

impl Analyses<'_> {
    /// The declarations that one uses, in order of use.
    pub fn item_uses(&self, item: Item) -> Vec<Item> {
        let mut items = Vec::new();
        match item {
            Item::Struct(id) => {
                self.program.structs[id].fields.iter().for_each(|f| type_items(self.program, f.ty, &mut items));
            }
            Item::Enum(id) => {
                let named = self.program.enums[id].names().filter_map(NumberName::item);
                items.extend(named.filter(|named| *named != item));
            }
            Item::Global(id) => self.global(id, &mut items),
            Item::Function(id) => self.function(id, &mut items),
        }
        self.named_numbers(item, &mut items);
        items
    }

    /// What the sizes of arrays and the arguments of attributes name.
    fn named_numbers(&self, item: Item, items: &mut Vec<Item>) {
        let program = self.program;
        if !program.written_numbers.has_names() {
            return;
        }
        let mut of_array =
            |name, ty| items.extend(program.size_names(name, ty).into_iter().filter_map(NumberName::item));
        match item {
            Item::Struct(id) => program.structs[id].fields.iter().for_each(|field| of_array(field.span, field.ty)),
            Item::Enum(_) => {}
            Item::Global(id) => of_array(program.globals[id].span, program.globals[id].ty),
            Item::Function(id) => {
                let function = &program.functions[id];
                items.extend(program.number_names(function, &function.code).into_iter().filter_map(NumberName::item));
            }
        }
    }

    /// Gives the declarations that have to stand before one. A struct that holds an address of another one may stand before it; who uses
    /// such a struct stands behind both.
    pub fn declared_before(&self) -> impl Fn(Item) -> Vec<Item> + '_ {
        let holds_address =
            |ty: TypeId| matches!(self.program.types.get(self.program.types.innermost(ty)), Type::Pointer(..));
        let addresses = self.program.structs.iter().any(|(_, s)| s.fields.iter().any(|f| holds_address(f.ty)));
        let is_struct = |item: &Item| matches!(item, Item::Struct(_));
        move |item| {
            let mut items = Vec::new();
            match item {
                Item::Struct(id) if addresses => {
                    let fields = self.program.structs[id].fields.iter();
                    fields.for_each(|f| held_items(self.program, f.ty, false, &mut items));
                    self.named_numbers(item, &mut items);
                }
                _ => items.extend(self.item_uses(item)),
            }
            if addresses && !is_struct(&item) {
                let used: Vec<Item> = items.iter().copied().filter(is_struct).collect();
                let held = reached(used, &|item| self.item_uses(item).into_iter().filter(is_struct).collect());
                items.extend(held);
            }
            items
        }
    }

    fn global(&self, id: GlobalId, items: &mut Vec<Item>) {
        type_items(self.program, self.program.globals[id].ty, items);
        mentioned(self.program, self.initializer(id), items);
    }

    fn function(&self, id: FunctionId, items: &mut Vec<Item>) {
        let function = &self.program.functions[id];
        type_items(self.program, function.result, items);
        function.params.iter().for_each(|p| type_items(self.program, function.code.locals[p.local].ty, items));
        let defaults = function.params.iter().filter_map(|param| param.default.as_ref());
        defaults.for_each(|tree| mentioned(self.program, &Uses::of_tree(tree), items));
        mentioned(self.program, self.uses(id), items);
    }
}

fn mentioned(program: &Program, uses: &Uses, items: &mut Vec<Item>) {
    uses.types.iter().for_each(|t| type_items(program, *t, items));
    items.extend(uses.globals.iter().map(|g| Item::Global(*g)));
    items.extend(uses.functions.iter().map(|f| Item::Function(*f)));
}

fn type_items(program: &Program, ty: TypeId, items: &mut Vec<Item>) {
    held_items(program, ty, true, items);
}

/// The declarations in a type, with those that it has addresses of or without.
fn held_items(program: &Program, ty: TypeId, addressed: bool, items: &mut Vec<Item>) {
    match program.types.get(ty) {
        Type::Struct(id) => items.push(Item::Struct(id)),
        Type::Enum(id) => items.push(Item::Enum(id)),
        Type::Pointer(..) if !addressed => {}
        other => {
            if let Type::Array(_, Length::Constant(size)) = other {
                items.push(Item::Global(size.global));
            }
            if let Some(element) = other.element() {
                held_items(program, element, addressed, items);
            }
        }
    }
}

/// All that is reached from `roots` by `uses`, these included.
pub fn reached(roots: impl IntoIterator<Item = Item>, uses: &dyn Fn(Item) -> Vec<Item>) -> Vec<Item> {
    let mut todo: Vec<Item> = roots.into_iter().collect();
    let mut found = Vec::new();
    let mut seen: FxHashSet<Item> = FxHashSet::default();
    while let Some(item) = todo.pop() {
        if seen.insert(item) {
            found.push(item);
            todo.extend(uses(item));
        }
    }
    found
}

/// The items in their order, but each after what it uses; of that, what `wanted` answers with false is left out.
pub fn in_order_of_use(
    items: impl IntoIterator<Item = Item>,
    uses: &dyn Fn(Item) -> Vec<Item>,
    wanted: &dyn Fn(Item) -> bool,
) -> Vec<Item> {
    let mut order = Vec::new();
    let mut seen: FxHashSet<Item> = FxHashSet::default();
    // Not recursive: chains of calls may be long.
    let mut stack: Vec<(Item, bool)> = Vec::new();
    for root in items {
        stack.push((root, false));
        while let Some((item, done)) = stack.pop() {
            if done {
                order.push(item);
            } else if wanted(item) && seen.insert(item) {
                stack.push((item, true));
                stack.extend(uses(item).into_iter().rev().filter(|u| !seen.contains(u)).map(|u| (u, false)));
            }
        }
    }
    order
}
