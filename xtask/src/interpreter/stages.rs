//! One invocation of a vertex or fragment shader: what it is given by locations and builtins, and what it leaves there.

use super::module::{Module, Type};
use super::value::Value;
use super::{Machine, Thread};
use spirv::{BuiltIn, Decoration, StorageClass};
use std::collections::BTreeMap;

/// Where a value comes in or goes out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    Location(u32),
    Builtin(u32),
}

/// The bits of the numbers of each place; a Boolean is 0 or 1.
pub type Values = BTreeMap<Place, Vec<u64>>;

/// What is where.
pub fn floats(values: &[(Place, &[f32])]) -> Values {
    values.iter().map(|(place, of)| (*place, of.iter().map(|x| u64::from(x.to_bits())).collect())).collect()
}

/// The floats that went out at a builtin.
pub fn builtin(values: &Values, builtin: BuiltIn) -> Vec<f32> {
    let bits = values.get(&Place::Builtin(builtin as u32)).map_or(&[][..], Vec::as_slice);
    bits.iter().map(|bits| f32::from_bits(*bits as u32)).collect()
}

/// Runs an invocation without buffers.
pub fn run(spirv: &[u32], given: &Values) -> Result<Values, String> {
    let module = Module::read(spirv)?;
    let mut machine = Machine::new(&module, &[])?;
    let entry = module.functions.get(&module.entry).ok_or("no entry point")?;
    let mut variables: Vec<Value> = machine.private.iter().map(|(value, _)| value.clone()).collect();
    for (id, at, ty) in interface(&machine, StorageClass::Input) {
        let place = place(&module, id, None).ok_or("an input without a place")?;
        let bits = given.get(&place).ok_or_else(|| format!("nothing is given at {place:?}"))?;
        let value = value(&module, ty, &mut bits.iter().copied())?;
        *variables.get_mut(at).ok_or("no such variable")? = value;
    }
    let mut thread = Thread { frames: Vec::new(), variables };
    thread.enter(entry, 0, Vec::new(), &module)?;
    machine.until_stop(&mut thread)?;
    let mut out = Values::new();
    for (id, at, ty) in interface(&machine, StorageClass::Output) {
        let value = thread.variables.get(at).ok_or("no such variable")?;
        match (place(&module, id, None), module.ty(ty)) {
            (Some(place), _) => {
                out.insert(place, bits(value)?);
            }
            // A block of builtins, most of which nothing writes.
            (None, Type::Struct { members }) => {
                for (index, part) in (0..members.len()).zip(value.list()) {
                    let place = place(&module, ty, Some(index as u32));
                    out.extend(place.and_then(|place| Some((place, bits(part).ok()?))));
                }
            }
            (None, _) => return Err("an output without a place".into()),
        }
    }
    Ok(out)
}

/// The variables of a class: their ids, where the thread has them, and the types of what is in them.
fn interface(machine: &Machine, class: StorageClass) -> Vec<(u32, usize, u32)> {
    let own = |class| matches!(class, StorageClass::Private | StorageClass::Input | StorageClass::Output);
    let all = machine.module.variables.iter().filter(|variable| own(variable.class)).enumerate();
    let pointed = |ty| if let Type::Pointer { to } = machine.module.ty(ty) { Some(*to) } else { None };
    all.filter(|(_, v)| v.class == class).filter_map(|(at, v)| Some((v.id, at, pointed(v.ty)?))).collect()
}

fn place(module: &Module, id: u32, member: Option<u32>) -> Option<Place> {
    let builtin = match member {
        None => module.builtins.get(&id).copied(),
        Some(_) => module.decoration(id, member, Decoration::BuiltIn),
    };
    builtin.map(Place::Builtin).or(module.decoration(id, member, Decoration::Location).map(Place::Location))
}

/// A value of a type of some bits.
fn value(module: &Module, ty: u32, bits: &mut impl Iterator<Item = u64>) -> Result<Value, String> {
    match module.ty(ty) {
        Type::Bool | Type::Int { .. } | Type::Float { .. } => {
            Ok(Value::Bits(bits.next().ok_or("too little is given")?))
        }
        Type::Vector { of, count } => {
            let parts = (0..*count).map(|_| value(module, *of, bits));
            Ok(Value::parts(parts.collect::<Result<_, _>>()?))
        }
        other => Err(format!("an input of {other:?}")),
    }
}

fn bits(value: &Value) -> Result<Vec<u64>, String> {
    value.list().iter().map(Value::bits).collect()
}

