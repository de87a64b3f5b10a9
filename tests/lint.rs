//! `--lint layout` gives advice that works: followed in the source to the letter, nothing is left to be told.

use crate::random::Random;
use shaderport::{Code, Lint, MemoryLoader, Options, Severity, Target, compile};

/// A struct as the test writes it: its name and (modifiers, type, name, dimensions) of its fields.
type Struct = (String, Vec<[String; 4]>);

/// Some structs, the later ones with fields of earlier ones.
fn structs(random: &mut Random) -> Vec<Struct> {
    let mut list: Vec<Struct> = Vec::new();
    for index in 0..=random.below(3) {
        let mut fields = Vec::new();
        for field in 0..=random.below(5) {
            let scalar = random.one_of(&["float", "float", "int", "half", "double", "uint"]);
            let (mut modifier, mut ty) = ("", scalar.to_owned());
            match random.below(6) {
                0 | 1 => ty = format!("{scalar}{}", 2 + random.below(3)),
                2 => {
                    modifier = random.one_of(&["", "row_major ", "column_major "]);
                    ty = format!("float{}x{}", 2 + random.below(3), 2 + random.below(3));
                }
                3 if index > 0 => ty = format!("S{}", random.below(index)),
                _ => {}
            }
            let dimensions = if random.below(3) == 0 { format!("[{}]", 1 + random.below(4)) } else { String::new() };
            fields.push([modifier.to_owned(), ty, format!("f{field}"), dimensions]);
        }
        list.push((format!("S{index}"), fields));
    }
    list
}

fn source(structs: &[Struct], container: &str) -> String {
    let mut text = String::new();
    for (name, fields) in structs {
        let fields: String = fields.iter().map(|[m, t, n, d]| format!("    {m}{t} {n}{d};\n")).collect();
        text.push_str(&format!("struct {name}\n{{\n{fields}}};\n\n"));
    }
    let last = structs.last().map_or("float4", |(name, _)| name.as_str());
    text.push_str(&format!("{container}<{last}> data;\nRWStructuredBuffer<uint> o;\n\n"));
    text + "[shader(\"compute\")]\n[numthreads(1, 1, 1)]\nvoid main()\n{\n    o[0] = 1;\n}\n"
}

/// The warnings: which struct, and the advice.
fn warnings(text: &str) -> Vec<(String, String)> {
    let loader = MemoryLoader::new().with("main.slang", text);
    let options = Options::for_target(Target::Hlsl).lint(Lint::Layout);
    let output = compile(&loader, &["main.slang"], &options);
    let told = output.diagnostics.iter().filter(|d| d.code == Code::BAD_LAYOUT);
    assert!(output.diagnostics.iter().all(|d| d.severity != Severity::Error), "{}\n{text}", output.render(false));
    let name = |message: &str| message.split('`').nth(1).unwrap_or_default().to_owned();
    told.map(|d| (name(&d.message), d.notes.first().cloned().unwrap_or_default())).collect()
}

/// Does what a note says: "this makes them agree: 2 `float` before `f1`, `float4[2]` as the type of `f2`, 1 `float` at the end".
fn follow(fields: &mut Vec<[String; 4]>, advice: &str) {
    let Some((_, edits)) = advice.split_once("agree: ") else { return };
    for edit in edits.split(", ") {
        let quoted: Vec<&str> = edit.split('`').skip(1).step_by(2).collect();
        let place = |fields: &[[String; 4]], name: &str| fields.iter().position(|f| f[2] == name).expect("a field");
        if edit.contains("as the type of") {
            let at = place(fields, quoted[1]);
            fields[at][1] = quoted[0].to_owned();
            fields[at][3].clear();
            continue;
        }
        let count: usize = edit.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        let at = if edit.ends_with("at the end") { fields.len() } else { place(fields, quoted[1]) };
        for n in 0..count {
            let name = format!("padding{}_{n}", fields.len());
            fields.insert(at, [String::new(), quoted[0].to_owned(), name, String::new()]);
        }
    }
}

#[test]
fn advice_that_is_followed_leaves_nothing_to_tell() {
    let mut told = 0;
    for seed in 0..120 {
        for container in ["ConstantBuffer", "StructuredBuffer"] {
            let mut structs = structs(&mut Random(seed * 7919 + 13));
            let before = source(&structs, container);
            let warnings_before = warnings(&before);
            told += warnings_before.len();
            for (name, advice) in &warnings_before {
                assert!(advice.contains("agree"), "{advice}");
                assert!(!advice.starts_with("no padding"), "`{name}`: {advice}\n{before}");
                let found = structs.iter_mut().find(|(n, _)| n == name).expect("a struct");
                follow(&mut found.1, advice);
            }
            let after = source(&structs, container);
            let left = warnings(&after);
            assert!(left.is_empty(), "seed {seed}: {left:?}\nadvice: {warnings_before:?}\n{before}\n{after}");
        }
    }
    assert!(told > 100, "only {told} warnings: the programs are too simple");
}
