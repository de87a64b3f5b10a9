//! Variables that are read and `out` parameters of which nothing sets any part. Only what is certain is reported: no statement of
//! the function, and no call in it, gives them a value. Which methods change their objects is known at the end of checking.

use super::Checker;
use super::convert::is_data;
use crate::diagnostic::{Code, Diagnostic};
use crate::tree::{
    Body, Expr, ExprKind, Function, Item, Local, LocalId, MESH_ARRAYS, Param, ParamMode, Program, StmtKind, Type,
};
use rustc_hash::FxHashSet;

/// How deep types are looked into.
const DEPTH: u32 = 64;

impl Checker<'_> {
    /// Warns of variables and `out` parameters of the functions that are reached.
    pub(super) fn check_unset(&mut self, reached: &[Item]) {
        let mut warnings = Vec::new();
        for id in reached.iter().filter_map(|item| item.function()) {
            let function = &self.program.functions[id];
            if !function.builtin {
                function.each_body(&mut |body| of_body(&self.program, function, body, &mut warnings));
            }
        }
        warnings.into_iter().for_each(|warning| self.diags.push(warning));
    }
}

fn of_body(program: &Program, function: &Function, body: &Body, warnings: &mut Vec<Diagnostic>) {
    let outs: Vec<&Param> = function.params.iter().filter(|p| is_out(program, body, p)).collect();
    let mut unset = without_initializers(program, body);
    if outs.is_empty() && unset.is_empty() {
        return;
    }
    let written = program.written_locals(body);
    for param in outs.into_iter().filter(|p| !written.contains(&p.local)) {
        let Local { name, span, .. } = body.locals[param.local];
        let warning = Diagnostic::warning(Code::UNSET, span, format!("nothing sets the out parameter `{name}`"));
        warnings.push(warning.note("who calls the function gets an undefined value; set it, or make it no parameter"));
    }
    for id in body.expressions() {
        let Expr { kind: ExprKind::Local(local), span, .. } = body.exprs[id] else { continue };
        let Local { name, span: declared, .. } = body.locals[local];
        // Of several uses the first is named. What is made for an expression stands where that does.
        if span != declared && !written.contains(&local) && unset.remove(&local) {
            let message = format!("nothing sets `{name}`, which is read here");
            let warning = Diagnostic::warning(Code::UNSET, span, message).label(declared, "it is declared here");
            warnings.push(warning.note("its value is undefined; give it an initializer"));
        }
    }
}

/// Whether it is an `out` parameter of some data; what is no data is an error by itself.
fn is_out(program: &Program, body: &Body, param: &Param) -> bool {
    let ty = body.locals[param.local].ty;
    param.mode == ParamMode::Out
        && !matches!(program.types.get(ty), Type::Patch(..) | Type::Stream(..))
        && !MESH_ARRAYS.iter().any(|(array, ..)| param.modifiers.has(*array))
        && program.any_leaf(ty, &mut |_| true)
}

/// The variables of data that are declared without a value. Objects such as ray queries are set by their methods.
fn without_initializers(program: &Program, body: &Body) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Local(local, None) = stmt.kind {
            let ty = body.locals[local].ty;
            if is_data(program, ty, DEPTH) && program.any_leaf(ty, &mut |_| true) {
                found.insert(local);
            }
        }
    });
    found
}
