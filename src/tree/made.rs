//! What passes made: the expressions, variables, declarations and names of a program that are not those of the source.
//!
//! It is known for who asks where the tokens of a text come from. A [`Recorder`] looks at a program after each pass, at what the
//! pass has changed alone: stamps tell which bodies that may be.

use super::{Body, ExprId, ExprKind, FunctionId, GlobalId, Id, Item, Literal, LocalId, Program, StructId};
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// The name of a pass; `None` for what is of the source.
type By = Option<&'static str>;

/// Which pass made what of a program.
#[derive(Clone, Debug, Default)]
pub struct Made {
    items: FxHashMap<Item, &'static str>,
    renamed: FxHashMap<Named, &'static str>,
    /// Structs of which members are renamed.
    renamed_within: FxHashMap<Item, &'static str>,
    code: FxHashMap<FunctionId, MadeCode>,
}

/// What has a name outside of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Named {
    Item(Item),
    /// By its number in a struct.
    Field(StructId, u32),
}

/// Which pass made what of a body.
#[derive(Clone, Debug, Default)]
pub struct MadeCode {
    exprs: Vec<By>,
    locals: Vec<By>,
}

impl Made {
    /// The pass that made a declaration, or gave names in it.
    pub fn item(&self, item: Item) -> Option<&'static str> {
        let within = || self.renamed_within.get(&item).copied();
        self.items.get(&item).copied().or_else(|| self.renamed(item)).or_else(within)
    }

    /// The pass that gave a declaration of the source another name.
    pub fn renamed(&self, item: Item) -> Option<&'static str> {
        self.renamed.get(&Named::Item(item)).copied()
    }

    /// The same of a member of a struct.
    pub fn renamed_field(&self, of: StructId, index: u32) -> Option<&'static str> {
        self.renamed.get(&Named::Field(of, index)).copied()
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

    /// The pass that made a variable, or gave it another name.
    pub fn local(&self, id: LocalId) -> Option<&'static str> {
        self.locals.get(id.index()).copied().flatten()
    }
}

/// A body as it was seen last.
#[derive(Default)]
struct SeenCode {
    stamps: [u64; 2],
    exprs: Vec<(usize, u32)>,
    locals: Vec<Symbol>,
}

/// Sees a program after each pass.
pub struct Recorder {
    made: Made,
    seen: FxHashMap<FunctionId, SeenCode>,
    names: FxHashMap<Named, Symbol>,
    /// How many functions, globals and structs there were.
    counts: [usize; 3],
}

impl Recorder {
    /// Begins with a program of which nothing is made.
    pub fn new(program: &Program) -> Recorder {
        let counts = [program.functions.len(), program.globals.len(), program.structs.len()];
        let (seen, names) = (FxHashMap::default(), FxHashMap::default());
        let mut recorder = Recorder { made: Made::default(), seen, names, counts };
        recorder.bodies(program, None);
        recorder.names(program, "");
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
        self.names(program, pass);
    }

    /// What was found.
    pub fn made(self) -> Made {
        self.made
    }

    /// Looks for names that are others than before. What a pass made is its own, whatever it is called later.
    fn names(&mut self, program: &Program, pass: &'static str) {
        let (seen, made) = (&mut self.names, &mut self.made);
        let mut see = |named: Named, name: Symbol| {
            let is_other = seen.insert(named, name).is_some_and(|before| before != name);
            if is_other {
                made.renamed.insert(named, pass);
                if let Named::Field(of, _) = named {
                    made.renamed_within.insert(Item::Struct(of), pass);
                }
            }
        };
        program.functions.iter().for_each(|(id, function)| see(Named::Item(Item::Function(id)), function.name));
        program.globals.iter().for_each(|(id, global)| see(Named::Item(Item::Global(id)), global.name));
        program.enums.iter().for_each(|(id, declared)| see(Named::Item(Item::Enum(id)), declared.name));
        for (id, declared) in program.structs.iter() {
            see(Named::Item(Item::Struct(id)), declared.name);
            (0..).zip(&declared.fields).for_each(|(number, field)| see(Named::Field(id, number), field.name));
        }
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
                code.look(body, seen, by.filter(|_| !is_new));
            }
        }
    }
}

impl MadeCode {
    fn look(&mut self, body: &Body, seen: &mut SeenCode, by: By) {
        for (id, expr) in body.exprs.iter() {
            let now = mark(&expr.kind);
            match seen.exprs.get_mut(id.index()) {
                Some(known) if *known == now => {}
                Some(known) => {
                    *known = now;
                    self.exprs.get_mut(id.index()).into_iter().for_each(|made| *made = by);
                }
                None => {
                    seen.exprs.push(now);
                    self.exprs.push(by);
                }
            }
        }
        self.locals.resize(body.locals.len().max(self.locals.len()), by);
        for (id, local) in body.locals.iter() {
            match seen.locals.get_mut(id.index()) {
                Some(known) if *known == local.name => {}
                Some(known) => {
                    *known = local.name;
                    self.locals.get_mut(id.index()).into_iter().for_each(|made| *made = made.or(by));
                }
                None => seen.locals.push(local.name),
            }
        }
    }
}

/// What tells that an expression is another one than before: its kind, and what it names or is.
fn mark(kind: &ExprKind) -> (usize, u32) {
    let named = match *kind {
        ExprKind::Local(LocalId(id)) | ExprKind::Global(GlobalId(id)) | ExprKind::Call(FunctionId(id), _) => id,
        ExprKind::Field(_, index) | ExprKind::EnumCase(_, index) => index,
        ExprKind::Binary(op, ..) => op as u32,
        ExprKind::Literal(Literal::Int(value), _) => folded(value as u64),
        ExprKind::Literal(Literal::Float(value), _) => folded(value.to_bits()),
        ExprKind::Literal(Literal::Bool(value), _) => u32::from(value),
        _ => 0,
    };
    (kind.number(), named)
}

/// A number in 32 bits: most that differ are others there, too.
fn folded(bits: u64) -> u32 {
    (bits ^ (bits >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_other_values_are_others() {
        let of = |literal: Literal| mark(&ExprKind::Literal(literal, None));
        assert_eq!(of(Literal::Int(3)), of(Literal::Int(3)));
        for (one, other) in [
            (Literal::Int(3), Literal::Int(4)),
            (Literal::Int(0), Literal::Int(1 << 32)),
            (Literal::Float(0.5), Literal::Float(0.25)),
            (Literal::Bool(false), Literal::Bool(true)),
        ] {
            assert_ne!(of(one), of(other), "{one:?} {other:?}");
        }
    }
}
