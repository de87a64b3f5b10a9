//! From program, layout and emitted program to the sidecar's data.

use super::emitted::Texts;
use super::model::{
    Binding, Count, Reflection, SCHEMA_VERSION, ScalarValue, Scope, Size, TypeNode, Unbounded, UserAttribute, Variable,
};
use super::varyings::{Signature, signatures};
use super::{effects, leaves, root_signatures, stages, types};
use crate::layout::lock::Owner;
use crate::layout::rules::round_up;
use crate::layout::{Counts, Detail, Position, ProgramLayout, TypeLayout, UNBOUNDED, Unit, VarLayout};
use crate::source::{Sources, Span};
use crate::target::Profile;
use crate::target::format::Format;
use crate::tree::{self, *};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The sidecar of one program on one target. `emitted` is the legalized program of its texts, if there are any.
pub fn reflect(
    program: &Program,
    layout: &ProgramLayout,
    emitted: Option<&Program>,
    profile: &Profile,
    sources: &Sources,
) -> Reflection {
    let builder = Builder {
        program,
        layout,
        sources,
        texts: Texts::of(emitted, profile, &layout.leaves),
        contents: buffer_contents(program),
    };
    let memory = super::memory::memory(&builder);
    let entries = builder.entry_points(emitted);
    let leaves::Listed { list: leaves, reached } = leaves::leaves(&builder, &entries, emitted);
    let mut entry_points: Vec<_> = entries.into_iter().map(|(entry, _)| entry).collect();
    let parameters = builder.parameters();
    for (global, variable) in layout.parameters.iter().zip(&parameters) {
        let users = layout.leaves.parameter_of(Owner::Global(global.global)).and_then(|id| reached.get(&id));
        for (entry, units) in users.into_iter().flatten() {
            let listed = entry_points.get_mut(*entry).map(|entry| &mut entry.bindings);
            listed.into_iter().for_each(|list| list.push(used(variable, units)));
        }
    }
    Reflection {
        schema: SCHEMA_VERSION.to_owned(),
        tool: format!("shaderport {}", env!("CARGO_PKG_VERSION")),
        target: profile.target.name().to_owned(),
        profile: profile.name.to_owned(),
        binding_policy: layout.settings.policy.name.to_owned(),
        parameters,
        entry_points,
        bindless_space_index: heap_space(program, layout).unwrap_or(leaves::free_space(&leaves)),
        global_scope: builder.scope(Owner::Globals),
        types: types::types(&builder),
        leaves,
        shared_types: Vec::new(),
        memory,
        modules: Vec::new(),
        techniques: effects::techniques(&program.effect),
        effect_objects: effects::objects(&program.effect),
    }
}

/// The space of descriptor heaps that are arrays.
fn heap_space(program: &Program, layout: &ProgramLayout) -> Option<u64> {
    let heap = layout.parameters.iter().find(|p| program.globals[p.global].heap == Some(Heap::Resources));
    let heap = heap.or(layout.parameters.iter().find(|p| program.globals[p.global].heap.is_some()));
    heap.map(|p| p.place.space.get(Unit::Descriptor))
}

/// The attribute of structs of the standard library whose fields are values side by side, shown without names.
const UNNAMED_FIELDS: &str = "__unnamed_fields";

pub(super) struct Builder<'a> {
    pub program: &'a Program,
    pub layout: &'a ProgramLayout,
    pub sources: &'a Sources,
    pub texts: Texts,
    /// What `cbuffer` and `tbuffer` hold, which is not a type with a name.
    pub contents: BTreeSet<StructId>,
}

fn buffer_contents(program: &Program) -> BTreeSet<StructId> {
    let buffers = program.globals.iter().filter(|(_, g)| g.transparent);
    let contents = buffers.filter_map(|(_, g)| program.types.get(g.ty).element());
    contents.filter_map(|t| if let Type::Struct(id) = program.types.get(t) { Some(id) } else { None }).collect()
}

