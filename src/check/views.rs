//! What a generic body sees of its arguments.
//!
//! Bodies are checked once per instance, with the types of the arguments in place of the parameters. Overloads are
//! nevertheless those that the constraints of a parameter give: `t.f(1.5)` with `T : I` calls what implements `I.f(int)`, also
//! where the argument has an `f(float)` besides; and a method of an extension of all that conforms to `I` is called where `I`
//! is all that is known, also where the argument has a method of that name which `I` does not ask for.

use super::Checker;
use super::function::{InstanceId, ParamSignature};
use super::interfaces::{Bound, InterfaceRef};
use super::scope::{DeclId, DeclInfo, Entity, Found, ScopeId, What};
use crate::ast::{self, GenericParamKind, Generics, TypeExpr, TypeKind};
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, LocalId, TypeId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The interfaces that a value is known by where its type is a parameter.
pub(super) type View = Rc<[InterfaceRef]>;

/// Where types are parameters.
#[derive(Default)]
pub(super) struct Views<'a> {
    /// Generic parameters, by the scope in which they stand for arguments.
    generics: FxHashMap<ScopeId, &'a Generics>,
    /// Members of whatever conforms: defaults of an interface, an extension of a parameter.
    members: FxHashMap<ScopeId, View>,
    /// Methods as an interface shows them: what it asks for and what implements that, with the declaration that stands for both.
    shown: FxHashMap<(DeclId, DeclId), DeclId>,
    /// The same by that declaration.
    pub implementations: FxHashMap<DeclId, Shown>,
}

/// What a method is that an interface shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// What the interface asks for, whose default arguments are meant.
    pub wanted: DeclId,
    pub implementation: DeclId,
}

impl<'a> Checker<'a> {
    /// Remembers that generic parameters stand for arguments in a scope.
    pub(super) fn note_generics(&mut self, scope: ScopeId, generics: &'a Generics) {
        self.views.generics.insert(scope, generics);
    }

