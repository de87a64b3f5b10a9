//! Types, storage orders and expressions of what is turned.

use super::groups::OrderHolder;
use super::plan::{Orientations, elements};
use super::{Algebra, Owner, turned};
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

impl Orientations {
    /// Turns what is to be turned.
    pub(super) fn apply(mut self, program: &mut Program) {
        let (mut reversed, mut instances) = (Vec::new(), Instances::default());
        for id in program.functions_with_code() {
            let mut body = std::mem::take(&mut program.functions[id].code);
            let live = body.expressions();
            let owner = Owner::Function(id);
            Rewriter { plan: &mut self, program, owner, exprs: &mut body.exprs, instances: &mut instances }
                .run(&live, &mut reversed);
            program.functions[id].code = body;
        }
        for id in program.globals.iter().map(|(id, _)| id).collect::<Vec<_>>() {
            let Some(mut tree) = program.globals[id].init.take() else { continue };
            let live = tree.exprs.post_order(tree.root);
            let owner = Owner::Initializer(id);
            Rewriter { plan: &mut self, program, owner, exprs: &mut tree.exprs, instances: &mut instances }
                .run(&live, &mut Vec::new());
            program.globals[id].init = Some(tree);
        }
        self.orders(program);
        self.types(program);
        program.reversed_products = reversed;
    }

    /// Storage orders that are said become the other ones.
    fn orders(&mut self, program: &mut Program) {
        let mut said = FxHashSet::default();
        for group in std::mem::take(&mut self.orders) {
            if !self.is_turned(group.node) {
                continue;
            }
            let order = Some(other(group.order));
            match group.holder {
                OrderHolder::Buffer(id) => program.globals[id].matrix_order = order,
                OrderHolder::Member(owner, index) => {
                    said.insert((owner, index));
                    if let Some(field) = program.structs[owner].fields.get_mut(index as usize) {
                        field.matrix_order = order;
                    }
                }
            }
        }
        for (place, node) in self.places.clone() {
            if let MatrixPlace::Field(owner, index) = place
                && !said.contains(&(owner, index))
                && self.is_turned(node)
                && let Some(field) = program.structs[owner].fields.get_mut(index as usize)
            {
                field.matrix_order = field.matrix_order.map(other);
            }
        }
    }

    fn types(&mut self, program: &mut Program) {
        for (place, node) in self.places.clone() {
            if !self.is_turned(node) {
                continue;
            }
            let slot = match place {
                MatrixPlace::Local(function, local) => Some(&mut program.functions[function].code.locals[local].ty),
                MatrixPlace::Result(function) => Some(&mut program.functions[function].result),
                MatrixPlace::Field(owner, index) => {
                    program.structs[owner].fields.get_mut(index as usize).map(|field| &mut field.ty)
                }
                MatrixPlace::Global(id) => Some(&mut program.globals[id].ty),
            };
            if let Some(ty) = slot {
                *ty = turned(&mut program.types, *ty);
            }
        }
    }
}

fn other(order: MatrixOrder) -> MatrixOrder {
    match order {
        MatrixOrder::Row => MatrixOrder::Column,
        MatrixOrder::Column => MatrixOrder::Row,
    }
}

/// Builtins for other types of arguments and results.
type Instances = FxHashMap<(FunctionId, Vec<TypeId>, TypeId), FunctionId>;

/// Rewrites the expressions of one body or initializer.
struct Rewriter<'a> {
    plan: &'a mut Orientations,
    program: &'a mut Program,
    owner: Owner,
    exprs: &'a mut ExprArena,
    instances: &'a mut Instances,
}

