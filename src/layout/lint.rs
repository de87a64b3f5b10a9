//! `--lint layout`: structs in buffers whose bytes differ between the rules of D3D and those of Vulkan and WebGPU, and the
//! padding that would make them agree.

use super::rules::{Rules, round_up};
use super::types::same;
use super::{Api, Layouter, Policy, Settings, TypeLayout, Unit};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::tree::{MatrixOrder, Program, StructId, Type, TypeId};
use std::collections::BTreeSet;

/// Most words of padding that are proposed in one place.
const MOST_WORDS: usize = 16;

/// Warns of every struct whose layout differs.
pub fn lint(program: &Program, policy: Policy, diags: &mut Diagnostics) {
    let settings = [Api::D3d, Api::Vulkan].map(|api| Settings::native(api, policy));
    let mut lint = Lint { program, settings: &settings, seen: BTreeSet::new(), diags };
    for global in &program.parameters {
        let global = &program.globals[*global];
        lint.parameter(global.ty, global.matrix_order.unwrap_or(program.default_matrix_order));
    }
}

struct Lint<'a> {
    program: &'a Program,
    settings: &'a [Settings; 2],
    /// Structs told of, in constant buffers or not.
    seen: BTreeSet<(StructId, bool)>,
    diags: &'a mut Diagnostics,
}

/// A struct under both rules.
struct Pair {
    rules: [&'static Rules; 2],
    layouts: [TypeLayout; 2],
}

impl Lint<'_> {
    fn parameter(&mut self, ty: TypeId, order: MatrixOrder) {
        let [d3d, khronos] = self.settings;
        let (data, constant, rules) = match self.program.types.get(self.program.types.innermost(ty)) {
            Type::ConstantBuffer(t) | Type::ParameterBlock(t) => {
                (t, true, [d3d.constant_rules, khronos.constant_rules])
            }
            Type::Buffer(_, _, t) => (t, false, [d3d.structured_rules, khronos.structured_rules]),
            _ => return,
        };
        self.visit(data, constant, rules, order);
    }

    /// The struct in a type, and those in it first.
    fn visit(&mut self, ty: TypeId, constant: bool, rules: [&'static Rules; 2], order: MatrixOrder) {
        let Type::Struct(id) = self.program.types.get(self.program.types.innermost(ty)) else { return };
        if !self.seen.insert((id, constant)) {
            return;
        }
        for field in &self.program.structs[id].fields {
            match self.program.types.get(self.program.types.innermost(field.ty)) {
                Type::Struct(_) => self.visit(field.ty, constant, rules, field.matrix_order.unwrap_or(order)),
                _ => self.parameter(field.ty, field.matrix_order.unwrap_or(order)),
            }
        }
        let layout = |settings, rules| {
            Layouter { program: self.program, settings }.contents(self.program.types.innermost(ty), rules, order)
        };
        let [d3d, khronos] = self.settings;
        let layouts = [layout(d3d, rules[0]), layout(khronos, rules[1])];
        self.compare(id, constant, &Pair { rules, layouts });
    }

    fn compare(&mut self, id: StructId, constant: bool, pair: &Pair) {
        let [a, b] = &pair.layouts;
        let structure = &self.program.structs[id];
        let whole = |l: &TypeLayout| round_up(l.size(), l.align.into());
        let buffers = if constant { "constant" } else { "structured" };
        let mut told = Vec::new();
        for ((field, x), y) in structure.fields.iter().zip(a.fields()).zip(b.fields()) {
            let (at, other) = (x.offset.get(Unit::Bytes), y.offset.get(Unit::Bytes));
            if x.layout.size() > 0 && at != other {
                told.push(format!("`{}` is at byte {at} and {other}", field.name));
            } else if !same(&x.layout, &y.layout) {
                told.push(format!("`{}` differs inside", field.name));
            }
        }
        if whole(a) != whole(b) {
            told.push(format!("its size is {} and {}", whole(a), whole(b)));
        }
        if told.is_empty() {
            return;
        }
        let more = if told.len() > 4 { format!(", and {} more", told.len() - 4) } else { String::new() };
        told.truncate(4);
        let name = if structure.name.is_empty() { "this struct".to_owned() } else { format!("`{}`", structure.name) };
        let [x, y] = pair.rules.map(|r| r.name);
        let message = format!(
            "{name} lies differently in {buffers} buffers by the rules \"{x}\" and \"{y}\": {}{more}",
            told.join(", ")
        );
        let advice = self.advice(id, pair);
        self.diags.push(Diagnostic::warning(Code::BAD_LAYOUT, structure.span, message).note(advice));
    }

    /// The words of padding that make both agree.
    fn advice(&self, id: StructId, pair: &Pair) -> String {
        let [a, b] = &pair.layouts;
        let mut ends = [0, 0];
        let mut words = Vec::new();
        for ((field, x), y) in self.program.structs[id].fields.iter().zip(a.fields()).zip(b.fields()) {
            if x.layout.size() == 0 {
                continue;
            }
            if !same(&x.layout, &y.layout) {
                return format!("give the elements of `{}` a size that is a multiple of 16 bytes", field.name);
            }
            let parts = [&x.layout, &y.layout];
            let Some((count, at)) =
                (0..=MOST_WORDS).find_map(|n| Some((n, agreed(pair, padded(pair, ends, n), parts)?)))
            else {
                return format!("make the size of what stands before `{}` a multiple of 16 bytes", field.name);
            };
            if count > 0 {
                words.push(format!("{count} before `{}`", field.name));
            }
            ends = [at + x.layout.size(), at + y.layout.size()];
        }
        let whole = |ends: [u64; 2]| {
            [0, 1].map(|i| {
                let align = u64::from(pair.layouts.get(i).map_or(1, |l| l.align));
                round_up(ends.get(i).copied().unwrap_or(0), align)
            })
        };
        let last = (0..=MOST_WORDS).find(|n| {
            let [x, y] = whole(padded(pair, ends, *n));
            x == y
        });
        match last {
            Some(0) | None => {}
            Some(count) => words.push(format!("{count} at the end")),
        }
        match words.is_empty() {
            true => "make the size of every array and struct in it a multiple of 16 bytes".to_owned(),
            false => format!("fields of type `float` as padding make them agree: {}", words.join(", ")),
        }
    }
}

/// Where the last of some words of padding ends by each of the rules.
fn padded(pair: &Pair, ends: [u64; 2], words: usize) -> [u64; 2] {
    let mut ends = ends;
    for _ in 0..words {
        for (end, rules) in ends.iter_mut().zip(pair.rules) {
            *end = next(*end, 4, 4, rules) + 4;
        }
    }
    ends
}

/// Where a field lies, if that is the same by both rules.
fn agreed(pair: &Pair, ends: [u64; 2], parts: [&TypeLayout; 2]) -> Option<u64> {
    let at = |i: usize| Some(next(*ends.get(i)?, parts.get(i)?.size(), parts.get(i)?.align.into(), pair.rules.get(i)?));
    at(0).filter(|first| Some(*first) == at(1))
}

fn next(end: u64, size: u64, align: u64, rules: &Rules) -> u64 {
    let at = round_up(end, align);
    match rules.row.map(u64::from) {
        Some(row) if !at.is_multiple_of(row) && at % row + size > row => round_up(at, row),
        _ => at,
    }
}
