use super::*;
use crate::source::MemoryLoader;

/// The output of `main.hlsl` as text: one blank where the source has white space, one line per source line.
fn run_with(loader: &MemoryLoader, main: &str, options: &Preprocess) -> (String, TokenStream, Vec<Diagnostic>) {
    let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
    let stream = preprocess(loader, main, options, &mut sources, &mut diags);
    let mut text = String::new();
    for token in &stream.tokens {
        if token.space_before && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(token.text.as_str());
    }
    (text.trim_end().to_owned(), stream, diags.take())
}

fn run(text: &str) -> (String, Vec<String>) {
    let loader = MemoryLoader::new().with("main.hlsl", text);
    let (text, _, diags) = run_with(&loader, "main.hlsl", &Preprocess::default());
    (text, diags.iter().map(|d| format!("{}: {}", d.code, d.message)).collect())
}

/// Asserts that each source has one problem, whose text holds this.
fn faults(list: &[(&str, &str)]) {
    for (source, message) in list {
        let (_, diags) = run(source);
        assert!(diags.len() == 1 && diags[0].contains(message), "{source}: {diags:?}");
    }
}

fn good(text: &str) -> String {
    let (text, diags) = run(text);
    assert_eq!(diags, Vec::<String>::new());
    text
}

#[test]
fn examples_of_the_c_standard() {
    // C17 6.10.3.5, examples 3, 4, 5 and 7.
    let three = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
        #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
        #define r(x,y) x ## y\n#define str(x) # x\n\
        f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
        p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };";
    let expected = "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1); \
        f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1); \
        int i[] = { 1, 23, 4, 5, }; char c[2][6] = { \"hello\", \"\" };";
    assert_eq!(good(three), expected);
    let five = "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),\n t(10,,), t(,11,), t(,,12), t(,,) };";
    assert_eq!(good(five), "int j[] = { 123, 45, 67, 89, 10, 11, 12, };");
}

#[test]
fn stringify_and_paste() {
    let text = "#define str(s) # s\n#define xstr(s) str(s)\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n\
        #define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n#define INCFILE(n) vers ## n\n\
        str(strncmp(\"abc\\0d\", \"abc\", '\\4') == 0) str(: @\\n)\nxstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)";
    assert_eq!(
        good(text),
        "\"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\" \"vers2.h\" \"hello\"; \"hello\" \", world\""
    );
    // A number that is none on its own may become part of a name.
    assert_eq!(good("#define TEX(d) Texture##d\nTEX(2D) a; TEX(2DArray) b;"), "Texture2D a; Texture2DArray b;");
    assert_eq!(good("#define OP(a) x a##= 1\nOP(+); OP(>); OP(<<);"), "x += 1; x >= 1; x <<= 1;");
    let (text, diags) = run("#define P(a, b) a##b\nP(+, x)");
    assert_eq!((text.as_str(), diags.len()), ("+x", 1));
    assert!(diags[0].contains("`+x`"), "{diags:?}");
}

#[test]
fn variadic_macros() {
    assert_eq!(good("#define F(a, ...) f(a, __VA_ARGS__)\nF(1, 2, 3) F(1)"), "f(1, 2, 3) f(1,)");
    assert_eq!(good("#define F(a, ...) f(a, ##__VA_ARGS__)\nF(1, 2, 3) F(1)"), "f(1,2, 3) f(1)");
    assert_eq!(good("#define F(a, ...) f(a __VA_OPT__(,) __VA_ARGS__)\nF(1, 2, 3) F(1)"), "f(1 , 2, 3) f(1)");
    assert_eq!(good("#define F(a, r...) f(a, r)\nF(1, 2, 3)"), "f(1, 2, 3)");
    assert_eq!(good("#define E\n#define F(...) g(x __VA_OPT__(: __VA_ARGS__))\nF(E) F(a)"), "g(x) g(x : a)");
    assert_eq!(good("#define F(x, ...) x ## __VA_OPT__(tail)\nF(a) F(a, b)"), "a atail");
}

