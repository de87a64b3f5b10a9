//! Uniform, storage and push-constant blocks.
//!
//! | source | block |
//! | --- | --- |
//! | `cbuffer Camera { float4x4 view; }` | `uniform Camera { mat4 view; };` |
//! | `ConstantBuffer<Camera> camera;` | `uniform Camera { mat4 view; } camera;` where nothing else uses the struct |
//! | the same, struct used elsewhere | `uniform camera_block { Camera camera; };` |
//! | `StructuredBuffer<Particle> particles;` | `buffer particles_block { Particle particles[]; };` |
//! | arrays of buffers | an instance name with the sizes; contents that are no struct members are `data` |

use super::{Glsl, GlslFile, layout_of, memory_words};
use crate::emit::context::{Context, constant_element, transparent_element};
use crate::emit::dialect::{Spelling, sized_array, split_array};
use crate::emit::layout;
use crate::emit::marks::PieceKind;
use crate::layout::{Layouter, Policy, Settings};
use crate::symbol::Symbol;
use crate::tree::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The member of blocks in arrays that hold something else than a struct.
pub(in crate::emit) const CONTENTS: &str = "data";

/// Whether a shader parameter is printed as a block.
pub(super) fn is_block(cx: &Context, global: &Global) -> bool {
    let types = &cx.program.types;
    match types.get(types.innermost(global.ty)) {
        Type::ConstantBuffer(_, _) | Type::TextureBuffer(_) => true,
        Type::Buffer(kind, ..) => kind != BufferKind::Typed,
        _ => false,
    }
}

/// Structs that are the contents of one block and nothing else: their members are listed in the block.
pub(in crate::emit) fn member_structs(program: &Program) -> Vec<StructId> {
    let mut owners: BTreeMap<StructId, u32> = BTreeMap::new();
    let mut values = FxHashSet::default();
    let note = |ty: TypeId, values: &mut FxHashSet<StructId>| {
        if let Some(id) = value_struct(program, ty) {
            values.insert(id);
        }
    };
    for item in &program.items {
        match *item {
            Item::Global(id) => match constant_element(program, &program.globals[id]) {
                Some(id) => *owners.entry(id).or_insert(0) += 1,
                None => note(program.globals[id].ty, &mut values),
            },
            Item::Struct(id) => program.structs[id].fields.iter().for_each(|f| note(f.ty, &mut values)),
            Item::Function(id) => {
                let function = &program.functions[id];
                note(function.result, &mut values);
                function.code.locals.iter().for_each(|(_, l)| note(l.ty, &mut values));
                for ty in whole_values(&function.code) {
                    note(ty, &mut values);
                }
            }
            Item::Enum(_) => {}
        }
    }
    owners.into_iter().filter(|(id, n)| *n == 1 && !values.contains(id)).map(|(id, _)| id).collect()
}

/// The struct that values of a type hold directly, or in arrays and buffers.
fn value_struct(program: &Program, ty: TypeId) -> Option<StructId> {
    match program.types.get(program.types.innermost(ty)) {
        Type::Struct(id) => Some(id),
        Type::Buffer(_, _, element) | Type::Pointer(element, _) => value_struct(program, element),
        _ => None,
    }
}

/// Types of the live expressions, but for contents of which a field is taken.
fn whole_values(body: &Body) -> Vec<TypeId> {
    let live = body.expressions();
    let mut partial = FxHashSet::default();
    for id in &live {
        if let ExprKind::Field(base, _) = body.exprs[*id].kind
            && matches!(body.exprs[base].kind, ExprKind::Contents(_))
        {
            partial.insert(base);
        }
    }
    live.into_iter().filter(|id| !partial.contains(id)).map(|id| body.exprs[id].ty).collect()
}

/// `row_major` in GLSL's words: the transpose of ours.
fn order_word(order: MatrixOrder) -> &'static str {
    match order {
        MatrixOrder::Column => "row_major",
        MatrixOrder::Row => "column_major",
    }
}

/// The storage order of the first matrix in a type, if there is one.
fn first_order(program: &Program, ty: TypeId, own: Option<MatrixOrder>) -> Option<MatrixOrder> {
    match program.types.get(program.types.innermost(ty)) {
        Type::Matrix(..) => Some(own.unwrap_or(program.default_matrix_order)),
        Type::Struct(id) => {
            program.structs[id].fields.iter().find_map(|f| first_order(program, f.ty, f.matrix_order.or(own)))
        }
        _ => None,
    }
}

