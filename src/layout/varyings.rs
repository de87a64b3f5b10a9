//! Locations of stage inputs and outputs: those that are asked for, then first fit in order of declaration, a whole
//! parameter at a time (FACTS 15).

use super::{Api, Policy, Settings};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Numbers;
use crate::tree::is_uniform;
use crate::tree::{
    Field, Function, GlobalKind, MatrixOrder, ParamMode, Program, Semantic, Stage, StructId, Type, TypeId,
};
use std::collections::BTreeSet;

/// The locations of one direction of an entry point that are given.
#[derive(Clone, Debug, Default)]
pub struct Locations(BTreeSet<u32>);

/// Nothing has more locations; what asks for more is an error elsewhere.
const LAST: u32 = 1 << 16;

impl Locations {
    /// Keeps a range from being given away.
    pub fn reserve(&mut self, start: u32, count: u32) {
        self.0.extend((start..start.saturating_add(count)).take_while(|l| *l < LAST));
    }

    /// Gives the lowest free range.
    pub fn give(&mut self, count: u32) -> u32 {
        let mut start = 0u32;
        while let Some(blocked) = self.0.range(start..start.saturating_add(count)).next_back() {
            start = blocked + 1;
        }
        self.reserve(start, count);
        start
    }
}

/// How many locations a matrix takes: one a row, or under the policy one a stored vector.
pub fn of_matrix(policy: &Policy, order: MatrixOrder, rows: u8, columns: u8) -> u32 {
    match order {
        MatrixOrder::Column if policy.matrix_locations_as_stored => columns.into(),
        _ => rows.into(),
    }
}

/// Reports structs among stage inputs and outputs of which some fields say their location and some do not: which of them the
/// others would follow is not clear.
pub fn check(program: &Program, diags: &mut Diagnostics) {
    check_parameters(program, diags);
    let mut seen = BTreeSet::new();
    for entry in &program.entry_points {
        for id in structs(program, &program.functions[entry.function]) {
            if seen.insert(id) {
                check_struct(&program.structs[id].fields, diags);
            }
        }
    }
}

/// Reports locations of what is no stage input or output.
fn check_parameters(program: &Program, diags: &mut Diagnostics) {
    let globals = program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Parameter);
    let globals = globals.map(|(_, g)| (g.name, &g.explicit));
    let functions = program.entry_points.iter().map(|e| &program.functions[e.function]);
    let uniform = functions.flat_map(|f| {
        let locals = f.params.iter().map(|p| (p, &f.code.locals[p.local]));
        locals.filter(|(p, local)| is_uniform(program, p, local.ty)).map(|(p, local)| (local.name, &p.explicit))
    });
    for (name, explicit) in globals.chain(uniform) {
        if let Some((_, span)) = explicit.location {
            let message = format!("`{name}` has a location, which only stage inputs and outputs have");
            diags.push(Diagnostic::error(Code::BAD_ATTRIBUTE, span, message));
        }
    }
}

/// Stage inputs or outputs that have one place, or none.
pub fn faults(program: &Program, settings: &Settings, most: &Numbers, found: &mut Vec<Diagnostic>) {
    for entry in &program.entry_points {
        let function = &program.functions[entry.function];
        for outputs in [false, true] {
            let mut leaves = Leaves { program, settings, list: Vec::new() };
            for param in &function.params {
                let (ty, local) = (function.code.locals[param.local].ty, &function.code.locals[param.local]);
                let here =
                    if outputs { !matches!(param.mode, ParamMode::In) } else { !matches!(param.mode, ParamMode::Out) };
                if here && !is_uniform(program, param, ty) {
                    let vertices = entry.stage == Stage::Geometry && !outputs;
                    let ty = if vertices { program.types.innermost(ty) } else { ty };
                    let at = (local.name, local.span);
                    leaves.add(
                        ty,
                        at,
                        param.semantic.as_ref(),
                        param.explicit.location.map(|(l, _)| l),
                        param.explicit.index,
                    );
                }
            }
            if outputs {
                let at = (function.name, function.span);
                let asked = function.result_explicit.location.map(|(l, _)| l);
                leaves.add(
                    function.result,
                    at,
                    function.result_semantic.as_ref(),
                    asked,
                    function.result_explicit.index,
                );
            }
            leaves.check(most, found);
        }
    }
}

