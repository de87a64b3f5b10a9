//! The programs of a tree as the comparison wants them: what is found in each file, written down as a manifest.

use super::fuzz::{Dxc, Entry, Manifest};
use rayon::prelude::*;
use shaderport::{FileLoader, Options, Stage, Target, compile};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// DXC's word for each stage that has a listing of its own.
pub const DXC_STAGES: &[(Stage, &str)] = &[
    (Stage::Vertex, "vs"),
    (Stage::Hull, "hs"),
    (Stage::Domain, "ds"),
    (Stage::Geometry, "gs"),
    (Stage::Fragment, "ps"),
    (Stage::Compute, "cs"),
    (Stage::Amplification, "as"),
    (Stage::Mesh, "ms"),
];

/// Each file with entry points: for slangc one program, for DXC one for each entry point, in directories below `root`.
pub(super) fn programs(
    tree: &Path,
    include: &[PathBuf],
    root: &Path,
    targets: &[String],
) -> Result<Vec<(PathBuf, Manifest)>, String> {
    let absolute = |path: &Path| path.canonicalize().map_err(|e| format!("{}: {e}", path.display()));
    let tree = absolute(tree)?;
    let include = include.iter().map(|path| absolute(path)).collect::<Result<Vec<_>, _>>()?;
    let plan = shaderport::internals::batch::plan(&tree, true, Path::new("out"))
        .map_err(|fault| fault.message(false).rendered)?;
    let found = plan.jobs.par_iter().map(|job| (job.path().to_path_buf(), entries(job.path(), &include)));
    let found: Vec<(PathBuf, Vec<(String, Stage)>)> = found.collect();
    let slang: Vec<String> = targets.iter().filter(|t| *t != "dxc").cloned().collect();
    let mut list = Vec::new();
    for (path, entries) in found.into_iter().filter(|(_, entries)| !entries.is_empty()) {
        let file = path.to_string_lossy().into_owned();
        if !slang.is_empty() {
            list.push(manifest(&file, &entries, &include, &slang, None));
        }
        for (name, stage) in entries.iter().filter(|_| slang.len() < targets.len()) {
            let profile = DXC_STAGES.iter().find(|(s, _)| s == stage).map(|(_, word)| format!("{word}_6_6"));
            if let Some(profile) = profile {
                list.push(manifest(&file, &[(name.clone(), *stage)], &include, &[], Some(profile)));
            }
        }
    }
    let written = list.into_iter().enumerate().map(|(number, manifest)| {
        let stem = Path::new(&manifest.files[0]).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let directory = root.join(format!("{number}-{stem}"));
        std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
        let text = serde_json::to_string(&manifest).map_err(|e| e.to_string())?;
        std::fs::write(directory.join("manifest.json"), text).map_err(|e| e.to_string())?;
        Ok((directory, manifest))
    });
    written.collect()
}

/// The entry points that a file has for us; none if it has errors.
fn entries(path: &Path, include: &[PathBuf]) -> Vec<(String, Stage)> {
    let loader = FileLoader::new(include).root(path.parent().unwrap_or(Path::new(".")));
    let options = Options::for_target(Target::Hlsl).layouts_anyway();
    let output = compile(&loader, &[path.to_string_lossy().as_ref()], &options);
    output.entries.iter().map(|(name, stage)| (name.to_string(), *stage)).collect()
}

fn manifest(
    file: &str,
    entries: &[(String, Stage)],
    include: &[PathBuf],
    targets: &[String],
    profile: Option<String>,
) -> Manifest {
    let directories: Vec<String> =
        include.iter().flat_map(|path| ["-I".to_owned(), path.to_string_lossy().into_owned()]).collect();
    let entry = |(name, stage): &(String, Stage)| Entry {
        name: name.clone(),
        stage: stage.name().to_owned(),
        file: file.to_owned(),
    };
    let language = ["-HV", "2021", "-enable-16bit-types"].map(str::to_owned);
    Manifest {
        files: vec![file.to_owned()],
        entries: entries.iter().map(entry).collect(),
        targets: targets.to_vec(),
        options: targets.iter().map(|t| (t.clone(), directories.clone())).collect::<BTreeMap<_, _>>(),
        dxc: profile.map(|profile| Dxc { profile, options: language.into_iter().chain(directories.clone()).collect() }),
        include: include.to_vec(),
    }
}
