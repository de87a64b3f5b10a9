//! Walking and rewriting trees: the few loops that every pass is made of.
//!
//! Passes rewrite in place: take the ids of all live expressions in post-order ([`Body::expressions`]), look at each,
//! and assign `body.exprs[id]`. A parent keeps its child's id, so what was there is wrapped by pushing a copy and
//! pointing to it ([`ExprArena::displace`]). Statements are rewritten by [`Block::rewrite`], which lets a pass replace
//! one statement by several.

use super::{
    Arena, Block, Body, Expr, ExprId, ExprKind, Function, FunctionBody, FunctionId, GlobalId, GlobalKind, Hints,
    Length, Literal, Local, LocalId, Program, Scalar, Semantic, Step, Stmt, StmtKind, TargetCase, Type, TypeId, Types,
};
use crate::source::Span;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// The storage of expressions.
pub type ExprArena = Arena<ExprId, Expr>;

/// The children of an expression, in the order of the source: one list for the reading and the changing visitor.
macro_rules! children {
    ($kind:expr, $f:expr, $iter:ident) => {{
        let f = $f;
        match $kind {
            ExprKind::Literal(..)
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::EnumCase(..)
            | ExprKind::Zero => {}
            ExprKind::Field(a, _)
            | ExprKind::Contents(a)
            | ExprKind::Swizzle(a, _)
            | ExprKind::MatrixSwizzle(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::Step(_, _, a)
            | ExprKind::Convert(a, _)
            | ExprKind::AddressOf(a)
            | ExprKind::Deref(a) => f(a),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) | ExprKind::Comma(a, b) => {
                f(a);
                f(b);
            }
            ExprKind::Select(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
            ExprKind::Call(_, args) | ExprKind::Construct(args) | ExprKind::Native(_, args) => {
                args.$iter().for_each(f);
            }
            ExprKind::Property(p) => p.args.$iter().for_each(f),
        }
    }};
}

/// The expressions of a statement itself, for the reading and the changing visitor.
macro_rules! own_exprs {
    ($kind:expr, $f:expr, $iter:ident) => {{
        let f = $f;
        match $kind {
            StmtKind::Expr(e) | StmtKind::If(e, ..) | StmtKind::While(e, ..) | StmtKind::DoWhile(_, e, _) => f(e),
            StmtKind::Local(_, e) | StmtKind::Return(e) => e.$iter().for_each(f),
            StmtKind::For(_, condition, step, _, _) => condition.$iter().chain(step).for_each(f),
            StmtKind::Switch(e, cases, _) => {
                f(e);
                cases.$iter().flat_map(|case| case.labels.$iter()).flatten().for_each(f);
            }
            StmtKind::Block(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Discard | StmtKind::Intrinsic(_) => {}
        }
    }};
}

/// The blocks directly in a statement.
macro_rules! blocks {
    ($kind:expr, $f:expr, $iter:ident, $body:expr) => {
        match $kind {
            StmtKind::Block(b)
            | StmtKind::While(_, b, _)
            | StmtKind::DoWhile(b, _, _)
            | StmtKind::For(_, _, _, b, _) => $f(b),
            StmtKind::If(_, then, other, _) => {
                $f(then);
                other.$iter().for_each($f);
            }
            StmtKind::Switch(_, cases, _) => cases.$iter().map($body).for_each($f),
            _ => {}
        }
    };
}

impl ExprKind {
    /// Calls `f` with each direct child, in the order of the source.
    pub fn children(&self, f: &mut dyn FnMut(ExprId)) {
        children!(self, &mut |id: &ExprId| f(*id), iter)
    }

    /// Calls `f` with each direct child, to replace it.
    pub fn children_mut(&mut self, f: &mut dyn FnMut(&mut ExprId)) {
        children!(self, f, iter_mut)
    }
}

impl Arena<ExprId, Expr> {
    /// The subtree at `root`, children before parents, left before right.
    pub fn post_order(&self, root: ExprId) -> Vec<ExprId> {
        let mut order = Vec::with_capacity(8);
        self.post_order_into(root, &mut order, &mut Vec::with_capacity(8));
        order
    }

    /// Whether something holds of an expression or a part of it.
    pub fn any_part(&self, root: ExprId, mut is: impl FnMut(ExprId) -> bool) -> bool {
        // What has no parts takes no memory.
        let (mut next, mut stack) = (Some(root), Vec::new());
        while let Some(id) = next.take().or_else(|| stack.pop()) {
            if is(id) {
                return true;
            }
            children!(&self[id].kind, &mut |child: &ExprId| stack.push(*child), iter);
        }
        false
    }

    /// What uses each expression.
    pub fn parents(&self, live: &[ExprId]) -> FxHashMap<ExprId, ExprId> {
        let mut parents = FxHashMap::default();
        for &id in live {
            self[id].kind.children(&mut |child| {
                parents.insert(child, id);
            });
        }
        parents
    }

    /// `stack` is empty; it is the caller's so that many walks share its memory.
    fn post_order_into(&self, root: ExprId, order: &mut Vec<ExprId>, stack: &mut Vec<ExprId>) {
        // Reverse of (parent, right to left) is (left to right, parent): no recursion on deep trees.
        let start = order.len();
        stack.push(root);
        while let Some(id) = stack.pop() {
            order.push(id);
            children!(&self[id].kind, &mut |child: &ExprId| stack.push(*child), iter);
        }
        if let Some(tail) = order.get_mut(start..) {
            tail.reverse();
        }
    }

    /// Moves what is at `id` to a new place, which is returned; `id` is then free to be given a new parent node.
    pub fn displace(&mut self, id: ExprId) -> ExprId {
        let copy = self[id].clone();
        self.push(copy)
    }

    /// What a constant buffer holds; of a comma, the last one is read.
    pub fn contents(&mut self, buffer: ExprId, held: TypeId, span: Span) -> ExprId {
        let mut firsts = Vec::new();
        let mut last = buffer;
        while let ExprKind::Comma(first, next) = self[last].kind {
            firsts.push(first);
            last = next;
        }
        let contents = self.push(Expr { kind: ExprKind::Contents(last), ty: held, span });
        firsts
            .into_iter()
            .rev()
            .fold(contents, |value, first| self.push(Expr { kind: ExprKind::Comma(first, value), ty: held, span }))
    }

    /// Puts the node of `from` in the place of `id` (its children come along).
    pub fn replace_by(&mut self, id: ExprId, from: ExprId) {
        self[id] = self[from].clone();
    }

    /// A copy of the whole subtree, sharing nothing with it.
    pub fn duplicate(&mut self, id: ExprId) -> ExprId {
        let mut copy = self[id].clone();
        copy.kind.children_mut(&mut |child| *child = self.duplicate(*child));
        self.push(copy)
    }

    /// Copies a subtree of another arena into this one. `leaf` may answer each node with a replacement that is already here.
    pub fn import(
        &mut self,
        from: &ExprArena,
        id: ExprId,
        leaf: &mut dyn FnMut(&mut ExprArena, ExprId) -> Option<ExprId>,
    ) -> ExprId {
        if let Some(done) = leaf(self, id) {
            return done;
        }
        let mut copy = from[id].clone();
        copy.kind.children_mut(&mut |child| *child = self.import(from, *child, leaf));
        self.push(copy)
    }

    /// The variable, parameter or global that an lvalue lies in: strips fields, elements and swizzles.
    pub fn base(&self, id: ExprId) -> ExprId {
        self.way_to_base(id).last().unwrap_or(id)
    }

    /// An lvalue, what it is a part of, and so on, up to [`base`](Self::base).
    pub fn way_to_base(&self, id: ExprId) -> impl Iterator<Item = ExprId> {
        std::iter::successors(Some(id), |id| match &self[*id].kind {
            ExprKind::Field(a, _)
            | ExprKind::Index(a, _)
            | ExprKind::Contents(a)
            | ExprKind::Swizzle(a, _)
            | ExprKind::MatrixSwizzle(a, _)
            | ExprKind::Deref(a)
            | ExprKind::AddressOf(a) => Some(*a),
            _ => None,
        })
    }

    /// The indices on an access path, outermost last.
    pub fn indices(&self, path: ExprId) -> Vec<ExprId> {
        let (mut list, mut id) = (Vec::new(), path);
        loop {
            id = match self[id].kind {
                ExprKind::Index(base, index) => {
                    list.push(index);
                    base
                }
                ExprKind::Field(base, _) | ExprKind::Contents(base) => base,
                _ => return list,
            };
        }
    }

    /// An integer that is written out, perhaps converted.
    pub fn integer(&self, id: ExprId) -> Option<i64> {
        match self[id].kind {
            ExprKind::Literal(Literal::Int(value), _) => Some(value),
            ExprKind::Convert(inner, _) => self.integer(inner),
            _ => None,
        }
    }

    /// The local that an lvalue is, or is a part of.
    pub fn base_local(&self, id: ExprId) -> Option<LocalId> {
        match self[self.base(id)].kind {
            ExprKind::Local(local) => Some(local),
            _ => None,
        }
    }

    /// The global at the base of an access path, and the path's fields; indices are passed over.
    pub fn global_path(&self, id: ExprId) -> Option<(GlobalId, Vec<Step>)> {
        let mut fields = Vec::new();
        let mut id = id;
        loop {
            match &self[id].kind {
                ExprKind::Field(a, index) => {
                    fields.push(Step::Field(*index));
                    id = *a;
                }
                ExprKind::Index(a, _) | ExprKind::Contents(a) => id = *a,
                ExprKind::Global(global) => {
                    fields.reverse();
                    return Some((*global, fields));
                }
                _ => return None,
            }
        }
    }
}

impl Stmt {
    /// A statement made by a pass.
    pub fn new(kind: StmtKind, span: crate::source::Span) -> Stmt {
        Stmt { kind, span, comments: Vec::new(), blank_before: false }
    }

    /// Gives its comments and the blank line before it to the first of the statements that come before it or in its place;
    /// comments behind it on its line only with `trailing`.
    pub fn give_comments(&mut self, first: Option<&mut Stmt>, trailing: bool) {
        if let Some(first) = first {
            first.comments = self.comments.extract_if(.., |c| trailing || !c.trailing).collect();
            first.blank_before = std::mem::take(&mut self.blank_before);
        }
    }

    /// Calls `f` with the expressions that belong to this statement itself, not to statements inside it.
    pub fn own_exprs(&self, f: &mut dyn FnMut(ExprId)) {
        own_exprs!(&self.kind, &mut |id: &ExprId| f(*id), iter)
    }

    /// Like [`Stmt::own_exprs`], to replace them.
    pub fn own_exprs_mut(&mut self, f: &mut dyn FnMut(&mut ExprId)) {
        own_exprs!(&mut self.kind, f, iter_mut)
    }

    /// Calls `f` with each block directly in this statement.
    pub fn blocks(&self, f: &mut dyn FnMut(&Block)) {
        blocks!(&self.kind, f, iter, |case| &case.body)
    }

    /// The hints before it, if it is one that may have some.
    pub fn hints(&self) -> Option<&Hints> {
        match &self.kind {
            StmtKind::If(.., hints)
            | StmtKind::For(.., hints)
            | StmtKind::While(.., hints)
            | StmtKind::DoWhile(.., hints)
            | StmtKind::Switch(.., hints) => Some(hints),
            _ => None,
        }
    }

    /// Calls `f` with each block directly in this statement, to change it.
    pub fn blocks_mut(&mut self, f: &mut dyn FnMut(&mut Block)) {
        blocks!(&mut self.kind, f, iter_mut, |case| &mut case.body)
    }
}

impl Block {
    /// A block made by a pass.
    pub fn of(stmts: Vec<Stmt>) -> Block {
        Block { stmts, trailing: Vec::new() }
    }

    /// Calls `f` with every statement in it at any depth, outer before inner, in textual order (`for` initializers too).
    pub fn visit(&self, f: &mut dyn FnMut(&Stmt)) {
        for stmt in &self.stmts {
            stmt.visit(f);
        }
    }

    /// Calls `f` with every statement in it at any depth, to change it (not its number).
    pub fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Stmt)) {
        for stmt in &mut self.stmts {
            stmt.visit_mut(f);
        }
    }

    /// Replaces every statement, inner ones first, by what `f` pushes for it. Initializers of `for` are not passed;
    /// they are seen as part of the `for`.
    pub fn rewrite(&mut self, f: &mut dyn FnMut(Stmt, &mut Vec<Stmt>)) {
        let old = std::mem::take(&mut self.stmts);
        for mut stmt in old {
            stmt.blocks_mut(&mut |block| block.rewrite(f));
            f(stmt, &mut self.stmts);
        }
    }

    /// Leaves out statements at any depth; their comments go to what stands behind them.
    pub fn leave_out(&mut self, goes: &mut dyn FnMut(&Stmt) -> bool) {
        let mut carried: Option<Stmt> = None;
        for mut stmt in std::mem::take(&mut self.stmts) {
            if let Some(before) = carried.take() {
                stmt.comments.splice(0..0, before.comments.into_iter().filter(|c| !c.trailing));
                stmt.blank_before |= before.blank_before;
            }
            if goes(&stmt) {
                carried = Some(stmt);
                continue;
            }
            stmt.blocks_mut(&mut |block| block.leave_out(goes));
            self.stmts.push(stmt);
        }
        let rest = carried.into_iter().flat_map(|stmt| stmt.comments).filter(|c| !c.trailing);
        self.trailing.splice(0..0, rest);
    }

    /// Whether some statement at any depth satisfies `f`.
    pub fn any(&self, f: &mut dyn FnMut(&Stmt) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |stmt| found = found || f(stmt));
        found
    }
}

