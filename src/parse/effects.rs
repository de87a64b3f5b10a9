//! What effect files say to an application: techniques with their passes, states of samplers and of other objects, annotations.
//!
//! Only the functions that passes compile matter to the text. One that is compiled with values for its `uniform` parameters
//! becomes a function without them:
//!
//! Before: `float4 draw(float2 uv : TEXCOORD0, uniform bool lit) : COLOR { ... }      compile ps_3_0 draw(true)`
//! After:  `float4 draw_true(float2 uv : TEXCOORD0) : COLOR { const bool lit = true; ... }`

use super::attributes::Prefix;
use super::words::W;
use super::{Parser, R};
use crate::ast::*;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The objects of effects that are kept with their states.
pub(super) const SAMPLER_STATES: &str = "sampler_state";

impl Parser<'_> {
    /// Whether a technique or a group of them begins here.
    pub(super) fn is_technique(&self) -> bool {
        matches!(self.w(), W::Technique | W::TechniqueFirst | W::Technique10 | W::Technique11 | W::FxGroup)
            && (self.is_name_at(self.pos + 1) || self.peek(1) == W::LBrace)
    }

    /// technique = word [name] [annotations] "{" { pass } "}" [";"]
    ///           | "fxgroup" [name] [annotations] "{" { technique } "}" [";"]
    pub(super) fn technique(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.technique_of(prefix, None, out)
    }

    fn technique_of(&mut self, prefix: Prefix, group: Option<Symbol>, out: &mut Vec<Decl>) -> R<()> {
        let is_group = self.w() == W::FxGroup;
        let word = self.ident().name;
        let (name, annotations) = self.effect_name()?;
        let open = self.expect(W::LBrace, "`{` and passes")?.span;
        let mut passes = Vec::new();
        while !matches!(self.w(), W::RBrace | W::Eof) {
            match self.w() {
                _ if is_group && self.is_technique() => {
                    let inner = self.empty_prefix();
                    self.nested(|p| p.technique_of(inner, Some(name.name), out))?;
                }
                _ if !is_group && self.tok().text.as_str().eq_ignore_ascii_case("pass") => passes.push(self.pass()?),
                W::Semi => {
                    self.bump();
                }
                _ => return self.fail(if is_group { "a technique" } else { "a pass" }),
            }
        }
        self.leading_comments();
        self.close(W::RBrace, "`}` after the technique", open)?;
        self.eat(W::Semi);
        if is_group {
            return Ok(());
        }
        let technique = TechniqueDecl { word, group, name, annotations, passes };
        self.declare(prefix, DeclKind::Effect(Box::new(EffectDecl::Technique(technique))), out)
    }

    /// effect-name = [name] [annotations]
    fn effect_name(&mut self) -> R<(Ident, Vec<EffectState>)> {
        let name = if self.is_ident_at(self.pos) { self.ident() } else { self.no_name() };
        let annotations = if self.w() == W::Lt { self.annotations()? } else { Vec::new() };
        Ok((name, annotations))
    }

    /// pass = "pass" [name] [annotations] "{" { state } "}" [";"]
    fn pass(&mut self) -> R<EffectPass> {
        self.bump();
        let (name, annotations) = self.effect_name()?;
        let mut pass = EffectPass { name, annotations, shaders: Vec::new(), states: Vec::new() };
        self.states_into(&mut pass.states, &mut pass.shaders)?;
        self.eat(W::Semi);
        Ok(pass)
    }

    /// states = "{" { state } "}"
    fn states_into(&mut self, states: &mut Vec<EffectState>, shaders: &mut Vec<EffectShader>) -> R<()> {
        let open = self.expect(W::LBrace, "`{` and states")?.span;
        while !matches!(self.w(), W::RBrace | W::Eof) {
            if self.eat(W::Semi) {
                continue;
            }
            let compiled = shaders.len();
            let state = self.effect_state(shaders)?;
            if shaders.len() == compiled {
                states.push(state);
            }
        }
        self.leading_comments();
        self.close(W::RBrace, "`}` after the states", open)
    }

    /// state = name ["[" index "]"] ( "=" value | "(" value ")" ) ";"
    fn effect_state(&mut self, shaders: &mut Vec<EffectShader>) -> R<EffectState> {
        if !self.is_ident_at(self.pos) {
            return self.fail("the name of a state");
        }
        let from = self.pos;
        self.bump();
        if self.w() == W::LBracket {
            self.skip_group();
        }
        let name = self.text_of(from, self.pos);
        let from = match self.w() {
            W::Assign => {
                self.bump();
                self.pos
            }
            W::LParen => self.pos,
            _ => return self.fail("`=` and the value of the state"),
        };
        while !matches!(self.w(), W::Semi | W::RBrace | W::Eof) {
            match self.w() {
                W::Compile if self.is_ident_at(self.pos + 1) => shaders.push(self.compiled(false)?),
                W::Name if self.tok().text == *"CompileShader" && self.peek(1) == W::LParen => {
                    shaders.push(self.compiled(true)?);
                }
                // A call may hold one that is compiled.
                W::LParen | W::RParen | W::Lt => {
                    self.bump();
                }
                _ => self.skip_group(),
            }
        }
        let value = self.text_of(from, self.pos);
        self.semicolon("the state")?;
        Ok(EffectState { ty: None, name, value })
    }

    /// compiled = "compile" profile function "(" arguments ")"
    ///          | "CompileShader" "(" profile "," function "(" arguments ")" ")"
    fn compiled(&mut self, is_call: bool) -> R<EffectShader> {
        let open = self.bump().span;
        if is_call {
            self.bump();
        }
        let profile = self.ident();
        if is_call {
            self.expect(W::Comma, "`,` and the function to compile")?;
        }
        let name = self.name("the function to compile")?;
        let open_args = self.expect(W::LParen, "`(` and the values of the function's `uniform` parameters")?.span;
        let args = self.in_brackets(|p| p.arguments(W::RParen, "`,` or `)` in the values", open_args))?;
        if is_call {
            self.close(W::RParen, "`)`", open)?;
        }
        Ok(EffectShader { profile, entry: name, function: name, args })
    }

    /// The texts of tokens, as they are spaced.
    fn text_of(&self, from: usize, to: usize) -> Symbol {
        let mut text = String::new();
        for at in from..to {
            let token = self.token_at(at);
            if at > from && (token.space_before || token.line_start) {
                text.push(' ');
            }
            text.push_str(token.text.as_str());
        }
        Symbol::new(&text)
    }

    /// annotations = "<" { type name "=" value ";" } ">"
    pub(super) fn annotations(&mut self) -> R<Vec<EffectState>> {
        let open = self.bump().span;
        let mut list = Vec::new();
        while !matches!(self.w(), W::Gt | W::RBrace | W::Eof) {
            let from = self.pos;
            while !matches!(self.w(), W::Assign | W::Semi | W::Gt | W::RBrace | W::Eof) {
                self.skip_group();
            }
            let name = self.pos.saturating_sub(1).max(from);
            let (ty, name) = (self.text_of(from, name), self.text_of(name, self.pos));
            let value = match self.eat(W::Assign) {
                true => {
                    let from = self.pos;
                    self.skip_to(&[W::Semi, W::Gt]);
                    self.text_of(from, self.pos)
                }
                false => Symbol::new(""),
            };
            self.eat(W::Semi);
            list.push(EffectState { ty: Some(ty).filter(|ty| !ty.is_empty()), name, value });
        }
        self.close(W::Gt, "`>` after the annotations", open)?;
        Ok(list)
    }

    /// The states of a sampler, kept for behind its declaration: `{ Filter = MIN_MAG_MIP_LINEAR; }`.
    pub(super) fn sampler_states(&mut self, name: Ident) -> R<()> {
        let mut object =
            EffectObject { kind: Symbol::new(SAMPLER_STATES), name, states: Vec::new(), shaders: Vec::new() };
        self.states_into(&mut object.states, &mut object.shaders)?;
        self.objects.push(object);
        Ok(())
    }

    /// Whether sizes stand at a place, and states behind them: `[2] { { CullMode = None; }, ... }`.
    pub(super) fn is_array_of_states(&self, at: usize) -> bool {
        let mut at = at;
        while self.word_at(at).w == W::LBracket {
            let Some(end) = self.partner_of(at) else { return false };
            at = end + 1;
            if self.word_at(at).w == W::LBrace {
                return true;
            }
        }
        false
    }

    /// "{" element { "," element } [","] "}": what an array of objects begins with. The elements are called `name[0]` and so on.
    pub(super) fn elements_of_effect(
        &mut self,
        name: Ident,
        mut element: impl FnMut(&mut Self, Ident) -> R<()>,
    ) -> R<()> {
        let open = self.expect(W::LBrace, "`{` and elements")?.span;
        let mut count = 0u32;
        while !matches!(self.w(), W::RBrace | W::Eof) {
            let indexed = Symbol::new(&format!("{}[{count}]", name.name));
            count += 1;
            element(self, Ident { name: indexed, ..name })?;
            if !self.eat(W::Comma) {
                break;
            }
        }
        self.leading_comments();
        self.close(W::RBrace, "`,` or `}` after the element", open)
    }

    /// Declares the states of samplers that were met.
    pub(super) fn sampler_objects(&mut self, out: &mut Vec<Decl>) {
        for object in std::mem::take(&mut self.objects) {
            let span = object.name.span;
            let prefix = self.empty_prefix();
            out.push(prefix.decl(DeclKind::Effect(Box::new(EffectDecl::Object(object))), span));
        }
    }

    /// effect-object = word object { "," object } ";"
    /// object = name [sizes] [annotations] ["=" value] [states | "{" states { "," states } "}"]
    pub(super) fn effect_object(&mut self, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let kind = self.ident().name;
        loop {
            let name = self.name("the name of the effect object")?;
            let mut object = EffectObject { kind, name, states: Vec::new(), shaders: Vec::new() };
            self.skip_to(&[W::Semi, W::LBrace, W::Lt, W::Assign, W::Comma]);
            if self.w() == W::Lt {
                object.states = self.annotations()?;
            }
            if self.eat(W::Assign) {
                self.object_value(&mut object)?;
            }
            let is_block = self.w() == W::LBrace;
            if is_block && self.peek(1) == W::LBrace {
                let annotations = std::mem::take(&mut object.states);
                self.elements_of_effect(name, |p, element| {
                    let states = annotations.clone();
                    let mut object = EffectObject { kind, name: element, states, shaders: Vec::new() };
                    p.states_into(&mut object.states, &mut object.shaders)?;
                    p.objects.push(object);
                    Ok(())
                })?;
                self.sampler_objects(out);
                prefix.comments.clear();
                if self.w() != W::Comma {
                    self.eat(W::Semi);
                    return Ok(());
                }
                self.bump();
                continue;
            }
            if is_block {
                self.states_into(&mut object.states, &mut object.shaders)?;
            }
            let first = prefix.clone();
            prefix.comments.clear();
            self.declare(first, DeclKind::Effect(Box::new(EffectDecl::Object(object))), out)?;
            if is_block && self.w() != W::Comma {
                self.eat(W::Semi);
                return Ok(());
            }
            if !self.eat(W::Comma) {
                return self.semicolon(&format!("the effect object `{}`", name.name));
            }
        }
    }

    /// `= compile vs_3_0 main()`, or another value, which is of no use here.
    fn object_value(&mut self, object: &mut EffectObject) -> R<()> {
        while !matches!(self.w(), W::Semi | W::Comma | W::RBrace | W::Eof) {
            match self.w() {
                W::Compile if self.is_ident_at(self.pos + 1) => object.shaders.push(self.compiled(false)?),
                W::Name if self.tok().text == *"CompileShader" && self.peek(1) == W::LParen => {
                    object.shaders.push(self.compiled(true)?);
                }
                W::LParen | W::RParen => {
                    self.bump();
                }
                W::LBrace => return Ok(()),
                _ => self.skip_group(),
            }
        }
        Ok(())
    }

    /// The declarations with the functions that values for `uniform` parameters make.
    pub(super) fn with_variants(&mut self, decls: Decls) -> Decls {
        let has_args = decls.iter().flat_map(shaders).any(|shader| !shader.args.is_empty());
        if !has_args {
            return decls;
        }
        let mut list = decls.into_vec();
        let mut made: Vec<Symbol> = Vec::new();
        for at in 0..list.len() {
            let Some(wanted) = list.get(at).map(|decl| shaders(decl).cloned().collect::<Vec<_>>()) else { continue };
            for (index, shader) in wanted.iter().enumerate().filter(|(_, shader)| !shader.args.is_empty()) {
                let texts: Vec<String> = shader.args.iter().map(|arg| self.word_of(arg)).collect();
                let name = Symbol::new(&format!("{}_{}", shader.function.name, texts.join("_")));
                let Some(variant) = self.variant(&list, shader, name) else { continue };
                if !made.contains(&name) {
                    made.push(name);
                    self.variants.push(variant);
                }
                if let Some(shader) = list.get_mut(at).and_then(|decl| shaders_mut(decl).nth(index)) {
                    shader.entry.name = name;
                }
            }
        }
        // Each stands behind the function that it is made from.
        for (name, decl) in std::mem::take(&mut self.variants).into_iter().rev() {
            let is_of =
                |decl: &Decl| matches!(&decl.kind, DeclKind::Function(f) if f.name.name == name && f.body.is_some());
            let at = list.iter().rposition(is_of).map_or(list.len(), |at| at + 1);
            list.insert(at, decl);
        }
        Decls::from(list)
    }

    /// A value as a part of a name.
    fn word_of(&self, arg: &Expr) -> String {
        let word =
            |text: &str| text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
        match &arg.kind {
            ExprKind::Int(_, _, text) | ExprKind::Float(_, _, text) => word(text.as_str()),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Path(path) => path.iter().map(|part| word(part.name.name.as_str())).collect::<Vec<_>>().join("_"),
            ExprKind::Prefix(op, inner) if *op == *"-" => format!("minus_{}", self.word_of(inner)),
            ExprKind::Paren(inner) => self.word_of(inner),
            // What is written tells any other apart.
            _ => {
                let mut hasher = FxHasher::default();
                (arg.span.start, arg.span.end).hash(&mut hasher);
                format!("{:x}", hasher.finish() & 0xffff)
            }
        }
    }

    /// A function with values in the place of its `uniform` parameters.
    fn variant(&mut self, list: &[Decl], shader: &EffectShader, name: Symbol) -> Option<(Symbol, Decl)> {
        let is_of = |decl: &&Decl| matches!(&decl.kind, DeclKind::Function(f) if f.name.name == shader.function.name && f.body.is_some());
        // A function that is not there is reported with the entry points.
        let found = list.iter().rfind(is_of)?;
        let DeclKind::Function(function) = &found.kind else { return None };
        let is_uniform = |param: &Decl| param.modifiers.iter().any(|m| m.name == *"uniform");
        let count = function.params.iter().filter(|param| is_uniform(param)).count();
        if count != shader.args.len() {
            let message = format!(
                "`{}` has {count} `uniform` parameters, and is compiled with {} values",
                shader.function.name,
                shader.args.len()
            );
            self.error_at(Code::BAD_ENTRY, shader.function.span, message);
            return None;
        }
        let mut values = shader.args.iter();
        let mut variant = function.clone();
        let mut constants = Vec::new();
        variant.name.name = name;
        variant.params.retain(|param| {
            if !is_uniform(param) {
                return true;
            }
            constants.extend(values.next().and_then(|value| constant(param, value)));
            false
        });
        let body = variant.body.as_mut()?;
        body.stmts.splice(0..0, constants);
        let mut hasher = FxHasher::default();
        name.hash(&mut hasher);
        variant.code.tokens ^= hasher.finish();
        variant.code.places ^= hasher.finish();
        let decl = Decl { kind: DeclKind::Function(variant), ..found.clone() };
        Some((shader.function.name, decl))
    }
}

