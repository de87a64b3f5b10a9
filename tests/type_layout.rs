//! Type layout under every rule set, for random types: what every layout must be, and what naga and glslang say of the same
//! types under the rules of their languages.

use crate::measured::{Measured, of_naga, of_spirv};
use crate::random::Random;
use crate::support::glsl_words;
use shaderport::internals::layout::rules::{self, Rules};
use shaderport::internals::layout::{Api, Detail, Layouter, Settings, TypeLayout, Unit};
use shaderport::internals::tree::{Field, Program, Scalar, Struct, StructId, Type, TypeId};
use shaderport::{MatrixOrder, Policy, Stage};
use std::fmt::Write;

/// What random types are made of.
struct Kinds {
    scalars: &'static [Scalar],
    matrices: &'static [Scalar],
    /// The least number of rows and columns.
    least: u8,
    orders: &'static [Option<MatrixOrder>],
    /// Empty structs and arrays of no elements.
    empty: bool,
}

const ALL: Kinds = Kinds {
    scalars: &[
        Scalar::F32,
        Scalar::F32,
        Scalar::I32,
        Scalar::U32,
        Scalar::Bool,
        Scalar::F16,
        Scalar::U16,
        Scalar::I8,
        Scalar::F64,
        Scalar::U64,
    ],
    matrices: &[Scalar::F32, Scalar::F32, Scalar::F16, Scalar::F64],
    least: 1,
    orders: &[None, Some(MatrixOrder::Row), Some(MatrixOrder::Column)],
    empty: true,
};
const OF_WGSL: Kinds = Kinds {
    scalars: &[Scalar::F32, Scalar::F32, Scalar::I32, Scalar::U32, Scalar::F16],
    matrices: &[Scalar::F32, Scalar::F16],
    least: 2,
    orders: &[None],
    empty: false,
};
const OF_GLSL: Kinds = Kinds {
    scalars: &[
        Scalar::F32,
        Scalar::F32,
        Scalar::I32,
        Scalar::U32,
        Scalar::F16,
        Scalar::F64,
        Scalar::U64,
        Scalar::U16,
        Scalar::I8,
    ],
    matrices: &[Scalar::F32, Scalar::F32, Scalar::F64],
    least: 2,
    // Only members of blocks have an order.
    orders: &[None],
    empty: false,
};

/// A program with random structs; the last one is what it is about.
fn structs(random: &mut Random, kinds: &Kinds) -> (Program, TypeId) {
    let mut program = Program::default();
    let mut made = Vec::new();
    for n in 0..1 + random.below(4) {
        let mut fields = Vec::new();
        for f in 0..random.below(6) + u64::from(!kinds.empty) {
            let ty = random_type(random, kinds, &mut program, &made);
            let order = kinds.orders[random.below(kinds.orders.len() as u64) as usize];
            let plain = Field::new(format!("f{f}").as_str(), ty, Default::default());
            fields.push(Field { matrix_order: order, ..plain });
        }
        let id = program.structs.push(Struct {
            name: format!("S{n}").as_str().into(),
            fields,
            comments: Vec::new(),
            span: Default::default(),
            builtin: false,
            attributes: Vec::new(),
            instance: None,
            made: false,
        });
        made.push(program.types.intern(Type::Struct(id)));
    }
    (program, *made.last().expect("a struct"))
}

fn random_type(random: &mut Random, kinds: &Kinds, program: &mut Program, made: &[TypeId]) -> TypeId {
    let scalar = kinds.scalars[random.below(kinds.scalars.len() as u64) as usize];
    let mut ty = match random.below(9) {
        0..=2 => program.types.scalar(scalar),
        3..=5 => program.types.vector(scalar, 2 + random.below(3) as u8),
        6 | 7 if !made.is_empty() => made[random.below(made.len() as u64) as usize],
        _ => {
            let mut side = || kinds.least + random.below(u64::from(5 - kinds.least)) as u8;
            let (rows, columns) = (side(), side());
            let scalar = kinds.matrices[random.below(kinds.matrices.len() as u64) as usize];
            program.types.matrix(scalar, rows, columns)
        }
    };
    for _ in 0..random.below(8).saturating_sub(5) {
        let least = u64::from(!kinds.empty);
        ty = program.types.array(ty, Some((least + random.below(4)) as u32));
    }
    ty
}