/// The name of a field; the struct that is inherited stands where the name is.
pub(super) fn field_name(s: &Struct, field: &Field) -> Option<String> {
    let name = if field.span == s.span { "$base" } else { field.name.as_str() };
    let unnamed = s.attributes.iter().any(|a| a.name.as_str().eq_ignore_ascii_case(UNNAMED_FIELDS));
    (!unnamed).then(|| name.to_owned())
}

/// A struct by its name.
pub(super) fn named_struct(s: &Struct) -> TypeNode {
    let name = s.instance.map_or(s.name, |i| i.generic);
    TypeNode {
        kind: "struct".to_owned(),
        name: (!name.is_empty()).then(|| name.to_string()),
        instance: s.instance.map(|i| i.written.to_string()),
        ..TypeNode::default()
    }
}

fn resource(shape: &str) -> TypeNode {
    TypeNode { kind: "resource".to_owned(), base_shape: Some(shape.to_owned()), ..TypeNode::default() }
}

/// Upper-case name and index.
pub(super) fn set_semantic(variable: &mut Variable, semantic: Option<(String, u32)>) {
    if let Some((name, index)) = semantic {
        variable.semantic_name = Some(name);
        variable.semantic_index = (index != 0).then_some(index);
    }
}

pub(super) fn count(n: u64) -> Count {
    if n == UNBOUNDED { Count::Word(Unbounded::Unbounded) } else { Count::Number(n) }
}

/// A scalar of the format: `bool`, `int32`, `float16`. Those of least precision are as wide as they lie in memory.
pub(super) fn scalar_kind(scalar: Scalar) -> String {
    let kind = match scalar {
        Scalar::Bool => return "bool".to_owned(),
        _ if scalar.is_float() => "float",
        _ if scalar.is_signed() => "int",
        _ => "uint",
    };
    format!("{kind}{}", scalar.size() * 8)
}

/// Bindings of a variable: one goes under `binding`, several under `bindings`.
pub(super) fn put(variable: &mut Variable, bindings: Vec<Binding>) {
    match <[Binding; 1]>::try_from(bindings) {
        Ok([one]) => variable.binding = Some(one),
        Err(several) => variable.bindings = several,
    }
}

/// The offsets of a variable in all units that it uses.
pub(super) fn bindings(types: &Types, place: &Position, layout: &TypeLayout) -> Vec<Binding> {
    let Position { offset, space, .. } = place;
    let mut list = Vec::new();
    for (unit, used) in layout.counts.units() {
        let index = offset.get(unit);
        match unit {
            Unit::Bytes => list.push(Binding {
                kind: unit.word().to_owned(),
                offset: Some(index),
                size: Some(count(used)),
                element_stride: Some(element_stride(types, layout)),
                ..Binding::default()
            }),
            // A D3D array without bound is shown in its register classes, in spaces of their own.
            Unit::Space if !layout.unbounded_classes().is_empty() => {
                let classes = place.class_spaces(layout).into_iter();
                list.extend(classes.map(|(class, space)| slot(class, offset.get(class), space, UNBOUNDED)));
            }
            Unit::Space => list.push(slot(unit, index, 0, used)),
            _ => list.push(slot(unit, index, space.get(unit), used)),
        }
    }
    list
}

fn element_stride(types: &Types, layout: &TypeLayout) -> u64 {
    match (&layout.detail, types.get(layout.ty)) {
        (Detail::Array { stride, .. }, _) => stride.get(Unit::Bytes),
        (_, Type::Vector(scalar, _)) => scalar.size().into(),
        _ => 0,
    }
}

pub(super) fn slot(unit: Unit, index: u64, space: u64, used: u64) -> Binding {
    Binding {
        kind: unit.word().to_owned(),
        index: Some(index),
        space: (space != 0).then_some(space),
        count: (used != 1).then_some(count(used)),
        ..Binding::default()
    }
}

