//! From program, layout and emitted programs to the sidecar's data.

use super::model::{
    Binding, Count, Leaf, Reflection, SCHEMA_VERSION, Scope, Size, TypeNode, Unbounded, UserAttribute, Variable,
};
use crate::layout::varyings::{Locations, of_matrix};
use crate::layout::{
    Api, Detail, Place, ProgramLayout, ScopeBuffer, TypeLayout, UNBOUNDED, Unit, Usage, VarLayout, enter_array,
    enter_block,
};
use crate::source::{Sources, Span};
use crate::target::Profile;
use crate::tree::is_uniform;
use crate::tree::{self, *};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The sidecar of one program on one target. `emitted` are the legalized programs of its texts.
pub fn reflect(
    program: &Program,
    layout: &ProgramLayout,
    emitted: &[&Program],
    profile: &Profile,
    sources: &Sources,
) -> Reflection {
    let builder =
        Builder { program, layout, sources, emitted: emitted_names(emitted), reach: program.reachable_globals() };
    Reflection {
        schema: SCHEMA_VERSION.to_owned(),
        tool: format!("shaderport {}", env!("CARGO_PKG_VERSION")),
        target: profile.language.name().to_owned(),
        profile: profile.name.to_owned(),
        binding_policy: layout.settings.policy.name.to_owned(),
        parameters: builder.parameters(),
        entry_points: builder.entry_points(emitted),
        global_scope: builder.scope(layout.globals.as_ref(), &["globalParams"]),
        leaves: builder.leaves(),
        memory: super::memory::memory(program, layout, emitted),
    }
}

/// Names in the text by path in the source. Several parameters may have one path; their bindings tell them apart.
type EmittedNames = BTreeMap<&'static str, Vec<(tree::Binding, &'static str)>>;

fn emitted_names(emitted: &[&Program]) -> EmittedNames {
    let mut names = EmittedNames::new();
    let items = emitted.iter().flat_map(|p| p.items.iter().map(|item| (*p, *item)));
    for (program, item) in items {
        let Item::Global(id) = item else { continue };
        let global = &program.globals[id];
        if let (GlobalKind::Parameter, Some(binding)) = (global.kind, global.binding) {
            names.entry(global.source_path.as_str()).or_default().push((binding, global.name.as_str()));
        }
    }
    names
}

/// The attribute of structs of the standard library whose fields are values side by side, told without names.
const UNNAMED_FIELDS: &str = "__unnamed_fields";

struct Builder<'a> {
    program: &'a Program,
    layout: &'a ProgramLayout,
    sources: &'a Sources,
    emitted: EmittedNames,
    reach: Vec<BTreeSet<GlobalId>>,
}

pub(super) fn count(n: u64) -> Count {
    if n == UNBOUNDED { Count::Word(Unbounded::Unbounded) } else { Count::Number(n) }
}

/// The unit's word in the format.
fn unit_kind(unit: Unit) -> &'static str {
    unit.word()
}

fn scalar_kind(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8",
        Scalar::U8 => "uint8",
        Scalar::I16 => "int16",
        Scalar::U16 => "uint16",
        Scalar::I32 | Scalar::MinI16 => "int32",
        Scalar::U32 | Scalar::MinU16 => "uint32",
        Scalar::I64 => "int64",
        Scalar::U64 => "uint64",
        Scalar::F16 => "float16",
        Scalar::F32 | Scalar::MinF16 => "float32",
        Scalar::F64 => "float64",
    }
}

/// Bindings of a variable: one goes under `binding`, several under `bindings`.
fn put(variable: &mut Variable, bindings: Vec<Binding>) {
    match <[Binding; 1]>::try_from(bindings) {
        Ok([one]) => variable.binding = Some(one),
        Err(several) => variable.bindings = several,
    }
}

/// The offsets of a variable in all units that it uses.
pub(super) fn bindings(offset: &Usage, space: &Usage, layout: &TypeLayout) -> Vec<Binding> {
    let mut list = Vec::new();
    for (unit, used) in layout.usage.units() {
        let index = offset.get(unit);
        match unit {
            Unit::Bytes => list.push(Binding {
                kind: unit_kind(unit).to_owned(),
                offset: Some(index),
                size: Some(count(used)),
                element_stride: Some(element_stride(layout)),
                ..Binding::default()
            }),
            // A D3D array without bound is shown in its register classes, in spaces of their own.
            Unit::Space if !layout.unbounded_classes().is_empty() => {
                let classes = layout.unbounded_classes().into_iter().zip(0..);
                list.extend(classes.map(|(class, nth)| slot(class, offset.get(class), index + nth, UNBOUNDED)));
            }
            Unit::Space => list.push(slot(unit, index, 0, 1)),
            _ => list.push(slot(unit, index, space.get(unit), used)),
        }
    }
    list
}

