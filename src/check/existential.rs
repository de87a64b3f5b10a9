//! Values of interface types.
//!
//! What is only known to conform to an interface is a struct: which of the types that it may be of it is of, and a value of
//! each of them, of which one counts. A method of the interface is a function that chooses by the type.
//!
//! Before: `IShape s = Circle(2);                  s.area()`
//! After:  `struct IShape { uint kind; Circle circle; Square square; }    IShape s = { 0, Circle(2), (Square)0 };`
//!         `IShape_area(s)`, a `switch (this.kind)` over `Circle_area(this.circle)` and `Square_area(this.square)`
//!
//! The types are those that the program converts to the interface: they are known when all bodies are checked, so that is
//! when the bodies of such functions and the missing parts of such values are made. What comes from outside, in a buffer,
//! is of any type that conforms, and has the form that [`super::stored`] gives it.
//!
//! An associated type of such a value that has no interface as a bound is a value of the type that it is for each.

use super::associated_values::chooses_by_parameter;
use super::convert::{self, LiteralKind, Rank};
use super::existential_methods::Choice;
use super::function::{InstanceId, WHOLE};
use super::interfaces::{Bound, InterfaceRef};
use super::scope::{DeclId, ScopeId, ScopeKind, What};
use super::stored::{Stored, store_access, store_comparison, store_value};
use super::{Arg, Checker};
use crate::ast::{GenericArg, TypeExpr};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Expr, ExprArena, ExprId, ExprKind, Field, Literal, Program, Struct, StructId, Type, TypeId};
use rustc_hash::FxHashMap;

/// All interfaces of which there are values.
#[derive(Default)]
pub(super) struct Existentials {
    pub list: Vec<Existential>,
    of_type: FxHashMap<TypeId, usize>,
    /// Methods whose bodies choose by the type.
    methods: Vec<InstanceId>,
    /// Associated types whose bounds are looked for.
    pub open: Vec<DeclId>,
    /// Functions of the library that wait for the form of values that come from outside.
    pub waiting: Vec<InstanceId>,
}

/// An interface, or several, as a type of values.
pub(super) struct Existential {
    /// What the types of its values conform to; nothing where any type may be one.
    pub bounds: Vec<InterfaceRef>,
    /// The associated type of another one that it is.
    of: Option<DeclId>,
    pub id: StructId,
    pub ty: TypeId,
    /// The types that a value may be of.
    pub variants: Vec<Variant>,
    /// Values of it come from outside.
    pub is_stored: bool,
    /// How such values are stored, once it is known.
    pub stored: Option<Stored>,
}

/// A type that a value of an interface may be of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant {
    pub ty: TypeId,
    /// The field that holds it: one without data has none.
    pub field: Option<u32>,
    /// The number that tells values of it.
    pub number: u32,
}

/// The attribute of the library's function that makes a value of an interface one of an interface that it extends.
pub(super) const WIDENS_INTERFACE: &str = "__widens_interface";

/// The field that tells the type.
pub(super) const KIND: u32 = 0;

impl<'a> Checker<'a> {
    /// The type of values of an interface; made on first use.
    pub(super) fn existential_type(
        &mut self,
        decl: DeclId,
        given: Option<&'a [GenericArg]>,
        scope: ScopeId,
        span: Span,
    ) -> TypeId {
        let calls = matches!(self.info(decl).what, What::Interface(s) if s.generics.is_some());
        // Of the library, what can be called is one.
        if self.source_of(decl).builtin && !calls {
            self.unsupported(span, "a value of an interface type of the library (dynamic dispatch)");
            return TypeId::ERROR;
        }
        match self.interface_args(decl, given, scope, span) {
            Some(args) => self.existential_of(decl, args),
            None => TypeId::ERROR,
        }
    }

    fn existential_of(&mut self, decl: DeclId, args: Vec<Arg>) -> TypeId {
        self.existential_with(vec![(decl, args)], None)
    }

