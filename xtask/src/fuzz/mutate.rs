//! Mutations of a program. Each is small, and most keep it well-formed: what the front end refuses shows nothing of what is
//! emitted.

use super::seeds::Program;
use super::text::Text;
use super::words::{has, list};
use crate::random::Random;
use shaderport::Stage;
use shaderport::internals::lex::TokenKind;
use std::ops::Range;

/// Bytes of a source and what comes in their place.
type Edit = (Range<usize>, String);

/// What a mutation works on.
struct Context<'a> {
    text: &'a Text<'a>,
    /// A source to take parts from.
    other: &'a Text<'a>,
    random: &'a mut Random,
}

type Mutation = fn(&mut Context) -> Option<Vec<Edit>>;

/// With how often each is chosen.
const MUTATIONS: &[(u64, Mutation)] = &[
    (2, delete_token),
    (1, duplicate_token),
    (1, swap_tokens),
    (2, insert_word),
    (1, delete_line),
    (5, delete_statement),
    (4, duplicate_statement),
    (5, swap_statements),
    (2, delete_declaration),
    (3, swap_declarations),
    (12, change_type),
    (4, exchange_types),
    (5, change_resource),
    (12, change_literal),
    (9, change_operator),
    (5, swap_arguments),
    (3, delete_argument),
    (3, duplicate_argument),
    (4, unwrap_expression),
    (3, unwrap_statement),
    (14, rename),
    (4, exchange_names),
    (8, splice_statement),
    (4, splice_declaration),
    (4, splice_expression),
    (7, change_semantic),
    (4, change_number_of_attribute),
    (4, add_attribute),
    (4, add_modifier),
    (14, wrap_expression),
    (4, change_stage),
    (5, change_swizzle),
    (12, add_statement),
    (8, wrap_statement),
    (6, add_declaration),
    (3, change_index),
    (3, add_semantic_or_register),
];

/// The program of a number: a seed with some mutations.
pub fn mutant(seeds: &[Program], seed: u64, number: u64) -> Program {
    let mut random = Random::of_seed(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ number);
    random.below(2);
    let mut program = seeds[random.index(seeds.len())].clone();
    program.name = format!("{} {seed}:{number}", program.name);
    let count = [1, 1, 1, 1, 2, 2, 2, 3, 3, 5][random.index(10)];
    let mut made = 0;
    for _ in 0..count * 8 {
        if made == count {
            break;
        }
        let other = &seeds[random.index(seeds.len())];
        made += usize::from(apply(&mut program, other, &mut random));
    }
    program
}

/// Applies one mutation, if it finds something to change.
fn apply(program: &mut Program, other: &Program, random: &mut Random) -> bool {
    let file = if random.chance(80) { 0 } else { random.index(program.sources.len()) };
    let (Some((_, source)), Some((_, from))) = (program.sources.get(file), other.sources.first()) else { return false };
    let source = source.clone();
    let (text, other) = (Text::new(&source), Text::new(from));
    if text.tokens.is_empty() || other.tokens.is_empty() {
        return false;
    }
    let total = MUTATIONS.iter().map(|(often, _)| often).sum();
    let mut chosen = random.below(total);
    let mutation = MUTATIONS.iter().find(|(often, _)| {
        let found = chosen < *often;
        chosen = chosen.saturating_sub(*often);
        found
    });
    let Some((_, mutation)) = mutation else { return false };
    let Some(mut edits) = mutation(&mut Context { text: &text, other: &other, random }) else { return false };
    edits.sort_by_key(|(bytes, _)| bytes.start);
    let mut changed = String::with_capacity(source.len() + 64);
    let mut at = 0;
    for (bytes, with) in edits {
        if bytes.start < at {
            continue;
        }
        changed.push_str(source.get(at..bytes.start).unwrap_or(""));
        changed.push_str(&with);
        at = bytes.end;
    }
    changed.push_str(source.get(at..).unwrap_or(""));
    let different = changed != source;
    if let Some((_, source)) = program.sources.get_mut(file) {
        *source = changed;
    }
    different
}

