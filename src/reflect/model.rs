//! The sidecar as data. Keys that `slangc -reflection-json` (format 1.1) has are spelled and meant as there; the
//! others are ours and say so. The checked-in JSON Schema is generated from these types.

use serde::{Deserialize, Serialize};

/// The version of the sidecar format.
pub const SCHEMA_VERSION: &str = "shaderport-reflection/1";

/// Everything about the interface of one program on one target.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reflection {
    /// Ours: the format of this file.
    pub schema: String,
    /// Ours: name and version of the tool.
    pub tool: String,
    /// Ours: the target's language.
    pub target: String,
    /// Ours: the profile.
    pub profile: String,
    /// Ours: how bindings were given.
    pub binding_policy: String,
    /// Global shader parameters in the global order.
    pub parameters: Vec<Variable>,
    /// Entry points.
    pub entry_points: Vec<EntryPoint>,
    /// The lowest register space, descriptor set or bind group that nothing is in.
    #[serde(default)]
    pub bindless_space_index: u64,
    /// The scope of global parameters: wrapped in a constant buffer when there is plain data.
    pub global_scope: Scope,
    /// Ours: the structs and enums of parameters, stage inputs and outputs, without layout.
    #[serde(default)]
    pub types: Vec<TypeNode>,
    /// Ours: every leaf of parameters, stage inputs and outputs with its absolute position, hidden buffers too.
    pub leaves: Vec<Leaf>,
    /// Ours: the bytes of every buffer.
    #[serde(default)]
    pub memory: Vec<BufferMemory>,
}

/// Ours: the bytes of one buffer, data and padding.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BufferMemory {
    /// Its path, as in [`Leaf::path`].
    pub parameter: String,
    /// Its type, with the arrays that it is in; nothing for the buffers of plain parameters.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub ty: Option<String>,
    /// Its name in the emitted text, when it was emitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emitted_name: Option<String>,
    /// Bytes of its contents, or of an element of a structured buffer.
    pub size: Count,
    /// Structured buffers: the distance of elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_stride: Option<u64>,
    /// What lies in it, by offset.
    pub rows: Vec<MemoryRow>,
}

/// Ours: some bytes of a buffer that are one value, or padding.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MemoryRow {
    /// Path below the buffer in the source; array steps are left out. Of padding: of what the padding is in.
    pub path: String,
    /// The type of the value; of a vector of a matrix, the matrix's. Padding has none.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub ty: Option<String>,
    /// The first byte.
    pub offset: u64,
    /// How many; of an array or matrix, of one element or vector.
    pub size: Count,
    /// Nothing is stored in them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub padding: bool,
    /// The arrays that it is in, the outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub repeats: Vec<Repeat>,
    /// What it is called in the emitted text, below the buffer or its element: `s.p`, `weights[2].count`. Numbers
    /// of less than four bytes in rows of words are in a word from a bit on: `rows[1].z >> 16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emitted: Option<String>,
}

/// Ours: an array that a row is in.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repeat {
    /// Bytes from one to the next.
    pub stride: u64,
    /// How many there are.
    pub count: Count,
    /// Memory: which name of the path is indexed, from 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<u32>,
    /// Memory: it is no array but the vectors of a matrix, each a `row` or a `column`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vectors: Option<String>,
    /// Stage inputs and outputs with a semantic: indices of the semantic from one to the next; 0 where all have the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub semantic_stride: Option<u64>,
}

/// A scope of parameters.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// `constantBuffer`, or `none` when the scope has no plain data.
    pub kind: String,
    /// Where that buffer is bound.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub bindings: Vec<Binding>,
    /// Its size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Count>,
    /// Ours: its name in the emitted text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emitted_name: Option<String>,
}

/// A number, or `"unbounded"`.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Count {
    /// A number.
    Number(u64),
    /// Without bound.
    Word(Unbounded),
}

/// The word for what has no bound.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unbounded {
    /// Without bound.
    Unbounded,
}

/// An offset in one unit.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Binding {
    /// The unit: `uniform`, `constantBuffer`, `shaderResource`, `unorderedAccess`, `storageBuffer`, `samplerState`, `descriptorTableSlot`,
    /// `lateDescriptorTableSlot` (bindings that are counted behind all others of the scope or block: in a parameter of a
    /// scope the binding itself), `furtherDescriptorTableSlot` (where those of a list go on that has a binding of its own),
    /// `subElementRegisterSpace`, `pushConstantBuffer`, `specializationConstant`, `varyingInput`, `varyingOutput`, `inputAttachmentIndex`,
    /// `rayPayload`, `hitAttributes`, `callablePayload`.
    pub kind: String,
    /// Bytes: the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Bytes: the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Count>,
    /// Bytes: the distance of elements of an array or vector; 0 if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_stride: Option<u64>,
    /// Others: register space or descriptor set, if not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<u64>,
    /// Others: the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Others: how many, if not 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// In an entry point's list: 1 if the entry point can reach it, 0 if it can only reach what has other units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<u8>,
}

