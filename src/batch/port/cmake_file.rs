//! `CMakeLists.txt` and `.cmake`: commands with `COMMAND`, and what they are made of. Files are followed as CMake runs them, through
//! `include`, `find_package` and `add_subdirectory`, with the functions and variables that they give to each other. Of an `if` whose
//! condition is not known all parts are read.

use super::cmake_condition::{CmakeWord, truth};
use super::cmake_scope::{CmakeScope, elements, from_place, in_tree, place_in_tree};
use super::cmake_syntax::{CmakeArgument, CmakeCall, cmake_calls};
use super::cmake_values::{component, list, numbers, parsed_arguments, string};
use super::script::{Reading, Script, joined};
use super::words::{is_open, is_shader, shown};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Commands that are run.
const MOST_STEPS: usize = 400_000;
/// Calls, files and loops in each other.
const DEEPEST: usize = 48;
/// Rounds of a `while`.
const MOST_ROUNDS: usize = 1000;

/// Whether a file is one of CMake, by its name.
pub fn is_cmake(file: &str) -> bool {
    let lower = file.to_ascii_lowercase();
    lower.ends_with(".cmake") || lower.rsplit('/').next() == Some("cmakelists.txt")
}

/// The files of CMake of a tree: each is read once.
pub struct CmakeTree<'a> {
    files: &'a [String],
    directories: BTreeSet<&'a str>,
    read: &'a dyn Fn(&str) -> Option<String>,
    texts: RefCell<BTreeMap<String, Rc<[CmakeCall]>>>,
    functions: OnceCell<BTreeMap<String, CmakeFunction>>,
}

/// A function or macro.
#[derive(Clone)]
struct CmakeFunction {
    file: String,
    calls: Rc<[CmakeCall]>,
    parameters: Vec<String>,
    body: (usize, usize),
    is_macro: bool,
}

impl<'a> CmakeTree<'a> {
    /// The files are sorted; `read` gives the text of one.
    pub fn new(files: &'a [String], read: &'a dyn Fn(&str) -> Option<String>) -> Self {
        let ends = |file: &'a str| file.match_indices('/').filter_map(|(at, _)| file.get(..at)).collect::<Vec<_>>();
        let directories = files.iter().flat_map(|file| ends(file)).collect();
        CmakeTree { files, directories, read, texts: RefCell::default(), functions: OnceCell::new() }
    }

    /// What each file says that no other runs: those nearest to the tree run the others.
    pub fn readings(&self) -> BTreeMap<&'a str, Reading> {
        let mut roots: Vec<&'a String> = self.files.iter().filter(|file| is_cmake(file)).collect();
        roots.sort_by_key(|file| (file.ends_with(".cmake"), file.matches('/').count()));
        let mut readings: BTreeMap<&str, Reading> = BTreeMap::new();
        let mut called: BTreeSet<String> = BTreeSet::new();
        for root in roots {
            if called.contains(root) {
                continue;
            }
            let reading = self.reading(root);
            called.extend(reading.called.iter().cloned());
            readings.insert(root, reading);
        }
        readings
    }

    fn reading(&self, root: &str) -> Reading {
        let directory = directory_of(root).to_owned();
        let mut scope = CmakeScope::default();
        for name in ["CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR", "CMAKE_CURRENT_SOURCE_DIR"] {
            scope.set(name, in_tree(&directory));
        }
        let mut run = CmakeRun {
            tree: self,
            functions: BTreeMap::new(),
            scopes: vec![scope],
            reading: Reading::default(),
            file: root.to_owned(),
            directory,
            steps: 0,
            uncertain: 0,
        };
        run.file(root, 0);
        run.reading
    }

    fn calls_of(&self, file: &str) -> Option<Rc<[CmakeCall]>> {
        if let Some(known) = self.texts.borrow().get(file) {
            return Some(Rc::clone(known));
        }
        let calls: Rc<[CmakeCall]> = cmake_calls(&(self.read)(file)?).into();
        self.texts.borrow_mut().insert(file.to_owned(), Rc::clone(&calls));
        Some(calls)
    }

    /// A function that a file of the tree declares which nothing is known to include.
    fn function(&self, name: &str) -> Option<CmakeFunction> {
        let all = self.functions.get_or_init(|| {
            let mut all = BTreeMap::new();
            for file in self.files.iter().filter(|file| is_cmake(file)) {
                let Some(calls) = self.calls_of(file) else { continue };
                for at in 0..calls.len() {
                    if let Some((name, function, _)) = declared(file, &calls, at) {
                        all.entry(name).or_insert(function);
                    }
                }
            }
            all
        });
        all.get(name).cloned()
    }

    /// The file that `include(NAME)` or `find_package(NAME)` reads: of that name, or the only one that is called so.
    fn module(&self, directory: &str, name: &str) -> Option<String> {
        let has = |path: &String| self.files.binary_search(path).is_ok();
        if let Some(found) = place_in_tree(directory, name).filter(has) {
            return Some(found);
        }
        let known = name.rsplit(['\u{1}', '\u{2}']).next().unwrap_or(name).trim_start_matches('/');
        let file = if known.ends_with(".cmake") { known.to_owned() } else { format!("{known}.cmake") };
        let ends = |path: &&String| {
            let before = path.strip_suffix(file.as_str());
            !known.is_empty() && before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let mut found = self.files.iter().filter(ends);
        found.next().filter(|_| found.next().is_none()).cloned()
    }
}

