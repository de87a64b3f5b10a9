//! Where data lies in emitted texts, as tools that are not ours read them, beside what the sidecar says.

use shaderport::reflection::{BufferMemory, Count, MemoryRow};
use std::collections::BTreeMap;

/// A type with its places.
#[derive(Clone, Debug)]
pub enum Measured {
    /// A scalar or vector.
    Plain,
    /// Members with their offsets.
    Struct(Vec<(String, u64, Measured)>),
    /// An array or matrix, its stride (if the tool tells it) and its element.
    Array(Option<u64>, Box<Measured>),
}

/// The data of each buffer by its name in the text; of structured buffers an array.
pub type Buffers = BTreeMap<String, Measured>;

/// What differs, and how many rows were looked at.
#[derive(Default)]
pub struct Comparison {
    pub rows: usize,
    pub differences: Vec<String>,
}

/// Compares the sidecar's rows with what a tool read. `all`: a buffer that the tool does not have is a difference.
pub fn compare(memory: &[BufferMemory], buffers: &Buffers, all: bool, to: &mut Comparison) {
    for buffer in memory {
        let Some(name) = &buffer.emitted_name else { continue };
        let Some(mut found) = buffers.get(name) else {
            if all {
                to.differences.push(format!("{}: the text has no buffer {name}", buffer.parameter));
            }
            continue;
        };
        // An array of buffers.
        while let (None, Measured::Array(None, inner)) = (buffer.element_stride, found)
            && let Measured::Struct(_) = inner.as_ref()
        {
            found = inner;
        }
        let found = match (buffer.element_stride, found) {
            (Some(stride), Measured::Array(measured, element)) => {
                to.rows += 1;
                if measured.is_some_and(|m| m != stride) {
                    to.differences.push(format!("{name}: elements lie {measured:?} apart, not {stride}"));
                }
                element.as_ref()
            }
            (_, found) => found,
        };
        // Plain parameters are in the texts of those entry points that use them, which may be none.
        let scope = !all && (buffer.parameter == "$Globals" || buffer.parameter.ends_with(".$Params"));
        let told = |r: &MemoryRow| match &r.emitted {
            Some(name) => !scope || has_member(found, name),
            None => all,
        };
        for row in buffer.rows.iter().filter(|r| !r.padding && told(r)) {
            to.rows += 1;
            if let Err(reason) = compare_row(row, found) {
                to.differences.push(format!("{name}: `{}`: {reason}", row.path));
            }
        }
    }
}

/// Whether the first step of a path is a member.
fn has_member(whole: &Measured, path: &str) -> bool {
    let first = path.split(['.', '[']).next();
    matches!(whole, Measured::Struct(members) if members.iter().any(|m| Some(m.0.as_str()) == first))
}

fn compare_row(row: &MemoryRow, found: &Measured) -> Result<(), String> {
    let emitted = row.emitted.as_ref().ok_or("it has no name in the text")?;
    let Some((offset, strides)) = find(found, emitted)? else { return Ok(()) };
    if offset != row.offset {
        return Err(format!("`{emitted}` lies at {offset}, not {}", row.offset));
    }
    let wanted: Vec<u64> = row.repeats.iter().map(|r| r.stride).collect();
    let told: Option<Vec<u64>> = strides.into_iter().collect();
    match told.filter(|t| t.len() == wanted.len()) {
        Some(told) if told != wanted => Err(format!("`{emitted}` has strides {told:?}, not {wanted:?}")),
        _ => Ok(()),
    }
}

/// The offset of a path such as `w[2].value`, and the strides of the arrays on the way and in what it leads to. Nothing if
/// the tool does not tell a stride that matters.
type Found = Option<(u64, Vec<Option<u64>>)>;

fn find(whole: &Measured, path: &str) -> Result<Found, String> {
    let (mut at, mut offset, mut strides) = (whole, 0, Vec::new());
    // In the upper bits of a word.
    let (path, bits) = path.split_once(" >> ").unwrap_or((path, "0"));
    offset += bits.parse::<u64>().map_err(|e| format!("`{bits}` is no number of bits: {e}"))? / 8;
    for part in path.split(['.', '[']).filter(|p| !p.is_empty()) {
        match (at, part.strip_suffix(']').map(str::parse::<u64>)) {
            (Measured::Array(stride, element), Some(Ok(index))) => {
                match stride {
                    Some(stride) => offset += index * stride,
                    None if index > 0 => return Ok(None),
                    None => {}
                }
                // A place within an array is no repetition.
                if index == 0 {
                    strides.push(*stride);
                }
                at = element;
            }
            // Arrays of arrays are told as one.
            (_, Some(Ok(0))) if strides.last() == Some(&None) => strides.push(None),
            (Measured::Struct(members), None) => {
                let member = members.iter().find(|m| m.0 == part);
                let (_, start, ty) = member.ok_or_else(|| format!("the text has no `{path}`"))?;
                offset += start;
                at = ty;
            }
            (Measured::Plain, None) if "xyzw".contains(part) => {
                offset += 4 * "xyzw".find(part).unwrap_or(0) as u64;
                // Rows of words have no strides of the source's arrays.
                strides.clear();
            }
            _ => return Err(format!("the text has no `{path}`")),
        }
    }
    while let Measured::Array(stride, element) = at {
        strides.push(*stride);
        at = element;
    }
    Ok(Some((offset, strides)))
}

