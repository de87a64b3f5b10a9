//! `cargo xtask bench --scaling`: how time and memory grow with the size of a program. For each shape of program and each
//! target: sizes that double, the cost of each, and the exponent `e` of `cost ~ size^e` that fits the larger sizes best.

use super::{Cost, cost_of, strings};
use std::fmt::Write;
use std::path::Path;

/// The first and the last size.
const SIZES: (usize, usize) = (1_000, 64_000);
/// The largest exponent that is good.
const LIMIT: f64 = 1.15;
/// Runs shorter than this say little of growth: the process itself takes some of it.
const FIRST_SECONDS: f64 = 0.02;

/// A shape of program that can be of any size.
struct Shape {
    name: &'static str,
    /// The text of a size.
    text: fn(usize) -> String,
    /// The largest size that the limits of the language or of the compiler allow, if that is less than all sizes.
    most: usize,
}

const ALL: usize = usize::MAX;

/// (name, generator, largest size).
const SHAPES: &[Shape] = &[
    Shape { name: "functions, independent", text: functions, most: ALL },
    Shape { name: "functions, a chain of calls", text: chain, most: ALL },
    Shape { name: "functions, each calls the next two", text: diamonds, most: ALL },
    Shape { name: "functions, not reached", text: unreached, most: ALL },
    Shape { name: "structs", text: structs, most: ALL },
    Shape { name: "fields of a struct", text: fields, most: 4_000 },
    Shape { name: "plain globals", text: plain_globals, most: 16_000 },
    Shape { name: "textures", text: textures, most: ALL },
    Shape { name: "structured buffers", text: buffers, most: ALL },
    Shape { name: "constant buffers", text: constant_buffers, most: ALL },
    Shape { name: "static globals", text: statics, most: ALL },
    Shape { name: "constants", text: constants, most: ALL },
    Shape { name: "statements", text: statements, most: ALL },
    Shape { name: "locals", text: locals, most: ALL },
    Shape { name: "branches", text: branches, most: ALL },
    Shape { name: "loops", text: loops, most: ALL },
    Shape { name: "cases of a switch", text: cases, most: ALL },
    Shape { name: "terms of an expression", text: terms, most: 500 },
    Shape { name: "nested blocks", text: nesting, most: 100 },
    Shape { name: "elements of an array", text: elements, most: ALL },
    Shape { name: "parameters and arguments", text: arguments, most: ALL },
    Shape { name: "entry points", text: entry_points, most: ALL },
    Shape { name: "uses of macros", text: macros, most: ALL },
    Shape { name: "instances of a generic", text: instances, most: 16_000 },
    Shape { name: "comments", text: comments, most: ALL },
];

/// Lines, one a number.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{}", line(i));
        text
    })
}

/// A compute shader around statements that leave their result in `x`.
fn compute(globals: &str, statements: &str) -> String {
    format!(
        "RWStructuredBuffer<float> result;\n{globals}\n[shader(\"compute\")] [numthreads(64, 1, 1)]\n\
         void main(uint3 id : SV_DispatchThreadID)\n{{\n    float x = float(id.x);\n{statements}\n    result[id.x] = x;\n}}\n"
    )
}

fn functions(n: usize) -> String {
    compute(
        &lines(n, |i| format!("float f{i}(float v) {{ return v * {i}.5; }}")),
        &lines(n, |i| format!("    x += f{i}(x);")),
    )
}

fn chain(n: usize) -> String {
    let call = |i: usize| if i == 0 { "v".to_owned() } else { format!("f{}(v)", i - 1) };
    compute(
        &lines(n, |i| format!("float f{i}(float v) {{ return {} + {i}.5; }}", call(i))),
        &format!("    x = f{}(x);", n - 1),
    )
}

fn diamonds(n: usize) -> String {
    let call = |i: usize, by: usize| if i < by { "v".to_owned() } else { format!("f{}(v)", i - by) };
    let function = |i| format!("float f{i}(float v) {{ return {} * {} + {i}.5; }}", call(i, 1), call(i, 2));
    compute(&lines(n, function), &format!("    x = f{}(x);", n - 1))
}

