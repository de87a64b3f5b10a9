//! What is emitted is what is reflected: for random structs, the places that naga and glslang find in the texts are those of
//! the sidecar, under every layout of buffers.

use crate::measured::{Comparison, compare, covers, of_spirv, of_wgsl};
use crate::random::Random;
use crate::slots;
use crate::support::{glsl_words, wgsl_is_legal};
use rayon::prelude::*;
use shaderport::{BufferLayout, MemoryLoader, Options, Target, compile};

/// A field's type and the dimensions after its name.
fn field_type(random: &mut Random, structs: u64) -> (String, String) {
    let scalar = ["float", "float", "int", "uint", "bool"][random.below(5) as usize];
    let mut ty = match random.below(9) {
        0..=2 => scalar.to_owned(),
        3..=5 => format!("{scalar}{}", 2 + random.below(3)),
        6 | 7 if structs > 0 => format!("S{}", random.below(structs)),
        _ => {
            let order = ["", "row_major ", "column_major "][random.below(3) as usize];
            format!("{order}float{}x{}", 2 + random.below(3), 2 + random.below(3))
        }
    };
    let mut dimensions = String::new();
    // One storage order an array: the modifier belongs to the field all the same.
    if random.below(3) == 0 {
        dimensions = format!("[{}]", 1 + random.below(4));
        if random.below(4) == 0 {
            dimensions.push_str(&format!("[{}]", 1 + random.below(3)));
        }
    }
    if random.below(40) == 0 {
        ty = "float".to_owned();
    }
    (ty, dimensions)
}

fn fields(random: &mut Random, structs: u64) -> Vec<(String, String, String)> {
    let count = 1 + random.below(5);
    (0..count)
        .map(|n| {
            let (ty, dimensions) = field_type(random, structs);
            (ty, format!("f{n}"), dimensions)
        })
        .collect()
}

fn declared(fields: &[(String, String, String)], prefix: &str) -> String {
    fields.iter().map(|(ty, name, dimensions)| format!("    {ty} {prefix}{name}{dimensions};\n")).collect()
}

/// A program of a seed: structs in constant buffers and structured buffers, and members of a `cbuffer`, all of them used.
fn program(seed: u64) -> String {
    let mut random = Random::of_seed(seed);
    let mut text = String::new();
    let mut main = String::new();
    let count = 1 + random.below(3);
    for n in 0..count {
        let list = fields(&mut random, n);
        text += &format!("struct S{n}\n{{\n{}}};\n", declared(&list, ""));
        text += &format!("ConstantBuffer<S{n}> constant{n};\nRWStructuredBuffer<S{n}> items{n};\n");
        main += &format!("    items{n}[id.x] = constant{n};\n    S{n} value{n} = items{n}[id.y + 1];\n");
        for (_, name, _) in &list {
            main += &format!("    items{n}[id.z].{name} = value{n}.{name};\n");
        }
    }
    let list = fields(&mut random, count);
    text += &format!("cbuffer Members\n{{\n{}}};\n", declared(&list, "member_"));
    for (index, (ty, name, dimensions)) in list.iter().enumerate() {
        let ty = ty.rsplit(' ').next().unwrap_or(ty);
        main += &format!("    {ty} copy{index}{dimensions} = member_{name};\n");
    }
    text + &format!(
        "[shader(\"compute\")]\n[numthreads(1, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{{\n{main}}}\n"
    )
}

/// Everything that is wrong with a seed under a layout.
fn faults(seed: u64, layout: BufferLayout) -> Comparison {
    let source = program(seed);
    let loader = MemoryLoader::new().with("main.slang", &source);
    let targets = vec![Target::Hlsl, Target::Glsl, Target::Wgsl];
    let options = targets.into_iter().fold(Options::default(), Options::target).buffer_layout(layout);
    let output = compile(&loader, &["main.slang"], &options);
    let mut found = Comparison::default();
    if output.has_errors() {
        found.differences.push(output.render(false));
    }
    for (target, reflection) in &output.reflections {
        found.differences.extend(reflection.memory.iter().filter_map(|b| covers(b).err()));
        let Some(artifact) = output.artifacts.iter().find(|a| a.target == *target) else { continue };
        let text = artifact.text();
        let read = match (target, artifact.entry) {
            (Target::Wgsl, _) => wgsl_is_legal(text).and_then(|()| Ok((of_wgsl(text)?, slots::of_wgsl(text, "main")?))),
            (Target::Glsl, Some((_, stage))) => glsl_words(text, stage).map(|w| (of_spirv(&w), slots::of_spirv(&w))),
            _ => continue,
        };
        match read {
            Ok((buffers, slots)) => {
                compare(&reflection.memory, &buffers, true, &mut found);
                slots::compare(reflection, "main", &slots, &mut found);
            }
            Err(reason) => found.differences.push(format!("{}: {reason}\n{}", target.name(), artifact.text())),
        }
    }
    if !found.differences.is_empty() {
        found.differences.insert(0, format!("seed {seed}, {layout:?}:\n{source}"));
    }
    found
}

#[test]
fn what_is_emitted_is_what_is_reflected() {
    let seeds: u64 = std::env::var("READBACK_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(8);
    let jobs: Vec<(u64, BufferLayout)> =
        (0..seeds).flat_map(|seed| BufferLayout::TABLE.iter().map(move |(_, layout)| (seed, *layout))).collect();
    let results: Vec<Comparison> = jobs.into_par_iter().map(|(seed, layout)| faults(seed, layout)).collect();
    let rows: usize = results.iter().map(|r| r.rows).sum();
    assert!(rows > 500, "only {rows} rows were compared");
    let wrong: Vec<String> =
        results.iter().filter(|r| !r.differences.is_empty()).map(|r| r.differences.join("\n")).collect();
    let shown: Vec<&str> = wrong.iter().take(3).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {} programs:\n\n{}", wrong.len(), results.len(), shown.join("\n\n"));
}
