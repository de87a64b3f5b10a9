//! The streams of a geometry shader: what is appended is written to the outputs, which are emitted.
//!
//! Before: `void main(..., inout TriangleStream<Vertex> stream) { stream.Append(vertex); stream.RestartStrip(); }`
//! After:  `out vec3 stream_color;  void main() { stream_color = vertex.color; EmitVertex(); EndPrimitive(); }`
//!
//! The library marks the methods with `[__emits]`. Of several streams, each has its number.
//!
//! A part of [`super::entry_globals`].

use super::entry_globals::{GlobalLowering, Replacement};
use super::stage_io::{ManyLeaves, attribute};
use crate::diagnostic::{Code, Diagnostic};
use crate::layout::locations::primitive;
use crate::symbol::Symbol;
use crate::tree::*;

/// A stream, with its number where there are several.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub(super) number: Option<u32>,
}

/// The attribute of what emits a vertex or ends a primitive.
pub(super) const EMITS: &str = "__emits";

/// The primitives that come in, and the words for them there.
const PRIMITIVES: &[(&str, &str)] = &[
    ("point", "points"),
    ("line", "lines"),
    ("triangle", "triangles"),
    ("lineadj", "lines_adjacency"),
    ("triangleadj", "triangles_adjacency"),
];

/// The outputs of a stream with a number say so.
pub(super) fn mark(program: &mut Program, places: &[Replacement], stream: Option<u32>) {
    let Some(number) = stream else { return };
    for place in places {
        if let Replacement::Global(id, _) = place {
            let span = program.globals[*id].span;
            let text = AttributeArg::Text(Symbol::new(&format!("stream = {number}")));
            program.globals[*id].attributes.push(attribute("__layout", vec![text], span));
        }
    }
}

/// What the stage declares of its primitives.
pub(super) fn layout(l: &mut GlobalLowering) {
    let function = &l.cx.program.functions[l.entry.function];
    let span = function.span;
    let number = |name: &str| match function.attribute(name)?.args.first()? {
        AttributeArg::Int(n) => Some(*n),
        _ => None,
    };
    let word = function.params.iter().find_map(|p| primitive(p.modifiers)).unwrap_or_default();
    let word = PRIMITIVES.iter().find(|(own, _)| *own == word).map(|(_, there)| *there);
    let streams = function.params.iter().map(|p| l.cx.program.types.get(l.body.locals[p.local].ty));
    let kind = streams.into_iter().find_map(|ty| if let Type::Stream(kind, _) = ty { Some(kind) } else { None });
    let (instances, most) = (number("instance"), number("maxvertexcount"));
    let patch = function.params.iter().map(|p| &l.body.locals[p.local]);
    let patch = patch.into_iter().find(|local| matches!(l.cx.program.types.get(local.ty), Type::Patch(..)));
    if let Some(span) = patch.map(|local| local.span).filter(|_| word.is_none()) {
        let message = format!("{} has no geometry shaders that are given patches", l.cx.profile.name);
        return l.cx.unsupported(span, message);
    }
    let (Some(kind), Some(most)) = (kind, most) else {
        let what = if kind.is_none() { "a stream" } else { "`[maxvertexcount]`" };
        l.cx.unsupported(span, format!("a geometry entry point needs {what}"));
        return;
    };
    let word = word.unwrap_or_else(|| {
        let message = "no input says which primitives this geometry entry point takes: they are `triangles`";
        let note = "an input with the word of its primitive, as `triangle`, says it";
        l.cx.diags.push(Diagnostic::warning(Code::ASSUMED, span, message).note(note));
        "triangles"
    });
    let instances = instances.filter(|n| *n > 1).map_or(String::new(), |n| format!(", invocations = {n}"));
    l.stage_layout(&format!("{word}{instances}"), "in");
    let out = match kind {
        StreamKind::Point => "points",
        StreamKind::Line => "line_strip",
        StreamKind::Triangle => "triangle_strip",
    };
    l.stage_layout(&format!("{out}, max_vertices = {most}"), "out");
}

impl GlobalLowering<'_, '_> {
    /// What a body appends to a stream and where it ends primitives of it.
    pub(super) fn stream_output(&mut self, local: LocalId, of: &ManyLeaves, places: &[Replacement], stream: Stream) {
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |mut stmt, out| {
            let StmtKind::Expr(call) = stmt.kind else { return out.push(stmt) };
            let Some((template, vertex)) = self.emits(call, local, stream) else { return out.push(stmt) };
            let start = out.len();
            if let Some(vertex) = vertex {
                self.write_parts(vertex, (&of.leaves, places), &[], None, out);
            }
            let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, stmt.span);
            let emit = b.native(template, Vec::new(), TypeId::VOID);
            out.push(Stmt::new(StmtKind::Expr(emit), stmt.span));
            stmt.give_comments(out.get_mut(start), true);
        });
        self.body.block = block;
        let live = self.body.expressions();
        let left = live.into_iter().find(|id| matches!(self.body.exprs[*id].kind, ExprKind::Local(l) if l == local));
        if let Some(left) = left {
            let span = self.body.exprs[left].span;
            self.cx.unsupported(span, "a stream is appended to by a statement, and is no value");
        }
    }

    /// What a call emits, if it is one of a stream: the target's spelling, and the vertex.
    fn emits(&self, call: ExprId, local: LocalId, stream: Stream) -> Option<(Template, Option<ExprId>)> {
        let ExprKind::Call(f, args) = &self.body.exprs[call].kind else { return None };
        let function = &self.cx.program.functions[*f];
        let marked = function.attribute(EMITS)?;
        if !matches!(self.body.exprs[*args.first()?].kind, ExprKind::Local(l) if l == local) {
            return None;
        }
        let word = match (marked.args.as_slice(), stream.number) {
            ([AttributeArg::Text(one), _], None) => format!("{one}()"),
            ([_, AttributeArg::Text(several)], Some(number)) => format!("{several}({number})"),
            _ => return None,
        };
        Some((Template::parse(&word).ok()?, args.get(1).copied()))
    }
}