fn directory_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The function that a command declares, and the place behind it.
fn declared(file: &str, calls: &Rc<[CmakeCall]>, at: usize) -> Option<(String, CmakeFunction, usize)> {
    let call = calls.get(at).filter(|call| call.name == "function" || call.name == "macro")?;
    let last = ending(calls, at + 1, calls.len(), &["function", "macro"], &["endfunction", "endmacro"]);
    let words: Vec<String> = call.arguments.iter().map(|a| a.text.clone()).collect();
    let (name, parameters) = words.split_first()?;
    let function = CmakeFunction {
        file: file.to_owned(),
        calls: Rc::clone(calls),
        parameters: parameters.to_vec(),
        body: (at + 1, last),
        is_macro: call.name == "macro",
    };
    Some((name.to_ascii_lowercase(), function, last + 1))
}

/// The place of the command that ends a block.
fn ending(calls: &[CmakeCall], start: usize, end: usize, opening: &[&str], closing: &[&str]) -> usize {
    let mut depth = 0usize;
    for at in start..end {
        let name = calls.get(at).map_or("", |call| call.name.as_str());
        if opening.contains(&name) {
            depth += 1;
        } else if closing.contains(&name) {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        }
    }
    end
}

/// How commands go on.
#[derive(Clone, Copy, PartialEq)]
enum CmakeFlow {
    Next,
    Break,
    Continue,
    Return,
}

/// What a command sets, by its words: the variable and its value.
type CmakeSetter = fn(&CmakeScope, &[&str]) -> Option<(String, String)>;

struct CmakeRun<'a> {
    tree: &'a CmakeTree<'a>,
    functions: BTreeMap<String, CmakeFunction>,
    /// The last is of the function or directory that runs.
    scopes: Vec<CmakeScope>,
    reading: Reading,
    /// The file that runs.
    file: String,
    /// The directory whose `CMakeLists.txt` runs.
    directory: String,
    steps: usize,
    /// The `if`s around a command, in its function or file, of which it is not known whether it runs.
    uncertain: usize,
}

