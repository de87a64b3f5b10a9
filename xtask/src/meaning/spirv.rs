//! SPIR-V of newer compilers for validators and drivers that are older.

use std::collections::HashMap;

const HEADER: usize = 5;
const BOUND: usize = 3;
const OP_UNDEF: u32 = 1;
const OP_SOURCE: u32 = 3;
const OP_TYPE_ARRAY: u32 = 28;
const OP_TYPE_STRUCT: u32 = 30;
const OP_CONSTANT: u32 = 43;
const OP_CONSTANT_COMPOSITE: u32 = 44;
const OP_CONSTANT_NULL: u32 = 46;
const OP_FUNCTION_PARAMETER: u32 = 55;
const OP_FUNCTION_CALL: u32 = 57;
const OP_LOAD: u32 = 61;
const OP_COMPOSITE_CONSTRUCT: u32 = 80;
const OP_COMPOSITE_EXTRACT: u32 = 81;
const OP_SELECT: u32 = 169;
const OP_PHI: u32 = 245;
const OP_COPY_LOGICAL: u32 = 400;

/// The same module with `OpSource` naming no language, since validators know fewer than there are, and with `OpCopyLogical` spelled
/// out by members, since old drivers refuse it.
pub fn for_old_tools(bytes: &[u8]) -> Vec<u8> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let Some(header) = words.get(..HEADER) else { return bytes.to_vec() };
    let mut module = Module { next: header[BOUND], ..Module::default() };
    let mut out = header.to_vec();
    let mut at = HEADER;
    while let Some(first) = words.get(at).filter(|first| **first >> 16 > 0) {
        let length = (first >> 16) as usize;
        let Some(instruction) = words.get(at..at + length) else { break };
        module.note(first & 0xffff, instruction);
        match (first & 0xffff, instruction) {
            (OP_SOURCE, [head, _, rest @ ..]) => {
                out.extend([*head, 0]);
                out.extend(rest);
            }
            (OP_COPY_LOGICAL, [_, to, result, from]) => module.copy(*to, *from, Some(*result), &mut out),
            _ => out.extend(instruction),
        }
        at += length;
    }
    out[BOUND] = module.next;
    out.iter().flat_map(|w| w.to_le_bytes()).collect()
}

#[derive(Default)]
struct Module {
    next: u32,
    structs: HashMap<u32, Vec<u32>>,
    /// Element and the constant that is the length.
    arrays: HashMap<u32, (u32, u32)>,
    constants: HashMap<u32, u32>,
    /// Types of values that may be copied.
    types: HashMap<u32, u32>,
}

impl Module {
    fn note(&mut self, opcode: u32, instruction: &[u32]) {
        match (opcode, instruction) {
            (OP_TYPE_STRUCT, [_, id, members @ ..]) => {
                self.structs.insert(*id, members.to_vec());
            }
            (OP_TYPE_ARRAY, [_, id, element, length]) => {
                self.arrays.insert(*id, (*element, *length));
            }
            (
                OP_UNDEF
                | OP_CONSTANT_COMPOSITE
                | OP_CONSTANT_NULL
                | OP_FUNCTION_PARAMETER
                | OP_FUNCTION_CALL
                | OP_LOAD
                | OP_COMPOSITE_CONSTRUCT
                | OP_COMPOSITE_EXTRACT
                | OP_SELECT
                | OP_PHI
                | OP_COPY_LOGICAL,
                [_, ty, id, ..],
            ) => {
                self.types.insert(*id, *ty);
            }
            (OP_CONSTANT, [_, _, id, value, ..]) => {
                self.constants.insert(*id, *value);
            }
            _ => {}
        }
    }

    /// The types of the parts of an aggregate.
    fn parts(&self, ty: u32) -> Vec<u32> {
        if let Some((element, length)) = self.arrays.get(&ty) {
            let count = self.constants.get(length).copied().unwrap_or(0);
            return (0..count).map(|_| *element).collect();
        }
        self.structs.get(&ty).cloned().unwrap_or_default()
    }

    /// Makes a value of the type `to` of one of a type that is the same but for its layout.
    fn copy(&mut self, to: u32, from: u32, result: Option<u32>, out: &mut Vec<u32>) {
        let source = self.types.get(&from).copied().unwrap_or(to);
        let result = result.unwrap_or_else(|| self.fresh());
        let mut made = Vec::new();
        for (index, (part, target)) in self.parts(source).into_iter().zip(self.parts(to)).enumerate() {
            let mut id = self.fresh();
            out.extend([5 << 16 | OP_COMPOSITE_EXTRACT, part, id, from, index as u32]);
            self.types.insert(id, part);
            if part != target {
                let whole = self.fresh();
                self.copy(target, id, Some(whole), out);
                id = whole;
            }
            made.push(id);
        }
        out.push((3 + made.len() as u32) << 16 | OP_COMPOSITE_CONSTRUCT);
        out.extend([to, result]);
        out.extend(made);
        self.types.insert(result, to);
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }
}