fn slot(unit: Unit, index: u64, space: u64, used: u64) -> Binding {
    Binding {
        kind: unit_kind(unit).to_owned(),
        index: Some(index),
        space: (space != 0).then_some(space),
        count: (used != 1).then_some(count(used)),
        ..Binding::default()
    }
}

fn element_stride(layout: &TypeLayout) -> u64 {
    match &layout.detail {
        Detail::Array { stride, .. } => stride.get(Unit::Bytes),
        _ => 0,
    }
}

fn sizes(layout: &TypeLayout) -> Vec<Size> {
    let mut list = Vec::new();
    for (unit, used) in layout.usage.units() {
        let classes = layout.unbounded_classes();
        let alignment = (unit == Unit::Bytes).then_some(layout.align);
        if unit == Unit::Space && !classes.is_empty() {
            let unbounded = |class| Size { kind: unit_kind(class).to_owned(), value: count(UNBOUNDED), alignment };
            list.extend(classes.into_iter().map(unbounded));
        } else {
            list.push(Size { kind: unit_kind(unit).to_owned(), value: count(used), alignment });
        }
    }
    list
}

/// Adds a buffer's own slots to the offsets of its contents, as the format shows `elementType` (not `elementVarLayout`).
fn shifted(layout: &TypeLayout, by: &Usage) -> TypeLayout {
    let mut layout = layout.clone();
    if let Detail::Struct(fields) = &mut layout.detail {
        for field in fields {
            for unit in Unit::SLOTS.into_iter().filter(|u| field.layout.usage.get(*u) > 0) {
                field.offset.add(unit, by.get(unit));
            }
        }
    }
    layout
}

