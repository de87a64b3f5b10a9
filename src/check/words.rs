//! The bits of a value as a value of another type, where one of them is a struct, an array or a matrix.
//!
//! Before: `struct Light { float3 color; half size; }      uint4 w = bit_cast<uint4>(light);`
//! After:  `uint4 bit_cast(Light x) { return uint4(asuint(x.color.x), asuint(x.color.y), asuint(x.color.z), f32tof16(x.size)); }`
//!
//! Both types are laid out as in C, so that a scalar of at most 4 bytes lies in one word and one of 8 in two.

use super::Checker;
use super::convert::{self, Shape};
use super::expr::decl_of;
use super::function::InstanceId;
use super::overload::{CallArg, Candidates};
use super::{Arg, MAX_BASES};
use crate::ast;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::analyses::bit_units::{self, Unit};
use crate::tree::{
    BinaryOp, ExprId, ExprKind, Field, FunctionBody, Length, Literal, LocalId, MatrixOrder, Scalar, Stmt, StmtKind,
    Swizzle, Type, TypeId,
};

/// The attribute of the functions of the library that are made here; its argument tells whether sizes must be equal.
const BY_WORDS: &str = "__by_words";
/// Scalars beyond which a type is too large for it.
const MAX_LEAVES: usize = 1024;

/// A step from a value to one of its scalars.
#[derive(Clone, Copy, Debug)]
enum Step {
    Field(u32),
    Element(u32),
    Component(u8),
    Cell(u8, u8),
    /// One of the two words of a handle.
    Word(u8),
}

/// A scalar of a type.
#[derive(Clone, Debug)]
struct Leaf {
    /// Where it begins, in bytes.
    at: u32,
    scalar: Scalar,
    /// Of a bit field: where it begins in the unit that begins there, and how many bits it has.
    bits: Option<Bits>,
    path: Vec<(Step, TypeId)>,
}

/// Bits of a unit of some bytes.
#[derive(Clone, Copy, Debug)]
struct Bits {
    at: u32,
    count: u32,
    size: u32,
}

impl Leaf {
    /// How many bytes it is in.
    fn size(&self) -> u32 {
        self.bits.map_or(full(self.scalar).size(), |bits| bits.size)
    }
}

/// A part of a type.
struct Part {
    step: Step,
    ty: TypeId,
    /// Where it begins.
    at: u32,
    /// How matrices in it are stored.
    order: MatrixOrder,
    bits: Option<Bits>,
}

/// The value whose bits are taken.
struct Taken {
    local: LocalId,
    ty: TypeId,
    leaves: Vec<Leaf>,
    span: Span,
}

impl<'a> Checker<'a> {
    /// Makes the body of an instance of a bit cast that no operation on numbers does. False: it is none.
    pub(super) fn casts_by_words(&mut self, id: InstanceId) -> bool {
        let instance = self.functions.get(id);
        let (decl, scope, function) = (instance.decl, instance.scope, instance.function);
        let (Some(Arg::Type(to)), Some(Arg::Type(from))) = (instance.args.first(), instance.args.get(1)) else {
            return false;
        };
        let (to, from) = (*to, *from);
        let Some(attribute) = self.info(decl).attribute(BY_WORDS) else { return false };
        let equal = matches!(attribute.args.first().map(|a| &a.kind), Some(ast::ExprKind::Int(1, ..)));
        let Some(function) = function.filter(|_| !self.is_cast_of_numbers(to, from)) else { return false };
        let span = self.user_span.unwrap_or(self.info(decl).span);
        if self.waits_for_stored(id, &[to, from]) {
            return true;
        }
        if let Some(fault) = self.cast_fault(to, from, equal) {
            self.error(Code::BAD_OPERANDS, span, fault);
            return true;
        }
        let locals = self.program.functions[function].code.locals.clone();
        let Some(local) = locals.ids().next() else { return false };
        let source = self.info(decl).source;
        let (_, body) = self.in_context(scope, source, |c| {
            c.cx.depth = 0;
            c.cx.body.locals = locals;
            let mut leaves = Vec::new();
            c.leaves(from, c.program.default_matrix_order, 0, &mut Vec::new(), &mut leaves);
            let order = c.program.default_matrix_order;
            let value = c.of_words(&Taken { local, ty: from, leaves, span }, to, order, 0, 0);
            c.cx.body.block.stmts = vec![Stmt::new(StmtKind::Return(Some(value)), span)];
        });
        let is_single = self.program.types.component(from).is_some() || self.number_of(from).is_some();
        let function = &mut self.program.functions[function];
        function.code = body;
        function.body = FunctionBody::Block;
        // What it says of types in general is not needed at each of them.
        function.comments.clear();
        // What has one part is a short expression of it.
        function.inline &= is_single;
        true
    }

