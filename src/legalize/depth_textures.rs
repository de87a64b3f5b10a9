//! A texture that is compared with is a depth texture.
//!
//! Before: `Texture2D shadowMap;         shadowMap.SampleCmp(s, uv, z)`
//! After:  `Texture2DShadow shadowMap;   shadowMap.SampleCmp(s, uv, z)`
//!
//! Other reads of it give one number there: `shadowMap.Load(p)` becomes `float4(shadowMap.Load(p), 0, 0, 1)`, as D3D fills up
//! what a format does not have.
//!
//! The library marks what compares with `[__depth_texture]`; from there it spreads through parameters of functions to
//! the globals. What the program declares so is one, too: `DepthTexture2D`. A function that only reads is made for depth textures
//! and for others, as it is called.

use super::constant_parameters::varying_offset;
use super::needs::{Find, callee, is_of_integers};
use super::{Context, Pass};
use crate::check::constant::{eval, eval_int};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::{
    AttributeArg, BinaryOp, Body, Build, Expr, ExprId, ExprKind, ExprKinds, Function, FunctionBody, FunctionId,
    GlobalId, Item, Literal, LocalId, Program, Scalar, TemplatePiece, Texture, TextureShape, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "depth_textures",
    always: Some("reads of what is declared as a depth texture are no need that a scan finds"),
    removes: &[(
        Capability::UndeclaredDepthTextures,
        Find::at(ExprKinds::CALL, |p, exprs, id| {
            let Some((function, [texture, ..])) = callee(p, exprs, id) else { return false };
            compares(function) && matches!(p.types.get(exprs[*texture].ty), Type::Texture(t) if !t.depth)
        }),
    )],
    after: &["combined_samplers", "narrow_texels"],
    run,
    ..Pass::ROW
};

/// A texture by where it is declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TextureDecl {
    Global(GlobalId),
    Param(FunctionId, LocalId),
}

fn run(cx: &mut Context) {
    // What a program declares differs from other textures where all must be declared so.
    if cx.profile.has(Capability::UndeclaredDepthTextures) {
        return;
    }
    let functions = cx.program.functions_with_code();
    let mut depth = declared(cx.program, &functions);
    spread(cx.program, &functions, &mut depth);
    if depth.is_empty() {
        return;
    }
    refuse_shapes(cx);
    for (read, compared) in mixed_arrays(cx.program, &functions, &depth) {
        let message = "an element of this array is compared with, and this one is not: they are of two kinds here";
        let error = Diagnostic::error(Code::CAPABILITY, read, message).label(compared, "compared here");
        cx.diags.push(error.note("declare the textures that are compared with apart from the others"));
    }
    let depth = Copies::new(cx.program, &depth).make(&functions);
    retype_globals(cx.program, &depth);
    let mut scalar_reads = FxHashMap::default();
    cx.each_body(&mut |cx, f, body| {
        for span in integer_reads(cx.program, f, body, &depth) {
            cx.unsupported(span, format!("{} does not read integers from a depth texture", cx.profile.name));
        }
        retype(cx.program, f, body, &depth);
        for span in refused_reads(cx.program, body) {
            cx.unsupported(span, format!("{} does not support this way to read a depth texture", cx.profile.name));
        }
        refuse_offsets(cx, f, body);
        whole_levels(cx.program, body);
        one_component(cx.program, body);
        narrow_reads(cx.program, body, &mut scalar_reads);
    });
}

/// Whether it is a depth texture, or an array of them.
fn is_depth(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(program.types.innermost(ty)), Type::Texture(t) if t.depth)
}

/// What the program itself declares as depth textures.
fn declared(program: &Program, functions: &[FunctionId]) -> FxHashSet<TextureDecl> {
    let globals = program.globals.ids().filter(|id| is_depth(program, program.globals[*id].ty));
    let params = functions.iter().flat_map(|f| program.functions[*f].params.iter().map(move |p| (*f, p.local)));
    let params = params.filter(|(f, local)| is_depth(program, program.functions[*f].code.locals[*local].ty));
    globals.map(TextureDecl::Global).chain(params.map(|(f, local)| TextureDecl::Param(f, local))).collect()
}

/// Reports depth textures of shapes that depth textures do not have.
fn refuse_shapes(cx: &mut Context) {
    for &id in &cx.program.parameters {
        let global = &cx.program.globals[id];
        let Type::Texture(texture) = cx.program.types.get(cx.program.types.innermost(global.ty)) else { continue };
        let shape = match texture.shape {
            TextureShape::D1 => "one dimension",
            TextureShape::D3 => "three dimensions",
            TextureShape::D2 | TextureShape::Cube => continue,
        };
        if texture.depth {
            let message = format!("{} has no depth textures of {shape}", cx.profile.name);
            cx.diags.push(
                Diagnostic::error(Code::CAPABILITY, global.span, message)
                    .note("declare a texture as `Texture1D<float>`, and compare what it holds with an operator"),
            );
        }
    }
}

