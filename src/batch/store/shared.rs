//! A cache in a service that other machines reach. Whatever is wrong with it, a build goes on without it:
//!
//! - Every call has a time limit; until the first answer has come, a short one.
//! - After some failures or slow answers, or one call without an answer, the service is left alone for the rest of the build. If only writing fails,
//!   as when the server is full, it is still read.
//! - What is to be stored waits in a queue that has a bound, and is written while the build goes on. Its end waits for what is left,
//!   but not long.
//!
//! What went wrong is told once, at the end.

use super::service::Service;
use super::{FORMAT, Statistics};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

/// The time limit of a call.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// The time limit of a call as long as nothing was answered.
const FIRST_LIMIT: Duration = Duration::from_secs(3);
/// So long the end of a build waits for what is to be stored.
const FLUSH_LIMIT: Duration = Duration::from_secs(10);
/// A reading that takes longer is a failure, though what it brings is used: compiling would have been faster.
const SLOW: Duration = Duration::from_secs(1);
/// After so many failures a service is left alone.
const FAILURES: u64 = 3;
/// So many entries are written at once.
const WRITERS: usize = 8;
/// As many KiB may wait in the queue.
const QUEUE: u32 = 64 << 10;

/// A service as a cache.
#[derive(Debug)]
pub struct SharedCache {
    service: Arc<Service>,
    /// There until the end.
    runtime: Option<Runtime>,
    /// The queue's free KiB.
    room: Arc<Semaphore>,
    /// The writers that have nothing to do.
    writers: Arc<Semaphore>,
    dealings: Arc<Dealings>,
}

/// What has become of calls.
#[derive(Debug, Default)]
struct Dealings {
    /// Something was answered.
    has_answered: AtomicBool,
    /// A first connection was tried.
    knocked: tokio::sync::OnceCell<Result<(), String>>,
    reads: Way,
    writes: Way,
    /// Entries that were not stored.
    left_out: AtomicU64,
}

/// One direction of calls.
#[derive(Debug, Default)]
struct Way {
    failures: AtomicU64,
    /// What the last one was.
    fault: Mutex<Option<String>>,
}

impl Way {
    fn is_open(&self) -> bool {
        self.failures.load(Ordering::Relaxed) < FAILURES
    }

    fn fail(&self, fault: CallFault) {
        let (text, weight) = match fault {
            CallFault::Answer(text) => (text, 1),
            CallFault::Silence(text) => (text, FAILURES),
        };
        self.failures.fetch_add(weight, Ordering::Relaxed);
        *self.fault.lock().unwrap_or_else(|e| e.into_inner()) = Some(text);
    }

    fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }
}

/// Why a call failed.
enum CallFault {
    /// The server, or the system, said so.
    Answer(String),
    /// There was no answer, and there will be none.
    Silence(String),
}

impl Dealings {
    /// Makes a call under its time limit.
    async fn call<T>(&self, service: &Service, call: impl Future<Output = Result<T, String>>) -> Result<T, CallFault> {
        self.knocked.get_or_init(|| service.knock()).await.clone().map_err(CallFault::Silence)?;
        let limit = if self.has_answered.load(Ordering::Relaxed) { CALL_LIMIT } else { FIRST_LIMIT };
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(answer)) => {
                self.has_answered.store(true, Ordering::Relaxed);
                Ok(answer)
            }
            Ok(Err(text)) => Err(CallFault::Answer(text)),
            Err(_) => Err(CallFault::Silence(format!("no answer in {} s", limit.as_secs()))),
        }
    }

    /// Whether something may be stored: what cannot be read is not written to either.
    fn may_write(&self) -> bool {
        self.reads.is_open() && self.writes.is_open()
    }
}

