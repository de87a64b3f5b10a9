//! `cargo xtask fuzz --calls`: programs that call one builtin each, with arguments of all types.
//!
//! The first [`alike`] programs have arguments of one type, each builtin of the list `calls` with one to three of each type of
//! the list `arguments`, in both languages; those after them mix types.

use super::seeds::{Program, TARGETS};
use super::words::list;
use crate::random::Random;
use shaderport::Options;

/// How many arguments a builtin is called with at most.
const MOST: u64 = 3;
/// What the number that a call gives is: a component of a number or vector, or of the first row of a matrix.
const PARTS: [&str; 2] = [".x", "[0].x"];
const LANGUAGES: [&str; 2] = ["hlsl", "slang"];

/// How many programs have arguments of one type.
pub fn alike() -> u64 {
    let lists = list("calls").len() * list("arguments").len() * PARTS.len() * LANGUAGES.len();
    lists as u64 * MOST
}

/// The program of a number.
pub fn program(seed: u64, number: u64) -> Program {
    let mut random = Random::of_seed(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number);
    random.below(2);
    let mut rest = number;
    let mut digit = |base: usize| {
        let digit = rest % base as u64;
        rest /= base as u64;
        digit as usize
    };
    let (part, language) = (PARTS[digit(PARTS.len())], LANGUAGES[digit(LANGUAGES.len())]);
    let types = list("arguments");
    let count = digit(MOST as usize) + 1;
    let (ty, call) = (types[digit(types.len())], list("calls")[digit(list("calls").len())]);
    let of_argument = (0..count).map(|_| if number < alike() { ty } else { types[random.index(types.len())] });
    let types: Vec<&str> = of_argument.collect();
    let name = format!("{call} {} {seed}:{number}", types.join(" "));
    let mut options = Options::default();
    options.targets = TARGETS.to_vec();
    Program { name, sources: vec![(format!("main.{language}"), source(call, &types, part))], units: 1, options }
}

fn source(call: &str, types: &[&str], part: &str) -> String {
    let buffers: String =
        types.iter().enumerate().map(|(at, ty)| format!("StructuredBuffer<{ty}> from{at};\n")).collect();
    let locals = types.iter().enumerate().map(|(at, ty)| format!("    {ty} a{at} = from{at}[i + {at}];\n"));
    let arguments: Vec<String> = (0..types.len()).map(|at| format!("a{at}")).collect();
    format!(
        "{buffers}RWStructuredBuffer<float> result;\n\n[shader(\"pixel\")]\nfloat4 main(nointerpolation uint i : I) : SV_Target\n{{\n{}    \
         result[0] = (float)({call}({})){part};\n    return 0;\n}}\n",
        locals.collect::<String>(),
        arguments.join(", ")
    )
}
