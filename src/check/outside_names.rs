//! Names that options give: types that conform to interfaces, and entry points.
//!
//! `Outer.Inner.main`, `Outer::Inner::main` and `main<float, 4>`: what stands before a name is a namespace or a type; generic
//! arguments are types by their names, numbers, `true` and `false`.

use super::entry::{FoundEntry, stage_of_file};
use super::expr::decl_of;
use super::scope::{DeclId, ScopeKind, What};
use super::types::Name;
use super::{Arg, Checker, EntryRequest, Input};
use crate::ast::{GenericParamKind, Generics};
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::{Symbol, nearest};

/// Whether a file, or the translation unit of one, is what a request means: functions of one unit have different names, so that
/// the file of a Slang function, which may be any of its unit, need not be told.
fn is_in(unit: Symbol, file: &str) -> bool {
    let before = unit.as_str().strip_suffix(file);
    Language::of(file) == Language::Slang || before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// A part of a name between dots.
struct Segment<'t> {
    name: &'t str,
    /// Generic arguments, if any are written.
    args: Option<Vec<&'t str>>,
}

impl<'t> Segment<'t> {
    fn of(text: &'t str) -> Segment<'t> {
        match text.split_once('<').and_then(|(name, rest)| Some((name, rest.trim_end().strip_suffix('>')?))) {
            Some((name, args)) => Segment { name: name.trim(), args: Some(split_outside(args, ',')) },
            None => Segment { name: text, args: None },
        }
    }
}

/// The parts of a text between the signs that stand outside of angle brackets.
fn split_outside(text: &str, sign: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let is_between = |c: char| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == sign && depth == 0
    };
    text.split(is_between).map(str::trim).collect()
}

