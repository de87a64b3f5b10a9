//! Runs programs, several in a file, through every route, and tells who differs.

use super::clock;
use super::declarations::{Buffer, Program, RESULTS, THREADS};
use super::device::{Bound, Device};
use super::routes::{self, Refusal, Route, Settings, Tools};
use crate::{filling, interpreter};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A generated program and where its buffers begin.
#[derive(Clone)]
pub struct Case {
    pub seed: u64,
    pub program: std::rc::Rc<ProgramText>,
    pub tree: super::tree::Tree,
}

/// What is the same in all smaller forms of a program.
pub struct ProgramText {
    pub suffix: String,
    pub entry: String,
    pub first_binding: u32,
    pub buffers: Vec<Buffer>,
    /// Whether DXC means something else by it than the language does.
    pub leaves_out: bool,
}

impl Case {
    pub fn new(seed: u64, suffix: String, first_binding: u32, program: Program) -> Case {
        let text = ProgramText {
            suffix,
            entry: program.entry,
            first_binding,
            buffers: program.buffers,
            leaves_out: program.leaves_out,
        };
        Case { seed, program: std::rc::Rc::new(text), tree: program.tree }
    }

    pub fn with_tree(&self, tree: super::tree::Tree) -> Case {
        Case { seed: self.seed, program: self.program.clone(), tree }
    }
}

/// What a program writes, or why it does not.
pub type Outcome = Result<Vec<u32>, Refusal>;

/// The file of some programs.
pub fn source(cases: &[Case]) -> String {
    let mut text = String::from(
        "[[vk::binding(0, 0)]] RWStructuredBuffer<uint> output : register(u0);\n[[vk::binding(1, 0)]] StructuredBuffer<uint> input : register(t1);\n",
    );
    let count = cases.len();
    let mut calls = String::new();
    for (index, case) in cases.iter().enumerate() {
        let suffix = &case.program.suffix;
        text.push_str(&format!(
            "\nvoid put_{suffix}(uint thread, uint index, uint word)\n{{\noutput[(thread * {count}u + {index}u) * {RESULTS}u + index] = word;\n}}\n"
        ));
        case.tree.print(&mut text);
        calls.push_str(&format!("{}(id.x);\n", case.program.entry));
    }
    text.push_str(&format!(
        "\n[shader(\"compute\")]\n[numthreads({THREADS}, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{{\n{calls}}}\n"
    ));
    indented(&text)
}

/// The lines with the indentation that braces ask for.
fn indented(text: &str) -> String {
    let mut depth = 0usize;
    let mut out = String::with_capacity(text.len() * 2);
    for line in text.lines() {
        let closing = line.chars().take_while(|c| *c == '}').count();
        out.push_str(&"    ".repeat(depth.saturating_sub(closing)));
        out.push_str(line);
        out.push('\n');
        depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
    }
    out
}

/// Bytes of the buffers that programs have of their own.
const BUFFER_BYTES: u64 = 4096;

pub struct Runner<'a> {
    pub tools: &'a Tools,
    pub device: Device,
    pub directory: &'a Path,
    pub settings: Settings,
    /// Judges that say nothing of what a program writes are left out.
    pub quick: bool,
    /// Programs run on a Vulkan device, rather than in the interpreter.
    pub on_device: bool,
}

