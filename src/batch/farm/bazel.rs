//! Actions as a `BUILD.bazel`, a `genrule` each. It lies in the directory that the plan was made in, which is the package.

use super::command::Place;
use super::{Actions, Word, shell};

/// The text of the file: `tool` is the label of shaderport. The error is a text for people.
pub fn bazel(actions: &Actions, tool: &str) -> Result<String, String> {
    let mut text = String::from(
        "# Written by `shaderport plan`.\n\n# Sources are named from the root of the workspace in commands.\n\
         _DIR = package_name() + \"/\" if package_name() else \"\"\n",
    );
    for action in &actions.actions {
        for path in action.inputs.iter().chain(&action.outputs) {
            if path.starts_with("../") || path.starts_with('/') {
                return Err(format!("{path} is outside of the package: make the plan in a directory that it is below"));
            }
        }
        text.push_str(&format!(
            "\ngenrule(\n    name = {},\n    srcs = {},\n    outs = {},\n    cmd = {},\n    tools = [{}],\n)\n",
            quoted(&action.id),
            list(&action.inputs),
            list(&action.outputs),
            command(&action.command, tool),
            quoted(tool),
        ));
    }
    let names: Vec<String> = actions.actions.iter().map(|action| format!(":{}", action.id)).collect();
    text.push_str(&format!(
        "\nfilegroup(\n    name = \"shaders\",\n    srcs = {},\n    visibility = [\"//visibility:public\"],\n)\n",
        list(&names)
    ));
    Ok(text)
}

fn list(names: &[String]) -> String {
    let lines: String = names.iter().map(|name| format!("        {},\n", quoted(name))).collect();
    if names.is_empty() { "[]".to_owned() } else { format!("[\n{lines}    ]") }
}

/// A string of Starlark.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// The command as an expression of Starlark. Its first word is the tool.
fn command(words: &[Word], tool: &str) -> String {
    let mut parts = vec![quoted(&format!("$(execpath {tool})"))];
    for word in words.iter().skip(1) {
        // A dollar sign of the shell's is written twice.
        let text = |text: &str| text.replace('$', "$$");
        match &word.path {
            None => parts.push(quoted(&format!(" {}", text(&shell(&word.before))))),
            Some((Place::Output, path)) => {
                parts.push(quoted(&format!(" {}$(RULEDIR)/{}", word.before, text(&shell(path)))));
            }
            Some((Place::Input, path)) => {
                parts.push(quoted(&format!(" {}", word.before)));
                parts.push("_DIR".to_owned());
                parts.push(quoted(&text(&shell(path))));
            }
        }
    }
    parts.join(" +\n          ")
}
