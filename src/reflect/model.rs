//! The sidecar as data. Keys that `slangc -reflection-json` (format 1.1) has are spelled and meant as there; the
//! others are ours and say so. The checked-in JSON Schema is generated from these types.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the sidecar format.
pub const SCHEMA_VERSION: &str = "shaderport-reflection/1";

/// The objects of the format. A member `name?` may be absent, a list `name[]` is where it is empty.
macro_rules! objects {
    ($($(#[$meta:meta])* $object:ident {$(
        $(#[$of_member:meta])* $name:ident $(: $always:ty,)? $(?: $option:ty,)? $([]: $list:ty,)?
    )*})*) => {$(
        $(#[$meta])*
        #[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        pub struct $object {$(
            $(#[$of_member])*
            $(pub $name: $always,)?
            $(#[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<$option>,)?
            $(#[serde(skip_serializing_if = "Vec::is_empty", default)] pub $name: Vec<$list>,)?
        )*}
    )*};
}

objects! {
    /// Everything about the interface of one program on one target.
    Reflection {
        /// Ours: the format of this file.
        schema: String,
        /// Ours: name and version of the tool.
        tool: String,
        /// Ours: the target's language.
        target: String,
        /// Ours: the profile.
        profile: String,
        /// Ours: how bindings were given.
        binding_policy: String,
        /// Global shader parameters in the global order.
        parameters: Vec<Variable>,
        /// Entry points.
        entry_points: Vec<EntryPoint>,
        /// The lowest register space, descriptor set or bind group that nothing is in.
        #[serde(default)]
        bindless_space_index: u64,
        /// The scope of global parameters: wrapped in a constant buffer when there is plain data.
        global_scope: Scope,
        /// Ours: the structs and enums of parameters, stage inputs and outputs, without layout.
        #[serde(default)]
        types: Vec<TypeNode>,
        /// Ours: of a compact sidecar, the types that stand in more than one place.
        shared_types[]: TypeNode,
        /// Ours: every leaf of parameters, stage inputs and outputs with its absolute position, hidden buffers too.
        leaves: Vec<Leaf>,
        /// Ours: the bytes of every buffer.
        #[serde(default)]
        memory: Vec<BufferMemory>,
        /// Ours: the headers that texts need, where they are written as a tree.
        modules[]: TextModules,
        /// Ours: the techniques of an effect file.
        techniques[]: Technique,
        /// Ours: what an effect file sets besides: states of samplers, blend states and so on.
        effect_objects[]: EffectObject,
    }

    /// Ours: a technique of an effect file.
    Technique {
        /// `technique`, `technique10`, `technique11`.
        kind: String,
        /// The `fxgroup` that it is in.
        group?: String,
        /// Its name.
        name?: String,
        /// Its annotations.
        annotations[]: EffectState,
        /// Its passes in order.
        passes: Vec<EffectPass>,
    }

    /// Ours: a pass of a technique.
    EffectPass {
        /// Its name.
        name?: String,
        /// Its annotations.
        annotations[]: EffectState,
        /// The shaders that it compiles.
        shaders[]: EffectShader,
        /// What else it sets.
        states[]: EffectState,
    }

    /// Ours: a shader that a pass compiles.
    EffectShader {
        /// The stage.
        stage: String,
        /// As it is written: `ps_3_0`.
        profile: String,
        /// The entry point, as in [`EntryPoint::name`].
        entry_point: String,
        /// The function of the source, where the entry point is that function with values for its `uniform` parameters.
        function?: String,
    }

    /// Ours: an object of an effect file.
    EffectObject {
        /// `sampler_state`, `BlendState`, `DepthStencilState` and so on.
        kind: String,
        /// Its name; of the states of a sampler, the path of the sampler's leaf.
        name: String,
        /// What it sets.
        states[]: EffectState,
    }

    /// Ours: a state or an annotation.
    EffectState {
        /// Of an annotation: its type.
        #[serde(rename = "type")]
        ty?: String,
        /// Its name, with its index: `BlendEnable[0]`.
        name: String,
        /// Its value, as it is written.
        value: String,
    }

    /// Ours: the headers of a text.
    TextModules {
        /// The text, by its name below the output directory.
        text: String,
        /// Names of headers, each after those that it needs itself. WGSL has no include: the text is whole with these behind it.
        files: Vec<String>,
    }

    /// Ours: the bytes of one buffer, data and padding.
    BufferMemory {
        /// Its path, as in [`Leaf::path`].
        parameter: String,
        /// Its type, with the arrays that it is in; nothing for the buffers of plain parameters.
        #[serde(rename = "type", default)]
        ty?: String,
        /// Its name in the emitted text, when it was emitted.
        emitted_name?: String,
        /// Bytes of its contents, or of an element of a structured buffer.
        size: Count,
        /// Structured buffers: the distance of elements.
        element_stride?: u64,
        /// What lies in it, by offset.
        rows: Vec<MemoryRow>,
    }

    /// Ours: some bytes of a buffer that are one value, or padding.
    MemoryRow {
        /// Path below the buffer in the source; array steps are left out. Of padding: of what the padding is in.
        path: String,
        /// The type of the value; of a vector of a matrix, the matrix's. Padding has none.
        #[serde(rename = "type", default)]
        ty?: String,
        /// The first byte.
        offset: u64,
        /// How many; of an array or matrix, of one element or vector.
        size: Count,
        /// Nothing is stored in them.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        padding: bool,
        /// The arrays that it is in, the outermost first.
        repeats[]: Repeat,
        /// What it is called in the emitted text, below the buffer or its element: `s.p`, `weights[2].count`. Numbers
        /// of less than four bytes in rows of words are in a word from a bit on: `rows[1].z >> 16`.
        emitted?: String,
    }

    /// Ours: an array that a row is in.
    Repeat {
        /// Bytes from one to the next.
        stride: u64,
        /// How many there are.
        count: Count,
        /// Memory: which name of the path is indexed, from 0.
        #[serde(default)]
        name?: u32,
        /// Memory: it is no array but the vectors of a matrix, each a `row` or a `column`.
        #[serde(default)]
        vectors?: String,
        /// Stage inputs and outputs with a semantic: indices of the semantic from one to the next; 0 where all have the same.
        #[serde(default)]
        semantic_stride?: u64,
    }

    /// A scope of parameters.
    Scope {
        /// `constantBuffer`, or `none` when the scope has no plain data.
        kind: String,
        /// Where that buffer is bound.
        bindings[]: Binding,
        /// Its size in bytes.
        size?: Count,
        /// Ours: its name in the emitted text.
        emitted_name?: String,
    }

    /// An offset in one unit.
    Binding {
        /// The unit: `uniform`, `constantBuffer`, `shaderResource`, `unorderedAccess`, `storageBuffer`, `samplerState`, `descriptorTableSlot`,
        /// `lateDescriptorTableSlot` (bindings that are counted behind all others of the scope or block: in a parameter of a
        /// scope the binding itself), `furtherDescriptorTableSlot` (where those of a list go on that has a binding of its own),
        /// `subElementRegisterSpace`, `pushConstantBuffer`, `shaderRecord`, `specializationConstant`, `varyingInput`, `varyingOutput`,
        /// `inputAttachmentIndex`, `rayPayload`, `hitAttributes`, `callablePayload`.
        kind: String,
        /// Bytes: the offset.
        offset?: u64,
        /// Bytes: the size.
        size?: Count,
        /// Bytes: the distance of elements of an array or vector; 0 if there are none.
        element_stride?: u64,
        /// Others: register space or descriptor set, if not 0.
        space?: u64,
        /// Others: the index.
        index?: u64,
        /// Others: how many, if not 1.
        count?: Count,
        /// In an entry point's list: 1 if the entry point can reach it, 0 if it can only reach what has other units.
        used?: u8,
    }

    /// A parameter, field or varying.
    Variable {
        /// The name in the source.
        name?: String,
        /// Varyings: the stage.
        stage?: String,
        /// The offset, when there is one.
        binding?: Binding,
        /// The offsets, when there are several.
        bindings[]: Binding,
        /// Varyings: the semantic in upper case without its index.
        semantic_name?: String,
        /// Varyings: its index, if not 0.
        semantic_index?: u32,
        /// Ours: there is one for each `vertex` (or control point), each `primitive` or each `patch`, and its locations are those
        /// of one.
        #[serde(default)]
        per?: String,
        /// Storage textures and typed buffers: the format, `rgba16f`.
        format?: String,
        /// The type with its layout.
        #[serde(rename = "type")]
        ty?: Box<TypeNode>,
        /// Ours: place in the source, `file:line:column`.
        location?: String,
        /// Ours: the position that the source asks for.
        requested?: String,
        /// Ours: of a plain global parameter, the numbers of the value that the source gives it and the shader ignores: those of
        /// vectors, of the rows of matrices, of elements and fields one after the other.
        default_values[]: ScalarValue,
        /// User attributes.
        user_attribs[]: UserAttribute,
    }

    /// A user attribute.
    UserAttribute {
        /// Its name.
        name: String,
        /// Its arguments, of the types that its struct declares.
        arguments: Vec<serde_json::Value>,
        /// Ours: no struct of the program declares it, so its arguments are as they were written.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        undeclared: bool,
    }

    /// A size in one unit.
    Size {
        /// The unit, as in [`Binding::kind`].
        kind: String,
        /// How much.
        value: Count,
        /// Bytes: the alignment.
        alignment?: u32,
        /// Ours: the distance of neighbours, which is the size rounded up to the alignment. Of the unit's steps from one element
        /// to the next in [`TypeNode::element_strides`].
        stride?: Count,
    }

    /// A type with its layout.
    TypeNode {
        /// `scalar`, `vector`, `matrix`, `array`, `struct`, `resource`, `samplerState`, `constantBuffer`, `parameterBlock`,
        /// `textureBuffer`, `pointer`, `outputStream`, `inputPatch`, `outputPatch`, `meshOutput`, ...; in the list of types `enum`; in
        /// compact sidecars `shared`.
        kind: String,
        /// Ours: it is the type of this index in [`Reflection::shared_types`].
        #[serde(default)]
        shared?: u64,
        /// Struct or enum: its name; of an instance of a generic the generic's.
        name?: String,
        /// Ours: an instance of a generic with its arguments, `Pair<float2, 3>`.
        #[serde(default)]
        instance?: String,
        /// Scalar: `float32`, `uint32`, `bool`, ...
        scalar_type?: String,
        /// Matrix: rows.
        row_count?: u32,
        /// Matrix: columns.
        column_count?: u32,
        /// Ours, read by the layout oracle: `row` or `col`, which of a matrix's vectors are contiguous.
        matrix_layout?: String,
        /// Vector or array: number of elements; 0 for an unsized array, and then the size says `unbounded`.
        element_count?: Count,
        /// Vector, matrix, array, block: the element.
        element_type?: Box<TypeNode>,
        /// Resource: `texture2D`, `structuredBuffer`, `byteAddressBuffer`, ...
        base_shape?: String,
        /// Resource: an array texture.
        array?: bool,
        /// Resource: multisampled.
        multisample?: bool,
        /// Resource: with its sampler.
        combined?: bool,
        /// Resource: `readWrite`, `append`, ... ; absent for read.
        access?: String,
        /// Resource: what reading gives.
        result_type?: Box<TypeNode>,
        /// Ours: structured buffers' distance of elements in bytes.
        element_stride?: u64,
        /// Struct: its fields.
        fields?: Vec<Variable>,
        /// Array of plain data: distance of elements in bytes.
        uniform_stride?: u64,
        /// Ours: of an array, the distance of elements in each unit; 0 where one slot holds them all.
        element_strides[]: Size,
        /// Ours: of an array of stage inputs or outputs, how many indices of the semantic one element is from the next; 0 where
        /// the fields of its elements have semantics of their own, which then are those of all elements.
        #[serde(default)]
        semantic_stride?: u64,
        /// Ours: the cases of an enum.
        cases[]: EnumCase,
        /// User attributes of a struct.
        user_attribs[]: UserAttribute,
        /// Ours: in the list of types, the place in the source, `file:line:column`.
        location?: String,
        /// Block: what the buffer itself takes.
        container_var_layout?: Box<Variable>,
        /// Block: where its contents begin.
        element_var_layout?: Box<Variable>,
        /// What it takes in each unit.
        sizes?: Vec<Size>,
    }

    /// Ours: a case of an enum.
    EnumCase {
        /// Its name.
        name: String,
        /// Its value.
        value: i64,
    }

    /// An entry point.
    EntryPoint {
        /// The name in the source.
        name: String,
        /// Ours: the name in the emitted text.
        emitted_name: String,
        /// The stage.
        stage: String,
        /// Parameters, uniform ones and stage inputs.
        parameters[]: Variable,
        /// Fragment: something that it reads differs from sample to sample, so it runs for each.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        uses_any_sample_rate_input: bool,
        /// The result, if any.
        result?: Variable,
        /// Ours: hull: what the function of patch constants gives, its `out` parameters before its result, which has no name. In
        /// leaves their paths begin with `main.$patch`.
        patch_constants[]: Variable,
        /// Compute, mesh, amplification.
        thread_group_size?: [u32; 3],
        /// Ours: the facts of its stage.
        facts?: StageFacts,
        /// Ours: its root signature, on targets that have none, too.
        root_signature?: RootSignature,
        /// Ours: place of its name in the source.
        location?: String,
        /// The scope of its uniform parameters.
        scope: Scope,
        /// Positions that the bindings of its uniform parameters count from: all absolute here, so empty.
        scope_offsets: BTreeMap<String, Binding>,
        /// Global parameters that the entry point can reach; in the form of `slangc -reflection-json` all of them.
        bindings: Vec<Variable>,
        /// User attributes of the function.
        user_attribs[]: UserAttribute,
    }

    /// Ours: a root signature of D3D.
    RootSignature {
        /// As it is written.
        text: String,
        /// Its flags: `ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT` and so on.
        flags[]: String,
        /// Its parameters and static samplers, in order.
        items[]: RootItem,
    }

    /// Ours: a parameter or static sampler of a root signature, or a range of a descriptor table.
    RootItem {
        /// `RootConstants`, `CBV`, `SRV`, `UAV`, `DescriptorTable`, `StaticSampler`; of a range, `Sampler` too.
        kind: String,
        /// Its first register: `t3`. Tables have none.
        register?: String,
        /// What else it says by its words: `num32BitConstants`, `filter`, `space` and so on. What is not written is what it then is.
        values: BTreeMap<String, String>,
        /// The global parameters of the program whose registers it has.
        parameters[]: String,
        /// The ranges of a table.
        ranges[]: RootItem,
    }

    /// Ours: what attributes and parameters of an entry point set for its stage; what they do not set is absent.
    StageFacts {
        /// Hull and domain: `tri`, `quad`, `isoline`.
        domain?: String,
        /// Hull: `integer`, `pow2`, `fractional_even`, `fractional_odd`.
        partitioning?: String,
        /// Hull and mesh as written, geometry by its stream: `point`, `line`, `triangle`, `triangle_cw`, `triangle_ccw`.
        output_topology?: String,
        /// Hull and domain: control points that come in.
        input_control_points?: u32,
        /// Hull: control points that go out.
        output_control_points?: u32,
        /// Hull: the function that gives the constants of a patch.
        patch_constant_function?: String,
        /// Hull: the greatest factor.
        max_tess_factor?: f64,
        /// Geometry: `point`, `line`, `triangle`, `lineadj`, `triangleadj`.
        input_primitive?: String,
        /// Geometry: times that it runs for each primitive.
        instances?: u32,
        /// Geometry and mesh: vertices at most.
        max_vertices?: u32,
        /// Mesh: primitives at most.
        max_primitives?: u32,
        /// Mesh and amplification: the type of the payload.
        payload?: String,
        /// Fragment: depth and stencil are tested before it runs.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        early_depth_stencil: bool,
        /// Fragment: it writes depth, `any`, or only `greater` or `less` than it was.
        depth?: String,
        /// Compute: sizes of waves that it asks for: one, or least, greatest and preferred.
        wave_size[]: u32,
    }

    /// Ours: a leaf with its absolute position.
    Leaf {
        /// Path in the source; array steps are left out (`gPairs.b`). What belongs to an entry point begins with its name
        /// (`main.tint`, `main.result`); the buffers of plain parameters are `$Globals` and `main.$Params`.
        path: String,
        /// The unit, as in [`Binding::kind`].
        kind: String,
        /// Register class, `t` `u` `s` `b`, on D3D.
        class?: char,
        /// Register, binding, location or id: the first.
        index?: u64,
        /// Register space, descriptor set or bind group.
        space?: u64,
        /// How many from `index` on, with all elements of the arrays around, if not 1.
        count?: Count,
        /// A specialization or override constant: its value if the application sets none, as its type has it. There is none where the
        /// source gives it no value, or one that JSON has no number for.
        #[serde(default)]
        default_value?: ScalarValue,
        /// It is all elements of an array but the first: an explicit binding names that alone, where each has one.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        further: bool,
        /// Bytes: offset in the buffer, of the first element if it is in arrays.
        offset?: u64,
        /// Bytes: size, with its own elements but without those of arrays of structs around it.
        size?: Count,
        /// The arrays that it is in and is, the outermost first, with the distance of elements in the leaf's unit: 0 where one
        /// slot holds them all.
        repeats[]: Repeat,
        /// Bytes: the buffer.
        buffer?: BufferSlot,
        /// It holds plain data that the source declares without a buffer: `globals`, `entryPointParameters`, `block`; or `counter`
        /// for that of an append or consume buffer.
        hidden?: String,
        /// Stage inputs and outputs: the semantic in upper case with its index; on D3D also one that only the text has.
        semantic?: String,
        /// Stage inputs and outputs: there is one for each `vertex` (or control point), each `primitive` or each `patch`. But for a
        /// patch the first of `repeats` says how many, where that is known, and all of them have one location.
        #[serde(default)]
        per?: String,
        /// A sampler that compares, or a texture that has depths in the text, since such samplers read it there.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        compares: bool,
        /// A storage texture that the text declares to be read, written or changed atomically alone: `read`, `write`, `atomic`.
        #[serde(default)]
        emitted_access?: String,
        /// Its name in the emitted text, when something was emitted for it; of bytes below their buffer.
        emitted_name?: String,
        /// The block around a buffer in the text, where that has a name besides the buffer's: reflections of compilers that read
        /// the text may know it by that.
        #[serde(default)]
        emitted_block?: String,
        /// Elements of an array that have names of their own in the text, where the target has no arrays of resources.
        elements[]: Element,
        /// Of a texture: what it is in the text with each sampler that it is read through, where samplers are not declared apart.
        pairs[]: Pair,
        /// Entry points that can reach it.
        entry_points[]: String,
        /// Entry points whose code names it.
        references[]: Reference,
    }

    /// Ours: an element of an array of resources in the text.
    Element {
        /// Its binding.
        index: u64,
        /// Its name.
        emitted_name: String,
    }

    /// Ours: a texture combined with a sampler in the text.
    Pair {
        /// The path of the sampler, with the index of its element if it is one of an array; nothing if the texture is read without
        /// one.
        sampler?: String,
        /// The texture unit or binding of both.
        index?: u64,
        /// Its name.
        emitted_name: String,
    }

    /// Ours: an entry point whose code, or that of functions that it calls, names a leaf.
    Reference {
        /// The entry point.
        entry_point: String,
        /// Its stage.
        stage: String,
        /// Some of that code may run: it does not only stand behind conditions that are always false.
        reachable: bool,
    }

    /// Ours: where a buffer is bound.
    BufferSlot {
        /// Its path, as in [`Leaf::path`].
        path: String,
        /// The unit, as in [`Binding::kind`].
        kind: String,
        /// Register, binding, or number of push constants.
        index: u64,
        /// Register space, descriptor set or bind group.
        space?: u64,
    }
}

/// The value of a scalar, exactly.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ScalarValue {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer beyond the greatest one with a sign.
    Uint(u64),
    /// A float.
    Float(f64),
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

impl Default for Count {
    fn default() -> Count {
        Count::Number(0)
    }
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