/// A parameter, field or varying.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// The name in the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Varyings: the stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The offset, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
    /// The offsets, when there are several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub bindings: Vec<Binding>,
    /// Varyings: the semantic in upper case without its index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_name: Option<String>,
    /// Varyings: its index, if not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_index: Option<u32>,
    /// Ours: there is one for each `vertex` (or control point), each `primitive` or each `patch`, and its locations are those
    /// of one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub per: Option<String>,
    /// Storage textures and typed buffers: the format, `rgba16f`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The type with its layout.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<Box<TypeNode>>,
    /// Ours: place in the source, `file:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Ours: the position that the source asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
    /// User attributes.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub user_attribs: Vec<UserAttribute>,
}

impl Variable {
    /// Its offsets, one or several.
    pub fn offsets(&self) -> impl Iterator<Item = &Binding> {
        self.binding.iter().chain(&self.bindings)
    }

    /// Varyings: the semantic with its index, if that is not 0.
    pub fn semantic(&self) -> Option<String> {
        let number = self.semantic_index.map_or(String::new(), |i| i.to_string());
        self.semantic_name.as_ref().map(|name| format!("{name}{number}"))
    }
}

/// A user attribute.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UserAttribute {
    /// Its name.
    pub name: String,
    /// Its arguments, of the types that its struct declares.
    pub arguments: Vec<serde_json::Value>,
    /// Ours: no struct of the program declares it, so its arguments are as they were written.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub undeclared: bool,
}

/// A size in one unit.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Size {
    /// The unit, as in [`Binding::kind`].
    pub kind: String,
    /// How much.
    pub value: Count,
    /// Bytes: the alignment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alignment: Option<u32>,
    /// Ours: the distance of neighbours, which is the size rounded up to the alignment. Of the unit's steps from one element
    /// to the next in [`TypeNode::element_strides`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<Count>,
}

/// A type with its layout.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TypeNode {
    /// `scalar`, `vector`, `matrix`, `array`, `struct`, `resource`, `samplerState`, `constantBuffer`, `parameterBlock`,
    /// `textureBuffer`, `pointer`, `outputStream`, `inputPatch`, `outputPatch`, `meshOutput`, ...; in the list of types `enum`.
    pub kind: String,
    /// Struct or enum: its name; of an instance of a generic the generic's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Ours: an instance of a generic with its arguments, `Pair<float2, 3>`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instance: Option<String>,
    /// Scalar: `float32`, `uint32`, `bool`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scalar_type: Option<String>,
    /// Matrix: rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_count: Option<u32>,
    /// Matrix: columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column_count: Option<u32>,
    /// Ours, read by the layout oracle: `row` or `col`, which of a matrix's vectors are contiguous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix_layout: Option<String>,
    /// Vector or array: number of elements; 0 for an unsized array, and then the size says `unbounded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_count: Option<Count>,
    /// Vector, matrix, array, block: the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_type: Option<Box<TypeNode>>,
    /// Resource: `texture2D`, `structuredBuffer`, `byteAddressBuffer`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_shape: Option<String>,
    /// Resource: an array texture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<bool>,
    /// Resource: multisampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multisample: Option<bool>,
    /// Resource: with its sampler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combined: Option<bool>,
    /// Resource: `readWrite`, `append`, ... ; absent for read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// Resource: what reading gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<Box<TypeNode>>,
    /// Ours: structured buffers' distance of elements in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_stride: Option<u64>,
    /// Struct: its fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<Variable>>,
    /// Array of plain data: distance of elements in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uniform_stride: Option<u64>,
    /// Ours: of an array, the distance of elements in each unit; 0 where one slot holds them all.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub element_strides: Vec<Size>,
    /// Ours: of an array of stage inputs or outputs, how many indices of the semantic one element is from the next; 0 where
    /// the fields of its elements have semantics of their own, which then are those of all elements.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub semantic_stride: Option<u64>,
    /// Ours: the cases of an enum.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cases: Vec<EnumCase>,
    /// User attributes of a struct.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub user_attribs: Vec<UserAttribute>,
    /// Ours: in the list of types, the place in the source, `file:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Block: what the buffer itself takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_var_layout: Option<Box<Variable>>,
    /// Block: where its contents begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_var_layout: Option<Box<Variable>>,
    /// What it takes in each unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<Size>>,
}

/// Ours: a case of an enum.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnumCase {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
}

/// An entry point.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EntryPoint {
    /// The name in the source.
    pub name: String,
    /// Ours: the name in the emitted text.
    pub emitted_name: String,
    /// The stage.
    pub stage: String,
    /// Parameters, uniform ones and stage inputs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub parameters: Vec<Variable>,
    /// Fragment: something that it reads differs from sample to sample, so it runs for each.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub uses_any_sample_rate_input: bool,
    /// The result, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Variable>,
    /// Ours: hull: what the function of patch constants gives, its `out` parameters before its result, which has no name. In
    /// leaves their paths begin with `main.$patch`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patch_constants: Vec<Variable>,
    /// Compute, mesh, amplification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_group_size: Option<[u32; 3]>,
    /// Ours: the facts of its stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<StageFacts>,
    /// Ours: place of its name in the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The scope of its uniform parameters.
    pub scope: Scope,
    /// Positions that the bindings of its uniform parameters count from: all absolute here, so empty.
    pub scope_offsets: std::collections::BTreeMap<String, Binding>,
    /// Global parameters that the entry point can reach; in the form of `slangc -reflection-json` all of them.
    pub bindings: Vec<Variable>,
    /// User attributes of the function.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub user_attribs: Vec<UserAttribute>,
}

