//! What of the source a declaration stands for, whatever it is called by now.
//!
//! Layout lists the leaves of all shader parameters once ([`crate::layout::Leaves`]). Every global and every field carries an
//! [`Origin`]; passes that make one out of another copy or derive it. What is reported of a program afterwards (the names of the
//! sidecar, say) is found by it, never by a name or a binding.

use super::id;

id! {
    #[doc = "A shader parameter, or the buffer of a scope, in the list of the layout."] ParameterId;
    #[doc = "A leaf of the shader parameters, in the list of the layout."] LeafId;
}

/// A step from a value to a part of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// A field of a struct, by its index.
    Field(u32),
    /// A constant element of an array, or a vector of a matrix.
    Element(u32),
}

/// What of the source a global or a field stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Origin {
    /// The source declares it, under the name that it had first.
    Declared,
    /// A shader parameter as a whole, under its own name; of a field, a parameter that a pass put into a buffer.
    Parameter(ParameterId),
    /// The field at this index of the struct as it was laid out.
    Field(u32),
    /// A leaf of a parameter, or the buffer of a scope.
    Leaf(LeafId),
    /// An element, by its flat index, of a leaf that is an array of resources.
    Element(LeafId, u32),
    /// The target's own variable, declared again with qualifiers: it has the target's name.
    Builtin,
    /// Nothing in the source: a pass made it.
    #[default]
    Synthesized,
}

/// What a texture is combined with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerPair {
    /// The sampler, unless it is read without one.
    pub sampler: Option<Origin>,
    /// It has the name and the position of the texture.
    pub first: bool,
}

/// A leaf of a buffer's data, and where it is in the types that the buffer has in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredLeaf {
    /// Which: the way to it from the buffer's contents, or from an element, by the fields of the struct before passes changed
    /// it. Arrays add no step.
    pub path: Vec<Step>,
    /// The parameter that it is a part of, where the buffer is that of a scope.
    pub parameter: Option<ParameterId>,
    /// The way to it in the types of the text.
    pub steps: Vec<Step>,
    /// Bytes from there, if that is an array of rows of words.
    pub word: Option<u64>,
}
