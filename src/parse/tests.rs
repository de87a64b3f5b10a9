//! What the parser makes of snippets, by the compact dump, and what it says about errors.

use super::{Language, dump, parse};
use crate::ast::Unit;
use crate::diagnostic::{Code, Diagnostics, Severity};
use crate::preprocess::{Preprocess, preprocess};
use crate::source::{MemoryLoader, Sources};

/// The tree of a text and its errors, one a line: `line:column: message`.
pub fn parse_text(text: &str) -> (Unit, Vec<String>) {
    let loader = MemoryLoader::new().with("main.slang", text);
    let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
    let stream = preprocess(&loader, "main.slang", &Preprocess::default(), &mut sources, &mut diags);
    let unit = parse(&stream, Language::Slang, &mut diags);
    let place = |d: &crate::diagnostic::Diagnostic| {
        let span = d.span.unwrap_or_default();
        let (line, column) = sources.line_column(span.file, span.start);
        format!("{}:{}: {}", line + 1, column + 1, d.message)
    };
    let errors = diags.list().iter().filter(|d| d.severity == Severity::Error);
    (unit, errors.map(place).collect())
}

/// The dump of a text without errors, its lines joined by ` / `.
fn dumped(text: &str) -> String {
    let (unit, errors) = parse_text(text);
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    dump::unit(&unit).trim_end().replace('\n', " / ")
}

/// The dump of an expression, as `return e;` in a function.
fn expression(text: &str) -> String {
    let all = dumped(&format!("void f() {{ return {text}; }}"));
    let inner = all.strip_prefix("(fn void f () {(return ").and_then(|s| s.strip_suffix(")})"));
    inner.unwrap_or(&all).to_owned()
}

/// The dump of the statements of a function.
fn statements(text: &str) -> String {
    let all = dumped(&format!("void f() {{ {text} }}"));
    let inner = all.strip_prefix("(fn void f () {").and_then(|s| s.strip_suffix("})"));
    inner.unwrap_or(&all).to_owned()
}

/// The errors of a text.
fn errors(text: &str) -> Vec<String> {
    parse_text(text).1
}

