//! Descriptor heaps: a resource that is found by an index alone becomes an element of an array without bound of its type, so
//! that layout, legalization and the sidecar see resources as any other.
//!
//! Before: `Texture2D t = ResourceDescriptorHeap[i];                Sampler2D.Handle h;  h.Sample(uv)`
//! After:  `Texture2D t = ResourceDescriptorHeap_Texture2D[i];      uint2 h;  CombinedDescriptorHeap_Sampler2D[h.x].Sample(uv)`
//!
//! Where the target has heaps, the arrays are the heaps themselves. Elsewhere they are shader parameters: all of a heap at one
//! binding, on which the index is that of the descriptor whatever its type. A handle is two numbers in memory, as for slangc.

use super::Settings;
use super::prepare::counted_types;
use crate::source::Span;
use crate::tree::{
    Access, BinaryOp, BufferKind, Build, Expr, ExprArena, ExprId, ExprKind, Global, GlobalId, GlobalKind, Heap, Id,
    Item, Program, Scalar, Swizzle, Type, TypeId, Types,
};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a program has handles or elements of heaps.
pub(super) fn any(program: &Program) -> bool {
    program.types.ids().any(|id| matches!(program.types.get(id), Type::Handle(_) | Type::HeapElement(_)))
}

/// Puts elements of arrays in the place of handles and elements of heaps.
pub(super) fn lower(program: &mut Program, settings: &Settings) {
    let reachable: FxHashSet<_> = program.reachable_functions().into_iter().collect();
    let native = settings.native_heaps;
    let mut arrays = HeapArrays { native, first: program.globals.len(), made: BTreeMap::new(), list: Vec::new() };
    for id in program.functions_with_code() {
        let body = &mut program.functions[id].code;
        let live = body.expressions();
        arrays.replace(&mut program.types, &mut body.exprs, &live, reachable.contains(&id));
    }
    for (_, global) in program.globals.iter_mut() {
        let Some(tree) = &mut global.init else { continue };
        let live = tree.exprs.post_order(tree.root);
        arrays.replace(&mut program.types, &mut tree.exprs, &live, true);
    }
    let mut list = arrays.list;
    let counted = if native { BTreeSet::new() } else { counted_types(program) };
    if let Some(first) = list.iter().find(|a| a.used && counted.contains(&a.ty)) {
        let span = first.span;
        let ty = program.types.intern(Type::Buffer(
            BufferKind::Structured(crate::tree::DataLayout::Default),
            Access::ReadWrite,
            TypeId::UINT,
        ));
        let array = program.types.array(ty, None);
        list.push(HeapArray { ty, heap: Heap::Counters, array, span, used: true });
    }
    declare(program, list, native);
    program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Handle(_) => types.vector(Scalar::U32, 2),
        Type::HeapElement(_) => TypeId::UINT,
        _ => ty,
    });
    program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if let Expr { kind: ExprKind::Convert(inner, _), ty, .. } = exprs[id]
                && exprs[inner].ty == ty
            {
                exprs.replace_by(id, inner);
            }
        }
    });
}

/// Declares the arrays behind all parameters; where the target has heaps, they are no parameters.
fn declare(program: &mut Program, arrays: Vec<HeapArray>, native: bool) {
    let mut behind = program.parameters.iter().next_back().map(|g| Item::Global(*g));
    for array in arrays {
        let heap = array.heap;
        let kind = if native { GlobalKind::Heap } else { GlobalKind::Parameter };
        let plain = native || heap == Heap::Counters;
        let name = if plain { heap.name().to_owned() } else { name_of(heap.name(), &program.type_name(array.ty)) };
        let global = Global { heap: Some(heap), ..Global::new(name.as_str(), array.array, kind, array.span) };
        let id = program.globals.push(global);
        if !array.used {
            continue;
        }
        if !native {
            program.parameters.push(id);
        }
        match behind.replace(Item::Global(id)) {
            Some(last) => program.items.put_after(last, Item::Global(id)),
            None => program.items.put_before(program.items.iter().next().copied(), Item::Global(id)),
        }
    }
    program.items.settle();
    program.parameters.settle();
}

/// `ResourceDescriptorHeap_Texture2D`: the heap and the type, whose element is not said where it is that of the bare name.
pub(super) fn name_of(heap: &str, ty: &str) -> String {
    let ty = ty.strip_suffix("<float4>").filter(|t| t.contains("Texture") || t.contains("Sampler")).unwrap_or(ty);
    let mut name = heap.to_owned();
    for word in ty.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        name.push('_');
        name.push_str(word);
    }
    name
}

