//! The text of a root signature: `[RootSignature("CBV(b0), DescriptorTable(SRV(t0, numDescriptors = 4))")]`.
//!
//! The grammar is that of "Specifying Root Signatures in HLSL" (Direct3D 12 Programming Guide), as DXC takes it: items are
//! separated by commas, of which one may stand at the end, and every word is known.

/// The words that stand before `=` in an item.
type Keys = &'static [(&'static str, SignatureValue)];

/// What stands behind the `=`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SignatureValue {
    /// A number without a sign.
    Count,
    /// Such a number, or this word.
    CountOr(&'static str),
    /// A number that may have a sign and a fraction.
    Float,
    /// One word that begins like this.
    Word(&'static str),
    /// Words between which `|` stands, or 0.
    Flags(&'static [&'static str]),
}

use crate::symbol::Symbol;
use SignatureValue::{Count, CountOr, Flags, Float, Word};

const VISIBILITY: (&str, SignatureValue) = ("visibility", Word("SHADER_VISIBILITY_"));
const DATA_FLAGS: &[&str] = &["DATA_VOLATILE", "DATA_STATIC", "DATA_STATIC_WHILE_SET_AT_EXECUTE"];
const RANGE_FLAGS: &[&str] = &[
    "DESCRIPTORS_VOLATILE",
    "DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS",
    "DATA_VOLATILE",
    "DATA_STATIC",
    "DATA_STATIC_WHILE_SET_AT_EXECUTE",
];
const ROOT_FLAGS: &[&str] = &[
    "ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT",
    "DENY_VERTEX_SHADER_ROOT_ACCESS",
    "DENY_HULL_SHADER_ROOT_ACCESS",
    "DENY_DOMAIN_SHADER_ROOT_ACCESS",
    "DENY_GEOMETRY_SHADER_ROOT_ACCESS",
    "DENY_PIXEL_SHADER_ROOT_ACCESS",
    "DENY_AMPLIFICATION_SHADER_ROOT_ACCESS",
    "DENY_MESH_SHADER_ROOT_ACCESS",
    "ALLOW_STREAM_OUTPUT",
    "LOCAL_ROOT_SIGNATURE",
    "CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED",
    "SAMPLER_HEAP_DIRECTLY_INDEXED",
    "ALLOW_LOW_TIER_RESERVED_HW_CB_LIMIT",
];
const SAMPLER_FLAGS: &[&str] = &["UINT_BORDER_COLOR", "NON_NORMALIZED_COORDINATES"];
const VISIBILITIES: &[&str] = &["ALL", "VERTEX", "HULL", "DOMAIN", "GEOMETRY", "PIXEL", "AMPLIFICATION", "MESH"];

const ROOT_VIEW: Keys = &[("space", Count), VISIBILITY, ("flags", Flags(DATA_FLAGS))];
const RANGE: Keys = &[
    ("numDescriptors", CountOr("unbounded")),
    ("space", Count),
    ("offset", CountOr("DESCRIPTOR_RANGE_OFFSET_APPEND")),
    ("flags", Flags(RANGE_FLAGS)),
];
const CONSTANTS: Keys = &[("num32BitConstants", Count), ("space", Count), VISIBILITY];
const SAMPLER: Keys = &[
    ("filter", Word("FILTER_")),
    ("addressU", Word("TEXTURE_ADDRESS_")),
    ("addressV", Word("TEXTURE_ADDRESS_")),
    ("addressW", Word("TEXTURE_ADDRESS_")),
    ("mipLODBias", Float),
    ("maxAnisotropy", Count),
    ("comparisonFunc", Word("COMPARISON_")),
    ("borderColor", Word("STATIC_BORDER_COLOR_")),
    ("minLOD", Float),
    ("maxLOD", Float),
    ("space", Count),
    VISIBILITY,
    ("flags", Flags(SAMPLER_FLAGS)),
];

const DESCRIPTOR_TABLE: &str = "DescriptorTable";

/// (item, letter of its register, words before `=`, the word that it needs), of a root signature and of a descriptor table.
type SignaturePart = (&'static str, char, Keys, Option<&'static str>);

