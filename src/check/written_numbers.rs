//! Numbers that are known by their values, as the source has them: `float4 lights[COUNT * 2]` has 8 elements, and the text that is
//! made of it says `COUNT * 2`, too; the case `Lit = 1 << 3` is 8.

use super::{Checker, SourceUnit, constant};
use crate::ast::{self, ExprKind as Ast};
use crate::source::Span;
use crate::tree::{
    BinaryOp, Body, Enum, EnumId, Expr, ExprArena, ExprId, ExprKind, ExprTree, Global, GlobalKind, Literal, NumberName,
    Program, Scalar, TypeId, UnaryOp, WrittenNumber, WrittenNumbers,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What expressions are that stand in numbers of declarations: `None` for what is not the same in all instances of a declaration.
pub(super) type KnownNames = FxHashMap<Span, Option<NumberName>>;

impl Checker<'_> {
    /// Notes the names in an expression that is evaluated by itself.
    pub(super) fn note_names(&mut self, body: &Body) {
        for (_, expr) in body.exprs.iter().filter(|(_, expr)| !expr.span.file.is_library()) {
            if let Some(name) = NumberName::of(&expr.kind).filter(|name| named_type(&self.program, *name).is_some()) {
                self.cx.body.named.push((expr.span, name));
                self.number_names.push((expr.span, name));
            }
        }
    }

    /// Where the source has which names in numbers of declarations.
    pub(super) fn known_names(&self) -> KnownNames {
        let mut known = KnownNames::default();
        let mut note = |(span, name): &(Span, NumberName)| {
            let first = known.entry(*span).or_insert(Some(*name));
            *first = first.filter(|first| first == name);
        };
        self.number_names.iter().for_each(&mut note);
        for (_, function) in self.program.functions.iter() {
            // Linked bodies come with theirs.
            function.each_body(&mut |body| body.named.iter().for_each(&mut note));
        }
        known
    }
}

/// The type of what has a name, if that can stand in a number: an integer of the module whose value is known.
fn named_type(program: &Program, name: NumberName) -> Option<TypeId> {
    match name {
        NumberName::Constant(id) => {
            let Global { kind, ty, ref init, in_function, .. } = program.globals[id];
            let is_known = kind == GlobalKind::Const && init.is_some() && in_function.is_none();
            let is_integer = matches!(ty, TypeId::INT | TypeId::UINT);
            (is_known && is_integer && program.specialization_of(id).is_empty()).then_some(ty)
        }
        NumberName::Case(id, _) => match &program.enums[id] {
            // Those of an `enum class` are no numbers by themselves.
            Enum { strict: true, .. } => None,
            Enum { tag: Scalar::I32, .. } => Some(TypeId::INT),
            Enum { tag: Scalar::U32, .. } => Some(TypeId::UINT),
            Enum { .. } => None,
        },
    }
}

/// The numbers of declarations in some sources that have names.
pub(super) fn of_declarations<'a>(
    program: &Program,
    known: &KnownNames,
    units: impl Iterator<Item = &'a SourceUnit>,
) -> WrittenNumbers {
    let mut found = WrittenNumbers::default();
    for (span, exprs) in units.flat_map(|unit| &unit.files).flat_map(|file| &file.written_numbers) {
        let numbers: Vec<_> = exprs.iter().map(|e| number(program, known, e.as_ref()?)).collect();
        // Targets may want the sizes of a work group to be of one type.
        let named = numbers.iter().flatten().flat_map(WrittenNumber::names);
        let types: BTreeSet<TypeId> = named.filter_map(|name| named_type(program, name)).collect();
        if types.len() < 2 && numbers.iter().any(Option::is_some) {
            found.insert(*span, numbers);
        }
    }
    found
}

/// `None`: it is made of something else than numbers.
fn number(program: &Program, known: &KnownNames, expr: &ast::Expr) -> Option<WrittenNumber> {
    let mut named = Vec::new();
    named_in(program, known, expr, &mut named)?;
    let sole = sole_number(expr).is_some_and(|suffix| suffix == "u");
    let is_unsigned = sole || named.first().is_some_and(|ty| *ty == TypeId::UINT);
    // What is made of both has the type of neither on all targets.
    if named.iter().any(|ty| Some(ty) != named.first()) {
        return None;
    }
    let ty = if is_unsigned { TypeId::UINT } else { TypeId::INT };
    let writer = NumberTrees { program, ty, is_unsigned, names: Names::Known(known) };
    let (value, tree) = writer.written(expr)?;
    Some(WrittenNumber { value, tree })
}

