//! The guarantees of the rule `layout-guarantees`, each as a property of random programs for every target, and its global order.

use crate::random::Random;
use rayon::prelude::*;
use shaderport::reflection::Reflection;
use shaderport::reflection::{Count, Leaf};
use shaderport::{MemoryLoader, Options, Policy, Target, compile};
use std::collections::{BTreeMap, BTreeSet};

const TARGETS: [Target; 3] = [Target::Hlsl, Target::Glsl, Target::Wgsl];

/// (declaration with `@` for the name, a use, register class if it may have a register).
const KINDS: &[(&str, &str, &str)] = &[
    ("Texture2D @", "@.Load(int3(0, 0, 0)).x", "t"),
    ("Texture2D<float4> @[3]", "@[1].Load(int3(0, 0, 0)).x", "t"),
    ("StructuredBuffer<float4> @", "@[0].x", "t"),
    ("RWStructuredBuffer<float> @", "@[0]", "u"),
    ("RWTexture2D<float4> @[2]", "@[1][uint2(0, 0)].x", "u"),
    ("SamplerState @", "", "s"),
    ("ConstantBuffer<Data> @", "@.b", "b"),
    ("cbuffer @ { float4 @_v; }", "@_v.x", "b"),
    ("float4 @", "@.x", ""),
    ("Data @[2]", "@[1].b", ""),
    ("Pair @", "(@.x.Load(int3(0, 0, 0)).x + @.y.Load(int3(0, 0, 0)).x)", "t"),
    ("Pair @[4]", "@[2].x.Load(int3(0, 0, 0)).x", "t"),
    ("Mixed @", "@.k", ""),
    ("Mixed @[3]", "@[1].k", ""),
    ("ParameterBlock<Mixed> @", "@.k", ""),
];
/// Kinds that have data in the buffer of plain globals.
const PLAIN: &[usize] = &[8, 9, 12, 13];

const HEAD: &str = "struct Data { float3 a; float b; };
struct Pair { Texture2D x; Texture2D y; };
struct Mixed { float k; Texture2D t; SamplerState s; };
";

#[derive(Clone, Debug)]
struct Parameter {
    name: String,
    kind: usize,
    explicit: Option<usize>,
}

impl Parameter {
    fn random(random: &mut Random, n: usize, explicit: bool) -> Parameter {
        let kind = random.index(KINDS.len());
        let explicit = Some(random.index(14)).filter(|_| explicit && random.index(3) == 0 && !KINDS[kind].2.is_empty());
        Parameter { name: format!("p{n}"), kind, explicit }
    }

    fn text(&self) -> String {
        let (declaration, _, class) = KINDS[self.kind];
        let text = declaration.replace('@', &self.name);
        let place = self.explicit.map_or(String::new(), |n| format!(" : register({class}{n})"));
        let binding = self.explicit.map_or(String::new(), |n| format!("[[vk::binding({})]] ", 3 * n));
        match text.split_once(" {") {
            Some((head, body)) => format!("{binding}{head}{place} {{{body}\n"),
            None => format!("{binding}{text}{place};\n"),
        }
    }
}

fn program(parameters: &[Parameter], used: impl Fn(usize) -> bool) -> String {
    let mut text = HEAD.to_owned();
    parameters.iter().for_each(|p| text += &p.text());
    text += "RWStructuredBuffer<float> result : register(u60);\n";
    text += "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main()\n{\n    float sum = 0.0;\n";
    for (_, p) in parameters.iter().enumerate().filter(|(i, p)| used(*i) && !KINDS[p.kind].1.is_empty()) {
        text += &format!("    sum += {};\n", KINDS[p.kind].1.replace('@', &p.name));
    }
    text + "    result[0] = sum;\n}\n"
}

fn reflect(files: &[(&str, &str)], compiled: &[&str], target: Target, policy: Policy) -> Option<Reflection> {
    let loader = files.iter().fold(MemoryLoader::new(), |l, (name, text)| l.with(name, text));
    let options = Options::for_target(target).binding_policy(policy).layouts_anyway();
    let output = compile(&loader, compiled, &options);
    let clash = output.has_errors();
    assert!(!clash || output.diagnostics.iter().any(|d| d.code.0 / 100 == 4), "{}", output.render(false));
    output.reflections.into_iter().next().map(|(_, r)| r)
}

/// (register class or `binding`, space).
type List = (String, u64);

