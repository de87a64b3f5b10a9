//! Bit fields become parts of backing fields. All that looks at the program later sees the backing fields only.
//!
//! Before: `struct S { uint a : 4; int b : 12; }    s.b = s.a;`
//! After:  `struct S { uint bits; }                 setIntBits(s.bits, 4, 12, getBits(s.bits, 0, 4));`

use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::analyses::bit_units::{self, Unit};
use crate::tree::*;
use std::collections::BTreeMap;

/// How the sidecar names a backing field, with its number in the struct behind it.
const BACKING: &str = "$bit_field_backing_";

/// Where a field is now.
#[derive(Clone, Copy)]
enum FieldSlot {
    /// A field of another number.
    Field(u32),
    /// Bits of a field.
    Bits(Bits),
    /// No field: it only ends one of bits.
    Nothing,
}

/// Some bits of a backing field.
#[derive(Clone, Copy)]
struct Bits {
    /// The number of the backing field.
    field: u32,
    /// Its type.
    backing: TypeId,
    /// The first bit.
    at: u32,
    /// How many.
    count: u32,
}

/// The accessors of bits of one type in backing fields of one type.
#[derive(Clone, Copy)]
struct Accessors {
    get: FunctionId,
    set: FunctionId,
}

/// Accessors by the type of the backing field and that of the bits.
type AllAccessors = BTreeMap<(TypeId, TypeId), Accessors>;

/// Whether a program has bit fields.
pub fn any(program: &Program) -> bool {
    program.structs.iter().any(|(_, s)| s.fields.iter().any(|f| f.bits.is_some()))
}

/// Packs them.
pub fn pack(program: &mut Program) {
    let mut slots: BTreeMap<StructId, Vec<FieldSlot>> = BTreeMap::new();
    let mut accessors = AllAccessors::new();
    let ids: Vec<StructId> = program.structs.ids().collect();
    for id in ids {
        if program.structs[id].fields.iter().any(|f| f.bits.is_some()) {
            let fields = std::mem::take(&mut program.structs[id].fields);
            let span = program.structs[id].span;
            let types: Vec<TypeId> = fields.iter().map(|f| f.ty).collect();
            let (fields, of_struct) = pack_fields(program, fields);
            for (slot, ty) in of_struct.iter().zip(types) {
                if let FieldSlot::Bits(bits) = slot {
                    let key = (bits.backing, ty);
                    accessors.entry(key).or_insert_with(|| make_accessors(program, key, span));
                }
            }
            program.structs[id].fields = fields;
            slots.insert(id, of_struct);
        }
    }
    program.each_exprs_mut(&mut |types, exprs, live| {
        // Parents first: the type of a base is asked for before it changes.
        for &id in live.iter().rev() {
            let mut rewrite = Rewrite { types, exprs, accessors: &accessors };
            rewrite.expr(id, &slots);
        }
    });
}

fn pack_fields(program: &mut Program, fields: Vec<Field>) -> (Vec<Field>, Vec<FieldSlot>) {
    let units = bit_units::of_fields(program, &fields);
    let mut slots = vec![FieldSlot::Nothing; fields.len()];
    let mut packed: Vec<Field> = Vec::new();
    let mut backings = 0;
    let name = |number: u32| Symbol::new(&format!("{BACKING}{number}"));
    for unit in units {
        let place = packed.len() as u32;
        let (width, members) = match unit {
            Unit::Bits(width, members) => (width, members),
            Unit::Field(number) => {
                let (Some(field), Some(slot)) = (fields.get(number), slots.get_mut(number)) else { continue };
                *slot = FieldSlot::Field(place);
                let is_backing = field.bits.is_some();
                let name = if is_backing { name(backings) } else { field.name };
                backings += u32::from(is_backing);
                packed.push(Field { bits: None, name, ..field.clone() });
                continue;
            }
        };
        let Some(first) = members.first().and_then(|(number, _)| fields.get(*number)) else { continue };
        let ty = program.types.scalar(of_width(width).0);
        let mut backing = Field::new(name(backings), ty, first.span);
        backings += 1;
        for (number, at) in members {
            let (Some(field), Some(slot)) = (fields.get(number), slots.get_mut(number)) else { continue };
            backing.comments.extend(field.comments.iter().cloned());
            *slot = FieldSlot::Bits(Bits { field: place, backing: ty, at, count: field.bits.unwrap_or(0) });
        }
        packed.push(backing);
    }
    (packed, slots)
}

/// The unsigned and the signed type of some bits.
fn of_width(width: u32) -> (Scalar, Scalar) {
    match width {
        8 => (Scalar::U8, Scalar::I8),
        16 => (Scalar::U16, Scalar::I16),
        64 => (Scalar::U64, Scalar::I64),
        _ => (Scalar::U32, Scalar::I32),
    }
}

