//! Every leaf with its absolute position, its name in the text and who uses it: of global parameters, of the uniform
//! parameters of entry points, of stage inputs and outputs; and the buffers that the source does not declare.

use super::build::{Builder, count};
use super::model::{
    Binding, BufferSlot, Count, Element, EntryPoint, Leaf, Pair, Reference, Repeat, ScalarValue, Unbounded,
};
use super::paths::Paths;
use super::varyings::{Signature, located};
use crate::check::constant::{self, Value};
use crate::layout::locations::{PATCH, VaryingPart, semantic_text};
use crate::layout::lock::Owner;
use crate::layout::{self, Api, Role, UNBOUNDED, Unit};
use crate::tree::{self, FunctionId, LeafId, Origin, ParameterId, Program, Scalar, Semantic, Step, Type, TypeId};
use crate::usage::{self, Parts, Root};
use std::collections::{BTreeMap, BTreeSet};

/// The path of the buffer of plain globals.
pub(super) const GLOBALS: &str = "$Globals";

/// The path of the buffer of an entry point's plain parameters.
pub(super) fn params_path(entry: &str) -> String {
    format!("{entry}.$Params")
}

/// The entry points whose code names something, by index, and whether they reach that code.
type Users = BTreeMap<usize, bool>;

/// The leaves of a sidecar, and the units that each entry point reaches of each parameter.
pub(super) struct Listed {
    pub list: Vec<Leaf>,
    pub reached: BTreeMap<ParameterId, BTreeMap<usize, BTreeSet<String>>>,
}

/// All leaves. With `entries`, the entry points as the sidecar shows them, are their stage inputs and outputs; `emitted` is the
/// program of the texts.
pub(super) fn leaves(builder: &Builder, entries: &[(EntryPoint, Vec<Signature>)], emitted: Option<&Program>) -> Listed {
    let paths = Paths { program: builder.program, leaves: &builder.layout.leaves };
    let mut rows = LeafRows { builder, paths, list: Vec::new() };
    for (id, leaf) in builder.layout.leaves.iter() {
        rows.leaf(id, leaf);
    }
    rows.find_users();
    let mut reached: BTreeMap<ParameterId, BTreeMap<usize, BTreeSet<String>>> = BTreeMap::new();
    for row in &rows.list {
        let units = reached.entry(builder.layout.leaves.leaf(row.id).parameter).or_default();
        for (entry, _) in row.users.iter().filter(|(_, reachable)| **reachable) {
            units.entry(*entry).or_default().insert(row.leaf.kind.clone());
        }
    }
    let program = builder.program;
    let mut list: Vec<Leaf> = rows.list.into_iter().map(|row| row.with_users(&program.entry_points)).collect();
    let emitted = emitted.filter(|_| builder.layout.settings.api == Api::D3d);
    for (index, (entry, signatures)) in entries.iter().enumerate() {
        let emitted = emitted.and_then(|program| Some((program, program.entry_points.get(index)?)));
        varyings(program, (entry, signatures), emitted, &mut list);
    }
    Listed { list, reached }
}

/// The lowest space that no leaf is in.
pub(super) fn free_space(leaves: &[Leaf]) -> u64 {
    let taken: BTreeSet<u64> = leaves.iter().filter_map(|l| l.space).collect();
    (0..).zip(&taken).find(|(n, space)| n != *space).map_or(taken.len() as u64, |(n, _)| n)
}

/// A leaf of the sidecar: one range of one of ours.
struct Row {
    id: LeafId,
    leaf: Leaf,
    users: Users,
}

impl Row {
    /// The leaf with the names of its users.
    fn with_users(self, entries: &[tree::EntryPoint]) -> Leaf {
        let Row { mut leaf, users, .. } = self;
        for (entry, reachable) in users.into_iter().filter_map(|(i, reachable)| Some((entries.get(i)?, reachable))) {
            let (entry_point, stage) = (entry.name.to_string(), entry.stage.name().to_owned());
            if reachable {
                leaf.entry_points.push(entry_point.clone());
            }
            leaf.references.push(Reference { entry_point, stage, reachable });
        }
        leaf
    }
}