/// Gives blocks with spaces of their own the numbers of their first input attachments among all.
fn place_attachments(layout: &mut TypeLayout, at: u64) {
    let after = |offset: &Usage| at.saturating_add(offset.get(Unit::InputAttachment));
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
        self.layout.parameters.iter().map(|p| self.parameter(p.global, &p.place, &p.layout)).collect()
    }

    fn parameter(&self, id: GlobalId, place: &Place, layout: &TypeLayout) -> Variable {
        let global = &self.program.globals[id];
        let shown = self.shown(place, layout);
        let mut variable = self.variable(global.name.as_str(), &shown, global.span);
        put(&mut variable, bindings(&place.offset, &place.space, layout));
        variable.requested = requested(&global.explicit);
        variable.user_attribs = user_attributes(&global.attributes);
        variable
    }

    /// A layout as it is shown: its offsets are relative, and what has a space of its own is counted from 0. Input
    /// attachments are not, so that such a block shows where its own begin.
    fn shown<'l>(&self, place: &Place, layout: &'l TypeLayout) -> Cow<'l, TypeLayout> {
        let attachments = layout.usage.get(Unit::InputAttachment) > 0 && layout.usage.get(Unit::Space) > 0;
        if !attachments {
            return Cow::Borrowed(layout);
        }
        let mut layout = layout.clone();
        place_attachments(&mut layout, place.offset.get(Unit::InputAttachment));
        Cow::Owned(layout)
    }

    fn variable(&self, name: &str, layout: &TypeLayout, span: Span) -> Variable {
        Variable {
            name: Some(name.to_owned()),
            ty: Some(Box::new(self.type_node(layout))),
            location: self.location(span),
            ..Variable::default()
        }
    }

    fn location(&self, span: Span) -> Option<String> {
        let span = self.sources.use_site(span);
        let file = self.sources.file(span.file)?;
        let (line, column) = self.sources.line_column(span.file, span.start);
        (span.end > 0).then(|| format!("{}:{}:{}", file.name, line + 1, column + 1))
    }

    fn type_node(&self, layout: &TypeLayout) -> TypeNode {
        let mut node = self.bare_type(layout.ty);
        node.sizes = Some(sizes(layout));
        match &layout.detail {
            Detail::Plain => {}
            Detail::Matrix { order, .. } => {
                node.matrix_layout = Some(if *order == MatrixOrder::Row { "row" } else { "col" }.to_owned());
            }
            Detail::Struct(fields) => node.fields = Some(self.fields(layout.ty, fields)),
            Detail::Array { element, count: n, stride } => {
                node.kind = "array".to_owned();
                let bytes_unbounded = n.is_none();
                node.element_count =
                    Some(if bytes_unbounded { count(UNBOUNDED) } else { count(n.unwrap_or(0).into()) });
                node.uniform_stride = (stride.get(Unit::Bytes) > 0).then_some(stride.get(Unit::Bytes));
                node.element_type = Some(Box::new(self.type_node(element)));
            }
            Detail::Resource { element: Some(element) } if node.base_shape.as_deref() == Some("structuredBuffer") => {
                node.element_stride = Some(crate::layout::rules::round_up(element.size(), element.align.into()));
                node.result_type = Some(Box::new(self.type_node(element)));
            }
            Detail::Resource { .. } => {}
            Detail::Block { container, element, own_space } => self.block(&mut node, container, element, *own_space),
        }
        node
    }

    fn block(&self, node: &mut TypeNode, container: &Usage, element: &VarLayout, own_space: bool) {
        let mut container_bindings: Vec<Binding> = container.units().map(|(unit, _)| slot(unit, 0, 0, 1)).collect();
        if own_space {
            container_bindings.push(slot(Unit::Space, 0, 0, 1));
        }
        let mut container = Variable::default();
        put(&mut container, container_bindings);
        node.container_var_layout = Some(Box::new(container));
        node.element_type = Some(Box::new(self.type_node(&shifted(&element.layout, &element.offset))));
        let mut var = Variable { ty: Some(Box::new(self.type_node(&element.layout))), ..Variable::default() };
        put(&mut var, bindings(&element.offset, &Usage::NONE, &element.layout));
        node.element_var_layout = Some(Box::new(var));
    }

    fn fields(&self, ty: TypeId, layouts: &[VarLayout]) -> Vec<Variable> {
        let Type::Struct(id) = self.program.types.get(ty) else { return Vec::new() };
        let s = &self.program.structs[id];
        let fields = s.fields.iter().zip(layouts);
        let unnamed = s.attributes.iter().any(|a| a.name.as_str().eq_ignore_ascii_case(UNNAMED_FIELDS));
        fields
            .map(|(field, layout)| {
                // The struct that is inherited stands where the name is.
                let name = if field.span == s.span { "$base" } else { field.name.as_str() };
                let mut variable = self.variable(name, &layout.layout, field.span);
                variable.name = variable.name.filter(|_| !unnamed);
                put(&mut variable, bindings(&layout.offset, &Usage::NONE, &layout.layout));
                variable.requested = requested(&field.explicit);
                variable.user_attribs = user_attributes(&field.attributes);
                variable
            })
            .collect()
    }

    /// What a type is, without layout.
    fn bare_type(&self, ty: TypeId) -> TypeNode {
        let named = |kind: &str| TypeNode { kind: kind.to_owned(), ..TypeNode::default() };
        let scalar = |s: Scalar| TypeNode { scalar_type: Some(scalar_kind(s).to_owned()), ..named("scalar") };
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
            Type::Array(element, n) => TypeNode {
                element_count: Some(n.map_or(Count::Number(0), |n| Count::Number(n.into()))),
                element_type: Some(Box::new(self.bare_type(element))),
                ..named("array")
            },
            Type::Struct(id) => {
                let name = self.program.structs[id].name;
                TypeNode { name: (!name.is_empty()).then(|| name.to_string()), ..named("struct") }
            }
            Type::Enum(id) => TypeNode {
                name: Some(self.program.enums[id].name.to_string()),
                scalar_type: Some(scalar_kind(self.program.enums[id].tag).to_owned()),
                ..named("scalar")
            },
            Type::Texture(t) => self.texture(&t),
            Type::Buffer(kind, access, element) => self.buffer(kind, access, element),
            Type::Sampler(_) => named("samplerState"),
            Type::ConstantBuffer(_) => named("constantBuffer"),
            Type::TextureBuffer(_) => named("textureBuffer"),
            Type::ParameterBlock(_) => named("parameterBlock"),
            Type::AccelerationStructure => {
                TypeNode { base_shape: Some("accelerationStructure".to_owned()), ..named("resource") }
            }
            Type::SubpassInput(element, multisampled) => TypeNode {
                base_shape: Some("textureSubpass".to_owned()),
                multisample: multisampled.then_some(true),
                result_type: Some(Box::new(self.bare_type(element))),
                ..named("resource")
            },
            Type::Pointer(target, _) => {
                TypeNode { element_type: Some(Box::new(self.bare_type(target))), ..named("pointer") }
            }
            Type::Opaque(name) => TypeNode { name: Some(name.to_string()), ..named("DynamicResource") },
            _ => named("none"),
        }
    }

    fn texture(&self, t: &Texture) -> TypeNode {
        let shape = match t.shape {
            TextureShape::D1 => "texture1D",
            TextureShape::D2 => "texture2D",
            TextureShape::D3 => "texture3D",
            TextureShape::Cube => "textureCube",
        };
        TypeNode {
            kind: "resource".to_owned(),
            base_shape: Some(shape.to_owned()),
            array: t.array.then_some(true),
            multisample: t.multisampled.then_some(true),
            combined: t.combined.then_some(true),
            access: access_word(t.access),
            result_type: Some(Box::new(self.bare_type(t.element))),
            ..TypeNode::default()
        }
    }

    fn buffer(&self, kind: BufferKind, access: Access, element: TypeId) -> TypeNode {
        let shape = match kind {
            BufferKind::Typed => "textureBuffer",
            BufferKind::ByteAddress => "byteAddressBuffer",
            _ => "structuredBuffer",
        };
        TypeNode {
            kind: "resource".to_owned(),
            base_shape: Some(shape.to_owned()),
            access: match kind {
                BufferKind::Append => Some("append".to_owned()),
                BufferKind::Consume => Some("consume".to_owned()),
                _ => access_word(access),
            },
            result_type: (kind != BufferKind::ByteAddress).then(|| Box::new(self.bare_type(element))),
            ..TypeNode::default()
        }
    }

    /// A scope, whose buffer legalization makes under one of these names; what is emitted may be called otherwise.
    fn scope(&self, buffer: Option<&ScopeBuffer>, names: &[&str]) -> Scope {
        let Some(buffer) = buffer else { return Scope { kind: "none".to_owned(), ..Scope::default() } };
        let unit =
            if buffer.binding.is_some_and(|b| b.class.is_some()) { Unit::ConstantBuffer } else { Unit::Descriptor };
        let at = match buffer.binding {
            Some(b) => Binding { space: Some(b.space.into()), ..slot(unit, b.index.into(), 0, 1) },
            None => slot(Unit::PushConstant, buffer.push, 0, 1),
        };
        Scope {
            kind: "constantBuffer".to_owned(),
            bindings: vec![at],
            size: Some(count(buffer.layout.size())),
            emitted_name: match buffer.binding {
                Some(binding) => {
                    let emitted = names.iter().filter_map(|name| self.emitted.get(name)).flatten();
                    let here = emitted.into_iter().find(|(b, _)| *b == binding);
                    here.map(|(_, name)| (*name).to_owned())
                }
                None => names.first().map(|name| (*name).to_owned()),
            },
        }
    }

    fn entry_points(&self, emitted: &[&Program]) -> Vec<super::model::EntryPoint> {
        let entries = self.program.entry_points.iter().enumerate();
        entries.map(|(i, entry)| self.entry_point(i, entry, emitted)).collect()
    }

    fn entry_point(&self, index: usize, entry: &tree::EntryPoint, emitted: &[&Program]) -> super::model::EntryPoint {
        let function = &self.program.functions[entry.function];
        let layout = self.layout.entry_points.get(index);
        let (inputs, outputs) = (Locations::default(), Locations::default());
        let mut varyings = Varyings { builder: self, stage: entry.stage, inputs, outputs };
        let list = self.varyings(function);
        list.iter().for_each(|(_, varying)| varyings.reserve(varying));
        let mut shown: Vec<(Option<usize>, Variable)> =
            list.iter().map(|(i, varying)| (*i, varyings.variable(varying))).collect();
        // What goes in and out is shown once.
        shown.dedup_by(|output, input| {
            let same = output.0.is_some() && output.0 == input.0;
            if same {
                add_output(&mut input.1, std::mem::take(&mut output.1));
            }
            same
        });
        for (i, place, layout) in layout.iter().flat_map(|l| &l.params) {
            let Some(param) = function.params.get(*i) else { continue };
            let local = &function.code.locals[param.local];
            let shown_layout = self.shown(place, layout);
            let mut variable = self.variable(local.name.as_str(), &shown_layout, local.span);
            put(&mut variable, bindings(&place.offset, &place.space, layout));
            variable.requested = requested(&param.explicit);
            shown.push((Some(*i), variable));
        }
        // In order of declaration; the result stands by itself.
        shown.sort_by_key(|(i, _)| i.unwrap_or(usize::MAX));
        let result = match shown.last() {
            Some((None, _)) => shown.pop().map(|(_, variable)| variable),
            _ => None,
        };
        let parameters = shown.into_iter().map(|(_, variable)| variable).collect();
        let grouped = matches!(entry.stage, Stage::Compute | Stage::Mesh | Stage::Amplification);
        super::model::EntryPoint {
            name: entry.name.to_string(),
            emitted_name: emitted_entry_name(emitted, entry),
            stage: entry.stage.name().to_owned(),
            parameters,
            result,
            thread_group_size: grouped.then_some(entry.workgroup_size),
            scope: self
                .scope(layout.and_then(|l| l.buffer.as_ref()), &["entryPointParams", &format!("{}Params", entry.name)]),
            scope_offsets: BTreeMap::new(),
            bindings: self.used_by(index),
        }
    }

    /// Stage inputs and outputs, `out` parameters before the result, which has no index.
    fn varyings<'f>(&self, function: &'f Function) -> Vec<(Option<usize>, Varying<'f>)> {
        let mut list = Vec::new();
        for (i, param) in function.params.iter().enumerate() {
            let local = &function.code.locals[param.local];
            if is_uniform(self.program, param, local.ty) {
                continue;
            }
            let stream = matches!(self.program.types.get(local.ty), Type::Stream(..));
            let units: &[Unit] = match param.mode {
                ParamMode::InOut if !stream => &[Unit::VaryingInput, Unit::VaryingOutput],
                ParamMode::Out | ParamMode::InOut => &[Unit::VaryingOutput],
                _ => &[Unit::VaryingInput],
            };
            list.extend(units.iter().map(|unit| {
                let varying = Varying {
                    name: Some(local.name.as_str()),
                    ty: local.ty,
                    semantic: param.semantic.map(Running::new),
                    asked: param.explicit.location.map(|(l, _)| l),
                    unit: *unit,
                };
                (Some(i), varying)
            }));
        }
        if function.result != TypeId::VOID {
            let varying = Varying {
                name: None,
                ty: function.result,
                semantic: function.result_semantic.map(Running::new),
                asked: function.result_explicit.location.map(|(l, _)| l),
                unit: Unit::VaryingOutput,
            };
            list.push((None, varying));
        }
        list
    }

    fn used_by(&self, entry: usize) -> Vec<Variable> {
        let reach = self.reach.get(entry);
        let list = self.layout.parameters.iter().map(|p| {
            let used = u8::from(reach.is_some_and(|r| r.contains(&p.global)));
            let mut list = bindings(&p.place.offset, &p.place.space, &p.layout);
            for binding in list.iter_mut().filter(|b| b.kind != "uniform") {
                binding.used = Some(used);
            }
            let name = self.program.globals[p.global].name.to_string();
            let mut variable = Variable { name: Some(name), ..Variable::default() };
            put(&mut variable, list);
            variable
        });
        list.collect()
    }

    /// Every leaf of every global parameter with its absolute position.
    fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for p in &self.layout.parameters {
            let name = self.program.globals[p.global].name.as_str();
            let start = leaves.len();
            self.leaf(name, p.place, &p.layout, &mut leaves);
            let users = self.program.entry_points.iter().zip(&self.reach).filter(|(_, r)| r.contains(&p.global));
            let users: Vec<String> = users.map(|(e, _)| e.name.to_string()).collect();
            for leaf in leaves.iter_mut().skip(start) {
                leaf.entry_points = users.clone();
            }
        }
        leaves
    }

    fn leaf(&self, path: &str, place: Place, layout: &TypeLayout, leaves: &mut Vec<Leaf>) {
        match &layout.detail {
            Detail::Struct(fields) => {
                let Type::Struct(id) = self.program.types.get(layout.ty) else { return };
                for (field, var) in self.program.structs[id].fields.iter().zip(fields) {
                    let place = place.field(&var.offset);
                    self.leaf(&format!("{path}.{}", field.name), place, &var.layout, leaves);
                }
            }
            Detail::Array { element, .. } if !is_plain(element) => {
                if let Some((place, element)) = enter_array(place, layout) {
                    self.leaf(path, place, element, leaves);
                }
            }
            Detail::Block { container, own_space, .. } => {
                let inside = enter_block(place, layout);
                for (unit, _) in container.units() {
                    let mut at = place;
                    if *own_space {
                        at.space.set(unit, place.offset.get(Unit::Space));
                        at.offset.set(unit, 0);
                    }
                    leaves.push(self.slot_leaf(path, unit, &at));
                }
                if let Some((place, element)) = inside {
                    self.leaf(path, place, element, leaves);
                }
            }
            _ => {
                // The space of an array without bound is told with its register.
                for (unit, used) in layout.usage.units().filter(|(u, _)| *u != Unit::Space) {
                    leaves.push(match unit {
                        Unit::Bytes => Leaf {
                            path: path.to_owned(),
                            kind: unit_kind(unit).to_owned(),
                            offset: Some(place.offset.get(unit)),
                            size: Some(count(used)),
                            ..Leaf::default()
                        },
                        _ => self.slot_leaf(path, unit, &place),
                    });
                }
            }
        }
    }

    fn slot_leaf(&self, path: &str, unit: Unit, place: &Place) -> Leaf {
        let (index, space) = (place.offset.get(unit), place.space.get(unit));
        let names = self.emitted.get(path).map_or(&[][..], Vec::as_slice);
        let fits = |b: &tree::Binding| {
            (u64::from(b.index), u64::from(b.space)) == (index, space) && (b.class.is_none() || b.class == unit.class())
        };
        let here = names.iter().find(|(b, _)| fits(b)).or(names.last());
        Leaf {
            path: path.to_owned(),
            kind: unit_kind(unit).to_owned(),
            class: unit.class().filter(|_| self.layout.settings.api == Api::D3d),
            index: Some(index),
            space: Unit::SLOTS.contains(&unit).then_some(space),
            emitted_name: here.map(|(_, name)| (*name).to_owned()),
            ..Leaf::default()
        }
    }
}

