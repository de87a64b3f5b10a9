//! Signatures of D3D have rows of four numbers, and no more than 32 of them.
//!
//! What is reported has no room in whichever way it is packed: an element of an array takes a row, and a row has values of one
//! interpolation alone.
//!
//! A part of [`super::signatures`].

use super::Context;
use super::signatures::{Point, RowShape, is_distance, is_factor, shape};
use super::stage_io::Leaf;
use crate::diagnostic::{Code, Diagnostic};
use crate::target::Capability;
use crate::tree::{Modifiers, Program};
use std::collections::BTreeMap;

/// The rows of a signature (D3D11.3 functional specification, "Shader Model limits": 32 registers of inputs and of outputs).
const MOST_ROWS: u32 = 32;

/// The most factors of a domain: one for each side.
const MOST_FACTORS: u32 = 4;

/// What stands in rows of its own: distances, what is flat, and the words of interpolation.
type RowKind = (bool, bool, [bool; 3]);

/// Values that may share rows.
#[derive(Default)]
struct Rows {
    /// Rows of three numbers and four, of which one and none are left.
    wide: u32,
    full: u32,
    /// Rows of two numbers, and the most of one value.
    halves: u32,
    longest_half: u32,
    /// All numbers.
    numbers: u32,
    /// The most rows of what is no full one.
    longest: u32,
    /// Tessellation factors, which stand below each other.
    factors: u32,
}

impl Rows {
    fn add(&mut self, (rows, columns): RowShape, is_factor: bool) {
        // More factors than a domain has are another error.
        let rows = if is_factor { rows.min(MOST_FACTORS) } else { rows };
        let sum = |to: &mut u32, rows: u32| *to = to.saturating_add(rows);
        sum(&mut self.numbers, rows.saturating_mul(columns));
        match columns {
            4.. => sum(&mut self.full, rows),
            3 => sum(&mut self.wide, rows),
            2 => {
                sum(&mut self.halves, rows);
                self.longest_half = self.longest_half.max(rows);
            }
            _ => {}
        }
        if columns < 4 {
            self.longest = self.longest.max(rows);
        }
        if is_factor {
            sum(&mut self.factors, rows);
        }
    }

    /// How many rows are taken at least.
    fn least(&self) -> u32 {
        let halves = self.halves.div_ceil(2).max(self.longest_half);
        let by_width = self.full.saturating_add(self.wide).saturating_add(halves);
        let by_length = self.full.saturating_add(self.longest.max(self.factors));
        self.numbers.div_ceil(4).max(by_width).max(by_length)
    }
}

fn kind(program: &Program, point: Point, leaf: &Leaf) -> RowKind {
    if !point.is_interpolated() {
        return RowKind::default();
    }
    let types = &program.types;
    let is_integer = types.component(types.innermost(leaf.ty)).is_some_and(|s| !s.is_float());
    let words = [Modifiers::NOPERSPECTIVE, Modifiers::CENTROID, Modifiers::SAMPLE];
    let flat = is_integer || leaf.modifiers.has(Modifiers::NOINTERPOLATION);
    (is_distance(leaf), flat, words.map(|word| leaf.modifiers.has(word)))
}

/// Reports the first value of a signature that has no room in it.
pub(super) fn check(cx: &mut Context, values: &[(Point, &Leaf)]) {
    // Vulkan has locations.
    if cx.profile.has(Capability::VulkanBuiltins) {
        return;
    }
    let mut signatures: Vec<(Point, BTreeMap<RowKind, Rows>)> = Vec::new();
    let mut full = Vec::new();
    for &(point, leaf) in values {
        if full.contains(&point) {
            continue;
        }
        let at = signatures.iter().position(|(own, _)| *own == point).unwrap_or(signatures.len());
        if at == signatures.len() {
            signatures.push((point, BTreeMap::new()));
        }
        let Some((_, kinds)) = signatures.get_mut(at) else { continue };
        let rows = kinds.entry(kind(cx.program, point, leaf)).or_default();
        rows.add(shape(cx.program, leaf.ty), is_factor(leaf));
        if kinds.values().map(Rows::least).fold(0, u32::saturating_add) > MOST_ROWS {
            full.push(point);
            let message = format!("{} has no room for this value in a signature", cx.profile.name);
            let note = format!("it has {MOST_ROWS} rows of four numbers; each element of an array takes one");
            cx.diags.push(Diagnostic::error(Code::CAPABILITY, leaf.span, message).note(note));
        }
    }
}
