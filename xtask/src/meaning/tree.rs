//! The text of a generated program as a tree whose parts can be left out or replaced, so that a program that shows a
//! difference can be made smaller without a parser.

use super::types::Type;

/// A part of a program.
#[derive(Clone, Debug)]
pub struct Tree {
    pub kind: Kind,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub enum Part {
    Text(String),
    Tree(Tree),
}

/// What may be done with a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A value: any value of its type may stand in its place.
    Value(Type),
    /// What must stay as it is, such as the target of an assignment; its parts may be changed.
    Fixed,
    /// A statement: it may go, or be replaced by statements inside it.
    Statement,
    /// A declaration of the module: it may go.
    Declaration,
}

/// One thing to try.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Leaves out this many of the parts from this one.
    Remove { parent: Vec<usize>, first: usize, count: usize },
    /// Puts this tree in the place of another.
    Replace { path: Vec<usize>, with: Tree },
}

impl Tree {
    pub fn new(kind: Kind, parts: Vec<Part>) -> Tree {
        Tree { kind, parts }
    }

    /// A tree of text alone.
    pub fn text(kind: Kind, text: impl Into<String>) -> Tree {
        Tree { kind, parts: vec![Part::Text(text.into())] }
    }

    /// Fills the holes `{}` of a pattern in order.
    pub fn pattern(kind: Kind, pattern: &str, operands: impl IntoIterator<Item = Tree>) -> Tree {
        let mut parts = Vec::new();
        let mut operands = operands.into_iter();
        for (index, text) in pattern.split("{}").enumerate() {
            if index > 0 {
                parts.extend(operands.next().map(Part::Tree));
            }
            if !text.is_empty() {
                parts.push(Part::Text(text.to_owned()));
            }
        }
        Tree { kind, parts }
    }

    pub fn print(&self, out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Tree(tree) => tree.print(out),
            }
        }
    }

    fn at(&mut self, path: &[usize]) -> Option<&mut Tree> {
        path.iter().try_fold(self, |tree, index| match tree.parts.get_mut(*index) {
            Some(Part::Tree(inner)) => Some(inner),
            _ => None,
        })
    }

    /// The tree after an edit; nothing when the edit does not fit.
    pub fn edited(&self, edit: &Edit) -> Option<Tree> {
        let mut copy = self.clone();
        match edit {
            Edit::Remove { parent, first, count } => {
                let parts = &mut copy.at(parent)?.parts;
                (first + count <= parts.len()).then(|| parts.drain(*first..first + count).count())?;
            }
            Edit::Replace { path, with } => *copy.at(path)? = with.clone(),
        }
        Some(copy)
    }

    /// Everything to try, the largest first.
    pub fn edits(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        self.collect(&mut Vec::new(), &mut edits);
        // Stable: of edits of one size the first ones in the text come first.
        edits.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        edits.into_iter().map(|(_, edit)| edit).collect()
    }

    fn collect(&self, path: &mut Vec<usize>, edits: &mut Vec<(usize, Edit)>) {
        self.removals(path, edits);
        for (index, part) in self.parts.iter().enumerate() {
            let Part::Tree(tree) = part else { continue };
            path.push(index);
            let size = tree.size();
            let replacements = match &tree.kind {
                Kind::Value(ty) => tree.simpler_values(ty),
                Kind::Statement => tree.inner_statements(),
                Kind::Fixed | Kind::Declaration => Vec::new(),
            };
            for with in replacements {
                let gain = size.saturating_sub(with.size());
                if gain > 0 {
                    edits.push((gain, Edit::Replace { path: path.clone(), with }));
                }
            }
            tree.collect(path, edits);
            path.pop();
        }
    }

    /// Runs of neighbours that may go: halves, quarters and so on down to one.
    fn removals(&self, path: &[usize], edits: &mut Vec<(usize, Edit)>) {
        let goes = |part: &Part| matches!(part, Part::Tree(t) if matches!(t.kind, Kind::Statement | Kind::Declaration));
        let mut first = 0;
        while first < self.parts.len() {
            let run = self.parts[first..].iter().take_while(|p| goes(p)).count();
            let mut count = run;
            while count > 0 {
                for start in (first..=first + run - count).step_by(count) {
                    let size = self.parts[start..start + count].iter().map(Part::size).sum();
                    edits.push((size, Edit::Remove { parent: path.to_vec(), first: start, count }));
                }
                count /= 2;
            }
            first += run.max(1);
        }
    }

    /// The zero of the type, and the values of the same type inside.
    fn simpler_values(&self, ty: &Type) -> Vec<Tree> {
        let mut found: Vec<Tree> = ty.zero().map(|zero| Tree::text(self.kind.clone(), zero)).into_iter().collect();
        self.inside(&mut |tree| {
            let same = tree.kind == self.kind;
            if same {
                found.push(tree.clone());
            }
            !same
        });
        found
    }

    fn inner_statements(&self) -> Vec<Tree> {
        let mut inner = Vec::new();
        self.inside(&mut |tree| {
            let statement = tree.kind == Kind::Statement;
            if statement {
                inner.push(Part::Tree(tree.clone()));
            }
            !statement
        });
        if inner.is_empty() { Vec::new() } else { vec![Tree::new(Kind::Statement, inner)] }
    }

    /// Visits the trees inside, and theirs where the visitor says so.
    fn inside(&self, visit: &mut impl FnMut(&Tree) -> bool) {
        for part in &self.parts {
            if let Part::Tree(tree) = part
                && visit(tree)
            {
                tree.inside(visit);
            }
        }
    }

    fn size(&self) -> usize {
        self.parts.iter().map(Part::size).sum()
    }
}

impl Part {
    fn size(&self) -> usize {
        match self {
            Part::Text(text) => text.len(),
            Part::Tree(tree) => tree.size(),
        }
    }
}
