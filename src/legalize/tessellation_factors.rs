//! A patch has as many tessellation factors as its domain; elements beyond them are fields of their own, if they are read.
//!
//! Before: `[domain("tri")]  struct Factors { float edges[3] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; }`
//!         `f.inside[0] = a;  f.inside[1] = b;`
//! After:  `[domain("tri")]  struct Factors { float edges[3] : SV_TessFactor; float inside[1] : SV_InsideTessFactor; }`
//!         `f.inside[0] = a;`
//!
//! A factor that a domain has none of is a value like others of a patch. What is indexed at run time, or used whole, stays,
//! and is an error of its signature. Where the factors are variables of the target, these have one length for all domains, and what
//! is read beyond it is an error, too, and so are factors of the domain that nothing sets.

use super::signatures::{check_factors, factor_count, places};
use super::system_value_types::{Holder, Places, slot, statements};
use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::target::system_values::level_variable;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "tessellation_factors",
    always: Some("how many factors a domain has is found with the signature that they are in"),
    // The fields of what is beyond the factors.
    adds: &[Capability::VaryingsWithoutSemantics],
    after: &["payloads"],
    run,
    ..Pass::ROW
};

/// The most numbers of a patch (D3D11.3 functional specification, "hull shader patch constant output": 32 of four). Longer arrays stay.
const MOST: u32 = 128;

/// A field that has more elements than there are factors.
struct Long {
    /// How many factors there are.
    factors: u32,
    /// How many elements it has.
    elements: u32,
    /// Elements beyond the factors are read.
    read: bool,
    /// The field of the first of them.
    rest: u32,
}

/// By struct and field.
type Fields = BTreeMap<(StructId, u32), Long>;

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::VaryingsWithoutSemantics) {
        for entry in cx.program.entry_points.clone().iter().filter(|e| e.stage == Stage::Hull) {
            check_factors(cx, entry);
        }
    }
    let mut fields = long_fields(cx);
    if fields.is_empty() {
        return;
    }
    note_uses(cx.program, &mut fields);
    // Layout knows no location of a value that would be passed on beside them.
    if cx.profile.has(Capability::VaryingsWithoutSemantics) {
        fields.retain(|_, long| !long.read);
    }
    for (&(id, index), long) in &mut fields {
        declare(cx.program, id, index, long);
    }
    let effects = cx.effects();
    for id in cx.program.functions_with_code() {
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        rewrite(cx.program, &fields, &effects, &mut body);
        cx.program.functions[id].code = body;
    }
}

/// The fields that have too many; one that is another domain's too has no right length.
fn long_fields(cx: &mut Context) -> Fields {
    let mut fields = Fields::new();
    let mut others: FxHashSet<(StructId, u32)> = FxHashSet::default();
    for entry in cx.program.entry_points.clone() {
        for place in places(cx, &entry) {
            let Some((name, _)) = &place.leaf.semantic else { continue };
            // Where semantics mean nothing, the factors are variables.
            let factors = match cx.profile.has(Capability::VaryingsWithoutSemantics) {
                true => level_variable(name).map(|(_, length)| length),
                false => factor_count(cx.program, &entry, name).map(|count| count as u32),
            };
            let Some(factors) = factors else { continue };
            let Some(Holder::Field(id, index)) = slot(cx.program, &place) else { continue };
            let elements = match cx.program.types.array_parts(place.leaf.ty) {
                Some((_, Length::Fixed(elements))) => elements,
                _ => continue,
            };
            match fields.get(&(id, index)) {
                Some(Long { factors: other, .. }) if *other != factors => _ = others.insert((id, index)),
                _ if (factors + 1..=MOST).contains(&elements) => {
                    fields.insert((id, index), Long { factors, elements, read: false, rest: 0 });
                }
                _ => _ = others.insert((id, index)),
            }
        }
    }
    fields.retain(|field, _| !others.contains(field));
    fields
}

