//! A SPIR-V module, read into tables: types, constants, module variables and functions.

use super::value::Value;
use spirv::{Decoration, Op, StorageClass};
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Type {
    Void,
    Bool,
    Int {
        width: u32,
    },
    Float {
        width: u32,
    },
    Vector {
        of: u32,
        count: u32,
    },
    /// The type of a column, and how many there are.
    Matrix {
        column: u32,
        count: u32,
    },
    Array {
        of: u32,
        count: u32,
        stride: u32,
    },
    RuntimeArray {
        of: u32,
        stride: u32,
    },
    Struct {
        members: Rc<Vec<Member>>,
    },
    Pointer {
        to: u32,
    },
    Other,
}

/// A member of a struct, with where it is in a buffer.
#[derive(Clone, Debug)]
pub struct Member {
    pub ty: u32,
    pub offset: u32,
    /// Of a matrix, or of an array of matrices: bytes from one column to the next, or from one row to the next.
    pub matrix: Option<MatrixLayout>,
}

#[derive(Clone, Copy, Debug)]
pub struct MatrixLayout {
    pub stride: u32,
    pub rows: bool,
}

pub struct Instruction {
    pub op: Op,
    /// The type of the result; 0 where there is none.
    pub ty: u32,
    /// The result; 0 where there is none.
    pub id: u32,
    pub words: Vec<u32>,
}

pub struct Block {
    pub label: u32,
    pub instructions: Vec<Instruction>,
}

#[derive(Default)]
pub struct Function {
    pub parameters: Vec<u32>,
    pub blocks: Vec<Block>,
    pub by_label: HashMap<u32, usize>,
    /// How many ids it defines.
    pub slots: usize,
}

pub struct Variable {
    pub id: u32,
    pub ty: u32,
    pub class: StorageClass,
    pub initializer: Option<u32>,
}

/// What is decorated: an id, or a member of it.
type Target = (u32, Option<u32>);

/// Where the value of an id is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    Unknown,
    Global,
    Local(u32),
}

/// naga and slangc, by their words in the headers of SPIR-V without a version. naga has its number in the wrong half.
const GENERATORS_OF_SHIFTS: [u32; 2] = [28, 40 << 16];
/// The version of a generator, which is slangc's own.
const GENERATOR_VERSION: u32 = 0xffff;

#[derive(Default)]
pub struct Module {
    pub types: Vec<Type>,
    pub constants: HashMap<u32, Value>,
    /// The types of ids.
    types_of: Vec<u32>,
    pub variables: Vec<Variable>,
    pub functions: HashMap<u32, Function>,
    pub entry: u32,
    pub size: [u32; 3],
    pub slots: Vec<Slot>,
    pub bindings: HashMap<u32, u32>,
    pub builtins: HashMap<u32, u32>,
    /// The set of `GLSL.std.450`.
    pub extended: Option<u32>,
    /// Whether shifts take their distance modulo the width: the compilers of these languages pass distances on as they are.
    pub wraps_shifts: bool,
    decorations: HashMap<Target, Vec<(Decoration, u32)>>,
}

/// Instructions that give nothing.
fn has_result(op: Op) -> bool {
    use Op::*;
    !matches!(
        op,
        Nop | Line
            | NoLine
            | Store
            | CopyMemory
            | Branch
            | BranchConditional
            | Switch
            | Return
            | ReturnValue
            | Kill
            | Unreachable
            | LoopMerge
            | SelectionMerge
            | ControlBarrier
            | MemoryBarrier
            | AtomicStore
    )
}

impl Module {
    pub fn read(words: &[u32]) -> Result<Module, String> {
        let bound = *words.get(3).ok_or("no header")? as usize;
        let mut module = Module {
            types: vec![Type::Other; bound],
            slots: vec![Slot::Unknown; bound],
            types_of: vec![0; bound],
            size: [1; 3],
            wraps_shifts: words.get(2).is_some_and(|word| {
                GENERATORS_OF_SHIFTS.contains(word) || GENERATORS_OF_SHIFTS.contains(&(word & !GENERATOR_VERSION))
            }),
            ..Module::default()
        };
        let mut function: Option<(u32, Function)> = None;
        let mut at = 5;
        while let Some(first) = words.get(at) {
            let length = (first >> 16) as usize;
            let all = words.get(at + 1..at + length).filter(|_| length > 0).ok_or("an instruction is cut off")?;
            at += length;
            let op = Op::from_u32(first & 0xffff).ok_or_else(|| format!("operation {}", first & 0xffff))?;
            match &mut function {
                None if op == Op::Function => {
                    function = Some((all[1], Function::default()));
                    module.slots[all[1] as usize] = Slot::Global;
                }
                None => module.global(op, all)?,
                Some(_) if op == Op::FunctionEnd => {
                    module.functions.extend(function.take());
                }
                Some((_, inside)) => local(op, all, inside, &mut module.slots, &mut module.types_of)?,
            }
        }
        Ok(module)
    }

