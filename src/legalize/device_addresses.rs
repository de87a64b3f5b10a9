//! Device addresses become numbers of 64 bits, and what lies there is loaded by calls.
//!
//! Before: `Mesh* mesh;       float3 p = mesh[i].extent;                      Mesh copy = *mesh;`
//! After:  `uint64_t mesh;    float3 p = load_float3(mesh + i * 16ull);       Mesh copy = load_Mesh(mesh);`
//!
//! A target with RawAddresses loads words; functions are made for what is put together of them. What is written at an
//! address is an error: DXC 1.7, with which texts are proven, crashes on each call of `vk::RawBufferStore`. The bytes are
//! those of structured buffers, as `storage` has them.
//!
//! Where nothing follows an address, every target has it: one struct serves several stages, of which some only hand it on.

use super::bits;
use super::data_parts::Part;
use super::float_remainder::list;
use super::helpers::Helpers;
use super::needs::Find;
use super::null_addresses::is_address;
use super::storage::{native_settings, transpose};
use super::{Context, Pass};
use crate::layout::rules::round_up;
use crate::layout::{Counts, Detail, Layouter, Settings, TypeLayout, Unit, VarLayout};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "device_addresses",
    removes: &[(Capability::DeviceAddresses, Find::Type(|_, t| is_address(*t)))],
    adds: &[Capability::MatrixParts, Capability::AggregateExpressions, Capability::Int64],
    after: &["storage", "inline_builtins", "resolve_resources"],
    run,
    ..Pass::ROW
};

/// The most elements of an array that are loaded as a whole.
const MOST: u32 = 256;

fn run(cx: &mut Context) {
    if !cx.profile.has(Capability::RawAddresses) {
        if is_followed(cx) {
            return super::report_need(cx, Capability::DeviceAddresses);
        }
        return make_numbers(cx);
    }
    let settings = native_settings(cx);
    let mut helpers = Helpers::new(cx);
    let Some(word) = helpers.function(cx.program, "word_at") else { return };
    let mut loads = Loads { known: FxHashMap::from_iter([((TypeId::UINT, None), word)]), listed: Vec::new() };
    cx.each_body(&mut |cx, _, body| {
        for span in written(cx.program, body) {
            cx.unsupported(span, format!("{} does not support writing at device addresses", cx.profile.name));
        }
        AddressedPlaces { cx, body, settings: &settings, loads: &mut loads }.replace();
    });
    make_numbers(cx);
    helpers.list(cx.program);
    list(cx, loads.listed.into_iter());
}

/// Whether a function asks what lies at an address.
fn is_followed(cx: &mut Context) -> bool {
    let mut followed = false;
    cx.each_body(&mut |cx, _, body| {
        followed |= body.expressions().into_iter().any(|id| place_at(cx.program, &body.exprs, id).is_some());
    });
    followed
}

/// Gives addresses the type of a number.
fn make_numbers(cx: &mut Context) {
    let mut operands = BTreeSet::new();
    cx.program.each_arena_mut(&mut |exprs| {
        operands.extend(exprs.iter().flat_map(|(_, e)| match e.kind {
            ExprKind::Convert(inner, _) => [e.ty, exprs[inner].ty],
            ExprKind::Binary(_, a, b) => [exprs[a].ty, exprs[b].ty],
            _ => [TypeId::VOID; 2],
        }));
    });
    // Two words that are handed on are as good as a number.
    let counted = operands.iter().any(|ty| is_address(cx.program.types.get(*ty)));
    let words = !counted && !cx.profile.has(Capability::Int64);
    cx.program.map_types(&mut |types, ty| match is_address(types.get(ty)) {
        true if words => types.vector(Scalar::U32, 2),
        true => types.scalar(Scalar::U64),
        false => ty,
    });
    cx.program.each_arena_mut(&mut drop_conversions);
}

