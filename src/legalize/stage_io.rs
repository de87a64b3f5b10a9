//! Stage inputs and outputs, flattened to leaves: what the passes that lower entry points share.
//!
//! Locations are numbered from 0 in the order of leaves, `out` parameters before the result; system values take none, but
//! a fragment shader's `SV_TargetN` is location N unless the binding policy numbers those too. An explicit location places
//! its leaves; other parameters take the lowest free ones.

use super::system_values::{self, Direction, SystemValue};
use crate::layout::Policy;
use crate::layout::varyings::{self, Locations};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::*;

/// A step from a value to a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Step {
    /// A field of a struct.
    Field(u32),
    /// A constant element of an array, or row of a matrix.
    Element(u32),
}

/// What of an entry point a leaf belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A parameter, by its position.
    Param(usize),
    /// The result.
    Result,
    /// No part of the source: it is zero.
    Nothing,
}

/// A scalar, vector, or (unless taken apart) array or matrix that goes in or out.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Where it is.
    pub source: Source,
    /// The way from there.
    pub path: Vec<Step>,
    /// Its type.
    pub ty: TypeId,
    /// Names on the way, joined by `_`; empty for a whole parameter or result.
    pub name: String,
    /// Semantic in upper case, and its index.
    pub semantic: Option<(String, u32)>,
    /// Interpolation.
    pub modifiers: Modifiers,
    /// The location; none for system values.
    pub location: Option<u32>,
    /// Index for dual-source blending.
    pub index: Option<u32>,
    /// Its place in the source.
    pub span: Span,
    /// Comments before the field.
    pub comments: Vec<crate::lex::Comment>,
    /// The location asked for.
    asked: Option<u32>,
    /// It was asked for by a field, not by the whole parameter.
    asked_by_field: bool,
}

impl Leaf {
    /// The semantic is a system value (but not a render target).
    pub fn is_system(&self) -> bool {
        self.semantic.as_ref().is_some_and(|(name, _)| name.starts_with("SV_") && name != "SV_TARGET")
    }

    /// A position that nobody computed, as an output of a vertex shader that has none.
    pub fn zero_position(ty: TypeId, span: Span) -> Leaf {
        Leaf {
            source: Source::Nothing,
            path: Vec::new(),
            ty,
            name: String::new(),
            semantic: Some(("SV_POSITION".to_owned(), 0)),
            modifiers: Modifiers::default(),
            location: None,
            index: None,
            span,
            comments: Vec::new(),
            asked: None,
            asked_by_field: false,
        }
    }

    /// The position of the vertex or fragment.
    pub fn is_position(&self) -> bool {
        self.semantic.as_ref().is_some_and(|(name, _)| name == "SV_POSITION")
    }

    /// The row of the table for it.
    pub fn system(&self, stage: Stage, direction: Direction) -> Option<&'static SystemValue> {
        let (name, _) = self.semantic.as_ref().filter(|_| self.is_system())?;
        system_values::find(name, stage, direction)
    }
}

/// How leaves are found.
pub struct Flatten<'a> {
    /// The program.
    pub program: &'a mut Program,
    /// Arrays and matrices are taken apart.
    pub split: bool,
    /// How locations are numbered.
    pub policy: Policy,
}

/// What the walk carries down.
#[derive(Clone)]
struct At {
    source: Source,
    path: Vec<Step>,
    name: String,
    modifiers: Modifiers,
    index: Option<u32>,
    asked: Option<u32>,
    asked_by_field: bool,
    span: Span,
    comments: Vec<crate::lex::Comment>,
}

/// A semantic whose index runs over the leaves below it.
struct Running {
    name: String,
    index: u32,
}

