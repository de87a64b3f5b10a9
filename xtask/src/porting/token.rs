//! A tokenizer of its own for HLSL, Slang, GLSL and WGSL: it must not share the faults of what it measures.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Name,
    Number,
    /// A string or character.
    Quoted,
    /// One character.
    Punct,
    Comment,
    /// A line that begins with `#`, with its continuations, without a comment at its end.
    Directive,
}

/// A token of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// Its first byte.
    pub start: usize,
    /// Its line, from 0.
    pub line: usize,
    /// It is the first on its line.
    pub leads: bool,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        self.text == text && self.kind != Kind::Comment
    }

    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Neither a comment nor a directive.
    pub fn is_code(&self) -> bool {
        !matches!(self.kind, Kind::Comment | Kind::Directive)
    }
}

/// Splits a text into tokens.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut found, mut at, mut line, mut leads) = (Vec::new(), 0, 0, true);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() || first == '\u{feff}' {
            if first == '\n' {
                (line, leads) = (line + 1, true);
            }
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = one(rest, first, leads);
        let token = Token { kind, text: &rest[..length], start: at, line, leads };
        line += token.text.matches('\n').count();
        found.push(token);
        (at, leads) = (at + length, false);
    }
    found
}

/// The kind and length of the token that a text begins with.
fn one(rest: &str, first: char, leads: bool) -> (Kind, usize) {
    match first {
        '/' if rest.starts_with("//") => (Kind::Comment, line_length(rest, false)),
        '/' if rest.starts_with("/*") => (Kind::Comment, rest.find("*/").map_or(rest.len(), |end| end + 2)),
        '#' if leads => (Kind::Directive, line_length(rest, true)),
        '"' | '\'' => (Kind::Quoted, quoted_length(rest, first)),
        _ if is_name_start(first) => (Kind::Name, rest.find(|c| !is_part(c)).unwrap_or(rest.len())),
        '0'..='9' => (Kind::Number, number_length(rest)),
        '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => (Kind::Number, number_length(rest)),
        other => (Kind::Punct, other.len_utf8()),
    }
}

fn is_name_start(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphabetic()
}

fn is_part(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// To the end of a line that may be continued; of a directive, to its comment.
fn line_length(rest: &str, is_directive: bool) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' if !rest[..at].trim_end_matches('\r').ends_with('\\') => break,
            b'/' if is_directive && at > 0 && bytes.get(at + 1) == Some(&b'/') => break,
            b'/' if is_directive && bytes.get(at + 1) == Some(&b'*') => {
                // One that does not end on the line is no part of the directive.
                let end = rest[at..].find("*/").map(|end| at + end + 2);
                match end.filter(|end| !rest[at..*end].contains('\n')) {
                    Some(end) => at = end - 1,
                    None => break,
                }
            }
            _ => {}
        }
        at += 1;
    }
    rest[..at].trim_end().len()
}

/// A string with its quotes; what has no end on its line is a quote alone.
fn quoted_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => break,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    1
}

/// A number with its suffix. `1.xxx` is `1` with a swizzle.
fn number_length(rest: &str) -> usize {
    let digits = |from: usize, is_digit: fn(&char) -> bool| {
        from + rest[from..].chars().take_while(|c| is_digit(c) || *c == '_').map(char::len_utf8).sum::<usize>()
    };
    let is_hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
    let is_digit: fn(&char) -> bool = if is_hexadecimal { char::is_ascii_hexdigit } else { char::is_ascii_digit };
    let whole = digits(if is_hexadecimal { 2 } else { 0 }, is_digit);
    let point = if rest[whole..].starts_with('.') { digits(whole + 1, is_digit) } else { whole };
    let mut end = point;
    if let Some(mark) = rest[end..].chars().next()
        && (if is_hexadecimal { matches!(mark, 'p' | 'P') } else { matches!(mark, 'e' | 'E') })
    {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign, char::is_ascii_digit);
        end = if exponent > end + 1 + sign { exponent } else { end };
    }
    let word: String = rest[end..].chars().take_while(|c| is_part(*c)).collect();
    match () {
        () if word.chars().all(|c| "fFhHlLuUisSzZ".contains(c)) => end + word.len(),
        // `0b101`, and what is no number.
        () if point == whole => end + word.len(),
        () if end == whole + 1 => whole,
        () => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|t| t.text).collect()
    }

    #[test]
    fn numbers_keep_their_spelling() {
        for number in ["1.0f", "0x1Fu", ".5", "1.", "1e-5", "2.5E+3h", "16U", "1.f", "0b101", "1us", "0x1.8p3", "1li"] {
            assert_eq!(texts(&format!("a={number};")), ["a", "=", number, ";"]);
        }
        assert_eq!(texts("1.xxx"), ["1", ".", "xxx"]);
        assert_eq!(texts("1.0.xxx"), ["1.0", ".", "xxx"]);
        assert_eq!(texts("1-2"), ["1", "-", "2"]);
        assert_eq!(texts("0xE+1"), ["0xE", "+", "1"]);
    }

    #[test]
    fn comments_and_directives_are_tokens() {
        let text = "#define A \\\n 1 // one\nint a; /* two\nlines */ b # c\n  # if X /* y */ > 1\n\"x // y\"";
        let found = tokens(text);
        let kinds: Vec<_> = found.iter().filter(|t| !matches!(t.kind, Kind::Name | Kind::Punct)).collect();
        assert_eq!(kinds[0].text, "#define A \\\n 1");
        assert_eq!((kinds[1].text, kinds[1].leads), ("// one", false));
        assert_eq!((kinds[2].text, kinds[2].line), ("/* two\nlines */", 2));
        assert_eq!(kinds[3].text, "# if X /* y */ > 1");
        assert_eq!((kinds[4].text, kinds[4].kind), ("\"x // y\"", Kind::Quoted));
        assert_eq!(found.iter().filter(|t| t.kind == Kind::Punct && t.text == "#").count(), 1);
    }
}
