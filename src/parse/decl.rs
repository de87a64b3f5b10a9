//! Declarations other than functions.

use super::attributes::Prefix;
use super::words::W;
use super::{Language, Level, Parser, R};
use crate::ast::*;
use crate::diagnostic::Code;
use crate::lex::{Comment, TokenKind};
use crate::source::Span;
use crate::symbol::Symbol;

/// Types of the states and stages of effect files (`fx_5_0`), which no shader uses.
const EFFECT_OBJECTS: &[&str] = &[
    "BlendState",
    "ComputeShader",
    "DepthStencilState",
    "DepthStencilView",
    "DomainShader",
    "GeometryShader",
    "HullShader",
    "PixelShader",
    "RasterizerState",
    "RenderTargetView",
    "Texture",
    "VertexShader",
    "pixelfragment",
    "pixelshader",
    "stateblock",
    "texture",
    "vertexfragment",
    "vertexshader",
];

/// Blocks of Slang whose declarations are those of what is around it.
const SCOPELESS_BLOCKS: [&str; 2] = ["__transparent_block", "__file_decl"];

impl Parser<'_> {
    /// declarations = declaration*
    pub(super) fn declarations(&mut self, place: Level, out: &mut Vec<Decl>) {
        while !matches!(self.w(), W::RBrace | W::Eof) {
            self.recovered_declaration(place, out);
        }
    }

    /// One declaration, or what stands in its place.
    pub(super) fn recovered_declaration(&mut self, place: Level, out: &mut Vec<Decl>) {
        let (start, scope) = (self.pos, self.type_params.len());
        if self.nested(|p| p.declaration(place, out)).is_err() {
            self.sync_declaration(start);
        }
        self.type_params.truncate(scope);
        if let Some(last) = out.last_mut() {
            self.trailing_comments(&mut last.comments);
        }
    }

    /// Skips to where the next declaration may begin.
    fn sync_declaration(&mut self, start: usize) {
        self.skip_past_error(start);
        loop {
            match self.w() {
                W::Eof | W::RBrace => return,
                W::Semi => {
                    self.bump();
                    return;
                }
                W::LBrace => {
                    self.skip_group();
                    self.eat(W::Semi);
                    return;
                }
                _ if self.pos > start && self.tok().line_start && self.looks_like_declaration() => return,
                _ => self.skip_group(),
            }
        }
    }

    fn looks_like_declaration(&self) -> bool {
        let word = self.word_at(self.pos);
        self.is_declaration_word(self.pos)
            || self.is_technique()
            || word.is_hard_modifier()
            || word.w == W::LBracket
            || word.is_builtin_type() && !matches!(self.peek(1), W::LParen | W::Comma | W::RParen)
    }

    /// declaration = prefix ( type-declaration | buffer | alias | ... | typed-declaration )
    pub(super) fn declaration(&mut self, place: Level, out: &mut Vec<Decl>) -> R<()> {
        let prefix = self.prefix(place)?;
        let named = self.is_name_at(self.pos + 1);
        let next = self.peek(1);
        match self.w() {
            W::Semi => self.empty(prefix, out),
            W::Struct | W::Class | W::Interface | W::Enum if self.is_definition() => {
                self.type_declaration(place, prefix, out)
            }
            W::Extension | W::ExtensionOld if named || matches!(next, W::Lt | W::Struct) => self.extension(prefix, out),
            W::CBuffer | W::TBuffer if named || matches!(next, W::LBrace | W::Colon) => self.buffer(prefix, out),
            W::Typedef => self.typedef(prefix, out),
            W::TypeAlias if named => self.alias(prefix, out),
            W::Using if place == Level::Member && self.is_using_of_member() => self.using_of_member(prefix, out),
            W::Using => self.using(prefix, out),
            W::Namespace => self.namespace(prefix, out),
            W::Module if (named || next == W::Str) && self.peek(2) == W::Semi => self.module(),
            W::Import | W::ImportOld | W::Include | W::Implementing if named || next == W::Str => {
                self.import(prefix, out)
            }
            W::AssociatedType if named => self.associated_type(prefix, out),
            W::Property if named || self.is_ident_at(self.pos + 1) => self.property(prefix, out),
            W::Subscript => self.subscript(prefix, out),
            W::Init if matches!(next, W::LParen | W::Lt) => self.constructor(prefix, out),
            W::Func | W::FuncOld if named || next == W::Operator => self.func(prefix, out),
            W::Let | W::Var if named => self.let_declaration(prefix, out),
            W::StaticAssert | W::StaticAssertC if next == W::LParen => self.skip_declaration(prefix, out, &[W::Semi]),
            W::AttributeSyntax => self.skip_declaration(prefix, out, &[W::Semi]),
            _ if next == W::Semi && !prefix.layout.is_empty() && self.word_at(self.pos).is_hard_modifier() => {
                let mut prefix = prefix;
                prefix.modifiers.push(self.ident());
                self.empty(prefix, out)
            }
            W::Where | W::Constraint if place == Level::Member => self.skip_declaration(prefix, out, &[W::Semi]),
            W::TypeParam | W::TypeParamOld if named => self.skip_declaration(prefix, out, &[W::Semi]),
            _ if self.tok().text == "precision" && self.word_at(self.pos + 1).is_hard_modifier() => {
                self.skip_declaration(prefix, out, &[W::Semi])
            }
            // DXC never calls one: a conversion is of the fields.
            W::Operator if place == Level::Member && self.language == Language::Hlsl => {
                self.skip_declaration(prefix, out, &[W::LBrace, W::Semi])
            }
            _ if next == W::LBrace && self.tok().text == "__ignored_block" => {
                self.skip_declaration(prefix, out, &[W::LBrace])
            }
            _ if next == W::LBrace && SCOPELESS_BLOCKS.iter().any(|word| self.tok().text == **word) => {
                self.scopeless_block(place, out)
            }
            _ if self.is_technique() => self.technique(prefix, out),
            _ if place == Level::Global
                && SUBOBJECTS.iter().any(|(kind, _)| self.tok().text == **kind)
                && self.peek(2) == W::Assign =>
            {
                self.subobject(prefix, out)
            }
            _ if place == Level::Global
                && self.language == Language::Hlsl
                && EFFECT_OBJECTS.iter().any(|t| self.tok().text == **t)
                && self.is_name_at(self.pos + 1)
                && (matches!(self.peek(2), W::LBrace | W::Semi | W::Assign | W::Colon | W::Lt | W::Comma)
                    || self.is_array_of_states(self.pos + 2)) =>
            {
                self.effect_object(prefix, out)
            }
            _ => self.typed_declaration(place, prefix, out),
        }
    }

    /// Adds the declaration that ends here.
    pub(super) fn declare(&mut self, prefix: Prefix, kind: DeclKind, out: &mut Vec<Decl>) -> R<()> {
        let span = self.since(prefix.start);
        out.push(prefix.decl(kind, span));
        Ok(())
    }

    /// A lone `;`, or `layout(local_size_x = 8) in;`
    fn empty(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let span = self.bump().span;
        let bare = prefix.modifiers.is_empty() && prefix.layout.is_empty() && prefix.attributes.is_empty();
        out.push(prefix.decl(if bare { DeclKind::Empty } else { DeclKind::Ignored }, span));
        Ok(())
    }

    /// A declaration that holds nothing that is emitted: up to a `;`, or over a block.
    fn skip_declaration(&mut self, prefix: Prefix, out: &mut Vec<Decl>, ends: &[W]) -> R<()> {
        self.skip_to(ends);
        if self.w() == W::LBrace {
            self.skip_group();
            self.eat(W::Semi);
        } else {
            self.semicolon("the declaration")?;
        }
        self.declare(prefix, DeclKind::Ignored, out)
    }

    /// subobject = word name "=" initializer-list ";"
    fn subobject(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let kind = self.ident().name;
        let name = self.name("the name of the subobject")?;
        self.bump();
        let values = match self.assignment()?.kind {
            ExprKind::InitList(values) => values,
            _ => return self.fail("the values of the subobject in braces"),
        };
        self.semicolon("the subobject")?;
        self.declare(prefix, DeclKind::Subobject(SubobjectDecl { kind, name, values }), out)
    }

    /// scopeless-block = word "{" declarations "}"
    fn scopeless_block(&mut self, place: Level, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let open = self.expect(W::LBrace, "`{` and declarations")?.span;
        self.in_brackets(|p| p.declarations(place, out));
        self.leading_comments();
        self.close(W::RBrace, "`}` after the declarations", open)?;
        self.eat(W::Semi);
        Ok(())
    }

    // --- types

    /// The word at the cursor defines a type rather than naming one: `struct S x;` does not.
    pub(super) fn is_definition(&mut self) -> bool {
        match self.peek(1) {
            W::LBrace | W::LBracket | W::Colon => true,
            W::Class | W::Struct => self.w() == W::Enum,
            _ if !self.is_name_at(self.pos + 1) => false,
            // `struct S<float> s;` names one, `struct S<T> {` is one.
            _ if self.peek(2) == W::Lt => self
                .scan_angles(self.pos + 2, 0)
                .is_none_or(|end| self.word_at(end).w == W::Where || !self.is_name_at(end)),
            _ => matches!(self.peek(2), W::LBrace | W::Colon | W::Semi | W::Where | W::Assign),
        }
    }

    /// type-declaration = type-definition [ declarators ] [";"]
    fn type_declaration(&mut self, place: Level, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let mut inner = self.empty_prefix();
        inner.generics = prefix.generics.take();
        inner.magic = prefix.magic.take();
        let mut made = Vec::new();
        self.type_definition(inner, &mut made)?;
        let Some(mut definition) = made.pop() else { return Ok(()) };
        prefix.comments.append(&mut definition.comments);
        prefix.attributes.append(&mut definition.attributes);
        // No variable is declared behind an interface or an alias.
        let is_of_variables = matches!(definition.kind, DeclKind::Struct(_) | DeclKind::Enum(_));
        if !is_of_variables || !self.declarators_follow() {
            definition.span = self.since(prefix.start);
            out.push(prefix.decl(definition.kind, definition.span));
            self.eat(W::Semi);
            return Ok(());
        }
        let name = match &definition.kind {
            DeclKind::Struct(s) => s.name,
            DeclKind::Enum(e) => e.name,
            _ => self.no_name(),
        };
        let span = definition.span;
        let kind = if name.name.is_empty() {
            TypeKind::Struct(Box::new(definition))
        } else {
            definition.comments = std::mem::take(&mut prefix.comments);
            out.push(definition);
            TypeKind::Path(vec![PathSegment { name, args: None }])
        };
        self.declarators(place, prefix, TypeExpr { kind, span }, out)
    }

    /// After the `}` of a type: on the same line variables of it, on the next line something new (`struct` needs no `;`).
    fn declarators_follow(&self) -> bool {
        match self.w() {
            W::Star | W::LBracket => !self.tok().line_start,
            W::CBuffer | W::TBuffer => false,
            _ if !self.is_name_at(self.pos) => false,
            _ if !self.tok().line_start => true,
            _ => matches!(self.word_at(self.after_sizes(self.pos + 1)).w, W::Semi | W::Comma | W::Assign | W::Colon),
        }
    }

    /// Where the sizes of arrays end that begin at a place.
    fn after_sizes(&self, mut at: usize) -> usize {
        while self.word_at(at).w == W::LBracket
            && let Some(close) = self.partner_of(at)
        {
            at = close + 1;
        }
        at
    }

    /// type-definition = struct | interface | enum
    pub(super) fn type_definition(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        match self.w() {
            W::Enum => self.enumeration(prefix, out),
            _ => self.structure(prefix, out),
        }
    }

    /// struct = ("struct" | "class" | "interface") attributes* [name] [generic-params] [bases] where-clauses
    ///          ( "{" declarations "}" | "=" type )
    fn structure(&mut self, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let interface = self.w() == W::Interface;
        let word = self.bump();
        while self.w() == W::LBracket {
            self.attributes(&mut prefix.attributes)?;
        }
        let name = if self.is_name_at(self.pos) { self.ident() } else { self.no_name() };
        let scope = self.type_params.len();
        let specializes = match prefix.generics.is_some() && self.w() == W::Lt {
            true => Some(self.generic_args()?),
            false => None,
        };
        let mut generics = self.own_generics(&mut prefix)?;
        let bases = self.struct_bases()?;
        self.where_clauses(&mut generics)?;
        if self.w() == W::Assign {
            self.bump();
            let target = self.type_and()?;
            let span = self.since(prefix.start);
            out.push(prefix.decl(DeclKind::Alias(AliasDecl { name, generics, target }), span));
            return Ok(());
        }
        let mut members = None;
        if self.w() == W::LBrace {
            let what = if name.name.is_empty() { format!("the {}", word.text) } else { format!("`{}`", name.name) };
            prefix.comments.append(&mut self.leading_comments());
            members = Some(self.members(&what)?);
        } else if self.w() != W::Semi {
            let what = format!("`{{` or `;` after `{} {}`", word.text, name.name);
            return self.fail(&what);
        }
        self.type_params.truncate(scope);
        let decl = StructDecl { name, generics, specializes, bases, members, magic: prefix.magic, is_variable: false };
        self.declare(prefix, if interface { DeclKind::Interface(decl) } else { DeclKind::Struct(decl) }, out)
    }

    /// struct-bases = ":" [access] bounds { "," [access] bounds }
    fn struct_bases(&mut self) -> R<Vec<TypeExpr>> {
        let mut list = Vec::new();
        if !self.eat(W::Colon) {
            return Ok(list);
        }
        loop {
            if self.word_at(self.pos).is_hard_modifier() && self.is_name_at(self.pos + 1) {
                self.bump();
            }
            list.append(&mut self.bounds()?);
            if !self.eat(W::Comma) {
                return Ok(list);
            }
        }
    }

    /// members = "{" declarations "}"
    pub(super) fn members(&mut self, what: &str) -> R<Vec<Decl>> {
        let open = self.expect(W::LBrace, &format!("`{{` and the members of {what}"))?.span;
        let mut list = Vec::new();
        self.in_brackets(|p| p.declarations(Level::Member, &mut list));
        list.shrink_to_fit();
        self.leading_comments();
        self.close(W::RBrace, &format!("`}}` after the members of {what}"), open)?;
        Ok(list)
    }

    /// enum = "enum" ["class"] attributes* [name] [":" type] "{" [ case { "," case } [","] ] "}"
    fn enumeration(&mut self, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let scoped = self.eat(W::Class) || self.eat(W::Struct);
        while self.w() == W::LBracket {
            self.attributes(&mut prefix.attributes)?;
        }
        let name = if self.is_name_at(self.pos) { self.ident() } else { self.no_name() };
        let tag = if self.eat(W::Colon) { Some(self.ty()?) } else { None };
        let mut cases = Vec::new();
        if self.w() != W::Semi {
            prefix.comments.append(&mut self.leading_comments());
            let open = self.expect(W::LBrace, "`{` and the cases of the enum")?.span;
            self.enum_cases(&mut cases);
            self.close(W::RBrace, "`,` or `}` after the case", open)?;
        }
        self.declare(prefix, DeclKind::Enum(EnumDecl { name, scoped, tag, cases }), out)
    }

    fn enum_cases(&mut self, cases: &mut Vec<(Ident, Option<Expr>, Vec<Comment>)>) {
        while !matches!(self.w(), W::RBrace | W::Eof) {
            match self.enum_case() {
                Ok(case) => cases.push(case),
                Err(_) => self.skip_to(&[W::Comma]),
            }
            let more = self.eat(W::Comma);
            if let Some(last) = cases.last_mut() {
                self.trailing_comments(&mut last.2);
            }
            if !more {
                return;
            }
        }
    }

    /// case = attributes* name ["=" assignment]
    fn enum_case(&mut self) -> R<(Ident, Option<Expr>, Vec<Comment>)> {
        let comments = self.leading_comments();
        while self.w() == W::LBracket {
            self.attributes(&mut Vec::new())?;
        }
        let name = self.name("the name of an enum case")?;
        let value = if self.eat(W::Assign) { Some(self.assignment()?) } else { None };
        Ok((name, value, comments))
    }

    /// extension = "extension" [generic-params] type [bases] where-clauses "{" declarations "}"
    fn extension(&mut self, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let mut generics = self.own_generics(&mut prefix)?;
        let target = self.ty()?;
        let bases = self.bases()?;
        self.where_clauses(&mut generics)?;
        let members = self.members("the extension")?;
        self.eat(W::Semi);
        self.declare(prefix, DeclKind::Extension(ExtensionDecl { generics, target, bases, members }), out)
    }

    /// buffer = ("cbuffer" | "tbuffer") [name] semantics "{" declarations "}" [[name] ";"]
    fn buffer(&mut self, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let texture = self.bump().text == "tbuffer";
        let name = if self.is_name_at(self.pos) { self.ident() } else { self.no_name() };
        let (semantics, _, _) = self.declarator_suffix(name)?;
        prefix.comments.append(&mut self.leading_comments());
        let members = self.members(&format!("`{}`", name.name))?;
        // Slang: members of such a buffer are found in its variable.
        let has_variable = || self.is_name_at(self.pos) && self.word_at(self.pos + 1).w == W::Semi;
        if self.language == Language::Slang && !name.name.is_empty() && has_variable() {
            let variable = self.ident();
            let buffer = if texture { "TextureBuffer" } else { "ConstantBuffer" };
            return self.variable_of_block(prefix, (name, members), variable, (buffer, semantics), out);
        }
        self.eat(W::Semi);
        self.declare(prefix, DeclKind::Buffer(BufferDecl { texture, name, semantics, members }), out)
    }

    // --- names for types, namespaces, modules

    /// typedef = "typedef" type name array-suffixes { "," name array-suffixes } ";"
    fn typedef(&mut self, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let target = self.ty()?;
        let mut inner = self.empty_prefix();
        self.extend_prefix(&mut inner, Level::Member)?;
        prefix.modifiers.append(&mut inner.modifiers);
        loop {
            let name = self.name("the new name of the type")?;
            self.types.insert(name.name);
            let target = self.array_suffixes(target.clone())?;
            let span = self.since(prefix.start);
            let generics = prefix.generics.clone();
            out.push(prefix.clone().decl(DeclKind::Alias(AliasDecl { name, generics, target }), span));
            prefix.comments.clear();
            if !self.eat(W::Comma) {
                // Slang does without the `;` here.
                if self.language == Language::Slang && self.tok().line_start {
                    self.eat(W::Semi);
                    return Ok(());
                }
                return self.semicolon(&format!("the typedef of `{}`", name.name));
            }
        }
    }

    /// alias = ("typealias" | "using") name [generic-params] [bases] where-clauses "=" type-and where-clauses ";"
    fn alias(&mut self, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let name = self.name("the new name of the type")?;
        self.types.insert(name.name);
        let mut generics = self.own_generics(&mut prefix)?;
        self.bases()?;
        self.where_clauses(&mut generics)?;
        self.expect(W::Assign, &format!("`=` and the type that `{}` stands for", name.name))?;
        let target = self.type_and()?;
        self.where_clauses(&mut generics)?;
        self.semicolon(&format!("the alias `{}`", name.name))?;
        self.declare(prefix, DeclKind::Alias(AliasDecl { name, generics, target }), out)
    }

    /// using-of-member = "using" type "::" name ";", as C++ has it in structs
    fn using_of_member(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.skip_to(&[W::Semi]);
        let name = self.token_at(self.pos.saturating_sub(1));
        let name = Ident { name: name.text, span: name.span };
        self.semicolon("`using`")?;
        self.declare(prefix, DeclKind::UsingMember(name), out)
    }

    /// Whether a path of several names ends before the next `;`.
    fn is_using_of_member(&self) -> bool {
        let rest = (self.pos + 1..).map(|at| self.word_at(at).w);
        let is_end = |w: &W| matches!(w, W::Assign | W::Semi | W::LBrace | W::RBrace | W::Eof);
        let mut is_path = false;
        let end = rest.inspect(|w| is_path |= *w == W::Scope).find(is_end);
        is_path && end == Some(W::Semi)
    }

    /// using = "using" ["namespace"] dotted-path ";" | alias
    fn using(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        if matches!(self.peek(2), W::Assign | W::Lt) {
            return self.alias(prefix, out);
        }
        self.bump();
        self.eat(W::Namespace);
        let path = self.dotted()?;
        self.semicolon("`using`")?;
        self.declare(prefix, DeclKind::UsingNamespace(path), out)
    }

    /// dotted = name { ("::" | ".") name }
    fn dotted(&mut self) -> R<Vec<Ident>> {
        let mut path = vec![self.name("a name")?];
        while self.eat(W::Scope) || self.eat(W::Dot) {
            path.push(self.name("a name")?);
        }
        Ok(path)
    }

    /// namespace = "namespace" [dotted] "{" declarations "}" [";"]
    fn namespace(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let path = if self.w() == W::LBrace { Vec::new() } else { self.dotted()? };
        let open = self.expect(W::LBrace, "`{` and the declarations of the namespace")?.span;
        let mut decls = Vec::new();
        self.declarations(Level::Global, &mut decls);
        // What stands before the brace belongs to the last declaration: a namespace holds no trailing comments.
        let mut rest = self.leading_comments();
        if let Some(last) = decls.last_mut() {
            rest.iter_mut().for_each(|c| c.trailing = true);
            last.comments.append(&mut rest);
        }
        self.close(W::RBrace, "`}` after the declarations of the namespace", open)?;
        self.eat(W::Semi);
        self.declare(prefix, DeclKind::Namespace(path, decls), out)
    }

    /// module = "module" (name | STRING) ";"
    fn module(&mut self) -> R<()> {
        self.bump();
        self.module_path()?;
        self.semicolon("the module declaration")
    }

    /// import = ("import" | "__include" | "implementing") module-path ";"
    fn import(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let word = self.w();
        let text = self.bump().text;
        let path = self.module_path()?;
        self.semicolon(&format!("`{text}`"))?;
        let exported = prefix.has_modifier("__exported");
        let kind = match word {
            W::Include => DeclKind::Include(path),
            W::Implementing => DeclKind::Implementing(path),
            _ => DeclKind::Import(path, exported),
        };
        self.declare(prefix, kind, out)
    }

    /// module-path = STRING | dotted
    fn module_path(&mut self) -> R<Ident> {
        let start = self.tok().span;
        if self.w() == W::Str {
            return Ok(Ident { name: self.path_string(), span: self.since(start) });
        }
        let parts: Vec<&str> = self.dotted()?.iter().map(|i| i.name.as_str()).collect();
        Ok(Ident { name: Symbol::new(&parts.join("/")), span: self.since(start) })
    }

    /// associated-type = "associatedtype" name [bases] where-clauses ["=" type] ";"
    fn associated_type(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let name = self.name("the name of the associated type")?;
        let bounds = self.bases()?;
        self.where_clauses(&mut None)?;
        let default = if self.eat(W::Assign) { Some(self.type_and()?) } else { None };
        self.semicolon(&format!("the associated type `{}`", name.name))?;
        let span = self.since(prefix.start);
        let kind = GenericParamKind::Type { bounds, default };
        let param = GenericParam { name, kind };
        out.push(prefix.decl(DeclKind::AssociatedType(param), span));
        Ok(())
    }

    // --- variables

    /// typed-declaration = type modifier* declarators
    fn typed_declaration(&mut self, place: Level, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        if self.scan_type(self.pos).is_none() && !self.is_name_at(self.pos) && self.w() != W::Struct {
            return self.fail(if place == Level::Local { "a statement" } else { "a declaration" });
        }
        let ty = self.ty()?;
        while self.word_at(self.pos).is_hard_modifier() && self.is_ident_at(self.pos + 1) {
            let modifier = self.ident();
            prefix.modifiers.push(modifier);
        }
        self.declarators(place, prefix, ty, out)
    }

    /// declarators = function-rest | declarator { "," declarator } ";"
    fn declarators(&mut self, place: Level, mut prefix: Prefix, ty: TypeExpr, out: &mut Vec<Decl>) -> R<()> {
        let mut first = true;
        loop {
            let mut ty = if first { ty.clone() } else { without_pointers(&ty) };
            while !first && self.w() == W::Star {
                self.bump();
                ty = TypeExpr { span: ty.span, kind: TypeKind::Pointer(Box::new(ty)) };
            }
            if first && self.w() == W::LBrace && place == Level::Global {
                return self.glsl_uniform_block(prefix, &ty, out);
            }
            // `uint : 4;` leaves bits out.
            let unnamed = place == Level::Member && self.w() == W::Colon && matches!(self.peek(1), W::Int | W::LParen);
            let is_type = self.word_at(self.pos).is_builtin_type();
            let (owner, name) = if unnamed { (Vec::new(), self.no_name()) } else { self.declarator_name()? };
            if first && self.w() == W::LBrace && is_path_of(&ty, "buffer") {
                return self.glsl_storage_block(prefix, name, out);
            }
            let is_function = self.w() == W::LParen || self.w() == W::Lt && self.generics_before_params();
            if first && is_function {
                if is_type && owner.is_empty() && place == Level::Global {
                    self.type_functions.insert(name.name);
                }
                return self.function(place, prefix, owner, name, ty, out);
            }
            if first && prefix.generics.is_some() && owner.is_empty() && place != Level::Local {
                return self.variable_template(prefix, name, ty, out);
            }
            let generics = prefix.generics.clone().filter(|_| !owner.is_empty());
            let words = [type_word(&ty), Some(name.name)];
            let var = VarDecl { owner, generics, ..self.variable(name, ty)? };
            if !(prefix.has_modifier("static") && prefix.has_modifier("const")) {
                self.variables.insert(name.name);
            }
            self.apply_pack_matrix(&mut prefix);
            let span = self.since(if first { prefix.start } else { name.span });
            out.push(prefix.clone().decl(DeclKind::Var(var), span));
            self.sampler_objects(out);
            if !self.eat(W::Comma) {
                let ended = self.semicolon(&format!("the declaration of `{}`", name.name));
                if ended.is_err() && self.tok().kind == TokenKind::Ident {
                    words.into_iter().flatten().for_each(|word| self.last_may_be_macro(word.as_str()));
                }
                return ended;
            }
            if let Some(last) = out.last_mut() {
                self.trailing_comments(&mut last.comments);
            }
            prefix.comments = self.leading_comments();
            first = false;
        }
    }

    /// variable-template = [generic-args] variable ";"; a struct whose static member has the value
    fn variable_template(&mut self, mut prefix: Prefix, name: Ident, ty: TypeExpr, out: &mut Vec<Decl>) -> R<()> {
        let specializes = if self.w() == W::Lt { Some(self.generic_args()?) } else { None };
        let generics = prefix.generics.take();
        let value = Ident { name: Symbol::new(TEMPLATE_VALUE), span: name.span };
        let var = self.variable(value, ty)?;
        self.apply_pack_matrix(&mut prefix);
        let span = self.since(prefix.start);
        let mut member = Prefix { comments: Vec::new(), ..prefix.clone() };
        if !member.has_modifier("static") {
            member.modifiers.push(Ident { name: Symbol::new("static"), span: name.span });
        }
        let members = Some(vec![member.decl(DeclKind::Var(var), span)]);
        let magic = None;
        let decl = StructDecl { name, generics, specializes, bases: Vec::new(), members, magic, is_variable: true };
        prefix.modifiers.clear();
        prefix.attributes.clear();
        out.push(prefix.decl(DeclKind::Struct(decl), span));
        self.semicolon(&format!("the declaration of `{}`", name.name))
    }

    /// The arguments of a template before `::`, in the definition of a member of it, are those that it is declared with.
    fn owner_arguments(&mut self) -> R<()> {
        if self.w() != W::Lt || !self.scan_angles(self.pos, 0).is_some_and(|end| self.word_at(end).w == W::Scope) {
            return Ok(());
        }
        let start = self.tok().span;
        let of_one = self.type_params.is_empty();
        self.generic_args()?;
        if of_one {
            let message =
                "a member for some arguments of a template is not supported; specialize the template as a whole";
            self.error_at(Code::UNSUPPORTED, self.since(start), message.to_owned());
        }
        Ok(())
    }

    /// declarator-name = { name [generic-args] "::" } (name | "operator" op)
    fn declarator_name(&mut self) -> R<(Vec<Ident>, Ident)> {
        let mut owner = Vec::new();
        loop {
            if self.w() == W::Operator {
                return Ok((owner, self.operator_name()?));
            }
            let name = self.name("a name after the type")?;
            self.owner_arguments()?;
            if !self.eat(W::Scope) {
                return Ok((owner, name));
            }
            owner.push(name);
        }
    }

    /// variable = array-suffixes declarator-suffix ["{" states "}"]
    pub(super) fn variable(&mut self, name: Ident, ty: TypeExpr) -> R<VarDecl> {
        let ty = self.array_suffixes(ty)?;
        self.note_sizes(name, &ty);
        let (semantics, mut init, bits) = self.declarator_suffix(name)?;
        init = init.filter(|e| !matches!(e.kind, ExprKind::Unsupported(n) if n == name.name));
        // States of effect files: `SamplerState s { Filter = ...; }`.
        if self.w() == W::LBrace {
            self.sampler_states(name)?;
        }
        Ok(VarDecl { ty, name, owner: Vec::new(), generics: None, semantics, init, is_let: false, bits })
    }

    /// let = ("let" | "var") let-declarator { "," let-declarator } ";"
    fn let_declaration(&mut self, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let is_let = self.bump().text == "let";
        let mut first = true;
        loop {
            let var = self.let_declarator(is_let)?;
            let name = var.name;
            let span = self.since(if first { prefix.start } else { name.span });
            out.push(prefix.clone().decl(DeclKind::Var(var), span));
            prefix.comments.clear();
            if !self.eat(W::Comma) {
                return self.semicolon(&format!("the declaration of `{}`", name.name));
            }
            first = false;
        }
    }

    /// let-declarator = name [":" type] declarator-suffix
    pub(super) fn let_declarator(&mut self, is_let: bool) -> R<VarDecl> {
        let name = self.name("the name of the variable")?;
        self.variables.insert(name.name);
        let infer = TypeExpr { kind: TypeKind::Infer, span: name.span };
        let ty = if self.eat(W::Colon) { self.ty()? } else { infer };
        let mut var = self.variable(name, ty)?;
        var.is_let = is_let;
        Ok(var)
    }
}

pub(super) fn is_path_of(ty: &TypeExpr, name: &str) -> bool {
    only_name(ty).is_some_and(|only| only == *name)
}

/// The name that a type is.
fn only_name(ty: &TypeExpr) -> Option<Symbol> {
    match &ty.kind {
        TypeKind::Path(path) if path.len() == 1 => path.first().map(|segment| segment.name.name),
        _ => None,
    }
}

/// The word that a type was written with, whatever modifiers it has.
fn type_word(ty: &TypeExpr) -> Option<Symbol> {
    match &ty.kind {
        TypeKind::Modified(_, inner) => only_name(inner),
        _ => only_name(ty),
    }
}

/// In `float *p, q` the star belongs to `p`.
fn without_pointers(ty: &TypeExpr) -> TypeExpr {
    match &ty.kind {
        TypeKind::Pointer(inner) => without_pointers(inner),
        _ => ty.clone(),
    }
}

/// A declaration's span with nothing before it.
pub(super) fn bare_decl(kind: DeclKind, span: Span) -> Decl {
    let (comments, attributes, modifiers, layout) = Default::default();
    Decl { kind, span, comments, attributes, modifiers, layout }
}