fn sizes(layout: &TypeLayout) -> Vec<Size> {
    let mut list = Vec::new();
    for (unit, used) in layout.counts.units() {
        let classes = layout.unbounded_classes();
        let alignment = (unit == Unit::Bytes).then_some(layout.align);
        if unit == Unit::Space && !classes.is_empty() {
            let unbounded = |class| size(class, UNBOUNDED, None);
            list.extend(classes.into_iter().map(unbounded));
        } else {
            let next = alignment.map_or(used, |align| round_up(used, align.into()));
            list.push(Size { alignment, stride: Some(count(next)), ..size(unit, used, None) });
        }
    }
    list
}

fn size(unit: Unit, value: u64, stride: Option<u64>) -> Size {
    Size { kind: unit.word().to_owned(), value: count(value), alignment: None, stride: stride.map(count) }
}

/// The distance of an array's elements in each unit that they take.
fn element_strides(element: &TypeLayout, stride: &Counts) -> Vec<Size> {
    element.counts.units().map(|(unit, used)| size(unit, used, Some(stride.get(unit)))).collect()
}

/// Adds a buffer's own slots to the offsets of its contents, as the format shows `elementType` (not `elementVarLayout`).
fn shifted(layout: &TypeLayout, by: &Counts) -> TypeLayout {
    let mut layout = layout.clone();
    if let Detail::Struct(fields) = &mut layout.detail {
        for field in fields {
            for unit in Unit::ALL.into_iter().filter(|u| *u != Unit::Bytes && field.layout.counts.get(*u) > 0) {
                field.offset.add(unit, by.get(unit));
            }
        }
    }
    layout
}

/// Gives blocks with spaces of their own the numbers of their first input attachments among all.
fn place_attachments(layout: &mut TypeLayout, at: u64) {
    let after = |offset: &Counts| at.saturating_add(offset.get(Unit::InputAttachment));
    match &mut layout.detail {
        Detail::Struct(fields) => {
            fields.iter_mut().for_each(|f| place_attachments(&mut f.layout, after(&f.offset)));
        }
        Detail::Array { element, .. } => place_attachments(element, at),
        Detail::Block { element, own_space, .. } => {
            let at = after(&element.offset);
            if *own_space {
                element.offset.set(Unit::InputAttachment, at);
            }
            place_attachments(&mut element.layout, at);
        }
        _ => {}
    }
}

