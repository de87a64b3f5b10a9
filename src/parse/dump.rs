//! Prints a tree in compact form, one line, for tests: what was understood, in prefix notation.
//!
//! `float a = 1 + b[2];` prints as `(var float a = (+ 1 (index b 2)))`.

use crate::ast::*;
use std::fmt::Write;

/// A unit, one declaration a line.
pub fn unit(unit: &Unit) -> String {
    let mut out = String::new();
    for d in unit.decls.iter() {
        out.push_str(&decl(d));
        out.push('\n');
    }
    out
}

fn list<T>(items: &[T], print: impl Fn(&T) -> String) -> String {
    items.iter().map(|i| format!(" {}", print(i))).collect()
}

fn joined<T>(items: &[T], separator: &str, print: impl Fn(&T) -> String) -> String {
    items.iter().map(print).collect::<Vec<_>>().join(separator)
}

fn option<T>(before: &str, item: Option<&T>, print: impl Fn(&T) -> String) -> String {
    item.map_or_else(String::new, |i| format!("{before}{}", print(i)))
}

fn comments(list: &[crate::lex::Comment]) -> String {
    list.iter().map(|c| format!("{}{} ", if c.trailing { "^" } else { "" }, c.text)).collect()
}

fn prefix(d: &Decl) -> String {
    let mut out = comments(&d.comments);
    for a in &d.attributes {
        let _ = write!(out, "[{}] ", attribute(a));
    }
    for (name, value) in &d.layout {
        let _ = write!(out, "layout:{}{} ", name.name, option("=", value.as_ref(), expr));
    }
    for m in &d.modifiers {
        let _ = write!(out, "{} ", m.name);
    }
    out
}

fn attribute(a: &Attribute) -> String {
    let args = joined(&a.args, ", ", expr);
    if a.args.is_empty() { a.name.name.to_string() } else { format!("{}({args})", a.name.name) }
}

/// A declaration.
pub fn decl(d: &Decl) -> String {
    let body = match &d.kind {
        DeclKind::Var(v) => format!("var {}", var(v)),
        DeclKind::Function(f) => function(f),
        DeclKind::Struct(s) => structure("struct", s),
        DeclKind::Interface(s) => structure("interface", s),
        DeclKind::Extension(e) => {
            let (g, b) = (generics(e.generics.as_ref()), list(&e.bases, ty));
            format!("extension{g} {} :{b}{}", ty(&e.target), list(&e.members, decl))
        }
        DeclKind::Buffer(b) => {
            let word = if b.texture { "tbuffer" } else { "cbuffer" };
            format!("{word} {}{}{}", b.name.name, semantics(&b.semantics), list(&b.members, decl))
        }
        DeclKind::Enum(e) => enumeration(e),
        DeclKind::Alias(a) => format!("alias {}{} {}", a.name.name, generics(a.generics.as_ref()), ty(&a.target)),
        DeclKind::AssociatedType(p) => format!("associatedtype {}", generic_param(p)),
        DeclKind::Namespace(path, decls) => format!("namespace {}{}", path_of(path), list(decls, decl)),
        DeclKind::UsingMember(name) => format!("using member {}", name.name),
        DeclKind::UsingNamespace(path) => format!("using {}", path_of(path)),
        DeclKind::Import(path, exported) => format!("import{} {}", if *exported { " exported" } else { "" }, path.name),
        DeclKind::Include(path) => format!("include {}", path.name),
        DeclKind::Implementing(path) => format!("implementing {}", path.name),
        DeclKind::Property(p) => property("property", p),
        DeclKind::Subscript(p) => property("subscript", p),
        DeclKind::Subobject(s) => format!("subobject {} {} {{{}}}", s.kind, s.name.name, joined(&s.values, " ", expr)),
        DeclKind::Effect(effect) => match &**effect {
            EffectDecl::Technique(technique) => {
                let passes = joined(&technique.passes, " ", |pass| format!("({})", pass.name.name));
                format!("technique {} {passes}", technique.name.name)
            }
            EffectDecl::Object(object) => format!("{} {}", object.kind, object.name.name),
        },
        DeclKind::Ignored => "ignored".to_owned(),
        DeclKind::Empty => "empty".to_owned(),
    };
    format!("({}{body})", prefix(d))
}

