//! Explicit positions: `register(...)`, `packoffset(...)`, `layout(...)` and the attributes that give bindings, locations and formats.

use super::Eval;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::tree::{Attribute, AttributeArg, Explicit, ExplicitRegister};

/// The explicit positions of a declaration, from its semantics, resolved attributes and `layout(...)`. As DXC has it, a
/// register without a number is the first; an index of one is an error in Slang alone.
pub fn explicit<'a>(
    semantics: &[ast::Semantic],
    attributes: &[Attribute],
    layout: &'a [(ast::Ident, Option<ast::Expr>)],
    eval: Eval<'a, '_>,
    (as_dxc, language): (bool, Language),
    errors: &mut Vec<Diagnostic>,
) -> Explicit {
    let mut explicit = Explicit::default();
    for semantic in semantics {
        let placed = match semantic {
            ast::Semantic::Name(name) => index_fault(*name).map_or(Ok(()), |fault| Err((name.span, fault))),
            ast::Semantic::Register(words, span) => register(words, *span).map(|placed| {
                errors
                    .extend(words.iter().find_map(|word| without_number(*word, as_dxc || language == Language::Hlsl)));
                errors.extend(words.iter().find_map(|word| with_index(*word, language)));
                let profile = words.first().is_some_and(|w| is_profile(w.name.as_str()));
                let same = |r: &&ExplicitRegister| {
                    !profile && (r.class == placed.class || r.class.is_none() || placed.class.is_none())
                };
                // Saying the same again does no harm.
                if !explicit.registers.iter().any(|r| r.is_same(&placed)) {
                    errors.extend(explicit.registers.iter().find(same).map(|r| said_twice("register", r.span, *span)));
                    explicit.registers.push(placed);
                }
            }),
            ast::Semantic::PackOffset(words, span) => packoffset(words, *span).map(|bytes| {
                errors.extend(explicit.packoffset.map(|(_, first)| said_twice("packoffset", first, *span)));
                explicit.packoffset = Some((bytes, *span));
            }),
            // They restrict, and place nothing.
            ast::Semantic::Read(_) | ast::Semantic::Write(_) => Ok(()),
        };
        if let Err((span, reason)) = placed {
            errors.push(Diagnostic::error(Code::BAD_REGISTER, span, reason));
        }
    }
    for attribute in attributes {
        if let (true, Some((.., first))) = (attribute.name == *"vk::binding", explicit.vk_binding) {
            errors.push(said_twice("vk::binding", first, attribute.span));
        }
        if let Err(reason) = from_attribute(&mut explicit, attribute) {
            errors.push(Diagnostic::error(Code::BAD_REGISTER, attribute.span, reason));
        }
    }
    from_layout(&mut explicit, layout, eval, errors);
    explicit
}

/// Two positions of one kind: neither is better than the other.
fn said_twice(what: &str, first: Span, second: Span) -> Diagnostic {
    let message = format!("there are two of `{what}` here");
    Diagnostic::error(Code::BAD_REGISTER, second, message).label(first, "the other one")
}

/// What is wrong with the index at the end of a semantic, if anything.
fn index_fault(name: ast::Ident) -> Option<String> {
    let text = name.name.as_str();
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(word.len()..).unwrap_or("");
    match digits.parse::<u16>() {
        Err(_) if !digits.is_empty() => Some(format!("the index of `{text}` is too large")),
        Ok(n) if n >= RENDER_TARGETS && word.eq_ignore_ascii_case("SV_Target") => {
            Some(format!("`{text}` is beyond the {RENDER_TARGETS} render targets, which are counted from 0"))
        }
        _ => None,
    }
}

/// Outputs that a fragment may have.
const RENDER_TARGETS: u16 = 8;

/// Classes of register and what they hold.
pub const CLASSES: &[(char, &str)] = &[
    ('b', "constant buffers"),
    ('t', "textures and read-only buffers"),
    ('u', "read-write textures and buffers"),
    ('s', "samplers"),
    ('c', "constants"),
    ('i', "integer constants"),
];

/// Profile words that Direct3D 9 registers may begin with: `register(vs, c0)`, `register(ps_5_0, t1)`.
const PROFILES: &[&str] = &["vs", "ps", "gs", "hs", "ds", "cs", "lib"];

