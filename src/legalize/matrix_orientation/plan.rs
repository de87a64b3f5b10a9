//! Which places are turned: one look at all expressions joins what must be turned together and counts what speaks for and against.

use super::{Algebra, Owner, carries, groups};
use crate::target::Profile;
use crate::tree::analyses::is_pure;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that is turned or not; several joined ones are so together.
pub(super) type NodeId = usize;

/// What is never turned.
pub(super) const FIXED: NodeId = 0;

/// What is known of joined nodes.
#[derive(Clone, Copy, Default)]
struct Reasons {
    /// They cannot be turned.
    is_fixed: bool,
    /// They are operands of products.
    is_multiplied: bool,
    /// A buffer stores them by columns, which needs no word if they are turned.
    is_by_columns: bool,
}

/// What is turned.
pub(super) struct Orientations {
    parents: Vec<NodeId>,
    reasons: Vec<Reasons>,
    /// Where matrices are kept, in the order in which they are seen.
    pub(super) places: Vec<(MatrixPlace, NodeId)>,
    known: FxHashMap<MatrixPlace, NodeId>,
    /// The nodes of expressions.
    pub(super) values: FxHashMap<(Owner, ExprId), NodeId>,
    /// What has the storage order of the matrices in it, which is one.
    pub(super) orders: Vec<groups::Group>,
}

impl Orientations {
    /// Looks at a program.
    pub(super) fn of(program: &Program, profile: &Profile) -> Orientations {
        let fixed = Reasons { is_fixed: true, ..Reasons::default() };
        let mut plan = Orientations {
            parents: vec![FIXED],
            reasons: vec![fixed],
            places: Vec::new(),
            known: FxHashMap::default(),
            values: FxHashMap::default(),
            orders: Vec::new(),
        };
        groups::find(&mut plan, program, profile);
        for id in program.functions_with_code() {
            let body = &program.functions[id].code;
            plan.look(program, (Owner::Function(id), &body.exprs), &body.expressions());
            body.block.visit(&mut |stmt| match stmt.kind {
                StmtKind::Local(local, Some(init)) => {
                    plan.assign(Owner::Function(id), MatrixPlace::Local(id, local), init)
                }
                StmtKind::Return(Some(value)) => plan.assign(Owner::Function(id), MatrixPlace::Result(id), value),
                _ => {}
            });
        }
        for (id, global) in program.globals.iter() {
            let Some(tree) = &global.init else { continue };
            let owner = Owner::Initializer(id);
            plan.look(program, (owner, &tree.exprs), &tree.exprs.post_order(tree.root));
            plan.assign(owner, MatrixPlace::Global(id), tree.root);
        }
        plan
    }

    /// The first of those that a node is joined with.
    fn root(&mut self, node: NodeId) -> NodeId {
        let mut at = node;
        while let Some(parent) = self.parents.get(at).copied().filter(|parent| *parent != at) {
            // Ways become shorter as they are gone.
            let next = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.parents.get_mut(at) {
                *slot = next;
            }
            at = parent;
        }
        at
    }

    /// Turns two together.
    pub(super) fn join(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.root(a), self.root(b));
        let (first, second) = (a.min(b), a.max(b));
        if first == second {
            return;
        }
        let other = self.reasons.get(second).copied().unwrap_or_default();
        if let Some(slot) = self.parents.get_mut(second) {
            *slot = first;
        }
        self.note(first, |reasons| {
            reasons.is_fixed |= other.is_fixed;
            reasons.is_multiplied |= other.is_multiplied;
            reasons.is_by_columns |= other.is_by_columns;
        });
    }

    fn note(&mut self, node: NodeId, f: impl FnOnce(&mut Reasons)) {
        let root = self.root(node);
        if let Some(reasons) = self.reasons.get_mut(root) {
            f(reasons);
        }
    }

    /// It is not turned, nor is what is joined with it.
    pub(super) fn fix(&mut self, node: NodeId) {
        self.note(node, |reasons| reasons.is_fixed = true);
    }

    /// It is stored by columns.
    pub(super) fn by_columns(&mut self, node: NodeId) {
        self.note(node, |reasons| reasons.is_by_columns = true);
    }

    /// Whether it is turned.
    pub(super) fn is_turned(&mut self, node: NodeId) -> bool {
        let root = self.root(node);
        let reasons = self.reasons.get(root).copied().unwrap_or_default();
        !reasons.is_fixed && (reasons.is_multiplied || reasons.is_by_columns)
    }

    fn free(&mut self) -> NodeId {
        let node = self.parents.len();
        self.parents.push(node);
        self.reasons.push(Reasons::default());
        node
    }

    /// The node of a place.
    pub(super) fn place(&mut self, place: MatrixPlace) -> NodeId {
        if let Some(node) = self.known.get(&place) {
            return *node;
        }
        let node = self.free();
        self.known.insert(place, node);
        self.places.push((place, node));
        node
    }

    fn assign(&mut self, owner: Owner, place: MatrixPlace, value: ExprId) {
        if let Some(value) = self.values.get(&(owner, value)).copied() {
            let place = self.place(place);
            self.join(place, value);
        }
    }

    /// Looks at the expressions of a body or initializer, children before parents.
    fn look(&mut self, program: &Program, (owner, exprs): (Owner, &ExprArena), live: &[ExprId]) {
        let mut looker = Looker { plan: self, program, owner, exprs, elements: FxHashSet::default() };
        for id in live {
            if let Some(node) = looker.value(*id) {
                looker.plan.values.insert((owner, *id), node);
            }
        }
        looker.rows(live);
    }
}

