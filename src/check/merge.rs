//! Several units of one program: what they declare alike, mostly by including one file, is one thing.
//!
//! Shader parameters of one name are one parameter (rule `layout-order`); if their types or explicit positions differ, that is an
//! error that shows both (unless the caller wants them apart). Structs, constants and functions are merged where they are the same in all parts.

use super::Checker;
use super::scope::DeclId;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Body, ExprArena, ExprId, ExprKind, Field, FunctionBody, FunctionId, Global, GlobalId, GlobalKind, Id, Item,
    Modifiers, NumberName, StructId, Type, TypeId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

impl Checker<'_> {
    /// Merges what several units declare alike.
    pub(super) fn merge_units(&mut self) {
        if self.sources.iter().filter(|s| !s.module && !s.builtin).count() < 2 {
            return;
        }
        self.merge_structs();
        self.merge_globals();
        self.merge_functions();
    }

    fn merge_structs(&mut self) {
        let ids: Vec<StructId> = self.program.structs.ids().collect();
        let mut map: FxHashMap<StructId, StructId> = FxHashMap::default();
        let mut by_name: FxHashMap<Symbol, Vec<StructId>> = FxHashMap::default();
        for id in ids {
            let earlier = by_name.entry(self.program.structs[id].name).or_default();
            match earlier.iter().find(|e| self.same_struct(**e, id)) {
                Some(earlier) => drop(map.insert(id, *earlier)),
                None => earlier.push(id),
            }
        }
        if !map.is_empty() {
            self.replace_structs(&map);
        }
    }

    /// Whether two structs of different units are declared alike.
    fn same_struct(&self, a: StructId, b: StructId) -> bool {
        let unit = |id: StructId| self.struct_decl(id).map(|d| self.source_of(d).unit);
        let (x, y) = (&self.program.structs[a], &self.program.structs[b]);
        x.name == y.name && !x.name.is_empty() && unit(a) != unit(b) && self.same_fields(a, b)
    }

    fn same_fields(&self, a: StructId, b: StructId) -> bool {
        let (x, y) = (&self.program.structs[a].fields, &self.program.structs[b].fields);
        let are_same = |(f, g): (&Field, &Field)| {
            f.name == g.name
                && f.semantic.map(|s| s.text) == g.semantic.map(|s| s.text)
                && f.modifiers == g.modifiers
                && f.matrix_order == g.matrix_order
                && f.bits == g.bits
                && f.explicit.packoffset.map(|p| p.0) == g.explicit.packoffset.map(|p| p.0)
                && self.same_shape(f.ty, g.ty, 0)
        };
        x.len() == y.len() && x.iter().zip(y).all(are_same)
    }

    /// Notes which structs of the type of a parameter are those of its other declaration: structs without names are alike there alone.
    fn pair_structs(&self, kept: TypeId, other: TypeId, pairs: &mut FxHashMap<StructId, StructId>) {
        match (self.program.types.get(kept), self.program.types.get(other)) {
            (Type::Struct(x), Type::Struct(y)) => {
                let names = [x, y].map(|id| self.program.structs[id].name);
                if x == y || names[0] != names[1] || !self.same_fields(x, y) || pairs.insert(y, x).is_some() {
                    return;
                }
                let fields = |id: StructId| self.program.structs[id].fields.iter().map(|f| f.ty);
                fields(x).zip(fields(y)).for_each(|(f, g)| self.pair_structs(f, g, pairs));
            }
            (x, y) => {
                if let (Some(x), Some(y)) = (x.element(), y.element()) {
                    self.pair_structs(x, y, pairs);
                }
            }
        }
    }

    /// Puts structs in the places of others.
    fn replace_structs(&mut self, map: &FxHashMap<StructId, StructId>) {
        self.program.map_types(&mut |types, ty| match types.get(ty) {
            Type::Struct(id) => map.get(&id).map_or(ty, |to| types.intern(Type::Struct(*to))),
            _ => ty,
        });
    }

    fn merge_globals(&mut self) {
        let ids: Vec<GlobalId> = self.program.globals.ids().collect();
        let mut map: BTreeMap<GlobalId, GlobalId> = BTreeMap::new();
        let mut by_name: FxHashMap<Symbol, Vec<GlobalId>> = FxHashMap::default();
        for id in ids {
            let known = by_name.entry(self.program.globals[id].name).or_default();
            let earlier = known.iter().copied().find(|e| self.meets_global(*e, id));
            let placed = matches!(self.program.globals[id].kind, GlobalKind::Parameter | GlobalKind::Specialization);
            match earlier {
                Some(earlier) if !placed || self.check_same(earlier, id) => drop(map.insert(id, earlier)),
                _ => known.push(id),
            }
        }
        if map.is_empty() {
            return;
        }
        let mut structs = FxHashMap::default();
        for (&other, &kept) in &map {
            let ty = |id: GlobalId| self.program.globals[id].ty;
            self.pair_structs(ty(kept), ty(other), &mut structs);
        }
        if !structs.is_empty() {
            self.replace_structs(&structs);
        }
        self.program.parameters.retain(|p| !map.contains_key(p));
        for constant in self.program.entry_points.iter_mut().flat_map(|e| e.workgroup_constants.iter_mut().flatten()) {
            *constant = map.get(constant).copied().unwrap_or(*constant);
        }
        let to = |g: &mut GlobalId| *g = map.get(g).copied().unwrap_or(*g);
        let to_name = |(_, name): &mut (Span, NumberName)| match name {
            NumberName::Constant(g) => to(g),
            NumberName::Case(..) | NumberName::Local(..) => {}
        };
        self.number_names.iter_mut().for_each(to_name);
        for (_, function) in self.program.functions.iter_mut() {
            function.bodies_mut(&mut |body| body.named.iter_mut().for_each(to_name));
        }
        self.program.each_arena_mut(&mut |exprs| {
            for (_, e) in exprs.iter_mut() {
                if let ExprKind::Global(g) = &mut e.kind {
                    to(g);
                }
            }
        });
    }

    /// Whether two globals of different units must be one: parameters by name, others if they are alike.
    fn meets_global(&self, a: GlobalId, b: GlobalId) -> bool {
        let (x, y) = (&self.program.globals[a], &self.program.globals[b]);
        let modules =
            |id| self.global_decl(id).is_some_and(|d: DeclId| self.source_of(d).module || self.source_of(d).builtin);
        if x.name != y.name || x.name.is_empty() || x.unit == y.unit || x.kind != y.kind || modules(a) || modules(b) {
            return false;
        }
        match x.kind {
            GlobalKind::Parameter | GlobalKind::Specialization => !self.options.separate_units,
            _ => x.ty == y.ty && default_text(x) == default_text(y),
        }
    }

    /// Reports parameters of one name that disagree.
    fn check_same(&mut self, a: GlobalId, b: GlobalId) -> bool {
        let (x, y) = (&self.program.globals[a], &self.program.globals[b]);
        let (name, first, second) = (x.name, x.span, y.span);
        let Some(what) = self.difference(x, y) else {
            // A position that only the second gives holds for both.
            let explicit = y.explicit.clone();
            let to = &mut self.program.globals[a].explicit;
            if to.registers.is_empty() {
                to.registers = explicit.registers;
            }
            to.vk_binding = to.vk_binding.or(explicit.vk_binding);
            to.constant_id = to.constant_id.max(explicit.constant_id);
            to.input_attachment_index = to.input_attachment_index.or(explicit.input_attachment_index);
            return true;
        };
        let message = format!("the parameter `{name}` is declared with different {what} in two files of the program");
        self.diags
            .push(Diagnostic::error(Code::DECLARATION_CONFLICT, second, message).label(first, "the other declaration"));
        false
    }

    /// In what two declarations of one parameter differ.
    fn difference(&self, x: &Global, y: &Global) -> Option<&'static str> {
        fn clash<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
            a.is_some() && b.is_some() && a != b
        }
        let registers = |g: &Global| {
            let list: Vec<_> = g.explicit.registers.iter().map(|r| (r.class, r.index, r.space)).collect();
            Some(list).filter(|l| !l.is_empty())
        };
        let (e, f) = (&x.explicit, &y.explicit);
        let places = clash(registers(x), registers(y))
            || clash(e.vk_binding.map(|b| (b.0, b.1)), f.vk_binding.map(|b| (b.0, b.1)))
            || clash(e.constant_id.flatten(), f.constant_id.flatten())
            || clash(e.input_attachment_index, f.input_attachment_index);
        let order = |g: &Global| g.matrix_order.unwrap_or(self.program.default_matrix_order);
        let table = [
            ("types", x.transparent != y.transparent || !self.same_shape(x.ty, y.ty, 0)),
            ("explicit positions", places),
            ("storage orders of matrices", order(x) != order(y)),
            (
                "uses as push constants",
                x.modifiers.has(Modifiers::PUSH_CONSTANT) != y.modifiers.has(Modifiers::PUSH_CONSTANT),
            ),
            ("default values", default_text(x) != default_text(y)),
        ];
        table.into_iter().find(|(_, differs)| *differs).map(|(what, _)| what)
    }

    /// Merges functions callees first, so that bodies that call merged functions become equal.
    fn merge_functions(&mut self) {
        for _ in 0..64 {
            let ids: Vec<FunctionId> = self.program.functions.ids().collect();
            let mut seen: FxHashMap<String, FunctionId> = FxHashMap::default();
            let mut map: FxHashMap<FunctionId, FunctionId> = FxHashMap::default();
            for id in ids {
                if self.merged_functions.contains(&id) || self.program.entry_point_of(id).is_some() {
                    continue;
                }
                let Some(text) = self.fingerprint(id) else { continue };
                match seen.get(&text) {
                    Some(first) => {
                        map.insert(id, *first);
                        self.merged_functions.insert(id);
                    }
                    None => {
                        seen.insert(text, id);
                    }
                }
            }
            if map.is_empty() {
                return;
            }
            let to = |f: &mut FunctionId| *f = map.get(f).copied().unwrap_or(*f);
            self.program.entry_points.iter_mut().filter_map(|e| e.patch_constant.as_mut()).for_each(to);
            self.program.each_arena_mut(&mut |exprs| {
                for (_, e) in exprs.iter_mut() {
                    match &mut e.kind {
                        ExprKind::Call(f, _) => to(f),
                        ExprKind::Property(p) => {
                            [&mut p.get, &mut p.set, &mut p.reference].into_iter().flatten().for_each(to);
                        }
                        _ => {}
                    }
                }
            });
        }
    }

    /// All that makes a function what it is, without places. Builtin functions are one already.
    fn fingerprint(&self, id: FunctionId) -> Option<String> {
        let f = &self.program.functions[id];
        if f.builtin || !matches!(f.body, FunctionBody::Block) {
            return None;
        }
        let modes: Vec<_> = f.params.iter().map(|p| p.mode).collect();
        let head = format!("{:?} {:?} {:?} {modes:?} {:?} ", f.name, f.owner, f.instance, f.result);
        Some(head + &body_text(&f.code))
    }

    /// Whether an item was merged into another one.
    pub(super) fn is_merged(&self, item: Item) -> bool {
        matches!(item, Item::Function(f) if self.merged_functions.contains(&f))
    }
}

