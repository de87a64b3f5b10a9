//! What a generated program declares for the module: structs, static variables, functions, resources, and the entry function.

use super::families;
use super::features::Feature;
use super::generator::{Access, Function, Generator, Mode, Variable};
use super::statements::with_braces;
use super::tree::{Kind, Part, Tree};
use super::types::{Field, Range, Scalar, Struct, Type};
use std::rc::Rc;

/// A buffer that a program reads or writes besides those of its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffer {
    Constant,
    Structured,
    /// Read and written, and compared afterwards.
    Writable,
    /// The same, of bytes.
    Bytes,
}

impl Buffer {
    /// Whether what it holds in the end is compared.
    pub fn is_read(self) -> bool {
        matches!(self, Buffer::Writable | Buffer::Bytes)
    }
}

/// A program: the function that the entry point of its file calls, with all it needs.
pub struct Program {
    pub tree: Tree,
    /// The function: `void name(uint thread)`.
    pub entry: String,
    /// Buffers by the binding counted from the first one of the program.
    pub buffers: Vec<Buffer>,
    /// Whether DXC means something else by it than the language does.
    pub leaves_out: bool,
}

/// Words that a program may write for each thread.
pub const RESULTS: u64 = 40;

/// Threads of a group; there is one group.
pub const THREADS: u64 = 4;

/// Bindings that a program may use.
pub const BINDINGS: u32 = 5;

impl Generator {
    /// A whole program, whose buffers begin at a binding.
    pub fn program(mut self, first_binding: u32) -> Program {
        for _ in 0..self.below(4) {
            if self.features.has(Feature::Structs) {
                self.structure();
            }
        }
        let buffers = if self.features.has(Feature::Buffers) { self.buffers(first_binding) } else { Vec::new() };
        for _ in 0..self.below(4) {
            self.static_variable();
        }
        if self.features.has(Feature::Families) {
            if self.is_slang() {
                self.slang_declarations();
            } else {
                self.hlsl_declarations();
            }
            for _ in 0..self.below(4) {
                self.family();
            }
        }
        for _ in 0..1 + self.below(4) {
            self.function(None);
        }
        let entry = self.entry();
        let parts = std::mem::take(&mut self.declarations).into_iter().map(Part::Tree).collect();
        Program { tree: Tree::new(Kind::Fixed, parts), entry, buffers, leaves_out: self.leaves_out }
    }

    /// A part of the language by its text, and its functions.
    fn family(&mut self) {
        let all: Vec<families::Family> = families::of(self.dialect, self.slangc).collect();
        let family = self.pick(&all);
        let ending = self.module_name("");
        let mut text = String::new();
        for c in family.text.chars() {
            match c {
                '@' => text.push_str(&ending),
                '#' => text.push_str(&(1 + self.below(29)).to_string()),
                c => text.push(c),
            }
        }
        self.add(Tree::text(Kind::Declaration, text));
        for (name, parameters, result) in family.functions.iter().filter_map(|f| families::signature(f)) {
            let name = name.replace('@', &ending);
            let function = Function {
                name,
                receiver: None,
                parameters,
                result: Some(result),
                effects: false,
                mentions: false,
                cost: 30,
            };
            self.functions.push(function);
        }
    }

    pub fn add(&mut self, tree: Tree) {
        self.declarations.push(Tree { kind: Kind::Declaration, ..tree });
    }

    /// A struct, sometimes with methods.
    fn structure(&mut self) {
        let name = self.module_name("S");
        let count = 1 + self.below(5);
        let fields: Vec<Field> = (0..count).map(|i| self.field(i)).collect();
        let of = Rc::new(Struct { name, fields });
        self.structs.push(of.clone());
        let lines: Vec<String> = of.fields.iter().map(field_line).collect();
        let mut parts = vec![Part::Text(format!("struct {}\n{{\n{}", of.name, lines.concat()))];
        for _ in 0..self.below(3) {
            parts.extend(self.function(Some(&of)).map(Part::Tree));
        }
        parts.push(Part::Text("};\n".into()));
        self.add(Tree::new(Kind::Declaration, parts));
    }

