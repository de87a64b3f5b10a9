//! `--lint layout`: structs in buffers whose bytes differ between the rules of D3D and those of Vulkan and WebGPU, and the
//! padding that would make them agree.

use super::rules::{Rules, round_up};
use super::types::same;
use super::{Api, Layouter, Part, Policy, Position, Settings, TypeLayout, Unit, VarLayout, walk};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::tree::{Field, MatrixOrder, Program, Scalar, StructId, Type, TypeId};
use std::collections::BTreeSet;

/// Padding that is tried in one place: so many floats, then so many rows of four, which begin at multiples of 16 bytes.
const FILLERS: [(&str, usize); 2] = [("float", 8), ("float4", 4)];

/// Larger structs get no advice.
const MOST_FIELDS: usize = 512;

/// Warns of every struct whose layout differs.
pub fn lint(program: &Program, policy: Policy, diags: &mut Diagnostics) {
    let settings = [Api::D3d, Api::Vulkan].map(|api| Settings::native(api, policy));
    let mended = [program.clone(), program.clone()];
    let mut lint = Lint { program, settings: &settings, mended, seen: BTreeSet::new(), diags };
    for global in program.parameters.iter().map(|id| &program.globals[*id]) {
        let order = global.matrix_order.unwrap_or(program.default_matrix_order);
        let [settings, _] = lint.settings;
        let layout = Layouter { program, settings }.layout(global.ty, settings.rules.constant, order);
        let mut parts = Vec::new();
        walk(program, &Part::whole(Position::default(), &layout, None), &mut |part| {
            parts.push((part.layout.ty, part.buffer, part.order.unwrap_or(order)));
            true
        });
        // What is in a struct comes before it.
        parts.into_iter().rev().for_each(|(ty, buffer, order)| lint.part((ty, order), buffer));
    }
}

struct Lint<'a> {
    program: &'a Program,
    settings: &'a [Settings; 2],
    /// The program with the advice followed, for structured and for constant buffers.
    mended: [Program; 2],
    /// Structs that were reported, in constant buffers or not.
    seen: BTreeSet<(StructId, bool)>,
    diags: &'a mut Diagnostics,
}

/// A struct under both rules.
struct Pair {
    rules: [&'static Rules; 2],
    layouts: [TypeLayout; 2],
}

impl Lint<'_> {
    /// A struct in a buffer, after those in it.
    fn part(&mut self, data: (TypeId, MatrixOrder), buffer: Option<TypeId>) {
        let Type::Struct(id) = self.program.types.get(data.0) else { return };
        let [d3d, khronos] = self.settings;
        let (constant, rules) = match buffer.map(|ty| self.program.types.get(ty)) {
            Some(Type::ConstantBuffer(_, _) | Type::ParameterBlock(_)) => {
                (true, [d3d.rules.constant, khronos.rules.constant])
            }
            Some(Type::Buffer(..)) => (false, [d3d.rules.structured, khronos.rules.structured]),
            _ => return,
        };
        if !self.seen.insert((id, constant)) {
            return;
        }
        let layouts = lay_out(self.program, self.settings, rules, data);
        let pair = Pair { rules, layouts };
        let differences = self.differences(id, &pair);
        // Also where its bytes agree: structs in it may have got padding.
        let advice = self.advice(id, constant, rules, data);
        if !differences.is_empty() {
            self.report(id, constant, &pair, differences, advice);
        }
    }

    /// What lies differently in a struct.
    fn differences(&self, id: StructId, pair: &Pair) -> Vec<String> {
        let [a, b] = &pair.layouts;
        let mut reported = Vec::new();
        for ((field, x), y) in self.program.structs[id].fields.iter().zip(a.fields()).zip(b.fields()) {
            let (at, other) = (x.offset.get(Unit::Bytes), y.offset.get(Unit::Bytes));
            if x.layout.size() > 0 && at != other {
                reported.push(format!("`{}` is at byte {at} and {other}", field.name));
            } else if !same(&x.layout, &y.layout) {
                reported.push(format!("`{}` differs inside", field.name));
            }
        }
        if whole(a) != whole(b) {
            reported.push(format!("its size is {} and {}", whole(a), whole(b)));
        }
        reported
    }

    fn report(&mut self, id: StructId, constant: bool, pair: &Pair, mut reported: Vec<String>, advice: String) {
        let more = if reported.len() > 4 { format!(", and {} more", reported.len() - 4) } else { String::new() };
        reported.truncate(4);
        let structure = &self.program.structs[id];
        let name = if structure.name.is_empty() { "this struct".to_owned() } else { format!("`{}`", structure.name) };
        let buffers = if constant { "constant" } else { "structured" };
        let [x, y] = pair.rules.map(|r| r.name);
        let message = format!(
            "{name} has different offsets in {buffers} buffers under the rules \"{x}\" and \"{y}\": {}{more}",
            reported.join(", ")
        );
        self.diags.push(Diagnostic::warning(Code::BAD_LAYOUT, structure.span, message).note(advice));
    }

