//! The state of a generator of random programs, and what may be read and written at a point.

use super::features::{Feature, Features};
use super::tree::{Kind, Tree};
use super::types::{Range, Scalar, Struct, Type};
use crate::random::Random;
use std::rc::Rc;

/// The language of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    Hlsl,
    Slang,
}

/// An expression that is defined whatever its operands are.
#[derive(Clone, Debug)]
pub struct Value {
    pub tree: Tree,
    pub ty: Type,
    pub range: Range,
    /// Whether evaluating it changes something.
    pub effects: bool,
}

impl Value {
    /// Fills the holes of a pattern.
    pub fn of(ty: Type, range: Range, pattern: &str, operands: Vec<Value>) -> Value {
        let effects = operands.iter().any(|o| o.effects);
        let tree = Tree::pattern(Kind::Value(ty.clone()), pattern, operands.into_iter().map(|o| o.tree));
        Value { tree, ty, range, effects }
    }

    /// Whether it is several elements of a matrix: `m._m00_m11`.
    pub fn is_matrix_elements(&self) -> bool {
        let mut text = String::new();
        self.tree.print(&mut text);
        text.rsplit_once('.').is_some_and(|(_, last)| last.starts_with('_') && last.matches('_').count() > 1)
    }

    /// Whether it is an element of a matrix: `m._m00`.
    pub fn is_matrix_element(&self) -> bool {
        let mut text = String::new();
        self.tree.print(&mut text);
        text.rsplit_once('.').is_some_and(|(_, last)| last.starts_with('_'))
    }

    pub fn text(ty: Type, range: Range, text: impl Into<String>) -> Value {
        let tree = Tree::text(Kind::Value(ty.clone()), text);
        Value { tree, ty, range, effects: false }
    }
}

/// What may be done with a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It never changes while it is in scope.
    Constant,
    Read,
    Write,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    pub access: Access,
}

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    In,
    Out,
    InOut,
}

impl Mode {
    pub fn word(self) -> &'static str {
        match self {
            Mode::In => "",
            Mode::Out => "out ",
            Mode::InOut => "inout ",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// The struct whose method it is.
    pub receiver: Option<Type>,
    pub parameters: Vec<(Mode, Type)>,
    pub result: Option<Type>,
    /// Whether it writes what is not its own.
    pub effects: bool,
    /// Whether it mentions variables of the module: then none is passed to it to be written, since whether the name and the
    /// parameter are one variable is not the same everywhere.
    pub mentions: bool,
    /// About how many statements a call runs.
    pub cost: u64,
}

/// What encloses a statement and can be left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enclosing {
    Loop,
    Switch,
}

/// Statements that a program runs at most in one thread, about.
pub const COST: u64 = 3000;

pub struct Generator {
    pub random: Random,
    pub dialect: Dialect,
    /// Whether slangc compiles the file.
    pub slangc: bool,
    pub features: Features,
    /// Ends the names of what is declared for the module: programs share files.
    pub suffix: String,
    pub structs: Vec<Rc<Struct>>,
    pub functions: Vec<Function>,
    pub declarations: Vec<Tree>,
    /// From the module to the innermost block.
    pub scopes: Vec<Vec<Variable>>,
    /// What the statement at hand is in, within its function.
    pub enclosing: Vec<Enclosing>,
    /// The result of the function at hand.
    pub result: Option<Type>,
    /// Whether the function at hand has written what is not its own.
    pub effects: bool,
    /// Whether it has mentioned variables of the module.
    pub mentions: bool,
    /// Whether an operand that may be left out has effects: DXC's SPIR-V evaluates it all the same.
    pub leaves_out: bool,
    /// The byte-address buffer of the program.
    pub bytes: Option<String>,
    /// How often the statement at hand runs for each run of the function.
    pub repeated: u64,
    /// Statements run so far.
    pub cost: u64,
    names: u32,
}

impl Generator {
    pub fn new(seed: u64, dialect: Dialect, slangc: bool, suffix: String, features: Features) -> Generator {
        Generator {
            random: Random::of_seed(seed),
            dialect,
            slangc,
            features,
            suffix,
            structs: Vec::new(),
            functions: Vec::new(),
            declarations: Vec::new(),
            scopes: vec![Vec::new()],
            enclosing: Vec::new(),
            result: None,
            effects: false,
            mentions: false,
            leaves_out: false,
            bytes: None,
            repeated: 1,
            cost: 0,
            names: 0,
        }
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.random.chance(percent)
    }