#[test]
fn a_macro_is_not_expanded_in_itself() {
    assert_eq!(good("#define foo foo bar\nfoo"), "foo bar");
    assert_eq!(good("#define a b\n#define b a\na b"), "a b");
    assert_eq!(good("#define f(x) x f\nf(1)(2)(3)"), "1 f(2)(3)");
    // A painted name stays as it is even where its macro is no longer being expanded.
    assert_eq!(good("#define NIL(x) x\n#define G0(x) NIL(G1)(x)\n#define G1(x) NIL(G0)(x)\nG0(1)"), "G0(1)");
    assert_eq!(good("#define min(a, b) lib::min(a, b)\nmin(1, min(2, 3))"), "lib::min(1, lib::min(2, 3))");
    // A function-like macro without arguments is only a name; lines and expansions may part it from them.
    assert_eq!(good("#define f(x) <x>\n#define g f\nf + g\n(2) ; f\n\n(3)"), "f + <2> ; <3>");
}

#[test]
fn operators_that_begin_with_greater_stay_apart() {
    let loader = MemoryLoader::new().with("main.hlsl", "#define GT >\nA<B<int>> x; GT> GT= >>= b >= c > = d");
    let (_, stream, _) = run_with(&loader, "main.hlsl", &Preprocess::default());
    // A `~` stands before what is joined to the token before it.
    let joined = stream.tokens.iter().filter(|t| matches!(t.text.as_str(), ">" | "="));
    let text: String = joined.map(|t| format!("{}{}", if t.joined { "~" } else { "" }, t.text)).collect();
    assert_eq!(text, "~>~>>>>=>~>~=>~=>=");
}

#[test]
fn conditions() {
    let truths = [
        "1",
        "!0",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "-1 < 0",
        "-1 > 0u",
        "0x10 == 16 && 0b11 == 3 && 010 == 8",
        "1 << 40 == 0x10000000000",
        "-8 >> 1 == -4",
        "7 / 2 == 3 && 7 % 4 == 3 && -7 / 2 == -3",
        "~0 == -1",
        "6 & 3 ^ 1 | 8",
        "5 >= 5 && 5 <= 5 && 5 != 6",
        "0 || 2",
        "0 ? 1/0 : 1",
        "1 || 1/0",
        "!(0 && 1/0)",
        "1 ? 2 ? 3 : 0 : 0",
        "unknown == 0",
        "true && !false",
        "'a' == 97 && '\\n' == 10 && '\\x41' == 65 && '\\0' == 0",
        "defined ONE && defined(ONE) && !defined TWO",
        "HAS_ONE",
        "ONE == 1 && ADD(ONE, 2) == 3",
        "18446744073709551615 == -1",
        "__has_include(\"main.hlsl\") && !__has_include(\"none.hlsl\") && !__has_include(<none>)",
        "!__has_feature(everything)",
        "defined(__has_include) && __SHADERPORT__ == 1 && __HLSL_VERSION == 2021",
        "__LINE__ == 4",
    ];
    for truth in truths {
        let source = format!(
            "#define ONE 1\n#define HAS_ONE defined(ONE)\n#define ADD(a, b) a + b\n#if {truth}\nyes\n#else\nno\n#endif"
        );
        assert_eq!(run(&source), ("yes".to_owned(), Vec::new()), "{truth}");
    }
    for (wrong, message) in [
        ("", "the condition is missing"),
        ("1 +", "the condition ends where a value is needed"),
        ("1 2", "`2` is not expected"),
        ("(1", "this `(` is not closed"),
        ("1.5", "integers only"),
        ("1 / 0", "division by zero"),
        ("1 ? 2", "without its `:`"),
        ("= 1", "`=` is not expected"),
        ("UNKNOWN(1)", "`UNKNOWN` is not a function-like macro"),
        ("99999999999999999999", "64 bits"),
        ("'ab'", "not a single character"),
        ("defined", "`defined` needs"),
        ("\"a\" == 0", "is not expected"),
        (&"(".repeat(100_000), "nested more than"),
        (&"!".repeat(100_000), "nested more than"),
    ] {
        let (text, diags) = run(&format!("#if {wrong}\nyes\n#else\nno\n#endif"));
        assert_eq!(text, "no");
        assert!(
            diags.len() == 1 && diags[0].contains(message) && diags[0].starts_with("E0108"),
            "{wrong:.20}: {diags:?}"
        );
    }
}

