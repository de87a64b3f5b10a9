//! What the stages of ray tracing may do with a field of a payload.

/// Who reads or writes a field: the words of its qualifiers, in the order in which they are printed.
pub const PAYLOAD_USERS: [&str; 4] = ["caller", "anyhit", "closesthit", "miss"];

/// Some of [`PAYLOAD_USERS`], as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PayloadUsers(u8);

impl PayloadUsers {
    /// All of them.
    pub const ALL: PayloadUsers = PayloadUsers((1 << PAYLOAD_USERS.len()) - 1);

    /// Adds the one of a word; false if there is none.
    pub fn add(&mut self, word: &str) -> bool {
        let at = PAYLOAD_USERS.iter().position(|w| *w == word);
        self.0 |= at.map_or(0, |at| 1 << at);
        at.is_some()
    }

    /// Their words, in order.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        PAYLOAD_USERS.into_iter().enumerate().filter(move |(at, _)| self.0 & (1 << at) != 0).map(|(_, word)| word)
    }
}

/// The qualifiers `: read(...) : write(...)` of a field, as far as it has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PayloadAccess {
    /// Who reads it.
    pub read: Option<PayloadUsers>,
    /// Who writes it.
    pub write: Option<PayloadUsers>,
}

impl PayloadAccess {
    /// Everybody may do everything.
    pub const FREE: PayloadAccess = PayloadAccess { read: Some(PayloadUsers::ALL), write: Some(PayloadUsers::ALL) };

    /// Whether a field says nothing.
    pub fn is_unsaid(self) -> bool {
        self == PayloadAccess::default()
    }
}
