//! What batch files do to texts: parts of paths, parts of values, lists, comparisons.

use super::script::stem_of;
use super::words::UNKNOWN;

/// What of a text is known: a variable that nothing sets is empty.
pub fn known(text: &str) -> String {
    text.split(UNKNOWN).step_by(2).collect()
}

pub fn compare(left: &str, operator: &str, right: &str) -> bool {
    let order = match (left.trim().parse::<i64>(), right.trim().parse::<i64>()) {
        (Ok(left), Ok(right)) if operator != "==" => left.cmp(&right),
        _ => left.cmp(right),
    };
    match operator {
        "==" | "equ" => order.is_eq(),
        "neq" => order.is_ne(),
        "lss" => order.is_lt(),
        "leq" => order.is_le(),
        "gtr" => order.is_gt(),
        "geq" => order.is_ge(),
        _ => false,
    }
}

/// Words that spaces, commas, semicolons and `=` part. Quotes stay.
pub fn words_of_list(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
        match (words.last_mut(), !quoted && (c.is_whitespace() || ",;=".contains(c))) {
            (Some(last), false) => last.push(c),
            (_, _) => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Parts of a path: `n` the name, `x` the ending, `d` and `p` the directory, `f` all of it.
pub fn part(value: &str, form: &str) -> String {
    let value = value.trim_matches('"');
    let has = |letter: char| form.contains(letter);
    if form.is_empty() || has('f') || form == "s" {
        return value.to_owned();
    }
    let name_at = value.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let (directory, name) = value.split_at(name_at);
    let stem = stem_of(name);
    let mut out = String::new();
    if has('d') || has('p') {
        out.push_str(directory);
    }
    if has('n') {
        out.push_str(stem);
    }
    if has('x') {
        out.push_str(name.strip_prefix(stem).unwrap_or_default());
    }
    out
}

/// A body of `for` with the value of its variable.
pub fn with_letter(text: &str, letter: char, value: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        rest = after;
        let length = match rest.strip_prefix('~') {
            Some(form) => 1 + form.find(|c: char| !"fdpnxs".contains(c) || c == letter).unwrap_or(form.len()),
            None => 0,
        };
        let (form, from) = rest.split_at_checked(length).unwrap_or(("", rest));
        match from.strip_prefix(letter) {
            Some(after) if form.is_empty() => {
                out.push_str(value);
                rest = after;
            }
            Some(after) => {
                out.push_str(&part(value, form.trim_start_matches('~')));
                rest = after;
            }
            None => out.push('%'),
        }
    }
    out.push_str(rest);
    out
}

/// `1,2` of `~1,2`: from which character on, and how many. Negative numbers count from the end.
pub fn cut(value: &str, range: &str) -> String {
    let chars: Vec<char> = value.chars().collect();
    let (start, count) = range.split_once(',').map_or((range, None), |(start, count)| (start, Some(count)));
    let place = |text: &str| {
        let n = text.trim().parse::<i64>().unwrap_or(0);
        let length = chars.len() as i64;
        (if n < 0 { length.saturating_add(n) } else { n }).clamp(0, length) as usize
    };
    let from = place(start);
    let to = match count.map(str::trim) {
        None => chars.len(),
        Some(count) if count.starts_with('-') => place(count),
        Some(count) => from.saturating_add(place(count)).min(chars.len()),
    };
    chars.get(from..to.max(from)).map(|part| part.iter().collect()).unwrap_or_default()
}

/// A text with another in place of one, in any case; `*old` takes what stands before, too.
pub fn replaced(value: &str, old: &str, new: &str) -> String {
    let (old, takes_all) = old.strip_prefix('*').map_or((old, false), |old| (old, true));
    let (lower, wanted) = (value.to_ascii_lowercase(), old.to_ascii_lowercase());
    let mut out = String::new();
    let mut at = 0;
    while let Some(found) = lower.get(at..).and_then(|rest| rest.find(&wanted)).filter(|_| !wanted.is_empty()) {
        if !takes_all {
            out.push_str(value.get(at..at + found).unwrap_or_default());
        }
        out.push_str(new);
        at += found + wanted.len();
        if takes_all {
            break;
        }
    }
    out.push_str(value.get(at..).unwrap_or_default());
    out
}
