//! Specialization constants that size arrays keep their first value where the target cannot have the array otherwise.
//!
//! Before: `[vk::constant_id(0)] const int N = 4;  groupshared float tile[N * 2];`
//! After:  `static const int N = 4;                groupshared float tile[8];`
//!
//! An array in a parameter or in what stages pass each other is laid out once, so its size is a number everywhere. It is
//! done before anything is placed: what keeps its value has no id in the sidecar.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::tree::{
    Body, ExprKind, FunctionId, GlobalId, GlobalKind, Length, Program, SizeConstant, StmtKind, Type, TypeId,
};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Which arrays may have a size that is known when the pipeline is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizedArrays {
    /// None.
    Never,
    /// Variables of work groups, whole: `var<workgroup> tile: array<f32, N>`.
    Shared,
    /// Variables, parameters and results of functions, and fields of structs, too.
    Variables,
}

/// Gives arrays numbers for sizes where the target needs them, and says which specialization constants that holds fast.
pub(super) fn hold(program: &mut Cow<Program>, allowed: SizedArrays, tell: Option<(&str, &mut Diagnostics)>) {
    if !program.types.ids().any(|id| matches!(program.types.get(id), Type::Array(_, Length::Constant(_)))) {
        return;
    }
    let mut held = Finder { program, allowed, sizes: BTreeSet::new() }.run();
    let constants: BTreeSet<GlobalId> = held.iter().flat_map(|size| program.specialization_of(*size)).collect();
    // What the same constants give elsewhere is a number, too.
    let depends = |id: GlobalId| program.specialization_of(id).iter().any(|c| constants.contains(c));
    for id in program.types.ids() {
        if let Type::Array(_, Length::Constant(size)) = program.types.get(id)
            && depends(size.global)
        {
            held.insert(size.global);
        }
    }
    let program = program.to_mut();
    program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Array(element, Length::Constant(SizeConstant { global, first })) if held.contains(&global) => {
            types.array(element, Some(first))
        }
        _ => ty,
    });
    if let Some((target, diags)) = tell {
        for id in &constants {
            let global = &program.globals[*id];
            let message =
                format!("`{}` keeps its value in {target}: it sizes an array that needs a number there", global.name);
            diags.push(Diagnostic::warning(Code::OMITTED, global.span, message));
        }
    }
    for id in constants {
        program.globals[id].kind = GlobalKind::Const;
        for entry in program.entry_points.iter_mut() {
            entry.workgroup_constants.iter_mut().filter(|c| **c == Some(id)).for_each(|c| *c = None);
        }
    }
}

/// Collects the constants whose arrays need numbers.
struct Finder<'a> {
    program: &'a Program,
    allowed: SizedArrays,
    sizes: BTreeSet<GlobalId>,
}

impl Finder<'_> {
    fn run(mut self) -> BTreeSet<GlobalId> {
        let program = self.program;
        for id in program.listed_globals() {
            let global = &program.globals[id];
            let within = match global.kind {
                GlobalKind::Static | GlobalKind::Const | GlobalKind::Specialization => SizedArrays::Variables,
                GlobalKind::Groupshared => self.shared(global.ty),
                GlobalKind::Parameter
                | GlobalKind::Input
                | GlobalKind::Output
                | GlobalKind::Passed
                | GlobalKind::Heap => SizedArrays::Never,
            };
            self.meet(global.ty, within);
        }
        for entry in &program.entry_points {
            entry.globals().for_each(|id| self.meet(program.globals[id].ty, SizedArrays::Never));
            entry.roots().for_each(|id| self.interface(id));
        }
        for id in program.reachable_functions() {
            self.meet(program.functions[id].result, SizedArrays::Never);
            program.functions[id].each_body(&mut |body| self.body(body));
        }
        self.sizes
    }

    /// What holds an array of work groups needs to be allowed: the array itself is the variable's whole type.
    fn shared(&self, ty: TypeId) -> SizedArrays {
        match self.program.types.get(ty) {
            Type::Array(element, _) if self.constants(element).is_empty() => SizedArrays::Shared,
            _ => SizedArrays::Variables,
        }
    }

    fn interface(&mut self, id: FunctionId) {
        let function = &self.program.functions[id];
        self.meet(function.result, SizedArrays::Never);
        function.params.iter().for_each(|p| self.meet(function.code.locals[p.local].ty, SizedArrays::Never));
    }

    fn body(&mut self, body: &Body) {
        body.locals.iter().for_each(|(_, l)| self.meet(l.ty, SizedArrays::Variables));
        body.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, Some(_)) = stmt.kind {
                self.meet(body.locals[local].ty, SizedArrays::Never);
            }
        });
        for id in body.expressions() {
            let expr = &body.exprs[id];
            // Nothing says so many values, and GLSL does not assign them as a whole (GL_KHR_vulkan_glsl, "Operators").
            if matches!(
                expr.kind,
                ExprKind::Zero
                    | ExprKind::Construct(..)
                    | ExprKind::Assign(..)
                    | ExprKind::Select(..)
                    | ExprKind::Call(..)
            ) {
                self.meet(expr.ty, SizedArrays::Never);
            }
        }
    }

    /// A type that may hold such arrays only where the target allows as much.
    fn meet(&mut self, ty: TypeId, needed: SizedArrays) {
        let allowed = match needed {
            SizedArrays::Never => false,
            SizedArrays::Shared => self.allowed != SizedArrays::Never,
            SizedArrays::Variables => self.allowed == SizedArrays::Variables,
        };
        if !allowed {
            let found = self.constants(ty);
            self.sizes.extend(found);
        }
    }

    /// The constants that size arrays in a type.
    fn constants(&self, ty: TypeId) -> Vec<GlobalId> {
        let (mut open, mut seen, mut found) = (vec![ty], FxHashSet::default(), Vec::new());
        while let Some(ty) = open.pop() {
            let inner = self.program.types.get(ty);
            match inner {
                _ if !seen.insert(ty) => {}
                Type::Struct(id) => open.extend(self.program.structs[id].fields.iter().map(|f| f.ty)),
                Type::Array(element, length) => {
                    if let Length::Constant(size) = length {
                        found.push(size.global);
                    }
                    open.push(element);
                }
                _ => open.extend(inner.element()),
            }
        }
        found
    }
}
