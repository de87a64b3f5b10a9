//! What effect files say to the application, for the sidecar.

use super::model::{EffectObject, EffectPass, EffectShader, EffectState, Technique};
use crate::symbol::Symbol;
use crate::tree;

/// The techniques.
pub(super) fn techniques(effect: &tree::EffectFile) -> Vec<Technique> {
    let technique = |technique: &tree::Technique| Technique {
        kind: technique.word.to_string(),
        group: technique.group.and_then(text),
        name: text(technique.name),
        annotations: states(&technique.annotations),
        passes: technique.passes.iter().map(pass).collect(),
    };
    effect.techniques.iter().map(technique).collect()
}

/// The objects.
pub(super) fn objects(effect: &tree::EffectFile) -> Vec<EffectObject> {
    let object = |object: &tree::EffectObject| EffectObject {
        kind: object.kind.to_string(),
        name: object.name.to_string(),
        states: states(&object.states),
    };
    effect.objects.iter().map(object).collect()
}

fn pass(pass: &tree::EffectPass) -> EffectPass {
    let shader = |shader: &tree::EffectShader| EffectShader {
        stage: shader.stage.name().to_owned(),
        profile: shader.profile.to_string(),
        entry_point: shader.entry.to_string(),
        function: text(shader.function).filter(|_| shader.function != shader.entry),
    };
    EffectPass {
        name: text(pass.name),
        annotations: states(&pass.annotations),
        shaders: pass.shaders.iter().map(shader).collect(),
        states: states(&pass.states),
    }
}

fn states(list: &[tree::EffectState]) -> Vec<EffectState> {
    let state = |state: &tree::EffectState| EffectState {
        ty: state.ty.and_then(text),
        name: state.name.to_string(),
        value: state.value.to_string(),
    };
    list.iter().map(state).collect()
}

fn text(symbol: Symbol) -> Option<String> {
    (!symbol.is_empty()).then(|| symbol.to_string())
}
