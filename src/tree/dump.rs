//! Prints a program in the input language: what `--dump-after` shows and what pass fixtures compare.
//!
//! The text is for people. Where a pass made something that the language cannot express, it is written in a form of its own:
//! `#native("...", args)` for target idioms and `@binding` after a global for its position.

use super::*;
use std::fmt::Write;

/// The whole program: everything in [`Program::items`].
pub fn dump(program: &Program) -> String {
    let mut d = Dump { program, out: String::new(), indent: 0 };
    for (i, item) in program.items.iter().enumerate() {
        if i > 0 && !matches!(item, Item::Global(_)) {
            d.out.push('\n');
        }
        match *item {
            Item::Struct(id) => d.structure(&program.structs[id]),
            Item::Enum(id) => d.enumeration(&program.enums[id]),
            Item::Global(id) => d.global(&program.globals[id]),
            Item::Function(id) => d.function(id),
        }
    }
    d.out
}

/// One expression, as `dump` writes it.
pub fn expr_text(program: &Program, locals: &Arena<LocalId, Local>, exprs: &ExprArena, id: ExprId) -> String {
    let names: Vec<Symbol> = locals.iter().map(|(_, l)| l.name).collect();
    Exprs { program, names: &names, exprs }.text(id, Prec::Comma)
}

/// A type as the input language writes it; an instance of a generic by the name that it has in texts.
pub fn type_text(program: &Program, ty: TypeId) -> String {
    text(program, ty, false)
}

/// A type as the source may write it: `Pair<float2>`.
pub fn type_written(program: &Program, ty: TypeId) -> String {
    text(program, ty, true)
}

fn text(program: &Program, ty: TypeId, written: bool) -> String {
    if let (true, Type::Struct(id)) = (written, program.types.get(ty))
        && let Some(instance) = program.structs[id].instance
    {
        return instance.written.to_string();
    }
    spelled(program, ty, &|t| text(program, t, written))
}

/// A type of the input language, in which `of` spells the types that it is made of.
pub fn spelled(program: &Program, ty: TypeId, of: &dyn Fn(TypeId) -> String) -> String {
    match program.types.get(ty) {
        Type::Void => "void".to_owned(),
        Type::Error => "<error>".to_owned(),
        Type::Scalar(s) => s.name().to_owned(),
        Type::Vector(s, n) => format!("{}{n}", s.name()),
        Type::Matrix(s, r, c) => format!("{}{r}x{c}", s.name()),
        Type::Array(t, length) => format!("{}[{}]", of(t), program.length_text(length)),
        Type::Struct(id) if program.structs[id].name.is_empty() => format!("struct#{}", id.0),
        Type::Struct(id) => program.structs[id].name.to_string(),
        Type::Enum(id) => program.enums[id].name.to_string(),
        Type::Texture(t) => texture_text(&t, &of(t.element)),
        Type::Sampler(false) => "SamplerState".to_owned(),
        Type::Sampler(true) => "SamplerComparisonState".to_owned(),
        Type::Buffer(kind, access, t) => kind.name(access, &format!("{}{}", of(t), kind.data_layout().argument())),
        Type::ConstantBuffer(t, layout) => format!("ConstantBuffer<{}{}>", of(t), layout.argument()),
        Type::TextureBuffer(t) => format!("TextureBuffer<{}>", of(t)),
        Type::ParameterBlock(t) => format!("ParameterBlock<{}>", of(t)),
        Type::SubpassInput(t, ms) => format!("SubpassInput{}<{}>", if ms { "MS" } else { "" }, of(t)),
        Type::AccelerationStructure => "RaytracingAccelerationStructure".to_owned(),
        Type::RayQuery(flags) => format!("RayQuery<{flags}>"),
        Type::HitObject => "HitObject".to_owned(),
        Type::Stream(kind, t) => format!("{kind:?}Stream<{}>", of(t)),
        Type::Patch(is_input, t, n) => patch_text(is_input, &of(t), &n.to_string()),
        Type::MeshOutput(kind, t, n) => format!("Output{kind:?}<{}, {n}>", of(t)),
        Type::Pointer(t, AddressSpace::Device(DataLayout::Default)) => format!("Ptr<{}, Device>", of(t)),
        Type::Pointer(t, space) => format!("Ptr<{}, {space:?}>", of(t)),
        Type::Handle(t) => format!("DescriptorHandle<{}>", of(t)),
        Type::HeapElement(samplers) => (if samplers { "SamplerDescriptor" } else { "ResourceDescriptor" }).to_owned(),
        Type::Atomic(s) => format!("Atomic<{}>", s.name()),
        Type::Text => "String".to_owned(),
        Type::DynamicResource(samplers) => (if samplers { "DynamicSampler" } else { "DynamicResource" }).to_owned(),
        Type::Opaque(name) => name.to_string(),
    }
}

