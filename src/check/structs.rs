//! Instances of structs, and the members of any type.

use super::decl::DeclContext;
use super::extent::Extent;
use super::packs::Item;
use super::scope::{DeclId, Entity, Found, ScopeId, ScopeKind, What, has_modifier};
use super::types::{Name, modifiers_of};
use super::{Arg, Checker, MAX_BASES};
use crate::ast::{self, DeclKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::analyses::bit_units;
use crate::tree::{Attribute, AttributeArg, Field, Instance, KNOWN_AS, Origin, Program, Scalar, Struct, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Instances of generics as arguments of instances, this deep, are a generic without an end.
const MAX_GENERIC_DEPTH: u32 = 48;
/// Characters of arguments in an instance's name.
const MAX_SUFFIX: usize = 96;
/// Characters of arguments as they are written; beyond them they stand by their names in texts, which are bounded.
const MAX_WRITTEN: usize = 240;

/// The attribute of a field of the library that is there where its argument is not 0.
const PRESENT: &str = "__present";

/// All instances.
#[derive(Default)]
pub(super) struct Structs<'a> {
    pub list: Vec<StructInstance>,
    /// How many of them have generic arguments.
    generic: usize,
    ids: FxHashMap<(DeclId, Vec<Arg>), u32>,
    of_type: FxHashMap<TypeId, u32>,
    /// The declaration of each struct of the program, by its id.
    pub decls: Vec<DeclId>,
    /// How large each struct of the program is, by its id.
    pub extents: Vec<Extent>,
    /// How a struct of the library came to hold itself, on the way to the user's field that makes it so.
    pub circle: Option<Diagnostic>,
    /// The first instance that was made of each generic.
    first: FxHashMap<DeclId, TypeId>,
    /// `extern` structs that no module defines, of which there are fields.
    pub undefined: FxHashSet<TypeId>,
    /// The type of a field is being resolved.
    of_field: bool,
    /// Inline structs by their place and scope.
    pub inline: FxHashMap<(Span, ScopeId), DeclId>,
    marker: std::marker::PhantomData<&'a ()>,
}

/// A struct with its generic arguments.
#[derive(Clone, Debug)]
pub(super) struct StructInstance {
    pub decl: DeclId,
    pub args: Vec<Arg>,
    pub ty: TypeId,
    /// The scope of its members.
    pub scope: ScopeId,
    pub base: Option<TypeId>,
    /// Interfaces written as bases: declaration and arguments.
    pub interfaces: Vec<(DeclId, Vec<Arg>)>,
    /// How deep instances are nested in its arguments.
    pub depth: u32,
    /// Fields are being resolved.
    pub resolving: bool,
}

impl Structs<'_> {
    /// The instance that a type is.
    pub fn instance(&self, ty: TypeId) -> Option<&StructInstance> {
        self.list.get(*self.of_type.get(&ty)? as usize)
    }
    /// Whether it is an instance of a generic, and not the first one.
    pub fn is_further_instance(&self, ty: TypeId) -> bool {
        let instance = self.instance(ty).filter(|i| !i.args.is_empty());
        instance.is_some_and(|i| self.first.get(&i.decl).is_some_and(|first| *first != ty))
    }
    /// The same, to change it.
    pub fn instance_mut(&mut self, ty: TypeId) -> Option<&mut StructInstance> {
        self.list.get_mut(*self.of_type.get(&ty)? as usize)
    }
}

impl Structs<'_> {
    /// Takes note of the type of values of an interface, whose members are those of the interface.
    pub fn add_existential(
        &mut self,
        decl: DeclId,
        args: Vec<Arg>,
        ty: TypeId,
        scope: ScopeId,
        interfaces: Vec<(DeclId, Vec<Arg>)>,
    ) {
        self.of_type.insert(ty, self.list.len() as u32);
        self.list.push(StructInstance { decl, args, ty, scope, base: None, interfaces, depth: 0, resolving: false });
    }
}

