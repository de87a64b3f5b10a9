//! Random expressions. Every one is defined for all values of its operands: divisors are not zero, shifts are in range, and
//! floating-point results are exact (see [`Range`]).

use super::features::Feature;
use super::generator::{Dialect, Function, Generator, Mode, Value};
use super::tree::{Kind, Tree};
use super::types::{Range, Scalar, Type};

/// Operations on two integers that are defined for all of them.
const BINARY: [&str; 8] =
    ["({} + {})", "({} - {})", "({} * {})", "({} & {})", "({} | {})", "({} ^ {})", "min({}, {})", "max({}, {})"];

impl Generator {
    /// A value of a type. One of an array is a variable, which there must be; nothing otherwise.
    pub fn value(&mut self, ty: &Type, depth: u32) -> Option<Value> {
        if depth == 0 || self.chance(22) {
            return self.leaf(ty);
        }
        if self.chance(14)
            && let Some(call) = self.call_of(ty, depth)
        {
            return Some(call);
        }
        if self.chance(8)
            && let Some(part) = self.part_of_call(ty, depth)
        {
            return Some(part);
        }
        match ty {
            Type::Vector(scalar, count) => Some(self.vector(*scalar, *count, depth - 1)),
            Type::Matrix(scalar, rows, columns) => Some(self.matrix(*scalar, *rows, *columns, depth - 1)),
            Type::Array(..) | Type::Struct(_) => self.leaf(ty),
        }
    }

    /// A value of a type that always exists.
    pub fn number(&mut self, scalar: Scalar, count: u8, depth: u32) -> Value {
        let ty = Type::Vector(scalar, count);
        match self.value(&ty, depth) {
            Some(value) => value,
            None => self.literal(scalar, count),
        }
    }

    /// What an operator may leave out. In HLSL it seldom has effects: DXC's SPIR-V evaluates it all the same.
    pub fn optional(&mut self, scalar: Scalar, count: u8, depth: u32) -> Value {
        for _ in 0..6 {
            let before = (self.cost, self.effects);
            let value = self.number(scalar, count, depth);
            if !value.effects || self.is_slang() || self.chance(4) {
                self.leaves_out |= value.effects;
                return value;
            }
            (self.cost, self.effects) = before;
        }
        self.literal(scalar, count)
    }

    fn leaf(&mut self, ty: &Type) -> Option<Value> {
        if self.chance(80)
            && let Some(value) = self.readable(ty)
        {
            return Some(value);
        }
        match ty {
            Type::Vector(scalar, count) => Some(self.literal(*scalar, *count)),
            Type::Matrix(scalar, rows, columns) => Some(self.matrix_of_parts(*scalar, *rows, *columns, 0)),
            Type::Struct(_) => {
                if self.chance(25)
                    && let Some((buffer, at)) = self.struct_of_bytes(ty)
                {
                    let text = format!("{buffer}.Load<{}>({at})", ty.name());
                    return Some(Value::text(ty.clone(), Range::STORED, text));
                }
                let zero = Value::text(ty.clone(), Range::STORED, ty.zero()?);
                Some(self.readable(ty).unwrap_or(zero))
            }
            Type::Array(..) => self.readable(ty),
        }
    }

    fn literal(&mut self, scalar: Scalar, count: u8) -> Value {
        let ty = Type::Vector(scalar, count);
        if count > 1 {
            let parts: Vec<String> = (0..count).map(|_| self.literal_text(scalar)).collect();
            return Value::text(ty.clone(), Range::STORED, format!("{}({})", ty.name(), parts.join(", ")));
        }
        Value::text(ty, Range::STORED, self.literal_text(scalar))
    }