/// Reads of textures of integers that are depth textures: as these they are of floats.
fn integer_reads(program: &Program, f: FunctionId, body: &Body, depth: &FxHashSet<TextureDecl>) -> Vec<Span> {
    let read = |id: &ExprId| {
        let Some((function, args)) = callee(program, &body.exprs, *id) else { return false };
        let texture = args.first().and_then(|texture| place(f, body, *texture));
        let integers = program.types.component(function.result).is_some_and(Scalar::is_integer);
        function.builtin
            && integers
            && !compares(function)
            && texture.is_some_and(|texture| depth.contains(&texture))
            && is_of_integers(program, &body.exprs, args)
    };
    body.expressions().into_iter().filter(read).map(|id| body.exprs[id].span).collect()
}

/// Where the texture that an expression names is declared.
pub(super) fn place(f: FunctionId, body: &Body, id: ExprId) -> Option<TextureDecl> {
    if !matches!(body.exprs[id].kind, ExprKind::Global(_) | ExprKind::Local(_) | ExprKind::Index(..)) {
        return None;
    }
    match body.exprs[body.exprs.base(id)].kind {
        ExprKind::Global(g) => Some(TextureDecl::Global(g)),
        ExprKind::Local(l) => Some(TextureDecl::Param(f, l)),
        _ => None,
    }
}

/// Whether a builtin takes a depth texture first.
pub(super) fn compares(function: &Function) -> bool {
    function.is_marked("__depth_texture")
}

/// Adds what is compared with, from the calls that compare through parameters of functions to globals.
pub(super) fn spread(program: &Program, functions: &[FunctionId], depth: &mut FxHashSet<TextureDecl>) {
    // Each round adds a place or ends.
    loop {
        let before = depth.len();
        for &f in functions {
            compared(program, f, depth);
        }
        if depth.len() == before {
            break;
        }
    }
}

/// The textures that a function gives to what compares with them.
fn compared(program: &Program, f: FunctionId, depth: &mut FxHashSet<TextureDecl>) {
    let body = &program.functions[f].code;
    for id in body.expressions() {
        let ExprKind::Call(callee, args) = &body.exprs[id].kind else { continue };
        let function = &program.functions[*callee];
        if compares(function) {
            depth.extend(args.first().and_then(|t| place(f, body, *t)));
        }
        for (local, arg) in texture_arguments(program, body, *callee, args) {
            if depth.contains(&TextureDecl::Param(*callee, local)) {
                depth.extend(place(f, body, arg));
            }
        }
    }
}

/// The element of an array by its index, if that is known.
type Element = Option<i64>;

/// Arrays of textures whose elements are compared with one by one, while others are read otherwise: the first such read, and a
/// comparison.
fn mixed_arrays(program: &Program, functions: &[FunctionId], depth: &FxHashSet<TextureDecl>) -> Vec<(Span, Span)> {
    // By array: what is compared with, and what is read.
    let mut uses: FxHashMap<GlobalId, [Vec<(Element, Span)>; 2]> = FxHashMap::default();
    for &f in functions {
        let body = &program.functions[f].code;
        for id in body.expressions() {
            let ExprKind::Call(callee, args) = &body.exprs[id].kind else { continue };
            let builtin = &program.functions[*callee];
            let first = args.first().filter(|_| builtin.builtin).map(|t| (*t, compares(builtin)));
            let given = texture_arguments(program, body, *callee, args);
            let given = given.map(|(local, arg)| (arg, depth.contains(&TextureDecl::Param(*callee, local))));
            for (texture, compared) in first.into_iter().chain(given) {
                if let Some(TextureDecl::Global(g)) = place(f, body, texture)
                    && matches!(program.types.get(program.globals[g].ty), Type::Array(..))
                    && !is_depth(program, program.globals[g].ty)
                {
                    let [comparisons, reads] = uses.entry(g).or_default();
                    let list = if compared { comparisons } else { reads };
                    list.push((element(program, body, texture), body.exprs[id].span));
                }
            }
        }
    }
    let mixed = |id: &GlobalId| {
        let [comparisons, reads] = uses.get(id)?;
        let (_, compared) = comparisons.first().filter(|_| comparisons.iter().all(|(at, _)| at.is_some()))?;
        let other = reads.iter().find(|(at, _)| comparisons.iter().all(|(compared, _)| compared != at));
        other.map(|(_, read)| (*read, *compared))
    };
    program.parameters.iter().filter_map(mixed).collect()
}

