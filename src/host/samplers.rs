//! The states of samplers that the source declares: static samplers of root signatures, and the states of effect files.
//!
//! Both are words of Direct3D. What is not written is what D3D then takes: `StaticSampler` has its values in the sidecar already,
//! `{ Filter = ...; }` is a sampler of Direct3D 10 and later, `{ MinFilter = ...; }` one of Direct3D 9.

use super::model::{
    Address, Border, Comparison, Filter, Reduction, Resource, RootConstants, Sampler, SamplerState, Slot,
};
use crate::reflect::model::{EffectState, Reflection, RootItem};
use std::collections::BTreeMap;

/// States that have no values in the source.
const MODERN: SamplerState = SamplerState {
    filters: [Filter::Linear; 3],
    anisotropic: false,
    reduction: Reduction::Average,
    address: [Address::Clamp; 3],
    lod_bias: 0.0,
    max_anisotropy: 1,
    comparison: Comparison::Never,
    border: Border::OpaqueWhite,
    min_lod: -f32::MAX,
    max_lod: f32::MAX,
    visibility: None,
};
/// As [`MODERN`], of Direct3D 9, where a sampler without `MipFilter` reads the first level alone.
const OLD: SamplerState = SamplerState {
    filters: [Filter::Point; 3],
    address: [Address::Wrap; 3],
    border: Border::TransparentBlack,
    min_lod: 0.0,
    max_lod: FIRST_LEVEL,
    ..MODERN
};

/// The greatest level that is rounded to the first one, and still tells magnification from minification.
const FIRST_LEVEL: f32 = 0.25;

/// States that Direct3D 9 alone has.
const OLD_WORDS: &[&str] = &["MINFILTER", "MAGFILTER", "MIPFILTER", "MIPMAPLODBIAS", "MAXMIPLEVEL"];

/// Words of Direct3D before values, each longest one first.
const PREFIXES: &[&str] = &[
    "D3D12_",
    "D3D11_",
    "D3D10_",
    "FILTER_",
    "TEXTURE_ADDRESS_",
    "COMPARISON_FUNC_",
    "STATIC_BORDER_COLOR_",
    "SHADER_VISIBILITY_",
];

const ADDRESSES: &[(&str, Address)] = &[
    ("WRAP", Address::Wrap),
    ("MIRROR", Address::Mirror),
    ("CLAMP", Address::Clamp),
    ("BORDER", Address::Border),
    ("MIRROR_ONCE", Address::MirrorOnce),
    ("MIRRORONCE", Address::MirrorOnce),
];
const COMPARISONS: &[(&str, Comparison)] = &[
    ("NEVER", Comparison::Never),
    ("LESS", Comparison::Less),
    ("EQUAL", Comparison::Equal),
    ("LESS_EQUAL", Comparison::LessEqual),
    ("LESSEQUAL", Comparison::LessEqual),
    ("GREATER", Comparison::Greater),
    ("NOT_EQUAL", Comparison::NotEqual),
    ("NOTEQUAL", Comparison::NotEqual),
    ("GREATER_EQUAL", Comparison::GreaterEqual),
    ("GREATEREQUAL", Comparison::GreaterEqual),
    ("ALWAYS", Comparison::Always),
];
const FILTERS: &[(&str, Filter)] = &[("POINT", Filter::Point), ("LINEAR", Filter::Linear)];
const BORDERS: &[(&str, Border)] = &[
    ("TRANSPARENT_BLACK", Border::TransparentBlack),
    ("OPAQUE_BLACK", Border::OpaqueBlack),
    ("OPAQUE_WHITE", Border::OpaqueWhite),
    ("OPAQUE_BLACK_UINT", Border::OpaqueBlackUint),
    ("OPAQUE_WHITE_UINT", Border::OpaqueWhiteUint),
];
const VISIBILITIES: &[&str] = &["VERTEX", "HULL", "DOMAIN", "GEOMETRY", "PIXEL", "AMPLIFICATION", "MESH"];

fn find<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// A value as the tables have it.
fn plain(value: &str) -> String {
    let upper = value.trim().trim_matches(['<', '>', '(', ')', '"']).trim().to_ascii_uppercase();
    let stripped = PREFIXES.iter().fold(upper.as_str(), |word, prefix| word.strip_prefix(prefix).unwrap_or(word));
    stripped.to_owned()
}

