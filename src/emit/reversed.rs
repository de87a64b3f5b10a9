//! The comment on products that stand in the other order than in the source.

use super::context::Context;
use crate::symbol::Symbol;
use crate::tree::{Item, MatrixPlace};

/// Names in the comment; a reader sees the others by the same rule.
const MOST_NAMES: usize = 8;

/// `// Products with tbn are in reverse order: rows of the source are columns here.`, if a text has any.
pub(super) fn reversed_products(cx: &Context) -> Option<String> {
    if !cx.options.comments || cx.program.reversed_products.is_empty() {
        return None;
    }
    let mut names: Vec<Symbol> = Vec::new();
    for item in cx.items {
        let Item::Function(id) = item else { continue };
        for (_, place) in cx.program.reversed_products.iter().filter(|(function, _)| function == id) {
            if let Some(name) = name(cx, *place)
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
    }
    let (shown, more) = names.split_at_checked(MOST_NAMES).unwrap_or((&names, &[]));
    let list = shown.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    let others = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    (!list.is_empty())
        .then(|| format!("// Products with {list}{others} are in reverse order: rows of the source are columns here."))
}

fn name(cx: &Context, place: MatrixPlace) -> Option<Symbol> {
    let program = cx.program;
    match place {
        MatrixPlace::Local(function, local) => program.functions[function].code.locals.get_if(local).map(|l| l.name),
        MatrixPlace::Result(function) => Some(program.functions[function].name),
        MatrixPlace::Field(owner, index) => {
            program.structs.get_if(owner)?.fields.get(index as usize).map(|field| field.name)
        }
        MatrixPlace::Global(id) => Some(program.globals[id].name),
    }
}
