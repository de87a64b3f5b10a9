//! Where textures and samplers are kept: parameters of the program and of its functions, and which of them are read together.
//!
//! A function that is given a texture and a sampler reads them for its callers: `read(albedo, linear)` reads `albedo` through
//! `linear`, if `read` reads its first parameter through its second one.

use crate::source::Span;
use crate::tree::{
    Access, Body, ExprArena, ExprId, ExprKind, Function, FunctionBody, FunctionId, GlobalId, LocalId, Param, ParamMode,
    Program, Type, TypeId,
};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Why a texture stays apart that a function of the source is given.
const IN_FUNCTION: &str = "the function that is given it does not read it through one sampler alone";
const ELSEWHERE: &str = "this is no read through a sampler that is a parameter";

/// A parameter of the program, or of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum TexturePlace {
    Global(GlobalId),
    Param(FunctionId, LocalId),
}

impl TexturePlace {
    /// A parameter of the program.
    pub(super) fn global(self) -> Option<GlobalId> {
        match self {
            TexturePlace::Global(id) => Some(id),
            TexturePlace::Param(..) => None,
        }
    }
}

/// How a texture, or the elements of an array of textures, are read.
#[derive(Clone, Default, Debug)]
pub(super) struct Reads {
    /// The samplers: globals, or parameters of the function whose parameter the texture is.
    pub(super) samplers: BTreeSet<TexturePlace>,
    /// It is read without a sampler, too.
    pub(super) alone: bool,
    /// Where it is used in another way, and how.
    pub(super) elsewhere: Option<(Span, &'static str)>,
}

/// A texture that a call hands on to a parameter.
pub(super) struct Handed {
    pub(super) from: TexturePlace,
    pub(super) to: TexturePlace,
    pub(super) at: Span,
}

/// How all textures are read.
#[derive(Default)]
pub(super) struct TextureFlow {
    pub(super) reads: BTreeMap<TexturePlace, Reads>,
    pub(super) handed: Vec<Handed>,
}

/// A call that reads textures or hands them on: the textures with their samplers, as arguments.
pub(super) struct TextureUse {
    pub(super) texture: ExprId,
    pub(super) place: TexturePlace,
    pub(super) sampler: Option<(ExprId, TexturePlace)>,
}

impl TextureFlow {
    /// Of a program.
    pub(super) fn of(program: &Program) -> TextureFlow {
        let mut flow = TextureFlow::default();
        // Callees come first.
        for id in program.reachable_functions() {
            let function = &program.functions[id];
            if matches!(function.body, FunctionBody::Block) {
                flow.function(program, id, &function.code);
            }
        }
        for tree in program.globals.iter().filter_map(|(_, global)| global.init.as_ref()) {
            flow.others(program, None, (&tree.exprs, &tree.exprs.post_order(tree.root)), &FxHashSet::default());
        }
        flow
    }

    fn function(&mut self, program: &Program, id: FunctionId, body: &Body) {
        let live = body.live();
        let mut covered: FxHashSet<ExprId> = FxHashSet::default();
        for &call in live.iter() {
            match called(program, &body.exprs, call) {
                Some((callee, args)) => self.hand_on(program, id, body, (callee, args), &mut covered),
                None => {
                    if let Some(used) = used(program, id, &body.exprs, call) {
                        covered.extend(path(&body.exprs, used.texture));
                        covered.extend(used.sampler.map(|(at, _)| at));
                        let reads = self.reads.entry(used.place).or_default();
                        reads.samplers.extend(used.sampler.map(|(_, place)| place));
                        reads.alone |= used.sampler.is_none();
                    }
                }
            }
        }
        self.others(program, Some(id), (&body.exprs, &live), &covered);
    }