impl CmakeRun<'_> {
    /// Runs a file in the scope that there is.
    fn file(&mut self, file: &str, depth: usize) {
        let Some(calls) = self.tree.calls_of(file) else { return };
        let before = std::mem::replace(&mut self.file, file.to_owned());
        let (uncertain, directory) = (std::mem::take(&mut self.uncertain), self.list_directory());
        self.set("CMAKE_CURRENT_LIST_DIR", in_tree(directory_of(file)));
        self.set("CMAKE_CURRENT_LIST_FILE", in_tree(file));
        self.run_from_start(&calls, (0, calls.len()), depth);
        self.set("CMAKE_CURRENT_LIST_DIR", directory);
        self.uncertain = uncertain;
        self.file = before;
    }

    fn list_directory(&self) -> String {
        let known = self.scope().and_then(|scope| scope.get("CMAKE_CURRENT_LIST_DIR"));
        known.map_or_else(|| in_tree(directory_of(&self.file)), str::to_owned)
    }

    fn scope(&self) -> Option<&CmakeScope> {
        self.scopes.last()
    }

    fn set(&mut self, name: &str, value: String) {
        self.scopes.iter_mut().next_back().into_iter().for_each(|scope| scope.set(name, value.clone()));
    }

    fn note(&mut self, line: usize, text: &str) {
        let script = Script { name: &self.file, text: "", files: self.tree.files };
        self.reading.note(&script, line, text);
    }

    /// Runs a file or the body of a function. What it sets has no value before, unless it is given one from elsewhere.
    fn run_from_start(&mut self, calls: &Rc<[CmakeCall]>, part: (usize, usize), depth: usize) {
        let names = calls.get(part.0..part.1).unwrap_or_default().iter().filter_map(CmakeCall::sets);
        let scope = self.scopes.iter_mut().next_back().into_iter();
        scope.for_each(|scope| names.clone().for_each(|name| scope.has_no_value_yet(name)));
        self.run(calls, part, depth);
    }

    fn run(&mut self, calls: &Rc<[CmakeCall]>, part: (usize, usize), depth: usize) -> CmakeFlow {
        let (mut at, end) = part;
        while at < end {
            let Some(call) = calls.get(at) else { break };
            at += 1;
            self.steps += 1;
            if self.steps > MOST_STEPS || depth > DEEPEST {
                self.note(call.line, "the file runs for longer than it is followed");
                return CmakeFlow::Return;
            }
            let flow = match call.name.as_str() {
                "foreach" => {
                    let last = ending(calls, at, end, &["foreach"], &["endforeach"]);
                    let body = std::mem::replace(&mut at, last + 1);
                    self.repeat(call, calls, (body, last), depth)
                }
                "while" => {
                    let last = ending(calls, at, end, &["while"], &["endwhile"]);
                    let body = std::mem::replace(&mut at, last + 1);
                    self.repeat_while(call, calls, (body, last), depth)
                }
                "if" => {
                    let last = ending(calls, at, end, &["if"], &["endif"]);
                    let body = std::mem::replace(&mut at, last + 1);
                    self.branch(calls, (body, last), depth)
                }
                "function" | "macro" => {
                    let file = self.file.clone();
                    if let Some((name, function, next)) = declared(&file, calls, at - 1) {
                        self.functions.insert(name, function);
                        at = next;
                    }
                    CmakeFlow::Next
                }
                "break" if self.uncertain == 0 => CmakeFlow::Break,
                "continue" if self.uncertain == 0 => CmakeFlow::Continue,
                "return" if self.uncertain == 0 => CmakeFlow::Return,
                _ => {
                    self.one(call, depth);
                    CmakeFlow::Next
                }
            };
            if flow != CmakeFlow::Next {
                return flow;
            }
        }
        CmakeFlow::Next
    }

    fn repeat(&mut self, call: &CmakeCall, calls: &Rc<[CmakeCall]>, body: (usize, usize), depth: usize) -> CmakeFlow {
        let words = self.words(&call.arguments);
        let Some((name, rest)) = words.split_first() else { return CmakeFlow::Next };
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        let values: Vec<String> = match rest.as_slice() {
            ["IN", "LISTS", names @ ..] => {
                let lists = names.iter().take_while(|name| **name != "ITEMS").map(|name| self.variable(name));
                let listed = lists.flat_map(|list| elements(&list)).collect::<Vec<_>>();
                let items = names.iter().skip_while(|name| **name != "ITEMS").skip(1).map(|item| (*item).to_owned());
                listed.into_iter().chain(items).collect()
            }
            ["IN", "ITEMS", items @ ..] => items.iter().map(|item| (*item).to_owned()).collect(),
            ["RANGE", range @ ..] => numbers(range, MOST_STEPS),
            items => items.iter().map(|item| (*item).to_owned()).collect(),
        };
        for value in values {
            self.set(name, value);
            match self.run(calls, body, depth + 1) {
                CmakeFlow::Next | CmakeFlow::Continue => {}
                CmakeFlow::Break => break,
                CmakeFlow::Return => return CmakeFlow::Return,
            }
        }
        CmakeFlow::Next
    }

    /// A loop whose condition is not known is run once.
    fn repeat_while(
        &mut self,
        call: &CmakeCall,
        calls: &Rc<[CmakeCall]>,
        body: (usize, usize),
        depth: usize,
    ) -> CmakeFlow {
        for _ in 0..MOST_ROUNDS {
            let truth = self.truth(&call.arguments);
            if truth == Some(false) {
                break;
            }
            match self.run(calls, body, depth + 1) {
                CmakeFlow::Next | CmakeFlow::Continue => {}
                CmakeFlow::Break => break,
                CmakeFlow::Return => return CmakeFlow::Return,
            }
            if truth.is_none() {
                break;
            }
        }
        CmakeFlow::Next
    }

    /// The parts of an `if` that may run. What stands before `body` is the `if` itself.
    fn branch(&mut self, calls: &Rc<[CmakeCall]>, body: (usize, usize), depth: usize) -> CmakeFlow {
        let (start, end) = body;
        let mut is_certain = true;
        let mut at = start - 1;
        while at < end {
            let Some(clause) = calls.get(at) else { break };
            let next = next_clause(calls, at + 1, end);
            let truth = if clause.name == "else" { Some(true) } else { self.truth(&clause.arguments) };
            is_certain &= truth.is_some();
            if truth != Some(false) {
                self.uncertain += usize::from(!is_certain);
                let flow = self.run(calls, (at + 1, next), depth + 1);
                self.uncertain -= usize::from(!is_certain);
                if flow != CmakeFlow::Next || truth == Some(true) {
                    return flow;
                }
            }
            at = next;
        }
        CmakeFlow::Next
    }

    fn truth(&self, arguments: &[CmakeArgument]) -> Option<bool> {
        let words: Vec<CmakeWord> = arguments.iter().flat_map(|argument| self.condition_words(argument)).collect();
        let exists = |path: &str| {
            let place = place_in_tree(&self.directory, path)?;
            let is_there = place.is_empty() || self.tree.directories.contains(place.as_str());
            (is_there || self.tree.files.binary_search(&place).is_ok()).then_some(true)
        };
        truth(&words, self.scope()?, &exists)
    }

    fn condition_words(&self, argument: &CmakeArgument) -> Vec<CmakeWord> {
        let text = self.expanded(&argument.text);
        let is_quoted = argument.is_quoted;
        match is_quoted {
            true => vec![CmakeWord { text, is_quoted }],
            false => elements(&text).into_iter().map(|text| CmakeWord { text, is_quoted }).collect(),
        }
    }

    fn one(&mut self, call: &CmakeCall, depth: usize) {
        let words = self.words(&call.arguments);
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        match (call.name.as_str(), texts.as_slice()) {
            ("set", [name, values @ ..]) => self.assign(name, values),
            ("unset", [name, ..]) => self.scopes.iter_mut().next_back().into_iter().for_each(|scope| scope.unset(name)),
            ("option" | "cmake_dependent_option", [name, _, value, ..]) => self.choose(name, (*value).to_owned()),
            ("option", [name, ..]) => self.choose(name, "OFF".to_owned()),
            ("list", words) => self.assigned(list, words),
            ("string", words) => self.assigned(string, words),
            ("file", words) => self.files(call, words),
            ("configure_file", [_, output, ..]) => self.written(call, output),
            ("get_filename_component", [name, path, kind, ..]) => {
                let place = place_in_tree(&self.directory, path).filter(|_| matches!(*kind, "ABSOLUTE" | "REALPATH"));
                self.set(name, place.map_or_else(|| component(path, kind), |place| in_tree(&place)));
            }
            ("cmake_path", ["GET", path, kind, name]) => {
                let value = component(&self.variable(path), if *kind == "STEM" { "NAME_WE" } else { "NAME" });
                self.set(name, value);
            }
            ("cmake_parse_arguments", words) => self.keywords(words),
            ("project", [name, ..]) => {
                let here = in_tree(&self.directory);
                self.set("PROJECT_NAME", (*name).to_owned());
                self.set("PROJECT_SOURCE_DIR", here.clone());
                self.set(&format!("{name}_SOURCE_DIR"), here);
            }
            ("find_path" | "find_file" | "find_program", [name, rest @ ..]) => self.find(&call.name, name, rest),
            ("include", [file, ..]) => self.include(file, depth),
            ("find_package", [name, ..]) => self.include(&format!("Find{name}"), depth),
            ("add_subdirectory", [directory, ..]) => self.subdirectory(directory, depth),
            ("add_custom_command" | "add_custom_target" | "execute_process", _) => self.commands(call, &texts),
            (name, _) => self.call(name, &words, depth),
        }
    }

    /// `set(NAME VALUES...)`, for the scope around this one, or as a choice.
    fn assign(&mut self, name: &str, values: &[&str]) {
        let end = values.iter().position(|v| *v == "CACHE" || *v == "PARENT_SCOPE").unwrap_or(values.len());
        let value = values.get(..end).unwrap_or_default().join(";");
        match values.get(end) {
            Some(&"CACHE") => self.choose(name, value),
            Some(_) => self.scopes.iter_mut().rev().nth(1).into_iter().for_each(|scope| scope.set(name, value.clone())),
            None => self.set(name, value),
        }
    }

    fn choose(&mut self, name: &str, value: String) {
        self.scopes.iter_mut().next_back().into_iter().for_each(|scope| scope.choose(name, value.clone()));
    }

    fn assigned(&mut self, what: CmakeSetter, words: &[&str]) {
        if let Some((name, value)) = self.scope().and_then(|scope| what(scope, words)) {
            self.set(&name, value);
        }
    }

    fn files(&mut self, call: &CmakeCall, words: &[&str]) {
        match words {
            [kind @ ("GLOB" | "GLOB_RECURSE"), name, rest @ ..] => {
                let (relative, patterns) = match rest {
                    ["RELATIVE", from, patterns @ ..] => (place_in_tree(&self.directory, from), patterns),
                    patterns => (None, patterns),
                };
                let patterns = patterns.iter().filter(|word| !GLOB_WORDS.contains(word));
                let found: Vec<String> = patterns.flat_map(|p| self.matching(p, *kind == "GLOB_RECURSE")).collect();
                let one = |path: &String| match relative.as_deref() {
                    Some("") => path.clone(),
                    Some(from) => path.strip_prefix(&format!("{from}/")).unwrap_or(path).to_owned(),
                    None => in_tree(path),
                };
                self.set(name, found.iter().map(one).collect::<Vec<_>>().join(";"));
            }
            ["WRITE" | "GENERATE" | "CONFIGURE" | "APPEND", rest @ ..] => {
                let path = rest.iter().find(|word| **word != "OUTPUT");
                path.into_iter().for_each(|path| self.written(call, path));
            }
            _ => {}
        }
    }

    /// The files and directories that a pattern means, from the tree.
    fn matching(&self, pattern: &str, is_deep: bool) -> Vec<String> {
        let Some(place) = place_in_tree(&self.directory, pattern) else { return Vec::new() };
        let (within, name) = place.rsplit_once('/').unwrap_or(("", &place));
        let script = Script { name: "", text: "", files: self.tree.files };
        if is_deep && !within.contains(['*', '?', '[']) {
            return script.matching(within, name, true).iter().map(|file| joined(within, file)).collect();
        }
        let mut found = script.matching("", &place, false);
        if name == "*" {
            let is_in = |directory: &&&str| directory_of(directory) == within && !directory.is_empty();
            found.extend(self.tree.directories.iter().filter(is_in).map(|directory| (*directory).to_owned()));
        }
        found
    }

    /// A header that the build writes and that is not there yet.
    fn written(&mut self, call: &CmakeCall, path: &str) {
        let Some(place) = place_in_tree(&self.directory, path) else { return };
        if is_shader(&place) && self.tree.files.binary_search(&place).is_err() {
            self.note(
                call.line,
                &format!("`{place}` is written by the build, which has not run: run it, then port again"),
            );
        }
    }

    /// `find_path(NAME names PATHS directories)`: the first directory of the tree that has the file. A program is what it is called.
    fn find(&mut self, kind: &str, name: &str, rest: &[&str]) {
        let part = |from: &[&str]| {
            let words = rest.iter().skip_while(|word| !from.contains(word)).skip(1);
            words.take_while(|word| !FIND_WORDS.contains(word)).map(|word| (*word).to_owned()).collect::<Vec<_>>()
        };
        let names = match part(&["NAMES"]) {
            names if names.is_empty() => rest.first().map(|name| (*name).to_owned()).into_iter().collect(),
            names => names,
        };
        if kind == "find_program" {
            let is_known = self.scope().is_some_and(|scope| scope.get(name).is_some());
            if let Some(program) = names.first().filter(|program| !is_known && !is_open(program)) {
                self.choose(name, program.clone());
            }
            return;
        }
        let directories = [part(&["PATHS"]), part(&["HINTS"])].concat();
        let places = directories.iter().filter_map(|directory| place_in_tree(&self.directory, directory));
        let has = |directory: &String| {
            names.iter().any(|name| self.tree.files.binary_search(&joined(directory, name)).is_ok())
        };
        let found = places.into_iter().find(has);
        if let Some(found) = found {
            self.set(name, in_tree(&found));
        }
    }

    fn include(&mut self, name: &str, depth: usize) {
        if let Some(file) = self.tree.module(&self.directory, name).filter(|file| *file != self.file) {
            self.reading.called.insert(file.clone());
            self.file(&file, depth + 1);
        }
    }

    fn subdirectory(&mut self, directory: &str, depth: usize) {
        let Some(place) = place_in_tree(&self.directory, directory) else { return };
        let file = joined(&place, "CMakeLists.txt");
        if self.tree.files.binary_search(&file).is_err() || file == self.file {
            return;
        }
        self.reading.called.insert(file.clone());
        let before = std::mem::replace(&mut self.directory, place.clone());
        self.scopes.push(self.scope().cloned().unwrap_or_default());
        self.set("CMAKE_CURRENT_SOURCE_DIR", in_tree(&place));
        self.file(&file, depth + 1);
        self.scopes.pop();
        self.directory = before;
    }

    /// The commands of a rule, each up to the next word that says something else.
    fn commands(&mut self, call: &CmakeCall, words: &[&str]) {
        let own = words.iter().skip_while(|word| **word != "WORKING_DIRECTORY").nth(1);
        let own = own.and_then(|directory| place_in_tree(&self.directory, directory));
        let directory = own.unwrap_or_else(|| self.directory.clone());
        let is_verbatim = words.contains(&"VERBATIM");
        for command in words.split(|word| *word == "COMMAND").skip(1) {
            let end = command.iter().position(|word| AFTER.contains(word)).unwrap_or(command.len());
            let command = command.iter().take(end).map(|word| from_place(&directory, word));
            let command: Vec<String> = command.map(|word| if is_verbatim { word } else { unquoted(&word) }).collect();
            let script = Script { name: &self.file, text: "", files: self.tree.files };
            self.reading.command(&script, call.line, &directory, behind_cmake(&command));
        }
    }

    /// A function with its arguments; other commands are of no concern.
    fn call(&mut self, name: &str, words: &[String], depth: usize) {
        let known = self.functions.get(name).cloned().or_else(|| self.tree.function(name));
        let Some(function) = known else { return };
        if function.is_macro {
            let before = self.scope().cloned();
            self.arguments(&function, words);
            self.body(&function, depth);
            // The arguments of a macro are no variables of who calls it.
            let after = self.scopes.iter_mut().next_back().zip(before);
            after.into_iter().for_each(|(after, before)| {
                function.parameters.iter().for_each(|name| match before.get(name) {
                    Some(value) => after.set(name, value.to_owned()),
                    None => after.forget(name),
                });
            });
            return;
        }
        self.scopes.push(self.scope().cloned().unwrap_or_default());
        self.arguments(&function, words);
        self.body(&function, depth);
        self.scopes.pop();
    }

    fn arguments(&mut self, function: &CmakeFunction, words: &[String]) {
        for (at, parameter) in function.parameters.iter().enumerate() {
            self.set(parameter, words.get(at).cloned().unwrap_or_default());
        }
        self.set("ARGN", words.get(function.parameters.len()..).unwrap_or_default().join(";"));
        self.set("ARGV", words.join(";"));
        self.set("ARGC", words.len().to_string());
        for (at, value) in words.iter().enumerate() {
            self.set(&format!("ARGV{at}"), value.clone());
        }
        self.set("CMAKE_CURRENT_FUNCTION_LIST_DIR", in_tree(directory_of(&function.file)));
    }

    fn body(&mut self, function: &CmakeFunction, depth: usize) {
        let before = std::mem::replace(&mut self.file, function.file.clone());
        let uncertain = std::mem::take(&mut self.uncertain);
        self.run_from_start(&function.calls, function.body, depth + 1);
        self.uncertain = uncertain;
        self.file = before;
    }

    /// `cmake_parse_arguments(PREFIX OPTIONS ONE MANY ...)`, or with `PARSE_ARGV N` before these.
    fn keywords(&mut self, words: &[&str]) {
        let (own, from) = match words {
            ["PARSE_ARGV", from, own @ ..] => (own, Some(from.parse::<usize>().unwrap_or(0))),
            own => (own, None),
        };
        let [prefix, options, one, many, rest @ ..] = own else { return };
        let rest: Vec<String> = match from {
            Some(from) => elements(&self.variable("ARGV")).into_iter().skip(from).collect(),
            None => rest.iter().map(|word| (*word).to_owned()).collect(),
        };
        self.scopes.iter_mut().next_back().into_iter().for_each(|scope| scope.parses(prefix));
        let parsed = parsed_arguments(prefix, [options, one, many], &rest);
        for (name, value) in parsed {
            let scope = self.scopes.iter_mut().next_back().into_iter();
            scope.for_each(|scope| match &value {
                Some(value) => scope.set(&name, value.clone()),
                None => scope.unset(&name),
            });
        }
    }

    /// Arguments with values; one that is not quoted may be several.
    fn words(&self, arguments: &[CmakeArgument]) -> Vec<String> {
        let one = |argument: &CmakeArgument| {
            let text = self.expanded(&argument.text);
            if argument.is_quoted { vec![text] } else { elements(&text) }
        };
        arguments.iter().flat_map(one).collect()
    }

    fn variable(&self, name: &str) -> String {
        self.scope().map(|scope| scope.value(name)).unwrap_or_default()
    }

    fn expanded(&self, text: &str) -> String {
        self.scope().map(|scope| scope.expanded(text)).unwrap_or_default()
    }
}