impl Stmt {
    /// Calls `f` with this statement and every one in it.
    pub fn visit(&self, f: &mut dyn FnMut(&Stmt)) {
        f(self);
        if let StmtKind::For(init, ..) = &self.kind {
            init.iter().for_each(|s| s.visit(f));
        }
        self.blocks(&mut |block| block.visit(f));
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Stmt)) {
        f(self);
        if let StmtKind::For(init, ..) = &mut self.kind {
            init.iter_mut().for_each(|s| s.visit_mut(f));
        }
        self.blocks_mut(&mut |block| block.visit_mut(f));
    }
}

impl Body {
    /// The root expressions of all statements, in textual order.
    pub fn roots(&self) -> Vec<ExprId> {
        let mut roots = Vec::new();
        self.block.visit(&mut |stmt| stmt.own_exprs(&mut |e| roots.push(e)));
        roots
    }

    /// See [`Body::live`]; a list of one's own.
    pub fn expressions(&self) -> Vec<ExprId> {
        self.live().to_vec()
    }

    pub(super) fn find_live(&self) -> Vec<ExprId> {
        let (mut order, mut stack) = (Vec::with_capacity(self.exprs.len()), Vec::with_capacity(8));
        let mut add = |root| self.exprs.post_order_into(root, &mut order, &mut stack);
        self.block.visit(&mut |stmt| stmt.own_exprs(&mut add));
        order
    }

