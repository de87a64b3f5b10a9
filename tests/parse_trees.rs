//! Parses every file of the trees named by `SHADERPORT_TREE` (separated by `:`) and prints the errors; without it there
//! is nothing to do. For development: `SHADERPORT_TREE=... cargo test --test parse_trees -- --nocapture`.

use shaderport::internals::diagnostic::Diagnostics;
use shaderport::internals::parse::{Language, parse};
use shaderport::internals::preprocess::{Preprocess, preprocess};
use shaderport::internals::source::Sources;
use shaderport::{Code, LoadError, Loaded, Loader};
use std::path::{Path, PathBuf};

struct Disk {
    roots: Vec<PathBuf>,
}

impl Loader for Disk {
    fn source(&self, name: &str) -> Result<Loaded, LoadError> {
        let bytes = std::fs::read(name).map_err(|_| LoadError::NotFound(vec![name.to_owned()]))?;
        let name = std::fs::canonicalize(name).map_or(name.to_owned(), |p| p.to_string_lossy().into_owned());
        Ok(Loaded { name, text: String::from_utf8_lossy(&bytes).into() })
    }

    fn include(&self, path: &str, _quoted: bool, from: &str) -> Result<Loaded, LoadError> {
        let beside = Path::new(from).parent().map(Path::to_owned);
        let candidates = beside.iter().chain(&self.roots).map(|d| d.join(path.trim_start_matches('/')));
        candidates
            .filter_map(|c| self.source(&c.to_string_lossy()).ok())
            .next()
            .ok_or_else(|| LoadError::NotFound(vec![path.to_owned()]))
    }
}

/// Parses the file with pieces cut out, to see that nothing panics or hangs.
fn mutate(path: &Path, roots: &[PathBuf], rounds: usize) {
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    let mut seed = text.len() as u64;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n.max(1)
    };
    for _ in 0..rounds {
        let (from, count) = (next(words.len()), 1 + next(4));
        let to = (from + count).min(words.len());
        let cut = words[..from].concat() + &words[to..].concat();
        let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
        let loader = Mutant { text: cut, disk: Disk { roots: roots.to_vec() } };
        let stream = preprocess(&loader, &path.to_string_lossy(), &Preprocess::default(), &mut sources, &mut diags);
        let start = std::time::Instant::now();
        parse(&stream, Language::Slang, &mut diags);
        let (elapsed, count) = (start.elapsed().as_micros() as usize, stream.tokens.len());
        if elapsed > 100_000 + 50 * count {
            println!("SLOW {} {elapsed} us for {count} tokens", path.display());
        }
    }
}

struct Mutant {
    text: String,
    disk: Disk,
}

impl Loader for Mutant {
    fn source(&self, name: &str) -> Result<Loaded, LoadError> {
        Ok(Loaded { name: name.to_owned(), text: self.text.as_str().into() })
    }
    fn include(&self, path: &str, quoted: bool, from: &str) -> Result<Loaded, LoadError> {
        self.disk.include(path, quoted, from)
    }
}

fn parse_file(path: &Path, roots: &[PathBuf]) -> (usize, Vec<String>) {
    let name = path.to_string_lossy();
    let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
    let loader = Disk { roots: roots.to_vec() };
    let stream = preprocess(&loader, &name, &Preprocess::default(), &mut sources, &mut diags);
    let language = if name.ends_with(".slang") { Language::Slang } else { Language::Hlsl };
    parse(&stream, language, &mut diags);
    let mut lines = Vec::new();
    for d in diags.list().iter().filter(|d| d.code == Code::SYNTAX || d.code == Code::NESTING) {
        let span = sources.use_site(d.span.unwrap_or_default());
        let (line, column) = sources.line_column(span.file, span.start);
        let file = sources.file(span.file).map_or("?", |f| f.name.as_str());
        lines.push(format!("{file}:{}:{}: {}", line + 1, column + 1, d.message));
    }
    (stream.tokens.len(), lines)
}

#[test]
fn trees_parse() {
    let Ok(trees) = std::env::var("SHADERPORT_TREE") else { return };
    let rounds = std::env::var("SHADERPORT_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (mut files, mut tokens, mut bad) = (0, 0, 0);
    for tree in trees.split(':') {
        let root = PathBuf::from(tree);
        let shader = |p: &Path| p.extension().is_some_and(|e| e == "slang" || e == "hlsl" || e == "hlsli" || e == "fx");
        let mut paths: Vec<PathBuf> =
            walkdir::WalkDir::new(tree).into_iter().flatten().map(|e| e.into_path()).collect();
        paths.retain(|p| shader(p));
        paths.sort();
        for path in paths {
            let (count, errors) = parse_file(&path, std::slice::from_ref(&root));
            mutate(&path, std::slice::from_ref(&root), rounds);
            files += 1;
            tokens += count;
            bad += usize::from(!errors.is_empty());
            if !errors.is_empty() {
                println!("FILE {}", path.display());
            }
            errors.iter().for_each(|e| println!("    {e}"));
        }
    }
    println!("{files} files, {tokens} tokens, {bad} with syntax errors");
}