impl Context<'_> {
    fn pick<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        if list.is_empty() { None } else { list.get(self.random.index(list.len())) }
    }

    fn word_of(&mut self, name: &str) -> Option<&'static str> {
        self.pick(list(name)).copied()
    }

    /// In place of some tokens.
    fn replace(&self, range: Range<usize>, with: impl Into<String>) -> Option<Vec<Edit>> {
        Some(vec![(self.text.bytes(&range), with.into())])
    }

    /// Before some tokens.
    fn before(&self, range: &Range<usize>, what: &str) -> Option<Vec<Edit>> {
        let at = self.text.bytes(range).start;
        Some(vec![(at..at, format!("{what} "))])
    }

    /// After some tokens.
    fn after(&self, range: &Range<usize>, what: &str) -> Option<Vec<Edit>> {
        let at = self.text.bytes(range).end;
        Some(vec![(at..at, format!(" {what}"))])
    }

    fn exchange(&self, a: &Range<usize>, b: &Range<usize>) -> Option<Vec<Edit>> {
        let apart = a.end <= b.start || b.end <= a.start;
        let edit = |at: &Range<usize>, with: &Range<usize>| (self.text.bytes(at), self.text.slice(with).to_owned());
        apart.then(|| vec![edit(a, b), edit(b, a)])
    }

    /// A name that the source declares: it follows a type and comes before what can follow a declared name.
    fn declared(&mut self) -> Option<&'static str> {
        let text = self.text;
        let declared = |i: &usize| {
            let before = i.checked_sub(1).map_or("", |b| text.word(b));
            let follows_type = before == ">"
                || before.starts_with(|c: char| c.is_ascii_alphabetic())
                    && !matches!(before, "return" | "else" | "case" | "import" | "in" | "out" | "inout" | "const");
            let called = matches!(text.word(i + 1), ";" | "," | ")" | "=" | "(" | "[" | ":" | "{");
            follows_type && called && !has("types", text.word(*i)) && !has("semantics", text.word(*i))
        };
        let mut names = text.indices(|t| t.kind == TokenKind::Ident);
        names.retain(declared);
        self.pick(&names).map(|i| text.word(*i))
    }

    /// What may be an expression: an argument, or an operand.
    fn expression(&mut self) -> Option<Range<usize>> {
        let text = self.text;
        if self.random.chance(50) {
            let lists: Vec<&Vec<Range<usize>>> = text.arguments.iter().filter(|l| !l.is_empty()).collect();
            let list = *self.pick(&lists)?;
            return self.pick(list).cloned();
        }
        let operand = |i: &usize| {
            let before = i.checked_sub(1).map_or("", |b| text.word(b));
            !has("types", text.word(*i))
                && !before.is_empty()
                && "=+-*/(,<[&|?".contains(before)
                && matches!(
                    text.word(i + 1),
                    ";" | "," | ")" | "+" | "-" | "*" | "/" | "." | "[" | "]" | "<" | "?" | ":"
                )
        };
        let mut operands = text.indices(|t| matches!(t.kind, TokenKind::Ident | TokenKind::Int | TokenKind::Float));
        operands.retain(operand);
        let start = *self.pick(&operands)?;
        let mut end = start + 1;
        while text.word(end) == "." || text.word(end) == "[" {
            end = if text.word(end) == "." { end + 2 } else { text.partner.get(end).copied().flatten()? + 1 };
        }
        Some(start..end)
    }

    /// A pattern with a name of the source for `$` and an expression for `#`.
    fn filled(&mut self, pattern: &str) -> Option<String> {
        let name = self.declared()?;
        let expression = self.expression().map_or("1", |e| self.text.slice(&e));
        Some(pattern.replace('$', name).replace('#', expression))
    }
}

fn delete_token(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.random.index(c.text.tokens.len());
    c.replace(at..at + 1, "")
}

fn duplicate_token(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.random.index(c.text.tokens.len());
    c.after(&(at..at + 1), c.text.word(at))
}

fn swap_tokens(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.random.index(c.text.tokens.len());
    (at + 1 < c.text.tokens.len()).then(|| c.exchange(&(at..at + 1), &(at + 1..at + 2)))?
}

/// Any word of the lists, in front of any token.
fn insert_word(c: &mut Context) -> Option<Vec<Edit>> {
    const LISTS: [&str; 8] = ["types", "integers", "floats", "binary", "assigning", "names", "attributes", "modifiers"];
    let at = c.random.index(c.text.tokens.len());
    let name = *c.pick(&LISTS)?;
    let word = c.word_of(name)?;
    c.before(&(at..at + 1), word)
}

