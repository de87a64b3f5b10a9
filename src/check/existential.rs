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
//! is not known to be of one of them: that is an error.

use super::expr::decl_of;
use super::function::{InstanceId, Signature, WHOLE};
use super::interfaces::{Bound, InterfaceRef};
use super::scope::{DeclId, ScopeId, What};
use super::{Arg, Checker};
use crate::ast::{GenericArg, GenericParamKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Block, Body, Build, Expr, ExprArena, ExprId, ExprKind, Field, FunctionBody, FunctionId, GlobalKind, Hints, Literal,
    ParamMode, Stmt, StmtKind, Struct, StructId, SwitchCase, Type, TypeId, Types,
};
use rustc_hash::FxHashMap;

/// All interfaces of which there are values.
#[derive(Default)]
pub(super) struct Existentials {
    list: Vec<Existential>,
    of_type: FxHashMap<TypeId, usize>,
    /// Methods whose bodies choose by the type.
    methods: Vec<InstanceId>,
}

/// An interface as a type of values.
struct Existential {
    interface: InterfaceRef,
    id: StructId,
    ty: TypeId,
    /// The types that a value may be of, each with the field that holds it: one without data has none.
    variants: Vec<(TypeId, Option<u32>)>,
}

/// What a method is for one of the types.
struct Choice {
    function: FunctionId,
    /// By parameter: which of the types of an interface value the method takes.
    args: Vec<Option<usize>>,
    /// Which of the types of an interface value the method gives.
    result: Option<usize>,
}