/// A leaf of a stage's inputs or outputs.
struct Leaf {
    name: Symbol,
    span: Span,
    /// Name in upper case, index.
    semantic: Option<(String, u32)>,
    /// The location that the source gives it, and which of two outputs there it is.
    location: Option<(u32, u32)>,
    count: u32,
}

struct Leaves<'a> {
    program: &'a Program,
    settings: &'a Settings,
    list: Vec<Leaf>,
}

impl Leaves<'_> {
    fn add(
        &mut self,
        ty: TypeId,
        at: (Symbol, Span),
        semantic: Option<&Semantic>,
        asked: Option<u32>,
        index: Option<u32>,
    ) {
        let mut running = semantic.map(Semantic::split);
        let mut location = asked;
        self.walk(ty, at, &mut running, &mut location, index);
    }

    /// The outermost semantic and location count on over the leaves. A type cannot contain itself, so this ends.
    fn walk(
        &mut self,
        ty: TypeId,
        (name, span): (Symbol, Span),
        semantic: &mut Option<(String, u32)>,
        location: &mut Option<u32>,
        index: Option<u32>,
    ) {
        let Type::Struct(id) = self.program.types.get(ty) else {
            let count = self.count(ty);
            let taken = semantic.clone();
            let asked = location.map(|l| (l, index.unwrap_or(0)));
            self.list.push(Leaf { name, span, semantic: taken, location: asked, count });
            semantic.iter_mut().for_each(|(_, index)| *index = index.saturating_add(count));
            location.iter_mut().for_each(|l| *l = l.saturating_add(count));
            return;
        };
        for field in &self.program.structs[id].fields {
            let mut own = field.semantic.as_ref().map(Semantic::split).filter(|_| semantic.is_none());
            let mut placed = field.explicit.location.map(|(l, _)| l).filter(|_| location.is_none());
            let semantic = if own.is_some() { &mut own } else { &mut *semantic };
            let location = if placed.is_some() { &mut placed } else { &mut *location };
            self.walk(field.ty, (field.name, field.span), semantic, location, field.explicit.index.or(index));
        }
    }

    fn count(&self, ty: TypeId) -> u32 {
        match self.program.types.get(ty) {
            Type::Array(element, n) => n.unwrap_or(1).saturating_mul(self.count(element)),
            Type::Matrix(_, rows, columns) => {
                of_matrix(&self.settings.policy, self.program.default_matrix_order, rows, columns)
            }
            Type::Struct(id) => {
                let fields = self.program.structs[id].fields.iter();
                fields.fold(0, |sum: u32, f| sum.saturating_add(self.count(f.ty)))
            }
            _ => 1,
        }
    }

    fn check(&self, most: &Numbers, found: &mut Vec<Diagnostic>) {
        for (at, leaf) in self.list.iter().enumerate() {
            let before = self.list.get(..at).unwrap_or_default();
            if let Some(place) = self.place(leaf) {
                let met: Vec<&Leaf> =
                    before.iter().filter(|l| self.place(l).is_some_and(|p| meets(&p, &place))).collect();
                let names: Vec<String> = met.iter().map(|l| format!("`{}`", l.name)).collect();
                if !met.is_empty() {
                    let message = format!("`{}` and {} have one place: {}", leaf.name, names.join(", "), place.text());
                    let error = Diagnostic::error(Code::BINDING_OVERLAP, leaf.span, message);
                    let text = |l: &Leaf| self.place(l).map_or(String::new(), |p| p.text());
                    found.push(met.iter().fold(error, |error, l| error.label(l.span, text(l))));
                }
            }
            let end = leaf.location.filter(|_| self.settings.api != Api::D3d);
            let end = end.map_or(0, |(start, _)| u64::from(start) + u64::from(leaf.count) - 1);
            let system = leaf.semantic.as_ref().is_some_and(|(name, _)| name.starts_with("SV_"));
            if end > most.location.into() || leaf.count > MOST && !system {
                let message = format!("`{}` takes {} locations of stage inputs or outputs", leaf.name, leaf.count);
                let note = match leaf.location {
                    Some((start, _)) => format!("from {start} on; the last is {}", most.location.min(LAST)),
                    None => format!("a stage has at most {MOST}"),
                };
                found.push(Diagnostic::error(Code::BINDING_EXHAUSTED, leaf.span, message).note(note));
            }
        }
    }

    /// What nothing else may have: the location that is asked for, and the render target. On D3D, semantics are told apart.
    fn place(&self, leaf: &Leaf) -> Option<Taken> {
        let by_order = self.settings.policy.targets_by_order;
        match (&leaf.semantic, leaf.location) {
            _ if self.settings.api == Api::D3d => None,
            (_, Some((start, index))) => Some(Taken { name: "location".to_owned(), start, count: leaf.count, index }),
            (Some((name, start)), None) if name == "SV_TARGET" && !by_order => {
                Some(Taken { name: name.clone(), start: *start, count: leaf.count, index: 0 })
            }
            _ => None,
        }
    }
}