    fn field(&mut self, index: u64) -> Field {
        const NAMES: [&str; 8] = ["position", "x", "length", "weight", "m", "data", "flags", "next"];
        let ty = match self.any_type(2) {
            // Bits of a Boolean in memory differ among targets.
            Type::Vector(Scalar::Bool, n) => Type::Vector(Scalar::Uint, n),
            Type::Array(element, n) if *element == Type::scalar(Scalar::Bool) => {
                Type::Array(Box::new(Type::scalar(Scalar::Int)), n)
            }
            other => other,
        };
        let ty = if holds_bool(&ty) { Type::Vector(Scalar::Int, 3) } else { ty };
        // slangc stores integer matrices by rows whatever they say, and DXC refuses those by columns.
        let ty = match ty {
            Type::Matrix(Scalar::Int, rows, columns) if self.chance(90) => Type::Matrix(Scalar::Float, rows, columns),
            Type::Array(element, n) if matches!(*element, Type::Matrix(Scalar::Int, ..)) => {
                Type::Array(Box::new(Type::Vector(Scalar::Int, 3)), n)
            }
            // DXC's SPIR-V does not say how those are stored.
            Type::Array(element, n) if matches!(&*element, Type::Array(inner, _) if matches!(**inner, Type::Matrix(..))) => {
                Type::Array(Box::new(Type::Vector(Scalar::Float, 3)), n)
            }
            other => other,
        };
        let matrix = matches!(&ty, Type::Matrix(..));
        let modifier = match &ty {
            Type::Matrix(Scalar::Float, ..) => self.pick(&["", "row_major ", "column_major "]),
            _ if matrix => "row_major ",
            _ => "",
        };
        Field { name: format!("{}{index}", self.pick(&NAMES)), ty, modifier }
    }

    fn buffers(&mut self, first: u32) -> Vec<Buffer> {
        let mut made = Vec::new();
        if self.chance(25) {
            let name = self.module_name("bytes");
            let text = format!("[[vk::binding({first}, 0)]] RWByteAddressBuffer {name} : register(u{first});\n");
            self.add(Tree::text(Kind::Declaration, text));
            self.bytes = Some(name);
            made.push(Buffer::Bytes);
        }
        if self.chance(35) {
            self.block_of_constants(first, &mut made);
        }
        self.structured_buffers(first, &mut made);
        if made.iter().any(|k| *k != Buffer::Constant) {
            // What indexes them; the entry function sets it.
            self.add(Tree::text(Kind::Declaration, format!("static uint thread_{} = 0u;\n", self.suffix)));
        }
        made
    }

    /// `cbuffer`: its members are variables of the module.
    fn block_of_constants(&mut self, first: u32, made: &mut Vec<Buffer>) {
        let binding = first + made.len() as u32;
        let mut lines = String::new();
        for index in 0..1 + self.below(6) {
            let field = self.field(index);
            let ty = match field.ty {
                Type::Vector(Scalar::Uint, count) if self.chance(30) => Type::Vector(Scalar::Bool, count),
                other => other,
            };
            let name = self.module_name("member");
            lines.push_str(&format!("{}{};\n", field.modifier, ty.declare(&name)));
            self.declare(&name, ty, Access::Read);
        }
        let name = self.module_name("Block");
        let text = format!("[[vk::binding({binding}, 0)]] cbuffer {name} : register(b{binding})\n{{\n{lines}}}\n");
        self.add(Tree::text(Kind::Declaration, text));
        made.push(Buffer::Constant);
    }

    fn structured_buffers(&mut self, first: u32, made: &mut Vec<Buffer>) {
        for kind in [Buffer::Constant, Buffer::Structured, Buffer::Writable] {
            if !self.chance(35) {
                continue;
            }
            let binding = first + made.len() as u32;
            let of = match kind {
                Buffer::Structured | Buffer::Writable if self.chance(30) || self.structs.is_empty() => self.element(),
                Buffer::Constant if self.structs.is_empty() => continue,
                Buffer::Constant | Buffer::Structured | Buffer::Writable | Buffer::Bytes => {
                    let structs = self.structs.clone();
                    Type::Struct(self.pick(&structs))
                }
            };
            let name = self.module_name("buffer");
            let (ty, register, access) = match kind {
                Buffer::Constant => ("ConstantBuffer", 'b', Access::Read),
                Buffer::Structured => ("StructuredBuffer", 't', Access::Read),
                Buffer::Writable | Buffer::Bytes => ("RWStructuredBuffer", 'u', Access::Write),
            };
            let text =
                format!("[[vk::binding({binding}, 0)]] {ty}<{}> {name} : register({register}{binding});\n", of.name());
            self.add(Tree::text(Kind::Declaration, text));
            // Each thread has an element of its own.
            let (name, access) = match kind {
                Buffer::Constant => (name, access),
                Buffer::Structured | Buffer::Writable | Buffer::Bytes => {
                    (format!("{name}[thread_{}]", self.suffix), access)
                }
            };
            self.declare(&name, of, access);
            made.push(kind);
        }
    }

