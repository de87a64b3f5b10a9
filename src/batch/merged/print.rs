//! The merged text: what all variants have stands as it is, the rest inside of `#if` or behind `@if`.

use super::align::Node;
use super::conditions::Conditions;
use super::set::Set;
use super::units::{UnitKind, tokens};
use crate::target::Conditionals;

/// Writes lines.
pub struct Printer<'a> {
    form: Conditionals,
    conditions: &'a mut Conditions,
    lines: Vec<String>,
}

/// Neighbours of which all variants are among those of one of them.
struct Branch<'n> {
    set: Set,
    nodes: &'n [Node],
}

/// The lines of nodes; `context` are the variants that there are. `None`: no condition tells some of them apart.
pub fn print(form: Conditionals, nodes: &[Node], context: &Set, conditions: &mut Conditions) -> Option<Vec<String>> {
    let mut printer = Printer { form, conditions, lines: Vec::new() };
    printer.sequence(nodes, context)?;
    Some(printer.lines)
}

impl Printer<'_> {
    fn sequence(&mut self, nodes: &[Node], context: &Set) -> Option<()> {
        match self.form {
            Conditionals::Directives => self.with_directives(nodes, context),
            Conditionals::Attributes => self.with_attributes(nodes, context),
        }
    }

    fn with_directives(&mut self, mut nodes: &[Node], context: &Set) -> Option<()> {
        let mut is_first = true;
        while let Some(node) = nodes.first() {
            if node.blank && !is_first {
                self.lines.push(String::new());
            }
            is_first = false;
            let taken = if node.set == *context {
                self.node(node)?;
                1
            } else {
                let mut branches = branches(nodes, context);
                self.put_in_order(&mut branches, context)?;
                self.group(&branches, context)?;
                branches.iter().map(|branch| branch.nodes.len()).sum()
            };
            nodes = nodes.get(taken..)?;
        }
        Some(())
    }

    /// An attribute is about one node: each has its own, but for alternatives of one node each that are all.
    fn with_attributes(&mut self, nodes: &[Node], context: &Set) -> Option<()> {
        let is_code = |node: &&Node| node.kind != UnitKind::Comment;
        let code: Vec<&Set> = nodes.iter().filter(is_code).map(|node| &node.set).collect();
        let mut count = 0;
        // How many alternatives are still to come, and the variants that have none of those before.
        let mut chain: (usize, Set) = (0, Set::default());
        for (at, node) in nodes.iter().enumerate() {
            if node.blank && at > 0 {
                self.lines.push(String::new());
            }
            if is_code(&node) && node.set != *context {
                let attribute = if chain.0 > 0 {
                    let (more, left) = (chain.0 - 1, chain.1.without(&node.set));
                    let attribute = match more {
                        0 => "@else".to_owned(),
                        _ => format!("@elif({})", self.conditions.of(&node.set, &chain.1)?),
                    };
                    chain = (more, left);
                    attribute
                } else {
                    chain = (alternatives(&code, count, context), context.without(&node.set));
                    format!("@if({})", self.conditions.of(&node.set, context)?)
                };
                let first = node.frames.first().unwrap_or(&node.lines).first().map_or("", String::as_str);
                let indent = first.get(..first.len() - first.trim_start().len()).unwrap_or_default();
                self.lines.push(format!("{indent}{attribute}"));
            }
            count += usize::from(is_code(&node));
            self.node(node)?;
        }
        Some(())
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        if node.frames.is_empty() {
            self.lines.extend(node.lines.iter().cloned());
            return Some(());
        }
        for (at, frame) in node.frames.iter().enumerate() {
            self.lines.extend(frame.iter().cloned());
            if let Some(body) = node.bodies.get(at) {
                self.sequence(body, &node.set)?;
            }
        }
        Some(())
    }

    /// Of two alternatives that are all, that with the better condition is the first.
    fn put_in_order(&mut self, branches: &mut [Branch], context: &Set) -> Option<()> {
        if let [first, second] = branches
            && first.set.or(&second.set) == *context
            && self.conditions.cost(&second.set, context)? < self.conditions.cost(&first.set, context)?
        {
            std::mem::swap(first, second);
        }
        Some(())
    }

    /// Alternatives.
    fn group(&mut self, branches: &[Branch], context: &Set) -> Option<()> {
        let all = branches.iter().flat_map(|branch| branch.nodes);
        // What only some have a comment about: the comment is for all who read the text.
        if all.clone().all(|node| node.kind == UnitKind::Comment) {
            self.lines.extend(all.flat_map(|node| node.lines.iter().cloned()));
            return Some(());
        }
        let mut left = context.clone();
        for (at, branch) in branches.iter().enumerate() {
            let is_rest = at > 0 && branch.set == left;
            let line = match is_rest {
                true => "#else".to_owned(),
                false => directive(&self.conditions.of(&branch.set, &left)?, at == 0),
            };
            self.lines.push(line);
            self.sequence(branch.nodes, &branch.set)?;
            left = left.without(&branch.set);
        }
        self.lines.push("#endif".to_owned());
        Some(())
    }
}

/// How many nodes behind one are alternatives to it, of one node each, if all of them are what there is; else none.
fn alternatives(sets: &[&Set], first: usize, context: &Set) -> usize {
    let is_alone = |at: usize| {
        let is_same = |other: Option<usize>| other.and_then(|other| sets.get(other)) == sets.get(at);
        !is_same(at.checked_sub(1)) && !is_same(Some(at + 1))
    };
    let mut all = Set::default();
    for (at, set) in sets.iter().enumerate().skip(first) {
        if !is_alone(at) || !set.is_apart(&all) {
            return 0;
        }
        all = all.or(set);
        if all == *context {
            return at - first;
        }
    }
    0
}

/// The alternatives that nodes begin with, of which no variant has two.
fn branches<'n>(mut nodes: &'n [Node], context: &Set) -> Vec<Branch<'n>> {
    let (mut branches, mut used): (Vec<Branch>, Set) = (Vec::new(), Set::default());
    while let Some(first) = nodes.first().filter(|node| node.set != *context && node.set.is_apart(&used)) {
        let mut set = first.set.clone();
        let fits = |node: &&Node| {
            let is_wider = set.is_in(&node.set) && node.set != *context && node.set.is_apart(&used);
            if is_wider {
                set = node.set.clone();
            }
            is_wider || node.set.is_in(&set)
        };
        let count = nodes.iter().take_while(fits).count();
        let (own, others) = nodes.split_at(count);
        used = used.or(&set);
        branches.push(Branch { set, nodes: own });
        nodes = others;
    }
    branches
}

/// The line that begins a branch.
fn directive(condition: &str, is_first: bool) -> String {
    let tokens = tokens(condition);
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    match words.as_slice() {
        ["defined", "(", name, ")"] if is_first => format!("#ifdef {name}"),
        ["!", "defined", "(", name, ")"] if is_first => format!("#ifndef {name}"),
        _ => format!("#{} {condition}", if is_first { "if" } else { "elif" }),
    }
}
