//! Whether anything may read a system value that the target does not have, where the struct around it is used as a whole.
//!
//! ```text
//! struct V { float4 pos : SV_Position; uint view : SV_ViewID; }   f(input)      `f` may read `view`, which WGSL does not have
//! ```
//!
//! A struct is shared by stages, so that a field which nothing reads is left out, and is 0 in a copy of the struct. A field is read where
//! code names it but to assign it, where the struct goes to memory or to a builtin, and where what came in goes out again.

use super::Context;
use super::stage_io::Leaf;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::target::system_values::is_unknown;
use crate::tree::*;
use rustc_hash::FxHashSet;

/// A variable or an element of it that is filled with what comes in.
pub(super) struct Incoming<'a> {
    /// The parameter.
    pub local: LocalId,
    /// The type that the paths of leaves begin at.
    pub ty: TypeId,
    /// What goes out of the stage.
    pub going_out: &'a [Semantics],
}

/// A semantic without the prefix of system values, and its index.
pub(super) type Semantics = (String, u32);

/// The semantic of a leaf. What is a system value where it comes in may be a variable like any other where it goes out.
pub(super) fn plain_semantic(leaf: &Leaf) -> Option<Semantics> {
    let (name, index) = leaf.semantic.as_ref()?;
    Some((name.strip_prefix("SV_").unwrap_or(name).to_owned(), *index))
}

impl Context<'_> {
    /// Reports leaves that the stage does not have and something may read; `body` is that of the entry point.
    pub(super) fn report_missing<'l>(
        &mut self,
        (entry, body): (&EntryPoint, &Body),
        incoming: &Incoming,
        missing: impl Iterator<Item = &'l Leaf>,
    ) {
        for leaf in missing {
            let name = leaf.semantic.clone().unwrap_or_default().0;
            if is_read(self.program, (entry, body), incoming, leaf) {
                self.lacks_system_value(entry.stage, leaf.span, &name);
            } else {
                self.omits(leaf);
            }
        }
    }

    /// Tells of the leaves among some that nothing reads, by their numbers.
    pub(super) fn omits_unread(&mut self, leaves: &[Leaf], read: &[(ExprId, usize)]) {
        let unread = leaves.iter().enumerate().filter(|(at, _)| read.iter().all(|(_, index)| index != at));
        unread.for_each(|(_, leaf)| self.omits(leaf));
    }

    /// Tells of an input that nobody knows. A system value that is known is of other stages or targets.
    fn omits(&mut self, leaf: &Leaf) {
        let Some((name, _)) = leaf.semantic.as_ref().filter(|(name, _)| is_unknown(name)) else { return };
        let message = format!("`{}` is no system value: the input, which nothing reads, is omitted", spelled(name));
        self.diags.push(Diagnostic::warning(Code::OMITTED, leaf.span, message));
    }

    /// Reports a system value that does not come into a stage.
    pub(super) fn lacks_system_value(&mut self, stage: Stage, span: Span, name: &str) {
        let message = format!("{} has no `{}` in {} shaders", self.profile.name, spelled(name), stage.name());
        self.no_system_value(span, name, message);
    }
}

/// Whether code may read a leaf of what comes in.
fn is_read(program: &Program, (entry, body): (&EntryPoint, &Body), incoming: &Incoming, leaf: &Leaf) -> bool {
    let Some(field) = field_of(program, incoming.ty, &leaf.path) else { return true };
    let called = |body: &Body| {
        let calls = body.expressions().into_iter().filter_map(|id| match body.exprs[id].kind {
            ExprKind::Call(callee, _) => Some(callee),
            _ => None,
        });
        program.analyses().reached(calls).0
    };
    let others = called(body);
    let bodies = || others.iter().map(|id| &program.functions[*id].code).chain([body]);
    let uses: Vec<Use> = bodies().flat_map(|body| uses(program, body, field)).collect();
    let goes_on = || {
        let is_out = plain_semantic(leaf).is_some_and(|semantic| incoming.going_out.contains(&semantic));
        is_out && !uses.contains(&Use::Written) && goes_out(program, (entry, body), incoming.local, field.0)
    };
    uses.contains(&Use::Read) || goes_on()
}

