//! Bodies: expressions, statements, locals.

use super::analyses::CodeMemo;
use super::{Arena, EnumId, ExprId, FunctionId, GlobalId, LocalId, Modifiers, NumberName, Tracked, TypeId};
use crate::lex::Comment;
use crate::source::Span;
use crate::symbol::Symbol;

/// The code of one function.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// All expressions; those that no statement reaches any more are garbage and harmless.
    pub exprs: Tracked<Arena<ExprId, Expr>>,
    /// Parameters (first, in order) and variables.
    pub locals: Tracked<Arena<LocalId, Local>>,
    /// The statements.
    pub block: Tracked<Block>,
    /// An assignment in it computes its value before the place that it assigns to, as in HLSL.
    pub value_first: bool,
    /// A shift in it takes its distance modulo the width of the number, as in HLSL.
    pub shifts_wrap: bool,
    /// What numbers of declarations in it name, and where.
    pub named: Vec<(Span, NumberName)>,
    /// What is known of it.
    pub memo: CodeMemo,
}

/// An expression outside of functions: an initializer.
#[derive(Clone, Debug)]
pub struct ExprTree {
    /// Storage.
    pub exprs: Arena<ExprId, Expr>,
    /// The root.
    pub root: ExprId,
}

/// A parameter or variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name in the source.
    pub name: Symbol,
    /// Its type.
    pub ty: TypeId,
    /// Never assigned after its declaration (`let`, `const`).
    pub constant: bool,
    /// `precise` and others.
    pub modifiers: Modifiers,
    /// Span of its name.
    pub span: Span,
}

impl Local {
    /// Whether this is the object of a method that may not change it.
    pub fn is_kept_object(&self) -> bool {
        self.name == *"this" && self.modifiers.has(Modifiers::CONST)
    }

    /// Its value is set behind its declaration: it is no constant of any target.
    pub fn set_later(&mut self) {
        self.constant = false;
        self.modifiers.clear(Modifiers::CONST);
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type. An lvalue has the type of what it holds.
    pub ty: TypeId,
    /// Its place.
    pub span: Span,
}

/// A literal value; the scalar type is the expression's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Literal {
    /// `true`, `false`.
    Bool(bool),
    /// An integer of any width; unsigned ones are held as the bits.
    Int(i64),
    /// A float of any width.
    Float(f64),
    /// A string.
    Text(Symbol),
}

/// Prefix operators on values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Negate,
    Not,
    BitNot,
}

impl UnaryOp {
    /// Spelling in C-like languages.
    pub fn spelling(self) -> &'static str {
        match self {
            UnaryOp::Negate => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
        }
    }
}

macro_rules! binary_ops {
    ($($(#[doc = $doc:literal])* $name:ident $spelling:literal,)*) => {
        /// Binary operators on values. Operands have equal types, except shifts, and `*` never means a matrix product in HLSL.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum BinaryOp { $($(#[doc = $doc])* $name),* }

        impl BinaryOp {
            /// Every operator.
            pub const ALL: &[BinaryOp] = &[$(BinaryOp::$name),*];
            /// Spelling in C-like languages.
            pub fn spelling(self) -> &'static str {
                match self { $(BinaryOp::$name => $spelling),* }
            }
        }
    };
}

binary_ops! {
    Add "+",
    Sub "-",
    Mul "*",
    Div "/",
    Rem "%",
    Shl "<<",
    Shr ">>",
    BitAnd "&",
    BitOr "|",
    BitXor "^",
    /// Short-circuit on scalars (HLSL 2021), componentwise on vectors.
    And "&&",
    /// As `&&`.
    Or "||",
    Equal "==",
    NotEqual "!=",
    Less "<",
    LessEqual "<=",
    Greater ">",
    GreaterEqual ">=",
}

impl BinaryOp {
    /// Gives bool (or a vector of bool).
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }
}

/// How tightly an expression holds together, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Prec {
    Comma,
    Assign,
    Ternary,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relational,
    Shift,
    Additive,
    Multiplicative,
    Unary,
    Postfix,
}

