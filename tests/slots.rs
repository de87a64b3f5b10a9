//! Registers, bindings, locations and constant ids of emitted texts, as tools that are not ours read them, beside what the
//! sidecar says. Also a module of xtask.

use super::measured::Comparison;
use shaderport::reflection::Reflection;
use shaderport::reflection::{Count, Leaf};
use std::collections::{BTreeMap, BTreeSet};

/// Where a resource is: register class (D3D), number, space, and how many numbers it takes, if the tool tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    pub class: Option<char>,
    pub index: u64,
    pub space: u64,
    /// `u64::MAX` is without bound.
    pub count: Option<u64>,
}

/// What a tool found in the text of an entry point.
#[derive(Default, Debug)]
pub struct Slots {
    /// Resources by name.
    pub resources: BTreeMap<String, Slot>,
    /// Locations of stage inputs and outputs.
    pub inputs: BTreeSet<u64>,
    pub outputs: BTreeSet<u64>,
    /// Semantics of stage inputs and outputs, where the tool tells these.
    pub semantics: BTreeSet<String>,
    /// Specialization constants by name.
    pub constants: BTreeMap<String, u64>,
    /// Input attachments by name.
    pub attachments: BTreeMap<String, u64>,
}

/// Compares what a tool found in a text with the sidecar of its program, for one entry point.
pub fn compare(reflection: &Reflection, entry: &str, found: &Slots, to: &mut Comparison) {
    for (name, slot) in &found.resources {
        to.rows += 1;
        if let Err(reason) = compare_slot(&reflection.leaves, name, slot) {
            to.differences.push(format!("{name}: {reason}"));
        }
    }
    let varying = |kind: &str| -> BTreeSet<u64> {
        let own = reflection.leaves.iter().filter(|l| l.kind == kind && l.path.split('.').next() == Some(entry));
        own.flat_map(locations_of).collect()
    };
    for (kind, there) in [("varyingInput", &found.inputs), ("varyingOutput", &found.outputs)] {
        to.rows += there.len();
        let wanted = varying(kind);
        let strange: Vec<&u64> = there.difference(&wanted).collect();
        if !strange.is_empty() {
            to.differences.push(format!("{entry}: {kind} {strange:?} of the text are not among {wanted:?}"));
        }
    }
    let semantics: BTreeSet<String> = reflection.leaves.iter().flat_map(semantics).collect();
    to.rows += found.semantics.len();
    let strange = found.semantics.iter().filter(|s| !semantics.contains(*s));
    to.differences.extend(strange.map(|s| format!("{entry}: the sidecar has no semantic {s}")));
    for (kind, numbers) in [("specializationConstant", &found.constants), ("inputAttachmentIndex", &found.attachments)]
    {
        for (name, number) in numbers {
            to.rows += 1;
            let leaf = reflection.leaves.iter().find(|l| l.kind == kind && l.emitted_name.as_deref() == Some(name));
            match leaf {
                Some(leaf) if leaf.index == Some(*number) => {}
                Some(leaf) => to.differences.push(format!("{name}: {kind} {number}, not {:?}", leaf.index)),
                None => to.differences.push(format!("{name}: the sidecar has no {kind} of this name")),
            }
        }
    }
}

/// All locations of a stage input or output: those of its own elements are in its count, those of arrays of structs are not.
pub fn locations_of(leaf: &Leaf) -> BTreeSet<u64> {
    let own = number(leaf.count).max(1);
    let mut starts = vec![leaf.index.unwrap_or(0)];
    for repeat in &leaf.repeats {
        let n = number(Some(repeat.count));
        if repeat.stride.saturating_mul(n) > own {
            starts = starts.iter().flat_map(|at| (0..n).map(move |k| at + k * repeat.stride)).collect();
        }
    }
    starts.into_iter().flat_map(|at| at..at + own).collect()
}

/// The semantics of a stage input or output; those of arrays and matrices count up from the first. DXC 1.7 lists some matrices
/// of three rows with a fourth.
fn semantics(leaf: &Leaf) -> Vec<String> {
    let Some(semantic) = &leaf.semantic else { return Vec::new() };
    let name = semantic.trim_end_matches(|c: char| c.is_ascii_digit());
    let first: u64 = semantic[name.len()..].parse().unwrap_or(0);
    let rows = number(leaf.count).max(1);
    let numbers = first..first + if rows == 3 { 4 } else { rows };
    numbers.map(|n| if n == 0 { name.to_owned() } else { format!("{name}{n}") }).collect()
}

