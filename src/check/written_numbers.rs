//! Numbers that are known by their values, as the source has them: `float4 lights[COUNT * 2]` has 8 elements, and the text that is
//! made of it says `COUNT * 2`, too; the case `Lit = 1 << 3` is 8.

use super::{Checker, SourceUnit, constant};
use crate::ast::{self, ExprKind as Ast};
use crate::source::Span;
use crate::tree::{
    BinaryOp, Body, EnumId, Expr, ExprArena, ExprId, ExprKind, ExprTree, Global, GlobalKind, Id, Literal, LocalId,
    Modifiers, NumberName, Program, Scalar, Type, TypeId, UnaryOp, WrittenNumber, WrittenNumbers,
};
use rustc_hash::FxHashMap;

/// What expressions are that stand in numbers of declarations: `None` for what is not the same in all instances of a declaration.
pub(super) type KnownNames = FxHashMap<Span, Option<NumberName>>;

impl Checker<'_> {
    /// Notes the names in an expression that is evaluated by itself.
    pub(super) fn note_names(&mut self, body: &Body) {
        for (_, expr) in body.exprs.iter().filter(|(_, expr)| !expr.span.file.is_library()) {
            let name = match expr.kind {
                ExprKind::Local(local) => self.named_local(local),
                ref kind => NumberName::of(kind),
            };
            if let Some(name) = name.filter(|name| may_be_named(&self.program, *name)) {
                self.cx.body.named.push((expr.span, name));
                self.number_names.push((expr.span, name));
            }
        }
    }

    /// A variable of the function that may be named in a number: one that is declared as a constant on every target.
    fn named_local(&self, local: LocalId) -> Option<NumberName> {
        let locals = &self.cx.body.locals;
        let variable = (local.index() < locals.len()).then(|| &locals[local])?;
        let is_known = self.cx.constants.iter().any(|(known, _)| *known == local) && !self.cx.computed.contains(&local);
        let is_constant = is_known && variable.modifiers.has(Modifiers::CONST);
        is_constant.then_some(NumberName::Local(variable.span, variable.ty))
    }

    /// What two instances of a number name: each has its own constants of a function.
    fn common_name(&self, first: NumberName, second: NumberName) -> Option<NumberName> {
        let place = |name: NumberName| match name {
            NumberName::Constant(id) => {
                let of = &self.program.globals[id];
                of.in_function.map(|_| (of.span, of.ty))
            }
            NumberName::Local(span, ty) => Some((span, ty)),
            NumberName::Case(..) => None,
        };
        let own = || place(first).filter(|own| place(second) == Some(*own));
        if first == second { Some(first) } else { own().map(|(span, ty)| NumberName::Local(span, ty)) }
    }

    /// Where the source has which names in numbers of declarations.
    pub(super) fn known_names(&self) -> KnownNames {
        let mut known = KnownNames::default();
        let mut note = |(span, name): &(Span, NumberName)| {
            let first = known.entry(*span).or_insert(Some(*name));
            *first = first.and_then(|first| self.common_name(first, *name));
        };
        self.number_names.iter().for_each(&mut note);
        for (_, function) in self.program.functions.iter() {
            // Linked bodies come with theirs.
            function.each_body(&mut |body| body.named.iter().for_each(&mut note));
        }
        known
    }
}

/// Whether a type is one of those that numbers are of.
fn is_plain(ty: TypeId) -> bool {
    matches!(ty, TypeId::INT | TypeId::UINT)
}

/// Whether what has a name can stand in a number, perhaps in a cast.
fn may_be_named(program: &Program, name: NumberName) -> bool {
    named_type(program, name).is_some() || strict_case(program, name).is_some()
}

/// The type of the numbers that the cases of an enum are.
fn tag_type(program: &Program, id: EnumId) -> Option<TypeId> {
    match program.enums[id].tag {
        Scalar::I32 => Some(TypeId::INT),
        Scalar::U32 => Some(TypeId::UINT),
        _ => None,
    }
}

