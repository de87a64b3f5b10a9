//! Compact sidecars: on one line, and a type that is written more than once stands in [`Reflection::shared_types`], from which it is
//! taken by its index. A type of that list may take those before it.

use super::Reflection;
use super::model::{EntryPoint, TypeNode, Variable};
use rustc_hash::FxHashMap;

/// The kind of what stands for a type of the list.
const SHARED: &str = "shared";
/// Types of fewer bytes are written out: what would stand for them is no shorter.
const FEWEST_BYTES: usize = 40;
/// As many types are made of a sidecar at most: what is read may be anyone's.
const MOST_TYPES: usize = 1 << 20;

/// A sidecar on one line, with types that are written once.
pub(super) fn write(reflection: &Reflection) -> String {
    let mut compact = reflection.clone();
    let mut known = Known::default();
    each_type(&mut compact, &mut |ty| known.add(ty));
    let lasting = known.lasting(&mut compact);
    let list = known.list(&lasting);
    each_type(&mut compact, &mut |ty| place(ty, &list));
    let mut kept: Vec<(u64, TypeNode)> = list.into_iter().filter_map(Placed::kept).collect();
    kept.sort_by_key(|(index, _)| *index);
    compact.shared_types = kept.into_iter().map(|(_, ty)| ty).collect();
    serde_json::to_string(&compact).unwrap_or_default() + "\n"
}

/// Puts types of the list in their places; nothing is left of the list. The error says what is wrong.
pub(super) fn write_out(reflection: &mut Reflection) -> Result<(), String> {
    let mut left = MOST_TYPES;
    let mut types: Vec<(TypeNode, usize)> = Vec::new();
    for mut ty in std::mem::take(&mut reflection.shared_types) {
        let size = put(&mut ty, &types, &mut left)?;
        types.push((ty, size));
    }
    let mut outcome = Ok(());
    each_type(reflection, &mut |ty| {
        if outcome.is_ok() {
            outcome = put(ty, &types, &mut left).map(drop);
        }
    });
    outcome
}

/// Writes out a type. Gives how many types it is made of then.
fn put(ty: &mut TypeNode, types: &[(TypeNode, usize)], left: &mut usize) -> Result<usize, String> {
    if ty.kind != SHARED {
        let (mut size, mut outcome) = (1usize, Ok(()));
        each_inner(ty, &mut |inner| {
            if outcome.is_ok() {
                outcome = put(inner, types, left).map(|n| size = size.saturating_add(n));
            }
        });
        return outcome.map(|()| size);
    }
    let index = ty.shared.unwrap_or(u64::MAX);
    let found = usize::try_from(index).ok().and_then(|index| types.get(index));
    let (shared, size) = found.ok_or("it takes a shared type that is not there")?;
    *left = left.checked_sub(*size).ok_or("it has too many types")?;
    *ty = shared.clone();
    Ok(*size)
}

/// Different types, each made of what stands for those in it.
#[derive(Default)]
struct Known {
    /// By their texts.
    indices: FxHashMap<Vec<u8>, usize>,
    types: Vec<(TypeNode, usize)>,
    /// The text of the type that is added: most are there already.
    text: Vec<u8>,
}

/// A type in the making of the list.
enum Placed {
    /// With its index.
    Kept(u64, TypeNode),
    /// Written where it is used.
    Inline(TypeNode),
}

impl Placed {
    fn kept(self) -> Option<(u64, TypeNode)> {
        match self {
            Placed::Kept(index, ty) => Some((index, ty)),
            Placed::Inline(_) => None,
        }
    }
}

/// What stands for a type.
fn stand_in(index: u64) -> TypeNode {
    TypeNode { kind: SHARED.to_owned(), shared: Some(index), ..TypeNode::default() }
}

impl Known {
    /// Takes a type, with those in it, and leaves what stands for it.
    fn add(&mut self, ty: &mut TypeNode) {
        each_inner(ty, &mut |inner| self.add(inner));
        self.text.clear();
        // A text in memory is always written.
        let _ = serde_json::to_writer(&mut self.text, ty);
        if let Some(index) = self.indices.get(&self.text) {
            *ty = stand_in(*index as u64);
            return;
        }
        let index = self.types.len();
        self.indices.insert(self.text.clone(), index);
        self.types.push((std::mem::replace(ty, stand_in(index as u64)), self.text.len()));
    }

