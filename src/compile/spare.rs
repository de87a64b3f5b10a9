//! What no entry point uses of the files that a program includes, as a program of its own: trees of outputs keep it in headers.
//!
//! Before: `float cube(float x) {...}`, which nothing calls
//! After:  an entry point that does nothing but call `cube`
//!
//! Only what has a text without bindings is taken: functions of plain data that reach no parameters, structs of plain data,
//! constants, and macros that are numbers. An entry point uses them, so that all passes see them as code like any other.

use super::{Artifact, Compilation, Target, legalization, settings};
use crate::ast;
use crate::check::convert::is_data;
use crate::check::{self, Input};
use crate::diagnostic::Diagnostics;
use crate::lex::UnusedNumber;
use crate::source::{Expansion, Sources, Span};
use crate::stdlib::Mentions;
use crate::symbol::Symbol;
use crate::target::{Language, Profile};
use crate::tree::analyses::items;
use crate::tree::{
    Block, Body, Build, EntryPoint, ExprId, ExprKind, Function, FunctionBody, FunctionId, GlobalId, GlobalKind, Item,
    Literal, ParamMode, Program, Stage, Stmt, StmtKind, StructId, Type, TypeId,
};
use crate::{emit, layout, legalize, validate};
use rustc_hash::FxHashSet;

/// The name of the entry point.
const ENTRY: &str = "spare_code";
/// How deep data is nested.
const DEPTH: u32 = 64;

/// What is kept of a program's headers.
#[derive(Debug, Default)]
pub struct SpareCode {
    /// The texts, one a target.
    pub texts: Vec<Artifact>,
    /// What no target's text has because it cannot: the names.
    pub left_out: Vec<(Target, String)>,
}

/// What is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spare {
    Item(Item),
    Number(Number),
}

/// A macro that is a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Number {
    name: Symbol,
    ty: TypeId,
    /// The bits of a number of floating point, or the integer.
    bits: u64,
    spelling: Symbol,
    is_negative: bool,
    /// As that of a use of the macro, and the number in it.
    span: Span,
    number: Span,
}

impl Compilation<'_> {
    /// The spare code of a program for all targets. A fault of ours is no reason to do without the program's own texts.
    pub(super) fn spare_code(
        &mut self,
        input: &Input,
        how: &check::Options,
        mentions: &Mentions,
        mains: &[&str],
    ) -> SpareCode {
        let numbers = numbers(input, &mut self.output.sources, mains);
        let make = || {
            let mut spare = SpareCode::default();
            let Some(program) = checked(input, how, mentions) else { return spare };
            let items = spare_items(&program, &self.output.sources, mains).into_iter().map(Spare::Item);
            let items: Vec<Spare> = items.chain(numbers.iter().copied().map(Spare::Number)).collect();
            if !items.is_empty() {
                self.options.targets.iter().for_each(|target| self.spare_text(&program, &items, *target, &mut spare));
            }
            spare
        };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(make)).unwrap_or_default()
    }

    /// Adds the text of all items that a target can have.
    fn spare_text(&self, program: &Program, items: &[Spare], target: Target, spare: &mut SpareCode) {
        let Some(profile) = self.usual_profile(target) else { return };
        let mut last = None;
        let usable = usable(items, &mut |items| {
            last = self.text_of(&spare_program(program, items), profile).map(|text| (items.len(), text));
            last.is_some()
        });
        let left_out = items.iter().filter(|item| !usable.contains(item));
        spare.left_out.extend(left_out.map(|item| (target, name(program, *item).to_string())));
        let text = match last {
            Some((count, text)) if count == usable.len() => Some(text),
            _ if usable.is_empty() => None,
            _ => self.text_of(&spare_program(program, &usable), profile),
        };
        spare.texts.extend(text);
    }

    /// The text of a program without parameters, if all of it is legal.
    fn text_of(&self, program: &Program, profile: &Profile) -> Option<Artifact> {
        let language = profile.target.text_language()?;
        let mut diags = Diagnostics::default();
        let settings = settings(profile, self.options);
        let program = layout::prepare(program, &settings, profile.name, &mut diags);
        let placed = layout::place(&program, settings, None, None, &mut diags);
        let mut legal = program.as_ref().clone();
        legalize::run(&mut legal, &placed, profile, &mut diags, None, &legalization(self.options));
        if diags.has_errors() {
            return None;
        }
        let printing = emit::Options { style: self.options.style, pieces: true, ..emit::Options::default() };
        let text = emit::emit(&legal, profile, &printing, &self.output.sources).into_iter().next()?;
        let entry = text.entry.and_then(|at| program.entry_points.get(at)).map(|entry| (entry.name, entry.stage));
        let emitted = legal.entry_points.iter().map(|entry| (legal.functions[entry.function].name, entry.stage));
        let artifact = self.artifact(profile, entry, emitted.collect(), text, &mut diags)?;
        let is_valid = match language {
            Language::Wgsl if cfg!(feature = "validate") => validate::check_wgsl(artifact.text()).is_ok(),
            Language::Wgsl | Language::Hlsl | Language::Glsl => true,
        };
        (is_valid && !diags.has_errors()).then_some(artifact)
    }
}