impl<'a> Checker<'a> {
    /// What a name outside of the sources leads to in one of the files.
    pub(super) fn named_outside(&mut self, path: &str) -> Option<Name<'a>> {
        let scopes: Vec<_> = self.sources.iter().filter(|s| !s.builtin).map(|s| s.scope).collect();
        for scope in scopes {
            let mut name = Name::Namespace(scope);
            for text in split_outside(path, '.') {
                let segment = Segment::of(text);
                let part = Symbol::new(segment.name);
                let found = match name {
                    Name::Namespace(inner) => self.lookup_here(inner, part),
                    Name::Type(ty) => self.type_members(ty, part),
                    _ => break,
                };
                name = self.quiet(|c| c.name_of_plain(found, scope, Span::default()));
                if let Some(args) = segment.args {
                    name = self.instance_outside(&name, &args).unwrap_or(Name::Missing);
                }
            }
            if matches!(name, Name::Type(_) | Name::Interface(..)) {
                return Some(name);
            }
        }
        self.builtin_type(Symbol::new(path)).map(Name::Type)
    }

    /// A generic struct with its arguments.
    fn instance_outside(&mut self, name: &Name<'a>, args: &[&str]) -> Option<Name<'a>> {
        let Name::Generic(decl) = *name else { return None };
        let What::Struct(s) = self.info(decl).what else { return None };
        let args = self.args_outside(decl, s.generics.as_ref()?, args)?;
        Some(Name::Type(self.instantiate_struct(decl, args, Span::default())))
    }

    /// Generic arguments by their texts, with defaults for the rest. `None`: they do not fit.
    fn args_outside(&mut self, decl: DeclId, generics: &'a Generics, texts: &[&str]) -> Option<Vec<Arg>> {
        if texts.len() > generics.params.len() {
            return None;
        }
        let scope = self.scope(Some(self.info(decl).scope), ScopeKind::Plain);
        let mut args = Vec::new();
        for (index, param) in generics.params.iter().enumerate() {
            let arg = match (&param.kind, texts.get(index)) {
                (GenericParamKind::Value { .. }, Some(text)) => Arg::Value(match *text {
                    "true" => 1,
                    "false" => 0,
                    number => number.parse().ok()?,
                }),
                (GenericParamKind::Type { .. }, Some(text)) => match self.named_outside(text)? {
                    Name::Type(ty) => Arg::Type(ty),
                    _ => return None,
                },
                (GenericParamKind::Pack { .. }, Some(_)) => return None,
                (_, None) => self.quiet(|c| c.default_arg(param, scope))?,
            };
            self.bind_arg(scope, param, &arg);
            args.push(arg);
        }
        self.satisfied(generics, &args, scope).then_some(args)
    }

    /// The entry points that options ask for.
    pub(super) fn requested(&mut self, functions: &[DeclId], input: &'a Input) -> Vec<FoundEntry> {
        let mut list = Vec::new();
        for request in self.options.entries.clone() {
            let path = request.name.replace("::", ".");
            let mut parts = split_outside(&path, '.');
            let last = Segment::of(parts.pop().unwrap_or(""));
            let Some(decl) = self.entry_named(functions, &parts.join("."), last.name, &request, input) else {
                self.no_entry(functions, &request);
                continue;
            };
            let Some(args) = self.args_of_entry(decl, last.args, &request) else { continue };
            let stage = request.stage.or_else(|| self.marked_stage(decl)).or_else(|| {
                let file = self.unit_name(decl, input);
                self.custom_stage(decl, file)
            });
            match stage {
                Some(stage) => list.push(FoundEntry { decl, stage, args }),
                None => self.ambiguous(decl, input),
            }
        }
        list
    }

    /// The function with a name in a namespace or, as a static method, in a type; without either one of any namespace. Of several,
    /// that whose parameters and results have semantics, and whose `[shader]` or file names the stage that is asked for.
    fn entry_named(
        &mut self,
        functions: &[DeclId],
        outer: &str,
        name: &str,
        request: &EntryRequest,
        input: &'a Input,
    ) -> Option<DeclId> {
        let namespace = Some(outer).filter(|outer| !outer.is_empty());
        let is_named = |decl: &DeclId| {
            let info = self.info(*decl);
            let around = self.at(info.scope).namespace;
            let is_there = request.file.as_deref().is_none_or(|file| is_in(self.unit_name(*decl, input), file));
            info.name == *name && is_there && (namespace.is_none() || around.map(Symbol::as_str) == namespace)
        };
        let named: Vec<DeclId> = functions.iter().copied().filter(is_named).collect();
        let named = self.entry_like(named, input);
        // Those of no namespace come first, and of these the marked ones.
        let rank = |decl: &DeclId| {
            let marked = self.marked_stage(*decl);
            let told = marked.or_else(|| stage_of_file(self.unit_name(*decl, input).as_str()));
            let is_other = request.stage.is_some() && told.is_some() && told != request.stage;
            (is_other, self.at(self.info(*decl).scope).namespace.is_some(), marked.is_none())
        };
        if let Some(decl) = named.into_iter().min_by_key(rank) {
            return Some(decl);
        }
        let Some(Name::Type(ty)) = self.named_outside(namespace?) else { return None };
        let found = self.type_members(ty, Symbol::new(name));
        let is_code = |decl: &DeclId| matches!(self.info(*decl).what, What::Function(f) if f.body.is_some());
        found.entities.into_iter().filter_map(decl_of).find(|decl| is_code(decl) && self.info(*decl).has("static"))
    }

    fn no_entry(&mut self, functions: &[DeclId], request: &EntryRequest) {
        let place = request.file.as_ref().map_or(String::new(), |file| format!(" in {file}"));
        let message = format!("there is no function `{}`{place} to be an entry point", request.name);
        let mut diagnostic = Diagnostic::global(Code::ENTRY_NOT_FOUND, message);
        let all = || functions.iter().map(|d| self.info(*d).name.as_str());
        if let Some(similar) = nearest(&request.name, all()) {
            diagnostic = diagnostic.note(format!("there is `{similar}`"));
        }
        let names: Vec<&str> = all().take(8).collect();
        if !names.is_empty() {
            diagnostic = diagnostic.note(format!("functions of the file: {}", names.join(", ")));
        }
        self.diags.push(diagnostic);
    }

    /// The generic arguments of an entry point. `None`: they do not fit, which is reported.
    fn args_of_entry(&mut self, decl: DeclId, given: Option<Vec<&str>>, request: &EntryRequest) -> Option<Vec<Arg>> {
        let Some(texts) = given else { return Some(Vec::new()) };
        let info = self.info(decl);
        let generics = match info.what {
            What::Function(f) => f.generics.as_ref(),
            _ => None,
        };
        let args = generics.and_then(|generics| self.args_outside(decl, generics, &texts));
        if args.is_none() {
            let message = format!("the generic arguments of `{}` do not fit", request.name);
            let note = format!("declared as: {}", self.signature_text(decl));
            self.diags.push(Diagnostic::error(Code::GENERIC_ARGUMENTS, info.span, message).note(note));
        }
        args
    }
}
