//! Source in, dump of the tree or diagnostics out.

use super::*;
use crate::preprocess::{Preprocess, preprocess};
use crate::source::{MemoryLoader, Sources};

/// Checks one file as a whole program.
pub(super) fn check_text(name: &str, text: &str) -> (Program, Vec<String>) {
    let loader = MemoryLoader::new().with(name, text);
    let mut sources = Sources::default();
    let mut diags = Diagnostics::default();
    let tokens = preprocess(&loader, name, &Preprocess::default(), &mut sources, &mut diags);
    let language = if name.ends_with(".slang") { Language::Slang } else { Language::Hlsl };
    let ast = crate::parse::parse(&tokens, language, &mut diags);
    let unit =
        SourceUnit { name: Symbol::new(name), file: FileId(0), files: vec![ast.into()], language, imports: Vec::new() };
    let input = Input { units: vec![unit], ..Input::default() };
    let options = Options { infer_entries: true, allow_no_entries: true, ..Options::default() };
    let program = check(crate::stdlib::stdlib(), &input, &options, &mut diags);
    let place = |d: &Diagnostic| {
        let span = d.span.map(|s| sources.use_site(s));
        let line = span.map_or(0, |s| sources.line_column(s.file, s.start).0 + 1);
        format!("{line}: {} {}", d.code, d.message)
    };
    let list = diags.list().iter().map(place).collect();
    (program.0, list)
}

/// The problems of a source, one a line: `line: code message`.
pub(super) fn problems(name: &str, text: &str) -> Vec<String> {
    check_text(name, text).1
}

/// Asserts what becomes of the last statement of a function, by (its parameters, the statements, the text or the code of the
/// error).
pub(super) fn becomes(rows: &[(&str, &str, &str)]) {
    for (params, statements, expected) in rows {
        let source = format!("enum E {{ A = 5 }}\nvoid f({params}) {{ {statements} }}");
        let (program, problems) = check_text("a.slang", &source);
        let errors: Vec<&str> = problems.iter().filter_map(|p| p.split(' ').nth(1)).collect();
        let dump = tree::dump::dump(&program);
        let last = dump.trim_end_matches(['}', '\n']).lines().next_back().unwrap_or("");
        assert_eq!(errors.first().copied().unwrap_or(last.trim()), *expected, "{params}: {statements}: {problems:?}");
    }
}

/// The dump of a source without errors.
fn dump(name: &str, text: &str) -> String {
    let (program, problems) = check_text(name, text);
    assert_eq!(problems, Vec::<String>::new(), "{text}");
    let faults = tree::verify(&program);
    assert_eq!(faults, Vec::<String>::new());
    tree::dump::dump(&program)
}

/// Asserts that the dump holds each of these texts.
fn holds(name: &str, text: &str, wanted: &[&str]) {
    let out = dump(name, text);
    for line in wanted {
        assert!(out.contains(line), "`{line}` is not in\n{out}");
    }
}

/// Asserts the problems, one a line: `line: code message`.
fn fails(name: &str, text: &str, wanted: &[&str]) {
    assert_eq!(problems(name, text), wanted, "{text}");
}

#[test]
fn literals_take_the_type_that_is_needed() {
    holds(
        "a.hlsl",
        "float f(float3 v, uint u) { float x = 1; v *= 2; u += 3; return v.x + u * 2 + x; }",
        &["float x = 1.0;", "v *= float3(2.0)", "u += 3", "* 2u"],
    );
}

#[test]
fn cbuffer_members_are_fields_of_contents() {
    let source = "cbuffer C : register(b1) { float4x4 m; float3 e; }\nfloat4 f(float4 p) { return mul(p, m); }";
    let (program, problems) = check_text("a.hlsl", source);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(program.parameters.len(), 1);
    let global = &program.globals[program.parameters[0]];
    assert!(global.transparent);
    assert_eq!(global.explicit.registers[0].index, 1);
}

#[test]
fn overloads_by_the_least_conversion() {
    holds(
        "a.hlsl",
        "int g(int x) { return 1; } int g(float x) { return 2; } int f() { return g(1.5) + g(true) + g(2u); }",
        &["g(1.5)"],
    );
    fails(
        "a.hlsl",
        "struct S { int a; };\nvoid g(int a) {}\nvoid f(S s) { g(s); g(1, 2); }",
        &["3: E0303 `g` takes `int` here, not `S`", "3: E0312 `g` does not take 2 arguments"],
    );
}