impl Runner<'_> {
    /// What each of some programs writes by a route. Of a file that is refused, the programs that the refusal points at run
    /// alone and the others together; when it points at none, the file is cut in two.
    pub fn outcomes(&mut self, route: Route, cases: &[Case]) -> Vec<Outcome> {
        let refusal = match self.file(route, cases) {
            Ok(words) => return words.into_iter().map(Ok).collect(),
            Err(refusal) if cases.len() == 1 => return vec![Err(refusal)],
            Err(refusal) => refusal,
        };
        let blamed = self.blamed(route, cases, &refusal);
        if blamed.is_empty() || blamed.len() == cases.len() {
            let (first, second) = cases.split_at(cases.len() / 2);
            let mut outcomes = self.outcomes(route, first);
            outcomes.extend(self.outcomes(route, second));
            return outcomes;
        }
        let others: Vec<Case> =
            cases.iter().enumerate().filter(|(i, _)| !blamed.contains(i)).map(|(_, c)| c.clone()).collect();
        let mut of_others = self.outcomes(route, &others).into_iter();
        let mut outcomes = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            if blamed.contains(&index) {
                outcomes.extend(self.outcomes(route, std::slice::from_ref(case)));
            } else {
                outcomes.extend(of_others.next());
            }
        }
        outcomes
    }

    /// Indices of the programs on whose lines a tool found something.
    fn blamed(&self, route: Route, cases: &[Case], refusal: &Refusal) -> BTreeSet<usize> {
        let ours = || self.tools.text_of(route, self.settings, self.directory).unwrap_or_default();
        let (said, text) = match refusal {
            Refusal::Source(said) => (said, source(cases)),
            // A tool that fails on our text may say where.
            Refusal::Text(said) => (said, ours()),
            Refusal::ToolCrash(said) if route.is_ours() => (said, ours()),
            Refusal::Crash(_) | Refusal::ToolCrash(_) => return BTreeSet::new(),
        };
        let lines: Vec<&str> = text.lines().collect();
        let of_suffix = |suffix: &str| cases.iter().position(|c| c.program.suffix == suffix);
        let program = |line: usize| {
            let until = lines.get(..line)?;
            until.iter().rev().find_map(|l| suffixes(l).into_iter().find_map(of_suffix))
        };
        line_numbers(said).into_iter().filter_map(program).collect()
    }

    fn file(&mut self, route: Route, cases: &[Case]) -> Result<Vec<Vec<u32>>, Refusal> {
        let spirv = self.tools.spirv(route, &source(cases), self.settings, self.directory, self.quick)?;
        self.execute(&spirv, cases)
    }

    /// Whether our HLSL of a program means what it should when slangc compiles it: then DXC is wrong.
    pub fn hlsl_is_right(&mut self, case: &Case, right: &[u32]) -> bool {
        let case = std::slice::from_ref(case);
        let text = self.tools.spirv(Route::Hlsl, &source(case), self.settings, self.directory, true);
        let opinion = text.and_then(|_| self.tools.second_opinion(self.settings, self.directory));
        let words = opinion.and_then(|spirv| self.execute(&spirv, case));
        words.is_ok_and(|words| words.first().is_some_and(|words| words == right))
    }

    fn results(&mut self, spirv: &Path, buffers: &[Bound]) -> Result<Vec<Vec<u32>>, Refusal> {
        let interpreted = if self.on_device { None } else { interpreted(spirv, buffers) };
        if let Some(results) = interpreted {
            return Ok(results);
        }
        self.tools.for_driver(spirv)?;
        clock::timed("device", || self.device.run(spirv, buffers)).map_err(Refusal::ToolCrash)
    }

    /// What each of some programs of one module writes. What the interpreter does not know runs on the device.
    fn execute(&mut self, spirv: &Path, cases: &[Case]) -> Result<Vec<Vec<u32>>, Refusal> {
        let count = cases.len() as u64;
        let mut buffers = vec![
            Bound { binding: 0, uniform: false, bytes: THREADS * count * RESULTS * 4, zero: true, read: true },
            Bound { binding: 1, uniform: false, bytes: 256, zero: false, read: false },
        ];
        for case in cases {
            for (index, buffer) in case.program.buffers.iter().enumerate() {
                let binding = case.program.first_binding + index as u32;
                let (uniform, read) = (*buffer == Buffer::Constant, buffer.is_read());
                buffers.push(Bound { binding, uniform, bytes: BUFFER_BYTES, zero: false, read });
            }
        }
        let mut results = self.results(spirv, &buffers)?.into_iter();
        let output = results.next().unwrap_or_default();
        let words = |(index, case): (usize, &Case)| {
            let mut words = Vec::new();
            for thread in 0..THREADS as usize {
                let first = (thread * cases.len() + index) * RESULTS as usize;
                words.extend_from_slice(output.get(first..first + RESULTS as usize).unwrap_or_default());
            }
            let own = case.program.buffers.iter().filter(|b| b.is_read());
            // Zeros have a sign that compilers do not keep.
            let unsigned = |word: u32| if word == 0x8000_0000 { 0 } else { word };
            own.for_each(|_| words.extend(results.next().unwrap_or_default().into_iter().map(unsigned)));
            words
        };
        Ok(cases.iter().enumerate().map(words).collect())
    }
}

/// The words of the buffers that are read, by the interpreter; nothing when it does not know an instruction.
fn interpreted(spirv: &Path, buffers: &[Bound]) -> Option<Vec<Vec<u32>>> {
    let bytes = std::fs::read(spirv).ok()?;
    let code: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let filled = |b: &Bound| {
        let words = 0..(b.bytes / 4) as u32;
        (b.binding, words.map(|i| if b.zero { 0 } else { filling::word(b.binding, i) }).collect())
    };
    let given: Vec<(u32, Vec<u32>)> = buffers.iter().map(filled).collect();
    let run = || clock::timed("interpreter", || interpreter::run(&code, &given));
    let mut done = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(done)) => done,
        Ok(Err(why)) => {
            clock::timed(&format!("not interpreted: {why}"), || {});
            return None;
        }
        Err(_) => {
            clock::timed(&format!("interpreter panicked: {}", routes::last_panic()), || {});
            return None;
        }
    };
    Some(buffers.iter().filter(|b| b.read).map(|b| done.remove(&b.binding).unwrap_or_default()).collect())
}

