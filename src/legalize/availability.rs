//! Words and extensions that the version of the language does not have, in declarations and in what is called.

use super::needs;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::target::{EXTENSION_ATTRIBUTE, Profile, RAY_PAYLOAD, RAY_PAYLOADS_SINCE, STAGE_LAYOUT, VERSION_ATTRIBUTE};
use crate::tree::{
    Attribute, AttributeArg, ExprKind, Function, FunctionBody, Global, Item, Modifiers, Program, Struct, Template,
    TemplatePiece, TypeId,
};
use rustc_hash::FxHashSet;

/// Modifiers that not every version has.
const MODIFIERS: &[(Modifiers, &str)] =
    &[(Modifiers::PRECISE, "precise"), (Modifiers::NOPERSPECTIVE, "noperspective"), (Modifiers::SAMPLE, "sample")];

/// Reports each word and each extension once, at its first use.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    if !profile.has_extensions() && profile.shader_model().is_none() {
        return;
    }
    let mut check = Check { profile, reported: FxHashSet::default(), diags };
    for item in &program.items {
        match *item {
            Item::Struct(id) => {
                check.payload(&program.structs[id]);
                for field in &program.structs[id].fields {
                    check.modifiers(field.modifiers, field.span);
                }
            }
            Item::Global(id) => check.global(&program.globals[id]),
            Item::Enum(_) | Item::Function(_) => {}
        }
    }
    for entry in &program.entry_points {
        let function = &program.functions[entry.function];
        if function.attributes.iter().any(|a| a.name.as_str().eq_ignore_ascii_case("earlydepthstencil")) {
            check.word("early_fragment_tests", function.span);
        }
        for attribute in function.attributes.iter().filter(|a| a.name == STAGE_LAYOUT) {
            if let Some(AttributeArg::Text(text)) = attribute.args.first() {
                text.as_str().split(", ").for_each(|word| check.word(word, function.span));
            }
        }
    }
    for id in program.reachable_functions() {
        check.function(program, &program.functions[id]);
    }
}

struct Check<'a> {
    profile: &'a Profile,
    reported: FxHashSet<String>,
    diags: &'a mut Diagnostics,
}

impl Check<'_> {
    fn global(&mut self, global: &Global) {
        self.modifiers(global.modifiers, global.span);
        if global.explicit.index.is_some() {
            self.word("index", global.span);
        }
        // Layout qualifiers that passes made.
        for attribute in global.attributes.iter().filter(|a| a.name == "__layout") {
            if let Some(AttributeArg::Text(text)) = attribute.args.first() {
                self.word(text.as_str(), global.span);
            }
        }
    }

    /// What a payload says of the stages that use it is omitted where the shader model does not have it: it changes no value.
    fn payload(&mut self, payload: &Struct) {
        let is_early = self.profile.shader_model().is_some_and(|model| model < RAY_PAYLOADS_SINCE);
        let attribute = payload.attributes.iter().find(|a| a.name == RAY_PAYLOAD);
        if let Some(attribute) = attribute.filter(|_| is_early) {
            let (major, minor) = RAY_PAYLOADS_SINCE;
            let message = format!(
                "the access qualifiers of `{}` are omitted: they came with Shader Model {major}.{minor}",
                payload.name
            );
            self.diags.push(Diagnostic::warning(Code::OMITTED, attribute.span, message));
        }
    }

    fn modifiers(&mut self, modifiers: Modifiers, span: Span) {
        for (_, word) in MODIFIERS.iter().filter(|(modifier, _)| modifiers.has(*modifier)) {
            self.word(word, span);
        }
    }

    fn function(&mut self, program: &Program, function: &Function) {
        // What needs a missing capability has been reported with its name.
        if needs::required(function).any(|c| !self.profile.has(c)) {
            return;
        }
        self.attributes(&function.attributes, function.span);
        if function.result != TypeId::VOID {
            self.modifiers(function.modifiers, function.span);
        }
        for (_, local) in function.code.locals.iter() {
            self.modifiers(local.modifiers, local.span);
        }
        for id in function.code.expressions() {
            let expr = &function.code.exprs[id];
            match &expr.kind {
                ExprKind::Native(template, _) => self.words(template, expr.span),
                ExprKind::Call(callee, _) => self.call(&program.functions[*callee], expr.span),
                _ => {}
            }
        }
    }

    fn call(&mut self, callee: &Function, span: Span) {
        // What needs a missing capability has been reported with its name.
        if needs::required(callee).any(|c| !self.profile.has(c)) {
            return;
        }
        self.attributes(&callee.attributes, span);
        if let FunctionBody::Intrinsic(template) = &callee.body {
            self.words(template, span);
            self.shader_model(callee, span);
        }
    }

    fn words(&mut self, template: &Template, span: Span) {
        if self.profile.has_all_words() {
            return;
        }
        for piece in &template.pieces {
            if let TemplatePiece::Text(text) = piece {
                self.word(text, span);
            }
        }
    }

    fn word(&mut self, text: &str, span: Span) {
        if let Some(word) = self.profile.missing_word(text) {
            self.report(word, span);
        }
    }

    /// Extensions and versions that a function needs.
    fn attributes(&mut self, attributes: &[Attribute], span: Span) {
        for attribute in attributes {
            match (attribute.name.as_str(), attribute.args.first()) {
                (EXTENSION_ATTRIBUTE, Some(AttributeArg::Text(name)))
                    if self.profile.lacks_extension(name.as_str()) =>
                {
                    self.report(name.as_str(), span);
                }
                (VERSION_ATTRIBUTE, Some(AttributeArg::Int(version)))
                    if *version > self.profile.version_number().into() =>
                {
                    self.report(&format!("#version {version}"), span);
                }
                _ => {}
            }
        }
    }

    /// The shader model that a builtin needs which was not written out.
    fn shader_model(&mut self, callee: &Function, span: Span) {
        let Some(model) = needs::missing_shader_model(callee, self.profile) else { return };
        let name = callee.name.as_str();
        if !self.reported.insert(name.to_owned()) {
            return;
        }
        let message = format!(
            "{} does not have `{name}`, which came with Shader Model {}.{}",
            self.profile.name, model.0, model.1
        );
        let mut error = Diagnostic::error(Code::CAPABILITY, span, message);
        if let Some(profile) = self.profile.of_shader_model(model) {
            error = error.note(format!("the profile `{}` has it", profile.name));
        }
        self.diags.push(error);
    }

    fn report(&mut self, what: &str, span: Span) {
        if self.reported.insert(what.to_owned()) {
            let message = format!("{} does not have `{what}`, which this needs", self.profile.name);
            self.diags.push(Diagnostic::error(Code::CAPABILITY, span, message));
        }
    }
}
