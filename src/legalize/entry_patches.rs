//! Tessellation: control points and patch constants of one hull shader text, and the domain shader.
//!
//! Before: `Constants constants(InputPatch<Point, 3> patch) {...}
//!          [patchconstantfunc("constants")] Point main(InputPatch<Point, 3> patch, uint id : SV_OutputControlPointID) {...}`
//! After:  `void constants() { ... gl_TessLevelOuter[0] = ...; }
//!          layout(vertices = 3) out;
//!          void main() { ... position[gl_InvocationID] = ...; barrier(); if (gl_InvocationID == 0) { constants(); } }`
//!
//! HLSL says how a patch is divided at the hull shader, GLSL at the domain shader: it is taken from the attributes of the
//! domain shader, or of the hull shader for its domain in the same program.
//!
//! A part of [`super::entry_globals`].

use super::Context;
use super::entry_globals::{ControlPoint, GlobalLowering, Replacement};
use super::signatures::FACTORS;
use super::stage_io::{Flatten, Leaf, ManyLeaves, Source};
use crate::diagnostic::{Code, Diagnostic};
use crate::layout::locations::{self, Varying};
use crate::target::Api;
use crate::target::system_values::{Direction, INVOCATION, level_variable};
use crate::tree::*;

/// No factor is larger anyway.
const MOST_LEVEL: f64 = 64.0;

/// (attribute argument, GLSL's word).
const DOMAINS: &[(&str, &str)] = &[("tri", "triangles"), ("quad", "quads"), ("isoline", "isolines")];
const PARTITIONINGS: &[(&str, &str)] = &[
    ("integer", "equal_spacing"),
    ("fractional_odd", "fractional_odd_spacing"),
    ("fractional_even", "fractional_even_spacing"),
];
const TOPOLOGIES: &[(&str, &str)] =
    &[("triangle_cw", "cw"), ("triangle_ccw", "ccw"), ("point", "point_mode"), ("line", "")];
/// OpenGL has the origin of the domain at another corner, which turns triangles over.
const TURNED: &[(&str, &str)] =
    &[("triangle_cw", "ccw"), ("triangle_ccw", "cw"), ("point", "point_mode"), ("line", "")];

/// Patches that functions have as parameters are arrays.
pub(super) fn as_arrays(program: &mut Program) {
    if program.entry_points.iter().any(|e| matches!(e.stage, Stage::Hull | Stage::Domain)) {
        program.map_types(&mut |types, ty| match types.get(ty) {
            Type::Patch(_, element, n) => types.array(element, Some(n)),
            _ => ty,
        });
    }
}

/// The word of an attribute, in lower case.
fn word(function: &Function, name: &str) -> Option<String> {
    match function.attribute(name)?.args.first()? {
        AttributeArg::Text(word) | AttributeArg::Name(word) => Some(word.as_str().to_ascii_lowercase()),
        AttributeArg::Int(_) | AttributeArg::Float(_) => None,
    }
}

/// Lowers a hull shader.
pub(super) fn hull(cx: &mut Context, index: usize, entry: EntryPoint) {
    let settings = cx.layout.settings;
    let elements = Flatten { program: cx.program, split: false, settings }.elements(&entry);
    let constants = locations::patch_constants(cx.program, &settings, &entry);
    let (mut l, inputs, outputs) = GlobalLowering::new(cx, index, entry.clone(), &elements);
    let written = l.parameters(&inputs, &outputs, &elements);
    let mut points = Vec::new();
    for of in &elements {
        let places = l.element_places(of, "gl_in[$0].");
        l.element_input(of, &places);
        points.extend(of.leaves.iter().cloned().zip(places));
    }
    let count = match l.cx.program.functions[entry.function].attribute("outputcontrolpoints").map(|a| a.args.as_slice())
    {
        Some([AttributeArg::Int(n)]) => *n,
        _ => {
            let span = l.cx.program.functions[entry.function].span;
            l.cx.unsupported(span, "a hull entry point needs `[outputcontrolpoints(n)]`");
            return;
        }
    };
    if count < 1 {
        let span = l.cx.program.functions[entry.function].span;
        let message = format!("{} has no patches without control points", l.cx.profile.name);
        l.cx.unsupported(span, message);
        return;
    }
    l.stage_layout(&format!("vertices = {count}"), "out");
    let result: Vec<Leaf> = outputs.into_iter().filter(|leaf| leaf.source == Source::Result).collect();
    l.returns(result, written);
    let made = std::mem::take(&mut l.control_point);
    l.finish();
    if let Some(function) = entry.patch_constant {
        patch_constants(cx, index, EntryPoint { function, ..entry.clone() }, &constants, (&points, &made));
        call_constants(cx, entry.function, function);
    }
}

