//! Where a sidecar says that everything with a name of its own begins. Also a module of xtask.

use shaderport::reflection::Reflection;
use shaderport::reflection::{Binding, Scope, Variable};
use std::collections::BTreeMap;

/// (name, unit) to (space, number). Names are those of locks.
pub type Positions = BTreeMap<(String, String), (u64, u64)>;

/// The positions of all parameters and of the buffers of scopes. The error names one that occurs twice.
pub fn positions(reflection: &Reflection) -> Result<Positions, String> {
    let mut map = Positions::new();
    let mut put = |name: &str, bindings: &mut dyn Iterator<Item = &Binding>| -> Result<(), String> {
        for b in bindings {
            let at = (b.space.unwrap_or(0), b.offset.or(b.index).unwrap_or(0));
            if map.insert((name.to_owned(), b.kind.clone()), at).is_some() {
                return Err(format!("{name} has two positions in {}", b.kind));
            }
        }
        Ok(())
    };
    let all = |v: &Variable| -> Vec<Binding> { v.binding.iter().chain(&v.bindings).cloned().collect() };
    let scope = |s: &Scope| s.bindings.clone();
    put("$Globals", &mut scope(&reflection.global_scope).iter())?;
    for p in &reflection.parameters {
        put(p.name.as_deref().unwrap_or(""), &mut all(p).iter())?;
    }
    for entry in &reflection.entry_points {
        put(&format!("{}.$Params", entry.name), &mut scope(&entry.scope).iter())?;
        for p in entry.parameters.iter().filter(|p| p.semantic_name.is_none() && p.stage.is_none()) {
            put(&format!("{}.{}", entry.name, p.name.as_deref().unwrap_or("")), &mut all(p).iter())?;
        }
    }
    Ok(map)
}
