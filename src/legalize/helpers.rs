//! The functions of the library that passes call: `stdlib/helpers.slang`, which programs do not see.
//!
//! They are checked once a process, and those that are called go into the program with what they call.

use super::{Context, select_target};
use crate::check::{self, Input, SourceUnit};
use crate::diagnostic::Diagnostics;
use crate::parse::Language;
use crate::source::FileId;
use crate::symbol::Symbol;
use crate::tree::{ExprKind, Function, FunctionBody, FunctionId, Item, Program, TypeId, Types};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// All of them, as they were checked.
static LIBRARY: LazyLock<Program> = LazyLock::new(|| {
    let unit = SourceUnit {
        name: Symbol::new("helpers"),
        file: FileId::default(),
        files: vec![Arc::new(crate::stdlib::helpers())],
        language: Language::Slang,
        imports: Vec::new(),
    };
    let input = Input { units: vec![unit], ..Input::default() };
    let options = check::Options { allow_no_entries: true, ..check::Options::default() };
    check::check(crate::stdlib::stdlib(), &input, &options, &mut Diagnostics::default()).0
});

/// The functions that a pass calls.
pub(super) struct Helpers {
    library: Program,
    /// Those that are in the program already, by their ids in the library.
    taken: BTreeMap<FunctionId, FunctionId>,
    /// Those that have statements, callees first.
    listed: Vec<FunctionId>,
}

impl Helpers {
    /// None yet, as a target spells what they call.
    pub(super) fn new(cx: &Context) -> Helpers {
        let mut library = LIBRARY.clone();
        select_target::choose(&mut library, cx.profile);
        Helpers { library, taken: BTreeMap::new(), listed: Vec::new() }
    }

    /// The function of a name, in the program.
    pub(super) fn function(&mut self, program: &mut Program, name: &str) -> Option<FunctionId> {
        let (id, _) = self.library.functions.iter().find(|(_, f)| f.name == *name && !f.builtin)?;
        Some(self.take(program, id))
    }

    /// Lists those that were taken before the first function of the program.
    pub(super) fn list(self, program: &mut Program) {
        let first = program.items.iter().find(|i| matches!(i, Item::Function(_))).copied();
        self.listed.into_iter().for_each(|function| program.items.put_before(first, Item::Function(function)));
    }

    /// Takes a function into a program with what it calls. No function calls itself, so this ends.
    fn take(&mut self, program: &mut Program, id: FunctionId) -> FunctionId {
        if let Some(taken) = self.taken.get(&id) {
            return *taken;
        }
        let mut function = Function { builtin: true, made: true, ..self.library.functions[id].clone() };
        function.result = of_program(&self.library.types, &mut program.types, function.result);
        for (_, local) in function.code.locals.iter_mut() {
            local.ty = of_program(&self.library.types, &mut program.types, local.ty);
        }
        for (_, expr) in function.code.exprs.iter_mut() {
            expr.ty = of_program(&self.library.types, &mut program.types, expr.ty);
            if let ExprKind::Call(callee, _) = &mut expr.kind {
                *callee = self.take(program, *callee);
            }
        }
        let has_statements = matches!(function.body, FunctionBody::Block);
        let taken = program.functions.push(function);
        self.taken.insert(id, taken);
        self.listed.extend(has_statements.then_some(taken));
        taken
    }
}

/// A type of the library, of numbers alone, among those of a program.
fn of_program(library: &Types, types: &mut Types, id: TypeId) -> TypeId {
    let ty = library.get(id);
    match ty.element() {
        // A type cannot be an element of itself, so this ends.
        Some(element) => {
            let element = of_program(library, types, element);
            types.intern(ty.with_element(element))
        }
        None => types.intern(ty),
    }
}
