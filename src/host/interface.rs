//! Where everything of a program is bound, its entry points and its constants.

use super::held;
use super::model::{
    Buffer, Constant, ConstantValue, DefaultValue, Entry, Input, Number, PushConstants, Resource, Sample, Slot,
};
use super::names::{Names, Words};
use super::resources::resource;
use super::structs::{number, place};
use crate::layout::Unit;
use crate::reflect::model::{Leaf, Reflection, ScalarValue, TypeNode, Variable};
use crate::reflect::words::{has_classes, type_name};
use crate::target::Profile;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a parameter, stage input or output.
pub struct Found<'a> {
    /// Its declaration.
    pub variable: &'a Variable,
    /// Its type below its arrays.
    pub ty: &'a TypeNode,
}

impl<'a> Found<'a> {
    /// What the buffer holds that it is.
    pub fn contents(&self) -> Option<&'a TypeNode> {
        held(self.ty)
    }

    /// `Texture2D<float4>, a.slang:3`.
    fn note(&self) -> String {
        let ty = self.variable.ty.as_deref().map_or_else(String::new, type_name);
        match &self.variable.location {
            Some(location) => format!("{ty}, {}", place(location)),
            None => ty,
        }
    }
}

/// All of them by their path, as in leaves.
pub fn found(reflection: &Reflection) -> BTreeMap<String, Found<'_>> {
    let mut list = BTreeMap::new();
    reflection.parameters.iter().for_each(|p| walk("", p, &mut list));
    for entry in &reflection.entry_points {
        entry.parameters.iter().for_each(|p| walk(&entry.name, p, &mut list));
    }
    list
}

fn walk<'a>(around: &str, variable: &'a Variable, list: &mut BTreeMap<String, Found<'a>>) {
    let Some(mut ty) = variable.ty.as_deref().map(below_arrays) else { return };
    let name = variable.name.as_deref().unwrap_or("").trim_start_matches('$');
    let path = crate::reflect::leaves::join(around, name);
    // What holds one resource alone is that resource.
    let inner = |ty: &'a TypeNode| ty.element_var_layout.as_deref()?.ty.as_deref().map(below_arrays);
    while let Some(resource) = inner(ty).filter(|inner| RESOURCES.contains(&inner.kind.as_str())) {
        ty = resource;
    }
    list.insert(path.clone(), Found { variable, ty });
    inner(ty).unwrap_or(ty).fields.iter().flatten().for_each(|f| walk(&path, f, list));
}

/// Kinds of types that are bound in slots.
const RESOURCES: &[&str] = &["constantBuffer", "parameterBlock", "textureBuffer", "resource", "samplerState"];

/// What is in arrays.
pub fn below_arrays(ty: &TypeNode) -> &TypeNode {
    let mut ty = ty;
    while let ("array", Some(element)) = (ty.kind.as_str(), ty.element_type.as_deref()) {
        ty = element;
    }
    ty
}

/// The stages of the entry points that can reach a leaf, each once.
fn stages(reflection: &Reflection, leaf: &Leaf) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for entry in reflection.entry_points.iter().filter(|entry| leaf.entry_points.contains(&entry.name)) {
        if !list.contains(&entry.stage) {
            list.push(entry.stage.clone());
        }
    }
    list
}

/// Bytes of a buffer, if it is one.
fn size_of(buffers: &[Buffer], path: &str) -> u64 {
    buffers.iter().find(|b| b.path == path).map_or(0, |b| b.size)
}

/// The samplers that the text combines a texture with.
fn samplers_of(leaf: &Leaf) -> impl Iterator<Item = &str> {
    leaf.pairs.iter().filter_map(|pair| pair.sampler.as_deref())
}

