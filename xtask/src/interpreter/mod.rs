//! Runs SPIR-V compute shaders without a driver: an interpreter, some hundred times faster than to compile a program that runs
//! once. It keeps track of values that nothing gave, so what a driver gets right by luck shows. What it does not know (textures,
//! operations among the threads of a subgroup) is an error, and such a program runs on a device.

mod arithmetic;
mod extended;
mod memory;
mod module;
#[cfg(test)]
mod stages;
#[cfg(test)]
mod tests;
mod value;

use memory::Buffer;
use module::{Instruction, Module, Slot, Type};
use spirv::{Op, StorageClass};
use std::collections::HashMap;
use std::rc::Rc;
use value::{Pointer, Value, View};

/// Instructions that a program may run.
const LIMIT: u64 = 60_000_000;

/// Runs one work group; the buffers are all in descriptor set 0, by binding. The words of each buffer, where something was
/// written that has no value [`memory::UNDEFINED`].
pub fn run(spirv: &[u32], buffers: &[(u32, Vec<u32>)]) -> Result<HashMap<u32, Vec<u32>>, String> {
    let module = Module::read(spirv)?;
    let mut machine = Machine::new(&module, buffers)?;
    machine.group()?;
    let words = |buffer: &Buffer| -> Vec<u32> {
        buffer.bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    Ok(buffers.iter().zip(&machine.buffers).map(|((binding, _), buffer)| (*binding, words(buffer))).collect())
}

struct Machine<'a> {
    module: &'a Module,
    buffers: Vec<Buffer>,
    shared: Vec<Value>,
    /// Constants and module variables; those of a thread are the same places for every thread.
    globals: HashMap<u32, Value>,
    /// What the variables of the module that each thread has for itself begin with.
    private: Vec<(Value, Option<u32>)>,
    steps: u64,
}

struct Frame<'a> {
    function: &'a module::Function,
    block: usize,
    next: usize,
    /// The label of the block that was left last.
    previous: u32,
    values: Vec<Value>,
    /// The id of the call that made it.
    result: u32,
    /// Variables that were there before.
    variables: usize,
}

struct Thread<'a> {
    frames: Vec<Frame<'a>>,
    variables: Vec<Value>,
}

/// Why a thread stopped.
#[derive(PartialEq, Eq)]
enum Stop {
    Barrier,
    End,
}

/// What an instruction does to the flow.
enum Flow {
    Next,
    Barrier,
    /// On to the block with a label.
    To(u32),
    Call {
        function: u32,
        result: u32,
        arguments: Vec<Value>,
    },
    Return(Option<Value>),
}

