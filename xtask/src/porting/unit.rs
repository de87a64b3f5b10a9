//! The declarations of a text, by simple rules that hold for HLSL, Slang, GLSL and WGSL.

use super::token::{Kind, Token};
use std::collections::BTreeSet;

/// What a declaration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Function,
    /// Something with members: a structure, an enum, a constant buffer.
    Struct,
    Global,
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Unit<'a> {
    pub form: Form,
    pub name: &'a str,
    /// The type that it is a method of.
    pub owner: Option<&'a str>,
    /// The stage reads or writes it: `in` and `out` of GLSL.
    pub is_varying: bool,
    /// Its tokens from its type on, without attributes, comments and the bodies of its methods.
    pub code: Vec<Token<'a>>,
    /// The comments in it and before it.
    pub comments: Vec<Remark<'a>>,
}

/// A comment, and whether it stands within a list or an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remark<'a> {
    pub text: &'a str,
    pub line: usize,
    pub is_inner: bool,
    /// It stands before all code of its file.
    pub heads_file: bool,
    /// The macro that it is about: it stands right above its definition, or behind it.
    pub of_macro: Option<&'a str>,
}

/// Words that make a declaration one with members.
const WITH_MEMBERS: &[&str] = &["struct", "class", "interface", "enum", "cbuffer", "tbuffer"];
/// Words before a block of GLSL.
const BLOCKS: &[&str] = &["uniform", "buffer", "in", "out", "shared"];
/// Declarations around others, without members.
const SCOPES: &[&str] = &["namespace", "extension"];

/// The declarations of a text of which the dead parts are left out. Prototypes, aliases and imports are none.
pub fn units<'a>(tokens: &[Token<'a>]) -> Vec<Unit<'a>> {
    let mut reader = Reader { tokens, at: 0, found: Vec::new() };
    reader.scope(None);
    reader.found
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    found: Vec<Unit<'a>>,
}