fn path_of(path: &[Ident]) -> String {
    joined(path, "::", |i| i.name.to_string())
}

fn var(v: &VarDecl) -> String {
    let word = if v.is_let { "let " } else { "" };
    let bits = option(" bits ", v.bits.as_ref(), expr);
    let init = option(" = ", v.init.as_ref(), expr);
    format!("{word}{} {}{}{bits}{init}", ty(&v.ty), v.name.name, semantics(&v.semantics))
}

fn semantics(list: &[Semantic]) -> String {
    let words = |w: &[Ident]| joined(w, ",", |i| i.name.to_string());
    list.iter()
        .map(|s| match s {
            Semantic::Name(name) => format!(" :{}", name.name),
            Semantic::Register(w, _) => format!(" :register({})", words(w)),
            Semantic::PackOffset(w, _) => format!(" :packoffset({})", words(w)),
            Semantic::Read(w) => format!(" :read({})", words(w)),
            Semantic::Write(w) => format!(" :write({})", words(w)),
        })
        .collect()
}

fn function(f: &FunctionDecl) -> String {
    let owner: String = f.owner.iter().map(|o| format!("{}::", o.name)).collect();
    let (g, params) = (generics(f.generics.as_ref()), joined(&f.params, " ", decl));
    let throws = if f.throws.is_some() { " throws" } else { "" };
    let (semantics, body) = (semantics(&f.semantics), option(" ", f.body.as_ref(), block));
    format!("fn {} {owner}{}{g} ({params}){semantics}{throws}{body}", ty(&f.result), f.name.name)
}

fn structure(word: &str, s: &StructDecl) -> String {
    let mut out = format!("{word} {}{}", s.name.name, generics(s.generics.as_ref()));
    if let Some(magic) = s.magic {
        let _ = write!(out, " magic:{magic}");
    }
    if !s.bases.is_empty() {
        let _ = write!(out, " :{}", list(&s.bases, ty));
    }
    match &s.members {
        Some(members) => out.push_str(&list(members, decl)),
        None => out.push_str(" forward"),
    }
    out
}

fn enumeration(e: &EnumDecl) -> String {
    let word = if e.scoped { "enum class" } else { "enum" };
    let case = |(name, value, c): &(Ident, Option<Expr>, Vec<crate::lex::Comment>)| {
        format!("{}{}{}", comments(c), name.name, option("=", value.as_ref(), expr))
    };
    format!("{word} {}{}{}", e.name.name, option(" : ", e.tag.as_ref(), ty), list(&e.cases, case))
}

fn property(word: &str, p: &PropertyDecl) -> String {
    let accessor = |a: &Accessor| {
        let param = option(" ", a.param.as_ref(), |i| i.name.to_string());
        format!("({}{param}{})", a.name.name, option(" ", a.body.as_ref(), block))
    };
    let (g, params) = (generics(p.generics.as_ref()), list(&p.params, decl));
    format!("{word}{g} {} {}{params}{}", ty(&p.ty), p.name.name, list(&p.accessors, accessor))
}

fn generics(g: Option<&Generics>) -> String {
    let Some(g) = g else { return String::new() };
    let constraint = |(t, bounds): &(TypeExpr, Vec<TypeExpr>)| format!(" where {} :{}", ty(t), list(bounds, ty));
    let constraints: String = g.constraints.iter().map(constraint).collect();
    format!("<{}{constraints}>", joined(&g.params, ", ", generic_param))
}

fn generic_param(p: &GenericParam) -> String {
    let name = p.name.name;
    let bounds = |b: &[TypeExpr]| if b.is_empty() { String::new() } else { format!(" :{}", list(b, ty)) };
    match &p.kind {
        GenericParamKind::Type { bounds: b, default } => {
            format!("{name}{}{}", bounds(b), option(" = ", default.as_ref(), ty))
        }
        GenericParamKind::Value { ty: t, default } => {
            format!("let {name} {}{}", ty(t), option(" = ", default.as_ref(), expr))
        }
        GenericParamKind::Pack { bounds: b, value } => {
            format!("each {name}{}{}", bounds(b), option(" let ", value.as_ref(), ty))
        }
    }
}

