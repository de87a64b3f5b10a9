//! Bit fields become parts of backing fields, packed from bit 0 in the type that they are declared with; one that does not
//! fit opens the next (FACTS 2). All that looks at the program later sees the backing fields only.
//!
//! Before: `struct S { uint a : 4; uint b : 12; }    s.b = s.a;`
//! After:  `struct S { uint bits; }                  setBits(s.bits, 4, 12, getBits(s.bits, 0, 4));`

use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::*;
use std::collections::BTreeMap;

/// How the sidecar names a backing field, with its number in the struct behind it.
const BACKING: &str = "$bit_field_backing_";

/// Where a field is now.
#[derive(Clone, Copy)]
enum Slot {
    /// A field of another number.
    Field(u32),
    /// Bits of a field: (field, first bit, how many).
    Bits(u32, u32, u32),
}

/// The accessors of backing fields of one type.
#[derive(Clone, Copy)]
struct Accessors {
    get: FunctionId,
    set: FunctionId,
}

/// Whether a program has bit fields.
pub fn any(program: &Program) -> bool {
    program.structs.iter().any(|(_, s)| s.fields.iter().any(|f| f.bits.is_some()))
}

/// Packs them.
pub fn pack(program: &mut Program) {
    let mut slots: BTreeMap<StructId, Vec<Slot>> = BTreeMap::new();
    let mut accessors: BTreeMap<TypeId, Accessors> = BTreeMap::new();
    let ids: Vec<StructId> = program.structs.ids().collect();
    for id in ids {
        if program.structs[id].fields.iter().any(|f| f.bits.is_some()) {
            let types = program.types.clone();
            let (fields, of_struct) = pack_fields(&types, std::mem::take(&mut program.structs[id].fields));
            for field in fields.iter().filter(|f| f.name.as_str().starts_with(BACKING)) {
                accessors.entry(field.ty).or_insert_with(|| make_accessors(program, field.ty, field.span));
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

fn pack_fields(types: &Types, fields: Vec<Field>) -> (Vec<Field>, Vec<Slot>) {
    let (mut packed, mut slots): (Vec<Field>, Vec<Slot>) = Default::default();
    // The open backing field: its type, and the bits that are taken of it.
    let mut open: Option<(TypeId, u32)> = None;
    let mut number = 0;
    for mut field in fields {
        let size = types.component(field.ty).map_or(0, |s| s.size() * 8);
        let bits = field.bits.take();
        let Some(count) = bits.filter(|n| *n > 0 && *n < size) else {
            // Bits of nothing, or all bits of the type: what follows begins anew.
            open = None;
            slots.push(Slot::Field(packed.len() as u32));
            packed.push(field);
            continue;
        };
        let at = match open {
            Some((ty, taken)) if ty == field.ty && taken + count <= size => taken,
            _ => {
                let mut backing = Field::new(Symbol::new(&format!("{BACKING}{number}")), field.ty, field.span);
                backing.comments = std::mem::take(&mut field.comments);
                number += 1;
                packed.push(backing);
                0
            }
        };
        open = Some((field.ty, at + count));
        slots.push(Slot::Bits(packed.len() as u32 - 1, at, count));
    }
    (packed, slots)
}

struct Rewrite<'a> {
    types: &'a mut Types,
    exprs: &'a mut ExprArena,
    accessors: &'a BTreeMap<TypeId, Accessors>,
}

impl Rewrite<'_> {
    fn expr(&mut self, id: ExprId, slots: &BTreeMap<StructId, Vec<Slot>>) {
        let of = |types: &Types, ty: TypeId| match types.get(ty) {
            Type::Struct(id) => slots.get(&id),
            _ => None,
        };
        match self.exprs[id].kind.clone() {
            ExprKind::Field(base, index) => {
                let slot = of(self.types, self.exprs[base].ty).and_then(|s| s.get(index as usize));
                match slot {
                    Some(Slot::Field(index)) => self.exprs[id].kind = ExprKind::Field(base, *index),
                    Some(Slot::Bits(field, at, count)) => self.access(id, base, (*field, *at, *count)),
                    None => {}
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

    fn access(&mut self, id: ExprId, base: ExprId, (field, at, count): (u32, u32, u32)) {
        let ty = self.exprs[id].ty;
        let Some(accessors) = self.accessors.get(&ty).copied() else { return };
        let mut b = self.build(id);
        let args = vec![b.field(base, field, ty), b.uint(at), b.uint(count)];
        let property = Property { args, get: Some(accessors.get), set: Some(accessors.set), reference: None };
        self.exprs[id].kind = ExprKind::Property(Box::new(property));
    }

    /// The parts of a struct with the bit fields brought together.
    fn combine(&mut self, id: ExprId, parts: &[ExprId], slots: &[Slot]) -> Vec<ExprId> {
        let mut combined: Vec<ExprId> = Vec::new();
        for (&part, slot) in parts.iter().zip(slots) {
            let Slot::Bits(field, at, count) = *slot else {
                combined.push(part);
                continue;
            };
            let ty = self.exprs[part].ty;
            let mut b = self.build(id);
            let mask = b.number((1i64 << count.min(62)) - 1, ty);
            let masked = b.binary(BinaryOp::BitAnd, part, mask);
            let value = match at {
                0 => masked,
                _ => {
                    let at = b.uint(at);
                    b.binary(BinaryOp::Shl, masked, at)
                }
            };
            match combined.get_mut(field as usize) {
                Some(before) => *before = b.binary(BinaryOp::BitOr, *before, value),
                None => combined.push(value),
            }
        }
        combined
    }
}

fn make_accessors(program: &mut Program, ty: TypeId, span: Span) -> Accessors {
    let get = getter(program, ty, span);
    let set = setter(program, ty, span);
    let mut add = |function: Function| {
        let id = program.functions.push(function);
        let first = program.items.iter().copied().find(|i| matches!(i, Item::Function(_) | Item::Global(_)));
        program.insert_item(Item::Function(id), first);
        id
    };
    Accessors { get: add(get), set: add(set) }
}

fn parameter(code: &mut Body, name: &str, ty: TypeId, mode: ParamMode, span: Span) -> Param {
    let local =
        code.locals.push(Local { name: Symbol::new(name), ty, constant: false, modifiers: Modifiers::default(), span });
    Param {
        local,
        mode,
        semantic: None,
        modifiers: Modifiers::default(),
        explicit: Explicit::default(),
        attributes: Vec::new(),
    }
}

/// `(bits >> at) & ((1 << count) - 1)`; of signed numbers the highest bit is the sign.
fn getter(program: &mut Program, ty: TypeId, span: Span) -> Function {
    let mut code = Body::default();
    let params = vec![
        parameter(&mut code, "bits", ty, ParamMode::In, span),
        parameter(&mut code, "at", TypeId::UINT, ParamMode::In, span),
        parameter(&mut code, "count", TypeId::UINT, ParamMode::In, span),
    ];
    let scalar = program.types.component(ty).unwrap_or(Scalar::U32);
    let mut b = Build::new(&mut program.types, &mut code.exprs, span);
    let [bits, at, count] = [(0, ty), (1, TypeId::UINT), (2, TypeId::UINT)].map(|(i, ty)| b.local(LocalId(i), ty));
    let value = if scalar.is_signed() {
        let size = b.uint(scalar.size() * 8);
        let above = b.binary(BinaryOp::Sub, size, at);
        let above = b.binary(BinaryOp::Sub, above, count);
        let high = b.binary(BinaryOp::Shl, bits, above);
        let (size, count) = (b.uint(scalar.size() * 8), b.local(LocalId(2), TypeId::UINT));
        let rest = b.binary(BinaryOp::Sub, size, count);
        b.binary(BinaryOp::Shr, high, rest)
    } else {
        let low = b.binary(BinaryOp::Shr, bits, at);
        let mask = mask(&mut b, ty, count);
        b.binary(BinaryOp::BitAnd, low, mask)
    };
    code.block.stmts.push(Stmt::new(StmtKind::Return(Some(value)), span));
    Function::new("getBits", params, ty, code, span)
}

/// `(1 << count) - 1`
fn mask(b: &mut Build, ty: TypeId, count: ExprId) -> ExprId {
    let (one, also_one) = (b.number(1, ty), b.number(1, ty));
    let power = b.binary(BinaryOp::Shl, one, count);
    b.binary(BinaryOp::Sub, power, also_one)
}

/// `bits = (bits & ~mask) | ((value << at) & mask)`
fn setter(program: &mut Program, ty: TypeId, span: Span) -> Function {
    let mut code = Body::default();
    let params = vec![
        parameter(&mut code, "bits", ty, ParamMode::InOut, span),
        parameter(&mut code, "at", TypeId::UINT, ParamMode::In, span),
        parameter(&mut code, "count", TypeId::UINT, ParamMode::In, span),
        parameter(&mut code, "value", ty, ParamMode::In, span),
    ];
    let mask_local = parameter(&mut code, "mask", ty, ParamMode::In, span).local;
    let mut b = Build::new(&mut program.types, &mut code.exprs, span);
    let (at, count) = (b.local(LocalId(1), TypeId::UINT), b.local(LocalId(2), TypeId::UINT));
    let low = mask(&mut b, ty, count);
    let shifted = b.binary(BinaryOp::Shl, low, at);
    let (bits, mask) = (b.local(LocalId(0), ty), b.local(mask_local, ty));
    let others = b.add(ExprKind::Unary(UnaryOp::BitNot, mask), ty);
    let kept = b.binary(BinaryOp::BitAnd, bits, others);
    let (value, at, mask) = (b.local(LocalId(3), ty), b.local(LocalId(1), TypeId::UINT), b.local(mask_local, ty));
    let placed = b.binary(BinaryOp::Shl, value, at);
    let placed = b.binary(BinaryOp::BitAnd, placed, mask);
    let both = b.binary(BinaryOp::BitOr, kept, placed);
    let target = b.local(LocalId(0), ty);
    let assign = b.assign(target, both);
    code.block.stmts.push(Stmt::new(StmtKind::Local(mask_local, Some(shifted)), span));
    code.block.stmts.push(Stmt::new(StmtKind::Expr(assign), span));
    Function::new("setBits", params, TypeId::VOID, code, span)
}
