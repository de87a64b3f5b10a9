//! Directives at the head of a file: what it enables, and which checks of uniformity it turns off.
//!
//! HLSL lets a shader take derivatives in flow that is not uniform (the result is then undefined for some pixels); WGSL
//! refuses without it. The directive is written where a builtin that needs uniform flow stands inside a branch or loop, after
//! an early exit, or in a function that is called there.

use crate::emit::context::Context;
use crate::target::system_values::enabled_for;
use crate::tree::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The lines, in order.
pub(super) fn collect(cx: &Context) -> Vec<String> {
    let program = cx.program;
    let analyses = program.analyses();
    // What needs uniform flow, and what calls it.
    let derivatives_in = analyses.callers_of(&|f| f.is_marked("__derivative"));
    let mut enables = BTreeSet::new();
    let (mut derivatives, mut subgroups) = (false, false);
    for item in cx.items {
        let uses = match *item {
            Item::Function(id) => analyses.uses(id),
            Item::Global(id) => {
                note_type(program, program.globals[id].ty, &mut enables);
                analyses.initializer(id)
            }
            Item::Struct(id) => {
                program.structs[id].fields.iter().for_each(|f| note_type(program, f.ty, &mut enables));
                let fields = program.structs[id].fields.iter();
                enables.extend(fields.filter_map(|f| enabled_by(&f.attributes)).map(str::to_owned));
                // Written as `@blend_src`.
                if program.structs[id].fields.iter().any(|f| f.explicit.location.and(f.explicit.index).is_some()) {
                    enables.insert("dual_source_blending".to_owned());
                }
                continue;
            }
            Item::Enum(_) => continue,
        };
        uses.types.iter().for_each(|ty| note_type(program, *ty, &mut enables));
        for function in &uses.functions {
            for attribute in &program.functions[*function].attributes {
                if let ("__wgsl_enable", Some(AttributeArg::Text(name))) =
                    (attribute.name.as_str(), attribute.args.first())
                {
                    subgroups |= *name == "subgroups";
                    enables.insert(name.to_string());
                }
            }
        }
        if let Item::Function(id) = *item {
            derivatives |= derivatives_in.contains(&id) && may_diverge(program, id, &derivatives_in);
            let params = program.functions[id].params.iter();
            enables.extend(params.filter_map(|p| enabled_by(&p.attributes)).map(str::to_owned));
        }
    }
    let mut lines: Vec<String> = enables.into_iter().map(|name| format!("enable {name};")).collect();
    if derivatives {
        lines.push("diagnostic(off, derivative_uniformity);".to_owned());
    }
    if subgroups {
        lines.push("diagnostic(off, subgroup_uniformity);".to_owned());
    }
    lines
}

/// What a builtin in a stage's interface needs enabled.
fn enabled_by(attributes: &[Attribute]) -> Option<&'static str> {
    attributes.iter().find_map(|a| match (a.name.as_str(), a.args.as_slice()) {
        ("builtin", [AttributeArg::Name(name)]) => enabled_for(name.as_str()),
        _ => None,
    })
}

fn note_type(program: &Program, ty: TypeId, enables: &mut BTreeSet<String>) {
    match program.types.get(ty) {
        Type::Scalar(Scalar::F16) | Type::Vector(Scalar::F16, _) | Type::Matrix(Scalar::F16, ..) => {
            enables.insert("f16".to_owned());
        }
        Type::Array(element, _)
        | Type::Pointer(element, _)
        | Type::Buffer(_, _, element)
        | Type::ConstantBuffer(element) => note_type(program, element, enables),
        _ => {}
    }
}

/// Whether a call that needs uniform flow stands where flow may not be uniform.
fn may_diverge(program: &Program, id: FunctionId, needs_uniformity: &FxHashSet<FunctionId>) -> bool {
    let body = &program.functions[id].code;
    let sensitive = |root: ExprId| {
        body.exprs.post_order(root).into_iter().any(|e| match body.exprs[e].kind {
            ExprKind::Call(f, _) => needs_uniformity.contains(&f),
            _ => false,
        })
    };
    let mut left = false;
    block(&body.block, false, &mut left, &sensitive)
}

fn block(block_: &Block, branched: bool, left: &mut bool, sensitive: &dyn Fn(ExprId) -> bool) -> bool {
    let mut found = false;
    for stmt in &block_.stmts {
        let looped = matches!(stmt.kind, StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..));
        let mut own = false;
        stmt.own_exprs(&mut |e| own |= sensitive(e));
        if let StmtKind::For(init, ..) = &stmt.kind {
            init.iter().for_each(|s| s.own_exprs(&mut |e| own |= sensitive(e)));
        }
        found |= own && (branched || *left || looped);
        let inside = branched || !matches!(stmt.kind, StmtKind::Block(_));
        stmt.blocks(&mut |b| found |= block(b, inside, left, sensitive));
        if matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Discard | StmtKind::Break | StmtKind::Continue) {
            *left |= branched;
        }
    }
    found
}
