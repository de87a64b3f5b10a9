//! What an entry point needs of a program: the declarations that it uses, directly or through others.

use super::analyses::{Analyses, items};
use super::{EntryPoint, ExprKind, GlobalId, GlobalKind, Item, Program, StructId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The slices of a program that does not change meanwhile, one an entry point.
pub struct Slices<'a> {
    analyses: Analyses<'a>,
    /// The position of each declaration that is listed.
    order: FxHashMap<Item, usize>,
    /// Specialization constants: an interface of every entry point, used or not.
    constants: Vec<Item>,
}

impl<'a> Slices<'a> {
    /// Looks at no body yet.
    pub fn new(program: &'a Program) -> Slices<'a> {
        Slices {
            analyses: program.analyses(),
            order: program.items.iter().copied().zip(0..).collect(),
            constants: program.specialization_constants().collect(),
        }
    }

    /// The declarations that an entry point needs, in the order of the program's.
    pub fn of(&self, entry: &EntryPoint) -> Vec<Item> {
        let interface = entry.globals().map(Item::Global);
        let roots = entry.roots().map(Item::Function).chain(interface).chain(self.constants.iter().copied());
        let reached = items::reached(roots, &|item| self.analyses.item_uses(item)).into_iter();
        let mut listed: Vec<(usize, Item)> = reached.filter_map(|i| Some((*self.order.get(&i)?, i))).collect();
        listed.sort_unstable_by_key(|(at, _)| *at);
        listed.into_iter().map(|(_, item)| item).collect()
    }
}

impl Program {
    /// The listed globals.
    pub fn listed_globals(&self) -> impl Iterator<Item = GlobalId> + '_ {
        self.items.iter().filter_map(|item| if let Item::Global(id) = item { Some(*id) } else { None })
    }

    /// The listed structs.
    pub fn listed_structs(&self) -> impl Iterator<Item = StructId> + '_ {
        self.items.iter().filter_map(|item| if let Item::Struct(id) = item { Some(*id) } else { None })
    }

    /// The specialization constants that a global is, or that a constant is made of.
    pub fn specialization_of(&self, global: GlobalId) -> BTreeSet<GlobalId> {
        let (mut open, mut seen, mut found) = (vec![global], BTreeSet::new(), BTreeSet::new());
        while let Some(id) = open.pop() {
            let global = &self.globals[id];
            if global.kind == GlobalKind::Specialization {
                found.insert(id);
            } else if global.kind == GlobalKind::Const
                && seen.insert(id)
                && let Some(tree) = &global.init
            {
                open.extend(tree.exprs.post_order(tree.root).into_iter().filter_map(|e| match tree.exprs[e].kind {
                    ExprKind::Global(id) => Some(id),
                    _ => None,
                }));
            }
        }
        found
    }

    /// The listed specialization constants.
    pub fn specialization_constants(&self) -> impl Iterator<Item = Item> + '_ {
        self.items.iter().copied().filter(|item| match *item {
            Item::Global(id) => self.globals[id].kind == GlobalKind::Specialization,
            _ => false,
        })
    }
}