    pub(super) fn find_types(&self) -> Vec<(TypeId, Span)> {
        // By the numbers of types, which are few.
        let (mut types, mut known) = (Vec::new(), Vec::new());
        let mut add = |ty: TypeId, span: Span| {
            let number = ty.0 as usize;
            if known.len() <= number {
                known.resize(number + 1, false);
            }
            if let Some(known) = known.get_mut(number).filter(|known| !**known) {
                *known = true;
                types.push((ty, span));
            }
        };
        self.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, _) = stmt.kind {
                add(self.locals[local].ty, stmt.span);
            }
        });
        self.live().iter().for_each(|id| add(self.exprs[*id].ty, self.exprs[*id].span));
        types
    }

    /// Copies a block of another body into this one: its locals get new ids, unless `locals` has one for them already.
    pub fn import_block(&mut self, from: &Body, block: &Block, locals: &mut FxHashMap<LocalId, LocalId>) -> Block {
        let mut copy = block.clone();
        self.import_stmts(from, &mut copy.stmts, locals);
        copy
    }

    fn import_stmts(&mut self, from: &Body, stmts: &mut [Stmt], locals: &mut FxHashMap<LocalId, LocalId>) {
        for stmt in stmts {
            if let StmtKind::Local(local, _) = &mut stmt.kind {
                *local = self.import_local(from, *local, locals);
            }
            if let StmtKind::For(init, ..) = &mut stmt.kind {
                self.import_stmts(from, init, locals);
            }
            stmt.own_exprs_mut(&mut |e| *e = self.import_expr(from, *e, locals));
            stmt.blocks_mut(&mut |b| self.import_stmts(from, &mut b.stmts, locals));
        }
    }

    /// Copies an expression of another body; see [`Body::import_block`].
    pub fn import_expr(&mut self, from: &Body, id: ExprId, locals: &mut FxHashMap<LocalId, LocalId>) -> ExprId {
        let copy = self.exprs.import(&from.exprs, id, &mut |_, _| None);
        for id in self.exprs.post_order(copy) {
            if let ExprKind::Local(local) = self.exprs[id].kind {
                self.exprs[id].kind = ExprKind::Local(self.import_local(from, local, locals));
            }
        }
        copy
    }

    fn import_local(&mut self, from: &Body, local: LocalId, locals: &mut FxHashMap<LocalId, LocalId>) -> LocalId {
        *locals.entry(local).or_insert_with(|| self.locals.push(from.locals[local].clone()))
    }

    /// How often each local is mentioned in live expressions.
    pub fn local_uses(&self) -> FxHashMap<LocalId, u32> {
        let mut uses = FxHashMap::default();
        for id in self.expressions() {
            if let ExprKind::Local(local) = self.exprs[id].kind {
                *uses.entry(local).or_insert(0) += 1;
            }
        }
        uses
    }

    /// Adds a variable.
    pub fn add_local(
        &mut self,
        name: impl Into<crate::symbol::Symbol>,
        ty: TypeId,
        span: crate::source::Span,
    ) -> LocalId {
        self.locals.push(Local { name: name.into(), ty, constant: false, modifiers: Default::default(), span })
    }
}

