//! What the leaves of the source are in the emitted texts: found by the origins of declarations, whatever they are called.

use crate::emit;
use crate::layout::Leaves;
use crate::target::Profile;
use crate::tree::{Binding, Global, GlobalId, GlobalKind, LeafId, Modifiers, Origin, Program, Step, Type};
use std::collections::{BTreeMap, BTreeSet};

/// A parameter in a text.
#[derive(Clone, Copy)]
pub(super) struct Emitted {
    pub name: &'static str,
    /// The block around it, if that has a name of its own.
    pub block: Option<&'static str>,
}

/// An element of an array that is a parameter of its own in a text.
pub(super) struct Element {
    pub index: u32,
    pub binding: Binding,
    pub name: &'static str,
}

/// A texture with one of the samplers that it is read through.
pub(super) struct Pair {
    /// The sampler, with its element if it is one of an array.
    pub sampler: Option<(LeafId, Option<u32>)>,
    pub binding: Option<Binding>,
    pub name: &'static str,
}

/// What all leaves are.
#[derive(Default)]
pub(super) struct Texts {
    /// By leaf; the number of an input attachment is that of its subpass input.
    pub names: BTreeMap<LeafId, Emitted>,
    /// The elements of a leaf that have names of their own.
    pub elements: BTreeMap<LeafId, Vec<Element>>,
    /// What plain data is called, below its buffer.
    pub data: BTreeMap<LeafId, String>,
    /// The combined textures that a texture is in the text.
    pub pairs: BTreeMap<LeafId, Vec<Pair>>,
    /// The textures that have depths in the text.
    pub depths: BTreeSet<LeafId>,
    /// How the text declares storage textures to be accessed.
    pub accesses: BTreeMap<LeafId, &'static str>,
}

/// What a declaration says of the access to a storage texture.
const ACCESSES: [(Modifiers, &str); 3] =
    [(Modifiers::ATOMIC_ACCESS, "atomic"), (Modifiers::READONLY, "read"), (Modifiers::WRITEONLY, "write")];

impl Texts {
    /// Of the legalized program of the texts.
    pub(super) fn of(emitted: Option<&Program>, profile: &Profile, leaves: &Leaves) -> Texts {
        let mut texts = Texts::default();
        if let Some(program) = emitted {
            let blocks: BTreeMap<GlobalId, _> = emit::blocks(program, profile).into_iter().collect();
            for id in program.listed_globals() {
                let global = &program.globals[id];
                if matches!(global.kind, GlobalKind::Parameter | GlobalKind::Specialization) {
                    let block = blocks.get(&id).map(|name| name.as_str());
                    texts.add(program, global, block, leaves);
                }
            }
        }
        texts
    }

    fn add(&mut self, program: &Program, global: &Global, block: Option<&'static str>, leaves: &Leaves) {
        let name = global.name.as_str();
        let texture = match global.origin {
            Origin::Element(leaf, _) => Some(leaf),
            origin => leaves.leaf_of(origin),
        };
        if let (Some(leaf), Type::Texture(t)) = (texture, program.types.get(program.types.innermost(global.ty))) {
            self.depths.extend(t.depth.then_some(leaf));
            let access = ACCESSES.iter().find(|(modifier, _)| global.modifiers.has(*modifier));
            self.accesses.extend(access.map(|(_, word)| (leaf, *word)));
        }
        if let Some(pair) = global.pair {
            let part = |origin: Origin| match origin {
                Origin::Element(leaf, index) => Some((leaf, Some(index))),
                _ => Some((leaves.leaf_of(origin)?, None)),
            };
            if let Some((texture, _)) = part(global.origin) {
                let sampler = pair.sampler.and_then(part);
                self.pairs.entry(texture).or_default().push(Pair { sampler, binding: global.binding, name });
            }
            if !pair.first {
                return;
            }
        }
        if let (Origin::Element(leaf, index), Some(binding)) = (global.origin, global.binding) {
            let elements = self.elements.entry(leaf).or_default();
            if elements.iter().all(|e| e.index != index) {
                elements.push(Element { index, binding, name });
            }
        }
        let Some(id) = leaves.leaf_of(global.origin) else { return };
        self.names.entry(id).or_insert(Emitted { name, block });
        let buffer = leaves.leaf(id);
        for stored in &global.stored {
            let (parameter, path) = match stored.parameter {
                Some(parameter) => (parameter, stored.path.clone()),
                None => (buffer.parameter, [buffer.path.as_slice(), &stored.path].concat()),
            };
            let contents = emit::contents(program, global).filter(|_| stored.steps.is_empty() && stored.word.is_none());
            let name = contents.map(str::to_owned).or_else(|| stored_name(program, global, &stored.steps, stored.word));
            if let (Some(id), Some(name)) = (leaves.data(parameter, path), name) {
                self.data.entry(id).or_insert(name);
            }
        }
    }
}

/// What lies at the end of some steps from the contents of a buffer.
fn stored_name(program: &Program, global: &Global, steps: &[Step], word: Option<u64>) -> Option<String> {
    let types = &program.types;
    let mut ty = types.get(types.innermost(global.ty)).element()?;
    let mut name = String::new();
    for step in steps {
        match (*step, types.get(ty)) {
            (Step::Field(i), Type::Struct(id)) => {
                let field = program.structs[id].fields.get(i as usize)?;
                name = super::leaves::join(&name, field.name.as_str());
                ty = field.ty;
            }
            (Step::Element(n), _) => {
                name.push_str(&format!("[{n}]"));
                ty = types.get(ty).element().unwrap_or(ty);
            }
            _ => return None,
        }
    }
    if let Some(byte) = word {
        let component = "xyzw".get((byte / 4 % 4) as usize..)?.chars().next()?;
        match types.get(ty).element().map(|row| types.get(row)) {
            Some(Type::Scalar(_)) => name.push_str(&format!("[{}]", byte / 4)),
            _ => name.push_str(&format!("[{}].{component}", byte / 16)),
        }
        if byte % 4 > 0 {
            name.push_str(&format!(" >> {}", byte % 4 * 8));
        }
    }
    Some(name)
}