impl Flatten<'_> {
    /// The leaves of one direction of an entry point, with locations.
    pub fn leaves(&mut self, entry: &EntryPoint, direction: Direction) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for index in 0..self.program.functions[entry.function].params.len() {
            let function = &self.program.functions[entry.function];
            let Some(param) = function.params.get(index) else { continue };
            let local = &function.code.locals[param.local];
            let goes = match param.mode {
                ParamMode::In => direction == Direction::In,
                ParamMode::Out => direction == Direction::Out,
                ParamMode::InOut | ParamMode::Ref => true,
            };
            if !goes || crate::tree::is_uniform(self.program, param, local.ty) {
                continue;
            }
            let at = At {
                source: Source::Param(index),
                path: Vec::new(),
                name: String::new(),
                modifiers: param.modifiers,
                index: param.explicit.index,
                asked: param.explicit.location.map(|(l, _)| l),
                asked_by_field: false,
                span: local.span,
                comments: Vec::new(),
            };
            let (ty, semantic) = (local.ty, param.semantic);
            self.walk(ty, at, &mut semantic.map(running), &mut leaves);
        }
        let function = &self.program.functions[entry.function];
        if direction == Direction::Out && function.result != TypeId::VOID {
            let at = At {
                source: Source::Result,
                path: Vec::new(),
                name: String::new(),
                modifiers: function.modifiers,
                index: function.result_explicit.index,
                asked: function.result_explicit.location.map(|(l, _)| l),
                asked_by_field: false,
                span: function.span,
                comments: Vec::new(),
            };
            let (ty, semantic) = (function.result, function.result_semantic);
            self.walk(ty, at, &mut semantic.map(running), &mut leaves);
        }
        if entry.stage == Stage::Vertex && direction == Direction::In {
            leaves.iter_mut().for_each(position_of_mesh);
        }
        let targets = entry.stage == Stage::Fragment && direction == Direction::Out && !self.policy.targets_by_order;
        self.locate(&mut leaves, targets);
        leaves
    }

    fn walk(&mut self, ty: TypeId, at: At, semantic: &mut Option<Running>, leaves: &mut Vec<Leaf>) {
        match self.program.types.get(ty) {
            Type::Struct(id) => {
                for index in 0..self.program.structs[id].fields.len() {
                    let Some(field) = self.program.structs[id].fields.get(index).cloned() else { continue };
                    let mut below = at.clone();
                    below.path.push(Step::Field(index as u32));
                    below.name = join(&at.name, field.name.as_str());
                    below.modifiers.set(field.modifiers);
                    below.index = field.explicit.index.or(at.index);
                    below.asked = field.explicit.location.map(|(l, _)| l).or(at.asked);
                    below.asked_by_field |= field.explicit.location.is_some();
                    below.span = field.span;
                    below.comments = field.comments;
                    match semantic {
                        Some(_) => self.walk(field.ty, below, semantic, leaves),
                        None => self.walk(field.ty, below, &mut field.semantic.map(running), leaves),
                    }
                }
            }
            Type::Array(element, Some(count)) if self.split || self.is_struct(element) => {
                self.elements(element, count, at, semantic, leaves);
            }
            Type::Matrix(scalar, rows, columns) if self.split => {
                let row = self.program.types.vector(scalar, columns);
                self.elements(row, rows.into(), at, semantic, leaves);
            }
            _ => {
                let taken = semantic.as_ref().map(|s| (s.name.clone(), s.index));
                let count = self.count(ty);
                if let Some(semantic) = semantic {
                    semantic.index = semantic.index.saturating_add(count);
                }
                leaves.push(Leaf {
                    source: at.source,
                    path: at.path,
                    ty,
                    name: at.name,
                    semantic: taken,
                    modifiers: at.modifiers,
                    location: None,
                    index: at.index,
                    span: at.span,
                    comments: at.comments,
                    asked: at.asked,
                    asked_by_field: at.asked_by_field,
                });
            }
        }
    }

    fn elements(
        &mut self,
        element: TypeId,
        count: u32,
        at: At,
        semantic: &mut Option<Running>,
        leaves: &mut Vec<Leaf>,
    ) {
        for index in 0..count.min(64) {
            let mut below = at.clone();
            below.path.push(Step::Element(index));
            below.name = join(&at.name, &index.to_string());
            below.comments = if index == 0 { at.comments.clone() } else { Vec::new() };
            self.walk(element, below, semantic, leaves);
        }
    }

    fn is_struct(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(self.program.types.innermost(ty)), Type::Struct(_))
    }

    /// How many locations a leaf takes.
    fn count(&self, ty: TypeId) -> u32 {
        match self.program.types.get(ty) {
            Type::Array(element, count) => count.unwrap_or(1).saturating_mul(self.count(element)),
            Type::Matrix(_, rows, columns) => {
                varyings::of_matrix(&self.policy, self.program.default_matrix_order, rows, columns)
            }
            _ => 1,
        }
    }

    /// Locations that are asked for, then first fit for each parameter.
    fn locate(&self, leaves: &mut [Leaf], targets: bool) {
        let mut given = Locations::default();
        // Leaves below one explicit location count on from it.
        let mut previous: Option<(u32, u32)> = None;
        for leaf in leaves.iter_mut().filter(|l| !l.is_system()) {
            let target = leaf.semantic.as_ref().filter(|(name, _)| targets && name == "SV_TARGET").map(|(_, n)| *n);
            let start = match (leaf.asked, previous) {
                (Some(asked), Some((same, next))) if same == asked && leaf.index.is_none() => Some(next),
                (Some(asked), _) => Some(asked),
                (None, _) => target,
            };
            if let Some(start) = start {
                let count = self.count(leaf.ty);
                previous = leaf.asked.map(|asked| (asked, start.saturating_add(count)));
                leaf.location = Some(start);
                match leaf.asked_by_field {
                    true => given.reserve(0, start.saturating_add(count)),
                    false => given.reserve(start, count),
                }
            }
        }
        let waits = |l: &Leaf| !l.is_system() && l.location.is_none();
        for parameter in leaves.chunk_by_mut(|a, b| a.source == b.source) {
            let count = parameter.iter().filter(|l| waits(l)).map(|l| self.count(l.ty)).sum();
            let mut next = given.give(count);
            for leaf in parameter.iter_mut().filter(|l| waits(l)) {
                leaf.location = Some(next);
                next += self.count(leaf.ty);
            }
        }
    }
}

