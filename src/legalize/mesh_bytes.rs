//! What a mesh shader of D3D gives has no more than so many bytes, and together with its payload.
//!
//! A part of [`super::signatures`].

use super::Context;
use super::limits::bytes;
use super::signatures::{Place, Point, shape};
use crate::diagnostic::{Code, Diagnostic};
use crate::layout::locations::mesh_output;
use crate::target::Capability;
use crate::tree::{EntryPoint, Function, MeshOutputKind, Modifiers, Stage};

/// The most bytes of all vertices and primitives, and of these and the payload (DirectX, "Mesh Shader"; DXC's validator).
const MOST_GIVEN: u64 = 32768;
const MOST_IN_ALL: u64 = 48128;

/// What a number of a signature takes there, whatever its type.
const NUMBER: u64 = 4;

/// Reports a mesh shader that gives more.
pub(super) fn check(cx: &mut Context, entry: &EntryPoint, places: &[Place]) {
    if entry.stage != Stage::Mesh || cx.profile.has(Capability::VulkanBuiltins) {
        return;
    }
    let Function { params, code, .. } = &cx.program.functions[entry.function];
    let mut given: u64 = 0;
    let mut at = None;
    for param in params {
        let local = &code.locals[param.local];
        let (point, count) = match mesh_output(cx.program, param, local.ty) {
            Some((MeshOutputKind::Vertices, _, Some(count))) => (Point::MeshOut, count),
            Some((MeshOutputKind::Primitives, _, Some(count))) => (Point::PrimitiveOut, count),
            _ => continue,
        };
        let here = places.iter().filter(|place| place.point == point);
        let shapes = here.map(|place| shape(cx.program, place.leaf.ty));
        let numbers: u64 = shapes.map(|(rows, columns)| u64::from(rows) * u64::from(columns)).sum();
        given = given.saturating_add(numbers.saturating_mul(NUMBER).saturating_mul(count.into()));
        at = at.or(Some(local.span));
    }
    let payload = params.iter().find(|p| p.modifiers.has(Modifiers::PAYLOAD));
    let payload = payload.map_or(0, |p| bytes(cx.program, code.locals[p.local].ty, 0));
    let all = given.saturating_add(payload);
    let message = if given > MOST_GIVEN {
        format!("the vertices and primitives take {given} bytes, and {} has {MOST_GIVEN}", cx.profile.name)
    } else if all > MOST_IN_ALL {
        let name = cx.profile.name;
        format!("the vertices, primitives and payload take {all} bytes, and {name} has {MOST_IN_ALL}")
    } else {
        return;
    };
    let Some(span) = at else { return };
    let note = "each number of an element takes 4 bytes: give fewer elements, or fewer numbers of each";
    cx.diags.push(Diagnostic::error(Code::CAPABILITY, span, message).note(note));
}