/// The elements of a matrix that is made of scalars or lists of these, row by row, and whether they are in lists. They can stand
/// in any order.
pub(super) fn elements(types: &Types, exprs: &ExprArena, id: ExprId) -> Option<(Vec<ExprId>, bool)> {
    let (Type::Matrix(_, rows, columns), ExprKind::Construct(parts)) = (types.get(exprs[id].ty), &exprs[id].kind)
    else {
        return None;
    };
    let (mut found, mut has_lists) = (Vec::new(), false);
    for part in parts {
        match &exprs[*part].kind {
            ExprKind::Construct(inner) => {
                has_lists = true;
                found.extend(inner);
            }
            _ => found.push(*part),
        }
    }
    let is_element = |id: &ExprId| matches!(types.get(exprs[*id].ty), Type::Scalar(_)) && is_pure(exprs, *id);
    let is_whole = found.len() == usize::from(rows) * usize::from(columns);
    (is_whole && found.iter().all(is_element)).then_some((found, has_lists))
}

/// Looks at the expressions of one body or initializer.
struct Looker<'a> {
    plan: &'a mut Orientations,
    program: &'a Program,
    owner: Owner,
    exprs: &'a ExprArena,
    /// Rows of which one element is taken.
    elements: FxHashSet<ExprId>,
}