    /// An element of a buffer that is no struct.
    fn element(&mut self) -> Type {
        match self.below(4) {
            0 => Type::Matrix(Scalar::Float, 2 + self.below(3) as u8, 2 + self.below(3) as u8),
            _ => {
                let scalar = self.pick(&[Scalar::Int, Scalar::Uint, Scalar::Float]);
                Type::Vector(scalar, 1 + self.below(4) as u8)
            }
        }
    }

    fn static_variable(&mut self) {
        let ty = self.any_type(1);
        let constant = self.chance(35);
        let visible = std::mem::take(&mut self.scopes);
        self.scopes = vec![Vec::new()];
        let functions = std::mem::take(&mut self.functions);
        let initializer = self.constant_initializer(&ty);
        self.functions = functions;
        self.scopes = visible;
        let name = self.module_name("g");
        let word = if constant { "static const" } else { "static" };
        self.add(Tree::text(Kind::Declaration, format!("{word} {} = {initializer};\n", ty.declare(&name))));
        self.declare(&name, ty, if constant { Access::Read } else { Access::Write });
    }

    fn constant_initializer(&mut self, ty: &Type) -> String {
        match ty {
            Type::Array(element, count) => {
                let parts: Vec<String> = (0..*count).map(|_| self.constant_initializer(element)).collect();
                format!("{{ {} }}", parts.join(", "))
            }
            Type::Struct(of) => {
                let of = of.clone();
                let parts: Vec<String> = of.fields.iter().map(|f| self.constant_initializer(&f.ty)).collect();
                format!("{{ {} }}", parts.join(", "))
            }
            Type::Vector(..) | Type::Matrix(..) => {
                let mut text = String::new();
                if let Some(value) = self.value(ty, 0) {
                    value.tree.print(&mut text);
                }
                text
            }
        }
    }

