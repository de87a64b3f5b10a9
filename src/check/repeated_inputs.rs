//! A system value that two inputs of an entry point are comes in once.
//!
//! Before: `float4 main(Vertex v, float4 at : SV_Position)`                        where `Vertex` has a `SV_Position`, too
//! After:  `float4 main(Vertex v) { float4 at = v.position; ... }`
//!
//! DXC takes none twice, so this is for Slang, and for effects of Direct3D 9, where `VPOS` is an input beside `POSITION`.

use super::Checker;
use crate::parse::Language;
use crate::tree::{
    Expr, ExprKind, FunctionId, Id, Modifiers, ParamMode, Program, Semantic, Step, Stmt, StmtKind, TypeId, is_uniform,
};

/// Where an entry point is given a system value: in which parameter and, in a struct, by which fields.
struct SystemInput {
    semantic: (String, u32),
    ty: TypeId,
    /// Interpolation; barycentrics without perspective are others.
    modifiers: Modifiers,
    param: usize,
    path: Vec<Step>,
}

impl Checker<'_> {
    /// Leaves out the parameters of entry points that are a system value which another input is.
    pub(super) fn leave_out_repeated_inputs(&mut self) {
        let roots: Vec<FunctionId> = self.program.entry_points.iter().map(|e| e.function).collect();
        let called = self.program.analyses().called();
        for root in roots {
            let instance = self.functions.of_function.get(root.index()).map(|id| self.functions.get(*id).decl);
            let takes_two = instance.is_some_and(|decl| {
                let source = self.source_of(decl);
                source.language == Language::Slang || source.is_old
            });
            if takes_two && !called.contains(&root) {
                while let Some((param, from)) = repeated(&self.program, root) {
                    leave_out(&mut self.program, root, param, &from);
                }
            }
        }
    }
}

/// The inputs of an entry point that are system values.
fn given(program: &Program, root: FunctionId) -> Vec<SystemInput> {
    let function = &program.functions[root];
    let mut found = Vec::new();
    for (index, param) in function.params.iter().enumerate() {
        let ty = function.code.locals[param.local].ty;
        if param.mode == ParamMode::In && !is_uniform(program, param, ty) {
            add(program, ty, param.semantic, param.modifiers, (index, Vec::new()), &mut found);
        }
    }
    found
}

/// A struct cannot contain itself, so this ends.
fn add(
    program: &Program,
    ty: TypeId,
    semantic: Option<Semantic>,
    modifiers: Modifiers,
    (param, path): (usize, Vec<Step>),
    found: &mut Vec<SystemInput>,
) {
    if let Some(semantic) = semantic {
        if semantic.is_system() {
            found.push(SystemInput { semantic: semantic.split(), ty, modifiers, param, path });
        }
        return;
    }
    for (index, field) in (0..).zip(program.fields(ty)) {
        let path = path.iter().copied().chain([Step::Field(index)]).collect();
        add(program, field.ty, field.semantic, field.modifiers, (param, path), found);
    }
}

/// A parameter that is the system value which another input is, and that one.
fn repeated(program: &Program, root: FunctionId) -> Option<(usize, SystemInput)> {
    let all = given(program, root);
    let words = |given: &SystemInput| Modifiers::INTERPOLATION.map(|word| given.modifiers.has(word));
    let is_same = |a: &SystemInput, b: &SystemInput| a.semantic == b.semantic && a.ty == b.ty && words(a) == words(b);
    // Of two parameters the first one stays, and a field stays in any case.
    let stays = |other: &SystemInput, one: &SystemInput| !other.path.is_empty() || other.param < one.param;
    let source = |one: &SystemInput| {
        all.iter().position(|other| other.param != one.param && stays(other, one) && is_same(one, other))
    };
    let mut whole = all.iter().filter(|one| one.path.is_empty());
    let (param, at) = whole.find_map(|one| Some((one.param, source(one)?)))?;
    Some((param, all.into_iter().nth(at)?))
}

/// Makes a parameter a variable that has the value of an input.
fn leave_out(program: &mut Program, root: FunctionId, param: usize, from: &SystemInput) {
    let function = &mut program.functions[root];
    let Some(source) = function.params.get(from.param).map(|p| p.local) else { return };
    let local = function.params.remove(param).local;
    let mut body = std::mem::take(&mut function.code);
    let (span, ty) = (body.locals[local].span, body.locals[source].ty);
    let base = body.exprs.push(Expr { kind: ExprKind::Local(source), ty, span });
    let value = program.part(&mut body.exprs, base, &from.path);
    body.block.stmts.insert(0, Stmt::new(StmtKind::Local(local, Some(value)), span));
    program.functions[root].code = body;
}