macro_rules! cases {
    ($($name:ident: $function:ident { $($text:expr => $dump:expr;)* })*) => {
        $(#[test] fn $name() { $(assert_eq!($function($text), $dump, "for {}", $text);)* })*
    };
}

cases! {
    precedence: expression {
        "a + b * c - d" => "(- (+ a (* b c)) d)";
        "a = b = c, d" => "(, (= a (= b c)) d)";
        "a ? b : c ? d : e" => "(? a b (? c d e))";
        "a || b && c | d ^ e & f == g < h << i + j" => "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i j)))))))))";
        "a >> b >= c >>= d" => "(>>= (>= (>> a b) c) d)";
        "a > b" => "(> a b)";
        "-a.b[1]++" => "(- ((index (. a b) 1) ++))";
        "!x && ~y" => "(&& (! x) (~ y))";
        "*p->x + &q" => "(+ (* (. p x)) (& q))";
        "a ? b, c : d" => "(? a (, b c) d)";
        "x is Foo && y as Bar" => "(&& (is x Foo) (as y Bar))";
    }
    literals: expression {
        "1u + 0x1F + 1.5f + .5h + \"a\" \"b\" + true" => "(+ (+ (+ (+ (+ 1u 0x1F) 1.5f) .5h) \"ab\") true)";
        "{ 1, { 2, 3 }, }" => "{1 {2 3}}";
        "nullptr" => "null";
        "none" => "null";
    }
    casts: expression {
        "(float)x" => "(cast float x)";
        "(float)-x" => "(cast float (- x))";
        "(x)-y" => "(- (paren x) y)";
        "(x)*y" => "(* (paren x) y)";
        "(Foo)(x)" => "(cast Foo (paren x))";
        "(int)(a) - b" => "(- (cast int (paren a)) b)";
        "(float[2])x" => "(cast float[2] x)";
        "(Foo<int>)x" => "(cast Foo<int> x)";
        "(Foo){1, 2}" => "(cast Foo {1 2})";
        "(const uint)x" => "(cast {const uint} x)";
        "(unsigned int)x" => "(cast uint x)";
        "(a.b)(c)" => "(cast a::b (paren c))";
        "(x)" => "(paren x)";
        "((float3x3)m)[0]" => "(index (paren (cast float3x3 m)) 0)";
    }
    constructions_and_calls: expression {
        "float4(x.xyz, 1)" => "(new float4 (. x xyz) 1)";
        "vector<float, 4>(1)" => "(new vector<float, =4> 1)";
        "float[2](1, 2)" => "(new float[2] 1 2)";
        "S(1)" => "(call S 1)";
        "f<int>(x)" => "(call f<int> x)";
        "a.b<c>(d)" => "(call (. a b<c>) d)";
        "A::B<int, 3>::c(1)" => "(call A::B<int, =3>::c 1)";
        "::g(1)" => "(call ::g 1)";
        "t.Load<Foo>(i).x" => "(. (call (. t Load<Foo>) i) x)";
        "This(1)" => "(new This 1)";
        "this.x" => "(. this x)";
        "S<T<int>>(x)" => "(call S<T<int>> x)";
        "f<(1 > 2)>(x)" => "(call f<=(paren (> 1 2))> x)";
        "f<N + 1>(x)" => "(call f<=(+ N 1)> x)";
        "sizeof(float) + sizeof(a + b)" => "(+ (sizeof float) (sizeof typeof((+ a b))))";
        "int.maxValue" => "(. int maxValue)";
    }
    foreign_forms: expression {
        "no_diff f(x)" => "(call f x)";
        "__fwd_diff(f)(x)" => "(call (unsupported __fwd_diff) x)";
        "bwd_diff(f)(x, y)" => "(call (unsupported bwd_diff) x y)";
        "spirv_asm { OpFoo { }; }" => "(unsupported spirv_asm)";
        "(int x) => x + 1" => "(lambda (struct Lambda (fn _ operator() ((var int x)) {(return (+ x 1))})))";
        "(int x) => { return x; }" => "(lambda (struct Lambda (fn _ operator() ((var int x)) {(return x)})))";
        "f(expand each x)" => "(call f (expand (each x)))";
        "expand (each x).y + 1" => "(expand (+ (. (paren (each x)) y) 1))";
        "expand(f)" => "(call expand f)";
    }
    less_than_or_generic: statements {
        "int a, b, c; x = a < b > (c);" => "(var int a) (var int b) (var int c) (= x (> (< a b) (paren c)));";
        "int a, b, c, d; f(a < b, c > (d));" =>
            "(var int a) (var int b) (var int c) (var int d) (call f (< a b) (> c (paren d)));";
        "for (int i = 0; i < n; i++) {}" => "(for ((var int i = 0) | (< i n) | (i ++)) {})";
        "if (a < b && c > d) {}" => "(if (&& (< a b) (> c d)) {})";
    }
    declaration_or_expression: statements {
        "Foo x;" => "(var Foo x)";
        "a * b;" => "(* a b);";
        "int* p; Foo<int> y; A::B z = {};" => "(var int* p) (var Foo<int> y) (var A::B z = {})";
        "a[1] = 2; a[2] b;" => "(= (index a 1) 2); (var a[2] b)";
        "foo(x); foo.bar(x);" => "(call foo x); (call (. foo bar) x);";
        "int2 v = 1, w[2][3] = {};" => "(var int2 v = 1) (var int2[3][2] w = {})";
        "int[2][3] x;" => "(var int[2][3] x)";
        "static const uint N = 4u;" => "(static const var uint N = 4u)";
        "let x = 1; var y : int = 2;" => "(var let _ x = 1) (var int y = 2)";
        "linear = 1; point.x = 2; sample s;" => "(= linear 1); (= (. point x) 2); (var sample s)";
        "struct { int a; } s; struct S { int b; } t, u;" =>
            "(var (struct  (var int a)) s) (struct S (var int b)) (var S t) (var S u)";
        "unsigned int x; long long y;" => "(var uint x) (var int64_t y)";
        "float3 const k = 0;" => "(var {const float3} k = 0)";
        "Foo? maybe = none;" => "(var Foo? maybe = null)";
        "typedef float3 F[4]; F x;" => "(alias F float3[4]) (var F x)";
    }
    control_flow: statements {
        "if (a) b(); else if (c) { } else d();" => "(if a (call b); else (if c {} else (call d);))";
        "[unroll] for (;;) break;" => "[unroll] (for ( |  | ) break;)";
        "for (i = 0, j = 1; i < 3; i++, j++) continue;" =>
            "(for ((, (= i 0) (= j 1)); | (< i 3) | (, (i ++) (j ++))) continue;)";
        "[loop] while (x) { discard; }" => "[loop] (while x {discard;})";
        "do { x--; } while (x > 0);" => "(do {(x --);} (> x 0))";
        "switch (x) { case 1: case A::B: f(); break; default: { } }" =>
            "(switch x (1,A::B: {(call f); break;}) (default: {{}}))";
        "outer: for (;;) { break outer; }" => "(label outer (for ( |  | ) {break outer;}))";
        "defer f(); return;" => "(defer (call f);) (return)";
        "if (let x = y as Foo) { }" => "(if (var let _ x = (as y Foo)) x {})";
        "static_assert(1 == 1, \"no\");" => "(static_assert (== 1 1) \"no\")";
        "__target_switch { case hlsl: return; case glsl: case wgsl: f(); default: __intrinsic_asm \"x($0)\", 1; }" =>
            "(target_switch (hlsl: {(return)}) (glsl::wgsl: {(call f);}) (default: {(asm \"x($0)\")}))";
        "{ ; }" => "{;}";
        "$for(i in Range(0, 3)) { }" => "(unsupported $for)";
    }
    variables: dumped {
        "static const float a[2] = { 1, 2 }, b;" => "(static const var float[2] a = {1 2}) / (static const var float b)";
        "Texture2D<float4> t : register(t0, space1);" => "(var Texture2D<float4> t :register(t0,space1))";
        "[[vk::binding(0, 1)]] [[vk::push_constant]] ConstantBuffer<S> c : register(b0);" =>
            "([vk::binding(0, 1)] [vk::push_constant] var ConstantBuffer<S> c :register(b0))";
        "layout(binding = 0, set = 1) uniform Texture2D t;" => "(layout:binding=0 layout:set=1 uniform var Texture2D t)";
        "RWTexture2D<unorm float4> t;" => "(var RWTexture2D<{unorm float4}> t)";
        "groupshared precise float x[N * 2];" => "(groupshared precise var float[(* N 2)] x)";
        "SamplerState s { Filter = MIN; AddressU = Wrap; };" => "(var SamplerState s) / (sampler_state s)";
        "SamplerState s = sampler_state { Filter = MIN; };" => "(var SamplerState s) / (sampler_state s)";
        "float x < string UIName = \"x\"; > = 1;" => "(var float x = 1)";
        "globallycoherent RWByteAddressBuffer b;" => "(globallycoherent var RWByteAddressBuffer b)";
        "vector<float, 4> *p, q;" => "(var vector<float, =4>* p) / (var vector<float, =4> q)";
        "struct S { float4 p : SV_Position, q : TEXCOORD0; uint a : 4; };" =>
            "(struct S (var float4 p :SV_Position) (var float4 q :TEXCOORD0) (var uint a bits 4))";
        "struct { float a; } g;" => "(var (struct  (var float a)) g)";
        "struct S { int a; }\nfloat4 f();" => "(struct S (var int a)) / (fn float4 f ())";
        "struct S { int a; };\nstruct S s;" => "(struct S (var int a)) / (var S s)";
        "float sample; float point : POINT;" => "(var float sample) / (var float point :POINT)";
    }
    buffers: dumped {
        "cbuffer C : register(b0) { float4 a : packoffset(c0.y); row_major float4x4 m; };" =>
            "(cbuffer C :register(b0) (var float4 a :packoffset(c0,y)) (row_major var float4x4 m))";
        "tbuffer T { int x; }" => "(tbuffer T (var int x))";
    }
    functions: dumped {
        "float f(float a, inout int b = 1, out float c : SV_Depth);" =>
            "(fn float f ((var float a) (inout var int b = 1) (out var float c :SV_Depth)))";
        "[shader(\"vertex\")] float4 main(float4 : POSITION) : SV_Position { return 0; }" =>
            "([shader(\"vertex\")] fn float4 main ((var float4  :POSITION)) :SV_Position {(return 0)})";
        "[numthreads(8, 8, 1)] void main(void) {}" => "([numthreads(8, 8, 1)] fn void main () {})";
        "void g(triangle V v[3], inout TriangleStream<G> s, point V p[1]) {}" =>
            "(fn void g ((triangle var V[3] v) (inout var TriangleStream<G> s) (point var V[1] p)) {})";
        "void m(out indices uint3 t[64], out vertices V v[64], in payload P p) {}" =>
            "(fn void m ((out indices var uint3[64] t) (out vertices var V[64] v) (in payload var P p)) {})";
        "func add(a : int, inout b : float) -> int { return a; }" =>
            "(fn int add ((var int a) (inout var float b)) {(return a)})";
        "T id<T : IFoo & IBar, let N : int = 3, U = int>(T x) where U : IFoo where T == U { return x; }" =>
            "(fn T id<T : IFoo IBar, let N int = 3, U = int where U : IFoo where T : U> ((var T x)) {(return x)})";
        "template<typename T, int N = 3> T f(T x) { return x; }" =>
            "(fn T f<T, let N int = 3> ((var T x)) {(return x)})";
        "__generic<T : IFoo, let N : int> vector<T, N> f(vector<T, N> x);" =>
            "(fn vector<T, N> f<T : IFoo, let N int> ((var vector<T, N> x)))";
        "void f<each T>(expand each T x) { }" => "(fn void f<each T> ((var (expand (each T)) x)) {})";
        "float S::get() { return 1; }" => "(fn float S::get () {(return 1)})";
        "int f() throws E;" => "(fn int f () throws)";
        "[RootSignature(\"a\" \"b\")] [WaveSize(32)] void f();" => "([RootSignature(\"ab\")] [WaveSize(32)] fn void f ())";
    }
    structs: dumped {
        "struct S : IFoo, IBar { static int n; [mutating] void f() { x = 1; } __init(int a) { x = a; } int x; }" =>
            "(struct S : IFoo IBar (static var int n) ([mutating] fn void f () {(= x 1);}) \
             (fn This __init ((var int a)) {(= x a);}) (var int x))";
        "struct S { S operator+(S o); float operator[](int i); float operator()(int i); bool operator>>(S o); }" =>
            "(struct S (fn S operator+ ((var S o))) (fn float operator[] ((var int i))) (fn float operator() ((var int i))) \
             (fn bool operator>> ((var S o))))";
        "struct S<T> { T a; struct { float b; }; struct In { int c; } i; }" =>
            "(struct S<T> (var T a) (struct  (var float b)) (struct In (var int c)) (var In i))";
        "struct P { property x : int { get { return 1; } set(v) { } } property float y { get; } \
         __subscript(uint i) -> T { get { return 0; } set { } } }" =>
            "(struct P (property int x (get {(return 1)}) (set v {})) (property float y (get)) \
             (subscript T subscript (var uint i) (get {(return 0)}) (set {})))";
        "class C { int x; }" => "(struct C (var int x))";
        "struct F;" => "(struct F forward)";
        "__magic_type(Texture) struct T<E> { }" => "([__magic_type(Texture)] struct T<E> magic:Texture)";
        "interface I : J { associatedtype A : K; float f(A a); static This g(); }" =>
            "(interface I : J (associatedtype A : K) (fn float f ((var A a))) (static fn This g ()))";
        "extension<T : I> Foo<T> : J { int f() { return 1; } }" =>
            "(extension<T : I> Foo<T> : J (fn int f () {(return 1)}))";
    }
    other_declarations: dumped {
        "enum E : uint { A, B = 2, C, }; enum class F { X }" => "(enum E : uint A B=2 C) / (enum class F X)";
        "typedef float3 A, B[2]; typealias P<T> = Q<T>; using N = float; using namespace A.B;" =>
            "(alias A float3) / (alias B float3[2]) / (alias P<T> Q<T>) / (alias N float) / (using A::B)";
        "namespace A::B { int x; } namespace C.D { }" => "(namespace A::B (var int x)) / (namespace C::D)";
        "module m; import a.b; __exported import \"c/d.slang\"; __include e; implementing f;" =>
            "(import a/b) / (__exported import exported c/d.slang) / (include e) / (implementing f)";
        "technique T { pass P { } } technique11 U < int x = 1; > { }" => "(technique T (P)) / (technique U )";
        "layout(local_size_x = 8) in;" => "(layout:local_size_x=8 in ignored)";
        "public internal static float f();" => "(public internal static fn float f ())";
        "typedef vector<float, 4> V;" => "(alias V vector<float, =4>)";
    }
    comments: dumped {
        "// a\nint x; // b\n// c\nstruct S { // d\n int y; // e\n // f\n};\n// g" =>
            "(// a ^// b var int x) / (// c struct S (// d ^// e var int y))";
        "void f(int a, // a\n int b // b\n) { // c\n g(); // d\n // e\n}" =>
            "(fn void f ((^// a var int a) (^// b var int b)) {// c ^// d (call g); // e })";
        "void f() // a\n{ }\nstruct S // b\n{\n};" => "(// a fn void f () {}) / (// b struct S)";
        "enum E { A, // a\n B // b\n}" => "(enum E ^// a A ^// b B)";
    }
}

#[test]
fn every_error_is_reported_once_in_the_users_words() {
    let text = "float x = 1\nfloat y = ;\nvoid f() { g(1; h(); }\nint z;\nstruct S { float ; int ok; };\nvoid k() { a b c; if (x { } }\n";
    assert_eq!(
        errors(text),
        [
            "1:11: expected `;` after the declaration of `x`, found `float`",
            "2:11: expected an expression, found `;`",
            "3:15: expected `,` or `)` in the arguments, found `;`",
            "5:18: expected a name after the type, found `;`",
            "6:16: expected `;` after the declaration of `b`, found `c`",
            "6:25: expected `)` after the condition of `if`, found `{`",
        ]
    );
}

#[test]
fn errors_keep_what_is_around_them() {
    let (unit, errors) = parse_text("int a;\nint 3;\nvoid f() { x = ; y = 1; }\nint b;");
    assert_eq!(errors.len(), 2);
    assert_eq!(dump::unit(&unit), "(var int a)\n(fn void f () {error (= y 1);})\n(var int b)\n");
}

#[test]
fn unclosed_and_stray_brackets() {
    assert_eq!(
        errors("void f() { if (x) {"),
        ["1:19: expected `}` at the end of the block, found the end of the file"]
    );
    assert_eq!(errors("int x; }\nint y;"), ["1:8: this `}` closes nothing"]);
    assert_eq!(errors("void f( { }\nint y;").len(), 1);
    assert_eq!(errors("void f() { a); b]; }").len(), 2);
}

/// Hostile nesting ends in one error, soon, on an ordinary stack.
#[test]
fn deep_nesting_is_one_error() {
    let nest = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(10_000), close.repeat(10_000));
    let texts = [
        format!("void f() {{ x = {}; }}", nest("(", "1", ")")),
        format!("void f() {{ x = {}; }}", nest("-", "1", "")),
        format!("void f() {{ x = {}; }}", nest("f(", "1", ")")),
        format!("void f() {{ x = {}; }}", nest("a[", "1", "]")),
        format!("void f() {{ x = {}; }}", nest("{", "1", "}")),
        format!("void f() {{ x = {}; }}", nest("1 + ", "1", "")),
        format!("void f() {{ x = {}; }}", nest("a = ", "1", "")),
        format!("void f() {{ x = {}; }}", nest("a ? ", "1", " : 0")),
        format!("void f() {{ x = a{}; }}", ".b".repeat(10_000)),
        format!("void f() {{ {} }}", nest("{", ";", "}")),
        format!("void f() {{ {} ; }}", nest("if (x) ", "", "")),
        format!("void f() {{ {} }}", nest("(float)", "x;", "")),
        format!("{} x;", nest("A<", "int", ">")),
        format!("void f() {{ x = {}; }}", nest("A<", "int", ">")),
        format!("int x{};", "[1]".repeat(10_000)),
        nest("struct S { ", "int x;", "};"),
        nest("namespace A { ", "int x;", "}"),
    ];
    for text in texts {
        let (_, errors) = parse_text(&text);
        assert!((1..=4).contains(&errors.len()), "{} ...: {:?}", &text[..40], &errors[..errors.len().min(5)]);
    }
}