fn float(value: &str) -> Option<f32> {
    let digits = value.trim().trim_end_matches(['f', 'F']);
    digits.parse::<f32>().ok().filter(|number| number.is_finite())
}

impl SamplerState {
    /// Takes a state; whether it is known.
    fn set(&mut self, name: &str, value: &str) -> bool {
        let word = plain(value);
        let taken = match name.to_ascii_uppercase().as_str() {
            // The application binds the texture.
            "TEXTURE" => Some(()),
            "FILTER" => self.set_filter(&word),
            "MINFILTER" => self.set_old_filter(0, &word),
            "MAGFILTER" => self.set_old_filter(1, &word),
            "MIPFILTER" => self.set_mip_filter(&word),
            "ADDRESSU" => find(ADDRESSES, &word).map(|address| self.address[0] = address),
            "ADDRESSV" => find(ADDRESSES, &word).map(|address| self.address[1] = address),
            "ADDRESSW" => find(ADDRESSES, &word).map(|address| self.address[2] = address),
            "MIPLODBIAS" | "MIPMAPLODBIAS" => float(value).map(|bias| self.lod_bias = bias),
            "MAXANISOTROPY" => word.parse().ok().map(|most: u32| self.max_anisotropy = most.clamp(1, 16)),
            "COMPARISONFUNC" => {
                let word = word.strip_prefix("COMPARISON_").unwrap_or(&word);
                find(COMPARISONS, word).map(|comparison| self.comparison = comparison)
            }
            "BORDERCOLOR" => find(BORDERS, &word).or_else(|| border(value)).map(|border| self.border = border),
            "MINLOD" | "MAXMIPLEVEL" => float(value).map(|lod| self.min_lod = lod),
            "MAXLOD" => float(value).map(|lod| self.max_lod = lod),
            "VISIBILITY" => {
                self.visibility = VISIBILITIES.iter().find(|known| **known == word).copied();
                Some(())
            }
            // Where it is and what it is of.
            "SPACE" => Some(()),
            "FLAGS" => value.is_empty().then_some(()),
            _ => None,
        };
        taken.is_some()
    }

    /// `COMPARISON_MIN_MAG_LINEAR_MIP_POINT`, `ANISOTROPIC`, and of some frameworks `LINEAR`.
    fn set_filter(&mut self, word: &str) -> Option<()> {
        const REDUCTIONS: &[(&str, Reduction)] = &[
            ("COMPARISON_", Reduction::Comparison),
            ("MINIMUM_", Reduction::Minimum),
            ("MAXIMUM_", Reduction::Maximum),
        ];
        let found = REDUCTIONS.iter().find_map(|(name, reduction)| Some((word.strip_prefix(name)?, *reduction)));
        let (word, reduction) = found.unwrap_or((word, Reduction::Average));
        let whole = if word == "ANISOTROPIC" { Some(Filter::Linear) } else { find(FILTERS, word) };
        let mut filters = [whole; 3];
        // Which of them the next filter is of.
        let mut open = [false; 3];
        if whole.is_none() {
            for part in word.split('_') {
                let which = ["MIN", "MAG", "MIP"].iter().position(|name| *name == part);
                match (which.and_then(|at| open.get_mut(at)), find(FILTERS, part)) {
                    (Some(is_open), _) => *is_open = true,
                    (None, Some(filter)) => {
                        for (slot, is_open) in filters.iter_mut().zip(&mut open) {
                            if std::mem::take(is_open) {
                                *slot = Some(filter);
                            }
                        }
                    }
                    (None, None) => return None,
                }
            }
        }
        let [Some(min), Some(mag), Some(mip)] = filters else { return None };
        self.filters = [min, mag, mip];
        self.anisotropic = word == "ANISOTROPIC";
        self.reduction = reduction;
        Some(())
    }

    fn set_old_filter(&mut self, which: usize, word: &str) -> Option<()> {
        let anisotropic = word == "ANISOTROPIC";
        let filter = if anisotropic { Filter::Linear } else { find(FILTERS, word)? };
        *self.filters.get_mut(which)? = filter;
        self.anisotropic |= anisotropic;
        Some(())
    }