impl Prec {
    /// The level of a binary operator.
    pub fn of(op: BinaryOp) -> Prec {
        use BinaryOp::*;
        match op {
            Or => Prec::Or,
            And => Prec::And,
            BitOr => Prec::BitOr,
            BitXor => Prec::BitXor,
            BitAnd => Prec::BitAnd,
            Equal | NotEqual => Prec::Equality,
            Less | LessEqual | Greater | GreaterEqual => Prec::Relational,
            Shl | Shr => Prec::Shift,
            Add | Sub => Prec::Additive,
            Mul | Div | Rem => Prec::Multiplicative,
        }
    }
}

/// Component selection, 1 to 4 of `0..4`.
#[derive(Clone, Copy, Debug)]
pub struct Swizzle {
    /// The components; only the first `len` count.
    pub components: [u8; 4],
    /// How many.
    pub len: u8,
    /// The source writes it with `rgba`.
    pub is_color: bool,
}

/// Elements of a matrix by row and column, from zero.
#[derive(Clone, Debug)]
pub struct MatrixElements {
    list: Vec<(u8, u8)>,
    /// The source counts from one: `_11`.
    pub from_one: bool,
}

impl MatrixElements {
    /// Elements, and whether the source counts from one.
    pub fn new(list: Vec<(u8, u8)>, from_one: bool) -> MatrixElements {
        MatrixElements { list, from_one }
    }
}

impl From<Vec<(u8, u8)>> for MatrixElements {
    fn from(list: Vec<(u8, u8)>) -> MatrixElements {
        MatrixElements::new(list, false)
    }
}

impl FromIterator<(u8, u8)> for MatrixElements {
    fn from_iter<I: IntoIterator<Item = (u8, u8)>>(elements: I) -> MatrixElements {
        Vec::from_iter(elements).into()
    }
}

impl std::ops::Deref for MatrixElements {
    type Target = [(u8, u8)];
    fn deref(&self) -> &[(u8, u8)] {
        &self.list
    }
}

/// How elements are counted is spelling alone.
impl PartialEq for MatrixElements {
    fn eq(&self, other: &MatrixElements) -> bool {
        self.list == other.list
    }
}

/// The letters are spelling alone.
impl PartialEq for Swizzle {
    fn eq(&self, other: &Swizzle) -> bool {
        self.list() == other.list()
    }
}

impl Eq for Swizzle {}

impl std::hash::Hash for Swizzle {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.list().hash(state);
    }
}

impl Swizzle {
    /// From a list of at most 4.
    pub fn new(components: &[u8]) -> Swizzle {
        let mut s = Swizzle { components: [0; 4], len: components.len().min(4) as u8, is_color: false };
        for (to, from) in s.components.iter_mut().zip(components) {
            *to = *from;
        }
        s
    }
    /// The components.
    pub fn list(&self) -> &[u8] {
        self.components.get(..self.len as usize).unwrap_or(&[])
    }
    /// Other components, with the letters of this one.
    pub fn with(self, components: &[u8]) -> Swizzle {
        Swizzle { is_color: self.is_color, ..Swizzle::new(components) }
    }
    /// As written: with `xyzw` or `rgba`.
    pub fn text(&self) -> String {
        let letters = if self.is_color { ['r', 'g', 'b', 'a'] } else { ['x', 'y', 'z', 'w'] };
        self.list().iter().map(|c| letters[(*c & 3) as usize]).collect()
    }
}

/// Kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal; how the source spells it, with its suffix, though it may have another type or value by now: what is written
    /// is checked against the value.
    Literal(Literal, Option<Symbol>),
    /// A parameter or variable.
    Local(LocalId),
    /// A global.
    Global(GlobalId),
    /// A case of an enum (index); the type is the enum.
    EnumCase(EnumId, u32),
    /// A field of a struct value (index).
    Field(ExprId, u32),
    /// An element: of an array, a vector (component), a matrix (row), a structured or typed buffer, a patch, a pointer.
    Index(ExprId, ExprId),
    /// The contents of a ConstantBuffer, TextureBuffer or ParameterBlock; the type is its element.
    Contents(ExprId),
    /// Components of a vector, or of a scalar (`1.0.xxx`). One component gives a scalar.
    Swizzle(ExprId, Swizzle),
    /// Elements (row, column) of a matrix: `_m00_m11`. One gives a scalar.
    MatrixSwizzle(ExprId, MatrixElements),
    /// Prefix operator; componentwise.
    Unary(UnaryOp, ExprId),
    /// Binary operator; componentwise.
    Binary(BinaryOp, ExprId, ExprId),
    /// `c ? a : b`. Short-circuit when `c` is a scalar; componentwise select when `c` is a vector.
    Select(ExprId, ExprId, ExprId),
    /// `target = value` or `target op= value` as an expression; the type is the target's.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `++`/`--`: (increment?, prefix?, target).
    Step(bool, bool, ExprId),
    /// `a, b`.
    Comma(ExprId, ExprId),
    /// A call. Methods have `this` as the first argument.
    Call(FunctionId, Vec<ExprId>),
    /// A vector, matrix, array or struct from parts. Vectors and matrices: parts are scalars, vectors or matrices in
    /// component order (row by row) whose counts add up. Arrays: one part an element. Structs: one part a field.
    Construct(Vec<ExprId>),
    /// An explicit conversion to `ty`: scalar kinds, splat of a scalar to a vector or matrix, truncation of vectors
    /// and matrices, enum to and from integers, vector of 1 to and from scalar. `true`: written as a cast in the source.
    Convert(ExprId, bool),
    /// The zero value of `ty`: `(S)0`, `{}`.
    Zero,
    /// Access through accessors: a property or subscript, of users or of the standard library.
    Property(Box<Property>),
    /// An idiom of the target made by a legalization pass (`mix`, `select`, a bit cast): the spelling and its arguments.
    Native(Box<Template>, Vec<ExprId>),
    /// The address of an lvalue.
    AddressOf(ExprId),
    /// What a pointer points to.
    Deref(ExprId),
}

/// A property or subscript access. As a value: a call of `get`. As a target: a call of `set`, or the lvalue call of `reference`.
#[derive(Clone, Debug)]
pub struct Property {
    /// `this`, unless static, and index arguments.
    pub args: Vec<ExprId>,
    /// Reads.
    pub get: Option<FunctionId>,
    /// Writes; takes the value as last argument.
    pub set: Option<FunctionId>,
    /// Gives an lvalue.
    pub reference: Option<FunctionId>,
}

/// Statements in braces.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// Comments before the closing brace.
    pub trailing: Vec<Comment>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
    /// Comments before it and trailing on its line.
    pub comments: Vec<Comment>,
    /// A blank line stands before it in the source.
    pub blank_before: bool,
}

/// Hints before a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub struct Hints {
    pub unroll: Option<Option<u32>>,
    /// Where the name of that attribute is.
    pub unroll_name: Span,
    pub loop_: bool,
    pub branch: bool,
    pub flatten: bool,
    pub fastopt: bool,
    pub allow_uav_condition: bool,
    pub forcecase: bool,
    pub call: bool,
}

/// Kinds of statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A variable; one a statement.
    Local(LocalId, Option<ExprId>),
    /// An expression for its effects.
    Expr(ExprId),
    /// A block of its own.
    Block(Block),
    /// `if`. An `else if` is an else block of one `If` statement.
    If(ExprId, Block, Option<Block>, Hints),
    /// `for`: (init, condition, step, body). `init` holds only `Local` and `Expr` statements.
    For(Vec<Stmt>, Option<ExprId>, Option<ExprId>, Block, Hints),
    /// `while`.
    While(ExprId, Block, Hints),
    /// `do {} while`.
    DoWhile(Block, ExprId, Hints),
    /// `switch`.
    Switch(ExprId, Vec<SwitchCase>, Hints),
    /// `break` of the innermost loop or switch.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<ExprId>),
    /// `discard`.
    Discard,
    /// `__intrinsic_asm` as a statement: the function's whole result (standard library only, before target choice).
    Intrinsic(Template),
}

/// A case of a switch. Falls through to the next unless its body ends the flow.
#[derive(Clone, Debug)]
pub struct SwitchCase {
    /// Constant values; `None` is `default`.
    pub labels: Vec<Option<ExprId>>,
    /// Comments before and beside the labels.
    pub comments: Vec<Comment>,
    /// A blank line stands before the labels.
    pub blank_before: bool,
    /// The statements.
    pub body: Block,
}

impl SwitchCase {
    /// One that a pass makes.
    pub fn new(labels: Vec<Option<ExprId>>, body: Block) -> SwitchCase {
        SwitchCase { labels, comments: Vec::new(), blank_before: false, body }
    }
}

