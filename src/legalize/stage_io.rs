//! Stage inputs and outputs, flattened to leaves: what the passes that lower entry points share.
//!
//! Their locations are those of the sidecar: [`crate::layout::locations`].

use crate::layout::locations::{self, Many, Varying, VaryingPart};
use crate::layout::{Settings, Unit};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::system_values::{self, Direction, SystemValue};
use crate::target::{EXTENSION_ATTRIBUTE, STAGE_LAYOUT};
use crate::tree::*;

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

/// A scalar, vector, or (unless split) array or matrix that goes in or out.
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
    /// It is of a whole patch.
    pub of_patch: bool,
    /// Its place in the source.
    pub span: Span,
    /// Comments before the field.
    pub comments: Vec<crate::lex::Comment>,
}

impl Leaf {
    /// The semantic is a system value, which has no location; a render target that goes out has.
    pub fn is_system(&self) -> bool {
        self.location.is_none() && self.semantic.as_ref().is_some_and(|(name, _)| name.starts_with("SV_"))
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
            of_patch: false,
            span,
            comments: Vec::new(),
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

/// A parameter that is one value for each vertex or primitive.
pub struct ManyLeaves {
    /// Which parameter it is.
    pub param: usize,
    /// How many of what there are.
    pub many: Many,
    /// Where they go.
    pub direction: Direction,
    /// The leaves of one.
    pub leaves: Vec<Leaf>,
}

/// How leaves are found.
pub struct Flatten<'a> {
    /// The program.
    pub program: &'a mut Program,
    /// Arrays and matrices are split into elements and rows.
    pub split: bool,
    /// How locations are numbered.
    pub settings: Settings,
}

/// What the walk carries down.
#[derive(Clone)]
struct LeafAt {
    source: Source,
    path: Vec<Step>,
    name: String,
    modifiers: Modifiers,
    /// How many locations it is from the first element of all arrays around.
    location: u32,
    /// How many indices of the semantic.
    further: u32,
    of_patch: bool,
    comments: Vec<crate::lex::Comment>,
}

impl Flatten<'_> {
    /// The leaves of one direction of an entry point, with locations; not those of which there is one for each vertex or
    /// primitive.
    pub fn leaves(&mut self, entry: &EntryPoint, direction: Direction) -> Vec<Leaf> {
        let unit = match direction {
            Direction::In => Unit::VaryingInput,
            Direction::Out => Unit::VaryingOutput,
        };
        let mut all = locations::varyings(self.program, &self.settings, entry);
        all.retain(|v| v.unit == unit && v.many.is_none());
        let mut leaves = self.flattened(&all);
        leaves.iter_mut().for_each(|leaf| plain_name(leaf, entry.stage, direction));
        leaves
    }

    /// What there is one of for each vertex or primitive in a parameter, with the leaves of one.
    pub fn elements(&mut self, entry: &EntryPoint) -> Vec<ManyLeaves> {
        let all = locations::varyings(self.program, &self.settings, entry);
        let found = all.into_iter().filter_map(|varying| {
            let direction = match varying.unit {
                Unit::VaryingInput => Direction::In,
                _ => Direction::Out,
            };
            let (many, param) = (varying.many?, varying.param?);
            let part = varying.part.parts.first()?.clone();
            let mut leaves = self.flattened(&[Varying { part, ..varying }]);
            leaves.iter_mut().for_each(|leaf| plain_name(leaf, entry.stage, direction));
            Some(ManyLeaves { param, many, direction, leaves })
        });
        found.collect()
    }

