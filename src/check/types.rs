//! Resolves types and paths as they are written.

use super::aliases::FUNCTION_TYPE;
use super::scope::{BuiltinGeneric, DeclId, DeclInfo, Entity, Found, ScopeId, What};
use super::size_constants::Size;
use super::written_numbers::{self, KnownNames};
use super::{Checker, foreign_words};
use crate::ast::{self, GenericArg, PathSegment, TypeExpr, TypeKind};
use crate::diagnostic::Code;
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{AddressSpace, DataLayout, Enum, EnumCase, MatrixOrder, Modifiers, Scalar, Type, TypeId};

/// What a path leads to.
#[derive(Clone, Debug)]
pub(super) enum Name<'a> {
    Type(TypeId),
    Namespace(ScopeId),
    Interface(DeclId, Option<&'a [GenericArg]>),
    /// Variables or functions, with generic arguments as written.
    Values(Found, Option<&'a [GenericArg]>),
    /// A generic struct or alias without its arguments, which may be inferred (`Foo(1)`).
    Generic(DeclId),
    /// Not declared.
    Missing,
    /// Reported.
    Error,
}

/// Further spellings of scalars.
const SCALAR_ALIASES: &[(&str, Scalar)] = &[
    ("float16_t", Scalar::F16),
    ("float32_t", Scalar::F32),
    ("float64_t", Scalar::F64),
    ("int32_t", Scalar::I32),
    ("uint32_t", Scalar::U32),
    ("dword", Scalar::U32),
    ("long", Scalar::I64),
    ("ulong", Scalar::U64),
    ("size_t", Scalar::U64),
    ("usize_t", Scalar::U64),
    ("intptr_t", Scalar::I64),
    ("uintptr_t", Scalar::U64),
];

impl<'a> Checker<'a> {
    /// The type of a name such as `float3x4`, `uint` or `void`.
    pub(super) fn builtin_type(&mut self, name: Symbol) -> Option<TypeId> {
        if let Some(known) = self.builtin_types.get(&name) {
            return *known;
        }
        let ty = builtin_type(name.as_str()).map(|ty| self.program.types.intern(ty));
        self.builtin_types.insert(name, ty);
        ty
    }

    /// The type that is written; reports what is wrong and then gives the error type.
    pub(super) fn resolve_type(&mut self, ty: &'a TypeExpr, scope: ScopeId) -> TypeId {
        self.deeper(ty.span, |c| c.resolve_type_inner(ty, scope)).unwrap_or(TypeId::ERROR)
    }

    fn resolve_type_inner(&mut self, ty: &'a TypeExpr, scope: ScopeId) -> TypeId {
        match &ty.kind {
            TypeKind::Path(path) => self.resolve_path_type(path, scope, ty.span),
            TypeKind::Array(element, size) => self.resolve_array(element, size.as_deref(), scope, ty.span),
            TypeKind::Pointer(inner) => {
                let inner = self.resolve_type(inner, scope);
                self.program.types.intern(Type::Pointer(inner, AddressSpace::Device(DataLayout::Default)))
            }
            TypeKind::Modified(_, inner) => self.resolve_type(inner, scope),
            TypeKind::Struct(decl) => self.resolve_inline_struct(decl, scope),
            TypeKind::This => match self.lookup(scope, self.words.this_type).entities.first() {
                Some(Entity::Type(ty)) => *ty,
                _ => self.type_error(Code::NOT_A_TYPE, ty.span, "`This` is only known inside of types"),
            },
            TypeKind::TypeOf(e) => {
                let source = self.cx.source;
                let (ty, _) = self.in_context(scope, source, |c| {
                    let e = c.expr(e);
                    c.ty(e)
                });
                ty
            }
            TypeKind::Infer => self.type_error(Code::NOT_A_TYPE, ty.span, "a type must be written here"),
            TypeKind::Error => TypeId::ERROR,
            TypeKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.resolve_type(part, scope)).collect();
                self.tuple_type(parts, ty.span)
            }
            TypeKind::Optional(inner) => {
                let inner = self.resolve_type(inner, scope);
                self.optional_type(inner, ty.span)
            }
            TypeKind::Function(..) => self.unsupported_type(ty.span, FUNCTION_TYPE),
            TypeKind::And(_) => self.conjunction_type(ty, scope),
            TypeKind::Some(_) => self.unsupported_type(ty.span, "a value of an interface type"),
            TypeKind::Each(pack) => self.each_type(pack, scope),
            TypeKind::Expand(_) => self.type_error(Code::NOT_A_TYPE, ty.span, "`expand` stands for several types"),
            TypeKind::PackQuery(op, args, rest) => self.pack_query_type(*op, args, rest, scope),
        }
    }

    pub(super) fn type_error(&mut self, code: Code, span: Span, message: impl Into<String>) -> TypeId {
        self.error(code, span, message);
        TypeId::ERROR
    }

    pub(super) fn unsupported_type(&mut self, span: Span, what: &str) -> TypeId {
        self.unsupported(span, what);
        TypeId::ERROR
    }

    fn resolve_inline_struct(&mut self, decl: &'a ast::Decl, scope: ScopeId) -> TypeId {
        let place =
            super::decl::DeclContext { scope, source: self.cx.source, owner: None, depth: 0, in_interface: false };
        if let ast::DeclKind::Interface(interface) = &decl.kind {
            let message = format!("the interface `{}` cannot be declared here", interface.name.name);
            return self.type_error(Code::BAD_STATEMENT, decl.span, &message);
        }
        match self.inline_struct(decl, place) {
            Some(id) if matches!(self.info(id).what, What::Enum(_)) => self.enum_type(id),
            Some(id) => self.instantiate_struct(id, Vec::new(), decl.span),
            None => TypeId::ERROR,
        }
    }

    fn resolve_array(
        &mut self,
        element: &'a TypeExpr,
        size: Option<&'a ast::Expr>,
        scope: ScopeId,
        span: Span,
    ) -> TypeId {
        let element = self.resolve_type(element, scope);
        let count = match size {
            None => None,
            Some(e) => match self.array_size(e, scope) {
                Some(size) => Some(size),
                None => return TypeId::ERROR,
            },
        };
        if element == TypeId::ERROR {
            return element;
        }
        match count {
            None => self.array_type(element, None, span),
            Some(Size::Number(n)) => self.array_type(element, Some(n), span),
            Some(Size::Constant(size)) => self.sized_array(element, size, span),
        }
    }

    fn resolve_path_type(&mut self, path: &'a [PathSegment], scope: ScopeId, span: Span) -> TypeId {
        match self.resolve_type_path(path, scope) {
            Name::Type(ty) => ty,
            Name::Error => TypeId::ERROR,
            Name::Missing => self.undeclared(path, scope, span),
            Name::Namespace(_) => self.type_error(Code::NOT_A_TYPE, span, "a namespace is not a type"),
            Name::Interface(decl, args) => self.existential_type(decl, args, scope, span),
            Name::Generic(decl) => {
                let name = self.info(decl).name;
                self.type_error(Code::GENERIC_ARGUMENTS, span, format!("`{name}` needs generic arguments here"))
            }
            Name::Values(..) => {
                let name = path_text(path);
                self.type_error(Code::NOT_A_TYPE, span, format!("`{name}` is not a type"))
            }
        }
    }

    /// Reports a name that is not declared, with a similar one if there is any.
    pub(super) fn undeclared(&mut self, path: &[PathSegment], scope: ScopeId, span: Span) -> TypeId {
        if path.iter().any(|segment| self.absent(segment.name.name, span)) {
            return TypeId::ERROR;
        }
        let text = path_text(path);
        let mut diagnostic =
            crate::diagnostic::Diagnostic::error(Code::UNDECLARED, span, format!("`{text}` is not declared"));
        if let [only] = path {
            let name = only.name;
            if foreign_words::is_known(name.name.as_str()) {
                diagnostic = foreign_words::advise(diagnostic, name.name.as_str(), name.span);
            } else if let Some(similar) = self.similar(scope, name.name).filter(|_| !self.partial) {
                diagnostic = diagnostic.there_is(name.span, similar.as_str());
            } else {
                diagnostic = diagnostic.may_be_macro(name.name.as_str());
            }
        }
        self.diags.push(diagnostic);
        TypeId::ERROR
    }

    /// What a path leads to where a type must be: members, variables and functions of its name do not hide it.
    pub(super) fn resolve_type_path(&mut self, path: &'a [PathSegment], scope: ScopeId) -> Name<'a> {
        let name = self.resolve_path(path, scope);
        if !matches!(name, Name::Values(..)) {
            return name;
        }
        match self.walk_path(path, scope, true) {
            Name::Missing | Name::Values(..) => name,
            hidden => hidden,
        }
    }

    /// What a path leads to in an expression: a variable hides a struct or enum of its name, as in C++, and in HLSL a function does.
    pub(super) fn resolve_value_path(&mut self, path: &'a [PathSegment], scope: ScopeId) -> Name<'a> {
        if let [only] = path
            && only.args.is_none()
        {
            let mut found = self.lookup(scope, only.name.name);
            let hides = |c: &Self, e: &Entity| match e {
                Entity::Decl(d) => match c.info(*d).what {
                    What::Function(_) => c.language() == Language::Hlsl && !c.in_builtin(),
                    what => what.is_variable(),
                },
                _ => false,
            };
            if found.entities.len() > 1 && found.entities.iter().any(|e| hides(self, e)) {
                found.entities.retain(|e| hides(self, e));
                return Name::Values(found, None);
            }
        }
        self.resolve_path(path, scope)
    }

    /// What a path leads to: a type, if its name is that of a type and of a variable.
    pub(super) fn resolve_path(&mut self, path: &'a [PathSegment], scope: ScopeId) -> Name<'a> {
        match self.walk_path(path, scope, false) {
            // Before `::` a variable hides no namespace, enum or struct.
            Name::Missing if path.len() > 1 => self.walk_path(path, scope, true),
            name => name,
        }
    }

    /// Goes through the segments of a path, of which the first is found among types and namespaces alone, or among all.
    fn walk_path(&mut self, path: &'a [PathSegment], scope: ScopeId, types_alone: bool) -> Name<'a> {
        let mut segments = path.iter();
        let Some(first) = segments.next() else { return Name::Error };
        let mut name = if first.name.name.is_empty() && path.len() > 1 {
            Name::Namespace(self.file_scope(scope))
        } else if let Some(ty) = self.builtin_type(first.name.name)
            && !self.shadowed.contains(&first.name.name)
        {
            Name::Type(ty)
        } else {
            let found = match types_alone {
                true => self.lookup_types(scope, first.name.name),
                false => self.lookup_path_start(scope, first.name.name),
            };
            match (found.entities.is_empty(), self.builtin_type(first.name.name)) {
                (true, Some(ty)) => Name::Type(ty),
                _ => self.name_of(found, first, scope),
            }
        };
        for (index, segment) in segments.enumerate() {
            name = match name {
                Name::Type(TypeId::ERROR) => return Name::Error,
                Name::Type(ty) => {
                    let found = match index {
                        0 => self.members_of_named(ty, segment.name.name, first.name.name, scope),
                        _ => self.type_members(ty, segment.name.name),
                    };
                    self.name_of(found, segment, scope)
                }
                Name::Namespace(inner) => {
                    let found = match self.builtin_type(segment.name.name) {
                        Some(ty) => Found { entities: vec![Entity::Type(ty)], ..Found::default() },
                        None => self.lookup_namespace(inner, segment.name.name),
                    };
                    self.name_of(found, segment, scope)
                }
                Name::Error => return Name::Error,
                Name::Values(found, None) => match self.type_of_value(found, segment.name.span) {
                    Some(ty) => {
                        let found = self.type_members(ty, segment.name.name);
                        self.name_of(found, segment, scope)
                    }
                    None => return Name::Missing,
                },
                _ => return Name::Missing,
            };
        }
        name
    }

    /// The type of the value before a name in `value.Element x;`.
    fn type_of_value(&mut self, found: Found, span: Span) -> Option<TypeId> {
        match self.quiet(|c| c.found_operand(found, None, span)) {
            super::expr::Operand::Value(value) => {
                let ty = self.ty(value);
                Some(self.program.types.get(ty).contents().unwrap_or(ty)).filter(|ty| *ty != TypeId::ERROR)
            }
            _ => None,
        }
    }

    /// The first name of a path. An alias does not see itself: `typedef Foo Foo;` in a namespace names the outer one. The members of
    /// a struct do, which may be of a pointer to it.
    pub(super) fn lookup_path_start(&mut self, scope: ScopeId, name: Symbol) -> Found {
        let found = self.lookup(scope, name);
        if let Some(Entity::Decl(decl)) = found.entities.first()
            && self.active_aliases.last() == Some(decl)
            && !self.is_in_members(scope, self.info(*decl).scope)
            && let Some(outer) = self.at(self.info(*decl).scope).parent
        {
            return self.lookup(outer, name);
        }
        found
    }

    /// Whether a scope is in the members of a struct that is in an outer one.
    fn is_in_members(&self, scope: ScopeId, outer: ScopeId) -> bool {
        let mut inner = self.outward(scope).take_while(|id| *id != outer);
        inner.any(|id| matches!(self.at(id).kind, super::scope::ScopeKind::Members(_)))
    }

    /// `::name` looks in the file, then in the standard library.
    pub(super) fn lookup_namespace(&mut self, scope: ScopeId, name: Symbol) -> Found {
        let found = self.lookup_here(scope, name);
        let is_file = self.sources.iter().any(|s| s.scope == scope);
        if found.entities.is_empty() && is_file { self.lookup(scope, name) } else { found }
    }

    /// The scope of the file around a scope.
    fn file_scope(&self, scope: ScopeId) -> ScopeId {
        let is_file = |id: &ScopeId| self.sources.iter().any(|s| s.scope == *id);
        self.outward(scope).find(is_file).or_else(|| self.outward(scope).last()).unwrap_or(scope)
    }

    /// What found entities are, with the generic arguments of the segment applied to types.
    pub(super) fn name_of(&mut self, found: Found, segment: &'a PathSegment, scope: ScopeId) -> Name<'a> {
        self.name_with(found, segment.args.as_deref(), scope, segment.name.span)
    }

    /// What found entities are without generic arguments.
    pub(super) fn name_of_plain(&mut self, found: Found, scope: ScopeId, span: Span) -> Name<'a> {
        self.name_with(found, None, scope, span)
    }

    fn name_with(&mut self, found: Found, args: Option<&'a [GenericArg]>, scope: ScopeId, span: Span) -> Name<'a> {
        for entity in &found.entities {
            match *entity {
                Entity::Type(ty) => return Name::Type(ty),
                Entity::Generic(generic) => return self.builtin_generic(generic, args, scope, span),
                Entity::Decl(decl) => match self.info(decl).what {
                    What::Struct(_) | What::Alias(_) => return self.named_type(decl, args, scope, span),
                    What::Enum(_) => return Name::Type(self.enum_type(decl)),
                    What::Namespace(scope) => {
                        let namespaces = self.namespaces_among(&found.entities);
                        return Name::Namespace(self.joined(&namespaces).unwrap_or(scope));
                    }
                    What::Interface(_) => return Name::Interface(decl, args),
                    What::Associated(_) => return self.associated_type(decl, span),
                    _ => {}
                },
                _ => {}
            }
        }
        if found.entities.is_empty() { Name::Missing } else { Name::Values(found, args) }
    }

    /// A struct or alias with its arguments.
    fn named_type(&mut self, decl: DeclId, given: Option<&'a [GenericArg]>, scope: ScopeId, span: Span) -> Name<'a> {
        let decl = self.exported_for(decl).unwrap_or(decl);
        let generics = match self.info(decl).what {
            What::Struct(s) => s.generics.as_ref(),
            What::Alias(a) => a.generics.as_ref(),
            _ => None,
        };
        let args = match (generics, given) {
            (None, None) => Vec::new(),
            (None, Some(_)) => {
                let name = self.info(decl).name;
                self.error(Code::GENERIC_ARGUMENTS, span, format!("`{name}` takes no generic arguments"));
                return Name::Error;
            }
            (Some(generics), given) => {
                if given.is_none() && generics.params.iter().any(|p| !super::generic::has_default(p)) {
                    return match self.enclosing_instance(decl, scope) {
                        Some(ty) => Name::Type(ty),
                        None => Name::Generic(decl),
                    };
                }
                match self.explicit_args(decl, generics, given.unwrap_or(&[]), scope, span) {
                    Some(args) => args,
                    None => return Name::Error,
                }
            }
        };
        let ty = match self.info(decl).what {
            What::Struct(_) => self.instantiate_struct(decl, args, span),
            _ => {
                if !span.file.is_library() {
                    self.alias_uses.insert((span.file, span.start), (span, decl));
                }
                self.alias_type(decl, args, span)
            }
        };
        if ty == TypeId::ERROR { Name::Error } else { Name::Type(ty) }
    }

    /// Inside of a generic struct its bare name is the instance at hand.
    fn enclosing_instance(&self, decl: DeclId, scope: ScopeId) -> Option<TypeId> {
        let mut owners = self.outward(scope).filter_map(|id| match self.at(id).kind {
            super::scope::ScopeKind::Members(ty) => Some(ty),
            super::scope::ScopeKind::Plain => None,
        });
        owners.find(|ty| self.structs.instance(*ty).is_some_and(|i| i.decl == decl))
    }

    fn builtin_generic(
        &mut self,
        generic: BuiltinGeneric,
        args: Option<&'a [GenericArg]>,
        scope: ScopeId,
        span: Span,
    ) -> Name<'a> {
        let args = args.unwrap_or(&[]);
        let element = match args.first() {
            Some(arg) => match self.type_arg(arg, scope) {
                TypeId::ERROR => return Name::Error,
                ty => ty,
            },
            None if matches!(generic, BuiltinGeneric::Vector | BuiltinGeneric::Matrix) => TypeId::FLOAT,
            None => {
                self.error(Code::GENERIC_ARGUMENTS, span, "this type needs generic arguments");
                return Name::Error;
            }
        };
        if generic == BuiltinGeneric::Pointer {
            return self.pointer_type(element, args.get(3), scope, span);
        }
        let mut numbers = Vec::new();
        for arg in args.get(1..).unwrap_or(&[]) {
            match self.value_arg(arg, scope) {
                Some(n) => numbers.push(n),
                None => return Name::Error,
            }
        }
        match self.builtin_instance(generic, element, &numbers, span) {
            TypeId::ERROR => Name::Error,
            ty => Name::Type(ty),
        }
    }

    /// A pointer to device memory, where a type may name the layout of what lies there.
    fn pointer_type(
        &mut self,
        element: TypeId,
        layout: Option<&'a GenericArg>,
        scope: ScopeId,
        span: Span,
    ) -> Name<'a> {
        let ty = layout.map(|arg| self.type_arg(arg, scope));
        match super::objects::data_layout(&self.program.types, ty) {
            Ok(layout) => Name::Type(self.program.types.intern(Type::Pointer(element, AddressSpace::Device(layout)))),
            Err(message) => {
                self.error(Code::GENERIC_ARGUMENTS, span, message);
                Name::Error
            }
        }
    }

    /// `vector<T, N>` and its like with checked arguments.
    pub(super) fn builtin_instance(
        &mut self,
        generic: BuiltinGeneric,
        element: TypeId,
        numbers: &[i64],
        span: Span,
    ) -> TypeId {
        let scalar = match self.program.types.get(element) {
            Type::Scalar(s) => Some(s),
            Type::Vector(s, 1) => Some(s),
            _ => None,
        };
        let size = |i: usize| numbers.get(i).copied().unwrap_or(4);
        match (generic, scalar) {
            (BuiltinGeneric::Array, _) => self.array_type(element, numbers.first().copied(), span),
            (BuiltinGeneric::Pointer, _) => {
                self.program.types.intern(Type::Pointer(element, AddressSpace::Device(DataLayout::Default)))
            }
            // The standard library does not tell `vector<T, 1>` from `T`.
            (BuiltinGeneric::Vector, Some(s)) if size(0) == 1 && self.in_builtin() => self.program.types.scalar(s),
            (BuiltinGeneric::Vector, Some(s)) if (1..=4).contains(&size(0)) => {
                self.program.types.vector(s, size(0) as u8)
            }
            (BuiltinGeneric::Matrix, Some(s)) if (1..=4).contains(&size(0)) && (1..=4).contains(&size(1)) => {
                self.program.types.matrix(s, size(0) as u8, size(1) as u8)
            }
            (_, None) => {
                let text = self.type_text(element);
                self.type_error(Code::GENERIC_ARGUMENTS, span, format!("`{text}` cannot be a component type"))
            }
            _ => self.type_error(Code::GENERIC_ARGUMENTS, span, "vectors and matrices have 1 to 4 components a side"),
        }
    }

    /// The type of an enum declaration.
    pub(super) fn enum_type(&mut self, decl: DeclId) -> TypeId {
        match self.enums.get(&decl) {
            Some(ty) => *ty,
            None => self.lasting(|c| c.make_enum(decl)),
        }
    }

    fn make_enum(&mut self, decl: DeclId) -> TypeId {
        let info = self.info(decl);
        let What::Enum(e) = info.what else { return TypeId::ERROR };
        let tag = match &e.tag {
            Some(tag) => {
                let ty = self.resolve_type(tag, info.scope);
                match self.program.types.get(ty) {
                    Type::Scalar(scalar) if scalar.is_integer() || scalar == Scalar::Bool => scalar,
                    Type::Error => Scalar::I32,
                    _ => {
                        let message = format!("an enum is of integers, not of `{}`", self.type_text(ty));
                        self.error(Code::TYPE_MISMATCH, tag.span, message);
                        Scalar::I32
                    }
                }
            }
            None => Scalar::I32,
        };
        let comments = info.ast.map(|d| d.comments.clone()).unwrap_or_default();
        let (name, span) = (info.name, info.span);
        let language = self.sources.get(self.info(decl).source as usize).map(|s| s.language);
        let scoped = info.ast.is_some_and(|ast| super::decl::hides_cases(ast, e, language));
        let made = Enum { name, tag, scoped, strict: e.scoped, qualified: false, cases: Vec::new(), comments, span };
        let id = self.program.enums.push(made);
        self.enum_decls.push(decl);
        let ty = self.program.types.intern(Type::Enum(id));
        self.enums.insert(decl, ty);
        // Values may name earlier cases without the enum's name.
        let scope = self.scope(Some(info.scope), super::scope::ScopeKind::Plain);
        for case in self.enum_cases.get(&decl).cloned().unwrap_or_default() {
            let name = self.info(case).name;
            self.bind(scope, name, Entity::Decl(case));
        }
        let flags = info.attribute("Flags").is_some();
        let mut next: i64 = i64::from(flags);
        for (name, value, comments) in &e.cases {
            let before = self.number_names.len();
            let given = value.as_ref().and_then(|v| self.constant_int(v, scope));
            let names: KnownNames =
                self.number_names.iter().skip(before).map(|(span, name)| (*span, Some(*name))).collect();
            let known = given.zip(value.as_ref());
            let written = known.and_then(|known| written_numbers::case_value(&self.program, id, &names, known));
            let value = given.unwrap_or(next);
            next = match (flags, value) {
                // The bit after none is the first.
                (true, 0) => 1,
                (true, _) => value.wrapping_mul(2),
                (false, _) => value.wrapping_add(1),
            };
            let (span, comments, name) = (name.span, comments.clone(), name.name);
            self.program.enums[id].cases.push(EnumCase { name, value, written, comments, span });
        }
        ty
    }

    /// Text of a type for messages and names.
    pub(super) fn type_text(&self, ty: TypeId) -> String {
        let list = |name: &str, inner: TypeId| format!("{name}<{}>", self.type_text(inner));
        match self.program.types.get(ty) {
            Type::Void => "void".into(),
            Type::Error => "?".into(),
            Type::Scalar(s) => s.name().into(),
            Type::Vector(s, n) => format!("{}{n}", s.name()),
            Type::Matrix(s, r, c) => format!("{}{r}x{c}", s.name()),
            Type::Array(element, n) => {
                let mut sizes = format!("[{}]", self.program.length_text(n));
                let mut inner = element;
                while let Type::Array(element, n) = self.program.types.get(inner) {
                    sizes.push_str(&format!("[{}]", self.program.length_text(n)));
                    inner = element;
                }
                format!("{}{sizes}", self.type_text(inner))
            }
            Type::Struct(id) if self.program.structs[id].name.is_empty() => "unnamed struct".into(),
            Type::Struct(id) => self.program.structs[id].name.as_str().into(),
            Type::Enum(id) => self.program.enums[id].name.as_str().into(),
            Type::Pointer(inner, space) if space.data_layout() != DataLayout::Default => {
                format!("LayoutPtr<{}{}>", self.type_text(inner), space.data_layout().argument())
            }
            Type::Pointer(inner, _) => format!("{}*", self.type_text(inner)),
            Type::ConstantBuffer(t, layout) => format!("ConstantBuffer<{}{}>", self.type_text(t), layout.argument()),
            Type::TextureBuffer(t) => list("TextureBuffer", t),
            Type::ParameterBlock(t) => list("ParameterBlock", t),
            Type::Text => "String".into(),
            Type::Handle(t) => list("DescriptorHandle", t),
            Type::HeapElement(false) => "ResourceDescriptorHeap[]".into(),
            Type::HeapElement(true) => "SamplerDescriptorHeap[]".into(),
            Type::DynamicResource(false) => "__DynamicResource".into(),
            Type::DynamicResource(true) => "__DynamicResource<__DynamicResourceKind.Sampler>".into(),
            Type::Opaque(name) => name.as_str().into(),
            other => self.object_text(ty, other),
        }
    }

    /// Types of the standard library: by the alias with these arguments if there is one.
    fn object_text(&self, ty: TypeId, other: Type) -> String {
        let element = match other {
            Type::Texture(t) => Some(t.element),
            Type::Buffer(_, _, e) | Type::Stream(_, e) | Type::Patch(_, e, _) | Type::SubpassInput(e, _) => Some(e),
            Type::MeshOutput(_, e, _) => Some(e),
            _ => None,
        };
        #[expect(clippy::disallowed_methods, reason = "they are sorted")]
        let mut names: Vec<&str> =
            self.aliases.iter().filter(|(_, t)| **t == ty).map(|((d, _), _)| self.info(*d).name.as_str()).collect();
        // What is not for users comes last.
        names.sort_unstable_by_key(|n| (n.len() - n.trim_start_matches('_').len(), n.len(), *n));
        let name = match (names.first(), self.structs.instance(ty)) {
            (Some(name), _) => (*name).to_owned(),
            (None, Some(instance)) => self.info(instance.decl).name.as_str().to_owned(),
            _ => "object".to_owned(),
        };
        let layout = match other {
            Type::Buffer(kind, ..) => kind.data_layout().argument(),
            _ => String::new(),
        };
        match element {
            Some(e) => format!("{name}<{}{layout}>", self.type_text(e)),
            None => name,
        }
    }
}

/// The path as written, without generic arguments.
pub(super) fn path_text(path: &[PathSegment]) -> String {
    let parts: Vec<&str> = path.iter().map(|s| s.name.name.as_str()).collect();
    parts.join("::")
}

fn builtin_type(name: &str) -> Option<Type> {
    if name == "void" {
        return Some(Type::Void);
    }
    let scalar = |text: &str| Scalar::NAMES.iter().chain(SCALAR_ALIASES).find(|(n, _)| *n == text).map(|(_, s)| *s);
    if let Some(s) = scalar(name) {
        return Some(Type::Scalar(s));
    }
    let digit = |b: u8| (b'1'..=b'4').contains(&b).then(|| b - b'0');
    let (rest, last) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let last = digit(*last.as_bytes().first()?)?;
    if let Some(s) = scalar(rest) {
        return Some(Type::Vector(s, last));
    }
    let rest = rest.strip_suffix('x')?;
    let (rest, rows) = rest.split_at_checked(rest.len().checked_sub(1)?)?;
    Some(Type::Matrix(scalar(rest)?, digit(*rows.as_bytes().first()?)?, last))
}

/// The keywords written at a type itself, such as `row_major` or `unorm`, outermost first.
pub(super) fn type_words(ty: &TypeExpr) -> Vec<Symbol> {
    match &ty.kind {
        TypeKind::Modified(words, inner) => {
            let mut list: Vec<Symbol> = words.iter().map(|w| w.name).collect();
            list.extend(type_words(inner));
            list
        }
        TypeKind::Array(inner, _) => type_words(inner),
        _ => Vec::new(),
    }
}

/// `unorm` and `snorm` at what a resource holds: `RWTexture2D<unorm float4>`.
pub(super) fn element_modifiers(ty: &TypeExpr) -> Modifiers {
    let mut modifiers = Modifiers::default();
    match &ty.kind {
        TypeKind::Modified(_, inner) | TypeKind::Array(inner, _) => return element_modifiers(inner),
        TypeKind::Path(path) => {
            let first = path.last().and_then(|segment| segment.args.as_ref()).and_then(|args| args.first());
            let words = match first {
                Some(GenericArg::Type(element)) => type_words(element),
                _ => Vec::new(),
            };
            for (word, bit) in
                Modifiers::TABLE.iter().filter(|(_, bit)| [Modifiers::UNORM, Modifiers::SNORM].contains(bit))
            {
                if words.iter().any(|w| *w == **word) {
                    modifiers.set(*bit);
                }
            }
        }
        _ => {}
    }
    modifiers
}

/// Modifier bits of keywords and of keywords at the type.
pub(super) fn modifiers_of(decl: &ast::Decl, ty: &TypeExpr) -> Modifiers {
    let mut modifiers = Modifiers::default();
    let at_type = type_words(ty);
    for word in decl.modifiers.iter().map(|m| m.name).chain(at_type) {
        if let Some((_, bit)) = Modifiers::TABLE.iter().find(|(w, _)| word == **w) {
            modifiers.set(*bit);
        }
    }
    // What is read at vertices is not interpolated.
    if modifiers.has(Modifiers::PERVERTEX) {
        modifiers.set(Modifiers::NOINTERPOLATION);
    }
    modifiers.settle_interpolation();
    modifiers
}

/// The storage order that some words say.
fn order_of_words(words: &[Symbol], row: &str, column: &str) -> Option<MatrixOrder> {
    words.iter().find_map(|word| match word.as_str() {
        w if w == row => Some(MatrixOrder::Row),
        w if w == column => Some(MatrixOrder::Column),
        _ => None,
    })
}

/// `row_major` or `column_major` at a type: at itself and its arrays, or at what a buffer of it holds.
fn written_order(ty: &TypeExpr, held: bool) -> Option<MatrixOrder> {
    let mut inner = ty;
    while let TypeKind::Array(element, _) | TypeKind::Modified(_, element) = &inner.kind {
        inner = element;
    }
    let words = match &inner.kind {
        _ if !held => type_words(ty),
        TypeKind::Path(path) => match path.last().and_then(|s| s.args.as_ref()).and_then(|args| args.first()) {
            // `ConstantBuffer<row_major float3x3>`
            Some(ast::GenericArg::Type(held)) => type_words(held),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    order_of_words(&words, "row_major", "column_major")
}

impl<'a> Checker<'a> {
    /// The storage order of a variable: written at it, at an alias that its type names, or by pragma. It is that of matrices
    /// and their arrays, or at its type of matrices in a buffer; the fields of a struct have their own.
    pub(super) fn matrix_order(
        &mut self,
        decl: &'a ast::Decl,
        var: &'a ast::VarDecl,
        resolved: TypeId,
        scope: ScopeId,
    ) -> Option<MatrixOrder> {
        let types = &self.program.types;
        let own = types.innermost(resolved);
        let held = types.get(own).element().filter(|_| types.get(own).is_resource());
        let is_matrix = |ty| matches!(types.get(types.innermost(ty)), Type::Matrix(..));
        let in_buffer = held.is_some_and(is_matrix);
        if !(is_matrix(own) || in_buffer) {
            return None;
        }
        let words: Vec<Symbol> = decl.modifiers.iter().map(|m| m.name).collect();
        let at_declaration = order_of_words(&words, "row_major", "column_major").filter(|_| !in_buffer);
        let written = at_declaration.or_else(|| written_order(&var.ty, in_buffer));
        let is_array = own != resolved;
        let written = written.filter(|_| in_buffer || !is_array || self.options.matrix_order_on_arrays);
        let pragma = order_of_words(&words, "__pack_row_major", "__pack_column_major");
        let pragma = pragma.filter(|_| self.options.pack_matrix);
        written.or_else(|| self.alias_order(&var.ty, in_buffer, scope, 0)).or(pragma)
    }

    /// The storage order that is written at a function whose result is a matrix.
    pub(super) fn result_order(&self, info: &DeclInfo<'a>, result: TypeId) -> Option<MatrixOrder> {
        let words: Vec<Symbol> = info.ast.iter().flat_map(|ast| &ast.modifiers).map(|m| m.name).collect();
        let is_matrix = matches!(self.program.types.get(result), Type::Matrix(..));
        order_of_words(&words, "row_major", "column_major").filter(|_| is_matrix)
    }

    /// The storage order that an alias says, which a type or what its buffer holds names.
    fn alias_order(&mut self, ty: &'a TypeExpr, held: bool, scope: ScopeId, depth: u32) -> Option<MatrixOrder> {
        match &ty.kind {
            TypeKind::Array(inner, _) | TypeKind::Modified(_, inner) => self.alias_order(inner, held, scope, depth),
            TypeKind::Path(path) if depth < 16 => {
                let [only] = path.as_slice() else { return None };
                if let Some(ast::GenericArg::Type(inner)) = only.args.as_ref().and_then(|args| args.first())
                    && held
                {
                    return self.alias_order(inner, false, scope, depth + 1);
                }
                if self.builtin_type(only.name.name).is_some() {
                    return None;
                }
                let found = self.lookup(scope, only.name.name);
                let Some(Entity::Decl(decl)) = found.entities.first().copied() else { return None };
                let info = self.info(decl);
                let (What::Alias(alias), Some(ast)) = (info.what, info.ast) else { return None };
                let words: Vec<Symbol> = ast.modifiers.iter().map(|m| m.name).collect();
                let written = order_of_words(&words, "row_major", "column_major").filter(|_| !held);
                written
                    .or_else(|| written_order(&alias.target, held))
                    .or_else(|| self.alias_order(&alias.target, held, info.scope, depth + 1))
            }
            _ => None,
        }
    }
}
