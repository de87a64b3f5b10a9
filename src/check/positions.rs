//! Explicit positions beside the types that they are for: classes of registers, `packoffset`, and where neither means
//! anything.

use super::Checker;
use super::attributes::CLASSES;
use super::constant::eval;
use super::convert::numeric;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Access, BufferKind, Explicit, ExplicitRegister, Field, GlobalId, GlobalKind, Length, Program, Semantic, Type,
    TypeId,
};

impl Checker<'_> {
    /// What a global's registers and `packoffset` ask for.
    pub(super) fn check_global_place(&mut self, id: GlobalId, language: Language) {
        let global = &self.program.globals[id];
        let (name, kind, ty, explicit) = (global.name, global.kind, global.ty, global.explicit.clone());
        self.refuse_packoffset(&explicit);
        let scalar = matches!(self.program.types.get(ty), Type::Scalar(_) | Type::Enum(_));
        if kind == GlobalKind::Specialization && !scalar {
            let message = format!("the specialization constant `{name}` is not a scalar");
            self.diags.push(Diagnostic::error(Code::BAD_ATTRIBUTE, self.program.globals[id].span, message));
        }
        // Targets compute nothing for it.
        if kind == GlobalKind::Specialization
            && let Some(tree) = &self.program.globals[id].init
            && let Err((at, why)) = eval(&self.program, &tree.exprs, tree.root)
        {
            let span = tree.exprs[tree.root].span;
            let message = format!("the value of the specialization constant `{name}` must be a constant");
            self.diags.push(Diagnostic::error(Code::NOT_CONSTANT, span, message).label(at, why));
        }
        match kind {
            GlobalKind::Parameter => {
                if self.program.any_leaf(ty, &mut |t| t == Type::Text) {
                    let message = format!("the shader parameter `{name}` holds a string, which no application can set");
                    self.error(Code::NOT_A_TYPE, self.program.globals[id].span, message);
                }
                self.check_classes(ty, &explicit.registers, language);
                self.refuse_space_of_data(ty, &explicit.registers);
                self.place_as_dxc(id, language);
                self.refuse_unbounded(name, ty, self.program.globals[id].span, true);
            }
            _ => self.report_ignored(name, ty, &explicit.registers),
        }
    }

    /// The same of a uniform parameter of a function.
    pub(super) fn check_parameter_place(&mut self, ty: TypeId, explicit: &Explicit) {
        self.refuse_packoffset(explicit);
        self.check_classes(ty, &explicit.registers, self.language());
    }

    /// A member of a `cbuffer` or struct has the place that its block gives it, but for its bytes.
    pub(super) fn check_field_place(&mut self, field: &Field, in_buffer: bool) {
        self.report_ignored(field.name, field.ty, &field.explicit.registers);
        if !in_buffer && self.options.places_as_dxc {
            self.check_struct_field(field);
        }
        let Some((bytes, span)) = field.explicit.packoffset else { return };
        let fault = match in_buffer {
            _ if !self.program.holds_data(field.ty) && field.ty != TypeId::ERROR => {
                Some(format!("`{}` takes no bytes of a constant buffer that `packoffset` could place", field.name))
            }
            true => packoffset_fault(&self.program, field.ty, bytes),
            false => None,
        };
        if let Some(fault) = fault {
            self.diags.push(Diagnostic::error(Code::BAD_REGISTER, span, fault));
        }
    }

    /// Variables in functions, and results, have no place at all.
    pub(super) fn check_no_place(&mut self, name: Symbol, semantics: &[ast::Semantic]) {
        for semantic in semantics {
            match semantic {
                ast::Semantic::PackOffset(_, span) => self.packoffset_error(*span),
                ast::Semantic::Register(_, span) => {
                    let message = format!("`{name}` is not a shader parameter and has no register");
                    self.diags.push(Diagnostic::error(Code::BAD_REGISTER, *span, message));
                }
                ast::Semantic::Name(_) | ast::Semantic::Read(_) | ast::Semantic::Write(_) => {}
            }
        }
    }

    /// The semantic of what a function gives: where it gives nothing, there is none.
    pub(super) fn result_semantic(&mut self, semantic: Option<Semantic>, ty: TypeId, span: Span) -> Option<Semantic> {
        if semantic.is_some() && ty == TypeId::VOID {
            let message = "a function without a result has no semantic: it is ignored";
            self.diags.push(Diagnostic::warning(Code::BAD_ATTRIBUTE, span, message));
        }
        semantic.filter(|_| ty != TypeId::VOID)
    }

    /// Whether all registers suit the type.
    fn check_classes(&mut self, ty: TypeId, registers: &[ExplicitRegister], language: Language) -> bool {
        let types = &self.program.types;
        let held = types.get(types.innermost(ty));
        let other_class = self.takes_other_class(ty, language);
        let whole = !held.is_resource() || matches!(held, Type::ParameterBlock(_));
        let ignored = whole && self.options.ignores_unfit_registers;
        let mut found = Vec::new();
        for register in registers {
            let Some(fault) = register_fault(&self.program, ty, register) else { continue };
            let taken =
                register.class.filter(|_| other_class).and_then(|class| Some((class, class_of_dxc(held, class)?)));
            found.push(match taken {
                Some((class, other)) => {
                    let text = format!("{fault}; `{class}{0}` is taken as `{other}{0}` here", register.index);
                    Diagnostic::warning(Code::BAD_REGISTER, register.span, text)
                }
                None if ignored => {
                    Diagnostic::warning(Code::BAD_REGISTER, register.span, format!("{fault}; it is ignored"))
                }
                None => Diagnostic::error(Code::BAD_REGISTER, register.span, fault),
            });
        }
        let suit = found.is_empty();
        found.into_iter().for_each(|d| self.diags.push(d));
        suit
    }

    /// Whether a register of a class that does not suit the type may stand for one that does. In HLSL DXC takes `t3` of a
    /// sampler for `s3`, `s3` of a texture for `t3` and `b3` of plain data for `c3`, whatever the policy.
    fn takes_other_class(&self, ty: TypeId, language: Language) -> bool {
        let held = self.program.types.get(self.program.types.innermost(ty));
        let sampled = matches!(held, Type::Sampler(_) | Type::Texture(_));
        let data = !self.program.holds_resource(ty) && !self.options.ignores_unfit_registers;
        self.options.places_as_dxc || language == Language::Hlsl && (sampled || data)
    }

    /// Registers of a class that stands for another one become that.
    fn place_as_dxc(&mut self, id: GlobalId, language: Language) {
        let types = &self.program.types;
        let ty = self.program.globals[id].ty;
        let held = types.get(types.innermost(ty));
        let mixed = !matches!(held, Type::Sampler(_) | Type::Texture(_)) && self.program.holds_resource(ty);
        if mixed || !self.takes_other_class(ty, language) {
            return;
        }
        for register in &mut self.program.globals[id].explicit.registers {
            register.class = register.class.map(|class| class_of_dxc(held, class).unwrap_or(class));
        }
    }

    /// What DXC takes in a `cbuffer` and in no struct.
    fn check_struct_field(&mut self, field: &Field) {
        self.refuse_packoffset(&field.explicit);
        self.refuse_unbounded(field.name, field.ty, field.span, false);
    }

    /// Arrays of resources without bound that DXC refuses: those in structs, those of structs and of arrays.
    fn refuse_unbounded(&mut self, name: Symbol, ty: TypeId, span: Span, alone: bool) {
        let types = &self.program.types;
        let Type::Array(element, Length::Unsized) = types.get(ty) else { return };
        let taken = alone && !matches!(types.get(element), Type::Array(..) | Type::Struct(_));
        if self.options.places_as_dxc && !taken && self.program.holds_resource(ty) {
            let message = format!("the array `{name}` needs a number of elements here");
            let note = "DXC takes an unbounded array only if it is a global whose elements are resources; the other binding policies take this";
            self.diags.push(Diagnostic::error(Code::BAD_LAYOUT, span, message).note(note));
        }
    }

    /// Plain data is in the buffer of all plain globals, whose space it does not choose.
    fn refuse_space_of_data(&mut self, ty: TypeId, registers: &[ExplicitRegister]) {
        let types = &self.program.types;
        let apart = self.options.places_as_dxc && matches!(types.get(types.innermost(ty)), Type::Struct(_));
        if ty == TypeId::ERROR || self.program.holds_resource(ty) && !apart {
            return;
        }
        for register in registers.iter().filter(|r| r.space.is_some()) {
            let (message, note) = match apart {
                true => ("a struct has no register space here", "DXC refuses it; the other binding policies take it"),
                false => (
                    "plain data has no register space of its own",
                    "it lies in the buffer of all plain globals; one in a `cbuffer` can be placed",
                ),
            };
            self.diags.push(Diagnostic::error(Code::BAD_REGISTER, register.span, message).note(note));
        }
    }

    /// Registers of what has none, even if they suit its type.
    fn report_ignored(&mut self, name: Symbol, ty: TypeId, registers: &[ExplicitRegister]) {
        if !self.check_classes(ty, registers, self.language()) {
            return;
        }
        for register in registers {
            let message = format!("the register of `{name}` is ignored; only shader parameters have one");
            self.diags.push(Diagnostic::warning(Code::BAD_REGISTER, register.span, message));
        }
    }

    fn refuse_packoffset(&mut self, explicit: &Explicit) {
        if let Some((_, span)) = explicit.packoffset {
            self.packoffset_error(span);
        }
    }

    fn packoffset_error(&mut self, span: Span) {
        let message = "`packoffset` is for members of a `cbuffer`";
        self.diags.push(Diagnostic::error(Code::BAD_REGISTER, span, message));
    }
}