struct LeafRows<'a, 'b> {
    builder: &'b Builder<'a>,
    paths: Paths<'b>,
    list: Vec<Row>,
}

/// The word of a unit at an absolute position, where a binding is one whatever it was counted among: register classes are
/// mapped to ranges of bindings.
fn slot_word(unit: Unit, api: Api) -> &'static str {
    let binding = unit == Unit::LateDescriptor || unit.class().is_some() && !api.facts().classes;
    if binding { Unit::Descriptor.word() } else { unit.word() }
}

/// A path and a name below it, either of which may be empty.
pub fn join(path: &str, name: &str) -> String {
    match (path.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => path.to_owned(),
        _ => format!("{path}.{name}"),
    }
}

impl LeafRows<'_, '_> {
    fn leaf(&mut self, id: LeafId, leaf: &layout::Leaf) {
        let Some(unit) = leaf.unit else { return };
        if leaf.role == Role::Data { self.bytes(id, leaf) } else { self.slots(id, leaf, unit) }
    }

    /// Plain data. That of structured buffers is shown with their memory alone.
    fn bytes(&mut self, id: LeafId, leaf: &layout::Leaf) {
        let leaves = &self.builder.layout.leaves;
        let buffer = leaf.buffer.map(|id| leaves.leaf(id));
        if buffer.is_some_and(|b| b.role == Role::Resource) {
            return;
        }
        let found = Leaf {
            path: self.paths.leaf(leaf),
            kind: Unit::Bytes.word().to_owned(),
            offset: Some(leaf.index()),
            size: Some(count(leaf.size)),
            repeats: leaf.dimensions.iter().skip(leaf.outside).map(|d| repeat(d.count, d.bytes)).collect(),
            buffer: buffer.and_then(|b| self.buffer(b)),
            emitted_name: self.builder.texts.data.get(&id).cloned(),
            ..Leaf::default()
        };
        self.list.push(Row { id, leaf: found, users: Users::new() });
    }

    /// Where a buffer is bound.
    fn buffer(&self, leaf: &layout::Leaf) -> Option<BufferSlot> {
        let unit = leaf.unit?;
        Some(BufferSlot {
            path: self.paths.leaf(leaf),
            kind: slot_word(unit, self.builder.layout.settings.api).to_owned(),
            index: leaf.index(),
            space: self.space(leaf, unit),
        })
    }

    fn space(&self, leaf: &layout::Leaf, unit: Unit) -> Option<u64> {
        let has_spaces = self.builder.layout.settings.api.facts().spaces;
        (has_spaces && Unit::SLOTS.contains(&unit)).then(|| leaf.place.space.get(unit))
    }

    /// A leaf with its arrays: in one range, or in two where an explicit binding names the first element alone.
    fn slots(&mut self, id: LeafId, leaf: &layout::Leaf, unit: Unit) {
        let settings = &self.builder.layout.settings;
        let counted = unit == Unit::InputAttachment || settings.counts_elements(unit);
        let n = if counted { leaf.elements() } else { 1 };
        // (where, how many, all but the first element)
        let runs = match leaf.further {
            Some(rest) if n > 1 => vec![(leaf.index(), 1, false), (u64::from(rest.index), n - 1, true)],
            _ => vec![(leaf.index(), n, false)],
        };
        let split = runs.len() > 1;
        let emitted = self.builder.texts.names.get(&self.declaration(id, leaf)).copied();
        for (index, n, further) in runs {
            let elements = self
                .builder
                .texts
                .elements
                .get(&id)
                .into_iter()
                .flatten()
                .filter(|e| !split || (e.index > 0) == further);
            let elements = elements.map(|e| Element { index: e.binding.index.into(), emitted_name: e.name.to_owned() });
            let found = Leaf {
                path: self.paths.leaf(leaf),
                kind: slot_word(unit, settings.api).to_owned(),
                class: unit.class().filter(|_| settings.api == Api::D3d),
                index: Some(index),
                space: self.space(leaf, unit),
                count: (n != 1).then(|| count(n)),
                default_value: self.default_value(leaf),
                further,
                repeats: if split { Vec::new() } else { repeats(leaf, counted) },
                hidden: self.hidden(leaf).map(str::to_owned),
                compares: self.compares(id, leaf),
                emitted_access: self.builder.texts.accesses.get(&id).map(|word| (*word).to_owned()),
                emitted_name: emitted.map(|e| e.name.to_owned()),
                emitted_block: emitted.and_then(|e| e.block).map(str::to_owned),
                elements: elements.collect(),
                pairs: if further { Vec::new() } else { self.pairs(id) },
                ..Leaf::default()
            };
            self.list.push(Row { id, leaf: found, users: Users::new() });
        }
    }