    /// What makes both agree, given that it was done to the structs in it.
    fn advice(
        &mut self,
        id: StructId,
        constant: bool,
        rules: [&'static Rules; 2],
        data: (TypeId, MatrixOrder),
    ) -> String {
        let [structured, uniform] = &mut self.mended;
        let program = if constant { uniform } else { structured };
        let mut mender = Mender { program, settings: self.settings, rules, id, data };
        match mender.mend() {
            Some(edits) if edits.is_empty() => "the padding of the structs in it makes them agree".to_owned(),
            Some(edits) => format!("this makes them agree: {}", edits.join(", ")),
            None => "no padding makes them agree".to_owned(),
        }
    }
}

fn whole(layout: &TypeLayout) -> u64 {
    round_up(layout.size(), layout.align.into())
}

fn lay_out(
    program: &Program,
    settings: &[Settings; 2],
    rules: [&'static Rules; 2],
    (ty, order): (TypeId, MatrixOrder),
) -> [TypeLayout; 2] {
    let [x, y] = settings;
    let [first, second] = rules;
    let layout = |settings, rules| Layouter { program, settings }.contents(ty, rules, order);
    [layout(x, first), layout(y, second)]
}

/// Finds the padding of one struct, by trying.
struct Mender<'a> {
    program: &'a mut Program,
    settings: &'a [Settings; 2],
    rules: [&'static Rules; 2],
    id: StructId,
    data: (TypeId, MatrixOrder),
}

impl Mender<'_> {
    /// Changes the struct until both agree, and says how.
    fn mend(&mut self) -> Option<Vec<String>> {
        let names: Vec<String> = self.fields().iter().map(|f| f.name.to_string()).collect();
        if names.len() > MOST_FIELDS {
            return None;
        }
        let mut edits = Vec::new();
        let mut at = 0;
        for name in names {
            if !self.agrees(|x, y| fields_at(x, y, at).is_some_and(|(x, y)| same(&x.layout, &y.layout))) {
                let ty = self.widen(at)?;
                edits.push(format!("`{ty}` as the type of `{name}`"));
            }
            let (count, text) = self.fill(at, is_placed)?;
            edits.extend(text.map(|text| format!("{text} before `{name}`")));
            at += count + 1;
        }
        let (_, text) = self.fill(at, |x, y, _| whole(x) == whole(y))?;
        edits.extend(text.map(|text| format!("{text} at the end")));
        let agree = self.agrees(|x, y| same(x, y) && whole(x) == whole(y));
        agree.then_some(edits)
    }

    fn fields(&mut self) -> &mut Vec<Field> {
        &mut self.program.structs[self.id].fields
    }

    fn agrees(&self, f: impl Fn(&TypeLayout, &TypeLayout) -> bool) -> bool {
        let [x, y] = lay_out(self.program, self.settings, self.rules, self.data);
        f(&x, &y)
    }

    /// Puts the least padding before a field that satisfies `f`, which is given where the field then is.
    fn fill(
        &mut self,
        at: usize,
        f: impl Fn(&TypeLayout, &TypeLayout, usize) -> bool,
    ) -> Option<(usize, Option<String>)> {
        if self.agrees(|x, y| f(x, y, at)) {
            return Some((0, None));
        }
        for (spelling, most) in FILLERS {
            let ty = if spelling == "float" { TypeId::FLOAT } else { self.program.types.vector(Scalar::F32, 4) };
            for count in 1..=most {
                let span = Span::default();
                self.fields().insert(at, Field::new("padding", ty, span));
                let padding = at..at + count;
                if self.agrees(|x, y| f(x, y, at + count) && padding.clone().all(|at| is_placed(x, y, at))) {
                    return Some((count, Some(format!("{count} `{spelling}`"))));
                }
            }
            self.fields().drain(at..at + most);
        }
        None
    }

    /// Makes vectors of three ones of four, if that makes a field agree inside.
    fn widen(&mut self, at: usize) -> Option<String> {
        let field = self.fields().get(at)?;
        let (ty, order) = (field.ty, field.matrix_order);
        let wide = self.wider(ty, order.unwrap_or(self.data.1));
        self.fields().get_mut(at)?.ty = wide;
        let agree = self.agrees(|x, y| fields_at(x, y, at).is_some_and(|(x, y)| same(&x.layout, &y.layout)));
        agree.then(|| self.program.type_name(wide))
    }

    fn wider(&mut self, ty: TypeId, order: MatrixOrder) -> TypeId {
        match (self.program.types.get(ty), order) {
            (Type::Array(element, count), _) => {
                let element = self.wider(element, order);
                self.program.types.array(element, count)
            }
            (Type::Vector(s, 3), _) => self.program.types.vector(s, 4),
            (Type::Matrix(s, 3, columns), MatrixOrder::Column) => self.program.types.matrix(s, 4, columns),
            (Type::Matrix(s, rows, 3), MatrixOrder::Row) => self.program.types.matrix(s, rows, 4),
            _ => ty,
        }
    }
}

/// Whether a field begins at one place in both.
fn is_placed(x: &TypeLayout, y: &TypeLayout, at: usize) -> bool {
    let found = fields_at(x, y, at);
    found.is_some_and(|(x, y)| x.layout.size() == 0 || x.offset.get(Unit::Bytes) == y.offset.get(Unit::Bytes))
}

fn fields_at<'a>(x: &'a TypeLayout, y: &'a TypeLayout, at: usize) -> Option<(&'a VarLayout, &'a VarLayout)> {
    x.fields().get(at).zip(y.fields().get(at))
}