fn layout(program: &Program, ty: TypeId, rules: &Rules) -> TypeLayout {
    let settings = Settings::native(Api::Vulkan, Policy::SPEC);
    Layouter { program, settings: &settings }.layout(ty, rules, MatrixOrder::Column)
}

/// What holds of every layout, whatever the type.
fn holds(layout: &TypeLayout, rules: &Rules) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{what}: {layout:?}"));
    let (size, align) = (layout.size(), u64::from(layout.align));
    if !align.is_power_of_two() {
        return fail("an alignment is no power of two");
    }
    match &layout.detail {
        Detail::Struct(fields) => {
            let (mut end, mut empty) = (0, false);
            for field in fields {
                holds(&field.layout, rules)?;
                let (at, bytes, own) =
                    (field.offset.get(Unit::Bytes), field.layout.size(), u64::from(field.layout.align));
                if bytes == 0 {
                    empty = true;
                    continue;
                }
                let crosses =
                    |at: u64| rules.row.map(u64::from).is_some_and(|r| !at.is_multiple_of(r) && at % r + bytes > r);
                if at < end || at % own != 0 || crosses(at) {
                    return fail("fields overlap, or an alignment does not divide an offset, or a row is crossed");
                }
                // No place before it would have done.
                let sooner = (end..at).find(|p| p % own == 0 && !crosses(*p));
                if sooner.is_some() && !(empty && rules.row_after_empty_struct) {
                    return fail("there is room before a field");
                }
                if own > align {
                    return fail("a field is aligned more than its struct");
                }
                end = at + bytes;
            }
            if size < end || (size > end && !rules.round_struct_size) || size >= end + align.max(1) {
                return fail("the size is not that of the fields");
            }
            if size > 0 && (align < rules.min_align.into() || (rules.round_struct_size && size % align != 0)) {
                return fail("a struct is not aligned or rounded as the rules say");
            }
        }
        Detail::Array { element, count, stride } => {
            holds(element, rules)?;
            let (stride, n) = (stride.get(Unit::Bytes), u64::from(count.unwrap_or(0)));
            if element.size() == 0 || n == 0 {
                return if size == 0 { Ok(()) } else { fail("nothing takes bytes") };
            }
            let last = if rules.pad_last_element { stride } else { element.size() };
            let least = u64::from(rules.min_align.max(element.align));
            if size != stride * (n - 1) + last || stride < element.size() || stride % least != 0 || align != least {
                return fail("an array is not elements at a distance");
            }
        }
        Detail::Matrix { stride, order } => {
            if u64::from(*stride) % align != 0 || align < rules.min_align.into() || size == 0 {
                return fail("vectors of a matrix are not aligned");
            }
            let _ = order;
        }
        _ if size == 0 || (rules.row.is_none() && size > 0 && align > size.next_power_of_two()) => {
            return fail("a value has no bytes or too great an alignment");
        }
        _ => {}
    }
    Ok(())
}

#[test]
fn what_holds_of_every_type() {
    for seed in 0..1500 {
        let (program, ty) = structs(&mut Random::of_seed(seed), &ALL);
        for rules in [&rules::D3D_CONSTANT, &rules::D3D_STRUCTURED, &rules::STD140, &rules::STD430, &rules::SCALAR] {
            let found = layout(&program, ty, rules);
            holds(&found, rules).unwrap_or_else(|e| panic!("seed {seed}, {}: {e}", rules.name));
        }
        let [std140, std430, scalar] =
            [&rules::STD140, &rules::STD430, &rules::SCALAR].map(|r| layout(&program, ty, r));
        assert!(scalar.size() <= std430.size() && std430.size() <= std140.size(), "seed {seed}");
    }
}

