//! A server of caches in memory, which does what a test wants it to do wrong.

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tonic::codegen::tokio_stream::Iter;
use tonic::{Request, Response, Status};

/// What a server does.
#[derive(Clone)]
pub struct Ways {
    /// How long it takes to look something up.
    pub delay: Duration,
    /// It takes no more.
    pub is_full: bool,
    /// The digest functions that it knows.
    pub digests: Vec<i32>,
    /// Clients may store results.
    pub updates: bool,
}

impl Default for Ways {
    fn default() -> Self {
        let sha256 = api::digest_function::Value::Sha256 as i32;
        Ways { delay: Duration::ZERO, is_full: false, digests: vec![sha256], updates: true }
    }
}

#[derive(Default)]
struct Held {
    blobs: BTreeMap<String, Vec<u8>>,
    results: BTreeMap<String, api::ActionResult>,
    /// How blobs are changed on their way out.
    spoils: Option<fn(&mut Vec<u8>)>,
}

#[derive(Clone)]
struct Shared {
    ways: Ways,
    held: Arc<Mutex<Held>>,
}

/// A server that runs until it is dropped.
pub struct Server {
    shared: Shared,
    port: u16,
    _runtime: tokio::runtime::Runtime,
}

impl Server {
    pub fn start(ways: Ways) -> Server {
        let shared = Shared { ways, held: Arc::default() };
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        let port = super::free_port();
        let service = tonic::transport::Server::builder()
            .add_service(api::capabilities_server::CapabilitiesServer::new(shared.clone()))
            .add_service(api::action_cache_server::ActionCacheServer::new(shared.clone()))
            .add_service(api::content_addressable_storage_server::ContentAddressableStorageServer::new(shared.clone()));
        runtime.spawn(service.serve(([127, 0, 0, 1], port).into()));
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(2));
        }
        Server { shared, port, _runtime: runtime }
    }

    pub fn address(&self) -> String {
        format!("grpc://127.0.0.1:{}/some/instance", self.port)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.shared.held.lock().expect("a lock")
    }

    /// How many results were stored.
    pub fn results(&self) -> usize {
        self.held().results.len()
    }

    /// Changes a byte of everything that it gives.
    pub fn damage(&self) {
        self.held().spoils = Some(|bytes| bytes.iter_mut().take(1).for_each(|byte| *byte ^= 1));
    }

    /// Gives less of everything.
    pub fn shorten(&self) {
        self.held().spoils = Some(|bytes| bytes.truncate(bytes.len().saturating_sub(1)));
    }

    /// Gives the result of the next action for each.
    pub fn exchange(&self) {
        let mut held = self.held();
        let mut results: Vec<api::ActionResult> = held.results.values().cloned().collect();
        results.rotate_left(1);
        held.results.values_mut().zip(results).for_each(|(result, other)| *result = other);
    }

    /// Says of every action that it has failed.
    pub fn fail(&self) {
        self.held().results.values_mut().for_each(|result| result.exit_code = 1);
    }

    /// Does nothing wrong any more.
    pub fn heal(&self) {
        self.held().spoils = None;
    }

    /// Removes the bytes of results.
    pub fn forget(&self) {
        self.held().blobs.clear();
    }
}

type Answer<T> = Result<Response<T>, Status>;

fn hash(digest: Option<&api::Digest>) -> String {
    digest.map(|digest| digest.hash.clone()).unwrap_or_default()
}

fn is_of_instance(name: &str) -> Result<(), Status> {
    if name == "some/instance" { Ok(()) } else { Err(Status::invalid_argument(format!("no instance {name}"))) }
}

impl Shared {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().expect("a lock")
    }
}

#[tonic::async_trait]
impl api::capabilities_server::Capabilities for Shared {
    async fn get_capabilities(&self, _: Request<api::GetCapabilitiesRequest>) -> Answer<api::ServerCapabilities> {
        let updates = api::ActionCacheUpdateCapabilities { update_enabled: self.ways.updates };
        let cache = api::CacheCapabilities {
            digest_functions: self.ways.digests.clone(),
            action_cache_update_capabilities: Some(updates),
            ..api::CacheCapabilities::default()
        };
        Ok(Response::new(api::ServerCapabilities { cache_capabilities: Some(cache), ..Default::default() }))
    }
}