    /// Why the bits of a type cannot be those of another.
    fn cast_fault(&self, to: TypeId, from: TypeId, equal: bool) -> Option<String> {
        for ty in [to, from] {
            let text = self.type_text(ty);
            if self.shares_wide_bits(ty) {
                return Some(format!(
                    "`{text}` has bit fields that share a number of 64 bits, which no bit cast takes"
                ));
            }
            if !self.has_bits(ty, MAX_BASES) {
                return Some(format!("the bits of `{text}` cannot be taken: it is not only numbers"));
            }
            if self.leaf_count(ty, 0) > MAX_LEAVES {
                return Some(format!("`{text}` is too large for a bit cast"));
            }
        }
        let (a, b) = (self.natural_layout(to).0, self.natural_layout(from).0);
        (equal && a != b).then(|| {
            format!(
                "`{}` has {b} bytes and `{}` {a}: a bit cast takes types of one size",
                self.type_text(from),
                self.type_text(to)
            )
        })
    }

    /// Whether a type is of numbers, of which a pointer is one.
    fn has_bits(&self, ty: TypeId, depth: u32) -> bool {
        match self.program.types.get(ty) {
            Type::Pointer(..) => true,
            Type::Array(element, Length::Fixed(_)) => depth > 0 && self.has_bits(element, depth - 1),
            Type::Struct(id) => {
                depth > 0 && self.program.structs[id].fields.iter().all(|f| self.has_bits(f.ty, depth - 1))
            }
            _ => convert::is_data(&self.program, ty, depth),
        }
    }

    /// The number that a type without parts is.
    fn number_of(&self, ty: TypeId) -> Option<Scalar> {
        match self.program.types.get(ty) {
            Type::Scalar(s) => Some(s),
            Type::Enum(id) => Some(self.program.enums[id].tag),
            Type::Pointer(..) => Some(Scalar::U64),
            _ => None,
        }
    }

