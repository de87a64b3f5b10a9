//! Caches in services: another checkout finds everything there, and whatever is wrong with a service, the outputs are right.

#[path = "shared_cache/http.rs"]
mod http;
#[path = "shared_cache/redis.rs"]
mod redis;

use crate::support::{Run, contents, shaderport, tree};
use http::Objects;
use redis::Redis;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How many programs a tree has.
const PROGRAMS: usize = 6;

/// A tree of some programs, one of which warns.
fn checkout(programs: usize) -> TempDir {
    let mut files = vec![
        ("s/inc/h.hlsli".to_owned(), "float half_of(float v) { return v / 2; }\n".to_owned()),
        ("s/shaderport.toml".to_owned(), "[build]\ninclude = [\"inc\"]\n".to_owned()),
    ];
    for n in 0..programs {
        let warns = if n == 0 { "[numthread(1)] " } else { "" };
        let text = format!("#include \"h.hlsli\"\n{warns}float4 main() : SV_Target {{ return half_of({n}); }}\n");
        files.push((format!("s/p{n}.frag.hlsl"), text));
    }
    tree(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
}

/// A build with caches; it has to succeed.
fn build(directory: &Path, caches: &[&str]) -> Run {
    let mut args = vec!["build", "s", "--target", "wgsl,glsl", "--out", "out"];
    caches.iter().for_each(|cache| args.extend(["--cache", cache]));
    let run = shaderport(directory, &args);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    run
}

/// The summary's line about the cache.
fn found(run: &Run) -> &str {
    run.stdout.lines().find(|line| line.starts_with("cache: ")).unwrap_or_default()
}

/// The warnings about the cache.
fn warnings(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter(|line| line.contains("[E0707]")).collect()
}

/// The outputs of a build without any cache, with what it said.
fn reference(programs: usize) -> (Vec<(String, Vec<u8>)>, String) {
    let directory = checkout(programs);
    let run = build(directory.path(), &[]);
    (contents(&directory.path().join("out")), run.stderr)
}

/// That a build had the right outputs and messages, and one warning about the cache.
fn assert_right_with_warning(directory: &Path, run: &Run, programs: usize, warning: &str) {
    let (outputs, said) = reference(programs);
    assert_eq!(contents(&directory.join("out")), outputs);
    let lines = warnings(run);
    assert!(lines.len() == 1 && lines.iter().all(|line| line.contains(warning)), "{warning}\n{}", run.stderr);
    let others: String = run.stderr.lines().filter(|l| !l.contains("[E0707]")).map(|l| format!("{l}\n")).collect();
    assert_eq!(others, said);
}

/// The first checkout fills a cache; in others everything is found, and outputs and messages are the same.
fn assert_shared(url: &str) {
    let (outputs, said) = reference(PROGRAMS);
    for (round, expected) in [(0, format!("cache: 0 of {PROGRAMS}")), (1, format!("cache: {PROGRAMS} of {PROGRAMS}"))] {
        let directory = checkout(PROGRAMS);
        let run = build(directory.path(), &[url]);
        assert!(found(&run).starts_with(&expected), "{round}: {}", run.stdout);
        assert_eq!((run.stderr.as_str(), contents(&directory.path().join("out"))), (said.as_str(), outputs.clone()));
    }
}

#[test]
fn redis_is_shared_by_checkouts() {
    let Some(redis) = Redis::start(&[]) else { return };
    assert_shared(&redis.url("x/y"));
    // Another prefix, and another database, are other caches.
    assert!(found(&build(checkout(1).path(), &[&redis.url("z")])).starts_with("cache: 0 of 1"));
    assert_shared(&redis.url("3/x/y"));
    let run = shaderport(Path::new("."), &["cache", "stat", "--cache", &redis.url("x/y")]);
    assert!(run.code == 2 && run.stderr.contains("does not list what is in it"), "{}", run.stderr);
    let run = shaderport(Path::new("."), &["cache", "clean", "--cache", &redis.url("x/y")]);
    assert!(run.code == 2 && run.stderr.contains("let its server remove them"), "{}", run.stderr);
}

/// A directory in front of a service gets what is found there, and is enough by itself then.
#[test]
fn a_directory_stands_before_a_service() {
    let Some(redis) = Redis::start(&[]) else { return };
    let url = redis.url("x");
    build(checkout(PROGRAMS).path(), &[&url]);
    let local = tempfile::tempdir().expect("a directory");
    let local = local.path().to_string_lossy().into_owned();
    let run = build(checkout(PROGRAMS).path(), &[&local, &url]);
    assert!(found(&run).starts_with(&format!("cache: {PROGRAMS} of {PROGRAMS}")), "{}", run.stdout);
    drop(redis);
    let both = format!("{local},{url}");
    let run = build(checkout(PROGRAMS).path(), &[&both]);
    assert!(found(&run).starts_with(&format!("cache: {PROGRAMS} of {PROGRAMS}")), "{}", run.stdout);
    assert_eq!(warnings(&run), [""; 0]);
}

#[test]
fn a_server_that_is_not_there() {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    for scheme in ["redis", "webdav"] {
        let directory = checkout(PROGRAMS);
        let run = build(directory.path(), &[&format!("{scheme}://{free}/x")]);
        assert_right_with_warning(directory.path(), &run, PROGRAMS, "could not be read, and it was left alone");
        assert!(warnings(&run).iter().all(|line| line.contains("onnection refused")), "{}", run.stderr);
    }
}

/// It is killed while the build that fills it goes on.
#[test]
fn a_server_that_dies() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let (directory, url, programs) = (checkout(60), redis.url("x"), 60);
    let run = std::thread::scope(|scope| {
        let run = scope.spawn(|| build(directory.path(), &[&url]));
        while redis.size() < 4 {
            std::thread::sleep(Duration::from_millis(1));
        }
        redis.kill();
        run.join().expect("a build")
    });
    assert_right_with_warning(directory.path(), &run, programs, "entries were not stored");
}