/// The next part of an `if`, or its end.
fn next_clause(calls: &[CmakeCall], start: usize, end: usize) -> usize {
    let mut depth = 0usize;
    for at in start..end {
        match calls.get(at).map_or("", |call| call.name.as_str()) {
            "if" => depth += 1,
            "endif" => depth = depth.saturating_sub(1),
            "else" | "elseif" if depth == 0 => return at,
            _ => {}
        }
    }
    end
}

/// A command behind `cmake -E time`, which runs it.
fn behind_cmake(words: &[String]) -> &[String] {
    let is = |at: usize, text: &str| words.get(at).is_some_and(|word| shown(word).contains(text));
    let is_runner = is(1, "-E") && (is(0, "CMAKE_COMMAND") || is(0, "cmake")) && (is(2, "time") || is(2, "env"));
    if is_runner { words.get(3..).unwrap_or_default() } else { words }
}

/// A value of a macro that is quoted for the shell: `-DA="text"`.
fn unquoted(word: &str) -> String {
    let value = word.split_once('=').and_then(|(name, value)| {
        let inner = value.strip_prefix('"')?.strip_suffix('"')?;
        name.get(..2).is_some_and(|start| matches!(start, "-D" | "/D")).then(|| format!("{name}={inner}"))
    });
    value.unwrap_or_else(|| word.to_owned())
}