impl<'a> Reader<'_, 'a> {
    /// Reads declarations to the `}` of their scope.
    fn scope(&mut self, owner: Option<&'a str>) {
        while self.at < self.tokens.len() {
            if self.tokens[self.at].is("}") {
                self.at += 1;
                return;
            }
            self.declaration(owner);
        }
    }

    /// The place of the next token at which a declaration's head ends: its `;`, `{`, or the `}` of the scope.
    fn head_end(&self) -> usize {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(self.at).filter(|(_, t)| t.kind == Kind::Punct) {
            match token.text {
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                ";" | "{" | "}" if depth == 0 => return at,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn declaration(&mut self, owner: Option<&'a str>) {
        let (start, end) = (self.at, self.head_end());
        let head = without_attributes(&self.tokens[start..end]);
        let opens = self.tokens.get(end).is_some_and(|t| t.is("{"));
        self.at = (end + 1).min(self.tokens.len());
        if self.tokens.get(end).is_some_and(|t| t.is("}")) {
            self.at = end;
        }
        let word = |words: &[&str]| head.iter().position(|t| words.contains(&t.text));
        if !opens {
            let is_alias = head.first().is_none_or(|t| matches!(t.text, "typedef" | "using" | "import" | "alias"));
            let prototype = function_name(&head).is_some();
            if let Some(name) = declared_name(&head).filter(|_| !is_alias && !prototype) {
                let is_varying = head.iter().any(|t| matches!(t.text, "in" | "out"));
                self.push(Form::Global, name, owner, is_varying, start, &head, end);
            }
            return;
        }
        if let Some(name) = word(SCOPES).map(|at| head.get(at + 1).map(|t| t.text)) {
            let is_extension = head.iter().any(|t| t.is("extension"));
            return self.scope(if is_extension { name } else { owner });
        }
        let has_value = head.iter().any(|t| t.is("="));
        let function = function_name(&head).filter(|_| !has_value);
        if let Some(at) = word(WITH_MEMBERS).filter(|_| function.is_none()) {
            let named = head[at + 1..].iter().find(|t| t.kind == Kind::Name && t.text != "class");
            return self.members(named.map_or("", |t| t.text), false, start, end, &head);
        }
        if let Some(name) = function {
            let close = self.close(end);
            let mut code = head.clone();
            code.extend(self.tokens[end..close].iter().filter(|t| t.is_code()));
            self.at = close;
            let owner = owner.or_else(|| outer_owner(&head, name));
            return self.push(Form::Function, name, owner, false, start, &code, close);
        }
        if word(BLOCKS).is_some() && !has_value {
            let name = head.last().filter(|t| t.kind == Kind::Name).map_or("", |t| t.text);
            let is_varying = head.iter().any(|t| matches!(t.text, "in" | "out"));
            return self.members(name, is_varying, start, end, &head);
        }
        // A variable with a list, or an accessor.
        let close = self.close(end);
        self.at = close;
        let rest = if has_value { self.head_end() } else { close };
        self.at = rest.max(close) + usize::from(self.tokens.get(rest).is_some_and(|t| t.is(";")));
        if let Some(name) = declared_name(&head) {
            let mut code = head.clone();
            code.extend(self.tokens[end..close].iter().filter(|t| t.is_code()));
            self.push(Form::Global, name, owner, false, start, &code, close);
        }
    }

    /// A declaration with members; its methods are declarations of their own.
    fn members(&mut self, name: &'a str, is_varying: bool, start: usize, open: usize, head: &[Token<'a>]) {
        let close = self.close(open);
        let first = self.found.len();
        let is_enum = head.iter().any(|t| t.is("enum"));
        let mut code = head.to_vec();
        if is_enum {
            code.extend(self.tokens[open..close].iter().filter(|t| t.is_code()));
        } else {
            self.at = open + 1;
            self.scope(Some(name));
            code.push(self.tokens[open]);
            // Fields were read as variables.
            let fields = self.found.split_off(first);
            let (fields, methods): (Vec<_>, Vec<_>) = fields.into_iter().partition(|u| u.form == Form::Global);
            self.found.extend(methods);
            let places: BTreeSet<usize> = fields.iter().flat_map(|f| f.code.iter().map(|t| t.start)).collect();
            let ends = |t: &Token| t.is(";") || t.is(",");
            let body = &self.tokens[open..close];
            let has_place = |t: &&Token| places.contains(&t.start);
            code.extend(body.iter().filter(|t| t.is_code() && (has_place(t) || ends(t))));
        }
        // WGSL separates fields by commas: the head of a field there is the rest of the structure.
        if !is_enum && !self.tokens[open..close].iter().any(|t| t.is(";")) {
            code = head.to_vec();
            code.extend(self.tokens[open..close].iter().filter(|t| t.is_code()));
        }
        self.at = close;
        let end = self.head_end();
        // What is declared together with the type: `} name;`. Slang and WGSL need no semicolon.
        let tail = &self.tokens[close.min(end)..end];
        let is_name = tail.first().is_some_and(|t| t.kind == Kind::Name);
        let goes_on = tail.get(1).is_none_or(|t| matches!(t.text, "[" | "," | "=" | ":"));
        if self.tokens.get(end).is_some_and(|t| t.is(";")) && (tail.is_empty() || is_name && goes_on) {
            code.extend(tail);
            self.at = end + 1;
        }
        let at = self.found.len();
        self.push(Form::Struct, name, None, is_varying, start, &code, close);
        // Methods come after their type.
        self.found[first..=at].rotate_right(1);
    }

    /// The place behind the `}` of a `{`.
    fn close(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open).filter(|(_, t)| t.kind == Kind::Punct) {
            match token.text {
                "{" => depth += 1,
                "}" if depth <= 1 => return at + 1,
                "}" => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    #[expect(clippy::too_many_arguments, reason = "all that a declaration is")]
    fn push(
        &mut self,
        form: Form,
        name: &'a str,
        owner: Option<&'a str>,
        is_varying: bool,
        start: usize,
        code: &[Token<'a>],
        end: usize,
    ) {
        let mut stop = self.at.max(end).min(self.tokens.len());
        let last = self.tokens[..stop].iter().rfind(|t| t.is_code()).map_or(0, |t| t.line);
        // What stands behind it belongs to it.
        while self.tokens.get(stop).is_some_and(|t| t.kind == Kind::Comment && t.line == last) {
            stop += 1;
        }
        let mut comments = remarks(&self.tokens[..stop], start, self.tokens.get(stop));
        if form == Form::Struct {
            // Those of methods are theirs.
            let methods = self.found.iter().filter(|unit| unit.owner == Some(name) && unit.form == Form::Function);
            let own: BTreeSet<usize> = methods.flat_map(|unit| &unit.comments).map(|remark| remark.line).collect();
            comments.retain(|remark| !own.contains(&remark.line));
        }
        self.found.push(Unit { form, name, owner, is_varying, code: code.to_vec(), comments });
    }
}

/// The comments from a token on. One on the line of the token before belongs to what ends there.
fn remarks<'a>(tokens: &[Token<'a>], start: usize, next: Option<&Token<'a>>) -> Vec<Remark<'a>> {
    let mut found = Vec::new();
    let mut depth = 0_i32;
    // Whether each `{` that is open is that of a list.
    let mut lists: Vec<bool> = Vec::new();
    let mut before = tokens[..start].iter().rfind(|t| t.is_code());
    let mut is_enum = false;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match (token.kind, token.text) {
            (Kind::Comment, text) => {
                let after = tokens[at + 1..].iter().chain(next).find(|t| t.is_code());
                let is_own = before.is_none_or(|t| t.line < token.line) || at > start;
                let in_list = depth > 0 || lists.last() == Some(&true);
                let is_inner = in_list || is_within(before.filter(|_| at > start), after);
                let (of_macro, is_of_directive) = directive_of(tokens, at);
                if is_own && !is_of_directive {
                    found.push(Remark { text, line: token.line, is_inner, heads_file: before.is_none(), of_macro });
                }
                continue;
            }
            (Kind::Directive, _) => continue,
            (_, "(" | "[") => depth += 1,
            (_, ")" | "]") => depth -= 1,
            (_, "{") => {
                let begins_list = before.is_some_and(|t| matches!(t.text, "=" | "," | "{" | "return")) && at > start;
                let nested = lists.last() == Some(&true);
                lists.push(is_enum || nested || begins_list && before.is_some_and(|t| t.text != "{"));
                is_enum = false;
            }
            (_, "}") => {
                lists.pop();
            }
            (_, "enum") => is_enum = true,
            _ => {}
        }
        before = Some(token);
    }
    found
}

/// The macro that a comment is about, and whether it belongs to a directive that defines none.
fn directive_of<'a>(tokens: &[Token<'a>], at: usize) -> (Option<&'a str>, bool) {
    let line = tokens[at].line;
    if let Some(before) = tokens[..at].last().filter(|t| t.kind == Kind::Directive && last_line(t) == line) {
        let name = macro_of(before);
        return (name, name.is_none());
    }
    // Comments on the lines right above a definition, or above the `#ifndef` around it, which is not among the tokens.
    let mut end = last_line(&tokens[at]);
    for token in &tokens[at + 1..] {
        match token.kind {
            Kind::Directive if token.line <= end + 2 && macro_of(token).is_some() => return (macro_of(token), false),
            _ if token.line > end + 1 => break,
            Kind::Comment => end = last_line(token),
            Kind::Directive => return (None, is_gone(token)),
            Kind::Name | Kind::Number | Kind::Quoted | Kind::Punct => break,
        }
    }
    (None, false)
}

