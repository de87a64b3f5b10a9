//! Calls of a server. Each ends in time, whatever the server does, and what it brings is checked against its digest.

use super::action::Blob;
use crate::batch::digest::{Digest, now};
use api::action_cache_client::ActionCacheClient;
use api::capabilities_client::CapabilitiesClient;
use api::content_addressable_storage_client::ContentAddressableStorageClient;
use api::execution_client::ExecutionClient;
pub use api::{ActionResult, OutputFile};
pub use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use bazel_remote_apis::google::bytestream::byte_stream_client::ByteStreamClient;
use bazel_remote_apis::google::bytestream::{ReadRequest, WriteRequest};
use bazel_remote_apis::google::longrunning::{Operation, operation};
use prost::Message;
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Response, Status};

/// What went wrong.
#[derive(Debug)]
pub enum Fault {
    /// It is not there.
    Missing,
    /// There is no answer, or none that can be understood.
    Gone(String),
    /// Nothing more can be stored.
    Full(String),
    /// Nothing more can be executed.
    Idle(String),
    /// Something is not what it has to be.
    Wrong(String),
}

/// More than this is not sent in one message: servers take 4 MiB with everything around.
const BATCH: u64 = 3 << 20;
/// Of what is sent in pieces, the size of one.
const PIECE: usize = 1 << 20;
/// More than this is no product of ours.
const LARGEST: i64 = 1 << 30;
/// What a slow line brings in a second.
const SLOW: u64 = 1 << 20;

/// A server that has said what it can.
#[derive(Debug)]
pub struct Client {
    runtime: Runtime,
    channel: Channel,
    instance: String,
    timeout: Duration,
    batch: u64,
    updates: bool,
    executes: bool,
    /// How many uploads were named.
    named: AtomicU64,
}

/// The address for calls and the instance of `grpc://HOST:PORT[/INSTANCE]`.
pub fn parse_address(address: &str) -> Result<(String, String), String> {
    let form = "it is grpc://HOST:PORT or grpc://HOST:PORT/INSTANCE";
    let Some(rest) = address.strip_prefix("grpc://") else {
        return Err(format!("`{address}` is no address of a server: {form}"));
    };
    let (host, instance) = rest.split_once('/').unwrap_or((rest, ""));
    let port = host.rsplit_once(':').and_then(|(name, port)| Some((name, port.parse::<u16>().ok()?)));
    match port {
        Some((name, _)) if !name.is_empty() => {
            Ok((format!("http://{host}"), instance.trim_end_matches('/').to_owned()))
        }
        _ => Err(format!("`{address}` has no host and port: {form}")),
    }
}

/// What the status of a call means.
fn fault(status: &Status) -> Fault {
    let why = format!("{:?}: {}", status.code(), status.message());
    match status.code() {
        Code::NotFound => Fault::Missing,
        Code::ResourceExhausted => Fault::Full(why),
        Code::DataLoss | Code::OutOfRange => Fault::Wrong(why),
        _ => Fault::Gone(why),
    }
}

impl Client {
    /// Asks a server what it can.
    pub fn new(address: &str, timeout: Duration) -> Result<Client, Fault> {
        let gone = |why: String| Fault::Gone(why);
        let (uri, instance) = parse_address(address).map_err(gone)?;
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().build().map_err(|e| gone(e.to_string()))?;
        let endpoint = Endpoint::from_shared(uri).map_err(|e| gone(e.to_string()))?;
        let channel = runtime.block_on(async {
            match tokio::time::timeout(timeout, endpoint.connect_timeout(timeout).connect()).await {
                Ok(Ok(channel)) => Ok(channel),
                Ok(Err(e)) => Err(Fault::Gone(format!("cannot connect: {}", innermost(&e)))),
                Err(_) => Err(Fault::Gone(format!("no connection within {} s", timeout.as_secs_f32()))),
            }
        })?;
        let (updates, executes, named) = (false, false, AtomicU64::new(0));
        let mut client = Client { runtime, channel, instance, timeout, batch: BATCH, updates, executes, named };
        client.learn()?;
        Ok(client)
    }

