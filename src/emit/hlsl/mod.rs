//! HLSL: shader models 5.0 to 6.x, one file with all its entry points.

mod expr;
mod ray_payloads;
mod root_signature;
mod types;
mod untyped;

use super::context::{Context, Group, Spacing, footer, header, transparent_element};
use super::dialect::Spelling;
use super::marks::PieceKind;
use super::named::BREAK;
use super::writer::{Slot, Writer};
use crate::lex::Comment;
use crate::source::Span;
use crate::target::Capability;
use crate::target::invocation_modes::InvocationMode;
use crate::target::system_values::builtin_attribute;
use crate::tree::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The dialect.
struct Hlsl {
    /// `and`, `or` and `select` exist, and `&&`, `||`, `?:` take scalars only (HLSL 2021).
    has_select: bool,
}

/// The group of lines that the subobjects of state objects are: no kind of global has this number.
const SUBOBJECT_LINES: u8 = u8::MAX;

/// The text of a program, and the places between its declarations.
pub(super) fn emit(cx: &Context) -> (String, Vec<Slot>) {
    let has_select = cx.profile.version >= (6, 0) && cx.profile.has(Capability::VectorLogic);
    let dialect = Hlsl { has_select };
    let payloads = ray_payloads::structs(cx);
    let w = Writer::new(cx.options, &cx.marks, cx.head_origin());
    let mut file = HlslFile { cx, dialect, payloads, w };
    file.items();
    file.w.finish()
}

struct HlslFile<'a> {
    cx: &'a Context<'a>,
    dialect: Hlsl,
    /// The structs of the payloads of rays, where they say who uses them.
    payloads: FxHashSet<StructId>,
    w: Writer,
}