/// What each top-level parameter takes.
fn taken(reflection: &Reflection) -> BTreeMap<String, BTreeMap<List, BTreeSet<u64>>> {
    let mut all: BTreeMap<String, BTreeMap<List, BTreeSet<u64>>> = BTreeMap::new();
    let slots = |l: &&Leaf| l.index.is_some() && l.space.is_some();
    for leaf in reflection.leaves.iter().filter(slots) {
        let name = leaf.path.split(['.', '[']).next().unwrap_or("").to_owned();
        let list = (leaf.class.map_or("binding".to_owned(), String::from), leaf.space.unwrap_or(0));
        let start = leaf.index.unwrap_or(0);
        let count = match leaf.count {
            Some(Count::Number(n)) => n,
            _ => 1,
        };
        all.entry(name).or_default().entry(list).or_default().extend(start..start + count.max(1));
    }
    all
}

fn is_contiguous(set: &BTreeSet<u64>) -> bool {
    match (set.first(), set.last()) {
        (Some(first), Some(last)) => last - first + 1 == set.len() as u64,
        _ => true,
    }
}

/// Runs a property over random programs and tells the seeds of those that do not have it.
fn holds(explicit: bool, property: impl Fn(&mut Random, &[Parameter], Target) -> Result<(), String> + Sync) {
    let faults: Vec<String> = (0..60u64)
        .into_par_iter()
        .filter_map(|seed| {
            let random = &mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491);
            let target = TARGETS[seed as usize % 3];
            let count = 1 + random.index(9);
            let parameters: Vec<Parameter> = (0..count).map(|n| Parameter::random(random, n, explicit)).collect();
            let result = property(random, &parameters, target);
            result.err().map(|why| format!("seed {seed}, {}: {why}\n{}", target.name(), program(&parameters, |_| true)))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

fn one(parameters: &[Parameter], target: Target) -> Option<Reflection> {
    reflect(&[("a.slang", &program(parameters, |_| true))], &["a.slang"], target, Policy::SPEC)
}

#[test]
fn a_parameter_takes_a_contiguous_range_of_each_kind() {
    holds(true, |_, parameters, target| {
        let Some(reflection) = one(parameters, target) else { return Ok(()) };
        for (name, lists) in taken(&reflection) {
            // The bytes of a mixed struct are in the buffer of all plain globals, which is no part of it.
            let globals = reflection.global_scope.bindings.iter().filter_map(|b| b.index).collect::<BTreeSet<_>>();
            for (list, mut set) in lists {
                if !is_contiguous(&set) {
                    set.retain(|n| !globals.contains(n));
                }
                // An explicit binding is one number, meant for Vulkan; what further ones WebGPU needs lie apart.
                let parted =
                    target == Target::Wgsl && parameters.iter().any(|p| p.name == name && p.explicit.is_some());
                if !is_contiguous(&set) && !parted {
                    return Err(format!("{name} takes {list:?} {set:?}"));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn what_a_parameter_takes_depends_on_its_declaration_alone() {
    holds(true, |random, parameters, target| {
        let mut others = parameters.to_vec();
        let at = random.index(parameters.len());
        let kept = parameters[at].clone();
        for _ in 0..3 {
            let n = others.len() + 20;
            others.insert(random.index(others.len() + 1), Parameter::random(random, n, true));
        }
        let drop = random.index(others.len());
        if others[drop].name != kept.name {
            others.remove(drop);
        }
        let (Some(a), Some(b)) = (one(parameters, target), one(&others, target)) else { return Ok(()) };
        let amounts = |r: &Reflection| {
            let lists = taken(r).remove(&kept.name).unwrap_or_default();
            let mut sums: BTreeMap<String, usize> = BTreeMap::new();
            lists.into_iter().for_each(|((class, _), set)| *sums.entry(class).or_default() += set.len());
            sums
        };
        // The buffer of plain globals is shared.
        match PLAIN.contains(&kept.kind) || amounts(&a) == amounts(&b) {
            true => Ok(()),
            false => Err(format!("{} takes {:?}, then {:?}", kept.name, amounts(&a), amounts(&b))),
        }
    });
}

#[test]
fn bodies_move_nothing() {
    holds(true, |random, parameters, target| {
        let used: Vec<bool> = parameters.iter().map(|_| random.index(2) == 0).collect();
        let all = one(parameters, target).map(|r| taken(&r));
        let text = program(parameters, |i| used[i]);
        let some = reflect(&[("a.slang", &text)], &["a.slang"], target, Policy::SPEC).map(|r| taken(&r));
        match (all, some) {
            // Overlaps are an error only where one entry point reaches both.
            (Some(all), Some(some)) if all != some => Err(format!("{all:?}\n{some:?}")),
            _ => Ok(()),
        }
    });
}

#[test]
fn a_parameter_at_the_end_moves_none_before_it() {
    holds(false, |random, parameters, target| {
        let new = Parameter::random(random, 99, false);
        let has_plain = parameters.iter().any(|p| PLAIN.contains(&p.kind));
        if PLAIN.contains(&new.kind) && !has_plain {
            // The buffer of plain globals comes before all.
            return Ok(());
        }
        let more: Vec<Parameter> = parameters.iter().cloned().chain([new]).collect();
        let (Some(a), Some(b)) = (one(parameters, target), one(&more, target)) else { return Err("no layout".into()) };
        let (a, mut b) = (taken(&a), taken(&b));
        b.remove("p99");
        let moved = a.iter().find(|(name, lists)| name.starts_with('p') && b.get(*name) != Some(lists));
        moved.map_or(Ok(()), |(name, lists)| Err(format!("{name} moves from {lists:?} to {:?}", b.get(name))))
    });
}

#[test]
fn without_explicit_positions_a_program_takes_ranges_from_zero() {
    holds(false, |_, parameters, target| {
        let Some(reflection) = one(parameters, target) else { return Err("no layout".into()) };
        let mut lists: BTreeMap<List, BTreeSet<u64>> = BTreeMap::new();
        for (name, taken) in taken(&reflection) {
            // It has a register on D3D.
            if name != "result" || target != Target::Hlsl {
                taken.into_iter().for_each(|(list, set)| lists.entry(list).or_default().extend(set));
            }
        }
        for (list, set) in lists {
            if !is_contiguous(&set) || set.first() != Some(&0) {
                return Err(format!("{list:?}: {set:?}"));
            }
        }
        Ok(())
    });
}

/// Registers as phases 3 and 4 give them: explicit ones first, then for each in order the first gap that is large enough.
#[test]
fn explicit_positions_first_then_the_first_gap() {
    holds(true, |_, parameters, _| {
        let simple =
            [(0, "t", 1), (1, "t", 3), (2, "t", 1), (3, "u", 1), (4, "u", 2), (5, "s", 1), (10, "t", 2), (11, "t", 8)];
        let of =
            |p: &Parameter| simple.iter().find(|(kind, ..)| *kind == p.kind).map(|(_, class, n)| (*class, *n as u64));
        let parameters: Vec<Parameter> = parameters.iter().filter(|p| of(p).is_some()).cloned().collect();
        let mut taken_registers: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::from([("u", BTreeSet::from([60]))]);
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        for p in parameters.iter().filter(|p| p.explicit.is_some()) {
            let (Some((class, n)), Some(at)) = (of(p), p.explicit) else { continue };
            let at = at as u64;
            let set = taken_registers.entry(class).or_default();
            if (at..at + n).any(|r| !set.insert(r)) {
                return Ok(());
            }
            expected.insert(p.name.clone(), at);
        }
        for p in parameters.iter().filter(|p| p.explicit.is_none()) {
            let Some((class, n)) = of(p) else { continue };
            let set = taken_registers.entry(class).or_default();
            let at = (0..).find(|at| (*at..at + n).all(|r| !set.contains(&r))).unwrap_or(0);
            set.extend(at..at + n);
            expected.insert(p.name.clone(), at);
        }
        let Some(reflection) = one(&parameters, Target::Hlsl) else { return Err("no layout".into()) };
        let found = taken(&reflection);
        for (name, at) in expected {
            let start = found.get(&name).and_then(|lists| lists.values().next()).and_then(|set| set.first().copied());
            if start != Some(at) {
                return Err(format!("{name} is at {start:?}, not {at}"));
            }
        }
        Ok(())
    });
}

/// `name index` of what lies in the first list of all, in order of number.
fn order(files: &[(&str, &str)], compiled: &[&str], target: Target) -> String {
    let reflection = reflect(files, compiled, target, Policy::SPEC).expect("a layout");
    let mut list: Vec<(u64, String)> = reflection
        .leaves
        .iter()
        .filter(|l| l.space == Some(0) && !matches!(l.class, Some('u')) && l.path != "o")
        .filter_map(|l| Some((l.index?, l.path.rsplit('.').next().unwrap_or("").to_owned())))
        .collect();
    list.sort();
    list.into_iter().map(|(n, name)| format!("{name}{n}")).collect::<Vec<_>>().join(" ")
}

fn entry(name: &str, params: &str) -> String {
    format!("[shader(\"compute\")] [numthreads(1, 1, 1)] void {name}({params}) {{ }}\n")
}

#[test]
fn units_in_order_each_with_its_entry_points_then_modules_by_first_import() {
    let a = format!("Texture2D a;\n{}Texture2D b;\n", entry("one", "uniform Texture2D e"));
    let b = format!("Texture2D c;\nTexture2D a;\n{}", entry("two", "uniform Texture2D f"));
    for target in TARGETS {
        // One that both declare is one, where it is seen first.
        let units = [("a.hlsl", a.as_str()), ("b.hlsl", b.as_str())];
        assert_eq!(order(&units, &["a.hlsl", "b.hlsl"], target), "a0 b1 e2 c3 f4", "{target:?}");
        assert_eq!(order(&units, &["b.hlsl", "a.hlsl"], target), "c0 a1 f2 b3 e4", "{target:?}");
        // Slang files are one unit: all its globals, then its entry points.
        let (x, y) = (a.replace("Texture2D a;", "Texture2D g;"), b.clone());
        let files = [("a.slang", x.as_str()), ("b.slang", y.as_str())];
        assert_eq!(order(&files, &["a.slang", "b.slang"], target), "g0 b1 c2 a3 e4 f5", "{target:?}");
        let main = format!("import late;\nTexture2D a;\nimport early;\n{}", entry("one", "uniform Texture2D e"));
        let files = [
            ("main.slang", main.as_str()),
            ("late.slang", "import third;\npublic Texture2D l;\n"),
            ("early.slang", "public Texture2D m;\nimport third;\n"),
            ("third.slang", "public Texture2D n;\n"),
        ];
        assert_eq!(order(&files, &["main.slang"], target), "a0 e1 l2 m3 n4", "{target:?}");
        let spaces = format!("Texture2D a;\nnamespace N {{ Texture2D n; }}\nTexture2D b;\n{}", entry("one", ""));
        assert_eq!(order(&[("a.slang", &spaces)], &["a.slang"], target), "a0 n1 b2", "{target:?}");
    }
}

#[test]
fn units_and_modules_have_contiguous_ranges() {
    let unit = |p: &str, e: &str| format!("{HEAD}Texture2D {p}a;\nPair {p}b[3];\nMixed {p}c;\n{}", entry(e, ""));
    let (a, b) = (unit("x", "one"), unit("y", "two"));
    let module =
        "public Texture2D za;\npublic struct Two { public Texture2D p; public Texture2D q; }\npublic Two zb[2];\n";
    let a = format!("import m;\n{a}");
    for target in TARGETS {
        let files = [("a.slang", a.as_str()), ("b.hlsl", b.as_str()), ("m.slang", module)];
        let reflection = reflect(&files, &["a.slang", "b.hlsl"], target, Policy::SPEC).expect("a layout");
        let mut units: BTreeMap<(char, List), BTreeSet<u64>> = BTreeMap::new();
        let globals: BTreeSet<u64> = reflection.global_scope.bindings.iter().filter_map(|b| b.index).collect();
        for (name, lists) in taken(&reflection) {
            for (list, set) in lists {
                let shared = list.0 == "b" || list.0 == "binding";
                let own = set.into_iter().filter(|n| !(shared && globals.contains(n)));
                units.entry((name.chars().next().unwrap_or(' '), list)).or_default().extend(own);
            }
        }
        for (key, set) in &units {
            assert!(is_contiguous(set), "{target:?}: {key:?} {set:?}");
        }
        let classes: BTreeSet<&List> = units.keys().map(|(_, list)| list).collect();
        for class in classes {
            let all: BTreeSet<u64> =
                units.iter().filter(|((_, l), _)| l == class).flat_map(|(_, s)| s).copied().collect();
            assert!(is_contiguous(&all), "{target:?}: {class:?} {all:?}");
        }
    }
}