/// Pointers that were made of other pointers, or of numbers of 64 bits, are these.
fn drop_conversions(exprs: &mut ExprArena) {
    let same: Vec<(ExprId, ExprId)> = exprs
        .iter()
        .filter_map(|(id, e)| match e.kind {
            ExprKind::Convert(inner, _) if exprs[inner].ty == e.ty => Some((id, inner)),
            _ => None,
        })
        .collect();
    same.into_iter().for_each(|(id, inner)| exprs.replace_by(id, inner));
}

/// Where a body writes what lies at an address.
fn written(program: &Program, body: &Body) -> Vec<Span> {
    let mut spans = Vec::new();
    for id in body.expressions() {
        program.each_written(&body.exprs, id, &mut |place| {
            let mut way = std::iter::once(place).chain(body.exprs.way_to_base(place));
            if way.any(|id| place_at(program, &body.exprs, id).is_some()) {
                spans.push(body.exprs[place].span);
            }
        });
    }
    spans
}

/// The pointer and the index, where an expression is what a pointer refers to.
fn place_at(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<(ExprId, Option<ExprId>)> {
    let (pointer, index) = match exprs[id].kind {
        ExprKind::Deref(pointer) => (pointer, None),
        ExprKind::Index(pointer, index) => (pointer, Some(index)),
        _ => return None,
    };
    is_address(program.types.get(exprs[pointer].ty)).then_some((pointer, index))
}

/// The functions that load.
struct Loads {
    /// By the type, and the way its matrices lie.
    known: FxHashMap<(TypeId, Option<(MatrixOrder, u32)>), FunctionId>,
    /// Those with statements, callees first.
    listed: Vec<FunctionId>,
}

struct AddressedPlaces<'a, 'b, 'c> {
    cx: &'a mut Context<'c>,
    body: &'b mut Body,
    settings: &'a Settings,
    loads: &'a mut Loads,
}

impl AddressedPlaces<'_, '_, '_> {
    /// Puts loads in the place of what lies at addresses, inner ones first.
    fn replace(&mut self) {
        let live = self.body.expressions();
        let parents = self.body.exprs.parents(&live);
        for &id in &live {
            let Some((pointer, index)) = place_at(self.cx.program, &self.body.exprs, id) else { continue };
            let Some(part) = self.part(id, pointer, index, &parents) else { continue };
            let address = self.address(&part);
            let language = self.cx.profile.language.name();
            let mut maker = LoadMaker { program: self.cx.program, loads: self.loads, language, fault: None };
            let load = maker.function(&part.layout);
            if let Some(fault) = maker.fault {
                self.cx.unsupported(self.body.exprs[part.top].span, fault);
            }
            self.body.exprs[part.top].kind = ExprKind::Call(load, vec![address]);
        }
    }

    /// The smallest part that is selected of what lies there and is one run of bytes.
    fn part(
        &self,
        id: ExprId,
        pointer: ExprId,
        index: Option<ExprId>,
        parents: &FxHashMap<ExprId, ExprId>,
    ) -> Option<Part> {
        let (program, exprs) = (&*self.cx.program, &self.body.exprs);
        let Type::Pointer(data, space) = program.types.get(exprs[pointer].ty) else { return None };
        let layouter = Layouter { program, settings: self.settings };
        let rules = self.settings.rules_of(space.data_layout(), false);
        let layout = layouter.contents(data, rules, program.default_matrix_order);
        let stride = round_up(layout.size(), layout.align.into());
        let mut part = Part::new(id, pointer, layout);
        if let Some(index) = index {
            part.step(program, exprs, index, stride);
        }
        while let Some(&parent) = parents.get(&part.top) {
            let mut next = part.clone();
            if !next.select(program, exprs, parent) || next.components.is_some() {
                break;
            }
            next.top = parent;
            part = next;
        }
        Some(part)
    }

    /// `pointer + uint64_t(index) * stride + offset`.
    fn address(&mut self, part: &Part) -> ExprId {
        let span = self.body.exprs[part.top].span;
        let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
        let word = b.types.scalar(Scalar::U64);
        let mut address = b.convert(part.base, word);
        for (index, stride) in &part.terms {
            let index = b.convert(*index, word);
            let stride = b.number(i64::try_from(*stride).unwrap_or(i64::MAX), word);
            let term = b.binary(BinaryOp::Mul, index, stride);
            address = b.binary(BinaryOp::Add, address, term);
        }
        moved(&mut b, address, part.offset)
    }
}