/// Everything that is in slots.
pub fn slots(
    reflection: &Reflection,
    words: &Words,
    (found, buffers): (&BTreeMap<String, Found>, &[Buffer]),
) -> Vec<Slot> {
    let mut names = Names::new(words, &["table"]);
    let is_slot = |leaf: &&Leaf| Unit::of_word(&leaf.kind).is_some_and(|unit| Unit::SLOTS.contains(&unit));
    let classes = has_classes(&reflection.profile);
    let api = Profile::parse(&reflection.profile).map(|p| p.facts.api.facts());
    let in_one = api.is_some_and(|api| api.arrays);
    let mut list = Vec::new();
    // Textures that only the text combines have the binding of both, where bindings are no units.
    let is_joined = |leaf: &Leaf| !classes && leaf.pairs.iter().any(|pair| pair.sampler.is_some());
    let joined: BTreeSet<&str> =
        reflection.leaves.iter().filter(|leaf| is_joined(leaf)).flat_map(samplers_of).collect();
    let is_in_text = |leaf: &&Leaf| leaf.emitted_name.is_some() || !joined.contains(leaf.path.as_str());
    // Of combined samplers that have slots apart, the paths whose texture is listed.
    let mut textures: BTreeSet<&str> = BTreeSet::new();
    for leaf in reflection.leaves.iter().filter(|leaf| is_slot(leaf) && leaf.buffer.is_none() && is_in_text(leaf)) {
        let of = found.get(&leaf.path);
        let is_combined = of.is_some_and(|of| of.ty.combined == Some(true));
        let is_apart = is_combined && api.is_some_and(|api| if api.classes { api.samplers } else { api.combined > 1 });
        // The first one of a path is the texture; the others of its elements go on from it.
        let is_sampler = is_apart && !leaf.further && !textures.insert(&leaf.path);
        let behind = match (leaf.hidden.as_deref(), leaf.further) {
            (Some("counter"), _) => ".counter",
            (_, true) => ".further",
            _ if is_sampler => ".sampler",
            _ => "",
        };
        let resource = match resource(leaf, of, size_of(buffers, &leaf.path)) {
            Resource::Combined(texture) if is_sampler => {
                Resource::Sampler { compares: texture.sample == Sample::Depth }
            }
            Resource::Combined(texture) if is_apart => Resource::Texture(texture),
            Resource::Texture(texture) if is_joined(leaf) => Resource::Combined(texture),
            other => other,
        };
        // Where arrays are in one slot, how many there are is what the arrays say.
        let dimensions =
            leaf.repeats.iter().try_fold(1, |all: u64, r| Some(all.saturating_mul(number(Some(r.count))?)));
        let count = match leaf.count {
            Some(count) => number(Some(count)),
            None if in_one => dimensions,
            None => Some(1),
        };
        let slot = Slot {
            name: names.name(&format!("{}{behind}", leaf.path)),
            path: leaf.path.clone(),
            sampler: samplers_of(leaf).next().filter(|_| is_joined(leaf)).map(str::to_owned),
            note: of.map(Found::note).unwrap_or_default(),
            class: leaf.class.or(Unit::of_word(&leaf.kind).and_then(Unit::class)).filter(|_| classes),
            index: leaf.index.unwrap_or(0),
            space: leaf.space.unwrap_or(0),
            count,
            in_one,
            resource,
            stages: stages(reflection, leaf),
        };
        let pairs: Vec<Slot> = leaf
            .pairs
            .iter()
            .filter(|_| !is_joined(leaf))
            .filter_map(|pair| {
                let name = names.name(&pair.emitted_name);
                Some(Slot { name, index: pair.index?, ..slot.clone() })
            })
            .collect();
        list.push(slot);
        list.extend(pairs);
    }
    list
}

/// Ranges of push constants.
pub fn push_constants(reflection: &Reflection, words: &Words, buffers: &[Buffer]) -> Vec<PushConstants> {
    let mut names = Names::new(words, &[]);
    let is_one = |leaf: &&Leaf| leaf.kind == Unit::PushConstant.word() && leaf.buffer.is_none();
    let ranges = reflection.leaves.iter().filter(is_one).filter_map(|leaf| {
        let buffer = buffers.iter().find(|b| b.path == leaf.path)?;
        let name = names.name(&leaf.path);
        Some(PushConstants { name, size: buffer.size, stages: stages(reflection, leaf) })
    });
    ranges.collect()
}

/// Specialization and override constants.
pub fn constants(reflection: &Reflection, words: &Words, found: &BTreeMap<String, Found>) -> Vec<Constant> {
    let mut names = Names::new(words, &[]);
    let leaves = reflection.leaves.iter().filter(|leaf| leaf.kind == Unit::Specialization.word());
    let constants = leaves.filter_map(|leaf| {
        let of = found.get(&leaf.path);
        let scalar = of.and_then(|of| of.ty.scalar_type.as_deref()).unwrap_or("uint32");
        let number = Number::of(scalar, if scalar.ends_with("64") { 8 } else { 4 });
        let note = of.map(Found::note).unwrap_or_default();
        let value = leaf.default_value.and_then(|value| ConstantValue::of(value, number));
        Some(Constant { name: names.name(&leaf.path), note, id: leaf.index?, number, value })
    });
    constants.collect()
}

