//! Layout and bindings: where every shader parameter lies, as a function of declarations alone.
//!
//! Four phases (rule `layout-guarantees` is what they keep): the global order ([`order`]), the needs of each parameter ([`types`] under [`rules`]), explicit
//! positions, then first fit for the rest ([`allocate`]). Function bodies are never looked at.
//!
//! Layouts of types alone are there for any program, under any rule set:
//!
//! ```
//! use shaderport::internals::layout::{Api, Detail, Layouter, Policy, Settings, Unit, rules};
//! use shaderport::internals::tree::{MatrixOrder, Program, Scalar};
//!
//! let mut program = Program::default();
//! let float3 = program.types.vector(Scalar::F32, 3);
//! let four = program.types.array(float3, Some(4));
//! let settings = Settings::native(Api::Vulkan, Policy::SPEC);
//! let layouter = Layouter { program: &program, settings: &settings };
//! // The last element of a D3D constant buffer is not padded; each in a scalar block follows the one before.
//! for (rules, size, stride) in [(&rules::D3D_CONSTANT, 60, 16), (&rules::STD140, 64, 16), (&rules::SCALAR, 48, 12)] {
//!     let layout = layouter.layout(four, rules, MatrixOrder::Column);
//!     assert_eq!(layout.size(), size);
//!     let Detail::Array { stride: found, .. } = &layout.detail else { unreachable!() };
//!     assert_eq!(found.get(Unit::Bytes), stride);
//! }
//! ```
//!
//! A [`TypeLayout`] counts in all units at once ([`Counts`]): bytes in a buffer, registers of each class, descriptor slots,
//! register spaces, push-constant buffers, constant ids, input attachments.

pub mod allocate;
pub mod lock;
mod bit_fields;
mod dynamic_resources;
mod heaps;
mod leaves;
pub mod faults;
pub mod lint;
pub mod lint_stages;
pub mod locations;
pub mod order;
mod patches;
mod position;
mod policy;
mod prepare;
mod root_constants;
pub mod rules;
mod semantics;
mod settings;
mod size_constants;
pub mod trace;
pub mod types;
pub mod units;
pub mod varyings;

pub use crate::target::Api;
use crate::tree::{Binding, GlobalId, ParameterId, Program};
pub use leaves::{Leaf, Leaves, Parameter, Part, Role, walk};
use lock::Owner;
pub use policy::{Buffers, Policy, StageIo, Unbounded};
pub use position::{Position, binding, buffer_place};
pub use prepare::prepare;
pub use settings::{BufferRules, HeapBindings, Settings, Shift, offset_of_global};
pub use size_constants::SizedArrays;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
pub use types::{Detail, Layouter, StructBuilder, TypeLayout, VarLayout};
pub use units::{Counts, UNBOUNDED, Unit};

/// A parameter and its place.
#[derive(Clone, Debug)]
pub struct ParameterLayout {
    /// The global.
    pub global: GlobalId,
    /// Its place. Bytes are the offset in the implicit buffer.
    pub place: Position,
    /// Its type's layout.
    pub layout: TypeLayout,
    /// It is in the implicit buffer, but the policy gives its resources no place.
    pub data_alone: bool,
}

/// The implicit buffer of a scope (`$Globals`, entry-point uniforms).
#[derive(Clone, Debug)]
pub struct ScopeBuffer {
    /// Where it is bound; `None` for push constants and shader records.
    pub binding: Option<Binding>,
    /// What it is without a binding, and its number among all of them.
    pub apart: (Unit, u64),
    /// Its members do not lie where their order alone would put them: a lock keeps their bytes.
    pub kept: bool,
    /// Its contents as a struct layout of all parameters of the scope in order.
    pub layout: TypeLayout,
}

impl ScopeBuffer {
    /// Its number, in which unit, and in which space.
    pub fn position(&self) -> (Unit, u64, u64) {
        match self.binding {
            Some(b) => (b.class.and_then(Unit::of_class).unwrap_or(Unit::Descriptor), b.index.into(), b.space.into()),
            None => (self.apart.0, self.apart.1, 0),
        }
    }
}

