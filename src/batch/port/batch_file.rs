//! `.cmd` and `.bat`: an interpreter of what build scripts have. It follows `set`, `call :LABEL ARGUMENTS`, `goto`, `if`, `for`
//! over lists, numbers and files, blocks, `&` and `||`, `%NAME%`, `%1`, `%~dp0`, `%NAME:a=b%` and `!NAME!`, and other batch files of
//! the tree, with what they are given. Every program is taken to end well. What is not followed is named.

use super::batch_syntax::{BatchList, BatchNode, BatchTest, nodes};
use super::batch_text::{compare, cut, known, part, replaced, with_letter, words_of_list};
use super::script::{Reading, Script, ScriptCall, joined};
use super::words::{is_open, tool_in, unknown, windows_words};
use std::collections::BTreeMap;

/// Lines that are run.
const MOST_STEPS: usize = 200_000;
/// Calls in calls.
const DEEPEST: usize = 64;
/// Batch files that run each other.
const DEEPEST_SCRIPTS: usize = 16;
/// Characters of a line with its variables.
const LONGEST: usize = 1 << 15;
/// Rounds of `for /l`.
const MOST_ROUNDS: usize = 4096;

/// Gives the text of a file of the tree.
type Texts<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What a script does when it is run without arguments.
pub fn read(script: &Script, texts: Texts) -> Reading {
    let directory = script.directory();
    run_script(script, &[], BatchState { directory, ..BatchState::default() }, 0, texts).0.reading
}

/// What a script does that another description runs.
pub fn read_call(script: &Script, call: &ScriptCall, texts: Texts) -> Reading {
    let state = BatchState { directory: call.directory.clone(), ..BatchState::default() };
    run_script(script, &call.arguments, state, 1, texts).0.reading
}

/// Runs a script from its beginning. Gives whether the scripts that run it are to end, too.
fn run_script(
    script: &Script,
    arguments: &[String],
    state: BatchState,
    depth: usize,
    texts: Texts,
) -> (BatchState, bool) {
    let lines: Vec<&str> = script.text.trim_start_matches('\u{feff}').lines().collect();
    let mut labels = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(label) = label(line) {
            labels.entry(label).or_insert(at);
        }
    }
    let mut running = BatchRun { script: *script, lines, labels, texts, before: Vec::new(), state };
    let ends = running.run(0, arguments, depth);
    (running.state, ends)
}

/// The label that a line is. `::` begins a remark.
fn label(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix(':').filter(|rest| !rest.starts_with(':'))?;
    rest.split_whitespace().next().map(str::to_ascii_lowercase)
}

/// Where a script goes on.
enum BatchFlow {
    Next,
    Label(String),
    Return,
    End,
}

/// What scripts that run each other share.
#[derive(Default)]
struct BatchState {
    /// By names in upper case.
    variables: BTreeMap<String, String>,
    /// Where they are, from the tree.
    directory: String,
    reading: Reading,
    steps: usize,
}

struct BatchRun<'a> {
    script: Script<'a>,
    lines: Vec<&'a str>,
    labels: BTreeMap<String, usize>,
    texts: Texts<'a>,
    /// Of `pushd`.
    before: Vec<String>,
    state: BatchState,
}

/// What a line is run with.
struct BatchFrame<'f> {
    line: usize,
    arguments: &'f mut Vec<String>,
    depth: usize,
}

