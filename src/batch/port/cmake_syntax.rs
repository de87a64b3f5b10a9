//! The text of `CMakeLists.txt` and `.cmake` as commands with arguments.

/// Commands whose arguments are conditions.
const CONDITIONS: &[&str] = &["if", "elseif", "while"];

/// A command of the file.
#[derive(Clone, Debug)]
pub struct CmakeCall {
    /// In lower case.
    pub name: String,
    pub arguments: Vec<CmakeArgument>,
    pub line: usize,
}

#[derive(Clone, Debug)]
pub struct CmakeArgument {
    pub text: String,
    /// It is one value, whatever is in it.
    pub is_quoted: bool,
}

impl CmakeCall {
    /// The variable of its own scope that it sets, if its name is no value itself.
    pub fn sets(&self) -> Option<&str> {
        let texts: Vec<&str> = self.arguments.iter().map(|argument| argument.text.as_str()).collect();
        let name = match (self.name.as_str(), texts.as_slice()) {
            ("set", [name, values @ ..]) if !values.iter().any(|v| *v == "CACHE" || *v == "PARENT_SCOPE") => name,
            ("list", ["APPEND" | "PREPEND" | "INSERT", name, ..]) => name,
            _ => return None,
        };
        (!name.contains('$')).then_some(name)
    }
}

/// The commands of a text.
pub fn cmake_calls(text: &str) -> Vec<CmakeCall> {
    let mut reader = CmakeReader { chars: text.chars().peekable(), line: 1 };
    let mut calls = Vec::new();
    let mut name = String::new();
    while let Some(c) = reader.next() {
        match c {
            '#' => reader.remark(),
            '(' => {
                let line = reader.line;
                let name = std::mem::take(&mut name).trim().to_ascii_lowercase();
                let arguments = reader.arguments(CONDITIONS.contains(&name.as_str()));
                calls.push(CmakeCall { name, arguments, line });
            }
            c if c.is_whitespace() => {}
            c => name.push(c),
        }
    }
    calls
}

struct CmakeReader<'t> {
    chars: std::iter::Peekable<std::str::Chars<'t>>,
    line: usize,
}

impl CmakeReader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.next();
        self.line += usize::from(c == Some('\n'));
        c
    }

    /// Up to the end of the line, or of a bracket.
    fn remark(&mut self) {
        if self.chars.peek() == Some(&'[') {
            self.next();
            if self.bracket().is_some() {
                return;
            }
        }
        while self.chars.peek().is_some_and(|c| *c != '\n') {
            self.next();
        }
    }

    /// `[[ text ]]` behind its first bracket.
    fn bracket(&mut self) -> Option<String> {
        let mut equals = 0;
        while self.chars.peek() == Some(&'=') {
            self.next();
            equals += 1;
        }
        if self.chars.peek() != Some(&'[') {
            return None;
        }
        self.next();
        let end = format!("]{}]", "=".repeat(equals));
        let mut text = String::new();
        while let Some(c) = self.next() {
            text.push(c);
            if text.ends_with(&end) {
                text.truncate(text.len() - end.len());
                break;
            }
        }
        Some(text)
    }

    /// Arguments up to the parenthesis that closes the command; those in it part words, and are words of conditions.
    fn arguments(&mut self, is_condition: bool) -> Vec<CmakeArgument> {
        let mut all: Vec<CmakeArgument> = Vec::new();
        let (mut word, mut depth) = (String::new(), 0usize);
        let ends = |word: &mut String, all: &mut Vec<CmakeArgument>| {
            if !word.is_empty() {
                all.push(CmakeArgument { text: std::mem::take(word), is_quoted: false });
            }
        };
        while let Some(c) = self.next() {
            match c {
                '#' if word.is_empty() => self.remark(),
                '"' if word.is_empty() => {
                    let text = self.quoted();
                    all.push(CmakeArgument { text, is_quoted: true });
                }
                '[' if word.is_empty() && self.chars.peek().is_some_and(|c| "[=".contains(*c)) => {
                    let text = self.bracket().unwrap_or_default();
                    all.push(CmakeArgument { text, is_quoted: true });
                }
                ')' if depth == 0 => break,
                '(' | ')' => {
                    ends(&mut word, &mut all);
                    depth = if c == '(' { depth + 1 } else { depth - 1 };
                    if is_condition {
                        all.push(CmakeArgument { text: c.to_string(), is_quoted: false });
                    }
                }
                '\\' => word.extend(self.next()),
                c if c.is_whitespace() => ends(&mut word, &mut all),
                c => word.push(c),
            }
        }
        ends(&mut word, &mut all);
        all
    }

    /// A quoted argument behind its first quote.
    fn quoted(&mut self) -> String {
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '"' => break,
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(escaped @ ('$' | ';')) => text.extend(['\\', escaped]),
                    Some(escaped) => text.push(escaped),
                },
                c => text.push(c),
            }
        }
        text
    }
}
