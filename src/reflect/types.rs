//! The structs and enums of a program's interface, without layout: the same type may lie differently in several places.

use super::build::{Builder, field_name, named_struct, scalar_kind, set_semantic, user_attributes};
use super::model::{EnumCase, TypeNode, Variable};
use crate::tree::{EnumId, StructId, Type, TypeId};
use std::collections::BTreeSet;

/// The types of parameters, then of stage inputs and outputs, each once, before it those that it is made of.
pub(super) fn types(builder: &Builder) -> Vec<TypeNode> {
    let program = builder.program;
    let mut found = Found { builder, seen: BTreeSet::new(), list: Vec::new() };
    for p in &builder.layout.parameters {
        found.ty(program.globals[p.global].ty);
    }
    for entry in &program.entry_points {
        let function = &program.functions[entry.function];
        function.params.iter().for_each(|p| found.ty(function.code.locals[p.local].ty));
        found.ty(function.result);
    }
    found.list
}

struct Found<'a, 'b> {
    builder: &'b Builder<'a>,
    seen: BTreeSet<TypeId>,
    list: Vec<TypeNode>,
}

impl Found<'_, '_> {
    fn ty(&mut self, ty: TypeId) {
        if !self.seen.insert(ty) {
            return;
        }
        match self.builder.program.types.get(ty) {
            Type::Struct(id) => self.structure(id),
            Type::Enum(id) => self.enumeration(id),
            Type::Pointer(inner, _)
            | Type::Patch(_, inner, _)
            | Type::MeshOutput(_, inner, _)
            | Type::Stream(_, inner) => {
                self.ty(inner);
            }
            Type::Texture(t) => self.ty(t.element),
            other => other.element().into_iter().for_each(|t| self.ty(t)),
        }
    }

    fn structure(&mut self, id: StructId) {
        let s = &self.builder.program.structs[id];
        s.fields.iter().for_each(|f| self.ty(f.ty));
        if self.builder.contents.contains(&id) {
            return;
        }
        let fields = s.fields.iter().map(|f| {
            let declared = self.builder.declared(field_name(s, f), f.span, (&f.explicit, &f.attributes));
            let mut variable = Variable { ty: Some(Box::new(self.builder.bare_type(f.ty))), ..declared };
            set_semantic(&mut variable, f.semantic.map(|s| s.split()));
            variable
        });
        let node = TypeNode {
            fields: Some(fields.collect()),
            user_attribs: user_attributes(&s.attributes),
            location: self.builder.location(s.span),
            ..named_struct(s)
        };
        self.list.push(node);
    }

    fn enumeration(&mut self, id: EnumId) {
        let e = &self.builder.program.enums[id];
        let node = TypeNode {
            kind: "enum".to_owned(),
            name: (!e.name.is_empty()).then(|| e.name.to_string()),
            scalar_type: Some(scalar_kind(e.tag)),
            cases: e.cases.iter().map(|c| EnumCase { name: c.name.to_string(), value: c.value }).collect(),
            location: self.builder.location(e.span),
            ..TypeNode::default()
        };
        self.list.push(node);
    }
}