fn unreached(n: usize) -> String {
    compute(&lines(n, |i| format!("float f{i}(float v) {{ return v * {i}.5; }}")), "")
}

fn structs(n: usize) -> String {
    let uses = lines(n, |i| format!("    S{i} s{i} = {{ x, {i} }}; x += s{i}.a;"));
    compute(&lines(n, |i| format!("struct S{i} {{ float a; int b; }};")), &uses)
}

fn fields(n: usize) -> String {
    let globals = format!("struct S\n{{\n{}}};\nStructuredBuffer<S> data;", lines(n, |i| format!("    float a{i};")));
    compute(&globals, &lines(n, |i| format!("    x += data[id.x].a{i};")))
}

fn plain_globals(n: usize) -> String {
    compute(&lines(n, |i| format!("uniform float g{i};")), &lines(n, |i| format!("    x += g{i};")))
}

fn textures(n: usize) -> String {
    compute(
        &lines(n, |i| format!("Texture2D<float> t{i};")),
        &lines(n, |i| format!("    x += t{i}.Load(int3(int(x), 0, 0));")),
    )
}

fn buffers(n: usize) -> String {
    compute(&lines(n, |i| format!("StructuredBuffer<float> b{i};")), &lines(n, |i| format!("    x += b{i}[int(x)];")))
}

fn constant_buffers(n: usize) -> String {
    compute(
        &lines(n, |i| format!("cbuffer C{i} {{ float4 c{i}; float d{i}; }}")),
        &lines(n, |i| format!("    x += c{i}.y + d{i};")),
    )
}

fn statics(n: usize) -> String {
    compute(&lines(n, |i| format!("static float g{i} = {i}.5;")), &lines(n, |i| format!("    g{i} += x; x += g{i};")))
}

fn constants(n: usize) -> String {
    let one = |i: usize| match i {
        0 => "static const float k0 = 0.5;".to_owned(),
        _ => format!("static const float k{i} = k{} + 0.5;", i / 2),
    };
    compute(&lines(n, one), &lines(n, |i| format!("    x += k{i};")))
}

fn statements(n: usize) -> String {
    compute("", &lines(n, |i| format!("    x = x * 1.5 + {i}.25;")))
}

fn locals(n: usize) -> String {
    compute("", &lines(n, |i| format!("    float v{i} = x + {i}.5; x = v{i} * 2.0;")))
}

fn branches(n: usize) -> String {
    compute("", &lines(n, |i| format!("    if (x > {i}.5) {{ x -= 1.5; }} else {{ x += 2.5; }}")))
}

fn loops(n: usize) -> String {
    compute("", &lines(n, |i| format!("    for (int i{i} = 0; i{i} < 4; i{i}++) {{ x += float(i{i}); }}")))
}

fn cases(n: usize) -> String {
    let cases = lines(n, |i| format!("    case {i}: x += {i}.5; break;"));
    compute("", &format!("    switch (int(id.x))\n    {{\n{cases}    default: x = 0.0; break;\n    }}"))
}

fn terms(n: usize) -> String {
    let terms: Vec<String> = (0..n).map(|i| format!("x * {i}.5")).collect();
    compute("", &format!("    x = {};", terms.join(" + ")))
}

fn nesting(n: usize) -> String {
    compute("", &format!("{}x += 1.0;{}", "if (x > 0.5) {\n".repeat(n), "}".repeat(n)))
}

fn elements(n: usize) -> String {
    let values: Vec<String> = (0..n).map(|i| format!("{i}.5")).collect();
    compute(
        &format!("static const float table[{n}] = {{ {} }};", values.join(", ")),
        &format!("    x += table[id.x % {n}];"),
    )
}

fn arguments(n: usize) -> String {
    let list = |one: &dyn Fn(usize) -> String| (0..n).map(one).collect::<Vec<_>>().join(", ");
    let parameters = list(&|i| format!("float p{i}"));
    let sum = lines(n, |i| format!("    s += p{i};"));
    let function = format!("float f({parameters})\n{{\n    float s = 0.0;\n{sum}    return s;\n}}");
    compute(&function, &format!("    x = f({});", list(&|i| format!("x + {i}.5"))))
}