fn is_plain(layout: &TypeLayout) -> bool {
    match &layout.detail {
        Detail::Plain | Detail::Matrix { .. } => true,
        Detail::Array { element, .. } => is_plain(element),
        _ => false,
    }
}

/// Adds the bindings of an output to those of the input that it also is.
fn add_output(input: &mut Variable, output: Variable) {
    let own = |v: &mut Variable| v.binding.take().into_iter().chain(std::mem::take(&mut v.bindings)).collect();
    let (mut bindings, mut output): (Vec<Binding>, Variable) = (own(input), output);
    let more: Vec<Binding> = own(&mut output);
    bindings.extend(more);
    put(input, bindings);
    input.stage = input.stage.take().or(output.stage);
    if let (Some(input), Some(output)) = (&mut input.ty, output.ty) {
        add_output_type(input, *output);
    }
}

/// The same for their types, which are of one shape.
fn add_output_type(input: &mut TypeNode, output: TypeNode) {
    let TypeNode { fields, element_type, sizes, .. } = output;
    if let (Some(input), Some(output)) = (&mut input.sizes, sizes) {
        input.extend(output);
    }
    for (input, output) in input.fields.iter_mut().flatten().zip(fields.into_iter().flatten()) {
        add_output(input, output);
    }
    if let (Some(input), Some(output)) = (&mut input.element_type, element_type) {
        add_output_type(input, *output);
    }
}

