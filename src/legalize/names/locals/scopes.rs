//! Where a function mentions names, and where its variables can be seen.
//!
//! The statements are numbered in the order of the text. The scope of a variable is from its declaration, with its first
//! value, to the last number of the block that it is declared in.

use super::{NameFacts, struct_of, used_names};
use crate::symbol::Symbol;
use crate::tree::{Body, ExprId, ExprKind, LocalId, Program, Stmt, StmtKind};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;

/// The numbers of statements.
#[derive(Default)]
pub(super) struct Mentions {
    /// Where the text says a variable or parameter, in order.
    locals: FxHashMap<LocalId, Vec<u32>>,
    /// Where it says a global name, in order.
    names: FxHashMap<Symbol, Vec<u32>>,
    /// Where a variable can be seen.
    scopes: FxHashMap<LocalId, RangeInclusive<u32>>,
}

impl Mentions {
    /// Those of a body. Parameters, whose types stand before all statements, can be seen everywhere.
    pub(super) fn of(program: &Program, facts: NameFacts, body: &Body, params: &[LocalId]) -> Mentions {
        let mut walk = Walk { program, facts, body, at: 0, mentions: Mentions::default() };
        params.iter().for_each(|local| walk.type_of(*local));
        walk.block(&body.block.stmts, &[], params);
        walk.mentions
    }

    /// Whether a variable is mentioned where another one, `within`, can be seen.
    pub(super) fn has_local(&self, local: LocalId, within: LocalId) -> bool {
        self.is_within(self.locals.get(&local), within)
    }

    /// Whether a global name is mentioned where a variable can be seen.
    pub(super) fn has_name(&self, name: Symbol, within: LocalId) -> bool {
        self.is_within(self.names.get(&name), within)
    }

    fn is_within(&self, places: Option<&Vec<u32>>, within: LocalId) -> bool {
        let (Some(places), Some(scope)) = (places, self.scopes.get(&within)) else { return false };
        let first = places.partition_point(|at| at < scope.start());
        places.get(first).is_some_and(|at| scope.contains(at))
    }
}

struct Walk<'a> {
    program: &'a Program,
    facts: NameFacts<'a>,
    body: &'a Body,
    /// The number of the statement.
    at: u32,
    mentions: Mentions,
}

impl Walk<'_> {
    /// Statements of one scope, in which `declared` can be seen, too, and what is said of it behind them.
    fn block(&mut self, stmts: &[Stmt], behind: &[ExprId], declared: &[LocalId]) {
        let mut seen: Vec<(LocalId, u32)> = declared.iter().map(|local| (*local, self.at)).collect();
        self.statements(stmts, &mut seen);
        self.at += 1;
        behind.iter().for_each(|root| self.expression(*root));
        self.end(seen);
    }

    /// Ends the scopes of variables.
    fn end(&mut self, seen: Vec<(LocalId, u32)>) {
        for (local, start) in seen {
            let scope = self.mentions.scopes.entry(local).or_insert(start..=self.at);
            *scope = start.min(*scope.start())..=self.at.max(*scope.end());
        }
    }

    fn statements(&mut self, stmts: &[Stmt], seen: &mut Vec<(LocalId, u32)>) {
        for stmt in stmts {
            self.at += 1;
            // A loop may be printed so that its condition stands in its body, at the start or at the end.
            let in_body: Vec<ExprId> = match &stmt.kind {
                StmtKind::For(_, condition, step, ..) => condition.iter().chain(step).copied().collect(),
                StmtKind::While(condition, ..) | StmtKind::DoWhile(_, condition, _) => vec![*condition],
                _ => Vec::new(),
            };
            stmt.own_exprs(&mut |root| self.expression(root));
            match &stmt.kind {
                StmtKind::Local(local, _) => {
                    self.type_of(*local);
                    seen.push((*local, self.at));
                }
                StmtKind::For(init, _, _, block, _) => {
                    let mut own = Vec::new();
                    self.statements(init, &mut own);
                    self.block(&block.stmts, &in_body, &[]);
                    self.end(own);
                }
                StmtKind::Switch(_, cases, _) => {
                    let mut own = Vec::new();
                    cases.iter().for_each(|case| self.statements(&case.body.stmts, &mut own));
                    self.end(own);
                }
                _ => stmt.blocks(&mut |block| self.block(&block.stmts, &in_body, &[])),
            }
        }
    }

    fn type_of(&mut self, local: LocalId) {
        let (at, names) = (self.at, &mut self.mentions.names);
        struct_of(self.program, self.body.locals[local].ty, &mut |name| names.entry(name).or_default().push(at));
    }

    fn expression(&mut self, root: ExprId) {
        let (at, body) = (self.at, self.body);
        for id in body.exprs.post_order(root) {
            if let ExprKind::Local(local) = body.exprs[id].kind {
                self.mentions.locals.entry(local).or_default().push(at);
            }
            let names = &mut self.mentions.names;
            used_names(self.program, self.facts, body, id, &mut |name| names.entry(name).or_default().push(at));
        }
    }
}
