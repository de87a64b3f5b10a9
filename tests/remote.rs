//! `build --remote` against servers: BuildStream's `buildbox-casd`, where it is found, and a small one of our own that goes wrong.

#[path = "remote/server.rs"]
mod server;

use crate::support::{Run, contents, find, shaderport, tree};
use server::{Server, Ways};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const USER: &str = "#include \"../lib/h.hlsli\"\n#include \"own.hlsli\"\nTexture2D image;\n\
    [numthread(1)] float4 main() : SV_Target { return value * own * image.Load(0); }\n";
const LIT: &str = "#include \"own.hlsli\"\nfloat4 main() : SV_Target\n{\n#if A\n    return own;\n#else\n    return 2 * own;\n#endif\n}\n";
const MANIFEST: &str = "[build]\ninclude = [\"inc\", \"../lib\"]\nbindings-lock = \"bindings.lock\"\n\
    [[shader]]\nfiles = [\"lit.frag.hlsl\"]\npermute = { A = [0, 1], B = [0, 1] }\n\
    [[program]]\nname = \"both\"\nfiles = [\"p.vert.hlsl\", \"p.frag.hlsl\"]\n";

fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("lib/h.hlsli", "static const float value = 1;\n"),
        ("s/inc/own.hlsli", "static const float own = 2;\n"),
        ("s/a b.frag.hlsl", USER),
        ("s/lit.frag.hlsl", LIT),
        ("s/lib.hlsl", "float twice(float v) { return 2 * v; }\n"),
        ("s/mod.slang", "import part;\n[shader(\"compute\")] [numthreads(1, 1, 1)] void run() { data[0] = part(); }\n"),
        ("s/part.slang", "RWStructuredBuffer<float> data;\nfloat part() { return 3; }\n"),
        ("s/p.vert.hlsl", "float4 main(float3 at : POSITION) : SV_Position { return at.xyzz; }\n"),
        ("s/p.frag.hlsl", "float4 main() : SV_Target { return 1; }\n"),
        ("s/shaderport.toml", MANIFEST),
    ]
}

/// Programs and libraries of the tree.
const ALL: usize = 6;

fn checkout() -> tempfile::TempDir {
    tree(&files())
}

