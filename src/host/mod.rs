//! Host code: what an application in C++ or Rust needs of a program, from its sidecar alone.
//!
//! `model::Host` is the same for all languages; `cpp` and `rust` print it.

mod cpp;
mod cpp_tables;
mod interface;
mod model;
mod names;
mod resources;
mod rust;
mod rust_data;
mod rust_wgpu;
mod samplers;
mod structs;

use crate::layout::Unit;
use crate::reflect::model::{BufferMemory, Count, Reflection, TypeNode, Variable};
use interface::Found;
use model::{Buffer, Host};
use names::{Names, Words};
use std::collections::BTreeMap;
use structs::{Structs, byte_offset, number};

pub use cpp::{CppOptions, CppTables, header};
pub use rust::{HostProgram, HostText, RustBindings, RustOptions, module};

impl Host {
    /// Of a sidecar, with names that a language allows.
    fn of(reflection: &Reflection, words: &Words) -> Host {
        let found = interface::found(reflection);
        let nothing = BufferMemory::default();
        let mut structs = Structs::new(words, &reflection.types, &found, &nothing);
        let mut names = Names::new(words, &[]);
        let mut buffers = Vec::new();
        // What ends in an array without a size has no type in host code.
        for memory in reflection.memory.iter().filter(|memory| matches!(memory.size, Count::Number(_))) {
            let Some((data, size)) = contents(reflection, memory, &found, &mut structs) else { continue };
            let name = names.name(&memory.parameter);
            let note = memory.ty.clone();
            let (path, stride) = (memory.parameter.clone(), memory.element_stride);
            buffers.push(Buffer { name, path, note, data, size, stride });
        }
        let structs = structs.list;
        let slots = interface::slots(reflection, words, (&found, &buffers));
        let push_constants = interface::push_constants(reflection, words, &buffers);
        let entries = interface::entries(reflection, words);
        let constants = interface::constants(reflection, words, &found);
        let defaults = interface::defaults(reflection, words, &found);
        let samplers = samplers::samplers(reflection, &slots);
        let root_constants = samplers::root_constants(reflection, &slots);
        Host { structs, buffers, slots, push_constants, entries, constants, defaults, samplers, root_constants }
    }
}

/// The data of a buffer with its size; nothing for what has no size.
fn contents<'a>(
    reflection: &'a Reflection,
    memory: &'a BufferMemory,
    found: &BTreeMap<String, Found<'a>>,
    structs: &mut Structs<'a>,
) -> Option<(model::Data, u64)> {
    if let Some(fields) = scope(reflection, &memory.parameter) {
        // A buffer of constants is bound in vectors of 16 bytes; a range of push constants is not.
        let slot = reflection.leaves.iter().find(|leaf| leaf.path == memory.parameter)?;
        let unit = if slot.kind == Unit::PushConstant.word() { 4 } else { 16 };
        let size = crate::layout::rules::round_up(number(Some(memory.size))?, unit);
        return Some(structs.scope(memory, &fields, size));
    }
    structs.contents(memory, found.get(&memory.parameter)?.contents()?, memory.element_stride)
}

/// The plain parameters in the buffer of a scope, if the path is that of one.
fn scope(reflection: &Reflection, path: &str) -> Option<Vec<Variable>> {
    let hidden = reflection.leaves.iter().find(|leaf| leaf.path == path && leaf.buffer.is_none())?.hidden.as_deref()?;
    let parameters: &[Variable] = match hidden {
        "globals" => &reflection.parameters,
        "entryPointParameters" => {
            let of = |name: &str| path.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
            &reflection.entry_points.iter().find(|entry| of(&entry.name))?.parameters
        }
        _ => return None,
    };
    Some(parameters.iter().filter(|p| byte_offset(p).is_some()).cloned().collect())
}

/// What a buffer holds, or an element of it.
fn held(ty: &TypeNode) -> Option<&TypeNode> {
    ty.element_var_layout.as_deref().and_then(|v| v.ty.as_deref()).or(ty.result_type.as_deref())
}
