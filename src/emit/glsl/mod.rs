//! GLSL for Vulkan, one file an entry point.

mod blocks;
pub(super) use blocks::{CONTENTS, member_structs, names as block_names};
mod expr;
mod extensions;
mod types;

use super::context::{Context, Group, Spacing, constant_element, footer, header, transparent_element};
use super::dialect::Spelling;
use super::marks::PieceKind;
use super::reversed::reversed_products;
use super::writer::{Slot, Writer};
use crate::source::Span;
use crate::target::format::Format;
use crate::target::glsl::{Bindings, ExtensionSupport};
use crate::target::invocation_modes::{GlslMode, InvocationMode};
use crate::target::{STAGE_LAYOUT, Varyings};
use crate::tree::*;
use std::collections::BTreeSet;

/// The dialect.
struct Glsl;

/// The text of a program, and the places between its declarations.
pub(super) fn emit(cx: &Context) -> (String, Vec<Slot>) {
    let w = Writer::new(cx.options, &cx.marks, cx.head_origin());
    let mut file = GlslFile { cx, w, pointers: Vec::new() };
    file.head();
    file.items();
    file.w.finish()
}

struct GlslFile<'a> {
    cx: &'a Context<'a>,
    w: Writer,
    /// Types of pointers to device memory.
    pointers: Vec<TypeId>,
}

/// Groups of one-line declarations.
const RESOURCES: u8 = 100;

