//! What asks whether any invocation of a work group takes part:
//!
//! `bool any_in_group(bool own) { any_ = 0;   barrier();   if (own) { any_ = 1; }   return workgroupUniformLoad(any_) != 0; }`
//!
//! The load has barriers before and behind it, so that nothing is written before all have read.

use super::super::uniform_loads::builtin;
use super::super::uniformity::{BARRIER, UNIFORM_LOAD};
use crate::source::Span;
use crate::tree::*;

/// Declares the function before all others.
pub(super) fn declared(program: &mut Program) -> FunctionId {
    const EFFECTS: &str = "__effects";
    let span = Span::default();
    let counted = program.types.intern(Type::Atomic(Scalar::U32));
    let any = program.globals.push(Global::new("any_taking_part", counted, GlobalKind::Groupshared, span));
    let store = builtin(program, "atomicStore", &[counted, TypeId::UINT], TypeId::VOID, &[EFFECTS]);
    let wait = builtin(program, "workgroupBarrier", &[], TypeId::VOID, &[BARRIER, EFFECTS]);
    let load = builtin(program, "workgroupUniformLoad", &[counted], TypeId::UINT, &[BARRIER, UNIFORM_LOAD, EFFECTS]);
    let mut code = Body::default();
    let own = code.add_local("own", TypeId::BOOL, span);
    let mut b = Build::new(&mut program.types, &mut code.exprs, span);
    let stored = |b: &mut Build, value: u32| {
        let args = vec![b.global(any, counted), b.uint(value)];
        Stmt::new(StmtKind::Expr(b.call(store, args, TypeId::VOID)), span)
    };
    let (down, up) = (stored(&mut b, 0), stored(&mut b, 1));
    let wait = Stmt::new(StmtKind::Expr(b.call(wait, Vec::new(), TypeId::VOID)), span);
    let own_flag = b.local(own, TypeId::BOOL);
    let raised = Stmt::new(StmtKind::If(own_flag, Block::of(vec![up]), None, Hints::default()), span);
    let place = b.global(any, counted);
    let loaded = b.call(load, vec![place], TypeId::UINT);
    let zero = b.uint(0);
    let is_any = b.binary(BinaryOp::NotEqual, loaded, zero);
    let result = Stmt::new(StmtKind::Return(Some(is_any)), span);
    code.block = Block::of(vec![down, wait, raised, result]).into();
    let vote = Function::new("any_in_group", vec![Param::new(own)], TypeId::BOOL, code, span);
    let vote = program.functions.push(vote);
    let first = program.items.iter().find(|item| matches!(item, Item::Function(_))).copied();
    program.items.put_before(first, Item::Global(any));
    program.items.put_before(first, Item::Function(vote));
    vote
}