    /// Which types are used more than once, and are worth it.
    fn lasting(&mut self, of: &mut Reflection) -> Vec<bool> {
        let mut uses = vec![0u32; self.types.len()];
        let mut count = |ty: &mut TypeNode| {
            let index = ty.shared.and_then(|index| usize::try_from(index).ok());
            if let Some(uses) = index.and_then(|index| uses.get_mut(index)) {
                *uses = uses.saturating_add(1);
            }
        };
        each_type(of, &mut count);
        self.types.iter_mut().for_each(|(ty, _)| each_inner(ty, &mut count));
        self.types.iter().zip(uses).map(|((_, length), uses)| uses > 1 && *length >= FEWEST_BYTES).collect()
    }

    /// The types in their final form.
    fn list(self, lasting: &[bool]) -> Vec<Placed> {
        let mut list: Vec<Placed> = Vec::with_capacity(self.types.len());
        let mut next = 0;
        for ((mut ty, _), lasts) in self.types.into_iter().zip(lasting) {
            each_inner(&mut ty, &mut |inner| place(inner, &list));
            list.push(if *lasts { Placed::Kept(next, ty) } else { Placed::Inline(ty) });
            next += u64::from(*lasts);
        }
        list
    }
}

/// Puts the final form of a type in the place of what stands for it.
fn place(ty: &mut TypeNode, list: &[Placed]) {
    let index = ty.shared.and_then(|index| usize::try_from(index).ok());
    match index.and_then(|index| list.get(index)) {
        Some(Placed::Kept(index, _)) => *ty = stand_in(*index),
        Some(Placed::Inline(inline)) => *ty = inline.clone(),
        None => {}
    }
}

/// The outermost types of a sidecar.
fn each_type(of: &mut Reflection, then: &mut dyn FnMut(&mut TypeNode)) {
    let Reflection { parameters, entry_points, types, .. } = of;
    parameters.iter_mut().for_each(|v| of_variable(v, then));
    types.iter_mut().for_each(|ty| each_inner(ty, then));
    for EntryPoint { parameters, result, patch_constants, bindings, .. } in entry_points {
        let variables = parameters.iter_mut().chain(result).chain(patch_constants).chain(bindings);
        variables.for_each(|v| of_variable(v, then));
    }
}

/// The types that a type is made of directly.
fn each_inner(of: &mut TypeNode, then: &mut dyn FnMut(&mut TypeNode)) {
    let TypeNode { element_type, result_type, fields, container_var_layout, element_var_layout, .. } = of;
    element_type.iter_mut().chain(result_type).for_each(|ty| then(ty));
    let layouts = container_var_layout.iter_mut().chain(element_var_layout).map(|variable| &mut **variable);
    fields.iter_mut().flatten().chain(layouts).for_each(|v| of_variable(v, then));
}

fn of_variable(variable: &mut Variable, then: &mut dyn FnMut(&mut TypeNode)) {
    variable.ty.iter_mut().for_each(|ty| then(ty));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &[&str], ty: &str) -> Result<Reflection, String> {
        let list: Vec<TypeNode> = list.iter().map(|ty| serde_json::from_str(ty).unwrap()).collect();
        let ty = Some(Box::new(serde_json::from_str(ty).unwrap()));
        let parameters = vec![Variable { ty, ..Variable::default() }];
        let mut reflection = Reflection { shared_types: list, parameters, ..Reflection::default() };
        write_out(&mut reflection).map(|()| reflection)
    }

    #[test]
    fn what_takes_types_that_are_not_there_is_not_read() {
        let (vector, one) = (r#"{"kind":"vector","elementCount":4}"#, r#"{"kind":"shared","shared":1}"#);
        let array = r#"{"kind":"array","elementType":{"kind":"shared","shared":0}}"#;
        let full = read(&[], r#"{"kind":"array","elementType":{"kind":"vector","elementCount":4}}"#);
        assert_eq!(read(&[vector, array], one), full);
        assert!(full.is_ok());
        let absent = Err("it takes a shared type that is not there".to_owned());
        assert_eq!(read(&[array], one), absent);
        assert_eq!(read(&[vector], one), absent);
        assert_eq!(read(&[vector], r#"{"kind":"shared"}"#), absent);
        // Each takes the one before it twice: the whole would have 2^60 types.
        let zero = |n: usize| format!(r#"{{"kind":"shared","shared":{n}}}"#);
        let twice = |n: usize| format!(r#"{{"kind":"array","elementType":{},"resultType":{}}}"#, zero(n), zero(n));
        let large: Vec<String> = std::iter::once(vector.to_owned()).chain((0..60).map(twice)).collect();
        let large: Vec<&str> = large.iter().map(String::as_str).collect();
        assert_eq!(read(&large, &zero(60)), Err("it has too many types".to_owned()));
    }
}