/// Where our layout and a tool's differ.
fn agrees(program: &Program, layout: &TypeLayout, found: &Measured, path: &str) -> Result<usize, String> {
    let differs = |ours: u64, theirs: u64, what: &str| {
        if ours == theirs { Ok(1) } else { Err(format!("{path}: {what} is {ours} here and {theirs} there")) }
    };
    match (&layout.detail, found) {
        (Detail::Struct(fields), Measured::Struct(members)) => {
            let Type::Struct(id) = program.types.get(layout.ty) else { return Err(format!("{path}: no struct")) };
            let names = program.structs[id].fields.iter().map(|f| f.name.as_str());
            let mut count = 0;
            for ((name, field), (other, offset, inner)) in names.zip(fields).zip(members) {
                let path = format!("{path}.{name}");
                if name != other {
                    return Err(format!("{path}: {other} there"));
                }
                if field.offset.get(Unit::Bytes) != *offset {
                    return Err(format!("{path}: at {} here and {offset} there", field.offset.get(Unit::Bytes)));
                }
                count += 1 + agrees(program, &field.layout, inner, &path)?;
            }
            Ok(count)
        }
        (Detail::Array { element, stride, .. }, Measured::Array(Some(theirs), inner)) => {
            let count = differs(stride.get(Unit::Bytes), *theirs, "the distance of elements")?;
            Ok(count + agrees(program, element, inner, &format!("{path}[]"))?)
        }
        (Detail::Matrix { stride, .. }, Measured::Array(Some(theirs), _)) => {
            differs((*stride).into(), *theirs, "the distance of vectors")
        }
        (Detail::Plain, Measured::Plain) => Ok(0),
        (ours, theirs) => Err(format!("{path}: {ours:?} here, {theirs:?} there")),
    }
}

fn wgsl_type(program: &Program, ty: TypeId) -> String {
    let scalar = |s: Scalar| match s {
        Scalar::F16 => "f16",
        Scalar::I32 => "i32",
        Scalar::U32 => "u32",
        _ => "f32",
    };
    match program.types.get(ty) {
        Type::Vector(s, n) => format!("vec{n}<{}>", scalar(s)),
        Type::Matrix(s, rows, columns) => format!("mat{columns}x{rows}<{}>", scalar(s)),
        Type::Array(element, n) => format!("array<{}, {}>", wgsl_type(program, element), n.laid_out().unwrap_or(1)),
        Type::Struct(id) => program.structs[id].name.to_string(),
        Type::Scalar(s) => scalar(s).to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn naga_has_the_same_places() {
    let (mut compared, mut uniform) = (0, 0);
    for seed in 0..600 {
        let (program, ty) = structs(&mut Random::of_seed(seed), &OF_WGSL);
        let mut text = "enable f16;\n".to_owned();
        for (_, s) in program.structs.iter() {
            let fields = s.fields.iter().map(|f| format!("    {}: {},\n", f.name, wgsl_type(&program, f.ty)));
            writeln!(text, "struct {} {{\n{}}}", s.name, fields.collect::<String>()).expect("a text");
        }
        let declare =
            |space: &str| format!("{text}@group(0) @binding(0) var<{space}> data: {};\n", wgsl_type(&program, ty));
        let module = naga::front::wgsl::parse_str(&declare("storage"))
            .unwrap_or_else(|e| panic!("{}\n{text}", e.emit_to_string(&text)));
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).expect("a layout");
        let (_, variable) = module.global_variables.iter().next().expect("a variable");
        let ours = layout(&program, ty, &rules::STD430);
        let theirs = layouter[variable.ty];
        assert_eq!(
            (ours.size(), u64::from(ours.align)),
            (u64::from(theirs.size), u64::from(theirs.alignment * 1u32)),
            "{text}"
        );
        let found = of_naga(&module, variable.ty);
        compared += agrees(&program, &ours, &found, "").unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));

        // What is allowed in a uniform buffer as it stands lies there where our rules put it.
        let module = naga::front::wgsl::parse_str(&declare("uniform")).expect("the same types");
        let flags = naga::valid::ValidationFlags::all();
        let valid = naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&module).is_ok();
        // Matrices of shorter vectors than 16 bytes are not stored as they stand.
        let short =
            |leaf| matches!(leaf, Type::Matrix(s, rows, _) if s.size() * u32::from(rows.next_power_of_two()) < 16);
        if valid && !program.any_leaf(ty, &mut |leaf| short(leaf)) {
            let ours = layout(&program, ty, &rules::STD140);
            uniform += agrees(&program, &ours, &found, "").unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        }
    }
    assert!(compared > 3000 && uniform > 300, "{compared} {uniform}");
}