/// Which element of an array an expression is.
fn element(program: &Program, body: &Body, id: ExprId) -> Element {
    let ExprKind::Index(_, index) = body.exprs[id].kind else { return None };
    eval_int(program, &body.exprs, index).ok()
}

/// The parameters of a function with statements that a call gives textures, with these.
pub(super) fn texture_arguments<'a>(
    program: &'a Program,
    body: &'a Body,
    callee: FunctionId,
    args: &'a [ExprId],
) -> impl Iterator<Item = (LocalId, ExprId)> {
    let function = &program.functions[callee];
    let params = matches!(function.body, FunctionBody::Block).then_some(&function.params);
    let given = params.into_iter().flatten().zip(args);
    let is_texture = |arg: &ExprId| matches!(program.types.get(body.exprs[*arg].ty), Type::Texture(_));
    given.filter(move |(_, arg)| is_texture(arg)).map(|(param, arg)| (param.local, *arg))
}

/// A function by the parameters that are depth textures in it.
type DepthKinds = (FunctionId, Vec<LocalId>);

/// Makes functions for the kinds of textures that they are called with.
pub(super) struct Copies<'a> {
    program: &'a mut Program,
    /// What is compared with.
    compared: &'a FxHashSet<TextureDecl>,
    /// What is a depth texture, with parameters of what is made.
    depth: FxHashSet<TextureDecl>,
    made: FxHashMap<DepthKinds, FunctionId>,
    /// What functions were made of, and those themselves.
    originals: FxHashMap<FunctionId, FunctionId>,
    /// Functions whose calls are not looked at.
    waiting: Vec<FunctionId>,
}

impl<'a> Copies<'a> {
    pub(super) fn new(program: &'a mut Program, compared: &'a FxHashSet<TextureDecl>) -> Self {
        let globals = program.globals.ids().map(TextureDecl::Global);
        let depth = globals.filter(|global| compared.contains(global)).collect();
        let (made, originals, waiting) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        Copies { program, compared, depth, made, originals, waiting }
    }

    /// Goes from the entry points to what they call, and then to what nothing calls; gives what is a depth texture.
    pub(super) fn make(mut self, functions: &[FunctionId]) -> FxHashSet<TextureDecl> {
        let mut roots: Vec<FunctionId> = self.program.entry_points.iter().flat_map(|e| e.roots()).collect();
        roots.extend(functions);
        for root in roots {
            if !self.originals.contains_key(&root) {
                let own = self.program.functions[root].params.iter().map(|p| p.local);
                let own = own.filter(|local| self.compared.contains(&TextureDecl::Param(root, *local))).collect();
                self.made_for((root, own));
            }
            while let Some(function) = self.waiting.pop() {
                self.calls(function);
            }
        }
        self.depth
    }

    /// The function of some kinds of textures; the first one is the source's own.
    fn made_for(&mut self, key: DepthKinds) -> FunctionId {
        if let Some(made) = self.made.get(&key) {
            return *made;
        }
        let original = key.0;
        let id = match self.originals.contains_key(&original) {
            false => original,
            true => {
                let copy = Function { comments: Vec::new(), ..self.program.functions[original].clone() };
                let id = self.program.functions.push(copy);
                self.program.items.put_before(Some(Item::Function(original)), Item::Function(id));
                id
            }
        };
        self.depth.extend(key.1.iter().map(|local| TextureDecl::Param(id, *local)));
        self.made.insert(key, id);
        self.originals.insert(id, original);
        self.waiting.push(id);
        id
    }

    fn calls(&mut self, f: FunctionId) {
        for id in self.program.functions[f].code.expressions() {
            let body = &self.program.functions[f].code;
            let ExprKind::Call(callee, args) = &body.exprs[id].kind else { continue };
            if !matches!(self.program.functions[*callee].body, FunctionBody::Block) {
                continue;
            }
            let original = self.originals.get(callee).copied().unwrap_or(*callee);
            let is_depth = |local: LocalId, arg| {
                self.compared.contains(&TextureDecl::Param(original, local))
                    || place(f, body, arg).is_some_and(|place| self.depth.contains(&place))
            };
            let given = texture_arguments(self.program, body, original, args);
            let given = given.filter(|(local, arg)| is_depth(*local, *arg)).map(|(local, _)| local).collect();
            let made = self.made_for((original, given));
            if let ExprKind::Call(callee, _) = &mut self.program.functions[f].code.exprs[id].kind {
                *callee = made;
            }
        }
    }
}