#[test]
fn groups() {
    let pick = |d: &str| {
        let text = "#if A\na\n#elif B\n#ifdef C\nbc\n#else // no C\nb\n#endif\n#elifdef D\nd\n#elifndef E\nnot e\n#else\nelse\n#endif";
        good(&format!("{d}\n{text}"))
    };
    assert_eq!(pick("#define A 1\n#define B 1"), "a");
    assert_eq!(pick("#define B 1\n#define C"), "bc");
    assert_eq!(pick("#define B 1"), "b");
    assert_eq!(pick("#define D"), "d");
    assert_eq!(pick(""), "not e");
    assert_eq!(pick("#define E"), "else");
    // Nothing in a skipped branch is looked at, but for the directives that nest.
    assert_eq!(
        good("#if 0\n#bad ' don't \"\n#if )(\n#elif 1/0\n#else\n#endif 08 \u{fc}\n#elif 1\nx\n#elif 1/0\n#endif"),
        "x"
    );
    faults(&[
        ("#endif", "`#endif` without"),
        ("#else", "`#else` without"),
        ("#elif 1", "`#elif` without"),
        ("#if 1\n#else\n#else\n#endif", "after the `#else`"),
        ("#if 1", "has no `#endif`"),
        ("#ifdef X", "has no `#endif`"),
        ("#ifndef X\n#else", "has no `#endif`"),
        ("#ifdef\n#endif", "needs the name"),
        ("#frob", "is not a directive"),
    ]);
}

#[test]
fn definitions() {
    faults(&[
        ("#define", "needs a name"),
        ("#define 1", "needs a name"),
        ("#define F(", "must be a name"),
        ("#define F(a", "not closed"),
        ("#define F(a b) a", "not closed"),
        ("#define F(a, a) a", "two parameters are named `a`"),
        ("#define F(..., a) a", "not closed"),
        ("#define F(a) #b", "needs a parameter"),
        ("#define F ## a", "both sides"),
        ("#define F(a) a ##", "both sides"),
        ("#define defined 1", "cannot be redefined"),
        ("#define A 1\n#define A 2", "E0302: macro `A` is defined anew"),
        ("#undef", "takes one macro name"),
        ("#define F(a) a\nF(1, 2)", "E0110: macro `F` takes 1 argument(s), but 2 are given"),
        ("#define F(a, b) a\nF(1)", "takes 2 argument(s), but 1 are given"),
        ("#define F(a) a\nF(1", "has no closing `)`"),
    ]);
    assert_eq!(good("#define A 1\n#define  A  1 // same\n#undef A\n#define A 2\nA"), "2");
    assert_eq!(good("#define F() x\n#define G(a) [a]\nF() F( ) G() G( )"), "x x [] []");
    assert_eq!(good("#define OBJ (a) b\nOBJ"), "(a) b");
    // Directives within the arguments of a call are obeyed.
    assert_eq!(good("#define F(a, b) a-b\nF(1,\n#ifdef X\n2\n#else\n3\n#endif\n)"), "1-3");
}

#[test]
fn options_define() {
    let loader = MemoryLoader::new().with("main.slang", "A B F(2) __SLANG__").with("x.hlsl", "__SLANG__");
    let define = |n: &str, v: Option<&str>| (n.to_owned(), v.map(str::to_owned));
    let options = Preprocess {
        defines: vec![define("A", None), define("B", Some("x y")), define("F(a)", Some("a*a")), define("1", Some("z"))],
        ..Preprocess::default()
    };
    let (text, _, diags) = run_with(&loader, "main.slang", &options);
    assert_eq!(text, "1 x y 2*2 1");
    assert_eq!((diags.len(), diags[0].code), (1, Code::BAD_OPTION));
    assert_eq!(run_with(&loader, "x.hlsl", &Preprocess::default()).0, "__SLANG__");
}

