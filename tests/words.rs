//! No word of a target language leaks: words are names in every position, and what is emitted is legal.
//!
//! Here each position has a third of the words, and each word a third of the positions; `cargo xtask words` tries all, and has
//! DXC and Tint judge too.

#[path = "words/programs.rs"]
mod programs;

use crate::support::{glsl_is_legal, wgsl_is_legal};
use programs::{POSITIONS, Position, errors, refused, words};
use shaderport::{Options, Output, Target};

fn judge(output: &Output) -> Result<(), String> {
    errors(output)?;
    output.artifacts.iter().try_for_each(|artifact| match (artifact.target, artifact.entry) {
        (Target::Glsl, Some((_, stage))) => glsl_is_legal(artifact.text(), stage),
        (Target::Wgsl, _) => wgsl_is_legal(artifact.text()),
        _ => Ok(()),
    })
}

fn check((number, position): (usize, &Position)) -> Vec<String> {
    let options = Options::for_target(Target::Glsl).target(Target::Wgsl);
    let third = words().into_iter().enumerate().filter(|(index, _)| (index + number).is_multiple_of(3));
    let words: Vec<&'static str> = third.map(|(_, word)| word).collect();
    let (names, output) = position.names(&words, &options);
    let mut wrong = Vec::new();
    if names.len() < words.len() * 9 / 10 {
        wrong.push(format!("{}: only {} of {} words are names", position.name, names.len(), words.len()));
    }
    if judge(&output).is_err() {
        let found = refused(position, &names, &mut |program| judge(&program.compile(&options)));
        wrong.extend(found.into_iter().map(|(words, why)| format!("{}: {}: {why}", position.name, words.join(" "))));
    }
    wrong
}

#[test]
fn no_word_leaks() {
    let wrong: Vec<String> = POSITIONS.iter().enumerate().flat_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