/// Every byte of a buffer is in one row, data or padding.
#[allow(dead_code)]
pub fn covers(buffer: &BufferMemory) -> Result<(), String> {
    let (Count::Number(size), stride) = (buffer.size, buffer.element_stride) else { return Ok(()) };
    let mut taken = vec![false; stride.unwrap_or(size) as usize];
    for row in &buffer.rows {
        let Count::Number(length) = row.size else { return Ok(()) };
        let mut starts = vec![row.offset];
        for repeat in &row.repeats {
            let Count::Number(count) = repeat.count else { return Ok(()) };
            starts = starts.iter().flat_map(|s| (0..count).map(move |n| s + n * repeat.stride)).collect();
        }
        for byte in starts.into_iter().flat_map(|s| s..s + length) {
            match taken.get_mut(byte as usize) {
                Some(free) if !*free => *free = true,
                _ => {
                    return Err(format!(
                        "{}: byte {byte} of `{}` is taken twice, or outside",
                        buffer.parameter, row.path
                    ));
                }
            }
        }
    }
    match taken.iter().position(|t| !t) {
        Some(byte) => Err(format!("{}: byte {byte} is in no row", buffer.parameter)),
        None => Ok(()),
    }
}

/// As naga reads a WGSL text.
pub fn of_wgsl(text: &str) -> Result<Buffers, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
    let mut buffers = Buffers::new();
    for (_, global) in module.global_variables.iter() {
        use naga::AddressSpace::{Immediate, Storage, Uniform};
        if let (Uniform | Storage { .. } | Immediate, Some(name)) = (global.space, &global.name) {
            buffers.insert(name.clone(), of_naga(&module, global.ty));
        }
    }
    Ok(buffers)
}

/// A type as naga lays it out.
pub fn of_naga(module: &naga::Module, ty: naga::Handle<naga::Type>) -> Measured {
    match &module.types[ty].inner {
        naga::TypeInner::Struct { members, .. } => {
            let member = |m: &naga::StructMember| {
                (m.name.clone().unwrap_or_default(), u64::from(m.offset), of_naga(module, m.ty))
            };
            Measured::Struct(members.iter().map(member).collect())
        }
        naga::TypeInner::Array { base, stride, .. } => {
            Measured::Array(Some((*stride).into()), Box::new(of_naga(module, *base)))
        }
        naga::TypeInner::Matrix { rows, scalar, .. } => {
            let rows = if *rows == naga::VectorSize::Bi { 2 } else { 4 };
            Measured::Array(Some(rows * u64::from(scalar.width)), Box::new(Measured::Plain))
        }
        _ => Measured::Plain,
    }
}

/// As the decorations of SPIR-V words say.
pub fn of_spirv(words: &[u32]) -> Buffers {
    let module = Spirv::read(words);
    let mut buffers = Buffers::new();
    let variables = module.ops.iter().filter(|(op, _)| *op == VARIABLE);
    for (_, args) in variables {
        let (Some(pointer), Some(id), Some(class)) = (args.first(), args.get(1), args.get(2)) else { continue };
        // Uniform, push constant, storage buffer.
        if ![2, 9, 12].contains(class) {
            continue;
        }
        let Some(ty) = module.types.get(pointer).and_then(|(_, args)| args.get(2)) else { continue };
        let measured = module.measured(*ty, None);
        let name = |id: &u32| module.names.get(id).filter(|n| !n.is_empty()).cloned();
        let measured = within_blocks(measured);
        if let Measured::Struct(members) = &measured {
            for (member, _, ty) in members {
                buffers.entry(member.clone()).or_insert(ty.clone());
            }
        }
        buffers.insert(name(id).or_else(|| name(ty)).unwrap_or_default(), measured);
    }
    buffers
}

/// The only member `data` of a block, or of the blocks of an array.
fn within_blocks(measured: Measured) -> Measured {
    match measured {
        Measured::Array(None, inner) => within_blocks(*inner),
        Measured::Struct(members) => match <[_; 1]>::try_from(members) {
            Ok([(name, 0, data)]) if name == "data" => data,
            Ok(one) => Measured::Struct(one.into()),
            Err(members) => Measured::Struct(members),
        },
        other => other,
    }
}

const VARIABLE: u32 = 59;

/// The instructions of a module that say types and places.
#[derive(Default)]
struct Spirv {
    /// Opcode and operands.
    ops: Vec<(u32, Vec<u32>)>,
    types: BTreeMap<u32, (u32, Vec<u32>)>,
    names: BTreeMap<u32, String>,
    member_names: BTreeMap<(u32, u32), String>,
    offsets: BTreeMap<(u32, u32), u64>,
    matrix_strides: BTreeMap<(u32, u32), u64>,
    array_strides: BTreeMap<u32, u64>,
}