/// All tokens of a line.
fn delete_line(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.random.index(c.text.tokens.len());
    let place = c.text.tokens.get(at)?.bytes.start;
    let start = c.text.source.get(..place)?.rfind('\n').map_or(0, |at| at + 1);
    let end = c.text.source.get(place..)?.find('\n').map_or(c.text.source.len(), |length| place + length);
    Some(vec![(start..end, String::new())])
}

fn delete_statement(c: &mut Context) -> Option<Vec<Edit>> {
    let statement = c.pick(&c.text.statements)?.clone();
    c.replace(statement, "")
}

fn duplicate_statement(c: &mut Context) -> Option<Vec<Edit>> {
    let [statement, after] = [c.pick(&c.text.statements)?.clone(), c.pick(&c.text.statements)?.clone()];
    let at = if c.random.chance(50) { &statement } else { &after };
    c.after(at, c.text.slice(&statement))
}

fn swap_statements(c: &mut Context) -> Option<Vec<Edit>> {
    let [a, b] = [c.pick(&c.text.statements)?, c.pick(&c.text.statements)?];
    c.exchange(a, b)
}

fn delete_declaration(c: &mut Context) -> Option<Vec<Edit>> {
    let declaration = c.pick(&c.text.declarations)?.clone();
    c.replace(declaration, "")
}

fn swap_declarations(c: &mut Context) -> Option<Vec<Edit>> {
    let [a, b] = [c.pick(&c.text.declarations)?, c.pick(&c.text.declarations)?];
    c.exchange(a, b)
}

/// One use of a type, or all of them.
fn change_type(c: &mut Context) -> Option<Vec<Edit>> {
    let types = c.text.indices(|t| has("types", t.text));
    let at = *c.pick(&types)?;
    let with = c.word_of("types")?;
    if c.random.chance(70) {
        return c.replace(at..at + 1, with);
    }
    let same = types.iter().filter(|i| c.text.word(**i) == c.text.word(at));
    Some(same.map(|i| (c.text.bytes(&(*i..i + 1)), with.to_owned())).collect())
}

/// The types of two declarations.
fn exchange_types(c: &mut Context) -> Option<Vec<Edit>> {
    let types = c.text.indices(|t| has("types", t.text));
    let [a, b] = [*c.pick(&types)?, *c.pick(&types)?];
    c.exchange(&(a..a + 1), &(b..b + 1))
}

fn change_resource(c: &mut Context) -> Option<Vec<Edit>> {
    let heads = |word: &str| list("resources").iter().any(|r| r.split('<').next() == Some(word));
    let at = *c.pick(&c.text.indices(|t| heads(t.text)))?;
    let mut end = at + 1;
    if c.text.word(end) == "<" {
        end += (end..c.text.tokens.len()).take(12).position(|i| c.text.word(i) == ">")? + 1;
    }
    let with = c.word_of("resources")?;
    c.replace(at..end, with)
}

fn change_literal(c: &mut Context) -> Option<Vec<Edit>> {
    let literals = c.text.indices(|t| matches!(t.kind, TokenKind::Int | TokenKind::Float));
    let at = *c.pick(&literals)?;
    let is_int = (c.text.tokens[at].kind == TokenKind::Int) != c.random.chance(10);
    let with = c.word_of(if is_int { "integers" } else { "floats" })?;
    c.replace(at..at + 1, with)
}

fn change_operator(c: &mut Context) -> Option<Vec<Edit>> {
    let name = if c.random.chance(80) { "binary" } else { "assigning" };
    let at = *c.pick(&c.text.indices(|t| t.kind == TokenKind::Punct && has(name, t.text)))?;
    let with = c.word_of(name)?;
    c.replace(at..at + 1, format!(" {with} "))
}

fn swap_arguments(c: &mut Context) -> Option<Vec<Edit>> {
    let lists: Vec<&Vec<Range<usize>>> = c.text.arguments.iter().filter(|l| l.len() > 1).collect();
    let list = *c.pick(&lists)?;
    let [a, b] = [c.pick(list)?, c.pick(list)?];
    c.exchange(a, b)
}