/// The program with all functions of its sources, if nothing is wrong with those that are not used.
fn checked(input: &Input, how: &check::Options, mentions: &Mentions) -> Option<Program> {
    let how = check::Options { keeps_unused: true, ..how.clone() };
    let with = |library: &crate::stdlib::Stdlib| {
        let mut diags = Diagnostics::default();
        let (program, _) = check::check(library, input, &how, &mut diags);
        (!diags.has_errors()).then_some(program)
    };
    let library = mentions.stdlib();
    with(&library).or_else(|| if library.whole { None } else { with(mentions.whole()) })
}

fn name(program: &Program, spare: Spare) -> Symbol {
    match spare {
        Spare::Item(Item::Function(id)) => program.functions[id].name,
        Spare::Item(Item::Struct(id)) => program.structs[id].name,
        Spare::Item(Item::Global(id)) => program.globals[id].name,
        Spare::Item(Item::Enum(id)) => program.enums[id].name,
        Spare::Number(number) => number.name,
    }
}

/// Whether something is in a file that is none of `mains`.
fn is_in_header(span: Span, sources: &Sources, mains: &[&str]) -> bool {
    sources.file(sources.use_site(span).file).is_some_and(|file| !mains.contains(&&*file.name))
}

/// The macros of headers that are numbers and that nothing asks for, each once, as if they were used where they are defined. What
/// conditions ask for says what is in the text, and would say nothing there.
fn numbers(input: &Input, sources: &mut Sources, mains: &[&str]) -> Vec<Number> {
    let mut names = FxHashSet::default();
    let units = input.units.iter().chain(&input.modules).flat_map(|unit| &unit.files);
    let all = units.flat_map(|file| &file.unused_numbers);
    let of_headers: Vec<_> = all.filter(|(of, _)| is_in_header(of.definition, sources, mains)).collect();
    of_headers
        .into_iter()
        .filter(|(of, _)| names.insert(of.name))
        .filter_map(|(of, n)| number(of, n, sources))
        .collect()
}

/// One of 32 bits.
fn number(of: &UnusedNumber, number: &ast::ExprKind, sources: &mut Sources) -> Option<Number> {
    let (ty, bits, spelling) = match *number {
        ast::ExprKind::Int(value, suffix, text) => match suffix.as_str() {
            "" if i32::try_from(value).is_ok() => (TypeId::INT, value, text),
            "" | "u" if u32::try_from(value).is_ok() && !of.is_negative => (TypeId::UINT, value, text),
            _ => return None,
        },
        ast::ExprKind::Float(value, suffix, text) => match suffix.as_str() {
            "" | "f" if (value as f32).is_finite() => (TypeId::FLOAT, f64::from(value as f32).to_bits(), text),
            _ => return None,
        },
        _ => return None,
    };
    let expansion = sources.add_expansion(Expansion {
        call_site: of.definition,
        definition: of.definition,
        name: of.name,
        is_object: true,
        remarks: of.remarks.clone(),
        call: None,
    });
    let span = Span { file: expansion.named(), ..of.value };
    let number = Span { file: expansion, ..of.number.span };
    Some(Number { name: of.name, ty, bits, spelling, is_negative: of.is_negative, span, number })
}