    fn set_mip_filter(&mut self, word: &str) -> Option<()> {
        self.max_lod = if word == "NONE" { FIRST_LEVEL } else { f32::MAX };
        if word == "NONE" { Some(()) } else { self.set_old_filter(2, word) }
    }
}

/// A color that APIs have a word for: `0xffffffff`, `float4(0, 0, 0, 1)`.
fn border(value: &str) -> Option<Border> {
    let digits = value.trim().trim_start_matches("0x").trim_start_matches("0X");
    if digits.len() != value.trim().len() {
        return match u32::from_str_radix(digits, 16).ok()? {
            0 => Some(Border::TransparentBlack),
            0xff00_0000 => Some(Border::OpaqueBlack),
            0xffff_ffff => Some(Border::OpaqueWhite),
            _ => None,
        };
    }
    let inner = value.trim().trim_start_matches("float4").trim().trim_matches(['(', ')', '{', '}']);
    let numbers: Option<Vec<f32>> = inner.split(',').map(float).collect();
    let is = |wanted: &[f32]| numbers.as_deref() == Some(wanted);
    match () {
        () if is(&[0.0; 4]) || is(&[0.0]) => Some(Border::TransparentBlack),
        () if is(&[0.0, 0.0, 0.0, 1.0]) => Some(Border::OpaqueBlack),
        () if is(&[1.0; 4]) => Some(Border::OpaqueWhite),
        () => None,
    }
}

/// What one place of the source says of a sampler: (who says it, its state, what is unknown of it).
type Said = (String, SamplerState, Vec<String>);

fn said<'a>(who: String, from: SamplerState, states: impl Iterator<Item = (&'a str, &'a str)>) -> Said {
    let mut state = from;
    let mut unknown = Vec::new();
    for (name, value) in states {
        if !state.set(name, value) {
            unknown.push(format!("{name} = {value}"));
        }
    }
    if !state.anisotropic {
        state.max_anisotropy = 1;
    }
    (who, state, unknown)
}

fn of_effect(states: &[EffectState]) -> Said {
    let is_old = |state: &EffectState| OLD_WORDS.contains(&state.name.to_ascii_uppercase().as_str());
    let from = if states.iter().any(is_old) { OLD } else { MODERN };
    let states = states.iter().filter(|state| state.ty.is_none());
    said(String::new(), from, states.map(|s| (s.name.as_str(), s.value.as_str())))
}

