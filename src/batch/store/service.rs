//! The services that a shared cache may be in, by their URLs:
//!
//! | URL | service |
//! |---|---|
//! | `redis://HOST[:PORT][/DATABASE][/PREFIX]`, `rediss://` over TLS | Redis, or what speaks its protocol |
//! | `s3://BUCKET[/PREFIX][?region=R&endpoint=URL]` | S3, or what is compatible with it; credentials are AWS's, of the environment |
//! | `webdav://HOST[:PORT][/PATH]`, `webdavs://` over TLS | WebDAV |
//!
//! A user and a password stand before the host.

use super::address::without_secrets;
use opendal::{EntryMode, ErrorKind, Operator, services};
use percent_encoding::percent_decode_str;
use std::error::Error;
use std::time::Duration;
use url::Url;

/// The port of Redis where none is named.
const REDIS_PORT: u16 = 6379;
/// In this time a server of Redis has to take a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);

/// A service.
#[derive(Debug)]
pub struct Service {
    /// Its URL without what is secret.
    pub shown: String,
    operator: Operator,
    /// A host and port that are tried before anything else: the client tries for long, and does not say what is wrong.
    knock: Option<(String, u16)>,
}

impl Service {
    /// The service of a URL. No connection is made. The error is a text for people.
    pub fn new(text: &str) -> Result<Service, String> {
        let shown = without_secrets(text);
        let url = Url::parse(text).map_err(|e| format!("the cache `{shown}` is no URL: {e}"))?;
        let fault = |e: &str| format!("the cache {shown}: {e}");
        if url.host_str().is_none_or(str::is_empty) {
            return Err(fault("the URL names no host"));
        }
        let operator = match url.scheme() {
            "redis" | "rediss" => redis(&url),
            "s3" => s3(&url),
            "webdav" => webdav(&url, "http"),
            "webdavs" => webdav(&url, "https"),
            other => {
                let known = "redis, rediss, s3, webdav and webdavs; a directory is named by its path alone";
                Err(format!("there is no service `{other}`; there are {known}"))
            }
        };
        let operator = operator.map_err(|e| fault(&e))?;
        let is_redis = url.scheme().starts_with("redis");
        let knock = is_redis.then(|| (host(&url), url.port().unwrap_or(REDIS_PORT)));
        Ok(Service { shown, operator, knock })
    }

    /// Makes sure that there is a server.
    pub async fn knock(&self) -> Result<(), String> {
        let Some((host, port)) = &self.knock else { return Ok(()) };
        let connect = tokio::net::TcpStream::connect((host.trim_matches(['[', ']']), *port));
        match tokio::time::timeout(CONNECT_LIMIT, connect).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(e)) => Err(format!("no connection: {e}")),
            Err(_) => Err(format!("no connection in {} s", CONNECT_LIMIT.as_secs())),
        }
    }

    /// What is stored under a name.
    pub async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        match self.operator.read(name).await {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(text(&e)),
        }
    }

    /// Stores bytes under a name.
    pub async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), String> {
        self.operator.write(name, bytes).await.map(drop).map_err(|e| text(&e))
    }

    /// The sizes of all that is stored under names that begin so.
    pub async fn sizes(&self, prefix: &str) -> Result<Vec<u64>, String> {
        if !self.operator.info().full_capability().list {
            return Err("the service does not list what is in it".to_owned());
        }
        let entries = self.operator.list_with(prefix).recursive(true).await.map_err(|e| text(&e))?;
        let files = entries.iter().filter(|entry| entry.metadata().mode() == EntryMode::FILE);
        Ok(files.map(|entry| entry.metadata().content_length()).collect())
    }
}

/// What is said of an error: its innermost cause, which is the server's or the system's.
fn text(error: &opendal::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = innermost.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn host(url: &Url) -> String {
    decoded(url.host_str().unwrap_or_default())
}

/// The value of a parameter. One that is not known is an error.
fn parameters<const N: usize>(url: &Url, known: [&str; N]) -> Result<[Option<String>; N], String> {
    let mut values = [const { None }; N];
    for (name, value) in url.query_pairs() {
        let at = known.iter().position(|known| *known == name);
        match at.and_then(|at| values.get_mut(at)) {
            Some(slot) => *slot = Some(value.into_owned()),
            None if N == 0 => return Err(format!("there is no parameter `{name}`, and no other")),
            None => return Err(format!("there is no parameter `{name}`; there are {}", known.join(", "))),
        }
    }
    Ok(values)
}

fn finished(built: opendal::Result<opendal::OperatorBuilder<impl opendal::raw::Access>>) -> Result<Operator, String> {
    built.map(opendal::OperatorBuilder::finish).map_err(|e| text(&e))
}

fn redis(url: &Url) -> Result<Operator, String> {
    let [] = parameters(url, [])?;
    let path = url.path().trim_start_matches('/');
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let (database, prefix) = match first.parse::<i64>() {
        Ok(database) => (database, rest),
        Err(_) => (0, path),
    };
    let endpoint = format!("{}://{}:{}", url.scheme(), host(url), url.port().unwrap_or(REDIS_PORT));
    let builder = services::Redis::default().endpoint(&endpoint).db(database).root(&decoded(prefix));
    let builder = builder.username(&decoded(url.username())).password(&decoded(url.password().unwrap_or_default()));
    finished(Operator::new(builder))
}

fn s3(url: &Url) -> Result<Operator, String> {
    let [endpoint, region] = parameters(url, ["endpoint", "region"])?;
    let mut builder = services::S3::default().bucket(&host(url)).root(&decoded(url.path()));
    if let Some(endpoint) = endpoint {
        builder = builder.endpoint(&endpoint);
    }
    if let Some(region) = region {
        builder = builder.region(&region);
    }
    finished(Operator::new(builder))
}

fn webdav(url: &Url, scheme: &str) -> Result<Operator, String> {
    let [] = parameters(url, [])?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let builder = services::Webdav::default().endpoint(&format!("{scheme}://{}{port}", host(url)));
    let builder = builder.username(&decoded(url.username())).password(&decoded(url.password().unwrap_or_default()));
    finished(Operator::new(builder.root(&decoded(url.path()))))
}
