//! Same inputs and options, same bytes: whatever the threads, the run, or the order in which the file system gives files.

use crate::support::{contents, files_under, root, shaderport};
use std::path::{Path, PathBuf};

/// Copies the samples into a new directory, the files made in the order that `order` gives them.
fn copy(order: impl Fn(&mut Vec<PathBuf>)) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("a temporary directory");
    let samples = root().join("samples");
    let mut files = files_under(&samples, &[]);
    order(&mut files);
    for file in files {
        let target = to.path().join("samples").join(file.strip_prefix(&samples).expect("a path below"));
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("a directory");
        std::fs::copy(&file, target).expect("a copy");
    }
    to
}

/// Builds the samples of a directory for all text targets; everything that was written.
fn build(directory: &Path, out: &str, jobs: &str) -> Vec<(String, Vec<u8>)> {
    let run = shaderport(directory, &["build", "samples", "--target", "hlsl,glsl,wgsl", "--out", out, "--jobs", jobs]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    contents(&directory.join(out))
}

fn same(a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)], why: &str) {
    let names = |list: &[(String, Vec<u8>)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b), "{why}");
    for ((name, x), (_, y)) in a.iter().zip(b) {
        assert!(
            x == y,
            "{name} differs: {why}\n{}",
            crate::support::difference(&String::from_utf8_lossy(x), &String::from_utf8_lossy(y))
        );
    }
}

#[test]
fn threads_runs_and_file_order_change_nothing() {
    let sorted = copy(|_| {});
    let first = build(sorted.path(), "first", "1");
    assert!(first.len() > 30, "{} files were written", first.len());
    same(&first, &build(sorted.path(), "second", "1"), "two runs");
    same(&first, &build(sorted.path(), "third", "8"), "one thread and eight");
    let reversed = copy(|files| files.reverse());
    same(&first, &build(reversed.path(), "first", "3"), "files made in reverse order");
    // A fixed shuffle: by a hash of the name.
    let hash = |p: &PathBuf| p.to_string_lossy().bytes().fold(7u32, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
    let shuffled = copy(|files| files.sort_by_key(|p| (hash(p), p.clone())));
    same(&first, &build(shuffled.path(), "first", "8"), "files made in another order");
}

/// A sidecar names files from the manifest's directory, or from that of the source, however and from where they are named.
#[test]
fn sidecars_do_not_depend_on_the_working_directory() {
    let tree = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| {
        let path = tree.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    };
    write("lib/outside.hlsli", "float4 outside;\n");
    write("p/sub/beside.hlsli", "float4 beside;\n");
    let source = "#include \"beside.hlsli\"\n#include \"outside.hlsli\"\nfloat4 own;\n[shader(\"fragment\")] \
                  float4 main() : SV_Target { return own + beside + outside; }\n";
    write("p/sub/a.slang", source);
    let sub = tree.path().join("p/sub");
    let absolute = |name: &str| tree.path().join(name).to_string_lossy().into_owned();
    let (source, library, out) = (absolute("p/sub/a.slang"), absolute("lib"), absolute("out"));
    // (working directory, source, include root)
    let ways = [
        (tree.path().to_path_buf(), "p/sub/a.slang", "lib"),
        (tree.path().join("lib"), "../p/./sub/a.slang", "."),
        (sub.clone(), "a.slang", "../../lib"),
        (sub, source.as_str(), library.as_str()),
    ];
    let built = |directory: &Path, tree: &str, include: &str| {
        std::fs::remove_dir_all(&out).ok();
        let run = shaderport(directory, &["build", tree, "--target", "glsl", "--out", &out, "-I", include]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        contents(Path::new(&out))
    };
    for (manifest, places) in [
        (false, ["a.slang:3:8", "beside.hlsli:1:8", "../../lib/outside.hlsli:1:8"]),
        (true, ["sub/a.slang:3:8", "sub/beside.hlsli:1:8", "../lib/outside.hlsli:1:8"]),
    ] {
        if manifest {
            write("p/shaderport.toml", "[build]\n");
        }
        let mut first = None;
        for (directory, file, include) in &ways {
            let reflect = ["reflect", file, "--target", "glsl", "--format", "json", "-I", include];
            let reflected = shaderport(directory, &reflect);
            assert_eq!(reflected.code, 0, "{}", reflected.stderr);
            for place in places {
                assert!(
                    reflected.stdout.contains(&format!("\"{place}\"")),
                    "{place} from {file}: {}",
                    reflected.stdout
                );
            }
            let sidecar = absolute("compiled.json");
            let compile = ["compile", file, "--target", "glsl", "-I", include, "--reflect", &sidecar];
            let compiled = shaderport(directory, &compile);
            assert_eq!(compiled.code, 0, "{}", compiled.stderr);
            let compiled = std::fs::read_to_string(&sidecar).expect("a sidecar");
            assert_eq!(compiled.trim(), reflected.stdout.trim(), "compile and reflect of {file}");
            let outputs = built(directory, file, include);
            let (files, text) = first.get_or_insert((outputs.clone(), compiled.clone()));
            assert_eq!(*text, compiled, "{file}");
            same(files, &outputs, file);
        }
    }
    // The tree as a whole: from the manifest too.
    let whole = [(tree.path().to_path_buf(), "p", "lib"), (tree.path().join("lib"), "../p", ".")];
    let [one, other] = whole.map(|(directory, tree, include)| built(&directory, tree, include));
    same(&one, &other, "the tree from two directories");
    let has = |text: &str| one.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(text));
    assert!(has("\"sub/a.slang:3:8\"") && has("\"../lib/outside.hlsli:1:8\""));
    let build_script = |directory: PathBuf| {
        let out = tempfile::tempdir().expect("a temporary directory");
        let build = shaderport::Build::new(directory).target(shaderport::Target::Glsl);
        build.include(tree.path().join("lib")).out_dir(out.path()).try_run().expect("a build");
        contents(out.path())
    };
    let scripted = build_script(tree.path().join("p"));
    same(&scripted, &build_script(tree.path().join("lib/../p/.")), "build scripts");
    let told = scripted.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("\"sub/a.slang:3:8\""));
    assert!(told, "a build script names files from the manifest");
}