/// The lines that a tool speaks of: `file:12:3` or `file:12:`.
fn line_numbers(said: &str) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for word in said.lines().filter(|l| !l.contains("warning")).flat_map(str::split_whitespace) {
        let mut parts = word.split(':').skip(1);
        found.extend(parts.next().and_then(|p| p.parse::<usize>().ok()));
    }
    found
}

/// The ends of the names of a line that are those of programs: 3 of `f12_3` and of `S1_3_area2_3`.
fn suffixes(line: &str) -> Vec<&str> {
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let named = words.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()));
    let numbers =
        |w: &'_ &str| w.split('_').nth(1).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()) && !n.is_empty());
    named.filter(numbers).filter_map(|w| w.split('_').nth(1)).collect()
}

/// Something that is not as it should be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// One of ours differs from every peer, or from a peer when the other one says nothing.
    Ours(Vec<Route>),
    /// The same in the interpreter alone: the driver gives something its value, or the interpreter is wrong.
    Undefined(Vec<Route>),
    /// The same on the device alone: the driver is wrong.
    Driver(Vec<Route>),
    /// We refuse what a peer takes, with the message.
    Refused(Route, String),
    /// A tool refuses our text, with the message.
    Illegal(Route, String),
    /// Something of ours crashed.
    Crash(Route, String),
    /// A peer differs, and ours agree with the other one; or DXC differs on our HLSL, and slangc does not.
    Peer(Route),
    /// A peer refuses a program that another one takes, or a tool crashes on a text, with the message.
    PeerRefused(Route, String),
}

impl Fault {
    pub fn is_ours(&self) -> bool {
        match self {
            Fault::Ours(_) | Fault::Undefined(_) | Fault::Refused(..) | Fault::Illegal(..) | Fault::Crash(..) => true,
            Fault::Driver(_) | Fault::Peer(_) | Fault::PeerRefused(..) => false,
        }
    }

    /// The routes that show it.
    pub fn routes(&self) -> Vec<Route> {
        match self {
            Fault::Ours(routes) | Fault::Undefined(routes) | Fault::Driver(routes) => routes.clone(),
            Fault::Refused(route, _)
            | Fault::Illegal(route, _)
            | Fault::Crash(route, _)
            | Fault::Peer(route)
            | Fault::PeerRefused(route, _) => vec![*route],
        }
    }

    /// In one line, the same for all programs of a kind.
    pub fn class(&self) -> String {
        let names = |routes: &[Route]| routes.iter().map(|r| r.name()).collect::<Vec<_>>().join("+");
        match self {
            Fault::Ours(routes) => format!("WRONG {}", names(routes)),
            Fault::Undefined(routes) => format!("UNDEFINED {}", names(routes)),
            Fault::Driver(routes) => format!("driver wrong: {}", names(routes)),
            Fault::Refused(route, why) => format!("REFUSED {}: {why}", route.name()),
            Fault::Illegal(route, why) => format!("ILLEGAL {}: {why}", route.name()),
            Fault::Crash(route, why) => format!("CRASH {}: {why}", route.name()),
            Fault::Peer(route) => format!("peer wrong: {}", route.name()),
            Fault::PeerRefused(route, why) => format!("peer refuses: {}: {why}", route.name()),
        }
    }
}

