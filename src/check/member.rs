//! Members, elements, swizzles, and what can be assigned to.

use super::constant::Value;
use super::convert::LiteralKind;
use super::expr::{Operand, decl_of, function_decls};
use super::function::{ParamSignature, WHOLE};
use super::overload::{CallArg, Candidates, Overloads};
use super::scope::{DeclId, What};
use super::{Arg, Checker, convert, foreign_words, swizzle};
use crate::ast::{self, Ident, PathSegment};
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::{Symbol, nearest};
use crate::tree::{
    Access, BufferKind, ExprId, ExprKind, FunctionId, GlobalKind, Id, Length, Literal, Modifiers, ParamMode, Property,
    Scalar, Type, TypeId,
};

impl<'a> Checker<'a> {
    /// `base.member`.
    pub(super) fn member_operand(&mut self, base: &'a ast::Expr, segment: &'a PathSegment, span: Span) -> Operand<'a> {
        let operand = self.holder(base);
        self.member_of_operand(operand, base, segment, span)
    }

    /// What has a member: an associated type of a value of an interface is one of its values.
    fn holder(&mut self, base: &'a ast::Expr) -> Operand<'a> {
        let ast::ExprKind::Member(object, segment) = &base.kind else { return self.operand(base) };
        let operand = self.deeper(base.span, |c| {
            let operand = c.holder(object);
            let name = segment.name.name;
            let associated = match operand {
                Operand::Value(value) => c.associated_value(value, name, base.span),
                Operand::Type(ty) => {
                    c.value_of_dynamic_type(ty, base.span).and_then(|v| c.associated_value(v, name, base.span))
                }
                _ => None,
            };
            match associated {
                Some(value) => Operand::Value(value),
                None => c.member_of_operand(operand, object, segment, base.span),
            }
        });
        operand.unwrap_or(Operand::Error)
    }

    fn member_of_operand(
        &mut self,
        operand: Operand<'a>,
        base: &'a ast::Expr,
        segment: &'a PathSegment,
        span: Span,
    ) -> Operand<'a> {
        match operand {
            Operand::Value(value) => self.member_of(value, segment, span),
            Operand::Type(ty) => self.member_of_type(ty, written_name(base), segment, span),
            Operand::Namespace(scope) => {
                let found = self.lookup_here(scope, segment.name.name);
                match self.name_of(found, segment, self.cx.scope) {
                    super::types::Name::Missing => {
                        let Ident { name, span } = segment.name;
                        self.operand_error(Code::UNDECLARED, span, format!("`{name}` is not declared there"))
                    }
                    name => self.name_operand(name, span),
                }
            }
            Operand::Error => Operand::Error,
            other => {
                self.value(other, base.span);
                Operand::Error
            }
        }
    }

    /// `object.Base::`: an object as one of its bases, whose members are meant.
    pub(super) fn qualified_operand(
        &mut self,
        object: &'a ast::Expr,
        base: &'a [PathSegment],
        span: Span,
    ) -> Operand<'a> {
        let value = self.expr(object);
        let value = self.plain(value);
        let ty = self.ty(value);
        if ty == TypeId::ERROR {
            return Operand::Error;
        }
        if let [only] = base
            && let Some(associated) = self.associated_value(value, only.name.name, span)
        {
            return Operand::Value(associated);
        }
        let known = match base {
            [only] if only.args.is_none() => self.base_named(ty, only.name.name),
            _ => None,
        };
        let wanted = match known {
            Some(base) => base,
            None => match self.path_operand(base, span) {
                Operand::Type(wanted) => wanted,
                Operand::Error => return Operand::Error,
                _ => TypeId::ERROR,
            },
        };
        match self.upcast(value, wanted) {
            Some(part) => Operand::Value(part),
            None => {
                let name = base.last().map_or(Symbol::new(""), |s| s.name.name);
                let text = self.type_text(ty);
                self.operand_error(Code::NO_MEMBER, span, format!("`{text}` has no base `{name}`"))
            }
        }
    }

    /// The type, or the base of it, that has a name: in an object it is known wherever it is declared.
    fn base_named(&self, ty: TypeId, name: Symbol) -> Option<TypeId> {
        let bases = std::iter::successors(Some(ty), |ty| self.structs.instance(*ty)?.base);
        let is_named = |ty: &TypeId| self.structs.instance(*ty).is_some_and(|i| self.info(i.decl).name == name);
        bases.take(super::MAX_BASES as usize).find(is_named)
    }

    /// A member of a type.
    fn member_of_type(
        &mut self,
        ty: TypeId,
        written: Option<Symbol>,
        segment: &'a PathSegment,
        span: Span,
    ) -> Operand<'a> {
        let name = segment.name.name;
        let found = match written {
            Some(written) => self.members_of_named(ty, name, written, self.cx.scope),
            None => self.type_members(ty, name),
        };
        if found.entities.is_empty() {
            self.no_member(ty, segment.name);
            return Operand::Error;
        }
        let name = self.name_of(found, segment, self.cx.scope);
        self.name_operand(name, span)
    }

    /// A member of a value.
    pub(super) fn member_of(&mut self, value: ExprId, segment: &'a PathSegment, span: Span) -> Operand<'a> {
        let ty = self.ty(value);
        let name = segment.name.name;
        if ty == TypeId::ERROR {
            return Operand::Error;
        }
        let entities = self.members_of_value(value, ty, name);
        if let Some(decl) = entities.iter().copied().find_map(decl_of) {
            return match self.info(decl).what {
                What::Function(_) => {
                    let decls = function_decls(self, &entities);
                    Operand::Functions(Overloads::of(decls), Some(value), segment.args.as_deref())
                }
                What::Field(..) | What::Property(_) => {
                    let owner = self.info(decl).owner.unwrap_or(ty);
                    match self.receiver(value, owner) {
                        Some(this) => self.member_value(decl, Some(this), span),
                        None => Operand::Error,
                    }
                }
                _ => {
                    let found = super::scope::Found { entities, member_of: Some(ty), ..Default::default() };
                    let name = self.name_of(found, segment, self.cx.scope);
                    self.name_operand(name, span)
                }
            };
        }
        if let Some(selection) = self.tuple_selection(value, segment.name, span) {
            return selection;
        }
        match self.program.types.get(ty) {
            Type::ConstantBuffer(e, _) | Type::TextureBuffer(e) | Type::ParameterBlock(e) => {
                let contents = self.cx.body.exprs.contents(value, e, span);
                self.member_of(contents, segment, span)
            }
            Type::Buffer(BufferKind::Block(_), _, e) => {
                let zero = self.push(ExprKind::Literal(Literal::Int(0), None), TypeId::INT, span);
                let contents = self.push(ExprKind::Index(value, zero), e, span);
                self.member_of(contents, segment, span)
            }
            Type::Pointer(to, _) => {
                let inner = self.push(ExprKind::Deref(value), to, span);
                if name == self.words.get && self.members_of_value(inner, to, name).is_empty() {
                    return Operand::Place(inner);
                }
                self.member_of(inner, segment, span)
            }
            Type::Handle(to) => {
                let resource = self.convert(value, to, false);
                self.member_of(resource, segment, span)
            }
            // A case, which is the same for all values.
            Type::Enum(_) => self.member_of_type(ty, None, segment, span),
            Type::Scalar(s) => self.select(value, s, 1, segment.name, span),
            Type::Vector(s, n) => self.select(value, s, n, segment.name, span),
            Type::Matrix(s, r, c) => self.matrix_select(value, s, (r, c), segment.name, span),
            // HLSL 2016.
            Type::Array(_, Length::Fixed(count)) if self.language() == Language::Hlsl && name == *"Length" => {
                Operand::Value(self.push(ExprKind::Literal(Literal::Int(count.into()), None), TypeId::UINT, span))
            }
            _ => {
                self.no_member(ty, segment.name);
                Operand::Error
            }
        }
    }

    fn no_member(&mut self, ty: TypeId, name: ast::Ident) {
        if self.absent(name.name, name.span) {
            return;
        }
        let text = self.type_text(ty);
        let mut diagnostic =
            Diagnostic::error(Code::NO_MEMBER, name.span, format!("`{text}` has no member `{}`", name.name));
        if matches!(self.program.types.get(ty), Type::Vector(..))
            && let Some(here) = foreign_words::components(name.name.as_str())
        {
            let note = format!("`{}` of GLSL is `{here}` here", name.name);
            diagnostic = diagnostic.note(note).suggest(name.span, &here);
        }
        if let Some(instance) = self.structs.instance(ty) {
            let scope = instance.scope;
            let mut names: Vec<&str> = self.at(scope).order.iter().map(|d| self.info(*d).name.as_str()).collect();
            names.dedup();
            names.retain(|n| !n.starts_with("__"));
            if let Some(similar) = nearest(name.name.as_str(), names.iter().copied()) {
                diagnostic = diagnostic.there_is(name.span, similar);
            }
            names.truncate(12);
            if !names.is_empty() {
                diagnostic = diagnostic.note(format!("its members: {}", names.join(", ")));
            }
        }
        if diagnostic.suggestion.is_none()
            && let Some(similar) = self.similar_of_extensions(ty, name.name)
        {
            diagnostic = diagnostic.there_is(name.span, similar.as_str());
        }
        self.diags.push(diagnostic);
    }

    /// The member of an extension of a type that a name is probably meant to be: `Sample` of textures.
    fn similar_of_extensions(&mut self, ty: TypeId, name: Symbol) -> Option<Symbol> {
        let is_near =
            |known: &Symbol| !known.as_str().starts_with("__") && nearest(name.as_str(), [known.as_str()]).is_some();
        let mut near = self.extension_names(ty);
        near.retain(is_near);
        near.retain(|known| !self.members(ty, *known).is_empty());
        let best = nearest(name.as_str(), near.iter().map(|known| known.as_str()))?;
        near.iter().copied().find(|known| known.as_str() == best)
    }

    fn select(&mut self, value: ExprId, scalar: Scalar, length: u8, name: ast::Ident, span: Span) -> Operand<'a> {
        let read = swizzle::vector(name.name.as_str(), length);
        let Some(swizzle) = self.components(value, name, read) else { return Operand::Error };
        // The one component of a scalar is the scalar, also where a place is meant.
        if swizzle.len == 1 && matches!(self.program.types.get(self.ty(value)), Type::Scalar(_)) {
            return Operand::Value(value);
        }
        let ty = self.scalar_or_vector(scalar, swizzle.len);
        Operand::Value(self.push(ExprKind::Swizzle(value, swizzle), ty, span))
    }

    /// The components that a name selects, or an error: that it selects none, or how it is wrong.
    fn components<T, M: Into<String>>(
        &mut self,
        value: ExprId,
        name: ast::Ident,
        read: Option<Result<T, M>>,
    ) -> Option<T> {
        match read {
            None => {
                let ty = self.ty(value);
                self.no_member(ty, name);
                None
            }
            Some(Err(message)) => {
                self.error(Code::NO_MEMBER, name.span, message);
                None
            }
            Some(Ok(components)) => Some(components),
        }
    }

    fn scalar_or_vector(&mut self, scalar: Scalar, length: u8) -> TypeId {
        match length {
            1 => self.program.types.scalar(scalar),
            n => self.program.types.vector(scalar, n),
        }
    }

    fn matrix_select(
        &mut self,
        value: ExprId,
        scalar: Scalar,
        (rows, columns): (u8, u8),
        name: ast::Ident,
        span: Span,
    ) -> Operand<'a> {
        let read = swizzle::matrix(name.name.as_str(), rows, columns);
        let Some(list) = self.components(value, name, read) else { return Operand::Error };
        let ty = self.scalar_or_vector(scalar, list.len() as u8);
        Operand::Value(self.push(ExprKind::MatrixSwizzle(value, list), ty, span))
    }

    /// A field, of whose type there is something to know.
    pub(super) fn field_value(&mut self, object: ExprId, index: u32, ty: TypeId, span: Span) -> Operand<'a> {
        let innermost = self.program.types.innermost(ty);
        if self.structs.undefined.contains(&innermost) {
            self.report_undefined(&self.type_text(innermost), span);
            return Operand::Error;
        }
        Operand::Value(self.push(ExprKind::Field(object, index), ty, span))
    }

    /// A field or property of an object that is of the type that declares it.
    pub(super) fn member_value(&mut self, decl: DeclId, this: Option<ExprId>, span: Span) -> Operand<'a> {
        let info = self.info(decl);
        match info.what {
            What::Field(_, index) => {
                let Some(this) = this else { return Operand::Error };
                let ty = match self.program.types.get(self.ty(this)) {
                    Type::Struct(id) => self.program.structs[id].fields.get(index as usize).map(|f| f.ty),
                    _ => None,
                };
                match ty {
                    Some(ty) => self.field_value(this, index, ty, span),
                    None => {
                        let name = info.name;
                        self.operand_error(Code::RECURSION, span, format!("`{name}` is used before its type is known"))
                    }
                }
            }
            What::Property(_) => Operand::Value(self.property(decl, this, Vec::new(), Vec::new(), span)),
            _ => Operand::Error,
        }
    }

    /// An access through accessors. `args` are index arguments, converted.
    fn property(
        &mut self,
        decl: DeclId,
        this: Option<ExprId>,
        args: Vec<ExprId>,
        generic: Vec<super::Arg>,
        span: Span,
    ) -> ExprId {
        let info = self.info(decl);
        let (What::Property(p) | What::Subscript(p)) = info.what else { return self.error_value(span) };
        let mut property = Property { args: Vec::new(), get: None, set: None, reference: None };
        property.args.extend(this);
        property.args.extend(args);
        let mut ty = TypeId::ERROR;
        for (index, accessor) in p.accessors.iter().enumerate() {
            let Some(instance) = self.instance(decl, index as u32, generic.clone()) else { continue };
            let function = self.function(instance);
            match accessor.name.name.as_str() {
                "set" => property.set = Some(function),
                accessor => {
                    let read = if accessor == "ref" { &mut property.reference } else { &mut property.get };
                    *read = Some(function);
                    ty = self.functions.get(instance).signature.result;
                }
            }
        }
        if ty == TypeId::ERROR {
            ty = self.resolve_type(&p.ty, info.scope);
        }
        self.push(ExprKind::Property(Box::new(property)), ty, span)
    }

    // ---- Elements ----

    /// `base[indices]`.
    pub(super) fn index_expr(&mut self, base: &'a ast::Expr, indices: &'a [ast::Expr], span: Span) -> ExprId {
        let base = self.expr(base);
        let args = self.call_args(indices);
        self.index(base, &args, span)
    }

    pub(super) fn index(&mut self, base: ExprId, args: &[CallArg<'a>], span: Span) -> ExprId {
        let base = self.text_as_array(base).unwrap_or(base);
        let ty = self.ty(base);
        if ty == TypeId::ERROR {
            return base;
        }
        let direct = matches!(
            self.program.types.get(ty),
            Type::Array(..)
                | Type::Vector(..)
                | Type::Matrix(..)
                | Type::Buffer(BufferKind::Structured(_) | BufferKind::Block(_), ..)
                | Type::Patch(..)
                | Type::Pointer(..)
        );
        if !direct && let Some(value) = self.subscript(base, ty, args, span) {
            return value;
        }
        let builtin = self.in_builtin();
        let types = &mut self.program.types;
        let element = match types.get(ty) {
            Type::Array(e, _) | Type::Patch(_, e, _) | Type::MeshOutput(_, e, _) | Type::Pointer(e, _) => Some(e),
            Type::Buffer(BufferKind::Structured(_) | BufferKind::Typed | BufferKind::Block(_), _, e) => Some(e),
            // Bodies of the library see words, counters and the elements behind appending and consuming.
            Type::Buffer(_, _, e) if builtin => Some(e),
            Type::Vector(s, _) => Some(types.scalar(s)),
            // The library does not tell a vector of one component from a scalar.
            Type::Scalar(_) if builtin => return base,
            Type::Matrix(s, _, c) => Some(types.vector(s, c)),
            Type::ConstantBuffer(e, _) | Type::TextureBuffer(e) | Type::ParameterBlock(e) => {
                let contents = self.cx.body.exprs.contents(base, e, span);
                return self.index(contents, args, span);
            }
            Type::Handle(to) => {
                let resource = self.convert(base, to, false);
                return self.index(resource, args, span);
            }
            _ => None,
        };
        let Some(element) = element else {
            if let Some(result) = self.call_member_operator(base, "operator[]", args, span) {
                return result;
            }
            let text = self.type_text(ty);
            return self.error_at(Code::BAD_SUBSCRIPT, span, format!("`{text}` cannot be indexed"));
        };
        let [only] = args else {
            return self.error_at(Code::BAD_SUBSCRIPT, span, "one index is needed here");
        };
        let super::overload::ArgKind::Value(index, ..) = only.kind else {
            return self.error_at(Code::BAD_SUBSCRIPT, only.span, "an index must be an integer");
        };
        let Some(index) = self.index_value(index) else { return self.error_value(span) };
        if matches!(self.program.types.get(ty), Type::Pointer(..)) && self.is_unsized(element) {
            // It is all there is at the address.
            return match self.known_value(index).ok().and_then(|value| value.int()) {
                Some(0) => self.push(ExprKind::Deref(base), element, span),
                _ => self.unsized_elements(element, span),
            };
        }
        if matches!(self.program.types.get(ty), Type::Buffer(BufferKind::Block(_), ..))
            && self.known_value(index).ok().and_then(|value| value.int()) != Some(0)
        {
            return self.error_at(Code::BAD_SUBSCRIPT, span, "a storage block is one struct and has no elements");
        }
        // In Slang an array may have no elements: what a generic does with them is never done.
        let is_empty = self.program.types.index_count(ty) == Some(0) && !self.program.has_no_copies(element);
        if self.language() == Language::Slang && is_empty {
            let none = self.temporary("none", element, span);
            return self.push(ExprKind::Local(none), element, span);
        }
        let index = self.index_of_buffer(ty, index);
        self.check_constant_index(ty, index);
        self.push(ExprKind::Index(base, index), element, span)
    }

    /// An index as an integer: integers stay as they are, others become `int`.
    fn index_value(&mut self, index: ExprId) -> Option<ExprId> {
        let index = self.plain(index);
        let ty = self.ty(index);
        match self.program.types.get(ty) {
            Type::Error => None,
            // No more is indexed than 32 bits count, and not all targets take an index of more.
            Type::Scalar(s) if s.is_integer() && s.size() == 8 => {
                let large = |n: i64| n > i32::MAX.into();
                let is_large = self.known_value(index).ok().and_then(|v| v.int()).is_some_and(large);
                let to = if s.is_unsigned() || is_large { TypeId::UINT } else { TypeId::INT };
                Some(self.marked_index(index, to).unwrap_or_else(|| self.convert(index, to, true)))
            }
            Type::Scalar(s) if s.is_integer() => Some(index),
            Type::Scalar(s) if s.is_float() && self.is_no_index(index) => None,
            _ => {
                if convert::rank(&self.program, ty, TypeId::INT, LiteralKind::None).is_some() {
                    let to = match self.program.types.component(ty) {
                        Some(s) if s.is_unsigned() => TypeId::UINT,
                        _ => TypeId::INT,
                    };
                    return Some(self.convert(index, to, false));
                }
                let (text, span) = (self.type_text(ty), self.span(index));
                self.error(Code::BAD_SUBSCRIPT, span, format!("an index must be an integer, not `{text}`"));
                None
            }
        }
    }

    /// `NonUniformResourceIndex(i)` of a number that is converted: the mark is of what it is converted to.
    fn marked_index(&mut self, index: ExprId, to: TypeId) -> Option<ExprId> {
        let ExprKind::Call(function, args) = self.kind(index) else { return None };
        let (function, number, span) = (*function, *args.first()?, self.span(index));
        if !self.program.functions[function].is_marked("__index_marker") {
            return None;
        }
        let decl = self.functions.get(*self.functions.of_function.get(function.index())?).decl;
        let instance = self.instance(decl, WHOLE, vec![Arg::Type(to)])?;
        let marker = self.function(instance);
        let number = self.convert(number, to, true);
        Some(self.push(ExprKind::Call(marker, vec![number]), to, span))
    }

    /// Reports a constant float that no integer index can stand for.
    fn is_no_index(&mut self, index: ExprId) -> bool {
        let Ok(Value::Float(n, kind)) = self.known_value(index) else { return false };
        let outside = !(n > -1.0 && n < 2147483648.0);
        if outside {
            let text = if kind == Scalar::F64 { format!("{n:?}") } else { format!("{:?}", n as f32) };
            self.error(Code::BAD_SUBSCRIPT, self.span(index), format!("there is no element {text}"));
        }
        outside
    }

    /// The elements of a buffer are counted by unsigned numbers: a negative constant is a large one, behind the end of any buffer.
    fn index_of_buffer(&mut self, ty: TypeId, index: ExprId) -> ExprId {
        let is_negative = || {
            self.known_value(index).ok().and_then(|value| value.int()).is_some_and(|n| n < 0 && n >= i32::MIN.into())
        };
        match self.program.types.get(ty) {
            Type::Buffer(..) if is_negative() => self.convert(index, TypeId::UINT, true),
            _ => index,
        }
    }

    /// A constant index outside of the bounds: compilers of every target refuse it. A buffer has as many elements as it is given.
    fn check_constant_index(&mut self, ty: TypeId, index: ExprId) {
        if matches!(self.program.types.get(ty), Type::Buffer(..)) {
            return;
        }
        let Some(count) = self.program.types.index_count(ty) else { return };
        let value = self.known_value(index).ok().and_then(|value| value.int());
        if let Some(n) = value.filter(|n| !(0..count).contains(n)) {
            let (span, text) = (self.span(index), self.type_text(ty));
            self.error(Code::BAD_SUBSCRIPT, span, format!("`{text}` has no element {n}"));
        }
    }

    /// Element access declared by `__subscript`.
    fn subscript(&mut self, base: ExprId, ty: TypeId, args: &[CallArg<'a>], span: Span) -> Option<ExprId> {
        let name = self.words.subscript;
        let members = self.members_of_value(base, ty, name);
        let members = members.into_iter().filter_map(decl_of);
        let mut decls: Vec<DeclId> = members.filter(|d| matches!(self.info(*d).what, What::Subscript(_))).collect();
        if decls.is_empty() {
            return None;
        }
        // Subscripts without a getter (write-only textures) are typed by another accessor.
        decls.retain(|d| matches!(self.info(*d).what, What::Subscript(p) if !p.accessors.is_empty()));
        let getter = |c: &Self, d: DeclId| match c.info(d).what {
            What::Subscript(p) => p.accessors.iter().position(|a| a.name.name != *"set").unwrap_or(0) as u32,
            _ => WHOLE,
        };
        let accessor = decls.first().map_or(0, |d| getter(self, *d));
        let candidates = Candidates { accessor, ..Candidates::of(Symbol::new("[]"), decls) };
        let instance = match self.choose(&candidates, args, span) {
            Some(instance) => instance,
            None => return Some(self.error_value(span)),
        };
        let chosen = self.functions.get(instance).clone();
        let owner = chosen.signature.owner.unwrap_or(ty);
        let this = self.receiver(base, owner)?;
        let passed = args.iter().zip(&chosen.signature.params);
        let list = passed.map(|(arg, param)| self.pass_index(arg, param)).collect();
        let value = self.property(chosen.decl, Some(this), list, chosen.args, span);
        Some(value)
    }

    /// An index of an element. What the accessors write to has the type of their parameter: each of them writes it, and a
    /// variable of that type would be written back once.
    fn pass_index(&mut self, arg: &CallArg<'a>, param: &ParamSignature<'a>) -> ExprId {
        let value = self.pass(arg, param.mode, param.ty);
        match *self.kind(value) {
            ExprKind::Convert(place, _) if param.mode != ParamMode::In => {
                let (from, to) = (self.type_text(self.ty(place)), self.type_text(param.ty));
                let message = format!("an output of type `{to}` cannot be written to a `{from}`");
                self.error_at(Code::TYPE_MISMATCH, arg.span, message)
            }
            _ => value,
        }
    }

    // ---- Assignment ----

    /// Reports what cannot be assigned to.
    pub(super) fn check_assignable(&mut self, target: ExprId) -> bool {
        if self.ty(target) == TypeId::ERROR {
            return false;
        }
        match self.assignable(target, 0) {
            None => true,
            Some(why) => {
                let span = self.span(target);
                self.error(Code::NOT_ASSIGNABLE, span, why);
                false
            }
        }
    }

    /// Why an expression cannot be assigned to.
    pub(super) fn assignable(&self, target: ExprId, depth: u32) -> Option<String> {
        if depth > 200 {
            return Some("this is nested too deeply".into());
        }
        match self.kind(target) {
            ExprKind::Local(local) => {
                let local = &self.cx.body.locals[*local];
                if local.is_kept_object() {
                    return Some("a method changes its object only where it is marked `[mutating]`".into());
                }
                local.constant.then(|| format!("`{}` is constant and cannot be assigned to", local.name))
            }
            ExprKind::Global(global) => self.global_assignable(*global),
            ExprKind::Field(base, index) => match self.constant_field(*base, *index) {
                Some(name) => Some(format!("the field `{name}` is constant and cannot be assigned to")),
                None => self.assignable(*base, depth + 1),
            },
            ExprKind::Index(base, _) => match self.program.types.get(self.ty(*base)) {
                Type::Buffer(_, Access::Read, _) => Some("the elements of this buffer are read-only".into()),
                Type::Buffer(..) | Type::Pointer(..) | Type::MeshOutput(..) => None,
                Type::Patch(..) => Some("the control points of a patch are read-only".into()),
                _ => self.assignable(*base, depth + 1),
            },
            ExprKind::Swizzle(base, swizzle) => match swizzle::repeats(swizzle.list()) {
                true => Some("a selection that names a component twice cannot be assigned to".into()),
                false => self.assignable(*base, depth + 1),
            },
            ExprKind::MatrixSwizzle(base, list) => match swizzle::repeats(list) {
                true => Some("a selection that names an element twice cannot be assigned to".into()),
                false => self.assignable(*base, depth + 1),
            },
            ExprKind::Property(p) => match (p.set.or(p.reference), p.args.first()) {
                (None, _) => Some("this can only be read".into()),
                (Some(accessor), Some(object))
                    if self.accessor_changes_object(accessor) || p.set.is_some_and(|set| self.sets_object(set)) =>
                {
                    self.assignable(*object, depth + 1)
                }
                (Some(_), _) => None,
            },
            ExprKind::Deref(_) => None,
            ExprKind::Call(function, _) => (!self.program.functions[*function].returns_ref)
                .then(|| "the result of a call cannot be assigned to".into()),
            // HLSL: `(float)x = 1` is accepted by old compilers only.
            ExprKind::Contents(_) => Some("constant buffers are read-only".into()),
            ExprKind::Assign(_, inner, _) => self.assignable(*inner, depth + 1),
            ExprKind::Step(_, true, inner) => self.assignable(*inner, depth + 1),
            ExprKind::Comma(_, inner) => self.assignable(*inner, depth + 1),
            _ => Some("this is a value, not a variable, and cannot be assigned to".into()),
        }
    }

    /// The name of a field that is `const`: it is only given a value together with its whole object.
    fn constant_field(&self, base: ExprId, index: u32) -> Option<Symbol> {
        let Type::Struct(id) = self.program.types.get(self.ty(base)) else { return None };
        let field = self.program.structs.get_if(id)?.fields.get(index as usize)?;
        field.modifiers.has(Modifiers::CONST).then_some(field.name)
    }

    /// Whether a setter of a program is of an object that it may write to. Those of the library write where the object refers to.
    fn sets_object(&self, set: FunctionId) -> bool {
        let set = &self.program.functions[set];
        set.is_method() && !set.builtin && set.attribute("nonmutating").is_none()
    }

    fn global_assignable(&self, id: crate::tree::GlobalId) -> Option<String> {
        let global = &self.program.globals[id];
        match global.kind {
            GlobalKind::Static | GlobalKind::Groupshared | GlobalKind::Output => None,
            GlobalKind::Const | GlobalKind::Specialization => {
                Some(format!("`{}` is constant and cannot be assigned to", global.name))
            }
            _ => Some(format!("`{}` is a shader parameter and cannot be assigned to", global.name)),
        }
    }
}

/// The one name that an expression is.
fn written_name(e: &ast::Expr) -> Option<Symbol> {
    match &e.kind {
        ast::ExprKind::Path(path) => match path.as_slice() {
            [only] if only.args.is_none() => Some(only.name.name),
            _ => None,
        },
        _ => None,
    }
}
