//! The declarations of an emitted text, with the names that each declares and uses.
//!
//! Texts are read as they are written: by brackets and semicolons, alike in the three languages. Nothing here knows more of a
//! language than how it writes the head of a declaration. A function or constant in a struct is a unit of its own, behind the struct:
//! programs may use different ones of the same struct.

mod structs;

use crate::diagnostic::Diagnostics;
use crate::lex::{Comment, Token, TokenKind, lex};
use crate::source::FileId;
use std::collections::BTreeSet;
use std::ops::Range;

/// What stands on its own at the top of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextUnitKind {
    /// `#version`, `enable`, `precision`, `layout(triangles) in;`: it is about the whole text and declares nothing.
    Directive,
    /// `#define NAME value`.
    Macro,
    /// A type, variable or function.
    Declaration,
}

/// A declaration or directive.
#[derive(Clone, Debug)]
pub struct TextUnit {
    /// What it is.
    pub kind: TextUnitKind,
    /// Where it stands, with the comments before it and the one behind it on its last line.
    pub range: Range<usize>,
    /// The same without the comments before it.
    pub code: Range<usize>,
    /// The comments before it, each with whether a blank line is behind it.
    pub comments: Vec<(Range<usize>, bool)>,
    /// A blank line is before it.
    pub is_apart: bool,
    /// The names that it declares for others.
    pub declares: BTreeSet<String>,
    /// The names in it, without those behind a dot.
    pub uses: BTreeSet<String>,
    /// The names of functions of structs that it may call.
    pub calls: BTreeSet<String>,
    /// Of a struct: its members as lines of their own, if it has them so.
    pub body: Option<StructBody>,
    /// Of what stands in a struct: where.
    pub member: Option<MemberPlace>,
    /// Of a function that its struct only declares: that and its name.
    pub defines: Option<(String, String)>,
    /// Where the first name that it declares stands.
    pub name_at: Option<usize>,
    /// Its tokens, for comparing.
    pub tokens: Vec<String>,
}

/// The members of a struct.
#[derive(Clone, Debug)]
pub struct StructBody {
    /// The lines between its brackets.
    pub lines: Range<usize>,
    /// The lines of each member that is no unit, with its comments.
    pub fields: Vec<Range<usize>>,
    /// It has members of others.
    pub is_derived: bool,
    /// The names of all its members and of those of its bases.
    names: BTreeSet<String>,
}

/// Where a unit stands in a struct.
#[derive(Clone, Debug)]
pub struct MemberPlace {
    /// The number of the struct's unit.
    pub of: usize,
    /// The name of the struct.
    pub of_name: String,
    /// Its name in there.
    pub name: String,
    /// How many of the struct's fields are before it.
    pub behind: usize,
}

impl TextUnit {
    /// Whether it announces a struct that comes later.
    pub fn announces(&self) -> bool {
        self.tokens.len() == 3 && self.tokens.first().is_some_and(|word| word == "struct")
    }

    /// The structs that it needs no more of than that they are announced.
    pub fn announced(&self) -> impl Iterator<Item = &str> {
        self.uses.iter().filter_map(|used| used.strip_prefix(structs::ANNOUNCED))
    }

    /// Its tokens as a line, which says in which struct they stand.
    pub fn tokens_in_place(&self) -> String {
        let of = self.member.as_ref().map(|member| format!("{} :: ", member.of_name)).unwrap_or_default();
        of + &self.tokens.join(" ")
    }

    /// Whether it is a function, which others of its name may overload.
    pub fn is_function(&self) -> bool {
        let at = self.tokens.iter().position(|token| self.declares.contains(token));
        self.kind == TextUnitKind::Declaration && at.is_some_and(|at| self.tokens.get(at + 1).is_some_and(|t| t == "("))
    }
}

/// The units of a text.
#[derive(Clone, Debug, Default)]
pub struct TextUnits {
    /// In their order.
    pub units: Vec<TextUnit>,
    /// What is behind the last one: comments.
    pub rest: usize,
}