fn running(semantic: Semantic) -> Running {
    let (name, index) = semantic.split();
    Running { name, index }
}

fn join(a: &str, b: &str) -> String {
    if a.is_empty() { b.to_owned() } else { format!("{a}_{b}") }
}

/// The part of `base` at the end of a path.
pub fn part(program: &mut Program, exprs: &mut ExprArena, base: ExprId, path: &[Step]) -> ExprId {
    let span = exprs[base].span;
    let mut value = base;
    for step in path {
        let ty = exprs[value].ty;
        value = match *step {
            Step::Field(index) => {
                let field = program.field_type(ty, index).unwrap_or(TypeId::ERROR);
                Build::new(&mut program.types, exprs, span).field(value, index, field)
            }
            Step::Element(index) => Build::new(&mut program.types, exprs, span).at(value, index),
        };
    }
    value
}

/// Makes the value of a leaf of stage input or output, or answers that the path goes deeper.
pub type MakeLeaf<'a> = &'a mut dyn FnMut(&mut Program, &mut ExprArena, &[Step]) -> Option<ExprId>;

/// A value of `ty` put together from its leaves; `leaf` gives each one, in order.
pub fn assemble(
    program: &mut Program,
    exprs: &mut ExprArena,
    ty: TypeId,
    path: &mut Vec<Step>,
    span: Span,
    leaf: MakeLeaf,
) -> ExprId {
    if let Some(value) = leaf(program, exprs, path) {
        return value;
    }
    let parts: Vec<(Step, TypeId)> = match program.types.get(ty) {
        Type::Struct(id) => {
            let fields = program.structs[id].fields.iter();
            fields.enumerate().map(|(i, f)| (Step::Field(i as u32), f.ty)).collect()
        }
        Type::Array(element, Some(count)) => (0..count).map(|i| (Step::Element(i), element)).collect(),
        Type::Matrix(scalar, rows, columns) => {
            let row = program.types.vector(scalar, columns);
            (0..rows).map(|i| (Step::Element(i.into()), row)).collect()
        }
        // A leaf that nothing gives.
        _ => return exprs.push(Expr { kind: ExprKind::Zero, ty, span }),
    };
    let mut values = Vec::new();
    for (step, ty) in parts {
        path.push(step);
        values.push(assemble(program, exprs, ty, path, span, leaf));
        path.pop();
    }
    exprs.push(Expr { kind: ExprKind::Construct(values), ty, span })
}

/// How a local is used: every mention, with the path of fields and constant elements around it as far as a leaf; `None`
/// if some mention is used in another way.
pub fn accesses(
    program: &Program,
    body: &Body,
    local: LocalId,
    leaves: &[Vec<Step>],
    ignored: &dyn Fn(ExprId) -> bool,
) -> Option<Vec<(ExprId, usize)>> {
    let live = body.expressions();
    let mut parents = rustc_hash::FxHashMap::default();
    for id in &live {
        body.exprs[*id].kind.children(&mut |child| {
            parents.insert(child, *id);
        });
    }
    let mut found = Vec::new();
    for id in live {
        if !matches!(body.exprs[id].kind, ExprKind::Local(l) if l == local) || ignored(id) {
            continue;
        }
        let (mut at, mut path) = (id, Vec::new());
        loop {
            if let Some(index) = leaves.iter().position(|l| *l == path) {
                found.push((at, index));
                break;
            }
            let parent = *parents.get(&at)?;
            path.push(match &body.exprs[parent].kind {
                ExprKind::Field(base, index) if *base == at => Step::Field(*index),
                ExprKind::Index(base, index) if *base == at => match body.exprs[*index].kind {
                    ExprKind::Literal(Literal::Int(n), _) => Step::Element(u32::try_from(n).ok()?),
                    _ => return None,
                },
                _ => return None,
            });
            at = parent;
        }
    }
    let _ = program;
    Some(found)
}