/// Collects the types of the names in a number. `None`: another name is in it.
fn named_in(program: &Program, known: &KnownNames, expr: &ast::Expr, types: &mut Vec<TypeId>) -> Option<()> {
    match &expr.kind {
        Ast::Paren(inner) | Ast::Prefix(_, inner) => named_in(program, known, inner, types),
        Ast::Binary(_, a, b) => {
            named_in(program, known, a, types)?;
            named_in(program, known, b, types)
        }
        Ast::Path(_) | Ast::Member(..) => {
            types.push(named_type(program, known.get(&expr.span).copied().flatten()?)?);
            Some(())
        }
        _ => Some(()),
    }
}

/// The suffix of a number that no others are beside: which type they would take is not known.
fn sole_number(expr: &ast::Expr) -> Option<&str> {
    match &expr.kind {
        Ast::Paren(inner) => sole_number(inner),
        Ast::Int(_, suffix, _) => Some(suffix.as_str()),
        _ => None,
    }
}

/// The value of a case of an enum as the source has it, if it is made of numbers and of cases before it.
pub(super) fn case_value(program: &Program, id: EnumId, (value, expr): (i64, &ast::Expr)) -> Option<ExprTree> {
    let (ty, is_unsigned) = match program.enums[id].tag {
        Scalar::I32 => (TypeId::INT, false),
        Scalar::U32 => (TypeId::UINT, true),
        _ => return None,
    };
    let own = NumberTrees { program, ty, is_unsigned, names: Names::Cases(id) };
    if let Some((written, tree)) = own.written(expr) {
        return (written == value).then_some(tree);
    }
    // `1u << 3` of an enum of signed numbers.
    let (written, mut tree) =
        NumberTrees { ty: TypeId::UINT, is_unsigned: true, names: Names::None, ..own }.written(expr)?;
    let span = expr.span;
    tree.root = tree.exprs.push(Expr { kind: ExprKind::Convert(tree.root, false), ty, span });
    (i64::from(written as i32) == value).then_some(tree)
}

/// Builds trees of numbers of one type.
struct NumberTrees<'a> {
    program: &'a Program,
    ty: TypeId,
    is_unsigned: bool,
    names: Names<'a>,
}

/// What may be named in a number.
#[derive(Clone, Copy)]
enum Names<'a> {
    None,
    /// The cases of an enum.
    Cases(EnumId),
    Known(&'a KnownNames),
}

impl NumberTrees<'_> {
    fn written(&self, expr: &ast::Expr) -> Option<(i64, ExprTree)> {
        let mut exprs = ExprArena::default();
        let root = self.tree(expr, &mut exprs)?;
        let value = constant::eval_exact(self.program, &exprs, root, &|_| None).ok()?.int()?;
        Some((value, ExprTree { exprs, root }))
    }

    /// The parser bounds how deep it is.
    fn tree(&self, expr: &ast::Expr, exprs: &mut ExprArena) -> Option<ExprId> {
        let kind = match &expr.kind {
            Ast::Paren(inner) => return self.tree(inner, exprs),
            Ast::Int(value, suffix, spelling) if suffix.is_empty() || self.is_unsigned && *suffix == "u" => {
                let most = if self.is_unsigned { u32::MAX.into() } else { i32::MAX as u64 };
                let value = Some(*value).filter(|value| *value <= most)?;
                ExprKind::Literal(Literal::Int(value as i64), Some(*spelling))
            }
            Ast::Prefix(op, inner) if *op == "-" && !self.is_unsigned => {
                ExprKind::Unary(UnaryOp::Negate, self.tree(inner, exprs)?)
            }
            Ast::Binary(op, a, b) => {
                use BinaryOp::{Add, BitAnd, BitOr, Div, Mul, Rem, Shl, Shr, Sub};
                let known = [Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr];
                let op = known.into_iter().find(|known| *op == known.spelling())?;
                // A distance is of any type.
                let distance =
                    NumberTrees { ty: TypeId::INT, is_unsigned: false, names: Names::None, program: self.program };
                let distance = if matches!(op, Shl | Shr) { distance.tree(b, exprs) } else { None };
                let b = distance.or_else(|| self.tree(b, exprs))?;
                ExprKind::Binary(op, self.tree(a, exprs)?, b)
            }
            kind => match (self.names, kind) {
                (Names::Cases(id), Ast::Path(path)) => self.case(id, path)?,
                (Names::Known(known), Ast::Path(_) | Ast::Member(..)) => {
                    known.get(&expr.span).copied().flatten()?.expr()
                }
                _ => return None,
            },
        };
        Some(exprs.push(Expr { kind, ty: self.ty, span: expr.span }))
    }

    /// A case of the enum, by its own name or with the enum's before it.
    fn case(&self, id: EnumId, path: &[ast::PathSegment]) -> Option<ExprKind> {
        let of = &self.program.enums[id];
        let name = match path {
            [name] => name,
            [owner, name] if owner.name.name == of.name => name,
            _ => return None,
        };
        let at = of.cases.iter().position(|case| case.name == name.name.name)?;
        Some(ExprKind::EnumCase(id, u32::try_from(at).ok()?))
    }
}