    fn global(&mut self, op: Op, words: &[u32]) -> Result<(), String> {
        match (op, words) {
            (Op::EntryPoint, [_, id, ..]) => self.entry = *id,
            (Op::ExecutionMode, [_, mode, x, y, z]) if *mode == spirv::ExecutionMode::LocalSize as u32 => {
                self.size = [*x, *y, *z];
            }
            (Op::ExtInstImport, [id, ..]) => self.extended = self.extended.or(Some(*id)),
            (Op::Decorate, [target, decoration, rest @ ..]) => self.decorate(*target, None, *decoration, rest),
            (Op::MemberDecorate, [target, member, decoration, rest @ ..]) => {
                self.decorate(*target, Some(*member), *decoration, rest);
            }
            (Op::Variable, [ty, id, class, rest @ ..]) => {
                self.slots[*id as usize] = Slot::Global;
                let class = StorageClass::from_u32(*class).ok_or("a storage class")?;
                self.variables.push(Variable { id: *id, ty: *ty, class, initializer: rest.first().copied() });
            }
            (
                Op::ConstantTrue
                | Op::ConstantFalse
                | Op::SpecConstantTrue
                | Op::SpecConstantFalse
                | Op::Constant
                | Op::SpecConstant
                | Op::ConstantComposite
                | Op::SpecConstantComposite
                | Op::ConstantNull
                | Op::Undef,
                [ty, id, rest @ ..],
            ) => self.constant(op, *ty, *id, rest)?,
            (Op::SpecConstantOp, _) => return Err("operations on specialization constants".into()),
            _ => self.declared_type(op, words),
        }
        Ok(())
    }

    fn decorate(&mut self, target: u32, member: Option<u32>, decoration: u32, rest: &[u32]) {
        let Some(decoration) = Decoration::from_u32(decoration) else { return };
        let value = rest.first().copied().unwrap_or(0);
        match decoration {
            Decoration::Binding => {
                self.bindings.insert(target, value);
            }
            Decoration::BuiltIn if member.is_none() => {
                self.builtins.insert(target, value);
            }
            _ => self.decorations.entry((target, member)).or_default().push((decoration, value)),
        }
    }

    pub fn decoration(&self, target: u32, member: Option<u32>, wanted: Decoration) -> Option<u32> {
        let found = self.decorations.get(&(target, member))?.iter().find(|(d, _)| *d == wanted)?;
        Some(found.1)
    }

    fn declared_type(&mut self, op: Op, words: &[u32]) {
        let ty = match (op, words) {
            (Op::TypeVoid, _) => Type::Void,
            (Op::TypeBool, _) => Type::Bool,
            (Op::TypeInt, [_, width, _]) => Type::Int { width: *width },
            (Op::TypeFloat, [_, width, ..]) => Type::Float { width: *width },
            (Op::TypeVector, [_, of, count]) => Type::Vector { of: *of, count: *count },
            (Op::TypeMatrix, [_, column, count]) => Type::Matrix { column: *column, count: *count },
            (Op::TypeArray, [id, of, count]) => {
                let stride = self.decoration(*id, None, Decoration::ArrayStride).unwrap_or(0);
                let count = self.constants.get(count).and_then(|c| c.bits().ok()).unwrap_or(0) as u32;
                Type::Array { of: *of, count, stride }
            }
            (Op::TypeRuntimeArray, [id, of]) => {
                let stride = self.decoration(*id, None, Decoration::ArrayStride).unwrap_or(0);
                Type::RuntimeArray { of: *of, stride }
            }
            (Op::TypeStruct, [id, members @ ..]) => {
                let member = |(index, ty): (usize, &u32)| {
                    let told = |d| self.decoration(*id, Some(index as u32), d);
                    let stride = told(Decoration::MatrixStride);
                    let rows = told(Decoration::RowMajor).is_some();
                    let matrix = stride.map(|stride| MatrixLayout { stride, rows });
                    Member { ty: *ty, offset: told(Decoration::Offset).unwrap_or(0), matrix }
                };
                Type::Struct { members: Rc::new(members.iter().enumerate().map(member).collect()) }
            }
            (Op::TypePointer, [_, _, to]) => Type::Pointer { to: *to },
            _ => return,
        };
        if let Some(id) = words.first() {
            self.types[*id as usize] = ty;
        }
    }

