//! The words of a command, of which some are paths: build systems write those in ways of their own.

/// What a word names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A source, or a directory of them.
    Input,
    /// What is written.
    Output,
}

/// A word of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// Its text, or what stands before a path: `-I`.
    pub before: String,
    /// The path.
    pub path: Option<(Place, String)>,
}

impl Word {
    /// A word that is no path.
    pub fn plain(text: &str) -> Word {
        Word { before: text.to_owned(), path: None }
    }

    /// A word that ends with the path of what is read.
    pub fn input(before: &str, path: &str) -> Word {
        Word { before: before.to_owned(), path: Some((Place::Input, path.to_owned())) }
    }

    /// A word that ends with the path of what is written.
    pub fn output(before: &str, path: &str) -> Word {
        Word { before: before.to_owned(), path: Some((Place::Output, path.to_owned())) }
    }

    /// What is read is named from the working directory, however it was named.
    pub fn name_from_here(&mut self) {
        if let Some((Place::Input, path)) = &mut self.path {
            *path = super::here(path);
        }
    }

    /// The word as an argument.
    pub fn text(&self) -> String {
        let path = self.path.as_ref().map_or("", |(_, path)| path.as_str());
        format!("{}{path}", self.before)
    }
}

/// A word as a POSIX shell reads it.
pub fn shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%^".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_shells() {
        assert_eq!(shell("-DA=1"), "-DA=1");
        assert_eq!(shell("it's $x"), r"'it'\''s $x'");
        assert_eq!(shell(""), "''");
        assert_eq!(Word::input("-I", "lib").text(), "-Ilib");
    }
}