/// An argument or parameter, with the comma before or after it.
fn delete_argument(c: &mut Context) -> Option<Vec<Edit>> {
    let lists: Vec<&Vec<Range<usize>>> = c.text.arguments.iter().filter(|l| !l.is_empty()).collect();
    let argument = {
        let list = c.pick(&lists).copied()?;
        c.pick(list)?.clone()
    };
    let start = argument.start.checked_sub(1).filter(|before| c.text.word(*before) == ",");
    let end = if start.is_none() && c.text.word(argument.end) == "," { argument.end + 1 } else { argument.end };
    c.replace(start.unwrap_or(argument.start)..end, "")
}

fn duplicate_argument(c: &mut Context) -> Option<Vec<Edit>> {
    let lists: Vec<&Vec<Range<usize>>> = c.text.arguments.iter().filter(|l| !l.is_empty()).collect();
    let list = c.pick(&lists).copied()?;
    let [argument, at] = [c.pick(list)?.clone(), c.pick(list)?.clone()];
    c.after(&at, &format!(", {}", c.text.slice(&argument)))
}

/// One of its arguments in the place of a call.
fn unwrap_expression(c: &mut Context) -> Option<Vec<Edit>> {
    let called = |i: &usize| {
        let before = i.checked_sub(1).map_or("", |b| c.text.word(b));
        c.text.word(i + 1) == "(" && !before.is_empty() && "=+-*/(,<[&|?return".contains(before)
    };
    let mut calls = c.text.indices(|t| t.kind == TokenKind::Ident);
    calls.retain(called);
    let at = *c.pick(&calls)?;
    let close = c.text.partner.get(at + 1).copied().flatten()?;
    let inside = c.text.arguments.iter().find(|l| l.first().is_some_and(|a| a.start == at + 2))?;
    let argument = c.pick(inside)?.clone();
    c.replace(at..close + 1, format!("({})", c.text.slice(&argument)))
}

/// What stands in a block without what is around it.
fn unwrap_statement(c: &mut Context) -> Option<Vec<Edit>> {
    let statements: Vec<&Range<usize>> =
        c.text.statements.iter().filter(|s| s.end > s.start + 1 && c.text.word(s.end - 1) == "}").collect();
    let statement = (*c.pick(&statements)?).clone();
    let open = c.text.partner.get(statement.end - 1).copied().flatten()?;
    c.replace(statement.clone(), c.text.slice(&(open + 1..statement.end - 1)))
}

fn all_of(c: &Context, name: &str, with: &str) -> Vec<Edit> {
    let uses = c.text.indices(|t| t.kind == TokenKind::Ident && t.text == name);
    uses.into_iter().map(|i| (c.text.bytes(&(i..i + 1)), with.to_owned())).collect()
}

/// A name becomes another everywhere.
fn rename(c: &mut Context) -> Option<Vec<Edit>> {
    let name = c.declared()?;
    let with = if c.random.chance(75) { c.word_of("names")? } else { c.declared()? };
    Some(all_of(c, name, with))
}

fn exchange_names(c: &mut Context) -> Option<Vec<Edit>> {
    let [a, b] = [c.declared()?, c.declared()?];
    if c.random.chance(50) {
        let uses = c.text.indices(|t| t.text == a);
        let at = *c.pick(&uses)?;
        return c.replace(at..at + 1, b);
    }
    (a != b).then(|| [all_of(c, a, b), all_of(c, b, a)].concat())
}

fn splice_statement(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.pick(&c.text.statements)?.clone();
    let from = c.pick(&c.other.statements)?.clone();
    c.before(&at, c.other.slice(&from))
}

fn splice_declaration(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.pick(&c.text.declarations)?.clone();
    let from = c.pick(&c.other.declarations)?.clone();
    c.before(&at, c.other.slice(&from))
}

fn splice_expression(c: &mut Context) -> Option<Vec<Edit>> {
    let [to, from] = [c.expression()?, c.expression()?];
    c.replace(to, c.text.slice(&from))
}

fn change_semantic(c: &mut Context) -> Option<Vec<Edit>> {
    let semantic = |i: &usize| {
        let upper = c.text.word(*i).starts_with(|c: char| c.is_ascii_uppercase());
        upper && i.checked_sub(1).is_some_and(|b| c.text.word(b) == ":")
    };
    let mut found = c.text.indices(|t| t.kind == TokenKind::Ident);
    found.retain(semantic);
    let at = *c.pick(&found)?;
    let with = c.word_of("semantics")?;
    c.replace(at..at + 1, with)
}

