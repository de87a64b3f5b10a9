//! Places in locals: fields and elements, and what stands there.

use super::flow::{covering, extend};
use super::{Resolver, Site, Work, rebinding};
use crate::source::Span;
use crate::tree::{Build, ExprArena, ExprId, ExprKind, Length, Literal, LocalId, Program, Step, Stmt, StmtKind, Type};

/// A resource in a value: the fields and constant elements that lead to it, and its access path.
pub(super) type ResourcePart = (Vec<Step>, ExprId);

/// An expression as steps from a local.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalPath {
    local: Option<LocalId>,
    /// Fields and constant elements.
    path: Vec<Step>,
    /// The nodes of the other steps behind them, outermost last.
    rest: Vec<ExprId>,
    /// All nodes.
    pub(super) nodes: Vec<ExprId>,
}

impl LocalPath {
    /// The local and the path, if that is all.
    pub(super) fn whole(self) -> Option<(LocalId, Vec<Step>)> {
        self.rest.is_empty().then_some((self.local?, self.path))
    }
}

impl Work<'_> {
    /// An access path, split into its base and steps.
    pub(super) fn place(&self, program: &Program, id: ExprId) -> LocalPath {
        let exprs = &self.body.exprs;
        let (mut nodes, mut id) = (Vec::new(), id);
        let local = loop {
            match exprs[id].kind {
                ExprKind::Field(a, _) | ExprKind::Index(a, _) | ExprKind::Contents(a) => {
                    nodes.push(id);
                    id = a;
                }
                ExprKind::Local(l) => break Some(l),
                _ => break None,
            }
        };
        nodes.reverse();
        let path: Vec<Step> = nodes.iter().map_while(|n| self.step(program, *n)).collect();
        let rest = nodes.get(path.len()..).unwrap_or_default().to_vec();
        LocalPath { local, path, rest, nodes }
    }

    /// The field or constant element that a node selects.
    fn step(&self, program: &Program, node: ExprId) -> Option<Step> {
        let exprs = &self.body.exprs;
        match exprs[node].kind {
            ExprKind::Field(_, index) => Some(Step::Field(index)),
            ExprKind::Index(base, index) => {
                let Type::Array(_, count) = program.types.get(exprs[base].ty) else { return None };
                let value = exprs.integer(index).or_else(|| self.constant(program, index)?.int())?;
                let value = u32::try_from(value).ok()?;
                count.fixed().is_none_or(|n| value < n).then_some(Step::Element(value))
            }
            _ => None,
        }
    }
}

/// The same step from another expression.
fn rebase(exprs: &mut ExprArena, node: ExprId, base: ExprId) -> ExprId {
    let mut e = exprs[node].clone();
    match &mut e.kind {
        ExprKind::Field(a, _) | ExprKind::Contents(a) => *a = base,
        ExprKind::Index(a, index) => {
            *a = base;
            *index = exprs.duplicate(*index);
        }
        _ => {}
    }
    exprs.push(e)
}

impl Resolver<'_, '_> {
    /// What stands in a place of a local.
    pub(super) fn parts_of_local(
        &mut self,
        work: &mut Work,
        value: ExprId,
        site: &mut Site,
    ) -> Option<Vec<ResourcePart>> {
        let LocalPath { local, path, rest, .. } = work.place(self.cx.program, value);
        let span = work.body.exprs[value].span;
        self.parts_at(work, (local?, path), &rest, span, site)
    }

    fn parts_at(
        &mut self,
        work: &mut Work,
        (local, path): (LocalId, Vec<Step>),
        rest: &[ExprId],
        span: Span,
        site: &mut Site,
    ) -> Option<Vec<ResourcePart>> {
        let list = work.flow.aliases.get(&local).cloned().unwrap_or_default();
        let inside = list.iter().any(|a| a.path.len() > path.len() && a.path.starts_with(&path));
        if let (Some((node, behind)), true) = (rest.split_first(), inside) {
            if let Some(step) = work.step(self.cx.program, *node) {
                let path = [path, vec![step]].concat();
                return self.parts_at(work, (local, path), behind, span, site);
            }
            return self.any_element(work, (local, path), (*node, behind), span, site);
        }
        let mut parts = Vec::new();
        let cover = covering(&list, &path).filter(|c| c.path.len() < path.len()).cloned();
        let within = list.into_iter().filter(|a| a.path.starts_with(&path));
        for known in cover.into_iter().chain(within) {
            work.read(local, if known.path.len() < path.len() { &path } else { &known.path }, known.version, span);
            self.chooses |= known.open;
            if let Some(other) = known.other {
                self.several(work, span, known.expr, other);
            }
            let behind = path.get(known.path.len()..).unwrap_or_default();
            let mut e = extend(self.cx.program, &mut work.body.exprs, known.expr, behind)?;
            for node in rest {
                e = rebase(&mut work.body.exprs, *node, e);
            }
            parts.push((known.path.get(path.len()..).unwrap_or_default().to_vec(), e));
        }
        Some(parts)
    }