    /// The value of a specialization constant that the application does not set.
    fn default_value(&self, leaf: &layout::Leaf) -> Option<ScalarValue> {
        let Owner::Global(id) = self.builder.layout.leaves.parameter(leaf.parameter).owner else { return None };
        let program = self.builder.program;
        let init = program.globals[id].init.as_ref().filter(|_| leaf.role == Role::Constant)?;
        match constant::eval_first(program, &init.exprs, init.root).ok()? {
            Value::Bool(value) => Some(ScalarValue::Bool(value)),
            // As its bits, which are those of a number without sign here.
            Value::Int(bits, Scalar::U64) => {
                Some(u64::try_from(bits).map_or(ScalarValue::Uint(bits as u64), |_| ScalarValue::Int(bits)))
            }
            Value::Int(value, _) => Some(ScalarValue::Int(value)),
            Value::Float(value, _) => Some(ScalarValue::Float(value)).filter(|_| value.is_finite()),
            Value::Composite(_) | Value::Text(_) => None,
        }
    }

    /// Whether it is a sampler that compares or a texture of depths.
    fn compares(&self, id: LeafId, leaf: &layout::Leaf) -> bool {
        let types = &self.builder.program.types;
        let sampler = matches!(types.get(types.innermost(leaf.ty)), Type::Sampler(true));
        sampler || self.builder.texts.depths.contains(&id)
    }

    /// The combined textures that a texture is in the text.
    fn pairs(&self, id: LeafId) -> Vec<Pair> {
        let sampler = |(id, element): (LeafId, Option<u32>)| {
            let path = self.paths.leaf(self.builder.layout.leaves.leaf(id));
            element.map_or(path.clone(), |n| format!("{path}[{n}]"))
        };
        let pairs = self.builder.texts.pairs.get(&id).into_iter().flatten().map(|pair| Pair {
            sampler: pair.sampler.map(sampler),
            index: pair.binding.map(|b| b.index.into()),
            emitted_name: pair.name.to_owned(),
        });
        pairs.collect()
    }

    /// The leaf whose declaration a leaf is named by: the number of an input attachment has none of its own.
    fn declaration(&self, id: LeafId, leaf: &layout::Leaf) -> LeafId {
        let before = || id.0.checked_sub(1).map(LeafId);
        if leaf.role == Role::Attachment { before().unwrap_or(id) } else { id }
    }