/// Modules are read once a build; what becomes of a program is what becomes of it alone, and messages are in its own order.
#[test]
fn programs_that_share_modules_are_what_they_are_alone() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let tree = directory.path().join("tree");
    std::fs::create_dir(&tree).expect("a directory");
    let lights = "module lights;\n__include lights_part;\n#include \"units.h\"\n/// A light.\npublic struct Light { public float4 \
                  color; public float range; };\npublic cbuffer Scene { float4 ambient; Light sun; }\npublic float4 \
                  lit(float4 x) { return WARM(x) + ambient + part(sun); }\n";
    let part = "implementing lights;\npublic float4 part(Light l) { return l.color * 2.0; }\n#define UNUSED(x) x\n";
    let faulty = "import lights;\n#include \"units.h\"\npublic float4 fault(float4 x) { return WARM(wrong(x)); }\n";
    let main = |imports: &str, value: &str| {
        format!(
            "{imports}Texture2D t;\n[shader(\"fragment\")]\nfloat4 main(float4 x : X) : SV_Target {{ return {value}; }}\n"
        )
    };
    let files = [
        ("units.h", "#define WARM(x) ((x) * float4(1, 0.5, 0.25, 1))\n".to_owned()),
        ("lights.slang", lights.to_owned()),
        ("lights_part.slang", part.to_owned()),
        (
            "late.slang",
            "import lights;\nimport early;\npublic float4 late(float4 x) { return early(lit(x)); }\n".to_owned(),
        ),
        (
            "early.slang",
            "import late;\npublic Texture2D maps[2];\npublic float4 early(float4 x) { return x; }\n".to_owned(),
        ),
        ("faulty.slang", faulty.to_owned()),
        ("syntax.slang", "public float4 half_of(float4 x) { return x * ; }\n#if 1\n".to_owned()),
        ("a.slang", main("import lights;\nimport late;\n", "late(lit(x)) + t.Load(int3(0, 0, 0))")),
        ("b.slang", main("import late;\nimport lights;\n", "lit(late(x)) + maps[1].Load(int3(0, 0, 0))")),
        ("c.slang", main("import early;\nimport faulty;\n", "fault(early(x))")),
        ("d.slang", main("import syntax;\nimport missing;\nimport faulty;\n", "fault(undeclared)")),
        ("e.slang", main("import lights;\n", "part(sun)")),
    ];
    for (name, text) in &files {
        std::fs::write(tree.join(name), text).expect("a file");
    }
    let targets = ["--target", "hlsl,glsl,wgsl", "--depfiles", "--quiet"];
    let built = |file: &str, out: &str, jobs: &str| {
        let args = [&["build", file, "--out", out, "--jobs", jobs][..], &targets].concat();
        let run = shaderport(&tree, &args);
        (run.stderr, contents(&tree.join(out)))
    };
    let (messages, together) = built(".", "../together", "1");
    assert!(messages.contains("faulty.slang:3:") && messages.contains("`missing`"), "{messages}");
    assert!(together.len() > 20, "{} files were written", together.len());
    for jobs in ["2", "8"] {
        // Without the record everything is compiled again.
        std::fs::remove_dir_all(tree.join("../together")).expect("outputs");
        let (again, files) = built(".", "../together", jobs);
        assert_eq!(messages, again, "{jobs} threads");
        same(&together, &files, jobs);
    }
    let mut alone = String::new();
    for (name, _) in files.iter().filter(|(name, _)| name.ends_with(".slang")) {
        let own = |files: &[(String, Vec<u8>)]| -> Vec<(String, Vec<u8>)> {
            let stem = format!("/{}.", name.trim_end_matches(".slang"));
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("alone/", "together/").into_bytes();
            let files = files.iter().filter(|(path, _)| path.contains(&stem));
            files.map(|(path, bytes)| (path.clone(), text(bytes))).collect()
        };
        let (text, files) = built(name, "../alone", "1");
        // What is wrong in a module is said where a program imports it, and not once more; of one that does not parse, nobody
        // knows whether it is a program.
        if *name != "faulty.slang" {
            alone.push_str(&text);
        }
        same(&own(&files), &own(&together), name);
    }
    // What several programs say is said once, with their number.
    assert_eq!(messages.matches("  = in 2 programs: d.slang, syntax.slang\n").count(), 2, "{messages}");
    let all = |text: &str| {
        let message = |block: &str| {
            let lines = block.lines().filter(|line| !line.starts_with("  = in "));
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        text.split("\n\n")
            .map(message)
            .filter(|block| !block.is_empty())
            .collect::<std::collections::BTreeSet<String>>()
    };
    assert_eq!(all(&messages), all(&alone));
}