impl<'a> Checker<'a> {
    /// The type of a struct declaration with arguments; made on first use.
    pub(super) fn instantiate_struct(&mut self, decl: DeclId, args: Vec<Arg>, span: Span) -> TypeId {
        let key = (decl, args);
        let info = self.info(decl);
        if let Some(index) = self.structs.ids.get(&key) {
            let ty = self.structs.list[*index as usize].ty;
            if !self.structs.of_field && self.structs.undefined.contains(&ty) {
                self.report_undefined(info.name.as_str(), span);
                return TypeId::ERROR;
            }
            return ty;
        }
        let What::Struct(s) = info.what else { return TypeId::ERROR };
        let depth = self.args_depth(&key.1) + 1;
        if !key.1.is_empty() && self.structs.generic as u64 >= self.options.limits.instances
            || depth > MAX_GENERIC_DEPTH
        {
            self.error(Code::NESTING, span, "too many instances of generic types");
            return TypeId::ERROR;
        }
        let args = key.1.clone();
        // A specialization has its own parameters, bases and members; the instance is still one of the template.
        let (source, s, outer) = match self.specialized_struct(decl, &args, span) {
            Some((special, s, bound)) => (self.info(special).source, s, bound),
            None => match &s.generics {
                Some(generics) => (info.source, s, self.bind_generics(generics, &args, info.scope)),
                None => (info.source, s, info.scope),
            },
        };
        let ty = match s.magic {
            Some(kind) => match self.magic_type(kind, info.name, &args) {
                Ok(ty) => ty,
                Err(message) => {
                    self.error(Code::GENERIC_ARGUMENTS, span, message);
                    return TypeId::ERROR;
                }
            },
            None => self.new_struct(decl, s, &args),
        };
        let scope = self.scope(Some(outer), ScopeKind::Members(ty));
        self.bind(scope, self.words.this_type, Entity::Type(ty));
        let index = self.structs.list.len() as u32;
        let instance =
            StructInstance { decl, args, ty, scope, base: None, interfaces: Vec::new(), depth, resolving: true };
        self.structs.generic += usize::from(!key.1.is_empty());
        self.structs.first.entry(decl).or_insert(ty);
        self.structs.list.push(instance);
        self.structs.ids.insert(key, index);
        self.structs.of_type.entry(ty).or_insert(index);
        let before = std::mem::replace(&mut self.cx.source, source);
        // What its sizes name is named by it, not by the function that happens to ask for it first.
        let named = self.cx.body.named.len();
        self.lasting(|c| {
            c.resolve_bases(index, s, outer);
            c.declare_members(index, s, source, info.depth);
            if s.magic.is_none() {
                c.resolve_fields(index, s);
            }
        });
        self.cx.body.named.truncate(named);
        self.cx.source = before;
        self.structs.list[index as usize].resolving = false;
        if s.members.is_none() && s.magic.is_none() {
            let name = info.name;
            match info.has("extern") {
                // As for slangc, the field is of no size; whoever names it learns what is missing.
                true if self.structs.of_field => {
                    self.structs.undefined.insert(ty);
                    return ty;
                }
                true => self.report_undefined(name.as_str(), span),
                false => self.error(Code::UNDECLARED, span, format!("`{name}` is announced but not defined")),
            }
            // What is asked of it would be missing too.
            self.structs.list[index as usize].ty = TypeId::ERROR;
            return TypeId::ERROR;
        }
        ty
    }

    /// Reports an `extern` struct that no module defines.
    pub(super) fn report_undefined(&mut self, name: &str, span: Span) {
        self.error(Code::UNDECLARED, span, format!("`{name}` is `extern`, and no module defines it"));
    }

    fn new_struct(&mut self, decl: DeclId, s: &'a ast::StructDecl, args: &[Arg]) -> TypeId {
        let info = self.info(decl);
        let suffix = self.args_text(args);
        let name = match (suffix.is_empty(), info.owner) {
            (true, _) => info.name,
            // Beyond a readable length a number tells instances apart.
            (false, _) if suffix.len() > MAX_SUFFIX => {
                let head: String = suffix.chars().take(MAX_SUFFIX / 2).collect();
                Symbol::new(&format!("{}_{}_{}", info.name, head.trim_end_matches('_'), self.structs.list.len()))
            }
            (false, _) => Symbol::new(&format!("{}_{suffix}", info.name)),
        };
        let builtin = self.source_of(decl).builtin;
        // Those of the library are for its readers.
        let comments = info.ast.filter(|_| !builtin).map(|d| d.comments.clone()).unwrap_or_default();
        let attributes = info.ast.map(|d| self.attributes(&d.attributes, info.scope)).unwrap_or_default();
        let instance = (!args.is_empty()).then(|| {
            let generic = known_as(&attributes).unwrap_or(info.name);
            Instance { generic, written: self.written(generic, args) }
        });
        let id = self.program.structs.push(Struct {
            name,
            fields: Vec::new(),
            comments,
            span: s.name.span,
            builtin,
            attributes,
            instance,
            made: false,
        });
        self.structs.decls.push(decl);
        self.program.types.intern(Type::Struct(id))
    }