type Positioned<T> = Result<T, (Span, String)>;

/// `register(t0, space1)`; in `register(t)`, the number is 0.
fn register(words: &[ast::Ident], span: Span) -> Positioned<ExplicitRegister> {
    let mut result = ExplicitRegister { class: None, index: 0, space: None, span };
    let profile = words.first().is_some_and(|w| is_profile(w.name.as_str()));
    for word in words.iter().skip(usize::from(profile)) {
        let text = word.name.as_str();
        if let Some(digits) = text.strip_prefix("space") {
            if result.space.is_some() {
                return Err((word.span, "`register` names two spaces".into()));
            }
            let wrong = || (word.span, format!("`{text}` is not a register space; write `space0`, `space1`, ..."));
            result.space = Some(number(digits).ok_or_else(wrong)?);
            continue;
        }
        if text == INDEX && result.class.is_some() && result.space.is_none() {
            continue;
        }
        if result.class.is_some() {
            return Err((word.span, format!("`register` takes one register and one space; `{text}` is too much")));
        }
        if result.space.is_some() {
            return Err((word.span, "the register stands before the space: `register(t0, space1)`".into()));
        }
        let (class, index) = match letter(text) {
            Some(letter) => (letter, 0),
            None => class_and_index(text).map_err(|reason| (word.span, reason))?,
        };
        if class == 'c' && index >= MAX_ROWS {
            return Err((word.span, beyond(text)));
        }
        (result.class, result.index) = (Some(class), index);
    }
    match (result.class, result.space) {
        (None, None) => Err((span, "`register` needs a register such as `t0` or a space such as `space1`".into())),
        _ => Ok(result),
    }
}

/// `vs`, `ps_5_0`.
fn is_profile(word: &str) -> bool {
    let (name, version) = word.split_once('_').unwrap_or((word, ""));
    PROFILES.contains(&name) && version.chars().all(|c| c.is_ascii_digit() || c == '_')
}

/// `t`, without a number.
fn letter(text: &str) -> Option<char> {
    let mut chars = text.chars().map(|c| c.to_ascii_lowercase());
    let letter = chars.next().filter(|letter| CLASSES.iter().any(|(c, _)| c == letter));
    letter.filter(|_| chars.next().is_none())
}

/// What is said of a register without a number, such as `t`.
fn without_number(word: ast::Ident, as_dxc: bool) -> Option<Diagnostic> {
    let letter = letter(word.name.as_str())?;
    let message = format!("`{letter}` needs a number, such as `{letter}0`");
    Some(match as_dxc {
        true => Diagnostic::warning(Code::BAD_REGISTER, word.span, format!("{message}; the number 0 is assumed")),
        false => Diagnostic::error(Code::BAD_REGISTER, word.span, message),
    })
}

/// The word for an index in brackets, which Direct3D 9 had for registers: `register(s2[1])`.
const INDEX: &str = "[]";

/// What is said of an index, which DXC takes and leaves out, and slangc refuses.
fn with_index(word: ast::Ident, language: Language) -> Option<Diagnostic> {
    (word.name == *INDEX).then(|| match language {
        Language::Hlsl => {
            let message = "the index in brackets is ignored, as DXC ignores it; the number stands behind the letter";
            Diagnostic::warning(Code::BAD_REGISTER, word.span, message)
        }
        Language::Slang => {
            let message = "a register has no index in brackets; its number stands behind the letter";
            Diagnostic::error(Code::BAD_REGISTER, word.span, message)
        }
    })
}

/// `t12`.
fn class_and_index(text: &str) -> Result<(char, u32), String> {
    let mut chars = text.chars();
    let letter = chars.next().unwrap_or_default().to_ascii_lowercase();
    if !CLASSES.iter().any(|(c, _)| *c == letter) {
        let list: Vec<String> = CLASSES.iter().map(|(c, what)| format!("`{c}` for {what}")).collect();
        return Err(format!("`{text}` is not a register; there are {}", list.join(", ")));
    }
    let digits = chars.as_str();
    match number(digits) {
        Some(index) => Ok((letter, index)),
        None if digits.chars().all(|c| c.is_ascii_digit()) => Err(format!("the number of `{text}` is too large")),
        None => Err(format!("`{text}` is not a register; a letter and a number are needed, such as `{letter}0`")),
    }
}