/// The value that a global begins with, as text.
fn default_text(g: &Global) -> Option<String> {
    g.init.as_ref().map(|t| fingerprint_exprs(&t.exprs, &t.exprs.post_order(t.root)))
}

/// Expressions as text; children are named by their place in the list.
fn fingerprint_exprs(exprs: &ExprArena, list: &[ExprId]) -> String {
    let place: FxHashMap<ExprId, usize> = list.iter().enumerate().map(|(i, id)| (*id, i)).collect();
    let mut text = String::new();
    for &id in list {
        let mut kind = exprs[id].kind.clone();
        kind.children_mut(&mut |child| {
            *child = ExprId::from_index(place.get(child).copied().unwrap_or(usize::MAX >> 33))
        });
        text.push_str(&format!("{kind:?}:{:?};", exprs[id].ty));
    }
    text
}

/// A body as text, without places.
pub fn body_text(body: &Body) -> String {
    let list = body.expressions();
    let place: FxHashMap<ExprId, usize> = list.iter().enumerate().map(|(i, id)| (*id, i)).collect();
    let locals: Vec<(crate::symbol::Symbol, TypeId)> = body.locals.iter().map(|(_, l)| (l.name, l.ty)).collect();
    let mut block = body.block.clone();
    block.trailing.clear();
    block.visit_mut(&mut |stmt| {
        stmt.span = Default::default();
        stmt.comments.clear();
        stmt.own_exprs_mut(&mut |id| *id = ExprId::from_index(place.get(id).copied().unwrap_or(usize::MAX >> 33)));
    });
    format!("{locals:?} {block:?} {}", fingerprint_exprs(&body.exprs, &list))
}