const ROOT: &[SignaturePart] = &[
    ("RootConstants", 'b', CONSTANTS, Some("num32BitConstants")),
    ("CBV", 'b', ROOT_VIEW, None),
    ("SRV", 't', ROOT_VIEW, None),
    ("UAV", 'u', ROOT_VIEW, None),
    ("StaticSampler", 's', SAMPLER, None),
];
const TABLE: &[SignaturePart] =
    &[("CBV", 'b', RANGE, None), ("SRV", 't', RANGE, None), ("UAV", 'u', RANGE, None), ("Sampler", 's', RANGE, None)];

/// (item, word, what it is where it is not written), as "Specifying Root Signatures in HLSL" has it.
const DEFAULTS: &[(&str, &str, &str)] = &[
    ("StaticSampler", "filter", "FILTER_ANISOTROPIC"),
    ("StaticSampler", "addressU", "TEXTURE_ADDRESS_WRAP"),
    ("StaticSampler", "addressV", "TEXTURE_ADDRESS_WRAP"),
    ("StaticSampler", "addressW", "TEXTURE_ADDRESS_WRAP"),
    ("StaticSampler", "mipLODBias", "0"),
    ("StaticSampler", "maxAnisotropy", "16"),
    ("StaticSampler", "comparisonFunc", "COMPARISON_LESS_EQUAL"),
    ("StaticSampler", "borderColor", "STATIC_BORDER_COLOR_OPAQUE_WHITE"),
    ("StaticSampler", "minLOD", "0"),
    ("StaticSampler", "maxLOD", "3.402823466e+38"),
];
/// As [`DEFAULTS`], of all items that take the word.
const COMMON_DEFAULTS: &[(&str, &str)] = &[
    ("numDescriptors", "1"),
    ("space", "0"),
    ("offset", "DESCRIPTOR_RANGE_OFFSET_APPEND"),
    ("visibility", "SHADER_VISIBILITY_ALL"),
];

/// What a root signature says.
#[derive(Debug, Default, PartialEq)]
pub struct RootSignature {
    /// Its flags.
    pub flags: Vec<String>,
    /// Its parameters and static samplers, in order.
    pub items: Vec<RootItem>,
}

/// A parameter or static sampler of a root signature, or a range of a descriptor table.
#[derive(Debug, Default, PartialEq)]
pub struct RootItem {
    /// `RootConstants`, `CBV`, `DescriptorTable`, `StaticSampler` and so on.
    pub kind: &'static str,
    /// The class of its registers; a table has none.
    pub class: Option<char>,
    /// The first register.
    pub register: u32,
    /// The words before `=` with their values, those that are not written with what they then are.
    pub values: Vec<(&'static str, String)>,
    /// The ranges of a table.
    pub ranges: Vec<RootItem>,
}

impl RootItem {
    /// The value of a word.
    pub fn value(&self, word: &str) -> Option<&str> {
        self.values.iter().find(|(key, _)| *key == word).map(|(_, value)| value.as_str())
    }

    /// Whether it has a register.
    pub fn has(&self, class: char, index: u32, space: u32) -> bool {
        let number = |word: &str| self.value(word).and_then(|value| value.parse::<u32>().ok());
        // Without a number that is one, a range has all that follow.
        let end = match self.value("numDescriptors") {
            Some(_) => number("numDescriptors").and_then(|count| self.register.checked_add(count)),
            None => self.register.checked_add(1),
        };
        let is_in = index >= self.register && end.is_none_or(|end| index < end);
        self.class == Some(class) && is_in && number("space").unwrap_or(0) == space
    }

    fn add_defaults(&mut self, keys: Keys) {
        for (key, _) in keys {
            let own = DEFAULTS.iter().find(|(kind, word, _)| *kind == self.kind && word == key).map(|row| row.2);
            let common = COMMON_DEFAULTS.iter().find(|(word, _)| word == key).map(|row| row.1);
            if let Some(default) = own.or(common)
                && self.value(key).is_none()
            {
                self.values.push((key, default.to_owned()));
            }
        }
    }
}

/// Reads a root signature, or says what is wrong with it.
pub fn parse(text: &str) -> Result<RootSignature, String> {
    Parser { tokens: tokens(text), at: 0 }.signature()
}

/// What is wrong with a root signature.
pub(super) fn fault(text: &str) -> Option<String> {
    parse(text).err()
}

/// A root signature as DXC reads it, which takes no white space but spaces.
pub(super) fn spaced(text: &str) -> Symbol {
    Symbol::new(&text.replace(char::is_whitespace, " "))
}

/// Words, numbers and signs.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(end);
        found.push(token);
        rest = behind.trim_start();
    }
    found
}

