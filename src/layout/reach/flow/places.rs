//! What assignments write: variables, parts of them, and memory.

use super::graph::{Op, Ty, Val};
use super::{BOOL, Flow, Frame, Slot, State, is_plain};
use crate::tree::*;

/// A step from a variable to a part of it.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Part(u32),
    /// Components of a vector.
    Components(Vec<u8>),
    /// Cells of a matrix.
    Cells(Vec<(u8, u8)>),
    /// An element whose index is not known.
    Element(Val),
}

/// What an expression that is written stands for.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Variable(Slot, Vec<Step>),
    /// What others see, with all that says where.
    Memory(Vec<Val>),
}

impl<'a> Flow<'a> {
    pub(super) fn place(&mut self, frame: &mut Frame<'a>, state: &mut State, id: ExprId) -> Option<Place> {
        let program = self.program;
        let expr = &frame.exprs[id];
        let (base, step) = match &expr.kind {
            ExprKind::Local(local) if is_variable(program, expr.ty) => {
                return Some(Place::Variable(Slot::Local(frame.id, *local), Vec::new()));
            }
            ExprKind::Global(global) => {
                let kind = program.globals[*global].kind;
                return Some(match kind {
                    GlobalKind::Static => Place::Variable(Slot::Static(*global), Vec::new()),
                    _ => {
                        let ty = self.graph.ty_of(expr.ty);
                        Place::Memory(vec![self.graph.make(Op::Global(*global), Vec::new(), ty)])
                    }
                });
            }
            ExprKind::Field(base, index) => (*base, Step::Part(*index)),
            ExprKind::Index(base, index) => {
                let index = self.expr(frame, state, *index)?;
                if !is_plain(program, frame.exprs[*base].ty) {
                    let base = self.expr(frame, state, *base)?;
                    return Some(Place::Memory(vec![base, index]));
                }
                let exact = self.graph.value(index).and_then(|v| v.int()).and_then(|n| u32::try_from(n).ok());
                (*base, exact.map_or(Step::Element(index), Step::Part))
            }
            ExprKind::Swizzle(base, swizzle) => match program.types.get(frame.exprs[*base].ty) {
                Type::Vector(..) => (*base, Step::Components(swizzle.list().to_vec())),
                _ => return self.place(frame, state, *base),
            },
            ExprKind::MatrixSwizzle(base, cells) => (*base, Step::Cells(cells.clone())),
            ExprKind::Contents(of) => return Some(Place::Memory(vec![self.expr(frame, state, *of)?])),
            ExprKind::Property(property) => {
                let first = property.args.first()?;
                if is_plain(program, frame.exprs[*first].ty) {
                    return None;
                }
                let args = property.args.iter().map(|a| self.expr(frame, state, *a));
                return Some(Place::Memory(args.collect::<Option<_>>()?));
            }
            ExprKind::Local(_) => return Some(Place::Memory(vec![self.expr(frame, state, id)?])),
            _ => return None,
        };
        Some(match self.place(frame, state, base)? {
            Place::Variable(slot, mut steps) => {
                steps.push(step);
                Place::Variable(slot, steps)
            }
            Place::Memory(mut vals) => {
                if let Step::Element(index) = step {
                    vals.push(index);
                }
                Place::Memory(vals)
            }
        })
    }

