//! A report as blocks, and its two forms: Markdown, and a page of HTML that needs nothing else.

use crate::reflect::html::escape;

/// A part of a report. Texts may have parts in backquotes.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// The title.
    Title(String),
    /// The heading of a section.
    Section(String),
    /// The heading of a part of one.
    Part(String),
    /// A paragraph.
    Text(String),
    /// A list.
    List(Vec<String>),
    /// A table.
    Grid {
        /// Its columns.
        head: Vec<String>,
        /// Its rows.
        rows: Vec<Vec<String>>,
    },
    /// Lines of a shell.
    Commands(Vec<String>),
}

/// As Markdown.
pub fn markdown(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        if !text.is_empty() {
            text.push('\n');
        }
        match block {
            Block::Title(title) => text.push_str(&format!("# {title}\n")),
            Block::Section(title) => text.push_str(&format!("## {title}\n")),
            Block::Part(title) => text.push_str(&format!("### {title}\n")),
            Block::Text(line) => text.push_str(&format!("{line}\n")),
            Block::List(items) => items.iter().for_each(|item| text.push_str(&format!("- {item}\n"))),
            Block::Grid { head, rows } => {
                let row = |cells: &[String]| {
                    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
                    format!("| {} |\n", cells.join(" | "))
                };
                text.push_str(&row(head));
                text.push_str(&format!("|{}\n", " --- |".repeat(head.len())));
                rows.iter().for_each(|cells| text.push_str(&row(cells)));
            }
            Block::Commands(lines) => {
                let commands = format!("```sh\n{}\n```\n", lines.join("\n"));
                text.push_str(&folded(lines.len(), &format!("\n{commands}\n")).unwrap_or(commands));
            }
        }
    }
    text
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em}\
    table{border-collapse:collapse;margin:.5em 0}td,th{border:1px solid #8886;padding:.2em .6em;text-align:left;vertical-align:top}\
    code,pre{font:13px/1.4 ui-monospace,monospace}pre{overflow:auto;padding:.6em;background:#8881}\
    @media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}}";

/// As a page.
pub fn page(blocks: &[Block]) -> String {
    let title =
        blocks.iter().find_map(|block| if let Block::Title(title) = block { Some(title.as_str()) } else { None });
    let title = escape(title.unwrap_or_default());
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n"
    );
    for block in blocks {
        match block {
            Block::Title(title) => text.push_str(&format!("<h1>{}</h1>\n", inline(title))),
            Block::Section(title) => text.push_str(&format!("<h2>{}</h2>\n", inline(title))),
            Block::Part(title) => text.push_str(&format!("<h3>{}</h3>\n", inline(title))),
            Block::Text(line) => text.push_str(&format!("<p>{}</p>\n", inline(line))),
            Block::List(items) => {
                let items: String = items.iter().map(|item| format!("<li>{}</li>\n", inline(item))).collect();
                text.push_str(&format!("<ul>\n{items}</ul>\n"));
            }
            Block::Grid { head, rows } => {
                let row = |cells: &[String], tag: &str| {
                    let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", inline(cell))).collect();
                    format!("<tr>{cells}</tr>\n")
                };
                let rows: String = rows.iter().map(|cells| row(cells, "td")).collect();
                text.push_str(&format!("<table>\n{}{rows}</table>\n", row(head, "th")));
            }
            Block::Commands(lines) => {
                let commands = format!("<pre>{}</pre>\n", escape(&lines.join("\n")));
                text.push_str(&folded(lines.len(), &commands).unwrap_or(commands));
            }
        }
    }
    text.push_str("</html>\n");
    text
}

/// Commands that are shown at once; more are opened by the reader.
const SHOWN_COMMANDS: usize = 24;

/// Commands that a reader opens, in HTML, which Markdown has, too.
fn folded(count: usize, commands: &str) -> Option<String> {
    let shows = format!("<details><summary>{count} commands</summary>\n{commands}</details>\n");
    (count > SHOWN_COMMANDS).then_some(shows)
}

/// A text whose parts in backquotes are code.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        let part = escape(part);
        out.push_str(&if at % 2 == 1 { format!("<code>{part}</code>") } else { part });
    }
    out
}