/// Why a member of a type cannot be packed at an offset, if it cannot: vectors must not cross a row of 16 bytes, matrices
/// begin one. Everything else may be anywhere, as DXC has it: a double lies in two words, whichever these are.
pub fn packoffset_fault(program: &Program, ty: TypeId, bytes: u32) -> Option<String> {
    let crosses_row = |size: u32| if size > 16 { !bytes.is_multiple_of(16) } else { bytes % 16 + size > 16 };
    match program.types.get(ty) {
        Type::Vector(s, n) if crosses_row(s.size() * u32::from(n)) => Some(crosses(bytes)),
        Type::Matrix(..) if !bytes.is_multiple_of(16) => {
            Some(format!("a matrix begins a row; `packoffset(c{})` would do", bytes / 16))
        }
        _ => None,
    }
}

/// The words of a vector that crosses a row.
fn crosses(bytes: u32) -> String {
    format!("at byte {bytes} it would cross the end of row c{}; vectors lie within one row of 16 bytes", bytes / 16)
}

/// The class that DXC takes a register of another one for: `b3` and `i3` of plain data are `c3`, `t3` of a sampler is `s3`,
/// and `s3` of a texture is `t3`.
fn class_of_dxc(held: Type, class: char) -> Option<char> {
    match class {
        'b' | 'i' if !held.is_resource() => Some('c'),
        't' if matches!(held, Type::Sampler(_)) => Some('s'),
        's' if matches!(held, Type::Texture(t) if t.access == Access::Read) => Some('t'),
        _ => None,
    }
}

