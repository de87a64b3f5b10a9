//! Payloads of rays, whose structs say which stages use which field from shader model 6.7 on.
//!
//! Spec: DXR, "Payload access qualifiers".

use super::HlslFile;
use crate::emit::context::Context;
use crate::target::{RAY_PAYLOAD, RAY_PAYLOADS_SINCE};
use crate::tree::*;
use rustc_hash::FxHashSet;

/// The argument of the attribute of builtins that pass something, where that is the payload of a ray.
const RAY: &str = "ray";

/// The structs that get the attribute.
pub(super) fn structs(cx: &Context) -> FxHashSet<StructId> {
    let mut found = FxHashSet::default();
    if cx.profile.version < RAY_PAYLOADS_SINCE {
        return found;
    }
    for item in cx.items {
        match *item {
            Item::Struct(id) if cx.program.structs[id].attributes.iter().any(|a| a.name == RAY_PAYLOAD) => {
                found.insert(id);
            }
            Item::Function(id) => found.extend(of_function(cx, &cx.program.functions[id])),
            Item::Struct(_) | Item::Enum(_) | Item::Global(_) => {}
        }
    }
    let traced = cx.entry_points.iter().filter(|e| matches!(e.stage, Stage::AnyHit | Stage::ClosestHit | Stage::Miss));
    for entry in traced {
        let function = &cx.program.functions[entry.function];
        let payload = function.params.iter().filter(|p| p.mode != ParamMode::In);
        found.extend(payload.filter_map(|p| struct_of(cx, function.code.locals[p.local].ty)));
    }
    found
}

fn struct_of(cx: &Context, ty: TypeId) -> Option<StructId> {
    match cx.program.types.get(ty) {
        Type::Struct(id) => Some(id),
        _ => None,
    }
}

/// What the calls of a function pass with rays.
fn of_function(cx: &Context, function: &Function) -> Vec<StructId> {
    let exprs = &function.code.exprs;
    let is_ray = |f: &Function| {
        let passes = f.attributes.iter().find(|a| a.name == PASSES);
        passes.is_some_and(|a| matches!(a.args.first(), Some(AttributeArg::Name(word)) if *word == RAY))
    };
    let passed = function.code.expressions().into_iter().filter_map(|id| match &exprs[id].kind {
        ExprKind::Call(f, args) if is_ray(&cx.program.functions[*f]) => args.last(),
        _ => None,
    });
    passed.filter_map(|arg| struct_of(cx, exprs[*arg].ty)).collect()
}

impl HlslFile<'_> {
    /// `[raypayload] `, before the name of a struct.
    pub(super) fn payload_attribute(&self, id: StructId) -> &'static str {
        if self.payloads.contains(&id) { "[raypayload] " } else { "" }
    }

    /// ` : read(caller) : write(miss)`, of a field of a payload. One that says nothing is free for all, and one that is a payload
    /// itself says it inside.
    pub(super) fn payload_access(&self, of: Option<StructId>, field: &Field) -> String {
        let is_payload = |id: StructId| self.payloads.contains(&id);
        if !of.is_some_and(is_payload) || struct_of(self.cx, field.ty).is_some_and(is_payload) {
            return String::new();
        }
        let access = if field.access.is_unsaid() { PayloadAccess::FREE } else { field.access };
        let said = [("read", access.read), ("write", access.write)];
        let words = |users: PayloadUsers| users.words().collect::<Vec<_>>().join(", ");
        said.into_iter().filter_map(|(word, users)| Some(format!(" : {word}({})", words(users?)))).collect()
    }
}