/// A heap as an array of one type.
struct HeapArray {
    ty: TypeId,
    heap: Heap,
    /// Its own type.
    array: TypeId,
    span: Span,
    /// Something that is reachable uses it.
    used: bool,
}

/// The arrays of heaps that a program has.
struct HeapArrays {
    /// The target has heaps.
    native: bool,
    /// The number of the first of them among the globals.
    first: usize,
    made: BTreeMap<TypeId, usize>,
    list: Vec<HeapArray>,
}

impl HeapArrays {
    fn replace(&mut self, types: &mut Types, exprs: &mut ExprArena, live: &[ExprId], used: bool) {
        for &id in live {
            let Expr { kind: ExprKind::Convert(inner, _), ty, span } = exprs[id] else { continue };
            let kind = match (types.get(exprs[inner].ty), types.get(ty)) {
                (Type::HeapElement(_), Type::Handle(_)) => {
                    let zero = Build::new(types, exprs, span).uint(0);
                    ExprKind::Construct(vec![inner, zero])
                }
                (Type::HeapElement(_), to) if to.is_resource() => self.element(types, exprs, (inner, ty), span, used),
                (Type::Handle(_), to) if to.is_resource() => {
                    let second = (self.native && Heap::of(to) == Heap::Combined).then(|| exprs.duplicate(inner));
                    let first = number(exprs, inner, 0);
                    let element = self.element(types, exprs, (first, ty), span, used);
                    match second {
                        // The texture is in one heap and its sampler in another.
                        Some(inner) => {
                            let second = number(exprs, inner, 1);
                            let row = types.array(ty, None);
                            let row = exprs.push(Expr { kind: element, ty: row, span });
                            ExprKind::Index(row, second)
                        }
                        None => element,
                    }
                }
                (Type::Handle(_), Type::Scalar(Scalar::U64)) => joined(types, exprs, inner),
                (Type::Scalar(Scalar::U64), Type::Handle(_)) => parted(types, exprs, inner),
                _ => continue,
            };
            exprs[id].kind = kind;
        }
    }

    /// The element of a heap at an index, as a resource of a type.
    fn element(
        &mut self,
        types: &mut Types,
        exprs: &mut ExprArena,
        (index, ty): (ExprId, TypeId),
        span: Span,
        used: bool,
    ) -> ExprKind {
        let heap = Heap::of(types.get(ty));
        let pairs = self.native && heap == Heap::Combined;
        let mut array = types.array(ty, None);
        if pairs {
            array = types.array(array, None);
        }
        let list = &mut self.list;
        let at = *self.made.entry(ty).or_insert_with(|| {
            list.push(HeapArray { ty, heap, array, span, used: false });
            list.len() - 1
        });
        if let Some(array) = list.get_mut(at).filter(|array| used && !array.used) {
            (array.used, array.span) = (true, span);
        }
        let global = GlobalId::from_index(self.first + at);
        let heap = Build::new(types, exprs, span).add(ExprKind::Global(global), array);
        ExprKind::Index(heap, index)
    }
}

/// One of the two numbers of a handle.
fn number(exprs: &mut ExprArena, handle: ExprId, at: u8) -> ExprId {
    let span = exprs[handle].span;
    exprs.push(Expr { kind: ExprKind::Swizzle(handle, Swizzle::new(&[at])), ty: TypeId::UINT, span })
}

/// Both numbers of a handle in one: the first in the low bits.
fn joined(types: &mut Types, exprs: &mut ExprArena, handle: ExprId) -> ExprKind {
    let again = exprs.duplicate(handle);
    let (low, high) = (number(exprs, handle, 0), number(exprs, again, 1));
    let mut b = Build::new(types, exprs, Span::default());
    b.span = b.exprs[low].span;
    let wide = b.types.scalar(Scalar::U64);
    let (low, high, by) = (b.convert(low, wide), b.convert(high, wide), b.uint(32));
    let high = b.add(ExprKind::Binary(BinaryOp::Shl, high, by), wide);
    ExprKind::Binary(BinaryOp::BitOr, low, high)
}

/// The two numbers of a handle that are in one.
fn parted(types: &mut Types, exprs: &mut ExprArena, value: ExprId) -> ExprKind {
    let again = exprs.duplicate(value);
    let Expr { ty, span, .. } = exprs[value];
    let mut b = Build::new(types, exprs, span);
    let by = b.uint(32);
    let high = b.add(ExprKind::Binary(BinaryOp::Shr, again, by), ty);
    let (low, high) = (b.convert(value, TypeId::UINT), b.convert(high, TypeId::UINT));
    ExprKind::Construct(vec![low, high])
}
