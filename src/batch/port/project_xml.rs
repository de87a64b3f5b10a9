//! The elements of an XML file, with their lines.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

/// Elements in each other.
const DEEPEST: usize = 64;

/// An element. Names are without their prefixes.
#[derive(Clone, Debug, Default)]
pub struct ProjectElement {
    /// Its name.
    pub name: String,
    /// Its attributes.
    attributes: Vec<(String, String)>,
    /// Its text, without that of its elements.
    pub text: String,
    /// The elements in it.
    pub children: Vec<ProjectElement>,
    /// Where it begins.
    pub line: usize,
}

impl ProjectElement {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it has a name, in any case.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    fn new(start: &BytesStart, line: usize) -> ProjectElement {
        let attributes = start.attributes().flatten().map(|attribute| {
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap_or_default();
            (attribute.key.local_name().as_ref().to_owned(), value.into_owned())
        });
        let attributes = attributes.collect();
        ProjectElement { name: start.local_name().as_ref().to_owned(), attributes, line, ..Self::default() }
    }
}

/// The root of a file, or the line where it cannot be read and why.
pub fn elements(text: &str) -> Result<ProjectElement, (usize, String)> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader::from_str(text);
    // The elements that are open; the first holds the root.
    let mut open = vec![ProjectElement::default()];
    let (mut line, mut seen) = (1, 0);
    loop {
        let event = reader.read_event().map_err(|e| (line, e.to_string()))?;
        match event {
            Event::Start(start) if open.len() < DEEPEST => open.push(ProjectElement::new(&start, line)),
            Event::Start(_) => return Err((line, format!("there are more than {DEEPEST} elements in each other"))),
            Event::Empty(start) => close(&mut open, ProjectElement::new(&start, line)),
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    close(&mut open, element);
                }
            }
            Event::Text(text) => add(&mut open, &text.xml10_content()),
            Event::CData(text) => add(&mut open, &text.xml10_content()),
            Event::GeneralRef(reference) => add(&mut open, &meaning(&reference)),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof => break,
        }
        let at = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        line += text.get(seen..at).unwrap_or_default().matches('\n').count();
        seen = at;
    }
    let root = open.into_iter().next().and_then(|all| all.children.into_iter().next());
    root.ok_or_else(|| (line, "it has no element".to_owned()))
}

fn close(open: &mut [ProjectElement], element: ProjectElement) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(element);
    }
}

fn add(open: &mut [ProjectElement], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

/// What `&NAME;` stands for; an entity that XML does not have stays.
fn meaning(reference: &BytesRef) -> String {
    if let Ok(Some(letter)) = reference.resolve_char_ref() {
        return letter.to_string();
    }
    let name = reference.xml10_content();
    resolve_predefined_entity(&name).map_or_else(|| format!("&{name};"), str::to_owned)
}
