//! What expressions write: locals, statics, or memory that others see.

use crate::tree::*;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// What an assignment writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Local(LocalId),
    Static(GlobalId),
    /// What others see.
    Memory,
}

/// What an lvalue is a part of.
pub fn target(program: &Program, body: &Body, lvalue: ExprId) -> Target {
    let mut at = lvalue;
    loop {
        let base = match &body.exprs[at].kind {
            ExprKind::Local(local) => return Target::Local(*local),
            ExprKind::Global(global) if program.globals[*global].kind == GlobalKind::Static => {
                return Target::Static(*global);
            }
            ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) => Some(*base),
            ExprKind::MatrixSwizzle(base, _) | ExprKind::Convert(base, _) => Some(*base),
            ExprKind::Property(property) => property.args.first().copied(),
            _ => None,
        };
        at = match base {
            Some(base) if is_plain(program, body.exprs[base].ty) => base,
            _ => return Target::Memory,
        };
    }
}

/// Whether a part of a value of a type is a part of the value, not of memory that it stands for.
fn is_plain(program: &Program, ty: TypeId) -> bool {
    use Type::*;
    matches!(program.types.get(ty), Scalar(_) | Vector(..) | Matrix(..) | Array(..) | Struct(_) | Enum(_))
}

/// Objects that calls change.
pub fn is_state(program: &Program, ty: TypeId) -> bool {
    !is_plain(program, ty) && !program.types.get(ty).is_resource()
}

/// What the functions of a program write beside their results and parameters.
pub struct Writes {
    /// Statics that some function writes.
    pub statics: BTreeSet<GlobalId>,
    /// Functions that have effects beside their results, builtins without a body in the language among them, themselves or
    /// through others.
    pub acting: FxHashSet<FunctionId>,
}

impl Writes {
    /// Of all functions of a program.
    pub fn of(program: &Program) -> Writes {
        Writes { statics: statics(program), acting: acting(program) }
    }
}

fn acting(program: &Program) -> FxHashSet<FunctionId> {
    let writes = |body: &Body| {
        body.expressions().into_iter().any(|e| match body.exprs[e].kind {
            ExprKind::Assign(_, lvalue, _) | ExprKind::Step(_, _, lvalue) => {
                target(program, body, lvalue) == Target::Memory
            }
            _ => false,
        })
    };
    program.analyses().callers_of(&|function| {
        let own = match &function.body {
            FunctionBody::Block => writes(&function.code),
            FunctionBody::Switch(cases) => {
                cases.iter().any(|(_, case)| matches!(case, TargetCase::Block(body) if writes(body)))
            }
            _ => false,
        };
        own || function.is_marked("__effects")
    })
}

fn statics(program: &Program) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    for &id in program.reachable_functions().iter() {
        let body = &program.functions[id].code;
        each_written(program, body, &body.expressions(), &mut |lvalue| {
            if let Target::Static(global) = target(program, body, lvalue) {
                found.insert(global);
            }
        });
    }
    found
}

/// The locals that expressions write, and how often at most.
pub fn writes(program: &Program, body: &Body, exprs: &[ExprId]) -> BTreeMap<LocalId, u32> {
    let mut found = BTreeMap::new();
    each_written(program, body, exprs, &mut |lvalue| {
        if let Some(local) = root(body, lvalue) {
            *found.entry(local).or_insert(0) += 1;
        }
    });
    found
}

fn each_written(program: &Program, body: &Body, exprs: &[ExprId], note: &mut dyn FnMut(ExprId)) {
    for id in exprs {
        match &body.exprs[*id].kind {
            ExprKind::Native(_, args) => args.iter().for_each(|a| note(*a)),
            ExprKind::Property(p) => {
                for function in [p.get, p.set, p.reference].into_iter().flatten() {
                    program.written_arguments(function, &p.args).for_each(&mut *note);
                }
            }
            _ => program.each_written(&body.exprs, *id, note),
        }
    }
}

/// The local that an lvalue is a part of.
fn root(body: &Body, lvalue: ExprId) -> Option<LocalId> {
    let mut at = lvalue;
    loop {
        let base = body.exprs.base(at);
        at = match &body.exprs[base].kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::Convert(of, _) => *of,
            ExprKind::Property(property) => *property.args.first()?,
            _ => return None,
        };
    }
}