impl GlslFile<'_> {
    /// The blocks that pointers to device memory refer to: those of structs when the struct is declared, others at once.
    pub(super) fn pointers(&mut self, after: Option<StructId>) {
        let program = self.cx.program;
        for ty in self.pointers.clone() {
            let Type::Pointer(element, space) = program.types.get(ty) else { continue };
            let of = match program.types.get(program.types.innermost(element)) {
                Type::Struct(id) => Some(id),
                _ => None,
            };
            if of != after {
                continue;
            }
            let order = first_order(program, element, None);
            let named = self.cx.profile.facts.data_layouts.obeyed(space.data_layout(), false);
            let packing = if named == DataLayout::Default { "std430" } else { named.word() };
            let mut parts = vec!["buffer_reference".to_owned(), packing.to_owned()];
            if order == Some(MatrixOrder::Column) {
                parts.insert(0, order_word(MatrixOrder::Column).to_owned());
            }
            let settings = Settings::native(self.cx.profile.facts.api, Policy::SPEC);
            let layout = Layouter { program, settings: &settings }.contents(
                element,
                settings.rules_of(named, false),
                order.unwrap_or(program.default_matrix_order),
            );
            // Without a word it is 16, which few addresses are multiples of.
            if layout.align != 16 {
                parts.push(format!("buffer_reference_align = {}", layout.align));
            }
            if let Some(open) = open_struct(program, element) {
                let name = Glsl.type_name(self.cx, ty);
                self.members(&format!("layout({}) buffer {name}", parts.join(", ")), &program.structs[open], ";");
                continue;
            }
            let (base, sizes) = split_array(self.cx, element);
            let (base, name) = (Glsl.type_name(self.cx, base), Glsl.type_name(self.cx, ty));
            self.w.line(&format!("layout({}) buffer {name} {{ {base} data[]{sizes}; }};", parts.join(", ")));
        }
    }

    /// A block.
    pub(super) fn block(&mut self, global: &Global) {
        let program = self.cx.program;
        let (_, sizes) = sized_array(self.cx, &Glsl, global.ty, global.span);
        match program.types.get(program.types.innermost(global.ty)) {
            Type::ConstantBuffer(element, layout) => {
                let named = self.cx.profile.facts.data_layouts.obeyed(layout, true);
                let record = global.modifiers.has(Modifiers::SHADER_RECORD);
                let (storage, packing) = if record { ("buffer", "std430") } else { ("uniform", "std140") };
                let packing = if named == DataLayout::Default { packing } else { named.word() };
                self.constant_block(global, element, &sizes, (storage, packing));
            }
            Type::TextureBuffer(element) => {
                self.constant_block(global, element, &sizes, ("readonly buffer", "std430"));
            }
            Type::Buffer(kind, access, element) => self.storage_block(global, kind, access, element, &sizes),
            _ => {}
        }
    }

    /// `layout(row_major, std140, set = 0, binding = 1)`.
    fn block_layout(&self, global: &Global, packing: &str, order: Option<MatrixOrder>) -> String {
        let mut parts = Vec::new();
        if let Some(order @ MatrixOrder::Column) = order {
            parts.push(order_word(order).to_owned());
        }
        if global.modifiers.has(Modifiers::PUSH_CONSTANT) {
            parts.push("push_constant".to_owned());
            // Their own layout needs no word.
            parts.extend((packing != "std140").then(|| packing.to_owned()));
        } else if global.modifiers.has(Modifiers::SHADER_RECORD) {
            parts.extend(["shaderRecordEXT".to_owned(), packing.to_owned()]);
        } else {
            parts.push(packing.to_owned());
            parts.push(self.place(global));
        }
        layout_of(&parts)
    }

    fn constant_block(&mut self, global: &Global, element: TypeId, sizes: &str, (storage, packing): (&str, &str)) {
        let program = self.cx.program;
        let order = first_order(program, element, global.matrix_order);
        let layout = self.block_layout(global, packing, order);
        let name = global.name;
        let transparent = transparent_element(program, global).is_some();
        match self.element_struct(global) {
            Some(id) => {
                let structure = &program.structs[id];
                let block = if transparent { name } else { structure.name };
                if !transparent {
                    self.w.before(&structure.comments);
                }
                self.w.open(&format!("{layout}{storage} {block}"));
                for field in &structure.fields {
                    self.cx.before_member(field.span, &field.comments, &mut self.w);
                    let mut member = Vec::new();
                    if let Some(offset) = field.offset {
                        member.push(format!("offset = {offset}"));
                    }
                    let own = first_order(program, field.ty, field.matrix_order.or(global.matrix_order));
                    if let (Some(own), Some(block)) = (own, order)
                        && own != block
                    {
                        member.push(order_word(own).to_owned());
                    }
                    let layout = layout_of(&member);
                    let variable = Glsl.variable(self.cx, field.ty, (field.name.as_str(), field.span));
                    let around = self.w.from((field.span, PieceKind::Name));
                    self.w.line(&format!("{layout}{variable};"));
                    self.w.from(around);
                    self.w.after(&field.comments);
                }
                let instance = if transparent { String::new() } else { format!(" {name}{sizes}") };
                self.cx.close(structure.span, &format!("{instance};"), &mut self.w);
            }
            None => {
                let (member, instance) = contents_of(name, sizes);
                let (block, member) = (block_name(global), Glsl.variable(self.cx, element, (member, global.span)));
                self.short_block(&format!("{layout}{storage} {block}"), &member, &instance);
            }
        }
    }

    fn storage_block(&mut self, global: &Global, kind: BufferKind, access: Access, element: TypeId, sizes: &str) {
        let order = first_order(self.cx.program, element, global.matrix_order);
        let named = self.cx.profile.facts.data_layouts.obeyed(kind.data_layout(), false);
        let packing = if named == DataLayout::Default { "std430" } else { named.word() };
        let layout = self.block_layout(global, packing, order);
        let access =
            if matches!(kind, BufferKind::Append(_) | BufferKind::Consume(_)) { Access::ReadWrite } else { access };
        let words = memory_words(global, access);
        let name = global.name;
        if let Some(open) = open_block(self.cx.program, global) {
            let head = format!("{layout}{words}buffer {}", block_name(global));
            return self.members(&head, &self.cx.program.structs[open], &format!(" {name}{sizes};"));
        }
        let (base, element_sizes) = split_array(self.cx, element);
        let base = Glsl.type_name(self.cx, base);
        let unsized_ = if matches!(kind, BufferKind::Counter | BufferKind::Block(_)) { "" } else { "[]" };
        let block = block_name(global);
        let (member, instance) = contents_of(name, sizes);
        let member = format!("{base} {member}{unsized_}{element_sizes}");
        self.short_block(&format!("{layout}{words}buffer {block}"), &member, &instance);
    }

    /// A block with one member: a line, if that is not too wide.
    fn short_block(&mut self, head: &str, member: &str, instance: &str) {
        let whole = format!("{head} {{ {member}; }}{instance};");
        if !layout::is_broken(&whole, 0) {
            return self.w.line(&whole);
        }
        self.w.open(head);
        self.w.line(&format!("{member};"));
        self.w.close(&format!("{instance};"));
    }
}