/// The values that the source gives plain parameters, of those whose numbers are of one kind.
pub fn defaults(reflection: &Reflection, words: &Words, found: &BTreeMap<String, Found>) -> Vec<DefaultValue> {
    let mut names = Names::new(words, &[]);
    let values = reflection.parameters.iter().filter(|p| !p.default_values.is_empty()).filter_map(|parameter| {
        let path = parameter.name.as_deref()?;
        let mut element = parameter.ty.as_deref()?;
        while let Some(inner) = element.element_type.as_deref() {
            element = inner;
        }
        let scalar = element.scalar_type.as_deref().filter(|scalar| *scalar != "float16")?;
        // Numbers of fewer bytes than four and `bool` are words of the host.
        let number = Number::of(scalar, if scalar.ends_with("64") { 8 } else { 4 });
        let value = |value: &ScalarValue| match *value {
            ScalarValue::Bool(value) => ConstantValue::of(ScalarValue::Int(value.into()), number),
            other => ConstantValue::of(other, number),
        };
        let values = parameter.default_values.iter().map(value).collect::<Option<Vec<_>>>()?;
        let note = found.get(path).map(Found::note).unwrap_or_default();
        Some(DefaultValue { name: names.name(path), note, number, values })
    });
    values.collect()
}

/// The entry points.
pub fn entries(reflection: &Reflection, words: &Words) -> Vec<Entry> {
    let mut names = Names::new(words, &[]);
    let entries = reflection.entry_points.iter().map(|entry| Entry {
        name: names.name(&entry.name),
        emitted: entry.emitted_name.clone(),
        stage: entry.stage.clone(),
        location: entry.location.as_deref().map(place),
        group: entry.thread_group_size,
        inputs: if entry.stage == crate::tree::Stage::Vertex.name() { inputs(entry) } else { Vec::new() },
    });
    entries.collect()
}

/// The attributes of a vertex stage by location.
fn inputs(entry: &crate::reflect::model::EntryPoint) -> Vec<Input> {
    let mut list = Vec::new();
    entry.parameters.iter().for_each(|p| attributes("", p, 0, &mut list));
    list.sort_by_key(|input: &Input| input.location);
    let mut offset = 0;
    for input in &mut list {
        input.offset = offset;
        offset = offset.saturating_add(input.size());
    }
    list
}

/// A stage input: its numbers, the vectors of a matrix and elements of an array one by one.
fn attributes(around: &str, variable: &Variable, base: u64, list: &mut Vec<Input>) {
    let (Some(ty), Some(at)) = (variable.ty.as_deref(), location(variable)) else { return };
    let path = crate::reflect::leaves::join(around, variable.name.as_deref().unwrap_or("").trim_start_matches('$'));
    let at = base.saturating_add(at);
    if ty.kind == "struct" {
        return ty.fields.iter().flatten().for_each(|f| attributes(&path, f, at, list));
    }
    let mut element = ty;
    let mut count: u64 = 1;
    while let ("array", Some(inner)) = (element.kind.as_str(), element.element_type.as_deref()) {
        count = count.saturating_mul(number(element.element_count).unwrap_or(1));
        element = inner;
    }
    let (vectors, components) = match element.kind.as_str() {
        "matrix" => (element.row_count.unwrap_or(1).into(), element.column_count.unwrap_or(1).into()),
        "vector" => (1, number(element.element_count).unwrap_or(1)),
        "scalar" => (1, 1),
        // Arrays of structs as attributes are rare, and have no formats of one kind.
        _ => return,
    };
    let scalar =
        element.scalar_type.as_deref().or(element.element_type.as_deref().and_then(|e| e.scalar_type.as_deref()));
    let scalar = scalar.unwrap_or("float32");
    let bytes = scalar.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().map_or(4, |bits: u64| bits / 8);
    let semantic = (variable.semantic_name.clone().unwrap_or_default(), variable.semantic_index.unwrap_or(0));
    for nth in 0..count.saturating_mul(vectors).min(MOST_ATTRIBUTES) {
        let semantic = (semantic.0.clone(), semantic.1.saturating_add(u32::try_from(nth).unwrap_or(u32::MAX)));
        let (number, half) = (Number::of(scalar, bytes), scalar == "float16");
        let path = if count.saturating_mul(vectors) > 1 { format!("{path}[{nth}]") } else { path.clone() };
        let location = at.saturating_add(nth);
        list.push(Input { path, semantic, location, offset: 0, number, half, components });
    }
}

/// More locations than any API has.
const MOST_ATTRIBUTES: u64 = 64;

fn location(variable: &Variable) -> Option<u64> {
    variable.offsets().find(|b| b.kind == Unit::VaryingInput.word())?.index
}
