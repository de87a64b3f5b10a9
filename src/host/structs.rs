//! Structs without hidden padding, so that every compiler puts each value where the layout has it.
//!
//! - Padding is a field. So fields follow each other without gaps, whatever the rules of alignment of the host.
//! - The `room` of a value are the bytes up to what comes next. A struct has its padding at the end where there is room for it.
//!   Where the layout puts something else there (`struct { float3 a; } s; float b;` of a D3D constant buffer), the struct
//!   ends with its last value, and is one of its own: `Inner` and `Inner_12`.
//! - Elements of arrays and vectors of matrices that are padded have more components: `float weights[3]` with a distance of 16
//!   bytes is `[[f32; 4]; 3]`. Without room for the padding of the last one it is one array of numbers, `[f32; 9]`; of structs
//!   the last one is a field of its own.
//! - A number at an offset, or in a struct of a size, that its alignment does not divide, is an array of smaller words.

use super::interface::{Found, below_arrays};
use super::model::{Data, Element, Field, Number, Struct};
use super::names::{Names, Words};
use crate::layout::Unit;
use crate::reflect::model::{BufferMemory, Count, Size, TypeNode, Variable};
use crate::reflect::words::type_name;
use std::collections::BTreeMap;

/// Names of a program's module besides its structs.
pub const SECTIONS: &[&str] = &[
    "bindings",
    "buffers",
    "constants",
    "entry_points",
    "push_constants",
    "sources",
    "inputs",
    "wgpu",
    "vulkan",
    "d3d12",
    "SOURCE",
];

/// Where a value may lie.
#[derive(Clone, Copy)]
struct Place {
    /// Its offset in the buffer; of what is in arrays, that of the first element.
    at: u64,
    /// Bytes up to what comes next.
    room: u64,
    /// A power of two that divides its address and its size.
    alignment: u64,
}

/// A value as one or two fields.
struct Part {
    /// Behind the name.
    suffix: &'static str,
    /// From the offset of the value.
    offset: u64,
    data: Data,
    note: &'static str,
}

/// Numbers in arrays: of structs, their elements.
struct Flat<'n> {
    element: &'n TypeNode,
    /// Numbers: with its bytes.
    number: Option<(Number, u64)>,
    /// (how many, bytes from one to the next), the outermost first.
    repeats: Vec<(u64, u64)>,
    /// Bytes in all, without the padding behind the last one.
    size: u64,
}

/// The structs of a program.
pub struct Structs<'a> {
    words: &'a Words,
    names: Names<'a>,
    /// Places of declarations, by the name of a type with its arguments or by the path of a parameter.
    locations: BTreeMap<String, String>,
    /// The buffer that is laid out.
    buffer: &'a BufferMemory,
    /// What is found, each struct after those that it holds.
    pub list: Vec<Struct>,
}

/// A number; nothing for what has no bound.
pub fn number(count: Option<Count>) -> Option<u64> {
    match count {
        Some(Count::Number(n)) => Some(n),
        Some(Count::Word(_)) | None => None,
    }
}

/// The bytes of a type, and these up to its alignment.
fn bytes(node: &TypeNode) -> Option<(u64, u64)> {
    let is_bytes = |size: &&Size| size.kind == Unit::Bytes.word();
    let size = node.sizes.iter().flatten().find(is_bytes)?;
    let value = number(Some(size.value))?;
    Some((value, number(size.stride).unwrap_or(value)))
}

/// Offset of plain data in what holds it.
pub fn byte_offset(variable: &Variable) -> Option<u64> {
    variable.offsets().find(|b| b.kind == Unit::Bytes.word())?.offset
}

/// The greatest power of two up to 8 that divides a number.
fn alignment_of(offset: u64) -> u64 {
    1 << offset.trailing_zeros().min(3)
}

/// `file:line` of a place.
pub fn place(location: &str) -> String {
    location.rsplit_once(':').map_or(location, |(line, _)| line).to_owned()
}

