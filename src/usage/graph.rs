//! What values are needed for: a graph whose nodes are variables, results of calls and conditions.

use std::collections::BTreeSet;

/// Something that may be needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node(usize);

/// What a shader does: its outputs, its writes to memory. Needed by definition.
pub const EFFECTS: Node = Node(0);

/// Nodes and what each needs.
#[derive(Default)]
pub struct Graph {
    last: usize,
    edges: BTreeSet<(Node, Node)>,
}

impl Graph {
    /// A new node.
    pub fn node(&mut self) -> Node {
        self.last += 1;
        Node(self.last)
    }

    /// Notes that one node needs another.
    pub fn need(&mut self, node: Node, needed: Node) {
        if node != needed {
            self.edges.insert((node, needed));
        }
    }

    /// All that effects need.
    pub fn needed(&self) -> BTreeSet<Node> {
        let mut found = BTreeSet::from([EFFECTS]);
        let mut todo = vec![EFFECTS];
        while let Some(node) = todo.pop() {
            for (_, next) in self.edges.range((node, Node(0))..=(node, Node(usize::MAX))) {
                if found.insert(*next) {
                    todo.push(*next);
                }
            }
        }
        found
    }
}
