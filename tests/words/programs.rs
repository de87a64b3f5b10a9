//! Programs in which words name things, many at a time: one program for each position that a name may have.
//!
//! The words are those of `tests/words/*.txt`, of all target languages together. Whatever the programs declare besides begins with
//! `z`, so that it meets none of them.

use shaderport::{Code, Diagnostic, MemoryLoader, Options, Output, Severity, compile};

/// The word lists, which `#` comments.
const LISTS: &[&str] = &[include_str!("glsl.txt"), include_str!("hlsl.txt"), include_str!("wgsl.txt")];

/// All words, sorted, once each.
pub fn words() -> Vec<&'static str> {
    let lines = LISTS.iter().flat_map(|list| list.lines()).filter(|line| !line.starts_with('#'));
    let mut words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// A position of a name. In each template `WORD` stands for the word, `INDEX` for its number.
pub struct Position {
    pub name: &'static str,
    /// What is declared for a word at global scope, in one line.
    global: &'static str,
    /// What stands before and after these lines.
    around: (&'static str, &'static str),
    /// What uses it, in a line of the entry point.
    used: &'static str,
}

const fn at(name: &'static str, global: &'static str, used: &'static str) -> Position {
    Position { name, global, around: ("", ""), used }
}

/// Where a name may stand.
pub const POSITIONS: &[Position] = &[
    at("function", "float WORD(ZOwn zOwn) { return zOwn.zX * 2.0; }", "zTotal += WORD(zOwn);"),
    at(
        "method",
        "struct ZINDEX { float zX; float WORD() { return zX * 2.0; } };",
        "{ ZINDEX z = { zTotal }; zTotal += z.WORD(); }",
    ),
    at("parameter", "float zINDEX(float WORD) { return max(WORD, 0.5) + sin(WORD); }", "zTotal += zINDEX(zTotal);"),
    at("local", "", "{ float WORD = abs(zTotal); zTotal += WORD * frac(zTotal); }"),
    at("alone", "float zINDEX(float z) { float WORD = z; WORD += 1.0; return WORD; }", "zTotal += zINDEX(zTotal);"),
    at("loop", "", "for (int WORD = 0; WORD < 3; WORD++) zTotal += float(WORD);"),
    at("static", "static float WORD = 1.0;", "WORD += 1.0; zTotal += WORD;"),
    at("constant", "static const float WORD = INDEX.0;", "zTotal += WORD;"),
    at(
        "groupshared",
        "groupshared uint WORD;",
        "InterlockedAdd(WORD, 1u); GroupMemoryBarrierWithGroupSync(); zTotal += float(WORD);",
    ),
    at("struct", "struct WORD { float zX; };", "{ WORD z = { zTotal }; zTotal += z.zX; }"),
    Position {
        around: ("struct ZFields {", "}; RWStructuredBuffer<ZFields> zFields;"),
        ..at("field", "float WORD;", "zFields[0].WORD = zTotal; zTotal += zFields[1].WORD;")
    },
    at(
        "field of a local",
        "struct ZINDEX { float zX; float2 WORD; };",
        "{ ZINDEX z; z.zX = 1.0; z.WORD = zTotal; zTotal += z.WORD.y; }",
    ),
    at("constant buffer", "cbuffer WORD { float zINDEX; };", "zTotal += zINDEX;"),
    at("constant buffer variable", "struct ZINDEX { float zX; }; ConstantBuffer<ZINDEX> WORD;", "zTotal += WORD.zX;"),
    Position {
        around: ("cbuffer ZBuffer {", "};"),
        ..at("member of a constant buffer", "float WORD;", "zTotal += WORD;")
    },
    at("uniform", "uniform float WORD;", "zTotal += WORD;"),
    at("texture", "Texture2D<float4> WORD;", "zTotal += WORD.Load(int3(0, 0, 0)).x;"),
    at("sampler", "SamplerState WORD;", "zTotal += zTexture.SampleLevel(WORD, float2(0.5, 0.5), 0.0).x;"),
    at("buffer", "RWStructuredBuffer<float> WORD;", "WORD[0] = zTotal;"),
    at("bytes", "RWByteAddressBuffer WORD;", "WORD.Store(0, asuint(zTotal));"),
    at(
        "texture and sampler of a struct",
        "struct ZINDEX { Texture2D<float4> WORD; float zX; }; ZINDEX zINDEX;",
        "zTotal += zINDEX.WORD.Load(int3(0, 0, 0)).x + zINDEX.zX;",
    ),
    at("enum", "enum WORD { zINDEX };", "{ WORD z = WORD.zINDEX; zTotal += float(int(z)); }"),
    at("enumerator", "enum ZINDEX { WORD };", "zTotal += float(int(ZINDEX.WORD));"),
    at("alias", "typedef float3 WORD;", "{ WORD z = zTotal; zTotal += z.x; }"),
    at(
        "generic parameter",
        "float zINDEX<WORD : __BuiltinFloatingPointType>(WORD z) { return float(z); }",
        "zTotal += zINDEX(zTotal);",
    ),
    at(
        "generic value",
        "float zINDEX<let WORD : int>(float z) { return z * float(WORD); }",
        "zTotal += zINDEX<3>(zTotal);",
    ),
    at("namespace", "namespace WORD { float zINDEX(float z) { return z; } }", "zTotal += WORD::zINDEX(zTotal);"),
    at(
        "interface",
        "interface WORD { float zX(); } struct ZINDEX : WORD { float z; float zX() { return z; } };",
        "{ ZINDEX z = { zTotal }; zTotal += z.zX(); }",
    ),
    at(
        "property",
        "struct ZINDEX { float zX; property float WORD { get { return zX; } set { zX = newValue; } } };",
        "{ ZINDEX z = { zTotal }; z.WORD = 2.0; zTotal += z.WORD; }",
    ),
    at("specialization constant", "[SpecializationConstant] const int WORD = 3;", "zTotal += float(WORD);"),
    at("field of a stage", "float WORD : Z_INDEX", ""),
    at("parameter of a stage", "float WORD : Z_INDEX", ""),
    at(
        "entry point",
        "[shader(\"compute\")] [numthreads(1, 1, 1)] void WORD(uint z : SV_GroupIndex) { zValues[0] = float(z); }",
        "",
    ),
];