/// A range of semantics or locations.
struct Taken {
    name: String,
    start: u32,
    count: u32,
    index: u32,
}

impl Taken {
    fn text(&self) -> String {
        let Taken { name, start, count, .. } = self;
        match count {
            1 => format!("{name} {start}"),
            _ => format!("{name} {start} to {}", start.saturating_add(count - 1)),
        }
    }
}

fn meets(a: &Taken, b: &Taken) -> bool {
    let end = |t: &Taken| t.start.saturating_add(t.count);
    a.name == b.name && a.index == b.index && a.start < end(b) && b.start < end(a)
}

/// More inputs or outputs than this no stage of any API has.
const MOST: u32 = 64;

/// The indices of the render targets of all entry points: the first, and how many follow it.
pub fn targets(program: &Program) -> Vec<(u32, u32)> {
    let mut list = Vec::new();
    for entry in program.entry_points.iter().filter(|e| e.stage == Stage::Fragment) {
        let function = &program.functions[entry.function];
        for param in function.params.iter().filter(|p| !matches!(p.mode, ParamMode::In)) {
            let ty = function.code.locals[param.local].ty;
            targets_of(program, ty, param.semantic.as_ref(), &mut list);
        }
        targets_of(program, function.result, function.result_semantic.as_ref(), &mut list);
    }
    list
}

/// A type cannot contain itself, so this ends.
fn targets_of(program: &Program, ty: TypeId, semantic: Option<&Semantic>, list: &mut Vec<(u32, u32)>) {
    match (program.types.get(ty), semantic) {
        (Type::Struct(id), None) => {
            program.structs[id].fields.iter().for_each(|f| targets_of(program, f.ty, f.semantic.as_ref(), list));
        }
        (ty, Some(semantic)) => {
            let (name, index) = semantic.split();
            let count = match ty {
                Type::Array(_, Some(n)) => n.min(LAST),
                Type::Struct(id) => program.structs[id].fields.len() as u32,
                _ => 1,
            };
            list.extend((name == "SV_TARGET").then_some((index, count)));
        }
        _ => {}
    }
}

fn structs(program: &Program, function: &Function) -> Vec<StructId> {
    let params = function.params.iter().map(|p| (p, function.code.locals[p.local].ty));
    let varying = params.filter(|(p, ty)| !is_uniform(program, p, *ty)).map(|(_, ty)| ty);
    let types = varying.chain([function.result]).map(|ty| program.types.get(program.types.innermost(ty)));
    types.filter_map(|ty| if let Type::Struct(id) = ty { Some(id) } else { None }).collect()
}

fn check_struct(fields: &[Field], diags: &mut Diagnostics) {
    let user = fields.iter().filter(|f| !f.semantic.as_ref().is_some_and(is_system));
    let (with, without): (Vec<&Field>, Vec<&Field>) = user.partition(|f| f.explicit.location.is_some());
    if let ([first, ..], [other, ..]) = (with.as_slice(), without.as_slice()) {
        let message = format!("`{}` says its location and `{}` does not", first.name, other.name);
        let diagnostic = Diagnostic::error(Code::BAD_ATTRIBUTE, other.span, message);
        let note = "in one struct either all of the fields say their locations, or none does";
        diags.push(diagnostic.label(first.span, "this one says it").note(note));
    }
}

fn is_system(semantic: &Semantic) -> bool {
    semantic.is_system() && semantic.split().0 != "SV_TARGET"
}