fn last_line(token: &Token) -> usize {
    token.line + token.text.matches('\n').count()
}

/// Whether a directive takes with it what is said right above it. What is above an `#include` or `#if` may be about what follows.
fn is_gone(directive: &Token) -> bool {
    let rest = directive.text.trim_start_matches(['#', ' ', '\t']);
    ["pragma", "undef", "line", "error", "warning"].iter().any(|word| rest.starts_with(word))
}

/// The macro that a directive defines.
fn macro_of<'a>(directive: &Token<'a>) -> Option<&'a str> {
    let rest = directive.text.trim_start_matches(['#', ' ', '\t']).strip_prefix("define")?.trim_start();
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Whether a comment between two tokens is in the middle of a statement.
fn is_within(before: Option<&Token>, after: Option<&Token>) -> bool {
    let Some(before) = before else { return false };
    let ends = matches!(before.text, ";" | "{" | "}" | ")" | ":" | "]" | "else" | "do");
    let opens = after.is_none_or(|t| matches!(t.text, "{" | "}"));
    !ends && !opens
}

/// The tokens of a head without attributes, comments and directives.
fn without_attributes<'a>(head: &[Token<'a>]) -> Vec<Token<'a>> {
    let code: Vec<Token> = head.iter().filter(|t| t.is_code()).copied().collect();
    let (mut kept, mut at) = (Vec::new(), 0);
    while let Some(token) = code.get(at) {
        // `[[vk::location(0)]]` may stand before parameters, too.
        let is_double = token.is("[") && code.get(at + 1).is_some_and(|t| t.is("[") && t.start == token.end());
        let is_attribute = token.is("[") && kept.is_empty() || is_double;
        let is_layout = token.is("layout") && code.get(at + 1).is_some_and(|t| t.is("("));
        if is_attribute {
            at = group_end(&code, at);
        } else if is_layout {
            at = group_end(&code, at + 1);
        } else if token.is("@") {
            let called = code.get(at + 2).is_some_and(|t| t.is("("));
            at = if called { group_end(&code, at + 2) } else { at + 2 };
        } else {
            kept.push(*token);
            at += 1;
        }
    }
    kept
}