    /// What a leaf is that the source does not declare.
    fn hidden(&self, leaf: &layout::Leaf) -> Option<&'static str> {
        let owner = self.builder.layout.leaves.parameter(leaf.parameter).owner;
        match leaf.role {
            Role::Counter => Some("counter"),
            Role::Scope if owner == Owner::Globals => Some("globals"),
            Role::Scope => Some("entryPointParameters"),
            Role::Block => {
                let block = matches!(self.builder.program.types.get(leaf.ty), Type::ParameterBlock(_));
                block.then_some("block")
            }
            Role::Data | Role::Resource | Role::Sampler | Role::Attachment | Role::Constant => None,
        }
    }

    /// Finds the entry points that use each leaf.
    fn find_users(&mut self) {
        let (program, leaves) = (self.builder.program, &self.builder.layout.leaves);
        let users = usage::Users::of(program);
        let mut rows: BTreeMap<(Option<usize>, Root), Vec<usize>> = BTreeMap::new();
        for (at, row) in self.list.iter().enumerate() {
            if let Some(root) = self.root(row.id) {
                rows.entry(root).or_default().push(at);
                // Who uses a parameter of resources of any type names the arrays of its types.
                let views = program.parameters.iter().filter(|view| match (root.1, program.globals[**view].views) {
                    (Root::Global(id), Some(of)) => id == of,
                    _ => false,
                });
                views.for_each(|view| rows.entry((None, Root::Global(*view))).or_default().push(at));
            }
        }
        for (index, entry) in program.entry_points.iter().enumerate() {
            let (named, reached) = users.parts(entry);
            let roots: BTreeSet<Root> = named.iter().map(|(root, _)| *root).collect();
            for root in roots {
                let of = matches!(root, Root::Param(_)).then_some(index);
                for at in rows.get(&(of, root)).into_iter().flatten() {
                    let Some(row) = self.list.get_mut(*at) else { continue };
                    let path = &leaves.leaf(row.id).path;
                    if touches(&named, root, path) {
                        row.users.insert(index, touches(&reached, root, path));
                    }
                }
            }
        }
        used_by_bytes(&mut self.list, |id| leaves.leaf(id).buffer);
    }

    /// The parameter of a leaf, with its entry point; nothing for the buffers of scopes.
    fn root(&self, id: LeafId) -> Option<(Option<usize>, Root)> {
        let leaf = self.builder.layout.leaves.leaf(id);
        match self.builder.layout.leaves.parameter(leaf.parameter).owner {
            Owner::Global(id) => Some((None, Root::Global(id))),
            Owner::Param(entry, index) => {
                let function = self.builder.program.entry_points.get(entry)?.function;
                let param = self.builder.program.functions[function].params.get(index)?;
                Some((Some(entry), Root::Param(param.local)))
            }
            Owner::Globals | Owner::EntryBuffer(_) | Owner::EntryScope(_) | Owner::Counter(_) | Owner::Nobody => None,
        }
    }
}

/// Whether code names a part, something around it, or something in it.
fn touches(parts: &Parts, root: Root, path: &[Step]) -> bool {
    let around = (0..path.len()).filter_map(|end| path.get(..end));
    let inside = parts.range((root, path.to_vec())..).next();
    inside.is_some_and(|(r, p)| *r == root && p.starts_with(path))
        || around.into_iter().any(|around| parts.contains(&(root, around.to_vec())))
}

/// Buffers of plain data are used by whoever uses their bytes: to name a texture of a block does not use its buffer.
fn used_by_bytes(list: &mut [Row], buffer: impl Fn(LeafId) -> Option<LeafId>) {
    let mut users: BTreeMap<LeafId, Users> = BTreeMap::new();
    for row in list.iter() {
        let Some(buffer) = buffer(row.id) else { continue };
        let of = users.entry(buffer).or_default();
        for (entry, reachable) in &row.users {
            *of.entry(*entry).or_default() |= reachable;
        }
    }
    for row in list.iter_mut() {
        if let Some(found) = users.get(&row.id) {
            row.users.clone_from(found);
        }
    }
}

/// The leaves of stage inputs and outputs of an entry point, which uses them all. `emitted` is it in the text, if that has
/// semantics.
fn varyings(
    program: &Program,
    (entry, signatures): (&EntryPoint, &[Signature]),
    emitted: Option<(&Program, &tree::EntryPoint)>,
    list: &mut Vec<Leaf>,
) {
    let functions = emitted.map_or([None; 2], |(_, e)| [Some(e.function), e.patch_constant]);
    for (signature, function) in signatures.iter().zip(functions) {
        for both in signature.each() {
            let path = format!("{}.{}", signature.path, both.name());
            let given = emitted.zip(function).and_then(|((p, _), f)| Some((p, given(p, f, both.first.param)?)));
            // Each leaf in all directions, then the next one.
            let mut found: Vec<(usize, Leaf)> = Vec::new();
            for varying in both.all {
                let mut nth = 0;
                varying.part.walk(&mut Vec::new(), &mut |part, around| {
                    nth += 1;
                    let way: Vec<&VaryingPart> = around.iter().copied().chain([part]).collect();
                    let named = way.iter().rfind(|p| p.field.is_some()).or(way.first());
                    let at = named.filter(|_| part.parts.is_empty()).and_then(|named| located(varying.unit, named));
                    let leaf = at.map(|at| varying_leaf(program, at, (&way, both.first.per()), given));
                    found.extend(leaf.map(|leaf| {
                        let (path, entry_points) = (path.clone() + &leaf.path, vec![entry.name.clone()]);
                        (nth, Leaf { path, entry_points, ..leaf })
                    }));
                    true
                });
            }
            found.sort_by_key(|(nth, _)| *nth);
            list.extend(found.into_iter().map(|(_, leaf)| leaf));
        }
    }
}