/// The function of the patch constants reads the control points that came in and that were made, and writes the constants.
fn patch_constants(
    cx: &mut Context,
    index: usize,
    own: EntryPoint,
    constants: &[Varying],
    (points, made): (&[ControlPoint], &[ControlPoint]),
) {
    let settings = cx.layout.settings;
    let mut flatten = Flatten { program: cx.program, split: false, settings };
    let (outputs, elements) = (flatten.flattened(constants), flatten.elements(&own));
    let (mut l, inputs, _) = GlobalLowering::new(cx, index, own, &elements);
    let written = l.parameters(&inputs, &outputs, &elements);
    for of in &elements {
        let places = l.points(of, points, made);
        l.element_input(of, &places);
    }
    let result: Vec<Leaf> = outputs.into_iter().filter(|leaf| leaf.source == Source::Result).collect();
    l.returns(result, written);
    l.finish();
}

impl GlobalLowering<'_, '_> {
    /// What stands for the points of a patch that the function of its constants takes.
    fn points(&mut self, of: &ManyLeaves, points: &[ControlPoint], made: &[ControlPoint]) -> Vec<Replacement> {
        let param = self.cx.program.functions[self.entry.function].params.get(of.param);
        let input = param
            .is_some_and(|p| matches!(self.cx.program.types.get(self.body.locals[p.local].ty), Type::Patch(true, ..)));
        match input {
            true => self.known_points(of, points, (Direction::In, "gl_in[$0].")),
            false => self.known_points(of, made, (Direction::Out, "gl_out[$0].")),
        }
    }
}

/// After the control points, one invocation makes the constants.
fn call_constants(cx: &mut Context, function: FunctionId, constants: FunctionId) {
    let span = cx.program.functions[function].span;
    let mut body = std::mem::take(&mut cx.program.functions[function].code);
    if body.block.any(&mut |s| matches!(s.kind, StmtKind::Return(_))) {
        body = split_off(cx, function, "controlPoint", body);
    }
    let mut b = Build::new(&mut cx.program.types, &mut body.exprs, span);
    let barrier = b.native(Template::parse("barrier()").unwrap_or_default(), Vec::new(), TypeId::VOID);
    let own = b.native(Template::parse(INVOCATION).unwrap_or_default(), Vec::new(), TypeId::INT);
    let zero = b.int(0);
    let first = b.binary(BinaryOp::Equal, own, zero);
    let call = b.call(constants, Vec::new(), TypeId::VOID);
    let mut then = Block::of(vec![Stmt::new(StmtKind::Expr(call), span)]);
    bounded_levels(cx, function, &mut body, &mut then.stmts);
    body.block.stmts.push(Stmt { blank_before: true, ..Stmt::new(StmtKind::Expr(barrier), span) });
    body.block.stmts.push(Stmt::new(StmtKind::If(first, then, None, Hints::default()), span));
    cx.program.functions[function].code = body;
}