/// Words that begin a list of members whose names are known outside of it.
const BLOCKS: [&str; 6] = ["cbuffer", "tbuffer", "uniform", "buffer", "shaderRecordEXT", "enum"];
/// Words before the name of an aggregate.
const AGGREGATES: [&str; 4] = ["struct", "class", "enum", "interface"];
/// Words that begin what declares nothing.
const DIRECTIVES: [&str; 3] = ["precision", "enable", "requires"];

impl TextUnits {
    /// Of a text.
    pub fn of(text: &str) -> TextUnits {
        let (mut comments, mut diagnostics) = (Vec::new(), Diagnostics::default());
        let tokens = lex(FileId::default(), text, &mut comments, &mut diagnostics);
        let mut found = TextUnits::default();
        let mut rest = tokens.as_slice();
        while let Some((first, behind)) = rest.split_first() {
            if matches!(first.kind, TokenKind::Newline | TokenKind::Eof) {
                rest = behind;
                continue;
            }
            let length = length(rest);
            let (unit, after) = rest.split_at(length);
            found.add(text, unit, &comments);
            rest = after;
        }
        found
    }

    fn add(&mut self, text: &str, tokens: &[Token], comments: &[Comment]) {
        let tokens: Vec<&Token> = tokens.iter().filter(|token| token.kind != TokenKind::Newline).collect();
        let Some(mut unit) = TextUnit::of(text, &tokens, comments, self.rest) else { return };
        self.rest = unit.range.end;
        match structs::StructParts::of(text, &tokens, comments) {
            Some(parts) => self.add_struct(unit, parts, text, comments),
            None => {
                self.mark_definition(&mut unit, &tokens);
                structs::mark_announcement(&mut unit);
                self.units.push(unit);
            }
        }
    }
}

impl TextUnit {
    /// Of tokens that stand behind a byte of a text.
    fn of(text: &str, tokens: &[&Token], comments: &[Comment], before: usize) -> Option<TextUnit> {
        let (first, last) = (tokens.first()?, tokens.last()?);
        let code = first.span.start as usize..last.span.end as usize;
        let leading = comments.iter().find(|comment| (before..code.start).contains(&(comment.span.start as usize)));
        let start = leading.map_or(code.start, |comment| comment.span.start as usize);
        let before_code = comments.iter().map(|comment| comment.span.start as usize..comment.span.end as usize);
        let before_code = before_code.filter(|comment| (start..code.start).contains(&comment.start));
        let is_blank_behind = |end: usize| {
            let behind = text.get(end..code.start).unwrap_or_default();
            let gap = behind.len() - behind.trim_start().len();
            behind.get(..gap).is_some_and(|gap| gap.matches('\n').count() > 1)
        };
        let leading = before_code.map(|comment| (comment.clone(), is_blank_behind(comment.end))).collect();
        let line_end = text.get(code.end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| code.end + at);
        let is_behind = |comment: &&Comment| (code.end..line_end).contains(&(comment.span.start as usize));
        let end =
            comments.iter().filter(is_behind).map(|comment| comment.span.end as usize).next_back().unwrap_or(code.end);
        let is_apart = text.get(before..start).is_some_and(|gap| gap.matches('\n').count() > 1);
        let names = DeclaredNames::of(tokens);
        let kind = match () {
            () if names.is_macro => TextUnitKind::Macro,
            () if names.declared.is_empty() => TextUnitKind::Directive,
            () => TextUnitKind::Declaration,
        };
        let declares: BTreeSet<String> = names.declared.iter().map(|token| token.text.as_str().to_owned()).collect();
        let locals = locals(tokens);
        let is_other =
            |name: &&str| !declares.contains(*name) && !locals.contains(name) && !names.members.contains(name);
        let words = if names.is_macro { tokens.get(2..).unwrap_or_default() } else { tokens };
        let uses = used(words).filter(is_other).map(str::to_owned).collect();
        Some(TextUnit {
            kind,
            range: start..end,
            code,
            comments: leading,
            is_apart,
            uses,
            name_at: names.declared.first().map(|token| token.span.start as usize),
            declares,
            calls: called(tokens, SELECTS).map(str::to_owned).collect(),
            body: None,
            member: None,
            defines: None,
            tokens: tokens.iter().map(|token| token.text.as_str().to_owned()).collect(),
        })
    }
}