    fn learn(&mut self) -> Result<(), Fault> {
        let mut capabilities = CapabilitiesClient::new(self.channel.clone());
        let request = api::GetCapabilitiesRequest { instance_name: self.instance.clone() };
        let can = self.call(self.timeout, capabilities.get_capabilities(request))?;
        let cache = can.cache_capabilities.unwrap_or_default();
        let sha256 = api::digest_function::Value::Sha256 as i32;
        if !cache.digest_functions.contains(&sha256) {
            return Err(Fault::Gone("the server knows no digests of SHA-256".to_owned()));
        }
        if let Ok(most) = u64::try_from(cache.max_batch_total_size_bytes)
            && most > 0
        {
            self.batch = most.min(BATCH);
        }
        self.updates = cache.action_cache_update_capabilities.is_some_and(|updates| updates.update_enabled);
        self.executes = can.execution_capabilities.is_some_and(|executes| executes.exec_enabled);
        Ok(())
    }

    /// Whether results can be stored.
    pub fn can_update(&self) -> bool {
        self.updates
    }

    /// Whether there are workers.
    pub fn can_execute(&self) -> bool {
        self.executes
    }

    /// Runs a call to its end, or the end of its time.
    fn limited<T>(&self, limit: Duration, call: impl Future<Output = Result<T, Status>>) -> Result<T, Fault> {
        self.runtime.block_on(async {
            match tokio::time::timeout(limit, call).await {
                Ok(result) => result.map_err(|status| fault(&status)),
                Err(_) => Err(Fault::Gone(format!("no answer within {} s", limit.as_secs_f32()))),
            }
        })
    }

    fn call<T>(&self, limit: Duration, call: impl Future<Output = Result<Response<T>, Status>>) -> Result<T, Fault> {
        self.limited(limit, call).map(Response::into_inner)
    }

    /// How long it may take to send or receive so many bytes.
    fn limit_of(&self, bytes: u64) -> Duration {
        self.timeout + Duration::from_secs(bytes / SLOW)
    }

    /// What the action cache has.
    pub fn action_result(&self, action: &api::Digest) -> Result<ActionResult, Fault> {
        let mut cache = ActionCacheClient::new(self.channel.clone());
        let request = api::GetActionResultRequest {
            instance_name: self.instance.clone(),
            action_digest: Some(action.clone()),
            ..api::GetActionResultRequest::default()
        };
        self.call(self.timeout, cache.get_action_result(request))
    }

    /// Stores a result in the action cache.
    pub fn update(&self, action: &api::Digest, result: ActionResult) -> Result<(), Fault> {
        let mut cache = ActionCacheClient::new(self.channel.clone());
        let request = api::UpdateActionResultRequest {
            instance_name: self.instance.clone(),
            action_digest: Some(action.clone()),
            action_result: Some(result),
            ..api::UpdateActionResultRequest::default()
        };
        self.call(self.timeout, cache.update_action_result(request)).map(|_| ()).map_err(refused)
    }

    /// The bytes of a digest.
    pub fn read(&self, digest: &api::Digest) -> Result<Vec<u8>, Fault> {
        if digest.size_bytes < 0 || digest.size_bytes > LARGEST {
            return Err(Fault::Wrong(format!("a result has {} bytes", digest.size_bytes)));
        }
        let bytes = match digest.size_bytes as u64 <= self.batch {
            true => self.read_at_once(digest)?,
            false => self.read_stream(digest)?,
        };
        match bytes.len() as i64 == digest.size_bytes && Digest::of(&bytes).to_string() == digest.hash {
            true => Ok(bytes),
            false => Err(Fault::Wrong(format!("the bytes of {} do not have this digest", digest.hash))),
        }
    }

    fn read_at_once(&self, digest: &api::Digest) -> Result<Vec<u8>, Fault> {
        let mut storage = self.storage();
        let request = api::BatchReadBlobsRequest {
            instance_name: self.instance.clone(),
            digests: vec![digest.clone()],
            ..api::BatchReadBlobsRequest::default()
        };
        let limit = self.limit_of(digest.size_bytes as u64);
        let answer = self.call(limit, storage.batch_read_blobs(request))?.responses.into_iter().next();
        let answer = answer.ok_or_else(|| Fault::Wrong("an answer without bytes".to_owned()))?;
        let status = answer.status.unwrap_or_default();
        match status.code {
            0 => Ok(answer.data),
            code => Err(fault(&Status::new(Code::from_i32(code), status.message))),
        }
    }

