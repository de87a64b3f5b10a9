//! Random statements and blocks. Every loop ends: its counter is written by nothing else.

use super::features::Feature;
use super::generator::{Access, COST, Enclosing, Function, Generator};
use super::tree::{Kind, Part, Tree};
use super::types::{Range, Scalar, Type};

impl Generator {
    /// The statements of a block, with braces.
    pub fn block(&mut self, count: u64, depth: u32) -> Tree {
        self.scopes.push(Vec::new());
        let statements = self.statements(count, depth);
        self.scopes.pop();
        let mut parts = vec![Part::Text("{\n".into())];
        parts.extend(statements.into_iter().map(Part::Tree));
        parts.push(Part::Text("}\n".into()));
        Tree::new(Kind::Fixed, parts)
    }

    pub fn statements(&mut self, count: u64, depth: u32) -> Vec<Tree> {
        (0..count).filter_map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> Option<Tree> {
        self.cost += self.repeated;
        if self.cost > COST {
            return None;
        }
        let roll = self.below(100);
        match roll {
            0..20 => self.local(),
            20..52 => self.assignment(),
            52..60 if self.features.has(Feature::Updates) => self.increment(),
            60..67 => self.call_statement(),
            67..70 if self.features.has(Feature::Leaves) => self.leave(),
            70 | 71 if self.bytes.is_some() => self.store(),
            _ if depth == 0 => self.assignment(),
            70..82 => Some(self.condition(depth - 1)),
            82..92 if self.features.has(Feature::Loops) => self.repetition(depth - 1),
            92..97 if self.features.has(Feature::Switches) => self.switch(depth - 1),
            _ => {
                let count = 1 + self.below(3);
                let block = self.block(count, depth - 1);
                Some(statement("{}", vec![block]))
            }
        }
    }

    /// A local variable, with an initializer always: reading one without has no meaning.
    fn local(&mut self) -> Option<Tree> {
        let ty = self.any_type(2);
        let (pattern, operands) = self.initializer(&ty)?;
        let name = self.local_name();
        // A variable is in scope in its own initializer.
        let mut printed = String::new();
        operands.iter().for_each(|o| o.print(&mut printed));
        let name = if printed.contains(&name) { self.module_name("v") } else { name };
        let constant = matches!(ty, Type::Vector(..)) && self.chance(12);
        let word = if constant { "const " } else { "" };
        let text = format!("{word}{} = {pattern};\n", ty.declare(&name));
        self.declare(&name, ty, if constant { Access::Constant } else { Access::Write });
        Some(braced(&text, operands))
    }

    /// What a variable of a type can begin with; braces as in [`with_braces`].
    pub fn initializer(&mut self, ty: &Type) -> Option<(String, Vec<Tree>)> {
        match ty {
            Type::Array(element, count) => {
                let mut operands = Vec::new();
                let mut patterns = Vec::new();
                for _ in 0..*count {
                    let (pattern, inner) = self.initializer(element)?;
                    patterns.push(pattern);
                    operands.extend(inner);
                }
                Some((format!("\u{1}{}\u{2}", patterns.join(", ")), operands))
            }
            Type::Struct(of) if self.chance(60) => {
                let of = of.clone();
                let mut operands = Vec::new();
                let mut patterns = Vec::new();
                for field in &of.fields {
                    let (pattern, inner) = self.initializer(&field.ty)?;
                    patterns.push(pattern);
                    operands.extend(inner);
                }
                Some((format!("\u{1}{}\u{2}", patterns.join(", ")), operands))
            }
            Type::Vector(..) | Type::Matrix(..) | Type::Struct(_) => {
                let value = self.value(ty, 3)?;
                let value = self.stored(value);
                Some(("{}".into(), vec![value.tree]))
            }
        }
    }

    fn assignment(&mut self) -> Option<Tree> {
        let ty = self.any_type(1);
        let (place, _) = self.writable(&ty, &[], false)?;
        let compound = matches!(&ty, Type::Vector(s, _) | Type::Matrix(s, ..) if *s != Scalar::Bool) && self.chance(30);
        let compound = compound && self.features.has(Feature::Updates);
        if compound && let Some(compound) = self.compound(&ty, place.tree.clone()) {
            return Some(compound);
        }
        let value = self.value(&ty, 4)?;
        let value = self.stored(value);
        Some(statement("{} = {};\n", vec![place.tree, value.tree]))
    }

    /// `a += b`: the operand changes nothing, since peers disagree on what is read first.
    fn compound(&mut self, ty: &Type, place: Tree) -> Option<Tree> {
        let value = self.value(ty, 3).filter(|v| !v.effects)?;
        let scalar = match ty {
            Type::Vector(scalar, _) | Type::Matrix(scalar, ..) => *scalar,
            Type::Array(..) | Type::Struct(_) => return None,
        };
        let vector = matches!(ty, Type::Vector(..));
        let operator = match scalar {
            Scalar::Int if vector => self.pick(&[
                "{} += {};\n",
                "{} -= {};\n",
                "{} *= {};\n",
                "{} &= {};\n",
                "{} |= {};\n",
                "{} ^= {};\n",
                "{} <<= ({} & 7);\n",
                "{} >>= ({} & 15);\n",
                "{} /= (({} & 3) + 1);\n",
                "{} %= (({} & 3) + 2);\n",
            ]),
            Scalar::Uint if vector => self.pick(&[
                "{} += {};\n",
                "{} -= {};\n",
                "{} *= {};\n",
                "{} &= {};\n",
                "{} |= {};\n",
                "{} ^= {};\n",
                "{} <<= ({} & 7u);\n",
                "{} >>= ({} & 15u);\n",
                "{} /= ({} | 1u);\n",
                "{} %= ({} | 1u);\n",
            ]),
            Scalar::Int | Scalar::Uint => self.pick(&["{} += {};\n", "{} -= {};\n", "{} *= {};\n"]),
            // Only what keeps a variable within its range.
            Scalar::Float => return Some(self.compound_float(ty, place)),
            Scalar::Bool => return None,
        };
        Some(statement(operator, vec![place, value.tree]))
    }

    fn compound_float(&mut self, ty: &Type, place: Tree) -> Tree {
        let factor = self.pick(&["0.0", "1.0", "-1.0"]);
        let factor = Tree::text(Kind::Value(Type::scalar(Scalar::Float)), factor);
        let pattern =
            if matches!(ty, Type::Matrix(..)) || self.chance(50) { "{} *= {};\n" } else { "{} /= 1.0 + 0.0 * {};\n" };
        statement(pattern, vec![place, factor])
    }

    fn increment(&mut self) -> Option<Tree> {
        let scalar = self.pick(&[Scalar::Int, Scalar::Uint]);
        let ty = match self.below(20) {
            0..14 => Type::scalar(scalar),
            // DXC has no increments of matrices.
            14 | 15 if self.is_slang() => Type::Matrix(Scalar::Int, 2 + self.below(3) as u8, 2 + self.below(3) as u8),
            _ => Type::Vector(scalar, 2 + self.below(3) as u8),
        };
        let (place, _) = self.writable(&ty, &[], false)?;
        // DXC's SPIR-V leaves elements of matrices as they are.
        if place.is_matrix_element() && !self.is_slang() && !self.rare() {
            return None;
        }
        let pattern = self.pick(&["{}++;\n", "{}--;\n", "++{};\n", "--{};\n"]);
        Some(statement(pattern, vec![place.tree]))
    }

    fn call_statement(&mut self) -> Option<Tree> {
        let functions: Vec<Function> = self.functions.clone();
        if functions.is_empty() {
            return self.assignment();
        }
        let function = self.pick(&functions);
        let (call, _) = self.call(&function, 2)?;
        Some(statement("{};\n", vec![call]))
    }

    /// Words of the byte-address buffer.
    fn store(&mut self) -> Option<Tree> {
        let buffer = self.bytes.clone()?;
        let scalar = self.pick(&[Scalar::Int, Scalar::Uint]);
        let count = 1 + self.below(4) as u8;
        let ty = Type::Vector(scalar, count);
        let value = self.number(scalar, count, 3);
        if self.chance(30)
            && let Some(stored) = self.store_struct()
        {
            return Some(stored);
        }
        let place = self.word_of_bytes();
        let number = if count == 1 { String::new() } else { count.to_string() };
        let pattern = match self.below(3) {
            0 => format!("{buffer}.Store<{}>({place}, {{}});\n", ty.name()),
            1 if count == 1 => {
                let operation = self.pick(&["Add", "Max", "Min", "And", "Or", "Xor"]);
                format!("{buffer}.Interlocked{operation}({place}, uint({{}}));\n")
            }
            _ => format!("{buffer}.Store{number}({place}, uint{number}({{}}));\n"),
        };
        (self.effects, self.mentions) = (true, true);
        Some(statement(&pattern, vec![value.tree]))
    }

    /// A struct in the byte-address buffer.
    fn store_struct(&mut self) -> Option<Tree> {
        let structs: Vec<Type> = self.structs.iter().cloned().map(Type::Struct).collect();
        if structs.is_empty() {
            return None;
        }
        let ty = self.pick(&structs);
        let (buffer, at) = self.struct_of_bytes(&ty)?;
        let value = self.value(&ty, 2)?;
        (self.effects, self.mentions) = (true, true);
        Some(statement(&format!("{buffer}.Store<{}>({at}, {{}});\n", ty.name()), vec![value.tree]))
    }

    /// `break`, `continue` or `return`, mostly under a condition.
    fn leave(&mut self) -> Option<Tree> {
        let in_loop = self.enclosing.contains(&Enclosing::Loop);
        let result = self.result.clone();
        let (word, operand) = match self.below(3) {
            0 if in_loop => ("continue", None),
            1 if !self.enclosing.is_empty() => ("break", None),
            _ => match result {
                Some(ty) => {
                    let value = self.value(&ty, 2)?;
                    ("return {}", Some(self.stored(value).tree))
                }
                None if in_loop => ("continue", None),
                None => return self.assignment(),
            },
        };
        let condition = self.number(Scalar::Bool, 1, 2);
        let operands = std::iter::once(condition.tree).chain(operand).collect();
        Some(statement(&format!("if ({{}}) {word};\n"), operands))
    }

    fn condition(&mut self, depth: u32) -> Tree {
        let condition = self.number(Scalar::Bool, 1, 3).tree;
        let count = 1 + self.below(4);
        let first = self.block(count, depth);
        match self.below(3) {
            0 => statement("if ({}) {}", vec![condition, first]),
            1 => {
                let second = self.block(2, depth);
                statement("if ({}) {}else {}", vec![condition, first, second])
            }
            _ => {
                let other = self.number(Scalar::Bool, 1, 2).tree;
                let (second, third) = (self.block(2, depth), self.block(1, depth));
                statement("if ({}) {}else if ({}) {}else {}", vec![condition, first, other, second, third])
            }
        }
    }

    fn repetition(&mut self, depth: u32) -> Option<Tree> {
        let times = 1 + self.below(4);
        if (self.repeated * times) * 4 + self.cost > COST {
            return self.assignment();
        }
        let scalar = self.pick(&[Scalar::Int, Scalar::Uint]);
        self.scopes.push(Vec::new());
        self.enclosing.push(Enclosing::Loop);
        self.repeated *= times;
        // No other name is the counter's: the body may hide names of outer blocks.
        let counter = self.module_name("i");
        self.declare(&counter, Type::scalar(scalar), Access::Constant);
        let count = 1 + self.below(4);
        let body = self.block(count, depth);
        let suffix = if scalar == Scalar::Uint { "u" } else { "" };
        let kind = self.below(4);
        let ty = scalar.name();
        let tree = match kind {
            0 => {
                let more = self.optional(Scalar::Bool, 1, 2).tree;
                let head = format!(
                    "for ({ty} {counter} = 0{suffix}; {counter} < {times}{suffix} && ({{}}); {counter}++) {{}}"
                );
                statement(&head, vec![more, body])
            }
            1 => {
                // The counter moves first, so that `continue` cannot skip it.
                let pattern =
                    format!("\u{1}\n{ty} {counter} = 0{suffix};\nwhile ({counter}++ < {times}{suffix}) {{}}\u{2}\n");
                braced(&pattern, vec![body])
            }
            2 => {
                let pattern = format!(
                    "\u{1}\n{ty} {counter} = 0{suffix};\ndo {{}}while (++{counter} < {times}{suffix});\n\u{2}\n"
                );
                braced(&pattern, vec![body])
            }
            _ => statement(
                &format!("for ({ty} {counter} = {times}{suffix}; {counter} > 0{suffix}; --{counter}) {{}}"),
                vec![body],
            ),
        };
        self.repeated /= times;
        self.enclosing.pop();
        self.scopes.pop();
        Some(tree)
    }

    fn switch(&mut self, depth: u32) -> Option<Tree> {
        let scalar = self.pick(&[Scalar::Int, Scalar::Uint]);
        let selector = self.number(scalar, 1, 3).tree;
        let suffix = if scalar == Scalar::Uint { "u" } else { "" };
        self.enclosing.push(Enclosing::Switch);
        let mut pattern = format!("switch ({}({{}}) & 3{suffix}) \u{1}\n", scalar.name());
        let mut operands = vec![selector];
        let labels = 1 + self.below(4);
        let with_default = self.chance(60);
        let default_at = self.below(labels);
        for label in 0..labels {
            if with_default && label == default_at {
                pattern.push_str("default:\n");
            }
            pattern.push_str(&format!("case {label}{suffix}:\n"));
            // Labels that share a body; a body always ends its case.
            if label + 1 < labels && self.chance(20) {
                continue;
            }
            let count = 1 + self.below(3);
            operands.push(self.block(count, depth));
            pattern.push_str("{}break;\n");
        }
        pattern.push_str("\u{2}\n");
        self.enclosing.pop();
        Some(braced(&pattern, operands))
    }

    /// A statement that ends a function: its result.
    pub fn final_return(&mut self) -> Option<Tree> {
        let ty = self.result.clone()?;
        let value = self.value(&ty, 4);
        let value = value.or_else(|| Some(super::generator::Value::text(ty.clone(), Range::STORED, ty.zero()?)))?;
        let value = self.stored(value);
        Some(Tree::pattern(Kind::Fixed, "return {};\n", vec![value.tree]))
    }
}

fn statement(pattern: &str, operands: Vec<Tree>) -> Tree {
    Tree::pattern(Kind::Statement, pattern, operands)
}

/// Patterns have `{}` for holes, so braces of the language are written as these two until the holes are filled.
fn braced(pattern: &str, operands: Vec<Tree>) -> Tree {
    with_braces(statement(pattern, operands))
}

pub fn with_braces(mut tree: Tree) -> Tree {
    for part in &mut tree.parts {
        if let Part::Text(text) = part {
            *text = text.replace('\u{1}', "{").replace('\u{2}', "}");
        }
    }
    tree
}