    /// The generic parameters that stand for arguments in a scope.
    pub(super) fn generics_of(&self, scope: ScopeId) -> Option<&'a Generics> {
        self.views.generics.get(&scope).copied()
    }

    /// Remembers that a scope holds members of whatever conforms to interfaces.
    pub(super) fn note_members(&mut self, scope: ScopeId, view: View) {
        self.views.members.insert(scope, view);
    }

    /// The interfaces whose members a scope holds.
    pub(super) fn interfaces_around(&self, scope: ScopeId) -> Option<View> {
        self.views.members.get(&scope).cloned()
    }

    /// Remembers that a scope holds members of an extension, if that is one of whatever conforms.
    pub(super) fn note_extension(&mut self, scope: ScopeId, extension: &'a ast::ExtensionDecl, outer: ScopeId) {
        let Some(generics) = &extension.generics else { return };
        let param = generics.params.iter().find(|p| is_name(&extension.target, p.name.name));
        if let Some(view) = param.and_then(|p| self.view_by_generics(generics, p.name.name, outer)) {
            self.note_members(scope, view);
        }
    }

    /// Remembers the view of a parameter of a function.
    pub(super) fn note_param_view(&mut self, local: LocalId, param: &ParamSignature<'a>, scope: ScopeId) {
        let Some(ast::DeclKind::Var(var)) = param.decl.map(|d| &d.kind) else { return };
        if self.in_builtin() {
            return;
        }
        self.cx.written.insert(local, (&var.ty, scope));
        let view = match self.view_of_interface(&var.ty, param.ty, scope) {
            Some(view) => Some(view),
            None => self.view_of_type(&var.ty, scope),
        };
        if let Some(view) = view {
            self.cx.views.insert(local, view);
        }
    }

    /// Remembers the view of a variable by its written type, or by its value's where it is inferred.
    pub(super) fn note_local_view(
        &mut self,
        local: LocalId,
        written: &'a TypeExpr,
        value: Option<ExprId>,
        scope: ScopeId,
    ) {
        // The library's bodies mean what they call by its name.
        if self.in_builtin() {
            return;
        }
        let known = match (&written.kind, value) {
            (TypeKind::Infer, value) => value.and_then(|v| self.written_type_of(v)),
            _ => Some((written, scope)),
        };
        if let Some(known) = known {
            self.cx.written.insert(local, known);
        }
        let view = match (&written.kind, value) {
            (TypeKind::Infer, value) => value.and_then(|v| self.view_of(v)),
            _ => self.view_of_type(written, scope),
        };
        if let Some(view) = view {
            self.cx.views.insert(local, view);
        }
    }

    /// The view of a written type, arrays of it included.
    pub(super) fn view_of_type(&mut self, written: &'a TypeExpr, scope: ScopeId) -> Option<View> {
        match &written.kind {
            TypeKind::Array(inner, _) | TypeKind::Modified(_, inner) => self.view_of_type(inner, scope),
            TypeKind::This => self.view_of_members(scope),
            TypeKind::Path(path) => match path.as_slice() {
                [only] if only.args.is_none() => self.view_of_param(only.name.name, scope),
                _ => None,
            },
            _ => None,
        }
    }

    /// The view that the members around a place have of `this`.
    fn view_of_members(&self, scope: ScopeId) -> Option<View> {
        self.outward(scope).find_map(|id| self.views.members.get(&id)).cloned()
    }

    fn view_of_param(&mut self, name: Symbol, scope: ScopeId) -> Option<View> {
        let holder = self.outward(scope).find(|id| !self.named(*id, name).is_empty())?;
        let generics = *self.views.generics.get(&holder)?;
        self.view_by_generics(generics, name, holder)
    }

    /// What the constraints of a generic parameter say, if they are interfaces alone.
    pub(super) fn view_by_generics(&mut self, generics: &'a Generics, name: Symbol, scope: ScopeId) -> Option<View> {
        view_by_bounds(self.bounds_of_parameter(generics, name, scope))
    }

    /// All constraints of a generic parameter.
    pub(super) fn bounds_of_parameter(&mut self, generics: &'a Generics, name: Symbol, scope: ScopeId) -> Vec<Bound> {
        let own = generics.params.iter().filter(|p| p.name.name == name).filter_map(|p| match &p.kind {
            GenericParamKind::Type { bounds, .. } => Some(bounds),
            _ => None,
        });
        let further =
            generics.constraints.iter().filter(|(subject, _)| is_name(subject, name)).map(|(_, bounds)| bounds);
        let written: Vec<&'a TypeExpr> = own.chain(further).flatten().collect();
        self.quiet(|c| written.into_iter().flat_map(|b| c.bounds(b, scope)).collect())
    }

    /// The view of a parameter of a function whose written type is an interface: each argument's type makes an instance.
    pub(super) fn view_of_interface(&mut self, written: &'a TypeExpr, ty: TypeId, scope: ScopeId) -> Option<View> {
        let written = match &written.kind {
            TypeKind::Some(inner) => inner,
            _ => written,
        };
        if self.existential(ty).is_some() || !self.is_interface_type(written, scope) {
            return None;
        }
        view_by_bounds(self.quiet(|c| c.bounds(written, scope)))
    }

    /// The view of a value whose type is a parameter.
    pub(super) fn view_of(&mut self, value: ExprId) -> Option<View> {
        let mut value = value;
        loop {
            match *self.kind(value) {
                ExprKind::Index(base, _) => value = base,
                ExprKind::Local(local) if Some(local) == self.cx.this => return self.view_of_members(self.cx.scope),
                ExprKind::Local(local) => return self.cx.views.get(&local).cloned(),
                ExprKind::Field(base, index) => return self.view_of_field(base, index),
                _ => return None,
            }
        }
    }

    /// The view of a field of `this`; that of another struct's field is its user's.
    fn view_of_field(&mut self, base: ExprId, index: u32) -> Option<View> {
        let this = self.cx.this?;
        if !matches!(*self.kind(base), ExprKind::Local(local) if local == this) {
            return None;
        }
        let scope = self.structs.instance(self.ty(base))?.scope;
        let field = self.at(scope).order.iter().find_map(|decl| match self.info(*decl).what {
            What::Field(var, i) if i == index => Some(var),
            _ => None,
        })?;
        self.view_of_type(&field.ty, scope)
    }

    /// The members of a value by a name, as far as its view goes.
    pub(super) fn members_of_value(&mut self, value: ExprId, ty: TypeId, name: Symbol) -> Vec<Entity> {
        let all = self.members(ty, name);
        self.seen(all, ty, name, |c| c.view_of(value))
    }

    /// What `T.name` and `T::name` mean, where `T` may be a generic parameter of the place.
    pub(super) fn members_of_named(&mut self, ty: TypeId, name: Symbol, written: Symbol, scope: ScopeId) -> Found {
        let found = self.type_members(ty, name);
        Found { entities: self.seen(found.entities, ty, name, |c| c.view_of_param(written, scope)), ..found }
    }

    /// The constructors that the constraints of a parameter ask for, where a name is that of one.
    pub(super) fn shown_constructors(&mut self, ty: TypeId, written: Symbol) -> Option<Vec<DeclId>> {
        if self.in_builtin() || self.optional_element(ty).is_some() {
            return None;
        }
        let view = self.view_of_param(written, self.cx.scope)?;
        let own: Vec<Entity> = self.constructors(ty).into_iter().map(Entity::Decl).collect();
        let name = self.words.init;
        let shown = self.seen(own, ty, name, |_| Some(view));
        Some(shown.into_iter().filter_map(super::expr::decl_of).collect()).filter(|list: &Vec<DeclId>| !list.is_empty())
    }

    /// The members around a place by a name, as far as the view from there goes.
    pub(super) fn members_of_scope(&mut self, scope: ScopeId, ty: TypeId, name: Symbol) -> Vec<Entity> {
        let all = self.members(ty, name);
        self.seen(all, ty, name, |c| c.views.members.get(&scope).cloned())
    }

    /// Overloads as far as a view goes, which is asked for where there are several, or default arguments may differ.
    fn seen(
        &mut self,
        all: Vec<Entity>,
        ty: TypeId,
        name: Symbol,
        view: impl FnOnce(&mut Self) -> Option<View>,
    ) -> Vec<Entity> {
        let is_plain = |e: &Entity| match e {
            Entity::Decl(decl) => {
                let info = self.info(*decl);
                !info.in_interface && !matches!(info.what, What::Function(f) if !f.params.is_empty())
            }
            _ => true,
        };
        if all.len() < 2 && all.iter().all(is_plain) {
            return all;
        }
        match view(self) {
            Some(view) => self.members_in_view(all, &view, ty, name),
            None => all,
        }
    }

    /// Among overloads those that implement what the interfaces of a view ask for, and those of extensions of whatever conforms
    /// to these. All, where neither is there.
    fn members_in_view(&mut self, all: Vec<Entity>, view: &View, ty: TypeId, name: Symbol) -> Vec<Entity> {
        let inherited: Vec<InterfaceRef> = view.iter().flat_map(|(d, args)| self.all_inherited(*d, args, ty)).collect();
        let mut required = Vec::new();
        for (decl, args) in view.iter().chain(&inherited) {
            let scope = self.interface_scope(*decl, args, ty);
            required.extend(self.named(scope, name).iter().copied().filter_map(super::expr::decl_of));
        }
        let asking: Vec<InterfaceRef> = view.iter().chain(&inherited).cloned().collect();
        let all = self.of_conformance(all, &asking, ty, name);
        let found = all.iter().copied().filter_map(super::expr::decl_of).collect::<Vec<_>>();
        // What implements a requirement in another way is not looked for.
        if !required.iter().all(|wanted| found.iter().any(|decl| self.is_same_method(*wanted, *decl))) {
            return all;
        }
        let mut seen = Vec::new();
        for entity in &all {
            let Entity::Decl(decl) = *entity else { return all };
            if required.is_empty() {
                seen.extend(self.views.members.contains_key(&self.info(decl).scope).then_some(*entity));
            } else if let Some(wanted) = required.iter().find(|wanted| self.is_same_method(**wanted, decl)) {
                seen.push(Entity::Decl(self.as_shown(*wanted, decl)));
            } else if let Some(extended) = self.views.members.get(&self.info(decl).scope)
                && extended.iter().all(|interface| view.contains(interface) || inherited.contains(interface))
            {
                seen.push(*entity);
            }
        }
        if seen.is_empty() { all } else { seen }
    }

    /// A method as the interface that asks for it shows it: with the default arguments that are written there.
    fn as_shown(&mut self, wanted: DeclId, implementation: DeclId) -> DeclId {
        let functions = [wanted, implementation].map(|decl| self.info(decl).what);
        let [What::Function(asked), What::Function(made)] = functions else { return implementation };
        let alike = made.params.iter().zip(&asked.params).all(|(a, b)| has_default(a) == has_default(b));
        if wanted == implementation || asked.generics.is_some() || alike && !asked.params.iter().any(has_default) {
            return implementation;
        }
        if let Some(known) = self.views.shown.get(&(wanted, implementation)) {
            return *known;
        }
        let shown = self.add_like(implementation);
        self.views.shown.insert((wanted, implementation), shown);
        self.views.implementations.insert(shown, Shown { wanted, implementation });
        shown
    }

    /// The instance of what implements a method that an interface shows.
    pub(super) fn shown(&mut self, id: InstanceId) -> Option<InstanceId> {
        let instance = self.functions.get(id);
        let shown = self.views.implementations.get(&instance.decl)?;
        let (decl, accessor, args) = (shown.implementation, instance.accessor, instance.args.clone());
        self.instance(decl, accessor, args)
    }

    /// Gives the parameters of a method that an interface shows the default arguments that it has there.
    pub(super) fn show_defaults(&mut self, decl: DeclId, params: &mut [ParamSignature<'a>]) {
        let Some(What::Function(asked)) = self.views.implementations.get(&decl).map(|s| self.info(s.wanted).what)
        else {
            return;
        };
        for (param, asked) in params.iter_mut().zip(&asked.params) {
            param.default = if let ast::DeclKind::Var(var) = &asked.kind { var.init.as_ref() } else { None };
        }
    }

    /// Where the default argument of a parameter is written, which a method takes from the interface that shows it.
    pub(super) fn place_of_default(&self, decl: DeclId, index: usize, scope: ScopeId) -> (DeclId, ScopeId) {
        let shown = self.views.implementations.get(&decl);
        match shown.map(|s| (s.wanted, self.info(s.wanted))) {
            Some((wanted, DeclInfo { what: What::Function(f), scope, .. })) if index < f.params.len() => {
                (wanted, scope)
            }
            _ => (decl, scope),
        }
    }

    /// Whether a parameter of a candidate need not be given.
    pub(super) fn may_be_left_out(&self, decl: DeclId, index: usize, param: &ast::Decl) -> bool {
        let asked = match self.views.implementations.get(&decl).map(|s| self.info(s.wanted).what) {
            Some(What::Function(asked)) => asked.params.get(index),
            _ => None,
        };
        has_default(asked.unwrap_or(param))
    }

    /// Whether a method takes what another one asks for, with defaults for the rest; of generic ones the numbers of parameters are
    /// compared.
    pub(super) fn is_same_method(&mut self, wanted: DeclId, found: DeclId) -> bool {
        if wanted == found {
            return true;
        }
        let count = |generics: &Option<Generics>| generics.as_ref().map_or(0, |g| g.params.len());
        let (a, b) = match (self.info(wanted).what, self.info(found).what) {
            (What::Function(a), What::Function(b)) => (a, b),
            (What::Property(_), What::Property(_)) => return true,
            (What::Subscript(a), What::Subscript(b)) if count(&a.generics) + count(&b.generics) > 0 => {
                return count(&a.generics) == count(&b.generics);
            }
            (What::Subscript(_), What::Subscript(_)) => {
                return self.quiet(|c| c.param_types(wanted) == c.param_types(found));
            }
            _ => return false,
        };
        let Some(rest) = b.params.get(a.params.len()..) else { return false };
        if !rest.iter().all(has_default) {
            return false;
        }
        match (count(&a.generics), count(&b.generics)) {
            (0, 0) => match self.quiet(|c| (c.param_types(wanted), c.param_types(found))) {
                (Some(wanted), Some(found)) => found.starts_with(&wanted),
                (None, None) => true,
                _ => false,
            },
            (a, b) => a == b,
        }
    }
}

/// Bounds that are interfaces alone; what other bounds give is the argument's own.
fn view_by_bounds(bounds: Vec<Bound>) -> Option<View> {
    let view: Option<Vec<InterfaceRef>> = bounds.into_iter().map(Bound::interface).collect();
    view.filter(|list| !list.is_empty()).map(View::from)
}

pub(super) fn has_default(param: &ast::Decl) -> bool {
    matches!(&param.kind, ast::DeclKind::Var(var) if var.init.is_some())
}

fn is_name(subject: &TypeExpr, name: Symbol) -> bool {
    matches!(&subject.kind, TypeKind::Path(path) if matches!(path.as_slice(), [only] if only.name.name == name && only.args.is_none()))
}