impl Program {
    /// Whether a place is in memory that other invocations write, too: shared by a group, or a buffer.
    pub fn is_shared(&self, exprs: &ExprArena, place: ExprId) -> bool {
        match exprs[exprs.base(place)].kind {
            ExprKind::Global(g) => matches!(self.globals[g].kind, GlobalKind::Groupshared | GlobalKind::Parameter),
            _ => false,
        }
    }

    /// The functions with statements, in the order of items, and then the other ones (builtins) in order of ids.
    pub fn functions_with_code(&self) -> Vec<FunctionId> {
        self.functions.iter().filter(|(_, f)| matches!(f.body, FunctionBody::Block)).map(|(id, _)| id).collect()
    }

    /// Calls `f` with the expressions of every body and initializer of the program: the arena and the live ids, children
    /// before parents.
    pub fn each_exprs(&self, f: &mut dyn FnMut(&ExprArena, &[ExprId])) {
        for (_, function) in self.functions.iter().filter(|(_, f)| matches!(f.body, FunctionBody::Block)) {
            f(&function.code.exprs, &function.code.expressions());
        }
        for tree in self.globals.iter().filter_map(|(_, g)| g.init.as_ref()) {
            f(&tree.exprs, &tree.exprs.post_order(tree.root));
        }
    }