    fn read_stream(&self, digest: &api::Digest) -> Result<Vec<u8>, Fault> {
        let mut streams = ByteStreamClient::new(self.channel.clone());
        let name = format!("{}blobs/{}/{}", self.prefix(), digest.hash, digest.size_bytes);
        let most = digest.size_bytes as usize;
        let read = async {
            let request = ReadRequest { resource_name: name, read_offset: 0, read_limit: 0 };
            let mut answers = streams.read(request).await?.into_inner();
            let mut bytes = Vec::new();
            while let Some(piece) = answers.message().await? {
                bytes.extend_from_slice(&piece.data);
                if bytes.len() > most {
                    return Err(Status::out_of_range("there are more bytes than the digest says"));
                }
            }
            Ok(bytes)
        };
        self.limited(self.limit_of(most as u64), read)
    }

    /// Stores what the server does not have.
    pub fn upload(&self, blobs: &[Blob]) -> Result<(), Fault> {
        let mut known = BTreeSet::new();
        let blobs: Vec<&Blob> = blobs.iter().filter(|blob| known.insert(blob.digest)).collect();
        let request = api::FindMissingBlobsRequest {
            instance_name: self.instance.clone(),
            blob_digests: blobs.iter().map(|blob| blob.api_digest()).collect(),
            ..api::FindMissingBlobsRequest::default()
        };
        let missing = self.call(self.timeout, self.storage().find_missing_blobs(request))?.missing_blob_digests;
        let missing: BTreeSet<String> = missing.into_iter().map(|digest| digest.hash).collect();
        let missing = blobs.into_iter().filter(|blob| missing.contains(&blob.digest.to_string()));
        let (small, large): (Vec<&Blob>, Vec<&Blob>) = missing.partition(|blob| blob.size <= self.room());
        let mut batch: Vec<&Blob> = Vec::new();
        let mut size = 0;
        for blob in small {
            if size + blob.size > self.room() {
                self.write_batch(&std::mem::take(&mut batch))?;
                size = 0;
            }
            size += blob.size;
            batch.push(blob);
        }
        self.write_batch(&batch)?;
        large.into_iter().try_for_each(|blob| self.write_stream(blob))
    }

    /// The bytes of blobs that are sent in one message, beside what is around them.
    fn room(&self) -> u64 {
        self.batch / 4 * 3
    }

    fn write_batch(&self, blobs: &[&Blob]) -> Result<(), Fault> {
        if blobs.is_empty() {
            return Ok(());
        }
        let request = |blob: &&Blob| {
            let data = blob.bytes().ok_or_else(changed)?;
            let digest = Some(blob.api_digest());
            Ok(api::batch_update_blobs_request::Request { digest, data, ..Default::default() })
        };
        let request = api::BatchUpdateBlobsRequest {
            instance_name: self.instance.clone(),
            requests: blobs.iter().map(request).collect::<Result<_, Fault>>()?,
            ..api::BatchUpdateBlobsRequest::default()
        };
        let limit = self.limit_of(blobs.iter().map(|blob| blob.size).sum());
        let answers = self.call(limit, self.storage().batch_update_blobs(request)).map_err(refused)?.responses;
        let failed = answers.into_iter().filter_map(|answer| answer.status).find(|status| status.code != 0);
        match failed {
            Some(status) => Err(refused(fault(&Status::new(Code::from_i32(status.code), status.message)))),
            None => Ok(()),
        }
    }

    fn write_stream(&self, blob: &Blob) -> Result<(), Fault> {
        let bytes = blob.bytes().ok_or_else(changed)?;
        let name = format!("{}uploads/{}/blobs/{}/{}", self.prefix(), self.unique(), blob.digest, blob.size);
        let mut streams = ByteStreamClient::new(self.channel.clone());
        let count = bytes.len().div_ceil(PIECE);
        let pieces = bytes.chunks(PIECE).enumerate().map(|(at, piece)| WriteRequest {
            resource_name: name.clone(),
            write_offset: (at * PIECE) as i64,
            finish_write: at + 1 == count,
            data: piece.to_vec(),
        });
        let pieces: Vec<WriteRequest> = pieces.collect();
        let written = self.call(self.limit_of(blob.size), streams.write(tonic::codegen::tokio_stream::iter(pieces)));
        written.map(|_| ()).map_err(refused)
    }

