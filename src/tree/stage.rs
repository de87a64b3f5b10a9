//! The stages of the pipeline.

use crate::symbol::nearest;

/// A stage of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Stage {
    Vertex,
    Hull,
    Domain,
    Geometry,
    Fragment,
    Compute,
    Amplification,
    Mesh,
    RayGeneration,
    Intersection,
    AnyHit,
    ClosestHit,
    Miss,
    Callable,
}

impl Stage {
    /// (spelling, stage); the first spelling of a stage is its canonical name.
    pub const NAMES: &[(&str, Stage)] = &[
        ("vertex", Stage::Vertex),
        ("hull", Stage::Hull),
        ("domain", Stage::Domain),
        ("geometry", Stage::Geometry),
        ("fragment", Stage::Fragment),
        ("pixel", Stage::Fragment),
        ("compute", Stage::Compute),
        ("amplification", Stage::Amplification),
        ("task", Stage::Amplification),
        ("mesh", Stage::Mesh),
        ("raygeneration", Stage::RayGeneration),
        ("raygen", Stage::RayGeneration),
        ("intersection", Stage::Intersection),
        ("anyhit", Stage::AnyHit),
        ("closesthit", Stage::ClosestHit),
        ("miss", Stage::Miss),
        ("callable", Stage::Callable),
    ];

    /// The stage of a spelling.
    pub fn parse(text: &str) -> Option<Stage> {
        Self::NAMES.iter().find(|(n, _)| n.eq_ignore_ascii_case(text)).map(|(_, s)| *s)
    }

    /// The spelling of a stage that is probably meant by a word which is none.
    pub fn similar(text: &str) -> Option<&'static str> {
        nearest(text, Self::NAMES.iter().map(|(name, _)| *name))
    }

    /// The canonical name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, s)| *s == self).map_or("", |(n, _)| *n)
    }

    /// Whether its invocations run in workgroups of a size that it says.
    pub fn has_groups(self) -> bool {
        match self {
            Stage::Compute | Stage::Mesh | Stage::Amplification => true,
            Stage::Vertex
            | Stage::Hull
            | Stage::Domain
            | Stage::Geometry
            | Stage::Fragment
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => false,
        }
    }

    /// Whether it is one of ray tracing.
    pub fn is_of_rays(self) -> bool {
        match self {
            Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => true,
            Stage::Vertex
            | Stage::Hull
            | Stage::Domain
            | Stage::Geometry
            | Stage::Fragment
            | Stage::Compute
            | Stage::Amplification
            | Stage::Mesh => false,
        }
    }
}
