//! Text of others for a terminal: what would drive it is replaced, byte for byte, so that places stay.

use std::borrow::Cow;

/// What a terminal takes for a command, or shows elsewhere than it stands. Tabs and line ends are text.
fn is_harmful(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with something as long in place of each character that is no text.
pub fn harmless(text: &str) -> Cow<'_, str> {
    // Line ends of Windows are left out of lines where they are shown.
    let is_text = |at: usize, c: char| !is_harmful(c) || c == '\r' && text.as_bytes().get(at + 1) == Some(&b'\n');
    if text.char_indices().all(|(at, c)| is_text(at, c)) {
        return Cow::Borrowed(text);
    }
    let replaced = text.char_indices().map(|(at, c)| match c.len_utf8() {
        _ if is_text(at, c) => c,
        1 => '?',
        2 => '\u{b7}',
        _ => '\u{fffd}',
    });
    Cow::Owned(replaced.collect())
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn places_stay() {
        assert_eq!(harmless("a\tb\r\nc"), "a\tb\r\nc");
        for text in ["a\u{1b}[31mb", "a\rb", "a\u{9b}31m", "a\u{202e}b\u{2066}c", "\0\u{7f}"] {
            let shown = harmless(text);
            assert_eq!(shown.len(), text.len(), "{shown}");
            assert!(!shown.chars().any(super::is_harmful), "{shown}");
        }
    }
}