/// A decimal number without a sign.
fn number(digits: &str) -> Option<u32> {
    digits.chars().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Rows of the largest constant buffer.
const MAX_ROWS: u32 = 4096;

fn beyond(row: &str) -> String {
    format!("`{row}` is beyond the {MAX_ROWS} rows of a constant buffer")
}

/// `packoffset(c1.y)` in bytes.
fn packoffset(words: &[ast::Ident], span: Span) -> Positioned<u32> {
    let Some(first) = words.first() else { return Err((span, "`packoffset` needs a position such as `c0.x`".into())) };
    let text = first.name.as_str();
    // The register alone is the first, for DXC and slangc alike.
    let row = text.strip_prefix(['c', 'C']).and_then(|d| if d.is_empty() { Some(0) } else { number(d) });
    let Some(row) = row else {
        let digits = text.get(1..).unwrap_or("");
        let large = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        let fault = if large { beyond(text) } else { format!("`{text}` is not a constant; write `c0`, `c1.y`, ...") };
        return Err((first.span, fault));
    };
    if row >= MAX_ROWS {
        return Err((first.span, beyond(text)));
    }
    let component = match words.get(1) {
        None => 0,
        Some(word) => {
            let letter = word.name.as_str();
            let at = ["xyzw", "rgba"].iter().find_map(|set| set.find(letter).filter(|_| letter.len() == 1));
            at.ok_or_else(|| (word.span, format!("`{letter}` is not a component; one of x, y, z, w is needed")))? as u32
        }
    };
    match words.get(2) {
        Some(word) => Err((word.span, "`packoffset` takes one row and one component".into())),
        None => Ok(16 * row + 4 * component),
    }
}

/// Positions that an attribute gives.
fn from_attribute(explicit: &mut Explicit, attribute: &Attribute) -> Result<(), String> {
    let number = |index: usize| -> Result<u32, String> {
        match attribute.args.get(index) {
            Some(AttributeArg::Int(n)) => {
                u32::try_from(*n).map_err(|_| format!("`[{}]`: {n} is out of range", attribute.name))
            }
            _ => Ok(0),
        }
    };
    let text = || match attribute.args.first() {
        Some(AttributeArg::Text(text)) => Some(*text),
        _ => None,
    };
    match attribute.name.as_str().to_ascii_lowercase().as_str() {
        "vk::binding" => explicit.vk_binding = Some((number(0)?, number(1)?, attribute.span)),
        "vk::location" => explicit.location = Some((number(0)?, attribute.span)),
        "vk::builtin" => explicit.builtin = text(),
        "vk::index" => match number(0)? {
            n @ 0..=1 => explicit.index = Some(n),
            n => return Err(format!("`vk::index` is 0 or 1, not {n}: the first or the second source of blending")),
        },
        "vk::constant_id" => explicit.constant_id = Some(Some(number(0)?)),
        "specializationconstant" | "vk::specialization_constant" => {
            explicit.constant_id = Some(explicit.constant_id.flatten())
        }
        "vk::offset" => explicit.vk_offset = Some(number(0)?),
        "vk::counter_binding" => explicit.vk_counter_binding = Some(number(0)?),
        "vk::input_attachment_index" => explicit.input_attachment_index = Some(number(0)?),
        "vk::image_format" | "format" => explicit.image_format = text(),
        _ => {}
    }
    Ok(())
}

/// Positions that `layout(...)` gives. Words without a value that are known to be no position are passed over; image
/// formats are such words.
fn from_layout<'a>(
    explicit: &mut Explicit,
    layout: &'a [(ast::Ident, Option<ast::Expr>)],
    eval: Eval<'a, '_>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut binding: Option<(Option<u32>, Option<u32>, Span)> = None;
    for (name, value) in layout {
        let word = name.name.as_str();
        let Some(value) = value else {
            if is_image_format(word) {
                explicit.image_format = Some(name.name);
            }
            continue;
        };
        let number = match eval(value).and_then(|v| v.int()).map(u32::try_from) {
            Some(Ok(number)) => number,
            _ => {
                let message = format!("`layout({word} = ...)` needs a constant from 0 to {}", u32::MAX);
                errors.push(Diagnostic::error(Code::BAD_REGISTER, value.span, message));
                continue;
            }
        };
        match word {
            "binding" => binding.get_or_insert((None, None, name.span)).0 = Some(number),
            "set" => binding.get_or_insert((None, None, name.span)).1 = Some(number),
            "location" => explicit.location = Some((number, name.span)),
            "index" => explicit.index = Some(number),
            "offset" => explicit.vk_offset = Some(number),
            "constant_id" => explicit.constant_id = Some(Some(number)),
            "input_attachment_index" => explicit.input_attachment_index = Some(number),
            _ => {}
        }
    }
    let other =
        explicit.vk_binding.filter(|b| binding.is_some_and(|new| (Some(b.0), b.1) != (new.0, new.1.unwrap_or(0))));
    if let (Some((.., first)), Some((.., second))) = (other, binding) {
        errors.push(said_twice("binding", first, second));
    }
    match binding {
        Some((Some(number), set, span)) => explicit.vk_binding = Some((number, set.unwrap_or(0), span)),
        Some((None, Some(set), span)) => explicit.vk_set = Some((set, span)),
        _ => {}
    }
}