#[test]
fn a_server_that_is_full() {
    let Some(redis) = Redis::start(&["--maxmemory", "1", "--maxmemory-policy", "noeviction"]) else { return };
    let directory = checkout(PROGRAMS);
    let run = build(directory.path(), &[&redis.url("x")]);
    assert_right_with_warning(directory.path(), &run, PROGRAMS, "could not be written to");
    assert!(warnings(&run).iter().all(|line| line.contains("maxmemory")), "{}", run.stderr);
    assert_eq!(redis.size(), 0);
}

/// It takes connections and never answers.
#[test]
fn a_server_that_is_silent() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("an address");
    for scheme in ["redis", "webdav"] {
        let directory = checkout(PROGRAMS);
        let began = Instant::now();
        let run = build(directory.path(), &[&format!("{scheme}://{address}/x")]);
        assert_right_with_warning(directory.path(), &run, PROGRAMS, "no answer in 3 s");
        // One time limit, whatever the number of programs.
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    }
}

/// It answers, but so late that compiling is faster.
#[test]
fn a_server_that_is_slow() {
    let server = Objects::start_slow(Duration::from_millis(1500));
    let (directory, url) = (checkout(40), format!("webdav://{}/x", server.address));
    let args = ["build", "s", "--target", "wgsl,glsl", "--out", "out", "-j2", "--cache", &url];
    let run = shaderport(directory.path(), &args);
    assert_right_with_warning(directory.path(), &run, 40, "answers take longer than 1 s");
    // Two readings of each program would be 80.
    assert!(server.count_reads() < 16, "{}", server.count_reads());
}

