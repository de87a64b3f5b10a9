//! What `compile` writes of source maps.

use super::messages::Messages;
use super::options::ProgramArgs;
use crate::batch::maps::{file_name, map_name, way};
use crate::batch::{Project, base};
use crate::compile::{Artifact, Options, Target};
use crate::diagnostic::Code;
use crate::source_map::{MapForm, SourceMap, SourceMapUse};
use crate::target::Profile;
use std::path::{Path, PathBuf};

/// How maps are written.
pub struct Maps {
    uses: SourceMapUse,
    has_texts: bool,
    /// What the names of sources are relative to.
    base: PathBuf,
}

/// A text as it is written, and its map if that is a file.
pub struct Written {
    /// The text.
    pub bytes: Vec<u8>,
    /// The path of the map and what is in it.
    pub map: Option<(PathBuf, String)>,
}

impl Maps {
    /// Of a program, as the command line and then the manifest say.
    pub fn of(program: &ProgramArgs, project: Option<&Project>, files: &[PathBuf]) -> Maps {
        let mut options = Options::default();
        match project {
            Some(project) => project.settings.apply(&program.choices, &mut options),
            None => program.choices.apply(&mut options),
        }
        let base = files.first().map(|file| base(file)).unwrap_or_default();
        Maps { uses: options.source_map, has_texts: options.source_map_content, base }
    }

    /// A text that goes to a path, or to the standard output, which has no place for a second file.
    pub fn written(&self, artifact: &Artifact, path: Option<&Path>) -> Written {
        let mut bytes = artifact.bytes.clone();
        let (Some(map), false) = (&artifact.source_map, self.uses == SourceMapUse::None) else {
            return Written { bytes, map: None };
        };
        let place = path.unwrap_or(Path::new("-"));
        let directory = place.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let shown = place.to_string_lossy().replace('\\', "/");
        let way = way(directory, &self.base);
        let json = map.to_json(&MapForm { file: file_name(&shown), way: &way, has_texts: self.has_texts });
        let map = match (self.uses, path) {
            (SourceMapUse::None, _) => None,
            (SourceMapUse::File, Some(path)) => {
                let name = map_name(&path.to_string_lossy());
                bytes.extend_from_slice(SourceMap::comment(file_name(&map_name(&shown))).as_bytes());
                Some((PathBuf::from(name), json))
            }
            (SourceMapUse::File, None) | (SourceMapUse::Inline, _) => {
                bytes.extend_from_slice(SourceMap::inline_comment(&json).as_bytes());
                None
            }
        };
        Written { bytes, map }
    }
}

/// Reports what of the command line means nothing for a target. A manifest is of several targets.
pub fn are_possible(program: &ProgramArgs, target: Target, messages: &mut Messages) -> bool {
    let form = || Profile::default_of(target).and_then(Profile::line_form);
    let is_text = target.text_language().is_some();
    let name = target.name();
    let choices = &program.choices;
    let fault = match (choices.source_map, choices.line_directives) {
        (Some(SourceMapUse::File | SourceMapUse::Inline), _) if !is_text => {
            format!("there are no source maps of {name}: it is made from a text that has one, for the target wgsl")
        }
        (_, Some(true)) if form().is_none() || !is_text => format!("{name} has nothing like `#line`"),
        _ => return true,
    };
    messages.error(Code::BAD_OPTION, &fault);
    false
}
