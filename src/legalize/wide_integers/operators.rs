//! Operators and conversions of 64-bit integers.

use super::pairs::Pairs;
use super::width;
use crate::stdlib::Operation;
use crate::tree::analyses::is_pure;
use crate::tree::*;

/// The functions for operators whose result does not depend on the sign, or those for unsigned and signed operands.
fn helper(op: BinaryOp) -> Option<[&'static str; 2]> {
    use BinaryOp::*;
    Some(match op {
        Add => ["add_64"; 2],
        Sub => ["subtract_64"; 2],
        Mul => ["multiply_64"; 2],
        Div => ["divide_u64", "divide_i64"],
        Rem => ["remainder_u64", "remainder_i64"],
        Shl => ["shift_left_64"; 2],
        Shr => ["shift_right_u64", "shift_right_i64"],
        Less | GreaterEqual => ["less_u64", "less_i64"],
        Greater | LessEqual => ["greater_u64", "greater_i64"],
        BitAnd | BitOr | BitXor | And | Or | Equal | NotEqual => return None,
    })
}

impl Pairs<'_> {
    /// Makes an expression a call of a function of the library.
    fn call(&mut self, id: ExprId, name: &str, args: Vec<ExprId>) {
        match self.helpers.function(self.program, name) {
            Some(function) => self.exprs[id].kind = ExprKind::Call(function, args),
            None => self.fault("this operation on"),
        }
    }

    pub(super) fn unary(&mut self, id: ExprId, op: UnaryOp, a: ExprId) {
        if self.is_vector(a) {
            let ty = self.scalar_type(self.ty(id));
            self.by_component(id, &mut |lower, index| {
                let a = lower.component(a, index);
                lower.scalar(ExprKind::Unary(op, a), ty)
            });
            return;
        }
        match op {
            UnaryOp::Negate => self.call(id, "negate_64", vec![a]),
            UnaryOp::BitNot => {}
            UnaryOp::Not => {
                let zero = self.compared_with_zero(BinaryOp::Equal, a);
                self.become_expr(id, zero);
            }
        }
    }

    pub(super) fn binary(&mut self, id: ExprId, op: BinaryOp, a: ExprId, b: ExprId) {
        if self.is_vector(a) || self.is_vector(b) {
            let ty = self.scalar_type(self.ty(id));
            self.by_component(id, &mut |lower, index| {
                let [a, b] = [a, b].map(|operand| lower.component(operand, index));
                lower.scalar(ExprKind::Binary(op, a, b), ty)
            });
            return;
        }
        match op {
            BinaryOp::Shl | BinaryOp::Shr => self.shift(id, op, a, b),
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let compared = self.compared(op, a, b);
                self.become_expr(id, compared);
            }
            BinaryOp::BitOr => self.join(id, a, b),
            _ => {
                let Some([unsigned, signed]) = helper(op) else { return };
                self.call(id, if self.is_signed(a) { signed } else { unsigned }, vec![a, b]);
                if matches!(op, BinaryOp::LessEqual | BinaryOp::GreaterEqual) {
                    let ty = self.ty(id);
                    let opposite = self.exprs.displace(id);
                    self.exprs[id].kind = ExprKind::Unary(UnaryOp::Not, opposite);
                    self.exprs[id].ty = ty;
                }
            }
        }
    }

    /// `all(a == b)`, `any(a != b)`.
    fn compared(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let operation = if op == BinaryOp::Equal { Operation::All } else { Operation::Any };
        let mut build = self.build();
        let words = build.types.vector(Scalar::Bool, 2);
        let words = build.add(ExprKind::Binary(op, a, b), words);
        build.native(operation.common().clone(), vec![words], TypeId::BOOL)
    }

    fn compared_with_zero(&mut self, op: BinaryOp, a: ExprId) -> ExprId {
        let ty = self.ty(a);
        let zero = self.build().add(ExprKind::Zero, ty);
        self.compared(op, a, zero)
    }

    /// The words of two pairs one of which has the low and the other the high word: `uint64_t(low) | uint64_t(high) << 32`.
    fn join(&mut self, id: ExprId, a: ExprId, b: ExprId) {
        let (Some([a_low, a_high]), Some([b_low, b_high])) = (self.words(a), self.words(b)) else { return };
        if self.is_zero(a_high) && self.is_zero(b_low) {
            self.exprs[id].kind = ExprKind::Construct(vec![a_low, b_high]);
        }
    }

    fn shift(&mut self, id: ExprId, op: BinaryOp, a: ExprId, distance: ExprId) {
        let number = match self.exprs[distance].kind {
            ExprKind::Literal(Literal::Int(number), _) => Some(number),
            ExprKind::Construct(_) => match self.words(distance).map(|[low, _]| self.exprs[low].kind.clone()) {
                Some(ExprKind::Literal(Literal::Int(number), _)) => Some(number),
                _ => None,
            },
            _ => None,
        };
        let distance = match self.is_wide(distance) {
            true => self.word(distance, 0),
            false => self.build().convert(distance, TypeId::UINT),
        };
        if !self.is_wide(a) {
            self.exprs[id].kind = ExprKind::Binary(op, a, distance);
            return;
        }
        let zero = self.build().uint(0);
        match (op, number, self.is_signed(a)) {
            (BinaryOp::Shl, Some(32), _) => {
                let low = self.word(a, 0);
                self.exprs[id].kind = ExprKind::Construct(vec![zero, low]);
            }
            (BinaryOp::Shr, Some(32), false) => {
                let high = self.word(a, 1);
                self.exprs[id].kind = ExprKind::Construct(vec![high, zero]);
            }
            (_, Some(number @ 0..64), _) => {
                let number = self.build().uint(number as u32);
                self.shift_by(id, op, a, number);
            }
            _ => self.shift_by(id, op, a, distance),
        }
    }

    fn shift_by(&mut self, id: ExprId, op: BinaryOp, a: ExprId, distance: ExprId) {
        let Some([unsigned, signed]) = helper(op) else { return };
        self.call(id, if self.is_signed(a) { signed } else { unsigned }, vec![a, distance]);
    }

    // ---- Assignments ----

    pub(super) fn assign(&mut self, id: ExprId, op: Option<BinaryOp>, target: ExprId, value: ExprId) {
        if let ExprKind::Construct(_) = self.exprs[target].kind {
            return self.fault("the assignment of several components of a vector of");
        }
        if let Some(op) = op {
            let read = self.exprs.duplicate(target);
            let ty = self.ty(target);
            let value = self.scalar(ExprKind::Binary(op, read, value), ty);
            self.exprs[id].kind = ExprKind::Assign(None, target, value);
        }
    }

    /// A shift of a smaller number by one of 64 bits: its lower word tells how far, which is then masked where that matters.
    pub(super) fn shift_assigned(&mut self, id: ExprId, op: Option<BinaryOp>, target: ExprId, distance: ExprId) {
        let count = width(&self.program.types, self.ty(distance)).unwrap_or(1);
        let lows: Vec<ExprId> = (0..count)
            .map(|index| {
                let distance = if self.is_vector(distance) { self.component(distance, index) } else { distance };
                self.word(distance, 0)
            })
            .collect();
        let distance = match *lows.as_slice() {
            [low] => low,
            _ => {
                let mut build = self.build();
                let ty = build.types.vector(Scalar::U32, count);
                build.add(ExprKind::Construct(lows), ty)
            }
        };
        self.exprs[id].kind = ExprKind::Assign(op, target, distance);
    }

    /// `x++` is an assignment; where its value is used, one that is taken back.
    pub(super) fn step(&mut self, id: ExprId, increment: bool, prefix: bool, target: ExprId) {
        let (next, back) = if increment { (BinaryOp::Add, BinaryOp::Sub) } else { (BinaryOp::Sub, BinaryOp::Add) };
        let ty = self.ty(target);
        let one = |lower: &mut Self| {
            let one = lower.build().number(1, ty);
            lower.exprs.post_order(one).into_iter().for_each(|part| lower.lower(part));
            one
        };
        let amount = one(self);
        if prefix || self.statements.contains(&id) {
            return self.assigned(id, next, target, amount);
        }
        let assignment = self.build().add(ExprKind::Zero, ty);
        self.assigned(assignment, next, target, amount);
        let amount = one(self);
        let before = self.scalar(ExprKind::Binary(back, assignment, amount), ty);
        self.become_expr(id, before);
    }

    fn assigned(&mut self, id: ExprId, op: BinaryOp, target: ExprId, value: ExprId) {
        self.exprs[id].kind = ExprKind::Assign(Some(op), target, value);
        self.assign(id, Some(op), target, value);
    }

    // ---- Conversions ----

    pub(super) fn convert(&mut self, id: ExprId, a: ExprId) {
        if self.is_vector(id) {
            let ty = self.scalar_type(self.ty(id));
            self.by_component(id, &mut |lower, index| {
                let a = lower.component(a, index);
                if lower.ty(a) == ty { a } else { lower.scalar(ExprKind::Convert(a, false), ty) }
            });
            return;
        }
        let a = if self.is_vector(a) { self.component(a, 0) } else { a };
        match (self.is_wide(id), self.is_wide(a)) {
            (true, true) => self.become_expr(id, a),
            (true, false) => self.widen(id, a),
            _ => self.narrow(id, a),
        }
    }

    /// A pair of a smaller number.
    fn widen(&mut self, id: ExprId, a: ExprId) {
        match self.program.types.component(self.ty(a)) {
            None => self.fault("buffer device addresses as"),
            Some(Scalar::F64) if self.doubles => self.fault("conversions of doubles to"),
            Some(s) if s.is_float() => {
                let a = self.build().convert(a, TypeId::FLOAT);
                self.call(id, if self.is_signed(id) { "i64_from_float" } else { "u64_from_float" }, vec![a]);
            }
            Some(s) if s.is_signed() => {
                let a = self.build().convert(a, TypeId::INT);
                self.call(id, "i64_from_int", vec![a]);
            }
            Some(_) => {
                let mut b = self.build();
                let (low, high) = (b.convert(a, TypeId::UINT), b.uint(0));
                self.exprs[id].kind = ExprKind::Construct(vec![low, high]);
            }
        }
    }

    /// A smaller number of a pair.
    fn narrow(&mut self, id: ExprId, a: ExprId) {
        let ty = self.ty(id);
        let value = match self.program.types.component(ty) {
            None => return self.fault("buffer device addresses made of"),
            Some(Scalar::F64) if self.doubles => return self.fault("conversions to doubles of"),
            Some(Scalar::Bool) => self.compared_with_zero(BinaryOp::NotEqual, a),
            Some(s) if s.is_float() => {
                let value = self.build().add(ExprKind::Zero, TypeId::FLOAT);
                self.call(value, if self.is_signed(a) { "float_from_i64" } else { "float_from_u64" }, vec![a]);
                value
            }
            Some(_) => self.word(a, 0),
        };
        let value = self.build().convert(value, ty);
        self.become_expr(id, value);
    }

    // ---- Words ----

    /// A word of a pair.
    pub(super) fn word(&mut self, pair: ExprId, index: u8) -> ExprId {
        if let Some([low, high]) = self.words(pair) {
            let (word, other) = if index == 0 { (low, high) } else { (high, low) };
            if is_pure(self.exprs, other) {
                return word;
            }
        }
        self.build().add(ExprKind::Swizzle(pair, Swizzle::new(&[index])), TypeId::UINT)
    }

    /// The words of a pair that is made of two.
    fn words(&self, pair: ExprId) -> Option<[ExprId; 2]> {
        match &self.exprs[pair].kind {
            ExprKind::Construct(parts) if self.width(pair) == Some(1) => parts.as_slice().try_into().ok(),
            _ => None,
        }
    }

    fn is_zero(&self, id: ExprId) -> bool {
        matches!(self.exprs[id].kind, ExprKind::Literal(Literal::Int(0), _))
    }
}