/// The enum and the type of the number of a case that is no number by itself.
fn strict_case(program: &Program, name: NumberName) -> Option<(EnumId, TypeId)> {
    let NumberName::Case(id, _) = name else { return None };
    let ty = tag_type(program, id)?;
    program.enums[id].strict.then_some((id, ty))
}

/// A value and the type of numbers that the source converts it to: `(uint)x`, `uint(x)`.
fn cast(expr: &ast::Expr) -> Option<(TypeId, &ast::Expr)> {
    let (ty, inner) = match &expr.kind {
        Ast::Cast(ty, inner) => (ty, &**inner),
        Ast::Construct(ty, args) => match args.as_slice() {
            [inner] => (ty, inner),
            _ => return None,
        },
        _ => return None,
    };
    let ast::TypeKind::Path(path) = &ty.kind else { return None };
    let [ast::PathSegment { name, args: None, .. }] = path.as_slice() else { return None };
    match name.name.as_str() {
        "int" => Some((TypeId::INT, inner)),
        "uint" => Some((TypeId::UINT, inner)),
        _ => None,
    }
}

/// The type of what has a name, if that can stand in a number: an integer whose value is known.
fn named_type(program: &Program, name: NumberName) -> Option<TypeId> {
    match name {
        NumberName::Constant(id) => {
            let Global { kind, ty, ref init, .. } = program.globals[id];
            let is_known = kind == GlobalKind::Const && init.is_some();
            (is_known && is_plain(ty) && program.specialization_of(id).is_empty()).then_some(ty)
        }
        NumberName::Local(_, ty) => is_plain(ty).then_some(ty),
        // Those of an `enum class` are no numbers by themselves.
        NumberName::Case(id, _) => tag_type(program, id).filter(|_| !program.enums[id].strict),
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
        // Targets may want the sizes of a work group to be of one type: that of the first with a name.
        let named = numbers.iter().flatten().filter(|number| number.names().next().is_some());
        let ty = |number: &WrittenNumber| number.tree.exprs[number.tree.root].ty;
        let first = named.map(ty).next();
        let fits = |number: &WrittenNumber| number.names().next().is_none() || Some(ty(number)) == first;
        let numbers: Vec<_> = numbers.iter().map(|number| number.clone().filter(fits)).collect();
        if numbers.iter().any(Option::is_some) {
            found.insert(*span, numbers);
        }
    }
    found
}

/// `None`: it is made of something else than numbers.
fn number(program: &Program, known: &KnownNames, expr: &ast::Expr) -> Option<WrittenNumber> {
    number_of(program, Names::Known(known, None), expr)
}

fn number_of(program: &Program, names: Names, expr: &ast::Expr) -> Option<WrittenNumber> {
    let mut named = Vec::new();
    names.types_in(program, expr, &mut named)?;
    let sole = sole_number(expr).is_some_and(|suffix| suffix == "u");
    let is_unsigned = sole || named.first().is_some_and(|ty| *ty == TypeId::UINT);
    // What is made of both has the type of neither on all targets.
    if named.iter().any(|ty| Some(ty) != named.first()) {
        return None;
    }
    let ty = if is_unsigned { TypeId::UINT } else { TypeId::INT };
    let writer = NumberTrees { program, ty, is_unsigned, names };
    let mut locals = Vec::new();
    let tree = writer.written(expr, &mut locals)?;
    // Each function has constants of its own.
    let value = if locals.is_empty() { writer.value(&tree)? } else { 0 };
    Some(WrittenNumber { value, tree, locals })
}