/// Signs before the name of a member.
const SELECTS: &[&str] = &[".", "::"];

/// The identifiers in tokens that are no members.
fn used<'t>(tokens: &'t [&'t Token]) -> impl Iterator<Item = &'t str> {
    let pairs =
        with_before(tokens).filter(|(before, token)| token.kind == TokenKind::Ident && !SELECTS.contains(before));
    pairs.map(|(_, token)| token.text.as_str())
}

/// Each token with the text of the one before it.
fn with_before<'t>(tokens: &'t [&'t Token]) -> impl Iterator<Item = (&'t str, &'t Token)> {
    let before = std::iter::once("").chain(tokens.iter().map(|token| token.text.as_str()));
    before.zip(tokens.iter().copied())
}

/// The identifiers behind some signs that an argument list follows.
fn called<'t>(tokens: &'t [&'t Token], behind: &'t [&'t str]) -> impl Iterator<Item = &'t str> {
    let next = tokens.iter().skip(1).map(|token| token.text.as_str());
    let calls = with_before(tokens).zip(next).filter(move |((before, token), next)| {
        token.kind == TokenKind::Ident && behind.contains(before) && *next == "("
    });
    calls.map(|((_, token), _)| token.text.as_str())
}

/// Words before a name that is used, not declared.
const STATEMENTS: [&str; 4] = ["return", "else", "case", "do"];

/// The names that a function declares before it uses them, as parameters or in its outermost block: they are no names of others.
fn locals<'t>(tokens: &'t [&'t Token]) -> BTreeSet<&'t str> {
    // Only functions have any.
    if Head::of(tokens).end != Some("(") {
        return BTreeSet::new();
    }
    let (mut blocks, mut lists) = (0_usize, 0_usize);
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "{" => blocks += 1,
            "}" => blocks = blocks.saturating_sub(1),
            "(" => lists += 1,
            ")" => lists = lists.saturating_sub(1),
            _ => {}
        }
        if token.kind != TokenKind::Ident || !seen.insert(token.text.as_str()) {
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(at + 1).map_or("", |next| next.text.as_str());
        let is_typed = before.is_some_and(|t| t.kind == TokenKind::Ident && !STATEMENTS.contains(&t.text.as_str()));
        let ends = matches!(next, "=" | ";" | "," | ")" | "[" | ":");
        // The first name of WGSL's parameters is behind the bracket.
        let is_parameter = blocks == 0 && lists == 1 && (is_typed && ends || next == ":");
        if is_parameter || blocks == 1 && lists == 0 && is_typed && ends {
            found.insert(token.text.as_str());
        }
    }
    found
}

/// How many tokens the first unit has.
fn length(tokens: &[Token]) -> usize {
    let line_end = || tokens.iter().position(|t| t.kind == TokenKind::Newline).unwrap_or(tokens.len());
    if tokens.first().is_some_and(|token| token.text.as_str() == "#") {
        return line_end();
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "}" => {
                depth = depth.saturating_sub(1);
                // `} name;` and `};` go on; after the body of a function there is a new line.
                let next = tokens.get(at + 1);
                if depth == 0 && next.is_none_or(|next| matches!(next.kind, TokenKind::Newline | TokenKind::Eof)) {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ if token.kind == TokenKind::Eof => return at,
            _ => {}
        }
    }
    tokens.len()
}

/// The names that a unit declares.
struct DeclaredNames<'t> {
    is_macro: bool,
    declared: Vec<&'t Token>,
    /// Those of members that are known within the type alone, and of parameters of a macro: they are no names of anything else there.
    members: BTreeSet<&'t str>,
}

impl<'t> DeclaredNames<'t> {
    fn of(tokens: &[&'t Token]) -> DeclaredNames<'t> {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        if word(0) == "#" {
            let is_macro = word(1) == "define";
            let name = tokens.get(2).copied().filter(|_| is_macro);
            let list = tokens.get(3..).filter(|list| name.is_some() && list.first().is_some_and(opens_parameters));
            let parameters = list.into_iter().flatten().take_while(|token| token.text.as_str() != ")");
            let members = parameters.map(|token| token.text.as_str()).collect();
            return DeclaredNames { is_macro, declared: name.into_iter().collect(), members };
        }
        let mut declared = Vec::new();
        if DIRECTIVES.contains(&word(0)) {
            return DeclaredNames { is_macro: false, declared, members: BTreeSet::new() };
        }
        let mut own = BTreeSet::new();
        let head = Head::of(tokens);
        match head.end {
            // `void f(` and `fn f(`; `layout(triangles) in;` has no name before its end.
            Some("(" | ";" | "=" | "[" | ":" | ",") => declared.extend(head.last),
            Some("{") => {
                declared.extend(head.last);
                let is_block = tokens.iter().take(head.length).any(|token| BLOCKS.contains(&token.text.as_str()));
                let (members, behind) = members(tokens.get(head.length..).unwrap_or_default());
                // A block without a name of its own has members that are known as such.
                match behind.is_empty() && is_block {
                    true => declared.extend(members),
                    false => {
                        let is_once = |name: &Token| tokens.iter().filter(|token| token.text == name.text).count() == 1;
                        own.extend(members.into_iter().filter(|name| is_once(name)).map(|name| name.text.as_str()));
                    }
                }
                declared.extend(behind);
            }
            _ => {}
        }
        DeclaredNames { is_macro: false, declared, members: own }
    }
}

/// Whether the token behind the name of a macro begins its parameters: nothing stands between.
fn opens_parameters(behind: &&Token) -> bool {
    behind.joined && behind.text.as_str() == "("
}

/// What a declaration begins with.
struct Head<'t> {
    /// The name that is declared.
    last: Option<&'t Token>,
    /// The bracket or sign behind it.
    end: Option<&'t str>,
    /// How many tokens are before that.
    length: usize,
}

impl<'t> Head<'t> {
    fn of(tokens: &[&'t Token]) -> Head<'t> {
        let (mut at, mut names): (usize, Vec<&'t Token>) = (0, Vec::new());
        let mut is_type = 0_usize;
        while let Some(token) = tokens.get(at) {
            let text = token.text.as_str();
            let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map_or("", |t| t.text.as_str());
            match text {
                // Attributes of HLSL stand before the first name; later brackets are those of an array.
                "[" if names.is_empty() => at += closing(tokens.get(at..).unwrap_or_default()),
                "(" if before == "layout" => {
                    names.pop();
                    at += closing(tokens.get(at..).unwrap_or_default());
                }
                // `@group(0)`
                "(" if at > 1 && tokens.get(at - 2).is_some_and(|t| t.text.as_str() == "@") => {
                    names.pop();
                    at += closing(tokens.get(at..).unwrap_or_default());
                }
                "<" => is_type += 1,
                ">" => is_type = is_type.saturating_sub(1),
                // `uvec2[4] name` has a name behind the brackets.
                "[" if is_type == 0 => {
                    let length = closing(tokens.get(at..).unwrap_or_default());
                    let next = tokens.get(at + length + 1);
                    if next.is_none_or(|next| next.kind != TokenKind::Ident) {
                        return Head { last: Head::name(&names), end: Some(text), length: at };
                    }
                    at += length;
                }
                "(" | ";" | "=" | "{" | ":" if is_type == 0 => {
                    // `struct A : B {`
                    let has_list =
                        |name: &&Token| AGGREGATES.iter().chain(&BLOCKS).any(|word| *word == name.text.as_str());
                    let is_aggregate = names.iter().any(has_list);
                    let open = tokens.iter().position(|token| token.text.as_str() == "{");
                    if let (":", true, Some(open)) = (text, is_aggregate, open) {
                        return Head { last: Head::name(&names), end: Some("{"), length: open };
                    }
                    return Head { last: Head::name(&names), end: Some(text), length: at };
                }
                "," if is_type == 0 => return Head { last: Head::name(&names), end: Some(text), length: at },
                _ if token.kind == TokenKind::Ident && is_type == 0 && before != "@" => names.push(token),
                _ if token.kind == TokenKind::Ident && before == "@" => names.push(token),
                _ => {}
            }
            at += 1;
        }
        Head { last: None, end: None, length: tokens.len() }
    }

    /// The name that words end with, if they declare one: a qualifier alone does not.
    fn name(names: &[&'t Token]) -> Option<&'t Token> {
        names.last().copied().filter(|_| names.len() > 1)
    }
}

/// How far it is to the bracket that closes the first one.
fn closing(tokens: &[&Token]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len().saturating_sub(1)
}

/// The names of members, and those behind the list.
fn members<'t>(tokens: &[&'t Token]) -> (Vec<&'t Token>, Vec<&'t Token>) {
    let end = closing(tokens);
    let (mut depth, mut found, mut last): (usize, Vec<&'t Token>, Option<&'t Token>) = (0, Vec::new(), None);
    // Behind the sign of a semantic, offset or value there are no names.
    let mut is_over = false;
    for token in tokens.iter().take(end).skip(1) {
        match token.text.as_str() {
            ";" | "," | "[" | ":" | "=" if depth == 0 => found.extend(last.take()),
            _ => {}
        }
        match token.text.as_str() {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
            ":" | "=" if depth == 0 => is_over = true,
            ";" | "," if depth == 0 => is_over = false,
            _ if token.kind == TokenKind::Ident && depth == 0 && !is_over => last = Some(token),
            _ => {}
        }
    }
    // The last enumerator has no comma.
    found.extend(last);
    let behind = tokens.iter().skip(end + 1).take_while(|token| token.kind == TokenKind::Ident).copied().collect();
    (found, behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each unit as its kind, the names that it declares, and whether a blank line is before it.
    fn declared(text: &str) -> Vec<(TextUnitKind, Vec<String>, bool)> {
        let units = TextUnits::of(text).units;
        units.into_iter().map(|u| (u.kind, u.declares.into_iter().collect(), u.is_apart)).collect()
    }

    fn declares(text: &str) -> Vec<String> {
        declared(text).into_iter().flat_map(|(_, names, _)| names).collect()
    }

    #[test]
    fn parameters_of_macros_are_no_names_of_others() {
        let units = TextUnits::of("#define F(x, y) ((x) * (y) + z)\n#define G (x)\n").units;
        let uses: Vec<Vec<&str>> = units.iter().map(|unit| unit.uses.iter().map(String::as_str).collect()).collect();
        assert_eq!(uses, [["z"], ["x"]]);
        assert!(units.iter().all(|unit| unit.kind == TextUnitKind::Macro));
    }

    #[test]
    fn heads_of_glsl_have_their_names() {
        assert_eq!(declares("layout(set = 0, binding = 32) uniform sampler sampler_lnc;"), ["sampler_lnc"]);
        assert_eq!(declares("const uvec2 table[4] = uvec2[4](\n    uvec2(1u),\n    uvec2(2u));"), ["table"]);
        assert_eq!(
            declares("layout(std140, set = 2) uniform F {\n    mat4 a;\n    vec4 b[3];\n} frame;"),
            ["F", "frame"]
        );
        assert_eq!(declares("layout(std140) uniform F {\n    mat4 a;\n    vec4 b[3];\n};"), ["F", "a", "b"]);
        assert_eq!(declares("layout(row_major) uniform;\nlayout(triangles) in;\nprecision highp float;"), ["float"; 0]);
        assert_eq!(
            declares("void main() {\n    if (true) {\n        return;\n    }\n}\nfloat f(float x)\n{\n}"),
            ["main", "f"]
        );
        assert_eq!(declares("shared float s[64];"), ["s"]);
    }

    #[test]
    fn heads_of_hlsl_have_their_names() {
        assert_eq!(
            declares("cbuffer C : register(b0)\n{\n    float4 a : packoffset(c0);\n    float b;\n};"),
            ["C", "a", "b"]
        );
        assert_eq!(declares("[numthreads(8, 8, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{\n}"), ["main"]);
        assert_eq!(declares("Texture2D<float4> t : register(t0, space1);"), ["t"]);
        assert_eq!(declares("struct A : B\n{\n    float x;\n};"), ["A"]);
        assert_eq!(declares("static const float k[2] = { 1.0, 2.0 };"), ["k"]);
    }

    #[test]
    fn heads_of_wgsl_have_their_names() {
        assert_eq!(declares("@group(0) @binding(1) var<uniform> ubo: Ubo;"), ["ubo"]);
        assert_eq!(
            declares("@compute @workgroup_size(8, 8, 1)\nfn main(@builtin(position) p: vec4f) -> vec4f {\n}"),
            ["main"]
        );
        assert_eq!(
            declares("const a: array<vec4<f32>, 4> = array(1, 2);\nalias B = vec2f;\nstruct C {\n    x: f32,\n}"),
            ["a", "B", "C"]
        );
        assert_eq!(
            declared("enable f16;\n\nvar<private> x: f32;"),
            [(TextUnitKind::Directive, vec![], false), (TextUnitKind::Declaration, vec!["x".to_owned()], true)]
        );
    }

    #[test]
    fn locals_are_no_names_of_others() {
        let uses = |text: &str| -> Vec<String> {
            let known = ["a", "b", "c", "d", "S"];
            let units = TextUnits::of(text).units;
            let all = units.into_iter().flat_map(|unit| unit.uses);
            all.filter(|name| known.contains(&name.as_str())).collect()
        };
        assert_eq!(uses("float f(inout S a, float b) {\n    float c = a.x * d;\n    return c;\n}"), ["S", "d"]);
        assert_eq!(uses("fn f(a: S, b: f32) -> f32 {\n    let c = a.x * d;\n    return c;\n}"), ["S", "d"]);
        assert_eq!(uses("float f() {\n    {\n        float a = 1.0;\n    }\n    return a;\n}"), ["a"]);
        assert_eq!(uses("layout(set = 0) uniform B {\n    S a;\n    float b[c];\n} d;"), ["S", "c"]);
        assert_eq!(uses("struct d {\n    a: f32,\n    @align(16) b: array<S, c>,\n}"), ["S", "c"]);
        assert_eq!(uses("float f() {\n    return a;\n}\nfloat g() {\n    return i > b;\n}"), ["a", "b"]);
    }

    #[test]
    fn comments_belong_to_what_they_are_at() {
        let text = "// About a.\n#define A 1 // one\n\n/* b */ float b;\n// end\n";
        let units = TextUnits::of(text);
        let parts: Vec<&str> = units.units.iter().map(|unit| &text[unit.range.clone()]).collect();
        assert_eq!(parts, ["// About a.\n#define A 1 // one", "/* b */ float b;"]);
        assert_eq!(&text[units.rest..], "\n// end\n");
        assert!(units.units[0].uses.is_empty() && units.units[1].uses.contains("float"));
    }
}
