//! Inputs and outputs of a stage that are declared as variables outside of functions, as GLSL has them.
//!
//! Before: `in float2 uv;  out float4 color;                void main() { color = f(uv); }`
//! After:  `static float2 uv;  static float4 color;         void main(float2 uv_, out float4 color_) { uv = uv_; ... color_ = color; }`
//!
//! Every entry point that reaches one has it as a parameter. Functions see the variable, as they do in GLSL.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::tree::{
    Block, Body, Build, EntryPoint, Expr, ExprId, ExprKind, FunctionId, GlobalId, LocalId, Param, ParamMode, Program,
    Semantic, Stmt, StmtKind, TypeId,
};
use rustc_hash::FxHashMap;

/// What a stage variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StageVariable {
    pub(super) global: GlobalId,
    pub(super) mode: ParamMode,
}

impl Checker<'_> {
    /// Gives entry points their parameters.
    pub(super) fn declare_stage_variables(&mut self) {
        if self.stage_variables.is_empty() {
            return;
        }
        let mut variables = std::mem::take(&mut self.stage_variables);
        variables.sort_by_key(|v| (self.program.globals[v.global].unit, self.program.globals[v.global].ordinal));
        let mut given: FxHashMap<FunctionId, Vec<GlobalId>> = FxHashMap::default();
        for point in self.program.entry_points.clone() {
            let (entry, stage) = (point.function, point.stage);
            let reached = self.program.analyses().reached_globals([entry].into_iter());
            if stage.is_of_rays() {
                self.refuse_variables(variables.iter().filter(|v| reached.contains(&v.global)), &point);
                continue;
            }
            let asked: Vec<(StageVariable, Span)> = variables
                .iter()
                .filter(|v| reached.contains(&v.global))
                .map(|v| (*v, self.place_of_variable(v.global, &point)))
                .collect();
            let mut body = std::mem::take(&mut self.program.functions[entry].code);
            let mut outputs = Vec::new();
            let mut first = Vec::new();
            for (StageVariable { global, mode }, span) in asked {
                let declared = &self.program.globals[global];
                let ty = declared.ty;
                let local = body.add_local(declared.name, ty, span);
                let param = Param {
                    mode,
                    semantic: declared.semantic.map(|s| Semantic { span, ..s }),
                    modifiers: declared.modifiers,
                    matrix_order: declared.matrix_order,
                    explicit: declared.explicit.clone(),
                    attributes: declared.attributes.clone(),
                    ..Param::new(local)
                };
                self.program.functions[entry].params.push(param);
                given.entry(entry).or_default().push(global);
                if mode == ParamMode::Out {
                    outputs.push((local, global));
                } else {
                    first.push(copy(&self.program, &mut body, (local, global), false));
                }
            }
            if !outputs.is_empty() {
                let mut block = std::mem::take(&mut body.block);
                write_outputs(&mut self.program, &mut body, &mut block, &outputs);
                body.block = block;
            }
            body.block.stmts.splice(0..0, first);
            self.program.functions[entry].code = body;
        }
        give_variables(&mut self.program, &given);
    }
}

/// Functions that call an entry point give it the variables, which are set where their own entry points begin.
fn give_variables(program: &mut Program, given: &FxHashMap<FunctionId, Vec<GlobalId>>) {
    if given.is_empty() {
        return;
    }
    let types: FxHashMap<GlobalId, TypeId> = program.globals.iter().map(|(id, global)| (id, global.ty)).collect();
    program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            let ExprKind::Call(callee, _) = exprs[id].kind else { continue };
            let span = exprs[id].span;
            let ty = |global: &GlobalId| types.get(global).copied().unwrap_or(TypeId::ERROR);
            let variable = |global: &GlobalId| Expr { kind: ExprKind::Global(*global), ty: ty(global), span };
            let more: Vec<ExprId> = given.get(&callee).into_iter().flatten().map(|g| exprs.push(variable(g))).collect();
            if let ExprKind::Call(_, args) = &mut exprs[id].kind {
                args.extend(more);
            }
        }
    });
}

impl Checker<'_> {
    /// Where a variable is declared, or asked for if the library declares it.
    fn place_of_variable(&self, variable: GlobalId, entry: &EntryPoint) -> Span {
        let declared = self.program.globals[variable].span;
        if !declared.file.is_library() {
            return declared;
        }
        let named = self.program.analyses().first_named(entry, variable).filter(|span| !span.file.is_library());
        named.unwrap_or(self.program.functions[entry.function].span)
    }

    /// Reports variables of a stage that has no inputs and outputs between stages.
    fn refuse_variables<'v>(&mut self, variables: impl Iterator<Item = &'v StageVariable>, entry: &EntryPoint) {
        for variable in variables {
            let span = self.place_of_variable(variable.global, entry);
            let (stage, name) = (entry.stage.name(), self.program.globals[variable.global].name);
            let message = format!("a {stage} entry point has no input or output like `{name}`");
            self.diags.push(Diagnostic::error(Code::BAD_ENTRY, span, message));
        }
    }
}

/// The parameter to the variable, or the variable to the parameter.
fn copy(program: &Program, body: &mut Body, (local, global): (LocalId, GlobalId), out: bool) -> Stmt {
    let (ty, span) = (program.globals[global].ty, program.globals[global].span);
    let variable = body.exprs.push(Expr { kind: ExprKind::Global(global), ty, span });
    let parameter = body.exprs.push(Expr { kind: ExprKind::Local(local), ty, span });
    let (target, value) = if out { (parameter, variable) } else { (variable, parameter) };
    let assign = body.exprs.push(Expr { kind: ExprKind::Assign(None, target, value), ty, span });
    Stmt::new(StmtKind::Expr(assign), span)
}

/// Outputs are written where the entry point returns, after what it returns has been computed.
fn write_outputs(program: &mut Program, body: &mut Body, block: &mut Block, outputs: &[(LocalId, GlobalId)]) {
    block.rewrite(&mut |mut stmt, out| {
        if let StmtKind::Return(value) = &mut stmt.kind {
            if let Some(result) = *value {
                let ty = body.exprs[result].ty;
                let local = body.add_local("result", ty, stmt.span);
                out.push(Stmt::new(StmtKind::Local(local, Some(result)), stmt.span));
                *value = Some(Build::new(&mut program.types, &mut body.exprs, stmt.span).local(local, ty));
            }
            out.extend(outputs.iter().map(|output| copy(program, body, *output, true)));
        }
        out.push(stmt);
    });
    if !crate::tree::analyses::ends_flow(block) {
        block.stmts.extend(outputs.iter().map(|output| copy(program, body, *output, true)));
    }
}