    /// Has an action executed.
    pub fn execute(&self, action: &api::Digest, limit: Duration) -> Result<ActionResult, Fault> {
        let mut execution = ExecutionClient::new(self.channel.clone());
        let request = api::ExecuteRequest {
            instance_name: self.instance.clone(),
            action_digest: Some(action.clone()),
            ..api::ExecuteRequest::default()
        };
        let run = async {
            let mut updates = execution.execute(request).await?.into_inner();
            let mut name = String::new();
            let mut is_again = false;
            loop {
                match updates.message().await {
                    Ok(Some(operation)) if operation.done => return Ok(operation),
                    Ok(Some(operation)) => name = operation.name,
                    // The line broke, and the work goes on there.
                    Ok(None) | Err(_) if !is_again && !name.is_empty() => {
                        is_again = true;
                        let request = api::WaitExecutionRequest { name: name.clone() };
                        updates = execution.wait_execution(request).await?.into_inner();
                    }
                    Ok(None) => return Err(Status::aborted("the server ended an execution without a result")),
                    Err(status) => return Err(status),
                }
            }
        };
        let operation = self.limited(limit, run).map_err(|fault| match fault {
            Fault::Gone(why) | Fault::Full(why) | Fault::Wrong(why) => Fault::Idle(why),
            fault => fault,
        })?;
        result_of(operation)
    }

    fn storage(&self) -> ContentAddressableStorageClient<Channel> {
        ContentAddressableStorageClient::new(self.channel.clone())
    }

    /// What names of resources begin with.
    fn prefix(&self) -> String {
        if self.instance.is_empty() { String::new() } else { format!("{}/", self.instance) }
    }

    /// A name of an upload that no other one has, in the form of a UUID.
    fn unique(&self) -> String {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        let parts = [now(), number, u64::from(std::process::id())].map(u64::to_le_bytes);
        let text = Digest::of_parts(parts.iter().map(|part| &part[..])).to_string();
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
    }
}

fn changed() -> Fault {
    Fault::Wrong("a file has changed while it was read".to_owned())
}

/// That a server does not want to store something is no reason not to ask it.
fn refused(fault: Fault) -> Fault {
    match fault {
        Fault::Gone(why) if !why.starts_with("no answer") && !why.starts_with("Unavailable") => Fault::Full(why),
        fault => fault,
    }
}

/// The result of an execution that has ended.
fn result_of(operation: Operation) -> Result<ActionResult, Fault> {
    let failed = |code: i32, why: String| match Code::from_i32(code) {
        // Something that the action needs is not there any more.
        Code::FailedPrecondition | Code::NotFound => Fault::Missing,
        Code::DeadlineExceeded => Fault::Wrong(format!("an execution took too long: {why}")),
        code => Fault::Idle(format!("an execution failed: {code:?}: {why}")),
    };
    match operation.result {
        Some(operation::Result::Response(any)) => {
            let response = api::ExecuteResponse::decode(any.value.as_slice());
            let response =
                response.map_err(|e| Fault::Wrong(format!("the result of an execution cannot be read: {e}")))?;
            let status = response.status.unwrap_or_default();
            match (status.code, response.result) {
                (0, Some(result)) => Ok(result),
                (0, None) => Err(Fault::Wrong("an execution has no result".to_owned())),
                (code, _) => Err(failed(code, status.message)),
            }
        }
        Some(operation::Result::Error(status)) => Err(failed(status.code, status.message)),
        None => Err(Fault::Wrong("an execution has no result".to_owned())),
    }
}

/// The cause of an error of the transport, which says most.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let parsed = |address: &str| parse_address(address).ok();
        let both = |uri: &str, instance: &str| Some((uri.to_owned(), instance.to_owned()));
        assert_eq!(parsed("grpc://localhost:8980"), both("http://localhost:8980", ""));
        assert_eq!(parsed("grpc://[::1]:1/main/x/"), both("http://[::1]:1", "main/x"));
        for wrong in ["localhost:8980", "http://x:1", "grpcs://x:1", "grpc://x", "grpc://:80", "grpc://x:port"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