/// A spelling of a builtin in a target, parsed from `__intrinsic_asm "..."`.
///
/// | in the text | stands for |
/// | --- | --- |
/// | `$0` `$1` ... | the argument, printed as a function argument (anything but a comma expression goes unparenthesized) |
/// | `$(0)` | the argument as an operand: parenthesized unless it is a primary or postfix expression |
/// | `$&0` | the argument's address: `&x` where the target has pointers, else the lvalue itself |
/// | `$L0` | the argument; a literal with its type: `float(0.0)` |
/// | `$T0` | the type of the argument in the target's spelling |
/// | `$TR` | the result type in the target's spelling |
/// | `$E0` | the component scalar type of the argument (for a texture or buffer: of its element) |
/// | `$S0` | GLSL: texture argument 0 with the sampler behind it: `isampler2DArray(t, s)`, with `Shadow` when depth; a texture that is combined with its sampler as it is |
/// | `$z` | the swizzle that cuts a four-component value to the result's width: empty, `.xyz`, `.xy` or `.x` |
/// | `$*1` | all arguments from number 1 on, separated by `, ` |
/// | `$$` | `$` |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// The pieces in order.
    pub pieces: Vec<TemplatePiece>,
    /// The expression binds as loosely as a binary operator and needs parentheses as an operand.
    pub loose: bool,
}

/// A piece of a [`Template`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum TemplatePiece {
    Text(String),
    Arg(u32),
    Operand(u32),
    Address(u32),
    Typed(u32),
    TypeOf(u32),
    ResultType,
    Element(u32),
    Sampler(u32),
    Truncate,
    Rest(u32),
}

/// What a part of a spelling has that no expression may have; `open` are the brackets to be closed.
fn text_fault(text: &str, before_argument: bool, open: &mut Vec<char>) -> Option<String> {
    for c in text.chars() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            ')' | ']' if open.pop() == Some(c) => {}
            ')' | ']' => return Some(format!("`{c}` closes nothing")),
            '\n' | '\r' => return Some("it has a line break".into()),
            ';' | '{' | '}' | '"' | '\'' | '`' | '\\' | '#' | '@' => return Some(format!("it has `{c}`")),
            c if !matches!(c, ' '..='~') => return Some(format!("it has the character U+{:04X}", u32::from(c))),
            _ => {}
        }
    }
    // Before an argument, a `/` could begin a comment.
    if ["//", "/*", "*/"].iter().any(|mark| text.contains(mark)) || (text.ends_with('/') && before_argument) {
        return Some("it could begin a comment".into());
    }
    let compared = ["==", "!=", "<=", ">="].iter().fold(text.to_owned(), |text, operator| text.replace(operator, ""));
    ["=", "++", "--"].iter().any(|operator| compared.contains(operator)).then(|| "it assigns".into())
}

impl Template {
    /// The argument that is an index: `gl_in[$0].gl_Position`.
    pub fn index(&self) -> Option<usize> {
        self.pieces.windows(2).find_map(|pair| match pair {
            [TemplatePiece::Text(text), TemplatePiece::Arg(n)] if text.ends_with('[') => Some(*n as usize),
            _ => None,
        })
    }

    /// The arguments that it evaluates, of so many, in its order.
    pub fn evaluated(&self, count: usize) -> Vec<u32> {
        let mut list = Vec::new();
        for piece in &self.pieces {
            match *piece {
                TemplatePiece::Arg(n)
                | TemplatePiece::Operand(n)
                | TemplatePiece::Address(n)
                | TemplatePiece::Typed(n) => {
                    list.push(n);
                }
                TemplatePiece::Rest(n) => list.extend(n..count as u32),
                TemplatePiece::Text(_)
                | TemplatePiece::TypeOf(_)
                | TemplatePiece::ResultType
                | TemplatePiece::Element(_)
                | TemplatePiece::Sampler(_)
                | TemplatePiece::Truncate => {}
            }
        }
        list
    }

