//! Fields of buffers lie where layout put them.
//!
//! Before: `struct Light { float3 color; Tint tint; float w; }`, where the target's own rule puts `w` at another byte
//! After:  `struct Light { float3 color; @align(16) Tint tint; @align(16) float w; }`
//!
//! [`wanted`] has the layout of every buffer while its types are still those of the source; [`place`] compares that with
//! what the target makes of the types that are stored and writes the difference on the fields: `@align` and `@size`, or the
//! offset of a member of a block. What these cannot express is an error. Fields without bytes, which `empty_structs` drops,
//! are passed over.
//!
//! Rule: `layout-wgsl`.

use super::super::Context;
use super::super::empty_structs::is_empty;
use super::super::wide_integers::is_wide;
use super::leaves::leaves;
use super::slot::{Form, Slot};
use crate::layout::rules::{self, Rules, round_up};
use crate::layout::types::same;
use crate::layout::{BufferRules, Buffers, Detail, Layouter, Policy, Settings, TypeLayout, Unit, VarLayout};
use crate::source::Span;
use crate::target::{Capability, Placement};
use crate::tree::*;
use rustc_hash::FxHashSet;

/// The data of a buffer, and which rules of the target it is under.
pub(super) fn data(cx: &Context, settings: &Settings, id: GlobalId) -> Option<(TypeId, &'static Rules)> {
    let (program, global) = (&cx.program, &cx.program.globals[id]);
    let push_rules = if cx.notes.entry_blocks.contains(&id) { settings.rules.entry_push } else { settings.rules.push };
    if global.kind != GlobalKind::Parameter {
        return None;
    }
    match program.types.get(program.types.innermost(global.ty)) {
        Type::ConstantBuffer(t, layout) => {
            let constant = match () {
                () if global.modifiers.has(Modifiers::PUSH_CONSTANT) => push_rules,
                () if global.modifiers.has(Modifiers::SHADER_RECORD) => push_rules,
                () => settings.rules.constant,
            };
            let settings = Settings { rules: BufferRules { constant, ..settings.rules }, ..*settings };
            Some((t, settings.rules_of(layout, true)))
        }
        Type::TextureBuffer(t) => Some((t, settings.rules.texture)),
        Type::Buffer(
            kind @ (BufferKind::Structured(_) | BufferKind::Append(_) | BufferKind::Consume(_) | BufferKind::Block(_)),
            _,
            t,
        ) => Some((t, settings.rules_of(kind.data_layout(), false))),
        _ => None,
    }
}

/// What the target does by itself, whatever the source says of offsets.
pub(in super::super) fn native_settings(cx: &Context) -> Settings {
    let Settings { api, policy, .. } = cx.layout.settings;
    // Whatever a policy says of D3D's bytes, the compiler of the text has its own rules. Empty structs will be gone.
    let Buffers { d3d_constant, d3d_structured, .. } = Policy::SPEC.buffers;
    let policy = Policy { buffers: Buffers { d3d_constant, d3d_structured, ..policy.buffers }, ..policy };
    let data_layouts = cx.profile.facts.data_layouts;
    Settings { data_layouts, obey_vk_offset: false, obey_packoffset: false, ..Settings::native(api, policy) }
}

/// The layout of every buffer: by the target's own rules, but for members that have offsets.
pub(super) fn wanted(cx: &mut Context) -> Vec<(GlobalId, TypeLayout)> {
    let native = native_settings(cx);
    let program = &*cx.program;
    let all: Vec<(GlobalId, TypeLayout)> = program
        .listed_globals()
        .filter_map(|id| {
            let (ty, rules) = data(cx, &native, id)?;
            let order = program.globals[id].matrix_order.unwrap_or(program.default_matrix_order);
            let mut data = Layouter { program, settings: &native }.contents(ty, rules, order);
            if let (Detail::Struct(fields), Type::Struct(s)) = (&mut data.detail, program.types.get(ty)) {
                for (layout, field) in fields.iter_mut().zip(&program.structs[s].fields) {
                    if let Some(offset) = field.offset {
                        layout.offset.set(Unit::Bytes, offset.into());
                    }
                }
            }
            Some((id, data))
        })
        .collect();
    // After all layouts, which ask for analyses of the program as it is.
    for (id, data) in &all {
        if cx.program.globals[*id].stored.is_empty() {
            let slot = Slot::here(data.ty, Form::Same);
            let no_empty = !cx.profile.has(Capability::EmptyStructs);
            cx.program.globals[*id].stored = leaves(cx.program, &slot, no_empty);
        }
    }
    all
}