/// What the outcomes of one program show.
pub fn faults(runner: &mut Runner, case: &Case, outcomes: &[(Route, Outcome)]) -> Vec<Fault> {
    let ran = |route: &Route| outcomes.iter().find(|(r, _)| r == route).and_then(|(_, o)| o.as_ref().ok());
    // What DXC leaves out our GLSL and WGSL do not: where they agree with it, it is not what the program shows.
    let all_as_dxc =
        [Route::Hlsl, Route::Glsl, Route::Wgsl].iter().all(|r| ran(r).is_some() && ran(r) == ran(&Route::Dxc));
    let by_dxc = !case.program.leaves_out || all_as_dxc;
    let judges: &[Route] = if by_dxc { &[Route::Slangc, Route::Dxc] } else { &[Route::Slangc] };
    let peers: Vec<(Route, &Vec<u32>)> = judges.iter().filter_map(|r| Some((*r, ran(r)?))).collect();
    let mut found = Vec::new();
    if peers.is_empty() {
        return unjudged(runner, case, outcomes);
    }
    for (route, outcome) in outcomes {
        match outcome {
            Err(Refusal::Source(why)) if route.is_ours() => found.push(Fault::Refused(*route, normal(why))),
            Err(Refusal::Text(why)) => found.push(Fault::Illegal(*route, normal(why))),
            Err(Refusal::Crash(why)) if route.is_ours() => found.push(Fault::Crash(*route, normal(why))),
            Err(Refusal::Source(why) | Refusal::Crash(why) | Refusal::ToolCrash(why)) => {
                found.push(Fault::PeerRefused(*route, normal(why)))
            }
            Ok(_) => {}
        }
    }
    let ours: Vec<(Route, &Vec<u32>)> =
        Route::ALL.iter().filter(|r| r.is_ours()).filter_map(|r| Some((*r, ran(r)?))).collect();
    // The peer that most of ours agree with is right when the peers differ.
    let votes = |words: &Vec<u32>| ours.iter().filter(|(_, w)| *w == words).count();
    let Some((_, right)) = peers.iter().rev().max_by_key(|(_, words)| votes(words)) else { return found };
    let mut wrong: Vec<Route> = ours.iter().filter(|(_, words)| words != right).map(|(r, _)| *r).collect();
    if wrong.contains(&Route::Hlsl) && runner.hlsl_is_right(case, right) {
        // DXC and slangc make different things of one text. When all others are with DXC, slangc is wrong, and it is the only peer.
        let agreed = wrong.len() == Route::ALL.iter().filter(|r| r.is_ours()).count() && votes(ours[0].1) == ours.len();
        let blamed =
            if agreed && matches!(peers.as_slice(), [(Route::Slangc, _)]) { Route::Slangc } else { Route::Hlsl };
        wrong.retain(|r| blamed == Route::Hlsl && *r != Route::Hlsl);
        found.push(Fault::Peer(blamed));
    }
    // Nobody but DXC speaks against the others, and slangc makes the same of our HLSL as they do.
    if let ([(Route::Dxc, _)], [first, ..]) = (peers.as_slice(), wrong.as_slice())
        && !wrong.contains(&Route::Hlsl)
        && let Some(words) = ran(first)
        && wrong.iter().all(|r| ran(r) == Some(words))
        && runner.hlsl_is_right(case, words)
    {
        wrong.clear();
        found.push(Fault::Peer(Route::Dxc));
    }
    if !wrong.is_empty() {
        found.push(Fault::Ours(wrong));
    }
    found.extend(peers.iter().filter(|(_, words)| words != right).map(|(r, _)| Fault::Peer(*r)));
    found
}

/// What a program shows that no peer takes: nobody says that it is one, but our texts mean the same all the same.
fn unjudged(runner: &mut Runner, case: &Case, outcomes: &[(Route, Outcome)]) -> Vec<Fault> {
    let ours: Vec<(Route, &Vec<u32>)> =
        outcomes.iter().filter(|(r, _)| r.is_ours()).filter_map(|(r, o)| Some((*r, o.as_ref().ok()?))).collect();
    let mut found = Vec::new();
    for (route, outcome) in outcomes {
        match outcome {
            Err(Refusal::Crash(why)) if route.is_ours() => found.push(Fault::Crash(*route, normal(why))),
            Err(Refusal::Text(why)) => found.push(Fault::Illegal(*route, normal(why))),
            Err(Refusal::Source(why) | Refusal::Crash(why) | Refusal::ToolCrash(why)) if !route.is_ours() => {
                found.push(Fault::PeerRefused(*route, normal(why)))
            }
            _ => {}
        }
    }
    if let [(_, first), others @ ..] = ours.as_slice()
        && others.iter().any(|(_, words)| words != first)
    {
        // What DXC leaves out of a source, it leaves out of our HLSL.
        let agreed = match ours.as_slice() {
            [(Route::Hlsl, _), (_, words), others @ ..] => others.iter().all(|(_, w)| w == words).then_some(*words),
            _ => None,
        };
        if agreed.is_some_and(|words| case.program.leaves_out && runner.hlsl_is_right(case, words)) {
            found.push(Fault::Peer(Route::Hlsl));
        } else {
            found.push(Fault::Ours(ours.iter().map(|(r, _)| *r).collect()));
        }
    }
    found
}

/// The first error of what a tool says, without names and numbers of the program.
fn normal(said: &str) -> String {
    let lines = || said.lines().map(str::trim).filter(|l| !l.is_empty());
    let error = lines().find(|l| l.to_ascii_lowercase().contains("error")).or_else(|| lines().next()).unwrap_or("");
    let message = error.rsplit_once("error").map_or(error, |(_, after)| after);
    let mut out = String::new();
    for word in message.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let bare = word.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
        let rest = &word[bare.len()..];
        out.push_str(if bare.chars().any(|c| c.is_ascii_digit()) { "N" } else { bare });
        out.push_str(rest);
    }
    out.chars().take(140).collect()
}
