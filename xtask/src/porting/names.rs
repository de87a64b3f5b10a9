//! Which words of a text are names that it declares.

use super::token::{Kind, Token};
use std::collections::BTreeSet;

/// Words that are no names, and words before which no declared name stands.
const KEYWORDS: &[&str] = &[
    "return",
    "else",
    "case",
    "if",
    "for",
    "while",
    "do",
    "switch",
    "break",
    "continue",
    "discard",
    "default",
    "goto",
    "struct",
    "class",
    "enum",
    "interface",
    "cbuffer",
    "tbuffer",
    "namespace",
    "typedef",
    "using",
    "import",
    "this",
    "true",
    "false",
    "static",
    "const",
    "in",
    "out",
    "inout",
    "uniform",
    "varying",
    "groupshared",
    "shared",
    "precise",
    "nointerpolation",
    "noperspective",
    "centroid",
    "sample",
    "linear",
    "row_major",
    "column_major",
    "inline",
    "extern",
    "volatile",
    "let",
    "var",
    "fn",
    "override",
    "alias",
    "loop",
    "continuing",
    "public",
    "private",
    "internal",
    "extension",
    "where",
    "is",
    "as",
    "new",
    "flat",
    "smooth",
    "highp",
    "mediump",
    "lowp",
    "layout",
    "void",
    "operator",
];
/// Keywords that stand right before the name that they declare.
const DECLARING: &[&str] = &[
    "struct",
    "class",
    "enum",
    "interface",
    "cbuffer",
    "tbuffer",
    "namespace",
    "let",
    "var",
    "fn",
    "override",
    "alias",
];
/// Keywords that may stand between a type and what it declares, or instead of one.
const MODIFIERS: &[&str] =
    &["static", "const", "in", "out", "inout", "uniform", "groupshared", "shared", "precise", "void", "let", "var"];

pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Whether a word is a scalar, vector or matrix of one of the languages.
pub fn is_builtin_type(word: &str) -> bool {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'x');
    matches!(
        stem,
        "float"
            | "half"
            | "double"
            | "int"
            | "uint"
            | "bool"
            | "void"
            | "vec"
            | "mat"
            | "ivec"
            | "uvec"
            | "bvec"
            | "vector"
            | "min"
            | "matrix"
            | "dword"
            | "string"
            | "f"
            | "i"
            | "u"
            | "min16float"
            | "min16int"
            | "min16uint"
    ) || ["int", "uint", "float"].iter().any(|s| word.starts_with(s) && word.ends_with("_t"))
        || ["Texture", "RWTexture", "Buffer", "RWBuffer", "StructuredBuffer", "SamplerState", "ByteAddressBuffer"]
            .iter()
            .any(|s| word.starts_with(s))
}

/// Resources, whose arguments in `<>` make them look like names that are declared.
const RESOURCES: &[&str] = &[
    "Texture1D",
    "Texture2D",
    "Texture3D",
    "TextureCube",
    "Texture1DArray",
    "Texture2DArray",
    "TextureCubeArray",
    "Texture2DMS",
    "Texture2DMSArray",
    "Buffer",
    "StructuredBuffer",
    "ByteAddressBuffer",
];

/// Whether a word is no name that a source declares.
fn is_word(word: &str) -> bool {
    is_keyword(word) || RESOURCES.contains(&word.strip_prefix("RW").unwrap_or(word))
}

/// Whether a name behind a point chooses components.
pub fn is_swizzle(word: &str) -> bool {
    let of = |letters: &str| word.chars().all(|c| letters.contains(c));
    (1..=4).contains(&word.len()) && (of("xyzw") || of("rgba")) || word.starts_with("_m") || word.starts_with("_1")
}

/// The names that code declares, by what stands around them: behind a type, in a list of names, before the colon of WGSL.
pub fn declared<'a>(code: &[Token<'a>]) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let is_enum = code.iter().take_while(|t| !t.is("{")).any(|t| t.is("enum"));
    for (at, token) in code.iter().enumerate().filter(|(_, t)| t.kind == Kind::Name && !is_word(t.text)) {
        let before = at.checked_sub(1).and_then(|at| code.get(at));
        let after = code.get(at + 1).map_or(";", |t| t.text);
        let declares = match before {
            Some(t) if t.kind == Kind::Name && DECLARING.contains(&t.text) => true,
            Some(t) if t.kind == Kind::Name && (!is_keyword(t.text) || MODIFIERS.contains(&t.text)) => {
                matches!(after, ";" | "," | "=" | ")" | "(" | "[" | ":" | "{" | "<" | "in")
            }
            Some(t) if t.is(">") || t.is("]") => matches!(after, ";" | "," | "=" | ")" | "[" | ":"),
            Some(t) if t.is(",") || t.is("{") || t.is("(") || t.is(";") => {
                let in_list = is_enum && matches!(after, "," | "=" | "}");
                let in_wgsl = after == ":" && !t.is(";");
                in_list || in_wgsl || t.is(",") && matches!(after, "," | ";" | "=" | "[")
            }
            _ => false,
        };
        if declares {
            found.insert(token.text);
        }
    }
    found
}