    fn written(&self, generic: Symbol, args: &[Arg]) -> Symbol {
        let mut text = self.args_written(args, Program::type_written);
        if text.len() > MAX_WRITTEN {
            text = self.args_written(args, Program::type_name);
        }
        Symbol::new(&format!("{generic}<{text}>"))
    }

    /// Sorts the bases into a base struct and interfaces.
    fn resolve_bases(&mut self, index: u32, s: &'a ast::StructDecl, outer: ScopeId) {
        let mut base = None;
        let mut interfaces = Vec::new();
        for written in &s.bases {
            let ast::TypeKind::Path(path) = &written.kind else { continue };
            match self.resolve_path(path, outer) {
                Name::Type(ty) if matches!(self.program.types.get(ty), Type::Struct(_)) => base = base.or(Some(ty)),
                Name::Interface(decl, args) => {
                    if let Some(args) = self.interface_args(decl, args, outer, written.span) {
                        interfaces.push((decl, args));
                    }
                }
                Name::Missing if super::interfaces::is_builtin(path) => {}
                Name::Missing => {
                    self.undeclared(path, outer, written.span);
                }
                Name::Error => {}
                _ => self.error(Code::NOT_A_TYPE, written.span, "a base must be a struct or an interface"),
            }
        }
        let instance = &mut self.structs.list[index as usize];
        instance.base = base;
        instance.interfaces = interfaces;
    }

    /// Declares fields and other members; fields get their index.
    fn declare_members(&mut self, index: u32, s: &'a ast::StructDecl, source: u32, depth: u32) {
        let StructInstance { ty, scope, base, .. } = self.structs.list[index as usize];
        let place = DeclContext { scope, source, owner: Some(ty), depth: depth + 1, in_interface: false };
        let mut next = u32::from(base.is_some());
        for member in s.members.iter().flatten() {
            match &member.kind {
                DeclKind::Var(_) if !self.is_present(member, scope) => {}
                DeclKind::Var(var) if !has_modifier(member, "static") => {
                    self.declare_inline_struct(&var.ty, place);
                    let count = self.field_pack(var, place.scope);
                    for index in 0..count.unwrap_or(1) {
                        let name = pack_field(var, count.map(|_| index));
                        self.declare_name(member, name, What::Field(var, next), place);
                        next += 1;
                    }
                }
                _ => self.declare(member, place),
            }
        }
    }

    /// Whether a field of the library is there, which may depend on a generic argument.
    fn is_present(&mut self, member: &'a ast::Decl, scope: ScopeId) -> bool {
        let condition = super::scope::attribute(member, PRESENT).and_then(|a| a.args.first());
        condition.is_none_or(|c| self.constant_int(c, scope) != Some(0))
    }

    fn resolve_fields(&mut self, index: u32, s: &'a ast::StructDecl) {
        let StructInstance { ty, scope, base, .. } = self.structs.list[index as usize];
        let Type::Struct(id) = self.program.types.get(ty) else { return };
        let mut fields = Vec::new();
        if let Some(base) = base {
            let ty = self.complete(base, s.name.span, s.name.name);
            let base = Field::new(self.words.base, ty, s.name.span);
            fields.push(Field { origin: Origin::Declared, is_base: true, ..base });
        }
        for member in s.members.iter().flatten() {
            if let DeclKind::Var(var) = &member.kind
                && !has_modifier(member, "static")
                && self.is_present(member, scope)
            {
                let pack = match &var.ty.kind {
                    ast::TypeKind::Expand(_) => self.type_pack(&var.ty, scope),
                    _ => None,
                };
                if let Some(items) = pack {
                    for (index, item) in items.into_iter().enumerate() {
                        let ty = if let Item::Type(ty) = item { ty } else { TypeId::ERROR };
                        let ty = self.complete(ty, var.name.span, s.name.name);
                        let name = pack_field(var, Some(index));
                        fields.push(Field { origin: Origin::Declared, ..Field::new(name.name, ty, name.span) });
                    }
                    continue;
                }
                let mut field = self.field(member, var, scope);
                field.ty = self.complete(field.ty, field.span, s.name.name);
                self.check_field_place(&field, false);
                fields.push(field);
            }
        }
        self.set_fields(id, fields);
    }

