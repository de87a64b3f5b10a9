//! `shaderport port`: command lines of other compilers, build descriptions, the report, and updates of outputs that were edited.

use crate::random::Random;
use crate::support::{Run, contents, shaderport, tree};
use shaderport::internals::batch::port::merge;
use std::path::Path;

const SHADER: &str = "#ifndef K\n#define K 1\n#endif\ncbuffer Tint : register(b2) { float4 tint; };\nTexture2D image : register(t3);\n\
    SamplerState smooth;\nfloat4 shade(float2 uv : TEXCOORD0) : SV_Target { return image.Sample(smooth, uv) * tint * K; }\n\
    float4 main() : SV_Target { return tint; }\n";

fn read(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn write(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    std::fs::write(path, text).expect("a file");
}

fn port(directory: &Path, more: &[&str]) -> Run {
    shaderport(directory, &[&["port", "s", "--target", "wgsl", "--out", "out"], more].concat())
}

/// A port of a tree with a description. Gives the manifest.
fn manifest_of(files: &[(&str, &str)]) -> (String, String) {
    let directory = tree(files);
    let run = port(directory.path(), &[]);
    assert_eq!(run.code, 0, "{files:?}\n{}{}", run.stderr, run.stdout);
    (read(directory.path(), "out/shaderport.toml"), read(directory.path(), "out/port.md"))
}

#[test]
fn command_lines_of_other_compilers_compile() {
    let directory = tree(&[
        ("a.hlsl", SHADER),
        ("more.rsp", "-T ps_6_0 -E\n \"shade\" -DK=2"),
        ("p.hlsl", "float4 place(float4 at : POSITION) : SV_Position { return at; }\n"),
        ("inc/one.hlsli", "#define ONE 1\n"),
        ("b.hlsl", "#include \"one.hlsli\"\nfloat4 main() : SV_Target { return ONE; }\n"),
    ]);
    let ours = |more: &[&str]| {
        let run = shaderport(
            directory.path(),
            &[&["compile", "a.hlsl", "--target", "wgsl", "--binding-policy"], more].concat(),
        );
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    let with = |tool: &str, before: &[&str], words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let run = shaderport(directory.path(), &[&["compile", "--as", tool], before, &["--"], &words[..]].concat());
        assert_eq!(run.code, 0, "{words:?}\n{}", run.stderr);
        run.stdout
    };
    let shade = ours(&["dxc", "--entry", "shade:fragment", "-DK=2"]);
    let wgsl = ["--target", "wgsl"];
    for words in [
        "-T ps_6_0 -E shade -D K=2 a.hlsl",
        "/Tps_6_0 /Eshade /DK=2 a.hlsl",
        "a.hlsl @more.rsp",
        "-nologo /T ps_6_0 -Eshade -DK=2 -HV 2021 ./a.hlsl",
    ] {
        assert_eq!(with("dxc", &wgsl, words), shade, "{words}");
    }
    assert_eq!(with("fxc", &wgsl, "/nologo /WX /Zpc /Tps_5_0 /Eshade /DK=2 /Fhout.h a.hlsl"), shade);
    assert_eq!(with("dxc", &wgsl, "-T ps_6_0 a.hlsl"), ours(&["dxc", "--entry", "main:fragment"]));
    let shifted = ours(&["dxc", "--entry", "main:fragment", "--shift", "b=10"]);
    assert_eq!(with("dxc", &wgsl, "-T ps_6_0 a.hlsl -fvk-b-shift 10 0"), shifted);
    for (words, own) in [("-fvk-invert-y", "--invert-y"), ("-fvk-use-dx-position-w", "--dx-position-w")] {
        let (entry, stage) = ("-T vs_6_0 -E place p.hlsl", ["--entry", "place:vertex"]);
        let compiled = with("dxc", &wgsl, &format!("{entry} {words}"));
        let run = shaderport(
            directory.path(),
            &[&["compile", "p.hlsl", "--target", "wgsl", "--binding-policy", "dxc", own], &stage[..]].concat(),
        );
        assert_eq!(compiled, run.stdout, "{}", run.stderr);
        assert_eq!(compiled.contains("position.y = -position.y;"), own == "--invert-y", "{compiled}");
    }
    let of_slangc = ours(&["slangc", "--entry", "shade:fragment"]);
    assert_eq!(with("slangc", &[], "-target wgsl -entry shade -stage fragment a.hlsl"), of_slangc);
    // Files are written where the command line says.
    let text = with("dxc", &["--target", "glsl"], "-T ps_6_0 b.hlsl -I inc -Fo out/b.frag -Zi");
    assert!(text.is_empty() && read(directory.path(), "out/b.frag").contains("#version"));
}

#[test]
fn what_other_compilers_cannot_be_asked_for_is_named() {
    let directory = tree(&[("a.hlsl", SHADER)]);
    let run = |tool: &str, words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let args = ["compile", "--as", tool, "--target", "wgsl", "--"];
        shaderport(directory.path(), &[&args[..], &words].concat())
    };
    for (tool, words, expected) in [
        ("fxc", "/nolog a.hlsl", "fxc has no option `/nolog` that is known here, did you mean `-nologo`?"),
        ("fxc", "-spirv a.hlsl", "fxc has no option `-spirv`"),
        ("dxc", "-T ps_6_0 a.hlsl -fvk-bind-register t0 0 1 0", "`-fvk-bind-register` is not supported"),
        ("dxc", "-T ps_6_0 a.hlsl -fvk-t-shift 4 2", "a shift is for all spaces"),
        ("dxc", "a.hlsl -E", "`-E` needs a value"),
        ("dxc", "-T ps_6_0", "names no source"),
        ("dxc", "@none.rsp", "the response file `none.rsp` cannot be read"),
        ("slangc", "a.hlsl -stage pxel", "`pxel` is not a stage"),
        ("slangc", "-D 1 a.hlsl", "a macro needs a name"),
    ] {
        let run = run(tool, words);
        assert!(run.code == 2 && run.stderr.contains(expected), "{words}: {}", run.stderr);
    }
    let run = run("dxc", "-T ps_6_0 a.hlsl -Zi -Qstrip_debug");
    assert!(run.code == 0 && run.stderr.contains("note: `-Zi` changes nothing here: "), "{}", run.stderr);
    let run = shaderport(directory.path(), &["compile", "--as", "dxc", "--", "-T", "ps_6_0", "a.hlsl"]);
    assert!(run.code == 2 && run.stderr.contains("add --target before `--`"), "{}", run.stderr);
}

/// Descriptions of each kind that say the same: of two functions of `x/a.hlsl` the first is an entry point, and `K` is 2.
#[test]
fn descriptions_of_every_kind_are_read() {
    let batch = "@echo off\r\nset OPTS=/nologo /WX\r\nif %1.==other. goto other\r\nif defined NOTHING (\r\n  set OPTS=/broken\r\n) else (\r\n  \
        set LEVEL=2\r\n)\r\nfor %%f in (x\\*.hlsl) do call :one %%~nf ps shade\r\ngoto end\r\n:other\r\nfxc x\\a.hlsl /Tps_5_0 /Emain\r\n:end\r\n\
        exit /b 0\r\n:one\r\nset command=\"%FXC%\\fxc.exe\" \"x\\%1.hlsl\" %OPTS% /T%2_5_0 ^\r\n  /E%3 \"/Fh%OUT%\\%1.h\" /DK=%LEVEL%\r\n\
        %command% || set error=1\r\nexit /b\r\n";
    let shell = "#!/bin/bash\nset -e\nHERE=$(cd \"$(dirname \"$0\")\" && pwd)\nLEVEL=2 # how much\ncompile() {\n  local file=\"$1\"\n  \
        \"$DXC\" -T \"$2_6_0\" -E shade -D K=$LEVEL \"$file\" \\\n    -Fo \"out/$(basename \"${file%.*}\").spv\"\n}\n\
        for f in x/*.hlsl; do compile \"$f\" ps; done\n";
    let shell = shell.replace("$2_6_0", "${2}_6_0");
    let cmake = "set(ENTRIES shade)\nfunction(compile file)\n  cmake_parse_arguments(ARG \"\" \"KIND\" \"ENTRIES\" ${ARGN})\n  \
        foreach(entry IN LISTS ARG_ENTRIES)\n    add_custom_command(OUTPUT ${file}.spv COMMAND ${DXC} -T ${ARG_KIND}_6_0 -E ${entry}\n      \
        -DK=2 ${CMAKE_CURRENT_SOURCE_DIR}/${file} -Fo ${CMAKE_CURRENT_BINARY_DIR}/${file}.spv # a remark)\n      \
        DEPENDS ${file} COMMENT \"dxc (${file})\")\n  endforeach()\nendfunction()\n\
        file(GLOB SHADERS x/*.hlsl)\nforeach(file ${SHADERS})\n  compile(${file} KIND ps ENTRIES ${ENTRIES})\nendforeach()\n";
    let json =
        r#"{ "steps": [{ "directory": "/home/me/s", "command": "dxc -T ps_6_0 -E shade -DK=2 x/a.hlsl -Fo a.spv" }] }"#;
    let lists = r#"[["dxc", "-T", "ps_6_0", "-E", "shade", "-D", "K=2", "x/a.hlsl"]]"#;
    let shader_make = "// a remark\nx/a.hlsl -T ps -E shade -D K=2 -o blobs\n";
    let makefile = "DXC ?= $(VULKAN_SDK)/bin/dxc # where it is\nLEVEL := 1\nLEVEL := $(LEVEL)2\nFLAGS = -E shade \\\n  -D K=$(patsubst 1%,%,$(LEVEL))\n\
        SHADERS := $(wildcard x/*.hlsl)\nall: $(SHADERS:.hlsl=.spv)\nifeq ($(OS),Windows_NT)\nx/a.spv: FLAGS += -Zi\nendif\n\
        %.spv: %.hlsl Makefile | out\n\t@mkdir -p $(@D)\n\t$(DXC) -T ps_6_0 $(FLAGS) $< \\\n\t  -Fo $@\n\
        out:\n\tmkdir -p out\n.PHONY: all\n";
    for (name, text) in [
        ("s/Makefile", makefile),
        ("s/build.cmd", batch),
        ("s/build.sh", &shell),
        ("s/CMakeLists.txt", cmake),
        ("s/steps.json", json),
        ("s/lists.json", lists),
        ("s/shaders.cfg", shader_make),
    ] {
        let (manifest, report) = manifest_of(&[("s/x/a.hlsl", SHADER), (name, text)]);
        let section = "[[shader]]\nfiles = [\"x/a.hlsl\"]\nentries = [\"shade:fragment\"]\ndefines = { K = \"2\" }\n";
        assert!(manifest.contains(section) && !manifest.contains("main"), "{name}\n{manifest}\n{report}");
        let name = name.strip_prefix("s/").expect("a name in the tree");
        assert!(report.contains(&format!("`{name}` (1 commands)")), "{report}");
        assert!(report.contains("| `image` | `register(t3)` | set 0, binding"), "{report}");
        assert!(report.contains("| `smooth` | (s0) | set 0, binding"), "{report}");
    }
}

