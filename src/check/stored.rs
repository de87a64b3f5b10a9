//! Values of interfaces in memory.
//!
//! Before: `StructuredBuffer<IShape> shapes;                 shapes[i].area()`
//! After:  `struct IShape { uint2 rtti; uint2 kind; AnyValue16 data; }`
//!         `IShape_area(shapes[i])`, a `switch (this.kind.x)` over `Circle_area(reinterpret(this.data))` and its like
//!
//! The bytes are slangc's: 8 for the application, 8 with the number of the type, then those of the value, laid out as in C. A
//! value has this form if the interface is the type of a shader parameter or of a part of one, of what
//! `createDynamicObject` makes, or of a part of what is cast bit by bit; its types are then all that conform, or those
//! that an option lists.

use super::existential::{Existential, KIND, boxed_parts, keep_calls};
use super::function::{InstanceId, WHOLE};
use super::interfaces::InterfaceRef;
use super::scope::{DeclId, What};
use super::types::Name;
use super::{Arg, Checker, Conformance};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    BinaryOp, Build, Expr, ExprArena, ExprId, ExprKind, Field, FunctionBody, FunctionId, GlobalKind, Literal,
    Modifiers, Scalar, Stmt, StmtKind, Struct, Type, TypeId, Types,
};
use rustc_hash::FxHashMap;

/// How values of an interface are stored.
pub(super) struct Stored {
    /// The struct of their words, if there are any.
    data: Option<TypeId>,
    /// For each type with data: the functions that give the words of a value, and the value of words.
    functions: Vec<Option<(FunctionId, FunctionId)>>,
}

/// The field with the words.
const DATA: u32 = 2;
/// The attribute of the library's function that makes a value of an interface from bytes.
const DYNAMIC_OBJECT: &str = "__dynamic_object";
/// The attribute of an interface that gives the bytes of values.
const ANY_VALUE_SIZE: &str = "anyValueSize";
/// Words beyond which a value of an interface is too large to be stored.
const MAX_WORDS: u32 = 256;

/// `TYPE:INTERFACE` or `TYPE:INTERFACE=NUMBER`.
impl std::str::FromStr for Conformance {
    type Err = String;

    fn from_str(text: &str) -> Result<Conformance, String> {
        let fault = || format!("`{text}` is not like TYPE:INTERFACE or TYPE:INTERFACE=NUMBER");
        let dotted = text.replace("::", ".");
        let (names, number) = match dotted.split_once('=') {
            Some((names, number)) => (names, Some(number.trim().parse::<u32>().map_err(|_| fault())?)),
            None => (dotted.as_str(), None),
        };
        let (ty, interface) = names.split_once(':').ok_or_else(fault)?;
        let (ty, interface) = (ty.trim().to_owned(), interface.trim().to_owned());
        if ty.is_empty() || interface.is_empty() { Err(fault()) } else { Ok(Conformance { ty, interface, number }) }
    }
}

impl TryFrom<String> for Conformance {
    type Error = String;

    fn try_from(text: String) -> Result<Conformance, String> {
        text.parse()
    }
}

impl<'a> Checker<'a> {
    // ---- Which are stored ----

