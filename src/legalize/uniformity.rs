//! Reports barriers that not all invocations of a work group may reach together.
//!
//! D3D asks this of the author; a target without `NonUniformBarriers` proves it, and refuses what it cannot prove. The proof
//! is an analysis of the tree ([`Program::varying_barriers`]), for which [`super::early_returns`] and [`super::uniform_loads`] rewrite
//! programs: what would be refused yet is an error that shows both the barrier and the condition that it depends on. The library marks
//! barriers with `[__group_barrier]`.

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::target::Capability;
use crate::target::system_values;
use crate::tree::analyses::uniformity::{Fault, Rules};
use crate::tree::*;

/// The attribute of builtins that all invocations of a work group must call together.
pub(super) const BARRIER: &str = "__group_barrier";
/// The attribute of builtins that give all invocations of a work group the same value.
pub(super) const UNIFORM_LOAD: &str = "__uniform_load";
/// Attributes of builtins whose result differs between invocations whatever the arguments are.
pub(super) const VARYING: &[&str] = &["__non_uniform", "__derivative"];

/// What barriers are, and what differs between invocations.
pub(super) const RULES: Rules = Rules {
    is_barrier: |f| f.is_marked(BARRIER),
    is_varying: |f| f.attributes.iter().any(|a| VARYING.contains(&a.name.as_str())) || super::atomics::is_operation(f),
    is_uniform: |f| f.is_marked(UNIFORM_LOAD),
    is_uniform_input,
};

/// Reports the barriers that could not be rewritten.
pub(super) fn report(cx: &mut Context) {
    let what = "a barrier that not all invocations of a work group may reach together";
    let advice = "make every invocation reach the barrier, with conditions around the work before and after it, or decide \
                  by a groupshared value that all of them read";
    for fault in cx.program.varying_barriers(&RULES) {
        refuse(cx, &fault, what, advice, Capability::NonUniformBarriers);
    }
}

/// Reports what not all invocations may reach together.
pub(super) fn refuse(cx: &mut Context, fault: &Fault, what: &str, advice: &str, capability: Capability) {
    let message = format!("{what} is not supported by {}", cx.profile.name);
    let diagnostic = Diagnostic::error(Code::CAPABILITY, fault.barrier, message)
        .label(fault.cause, "whether it is reached depends on this")
        .note(advice)
        .note(cx.profile.missing(capability));
    cx.diags.push(diagnostic);
}

/// A parameter of an entry point that is the same for a work group.
fn is_uniform_input(program: &Program, function: &Function, param: &Param) -> bool {
    let uniform = |attributes: &[Attribute]| {
        attributes.iter().any(|a| match (a.name.as_str(), a.args.as_slice()) {
            ("builtin", [AttributeArg::Name(name)]) => system_values::same_in_group(name.as_str()),
            _ => false,
        })
    };
    match program.types.get(function.code.locals[param.local].ty) {
        Type::Struct(id) => program.structs[id].fields.iter().all(|f| uniform(&f.attributes)),
        _ => uniform(&param.attributes),
    }
}