/// What a build without a server writes and says.
fn expected() -> (Vec<(String, Vec<u8>)>, String) {
    let directory = checkout();
    let run = shaderport(directory.path(), &["build", "s", "--out", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    (contents(&directory.path().join("out")), run.stderr)
}

fn build(directory: &Path, address: &str, more: &[&str]) -> Run {
    let run = shaderport(directory, &[&["build", "s", "--out", "out", "--remote", address], more].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

/// The line of a summary that is about the server.
fn had(run: &Run) -> String {
    run.stdout.lines().find_map(|line| line.strip_prefix("remote: ")).unwrap_or_default().to_owned()
}

/// Outputs and messages, as from a build without a server, but for warnings of the server.
fn assert_right(directory: &Path, run: &Run) {
    let (outputs, said) = expected();
    assert_eq!(contents(&directory.join("out")), outputs);
    let of_program: String =
        run.stderr.lines().filter(|line| !line.contains("[E0712]")).map(|l| format!("{l}\n")).collect();
    assert_eq!(of_program, said);
}

/// The warnings of the server.
fn warnings(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter(|line| line.contains("[E0712]")).collect()
}

#[test]
fn checkouts_share_a_server() {
    let server = Server::start(Ways::default());
    let (first, second) = (checkout(), checkout());
    let run = build(first.path(), &server.address(), &[]);
    assert_eq!(had(&run), format!("0 of {ALL} programs found"));
    assert_right(first.path(), &run);
    let run = build(second.path(), &server.address(), &[]);
    assert_eq!(had(&run), format!("{ALL} of {ALL} programs found"));
    assert_right(second.path(), &run);
    let lock = |directory: &Path| std::fs::read(directory.join("s/bindings.lock")).expect("a lock");
    assert_eq!(lock(first.path()), lock(second.path()));
    // What an edit concerns is asked for again, and nothing else.
    std::fs::write(second.path().join("lib/h.hlsli"), "static const float value = 4;\n").expect("a header");
    let run = build(second.path(), &server.address(), &[]);
    assert_eq!(had(&run), "0 of 1 programs found");
    // Other options are other actions, in whatever order they are written.
    let run = build(first.path(), &server.address(), &["-DX=1", "--target", "wgsl", "--sidecar", "full"]);
    assert_eq!(had(&run), format!("0 of {ALL} programs found"));
    std::fs::remove_dir_all(first.path().join("out")).expect("outputs");
    let run = build(first.path(), &server.address(), &["--target=wgsl", "--sidecar=full", "-D", "X=1"]);
    assert_eq!(had(&run), format!("{ALL} of {ALL} programs found"));
}

/// Whatever a server does, the outputs are right, and it is said what it did.
#[test]
fn servers_that_go_wrong() {
    let slow = Ways { delay: Duration::from_secs(3600), ..Ways::default() };
    let full = Ways { is_full: true, ..Ways::default() };
    let blind = Ways { digests: Vec::new(), ..Ways::default() };
    let closed = Ways { updates: false, ..Ways::default() };
    for (ways, warning, most) in [
        (slow, "no answer within 1 s; it is not asked again", 1),
        (full, "nothing more is stored there", 1),
        (blind, "knows no digests of SHA-256", 1),
        (closed, "", 0),
    ] {
        let server = Server::start(ways);
        let directory = checkout();
        let began = Instant::now();
        let run = build(directory.path(), &server.address(), &["--remote-timeout", "1"]);
        assert_right(directory.path(), &run);
        let said = warnings(&run);
        assert!(said.len() == most && said.iter().all(|line| line.contains(warning)), "{said:?}");
        assert!(began.elapsed() < Duration::from_secs(60));
        assert_eq!(server.results(), 0);
    }
    // Nobody is there.
    let directory = checkout();
    let run = build(directory.path(), &format!("grpc://127.0.0.1:{}", free_port()), &[]);
    assert_right(directory.path(), &run);
    assert!(warnings(&run).len() == 1 && run.stderr.contains("cannot connect"), "{}", run.stderr);
    // Somebody is there who speaks something else, or nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("grpc://{}", silent.local_addr().expect("an address"));
    let directory = checkout();
    let run = build(directory.path(), &address, &["--remote-timeout", "1"]);
    assert_right(directory.path(), &run);
    assert_eq!(warnings(&run).len(), 1, "{}", run.stderr);
}

/// Bytes that do not have their digest, and results of other programs, are made here and stored again.
#[test]
fn entries_that_are_wrong() {
    let server = Server::start(Ways::default());
    build(checkout().path(), &server.address(), &[]);
    for (poison, words) in [
        (Server::damage as fn(&Server), "do not have this digest"),
        (Server::shorten, "do not have this digest"),
        (Server::exchange, "is not what was asked for"),
        (Server::fail, "is that of a failure"),
    ] {
        poison(&server);
        let directory = checkout();
        let run = build(directory.path(), &server.address(), &[]);
        assert_right(directory.path(), &run);
        assert_eq!(had(&run), format!("0 of {ALL} programs found"));
        assert!(
            warnings(&run).len() == ALL && warnings(&run).iter().all(|w| w.contains(words)),
            "{words}: {}",
            run.stderr
        );
        server.heal();
        let run = build(checkout().path(), &server.address(), &[]);
        assert_eq!(had(&run), format!("{ALL} of {ALL} programs found"), "{words}: {}", run.stderr);
    }
    // What was removed is no fault.
    server.forget();
    let directory = checkout();
    let run = build(directory.path(), &server.address(), &[]);
    assert_right(directory.path(), &run);
    assert_eq!((had(&run), warnings(&run).len()), (format!("0 of {ALL} programs found"), 0));
    let run = build(checkout().path(), &server.address(), &[]);
    assert_eq!(had(&run), format!("{ALL} of {ALL} programs found"));
}

/// Programs with errors are not stored, and options of the server are checked.
#[test]
fn errors_and_options() {
    let server = Server::start(Ways::default());
    let directory = tree(&[("s/a.frag.hlsl", "float4 main() : SV_Target { return unknown; }\n")]);
    for _ in 0..2 {
        let run = shaderport(directory.path(), &["build", "s", "--remote", &server.address()]);
        assert!(run.code == 1 && run.stderr.matches("`unknown` is not declared").count() == 1, "{}", run.stderr);
    }
    assert_eq!(server.results(), 0);
    let usage = |args: &[&str]| {
        let run = shaderport(directory.path(), &[&["build", "s"], args].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
        run.stderr
    };
    assert!(usage(&["--remote", "localhost:80"]).contains("is no address of a server"));
    assert!(usage(&["--remote", "grpc://localhost"]).contains("has no host and port"));
    assert!(usage(&["--remote-execute"]).contains("--remote"));
    assert!(usage(&["--remote", "grpc://x:1", "--depfiles"]).contains("--depfiles"));
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port()
}

/// BuildStream's server of caches with its workers.
struct Casd {
    child: Child,
    port: u16,
    cache: tempfile::TempDir,
}

impl Casd {
    /// Starts it; `None` with the names of what is missing.
    fn start() -> Option<Casd> {
        let programs = ["buildbox-casd", "buildbox-run", "bwrap"].map(|name| (name, find(name)));
        let missing: Vec<&str> = programs.iter().filter(|(_, path)| path.is_none()).map(|(name, _)| *name).collect();
        let [Some(casd), Some(run), Some(_)] = programs.map(|(_, path)| path) else {
            eprintln!("{} was not found: workers are not tested", missing.join(", "));
            return None;
        };
        let cache = tempfile::tempdir().expect("a directory");
        let port = free_port();
        let mut command = Command::new(casd);
        command.arg(format!("--bind=127.0.0.1:{port}")).arg(format!("--buildbox-run={}", run.display()));
        command.args(["--cache-failures=false", "--jobs=2", "--quota-high=4G", "--reserved=100M"]);
        // The program is linked with the libraries of this machine, and validators are here.
        for place in ["/lib", "/lib64", "/usr"].iter().filter(|place| Path::new(place).exists()) {
            command.arg(format!("--runner-arg=--bind-mount={place}:{place}"));
        }
        command.arg(cache.path()).stdout(Stdio::null());
        let child =
            command.stderr(std::fs::File::create(cache.path().join("log")).expect("a log")).spawn().expect("casd");
        let casd = Casd { child, port, cache };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(60), "buildbox-casd does not start: {}", casd.log());
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(casd)
    }

    fn address(&self) -> String {
        format!("grpc://127.0.0.1:{}", self.port)
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.cache.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Casd {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn casd_is_a_cache() {
    let Some(casd) = Casd::start() else { return };
    let (first, second) = (checkout(), checkout());
    let run = build(first.path(), &casd.address(), &[]);
    assert_eq!((had(&run), warnings(&run).len()), (format!("0 of {ALL} programs found"), 0), "{}", run.stderr);
    let run = build(second.path(), &casd.address(), &[]);
    assert_eq!(had(&run), format!("{ALL} of {ALL} programs found"), "{}", run.stderr);
    assert_right(second.path(), &run);
    // Its disk breaks.
    for entry in walkdir::WalkDir::new(casd.cache.path().join("cas/objects")).into_iter().flatten() {
        if entry.file_type().is_file() {
            let mut permissions = entry.metadata().expect("an object").permissions();
            #[allow(clippy::permissions_set_readonly_false, reason = "of a temporary directory")]
            permissions.set_readonly(false);
            std::fs::set_permissions(entry.path(), permissions).expect("an object");
            let mut bytes = std::fs::read(entry.path()).expect("an object");
            bytes.iter_mut().take(1).for_each(|byte| *byte ^= 1);
            std::fs::write(entry.path(), bytes).expect("an object");
        }
    }
    let third = checkout();
    let run = build(third.path(), &casd.address(), &["--remote-timeout", "20"]);
    assert_right(third.path(), &run);
    assert_eq!(had(&run), format!("0 of {ALL} programs found"), "{}", run.stderr);
}

/// Workers make what the cache does not have: the same bytes, records of the lock and messages.
#[test]
fn casd_has_workers() {
    let Some(casd) = Casd::start() else { return };
    let execute = |directory: &Path, more: &[&str]| {
        let more = [&["--remote-execute", "--remote-timeout", "60"], more].concat();
        build(directory, &casd.address(), &more)
    };
    let (first, second) = (checkout(), checkout());
    let run = execute(first.path(), &[]);
    assert_eq!(
        had(&run),
        format!("0 of {ALL} programs found, {ALL} made by its workers"),
        "{}{}",
        run.stderr,
        casd.log()
    );
    assert_right(first.path(), &run);
    let run = execute(second.path(), &[]);
    assert_eq!(had(&run), format!("{ALL} of {ALL} programs found, 0 made by its workers"), "{}", run.stderr);
    assert_right(second.path(), &run);
    // What validators refuse or sources have wrong is said as without workers.
    std::fs::write(second.path().join("s/a b.frag.hlsl"), "float4 main() : SV_Target { return unknown; }\n")
        .expect("a source");
    let args = ["build", "s", "--out", "out", "--remote", &casd.address(), "--remote-execute"];
    let run = shaderport(second.path(), &args);
    assert!(run.code == 1 && run.stderr.contains("`unknown` is not declared"), "{}", run.stderr);
}
