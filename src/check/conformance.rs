//! Which members of a type are those by which it conforms to an interface.
//!
//! `extension int : IA { int f() {..} }   extension int : IB { int f() {..} }`: where a value is known by `IB`, its `f` is the one of
//! the second extension. The members of the type itself come next, then what the interface implements.

use super::Checker;
use super::expr::decl_of;
use super::interfaces::InterfaceRef;
use super::scope::{Entity, ScopeId, What};
use crate::symbol::Symbol;
use crate::tree::TypeId;

impl Checker<'_> {
    /// Members of a name, without those by which the type conforms to other interfaces than these.
    pub(super) fn of_conformance(
        &mut self,
        all: Vec<Entity>,
        interfaces: &[InterfaceRef],
        ty: TypeId,
        name: Symbol,
    ) -> Vec<Entity> {
        let mut chosen: Vec<Entity> = Vec::new();
        for interface in interfaces {
            let asked = self.interface_scope(interface.0, &interface.1, ty);
            let required = self.named(asked, name).to_vec();
            if required.is_empty() {
                continue;
            }
            let mut more = self.members_that_conform(&all, interface, ty, name);
            for default in required.into_iter().filter_map(decl_of) {
                let is_new = more.iter().copied().filter_map(decl_of).all(|own| !self.is_same_method(default, own));
                let is_callable =
                    matches!(self.info(default).what, What::Function(_) | What::Property(_) | What::Subscript(_));
                let adds = more.is_empty() || is_callable && is_new;
                if adds && self.is_implemented(Entity::Decl(default)) {
                    more.push(Entity::Decl(default));
                }
            }
            chosen.extend(more.into_iter().filter(|e| !chosen.contains(e)).collect::<Vec<_>>());
        }
        if chosen.is_empty() { all } else { chosen }
    }

    /// The members of the extension that says that the type conforms; where that has none, those that are of no such extension and
    /// of no interface.
    fn members_that_conform(
        &mut self,
        all: &[Entity],
        interface: &InterfaceRef,
        ty: TypeId,
        name: Symbol,
    ) -> Vec<Entity> {
        self.match_extensions(ty);
        let given = self.interfaces.given.get(&ty).cloned().unwrap_or_default();
        let mut by: Option<ScopeId> = None;
        for (added, scope) in &given {
            if added == interface || self.all_inherited(added.0, &added.1, ty).contains(interface) {
                by = by.or(Some(*scope));
            }
        }
        let own = by.map(|scope| self.named(scope, name).to_vec()).unwrap_or_default();
        if !own.is_empty() {
            return own;
        }
        let of_others = |scope: ScopeId| given.iter().any(|(_, of)| *of == scope);
        let kept = all.iter().copied().filter(|entity| match entity {
            Entity::Decl(decl) => !of_others(self.info(*decl).scope) && !self.info(*decl).in_interface,
            _ => true,
        });
        kept.collect()
    }
}
