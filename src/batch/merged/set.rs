//! Sets of variants.

/// Some of the variants of a program, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Set {
    words: Vec<u64>,
}

impl Set {
    /// Those of these numbers.
    pub fn of(numbers: impl IntoIterator<Item = usize>) -> Set {
        let mut set = Set::default();
        for number in numbers {
            let word = number / 64;
            if set.words.len() <= word {
                set.words.resize(word + 1, 0);
            }
            if let Some(place) = set.words.get_mut(word) {
                *place |= 1 << (number % 64);
            }
        }
        set
    }

    fn combined(&self, other: &Set, with: fn(u64, u64) -> u64) -> Set {
        let length = self.words.len().max(other.words.len());
        let word = |set: &Set, at: usize| set.words.get(at).copied().unwrap_or(0);
        let mut words: Vec<u64> = (0..length).map(|at| with(word(self, at), word(other, at))).collect();
        // Equal sets have equal words.
        while words.last() == Some(&0) {
            words.pop();
        }
        Set { words }
    }

    /// Those of either.
    pub fn or(&self, other: &Set) -> Set {
        self.combined(other, |a, b| a | b)
    }

    /// Those of both.
    pub fn and(&self, other: &Set) -> Set {
        self.combined(other, |a, b| a & b)
    }

    /// Those that are not of the other.
    pub fn without(&self, other: &Set) -> Set {
        self.combined(other, |a, b| a & !b)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether all are of the other, too.
    pub fn is_in(&self, other: &Set) -> bool {
        self.without(other).is_empty()
    }

    /// Whether none is of both.
    pub fn is_apart(&self, other: &Set) -> bool {
        self.and(other).is_empty()
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// The first one.
    pub fn first(&self) -> Option<usize> {
        let at = self.words.iter().position(|word| *word != 0)?;
        self.words.get(at).map(|word| at * 64 + word.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_those_of_their_numbers() {
        let (a, b) = (Set::of([1, 64, 200]), Set::of([64, 3]));
        assert_eq!(a.or(&b), Set::of([1, 3, 64, 200]));
        assert_eq!(a.and(&b), Set::of([64]));
        assert_eq!(a.without(&Set::of([200, 64])), Set::of([1]));
        assert_eq!((a.count(), b.first(), Set::of([]).first()), (3, Some(3), None));
        assert!(Set::of([200]).is_in(&a) && Set::of([2]).is_apart(&a) && a.without(&a).is_empty());
    }
}