    /// The leaves of some inputs or outputs.
    pub fn flattened(&mut self, all: &[Varying]) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for varying in all {
            let function = &self.program.functions[varying.function];
            let param = varying.param.and_then(|i| function.params.get(i));
            let at = LeafAt {
                source: varying.param.map_or(Source::Result, Source::Param),
                path: Vec::new(),
                name: String::new(),
                modifiers: param.map_or(function.modifiers, |p| p.modifiers),
                location: 0,
                further: 0,
                of_patch: varying.of_patch,
                comments: param.map(|p| p.comments.clone()).unwrap_or_default(),
            };
            self.walk(at, &varying.part, &mut leaves);
        }
        leaves
    }

    fn walk(&mut self, at: LeafAt, part: &VaryingPart, leaves: &mut Vec<Leaf>) {
        match (self.program.types.get(part.ty), part.parts.first()) {
            (Type::Struct(id), _) => {
                for (index, part) in part.parts.iter().enumerate() {
                    let Some(field) = self.program.structs[id].fields.get(index).cloned() else { continue };
                    let mut below = at.clone();
                    below.path.push(Step::Field(index as u32));
                    below.name = join(&at.name, part.name.as_str());
                    below.modifiers.set_of_part(field.modifiers);
                    below.comments = field.comments;
                    self.walk(below, part, leaves);
                }
            }
            (Type::Array(element, Length::Fixed(count)), Some(part)) if self.is_split(element) => {
                for below in elements(&at, count, (part.count, part.indices)) {
                    self.walk(below, part, leaves);
                }
            }
            (Type::Matrix(scalar, rows, columns), _) if self.split || scalar == Scalar::Bool => {
                let row = self.program.types.vector(scalar, columns);
                for below in elements(&at, rows.into(), (1, 1)) {
                    leaves.push(leaf(row, below, part));
                }
            }
            _ => leaves.push(leaf(part.ty, at, part)),
        }
    }

    /// Structs go in and out by field; truth values as numbers, one by one.
    fn is_split(&self, element: TypeId) -> bool {
        let types = &self.program.types;
        let inner = types.innermost(element);
        let apart = matches!(types.get(inner), Type::Struct(_)) || types.component(inner) == Some(Scalar::Bool);
        self.split || apart
    }
}

/// ManyLeaves of an array or matrix, each that many locations and indices of the semantic further.
fn elements(at: &LeafAt, count: u32, (locations, indices): (u32, u32)) -> impl Iterator<Item = LeafAt> {
    (0..count.min(64)).map(move |index| {
        let mut below = at.clone();
        below.path.push(Step::Element(index));
        below.name = join(&at.name, &index.to_string());
        below.location = at.location.saturating_add(index.saturating_mul(locations));
        below.further = at.further.saturating_add(index.saturating_mul(indices));
        below.comments = if index == 0 { at.comments.clone() } else { Vec::new() };
        below
    })
}

fn leaf(ty: TypeId, at: LeafAt, part: &VaryingPart) -> Leaf {
    let further = at.further;
    Leaf {
        source: at.source,
        path: at.path,
        ty,
        name: at.name,
        semantic: part.semantic.as_ref().map(|(name, index)| (name.clone(), index.saturating_add(further))),
        modifiers: at.modifiers,
        location: (part.count > 0).then(|| at.location.saturating_add(part.start)),
        index: part.index,
        of_patch: at.of_patch,
        span: part.span,
        comments: at.comments,
    }
}

fn join(a: &str, b: &str) -> String {
    if a.is_empty() { b.to_owned() } else { format!("{a}_{b}") }
}

/// The type of a value that goes in or out: `bool` travels as `uint`.
pub fn interface_type(types: &mut Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Scalar(Scalar::Bool) => TypeId::UINT,
        Type::Vector(Scalar::Bool, n) => types.vector(Scalar::U32, n),
        _ => ty,
    }
}