    /// Interfaces that shader parameters are of. Values that stages pass on cannot be.
    pub(super) fn find_stored_parameters(&mut self) {
        let mut stored = Vec::new();
        let mut faults: Vec<Span> = Vec::new();
        for (_, global) in self.program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Parameter) {
            self.held_existentials(global.ty, 0, &mut stored);
        }
        for entry in &self.program.entry_points {
            let function = &self.program.functions[entry.function];
            for param in &function.params {
                let local = &function.code.locals[param.local];
                let mut held = Vec::new();
                self.held_existentials(local.ty, 0, &mut held);
                match param.modifiers.has(Modifiers::UNIFORM) {
                    true => stored.extend(held),
                    false if !held.is_empty() => faults.push(local.span),
                    false => {}
                }
            }
            let mut held = Vec::new();
            self.held_existentials(function.result, 0, &mut held);
            if !held.is_empty() {
                faults.push(function.span);
            }
        }
        for span in faults {
            self.unsupported(span, "an input or output of an interface type");
        }
        self.mark_stored(&stored);
    }

    fn mark_stored(&mut self, list: &[usize]) -> bool {
        let mut grown = false;
        for index in list {
            if let Some(existential) = self.existentials.list.get_mut(*index) {
                grown |= !std::mem::replace(&mut existential.is_stored, true);
            }
        }
        grown
    }

    /// Stored values hold stored values, and may be of any type that conforms. Gives whether there is more than before.
    pub(super) fn find_stored(&mut self) -> bool {
        let mut grown = false;
        let mut index = 0;
        while let Some(existential) = self.existentials.list.get(index) {
            if existential.is_stored {
                let (before, span) = (existential.variants.len(), self.program.structs[existential.id].span);
                for (ty, asked) in self.conforming(index) {
                    // Of those that nobody asked for, what cannot be stored is none of them.
                    if asked || !self.program.holds_resource(ty) {
                        self.variant(index, ty, span);
                    }
                }
                let types: Vec<TypeId> = self
                    .existentials
                    .list
                    .get(index)
                    .map(|e| e.variants.iter().map(|v| v.ty).collect())
                    .unwrap_or_default();
                let mut held = Vec::new();
                types.iter().for_each(|ty| self.held_existentials(*ty, 0, &mut held));
                grown |= self.mark_stored(&held) || types.len() > before;
            }
            index += 1;
        }
        grown
    }

    /// The types that conform to an interface, and whether an option lists them; if it lists any, only these.
    fn conforming(&mut self, index: usize) -> Vec<(TypeId, bool)> {
        let given = self.given_conformances(index);
        if !given.is_empty() {
            return given.into_iter().map(|(ty, _)| (ty, true)).collect();
        }
        // Anything may be the associated type of a value: what it is for the types of that value.
        if self.existentials.list.get(index).is_none_or(|e| e.bounds.is_empty()) {
            return Vec::new();
        }
        let types = self.declared_types();
        types.into_iter().filter(|ty| self.may_be(index, *ty)).map(|ty| (ty, false)).collect()
    }

    /// The types that the program declares, generic ones left out.
    fn declared_types(&mut self) -> Vec<TypeId> {
        let mut types = Vec::new();
        for index in 0..self.decls.len() as u32 {
            let decl = DeclId(index);
            if self.source_of(decl).builtin {
                continue;
            }
            let info = self.info(decl);
            let ty = match info.what {
                What::Struct(s) if s.generics.is_none() && s.members.is_some() => {
                    self.instantiate_struct(decl, Vec::new(), info.span)
                }
                What::Enum(_) => self.enum_type(decl),
                What::Extension(e) if e.generics.is_none() => {
                    self.quiet(|c| c.resolve_extension_target(&e.target, info.scope))
                }
                _ => continue,
            };
            if ty != TypeId::ERROR && !types.contains(&ty) {
                types.push(ty);
            }
        }
        types
    }

    /// What the options list for an interface.
    fn given_conformances(&mut self, index: usize) -> Vec<(TypeId, Option<u32>)> {
        let bounds = self.existentials.list.get(index).map(|e| e.bounds.clone()).unwrap_or_default();
        let [(interface, _)] = bounds.as_slice() else { return Vec::new() };
        let options = self.options;
        let mut list = Vec::new();
        for given in &options.conformances {
            if !matches!(self.named_outside(&given.interface), Some(Name::Interface(decl, _)) if decl == *interface) {
                continue;
            }
            if let Some(Name::Type(ty)) = self.named_outside(&given.ty) {
                list.push((ty, given.number));
            }
        }
        list
    }

    /// Reports what options list and the program does not have, or what does not conform.
    fn check_given_conformances(&mut self) {
        let options = self.options;
        for given in &options.conformances {
            let interface = match self.named_outside(&given.interface) {
                Some(Name::Interface(decl, _)) => decl,
                _ => {
                    let message =
                        format!("there is no interface `{}`, to which `{}` shall conform", given.interface, given.ty);
                    self.diags.push(Diagnostic::global(Code::UNDECLARED, message));
                    continue;
                }
            };
            let conforms = match self.named_outside(&given.ty) {
                Some(Name::Type(ty)) => self.conformances(ty).iter().any(|(decl, _)| *decl == interface),
                _ => {
                    let message =
                        format!("there is no type `{}`, which shall conform to `{}`", given.ty, given.interface);
                    self.diags.push(Diagnostic::global(Code::UNDECLARED, message));
                    continue;
                }
            };
            if !conforms {
                let message = format!("`{}` does not conform to `{}`", given.ty, given.interface);
                self.diags.push(Diagnostic::global(Code::CONSTRAINT, message));
            }
        }
    }

    /// Takes note of a function of the library that needs the form of stored values. False: it does not.
    pub(super) fn waits_for_stored(&mut self, id: InstanceId, types: &[TypeId]) -> bool {
        let mut held = Vec::new();
        types.iter().for_each(|ty| self.held_existentials(*ty, 0, &mut held));
        let open = |index: &usize| self.existentials.list.get(*index).is_some_and(|e| e.stored.is_none());
        if !held.iter().any(open) {
            return false;
        }
        self.mark_stored(&held);
        self.existentials.waiting.push(id);
        true
    }

    /// Whether a function makes values of an interface from bytes; its body is made when their form is known.
    pub(super) fn makes_dynamic_object(&mut self, id: InstanceId) -> bool {
        let instance = self.functions.get(id);
        let (decl, args) = (instance.decl, instance.args.clone());
        if self.info(decl).attribute(DYNAMIC_OBJECT).is_none() {
            return false;
        }
        let Some(Arg::Type(made)) = args.first() else { return false };
        let span = self.user_span.unwrap_or(self.info(decl).span);
        if self.existential(*made).is_none() {
            let text = self.type_text(*made);
            self.error(
                Code::CONSTRAINT,
                span,
                format!("`createDynamicObject` makes values of interfaces; `{text}` is none"),
            );
        } else {
            self.waits_for_stored(id, &[*made]);
        }
        true
    }

    // ---- Their form ----

    /// Gives stored values their form.
    pub(super) fn store_existentials(&mut self) {
        self.check_given_conformances();
        for index in 0..self.existentials.list.len() {
            self.store(index, 0);
        }
    }

    fn store(&mut self, index: usize, depth: u32) {
        let Some(existential) = self.existentials.list.get(index).filter(|e| e.is_stored && e.stored.is_none()) else {
            return;
        };
        let (id, bounds) = (existential.id, existential.bounds.clone());
        let variants = existential.variants.clone();
        let (name, span) = (self.program.structs[id].name, self.program.structs[id].span);
        if variants.is_empty() {
            // What no entry point runs needs no type.
            if let Some(used) = self.use_of_existential(index) {
                let message = format!("no type conforms to `{name}`, of which this is a value from outside");
                let note = "declare such a type, or compile together with the file of one";
                self.diags.push(Diagnostic::error(Code::CONSTRAINT, used, message).note(note));
            }
            return;
        }
        if depth > 32 {
            return self.unsupported(span, "a value of an interface type that holds so many others");
        }
        let mut held = Vec::new();
        variants.iter().for_each(|v| self.held_existentials(v.ty, 0, &mut held));
        held.into_iter().for_each(|inner| self.store(inner, depth + 1));
        let Some(words) = self.stored_words(&bounds, &variants.iter().map(|v| v.ty).collect::<Vec<_>>(), span) else {
            return;
        };
        self.number_variants(index);
        let data = (words > 0).then(|| self.words_struct(words, id));
        let pair = self.program.types.vector(Scalar::U32, 2);
        let mut fields = vec![Field::new("rtti", pair, span), Field::new("kind", pair, span)];
        fields.extend(data.map(|ty| Field::new("data", ty, span)));
        self.program.structs[id].fields = fields;
        let functions = variants.iter().map(|v| {
            let data = data.filter(|_| v.field.is_some())?;
            Some((self.word_cast(data, v.ty)?, self.word_cast(v.ty, data)?))
        });
        let functions = functions.collect();
        if let Some(existential) = self.existentials.list.get_mut(index) {
            existential.stored = Some(Stored { data, functions });
        }
    }

    /// Where what entry points run has a value of an interface. Without entry points all functions count.
    fn use_of_existential(&self, index: usize) -> Option<Span> {
        let program = &self.program;
        let mut roots: Vec<FunctionId> = program.entry_points.iter().flat_map(|e| e.roots()).collect();
        if roots.is_empty() {
            roots.extend(program.functions.ids());
        }
        let (functions, _) = program.analyses().reached(roots.into_iter());
        let holds = |ty: TypeId| {
            let mut held = Vec::new();
            self.held_existentials(ty, 0, &mut held);
            held.contains(&index)
        };
        functions.into_iter().find_map(|id| {
            let code = &program.functions[id].code;
            let exprs = code.exprs.iter().map(|(_, e)| (e.ty, e.span));
            let mut values = code.locals.iter().map(|(_, l)| (l.ty, l.span)).chain(exprs);
            values.find(|(ty, span)| !span.file.is_library() && holds(*ty)).map(|(_, span)| span)
        })
    }

    /// How many words values have: as many as the interface says, or as the largest type needs.
    fn stored_words(&mut self, bounds: &[InterfaceRef], types: &[TypeId], span: Span) -> Option<u32> {
        let sized = bounds.iter().find_map(|(decl, _)| {
            let info = self.info(*decl);
            info.attribute(ANY_VALUE_SIZE).and_then(|a| a.args.first()).map(|size| (size, info.scope))
        });
        let limit = sized.and_then(|(size, scope)| self.constant_int(size, scope));
        let limit = limit.and_then(|n| u32::try_from(n).ok());
        let mut most = 0;
        for ty in types {
            let size = self.natural_layout(*ty).0;
            if let Some(limit) = limit.filter(|limit| size > *limit) {
                let text = self.type_text(*ty);
                let message = format!("`{text}` has {size} bytes; a value of the interface has {limit} for it");
                self.diags.push(Diagnostic::error(Code::CONSTRAINT, span, message));
                return None;
            }
            most = most.max(size);
        }
        let words = limit.unwrap_or(most).div_ceil(4);
        if words > MAX_WORDS {
            self.unsupported(span, &format!("a value of an interface type of more than {} bytes", MAX_WORDS * 4));
            return None;
        }
        Some(words)
    }

    /// Numbers as options give them; the others get those that are free, in order of declaration.
    fn number_variants(&mut self, index: usize) {
        let given = self.given_conformances(index);
        let order: Vec<TypeId> = match given.is_empty() {
            true => self.conforming(index).into_iter().map(|(ty, _)| ty).collect(),
            false => given.iter().map(|(ty, _)| *ty).collect(),
        };
        let Some(existential) = self.existentials.list.get_mut(index) else { return };
        let mut taken: Vec<u32> = given.iter().filter_map(|(_, number)| *number).collect();
        let mut next = 0;
        let listed = |ty: TypeId| given.iter().find(|(t, _)| *t == ty).and_then(|(_, number)| *number);
        let rest: Vec<TypeId> = existential.variants.iter().map(|v| v.ty).filter(|ty| !order.contains(ty)).collect();
        for ty in order.into_iter().chain(rest) {
            let number = listed(ty).unwrap_or_else(|| {
                while taken.contains(&next) {
                    next += 1;
                }
                taken.push(next);
                next
            });
            if let Some(variant) = existential.variants.iter_mut().find(|v| v.ty == ty) {
                variant.number = number;
            }
        }
    }

    /// A struct of so many words.
    fn words_struct(&mut self, words: u32, beside: crate::tree::StructId) -> TypeId {
        let name = Symbol::new(&format!("AnyValue{}", words * 4));
        let made = self.program.structs.iter().find(|(_, s)| s.made && s.name == name).map(|(id, _)| id);
        let id = match made {
            Some(id) => id,
            None => {
                let span = self.program.structs[beside].span;
                let fields = (0..words).map(|i| Field::new(format!("word{i}").as_str(), TypeId::UINT, span)).collect();
                let id = self.program.structs.push(Struct { made: true, ..Struct::new(name.as_str(), fields, span) });
                self.structs.decls.extend(self.struct_decl(beside));
                id
            }
        };
        self.program.types.intern(Type::Struct(id))
    }

    /// The library's function that gives the bits of a type as another.
    fn word_cast(&mut self, to: TypeId, from: TypeId) -> Option<FunctionId> {
        let decl = self.library_decls(Symbol::new("reinterpret")).first().copied()?;
        let instance = self.instance(decl, WHOLE, vec![Arg::Type(to), Arg::Type(from)])?;
        Some(self.function(instance))
    }

    /// Makes the bodies that needed the form of stored values.
    pub(super) fn finish_stored(&mut self) {
        if self.diags.has_errors() {
            return;
        }
        for id in std::mem::take(&mut self.existentials.waiting) {
            if !self.casts_by_words(id) {
                self.dynamic_object_body(id);
            }
        }
        self.drain();
    }

    /// `IShape createDynamicObject(uint kind, T data) { return { 0, uint2(kind, 0), reinterpret(data) }; }`
    fn dynamic_object_body(&mut self, id: InstanceId) {
        let instance = self.functions.get(id);
        let (Some(function), Some(Arg::Type(made))) = (instance.function, instance.args.first().cloned()) else {
            return;
        };
        let given = match instance.args.get(1) {
            Some(Arg::Type(ty)) => Some(*ty),
            _ => None,
        };
        let span = self.info(instance.decl).span;
        let stored = self.existential(made).and_then(|e| self.existentials.list.get(e)).and_then(|e| e.stored.as_ref());
        let Some(data) = stored.map(|s| s.data) else { return };
        let cast = match (data, given) {
            (Some(data), Some(given)) if data != given => self.word_cast(data, given),
            _ => None,
        };
        let code = &mut self.program.functions[function].code;
        let locals: Vec<_> = code.locals.ids().collect();
        let mut b = Build::new(&mut self.program.types, &mut code.exprs, span);
        let mut parts = Vec::new();
        let pair = b.types.vector(Scalar::U32, 2);
        parts.push(b.add(ExprKind::Zero, pair));
        if let Some(kind) = locals.first() {
            let (kind, zero) = (b.local(*kind, TypeId::UINT), b.uint(0));
            parts.push(b.construct(vec![kind, zero], pair));
        }
        if let Some(data) = data {
            let value = given.zip(locals.get(1)).map(|(ty, local)| b.local(*local, ty));
            parts.push(match (value, cast) {
                (Some(value), Some(cast)) => b.call(cast, vec![value], data),
                (Some(value), None) => value,
                (None, _) => b.add(ExprKind::Zero, data),
            });
        }
        let value = b.construct(parts, made);
        code.block.stmts = vec![Stmt::new(StmtKind::Return(Some(value)), span)];
        self.program.functions[function].body = FunctionBody::Block;
        self.program.functions[function].inline = false;
        self.program.functions[function].comments.clear();
    }
}

