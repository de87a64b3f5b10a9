//! `cargo xtask conformance DIR`: every entry point of a tree, through shaderport and slangc, judged by compilers that
//! neither of them is.

mod compilers;
pub mod enumerate;
pub mod judge;
mod peer_cache;
mod report;

use compilers::Compiler;
use enumerate::Entry;
pub use enumerate::shader_files;
use judge::{Judge, Outcome};
use rayon::prelude::*;
use shaderport::Stage;
use std::path::PathBuf;

/// The options of `cargo xtask conformance`.
#[derive(clap::Args)]
pub struct Options {
    /// Root of the shader tree.
    directory: PathBuf,
    /// How entry points are found.
    #[arg(long, value_enum, default_value = "auto")]
    tree: enumerate::Custom,
    /// Targets.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "hlsl,glsl,wgsl")]
    target: Vec<Target>,
    /// Only so many entry points.
    #[arg(long)]
    limit: Option<usize>,
    /// Only entry points whose `FILE:ENTRY` contains this.
    #[arg(long)]
    filter: Option<String>,
    /// Where emitted texts are kept.
    #[arg(long)]
    out: Option<PathBuf>,
    /// How many run at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Run the peer too (the default where it is installed).
    #[arg(long, overrides_with = "no_peer")]
    peer: bool,
    /// Leave the peer out.
    #[arg(long)]
    no_peer: bool,
    /// Print every failure.
    #[arg(long)]
    list_failures: bool,
    /// How many groups of failures are printed a target.
    #[arg(long, default_value_t = 8)]
    reasons: usize,
    /// Use this shaderport instead of building one.
    #[arg(long)]
    bin: Option<PathBuf>,
    /// Only print the entry points.
    #[arg(long)]
    list: bool,
    /// Further arguments for shaderport.
    #[arg(last = true)]
    extra: Vec<String>,
}

/// A text target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Target {
    Hlsl,
    Glsl,
    Wgsl,
}

impl Target {
    pub fn name(self) -> &'static str {
        match self {
            Target::Hlsl => "hlsl",
            Target::Glsl => "glsl",
            Target::Wgsl => "wgsl",
        }
    }
}

/// What came of one entry point and target.
pub struct Row {
    pub entry: Entry,
    pub target: Target,
    pub ours: Outcome,
    pub peer: Option<Outcome>,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let root = options.directory.canonicalize().map_err(|e| format!("{}: {e}", options.directory.display()))?;
    let tree = enumerate::tree(&root, options.tree)?;
    let mut entries = tree.entries;
    if let Some(wanted) = &options.filter {
        entries.retain(|e| e.label().contains(wanted.as_str()));
    }
    entries.truncate(options.limit.unwrap_or(usize::MAX));
    if options.list {
        entries.iter().for_each(|e| println!("{} {}", e.label(), e.stage.name()));
    }
    println!("{}: {} entry points ({})", root.display(), entries.len(), tree.custom.describe());
    if options.list {
        return Ok(true);
    }

    let rows = compile_all(options, &tree.root, entries)?;
    report::print(&rows, options.list_failures, options.reasons);
    Ok(rows.iter().all(|r| !r.ours.is_fault()))
}

fn compile_all(options: &Options, root: &std::path::Path, entries: Vec<Entry>) -> Result<Vec<Row>, String> {
    let name = root.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let kept = options.out.clone().unwrap_or_else(|| crate::process::target_directory().join("conformance"));
    // The compilers run in the tree: a relative path would start there.
    let kept = std::path::absolute(&kept).map_err(|e| format!("{}: {e}", kept.display()))?;
    let out = kept.join(format!("{name}-{:08x}", peer_cache::hash_bytes(root.as_os_str().as_encoded_bytes()) as u32));

    let to_spirv = options.extra.iter().any(|a| a.ends_with("_spirv"));
    let judge = Judge::find()?.of_spirv(to_spirv);
    let ours = Compiler::shaderport(crate::process::shaderport(options.bin.as_deref())?, &options.extra);
    let peer = (!options.no_peer).then(Compiler::slangc).flatten();
    if options.peer && peer.is_none() {
        return Err("slangc is not installed: run `cargo xtask peers`".into());
    }
    let cache = peer_cache::PeerCache::open(&out, root)?;

    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs.max(1)).build().map_err(|e| e.to_string())?;
    let pairs: Vec<(Entry, Target)> =
        entries.into_iter().flat_map(|e| options.target.iter().map(move |t| (e.clone(), *t))).collect();
    // WebGPU has no other stages.
    let in_wgsl = |e: &Entry| matches!(e.stage, Stage::Vertex | Stage::Fragment | Stage::Compute);
    let pairs: Vec<_> = pairs.into_iter().filter(|(e, t)| *t != Target::Wgsl || in_wgsl(e)).collect();
    let rows = pool.install(|| {
        let one = |(entry, target): (Entry, Target)| -> Result<Row, String> {
            let text = ours.output(&out, &entry, target);
            let own = judge.outcome(&ours, root, &entry, target, &text)?;
            let peer = match &peer {
                Some(peer) => Some(cache.get_or(&entry, target, || {
                    judge.outcome(peer, root, &entry, target, &peer.output(&out, &entry, target))
                })?),
                None => None,
            };
            Ok(Row { entry, target, ours: own, peer })
        };
        pairs.into_par_iter().map(one).collect::<Result<Vec<Row>, String>>()
    })?;
    cache.save()?;
    Ok(rows)
}

/// File, name and stage of the attributed entry points of a tree.
pub fn attributed_entries(root: &std::path::Path) -> Result<Vec<(PathBuf, String, &'static str)>, String> {
    let tree = enumerate::tree(root, enumerate::Custom::Sascha)?;
    Ok(tree.entries.into_iter().map(|e| (e.file, e.name, e.stage.name())).collect())
}
