//! Numbers that look random: the same for the same seed everywhere.

/// A sequence of numbers; begins where it is told to.
pub struct Random(pub u64);

impl Random {
    /// The sequence of a seed; those of neighbours have nothing in common.
    pub fn of_seed(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1)
    }

    /// A number less than `n`, which is at least 1.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n.max(1)
    }

    /// An index into something of a length.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// True that often.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of some.
    pub fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.index(list.len())]
    }
}