/// CMake files share functions and variables with those that they include or add; conditions that are known choose a part.
#[test]
fn cmake_files_run_others() {
    let all = "list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/build)\ninclude(shaders)\nset(FLAGS -D K=2)\n\
        option(WITH_LAST \"the last\" OFF)\nfind_path(COMMON common.hlsli PATHS ${CMAKE_CURRENT_SOURCE_DIR}/none ${CMAKE_CURRENT_SOURCE_DIR}/inc)\n\
        file(GLOB PARTS RELATIVE ${CMAKE_SOURCE_DIR}/parts ${CMAKE_SOURCE_DIR}/parts/*)\nforeach(part ${PARTS})\n\
        if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/parts/${part})\nadd_subdirectory(parts/${part})\nendif()\nendforeach()\n\
        return()\ncompile(SOURCES parts/a/never.frag.hlsl PROFILE ps)\n";
    let module = "function(compile)\ncmake_parse_arguments(ARG \"ROWS\" \"PROFILE\" \"SOURCES;MORE\" ${ARGN})\n\
        if(NOT ARG_SOURCES OR (ARG_PROFILE STREQUAL none))\nreturn()\nendif()\nforeach(source IN LISTS ARG_SOURCES)\n\
        if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})\ncontinue()\nendif()\nget_filename_component(kind ${source} EXT)\n\
        string(REGEX REPLACE \"^[.]([a-z]+)[.].*$\" \"\\\\1\" kind ${kind})\nif(kind STREQUAL frag)\nset(entry shade)\n\
        elseif(kind MATCHES \"^v\")\nset(entry place)\nelse()\nset(entry broken)\nendif()\nif(ARG_ROWS)\nset(order -Zpr)\nendif()\n\
        add_custom_command(OUTPUT ${source}.spv COMMAND ${CMAKE_COMMAND} -E time ${DXC} -T ${ARG_PROFILE}_6_0 -E ${entry} ${order}\n\
        ${FLAGS} ${ARG_MORE} -I ${COMMON} \"-DTEXT=\\\"x\\\"\" ${source})\nendforeach()\nendfunction()\n";
    let part = "compile(SOURCES a.frag.hlsl PROFILE ps MORE -D L=1)\ncompile(SOURCES PROFILE none)\nmacro(twice)\n\
        compile(SOURCES ${ARGN} PROFILE vs ROWS)\nendmacro()\ntwice(b.vert.hlsl)\nconfigure_file(settings.in ${CMAKE_SOURCE_DIR}/inc/settings.hlsli)\n";
    let vertex = "float4 place(float4 at : POSITION) : SV_Position { return at; }\n";
    let files = [
        ("s/CMakeLists.txt", all),
        ("s/build/shaders.cmake", module),
        ("s/inc/common.hlsli", "#define ONE 1\n"),
        ("s/parts/a/CMakeLists.txt", part),
        ("s/parts/a/a.frag.hlsl", SHADER),
        ("s/parts/a/b.vert.hlsl", vertex),
        ("s/parts/a/never.frag.hlsl", SHADER),
        ("s/parts/none.txt", "no directory\n"),
    ];
    let (manifest, report) = manifest_of(&files);
    let defines = "defines = { K = \"2\", L = \"1\", TEXT = \"x\" }\ninclude = [\"inc\"]\n";
    let rows = "entries = [\"place:vertex\"]\ndefines = { K = \"2\", TEXT = \"x\" }\ninclude = [\"inc\"]\nmatrix-layout = \"row\"\n";
    for expected in [&format!("entries = [\"shade:fragment\"]\n{defines}"), rows] {
        assert!(manifest.contains(expected), "{expected}\n{manifest}\n{report}");
    }
    for expected in [
        "Entry points and macros are those of `CMakeLists.txt` (2 commands).",
        "parts/a/CMakeLists.txt:7: `inc/settings.hlsli` is written by the build, which has not run: run it, then port again",
        "parts/a/never.frag.hlsl is compiled by no description that was followed; its entry points are",
    ] {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
    assert!(!manifest.contains("broken"), "{manifest}\n{report}");
}

/// A command of ShaderMake says macros and include directories for all of its configuration; of those for several platforms the one
/// for D3D is taken.
#[test]
fn commands_of_shader_make_are_followed() {
    let cmake = "set(COMMON --sourceDir x -c \"x/shaders.cfg\" -I \"${CMAKE_SOURCE_DIR}/inc\" --matrixRowMajor --WX -m 6_5 -D K=2)\n\
        set(COMMANDS)\nif(WITH_VULKAN)\nlist(APPEND COMMANDS COMMAND ${SHADERMAKE_PATH} --platform=SPIRV ${COMMON} -D SPIRV --tRegShift 20)\n\
        endif()\nlist(APPEND COMMANDS COMMAND ShaderMake -p DXIL ${COMMON} --compiler ${DXC})\n\
        add_custom_target(Shaders ALL ${COMMANDS} WORKING_DIRECTORY \"${CMAKE_CURRENT_SOURCE_DIR}\" VERBATIM)\n";
    let (manifest, report) = manifest_of(&[
        ("s/CMakeLists.txt", cmake),
        ("s/x/shaders.cfg", "a.hlsl -T ps -E shade -D L=1\n"),
        ("s/x/a.hlsl", &format!("#include \"one.hlsli\"\n{SHADER}")),
        ("s/inc/one.hlsli", "#define ONE 1\n"),
    ]);
    let section = "[[shader]]\nfiles = [\"x/a.hlsl\"]\nentries = [\"shade:fragment\"]\ndefines = { K = \"2\", L = \"1\" }\n\
        include = [\"inc\"]\nmatrix-layout = \"row\"\n";
    assert!(manifest.contains(section), "{manifest}\n{report}");
    assert!(report.contains("those of `CMakeLists.txt` (1 commands)"), "{report}");
}

/// Stages that each declare a type by one name are programs by themselves in Slang, where a file is no scope.
#[test]
fn stages_with_types_of_one_name_are_programs_by_themselves() {
    let vertex = "struct Point { float4 at : SV_Position; float2 uv; };\n[shader(\"vertex\")]\n\
        Point main(float4 at : POSITION) { Point p; p.at = at; p.uv = at.xy; return p; }\n";
    let fragment = "struct Point { float2 uv; };\n[shader(\"fragment\")]\nfloat4 main(Point p) : SV_Target { return p.uv.xyxy; }\n";
    let (manifest, _) = manifest_of(&[("s/a.vert.slang", vertex), ("s/a.frag.slang", fragment)]);
    assert!(!manifest.contains("[[program]]"), "{manifest}");
}

/// Batch files run others with what these take, which say nothing by themselves then; `%cd%` is a place in the tree.
#[test]
fn batch_files_run_others() {
    let all = "set LEVEL=2\r\ncall tools\\compile.bat x\\a shade\r\ncall :again\r\nfxc gone.hlsl /T ps_5_0\r\nexit /b\r\n:again\r\n\
        call tools\\compile x\\b main\r\ntools\\last.cmd x\\c\r\nfxc x\\never.hlsl /T ps_5_0\r\n";
    let compile = "pushd %~dp0..\r\nset root=%cd%\r\npopd\r\n\
        fxc /T ps_5_0 /E %2 /D K=%LEVEL% /I \"%root%\\inc\" \"%root%\\%1.hlsl\"\r\n";
    let last = "fxc /T ps_5_0 /E shade /D K=3 %1.hlsl\r\n";
    let files = [
        ("s/all.bat", all),
        ("s/tools/compile.bat", compile),
        ("s/tools/last.cmd", last),
        ("s/inc/one.hlsli", "#define ONE 1\n"),
        ("s/x/a.hlsl", SHADER),
        ("s/x/b.hlsl", SHADER),
        ("s/x/c.hlsl", SHADER),
    ];
    let (manifest, report) = manifest_of(&files);
    for (file, entry, level) in [("a", "shade", "2"), ("b", "main", "2"), ("c", "shade", "3")] {
        let section =
            format!("files = [\"x/{file}.hlsl\"]\nentries = [\"{entry}:fragment\"]\ndefines = {{ K = \"{level}\" }}\n");
        assert!(manifest.contains(&section), "{section}\n{manifest}\n{report}");
    }
    assert!(
        manifest.contains("include = [\"inc\"]") && report.contains("`all.bat` (3 commands)"),
        "{manifest}\n{report}"
    );
    assert!(
        !report.contains("never") && !report.contains("gone") && !report.contains("tools/compile.bat` ("),
        "{report}"
    );
}

/// A script that takes the name of a shader, and that nothing of the tree runs, is for all that are called so.
#[test]
fn names_of_which_a_part_is_not_known_are_patterns() {
    let one = "set name=%1\r\nset up=%2\r\npushd %up%..\r\nset root=%cd%\r\npopd\r\n\
        dxc -T ps_6_0 -E shade -D K=2 -I \"%root%\\lib\\inc\" \"%root%\\lib\\%name%_pass.hlsl\"\r\n";
    let files = [
        ("s/tools/one.bat", one),
        ("s/deep/lib/inc/one.hlsli", "#define ONE 1\n"),
        ("s/deep/lib/a_pass.hlsl", SHADER),
        ("s/deep/lib/b_pass.hlsl", SHADER),
        ("s/deep/lib/other.hlsl", SHADER),
    ];
    let (manifest, report) = manifest_of(&files);
    let section = "files = [\"deep/lib/a_pass.hlsl\", \"deep/lib/b_pass.hlsl\"]\nentries = [\"shade:fragment\"]\n\
        defines = { K = \"2\" }\ninclude = [\"deep/lib/inc\"]\n";
    assert!(manifest.contains(section), "{manifest}\n{report}");
    assert!(
        report.contains(
            "one.bat:6: `${CD}\\lib\\${NAME}_pass.hlsl` is not known: all files that are called so are taken"
        ),
        "{report}"
    );
}

/// The content of MonoGame names effects, whose passes name functions.
#[test]
fn effects_of_monogame_have_the_entry_points_of_their_passes() {
    let effect = "#define PS_SHADERMODEL ps_4_0\nfloat4 One() : SV_Target { return K; }\nfloat4 Two() : SV_Target { return 2; }\n\
        technique T { pass P { PixelShader = compile PS_SHADERMODEL One(); } /* pass Q { PixelShader = compile ps_3_0 Two(); } */ };\n";
    let content = "#begin e.fx\n/importer:EffectImporter\n/processor:EffectProcessor\n/processorParam:Defines=K=4;L\n/build:e.fx\n\n\
        #begin i.png\n/importer:TextureImporter\n/build:i.png\n";
    let (manifest, report) = manifest_of(&[("s/e.fx", effect), ("s/Content.mgcb", content)]);
    let section = "files = [\"e.fx\"]\nentries = [\"One:fragment\"]\ndefines = { K = \"4\", L = \"1\" }\n";
    assert!(manifest.contains(section), "{manifest}\n{report}");
}

/// Where nothing describes a tree, a function that nobody calls is an entry point if structs have the semantics, and one that others
/// call is none if a parameter has no semantic.
#[test]
fn functions_are_entry_points_by_semantics_in_structs() {
    let source = "struct In { float4 at : SV_Position; float2 uv : TEXCOORD; };\n\
        struct Out { float4 near : SV_Target0; float4 far : SV_Target1; };\n\
        float4 Common(In i, float3 base) : SV_Target { return float4(base, i.uv.x); }\n\
        Out Gather(In i) { Out o; o.near = Common(i, 1); o.far = i.at; return o; }\n\
        Out Blend(In i) { Out o = Gather(i); o.far *= 2; return o; }\n\
        float4 Sky(In i) : SV_Target { return Common(i, float3(i.uv, 1)); }\n\
        float4 Sky(float2 uv, float k) { return float4(uv * k, 1, 1); }\n";
    let (manifest, report) = manifest_of(&[("s/a.hlsl", source)]);
    let section = "files = [\"a.hlsl\"]\nentries = [\"Blend:fragment\", \"Sky:fragment\"]\n";
    assert!(manifest.contains(section), "{manifest}\n{report}");
}

/// Rules of makefiles of each kind. A pattern is for the targets that rules name; without any it is for all files of the tree.
#[test]
fn rules_of_makefiles_are_run_for_their_targets() {
    let makefile = "include flags.mk\nall: x/a.spv b.h\nb.h: b.hlsl\n\tfor k in 1 2; do $(FXC) /T ps_5_0 /E main /D K=$$k $<; done\n\
        x/%.spv: x/%.hlsl\n\t$(call compile,ps_6_0,shade)\n\
        $(addsuffix .bin,c d): %.bin: %.hlsl; dxc -T ps_6_0 $(D$*) $<\n\
        .hlsl.wgsl:\n\tslangc -target wgsl -entry main -stage fragment -D $(basename $(<F)) $<\n\
        gone.spv:\n\t$(DXC) -T ps_6_0 gone.hlsl\n";
    let flags = "define compile =\n$(DXC) -T $(1) -E $(2) $<\nendef\nDc = -DC\nDd = -DD=4\n";
    let shader = |name: &'static str| (name, SHADER);
    let (manifest, report) = manifest_of(&[
        ("s/m/GNUmakefile", makefile),
        ("s/m/flags.mk", flags),
        shader("s/m/x/a.hlsl"),
        shader("s/m/x/unused.hlsl"),
        shader("s/m/b.hlsl"),
        shader("s/m/c.hlsl"),
        shader("s/m/d.hlsl"),
    ]);
    for (name, keys) in [
        ("m/x/a.shade", "files = [\"m/x/a.hlsl\"]\nentries = [\"shade:fragment\"]\n"),
        ("m/x/unused", "files = [\"m/x/unused.hlsl\"]\nentries = [\"main:fragment\"]\ndefines = { unused = \"1\" }\n"),
        ("m/c.C", "files = [\"m/c.hlsl\"]\nentries = [\"main:fragment\"]\ndefines = { C = \"1\" }\n"),
        ("m/d.D-4", "files = [\"m/d.hlsl\"]\nentries = [\"main:fragment\"]\ndefines = { D = \"4\" }\n"),
        ("m/b.main", "files = [\"m/b.hlsl\"]\nentries = [\"main:fragment\"]\npermute = { K = [1, 2] }\n"),
    ] {
        assert!(manifest.contains(keys), "{name}\n{manifest}\n{report}");
    }
    assert!(report.contains("m/GNUmakefile:11: there is no file `gone.hlsl`"), "{report}");
}

/// A program that is not known is taken for one with the options of dxc if it is given a shader and a profile as dxc is; braces in
/// its macros are a command for each value.
#[test]
fn programs_with_the_options_of_dxc_are_read() {
    let script = "set SC=..\\tools\\ShaderCook.exe\n\
        %SC% -Zs -T ps_6_0 -E shade -DK={1,2} -DMODE={A,B} -I lib a.hlsl\n\
        ..\\tools\\pack.exe a.hlsl -T fast_mode\necho -T ps_6_0 b.hlsl\n";
    let (manifest, report) = manifest_of(&[
        ("s/build.bat", script),
        ("s/a.hlsl", SHADER),
        ("s/b.hlsl", "float4 main() : SV_Target { return 0; }\n"),
    ]);
    let keys = "files = [\"a.hlsl\"]\nentries = [\"shade:fragment\"]\ninclude = [\"lib\"]\n\
        permute = { K = [1, 2], MODE = [\"A\", \"B\"] }\n";
    assert!(manifest.contains(keys), "{manifest}\n{report}");
    assert!(!manifest.contains("b.hlsl"), "{manifest}");
    assert!(report.contains("build.bat:2: `shadercook` is taken for a program with the options of dxc"), "{report}");
    assert!(report.contains("build.bat:3: `..\\tools\\pack.exe` is given a shader and is not followed"), "{report}");
}

/// Prerequisites that the directory of the makefile does not have are searched where `vpath` and then `VPATH` say.
#[test]
fn makefiles_search_for_prerequisites() {
    let makefile = "VPATH = ../shaders:near\nvpath %.fx first second\nvpath %.slang nowhere\nvpath %.slang\n\
        all: a.spv b.spv c.spv d.spv e.spv\n\
        %.spv: %.hlsl\n\tdxc -T ps_6_0 -D AS_$* $<\n\
        c.spv: c.fx\n\tfxc /T ps_5_0 /D AS_c $<\n\
        d.spv: d.slang\n\tslangc -entry main -stage fragment $<\n\
        e.spv: e.hlsl\n\tdxc -T ps_6_0 -D HERE $(<D)/e.hlsl\n";
    let shader = |name: &'static str| (name, SHADER);
    let (manifest, report) = manifest_of(&[
        ("s/make/Makefile", makefile),
        shader("s/shaders/a.hlsl"),
        shader("s/shaders2/z.hlsl"),
        shader("s/make/near/a.hlsl"),
        shader("s/make/near/b.hlsl"),
        shader("s/make/second/c.fx"),
        shader("s/make/near/c.fx"),
        shader("s/make/e.hlsl"),
        shader("s/make/near/e.hlsl"),
    ]);
    for (file, defined) in [
        ("shaders/a.hlsl", "AS_a"),
        ("make/near/b.hlsl", "AS_b"),
        ("make/second/c.fx", "AS_c"),
        ("make/e.hlsl", "HERE"),
    ] {
        let keys = format!("files = [\"{file}\"]\nentries = [\"main:fragment\"]\ndefines = {{ {defined} = \"1\" }}\n");
        assert!(manifest.contains(&keys), "{keys}\n{manifest}\n{report}");
    }
    for other in ["shaders2/z.hlsl", "make/near/a.hlsl", "make/near/c.fx", "make/near/e.hlsl"] {
        let keys = format!("files = [\"{other}\"]\nentries = [\"main:fragment\", \"shade:fragment\"]\n");
        assert!(manifest.contains(&keys), "{keys}\n{manifest}");
    }
    assert!(report.contains("make/Makefile:11: there is no file `d.slang`"), "{report}");
}

/// A project of Visual Studio: of the definitions of items and of items what a release has, with properties of what it imports.
#[test]
fn projects_of_visual_studio_are_read() {
    let project = r#"<?xml version="1.0" encoding="utf-8"?>
<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <ItemGroup Label="ProjectConfigurations">
    <ProjectConfiguration Include="Debug|x64" /><ProjectConfiguration Include="Release|x64" />
  </ItemGroup>
  <Import Project="$(VCTargetsPath)\Microsoft.Cpp.props" />
  <Import Project="..\..\props\Common.props" Condition="'$(Platform)'=='x64' and '$(Other)'==''" />
  <Import Project="..\Shared.vcxitems" Label="Shared" />
  <ItemDefinitionGroup>
    <FxCompile>
      <ShaderModel>6.0</ShaderModel>
      <PreprocessorDefinitions Condition="'$(Configuration)|$(Platform)'=='Debug|x64'">K=9;%(PreprocessorDefinitions)</PreprocessorDefinitions>
      <PreprocessorDefinitions Condition="'$(Configuration)|$(Platform)'=='Release|x64'">K=$(Level);%(PreprocessorDefinitions)</PreprocessorDefinitions>
      <AdditionalIncludeDirectories>$(SolutionDir)inc;%(AdditionalIncludeDirectories)</AdditionalIncludeDirectories>
    </FxCompile>
  </ItemDefinitionGroup>
  <ItemGroup>
    <FxCompile Include="a.hlsl">
      <EntryPointName Condition="'$(Configuration)'=='Debug'">main</EntryPointName>
      <EntryPointName Condition="'$(Configuration)'!='Debug'">shade</EntryPointName>
      <ShaderType>Pixel</ShaderType>
      <PreprocessorDefinitions>TEXT=&quot;a&quot;;%(PreprocessorDefinitions)</PreprocessorDefinitions>
      <AdditionalOptions>-Zpr -O3 %(AdditionalOptions)</AdditionalOptions>
    </FxCompile>
    <FxCompile Include="many\*.hlsl" Exclude="many\no.hlsl">
      <ShaderType>Pixel</ShaderType>
      <EntryPointName>%(Filename)</EntryPointName>
      <PreprocessorDefinitions></PreprocessorDefinitions>
    </FxCompile>
    <FxCompile Include="out.hlsl">
      <ShaderType>Pixel</ShaderType>
      <ExcludedFromBuild Condition="'$(Configuration)|$(Platform)'=='Release|x64'">true</ExcludedFromBuild>
    </FxCompile>
    <FxCompile Include="fx.hlsl"><ShaderType>Effect</ShaderType></FxCompile>
    <FxCompile Include="out.hlsl;fx.hlsl" />
    <FxCompile Include="odd.hlsl" Condition="'$(X.Length)'=='1'"><ShaderType>Pixel</ShaderType></FxCompile>
    <CustomBuild Include="custom.hlsl"><Command>echo %(Identity)
"$(DXC)\dxc.exe" -T ps_6_0 -E shade "%(FullPath)" -Fo %(Filename).cso</Command></CustomBuild>
  </ItemGroup>
</Project>
"#;
    let project = format!("\u{feff}{}", project.replace('\n', "\r\n"));
    let shared = "<Project><ItemGroup><FxCompile Include='$(MSBuildThisFileDirectory)common\\*.hlsl'><ShaderType>Pixel</ShaderType>\
        </FxCompile></ItemGroup></Project>";
    let properties = "<Project><PropertyGroup><Level>1</Level><Level Condition=\"'$(Level)' != ''\">3</Level></PropertyGroup></Project>";
    let one = "float4 one() : SV_Target { return 1; }\n";
    let (manifest, report) = manifest_of(&[
        ("s/App.sln", ""),
        ("s/props/Common.props", properties),
        ("s/src/Shared.vcxitems", shared),
        ("s/src/common/c.hlsl", SHADER),
        ("s/src/app/App.vcxproj", &project),
        ("s/src/app/a.hlsl", SHADER),
        ("s/src/app/custom.hlsl", SHADER),
        ("s/src/app/many/one.hlsl", one),
        ("s/src/app/many/no.hlsl", "float4 no() : SV_Target { return 0; }\n"),
        ("s/src/app/out.hlsl", SHADER),
        ("s/src/app/fx.hlsl", SHADER),
        ("s/src/app/odd.hlsl", SHADER),
        ("s/inc/i.hlsli", "#define I 1\n"),
    ]);
    for section in [
        "files = [\"src/app/a.hlsl\"]\nentries = [\"shade:fragment\"]\ndefines = { K = \"3\", TEXT = \"\\\"a\\\"\" }\n\
         include = [\"inc\"]\nmatrix-layout = \"row\"\n",
        "files = [\"src/common/c.hlsl\"]\nentries = [\"main:fragment\"]\ndefines = { K = \"3\" }\ninclude = [\"inc\"]\n",
        "files = [\"src/app/many/one.hlsl\"]\nentries = [\"one:fragment\"]\ninclude = [\"inc\"]\n",
        "files = [\"src/app/custom.hlsl\"]\nentries = [\"shade:fragment\"]\n",
    ] {
        assert!(manifest.contains(section), "{section}\n{manifest}\n{report}");
    }
    for expected in [
        "`src/app/App.vcxproj` (4 commands)",
        "src/app/App.vcxproj:34: `fx.hlsl` is of the ShaderType `Effect`, which is not followed",
        "src/app/App.vcxproj:35: `out.hlsl` and 1 more have no ShaderType: their stages are those that their names tell",
        "src/app/App.vcxproj:36: the condition `'$(X.Length)'=='1'` is not followed",
        "src/app/fx.hlsl, src/app/odd.hlsl, src/app/out.hlsl are compiled by no description",
    ] {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
    // It is a part of the project, and what is excluded is no command.
    assert!(!report.contains("Shared.vcxitems` ("), "{report}");
}

/// Lists of items are followed, and tasks `Exec` of targets, once for each item.
#[test]
fn lists_and_tasks_of_projects_are_followed() {
    let project = r#"<Project>
  <PropertyGroup><Dxc>$(SdkPath)\dxc.exe</Dxc></PropertyGroup>
  <ItemGroup>
    <Pixel Include="sky.hlsl;sea.hlsl"><Entry>shade</Entry></Pixel>
    <Pixel Remove="sea.hlsl" />
    <FxCompile Include="@(Pixel)"><ShaderType>Pixel</ShaderType><EntryPointName>%(Entry)</EntryPointName></FxCompile>
    <Kernel Include="a.hlsl"><Width>4</Width></Kernel>
    <Kernel Include="@(Kernel->'%(Filename)2.hlsl')"><Width>8</Width></Kernel>
    <ClCompile Include="main.cpp" Condition="'$(X.Length)'=='1'" />
  </ItemGroup>
  <Target Name="Kernels" BeforeTargets="Build">
    <Exec Command="&quot;$(Dxc)&quot; -T cs_6_0 -E main -D WIDTH=%(Kernel.Width) %(Kernel.Identity) -Fo out.cso" Condition="'%(Width)'!='0'" />
    <Exec Command="copy a.hlsl b.hlsl" />
  </Target>
</Project>
"#;
    let kernel = "RWBuffer<uint> data;\n[numthreads(WIDTH, 1, 1)] void main() { data[0] = 1; }\n";
    let (manifest, report) = manifest_of(&[
        ("s/App.vcxproj", project),
        ("s/sky.hlsl", SHADER),
        ("s/sea.hlsl", SHADER),
        ("s/a.hlsl", kernel),
        ("s/a2.hlsl", kernel),
    ]);
    for section in [
        "files = [\"sky.hlsl\"]\nentries = [\"shade:fragment\"]\n",
        "files = [\"a.hlsl\"]\nentries = [\"main:compute\"]\ndefines = { WIDTH = \"4\" }\n",
        "files = [\"a2.hlsl\"]\nentries = [\"main:compute\"]\ndefines = { WIDTH = \"8\" }\n",
    ] {
        assert!(manifest.contains(section), "{section}\n{manifest}\n{report}");
    }
    assert!(report.contains("`App.vcxproj` (3 commands)") && !report.contains("is not followed"), "{report}");
}

/// An include directory is one of the tree in any case, and comes before roots that are found for other files.
#[test]
fn include_directories_of_descriptions_come_first() {
    let include = "#include \"shade.hlsli\"\nfloat4 main() : SV_Target { return shade(); }\n";
    let directory = tree(&[
        ("s/A/shade.hlsli", "float4 shade() { return 0.25; }\n"),
        ("s/App/Shaders/shade.hlsli", "float4 shade() { return 0.75; }\n"),
        ("s/App/x.hlsl", include),
        ("s/App/c.cmd", "dxc -T ps_6_0 -E main -I shaders -I Shaders x.hlsl\n"),
        ("s/y.hlsl", include),
    ]);
    let run = port(directory.path(), &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let manifest = read(directory.path(), "out/shaderport.toml");
    for keys in [
        "tree = \"../s\"\ninclude = [\"A\"]\n",
        "files = [\"App/x.hlsl\"]\nentries = [\"main:fragment\"]\ninclude = [\"App/Shaders\"]\n",
    ] {
        assert!(manifest.contains(keys), "{keys}\n{manifest}");
    }
    for (text, number) in [("out/wgsl/App/x.wgsl", "0.75"), ("out/wgsl/y.wgsl", "0.25")] {
        let text = read(directory.path(), text);
        assert!(text.contains(number), "{text}");
    }
}

/// Macros that have all combinations of some values are permutations; a file that is compiled in other ways is a program for each.
#[test]
fn commands_that_differ_in_macros_are_variants_or_programs() {
    let lines = "x/a.hlsl -T ps -E shade -D K={1,2} -D L={0,1}\nx/b.hlsl -T ps -E shade -D K=1\nx/b.hlsl -T ps -E main -D L=0\n";
    let files = [("s/x/a.hlsl", SHADER), ("s/x/b.hlsl", SHADER), ("s/shaders.cfg", lines)];
    let (manifest, _) = manifest_of(&files);
    assert!(
        manifest
            .contains("files = [\"x/a.hlsl\"]\nentries = [\"shade:fragment\"]\npermute = { K = [1, 2], L = [0, 1] }\n"),
        "{manifest}"
    );
    for (name, entry, define) in [("x/b.K-1", "shade", "K = \"1\""), ("x/b.L-0", "main", "L = \"0\"")] {
        let section = format!(
            "[[program]]\nname = \"{name}\"\nfiles = [\"x/b.hlsl\"]\nentries = [\"{entry}:fragment\"]\ndefines = {{ {define} }}\n"
        );
        assert!(manifest.contains(&section), "{manifest}");
    }
}

/// Command lines of glslc and glslangValidator are followed where they are about HLSL.
#[test]
fn glslc_and_glslang_compile_hlsl() {
    let shell = "for s in vert frag; do\n  glslc -fshader-stage=$s -fentry-point=shade -DK=2 -Iinc --target-env=vulkan1.2 a.$s.hlsl -o a.$s.spv\ndone\n\
        glslangValidator -D -e shade -S frag -V --auto-map-bindings -DL b.pix -o b.spv\n\
        \"$VULKAN_SDK/bin/glslc\" -x hlsl -fshader-stage=fragment c.ps -o c.spv\n\
        glslang -V d.frag -o d.spv\n";
    let cmake = "add_custom_command(OUTPUT e.spv COMMAND ${Vulkan_GLSLC_EXECUTABLE} -fshader-stage=comp ${CMAKE_CURRENT_SOURCE_DIR}/e.hlsl -o e.spv)\n";
    let vertex = "float4 shade(float4 at : POSITION) : SV_Position { return at * K; }\n";
    let compute = "RWBuffer<uint> data;\n[numthreads(1, 1, 1)] void main() { data[0] = 1; }\n";
    let (manifest, report) = manifest_of(&[
        ("s/a.vert.hlsl", vertex),
        ("s/a.frag.hlsl", "#include \"k.hlsli\"\nfloat4 shade() : SV_Target { return k(); }\n"),
        ("s/b.pix", SHADER),
        ("s/c.ps", SHADER),
        ("s/d.frag", "#version 450\nvoid main() {}\n"),
        ("s/e.hlsl", compute),
        ("s/inc/k.hlsli", "float k() { return K; }\n"),
        ("s/c.sh", shell),
        ("s/CMakeLists.txt", cmake),
    ]);
    for section in [
        "files = [\"a.vert.hlsl\", \"a.frag.hlsl\"]\ndefines = { K = \"2\" }\ninclude = [\"inc\"]\n",
        "files = [\"b.pix\"]\nentries = [\"shade:fragment\"]\ndefines = { L = \"1\" }\n",
        "files = [\"c.ps\"]\nentries = [\"main:fragment\"]\n",
        "files = [\"e.hlsl\"]\nentries = [\"main:compute\"]\n",
    ] {
        assert!(manifest.contains(section), "{section}\n{manifest}\n{report}");
    }
    for expected in ["c.sh:6: `d.frag` is GLSL, which is not read", "`CMakeLists.txt` (1 commands)"] {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
    assert!(!report.contains("d.frag has errors"), "{report}");
}

/// Options about positions are keys of the manifest; the `w` of D3D is the default.
#[test]
fn options_of_positions_are_keys() {
    let shader = "float4 place(float4 at : POSITION) : SV_Position { return at; }\n";
    let script = "dxc -T vs_6_0 -E place -spirv -fvk-invert-y -fvk-use-dx-position-w p.hlsl\n";
    let (manifest, report) = manifest_of(&[("s/p.hlsl", shader), ("s/c.sh", script)]);
    assert!(manifest.contains("invert-y = true\n") && !manifest.contains("dx-position-w"), "{manifest}");
    assert!(!report.contains("-fvk"), "{report}");
}

/// What descriptions have that is not followed is named, with its place.
#[test]
fn what_is_not_followed_is_named() {
    let batch = "for /f %%i in ('dir /b') do fxc %%i\ngoto nowhere\n";
    let shell = "dxc -T ps_6_0 -E \"$ENTRY\" a.hlsl\ndxc -T ps_6_0 -Gpp a.hlsl\ndxc -T ps_6_0 gone.hlsl\nglslc b.frag\n\
         spirv-opt a.hlsl\n";
    let python = "subprocess.run(['dxc', '-T', profile])\n";
    let files = [
        ("s/a.hlsl", SHADER),
        ("s/b.cmd", batch),
        ("s/c.sh", shell),
        ("s/d.py", python),
        ("s/g.ps1", "& fxc.exe /T ps_5_0 a.hlsl"),
        ("s/u.hlsl", SHADER),
    ];
    let directory = tree(&files);
    let run = port(directory.path(), &[]);
    let report = read(directory.path(), "out/port.md");
    for expected in [
        "b.cmd:1: `for /f (",
        "b.cmd:2: there is no label `nowhere`",
        "c.sh:1: the entry point `${ENTRY}` is not known",
        "c.sh:2: `-Gpp` is not done: ",
        "c.sh:3: there is no file `gone.hlsl`",
        "c.sh:4: `b.frag` is GLSL, which is not read",
        "c.sh:5: `spirv-opt` is given a shader and is not followed",
        "d.py:1: dxc is run by Python, which is not followed",
        "g.ps1:1: fxc is run by PowerShell, which is not followed",
        "u.hlsl is compiled by no description",
    ] {
        assert!(report.contains(expected) && run.stderr.contains(expected), "{expected}\n{report}\n{}", run.stderr);
    }
}

/// The report tells for each target what became of a file and why; errors come first, and programs with the same parameters in the
/// same places are one table.
#[test]
fn reports_tell_what_became_of_each_file_for_each_target() {
    let unsized_array =
        "Texture2D images[] : register(t0);\nfloat4 main(uint n : N) : SV_Target { return images[n][uint2(0, 0)]; }\n";
    let broken = "float4 main() : SV_Target { return gone; }\n";
    let files = [
        ("s/a.frag.hlsl", SHADER),
        ("s/b.frag.hlsl", SHADER),
        ("s/c.frag.hlsl", unsized_array),
        ("s/d.frag.hlsl", broken),
    ];
    let directory = tree(&files);
    let run = port(directory.path(), &["--target", "glsl"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let report = read(directory.path(), "out/port.md");
    for expected in [
        "2 programs are ported, 1 more in part, as 7 texts; 1 has errors; 0 files are included by others.",
        "| glsl | 3 | 1 |\n| wgsl | 2 | 2 |\n",
        "| `c.frag.hlsl` | ported | glsl | `glsl/c.frag.main.frag` |\n",
        "| `c.frag.hlsl` | has errors: `images`, an unbounded array of resources, is not supported by wgsl | wgsl |  |\n",
        "| `d.frag.hlsl` | has errors: `gone` is not declared | ",
        "### `a.frag.hlsl`, `b.frag.hlsl`\n",
        "## What needs a person\n\n- error ",
    ] {
        assert!(
            report.contains(expected) && run.stdout.contains("1 more in part"),
            "{expected}\n{report}\n{}",
            run.stdout
        );
    }
}

/// Macros that hang together are in programs apart, and the others are permutations of each.
#[test]
fn macros_that_hang_together_are_programs() {
    let lines = "a.hlsl -T ps -E shade -D K={1,2} -D L={0,1}\na.hlsl -T ps -E shade -D K={1,2} -D L={0,1} -D WAVE=64 -D SM=66\n";
    let (manifest, _) = manifest_of(&[("s/a.hlsl", SHADER), ("s/shaders.cfg", lines)]);
    let permuted = "permute = { K = [1, 2], L = [0, 1] }\n";
    let with = "name = \"a.SM-66\"\nfiles = [\"a.hlsl\"]\nentries = [\"shade:fragment\"]\ndefines = { SM = \"66\", WAVE = \"64\" }\n";
    let without = "name = \"a.shade\"\nfiles = [\"a.hlsl\"]\nentries = [\"shade:fragment\"]\n";
    assert!(
        manifest.contains(&format!("{with}{permuted}")) && manifest.contains(&format!("{without}{permuted}")),
        "{manifest}"
    );
}

/// A loop that never ends, and values that grow, end the reading of a script and not the program.
#[test]
fn scripts_without_end_are_left() {
    let batch = "set A=x\n:again\nset A=%A%%A%\ncall :again\ngoto again\n";
    let shell = "f() { A=\"$A$A\"; f; f; }\nA=x\nf\n";
    let cmake = "function(f)\n  set(A \"${A}${A}\")\n  f()\n  f()\nendfunction()\nset(A x)\nf()\n";
    let twice: String = (0..64).map(|n| format!("A{} = $(A{n})$(A{n})\n", n + 1)).collect();
    let makefile =
        format!("{twice}A0 =\nB = $(B)\ninclude Makefile\nall:\n\tdxc -E $(A64) -T ps_6_0 $(B) a.frag.hlsl\n");
    let grow = "<A>$(A)$(A)</A>".repeat(64);
    let deep = "<G>".repeat(200_000);
    let project = format!(
        "<Project><PropertyGroup><A>x</A>{grow}</PropertyGroup><Import Project=\"d.vcxproj\" /><ItemGroup><FxCompile Include=\"a.frag.hlsl\">\
         <ShaderType>Pixel</ShaderType><EntryPointName>$(A)</EntryPointName></FxCompile></ItemGroup></Project>"
    );
    let files = [
        ("s/a.frag.hlsl", SHADER),
        ("s/b.cmd", batch),
        ("s/c.sh", shell),
        ("s/CMakeLists.txt", cmake),
        ("s/d.vcxproj", &project),
        ("s/e.vcxproj", &deep),
        ("s/f.vcxproj", "<Project><ItemGroup></Project>"),
        ("s/m/Makefile", &makefile),
    ];
    let directory = tree(&files);
    let run = port(directory.path(), &[]);
    for expected in [
        "d.vcxproj:1: the entry point `${too-long}` is not known",
        "d.vcxproj:1: `d.vcxproj` is one import more than is followed",
        "e.vcxproj:1: it is no project: there are more than 64 elements in each other",
        "f.vcxproj:1: it is no project: ",
        "Makefile:67: `m/Makefile` is one file more than is followed",
        "Makefile:69: the makefile runs for longer than it is followed",
    ] {
        assert!(run.stderr.contains(expected), "{expected}\n{}", run.stderr);
    }
    assert!(run.stderr.contains("b.cmd:"), "{}", run.stderr);
}

#[test]
fn a_manifest_that_is_there_is_used_and_stays() {
    let own = "[build]\n[[shader]]\nfiles = [\"a.hlsl\"]\nentries = [\"main:fragment\"]\n";
    let script = "dxc -T ps_6_0 -E shade a.hlsl\n";
    let directory = tree(&[("s/a.hlsl", SHADER), ("s/build.sh", script), ("s/shaderport.toml", own)]);
    assert_eq!(port(directory.path(), &[]).code, 0);
    assert!(
        !directory.path().join("out/shaderport.toml").exists() && read(directory.path(), "s/shaderport.toml") == own
    );
    assert!(read(directory.path(), "out/wgsl/a.wgsl").contains("fn main"));
    // One in the output directory is of that who wrote it.
    let directory = tree(&[
        ("s/a.hlsl", SHADER),
        ("s/build.sh", script),
        ("out/shaderport.toml", &own.replace("[build]", "[build]\ntree = \"../s\"")),
    ]);
    let run = port(directory.path(), &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(read(directory.path(), "out/wgsl/a.wgsl").contains("fn main"));
    // `--manifest-in-tree` gives it to the tree.
    let directory = tree(&[("s/a.hlsl", SHADER), ("s/build.sh", script)]);
    assert_eq!(port(directory.path(), &["--manifest-in-tree"]).code, 0);
    assert!(read(directory.path(), "s/shaderport.toml").contains("shade:fragment"));
    assert_eq!(shaderport(directory.path(), &["build", "s", "--target", "wgsl", "--out", "again"]).code, 0);
    assert_eq!(read(directory.path(), "again/wgsl/a.wgsl"), read(directory.path(), "out/wgsl/a.wgsl"));
}

/// Two ports of a tree are the same, and `build` makes the same texts of the manifest that a port writes.
#[test]
fn a_port_is_repeatable() {
    let files = [("s/a.hlsl", SHADER), ("s/build.sh", "dxc -T ps_6_0 -E shade -DK=3 a.hlsl\n")];
    let (first, second) = (tree(&files), tree(&files));
    assert_eq!((port(first.path(), &[]).code, port(second.path(), &["-j1"]).code), (0, 0));
    assert_eq!(contents(&first.path().join("out")), contents(&second.path().join("out")));
    // So are the reports of trees that are named by their whole paths, with what is wrong in them.
    for directory in [&first, &second] {
        write(directory.path(), "w/broken.hlsl", "float4 main() : SV_Target { return unknown; }\n");
        let whole = directory.path().join("w").to_string_lossy().into_owned();
        let args = ["port", whole.as_str(), "--target", "wgsl", "--out", "w_out"];
        assert_eq!(shaderport(directory.path(), &args).code, 1);
    }
    let [one, other] = [&first, &second].map(|directory| read(directory.path(), "w_out/port.md"));
    assert!(
        one == other && one.contains("`broken.hlsl:1`") && !one.contains(&*first.path().to_string_lossy()),
        "{one}"
    );
    let report = read(first.path(), "out/port.md");
    assert!(!report.contains(&*first.path().to_string_lossy()), "{report}");
    assert!(read(first.path(), "out/port.html").contains("<td><code>a.hlsl</code></td>"));
    let run = shaderport(first.path(), &["build", "out/shaderport.toml", "--target", "wgsl", "--out", "again"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(read(first.path(), "again/wgsl/a.wgsl"), read(first.path(), "out/wgsl/a.wgsl"));
    // A port is not written over.
    let run = port(first.path(), &[]);
    assert!(run.code == 2 && run.stderr.contains("has a port already"), "{}", run.stderr);
    assert_eq!(port(second.path(), &["--update"]).code, 0);
}

const PLAIN: &str = "float4 first() { return 1; }\nfloat4 second() { return 2; }\nfloat4 third() { return 3; }\n\
    float4 main() : SV_Target { return first() + second() + third(); }\n";

/// A port of `a.frag.hlsl`, `b.frag.hlsl` and `c.frag.hlsl`.
fn ported() -> tempfile::TempDir {
    let directory = tree(&[("s/a.frag.hlsl", PLAIN), ("s/b.frag.hlsl", PLAIN), ("s/c.frag.hlsl", PLAIN)]);
    let run = port(directory.path(), &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    directory
}

/// Replaces a part of a file, which has it.
fn edit(directory: &Path, name: &str, old: &str, new: &str) {
    let text = read(directory, name);
    assert!(text.contains(old), "{name}: {old}\n{text}");
    write(directory, name, &text.replace(old, new));
}

const A: &str = "out/wgsl/a.frag.wgsl";

#[test]
fn an_update_merges_edits_and_changes() {
    let directory = ported();
    let at = directory.path();
    edit(at, A, "fn main", "// by hand\nfn main");
    edit(at, "s/a.frag.hlsl", "return 1;", "return 11;");
    edit(at, "s/b.frag.hlsl", "return 1;", "return 12;");
    let run = port(at, &["--update"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let text = read(at, A);
    assert!(text.contains("// by hand\nfn main") && text.contains("11.0"), "{text}");
    assert!(read(at, "out/wgsl/b.frag.wgsl").contains("12.0"));
    let report = read(at, "out/port.md");
    assert!(report.contains("| `wgsl/a.frag.wgsl` | edits and changes merged |"), "{report}");
    assert!(report.contains("| `wgsl/b.frag.wgsl` | updated |"), "{report}");
    // The edit is one of the next update, too.
    edit(at, "s/a.frag.hlsl", "return 3;", "return 33;");
    assert_eq!(port(at, &["--update"]).code, 0);
    let text = read(at, A);
    assert!(text.contains("// by hand\nfn main") && text.contains("11.0") && text.contains("33.0"), "{text}");
}

/// Headers of a tree are merged as texts are, and an update cuts outputs as the port before.
#[test]
fn outputs_may_be_a_tree() {
    let one = "float one()\n{\n    return 1;\n}\n\nfloat two()\n{\n    return 2;\n}\n";
    let main = "#include \"inc/light.hlsli\"\nfloat4 main() : SV_Target\n{\n    return one() + two();\n}\n";
    let files = [("s/inc/light.hlsli", one), ("s/a.frag.hlsl", main), ("s/b.frag.hlsl", main)];
    let directory = tree(&files);
    let at = directory.path();
    let all = ["--target", "hlsl,glsl"];
    assert_eq!(port(at, &[&all[..], &["--layout", "tree"]].concat()).code, 0);
    assert!(read(at, "out/shaderport.toml").contains("layout = \"tree\"\n"));
    let headers = ["out/hlsl/inc/light.hlsl", "out/glsl/inc/light.glsl", "out/wgsl/inc/light.wgsl"];
    for header in headers {
        edit(at, header, "one()", "one(/* by hand */)");
    }
    edit(at, "out/wgsl/a.frag.wgsl", "fn main", "// by hand\nfn main");
    edit(at, "s/inc/light.hlsli", "return 2;", "return 22;");
    let run = port(at, &[&all[..], &["--update"]].concat());
    assert_eq!(run.code, 0, "{}{}", run.stderr, run.stdout);
    for header in headers {
        let text = read(at, header);
        assert!(text.contains("one(/* by hand */)") && text.contains("return 22"), "{text}");
    }
    assert!(read(at, "out/wgsl/a.frag.wgsl").contains("// by hand\nfn main"));
    let report = read(at, "out/port.md");
    assert!(report.contains("| `wgsl/inc/light.wgsl` | edits and changes merged |"), "{report}");
    // Nothing makes the headers any more.
    edit(at, "s/a.frag.hlsl", "#include \"inc/light.hlsli\"", "float one() { return 1; }\nfloat two() { return 2; }");
    edit(at, "s/b.frag.hlsl", "#include \"inc/light.hlsli\"", "float one() { return 1; }\nfloat two() { return 2; }");
    assert_eq!(port(at, &[&all[..], &["--update"]].concat()).code, 0);
    assert!(read(at, headers[0]).contains("by hand"), "what was edited stays");
}

#[test]
fn a_conflict_is_shown_and_not_resolved() {
    let directory = ported();
    let at = directory.path();
    let line = read(at, A).lines().find(|line| line.contains("2.0")).expect("a line").to_owned();
    edit(at, A, &line, &format!("{line} // by hand"));
    edit(at, "s/a.frag.hlsl", "return 2;", "return 22;");
    let run = port(at, &["--update"]);
    assert!(
        run.code == 1 && run.stderr.contains("error[E0713]") && run.stderr.contains("a.frag.wgsl"),
        "{}",
        run.stderr
    );
    let text = read(at, A);
    assert!(
        text.contains("<<<<<<< edited\n")
            && text.contains("2.0)")
            && text.contains("// by hand")
            && text.contains("22.0"),
        "{text}"
    );
    assert!(read(at, "out/port.md").contains("| `wgsl/a.frag.wgsl` | conflict: resolve it in the file |"));
    // Until that is done the file is left alone, whatever else is new.
    edit(at, "s/a.frag.hlsl", "return 3;", "return 33;");
    let run = port(at, &["--update"]);
    assert!(run.code == 1 && read(at, A) == text, "{}", run.stderr);
    let resolved = text.split("<<<<<<< edited\n").next().expect("a start").to_owned();
    let after = text.split(">>>>>>> new\n").nth(1).expect("an end");
    write(at, A, &format!("{resolved}{} // by hand\n{after}", line.replace("2.0", "22.0")));
    let run = port(at, &["--update"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let text = read(at, A);
    assert!(text.contains("22.0") && text.contains("// by hand") && text.contains("33.0"), "{text}");
}

#[test]
fn files_that_come_go_and_move() {
    let directory = ported();
    let at = directory.path();
    edit(at, A, "fn main", "// by hand\nfn main");
    edit(at, "out/wgsl/b.frag.wgsl", "fn main", "// by hand in b\nfn main");
    std::fs::remove_file(at.join("out/wgsl/c.frag.wgsl")).expect("it is there");
    // `a` is renamed, `b` is gone, `c` has changed, `d` is new.
    std::fs::rename(at.join("s/a.frag.hlsl"), at.join("s/moved.frag.hlsl")).expect("it is there");
    std::fs::remove_file(at.join("s/b.frag.hlsl")).expect("it is there");
    edit(at, "s/c.frag.hlsl", "return 1;", "return 11;");
    edit(at, "s/moved.frag.hlsl", "return 1;", "return 12;");
    write(at, "s/d.frag.hlsl", "float4 main() : SV_Target { return float4(5, 6, 7, 8); }\n");
    let run = port(at, &["--update"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let moved = read(at, "out/wgsl/moved.frag.wgsl");
    assert!(moved.contains("// by hand\nfn main") && moved.contains("12.0"), "{moved}");
    assert!(!at.join(A).exists(), "its edits are under its new name");
    assert!(read(at, "out/wgsl/b.frag.wgsl").contains("// by hand in b"));
    assert!(!at.join("out/wgsl/c.frag.wgsl").exists() && at.join("out/wgsl/d.frag.wgsl").exists());
    assert!(!at.join("out/wgsl/b.frag.json").exists(), "nobody has edited it");
    for expected in ["b.frag.wgsl: edited; nothing makes it any more", "c.frag.wgsl: removed by hand"] {
        assert!(run.stderr.contains(expected), "{expected}\n{}", run.stderr);
    }
}

/// A source that has errors now takes nothing away.
#[test]
fn outputs_of_what_fails_stay() {
    let directory = ported();
    let at = directory.path();
    edit(at, A, "fn main", "// by hand\nfn main");
    let text = read(at, A);
    edit(at, "s/a.frag.hlsl", "return 1;", "return unknown;");
    assert_eq!(port(at, &["--update"]).code, 1);
    assert_eq!(read(at, A), text);
    assert!(read(at, "out/port.md").contains("| `wgsl/a.frag.wgsl` | its program has errors now; it was kept |"));
    edit(at, "s/a.frag.hlsl", "return unknown;", "return 13;");
    assert_eq!(port(at, &["--update"]).code, 0);
    let text = read(at, A);
    assert!(text.contains("// by hand") && text.contains("13.0"), "{text}");
}

/// The manifest of a port is merged as its other files are.
#[test]
fn an_edited_manifest_takes_new_entry_points() {
    let script = |more: &str| format!("dxc -T ps_6_0 -E shade a.hlsl\n{more}");
    let directory = tree(&[("s/a.hlsl", SHADER), ("s/b.hlsl", SHADER), ("s/build.sh", &script(""))]);
    let at = directory.path();
    port(at, &[]);
    edit(at, "out/shaderport.toml", "[build]\n", "[build]\nunsized-array-size = 16\n");
    write(at, "s/build.sh", &script("dxc -T ps_6_0 -E main -DK=5 b.hlsl\n"));
    let run = port(at, &["--update"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let manifest = read(at, "out/shaderport.toml");
    assert!(manifest.contains("unsized-array-size = 16\n") && manifest.contains("K = \"5\""), "{manifest}");
    // A conflict there is resolved first: nothing is built by half a manifest.
    edit(at, "out/shaderport.toml", "K = \"5\"", "K = \"6\"");
    write(at, "s/build.sh", &script("dxc -T ps_6_0 -E main -DK=7 b.hlsl\n"));
    let run = port(at, &["--update"]);
    assert!(run.code == 1 && run.stderr.contains("then update again"), "{}", run.stderr);
    let manifest = read(at, "out/shaderport.toml");
    assert!(
        manifest.contains("K = \"6\"") && manifest.contains("K = \"7\"") && manifest.contains("<<<<<<<"),
        "{manifest}"
    );
}

/// An update that is stopped after some files, and is run again.
#[test]
fn an_update_that_was_stopped_goes_on() {
    let directory = ported();
    let at = directory.path();
    edit(at, A, "fn main", "// by hand\nfn main");
    edit(at, "s/a.frag.hlsl", "return 1;", "return 11;");
    let base = at.join("out/.shaderport/port/base");
    let before: Vec<(String, Vec<u8>)> = contents_of(&base);
    assert_eq!(port(at, &["--update"]).code, 0);
    let text = read(at, A);
    // As if nothing had been noted of what was written.
    for (name, bytes) in before {
        std::fs::write(base.join(name), bytes).expect("a file");
    }
    let run = port(at, &["--update"]);
    assert_eq!((run.code, read(at, A)), (0, text), "{}", run.stderr);
}

fn contents_of(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let files = crate::support::files_under(directory, &[]);
    let name = |path: &Path| path.strip_prefix(directory).expect("a path below").to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read(path).expect("a file"))).collect()
}

/// Lines of a text with some changed; every new line has a mark that no other line has.
fn changed(random: &mut Random, base: &[String], side: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, line) in base.iter().enumerate() {
        match random.below(8) {
            0 => lines.push(format!("{side}{at}")),
            1 => lines.extend([format!("{side}{at}"), line.clone()]),
            2 if random.below(2) == 0 => {}
            _ => lines.push(line.clone()),
        }
    }
    lines
}

/// Whatever both sides do: what either has written is in the merge, what neither has changed is, too, and without a conflict nothing
/// that a side has removed comes back.
#[test]
fn no_edit_is_lost_in_random_merges() {
    let mut random = Random::of_seed(7);
    let mut conflicts = 0;
    for round in 0..3000 {
        let base: Vec<String> = (0..random.below(12)).map(|n| format!("line {}", n % 7)).collect();
        let (mine, theirs) = (changed(&mut random, &base, "mine"), changed(&mut random, &base, "theirs"));
        let text = |lines: &[String], ends: bool| if ends { lines.join("\n") + "\n" } else { lines.join("\n") };
        let ends = random.below(4) > 0;
        let [b, m, t] = [&base, &mine, &theirs].map(|lines| text(lines, ends));
        let merged = merge(&b, &m, &t, ["mine", "base", "theirs"]);
        let about = format!("round {round}\n{b}---\n{m}---\n{t}---\n{}", merged.text);
        for line in mine.iter().chain(&theirs).filter(|line| line.starts_with("mine") || line.starts_with("theirs")) {
            assert!(merged.text.lines().any(|merged| merged == line), "`{line}` is lost\n{about}");
        }
        let count = |text: &str, line: &str| text.lines().filter(|other| *other == line).count();
        for line in &base {
            let least = count(&m, line).min(count(&t, line));
            let gone = (count(&b, line) - count(&m, line)) + (count(&b, line) - count(&t, line));
            let expected = count(&b, line).saturating_sub(gone);
            assert!(
                count(&merged.text, line) >= expected
                    && (merged.conflicts > 0 || count(&merged.text, line) <= least.max(expected)),
                "`{line}`\n{about}"
            );
        }
        assert_eq!(merge(&b, &m, &b, ["", "", ""]).text, m, "{about}");
        assert_eq!(merge(&b, &b, &t, ["", "", ""]).text, t, "{about}");
        assert_eq!(merge(&b, &m, &m, ["", "", ""]).text, m, "{about}");
        assert_eq!(merge(&b, &t, &m, ["", "", ""]).conflicts, merged.conflicts, "{about}");
        conflicts += usize::from(merged.conflicts > 0);
    }
    assert!((300..2800).contains(&conflicts), "{conflicts} rounds have conflicts");
}

/// Two programs with a header in common, of which one has variants.
fn ported_as_tree() -> tempfile::TempDir {
    let source = |name: &str, more: &str| {
        format!(
            "#include \"common.hlsli\"\nfloat4 main() : SV_Target\n{{\n    float3 color = lit({name});\n{more}    return float4(color, 1);\n}}\n"
        )
    };
    let header = "// What lights give.\n#ifndef COMMON\n#define COMMON\nfloat3 lit(float k)\n{\n    return k * float3(1, 2, 3);\n}\n\n\
        float3 dimmed(float3 color)\n{\n    return color * 0.5;\n}\n#endif\n";
    let directory = tree(&[
        ("s/common.hlsli", header),
        ("s/a.hlsl", &source("1", "")),
        ("s/b.hlsl", &source("2", "#if FADE\n    color = dimmed(color);\n#endif\n")),
        (
            "s/build.sh",
            "dxc a.hlsl -T ps_6_0 -E main\nfor fade in 0 1; do dxc b.hlsl -T ps_6_0 -E main -D FADE=$fade; done\n",
        ),
    ]);
    let run = port(directory.path(), &["--target", "hlsl,glsl,wgsl", "--layout", "tree", "--permutations", "merged"]);
    assert_eq!(run.code, 0, "{}{}", run.stderr, run.stdout);
    directory
}

#[test]
fn a_port_may_be_a_tree() {
    let directory = ported_as_tree();
    let at = directory.path();
    let header = read(at, "out/hlsl/inc/common.hlsl");
    assert!(header.starts_with("// What lights give.\n") && header.contains("float3 lit(float k)"), "{header}");
    for (name, line) in [
        ("out/hlsl/a.hlsl", "#include \"inc/common.hlsl\""),
        ("out/glsl/a.main.frag", "#include \"inc/common.glsl\""),
        ("out/hlsl/b.hlsl", "#if FADE"),
        ("out/glsl/b.main.frag", "#if FADE"),
        ("out/shaderport.toml", "layout = \"tree\"\npermutations = \"merged\"\n"),
        ("out/port.md", "| `common.hlsli` | a header | hlsl | `hlsl/inc/common.hlsl` |"),
        ("out/port.md", "dxc hlsl/b.hlsl -T ps_6_6 -E main -HV 2021 -DFADE=1"),
        ("out/port.md", "cat wgsl/a.wgsl wgsl/inc/common.wgsl | naga --stdin-file-path wgsl/a.wgsl"),
    ] {
        let text = read(at, name);
        assert!(text.contains(line), "{name}: {text}");
    }
    // The commands of the report, which check each text with its headers.
    let report = read(at, "out/port.md");
    let commands: Vec<&str> =
        report.lines().filter_map(|line| line.trim().strip_prefix("shaderport validate ")).collect();
    assert_eq!(commands.len(), 6, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = std::iter::once("validate").chain(command.split(' ')).collect();
        let run = shaderport(&at.join("out"), &words);
        assert_eq!(run.code, 0, "{command}: {}", run.stderr);
    }
    // What validators say of a header is told with its place.
    edit(at, "out/wgsl/inc/common.wgsl", "fn lit", "fn wrong() -> f32 { return missing; }\nfn lit");
    let run = shaderport(&at.join("out"), &["validate", "wgsl/a.wgsl", "wgsl/a.json"]);
    let line = read(at, "out/wgsl/inc/common.wgsl").lines().position(|line| line.contains("missing")).unwrap_or(0) + 1;
    assert!(run.code == 1 && run.stderr.contains(&format!("wgsl/inc/common.wgsl:{line}:")), "{}", run.stderr);
}

/// What other tools put together has no commands of compilers in the report.
#[test]
fn modules_of_other_tools_have_no_commands_of_compilers() {
    let source = "#include \"common.hlsli\"\nfloat4 main() : SV_Target { return lit(1); }\n";
    let files = [
        ("s/common.hlsli", "float lit(float k) { return k * 2; }\n"),
        ("s/a.frag.hlsl", source),
        ("s/b.frag.hlsl", source),
    ];
    for (imports, validates) in [("none", true), ("wesl", true), ("naga-oil", false)] {
        let directory = tree(&files);
        let run = port(directory.path(), &["--layout", "tree", "--wgsl-imports", imports]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let report = read(directory.path(), "out/port.md");
        assert_eq!(report.contains("shaderport validate wgsl/a.frag.wgsl"), validates, "{imports}: {report}");
        assert_eq!(report.contains("| naga --stdin-file-path"), imports == "none", "{imports}: {report}");
    }
}

#[test]
fn edits_of_a_tree_are_merged() {
    let directory = ported_as_tree();
    let at = directory.path();
    let edits = ["out/hlsl/inc/common.hlsl", "out/glsl/inc/common.glsl", "out/wgsl/inc/common.wgsl"];
    for name in edits {
        edit(at, name, "// What lights give.", "// By hand.");
    }
    edit(at, "out/hlsl/b.hlsl", "float4 main", "// Of the fog.\nfloat4 main");
    edit(at, "s/common.hlsli", "color * 0.5", "color * 0.25");
    edit(at, "s/b.hlsl", "lit(2)", "lit(4)");
    // How outputs are cut is as in the port before.
    let run = shaderport(at, &["port", "s", "--out", "out", "--update"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    for name in edits {
        let text = read(at, name);
        assert!(text.starts_with("// By hand.\n") && text.contains("0.25"), "{name}: {text}");
    }
    let text = read(at, "out/hlsl/b.hlsl");
    assert!(text.contains("// Of the fog.\nfloat4 main") && text.contains("lit(4)"), "{text}");
    // Of a program with errors all stays, with what it includes.
    edit(at, "s/a.hlsl", "return", "return missing +");
    edit(at, "s/b.hlsl", "return", "return missing +");
    let before = contents(&at.join("out/hlsl"));
    let run = shaderport(at, &["port", "s", "--out", "out", "--update"]);
    assert_eq!((run.code, contents(&at.join("out/hlsl"))), (1, before), "{}", run.stdout);
}