#[test]
fn generics_are_instances() {
    holds(
        "a.slang",
        "interface IArea { float area(); }
         struct Square : IArea { float s; float area() { return s * s; } }
         struct Pair<T : IArea, U : IArea> { T a; U b; float sum() { return a.area() + b.area(); } }
         T twice<T : __BuiltinArithmeticType>(T x) { return x + x; }
         float f(Pair<Square, Square> p) { return p.sum() + twice(2.0) + twice<float>(1); }",
        &["Pair_Square_Square", "area", "sum"],
    );
    fails(
        "a.slang",
        "interface IArea { float area(); }\nfloat g<T : IArea>(T x) { return x.area(); }\nfloat f() { return g(1.0); }",
        &["3: E0316 the generic arguments of `g` do not fit or cannot be determined"],
    );
}

#[test]
fn only_methods_that_write_take_this_by_reference() {
    let source =
        "struct S { float a; void set(float x) { a = x; } float get() { return a; } void both(float x) { set(x); } };
        float f() { S s; s.both(1); return s.get(); }";
    let (program, problems) = check_text("a.hlsl", source);
    assert_eq!(problems, Vec::<String>::new());
    let mode = |name: &str| {
        let function = program.functions.iter().find(|(_, f)| f.name == *name).map(|(_, f)| f);
        function.and_then(|f| f.params.first()).map(|p| p.mode)
    };
    assert_eq!(mode("set"), Some(tree::ParamMode::InOut));
    assert_eq!(mode("both"), Some(tree::ParamMode::InOut));
    assert_eq!(mode("get"), Some(tree::ParamMode::In));
}

#[test]
fn unknown_names_are_reported_once_with_a_similar_one() {
    fails(
        "a.hlsl",
        "float4 colour;\nfloat4 f() { float4 x = color; x += color; return x; }",
        &["2: E0301 `color` is not declared"],
    );
}

#[test]
fn recursion_is_an_error() {
    fails(
        "a.hlsl",
        "int a(int x);\nint b(int x) { return a(x); }\nint a(int x) { return b(x); }",
        &["2: E0318 `b` calls itself: b -> a -> b"],
    );
    fails("a.hlsl", "struct S { S s; };\nvoid f(S s) {}", &["1: E0318 `S` contains itself"]);
}

#[test]
fn what_cannot_be_assigned() {
    fails(
        "a.hlsl",
        "Texture2D<float4> t; float4 p; static const int n = 3;\nvoid f(const int c) { n = 4; p.x = 1; c = 2; t[uint2(0, 0)] = 1; float3 v; v.xx = 1; }",
        &[
            "2: E0307 `n` is constant and cannot be assigned to",
            "2: E0307 `p` is a shader parameter and cannot be assigned to",
            "2: E0307 `c` is constant and cannot be assigned to",
            "2: E0307 this can only be read",
            "2: E0307 a selection that names a component twice cannot be assigned to",
        ],
    );
}

#[test]
fn initializer_lists_fill_parts() {
    holds(
        "a.hlsl",
        "struct S { float2 a; float b; int c[2]; };
         S f() { S s = { 1, 2, 3, 4, 5 }; return s; }
         static const float2 k[] = { { 1, 2 }, { 3, 4 } };
         float2 g() { return k[1]; }",
        &["float2 k[2]", "1.0, 2.0"],
    );
    fails("a.hlsl", "void f() { float2 v = { 1, 2, 3 }; }", &["1: E0314 there are more values than `float2` holds"]);
}

#[test]
fn items_stand_after_what_they_use() {
    let out = dump("a.hlsl", "float b(float x);\nfloat a(float x) { return b(x); }\nfloat b(float x) { return x; }");
    assert!(out.find("float b(") < out.find("float a("), "{out}");
}

#[test]
fn deferred_statements_run_where_blocks_are_left() {
    let out = dump(
        "a.slang",
        "RWStructuredBuffer<int> o;\nint f(int x) { defer o[0] = 1; if (x > 0) { defer o[1] = 2; return x * 2; } return 0; }",
    );
    assert_eq!(out.matches("o[0] = 1").count(), 2, "{out}");
    assert_eq!(out.matches("o[1] = 2").count(), 1, "{out}");
}

#[test]
fn words_of_other_languages_are_not_declared() {
    for word in super::foreign_words::words() {
        for file in ["a.hlsl", "a.slang"] {
            fails(file, &format!("void f() {{ {word} x; }}"), &[&format!("1: E0301 `{word}` is not declared")]);
        }
    }
}