fn number(count: Option<Count>) -> u64 {
    match count {
        None => 1,
        Some(Count::Number(n)) => n,
        Some(Count::Word(_)) => u64::MAX,
    }
}

fn compare_slot(leaves: &[Leaf], name: &str, slot: &Slot) -> Result<(), String> {
    let element = |l: &Leaf| l.elements.iter().find(|e| e.emitted_name == name).map(|e| e.index);
    let named: Vec<&Leaf> =
        leaves.iter().filter(|l| l.emitted_name.as_deref() == Some(name) || element(l).is_some()).collect();
    let slots: Vec<&Leaf> = named.into_iter().filter(|l| l.space.is_some()).collect();
    if slots.is_empty() {
        return Err(format!("the sidecar has no such parameter, the text has it at {slot:?}"));
    }
    let fits = |l: &&Leaf| {
        let (index, count) = match element(l) {
            Some(index) => (Some(index), 1),
            None => (l.index, number(l.count)),
        };
        let here = index == Some(slot.index) && l.space == Some(slot.space);
        here && (l.class.is_none() || l.class == slot.class) && slot.count.is_none_or(|n| n == count)
    };
    match slots.iter().any(fits) {
        true => Ok(()),
        false => Err(format!("the text has it at {slot:?}, the sidecar says {slots:?}")),
    }
}

/// As naga reads a WGSL text.
pub fn of_wgsl(text: &str, entry: &str) -> Result<Slots, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
    let mut slots = Slots::default();
    for (_, global) in module.global_variables.iter() {
        if let (Some(name), Some(at)) = (&global.name, &global.binding) {
            let slot = Slot { class: None, index: at.binding.into(), space: at.group.into(), count: None };
            slots.resources.insert(name.clone(), slot);
        }
    }
    for (_, constant) in module.overrides.iter() {
        if let (Some(name), Some(id)) = (&constant.name, constant.id) {
            slots.constants.insert(name.clone(), id.into());
        }
    }
    if let Some(point) = module.entry_points.iter().find(|e| e.name == entry) {
        for argument in &point.function.arguments {
            locations(&module, argument.ty, argument.binding.as_ref(), &mut slots.inputs);
        }
        if let Some(result) = &point.function.result {
            locations(&module, result.ty, result.binding.as_ref(), &mut slots.outputs);
        }
    }
    Ok(slots)
}

fn locations(
    module: &naga::Module,
    ty: naga::Handle<naga::Type>,
    binding: Option<&naga::Binding>,
    to: &mut BTreeSet<u64>,
) {
    if let Some(naga::Binding::Location { location, .. }) = binding {
        to.insert((*location).into());
    } else if let naga::TypeInner::Struct { members, .. } = &module.types[ty].inner {
        members.iter().for_each(|m| locations(module, m.ty, m.binding.as_ref(), to));
    }
}

/// As the decorations of SPIR-V words say.
pub fn of_spirv(words: &[u32]) -> Slots {
    let module = Decorations::read(words);
    let mut slots = Slots::default();
    for (id, class, pointer) in &module.variables {
        let ty = module.pointees.get(pointer).copied().unwrap_or(0);
        let decoration = |which: u32| module.decorations.get(&(*id, which)).copied().map(u64::from);
        let named = |id: &u32| module.names.get(id).filter(|n| !n.is_empty()).cloned();
        // The name of an unnamed block is that of its type, with an ending that is not part of the sidecar's.
        let base = module.element_of(ty).0;
        let block = named(&base).map(|n| n.strip_suffix("_block").map_or(n.clone(), str::to_owned));
        let name = named(id).or(block).unwrap_or_default();
        if let (Some(index), Some(space)) = (decoration(BINDING), decoration(SET)) {
            slots.resources.insert(name.clone(), Slot { class: None, index, space, count: None });
        }
        if let Some(number) = decoration(ATTACHMENT) {
            slots.attachments.insert(name.clone(), number);
        }
        let to = match class {
            1 => &mut slots.inputs,
            3 => &mut slots.outputs,
            _ => continue,
        };
        if let Some(first) = decoration(LOCATION) {
            to.extend(first..first + module.locations(ty));
        }
    }
    for ((id, which), number) in &module.decorations {
        if let (SPEC_ID, Some(name)) = (*which, module.names.get(id)) {
            slots.constants.insert(name.clone(), (*number).into());
        }
    }
    slots
}

// Decorations of the SPIR-V specification, section 3.20.
const SPEC_ID: u32 = 1;
const LOCATION: u32 = 30;
const BINDING: u32 = 33;
const SET: u32 = 34;
const ATTACHMENT: u32 = 43;

