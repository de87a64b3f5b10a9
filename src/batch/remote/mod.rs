//! Programs from a server of the Remote Execution API (v2): its action cache first, then its workers if that is asked for, and
//! else compiled here and stored there for others.
//!
//! | file | what |
//! |---|---|
//! | `action` | a program as an action: its command and the tree of exactly the files that it reads |
//! | `client` | calls of the server that end in time, with what they bring checked |
//!
//! Nothing that a server does leads to another output or to an error: what it does not have, does not do or has wrong is done
//! here, with a warning if that is a fault. After a call that had no answer it is not asked again.

mod action;
mod client;

use super::elsewhere::{Elsewhere, Told, Wanted};
use super::finding::Finding;
use super::packed::{pack, unpack};
use super::program::Product;
use super::validators;
use crate::diagnostic::Code;
use action::{Blob, RemoteAction, Tool, action};
use client::{Client, Fault};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// What a server is asked for, and how.
#[derive(Debug, Default)]
pub struct RemoteSettings {
    /// `grpc://HOST:PORT[/INSTANCE]`.
    pub address: String,
    /// What is not in its cache is made by its workers.
    pub executes: bool,
    /// Properties that workers have to have.
    pub properties: Vec<(String, String)>,
    /// How long a call may take.
    pub timeout: Duration,
    /// The options of the build, without places.
    pub words: Vec<super::farm::Word>,
    /// The manifest, if it is asked.
    pub manifest: Option<PathBuf>,
}

/// A server.
pub struct Remote {
    settings: RemoteSettings,
    client: OnceLock<Option<Client>>,
    tool: OnceLock<Option<Tool>>,
    /// It is not asked any more.
    gone: AtomicBool,
    /// It takes no more.
    full: AtomicBool,
    /// Its workers are not asked any more.
    idle: AtomicBool,
    found: AtomicU64,
    made: AtomicU64,
    asked: AtomicU64,
    warnings: Mutex<Vec<String>>,
}

/// How often an execution may take as long as another call.
const EXECUTION_FACTOR: u32 = 12;

impl Remote {
    /// A server by its address, which is not asked for anything yet. The error is a text for people.
    pub fn new(settings: RemoteSettings) -> Result<Remote, String> {
        client::parse_address(&settings.address)?;
        let (flag, count) = (|| AtomicBool::new(false), || AtomicU64::new(0));
        Ok(Remote {
            settings,
            client: OnceLock::new(),
            tool: OnceLock::new(),
            gone: flag(),
            full: flag(),
            idle: flag(),
            found: count(),
            made: count(),
            asked: count(),
            warnings: Mutex::default(),
        })
    }

    /// The server, unless it does not answer.
    fn client(&self) -> Option<&Client> {
        if self.gone.load(Ordering::Relaxed) {
            return None;
        }
        let connect = || match Client::new(&self.settings.address, self.settings.timeout) {
            Ok(client) => Some(client),
            Err(fault) => {
                self.fault(&fault);
                self.gone.store(true, Ordering::Relaxed);
                None
            }
        };
        self.client.get_or_init(connect).as_ref()
    }

    fn warn(&self, text: &str) {
        let address = &self.settings.address;
        self.warnings.lock().unwrap_or_else(|e| e.into_inner()).push(format!("{address}: {text}"));
    }

    /// Notes a fault, and what is not asked for after it. Each kind is told once, but for wrong entries.
    fn fault(&self, fault: &Fault) {
        let is_first = |flag: &AtomicBool| !flag.swap(true, Ordering::Relaxed);
        match fault {
            Fault::Missing => {}
            Fault::Gone(why) if is_first(&self.gone) => {
                self.warn(&format!("{why}; it is not asked again, and the rest is made here"));
            }
            Fault::Full(why) if is_first(&self.full) => self.warn(&format!("{why}; nothing more is stored there")),
            Fault::Idle(why) if is_first(&self.idle) => self.warn(&format!("{why}; no more is executed there")),
            Fault::Gone(_) | Fault::Full(_) | Fault::Idle(_) => {}
            Fault::Wrong(why) => self.warn(&format!("{why}; the program was made here")),
        }
    }

    /// Notes a fault of a call, if it was one.
    fn noted<T>(&self, result: Result<T, Fault>) -> Option<T> {
        result.inspect_err(|fault| self.fault(fault)).ok()
    }