    /// An element of an array whose elements were given one by one: they must be of one array themselves.
    fn any_element(
        &mut self,
        work: &mut Work,
        (local, path): (LocalId, Vec<Step>),
        (node, behind): (ExprId, &[ExprId]),
        span: Span,
        site: &mut Site,
    ) -> Option<Vec<ResourcePart>> {
        let ExprKind::Index(base, index) = work.body.exprs[node].kind else { return None };
        let Type::Array(_, Length::Fixed(count)) = self.cx.program.types.get(work.body.exprs[base].ty) else {
            return None;
        };
        if self.effects.expr(&work.body.exprs, index) {
            return None;
        }
        let mut elements = Vec::new();
        for element in 0..count {
            let path = [path.clone(), vec![Step::Element(element)]].concat();
            elements.push(self.parts_at(work, (local, path), behind, span, site)?);
        }
        let first = elements.first()?.clone();
        let mut parts = Vec::new();
        for (at, (path, _)) in first.into_iter().enumerate() {
            let of_one = |list: &Vec<ResourcePart>| list.get(at).filter(|(p, _)| *p == path).map(|(_, e)| *e);
            let all: Vec<ExprId> = elements.iter().map(of_one).collect::<Option<_>>()?;
            parts.push((path, self.one_of(work, &all, index, span, site)?));
        }
        Some(parts)
    }

    /// The path that a number chooses among several: its indices come from arrays.
    fn one_of(
        &mut self,
        work: &mut Work,
        all: &[ExprId],
        number: ExprId,
        span: Span,
        site: &mut Site,
    ) -> Option<ExprId> {
        let first = *all.first()?;
        if let Some(other) = all.iter().find(|e| !rebinding::is_same(&work.body.exprs, first, **e, &mut |_, _| true)) {
            self.several(work, span, first, *other);
            return Some(first);
        }
        let path = work.body.exprs.duplicate(first);
        let lists: Vec<Vec<ExprId>> = all.iter().map(|e| rebinding::indices(&work.body.exprs, *e)).collect();
        for (at, index) in rebinding::indices(&work.body.exprs, path).into_iter().enumerate() {
            let values: Vec<ExprId> = lists.iter().map(|l| l.get(at).copied()).collect::<Option<_>>()?;
            if values.iter().all(|v| rebinding::same_value(&work.body.exprs, index, *v)) {
                continue;
            }
            // Indices that change must be read where the path is.
            if site.repeated && !values.iter().all(|v| work.is_frozen(*v)) {
                return None;
            }
            let marker = values.iter().chain([&number]).find_map(|v| self.facts.marker(&work.body.exprs, *v));
            let values = values.into_iter().map(|v| self.facts.unmarked(&work.body.exprs, v)).collect();
            let array = self.index_array(work, values, span, site);
            let ty = work.body.locals[array].ty;
            let number = self.facts.unmarked(&work.body.exprs, number);
            let number = work.body.exprs.duplicate(number);
            let span = work.body.exprs[index].span;
            let mut b = Build::new(&mut self.cx.program.types, &mut work.body.exprs, span);
            let name = b.local(array, ty);
            let element = b.index(name, number);
            let element = self.marked(work, element, marker);
            work.body.exprs.replace_by(index, element);
        }
        Some(path)
    }

    /// An array of these indices, declared before the statement at hand if there is none.
    fn index_array(&mut self, work: &mut Work, values: Vec<ExprId>, span: Span, site: &mut Site) -> LocalId {
        let same = |known: &&(Vec<ExprId>, LocalId)| {
            let pairs = known.0.iter().zip(&values);
            known.0.len() == values.len()
                && pairs.into_iter().all(|(a, b)| work.is_frozen(*a) && rebinding::same_value(&work.body.exprs, *a, *b))
        };
        if let Some((_, array)) = work.arrays.iter().find(same) {
            return *array;
        }
        let element = values.first().map_or(crate::tree::TypeId::INT, |v| work.body.exprs[*v].ty);
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        let ty = self.cx.program.types.array(element, Some(count));
        let mut b = Build::new(&mut self.cx.program.types, &mut work.body.exprs, span);
        let mut parts = Vec::new();
        for value in &values {
            let value = b.exprs.duplicate(*value);
            let converted = b.convert(value, element);
            // A literal of another type is a literal of this one.
            if let ExprKind::Literal(Literal::Int(i), text) = b.exprs[value].kind
                && i >= 0
            {
                b.exprs[converted].kind = ExprKind::Literal(Literal::Int(i), text);
            }
            parts.push(converted);
        }
        let value = b.construct(parts, ty);
        let array = work.body.add_local("elements", ty, span);
        site.before.push(Stmt::new(StmtKind::Local(array, Some(value)), span));
        work.arrays.push((values, array));
        array
    }
}
