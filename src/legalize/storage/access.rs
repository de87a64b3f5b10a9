//! Accesses to what is stored otherwise: an access is followed from the buffer or field outwards as long as it selects parts;
//! what it has come to is then read ([`super::loads`]) or written ([`super::stores`]).
//!
//! ```text
//! before: buffer[i].m[row].x                  where `m` is stored by columns, as `m_0` and `m_1`, or transposed
//! after:  buffer[i].m_0[row]                  buffer[i].m[0][row]
//! ```

use super::super::hoist::{hoist, take_out_of_heads};
use super::super::references::{self, ByReference, selected};
use super::super::{Context, runtime_initializers};
use super::plan::Plan;
use super::slot::{Form, Slot};
use super::words::Words;
use crate::source::Span;
use crate::target::Profile;
use crate::tree::*;
use rustc_hash::FxHashMap;

/// Rewrites all accesses to what is planned, and gives it the new types.
pub(super) fn rewrite(cx: &mut Context, plan: &mut Plan) {
    plan.declare_fields(cx.program);
    let plan = &*plan;
    // Statements read what a variable is initialized with.
    runtime_initializers::move_to_start(cx, &|program, global| {
        // Parts of a buffer may be chosen, which becomes statements where fields have other types.
        let is_parameter =
            |kind: &ExprKind| matches!(kind, ExprKind::Global(g) if program.globals[*g].kind == GlobalKind::Parameter);
        let is_read = |tree: &ExprTree, id: ExprId| {
            plan.of(&tree.exprs, id).is_some() || !plan.fields.is_empty() && is_parameter(&tree.exprs[id].kind)
        };
        let names = |tree: &ExprTree| tree.exprs.any_part(tree.root, |id| is_read(tree, id));
        global.init.as_ref().is_some_and(names)
    });
    let by_reference = references::by_reference(cx.program);
    let effects = cx.effects();
    let mut faults = Vec::new();
    cx.each_body(&mut |cx, _, body| {
        let profile = cx.profile;
        let mut access = Access::new(cx.program, body, plan, profile);
        access.name_elements();
        faults.append(&mut access.faults);
        references::copy(cx.program, &effects, body, &by_reference, &mut |program, body, place| {
            Access::new(program, body, plan, profile).is_in_parts(place)
        });
        let divided = Access::new(cx.program, body, plan, profile).divided();
        take_out_of_heads(cx.program, &effects, body, &divided);
        let marks = Access::new(cx.program, body, plan, profile).marks();
        hoist(cx.program, &effects, body, marks);
        let mut access = Access::new(cx.program, body, plan, profile);
        access.whole_elements();
        access.reads(&by_reference);
        access.stores();
        access.constructions();
        faults.append(&mut access.faults);
        plan.retype_names(&mut cx.program.types, body);
    });
    // Buffers are not named in initializers.
    for id in cx.program.globals.ids().filter(|_| !plan.fields.is_empty()) {
        let Some(ExprTree { exprs, root }) = cx.program.globals[id].init.take() else { continue };
        let block = Block::of(vec![Stmt::new(StmtKind::Expr(root), exprs[root].span)]);
        let mut body = Body { exprs: exprs.into(), block: block.into(), ..Body::default() };
        let mut access = Access::new(cx.program, &mut body, plan, cx.profile);
        access.reads(&by_reference);
        access.constructions();
        cx.program.globals[id].init = Some(ExprTree { exprs: body.exprs.into_value(), root });
    }
    for (span, reason) in faults {
        cx.unsupported(span, reason);
    }
    plan.declare_buffers(cx.program);
}

/// Where an access has come to.
pub(super) enum At<'p> {
    /// A value that is stored as the slot says, seen from the expression.
    Slot(ExprId, &'p Slot),
    /// A row of a matrix that is stored by columns: the expression, the matrix seen from it, the row.
    Row(ExprId, &'p Slot, ExprId),
    /// Bytes in rows of words.
    Words(Box<Words>),
    /// Components of a vector or matrix, by themselves; or one expression, perhaps of numbers that stand for bools.
    Parts(Vec<ExprId>),
}

impl At<'_> {
    /// Whether the way to it is written down several times when it is read.
    pub(super) fn is_repeated(&self) -> bool {
        match self {
            At::Slot(_, slot) => !slot.is_twin() && !matches!(slot.form, Form::Transposed | Form::Wide | Form::Number),
            At::Parts(list) => list.len() > 1,
            At::Row(..) | At::Words(_) => true,
        }
    }
}

