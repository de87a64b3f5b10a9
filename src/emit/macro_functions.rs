//! Macros that stand for computed values, where the language has functions and no macros.
//!
//! Before: `#define SQUARED(x) ((x) * (x))`                  `#define SUN (frame.sun.xyz)`
//!         `SQUARED(a + b) * SUN`
//! After:  `fn SQUARED(x: f32) -> f32 { return x * x; }`     `fn SUN() -> vec3f { return frame.sun.xyz; }`
//!         `SQUARED(a + b) * SUN()`
//!
//! The text of a macro is the head of its function and what that returns, so that only uses of the same types are the same. A use
//! stays expanded that is a constant, which a call is not; that is written to; that has effects, since an argument is evaluated
//! once and first; and that names variables of the function it is in.

use super::expr::Exprs;
use super::named::MARK;
use super::writer::Writer;
use crate::lex::Comment;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::reserved::Reserved;
use crate::tree::{
    Access, ExprId, ExprKind, Function, FunctionBody, Global, GlobalKind, Local, Modifiers, ParamMode, Program, Type,
    TypeId,
};

/// Stands between the head of a function and what it returns.
const BODY: char = '\u{4}';

/// The head of the function that a text is, and what that returns.
pub(super) fn parts(text: &str) -> Option<(&str, &str)> {
    text.split_once(BODY)
}

/// The comments of a macro, all of which stand before its function.
pub(super) fn remarks(comments: Vec<Comment>) -> Vec<Comment> {
    comments.into_iter().map(|comment| Comment { trailing: false, ..comment }).collect()
}

/// Declares such a function.
pub(super) fn declare(head: &str, value: &str, w: &mut Writer) {
    w.open(head);
    w.line(&format!("return {value};"));
    w.close("");
}

/// A function without its name: what it receives and what it gives.
fn function(head: &str, body: &str) -> String {
    format!("{head}{BODY}{body}")
}

impl Exprs<'_> {
    /// The text of the function that a use of a macro would be a call of, if it can be one.
    pub(super) fn macro_function(
        &self,
        id: ExprId,
        (params, args): (&[Symbol], &[ExprId]),
        body: &str,
    ) -> Option<String> {
        let params = params.iter().map(|name| name.as_str()).zip(args.iter().map(|arg| self.type_id(*arg)));
        Some(function(&self.function_head(params, self.type_id(id))?, body))
    }

    /// `(x: f32) -> f32`, if all of it are values.
    fn function_head<'p>(&self, params: impl Iterator<Item = (&'p str, TypeId)>, result: TypeId) -> Option<String> {
        let reserved = Reserved::of(self.cx.profile);
        let param = |(name, ty): (&str, TypeId)| {
            (reserved.respell(name) == name && self.is_value(ty))
                .then(|| self.dialect.variable(self.cx, ty, (name, Span::default())))
        };
        let params = params.map(param).collect::<Option<Vec<_>>>()?;
        self.is_value(result).then(|| format!("({}) -> {}", params.join(", "), self.dialect.type_name(self.cx, result)))
    }

    /// Whether functions receive and return such values.
    fn is_value(&self, ty: TypeId) -> bool {
        let types = &self.cx.program.types;
        match types.get(ty) {
            Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) | Type::Enum(_) => true,
            Type::Struct(_) => !self.cx.program.any_leaf(ty, &mut |leaf| {
                !matches!(leaf, Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) | Type::Enum(_))
            }),
            _ => false,
        }
    }

    /// Whether a call of a function may stand for an expression.
    pub(super) fn may_be_called(&self, id: ExprId) -> bool {
        // All of a buffer is what its members are read of.
        let is_whole = matches!(self.kind(id), ExprKind::Global(_) | ExprKind::Contents(_));
        !is_whole
            && self.arena.any_part(id, |part| self.is_computed(part))
            && !self.is_writable(id)
            && !self.arena.any_part(id, |part| self.wants_constant(part))
            && !self.cx.program.effects().expr(self.arena, id)
    }

    /// Whether a part of an expression is known to none but the running program.
    fn is_computed(&self, part: ExprId) -> bool {
        match self.kind(part) {
            ExprKind::Local(local) => {
                let is_static = |variable: &Local| variable.modifiers.has(Modifiers::STATIC);
                !self.labels.contains(local) && !self.locals.is_some_and(|locals| is_static(&locals[*local]))
            }
            ExprKind::Global(global) => match self.cx.program.globals[*global].kind {
                GlobalKind::Const | GlobalKind::Specialization => false,
                GlobalKind::Parameter
                | GlobalKind::Groupshared
                | GlobalKind::Static
                | GlobalKind::Input
                | GlobalKind::Output
                | GlobalKind::Passed
                | GlobalKind::Heap => true,
            },
            ExprKind::Call(function, _) => {
                matches!(self.cx.program.functions[*function].body, FunctionBody::Block)
            }
            _ => false,
        }
    }

    /// Whether an expression is a place that the program writes to somewhere.
    fn is_writable(&self, id: ExprId) -> bool {
        match *self.kind(self.arena.base(id)) {
            ExprKind::Global(global) => is_written(self.cx.program, &self.cx.program.globals[global]),
            _ => false,
        }
    }

    /// Whether a part of an expression is a call that takes nothing but a constant for an argument.
    fn wants_constant(&self, part: ExprId) -> bool {
        match self.kind(part) {
            ExprKind::Call(function, _) => self.cx.program.functions[*function].params.iter().any(|p| p.constant),
            _ => false,
        }
    }

    /// Writes the name of the function that calls one that a macro without parameters stands for.
    pub(super) fn forwarded(&self, span: Span, call: ExprId, name: &str, out: &mut String) {
        let macros = &self.cx.macros;
        let text = match self.kind(call) {
            ExprKind::Call(called, _) => self.forwarding(&self.cx.program.functions[*called]),
            _ => None,
        };
        match macros.of_use(span).zip(text) {
            Some(((at, of), text)) if macros.writes_call(at, &text, || Some(text.clone())) => {
                out.push(MARK);
                out.push_str(of.name.as_str());
            }
            _ => out.push_str(name),
        }
    }

    /// The text of a function that calls another one with what it receives.
    fn forwarding(&self, called: &Function) -> Option<String> {
        let mut params = Vec::with_capacity(called.params.len());
        for param in &called.params {
            let Local { name, ty, span, .. } = called.code.locals[param.local];
            // The one that the source gives it: a parameter that is assigned has another one.
            let own = self.cx.macros.sources.spelled(span);
            let own = if !own.is_empty() && name.as_str().starts_with(own) { own } else { name.as_str() };
            if param.mode != ParamMode::In || param.constant || own == called.name.as_str() {
                return None;
            }
            params.push((own, ty));
        }
        let args: Vec<&str> = params.iter().map(|(name, _)| *name).collect();
        let body = format!("{}({})", called.name, args.join(", "));
        Some(function(&self.function_head(params.iter().copied(), called.result)?, &body))
    }
}

/// Whether something in a program may write to a global.
fn is_written(program: &Program, global: &Global) -> bool {
    let ty = program.types.get(program.types.innermost(global.ty));
    match global.kind {
        GlobalKind::Const | GlobalKind::Specialization | GlobalKind::Input => false,
        GlobalKind::Parameter => matches!(ty, Type::Buffer(_, access, _) if access != Access::Read),
        GlobalKind::Groupshared | GlobalKind::Static | GlobalKind::Output | GlobalKind::Passed | GlobalKind::Heap => {
            true
        }
    }
}