struct Rewrite<'a> {
    types: &'a mut Types,
    exprs: &'a mut ExprArena,
    accessors: &'a AllAccessors,
}

impl Rewrite<'_> {
    fn expr(&mut self, id: ExprId, slots: &BTreeMap<StructId, Vec<FieldSlot>>) {
        let of = |types: &Types, ty: TypeId| match types.get(ty) {
            Type::Struct(id) => slots.get(&id),
            _ => None,
        };
        match self.exprs[id].kind.clone() {
            ExprKind::Field(base, index) => {
                let slot = of(self.types, self.exprs[base].ty).and_then(|s| s.get(index as usize));
                match slot {
                    Some(FieldSlot::Field(index)) => self.exprs[id].kind = ExprKind::Field(base, *index),
                    Some(FieldSlot::Bits(bits)) => self.access(id, base, *bits),
                    Some(FieldSlot::Nothing) | None => {}
                }
            }
            ExprKind::Construct(parts) => {
                if let Some(slots) = of(self.types, self.exprs[id].ty) {
                    let parts = self.combine(id, &parts, slots);
                    self.exprs[id].kind = ExprKind::Construct(parts);
                }
            }
            _ => {}
        }
    }

    fn build(&mut self, at: ExprId) -> Build<'_> {
        let span = self.exprs[at].span;
        Build::new(self.types, self.exprs, span)
    }

    fn access(&mut self, id: ExprId, base: ExprId, bits: Bits) {
        let ty = self.exprs[id].ty;
        let Some(accessors) = self.accessors.get(&(bits.backing, ty)).copied() else { return };
        let mut b = self.build(id);
        let args = vec![b.field(base, bits.field, bits.backing), b.uint(bits.at), b.uint(bits.count)];
        let property = Property { args, get: Some(accessors.get), set: Some(accessors.set), reference: None };
        self.exprs[id].kind = ExprKind::Property(Box::new(property));
    }

    /// The parts of a struct with the bit fields brought together.
    fn combine(&mut self, id: ExprId, parts: &[ExprId], slots: &[FieldSlot]) -> Vec<ExprId> {
        let mut combined: Vec<ExprId> = Vec::new();
        for (&part, slot) in parts.iter().zip(slots) {
            let bits = match *slot {
                FieldSlot::Bits(bits) => bits,
                FieldSlot::Field(_) => {
                    combined.push(part);
                    continue;
                }
                FieldSlot::Nothing => continue,
            };
            let ty = self.exprs[part].ty;
            let mut b = self.build(id);
            let value = in_type(&mut b, part, ty, bits.backing);
            let mask = b.number(i64::MAX >> 63u32.saturating_sub(bits.count), bits.backing);
            let masked = b.binary(BinaryOp::BitAnd, value, mask);
            let value = match bits.at {
                0 => masked,
                at => {
                    let at = b.uint(at);
                    b.binary(BinaryOp::Shl, masked, at)
                }
            };
            match combined.get_mut(bits.field as usize) {
                Some(before) => *before = b.binary(BinaryOp::BitOr, *before, value),
                None => combined.push(value),
            }
        }
        combined
    }
}

/// A value of one type in another.
fn in_type(b: &mut Build, value: ExprId, from: TypeId, to: TypeId) -> ExprId {
    if from == to { value } else { b.add(ExprKind::Convert(value, true), to) }
}

fn make_accessors(program: &mut Program, (backing, ty): (TypeId, TypeId), span: Span) -> Accessors {
    let name = match program.types.get(ty) {
        Type::Enum(id) => Some(program.enums[id].name.to_string()),
        _ => program.types.component(ty).map(|scalar| scalar.name().to_owned()),
    };
    let of = match name.filter(|_| ty != backing) {
        None => String::new(),
        Some(name) => {
            let name = name.trim_end_matches("_t");
            name.chars().take(1).flat_map(char::to_uppercase).chain(name.chars().skip(1)).collect()
        }
    };
    let get = getter(program, &format!("get{of}Bits"), (backing, ty), span);
    let set = setter(program, &format!("set{of}Bits"), (backing, ty), span);
    let mut add = |function: Function| {
        let id = program.functions.push(function);
        let first = program.items.iter().copied().find(|i| matches!(i, Item::Function(_) | Item::Global(_)));
        program.items.put_before(first, Item::Function(id));
        program.items.settle();
        id
    };
    Accessors { get: add(get), set: add(set) }
}

fn parameter(code: &mut Body, name: &str, ty: TypeId, mode: ParamMode, span: Span) -> Param {
    let local =
        code.locals.push(Local { name: Symbol::new(name), ty, constant: false, modifiers: Modifiers::default(), span });
    Param { mode, ..Param::new(local) }
}

