//! A struct and what stands in it, function for function, as units.
//!
//! Before: `struct Light { float size; float at(float t) {...} };`
//! After:  `struct Light { float size; };` with a body of one field, and `Light::at` behind its first field
//!
//! A function that is only declared there is a unit, too, as are its definition, `Light::at()`, and a line that announces a struct,
//! `struct Light;`. A struct without functions has a body, too: that of another program may have some. One is a single unit where its members are not
//! lines of their own, or are not separated as in C.

use super::{DeclaredNames, Head, MemberPlace, StructBody, TextUnit, TextUnits, called, closing, locals, used};
use crate::lex::{Comment, Token};
use std::collections::BTreeSet;
use std::ops::Range;

/// The tokens of a struct, apart.
pub(super) struct StructParts<'t> {
    /// Those of the struct alone.
    core: Vec<&'t Token>,
    name: &'t Token,
    /// The names of what it is derived from.
    bases: Vec<&'t str>,
    /// The lines between its brackets.
    lines: Range<usize>,
    /// Its members, each with its lines.
    members: Vec<(Vec<&'t Token>, Range<usize>)>,
}

impl<'t> StructParts<'t> {
    /// Of a unit, if it is a struct with members that can be distinguished.
    pub(super) fn of(text: &str, tokens: &[&'t Token], comments: &[Comment]) -> Option<StructParts<'t>> {
        let head = Head::of(tokens);
        let (open, rest) = (tokens.get(head.length)?, tokens.get(head.length..)?);
        let words = tokens.get(..head.length)?;
        let is_struct = head.end == Some("{") && words.iter().any(|token| token.text.as_str() == "struct");
        let close = closing(rest);
        let behind: Vec<&str> = rest.get(close + 1..)?.iter().map(|token| token.text.as_str()).collect();
        if !is_struct || behind != [";"] {
            return None;
        }
        let bases = words.iter().skip_while(|token| token.text.as_str() != ":").skip(1);
        let lines = between(text, open.span.end as usize, rest.get(close)?.span.start as usize)?;
        let mut parts = StructParts {
            core: tokens.get(..=head.length)?.to_vec(),
            name: head.last?,
            bases: bases.map(|token| token.text.as_str()).collect(),
            lines: lines.clone(),
            members: Vec::new(),
        };
        let mut at = lines.start;
        for member in members(rest.get(1..close)?)? {
            let range = lines_of(text, member, (at, comments))?;
            at = range.end;
            if !is_unit(member) {
                parts.core.extend(member);
            }
            parts.members.push((member.to_vec(), range));
        }
        parts.core.extend(rest.get(close..)?);
        Some(parts)
    }
}

/// Whether programs may have a member or not: a function or constant.
fn is_unit(member: &[&Token]) -> bool {
    let is_static = member.first().is_some_and(|first| first.text.as_str() == "static");
    is_static || Head::of(member).end == Some("(")
}

/// What a function or constant in a struct is known by.
fn declared(of: &str, name: &str) -> String {
    format!("{of}::{name}")
}

/// What is before the name of a struct that a line announces.
pub(super) const ANNOUNCED: &str = "struct ";

/// What a line announces a struct by.
fn announced(name: &str) -> String {
    format!("{ANNOUNCED}{name}")
}

/// Tells a line that announces a struct from the struct.
pub(super) fn mark_announcement(unit: &mut TextUnit) {
    if let ([_, name, _], true) = (unit.tokens.as_slice(), unit.announces()) {
        (unit.declares, unit.uses) = (BTreeSet::from([announced(name)]), BTreeSet::new());
    }
}

/// The members in a list: each ends with a semicolon, or the body of a function.
fn members<'l, 't>(mut list: &'l [&'t Token]) -> Option<Vec<&'l [&'t Token]>> {
    let mut found = Vec::new();
    while !list.is_empty() {
        let (mut depth, mut has_list) = (0_usize, false);
        let end = list.iter().position(|token| {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            has_list |= token.text.as_str() == "(";
            depth == 0 && (token.text.as_str() == ";" || has_list && token.text.as_str() == "}")
        })?;
        let (member, rest) = list.split_at(end + 1);
        // Lines of a preprocessor are about lines.
        if member.iter().any(|token| token.text.as_str() == "#") {
            return None;
        }
        found.push(member);
        list = rest;
    }
    Some(found)
}

/// The lines between brackets that stand at the end of a line and on one of their own.
fn between(text: &str, open: usize, close: usize) -> Option<Range<usize>> {
    let start = open + text.get(open..close)?.find('\n')? + 1;
    let end = text.get(..close)?.rfind('\n')? + 1;
    let is_alone = text.get(end..close)?.trim().is_empty();
    (is_alone && start <= end).then_some(start..end)
}