#[test]
fn includes() {
    let loader = MemoryLoader::new()
        .with(
            "main.hlsl",
            "#include \"lib/a.hlsli\"\n#define H <lib/b.hlsli>\n#include H\n#include \"lib\\\\a.hlsli\"\nmain",
        )
        .with("lib/a.hlsli", "#pragma once\n#include \"b.hlsli\"\na")
        .with("lib/b.hlsli", "b __FILE__");
    let cache = Arc::new(TokenCache::default());
    let options = Preprocess { cache: Some(cache.clone()), ..Preprocess::default() };
    for _ in 0..2 {
        let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
        let stream = preprocess(&loader, "main.hlsl", &options, &mut sources, &mut diags);
        let texts: Vec<&str> = stream.tokens.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(texts, ["b", "\"lib/b.hlsli\"", "a", "b", "\"lib/b.hlsli\"", "main", ""]);
        let files: Vec<&str> = stream.files.iter().map(|f| sources.file(*f).unwrap().name.as_str()).collect();
        assert_eq!(files, ["main.hlsl", "lib/a.hlsli", "lib/b.hlsli"]);
        assert!(!stream.incomplete && diags.list().is_empty(), "{:?}", diags.list());
        let b = sources.files().find(|(_, f)| f.name == "lib/b.hlsli").unwrap().1;
        let from = b.included_from().unwrap();
        let text = &sources.file(from.file).unwrap().text;
        assert_eq!(&text[from.start as usize..from.end as usize], "\"b.hlsli\"");
    }
    assert_eq!(cache.files.read().unwrap().len(), 2);
}

#[test]
fn includes_beside_outer_files() {
    let loader = |main: &str| {
        MemoryLoader::new()
            .with(main, "#include \"../b/b.h\"\n#include \"<c.h>\"\nmain")
            .with("b/b.h", "#if __has_include(\"c.h\")\n#include \"c.h\"\n#endif\nb")
            .with("a/c.h", "c")
            .with("a/<c.h>", "d")
    };
    for (main, wanted) in [("a/main.hlsl", "c b d main "), ("a/main.slang", "b d main ")] {
        let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
        let stream = preprocess(&loader(main), main, &Preprocess::default(), &mut sources, &mut diags);
        let texts: Vec<&str> = stream.tokens.iter().map(|t| t.text.as_str()).collect();
        assert_eq!((texts.join(" ").as_str(), diags.list().len()), (wanted, 0), "{:?}", diags.list());
    }
}

#[test]
fn includes_that_fail() {
    let loader = MemoryLoader::new()
        .with("missing.hlsl", "#include \"none.hlsli\"\n#include <>\n#include\nx")
        .with("cycle.hlsl", "#include \"cycle2.hlsl\"\nx")
        .with("cycle2.hlsl", "#include \"cycle.hlsl\"\n#include \"cycle.hlsl\"\ny")
        .with("guarded.hlsl", "#ifndef G\n#define G\n#include \"guarded.hlsl\"\nz\n#endif");
    let codes = |main: &str| {
        let (text, stream, diags) = run_with(&loader, main, &Preprocess::default());
        (text, stream.incomplete, diags.iter().map(|d| d.code).collect::<Vec<_>>())
    };
    let bad = vec![Code::FILE_NOT_FOUND, Code::BAD_DIRECTIVE, Code::BAD_DIRECTIVE];
    assert_eq!(codes("missing.hlsl"), ("x".to_owned(), true, bad));
    assert_eq!(codes("cycle.hlsl"), (String::new(), true, vec![Code::INCLUDE_CYCLE]));
    assert_eq!(codes("guarded.hlsl"), ("z".to_owned(), false, vec![]));
    assert_eq!(codes("nowhere.hlsl"), (String::new(), true, vec![Code::FILE_NOT_FOUND]));
    let (_, _, diags) = run_with(&loader, "cycle.hlsl", &Preprocess::default());
    assert!(diags[0].notes[0].contains("`cycle.hlsl` includes `cycle2.hlsl`"), "{:?}", diags[0].notes);
    let deep = (0..100).fold(MemoryLoader::new(), |l, i| l.with(&format!("{i}"), &format!("#include \"{}\"", i + 1)));
    assert_eq!(run_with(&deep, "0", &Preprocess::default()).2[0].code, Code::INCLUDE_DEPTH);
}