/// `{ 0, uint2(kind, 0), reinterpret(value) }`
pub(super) fn store_value(existential: &Existential, types: &mut Types, exprs: &mut ExprArena, id: ExprId) {
    let (Some(stored), Some((kind, value, at))) = (&existential.stored, boxed_parts(exprs, id)) else { return };
    let span = exprs[id].span;
    let number = existential.variants.get(at).map_or(0, |v| v.number);
    let functions = stored.functions.get(at).copied().flatten();
    exprs[kind].kind = ExprKind::Literal(Literal::Int(number.into()), None);
    let mut b = Build::new(types, exprs, span);
    let pair = b.types.vector(Scalar::U32, 2);
    let zero = b.uint(0);
    let mut parts = vec![b.add(ExprKind::Zero, pair), b.construct(vec![kind, zero], pair)];
    if let Some(data) = stored.data {
        parts.push(match functions {
            Some((words, _)) => b.call(words, vec![value], data),
            None => b.add(ExprKind::Zero, data),
        });
    }
    exprs[id].kind = ExprKind::Construct(parts);
    keep_calls(exprs, id, value, functions.is_some());
}

/// `value.kind == 1` names a type by its place among those of the interface so far; now by its number.
pub(super) fn store_comparison(known: &FxHashMap<TypeId, &Existential>, exprs: &mut ExprArena, id: ExprId) {
    if let ExprKind::Binary(BinaryOp::Equal, a, b) = exprs[id].kind
        && let (ExprKind::Field(whole, KIND), ExprKind::Literal(Literal::Int(at), _)) = (&exprs[a].kind, &exprs[b].kind)
        && let Some(existential) = known.get(&exprs[*whole].ty).filter(|e| e.stored.is_some())
    {
        let number = usize::try_from(*at).ok().and_then(|i| existential.variants.get(i)).map_or(0, |v| v.number);
        exprs[b].kind = ExprKind::Literal(Literal::Int(number.into()), None);
    }
}

/// The number of a stored value's type, and its value of one of them.
pub(super) fn store_access(
    known: &FxHashMap<TypeId, &Existential>,
    types: &mut Types,
    exprs: &mut ExprArena,
    id: ExprId,
) {
    let ExprKind::Field(whole, index) = exprs[id].kind else { return };
    let Some(existential) = known.get(&exprs[whole].ty) else { return };
    let Some(stored) = &existential.stored else { return };
    let span = exprs[id].span;
    let mut b = Build::new(types, exprs, span);
    if index == KIND {
        let pair = b.types.vector(Scalar::U32, 2);
        let field = b.field(whole, 1, pair);
        exprs[id].kind = ExprKind::Swizzle(field, crate::tree::Swizzle::new(&[0]));
        return;
    }
    let at = existential.variants.iter().position(|v| v.field == Some(index));
    let functions = at.and_then(|at| stored.functions.get(at).copied().flatten());
    if let (Some((_, value)), Some(data)) = (functions, stored.data) {
        let data = b.field(whole, DATA, data);
        exprs[id] = Expr { kind: ExprKind::Call(value, vec![data]), ..exprs[id].clone() };
    }
}
