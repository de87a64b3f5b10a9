//! Positions of parameters: the numbered examples of HLSL's proposal 0024 (implicit resource binding) under the `dxc` policy, and for every fixture that what is
//! emitted equals what is reflected.

use crate::support::{files_under, root};
use shaderport::internals::options;
use shaderport::reflection::Leaf;
use shaderport::{MemoryLoader, Options, Output, Policy, Shift, Stage, Target, compile};
use std::collections::BTreeSet;

fn with_dxc(source: &str) -> Output {
    let loader = MemoryLoader::new().with("main.hlsl", source);
    let options = Options::for_target(Target::Hlsl).binding_policy(Policy::DXC).entry("main", Some(Stage::Compute));
    compile(&loader, &["main.hlsl"], &options)
}

/// `a u0, b u1 space2`.
fn registers(output: &Output) -> String {
    let leaves = output.reflections.iter().flat_map(|(_, r)| &r.leaves);
    let shown = leaves.filter_map(|l| {
        let space = l.space.filter(|s| *s > 0).map_or(String::new(), |s| format!(" space{s}"));
        Some(format!("{} {}{}{space}", l.path, l.class?, l.index?))
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// (example of the proposal, declarations, body of `main`, registers, or a part of the error). Members of structs lie in order
/// of declaration and arrays whole, as the document proposes.
const IMPLICIT_BINDINGS: &[(&str, &str, &str, Result<&str, &str>)] = &[
    (
        "1.1, with C unused",
        "RWBuffer<float> A : register(u0); RWBuffer<float> B; RWBuffer<float> C : register(u2); RWBuffer<float> D;",
        "A[0] = D[0] + B[0];",
        Ok("A u0, B u1, D u2"),
    ),
    (
        "1.1, with C used",
        "RWBuffer<float> A : register(u0); RWBuffer<float> B; RWBuffer<float> C : register(u2); RWBuffer<float> D;",
        "A[0] = D[0] + B[0] + C[0];",
        Ok("A u0, B u1, C u2, D u3"),
    ),
    (
        "1.2",
        "RWBuffer<float> A : register(u0); RWBuffer<float> C : register(u2);
         struct S { RWBuffer<float> B; RWBuffer<float> D; } s;",
        "A[0] = s.D[0] + s.B[0];",
        Ok("A u0, s.B u1, s.D u2"),
    ),
    (
        "2.1",
        "RWBuffer<float> A : register(u2); RWBuffer<float> B[4]; RWBuffer<float> C[2];
         RWBuffer<float> D[50] : register(u6); RWBuffer<float> E[2];",
        "A[0] = E[1][0] + C[1][0] + B[1][0];",
        Ok("A u2, B u3, C u0, E u7"),
    ),
    (
        "2.2",
        "struct S { RWBuffer<float> B[4]; RWBuffer<float> C[2]; RWBuffer<float> E[3]; };
         RWBuffer<float> A : register(u2); S s;",
        "A[0] = s.E[2][0] + s.C[1][0] + s.B[3][0] + s.E[1][0];",
        Ok("A u2, s.B u3, s.C u7, s.E u9"),
    ),
    (
        "2.3: whole ranges overlap",
        "RWBuffer<float> A : register(u0); struct S { RWBuffer<float> D[3]; };
         S s1[2] : register(u0); S s2[2] : register(u1); RWBuffer<float> B;",
        "A[0] = s1[0].D[1][0] + s2[1].D[1][0] + B[0];",
        Err("the positions of `s1` and `A` overlap: u0 to u5"),
    ),
    (
        "2.4: an array in a struct is one as any other",
        "RWBuffer<float> A[10]; struct S { RWBuffer<float> B[10]; } s;",
        "for (int i = 0; i < 5; i++) { A[i][0] = 1.0; s.B[i][0] = 1.0; }",
        Ok("A u0, s.B u10"),
    ),
    (
        "3.1",
        "RWBuffer<float> A : register(u1); RWBuffer<float> B[]; RWBuffer<float> C : register(u5); RWBuffer<float> D[3];",
        "A[0] = D[2][0] + C[0] + B[10][0];",
        Ok("A u1, B u6, C u5, D u2"),
    ),
    (
        "3.2",
        "RWBuffer<float> A : register(u1); RWBuffer<float> B[]; RWBuffer<float> C : register(u5); RWBuffer<float> D[4];",
        "A[0] = D[2][0] + C[0] + B[10][0];",
        Err("`B` takes u6 and all above it in space 0"),
    ),
    (
        "3.3",
        "RWBuffer<float> A : register(u1); RWBuffer<float> D[4]; RWBuffer<float> B[]; RWBuffer<float> C : register(u5);",
        "A[0] = D[2][0] + C[0] + B[10][0];",
        Ok("A u1, D u6, B u10, C u5"),
    ),
    ("3.4", "RWBuffer<float> C[]; RWBuffer<float> D[];", "D[10][0] = C[20][2];", Err("no room for `D`")),
    (
        "4.1",
        "RWBuffer<float> A : register(u0, space1); RWBuffer<float> B[10];
         RWBuffer<float> C[5][4] : register(u10, space5); RWBuffer<float> D;",
        "A[0] = D[0] + C[3][3][0] + B[5][0];",
        Ok("A u0 space1, B u0, C u10 space5, D u10"),
    ),
    (
        "5.1",
        "RWBuffer<float> A : register(u1); RWBuffer<float> B[]; RWBuffer<float> C[3] : register(space1);
         RWBuffer<float> D : register(space1);",
        "A[0] = C[2][0] + D[0] + B[10][0];",
        Ok("A u1, B u2, C u0 space1, D u3 space1"),
    ),
    (
        "6.1",
        "struct S { RWBuffer<float> D; };
         RWBuffer<float> A; RWBuffer<float> B[10] : register(u0); RWBuffer<float> C : register(u2);
         S s : register(u5); RWBuffer<float> E[5];
         void foo() { B[2][0] = 1.0; }
         bool bar(int i) { return i > 10; }",
        "if (false) { C[0] = 1.0; }
         for (int i = 0; i < 5; i++) {
             if (i > 6) s.D[0] = 1.0;
             if (bar(i)) foo();
             if (bar(gi.x)) A[0] = E[2][i];
         }",
        Ok("A u0, E u1"),
    ),
];

#[test]
fn examples_of_implicit_bindings() {
    for (name, declarations, body, expected) in IMPLICIT_BINDINGS {
        let source = format!("{declarations}\n[numthreads(4, 1, 1)]\nvoid main(uint3 gi : SV_GroupID) {{ {body} }}\n");
        let output = with_dxc(&source);
        match expected {
            Ok(expected) => assert_eq!(registers(&output), *expected, "{name}\n{}", output.render(false)),
            Err(part) => {
                assert!(output.has_errors(), "{name} compiles");
                assert!(output.render(false).contains(part), "{name}: {}", output.render(false));
            }
        }
    }
}

/// (declarations, what reads them, registers): random programs with what DXC 1.7 gives them.
const AS_DXC: &[(&str, &str, &str)] = &[
    (
        "Texture2D<float4> r0; RWBuffer<float> r1; SamplerState r2[6] : register(s3); ConstantBuffer<S> r3; Texture2D<float4> r4 : register(space1); SamplerState r5; Texture2D<float4> r6 : register(t12); Texture2D<float4> r7[1][2];",
        "s += r0.Load(int3(0,0,0)).x; s += r1[0]; s += TT.SampleLevel(r2[4], float2(0,0), 0).x; s += r3.x; s += r4.Load(int3(0,0,0)).x; s += r6.Load(int3(0,0,0)).x;",
        "r0 t0, r1 u0, r2 s3, r3 b0, r4 t0 space1, r6 t12",
    ),
    (
        "ConstantBuffer<S> r0 : register(b4, space1); Texture2D<float4> r1; ConstantBuffer<S> r2 : register(b14); SamplerState r3; Texture2D<float4> r4[]; Texture2D<float4> r5 : register(t14); ConstantBuffer<S> r6[2][2]; ConstantBuffer<S> r7;",
        "s += r0.x; s += r1.Load(int3(0,0,0)).x; s += r2.x; s += TT.SampleLevel(r3, float2(0,0), 0).x; s += r4[7].Load(int3(0,0,0)).x; s += r6[1][1].x; s += r7.x;",
        "r0 b4 space1, r1 t0, r2 b14, r3 s0, r4 t901, r6 b0, r7 b4",
    ),
    (
        "RWBuffer<float> r0 : register(space2); Texture2D<float4> r1[3][2]; RWBuffer<float> r2[1] : register(u7); SamplerState r3;",
        "s += r0[0]; s += r1[2][1].Load(int3(0,0,0)).x; s += r2[0][0]; s += TT.SampleLevel(r3, float2(0,0), 0).x;",
        "r0 u0 space2, r1 t0, r2 u7, r3 s0",
    ),
    (
        "Texture2D<float4> r0; RWBuffer<float> r1[1][3]; Texture2D<float4> r2[2]; Texture2D<float4> r3 : register(t3); Texture2D<float4> r4[]; RWBuffer<float> r5[1][3];",
        "s += r0.Load(int3(0,0,0)).x; s += r1[0][2][0]; s += r2[1].Load(int3(0,0,0)).x; s += r3.Load(int3(0,0,0)).x; s += r4[7].Load(int3(0,0,0)).x;",
        "r0 t0, r1 u0, r2 t1, r3 t3, r4 t4",
    ),
    (
        "Texture2D<float4> r0[1] : register(t1, space2); Texture2D<float4> r1[6] : register(t13); RWBuffer<float> r2; RWBuffer<float> r3[]; ConstantBuffer<S> r4;",
        "s += r0[0].Load(int3(0,0,0)).x; s += r1[1].Load(int3(0,0,0)).x; s += r2[0]; s += r3[7][0]; s += r4.x;",
        "r0 t1 space2, r1 t13, r2 u0, r3 u801, r4 b0",
    ),
    (
        "SamplerState r0 : register(s9); RWBuffer<float> r1[3]; RWBuffer<float> r2; RWBuffer<float> r3 : register(u4, space2); Texture2D<float4> r4[4]; RWBuffer<float> r5[2] : register(u3); Texture2D<float4> r6[5] : register(space0); Texture2D<float4> r7;",
        "s += TT.SampleLevel(r0, float2(0,0), 0).x; s += r1[0][0]; s += r2[0]; s += r3[0]; s += r4[0].Load(int3(0,0,0)).x; s += r6[0].Load(int3(0,0,0)).x; s += r7.Load(int3(0,0,0)).x;",
        "r0 s9, r1 u0, r2 u3, r3 u4 space2, r4 t0, r6 t4, r7 t9",
    ),
    (
        "RWBuffer<float> r0 : register(space0); Texture2D<float4> r1; Texture2D<float4> r2[2][2]; SamplerState r3 : register(s8); Texture2D<float4> r4[2]; Texture2D<float4> r5; Texture2D<float4> r6[1]; Texture2D<float4> r7 : register(t0, space2); ConstantBuffer<S> r8 : register(b14);",
        "s += r0[0]; s += r1.Load(int3(0,0,0)).x; s += r2[1][1].Load(int3(0,0,0)).x; s += TT.SampleLevel(r3, float2(0,0), 0).x; s += r4[0].Load(int3(0,0,0)).x; s += r6[0].Load(int3(0,0,0)).x; s += r7.Load(int3(0,0,0)).x; s += r8.x;",
        "r0 u0, r1 t0, r2 t1, r3 s8, r4 t5, r6 t7, r7 t0 space2, r8 b14",
    ),
    (
        "ConstantBuffer<S> r0; Texture2D<float4> r1[3][3]; ConstantBuffer<S> r2; RWBuffer<float> r3 : register(u1, space1); SamplerState r4; SamplerState r5 : register(space0); Texture2D<float4> r6; SamplerState r7 : register(space1); SamplerState r8;",
        "s += r0.x; s += r2.x; s += r3[0]; s += TT.SampleLevel(r4, float2(0,0), 0).x; s += TT.SampleLevel(r5, float2(0,0), 0).x; s += r6.Load(int3(0,0,0)).x; s += TT.SampleLevel(r7, float2(0,0), 0).x; s += TT.SampleLevel(r8, float2(0,0), 0).x;",
        "r0 b0, r2 b1, r3 u1 space1, r4 s0, r5 s1, r6 t0, r7 s0 space1, r8 s2",
    ),
    (
        "Texture2D<float4> r0 : register(t7); SamplerState r1 : register(s5); ConstantBuffer<S> r2; Texture2D<float4> r3; RWBuffer<float> r4[]; RWBuffer<float> r5 : register(u1); RWBuffer<float> r6[5];",
        "s += r0.Load(int3(0,0,0)).x; s += r2.x; s += r3.Load(int3(0,0,0)).x; s += r4[7][0]; s += r5[0]; s += r6[2][0];",
        "r0 t7, r2 b0, r3 t0, r4 u801, r5 u1, r6 u2",
    ),
    (
        "Texture2D<float4> r0 : register(t2, space1); RWBuffer<float> r1; RWBuffer<float> r2; Texture2D<float4> r3[1] : register(t3); ConstantBuffer<S> r4 : register(b3, space2); Texture2D<float4> r5; Texture2D<float4> r6 : register(t4, space2); RWBuffer<float> r7[3] : register(u2, space2); SamplerState r8[2] : register(space0);",
        "s += r1[0]; s += r2[0]; s += r3[0].Load(int3(0,0,0)).x; s += r4.x; s += r6.Load(int3(0,0,0)).x; s += r7[0][0];",
        "r1 u0, r2 u1, r3 t3, r4 b3 space2, r6 t4 space2, r7 u2 space2",
    ),
    (
        "Texture2D<float4> r0 : register(space0); Texture2D<float4> r1[2][1] : register(space1); RWBuffer<float> r2[1][1] : register(u2); ConstantBuffer<S> r3; Texture2D<float4> r4;",
        "s += r0.Load(int3(0,0,0)).x; s += r1[1][0].Load(int3(0,0,0)).x; s += r2[0][0][0]; s += r3.x; s += r4.Load(int3(0,0,0)).x;",
        "r0 t0, r1 t0 space1, r2 u2, r3 b0, r4 t1",
    ),
    (
        "Texture2D<float4> r0[6]; ConstantBuffer<S> r1 : register(b3, space2); Texture2D<float4> r2[] : register(t2, space1); SamplerState r3 : register(s4, space2); ConstantBuffer<S> r4; Texture2D<float4> r5[1]; Texture2D<float4> r6[5]; RWBuffer<float> r7[6] : register(u14);",
        "s += r0[4].Load(int3(0,0,0)).x; s += r1.x; s += TT.SampleLevel(r3, float2(0,0), 0).x; s += r4.x; s += r5[0].Load(int3(0,0,0)).x; s += r7[3][0];",
        "r0 t0, r1 b3 space2, r3 s4 space2, r4 b0, r5 t6, r7 u14",
    ),
    (
        "ConstantBuffer<S> r0; SamplerState r1[3] : register(s0); RWBuffer<float> r2 : register(u11); RWBuffer<float> r3 : register(u6); SamplerState r4; Texture2D<float4> r5[]; Texture2D<float4> r6[3][3];",
        "s += r0.x; s += TT.SampleLevel(r1[1], float2(0,0), 0).x; s += r2[0]; s += r3[0]; s += TT.SampleLevel(r4, float2(0,0), 0).x; s += r5[7].Load(int3(0,0,0)).x; s += r6[2][2].Load(int3(0,0,0)).x;",
        "r0 b0, r1 s0, r2 u11, r3 u6, r4 s3, r5 t901, r6 t0",
    ),
    (
        "RWBuffer<float> r0[4] : register(u3); RWBuffer<float> r1 : register(space0); RWBuffer<float> r2; RWBuffer<float> r3; SamplerState r4; RWBuffer<float> r5; RWBuffer<float> r6;",
        "s += r1[0]; s += r3[0]; s += TT.SampleLevel(r4, float2(0,0), 0).x; s += r5[0]; s += r6[0];",
        "r1 u0, r3 u1, r4 s0, r5 u2, r6 u3",
    ),
];

#[test]
fn registers_are_those_of_dxc() {
    for (declarations, body, expected) in AS_DXC {
        let source = format!(
            "struct S {{ float x; }}; Texture2D<float4> TT : register(t900);\n{declarations}\nRWBuffer<float> OUT : register(u800);
            [numthreads(1, 1, 1)] void main() {{ float s = 0; {body} OUT[0] = s; }}\n"
        );
        let output = with_dxc(&source);
        let all = registers(&output);
        let found = all.split(", ").filter(|r| !r.starts_with("OUT ") && !r.starts_with("TT "));
        assert_eq!(found.collect::<Vec<_>>().join(", "), *expected, "{source}\n{}", output.render(false));
    }
}

#[test]
fn writes_make_counters_unknown() {
    let source = "RWBuffer<float> a; RWBuffer<float> b; RWBuffer<float> c;
        void more(inout int i) { i += 9; }
        [numthreads(1, 1, 1)] void main() {
            for (int i = 0; i < 5; i++) { more(i); if (i > 6) a[0] = 1; }
            for (int j = 0; j < 5; j++) { if (j > 6) b[0] = 1; }
            for (int k = 0; k < 5; k++) { k = 3 * k; if (k > 6) c[0] = 1; }
        }";
    assert_eq!(registers(&with_dxc(source)), "a u0, c u1");
}

#[test]
fn each_half_of_a_combined_sampler_without_bound_has_a_space() {
    let source = "Sampler2D a[]; Texture2D b[]; RWStructuredBuffer<float4> o;
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
            o[0] = a[id.x].SampleLevel(float2(0, 0), 0) + b[id.x].Load(int3(0, 0, 0));
        }";
    let loader = MemoryLoader::new().with("main.slang", source);
    let output = compile(&loader, &["main.slang"], &Options::for_target(Target::Hlsl));
    assert_eq!(registers(&output), "a t0 space1, a s0 space2, b t0 space3, o u0", "{}", output.render(false));
    let text = output.artifacts.first().map_or("", |a| a.text());
    assert!(text.contains("register(s0, space2)") && text.contains("register(t0, space3)"), "{text}");
}

/// The declarations of a text that say a position, each with all of its block.
fn placed_declarations(text: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let places = ["register(", "binding = ", "@binding("].iter().any(|w| line.contains(w));
        if places {
            list.push(line.to_owned());
        } else if open && let Some(last) = list.last_mut() {
            *last += line;
        }
        let closed = line.trim_start().starts_with('}') || line.ends_with(';') && places;
        open = (open || places) && !closed;
    }
    list
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).any(|w| w == word)
}