impl Names<'_> {
    /// Collects the types of the names in a number. `None`: another name is in it.
    fn types_in(self, program: &Program, expr: &ast::Expr, types: &mut Vec<TypeId>) -> Option<()> {
        if let Some((ty, _)) = cast(expr) {
            types.push(ty);
            return Some(());
        }
        match &expr.kind {
            Ast::Paren(inner) | Ast::Prefix(_, inner) => self.types_in(program, inner, types),
            // A distance is of any type.
            Ast::Binary(op, a, _) if is_shift(op.as_str()) => self.types_in(program, a, types),
            Ast::Binary(_, a, b) => {
                self.types_in(program, a, types)?;
                self.types_in(program, b, types)
            }
            Ast::Path(_) | Ast::Member(..) => {
                let own = self.own_case(program, expr);
                let of_own = own.and_then(|(id, _)| tag_type(program, id));
                types.push(match own {
                    Some(_) => of_own?,
                    None => named_type(program, self.known(expr.span)?)?,
                });
                Some(())
            }
            _ => Some(()),
        }
    }

    /// The case before it that the value of a case names: by its own name or with the enum's before it.
    fn own_case(self, program: &Program, expr: &ast::Expr) -> Option<(EnumId, u32)> {
        let (Names::Cases(id) | Names::Known(_, Some(id)), Ast::Path(path)) = (self, &expr.kind) else { return None };
        let of = &program.enums[id];
        let name = match path.as_slice() {
            [name] => name,
            [owner, name] if owner.name.name == of.name => name,
            _ => return None,
        };
        let at = of.cases.iter().position(|case| case.name == name.name.name)?;
        Some((id, u32::try_from(at).ok()?))
    }

    /// What is named at a place.
    fn known(self, place: Span) -> Option<NumberName> {
        match self {
            Names::Known(known, _) => known.get(&place).copied().flatten(),
            Names::Cases(_) | Names::None => None,
        }
    }
}

fn is_shift(operator: &str) -> bool {
    matches!(operator, "<<" | ">>")
}

/// The suffix of a number that no others are beside: which type they would take is not known. A distance has its own.
fn sole_number(expr: &ast::Expr) -> Option<&str> {
    match &expr.kind {
        Ast::Paren(inner) => sole_number(inner),
        Ast::Binary(op, inner, _) if is_shift(op.as_str()) => sole_number(inner),
        Ast::Int(_, suffix, _) => Some(suffix.as_str()),
        _ => None,
    }
}