    /// How many fields one of the type of a pack stands for; `None` if it is none.
    fn field_pack(&mut self, var: &'a ast::VarDecl, scope: ScopeId) -> Option<usize> {
        match &var.ty.kind {
            ast::TypeKind::Expand(_) => self.quiet(|c| c.type_pack(&var.ty, scope)).map(|items| items.len()),
            _ => None,
        }
    }

    /// A field of a struct or cbuffer.
    pub(super) fn field(&mut self, member: &'a ast::Decl, var: &'a ast::VarDecl, scope: ScopeId) -> Field {
        let ty = match &var.ty.kind {
            ast::TypeKind::Infer => {
                self.error(Code::NOT_A_TYPE, var.name.span, "a field needs a type");
                TypeId::ERROR
            }
            _ => {
                let outer = std::mem::replace(&mut self.structs.of_field, true);
                let ty = self.resolve_type(&var.ty, scope);
                self.structs.of_field = outer;
                ty
            }
        };
        if ty == TypeId::VOID {
            self.error(Code::NOT_A_TYPE, var.name.span, format!("`{}` cannot be void", var.name.name));
        }
        let bits = self.bits_of_field(var, ty, scope);
        let attributes = self.attributes(&member.attributes, scope);
        let explicit = self.explicit(member, &var.semantics, &attributes, scope);
        let access = self.payload_access(&var.semantics);
        Field {
            name: var.name.name,
            ty,
            semantic: super::attributes::semantic(&var.semantics),
            modifiers: modifiers_of(member, &var.ty),
            matrix_order: self.matrix_order(member, var, ty, scope),
            explicit,
            attributes,
            comments: if self.in_builtin() { Vec::new() } else { member.comments.clone() },
            span: var.name.span,
            bits,
            bits_of_one_width: self.language() == Language::Hlsl,
            offset: None,
            access,
            is_base: false,
            origin: Origin::Declared,
            given: Vec::new(),
        }
    }

    /// How many bits a field asks for.
    fn bits_of_field(&mut self, var: &'a ast::VarDecl, ty: TypeId, scope: ScopeId) -> Option<u32> {
        let written = var.bits.as_ref()?;
        let asked = self.constant_int(written, scope);
        // DXC has bits of `bool` and enums, too; slangc refuses them.
        let in_hlsl = self.language() == Language::Hlsl;
        let counts = match self.program.types.get(ty) {
            Type::Scalar(Scalar::Bool) | Type::Enum(_) => in_hlsl,
            Type::Scalar(s) => s.is_integer(),
            _ => false,
        };
        if !counts && ty != TypeId::ERROR {
            let message = format!("`{}` has a width in bits, which only integers can", var.name.name);
            self.error(Code::UNSUPPORTED, var.name.span, message);
        }
        let width = bit_units::scalar_of_bits(&self.program, ty).map_or(0, |s| s.size() * 8);
        let asked = asked?;
        // Without a name, none of them end what those before share.
        if asked == 0 && var.name.name.is_empty() {
            return Some(0);
        }
        if counts && !(1..=i64::from(width)).contains(&asked) {
            let name = if var.name.name.is_empty() { "a field" } else { var.name.name.as_str() };
            let message = format!("`{name}` cannot have {asked} bits; its type has 1 to {width}");
            self.error(Code::UNSUPPORTED, var.name.span, message);
        }
        Some(asked.clamp(1, i64::from(width.max(1))) as u32)
    }

    /// The struct declaration of a struct of the program.
    pub(super) fn struct_decl(&self, id: crate::tree::StructId) -> Option<DeclId> {
        self.structs.decls.get(id.0 as usize).copied()
    }