    /// The type of what conforms to all of these, or of an associated type.
    pub(super) fn existential_with(&mut self, bounds: Vec<InterfaceRef>, of: Option<DeclId>) -> TypeId {
        if let Some(known) = self.existentials.list.iter().find(|e| e.bounds == bounds && e.of == of) {
            return known.ty;
        }
        let Some(decl) = of.or(bounds.first().map(|b| b.0)) else { return TypeId::ERROR };
        let span = self.info(decl).span;
        let name = self.existential_name(&bounds, of);
        let kind = Field::new("kind", TypeId::UINT, span);
        let id = self.program.structs.push(Struct::new(name.as_str(), vec![kind], span));
        self.structs.decls.push(decl);
        let ty = self.program.types.intern(Type::Struct(id));
        self.existentials.of_type.insert(ty, self.existentials.list.len());
        let existential =
            Existential { bounds: bounds.clone(), of, id, ty, variants: Vec::new(), is_stored: false, stored: None };
        self.existentials.list.push(existential);
        let scopes: Vec<ScopeId> = bounds.iter().map(|(decl, args)| self.interface_scope(*decl, args, ty)).collect();
        let scope = match scopes.first() {
            Some(scope) => *scope,
            None => self.scope(Some(self.info(decl).scope), ScopeKind::Members(ty)),
        };
        let args = bounds.first().map(|b| b.1.clone()).unwrap_or_default();
        self.structs.add_existential(decl, args, ty, scope, bounds);
        for (base, args) in self.conformances(ty) {
            let inherited = self.interface_scope(base, &args, ty);
            if inherited != scope {
                self.at_mut(scope).opened.push(inherited);
            }
        }
        ty
    }

    /// `IShape`, `IShape_IScalable`, or `IShape_Outline` of an associated type.
    fn existential_name(&mut self, bounds: &[InterfaceRef], of: Option<DeclId>) -> String {
        if let Some(decl) = of {
            let info = self.info(decl);
            let owner = info.owner.map_or(String::new(), |o| self.type_text(o));
            return format!("{owner}_{}", info.name);
        }
        let parts = bounds.iter().map(|(decl, args)| {
            let (name, suffix) = (self.info(*decl).name, self.args_text(args));
            if suffix.is_empty() { name.as_str().to_owned() } else { format!("{name}_{suffix}") }
        });
        parts.collect::<Vec<_>>().join("_")
    }

    /// The type of values that conform to several interfaces.
    pub(super) fn conjunction_type(&mut self, ty: &'a TypeExpr, scope: ScopeId) -> TypeId {
        let mut bounds = Vec::new();
        for bound in self.bounds(ty, scope) {
            let Bound::Interface(decl, args) = bound else {
                return self
                    .unsupported_type(ty.span, "a conjunction with what is no interface as the type of a value");
            };
            if self.source_of(decl).builtin {
                return self
                    .unsupported_type(ty.span, "a value of an interface type of the library (dynamic dispatch)");
            }
            if !bounds.contains(&(decl, args.clone())) {
                bounds.push((decl, args));
            }
        }
        if bounds.is_empty() { TypeId::ERROR } else { self.existential_with(bounds, None) }
    }

    pub(super) fn existential(&self, ty: TypeId) -> Option<usize> {
        self.existentials.of_type.get(&ty).copied()
    }

    /// Whether values of a type may be values of an interface.
    pub(super) fn may_be(&mut self, existential: usize, ty: TypeId) -> bool {
        let Some(bounds) = self.existentials.list.get(existential).map(|e| e.bounds.clone()) else { return false };
        self.existential(ty).is_none()
            && bounds.into_iter().all(|(decl, args)| self.meets(ty, &Bound::Interface(decl, args)))
    }

    /// The number of a type among those that an interface value may be of; makes it one of them.
    pub(super) fn variant(&mut self, existential: usize, ty: TypeId, span: Span) -> Option<usize> {
        if let Some(known) = self.existentials.list.get(existential)?.variants.iter().position(|v| v.ty == ty) {
            return Some(known);
        }
        if !self.may_be(existential, ty) {
            return None;
        }
        self.add_variant(existential, ty, span)
    }

