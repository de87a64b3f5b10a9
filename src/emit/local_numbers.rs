//! Constants of functions in sizes of arrays and hints of loops: `const int taps = 8; float weights[taps];`.
//!
//! What a number is of is known by the place where the source declares the constant. Each function looks for its own variable there:
//! one that is declared before the number, that no other of its name hides, and that makes the number what it is.

use crate::check::constant::{Value, eval_with};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Arena, BinaryOp, Block, Body, ExprId, ExprKind, ExprTree, Hints, Length, Local, LocalId, Modifiers, NumberPlace,
    Program, Stmt, StmtKind, TypeId, UnaryOp, WrittenNumber,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The numbers of a function's code that constants of it are in.
#[derive(Default)]
pub(super) struct LocalNumbers {
    /// The variables that their expressions name.
    pub(super) locals: Arena<LocalId, Local>,
    /// By their places; none where the source has one that became several.
    numbers: FxHashMap<(Span, usize), Option<(i64, ExprTree)>>,
    /// The variables in them, and in the values of those.
    pub(super) used: BTreeSet<LocalId>,
}

impl LocalNumbers {
    /// Those of the code of a function.
    pub(super) fn of(program: &Program, body: &Body) -> LocalNumbers {
        let mut found = LocalNumbers::default();
        if program.written_numbers.has_locals() {
            let (visible, values) = <(Vec<LocalId>, FxHashMap<LocalId, (Value, ExprId)>)>::default();
            NumberFinder { program, body, visible, values, found: &mut found }.block(&body.block);
        }
        if !found.numbers.is_empty() {
            found.locals = (*body.locals).clone();
        }
        found
    }

    /// A number of this value as the source has it.
    pub(super) fn get(&self, (name, at, _): NumberPlace, number: i64) -> Option<&ExprTree> {
        let (value, tree) = self.numbers.get(&(name, at))?.as_ref()?;
        (*value == number).then_some(tree)
    }
}

struct NumberFinder<'a> {
    program: &'a Program,
    body: &'a Body,
    /// What is declared so far, the innermost scope last.
    visible: Vec<LocalId>,
    /// The values of constants, and what they are in the text.
    values: FxHashMap<LocalId, (Value, ExprId)>,
    found: &'a mut LocalNumbers,
}

impl NumberFinder<'_> {
    fn block(&mut self, block: &Block) {
        let outer = self.visible.len();
        block.stmts.iter().for_each(|stmt| self.statement(stmt));
        self.visible.truncate(outer);
    }

    /// The parser bounds how deep blocks are.
    fn statement(&mut self, stmt: &Stmt) {
        let outer = self.visible.len();
        if let Some(Hints { unroll: Some(Some(rounds)), unroll_name, .. }) = stmt.hints() {
            self.number((*unroll_name, 0, 1), (*rounds).into());
        }
        match &stmt.kind {
            StmtKind::Local(local, value) => {
                self.declare(*local, *value);
                return;
            }
            StmtKind::For(init, ..) => init.iter().for_each(|stmt| self.statement(stmt)),
            _ => {}
        }
        stmt.blocks(&mut |block| self.block(block));
        self.visible.truncate(outer);
    }

    fn declare(&mut self, local: LocalId, value: Option<ExprId>) {
        let variable = &self.body.locals[local];
        let lengths = self.program.lengths(variable.ty);
        for (at, length) in lengths.iter().enumerate() {
            if let Length::Fixed(n) = *length {
                self.number((variable.span, at, lengths.len()), n.into());
            }
        }
        self.visible.push(local);
        let is_constant = variable.modifiers.has(Modifiers::CONST) && matches!(variable.ty, TypeId::INT | TypeId::UINT);
        let value = value.filter(|value| is_constant && !self.body.exprs.any_part(*value, |part| !self.is_plain(part)));
        if let Some(value) = value
            && let Ok(known) = eval_with(self.program, &self.body.exprs, value, &|of| self.value(of))
        {
            self.values.insert(local, (known, value));
        }
    }

    fn value(&self, local: LocalId) -> Option<Value> {
        self.values.get(&local).map(|(value, _)| value.clone())
    }

    /// Whether every target takes a part of a value for a constant.
    fn is_plain(&self, part: ExprId) -> bool {
        let expr = &self.body.exprs[part];
        let is_known = match expr.kind {
            ExprKind::EnumCase(..) => return true,
            ExprKind::Literal(..) | ExprKind::Global(_) => true,
            ExprKind::Local(local) => self.values.contains_key(&local),
            ExprKind::Convert(..) | ExprKind::Unary(UnaryOp::Negate, _) => true,
            ExprKind::Binary(op, ..) => {
                use BinaryOp::{Add, BitAnd, BitOr, Div, Mul, Shl, Shr, Sub};
                matches!(op, Add | Sub | Mul | Div | Shl | Shr | BitAnd | BitOr)
            }
            _ => false,
        };
        is_known && matches!(expr.ty, TypeId::INT | TypeId::UINT)
    }

    /// Notes a number as the source has it, if constants of the function are in it.
    fn number(&mut self, place: NumberPlace, number: i64) {
        let known = self.program.written_numbers.get(place, number).filter(|known| !known.locals.is_empty());
        let Some(known) = known else { return };
        let tree = self.tree(known, number).map(|tree| (number, tree));
        let (name, at, _) = place;
        let is_new = !self.found.numbers.contains_key(&(name, at));
        let tree = tree.filter(|_| is_new);
        if let Some((_, tree)) = &tree {
            let named: Vec<ExprId> = tree.exprs.iter().map(|(id, _)| id).collect();
            named.into_iter().for_each(|id| self.note_use(&tree.exprs[id].kind));
        }
        self.found.numbers.insert((name, at), tree);
    }

    /// A number with the variables that are visible here.
    fn tree(&self, known: &WrittenNumber, number: i64) -> Option<ExprTree> {
        let mut tree = known.tree.clone();
        for (_, expr) in tree.exprs.iter_mut() {
            if let ExprKind::Local(LocalId(at)) = &mut expr.kind {
                *at = self.visible_at(*known.locals.get(*at as usize)?)?.0;
            }
        }
        let value = eval_with(self.program, &tree.exprs, tree.root, &|of| self.value(of)).ok()?;
        (value.int() == Some(number)).then_some(tree)
    }

    /// The variable whose name the source declares at a place, if its name means it here.
    fn visible_at(&self, name: Span) -> Option<LocalId> {
        let named: Symbol = self.visible.iter().rev().map(|id| &self.body.locals[*id]).find(|l| l.span == name)?.name;
        let meant = self.visible.iter().rev().find(|id| self.body.locals[**id].name == named)?;
        (self.body.locals[*meant].span == name && self.values.contains_key(meant)).then_some(*meant)
    }

    /// The variables that a variable is made of, too, are constants.
    fn note_use(&mut self, kind: &ExprKind) {
        let mut open: Vec<LocalId> = named(kind).into_iter().collect();
        while let Some(local) = open.pop() {
            if self.found.used.insert(local)
                && let Some((_, value)) = self.values.get(&local)
            {
                let parts = self.body.exprs.post_order(*value);
                open.extend(parts.into_iter().filter_map(|part| named(&self.body.exprs[part].kind)));
            }
        }
    }
}

fn named(kind: &ExprKind) -> Option<LocalId> {
    match *kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    }
}