struct Parser<'a> {
    tokens: Vec<&'a str>,
    at: usize,
}

type Parsed = Result<(), String>;

impl<'a> Parser<'a> {
    fn next(&mut self) -> &'a str {
        let token = self.tokens.get(self.at).copied().unwrap_or("");
        self.at += 1;
        token
    }

    fn takes(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at) == Some(&token);
        self.at += usize::from(found);
        found
    }

    fn needs(&mut self, token: &str) -> Parsed {
        match self.takes(token) {
            true => Ok(()),
            false => Err(format!("`{token}` is needed before {}", self.here())),
        }
    }

    /// The token at hand, for messages.
    fn here(&self) -> String {
        self.tokens.get(self.at).map_or("its end".to_owned(), |token| format!("`{token}`"))
    }

    fn signature(&mut self) -> Result<RootSignature, String> {
        let mut has_flags = false;
        let mut signature = RootSignature::default();
        while self.at < self.tokens.len() {
            let word = self.next();
            let item = ROOT.iter().find(|(name, ..)| name.eq_ignore_ascii_case(word));
            match item {
                Some(item) => signature.items.push(self.item(item)?),
                None if word.eq_ignore_ascii_case(DESCRIPTOR_TABLE) => signature.items.push(self.table()?),
                None if word.eq_ignore_ascii_case("RootFlags") && !has_flags => {
                    has_flags = true;
                    self.needs("(")?;
                    signature.flags = self.flags(ROOT_FLAGS)?;
                    self.needs(")")?;
                }
                None if has_flags && word.eq_ignore_ascii_case("RootFlags") => {
                    return Err("`RootFlags` stands in it twice".to_owned());
                }
                None => return Err(format!("`{word}` is no part of one")),
            }
            if self.at < self.tokens.len() {
                self.needs(",")?;
            }
        }
        Ok(signature)
    }

    fn table(&mut self) -> Result<RootItem, String> {
        self.needs("(")?;
        let mut visible = false;
        let mut table = RootItem { kind: DESCRIPTOR_TABLE, ..RootItem::default() };
        loop {
            let word = self.next();
            match TABLE.iter().find(|(name, ..)| name.eq_ignore_ascii_case(word)) {
                Some(item) => {
                    let range = self.item(item)?;
                    table.ranges.push(range);
                }
                None if !visible && word.eq_ignore_ascii_case(VISIBILITY.0) => {
                    visible = true;
                    table.values.push((VISIBILITY.0, self.value(VISIBILITY)?));
                }
                None => return Err(format!("`{word}` is no part of a descriptor table")),
            }
            if self.takes(")") {
                table.add_defaults(&[VISIBILITY]);
                return match table.ranges.is_empty() {
                    false => Ok(table),
                    true => Err("a descriptor table has no range".to_owned()),
                };
            }
            self.needs(",")?;
        }
    }

    /// `(b0, space = 1)`.
    fn item(&mut self, (name, letter, keys, needed): &SignaturePart) -> Result<RootItem, String> {
        self.needs("(")?;
        let mut has_register = false;
        let mut item = RootItem { kind: name, class: Some(*letter), ..RootItem::default() };
        loop {
            let word = self.next();
            let key = keys.iter().find(|(key, _)| key.eq_ignore_ascii_case(word));
            match key {
                Some((key, _)) if item.value(key).is_some() => {
                    return Err(format!("`{key}` stands in `{name}` twice"));
                }
                Some(key) => item.values.push((key.0, self.value(*key)?)),
                None if !has_register && register(word, *letter).is_some() => {
                    has_register = true;
                    item.register = register(word, *letter).unwrap_or(0);
                }
                None => return Err(format!("`{word}` is no part of `{name}`")),
            }
            if self.takes(")") {
                break;
            }
            self.needs(",")?;
        }
        match needed.filter(|key| item.value(key).is_none()) {
            _ if !has_register => Err(format!("`{name}` has no register `{letter}`")),
            Some(key) => Err(format!("`{name}` has no `{key}`")),
            None => {
                item.add_defaults(keys);
                Ok(item)
            }
        }
    }

    /// `= value`.
    fn value(&mut self, (key, takes): (&str, SignatureValue)) -> Result<String, String> {
        self.needs("=")?;
        if let Flags(known) = takes {
            return Ok(self.flags(known)?.join(" | "));
        }
        let word = self.next();
        let fits = match takes {
            Count => word.parse::<u32>().is_ok(),
            CountOr(other) => word.parse::<u32>().is_ok() || word.eq_ignore_ascii_case(other),
            Float => word.trim_end_matches(['f', 'F']).parse::<f32>().is_ok_and(f32::is_finite),
            Word(start) => match word.to_ascii_uppercase().strip_prefix(start) {
                Some(rest) if key == VISIBILITY.0 => VISIBILITIES.contains(&rest),
                Some(rest) => !rest.is_empty(),
                None => false,
            },
            Flags(_) => false,
        };
        let value = match takes {
            Float => word.trim_end_matches(['f', 'F']).to_owned(),
            Count => word.to_owned(),
            CountOr(other) if word.eq_ignore_ascii_case(other) => other.to_owned(),
            CountOr(_) => word.to_owned(),
            Word(_) | Flags(_) => word.to_ascii_uppercase(),
        };
        if fits { Ok(value) } else { Err(format!("`{word}` is no `{key}`")) }
    }

    /// `A | B`, or 0.
    fn flags(&mut self, known: &[&str]) -> Result<Vec<String>, String> {
        let mut flags = Vec::new();
        if self.takes("0") {
            return Ok(flags);
        }
        loop {
            let word = self.next();
            let Some(flag) = known.iter().find(|flag| flag.eq_ignore_ascii_case(word)) else {
                return Err(format!("`{word}` is no flag here"));
            };
            flags.push((*flag).to_owned());
            if !self.takes("|") {
                return Ok(flags);
            }
        }
    }
}

