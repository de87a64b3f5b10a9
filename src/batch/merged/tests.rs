//! Texts are made of what stands in all variants and of what stands in some, and merged again.

use super::proof::chosen_lines;
use super::*;

/// Axes with their values; `-` leaves a macro undefined.
const AXES: &[(&str, &[&str])] = &[
    ("SHADOWS", &["0", "1"]),
    ("QUALITY", &["low", "mid", "high"]),
    ("FOG", &["-", "1"]),
    ("COUNT", &["1", "2", "4"]),
    ("TYPE", &["half", "1.0", "float"]),
];

/// A sequence of numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A part of a program.
enum Part {
    Line(String),
    Block(String, Vec<Part>),
    /// Stands in the variants of which an axis has one of the values.
    If(usize, Vec<usize>, Vec<Part>),
}

fn parts(random: &mut Random, axes: &[(&str, &[&str])], depth: usize, count: &mut usize, repeats: bool) -> Vec<Part> {
    (0..1 + random.below(5))
        .map(|_| {
            *count += 1;
            let name = if repeats { *count % 3 } else { *count };
            match random.below(if depth < 3 { 6 } else { 3 }) {
                0 | 1 => Part::Line(format!("x{name} = 1;")),
                2 => Part::Line(format!("// About {name}.")),
                3 => Part::Block(format!("if (c{name})"), parts(random, axes, depth + 1, count, repeats)),
                _ => {
                    let axis = random.below(axes.len());
                    let some = (0..axes[axis].1.len()).filter(|_| random.below(2) == 0).collect();
                    Part::If(axis, some, parts(random, axes, depth + 1, count, repeats))
                }
            }
        })
        .collect()
}

fn text_of(parts: &[Part], axes: &[(&str, &[&str])], variant: &Variant, indent: usize, out: &mut String) {
    let spaces = " ".repeat(4 * indent);
    for part in parts {
        match part {
            Part::Line(line) => out.push_str(&format!("{spaces}{line}\n")),
            Part::Block(head, inner) => {
                out.push_str(&format!("{spaces}{head}\n{spaces}{{\n"));
                text_of(inner, axes, variant, indent + 1, out);
                out.push_str(&format!("{spaces}}}\n"));
            }
            Part::If(axis, values, inner) => {
                let value = variant[*axis].1.as_deref().unwrap_or("-");
                if values.iter().any(|at| axes[*axis].1[*at] == value) {
                    text_of(inner, axes, variant, indent, out);
                }
            }
        }
    }
}

fn variants(axes: &[(&str, &[&str])]) -> Vec<Variant> {
    let mut variants: Vec<Variant> = vec![Vec::new()];
    for (name, values) in axes {
        let value = |value: &&str| (*value != "-").then(|| (*value).to_owned());
        let with = |variant: &Variant| {
            let all = values.iter().map(|v| variant.iter().cloned().chain([((*name).to_owned(), value(v))]).collect());
            all.collect::<Vec<Variant>>()
        };
        variants = variants.iter().flat_map(with).collect();
    }
    variants
}

/// Equal texts with their variants.
fn flat(texts: &[String]) -> Vec<FlatText<'_>> {
    let mut flat: Vec<FlatText> = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        match flat.iter_mut().find(|known| known.text == text) {
            Some(known) => known.variants.push(at),
            None => flat.push(FlatText { text, variants: vec![at] }),
        }
    }
    flat
}

const FORMS: [Conditionals; 2] = [Conditionals::Directives, Conditionals::Attributes];

fn merge_all(form: Conditionals, variants: &[Variant], texts: &[String]) -> Result<Merged, String> {
    merged(form, variants, &BTreeSet::new(), &flat(texts))
}

/// Merges texts of random programs, some of whose variants are not built.
fn check(form: Conditionals, seed: u64, repeats: bool) {
    let mut random = Random(seed);
    let axes: Vec<_> = AXES.iter().copied().filter(|_| random.below(2) == 0).collect();
    if axes.is_empty() {
        return;
    }
    let parts = parts(&mut random, &axes, 0, &mut 0, repeats);
    let mut variants = variants(&axes);
    variants.retain(|_| random.below(8) > 0);
    let text = |variant: &Variant| {
        let head = match form {
            Conditionals::Directives => "#version 460\n\n// A file.\n\nvoid main()\n{\n",
            Conditionals::Attributes => "// A file.\n\n@compute\nfn main()\n{\n",
        };
        let mut out = String::from(head);
        text_of(&parts, &axes, variant, 1, &mut out);
        out + "}\n"
    };
    let texts: Vec<String> = variants.iter().map(text).collect();
    let Merged { text, defines, .. } = merge_all(form, &variants, &texts).unwrap_or_else(|why| panic!("{seed}: {why}"));
    let lines: Vec<&str> = text.lines().collect();
    let is_condition = |line: &str| ["@if", "@elif", "@else"].iter().any(|word| line.trim().starts_with(word));
    let is_code = |line: &&str| {
        !line.is_empty() && !line.starts_with('#') && !line.trim().starts_with("//") && !is_condition(line)
    };
    for (flat, defines) in texts.iter().zip(&defines) {
        let chosen: Vec<&str> =
            chosen_lines(form, &text, defines).iter().map(|at| lines[*at]).filter(is_code).collect();
        assert_eq!(chosen, flat.lines().filter(is_code).collect::<Vec<_>>(), "{seed}\n{text}");
    }
    // What differs from all else stands once.
    if !repeats {
        let mut code: Vec<&str> = lines
            .iter()
            .copied()
            .filter(|line| line.ends_with([';', ')']))
            .filter(|line| !is_condition(line))
            .collect();
        let all = code.len();
        code.sort_unstable();
        code.dedup();
        assert_eq!(code.len(), all, "{seed}\n{text}");
    }
}

