//! SHA-256 digests of files and of what outputs depend on, and the stamps that spare reading a file again.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// A SHA-256 digest, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(hmac_sha256::Hash::hash(bytes))
    }

    /// Of several parts. Each goes in with its length, so that no two lists give the same bytes.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Digest {
        let mut hash = hmac_sha256::Hash::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Digest(hash.finalize())
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn parse(text: &str) -> Option<Digest> {
        let mut bytes = [0; 32];
        if text.len() != 2 * bytes.len() || !text.is_ascii() {
            return None;
        }
        let digit = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = match pair {
                [high, low] => digit(*high)? << 4 | digit(*low)?,
                _ => return None,
            };
        }
        Some(Digest(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0u8; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        serializer.serialize_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Digest;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                write!(f, "64 hexadecimal digits")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Digest, E> {
                Digest::parse(text).ok_or_else(|| E::custom("not 64 hexadecimal digits"))
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

/// Size and time of a file: while they are the same, so is most likely what is in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// When it was modified, in nanoseconds since 1970.
    pub modified: u64,
}

impl Stamp {
    /// Of the file at a path; `None` if there is none.
    pub fn of(path: &Path) -> Option<Stamp> {
        let metadata = std::fs::metadata(path).ok()?;
        metadata.is_file().then(|| Stamp::of_metadata(&metadata))
    }

    /// Of what the system says of a file.
    pub fn of_metadata(metadata: &std::fs::Metadata) -> Stamp {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Stamp { size: metadata.len(), modified: since.map_or(0, nanoseconds) }
    }
}

/// A time as in [`Stamp::modified`].
pub fn nanoseconds(since: std::time::Duration) -> u64 {
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// The time now, as in [`Stamp::modified`].
pub fn now() -> u64 {
    std::time::SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").to_string(), abc);
        let json = serde_json::to_string(&Digest::of(b"abc")).unwrap();
        assert_eq!(json, format!("\"{abc}\""));
        assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), Digest::of(b"abc"));
        assert!(serde_json::from_str::<Digest>("\"ba78\"").is_err());
        assert_ne!(Digest::of_parts([&b"a"[..], b"bc"]), Digest::of_parts([&b"ab"[..], b"c"]));
    }
}
