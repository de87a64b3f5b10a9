//! Messages for programs: lines of JSON and logs of SARIF.

use crate::support::{Run, shaderport, tree};
use serde_json::Value;

const HEADER: &str = "#define TINT(x) (x * tnt)\nfloat3 shade(float3 c) { return TINT(c); }\n";
const SOURCE: &str = "#include \"a b.hlsli\"
float3 tint;
float4 main() : SV_Target { return float4(shade(tnt), 1); }
";

/// A program without parameters.
const BARE: &str = "[shader(\"fragment\")] float4 ps() : SV_Target { return 1; }\n";

fn run(arguments: &[&str]) -> Run {
    let tree = tree(&[("src/main.hlsl", SOURCE), ("src/a b.hlsli", HEADER), ("good.slang", "float x;\n")]);
    shaderport(tree.path(), arguments)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn json_has_an_object_a_line() {
    let human = run(&["check", "src/main.hlsl"]);
    let json = run(&["check", "src/main.hlsl", "--message-format", "json"]);
    assert_eq!((json.code, json.stderr.as_str()), (1, ""));
    let lines = lines(&json.stdout);
    // The texts for people are those that people see.
    assert_eq!(lines.iter().filter_map(|l| l["rendered"].as_str()).collect::<String>(), human.stderr);
    let in_main = lines.iter().find(|l| l["location"]["file"] == "src/main.hlsl").expect("a message about the source");
    let place = &in_main["location"];
    assert_eq!((&in_main["code"], &in_main["severity"]), (&"E0301".into(), &"error".into()));
    let shown =
        ["line_start", "column_start", "line_end", "column_end"].map(|key| place[key].as_u64().expect("a number"));
    assert_eq!(shown, [3, 49, 3, 52]);
    let bytes = ["byte_start", "byte_end"].map(|key| place[key].as_u64().expect("a number") as usize);
    assert_eq!(SOURCE.get(bytes[0]..bytes[1]), Some("tnt"));
}

#[test]
fn the_text_of_a_macro_is_a_label() {
    let lines = lines(&run(&["check", "src/main.hlsl", "--message-format", "json"]).stdout);
    let in_header =
        lines.iter().find(|l| l["location"]["file"] == "src/a b.hlsli").expect("a message about the header");
    assert_eq!((&in_header["location"]["line_start"], &in_header["suggestion"]), (&2.into(), &Value::Null));
    let words: Vec<&str> =
        in_header["labels"].as_array().expect("labels").iter().filter_map(|l| l["message"].as_str()).collect();
    assert_eq!(words, ["in this use of macro `TINT`", "in the expansion of macro `TINT`"]);
    assert_eq!(in_header["labels"][1]["location"]["line_start"], 1);
    let notes = in_header["notes"].as_array().expect("notes");
    assert!(notes.iter().any(|n| n == "included from src/main.hlsl:1:10"), "{notes:?}");
}

#[test]
fn faults_without_a_place_have_the_same_form() {
    let missing = run(&["compile", "none.hlsl", "--target", "wgsl", "--message-format", "json"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (1, ""));
    let lines_of_missing = lines(&missing.stderr);
    assert_eq!((&lines_of_missing[0]["code"], &lines_of_missing[0]["location"]), (&"E0101".into(), &Value::Null));
    let lock = tree(&[("bindings.lock", "{ \"schema\": 3 }"), ("a.slang", "float x;\n")]);
    let wrong = shaderport(
        lock.path(),
        &["compile", "a.slang", "--target", "wgsl", "--bindings-lock", "bindings.lock", "--message-format", "json"],
    );
    assert_eq!(lines(&wrong.stderr)[0]["code"], "E0705", "{}", wrong.stderr);
}

/// The first message, with the file and the line of its place.
fn first(text: &str) -> (String, String, Option<(String, u64)>) {
    let line = lines(text).into_iter().next().unwrap_or_else(|| panic!("no message in {text}"));
    let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let place = &line["location"];
    (
        word("code"),
        word("message"),
        place["file"].as_str().map(|f| (f.to_owned(), place["line_start"].as_u64().unwrap())),
    )
}

fn at(file: &str, line: u64) -> Option<(String, u64)> {
    Some((file.to_owned(), line))
}

#[test]
fn faults_of_manifests_have_places() {
    for (manifest, message, place) in [
        ("[build]\n\nbinding-polcy = 'dxc'\n", "did you mean `binding-policy`?", at("s/shaderport.toml", 3)),
        ("[build]\n\ntargets = [\n'msl']\n", "`msl`: not a target", at("s/shaderport.toml", 3)),
        ("[build]\n[[shader]]\nfiles = ['[']\n", "error parsing glob", at("s/shaderport.toml", 3)),
        ("[build\n", "unclosed table", at("s/shaderport.toml", 1)),
        ("[[shader]]\n", "a [[shader]] needs `files`", at("s/shaderport.toml", 1)),
        (
            "[[program]]\nname = 'a'\nfiles = ['none.hlsl']\n",
            "there is no file `none.hlsl`",
            at("s/shaderport.toml", 3),
        ),
        ("[[program]]\nfiles = ['a.slang']\nname = '../a'\n", "is no name of a program", at("s/shaderport.toml", 3)),
    ] {
        let tree = tree(&[("s/a.slang", "float x;\n"), ("s/shaderport.toml", manifest)]);
        for command in [&["build", "s"][..], &["check", "s"]] {
            let run = shaderport(tree.path(), &[command, &["--message-format", "json"]].concat());
            let (code, said, found) = first(&format!("{}{}", run.stdout, run.stderr));
            assert_eq!((run.code, code.as_str(), found), (2, "E0701", place.clone()), "{manifest}: {said}");
            assert!(said.contains(message), "{manifest}: {said}");
        }
    }
    // What is most likely not meant is a warning at its place.
    let files = [("s/a.slang", "float x;\n"), ("s/shaderport.toml", "[[shader]]\nfiles = ['b/*']\n")];
    let run = shaderport(tree(&files).path(), &["build", "s", "--message-format", "json"]);
    let warning = lines(&run.stderr).into_iter().find(|line| line["severity"] == "warning").expect("a warning");
    assert_eq!(
        (&warning["location"]["file"], &warning["location"]["line_start"]),
        (&"s/shaderport.toml".into(), &2.into())
    );
}

#[test]
fn faults_of_locks_have_places() {
    let source = "Texture2D a;\n[shader(\"fragment\")] float4 ps() : SV_Target { return a.Load(0); }\n";
    let directory =
        tree(&[("a.slang", source), ("b.lock", "{\n  \"schema\": 3 }"), ("c.slang", source), ("e.slang", BARE)]);
    let build = |lock: &str, more: &[&str]| {
        let args =
            ["build", "a.slang", "--target", "wgsl", "--out", "o", "--message-format", "json", "--bindings-lock"];
        shaderport(directory.path(), &[&args[..], &[lock], more].concat())
    };
    let faulty = build("b.lock", &[]);
    assert_eq!((faulty.code, first(&faulty.stderr).2), (1, at("b.lock", 1)), "{}", faulty.stderr);
    let missing = build("none.lock", &["--locked"]);
    assert_eq!((missing.code, first(&missing.stderr).2), (1, at("none.lock", 1)), "{}", missing.stderr);
    let unnamed = shaderport(directory.path(), &["build", "a.slang", "--locked", "--message-format", "json"]);
    assert_eq!((unnamed.code, first(&unnamed.stderr).0), (2, "E0701".to_owned()), "{}", unnamed.stderr);
    // What may not be recorded is told with the lock, and what is recorded with its line.
    let args = |file, more: &[&'static str]| {
        let all =
            ["build", file, "--target", "wgsl", "--out", "o", "--bindings-lock", "d.lock", "--message-format", "json"];
        shaderport(directory.path(), &[&all[..], more].concat())
    };
    assert_eq!(args("c.slang", &[]).code, 0);
    let (code, said, place) = first(&args("e.slang", &["--locked"]).stderr);
    assert_eq!((code.as_str(), place), ("E0406", at("d.lock", 1)), "{said}");
    assert_eq!(said, "d.lock would change, and it may not");
    let text = std::fs::read_to_string(directory.path().join("d.lock")).expect("a lock");
    let line = text.lines().position(|line| line.contains("\"c.slang\": {")).expect("the program") as u64 + 1;
    std::fs::remove_file(directory.path().join("c.slang")).expect("a source");
    let gone = args("a.slang", &[]);
    assert_eq!((gone.code, first(&gone.stderr).2), (0, at("d.lock", line)), "{}", gone.stderr);
}

#[test]
fn outputs_that_clash_have_a_place() {
    let tree = tree(&[("s/a.slang", BARE), ("s/a.hlsl", BARE)]);
    let args = ["build", "s", "--target", "wgsl", "--out", "o", "--message-format", "json"];
    let (code, said, place) = first(&shaderport(tree.path(), &args).stderr);
    assert_eq!((code.as_str(), place), ("E0703", at("s/a.hlsl", 1)), "{said}");
}

#[test]
fn faults_of_the_command_line_have_the_same_form() {
    for (arguments, message, note) in [
        (&["compile", "a.hlsl", "--target", "wgsl", "--bogus"][..], "unexpected argument '--bogus' found", "tip: "),
        (&["build", "--target", "msl"], "invalid value 'msl' for '--target <TARGET>': not a target", ""),
        (&["compile", "a.hlsl"], "the following required arguments were not provided: --target <TARGET>", "Usage: "),
        (&["diff", "a.json", "b.json", "--jsn"], "unexpected argument '--jsn' found", "tip: a similar argument exists"),
        (&["explain", "policys"], "`policys` is not an error code", ""),
        (&["compile", "@none.txt"], "cannot read the arguments in `none.txt`", ""),
        (&["check", "--bogus"], "unexpected argument '--bogus' found", "Usage: "),
    ] {
        let (human, json) = (run(arguments), run(&[arguments, &["--message-format", "json"]].concat()));
        let [text, other] =
            if arguments[0] == "check" { [json.stdout, json.stderr] } else { [json.stderr, json.stdout] };
        assert_eq!((json.code, human.code, other.as_str()), (2, 2, ""), "{arguments:?}: {text}");
        let found = &lines(&text)[0];
        let notes = found["notes"].as_array().expect("notes");
        assert!(found["message"].as_str().is_some_and(|words| words.starts_with(message)), "{arguments:?}: {text}");
        assert!(note.is_empty() || notes.iter().any(|n| n.as_str().is_some_and(|n| n.starts_with(note))), "{text}");
        assert_eq!((&found["severity"], &found["code"], lines(&text).len()), (&"error".into(), &"E0701".into(), 1));
        assert!(serde_json::from_str::<Value>(&human.stderr).is_err(), "{}", human.stderr);
        let sarif = run(&[arguments, &["--message-format=sarif"]].concat());
        let log: Value = serde_json::from_str(&format!("{}{}", sarif.stdout, sarif.stderr)).expect("a log");
        assert_eq!((sarif.code, log["runs"][0]["results"].as_array().map(Vec::len)), (2, Some(1)), "{arguments:?}");
    }
    // Help is no fault, whatever the form.
    let help = run(&["check", "--help", "--message-format", "json"]);
    assert!(help.code == 0 && help.stdout.contains("Usage: shaderport check"), "{}", help.stdout);
    // What is behind `--` is no option.
    let files = run(&["check", "--bogus", "--", "--message-format=json"]);
    assert!(files.code == 2 && files.stderr.starts_with("error: "), "{}", files.stderr);
}

#[test]
fn faults_of_sidecars_have_places() {
    let sidecar = |target: &str| {
        shaderport(tree(&[("a.slang", BARE)]).path(), &["reflect", "a.slang", "--format", "json", "--target", target])
            .stdout
    };
    let (hlsl, wgsl) = (sidecar("hlsl"), sidecar("wgsl"));
    let tree = tree(&[("a.json", "{\n nonsense"), ("b.json", &hlsl), ("c.json", &wgsl)]);
    let diff =
        |files: &[&str], form: &str| shaderport(tree.path(), &[&["diff"], files, &["--message-format", form]].concat());
    let faulty = diff(&["a.json", "none.json"], "json");
    assert_eq!((faulty.code, first(&faulty.stderr).2), (1, at("a.json", 2)), "{}", faulty.stderr);
    assert_eq!((&lines(&faulty.stderr)[1]["code"], lines(&faulty.stderr).len()), (&"E0101".into(), 2));
    let other = diff(&["b.json", "c.json"], "json");
    let line = hlsl.lines().position(|line| line.contains("\"target\":")).expect("a target") as u64 + 1;
    assert_eq!((other.code, first(&other.stderr).2), (2, at("b.json", line)), "{}", other.stderr);
    assert_eq!(lines(&other.stderr)[0]["labels"][0]["location"]["file"], "c.json");
    let log: Value = serde_json::from_str(&diff(&["b.json", "c.json"], "sarif").stderr).expect("a log");
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "E0701");
    let same = diff(&["b.json", "b.json"], "json");
    assert_eq!((same.code, same.stderr.as_str()), (0, ""));
}

/// What the schema of SARIF 2.1.0 asks for, as far as we write it.
#[test]
fn sarif_has_rules_results_and_places() {
    let text = run(&["check", "src/main.hlsl", "--message-format", "sarif"]).stdout;
    let log: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&log["version"], log["runs"].as_array().map(Vec::len)), (&"2.1.0".into(), Some(1)));
    let (run, driver) = (&log["runs"][0], &log["runs"][0]["tool"]["driver"]);
    assert_eq!((&driver["name"], &run["columnKind"]), (&"shaderport".into(), &"unicodeCodePoints".into()));
    let rules = driver["rules"].as_array().expect("rules");
    for rule in rules {
        let [id, help] = ["/id", "/help/text"].map(|path| rule.pointer(path).and_then(Value::as_str).expect("a text"));
        assert!(help.starts_with(&format!("# {id}: ")), "{help}");
    }
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), lines(&self::run(&["check", "src/main.hlsl", "--message-format", "json"]).stdout).len());
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].iter().any(|level| result["level"] == *level));
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        let place = result.pointer("/locations/0/physicalLocation").expect("a place");
        let uri = place["artifactLocation"]["uri"].as_str().expect("an address");
        assert!(["src/main.hlsl", "src/a%20b.hlsli"].contains(&uri), "{uri}");
        let number = |key: &str| place["region"][key].as_u64().expect("a number");
        assert!(number("startLine") >= 1 && number("startColumn") >= 1 && number("endColumn") > number("startColumn"));
    }
}