    /// A function of the source does with what it is given what it does with its parameters.
    fn hand_on(
        &mut self,
        program: &Program,
        id: FunctionId,
        body: &Body,
        (callee, args): (FunctionId, &[ExprId]),
        covered: &mut FxHashSet<ExprId>,
    ) {
        let params = &program.functions[callee].params;
        let given: BTreeMap<LocalId, ExprId> = params.iter().map(|p| p.local).zip(args.iter().copied()).collect();
        let locals = &program.functions[callee].code.locals;
        for (param, arg) in params.iter().zip(args).filter(|(p, _)| is_texture(program, locals[p.local].ty)) {
            let to = TexturePlace::Param(callee, param.local);
            let Some(from) = place(program, id, &body.exprs, *arg) else { continue };
            // One that nothing reads is of no kind.
            let known = self.reads.entry(to).or_default().clone();
            let sampler = |of: TexturePlace| match of {
                TexturePlace::Global(_) => Some(of),
                TexturePlace::Param(_, local) => place(program, id, &body.exprs, *given.get(&local)?),
            };
            let samplers: Option<Vec<TexturePlace>> = known.samplers.iter().map(|of| sampler(*of)).collect();
            let reads = self.reads.entry(from).or_default();
            let at = body.exprs[*arg].span;
            reads.alone |= known.alone;
            match samplers.filter(|_| known.elsewhere.is_none()) {
                Some(samplers) => reads.samplers.extend(samplers),
                None => reads.elsewhere = reads.elsewhere.or(Some((at, IN_FUNCTION))),
            }
            covered.extend(path(&body.exprs, *arg));
            self.handed.push(Handed { from, to, at });
        }
    }

    /// Notes what is used otherwise than by reads.
    fn others(
        &mut self,
        program: &Program,
        function: Option<FunctionId>,
        (exprs, live): (&ExprArena, &[ExprId]),
        covered: &FxHashSet<ExprId>,
    ) {
        for id in live.iter().filter(|id| !covered.contains(id)) {
            let place = match exprs[*id].kind {
                ExprKind::Global(global) => Some(TexturePlace::Global(global)),
                ExprKind::Local(local) => function.map(|function| TexturePlace::Param(function, local)),
                _ => None,
            };
            if let Some(place) = place.filter(|_| is_texture(program, exprs[*id].ty)) {
                self.reads.entry(place).or_default().elsewhere = Some((exprs[*id].span, ELSEWHERE));
            }
        }
    }
}

/// The function of the source that an expression calls, with the arguments.
pub(super) fn called<'a>(program: &Program, exprs: &'a ExprArena, id: ExprId) -> Option<(FunctionId, &'a [ExprId])> {
    match &exprs[id].kind {
        ExprKind::Call(callee, args) if matches!(program.functions[*callee].body, FunctionBody::Block) => {
            Some((*callee, args))
        }
        _ => None,
    }
}

/// The texture that a builtin reads, with the sampler beside it.
pub(super) fn used(program: &Program, function: FunctionId, exprs: &ExprArena, id: ExprId) -> Option<TextureUse> {
    let (ExprKind::Call(_, args) | ExprKind::Native(_, args)) = &exprs[id].kind else { return None };
    let texture = args.iter().copied().find(|arg| is_texture(program, exprs[*arg].ty))?;
    let sampler = args.iter().copied().find(|arg| is_sampler(program, exprs[*arg].ty));
    let sampler = match sampler {
        // An element of an array of samplers is none that is known.
        Some(arg) => Some((arg, place(program, function, exprs, arg).filter(|_| path(exprs, arg).len() == 1)?)),
        None => None,
    };
    Some(TextureUse { texture, place: place(program, function, exprs, texture)?, sampler })
}

/// Where a texture or sampler is kept that is given whole or as an element of an array.
pub(super) fn place(program: &Program, function: FunctionId, exprs: &ExprArena, id: ExprId) -> Option<TexturePlace> {
    match exprs[*path(exprs, id).last()?].kind {
        ExprKind::Global(global) => Some(TexturePlace::Global(global)),
        ExprKind::Local(local) => {
            let owner = &program.functions[function];
            let param = owner.params.iter().find(|p| p.local == local)?;
            is_plain(program, owner, param).then_some(TexturePlace::Param(function, local))
        }
        _ => None,
    }
}

/// An element of an array, and the arrays around it, from the inside out.
pub(super) fn path(exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let mut path = vec![id];
    let mut at = id;
    while let ExprKind::Index(base, _) = exprs[at].kind {
        path.push(base);
        at = base;
    }
    path
}

/// Whether a parameter is a texture or a sampler that is given by value.
fn is_plain(program: &Program, function: &Function, param: &Param) -> bool {
    let ty = function.code.locals[param.local].ty;
    param.mode == ParamMode::In && (is_texture(program, ty) || is_sampler(program, ty))
}

/// Whether a type is a texture that is read and has no sampler, or an array of such.
pub(super) fn is_texture(program: &Program, ty: TypeId) -> bool {
    let inner = program.types.get(program.types.innermost(ty));
    matches!(inner, Type::Texture(t) if t.access == Access::Read && !t.combined)
}

/// Whether a type is a sampler.
pub(super) fn is_sampler(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(program.types.innermost(ty)), Type::Sampler(_))
}
