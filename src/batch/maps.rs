//! Source maps of a build. A program has them with the names of sidecars, wherever it is made and kept; where outputs are written it
//! is known how to go from them to the sources.

use super::documents;
use super::finding::Finding;
use super::loader::{decode, from_base, resolved};
use super::program::{OutputFile, OutputKind, Product};
use crate::diagnostic::Code;
use crate::source::join_path;
#[cfg(feature = "cli")]
use crate::source_map::MapForm;
use crate::source_map::{SourceMap, SourceMapUse, data_of_url, file_of_url};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ending of a map, behind the name of its text.
const ENDING: &str = ".map";

/// The name of the map of a text.
pub fn map_name(text: &str) -> String {
    format!("{text}{ENDING}")
}

/// The last part of a name.
pub fn file_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The way from a directory to another one, neither of which need be there: empty, or it ends in `/`.
pub fn way(from: &Path, to: &Path) -> String {
    let way = from_base(&real(from), &real(to));
    if way.is_empty() || way.ends_with('/') { way } else { way + "/" }
}

/// The way from an output, by its name below the directory that `way` begins at. One that begins at the root is the same for all.
fn way_from(output: &str, way: &str) -> String {
    let up = if Path::new(way).is_absolute() { 0 } else { output.matches('/').count() };
    format!("{}{way}", "../".repeat(up))
}

/// The real path of a directory of which only the first parts need be there.
fn real(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let there = path.ancestors().find(|directory| directory.is_dir());
    match there.and_then(|there| Some((there, path.strip_prefix(there).ok()?))) {
        Some((there, rest)) if !rest.as_os_str().is_empty() => resolved(there).join(rest),
        _ => resolved(&path),
    }
}

/// The path of a source of a map, whose name leads from the text's directory. The library's sources have names that are no paths.
pub fn source_path(text: &Path, name: &str) -> String {
    let directory = text.parent().map_or(String::new(), |directory| directory.to_string_lossy().replace('\\', "/"));
    if name.contains(':') { name.to_owned() } else { join_path(&directory, name) }
}

/// What people call a source of a map, whose name leads from the text's directory, and what is in it.
pub fn source(text: &Path, name: &str) -> (String, Option<Arc<str>>) {
    let name = source_path(text, name);
    let read = || decode(std::fs::read(&name).ok()?).ok();
    let text = read().map(Arc::from);
    (name, text)
}

/// The map of a text: it is in it, or in the file that it names, or in one of its name with `.map` behind. `None` if there is none.
pub fn of_text(path: &Path, text: &str) -> Result<Option<SourceMap>, Finding> {
    let url = SourceMap::url_in(text);
    let directory = path.parent().unwrap_or(Path::new(""));
    let (file, json) = match url.map(|url| (url, data_of_url(url))) {
        Some((_, Some(data))) => {
            let bad = || Finding::error(Code::BAD_RECORD, "the source map in the text is no base 64").in_file(path);
            (path.to_path_buf(), data.ok_or_else(bad)?)
        }
        Some((url, None)) => {
            let file = directory.join(file_of_url(url));
            let json = documents::read_text(&file)?;
            (file, json)
        }
        None => {
            let file = PathBuf::from(map_name(&path.to_string_lossy()));
            if !file.is_file() {
                return Ok(None);
            }
            let json = documents::read_text(&file)?;
            (file, json)
        }
    };
    SourceMap::read(&json).map(Some).map_err(|fault| Finding::of_json(&file, &json, fault))
}

/// A map of an output whose sources have the names of sidecars, as it is written.
#[cfg(feature = "cli")]
pub fn written(map: &SourceMap, text: &str, has_texts: bool, way: &str) -> Option<String> {
    let form = MapForm { file: file_name(text), way: "", has_texts };
    SourceMap::moved(&map.to_json(&form), &way_from(&map_name(text), way))
}

/// Gives maps the names of sources as they are from the outputs, which `way` goes from, and texts what names their maps.
pub fn place(product: &mut Product, maps: SourceMapUse, way: &str) {
    let files = std::mem::take(&mut product.files);
    let (written, mut others): (Vec<OutputFile>, Vec<OutputFile>) =
        files.into_iter().partition(|file| file.kind == OutputKind::Map);
    for mut map in written {
        let way = way_from(&map.name, way);
        let moved = std::str::from_utf8(&map.bytes).ok().and_then(|json| SourceMap::moved(json, &way));
        let is_text = |file: &OutputFile| matches!(file.kind, OutputKind::Text | OutputKind::Spare);
        let text = others.iter_mut().find(|file| is_text(file) && map_name(&file.name) == map.name);
        let (Some(json), Some(text)) = (moved, text) else { continue };
        match maps {
            SourceMapUse::None => {}
            SourceMapUse::File => {
                text.bytes.extend_from_slice(SourceMap::comment(file_name(&map.name)).as_bytes());
                map.bytes = json.into_bytes();
                product.files.push(map);
            }
            SourceMapUse::Inline => text.bytes.extend_from_slice(SourceMap::inline_comment(&json).as_bytes()),
        }
    }
    others.append(&mut product.files);
    product.files = others;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_lead_through_what_is_not_there() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("tree/shaders")).unwrap();
        assert_eq!(way(&at("tree/out/new"), &at("tree/shaders")), "../../shaders/");
        assert_eq!(way(&at("tree"), &at("tree/shaders")), "shaders/");
        assert_eq!(way(&at("tree"), &at("tree")), "");
        assert_eq!(way(&at("none"), &at("tree/shaders")), "../tree/shaders/");
    }

    #[test]
    fn ways_from_the_root_do_not_depend_on_outputs() {
        assert_eq!(way_from("wgsl/a/b.wgsl.map", "../shaders/"), "../../../shaders/");
        assert_eq!(way_from("wgsl/a/b.wgsl.map", ""), "../../");
        assert_eq!(way_from("wgsl/a/b.wgsl.map", "/shaders/"), "/shaders/");
        // Nothing but the root in common.
        assert_eq!(way(Path::new("/none/out"), Path::new("/nowhere/shaders")), "/nowhere/shaders/");
    }
}
