//! Expressions.

use super::decl::bare_decl;
use super::stmt::plain;
use super::words::W;
use super::{Language, MAX_HEIGHT, Parser, R};
use crate::ast::*;
use crate::source::Span;
use crate::symbol::Symbol;

/// Binding strength of binary operators; a higher one binds tighter.
const LOGICAL_OR: u8 = 1;
const RELATIONAL: u8 = 7;

/// An infix operator at the cursor.
struct Infix {
    power: u8,
    /// Tokens it is made of: `>>` comes as two.
    tokens: usize,
    text: &'static str,
}

/// The version of Slang from which on `(a, b)` is a tuple (Slang user guide, "Language Version").
const TUPLES: u16 = 2026;

/// The expressions between commas.
fn parts(list: Expr) -> Vec<Expr> {
    let (mut rest, mut found) = (list, Vec::new());
    while let ExprKind::Comma(before, last) = rest.kind {
        found.push(*last);
        rest = *before;
    }
    found.push(rest);
    found.reverse();
    found
}

fn infix(power: u8, text: &'static str) -> Option<Infix> {
    Some(Infix { power, tokens: 1, text })
}

impl Parser<'_> {
    /// expression = assignment { "," assignment }
    pub(super) fn expr(&mut self) -> R<Expr> {
        let mut left = self.assignment()?;
        while self.w() == W::Comma {
            self.bump();
            let height = self.height;
            let right = self.assignment()?;
            self.grow(height)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// assignment = conditional [ ("=" | "+=" | ...) assignment ]
    pub(super) fn assignment(&mut self) -> R<Expr> {
        self.nested(Self::assignment_inner)
    }

    fn assignment_inner(&mut self) -> R<Expr> {
        let left = self.conditional()?;
        let Some((tokens, op)) = self.assign_op() else { return Ok(left) };
        self.pos += tokens;
        let height = self.height;
        let right = self.assignment()?;
        self.grow(height)?;
        let span = left.span.to(right.span);
        Ok(Expr { kind: ExprKind::Assign(op, Box::new(left), Box::new(right)), span })
    }

    fn assign_op(&self) -> Option<(usize, Symbol)> {
        use W::*;
        match self.w() {
            Assign | AddAssign | SubAssign | MulAssign | DivAssign | ModAssign | AndAssign | OrAssign | XorAssign
            | ShlAssign => Some((1, self.tok().text)),
            Gt if !self.no_gt && self.joined(1, Gt) && self.joined(2, Assign) => Some((3, Symbol::new(">>="))),
            _ => None,
        }
    }

    /// Whether the token `n` ahead is this one, with nothing between it and the one before.
    fn joined(&self, n: usize, w: W) -> bool {
        self.peek(n) == w && self.token_at(self.pos + n).joined
    }

    /// conditional = binary [ "?" expression ":" assignment ]
    pub(super) fn conditional(&mut self) -> R<Expr> {
        let begin = self.pos;
        let condition = self.binary(LOGICAL_OR)?;
        if self.w() != W::Question {
            return Ok(condition);
        }
        let question = self.bump().span;
        let mut height = self.height;
        let yes = self.in_brackets(Self::expr)?;
        height = height.max(self.height);
        self.close(W::Colon, "`:` of the conditional", question)?;
        let no = self.assignment()?;
        self.grow(height)?;
        let span = condition.span.to(no.span);
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
        let mut whole = Expr { kind, span };
        self.note_macro(begin, &mut whole);
        Ok(whole)
    }

    fn infix(&self) -> Option<Infix> {
        match self.w() {
            W::OrOr => infix(LOGICAL_OR, "||"),
            W::AndAnd => infix(2, "&&"),
            W::Or => infix(3, "|"),
            W::Caret => infix(4, "^"),
            W::And => infix(5, "&"),
            W::Eq => infix(6, "=="),
            W::Ne => infix(6, "!="),
            W::Lt => infix(RELATIONAL, "<"),
            W::Le => infix(RELATIONAL, "<="),
            W::Gt if self.no_gt => None,
            W::Gt if self.joined(1, W::Gt) => match self.joined(2, W::Assign) {
                true => None,
                false => Some(Infix { power: 8, tokens: 2, text: ">>" }),
            },
            W::Gt if self.joined(1, W::Assign) => Some(Infix { power: RELATIONAL, tokens: 2, text: ">=" }),
            W::Gt => infix(RELATIONAL, ">"),
            W::Is | W::As if self.is_ident_at(self.pos + 1) || self.peek(1) == W::LParen => infix(RELATIONAL, "is"),
            W::Shl => infix(8, "<<"),
            W::Plus => infix(9, "+"),
            W::Minus => infix(9, "-"),
            W::Star => infix(10, "*"),
            W::Slash => infix(10, "/"),
            W::Percent => infix(10, "%"),
            _ => None,
        }
    }

    /// binary = prefix { operator prefix }, by the operators' strengths, all left-associative
    fn binary(&mut self, weakest: u8) -> R<Expr> {
        let begin = self.pos;
        let mut left = self.prefix_expr()?;
        self.note_macro(begin, &mut left);
        while let Some(op) = self.infix().filter(|op| op.power >= weakest) {
            if op.text == "is" {
                left = self.is_or_as(left)?;
                continue;
            }
            self.pos += op.tokens;
            let height = self.height;
            let right = self.binary(op.power + 1)?;
            self.grow(height)?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(Symbol::new(op.text), Box::new(left), Box::new(right));
            left = Expr { kind, span };
            self.note_macro(begin, &mut left);
        }
        Ok(left)
    }

    /// Gives an expression from a token to the cursor the span of the macro that all of it comes from, if there is one.
    fn note_macro(&self, begin: usize, expr: &mut Expr) {
        if !self.token_at(begin).span.file.is_expansion() {
            return;
        }
        let Some(named) = self.named.get(&self.token_at(begin).span) else { return };
        let Some(named) = named.iter().find(|named| named.last == self.prev_span()) else { return };
        let mut expr = expr;
        loop {
            expr.span = named.span;
            match &mut expr.kind {
                ExprKind::Paren(inner) => expr = inner,
                _ => return,
            }
        }
    }

    /// is-or-as = prefix ("is" | "as") type
    fn is_or_as(&mut self, left: Expr) -> R<Expr> {
        let is = self.bump().text == "is";
        let height = self.height;
        let ty = self.nested(|p| p.type_head())?;
        self.grow(height)?;
        let span = self.since(left.span);
        Ok(Expr { kind: ExprKind::IsAs(Box::new(left), is, Box::new(ty)), span })
    }

    /// The expression just built stands over one of height `other` and the one parsed last.
    fn grow(&mut self, other: u32) -> R<()> {
        self.height = self.height.max(other) + 1;
        if self.height > MAX_HEIGHT { self.too_deep() } else { Ok(()) }
    }

    /// prefix = ("-" | "+" | "!" | "~" | "++" | "--" | "*" | "&") prefix | "(" type ")" prefix | word-prefix | postfix
    fn prefix_expr(&mut self) -> R<Expr> {
        let start = self.tok().span;
        match self.w() {
            W::Minus | W::Plus | W::Bang | W::Tilde | W::Inc | W::Dec | W::Star | W::And => {
                let op = self.bump().text;
                let operand = self.deeper_prefix()?;
                let span = start.to(operand.span);
                Ok(Expr { kind: ExprKind::Prefix(op, Box::new(operand)), span })
            }
            W::LParen if self.begins_cast() => self.cast(),
            W::NoDiff if self.begins_operand(1) => {
                self.bump();
                self.deeper_prefix()
            }
            W::Expand if self.is_ident_at(self.pos + 1) || self.peek(1) == W::LParen && self.expands_group() => {
                self.bump();
                let inner = self.nested(Self::assignment)?;
                self.grow(0)?;
                Ok(Expr { kind: ExprKind::Expand(Box::new(inner)), span: self.since(start) })
            }
            W::Each if self.is_ident_at(self.pos + 1) => {
                self.bump();
                let inner = self.nested(Self::postfix)?;
                self.grow(0)?;
                Ok(Expr { kind: ExprKind::Each(Box::new(inner)), span: self.since(start) })
            }
            W::Try if self.begins_operand(1) => {
                self.bump();
                let operand = self.deeper_prefix()?;
                Ok(Expr { kind: ExprKind::Try(Box::new(operand)), span: self.since(start) })
            }
            W::New if self.is_ident_at(self.pos + 1) => self.new_object(),
            _ => self.postfix(),
        }
    }

    /// Whether the group behind the word at hand names an element of a pack, so that the word is no function.
    fn expands_group(&self) -> bool {
        let Some(close) = self.partner_of(self.pos + 1) else { return false };
        (self.pos + 2..close).any(|i| self.word_at(i).w == W::Each)
    }

    fn deeper_prefix(&mut self) -> R<Expr> {
        let operand = self.nested(Self::prefix_expr)?;
        self.grow(0)?;
        Ok(operand)
    }

    fn begins_operand(&self, n: usize) -> bool {
        self.is_ident_at(self.pos + n) || matches!(self.peek(n), W::LParen | W::Int | W::Float | W::Minus)
    }

    /// cast = "(" type ")" prefix
    fn cast(&mut self) -> R<Expr> {
        let start = self.bump().span;
        let ty = self.in_brackets(Self::ty)?;
        self.close(W::RParen, "`)` after the type", start)?;
        let operand = self.deeper_prefix()?;
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Cast(Box::new(ty), Box::new(operand)), span })
    }

    /// new-object = "new" type "(" arguments ")"
    fn new_object(&mut self) -> R<Expr> {
        let start = self.tok().span;
        let op = self.bump().text;
        self.ty()?;
        if self.w() == W::LParen {
            let open = self.bump().span;
            self.arguments(W::RParen, "`,` or `)` in the arguments", open)?;
        }
        Ok(Expr { kind: ExprKind::Unsupported(op), span: self.since(start) })
    }

    /// postfix = primary { "(" arguments ")" | "[" arguments "]" | ("." | "->") name [generic-args] | "++" | "--" }
    fn postfix(&mut self) -> R<Expr> {
        let begin = self.pos;
        let mut e = self.primary()?;
        loop {
            self.note_macro(begin, &mut e);
            let height = self.height;
            let start = e.span;
            let kind = match self.w() {
                W::LParen => {
                    let open = self.bump().span;
                    let args = self.arguments(W::RParen, "`,` or `)` in the arguments", open)?;
                    called(e, args)
                }
                W::LBracket => {
                    let open = self.bump().span;
                    let args = self.arguments(W::RBracket, "`]` after the index", open)?;
                    ExprKind::Index(Box::new(e), args)
                }
                // `f<int>(x)::A`, `a[i]::b`: a static member.
                w if matches!(w, W::Dot | W::Arrow) || w == W::Scope && self.is_ident_at(self.pos + 1) => {
                    self.bump();
                    let base = self.qualifier()?;
                    if !base.is_empty() {
                        e = Expr { kind: ExprKind::Qualified(Box::new(e), base), span: self.since(start) };
                    }
                    let member = self.member()?;
                    self.block_member(e, member)
                }
                W::Inc | W::Dec => {
                    let op = self.bump().text;
                    ExprKind::Postfix(op, Box::new(e))
                }
                _ => return Ok(e),
            };
            self.grow(height)?;
            e = Expr { kind, span: self.since(start) };
        }
    }

    /// qualifier = { name [generic-args] "::" }, as in HLSL's `a.Base::member`
    fn qualifier(&mut self) -> R<Vec<PathSegment>> {
        let mut path = Vec::new();
        while self.language == Language::Hlsl && self.is_ident_at(self.pos) {
            let applied = if self.peek(1) == W::Lt { self.scan_angles(self.pos + 1, 0) } else { None };
            if self.word_at(applied.unwrap_or(self.pos + 1)).w != W::Scope {
                break;
            }
            let name = self.ident();
            let args = if self.w() == W::Lt { Some(self.generic_args()?) } else { None };
            self.bump();
            path.push(PathSegment { name, args });
        }
        Ok(path)
    }

    /// member = name [generic-args] | "operator" op
    fn member(&mut self) -> R<PathSegment> {
        if self.w() == W::Operator {
            let name = self.operator_name()?;
            return Ok(PathSegment { name, args: None });
        }
        // `x.template Load<T>(0)`: C++ asks for the word where `x` depends on a parameter.
        if self.w() == W::Template && self.is_ident_at(self.pos + 1) {
            self.bump();
        }
        if !self.is_ident_at(self.pos) {
            return self.fail("the name of a member");
        }
        let applied = self.peek(1) == W::Lt && self.begins_application(self.pos, true).is_some();
        let name = self.ident();
        let args = if applied { Some(self.generic_args()?) } else { None };
        Ok(PathSegment { name, args })
    }

    /// arguments = [ assignment { "," assignment } [","] ] and the closing bracket
    pub(super) fn arguments(&mut self, end: W, what: &str, open: Span) -> R<Vec<Expr>> {
        let mut height = 0;
        let argument = |p: &mut Self| {
            let argument = p.assignment()?;
            height = height.max(p.height);
            Ok(argument)
        };
        let list = self.in_brackets(|p| p.list(end, argument))?;
        self.height = height;
        self.close(end, what, open)?;
        Ok(list)
    }

    /// primary = literal | name | "(" expression ")" | init-list | lambda | word "(" ... ")"
    fn primary(&mut self) -> R<Expr> {
        let start = self.tok().span;
        self.height = 1;
        let kind = match self.w() {
            W::Int | W::Float => self.number(),
            W::Char => self.character(),
            W::Str => ExprKind::String(self.string()),
            W::True | W::False => ExprKind::Bool(self.bump().text == "true"),
            W::This => {
                self.bump();
                ExprKind::This
            }
            W::Null | W::Nullptr | W::NoneWord
                if self.language == super::Language::Slang
                    && !self.is_variable(self.pos)
                    && self.peek(1) != W::LParen =>
            {
                self.null()
            }
            W::LParen if self.begins_lambda() => return self.lambda(),
            W::LParen => return self.paren(),
            W::LBrace => {
                let open = self.bump().span;
                ExprKind::InitList(self.arguments(W::RBrace, "`,` or `}` in the initializer list", open)?)
            }
            W::SizeOf | W::AlignOf | W::CountOf | W::StrideOf if self.peek(1) == W::LParen => self.type_query()?,
            W::SizeOf if self.language == Language::Hlsl => self.size_of_value()?,
            W::FwdDiff | W::BwdDiff | W::FwdDiffOld | W::BwdDiffOld if self.peek(1) == W::LParen => {
                let op = self.bump().text;
                let open = self.bump().span;
                self.arguments(W::RParen, "`)`", open)?;
                ExprKind::Unsupported(op)
            }
            W::SpirvAsm if self.peek(1) == W::LBrace => {
                let op = self.bump().text;
                self.skip_group();
                ExprKind::Unsupported(op)
            }
            W::Operator => {
                let name = self.operator_name()?;
                ExprKind::Path(vec![PathSegment { name, args: None }])
            }
            _ => return self.name_or_construct(),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn null(&mut self) -> ExprKind {
        self.bump();
        ExprKind::Null
    }

    fn is_variable(&self, at: usize) -> bool {
        self.variables.contains(&self.token_at(at).text)
    }

    /// paren = "(" expression ")"
    fn paren(&mut self) -> R<Expr> {
        let start = self.bump().span;
        let inner = self.in_brackets(Self::expr)?;
        self.close(W::RParen, "`)`", start)?;
        self.grow(0)?;
        let kind = match inner.kind {
            ExprKind::Comma(..) if self.slang_version >= TUPLES => ExprKind::Tuple(parts(inner)),
            _ => ExprKind::Paren(Box::new(inner)),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// type-query = ("sizeof" | "alignof" | "countof" | "__strideof") "(" (type | expression) ["," type] ")"
    fn type_query(&mut self) -> R<ExprKind> {
        let op = self.bump().text;
        let open = self.bump().span;
        let operand = self.in_brackets(|p| match p.scan_type(p.pos).map(|s| p.word_at(s.end).w) {
            Some(W::RParen | W::Comma) if !matches!(p.w(), W::Null | W::Nullptr) => p.ty(),
            _ => p.assignment().map(|e| TypeExpr { span: e.span, kind: TypeKind::TypeOf(Box::new(e)) }),
        })?;
        // The layout of buffers in which it is measured.
        let layout = if self.eat(W::Comma) { Some(Box::new(self.ty()?)) } else { None };
        self.close(W::RParen, "`)`", open)?;
        Ok(ExprKind::TypeQuery(op, Box::new(operand), layout))
    }

    /// HLSL: `sizeof x`, as in C.
    fn size_of_value(&mut self) -> R<ExprKind> {
        let op = self.bump().text;
        let value = self.deeper_prefix()?;
        let operand = TypeExpr { span: value.span, kind: TypeKind::TypeOf(Box::new(value)) };
        Ok(ExprKind::TypeQuery(op, Box::new(operand), None))
    }

    fn begins_lambda(&self) -> bool {
        self.partner_of(self.pos).is_some_and(|close| {
            let arrow = self.word_at(close + 1).w;
            let split = arrow == W::Assign && self.word_at(close + 2).w == W::Gt && self.token_at(close + 2).joined;
            arrow == W::FatArrow || split
        })
    }

    /// lambda = params "=>" (block | assignment)
    fn lambda(&mut self) -> R<Expr> {
        let start = self.tok().span;
        let params = self.params()?;
        if !self.eat(W::FatArrow) {
            self.pos += 2;
        }
        let body = if self.w() == W::LBrace {
            self.block("the lambda")?
        } else {
            let value = self.assignment()?;
            let span = value.span;
            Block { stmts: vec![plain(StmtKind::Return(Some(value)), span)], trailing: Vec::new(), span }
        };
        self.height = 1;
        let span = self.since(start);
        let decl = lambda_struct(params, body, span);
        Ok(Expr { kind: ExprKind::Lambda(Box::new(decl)), span })
    }

    /// name-or-construct = type "(" arguments ")" | path, where the type is a builtin one, an array or `This`
    fn name_or_construct(&mut self) -> R<Expr> {
        let start = self.tok().span;
        if let Some(scanned) = self.construct_type()
            && self.word_at(scanned).w == W::LParen
        {
            let ty = self.ty()?;
            let open = self.bump().span;
            let args = self.arguments(W::RParen, "`,` or `)` in the arguments", open)?;
            self.grow(0)?;
            return Ok(Expr { kind: ExprKind::Construct(Box::new(ty), args), span: self.since(start) });
        }
        if !(self.is_name_at(self.pos) || self.w() == W::Scope && self.is_name_at(self.pos + 1)) {
            return self.fail("an expression");
        }
        let path = self.value_path()?;
        let span = self.since(start);
        let kind = match self.block_members.is_empty() {
            true => ExprKind::Path(path),
            false => self.hidden_block_member(path, span),
        };
        Ok(Expr { kind, span })
    }

    /// The end of the type at the cursor, if only a type can be constructed there.
    fn construct_type(&mut self) -> Option<usize> {
        let word = self.word_at(self.pos);
        let sign = matches!(word.w, W::Unsigned | W::Signed | W::Struct | W::ThisType);
        let array = self.constructs_array();
        if !(sign || array || word.is_builtin_type()) {
            return None;
        }
        if word.w == W::ThisType && matches!(self.peek(1), W::Dot | W::Scope)
            || self.peek(1) == W::LParen && self.type_functions.contains(&self.tok().text)
        {
            return None;
        }
        self.scan_type(self.pos).filter(|s| !s.ends_in_operator).map(|s| s.end)
    }

    /// Whether an array is constructed at the cursor: `T[2](a, b)`, which reads as a call of an element unless `T` is a type.
    fn constructs_array(&mut self) -> bool {
        let mut end = self.pos + 1;
        while self.word_at(end).w == W::LBracket
            && let Some(close) = self.partner_of(end)
        {
            end = close + 1;
        }
        if end == self.pos + 1 || self.is_known_type(self.pos) {
            return end > self.pos + 1;
        }
        if self.word_at(end).w == W::LParen && self.is_ident_at(self.pos) && !self.is_variable(self.pos) {
            self.undecided.insert(self.tok().text);
        }
        false
    }

    /// value-path = ["::"] name [generic-args] { "::" name [generic-args] }
    fn value_path(&mut self) -> R<Vec<PathSegment>> {
        let mut list = Vec::new();
        if self.w() == W::Scope {
            list.push(PathSegment { name: self.no_name(), args: None });
            self.bump();
        }
        loop {
            let applied = self.peek(1) == W::Lt && self.begins_application(self.pos, false).is_some();
            let name = if self.w() == W::Operator { self.operator_name()? } else { self.name("a name")? };
            let args = if applied { Some(self.generic_args()?) } else { None };
            list.push(PathSegment { name, args });
            if !(self.w() == W::Scope && self.is_ident_at(self.pos + 1)) {
                return Ok(list);
            }
            self.bump();
        }
    }
}

/// The struct that a lambda expression is of: `struct { operator()(params) { body } }`.
fn lambda_struct(params: Vec<Decl>, body: Block, span: Span) -> Decl {
    let function = FunctionDecl {
        name: Ident { name: Symbol::new("operator()"), span },
        owner: Vec::new(),
        generics: None,
        specializes: None,
        params,
        result: TypeExpr { kind: TypeKind::Infer, span },
        semantics: Vec::new(),
        body: Some(body),
        // It is a part of the body around it.
        code: TokenHash::default(),
        calls: Vec::new(),
        throws: None,
    };
    let name = Ident { name: Symbol::new("Lambda"), span };
    let members = Some(vec![bare_decl(DeclKind::Function(function), span)]);
    let lambda = StructDecl {
        name,
        generics: None,
        specializes: None,
        bases: Vec::new(),
        members,
        magic: None,
        is_variable: false,
    };
    bare_decl(DeclKind::Struct(lambda), span)
}

/// A call. What slangc names `__getAddress(place)` is `&place`.
fn called(callee: Expr, mut args: Vec<Expr>) -> ExprKind {
    let is_address = matches!(&callee.kind, ExprKind::Path(path)
        if matches!(path.as_slice(), [only] if only.name.name == *"__getAddress"));
    match args.pop() {
        Some(place) if is_address && args.is_empty() => ExprKind::Prefix(Symbol::new("&"), Box::new(place)),
        last => {
            args.extend(last);
            ExprKind::Call(Box::new(callee), args)
        }
    }
}
