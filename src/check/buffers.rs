//! What may lie where: data of known size in buffers and variables, resources only in blocks that split.

use super::Checker;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{AddressSpace, BufferKind, Expr, ExprKind, GlobalKind, Length, LocalId, Texture, Type, TypeId};

type Fault = (Span, String);

impl Checker<'_> {
    /// Reports types that no buffer or variable can hold.
    pub(super) fn check_buffers(&mut self) {
        let mut faults: Vec<Fault> = Vec::new();
        self.check_fields(&mut faults);
        for (name, ty, span) in self.declared() {
            let fault = self.array_fault(name, ty).or_else(|| self.block_fault(name, ty));
            faults.extend(fault.map(|text| (span, text)));
        }
        // A variable may hold what comes out of a descriptor heap.
        for (name, ty, span) in self.locals() {
            let innermost = self.program.types.innermost(ty);
            let is_list = ty != innermost && self.program.types.get(innermost) == Type::Text;
            faults.extend(is_list.then(|| (span, format!("`{name}` is an array of strings"))));
            faults.extend(self.block_fault(name, ty).map(|text| (span, text)));
        }
        for (name, ty, span) in self.declared().into_iter().chain(self.locals()) {
            faults.extend(self.element_fault(name, ty).map(|text| (span, text)));
        }
        self.check_variables(&mut faults);
        for (span, message) in faults {
            self.error(Code::BAD_LAYOUT, span, message);
        }
    }

    fn check_fields(&self, faults: &mut Vec<Fault>) {
        for (_, s) in self.program.structs.iter().filter(|(_, s)| !s.builtin) {
            for field in s.fields.iter().rev().skip(1).filter(|f| self.is_unsized(f.ty)) {
                let message = format!("`{}` has no size; only the last field of a struct may be so", field.name);
                faults.push((field.span, message));
            }
            // No target has them inside of others.
            if let Some(field) = s.fields.last().filter(|f| self.is_open_struct(f.ty)) {
                let message = format!("`{}` ends in an array without a size, so it cannot be a field", field.name);
                faults.push((field.span, message));
            }
        }
    }

    /// Only parameters may have no size: variables and results have one.
    fn check_variables(&self, faults: &mut Vec<Fault>) {
        for (_, global) in self.program.globals.iter() {
            let plain = self.has_unsized_data(global.ty);
            if global.kind == GlobalKind::Parameter && plain {
                let message = format!("`{}` has no size; arrays of plain data need one", global.name);
                faults.push((global.span, message));
            } else if global.kind != GlobalKind::Parameter && (plain || self.is_unsized(global.ty)) {
                faults.push((global.span, format!("the variable `{}` needs a size", global.name)));
            }
        }
        for (_, function) in self.program.functions.iter().filter(|(_, f)| !f.builtin) {
            for param in &function.params {
                let local = &function.code.locals[param.local];
                if let Some(message) = self.array_fault(local.name, local.ty).filter(|_| self.is_of_blocks(local.ty)) {
                    faults.push((local.span, message));
                }
                if self.has_unsized_data(local.ty) {
                    faults.push((local.span, format!("`{}` has no size; arrays of plain data need one", local.name)));
                }
            }
            let params: Vec<LocalId> = function.params.iter().map(|p| p.local).collect();
            let own = function.code.locals.iter().filter(|(id, _)| !params.contains(id)).map(|(_, local)| local);
            for local in own.filter(|local| self.is_open_struct(local.ty)) {
                faults.push((local.span, format!("the variable `{}` needs a size", local.name)));
            }
            let assigned = |e: &Expr| matches!(e.kind, ExprKind::Assign(..)) && self.has_unsized_data(e.ty);
            for (_, e) in function.code.exprs.iter().filter(|(_, e)| assigned(e)) {
                faults.push((e.span, "what has no size cannot be assigned".to_owned()));
            }
            // An unbounded array of resources is the parameter that it comes from.
            if self.has_unsized_data(function.result) {
                faults.push((function.span, format!("what `{}` gives has no size", function.name)));
            }
        }
    }

    /// Globals and fields of structs.
    fn declared(&self) -> Vec<(Symbol, TypeId, Span)> {
        let structs = self.program.structs.iter().filter(|(_, s)| !s.builtin);
        let fields = structs.flat_map(|(_, s)| &s.fields).map(|f| (f.name, f.ty, f.span));
        self.program.globals.iter().map(|(_, g)| (g.name, g.ty, g.span)).chain(fields).collect()
    }

    fn locals(&self) -> Vec<(Symbol, TypeId, Span)> {
        let functions = self.program.functions.iter().filter(|(_, f)| !f.builtin);
        functions.flat_map(|(_, f)| f.code.locals.iter()).map(|(_, l)| (l.name, l.ty, l.span)).collect()
    }

    /// What is wrong with what a resource holds or a pointer points to: nothing has no texels, and resources have no address.
    fn element_fault(&self, name: Symbol, ty: TypeId) -> Option<String> {
        match self.program.types.get(self.program.types.innermost(ty)) {
            Type::Buffer(_, _, TypeId::VOID) | Type::Texture(Texture { element: TypeId::VOID, .. }) => {
                Some(format!("`{name}` holds elements of `void`"))
            }
            Type::Pointer(to, _) if self.program.holds_resource(to) => {
                Some(format!("`{name}` points to a resource, which has no address"))
            }
            Type::Pointer(to, AddressSpace::Device(_)) if self.program.any_leaf(to, &mut is_of_functions) => {
                Some(format!("`{name}` points to `{}`, which is in no memory of the device", self.type_text(to)))
            }
            _ => None,
        }
    }

    /// What is wrong with an array: blocks have spaces of their own, and only the outermost dimension may be open.
    fn array_fault(&self, name: Symbol, ty: TypeId) -> Option<String> {
        let Type::Array(element, _) = self.program.types.get(ty) else { return None };
        let innermost = self.program.types.innermost(ty);
        if matches!(self.program.types.get(innermost), Type::ParameterBlock(_)) {
            return Some(format!("`{name}` is an array of parameter blocks, and a block has a space of its own"));
        }
        if self.holds_block(innermost) {
            return Some(format!("the elements of `{name}` hold parameter blocks, and a block has a space of its own"));
        }
        match self.program.types.get(element) {
            Type::Array(..) if self.is_unsized(element) => {
                Some(format!("the inner dimensions of `{name}` need sizes; only the first may be without"))
            }
            Type::Array(..) => self.array_fault(name, element),
            Type::ConstantBuffer(held, _) | Type::TextureBuffer(held) if self.is_unsized(held) => {
                Some(format!("the elements of `{name}` hold an unbounded array, so they have no size"))
            }
            _ if self.is_unsized(element) => {
                Some(format!("the elements of `{name}` hold an unbounded array, so they have no size"))
            }
            _ => None,
        }
    }

    /// Whether a type is an array of parameter blocks, or of what holds them.
    fn is_of_blocks(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Array(..)) && self.holds_block(ty)
    }

    fn holds_block(&self, ty: TypeId) -> bool {
        self.program.any_leaf(ty, &mut |leaf| match leaf {
            Type::ParameterBlock(_) => true,
            Type::ConstantBuffer(held, _) | Type::TextureBuffer(held) => self.holds_block(held),
            _ => false,
        })
    }

    /// What is wrong with the contents of a buffer or block.
    fn block_fault(&self, name: Symbol, ty: TypeId) -> Option<String> {
        let innermost = self.program.types.innermost(ty);
        match self.program.types.get(innermost) {
            Type::Handle(resource) => self.block_fault(name, resource),
            Type::Buffer(_, _, element) if self.program.holds_resource(element) => {
                Some(format!("the elements of `{name}` hold resources, which no buffer can"))
            }
            Type::Buffer(_, _, held)
            | Type::ConstantBuffer(held, _)
            | Type::TextureBuffer(held)
            | Type::ParameterBlock(held)
                if self.program.holds_object(held) =>
            {
                Some(format!("`{name}` holds a ray query or hit object, which only a variable can"))
            }
            Type::Buffer(BufferKind::Typed, _, element)
                if matches!(self.program.types.get(element), Type::Matrix(..) | Type::Array(..)) =>
            {
                Some(format!("what `{name}` holds is neither a scalar nor a vector"))
            }
            Type::Buffer(BufferKind::Block(_), _, element)
                if !matches!(self.program.types.get(element), Type::Struct(_)) =>
            {
                Some(format!("the contents of `{name}` are no struct"))
            }
            Type::Buffer(kind, _, element) if !matches!(kind, BufferKind::Block(_)) && self.is_unsized(element) => {
                Some(format!("the elements of `{name}` have no size"))
            }
            Type::ConstantBuffer(element, _) | Type::TextureBuffer(element) | Type::ParameterBlock(element)
                if self.has_unsized_data(element) =>
            {
                Some(format!("`{name}` holds an unbounded array, which a constant buffer cannot"))
            }
            _ => None,
        }
    }

    /// Whether a type is an array without a size, or a struct that ends with one. A type cannot contain itself, so this
    /// ends.
    pub(super) fn is_unsized(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Array(element, count) => count.is_unsized() || self.is_unsized(element),
            Type::Struct(id) => self.program.structs[id].fields.last().is_some_and(|f| self.is_unsized(f.ty)),
            _ => false,
        }
    }

    /// Whether a type is a struct that holds an unsized array of plain data.
    fn is_open_struct(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Struct(_)) && self.has_unsized_data(ty)
    }

    /// Whether a type holds an unsized array of plain data.
    fn has_unsized_data(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Array(element, Length::Unsized) => self.program.holds_data(element),
            Type::Array(element, _) => self.has_unsized_data(element),
            Type::Struct(id) => self.program.structs[id].fields.iter().any(|f| self.has_unsized_data(f.ty)),
            _ => false,
        }
    }
}

/// Whether what is of a type is in functions alone, or in what stages pass each other.
fn is_of_functions(ty: Type) -> bool {
    ty.is_object() || matches!(ty, Type::Stream(..) | Type::Patch(..) | Type::MeshOutput(..) | Type::Text)
}
