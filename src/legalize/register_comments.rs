//! The registers and semantics of the source behind the declarations that have none in the text, as `--register-comments` asks.
//!
//! Before: `Texture2D t : register(t3);       struct V { float2 uv : TEXCOORD0; };`
//! After:  `Texture2D t; // register(t3)      struct V { float2 uv; /* TEXCOORD0 */ };`
//!
//! Comments go wherever declarations go, so that this comes before all passes that take those apart. System values are not
//! mentioned: the text has its own word for each.

use super::{Context, Pass};
use crate::lex::Comment;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::StageIo;
use crate::tree::{Explicit, ExplicitRegister, GlobalKind, Semantic};

pub(super) const PASS: Pass =
    Pass { name: "register_comments", always: Some("an option asks for it"), run, ..Pass::ROW };

fn run(cx: &mut Context) {
    // Where stages have semantics, registers and semantics stay.
    if !cx.options.register_comments || cx.profile.facts.stage_io == StageIo::Semantics {
        return;
    }
    let parameters = cx.program.globals.iter_mut().map(|(_, global)| global);
    for global in parameters.filter(|global| global.kind == GlobalKind::Parameter) {
        note(&mut global.comments, registers(&global.explicit), global.span);
    }
    for field in cx.program.structs.iter_mut().flat_map(|(_, structure)| &mut structure.fields) {
        note(&mut field.comments, registers(&field.explicit), field.span);
        note(&mut field.comments, semantic(field.semantic.as_ref()), field.span);
    }
    for entry in &cx.program.entry_points {
        let function = &mut cx.program.functions[entry.function];
        for param in &mut function.params {
            let span = function.code.locals[param.local].span;
            // What follows is on the same line. The place tells the printers that no comma of the source is before it.
            param
                .comments
                .extend(semantic(param.semantic.as_ref()).map(|text| trailing(&format!("/* {text} */"), span)));
        }
    }
}

fn note(comments: &mut Vec<Comment>, text: Option<String>, span: Span) {
    comments.extend(text.map(|text| trailing(&format!("// {text}"), span)));
}

fn trailing(text: &str, span: Span) -> Comment {
    Comment { text: Symbol::new(text), span, trailing: true, blank_before: false, blank_after: false }
}

/// `register(t3, space1)`, as often as the source has it.
fn registers(explicit: &Explicit) -> Option<String> {
    let text = |register: &ExplicitRegister| {
        let class = register.class.map(|class| format!("{class}{}", register.index));
        let space = register.space.map(|space| format!("space{space}"));
        let parts: Vec<String> = class.into_iter().chain(space).collect();
        format!("register({})", parts.join(", "))
    };
    let all: Vec<String> = explicit.registers.iter().map(text).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn semantic(semantic: Option<&Semantic>) -> Option<String> {
    semantic.filter(|semantic| !semantic.is_system()).map(|semantic| semantic.text.to_string())
}