/// Numbers stage inputs and outputs (FACTS 15).
struct Varyings<'a> {
    builder: &'a Builder<'a>,
    stage: Stage,
    inputs: Locations,
    outputs: Locations,
}

/// A parameter or result of an entry point among stage inputs and outputs.
struct Varying<'a> {
    name: Option<&'a str>,
    ty: TypeId,
    semantic: Option<Running>,
    /// The location that it asks for.
    asked: Option<u32>,
    unit: Unit,
}

/// A semantic whose index runs over the leaves below it.
#[derive(Clone)]
struct Running {
    name: String,
    index: u32,
}

impl Running {
    fn new(semantic: Semantic) -> Running {
        let (name, index) = semantic.split();
        Running { name, index }
    }
}

impl Varyings<'_> {
    fn given(&mut self, unit: Unit) -> &mut Locations {
        if unit == Unit::VaryingOutput { &mut self.outputs } else { &mut self.inputs }
    }

    /// Targets and, but for D3D, what asks for a location have it before the others are numbered.
    fn explicit(&self, varying: &Varying) -> Option<u64> {
        let d3d = self.builder.layout.settings.api == Api::D3d;
        if self.are_targets(varying.unit) || (!d3d && self.fields_ask(varying.ty)) {
            return Some(0);
        }
        varying.asked.filter(|_| !d3d).map(u64::from)
    }

    /// Whether outputs are numbered by the index of `SV_Target`.
    fn are_targets(&self, unit: Unit) -> bool {
        let by_order = self.builder.layout.settings.policy.targets_by_order;
        self.stage == Stage::Fragment && unit == Unit::VaryingOutput && !by_order
    }

    /// Whether fields of a struct say their locations.
    fn fields_ask(&self, ty: TypeId) -> bool {
        let program = self.builder.program;
        match program.types.get(program.types.innermost(ty)) {
            Type::Struct(id) => program.structs[id].fields.iter().any(|f| f.explicit.location.is_some()),
            _ => false,
        }
    }

    /// The locations that a parameter asks for are not given away.
    fn reserve(&mut self, varying: &Varying) {
        if let Some(start) = self.explicit(varying) {
            let mut walk = self.walk(varying);
            let (_, used) = walk.node(varying.ty, &mut varying.semantic.clone(), None);
            self.given(varying.unit).reserve(small(start), small(used));
        }
    }

    fn walk(&self, varying: &Varying) -> VaryingWalk<'_> {
        VaryingWalk {
            builder: self.builder,
            stage: self.stage,
            unit: varying.unit,
            targets: self.are_targets(varying.unit),
            at: 0,
        }
    }

    fn variable(&mut self, varying: &Varying) -> Variable {
        let mut semantic = varying.semantic.clone();
        let mut walk = self.walk(varying);
        let (node, used) = walk.node(varying.ty, &mut semantic, None);
        let stage = (used > 0).then(|| self.stage.name().to_owned());
        let mut variable = Variable { name: varying.name.map(str::to_owned), stage, ..Variable::default() };
        if used > 0 {
            let start = match self.explicit(varying) {
                Some(start) => start,
                None => self.given(varying.unit).give(small(used)).into(),
            };
            variable.binding = Some(slot(varying.unit, start, 0, used));
        }
        set_semantic(&mut variable, varying.semantic.as_ref());
        variable.ty = Some(Box::new(node));
        variable
    }
}

fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The walk over the leaves of one varying.
struct VaryingWalk<'a> {
    builder: &'a Builder<'a>,
    stage: Stage,
    unit: Unit,
    /// Leaves lie where the index of their semantic says.
    targets: bool,
    /// The next location within the parameter.
    at: u64,
}

impl VaryingWalk<'_> {
    /// The type's node and how many locations it takes.
    fn node(&mut self, ty: TypeId, semantic: &mut Option<Running>, asked: Option<u32>) -> (TypeNode, u64) {
        let program = self.builder.program;
        let mut node = self.builder.bare_type(ty);
        if let Some(target) = semantic.as_ref().filter(|s| self.targets && s.name == "SV_TARGET") {
            self.at = target.index.into();
        }
        self.at = asked.map_or(self.at, u64::from);
        let start = self.at;
        let mut end = start;
        match program.types.get(ty) {
            Type::Struct(id) => {
                let mut fields = Vec::new();
                for field in &program.structs[id].fields {
                    let (variable, last) = self.field(field, start, semantic);
                    end = end.max(last);
                    fields.push(variable);
                }
                node.fields = Some(fields);
            }
            Type::Array(element, n) => {
                let (ty, used) = self.node(element, semantic, None);
                node.element_type = Some(Box::new(ty));
                let more = used.saturating_mul(u64::from(n.unwrap_or(1).saturating_sub(1)));
                if let Some(semantic) = semantic.as_mut().filter(|_| used > 0) {
                    semantic.index = semantic.index.saturating_add(small(more));
                }
                end = self.at.saturating_add(more);
            }
            Type::Patch(_, element, _) | Type::MeshOutput(_, element, _) | Type::Stream(_, element) => {
                let (ty, _) = self.node(element, semantic, None);
                node.element_type = Some(Box::new(ty));
                end = self.at;
            }
            ty => {
                end += self.locations(ty, semantic.as_ref());
                if let Some(semantic) = semantic {
                    semantic.index = semantic.index.saturating_add(small(end - start).max(1));
                }
            }
        }
        self.at = end;
        let used = end - start;
        node.sizes = Some(if used > 0 {
            vec![Size { kind: unit_kind(self.unit).to_owned(), value: count(used), alignment: None }]
        } else {
            Vec::new()
        });
        (node, used)
    }

    /// A field of a struct that begins at `start`, and one past its last location.
    fn field(&mut self, field: &Field, start: u64, outer: &mut Option<Running>) -> (Variable, u64) {
        // The outermost semantic wins.
        let mut own = field.semantic.map(Running::new);
        let semantic = if outer.is_some() { outer } else { &mut own };
        let shown = semantic.clone();
        let d3d = self.builder.layout.settings.api == Api::D3d;
        let asked = field.explicit.location.filter(|_| !d3d).map(|(l, _)| l);
        let (ty, used) = self.node(field.ty, semantic, asked);
        let mut variable = Variable {
            name: Some(field.name.to_string()),
            stage: (used > 0).then(|| self.stage.name().to_owned()),
            ty: Some(Box::new(ty)),
            ..Variable::default()
        };
        if used > 0 {
            let offset = (self.at - used).saturating_sub(start);
            variable.binding = Some(slot(self.unit, offset, 0, used));
        }
        set_semantic(&mut variable, shown.as_ref());
        (variable, if used > 0 { self.at } else { start })
    }

    fn locations(&self, ty: Type, semantic: Option<&Running>) -> u64 {
        match ty {
            _ if !takes_location(self.stage, semantic, self.unit) => 0,
            Type::Matrix(_, rows, columns) => {
                let order = self.builder.program.default_matrix_order;
                of_matrix(&self.builder.layout.settings.policy, order, rows, columns).into()
            }
            _ => 1,
        }
    }
}