/// Words of `file(GLOB)` that are no patterns.
const GLOB_WORDS: &[&str] = &["CONFIGURE_DEPENDS", "LIST_DIRECTORIES", "true", "false", "FOLLOW_SYMLINKS"];

/// Words of `find_path` that begin something else.
const FIND_WORDS: &[&str] = &[
    "NAMES",
    "PATHS",
    "HINTS",
    "PATH_SUFFIXES",
    "DOC",
    "REQUIRED",
    "NO_CACHE",
    "NO_DEFAULT_PATH",
    "NO_CMAKE_FIND_ROOT_PATH",
    "NO_SYSTEM_ENVIRONMENT_PATH",
];

/// Words of a rule behind its commands.
const AFTER: &[&str] = &[
    "ARGS",
    "BYPRODUCTS",
    "COMMAND_EXPAND_LISTS",
    "COMMENT",
    "DEPENDS",
    "DEPFILE",
    "IMPLICIT_DEPENDS",
    "JOB_POOL",
    "MAIN_DEPENDENCY",
    "OUTPUT",
    "POST_BUILD",
    "PRE_BUILD",
    "PRE_LINK",
    "RESULT_VARIABLE",
    "SOURCES",
    "USES_TERMINAL",
    "VERBATIM",
    "WORKING_DIRECTORY",
    "OUTPUT_VARIABLE",
    "ERROR_VARIABLE",
];