impl Spirv {
    fn read(words: &[u32]) -> Spirv {
        let mut module = Spirv::default();
        let mut rest = words.get(5..).unwrap_or_default();
        while let Some(&first) = rest.first() {
            let length = ((first >> 16) as usize).clamp(1, rest.len());
            let (op, args) = (first & 0xffff, rest[1..length].to_vec());
            module.note(op, &args);
            module.ops.push((op, args));
            rest = &rest[length..];
        }
        module
    }

    fn note(&mut self, op: u32, args: &[u32]) {
        match (op, args) {
            (5, [id, text @ ..]) => {
                self.names.insert(*id, string(text));
            }
            (6, [id, member, text @ ..]) => {
                self.member_names.insert((*id, *member), string(text));
            }
            // ArrayStride, Offset, MatrixStride.
            (71, [id, 6, stride]) => {
                self.array_strides.insert(*id, (*stride).into());
            }
            (72, [id, member, 35, offset]) => {
                self.offsets.insert((*id, *member), (*offset).into());
            }
            (72, [id, member, 7, stride]) => {
                self.matrix_strides.insert((*id, *member), (*stride).into());
            }
            // Types from void to pointer.
            (19..=32, [id, ..]) => {
                self.types.insert(*id, (op, args.to_vec()));
            }
            _ => {}
        }
    }

    fn measured(&self, ty: u32, matrix_stride: Option<u64>) -> Measured {
        match self.types.get(&ty).map(|(op, args)| (*op, args.as_slice())) {
            Some((30, [_, members @ ..])) => {
                let member = |(index, member): (u32, &u32)| {
                    let key = (ty, index);
                    let name = self.member_names.get(&key).cloned().unwrap_or_default();
                    let measured = self.measured(*member, self.matrix_strides.get(&key).copied());
                    (name, self.offsets.get(&key).copied().unwrap_or(0), measured)
                };
                Measured::Struct((0..).zip(members).map(member).collect())
            }
            Some((28 | 29, [_, element, ..])) => {
                let stride = self.array_strides.get(&ty).copied();
                Measured::Array(stride, Box::new(self.measured(*element, matrix_stride)))
            }
            Some((24, _)) => Measured::Array(matrix_stride, Box::new(Measured::Plain)),
            _ => Measured::Plain,
        }
    }
}

/// A string of SPIR-V.
fn string(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

/// As DXC's listing of a program says. It tells the offsets of first elements, and no strides.
#[allow(dead_code)]
pub fn of_dxc(listing: &str) -> Buffers {
    let mut buffers = Buffers::new();
    let mut buffer = "";
    // Members of the braces that are open, the outermost first.
    let mut open: Vec<Vec<(String, u64, Measured)>> = Vec::new();
    for line in listing.lines().filter_map(|l| l.strip_prefix(';')).map(str::trim) {
        let (text, offset) = match line.split_once("; Offset:") {
            Some((text, rest)) => (text, rest.split_whitespace().next().and_then(|n| n.parse::<u64>().ok())),
            None => (line, None),
        };
        let text = text.trim().trim_end_matches(';');
        let headed = ["cbuffer ", "tbuffer ", "Resource bind info for "].into_iter().find_map(|h| text.strip_prefix(h));
        if let (Some(name), true) = (headed, open.is_empty()) {
            buffer = name.trim();
        } else if text == "{" {
            open.push(Vec::new());
        } else if let Some(name) = text.strip_prefix('}') {
            let members = open.pop().unwrap_or_default();
            match (offset, open.last_mut()) {
                (Some(at), Some(outer)) => {
                    let members = members.into_iter().map(|(n, o, t)| (n, o.saturating_sub(at), t)).collect();
                    outer.push(declared(name.trim(), at, Measured::Struct(members)));
                }
                _ => finish(&mut buffers, buffer, members),
            }
        } else if let (Some(at), Some(outer)) = (offset, open.last_mut()) {
            let (ty, name) = text.rsplit_once(' ').unwrap_or(("", text));
            let matrix = ty.rsplit(' ').next().is_some_and(|t| t.contains('x'));
            let plain = if matrix { Measured::Array(None, Box::new(Measured::Plain)) } else { Measured::Plain };
            outer.push(declared(name, at, plain));
        }
    }
    buffers
}

/// A member `name[2][3]`.
fn declared(name: &str, offset: u64, ty: Measured) -> (String, u64, Measured) {
    let dimensions = name.matches('[').count();
    let ty = (0..dimensions).fold(ty, |ty, _| Measured::Array(None, Box::new(ty)));
    (name.split('[').next().unwrap_or(name).to_owned(), offset, ty)
}

fn finish(buffers: &mut Buffers, name: &str, members: Vec<(String, u64, Measured)>) {
    let Some((inner, _, mut ty)) = members.into_iter().next() else { return };
    if inner == "$Element" {
        ty = Measured::Array(None, Box::new(ty));
    } else if let Measured::Struct(list) = &ty
        && let [(only, 0, data)] = list.as_slice()
        && only == name
    {
        // `ConstantBuffer<S> name`.
        ty = data.clone();
    }
    buffers.insert(name.to_owned(), ty);
}