/// The letters of the registers that a parameter of a type may have; `None` if any will do. Plain data takes `c`, a place in
/// the buffer of all plain globals.
pub fn register_classes(program: &Program, ty: TypeId) -> Option<String> {
    let letters = |text: &str| Some(text.to_owned());
    match program.types.get(program.types.innermost(ty)) {
        Type::Texture(t) if t.combined => letters("ts"),
        Type::Texture(t) if t.access == Access::Read => letters("t"),
        Type::Texture(_) => letters("u"),
        Type::Sampler(_) => letters("s"),
        Type::Buffer(BufferKind::Append(_) | BufferKind::Consume(_) | BufferKind::Counter, ..) => letters("u"),
        Type::Buffer(_, Access::Read, _) => letters("t"),
        Type::Buffer(..) => letters("u"),
        // What lies in it beside its data follows that.
        Type::ConstantBuffer(_, _) => letters("b"),
        Type::ParameterBlock(inner) => match program.types.get(inner) {
            Type::Struct(_) => Some(with_fields(program, inner, "b")),
            _ => letters("b"),
        },
        Type::TextureBuffer(_) | Type::AccelerationStructure | Type::SubpassInput(..) => letters("t"),
        Type::Struct(_) => Some(with_fields(program, program.types.innermost(ty), "")),
        Type::DynamicResource(samplers) => letters(if samplers { "s" } else { "tub" }),
        _ if numeric(&program.types, program.types.innermost(ty)).is_some() => letters("c"),
        _ => None,
    }
}

