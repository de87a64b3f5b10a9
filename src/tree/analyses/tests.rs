//! Results are kept for a version of a program, and not beyond.

use crate::source::Span;
use crate::tree::*;
use std::sync::Arc;

/// A program of functions, each of which calls those with the given numbers.
fn program(calls: &[&[u32]]) -> Program {
    let mut program = Program::default();
    for callees in calls {
        let mut code = Body::default();
        for callee in *callees {
            let kind = ExprKind::Call(FunctionId(*callee), Vec::new());
            let call = code.exprs.push(Expr { kind, ty: TypeId::VOID, span: Span::default() });
            code.block.stmts.push(Stmt::new(StmtKind::Expr(call), Span::default()));
        }
        let name = format!("f{}", program.functions.len());
        let function = Function::new(name.as_str(), Vec::new(), TypeId::VOID, code, Span::default());
        program.functions.push(function);
    }
    let entry = EntryPoint {
        function: FunctionId(0),
        patch_constant: None,
        stage: Stage::Compute,
        name: "f0".into(),
        workgroup_size: [1; 3],
        workgroup_constants: [None; 3],
        unit: 0,
        language: crate::preprocess::Language::Slang,
        interface: Vec::new(),
        uniforms: Vec::new(),
    };
    program.entry_points.push(entry);
    program
}

#[test]
fn results_are_kept_until_the_program_changes() {
    let mut program = program(&[&[1, 2], &[2], &[]]);
    let first = program.effects();
    assert!(Arc::ptr_eq(&first, &program.effects()));
    // A copy knows what is known of the original.
    let copy = program.clone();
    assert!(Arc::ptr_eq(&first, &copy.effects()));
    assert!(!first.has(FunctionId(0)));
    program.functions[FunctionId(2)].code.block.stmts.push(Stmt::new(StmtKind::Discard, Span::default()));
    let second = program.effects();
    assert!((0..3).all(|f| second.has(FunctionId(f))));
    assert!(Arc::ptr_eq(&first, &copy.effects()));
    // What is no part of the call graph changes nothing.
    program.items.push(Item::Function(FunctionId(0)));
    assert!(Arc::ptr_eq(&second, &program.effects()));
}

#[test]
fn what_is_lent_out_and_not_changed_changes_nothing() {
    let mut program = program(&[&[1, 2], &[2], &[]]);
    for (name, function) in program.functions.iter_mut() {
        program.items.push(Item::Function(name));
        function.body = FunctionBody::Block;
    }
    let (stamp, effects) = (program.stamp(), program.effects());
    program.lend_code(FunctionId(0), |program, body| {
        assert!(program.functions[FunctionId(0)].code.exprs.ids().next().is_none());
        assert_eq!(body.live().len(), 2);
        assert!(program.stamp() != stamp);
    });
    program.each_exprs_mut(&mut |_, exprs, live| assert!(live.iter().all(|id| exprs[*id].ty == TypeId::VOID)));
    assert!(program.stamp() == stamp && Arc::ptr_eq(&effects, &program.effects()));
    // The code, or anything else.
    program.lend_code(FunctionId(0), |_, body| drop(body.block.stmts.pop()));
    let shorter = program.stamp();
    assert!(shorter != stamp);
    program.lend_code(FunctionId(0), |program, _| program.functions[FunctionId(1)].inline = true);
    let inlined = program.stamp();
    assert!(inlined != shorter);
    program.each_exprs_mut(&mut |_, exprs, live| live.iter().for_each(|id| exprs[*id].ty = TypeId::INT));
    let typed = program.stamp();
    assert!(typed != inlined);
    program.structs.push(Struct::default());
    assert!(program.stamp() != typed);
}

#[test]
fn callees_come_first() {
    let program = program(&[&[1, 2], &[3, 2], &[3], &[], &[0]]);
    let order: Vec<u32> = program.reachable_functions().into_iter().map(|f| f.0).collect();
    assert_eq!(order, [3, 2, 1, 0]);
    let callers = program.analyses().callers_of(&|f| f.name == *"f2");
    let mut callers: Vec<u32> = callers.into_iter().map(|f| f.0).collect();
    callers.sort_unstable();
    assert_eq!(callers, [0, 1, 2, 4]);
}

/// Each function calls the next one many times over: the number of ways grows exponentially, the work must not.
#[test]
fn work_grows_with_edges_not_with_ways() {
    let lists: Vec<Vec<u32>> = (1..=20_000u32).map(|n| if n < 20_000 { vec![n; 4] } else { Vec::new() }).collect();
    let calls: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
    let program = program(&calls);
    assert_eq!(program.reachable_functions().len(), 20_000);
    assert_eq!(program.analyses().paths(&program.entry_points[0]).len(), 20_000);
    assert_eq!(program.analyses().callers_of(&|f| f.name == *"f19999").len(), 20_000);
    assert!(!program.effects().has(FunctionId(0)));
}
