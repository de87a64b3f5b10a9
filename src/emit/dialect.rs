//! Where the languages differ.

use super::Context;
use super::expr::{Exprs, Prec};
use super::literal::Literals;
use crate::source::Span;
use crate::tree::*;
use std::borrow::Cow;

/// How a language spells types.
pub(super) trait Spelling {
    /// A scalar type.
    fn scalar_name(&self, scalar: Scalar) -> &'static str;

    /// A vector type.
    fn vector_name(&self, scalar: Scalar, length: u8) -> String;

    /// Any type, as it stands in an expression.
    fn type_name(&self, cx: &Context, ty: TypeId) -> String;

    /// A type with the name of what is declared and its span: `float a[3]`, `a: array<f32, 3>`.
    fn variable(&self, cx: &Context, ty: TypeId, name: (&str, Span)) -> String;
}

/// The innermost element of an array type and the sizes in brackets, as C-like languages write them.
pub(super) fn split_array(cx: &Context, ty: TypeId) -> (TypeId, String) {
    let (mut ty, mut sizes) = (ty, String::new());
    while let Some((element, count)) = cx.program.types.array_parts(ty) {
        sizes.push_str(&format!("[{}]", cx.program.length_text(count)));
        ty = element;
    }
    (ty, sizes)
}

/// The same of a declaration, whose name has this span, with the macros that the source has in the sizes.
pub(super) fn sized_array(cx: &Context, dialect: &dyn Dialect, ty: TypeId, span: Span) -> (TypeId, String) {
    let (mut ty, mut sizes) = (ty, String::new());
    let lengths = cx.lengths(dialect, ty, span);
    lengths.iter().for_each(|length| sizes.push_str(&format!("[{length}]")));
    while let Some((element, _)) = cx.program.types.array_parts(ty) {
        ty = element;
    }
    (ty, sizes)
}

/// A language, as the common printers of expressions and statements see it.
pub(super) trait Dialect: Spelling {
    /// Literals.
    fn literals(&self) -> &'static Literals;

    /// Whether operands keep parentheses that the source has around them, though they mean the same without.
    fn keeps_parentheses(&self) -> bool {
        false
    }

    /// Writes the expressions that this language writes in its own way.
    fn expr(&self, ex: &Exprs, id: ExprId, out: &mut String) -> Option<Prec>;

    /// The type of an array as a name is declared with it, where a value of it begins with its type.
    fn array_type(&self, _cx: &Context, _ty: TypeId, _name: Span) -> Option<String> {
        None
    }

    /// Whether a value of one type goes without a conversion where the other is wanted.
    fn converts(&self, _cx: &Context, _from: TypeId, _to: TypeId) -> bool {
        false
    }

    /// The operands of a binary operation, without the conversions that the language makes by itself.
    fn operands(&self, _ex: &Exprs, _op: BinaryOp, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        (a, b)
    }

    /// Whether a scalar that was widened for a binary operation may stay a scalar beside `other`.
    fn splats(&self, _ex: &Exprs, _op: BinaryOp, _id: ExprId, _other: ExprId) -> bool {
        false
    }

    /// An argument of a builtin, without a conversion that the language makes by itself.
    fn template_argument(&self, _ex: &Exprs, _args: &[ExprId], arg: ExprId) -> ExprId {
        arg
    }

    /// The arguments of a builtin, without the conversions that its parameters make whatever it is given.
    fn plain_arguments<'e>(&self, _ex: &Exprs, _callee: &Function, args: &'e [ExprId]) -> Cow<'e, [ExprId]> {
        Cow::Borrowed(args)
    }

    /// What stands around an argument of a builtin, such as a suffix that gives a literal its type.
    fn around_argument(&self, _ex: &Exprs, _args: &[ExprId], _arg: ExprId) -> (&'static str, &'static str) {
        ("", "")
    }

    /// What stands around a literal that chooses among overloads, where literals have no type of their own.
    fn choosing_literal(&self, _scalar: Scalar) -> (&'static str, &'static str) {
        ("", "")
    }

    /// Whether an expression is of literals alone, so that the language gives it no type of its own.
    fn is_untyped(&self, _ex: &Exprs, _id: ExprId) -> bool {
        false
    }

    /// Whether the text of an expression may have another type than the tree says, by how the text is compiled.
    fn may_widen(&self, _ex: &Exprs, _id: ExprId) -> bool {
        false
    }

    /// Whether the left operand of a binary operation has to say its type, because the language would compute in another one.
    fn wants_typed_left(&self, _ex: &Exprs, _op: BinaryOp, _a: ExprId, _b: ExprId) -> bool {
        false
    }

    /// Whether the members of this buffer are named without it.
    fn members_are_global(&self, global: &Global) -> bool;

    /// An argument passed by reference to a builtin.
    fn address(&self, ex: &Exprs, arg: ExprId, out: &mut String) {
        ex.operand(arg, Prec::Assign, out);
    }

    /// A piece of a spelling, as this version of the language has it.
    fn text<'t>(&self, _cx: &Context, text: &'t str) -> &'t str {
        text
    }

    /// The sampler constructor of a texture; languages without combined samplers have none.
    fn sampler_name(&self, _cx: &Context, _texture: &Texture, _depth: bool) -> String {
        String::new()
    }

    /// Reads of depth textures give a scalar.
    fn depth_reads_are_scalar(&self) -> bool {
        false
    }

    /// Whether `a < b, c > d` is a name with arguments of a template.
    fn has_template_lists(&self) -> bool {
        false
    }

    /// How statements look.
    fn style(&self) -> Style {
        Style::C
    }

    /// A variable with its initializer, without the semicolon.
    fn local(&self, ex: &Exprs, local: LocalId, init: Option<ExprId>) -> String {
        plain_local(self, ex, local, init)
    }

    /// What stands before `const` where a function declares a constant with a value that is known beforehand.
    fn static_word(&self) -> &'static str {
        ""
    }

    /// Whether a constant with its value may be declared as one.
    fn has_constant(&self, _ex: &Exprs, _local: LocalId) -> bool {
        true
    }

    /// An expression statement, without the semicolon.
    fn statement(&self, ex: &Exprs, id: ExprId) -> String {
        ex.text(id)
    }

    /// Lines before a statement that carry its hints.
    fn hints(&self, cx: &Context, hints: &Hints) -> Vec<String>;
}

/// How statements look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `if (c)`, cases that end with `break`, `do ... while`.
    C,
    /// `if c`, cases in braces without fall-through, `loop`.
    Rust,
}

/// A variable with its initializer, in the order of C.
pub(super) fn plain_local<D: Dialect + ?Sized>(
    dialect: &D,
    ex: &Exprs,
    local: LocalId,
    init: Option<ExprId>,
) -> String {
    let Some(variable) = ex.locals.map(|l| &l[local]) else { return String::new() };
    let is_static = variable.modifiers.has(Modifiers::STATIC);
    let mut text = String::from(if is_static { dialect.static_word() } else { "" });
    for (modifier, word) in [(Modifiers::CONST, "const "), (Modifiers::PRECISE, "precise ")] {
        let is_const = modifier == Modifiers::CONST;
        if variable.modifiers.has(modifier) && (!is_const || is_static || dialect.has_constant(ex, local)) {
            text.push_str(word);
        }
    }
    text.push_str(&dialect.variable(ex.cx, variable.ty, (variable.name.as_str(), variable.span)));
    if let Some(init) = init {
        text.push_str(" = ");
        ex.declared_value(init, variable.span, &mut text);
    }
    text
}