    /// A function, which others may call from then on; a method of a struct is given back instead of declared.
    pub fn function(&mut self, of: Option<&Rc<Struct>>) -> Option<Tree> {
        // Overloads: some functions share their name.
        let name = match self.functions.last().map(|f| f.name.clone()) {
            Some(last) if of.is_none() && self.chance(25) => last,
            _ => self.module_name("f"),
        };
        let parameters: Vec<(Mode, Type)> = (0..self.below(4)).map(|_| (self.mode(), self.any_type(1))).collect();
        let same = |f: &Function| f.name == name && f.receiver.is_none();
        // Overloads differ in the number of parameters: how close two types are is a matter of its own.
        let taken = self.functions.iter().any(|f| same(f) && f.parameters.len() == parameters.len());
        let name = if taken { self.module_name("f") } else { name };
        let result = if self.chance(80) { Some(self.result_type()) } else { None };
        // slangc wants an attribute for it in HLSL, too.
        let mutating = of.is_some() && self.chance(if self.is_slang() { 60 } else { 5 });
        let (body, (effects, mentions), cost) = self.body(&parameters, result.clone(), of.map(|s| (s, mutating)));
        let listed: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(i, (m, t))| format!("{}{}", m.word(), t.declare(&format!("p{i}"))))
            .collect();
        let attribute = if mutating && self.is_slang() { "[mutating] " } else { "" };
        let result_name = result.as_ref().map_or("void".into(), Type::name);
        let head = format!("{attribute}{result_name} {name}({})\n{{}}", listed.join(", "));
        let tree = Tree::pattern(Kind::Declaration, &head, vec![body]);
        let receiver = of.map(|s| Type::Struct(s.clone()));
        self.functions.push(Function { name, receiver, parameters, result, effects, mentions, cost });
        match of {
            Some(_) => Some(tree),
            None => {
                self.add(tree);
                None
            }
        }
    }

    fn mode(&mut self) -> Mode {
        if !self.features.has(Feature::OutParameters) {
            return Mode::In;
        }
        self.pick(&[Mode::In, Mode::In, Mode::In, Mode::InOut, Mode::Out])
    }

    /// Anything that a function can give.
    fn result_type(&mut self) -> Type {
        match self.any_type(1) {
            Type::Array(element, _) => *element,
            other => other,
        }
    }

    /// The body of a function, whether it writes and mentions what is not its own, and what a call costs.
    pub fn body(
        &mut self,
        parameters: &[(Mode, Type)],
        result: Option<Type>,
        of: Option<(&Rc<Struct>, bool)>,
    ) -> (Tree, (bool, bool), u64) {
        let mentions = std::mem::take(&mut self.mentions);
        let outer = (self.cost, self.effects, self.repeated, std::mem::take(&mut self.enclosing), self.result.take());
        (self.cost, self.effects, self.repeated, self.result) = (0, false, 1, result);
        // A method does not see the variables of the module: a field might have the name of one.
        let mut members = Vec::new();
        if let Some((of, mutating)) = of {
            let access = if mutating { Access::Write } else { Access::Read };
            members.extend(of.fields.iter().map(|f| Variable { name: f.name.clone(), ty: f.ty.clone(), access }));
        }
        self.scopes.push(members);
        self.scopes.push(Vec::new());
        let mut first = String::new();
        for (index, (mode, ty)) in parameters.iter().enumerate() {
            let name = format!("p{index}");
            self.declare(&name, ty.clone(), Access::Write);
            if *mode == Mode::Out {
                first.push_str(&self.zeroed(&name, ty));
            }
        }
        let count = 1 + self.below(6);
        let statements = self.statements(count, 2);
        let last = self.final_return();
        self.scopes.pop();
        self.scopes.pop();
        let mut parts = vec![Part::Text(format!("{{\n{first}"))];
        parts.extend(statements.into_iter().chain(last).map(Part::Tree));
        parts.push(Part::Text("}\n".into()));
        let done = (Tree::new(Kind::Fixed, parts), (self.effects, self.mentions), self.cost + 1);
        self.mentions = mentions;
        (self.cost, self.effects, self.repeated, self.enclosing, self.result) = outer;
        done
    }

    /// Statements that give a variable its first value.
    fn zeroed(&mut self, name: &str, ty: &Type) -> String {
        match ty {
            Type::Array(element, count) => (0..*count).map(|i| self.zeroed(&format!("{name}[{i}]"), element)).collect(),
            other => format!("{name} = {};\n", other.zero().unwrap_or_default()),
        }
    }

    /// The function that the entry point calls for each thread.
    fn entry(&mut self) -> String {
        let name = format!("program_{}", self.suffix);
        self.scopes.push(Vec::new());
        self.declare("thread", Type::scalar(Scalar::Uint), Access::Constant);
        self.cost = 0;
        let mut statements = Vec::new();
        for index in 0..3 {
            let (ty, text) = self.input(index);
            let local = self.local_name();
            let text = format!("{} = {text};\n", ty.declare(&local));
            statements.push(Tree::text(Kind::Statement, text));
            self.declare(&local, ty, Access::Write);
        }
        let count = 4 + self.below(8);
        statements.extend(self.statements(count, 3));
        if self.chance(25) {
            statements.extend(self.exchange());
        }
        statements.extend(self.results());
        self.scopes.pop();
        let mut parts = vec![Part::Text(format!("void {name}(uint thread)\n{{\n"))];
        if self
            .declarations
            .iter()
            .any(|d| matches!(d.parts.first(), Some(Part::Text(t)) if t.starts_with("static uint thread_")))
        {
            parts.push(Part::Text(format!("thread_{} = thread;\n", self.suffix)));
        }
        parts.extend(statements.into_iter().map(Part::Tree));
        parts.push(Part::Text("}\n".into()));
        self.add(Tree::new(Kind::Fixed, parts));
        name
    }

    /// A value that differs among threads, and that no compiler knows.
    fn input(&mut self, index: u32) -> (Type, String) {
        let at = self.below(16);
        let word = format!("input[(thread * 16u + {at}u) & 63u]");
        match index {
            0 => (Type::scalar(Scalar::Uint), word),
            1 => (Type::scalar(Scalar::Int), format!("int({word})")),
            _ => (Type::scalar(Scalar::Float), format!("float(int({word} & 127u) - 40)")),
        }
    }

    /// A value of another thread, through memory of the group.
    fn exchange(&mut self) -> Vec<Tree> {
        let structs = self.structs.clone();
        let ty = match self.below(10) {
            0 | 1 if !structs.is_empty() => Type::Struct(self.pick(&structs)),
            _ => self.element(),
        };
        let shared = self.module_name("shared");
        self.add(Tree::text(Kind::Declaration, format!("groupshared {} {shared}[{THREADS}];\n", ty.name())));
        let Some(value) = self.value(&ty, 3) else { return Vec::new() };
        let value = self.stored(value);
        let local = self.local_name();
        let distance = 1 + self.below(THREADS - 1);
        self.declare(&local, ty.clone(), Access::Write);
        let pattern = format!(
            "GroupMemoryBarrierWithGroupSync();\n{shared}[thread] = {{}};\nGroupMemoryBarrierWithGroupSync();\n{} = {shared}[(thread + {distance}u) & {}u];\n",
            ty.declare(&local),
            THREADS - 1,
        );
        let mut trees = vec![Tree::pattern(Kind::Statement, &pattern, vec![value.tree])];
        if self.chance(40) {
            trees.push(self.atomics());
        }
        trees
    }

    /// What all threads do to a variable of the group, in whatever order.
    fn atomics(&mut self) -> Tree {
        let scalar = self.pick(&[Scalar::Int, Scalar::Uint]);
        let shared = self.module_name("atomic");
        self.add(Tree::text(Kind::Declaration, format!("groupshared {} {shared}[2];\n", scalar.name())));
        let operation = self.pick(&["Add", "Min", "Max", "And", "Or", "Xor"]);
        let value = self.number(scalar, 1, 3);
        let local = self.local_name();
        self.declare(&local, Type::scalar(scalar), Access::Write);
        let pattern = format!(
            "if (thread < 2u) {shared}[thread] = {};\nGroupMemoryBarrierWithGroupSync();\nInterlocked{operation}({shared}[thread & 1u], {{}});\nGroupMemoryBarrierWithGroupSync();\n{} {local} = {shared}[thread >> 1];\n",
            self.below(90),
            scalar.name(),
        );
        Tree::pattern(Kind::Statement, &pattern, vec![value.tree])
    }

    /// Writes what the variables hold at the end.
    fn results(&mut self) -> Vec<Tree> {
        let variables: Vec<Variable> = self.visible().into_iter().map(|(v, _)| v.clone()).collect();
        let mut words = Vec::new();
        for variable in variables {
            words_of(&variable.name, &variable.ty, &mut words);
        }
        let store = |(index, word): (usize, String)| {
            Tree::text(Kind::Statement, format!("put_{}(thread, {index}u, {word});\n", self.suffix))
        };
        words.into_iter().take(RESULTS as usize).enumerate().map(store).collect()
    }
}