/// The type of the points that the tessellation stages have of a patch.
pub fn patch_text(is_input: bool, point: &str, count: &str) -> String {
    format!("{}Patch<{point}, {count}>", if is_input { "Input" } else { "Output" })
}

/// A texture type whose element is spelled so.
pub fn texture_text(t: &Texture, element: &str) -> String {
    let access = match t.access {
        Access::Read => "",
        Access::ReadWrite => "RW",
        Access::Write => "W",
        Access::RasterOrdered => "RasterizerOrdered",
        Access::Feedback | Access::FeedbackRegions => "Feedback",
    };
    let element = match t.access {
        Access::Feedback => "SAMPLER_FEEDBACK_MIN_MIP",
        Access::FeedbackRegions => "SAMPLER_FEEDBACK_MIP_REGION_USED",
        Access::Read | Access::ReadWrite | Access::Write | Access::RasterOrdered => element,
    };
    let shape = t.shape.word();
    let base = if t.combined { "Sampler" } else { "Texture" };
    let flag = |on: bool, word: &'static str| if on { word } else { "" };
    let (ms, array, depth) = (flag(t.multisampled, "MS"), flag(t.array, "Array"), flag(t.depth, "Shadow"));
    format!("{access}{base}{shape}{ms}{array}{depth}<{}>", element)
}

struct Dump<'a> {
    program: &'a Program,
    out: String,
    indent: usize,
}