impl Looker<'_> {
    fn node(&self, id: ExprId) -> Option<NodeId> {
        self.plan.values.get(&(self.owner, id)).copied()
    }

    fn carries(&self, id: ExprId) -> bool {
        carries(&self.program.types, self.exprs[id].ty)
    }

    fn is_matrix(&self, id: ExprId) -> bool {
        matches!(self.program.types.get(self.exprs[id].ty), Type::Matrix(..))
    }

    /// The node of an expression, if it is a matrix, an array of these, or a buffer of these.
    fn value(&mut self, id: ExprId) -> Option<NodeId> {
        let carries = self.carries(id);
        let node = match &self.exprs[id].kind {
            ExprKind::Local(local) => match self.owner {
                Owner::Function(function) if carries => self.plan.place(MatrixPlace::Local(function, *local)),
                Owner::Function(_) | Owner::Initializer(_) => FIXED,
            },
            ExprKind::Global(global) if carries => self.plan.place(MatrixPlace::Global(*global)),
            ExprKind::Field(base, index) => match self.program.types.get(self.exprs[*base].ty) {
                Type::Struct(id) if carries => self.plan.place(MatrixPlace::Field(id, *index)),
                _ => FIXED,
            },
            ExprKind::Index(base, index) => {
                self.element(*base, *index);
                self.node(*base).unwrap_or(FIXED)
            }
            ExprKind::Swizzle(base, swizzle) => {
                if swizzle.list().len() == 1 {
                    self.elements.insert(*base);
                }
                FIXED
            }
            ExprKind::MatrixSwizzle(base, list) => {
                if list.len() > 1 && list.windows(2).all(|two| matches!(two, [a, b] if a.0 == b.0)) {
                    self.fix(*base);
                }
                FIXED
            }
            ExprKind::Contents(base) => self.node(*base).unwrap_or(FIXED),
            ExprKind::Zero => self.plan.free(),
            ExprKind::Convert(inner, _) => self.converted(*inner, carries),
            ExprKind::Unary(_, a) | ExprKind::Step(_, _, a) => self.joined(&[*a], carries),
            ExprKind::Comma(_, b) => self.joined(&[*b], carries),
            ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) => self.joined(&[*a, *b], carries),
            ExprKind::Select(condition, a, b) => {
                let is_whole = !self.is_matrix(*condition);
                self.joined(&[*a, *b], carries && is_whole)
            }
            ExprKind::Construct(parts) => self.constructed(id, parts),
            ExprKind::Call(..) | ExprKind::Native(..) => self.called(id, carries),
            ExprKind::Property(property) => self.opaque(&property.args),
            ExprKind::AddressOf(a) | ExprKind::Deref(a) => self.opaque(&[*a]),
            ExprKind::Literal(..) | ExprKind::Global(_) | ExprKind::EnumCase(..) => FIXED,
        };
        carries.then_some(node)
    }

    /// A value is not turned.
    fn fix(&mut self, id: ExprId) {
        if let Some(node) = self.node(id) {
            self.plan.fix(node);
        }
    }

    /// What is not looked into takes no turned matrices, not in structs either, and gives none.
    fn opaque(&mut self, parts: &[ExprId]) -> NodeId {
        for part in parts {
            self.fix(*part);
            groups::fix_fields(self.plan, self.program, self.exprs[*part].ty);
        }
        FIXED
    }

    /// Operands and result are turned together; a result of another kind takes no turned ones.
    fn joined(&mut self, parts: &[ExprId], carries: bool) -> NodeId {
        let whole = if carries { self.plan.free() } else { FIXED };
        for part in parts {
            if let Some(node) = self.node(*part) {
                self.plan.join(whole, node);
            } else if self.is_matrix(*part) {
                self.plan.fix(whole);
            }
        }
        whole
    }

    /// A scalar widened to a matrix has no direction.
    fn converted(&mut self, inner: ExprId, carries: bool) -> NodeId {
        match self.program.types.get(self.exprs[inner].ty) {
            Type::Scalar(_) if carries => self.plan.free(),
            _ if carries && self.carries(inner) => self.joined(&[inner], true),
            _ => {
                self.fix(inner);
                FIXED
            }
        }
    }

    /// Rows make a matrix that is not turned, elements one that may be; arrays and structs hold what they are made of.
    fn constructed(&mut self, id: ExprId, parts: &[ExprId]) -> NodeId {
        match self.program.types.get(self.exprs[id].ty) {
            Type::Struct(owner) => {
                for (index, part) in (0..).zip(parts) {
                    self.plan.assign(self.owner, MatrixPlace::Field(owner, index), *part);
                }
                FIXED
            }
            Type::Array(..) if self.carries(id) => self.joined(parts, true),
            Type::Array(..) => FIXED,
            _ if self.carries(id) && elements(&self.program.types, self.exprs, id).is_some() => self.plan.free(),
            _ => {
                parts.iter().for_each(|part| self.fix(*part));
                FIXED
            }
        }
    }

    fn called(&mut self, id: ExprId, carries: bool) -> NodeId {
        let (callee, args) = match &self.exprs[id].kind {
            ExprKind::Call(callee, args) => (Some(*callee), args),
            ExprKind::Native(_, args) => (None, args),
            _ => return FIXED,
        };
        match (Algebra::of(self.program, &self.exprs[id].kind), callee) {
            (Some(Algebra::Product), _) => self.product(args, carries),
            // What is turned is chosen apart for both: where one is and the other is not, no call is needed.
            (Some(Algebra::Transpose), _) if carries => self.plan.free(),
            (Some(Algebra::Determinant), _) => FIXED,
            (Some(Algebra::Transpose) | None, Some(callee)) if self.is_known(callee) => self.user_call(callee, args),
            (Some(Algebra::Transpose) | None, _) => self.opaque(args),
        }
    }

    fn is_known(&self, callee: FunctionId) -> bool {
        matches!(self.program.functions[callee].body, FunctionBody::Block)
    }

    fn user_call(&mut self, callee: FunctionId, args: &[ExprId]) -> NodeId {
        for (param, arg) in self.program.functions[callee].params.iter().zip(args) {
            self.plan.assign(self.owner, MatrixPlace::Local(callee, param.local), *arg);
        }
        self.plan.place(MatrixPlace::Result(callee))
    }

    /// Both matrices of a product, and a matrix that it gives, are turned together.
    fn product(&mut self, args: &[ExprId], carries: bool) -> NodeId {
        let matrices: Vec<ExprId> = args.iter().copied().filter(|arg| self.is_matrix(*arg)).collect();
        let is_scaled = args.iter().any(|arg| matches!(self.program.types.get(self.exprs[*arg].ty), Type::Scalar(_)));
        if carries {
            let whole = self.joined(&matrices, true);
            self.plan.note(whole, |reasons| reasons.is_multiplied |= !is_scaled);
            return whole;
        }
        // A vector, or a matrix of one row or column, which is not turned.
        let is_algebraic = matches!(matrices.as_slice(), [_]);
        for matrix in matrices {
            match self.node(matrix) {
                Some(node) if is_algebraic => self.plan.note(node, |reasons| reasons.is_multiplied = true),
                Some(node) => self.plan.fix(node),
                None => {}
            }
        }
        FIXED
    }

    /// An element of a row: the indices can change places.
    fn element(&mut self, base: ExprId, index: ExprId) {
        if let ExprKind::Index(matrix, row) = self.exprs[base].kind
            && self.is_matrix(matrix)
            && is_pure(self.exprs, index)
            && is_pure(self.exprs, row)
        {
            self.elements.insert(base);
        }
    }

    /// Matrices of which whole rows are taken are not turned.
    fn rows(&mut self, live: &[ExprId]) {
        for id in live {
            if let ExprKind::Index(matrix, _) = self.exprs[*id].kind
                && self.is_matrix(matrix)
                && !self.elements.contains(id)
            {
                self.fix(matrix);
            }
        }
    }
}
