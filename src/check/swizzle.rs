//! Component selections: `v.xyz`, `c.rgb`, `1.0.xxx`, `m._m00_m11`, `m._11_22`.

use crate::tree::{MatrixElements, Swizzle};

/// The sets of component letters; one selection uses letters of one set.
const SETS: [&str; 2] = ["xyzw", "rgba"];
/// The set of colors.
const COLOR: usize = 1;

/// The components that `name` selects of a vector of `length` (a scalar: 1). `None` if it is not a selection at all;
/// `Some(Err(_))` if it looks like one and is wrong, with the reason.
pub fn vector(name: &str, length: u8) -> Option<Result<Swizzle, String>> {
    let sets: Vec<Option<(usize, u8)>> = name.chars().map(component).collect();
    let known: Vec<(usize, u8)> = sets.into_iter().collect::<Option<_>>()?;
    let (first, _) = known.first()?;
    if known.len() > 4 {
        return Some(Err(format!("`{name}` selects {} components; a vector has at most 4", known.len())));
    }
    if known.iter().any(|(set, _)| set != first) {
        return Some(Err(format!("`{name}` mixes letters of `xyzw` and `rgba`")));
    }
    if let Some((at, _)) = known.iter().enumerate().find(|(_, (_, c))| *c >= length) {
        let letter = name.chars().nth(at).unwrap_or_default();
        return Some(Err(match length {
            1 => format!("a scalar has only the component `x`, not `{letter}`"),
            _ => format!("a vector of {length} has no component `{letter}`"),
        }));
    }
    let components: Vec<u8> = known.iter().map(|(_, c)| *c).collect();
    Some(Ok(Swizzle { is_color: *first == COLOR, ..Swizzle::new(&components) }))
}

/// (set, component) of a letter.
fn component(letter: char) -> Option<(usize, u8)> {
    SETS.iter().enumerate().find_map(|(set, letters)| Some((set, letters.find(letter)? as u8)))
}

/// The (row, column) pairs that `name` selects of a matrix. `None` if it is not a selection at all; `Some(Err(_))` if it
/// looks like one and is wrong, with the reason.
pub fn matrix(name: &str, rows: u8, columns: u8) -> Option<Result<MatrixElements, String>> {
    let (list, base) = match split_matrix(name, "_m") {
        Some(list) => (list, 0),
        None => (split_matrix(name, "_")?, 1),
    };
    if list.len() > 4 {
        return Some(Err(format!("`{name}` selects {} elements; at most 4 make a vector", list.len())));
    }
    let select = |(r, c): (u8, u8)| {
        let (row, column) = (r.checked_sub(base), c.checked_sub(base));
        match (row, column) {
            (Some(row), Some(column)) if row < rows && column < columns => Ok((row, column)),
            _ => Err(format!(
                "a matrix of {rows} rows and {columns} columns has no element {r}{c} (`{}` counts from {base})",
                if base == 0 { "_m" } else { "_" }
            )),
        }
    };
    let list = list.into_iter().map(select).collect::<Result<_, _>>();
    Some(list.map(|list| MatrixElements::new(list, base == 1)))
}

/// Splits `_m00_m11` at its prefix into digit pairs.
fn split_matrix(name: &str, prefix: &str) -> Option<Vec<(u8, u8)>> {
    let mut rest = name;
    let mut list = Vec::new();
    while !rest.is_empty() {
        rest = rest.strip_prefix(prefix)?;
        let &[r @ b'0'..=b'9', c @ b'0'..=b'9', ..] = rest.as_bytes() else { return None };
        list.push((r - b'0', c - b'0'));
        rest = rest.get(2..)?;
    }
    (!list.is_empty()).then_some(list)
}

/// Whether the same component occurs twice, so that the selection cannot be assigned to.
pub fn repeats<T: PartialEq>(components: &[T]) -> bool {
    components.iter().enumerate().any(|(i, c)| components.iter().skip(i + 1).any(|d| d == c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, length: u8) -> Option<Result<String, String>> {
        vector(name, length).map(|r| r.map(|s| s.text()))
    }

    #[test]
    fn vectors() {
        assert_eq!(text("xyz", 3), Some(Ok("xyz".into())));
        assert_eq!(text("bgra", 4), Some(Ok("bgra".into())));
        assert_eq!(text("xxxx", 1), Some(Ok("xxxx".into())));
        assert_eq!(text("position", 3), None);
        assert_eq!(text("", 3), None);
        assert_eq!(text("xg", 4), Some(Err("`xg` mixes letters of `xyzw` and `rgba`".into())));
        assert_eq!(text("z", 2), Some(Err("a vector of 2 has no component `z`".into())));
        assert_eq!(text("y", 1), Some(Err("a scalar has only the component `x`, not `y`".into())));
        assert!(matches!(text("xxxxx", 4), Some(Err(_))));
    }

    #[test]
    fn matrices() {
        assert_eq!(matrix("_m00_m12", 2, 3), Some(Ok(vec![(0, 0), (1, 2)].into())));
        assert_eq!(matrix("_11_23", 2, 3), Some(Ok(vec![(0, 0), (1, 2)].into())));
        assert_eq!(matrix("_m20", 2, 3).map(|r| r.is_err()), Some(true));
        assert_eq!(matrix("_00", 2, 3).map(|r| r.is_err()), Some(true));
        assert_eq!(matrix("_24", 2, 3).map(|r| r.is_err()), Some(true));
        assert_eq!(matrix("_m00_11", 4, 4), None);
        assert_eq!(matrix("_", 4, 4), None);
        assert_eq!(matrix("_m0", 4, 4), None);
        assert_eq!(matrix("_m00_m01_m02_m03_m10", 4, 4).map(|r| r.is_err()), Some(true));
    }

    #[test]
    fn repeated_components() {
        assert!(repeats(&[0, 1, 0]));
        assert!(!repeats(&[0, 1, 2]));
        assert!(repeats(&[(0, 0), (0, 0)]));
    }
}