impl BatchRun<'_> {
    /// Runs from a line on, until the script or the call ends. Gives whether the script is to end.
    fn run(&mut self, start: usize, arguments: &[String], depth: usize) -> bool {
        let mut arguments = arguments.to_vec();
        let mut at = start;
        while at < self.lines.len() {
            self.state.steps += 1;
            if self.state.steps > MOST_STEPS {
                self.state.reading.note(&self.script, at + 1, "the script runs for longer than it is followed");
                return true;
            }
            let (text, next) = self.logical(at);
            let line = at + 1;
            at = next;
            if label(&text).is_some() || text.trim_start().starts_with("::") {
                continue;
            }
            let text = self.expanded(&text, &arguments);
            if text.len() > LONGEST {
                self.state.reading.note(&self.script, line, "the line is longer than lines that are followed");
                continue;
            }
            let mut frame = BatchFrame { line, arguments: &mut arguments, depth };
            match self.all(&nodes(&text), &mut frame) {
                BatchFlow::Next => {}
                BatchFlow::Return => return false,
                BatchFlow::End => return true,
                BatchFlow::Label(label) if label == "eof" => return false,
                BatchFlow::Label(label) => match self.labels.get(&label) {
                    Some(place) => at = *place + 1,
                    None => {
                        self.state.reading.note(&self.script, line, &format!("there is no label `{label}`"));
                        return true;
                    }
                },
            }
        }
        false
    }

    /// A line with those that it goes on in: after `^`, and to the end of a block.
    fn logical(&self, start: usize) -> (String, usize) {
        let mut text = String::new();
        let mut at = start;
        while let Some(line) = self.lines.get(at) {
            at += 1;
            match line.strip_suffix('^') {
                Some(before) => text.push_str(before),
                None => {
                    text.push_str(line);
                    if open_blocks(&text) == 0 {
                        break;
                    }
                    text.push('\n');
                }
            }
        }
        (text, at)
    }

    fn expanded(&self, text: &str, arguments: &[String]) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('%') {
            out.push_str(before);
            rest = after;
            if let Some(after) = rest.strip_prefix('%') {
                out.push('%');
                rest = after;
            } else if let Some((value, after)) = self.argument(rest, arguments) {
                out.push_str(&value);
                rest = after;
            } else if let Some((name, after)) = rest.split_once('%').filter(|(name, _)| !name.contains('\n')) {
                out.push_str(&self.variable(name));
                rest = after;
            }
            if out.len() > LONGEST {
                break;
            }
        }
        out.push_str(rest);
        out
    }

    /// `1`, `*`, `~dp0`, `~n1` behind a `%`, with what follows.
    fn argument<'t>(&self, text: &'t str, arguments: &[String]) -> Option<(String, &'t str)> {
        if let Some(after) = text.strip_prefix('*') {
            return Some((arguments.join(" "), after));
        }
        let (form, from) = match text.strip_prefix('~') {
            Some(rest) => {
                let length = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
                rest.split_at(length)
            }
            None => ("=", text),
        };
        let digit = from.chars().next()?.to_digit(10)?;
        let after = from.get(1..)?;
        if digit == 0 {
            return Some((self.own_name(form), after));
        }
        let value = arguments.get(digit as usize - 1).cloned().unwrap_or_default();
        Some((if form == "=" { value } else { part(&value, form) }, after))
    }

    /// `%0` in a form such as `~dp0`.
    fn own_name(&self, form: &str) -> String {
        match form.contains('d') || form.contains('p') {
            true => format!("{ROOT}{}/", self.script.directory()),
            false => String::new(),
        }
    }

    /// `NAME`, `NAME:a=b` or `NAME:~1,2`.
    fn variable(&self, text: &str) -> String {
        let (name, change) = text.split_once(':').map_or((text, None), |(name, change)| (name, Some(change)));
        let name = name.to_ascii_uppercase();
        let value = match (self.state.variables.get(&name), name.as_str()) {
            (Some(value), _) => value.clone(),
            (None, "ERRORLEVEL") => "0".to_owned(),
            (None, "CD") if is_open(&self.state.directory) => unknown(&name),
            (None, "CD") => format!("{ROOT}{}", self.state.directory),
            (None, _) => return unknown(&name),
        };
        match change {
            None => value,
            Some(change) => match (change.strip_prefix('~'), change.split_once('=')) {
                (Some(range), _) => cut(&value, range),
                (None, Some((old, new))) if !old.is_empty() => replaced(&value, old, new),
                (None, _) => value,
            },
        }
    }

    fn all(&mut self, nodes: &[BatchNode], frame: &mut BatchFrame) -> BatchFlow {
        for node in nodes {
            match self.one(node, frame) {
                BatchFlow::Next => {}
                other => return other,
            }
        }
        BatchFlow::Next
    }

    fn one(&mut self, node: &BatchNode, frame: &mut BatchFrame) -> BatchFlow {
        match node {
            BatchNode::Simple(text) => self.simple(text, frame),
            BatchNode::Block(nodes) => self.all(nodes, frame),
            BatchNode::If { condition, then, otherwise } => {
                let chosen = if self.holds(condition) { Some(then) } else { otherwise.as_ref() };
                chosen.map_or(BatchFlow::Next, |node| self.one(node, frame))
            }
            BatchNode::For { letter, listed, body } => {
                let values = self.values(listed, frame.line);
                for value in values.into_iter().take(MOST_ROUNDS) {
                    self.state.steps += 1;
                    if self.state.steps > MOST_STEPS {
                        return BatchFlow::End;
                    }
                    let body = body.with(&|text: &str| with_letter(text, *letter, &value));
                    match self.one(&body, frame) {
                        BatchFlow::Next => {}
                        other => return other,
                    }
                }
                BatchFlow::Next
            }
        }
    }

    fn holds(&self, condition: &BatchTest) -> bool {
        match condition {
            BatchTest::Not(inner) => !self.holds(inner),
            BatchTest::Exists(path) => {
                let path = self.placed(self.delayed(path).trim_matches('"'));
                self.script.has(&self.state.directory, &path)
                    || !self.script.matching(&self.state.directory, &path, false).is_empty()
            }
            BatchTest::Defined(name) => self.state.variables.contains_key(&name.to_ascii_uppercase()),
            // Programs are taken to end well.
            BatchTest::ErrorLevel(level) => level.trim() == "0",
            BatchTest::Compare { left, operator, right, any_case } => {
                let (left, right) = (known(&self.delayed(left)), known(&self.delayed(right)));
                let (left, right) = if *any_case { (left.to_lowercase(), right.to_lowercase()) } else { (left, right) };
                compare(&left, operator, &right)
            }
        }
    }

    fn values(&mut self, listed: &BatchList, line: usize) -> Vec<String> {
        match listed {
            BatchList::Words(text) => {
                let text = self.delayed(text);
                let mut values = Vec::new();
                for word in words_of_list(&text) {
                    match word.contains(['*', '?']) {
                        true => {
                            values.extend(self.script.matching(&self.state.directory, word.trim_matches('"'), false))
                        }
                        false => values.push(word),
                    }
                }
                values
            }
            BatchList::Files { below, patterns } => {
                let below = joined(&self.state.directory, &self.placed(self.delayed(below).trim_matches('"')));
                let back =
                    below.strip_prefix(&self.state.directory).unwrap_or_default().trim_start_matches('/').to_owned();
                let of = |pattern: &String| self.script.matching(&below, pattern.trim_matches('"'), true);
                words_of_list(patterns).iter().flat_map(of).map(|file| joined(&back, &file)).collect()
            }
            BatchList::Numbers(text) => {
                let numbers: Vec<i64> = text.split(',').filter_map(|n| n.trim().parse().ok()).collect();
                let [start, step, end] = numbers.as_slice() else { return Vec::new() };
                let mut values = Vec::new();
                let mut at = *start;
                while *step != 0 && values.len() < MOST_ROUNDS && (if *step > 0 { at <= *end } else { at >= *end }) {
                    values.push(at.to_string());
                    at = at.saturating_add(*step);
                }
                values
            }
            BatchList::Other(text) => {
                self.state.reading.note(&self.script, line, &format!("`for {text}` is not followed"));
                Vec::new()
            }
        }
    }

    /// `!NAME!`.
    fn delayed(&self, text: &str) -> String {
        if !self.state.variables.contains_key(DELAYED) {
            return text.to_owned();
        }
        let mut out = String::new();
        for (at, part) in text.split('!').enumerate() {
            out.push_str(&if at % 2 == 0 { part.to_owned() } else { self.variable(part) });
        }
        out
    }

    fn simple(&mut self, text: &str, frame: &mut BatchFrame) -> BatchFlow {
        let text = self.delayed(text.trim().trim_start_matches('@'));
        let length = text.find(|c: char| c.is_whitespace() || "=;,/(".contains(c)).unwrap_or(text.len());
        let (first, rest) = text.split_at(length);
        let rest_trimmed = rest.trim();
        match first.to_ascii_lowercase().trim_end_matches([':', '.']) {
            "" | "rem" | "echo" | "endlocal" => BatchFlow::Next,
            "setlocal" => {
                if rest.to_ascii_lowercase().contains("enabledelayedexpansion") {
                    self.state.variables.insert(DELAYED.to_owned(), String::new());
                }
                BatchFlow::Next
            }
            "set" => {
                self.set(rest, frame.line);
                BatchFlow::Next
            }
            "goto" => BatchFlow::Label(rest_trimmed.trim_start_matches(':').trim().to_ascii_lowercase()),
            "exit" if rest_trimmed.to_ascii_lowercase().starts_with("/b") => BatchFlow::Return,
            "exit" => BatchFlow::End,
            "shift" => {
                if !frame.arguments.is_empty() {
                    frame.arguments.remove(0);
                }
                BatchFlow::Next
            }
            "cd" | "chdir" | "pushd" => {
                if first.eq_ignore_ascii_case("pushd") {
                    self.before.push(self.state.directory.clone());
                }
                self.go(rest_trimmed, frame.line);
                BatchFlow::Next
            }
            "popd" => {
                self.state.directory = self.before.pop().unwrap_or_else(|| self.script.directory());
                BatchFlow::Next
            }
            "call" if rest_trimmed.starts_with(':') => self.call(rest_trimmed, frame),
            _ => self.program(&text, frame),
        }
    }

    fn call(&mut self, text: &str, frame: &mut BatchFrame) -> BatchFlow {
        let words = words_of_list(text.trim_start_matches(':'));
        let Some((label, arguments)) = words.split_first() else { return BatchFlow::Next };
        let label = label.to_ascii_lowercase();
        let Some(place) = self.labels.get(&label).copied() else {
            self.state.reading.note(&self.script, frame.line, &format!("there is no label `{label}`"));
            return BatchFlow::Next;
        };
        if frame.depth >= DEEPEST {
            self.state.reading.note(&self.script, frame.line, "calls are deeper than they are followed");
            return BatchFlow::Next;
        }
        if self.run(place + 1, arguments, frame.depth + 1) { BatchFlow::End } else { BatchFlow::Next }
    }

    fn go(&mut self, text: &str, line: usize) {
        let path = text.strip_prefix("/d").or_else(|| text.strip_prefix("/D")).unwrap_or(text).trim().trim_matches('"');
        if path.is_empty() {
            return;
        }
        if is_open(path) {
            self.state.reading.note(&self.script, line, "it goes to a directory that is not known");
        }
        self.state.directory = if is_open(path) { unknown("CD") } else { self.path(path) };
    }

    /// A path, which may begin at the tree's root.
    fn path(&self, path: &str) -> String {
        match path.strip_prefix(ROOT) {
            Some(rest) => joined("", rest),
            None => joined(&self.state.directory, path),
        }
    }

    fn set(&mut self, text: &str, line: usize) {
        let text = text.trim_start();
        if text.starts_with(['/']) {
            let name = text.split_once('=').map_or("", |(before, _)| before).rsplit(' ').next().unwrap_or_default();
            let number = text.strip_prefix("/a").or_else(|| text.strip_prefix("/A"));
            let sum = number.and_then(|n| n.split_once('=')).and_then(|(_, value)| self.sum(value));
            match sum {
                Some(sum) => drop(self.state.variables.insert(name.trim().to_ascii_uppercase(), sum.to_string())),
                None => {
                    self.state.variables.remove(&name.trim().to_ascii_uppercase());
                    self.state.reading.note(&self.script, line, &format!("`set {}` is not followed", text.trim()));
                }
            }
            return;
        }
        let whole = text.strip_prefix('"').and_then(|rest| rest.rsplit_once('"')).map_or(text, |(inside, _)| inside);
        let Some((name, value)) = whole.split_once('=') else { return };
        let name = name.trim().to_ascii_uppercase();
        match value.trim_end() {
            "" => drop(self.state.variables.remove(&name)),
            value => drop(self.state.variables.insert(name, value.to_owned())),
        }
    }

    /// A sum of numbers and variables.
    fn sum(&self, text: &str) -> Option<i64> {
        let spaced = text.trim().trim_matches('"').replace('+', " + ").replace('-', " - ");
        let (mut total, mut sign) = (0i64, 1i64);
        for word in spaced.split_whitespace() {
            match word {
                "+" => sign = 1,
                "-" => sign = -1,
                word => {
                    let value = self.state.variables.get(&word.to_ascii_uppercase()).map_or(word, String::as_str);
                    total = total.checked_add(sign.checked_mul(value.trim().parse().ok()?)?)?;
                }
            }
        }
        Some(total)
    }

    fn program(&mut self, text: &str, frame: &BatchFrame) -> BatchFlow {
        // Redirections are of the shell.
        let text = text.split(['>', '<']).next().unwrap_or_default();
        let words: Vec<String> = windows_words(text).iter().map(|word| self.placed(word)).collect();
        let is_called = words.first().is_some_and(|first| first.eq_ignore_ascii_case("call"));
        let directory = self.state.directory.clone();
        if let Some(call) = self.script.called(&directory, &words).filter(|_| tool_in(&words).is_none()) {
            let ends = self.other(&call, frame);
            // Without `call` the other one takes the place of this one.
            return if ends || !is_called { BatchFlow::End } else { BatchFlow::Next };
        }
        if !is_called || tool_in(&words).is_some() {
            self.state.reading.command(&self.script, frame.line, &directory, &words);
        }
        BatchFlow::Next
    }

    /// Runs another batch file, which shares variables with this one. Gives whether this one is to end, too.
    fn other(&mut self, call: &ScriptCall, frame: &BatchFrame) -> bool {
        let Some(text) = (self.texts)(&call.name).filter(|_| frame.depth < DEEPEST_SCRIPTS) else {
            let fault = format!("`{}` is not followed", call.name);
            self.state.reading.note(&self.script, frame.line, &fault);
            return false;
        };
        let script = Script { name: &call.name, text: &text, files: self.script.files };
        let state = std::mem::take(&mut self.state);
        let (state, ends) = run_script(&script, &call.arguments, state, frame.depth + 1, self.texts);
        self.state = state;
        self.state.reading.called.insert(call.name.clone());
        ends
    }

    /// A word in which what begins at the tree's root is as seen from where the script is.
    fn placed(&self, word: &str) -> String {
        match word.split_once(ROOT) {
            None => word.to_owned(),
            Some((before, after)) => {
                let up = self.state.directory.split('/').filter(|part| !part.is_empty()).map(|_| "..");
                let up = up.collect::<Vec<_>>().join("/");
                let after = after.trim_start_matches(['/', '\\']);
                if up.is_empty() { format!("{before}{after}") } else { format!("{before}{up}/{after}") }
            }
        }
    }
}

/// The root of the tree.
const ROOT: &str = "\u{2}";
/// A variable that says that `!NAME!` is a variable.
const DELAYED: &str = "\u{2}DELAYED";

/// How many blocks are open at the end of a text, if it is a command that has blocks.
fn open_blocks(text: &str) -> usize {
    let start = text.trim_start().trim_start_matches('@').to_ascii_lowercase();
    let has_blocks = start.starts_with('(') || ["if ", "for ", ")"].iter().any(|word| start.starts_with(word));
    if !has_blocks {
        return 0;
    }
    let (mut open, mut quoted) = (0usize, false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '\n' => quoted = false,
            '(' if !quoted => open += 1,
            ')' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
}