impl SharedCache {
    /// The cache of a URL. No connection is made. The error is a text for people.
    pub fn open(url: &str) -> Result<SharedCache, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|e| format!("the cache cannot be used: there are no threads for it: {e}"))?;
        let service = {
            let _context = runtime.enter();
            Arc::new(Service::new(url)?)
        };
        let room = Arc::new(Semaphore::new(QUEUE as usize));
        let writers = Arc::new(Semaphore::new(WRITERS));
        Ok(SharedCache { service, runtime: Some(runtime), room, writers, dealings: Arc::default() })
    }

    /// What messages call it.
    pub fn shown(&self) -> &str {
        &self.service.shown
    }

    /// What is stored under a name.
    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        let runtime = self.runtime.as_ref().filter(|_| self.dealings.reads.is_open())?;
        // The first answers wait for connections.
        let is_first = !self.dealings.has_answered.load(Ordering::Relaxed);
        let began = Instant::now();
        match runtime.block_on(self.dealings.call(&self.service, self.service.get(name))) {
            Ok(found) => {
                if !is_first && began.elapsed() > SLOW {
                    self.dealings
                        .reads
                        .fail(CallFault::Answer(format!("answers take longer than {} s", SLOW.as_secs())));
                }
                found
            }
            Err(fault) => {
                self.dealings.reads.fail(fault);
                None
            }
        }
    }

    /// Stores bytes under a name, later. What finds no room in the queue is not stored.
    pub fn put(&self, name: String, bytes: Vec<u8>) {
        let size = u32::try_from(bytes.len() / 1024 + 1).unwrap_or(u32::MAX);
        let room = self.room.clone().try_acquire_many_owned(size);
        let (Some(runtime), Ok(room), true) = (&self.runtime, room, self.dealings.may_write()) else {
            self.dealings.left_out.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let (service, writers, dealings) = (self.service.clone(), self.writers.clone(), self.dealings.clone());
        runtime.spawn(async move {
            let _room = room;
            let writer = writers.acquire().await;
            let stored = match dealings.may_write() && writer.is_ok() {
                true => dealings.call(&service, service.put(&name, bytes)).await.map_err(|f| dealings.writes.fail(f)),
                false => Err(()),
            };
            if stored.is_err() {
                dealings.left_out.fetch_add(1, Ordering::Relaxed);
            }
        });
    }

    /// Waits for what is to be stored. Gives what was wrong.
    pub fn finish(&self) -> Vec<String> {
        let waits = async {
            let all = tokio::time::timeout(FLUSH_LIMIT, self.room.acquire_many(QUEUE)).await;
            all.is_ok()
        };
        let is_done = self.runtime.as_ref().is_none_or(|runtime| runtime.block_on(waits));
        let mut faults = Vec::new();
        let Dealings { reads, writes, .. } = &*self.dealings;
        if let Some(fault) = reads.fault() {
            let left = if reads.is_open() { "" } else { ", and it was left alone" };
            faults.push(format!("it could not be read{left}: {fault}"));
        } else if let Some(fault) = writes.fault() {
            let left = if writes.is_open() { "" } else { ", and that was given up" };
            faults.push(format!("it could not be written to{left}: {fault}"));
        }
        if !is_done {
            faults.push(format!("what it had not stored {} s after the build is not in it", FLUSH_LIMIT.as_secs()));
        }
        let left_out = self.dealings.left_out.load(Ordering::Relaxed);
        if left_out > 0 {
            faults.push(format!("{left_out} entries were not stored"));
        }
        faults
    }

    /// What is in it. The error is a text for people.
    pub fn statistics(&self) -> Result<Statistics, String> {
        let sizes = async {
            self.service.knock().await?;
            let listed = tokio::time::timeout(CALL_LIMIT, self.service.sizes(&format!("{FORMAT}/"))).await;
            listed.unwrap_or_else(|_| Err(format!("no answer in {} s", CALL_LIMIT.as_secs())))
        };
        let sizes = self.runtime.as_ref().map_or_else(|| Ok(Vec::new()), |runtime| runtime.block_on(sizes));
        let sizes = sizes.map_err(|fault| format!("the shared cache {}: {fault}", self.shown()))?;
        Ok(Statistics { entries: sizes.len() as u64, bytes: sizes.iter().sum() })
    }
}

impl Drop for SharedCache {
    fn drop(&mut self) {
        // The looking up of a name may hang; nobody waits for it.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