/// The lines of a member and of the comments before it, behind a byte where a line begins.
fn lines_of(text: &str, member: &[&Token], (at, comments): (usize, &[Comment])) -> Option<Range<usize>> {
    let (first, last) = (member.first()?.span.start as usize, member.last()?.span.end as usize);
    let leading = comments.iter().map(|comment| comment.span.start as usize).find(|start| (at..first).contains(start));
    let start = text.get(..leading.unwrap_or(first))?.rfind('\n')? + 1;
    let end = last + text.get(last..)?.find('\n')? + 1;
    let is_whole = start >= at && text.get(start..leading.unwrap_or(first))?.trim().is_empty();
    is_whole.then_some(start..end)
}

impl TextUnits {
    /// Tells the definition of a function or variable that a struct declares from one that stands alone.
    pub(super) fn mark_definition(&self, unit: &mut TextUnit, tokens: &[&Token]) {
        let head = Head::of(tokens);
        let ends = |end: &str| matches!(end, "(" | "[" | "=" | ";");
        let Some(name) = head.last.filter(|_| head.end.is_some_and(ends)) else { return };
        let mut before = tokens.iter().take(head.length).rev().skip(1).map(|token| token.text.as_str());
        let (sign, of) = (before.next(), before.next());
        let Some(of) = of.filter(|_| sign == Some("::")) else { return };
        let name = name.text.as_str();
        let is_body = |unit: &&TextUnit| unit.body.is_some() && unit.declares.contains(of);
        let names = self.units.iter().find(is_body).and_then(|unit| unit.body.as_ref()).map(|body| &body.names);
        let is_member = |name: &str| names.is_some_and(|names| names.contains(name));
        unit.declares = BTreeSet::from([declared(of, name) + "()"]);
        unit.uses.retain(|used| !is_member(used));
        unit.uses.extend([of.to_owned(), declared(of, name)]);
        unit.calls.extend(called_bare(tokens).filter(|name| is_member(name)).map(str::to_owned));
        unit.defines = Some((of.to_owned(), name.to_owned()));
    }

    /// Whether a line before announces a struct.
    fn announces(&self, name: &str) -> bool {
        let announced = announced(name);
        self.units.iter().any(|unit| unit.declares.contains(&announced))
    }

    /// Adds a struct that was read as one unit, and what stands in it.
    pub(super) fn add_struct(&mut self, whole: TextUnit, parts: StructParts, text: &str, comments: &[Comment]) {
        let of = self.units.len();
        let names = self.member_names(&parts);
        let own = DeclaredNames::of(&parts.core);
        let is_member = |name: &str| own.members.contains(name) || names.contains(name);
        let is_other = |name: &&str| !whole.declares.contains(*name) && !is_member(name);
        let fields = parts.members.iter().filter(|(tokens, _)| !is_unit(tokens));
        self.units.push(TextUnit {
            uses: used(&parts.core).filter(is_other).map(str::to_owned).collect(),
            calls: BTreeSet::new(),
            tokens: texts(&parts.core),
            body: Some(StructBody {
                lines: parts.lines.clone(),
                fields: fields.map(|(_, lines)| lines.clone()).collect(),
                is_derived: !parts.bases.is_empty(),
                names: names.clone(),
            }),
            ..whole.clone()
        });
        let (mut behind, mut before) = (0, parts.lines.start);
        for (tokens, lines) in &parts.members {
            match is_unit(tokens) {
                true => {
                    let unit = member((text, comments, before), tokens, (&parts, of, behind), &names);
                    self.units.extend(unit.map(|unit| self.by_announcements(unit)));
                }
                false => behind += 1,
            }
            before = lines.end;
        }
    }

    /// What is only declared needs no more of structs than that they are announced.
    fn by_announcements(&self, mut unit: TextUnit) -> TextUnit {
        if unit.tokens.last().is_some_and(|last| last == ";") {
            let by = |name: String| if self.announces(&name) { announced(&name) } else { name };
            unit.uses = unit.uses.into_iter().map(by).collect();
        }
        unit
    }

    /// The names of all members of a struct, and of its bases that are known here.
    fn member_names(&self, parts: &StructParts) -> BTreeSet<String> {
        let own = parts.members.iter().filter_map(|(tokens, _)| Some(Head::of(tokens).last?.text.as_str().to_owned()));
        let is_base = |unit: &&TextUnit| parts.bases.iter().any(|base| unit.declares.contains(*base));
        let bases = self.units.iter().filter(is_base).filter_map(|unit| unit.body.as_ref());
        own.chain(bases.flat_map(|body| body.names.iter().cloned())).collect()
    }
}