impl GlslFile<'_> {
    /// Version and extensions come first, then the head of the source, then what the stage declares of itself.
    fn head(&mut self) {
        let found = extensions::collect(self.cx);
        let number = self.cx.profile.version_number().max(found.version);
        let glsl = &self.cx.profile.facts.glsl;
        self.w.line(&format!("#version {number}{}", glsl.suffix));
        for extension in found.extensions.iter().filter(|e| glsl.extension(e) == ExtensionSupport::Extension) {
            self.w.line(&format!("#extension {extension} : require"));
        }
        precisions(self.cx).iter().for_each(|line| self.w.line(line));
        self.w.blank();
        if header(self.cx, &mut self.w) {
            self.w.blank();
        }
        if let Some(note) = reversed_products(self.cx) {
            self.w.line(&note);
            self.w.blank();
        }
        self.w.slot(Span::default());
        self.primitives();
        // One to nothing is a number.
        let refers = |ty: &TypeId| !matches!(self.cx.program.types.get(*ty), Type::Pointer(TypeId::VOID, _));
        // Numbers of least precision have the name of others here, and so have pointers to them.
        let mut names = BTreeSet::new();
        let is_first = |ty: &TypeId| names.insert(Glsl.type_name(self.cx, *ty));
        self.pointers = found.pointers.into_iter().filter(refers).filter(is_first).collect();
        // Declared first: structs may hold pointers to themselves.
        for ty in self.pointers.clone() {
            self.w.line(&format!("layout(buffer_reference) buffer {};", Glsl.type_name(self.cx, ty)));
        }
        self.pointers(None);
        self.w.blank();
    }

    /// `layout(local_size_x = 8) in;` and its relatives, before the entry point.
    fn stage_layout(&mut self, function: &Function, entry: &EntryPoint) {
        let has_groups = matches!(entry.stage, Stage::Compute | Stage::Mesh | Stage::Amplification);
        if has_groups {
            // Behind the constants that it may name.
            self.w.line(&group_size(self.cx, entry));
        }
        if entry.stage == Stage::Compute {
            stage_layouts(self.cx, function).for_each(|line| self.w.line(&line));
        }
        if has_groups {
            self.w.blank();
        }
        for attribute in &function.attributes {
            let early = attribute.name.as_str().eq_ignore_ascii_case("earlydepthstencil");
            if early && entry.stage == Stage::Fragment {
                self.w.line("layout(early_fragment_tests) in;");
                self.w.blank();
            }
        }
    }

    /// `layout(triangles) in;`: what the stage declares of its primitives tells the sizes of arrays, and comes first.
    fn primitives(&mut self) {
        let mut lines = Vec::new();
        for entry in self.cx.entry_points.iter().filter(|entry| entry.stage != Stage::Compute) {
            lines.extend(stage_layouts(self.cx, &self.cx.program.functions[entry.function]));
            lines.extend(modes(self.cx, entry).filter_map(|spelling| match spelling {
                GlslMode::Layout(qualifier) => Some(format!("layout({qualifier}) in;")),
                GlslMode::Attribute(_) => None,
            }));
        }
        lines.iter().for_each(|line| self.w.line(line));
        self.w.blank();
    }

    fn items(&mut self) {
        let mut spacing = Spacing::default();
        let cx = self.cx;
        for item in cx.printed() {
            spacing.before_item(cx, item, self.group(item), &mut self.w);
            self.w.from(cx.origin(item));
            match item {
                Item::Struct(id) => {
                    if !blocks::is_open(self.cx.program, id) {
                        self.members(
                            &format!("struct {}", self.cx.program.structs[id].name),
                            &self.cx.program.structs[id],
                            ";",
                        );
                    }
                    self.pointers(Some(id));
                }
                Item::Global(id) => self.global(&self.cx.program.globals[id]),
                Item::Function(id) => self.function(id),
                Item::Enum(_) => {}
            }
        }
        footer(cx, &mut self.w);
    }

    fn group(&self, item: Item) -> Group {
        let Item::Global(id) = item else { return Group::Block };
        let global = &self.cx.program.globals[id];
        match global.kind {
            GlobalKind::Parameter if blocks::is_block(self.cx, global) => {
                let lists =
                    self.element_struct(global).is_some() || blocks::open_block(self.cx.program, global).is_some();
                if lists { Group::Block } else { Group::Lines(RESOURCES) }
            }
            GlobalKind::Parameter => Group::Lines(RESOURCES),
            kind => Group::Lines(kind as u8),
        }
    }

    /// The struct whose members are listed in the block of a global.
    fn element_struct(&self, global: &Global) -> Option<StructId> {
        transparent_element(self.cx.program, global).or_else(|| {
            let id = constant_element(self.cx.program, global)?;
            self.cx.is_block_struct(id).then_some(id)
        })
    }

    /// A struct, or a block of its members.
    fn members(&mut self, head: &str, structure: &Struct, end: &str) {
        self.w.before(&structure.comments);
        self.w.open(head);
        let fields: Vec<&Field> = structure.fields.iter().collect();
        let mut fields = fields.as_slice();
        while let (Some(field), Some((text, count, behind))) =
            (fields.first(), self.cx.field_declaration(fields, &|field| self.field_text(field)))
        {
            self.cx.before_member(field.span, &field.comments, &mut self.w);
            let around = self.w.from((field.span, PieceKind::Name));
            self.w.line(&format!("{text};"));
            self.w.from(around);
            self.w.after(&field.comments);
            self.w.after(behind);
            fields = fields.get(count..).unwrap_or_default();
        }
        // No struct is empty here.
        if structure.fields.is_empty() {
            self.w.line("int unused;");
        }
        self.cx.close(structure.span, end, &mut self.w);
    }

    fn field_text(&self, field: &Field) -> String {
        let precise = if field.modifiers.has(Modifiers::PRECISE) { "precise " } else { "" };
        precise.to_owned() + &Glsl.variable(self.cx, field.ty, (field.name.as_str(), field.span))
    }

    fn global(&mut self, global: &Global) {
        self.w.before(&global.comments);
        match global.kind {
            GlobalKind::Parameter if blocks::is_block(self.cx, global) => self.block(global),
            GlobalKind::Parameter => self.resource(global),
            GlobalKind::Input => self.varying(global, "in"),
            GlobalKind::Output => self.varying(global, "out"),
            GlobalKind::Passed => self.passed(global),
            GlobalKind::Heap => {}
            GlobalKind::Static => self.variable(global, ""),
            GlobalKind::Const => self.variable(global, "const "),
            GlobalKind::Groupshared => self.variable(global, "shared "),
            GlobalKind::Specialization => {
                let id = global.explicit.constant_id.flatten().unwrap_or(0);
                self.variable(global, &format!("layout(constant_id = {id}) const "));
            }
        }
        self.w.after(&global.comments);
    }

    fn variable(&mut self, global: &Global, words: &str) {
        let mut text = format!("{words}{}", Glsl.variable(self.cx, global.ty, (global.name.as_str(), global.span)));
        if let (Some(init), true) = (&global.init, global.kind != GlobalKind::Groupshared) {
            text.push_str(" = ");
            self.cx.tree(&Glsl, init).declared_value(init.root, global.span, &mut text);
        }
        self.w.line(&format!("{text};"));
    }

    /// `set = 0, binding = 1`.
    fn place(&self, global: &Global) -> String {
        match (global.binding, self.cx.profile.facts.glsl.bindings) {
            (Some(Binding { index, space, .. }), Bindings::SetAndBinding) => {
                format!("set = {space}, binding = {index}")
            }
            (Some(Binding { index, .. }), Bindings::Binding) => format!("binding = {index}"),
            (Some(_), Bindings::Name) | (None, _) => String::new(),
        }
    }

    /// Whether an input or output has a location in the text: between stages only where locations connect them.
    fn has_location(&self, global: &Global) -> bool {
        let stage = self.cx.entry_points.first().map(|e| e.stage);
        let outer = if global.kind == GlobalKind::Input { Stage::Vertex } else { Stage::Fragment };
        stage == Some(outer) || self.cx.profile.facts.varyings == Varyings::Locations
    }

    /// A texture, sampler, image, texel buffer, subpass input or acceleration structure.
    fn resource(&mut self, global: &Global) {
        let types = &self.cx.program.types;
        let mut layout = vec![self.place(global)];
        let mut words = String::new();
        let element = match types.get(types.innermost(global.ty)) {
            Type::Texture(t) if t.access != Access::Read => Some((t.element, t.access)),
            Type::Buffer(BufferKind::Typed, access, element) if access != Access::Read => Some((element, access)),
            Type::SubpassInput(..) => {
                layout
                    .push(format!("input_attachment_index = {}", global.explicit.input_attachment_index.unwrap_or(0)));
                None
            }
            _ => None,
        };
        if let Some((element, access)) = element {
            let format = Format::of_image(types, element, &global.explicit);
            layout.extend(format.in_glsl.then(|| format.name.to_owned()));
            words = memory_words(global, access);
        }
        let layout = layout_of(&layout);
        let variable = Glsl.variable(self.cx, global.ty, (global.name.as_str(), global.span));
        self.w.line(&format!("{layout}uniform {words}{variable};"));
    }

    /// `layout(location = 0) rayPayloadEXT Payload payload;`
    fn passed(&mut self, global: &Global) {
        let location = global.explicit.location.map(|(location, _)| format!("location = {location}"));
        let layout = layout_of(location.as_slice());
        let word = global.storage.map_or("", |word| word.as_str());
        let variable = Glsl.variable(self.cx, global.ty, (global.name.as_str(), global.span));
        self.w.line(&format!("{layout}{word} {variable};"));
    }

    /// A stage input or output.
    fn varying(&mut self, global: &Global, word: &str) {
        let mut layout = Vec::new();
        if let Some((location, _)) = global.explicit.location.filter(|_| self.has_location(global)) {
            layout.push(format!("location = {location}"));
        }
        if let Some(index) = global.explicit.index {
            layout.push(format!("index = {index}"));
        }
        for attribute in global.attributes.iter().filter(|a| a.name == "__layout") {
            layout.extend(attribute.args.iter().filter_map(|a| match a {
                AttributeArg::Text(text) => Some(text.to_string()),
                _ => None,
            }));
        }
        const WORDS: &[(Modifiers, &str)] = &[
            (Modifiers::PRECISE, "precise "),
            (Modifiers::NOINTERPOLATION, "flat "),
            (Modifiers::NOPERSPECTIVE, "noperspective "),
            (Modifiers::CENTROID, "centroid "),
            (Modifiers::SAMPLE, "sample "),
            (Modifiers::PERVERTEX, "pervertexEXT "),
            (Modifiers::PRIMITIVES, "perprimitiveEXT "),
        ];
        // What is not interpolated is not interpolated in some way.
        let flat = global.modifiers.has(Modifiers::NOINTERPOLATION);
        let meant = |m: Modifiers| {
            let way = m == Modifiers::NOPERSPECTIVE || m == Modifiers::CENTROID || m == Modifiers::SAMPLE;
            global.modifiers.has(m) && !(flat && way)
        };
        let words: String = WORDS.iter().filter(|(m, _)| meant(*m)).map(|(_, word)| *word).collect();
        let layout = layout_of(&layout);
        let variable = Glsl.variable(self.cx, global.ty, (global.name.as_str(), global.span));
        let storage = global.storage.map_or(String::new(), |storage| format!("{storage} "));
        self.w.line(&format!("{layout}{words}{storage}{word} {variable};"));
    }

    fn function(&mut self, id: FunctionId) {
        let function = &self.cx.program.functions[id];
        let entry = self.cx.entry_of(id);
        if let Some(entry) = entry {
            self.stage_layout(function, entry);
        }
        self.w.before(&function.comments);
        let params = self.cx.params(id, &|_, p| self.param(function, p));
        let precise = function.result != TypeId::VOID && function.modifiers.has(Modifiers::PRECISE);
        let precise = if precise { "precise " } else { "" };
        let result = format!("{precise}{}", Glsl.type_name(self.cx, function.result));
        let name = match entry {
            Some(_) => self.cx.profile.facts.entry_name.unwrap_or("main"),
            None => function.name.as_str(),
        };
        let head = format!("{result} {name}{params}");
        for spelling in entry.into_iter().flat_map(|entry| modes(self.cx, entry)) {
            if let GlslMode::Attribute(name) = spelling {
                self.w.line(&format!("[[{name}]]"));
            }
        }
        self.cx.function_body(&Glsl, &head, id, &mut self.w);
    }

    fn param(&self, function: &Function, param: &Param) -> String {
        let local = &function.code.locals[param.local];
        let word = match param.mode {
            ParamMode::In => "",
            // A ray query or hit object is passed as what it is, like a texture.
            _ if self.cx.program.types.get(self.cx.program.types.innermost(local.ty)).is_object() => "",
            ParamMode::Out => "out ",
            ParamMode::InOut | ParamMode::Ref => "inout ",
        };
        format!("{word}{}", Glsl.variable(self.cx, local.ty, (local.name.as_str(), local.span)))
    }
}

