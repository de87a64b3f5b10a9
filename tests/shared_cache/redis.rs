//! A server of Redis for a test, and as much of a client as is needed to look into it.

use crate::support::find_tool;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server, which ends with the value.
pub struct Redis {
    server: Child,
    port: u16,
    _directory: tempfile::TempDir,
}

impl Redis {
    /// Starts a server; `None` if there is no program for it.
    pub fn start(options: &[&str]) -> Option<Redis> {
        let program = find_tool("redis-server", "caches in Redis")?;
        let directory = tempfile::tempdir().expect("a directory");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        let mut command = Command::new(program);
        command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port", &port.to_string()]);
        command.args(options).current_dir(directory.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let redis = Redis { server: command.spawn().expect("redis-server starts"), port, _directory: directory };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(20), "redis-server does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
        Some(redis)
    }

    /// The URL of a cache in it.
    pub fn url(&self, place: &str) -> String {
        format!("redis://127.0.0.1:{}/{place}", self.port)
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }

    /// How many entries there are.
    pub fn size(&self) -> i64 {
        match self.ask(&[b"DBSIZE"]) {
            Reply::Number(number) => number,
            other => panic!("{other:?}"),
        }
    }

    /// The names of all entries.
    pub fn keys(&self) -> Vec<Vec<u8>> {
        let Reply::List(list) = self.ask(&[b"KEYS", b"*"]) else { panic!("no list") };
        list.into_iter().map(Reply::bytes).collect()
    }

    /// An entry.
    pub fn get(&self, key: &[u8]) -> Vec<u8> {
        self.ask(&[b"GET", key]).bytes()
    }

    /// Overwrites an entry.
    pub fn set(&self, key: &[u8], value: &[u8]) {
        assert_eq!(self.ask(&[b"SET", key, value]).bytes(), b"OK");
    }

    fn ask(&self, words: &[&[u8]]) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let mut request = format!("*{}\r\n", words.len()).into_bytes();
        for word in words {
            request.extend(format!("${}\r\n", word.len()).bytes().chain(word.iter().copied()).chain(*b"\r\n"));
        }
        stream.write_all(&request).expect("a request");
        Reply::read(&mut BufReader::new(stream))
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An answer.
#[derive(Debug)]
enum Reply {
    Bytes(Vec<u8>),
    Number(i64),
    List(Vec<Reply>),
}

impl Reply {
    fn read(from: &mut impl BufRead) -> Reply {
        let mut line = String::new();
        from.read_line(&mut line).expect("an answer");
        let (kind, rest) = line.trim_end().split_at(1);
        let number = || rest.parse::<i64>().expect("a number");
        match kind {
            "+" => Reply::Bytes(rest.as_bytes().to_vec()),
            ":" => Reply::Number(number()),
            "*" => Reply::List((0..number()).map(|_| Reply::read(from)).collect()),
            "$" => {
                let mut bytes = vec![0; number() as usize + 2];
                from.read_exact(&mut bytes).expect("bytes");
                bytes.truncate(bytes.len() - 2);
                Reply::Bytes(bytes)
            }
            _ => panic!("{line}"),
        }
    }

    fn bytes(self) -> Vec<u8> {
        match self {
            Reply::Bytes(bytes) => bytes,
            other => panic!("{other:?}"),
        }
    }
}