impl Dump<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = self.indent * 4);
    }

    /// `float a[4]`: a declarator.
    fn declarator(&self, ty: TypeId, name: &str) -> String {
        let mut dims = String::new();
        let mut ty = ty;
        while let Type::Array(element, count) = self.program.types.get(ty) {
            let _ = write!(dims, "[{}]", self.program.length_text(count));
            ty = element;
        }
        format!("{} {name}{dims}", type_text(self.program, ty))
    }

    fn modifiers(m: Modifiers) -> String {
        let words = Modifiers::TABLE.iter().filter(|(_, bit)| m.has(*bit) && *bit != Modifiers::CONST);
        words.map(|(w, _)| format!("{w} ")).collect()
    }

    fn order(order: Option<MatrixOrder>) -> &'static str {
        match order {
            None => "",
            Some(MatrixOrder::Row) => "row_major ",
            Some(MatrixOrder::Column) => "column_major ",
        }
    }

    fn structure(&mut self, s: &Struct) {
        self.line(&format!("struct {}", s.name));
        self.line("{");
        self.indent += 1;
        for f in &s.fields {
            let semantic = f.semantic.map(|s| format!(" : {}", s.text)).unwrap_or_default();
            let bits = f.bits.map(|n| format!(" : {n}")).unwrap_or_default();
            let offset = f.offset.map(|n| format!(" @offset({n})")).unwrap_or_default() + &placement(f);
            let head = format!("{}{}", Self::modifiers(f.modifiers), Self::order(f.matrix_order));
            self.line(&format!("{head}{}{bits}{semantic}{offset};", self.declarator(f.ty, f.name.as_str())));
        }
        self.indent -= 1;
        self.line("};");
    }

    fn enumeration(&mut self, e: &Enum) {
        self.line(&format!("enum {} : {}", e.name, e.tag.name()));
        self.line("{");
        self.indent += 1;
        for c in &e.cases {
            self.line(&format!("{} = {},", c.name, c.value));
        }
        self.indent -= 1;
        self.line("};");
    }

    fn global(&mut self, g: &Global) {
        let kind = match g.kind {
            GlobalKind::Parameter => "",
            GlobalKind::Static => "static ",
            GlobalKind::Const => "static const ",
            GlobalKind::Groupshared => "groupshared ",
            GlobalKind::Specialization => "const ",
            GlobalKind::Input => "in ",
            GlobalKind::Output => "out ",
            GlobalKind::Passed => "passed ",
            GlobalKind::Heap => "heap ",
        };
        let id = match g.explicit.constant_id {
            Some(Some(id)) => format!("[vk::constant_id({id})] "),
            Some(None) => "[SpecializationConstant] ".to_owned(),
            None => String::new(),
        };
        let mut text = format!("{id}{}{}{kind}", Self::modifiers(g.modifiers), Self::order(g.matrix_order));
        text += &self.declarator(g.ty, g.name.as_str());
        if let Some(semantic) = g.semantic {
            let _ = write!(text, " : {}", semantic.text);
        }
        if let Some(b) = g.binding {
            let class = b.class.map(String::from).unwrap_or_default();
            let _ = write!(text, " @binding({class}{}, {})", b.index, b.space);
        }
        if let Some(tree) = &g.init {
            let _ = write!(text, " = {}", self.value(tree));
        }
        if g.transparent {
            text += " /* transparent */";
        }
        self.line(&format!("{text};"));
    }

    fn value(&self, tree: &ExprTree) -> String {
        Exprs { program: self.program, names: &[], exprs: &tree.exprs }.text(tree.root, Prec::Assign)
    }

    /// What passes said of an entry point: `[__stage_layout("triangles", "in")]`.
    fn made_attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes.iter().filter(|a| a.name.as_str().starts_with("__")) {
            let args = attribute.args.iter().filter_map(|arg| match arg {
                AttributeArg::Text(text) => Some(format!("{:?}", text.as_str())),
                _ => None,
            });
            let args: Vec<String> = args.collect();
            self.line(&format!("[{}({})]", attribute.name, args.join(", ")));
        }
    }

    fn function(&mut self, id: FunctionId) {
        let f = &self.program.functions[id];
        if let Some(entry) = self.program.entry_points.iter().find(|e| e.function == id) {
            self.line(&format!("[shader(\"{}\")]", entry.stage.name()));
            self.made_attributes(&f.attributes);
        }
        let params: Vec<String> = f.params.iter().map(|p| self.param(f, p)).collect();
        let owner = f.owner.map(|t| format!("{}::", type_text(self.program, t))).unwrap_or_default();
        let semantic = f.result_semantic.map(|s| format!(" : {}", s.text)).unwrap_or_default();
        let result = type_text(self.program, f.result);
        let head = format!("{result} {owner}{}({}){semantic}", f.name, params.join(", "));
        match &f.body {
            FunctionBody::Block => {
                self.line(&head);
                self.block(&f.code, &f.code.block);
            }
            FunctionBody::Intrinsic(t) => self.line(&format!("{head} = {:?};", template_text(t))),
            _ => self.line(&format!("{head};")),
        }
    }

    fn param(&self, f: &Function, p: &Param) -> String {
        let local = &f.code.locals[p.local];
        let mode = match p.mode {
            ParamMode::In => "",
            ParamMode::Out => "out ",
            ParamMode::InOut => "inout ",
            ParamMode::Ref => "__ref ",
        };
        let semantic = p.semantic.map(|s| format!(" : {}", s.text)).unwrap_or_default();
        let default = p.default.as_ref().map(|tree| format!(" = {}", self.value(tree))).unwrap_or_default();
        let declarator = self.declarator(local.ty, local.name.as_str());
        format!("{}{mode}{declarator}{semantic}{default}", Self::modifiers(p.modifiers))
    }

    fn block(&mut self, body: &Body, block: &Block) {
        self.line("{");
        self.indent += 1;
        block.stmts.iter().for_each(|s| self.stmt(body, s));
        self.indent -= 1;
        self.line("}");
    }

    fn expr(&self, body: &Body, id: ExprId) -> String {
        expr_text(self.program, &body.locals, &body.exprs, id)
    }

    /// A `Local` or `Expr` statement without its semicolon.
    fn simple(&self, body: &Body, stmt: &Stmt) -> String {
        match &stmt.kind {
            StmtKind::Local(l, init) => {
                let local = &body.locals[*l];
                let declared = self.declarator(local.ty, local.name.as_str());
                let head = if local.constant { "const " } else { "" };
                match init {
                    Some(e) => format!("{head}{declared} = {}", self.expr(body, *e)),
                    None => format!("{head}{declared}"),
                }
            }
            StmtKind::Expr(e) => self.expr(body, *e),
            _ => String::new(),
        }
    }

    fn unroll(&mut self, hints: &Hints) {
        match hints.unroll {
            Some(Some(rounds)) => self.line(&format!("[unroll({rounds})]")),
            Some(None) => self.line("[unroll]"),
            None => {}
        }
    }

    fn stmt(&mut self, body: &Body, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Local(..) | StmtKind::Expr(_) => {
                let text = self.simple(body, stmt);
                self.line(&format!("{text};"));
            }
            StmtKind::Block(b) => self.block(body, b),
            StmtKind::If(c, then, other, _) => {
                self.line(&format!("if ({})", self.expr(body, *c)));
                self.block(body, then);
                if let Some(other) = other {
                    self.line("else");
                    self.block(body, other);
                }
            }
            StmtKind::For(init, condition, step, b, hints) => {
                self.unroll(hints);
                let init: Vec<String> = init.iter().map(|s| self.simple(body, s)).collect();
                let opt = |e: &Option<ExprId>| e.map(|e| format!(" {}", self.expr(body, e))).unwrap_or_default();
                self.line(&format!("for ({};{};{})", init.join(", "), opt(condition), opt(step)));
                self.block(body, b);
            }
            StmtKind::While(c, b, hints) => {
                self.unroll(hints);
                self.line(&format!("while ({})", self.expr(body, *c)));
                self.block(body, b);
            }
            StmtKind::DoWhile(b, c, hints) => {
                self.unroll(hints);
                self.line("do");
                self.block(body, b);
                self.line(&format!("while ({});", self.expr(body, *c)));
            }
            StmtKind::Switch(e, cases, _) => self.switch(body, *e, cases),
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => self.line("continue;"),
            StmtKind::Return(Some(e)) => self.line(&format!("return {};", self.expr(body, *e))),
            StmtKind::Return(None) => self.line("return;"),
            StmtKind::Discard => self.line("discard;"),
            StmtKind::Intrinsic(t) => self.line(&format!("__intrinsic_asm {:?};", template_text(t))),
        }
    }

    fn switch(&mut self, body: &Body, e: ExprId, cases: &[SwitchCase]) {
        self.line(&format!("switch ({})", self.expr(body, e)));
        self.line("{");
        for case in cases {
            for label in &case.labels {
                match label {
                    Some(l) => self.line(&format!("case {}:", self.expr(body, *l))),
                    None => self.line("default:"),
                }
            }
            self.indent += 1;
            case.body.stmts.iter().for_each(|s| self.stmt(body, s));
            self.indent -= 1;
        }
        self.line("}");
    }
}