/// The place behind the bracket that closes the one at `open`.
fn group_end(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" => depth += 1,
            ")" | "]" if depth <= 1 => return at + 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

/// The name of a function, by its head: the one before the first `(` that is in no `<>`.
fn function_name<'a>(head: &[Token<'a>]) -> Option<&'a str> {
    let mut angles = 0_usize;
    for (at, token) in head.iter().enumerate() {
        match token.text {
            // `Type::method(`
            ":" if is_scope(head, at) => {}
            "=" | ":" if angles == 0 => return None,
            "[" if angles == 0 => return None,
            "<" => angles += 1,
            ">" => angles = angles.saturating_sub(1),
            "(" if angles == 0 => {
                // `name<T>(`
                let open = head[..at].iter().rposition(|t| t.is("<")).filter(|_| at > 0 && head[at - 1].is(">"));
                let name = head.get(open.unwrap_or(at).checked_sub(1)?)?;
                let typed = head[..at].iter().filter(|t| t.kind == Kind::Name).count() > 1;
                return (name.kind == Kind::Name && (typed || name.is("__init"))).then_some(name.text);
            }
            _ => {}
        }
    }
    None
}

/// Whether a colon is one of two.
fn is_scope(head: &[Token], at: usize) -> bool {
    let is_colon = |at: Option<usize>| at.and_then(|at| head.get(at)).is_some_and(|t| t.is(":"));
    is_colon(at.checked_sub(1)) || is_colon(Some(at + 1))
}

/// The type before the name of a method that is defined outside of it: `Type::method(`.
fn outer_owner<'a>(head: &[Token<'a>], name: &str) -> Option<&'a str> {
    let at = head.iter().position(|t| t.is(name))?;
    let is_scoped = at >= 3 && head[at - 1].is(":") && head[at - 2].is(":");
    head.get(at.checked_sub(3)?).filter(|_| is_scoped).map(|t| t.text)
}