impl<'a> Structs<'a> {
    /// Of a program that declares such types.
    pub fn new(
        words: &'a Words,
        types: &[TypeNode],
        found: &BTreeMap<String, Found>,
        buffer: &'a BufferMemory,
    ) -> Structs<'a> {
        let parameters = found.iter().map(|(path, of)| (path.clone(), of.variable.location.as_deref()));
        let located = parameters.chain(types.iter().map(|ty| (type_name(ty), ty.location.as_deref())));
        let located = located.filter_map(|(name, location)| Some((name, place(location?))));
        let names = Names::new(words, SECTIONS);
        Structs { words, names, locations: located.collect(), buffer, list: Vec::new() }
    }

    /// The data of a buffer, or of an element, of a type; `stride` is the distance of elements. With its size.
    pub fn contents(&mut self, buffer: &'a BufferMemory, ty: &TypeNode, stride: Option<u64>) -> Option<(Data, u64)> {
        self.buffer = buffer;
        let room = stride.unwrap_or(u64::MAX);
        let place = Place { at: 0, room, alignment: alignment_of(stride.unwrap_or(0)) };
        let mut data = match stride {
            Some(stride) if ty.kind == "struct" => {
                let index = self.of_size(ty, stride, place, &buffer.parameter);
                Data { element: Element::Struct(index), dimensions: Vec::new() }
            }
            // Elements of structured buffers are no arrays of structs, so a value is one field.
            _ => self.parts(ty, place, &buffer.parameter).into_iter().next()?.data,
        };
        if let (Element::Number(number), Some(stride)) = (data.element, stride) {
            widen(&mut data.dimensions, number.size(), stride);
        }
        let size = self.size(&data);
        Some((data, size))
    }

    /// The struct of a scope of plain parameters.
    pub fn scope(&mut self, buffer: &'a BufferMemory, fields: &[Variable], size: u64) -> (Data, u64) {
        self.buffer = buffer;
        let place = Place { at: 0, room: size, alignment: alignment_of(size) };
        let index = self.with_fields(&buffer.parameter, fields, size, place);
        (Data { element: Element::Struct(index), dimensions: Vec::new() }, size)
    }

    /// Bytes of data in host code.
    pub fn size(&self, data: &Data) -> u64 {
        let one = match data.element {
            Element::Number(number) => number.size(),
            Element::Struct(index) => self.list.get(index).map_or(0, |s| s.size),
        };
        one.saturating_mul(data.count())
    }

    /// What a value is made of below its arrays, vectors and matrices. Nothing for what has no bound, or no bytes.
    fn flat<'n>(&self, node: &'n TypeNode, at: u64) -> Option<Flat<'n>> {
        let (size, _) = bytes(node).filter(|(size, _)| *size > 0)?;
        let mut flat = Flat { element: node, number: None, repeats: Vec::new(), size };
        while flat.element.kind == "array" {
            let n = number(flat.element.element_count).filter(|n| *n > 0)?;
            flat.repeats.push((n, flat.element.uniform_stride?));
            flat.element = flat.element.element_type.as_deref()?;
        }
        let node = flat.element;
        let scalar = |node: &TypeNode| node.scalar_type.clone();
        let of_element = node.element_type.as_deref().and_then(scalar).unwrap_or_default();
        match node.kind.as_str() {
            "scalar" => {
                let (size, _) = bytes(node)?;
                flat.number = Some((Number::of(&scalar(node).unwrap_or_default(), size), size));
            }
            "vector" => {
                let (n, (size, _)) = (number(node.element_count).filter(|n| *n > 0)?, bytes(node)?);
                flat.number = Some((Number::of(&of_element, size / n), size / n));
                flat.repeats.push((n, size / n));
            }
            "matrix" => {
                let (rows, columns) = (node.row_count?.into(), node.column_count?.into());
                let (n, of_one) =
                    if node.matrix_layout.as_deref() == Some("row") { (rows, columns) } else { (columns, rows) };
                let (vector, stride) = self.vectors(at)?;
                let size = vector / Ord::max(of_one, 1);
                flat.number = Some((Number::of(&of_element, size), size));
                flat.repeats.extend([(n, stride), (of_one, size)]);
            }
            "struct" => {}
            _ => {
                let (size, _) = bytes(node)?;
                let word = alignment_of(size);
                flat.number = Some((Number::word(word), word));
                flat.repeats.extend((size > word).then_some((size / word, word)));
            }
        }
        Some(flat)
    }

    /// Size and distance of the vectors of the matrix at an offset of the buffer, which its type does not say.
    fn vectors(&self, at: u64) -> Option<(u64, u64)> {
        let row = self.buffer.rows.iter().find(|row| !row.padding && row.offset == at)?;
        let vectors = row.repeats.last().filter(|r| r.vectors.is_some())?;
        Some((number(Some(row.size))?, vectors.stride))
    }

    /// The fields that a value is. `name` is that of a struct without one.
    fn parts(&mut self, node: &TypeNode, place: Place, name: &str) -> Vec<Part> {
        let Some(flat) = self.flat(node, place.at) else { return Vec::new() };
        let one = |data| vec![Part { suffix: "", offset: 0, data, note: "" }];
        match flat.number {
            Some((number, size)) => one(numbers((number, size), flat.repeats, flat.size, place)),
            None if flat.repeats.is_empty() => {
                let index = self.structure(flat.element, place, name);
                one(Data { element: Element::Struct(index), dimensions: Vec::new() })
            }
            None => self.array_of_structs(&flat, place, name),
        }
    }

    /// An array of structs: with the padding of all of them, or the last one by itself.
    fn array_of_structs(&mut self, flat: &Flat, place: Place, name: &str) -> Vec<Part> {
        let stride = flat.repeats.last().map_or(0, |(_, stride)| *stride);
        let n = flat.repeats.iter().fold(1, |all: u64, (n, _)| all.saturating_mul(*n));
        let mut each = stride;
        let is_even = flat.repeats.iter().rev().all(|(n, stride)| {
            let so_far = each;
            each = stride.saturating_mul(*n);
            *stride == so_far
        });
        let fits = stride.checked_mul(n).is_some_and(|all| all <= place.room);
        let last = stride.saturating_mul(n - 1);
        if !is_even {
            // No rules that are known do so: the bytes without their meaning.
            return vec![Part { suffix: "", offset: 0, data: bytes_of(flat.size, place.alignment), note: "bytes of " }];
        }
        let data = |index: usize, dimensions: Vec<u64>| Data { element: Element::Struct(index), dimensions };
        let whole = Place { alignment: place.alignment.min(alignment_of(stride)), ..place };
        if fits || n == 1 {
            let index = match fits {
                true => self.of_size(flat.element, stride, whole, name),
                false => self.structure(flat.element, whole, name),
            };
            let dimensions = flat.repeats.iter().map(|(n, _)| *n).collect();
            return vec![Part { suffix: "", offset: 0, data: data(index, dimensions), note: "" }];
        }
        let index = self.of_size(flat.element, stride, whole, name);
        let alignment = place.alignment.min(alignment_of(last));
        let rest = Place { room: place.room.saturating_sub(last), alignment, ..place };
        let rest = self.structure(flat.element, rest, name);
        vec![
            Part { suffix: "", offset: 0, data: data(index, vec![n - 1]), note: "all but the last of " },
            Part { suffix: "_last", offset: last, data: data(rest, Vec::new()), note: "the last of " },
        ]
    }

    /// A struct at a place, with its padding if there is room.
    fn structure(&mut self, node: &TypeNode, place: Place, name: &str) -> usize {
        let (value, padded) = bytes(node).unwrap_or_default();
        let size = if padded <= place.room { padded } else { value };
        self.of_size(node, size, place, name)
    }

    /// A struct of a size, which for an element is the distance to the next.
    fn of_size(&mut self, node: &TypeNode, size: u64, place: Place, name: &str) -> usize {
        let fields = node.fields.as_deref().unwrap_or_default();
        let named = node.instance.as_deref().or(node.name.as_deref());
        self.with_fields(named.unwrap_or(name), fields, size, place)
    }

    /// A struct of such fields and such a size: the same one if there is one.
    fn with_fields(&mut self, source: &str, fields: &[Variable], size: u64, place: Place) -> usize {
        let alignment = place.alignment.min(alignment_of(size));
        let place = Place { room: size, alignment, ..place };
        let fields = self.fields(fields, place);
        let same = |s: &Struct| s.source == source && s.size == size && s.fields == fields;
        if let Some(index) = self.list.iter().position(same) {
            return index;
        }
        let name = self.names.first_of(&[source.to_owned(), format!("{source}_{size}")]);
        let location = self.locations.get(source).cloned();
        self.list.push(Struct { name, source: source.to_owned(), location, size, fields });
        self.list.len() - 1
    }

    fn fields(&mut self, declared: &[Variable], whole: Place) -> Vec<Field> {
        let words = self.words;
        let mut names = Names::new(words, &[]);
        let placed = declared.iter().filter_map(|f| Some((byte_offset(f)?, f, f.ty.as_deref()?)));
        let mut placed: Vec<_> = placed.filter(|(_, _, ty)| bytes(ty).is_some_and(|(size, _)| size > 0)).collect();
        placed.sort_by_key(|(at, ..)| *at);
        let mut list: Vec<Field> = Vec::new();
        let mut paddings = Vec::new();
        let mut end = 0;
        for (i, (at, variable, ty)) in placed.iter().enumerate() {
            let next = placed.get(i + 1).map_or(whole.room, |(next, ..)| *next);
            let place = Place {
                at: whole.at.saturating_add(*at),
                room: next.saturating_sub(*at),
                alignment: whole.alignment.min(alignment_of(*at)),
            };
            let name = variable.name.as_deref().unwrap_or("").trim_start_matches('$');
            for part in self.parts(ty, place, name) {
                let offset = at.saturating_add(part.offset);
                // Bytes that two fields share are those of the first.
                let Some(gap) = offset.checked_sub(end) else { continue };
                paddings.push((end, gap, list.len()));
                let note = Some(format!("{}{}", part.note, described(ty)));
                end = offset.saturating_add(self.size(&part.data));
                list.push(Field { name: names.name(&(name.to_owned() + part.suffix)), note, offset, data: part.data });
            }
        }
        paddings.push((end, whole.room.saturating_sub(end), list.len()));
        paddings.retain(|(_, bytes, _)| *bytes > 0);
        // Names of padding last, so that fields keep theirs.
        let paddings = paddings.into_iter().enumerate().map(|(i, (offset, bytes, before))| {
            let data = Data { element: Element::Number(Number::U8), dimensions: vec![bytes] };
            (before, Field { name: names.name(&format!("_pad{i}")), note: None, offset, data })
        });
        for (before, padding) in paddings.collect::<Vec<_>>().into_iter().rev() {
            list.insert(before, padding);
        }
        list
    }
}