/// System values take no location, but for the targets of a fragment shader.
fn takes_location(stage: Stage, semantic: Option<&Running>, unit: Unit) -> bool {
    match semantic {
        Some(s) if s.name.starts_with("SV_") => {
            stage == Stage::Fragment && unit == Unit::VaryingOutput && s.name == "SV_TARGET"
        }
        _ => true,
    }
}

fn set_semantic(variable: &mut Variable, semantic: Option<&Running>) {
    if let Some(semantic) = semantic {
        variable.semantic_name = Some(semantic.name.clone());
        variable.semantic_index = (semantic.index != 0).then_some(semantic.index);
    }
}

fn access_word(access: Access) -> Option<String> {
    let word = match access {
        Access::Read => return None,
        Access::ReadWrite => "readWrite",
        Access::Write => "write",
        Access::RasterOrdered => "rasterOrdered",
        Access::Feedback => "feedback",
    };
    Some(word.to_owned())
}

fn emitted_entry_name(emitted: &[&Program], entry: &tree::EntryPoint) -> String {
    let mut functions = emitted.iter().flat_map(|p| p.entry_points.iter().map(move |e| (e, &p.functions[e.function])));
    let found = functions.find(|(e, _)| e.name == entry.name && e.stage == entry.stage);
    found.map_or_else(|| entry.name.to_string(), |(_, f)| f.name.to_string())
}

