//! Root signatures: what they say, and of which parameters of the program. Targets without them have other positions for these.

use super::model::{RootItem, RootSignature};
use crate::check::root_signature::{self, parse};
use crate::tree::{AttributeArg, Function, GlobalId, Program};

/// The root signature of an entry point.
pub(super) fn root_signature(program: &Program, function: &Function) -> Option<RootSignature> {
    let Some(AttributeArg::Text(text)) = function.attribute("rootsignature")?.args.first() else { return None };
    let signature = parse(text.as_str()).ok()?;
    Some(RootSignature {
        text: text.to_string(),
        flags: signature.flags,
        items: signature.items.iter().map(|item| root_item(program, item)).collect(),
    })
}

fn root_item(program: &Program, item: &root_signature::RootItem) -> RootItem {
    let is_its = |id: &&GlobalId| has_register(program, **id, item);
    RootItem {
        kind: item.kind.to_owned(),
        register: item.class.map(|class| format!("{class}{}", item.register)),
        values: item.values.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        parameters: program.parameters.iter().filter(is_its).map(|id| program.globals[*id].name.to_string()).collect(),
        ranges: item.ranges.iter().map(|range| root_item(program, range)).collect(),
    }
}

/// Whether the source gives a parameter a register that an item has.
fn has_register(program: &Program, id: GlobalId, item: &root_signature::RootItem) -> bool {
    let registers = &program.globals[id].explicit.registers;
    registers.iter().any(|r| r.class.is_some_and(|class| item.has(class, r.index, r.space.unwrap_or(0))))
}