impl Number {
    /// The expression.
    fn value(self, program: &mut Program, code: &mut Body) -> ExprId {
        let literal = match self.ty {
            TypeId::FLOAT => Literal::Float(f64::from_bits(self.bits)),
            _ => Literal::Int(self.bits as i64),
        };
        let span = if self.is_negative { self.number } else { self.span };
        let kind = ExprKind::Literal(literal, Some(self.spelling));
        let value = Build::new(&mut program.types, &mut code.exprs, span).add(kind, self.ty);
        match self.is_negative {
            true => Build::new(&mut program.types, &mut code.exprs, self.span).negated(value),
            false => value,
        }
    }
}

/// What a program, which has all functions of its sources, can keep: what its entry points do not use and is in no file of `mains`.
fn spare_items(program: &Program, sources: &Sources, mains: &[&str]) -> Vec<Item> {
    let analyses = program.analyses();
    let roots = program.entry_points.iter().flat_map(|entry| entry.roots()).map(Item::Function);
    let reached = items::reached(roots, &|item| analyses.item_uses(item));
    // Another function of the name of one that is used could be meant by its calls.
    let overloaded = reached.iter().filter_map(|item| match *item {
        Item::Function(id) => Some(overload(program, id)),
        Item::Struct(_) | Item::Enum(_) | Item::Global(_) => None,
    });
    let overloaded: FxHashSet<(Option<TypeId>, Symbol)> = overloaded.collect();
    let used: FxHashSet<Item> = reached.iter().copied().collect();
    let is_spare = |item: &Item| {
        let span = match *item {
            Item::Function(id) if overloaded.contains(&overload(program, id)) => return false,
            Item::Function(id) if is_plain_function(program, id) => program.functions[id].span,
            Item::Struct(id) if is_plain_struct(program, id) => program.structs[id].span,
            Item::Global(id) if is_plain_constant(program, id) => program.globals[id].span,
            Item::Function(_) | Item::Struct(_) | Item::Global(_) | Item::Enum(_) => return false,
        };
        !used.contains(item) && is_in_header(span, sources, mains)
    };
    program.items.iter().copied().filter(is_spare).collect()
}

/// What functions that overload each other have in common.
fn overload(program: &Program, id: FunctionId) -> (Option<TypeId>, Symbol) {
    (program.functions[id].owner, program.functions[id].name)
}

/// Whether calls of a function need nothing but values.
fn is_plain_function(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id];
    let is_own = !function.builtin && !function.made && !function.returns_ref && function.instance.is_empty();
    let has_code = matches!(function.body, FunctionBody::Block) && program.entry_point_of(id).is_none();
    let is_plain = |ty: TypeId| is_data(program, ty, DEPTH);
    let is_plain_param = |param: &crate::tree::Param| {
        param.mode != ParamMode::Ref && !param.constant && is_plain(function.code.locals[param.local].ty)
    };
    let has_no_semantics = function.result_semantic.is_none() && function.params.iter().all(|p| p.semantic.is_none());
    is_own
        && has_code
        && has_no_semantics
        && (function.result == TypeId::VOID || is_plain(function.result))
        && function.params.iter().all(is_plain_param)
        && program.analyses().reached_globals([id].into_iter()).iter().all(|id| is_free(program, *id))
}

/// Whether a global needs no place that others decide on.
fn is_free(program: &Program, id: GlobalId) -> bool {
    match program.globals[id].kind {
        GlobalKind::Const => program.specialization_of(id).is_empty(),
        GlobalKind::Static => true,
        GlobalKind::Parameter
        | GlobalKind::Groupshared
        | GlobalKind::Specialization
        | GlobalKind::Input
        | GlobalKind::Output
        | GlobalKind::Passed
        | GlobalKind::Heap => false,
    }
}

fn is_plain_struct(program: &Program, id: StructId) -> bool {
    let declared = &program.structs[id];
    let is_own = !declared.builtin && !declared.made && declared.instance.is_none() && !declared.name.is_empty();
    is_own && !declared.fields.is_empty() && declared.fields.iter().all(|field| is_data(program, field.ty, DEPTH))
}

fn is_plain_constant(program: &Program, id: GlobalId) -> bool {
    let global = &program.globals[id];
    global.kind == GlobalKind::Const && is_free(program, id) && is_data(program, global.ty, DEPTH)
}