fn as_depth(types: &mut Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Texture(t) => types.intern(Type::Texture(Texture { depth: true, ..t })),
        Type::Array(element, count) => {
            let element = as_depth(types, element);
            types.array(element, count)
        }
        _ => ty,
    }
}

/// Makes globals depth textures.
pub(super) fn retype_globals(program: &mut Program, depth: &FxHashSet<TextureDecl>) {
    for id in program.globals.ids().filter(|id| depth.contains(&TextureDecl::Global(*id))) {
        let ty = program.globals[id].ty;
        program.globals[id].ty = as_depth(&mut program.types, ty);
    }
}

/// Gives locals and expressions the types of what they name.
pub(super) fn retype(program: &mut Program, f: FunctionId, body: &mut Body, depth: &FxHashSet<TextureDecl>) {
    for local in body.locals.ids() {
        if depth.contains(&TextureDecl::Param(f, local)) {
            body.locals[local].ty = as_depth(&mut program.types, body.locals[local].ty);
        }
    }
    for id in body.expressions() {
        let ty = body.exprs[id].ty;
        if matches!(program.types.get(program.types.innermost(ty)), Type::Texture(_))
            && place(f, body, id).is_some_and(|p| depth.contains(&p))
        {
            body.exprs[id].ty = as_depth(&mut program.types, ty);
        }
    }
}

/// The call of a builtin that reads a depth texture.
fn depth_read<'a>(program: &'a Program, body: &'a Body, id: ExprId) -> Option<(&'a Function, &'a [ExprId])> {
    let (function, args) = callee(program, &body.exprs, id)?;
    let of_depth = args.first().map(|t| program.types.get(body.exprs[*t].ty));
    matches!(of_depth, Some(Type::Texture(t)) if t.depth).then_some((function, args))
}

/// Where a depth texture is read in a way that it cannot be.
fn refused_reads(program: &Program, body: &Body) -> Vec<Span> {
    let refused = |id: &ExprId| depth_read(program, body, *id).is_some_and(|(f, _)| f.is_marked("__not_of_depth"));
    body.expressions().into_iter().filter(refused).map(|id| body.exprs[id].span).collect()
}

/// Reports offsets that are no constants, of reads that are no calls any more behind this.
fn refuse_offsets(cx: &mut Context, f: FunctionId, body: &Body) {
    let reads = |id: &ExprId| depth_read(cx.program, body, *id).is_some();
    let reads: Vec<ExprId> = body.expressions().into_iter().filter(reads).collect();
    let lacks = !cx.profile.has(Capability::VaryingOffsets);
    if let Some(span) = varying_offset(cx.program, f, body, &reads).filter(|_| lacks) {
        super::report(&[(Capability::VaryingOffsets, span)].into(), cx.profile, cx.diags);
    }
}

/// Levels of detail are whole numbers: the nearest one, as a sampler without a filter between levels takes it.
fn whole_levels(program: &mut Program, body: &mut Body) {
    for id in body.expressions() {
        let Some((function, args)) = depth_read(program, body, id) else { continue };
        let attribute = function.attributes.iter().find(|a| a.name == *"__depth_level");
        let Some(AttributeArg::Int(index)) = attribute.and_then(|a| a.args.first()) else { continue };
        let Some(&level) = usize::try_from(*index).ok().and_then(|i| args.get(i)) else { continue };
        let FunctionBody::Intrinsic(template) = &function.body else { continue };
        // The builtin takes a float elsewhere.
        let native = ExprKind::Native(Box::new(template.clone()), args.to_vec());
        let Expr { ty, span, ref kind } = body.exprs[level];
        let known = match kind {
            ExprKind::Literal(Literal::Float(value), _) => Some(value.round() as i64),
            _ => None,
        };
        let mut b = Build::new(&mut program.types, &mut body.exprs, span);
        let whole = match known {
            Some(n) => b.number(n, TypeId::INT),
            None => {
                let half = b.float(0.5);
                let level = b.exprs.duplicate(level);
                let up = b.add(ExprKind::Binary(BinaryOp::Add, level, half), ty);
                b.add(ExprKind::Convert(up, false), TypeId::INT)
            }
        };
        body.exprs.replace_by(level, whole);
        body.exprs[id].kind = native;
    }
}

