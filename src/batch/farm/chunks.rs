//! Which programs are one action.
//!
//! Where a chunk ends is said by the names of its programs alone, so that a program that comes or goes changes the chunk that it
//! is in and no other.

use crate::batch::digest::Digest;

/// The lengths of chunks, one after the other, of about `size` programs each.
pub fn chunks(ids: &[String], size: usize) -> Vec<usize> {
    let size = size.max(1);
    let mut lengths = Vec::new();
    let mut length = 0;
    for id in ids {
        length += 1;
        if ends(id, size) || length >= size.saturating_mul(4) {
            lengths.push(length);
            length = 0;
        }
    }
    if length > 0 {
        lengths.push(length);
    }
    lengths
}

/// Whether a chunk ends with a program: one of `size` does.
fn ends(id: &str, size: usize) -> bool {
    let digest = Digest::of(id.as_bytes());
    let number = digest.bytes().iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    number % size as u64 == 0
}

/// The name of a chunk: that of its first program, and a digest of it.
pub fn id(ids: &[String]) -> String {
    let first = ids.first().map(String::as_str).unwrap_or_default();
    let digest = Digest::of(first.as_bytes()).to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = first.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("{name}_{}", digest.get(..8).unwrap_or(&digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_program_changes_one_chunk() {
        let ids = |left_out: usize| -> Vec<String> {
            (0..2000).filter(|n| *n != left_out).map(|n| format!("dir/{n:04}.hlsl")).collect()
        };
        let split = |ids: &[String]| {
            let mut rest = ids;
            let mut parts: Vec<Vec<String>> = Vec::new();
            for length in chunks(ids, 16) {
                let (part, after) = rest.split_at(length);
                parts.push(part.to_vec());
                rest = after;
            }
            assert!(rest.is_empty());
            parts
        };
        let all = split(&ids(usize::MAX));
        assert!((60..250).contains(&all.len()), "{}", all.len());
        for left_out in (0..2000).step_by(97) {
            let less = split(&ids(left_out));
            let changed = less.iter().filter(|part| !all.contains(part)).count();
            assert!(changed <= 4, "{left_out}: {changed} chunks are others");
        }
        assert_eq!(chunks(&ids(0), 1), [1; 1999]);
    }
}
