//! What `--cache` and `SHADERPORT_CACHE` name: a directory, a service by its URL, or both.

use std::ffi::OsStr;
use std::path::PathBuf;

/// The places of a cache.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CacheAddress {
    /// A directory of this machine.
    pub directory: Option<PathBuf>,
    /// The URL of a service.
    pub service: Option<String>,
}

impl CacheAddress {
    /// Reads names. In one that has a URL in it, a comma is before or behind that. The error is a text for people.
    pub fn parse<'n>(names: impl IntoIterator<Item = &'n OsStr>) -> Result<CacheAddress, String> {
        let mut address = CacheAddress::default();
        for name in names {
            match name.to_str().filter(|name| is_url(name)) {
                Some(name) => name.split(',').try_for_each(|part| address.add(OsStr::new(part.trim())))?,
                None => address.add(name)?,
            }
        }
        Ok(address)
    }

    fn add(&mut self, name: &OsStr) -> Result<(), String> {
        if name.is_empty() {
            return Ok(());
        }
        let (was_there, what) = match name.to_str().filter(|name| is_url(name)) {
            Some(url) => (self.service.replace(url.to_owned()).is_some(), "URL"),
            None => (self.directory.replace(PathBuf::from(name)).is_some(), "directory"),
        };
        if was_there {
            let name = without_secrets(&name.to_string_lossy());
            return Err(format!("the cache `{name}`: another {what} is named already"));
        }
        Ok(())
    }
}

/// A URL, or a path, as messages may show it: without user, password and query.
pub fn without_secrets(name: &str) -> String {
    let Some((scheme, rest)) = name.split_once("://") else { return name.to_owned() };
    let rest = rest.split_once('?').map_or(rest, |(place, _)| place);
    let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
    format!("{scheme}://{place}")
}

fn is_url(name: &str) -> bool {
    name.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(names: &[&str]) -> Result<(String, String), String> {
        let address = CacheAddress::parse(names.iter().map(OsStr::new))?;
        let directory = address.directory.map(|path| path.to_string_lossy().into_owned());
        Ok((directory.unwrap_or_default(), address.service.unwrap_or_default()))
    }

    #[test]
    fn directories_and_services() {
        let pair = |directory: &str, service: &str| Ok((directory.to_owned(), service.to_owned()));
        assert_eq!(parse(&["a,b"]), pair("a,b", ""));
        assert_eq!(parse(&["redis://h:1/x"]), pair("", "redis://h:1/x"));
        for both in [&["/c,redis://h"][..], &["redis://h, /c"], &["/c", "redis://h"], &["redis://h", "/c"]] {
            assert_eq!(parse(both), pair("/c", "redis://h"));
        }
        assert_eq!(parse(&["a", "b"]).unwrap_err(), "the cache `b`: another directory is named already");
        let twice = parse(&["s3://a,s3://key:secret@b/c?token=secret"]).unwrap_err();
        assert_eq!(twice, "the cache `s3://b/c`: another URL is named already");
    }
}
