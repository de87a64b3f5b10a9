//! Fields of structs that are inputs of fragments as Direct3D 9 had them.
//!
//! Before: `struct Input { float4 pixel : VPOS; float face : VFACE; };         input.pixel.xy * input.face`
//! After:  `struct Input { float4 pixel : SV_Position; bool face : SV_IsFrontFace; };`
//!         `(input.pixel - float4(0.5, 0.5, 0.0, 0.0)).xy * (input.face ? 1.0 : -1.0)`
//!
//! A field that is written, or of a struct that a shader puts together or that another stage has, stays what it is, which is an error.

use super::Checker;
use super::old_inputs::{OldInput, components, input_of};
use crate::diagnostic::{Code, Diagnostic};
use crate::symbol::Symbol;
use crate::tree::{Build, ExprId, ExprKind, FunctionId, ParamMode, Program, Semantic, Stage, StructId, Type, TypeId};

/// How deep structs are in each other.
const MAX_DEPTH: u32 = 8;

/// A field with its input of today.
struct OldField {
    of: StructId,
    at: usize,
    input: &'static OldInput,
    semantic: Semantic,
}

impl Checker<'_> {
    /// Makes inputs of today of the fields that the parameters of old fragment shaders have.
    pub(super) fn convert_old_fields(&mut self) {
        for root in self.old_fragment_shaders() {
            let function = &self.program.functions[root];
            let inputs = function.params.iter().filter(|param| param.mode != ParamMode::Out);
            let types: Vec<TypeId> = inputs.map(|param| function.code.locals[param.local].ty).collect();
            let mut found = Vec::new();
            types.iter().for_each(|ty| add_fields(&self.program, *ty, 0, &mut found));
            for field in found {
                if !convert(&mut self.program, &field) {
                    let message = format!("the input `{}` is not supported in this struct", field.semantic.text);
                    let error = Diagnostic::error(Code::UNSUPPORTED, field.semantic.span, message);
                    self.diags.push(error.note(field.input.note));
                }
            }
        }
    }
}

/// The struct that a type is, or its elements are.
fn struct_of(program: &Program, ty: TypeId) -> Option<StructId> {
    match program.types.get(program.types.innermost(ty)) {
        Type::Struct(id) => Some(id),
        _ => None,
    }
}

fn add_fields(program: &Program, ty: TypeId, depth: u32, found: &mut Vec<OldField>) {
    let Some(of) = struct_of(program, ty).filter(|_| depth < MAX_DEPTH) else { return };
    for (at, field) in program.structs[of].fields.iter().enumerate() {
        if let Some((input, semantic)) = field.semantic.and_then(input_of) {
            found.push(OldField { of, at, input, semantic });
        }
        add_fields(program, field.ty, depth + 1, found);
    }
}

/// Whether a type is a struct or has it.
fn has(program: &Program, ty: TypeId, of: StructId, depth: u32) -> bool {
    struct_of(program, ty).filter(|_| depth < MAX_DEPTH).is_some_and(|id| {
        id == of || program.structs[id].fields.iter().any(|field| has(program, field.ty, of, depth + 1))
    })
}

/// Gives a field its input of today, and makes the old number of it where it is read. Gives false where that cannot be.
fn convert(program: &mut Program, field: &OldField) -> bool {
    let Some(ty) = program.structs[field.of].fields.get(field.at).map(|field| field.ty) else { return false };
    let fits = components(&program.types, ty).is_some_and(|count| count <= field.input.components);
    if !fits || is_of_others(program, field.of) || is_changed(program, field) {
        return false;
    }
    let now = (field.input.ty)(&mut program.types);
    let functions: Vec<FunctionId> = program.functions.ids().collect();
    for id in functions {
        let mut body = std::mem::take(&mut program.functions[id].code);
        let read: Vec<ExprId> = body
            .exprs
            .ids()
            .filter(|id| is_read(program, &body.exprs[*id].kind, field, &|id| body.exprs[id].ty))
            .collect();
        for place in read {
            let ExprKind::Field(base, index) = body.exprs[place].kind else { continue };
            let span = body.exprs[place].span;
            let mut b = Build::new(&mut program.types, &mut body.exprs, span);
            let input = b.field(base, index, now);
            let value = (field.input.value)(&mut b, input, ty);
            body.exprs[place] = body.exprs[value].clone();
        }
        program.functions[id].code = body;
    }
    if let Some(changed) = program.structs[field.of].fields.get_mut(field.at) {
        changed.ty = now;
        changed.semantic = Some(Semantic { text: Symbol::new(field.input.now), span: field.semantic.span });
    }
    true
}

/// Whether an expression is the field.
fn is_read(program: &Program, kind: &ExprKind, field: &OldField, ty: &dyn Fn(ExprId) -> TypeId) -> bool {
    match kind {
        ExprKind::Field(base, index) => *index as usize == field.at && struct_of(program, ty(*base)) == Some(field.of),
        _ => false,
    }
}

/// Whether variables of the program, other stages or outputs have a struct.
fn is_of_others(program: &Program, of: StructId) -> bool {
    let is_met = |ty: TypeId| has(program, ty, of, 0);
    let of_entry = |entry: &crate::tree::EntryPoint| {
        let function = &program.functions[entry.function];
        let mut params = function.params.iter();
        is_met(function.result)
            || params.any(|param| {
                let is_input = entry.stage == Stage::Fragment && param.mode == ParamMode::In;
                !is_input && is_met(function.code.locals[param.local].ty)
            })
    };
    program.globals.iter().any(|(_, global)| is_met(global.ty)) || program.entry_points.iter().any(of_entry)
}

/// Whether a field is written somewhere, or its struct is put together.
fn is_changed(program: &Program, field: &OldField) -> bool {
    program.functions.iter().any(|(_, function)| {
        let exprs = &function.code.exprs;
        exprs.ids().any(|id| {
            let is_made = matches!(exprs[id].kind, ExprKind::Construct(_) | ExprKind::Zero)
                && has(program, exprs[id].ty, field.of, 0);
            let mut is_written = false;
            program.each_written(exprs, id, &mut |place| {
                is_written |=
                    exprs.any_part(place, |part| is_read(program, &exprs[part].kind, field, &|id| exprs[id].ty));
            });
            is_made || is_written
        })
    })
}