    fn literal_text(&mut self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Bool => self.pick(&["true", "false"]).into(),
            Scalar::Int => match self.below(6) {
                0 => {
                    self.pick(&["2147483647", "(-2147483647 - 1)", "-1", "int(0x80000000u)", "65535", "0x7fff"]).into()
                }
                _ => (self.below(40) as i64 - 12).to_string(),
            },
            Scalar::Uint => match self.below(6) {
                0 => self.pick(&["0xffffffffu", "0x80000000u", "65536u", "0x12345678u", "1U"]).into(),
                _ => format!("{}u", self.below(50)),
            },
            Scalar::Float => {
                let quarters = self.below(400) as i64 - 150;
                match self.below(4) {
                    0 => self.pick(&[".25", "2.", "1e1", "0.5f", "-1.5F", "100.0", "25e-2", "1.0"]).into(),
                    _ => format!("{:.2}", quarters as f64 / 4.0),
                }
            }
        }
    }

    fn vector(&mut self, scalar: Scalar, count: u8, depth: u32) -> Value {
        if self.chance(25) {
            return self.any_kind(scalar, count, depth);
        }
        match scalar {
            Scalar::Int => self.signed(count, depth),
            Scalar::Uint => self.unsigned(count, depth),
            Scalar::Float => self.float(count, depth),
            Scalar::Bool => self.boolean(count, depth),
        }
    }

    /// What exists for every kind of number.
    fn any_kind(&mut self, scalar: Scalar, count: u8, depth: u32) -> Value {
        let ty = Type::Vector(scalar, count);
        match self.below(8) {
            0 | 1 if count > 1 => self.vector_of_parts(scalar, count, depth),
            2 if count < 4 => {
                let wider = count + 1 + self.below(u64::from(4 - count)) as u8;
                let value = self.number(scalar, wider, depth);
                let letters: String =
                    (0..count).map(|_| self.pick(&['x', 'y', 'z', 'w'][..usize::from(wider)])).collect();
                Value::of(ty, value.range, &format!("({{}}).{letters}"), vec![value])
            }
            3 => self.selection(scalar, count, depth),
            4 if self.features.has(Feature::AssignedValues) => self.assignment_value(&ty, depth),
            5 if count > 1 => {
                let one = self.number(scalar, 1, depth);
                Value::of(ty.clone(), one.range, &format!("(({})({{}}))", ty.name()), vec![one])
            }
            6 if self.features.has(Feature::Matrices) => self.element_of_matrix(scalar, count, depth),
            _ => self.conversion(scalar, count, depth),
        }
    }

    fn vector_of_parts(&mut self, scalar: Scalar, count: u8, depth: u32) -> Value {
        let mut operands = Vec::new();
        let mut left = count;
        while left > 0 {
            let take =
                if left == count { 1 + self.below(u64::from(count) - 1) } else { 1 + self.below(u64::from(left)) }
                    as u8;
            operands.push(self.number(scalar, take, depth));
            left -= take;
        }
        let ty = Type::Vector(scalar, count);
        let range = operands.iter().map(|o| o.range).fold(Range::new(0.0, 0), Range::or);
        let holes = vec!["{}"; operands.len()].join(", ");
        Value::of(ty.clone(), range, &format!("{}({holes})", ty.name()), operands)
    }

    fn selection(&mut self, scalar: Scalar, count: u8, depth: u32) -> Value {
        let (a, b) = (self.optional(scalar, count, depth), self.optional(scalar, count, depth));
        let range = a.range.or(b.range);
        // DXC's SPIR-V back end has no `select`.
        let by_component = count > 1 && self.is_slang() && self.rare();
        let condition = self.number(Scalar::Bool, if by_component { count } else { 1 }, depth);
        // `select` evaluates both, and its scalar form is not everywhere.
        let pattern = if by_component { "select({}, {}, {})" } else { "(({}) ? ({}) : ({}))" };
        Value::of(Type::Vector(scalar, count), range, pattern, vec![condition, a, b])
    }

    /// An assignment or an increment whose value is used.
    fn assignment_value(&mut self, ty: &Type, depth: u32) -> Value {
        let Type::Vector(scalar, count) = *ty else { return self.number(Scalar::Int, 1, depth) };
        let Some((target, _)) = self.writable(ty, &[], false) else { return self.literal(scalar, count) };
        let steps = self.is_slang() || !target.is_matrix_element() || self.rare();
        if scalar.is_integer() && steps && self.chance(60) {
            let pattern = self.pick(&["(++{})", "({}++)", "(--{})", "({}--)"]);
            let mut value = Value::of(ty.clone(), Range::STORED, pattern, vec![target]);
            value.effects = true;
            return value;
        }
        let from = self.number(scalar, count, depth);
        let from = self.stored(from);
        let mut value = Value::of(ty.clone(), Range::STORED, "({} = {})", vec![target, from]);
        value.effects = true;
        value
    }

    fn element_of_matrix(&mut self, scalar: Scalar, count: u8, depth: u32) -> Value {
        if !matches!(scalar, Scalar::Int | Scalar::Float) {
            return self.number(scalar, count, 0);
        }
        if count > 1 {
            let rows = 2 + self.below(3) as u8;
            let matrix = self.matrix(scalar, rows, count, depth.min(1));
            let row = self.below(u64::from(rows));
            return Value::of(Type::Vector(scalar, count), matrix.range, &format!("({{}})[{row}]"), vec![matrix]);
        }
        let matrix = self.matrix(scalar, 2, 3, depth.min(1));
        let text = self.pick(&["({})[1][2]", "({})._m01", "({})._23", "({})[0].z"]);
        Value::of(Type::scalar(scalar), matrix.range, text, vec![matrix])
    }

    /// A number of another kind, converted in one of the ways to write it.
    fn conversion(&mut self, scalar: Scalar, count: u8, depth: u32) -> Value {
        let from = self.pick(&Scalar::ALL);
        let operand = self.number(from, count, depth);
        let (source, goal) = (Type::Vector(from, count), Type::Vector(scalar, count));
        let (range, inner) = match (from, scalar) {
            (Scalar::Float, Scalar::Float) => (operand.range, "{}".to_owned()),
            // What a float can hold exactly, and small enough for what is done with it.
            (Scalar::Int | Scalar::Uint, Scalar::Float) => {
                let mask = if from == Scalar::Int { "127" } else { "127u" };
                (Range::new(127.0, 0), format!("(({{}}) & {mask})"))
            }
            (Scalar::Bool, Scalar::Float) => (Range::new(1.0, 0), "{}".to_owned()),
            // A negative float has no unsigned value.
            (Scalar::Float, Scalar::Uint) => (Range::STORED, "abs({})".to_owned()),
            (Scalar::Float, Scalar::Int | Scalar::Bool) => (Range::STORED, "{}".to_owned()),
            (Scalar::Int | Scalar::Uint | Scalar::Bool, Scalar::Int | Scalar::Uint | Scalar::Bool) => {
                (Range::STORED, "{}".to_owned())
            }
        };
        let inner = Value::of(source, range, &inner, vec![operand]);
        let pattern = match self.below(3) {
            0 => format!("(({})({{}}))", goal.name()),
            _ => format!("{}({{}})", goal.name()),
        };
        let mut value = Value::of(goal, range, &pattern, vec![inner]);
        value.range = range;
        value
    }

    fn signed(&mut self, count: u8, depth: u32) -> Value {
        let ty = Type::Vector(Scalar::Int, count);
        let unary = ["(-({}))", "(~{})", "abs({})", "reversebits({})", "asint(asuint({}))", "max({}, -5)"];
        let own = [
            "({} << ({} & 31))",
            "({} >> ({} & 31))",
            "({} / (({} & 7) + 1))",
            "({} % (({} & 15) + 1))",
            "({} / (({} & 3) - 5))",
        ];
        match self.below(20) {
            0..4 => {
                let pattern = self.pick(&unary);
                // `reversebits` and the like take unsigned numbers; a signed one is converted there and back.
                let pattern = if pattern.starts_with("reverse") {
                    format!("{}(reversebits(asuint({{}})))", ty.name())
                } else {
                    pattern.into()
                };
                let a = self.number(Scalar::Int, count, depth);
                Value::of(ty, Range::STORED, &pattern, vec![a])
            }
            4 if count > 1 => {
                let (a, b) = (self.number(Scalar::Int, count, depth), self.number(Scalar::Int, count, depth));
                let dot = Value::of(Type::scalar(Scalar::Int), Range::STORED, "dot({}, {})", vec![a, b]);
                Value::of(ty.clone(), Range::STORED, &format!("(({})({{}}))", ty.name()), vec![dot])
            }
            5 => {
                let (a, b, c) = (
                    self.number(Scalar::Int, count, depth),
                    self.number(Scalar::Int, count, depth),
                    self.number(Scalar::Int, count, depth),
                );
                // slangc makes a floating-point instruction of an integer `mad`.
                let mad = if self.is_slang() || !self.rare() { "({} * {} + {})" } else { "mad({}, {}, {})" };
                let pattern = self.pick(&[mad, "clamp({}, -abs({} >> 1), abs({} >> 1))"]);
                Value::of(ty, Range::STORED, pattern, vec![a, b, c])
            }
            6 => {
                let (a, b) = (self.number(Scalar::Int, count, depth), self.number(Scalar::Bool, count, depth));
                Value::of(ty, Range::STORED, "({} + {})", vec![a, b])
            }
            7 => {
                let a = self.number(Scalar::Float, count, depth);
                Value::of(ty.clone(), Range::STORED, &format!("{}({{}})", ty.name()), vec![a])
            }
            8 if self.bytes.is_some() => self.loaded(Scalar::Int, count),
            _ => {
                let pattern = if self.chance(55) { self.random.one_of(&BINARY) } else { self.random.one_of(&own) };
                let (a, b) = self.operands(Scalar::Int, count, depth, pattern.starts_with('('));
                Value::of(ty, Range::STORED, pattern, vec![a, b])
            }
        }
    }

    /// A number that is computed in 64 bits.
    fn wide(&mut self, depth: u32) -> Value {
        let pattern = self.pick(&[
            "uint((uint64_t({}) * uint64_t({})) >> 32)",
            "uint(((uint64_t({}) << 32) | uint64_t({})) % 1000003ull)",
            "uint(((uint64_t({}) << 31) + {}) / 7919ull)",
            "uint((uint64_t({}) << ({} & 63u)) >> 17)",
            "uint(~((uint64_t({}) << 20) ^ uint64_t({})) >> 8)",
            "uint((-(int64_t({}) << 9) - int64_t({})) / int64_t(13))",
            "uint((int64_t(int({})) * int64_t(int({}))) >> 21)",
            "uint((int64_t(int({})) - int64_t({})) % int64_t(10007))",
            "((uint64_t({}) << 33) > (uint64_t({}) << 32) ? 1u : 2u)",
            "uint(min(uint64_t({}) << 5, uint64_t({}) << 6) >> 6)",
        ]);
        let (a, b) = (self.number(Scalar::Uint, 1, depth), self.number(Scalar::Uint, 1, depth));
        Value::of(Type::scalar(Scalar::Uint), Range::STORED, pattern, vec![a, b])
    }

    /// Words of the byte-address buffer of the program, of which each thread has some of its own.
    fn loaded(&mut self, scalar: Scalar, count: u8) -> Value {
        let ty = Type::Vector(scalar, count);
        let Some(buffer) = self.bytes.clone() else { return self.literal(scalar, count) };
        let at = self.word_of_bytes();
        let name = ty.name();
        let text = match self.below(3) {
            0 => format!("{buffer}.Load<{name}>({at})"),
            _ => {
                let number = if count == 1 { String::new() } else { count.to_string() };
                format!("{name}({buffer}.Load{number}({at}))")
            }
        };
        self.mentions = true;
        Value::text(ty, Range::STORED, text)
    }

    /// Where a few words of the thread at hand are in the byte-address buffer: constant, or calculated.
    pub fn word_of_bytes(&mut self) -> String {
        let first = format!("thread_{} * {BYTES_OF_THREAD}u", self.suffix);
        let index = match self.chance(30) {
            true => self.constant_integer(),
            false => None,
        };
        match index {
            Some(index) => format!("{first} + (uint({index}) % 12u) * 4u"),
            None => format!("{first} + {}u", 4 * self.below(12)),
        }
    }

    /// A struct in the byte-address buffer, behind the words of the thread. Each type has a place of its own: what is stored as one
    /// is no number of another.
    pub fn struct_of_bytes(&mut self, ty: &Type) -> Option<(String, String)> {
        let buffer = self.bytes.clone()?;
        let bytes = |ty: &Type| ty.words_without_matrices().map_or(0, |words| words * 4);
        let before = self.structs.iter().map(|of| Type::Struct(of.clone())).take_while(|of| of != ty);
        let behind = before.fold(64, |sum, of| sum + bytes(&of));
        let fits = bytes(ty) > 0 && behind + bytes(ty) <= BYTES_OF_THREAD;
        let at = format!("thread_{} * {BYTES_OF_THREAD}u + {behind}u", self.suffix);
        self.mentions |= fits;
        fits.then_some((buffer, at))
    }

    /// A part of what a function gives.
    fn part_of_call(&mut self, ty: &Type, depth: u32) -> Option<Value> {
        let fits = |f: &&Function| match &f.result {
            Some(Type::Struct(of)) => of.fields.iter().any(|f| f.ty == *ty),
            _ => false,
        };
        let fitting: Vec<Function> = self.functions.iter().filter(fits).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.pick(&fitting);
        let Some(Type::Struct(of)) = &function.result else { return None };
        let field = of.fields.iter().find(|f| f.ty == *ty)?.name.clone();
        let (tree, effects) = self.call(&function, depth.min(2))?;
        let tree = Tree::pattern(Kind::Value(ty.clone()), &format!("{{}}.{field}"), [tree]);
        Some(Value { tree, ty: ty.clone(), range: Range::STORED, effects })
    }

    fn unsigned(&mut self, count: u8, depth: u32) -> Value {
        let ty = Type::Vector(Scalar::Uint, count);
        let unary = [
            "(~{})",
            "reversebits({})",
            "countbits({})",
            "firstbitlow({} | 64u)",
            "firstbithigh({} | 1u)",
            "asuint(asint({}))",
        ];
        let own = [
            "({} << ({} & 31u))",
            "({} >> ({} & 31u))",
            "({} / (({} & 7u) + 1u))",
            "({} % (({} & 15u) + 3u))",
            "({} / ({} | 1u))",
            "({} % ({} | 1u))",
        ];
        match self.below(20) {
            0..4 => {
                let pattern = self.pick(&unary);
                let a = self.number(Scalar::Uint, count, depth);
                Value::of(ty, Range::STORED, pattern, vec![a])
            }
            4 => {
                let (a, b) = (self.number(Scalar::Int, count, depth), self.number(Scalar::Uint, count, depth));
                // The signed operand becomes unsigned.
                let pattern = self.pick(&["({} + {})", "({} ^ {})", "({} * {})"]);
                Value::of(ty, Range::STORED, pattern, vec![a, b])
            }
            5 => {
                let a = self.number(Scalar::Float, count, depth);
                Value::of(ty.clone(), Range::STORED, &format!("{}(abs({{}}))", ty.name()), vec![a])
            }
            6 => {
                let (a, b, c) = (
                    self.number(Scalar::Uint, count, depth),
                    self.number(Scalar::Uint, count, depth),
                    self.number(Scalar::Uint, count, depth),
                );
                Value::of(ty, Range::STORED, "clamp({}, {} >> 16, ({} & 255u) + 65536u)", vec![a, b, c])
            }
            7 if count == 1 && self.features.has(Feature::Wide) => self.wide(depth),
            8 if self.bytes.is_some() => self.loaded(Scalar::Uint, count),
            _ => {
                let pattern = if self.chance(55) { self.random.one_of(&BINARY) } else { self.random.one_of(&own) };
                let (a, b) = self.operands(Scalar::Uint, count, depth, pattern.starts_with('('));
                Value::of(ty, Range::STORED, pattern, vec![a, b])
            }
        }
    }

    /// Two operands; for an operator one of them may be a scalar.
    fn operands(&mut self, scalar: Scalar, count: u8, depth: u32, operator: bool) -> (Value, Value) {
        let (mut first, mut second) = (count, count);
        if operator && self.chance(15) {
            if self.chance(50) { first = 1 } else { second = 1 }
        }
        if first == 1 && second == 1 {
            (first, second) = (count, count);
        }
        // A scalar on the left of a shift or a division would change the type of neither, but reads oddly everywhere.
        (self.number(scalar, first, depth), self.number(scalar, second, depth))
    }

    fn float(&mut self, count: u8, depth: u32) -> Value {
        let ty = Type::Vector(Scalar::Float, count);
        match self.below(20) {
            0 => {
                let a = self.number(Scalar::Float, count, depth);
                Value::of(ty, a.range, "(-({}))", vec![a])
            }
            1 | 2 => {
                let a = self.number(Scalar::Float, count, depth);
                let pattern = self.pick(&["floor({})", "ceil({})", "trunc({})", "round({})"]);
                Value::of(ty, Range::new(a.range.bound + 1.0, 0), pattern, vec![a])
            }
            3 => {
                let a = self.number(Scalar::Float, count, depth);
                let (pattern, bound) = self.pick(&[
                    ("frac({})", 1.0),
                    ("saturate({})", 1.0),
                    ("sign({}) * 3.0", 3.0),
                    ("fmod({}, 4.0)", 4.0),
                ]);
                Value::of(ty, Range::new(bound, a.range.fraction), &format!("({pattern})"), vec![a])
            }
            4 => {
                let a = self.number(Scalar::Float, count, depth);
                let pattern =
                    self.pick(&["abs({})", "asfloat(asuint({}))", "asfloat(asint({}))", "({} / 1.0)", "({} * 1.0)"]);
                Value::of(ty, a.range, pattern, vec![a])
            }
            5 | 6 => {
                let (a, b) = (self.number(Scalar::Float, count, depth), self.number(Scalar::Float, count, depth));
                let range = a.range.or(b.range);
                let pattern = self.pick(&["min({}, {})", "max({}, {})"]);
                Value::of(ty, range, pattern, vec![a, b])
            }
            7 => {
                let (a, b) = (self.number(Scalar::Float, count, depth), self.number(Scalar::Float, count, depth));
                Value::of(ty, Range::new(1.0, 0), "step({}, {})", vec![a, b])
            }
            8 => self.mixed(count, depth),
            9 if count > 1 => {
                let (a, b) = (self.stored_number(count, depth), self.stored_number(count, depth));
                let range = a.range.times(b.range).summed(count);
                let dot = Value::of(Type::scalar(Scalar::Float), range, "dot({}, {})", vec![a, b]);
                Value::of(ty.clone(), range, &format!("(({})({{}}))", ty.name()), vec![dot])
            }
            10 if count > 1 => self.vector_by_matrix(count, depth),
            // A half holds what a variable may hold.
            10 => {
                let a = self.stored_number(1, depth);
                Value::of(ty, a.range, "f16tof32(f32tof16({}))", vec![a])
            }
            11 => {
                // An implicit conversion.
                let a = self.number(Scalar::Float, count, depth);
                let b = self.number(Scalar::Int, count, depth);
                let b = Value::of(Type::Vector(Scalar::Int, count), Range::new(63.0, 0), "({} & 63)", vec![b]);
                let range = a.range.plus(b.range);
                self.checked(ty, range, "({} + {})", vec![a, b])
            }
            12 => {
                let parts = vec![
                    self.stored_number(count, depth),
                    self.stored_number(count, depth),
                    self.stored_number(count, depth),
                ];
                Value::of(ty, Range::STORED.times(Range::STORED).plus(Range::STORED), "mad({}, {}, {})", parts)
            }
            13..16 => {
                let (a, b) = self.operands(Scalar::Float, count, depth, true);
                let (a, b) = (self.stored(a), self.stored(b));
                let range = a.range.times(b.range);
                Value::of(ty, range, "({} * {})", vec![a, b])
            }
            _ => {
                let (a, b) = self.operands(Scalar::Float, count, depth, true);
                let range = a.range.plus(b.range);
                let pattern = self.pick(&["({} + {})", "({} - {})"]);
                self.checked(ty, range, pattern, vec![a, b])
            }
        }
    }

    fn mixed(&mut self, count: u8, depth: u32) -> Value {
        let ty = Type::Vector(Scalar::Float, count);
        let (a, b) = (self.stored_number(count, depth), self.stored_number(count, depth));
        let weight = self.pick(&["0.0", "1.0", "0.5", "0.25"]);
        let weight = Value::text(Type::scalar(Scalar::Float), Range::new(1.0, 2), weight);
        let weight = Value::of(ty.clone(), weight.range, &format!("(({})({{}}))", ty.name()), vec![weight]);
        Value::of(ty, Range::new(768.0, 4), "lerp({}, {}, {})", vec![a, b, weight])
    }

    fn vector_by_matrix(&mut self, count: u8, depth: u32) -> Value {
        let inner = 2 + self.below(3) as u8;
        let vector = self.stored_number(inner, depth);
        let depth = depth.min(2);
        let left = self.chance(50);
        let matrix = if left {
            self.matrix(Scalar::Float, inner, count, depth)
        } else {
            self.matrix(Scalar::Float, count, inner, depth)
        };
        let matrix = self.stored(matrix);
        let range = vector.range.times(matrix.range).summed(inner);
        let operands = if left { vec![vector, matrix] } else { vec![matrix, vector] };
        Value::of(Type::Vector(Scalar::Float, count), range, "mul({}, {})", operands)
    }

    /// The operation on operands that are made small when its result would not be exact.
    fn checked(&mut self, ty: Type, range: Range, pattern: &str, operands: Vec<Value>) -> Value {
        if range.is_exact() {
            return Value::of(ty, range, pattern, operands);
        }
        let operands: Vec<Value> = operands.into_iter().map(|o| self.stored(o)).collect();
        Value::of(ty, Range::STORED.plus(Range::STORED), pattern, operands)
    }

    fn stored_number(&mut self, count: u8, depth: u32) -> Value {
        let value = self.number(Scalar::Float, count, depth);
        self.stored(value)
    }

    /// The value, or one made of it that a variable may hold.
    pub fn stored(&mut self, value: Value) -> Value {
        let (floats, matrix) = match &value.ty {
            Type::Vector(scalar, _) => (*scalar == Scalar::Float, false),
            Type::Matrix(scalar, ..) => (*scalar == Scalar::Float, true),
            Type::Array(..) | Type::Struct(_) => (false, false),
        };
        if !floats || value.range.is_stored() {
            return value;
        }
        let ty = value.ty.clone();
        let name = ty.name();
        let pattern = match ty {
            Type::Vector(_, count) if !matrix && value.range.bound < 2e9 && self.chance(60) => {
                let ints = Type::Vector(Scalar::Int, count).name();
                format!("{name}({ints}({{}}) & 127)")
            }
            _ => format!("clamp(floor({{}}), ({name})(-256.0), ({name})256.0)"),
        };
        Value::of(ty, Range::new(256.0, 0), &pattern, vec![value])
    }

    fn boolean(&mut self, count: u8, depth: u32) -> Value {
        let ty = Type::Vector(Scalar::Bool, count);
        match self.below(10) {
            0 => {
                let a = self.number(Scalar::Bool, count, depth);
                Value::of(ty, Range::STORED, "(!{})", vec![a])
            }
            1 | 2 => {
                let (a, b) = (self.number(Scalar::Bool, count, depth), self.optional(Scalar::Bool, count, depth));
                // DXC's SPIR-V back end has neither `and` nor `or`.
                let functions = self.is_slang() && self.rare();
                let pattern = match (count > 1, functions) {
                    (true, true) => ["and({}, {})", "or({}, {})"],
                    (true, false) => ["({} == {})", "({} != {})"],
                    (false, _) => ["({} && {})", "({} || {})"],
                };
                let pattern = self.pick(&pattern);
                Value::of(ty, Range::STORED, pattern, vec![a, b])
            }
            3 if count == 1 => {
                let wide = 2 + self.below(3) as u8;
                let a = self.number(Scalar::Bool, wide, depth);
                let pattern = self.pick(&["any({})", "all({})"]);
                Value::of(ty, Range::STORED, pattern, vec![a])
            }
            _ => {
                let scalar = self.pick(&[Scalar::Int, Scalar::Uint, Scalar::Float]);
                let (a, b) = (self.number(scalar, count, depth), self.number(scalar, count, depth));
                let pattern =
                    self.pick(&["({} < {})", "({} <= {})", "({} > {})", "({} >= {})", "({} == {})", "({} != {})"]);
                Value::of(ty, Range::STORED, pattern, vec![a, b])
            }
        }
    }

    fn matrix(&mut self, scalar: Scalar, rows: u8, columns: u8, depth: u32) -> Value {
        let ty = Type::Matrix(scalar, rows, columns);
        if depth == 0 {
            return self
                .leaf(&ty)
                .unwrap_or_else(|| Value::text(ty.clone(), Range::STORED, ty.zero().unwrap_or_default()));
        }
        let depth = depth - 1;
        match self.below(10) {
            0 | 1 => self.matrix_of_parts(scalar, rows, columns, depth),
            2 => {
                let a = self.matrix(scalar, columns, rows, depth);
                Value::of(ty, a.range, "transpose({})", vec![a])
            }
            3 | 4 => {
                let (a, b) = (self.matrix(scalar, rows, columns, depth), self.matrix(scalar, rows, columns, depth));
                let range = a.range.plus(b.range);
                let pattern = self.pick(&["({} + {})", "({} - {})"]);
                self.checked(ty, range, pattern, vec![a, b])
            }
            5 => {
                let (a, b) = (self.matrix(scalar, rows, columns, depth), self.matrix(scalar, rows, columns, depth));
                let (a, b) = (self.stored(a), self.stored(b));
                let range = a.range.times(b.range);
                Value::of(ty, range, "({} * {})", vec![a, b])
            }
            6 => {
                let inner = 2 + self.below(3) as u8;
                let (a, b) = (self.matrix(scalar, rows, inner, depth), self.matrix(scalar, inner, columns, depth));
                let (a, b) = (self.stored(a), self.stored(b));
                let range = a.range.times(b.range).summed(inner);
                Value::of(ty, range, "mul({}, {})", vec![a, b])
            }
            7 if rows < 4 && columns < 4 => {
                let a = self.matrix(scalar, 4, 4, depth);
                Value::of(ty.clone(), a.range, &format!("(({}){{}})", ty.name()), vec![a])
            }
            8 => {
                let (a, b) = (self.matrix(scalar, rows, columns, depth), self.matrix(scalar, rows, columns, depth));
                let range = a.range.or(b.range);
                let condition = self.number(Scalar::Bool, 1, depth);
                self.leaves_out |= a.effects || b.effects;
                Value::of(ty, range, "({} ? {} : {})", vec![condition, a, b])
            }
            _ => {
                self.leaf(&ty).unwrap_or_else(|| Value::text(ty.clone(), Range::STORED, ty.zero().unwrap_or_default()))
            }
        }
    }

    /// A matrix of rows or of elements.
    fn matrix_of_parts(&mut self, scalar: Scalar, rows: u8, columns: u8, depth: u32) -> Value {
        let ty = Type::Matrix(scalar, rows, columns);
        let parts: Vec<Value> = match self.chance(50) {
            true => (0..rows).map(|_| self.number(scalar, columns, depth)).collect(),
            false => (0..rows * columns).map(|_| self.number(scalar, 1, depth.min(1))).collect(),
        };
        let range = parts.iter().map(|p| p.range).fold(Range::new(0.0, 0), Range::or);
        let holes = vec!["{}"; parts.len()].join(", ");
        Value::of(ty.clone(), range, &format!("{}({holes})", ty.name()), parts)
    }

    /// A call of a function that gives a type.
    fn call_of(&mut self, ty: &Type, depth: u32) -> Option<Value> {
        let fits = |f: &&Function| f.result.as_ref() == Some(ty);
        let fitting: Vec<Function> = self.functions.iter().filter(fits).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.pick(&fitting);
        let (tree, effects) = self.call(&function, depth.min(2))?;
        let tree = Tree::new(Kind::Value(ty.clone()), tree.parts);
        Some(Value { tree, ty: ty.clone(), range: Range::STORED, effects })
    }

    /// A call, and whether it changes something. Nothing when it would run too long, or when there is nothing to pass.
    pub fn call(&mut self, function: &Function, depth: u32) -> Option<(Tree, bool)> {
        let cost = function.cost * self.repeated;
        if self.cost + cost > COST_OF_CALLS {
            return None;
        }
        let mut effects = function.effects;
        let mut operands = Vec::new();
        let mut taken = Vec::new();
        let mut pattern = format!("{}(", function.name);
        if let Some(receiver) = &function.receiver {
            let (object, variable) = self.writable(receiver, &taken, function.mentions)?;
            taken.push(variable.name);
            operands.push(object.tree);
            pattern = format!("{{}}.{pattern}");
            effects = true;
        }
        for (index, (mode, ty)) in function.parameters.iter().enumerate() {
            let argument = match mode {
                Mode::In => {
                    let value = self.value(ty, depth)?;
                    effects |= value.effects;
                    self.stored(value).tree
                }
                Mode::Out | Mode::InOut => {
                    let (place, variable) = self.writable(ty, &taken, function.mentions)?;
                    // Both peers make illegal code of several elements of a matrix there.
                    if place.is_matrix_elements() && !self.rare() {
                        return None;
                    }
                    taken.push(variable.name);
                    effects = true;
                    place.tree
                }
            };
            operands.push(argument);
            pattern.push_str(if index > 0 { ", {}" } else { "{}" });
        }
        pattern.push(')');
        self.cost += cost;
        self.effects |= function.effects;
        self.mentions |= function.mentions;
        Some((Tree::pattern(Kind::Fixed, &pattern, operands), effects))
    }

    /// Whether the dialect is Slang.
    pub fn is_slang(&self) -> bool {
        self.dialect == Dialect::Slang
    }
}

/// Bytes of the byte-address buffer that each thread has for itself.
pub const BYTES_OF_THREAD: u64 = 512;

/// What calls may cost in one function.
const COST_OF_CALLS: u64 = super::generator::COST / 4;