/// `order Type name[n]` as GLSL has it. Its matrices have columns first, and so the other order: a row of ours is a column.
fn glsl_field(program: &Program, f: &Field) -> String {
    let scalar = |s: Scalar| match s {
        Scalar::F16 => ("float16_t", "f16vec", ""),
        Scalar::I32 => ("int", "ivec", ""),
        Scalar::U32 => ("uint", "uvec", ""),
        Scalar::F64 => ("double", "dvec", "d"),
        Scalar::U64 => ("uint64_t", "u64vec", ""),
        Scalar::U16 => ("uint16_t", "u16vec", ""),
        Scalar::I8 => ("int8_t", "i8vec", ""),
        _ => ("float", "vec", ""),
    };
    let (mut ty, mut dimensions) = (f.ty, String::new());
    while let Type::Array(element, n) = program.types.get(ty) {
        dimensions += &format!("[{}]", n.laid_out().unwrap_or(1));
        ty = element;
    }
    let text = match program.types.get(ty) {
        Type::Vector(s, n) => format!("{}{n}", scalar(s).1),
        Type::Matrix(s, rows, columns) => {
            let order = if f.matrix_order == Some(MatrixOrder::Row) { "layout(row_major) " } else { "" };
            format!("{order}{}mat{columns}x{rows}", scalar(s).2)
        }
        Type::Struct(id) => program.structs[id].name.to_string(),
        Type::Scalar(s) => scalar(s).0.to_owned(),
        other => panic!("{other:?}"),
    };
    format!("    {text} {}{dimensions};\n", f.name)
}

#[test]
fn glslang_has_the_same_places() {
    let extensions = "#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
";
    let sets = [
        ("std140", "uniform", &rules::STD140),
        ("std430", "buffer", &rules::STD430),
        ("scalar", "buffer", &rules::SCALAR_SLANGC),
    ];
    // `SCALAR` pads structs as C++ does; no text of ours says `scalar`, so nothing depends on this difference.
    let mut compared = 0;
    for seed in 0..150 {
        let random = &mut Random::of_seed(seed);
        let (mut program, ty) = structs(random, &OF_GLSL);
        let Type::Struct(last) = program.types.get(ty) else { unreachable!() };
        for field in &mut program.structs[last].fields {
            let matrix = matches!(program.types.get(program.types.innermost(field.ty)), Type::Matrix(..));
            field.matrix_order = (matrix && random.below(2) == 0).then_some(MatrixOrder::Row);
        }
        let fields =
            |id: StructId| program.structs[id].fields.iter().map(|f| glsl_field(&program, f)).collect::<String>();
        let mut text = extensions.to_owned();
        for (id, s) in program.structs.iter().filter(|(id, _)| *id != last) {
            write!(text, "struct {}\n{{\n{}}};\n", s.name, fields(id)).expect("a text");
        }
        for (n, (layout, kind, _)) in sets.iter().enumerate() {
            let uses = format!("{} {layout}_block{{\n{}    uint used_{n};\n}} {layout}_;\n", kind, fields(last));
            writeln!(text, "layout({layout}, binding = {n}) {uses}").expect("a text");
        }
        text += "layout(std430, binding = 9) buffer results { uint result; };\n";
        text += "void main() { result = std140_.used_0 + std430_.used_1 + scalar_.used_2; }\n";
        let words = glsl_words(&text, Stage::Compute).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        let buffers = of_spirv(&words);
        for (name, _, rules) in sets {
            let found = buffers.get(&format!("{name}_")).unwrap_or_else(|| panic!("{name}: {:?}", buffers.keys()));
            let ours = layout(&program, ty, rules);
            compared += agrees(&program, &ours, found, name).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        }
    }
    assert!(compared > 2000, "{compared}");
}