/// The uniform parameters of an entry point.
#[derive(Clone, Debug, Default)]
pub struct EntryLayout {
    /// (index of the parameter in the function, its place, its layout).
    pub params: Vec<(usize, Position, TypeLayout)>,
    /// Their implicit buffer.
    pub buffer: Option<ScopeBuffer>,
}

/// Positions of all parameters of a program for one target.
#[derive(Clone, Debug)]
pub struct ProgramLayout {
    /// The settings it was computed with.
    pub settings: Settings,
    /// Parameters in global order.
    pub parameters: Vec<ParameterLayout>,
    /// The buffer of plain globals.
    pub globals: Option<ScopeBuffer>,
    /// Parameters that the policy gives no place.
    pub dropped: Vec<(GlobalId, TypeLayout)>,
    /// One per entry point of the program, same order.
    pub entry_points: Vec<EntryLayout>,
    /// Explicit positions that overlap.
    pub overlaps: Vec<Overlap>,
    /// Owners of ranges that others meet; `None` for what is no global.
    pub met: Vec<Vec<Option<GlobalId>>>,
    /// All that was placed, in order.
    pub trace: Vec<trace::Placement>,
    /// What a lock records from now on; `None` without one.
    pub records: Option<lock::Records>,
    /// Where the hidden counters of buffers are that the source gives no binding.
    pub counters: BTreeMap<GlobalId, Counter>,
    /// The leaves of all parameters.
    pub leaves: Arc<Leaves>,
}

/// The binding of a hidden counter, or of those of an array of buffers.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// In what it is counted.
    pub unit: Unit,
    /// The first.
    pub index: u64,
    /// How many there are.
    pub count: u64,
    /// In which set or group.
    pub space: u64,
}

/// Parameters whose explicit positions overlap. That is an error where one entry point reaches two, which layout
/// (a function of declarations alone) cannot tell: the caller decides.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// The one placed last; `None` for what is no global.
    pub placed: Option<GlobalId>,
    /// Those that it meets: which list of [`ProgramLayout::met`], and how many of it.
    pub met: (usize, usize),
    /// No API knows an alias of these, whatever the policy gives away.
    pub never: bool,
    /// What to say, as a warning.
    pub diagnostic: crate::diagnostic::Diagnostic,
}

impl ProgramLayout {
    /// The buffer that something is, with the plain data of its scope.
    pub fn scope_buffer(&self, owner: Owner) -> Option<&ScopeBuffer> {
        match owner {
            Owner::Globals => self.globals.as_ref(),
            Owner::EntryBuffer(entry) => self.entry_points.get(entry)?.buffer.as_ref(),
            Owner::Global(_) | Owner::Param(..) | Owner::EntryScope(_) | Owner::Counter(_) | Owner::Nobody => None,
        }
    }

    /// Those that the one placed last of an overlap meets.
    pub fn met(&self, overlap: &Overlap) -> &[Option<GlobalId>] {
        let (list, count) = overlap.met;
        self.met.get(list).and_then(|owners| owners.get(..count)).unwrap_or_default()
    }

    /// The place and layout of a parameter that has one.
    pub fn position(&self, id: ParameterId) -> Option<(Position, &TypeLayout)> {
        let Parameter { owner, at, .. } = *self.leaves.parameter(id);
        match owner {
            Owner::Global(_) => self.parameters.get(at).map(|p| (p.place, &p.layout)),
            Owner::Param(entry, _) => {
                self.entry_points.get(entry)?.params.get(at).map(|(_, place, layout)| (*place, layout))
            }
            Owner::Globals | Owner::EntryBuffer(_) | Owner::EntryScope(_) | Owner::Counter(_) | Owner::Nobody => None,
        }
    }
}

/// Places all parameters, or those in `used` if the policy drops others; those that a lock records stay where they were.
/// Conflicts and what cannot be placed go to `diags`.
pub fn place(
    program: &Program,
    settings: Settings,
    used: Option<BTreeSet<GlobalId>>,
    lock: Option<lock::View>,
    diags: &mut crate::diagnostic::Diagnostics,
) -> ProgramLayout {
    if settings.api != Api::D3d {
        varyings::check(program, diags);
    }
    allocate::Allocator::new(program, settings, used, lock, diags).run()
}