impl Builder<'_> {
    fn parameters(&self) -> Vec<Variable> {
        // The arrays that descriptor heaps are come last, and nobody has declared them.
        let declared = self.layout.parameters.iter().take_while(|p| self.program.globals[p.global].is_declared());
        declared.map(|p| self.parameter(p.global, &p.place, &p.layout)).collect()
    }

    fn parameter(&self, id: GlobalId, place: &Position, layout: &TypeLayout) -> Variable {
        let Global { name, ty, span, explicit, attributes, given, .. } = &self.program.globals[id];
        let declared = self.declared(Some(name.to_string()), *span, (explicit, attributes));
        let default_values = given.iter().filter_map(scalar_value).collect();
        self.placed(place, layout, Variable { format: self.format(*ty, explicit), default_values, ..declared })
    }

    /// What is declared with its place and layout.
    fn placed(&self, place: &Position, layout: &TypeLayout, declared: Variable) -> Variable {
        let ty = Some(Box::new(self.type_node(&self.shown(place, layout))));
        let mut variable = Variable { ty, ..declared };
        put(&mut variable, bindings(&self.program.types, place, layout));
        variable
    }

    /// A layout as it is shown: its offsets are relative, and what has a space of its own is counted from 0. Input
    /// attachments are not, so that such a block shows where its own begin.
    fn shown<'l>(&self, place: &Position, layout: &'l TypeLayout) -> Cow<'l, TypeLayout> {
        let attachments = layout.counts.get(Unit::InputAttachment) > 0 && layout.counts.get(Unit::Space) > 0;
        if !attachments {
            return Cow::Borrowed(layout);
        }
        let mut layout = layout.clone();
        place_attachments(&mut layout, place.offset.get(Unit::InputAttachment));
        Cow::Owned(layout)
    }

    /// What the source says of a parameter or field.
    pub(super) fn declared(
        &self,
        name: Option<String>,
        span: Span,
        (explicit, attributes): (&Explicit, &[tree::Attribute]),
    ) -> Variable {
        Variable {
            name,
            location: self.location(span),
            requested: requested(explicit),
            user_attribs: user_attributes(attributes),
            ..Variable::default()
        }
    }

    pub(super) fn location(&self, span: Span) -> Option<String> {
        let span = self.sources.use_site(span);
        let file = self.sources.file(span.file)?;
        let (line, column) = self.sources.line_column(span.file, span.start);
        // What the library declares is nowhere in the sources.
        (span.end > 0 && !span.file.is_library()).then(|| format!("{}:{}:{}", file.recorded, line + 1, column + 1))
    }

    fn type_node(&self, layout: &TypeLayout) -> TypeNode {
        let mut node = self.bare_type(layout.ty);
        node.sizes = Some(sizes(layout));
        match &layout.detail {
            Detail::Plain => {}
            Detail::Matrix { order, .. } => {
                node.matrix_layout = Some(if *order == MatrixOrder::Row { "row" } else { "col" }.to_owned());
            }
            Detail::Struct(fields) => {
                node.fields = Some(self.fields(layout.ty, fields));
                if let Type::Struct(id) = self.program.types.get(layout.ty) {
                    node.user_attribs = user_attributes(&self.program.structs[id].attributes);
                }
            }
            Detail::Array { element, count: n, stride } => {
                node.kind = "array".to_owned();
                node.element_count = Some(count(n.map_or(UNBOUNDED, u64::from)));
                node.uniform_stride = (stride.get(Unit::Bytes) > 0).then_some(stride.get(Unit::Bytes));
                node.element_strides = element_strides(element, stride);
                node.element_type = Some(Box::new(self.type_node(element)));
            }
            Detail::Resource { element: Some(element) } if node.base_shape.as_deref() == Some("structuredBuffer") => {
                node.element_stride = Some(round_up(element.size(), element.align.into()));
                node.result_type = Some(Box::new(self.type_node(element)));
            }
            Detail::Resource { .. } => {}
            Detail::Block { container, element, own_space } => {
                let starts = layout.own_slots().map_or(Counts::NONE, |(starts, _)| starts);
                self.block(&mut node, (container, &starts), element, *own_space);
            }
        }
        node
    }

    fn block(
        &self,
        node: &mut TypeNode,
        (container, starts): (&Counts, &Counts),
        element: &VarLayout,
        own_space: bool,
    ) {
        let mut container_bindings: Vec<Binding> =
            container.units().map(|(unit, _)| slot(unit, starts.get(unit), 0, 1)).collect();
        if own_space {
            container_bindings.push(slot(Unit::Space, 0, 0, 1));
        }
        let mut container = Variable::default();
        put(&mut container, container_bindings);
        node.container_var_layout = Some(Box::new(container));
        node.element_type = Some(Box::new(self.type_node(&shifted(&element.layout, &element.offset))));
        let mut var = Variable { ty: Some(Box::new(self.type_node(&element.layout))), ..Variable::default() };
        put(&mut var, bindings(&self.program.types, &Position::at(element.offset), &element.layout));
        node.element_var_layout = Some(Box::new(var));
    }

    fn fields(&self, ty: TypeId, layouts: &[VarLayout]) -> Vec<Variable> {
        let Type::Struct(id) = self.program.types.get(ty) else { return Vec::new() };
        let s = &self.program.structs[id];
        let fields = s.fields.iter().zip(layouts);
        fields
            .map(|(field, layout)| {
                let declared = self.declared(field_name(s, field), field.span, (&field.explicit, &field.attributes));
                let format = self.format(field.ty, &field.explicit);
                let ty = Some(Box::new(self.type_node(&layout.layout)));
                let default_values = field.given.iter().filter_map(scalar_value).collect();
                let mut variable = Variable { format, ty, default_values, ..declared };
                put(&mut variable, bindings(&self.program.types, &Position::at(layout.offset), &layout.layout));
                variable
            })
            .collect()
    }

    /// What a type is, without layout.
    pub(super) fn bare_type(&self, ty: TypeId) -> TypeNode {
        let named = |kind: &str| TypeNode { kind: kind.to_owned(), ..TypeNode::default() };
        let scalar = |s: Scalar| TypeNode { scalar_type: Some(scalar_kind(s)), ..named("scalar") };
        match self.program.types.get(ty) {
            Type::Scalar(s) | Type::Atomic(s) => scalar(s),
            Type::Vector(s, n) => TypeNode {
                element_count: Some(Count::Number(n.into())),
                element_type: Some(Box::new(scalar(s))),
                ..named("vector")
            },
            Type::Matrix(s, rows, columns) => TypeNode {
                row_count: Some(rows.into()),
                column_count: Some(columns.into()),
                element_type: Some(Box::new(scalar(s))),
                ..named("matrix")
            },
            Type::Array(element, n) => self.holding("array", element, Some(n.laid_out().unwrap_or(0))),
            Type::Struct(id) if self.contents.contains(&id) => named("struct"),
            Type::Struct(id) => named_struct(&self.program.structs[id]),
            Type::Enum(id) => TypeNode {
                name: Some(self.program.enums[id].name.to_string()),
                scalar_type: Some(scalar_kind(self.program.enums[id].tag)),
                ..named("scalar")
            },
            Type::Texture(t) => self.texture(&t),
            Type::Buffer(kind, access, element) => self.buffer(kind, access, element),
            Type::Sampler(_) => named("samplerState"),
            Type::ConstantBuffer(t, _) => self.holding("constantBuffer", t, None),
            Type::TextureBuffer(t) => self.holding("textureBuffer", t, None),
            Type::ParameterBlock(t) => self.holding("parameterBlock", t, None),
            Type::Stream(_, t) => self.holding("outputStream", t, None),
            Type::Patch(input, t, n) => self.holding(if input { "inputPatch" } else { "outputPatch" }, t, Some(n)),
            Type::MeshOutput(_, t, n) => self.holding("meshOutput", t, Some(n)),
            Type::AccelerationStructure => resource("accelerationStructure"),
            Type::SubpassInput(element, multisampled) => TypeNode {
                multisample: multisampled.then_some(true),
                result_type: Some(Box::new(self.bare_type(element))),
                ..resource("subpassInput")
            },
            Type::Pointer(target, _) => self.holding("pointer", target, None),
            Type::DynamicResource(_) => named("DynamicResource"),
            Type::Opaque(name) => TypeNode { name: Some(name.to_string()), ..named("DynamicResource") },
            _ => named("none"),
        }
    }

    pub(super) fn holding(&self, kind: &str, element: TypeId, n: Option<u32>) -> TypeNode {
        TypeNode {
            kind: kind.to_owned(),
            element_count: n.map(|n| Count::Number(n.into())),
            element_type: Some(Box::new(self.bare_type(element))),
            ..TypeNode::default()
        }
    }

    /// The format of storage textures and typed buffers.
    fn format(&self, ty: TypeId, explicit: &Explicit) -> Option<String> {
        let types = &self.program.types;
        let (access, element) = match types.get(types.innermost(ty)) {
            Type::Texture(t) => (t.access, t.element),
            Type::Buffer(BufferKind::Typed, access, element) => (access, element),
            _ => return None,
        };
        if matches!(access, Access::Read | Access::Feedback | Access::FeedbackRegions) {
            return None;
        }
        Some(Format::of_image(types, element, explicit).name.to_owned())
    }

    fn texture(&self, t: &Texture) -> TypeNode {
        TypeNode {
            array: t.array.then_some(true),
            multisample: t.multisampled.then_some(true),
            combined: t.combined.then_some(true),
            access: access_word(t.access),
            result_type: Some(Box::new(self.bare_type(t.element))),
            ..resource(&format!("texture{}", t.shape.word()))
        }
    }

    fn buffer(&self, kind: BufferKind, access: Access, element: TypeId) -> TypeNode {
        let shape = match kind {
            BufferKind::Typed => "textureBuffer",
            BufferKind::ByteAddress => "byteAddressBuffer",
            _ => "structuredBuffer",
        };
        TypeNode {
            access: match kind {
                BufferKind::Append(_) => Some("append".to_owned()),
                BufferKind::Consume(_) => Some("consume".to_owned()),
                _ => access_word(access),
            },
            result_type: (kind != BufferKind::ByteAddress).then(|| Box::new(self.bare_type(element))),
            ..resource(shape)
        }
    }

    /// The buffer of a scope.
    fn scope(&self, owner: Owner) -> Scope {
        let Some(buffer) = self.layout.scope_buffer(owner) else {
            return Scope { kind: "none".to_owned(), ..Scope::default() };
        };
        let (unit, index, space) = buffer.position();
        let at = Binding { space: buffer.binding.map(|_| space), ..slot(unit, index, 0, 1) };
        let leaves = &self.layout.leaves;
        let leaf = leaves.parameter_of(owner).and_then(|id| leaves.whole(id));
        let emitted = leaf.and_then(|leaf| self.texts.names.get(&leaf));
        Scope {
            kind: "constantBuffer".to_owned(),
            bindings: vec![at],
            size: Some(count(buffer.layout.size())),
            emitted_name: emitted.map(|e| e.name.to_owned()),
        }
    }

    /// The entry points, with their stage inputs and outputs.
    fn entry_points(&self, emitted: Option<&Program>) -> Vec<(super::model::EntryPoint, Vec<Signature>)> {
        let entries = self.program.entry_points.iter().enumerate();
        let each = entries.map(|(i, entry)| (i, entry, signatures(self.program, &self.layout.settings, entry)));
        each.map(|(i, entry, all)| (self.entry_point(i, entry, &all, emitted), all)).collect()
    }

    fn entry_point(
        &self,
        index: usize,
        entry: &tree::EntryPoint,
        signatures: &[Signature],
        emitted: Option<&Program>,
    ) -> super::model::EntryPoint {
        let function = &self.program.functions[entry.function];
        let layout = self.layout.entry_points.get(index);
        let mut signatures = signatures.iter().map(|signature| signature.shown(self, entry.stage));
        let mut shown = signatures.next().unwrap_or_default();
        for (i, place, layout) in layout.iter().flat_map(|l| &l.params) {
            let Some(param) = function.params.get(*i) else { continue };
            let local = &function.code.locals[param.local];
            let said = (&param.explicit, param.attributes.as_slice());
            let declared = self.declared(Some(local.name.to_string()), local.span, said);
            let format = self.format(local.ty, &param.explicit);
            shown.push((Some(*i), self.placed(place, layout, Variable { format, ..declared })));
        }
        // In order of declaration; the result stands by itself.
        shown.sort_by_key(|(i, _)| i.unwrap_or(usize::MAX));
        let result = match shown.last() {
            Some((None, _)) => shown.pop().map(|(_, variable)| variable),
            _ => None,
        };
        let parameters = shown.into_iter().map(|(_, variable)| variable).collect();
        let emitted_name = emitted.and_then(|p| Some(p.functions[p.entry_points.get(index)?.function].name));
        let grouped = matches!(entry.stage, Stage::Compute | Stage::Mesh | Stage::Amplification);
        super::model::EntryPoint {
            name: entry.name.to_string(),
            emitted_name: emitted_name.unwrap_or(entry.name).to_string(),
            stage: entry.stage.name().to_owned(),
            parameters,
            result,
            patch_constants: signatures.flatten().map(|(_, variable)| variable).collect(),
            uses_any_sample_rate_input: stages::runs_for_samples(self.program, entry),
            thread_group_size: grouped.then_some(entry.workgroup_size),
            facts: stages::facts(self.program, entry),
            root_signature: root_signatures::root_signature(self.program, function),
            location: self.location(function.span),
            user_attribs: user_attributes(&function.attributes),
            scope: self.scope(Owner::EntryBuffer(index)),
            scope_offsets: BTreeMap::new(),
            bindings: Vec::new(),
        }
    }
}

