//! How much of something a program may have. What has more is an error at the place where the limit is passed, so that no input
//! takes memory or time without end.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// The offsets in texels that every target takes.
pub const TEXEL_OFFSETS: RangeInclusive<i64> = -8..=7;

macro_rules! limits {
    ($($(#[doc = $doc:literal])* $field:ident: $name:literal, $usual:expr, $most:expr;)*) => {
        /// The limits of a program.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct Limits {$(
            $(#[doc = $doc])*
            pub $field: u64,
        )*}

        impl Limits {
            /// What they usually are: more than any shader has that a person wrote.
            pub const USUAL: Limits = Limits { $($field: $usual),* };
            /// (name in options, what it usually is, the most that it may be).
            pub const TABLE: &[(&str, u64, u64)] = &[$(($name, $usual, $most)),*];

            /// Sets one by its name.
            fn set(&mut self, name: &str, value: u64) -> Result<(), String> {
                let known = || Self::TABLE.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ");
                match name {
                    $($name if (1..=$most).contains(&value) => self.$field = value,
                    $name => return Err(format!("the limit `{name}` is from 1 to {}", $most)),)*
                    _ => return Err(format!("`{name}` is not a limit; there are {}", known())),
                }
                Ok(())
            }
        }
    };
}

limits! {
    /// Bytes of a file, and of the tokens that `#` and `##` make.
    file_bytes: "file-bytes", 16 << 20, 16 << 20;
    /// Files that include one another.
    include_depth: "include-depth", 64, 1024;
    /// Files that a program includes, each as often as it is.
    includes: "includes", 100_000, 10_000_000;
    /// Tokens of a program, those that conditionals leave out among them.
    tokens: "tokens", 1 << 26, 1 << 30;
    /// Tokens that macros expand to.
    expansion: "expansion", 1 << 22, 1 << 26;
    /// Levels of expressions, statements, types and declarations. The most is what the stack is made for.
    nesting: "nesting", 128, 128;
    /// Instances of generic functions, and of generic structs.
    instances: "instances", 20_000, 1_000_000;
    /// Bytes of the texts for a target.
    output: "output", 64 << 20, 1 << 30;
}

impl Default for Limits {
    fn default() -> Self {
        Limits::USUAL
    }
}

/// `NAME=N,...`, any of them.
impl FromStr for Limits {
    type Err = String;

    fn from_str(text: &str) -> Result<Limits, String> {
        let mut limits = Limits::USUAL;
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is not like nesting=64"))?;
            let value = value.trim().parse().map_err(|_| format!("`{value}` is not a number"))?;
            limits.set(name.trim(), value)?;
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn limits_are_read() {
        let limits: Limits = "nesting=64, output=1000".parse().expect("good limits");
        assert_eq!(limits, Limits { nesting: 64, output: 1000, ..Limits::USUAL });
        for wrong in ["nesting", "nesting=x", "nesting=129", "output=0", "depth=3", ""] {
            assert!(wrong.parse::<Limits>().is_err(), "{wrong}");
        }
        for (name, usual, most) in Limits::TABLE {
            assert!(usual <= most, "{name}");
        }
    }
}
