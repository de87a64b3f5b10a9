//! Values split into numbers, as HLSL fills the parts of a list and casts one aggregate to another.
//!
//! `struct T { float2 a; float2 b; };  T t = { v.xyz, w };  T u = (T)v;  float x[4] = (float[4])t;`
//!
//! What a value holds is flattened into scalars, matrices row by row, and these fill the scalars of the other side (HLSL
//! Specification, "Initializer Lists" and "Flat Conversions"). A cast drops what is too much.

use super::{Checker, convert};
use crate::parse::Language;
use crate::source::Span;
use crate::tree::analyses::effects::is_pure;
use crate::tree::{ExprId, ExprKind, Length, Literal, Swizzle, Type, TypeId};

/// A value of more numbers is not split.
const MOST: u32 = 4096;

impl Checker<'_> {
    /// How many numbers a type holds. Nothing for what is no data, and for more than [`MOST`].
    fn flat_count(&self, ty: TypeId, depth: u32) -> Option<u32> {
        let types = &self.program.types;
        let count = match types.get(ty) {
            Type::Scalar(_) | Type::Enum(_) => 1,
            Type::Vector(_, n) => n.into(),
            Type::Matrix(_, rows, columns) => u32::from(rows) * u32::from(columns),
            Type::Array(element, Length::Fixed(n)) if depth > 0 => {
                self.flat_count(element, depth - 1)?.checked_mul(n)?
            }
            Type::Struct(id) if depth > 0 => {
                let fields = &self.program.structs[id].fields;
                fields.iter().try_fold(0u32, |sum, f| sum.checked_add(self.flat_count(f.ty, depth - 1)?))?
            }
            _ => return None,
        };
        (count <= MOST).then_some(count)
    }

    /// How many numbers a type holds that is no number itself.
    pub(super) fn flat_size(&self, ty: TypeId) -> Option<u32> {
        let scalar = matches!(self.program.types.get(ty), Type::Scalar(_) | Type::Enum(_));
        self.flat_count(ty, 16).filter(|_| !scalar)
    }

    /// How many numbers and resources a type holds.
    fn part_count(&self, ty: TypeId, depth: u32) -> Option<u32> {
        let types = &self.program.types;
        let count = match types.get(ty) {
            Type::Array(element, Length::Fixed(n)) if depth > 0 => {
                self.part_count(element, depth - 1)?.checked_mul(n)?
            }
            Type::Struct(id) if depth > 0 => {
                let fields = &self.program.structs[id].fields;
                fields.iter().try_fold(0u32, |sum, f| sum.checked_add(self.part_count(f.ty, depth - 1)?))?
            }
            held if held.is_resource() => 1,
            _ => self.flat_count(ty, 0)?,
        };
        (count <= MOST).then_some(count)
    }

    /// HLSL: the numbers and resources of a struct or an array that holds resources.
    pub(super) fn resource_parts(&mut self, value: ExprId) -> Option<Vec<ExprId>> {
        let ty = self.ty(value);
        if self.language() != Language::Hlsl
            || !matches!(self.program.types.get(ty), Type::Struct(_) | Type::Array(..))
            || !is_pure(&self.cx.body.exprs, value)
        {
            return None;
        }
        self.part_count(ty, 16)?;
        let mut parts = Vec::new();
        self.scatter(value, ty, &mut parts);
        Some(parts)
    }

    /// The numbers of a vector, matrix, array or struct. What has effects is evaluated once.
    pub(super) fn flat_parts(&mut self, value: ExprId) -> Option<Vec<ExprId>> {
        let ty = self.ty(value);
        self.flat_size(ty)?;
        let (set, held) = self.held(value, "parts");
        let mut parts = Vec::new();
        self.scatter(held, ty, &mut parts);
        if let (Some(set), Some(first)) = (set, parts.first_mut()) {
            let (ty, span) = (self.ty(*first), self.span(*first));
            *first = self.push(ExprKind::Comma(set, *first), ty, span);
        }
        Some(parts)
    }

    fn scatter(&mut self, value: ExprId, ty: TypeId, out: &mut Vec<ExprId>) {
        let parts: Vec<(ExprKind, TypeId)> = match self.program.types.get(ty) {
            Type::Vector(scalar, n) => {
                let scalar = self.program.types.scalar(scalar);
                (0..n).map(|c| (ExprKind::Swizzle(self.copy(value), Swizzle::new(&[c])), scalar)).collect()
            }
            Type::Matrix(scalar, rows, columns) => {
                let row = self.program.types.vector(scalar, columns);
                (0..u32::from(rows)).map(|n| (self.element(value, n), row)).collect()
            }
            Type::Array(element, Length::Fixed(n)) => (0..n).map(|n| (self.element(value, n), element)).collect(),
            Type::Struct(id) => {
                let fields: Vec<TypeId> = self.program.structs[id].fields.iter().map(|f| f.ty).collect();
                let field = |(n, ty): (usize, TypeId)| (ExprKind::Field(self.copy(value), n as u32), ty);
                fields.into_iter().enumerate().map(field).collect()
            }
            _ => return out.push(value),
        };
        let span = self.span(value);
        for (kind, ty) in parts {
            let part = self.push(kind, ty, span);
            self.scatter(part, ty, out);
        }
    }

    fn element(&mut self, value: ExprId, index: u32) -> ExprKind {
        let span = self.span(value);
        let index = self.push(ExprKind::Literal(Literal::Int(index.into()), None), TypeId::INT, span);
        ExprKind::Index(self.copy(value), index)
    }

    /// Whether two arrays or structs hold numbers of the same kinds: HLSL converts one to the other by itself.
    pub(super) fn same_parts(&self, from: TypeId, to: TypeId) -> bool {
        let is_aggregate = |ty| matches!(self.program.types.get(ty), Type::Struct(_) | Type::Array(..));
        if self.language() != Language::Hlsl || !is_aggregate(from) || !is_aggregate(to) {
            return false;
        }
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let known = [from, to].into_iter().all(|ty| self.flat_count(ty, 16).is_some_and(|count| count > 0));
        if known {
            self.kinds(from, &mut a);
            self.kinds(to, &mut b);
        }
        known && a == b
    }

    /// The kinds of the numbers of a type, in order.
    fn kinds(&self, ty: TypeId, out: &mut Vec<Type>) {
        match self.program.types.get(ty) {
            Type::Array(element, Length::Fixed(n)) => {
                let first = out.len();
                self.kinds(element, out);
                let of_one = out.get(first..).unwrap_or_default().to_vec();
                (1..n).for_each(|_| out.extend(&of_one));
            }
            Type::Struct(id) => self.program.structs[id].fields.iter().for_each(|f| self.kinds(f.ty, out)),
            Type::Vector(..) | Type::Matrix(..) => {
                let count = self.flat_count(ty, 0).unwrap_or(0);
                let scalar = self.program.types.component(ty).map(Type::Scalar);
                out.extend((0..count).filter_map(|_| scalar));
            }
            other => out.push(other),
        }
    }

    /// `(to)value`, where one of them is an array or a struct.
    pub(super) fn flat_cast(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let from = self.ty(value);
        let is_aggregate = |c: &Self, ty| matches!(c.program.types.get(ty), Type::Struct(_) | Type::Array(..));
        if !is_aggregate(self, from) && !is_aggregate(self, to) || !convert::is_data(&self.program, to, 16) {
            return None;
        }
        let count = self.flat_count(to, 16)?;
        let span = self.span(value);
        // A number alone fills all.
        let own = self.flat_size(from).filter(|size| *size > 1 || is_aggregate(self, from));
        let size = match own {
            Some(size) => size,
            None => self.flat_count(from, 0).map(|_| count)?,
        };
        let value = match own {
            None if self.flat_size(from).is_some() => {
                let scalar = self.program.types.component(from)?;
                let scalar = self.program.types.scalar(scalar);
                self.convert(value, scalar, false)
            }
            _ => value,
        };
        if size < count {
            return None;
        }
        let (set, held) = self.held(value, "parts");
        let mut parts = Vec::new();
        match own {
            Some(_) => self.scatter(held, from, &mut parts),
            None => parts.extend((0..count).map(|_| self.copy(held))),
        }
        parts.truncate(count as usize);
        let made = self.made_of(parts, to, span)?;
        Some(match set {
            Some(set) => self.push(ExprKind::Comma(set, made), to, span),
            None => made,
        })
    }

    /// HLSL: the place that a cast of one names, `l[1]` for `((float[2])l)[1]` and `{ l[0], l[1] }` for `(float[2])l`. A cast to
    /// numbers of another kind names none.
    pub(super) fn place_of_cast(&mut self, target: ExprId) -> ExprId {
        match self.language() == Language::Hlsl && self.assignable(target, 0).is_some() {
            true => self.seen_through(target),
            false => target,
        }
    }

    fn seen_through(&mut self, place: ExprId) -> ExprId {
        let (kind, ty, span) = (self.kind(place).clone(), self.ty(place), self.span(place));
        match kind {
            ExprKind::Field(base, index) => {
                let base = self.seen_through(base);
                match self.part_of_made(base, index as usize) {
                    Some(part) => part,
                    None => self.push(ExprKind::Field(base, index), ty, span),
                }
            }
            ExprKind::Index(base, index) => self.seen_element(base, index, ty, span),
            ExprKind::Swizzle(base, swizzle) => {
                let base = self.seen_through(base);
                let parts: Option<Vec<ExprId>> =
                    swizzle.list().iter().map(|c| self.part_of_made(base, usize::from(*c))).collect();
                match parts {
                    Some(parts) => match parts.as_slice() {
                        [only] => *only,
                        _ => self.push(ExprKind::Construct(parts), ty, span),
                    },
                    None => self.push(ExprKind::Swizzle(base, swizzle), ty, span),
                }
            }
            ExprKind::MatrixSwizzle(base, list) => match self.cut_matrix(base) {
                Some((whole, _)) => self.push(ExprKind::MatrixSwizzle(whole, list), ty, span),
                None => place,
            },
            ExprKind::Convert(inner, _) => {
                let types = &self.program.types;
                match (types.get(self.ty(inner)), types.get(ty)) {
                    (Type::Vector(a, n), Type::Vector(b, m)) if a == b && m < n => self.first_components(inner, m),
                    (Type::Vector(a, _), Type::Scalar(b)) if a == b => self.first_components(inner, 1),
                    _ => place,
                }
            }
            _ => place,
        }
    }

    /// An element of a cast: of an array that is made of parts, or a row of a matrix that is cut.
    fn seen_element(&mut self, base: ExprId, index: ExprId, ty: TypeId, span: Span) -> ExprId {
        if let Some((whole, columns)) = self.cut_matrix(base)
            && let Type::Matrix(scalar, _, all) = self.program.types.get(self.ty(whole))
        {
            let row = self.program.types.vector(scalar, all);
            let row = self.push(ExprKind::Index(whole, index), row, span);
            return if columns < all { self.first_components(row, columns) } else { row };
        }
        let base = self.seen_through(base);
        let known = match *self.kind(index) {
            ExprKind::Literal(Literal::Int(n), _) => usize::try_from(n).ok(),
            _ => None,
        };
        match known.and_then(|n| self.part_of_made(base, n)) {
            Some(part) => part,
            None => self.push(ExprKind::Index(base, index), ty, span),
        }
    }

    /// The matrix that a cast leaves rows or columns out of, and how many columns it keeps.
    fn cut_matrix(&self, cast: ExprId) -> Option<(ExprId, u8)> {
        let ExprKind::Convert(whole, _) = *self.kind(cast) else { return None };
        let types = &self.program.types;
        match (types.get(self.ty(whole)), types.get(self.ty(cast))) {
            (Type::Matrix(a, rows, columns), Type::Matrix(b, r, c)) if a == b && r <= rows && c <= columns => {
                Some((whole, c))
            }
            _ => None,
        }
    }

    fn first_components(&mut self, vector: ExprId, count: u8) -> ExprId {
        let Some(scalar) = self.program.types.component(self.ty(vector)) else { return vector };
        let (ty, span) = (self.program.types.scalar_or_vector(scalar, count), self.span(vector));
        let all: Vec<u8> = (0..count).collect();
        self.push(ExprKind::Swizzle(vector, Swizzle::new(&all)), ty, span)
    }

    /// A part of what is made of one part for each.
    fn part_of_made(&self, made: ExprId, index: usize) -> Option<ExprId> {
        let ExprKind::Construct(parts) = self.kind(made) else { return None };
        let whole = match self.program.types.get(self.ty(made)) {
            Type::Vector(_, n) => usize::from(n),
            Type::Array(_, count) => count.fixed()? as usize,
            Type::Struct(id) => self.program.structs[id].fields.len(),
            _ => return None,
        };
        parts.get(index).copied().filter(|_| parts.len() == whole)
    }

    /// `(float[2])l = value` as `l[0] = value[0], l[1] = value[1]`.
    pub(super) fn assign_flat(&mut self, places: Vec<ExprId>, target: ExprId, value: ExprId, span: Span) -> ExprId {
        let ty = self.ty(target);
        let value = self.coerce(value, ty);
        let local = self.temporary("value", ty, span);
        let held = self.push(ExprKind::Local(local), ty, span);
        let mut whole = self.push(ExprKind::Assign(None, held, value), ty, span);
        let mut parts = Vec::new();
        self.scatter(held, ty, &mut parts);
        for (place, part) in places.into_iter().zip(parts) {
            let part_ty = self.ty(place);
            let set = self.push(ExprKind::Assign(None, place, part), part_ty, span);
            whole = self.push(ExprKind::Comma(whole, set), part_ty, span);
        }
        let held = self.push(ExprKind::Local(local), ty, span);
        self.push(ExprKind::Comma(whole, held), ty, span)
    }

    /// The numbers that the cast of a place names, one by one.
    pub(super) fn flat_places(&self, target: ExprId) -> Option<Vec<ExprId>> {
        let mut places = Vec::new();
        self.places(target, &mut places)?;
        Some(places)
    }

    fn places(&self, made: ExprId, out: &mut Vec<ExprId>) -> Option<()> {
        let ExprKind::Construct(parts) = self.kind(made) else { return None };
        for part in parts {
            match self.kind(*part) {
                ExprKind::Construct(_) => self.places(*part, out)?,
                _ if self.flat_count(self.ty(*part), 0) == Some(1) && self.assignable(*part, 0).is_none() => {
                    out.push(*part);
                }
                _ => return None,
            }
        }
        Some(())
    }
}
