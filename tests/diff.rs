//! `shaderport diff`: what each edit of a source changes in its interface, exit codes, and what is no sidecar.

use crate::random::Random;
use crate::support::{shaderport, tree};
use shaderport::internals::reflect::diff::{ChangeKind, Diff, Subject, diff};
use shaderport::reflection::Reflection;
use shaderport::{MemoryLoader, Options, Target, compile};
use std::collections::BTreeMap;

const SOURCE: &str = "
struct Pair { Texture2D a; Texture2D b; };
Pair gPairs[8];
float gScale;
cbuffer Frame { float4x4 view; float3 eye; float time; };
struct Item { float3 at; float weight; };
StructuredBuffer<Item> items;
RWStructuredBuffer<float> result;
[shader(\"compute\")] [numthreads(8, 4, 1)]
void main(uint3 id : SV_DispatchThreadID, uniform float4 tint) { result[0] = gScale + time + tint.x; }
[shader(\"vertex\")]
float4 vs(float3 position : POSITION, float2 uv : TEXCOORD1) : SV_Position { return float4(position, uv.x); }
";

fn sidecar(source: &str, target: Target) -> Reflection {
    let loader = MemoryLoader::new().with("a.slang", source);
    let output = compile(&loader, &["a.slang"], &Options::for_target(target));
    assert!(!output.has_errors(), "{}", output.render(false));
    output.reflections.into_iter().next().expect("a sidecar").1
}

/// The changes that an edit makes, as `kind path`.
fn changes(from: &str, to: &str, target: Target) -> Vec<String> {
    assert!(SOURCE.contains(from), "{from}");
    let found = diff(&sidecar(SOURCE, target), &sidecar(&SOURCE.replace(from, to), target));
    let back: Diff = serde_json::from_str(&found.to_json()).expect("its own format");
    assert_eq!(back, found);
    let text = found.to_text();
    let shown =
        text.lines().filter(|l| ["moved", "resized", "retyped", "added", "removed"].iter().any(|w| l.starts_with(w)));
    assert_eq!(shown.count(), found.changes.len(), "{text}");
    found.changes.iter().map(|c| format!("{} {}", c.change.word(), c.path)).collect()
}

/// Where all slots are bindings, other ranges of them move what lies elsewhere then, and nothing else.
#[test]
fn classes_of_bindings_are_not_positions() {
    let source = "struct M { float k; Texture2D x; SamplerState y; };\nTexture2D t;\nConstantBuffer<M> c;\nParameterBlock<M> b;\n\
                  [shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main() { }\n";
    let sidecar = |ranges: &[(char, u32)]| {
        let mut options = Options::for_target(Target::Glsl);
        ranges.iter().for_each(|(class, start)| assert!(options.shift.set(*class, *start)));
        let output = compile(&MemoryLoader::new().with("a.slang", source), &["a.slang"], &options);
        output.reflections.into_iter().next().expect("a sidecar").1
    };
    let changes = |ranges: &[(char, u32)]| {
        let found = diff(&sidecar(&[]), &sidecar(ranges));
        let back = diff(&sidecar(ranges), &sidecar(&[]));
        assert_eq!(back.changes.len(), found.changes.len());
        assert_eq!(found.has_moved(), !found.changes.is_empty());
        let lines = found.to_text();
        lines.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(changes(&[('u', 7)]), [""; 0]);
    assert_eq!(
        changes(&[('s', 9)]),
        [
            "moved field c.y binding 3, set 0 -> binding 9, set 0",
            "moved field b.y binding 2, set 1 -> binding 9, set 1",
            "2 moved"
        ]
    );
    let all = changes(&[('t', 40)]);
    assert_eq!(all.first().map(String::as_str), Some("moved parameter t binding 0, set 0 -> binding 40, set 0"));
}

#[test]
fn every_kind_of_change() {
    let none: [&str; 0] = [];
    let hlsl = |from, to| changes(from, to, Target::Hlsl);
    assert_eq!(hlsl("gScale + time", "gScale * time"), none);
    assert_eq!(hlsl("float gScale;", "\n\nfloat gScale;"), none, "another line is no change");
    assert_eq!(
        hlsl("float4x4 view; float3 eye;", "float4x4 view; float3 eye2;"),
        ["removed Frame.eye", "added Frame.eye2"]
    );
    assert_eq!(
        hlsl("float3 eye; float time;", "float time; float3 eye;"),
        ["moved Frame.eye", "moved Frame.time"],
        "the buffer itself stays"
    );
    assert_eq!(hlsl("Pair gPairs[8];", "Pair gPairs[8]; Texture2D more;"), ["moved items", "added more"]);
    assert_eq!(hlsl("float3 at; float weight;", "float3 at; uint weight;"), ["retyped items.weight"]);
    assert_eq!(
        hlsl("float3 at; float weight;", "float4 at; float weight;"),
        ["moved items", "resized items.at", "retyped items.at", "moved items.weight"],
        "the elements have moved"
    );
    assert_eq!(
        hlsl("StructuredBuffer<Item> items", "RWStructuredBuffer<Item> items"),
        ["moved items", "resized items", "retyped items", "moved result"]
    );
    assert_eq!(hlsl("8, 4, 1", "8, 8, 1"), ["resized main"]);
    assert_eq!(hlsl("TEXCOORD1", "TEXCOORD2"), ["retyped vs.uv"]);
    assert_eq!(hlsl("float4 tint", "float3 tint"), ["resized main.$Params", "resized main.tint", "retyped main.tint"]);
    // A cbuffer of its own is one binding more before the others.
    let glsl = changes("float gScale;", "static float gScale;", Target::Glsl);
    assert!(glsl.contains(&"removed $Globals".to_owned()) && glsl.contains(&"moved result".to_owned()), "{glsl:?}");
}

#[test]
fn a_field_that_goes_along_with_its_parameter_is_not_told() {
    let all = changes("Pair gPairs[8];", "Texture2D first; Pair gPairs[8];", Target::Hlsl);
    assert_eq!(all, ["moved gPairs", "moved items", "added first"]);
    let all = diff(&sidecar(SOURCE, Target::Hlsl), &sidecar(&SOURCE.replace("uv", "uw"), Target::Hlsl));
    assert!(!all.has_moved());
    assert!(all.changes.iter().all(|c| c.subject == Subject::Varying && c.change != ChangeKind::Moved), "{all:?}");
}

/// What moves, and with what exit code, when `from` becomes `to` in a program for a target, which may have more blocks of
/// push constants than a text can.
fn moves(source: &str, from: &str, to: &str, target: Target, options: &Options) -> (bool, Vec<String>) {
    assert!(source.contains(from), "{from}");
    let sidecar = |text: &str| {
        let loader = MemoryLoader::new().with("a.slang", text);
        let output = compile(&loader, &["a.slang"], &options.clone().target(target).layouts_anyway());
        assert!(!output.has_errors(), "{}", output.render(false));
        output.reflections.into_iter().next().expect("a sidecar").1
    };
    let found = diff(&sidecar(source), &sidecar(&source.replace(from, to)));
    let text = found.to_text();
    let lines = text.lines().filter(|l| l.starts_with("moved")).map(|l| {
        let words: Vec<&str> = l.split_whitespace().skip(1).collect();
        words.join(" ")
    });
    (found.has_moved(), lines.collect())
}

#[test]
fn everything_that_has_a_place_can_move() {
    const ALL: &str = "struct Item { float2 a; float b; };
float w[3];
ParameterBlock<Item> first;
ParameterBlock<Item> second;
cbuffer C { float3x3 turn; float2 small[2]; Item items[4]; };
StructuredBuffer<Item> list;
[[vk::push_constant]] ConstantBuffer<Item> pushed;
[[vk::constant_id(3)]] const int quality = 1;
[[vk::constant_id(4)]] const int other = 1;
RWStructuredBuffer<float> result;
struct In { float4 at : POSITION; float2 uv : UV; float4 color : COLOR; };
[shader(\"vertex\")]
float4 vs(In i, uniform float3 tint, uniform float4 more) : SV_Position
{ return i.at + i.uv.x + i.color + w[1] + first.b + second.b + turn[1].x + small[1].x + items[2].b + list[3].b
    + tint.x + more.x + quality + other; }
[shader(\"compute\")] [numthreads(8, 4, 1)]
void cs() { result[0] = pushed.b; }
";
    let native = Options::default();
    let glsl = |from: &str, to: &str| moves(ALL, from, to, Target::Glsl, &native);
    let hlsl = |from: &str, to: &str| moves(ALL, from, to, Target::Hlsl, &native);
    let yes = |list: &[&str]| (true, list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
    assert_eq!(glsl("w[1]", "w[2]"), (false, Vec::new()));
    // Spaces, push constants, specialization constants, locations, bytes of entry points' parameters.
    assert_eq!(
        glsl("ParameterBlock<Item> first", "ParameterBlock<Item> zero; ParameterBlock<Item> first"),
        yes(&["parameter first space 1 -> space 2", "parameter second space 2 -> space 3"])
    );
    assert_eq!(
        glsl("[[vk::push_constant]]", "[[vk::push_constant]] ConstantBuffer<float4> zero; [[vk::push_constant]]"),
        yes(&[
            "parameter pushed push constants 0 -> push constants 1",
            "parameter vs.$Params push constants 1 -> push constants 2"
        ])
    );
    assert_eq!(glsl("constant_id(3)", "constant_id(9)"), yes(&["parameter quality constant id 3 -> constant id 9"]));
    assert_eq!(
        glsl("float4 at : POSITION; float2 uv : UV", "float2 uv : UV; float4 at : POSITION"),
        yes(&["varying vs.i.at location 0 -> location 1", "varying vs.i.uv location 1 -> location 0"])
    );
    assert_eq!(hlsl("float4 at : POSITION; float2 uv : UV", "float2 uv : UV; float4 at : POSITION").1.len(), 2);
    assert_eq!(
        glsl("uniform float3 tint, uniform float4 more", "uniform float4 more, uniform float3 tint"),
        yes(&["parameter vs.tint byte 0 -> byte 16", "parameter vs.more byte 16 -> byte 0"])
    );
    // Distances of elements, and vectors of matrices.
    assert_eq!(
        hlsl("float b; };", "float b; float2 c; };"),
        yes(&[
            "field C.items 16 -> 32 bytes from element to element",
            "parameter list 12 -> 20 bytes from element to element"
        ])
    );
    assert_eq!(
        glsl("float3x3 turn", "row_major float3x3 turn"),
        yes(&["field C.turn 48 bytes by columns -> 48 bytes by rows"])
    );
    assert_eq!(
        glsl("float3x3 turn", "float3x4 turn").1,
        ["field C.small byte 48 -> byte 64", "field C.items byte 80 -> byte 96"]
    );
    assert_eq!(glsl("items[4]", "items[5]"), (false, Vec::new()), "what grows at the end moves nothing");
    // Entry points that are no longer the same kind of thing; those that come or go move nothing.
    assert_eq!(glsl("8, 4, 1", "8, 8, 1"), yes(&[]));
    assert_eq!(glsl("\"compute\")] [numthreads(8, 4, 1)]", "\"fragment\")]"), yes(&[]));
    assert_eq!(glsl("void cs()", "void last()"), (false, Vec::new()));
}

const TEXT: &str = "\
moved  parameter  items         16 -> 32 bytes from element to element
moved  field      items.at      byte 0 -> byte 16
moved  field      items.weight  byte 12 -> byte 0

items: offset, bytes, what
-  0  12  at
- 12   4  weight
- 16 bytes from element to element
+  0   4  weight
+  4  12  (padding)
+ 16  12  at
+ 28   4  (padding)
+ 32 bytes from element to element

3 moved
";

#[test]
fn constants_of_patches_are_compared() {
    let of = |constants: &str| {
        let source = "struct C { float3 at : POSITION; };
struct K { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; CONSTANTS };
K k(InputPatch<C, 3> p) { return (K)0; }
[shader(\"hull\")] [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")]
[outputcontrolpoints(3)] [patchconstantfunc(\"k\")]
C hs(InputPatch<C, 3> p, uint id : SV_OutputControlPointID) { return p[id]; }
";
        source.replace("CONSTANTS", constants)
    };
    let sidecar = |constants| sidecar(&of(constants), Target::Hlsl);
    let found = diff(&sidecar("float2 a : A; float b : B;"), &sidecar("float b : B; float2 a : A2;"));
    let found: Vec<String> = found.changes.iter().map(|c| format!("{} {}", c.change.word(), c.path)).collect();
    assert_eq!(found, ["moved hs.$patch.(result).a", "retyped hs.$patch.(result).a", "moved hs.$patch.(result).b"]);
}

#[test]
fn the_bytes_of_buffers_are_shown() {
    let old = sidecar(SOURCE, Target::Glsl);
    let new = sidecar(&SOURCE.replace("float3 at; float weight;", "float weight; float3 at;"), Target::Glsl);
    let found = diff(&old, &new);
    assert_eq!(found.to_text(), TEXT);
    let names: Vec<&str> = found.memory.iter().map(|m| m.parameter.as_str()).collect();
    assert_eq!(names, ["items"]);
    // Only other names in the text: the bytes are the same.
    let renamed = sidecar(&SOURCE.replace("items", "parts"), Target::Glsl);
    assert!(diff(&old, &renamed).memory.is_empty());
}

#[test]
fn exit_codes_and_text() {
    let tree =
        tree(&[("a.slang", SOURCE), ("b.slang", &SOURCE.replace("float3 eye; float time", "float time; float3 eye"))]);
    for (source, target, out) in [("a", "hlsl", "a.json"), ("b", "hlsl", "b.json"), ("a", "glsl", "g.json")] {
        let source = format!("{source}.slang");
        let run = shaderport(tree.path(), &["reflect", &source, "--target", target, "--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        std::fs::write(tree.path().join(out), run.stdout).expect("a file");
    }
    let run = |args: &[&str]| shaderport(tree.path(), args);
    let same = run(&["diff", "a.json", "a.json"]);
    assert_eq!((same.code, same.stdout.as_str(), same.stderr.as_str()), (0, "", ""));
    let same = run(&["diff", "a.json", "a.json", "--json"]);
    assert!(same.code == 0 && same.stdout.contains("\"changes\": []"), "{}", same.stdout);
    let moved = run(&["diff", "a.json", "b.json"]);
    assert_eq!(moved.code, 1);
    assert_eq!(
        moved.stdout,
        "moved  field  Frame.eye   byte 64 -> byte 68\nmoved  field  Frame.time  byte 76 -> byte 64\n
Frame: offset, bytes, what
   0  16  view x 4 every 16
- 64  12  eye
- 76   4  time
+ 64   4  time
+ 68  12  eye
  80 bytes

2 moved\n"
    );
    let json = run(&["diff", "a.json", "b.json", "--json"]);
    assert_eq!(json.code, 1);
    assert!(json.stdout.contains("\"schema\": \"shaderport-diff/1\""), "{}", json.stdout);
    assert_eq!(run(&["diff", "a.json"]).code, 2);
    let other = run(&["diff", "a.json", "g.json"]);
    assert_eq!((other.code, other.stdout.as_str()), (2, ""));
    assert!(other.stderr.contains("a.json:4:3: error[E0701]: a sidecar for hlsl and one for glsl"), "{}", other.stderr);
    assert!(other.stderr.contains("--> g.json:4:3"), "{}", other.stderr);
}

#[test]
fn what_is_no_sidecar() {
    let tree = tree(&[
        ("source.slang", SOURCE),
        ("cut.json", "{\n  \"schema\": \"shaderport-reflection/1\",\n  \"tool\": \"shad"),
        ("older.json", "{\n  \"tool\": \"shaderport\",\n  \"schema\": \"shaderport-reflection/0\"\n}\n"),
        ("list.json", "[1, 2]"),
        ("empty.json", ""),
        ("wrong.json", "{\n  \"schema\": \"shaderport-reflection/1\",\n  \"parameters\": 3\n}\n"),
    ]);
    std::fs::write(tree.path().join("binary.json"), [0u8, 159, 146, 150, 255]).expect("a file");
    for (name, code, place) in [
        ("source.slang", "E0705", "source.slang:2:1"),
        ("cut.json", "E0705", "cut.json:3:1"),
        ("older.json", "E0705", "older.json:3:3"),
        ("list.json", "E0705", "list.json:1:1"),
        ("empty.json", "E0705", "empty.json"),
        ("wrong.json", "E0705", "wrong.json:3:"),
        ("binary.json", "E0705", "binary.json:1:1"),
        ("missing.json", "E0101", "missing.json"),
    ] {
        let run = shaderport(tree.path(), &["diff", name, "older.json"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{name}: {}", run.stderr);
        assert!(run.stderr.contains(code) && run.stderr.contains(place), "{name}: {}", run.stderr);
        // The other one is told of as well.
        assert!(run.stderr.contains("older.json:3:3"), "{name}: {}", run.stderr);
    }
}

/// What a random program is made of: members of two structs and of the program, each a declaration with `@` for its name.
#[derive(Clone)]
struct Edited {
    lists: [Vec<(usize, &'static str)>; 3],
    next: usize,
}

const PLAIN: &[&str] = &["float @", "float3 @", "float @[3]", "row_major float2x3 @", "float2x3 @[2]", "uint2 @"];
const MIXED: &[&str] =
    &["Texture2D @", "SamplerState @", "Texture2D @[2]", "RWStructuredBuffer<Inner> @", "Inner @[2]"];
const TOP: &[&str] = &[
    "Outer @",
    "Outer @[2]",
    "ConstantBuffer<Inner> @",
    "ConstantBuffer<Outer> @",
    "ConstantBuffer<Maps> @",
    "ParameterBlock<Maps> @",
    "Maps @[2]",
    "ParameterBlock<Outer> @",
    "AppendStructuredBuffer<Inner> @",
    "Sampler2D @",
    "cbuffer @ { float4 @_a; Outer @_b; }",
];

impl Edited {
    fn kind(list: usize, random: &mut Random) -> &'static str {
        let all: Vec<&str> = match list {
            0 => PLAIN.to_vec(),
            1 => [PLAIN, MIXED].concat(),
            _ => [PLAIN, MIXED, TOP].concat(),
        };
        all[random.index(all.len())]
    }

    fn add(&mut self, list: usize, random: &mut Random) {
        let at = random.index(self.lists[list].len() + 1);
        self.lists[list].insert(at, (self.next, Edited::kind(list, random)));
        self.next += 1;
    }

    fn edit(&mut self, random: &mut Random) {
        let list = random.index(3);
        let length = self.lists[list].len();
        match random.index(4) {
            0 if length > 1 => drop(self.lists[list].remove(random.index(length))),
            1 if length > 1 => self.lists[list].swap(random.index(length), random.index(length)),
            2 if length > 0 => {
                let at = random.index(length);
                self.lists[list][at].1 = Edited::kind(list, random);
            }
            _ => self.add(list, random),
        }
    }

    fn text(&self) -> String {
        let members = |list: usize| -> String {
            let text = |(n, kind): &(usize, &str)| {
                let end = if kind.ends_with('}') { "\n" } else { ";\n" };
                kind.replace('@', &format!("m{n}")) + end
            };
            self.lists[list].iter().map(text).collect()
        };
        let data = if self.next.is_multiple_of(3) { "float k; " } else { "" };
        format!(
            "struct Maps {{ Texture2D a; SamplerState s; {data}}};\nstruct Inner {{ {} }};\nstruct Outer {{ {} }};\n{}[shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{}}\n",
            members(0),
            members(1),
            members(2)
        )
    }
}

/// Indices, spaces and bytes of the leaves of a path; sizes of elements and vectors and how far they are apart.
type At = (Vec<[Option<u64>; 3]>, Vec<(String, u64)>);

/// Where the leaves of each path are, by kind.
fn positions(sidecar: &Reflection) -> BTreeMap<String, BTreeMap<&str, At>> {
    let mut all: BTreeMap<String, BTreeMap<&str, At>> = BTreeMap::new();
    for leaf in &sidecar.leaves {
        let (places, _) = all.entry(leaf.path.clone()).or_default().entry(&leaf.kind).or_default();
        places.push([leaf.index, leaf.space, leaf.offset]);
    }
    for buffer in &sidecar.memory {
        for row in buffer.rows.iter().filter(|row| !row.padding) {
            // The path of a leaf does not name the buffer of a scope.
            let path = match buffer.parameter.starts_with('$') {
                true => row.path.clone(),
                false => format!("{}.{}", buffer.parameter, row.path),
            };
            let (places, strides) = all.entry(path).or_default().entry("bytes").or_default();
            // Of what is in several parts, the first tells where it is.
            if places.is_empty() {
                places.push([None, None, Some(row.offset)]);
                strides.extend(row.repeats.iter().map(|r| (format!("{:?}", row.size), r.stride)));
            }
        }
        if let Some(stride) = buffer.element_stride {
            let (_, strides) = all.entry(buffer.parameter.clone()).or_default().entry("elements").or_default();
            strides.push((String::new(), stride));
        }
    }
    all
}

fn is_elsewhere(a: &At, b: &At) -> bool {
    let alike = a.1.len() == b.1.len() && a.1.iter().zip(&b.1).all(|(a, b)| a.0 == b.0);
    a.0 != b.0 || alike && a.1 != b.1
}

#[test]
fn what_moves_is_told_and_nothing_else() {
    for seed in 0..150 {
        let mut random = Random(seed * 7919 + 1);
        let mut before = Edited { lists: Default::default(), next: 0 };
        for list in [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2] {
            before.add(list, &mut random);
        }
        let mut after = before.clone();
        (0..1 + random.index(2)).for_each(|_| after.edit(&mut random));
        for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
            let (old, new) = (sidecar(&before.text(), target), sidecar(&after.text(), target));
            let (was, is) = (positions(&old), positions(&new));
            let both = was.iter().filter_map(|(path, a)| Some((path, a, is.get(path)?)));
            let moved: Vec<&String> = both
                .filter(|(_, a, b)| {
                    let mut common = a.iter().filter_map(|(kind, at)| Some((at, b.get(kind)?))).peekable();
                    common.peek().is_none() || common.any(|(a, b)| is_elsewhere(a, b))
                })
                .map(|(path, ..)| path)
                .collect();
            let found = diff(&old, &new);
            let told: Vec<&str> =
                found.changes.iter().filter(|c| c.change == ChangeKind::Moved).map(|c| c.path.as_str()).collect();
            // What is of another type altogether may have moved though nothing in it has.
            let retyped = |path: &str| found.changes.iter().any(|c| c.path == path && c.change == ChangeKind::Retyped);
            assert!(
                if moved.is_empty() { told.iter().all(|path| retyped(path)) } else { !told.is_empty() },
                "seed {seed} {target:?} {moved:?}\n{}\n---\n{}\n{}",
                before.text(),
                after.text(),
                found.to_text()
            );
        }
    }
}

#[test]
fn what_a_buffer_that_is_new_pushes_on_has_moved() {
    let source = |data: &str| {
        format!(
            "struct Maps {{ Texture2D a; {data}SamplerState s; }};\nConstantBuffer<Maps> maps;\n\
             [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{}}\n"
        )
    };
    let found = |target| diff(&sidecar(&source(""), target), &sidecar(&source("float k; "), target));
    let text = found(Target::Glsl).to_text();
    assert!(text.contains("moved    field      maps.a  binding +0 -> binding +1\n"), "{text}");
    assert!(found(Target::Wgsl).has_moved());
    assert!(!found(Target::Hlsl).has_moved(), "its `b` register is one more");
}