    /// Replaces types everywhere: innermost first, `f` answers each type with what it becomes. Struct types keep
    /// their id (their fields are mapped).
    pub fn map_types(&mut self, f: &mut dyn FnMut(&mut Types, TypeId) -> TypeId) {
        let mut map = TypeMap { memo: FxHashMap::default(), f };
        let types = &mut self.types;
        for (_, s) in self.structs.iter_mut() {
            s.fields.iter_mut().for_each(|field| field.ty = map.get(types, field.ty));
        }
        for (_, g) in self.globals.iter_mut() {
            g.ty = map.get(types, g.ty);
            if let Some(tree) = &mut g.init {
                tree.exprs.iter_mut().for_each(|(_, e)| e.ty = map.get(types, e.ty));
            }
        }
        for (_, function) in self.functions.iter_mut() {
            function.result = map.get(types, function.result);
            function.bodies_mut(&mut |body| {
                body.locals.iter_mut().for_each(|(_, l)| l.ty = map.get(types, l.ty));
                body.exprs.iter_mut().for_each(|(_, e)| e.ty = map.get(types, e.ty));
            });
            for tree in function.defaults_mut() {
                tree.exprs.iter_mut().for_each(|(_, e)| e.ty = map.get(types, e.ty));
            }
        }
    }

