//! What may lie in a buffer: data of known size, resources only in blocks that split.

use super::Checker;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{GlobalKind, Type, TypeId};

impl Checker<'_> {
    /// Reports types that no buffer can hold.
    pub(super) fn check_buffers(&mut self) {
        let mut faults: Vec<(Span, String)> = Vec::new();
        for (_, s) in self.program.structs.iter().filter(|(_, s)| !s.builtin) {
            let unsized_ = |ty| matches!(self.program.types.get(ty), Type::Array(_, None));
            let inner = s.fields.iter().rev().skip(1).filter(|f| unsized_(f.ty));
            faults.extend(
                inner.map(|f| (f.span, format!("`{}` has no size; only the last field of a struct may be so", f.name))),
            );
        }
        for (name, ty, span) in self.declared() {
            if self.is_array_of_blocks(ty) {
                let message = format!("`{name}` is an array of parameter blocks, and a block has a space of its own");
                faults.push((span, message));
            }
        }
        for (_, global) in self.program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Parameter) {
            let element = match self.program.types.get(self.program.types.innermost(global.ty)) {
                Type::Buffer(_, _, element) if self.program.holds_resource(element) => {
                    let message = format!("the elements of `{}` hold resources, which no buffer can", global.name);
                    faults.push((global.span, message));
                    continue;
                }
                Type::ConstantBuffer(element) | Type::TextureBuffer(element) | Type::ParameterBlock(element) => element,
                _ => continue,
            };
            if self.has_unsized_data(element) {
                let message =
                    format!("`{}` holds an array without a size, which only a storage buffer can", global.name);
                faults.push((global.span, message));
            }
        }
        for (span, message) in faults {
            self.error(Code::BAD_LAYOUT, span, message);
        }
    }

    /// Parameters and fields of structs.
    fn declared(&self) -> Vec<(Symbol, TypeId, Span)> {
        let globals = self.program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Parameter);
        let fields = self.program.structs.iter().flat_map(|(_, s)| &s.fields).map(|f| (f.name, f.ty, f.span));
        globals.map(|(_, g)| (g.name, g.ty, g.span)).chain(fields).collect()
    }

    fn is_array_of_blocks(&self, ty: TypeId) -> bool {
        let innermost = self.program.types.innermost(ty);
        innermost != ty && matches!(self.program.types.get(innermost), Type::ParameterBlock(_))
    }

    /// Whether a type holds an unsized array of plain data. A type cannot contain itself, so this ends.
    fn has_unsized_data(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Array(element, None) => self.program.holds_data(element),
            Type::Array(element, _) => self.has_unsized_data(element),
            Type::Struct(id) => self.program.structs[id].fields.iter().any(|f| self.has_unsized_data(f.ty)),
            _ => false,
        }
    }
}