/// The field that tells the type.
const KIND: u32 = 0;

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
        let interface = (decl, args);
        if let Some(known) = self.existentials.list.iter().find(|e| e.interface == interface) {
            return known.ty;
        }
        let info = self.info(decl);
        let suffix = self.args_text(&interface.1);
        let name = if suffix.is_empty() { info.name } else { Symbol::new(&format!("{}_{suffix}", info.name)) };
        let kind = Field::new("kind", TypeId::UINT, info.span);
        let id = self.program.structs.push(Struct::new(name.as_str(), vec![kind], info.span));
        self.structs.decls.push(decl);
        let ty = self.program.types.intern(Type::Struct(id));
        self.existentials.of_type.insert(ty, self.existentials.list.len());
        self.existentials.list.push(Existential { interface: interface.clone(), id, ty, variants: Vec::new() });
        let (decl, args) = interface;
        let scope = self.interface_scope(decl, &args, ty);
        self.structs.add_existential(decl, args, ty, scope);
        for (base, args) in self.conformances(ty) {
            let inherited = self.interface_scope(base, &args, ty);
            if inherited != scope {
                self.at_mut(scope).opened.push(inherited);
            }
        }
        ty
    }

    fn existential(&self, ty: TypeId) -> Option<usize> {
        self.existentials.of_type.get(&ty).copied()
    }

    /// The number of a type among those that an interface value may be of; makes it one of them.
    fn variant(&mut self, existential: usize, ty: TypeId, span: Span) -> Option<usize> {
        let Existential { interface, id, variants, .. } = self.existentials.list.get(existential)?;
        let id = *id;
        if let Some(known) = variants.iter().position(|v| v.0 == ty) {
            return Some(known);
        }
        let (decl, args) = interface.clone();
        if self.existential(ty).is_some() || !self.meets(ty, &Bound::Interface(decl, args)) {
            return None;
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
            let text = self.type_text(ty);
            let mut letters = text.chars();
            let first: String = letters.next().map(|c| c.to_ascii_lowercase()).into_iter().collect();
            let name = format!("{first}{}", letters.as_str());
            self.program.structs[id].fields.push(Field::new(name.as_str(), ty, span));
        }
        let list = &mut self.existentials.list.get_mut(existential)?.variants;
        list.push((ty, field));
        Some(list.len() - 1)
    }

    /// The value of one of its types in an interface value.
    fn variant_part(&self, existential: usize, variant: usize, whole: ExprId, code: &mut ExprArena) -> ExprId {
        let found = self.existentials.list.get(existential).and_then(|e| e.variants.get(variant)).copied();
        let (ty, field) = found.unwrap_or((TypeId::ERROR, None));
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
        let (decl, args) = self.existentials.list.get(existential)?.interface.clone();
        if self.existential(from).is_some() || !self.meets(from, &Bound::Interface(decl, args)) {
            return None;
        }
        let Some(variant) = self.variant(existential, from, span) else { return Some(self.error_value(span)) };
        let kind = self.kind_of(variant, span);
        // The other parts are added when all are known.
        Some(self.push(ExprKind::Construct(vec![kind, value]), to, span))
    }

    fn kind_of(&mut self, variant: usize, span: Span) -> ExprId {
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

    /// The interface type that an associated type of an interface value is, by its bound.
    pub(super) fn associated_existential(&mut self, decl: DeclId) -> Option<TypeId> {
        let info = self.info(decl);
        self.existential(info.owner?)?;
        let What::Associated(param) = info.what else { return None };
        let GenericParamKind::Type { bounds, .. } = &param.kind else { return None };
        for bound in bounds {
            for bound in self.bounds(bound, info.scope) {
                if let Bound::Interface(interface, args) = bound
                    && !self.source_of(interface).builtin
                {
                    return Some(self.existential_of(interface, args));
                }
            }
        }
        None
    }

    /// Takes note of a method that chooses by the type. False: it is none.
    pub(super) fn chooses(&mut self, id: InstanceId) -> bool {
        let instance = self.functions.get(id);
        let (signature, decl) = (instance.signature.clone(), instance.decl);
        let chooses = !signature.is_static
            && self.info(decl).in_interface
            && signature.owner.is_some_and(|o| self.existential(o).is_some());
        if chooses {
            self.existentials.methods.push(id);
        }
        chooses
    }

    /// Makes the bodies of methods of interface values, and completes such values.
    pub(super) fn complete_existentials(&mut self) {
        let mut choices: Vec<Vec<Choice>> = Vec::new();
        loop {
            let mut grown = false;
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
        for (id, choices) in self.existentials.methods.clone().into_iter().zip(choices) {
            self.method_body(id, &choices);
        }
        self.complete_values();
        self.check_existential_parameters();
    }

    /// The next type that a method has no choice for.
    fn next_variant(&self, id: InstanceId, choices: Option<&Vec<Choice>>) -> Option<TypeId> {
        let owner = self.functions.get(id).signature.owner?;
        let existential = self.existentials.list.get(self.existential(owner)?)?;
        existential.variants.get(choices?.len()).map(|v| v.0)
    }

    /// What a method is for a type. Reports if there is nothing that fits.
    fn choice(&mut self, id: InstanceId, ty: TypeId) -> Option<Choice> {
        let instance = self.functions.get(id).clone();
        let info = self.info(instance.decl);
        let wanted = instance.signature.clone();
        let members: Vec<DeclId> = self.members(ty, info.name).into_iter().filter_map(decl_of).collect();
        for decl in members {
            let found = match (self.info(decl).what, info.what) {
                (What::Function(f), What::Function(g)) if f.params.len() == g.params.len() => {
                    let generics = f.generics.as_ref().map_or(0, |g| g.params.len());
                    let fits = generics + self.implicit_params(decl).len() == instance.args.len();
                    if fits { self.instance(decl, WHOLE, instance.args.clone()) } else { None }
                }
                (What::Property(p), What::Property(q)) | (What::Subscript(p), What::Subscript(q)) => {
                    let name = q.accessors.get(instance.accessor as usize).map(|a| a.name.name);
                    let accessor = p.accessors.iter().position(|a| Some(a.name.name) == name);
                    accessor.and_then(|i| self.instance(decl, i as u32, instance.args.clone()))
                }
                _ => None,
            };
            if let Some(found) = found
                && let Some((args, result)) = self.adapted(&wanted, found)
            {
                let function = self.function(found);
                return Some(Choice { function, args, result });
            }
        }
        let text = self.type_text(ty);
        self.unsupported(info.span, &format!("a call of `{}` on an interface value that may be a `{text}`", info.name));
        None
    }

    /// How the parameters and the result of a method of an interface become those of a type's own.
    fn adapted(&mut self, wanted: &Signature<'a>, found: InstanceId) -> Option<(Vec<Option<usize>>, Option<usize>)> {
        let own = self.functions.get(found).signature.clone();
        if own.is_static || own.is_constructor || own.params.len() != wanted.params.len() {
            return None;
        }
        let mut args = Vec::new();
        for (own, wanted) in own.params.iter().zip(&wanted.params) {
            if own.mode != wanted.mode {
                return None;
            }
            args.push(match own.ty == wanted.ty {
                true => None,
                false if own.mode == ParamMode::In => {
                    let existential = self.existential(wanted.ty)?;
                    Some(self.variant(existential, own.ty, own.span)?)
                }
                false => return None,
            });
        }
        let result = match own.result == wanted.result {
            true => None,
            false => {
                let existential = self.existential(wanted.result)?;
                Some(self.variant(existential, own.result, Span::default())?)
            }
        };
        Some((args, result))
    }

    fn method_body(&mut self, id: InstanceId, choices: &[Choice]) {
        let instance = self.functions.get(id);
        let (Some(function), signature) = (instance.function, instance.signature.clone()) else { return };
        let Some(owner) = signature.owner else { return };
        let span = self.info(instance.decl).span;
        let mut code = std::mem::take(&mut self.program.functions[function].code);
        let mut cases = Vec::new();
        for (index, choice) in choices.iter().enumerate() {
            let mut stmts = self.chosen(&mut code, choice, index, owner, &signature, span);
            let last = index + 1 == choices.len();
            if signature.result == TypeId::VOID && choices.len() > 1 {
                stmts.push(Stmt::new(StmtKind::Break, span));
            }
            let label = (!last).then(|| {
                let number = ExprKind::Literal(Literal::Int(index as i64), None);
                code.exprs.push(Expr { kind: number, ty: TypeId::UINT, span })
            });
            let body = Block::of(stmts);
            cases.push(SwitchCase { labels: vec![label], comments: Vec::new(), body });
        }
        code.block = match cases.len() {
            // Nothing conforms: a value of the type is never made.
            0 => {
                let value = (signature.result != TypeId::VOID)
                    .then(|| code.exprs.push(Expr { kind: ExprKind::Zero, ty: signature.result, span }));
                Block::of(vec![Stmt::new(StmtKind::Return(value), span)])
            }
            1 => cases.pop().map(|c| c.body).unwrap_or_default(),
            _ => {
                let this = this_of(&mut self.program.types, &mut code, owner, span);
                let kind = code.exprs.push(Expr { kind: ExprKind::Field(this, KIND), ty: TypeId::UINT, span });
                let choose = StmtKind::Switch(kind, cases, Hints::default());
                Block::of(vec![Stmt::new(choose, span)])
            }
        };
        self.program.functions[function].code = code;
        self.program.functions[function].body = FunctionBody::Block;
    }

    /// `return own(this.part, arguments);`
    fn chosen(
        &mut self,
        code: &mut Body,
        choice: &Choice,
        variant: usize,
        owner: TypeId,
        signature: &Signature<'a>,
        span: Span,
    ) -> Vec<Stmt> {
        let result = self.program.functions[choice.function].result;
        let locals: Vec<_> = code.locals.ids().collect();
        let this = this_of(&mut self.program.types, code, owner, span);
        let mut args = Vec::new();
        if let Some(existential) = self.existential(owner) {
            args.push(self.variant_part(existential, variant, this, &mut code.exprs));
        }
        for ((local, param), unboxed) in locals.iter().skip(1).zip(&signature.params).zip(&choice.args) {
            let whole = code.exprs.push(Expr { kind: ExprKind::Local(*local), ty: param.ty, span });
            args.push(match (unboxed, self.existential(param.ty)) {
                (Some(variant), Some(existential)) => self.variant_part(existential, *variant, whole, &mut code.exprs),
                _ => whole,
            });
        }
        let mut b = Build::new(&mut self.program.types, &mut code.exprs, span);
        let call = b.call(choice.function, args, result);
        if signature.result == TypeId::VOID {
            return vec![Stmt::new(StmtKind::Expr(call), span)];
        }
        let value = match choice.result {
            Some(variant) => {
                let kind = b.uint(variant as u32);
                b.construct(vec![kind, call], signature.result)
            }
            None => call,
        };
        vec![Stmt::new(StmtKind::Return(Some(value)), span)]
    }

    /// Values of interfaces get their other parts.
    fn complete_values(&mut self) {
        let known: FxHashMap<TypeId, Vec<(TypeId, Option<u32>)>> =
            self.existentials.list.iter().map(|e| (e.ty, e.variants.clone())).collect();
        self.program.each_arena_mut(&mut |exprs: &mut ExprArena| {
            for id in exprs.ids().collect::<Vec<_>>() {
                let Expr { ty, span, .. } = exprs[id];
                let (Some(variants), ExprKind::Construct(parts)) = (known.get(&ty), exprs[id].kind.clone()) else {
                    continue;
                };
                let [kind, value] = parts.as_slice() else { continue };
                let ExprKind::Literal(Literal::Int(at), _) = exprs[*kind].kind else { continue };
                let mut all = vec![*kind];
                let mut held = false;
                for (index, (ty, _)) in variants.iter().enumerate().filter(|(_, v)| v.1.is_some()) {
                    let there = i64::try_from(index).is_ok_and(|i| i == at);
                    held = held || there;
                    all.push(if there { *value } else { exprs.push(Expr { kind: ExprKind::Zero, ty: *ty, span }) });
                }
                exprs[id].kind = ExprKind::Construct(all);
                let calls = |e: ExprId| matches!(exprs[e].kind, ExprKind::Call(..));
                if !held && exprs.post_order(*value).into_iter().any(calls) {
                    let whole = exprs.displace(id);
                    exprs[id].kind = ExprKind::Comma(*value, whole);
                }
            }
        });
    }

    /// What the application gives to a shader cannot be a value of an interface.
    fn check_existential_parameters(&mut self) {
        let mut faults: Vec<Span> = Vec::new();
        let parameters = self.program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Parameter);
        faults.extend(parameters.filter(|(_, g)| self.holds_existential(g.ty, 0)).map(|(_, g)| g.span));
        for entry in &self.program.entry_points {
            let function = &self.program.functions[entry.function];
            let locals = function.params.iter().map(|p| &function.code.locals[p.local]);
            faults.extend(locals.filter(|l| self.holds_existential(l.ty, 0)).map(|l| l.span));
            if self.holds_existential(function.result, 0) {
                faults.push(function.span);
            }
        }
        for span in faults {
            self.unsupported(span, "a shader parameter of an interface type (dynamic dispatch)");
        }
    }

    fn holds_existential(&self, ty: TypeId, depth: u32) -> bool {
        match self.program.types.get(ty) {
            _ if depth > 64 => false,
            Type::Struct(id) => {
                let mut fields = self.program.structs[id].fields.iter();
                self.existential(ty).is_some() || fields.any(|f| self.holds_existential(f.ty, depth + 1))
            }
            other => other.element().is_some_and(|e| self.holds_existential(e, depth + 1)),
        }
    }
}

/// The `this` of a method.
fn this_of(types: &mut Types, code: &mut Body, owner: TypeId, span: Span) -> ExprId {
    let first = code.locals.ids().next();
    let mut b = Build::new(types, &mut code.exprs, span);
    match first {
        Some(local) => b.local(local, owner),
        None => b.add(ExprKind::Zero, owner),
    }
}