/// The words of a value, one a number. Floats are exact multiples of a quarter: their bits would tell two zeros apart.
fn words_of(text: &str, ty: &Type, words: &mut Vec<String>) {
    match ty {
        Type::Vector(scalar, 1) => words.push(match scalar {
            Scalar::Uint => text.to_owned(),
            Scalar::Int => format!("asuint({text})"),
            Scalar::Bool => format!("({text} ? 1u : 0u)"),
            Scalar::Float => format!("asuint(int({text} * 4.0))"),
        }),
        Type::Vector(scalar, count) => {
            for letter in ["x", "y", "z", "w"].iter().take(usize::from(*count)) {
                words_of(&format!("{text}.{letter}"), &Type::scalar(*scalar), words);
            }
        }
        Type::Matrix(scalar, rows, columns) => {
            for (row, column) in (0..*rows).flat_map(|r| (0..*columns).map(move |c| (r, c))) {
                words_of(&format!("{text}[{row}][{column}]"), &Type::scalar(*scalar), words);
            }
        }
        Type::Array(element, count) => (0..*count).for_each(|i| words_of(&format!("{text}[{i}]"), element, words)),
        Type::Struct(of) => of.fields.iter().for_each(|f| words_of(&format!("{text}.{}", f.name), &f.ty, words)),
    }
}