    /// Makes a type one of those that an interface value may be of.
    pub(super) fn add_variant(&mut self, existential: usize, ty: TypeId, span: Span) -> Option<usize> {
        let Existential { id, variants, .. } = self.existentials.list.get(existential)?;
        let id = *id;
        if let Some(known) = variants.iter().position(|v| v.ty == ty) {
            return Some(known);
        }
        if self.program.holds_resource(ty) {
            self.unsupported(span, "a value of an interface type that holds resources");
            return None;
        }
        if self.holds_struct(ty, id, 0) {
            let (name, of) = (self.type_text(ty), self.program.structs[id].name);
            let message = format!("`{name}` holds an `{of}`, which may be one itself");
            self.diags.push(Diagnostic::error(Code::RECURSION, span, message));
            return None;
        }
        let field = self.program.holds_data(ty).then_some(self.program.structs[id].fields.len() as u32);
        if field.is_some() {
            let name = self.part_name(ty);
            self.program.structs[id].fields.push(Field::new(name.as_str(), ty, span));
        }
        let list = &mut self.existentials.list.get_mut(existential)?.variants;
        let number = list.len() as u32;
        list.push(Variant { ty, field, number });
        Some(list.len() - 1)
    }

    /// What holds a value of a type is named: the type's name with a small first letter.
    pub(super) fn part_name(&self, ty: TypeId) -> String {
        let text: String =
            self.type_text(ty).chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut letters = text.chars();
        let first: String = letters.next().map(|c| c.to_ascii_lowercase()).into_iter().collect();
        let name = format!("{first}{}", letters.as_str());
        // `float` is a type, not a name.
        if name == text { format!("{name}_value") } else { name }
    }

    /// The value of one of its types in an interface value, in the form that has a field for each.
    pub(super) fn variant_part(
        &self,
        existential: usize,
        variant: usize,
        whole: ExprId,
        code: &mut ExprArena,
    ) -> ExprId {
        let found = self.existentials.list.get(existential).and_then(|e| e.variants.get(variant)).copied();
        let (ty, field) = found.map_or((TypeId::ERROR, None), |v| (v.ty, v.field));
        let span = code[whole].span;
        let kind = field.map_or(ExprKind::Zero, |f| ExprKind::Field(whole, f));
        code.push(Expr { kind, ty, span })
    }

    fn holds_struct(&self, ty: TypeId, id: StructId, depth: u32) -> bool {
        match self.program.types.get(self.program.types.innermost(ty)) {
            Type::Struct(found) => {
                let mut fields = self.program.structs[found].fields.iter();
                found == id || depth > 64 || fields.any(|f| self.holds_struct(f.ty, id, depth + 1))
            }
            _ => false,
        }
    }

    /// A value as one of an interface that its type conforms to.
    pub(super) fn boxed(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let existential = self.existential(to)?;
        let (from, span) = (self.ty(value), self.span(value));
        if self.extends(from, existential) {
            return self.widened(value, to);
        }
        if !self.may_be(existential, from) {
            return None;
        }
        let Some(variant) = self.variant(existential, from, span) else { return Some(self.error_value(span)) };
        let kind = self.kind_of(variant, span);
        // The other parts are added when all are known.
        Some(self.push(ExprKind::Construct(vec![kind, value]), to, span))
    }

    /// Whether a type is that of values of an interface that extends another one.
    fn extends(&mut self, ty: TypeId, other: usize) -> bool {
        let Some(existential) = self.existentials.list.get(other) else { return false };
        let (of, bounds) = (existential.ty, existential.bounds.clone());
        ty != of
            && self.existential(ty).is_some()
            && !bounds.is_empty()
            && bounds.into_iter().all(|(decl, args)| self.meets(ty, &Bound::Interface(decl, args)))
    }

    /// A value of an interface as one of an interface that it extends.
    fn widened(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let (from, span) = (self.ty(value), self.span(value));
        let decl = self.library_decls(Symbol::new("__asInterface")).first().copied()?;
        let instance = self.instance(decl, WHOLE, vec![Arg::Type(to), Arg::Type(from)])?;
        let function = self.function(instance);
        Some(self.push(ExprKind::Call(function, vec![value]), to, span))
    }