    /// Calls `f` with the expressions of every body, default value and initializer, live or not, to change them.
    pub fn each_arena_mut(&mut self, f: &mut dyn FnMut(&mut ExprArena)) {
        for (_, function) in self.functions.iter_mut() {
            function.bodies_mut(&mut |body| f(&mut body.exprs));
            function.defaults_mut().for_each(|tree| f(&mut tree.exprs));
        }
        self.globals.iter_mut().filter_map(|(_, g)| g.init.as_mut()).for_each(|tree| f(&mut tree.exprs));
    }
}

impl Function {
    /// Calls `f` with its statements, in each of its cases for targets.
    pub fn each_body(&self, f: &mut dyn FnMut(&Body)) {
        match &self.body {
            FunctionBody::Block => f(&self.code),
            FunctionBody::Switch(cases) => cases.iter().for_each(|(_, case)| match case {
                TargetCase::Block(body) => f(body),
                TargetCase::Intrinsic(_) => {}
            }),
            FunctionBody::None | FunctionBody::Intrinsic(_) => {}
        }
    }

    /// The default values of its parameters.
    pub fn defaults_mut(&mut self) -> impl Iterator<Item = &mut super::ExprTree> {
        self.params.iter_mut().filter_map(|param| param.default.as_mut())
    }

    /// Its own body, and those of its cases for targets.
    pub fn bodies_mut(&mut self, f: &mut dyn FnMut(&mut Body)) {
        f(&mut self.code);
        if let FunctionBody::Switch(cases) = &mut self.body {
            for (_, case) in cases {
                if let TargetCase::Block(body) = case {
                    f(body);
                }
            }
        }
    }
}

struct TypeMap<'a> {
    memo: FxHashMap<TypeId, TypeId>,
    f: &'a mut dyn FnMut(&mut Types, TypeId) -> TypeId,
}

impl TypeMap<'_> {
    fn get(&mut self, types: &mut Types, id: TypeId) -> TypeId {
        if let Some(&done) = self.memo.get(&id) {
            return done;
        }
        let inner = types.get(id);
        let rebuilt = match inner.element() {
            Some(element) => {
                let mapped = self.get(types, element);
                if mapped == element { id } else { types.intern(inner.with_element(mapped)) }
            }
            None => id,
        };
        let result = (self.f)(types, rebuilt);
        self.memo.insert(id, result);
        result
    }
}