/// The struct that a type is, if it ends in an array without a size: it is the contents of a block and never a type.
pub(super) fn open_struct(program: &Program, ty: TypeId) -> Option<StructId> {
    match program.types.get(ty) {
        Type::Struct(id) if is_open(program, id) => Some(id),
        _ => None,
    }
}

/// The struct whose members a storage block lists: it ends in an array without a size.
pub(super) fn open_block(program: &Program, global: &Global) -> Option<StructId> {
    match program.types.get(program.types.innermost(global.ty)) {
        Type::Buffer(BufferKind::Block(_), _, element) => open_struct(program, element),
        _ => None,
    }
}

/// Whether a struct ends in an array without a size.
pub(super) fn is_open(program: &Program, id: StructId) -> bool {
    let last = program.structs[id].fields.last();
    last.is_some_and(|f| matches!(program.types.get(f.ty), Type::Array(_, Length::Unsized)))
}

/// What the contents of a buffer are called in its block, and the instance name of the block: an array of blocks has one.
fn contents_of(name: Symbol, sizes: &str) -> (&'static str, String) {
    if sizes.is_empty() { (name.as_str(), String::new()) } else { (CONTENTS, format!(" {name}{sizes}")) }
}

/// The name of the block around a buffer.
fn block_name(global: &Global) -> Symbol {
    global.block.unwrap_or(global.name)
}

/// The names of blocks in the text, where they are not those of their buffers.
pub(in crate::emit) fn names(program: &Program) -> Vec<(GlobalId, Symbol)> {
    let members = member_structs(program);
    let name = |id: GlobalId| {
        let global = &program.globals[id];
        let block = global.block?;
        match constant_element(program, global) {
            Some(element) if !global.transparent && members.contains(&element) => Some(program.structs[element].name),
            _ => Some(block),
        }
    };
    program.listed_globals().filter_map(|id| Some((id, name(id)?))).collect()
}