fn entry_points(n: usize) -> String {
    let entry = |i| {
        format!(
            "[shader(\"compute\")] [numthreads(8, 1, 1)] void main{i}(uint3 id : SV_DispatchThreadID) {{ result[id.x] = scale * {i}.5; }}"
        )
    };
    format!("RWStructuredBuffer<float> result;\nuniform float scale;\n{}", lines(n, entry))
}

fn macros(n: usize) -> String {
    compute("#define TWICE(v) ((v) * 2.0)\n#define ADD(v) x += TWICE(v);", &lines(n, |i| format!("    ADD({i}.5)")))
}

fn instances(n: usize) -> String {
    compute(
        "struct Box<let N : int> { float v; float get() { return v * float(N); } };",
        &lines(n, |i| format!("    Box<{i}> b{i} = {{ x }}; x += b{i}.get();")),
    )
}

fn comments(n: usize) -> String {
    compute("", &lines(n, |i| format!("    // Step {i}.\n    x += 0.5; // and on")))
}

/// Measures all shapes, or those whose name has the words.
pub fn run(ours: &Path, words: &str, limit_seconds: f64) -> Result<bool, String> {
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    println!(
        "growth: milliseconds of all cores and MiB by size; the exponent is of time, over the sizes that take {FIRST_SECONDS} s and more"
    );
    let mut good = true;
    for shape in SHAPES.iter().filter(|s| s.name.contains(words)) {
        println!("{}", shape.name);
        for target in ["hlsl", "glsl", "wgsl"] {
            good &= measure(shape, target, ours, directory.path(), limit_seconds)?;
        }
    }
    println!(
        "{}",
        if good { format!("no exponent is above {LIMIT}") } else { format!("an exponent is above {LIMIT}") }
    );
    Ok(good)
}

/// One shape for one target, up to the size that takes too long.
fn measure(shape: &Shape, target: &str, ours: &Path, directory: &Path, limit_seconds: f64) -> Result<bool, String> {
    let program = ours.to_string_lossy();
    let command = strings(&[&program, "compile", "program.slang", "--target", target, "-o", "out"]);
    let mut points: Vec<(usize, Cost)> = Vec::new();
    let mut size = SIZES.0.min(shape.most / 8);
    while size <= SIZES.1.min(shape.most) {
        std::fs::write(directory.join("program.slang"), (shape.text)(size)).map_err(|e| e.to_string())?;
        let repeat = if points.last().is_some_and(|(_, c)| c.seconds > 0.2) { 1 } else { 3 };
        let cost = cost_of(repeat, &command, directory)?;
        let done = cost.seconds > limit_seconds || !cost.ok;
        points.push((size, cost));
        if done {
            break;
        }
        size *= 2;
    }
    let shown: Vec<String> = points
        .iter()
        .map(|(n, c)| {
            format!(
                "{n}: {:.0} ms {:.0} MiB{}",
                1e3 * c.cpu_seconds,
                c.kibibytes as f64 / 1024.0,
                if c.ok { "" } else { " (refused)" }
            )
        })
        .collect();
    points.retain(|(_, cost)| cost.ok);
    let exponent = exponent(&points);
    let text = exponent.map_or("too short to tell".to_owned(), |e| format!("{e:.2}"));
    let good = exponent.is_none_or(|e| e <= LIMIT);
    println!("  {target}: exponent {text}{}; {}", if good { "" } else { " (!)" }, shown.join(", "));
    Ok(good)
}

/// The slope of the least-squares line through the logarithms.
fn exponent(points: &[(usize, Cost)]) -> Option<f64> {
    let list: Vec<(f64, f64)> = points
        .iter()
        .filter(|(_, cost)| cost.cpu_seconds >= FIRST_SECONDS)
        .map(|(n, cost)| ((*n as f64).ln(), cost.cpu_seconds.ln()))
        .collect();
    let n = list.len() as f64;
    let (x, y) = (list.iter().map(|p| p.0).sum::<f64>() / n, list.iter().map(|p| p.1).sum::<f64>() / n);
    let over: f64 = list.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let under: f64 = list.iter().map(|p| (p.0 - x).powi(2)).sum();
    (list.len() >= 2).then_some(over / under)
}