impl HlslFile<'_> {
    fn items(&mut self) {
        let mut spacing = Spacing::default();
        if header(self.cx, &mut self.w) {
            spacing.head();
        }
        if self.cx.program.default_matrix_order == MatrixOrder::Row {
            spacing.before(Group::Block, &mut self.w);
            self.w.line("#pragma pack_matrix(row_major)");
        }
        let cx = self.cx;
        self.w.slot(Span::default());
        let mut later: BTreeSet<StructId> = cx.printed().filter_map(|item| item.structure()).collect();
        for item in cx.printed() {
            spacing.before_item(cx, item, self.group(item), &mut self.w);
            self.w.from(cx.origin(item));
            match item {
                Item::Struct(id) => {
                    later.remove(&id);
                    self.announce(id, &later);
                    self.structure(id);
                }
                Item::Enum(id) => self.enumeration(&self.cx.program.enums[id]),
                Item::Global(id) => self.global(&self.cx.program.globals[id]),
                Item::Function(id) => match &cx.program.functions[id].outside {
                    Some(outside) => self.outside(id, &outside.comments),
                    None => self.function(id),
                },
            }
        }
        for subobject in &cx.program.subobjects {
            spacing.before(Group::Lines(SUBOBJECT_LINES), &mut self.w);
            self.w.from((subobject.span, PieceKind::Name));
            self.w.before(&subobject.comments);
            let Subobject { kind, name, values, .. } = subobject;
            let (head, tail) = (format!("{kind} {name} = {{ "), " };");
            let value = |value: &AttributeArg| match value {
                AttributeArg::Text(text) if subobject.is_signature() => {
                    root_signature::literal(text.as_str(), head.len() + tail.len())
                }
                _ => attribute_arg(value),
            };
            let values: Vec<String> = values.iter().map(value).collect();
            self.w.line(&format!("{head}{}{tail}", values.join(", ")));
        }
        footer(cx, &mut self.w);
    }

    fn group(&self, item: Item) -> Group {
        match item {
            Item::Global(id) => {
                let global = &self.cx.program.globals[id];
                match self.cx.program.types.get(global.ty) {
                    _ if transparent_element(self.cx.program, global).is_some() => Group::Block,
                    Type::ConstantBuffer(t, _) if !matches!(self.cx.program.types.get(t), Type::Struct(_)) => {
                        Group::Block
                    }
                    _ => Group::Lines(global.kind as u8),
                }
            }
            _ => Group::Block,
        }
    }

    fn structure(&mut self, id: StructId) {
        let structure = &self.cx.program.structs[id];
        self.w.before(&structure.comments);
        let base = structure.fields.iter().find(|field| field.is_base);
        let base = base.map(|base| format!(" : {}", self.dialect.type_name(self.cx, base.ty))).unwrap_or_default();
        self.w.open(&format!("struct {}{}{base}", self.payload_attribute(id), structure.name));
        self.members(id);
        self.cx.close(structure.span, ";", &mut self.w);
    }

    /// The members of a struct in the order of the source. A method stands apart from what is around it.
    fn members(&mut self, id: StructId) {
        let cx = self.cx;
        let fields = &cx.program.structs[id].fields;
        let others = self.functions_and_variables(id);
        let around = cx.inside.replace(others.first().and_then(|item| self.host(*item)));
        let mut others = others.into_iter().peekable();
        let own: Vec<&Field> = fields.iter().filter(|field| !field.is_base).collect();
        let mut own = own.as_slice();
        while let Some(field) = own.first() {
            while let Some(item) = others.next_if(|item| cx.trivia.is_before(self.declared_at(*item), field.span)) {
                self.member(item);
            }
            own = self.field(id, own, false);
        }
        others.for_each(|item| self.member(item));
        cx.inside.set(around);
    }

    /// The functions and static members in a struct in the order of the source.
    fn functions_and_variables(&self, id: StructId) -> Vec<Item> {
        let variables = self.cx.static_members(id).into_iter().map(Item::Global);
        let mut found: Vec<Item> = variables.chain(self.cx.methods(id).into_iter().map(Item::Function)).collect();
        found.sort_by_key(|item| self.cx.trivia.place_in_source(self.declared_at(*item)));
        found
    }

    /// The struct in which an item is declared.
    fn host(&self, item: Item) -> Option<TypeId> {
        match item {
            Item::Function(id) => self.cx.program.functions[id].owner,
            Item::Global(id) => self.cx.program.globals[id].member.as_ref().map(|member| member.of),
            Item::Struct(_) | Item::Enum(_) => None,
        }
    }

    /// Where an item is declared, wherever it is defined.
    fn declared_at(&self, item: Item) -> Span {
        match item {
            Item::Function(id) => self.cx.program.functions[id].span,
            Item::Global(id) => self.cx.program.globals[id].span,
            Item::Struct(id) => self.cx.program.structs[id].span,
            Item::Enum(id) => self.cx.program.enums[id].span,
        }
    }

    fn member(&mut self, item: Item) {
        match item {
            Item::Function(id) => self.method(id),
            Item::Global(id) => self.static_member(&self.cx.program.globals[id]),
            Item::Struct(_) | Item::Enum(_) => {}
        }
    }

    /// A static member in its struct: with its value, unless that is outside.
    fn static_member(&mut self, global: &Global) {
        if self.cx.trivia.is_blank_before(global.span) {
            self.w.blank();
        }
        let around = self.w.from((global.span, PieceKind::Name));
        self.cx.before_member(global.span, &global.comments, &mut self.w);
        let value = if global.is_inside() { self.value(global) } else { String::new() };
        let text = self.words(global) + &self.variable(global, global.name.as_str()) + &value;
        self.w.line(&format!("{text};"));
        self.w.after(&global.comments);
        self.w.from(around);
    }

    /// Announces structs that come later, if functions that a struct declares name them.
    fn announce(&mut self, id: StructId, later: &BTreeSet<StructId>) {
        let program = self.cx.program;
        let functions = self.cx.methods(id).into_iter().map(|id| &program.functions[id]);
        let types = functions.filter(|function| function.outside.is_some()).flat_map(|function| {
            let params = function.params.iter().map(|param| function.code.locals[param.local].ty);
            params.chain([function.result])
        });
        let structs = types.filter_map(|ty| match program.types.get(program.types.innermost(ty)) {
            Type::Struct(of) => later.contains(&of).then_some(of),
            _ => None,
        });
        let named: BTreeSet<StructId> = structs.collect();
        for of in &named {
            self.w.line(&format!("struct {};", program.structs[*of].name));
        }
        if !named.is_empty() {
            self.w.blank();
        }
    }

    /// A method that its struct only declares.
    fn outside(&mut self, id: FunctionId, comments: &[Comment]) {
        let (program, function) = (self.cx.program, &self.cx.program.functions[id]);
        self.w.before(comments);
        let of = function.owner.map(|owner| program.type_name(owner)).unwrap_or_default();
        let head = self.head(id, &format!("{of}::{}", function.name), false);
        self.cx.function_body(&self.dialect, &head, id, &mut self.w);
    }

    /// The declaration of a method in its struct.
    fn declaration(&mut self, id: FunctionId) {
        let function = &self.cx.program.functions[id];
        if self.cx.trivia.is_blank_before(function.span) {
            self.w.blank();
        }
        let around = self.w.from((function.span, PieceKind::Name));
        self.cx.before_member(function.span, &function.comments, &mut self.w);
        let head = self.head(id, function.name.as_str(), true);
        self.w.line(&format!("{head};"));
        self.w.after(&function.comments);
        self.w.from(around);
    }

    fn method(&mut self, id: FunctionId) {
        if self.cx.program.functions[id].outside.is_some() {
            return self.declaration(id);
        }
        self.w.blank();
        let around = self.w.from(self.cx.origin(Item::Function(id)));
        self.function(id);
        self.w.from(around);
        self.w.blank();
    }

    /// The fields; in a `cbuffer` with offsets to be written, each has its `packoffset`.
    fn fields(&mut self, id: StructId, in_block: bool) {
        let fields: Vec<&Field> = self.cx.program.structs[id].fields.iter().collect();
        let mut fields = fields.as_slice();
        while !fields.is_empty() {
            fields = self.field(id, fields, in_block);
        }
    }

    /// The first of several fields, and those behind it that the source declares with it. Gives what is left.
    fn field<'f>(&mut self, id: StructId, fields: &'f [&'f Field], in_block: bool) -> &'f [&'f Field] {
        let text = |field: &Field| self.field_text(id, field, in_block);
        let (Some(field), Some((text, count, behind))) = (fields.first(), self.cx.field_declaration(fields, &text))
        else {
            return &[];
        };
        self.cx.before_member(field.span, &field.comments, &mut self.w);
        let around = self.w.from((field.span, PieceKind::Name));
        self.w.line(&format!("{text};"));
        self.w.from(around);
        self.w.after(&field.comments);
        self.w.after(behind);
        fields.get(count..).unwrap_or_default()
    }

    fn field_text(&self, id: StructId, field: &Field, in_block: bool) -> String {
        // Nothing is interpolated in a block, and its members take no word for it.
        let mut text = if in_block { String::new() } else { self.builtin(&field.explicit) };
        text.push_str(&if in_block { String::new() } else { interpolation(field.modifiers) });
        text.push_str(self.matrix_order(field.ty, field.matrix_order));
        text.push_str(&types::variable(
            self.cx,
            &self.dialect,
            field.ty,
            (field.name.as_str(), field.span),
            field.modifiers,
        ));
        if let Some(semantic) = field.semantic {
            text.push_str(&format!(" : {}", semantic.text));
        }
        if let (true, Some(offset)) = (in_block, field.offset) {
            let component = ["", ".y", ".z", ".w"].get((offset % 16 / 4) as usize).unwrap_or(&"");
            text.push_str(&format!(" : packoffset(c{}{component})", offset / 16));
        }
        text + &self.payload_access((!in_block).then_some(id), field)
    }

    /// Whether a resource, or each of an array, can be written.
    fn is_written(&self, ty: TypeId) -> bool {
        let types = &self.cx.program.types;
        match types.get(types.innermost(ty)) {
            Type::Buffer(_, access, _) => access != Access::Read,
            Type::Texture(texture) => texture.access != Access::Read,
            _ => false,
        }
    }

    /// `row_major ` or `column_major `, where it is not the default of the file.
    fn matrix_order(&self, ty: TypeId, order: Option<MatrixOrder>) -> &'static str {
        let program = self.cx.program;
        let matrix = matches!(program.types.get(program.types.innermost(ty)), Type::Matrix(..));
        match order.filter(|o| matrix && *o != program.default_matrix_order) {
            Some(MatrixOrder::Row) => "row_major ",
            Some(MatrixOrder::Column) => "column_major ",
            None => "",
        }
    }

    fn enumeration(&mut self, e: &Enum) {
        self.w.before(&e.comments);
        let word = if e.strict { "enum class" } else { "enum" };
        // Numbers of other enums are of type `int`.
        let tag = if e.tag == Scalar::I32 { String::new() } else { format!(" : {}", e.tag.name()) };
        self.w.open(&format!("{word} {}{tag}", e.name));
        let mut next = 0_i64;
        for case in &e.cases {
            self.cx.before_member(case.span, &case.comments, &mut self.w);
            let value = match &case.written {
                // Cases before it are known here by their names.
                Some(tree) => {
                    let mut text = String::new();
                    let ex = self.cx.tree(&self.dialect, tree);
                    let mut print = || ex.value(tree.root, &mut text);
                    // What is large or negative may be so by the type of its numbers.
                    let is_whole = i32::try_from(case.value).is_ok_and(|value| value >= 0);
                    self.cx.macros.size(|| if is_whole { self.cx.whole_numbers(print) } else { print() });
                    format!(" = {}", text.replace(&format!("{}::", e.name), ""))
                }
                None if case.value == next => String::new(),
                None => {
                    let mut text = " = ".to_owned();
                    let none = ExprTree { exprs: ExprArena::default(), root: ExprId(0) };
                    self.cx.tree(&self.dialect, &none).push_literal(e.tag, Literal::Int(case.value), None, &mut text);
                    text
                }
            };
            next = case.value.wrapping_add(1);
            self.w.line(&format!("{}{value},", case.name));
            self.w.after(&case.comments);
        }
        self.cx.close(e.span, ";", &mut self.w);
    }

    fn global(&mut self, global: &Global) {
        if let Some(StaticMember { of, outside: Some(outside), .. }) = &global.member {
            self.w.before(&outside.comments);
            let name = format!("{}::{}", self.dialect.type_name(self.cx, *of), global.name);
            let text = self.words(global) + &self.variable(global, &name) + &self.value(global);
            return self.w.line(&format!("{text};"));
        }
        self.w.before(&global.comments);
        if let Some(id) = transparent_element(self.cx.program, global) {
            let buffer = matches!(self.cx.program.types.get(global.ty), Type::TextureBuffer(_));
            let word = if buffer { "tbuffer" } else { "cbuffer" };
            self.w.open(&format!("{word} {}{}", global.name, self.register(global)));
            self.fields(id, true);
            self.cx.close(global.span, "", &mut self.w);
            self.w.after(&global.comments);
            return;
        }
        if self.plain_block(global) {
            self.w.after(&global.comments);
            return;
        }
        let text = self.words(global)
            + &self.variable(global, global.name.as_str())
            + &self.register(global)
            + &self.value(global);
        self.w.line(&format!("{text};"));
        self.w.after(&global.comments);
    }

    /// The words before the type of a variable.
    fn words(&self, global: &Global) -> String {
        let mut text = match global.kind {
            GlobalKind::Static => "static ",
            GlobalKind::Const | GlobalKind::Specialization => "static const ",
            GlobalKind::Groupshared => "groupshared ",
            _ => "",
        }
        .to_owned();
        let words = [(Modifiers::GLOBALLYCOHERENT, "globallycoherent "), (Modifiers::PRECISE, "precise ")];
        // What is no resource that is written is coherent without the word, which is refused there.
        let says = |m: Modifiers| m != Modifiers::GLOBALLYCOHERENT || self.is_written(global.ty);
        for (_, word) in words.iter().filter(|(m, _)| global.modifiers.has(*m) && says(*m)) {
            text.push_str(word);
        }
        text.push_str(self.matrix_order(global.ty, global.matrix_order));
        text
    }

    /// A variable with its type.
    fn variable(&self, global: &Global, name: &str) -> String {
        types::variable(self.cx, &self.dialect, global.ty, (name, global.span), global.modifiers)
    }

    /// ` = 1` behind a variable that has a value.
    fn value(&self, global: &Global) -> String {
        global.init.as_ref().map(|init| self.default(init)).unwrap_or_default()
    }

    /// A constant buffer of something else than a struct: a `cbuffer` with one member, whose name is the buffer's.
    fn plain_block(&mut self, global: &Global) -> bool {
        let types = &self.cx.program.types;
        let (word, element) = match types.get(global.ty) {
            Type::ConstantBuffer(element, _) => ("cbuffer", element),
            Type::TextureBuffer(element) => ("tbuffer", element),
            _ => return false,
        };
        if let Type::Struct(_) = types.get(element) {
            return false;
        }
        let block = global.block.unwrap_or(global.name);
        self.w.open(&format!("{word} {block}{}", self.register(global)));
        let order = self.matrix_order(element, global.matrix_order);
        let member =
            types::variable(self.cx, &self.dialect, element, (global.name.as_str(), global.span), global.modifiers);
        self.w.line(&format!("{order}{member};"));
        self.w.close("");
        true
    }

    /// `[[vk::builtin("BaseInstance")]] `, where that is known.
    fn builtin(&self, explicit: &Explicit) -> String {
        let builtin = explicit.builtin.filter(|_| self.cx.profile.has(Capability::VulkanBuiltins));
        let attribute = builtin.and_then(|name| builtin_attribute(name.as_str()));
        attribute.map(|attribute| format!("[[{attribute}]] ")).unwrap_or_default()
    }

    /// ` : register(t0, space1)`.
    fn register(&self, global: &Global) -> String {
        let Some(Binding { class, index, space }) = global.binding else { return String::new() };
        let class = class.unwrap_or('b');
        match space {
            0 => format!(" : register({class}{index})"),
            _ => format!(" : register({class}{index}, space{space})"),
        }
    }

    fn function(&mut self, id: FunctionId) {
        let function = &self.cx.program.functions[id];
        let result = self.result(function);
        self.w.before(&function.comments);
        if let Some(entry) = self.cx.entry_of(id) {
            self.entry_attributes(function, entry);
            let builtin = self.builtin(&function.result_explicit);
            if !builtin.is_empty() {
                self.w.line(builtin.trim_end());
            }
        }
        let head = self.head_of(id, &result, function.name.as_str(), true);
        self.cx.function_body(&self.dialect, &head, id, &mut self.w);
    }

    /// The head of a method by a name. Where it is declared it has words and values that its definition does not repeat.
    fn head(&mut self, id: FunctionId, name: &str, is_declared: bool) -> String {
        let result = self.result(&self.cx.program.functions[id]);
        self.head_of(id, &result, name, is_declared)
    }

    fn head_of(&self, id: FunctionId, result: &str, name: &str, is_declared: bool) -> String {
        let cx = self.cx;
        let function = &cx.program.functions[id];
        let is_entry = self.cx.entry_of(id).is_some();
        let defaults = if is_entry || !is_declared { 0 } else { cx.defaults(function) };
        let declared = function.params.len() - defaults;
        let params = self.cx.params(id, &|index, p| {
            let default = p.default.as_ref().filter(|_| index >= declared);
            self.param(function, p, is_entry) + &default.map(|tree| self.default(tree)).unwrap_or_default()
        });
        let semantic = function.result_semantic.map(|s| format!(" : {}", s.text)).unwrap_or_default();
        let precise = if function.modifiers.has(Modifiers::PRECISE) { "precise " } else { "" };
        let order = self.matrix_order(function.result, function.result_order.filter(|_| is_entry));
        let word = if is_declared && function.member == Member::Static { "static " } else { "" };
        format!("{word}{precise}{order}{result} {name}{params}{semantic}")
    }

    /// ` = 0.5` behind a parameter or variable.
    fn default(&self, tree: &ExprTree) -> String {
        let mut text = " = ".to_owned();
        self.cx.tree(&self.dialect, tree).first_value(tree.root, &mut text);
        text
    }

    /// The type of a function's result. Brackets cannot stand there, so an array gets a name.
    fn result(&mut self, function: &Function) -> String {
        if !matches!(self.cx.program.types.get(function.result), Type::Array(..)) {
            let text = self.dialect.type_name(self.cx, function.result);
            return self.cx.declared_type(function.span, function.result, text);
        }
        let mut name = format!("{}_result", function.name);
        while self.is_declared(&name) {
            name.push('_');
        }
        let declared =
            types::variable(self.cx, &self.dialect, function.result, (&name, Span::default()), Modifiers::default());
        self.w.line(&format!("typedef {declared};"));
        name
    }

    fn is_declared(&self, name: &str) -> bool {
        let program = self.cx.program;
        self.cx.items.iter().any(|item| match *item {
            Item::Struct(id) => program.structs[id].name == name,
            Item::Enum(id) => program.enums[id].name == name,
            Item::Global(id) => program.globals[id].name == name,
            Item::Function(id) => program.functions[id].name == name,
        })
    }

    fn param(&self, function: &Function, param: &Param, is_entry: bool) -> String {
        let (program, local) = (self.cx.program, &function.code.locals[param.local]);
        let mut text = self.builtin(&param.explicit) + &interpolation(param.modifiers);
        let words = [
            (Modifiers::POINT, "point "),
            (Modifiers::LINE, "line "),
            (Modifiers::TRIANGLE, "triangle "),
            (Modifiers::LINEADJ, "lineadj "),
            (Modifiers::TRIANGLEADJ, "triangleadj "),
        ];
        words.iter().filter(|(m, _)| param.modifiers.has(*m)).for_each(|(_, word)| text.push_str(word));
        // Words that mean nothing to who calls. That of a payload has `in` already.
        let is_kept = |word: &str| match word {
            "in" => !param.modifiers.has(Modifiers::PAYLOAD),
            "const" => local.constant,
            "uniform" => !is_entry,
            _ => false,
        };
        let said = self.cx.trivia.words_of_parameter(local.span).filter(|word| is_kept(word));
        let said: String = said.flat_map(|word| [word, " "]).collect();
        text.push_str(match param.mode {
            // DXC wants the word at streams, whatever is done with them.
            ParamMode::In if matches!(program.types.get(local.ty), Type::Stream(..)) => "inout ",
            ParamMode::In => &said,
            ParamMode::Out => "out ",
            ParamMode::InOut | ParamMode::Ref => "inout ",
        });
        let words = [
            (Modifiers::VERTICES, "vertices "),
            (Modifiers::INDICES, "indices "),
            (Modifiers::PRIMITIVES, "primitives "),
            (Modifiers::PAYLOAD, "in payload "),
        ];
        words.iter().filter(|(m, _)| param.modifiers.has(*m)).for_each(|(_, word)| text.push_str(word));
        text.push_str(match program.types.get(local.ty) {
            Type::MeshOutput(MeshOutputKind::Vertices, ..) => "out vertices ",
            Type::MeshOutput(MeshOutputKind::Indices, ..) => "out indices ",
            Type::MeshOutput(MeshOutputKind::Primitives, ..) => "out primitives ",
            _ => "",
        });
        // Elsewhere it is a matter of the callee alone, and means nothing.
        if is_entry {
            text.push_str(self.matrix_order(local.ty, param.matrix_order));
        }
        text.push_str(&types::variable(
            self.cx,
            &self.dialect,
            local.ty,
            (local.name.as_str(), local.span),
            param.modifiers,
        ));
        if let Type::MeshOutput(_, _, count) = program.types.get(local.ty) {
            let count = self.cx.number(&self.dialect, (local.span, 0, 1), count.into());
            text.push_str(&format!("[{count}]"));
        }
        if let Some(semantic) = param.semantic {
            text.push_str(&format!(" : {}", semantic.text));
        }
        text
    }

    /// The attributes of an entry point that HLSL knows.
    fn entry_attributes(&mut self, function: &Function, entry: &EntryPoint) {
        // With the stages that have them; none for all.
        const KNOWN: &[(&str, &[Stage])] = &[
            ("domain", &[Stage::Hull, Stage::Domain]),
            ("earlydepthstencil", &[Stage::Fragment]),
            ("instance", &[Stage::Geometry]),
            ("maxtessfactor", &[Stage::Hull]),
            ("maxvertexcount", &[Stage::Geometry]),
            ("outputcontrolpoints", &[Stage::Hull]),
            ("outputtopology", &[Stage::Hull, Stage::Mesh]),
            ("partitioning", &[Stage::Hull]),
            ("patchconstantfunc", &[Stage::Hull]),
            ("rootsignature", &[]),
            ("wavesize", &[Stage::Compute]),
        ];
        for mode in InvocationMode::had(&function.attributes, entry.stage, self.cx.profile) {
            self.w.line(&format!("[{}]", mode.name));
        }
        for attribute in &function.attributes {
            let name = attribute.name.as_str();
            let lower = name.to_ascii_lowercase();
            let of_stage = |stages: &[Stage]| stages.is_empty() || stages.contains(&entry.stage);
            if KNOWN.iter().any(|(known, stages)| *known == lower && of_stage(stages)) {
                let name = match lower.as_str() {
                    "wavesize" => "WaveSize",
                    "rootsignature" => "RootSignature",
                    other => other,
                };
                let args: Vec<String> = match entry.patch_constant {
                    Some(f) if lower == "patchconstantfunc" => {
                        vec![format!("\"{}\"", self.cx.program.functions[f].name)]
                    }
                    _ => self.attribute_args(&lower, attribute),
                };
                let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
                self.w.line(&format!("[{name}{args}]"));
            } else if lower == "shader" && self.cx.profile.version >= (6, 0) {
                self.w.line(&format!("[shader(\"{}\")]", stage_name(entry.stage)));
            }
        }
        if matches!(entry.stage, Stage::Compute | Stage::Mesh | Stage::Amplification) {
            let [x, y, z] = self.cx.group_size(&self.dialect, entry);
            self.w.line(&format!("[numthreads({x}, {y}, {z})]"));
        }
    }

    /// The arguments of an attribute of an entry point, by its name in lower case.
    fn attribute_args(&self, name: &str, attribute: &Attribute) -> Vec<String> {
        let args = attribute.args.iter().enumerate().map(|(at, arg)| match arg {
            AttributeArg::Int(n) => self.cx.number(&self.dialect, (attribute.span, at, attribute.args.len()), *n),
            other => self.by_macro(attribute, &entry_argument(name, other)),
        });
        args.collect()
    }

    /// The argument of an attribute, by the macro that it comes from.
    fn by_macro(&self, attribute: &Attribute, text: &str) -> String {
        let Some(span) = attribute.written else { return text.to_owned() };
        let mut out = String::new();
        self.cx.macros.write_name(&self.cx.trivia, span, &text.replace('\n', &BREAK.to_string()), &mut out);
        out.replace(BREAK, "\n")
    }
}

