//! Functions that are declared as operations of Slang's own intermediate code: `__intrinsic_op(cmpGT) bool f(int x, int y);`.
//!
//! Before: a declaration without a body
//! After:  `bool f(int x, int y) { return x > y; }`

use super::attributes::Prefix;
use crate::ast::*;
use crate::symbol::Symbol;

/// (operation of `__intrinsic_op`, its operator).
const BINARY: &[(&str, &str)] = &[
    ("add", "+"),
    ("sub", "-"),
    ("mul", "*"),
    ("div", "/"),
    ("irem", "%"),
    ("frem", "%"),
    ("shl", "<<"),
    ("shr", ">>"),
    ("and", "&"),
    ("or", "|"),
    ("xor", "^"),
    ("logicalAnd", "&&"),
    ("logicalOr", "||"),
    ("cmpEQ", "=="),
    ("cmpNE", "!="),
    ("cmpGT", ">"),
    ("cmpLT", "<"),
    ("cmpGE", ">="),
    ("cmpLE", "<="),
];

const PREFIX: &[(&str, &str)] = &[("neg", "-"), ("not", "!"), ("bitnot", "~")];

/// The body of a function that is declared as an operation on its parameters.
pub(super) fn operation(prefix: &Prefix, params: &[Decl]) -> Option<Block> {
    let attribute = prefix.attributes.iter().find(|a| a.name.name == "__intrinsic_op")?;
    let [Expr { kind: ExprKind::Path(path), span }] = attribute.args.as_slice() else { return None };
    let [PathSegment { name: operation, args: None }] = path.as_slice() else { return None };
    let span = *span;
    let of = |table: &[(&str, &'static str)]| {
        table.iter().find(|(name, _)| operation.name == *name).map(|(_, operator)| Symbol::new(operator))
    };
    let value = |param: &Decl| match &param.kind {
        DeclKind::Var(variable) => {
            let path = vec![PathSegment { name: variable.name, args: None }];
            Some(Box::new(Expr { kind: ExprKind::Path(path), span }))
        }
        _ => None,
    };
    let kind = match params {
        [one] => ExprKind::Prefix(of(PREFIX)?, value(one)?),
        [left, right] => ExprKind::Binary(of(BINARY)?, value(left)?, value(right)?),
        _ => return None,
    };
    let kind = StmtKind::Return(Some(Expr { kind, span }));
    let result = Stmt { kind, span, comments: Vec::new(), attributes: Vec::new(), blank_before: false };
    Some(Block { stmts: vec![result], trailing: Vec::new(), span })
}