impl<'a> Machine<'a> {
    fn new(module: &'a Module, buffers: &[(u32, Vec<u32>)]) -> Result<Machine<'a>, String> {
        let mut machine = Machine {
            module,
            buffers: buffers.iter().map(|(_, words)| Buffer::of_words(words)).collect(),
            shared: Vec::new(),
            globals: module.constants.clone(),
            private: Vec::new(),
            steps: 0,
        };
        for variable in &module.variables {
            let Type::Pointer { to } = module.ty(variable.ty) else { return Err("a variable of no pointer".into()) };
            let initial = match variable.initializer {
                Some(id) => module.constants.get(&id).cloned().ok_or("an initializer that is no constant")?,
                None => module.undefined(*to),
            };
            let place = match variable.class {
                StorageClass::Private | StorageClass::Output => machine.private_place(initial, *to, None),
                StorageClass::Input => {
                    let builtin = module.builtins.get(&variable.id).copied();
                    machine.private_place(initial, *to, builtin)
                }
                StorageClass::Workgroup => {
                    machine.shared.push(initial);
                    memory::whole(machine.shared.len() - 1, *to, true)
                }
                StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::PushConstant => {
                    let binding = module.bindings.get(&variable.id).ok_or("a buffer without binding")?;
                    let found = buffers.iter().position(|(b, _)| b == binding);
                    let buffer = found.ok_or_else(|| format!("nothing is bound to {binding}"))?;
                    let view = View { ty: *to, offset: 0, matrix: None, apart: None };
                    Value::Pointer(Rc::new(Pointer::Buffer { buffer, view }))
                }
                other => return Err(format!("variables of {other:?}")),
            };
            machine.globals.insert(variable.id, place);
        }
        Ok(machine)
    }

    fn private_place(&mut self, initial: Value, ty: u32, builtin: Option<u32>) -> Value {
        self.private.push((initial, builtin));
        memory::whole(self.private.len() - 1, ty, false)
    }

    fn group(&mut self) -> Result<(), String> {
        let [x, y, z] = self.module.size;
        let entry = self.module.functions.get(&self.module.entry).ok_or("no entry point")?;
        let mut threads = Vec::new();
        for index in 0..x * y * z {
            let id = [index % x, index / x % y, index / (x * y)];
            let variables = self.private.iter().map(|(value, builtin)| match builtin {
                Some(builtin) => builtin_value(*builtin, id, index),
                None => Ok(value.clone()),
            });
            let mut thread = Thread { frames: Vec::new(), variables: variables.collect::<Result<_, _>>()? };
            thread.enter(entry, 0, Vec::new(), self.module)?;
            threads.push(thread);
        }
        loop {
            let mut stops = Vec::new();
            for thread in &mut threads {
                stops.push(if thread.frames.is_empty() { Stop::End } else { self.until_stop(thread)? });
            }
            if stops.iter().all(|s| *s == Stop::End) {
                return Ok(());
            }
            if stops.contains(&Stop::End) {
                return Err("a barrier that not all threads reach".into());
            }
        }
    }

    fn until_stop(&mut self, thread: &mut Thread<'a>) -> Result<Stop, String> {
        loop {
            let Some(frame) = thread.frames.last_mut() else { return Ok(Stop::End) };
            let block = &frame.function.blocks[frame.block];
            let instruction = block.instructions.get(frame.next).ok_or("a block without end")?;
            frame.next += 1;
            self.steps += 1;
            if self.steps > LIMIT {
                return Err("no end".into());
            }
            match self.execute(thread, instruction)? {
                Flow::Next => {}
                Flow::Barrier => return Ok(Stop::Barrier),
                Flow::To(label) => self.jump(thread, label)?,
                Flow::Call { function, result, arguments } => {
                    let function = self.module.functions.get(&function).ok_or("no such function")?;
                    if thread.frames.len() > 200 {
                        return Err("recursion".into());
                    }
                    thread.enter(function, result, arguments, self.module)?;
                }
                Flow::Return(value) => {
                    let frame = thread.frames.pop().ok_or("no function to leave")?;
                    thread.variables.truncate(frame.variables);
                    if let Some(value) = value {
                        thread.set(self.module, frame.result, value);
                    }
                }
            }
        }
    }

    /// Enters a block: its phis take their values all at once.
    fn jump(&mut self, thread: &mut Thread<'a>, label: u32) -> Result<(), String> {
        let frame = thread.frames.last_mut().ok_or("no function")?;
        let target = *frame.function.by_label.get(&label).ok_or("no such block")?;
        frame.previous = frame.function.blocks[frame.block].label;
        (frame.block, frame.next) = (target, 0);
        let function = frame.function;
        let phis: Vec<&Instruction> =
            function.blocks[target].instructions.iter().take_while(|i| i.op == Op::Phi).collect();
        frame.next = phis.len();
        let previous = frame.previous;
        let mut values = Vec::new();
        for phi in phis {
            let from = phi.words.chunks_exact(2).find(|pair| pair[1] == previous).ok_or("a phi without this way")?;
            values.push((phi.id, self.value(thread, from[0])?));
        }
        for (id, value) in values {
            thread.set(self.module, id, value);
        }
        Ok(())
    }

    fn value(&self, thread: &Thread, id: u32) -> Result<Value, String> {
        match self.module.slots.get(id as usize) {
            Some(Slot::Local(slot)) => {
                let frame = thread.frames.last().ok_or("no function")?;
                Ok(frame.values.get(*slot as usize).cloned().unwrap_or(Value::Undefined))
            }
            _ => self.globals.get(&id).cloned().ok_or_else(|| format!("the value of %{id} is not known")),
        }
    }

    fn values(&self, thread: &Thread, ids: &[u32]) -> Result<Vec<Value>, String> {
        ids.iter().map(|id| self.value(thread, *id)).collect()
    }

    fn execute(&mut self, thread: &mut Thread<'a>, instruction: &Instruction) -> Result<Flow, String> {
        let Instruction { op, ty, id, words } = instruction;
        let word = |index: usize| words.get(index).copied().ok_or_else(|| "an operand is missing".to_owned());
        let value = match op {
            Op::Branch => return Ok(Flow::To(word(0)?)),
            Op::BranchConditional => {
                let taken = self.value(thread, word(0)?)?.bits()? != 0;
                return Ok(Flow::To(word(if taken { 1 } else { 2 })?));
            }
            Op::Switch => return self.switch(thread, words),
            Op::Return => return Ok(Flow::Return(None)),
            Op::ReturnValue => return Ok(Flow::Return(Some(self.value(thread, word(0)?)?))),
            Op::Unreachable => return Err("a place that is never reached is".into()),
            Op::ControlBarrier => return Ok(Flow::Barrier),
            Op::MemoryBarrier => return Ok(Flow::Next),
            Op::FunctionCall => {
                let arguments = self.values(thread, &words[1..])?;
                return Ok(Flow::Call { function: word(0)?, result: *id, arguments });
            }
            Op::Variable => {
                let Type::Pointer { to } = self.module.ty(*ty) else { return Err("a variable of no pointer".into()) };
                let initial = match words.get(1) {
                    Some(initial) => self.value(thread, *initial)?,
                    None => self.module.undefined(*to),
                };
                thread.variables.push(initial);
                memory::whole(thread.variables.len() - 1, *to, false)
            }
            Op::Store => {
                let pointer = self.value(thread, word(0)?)?.pointer()?;
                let value = self.value(thread, word(1)?)?;
                self.store(thread, &pointer, value)?;
                return Ok(Flow::Next);
            }
            Op::CopyMemory => {
                let from = self.value(thread, word(1)?)?.pointer()?;
                let to = self.value(thread, word(0)?)?.pointer()?;
                let value = self.load(thread, &from)?;
                self.store(thread, &to, value)?;
                return Ok(Flow::Next);
            }
            Op::Load => {
                let pointer = self.value(thread, word(0)?)?.pointer()?;
                self.load(thread, &pointer)?
            }
            Op::AccessChain | Op::InBoundsAccessChain => self.chain(thread, words)?,
            Op::ArrayLength => self.array_length(thread, words)?,
            Op::AtomicStore => {
                let pointer = self.value(thread, word(0)?)?.pointer()?;
                let value = self.value(thread, word(3)?)?;
                self.store(thread, &pointer, value)?;
                return Ok(Flow::Next);
            }
            op if is_atomic(*op) => self.atomic(thread, *op, *ty, words)?,
            Op::ExtInst => {
                let operands = self.values(thread, &words[2..])?;
                self.extended(thread, *ty, words, &operands)?
            }
            op => {
                let operands = self.operands(thread, *op, words)?;
                arithmetic::evaluate(self.module, instruction, *op, &operands)?
            }
        };
        thread.set(self.module, *id, value);
        Ok(Flow::Next)
    }

    /// The operands that are values; the others are read from the instruction.
    fn operands(&self, thread: &Thread, op: Op, words: &[u32]) -> Result<Vec<Value>, String> {
        let count = match op {
            Op::CompositeExtract => 1,
            Op::CompositeInsert | Op::VectorShuffle => 2,
            _ => words.len(),
        };
        self.values(thread, words.get(..count).ok_or("an operand is missing")?)
    }

    fn switch(&self, thread: &Thread, words: &[u32]) -> Result<Flow, String> {
        let [selector, default, cases @ ..] = words else { return Err("a switch without default".into()) };
        let selected = self.value(thread, *selector)?.bits()?;
        let width = self.module.width(self.module.type_of(*selector));
        // The literals of a wide selector are two words each.
        let size = if width == 64 { 3 } else { 2 };
        for case in cases.chunks_exact(size) {
            let literal = if size == 3 { u64::from(case[0]) | u64::from(case[1]) << 32 } else { u64::from(case[0]) };
            if literal & module::mask(width) == selected {
                return Ok(Flow::To(case[size - 1]));
            }
        }
        Ok(Flow::To(*default))
    }

    fn chain(&self, thread: &Thread, words: &[u32]) -> Result<Value, String> {
        let [base, indices @ ..] = words else { return Err("an access without base".into()) };
        let mut pointer = (*self.value(thread, *base)?.pointer()?).clone();
        for index in indices {
            let index = match self.value(thread, *index)? {
                Value::Bits(index) => index,
                // Wherever it is, it is nothing that may be used.
                _ => u64::MAX,
            };
            pointer = memory::step(self.module, &pointer, index);
        }
        Ok(Value::Pointer(Rc::new(pointer)))
    }

    fn array_length(&self, thread: &Thread, words: &[u32]) -> Result<Value, String> {
        let [base, member] = words else { return Err("a length of nothing".into()) };
        let base = self.value(thread, *base)?.pointer()?;
        match memory::step(self.module, &base, u64::from(*member)) {
            Pointer::Buffer { buffer, view } => {
                let Type::RuntimeArray { stride, .. } = self.module.ty(view.ty) else {
                    return Err("a length of what has one".into());
                };
                let size = self.buffers.get(buffer).map_or(0, |b| b.bytes.len());
                Ok(Value::Bits((size - view.offset as usize) as u64 / u64::from(*stride)))
            }
            _ => Err("a length of no buffer".into()),
        }
    }

    fn load(&self, thread: &Thread, pointer: &Pointer) -> Result<Value, String> {
        match pointer {
            Pointer::Own { variable, path, .. } => {
                thread.variables.get(*variable).ok_or("a variable that is gone")?.at(path).cloned()
            }
            Pointer::Shared { variable, path, .. } => {
                self.shared.get(*variable).ok_or("no such variable")?.at(path).cloned()
            }
            Pointer::Buffer { buffer, view } => {
                Ok(memory::read(self.module, self.buffers.get(*buffer).ok_or("no such buffer")?, *view))
            }
            Pointer::Nowhere { ty } => Ok(self.module.undefined(*ty)),
        }
    }

    fn store(&mut self, thread: &mut Thread, pointer: &Pointer, value: Value) -> Result<(), String> {
        match pointer {
            Pointer::Own { variable, path, .. } => {
                *thread.variables.get_mut(*variable).ok_or("a variable that is gone")?.at_mut(path)? = value;
            }
            Pointer::Shared { variable, path, .. } => {
                *self.shared.get_mut(*variable).ok_or("no such variable")?.at_mut(path)? = value;
            }
            Pointer::Buffer { buffer, view } => {
                let buffer = self.buffers.get_mut(*buffer).ok_or("no such buffer")?;
                memory::write(self.module, buffer, *view, &value);
            }
            Pointer::Nowhere { .. } => {}
        }
        Ok(())
    }

    fn atomic(&mut self, thread: &mut Thread, op: Op, ty: u32, words: &[u32]) -> Result<Value, String> {
        let operands = self.values(thread, words)?;
        let pointer = operands.first().ok_or("an operand is missing")?.pointer()?;
        let before = self.load(thread, &pointer)?;
        let operand = |index: usize| operands.get(index).cloned().ok_or("an operand is missing");
        let after = match op {
            Op::AtomicLoad => None,
            Op::AtomicExchange => Some(operand(3)?),
            Op::AtomicCompareExchange => (before.bits()? == operand(5)?.bits()?).then(|| operand(4)).transpose()?,
            Op::AtomicIIncrement => {
                Some(arithmetic::atomic(self.module, ty, Op::AtomicIAdd, &before, &Value::Bits(1))?)
            }
            Op::AtomicIDecrement => {
                Some(arithmetic::atomic(self.module, ty, Op::AtomicISub, &before, &Value::Bits(1))?)
            }
            _ => Some(arithmetic::atomic(self.module, ty, op, &before, &operand(3)?)?),
        };
        if let Some(after) = after {
            self.store(thread, &pointer, after)?;
        }
        Ok(before)
    }

    /// An operation of `GLSL.std.450`; some have a second result, which they store.
    fn extended(&mut self, thread: &mut Thread, ty: u32, words: &[u32], operands: &[Value]) -> Result<Value, String> {
        if words.first().copied() != self.module.extended {
            return Err("an unknown set of operations".into());
        }
        let op = spirv::GlslStd450Op::from_u32(words[1]).ok_or("an unknown operation")?;
        let (value, second) = extended::evaluate(self.module, ty, op, operands)?;
        if let Some((index, second)) = second {
            let pointer = operands.get(index).ok_or("an operand is missing")?.pointer()?;
            self.store(thread, &pointer, second)?;
        }
        Ok(value)
    }
}

impl<'a> Thread<'a> {
    fn enter(
        &mut self,
        function: &'a module::Function,
        result: u32,
        arguments: Vec<Value>,
        module: &Module,
    ) -> Result<(), String> {
        let frame = Frame {
            function,
            block: 0,
            next: 0,
            previous: 0,
            values: vec![Value::Undefined; function.slots],
            result,
            variables: self.variables.len(),
        };
        if function.blocks.is_empty() {
            return Err("a function without body".into());
        }
        self.frames.push(frame);
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            self.set(module, *parameter, argument);
        }
        Ok(())
    }