/// The row or column of an element.
#[derive(Clone, Copy)]
pub(super) enum Pick {
    Constant(u8),
    Index(ExprId),
}

/// The accesses of one body.
/// The elements that are copied one by one in a body: more make no text that anybody compiles. The time of naga and glslang
/// grows with their square.
pub(in crate::legalize) const MOST_COPIED: u32 = 4096;

pub(super) struct Access<'a, 'p> {
    pub(super) program: &'a mut Program,
    pub(super) body: &'a mut Body,
    pub(super) plan: &'p Plan,
    pub(super) profile: &'p Profile,
    pub(super) faults: Vec<(Span, String)>,
    /// The elements of arrays that were copied one by one.
    copied: u32,
    /// From when rewriting begins: the roots that are not rewritten yet, in the end those that are written.
    pub(super) open: Option<FxHashMap<ExprId, (TypeId, &'p Slot)>>,
}

/// How far an access goes out from the buffer or field.
pub(super) struct Reach<'p> {
    /// The nodes passed, the root first; the last stands for the value.
    pub(super) chain: Vec<ExprId>,
    pub(super) at: At<'p>,
}

/// What uses each expression.
pub(super) type Parents = FxHashMap<ExprId, ExprId>;

impl<'a, 'p> Access<'a, 'p> {
    pub(super) fn new(program: &'a mut Program, body: &'a mut Body, plan: &'p Plan, profile: &'p Profile) -> Self {
        Access { program, body, plan, profile, faults: Vec::new(), copied: 0, open: None }
    }