/// A program in which words have a position.
pub struct Program {
    pub text: String,
    /// The word of each line.
    lines: Vec<Option<&'static str>>,
}

impl Program {
    fn push(&mut self, line: &str, word: Option<&'static str>) {
        self.text.push_str(line);
        self.text.push('\n');
        self.lines.push(word);
    }

    /// What becomes of it.
    pub fn compile(&self, options: &Options) -> Output {
        compile(&MemoryLoader::new().with("words.slang", &self.text), &["words.slang"], options)
    }
}

impl Position {
    /// A program in which these words have the position.
    pub fn program(&self, words: &[&'static str]) -> Program {
        let mut program = Program { text: String::new(), lines: Vec::new() };
        match self.name {
            "field of a stage" | "parameter of a stage" => self.stages(words, &mut program),
            _ => self.compute(words, &mut program),
        }
        program
    }

    fn line(template: &str, index: usize, word: &str) -> String {
        template.replace("INDEX", &index.to_string()).replace("WORD", word)
    }

    fn compute(&self, words: &[&'static str], to: &mut Program) {
        let each = |template: &str, to: &mut Program| {
            if !template.is_empty() {
                let lines = words.iter().enumerate();
                lines.for_each(|(index, word)| to.push(&Self::line(template, index, word), Some(word)));
            }
        };
        to.push(HEAD, None);
        to.push(self.around.0, None);
        each(self.global, to);
        to.push(self.around.1, None);
        to.push(MAIN, None);
        each(self.used, to);
        to.push("zValues[zThread.x] = zTotal; }", None);
    }

    /// A vertex and a fragment shader for each few words, for stages take few inputs.
    fn stages(&self, words: &[&'static str], to: &mut Program) {
        let fields = self.name == "field of a stage";
        for (number, few) in words.chunks(STAGE_INPUTS).enumerate() {
            let (value, end) = if fields { ("z.", ";") } else { ("", ",") };
            let name = |kind: &str| format!("z{kind}{number}");
            to.push(
                &if fields { format!("struct {} {{", name("In")) } else { format!("{FRAGMENT} {}(", name("Fragment")) },
                None,
            );
            for (index, word) in few.iter().enumerate() {
                to.push(&(Self::line(self.global, index, word) + end), Some(word));
            }
            to.push("float4 zPosition : SV_Position", None);
            if fields {
                to.push(
                    &format!("; }}; [shader(\"vertex\")] {0} {1}({0} z) {{ return z; }}", name("In"), name("Vertex")),
                    None,
                );
                to.push(&format!("{FRAGMENT} {}({} z", name("Fragment"), name("In")), None);
            }
            to.push(&format!(") : SV_Target {{ return {value}zPosition",), None);
            for word in few {
                to.push(&format!("+ {value}{word}"), Some(word));
            }
            to.push("; }", None);
        }
    }

    /// The words that the source language has as names here, and the outputs of their program. The lines of errors have those
    /// that it has not; the types that the program itself is made of are no names in it either.
    pub fn names(&self, words: &[&'static str], options: &Options) -> (Vec<&'static str>, Output) {
        let fixed = [HEAD, MAIN, FRAGMENT, self.around.0, self.around.1, self.global, self.used].join(" ");
        let of_program: Vec<&str> = fixed.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let is_name = |w: &&&'static str| !of_program.contains(w) && !NO_NAMES.contains(w);
        let mut names: Vec<&'static str> = words.iter().filter(is_name).copied().collect();
        loop {
            let program = self.program(&names);
            let output = program.compile(options);
            let of_source = |d: &&Diagnostic| d.severity == Severity::Error && d.code < Code::CAPABILITY;
            let lines = output.diagnostics.iter().filter(of_source).filter_map(|d| Some(output.position(d.span?)?.1));
            let refused: Vec<&str> = lines.filter_map(|l| *program.lines.get(l.checked_sub(1)?)?).collect();
            if refused.is_empty() {
                return (names, output);
            }
            names.retain(|name| !refused.contains(name));
        }
    }
}

/// Keywords of the source language; there are others that it has as names in some positions.
const NO_NAMES: &[&str] = &[
    "NULL",
    "break",
    "case",
    "class",
    "const",
    "continue",
    "default",
    "discard",
    "do",
    "else",
    "enum",
    "false",
    "for",
    "goto",
    "if",
    "interface",
    "namespace",
    "nullptr",
    "operator",
    "return",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "this",
    "throw",
    "true",
    "typedef",
    "unsigned",
    "using",
    "void",
    "while",
];

/// What programs begin with.
const HEAD: &str = "struct ZOwn { float zX; }; RWStructuredBuffer<float> zValues; Texture2D<float4> zTexture;";
/// What their entry point begins with.
const MAIN: &str = "[shader(\"compute\")] [numthreads(8, 1, 1)] void zMain(uint3 zThread : SV_DispatchThreadID) \
    { ZOwn zOwn = { float(zThread.x) }; float zTotal = zOwn.zX * 2.0;";
const FRAGMENT: &str = "[shader(\"fragment\")] float4";
/// How many words are inputs of one stage.
const STAGE_INPUTS: usize = 12;

/// No more are looked for.
const ENOUGH: usize = 12;

/// Which words a judge of programs refuses in a position, and what it says; several in one entry only if they do so together.
pub fn refused(
    position: &Position,
    words: &[&'static str],
    judge: &mut dyn FnMut(&Program) -> Result<(), String>,
) -> Vec<(Vec<&'static str>, String)> {
    let mut found = Vec::new();
    let mut parts = vec![words.to_vec()];
    while let Some(part) = parts.pop() {
        if part.is_empty() || found.len() == ENOUGH {
            continue;
        }
        let Err(reason) = judge(&position.program(&part)) else { continue };
        let (left, right) = part.split_at(part.len() / 2);
        let halves_pass = part.len() > 1 && [left, right].iter().all(|half| judge(&position.program(half)).is_ok());
        match part.len() == 1 || halves_pass {
            true => found.push((part, reason)),
            false => parts.extend([left.to_vec(), right.to_vec()]),
        }
    }
    found
}

/// The first error of an output.
pub fn errors(output: &Output) -> Result<(), String> {
    match output.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        Some(error) => Err(format!("{}: {}", error.code, error.message)),
        None => Ok(()),
    }
}