    /// The interface by whose types a function chooses.
    pub(super) fn chooses_by(&self, id: InstanceId) -> Option<TypeId> {
        let instance = self.functions.get(id);
        let signature = &instance.signature;
        if chooses_by_parameter(&self.info(instance.decl)) {
            signature.params.first().map(|p| p.ty)
        } else {
            signature.owner
        }
    }

    pub(super) fn kind_of(&mut self, variant: usize, span: Span) -> ExprId {
        self.push(ExprKind::Literal(Literal::Int(variant as i64), None), TypeId::UINT, span)
    }

    /// Whether a value of an interface is of a type, and its value of that type. `None`: it is not a value of an interface.
    pub(super) fn unboxed(&mut self, value: ExprId, to: TypeId) -> Option<(ExprId, ExprId)> {
        let existential = self.existential(self.ty(value))?;
        let span = self.span(value);
        let variant = self.variant(existential, to, span)?;
        let again = self.copy(value);
        let kind = self.push(ExprKind::Field(value, KIND), TypeId::UINT, span);
        let wanted = self.kind_of(variant, span);
        let is = self.push(ExprKind::Binary(crate::tree::BinaryOp::Equal, kind, wanted), TypeId::BOOL, span);
        let mut exprs = std::mem::take(&mut self.cx.body.exprs);
        let part = self.variant_part(existential, variant, again, &mut exprs);
        self.cx.body.exprs = exprs;
        Some((is, part))
    }

    /// What a conversion costs, where values of interfaces and optional values are made too.
    pub(super) fn conversion_rank(&mut self, from: TypeId, to: TypeId, literal: LiteralKind) -> Option<Rank> {
        if let Some(rank) = convert::rank(&self.program, from, to, literal) {
            return Some(rank);
        }
        if let Some(element) = self.optional_element(to) {
            let held = self.optional_element(from).and_then(|held| self.conversion_rank(held, element, literal));
            let rank = held.or_else(|| self.conversion_rank(from, element, literal));
            return Some(rank? + Rank::WRAPPED);
        }
        if self.same_parts(from, to) {
            return Some(Rank::TRUNCATION);
        }
        let Some(existential) = self.existential(to) else { return self.declared_conversion(from, to) };
        (self.may_be(existential, from) || self.extends(from, existential)).then_some(Rank::WRAPPED)
    }

    /// What the conversion costs of an argument to a type that declares it: by `__implicit_conversion` of a constructor.
    fn declared_conversion(&mut self, from: TypeId, to: TypeId) -> Option<Rank> {
        const MARK: &str = "__implicit_conversion";
        if !matches!(self.program.types.get(to), Type::Struct(_)) || from == TypeId::ERROR {
            return None;
        }
        let constructors = self.constructors(to);
        if !constructors.iter().any(|d| self.info(*d).attribute(MARK).is_some()) {
            return None;
        }
        let value = self.push(ExprKind::Zero, from, Span::default());
        let instance = self.implicit_choice(value, to)?;
        let instance = self.functions.get(instance);
        let (decl, taken) = (instance.decl, instance.signature.params.first()?.ty);
        self.info(decl).attribute(MARK)?;
        Some(convert::rank(&self.program, from, taken, LiteralKind::None)? + Rank::WRAPPED)
    }

    /// Takes note of a method that chooses by the type. False: it is none.
    pub(super) fn chooses(&mut self, id: InstanceId) -> bool {
        let instance = self.functions.get(id);
        let info = self.info(instance.decl);
        let chooses = (info.in_interface || chooses_by_parameter(&info))
            && self.chooses_by(id).is_some_and(|ty| self.existential(ty).is_some());
        if chooses {
            self.existentials.methods.push(id);
        }
        chooses
    }