/// The letters of all fields of a struct, each once. A type cannot contain itself, so this ends.
fn with_fields(program: &Program, ty: TypeId, first: &str) -> String {
    let Type::Struct(id) = program.types.get(ty) else { return first.to_owned() };
    let mut all = first.to_owned();
    for field in &program.structs[id].fields {
        let letters = register_classes(program, field.ty).unwrap_or_default();
        // The data of a block is in its buffer.
        let new = letters.chars().filter(|c| !(all.contains(*c) || *c == 'c' && first == "b")).collect::<String>();
        all.push_str(&new);
    }
    all
}

/// What is wrong with the class of a register for a type, if anything.
pub fn register_fault(program: &Program, ty: TypeId, register: &ExplicitRegister) -> Option<String> {
    let (class, allowed) = (register.class?, register_classes(program, ty)?);
    if allowed.contains(class) {
        return None;
    }
    let wanted: Vec<String> = allowed.chars().map(|c| format!("`{c}`")).collect();
    let holds = CLASSES.iter().find(|(c, _)| *c == class).map_or("", |(_, what)| what);
    match wanted.is_empty() {
        true => Some(format!("`{class}` registers hold {holds}; this takes none")),
        false => Some(format!("`{class}` registers hold {holds}; this needs {}", wanted.join(" or "))),
    }
}

#[cfg(test)]
mod tests {
    use crate::check::tests::problems;

    #[test]
    fn positions_suit_types() {
        for (declaration, fault) in [
            ("cbuffer C { float3 a : packoffset(c0.y); }", ""),
            ("cbuffer C { float3 a : packoffset(c0.z); }", "cross"),
            ("cbuffer C { float3x3 a : packoffset(c0.y); }", "matrix"),
            ("cbuffer C { float3x3 a : packoffset(c2); }", ""),
            ("cbuffer C { double4 a : packoffset(c1); }", ""),
            ("cbuffer C { float a[3] : packoffset(c0.y); }", ""),
            ("cbuffer C { float a : packoffset(c0.w); }", ""),
            ("Texture2D<float4> t : register(t0);", ""),
            ("Texture2D<float4> t[] : register(t0);", ""),
            ("Texture2D<float4> t : register(space0);", ""),
            ("RWTexture2D<float4> t : register(u0);", ""),
            ("ConstantBuffer<float4> c : register(b0);", ""),
            ("Texture2D<float4> t : register(b0);", "`b` registers hold constant buffers; this needs `t`"),
            ("ConstantBuffer<float4> c : register(t0);", "`t` registers"),
            ("RWTexture2D<float4> t : register(t0);", "`t` registers"),
        ] {
            let problems = problems("a.hlsl", declaration);
            assert_eq!(problems.is_empty(), fault.is_empty(), "{declaration}: {problems:?}");
            assert!(problems.iter().all(|p| p.contains(fault)), "{declaration}: {problems:?}");
        }
    }
}
