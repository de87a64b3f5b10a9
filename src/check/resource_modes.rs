//! HLSL: parameters of the program go into `inout` parameters that nothing gives another resource.
//!
//! `float4 run(inout Texture2D t) { return t[uint2(0, 0)]; }  ... run(global)`
//!
//! Which parameters are given one is known when all bodies are: those that are none come in alone.

use super::Checker;
use crate::diagnostic::Code;
use crate::tree::{ExprId, ExprKind, FunctionId, GlobalKind, Item, LocalId, ParamMode, Program};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    pub(super) fn settle_resource_modes(&mut self, reached: &[Item]) {
        let functions: Vec<FunctionId> = reached.iter().filter_map(|item| item.function()).collect();
        if !functions.iter().any(|id| !passed_parameters(&self.program, *id).is_empty()) {
            return;
        }
        // What a function passes on is written as long as the function that it calls may write it.
        let mut settled = true;
        while settled {
            settled = false;
            functions.iter().for_each(|id| settled |= settle(&mut self.program, *id));
        }
        for id in functions {
            for arg in passed_parameters(&self.program, id) {
                let expr = &self.program.functions[id].code.exprs[arg];
                let ExprKind::Global(global) = expr.kind else { continue };
                let (name, span) = (self.program.globals[global].name, expr.span);
                let message = format!("`{name}` is a shader parameter, which this function gives another resource");
                self.error(Code::NOT_ASSIGNABLE, span, message);
            }
        }
    }
}

/// The arguments of calls in a function that are resources of the program and may be written.
fn passed_parameters(program: &Program, id: FunctionId) -> Vec<ExprId> {
    let code = &program.functions[id].code;
    let is_parameter = |arg: &ExprId| match code.exprs[*arg].kind {
        ExprKind::Global(global) => {
            program.globals[global].kind == GlobalKind::Parameter
                && program.types.get(code.exprs[*arg].ty).is_resource()
        }
        _ => false,
    };
    let mut passed = Vec::new();
    for call in code.expressions() {
        let ExprKind::Call(callee, args) = &code.exprs[call].kind else { continue };
        let callee = &program.functions[*callee];
        // What a method is called on is not passed.
        let passes = args.iter().zip(&callee.params).skip(usize::from(callee.owner.is_some()));
        passed.extend(passes.filter(|(_, p)| p.mode == ParamMode::InOut).map(|(arg, _)| *arg).filter(is_parameter));
    }
    passed
}

/// The locals that a function gives other resources; what is written through a resource leaves it the same.
fn written_resources(program: &Program, id: FunctionId) -> FxHashSet<LocalId> {
    let code = &program.functions[id].code;
    let mut written = FxHashSet::default();
    for expr in code.expressions() {
        program.each_written(&code.exprs, expr, &mut |place| {
            if program.types.get(code.exprs[place].ty).is_resource() {
                written.extend(code.exprs.base_local(place));
            }
        });
    }
    written
}

/// Makes the parameters of a function that are resources and not written such that come in alone. False: there is none.
fn settle(program: &mut Program, id: FunctionId) -> bool {
    let written = written_resources(program, id);
    let types = &program.types;
    let function = &mut program.functions[id];
    let locals = &function.code.locals;
    let mut settled = false;
    for param in &mut function.params {
        let is_open = param.mode == ParamMode::InOut && types.get(locals[param.local].ty).is_resource();
        if is_open && !function.builtin && !written.contains(&param.local) {
            param.mode = ParamMode::In;
            settled = true;
        }
    }
    settled
}