/// A number within an attribute or a register.
fn change_number_of_attribute(c: &mut Context) -> Option<Vec<Edit>> {
    let heads =
        ["register", "packoffset", "numthreads", "binding", "location", "maxvertexcount", "outputcontrolpoints"];
    let at = *c.pick(&c.text.indices(|t| heads.contains(&t.text)))?;
    let close = c.text.partner.get(at + 1).copied().flatten()?;
    let inside: Vec<usize> = (at + 2..close).filter(|i| c.text.word(*i) != ",").collect();
    let at = *c.pick(&inside)?;
    let numbers =
        ["0", "1", "2", "3", "7", "64", "65", "1024", "1025", "4294967295", "t0", "b0", "s1", "u2", "space1", "c3"];
    let with = *c.pick(&numbers)?;
    c.replace(at..at + 1, with)
}

fn add_attribute(c: &mut Context) -> Option<Vec<Edit>> {
    let at = if c.random.chance(40) { c.pick(&c.text.statements)? } else { c.pick(&c.text.declarations)? }.clone();
    let attribute = c.word_of("attributes")?;
    c.before(&at, attribute)
}

fn add_modifier(c: &mut Context) -> Option<Vec<Edit>> {
    let modifier = c.word_of("modifiers")?;
    let at = match c.random.below(3) {
        0 => c.pick(&c.text.statements)?.clone(),
        1 => c.pick(&c.text.declarations)?.clone(),
        _ => {
            let lists: Vec<&Vec<Range<usize>>> = c.text.arguments.iter().filter(|l| !l.is_empty()).collect();
            let list = *c.pick(&lists)?;
            c.pick(list)?.clone()
        }
    };
    c.before(&at, modifier)
}

fn wrap_expression(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.expression()?;
    let wrapped = c.word_of("wraps")?.replace('$', c.text.slice(&at));
    (wrapped.len() < 2000).then(|| c.replace(at, wrapped))?
}

fn change_stage(c: &mut Context) -> Option<Vec<Edit>> {
    let at = *c.pick(&c.text.indices(|t| t.text == "shader"))? + 2;
    let (name, _) = *c.pick(Stage::NAMES)?;
    c.replace(at..at + 1, format!("\"{name}\""))
}

fn change_swizzle(c: &mut Context) -> Option<Vec<Edit>> {
    let mut found = c.text.indices(|t| has("swizzles", t.text));
    found.retain(|i| i.checked_sub(1).is_some_and(|b| c.text.word(b) == "."));
    let at = *c.pick(&found)?;
    let with = c.word_of("swizzles")?;
    c.replace(at..at + 1, with)
}

fn add_statement(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.pick(&c.text.statements)?.clone();
    let pattern = c.word_of("statements")?;
    let statement = c.filled(pattern)?;
    if c.random.chance(70) { c.before(&at, &statement) } else { c.after(&at, &statement) }
}

fn wrap_statement(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.pick(&c.text.statements)?.clone();
    let pattern = c.word_of("wrapped")?;
    let statement = c.text.slice(&at);
    let filled = c.filled(pattern)?;
    c.replace(at, filled.replace('@', statement))
}

fn add_declaration(c: &mut Context) -> Option<Vec<Edit>> {
    let at = c.pick(&c.text.declarations)?.clone();
    let declaration = c.word_of("declarations")?;
    c.before(&at, &format!("{declaration}\n"))
}

/// What stands in brackets.
fn change_index(c: &mut Context) -> Option<Vec<Edit>> {
    let at = *c.pick(&c.text.indices(|t| t.text == "["))?;
    let close = c.text.partner.get(at).copied().flatten().filter(|close| *close > at + 1)?;
    let with = match c.random.chance(50) {
        true => c.word_of("integers")?.to_owned(),
        false => c.expression().map(|e| c.text.slice(&e).to_owned())?,
    };
    c.replace(at + 1..close, with)
}

fn add_semantic_or_register(c: &mut Context) -> Option<Vec<Edit>> {
    let mut ends = c.text.indices(|t| t.kind == TokenKind::Ident);
    ends.retain(|i| matches!(c.text.word(i + 1), ";" | ")" | "," | "["));
    let at = *c.pick(&ends)?;
    let with = match c.random.below(3) {
        0 => "register(t0)".to_owned(),
        1 => format!("register(u{})", c.random.below(3)),
        _ => c.word_of("semantics")?.to_owned(),
    };
    c.after(&(at..at + 1), &format!(": {with}"))
}