fn field_of(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<(StructId, u32)> {
    // Parameters are no fields.
    match Places::default().slot(&program.types, exprs, id)? {
        Holder::Field(id, index) => Some((id, index)),
        Holder::Param(..) | Holder::Result(_) => None,
    }
}

/// Which elements are read; a field that is used in another way than by constant elements is left out.
fn note_uses(program: &Program, fields: &mut Fields) {
    program.each_exprs(&mut |exprs, live| {
        for &id in live {
            if let (ExprKind::Construct(parts), Type::Struct(of)) = (&exprs[id].kind, program.types.get(exprs[id].ty)) {
                for (index, part) in (0..).zip(parts) {
                    match exprs[*part].kind {
                        ExprKind::Zero => {}
                        ExprKind::Construct(_) => _ = fields.get_mut(&(of, index)).map(|long| long.read = true),
                        _ => _ = fields.remove(&(of, index)),
                    }
                }
            }
        }
    });
    for id in program.functions_with_code() {
        let body = &program.functions[id].code;
        let (live, roots) = (body.expressions(), statements(body));
        let parents = body.exprs.parents(&live);
        for id in live {
            let Some(field) = field_of(program, &body.exprs, id) else { continue };
            let Some(long) = fields.get_mut(&field).filter(|long| long.factors > 0) else { continue };
            let element = parents.get(&id).copied().and_then(|parent| match body.exprs[parent].kind {
                ExprKind::Index(base, index) if base == id => {
                    let index = body.exprs.integer(index).and_then(|i| u32::try_from(i).ok());
                    index.filter(|i| *i < long.elements).map(|index| (parent, index))
                }
                _ => None,
            });
            let Some((element, index)) = element else {
                fields.remove(&field);
                continue;
            };
            let is_set = parents.get(&element).is_some_and(|around| {
                let set = matches!(body.exprs[*around].kind, ExprKind::Assign(None, target, _) if target == element);
                set && roots.contains(around)
            });
            long.read |= index >= long.factors && !is_set;
        }
    }
}

/// Shortens a field, and declares the others that hold what is beyond the factors.
fn declare(program: &mut Program, id: StructId, index: u32, long: &mut Long) {
    let Some(field) = program.structs[id].fields.get(index as usize).cloned() else { return };
    let Some((element, _)) = program.types.array_parts(field.ty) else { return };
    let shorter = program.types.array(element, Some(long.factors));
    let fields = &mut program.structs[id].fields;
    long.rest = fields.len() as u32;
    if long.factors == 0 {
        if let Some(field) = fields.get_mut(index as usize) {
            field.semantic = None;
        }
        return;
    }
    if long.read {
        for number in long.factors..long.elements {
            let mut name = format!("{}_{number}", field.name);
            while fields.iter().any(|f| f.name == *name) {
                name.push('_');
            }
            let (semantic, comments) = (None, Vec::new());
            let rest = Field { name: Symbol::new(&name), ty: element, semantic, comments, ..field.clone() };
            fields.push(rest);
        }
    }
    if let Some(field) = fields.get_mut(index as usize) {
        field.ty = shorter;
    }
}

fn rewrite(program: &mut Program, fields: &Fields, effects: &Effects, body: &mut Body) {
    let mut dropped: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for id in body.expressions() {
        let exprs = &mut body.exprs;
        match exprs[id].kind.clone() {
            ExprKind::Construct(parts) => construct(program, fields, exprs, id, parts),
            ExprKind::Index(base, index) => {
                let Some(long) = field_of(program, exprs, base).and_then(|field| fields.get(&field)) else { continue };
                let beyond = exprs.integer(index).and_then(|i| u32::try_from(i).ok()?.checked_sub(long.factors));
                // Where none is a factor, all are what they were.
                let is_moved = long.read && long.factors > 0;
                if let (Some(beyond), ExprKind::Field(of, _), true) = (beyond, exprs[base].kind.clone(), is_moved) {
                    exprs[id].kind = ExprKind::Field(of, long.rest.saturating_add(beyond));
                }
            }
            ExprKind::Field(..) => {
                let Some(field) = field_of(program, exprs, id) else { continue };
                if let Some(shorter) =
                    program.structs[field.0].fields.get(field.1 as usize).filter(|_| fields.contains_key(&field))
                {
                    exprs[id].ty = shorter.ty;
                }
            }
            ExprKind::Assign(None, target, value) => {
                let ExprKind::Index(base, index) = exprs[target].kind else { continue };
                let Some(long) = field_of(program, exprs, base).and_then(|field| fields.get(&field)) else { continue };
                let beyond = exprs.integer(index).is_some_and(|i| i >= i64::from(long.factors));
                if long.factors > 0 && beyond && !long.read {
                    dropped.insert(id, value);
                }
            }
            _ => {}
        }
    }
    let exprs = &body.exprs;
    body.block.rewrite(&mut |mut stmt, out| {
        if let StmtKind::Expr(e) = &mut stmt.kind
            && let Some(value) = dropped.get(e)
        {
            // What would be computed for nothing goes, too.
            if !effects.expr(exprs, *value) {
                return;
            }
            *e = *value;
        }
        out.push(stmt);
    });
}

/// A struct that is written out has a part for each of its fields.
fn construct(program: &mut Program, fields: &Fields, exprs: &mut ExprArena, id: ExprId, mut parts: Vec<ExprId>) {
    let Type::Struct(of) = program.types.get(exprs[id].ty) else { return };
    let mut rest = Vec::new();
    for (index, part) in (0..).zip(&mut parts) {
        let Some(long) = fields.get(&(of, index)).filter(|long| long.factors > 0) else { continue };
        let Some((element, _)) = program.types.array_parts(exprs[*part].ty) else { continue };
        exprs[*part].ty = program.types.array(element, Some(long.factors));
        if let ExprKind::Construct(elements) = &mut exprs[*part].kind {
            rest.extend(elements.split_off(elements.len().min(long.factors as usize)));
        } else if long.read {
            let span = exprs[*part].span;
            let mut b = Build::new(&mut program.types, exprs, span);
            rest.extend((long.factors..long.elements).map(|_| b.number(0, element)));
        }
    }
    parts.extend(rest);
    exprs[id].kind = ExprKind::Construct(parts);
}