fn holds_bool(ty: &Type) -> bool {
    match ty {
        Type::Vector(scalar, _) | Type::Matrix(scalar, ..) => *scalar == Scalar::Bool,
        Type::Array(element, _) => holds_bool(element),
        Type::Struct(of) => of.fields.iter().any(|f| holds_bool(&f.ty)),
    }
}

fn field_line(field: &Field) -> String {
    format!("{}{};\n", field.modifier, field.ty.declare(&field.name))
}

impl Generator {
    /// What only HLSL has: templates.
    fn hlsl_declarations(&mut self) {
        if !self.chance(12) {
            return;
        }
        let name = self.module_name("pick");
        let text = format!(
            "template<typename T> T {name}(T a, T b, int which)\n\u{1}\nT chosen = a;\nfor (int i = 0; i < (which & 3); i++) \u{1} T other = chosen; chosen = b; b = other; \u{2}\nreturn chosen;\n\u{2}\n"
        );
        self.add(with_braces(Tree::text(Kind::Declaration, text)));
        self.callable_for_types(&name);
    }

    fn callable_for_types(&mut self, name: &str) {
        for _ in 0..3 {
            let ty = self.result_type();
            let parameters =
                vec![(Mode::In, ty.clone()), (Mode::In, ty.clone()), (Mode::In, Type::scalar(Scalar::Int))];
            // Of literals DXC finds no argument of the template.
            let name = if self.is_slang() { name.to_owned() } else { format!("{name}<{}>", ty.name()) };
            let function = Function {
                name,
                receiver: None,
                parameters,
                result: Some(ty),
                effects: false,
                mentions: false,
                cost: 12,
            };
            self.functions.push(function);
        }
    }

    /// What only Slang has: generics and interfaces.
    fn slang_declarations(&mut self) {
        if self.chance(30) {
            let name = self.module_name("pick");
            let text = format!(
                "T {name}<T>(T a, T b, int which)\n\u{1}\nT chosen = a;\nfor (int i = 0; i < (which & 3); i++) \u{1} T other = chosen; chosen = b; b = other; \u{2}\nreturn chosen;\n\u{2}\n"
            );
            self.add(with_braces(Tree::text(Kind::Declaration, text)));
            self.callable_for_types(&name);
        }
        if self.chance(40) {
            self.interface();
        }
    }

    /// An interface, some structs that conform to it, and a generic function over it.
    fn interface(&mut self) {
        let (ty, argument) = (self.result_type(), self.result_type());
        let interface = self.module_name("IShape");
        let method = self.module_name("area");
        let (ty_name, argument_name) = (ty.name(), argument.declare("p0"));
        self.add(Tree::text(
            Kind::Declaration,
            format!("interface {interface}\n{{\n{ty_name} {method}({argument_name});\nstatic int kind();\n}}\n"),
        ));
        let generic = self.module_name("measure");
        for number in 0..1 + self.below(3) {
            let name = self.module_name("Shape");
            let fields: Vec<Field> = (0..1 + self.below(2)).map(|i| self.field(i)).collect();
            let of = Rc::new(Struct { name: name.clone(), fields });
            let (body, (effects, mentions), cost) =
                self.body(&[(Mode::In, argument.clone())], Some(ty.clone()), Some((&of, false)));
            let lines: String = of.fields.iter().map(field_line).collect();
            let head = format!(
                "struct {name} : {interface}\n\u{1}\n{lines}static int kind() \u{1} return {number}; \u{2}\n{ty_name} {method}({argument_name})\n{{}}\u{2}\n"
            );
            self.add(with_braces(Tree::pattern(Kind::Declaration, &head, vec![body])));
            let receiver = Type::Struct(of.clone());
            self.structs.push(of);
            let parameters = vec![(Mode::In, receiver), (Mode::In, argument.clone())];
            self.functions.push(Function {
                name: generic.clone(),
                receiver: None,
                parameters,
                result: Some(ty.clone()),
                effects,
                mentions,
                cost: cost * 2 + 4,
            });
        }
        let text = format!(
            "{ty_name} {generic}<T : {interface}>(T shape, {})\n{{\nif (T.kind() == 1) return shape.{method}(given);\n{ty_name} result = shape.{method}(given);\nreturn result;\n}}\n",
            argument.declare("given")
        );
        self.add(Tree::text(Kind::Declaration, text));
    }
}

/// Why a float may be compared by its value times four.
const _: () = assert!(Range::STORED.fraction == 2);