    /// Parses the text of an `__intrinsic_asm`. An unknown `$` form is an error with the offending text.
    pub fn parse(text: &str) -> Result<Template, String> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            literal.push_str(before);
            let (piece, used) = Self::piece(after).ok_or_else(|| format!("${after}"))?;
            match piece {
                Some(piece) => {
                    if !literal.is_empty() {
                        pieces.push(TemplatePiece::Text(std::mem::take(&mut literal)));
                    }
                    pieces.push(piece);
                }
                None => literal.push('$'),
            }
            rest = after.get(used..).unwrap_or("");
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(TemplatePiece::Text(literal));
        }
        let loose = Self::is_loose(text);
        Ok(Template { pieces, loose })
    }

    /// The piece that `text` (after a `$`) begins with and its length; `None` for `$$`.
    fn piece(text: &str) -> Option<(Option<TemplatePiece>, usize)> {
        let number = |skip: usize| -> Option<(u32, usize)> {
            let digits = text.get(skip..)?.bytes().take_while(u8::is_ascii_digit).count();
            Some((text.get(skip..skip + digits)?.parse().ok()?, skip + digits))
        };
        let first = text.bytes().next()?;
        Some(match first {
            b'$' => (None, 1),
            b'z' => (Some(TemplatePiece::Truncate), 1),
            b'T' if text.as_bytes().get(1) == Some(&b'R') => (Some(TemplatePiece::ResultType), 2),
            b'0'..=b'9' => number(0).map(|(n, l)| (Some(TemplatePiece::Arg(n)), l))?,
            b'&' => number(1).map(|(n, l)| (Some(TemplatePiece::Address(n)), l))?,
            b'L' => number(1).map(|(n, l)| (Some(TemplatePiece::Typed(n)), l))?,
            b'T' => number(1).map(|(n, l)| (Some(TemplatePiece::TypeOf(n)), l))?,
            b'E' => number(1).map(|(n, l)| (Some(TemplatePiece::Element(n)), l))?,
            b'S' => number(1).map(|(n, l)| (Some(TemplatePiece::Sampler(n)), l))?,
            b'*' => number(1).map(|(n, l)| (Some(TemplatePiece::Rest(n)), l))?,
            b'(' => {
                let (n, l) = number(1)?;
                (text.as_bytes().get(l) == Some(&b')')).then_some((Some(TemplatePiece::Operand(n)), l + 1))?
            }
            _ => return None,
        })
    }

    /// The spelling of a call without an argument in its list.
    pub fn without(mut self, argument: u32) -> Template {
        let Some(at) = self.pieces.iter().position(|p| *p == TemplatePiece::Arg(argument)) else { return self };
        self.pieces.remove(at);
        const COMMA: &str = ", ";
        if let Some(TemplatePiece::Text(text)) = self.pieces.get_mut(at)
            && let Some(rest) = text.strip_prefix(COMMA)
        {
            *text = rest.to_owned();
        } else if let Some(TemplatePiece::Text(text)) = at.checked_sub(1).and_then(|i| self.pieces.get_mut(i))
            && let Some(rest) = text.strip_suffix(COMMA)
        {
            *text = rest.to_owned();
        }
        self
    }

    /// What would lead out of the one expression that a spelling of a function with so many parameters stands for, if anything.
    /// The standard library is trusted; texts of users are asked.
    pub fn fault(&self, params: u32) -> Option<String> {
        let mut open = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece {
                TemplatePiece::Text(text) => {
                    let before_argument = index + 1 < self.pieces.len();
                    if let Some(fault) = text_fault(text, before_argument, &mut open) {
                        return Some(fault);
                    }
                }
                TemplatePiece::Arg(n)
                | TemplatePiece::Operand(n)
                | TemplatePiece::Address(n)
                | TemplatePiece::Typed(n)
                | TemplatePiece::TypeOf(n)
                | TemplatePiece::Element(n)
                | TemplatePiece::Sampler(n)
                    if *n >= params =>
                {
                    return Some(format!("there is no argument {n}"));
                }
                _ => {}
            }
        }
        open.pop().map(|c| format!("a `{c}` is missing"))
    }

    /// Whether the text has a space outside of all parentheses and brackets, as binary operators are written.
    fn is_loose(text: &str) -> bool {
        let mut depth = 0i32;
        text.bytes().any(|b| {
            match b {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                _ => {}
            }
            b == b' ' && depth == 0
        }) || text.starts_with(['-', '!', '~'])
    }
}