/// An address and some bytes.
fn moved(b: &mut Build, address: ExprId, bytes: u64) -> ExprId {
    if bytes == 0 {
        return address;
    }
    let word = b.types.scalar(Scalar::U64);
    let bytes = b.number(i64::try_from(bytes).unwrap_or(i64::MAX), word);
    b.binary(BinaryOp::Add, address, bytes)
}

/// Makes functions that load.
struct LoadMaker<'a> {
    program: &'a mut Program,
    loads: &'a mut Loads,
    language: &'static str,
    /// Why a type has none.
    fault: Option<&'static str>,
}

/// The body of a function in the making, whose parameter is the address.
struct Code {
    body: Body,
    address: LocalId,
}

impl LoadMaker<'_> {
    /// The function that loads some data.
    fn function(&mut self, layout: &TypeLayout) -> FunctionId {
        let key = (layout.ty, matrices(layout));
        if let Some(known) = self.loads.known.get(&key) {
            return *known;
        }
        let word = self.program.types.scalar(Scalar::U64);
        let mut body = Body::default();
        let address = body.add_local("address", word, Span::default());
        body.locals[address].constant = true;
        let mut code = Code { body, address };
        let name = match self.program.types.get(layout.ty) {
            ty if is_address(ty) => "load_address".to_owned(),
            _ => format!("load_{}", self.program.type_name(layout.ty).replace(['[', ']'], "_").trim_end_matches('_')),
        };
        let value = self.load(&mut code, layout);
        code.body.block.stmts.push(Stmt::new(StmtKind::Return(Some(value)), Span::default()));
        let params = vec![Param::new(address)];
        let mut made = Function::new(name.as_str(), params, layout.ty, code.body, Span::default());
        made.builtin = true;
        // It is no constant, though it names no variable.
        let reads = Attribute {
            name: "__reads_memory".into(),
            args: Vec::new(),
            declared: false,
            written: None,
            span: Span::default(),
        };
        made.attributes.push(reads);
        let id = self.program.functions.push(made);
        self.loads.listed.push(id);
        self.loads.known.insert(key, id);
        id
    }

    /// The value of which a function gives the data.
    fn load(&mut self, code: &mut Code, layout: &TypeLayout) -> ExprId {
        let ty = layout.ty;
        match (&layout.detail, self.program.types.get(ty)) {
            (Detail::Struct(fields), _) => {
                let load = |f: &VarLayout| self.part(code, &f.layout, f.offset.get(Unit::Bytes));
                let parts = fields.iter().map(load).collect();
                self.build(code).construct(parts, ty)
            }
            (Detail::Array { element, count: Some(count @ ..=MOST), stride }, _) => {
                let step = stride.get(Unit::Bytes);
                let parts = (0..u64::from(*count)).map(|i| self.part(code, element, i * step)).collect();
                self.build(code).construct(parts, ty)
            }
            (Detail::Matrix { stride, order }, Type::Matrix(s, rows, columns)) => {
                let turned = *order == MatrixOrder::Column;
                let (count, length) = if turned { (columns, rows) } else { (rows, columns) };
                let vector = plain(self.program.types.vector(s, length), s);
                let parts = (0..u64::from(count)).map(|n| self.part(code, &vector, n * u64::from(*stride))).collect();
                let stored = self.program.types.intern(Type::Matrix(s, count, length));
                let mut b = self.build(code);
                let whole = b.construct(parts, stored);
                if turned { transpose(&mut b, whole, ty) } else { whole }
            }
            (_, Type::Vector(s, n)) => {
                let scalar = plain(self.program.types.scalar(s), s);
                let parts = (0..u64::from(n)).map(|i| self.part(code, &scalar, i * u64::from(s.size()))).collect();
                self.build(code).construct(parts, ty)
            }
            (_, Type::Scalar(s)) => self.scalar(code, s),
            (_, pointer) if is_address(pointer) => self.scalar(code, Scalar::U64),
            _ => {
                self.fault = Some("a value of this type cannot be loaded from a device address here");
                self.build(code).add(ExprKind::Zero, ty)
            }
        }
    }

    /// A scalar in one word, in a part of one, or in two.
    fn scalar(&mut self, code: &mut Code, s: Scalar) -> ExprId {
        let uint = plain(TypeId::UINT, Scalar::U32);
        let language = self.language;
        let value = match s.size() {
            8 => {
                let words = (self.part(code, &uint, 0), self.part(code, &uint, 4));
                bits::of_two_words(&mut self.build(code), language, words, s)
            }
            4 => {
                let word = self.part(code, &uint, 0);
                bits::of_word(&mut self.build(code), language, word, s)
            }
            _ => {
                let word = self.narrow(code, &uint);
                bits::of_word(&mut self.build(code), language, word, s)
            }
        };
        value.unwrap_or_else(|| {
            self.fault = Some("a value of this type cannot be loaded from a device address here");
            self.build(code).uint(0)
        })
    }

    /// `load(address & ~3) >> uint((address & 3) * 8)`.
    fn narrow(&mut self, code: &mut Code, uint: &TypeLayout) -> ExprId {
        let load = self.function(uint);
        let local = code.address;
        let mut b = self.build(code);
        let wide = b.types.scalar(Scalar::U64);
        let [address, copy] = [(); 2].map(|()| b.local(local, wide));
        let [mask, three, eight] = [!3, 3, 8].map(|n| b.number(n, wide));
        let first = b.binary(BinaryOp::BitAnd, address, mask);
        let word = b.call(load, vec![first], TypeId::UINT);
        let bytes = b.binary(BinaryOp::BitAnd, copy, three);
        let distance = b.binary(BinaryOp::Mul, bytes, eight);
        let distance = b.convert(distance, TypeId::UINT);
        b.binary(BinaryOp::Shr, word, distance)
    }

    fn build<'b>(&'b mut self, code: &'b mut Code) -> Build<'b> {
        Build::new(&mut self.program.types, &mut code.body.exprs, Span::default())
    }

    /// What lies some bytes behind the address.
    fn part(&mut self, code: &mut Code, layout: &TypeLayout, offset: u64) -> ExprId {
        if layout.size() == 0 && !matches!(layout.detail, Detail::Plain) {
            return self.build(code).add(ExprKind::Zero, layout.ty);
        }
        let load = self.function(layout);
        let local = code.address;
        let mut b = self.build(code);
        let wide = b.types.scalar(Scalar::U64);
        let address = b.local(local, wide);
        let address = moved(&mut b, address, offset);
        b.call(load, vec![address], layout.ty)
    }
}

/// The layout of a number, or of a vector of them.
fn plain(ty: TypeId, s: Scalar) -> TypeLayout {
    TypeLayout { ty, counts: Counts::default(), align: s.size(), detail: Detail::Plain }
}

/// How the matrix lies that some data is, or is an array of.
fn matrices(layout: &TypeLayout) -> Option<(MatrixOrder, u32)> {
    match &layout.detail {
        Detail::Matrix { stride, order } => Some((*order, *stride)),
        Detail::Array { element, .. } => matrices(element),
        Detail::Plain | Detail::Struct(_) | Detail::Resource { .. } | Detail::Block { .. } => None,
    }
}