#[test]
fn lines_pragmas_and_messages() {
    assert_eq!(
        good("__LINE__\n#line 40 \"gen.hlsl\"\n__LINE__ __FILE__\n\n__LINE__\n#line default\n__LINE__"),
        "1 40 \"gen.hlsl\" 42 7"
    );
    assert_eq!(good("#define L __LINE__\n\nL\n# 9 \"x\"\nL __FILE__"), "3 9 \"x\"");
    assert_eq!(good("#define AT(x) x@__LINE__\nAT(\n1\n)"), "1@2");
    assert_eq!(good("__COUNTER__ __COUNTER__"), "0 1");
    assert_eq!(good("#pragma warning(disable: 3571)\n#pragma unknown 1 \"\n#version 450\n#\nx"), "x");
    let (_, diags) = run("#error don't do  this // ever\n#warning\nx");
    assert_eq!(diags, ["E0109: #error: don't do  this // ever", "E0109: `#warning`"]);
    let loader =
        MemoryLoader::new().with("m", "a\n#pragma pack_matrix(row_major)\nb\n#pragma pack_matrix( column_major )");
    let (_, stream, _) = run_with(&loader, "m", &Preprocess::default());
    assert_eq!(stream.pack_matrix, [(1, true), (2, false)]);
    let loader = MemoryLoader::new().with(
        "m",
        "#define R row_major\n#define IN(x) (x)\n#define once\n#pragma pack_matrix(R)\na\n#pragma pack_matrix IN(column_major)",
    );
    let (_, stream, _) = run_with(&loader, "m", &Preprocess::default());
    assert_eq!(stream.pack_matrix, [(0, true), (1, false)]);
}

/// The comments before each token of a source, as `token: comments`.
fn comments(text: &str) -> Vec<String> {
    let loader = MemoryLoader::new()
        .with("main.hlsl", text)
        .with("inc.hlsli", "// of inc\nint inc; // after inc\n// end of inc");
    let (_, stream, _) = run_with(&loader, "main.hlsl", &Preprocess::default());
    let with = |t: &&Token| t.comments.count > 0;
    let show = |t: &Token| {
        let range = t.comments.start as usize..(t.comments.start + t.comments.count) as usize;
        let all: Vec<String> = stream.comments[range]
            .iter()
            .map(|c| {
                format!("{}{}{}", if c.blank_before { "_" } else { "" }, c.text, if c.trailing { "<" } else { "" })
            })
            .collect();
        format!("{}: {}", t.text, all.join(" "))
    };
    stream.tokens.iter().filter(with).map(show).collect()
}

#[test]
fn comments_stay_with_their_tokens() {
    assert_eq!(
        comments("// a\nint x; // b\n\n// c\n/* d */ int y;\n// e"),
        ["int: // a", "int: // b< _// c /* d */", ": // e"]
    );
    // Those of a macro's name go to its first token, those of its body nowhere.
    assert_eq!(comments("#define T int /* in */ // end\n// a\nT x;"), ["int: // a"]);
    assert_eq!(comments("#define NONE\n// a\nNONE // b\nint x;"), ["int: // a // b<"]);
    assert_eq!(comments("#define F(x) x\n// a\nF(/* b */ y) // c\n;"), ["y: // a /* b */<", ";: // c<"]);
    // A comment right above a definition goes with it; a file's header does not.
    assert_eq!(comments("// header\n\n// count\n#define N 4\nint x;"), ["int: // header"]);
    assert_eq!(comments("int y; // y\n// count\n#define N 4 // four\nint x;"), ["int: // y<"]);
    assert_eq!(
        comments("// all\n#include \"inc.hlsli\" // gone\nint x;"),
        ["int: // all // of inc", "int: // after inc< // end of inc"]
    );
    assert_eq!(comments("#if 0\n// no\nint x;\n#endif // end\n// yes\nint y;"), ["int: // yes"]);
}

