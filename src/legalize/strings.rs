//! Strings are arguments of calls and nothing else: no target has variables of them.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::target::Profile;
use crate::tree::{ExprId, ExprKind, Literal, Program, Type};
use rustc_hash::FxHashSet;

/// Reports the first string of each function that is no argument, and fields that are strings.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    let message = format!("{} has strings as arguments of calls alone", profile.name);
    for field in program.listed_structs().flat_map(|id| &program.structs[id].fields) {
        if program.types.get(program.types.innermost(field.ty)) == Type::Text {
            diags.push(Diagnostic::error(Code::CAPABILITY, field.span, message.clone()));
        }
    }
    for id in program.reachable_functions() {
        let code = &program.functions[id].code;
        let live = code.expressions();
        let given: FxHashSet<ExprId> = live
            .iter()
            .flat_map(|id| match &code.exprs[*id].kind {
                ExprKind::Call(_, args) | ExprKind::Native(_, args) => args.as_slice(),
                _ => &[],
            })
            .copied()
            .filter(|arg| matches!(code.exprs[*arg].kind, ExprKind::Literal(Literal::Text(_), _)))
            .collect();
        let is_string = |id: &&ExprId| program.types.get(code.exprs[**id].ty) == Type::Text && !given.contains(*id);
        if let Some(found) = live.iter().find(is_string) {
            diags.push(Diagnostic::error(Code::CAPABILITY, code.exprs[*found].span, message.clone()));
        }
    }
}
