//! Which bit fields lie in one number (rule `layout-bit-fields`): from bit 0 on in an unsigned type that is as wide as the widest
//! of them; one that does not fit begins the next, and so does one of another width in HLSL.

use crate::tree::{Field, Program, Scalar, Type, TypeId};

/// What fields become: one of them as it is, or what holds the bits of some.
pub enum Unit {
    /// The field of a number.
    Field(usize),
    /// So many bits, in which fields of these numbers begin at these bits.
    Bits(u32, Vec<(usize, u32)>),
}

/// How fields lie in units.
pub fn of_fields(program: &Program, fields: &[Field]) -> Vec<Unit> {
    let width = |field: &Field| scalar_of_bits(program, field.ty).map_or(0, |s| s.size() * 8);
    units(fields.iter().map(|field| (width(field), field.bits, field.bits_of_one_width)))
}

/// The same from the widths in bits of their types, how many they ask for, and whether others must be as wide. Bits of nothing
/// end a unit, and take no place.
fn units(fields: impl Iterator<Item = (u32, Option<u32>, bool)>) -> Vec<Unit> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, u32)> = Vec::new();
    let (mut taken, mut width) = (0, 0);
    let close = |found: &mut Vec<Unit>, open: &mut Vec<(usize, u32)>, width: u32, is_whole: bool| {
        match std::mem::take(open).as_slice() {
            [] => {}
            // All bits of one field are a field as it was.
            [(only, _)] if is_whole => found.push(Unit::Field(*only)),
            several => found.push(Unit::Bits(width, several.to_vec())),
        }
    };
    for (number, (own, bits, of_one_width)) in fields.enumerate() {
        let count = bits.unwrap_or(0);
        let fits = taken + count <= own.max(width) && !(of_one_width && own != width);
        if count == 0 || !fits {
            close(&mut found, &mut open, width, taken == width);
            (taken, width) = (0, 0);
        }
        match bits {
            None => found.push(Unit::Field(number)),
            Some(0) => {}
            Some(_) => {
                open.push((number, taken));
                (taken, width) = (taken + count, width.max(own));
            }
        }
    }
    close(&mut found, &mut open, width, taken == width);
    found
}

/// The scalar that holds the bits of a field: of enums their tag.
pub fn scalar_of_bits(program: &Program, ty: TypeId) -> Option<Scalar> {
    match program.types.get(ty) {
        Type::Enum(id) => Some(program.enums[id].tag),
        _ => program.types.component(ty),
    }
}