/// The position that the source asks for, as it would be written.
fn requested(explicit: &Explicit) -> Option<String> {
    let mut words: Vec<String> = explicit.registers.iter().map(register_text).collect();
    if let Some((binding, set, _)) = explicit.vk_binding {
        words.push(format!("vk::binding({binding}, {set})"));
    }
    if let Some((set, _)) = explicit.vk_set {
        words.push(format!("layout(set = {set})"));
    }
    if let Some((bytes, _)) = explicit.packoffset {
        let component = ["x", "y", "z", "w"].get((bytes / 4 % 4) as usize).copied().unwrap_or("x");
        words.push(format!("packoffset(c{}.{component})", bytes / 16));
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn register_text(register: &ExplicitRegister) -> String {
    let space = register.space.map_or(String::new(), |s| format!("space{s}"));
    match (register.class, register.space) {
        (Some(class), None) => format!("register({class}{})", register.index),
        (Some(class), Some(_)) => format!("register({class}{}, {space})", register.index),
        (None, _) => format!("register({space})"),
    }
}

/// Attributes that no rule of ours reads, for the application.
fn user_attributes(attributes: &[tree::Attribute]) -> Vec<UserAttribute> {
    let user = attributes.iter().filter(|a| !a.name.as_str().contains("::"));
    user.map(|a| UserAttribute { name: a.name.to_string(), arguments: a.args.iter().map(argument).collect() }).collect()
}

fn argument(arg: &AttributeArg) -> serde_json::Value {
    match arg {
        AttributeArg::Int(n) => (*n).into(),
        AttributeArg::Float(x) => (*x).into(),
        AttributeArg::Text(s) | AttributeArg::Name(s) => s.as_str().into(),
    }
}