/// A value of `ty` put together from the values of its leaves; `path` leads to it.
pub fn assemble(
    program: &mut Program,
    exprs: &mut ExprArena,
    ty: TypeId,
    path: &mut Vec<Step>,
    (leaves, values): (&[Leaf], &[ExprId]),
    span: Span,
) -> ExprId {
    if let Some((_, value)) = leaves.iter().zip(values).find(|(leaf, _)| leaf.path == *path) {
        return *value;
    }
    let members = match program.types.get(ty) {
        Type::Matrix(scalar, rows, columns) => {
            let row = program.types.vector(scalar, columns);
            Some((0..rows).map(|i| (Step::Element(i.into()), row)).collect())
        }
        _ => program.members(ty),
    };
    // A leaf that nothing gives.
    let Some(members) = members else { return exprs.push(Expr { kind: ExprKind::Zero, ty, span }) };
    let mut parts = Vec::new();
    for (step, ty) in members {
        path.push(step);
        parts.push(assemble(program, exprs, ty, path, (leaves, values), span));
        path.pop();
    }
    exprs.push(Expr { kind: ExprKind::Construct(parts), ty, span })
}

/// How a local is used: every mention, with the path of fields and constant elements around it as far as a leaf; `None`
/// if some mention is used in another way.
pub fn accesses(
    body: &Body,
    local: LocalId,
    leaves: &[Leaf],
    ignored: &dyn Fn(ExprId) -> bool,
) -> Option<Vec<(ExprId, usize)>> {
    let live = body.expressions();
    let parents = body.exprs.parents(&live);
    let mut found = Vec::new();
    for id in live {
        if !matches!(body.exprs[id].kind, ExprKind::Local(l) if l == local) || ignored(id) {
            continue;
        }
        let (mut at, mut path) = (id, Vec::new());
        loop {
            if let Some(index) = leaves.iter().position(|l| l.path == path) {
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
    Some(found)
}

/// The position of a fragment is the target's, whose `w` is not turned over.
pub fn as_in_target(stage: Stage, inputs: &mut [Leaf]) {
    let positions = inputs.iter_mut().filter(|leaf| stage == Stage::Fragment && leaf.is_position());
    for (name, _) in positions.filter_map(|leaf| leaf.semantic.as_mut()) {
        *name = "SV_FRAGCOORD".to_owned();
    }
}

/// Takes the prefix of a system value that is a variable like any other there, as `SV_Position` of a vertex that comes in.
fn plain_name(leaf: &mut Leaf, stage: Stage, direction: Direction) {
    let is_arbitrary = |name: &str| Semantic::is_arbitrary(name, stage, direction == Direction::In);
    if let Some((name, _)) = &mut leaf.semantic
        && let Some(plain) = name.strip_prefix("SV_").filter(|_| is_arbitrary(name))
    {
        *name = plain.to_owned();
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
    Attribute { name: Symbol::new(name), args, declared: false, written: None, span }
}

/// Has the stage of an entry point declare a word of its inputs, `layout(word) in;`, which is of an extension.
pub fn declare_layout(function: &mut Function, word: &str, extension: &str) {
    let text = |text: &str| AttributeArg::Text(Symbol::new(text));
    let layout = (STAGE_LAYOUT, vec![text(word), text("in")]);
    for (name, args) in [layout, (EXTENSION_ATTRIBUTE, vec![text(extension)])] {
        let made = attribute(name, args, function.span);
        function.attributes.push(made);
    }
}

/// A system value as another type: cut to its components or with zeros for those it lacks, then converted.
pub fn adapt(b: &mut Build, value: ExprId, ty: TypeId) -> ExprId {
    let shape = |t: Type| match t {
        Type::Vector(s, n) => (Some(s), n),
        _ => (None, 1),
    };
    let ((scalar, have), (_, want)) = (shape(b.types.get(b.exprs[value].ty)), shape(b.types.get(ty)));
    let fitted = match (scalar, want) {
        _ if have > want => b.swizzle(value, [0, 1, 2].get(..usize::from(want)).unwrap_or(&[0])),
        (Some(scalar), want) if have < want => {
            let (one, all) = (b.types.scalar(scalar), b.types.vector(scalar, want));
            let zeros: Vec<ExprId> = (have..want).map(|_| b.number(0, one)).collect();
            b.construct(std::iter::once(value).chain(zeros).collect(), all)
        }
        _ => value,
    };
    b.convert(fitted, ty)
}

/// Whether a position of a type has a `w`.
pub fn has_w(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Vector(_, 4))
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