/// A type.
pub fn ty(t: &TypeExpr) -> String {
    match &t.kind {
        TypeKind::Path(path) => segments(path),
        TypeKind::Array(element, size) => format!("{}[{}]", ty(element), option("", size.as_deref(), expr)),
        TypeKind::Pointer(inner) => format!("{}*", ty(inner)),
        TypeKind::Modified(words, inner) => format!("{{{} {}}}", joined(words, " ", |i| i.name.to_string()), ty(inner)),
        TypeKind::Tuple(types) => format!("(tuple{})", list(types, ty)),
        TypeKind::Optional(inner) => format!("{}?", ty(inner)),
        TypeKind::Function(params, result) => format!("(functype{} {})", list(params, ty), ty(result)),
        TypeKind::Struct(d) => decl(d),
        TypeKind::Infer => "_".to_owned(),
        TypeKind::This => "This".to_owned(),
        TypeKind::And(types) => joined(types, "&", ty),
        TypeKind::Some(inner) => format!("some {}", ty(inner)),
        TypeKind::Expand(inner) => format!("(expand {})", ty(inner)),
        TypeKind::Each(inner) => format!("(each {})", ty(inner)),
        TypeKind::PackQuery(op, args, rest) => {
            let rest: String = rest.iter().map(|s| format!("::{}", segment(s))).collect();
            format!("({}{}){rest}", op.name, list(args, ty))
        }
        TypeKind::TypeOf(e) => format!("typeof({})", expr(e)),
        TypeKind::Error => "error".to_owned(),
    }
}

fn segments(path: &[PathSegment]) -> String {
    joined(path, "::", segment)
}

fn segment(s: &PathSegment) -> String {
    let arg = |a: &GenericArg| match a {
        GenericArg::Type(t) => ty(t),
        GenericArg::Value(e) => format!("={}", expr(e)),
    };
    let args = s.args.as_ref().map_or_else(String::new, |args| format!("<{}>", joined(args, ", ", arg)));
    format!("{}{args}", s.name.name)
}

/// An expression.
pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(_, _, text) | ExprKind::Float(_, _, text) => text.to_string(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::String(text) => format!("{:?}", text.as_str()),
        ExprKind::Null => "null".to_owned(),
        ExprKind::This => "this".to_owned(),
        ExprKind::Path(path) => segments(path),
        ExprKind::Paren(inner) => format!("(paren {})", expr(inner)),
        ExprKind::Qualified(object, base) => format!("(as {} {})", expr(object), segments(base)),
        ExprKind::Member(base, member) => format!("(. {} {})", expr(base), segment(member)),
        ExprKind::Index(base, index) => format!("(index {}{})", expr(base), list(index, expr)),
        ExprKind::Call(callee, args) => format!("(call {}{})", expr(callee), list(args, expr)),
        ExprKind::Construct(t, args) => format!("(new {}{})", ty(t), list(args, expr)),
        ExprKind::Cast(t, inner) => format!("(cast {} {})", ty(t), expr(inner)),
        ExprKind::Prefix(op, inner) => format!("({op} {})", expr(inner)),
        ExprKind::Postfix(op, inner) => format!("({} {op})", expr(inner)),
        ExprKind::Binary(op, a, b) | ExprKind::Assign(op, a, b) => format!("({op} {} {})", expr(a), expr(b)),
        ExprKind::Conditional(c, a, b) => format!("(? {} {} {})", expr(c), expr(a), expr(b)),
        ExprKind::Tuple(list) => format!("(tuple {})", list.iter().map(expr).collect::<Vec<_>>().join(" ")),
        ExprKind::Comma(a, b) => format!("(, {} {})", expr(a), expr(b)),
        ExprKind::InitList(items) => format!("{{{}}}", joined(items, " ", expr)),
        ExprKind::TypeQuery(op, t, layout) => {
            let layout = layout.as_deref().map_or(String::new(), |l| format!(" {}", ty(l)));
            format!("({op} {}{layout})", ty(t))
        }
        ExprKind::IsAs(inner, is, t) => format!("({} {} {})", if *is { "is" } else { "as" }, expr(inner), ty(t)),
        ExprKind::Try(inner) => format!("(try {})", expr(inner)),
        ExprKind::Unsupported(name) => format!("(unsupported {name})"),
        ExprKind::Lambda(d) => format!("(lambda {})", decl(d)),
        ExprKind::Expand(inner) => format!("(expand {})", expr(inner)),
        ExprKind::Each(inner) => format!("(each {})", expr(inner)),
        ExprKind::Error => "error".to_owned(),
    }
}

