//! What the programs of a file are made of. Each file leaves some of it out: what a program needs selects the passes, and a pass
//! that something else selected hides that one has missed its own need.

use crate::random::Random;

/// A part of the languages that programs can do without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// Assignments and steps as parts of expressions.
    AssignedValues,
    /// Parameters that are written back.
    OutParameters,
    /// Several components as destinations.
    SwizzleStores,
    /// Increments and compound assignments.
    Updates,
    Matrices,
    Arrays,
    Structs,
    /// Texts of [`families`](super::families), and what a language alone declares.
    Families,
    Loops,
    Switches,
    /// `break`, `continue` and early results.
    Leaves,
    /// Buffers besides the input and output.
    Buffers,
    /// Numbers of 64 bits.
    Wide,
}

impl Feature {
    const ALL: [Feature; 13] = [
        Feature::AssignedValues,
        Feature::OutParameters,
        Feature::SwizzleStores,
        Feature::Updates,
        Feature::Matrices,
        Feature::Arrays,
        Feature::Structs,
        Feature::Families,
        Feature::Loops,
        Feature::Switches,
        Feature::Leaves,
        Feature::Buffers,
        Feature::Wide,
    ];
}

/// Some features.
#[derive(Clone, Copy, Debug)]
pub struct Features(u32);

impl Features {
    /// Those of a file: all in every third one, half of them in the others.
    pub fn of_file(seed: u64, file: u64) -> Features {
        let mut random = Random::of_seed(seed ^ file << 32);
        let all = random.below(3) == 0;
        let chosen = Feature::ALL.into_iter().filter(|_| all || random.chance(50));
        Features(chosen.fold(0, |bits, feature| bits | 1 << feature as u32))
    }

    pub fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u32 & 1 == 1
    }
}
