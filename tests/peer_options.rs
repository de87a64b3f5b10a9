//! Our side of a comparison: options of the peers as ours, and the sidecar. Also a module of xtask.

use shaderport::reflection::Reflection;
use shaderport::{BufferLayout, Loader, MatrixOrder, Options, Policy, Target, compile};

/// A program and how it is compiled.
pub struct Job<'a> {
    pub loader: &'a dyn Loader,
    /// As the loader knows them.
    pub files: Vec<String>,
    /// `name`, `name:stage` or `name:stage@file`.
    pub entries: Vec<String>,
    pub target: Target,
    pub policy: Policy,
    /// Options of the peer.
    pub options: Vec<String>,
    pub profile: Option<String>,
}

/// Options of the peers that mean something here, with how many arguments follow.
type Apply = fn(&mut Options, &[String]) -> Result<(), String>;
const PEER_OPTIONS: &[(&str, usize, Apply)] = &[
    ("-profile", 1, |to, args| {
        to.profile = args.first().cloned();
        Ok(())
    }),
    ("-matrix-layout-row-major", 0, |to, _| {
        to.matrix_order = MatrixOrder::Row;
        Ok(())
    }),
    ("-matrix-layout-column-major", 0, |to, _| {
        to.matrix_order = MatrixOrder::Column;
        Ok(())
    }),
    ("-Zpr", 0, |to, _| {
        to.matrix_order = MatrixOrder::Row;
        Ok(())
    }),
    ("-Zpc", 0, |_, _| Ok(())),
    ("-fvk-use-scalar-layout", 0, |to, _| {
        to.buffer_layout = BufferLayout::Scalar;
        Ok(())
    }),
    ("-fvk-use-dx-layout", 0, |to, _| {
        to.buffer_layout = BufferLayout::D3d;
        Ok(())
    }),
    ("-flegacy-resource-reservation", 0, |to, _| {
        to.reserve_unused = true;
        Ok(())
    }),
    ("-fvk-bind-globals", 2, |to, args| {
        to.globals_binding = Some(shaderport::internals::options::binding(&args.join(","))?);
        Ok(())
    }),
    ("-fvk-b-shift", 2, |to, args| shift(to, 'b', args)),
    ("-fvk-t-shift", 2, |to, args| shift(to, 't', args)),
    ("-fvk-u-shift", 2, |to, args| shift(to, 'u', args)),
    ("-fvk-s-shift", 2, |to, args| shift(to, 's', args)),
    ("-enable-16bit-types", 0, |_, _| Ok(())),
    ("-HV", 1, |_, _| Ok(())),
    // The loader has it.
    ("-I", 1, |_, _| Ok(())),
];

/// `-fvk-t-shift N all`.
fn shift(to: &mut Options, class: char, args: &[String]) -> Result<(), String> {
    let start = args.first().and_then(|n| n.parse().ok()).ok_or("a shift wants a number")?;
    to.shift.set(class, start);
    Ok(())
}

fn options(job: &Job) -> Result<Options, String> {
    let mut options = Options::for_target(job.target).binding_policy(job.policy).layouts_anyway();
    options.profile = job.profile.clone();
    for entry in &job.entries {
        let (name, _) = entry.split_once('@').unwrap_or((entry, ""));
        options.entries.push(shaderport::internals::options::entry(name)?);
    }
    let mut rest = job.options.as_slice();
    while let [option, after @ ..] = rest {
        let found = PEER_OPTIONS.iter().find(|(name, _, _)| name == option);
        let (_, count, apply) = found.ok_or(format!("`{option}` has no counterpart here"))?;
        let (args, after) = after.split_at_checked(*count).ok_or(format!("`{option}` wants an argument"))?;
        // The peer lays out buffers for Vulkan alone by these.
        if !option.starts_with("-fvk-use-") || job.target == Target::Glsl {
            apply(&mut options, args)?;
        }
        rest = after;
    }
    Ok(options)
}

/// The sidecar, or the errors.
pub fn sidecar(job: &Job) -> Result<Reflection, String> {
    let options = options(job)?;
    let files: Vec<&str> = job.files.iter().map(String::as_str).collect();
    let mut output = compile(job.loader, &files, &options);
    match output.reflections.pop() {
        Some((_, reflection)) if !output.has_errors() => Ok(reflection),
        _ => Err(output.render(false)),
    }
}