/// What the hull shader says that no factor is larger than bounds those that are.
fn bounded_levels(cx: &mut Context, function: FunctionId, body: &mut Body, out: &mut Vec<Stmt>) {
    let span = cx.program.functions[function].span;
    let most = match cx.program.functions[function].attribute("maxtessfactor").map(|a| a.args.as_slice()) {
        Some([AttributeArg::Int(most)]) => *most as f64,
        Some([AttributeArg::Float(most)]) => *most,
        _ => return,
    };
    if most >= MOST_LEVEL {
        return;
    }
    let domain = word(&cx.program.functions[function], "domain");
    for (_, semantic, count) in FACTORS.iter().filter(|(own, ..)| Some(*own) == domain.as_deref()) {
        let Some((variable, _)) = level_variable(semantic) else { continue };
        for at in 0..*count {
            let mut b = Build::new(&mut cx.program.types, &mut body.exprs, span);
            let level = Template::parse(&format!("{variable}[{at}]")).unwrap_or_default();
            let (target, given) =
                (b.native(level.clone(), Vec::new(), TypeId::FLOAT), b.native(level, Vec::new(), TypeId::FLOAT));
            let bound = b.float(most);
            let least = Template::parse("min($0, $1)").unwrap_or_default();
            let value = b.native(least, vec![given, bound], TypeId::FLOAT);
            out.push(b.set(target, value));
        }
    }
}

/// A body that returns early becomes a function of a name; answers the body that calls it.
pub(super) fn split_off(cx: &mut Context, function: FunctionId, name: &str, body: Body) -> Body {
    let span = cx.program.functions[function].span;
    let inner = cx.program.functions.push(Function::new(name, Vec::new(), TypeId::VOID, body, span));
    cx.program.items.put_before(Some(Item::Function(function)), Item::Function(inner));
    let mut outer = Body::default();
    let call = Build::new(&mut cx.program.types, &mut outer.exprs, span).call(inner, Vec::new(), TypeId::VOID);
    outer.block.stmts.push(Stmt::new(StmtKind::Expr(call), span));
    outer
}

/// What a domain shader declares of its patches.
pub(super) fn domain_layout(l: &mut GlobalLowering) {
    let program = &*l.cx.program;
    let function = &program.functions[l.entry.function];
    let span = function.span;
    let own = word(function, "domain");
    let of_domain = |f: &&Function| word(f, "domain") == own;
    let hulls = program.entry_points.iter().filter(|e| e.stage == Stage::Hull).map(|e| &program.functions[e.function]);
    let hulls: Vec<&Function> = hulls.filter(of_domain).collect();
    let said = |name: &str| -> Result<Option<String>, ()> {
        if let Some(word) = word(function, name) {
            return Ok(Some(word));
        }
        let mut words = hulls.iter().map(|f| word(f, name));
        let first = words.next().flatten();
        if words.any(|other| other != first) { Err(()) } else { Ok(first) }
    };
    let words = (said("partitioning"), said("outputtopology"));
    let turned = l.cx.profile.facts.api == Api::OpenGl;
    let domain = own.as_deref().and_then(|own| DOMAINS.iter().find(|(word, _)| *word == own));
    let Some((_, domain)) = domain else {
        l.cx.unsupported(span, "a domain entry point needs `[domain(\"tri\")]`, `quad` or `isoline`");
        return;
    };
    let (Ok(partitioning), Ok(topology)) = words else {
        let message = "the hull shaders of this program divide the patches of this domain shader in several ways";
        l.cx.unsupported(span, message);
        return;
    };
    if partitioning.is_none() || topology.is_none() {
        let message = format!(
            "how `{}` divides patches is not known: {} says it here, and the hull shader is in another program",
            l.entry.name, l.cx.profile.name
        );
        let note = "`[partitioning(...)]` and `[outputtopology(...)]` at the domain shader say it; else its segments are \
                    equal and its triangles counterclockwise";
        l.cx.diags.push(Diagnostic::warning(Code::ASSUMED, span, message).note(note));
    }
    let mut parts = vec![(*domain).to_owned()];
    let tables = [(partitioning, PARTITIONINGS), (topology, if turned { TURNED } else { TOPOLOGIES })];
    for (said, table) in tables {
        let Some(said) = said else { continue };
        match table.iter().find(|(word, _)| *word == said) {
            Some((_, "")) => {}
            Some((_, word)) => parts.push((*word).to_owned()),
            None => {
                let message = format!("{} does not divide patches by `{said}`", l.cx.profile.name);
                l.cx.unsupported(span, message);
            }
        }
    }
    l.stage_layout(&parts.join(", "), "in");
}
