//! How large types may be, reported where a type is made: no struct holds itself, and no type is so large that a number of
//! registers, bytes or fields of it would not fit the numbers that targets count in.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Field, Id, Program, StructId, Type, TypeId};

/// A row is what may take 16 bytes under some rules, or one register: with at most this many, every offset is below 2^31.
const MAX_ROWS: u64 = (1 << 27) - 1;
/// A struct of more fields than this, those of its fields included, is beyond what a shader has.
const MAX_LEAVES: u64 = 1 << 12;

/// How large a type is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// Vectors and registers, each element of an array by itself.
    rows: u64,
    /// Fields that are no structs or empty ones, those of an array's element once.
    leaves: u64,
}

impl Extent {
    const ONE: Extent = Extent { rows: 1, leaves: 1 };

    fn of(program: &Program, known: &[Extent], ty: TypeId) -> Extent {
        let wide = |scalar: crate::tree::Scalar, n: u8| 1 + u64::from(scalar.size() * u32::from(n) > 16);
        match program.types.get(ty) {
            Type::Vector(s, n) => Extent { rows: wide(s, n), leaves: 1 },
            Type::Matrix(s, rows, columns) => {
                Extent { rows: wide(s, rows.max(columns)) * u64::from(rows.max(columns)), leaves: 1 }
            }
            Type::Array(element, count) => {
                let element = Extent::of(program, known, element);
                Extent { rows: element.rows.max(1).saturating_mul(count.laid_out().unwrap_or(1).into()), ..element }
            }
            Type::Struct(id) => {
                let inner = known.get(id.index()).copied().unwrap_or_default();
                // One that is empty is still walked.
                Extent { leaves: inner.leaves.max(1), ..inner }
            }
            Type::ConstantBuffer(inner, _) | Type::TextureBuffer(inner) | Type::ParameterBlock(inner) => {
                let inner = Extent::of(program, known, inner);
                // Reflection tells of the data in a block twice, as slangc does: by itself and in its place.
                let leaves = inner.leaves.saturating_mul(2).saturating_add(1);
                Extent { rows: inner.rows.saturating_add(1), leaves }
            }
            _ => Extent::ONE,
        }
    }

    fn and(self, other: Extent) -> Extent {
        Extent { rows: self.rows.saturating_add(other.rows), leaves: self.leaves.saturating_add(other.leaves) }
    }
}

impl Checker<'_> {
    /// An array of a count that was computed.
    pub(super) fn array_type(&mut self, element: TypeId, count: Option<i64>, span: Span) -> TypeId {
        if self.program.types.get(element) == Type::Void {
            return self.type_error(Code::NOT_A_TYPE, span, "the elements of an array cannot be void");
        }
        let rows = Extent::of(&self.program, &self.structs.extents, element).rows.max(1);
        match count.map(u32::try_from) {
            None => self.program.types.array(element, None),
            Some(Ok(n)) if rows.saturating_mul(n.into()) <= MAX_ROWS => self.program.types.array(element, Some(n)),
            _ => {
                let (n, text) = (count.unwrap_or_default(), self.type_text(element));
                let message = format!("an array cannot have {n} elements of type `{text}`");
                let diagnostic = Diagnostic::error(Code::NOT_CONSTANT, span, message);
                self.diags.push(match n < 0 {
                    true => diagnostic,
                    false => diagnostic.note("no type may take 2 GiB in a buffer, or 2^27 registers"),
                });
                TypeId::ERROR
            }
        }
    }

    /// The fields of a struct: what would make it too large is reported and left out.
    pub(super) fn set_fields(&mut self, id: StructId, fields: Vec<Field>) {
        let (mut sum, mut reported) = (Extent::default(), false);
        let mut fields = fields;
        for field in &fields {
            sum = sum.and(Extent::of(&self.program, &self.structs.extents, field.ty));
            let name = self.program.structs[id].name;
            let message = match (sum.rows > MAX_ROWS, sum.leaves > MAX_LEAVES) {
                (true, _) => format!("with `{}`, `{name}` takes more than 2 GiB in a buffer", field.name),
                (_, true) => format!("with `{}`, `{name}` has more than {MAX_LEAVES} fields in all", field.name),
                _ => continue,
            };
            self.error(Code::BAD_LAYOUT, field.span, message);
            reported = true;
            break;
        }
        if reported {
            // Told once, and nobody walks what is left: neither the other fields nor what holds the struct are at fault.
            sum = Extent::default();
            fields.iter_mut().for_each(|f| f.ty = TypeId::ERROR);
        }
        let extents = &mut self.structs.extents;
        extents.resize(extents.len().max(id.index() + 1), Extent::default());
        if let Some(known) = extents.get_mut(id.index()) {
            *known = sum;
        }
        self.program.structs[id].fields = fields;
    }

    /// A struct that holds itself has no size: such a field is reported, and gets no type, so that all types end.
    pub(super) fn complete(&mut self, ty: TypeId, span: Span, holder: Symbol) -> TypeId {
        if let Some(inner) = self.unfinished(ty) {
            let name = self.type_text(inner);
            let message = match name == holder.as_str() {
                true => format!("`{name}` contains itself"),
                false => format!("`{holder}` contains `{name}`, which contains it"),
            };
            self.structs.circle = Some(self.structs_between(inner, Diagnostic::error(Code::RECURSION, span, message)));
        } else if self.structs.circle.is_none() {
            return ty;
        }
        // A circle through a type of the library is reported at the user's field.
        if !self.in_builtin()
            && let Some(circle) = self.structs.circle.take()
        {
            self.diags.push(Diagnostic { span: Some(span), ..circle });
        }
        TypeId::ERROR
    }

    /// Labels on the structs whose fields are being resolved because of those of `first`.
    fn structs_between(&self, first: TypeId, circle: Diagnostic) -> Diagnostic {
        let from = self.structs.list.iter().skip_while(|i| i.ty != first).filter(|i| i.resolving);
        let ids = from.filter_map(|i| match self.program.types.get(i.ty) {
            Type::Struct(id) => Some(&self.program.structs[id]),
            _ => None,
        });
        let users = ids.filter(|s| !s.builtin);
        users.fold(circle, |circle, s| circle.label(s.span, format!("a value of `{}` would hold another one", s.name)))
    }

    /// The struct that a value or the contents of a buffer of this type would hold while its own fields are not known yet.
    pub(super) fn unfinished(&self, ty: TypeId) -> Option<TypeId> {
        let mut inner = ty;
        loop {
            inner = match self.program.types.get(inner) {
                Type::Array(element, _) | Type::Buffer(_, _, element) => element,
                Type::ConstantBuffer(element, _) | Type::TextureBuffer(element) | Type::ParameterBlock(element) => {
                    element
                }
                Type::Struct(_) => break,
                _ => return None,
            }
        }
        self.structs.instance(inner).is_some_and(|i| i.resolving).then_some(inner)
    }
}