fn block(b: &Block) -> String {
    let trailing = comments(&b.trailing);
    format!(
        "{{{}{}}}",
        joined(&b.stmts, " ", stmt),
        if trailing.is_empty() { trailing } else { format!(" {trailing}") }
    )
}

/// A statement.
pub fn stmt(s: &Stmt) -> String {
    let mut out = comments(&s.comments);
    if !matches!(s.kind, StmtKind::Decl(_)) {
        s.attributes.iter().for_each(|a| out.push_str(&format!("[{}] ", attribute(a))));
    }
    out + &statement_kind(&s.kind)
}

fn statement_kind(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Decl(decls) => joined(decls, " ", decl),
        StmtKind::Expr(e) => format!("{};", expr(e)),
        StmtKind::Block(b) => block(b),
        StmtKind::If(d, c, yes, no) => {
            let (d, no) = (option(" ", d.as_deref(), decl), option(" else ", no.as_deref(), stmt));
            format!("(if{d} {} {}{no})", expr(c), stmt(yes))
        }
        StmtKind::For(init, c, step, body) => {
            let init = option("", init.as_deref(), stmt);
            let (c, step) = (option("", c.as_ref(), expr), option("", step.as_ref(), expr));
            format!("(for ({init} | {c} | {step}) {})", stmt(body))
        }
        StmtKind::While(c, body) => format!("(while {} {})", expr(c), stmt(body)),
        StmtKind::DoWhile(body, c) => format!("(do {} {})", stmt(body), expr(c)),
        StmtKind::Switch(value, cases) => format!("(switch {}{})", expr(value), list(cases, switch_case)),
        StmtKind::Break(label) => format!("break{};", option(" ", label.as_ref(), |i| i.name.to_string())),
        StmtKind::Continue => "continue;".to_owned(),
        StmtKind::Return(value) => format!("(return{})", option(" ", value.as_ref(), expr)),
        StmtKind::Discard => "discard;".to_owned(),
        StmtKind::Label(name, inner) => format!("(label {} {})", name.name, stmt(inner)),
        StmtKind::Throw(e) => format!("(throw {})", expr(e)),
        StmtKind::DoCatch(body, clauses) => {
            let clause = |c: &CatchClause| {
                let error = c.error.as_ref().map_or(String::new(), |(name, of)| format!(" {}:{}", name.name, ty(of)));
                format!("(catch{error} {})", block(&c.body))
            };
            format!("(do {} {})", stmt(body), list(clauses, clause))
        }
        StmtKind::Defer(inner) => format!("(defer {})", stmt(inner)),
        StmtKind::TargetSwitch(cases) => format!("(target_switch{})", list(cases, name_case)),
        StmtKind::StageSwitch => "stage_switch".to_owned(),
        StmtKind::IntrinsicAsm(text) => format!("(asm {:?})", text.as_str()),
        StmtKind::StaticAssert(c, message) => {
            format!("(static_assert {}{})", expr(c), option(" ", message.as_ref(), |m| format!("{:?}", m.as_str())))
        }
        StmtKind::Unsupported(name) => format!("(unsupported {name})"),
        StmtKind::Empty => ";".to_owned(),
        StmtKind::Error => "error".to_owned(),
    }
}

fn switch_case(case: &SwitchCase) -> String {
    let label = |l: &Option<Expr>| l.as_ref().map_or_else(|| "default".to_owned(), expr);
    let brace = match case.scope {
        ScopeChange::None => "",
        ScopeChange::Enters => "{",
        ScopeChange::Leaves => "}",
    };
    format!("({}{brace}{}: {})", comments(&case.comments), joined(&case.labels, ",", label), block(&case.body))
}

fn name_case((names, body): &(Vec<Ident>, Block)) -> String {
    format!("({}: {})", if names.is_empty() { "default".to_owned() } else { path_of(names) }, block(body))
}