    /// The program of a result of the server.
    fn fetched(&self, client: &Client, action: &RemoteAction, result: &client::ActionResult) -> Result<Vec<u8>, Fault> {
        let wrong = |what: &str| Fault::Wrong(format!("the result of {} {what}", action.program));
        if result.exit_code != 0 {
            return Err(wrong("is that of a failure"));
        }
        let file = result.output_files.iter().find(|file| file.path == action::OUTPUT);
        let digest = file.and_then(|file| file.digest.as_ref()).ok_or_else(|| wrong("has no product"))?;
        client.read(digest)
    }

    /// The program, if the server has it or makes it.
    fn ask(&self, client: &Client, action: &RemoteAction, wanted: &Wanted, checked: Product) -> Option<Product> {
        let cached = match client.action_result(&action.digest) {
            Ok(result) => Some(result),
            Err(Fault::Missing) => None,
            Err(fault) => {
                self.fault(&fault);
                return None;
            }
        };
        let (result, counter) = match cached {
            Some(result) => (result, &self.found),
            None => (self.executed(client, action)?, &self.made),
        };
        let bytes = self.noted(self.fetched(client, action, &result))?;
        let product = unpack(&bytes, wanted, checked);
        match &product {
            Some(_) => drop(counter.fetch_add(1, Ordering::Relaxed)),
            None => self.fault(&Fault::Wrong(format!("the result of {} is not what was asked for", action.program))),
        }
        product
    }

    /// What workers make of an action.
    fn executed(&self, client: &Client, action: &RemoteAction) -> Option<client::ActionResult> {
        if !self.settings.executes || self.idle.load(Ordering::Relaxed) {
            return None;
        }
        if !client.can_execute() {
            self.fault(&Fault::Idle("the server executes nothing".to_owned()));
            return None;
        }
        let limit = self.settings.timeout * EXECUTION_FACTOR;
        self.noted(client.upload(&action.blobs))?;
        match client.execute(&action.digest, limit) {
            // What was there a moment ago was removed.
            Err(Fault::Missing) => {
                self.noted(client.upload(&action.blobs))?;
                self.noted(client.execute(&action.digest, limit))
            }
            result => self.noted(result),
        }
    }

    /// Stores a program that was made here.
    fn keep(&self, client: &Client, action: &RemoteAction, wanted: &Wanted, product: &Product) {
        // A result of workers says that texts were validated, and not by whom.
        let is_judged =
            wanted.order.validators.is_empty() || !self.settings.executes || validators::missing().is_empty();
        let is_full = self.full.load(Ordering::Relaxed);
        if product.fate.is_error() || is_full || !is_judged || !client.can_update() {
            return;
        }
        let packed = Blob::of(pack(product, wanted));
        let result = client::ActionResult {
            output_files: vec![client::OutputFile {
                path: action::OUTPUT.to_owned(),
                digest: Some(packed.api_digest()),
                ..client::OutputFile::default()
            }],
            ..client::ActionResult::default()
        };
        let mut blobs = action.described();
        blobs.push(packed);
        let stored = client.upload(&blobs).and_then(|()| client.update(&action.digest, result));
        if let Err(fault) = stored {
            // That a server refuses to store something is no reason not to ask it.
            self.fault(&match fault {
                Fault::Missing | Fault::Idle(_) => Fault::Full("a result was refused".to_owned()),
                fault => fault,
            });
        }
    }

    /// This program, which is an input of actions.
    fn tool(&self) -> Option<&Tool> {
        self.tool.get_or_init(Tool::this).as_ref()
    }
}

impl Elsewhere for Remote {
    fn product(&self, wanted: &Wanted) -> Product {
        let Some(client) = self.client() else { return wanted.here() };
        let checked = wanted.checked();
        if checked.fate.is_error() {
            return wanted.here();
        }
        let action = self.tool().and_then(|tool| action(wanted, &checked, &self.settings, tool));
        let Some(action) = action else { return wanted.here() };
        self.asked.fetch_add(1, Ordering::Relaxed);
        if let Some(product) = self.ask(client, &action, wanted, checked) {
            return product;
        }
        let product = wanted.here();
        if self.client().is_some() {
            self.keep(client, &action, wanted, &product);
        }
        product
    }

    fn told(&self) -> Told {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (found, made, asked) = (get(&self.found), get(&self.made), get(&self.asked));
        let made = if self.settings.executes { format!(", {made} made by its workers") } else { String::new() };
        let mut warnings = self.warnings.lock().unwrap_or_else(|e| e.into_inner()).clone();
        warnings.sort();
        let warnings = warnings.into_iter().map(|text| Finding::warning(Code::REMOTE, text)).collect();
        let summary = format!("remote: {found} of {asked} programs found{made}\n");
        Told { summary, warnings }
    }
}