/// `const bool lit = true;`
fn constant(param: &Decl, value: &Expr) -> Option<Stmt> {
    let DeclKind::Var(var) = &param.kind else { return None };
    let span: Span = var.name.span;
    let modifiers = vec![Ident { name: Symbol::new("const"), span }];
    let var = VarDecl { semantics: Vec::new(), init: Some(value.clone()), ..var.clone() };
    let decl = Decl { kind: DeclKind::Var(var), modifiers, ..param.clone() };
    let (comments, attributes) = (Vec::new(), Vec::new());
    Some(Stmt { kind: StmtKind::Decl(vec![decl]), span, comments, attributes, blank_before: false })
}

/// The shaders that a declaration compiles.
fn shaders(decl: &Decl) -> impl Iterator<Item = &EffectShader> {
    let (passes, object) = match &decl.kind {
        DeclKind::Effect(effect) => match &**effect {
            EffectDecl::Technique(technique) => (technique.passes.as_slice(), None),
            EffectDecl::Object(object) => (&[][..], Some(object)),
        },
        _ => (&[][..], None),
    };
    passes.iter().flat_map(|pass| &pass.shaders).chain(object.into_iter().flat_map(|object| &object.shaders))
}

fn shaders_mut(decl: &mut Decl) -> impl Iterator<Item = &mut EffectShader> {
    let (passes, object) = match &mut decl.kind {
        DeclKind::Effect(effect) => match &mut **effect {
            EffectDecl::Technique(technique) => (technique.passes.as_mut_slice(), None),
            EffectDecl::Object(object) => (&mut [][..], Some(object)),
        },
        _ => (&mut [][..], None),
    };
    let of_passes = passes.iter_mut().flat_map(|pass| &mut pass.shaders);
    of_passes.chain(object.into_iter().flat_map(|object| &mut object.shaders))
}