/// How a target says the position of a leaf.
fn position(target: Target, profile: &str, leaf: &Leaf) -> Option<String> {
    if leaf.kind == "inputAttachmentIndex" {
        let number = leaf.index.filter(|_| target == Target::Glsl)?;
        return Some(format!("input_attachment_index = {number})"));
    }
    // OpenGL has no spaces.
    let unit = ["constantBuffer", "shaderResource", "unorderedAccess"].contains(&leaf.kind.as_str());
    let (index, space) = (leaf.index?, leaf.space.or(unit.then_some(0))?);
    Some(match (target, leaf.class) {
        (Target::Hlsl, Some(class)) if space == 0 => format!("register({class}{index})"),
        (Target::Hlsl, Some(class)) => format!("register({class}{index}, space{space})"),
        // The application finds resources by their names.
        (Target::Glsl, _) if profile == "glsl_330" || profile == "glsl_es_300" => return None,
        (Target::Glsl, _) if unit => format!("binding = {index}"),
        (Target::Glsl, _) => format!("set = {space}, binding = {index}"),
        (Target::Wgsl, _) => format!("@binding({index}) @group({space})"),
        _ => return None,
    })
}

#[test]
fn what_is_emitted_is_what_is_reflected() {
    let mut compared = 0;
    for path in files_under(&root().join("tests/fixtures"), &["md"]) {
        let text = std::fs::read_to_string(&path).expect("a page");
        let Ok(page) = crate::page::parse(&text) else { continue };
        let output = crate::page::compile_page(&page);
        for (target, reflection) in &output.reflections {
            let texts: Vec<&str> = output.artifacts.iter().filter(|a| a.target == *target).map(|a| a.text()).collect();
            let declarations: Vec<String> = texts.iter().flat_map(|t| placed_declarations(t)).collect();
            for leaf in &reflection.leaves {
                let (Some(name), Some(place)) = (&leaf.emitted_name, position(*target, &reflection.profile, leaf))
                else {
                    continue;
                };
                compared += 1;
                let said = declarations.iter().any(|d| d.contains(&place) && has_word(d, name));
                let page = path.display();
                assert!(
                    said,
                    "{page}: {} is reflected at {place}, but the text says\n{}",
                    leaf.path,
                    declarations.join("\n")
                );
            }
        }
    }
    assert!(compared > 100, "{compared} positions were compared");
}

