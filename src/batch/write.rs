//! Writing outputs whole: a temporary file, then a rename. Unchanged files are left untouched, so that build systems see no
//! change. Temporary files of a build are in a directory of their own, which the next build empties if this one is stopped.

use std::io::Write;
use std::path::Path;

/// Whether a file was written or was right already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It is new or was changed.
    New,
    /// It had these bytes already.
    Unchanged,
}

/// Writes a file whole, making its directory.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_if_changed(path, bytes, None).map(|_| ())
}

/// Writes a file whole, with the time of now though it had these bytes already, for build systems that compare times.
#[cfg(feature = "cli")]
pub fn write_anew(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_whole(path, bytes)?;
    std::fs::File::options().append(true).open(path)?.set_modified(std::time::SystemTime::now())
}

/// Empties a directory of temporary files, which is made if it is not there.
pub fn empty_temporary(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    for entry in std::fs::read_dir(directory)?.flatten() {
        // What cannot be removed is in nobody's way.
        let _ = std::fs::remove_file(entry.path());
    }
    Ok(())
}

/// Writes a file whole unless it has these bytes already. The temporary file is beside it, or in a directory of the same
/// file system.
pub fn write_if_changed(path: &Path, bytes: &[u8], temporary: Option<&Path>) -> std::io::Result<Change> {
    // Reading a pipe would wait for its end.
    let is_file = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    if is_file && std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(Change::Unchanged);
    }
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // What is no regular file (a device, a pipe, a link such as `/dev/stdout`) is written to as it is: a rename would put
    // a file in its place.
    if std::fs::symlink_metadata(path).is_ok_and(|m| !m.is_file()) {
        return std::fs::write(path, bytes).map(|()| Change::New);
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The process' umask applies, as for any file that is created.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.prefix(".shaderport");
    let mut file = match builder.tempfile_in(temporary.unwrap_or(directory)) {
        // Most files are written beside others.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            std::fs::create_dir_all(directory)?;
            builder.tempfile_in(directory)?
        }
        made => made?,
    };
    file.write_all(bytes)?;
    let Err(error) = file.persist(path) else { return Ok(Change::New) };
    match error.error.kind() {
        std::io::ErrorKind::NotFound => {
            std::fs::create_dir_all(directory)?;
            error.file.persist(path).map(|_| Change::New).map_err(|e| e.error)
        }
        // The directory is a link to another file system.
        std::io::ErrorKind::CrossesDevices if temporary.is_some() => write_if_changed(path, bytes, None),
        _ => Err(error.error),
    }
}