#[test]
fn a_log_is_written_if_nothing_is_wrong() {
    let good = run(&["check", "good.slang", "--message-format", "sarif"]);
    let log: Value = serde_json::from_str(&good.stdout).expect("JSON");
    assert_eq!((good.code, log["runs"][0]["results"].as_array().map(Vec::len)), (0, Some(0)), "{}", good.stdout);
}

const WARNED: &str = "[unrol] void helper() {}\n[numthreads(1, 1, 1)] void main() { helper(); }\n";

/// What `compile` says of a program with one warning, under a manifest.
fn warned(manifest: &str, arguments: &[&str]) -> Run {
    let tree = tree(&[("a.hlsl", WARNED), ("shaderport.toml", manifest)]);
    shaderport(tree.path(), &[&["compile", "a.hlsl", "--target", "hlsl"], arguments].concat())
}

#[test]
fn warnings_are_what_options_make_of_them() {
    let usual = warned("", &[]);
    assert!(usual.code == 0 && usual.stderr.contains("warning[E0315]"), "{}", usual.stderr);
    for arguments in [&["-Werror"][..], &["-W", "E0315=error"], &["-W", "all=off,E0315=error"]] {
        let raised = warned("", arguments);
        assert_eq!((raised.code, raised.stdout.as_str()), (1, ""), "{arguments:?}: {}", raised.stderr);
        assert!(raised.stderr.contains("error[E0315]"), "{arguments:?}: {}", raised.stderr);
    }
    let off = warned("[build]\nseverity = { E0315 = 'off' }\n", &["-Werror"]);
    assert_eq!((off.code, off.stderr.as_str(), off.stdout == usual.stdout), (0, "", true));
    // The command line goes before the manifest.
    assert_eq!(warned("[build]\nseverity = 'error'\n", &["-W", "E0315=warn"]).code, 0);
    let unknown = warned("", &["-W", "E315=off"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("`E315` is no code; there is E0315"), "{}", unknown.stderr);
}

#[test]
fn an_error_stays_an_error() {
    let error = run(&["check", "src/main.hlsl", "-W", "E0301=off,off"]);
    assert!(error.code == 1 && error.stderr.contains("error[E0301]"), "{}", error.stderr);
}

/// A source with one fault, the note about it, and what is written instead by an editor.
const MEANT: &[(&str, &str, Option<&str>)] = &[
    ("float4 f() { vec4 x = 1; return x; }", "`vec4` of GLSL is `float4` here", Some("float4")),
    ("mat4 turn;", "`mat4` of GLSL is `float4x4` here", Some("float4x4")),
    ("float f(float a) { return mix(a, 1.0, 0.5); }", "`mix` of GLSL is `lerp` here", Some("lerp")),
    ("float f(float a) { return inversesqrt(a); }", "`inversesqrt` of GLSL is `rsqrt` here", Some("rsqrt")),
    ("float f(float a) { return dFdx(a); }", "`dFdx` of GLSL is `ddx` here", Some("ddx")),
    (
        "float f(float a) { return mod(a, 2.0); }",
        "instead of `mod` of GLSL there is `fmod(x, y)`, which has the sign of `x`; GLSL's is `x - y * floor(x / y)`",
        None,
    ),
    (
        "Texture2D t; float4 f(float2 uv) { return texelFetch(t, int2(uv), 0); }",
        "instead of `texelFetch` of GLSL there is `image.Load(int3(place, level))`, or `image[place]` for level 0",
        None,
    ),
    (
        "float4 f() { return gl_FragCoord; }",
        "`gl_FragCoord` of GLSL is an input or output with the semantic `SV_Position`",
        None,
    ),
    (
        "void f() { barrier(); }",
        "`barrier` of GLSL is `GroupMemoryBarrierWithGroupSync` here",
        Some("GroupMemoryBarrierWithGroupSync"),
    ),
    ("float2 f(float4 a) { return a.st; }", "`st` of GLSL is `xy` here", Some("xy")),
    ("struct Part { float weight; }; float f(Part p) { return p.wieght; }", "there is `weight`", Some("weight")),
    ("struct Part { float weight; }; float f(Parts p) { return p.weight; }", "there is `Part`", Some("Part")),
    ("float4 albedo; float4 f() { return albdo; }", "there is `albedo`", Some("albedo")),
    ("float f(float a) { return satruate(a); }", "there is `saturate`", Some("saturate")),
    ("[unrol] void f() { }", "there is `[unroll]`", Some("unroll")),
    ("Texture2D t; SamplerState s; float4 f() { return t.Sampel(s, 0); }", "there is `Sample`", Some("Sample")),
    ("RWByteAddressBuffer b; void f() { b.Stroe(0, 1); }", "there is `Store`", Some("Store")),
    ("float4 main() : SV_Targt { return 0; }", "`SV_Targt` is no system value; there is `SV_Target`", None),
    (
        "float f() { return SCALE_2; }",
        "if the build defines `SCALE_2` as a macro, give it by `-D SCALE_2=VALUE` or `defines` of the manifest",
        None,
    ),
    (
        "[numthreads(GROUP, 1, 1)] void f() { }",
        "if the build defines `GROUP` as a macro, give it by `-D GROUP=VALUE` or `defines` of the manifest",
        None,
    ),
    (
        "FX_STATIC const uint n = 2;",
        "if the build defines `FX_STATIC` as a macro, give it by `-D FX_STATIC=VALUE` or `defines` of the manifest",
        None,
    ),
    ("[shader(\"vertx\")] float4 f() : SV_Position { return 0; }", "there is `vertex`", None),
];

#[test]
fn what_is_probably_meant_is_said() {
    for name in ["a.hlsl", "a.slang"] {
        for (source, note, replacement) in MEANT {
            let tree = tree(&[(name, source)]);
            let lines = lines(&shaderport(tree.path(), &["check", name, "--message-format", "json"]).stdout);
            let notes = |line: &Value| line["notes"].as_array().cloned().unwrap_or_default();
            let found = lines.iter().find(|line| notes(line).iter().any(|n| n == note));
            let found = found.unwrap_or_else(|| panic!("{name}: {source}: no note `{note}` in {lines:?}"));
            assert_eq!(found["suggestion"]["replacement"].as_str(), *replacement, "{name}: {source}");
            // The replacement mends what it takes the place of, and nothing else.
            if let (Some(text), Some(place)) = (replacement, found["suggestion"]["location"].as_object()) {
                let [start, end] =
                    ["byte_start", "byte_end"].map(|key| place[key].as_u64().expect("a number") as usize);
                let mended = [&source[..start], text, &source[end..]].concat();
                let tree = self::tree(&[(name, &mended)]);
                let again = shaderport(tree.path(), &["check", name]);
                assert!(!again.stderr.contains(note), "{mended}: {}", again.stderr);
            }
        }
    }
}

#[test]
fn names_on_the_command_line_are_compared_too() {
    let tree = tree(&[("a.hlsl", "float4 psMain() : SV_Target { return 0; }\n")]);
    for (arguments, said) in [
        (&["check", "a.hlsl", "--entry", "psMian:fragment"][..], "there is `psMain`"),
        (&["check", "a.hlsl", "--entry", "psMain:fragmnet"], "there is fragment"),
        (&["explain", "policys"], "there is `policies`"),
        (&["explain", "E0330"], "there is `E0"),
        (&["explain", "ayout-order"], "there is `layout-order`"),
    ] {
        let run = shaderport(tree.path(), arguments);
        assert!(run.code != 0 && run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn shells_and_manuals_know_the_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]);
        assert!(script.code == 0 && script.stdout.contains("message-format"), "{shell}: {}", script.stderr);
    }
    let page = run(&["man"]);
    assert!(page.code == 0 && page.stdout.contains(".TH shaderport 1"), "{}", page.stdout);
    let page = run(&["man", "build"]);
    assert!(page.code == 0 && page.stdout.contains("binding\\-policy"), "{}", page.stdout);
    assert_eq!(run(&["man", "none"]).code, 2);
}

#[test]
fn arguments_in_a_file_are_arguments() {
    let tree =
        tree(&[("a.hlsl", "float4 psMain() : SV_Target { return N; }\n"), ("o.txt", "--target\nhlsl\n# N\n-DN=3\n")]);
    let run = shaderport(tree.path(), &["compile", "@o.txt", "a.hlsl"]);
    assert!(run.code == 0 && run.stdout.contains("#define N 3\n"), "{}{}", run.stdout, run.stderr);
    let missing = shaderport(tree.path(), &["compile", "@none.txt"]);
    assert!(missing.code == 2 && missing.stderr.contains("`none.txt`"), "{}", missing.stderr);
}