#[test]
fn emitted_locations_are_reflected() {
    let mut compared = 0;
    for path in files_under(&root().join("tests/fixtures"), &["md"]) {
        let text = std::fs::read_to_string(&path).expect("a page");
        let Ok(page) = crate::page::parse(&text) else { continue };
        let output = crate::page::compile_page(&page);
        let glsl = output.reflections.iter().filter(|(t, _)| *t == Target::Glsl);
        for (entry, leaves) in glsl.flat_map(|(_, r)| r.entry_points.iter().map(|e| (e, &r.leaves))) {
            let mut reflected = BTreeSet::new();
            for (kind, word) in [("varyingInput", "in"), ("varyingOutput", "out")] {
                let own = leaves.iter().filter(|l| l.kind == kind && l.entry_points.contains(&entry.name));
                reflected.extend(own.flat_map(crate::slots::locations_of).map(|at| (word, at)));
            }
            let artifacts = output.artifacts.iter().filter(|a| a.target == Target::Glsl);
            let mut artifacts = artifacts.filter(|a| a.entry.is_some_and(|(name, _)| *name.as_str() == *entry.name));
            let Some(artifact) = artifacts.next() else { continue };
            let located = |l: &&str| l.contains("layout(location = ") && (l.contains(" in ") || l.contains(" out "));
            for line in artifact.text().lines().filter(located) {
                let word = if line.contains(" in ") { "in" } else { "out" };
                let number: String =
                    line.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
                compared += 1;
                let at = number.parse().expect("a number");
                let said = reflected.contains(&(word, at));
                assert!(said, "{}: {}: {line}\nreflected: {reflected:?}", path.display(), entry.name);
            }
        }
    }
    assert!(compared > 50, "{compared} locations were compared");
}

#[test]
fn options_of_positions_are_read() {
    let parse = str::parse::<Shift>;
    let shift = parse("t=100,s=7").expect("two classes");
    assert_eq!(shift.get(shaderport::internals::layout::Unit::Sampler), Some(7));
    assert_eq!(parse("t=1,t=2"), Err("`t` is shifted twice".to_owned()));
    assert!(parse("t=4294967296").is_err() && parse("t=-1").is_err() && parse("").is_err());
    assert!(parse("x=1").is_err() && parse("t").is_err() && parse("tt=1").is_err());
    assert_eq!(options::binding("3,1"), Ok((3, 1)));
    assert!(options::binding("a").is_err());
}
