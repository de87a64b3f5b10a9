//! What stands for a shared cache where the feature for it is off: there is none.

use super::Statistics;

/// No value of this type exists.
#[derive(Debug)]
pub enum NoSharedCache {}

impl NoSharedCache {
    /// An error that names the feature.
    pub fn open(url: &str) -> Result<NoSharedCache, String> {
        let scheme = url.split("://").next().unwrap_or_default();
        Err(format!(
            "the cache `{scheme}://...` is a service: this shaderport was built without the feature `shared-cache`, by which it would be used"
        ))
    }

    /// What messages call it.
    pub fn shown(&self) -> &str {
        match *self {}
    }

    /// What is stored under a name.
    pub fn get(&self, _name: &str) -> Option<Vec<u8>> {
        match *self {}
    }

    /// Stores bytes.
    pub fn put(&self, _name: String, _bytes: Vec<u8>) {
        match *self {}
    }

    /// What was wrong.
    pub fn finish(&self) -> Vec<String> {
        match *self {}
    }

    /// What is in it.
    pub fn statistics(&self) -> Result<Statistics, String> {
        match *self {}
    }
}