#[test]
fn text_forms() {
    assert_eq!(
        good("\u{feff}#define A \\\r\n 1 \\  \r\n + 2\r\nA\r\nin\\\nt x\\\r\n1 = 1\\\n2 +\\\n= \"a\\\nb\";"),
        "1 + 2 int x1 = 12 += \"ab\";"
    );
    assert_eq!(good("a // comment \\\nstill comment\nb /* \n#define */ c"), "a b c");
    assert_eq!(
        good(
            "1.0f .5 1. 1e5 1.e-3f 2h 0x1F 0xFFu 0b1 1ull 1.0.xxx 1.xxxx 1..x 0x1.8p3 1.#INF 1#INFf 1_000 0xF_F 0x1.8 größe π2 _位置"
        ),
        "1.0f .5 1. 1e5 1.e-3f 2h 0x1F 0xFFu 0b1 1ull 1.0.xxx 1.xxxx 1..x 0x1.8p3 1.#INF 1#INFf 1_000 0xF_F 0x1.8 größe π2 _位置"
    );
    for (wrong, code) in [
        ("1.0q", "E0107"),
        ("0x", "E0107"),
        ("08", "E0107"),
        ("0b2", "E0107"),
        ("1e+", "E0107"),
        ("12abc", "E0107"),
        ("\"abc", "E0106"),
        ("'a", "E0106"),
        ("/* abc", "E0106"),
        ("`", "E0111"),
        ("\\ x", "E0111"),
        ("“x”", "E0111"),
        ("x²", "E0111"),
        ("½π", "E0111"),
    ] {
        let (_, diags) = run(&format!("x = {wrong};\n"));
        assert!(!diags.is_empty() && diags.iter().all(|d| d.starts_with(code)), "{wrong}: {diags:?}");
    }
}

#[test]
fn limits_hold() {
    let codes = |text: &str| run(text).1.iter().map(|d| d[..5].to_owned()).collect::<Vec<_>>();
    let mut bomb = String::from("#define M0 x x\n");
    (1..40).for_each(|i| bomb.push_str(&format!("#define M{i} M{} M{}\n", i - 1, i - 1)));
    assert_eq!(codes(&format!("{bomb}M39")), ["E0112"]);
    let calls = "F(".repeat(10_000) + &")".repeat(10_000);
    assert_eq!(codes(&format!("#define F(x) x x\n{calls}")), ["E0112"]);
    assert_eq!(codes(&format!("#define F(x) x\n#if {calls}\n#endif")), ["E0112"]);
    // Arguments are kept for each call around them.
    let calls = "F(".repeat(60_000) + &")".repeat(60_000);
    assert_eq!(codes(&format!("#define F(x) x\n{calls}")), ["E0112"]);
    for double in ["#define P(x) x##x\n#define D(x) P(x)", "#define S(x) #x\n#define T(x) S(x) S(x)\n#define D(x) T(x)"]
    {
        let calls = "D(".repeat(30) + "x" + &")".repeat(30);
        assert_eq!(codes(&format!("{double}\n{calls}")), ["E0112"], "{double}");
    }
    let loader = MemoryLoader::new().with("big", &" ".repeat(crate::limits::Limits::USUAL.file_bytes as usize + 1));
    assert_eq!(run_with(&loader, "big", &Preprocess::default()).2[0].code, Code::UNREADABLE);
    // Deep nests of other things are the parser's business.
    assert_eq!(codes(&"(".repeat(100_000)), Vec::<String>::new());
}