    /// Makes the bodies of methods of interface values, and completes such values.
    pub(super) fn complete_existentials(&mut self) {
        if self.existentials.list.is_empty() && self.existentials.waiting.is_empty() {
            return;
        }
        let mut choices: Vec<Vec<Choice>> = Vec::new();
        self.find_stored_parameters();
        loop {
            let mut grown = self.find_stored();
            let mut index = 0;
            while let Some(&id) = self.existentials.methods.get(index) {
                if choices.len() <= index {
                    choices.push(Vec::new());
                }
                while let Some(ty) = self.next_variant(id, choices.get(index)) {
                    grown = true;
                    let Some(choice) = self.choice(id, ty) else { return };
                    if let Some(list) = choices.get_mut(index) {
                        list.push(choice);
                    }
                    self.drain();
                }
                index += 1;
            }
            if !grown {
                break;
            }
        }
        self.store_existentials();
        for (id, choices) in self.existentials.methods.clone().into_iter().zip(choices) {
            self.method_body(id, &choices);
        }
        self.complete_values();
        self.finish_stored();
    }

    /// Values of interfaces get their other parts.
    fn complete_values(&mut self) {
        let list = &self.existentials.list;
        let known: FxHashMap<TypeId, &Existential> = list.iter().map(|e| (e.ty, e)).collect();
        let Program { types, functions, globals, .. } = &mut self.program;
        let mut complete = |exprs: &mut ExprArena| {
            let ids: Vec<ExprId> = exprs.ids().collect();
            ids.iter().for_each(|id| store_comparison(&known, exprs, *id));
            for id in ids {
                match known.get(&exprs[id].ty) {
                    Some(existential) if existential.stored.is_none() => complete_value(existential, exprs, id),
                    Some(existential) => store_value(existential, types, exprs, id),
                    None => {}
                }
                store_access(&known, types, exprs, id);
            }
        };
        functions.iter_mut().for_each(|(_, function)| function.bodies_mut(&mut |body| complete(&mut body.exprs)));
        globals.iter_mut().filter_map(|(_, g)| g.init.as_mut()).for_each(|tree| complete(&mut tree.exprs));
    }

    /// All values of interfaces that a value of a type holds.
    pub(super) fn held_existentials(&self, ty: TypeId, depth: u32, out: &mut Vec<usize>) {
        match self.program.types.get(ty) {
            _ if depth > 64 => {}
            Type::Struct(id) => match self.existential(ty) {
                Some(existential) if !out.contains(&existential) => out.push(existential),
                Some(_) => {}
                None => {
                    let fields = self.program.structs[id].fields.iter();
                    fields.for_each(|f| self.held_existentials(f.ty, depth + 1, out));
                }
            },
            other => other.element().into_iter().for_each(|e| self.held_existentials(e, depth + 1, out)),
        }
    }
}

/// `{ kind, value }` with a field for each type: the others are 0.
fn complete_value(existential: &Existential, exprs: &mut ExprArena, id: ExprId) {
    let span = exprs[id].span;
    let Some((kind, value, at)) = boxed_parts(exprs, id) else { return };
    let mut all = vec![kind];
    let mut held = false;
    for (index, variant) in existential.variants.iter().enumerate().filter(|(_, v)| v.field.is_some()) {
        let there = index == at;
        held = held || there;
        let zero = Expr { kind: ExprKind::Zero, ty: variant.ty, span };
        all.push(if there { value } else { exprs.push(zero) });
    }
    exprs[id].kind = ExprKind::Construct(all);
    keep_calls(exprs, id, value, held);
}

/// The number and the value of a value that was made an interface's, before it got its form.
pub(super) fn boxed_parts(exprs: &ExprArena, id: ExprId) -> Option<(ExprId, ExprId, usize)> {
    let ExprKind::Construct(parts) = &exprs[id].kind else { return None };
    let [kind, value] = parts.as_slice() else { return None };
    let ExprKind::Literal(Literal::Int(at), _) = exprs[*kind].kind else { return None };
    Some((*kind, *value, usize::try_from(at).ok()?))
}

/// A value without data is not held, but what its calls do is done.
pub(super) fn keep_calls(exprs: &mut ExprArena, id: ExprId, value: ExprId, held: bool) {
    let calls = |e: ExprId| matches!(exprs[e].kind, ExprKind::Call(..));
    if !held && exprs.any_part(value, calls) {
        let whole = exprs.displace(id);
        exprs[id].kind = ExprKind::Comma(value, whole);
    }
}