#[cfg(test)]
mod tests {
    use super::{Place, Values, builtin, floats, run};
    use crate::fuzz::legality::glsl_words;
    use shaderport::{MemoryLoader, Options, Stage, Target, compile};
    use spirv::BuiltIn;

    const SOURCE: &str = "struct Point { float4 at : SV_Position; float2 uv : TEXCOORD0; };
Point place(float3 at : POSITION, float2 uv : TEXCOORD0)
{
    Point p;
    p.uv = uv;
    p.at = float4(at * 2, 1);
    if (uv.x > 0.5)
        return p;
    p.at.y += uv.y;
    p.at.w = p.at.y;
    return p;
}
float4 shade(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target0
{
    return float4(at.xyz, at.w) + uv.xyxy;
}
";

    /// The SPIR-V of the texts of an entry point, by glslang and by naga.
    fn modules(source: &str, entry: &str, stage: Stage, options: Options) -> Vec<(&'static str, Vec<u32>)> {
        let options = options.target(Target::Glsl).target(Target::Wgsl).entry(entry, Some(stage));
        let output = compile(&MemoryLoader::new().with("a.hlsl", source), &["a.hlsl"], &options);
        assert!(!output.has_errors(), "{}", output.render(false));
        let of = |target: Target| {
            let artifact = output.artifacts.iter().find(|a| a.target == target).expect("a text");
            match target {
                Target::Glsl => ("glsl", glsl_words(artifact.text(), stage).expect("glslang takes it")),
                _ => ("wgsl", naga_words(artifact.text())),
            }
        };
        vec![of(Target::Glsl), of(Target::Wgsl)]
    }

    fn naga_words(text: &str) -> Vec<u32> {
        let module = naga::front::wgsl::parse_str(text).expect("the text is WGSL");
        let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), Default::default());
        let information = validator.validate(&module).expect("the module is valid");
        // The text has the clip space of the target, which naga would turn over.
        let options = naga::back::spv::Options { flags: naga::back::spv::WriterFlags::empty(), ..Default::default() };
        naga::back::spv::write_vec(&module, &information, &options, None).expect("naga has SPIR-V of it")
    }

    const UV: Place = Place::Location(1);

    fn vertex(uv: [f32; 2]) -> Values {
        floats(&[(Place::Location(0), &[1.0, 2.0, 3.0]), (UV, &uv)])
    }

    /// The y that is given to the rasterizer is the negated one on every way out of the shader, and nothing else changes.
    #[test]
    fn inverted_positions_are_those_of_the_source_with_the_other_y() {
        for (uv, position) in [([0.75, 8.0], [2.0, 4.0, 6.0, 1.0]), ([0.25, 8.0], [2.0, 12.0, 6.0, 12.0])] {
            for inverts in [false, true] {
                let options = Options::default().invert_y(inverts);
                for (name, spirv) in modules(SOURCE, "place", Stage::Vertex, options) {
                    let out = run(&spirv, &vertex(uv)).unwrap_or_else(|e| panic!("{name}: {e}"));
                    let [x, y, z, w] = position;
                    let expected = [x, if inverts { -y } else { y }, z, w];
                    assert_eq!(builtin(&out, BuiltIn::Position), expected, "{name}, {inverts}");
                    let given = floats(&[(Place::Location(0), &uv)]);
                    assert_eq!(out.get(&Place::Location(0)), given.get(&Place::Location(0)), "{name}");
                }
            }
        }
    }

    /// What the rasterizer gives is the reciprocal of the `w` that the vertex had; D3D's is that `w`.
    #[test]
    fn the_w_of_a_position_is_the_one_of_the_option() {
        let given = floats(&[
            (Place::Builtin(BuiltIn::FragCoord as u32), &[10.5, 20.5, 0.25, 0.125]),
            (Place::Location(0), &[1.0, 2.0]),
        ]);
        for (is_of_d3d, w) in [(true, 8.0), (false, 0.125)] {
            let options = Options::default().dx_position_w(is_of_d3d);
            for (name, spirv) in modules(SOURCE, "shade", Stage::Fragment, options) {
                let out = run(&spirv, &given).unwrap_or_else(|e| panic!("{name}: {e}"));
                let expected = floats(&[(Place::Location(0), &[11.5, 22.5, 1.25, w + 2.0])]);
                assert_eq!(out, expected, "{name}, {is_of_d3d}");
            }
        }
    }
}