#[test]
fn nesting_code() {
    let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
    let text = format!("int x = {}1{};", "(".repeat(10_000), ")".repeat(10_000));
    let loader = MemoryLoader::new().with("a.hlsl", &text);
    let stream = preprocess(&loader, "a.hlsl", &Preprocess::default(), &mut sources, &mut diags);
    parse(&stream, Language::Hlsl, &mut diags);
    assert_eq!(diags.list().iter().map(|d| d.code).collect::<Vec<_>>(), [Code::NESTING]);
}

#[test]
fn pack_matrix_reaches_declarations() {
    let text = "float4x4 a;\n#pragma pack_matrix(row_major)\nfloat4x4 b; column_major float4x4 c;";
    let expected = "(var float4x4 a) / (__pack_row_major var float4x4 b) / (column_major var float4x4 c)";
    assert_eq!(dumped(text), expected);
}

/// Whatever the order of tokens, the parser ends and does not panic.
#[test]
fn token_soup_ends() {
    let words: Vec<&str> = "struct S { } ( ) [ ] ; , : :: . < > = == >> + - * & ? if else for while do switch case default \
        return x y float4 int 1 2.0 \"s\" static const in out template __generic typename let var func operator extension \
        interface property get set __init __subscript enum class namespace typedef using where : -> => cbuffer register \
        __target_switch __magic_type ( [[ ]] import module A<B> (T) -x sizeof each expand some functype dyn unsigned long"
        .split_whitespace()
        .collect();
    let mut seed = 12345_u64;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    for _ in 0..400 {
        let length = 1 + next(150);
        let text: Vec<&str> = (0..length).map(|_| words[next(words.len())]).collect();
        parse_text(&text.join(if next(2) == 0 { " " } else { "\n" }));
    }
}
