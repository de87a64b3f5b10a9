//! The types of generated programs, and the values that floating-point expressions may take.

/// Kinds of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Bool,
    Int,
    Uint,
    Float,
}

impl Scalar {
    pub const ALL: [Scalar; 4] = [Scalar::Int, Scalar::Uint, Scalar::Float, Scalar::Bool];

    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Int => "int",
            Scalar::Uint => "uint",
            Scalar::Float => "float",
        }
    }

    pub fn is_integer(self) -> bool {
        matches!(self, Scalar::Int | Scalar::Uint)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// A scalar (one component) or a vector.
    Vector(Scalar, u8),
    /// Rows and columns.
    Matrix(Scalar, u8, u8),
    Array(Box<Type>, u32),
    /// The name, and the fields in order.
    Struct(std::rc::Rc<Struct>),
}

#[derive(PartialEq, Eq, Debug)]
pub struct Struct {
    pub name: String,
    pub fields: Vec<Field>,
}

#[derive(PartialEq, Eq, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Type,
    /// `row_major`, `column_major` or nothing.
    pub modifier: &'static str,
}

impl Type {
    pub fn scalar(scalar: Scalar) -> Type {
        Type::Vector(scalar, 1)
    }

    /// The name in a cast; those of arrays have none.
    pub fn name(&self) -> String {
        match self {
            Type::Vector(scalar, 1) => scalar.name().into(),
            Type::Vector(scalar, n) => format!("{}{n}", scalar.name()),
            Type::Matrix(scalar, rows, columns) => format!("{}{rows}x{columns}", scalar.name()),
            Type::Array(element, _) => element.name(),
            Type::Struct(of) => of.name.clone(),
        }
    }

    /// How many words it has, where no matrix and no Boolean is inside: peers do not agree on the bytes of those.
    pub fn words_without_matrices(&self) -> Option<u64> {
        match self {
            Type::Vector(Scalar::Bool, _) | Type::Matrix(..) => None,
            Type::Vector(_, count) => Some(u64::from(*count)),
            Type::Array(element, count) => Some(element.words_without_matrices()? * u64::from(*count)),
            Type::Struct(of) => of.fields.iter().map(|f| f.ty.words_without_matrices()).sum(),
        }
    }

    /// `int3 name[2]`.
    pub fn declare(&self, name: &str) -> String {
        let mut sizes = String::new();
        let mut ty = self;
        while let Type::Array(element, count) = ty {
            sizes.push_str(&format!("[{count}]"));
            ty = element;
        }
        format!("{} {name}{sizes}", ty.name())
    }

    /// The zero of a type, where an expression can be it.
    pub fn zero(&self) -> Option<String> {
        match self {
            Type::Vector(Scalar::Bool, 1) => Some("false".into()),
            Type::Vector(Scalar::Int, 1) => Some("0".into()),
            Type::Vector(Scalar::Uint, 1) => Some("0u".into()),
            Type::Vector(Scalar::Float, 1) => Some("0.0".into()),
            Type::Vector(..) | Type::Matrix(..) | Type::Struct(_) => Some(format!("(({})0)", self.name())),
            Type::Array(..) => None,
        }
    }
}

/// The values that an expression of floating-point type can have: at most `bound` in size, multiples of 2^-`fraction`. Within
/// 24 bits every way to compute it gives the same bits: order, contraction and reassociation do not matter.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub bound: f64,
    pub fraction: i32,
}

impl Range {
    /// What every variable keeps to.
    pub const STORED: Range = Range { bound: 256.0, fraction: 2 };

    pub fn new(bound: f64, fraction: i32) -> Range {
        Range { bound, fraction }
    }

    pub fn is_exact(self) -> bool {
        self.bound * 2f64.powi(self.fraction) <= f64::from(1 << 23)
    }

    pub fn is_stored(self) -> bool {
        self.bound <= Range::STORED.bound && self.fraction <= Range::STORED.fraction
    }

    pub fn or(self, other: Range) -> Range {
        Range::new(self.bound.max(other.bound), self.fraction.max(other.fraction))
    }

    pub fn plus(self, other: Range) -> Range {
        Range::new(self.bound + other.bound, self.fraction.max(other.fraction))
    }

    pub fn times(self, other: Range) -> Range {
        Range::new(self.bound * other.bound, self.fraction + other.fraction)
    }

    /// The sum of so many.
    pub fn summed(self, count: u8) -> Range {
        Range::new(self.bound * f64::from(count), self.fraction)
    }
}
