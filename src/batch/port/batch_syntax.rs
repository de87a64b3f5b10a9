//! The syntax of a line of a batch file whose variables are in it.

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchNode {
    /// A program or a word of the shell.
    Simple(String),
    /// Commands in parentheses.
    Block(Vec<BatchNode>),
    /// `if CONDITION THEN else OTHERWISE`.
    If {
        /// When.
        condition: BatchTest,
        /// What is done then.
        then: Box<BatchNode>,
        /// What is done else.
        otherwise: Option<Box<BatchNode>>,
    },
    /// `for %LETTER in (LISTED) do BODY`.
    For {
        /// The variable.
        letter: char,
        /// Its values.
        listed: BatchList,
        /// What is done with each.
        body: Box<BatchNode>,
    },
}

impl BatchNode {
    /// The same with other texts.
    pub fn with(&self, change: &dyn Fn(&str) -> String) -> BatchNode {
        match self {
            BatchNode::Simple(text) => BatchNode::Simple(change(text)),
            BatchNode::Block(nodes) => BatchNode::Block(nodes.iter().map(|node| node.with(change)).collect()),
            BatchNode::If { condition, then, otherwise } => BatchNode::If {
                condition: condition.with(change),
                then: Box::new(then.with(change)),
                otherwise: otherwise.as_ref().map(|node| Box::new(node.with(change))),
            },
            BatchNode::For { letter, listed, body } => {
                BatchNode::For { letter: *letter, listed: listed.with(change), body: Box::new(body.with(change)) }
            }
        }
    }
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchTest {
    /// It does not hold.
    Not(Box<BatchTest>),
    /// There is a file.
    Exists(String),
    /// A variable has a value.
    Defined(String),
    /// A program has failed.
    ErrorLevel(String),
    /// Two texts.
    Compare {
        /// The first.
        left: String,
        /// `==` or a word in lower case.
        operator: String,
        /// The second.
        right: String,
        /// Letters are the same in any case.
        any_case: bool,
    },
}

impl BatchTest {
    fn with(&self, change: &dyn Fn(&str) -> String) -> BatchTest {
        match self {
            BatchTest::Not(inner) => BatchTest::Not(Box::new(inner.with(change))),
            BatchTest::Exists(path) => BatchTest::Exists(change(path)),
            BatchTest::Defined(name) => BatchTest::Defined(change(name)),
            BatchTest::ErrorLevel(level) => BatchTest::ErrorLevel(change(level)),
            BatchTest::Compare { left, operator, right, any_case } => BatchTest::Compare {
                left: change(left),
                operator: operator.clone(),
                right: change(right),
                any_case: *any_case,
            },
        }
    }
}

/// The values of a `for`.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchList {
    /// Words and patterns of files.
    Words(String),
    /// `/r`: patterns of files below a directory.
    Files {
        /// The directory.
        below: String,
        /// The patterns.
        patterns: String,
    },
    /// `/l`: `START,STEP,END`.
    Numbers(String),
    /// Any other kind.
    Other(String),
}

impl BatchList {
    fn with(&self, change: &dyn Fn(&str) -> String) -> BatchList {
        match self {
            BatchList::Words(text) => BatchList::Words(change(text)),
            BatchList::Files { below, patterns } => {
                BatchList::Files { below: change(below), patterns: change(patterns) }
            }
            BatchList::Numbers(text) => BatchList::Numbers(change(text)),
            BatchList::Other(text) => BatchList::Other(text.clone()),
        }
    }
}

/// Blocks in blocks.
const DEEPEST: usize = 64;

/// The commands of a line, or of a block of lines. What `||` leads to is left out: programs are taken to end well.
pub fn nodes(text: &str) -> Vec<BatchNode> {
    let mut parser = BatchParser { rest: text, depth: 0 };
    let mut all = Vec::new();
    while !parser.rest.trim_start().is_empty() {
        let before = parser.rest.len();
        parser.commands(false, &mut all);
        if parser.rest.len() == before {
            // A parenthesis that closes nothing.
            parser.skip(1);
        }
    }
    all
}