/// Whether a local, or a part of it, is written or passed by reference.
pub fn is_written(program: &Program, body: &Body, local: LocalId) -> bool {
    let rooted = |id: ExprId| matches!(body.exprs[body.exprs.base(id)].kind, ExprKind::Local(l) if l == local);
    body.expressions().into_iter().any(|id| match &body.exprs[id].kind {
        ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) | ExprKind::AddressOf(target) => rooted(*target),
        ExprKind::Call(function, args) => {
            let params = &program.functions[*function].params;
            params.iter().zip(args).any(|(p, a)| p.mode != ParamMode::In && rooted(*a))
        }
        ExprKind::Property(property) => {
            property.set.is_some() && property.args.first().is_some_and(|this| rooted(*this))
        }
        _ => false,
    })
}

/// `SV_Position` of a vertex that comes in is an attribute like any other: D3D takes it so.
fn position_of_mesh(leaf: &mut Leaf) {
    if leaf.is_position()
        && let Some((name, _)) = &mut leaf.semantic
    {
        *name = "POSITION".to_owned();
    }
}

/// A name for an output that has none: of its semantic, as `target` for `SV_Target`.
pub fn name_of_semantic(leaf: &Leaf) -> String {
    match &leaf.semantic {
        Some((name, index)) => {
            let plain = name.strip_prefix("SV_").unwrap_or(name).to_ascii_lowercase();
            if *index > 0 { format!("{plain}{index}") } else { plain }
        }
        None => match leaf.location {
            Some(n) if n > 0 => format!("result{n}"),
            _ => "result".to_owned(),
        },
    }
}

/// An attribute made by a pass.
pub fn attribute(name: &str, args: Vec<AttributeArg>, span: Span) -> Attribute {
    Attribute { name: Symbol::new(name), args, declared: false, span }
}

/// A builtin as the type that the source gives it: cut to its components, then converted.
pub fn adapt(b: &mut Build, value: ExprId, ty: TypeId) -> ExprId {
    let own = b.exprs[value].ty;
    let length = |t: Type| match t {
        Type::Vector(_, n) => n,
        _ => 1,
    };
    let (have, want) = (length(b.types.get(own)), length(b.types.get(ty)));
    let cut = match (have > want, want) {
        (true, 1) => b.swizzle(value, &[0]),
        (true, 2) => b.swizzle(value, &[0, 1]),
        (true, _) => b.swizzle(value, &[0, 1, 2]),
        _ => value,
    };
    b.convert(cut, ty)
}

/// Whether the use of a position may see its `w`: not if only other components are taken of it.
pub fn sees_w(program: &Program, body: &Body, id: ExprId) -> bool {
    let parent = body.expressions().into_iter().find(|p| {
        let mut is = false;
        body.exprs[*p].kind.children(&mut |c| is |= c == id);
        is
    });
    let Some(parent) = parent else { return true };
    match &body.exprs[parent].kind {
        ExprKind::Swizzle(_, swizzle) => swizzle.list().contains(&3),
        ExprKind::Index(base, index) if *base == id => match body.exprs[*index].kind {
            ExprKind::Literal(Literal::Int(n), _) => n == 3,
            _ => true,
        },
        ExprKind::Convert(..) => {
            !matches!(program.types.get(body.exprs[parent].ty), Type::Vector(_, 1..=3) | Type::Scalar(_))
        }
        _ => true,
    }
}

/// The use of a position of which nothing but `w` is taken, as the swizzle or element around it.
pub fn only_w(body: &Body, id: ExprId) -> Option<ExprId> {
    body.expressions().into_iter().find(|p| match &body.exprs[*p].kind {
        ExprKind::Swizzle(base, swizzle) => *base == id && swizzle.list() == [3],
        ExprKind::Index(base, index) => {
            *base == id && matches!(body.exprs[*index].kind, ExprKind::Literal(Literal::Int(3), _))
        }
        _ => false,
    })
}

/// The reciprocal of the `w` of a position.
pub fn reciprocal_w(b: &mut Build, position: ExprId) -> ExprId {
    let w = b.swizzle(position, &[3]);
    let unit = b.float(1.0);
    b.binary(BinaryOp::Div, unit, w)
}

/// The position as D3D gives it to a fragment: `w` is the reciprocal of the target's.
pub fn position_value(b: &mut Build, one: ExprId, other: ExprId) -> ExprId {
    let ty = b.exprs[one].ty;
    let xyz = b.swizzle(one, &[0, 1, 2]);
    let reciprocal = reciprocal_w(b, other);
    b.construct(vec![xyz, reciprocal], ty)
}