/// An argument of an attribute of an entry point, by its name in lower case.
fn entry_argument(attribute: &str, arg: &AttributeArg) -> String {
    match arg {
        AttributeArg::Text(text) if attribute == "rootsignature" => {
            root_signature::literal(text.as_str(), "[RootSignature()]".len())
        }
        _ => attribute_arg(arg),
    }
}

fn attribute_arg(arg: &AttributeArg) -> String {
    match arg {
        AttributeArg::Int(n) => n.to_string(),
        AttributeArg::Float(f) => format!("{f:?}"),
        AttributeArg::Text(text) => super::literal::quoted(text.as_str()),
        AttributeArg::Name(name) => name.to_string(),
    }
}

/// HLSL's own name of a stage.
fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Fragment => "pixel",
        other => other.name(),
    }
}

/// Interpolation modifiers before a type.
fn interpolation(modifiers: Modifiers) -> String {
    const WORDS: &[(Modifiers, &str)] = &[
        (Modifiers::PRECISE, "precise "),
        (Modifiers::NOINTERPOLATION, "nointerpolation "),
        (Modifiers::LINEAR, "linear "),
        (Modifiers::CENTROID, "centroid "),
        (Modifiers::NOPERSPECTIVE, "noperspective "),
        (Modifiers::SAMPLE, "sample "),
    ];
    WORDS.iter().filter(|(m, _)| modifiers.has(*m)).map(|(_, word)| *word).collect()
}