    /// Everything of a name in a type: its own members and those of extensions, else those of its base, else those that
    /// interfaces implement.
    pub(super) fn members(&mut self, ty: TypeId, name: Symbol) -> Vec<Entity> {
        let mut current = ty;
        let mut found = Vec::new();
        for _ in 0..MAX_BASES {
            found.extend(self.own_members(current, name));
            let base = self.structs.instance(current).and_then(|i| i.base);
            if !(found.is_empty() || base.is_some() && self.shows_inherited(current, name)) {
                return self.with_defaults(found, ty, name);
            }
            match base {
                Some(base) => current = base,
                None => break,
            }
        }
        if found.is_empty() { self.default_members(ty, name) } else { found }
    }

    /// Methods of a struct, and those of the name that its interfaces implement and that it does not implement in another way.
    fn with_defaults(&mut self, mut own: Vec<Entity>, ty: TypeId, name: Symbol) -> Vec<Entity> {
        let is_users = self.structs.instance(ty).is_some_and(|i| !self.source_of(i.decl).builtin);
        let methods: Vec<DeclId> = own.iter().copied().filter_map(super::expr::decl_of).collect();
        let are_methods = methods.iter().all(|decl| matches!(self.info(*decl).what, What::Function(_)));
        if !is_users || !are_methods || methods.len() < own.len() || self.language() != Language::Slang {
            return own;
        }
        for default in self.default_members(ty, name) {
            let Entity::Decl(decl) = default else { continue };
            if !methods.iter().any(|own| self.is_same_method(decl, *own)) {
                own.push(default);
            }
        }
        own
    }

    /// Whether a struct says that its members of a name do not hide those of its base (`using Base::name;`).
    fn shows_inherited(&self, ty: TypeId, name: Symbol) -> bool {
        let declared = self.structs.instance(ty).map(|i| self.info(i.decl).what);
        let Some(What::Struct(ast::StructDecl { members: Some(members), .. })) = declared else { return false };
        members.iter().any(|m| matches!(&m.kind, ast::DeclKind::UsingMember(shown) if shown.name == name))
    }

    /// Members of the type itself and of extensions.
    pub(super) fn own_members(&mut self, ty: TypeId, name: Symbol) -> Vec<Entity> {
        let mut list = Vec::new();
        if let Some(instance) = self.structs.instance(ty) {
            let scope = instance.scope;
            list.extend(self.named(scope, name));
            for opened in self.at(scope).opened.clone() {
                list.extend(self.named(opened, name));
            }
        }
        for scope in self.extension_scopes(ty, name).iter() {
            let more = self.named(*scope, name).iter().copied();
            let more: Vec<Entity> = more.filter(|e| matches!(e, Entity::Decl(_)) || list.is_empty()).collect();
            list.extend(more);
        }
        list
    }

    /// What `T::name` means: members, enum cases.
    pub(super) fn type_members(&mut self, ty: TypeId, name: Symbol) -> Found {
        if let Type::Enum(id) = self.program.types.get(ty)
            && let Some(decl) = self.enum_decls.get(id.0 as usize)
        {
            let cases = self.enum_cases.get(decl).into_iter().flatten();
            let case = cases.copied().find(|c| self.info(*c).name == name);
            if let Some(case) = case {
                return Found { entities: vec![Entity::Decl(case)], ..Found::default() };
            }
        }
        Found { entities: self.members(ty, name), member_of: Some(ty), ..Found::default() }
    }
}

/// The name of a field, or of one of those that a pack of fields stands for: `_` gives `_0`, `_1`.
fn pack_field(var: &ast::VarDecl, index: Option<usize>) -> ast::Ident {
    match index {
        Some(index) => ast::Ident { name: Symbol::new(&format!("{}{index}", var.name.name)), span: var.name.span },
        None => var.name,
    }
}

/// What the language calls a struct of the library.
fn known_as(attributes: &[Attribute]) -> Option<Symbol> {
    let found = attributes.iter().find(|a| a.name == *KNOWN_AS)?;
    found.args.iter().find_map(|arg| if let AttributeArg::Text(name) = arg { Some(*name) } else { None })
}