/// The innermost struct and field on the way to a leaf.
fn field_of(program: &Program, whole: TypeId, path: &[Step]) -> Option<(TypeId, u32)> {
    let (mut ty, mut found) = (whole, None);
    for step in path {
        ty = match step {
            Step::Field(index) => {
                found = Some((ty, *index));
                program.field_type(ty, *index)?
            }
            Step::Element(_) => match program.types.array_parts(ty) {
                Some((element, _)) => element,
                None => break,
            },
        };
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    /// The whole field or a part of it is assigned.
    Written,
}

/// What a body does with a field of a struct.
fn uses(program: &Program, body: &Body, (owner, field): (TypeId, u32)) -> Vec<Use> {
    let live = body.expressions();
    let parents = body.exprs.parents(&live);
    let mut found = Vec::new();
    for &id in &live {
        match &body.exprs[id].kind {
            ExprKind::Field(base, index) if *index == field && body.exprs[*base].ty == owner => {
                let mut place = id;
                while let Some(outer) = parents.get(&place)
                    && body.exprs.way_to_base(*outer).nth(1) == Some(place)
                {
                    place = *outer;
                }
                let is_set = parents.get(&place).is_some_and(|outer| is_set_by(program, &body.exprs, *outer, place));
                found.push(if is_set { Use::Written } else { Use::Read });
            }
            ExprKind::Assign(_, target, value)
                if holds(program, body.exprs[*value].ty, owner) && program.is_in_resource(&body.exprs, *target) =>
            {
                found.push(Use::Read);
            }
            ExprKind::Call(callee, args) if is_given_whole(program, &body.exprs, (*callee, args), owner) => {
                found.push(Use::Read);
            }
            _ => {}
        }
    }
    found
}

/// Whether an expression gives a place a new value and does not ask for the old one.
fn is_set_by(program: &Program, exprs: &ExprArena, id: ExprId, place: ExprId) -> bool {
    match &exprs[id].kind {
        ExprKind::Assign(None, target, _) => *target == place,
        ExprKind::Call(callee, args) => {
            let params = &program.functions[*callee].params;
            args.iter().zip(params).any(|(arg, param)| *arg == place && param.mode == ParamMode::Out)
        }
        _ => false,
    }
}

/// Whether a builtin is given a struct; what a stream is given goes out.
fn is_given_whole(
    program: &Program,
    exprs: &ExprArena,
    (callee, args): (FunctionId, &[ExprId]),
    owner: TypeId,
) -> bool {
    let is_builtin = !matches!(program.functions[callee].body, FunctionBody::Block);
    is_builtin && !is_stream(program, exprs, args) && args.iter().any(|arg| holds(program, exprs[*arg].ty, owner))
}

fn is_stream(program: &Program, exprs: &ExprArena, args: &[ExprId]) -> bool {
    args.iter().any(|arg| matches!(program.types.get(exprs[*arg].ty), Type::Stream(..)))
}

/// Whether values of a type are, or have in them, those of a struct.
fn holds(program: &Program, ty: TypeId, owner: TypeId) -> bool {
    ty == owner
        || match program.types.get(ty) {
            Type::Array(element, _) => holds(program, element, owner),
            Type::Struct(id) => program.structs[id].fields.iter().any(|field| holds(program, field.ty, owner)),
            _ => false,
        }
}

/// Whether a struct that came in goes out of the entry point again, as a whole.
fn goes_out(program: &Program, (entry, body): (&EntryPoint, &Body), local: LocalId, owner: TypeId) -> bool {
    let mut from: FxHashSet<LocalId> = [local].into_iter().collect();
    let is_from = |from: &FxHashSet<LocalId>, value: ExprId| {
        let exprs = &body.exprs;
        let named = |id: &ExprId| matches!(exprs[*id].kind, ExprKind::Local(l) if from.contains(&l));
        holds(program, exprs[value].ty, owner) && exprs.post_order(value).iter().any(named)
    };
    // What it is copied to; each round but the last finds more.
    loop {
        let mut more = Vec::new();
        body.block.visit(&mut |stmt| {
            if let StmtKind::Local(to, Some(value)) = stmt.kind {
                more.extend(Some(to).filter(|_| is_from(&from, value)));
            }
        });
        for id in body.expressions() {
            if let ExprKind::Assign(None, target, value) = body.exprs[id].kind {
                more.extend(body.exprs.base_local(target).filter(|_| is_from(&from, value)));
            }
        }
        let before = from.len();
        from.extend(more);
        if from.len() == before {
            break;
        }
    }
    let appends = body.expressions().into_iter().any(|id| match &body.exprs[id].kind {
        ExprKind::Call(_, args) => is_stream(program, &body.exprs, args) && args.iter().any(|arg| is_from(&from, *arg)),
        _ => false,
    });
    let params = program.functions[entry.function].params.iter();
    let is_param = params.filter(|param| param.mode != ParamMode::In).any(|param| from.contains(&param.local));
    is_param
        || appends
        || body.block.any(&mut |stmt| matches!(stmt.kind, StmtKind::Return(Some(value)) if is_from(&from, value)))
}