    fn set(&mut self, module: &Module, id: u32, value: Value) {
        if let Some(Slot::Local(slot)) = module.slots.get(id as usize)
            && let Some(frame) = self.frames.last_mut()
            && let Some(place) = frame.values.get_mut(*slot as usize)
        {
            *place = value;
        }
    }
}

fn is_atomic(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        AtomicLoad
            | AtomicExchange
            | AtomicCompareExchange
            | AtomicIIncrement
            | AtomicIDecrement
            | AtomicIAdd
            | AtomicISub
            | AtomicSMin
            | AtomicUMin
            | AtomicSMax
            | AtomicUMax
            | AtomicAnd
            | AtomicOr
            | AtomicXor
    )
}

/// A variable of the entry point that the device fills; there is one group.
fn builtin_value(builtin: u32, id: [u32; 3], index: u32) -> Result<Value, String> {
    use spirv::BuiltIn;
    let vector = |words: [u32; 3]| Value::parts(words.iter().map(|w| Value::Bits(u64::from(*w))).collect());
    match BuiltIn::from_u32(builtin) {
        Some(BuiltIn::GlobalInvocationId | BuiltIn::LocalInvocationId) => Ok(vector(id)),
        Some(BuiltIn::LocalInvocationIndex) => Ok(Value::Bits(u64::from(index))),
        Some(BuiltIn::WorkgroupId) => Ok(vector([0; 3])),
        Some(BuiltIn::NumWorkgroups) => Ok(vector([1; 3])),
        other => Err(format!("the builtin {other:?}")),
    }
}
