//! Parts of the languages that random statements do not reach: each a small text with numbers left open, and the functions by
//! which the rest of a program uses it. Functions are defined for all arguments, and floats that they give keep to
//! `Range::STORED`.

use super::generator::{Dialect, Mode};
use super::types::{Scalar, Type};

/// A text: `@` ends names of the module, `#` is a number below 30.
#[derive(Clone)]
pub struct Family {
    pub text: &'static str,
    /// `result name(parameters)`, as in the language.
    pub functions: Vec<&'static str>,
}

/// What begins a family in a file: its functions follow, with `;` between them.
const HEAD: &str = "//: ";

const BOTH: &str = include_str!("families/both.txt");
const HLSL: &str = include_str!("families/hlsl.txt");
const SLANG: &str = include_str!("families/slang.txt");

/// What slangc does not take of HLSL.
const NOT_SLANGCS: [&str; 2] = ["template<", " operator"];

/// The families of a language; without those that slangc refuses where it is asked.
pub fn of(dialect: Dialect, slangc: bool) -> impl Iterator<Item = Family> {
    let own = match dialect {
        Dialect::Hlsl => HLSL,
        Dialect::Slang => SLANG,
    };
    let families = [BOTH, own].into_iter().flat_map(|file| file.split(HEAD).skip(1)).map(|family| {
        let (functions, text) = family.split_once('\n').unwrap_or((family, ""));
        Family { text, functions: functions.split("; ").collect() }
    });
    let refused = move |text: &str| dialect == Dialect::Hlsl && slangc && NOT_SLANGCS.iter().any(|n| text.contains(n));
    families.filter(move |family| !refused(family.text))
}

/// A name, parameters, and what the function gives.
pub type Signature<'a> = (&'a str, Vec<(Mode, Type)>, Type);

/// A function of a family: its name, its parameters and what it gives, read from `result name(parameters)`.
pub fn signature(text: &str) -> Option<Signature<'_>> {
    let (head, rest) = text.split_once('(')?;
    let (result, name) = head.split_once(' ')?;
    let parameter = |word: &str| match word.split_once(' ') {
        Some(("out", ty)) => Some((Mode::Out, named(ty)?)),
        Some(("inout", ty)) => Some((Mode::InOut, named(ty)?)),
        _ => Some((Mode::In, named(word)?)),
    };
    let parameters = rest.strip_suffix(')')?.split(", ").map(parameter).collect::<Option<Vec<_>>>()?;
    Some((name, parameters, named(result)?))
}

/// A scalar or a vector by its name.
fn named(name: &str) -> Option<Type> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let scalar = Scalar::ALL.into_iter().find(|s| s.name() == bare)?;
    let count = if bare == name { 1 } else { name[bare.len()..].parse().ok()? };
    Some(Type::Vector(scalar, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_a_family_is_declared_in_it() {
        for family in [Dialect::Hlsl, Dialect::Slang].into_iter().flat_map(|d| of(d, false)) {
            for function in &family.functions {
                let (name, ..) = signature(function).expect(function);
                assert!(family.text.contains(&format!("{name}(")), "{function}");
            }
        }
    }
}