/// The instructions of a module that say names and numbers.
#[derive(Default)]
struct Decorations {
    /// Id, storage class, pointer type.
    variables: Vec<(u32, u32, u32)>,
    /// What a pointer type points to.
    pointees: BTreeMap<u32, u32>,
    /// Element type and the constant of the length.
    arrays: BTreeMap<u32, (u32, u32)>,
    /// Column type and count.
    matrices: BTreeMap<u32, u32>,
    constants: BTreeMap<u32, u32>,
    names: BTreeMap<u32, String>,
    decorations: BTreeMap<(u32, u32), u32>,
}

impl Decorations {
    fn read(words: &[u32]) -> Decorations {
        let mut module = Decorations::default();
        let mut rest = words.get(5..).unwrap_or_default();
        while let Some(&first) = rest.first() {
            let length = ((first >> 16) as usize).clamp(1, rest.len());
            module.note(first & 0xffff, &rest[1..length]);
            rest = &rest[length..];
        }
        module
    }

    fn note(&mut self, op: u32, args: &[u32]) {
        match (op, args) {
            (5, [id, text @ ..]) => {
                let bytes = text.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0);
                self.names.insert(*id, String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned());
            }
            (24, [id, _, columns]) => {
                self.matrices.insert(*id, *columns);
            }
            (28, [id, element, length]) => {
                self.arrays.insert(*id, (*element, *length));
            }
            // Without a length.
            (29, [id, element]) => {
                self.arrays.insert(*id, (*element, 0));
            }
            (32, [id, _, to]) => {
                self.pointees.insert(*id, *to);
            }
            (43, [_, id, value, ..]) => {
                self.constants.insert(*id, *value);
            }
            (59, [pointer, id, class, ..]) => self.variables.push((*id, *class, *pointer)),
            (71, [id, which, number, ..]) => {
                self.decorations.insert((*id, *which), *number);
            }
            _ => {}
        }
    }

    /// What arrays of arrays hold, and how many of it.
    fn element_of(&self, ty: u32) -> (u32, u64) {
        let (mut at, mut count) = (ty, 1);
        while let Some((element, length)) = self.arrays.get(&at) {
            count *= u64::from(self.constants.get(length).copied().unwrap_or(1));
            at = *element;
        }
        (at, count)
    }

    /// How many locations a type takes.
    fn locations(&self, ty: u32) -> u64 {
        let (element, count) = self.element_of(ty);
        count * u64::from(self.matrices.get(&element).copied().unwrap_or(1))
    }
}

/// As the tables of DXC's listing say. They have what the entry point uses.
#[allow(dead_code)]
pub fn of_dxc(listing: &str) -> Slots {
    let mut slots = Slots::default();
    let mut table = "";
    for line in listing.lines().filter_map(|l| l.strip_prefix(';')).map(str::trim) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        match (line.strip_suffix(" signature:"), cells.as_slice()) {
            (Some(_), _) => table = "signature",
            (None, ["Resource", "Bindings:"]) => table = "resources",
            (None, []) => {}
            // Name Type Format Dim ID HLSL-Bind Count
            (None, [name, .., bind, count]) if table == "resources" => {
                if let Some(slot) = bind_of(bind, count) {
                    slots.resources.insert((*name).to_owned(), slot);
                }
            }
            // Name Index Mask ...
            (None, [name, index, ..]) if table == "signature" && index.parse::<u32>().is_ok() => {
                let index = if *index == "0" { "" } else { *index };
                let name = name.to_ascii_uppercase();
                // System values are no parameters of the application; the size of points is one without the prefix.
                if !name.starts_with("SV_") && name != "PSIZE" {
                    slots.semantics.insert(format!("{name}{index}"));
                }
            }
            _ => {}
        }
        if ["Buffer Definitions", "Pipeline Runtime", "ViewId state"].iter().any(|head| line.starts_with(head)) {
            table = "";
        }
    }
    slots
}

/// `t3,space1` and `unbounded`.
fn bind_of(bind: &str, count: &str) -> Option<Slot> {
    let (register, space) = bind.split_once(",space").unwrap_or((bind, "0"));
    let class = register.trim_start_matches('c').chars().next()?;
    let index = register.get(register.find(|c: char| c.is_ascii_digit())?..)?.parse().ok()?;
    let count = if count == "unbounded" { u64::MAX } else { count.parse().ok()? };
    let class = if register.starts_with("cb") { 'b' } else { class };
    Some(Slot { class: Some(class), index, space: space.parse().ok()?, count: Some(count) })
}
