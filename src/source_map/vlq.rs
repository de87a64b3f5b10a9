//! Numbers in base 64 as the mappings of source maps have them (ECMA-426, "Mappings structure"). They are few lines, and a crate
//! for source maps would bring a hundred times as much for scripts: it is not worth one.

/// The digits.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// The bit of a digit that says that there are more.
const MORE: u32 = 0x20;

/// Appends a number: its sign is the lowest bit, five bits a digit, the lowest first.
pub(super) fn push(number: i64, out: &mut String) {
    let mut rest = number.unsigned_abs() << 1 | u64::from(number < 0);
    loop {
        let low = (rest & 0x1F) as u32;
        rest >>= 5;
        let digit = if rest > 0 { low | MORE } else { low };
        out.extend(DIGITS.get(digit as usize).map(|byte| char::from(*byte)));
        if rest == 0 {
            return;
        }
    }
}

/// The numbers of a segment; `None` if it is not made of numbers.
pub(super) fn numbers(segment: &str) -> Option<Vec<i64>> {
    let (mut numbers, mut number, mut shift) = (Vec::new(), 0u64, 0u32);
    for byte in segment.bytes() {
        let digit = DIGITS.iter().position(|digit| *digit == byte)? as u32;
        // A number has 32 bits.
        if shift > 30 {
            return None;
        }
        number |= u64::from(digit & !MORE) << shift;
        shift += 5;
        if digit & MORE == 0 {
            let value = (number >> 1) as i64;
            numbers.push(if number & 1 == 1 { -value } else { value });
            (number, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(numbers)
}

/// Bytes in base 64 with padding, as URLs of data have them.
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| group.get(at).copied().map_or(0, u32::from);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * at) & 0x3F) as usize).filter(|_| at <= group.len());
            out.push(digit.map_or('=', |digit| char::from(*digit)));
        }
    }
    out
}

/// What [`base64`] is of.
pub(super) fn unbase64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').bytes();
    let digits: Option<Vec<u8>> =
        digits.map(|byte| DIGITS.iter().position(|digit| *digit == byte).map(|at| at as u8)).collect();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits?.chunks(4) {
        let digit = |at: usize| group.get(at).copied().map_or(0, u32::from);
        let bits = digit(0) << 18 | digit(1) << 12 | digit(2) << 6 | digit(3);
        out.extend(bits.to_be_bytes().into_iter().skip(1).take(group.len().checked_sub(1)?));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let text = |number| {
            let mut text = String::new();
            push(number, &mut text);
            text
        };
        // Of the specification and of RFC 4648.
        assert_eq!([0, 1, -1, 15, 16, -16, 511].map(text), ["A", "C", "D", "e", "gB", "hB", "+f"]);
        for number in (-2000..2000).chain([i64::from(i32::MAX), i64::from(-i32::MAX)]) {
            assert_eq!(numbers(&text(number)), Some(vec![number]));
        }
        assert_eq!(numbers("AAgBC"), Some(vec![0, 0, 16, 1]));
        for wrong in ["g", "A!", "ggggggggggA", "é"] {
            assert_eq!(numbers(wrong), None, "{wrong}");
        }
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
            assert_eq!(unbase64(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(unbase64("Zg=!"), None);
    }
}
