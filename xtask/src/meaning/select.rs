//! `select`, `and` and `or` for DXC's SPIR-V back end, which has none of them and ends with a signal for some: our HLSL with
//! these functions spelled out, so that it runs. Whether the text is legal is asked of the other back end.

const NAMES: [&str; 3] = ["select", "and", "or"];
const LETTERS: [&str; 4] = ["x", "y", "z", "w"];

/// The text with the functions that it calls declared before it; nothing when it calls none. Lines keep their numbers.
pub fn spelled_out(text: &str, file: &str) -> Option<String> {
    let called: Vec<&str> = NAMES.into_iter().filter(|name| calls(text, name)).collect();
    if called.is_empty() {
        return None;
    }
    let mut out = String::new();
    for name in called {
        match name {
            "select" => selects(text, &mut out),
            "and" => logical(text, "and", "&&", &mut out),
            _ => logical(text, "or", "||", &mut out),
        }
        // Not under its own name: that one is still the builtin's.
        out.push_str(&format!("#define {name} spelled_{name}\n"));
    }
    Some(format!("{out}#line 1 \"{file}\"\n{text}"))
}

fn calls(text: &str, name: &str) -> bool {
    let call = format!("{name}(");
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(&call).any(|(at, _)| !text[..at].ends_with(word))
}

/// Every shape of a type: its name, and how its parts of one number or one row are picked.
fn shapes(scalar: &str) -> Vec<(String, Vec<String>)> {
    let mut shapes = Vec::new();
    for (index, _) in LETTERS.iter().enumerate().skip(1) {
        let parts = LETTERS[..=index].iter().map(|l| format!(".{l}")).collect();
        shapes.push((format!("{scalar}{}", index + 1), parts));
    }
    for (rows, columns) in (2..=4).flat_map(|r| (2..=4).map(move |c| (r, c))) {
        let parts = (0..rows * columns).map(|i| format!("[{}][{}]", i / columns, i % columns)).collect();
        shapes.push((format!("{scalar}{rows}x{columns}"), parts));
    }
    shapes
}

/// A condition that is a matrix, and its operands, which DXC does not tell from vectors of as many numbers: only where there are such.
fn wanted(text: &str, condition: &str) -> bool {
    !condition.contains('x') || text.contains(condition)
}

/// Our texts choose between numbers and vectors by one condition with `?:`, so only matrices are chosen so here.
fn selects(text: &str, out: &mut String) {
    for scalar in ["bool", "int", "uint", "float", "int16_t", "uint16_t", "float16_t", "int64_t", "uint64_t", "double"]
    {
        // Where the text has none of them, the option that makes it a type is not given either.
        if (scalar.ends_with("_t") || scalar == "double") && !text.contains(scalar) {
            continue;
        }
        for ((name, parts), (condition, _)) in shapes(scalar).into_iter().zip(shapes("bool")) {
            if name.contains('x') {
                let body = "{ return c ? a : b; }";
                out.push_str(&format!("{name} spelled_select(bool c, {name} a, {name} b) {body}\n"));
            }
            if wanted(text, &condition) {
                let of = |part: &String| format!("c{part} ? a{part} : b{part}");
                let chosen = parts.iter().map(of).collect::<Vec<_>>().join(", ");
                let body = format!("{{ return {name}({chosen}); }}");
                out.push_str(&format!("{name} spelled_select({condition} c, {name} a, {name} b) {body}\n"));
            }
        }
    }
}

fn logical(text: &str, name: &str, operator: &str, out: &mut String) {
    for (ty, parts) in shapes("bool").into_iter().filter(|(ty, _)| wanted(text, ty)) {
        let of = |part: &String| format!("a{part} {operator} b{part}");
        let parts = parts.iter().map(of).collect::<Vec<_>>().join(", ");
        out.push_str(&format!("{ty} spelled_{name}({ty} a, {ty} b) {{ return {ty}({parts}); }}\n"));
    }
}