/// `b12`: DXC knows registers by their small letters.
fn register(word: &str, letter: char) -> Option<u32> {
    word.strip_prefix(letter).filter(|number| !number.starts_with('+'))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn signatures_that_dxc_takes() {
        for text in [
            "",
            "UAV(u3),",
            "RootFlags(ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT | DENY_VERTEX_SHADER_ROOT_ACCESS), CBV(b0)",
            "DescriptorTable(SRV(t0, numDescriptors=unbounded, offset = DESCRIPTOR_RANGE_OFFSET_APPEND, \
             flags=DATA_VOLATILE), visibility=SHADER_VISIBILITY_ALL)",
            "DescriptorTable(visibility=SHADER_VISIBILITY_ALL, CBV(b0))",
            "StaticSampler(s0, mipLODBias = -1.5f, filter=FILTER_ANISOTROPIC, maxAnisotropy=16, minLOD=0.0)",
            "RootConstants(num32BitConstants=3, b1, space = 2)",
            "RootFlags(0)",
        ] {
            assert_eq!(fault(text), None, "{text}");
        }
    }

    #[test]
    fn signatures_that_dxc_refuses() {
        for (text, message) in [
            ("SRV(t0) UAV(u3),", "`,` is needed before `UAV`"),
            ("uav(U3)", "`U3` is no part of `UAV`"),
            ("RootFlags(0), RootFlags(0)", "`RootFlags` stands in it twice"),
            ("RootConstants(num32BitConstants=3, b1, space = 0x2)", "`0x2` is no `space`"),
            ("CBV(b0, flags = DATA_STATIC, flags=DATA_VOLATILE)", "`flags` stands in `CBV` twice"),
            ("DescriptorTable()", "`)` is no part of a descriptor table"),
            ("CBV(t0)", "`t0` is no part of `CBV`"),
            ("DescriptorTable(visibility=SHADER_VISIBILITY_ALL)", "a descriptor table has no range"),
            ("RootFlags()", "`)` is no flag here"),
            ("RootConstants(b1)", "`RootConstants` has no `num32BitConstants`"),
            ("StaticSampler(s0,)", "`)` is no part of `StaticSampler`"),
            ("StaticSampler(filter=FILTER_ANISOTROPIC)", "`StaticSampler` has no register `s`"),
            ("SRV(t0, visibility=SHADER_VISIBILITY_SOME)", "`SHADER_VISIBILITY_SOME` is no `visibility`"),
            ("SRV(t0), ,SRV(t1)", "`,` is no part of one"),
            ("SRV(t0, space=-1)", "`-1` is no `space`"),
            ("SRV(t0", "`,` is needed before its end"),
        ] {
            assert_eq!(fault(text).as_deref(), Some(message), "{text}");
        }
    }
}