    /// What is there.
    pub(super) fn load(&mut self, state: &State, place: &Place, ty: TypeId) -> Option<Val> {
        let ty = self.graph.ty_of(ty);
        let (slot, steps) = match place {
            Place::Memory(vals) => {
                let epoch = self.effects.len() + 1;
                return Some(self.graph.make(Op::Element(epoch), vals.clone(), ty));
            }
            Place::Variable(slot, steps) => (slot, steps),
        };
        let mut value = match (state.vars.get(slot), slot) {
            (Some(value), _) => *value,
            (None, Slot::Static(global)) => self.initial(*global)?,
            (None, _) if steps.is_empty() => return Some(self.graph.undefined(ty)),
            (None, _) => return Some(self.graph.undefined(ty)),
        };
        for step in steps {
            value = match step {
                Step::Part(n) => self.graph.part(value, *n)?,
                Step::Element(index) => {
                    let ty = match self.graph.part(value, 0) {
                        Some(part) => self.graph.ty(part),
                        None => ty,
                    };
                    self.graph.make(Op::Element(0), vec![value, *index], ty)
                }
                Step::Components(list) => {
                    let parts = list.iter().map(|c| self.graph.part(value, (*c).into()));
                    let parts: Vec<Val> = parts.collect::<Option<_>>()?;
                    self.graph.gather(&mut parts.into_iter(), ty)?
                }
                Step::Cells(cells) => {
                    let cell = |(row, column): &(u8, u8)| {
                        let row = self.graph.part(value, (*row).into())?;
                        self.graph.part(row, (*column).into())
                    };
                    let parts: Vec<Val> = cells.iter().map(cell).collect::<Option<_>>()?;
                    self.graph.gather(&mut parts.into_iter(), ty)?
                }
            };
        }
        Some(value)
    }

    pub(super) fn store(&mut self, state: &mut State, place: &Place, value: Val) -> Option<()> {
        match place {
            Place::Memory(vals) => {
                let mut needed = vec![state.control, value];
                needed.extend(vals);
                let effect = self.graph.make(Op::Mixed, needed, BOOL);
                self.effects.push(effect);
                self.writes += 1;
            }
            Place::Variable(slot, steps) => {
                let new = match steps.as_slice() {
                    [] => value,
                    steps => {
                        let old = self.whole(state, *slot)?;
                        self.with(old, steps, value)
                    }
                };
                self.set(state, *slot, new);
            }
        }
        Some(())
    }

    /// All of a variable that has a part written.
    fn whole(&mut self, state: &State, slot: Slot) -> Option<Val> {
        match (state.vars.get(&slot), slot) {
            (Some(value), _) => Some(*value),
            (None, Slot::Static(global)) => self.initial(global),
            (None, Slot::Local(..)) => None,
        }
    }

    /// A value with a part of it replaced.
    fn with(&mut self, old: Val, steps: &[Step], value: Val) -> Val {
        let Some((step, rest)) = steps.split_first() else { return value };
        let ty = self.graph.ty(old);
        let mixed = |flow: &mut Self| flow.graph.make(Op::Mixed, vec![old, value], ty);
        let Some(mut parts) = self.graph.parts(old) else {
            let mut needed = vec![old, value];
            needed.extend(steps.iter().filter_map(|s| match s {
                Step::Element(index) => Some(*index),
                _ => None,
            }));
            return self.graph.make(Op::Mixed, needed, ty);
        };
        match step {
            Step::Part(n) => {
                let Some(part) = parts.get_mut(*n as usize) else { return mixed(self) };
                *part = self.with(*part, rest, value);
            }
            Step::Element(index) => {
                for part in &mut parts {
                    let new = self.with(*part, rest, value);
                    let of = self.graph.ty(*part);
                    *part = self.graph.make(Op::Mixed, vec![*part, new, *index], of);
                }
            }
            Step::Components(list) => {
                for (i, component) in list.iter().enumerate() {
                    let new = match self.graph.ty(value) {
                        Ty::Scalar(_) => Some(value),
                        _ => self.graph.part(value, i as u32),
                    };
                    let (Some(part), Some(new)) = (parts.get_mut(usize::from(*component)), new) else {
                        return mixed(self);
                    };
                    *part = new;
                }
            }
            Step::Cells(cells) => {
                for (i, (row, column)) in cells.iter().enumerate() {
                    let new = match self.graph.ty(value) {
                        Ty::Scalar(_) => Some(value),
                        _ => self.graph.part(value, i as u32),
                    };
                    let (Some(part), Some(new)) = (parts.get_mut(usize::from(*row)), new) else { return mixed(self) };
                    *part = self.with(*part, &[Step::Part((*column).into())], new);
                }
            }
        }
        self.graph.compose(parts, ty)
    }
}

/// Whether a local of a type is a variable rather than an object that calls change. Names of resources are variables.
fn is_variable(program: &Program, ty: TypeId) -> bool {
    is_plain(program, ty) || program.types.get(ty).is_resource()
}
