//! Constructors and initializer lists.

use super::convert::LiteralKind;
use super::function::WHOLE;
use super::generic::Slot;
use super::memberwise::values_of;
use super::overload::{ArgKind, Candidates};
use super::scope::{DeclId, What};
use super::{Checker, convert};
use crate::ast::{self, DeclKind, ExprKind as Ast};
use crate::diagnostic::Code;
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, Length, Local, Modifiers, Scalar, StructId, Type, TypeId};
use std::collections::VecDeque;

/// Elements of a list as they are consumed.
struct Elements<'a> {
    list: std::iter::Peekable<std::slice::Iter<'a, ast::Expr>>,
    /// Values that were checked and not used yet.
    pending: VecDeque<ExprId>,
}

impl<'a> Checker<'a> {
    /// `T(args)`.
    pub(super) fn construct(&mut self, ty: TypeId, args: &'a [ast::Expr], span: Span) -> ExprId {
        match self.program.types.get(ty) {
            Type::Error => {
                self.call_args(args);
                self.error_value(span)
            }
            Type::Scalar(_) | Type::Enum(_) | Type::Handle(_) | Type::Pointer(..) if args.len() == 1 => {
                self.construct_one(ty, args, span)
            }
            Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) if args.is_empty() => {
                self.push(ExprKind::Zero, ty, span)
            }
            Type::Vector(..) | Type::Matrix(..) => {
                if args.len() == 1 && !matches!(args.first().map(|a| &a.kind), Some(Ast::InitList(_))) {
                    return self.construct_one(ty, args, span);
                }
                let values: Vec<ExprId> = args.iter().map(|a| self.expr(a)).collect();
                if self.language() == Language::Slang
                    && let Some(made) = self.of_splats(ty, &values, span)
                {
                    return made;
                }
                self.construct_parts(ty, values, span)
            }
            Type::Struct(_) => self.construct_struct(ty, args, span),
            Type::Array(..) => self.init_list(args, ty, span),
            // No value has such a type: a variable begins so.
            object if args.is_empty() && object.is_object() => {
                let (name, modifiers) = (Symbol::new("query"), Modifiers::default());
                let local = self.cx.body.locals.push(Local { name, ty, constant: false, modifiers, span });
                self.cx.temporaries.push(local);
                self.push(ExprKind::Local(local), ty, span)
            }
            _ => {
                let constructors = self.constructors(ty);
                if constructors.is_empty() {
                    return self.object_of_handle(ty, args, span);
                }
                let args = self.call_args(args);
                let candidates = Candidates::of(self.words.init, constructors);
                self.call(&candidates, None, &args, span)
            }
        }
    }

    /// `T(handle)`: the object that a descriptor handle stands for; of a scene also the one at an address.
    fn object_of_handle(&mut self, ty: TypeId, args: &'a [ast::Expr], span: Span) -> ExprId {
        if let [only] = args {
            let value = self.expr(only);
            let value = self.plain(value);
            match self.program.types.get(self.ty(value)) {
                Type::Handle(to) if to == ty => return self.convert(value, ty, false),
                Type::Scalar(s) if s.is_integer() && self.program.types.get(ty) == Type::AccelerationStructure => {
                    let address = self.program.types.scalar(Scalar::U64);
                    let address = self.convert(value, address, false);
                    return self.library_call("__sceneAt", &[address], span);
                }
                Type::Error => return value,
                _ => {}
            }
        }
        // Generics have it where a constant rules it out; elsewhere it is a variable that is given no resource.
        if args.is_empty() && self.language() == Language::Slang && self.program.types.get(ty).is_resource() {
            let none = self.temporary("none", ty, span);
            return self.push(ExprKind::Local(none), ty, span);
        }
        let text = self.type_text(ty);
        self.error_at(Code::BAD_INITIALIZER, span, format!("`{text}` cannot be constructed"))
    }

    fn construct_one(&mut self, ty: TypeId, args: &'a [ast::Expr], span: Span) -> ExprId {
        let Some(only) = args.first() else { return self.error_value(span) };
        let value = self.expr_of(only, ty);
        let value = self.plain(value);
        // The type begins it.
        self.cast_as_written(value, ty, (span, span))
    }

    /// A vector or matrix from several parts, whose components add up.
    fn construct_parts(&mut self, ty: TypeId, values: Vec<ExprId>, span: Span) -> ExprId {
        let Some((component, shape)) = convert::numeric(&self.program.types, ty) else { return self.error_value(span) };
        let mut count = 0;
        let mut parts = Vec::new();
        let mut values = VecDeque::from(values);
        while let Some(value) = values.pop_front() {
            let value = self.plain(value);
            let from = self.ty(value);
            if from == TypeId::ERROR {
                return self.error_value(span);
            }
            // In HLSL a struct or an array gives the numbers in it.
            if self.language() == Language::Hlsl
                && matches!(self.program.types.get(from), Type::Struct(_) | Type::Array(..))
                && let Some(numbers) = self.flat_parts(value)
            {
                numbers.into_iter().rev().for_each(|number| values.push_front(number));
                continue;
            }
            let Some((n, part)) = self.components_of(from, component) else {
                let text = self.type_text(from);
                let (at, message) = (self.span(value), format!("`{text}` cannot be a part of a vector or matrix"));
                return self.error_at(Code::BAD_INITIALIZER, at, message);
            };
            count += n;
            parts.push(self.convert(value, part, false));
        }
        if count != shape.count() {
            let text = self.type_text(ty);
            let message = format!("`{text}` takes {} components, not {count}", shape.count());
            return self.error_at(Code::BAD_INITIALIZER, span, message);
        }
        self.push(ExprKind::Construct(parts), ty, span)
    }

    fn construct_struct(&mut self, ty: TypeId, args: &'a [ast::Expr], span: Span) -> ExprId {
        if let Some(element) = self.optional_element(ty).filter(|_| !args.is_empty()) {
            return self.optional_of(args, (ty, element), span);
        }
        let constructors = self.constructors(ty);
        if !constructors.is_empty() {
            return self.construct_by(ty, constructors, args, span);
        }
        if let [only] = args
            && !matches!(only.kind, Ast::InitList(_))
        {
            let value = self.expr(only);
            return self.construct_from(value, ty, span);
        }
        self.init_list(args, ty, span)
    }

    /// `S(args)` by one of some constructors.
    pub(super) fn construct_by(
        &mut self,
        ty: TypeId,
        constructors: Vec<DeclId>,
        args: &'a [ast::Expr],
        span: Span,
    ) -> ExprId {
        let call_args = self.call_args(args);
        let candidates = Candidates::of(self.words.init, constructors);
        if args.is_empty() {
            return match self.quiet(|c| c.choose(&candidates, &call_args, span)) {
                Some(instance) => self.call_instance(instance, None, &call_args, span),
                None => self.default_or_zero(ty, span),
            };
        }
        // Those of extensions join the implicit one; a constructor in the struct stands in its place.
        if !self.declares_constructor(ty)
            && self.quiet(|c| c.choose(&candidates, &call_args, span)).is_none()
            && let Some(made) = self.memberwise(ty, &call_args, span)
        {
            return made;
        }
        self.call(&candidates, None, &call_args, span)
    }

    /// Whether the declaration of a struct has a constructor.
    fn declares_constructor(&self, ty: TypeId) -> bool {
        let Some(What::Struct(declared)) = self.structs.instance(ty).map(|i| self.info(i.decl).what) else {
            return false;
        };
        let is_constructor = |m: &ast::Decl| matches!(&m.kind, DeclKind::Function(f) if f.name.name == self.words.init);
        declared.members.iter().flatten().any(is_constructor)
    }

    /// `S(value)`: a conversion, a constructor, or a struct with its first field.
    pub(super) fn construct_from(&mut self, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        if convert::rank(&self.program, self.ty(value), ty, LiteralKind::None).is_some() {
            return self.convert(value, ty, false);
        }
        if let Some(call) = self.implicit_constructor(value, ty) {
            return call;
        }
        let arg = self.value_arg_of(value);
        if !self.has_base(ty)
            && let Some(made) = self.memberwise(ty, &[arg], span)
        {
            return made;
        }
        let mut elements = Elements { list: [].iter().peekable(), pending: VecDeque::from([value]) };
        let made = self.take(ty, &mut elements, span);
        self.finish_list(made, ty, elements, span)
    }

    /// The constructor that takes no arguments, if a type has one: one without parameters, else one with a default for each.
    fn default_constructor(&mut self, ty: TypeId) -> Option<super::function::InstanceId> {
        if !matches!(self.program.types.get(ty), Type::Struct(_)) {
            return None;
        }
        let decls = self.constructors(ty);
        let has_default = |p: &ast::Decl| matches!(&p.kind, DeclKind::Var(var) if var.init.is_some());
        let fits = |c: &Self, d: &DeclId| match c.info(*d).what {
            What::Function(f) if f.generics.is_none() && f.params.iter().all(has_default) => Some(f.params.len()),
            _ => None,
        };
        let fitting = decls.into_iter().filter_map(|d| Some((fits(self, &d)?, d)));
        let (_, decl) = fitting.min_by_key(|(count, _)| *count)?;
        self.instance(decl, WHOLE, Vec::new())
    }

    /// `S(args)` of a generic struct whose arguments follow from a constructor or from the fields.
    pub(super) fn construct_generic(&mut self, decl: DeclId, args: &'a [ast::Expr], span: Span) -> ExprId {
        let info = self.info(decl);
        let What::Struct(s) = info.what else {
            return self.error_at(Code::GENERIC_ARGUMENTS, span, format!("`{}` needs generic arguments", info.name));
        };
        let Some(generics) = &s.generics else { return self.error_value(span) };
        let values = self.call_args(args);
        let scope = self.pattern_scope(generics, info.scope);
        let members = s.members.as_deref().unwrap_or(&[]);
        let init = self.words.init;
        let mut lists: Vec<Vec<&'a ast::TypeExpr>> = Vec::new();
        for member in members {
            if let DeclKind::Function(f) = &member.kind
                && f.name.name == init
                && f.params.len() == args.len()
            {
                lists.push(f.params.iter().filter_map(var_type).collect());
            }
        }
        lists.push(members.iter().filter_map(var_type).take(args.len()).collect());
        for types in lists {
            let mut slots = vec![Slot::default(); generics.params.len()];
            let fits = types.len() == values.len()
                && types.iter().zip(&values).all(|(pattern, arg)| match arg.kind {
                    ArgKind::Value(_, ty, literal) => self.unify(pattern, scope, ty, literal, &mut slots),
                    ArgKind::List(_) => true,
                });
            if fits && let Some(found) = self.solve(generics, &slots, info.scope) {
                let ty = self.instantiate_struct(decl, found, span);
                return self.construct(ty, args, span);
            }
        }
        let message = format!("the generic arguments of `{}` cannot be determined", info.name);
        self.error_at(Code::GENERIC_ARGUMENTS, span, message)
    }

    /// A list without a type to make, such as `{ 1, 2 }` alone: an array of what its elements have in common.
    pub(super) fn untyped_list(&mut self, list: &'a [ast::Expr], span: Span) -> ExprId {
        let values: Vec<ExprId> = list.iter().map(|e| self.expr(e)).collect();
        let mut element = match values.first() {
            Some(first) => self.ty(*first),
            None => return self.error_at(Code::BAD_INITIALIZER, span, "the type of `{}` is not known here"),
        };
        let language = self.language();
        for value in &values {
            let ty = self.ty(*value);
            match convert::join(&mut self.program.types, element, ty, language) {
                Some(joined) => element = joined,
                None => return self.error_at(Code::BAD_INITIALIZER, span, "these elements have no common type"),
            }
        }
        let parts: Vec<ExprId> = values.into_iter().map(|v| self.convert(v, element, false)).collect();
        let ty = self.program.types.array(element, Some(parts.len() as u32));
        self.push(ExprKind::Construct(parts), ty, span)
    }

    /// `{ ... }` as a value of type `ty`. An array without a size takes it from the list.
    pub(super) fn init_list(&mut self, list: &'a [ast::Expr], ty: TypeId, span: Span) -> ExprId {
        if ty == TypeId::ERROR {
            for e in list {
                if !matches!(e.kind, Ast::InitList(_)) {
                    self.expr(e);
                }
            }
            return self.error_value(span);
        }
        if list.is_empty() {
            return self.default_or_zero(ty, span);
        }
        self.deeper(span, |c| c.init_list_inner(list, ty, span)).unwrap_or_else(|| self.error_value(span))
    }

    fn init_list_inner(&mut self, list: &'a [ast::Expr], ty: TypeId, span: Span) -> ExprId {
        if matches!(self.program.types.get(ty), Type::Struct(_)) {
            if let Some(element) = self.optional_element(ty) {
                return self.optional_of(list, (ty, element), span);
            }
            let constructors = self.constructors(ty);
            if !constructors.is_empty() {
                let args = self.call_args(list);
                let candidates = Candidates::of(self.words.init, constructors);
                if let Some(instance) = self.quiet(|c| c.choose(&candidates, &args, span)) {
                    return self.call_instance(instance, None, &args, span);
                }
            }
        }
        if let (Type::Handle(_), [numbers]) = (self.program.types.get(ty), list) {
            return self.construct_one(ty, std::slice::from_ref(numbers), span);
        }
        let mut elements = Elements { list: list.iter().peekable(), pending: VecDeque::new() };
        if self.language() == Language::Slang && self.may_be_arguments(list, ty) {
            let args = self.call_args(list);
            if let Some(made) = self.memberwise(ty, &args, span) {
                return made;
            }
            if let Some(values) = values_of(&args) {
                if let Some(made) = self.of_splats(ty, &values, span) {
                    return made;
                }
                elements = Elements { list: [].iter().peekable(), pending: values.into() };
            }
        }
        if self.braces_say_nothing(list, ty) {
            let mut leaves = Vec::new();
            list.iter().for_each(|e| leaves_of(e, &mut leaves));
            elements = Elements { list: [].iter().peekable(), pending: VecDeque::new() };
            elements.pending.extend(leaves.into_iter().map(|e| self.expr(e)));
        }
        let made = self.take_parts(ty, &mut elements, span);
        self.finish_list(made, ty, elements, span)
    }

    /// HLSL: inner braces group what they like, as long as there is a value for each number.
    fn braces_say_nothing(&self, list: &'a [ast::Expr], ty: TypeId) -> bool {
        if self.language() != Language::Hlsl || self.braces_fit(list, ty) {
            return false;
        }
        let mut leaves = Vec::new();
        list.iter().for_each(|e| leaves_of(e, &mut leaves));
        self.flat_size(ty) == u32::try_from(leaves.len()).ok()
    }

    /// Whether the lists in a list are those of the parts of a type.
    fn braces_fit(&self, list: &'a [ast::Expr], ty: TypeId) -> bool {
        let inner = |e: &'a ast::Expr| match &e.kind {
            Ast::InitList(list) => Some(list.as_slice()),
            _ => None,
        };
        let types = &self.program.types;
        let lists = list.iter().filter_map(inner).count();
        match types.get(ty) {
            Type::Matrix(_, _, columns) => {
                let plain = |row: &'a [ast::Expr]| row.iter().all(|e| inner(e).is_none());
                (lists == 0 || lists == list.len())
                    && list.iter().filter_map(inner).all(|row| row.len() == usize::from(columns) && plain(row))
            }
            Type::Array(element, count) => {
                let all = || list.iter().filter_map(inner).all(|list| self.braces_fit(list, element));
                let enough = count.fixed().is_none_or(|n| lists <= n as usize);
                lists == 0 || lists == list.len() && enough && all()
            }
            Type::Struct(id) => {
                let fields = &self.program.structs[id].fields;
                // A value for a part of a field shifts what follows.
                (lists == 0 || list.len() <= fields.len())
                    && list.iter().zip(fields).all(|(e, f)| inner(e).is_none_or(|list| self.braces_fit(list, f.ty)))
            }
            // One number may stand in braces of its own.
            Type::Scalar(_) => list.len() == 1 && lists == 0,
            _ => lists == 0 && self.flat_size(ty).is_none_or(|size| list.len() <= size as usize),
        }
    }

    fn finish_list(&mut self, made: Option<ExprId>, ty: TypeId, mut elements: Elements<'a>, span: Span) -> ExprId {
        let Some(made) = made else { return self.error_value(span) };
        let extra = self.is_left(&mut elements);
        if extra {
            let text = self.type_text(ty);
            return self.error_at(Code::BAD_INITIALIZER, span, format!("there are more values than `{text}` holds"));
        }
        made
    }

    /// Whether there is a further value; the values of an expansion are checked here.
    fn is_left(&mut self, elements: &mut Elements<'a>) -> bool {
        while elements.pending.is_empty() {
            let Some(e) = elements.list.peek() else { return false };
            match self.spread(e) {
                Some(values) => {
                    elements.list.next();
                    elements.pending.extend(values);
                }
                None => return true,
            }
        }
        true
    }

    /// The next value as a whole value of type `ty`: a list of its own, a value that converts, or parts.
    fn take(&mut self, ty: TypeId, elements: &mut Elements<'a>, span: Span) -> Option<ExprId> {
        if !self.is_left(elements) {
            return Some(self.default_or_zero(ty, span));
        }
        if elements.pending.is_empty() {
            match elements.list.peek() {
                None => return Some(self.default_or_zero(ty, span)),
                Some(e) if matches!(e.kind, Ast::InitList(_) | Ast::Null) => {
                    let e = elements.list.next()?;
                    return Some(self.expr_to(e, ty));
                }
                Some(_) => {
                    let e = elements.list.next()?;
                    elements.pending.push_back(self.expr(e));
                }
            }
        }
        let value = *elements.pending.front()?;
        if self.ty(value) == TypeId::ERROR {
            elements.pending.pop_front();
            return None;
        }
        if self.fits_whole(value, ty) {
            elements.pending.pop_front();
            return Some(self.part(value, ty));
        }
        if matches!(self.program.types.get(ty), Type::Vector(..) | Type::Matrix(..) | Type::Array(..) | Type::Struct(_))
            && self.existential(ty).is_none()
        {
            return self.take_parts(ty, elements, span);
        }
        elements.pending.pop_front();
        if self.split_value(value, elements) {
            return self.take(ty, elements, span);
        }
        Some(self.part(value, ty))
    }

    /// Puts the numbers of a value, and the resources in it, in its place.
    fn split_value(&mut self, value: ExprId, elements: &mut Elements<'a>) -> bool {
        let Some(parts) = self.flat_parts(value).or_else(|| self.resource_parts(value)) else { return false };
        parts.into_iter().rev().for_each(|part| elements.pending.push_front(part));
        true
    }

    /// A value of type `ty` of these values, one after the other.
    pub(super) fn made_of(&mut self, values: Vec<ExprId>, ty: TypeId, span: Span) -> Option<ExprId> {
        let mut elements = Elements { list: [].iter().peekable(), pending: values.into() };
        self.take(ty, &mut elements, span)
    }

    /// A part of a struct or array. Lists take scalars one by one, so a splat must be written out.
    pub(super) fn part(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        let from = self.ty(value);
        let value = self.coerce(value, ty);
        let shape = |c: &Self, ty: TypeId| convert::numeric(&c.program.types, ty).map(|(_, s)| s.count());
        let splat = shape(self, from) != shape(self, ty);
        if let ExprKind::Convert(_, explicit) = &mut self.cx.body.exprs[value].kind {
            *explicit |= splat;
        }
        value
    }

    /// Whether a value fills a place of type `ty` by itself: of the same shape, not a scalar that would be one component.
    fn fits_whole(&mut self, value: ExprId, ty: TypeId) -> bool {
        let from = self.ty(value);
        let types = &self.program.types;
        match (convert::numeric(types, from), convert::numeric(types, ty)) {
            // HLSL takes the numbers of a matrix of another shape one by one.
            (Some((_, a)), Some((_, b))) => {
                let matrices = matches!((a, b), (convert::Shape::Matrix(..), convert::Shape::Matrix(..)));
                a == b || a.count() == b.count() && !(matrices && self.language() == Language::Hlsl)
            }
            _ => self.conversion_rank(from, ty, LiteralKind::None).is_some(),
        }
    }

    /// A value of type `ty` from the next values, one for each part.
    fn take_parts(&mut self, ty: TypeId, elements: &mut Elements<'a>, span: Span) -> Option<ExprId> {
        self.deeper(span, |c| c.take_parts_inner(ty, elements, span)).flatten()
    }

    fn take_parts_inner(&mut self, ty: TypeId, elements: &mut Elements<'a>, span: Span) -> Option<ExprId> {
        match self.program.types.get(ty) {
            Type::Vector(..) | Type::Matrix(..) => self.take_components(ty, elements, span),
            Type::Array(_, Length::Constant(_)) => {
                let text = self.type_text(ty);
                let message =
                    format!("`{text}` cannot be initialized by a list: its size is known when the pipeline is made");
                self.error(Code::BAD_INITIALIZER, span, message);
                None
            }
            Type::Array(element, count) => self.take_array(element, count.fixed(), elements, span),
            Type::Struct(id) if self.existential(ty).is_none() => {
                let fields: Vec<TypeId> = self.program.structs[id].fields.iter().map(|f| f.ty).collect();
                let mut parts = Vec::new();
                for (index, field) in fields.into_iter().enumerate() {
                    let left = self.is_left(elements) && !self.is_hidden(ty, index);
                    let part = match left {
                        true => self.take(field, elements, span)?,
                        false => self.field_default(ty, index, field, span),
                    };
                    parts.push(part);
                }
                Some(self.push(ExprKind::Construct(parts), ty, span))
            }
            _ => self.take(ty, elements, span),
        }
    }

    fn take_array(
        &mut self,
        element: TypeId,
        count: Option<u32>,
        elements: &mut Elements<'a>,
        span: Span,
    ) -> Option<ExprId> {
        let mut parts = Vec::new();
        loop {
            let left = self.is_left(elements);
            if !left || count.is_some_and(|n| parts.len() >= n as usize) {
                break;
            }
            parts.push(self.take(element, elements, span)?);
        }
        let count = count.unwrap_or(parts.len() as u32);
        if count > 1 << 16 && (parts.len() as u32) < count {
            self.error(Code::BAD_INITIALIZER, span, "an array of this size must be initialized as a whole");
            return None;
        }
        while (parts.len() as u32) < count {
            parts.push(self.default_or_zero(element, span));
        }
        let ty = self.program.types.array(element, Some(count));
        Some(self.push(ExprKind::Construct(parts), ty, span))
    }

    /// Components of a vector or matrix from scalars, vectors and lists.
    fn take_components(&mut self, ty: TypeId, elements: &mut Elements<'a>, span: Span) -> Option<ExprId> {
        let (component, shape) = convert::numeric(&self.program.types, ty)?;
        let scalar = self.program.types.scalar(component);
        let mut parts: Vec<ExprId> = Vec::new();
        let mut count = 0;
        while count < shape.count() {
            if !self.is_left(elements) {
                break;
            }
            let value = match elements.pending.pop_front() {
                Some(value) => value,
                None => match elements.list.next() {
                    // Rows of a matrix in lists of their own.
                    Some(e) if matches!(e.kind, Ast::InitList(_)) => {
                        let row = match shape {
                            convert::Shape::Matrix(_, c) => self.program.types.vector(component, c),
                            _ => scalar,
                        };
                        self.expr_to(e, row)
                    }
                    Some(e) => self.expr(e),
                    None => break,
                },
            };
            let value = self.plain(value);
            let from = self.ty(value);
            if from == TypeId::ERROR {
                return None;
            }
            let part = self.components_of(from, component);
            let Some((n, part)) = part.filter(|(n, _)| count + n <= shape.count()) else {
                if self.split_value(value, &mut *elements) {
                    continue;
                }
                let (a, b, at) = (self.type_text(from), self.type_text(ty), self.span(value));
                self.error(Code::BAD_INITIALIZER, at, format!("`{a}` does not fit into the rest of `{b}`"));
                return None;
            };
            count += n;
            parts.push(self.convert(value, part, false));
        }
        while count < shape.count() {
            let zero = self.push(ExprKind::Zero, scalar, span);
            parts.push(zero);
            count += 1;
        }
        if let [only] = parts.as_slice()
            && self.ty(*only) == ty
        {
            return Some(*only);
        }
        Some(self.push(ExprKind::Construct(parts), ty, span))
    }

    /// How many components a value of a type gives to a vector or matrix, and its type with components of another kind.
    fn components_of(&mut self, ty: TypeId, component: Scalar) -> Option<(u32, TypeId)> {
        let shape = match self.program.types.get(ty) {
            Type::Enum(_) => convert::Shape::Scalar,
            _ => convert::numeric(&self.program.types, ty)?.1,
        };
        Some((shape.count(), shape.of(&mut self.program.types, component)))
    }

    /// The value of a field that a list leaves out.
    pub(super) fn field_default(&mut self, ty: TypeId, index: usize, field: TypeId, span: Span) -> ExprId {
        match self.field_initializer(ty, index) {
            Some((e, scope, source)) => self.expr_at(e, field, scope, source),
            None => self.default_or_zero(field, span),
        }
    }

    fn field_initializer(&self, ty: TypeId, index: usize) -> Option<(&'a ast::Expr, super::scope::ScopeId, u32)> {
        let instance = self.structs.instance(ty)?;
        self.at(instance.scope).order.iter().find_map(|d| {
            let info = self.info(*d);
            match info.what {
                What::Field(var, i) if i as usize == index => Some((var.init.as_ref()?, info.scope, info.source)),
                _ => None,
            }
        })
    }

    /// Whether a field is seen by fewer than the struct: lists leave it out.
    pub(super) fn is_hidden(&self, ty: TypeId, index: usize) -> bool {
        /// What is seen by more is later.
        const WORDS: [&str; 3] = ["private", "internal", "public"];
        let Some(instance) = self.structs.instance(ty) else { return false };
        let seen = |info: &super::scope::DeclInfo| WORDS.iter().position(|word| info.has(word));
        let own = seen(&self.info(instance.decl)).unwrap_or(1);
        self.at(instance.scope).order.iter().any(|decl| {
            let info = self.info(*decl);
            matches!(info.what, What::Field(_, i) if i as usize == index) && seen(&info).is_some_and(|s| s < own)
        })
    }

    /// Whether a struct or one of its fields has default values.
    fn has_defaults(&mut self, ty: TypeId, depth: u32) -> bool {
        match self.program.types.get(ty) {
            Type::Array(element, Length::Fixed(n)) if n <= 64 => depth < 32 && self.has_defaults(element, depth + 1),
            Type::Struct(id) => {
                depth < 32 && (self.default_constructor(ty).is_some() || self.has_default_fields(ty, id, depth + 1))
            }
            _ => false,
        }
    }

    fn has_default_fields(&mut self, ty: TypeId, id: StructId, depth: u32) -> bool {
        let fields: Vec<TypeId> = self.program.structs[id].fields.iter().map(|f| f.ty).collect();
        let has_default = |(i, f)| self.field_initializer(ty, i).is_some() || self.has_defaults(f, depth);
        fields.into_iter().enumerate().any(has_default)
    }

    /// The default value of a type that has one: of its fields' initializers. `None` leaves a variable uninitialized.
    pub(super) fn default_value(&mut self, ty: TypeId, span: Span) -> Option<ExprId> {
        self.has_defaults(ty, 0).then(|| self.default_or_zero(ty, span))
    }

    /// What a constructor begins with: the initializers of fields, without a constructor of the type itself.
    pub(super) fn fields_default(&mut self, ty: TypeId, span: Span) -> Option<ExprId> {
        let Type::Struct(id) = self.program.types.get(ty) else { return None };
        if !self.has_default_fields(ty, id, 0) {
            return None;
        }
        let mut elements = Elements { list: [].iter().peekable(), pending: VecDeque::new() };
        self.take_parts(ty, &mut elements, span)
    }

    /// `{}`.
    pub(super) fn default_or_zero(&mut self, ty: TypeId, span: Span) -> ExprId {
        if let Some(instance) = self.default_constructor(ty) {
            return self.call_instance(instance, None, &[], span);
        }
        if self.has_defaults(ty, 0) {
            let mut elements = Elements { list: [].iter().peekable(), pending: VecDeque::new() };
            if let Some(made) = self.take_parts(ty, &mut elements, span) {
                return made;
            }
        }
        // No value is one before it begins.
        if self.program.types.get(ty).is_object() {
            return self.construct(ty, &[], span);
        }
        self.push(ExprKind::Zero, ty, span)
    }

    /// `(S)scalar`: every part of a struct or array of numbers becomes that scalar.
    pub(super) fn splat_parts(&mut self, value: ExprId, ty: TypeId) -> Option<(Vec<ExprId>, TypeId)> {
        let from = self.ty(value);
        if !matches!(self.program.types.get(from), Type::Scalar(_)) || !convert::is_data(&self.program, ty, 16) {
            return None;
        }
        if self.literal(value) == LiteralKind::None
            && !matches!(self.kind(value), ExprKind::Literal(..) | ExprKind::Local(_))
        {
            return None;
        }
        let parts: Vec<TypeId> = match self.program.types.get(ty) {
            Type::Struct(id) => self.program.structs[id].fields.iter().map(|f| f.ty).collect(),
            Type::Array(e, Length::Fixed(n)) if n <= 256 => vec![e; n as usize],
            _ => return None,
        };
        let mut list = Vec::new();
        for part in parts {
            let copy = self.copy(value);
            list.push(match self.splat_parts(copy, part) {
                Some((inner, ty)) => {
                    let span = self.span(value);
                    self.push(ExprKind::Construct(inner), ty, span)
                }
                None => self.convert(copy, part, true),
            });
        }
        Some((list, ty))
    }
}

/// The values in a list and in the lists in it.
fn leaves_of<'a>(e: &'a ast::Expr, out: &mut Vec<&'a ast::Expr>) {
    match &e.kind {
        Ast::InitList(list) => list.iter().for_each(|e| leaves_of(e, out)),
        _ => out.push(e),
    }
}

fn var_type(decl: &ast::Decl) -> Option<&ast::TypeExpr> {
    match &decl.kind {
        DeclKind::Var(var) if !super::scope::has_modifier(decl, "static") => Some(&var.ty),
        _ => None,
    }
}