struct BatchParser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> BatchParser<'t> {
    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '@']);
    }

    /// Commands up to the end, or up to the `)` of a block.
    fn commands(&mut self, in_block: bool, all: &mut Vec<BatchNode>) {
        let mut is_left_out = false;
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || self.rest.starts_with(')') {
                return;
            }
            let node = self.command(in_block);
            if !is_left_out {
                all.push(node);
            }
            self.blanks();
            is_left_out = self.rest.starts_with("||");
            let operator = ["||", "&&", "&", "|"].iter().find(|operator| self.rest.starts_with(**operator));
            match operator {
                Some(operator) => self.skip(operator.len()),
                None if !in_block && !self.rest.starts_with(['\n']) => return,
                None => {}
            }
        }
    }

    fn command(&mut self, in_block: bool) -> BatchNode {
        self.blanks();
        if self.depth > DEEPEST {
            return BatchNode::Simple(std::mem::take(&mut self.rest).to_owned());
        }
        if self.rest.starts_with('(') {
            self.skip(1);
            self.depth += 1;
            let mut inside = Vec::new();
            self.commands(true, &mut inside);
            self.depth -= 1;
            self.skip(usize::from(self.rest.starts_with(')')));
            return BatchNode::Block(inside);
        }
        match self.word_ahead().to_ascii_lowercase().as_str() {
            "if" => {
                self.skip(2);
                self.depth += 1;
                let condition = self.condition();
                let then = Box::new(self.command(in_block));
                self.blanks();
                let otherwise = self.word_ahead().eq_ignore_ascii_case("else").then(|| {
                    self.skip(4);
                    Box::new(self.command(in_block))
                });
                self.depth -= 1;
                BatchNode::If { condition, then, otherwise }
            }
            "for" => {
                self.skip(3);
                self.depth += 1;
                let node = self.repeated(in_block);
                self.depth -= 1;
                node
            }
            _ => BatchNode::Simple(self.simple(in_block)),
        }
    }

    /// The letters that follow.
    fn word_ahead(&self) -> &'t str {
        let length = self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        self.rest.get(..length).unwrap_or_default()
    }

    /// A command up to an operator, the end of the line or of the block.
    fn simple(&mut self, in_block: bool) -> String {
        let (mut text, mut quoted, mut open) = (String::new(), false, 0usize);
        let mut chars = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '\n' => {
                    end = at;
                    break;
                }
                '^' if !quoted => text.extend(chars.next().map(|(_, c)| c)),
                '&' | '|' if !quoted => {
                    end = at;
                    break;
                }
                ')' if !quoted && in_block && open == 0 => {
                    end = at;
                    break;
                }
                c => {
                    quoted ^= c == '"';
                    if !quoted && c == '(' {
                        open += 1;
                    }
                    if !quoted && c == ')' {
                        open = open.saturating_sub(1);
                    }
                    text.push(c);
                }
            }
        }
        self.skip(end);
        text
    }

    fn condition(&mut self) -> BatchTest {
        self.blanks();
        let mut any_case = false;
        if self.rest.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("/i")) {
            self.skip(2);
            self.blanks();
            any_case = true;
        }
        let mut word = self.word_ahead().to_ascii_lowercase();
        let mut is_not = false;
        if word == "not" && self.rest.get(3..).is_some_and(|rest| rest.starts_with([' ', '\t'])) {
            self.skip(3);
            self.blanks();
            word = self.word_ahead().to_ascii_lowercase();
            is_not = true;
        }
        let condition = match word.as_str() {
            "exist" => BatchTest::Exists(self.operand_after(5)),
            "defined" => BatchTest::Defined(self.operand_after(7)),
            "errorlevel" => BatchTest::ErrorLevel(self.operand_after(10)),
            _ => self.comparison(any_case),
        };
        if is_not { BatchTest::Not(Box::new(condition)) } else { condition }
    }

    fn operand_after(&mut self, bytes: usize) -> String {
        self.skip(bytes);
        self.blanks();
        self.operand()
    }

    fn comparison(&mut self, any_case: bool) -> BatchTest {
        let left = self.operand();
        self.blanks();
        let operator = if self.rest.starts_with("==") {
            self.skip(2);
            "==".to_owned()
        } else {
            let word = self.word_ahead();
            self.skip(word.len());
            word.to_ascii_lowercase()
        };
        self.blanks();
        let right = self.operand();
        BatchTest::Compare { left, operator, right, any_case }
    }

    /// A text up to a space or `==`.
    fn operand(&mut self) -> String {
        let mut quoted = false;
        let mut end = self.rest.len();
        for (at, c) in self.rest.char_indices() {
            quoted ^= c == '"';
            let is_equal = self.rest.get(at..).is_some_and(|rest| rest.starts_with("=="));
            if !quoted && (c.is_whitespace() || is_equal) {
                end = at;
                break;
            }
        }
        let text = self.rest.get(..end).unwrap_or_default().to_owned();
        self.skip(end);
        text
    }

    fn repeated(&mut self, in_block: bool) -> BatchNode {
        self.blanks();
        let head = self.rest.find('%').map_or("", |at| self.rest.get(..at).unwrap_or_default()).trim();
        self.skip(self.rest.find('%').map_or(self.rest.len(), |at| at + 1));
        let letter = self.rest.chars().next().unwrap_or(' ');
        self.skip(letter.len_utf8());
        self.skip(self.rest.find('(').map_or(self.rest.len(), |at| at + 1));
        let end = self.rest.find(')').unwrap_or(self.rest.len());
        let list = self.rest.get(..end).unwrap_or_default().replace('\n', " ");
        self.skip(end + 1);
        self.blanks();
        if self.word_ahead().eq_ignore_ascii_case("do") {
            self.skip(2);
        }
        let body = Box::new(self.command(in_block));
        let kind = head.get(..2).unwrap_or_default().to_ascii_lowercase();
        let listed = match kind.as_str() {
            "" => BatchList::Words(list),
            "/l" => BatchList::Numbers(list),
            "/r" => BatchList::Files { below: head.get(2..).unwrap_or_default().trim().to_owned(), patterns: list },
            _ => BatchList::Other(format!("{head} ({list})")),
        };
        BatchNode::For { letter, listed, body }
    }
}