#[test]
fn random_programs_are_merged() {
    FORMS.into_iter().for_each(|form| (0..60).for_each(|seed| check(form, seed, false)));
}

#[test]
fn lines_may_be_there_several_times() {
    FORMS.into_iter().for_each(|form| (0..60).for_each(|seed| check(form, seed, true)));
}

fn two(texts: [&str; 2], values: [&str; 2]) -> Result<String, String> {
    let variants = variants(&[("Q", &values)]);
    merge_all(Conditionals::Directives, &variants, &texts.map(str::to_owned)).map(|merged| merged.text)
}

/// The text of three variants, with `@if`.
fn three(texts: [&str; 3]) -> Result<String, String> {
    let variants = variants(&[("Q", &["low", "mid", "high"])]);
    merge_all(Conditionals::Attributes, &variants, &texts.map(str::to_owned)).map(|merged| merged.text)
}

/// Each node has its attribute; alternatives of one node each are one choice.
#[test]
fn attributes_stand_before_nodes() {
    let text = three([
        "import package::inc::a::{\n    b,\n};\nstruct S {\n    a: f32,\n}\nfn f() {\n    x;\n    same;\n    y;\n    z;\n}\n",
        "struct S {\n    a: f32,\n    b: vec2<f32>,\n}\nfn f() {\n    u;\n    same;\n    // More.\n    v;\n}\n",
        "struct S {\n    a: f32,\n}\nfn f() {\n    w;\n    same;\n}\n",
    ]);
    let expected = "@if(Q_low)\nimport package::inc::a::{\n    b,\n};\nstruct S {\n    a: f32,\n    @if(Q_mid)\n    b: vec2<f32>,\n}\n\
        fn f() {\n    @if(Q_low)\n    x;\n    @elif(Q_mid)\n    u;\n    @else\n    w;\n    same;\n    @if(Q_low)\n    y;\n    \
        @if(Q_low)\n    z;\n    // More.\n    @if(Q_mid)\n    v;\n}\n";
    assert_eq!(text.as_deref(), Ok(expected));
    let why = three(["@if(A) a;\n", "b;\n", "c;\n"]).expect_err("a reason");
    assert_eq!(why, "a text has `@if` of its own");
}

/// A text's own macro of the name of an axis comes from outside, or has another name.
#[test]
fn macros_of_axes() {
    let same = two(["#define Q 1\nx = Q;\n", "#define Q 2\nx = Q;\n"], ["1", "2"]);
    assert_eq!(same.as_deref(), Ok("#ifndef Q\n#define Q 1\n#endif\n\nx = Q;\n"));
    let other = two(["#define Q 1.0\nx = Q;\n", "#define Q 2.0\nx = Q;\n"], ["1", "2"]);
    let expected = "#ifndef Q\n#define Q 1\n#endif\n\n#if Q == 1\n#define Q_VALUE 1.0\n#else\n#define Q_VALUE 2.0\n#endif\nx = Q_VALUE;\n";
    assert_eq!(other.as_deref(), Ok(expected));
}

/// Defaults stand behind extensions, but before what asks for macros of axes.
#[test]
fn defaults_stand_behind_extensions() {
    let text = two(
        [
            "#version 460\n#extension A : require\n\n// A file.\n\na;\n",
            "#version 460\n#extension A : require\n#extension B : require\n\n// A file.\n\nb;\n",
        ],
        ["0", "1"],
    );
    let expected = "#version 460\n#extension A : require\n\n#ifndef Q\n#define Q 0\n#endif\n\n#if Q\n#extension B : require\n#endif\n\n\
        // A file.\n\n#if Q\nb;\n#else\na;\n#endif\n";
    assert_eq!(text.as_deref(), Ok(expected));
}

#[test]
fn what_cannot_be_merged_says_why() {
    let why = |texts, values| two(texts, values).expect_err("a reason");
    assert_eq!(why(["#if 1\n#endif\n", "b;\n"], ["1", "2"]), "a text has `#if` of its own");
    assert!(why(["#version 450\na;\n", "#version 460\na;\n"], ["1", "2"]).contains("versions of the language"));
    // A variable of the name of a macro would be replaced.
    assert!(why(["a = Q;\n", "b;\n"], ["1", "2"]).contains("would not be right with Q=1"));
}

#[test]
fn a_comment_alone_has_no_condition() {
    assert_eq!(two(["// Here.\na;\n", "a;\n"], ["0", "1"]).as_deref(), Ok("// Here.\na;\n"));
    let text = two(["// Here.\na;\nb;\n", "b;\n"], ["0", "1"]);
    assert_eq!(text.as_deref(), Ok("#ifndef Q\n#define Q 0\n#endif\n\n#if !Q\n// Here.\na;\n#endif\nb;\n"));
}