fn of_root(entry: &str, item: &RootItem) -> Said {
    said(entry.to_owned(), MODERN, item.values.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

/// The items of root signatures that are of a kind, with the entry points that have them and the parameters that they are of.
fn items<'a>(reflection: &'a Reflection, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a str, &'a RootItem)> {
    let signatures = reflection.entry_points.iter().filter_map(|e| Some((e.name.as_str(), e.root_signature.as_ref()?)));
    let items = signatures.flat_map(|(entry, signature)| signature.items.iter().map(move |item| (entry, item)));
    let of_kind = items.filter(move |(_, item)| item.kind == kind);
    of_kind.flat_map(|(entry, item)| item.parameters.iter().map(move |path| (path.as_str(), entry, item)))
}

/// The samplers whose states the source has.
pub fn samplers(reflection: &Reflection, slots: &[Slot]) -> Vec<Sampler> {
    let mut all: BTreeMap<&str, Vec<Said>> = BTreeMap::new();
    for object in reflection.effect_objects.iter().filter(|object| object.kind == "sampler_state") {
        all.insert(&object.name, vec![of_effect(&object.states)]);
    }
    // What a root signature says replaces the states of an effect.
    let mut by_root: BTreeMap<&str, Vec<Said>> = BTreeMap::new();
    for (path, entry, item) in items(reflection, "StaticSampler") {
        by_root.entry(path).or_default().push(of_root(entry, item));
    }
    all.extend(by_root);
    let is_sampler = |slot: &&Slot| matches!(slot.resource, Resource::Sampler { .. } | Resource::Combined(_));
    let sampler = |slot: &Slot| {
        let list = all.get(slot.sampler.as_ref().unwrap_or(&slot.path).as_str())?;
        let (who, state, unknown) = list.first()?;
        let mut notes: Vec<String> = unknown.iter().map(|text| format!("`{text}` has no value here")).collect();
        let other = list.iter().find(|(_, other, _)| other != state);
        notes
            .extend(other.map(|(other, ..)| format!("`{other}` has another sampler here than `{who}`: there is none")));
        Some(Sampler { slot: slot.clone(), state: other.is_none().then_some(*state), notes })
    };
    slots.iter().filter(is_sampler).filter_map(sampler).collect()
}

/// The constants that root signatures have themselves.
pub fn root_constants(reflection: &Reflection, slots: &[Slot]) -> Vec<RootConstants> {
    let mut list: Vec<RootConstants> = Vec::new();
    for (path, _, item) in items(reflection, "RootConstants") {
        let count = item.values.get("num32BitConstants").and_then(|value| value.parse::<u32>().ok());
        let slot = slots.iter().find(|slot| slot.path == path && slot.class == Some('b'));
        let (Some(count), Some(slot)) = (count, slot) else { continue };
        let (index, space) = (slot.index, slot.space);
        match list.iter_mut().find(|other| (other.index, other.space) == (index, space)) {
            Some(other) => other.count = count.max(other.count),
            None => list.push(RootConstants { index, space, count }),
        }
    }
    list
}

/// How many samplers of a slot have numbers of their own; without bound there are none that a table could have.
pub fn positions(slot: &Slot) -> Option<std::ops::Range<u64>> {
    Some(slot.index..slot.index.saturating_add(slot.count?))
}

#[cfg(test)]
mod tests {
    use super::{FIRST_LEVEL, of_effect};
    use crate::host::model::{Address, Border, Comparison, Filter, Reduction, SamplerState};
    use crate::reflect::model::EffectState;

    fn state(text: &str) -> (SamplerState, Vec<String>) {
        let states = text.split(';').filter_map(|one| {
            let (name, value) = one.split_once('=')?;
            Some(EffectState { ty: None, name: name.trim().to_owned(), value: value.trim().to_owned() })
        });
        let (_, state, unknown) = of_effect(&states.collect::<Vec<_>>());
        (state, unknown)
    }

    #[test]
    fn filters_are_told_apart() {
        let (linear, point) = (Filter::Linear, Filter::Point);
        let cases = [
            ("MIN_MAG_MIP_LINEAR", [linear; 3], Reduction::Average, 1),
            ("MIN_MAG_LINEAR_MIP_POINT", [linear, linear, point], Reduction::Average, 1),
            ("COMPARISON_MIN_POINT_MAG_LINEAR_MIP_POINT", [point, linear, point], Reduction::Comparison, 1),
            ("D3D12_FILTER_MAXIMUM_MIN_LINEAR_MAG_MIP_POINT", [linear, point, point], Reduction::Maximum, 1),
            ("Anisotropic", [linear; 3], Reduction::Average, 8),
            ("point", [point; 3], Reduction::Average, 1),
        ];
        for (text, filters, reduction, most) in cases {
            let (state, unknown) = state(&format!("Filter = {text}; MaxAnisotropy = 8"));
            assert_eq!((state.filters, state.reduction, state.max_anisotropy), (filters, reduction, most), "{text}");
            assert!(unknown.is_empty(), "{unknown:?}");
        }
        assert_eq!(state("Filter = MIN_MAG_LINEAR").1, ["Filter = MIN_MAG_LINEAR"]);
    }

    #[test]
    fn what_is_not_written_is_that_of_its_time() {
        let (old, unknown) =
            state("Texture = <stone>; MinFilter = LINEAR; AddressU = Mirror; BorderColor = 0xff000000");
        assert!(unknown.is_empty(), "{unknown:?}");
        assert_eq!(old.filters, [Filter::Linear, Filter::Point, Filter::Point]);
        assert_eq!(old.address, [Address::Mirror, Address::Wrap, Address::Wrap]);
        assert_eq!((old.border, old.max_lod), (Border::OpaqueBlack, FIRST_LEVEL));
        let (new, unknown) =
            state("ComparisonFunc = Less_Equal; MaxLOD = 4.0f; BorderColor = float4(0, 0, 0, 0); X = 1");
        assert_eq!(unknown, ["X = 1"]);
        assert_eq!((new.filters, new.address), ([Filter::Linear; 3], [Address::Clamp; 3]));
        assert_eq!((new.comparison, new.max_lod), (Comparison::LessEqual, 4.0));
        assert_eq!(new.border, Border::TransparentBlack);
    }
}