#[test]
fn places_in_macros_and_includes_are_shown() {
    let loader = MemoryLoader::new()
        .with("main.hlsl", "#include \"defs.hlsli\"\nfloat f(float3 albedo)\n{\n    return TINT(albedo);\n}\n")
        .with("defs.hlsli", "#define SCALE(x) (x * scale)\n#define TINT(c) SCALE(c.x)\n\n#bad\n");
    let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
    let stream = preprocess(&loader, "main.hlsl", &Preprocess::default(), &mut sources, &mut diags);
    let find = |name: &str| stream.tokens.iter().find(|t| t.text == name).unwrap().span;
    diags.push(Diagnostic::error(Code::UNDECLARED, find("scale"), "`scale` is not declared"));
    // An argument is shown where the user wrote it.
    let argument = stream.tokens.iter().filter(|t| t.text == "albedo").nth(1).unwrap().span;
    diags.push(Diagnostic::error(Code::NO_MEMBER, argument, "no such thing").note("a note"));
    let mut list = diags.take();
    crate::diagnostic::sort(&mut list, &sources);
    let text = crate::diagnostic::render(&list, &sources, false);
    let expected = "\
main.hlsl:4:12: error[E0301]: `scale` is not declared
  --> main.hlsl:4:12
  |
4 |     return TINT(albedo);
  |            ^^^^^^^^^^^^ in this use of macro `TINT`
  |
  --> defs.hlsli:1:23
  |
1 | #define SCALE(x) (x * scale)
  |                       ----- in the expansion of macro `SCALE`

main.hlsl:4:17: error[E0306]: no such thing
  --> main.hlsl:4:17
  |
4 |     return TINT(albedo);
  |                 ^^^^^^
  |
  = a note

defs.hlsli:4:2: error[E0108]: `#bad` is not a directive
  --> defs.hlsli:4:2
  |
4 | #bad
  |  ^^^
  |
  = included from main.hlsl:1:10

";
    assert_eq!(text, expected);
    let colored = crate::diagnostic::render(&list, &sources, true);
    assert!(colored.starts_with("main.hlsl:4:12: \u{1b}[1;31merror[E0301]\u{1b}[0m"), "{colored}");
}

#[test]
fn pages_show_what_they_say() {
    for number in 106..=111 {
        let code = Code(number);
        let page = crate::diagnostic::codes::page(code).unwrap();
        let mut blocks = page.split("```hlsl\n").skip(1).map(|b| b.split("```").next().unwrap());
        let (_, diags) = run(blocks.next().unwrap());
        assert!(!diags.is_empty() && diags.iter().all(|d| d.starts_with(&code.to_string())), "{code}: {diags:?}");
        assert_eq!(run(blocks.next().unwrap()).1, Vec::<String>::new(), "{code}");
    }
}

/// Whatever is cut off or mixed up: no panic, and the stream ends with one `Eof`.
#[test]
fn any_text_is_survived() {
    let text = "#define F(a, b...) #a a##b __VA_OPT__(x) , ##b\n#if defined(F) && '\\n' > 0x1p3 /* c */ \\\n ? 1 : 2\n\
        F(F(1, \"s\\\"\"), 2.5f) é // d\n#elif __has_include(<x>)\n#include \"m\"\n#else\n#endif\n#line 3 \"f\"\n\
        #pragma pack_matrix(row_major)\nF(\n#undef F\n)\n";
    let check = |text: &str| {
        let loader = MemoryLoader::new().with("main.hlsl", text).with("m", "F(");
        let (_, stream, _) = run_with(&loader, "main.hlsl", &Preprocess::default());
        assert_eq!(stream.tokens.iter().filter(|t| t.kind == TokenKind::Eof).count(), 1);
        let end = stream.comments.len() as u32;
        let sound = |t: &Token| t.comments.start + t.comments.count <= end && t.kind != TokenKind::Other;
        assert_eq!(stream.tokens.iter().find(|t| !sound(t)), None, "{text}");
    };
    let ends: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
    for end in &ends {
        check(&text[..*end]);
        check(&text[*end..]);
    }
    let mut state = 12345u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..1000 {
        let mut pieces = String::new();
        for _ in 0..12 {
            let start = ends[random(ends.len())];
            let end = ends.iter().copied().find(|e| *e > start).unwrap_or(text.len());
            let end = ends.iter().copied().find(|e| *e >= end + random(12)).unwrap_or(text.len());
            pieces.push_str(&text[start..end]);
        }
        check(&pieces);
    }
}