    /// Whether bit fields of a type share a number of 64 bits, which no word holds.
    fn shares_wide_bits(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Array(element, _) => self.shares_wide_bits(element),
            // A struct cannot contain itself, so this ends.
            Type::Struct(id) => {
                let fields = &self.program.structs[id].fields;
                let is_wide = |unit: &Unit| matches!(unit, Unit::Bits(64.., _));
                bit_units::of_fields(&self.program, fields).iter().any(is_wide)
                    || fields.iter().any(|field| self.shares_wide_bits(field.ty))
            }
            _ => false,
        }
    }

    fn leaf_count(&self, ty: TypeId, depth: u32) -> usize {
        match self.program.types.get(ty) {
            _ if depth > 64 => usize::MAX,
            Type::Array(element, count) => {
                self.leaf_count(element, depth + 1).saturating_mul(count.fixed().unwrap_or(0) as usize)
            }
            Type::Struct(id) => {
                let fields = self.program.structs[id].fields.iter();
                fields.fold(0, |sum: usize, f| sum.saturating_add(self.leaf_count(f.ty, depth + 1)))
            }
            _ => convert::numeric(&self.program.types, ty).map_or(1, |(_, s)| s.count() as usize),
        }
    }

    /// What the library declares for scalars and vectors of as many.
    fn is_cast_of_numbers(&self, to: TypeId, from: TypeId) -> bool {
        let types = &self.program.types;
        let (Some((a, p)), Some((b, q))) = (convert::numeric(types, to), convert::numeric(types, from)) else {
            return false;
        };
        let known =
            |s: Scalar| matches!(s, Scalar::F16 | Scalar::U16 | Scalar::I16 | Scalar::F32 | Scalar::U32 | Scalar::I32);
        let line = |s: Shape| !matches!(s, Shape::Matrix(..));
        known(a) && known(b) && a.size() == b.size() && line(p) && line(q) && p.count() == q.count()
    }

    /// All scalars of a type, in order of their places.
    fn leaves(&mut self, ty: TypeId, order: MatrixOrder, at: u32, path: &mut Vec<(Step, TypeId)>, out: &mut Vec<Leaf>) {
        if path.len() > 64 || out.len() > MAX_LEAVES {
            return;
        }
        for part in self.parts(ty, order) {
            path.push((part.step, part.ty));
            let (at, before) = (at.saturating_add(part.at), out.len());
            self.leaves(part.ty, part.order, at, path, out);
            if part.bits.is_some() {
                out.iter_mut().skip(before).for_each(|leaf| leaf.bits = part.bits);
            }
            path.pop();
        }
        let Some(scalar) = self.number_of(ty) else { return };
        out.push(Leaf { at, scalar, bits: None, path: path.clone() });
    }

    /// The parts of a type.
    fn parts(&mut self, ty: TypeId, order: MatrixOrder) -> Vec<Part> {
        let align = |offset: u32, a: u32| offset.div_ceil(a.max(1)).saturating_mul(a.max(1));
        let plain = |step, ty, at| Part { step, ty, at, order, bits: None };
        match self.program.types.get(ty) {
            Type::Vector(s, n) => {
                let inner = self.program.types.scalar(s);
                (0..n).map(|i| plain(Step::Component(i), inner, u32::from(i) * s.size())).collect()
            }
            Type::Matrix(s, r, c) => {
                let inner = self.program.types.scalar(s);
                let cells = (0..r).flat_map(|i| (0..c).map(move |j| (i, j)));
                let place = |i: u8, j: u8| match order {
                    MatrixOrder::Row => u32::from(i) * u32::from(c) + u32::from(j),
                    MatrixOrder::Column => u32::from(j) * u32::from(r) + u32::from(i),
                };
                cells.map(|(i, j)| plain(Step::Cell(i, j), inner, place(i, j) * s.size())).collect()
            }
            Type::Array(element, count) => {
                let (size, a) = self.natural_layout(element);
                let stride = align(size, a);
                let parts = 0..count.fixed().unwrap_or(0).min(MAX_LEAVES as u32);
                parts.map(|i| plain(Step::Element(i), element, i.saturating_mul(stride))).collect()
            }
            Type::Struct(id) => self.parts_of_struct(&self.program.structs[id].fields),
            Type::Handle(_) => (0..2).map(|i| plain(Step::Word(i), TypeId::UINT, u32::from(i) * 4)).collect(),
            _ => Vec::new(),
        }
    }

    fn parts_of_struct(&self, fields: &[Field]) -> Vec<Part> {
        let align = |offset: u32, a: u32| offset.div_ceil(a.max(1)).saturating_mul(a.max(1));
        let default = self.program.default_matrix_order;
        let part = |number: usize, at: u32, bits: Option<Bits>| {
            let field = fields.get(number)?;
            let order = field.matrix_order.unwrap_or(default);
            Some(Part { step: Step::Field(number as u32), ty: field.ty, at, order, bits })
        };
        let mut end = 0u32;
        let mut list = Vec::new();
        for unit in bit_units::of_fields(&self.program, fields) {
            let (size, a) = match &unit {
                Unit::Bits(width, _) => (width / 8, width / 8),
                Unit::Field(number) => fields.get(*number).map_or((0, 1), |field| self.natural_layout(field.ty)),
            };
            let at = align(end, a);
            end = at.saturating_add(size);
            match unit {
                Unit::Field(number) => list.extend(part(number, at, None)),
                Unit::Bits(_, members) => list.extend(members.into_iter().filter_map(|(number, first)| {
                    let count = fields.get(number)?.bits?;
                    part(number, at, Some(Bits { at: first, count, size }))
                })),
            }
        }
        list
    }

    /// The value of a type whose bits are those of the source from a place on.
    fn of_words(&mut self, source: &Taken, ty: TypeId, order: MatrixOrder, at: u32, depth: u32) -> ExprId {
        let span = source.span;
        if depth > 64 {
            return self.error_value(span);
        }
        let scalar = match (self.number_of(ty), self.program.types.get(ty)) {
            (Some(s), _) => s,
            (None, Type::Matrix(..)) => return self.matrix_of_words(source, ty, order, at),
            _ => {
                // A part that is there as it is.
                if let Some(whole) = self.same_part(source, ty, at) {
                    return whole;
                }
                let part = |c: &mut Self, part: Part| match part.bits {
                    Some(bits) => c.bits_of_words(source, part.ty, at + part.at, bits),
                    None => c.of_words(source, part.ty, part.order, at + part.at, depth + 1),
                };
                let parts = self.parts(ty, order);
                let parts: Vec<ExprId> = parts.into_iter().map(|p| part(self, p)).collect();
                if parts.is_empty() {
                    return self.push(ExprKind::Zero, ty, span);
                }
                if let Type::Handle(_) = self.program.types.get(ty) {
                    let words = self.program.types.vector(Scalar::U32, 2);
                    let words = self.push(ExprKind::Construct(parts), words, span);
                    return self.convert(words, ty, true);
                }
                return self.push(ExprKind::Construct(parts), ty, span);
            }
        };
        let value = self.scalar_of_words(source, scalar, at);
        self.convert(value, ty, true)
    }

    /// A bit field, which takes of a number as many bits as it has.
    fn bits_of_words(&mut self, source: &Taken, ty: TypeId, at: u32, bits: Bits) -> ExprId {
        let span = source.span;
        let mut word = self.word(source, at & !3);
        let distance = (at & 3) * 8 + bits.at;
        if distance > 0 {
            let distance = self.uint_value(distance, span);
            word = self.push(ExprKind::Binary(BinaryOp::Shr, word, distance), TypeId::UINT, span);
        }
        let word = self.low_bits(word, bits.count, span);
        self.convert(word, ty, true)
    }

    /// The lowest bits of a word, so many.
    fn low_bits(&mut self, word: ExprId, count: u32, span: Span) -> ExprId {
        let mask = self.uint_value(u32::MAX >> 32u32.saturating_sub(count).min(31), span);
        self.push(ExprKind::Binary(BinaryOp::BitAnd, word, mask), TypeId::UINT, span)
    }

    /// The part of a word that a scalar is, where it begins in it.
    fn part_of_word(&mut self, source: &Taken, leaf: &Leaf, at: u32) -> ExprId {
        let span = source.span;
        let Some(bits) = leaf.bits else {
            let value = self.plain_leaf(source, leaf);
            return match (full(leaf.scalar).size() == 8, leaf.at == at) {
                (true, true) => self.library_call("__lowWord", &[value], span),
                (true, false) => self.library_call("__highWord", &[value], span),
                (false, _) => self.library_call("__toWord", &[value], span),
            };
        };
        let value = self.part_of(source, &leaf.path);
        let value = self.convert(value, TypeId::UINT, true);
        self.low_bits(value, bits.count, span)
    }

    /// A matrix is made row by row, however it is stored.
    fn matrix_of_words(&mut self, source: &Taken, ty: TypeId, order: MatrixOrder, at: u32) -> ExprId {
        let part = |c: &mut Self, part: Part| c.of_words(source, part.ty, part.order, at + part.at, 1);
        let parts = self.parts(ty, order);
        let parts: Vec<ExprId> = parts.into_iter().map(|p| part(self, p)).collect();
        self.push(ExprKind::Construct(parts), ty, source.span)
    }

    /// The part of the source that has this type and place.
    fn same_part(&mut self, source: &Taken, ty: TypeId, at: u32) -> Option<ExprId> {
        // Storage orders of matrices may differ between two structs that hold them, not within one type.
        if !matches!(self.program.types.get(ty), Type::Vector(..) | Type::Struct(_)) {
            return None;
        }
        let index = source.leaves.iter().position(|l| l.at == at)?;
        let leaf = source.leaves.get(index)?;
        let depth = leaf.path.iter().position(|(_, inner)| *inner == ty)?;
        // It must begin there, not merely hold what does.
        let path = leaf.path.get(..=depth)?.to_vec();
        let starts = leaf.path.get(depth + 1..)?.iter().all(|(step, _)| {
            matches!(step, Step::Field(0) | Step::Element(0) | Step::Component(0) | Step::Cell(0, 0) | Step::Word(0))
        });
        starts.then(|| self.part_of(source, &path))
    }

    fn part_of(&mut self, source: &Taken, path: &[(Step, TypeId)]) -> ExprId {
        let mut value = self.push(ExprKind::Local(source.local), source.ty, source.span);
        for (step, ty) in path {
            let kind = match step {
                Step::Field(index) => ExprKind::Field(value, *index),
                Step::Element(index) => {
                    let index =
                        self.push(ExprKind::Literal(Literal::Int((*index).into()), None), TypeId::INT, source.span);
                    ExprKind::Index(value, index)
                }
                Step::Component(component) => ExprKind::Swizzle(value, Swizzle::new(&[*component])),
                Step::Cell(row, column) => ExprKind::MatrixSwizzle(value, vec![(*row, *column)].into()),
                Step::Word(word) => {
                    let words = self.program.types.vector(Scalar::U32, 2);
                    ExprKind::Swizzle(self.convert(value, words, true), Swizzle::new(&[*word]))
                }
            };
            value = self.push(kind, *ty, source.span);
        }
        value
    }

    /// A scalar as one of the kinds that words are made of.
    fn plain_leaf(&mut self, source: &Taken, leaf: &Leaf) -> ExprId {
        let value = self.part_of(source, &leaf.path);
        let ty = self.program.types.scalar(full(leaf.scalar));
        self.convert(value, ty, true)
    }

    fn scalar_of_words(&mut self, source: &Taken, wanted: Scalar, at: u32) -> ExprId {
        let scalar = full(wanted);
        let ty = self.program.types.scalar(scalar);
        let span = source.span;
        let is_integer = |s: Scalar| s.is_integer();
        let same = |l: &&Leaf| {
            let own = full(l.scalar);
            l.bits.is_none()
                && l.at == at
                && (own == scalar || own.size() == scalar.size() && is_integer(own) && is_integer(scalar))
        };
        if let Some(leaf) = source.leaves.iter().find(same) {
            let value = self.plain_leaf(source, leaf);
            return self.convert(value, ty, true);
        }
        if scalar.size() == 8 {
            let kind = self.push(ExprKind::Zero, ty, span);
            let (low, high) = (self.word(source, at), self.word(source, at + 4));
            return self.library_call("__ofWords", &[kind, low, high], span);
        }
        let mut word = self.word(source, at & !3);
        if at & 3 != 0 {
            let distance = self.uint_value((at & 3) * 8, span);
            word = self.push(ExprKind::Binary(BinaryOp::Shr, word, distance), TypeId::UINT, span);
        }
        if scalar.size() < 4 {
            let mask = self.uint_value(if scalar.size() == 1 { 0xFF } else { 0xFFFF }, span);
            word = self.push(ExprKind::Binary(BinaryOp::BitAnd, word, mask), TypeId::UINT, span);
        }
        match scalar {
            Scalar::U32 | Scalar::I32 => self.convert(word, ty, true),
            _ => {
                let kind = self.push(ExprKind::Zero, ty, span);
                self.library_call("__ofWord", &[kind, word], span)
            }
        }
    }

    /// The word of the source that begins at a place.
    fn word(&mut self, source: &Taken, at: u32) -> ExprId {
        let span = source.span;
        let within = |l: &&Leaf| l.at < at.saturating_add(4) && l.at.saturating_add(l.size()) > at;
        let mut word = None;
        for leaf in source.leaves.iter().filter(within) {
            let mut part = self.part_of_word(source, leaf, at);
            let distance = (leaf.at & 3) * 8 + leaf.bits.map_or(0, |bits| bits.at);
            if distance > 0 {
                let distance = self.uint_value(distance, span);
                part = self.push(ExprKind::Binary(BinaryOp::Shl, part, distance), TypeId::UINT, span);
            }
            word = Some(match word {
                None => part,
                Some(word) => self.push(ExprKind::Binary(BinaryOp::BitOr, word, part), TypeId::UINT, span),
            });
        }
        word.unwrap_or_else(|| self.uint_value(0, span))
    }

    pub(super) fn uint_value(&mut self, value: u32, span: Span) -> ExprId {
        self.push(ExprKind::Literal(Literal::Int(value.into()), None), TypeId::UINT, span)
    }

    /// A call of a function of the library that the checker knows by name.
    pub(super) fn library_call(&mut self, name: &str, args: &[ExprId], span: Span) -> ExprId {
        let name = Symbol::new(name);
        let decls = self.library_decls(name);
        let args: Vec<CallArg<'a>> = args.iter().map(|v| self.value_arg_of(*v)).collect();
        self.call(&Candidates::of(name, decls), None, &args, span)
    }

    /// What the library declares under a name.
    pub(super) fn library_decls(&mut self, name: Symbol) -> Vec<super::scope::DeclId> {
        let library = self.sources.first().map_or(super::ScopeId(0), |s| s.scope);
        self.lookup_here(library, name).entities.into_iter().filter_map(decl_of).collect()
    }
}

/// A scalar that has all its bits in memory: what is at least 16 bits wide has 32.
fn full(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::MinF16 | Scalar::MinF10 => Scalar::F32,
        Scalar::MinI16 | Scalar::MinI12 => Scalar::I32,
        Scalar::MinU16 => Scalar::U32,
        other => other,
    }
}