#[tonic::async_trait]
impl api::action_cache_server::ActionCache for Shared {
    async fn get_action_result(&self, request: Request<api::GetActionResultRequest>) -> Answer<api::ActionResult> {
        tokio::time::sleep(self.ways.delay).await;
        let request = request.into_inner();
        is_of_instance(&request.instance_name)?;
        let found = self.held().results.get(&hash(request.action_digest.as_ref())).cloned();
        found.map(Response::new).ok_or_else(|| Status::not_found("no result"))
    }

    async fn update_action_result(
        &self,
        request: Request<api::UpdateActionResultRequest>,
    ) -> Answer<api::ActionResult> {
        let request = request.into_inner();
        let mut held = self.held();
        let action = hash(request.action_digest.as_ref());
        let result = request.action_result.unwrap_or_default();
        let named = result.output_files.iter().map(|file| hash(file.digest.as_ref())).chain([action.clone()]);
        if let Some(missing) = named.into_iter().find(|name| !held.blobs.contains_key(name)) {
            return Err(Status::failed_precondition(format!("{missing} is not there")));
        }
        held.results.insert(action, result.clone());
        Ok(Response::new(result))
    }
}

#[tonic::async_trait]
impl api::content_addressable_storage_server::ContentAddressableStorage for Shared {
    async fn find_missing_blobs(
        &self,
        request: Request<api::FindMissingBlobsRequest>,
    ) -> Answer<api::FindMissingBlobsResponse> {
        let held = self.held();
        let mut missing = request.into_inner().blob_digests;
        missing.retain(|digest| !held.blobs.contains_key(&digest.hash));
        Ok(Response::new(api::FindMissingBlobsResponse { missing_blob_digests: missing }))
    }

    async fn batch_update_blobs(
        &self,
        request: Request<api::BatchUpdateBlobsRequest>,
    ) -> Answer<api::BatchUpdateBlobsResponse> {
        if self.ways.is_full {
            return Err(Status::resource_exhausted("the disk is full"));
        }
        let request = request.into_inner();
        is_of_instance(&request.instance_name)?;
        let mut held = self.held();
        let responses = request.requests.into_iter().map(|blob| {
            held.blobs.insert(hash(blob.digest.as_ref()), blob.data);
            api::batch_update_blobs_response::Response { digest: blob.digest, status: None }
        });
        let responses = responses.collect();
        Ok(Response::new(api::BatchUpdateBlobsResponse { responses }))
    }

    async fn batch_read_blobs(
        &self,
        request: Request<api::BatchReadBlobsRequest>,
    ) -> Answer<api::BatchReadBlobsResponse> {
        let held = self.held();
        let response = |digest: api::Digest| {
            let mut data = held.blobs.get(&digest.hash).cloned();
            if let (Some(spoil), Some(data)) = (held.spoils, &mut data) {
                spoil(data);
            }
            let code = if data.is_some() { 0 } else { tonic::Code::NotFound as i32 };
            let status = bazel_remote_apis::google::rpc::Status { code, ..Default::default() };
            let data = data.unwrap_or_default();
            api::batch_read_blobs_response::Response {
                digest: Some(digest),
                data,
                status: Some(status),
                ..Default::default()
            }
        };
        let responses = request.into_inner().digests.into_iter().map(response).collect();
        Ok(Response::new(api::BatchReadBlobsResponse { responses }))
    }

    type GetTreeStream = Iter<std::vec::IntoIter<Result<api::GetTreeResponse, Status>>>;

    async fn get_tree(&self, _: Request<api::GetTreeRequest>) -> Answer<Self::GetTreeStream> {
        Err(Status::unimplemented("nobody asks for trees"))
    }

    async fn split_blob(&self, _: Request<api::SplitBlobRequest>) -> Answer<api::SplitBlobResponse> {
        Err(Status::unimplemented("nobody splits"))
    }

    type GetChunkMappingStream = Iter<std::vec::IntoIter<Result<api::GetChunkMappingResponse, Status>>>;

    async fn get_chunk_mapping(&self, _: Request<api::GetChunkMappingRequest>) -> Answer<Self::GetChunkMappingStream> {
        Err(Status::unimplemented("nobody asks for chunks"))
    }

    async fn register_chunk_mapping(
        &self,
        _: Request<tonic::Streaming<api::RegisterChunkMappingRequest>>,
    ) -> Answer<api::RegisterChunkMappingResponse> {
        Err(Status::unimplemented("nobody has chunks"))
    }

    async fn splice_blob(&self, _: Request<api::SpliceBlobRequest>) -> Answer<api::SpliceBlobResponse> {
        Err(Status::unimplemented("nobody splices"))
    }
}