/// Something in the text: its type, and the semantic of it or of what is around it.
type Given = (TypeId, Option<Semantic>);

/// What a parameter or result of a function is in the text.
fn given(program: &Program, function: FunctionId, param: Option<usize>) -> Option<Given> {
    let function = &program.functions[function];
    let Some(index) = param else { return Some((function.result, function.result_semantic)) };
    let param = function.params.iter().find(|p| p.declared == u32::try_from(index).ok())?;
    Some((function.code.locals[param.local].ty, param.semantic))
}

/// What a field is in the text, of a struct or of what holds several.
fn given_field(program: &Program, (mut ty, semantic): Given, index: u32) -> Option<Given> {
    while let Type::Array(t, _) | Type::Stream(_, t) | Type::Patch(_, t, _) | Type::MeshOutput(_, t, _) =
        program.types.get(ty)
    {
        ty = t;
    }
    let field = program.fields(ty).iter().find(|f| f.origin == Origin::Field(index))?;
    Some((field.ty, semantic.or(field.semantic)))
}

/// The leaf at the end of a way from a parameter or result, with its path from there; `text` is that in the text.
fn varying_leaf(
    program: &Program,
    at: Binding,
    (way, per): (&[&VaryingPart], Option<&str>),
    text: Option<(&Program, Given)>,
) -> Leaf {
    let fields = || way.iter().filter_map(|part| Some((part.name, part.field?)));
    let in_text = text.and_then(|(program, whole)| {
        fields().try_fold(whole, |around, (_, index)| given_field(program, around, index))?.1
    });
    let own = way.last().and_then(|part| part.semantic.clone());
    let semantic = own.or_else(|| in_text.map(|s| s.split()));
    let arrays = way.iter().zip(way.iter().skip(1)).filter(|(_, inner)| inner.field.is_none()).enumerate();
    let repeats = arrays.filter_map(|(nth, (array, element))| {
        // One location holds what there is for all vertices. What has no semantic has no distances of its indices.
        let one = nth == 0 && per.is_some_and(|per| per != PATCH);
        let semantic_stride = array.semantic_stride.filter(|_| semantic.is_some()).map(u64::from);
        let stride = if one { 0 } else { element.count.into() };
        Some(Repeat { semantic_stride, ..repeat(Some(elements(program.types.get(array.ty))?), stride) })
    });
    Leaf {
        path: fields().map(|(name, _)| format!(".{name}")).collect(),
        kind: at.kind,
        index: at.index,
        count: at.count,
        repeats: repeats.collect(),
        semantic: semantic.as_ref().map(semantic_text),
        per: per.map(str::to_owned),
        ..Leaf::default()
    }
}

/// How many elements something has. How many vertices a stream has is not known.
fn elements(ty: Type) -> Option<u32> {
    match ty {
        Type::Array(_, n) => Some(n.laid_out().unwrap_or(0)),
        Type::Patch(_, _, n) | Type::MeshOutput(_, _, n) => Some(n),
        _ => None,
    }
}

/// The arrays around a leaf in slots: one an element, or one binding for a whole array.
fn repeats(leaf: &layout::Leaf, counted: bool) -> Vec<Repeat> {
    let (mut each, mut list) = (u64::from(counted), Vec::new());
    for dimension in leaf.dimensions.iter().rev() {
        list.push(repeat(dimension.count, each));
        each = each.saturating_mul(dimension.count.map_or(UNBOUNDED, u64::from));
    }
    list.reverse();
    list
}

pub(super) fn repeat(n: Option<u32>, stride: u64) -> Repeat {
    let count = n.map_or(Count::Word(Unbounded::Unbounded), |n| Count::Number(n.into()));
    Repeat { stride, count, name: None, vectors: None, semantic_stride: None }
}
