//! Phase 1: the global order of shader parameters (rule `layout-order`).

use super::Policy;
use crate::tree::{GlobalId, GlobalKind, Program, Type, TypeId};
use std::collections::{BTreeMap, VecDeque};

/// One scope of parameters in allocation order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// A global parameter.
    Global(GlobalId),
    /// The uniform parameters of the entry point at this index.
    Entry(usize),
}

/// All scopes in the order in which they are given positions.
pub fn order(program: &Program, policy: &Policy) -> Vec<Scope> {
    let mut globals = with_constants(program);
    if policy.order.namespaces_last {
        let key = |g: &GlobalId| (program.globals[*g].unit, program.globals[*g].namespace.order);
        globals.sort_by_key(key);
    }
    let mut entries: Vec<usize> = (0..program.entry_points.len()).collect();
    if !policy.order.entries_as_asked {
        entries.sort_by_key(|i| program.entry_points.get(*i).map_or(0, |e| e.unit));
    }
    let mut scopes = Vec::with_capacity(globals.len() + entries.len());
    let mut entries = entries.into_iter().peekable();
    for global in globals {
        let unit = program.globals[global].unit;
        // A unit's entry points follow its globals, before the next unit.
        while !policy.order.entries_last
            && let Some(entry) = entries.next_if(|e| program.entry_points.get(*e).is_some_and(|e| e.unit < unit))
        {
            scopes.push(Scope::Entry(entry));
        }
        scopes.push(Scope::Global(global));
    }
    scopes.extend(entries.map(Scope::Entry));
    scopes
}

/// The parameters with the specialization constants among them, each before what is declared after it in its unit. Their
/// numbers are a space of their own.
fn with_constants(program: &Program) -> Vec<GlobalId> {
    let constants = program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Specialization);
    let mut waiting: BTreeMap<u32, VecDeque<GlobalId>> = BTreeMap::new();
    constants.for_each(|(id, g)| waiting.entry(g.unit).or_default().push_back(id));
    let mut list = Vec::with_capacity(program.parameters.len());
    let mut unit = None;
    for id in program.parameters.iter().filter(|id| program.globals[**id].is_declared()) {
        let here = program.globals[*id].unit;
        let ended = unit.replace(here).filter(|u| *u != here).and_then(|u| waiting.remove(&u));
        list.extend(ended.into_iter().flatten());
        if let Some(constants) = waiting.get_mut(&here) {
            while let Some(constant) = constants.front().copied().filter(|c| *c < *id) {
                constants.pop_front();
                list.push(constant);
            }
        }
        list.push(*id);
    }
    list.extend(waiting.into_values().flatten());
    list
}

/// Brings scopes into the order in which DXC gives registers.
pub fn sort_by_class(program: &Program, scopes: &mut [Scope]) {
    scopes.sort_by_key(|scope| match scope {
        Scope::Global(g) => rank(program, program.globals[*g].ty),
        Scope::Entry(_) => u8::MAX,
    });
}

/// DXC's order of what takes registers: declared by itself, in structs, in constant buffers, texture buffers (rule `layout-register-classes`).
fn rank(program: &Program, ty: TypeId) -> u8 {
    match program.types.get(program.types.innermost(ty)) {
        Type::Struct(_) => 1,
        Type::ConstantBuffer(_, _) | Type::ParameterBlock(_) => 2,
        Type::TextureBuffer(_) => 3,
        _ => 0,
    }
}