/// A template in its source form.
pub fn template_text(template: &Template) -> String {
    let mut text = String::new();
    for piece in &template.pieces {
        let _ = match piece {
            TemplatePiece::Text(t) => write!(text, "{}", t.replace('$', "$$")),
            TemplatePiece::Arg(n) => write!(text, "${n}"),
            TemplatePiece::Operand(n) => write!(text, "$({n})"),
            TemplatePiece::Address(n) => write!(text, "$&{n}"),
            TemplatePiece::Typed(n) => write!(text, "$L{n}"),
            TemplatePiece::TypeOf(n) => write!(text, "$T{n}"),
            TemplatePiece::ResultType => write!(text, "$TR"),
            TemplatePiece::Element(n) => write!(text, "$E{n}"),
            TemplatePiece::Sampler(n) => write!(text, "$S{n}"),
            TemplatePiece::Truncate => write!(text, "$z"),
            TemplatePiece::Rest(n) => write!(text, "$*{n}"),
        };
    }
    text
}

struct Exprs<'a> {
    program: &'a Program,
    names: &'a [Symbol],
    exprs: &'a ExprArena,
}

impl Exprs<'_> {
    fn list(&self, args: &[ExprId]) -> String {
        args.iter().map(|a| self.text(*a, Prec::Assign)).collect::<Vec<_>>().join(", ")
    }

    /// The text of an expression that stands where at least `min` is needed.
    fn text(&self, id: ExprId, min: Prec) -> String {
        let (own, text) = self.bare(id);
        if own < min { format!("({text})") } else { text }
    }

    /// The text of an expression that stands where more than `than` is needed.
    fn tighter(&self, id: ExprId, than: Prec) -> String {
        let (own, text) = self.bare(id);
        if own <= than { format!("({text})") } else { text }
    }

    fn literal(&self, literal: Literal, text: Option<Symbol>, ty: TypeId) -> String {
        let unsigned = self.program.types.component(ty).is_some_and(Scalar::is_unsigned);
        match (literal, text) {
            (Literal::Int(_) | Literal::Float(_), Some(text)) if let Some(digits) = shown(literal, text.as_str()) => {
                format!("{digits}{}", if unsigned { "u" } else { "" })
            }
            (Literal::Bool(b), _) => b.to_string(),
            (Literal::Int(i), _) if unsigned => format!("{}u", i as u64),
            (Literal::Int(i), _) => i.to_string(),
            (Literal::Float(f), _) => format!("{f:?}"),
            (Literal::Text(t), _) => format!("{:?}", t.as_str()),
        }
    }

    /// The text and how strongly it binds.
    fn bare(&self, id: ExprId) -> (Prec, String) {
        let expr = &self.exprs[id];
        let post = |e: ExprId| self.text(e, Prec::Postfix);
        let postfix = |text: String| (Prec::Postfix, text);
        match &expr.kind {
            ExprKind::Literal(l, text) => postfix(self.literal(*l, *text, expr.ty)),
            ExprKind::Local(l) => {
                postfix(self.names.get(l.index()).map_or_else(|| format!("local#{}", l.0), Symbol::to_string))
            }
            ExprKind::Global(g) => postfix(self.program.globals[*g].name.to_string()),
            ExprKind::EnumCase(e, i) => postfix(self.enum_case(*e, *i)),
            ExprKind::Field(a, i) => postfix(format!("{}.{}", post(*a), self.field(*a, *i))),
            ExprKind::Index(a, b) => postfix(format!("{}[{}]", post(*a), self.text(*b, Prec::Comma))),
            ExprKind::Contents(a) => postfix(post(*a)),
            ExprKind::Swizzle(a, s) => postfix(format!("{}.{}", post(*a), s.text())),
            ExprKind::MatrixSwizzle(a, list) => {
                let text: String = list.iter().map(|(r, c)| format!("_m{r}{c}")).collect();
                postfix(format!("{}.{text}", post(*a)))
            }
            ExprKind::Unary(op, a) => (Prec::Unary, format!("{}{}", op.spelling(), self.text(*a, Prec::Unary))),
            ExprKind::Binary(op, a, b) => {
                let own = Prec::of(*op);
                (own, format!("{} {} {}", self.text(*a, own), op.spelling(), self.tighter(*b, own)))
            }
            ExprKind::Select(c, a, b) => {
                let (c, a) = (self.text(*c, Prec::Or), self.text(*a, Prec::Ternary));
                (Prec::Ternary, format!("{c} ? {a} : {}", self.text(*b, Prec::Ternary)))
            }
            ExprKind::Assign(op, a, b) => {
                let op = op.map_or("", BinaryOp::spelling);
                let (a, b) = (self.text(*a, Prec::Unary), self.text(*b, Prec::Assign));
                (Prec::Assign, format!("{a} {op}= {b}"))
            }
            ExprKind::Step(up, prefix, a) => {
                let sign = if *up { "++" } else { "--" };
                if *prefix {
                    (Prec::Unary, format!("{sign}{}", post(*a)))
                } else {
                    postfix(format!("{}{sign}", post(*a)))
                }
            }
            ExprKind::Comma(a, b) => {
                (Prec::Comma, format!("{}, {}", self.text(*a, Prec::Comma), self.text(*b, Prec::Assign)))
            }
            ExprKind::Call(f, args) => postfix(self.call(*f, args)),
            ExprKind::Construct(parts) => match self.program.types.get(expr.ty) {
                Type::Array(..) | Type::Struct(_) => postfix(format!("{{{}}}", self.list(parts))),
                _ => postfix(format!("{}({})", type_text(self.program, expr.ty), self.list(parts))),
            },
            ExprKind::Convert(a, _) => {
                postfix(format!("{}({})", type_text(self.program, expr.ty), self.text(*a, Prec::Assign)))
            }
            ExprKind::Zero => (Prec::Unary, format!("({})0", type_text(self.program, expr.ty))),
            ExprKind::Property(p) => postfix(self.property(p)),
            ExprKind::Native(t, args) => {
                let separator = if args.is_empty() { "" } else { ", " };
                postfix(format!("#native({:?}{separator}{})", template_text(t), self.list(args)))
            }
            ExprKind::AddressOf(a) => (Prec::Unary, format!("&{}", self.text(*a, Prec::Unary))),
            ExprKind::Deref(a) => (Prec::Unary, format!("*{}", self.text(*a, Prec::Unary))),
        }
    }

    fn enum_case(&self, e: EnumId, index: u32) -> String {
        let e = &self.program.enums[e];
        let case = e.cases.get(index as usize).map_or(e.name, |c| c.name);
        if e.name.is_empty() { case.to_string() } else { format!("{}::{case}", e.name) }
    }

    fn field(&self, base: ExprId, index: u32) -> String {
        let field = self.program.field(self.exprs[base].ty, index);
        field.map_or_else(|| format!("field#{index}"), |f| f.name.to_string())
    }

    /// A call; methods are written with a dot.
    fn call(&self, f: FunctionId, args: &[ExprId]) -> String {
        let f = &self.program.functions[f];
        // A method's `this` is the parameter of that name.
        let is_method = f.is_method();
        match (args.split_first(), f.owner) {
            (Some((this, rest)), Some(_)) if is_method => {
                format!("{}.{}({})", self.text(*this, Prec::Postfix), f.name, self.list(rest))
            }
            (_, Some(owner)) if f.params.len() == args.len() && !f.builtin => {
                format!("{}::{}({})", type_text(self.program, owner), f.name, self.list(args))
            }
            _ => format!("{}({})", f.name, self.list(args)),
        }
    }

    fn property(&self, p: &Property) -> String {
        let name = p.get.or(p.reference).or(p.set).map(|f| self.program.functions[f].name);
        match p.args.split_first() {
            Some((this, index)) if !index.is_empty() => {
                format!("{}[{}]", self.text(*this, Prec::Postfix), self.list(index))
            }
            Some((this, _)) => {
                format!("{}.{}", self.text(*this, Prec::Postfix), name.map_or("", Symbol::as_str))
            }
            None => name.map_or(String::new(), |n| n.to_string()),
        }
    }
}

/// ` @align(16) @size(32)`: attributes that passes put on a field begin with two underscores.
fn placement(field: &Field) -> String {
    let mut text = String::new();
    for attribute in &field.attributes {
        if let (Some(name), [AttributeArg::Int(n)]) =
            (attribute.name.as_str().strip_prefix("__"), attribute.args.as_slice())
        {
            let _ = write!(text, " @{name}({n})");
        }
    }
    text
}

/// The digits of a literal as the source has them, where they say more than its value: `0xFF`, `2.20`.
fn shown(literal: Literal, text: &str) -> Option<&str> {
    let has_radix = text.get(..2).is_some_and(|start| matches!(start, "0x" | "0X" | "0b" | "0B"));
    match literal {
        Literal::Int(_) if has_radix => Some(text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z'])),
        Literal::Float(_) if !has_radix => {
            let digits = text.trim_end_matches(['f', 'F', 'h', 'H', 'l', 'L']);
            let is_usual = digits.starts_with(|c: char| c.is_ascii_digit()) && !digits.ends_with('.');
            (digits.contains('.') && is_usual).then_some(digits)
        }
        Literal::Int(_) | Literal::Float(_) | Literal::Bool(_) | Literal::Text(_) => None,
    }
}