/// The value of a case of an enum as the source has it, if it is made of numbers, of cases before it and of `known` constants.
pub(super) fn case_value(
    program: &Program,
    id: EnumId,
    known: &KnownNames,
    (value, expr): (i64, &ast::Expr),
) -> Option<ExprTree> {
    let ty = tag_type(program, id)?;
    let is_unsigned = ty == TypeId::UINT;
    let own = NumberTrees { program, ty, is_unsigned, names: Names::Cases(id) };
    if let Some(tree) = own.written(expr, &mut Vec::new())
        && let Some(written) = own.value(&tree)
    {
        return (written == value).then_some(tree);
    }
    // It names constants, which may be of another type.
    if let Some(WrittenNumber { value: written, tree, locals }) =
        number_of(program, Names::Known(known, Some(id)), expr)
        && locals.is_empty()
        && written == value
    {
        return Some(tree);
    }
    // `1u << 3` of an enum of signed numbers.
    let plain = NumberTrees { ty: TypeId::UINT, is_unsigned: true, names: Names::None, ..own };
    let mut tree = plain.written(expr, &mut Vec::new())?;
    let written = plain.value(&tree)?;
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
    /// What is known, and the cases of the enum of which it is the value of one.
    Known(&'a KnownNames, Option<EnumId>),
}

impl NumberTrees<'_> {
    fn written(&self, expr: &ast::Expr, locals: &mut Vec<Span>) -> Option<ExprTree> {
        let mut exprs = ExprArena::default();
        let root = self.tree(expr, (&mut exprs, locals))?;
        Some(ExprTree { exprs, root })
    }

    /// What one is that has no variables.
    fn value(&self, tree: &ExprTree) -> Option<i64> {
        constant::eval_exact(self.program, &tree.exprs, tree.root, &|_| None).ok()?.int()
    }

    /// The parser bounds how deep it is.
    fn tree(&self, expr: &ast::Expr, (exprs, locals): (&mut ExprArena, &mut Vec<Span>)) -> Option<ExprId> {
        if let Some((ty, inner)) = cast(expr) {
            return self.cast((ty, expr.span), inner, (exprs, locals));
        }
        let kind = match &expr.kind {
            Ast::Paren(inner) => return self.tree(inner, (exprs, locals)),
            Ast::Int(value, suffix, spelling) if suffix.is_empty() || self.is_unsigned && *suffix == "u" => {
                let most = if self.is_unsigned { u32::MAX.into() } else { i32::MAX as u64 };
                let value = Some(*value).filter(|value| *value <= most)?;
                ExprKind::Literal(Literal::Int(value as i64), Some(*spelling))
            }
            Ast::Prefix(op, inner) if *op == "-" && !self.is_unsigned => {
                ExprKind::Unary(UnaryOp::Negate, self.tree(inner, (exprs, locals))?)
            }
            Ast::Binary(op, a, b) => {
                use BinaryOp::{Add, BitAnd, BitOr, Div, Mul, Rem, Shl, Shr, Sub};
                let known = [Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr];
                let op = known.into_iter().find(|known| *op == known.spelling())?;
                // A distance is of any type.
                let distance = if matches!(op, Shl | Shr) { self.distance(b, (exprs, locals)) } else { None };
                let b = match distance {
                    Some(distance) => distance,
                    None => self.tree(b, (exprs, locals))?,
                };
                ExprKind::Binary(op, self.tree(a, (exprs, locals))?, b)
            }
            Ast::Path(_) | Ast::Member(..) => match self.names.own_case(self.program, expr) {
                Some((id, case)) => ExprKind::EnumCase(id, case),
                None => match self.names.known(expr.span)? {
                    NumberName::Constant(id) => ExprKind::Global(id),
                    NumberName::Case(id, case) => ExprKind::EnumCase(id, case),
                    NumberName::Local(name, _) => ExprKind::Local(WrittenNumber::local(locals, name)),
                },
            },
            _ => return None,
        };
        Some(exprs.push(Expr { kind, ty: self.ty, span: expr.span }))
    }

    /// A number of this type that is made of another value.
    fn cast(
        &self,
        (ty, span): (TypeId, Span),
        inner: &ast::Expr,
        (exprs, locals): (&mut ExprArena, &mut Vec<Span>),
    ) -> Option<ExprId> {
        // What would change the number is not looked at.
        if ty != self.ty {
            return None;
        }
        let case = self.names.known(inner.span).and_then(|name| Some((name, strict_case(self.program, name)?)));
        let value = match case {
            Some((NumberName::Case(id, case), _)) => {
                let types = &self.program.types;
                let ty = types.ids().find(|ty| types.get(*ty) == Type::Enum(id))?;
                exprs.push(Expr { kind: ExprKind::EnumCase(id, case), ty, span: inner.span })
            }
            _ => {
                let mut named = Vec::new();
                match self.names {
                    Names::Known(..) => self.names.types_in(self.program, inner, &mut named)?,
                    Names::Cases(_) | Names::None => {}
                }
                let of = named.first().copied().unwrap_or(TypeId::INT);
                named.iter().all(|ty| *ty == of).then_some(())?;
                NumberTrees { ty: of, is_unsigned: of == TypeId::UINT, ..*self }.tree(inner, (exprs, locals))?
            }
        };
        if exprs[value].ty == ty {
            return Some(value);
        }
        Some(exprs.push(Expr { kind: ExprKind::Convert(value, true), ty, span }))
    }

    /// How far bits are moved: a number of its own type.
    fn distance(&self, expr: &ast::Expr, parts: (&mut ExprArena, &mut Vec<Span>)) -> Option<ExprId> {
        let mut named = Vec::new();
        self.names.types_in(self.program, expr, &mut named)?;
        let ty = named.first().copied().unwrap_or(TypeId::INT);
        named.iter().all(|of| *of == ty).then_some(())?;
        NumberTrees { ty, is_unsigned: ty == TypeId::UINT, ..*self }.tree(expr, parts)
    }
}