/// What somebody else has written under the names of entries is not used, and is replaced.
#[test]
fn entries_that_are_not_what_was_stored() {
    let Some(redis) = Redis::start(&[]) else { return };
    let url = redis.url("x");
    build(checkout(PROGRAMS).path(), &[&url]);
    let keys = redis.keys();
    assert_eq!(keys.len(), 2 * PROGRAMS);
    let values: Vec<Vec<u8>> = keys.iter().map(|key| redis.get(key)).collect();
    let poisons: [&dyn Fn(usize) -> Vec<u8>; 4] = [
        &|_| b"poison".to_vec(),
        &|_| Vec::new(),
        // One byte of it.
        &|at| values[at].iter().rev().skip(1).rev().chain(b"!").copied().collect(),
        // All of another entry.
        &|at| values[(at + 1) % values.len()].clone(),
    ];
    for poison in poisons {
        for (at, key) in keys.iter().enumerate() {
            redis.set(key, &poison(at));
        }
        let directory = checkout(PROGRAMS);
        let run = build(directory.path(), &[&url]);
        assert!(found(&run).contains(&format!("cache: 0 of {PROGRAMS}")), "{}", run.stdout);
        assert_right_with_warning(directory.path(), &run, PROGRAMS, &format!("{PROGRAMS} of its entries were not"));
        let run = build(checkout(PROGRAMS).path(), &[&url]);
        assert!(found(&run).starts_with(&format!("cache: {PROGRAMS} of {PROGRAMS}")), "{}", run.stdout);
        assert_eq!(warnings(&run), [""; 0]);
    }
}

#[test]
fn webdav_is_shared_by_checkouts() {
    let server = Objects::start();
    let url = format!("webdav://{}/some%20place", server.address);
    assert_shared(&url);
    assert!(server.names().iter().all(|name| name.starts_with("/some%20place/v1/")), "{:?}", server.names());
    assert_eq!(server.names().len(), 2 * PROGRAMS);
    let stat = shaderport(Path::new("."), &["cache", "stat", "--cache", &url]);
    assert!(stat.stdout.starts_with(&format!("{} entries with ", 2 * PROGRAMS)), "{}{}", stat.stdout, stat.stderr);
}

#[test]
fn s3_is_shared_by_checkouts() {
    let server = Objects::start();
    let url = format!("s3://bucket/some/place?endpoint=http://{}&region=here", server.address);
    let (outputs, said) = reference(PROGRAMS);
    for expected in [0, PROGRAMS] {
        let directory = checkout(PROGRAMS);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_shaderport"));
        command.args(["build", "s", "--target", "wgsl,glsl", "--out", "out"]).current_dir(directory.path());
        command
            .env("SHADERPORT_CACHE", &url)
            .env("NO_PROXY", "127.0.0.1")
            .env("AWS_ACCESS_KEY_ID", "key")
            .env("AWS_SECRET_ACCESS_KEY", "secret");
        let output = command.output().expect("a build");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains(&format!("cache: {expected} of {PROGRAMS}")), "{stdout}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), said);
        assert_eq!(contents(&directory.path().join("out")), outputs);
    }
    assert!(server.names().iter().all(|name| name.starts_with("/bucket/some/place/v1/")), "{:?}", server.names());
}

#[test]
fn urls_that_are_wrong() {
    let directory = checkout(1);
    for (url, fault) in [
        ("ftp://host/x", "there is no service `ftp`; there are redis,"),
        ("redis://", "the URL names no host"),
        ("redis://host/x?ttl=1", "there is no parameter `ttl`"),
        ("s3://bucket/x?region=here&acl=open", "there is no parameter `acl`; there are endpoint, region"),
        ("redis://user:secret@host:70000/x", "is no URL"),
    ] {
        let run = shaderport(directory.path(), &["build", "s", "--cache", url]);
        assert!(run.code == 2 && run.stderr.contains(fault), "{url}: {}", run.stderr);
        assert!(!run.stderr.contains("secret") && !directory.path().join("out").exists(), "{}", run.stderr);
    }
}
