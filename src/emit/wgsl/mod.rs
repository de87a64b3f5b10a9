//! WGSL: one file with all entry points.

mod directives;
mod expr;
mod types;

use super::context::{Context, Group, Spacing, footer, header};
use super::dialect::Spelling;
use super::marks::PieceKind;
use super::reversed::reversed_products;
use super::writer::{Slot, Writer};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;

/// The dialect.
struct Wgsl;

/// The text of a program, and the places between its declarations.
pub(super) fn emit(cx: &Context) -> (String, Vec<Slot>) {
    let w = Writer::new(cx.options, &cx.marks, cx.head_origin());
    let mut file = WgslFile { cx, w };
    file.items();
    file.w.finish()
}

/// The one member of the structs that storage buffers in arrays are.
const BUFFER_MEMBER: &str = "data";

/// The classes of slots, in the order of the groups that stand for them.
const CLASSES: [char; 3] = ['b', 't', 's'];

struct WgslFile<'a> {
    cx: &'a Context<'a>,
    w: Writer,
}

impl WgslFile<'_> {
    fn items(&mut self) {
        let mut spacing = Spacing::default();
        if header(self.cx, &mut self.w) {
            spacing.head();
        }
        for line in directives::collect(self.cx) {
            spacing.before(Group::Lines(u8::MAX), &mut self.w);
            self.w.line(&line);
        }
        if let Some(note) = reversed_products(self.cx) {
            spacing.before(Group::Block, &mut self.w);
            self.w.line(&note);
        }
        let cx = self.cx;
        self.w.slot(Span::default());
        for item in cx.printed() {
            let group = match item {
                Item::Global(id) if self.cx.program.globals[id].block.is_none() => {
                    Group::Lines(self.cx.program.globals[id].kind as u8)
                }
                _ => Group::Block,
            };
            spacing.before_item(cx, item, group, &mut self.w);
            self.w.from(cx.origin(item));
            match item {
                Item::Struct(id) => self.structure(&self.cx.program.structs[id]),
                Item::Global(id) => self.global(&self.cx.program.globals[id]),
                Item::Function(id) => self.function(id),
                Item::Enum(_) => {}
            }
        }
        footer(cx, &mut self.w);
    }

    fn structure(&mut self, structure: &Struct) {
        self.w.before(&structure.comments);
        self.w.open(&format!("struct {}", structure.name));
        for field in &structure.fields {
            self.cx.before_member(field.span, &field.comments, &mut self.w);
            let attributes = place(&field.attributes, &field.explicit, field.modifiers);
            let sized = memory_attributes(&field.attributes);
            let declared = Wgsl.variable(self.cx, field.ty, (field.name.as_str(), field.span));
            let around = self.w.from((field.span, PieceKind::Name));
            self.w.line(&format!("{attributes}{sized}{declared},"));
            self.w.from(around);
            self.w.after(&field.comments);
        }
        if structure.fields.is_empty() {
            self.w.line("unused: i32,");
        }
        self.cx.close(structure.span, "", &mut self.w);
    }

    fn global(&mut self, global: &Global) {
        self.w.before(&global.comments);
        if let Some(block) = global.block {
            let buffer = Wgsl.type_name(self.cx, self.cx.program.types.innermost(global.ty));
            self.w.open(&format!("struct {block}"));
            self.w.line(&format!("{BUFFER_MEMBER}: {buffer},"));
            self.w.close("");
            self.w.blank();
        }
        let declared = Wgsl.variable(self.cx, global.ty, (global.name.as_str(), global.span));
        let mut text = match global.kind {
            GlobalKind::Parameter => self.parameter(global),
            // What is made of overrides is one, or a variable where it is no scalar.
            GlobalKind::Const if is_override(self.cx.program, global, 0) => {
                match self.cx.program.types.get(global.ty) {
                    Type::Scalar(_) => format!("override {declared}"),
                    _ => format!("var<private> {declared}"),
                }
            }
            GlobalKind::Const => format!("const {declared}"),
            GlobalKind::Groupshared => format!("var<workgroup> {declared}"),
            GlobalKind::Specialization => {
                let id = global.explicit.constant_id.flatten().map(|n| format!("@id({n}) ")).unwrap_or_default();
                format!("{id}override {declared}")
            }
            GlobalKind::Static | GlobalKind::Input | GlobalKind::Output | GlobalKind::Passed | GlobalKind::Heap => {
                format!("var<private> {declared}")
            }
        };
        if let (Some(init), true) = (&global.init, global.kind != GlobalKind::Groupshared) {
            text.push_str(" = ");
            self.cx.tree(&Wgsl, init).declared_value(init.root, global.span, &mut text);
        }
        self.w.line(&format!("{text};"));
        self.w.after(&global.comments);
    }

    /// `@binding(1) @group(0) var<uniform> camera: Camera`.
    fn parameter(&self, global: &Global) -> String {
        let place = match global.binding {
            Some(Binding { class: Some(class), index, .. }) if self.cx.profile.facts.api.facts().classes => {
                // A group stands for each class, which naga's Metal reads.
                let group = CLASSES.iter().position(|c| *c == class).unwrap_or(0);
                format!("@binding({index}) @group({group}) ")
            }
            Some(Binding { index, space, .. }) => format!("@binding({index}) @group({space}) "),
            None => String::new(),
        };
        let ty = self.cx.program.types.get(self.cx.program.types.innermost(global.ty));
        let space = match ty {
            _ if global.modifiers.has(Modifiers::PUSH_CONSTANT) => "<immediate>",
            Type::ConstantBuffer(_, _) => "<uniform>",
            Type::TextureBuffer(_) | Type::Buffer(_, Access::Read, _) => "<storage, read>",
            Type::Buffer(..) => "<storage, read_write>",
            _ => "",
        };
        let ty = match ty {
            Type::Texture(texture) => self.in_arrays(global.ty, types::texture(self.cx, &texture, Some(global))),
            _ => match global.block {
                Some(block) => self.in_arrays(global.ty, block.to_string()),
                None => types::declared(self.cx, global.ty, global.span),
            },
        };
        format!("{place}var{space} {}: {ty}", global.name)
    }

    /// What a type is an array of, if it is one, in the arrays.
    fn in_arrays(&self, ty: TypeId, element: String) -> String {
        match self.cx.program.types.get(ty) {
            Type::Array(inner, Length::Fixed(n)) => format!("binding_array<{}, {n}>", self.in_arrays(inner, element)),
            Type::Array(inner, Length::Unsized) => format!("binding_array<{}>", self.in_arrays(inner, element)),
            _ => element,
        }
    }

    fn function(&mut self, id: FunctionId) {
        let function = &self.cx.program.functions[id];
        self.w.before(&function.comments);
        if let Some(entry) = self.cx.entry_of(id) {
            // Where the target has no word for them, they do not show.
            let early =
                self.cx.profile.has(Capability::EarlyTests) && function.attribute("earlydepthstencil").is_some();
            if early && entry.stage == Stage::Fragment {
                self.w.line("@early_depth_test(force)");
            }
            self.stage(entry);
        }
        let params = self.cx.params(id, &|_, p| self.param(function, p));
        let result = match function.result {
            TypeId::VOID => String::new(),
            ty => {
                let is_entry = self.cx.entry_of(id).is_some();
                let place = || place(&function.attributes, &function.result_explicit, function.modifiers);
                let place = is_entry.then(place).unwrap_or_default();
                format!(" -> {place}{}", self.cx.declared_type(function.span, ty, Wgsl.type_name(self.cx, ty)))
            }
        };
        let head = format!("fn {}{params}{result}", function.name);
        self.cx.function_body(&Wgsl, &head, id, &mut self.w);
    }

    fn stage(&mut self, entry: &EntryPoint) {
        match entry.stage {
            Stage::Compute => {
                let size = self.group_size(entry);
                self.w.line(&format!("@compute @workgroup_size({size})"));
            }
            stage => self.w.line(&format!("@{}", stage.name())),
        }
    }

    /// `8, rows, 1`. The sizes are of one type, which numbers take.
    fn group_size(&self, entry: &EntryPoint) -> String {
        let axes = self.cx.group_size(&Wgsl, entry).into_iter().zip(entry.workgroup_constants);
        let axis = |(size, constant): (String, Option<GlobalId>)| match constant.map(|id| &self.cx.program.globals[id])
        {
            Some(global) if global.ty == TypeId::UINT => global.name.to_string(),
            Some(global) => format!("u32({})", global.name),
            None => size,
        };
        axes.map(axis).collect::<Vec<_>>().join(", ")
    }

    fn param(&self, function: &Function, param: &Param) -> String {
        let local = &function.code.locals[param.local];
        let place = place(&param.attributes, &param.explicit, param.modifiers);
        format!("{place}{}", Wgsl.variable(self.cx, local.ty, (local.name.as_str(), local.span)))
    }
}

