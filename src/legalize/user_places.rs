//! An error about code of the standard library stands where the user calls it: nobody can mend the library.

use crate::diagnostic::Diagnostics;
use crate::source::Span;
use crate::tree::{FunctionId, Program};

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
            diagnostic.span = place_of_call(program, &paths, place).or(diagnostic.span);
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