/// DXC's name of an image format, without underscores, as GLSL has it.
pub(super) fn format_of(word: &str) -> &str {
    const NAMES: &[(&str, &str)] = &[
        ("rgba16snorm", "rgba16_snorm"),
        ("rgba8snorm", "rgba8_snorm"),
        ("rg16snorm", "rg16_snorm"),
        ("rg8snorm", "rg8_snorm"),
        ("r16snorm", "r16_snorm"),
        ("r8snorm", "r8_snorm"),
        ("r11g11b10f", "r11f_g11f_b10f"),
        ("rgb10a2", "rgb10_a2"),
        ("rgb10a2ui", "rgb10_a2ui"),
    ];
    NAMES.iter().find(|(name, _)| *name == word).map_or(word, |(_, format)| format)
}

/// Whether a word is the name of a storage image format: channels, bits, kind (`rgba16f`, `r32ui`, `rgba8_snorm`).
pub(super) fn is_image_format(word: &str) -> bool {
    const CHANNELS: &[&str] = &["rgba", "rgb", "rg", "r"];
    const KINDS: &[&str] = &["", "f", "i", "ui", "_snorm", "_a2", "_a2ui"];
    let Some(rest) = CHANNELS.iter().find_map(|c| word.strip_prefix(c)) else { return word == "bgra8" };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (bits, kind) = rest.split_at(digits);
    word == "r11f_g11f_b10f" || (matches!(bits, "8" | "10" | "16" | "32" | "64") && KINDS.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::super::semantic;
    use super::super::tests::{eval, parsed, resolved};
    use super::*;
    use crate::ast::{DeclKind, Ident};
    use crate::symbol::Symbol;

    /// The positions of a variable, and what is wrong with them.
    fn positions(text: &str) -> (Explicit, Vec<String>) {
        let decl = parsed(text);
        let DeclKind::Var(var) = &decl.kind else { panic!("{text} is no variable") };
        let mut errors = Vec::new();
        let attributes = resolved(&decl.attributes).0;
        let found = explicit(
            &var.semantics,
            &attributes,
            &decl.layout,
            &mut |e| eval(e),
            (false, Language::Slang),
            &mut errors,
        );
        (found, errors.into_iter().map(|d| d.code.to_string()).collect())
    }

    fn idents(words: &[&str]) -> Vec<Ident> {
        words.iter().map(|w| Ident { name: Symbol::new(w), span: Span::default() }).collect()
    }

    fn reg(words: &[&str]) -> Result<(Option<char>, u32, Option<u32>), String> {
        let placed = register(&idents(words), Span::default());
        placed.map(|r| (r.class, r.index, r.space)).map_err(|(_, reason)| reason)
    }

    #[test]
    fn registers() {
        assert_eq!(reg(&["t7"]), Ok((Some('t'), 7, None)));
        assert_eq!(reg(&["T7"]), Ok((Some('t'), 7, None)));
        assert_eq!(reg(&["b0", "space3"]), Ok((Some('b'), 0, Some(3))));
        assert_eq!(reg(&["space1"]), Ok((None, 0, Some(1))));
        assert_eq!(reg(&["vs", "c4"]), Ok((Some('c'), 4, None)));
        assert_eq!(reg(&["ps_5_0", "s1", "space2"]), Ok((Some('s'), 1, Some(2))));
        assert_eq!(reg(&["u4294967295"]), Ok((Some('u'), u32::MAX, None)));
        for (words, part) in [
            (&["x3"][..], "`x3` is not a register"),
            (&["t", "1"], "is too much"),
            (&["t3x"], "a letter and a number"),
            (&["t99999999999"], "too large"),
            (&["t-1"], "a letter and a number"),
            (&["t0", "t1"], "is too much"),
            (&["t0", "space"], "not a register space"),
            (&["t0", "SPACE1"], "is too much"),
            (&["space1", "t0"], "stands before the space"),
            (&["t0", "space1", "space2"], "two spaces"),
            (&[], "needs a register"),
            (&["vs"], "needs a register"),
        ] {
            let reason = reg(words).unwrap_err();
            assert!(reason.contains(part), "{words:?}: {reason}");
        }
    }

    #[test]
    fn packoffsets() {
        let pack = |words: &[&str]| packoffset(&idents(words), Span::default()).ok();
        assert_eq!(pack(&["c0"]), Some(0));
        assert_eq!(pack(&["c0", "y"]), Some(4));
        assert_eq!(pack(&["c12", "w"]), Some(204));
        assert_eq!(pack(&["C1", "b"]), Some(24));
        assert_eq!(pack(&["c"]), Some(0));
        assert_eq!(pack(&["c", "z"]), Some(8));
        for words in [&["b0"][..], &["c0", "q"], &["c0", "xy"], &["c0", "x", "y"], &["c4096"], &[], &["c0", ""]] {
            assert_eq!(pack(words), None, "{words:?}");
        }
    }

    #[test]
    fn positions_of_declarations() {
        let (e, errors) = positions(
            "[vk::binding(3, 1)] [vk::counter_binding(9)] [vk::image_format(\"rgba16f\")] [SpecializationConstant] int x;",
        );
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(e.vk_binding.map(|(b, s, _)| (b, s)), Some((3, 1)));
        assert_eq!((e.vk_counter_binding, e.image_format), (Some(9), Some("rgba16f".into())));
        assert_eq!(e.constant_id, Some(None));

        let (e, errors) = positions("layout(binding = 2, set = FOUR, r32ui, std140, location = unknown) int x;");
        assert_eq!(e.vk_binding.map(|(b, s, _)| (b, s)), Some((2, 4)));
        assert_eq!((e.image_format, e.location), (Some("r32ui".into()), None));
        assert_eq!(errors, ["E0402"]);

        let text = "int x : SV_Target0 : register(t1) : register(s2) : register(zz) : packoffset(c1.z);";
        let (e, errors) = positions(text);
        let registers: Vec<_> = e.registers.iter().map(|r| (r.class, r.index)).collect();
        assert_eq!(registers, [(Some('t'), 1), (Some('s'), 2)]);
        assert_eq!(e.packoffset.map(|p| p.0), Some(24));
        assert_eq!(errors, ["E0402"]);
        let DeclKind::Var(var) = parsed(text).kind else { panic!("a variable") };
        assert_eq!(semantic(&var.semantics).map(|s| s.split()), Some(("SV_TARGET".into(), 0)));
    }

    #[test]
    fn image_formats() {
        for word in ["rgba8", "r32ui", "rg16f", "rgba8_snorm", "r11f_g11f_b10f", "r64i", "rgba16", "bgra8"] {
            assert!(is_image_format(word), "{word}");
        }
        for word in ["row_major", "std140", "rgba", "bgra16", "red", "r7", "push_constant", "local_size_x"] {
            assert!(!is_image_format(word), "{word}");
        }
    }
}
