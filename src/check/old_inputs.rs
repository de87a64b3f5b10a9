//! Inputs of fragments that Direct3D 9 has as other numbers than later ones.
//!
//! Before: `float4 main(float2 pixel : VPOS, float face : VFACE)`
//! After:  `float4 main(float4 position : SV_Position, bool is_front : SV_IsFrontFace)`, which begins with
//!         `float2 pixel = position.xy - 0.5; float face = is_front ? 1.0 : -1.0;`
//!
//! `VPOS` counts pixels, and `SV_Position` is at their centers. Fields of structs are in `old_fields`.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    BinaryOp, Body, Build, EntryPoint, ExprId, ExprKind, FunctionId, LocalId, Program, Scalar, Semantic, Stage, Stmt,
    StmtKind, Type, TypeId, Types,
};

/// An input of Direct3D 9.
pub(super) struct OldInput {
    /// In upper case.
    semantic: &'static str,
    /// What comes in now.
    pub(super) now: &'static str,
    /// The name of that.
    name: &'static str,
    pub(super) ty: fn(&mut Types) -> TypeId,
    /// Most components that it has.
    pub(super) components: u8,
    /// What to write.
    pub(super) note: &'static str,
    /// The old number of the new one.
    pub(super) value: fn(&mut Build, ExprId, TypeId) -> ExprId,
}

const INPUTS: &[OldInput] = &[
    OldInput {
        semantic: "VPOS",
        now: "SV_Position",
        name: "position",
        ty: |types| types.vector(Scalar::F32, 4),
        components: 4,
        note: "`SV_Position` has the centers of pixels: `position.xy - 0.5`",
        value: pixel,
    },
    OldInput {
        semantic: "VFACE",
        now: "SV_IsFrontFace",
        name: "is_front",
        ty: |_| TypeId::BOOL,
        components: 1,
        note: "`SV_IsFrontFace` is a `bool`: `is_front ? 1.0 : -1.0`",
        value: facing,
    },
];

/// The input of Direct3D 9 that a semantic is.
pub(super) fn input_of(semantic: Semantic) -> Option<(&'static OldInput, Semantic)> {
    let (name, index) = semantic.split();
    let input = INPUTS.iter().find(|input| input.semantic == name && index == 0)?;
    Some((input, semantic))
}

/// How many floats a value is, if it is some.
pub(super) fn components(types: &Types, ty: TypeId) -> Option<u8> {
    match types.get(ty) {
        Type::Scalar(Scalar::F32) => Some(1),
        Type::Vector(Scalar::F32, count) => Some(count),
        _ => None,
    }
}

/// `position.xy - 0.5`; what else there is is no place.
fn pixel(b: &mut Build, position: ExprId, ty: TypeId) -> ExprId {
    let count = components(b.types, ty).unwrap_or(1);
    let taken = match count {
        1 => b.swizzle(position, &[0]),
        2 => b.swizzle(position, &[0, 1]),
        3 => b.swizzle(position, &[0, 1, 2]),
        _ => position,
    };
    let by = match count {
        1 => b.float(0.5),
        2 => {
            let half = b.float(0.5);
            b.convert(half, ty)
        }
        _ => {
            let parts = (0..count).map(|at| b.float(if at < 2 { 0.5 } else { 0.0 })).collect();
            b.construct(parts, ty)
        }
    };
    b.binary(BinaryOp::Sub, taken, by)
}

/// `is_front ? 1.0 : -1.0`.
fn facing(b: &mut Build, is_front: ExprId, _: TypeId) -> ExprId {
    let (front, one) = (b.float(1.0), b.float(1.0));
    let back = b.negated(one);
    b.add(ExprKind::Select(is_front, front, back), TypeId::FLOAT)
}

impl Checker<'_> {
    /// Makes inputs of today of the parameters of old fragment shaders.
    pub(super) fn convert_old_inputs(&mut self) {
        let called = self.program.analyses().called();
        for root in self.old_fragment_shaders() {
            // What is put at the beginning stands in the order of the parameters.
            for at in (0..self.program.functions[root].params.len()).rev() {
                let Some((input, semantic)) = old_input(&self.program, root, at) else { continue };
                if called.contains(&root) || !convert(&mut self.program, root, at, input, semantic.span) {
                    let message = format!("the input `{}` is not supported here", semantic.text);
                    self.diags.push(Diagnostic::error(Code::UNSUPPORTED, semantic.span, message).note(input.note));
                }
            }
        }
    }
}

impl Checker<'_> {
    /// The fragment shaders of files for Direct3D 9.
    pub(super) fn old_fragment_shaders(&self) -> Vec<FunctionId> {
        let is_old = |entry: &&EntryPoint| {
            entry.stage == Stage::Fragment
                && self.sources.iter().any(|s| s.unit == entry.unit && s.is_old && !s.builtin)
        };
        self.program.entry_points.iter().filter(is_old).map(|entry| entry.function).collect()
    }
}

/// The input that a parameter is.
fn old_input(program: &Program, root: FunctionId, at: usize) -> Option<(&'static OldInput, Semantic)> {
    program.functions[root].params.get(at)?.semantic.and_then(input_of)
}

/// Makes a parameter another one, of which a variable has the old number. Gives false for a type that it cannot have.
fn convert(program: &mut Program, root: FunctionId, at: usize, input: &OldInput, span: Span) -> bool {
    let Some(param) = program.functions[root].params.get(at).map(|param| param.local) else { return false };
    let mut body = std::mem::take(&mut program.functions[root].code);
    let ty = body.locals[param].ty;
    let fits = components(&program.types, ty).is_some_and(|count| count <= input.components);
    if fits {
        let copy = body.locals[param].clone();
        let variable = body.locals.push(copy);
        rename(&mut body, param, variable);
        let now = (input.ty)(&mut program.types);
        let local = &mut body.locals[param];
        (local.name, local.ty, local.constant) = (Symbol::new(input.name), now, false);
        let mut b = Build::new(&mut program.types, &mut body.exprs, span);
        let given = b.local(param, now);
        let value = (input.value)(&mut b, given, ty);
        body.block.stmts.insert(0, Stmt::new(StmtKind::Local(variable, Some(value)), span));
    }
    let function = &mut program.functions[root];
    function.code = body;
    if let Some(param) = function.params.get_mut(at).filter(|_| fits) {
        param.semantic = Some(Semantic { text: Symbol::new(input.now), span });
    }
    fits
}

/// Puts a variable in the place of another one.
fn rename(body: &mut Body, from: LocalId, to: LocalId) {
    for id in body.exprs.ids() {
        if matches!(body.exprs[id].kind, ExprKind::Local(local) if local == from) {
            body.exprs[id].kind = ExprKind::Local(to);
        }
    }
}
