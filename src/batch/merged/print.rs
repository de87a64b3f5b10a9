//! The merged text: what all variants have stands as it is, the rest inside of `#if`.

use super::align::Node;
use super::conditions::Conditions;
use super::set::Set;
use super::units::{UnitKind, tokens};

/// Writes lines.
pub struct Printer<'a> {
    conditions: &'a mut Conditions,
    lines: Vec<String>,
}

/// Neighbours of which all variants are among those of one of them.
struct Branch<'n> {
    set: Set,
    nodes: &'n [Node],
}

/// The lines of nodes; `context` are the variants that there are. `None`: no condition tells some of them apart.
pub fn print(nodes: &[Node], context: &Set, conditions: &mut Conditions) -> Option<Vec<String>> {
    let mut printer = Printer { conditions, lines: Vec::new() };
    printer.sequence(nodes, context)?;
    Some(printer.lines)
}

impl Printer<'_> {
    fn sequence(&mut self, mut nodes: &[Node], context: &Set) -> Option<()> {
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
