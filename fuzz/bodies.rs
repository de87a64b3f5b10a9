//! What the fuzz targets do with bytes: nothing that they are given may make it panic, hang or break what must hold. `cargo
//! xtask fuzz --target NAME` runs the same functions on mutated bytes, without libFuzzer.

use shaderport::internals::batch::manifest::Manifest;
use shaderport::internals::diagnostic::{Diagnostics, render};
use shaderport::internals::json;
use shaderport::internals::layout::lock::Lock;
use shaderport::internals::lex::{TokenKind, lex};
use shaderport::internals::parse::{Language, parse};
use shaderport::internals::preprocess::{Preprocess, preprocess};
use shaderport::internals::source::{FileId, Sources};
use shaderport::reflection::{Reflection, SCHEMA_VERSION};
use shaderport::{Code, MemoryLoader, Options, Target, compile};

/// A target: its name, what it does, and the endings of files that are good to begin with.
pub type Body = (&'static str, fn(&[u8]), &'static [&'static str]);

/// All of them.
pub const BODIES: &[Body] = &[
    ("lexer", lexer, SHADERS),
    ("preprocessor", preprocessor, SHADERS),
    ("parser", parser, SHADERS),
    ("pipeline", pipeline, SHADERS),
    ("lock", lock, &["lock", "json"]),
    ("manifest", manifest, &["toml"]),
    ("sidecar", sidecar, &["json"]),
];

const SHADERS: &[&str] = &["slang", "hlsl", "md"];
const MAIN: &str = "main.slang";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn loader(bytes: &[u8]) -> MemoryLoader {
    MemoryLoader::new().with(MAIN, &text(bytes)).with("again.hlsli", "#include \"main.slang\"\nfloat again;\n")
}

/// Tokens lie in the text, one behind the other, and end with one end.
pub fn lexer(bytes: &[u8]) {
    let text = text(bytes);
    let (mut comments, mut diags) = (Vec::new(), Diagnostics::default());
    let tokens = lex(FileId::default(), &text, &mut comments, &mut diags);
    let mut at = 0;
    for token in &tokens {
        assert!(token.span.start >= at && token.span.end >= token.span.start, "tokens overlap");
        at = token.span.end;
    }
    assert!(at as usize <= text.len(), "a token lies behind the text");
    assert!(tokens.last().is_some_and(|t| t.kind == TokenKind::Eof), "there is no end");
}

/// What comes out ends with one end, and what was found can be shown.
pub fn preprocessor(bytes: &[u8]) {
    let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
    let stream = preprocess(&loader(bytes), MAIN, &Preprocess::default(), &mut sources, &mut diags);
    let ends = stream.tokens.iter().filter(|t| t.kind == TokenKind::Eof).count();
    assert!(ends == 1 && stream.tokens.last().is_some_and(|t| t.kind == TokenKind::Eof), "{ends} ends");
    shown(&render(&diags.take(), &sources, false));
}

/// Whatever the tokens are, there is a tree.
pub fn parser(bytes: &[u8]) {
    let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
    let stream = preprocess(&loader(bytes), MAIN, &Preprocess::default(), &mut sources, &mut diags);
    for language in [Language::Slang, Language::Hlsl] {
        parse(&stream, language, &mut diags);
    }
    shown(&render(&diags.take(), &sources, false));
}

/// A program is compiled or refused; there is no text of what was refused, and sidecars are read back.
pub fn pipeline(bytes: &[u8]) {
    let targets = [Target::Hlsl, Target::Glsl, Target::Wgsl];
    let options = targets.iter().fold(Options::default(), |options, target| options.target(*target));
    let output = compile(&loader(bytes), &[MAIN], &options);
    assert!(output.diagnostics.iter().all(|d| d.code != Code::INTERNAL), "a fault inside");
    assert!(output.artifacts.is_empty() || !output.entries.is_empty(), "a text of nothing");
    shown(&output.render(false));
    for (_, reflection) in &output.reflections {
        let json = reflection.to_json();
        let read: Result<Reflection, _> = json::read(&json, SCHEMA_VERSION);
        assert!(read.is_ok_and(|read| read.to_json() == json), "a sidecar that is not read back");
    }
}

/// A lock that is read is written as it is.
pub fn lock(bytes: &[u8]) {
    if let Ok(lock) = Lock::parse(&text(bytes)) {
        let written = lock.to_json();
        let again = Lock::parse(&written).map(|lock| lock.to_json());
        assert!(again.is_ok_and(|again| again == written), "a lock that is not read back");
    }
}

/// A manifest that is read has settings for any file.
pub fn manifest(bytes: &[u8]) {
    if let Ok(manifest) = Manifest::parse(&text(bytes), "directory/shaderport.toml".into()) {
        let _ = manifest.settings("a/b_ps.hlsl");
        let _ = manifest.bindings_lock();
    }
}

/// A sidecar that is read can be shown in every way.
pub fn sidecar(bytes: &[u8]) {
    let read: Result<Reflection, _> = json::read(&text(bytes), SCHEMA_VERSION);
    if let Ok(read) = read {
        let _ = (read.to_text(), read.to_layouts(), read.to_slang_json());
        let written = read.to_json();
        let again: Result<Reflection, _> = json::read(&written, SCHEMA_VERSION);
        assert!(again.is_ok_and(|again| again.to_json() == written), "a sidecar that is not read back");
    }
}

/// Diagnostics drive no terminal.
fn shown(text: &str) {
    assert!(!text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')), "a control character in diagnostics");
}
