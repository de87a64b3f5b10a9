//! What an entry point needs of a program: the declarations that it uses, directly or through others.

use super::analyses::{Analyses, items};
use super::{EntryPoint, GlobalId, GlobalKind, Item, Program, StructId};
use rustc_hash::FxHashMap;

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

    /// The listed specialization constants.
    pub fn specialization_constants(&self) -> impl Iterator<Item = Item> + '_ {
        self.items.iter().copied().filter(|item| match *item {
            Item::Global(id) => self.globals[id].kind == GlobalKind::Specialization,
            _ => false,
        })
    }
}
