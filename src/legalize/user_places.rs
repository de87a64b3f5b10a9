//! An error about code of the standard library stands where the user calls it: nobody can mend the library.

use crate::diagnostic::Diagnostics;
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, FunctionId, GlobalId, Program, TypeId};

/// Moves what was reported at places in the standard library.
pub(super) fn move_errors(program: &Program, diags: &mut Diagnostics) {
    let in_library = |span: &Option<Span>| span.is_some_and(|s| s.file.is_library());
    if !diags.list().iter().any(|d| in_library(&d.span)) {
        return;
    }
    let analyses = program.analyses();
    let paths: Vec<_> = program.entry_points.iter().flat_map(|entry| analyses.paths(entry)).collect();
    for mut diagnostic in diags.take() {
        if let Some(place) = diagnostic.span.filter(|s| s.file.is_library()) {
            let of_globals = || place_of_global(program, &paths, place);
            let found = place_of_call(program, &paths, place).or_else(of_globals);
            let found = found.or_else(|| place_of_struct(program, place));
            diagnostic.span = found.or(diagnostic.span);
        }
        diags.push(diagnostic);
    }
}

/// The first call of the user that leads to a place in the library. A place that a pass took out of the library stands for the
/// function of the user that it is in now.
fn place_of_call(program: &Program, paths: &[(FunctionId, Option<Span>)], place: Span) -> Option<Span> {
    let holds = |id: FunctionId| {
        let function = &program.functions[id];
        let code = &function.code;
        function.span == place
            || code.expressions().into_iter().any(|e| code.exprs[e].span == place)
            || code.locals.iter().any(|(_, local)| local.span == place)
    };
    let (id, from) = paths.iter().find(|(id, _)| holds(*id))?;
    from.or(Some(program.functions[*id].span)).filter(|span| !span.file.is_library())
}

/// Where the user first names a variable that was made for a place in the library, or the function that does.
fn place_of_global(program: &Program, paths: &[(FunctionId, Option<Span>)], place: Span) -> Option<Span> {
    let made = |id: &GlobalId| program.globals[*id].span == place;
    let named = paths.iter().find_map(|(id, from)| {
        let code = &program.functions[*id].code;
        let names = |e: &ExprId| matches!(&code.exprs[*e].kind, ExprKind::Global(g) if made(g));
        let found = code.expressions().into_iter().find(names)?;
        Some([Some(code.exprs[found].span), *from, Some(program.functions[*id].span)])
    })?;
    named.into_iter().flatten().find(|span| !span.file.is_library())
}

/// Where the user first declares something of a struct of the library that has a field at a place.
fn place_of_struct(program: &Program, place: Span) -> Option<Span> {
    let holds = |ty: TypeId| {
        let fields = program.fields(program.types.innermost(ty));
        fields.iter().any(|f| f.span == place)
    };
    let fields = program.structs.iter().flat_map(|(_, s)| &s.fields).map(|f| (f.ty, f.span));
    let globals = program.globals.iter().map(|(_, g)| (g.ty, g.span));
    let locals = program.functions.iter().flat_map(|(_, f)| f.code.locals.iter()).map(|(_, l)| (l.ty, l.span));
    let mut declared = fields.chain(globals).chain(locals).filter(|(_, span)| !span.file.is_library());
    declared.find(|(ty, _)| holds(*ty)).map(|(_, span)| span)
}
