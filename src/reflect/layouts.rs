//! The sidecar as an outline for people: types without layout, then every parameter with the layout of its type, offsets
//! relative to what holds it.

use super::model::{
    Binding, Count, EntryPoint, Reflection, Scope, Size, StageFacts, TypeNode, UserAttribute, Variable,
};
use super::words::{position, relative, type_name, unit_on, units};

/// Kinds of stage inputs and outputs that hold several of one type.
const VARYINGS: &[&str] = &["inputPatch", "outputPatch", "outputStream", "meshOutput"];

/// The outline.
pub fn outline(reflection: &Reflection) -> String {
    let mut out = Outline { profile: &reflection.profile, text: String::new() };
    out.line(
        0,
        &format!("{} ({}), bindings by `{}`", reflection.target, reflection.profile, reflection.binding_policy),
    );
    if !reflection.types.is_empty() {
        out.line(0, "types");
    }
    reflection.types.iter().for_each(|ty| out.declared(ty));
    out.scope("global parameters", &reflection.global_scope);
    reflection.parameters.iter().for_each(|p| out.parameter(1, p));
    reflection.entry_points.iter().for_each(|e| out.entry(e));
    out.text
}

struct Outline<'a> {
    profile: &'a str,
    text: String,
}

impl Outline<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A type without layout.
    fn declared(&mut self, node: &TypeNode) {
        let name = node.instance.as_deref().or(node.name.as_deref()).unwrap_or("");
        let attributes = attributes(&node.user_attribs);
        self.line(1, format!("{} {name}{attributes}", node.kind).trim_end());
        for field in node.fields.iter().flatten() {
            let ty = field.ty.as_deref().map_or_else(String::new, type_name);
            let name = field.name.as_deref().unwrap_or("");
            self.line(
                2,
                format!("{name}: {ty}{}{}", semantic(field), self::attributes(&field.user_attribs)).trim_end(),
            );
        }
        for case in &node.cases {
            self.line(2, &format!("{} = {}", case.name, case.value));
        }
    }

    /// Its buffer, if it has plain data.
    fn scope(&mut self, title: &str, scope: &Scope) {
        let bound: Vec<String> = scope.bindings.iter().map(|b| self.position(b)).collect();
        let size = scope.size.map_or(String::new(), |n| format!(", {}", units("uniform", n)));
        let text = match bound.is_empty() {
            true => title.to_owned(),
            false => format!("{title}, in a buffer at {}{size}", bound.join(" and ")),
        };
        self.line(0, &text);
    }

    fn entry(&mut self, entry: &EntryPoint) {
        let group = entry.thread_group_size.map_or(String::new(), |[x, y, z]| format!(", groups of {x} x {y} x {z}"));
        let attributes = attributes(&entry.user_attribs);
        self.scope(&format!("entry point {} ({}{group}){attributes}", entry.name, entry.stage), &entry.scope);
        if let Some(facts) = &entry.facts {
            self.line(1, &format!("stage: {}", stage_text(facts)));
        }
        entry.parameters.iter().for_each(|p| self.parameter(1, p));
        if let Some(result) = &entry.result {
            self.parameter(1, &Variable { name: Some("result".to_owned()), ..result.clone() });
        }
    }

    /// With absolute positions.
    fn parameter(&mut self, depth: usize, variable: &Variable) {
        let at: Vec<String> = variable.offsets().map(|b| self.position(b)).collect();
        self.variable(depth, variable, &at.join(" and "));
    }

    fn position(&self, binding: &Binding) -> String {
        position(&Binding { kind: unit_on(self.profile, &binding.kind).to_owned(), ..binding.clone() })
    }

    /// With offsets in what holds it.
    fn field(&mut self, depth: usize, variable: &Variable) {
        let at: Vec<String> = variable.offsets().map(relative).collect();
        self.variable(depth, variable, &at.join(", "));
    }

    fn variable(&mut self, depth: usize, variable: &Variable, at: &str) {
        let name = variable.name.as_deref().unwrap_or("");
        let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
        let asked = variable.requested.as_ref().map_or(String::new(), |r| format!(" for {r}"));
        let format = variable.format.as_ref().map_or(String::new(), |f| format!(" in {f}"));
        let rest = semantic(variable) + &format + &asked + &attributes(&variable.user_attribs);
        let Some(node) = variable.ty.as_deref() else { return self.line(depth, &format!("{name}{at}{rest}")) };
        self.line(depth, &format!("{name}: {}{at}{rest}{}", type_name(node), sizes(node.sizes.as_deref())));
        self.node(depth + 1, node);
    }

    /// What a type's layout says below its own line.
    fn node(&mut self, depth: usize, node: &TypeNode) {
        if let (Some(container), Some(element)) = (&node.container_var_layout, &node.element_var_layout) {
            let own: Vec<String> = container.offsets().map(relative).collect();
            self.line(
                depth,
                &format!("container: {}", if own.is_empty() { "nothing".to_owned() } else { own.join(", ") }),
            );
            self.field(depth, &Variable { name: Some("element".to_owned()), ..element.as_ref().clone() });
            return;
        }
        if node.kind == "array" {
            let strides: Vec<String> = node.element_strides.iter().filter_map(stride).collect();
            if let (Some(element), false) = (node.element_type.as_deref(), strides.is_empty()) {
                let text =
                    format!("each: {}{}, {}", type_name(element), sizes(element.sizes.as_deref()), strides.join(", "));
                self.line(depth, &text);
            }
            if let Some(element) = node.element_type.as_deref() {
                self.node(depth + 1, element);
            }
        } else if VARYINGS.contains(&node.kind.as_str()) {
            node.element_type.iter().for_each(|element| self.node(depth, element));
        } else if let (Some(element), Some(stride)) = (node.result_type.as_deref(), node.element_stride) {
            let text = format!("each: {}{}, {stride} bytes apart", type_name(element), sizes(element.sizes.as_deref()));
            self.line(depth, &text);
            self.node(depth + 1, element);
        }
        node.fields.iter().flatten().for_each(|f| self.field(depth, f));
    }
}

/// ` | 28 bytes (alignment 16, stride 32), 1 t register`.
fn sizes(sizes: Option<&[Size]>) -> String {
    let list: Vec<String> = sizes.unwrap_or(&[]).iter().map(size).collect();
    if list.is_empty() { String::new() } else { format!(" | {}", list.join(", ")) }
}

fn size(size: &Size) -> String {
    let mut text = units(&size.kind, size.value);
    if let (Some(alignment), Some(Count::Number(stride))) = (size.alignment, size.stride) {
        text.push_str(&format!(" (alignment {alignment}, stride {stride})"));
    }
    text
}

fn stride(size: &Size) -> Option<String> {
    Some(format!("{} apart", units(&size.kind, size.stride?)))
}

/// `domain tri, partitioning integer`, in alphabetical order.
fn stage_text(facts: &StageFacts) -> String {
    let value = serde_json::to_value(facts).unwrap_or_default();
    let words = value.as_object().into_iter().flatten().map(|(key, value)| match value {
        serde_json::Value::String(text) => format!("{key} {text}"),
        serde_json::Value::Bool(_) => key.clone(),
        other => format!("{key} {other}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn semantic(variable: &Variable) -> String {
    variable.semantic().map_or(String::new(), |semantic| format!(" : {semantic}"))
}

fn attributes(list: &[UserAttribute]) -> String {
    let one = |a: &UserAttribute| {
        let arguments: Vec<String> = a.arguments.iter().map(ToString::to_string).collect();
        format!(" [{}({})]", a.name, arguments.join(", "))
    };
    list.iter().map(one).collect()
}