impl Type {
    /// The type that an array, buffer, block, pointer or other container is of.
    pub fn element(self) -> Option<TypeId> {
        match self {
            Type::Array(t, _)
            | Type::Buffer(_, _, t)
            | Type::ConstantBuffer(t, _)
            | Type::TextureBuffer(t)
            | Type::ParameterBlock(t)
            | Type::SubpassInput(t, _)
            | Type::Stream(_, t)
            | Type::Patch(_, t, _)
            | Type::MeshOutput(_, t, _)
            | Type::Handle(t)
            | Type::Pointer(t, _) => Some(t),
            Type::Texture(texture) => Some(texture.element),
            _ => None,
        }
    }

    /// The component type of a scalar, vector or matrix.
    pub fn component(self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, _, _) | Type::Atomic(s) => Some(s),
            _ => None,
        }
    }

    /// What a constant buffer, texture buffer or parameter block holds.
    pub fn contents(self) -> Option<TypeId> {
        match self {
            Type::ConstantBuffer(t, _) | Type::TextureBuffer(t) | Type::ParameterBlock(t) => Some(t),
            _ => None,
        }
    }

    /// The same container of another type.
    pub fn with_element(self, element: TypeId) -> Type {
        match self {
            Type::Array(_, n) => Type::Array(element, n),
            Type::Buffer(kind, access, _) => Type::Buffer(kind, access, element),
            Type::ConstantBuffer(_, layout) => Type::ConstantBuffer(element, layout),
            Type::TextureBuffer(_) => Type::TextureBuffer(element),
            Type::ParameterBlock(_) => Type::ParameterBlock(element),
            Type::SubpassInput(_, ms) => Type::SubpassInput(element, ms),
            Type::Stream(kind, _) => Type::Stream(kind, element),
            Type::Patch(input, _, n) => Type::Patch(input, element, n),
            Type::MeshOutput(kind, _, n) => Type::MeshOutput(kind, element, n),
            Type::Pointer(_, space) => Type::Pointer(element, space),
            Type::Handle(_) => Type::Handle(element),
            Type::Texture(texture) => Type::Texture(super::Texture { element, ..texture }),
            other => other,
        }
    }

    /// A resource: what has a binding of its own and cannot be data.
    pub fn is_resource(self) -> bool {
        matches!(
            self,
            Type::Texture(_)
                | Type::Sampler(_)
                | Type::Buffer(..)
                | Type::ConstantBuffer(..)
                | Type::TextureBuffer(_)
                | Type::ParameterBlock(_)
                | Type::SubpassInput(..)
                | Type::AccelerationStructure
                | Type::DynamicResource(_)
        )
    }
}

impl Type {
    /// Whether it is one variable for as long as it lives in some targets: none copies it.
    pub fn is_object(self) -> bool {
        matches!(self, Type::RayQuery(_) | Type::HitObject)
    }
}

impl Program {
    /// Whether a value of this type holds a resource at any depth of structs and arrays.
    pub fn holds_resource(&self, ty: TypeId) -> bool {
        self.any_leaf(ty, &mut |t| t.is_resource())
    }

    /// Whether a place is in what a resource holds: a variable stays the same resource when it is assigned.
    pub fn is_in_resource(&self, exprs: &ExprArena, place: ExprId) -> bool {
        exprs.way_to_base(place).skip(1).any(|outer| self.types.get(exprs[outer].ty).is_resource())
    }

    /// Whether a value of this type holds a ray query or hit object at any depth.
    pub fn holds_object(&self, ty: TypeId) -> bool {
        self.any_leaf(ty, &mut |t| t.is_object())
    }