/// A global parameter in an entry point's list, with whether that reaches what it has of each unit.
pub(super) fn used(parameter: &Variable, units: &BTreeSet<String>) -> Variable {
    let Variable { name, binding, bindings, format, .. } = parameter.clone();
    let mut variable = Variable { name, binding, bindings, format, ..Variable::default() };
    for binding in variable.binding.iter_mut().chain(&mut variable.bindings) {
        binding.used = match Unit::of_word(&binding.kind) {
            Some(Unit::Space) => Some((!units.is_empty()).into()),
            Some(unit) if unit == Unit::Specialization || Unit::SLOTS.contains(&unit) => {
                Some(units.contains(&binding.kind).into())
            }
            _ => None,
        };
    }
    variable
}

fn access_word(access: Access) -> Option<String> {
    let word = match access {
        Access::Read => return None,
        Access::ReadWrite => "readWrite",
        Access::Write => "write",
        Access::RasterOrdered => "rasterOrdered",
        Access::Feedback | Access::FeedbackRegions => "feedback",
    };
    Some(word.to_owned())
}

/// The positions that the source asks for, as they would be written.
pub(super) fn requested(explicit: &Explicit) -> Option<String> {
    let mut words: Vec<String> = explicit.registers.iter().map(register_text).collect();
    if let Some((binding, set, _)) = explicit.vk_binding {
        words.push(format!("vk::binding({binding}, {set})"));
    }
    if let Some((set, _)) = explicit.vk_set {
        words.push(format!("layout(set = {set})"));
    }
    words.extend(explicit.packoffset.map(|(bytes, _)| packoffset_text(bytes)));
    let numbers = [
        ("location", explicit.location.map(|(l, _)| l)),
        ("index", explicit.index),
        ("counter_binding", explicit.vk_counter_binding),
        ("input_attachment_index", explicit.input_attachment_index),
        ("constant_id", explicit.constant_id.flatten()),
        ("offset", explicit.vk_offset),
    ];
    words.extend(numbers.into_iter().filter_map(|(name, n)| Some(format!("vk::{name}({})", n?))));
    (!words.is_empty()).then(|| words.join(" "))
}

