//! `build --remote`: the server of caches and workers.

use super::build::BuildArgs;
use super::forward::Given;
use crate::batch::{Elsewhere, Plan};
use clap::Args;

/// The options.
#[derive(Args, Debug, Clone)]
pub struct RemoteArgs {
    /// A server of the Remote Execution API: what its action cache has is not compiled, and what is compiled is stored there.
    /// Needs a shaderport with the feature `remote`.
    #[arg(long, value_name = "grpc://HOST:PORT[/INSTANCE]", conflicts_with = "depfiles")]
    remote: Option<String>,
    /// Have the workers of the server compile (and validate) what its cache does not have.
    #[arg(long, requires = "remote")]
    pub remote_execute: bool,
    /// A property that workers have to have.
    #[arg(long, value_name = "NAME=VALUE", requires = "remote", value_parser = property)]
    remote_property: Vec<(String, String)>,
    /// How long a call of the server may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    remote_timeout: u64,
}

fn property(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}

impl RemoteArgs {
    /// Whether a server is named.
    pub fn is_used(&self) -> bool {
        self.remote.is_some()
    }

    /// The server, if one is named. The error is a text for people.
    #[cfg(feature = "remote")]
    pub fn open(&self, args: &BuildArgs, plan: &Plan, given: &Given) -> Result<Option<Box<dyn Elsewhere>>, String> {
        use crate::batch::{Remote, RemoteSettings};
        let Some(address) = &self.remote else { return Ok(None) };
        let settings = RemoteSettings {
            address: address.clone(),
            executes: self.remote_execute,
            properties: self.remote_property.clone(),
            timeout: std::time::Duration::from_secs(self.remote_timeout),
            words: given.words(),
            manifest: plan.manifest.clone().filter(|_| !args.program.no_manifest),
        };
        Ok(Some(Box::new(Remote::new(settings)?)))
    }

    /// There is no such server for a program without the feature.
    #[cfg(not(feature = "remote"))]
    pub fn open(&self, _: &BuildArgs, _: &Plan, _: &Given) -> Result<Option<Box<dyn Elsewhere>>, String> {
        let Some(address) = &self.remote else { return Ok(None) };
        let (properties, timeout) = (&self.remote_property, self.remote_timeout);
        let how = "cargo install shaderport --features remote";
        let _ = (properties, timeout);
        Err(format!("{address} cannot be asked: this program was built without the feature `remote` ({how})"))
    }
}
