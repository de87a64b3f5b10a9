//! The sidecar as a table for people.

use super::model::{Count, Leaf, Reflection};

/// One line a leaf, columns aligned.
pub fn table(reflection: &Reflection) -> String {
    let header = ["parameter", "position", "offset", "size", "emitted as", "used by"].map(str::to_owned);
    let mut rows = vec![header];
    rows.extend(reflection.leaves.iter().map(row));
    let widths: Vec<usize> =
        (0..6).map(|i| rows.iter().filter_map(|r| r.get(i)).map(|c| c.chars().count()).max().unwrap_or(0)).collect();
    let mut out =
        format!("{} ({}), bindings by `{}`\n", reflection.target, reflection.profile, reflection.binding_policy);
    for entry in &reflection.entry_points {
        let size = entry.thread_group_size.map_or(String::new(), |[x, y, z]| format!(" [{x}, {y}, {z}]"));
        out.push_str(&format!("entry point {} ({}){size}\n", entry.name, entry.stage));
    }
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

fn row(leaf: &Leaf) -> [String; 6] {
    let position = match (leaf.class, leaf.index) {
        (Some(class), Some(index)) => format!("{class}{index} space{}", leaf.space.unwrap_or(0)),
        (None, Some(index)) if leaf.space.is_some() => format!("set {} binding {index}", leaf.space.unwrap_or(0)),
        (None, Some(index)) => format!("{} {index}", leaf.kind),
        _ => String::new(),
    };
    let size = match leaf.size {
        Some(Count::Number(n)) => n.to_string(),
        Some(Count::Word(_)) => "unbounded".to_owned(),
        None => String::new(),
    };
    [
        leaf.path.clone(),
        position,
        leaf.offset.map_or(String::new(), |o| o.to_string()),
        size,
        leaf.emitted_name.clone().unwrap_or_default(),
        leaf.entry_points.join(", "),
    ]
}