/// The program of which an entry point uses what is spare, and nothing else.
fn spare_program(program: &Program, spare: &[Spare]) -> Program {
    let mut program = program.clone();
    program.parameters = Vec::new().into();
    program.subobjects.clear();
    program.effect = Default::default();
    program.header.clear();
    program.footer.clear();
    let language =
        program.entry_points.first().map(|entry| entry.language).unwrap_or(crate::preprocess::Language::Slang);
    program.entry_points.clear();
    let constants: Vec<Item> = program.specialization_constants().collect();
    program.items = program.items.iter().copied().filter(|item| !constants.contains(item)).collect::<Vec<_>>().into();
    let mut code = Body::default();
    let uses: Vec<Stmt> = spare.iter().flat_map(|spare| used(&mut program, &mut code, *spare)).collect();
    code.block = Block::of(uses).into();
    let function = program.functions.push(Function {
        name: ENTRY.into(),
        result: TypeId::VOID,
        body: FunctionBody::Block,
        code,
        made: true,
        ..Function::default()
    });
    let items = program.items.iter().copied().chain([Item::Function(function)]);
    program.items = items.collect::<Vec<_>>().into();
    program.entry_points.push(EntryPoint {
        function,
        patch_constant: None,
        stage: Stage::Fragment,
        name: ENTRY.into(),
        workgroup_size: [1; 3],
        workgroup_constants: [None; 3],
        unit: 0,
        language,
        interface: Vec::new(),
        uniforms: Vec::new(),
    });
    program
}

/// Statements that use what is spare.
fn used(program: &mut Program, code: &mut Body, spare: Spare) -> Vec<Stmt> {
    let span = Span::default();
    let variable = |code: &mut Body, ty: TypeId, value: Option<ExprId>| {
        let local = code.add_local("value", ty, span);
        (local, Stmt::new(StmtKind::Local(local, value), span))
    };
    match spare {
        Spare::Number(number) => {
            let value = number.value(program, code);
            vec![variable(code, number.ty, Some(value)).1]
        }
        Spare::Item(Item::Struct(id)) => {
            let ty = program.types.intern(Type::Struct(id));
            vec![variable(code, ty, None).1]
        }
        Spare::Item(Item::Global(id)) => {
            let ty = program.globals[id].ty;
            let value = Build::new(&mut program.types, &mut code.exprs, span).global(id, ty);
            vec![variable(code, ty, Some(value)).1]
        }
        Spare::Item(Item::Function(id)) => {
            let function = &program.functions[id];
            let result = function.result;
            let types: Vec<TypeId> = function.params.iter().map(|p| function.code.locals[p.local].ty).collect();
            let (mut statements, mut args) = (Vec::new(), Vec::new());
            for ty in types {
                let (local, statement) = variable(code, ty, None);
                statements.push(statement);
                args.push(Build::new(&mut program.types, &mut code.exprs, span).local(local, ty));
            }
            let call = Build::new(&mut program.types, &mut code.exprs, span).call(id, args, result);
            statements.push(match result {
                TypeId::VOID => Stmt::new(StmtKind::Expr(call), span),
                _ => variable(code, result, Some(call)).1,
            });
            statements
        }
        Spare::Item(Item::Enum(_)) => Vec::new(),
    }
}

/// The most of what is spare that can be had together, by halves: what is wrong with one is no reason to leave out others.
fn usable(spare: &[Spare], is_usable: &mut dyn FnMut(&[Spare]) -> bool) -> Vec<Spare> {
    if spare.is_empty() || is_usable(spare) {
        return spare.to_vec();
    }
    let (first, second) = spare.split_at(spare.len() / 2);
    if first.is_empty() {
        return Vec::new();
    }
    let mut found = usable(first, is_usable);
    found.extend(usable(second, is_usable));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_left_out_alone() {
        let all: Vec<Spare> = (0..9).map(|id| Spare::Item(Item::Struct(StructId(id)))).collect();
        let bad = [all[2], all[7]];
        let mut tries = 0;
        let mut is_usable = |items: &[Spare]| {
            tries += 1;
            !items.iter().any(|item| bad.contains(item))
        };
        let good = usable(&all, &mut is_usable);
        assert_eq!(good, all.iter().copied().filter(|item| !bad.contains(item)).collect::<Vec<Spare>>());
        assert!(tries < 18);
        assert!(usable(&bad, &mut |_| false).is_empty());
    }
}