/// Writes on the fields where they are to be.
pub(super) fn place(cx: &mut Context, all: Vec<(GlobalId, TypeLayout)>) {
    let settings = cx.layout.settings;
    if cx.profile.facts.placement == Placement::Packoffset {
        return;
    }
    for (_, s) in cx.program.structs.iter_mut().filter(|_| !all.is_empty()) {
        s.fields.iter_mut().for_each(|f| f.offset = None);
    }
    let data_layouts = cx.profile.facts.data_layouts;
    let native = Settings { data_layouts, ..Settings::native(settings.api, settings.policy) };
    let (mut placed, mut sized) = (FxHashSet::default(), FxHashSet::default());
    for (id, wanted) in all {
        let Some((ty, rules)) = data(cx, &native, id) else { continue };
        let buffer = cx.program.types.innermost(cx.program.globals[id].ty);
        let faults = if cx.profile.facts.placement != Placement::AlignAndSize {
            place_members(cx, id, ty, rules, &wanted)
        } else {
            let mut placer = Placer {
                program: cx.program,
                rules: &rules::STD430,
                pairs: !cx.profile.has(Capability::Int64),
                placed: &mut placed,
                sized: &mut sized,
                faults: Vec::new(),
            };
            // Elements lie as far apart as the size of one says; what is alone has no distance.
            let alone = match placer.program.types.get(buffer) {
                Type::Buffer(kind, ..) => matches!(kind, BufferKind::Block(_)),
                _ => true,
            };
            placer.check(ty, &wanted, alone);
            placer.faults
        };
        for span in faults {
            let span = if span == Span::default() { cx.program.globals[id].span } else { span };
            let message =
                format!("{} cannot represent this at its offset in the layout of its buffer", cx.profile.name);
            cx.unsupported(span, message);
        }
    }
}

/// Offsets of the members of a block, where its own rules give others. Gives the spans of members that cannot have one.
fn place_members(cx: &mut Context, id: GlobalId, ty: TypeId, rules: &Rules, wanted: &TypeLayout) -> Vec<Span> {
    let order = cx.program.globals[id].matrix_order.unwrap_or(cx.program.default_matrix_order);
    let settings = cx.layout.settings;
    let natural = Layouter { program: cx.program, settings: &settings }.layout(ty, rules, order);
    let Type::Struct(s) = cx.program.types.get(ty) else {
        return if natural.size() == wanted.size() { Vec::new() } else { vec![Span::default()] };
    };
    let sayable = cx.profile.facts.placement == Placement::BlockOffset;
    let mut faults = Vec::new();
    let mut end = 0;
    let pairs = natural.fields().iter().zip(wanted.fields());
    let pairs = cx.program.structs[s].fields.iter_mut().zip(pairs);
    for (field, (natural, wanted)) in pairs.filter(|(_, (natural, _))| natural.layout.size() > 0) {
        let (align, offset) = (u64::from(natural.layout.align), wanted.offset.get(Unit::Bytes));
        if !same(&natural.layout, &wanted.layout) {
            faults.push(field.span);
        } else if round_up(end, align) != offset {
            if !sayable || offset < end || offset % align.max(1) != 0 {
                faults.push(field.span);
            }
            field.offset = u32::try_from(offset).ok();
        }
        // Of an array without a size it is without bound.
        end = offset.saturating_add(natural.layout.size());
    }
    faults
}