/// A type and how a matrix of it is stored.
fn described(node: &TypeNode) -> String {
    let by = match below_arrays(node).matrix_layout.as_deref() {
        Some("row") => ", by rows",
        Some(_) => ", by columns",
        None => "",
    };
    type_name(node) + by
}

/// Bytes in words that an alignment allows.
fn bytes_of(size: u64, alignment: u64) -> Data {
    let word = Number::word(alignment.min(alignment_of(size)));
    Data { element: Element::Number(word), dimensions: vec![size / word.size()] }
}

/// Numbers in arrays, in the room that there is.
fn numbers((number, bytes): (Number, u64), mut repeats: Vec<(u64, u64)>, size: u64, place: Place) -> Data {
    let strides = repeats.iter().fold(place.alignment, |all, (_, stride)| all.min(alignment_of(*stride)));
    let (mut number, mut bytes) = (number, bytes);
    if number.size() > strides {
        // It lies where its alignment does not allow it.
        repeats.push((bytes / strides, strides));
        (number, bytes) = (Number::word(strides), strides);
    }
    let flat = Data { element: Element::Number(number), dimensions: vec![size / bytes] };
    let mut dimensions: Vec<u64> = Vec::new();
    let mut length = bytes;
    for (n, stride) in repeats.iter().rev() {
        // Where the next one is further away, the elements within have more components.
        if !widen(&mut dimensions, bytes, *stride) {
            return flat;
        }
        dimensions.insert(0, *n);
        length = stride.saturating_mul(*n);
    }
    if length > place.room { flat } else { Data { element: Element::Number(number), dimensions } }
}

/// Gives an array of numbers of some bytes as many elements as a distance asks for. False if it cannot have them.
fn widen(dimensions: &mut Vec<u64>, bytes: u64, stride: u64) -> bool {
    let within = dimensions.iter().skip(1).fold(bytes, |all, n| all.saturating_mul(*n));
    match dimensions.first_mut() {
        _ if within == 0 || !stride.is_multiple_of(within) => return false,
        Some(outermost) => *outermost = stride / within,
        None if stride > bytes => dimensions.push(stride / bytes),
        None => {}
    }
    true
}
