//! Which bytes the expressions name that select parts of data: `buffer[i].lights[2].color.x`.

use super::bits;
use crate::check::constant::eval_int;
use crate::layout::{Detail, TypeLayout, Unit};
use crate::tree::{ExprArena, ExprId, ExprKind, MatrixOrder, Program, Type};

/// A part of the data of a buffer, or of what a pointer refers to.
#[derive(Clone)]
pub(super) struct Part {
    /// The expression that names it.
    pub top: ExprId,
    /// The buffer or pointer.
    pub base: ExprId,
    /// Indices with the bytes from one to the next.
    pub terms: Vec<(ExprId, u64)>,
    /// Bytes from there.
    pub offset: u64,
    pub layout: TypeLayout,
    /// The components that are meant, of a vector or matrix: bytes from the offset.
    pub components: Option<Vec<u64>>,
    /// The bytes from one component to the next, of a row of a matrix that is stored by columns.
    pub apart: Option<u64>,
}

impl Part {
    /// All of some data.
    pub fn new(top: ExprId, base: ExprId, layout: TypeLayout) -> Part {
        Part { top, base, terms: Vec::new(), offset: 0, layout, components: None, apart: None }
    }

    /// Adds an index.
    pub fn step(&mut self, program: &Program, exprs: &ExprArena, index: ExprId, stride: u64) {
        match eval_int(program, exprs, index).ok().and_then(|n| u64::try_from(n).ok()) {
            Some(n) if n.saturating_mul(stride) < 1 << 31 => self.offset += n * stride,
            _ => self.terms.push((index, stride)),
        }
    }

    /// Goes on to what an expression selects of it, if it does.
    pub fn select(&mut self, program: &Program, exprs: &ExprArena, by: ExprId) -> bool {
        if let Some(list) = &self.components {
            return self.select_component(program, exprs, by, list.clone());
        }
        let scalar = |layout: &TypeLayout| program.types.component(layout.ty);
        match (&self.layout.detail, &exprs[by].kind) {
            (Detail::Struct(fields), ExprKind::Field(base, i)) if *base == self.top => {
                let Some(field) = fields.get(*i as usize).cloned() else { return false };
                self.offset += field.offset.get(Unit::Bytes);
                self.layout = field.layout;
            }
            (Detail::Array { element, stride, .. }, ExprKind::Index(base, i)) if *base == self.top => {
                let (element, stride) = (TypeLayout::clone(element), stride.get(Unit::Bytes));
                self.step(program, exprs, *i, stride);
                self.layout = element;
            }
            (Detail::Plain, ExprKind::Index(base, i)) if *base == self.top => {
                let Some(s) = scalar(&self.layout) else { return false };
                self.step(program, exprs, *i, s.size().into());
                self.layout = TypeLayout { ty: exprs[by].ty, align: s.size(), ..self.layout.clone() };
            }
            (Detail::Plain, ExprKind::Swizzle(base, swizzle)) if *base == self.top => {
                let Some(s) = scalar(&self.layout) else { return false };
                match swizzle.list() {
                    [one] => {
                        self.offset += u64::from(*one) * u64::from(s.size());
                        self.layout = TypeLayout { ty: exprs[by].ty, align: s.size(), ..self.layout.clone() };
                    }
                    list => self.components = Some(list.iter().map(|c| u64::from(*c) * u64::from(s.size())).collect()),
                }
            }
            (Detail::Matrix { stride, order }, ExprKind::Index(base, i)) if *base == self.top => {
                let Type::Matrix(s, _, columns) = program.types.get(self.layout.ty) else { return false };
                let (distance, size) = (u64::from(*stride), u64::from(s.size()));
                match order {
                    MatrixOrder::Row => {
                        self.step(program, exprs, *i, distance);
                        let detail = Detail::Plain;
                        self.layout = TypeLayout { ty: exprs[by].ty, align: s.size(), detail, ..self.layout.clone() };
                    }
                    MatrixOrder::Column => {
                        self.step(program, exprs, *i, size);
                        self.components = Some((0..u64::from(columns)).map(|c| c * distance).collect());
                        self.apart = Some(distance);
                    }
                }
            }
            (Detail::Matrix { stride, order }, ExprKind::MatrixSwizzle(base, list)) if *base == self.top => {
                let Some(s) = scalar(&self.layout) else { return false };
                let bytes = list.iter().map(|(r, c)| bits::element_offset(*order, *stride, s, *r, *c));
                self.components = Some(bytes.collect());
            }
            _ => return false,
        }
        true
    }

    /// Goes on to components of a row that lies apart.
    fn select_component(&mut self, program: &Program, exprs: &ExprArena, by: ExprId, list: Vec<u64>) -> bool {
        let Some(distance) = self.apart else { return false };
        match &exprs[by].kind {
            ExprKind::Index(base, i) if *base == self.top => {
                self.step(program, exprs, *i, distance);
                self.components = Some(vec![0]);
            }
            ExprKind::Swizzle(base, swizzle) if *base == self.top => {
                let chosen = swizzle.list().iter().filter_map(|c| list.get(usize::from(*c)).copied());
                self.components = Some(chosen.collect());
            }
            _ => return false,
        }
        self.apart = None;
        true
    }
}
