//! Declares what files, namespaces and types hold. Only names; nothing is resolved.

use super::Checker;
use super::expr::decl_of;
use super::scope::{BuiltinGeneric, DeclId, DeclInfo, Entity, ScopeId, ScopeKind, What};
use crate::ast::{self, DeclKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::stdlib::Part;
use crate::symbol::Symbol;
use crate::tree::TypeId;

/// Where declarations are made.
#[derive(Clone, Copy)]
pub(super) struct DeclContext {
    pub scope: ScopeId,
    pub source: u32,
    pub owner: Option<TypeId>,
    pub depth: u32,
    pub in_interface: bool,
}

impl<'a> Checker<'a> {
    /// Generic types that are no structs.
    pub(super) fn declare_builtin_generics(&mut self, scope: ScopeId) {
        let table = [
            ("vector", BuiltinGeneric::Vector),
            ("matrix", BuiltinGeneric::Matrix),
            ("Array", BuiltinGeneric::Array),
            ("Ptr", BuiltinGeneric::Pointer),
        ];
        for (name, generic) in table {
            self.bind(scope, Symbol::new(name), Entity::Generic(generic));
        }
    }

    /// Declares parts of the standard library. Those of one extension are one declaration.
    pub(super) fn declare_library(&mut self, parts: &[&'static Part], scope: ScopeId, source: u32) {
        let place = DeclContext { scope, source, owner: None, depth: 0, in_interface: false };
        let mut open = None;
        for part in parts {
            match (&part.decl.kind, self.interfaces.extensions.last()) {
                (DeclKind::Extension(more), Some(extension)) if part.extension.is_some() && part.extension == open => {
                    self.interfaces.further.entry(*extension).or_default().push(&more.members);
                }
                _ => self.declare(&part.decl, place),
            }
            open = part.extension;
        }
    }

    /// Declares everything in a list.
    pub(super) fn declare_decls(
        &mut self,
        decls: &'a [ast::Decl],
        scope: ScopeId,
        source: u32,
        owner: Option<TypeId>,
        depth: u32,
    ) {
        let place = DeclContext { scope, source, owner, depth, in_interface: false };
        for decl in decls {
            self.declare(decl, place);
        }
    }

    /// Declares one declaration.
    pub(super) fn declare(&mut self, decl: &'a ast::Decl, place: DeclContext) {
        match &decl.kind {
            DeclKind::Var(var) if !var.owner.is_empty() => {
                let path = self.path_of_owner(&var.owner, place);
                self.values_out_of_line.insert((path, var.name.name), (decl, var));
            }
            DeclKind::Var(var) => {
                self.declare_inline_struct(&var.ty, place);
                self.declare_name(decl, var.name, What::Var(var), place);
            }
            DeclKind::Function(function) => self.declare_function(decl, function, place),
            DeclKind::Struct(s) if s.specializes.is_some() => {
                self.declare_specialization(decl, s.name, What::Struct(s), place);
            }
            DeclKind::Struct(s) => {
                if self.replaces_forward(s.name.name, s.members.is_some(), place.scope) {
                    self.declare_name(decl, s.name, What::Struct(s), place);
                }
            }
            DeclKind::Interface(s) => {
                let foreign = s.members.iter().flatten().filter_map(|member| Some((member.span, foreign(member)?)));
                for (span, what) in foreign {
                    self.error(Code::SYNTAX, span, format!("an interface cannot hold {what}"));
                }
                self.declare_name(decl, s.name, What::Interface(s), place);
            }
            DeclKind::Extension(extension) => {
                let id = self.add_decl(Some(decl), Symbol::new(""), decl.span, What::Extension(extension), place);
                self.interfaces.extensions.push(id);
            }
            DeclKind::Buffer(buffer) => self.declare_buffer(decl, buffer, place),
            DeclKind::Enum(e) => self.declare_enum(decl, e, place),
            DeclKind::Alias(alias) => {
                self.declare_inline_struct(&alias.target, place);
                self.declare_name(decl, alias.name, What::Alias(alias), place);
            }
            DeclKind::AssociatedType(param) => {
                self.declare_name(decl, param.name, What::Associated(param), place);
            }
            DeclKind::Namespace(path, decls) => self.declare_namespace(decl, path, decls, place),
            DeclKind::UsingNamespace(path) => self.pending_usings.push((place.scope, path)),
            DeclKind::Property(property) => {
                self.declare_name(decl, property.name, What::Property(property), place);
            }
            DeclKind::Subscript(property) => {
                self.check_parameter_names(&property.params);
                let name = ast::Ident { name: self.words.subscript, span: property.name.span };
                self.declare_name(decl, name, What::Subscript(property), place);
            }
            DeclKind::Ignored if decl.layout.iter().any(|(name, _)| name.name.as_str().starts_with("local_size_")) => {
                self.group_layouts.insert(place.source, decl);
            }
            DeclKind::Subobject(subobject) => self.subobjects.push((decl, subobject, place.scope)),
            DeclKind::Effect(effect) => self.effects.push((effect, place.source)),
            DeclKind::UsingMember(_)
            | DeclKind::Import(..)
            | DeclKind::Include(_)
            | DeclKind::Implementing(_)
            | DeclKind::Ignored
            | DeclKind::Empty => {}
        }
    }

    pub(super) fn add_decl(
        &mut self,
        ast: Option<&'a ast::Decl>,
        name: Symbol,
        span: Span,
        what: What<'a>,
        place: DeclContext,
    ) -> DeclId {
        let DeclContext { scope, source, owner, depth, in_interface } = place;
        self.decls.push(DeclInfo { name, span, what, ast, scope, owner, source, depth, in_interface });
        DeclId(self.decls.len() as u32 - 1)
    }

    /// Adds another declaration like one, which no name stands for.
    pub(super) fn add_like(&mut self, decl: DeclId) -> DeclId {
        self.decls.push(self.info(decl));
        DeclId(self.decls.len() as u32 - 1)
    }

    /// Adds a declaration and binds its name.
    pub(super) fn declare_name(
        &mut self,
        decl: &'a ast::Decl,
        name: ast::Ident,
        what: What<'a>,
        place: DeclContext,
    ) -> DeclId {
        let id = self.add_decl(Some(decl), name.name, name.span, what, place);
        if !name.name.is_empty() {
            self.check_redeclared(name, what, place.scope);
            self.bind(place.scope, name.name, Entity::Decl(id));
        }
        self.at_mut(place.scope).order.push(id);
        id
    }

    /// Variables, types and functions of one scope have names of their own; functions and namespaces add up, and
    /// constant buffers' members may repeat what an included file already declared only as an error.
    fn check_redeclared(&mut self, name: ast::Ident, what: What<'a>, scope: ScopeId) {
        let others = self.named(scope, name.name).iter().copied().filter_map(decl_of).map(|d| self.info(d));
        let clash = others.map(|other| (other.span, other.what)).find(|(_, other)| match (what, other) {
            (What::Function(_), What::Function(_)) => false,
            (What::Subscript(_), What::Subscript(_)) => false,
            (What::Alias(_), What::Alias(_)) => false,
            // A function of the name of a type is a constructor-like helper; HLSL allows it.
            (What::Function(_), What::Struct(_)) | (What::Struct(_), What::Function(_)) => false,
            // C++: a variable hides a struct or enum of its name in expressions; HLSL allows it too.
            (a, What::Struct(_) | What::Enum(_)) if a.is_variable() => false,
            (What::Struct(_) | What::Enum(_), b) if b.is_variable() => false,
            _ => true,
        });
        if let Some((span, _)) = clash {
            let message = format!("`{}` is declared twice in this scope", name.name);
            let diagnostic = Diagnostic::error(Code::REDECLARED, name.span, message);
            self.diags.push(diagnostic.label(span, "first declared here"));
        }
    }

    /// A struct without members only announces a name. Whether this declaration is to be bound.
    fn replaces_forward(&mut self, name: Symbol, complete: bool, scope: ScopeId) -> bool {
        let existing = self.named(scope, name).iter().copied().filter_map(decl_of);
        let mut structs = existing.filter_map(|d| match self.info(d).what {
            What::Struct(s) => Some(s),
            _ => None,
        });
        if !complete {
            return structs.next().is_none();
        }
        if structs.any(|s| s.members.is_none()) {
            self.at_mut(scope).names.remove(&name);
        }
        true
    }

    /// Two parameters of one name.
    fn check_parameter_names(&mut self, params: &[ast::Decl]) {
        let mut seen: Vec<ast::Ident> = Vec::new();
        for param in params {
            let DeclKind::Var(var) = &param.kind else { continue };
            match seen.iter().find(|s| s.name == var.name.name && !s.name.is_empty()) {
                Some(first) => {
                    let message = format!("two parameters have the name `{}`", var.name.name);
                    let error = Diagnostic::error(Code::REDECLARED, var.name.span, message);
                    self.diags.push(error.label(first.span, "first declared here"));
                }
                None => seen.push(var.name),
            }
        }
    }

    fn declare_function(&mut self, decl: &'a ast::Decl, function: &'a ast::FunctionDecl, place: DeclContext) {
        self.check_parameter_names(&function.params);
        let namespace = self.namespace_at(&function.owner, place.scope);
        if let Some(scope) = namespace.filter(|_| !function.owner.is_empty()) {
            // `float A::f() { ... }` defines what the namespace declares.
            let place = DeclContext { scope, ..place };
            self.declare_name(decl, function.name, What::Function(function), place);
            return;
        }
        if !function.owner.is_empty() {
            let path = self.path_of_owner(&function.owner, place);
            self.out_of_line.entry((path, function.name.name)).or_default().push((decl, function));
            return;
        }
        match function.specializes {
            Some(_) => self.declare_specialization(decl, function.name, What::Function(function), place),
            None => {
                if let Some(op) = function.name.name.as_str().strip_prefix("operator")
                    && place.owner.is_none()
                {
                    self.free_operators.insert(Symbol::new(op));
                }
                self.declare_name(decl, function.name, What::Function(function), place);
            }
        }
    }

    /// The namespace that a path of names leads to from a scope.
    fn namespace_at(&self, path: &[ast::Ident], from: ScopeId) -> Option<ScopeId> {
        let (first, rest) = path.split_first()?;
        let found = self.outward(from).find_map(|scope| self.namespace_among(self.named(scope, first.name)))?;
        rest.iter().try_fold(found, |scope, part| self.namespace_among(self.named(scope, part.name)))
    }

    /// The names of what a definition out of line belongs to, from the outside, namespaces as one.
    fn path_of_owner(&self, owner: &[ast::Ident], place: DeclContext) -> Vec<Symbol> {
        let named = (1..=owner.len()).rev().find_map(|count| {
            let (names, rest) = owner.split_at_checked(count)?;
            Some((self.namespace_at(names, place.scope)?, rest))
        });
        let (scope, rest) = named.unwrap_or((place.scope, owner));
        self.at(scope).namespace.into_iter().chain(rest.iter().map(|part| part.name)).collect()
    }

    /// A specialization has no name of its own: it is found by way of its template.
    fn declare_specialization(&mut self, decl: &'a ast::Decl, name: ast::Ident, what: What<'a>, place: DeclContext) {
        let id = self.add_decl(Some(decl), name.name, name.span, what, place);
        self.specializations.entry((place.scope, name.name)).or_default().push(id);
        self.at_mut(place.scope).order.push(id);
    }

    /// `struct S { ... } s;` declares `S` too.
    pub(super) fn declare_inline_struct(&mut self, ty: &'a ast::TypeExpr, place: DeclContext) {
        match &ty.kind {
            ast::TypeKind::Struct(decl) => {
                self.inline_struct(decl, place);
            }
            ast::TypeKind::Array(inner, _) | ast::TypeKind::Modified(_, inner) => {
                self.declare_inline_struct(inner, place);
            }
            _ => {}
        }
    }

    /// The declaration of an inline struct; the declarators of one list share it.
    pub(super) fn inline_struct(&mut self, decl: &'a ast::Decl, place: DeclContext) -> Option<DeclId> {
        if let Some(id) = self.structs.inline.get(&(decl.span, place.scope)) {
            return Some(*id);
        }
        let id = match &decl.kind {
            DeclKind::Struct(s) => self.declare_name(decl, s.name, What::Struct(s), place),
            DeclKind::Enum(e) => {
                self.declare_enum(decl, e, place);
                *self.at(place.scope).order.iter().rev().find(|d| matches!(self.info(**d).what, What::Enum(_)))?
            }
            _ => return None,
        };
        self.structs.inline.insert((decl.span, place.scope), id);
        Some(id)
    }

    /// A cbuffer: its variables are named without it; other declarations in it belong to the scope around.
    fn declare_buffer(&mut self, decl: &'a ast::Decl, buffer: &'a ast::BufferDecl, place: DeclContext) {
        let id = self.add_decl(Some(decl), buffer.name.name, buffer.name.span, What::Buffer(buffer), place);
        self.at_mut(place.scope).order.push(id);
        let (mut index, first) = (0, self.at(place.scope).order.len());
        for member in &buffer.members {
            match &member.kind {
                DeclKind::Var(var) if !has_static(member) => {
                    self.declare_inline_struct(&var.ty, place);
                    self.declare_name(member, var.name, What::BufferMember(id, index), place);
                    index += 1;
                }
                _ => self.declare(member, place),
            }
        }
        self.show_in_file(first, place);
    }

    /// In HLSL what a `cbuffer` in a namespace declares is seen without its name in the whole file.
    fn show_in_file(&mut self, first: usize, place: DeclContext) {
        let language = self.sources.get(place.source as usize).map(|s| s.language);
        if language != Some(crate::parse::Language::Hlsl) || self.at(place.scope).namespace.is_none() {
            return;
        }
        let Some(file) = self.outward(place.scope).find(|scope| self.at(*scope).namespace.is_none()) else { return };
        let shown = self.scope(None, ScopeKind::Plain);
        let declared: Vec<DeclId> = self.at(place.scope).order.iter().skip(first).copied().collect();
        for id in declared {
            self.bind(shown, self.info(id).name, Entity::Decl(id));
        }
        self.at_mut(file).opened.push(shown);
    }

    fn declare_enum(&mut self, decl: &'a ast::Decl, e: &'a ast::EnumDecl, place: DeclContext) {
        let id = self.declare_name(decl, e.name, What::Enum(e), place);
        let mut cases = Vec::new();
        let place = DeclContext { owner: None, in_interface: false, ..place };
        let language = self.sources.get(place.source as usize).map(|s| s.language);
        let scoped = hides_cases(decl, e, language);
        for (index, (name, ..)) in e.cases.iter().enumerate() {
            let case = self.add_decl(None, name.name, name.span, What::EnumCase(id, index as u32), place);
            cases.push(case);
            if !scoped {
                self.bind(place.scope, name.name, Entity::Decl(case));
            }
        }
        self.enum_cases.insert(id, cases);
    }

    fn declare_namespace(
        &mut self,
        decl: &'a ast::Decl,
        path: &'a [ast::Ident],
        decls: &'a [ast::Decl],
        place: DeclContext,
    ) {
        let mut inner = place;
        for part in path {
            inner.scope = self.namespace(decl, *part, inner);
            inner.depth += 1;
        }
        // `order` of the file lists namespaces' declarations in place, for parameters.
        for decl in decls {
            self.declare(decl, inner);
        }
    }

    /// The scope of a namespace, made on first sight.
    fn namespace(&mut self, decl: &'a ast::Decl, name: ast::Ident, place: DeclContext) -> ScopeId {
        let existing = self.namespace_among(self.named(place.scope, name.name));
        if let Some(scope) = existing.filter(|_| !name.name.is_empty()) {
            return scope;
        }
        let scope = self.scope(Some(place.scope), ScopeKind::Plain);
        let outer = self.at(place.scope).namespace;
        let path = outer.map_or(name.name, |outer| Symbol::new(&format!("{outer}.{}", name.name)));
        self.at_mut(scope).namespace = Some(path);
        let id = self.add_decl(Some(decl), name.name, name.span, What::Namespace(scope), place);
        if name.name.is_empty() {
            self.at_mut(place.scope).opened.push(scope);
        } else {
            self.bind(place.scope, name.name, Entity::Decl(id));
        }
        self.at_mut(place.scope).order.push(id);
        scope
    }

    /// The scope of the first namespace among entities.
    fn namespace_among(&self, entities: &[Entity]) -> Option<ScopeId> {
        self.namespaces_among(entities).first().copied()
    }

    /// The scopes of all namespaces among entities: each file that opens a namespace has a scope of its own for it.
    pub(super) fn namespaces_among(&self, entities: &[Entity]) -> Vec<ScopeId> {
        let declared = entities.iter().copied().filter_map(decl_of).filter_map(|d| match self.info(d).what {
            What::Namespace(scope) => Some(scope),
            _ => None,
        });
        declared.collect()
    }

    /// A namespace goes on in each file that opens it: what imported files declare in it is seen there as what they
    /// declare outside of it is. Outer namespaces were declared first, so that inner ones are found by way of them.
    pub(super) fn join_namespaces(&mut self) {
        for index in 0..self.decls.len() {
            let DeclInfo { what: What::Namespace(scope), name, scope: around, .. } = self.decls[index] else {
                continue;
            };
            let found = self.lookup_here(around, name);
            let others = self.namespaces_among(&found.entities).into_iter().filter(|other| *other != scope);
            let others: Vec<ScopeId> = others.collect();
            self.at_mut(scope).opened.extend(others);
        }
    }

    /// One scope that shows what several namespaces of one name hold.
    pub(super) fn joined(&mut self, scopes: &[ScopeId]) -> Option<ScopeId> {
        let (first, others) = scopes.split_first()?;
        if others.iter().all(|other| self.at(*first).opened.contains(other)) {
            return Some(*first);
        }
        if let Some((_, joined)) = self.joined_namespaces.iter().find(|(known, _)| known == scopes) {
            return Some(*joined);
        }
        let joined = self.scope(self.at(*first).parent, ScopeKind::Plain);
        self.at_mut(joined).namespace = self.at(*first).namespace;
        self.at_mut(joined).opened = scopes.to_vec();
        self.joined_namespaces.push((scopes.to_vec(), joined));
        Some(joined)
    }

    /// `using namespace`, after everything is declared.
    pub(super) fn resolve_usings(&mut self) {
        for (scope, path) in std::mem::take(&mut self.pending_usings) {
            let mut target = None;
            for (i, part) in path.iter().enumerate() {
                let found = match target {
                    None if i == 0 => self.lookup(scope, part.name),
                    Some(inner) => self.lookup_here(inner, part.name),
                    None => break,
                };
                let namespaces = self.namespaces_among(&found.entities);
                target = self.joined(&namespaces);
            }
            match (target, path.last()) {
                (Some(target), _) => self.at_mut(scope).opened.push(target),
                (None, Some(last)) if !self.absent(last.name, last.span) => {
                    self.error(Code::UNDECLARED, last.span, format!("there is no namespace `{}`", last.name));
                }
                _ => {}
            }
        }
    }
}

fn has_static(decl: &ast::Decl) -> bool {
    super::scope::has_modifier(decl, "static")
}

/// What a declaration is that no interface holds: each type that conforms would have its own.
pub(super) fn foreign(decl: &ast::Decl) -> Option<&'static str> {
    match &decl.kind {
        DeclKind::Struct(_) => Some("a struct"),
        DeclKind::Interface(_) => Some("an interface"),
        DeclKind::Enum(_) => Some("an enum"),
        DeclKind::Extension(_) => Some("an extension"),
        DeclKind::Namespace(..) | DeclKind::UsingNamespace(_) => Some("a namespace"),
        DeclKind::Buffer(_) => Some("a buffer"),
        DeclKind::Var(_) if !has_static(decl) => Some("a variable, but a property or a static constant"),
        DeclKind::Var(_)
        | DeclKind::Function(_)
        | DeclKind::Alias(_)
        | DeclKind::AssociatedType(_)
        | DeclKind::UsingMember(_)
        | DeclKind::Import(..)
        | DeclKind::Include(_)
        | DeclKind::Implementing(_)
        | DeclKind::Property(_)
        | DeclKind::Subscript(_)
        | DeclKind::Subobject(_)
        | DeclKind::Effect(_)
        | DeclKind::Ignored
        | DeclKind::Empty => None,
    }
}

/// Whether cases are known in the scope of their enum alone. Slang's enums with a name hide their cases, unless told otherwise;
/// those of HLSL do with `class`, as in C++.
pub(super) fn hides_cases(decl: &ast::Decl, e: &ast::EnumDecl, language: Option<crate::parse::Language>) -> bool {
    let opened = e.name.name.is_empty() || decl.attributes.iter().any(|a| a.name.name == "UnscopedEnum");
    e.scoped || (language == Some(crate::parse::Language::Slang) && !opened)
}