/// How the modes of an entry point are spelled.
fn modes(cx: &Context, entry: &EntryPoint) -> impl Iterator<Item = GlslMode> {
    let attributes = &cx.program.functions[entry.function].attributes;
    InvocationMode::had(attributes, entry.stage, cx.profile).filter_map(|mode| mode.glsl.map(|(spelling, _)| spelling))
}

/// `layout(local_size_x = 8, ...) in;`
fn group_size(cx: &Context, entry: &EntryPoint) -> String {
    let axes = ["x", "y", "z"].into_iter().zip(cx.group_size(&Glsl, entry)).zip(entry.workgroup_constants);
    let axis = |((axis, size), constant): ((&str, String), Option<GlobalId>)| {
        let id = constant.and_then(|id| cx.program.globals[id].explicit.constant_id.flatten());
        match id {
            Some(id) => format!("local_size_{axis} = {size}, local_size_{axis}_id = {id}"),
            None => format!("local_size_{axis} = {size}"),
        }
    };
    format!("layout({}) in;", axes.map(axis).collect::<Vec<_>>().join(", "))
}

/// `layout(triangles) in;` and `precise gl_Position;`, of what passes said of an entry point.
fn stage_layouts<'a>(cx: &'a Context, function: &'a Function) -> impl Iterator<Item = String> + 'a {
    let said = function.attributes.iter().filter(|a| a.name == STAGE_LAYOUT);
    said.filter_map(move |a| match a.args.as_slice() {
        [AttributeArg::Text(qualifiers), AttributeArg::Text(word)] => {
            let parts: Vec<String> = qualifiers.as_str().split(", ").map(|part| stated(cx, function, part)).collect();
            Some(format!("layout({}) {word};", parts.join(", ")))
        }
        [AttributeArg::Text(line)] => Some(line.to_string()),
        _ => None,
    })
}