pub(super) fn packoffset_text(bytes: u32) -> String {
    let component = ["x", "y", "z", "w"].get((bytes / 4 % 4) as usize).copied().unwrap_or("x");
    format!("packoffset(c{}.{component})", bytes / 16)
}

pub(super) fn register_text(register: &ExplicitRegister) -> String {
    let space = register.space.map_or(String::new(), |s| format!("space{s}"));
    match (register.class, register.space) {
        (Some(class), None) => format!("register({class}{})", register.index),
        (Some(class), Some(_)) => format!("register({class}{}, {space})", register.index),
        (None, _) => format!("register({space})"),
    }
}

/// Attributes for the application: those that a struct declares, and those that nobody knows.
pub(super) fn user_attributes(attributes: &[tree::Attribute]) -> Vec<UserAttribute> {
    let user = attributes.iter().filter(|a| a.declared || !crate::check::attributes::is_known(a.name.as_str()));
    let one = |a: &tree::Attribute| UserAttribute {
        name: a.name.to_string(),
        arguments: a.args.iter().map(argument).collect(),
        undeclared: !a.declared,
    };
    user.map(one).collect()
}

fn argument(arg: &AttributeArg) -> serde_json::Value {
    match arg {
        AttributeArg::Int(n) => (*n).into(),
        AttributeArg::Float(x) => (*x).into(),
        AttributeArg::Text(s) | AttributeArg::Name(s) => s.as_str().into(),
    }
}

/// A number that the source gives.
fn scalar_value(literal: &tree::Literal) -> Option<ScalarValue> {
    match *literal {
        tree::Literal::Bool(value) => Some(ScalarValue::Bool(value)),
        tree::Literal::Int(value) => Some(ScalarValue::Int(value)),
        tree::Literal::Float(value) => Some(ScalarValue::Float(value)),
        tree::Literal::Text(_) => None,
    }
}