/// `@builtin(position) ` or `@location(0) @interpolate(flat) `, as the lowering of entry points decided.
fn place(attributes: &[Attribute], explicit: &Explicit, modifiers: Modifiers) -> String {
    let mut text = String::new();
    for attribute in attributes {
        if let ("builtin", [AttributeArg::Name(name)]) = (attribute.name.as_str(), attribute.args.as_slice()) {
            text.push_str(&format!("@builtin({name}) "));
            // Another value is no less precise for it.
            if modifiers.has(Modifiers::PRECISE) && name.as_str() == "position" {
                text.push_str("@invariant ");
            }
            return text;
        }
    }
    let Some((location, _)) = explicit.location else { return text };
    text.push_str(&format!("@location({location}) "));
    if let Some(index) = explicit.index {
        text.push_str(&format!("@blend_src({index}) "));
    }
    let sampling = [(Modifiers::CENTROID, ", centroid"), (Modifiers::SAMPLE, ", sample")];
    let sampling = sampling.iter().find(|(m, _)| modifiers.has(*m)).map_or("", |(_, word)| word);
    if modifiers.has(Modifiers::NOINTERPOLATION) {
        text.push_str("@interpolate(flat) ");
    } else if modifiers.has(Modifiers::NOPERSPECTIVE) {
        text.push_str(&format!("@interpolate(linear{sampling}) "));
    } else if !sampling.is_empty() {
        text.push_str(&format!("@interpolate(perspective{sampling}) "));
    }
    text
}

/// `@align(16) @size(32) `, as the layout passes decided.
fn memory_attributes(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes {
        if let ("__align" | "__size", [AttributeArg::Int(n)]) = (attribute.name.as_str(), attribute.args.as_slice()) {
            text.push_str(&format!("@{}({n}) ", attribute.name.as_str().trim_start_matches('_')));
        }
    }
    text
}

/// Whether the value of a constant depends on a specialization constant.
fn is_override(program: &Program, global: &Global, depth: u32) -> bool {
    let Some(init) = global.init.as_ref().filter(|_| depth < 64) else { return false };
    init.exprs.any_part(init.root, |id| match init.exprs[id].kind {
        ExprKind::Global(used) => {
            let used = &program.globals[used];
            used.kind == GlobalKind::Specialization
                || used.kind == GlobalKind::Const && is_override(program, used, depth + 1)
        }
        _ => false,
    })
}