/// The names of code, without the components of vectors.
pub fn used<'a>(code: &[Token<'a>]) -> BTreeSet<&'a str> {
    let is_part = |at: usize| at > 0 && code[at - 1].is(".") && is_swizzle(code[at].text);
    code.iter().enumerate().filter(|(at, t)| t.kind == Kind::Name && !is_part(*at)).map(|(_, t)| t.text).collect()
}

/// Names of what stages read and write: structures with semantics, their fields, and variables of their types.
pub fn varyings<'a>(code: &[&[Token<'a>]]) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for struct_code in code.iter().filter(|c| c.iter().take(2).any(|t| t.is("struct"))) {
        let fields = fields_with_semantics(struct_code);
        if !fields.is_empty() {
            found.extend(fields);
            found.extend(struct_code.get(1).map(|t| t.text));
        }
    }
    let types = found.clone();
    for code in code {
        for pair in code.windows(2) {
            let is_variable = types.contains(pair[0].text) && pair[1].kind == Kind::Name;
            if is_variable && !is_keyword(pair[1].text) {
                found.insert(pair[1].text);
            }
        }
    }
    found
}

/// The fields `type name : SEMANTIC;`, and those of WGSL with an attribute.
fn fields_with_semantics<'a>(code: &[Token<'a>]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, token) in code.iter().enumerate().filter(|(_, t)| t.kind == Kind::Name) {
        let next = |n: usize| code.get(at + n);
        // `name : NAME`, `name[3] : NAME`
        let size = if next(1).is_some_and(|t| t.is("[")) { 3 } else { 0 };
        let semantic =
            next(1 + size).is_some_and(|t| t.is(":")) && next(2 + size).is_some_and(|t| t.kind == Kind::Name);
        let ends = next(3 + size).is_some_and(|t| matches!(t.text, ";"));
        let typed = at > 0 && (code[at - 1].kind == Kind::Name || code[at - 1].is(">"));
        let attribute = code[..at].iter().rposition(|t| t.is("@") || t.is(","));
        let in_wgsl = next(1).is_some_and(|t| t.is(":")) && attribute.is_some_and(|a| code[a].is("@"));
        if semantic && ends && typed || in_wgsl {
            found.push(token.text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        declared(&tokens(text)).into_iter().collect()
    }

    #[test]
    fn declared_names_of_functions() {
        let text = "float f(in float2 p, Texture2D<float4> t) { float a = max(p.x, b), c; for (int i = 0; i < n; i++) return g(a); }";
        assert_eq!(names(text), ["a", "c", "f", "i", "p", "t"]);
        let text = "fn f(p: vec2<f32>, q: i32) -> f32 { let a = max(p.x, b); var c: f32; return g(a, c); }";
        assert_eq!(names(text), ["a", "c", "f", "p", "q"]);
        assert_eq!(names("enum E { A, B = 2, C }"), ["A", "B", "C", "E"]);
        assert_eq!(names("struct S { float a; float4x4 m[2]; }"), ["S", "a", "m"]);
    }

    #[test]
    fn varyings_by_their_semantics() {
        let first = tokens("struct In { float4 pos : POSITION; float2 uv[2] : TEXCOORD; }");
        let second = tokens("float4 main(In input, float k) { }");
        let third = tokens("struct Data { float weight; }");
        let found: Vec<_> = varyings(&[&first, &second, &third]).into_iter().collect();
        assert_eq!(found, ["In", "input", "pos", "uv"]);
        let wgsl = tokens("struct V { @location(0) uv: vec2<f32>, plain: f32, }");
        assert_eq!(varyings(&[&wgsl]).into_iter().collect::<Vec<_>>(), ["V", "uv"]);
    }
}