impl Rewriter<'_> {
    fn run(&mut self, live: &[ExprId], reversed: &mut Vec<(FunctionId, MatrixPlace)>) {
        for id in live {
            self.note_reversed(*id, reversed);
            self.operation(*id);
            if self.is_turned(*id) {
                self.exprs[*id].ty = turned(&mut self.program.types, self.exprs[*id].ty);
            }
        }
    }

    fn is_turned(&mut self, id: ExprId) -> bool {
        let node = self.plan.values.get(&(self.owner, id)).copied();
        node.is_some_and(|node| self.plan.is_turned(node))
    }

    /// A product that stays as it is, of a matrix that has a name.
    fn note_reversed(&mut self, id: ExprId, reversed: &mut Vec<(FunctionId, MatrixPlace)>) {
        // What is `Native` has been exchanged by a pass before.
        let (ExprKind::Call(_, args), Owner::Function(function)) = (&self.exprs[id].kind, self.owner) else { return };
        if Algebra::of(self.program, &self.exprs[id].kind) != Some(Algebra::Product) {
            return;
        }
        let args = args.clone();
        let is_scalar = |arg: &ExprId| matches!(self.program.types.get(self.exprs[*arg].ty), Type::Scalar(_));
        if args.iter().any(is_scalar) {
            return;
        }
        for arg in args {
            if matches!(self.program.types.get(self.exprs[arg].ty), Type::Matrix(..))
                && !self.is_turned(arg)
                && let Some(place) = self.named(function, arg)
                && !reversed.contains(&(function, place))
            {
                reversed.push((function, place));
            }
        }
    }

    /// Where a matrix comes from.
    fn named(&self, function: FunctionId, mut id: ExprId) -> Option<MatrixPlace> {
        loop {
            match &self.exprs[id].kind {
                ExprKind::Convert(inner, _) | ExprKind::Index(inner, _) | ExprKind::Contents(inner) => id = *inner,
                ExprKind::Native(_, args) => id = *args.first()?,
                ExprKind::Local(local) => return Some(MatrixPlace::Local(function, *local)),
                ExprKind::Global(global) => return Some(MatrixPlace::Global(*global)),
                ExprKind::Field(base, index) => match self.program.types.get(self.exprs[*base].ty) {
                    Type::Struct(owner) => return Some(MatrixPlace::Field(owner, *index)),
                    _ => return None,
                },
                ExprKind::Call(callee, _) if !self.program.functions[*callee].builtin => {
                    return Some(MatrixPlace::Result(*callee));
                }
                _ => return None,
            }
        }
    }

    fn operation(&mut self, id: ExprId) {
        match self.exprs[id].kind.clone() {
            ExprKind::Index(row, column) => self.element(id, row, Column::Index(column)),
            ExprKind::Swizzle(row, swizzle) => {
                if let [column] = swizzle.list() {
                    self.element(id, row, Column::Component(*column));
                }
            }
            ExprKind::MatrixSwizzle(matrix, list) if self.is_turned(matrix) => {
                let list = list.iter().map(|(row, column)| (*column, *row)).collect();
                self.exprs[id].kind = ExprKind::MatrixSwizzle(matrix, list);
            }
            ExprKind::Construct(_) if self.is_turned(id) => self.constructed(id),
            ref kind @ (ExprKind::Call(_, ref args) | ExprKind::Native(_, ref args)) => {
                if let Some(algebra) = Algebra::of(self.program, kind) {
                    self.algebra(id, algebra, args);
                }
            }
            _ => {}
        }
    }

    fn algebra(&mut self, id: ExprId, algebra: Algebra, args: &[ExprId]) {
        let are_turned: Vec<bool> = args.iter().map(|arg| self.is_turned(*arg)).collect();
        match (algebra, args, are_turned.as_slice()) {
            (Algebra::Product, [a, b], [true, _] | [_, true]) => {
                let is_scalar = |e: ExprId| matches!(self.program.types.get(self.exprs[e].ty), Type::Scalar(_));
                let list = if is_scalar(*a) || is_scalar(*b) { vec![*a, *b] } else { vec![*b, *a] };
                self.call(id, list);
            }
            (Algebra::Transpose, [a], [inner]) => match (*inner, self.is_turned(id)) {
                (true, true) => self.call(id, vec![*a]),
                (true, false) | (false, true) => {
                    // What is left is the type that the value had.
                    let ty = self.exprs[id].ty;
                    self.exprs.replace_by(id, *a);
                    self.exprs[id].ty = ty;
                }
                (false, false) => {}
            },
            (Algebra::Determinant, [a], [true]) => self.call(id, vec![*a]),
            (Algebra::Product | Algebra::Transpose | Algebra::Determinant, ..) => {}
        }
    }

    /// Calls the builtin of a call for other arguments: that for their types.
    fn call(&mut self, id: ExprId, args: Vec<ExprId>) {
        let callee = match &mut self.exprs[id].kind {
            ExprKind::Native(_, list) => {
                *list = args;
                return;
            }
            ExprKind::Call(callee, _) => *callee,
            _ => return,
        };
        let mut result = self.exprs[id].ty;
        if self.is_turned(id) {
            result = turned(&mut self.program.types, result);
        }
        let types: Vec<TypeId> = args.iter().map(|arg| self.exprs[*arg].ty).collect();
        let callee = self.instance(callee, types, result);
        self.exprs[id].kind = ExprKind::Call(callee, args);
    }

    fn instance(&mut self, callee: FunctionId, types: Vec<TypeId>, result: TypeId) -> FunctionId {
        let key = (callee, types, result);
        if let Some(found) = self.instances.get(&key) {
            return *found;
        }
        let mut made = self.program.functions[callee].clone();
        made.result = result;
        for (param, ty) in made.params.iter().zip(&key.1) {
            made.code.locals[param.local].ty = *ty;
        }
        let made = self.program.functions.push(made);
        self.instances.insert(key, made);
        made
    }

    /// Elements stand in the order of the turned matrix.
    fn constructed(&mut self, id: ExprId) {
        let Type::Matrix(scalar, rows, columns) = self.program.types.get(self.exprs[id].ty) else { return };
        let Some((elements, has_lists)) = elements(&self.program.types, self.exprs, id) else { return };
        let column = |c: u8| elements.iter().copied().skip(c.into()).step_by(columns.into()).collect::<Vec<ExprId>>();
        let lists = (0..columns).map(column);
        let span = self.exprs[id].span;
        let mut b = Build::new(&mut self.program.types, self.exprs, span);
        let vector = b.types.vector(scalar, rows);
        let parts = match has_lists {
            true => lists.map(|list| b.construct(list, vector)).collect(),
            false => lists.flatten().collect(),
        };
        self.exprs[id].kind = ExprKind::Construct(parts);
    }

    /// `m[row][column]` of a turned matrix is `m[column][row]`.
    fn element(&mut self, id: ExprId, row: ExprId, column: Column) {
        let ExprKind::Index(matrix, index) = self.exprs[row].kind else { return };
        if !matches!(self.program.types.get(self.exprs[matrix].ty), Type::Matrix(..)) || !self.is_turned(matrix) {
            return;
        }
        let span = self.exprs[row].span;
        let mut b = Build::new(&mut self.program.types, self.exprs, span);
        let first = match column {
            Column::Index(column) => column,
            Column::Component(column) => b.int(column.into()),
        };
        let ty = b.element_type(b.exprs[matrix].ty);
        b.exprs[row] = Expr { kind: ExprKind::Index(matrix, first), ty, span };
        let literal = match b.exprs[index].kind {
            ExprKind::Literal(Literal::Int(at), _) => u8::try_from(at).ok().filter(|at| *at < 4),
            _ => None,
        };
        b.exprs[id].kind = match (column, literal) {
            (Column::Component(_), Some(at)) => ExprKind::Swizzle(row, Swizzle::new(&[at])),
            _ => ExprKind::Index(row, index),
        };
    }
}

/// Which element of a row.
#[derive(Clone, Copy)]
enum Column {
    Index(ExprId),
    Component(u8),
}