    /// Whether a value of this type is never copied: it holds a resource, a ray query or a hit object, or is a stream, a patch or
    /// what a mesh shader gives. Such have no zero either.
    pub fn has_no_copies(&self, ty: TypeId) -> bool {
        let of_stage = |t: Type| matches!(t, Type::Stream(..) | Type::Patch(..) | Type::MeshOutput(..));
        self.any_leaf(ty, &mut |t| t.is_resource() || t.is_object() || of_stage(t))
    }

    /// How many elements an array has, as it stands between `[` and `]`.
    pub fn length_text(&self, length: Length) -> String {
        match length {
            Length::Fixed(n) => n.to_string(),
            Length::Unsized => String::new(),
            Length::Constant(size) => self.globals[size.global].name.to_string(),
        }
    }

    /// The names of a path of fields below a type, with a dot before each. Arrays, blocks and buffers add none.
    pub fn path_text(&self, ty: TypeId, path: &[Step]) -> String {
        let (mut ty, mut text) = (ty, String::new());
        for step in path {
            let Some((name, inner)) = self.field_inside(ty, *step) else { break };
            text.push('.');
            text.push_str(name.as_str());
            ty = inner;
        }
        text
    }

    /// Name and type of a field of a struct, or of the struct that arrays, blocks and buffers hold.
    fn field_inside(&self, ty: TypeId, step: Step) -> Option<(Symbol, TypeId)> {
        let mut ty = ty;
        let id = loop {
            match self.types.get(ty) {
                Type::Struct(id) => break id,
                outer => ty = outer.element()?,
            }
        };
        let Step::Field(index) = step else { return None };
        let field = self.structs[id].fields.get(index as usize)?;
        Some((field.name, field.ty))
    }

    /// Whether a value of this type holds something that is no resource.
    pub fn holds_data(&self, ty: TypeId) -> bool {
        self.any_leaf(ty, &mut |t| !t.is_resource())
    }

    /// The parts of a parameter or field that have semantics of their own: itself, or the fields of a struct that has none.
    pub fn semantic_parts(&self, ty: TypeId, semantic: Option<Semantic>) -> Vec<(Option<Semantic>, TypeId)> {
        match self.types.get(ty) {
            // A struct cannot contain itself, so this ends.
            Type::Struct(id) if semantic.is_none() => {
                let fields = &self.structs[id].fields;
                fields.iter().flat_map(|field| self.semantic_parts(field.ty, field.semantic)).collect()
            }
            _ => vec![(semantic, ty)],
        }
    }

    /// Whether values of a type are, or have in them, those of a struct; of buffers, their elements.
    pub fn holds_struct(&self, ty: TypeId, id: super::StructId) -> bool {
        match self.types.get(ty) {
            // A struct cannot contain itself, so this ends.
            Type::Struct(of) => of == id || self.structs[of].fields.iter().any(|field| self.holds_struct(field.ty, id)),
            other => other.element().is_some_and(|element| self.holds_struct(element, id)),
        }
    }

    /// The object of which an expression is a base, or a base of a base; itself if it is none.
    pub fn without_bases(&self, exprs: &ExprArena, id: ExprId) -> ExprId {
        let mut id = id;
        while let ExprKind::Field(object, index) = exprs[id].kind
            && self.field(exprs[object].ty, index).is_some_and(|field| field.is_base)
        {
            id = object;
        }
        id
    }

    /// Whether some leaf (what is neither struct nor array) of a type satisfies `f`.
    pub fn any_leaf(&self, ty: TypeId, f: &mut dyn FnMut(Type) -> bool) -> bool {
        match self.types.get(ty) {
            Type::Array(element, _) => self.any_leaf(element, f),
            // A struct cannot contain itself, so this ends.
            Type::Struct(id) => self.structs[id].fields.iter().any(|field| self.any_leaf(field.ty, f)),
            leaf => f(leaf),
        }
    }
}