/// Gathers of the component that there is do not name it; the others are filled up.
fn one_component(program: &mut Program, body: &mut Body) {
    for id in body.expressions() {
        let Some((function, args)) = depth_read(program, body, id) else { continue };
        let Some(AttributeArg::Int(index)) = function.attribute("__component").and_then(|a| a.args.first()) else {
            continue;
        };
        let FunctionBody::Intrinsic(template) = &function.body else { continue };
        let argument = u32::try_from(*index).unwrap_or(0);
        let component = args.get(argument as usize).and_then(|a| eval(program, &body.exprs, *a).ok()?.int());
        let native = ExprKind::Native(Box::new(template.clone().without(argument)), args.to_vec());
        let filled = match component {
            Some(0) => None,
            Some(3) => Some(1),
            _ => Some(0),
        };
        let Expr { ty, span, .. } = body.exprs[id];
        match filled {
            None => body.exprs[id].kind = native,
            Some(number) => {
                let number = Build::new(&mut program.types, &mut body.exprs, span).number(number, ty);
                body.exprs.replace_by(id, number);
            }
        }
    }
}

/// Reads give one number rather than a vector. `made` are the builtins that do, by those that give vectors.
fn narrow_reads(program: &mut Program, body: &mut Body, made: &mut FxHashMap<FunctionId, FunctionId>) {
    let live = body.expressions();
    let reads: FxHashMap<ExprId, ExprKind> =
        live.iter().filter_map(|id| Some((*id, narrow(program, body, *id, made)?))).collect();
    for &id in &live {
        // Only the first component is wanted, perhaps of what the read is converted to.
        let ExprKind::Swizzle(vector, swizzle) = &body.exprs[id].kind else { continue };
        if swizzle.list() != [0] {
            continue;
        }
        let (read, explicit) = match body.exprs[*vector].kind {
            ExprKind::Convert(read, explicit) if !reads.contains_key(vector) => (read, explicit),
            _ => (*vector, false),
        };
        let Some(number) = reads.get(&read) else { continue };
        let Expr { ty: whole, span, .. } = body.exprs[read];
        let ty = component(&mut program.types, whole);
        // It may become another type, or a vector of one number.
        body.exprs[id].kind = match body.exprs[id].ty == ty {
            true => number.clone(),
            false => ExprKind::Convert(body.exprs.push(Expr { kind: number.clone(), ty, span }), explicit),
        };
    }
    for id in live {
        let Expr { ty, span, .. } = body.exprs[id];
        let (Some(number), Type::Vector(_, count)) = (reads.get(&id), program.types.get(ty)) else { continue };
        let number_type = component(&mut program.types, ty);
        let mut build = Build::new(&mut program.types, &mut body.exprs, span);
        let mut parts = vec![build.add(number.clone(), number_type)];
        for filled in [0.0, 0.0, 1.0] {
            parts.push(build.add(ExprKind::Literal(Literal::Float(filled), None), number_type));
        }
        parts.truncate(count.into());
        body.exprs[id].kind = ExprKind::Construct(parts);
    }
}

/// The type of the components of a vector.
fn component(types: &mut Types, vector: TypeId) -> TypeId {
    let scalar = types.component(vector).unwrap_or(Scalar::F32);
    types.scalar(scalar)
}

/// The same as a number, of an expression that reads a vector from a depth texture.
fn narrow(
    program: &mut Program,
    body: &Body,
    id: ExprId,
    made: &mut FxHashMap<FunctionId, FunctionId>,
) -> Option<ExprKind> {
    let vector = body.exprs[id].ty;
    let (template, args) = match &body.exprs[id].kind {
        ExprKind::Call(callee, args) => match &program.functions[*callee].body {
            FunctionBody::Intrinsic(template) => (template, args),
            FunctionBody::Block | FunctionBody::Switch(_) | FunctionBody::None => return None,
        },
        ExprKind::Native(template, args) => (&**template, args),
        _ => return None,
    };
    let is_depth = |a: &ExprId| matches!(program.types.get(body.exprs[*a].ty), Type::Texture(t) if t.depth);
    let is_vector = matches!(program.types.get(vector), Type::Vector(_, n) if n > 1);
    if !(is_vector && template.pieces.contains(&TemplatePiece::Truncate) && args.iter().any(is_depth)) {
        return None;
    }
    let mut kind = body.exprs[id].kind.clone();
    // What is known of the builtin holds for it still: whether it takes derivatives, for one.
    if let ExprKind::Call(callee, _) = &mut kind {
        *callee = *made.entry(*callee).or_insert_with(|| {
            let result = component(&mut program.types, vector);
            let scalar = Function { result, ..program.functions[*callee].clone() };
            program.functions.push(scalar)
        });
    }
    Some(kind)
}