/// The name of a variable, by its head: the one before its value, semantic, size or end.
fn declared_name<'a>(head: &[Token<'a>]) -> Option<&'a str> {
    let mut angles = 0_usize;
    let mut last: Option<&Token> = None;
    for token in head {
        match token.text {
            "<" => angles += 1,
            ">" => angles = angles.saturating_sub(1),
            "=" | ":" | "[" | "," | "(" if angles == 0 => break,
            _ if angles == 0 => last = Some(token),
            _ => {}
        }
    }
    last.filter(|t| t.kind == Kind::Name && head.len() > 1).map(|t| t.text)
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn listed(text: &str) -> Vec<String> {
        let tokens = tokens(text);
        let name = |u: &Unit| format!("{:?} {}{}", u.form, u.owner.map_or("".into(), |o| format!("{o}.")), u.name);
        units(&tokens).iter().map(name).collect()
    }

    #[test]
    fn declarations_of_hlsl_and_slang() {
        let text = "#include \"a.h\"\n[[vk::binding(0)]] Texture2D<float4> t : register(t0);\nstatic const float2 a[2] = \
            { float2(1, 2), float2(3, 4) };\nfloat f(float x);\n[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID) { if (x) { y(); } }\n\
            struct S { float a : TEXCOORD0; float g() { return a; } float b[2]; };\ncbuffer C : register(b0) { float4 c; }\n\
            namespace N { T pick<T>(T x) { return x; } }\nenum class E : uint { A, B = 2 }\nimport lib;\ntypedef float F;\n\
            extension S { int h() { return 1; } }\nConstantBuffer<S> s;";
        let wanted = [
            "Global t",
            "Global a",
            "Function main",
            "Struct S",
            "Function S.g",
            "Struct C",
            "Function pick",
            "Struct E",
            "Function S.h",
            "Global s",
        ];
        assert_eq!(listed(text), wanted);
    }

    #[test]
    fn declarations_of_glsl_and_wgsl() {
        let glsl = "#version 460\nlayout(local_size_x = 8) in;\nlayout(location = 0) in vec2 uv;\n\
            layout(std140, binding = 0) uniform C_block { vec4 c; } C;\nconst float k = 1.0;\nvoid main() { x = 1; }";
        assert_eq!(listed(glsl), ["Global uv", "Struct C_block", "Global k", "Function main"]);
        let wgsl = "struct S {\n    @location(0) a: f32,\n    b: array<f32, 3>,\n}\n@group(0) @binding(1) var<uniform> u: S;\n\
            const k = 1;\n@compute @workgroup_size(8, 8, 1)\nfn main(@builtin(position) p: vec4<f32>) -> S { return u; }";
        assert_eq!(listed(wgsl), ["Struct S", "Global u", "Global k", "Function main"]);
    }

    #[test]
    fn members_have_no_methods() {
        let tokens = tokens("struct S { float a; float g() { return unseen; } float b; };");
        let found = units(&tokens);
        let code: Vec<&str> = found[0].code.iter().map(|t| t.text).collect();
        assert!(code.contains(&"a") && code.contains(&"b") && !code.contains(&"unseen"), "{code:?}");
    }

    #[test]
    fn comments_belong_to_what_follows_and_know_where_they_are() {
        let text = "// of a\nint a; // behind a\n// of f\nint f(int x, // a parameter\n int y) {\n  // a statement\n\
            g(x /* an argument */, y); // behind\n  int z = x + // a term\n y;\n  int l[] = { 1, // one\n 2 };\n}";
        let tokens = tokens(text);
        let found = units(&tokens);
        let of = |at: usize, inner: bool| -> Vec<&str> {
            found[at].comments.iter().filter(|r| r.is_inner == inner).map(|r| r.text).collect()
        };
        assert_eq!(of(0, false), ["// of a", "// behind a"]);
        assert_eq!(of(1, false), ["// of f", "// a statement", "// behind"]);
        assert_eq!(of(1, true), ["// a parameter", "/* an argument */", "// a term", "// one"]);
    }

    #[test]
    fn comments_of_methods_macros_and_directives() {
        let text = "// of A\n#define A 1 // one\n// gone\n#pragma pack // 2\n// of B\n\n#define B 2\n// of S\nstruct S\n{\n    int f; // of f\n    // of m\n    int m() { return A; }\n};\n\
            // of o\nint S::o() { return f; }\n";
        let tokens = tokens(text);
        let found = units(&tokens);
        let said = |name: &str| -> Vec<(&str, Option<&str>)> {
            let unit = found.iter().find(|unit| unit.name == name).expect("a unit");
            unit.comments.iter().map(|remark| (remark.text, remark.of_macro)).collect()
        };
        let of_macros = [("// of A", Some("A")), ("// one", Some("A")), ("// of B", Some("B"))];
        assert_eq!(said("S"), [&of_macros[..], &[("// of S", None), ("// of f", None)]].concat());
        assert_eq!(said("m"), [("// of m", None)]);
        assert_eq!(said("o"), [("// of o", None)]);
        assert_eq!(found.last().and_then(|unit| unit.owner), Some("S"));
    }
}
