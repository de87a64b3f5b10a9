//! A root signature in several lines: literals side by side are one.

use crate::emit::layout::WIDTH;
use crate::emit::literal::quoted;

/// The literal of a root signature; literals of a parameter each, in lines of their own, where one does not fit into the line with
/// the `around` columns that the line has besides.
pub(super) fn literal(text: &str, around: usize) -> String {
    let whole = quoted(text);
    if around + whole.len() <= WIDTH {
        return whole;
    }
    let parameters = split(text, |c, depth| c == ',' && depth == 0);
    // The indentation and the bracket behind the last one.
    let fits = |part: &&str| part.len() <= WIDTH - 16;
    let parts = parameters.into_iter().flat_map(|part| match fits(&part) {
        true => vec![single_spaces(part)],
        false => deeper(split(part, |c, depth| (c == ',' || c == '|') && depth > 0)),
    });
    let lines: Vec<String> = parts.map(|part| quoted(&part)).collect();
    format!("\n{}", lines.join("\n"))
}

/// The parts of a text that end with a character for which `ends` holds, given the parentheses around it.
fn split(text: &str, ends: impl Fn(char, usize) -> bool) -> Vec<&str> {
    let mut depth = 0_usize;
    let end = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        ends(c, depth)
    };
    text.split_inclusive(end).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The parts of a parameter, which stand deeper than its beginning.
fn deeper(parts: Vec<&str>) -> Vec<String> {
    let indented = |(at, part): (usize, &str)| format!("{}{}", if at > 0 { "    " } else { "" }, single_spaces(part));
    parts.into_iter().enumerate().map(indented).collect()
}

/// What the author aligned in lines of another form.
fn single_spaces(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::literal;

    /// Parameters stand in lines, and flags where they are too many for one.
    #[test]
    fn breaks_where_parameters_and_flags_end() {
        assert_eq!(literal("CBV(b0), SRV(t0)", 20), "\"CBV(b0), SRV(t0)\"");
        assert_eq!(
            literal("CBV(b0),   DescriptorTable( SRV(t0),  UAV(u0) )", 100),
            "\n\"CBV(b0),\"\n\"DescriptorTable( SRV(t0), UAV(u0) )\""
        );
        let flags = "RootFlags(DENY_HULL_SHADER_ROOT_ACCESS | DENY_DOMAIN_SHADER_ROOT_ACCESS | DENY_GEOMETRY_SHADER_ROOT_ACCESS | ALLOW_STREAM_OUTPUT)";
        let lines = [
            "",
            "\"RootFlags(DENY_HULL_SHADER_ROOT_ACCESS |\"",
            "\"    DENY_DOMAIN_SHADER_ROOT_ACCESS |\"",
            "\"    DENY_GEOMETRY_SHADER_ROOT_ACCESS |\"",
            "\"    ALLOW_STREAM_OUTPUT)\"",
        ];
        assert_eq!(literal(flags, 0), lines.join("\n"));
    }
}
