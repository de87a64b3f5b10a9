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