/// Ours: what attributes and parameters of an entry point set for its stage; what they do not set is absent.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StageFacts {
    /// Hull and domain: `tri`, `quad`, `isoline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Hull: `integer`, `pow2`, `fractional_even`, `fractional_odd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitioning: Option<String>,
    /// Hull and mesh as written, geometry by its stream: `point`, `line`, `triangle`, `triangle_cw`, `triangle_ccw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_topology: Option<String>,
    /// Hull and domain: control points that come in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_control_points: Option<u32>,
    /// Hull: control points that go out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_control_points: Option<u32>,
    /// Hull: the function that gives the constants of a patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_constant_function: Option<String>,
    /// Hull: the greatest factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tess_factor: Option<f64>,
    /// Geometry: `point`, `line`, `triangle`, `lineadj`, `triangleadj`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_primitive: Option<String>,
    /// Geometry: times that it runs for each primitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instances: Option<u32>,
    /// Geometry and mesh: vertices at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_vertices: Option<u32>,
    /// Mesh: primitives at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_primitives: Option<u32>,
    /// Mesh and amplification: the type of the payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// Fragment: depth and stencil are tested before it runs.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub early_depth_stencil: bool,
    /// Fragment: it writes depth, `any`, or only `greater` or `less` than it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<String>,
    /// Compute: sizes of waves that it asks for: one, or least, greatest and preferred.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub wave_size: Vec<u32>,
}

/// Ours: a leaf with its absolute position.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Leaf {
    /// Path in the source; array steps are left out (`gPairs.b`). What belongs to an entry point begins with its name
    /// (`main.tint`, `main.result`); the buffers of plain parameters are `$Globals` and `main.$Params`.
    pub path: String,
    /// The unit, as in [`Binding::kind`].
    pub kind: String,
    /// Register class, `t` `u` `s` `b`, on D3D.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<char>,
    /// Register, binding, location or id: the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Register space, descriptor set or bind group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<u64>,
    /// How many from `index` on, with all elements of the arrays around, if not 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// It is all elements of an array but the first: an explicit binding names that alone, where each has one.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub further: bool,
    /// Bytes: offset in the buffer, of the first element if it is in arrays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Bytes: size, with its own elements but without those of arrays of structs around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Count>,
    /// The arrays that it is in and is, the outermost first, with the distance of elements in the leaf's unit: 0 where one
    /// slot holds them all.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub repeats: Vec<Repeat>,
    /// Bytes: the buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<BufferSlot>,
    /// It holds plain data that the source declares without a buffer: `globals`, `entryPointParameters`, `block`; or `counter`
    /// for that of an append or consume buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
    /// Stage inputs and outputs: the semantic in upper case with its index; on D3D also one that only the text has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic: Option<String>,
    /// Stage inputs and outputs: there is one for each `vertex` (or control point), each `primitive` or each `patch`. But for a
    /// patch the first of `repeats` says how many, where that is known, and all of them have one location.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub per: Option<String>,
    /// Its name in the emitted text, when something was emitted for it; of bytes below their buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emitted_name: Option<String>,
    /// The block around a buffer in the text, where that has a name besides the buffer's: reflections of compilers that read
    /// the text may know it by that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub emitted_block: Option<String>,
    /// Elements of an array that have names of their own in the text, where the target has no arrays of resources.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub elements: Vec<Element>,
    /// Of a texture: what it is in the text with each sampler that it is read through, where samplers are not declared apart.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pairs: Vec<Pair>,
    /// Entry points that can reach it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub entry_points: Vec<String>,
    /// Entry points whose code names it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub references: Vec<Reference>,
}

/// Ours: an element of an array of resources in the text.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Element {
    /// Its binding.
    pub index: u64,
    /// Its name.
    pub emitted_name: String,
}

/// Ours: a texture combined with a sampler in the text.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    /// The path of the sampler, with the index of its element if it is one of an array; nothing if the texture is read without
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampler: Option<String>,
    /// The texture unit, to which texture and sampler are bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Its name.
    pub emitted_name: String,
}

/// Ours: an entry point whose code, or that of functions that it calls, names a leaf.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// The entry point.
    pub entry_point: String,
    /// Its stage.
    pub stage: String,
    /// Some of that code may run: it does not only stand behind conditions that are always false.
    pub reachable: bool,
}

/// Ours: where a buffer is bound.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BufferSlot {
    /// Its path, as in [`Leaf::path`].
    pub path: String,
    /// The unit, as in [`Binding::kind`].
    pub kind: String,
    /// Register, binding, or number of push constants.
    pub index: u64,
    /// Register space, descriptor set or bind group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<u64>,
}