    pub(super) fn build(&mut self, at: ExprId) -> Build<'_> {
        let span = self.body.exprs[at].span;
        Build::new(&mut self.program.types, &mut self.body.exprs, span)
    }

    /// The stored type and slot of the data of a buffer, or of a field.
    pub(super) fn root(&self, id: ExprId) -> Option<(TypeId, &'p Slot)> {
        let plan: &'p Plan = self.plan;
        match &self.open {
            Some(open) => open.get(&id).copied(),
            None => plan.root(&self.program.types, &self.body.exprs, id),
        }
    }

    /// All roots of accesses; one that lies in an index of another comes before that, which copies the index.
    pub(super) fn roots(&self) -> Vec<ExprId> {
        let live = self.body.expressions();
        let mut roots: Vec<ExprId> = live.iter().copied().filter(|id| self.root(*id).is_some()).collect();
        if roots.len() < 2 {
            return roots;
        }
        let parents = self.body.exprs.parents(&live);
        let order: FxHashMap<ExprId, usize> = live.into_iter().enumerate().map(|(at, id)| (id, at)).collect();
        roots.sort_by_key(|root| {
            let mut top = *root;
            while let Some(parent) = parents.get(&top).filter(|p| selected(&self.body.exprs, **p) == Some(top)) {
                top = *parent;
            }
            order.get(&top).copied()
        });
        roots
    }

    fn start(&mut self, root: ExprId) -> Option<At<'p>> {
        let (ty, slot) = self.root(root)?;
        let base = self.body.exprs.duplicate(root);
        self.body.exprs[base].ty = ty;
        Some(At::Slot(base, slot))
    }

    pub(super) fn parents(&self) -> Parents {
        self.body.exprs.parents(&self.body.expressions())
    }

    /// Whether it is one expression, that can be read and written like any other value of the type.
    pub(super) fn is_plain(&self, at: &At, ty: TypeId) -> bool {
        match at {
            At::Slot(_, slot) => matches!(slot.form, Form::Same),
            At::Parts(list) => matches!(list.as_slice(), [one] if self.body.exprs[*one].ty == ty),
            At::Row(..) | At::Words(_) => false,
        }
    }

    /// Follows an access outwards as long as parts are selected.
    pub(super) fn reach(&mut self, root: ExprId, parents: &Parents) -> Option<Reach<'p>> {
        let mut at = self.start(root)?;
        let mut chain = vec![root];
        let mut node = root;
        while let Some(&parent) =
            parents.get(&node).filter(|_| !matches!(&at, At::Slot(_, s) if matches!(s.form, Form::Same)))
        {
            let kind = self.body.exprs[parent].kind.clone();
            match self.select(&at, &kind).filter(|_| selected(&self.body.exprs, parent) == Some(node)) {
                Some(next) => at = next,
                None => break,
            }
            chain.push(parent);
            node = parent;
        }
        Some(Reach { chain, at })
    }

    /// The root of the access that an lvalue is, where it has come to, and the selections that could not be followed,
    /// innermost first.
    pub(super) fn lvalue(&mut self, id: ExprId) -> Option<(ExprId, At<'p>, Vec<ExprId>)> {
        let mut path = Vec::new();
        let mut node = id;
        while self.root(node).is_none() {
            path.push(node);
            node = selected(&self.body.exprs, node)?;
        }
        let mut at = self.start(node)?;
        while let Some(parent) = path.pop() {
            let kind = self.body.exprs[parent].kind.clone();
            match self.select(&at, &kind) {
                Some(next) => at = next,
                None => {
                    path.push(parent);
                    break;
                }
            }
        }
        path.reverse();
        Some((node, at, path))
    }

    /// What a selection chooses of a place, if that can be followed.
    pub(super) fn select(&mut self, at: &At<'p>, kind: &ExprKind) -> Option<At<'p>> {
        match at {
            At::Slot(base, slot) => self.select_slot(*base, slot, kind),
            At::Words(words) => self.select_word(Words::clone(words), kind),
            At::Row(base, matrix, row) => {
                let columns = match kind {
                    ExprKind::Index(_, column) => vec![Pick::Index(*column)],
                    ExprKind::Swizzle(_, s) => s.list().iter().map(|c| Pick::Constant(*c)).collect(),
                    _ => return None,
                };
                let parts = columns.into_iter().map(|c| self.matrix_element(*base, matrix, Pick::Index(*row), c));
                Some(At::Parts(parts.collect::<Option<_>>()?))
            }
            At::Parts(list) => self.select_part(list, kind),
        }
    }

    fn select_part(&mut self, list: &[ExprId], kind: &ExprKind) -> Option<At<'p>> {
        if let [one] = list
            && let Type::Vector(..) = self.program.types.get(self.body.exprs[*one].ty)
        {
            let whole = self.body.exprs.duplicate(*one);
            return self.select_plain(whole, kind);
        }
        let chosen: Vec<u8> = match kind {
            ExprKind::Swizzle(_, s) => s.list().to_vec(),
            // The only component of a vector of one.
            ExprKind::Index(..) if list.len() == 1 => vec![0],
            ExprKind::Index(_, i) => vec![u8::try_from(self.constant(*i)?).ok()?],
            _ => return None,
        };
        let parts: Option<Vec<ExprId>> = chosen.iter().map(|c| list.get(usize::from(*c)).copied()).collect();
        Some(At::Parts(self.copies(&parts?)))
    }

    /// Components of a vector or matrix that is one expression of the same shape.
    fn select_plain(&mut self, whole: ExprId, kind: &ExprKind) -> Option<At<'p>> {
        let part = match kind {
            ExprKind::Index(_, i) => {
                let index = self.body.exprs.duplicate(*i);
                self.build(whole).index(whole, index)
            }
            ExprKind::Swizzle(_, s) => self.build(whole).swizzle(whole, s.list()),
            ExprKind::MatrixSwizzle(_, list) => {
                let scalar = self.program.types.component(self.body.exprs[whole].ty)?;
                let ty = self.program.types.scalar_or_vector(scalar, list.len() as u8);
                self.build(whole).add(ExprKind::MatrixSwizzle(whole, list.clone()), ty)
            }
            _ => return None,
        };
        Some(At::Parts(vec![part]))
    }

    /// Copies, so that nothing has two parents.
    pub(super) fn copies(&mut self, list: &[ExprId]) -> Vec<ExprId> {
        list.iter().map(|e| self.body.exprs.duplicate(*e)).collect()
    }

    pub(super) fn constant(&self, id: ExprId) -> Option<u64> {
        self.body.exprs.integer(id).and_then(|n| u64::try_from(n).ok())
    }

    fn select_slot(&mut self, base: ExprId, slot: &'p Slot, kind: &ExprKind) -> Option<At<'p>> {
        match (&slot.form, kind) {
            (Form::Struct(fields), ExprKind::Field(_, i)) => Some(At::Slot(base, fields.get(*i as usize)?)),
            (Form::Twin(_, fields), ExprKind::Field(_, i)) => {
                let whole = self.apply(base, &slot.steps);
                Some(At::Slot(whole, fields.get(*i as usize)?))
            }
            (Form::Array(inner), ExprKind::Index(_, i)) => {
                let element = self.element(base, slot, *i);
                Some(At::Slot(element, inner))
            }
            (Form::Words(bytes), _) => {
                let rows = self.apply(base, &slot.steps);
                self.select_word(Words::new(rows, bytes), kind)
            }
            (Form::Scalars, ExprKind::Index(_, i)) => {
                let component = self.element(base, slot, *i);
                Some(At::Parts(vec![component]))
            }
            (Form::Scalars | Form::Pieces(_), ExprKind::Swizzle(_, s)) => {
                let all = self.components(base, slot);
                let list: Option<Vec<ExprId>> = s.list().iter().map(|c| all.get(usize::from(*c)).copied()).collect();
                Some(At::Parts(self.copies(&list?)))
            }
            (Form::Pieces(_), ExprKind::Index(_, i)) => {
                let index = usize::try_from(self.constant(*i)?).ok()?;
                Some(At::Parts(vec![*self.components(base, slot).get(index)?]))
            }
            (Form::Matrix(..) | Form::Transposed, ExprKind::Index(_, i)) => self.select_row(base, slot, *i),
            (Form::Matrix(..) | Form::Transposed, ExprKind::MatrixSwizzle(_, list)) => {
                let picks = list.iter().map(|(r, c)| (Pick::Constant(*r), Pick::Constant(*c)));
                let parts = picks.map(|(r, c)| self.matrix_element(base, slot, r, c));
                Some(At::Parts(parts.collect::<Option<_>>()?))
            }
            // A scalar that is stored as a vector has no parts.
            (Form::Wide, _) if matches!(self.program.types.get(slot.ty), Type::Scalar(_)) => None,
            (Form::Wide | Form::Number, _) => {
                let whole = self.apply(base, &slot.steps);
                self.select_plain(whole, kind)
            }
            _ => None,
        }
    }

    /// A row of a matrix: one of its vectors, or a component of each.
    fn select_row(&mut self, base: ExprId, slot: &'p Slot, index: ExprId) -> Option<At<'p>> {
        let constant = self.constant(index).and_then(|n| usize::try_from(n).ok());
        let at = match &slot.form {
            Form::Matrix(MatrixOrder::Row, _, Some(inner)) => At::Slot(self.element(base, slot, index), inner),
            Form::Matrix(MatrixOrder::Row, vectors, None) => At::Slot(base, vectors.get(constant?)?),
            Form::Matrix(MatrixOrder::Column, vectors, _)
                if constant.is_none() && !vectors.iter().all(|v| self.can_be_indexed(v)) =>
            {
                return None;
            }
            _ => At::Row(base, slot, self.body.exprs.duplicate(index)),
        };
        // The row of a matrix of one column is a vector of one, and stored as a scalar.
        match at {
            At::Slot(base, row) if matches!(self.program.types.get(row.ty), Type::Scalar(_)) => {
                Some(At::Parts(self.components(base, row)))
            }
            at => Some(at),
        }
    }

    /// Whether a component of a stored vector can be chosen at run time.
    fn can_be_indexed(&self, slot: &Slot) -> bool {
        !matches!(slot.form, Form::Pieces(_))
    }

    pub(super) fn matrix_element(&mut self, base: ExprId, slot: &Slot, row: Pick, column: Pick) -> Option<ExprId> {
        let (order, vectors, inner) = match &slot.form {
            Form::Matrix(order, vectors, inner) => (*order, vectors, inner),
            _ => {
                let matrix = self.apply(base, &slot.steps);
                let vector = match column {
                    Pick::Constant(n) => self.build(base).at(matrix, n.into()),
                    Pick::Index(i) => {
                        let index = self.body.exprs.duplicate(i);
                        self.build(base).index(matrix, index)
                    }
                };
                return Some(match row {
                    Pick::Constant(n) => self.build(base).swizzle(vector, &[n]),
                    Pick::Index(i) => {
                        let index = self.body.exprs.duplicate(i);
                        self.build(base).index(vector, index)
                    }
                });
            }
        };
        let (major, minor) = if order == MatrixOrder::Row { (row, column) } else { (column, row) };
        let (base, vector) = match (major, inner) {
            (Pick::Index(i), Some(inner)) => (self.element(base, slot, i), &**inner),
            _ => (base, vectors.get(self.picked(major)?)?),
        };
        if let (Pick::Index(i), Type::Vector(..)) = (minor, self.program.types.get(vector.ty))
            && (inner.is_some() || self.picked(minor).is_none())
            && self.can_be_indexed(vector)
        {
            return Some(self.element(base, vector, i));
        }
        let components = self.components(base, vector);
        match components.as_slice() {
            [one] => Some(*one),
            list => list.get(self.picked(minor)?).copied(),
        }
    }

    fn picked(&self, pick: Pick) -> Option<usize> {
        match pick {
            Pick::Constant(n) => Some(n.into()),
            Pick::Index(i) => usize::try_from(self.constant(i)?).ok(),
        }
    }

    /// The element of a stored array, or the component of a vector.
    fn element(&mut self, base: ExprId, slot: &Slot, index: ExprId) -> ExprId {
        let array = self.apply(base, &slot.steps);
        let index = self.body.exprs.duplicate(index);
        self.build(base).index(array, index)
    }

    /// What lies at the end of some steps.
    pub(super) fn apply(&mut self, base: ExprId, steps: &[Step]) -> ExprId {
        let whole = self.body.exprs.duplicate(base);
        self.program.part(&mut self.body.exprs, whole, steps)
    }

    /// The components of a stored vector or scalar.
    pub(super) fn components(&mut self, base: ExprId, slot: &Slot) -> Vec<ExprId> {
        let vector = match self.program.types.get(slot.ty) {
            Type::Vector(_, n) => Some(n),
            _ => None,
        };
        match (&slot.form, vector) {
            (Form::Pieces(list), _) => list.iter().flat_map(|piece| self.components(base, piece)).collect(),
            (Form::Scalars, _) => (0..u32::from(vector.unwrap_or(1)))
                .map(|c| {
                    let array = self.apply(base, &slot.steps);
                    self.build(base).at(array, c)
                })
                .collect(),
            (Form::Wide, _) | (_, Some(_)) => (0..vector.unwrap_or(1))
                .map(|c| {
                    let whole = self.apply(base, &slot.steps);
                    self.build(base).swizzle(whole, &[c])
                })
                .collect(),
            _ => vec![self.apply(base, &slot.steps)],
        }
    }

    /// How many elements of a stored array are copied one by one; reports more than [`MOST_COPIED`] in all.
    pub(super) fn copied(&mut self, slot: &Slot, near: ExprId) -> Option<u32> {
        self.note_copied(self.count(slot), near)
    }

    /// The same of an array that has so many.
    pub(super) fn note_copied(&mut self, count: u32, near: ExprId) -> Option<u32> {
        let before = self.copied;
        self.copied = before.saturating_add(count);
        if self.copied <= MOST_COPIED {
            return Some(count);
        }
        if before <= MOST_COPIED {
            let reason =
                format!("a copy of more than {MOST_COPIED} elements of arrays that the target stores in another form");
            self.faults.push((self.body.exprs[near].span, reason));
        }
        None
    }

    /// How many elements a stored array has.
    fn count(&self, slot: &Slot) -> u32 {
        match self.program.types.get(slot.ty) {
            Type::Array(_, count) => count.fixed().unwrap_or(0),
            _ => 0,
        }
    }

    /// What is stored in another form has no address.
    pub(super) fn refuse_references(&mut self, top: ExprId, parents: &Parents, by_reference: &ByReference) {
        let Some(&parent) = parents.get(&top) else { return };
        let referred = match &self.body.exprs[parent].kind {
            ExprKind::Call(f, args) => {
                let position = args.iter().position(|a| *a == top);
                by_reference.get(f).is_some_and(|l| position.is_some_and(|p| l.contains(&p)))
            }
            ExprKind::AddressOf(_) => true,
            _ => self.is_target(parent, top),
        };
        if referred {
            let reason = "part of a buffer value that the target stores in another form cannot be passed by reference";
            self.faults.push((self.body.exprs[parent].span, reason.to_owned()));
        }
    }
}