/// A unit of what stands in a struct with members of some names.
fn member(
    (text, comments, before): (&str, &[Comment], usize),
    tokens: &[&Token],
    (parts, of, behind): (&StructParts, usize, usize),
    names: &BTreeSet<String>,
) -> Option<TextUnit> {
    let name = Head::of(tokens).last?;
    let of_struct = parts.name.text.as_str();
    let locals = locals(tokens);
    let own = name.text.as_str().to_owned();
    let is_other = |name: &&str| !names.contains(*name) && !locals.contains(name) && **name != *own;
    let mut unit = TextUnit::of(text, tokens, comments, before)?;
    unit.declares = BTreeSet::from([declared(of_struct, &own)]);
    unit.name_at = Some(name.span.start as usize);
    unit.uses = used(tokens).filter(is_other).chain([of_struct]).map(str::to_owned).collect();
    let is_member = |name: &&str| names.contains(*name);
    unit.calls.extend(called_bare(tokens).filter(is_member).map(str::to_owned));
    unit.member = Some(MemberPlace { of, of_name: of_struct.to_owned(), name: own, behind });
    Some(unit)
}

/// The names before argument lists that are behind no sign of a member, without that of the function itself.
fn called_bare<'t>(tokens: &'t [&'t Token]) -> impl Iterator<Item = &'t str> {
    let tokens = tokens.get(Head::of(tokens).length..).unwrap_or_default();
    let behind: BTreeSet<&str> = called(tokens, super::SELECTS).collect();
    let all = tokens.iter().zip(tokens.iter().skip(1)).filter(|(_, next)| next.text.as_str() == "(");
    all.map(|(token, _)| token.text.as_str()).filter(move |name| !behind.contains(name))
}

fn texts(tokens: &[&Token]) -> Vec<String> {
    tokens.iter().map(|token| token.text.as_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::headers::units::TextUnitKind;

    const TEXT: &str = "struct B;\nstruct A : Z\n{\n    float x : U; // Of x.\n    B b();\n\n    // About f.\n    float f(float y)\n    {\n        \
        return g(y) * x + h.k(y);\n    }\n\n    uint3 z[N];\n    static const int N = 2;\n    static const float2 M;\n};\n\nB A::b()\n{\n    \
        return make(f(x));\n}\n\nstatic const float2 A::M = float2(N, W);\n";

    fn strings(names: &BTreeSet<String>) -> Vec<&str> {
        names.iter().map(String::as_str).collect()
    }

    #[test]
    fn what_stands_in_structs_is_apart() {
        let units = TextUnits::of(TEXT).units;
        let names: Vec<&str> = units.iter().flat_map(|unit| strings(&unit.declares)).collect();
        assert_eq!(names, ["struct B", "A", "A::b", "A::f", "A::N", "A::M", "A::b()", "A::M()"]);
        assert!(units.iter().all(|unit| unit.kind == TextUnitKind::Declaration));
        let [_, a, b, f, n, _, definition, value] = units.as_slice() else { panic!("{units:?}") };
        assert_eq!(a.tokens.join(" "), "struct A : Z { float x : U ; uint3 z [ N ] ; } ;");
        assert_eq!(strings(&a.uses), ["U", "Z", "float", "struct", "uint3"]);
        let fields =
            a.body.as_ref().map(|body| body.fields.iter().map(|range| &TEXT[range.clone()]).collect::<Vec<_>>());
        assert_eq!(fields, Some(vec!["    float x : U; // Of x.\n", "    uint3 z[N];\n"]));
        let behind: Vec<usize> = [b, f, n].iter().filter_map(|unit| Some(unit.member.as_ref()?.behind)).collect();
        assert_eq!(behind, [1, 1, 2]);
        assert_eq!(&TEXT[f.range.start..f.code.start], "// About f.\n    ");
        assert_eq!(b.announced().collect::<Vec<_>>(), ["B"]);
        assert_eq!((strings(&f.uses), strings(&f.calls)), (vec!["A", "float", "g", "h", "return"], vec!["k"]));
        assert_eq!(
            (strings(&definition.uses), strings(&definition.calls)),
            (vec!["A", "A::b", "B", "make", "return"], vec!["b", "f"])
        );
        assert_eq!(strings(&value.uses), ["A", "A::M", "W", "const", "float2", "static"]);
        assert_eq!(f.tokens_in_place(), "A :: float f ( float y ) { return g ( y ) * x + h . k ( y ) ; }");
    }

    #[test]
    fn structs_of_other_forms_are_whole() {
        for text in [
            "struct A { float x; };\n",
            "struct C {\n    x: f32,\n}\n",
            "struct A\n{\n#if X\n    float x;\n#endif\n};\n",
            "struct A\n{\n    float x; float f() { return x; }\n};\n",
        ] {
            let units = TextUnits::of(text).units;
            assert!(units.len() == 1 && units.iter().all(|unit| unit.body.is_none()), "{text}: {units:?}");
        }
    }
}
