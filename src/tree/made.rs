//! What passes made: the expressions, variables and declarations of a program that are not those of the source.
//!
//! It is known for who asks where the tokens of a text come from. A [`Recorder`] looks at a program after each pass, at what the
//! pass has changed alone: stamps tell which bodies that may be.

use super::{Body, ExprId, ExprKind, FunctionId, GlobalId, Id, Item, LocalId, Program, StructId};
use rustc_hash::FxHashMap;

/// The name of a pass; `None` for what is of the source.
type By = Option<&'static str>;

/// Which pass made what of a program.
#[derive(Clone, Debug, Default)]
pub struct Made {
    items: FxHashMap<Item, &'static str>,
    code: FxHashMap<FunctionId, MadeCode>,
}

/// Which pass made what of a body.
#[derive(Clone, Debug, Default)]
pub struct MadeCode {
    exprs: Vec<By>,
    locals: Vec<By>,
}

impl Made {
    /// The pass that made a declaration.
    pub fn item(&self, item: Item) -> Option<&'static str> {
        self.items.get(&item).copied()
    }

    /// What is known of a body.
    pub fn code(&self, function: FunctionId) -> Option<&MadeCode> {
        self.code.get(&function)
    }
}

impl MadeCode {
    /// The pass that made an expression what it is.
    pub fn expr(&self, id: ExprId) -> Option<&'static str> {
        self.exprs.get(id.index()).copied().flatten()
    }

    /// The pass that made a variable.
    pub fn local(&self, id: LocalId) -> Option<&'static str> {
        self.locals.get(id.index()).copied().flatten()
    }
}

/// A body as it was seen last.
#[derive(Default)]
struct SeenCode {
    stamps: [u64; 2],
    exprs: Vec<(usize, u32)>,
}

/// Sees a program after each pass.
pub struct Recorder {
    made: Made,
    seen: FxHashMap<FunctionId, SeenCode>,
    /// How many functions, globals and structs there were.
    counts: [usize; 3],
}

impl Recorder {
    /// Begins with a program of which nothing is made.
    pub fn new(program: &Program) -> Recorder {
        let counts = [program.functions.len(), program.globals.len(), program.structs.len()];
        let mut recorder = Recorder { made: Made::default(), seen: FxHashMap::default(), counts };
        recorder.bodies(program, None);
        recorder
    }

    /// Looks at what a pass has changed.
    pub fn note(&mut self, pass: &'static str, program: &Program) {
        let counts = [program.functions.len(), program.globals.len(), program.structs.len()];
        let [functions, globals, structs] = self.counts;
        let new = (functions..counts[0]).map(|at| Item::Function(FunctionId::from_index(at)));
        let new = new.chain((globals..counts[1]).map(|at| Item::Global(GlobalId::from_index(at))));
        let new = new.chain((structs..counts[2]).map(|at| Item::Struct(StructId::from_index(at))));
        self.made.items.extend(new.map(|item| (item, pass)));
        self.counts = counts;
        self.bodies(program, Some(pass));
    }

    /// What was found.
    pub fn made(self) -> Made {
        self.made
    }

    fn bodies(&mut self, program: &Program, by: By) {
        for id in program.functions_with_code() {
            let body = &program.functions[id].code;
            // What is in a function that is new may be of the source: a pass made it of another one.
            let is_new = !self.seen.contains_key(&id);
            let seen = self.seen.entry(id).or_default();
            let stamps = [body.exprs.stamp(), body.locals.stamp()];
            if seen.stamps != stamps {
                seen.stamps = stamps;
                let code = self.made.code.entry(id).or_default();
                code.look(body, &mut seen.exprs, by.filter(|_| !is_new));
            }
        }
    }
}

impl MadeCode {
    fn look(&mut self, body: &Body, seen: &mut Vec<(usize, u32)>, by: By) {
        for (id, expr) in body.exprs.iter() {
            let now = mark(&expr.kind);
            match seen.get_mut(id.index()) {
                Some(known) if *known == now => {}
                Some(known) => {
                    *known = now;
                    self.exprs.get_mut(id.index()).into_iter().for_each(|made| *made = by);
                }
                None => {
                    seen.push(now);
                    self.exprs.push(by);
                }
            }
        }
        self.locals.resize(body.locals.len().max(self.locals.len()), by);
    }
}

/// What tells that an expression is another one than before: its kind, and what it names.
fn mark(kind: &ExprKind) -> (usize, u32) {
    let named = match *kind {
        ExprKind::Local(LocalId(id)) | ExprKind::Global(GlobalId(id)) | ExprKind::Call(FunctionId(id), _) => id,
        ExprKind::Field(_, index) | ExprKind::EnumCase(_, index) => index,
        ExprKind::Binary(op, ..) => op as u32,
        _ => 0,
    };
    (kind.number(), named)
}