/// Numbers in the layouts of stages, and the attributes that say them in the source.
const STATED: &[(&str, &str)] =
    &[("invocations", "instance"), ("max_vertices", "maxvertexcount"), ("vertices", "outputcontrolpoints")];

/// A part of the layout of a stage, with its number as the source has it: `max_vertices = 8` of `[maxvertexcount(VERTICES)]`.
fn stated(cx: &Context, function: &Function, part: &str) -> String {
    let number = part.split_once(" = ").and_then(|(key, number)| {
        let (_, name) = STATED.iter().find(|(known, _)| *known == key)?;
        let attribute = function.attribute(name)?;
        let number = cx.number(&Glsl, (attribute.span, 0, attribute.args.len()), number.parse().ok()?);
        Some(format!("{key} = {number}"))
    });
    number.unwrap_or_else(|| part.to_owned())
}

/// `layout(a, b) `, of the parts that say something.
fn layout_of(parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!("layout({}) ", parts.join(", ")) }
}

/// The precisions of what has none by itself in OpenGL ES: floats in fragment shaders, and most samplers and images.
fn precisions(cx: &Context) -> Vec<String> {
    if !cx.profile.facts.glsl.precisions {
        return Vec::new();
    }
    let program = cx.program;
    let mut names = BTreeSet::new();
    for item in cx.items {
        let Item::Global(id) = *item else { continue };
        let ty = program.types.innermost(program.globals[id].ty);
        if let Type::Texture(_) | Type::Buffer(BufferKind::Typed, ..) = program.types.get(ty) {
            names.insert(Glsl.type_name(cx, ty));
        }
    }
    ["float".to_owned(), "int".to_owned()].into_iter().chain(names).map(|n| format!("precision highp {n};")).collect()
}

/// `readonly `, `writeonly `, `coherent ` before an image or storage block.
fn memory_words(global: &Global, access: Access) -> String {
    let mut words = String::new();
    for (modifier, word) in [(Modifiers::GLOBALLYCOHERENT, "coherent "), (Modifiers::VOLATILE, "volatile ")] {
        if global.modifiers.has(modifier) {
            words.push_str(word);
        }
    }
    match access {
        Access::Read => words.push_str("readonly "),
        Access::Write => words.push_str("writeonly "),
        _ if global.modifiers.has(Modifiers::READONLY) => words.push_str("readonly "),
        _ if global.modifiers.has(Modifiers::WRITEONLY) => words.push_str("writeonly "),
        _ => {}
    }
    words
}