    fn constant(&mut self, op: Op, ty: u32, id: u32, words: &[u32]) -> Result<(), String> {
        let value = match op {
            Op::ConstantTrue | Op::SpecConstantTrue => Value::Bits(1),
            Op::ConstantFalse | Op::SpecConstantFalse => Value::Bits(0),
            Op::ConstantNull => self.zero(ty),
            Op::Undef => self.undefined(ty),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let part = |id: &u32| self.constants.get(id).cloned().ok_or("a constant of unknown parts");
                Value::parts(words.iter().map(part).collect::<Result<_, _>>()?)
            }
            _ => {
                let low = u64::from(words.first().copied().unwrap_or(0));
                let high = u64::from(words.get(1).copied().unwrap_or(0));
                Value::Bits((low | high << 32) & mask(self.width(ty)))
            }
        };
        self.slots[id as usize] = Slot::Global;
        self.types_of[id as usize] = ty;
        self.constants.insert(id, value);
        Ok(())
    }

    /// The type of what an id is.
    pub fn type_of(&self, id: u32) -> u32 {
        self.types_of.get(id as usize).copied().unwrap_or(0)
    }

    pub fn ty(&self, id: u32) -> &Type {
        self.types.get(id as usize).unwrap_or(&Type::Other)
    }

    /// The bits of a number, or of the numbers that a vector or matrix is of.
    pub fn width(&self, ty: u32) -> u32 {
        match self.ty(ty) {
            Type::Int { width } | Type::Float { width } => *width,
            Type::Vector { of, .. } => self.width(*of),
            Type::Matrix { column, .. } => self.width(*column),
            Type::Bool => 1,
            _ => 32,
        }
    }

    /// The types of the parts of an aggregate.
    pub fn part(&self, ty: u32, index: usize) -> Option<u32> {
        match self.ty(ty) {
            Type::Vector { of, count } | Type::Array { of, count, .. } => (index < *count as usize).then_some(*of),
            Type::Matrix { column, count } => (index < *count as usize).then_some(*column),
            Type::Struct { members } => members.get(index).map(|m| m.ty),
            _ => None,
        }
    }

    pub fn count(&self, ty: u32) -> usize {
        match self.ty(ty) {
            Type::Vector { count, .. } | Type::Matrix { count, .. } | Type::Array { count, .. } => *count as usize,
            Type::Struct { members } => members.len(),
            _ => 0,
        }
    }

    fn filled(&self, ty: u32, with: &Value) -> Value {
        match self.ty(ty) {
            Type::Vector { of, count } | Type::Array { of, count, .. } => {
                Value::parts(vec![self.filled(*of, with); *count as usize])
            }
            Type::Matrix { column, count } => Value::parts(vec![self.filled(*column, with); *count as usize]),
            Type::Struct { members } => Value::parts(members.iter().map(|m| self.filled(m.ty, with)).collect()),
            _ => with.clone(),
        }
    }

    pub fn zero(&self, ty: u32) -> Value {
        self.filled(ty, &Value::Bits(0))
    }

    pub fn undefined(&self, ty: u32) -> Value {
        self.filled(ty, &Value::Undefined)
    }
}

fn local(op: Op, words: &[u32], function: &mut Function, slots: &mut [Slot], types: &mut [u32]) -> Result<(), String> {
    let mut define = |id: u32, ty: u32| {
        types[id as usize] = ty;
        slots[id as usize] = Slot::Local(function.slots as u32);
        function.slots += 1;
    };
    match (op, words) {
        (Op::Line | Op::NoLine | Op::Nop | Op::LoopMerge | Op::SelectionMerge, _) => {}
        (Op::FunctionParameter, [ty, id]) => {
            define(*id, *ty);
            function.parameters.push(*id);
        }
        (Op::Label, [id]) => {
            function.by_label.insert(*id, function.blocks.len());
            function.blocks.push(Block { label: *id, instructions: Vec::new() });
        }
        _ => {
            let (ty, id, words) = match words {
                [ty, id, rest @ ..] if has_result(op) => (*ty, *id, rest),
                _ => (0, 0, words),
            };
            if id != 0 {
                define(id, ty);
            }
            let block = function.blocks.last_mut().ok_or("an instruction outside of a block")?;
            block.instructions.push(Instruction { op, ty, id, words: words.to_vec() });
        }
    }
    Ok(())
}

/// The lowest bits.
pub fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}