/// A backing field, and which bits of it.
fn bits_parameters(code: &mut Body, (backing, mode): (TypeId, ParamMode), span: Span) -> Vec<Param> {
    let all = [("bits", backing, mode), ("at", TypeId::UINT, ParamMode::In), ("count", TypeId::UINT, ParamMode::In)];
    all.into_iter().map(|(name, ty, mode)| parameter(code, name, ty, mode, span)).collect()
}

/// `(bits >> at) & ((1 << count) - 1)`; of signed numbers the highest bit is the sign.
fn getter(program: &mut Program, name: &str, (backing, ty): (TypeId, TypeId), span: Span) -> Function {
    let mut code = Body::default();
    let params = bits_parameters(&mut code, (backing, ParamMode::In), span);
    let is_signed = is_signed(program, ty);
    let width = program.types.component(backing).map_or(32, |s| s.size() * 8);
    let sign_type = program.types.scalar(of_width(width).1);
    let mut b = Build::new(&mut program.types, &mut code.exprs, span);
    let [bits, at, count] = [(0, backing), (1, TypeId::UINT), (2, TypeId::UINT)].map(|(i, ty)| b.local(LocalId(i), ty));
    let value = if is_signed {
        let size = b.uint(width);
        let above = b.binary(BinaryOp::Sub, size, at);
        let above = b.binary(BinaryOp::Sub, above, count);
        let high = b.binary(BinaryOp::Shl, bits, above);
        let high = in_type(&mut b, high, backing, sign_type);
        let (size, count) = (b.uint(width), b.local(LocalId(2), TypeId::UINT));
        let rest = b.binary(BinaryOp::Sub, size, count);
        let low = b.binary(BinaryOp::Shr, high, rest);
        in_type(&mut b, low, sign_type, ty)
    } else {
        let low = b.binary(BinaryOp::Shr, bits, at);
        let mask = mask(&mut b, backing, count);
        let low = b.binary(BinaryOp::BitAnd, low, mask);
        in_type(&mut b, low, backing, ty)
    };
    code.block.stmts.push(Stmt::new(StmtKind::Return(Some(value)), span));
    Function::new(name, params, ty, code, span)
}

/// Whether the highest of the bits is a sign: of an enum only where a case is negative, as in C++ without a written type.
fn is_signed(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Enum(id) => program.enums[id].cases.iter().any(|case| case.value < 0),
        _ => program.types.component(ty).is_some_and(Scalar::is_signed),
    }
}

/// `(1 << count) - 1`
fn mask(b: &mut Build, ty: TypeId, count: ExprId) -> ExprId {
    let (one, also_one) = (b.number(1, ty), b.number(1, ty));
    let power = b.binary(BinaryOp::Shl, one, count);
    b.binary(BinaryOp::Sub, power, also_one)
}

/// `bits = (bits & ~mask) | ((value << at) & mask)`
fn setter(program: &mut Program, name: &str, (backing, ty): (TypeId, TypeId), span: Span) -> Function {
    let mut code = Body::default();
    let mut params = bits_parameters(&mut code, (backing, ParamMode::InOut), span);
    params.push(parameter(&mut code, "value", ty, ParamMode::In, span));
    let mask_local = parameter(&mut code, "mask", backing, ParamMode::In, span).local;
    let mut b = Build::new(&mut program.types, &mut code.exprs, span);
    let (at, count) = (b.local(LocalId(1), TypeId::UINT), b.local(LocalId(2), TypeId::UINT));
    let low = mask(&mut b, backing, count);
    let shifted = b.binary(BinaryOp::Shl, low, at);
    let (bits, mask) = (b.local(LocalId(0), backing), b.local(mask_local, backing));
    let others = b.add(ExprKind::Unary(UnaryOp::BitNot, mask), backing);
    let kept = b.binary(BinaryOp::BitAnd, bits, others);
    let (value, at, mask) = (b.local(LocalId(3), ty), b.local(LocalId(1), TypeId::UINT), b.local(mask_local, backing));
    let value = in_type(&mut b, value, ty, backing);
    let placed = b.binary(BinaryOp::Shl, value, at);
    let placed = b.binary(BinaryOp::BitAnd, placed, mask);
    let both = b.binary(BinaryOp::BitOr, kept, placed);
    let target = b.local(LocalId(0), backing);
    let assign = b.assign(target, both);
    code.block.stmts.push(Stmt::new(StmtKind::Local(mask_local, Some(shifted)), span));
    code.block.stmts.push(Stmt::new(StmtKind::Expr(assign), span));
    Function::new(name, params, TypeId::VOID, code, span)
}