struct Placer<'a> {
    program: &'a mut Program,
    rules: &'static Rules,
    /// 64-bit integers will be pairs of words, and vectors of them arrays of pairs.
    pairs: bool,
    /// Structs whose fields are placed already.
    placed: &'a mut FxHashSet<StructId>,
    /// Structs inside of other types, whose size is written already.
    sized: &'a mut FxHashSet<StructId>,
    faults: Vec<Span>,
}

/// Size and alignment by the target's own rule.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Natural {
    size: u64,
    align: u64,
}

impl Placer<'_> {
    fn natural(&self, ty: TypeId) -> Natural {
        match self.program.types.get(ty) {
            Type::Scalar(s) | Type::Atomic(s) => Natural { size: s.size().into(), align: s.size().into() },
            Type::Vector(s, n) => self.vector(s, n),
            Type::Matrix(s, rows, columns) => self.array(self.vector(s, columns), rows.into()),
            Type::Array(element, count) => self.array(self.natural(element), count.laid_out().unwrap_or(0).into()),
            Type::Struct(id) => self.structure(id),
            // A number that nobody follows.
            Type::Pointer(..) => Natural { size: 8, align: 8 },
            _ => Natural { size: 4, align: 4 },
        }
    }

    fn vector(&self, s: Scalar, n: u8) -> Natural {
        if self.pairs && is_wide(s) {
            return self.array(Natural { size: s.size().into(), align: s.size().into() }, n.into());
        }
        let size = u64::from(s.size()) * u64::from(n);
        Natural { size, align: size.next_power_of_two() }
    }

    fn stride(&self, element: Natural) -> u64 {
        round_up(element.size, element.align.max(self.rules.min_align.into()))
    }

    fn array(&self, element: Natural, count: u64) -> Natural {
        Natural {
            size: self.stride(element).saturating_mul(count),
            align: element.align.max(self.rules.min_align.into()),
        }
    }

    fn structure(&self, id: StructId) -> Natural {
        let mut end = 0;
        let mut align = u64::from(self.rules.min_align);
        for field in self.program.structs[id].fields.iter().filter(|f| self.has_bytes(f.ty)) {
            let natural = self.natural(field.ty);
            let own = attribute(field, "__align").unwrap_or(0).max(natural.align);
            align = align.max(own);
            end = round_up(end, own) + attribute(field, "__size").unwrap_or(natural.size);
        }
        Natural { size: round_up(end, align), align }
    }

    /// Compares a type with its wanted layout, and places the fields of structs.
    fn check(&mut self, ty: TypeId, wanted: &TypeLayout, top: bool) {
        match (self.program.types.get(ty), &wanted.detail) {
            (Type::Struct(id), Detail::Struct(fields)) => self.place_fields(id, fields, wanted, top),
            (Type::Array(element, _), Detail::Array { element: inner, stride, .. }) => {
                self.check(element, inner, false);
                self.check_stride(element, stride.get(Unit::Bytes));
            }
            (Type::Array(element, _), Detail::Matrix { stride, .. }) => self.check_stride(element, (*stride).into()),
            (Type::Matrix(s, _, columns), Detail::Matrix { stride, .. }) => {
                let row = self.program.types.vector(s, columns);
                self.check_stride(row, (*stride).into());
            }
            _ => {}
        }
    }

    fn check_stride(&mut self, element: TypeId, wanted: u64) {
        if self.stride(self.natural(element)) == wanted {
            return;
        }
        let span = match self.program.types.get(self.program.types.innermost(element)) {
            Type::Struct(id) => self.program.structs[id].span,
            _ => Span::default(),
        };
        self.faults.push(span);
    }

    fn place_fields(&mut self, id: StructId, fields: &[VarLayout], wanted: &TypeLayout, top: bool) {
        let types = self.program.structs[id].fields.iter().map(|f| f.ty).zip(fields).enumerate();
        let with_bytes: Vec<(usize, (TypeId, &VarLayout))> = types.filter(|(_, (ty, _))| self.has_bytes(*ty)).collect();
        for &(index, (ty, field)) in &with_bytes {
            let before = self.faults.len();
            self.check(ty, &field.layout, false);
            // A fault of a plain array is the field's.
            let span = self.program.structs[id].fields.get(index).map(|f| f.span).unwrap_or_default();
            for fault in self.faults.iter_mut().skip(before).filter(|f| **f == Span::default()) {
                *fault = span;
            }
        }
        let first = self.placed.insert(id);
        let mut end = 0;
        for (index, (ty, field)) in with_bytes {
            let natural = self.natural(ty);
            let own = self.attribute(id, index, "__align").unwrap_or(0).max(natural.align);
            let offset = field.offset.get(Unit::Bytes);
            let at = round_up(end, own);
            if at != offset {
                self.move_field(id, index, end, offset, natural, first);
            } else if let Some(align) = self.raised(ty).filter(|_| first) {
                // Written again where it matters: not every compiler carries it outwards.
                self.set(id, index, "__align", align);
            }
            end = offset + self.attribute(id, index, "__size").unwrap_or(natural.size);
        }
        if !top {
            self.round(id, wanted);
        }
    }

    /// The alignment of a struct, if one of its fields raises it.
    fn raised(&self, ty: TypeId) -> Option<u64> {
        match self.program.types.get(self.program.types.innermost(ty)) {
            Type::Struct(id) => self.program.structs[id].fields.iter().filter_map(|f| attribute(f, "__align")).max(),
            _ => None,
        }
    }

    /// Makes a struct as large as it is wanted inside of another type.
    fn round(&mut self, id: StructId, wanted: &TypeLayout) {
        let size = round_up(wanted.size(), wanted.align.into());
        // Another type may rely on the size already.
        if self.sized.insert(id) && self.structure(id).size != size {
            let first = self.with_bytes(id).next().unwrap_or(0);
            self.set(id, first, "__align", wanted.align.into());
        }
        if self.structure(id).size != size {
            self.faults.push(self.program.structs[id].span);
        }
    }

    /// Writes the offset of a field that the target would put elsewhere.
    fn move_field(&mut self, id: StructId, index: usize, end: u64, offset: u64, natural: Natural, first: bool) {
        let Some(span) = self.program.structs[id].fields.get(index).map(|f| f.span) else { return };
        let possible = first && offset >= end && offset.is_multiple_of(natural.align.max(1));
        if possible && round_up(end, 16) == offset && natural.align <= 16 {
            self.set(id, index, "__align", 16);
        } else if let Some(before) = self.with_bytes(id).take_while(|i| *i < index).last().filter(|_| possible) {
            // The field before it is made to reach up to it.
            let natural = self.program.structs[id].fields.get(before).map(|f| self.natural(f.ty).size);
            let size = self.attribute(id, before, "__size").or(natural).unwrap_or(0);
            self.set(id, before, "__size", size + (offset - end));
        } else {
            self.faults.push(span);
        }
    }

    fn has_bytes(&self, ty: TypeId) -> bool {
        !is_empty(self.program, ty)
    }

    /// The fields that take bytes.
    fn with_bytes(&self, id: StructId) -> impl Iterator<Item = usize> {
        let fields = self.program.structs[id].fields.iter().enumerate();
        fields.filter(|(_, f)| self.has_bytes(f.ty)).map(|(index, _)| index)
    }

    fn attribute(&self, id: StructId, index: usize, name: &str) -> Option<u64> {
        self.program.structs[id].fields.get(index).and_then(|f| attribute(f, name))
    }

    fn set(&mut self, id: StructId, index: usize, name: &str, value: u64) {
        let Some(field) = self.program.structs[id].fields.get_mut(index) else { return };
        let args = vec![AttributeArg::Int(i64::try_from(value).unwrap_or(i64::MAX))];
        match field.attributes.iter_mut().find(|a| a.name == name) {
            Some(attribute) => attribute.args = args,
            None => field.attributes.push(Attribute {
                name: name.into(),
                args,
                declared: false,
                written: None,
                span: field.span,
            }),
        }
    }
}

fn attribute(field: &Field, name: &str) -> Option<u64> {
    field.attributes.iter().find(|a| a.name == name).and_then(|a| match a.args.as_slice() {
        [AttributeArg::Int(n)] => u64::try_from(*n).ok(),
        _ => None,
    })
}
