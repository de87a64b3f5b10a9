//! A server that keeps what is put, as S3 and WebDAV do: as much of both as a cache needs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A server, which lives as long as the tests do.
pub struct Objects {
    pub address: SocketAddr,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    objects: BTreeMap<String, Vec<u8>>,
    /// Collections of WebDAV, which have to be there before something is put into them.
    collections: BTreeSet<String>,
    reads: usize,
}

struct Request {
    method: String,
    path: String,
    is_signed: bool,
    is_deep: bool,
    body: Vec<u8>,
}

impl Objects {
    /// Starts a server.
    pub fn start() -> Objects {
        Objects::start_slow(Duration::ZERO)
    }

    /// Starts a server that waits before each answer.
    pub fn start_slow(delay: Duration) -> Objects {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let kept = Arc::new(Mutex::new(Kept { collections: ["/".to_owned()].into(), ..Kept::default() }));
        let of_server = kept.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = of_server.clone();
                std::thread::spawn(move || serve(&stream, &kept, delay));
            }
        });
        Objects { address, kept }
    }

    /// How often an object was asked for.
    pub fn count_reads(&self) -> usize {
        self.kept.lock().expect("a lock").reads
    }

    /// The names of all objects.
    pub fn names(&self) -> Vec<String> {
        self.kept.lock().expect("a lock").objects.keys().cloned().collect()
    }
}

fn serve(stream: &TcpStream, kept: &Mutex<Kept>, delay: Duration) -> Option<()> {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        std::thread::sleep(delay);
        let (status, body) = kept.lock().ok()?.answer(&request);
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len());
        let mut stream = stream;
        stream.write_all(&[head.as_bytes(), &body].concat()).ok()?;
    }
    None
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut request = Request { method, path, is_signed: false, is_deep: false, body: Vec::new() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => request.body = vec![0; value.parse().ok()?],
            "authorization" => request.is_signed = value.starts_with("AWS4-HMAC-SHA256 Credential=key/"),
            "depth" => request.is_deep = value != "0",
            _ => {}
        }
    }
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

impl Kept {
    fn answer(&mut self, request: &Request) -> (u16, Vec<u8>) {
        let path = request.path.as_str();
        let parent = path.trim_end_matches('/').rsplit_once('/').map_or("/", |(parent, _)| parent);
        let has_parent = request.is_signed || self.collections.contains(&format!("{}/", parent.trim_end_matches('/')));
        match request.method.as_str() {
            "GET" => {
                self.reads += 1;
                self.objects.get(path).map_or((404, Vec::new()), |object| (200, object.clone()))
            }
            "PUT" if has_parent => {
                self.objects.insert(path.to_owned(), request.body.clone());
                (201, Vec::new())
            }
            "MKCOL" if has_parent => {
                self.collections.insert(path.to_owned());
                (201, Vec::new())
            }
            "PUT" | "MKCOL" => (409, Vec::new()),
            "PROPFIND" if self.collections.contains(path) => (207, self.listing(path, request.is_deep).into_bytes()),
            _ => (404, Vec::new()),
        }
    }

    /// What is in a collection.
    fn listing(&self, path: &str, is_deep: bool) -> String {
        let row = |name: &str, kind: &str, size: usize| {
            format!(
                "<D:response><D:href>{name}</D:href><D:propstat><D:prop><D:getlastmodified>Tue, 01 May 2029 22:39:47 GMT\
                 </D:getlastmodified><D:getcontentlength>{size}</D:getcontentlength><D:resourcetype>{kind}</D:resourcetype>\
                 </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
            )
        };
        let is_child = |name: &str| name.strip_prefix(path).is_some_and(|r| !r.trim_end_matches('/').contains('/'));
        let mut rows = Vec::new();
        for name in self.collections.iter().filter(|name| *name == path || is_deep && is_child(name)) {
            rows.push(row(name, "<D:collection/>", 0));
        }
        for (name, object) in self.objects.iter().filter(|(name, _)| is_deep && is_child(name)) {
            rows.push(row(name, "", object.len()));
        }
        let rows = rows.concat();
        format!("<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">{rows}</D:multistatus>")
    }
}