    /// Whether to write what a peer is known to refuse: a file of many programs then has to be compiled in parts.
    pub fn rare(&mut self) -> bool {
        self.random.below(400) == 0
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.random.index(list.len())].clone()
    }

    /// A name for the module: no other program of the file has it.
    pub fn module_name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}_{}", self.names, self.suffix)
    }

    /// A name for a local variable. Names of outer blocks are taken again now and then: the inner variable hides the outer one.
    pub fn local_name(&mut self) -> String {
        const STEMS: [&str; 16] = [
            "value", "a", "b", "index", "total", "color", "sample", "point", "result", "temp", "out1", "length0", "s",
            "mask", "x", "v",
        ];
        let stem = match self.random.one_of(&STEMS) {
            // A modifier in HLSL: DXC wants no variable with this name.
            "point" if !self.is_slang() => "corner",
            stem => stem,
        };
        let innermost = self.scopes.last().into_iter().flatten();
        let taken = innermost.filter(|v| v.name == stem).count() > 0;
        let parameters = self.scopes.len() <= 3;
        if taken || parameters || self.chance(70) {
            self.names += 1;
            return format!("{stem}{}", self.names);
        }
        stem.to_owned()
    }

    pub fn declare(&mut self, name: &str, ty: Type, access: Access) {
        let variable = Variable { name: name.to_owned(), ty, access };
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(variable);
        }
    }

    /// Variables that a name finds here, with whether they belong to the module.
    pub fn visible(&self) -> Vec<(&Variable, bool)> {
        let mut seen = std::collections::BTreeSet::new();
        let mut found = Vec::new();
        for (depth, scope) in self.scopes.iter().enumerate().rev() {
            for variable in scope.iter().rev() {
                if seen.insert(variable.name.as_str()) {
                    found.push((variable, depth == 0));
                }
            }
        }
        found
    }

    /// Something of a type that can be read.
    pub fn readable(&mut self, ty: &Type) -> Option<Value> {
        let variables: Vec<(Variable, bool)> =
            self.visible().into_iter().map(|(v, module)| (v.clone(), module)).collect();
        for _ in 0..8 {
            if variables.is_empty() {
                return None;
            }
            let (variable, module) = self.pick(&variables);
            let whole = Value::text(variable.ty.clone(), Range::STORED, variable.name.clone());
            if let Some(part) = self.part_of(whole, ty, false) {
                self.mentions |= module;
                return Some(part);
            }
        }
        None
    }

    /// Something of a type that can be written, by a name that means the same whatever is evaluated with it.
    pub fn writable(&mut self, ty: &Type, exclude: &[String], local: bool) -> Option<(Value, Variable)> {
        let usable = |(v, module): (&Variable, bool)| {
            let usable = v.access == Access::Write && !exclude.contains(&v.name) && !(local && module);
            usable.then(|| (v.clone(), module))
        };
        let variables: Vec<(Variable, bool)> = self.visible().into_iter().filter_map(usable).collect();
        for _ in 0..8 {
            if variables.is_empty() {
                return None;
            }
            let (variable, module) = self.pick(&variables);
            let whole = Value {
                tree: Tree::text(Kind::Fixed, variable.name.clone()),
                ty: variable.ty.clone(),
                range: Range::STORED,
                effects: false,
            };
            if let Some(mut part) = self.part_of(whole, ty, true) {
                part.tree.kind = Kind::Fixed;
                self.effects |= module;
                self.mentions |= module;
                return Some((part, variable));
            }
        }
        None
    }

    /// The value itself or a part of it of a type, by a random way down.
    fn part_of(&mut self, value: Value, goal: &Type, write: bool) -> Option<Value> {
        if value.ty == *goal && (!matches!(goal, Type::Vector(_, 2..)) || self.chance(70)) {
            return Some(value);
        }
        let (ty, pattern, index) = self.step_down(&value.ty, goal, write)?;
        let fixed = value.tree.kind == Kind::Fixed;
        let operands = std::iter::once(value).chain(index).collect();
        let mut part = Value::of(ty, Range::STORED, &pattern, operands);
        if fixed {
            part.tree.kind = Kind::Fixed;
        }
        if part.ty == *goal { Some(part) } else { self.part_of(part, goal, write) }
    }

    /// A part of a type: its type, how it is written, and the index if there is one.
    fn step_down(&mut self, ty: &Type, goal: &Type, write: bool) -> Option<(Type, String, Option<Value>)> {
        match ty {
            Type::Vector(scalar, size) => {
                let Type::Vector(wanted, count) = goal else { return None };
                if wanted != scalar || (*size == 1 && *count == 1) || (write && count > size) {
                    return None;
                }
                if write && *count > 1 && !self.features.has(Feature::SwizzleStores) {
                    return None;
                }
                if *count == 1 && *size > 1 && self.chance(30) {
                    let (pattern, index) = self.index(u32::from(*size));
                    return Some((goal.clone(), pattern, index));
                }
                // Now and then of a swizzle.
                let outer = self.swizzle(*size, *size, write);
                // slangc stores to another component then, and DXC makes illegal code of some.
                let between = if write { self.rare() && !self.slangc } else { self.chance(8) };
                let between = if between { format!(".{outer}") } else { String::new() };
                Some((goal.clone(), format!("{{}}{between}.{}", self.swizzle(*size, *count, write)), None))
            }
            Type::Matrix(scalar, rows, columns) => match goal {
                Type::Vector(wanted, count) if wanted == scalar => {
                    if count == columns && self.chance(60) || !write && self.chance(20) {
                        let (pattern, index) = self.index(u32::from(*rows));
                        return Some((Type::Vector(*scalar, *columns), pattern, index));
                    }
                    let (r, c) = (self.below(u64::from(*rows)), self.below(u64::from(*columns)));
                    if *count == 1 {
                        let text = if self.chance(50) { format!("{{}}[{r}][{c}]") } else { format!("{{}}._m{r}{c}") };
                        return Some((goal.clone(), text, None));
                    }
                    if write && !self.features.has(Feature::SwizzleStores) {
                        return None;
                    }
                    let members = self.members(*rows, *columns, *count)?;
                    Some((goal.clone(), format!("{{}}.{members}"), None))
                }
                _ => None,
            },
            Type::Array(element, count) => {
                let (pattern, index) = self.index(*count);
                Some(((**element).clone(), pattern, index))
            }
            Type::Struct(of) => {
                let field = &of.fields[self.random.index(of.fields.len())];
                Some((field.ty.clone(), format!("{{}}.{}", field.name), None))
            }
        }
    }

    /// An index in bounds of something of so many elements: a literal, or what nothing in an expression changes.
    fn index(&mut self, count: u32) -> (String, Option<Value>) {
        if self.chance(50) {
            return (format!("{{}}[{}]", self.below(u64::from(count))), None);
        }
        let Some(chosen) = self.constant_integer() else {
            return (format!("{{}}[{}]", self.below(u64::from(count))), None);
        };
        let value = Value::text(Type::scalar(Scalar::Int), Range::STORED, chosen);
        let add = self.below(3);
        let pattern = if count.is_power_of_two() && self.chance(50) {
            format!("{{}}[({{}} + {add}) & {}]", count - 1)
        } else {
            format!("{{}}[uint({{}} + {add}) % {count}u]")
        };
        (pattern, Some(value))
    }

    /// A constant integer in scope, by its name.
    pub fn constant_integer(&mut self) -> Option<String> {
        let constant =
            |v: &Variable| v.access == Access::Constant && matches!(&v.ty, Type::Vector(s, 1) if s.is_integer());
        let constants: Vec<String> =
            self.visible().into_iter().filter(|(v, _)| constant(v)).map(|(v, _)| v.name.clone()).collect();
        if constants.is_empty() { None } else { Some(self.pick(&constants)) }
    }

    /// A swizzle; with no component twice where it is written to.
    fn swizzle(&mut self, size: u8, count: u8, distinct: bool) -> String {
        let letters = if self.chance(80) { ['x', 'y', 'z', 'w'] } else { ['r', 'g', 'b', 'a'] };
        let mut left: Vec<char> = letters.into_iter().take(usize::from(size)).collect();
        let mut text = String::new();
        for _ in 0..count {
            let index = self.random.index(left.len());
            text.push(if distinct { left.remove(index) } else { left[index] });
        }
        text
    }

    /// Elements of a matrix, none twice, in one of the two spellings.
    fn members(&mut self, rows: u8, columns: u8, count: u8) -> Option<String> {
        let mut left: Vec<(u8, u8)> = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))).collect();
        let from_zero = self.chance(50);
        let mut text = String::new();
        for _ in 0..count {
            if left.is_empty() {
                return None;
            }
            let index = self.random.index(left.len());
            let (r, c) = left.remove(index);
            text.push_str(&if from_zero { format!("_m{r}{c}") } else { format!("_{}{}", r + 1, c + 1) });
        }
        Some(text)
    }

    /// A type for a variable.
    pub fn any_type(&mut self, depth: u32) -> Type {
        match self.below(if depth > 0 { 12 } else { 9 }) {
            0..4 => Type::scalar(self.any_scalar()),
            4..7 => Type::Vector(self.any_scalar(), 2 + self.below(3) as u8),
            7 | 8 if self.features.has(Feature::Matrices) => self.any_matrix(),
            9 if self.features.has(Feature::Arrays) => {
                Type::Array(Box::new(self.any_type(depth - 1)), 2 + self.below(3) as u32)
            }
            7..10 => Type::scalar(self.any_scalar()),
            _ if self.structs.is_empty() => Type::scalar(Scalar::Int),
            _ => {
                let structs = self.structs.clone();
                Type::Struct(self.pick(&structs))
            }
        }
    }

    pub fn any_matrix(&mut self) -> Type {
        let scalar = if self.chance(70) { Scalar::Float } else { Scalar::Int };
        Type::Matrix(scalar, 2 + self.below(3) as u8, 2 + self.below(3) as u8)
    }

    pub fn any_scalar(&mut self) -> Scalar {
        self.pick(&[Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Float, Scalar::Float, Scalar::Bool])
    }
}
