//! A build: what is not right any more is compiled, on all cores, and written; what is, is left alone.

use super::cached::Cache;
use super::digest::{Digest, Stamp, now};
use super::elsewhere::Wanted;
use super::finding::Finding;
use super::kinds::{Kind, Kinds};
use super::loader::{FileInput, Loaders};
use super::lock::{LockFile, guard};
use super::manifest::FILE_NAME;
use super::maps;
use super::names;
use super::order::{Order, OutputUse};
use super::parts;
use super::plan::{Job, Plan, enclosing, from, relative};
use super::program::{Fate, OutputFile, Product};
use super::record::{self, JobRecord, OutputRecord, Reason, Record, Recorder, Written};
use super::store::Store;
use super::write::{Change, empty_temporary, write_if_changed};
use crate::compile::{self, Target};
use crate::diagnostic::{Code, Message, Severity};
use crate::layout::lock::ProgramLock;
use crate::source_map::SourceMapUse;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What became of one program.
#[derive(Debug, Default)]
pub struct Report {
    /// What was found in it.
    pub messages: Vec<Message>,
    /// What became of it.
    pub fate: Fate,
    /// Per target: written, unchanged, failed.
    pub counts: BTreeMap<Target, [usize; 3]>,
    /// The files that it was read from.
    pub dependencies: Vec<String>,
    /// Its outputs.
    pub outputs: Vec<Written>,
    /// Why it was built; `None` if it was right.
    pub reason: Option<Reason>,
    /// How many variants it has.
    pub variants: usize,
    /// Functions that look like entry points but were not taken for any, as in a manifest: `VSMain:vertex`.
    pub passed_over: BTreeSet<String>,
    /// What would be written, if nothing is.
    pub differences: Vec<Difference>,
    /// It was not begun, because another one had failed.
    pub is_skipped: bool,
    is_broken: bool,
    records: Option<ProgramLock>,
    /// What the record has of it from now on; `None`: what it had.
    record: Option<ReadFrom>,
}

/// What a record has of a program that was compiled.
#[derive(Debug)]
struct ReadFrom {
    job: JobRecord,
    /// The files that it was read from, as names in sidecars.
    inputs: Vec<(String, FileInput)>,
    /// Where files were looked for in vain.
    misses: BTreeSet<String>,
}

/// An output that is not what would be written.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Its path below the output directory.
    pub name: String,
    /// What is there, if anything is.
    pub old: Option<Vec<u8>>,
    /// What would be there.
    pub new: Vec<u8>,
}

/// What became of a build.
#[derive(Debug, Default)]
pub struct Built {
    /// Of each program, in the order of the plan.
    pub reports: Vec<(Job, Report)>,
    /// Faults that are of no program.
    pub errors: Vec<Finding>,
    /// What is not wrong, but most likely not meant.
    pub warnings: Vec<Finding>,
    /// Outputs that are there, but are of no program any more, as paths below the output directory.
    pub stale: Vec<String>,
    /// The directory that globs of a manifest begin at.
    pub base: PathBuf,
}

impl Built {
    /// What was left out, for people: files without entry points, and functions that look like entry points, with what to add to a
    /// manifest so that they are. Nothing if nothing was.
    pub fn left_out(&self) -> Vec<String> {
        let mut texts = Vec::new();
        let libraries = self.reports.iter().filter(|(_, report)| report.fate == Fate::Library);
        for (job, _) in libraries.filter(|(_, report)| report.passed_over.is_empty()) {
            texts.push(format!("{} has no entry points", job.path().display()));
        }
        let mut lines = String::new();
        for (job, report) in self.reports.iter().filter(|(_, report)| !report.passed_over.is_empty()) {
            let functions: Vec<&str> = report.passed_over.iter().map(String::as_str).collect();
            let file = relative(&self.base, job.path());
            lines.push_str(&format!("\n[[shader]]\nfiles = [{file:?}]\nentries = {functions:?}\n"));
        }
        if !lines.is_empty() {
            let words = "these functions look like entry points and were not taken for any. If they are, add to";
            texts.push(format!("{words} {FILE_NAME}:\n{lines}"));
        }
        texts
    }

    /// What became of it, the worst of all programs.
    pub fn fate(&self) -> Fate {
        let of_errors = if self.errors.is_empty() { Fate::Done } else { Fate::Failed };
        self.reports.iter().map(|(_, report)| report.fate).filter(|fate| fate.is_error()).fold(of_errors, Fate::max)
    }
}

/// A job with what follows from it.
struct Item {
    job: Job,
    /// Its name in records.
    id: String,
    kind: Arc<Kind>,
}

/// What does not change while a build runs.
struct Driver<'a> {
    order: &'a Order<'a>,
    base: &'a Path,
    before: Record,
    lock: Option<&'a LockFile>,
    loaders: Loaders<'a>,
    temporary: Option<PathBuf>,
    /// A program has failed, and no other one is to be begun.
    stopped: AtomicBool,
    cache: Option<Cache<'a>>,
}

/// A program that was compiled, or need not be.
enum Ready {
    Right,
    Compiled(Reason, Box<Product>),
}

/// Runs a build. `done` is called after each program. On an error nothing was written.
pub fn build(order: &Order, plan: Plan, lock: Option<LockFile>, done: &(dyn Fn() + Sync)) -> Result<Built, Finding> {
    let Plan { jobs, base, warnings, manifest, roots, .. } = plan;
    let mut built = Built { warnings, ..Built::default() };
    let mut items = Vec::new();
    let mut kinds = Kinds::new(order, &base);
    for job in jobs {
        let kind = kinds.of(&job).map_err(|e| {
            let fault = Finding::error(Code::BAD_OPTION, e.message);
            manifest.iter().fold(fault, |fault, path| fault.in_file(path))
        })?;
        items.push(Item { id: id_of(&job, &base), kind, job });
    }
    let possible = leave_out_clashes(order, &mut items, &mut built.errors);
    let in_way = |e: std::io::Error| {
        Finding::error(Code::OUTPUT, format!("cannot write to {}: {e}", order.out.display())).in_file(order.out)
    };
    let temporary = order.records.then(|| record::temporary(order.out));
    let mut waits = None;
    if order.keeps_record() {
        record::prepare(order.out).map_err(in_way)?;
        // Another build into the directory is waited for.
        waits = guard(&order.out.join(record::DIRECTORY).join("lock"));
        temporary.as_deref().map_or(Ok(()), empty_temporary).map_err(in_way)?;
    }
    let record_path = record::path(order.out, &identity(order));
    let before = if order.records { Record::read(&record_path).unwrap_or_default() } else { Record::default() };
    let enclosing = enclosing(order.tree);
    let loaders = Loaders::new(order.tree, &base).root(&base).root(&enclosing).given(order.given);
    let loaders = roots.iter().fold(loaders, |loaders, root| loaders.root(root));
    let loaders = loaders.allow_anywhere(order.anywhere);
    let stopped = AtomicBool::new(false);
    let cache = order.cache.as_ref().map(|store| Cache::new(store, &base));
    let mut driver = Driver { order, base: &base, before, lock: lock.as_ref(), loaders, temporary, stopped, cache };
    let began = now();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(order.jobs.unwrap_or(0)).stack_size(compile::STACK_BYTES);
    let no_threads = |e| Finding::error(Code::INTERNAL, format!("there are no threads to compile on: {e}"));
    let pool = pool.build().map_err(no_threads)?;
    let mut reports = pool.install(|| {
        driver.before.check(&base);
        driver.run(&mut items, &possible, &mut built.errors, done)
    });
    let record = driver.finish(began, &items, &mut reports, &mut built).filter(|_| order.keeps_record());
    if let Some(record) = record
        && let Err(e) = record.write(&record_path)
    {
        let message = format!("cannot write {}: {e}", record_path.display());
        built.errors.push(Finding::error(Code::OUTPUT, message).in_file(&record_path));
    }
    built.reports = items.into_iter().map(|item| item.job).zip(reports).collect();
    built.base = base.clone();
    built.warnings.extend(order.cache.iter().filter_map(Store::finish));
    leave_out_parts(&mut built.reports);
    if let Some(lock) = lock.as_ref().filter(|_| order.records || order.outputs == OutputUse::Drop) {
        built.warnings.extend(lock.gone());
    }
    keep_lock(lock.filter(|lock| order.outputs == OutputUse::Write || lock.is_frozen()), began, &mut built);
    drop(waits);
    Ok(built)
}

/// The name of a job in records.
fn id_of(job: &Job, base: &Path) -> String {
    if job.is_program { format!("program {}", job.name) } else { job.id(base) }
}

/// What tells the records of one output directory apart. A part of a tree has one of its own: it says nothing of what other
/// parts have become.
fn identity(order: &Order) -> Digest {
    let tree = std::fs::canonicalize(order.tree).unwrap_or_else(|_| order.tree.to_path_buf());
    let targets = format!("{:?} {:?}", order.targets, order.template);
    let part = order.programs.join("\n");
    Digest::of_parts([tree.to_string_lossy().as_bytes(), targets.as_bytes(), part.as_bytes()])
}

/// Takes out programs that would write the same outputs, and gives those of which only their entry points tell.
fn leave_out_clashes(order: &Order, items: &mut Vec<Item>, errors: &mut Vec<Finding>) -> BTreeSet<String> {
    let users: Vec<names::User> = items
        .iter()
        .map(|item| names::User { job: &item.job, variants: &item.kind.names, targets: &item.kind.targets })
        .collect();
    let names::Clashes { certain, possible } = names::clashes(&users, &order.template);
    let mut out: BTreeSet<usize> = BTreeSet::new();
    let mut said: BTreeSet<Vec<usize>> = BTreeSet::new();
    for (name, users) in certain {
        out.extend(users.iter().copied());
        if said.insert(users.clone()) {
            errors.push(clash(order, &name, users.iter().filter_map(|at| items.get(*at)).map(|item| &item.job)));
        }
    }
    let possible = possible.difference(&out).filter_map(|at| items.get(*at)).map(|item| item.id.clone()).collect();
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        !out.contains(&(at - 1))
    });
    possible
}

/// That several programs, or variants of one, would write one output.
fn clash<'j>(order: &Order, name: &str, jobs: impl Iterator<Item = &'j Job>) -> Finding {
    let mut paths = jobs.map(Job::path).peekable();
    let first = paths.peek().copied().unwrap_or(Path::new(""));
    let mut files: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    let all = files.len();
    files.dedup();
    let who = match files.as_slice() {
        [one] if all > 1 => format!("variants of {one}"),
        _ => files.join(" and "),
    };
    let message = format!("{who} would write the same output `{}`", order.shown(name));
    Finding::error(Code::OUTPUT_CLASH, message).in_file(first)
}

impl Driver<'_> {
    /// Compiles and writes; the reports are in the order of the items whatever the threads do.
    fn run(
        &self,
        items: &mut Vec<Item>,
        possible: &BTreeSet<String>,
        errors: &mut Vec<Finding>,
        done: &(dyn Fn() + Sync),
    ) -> Vec<Report> {
        // Those whose entry points decide whether they clash come first, so that nothing is written before that is known.
        let held: Vec<(String, Ready)> =
            items.par_iter().filter(|i| possible.contains(&i.id)).map(|i| (i.id.clone(), self.ready(i))).collect();
        let clashing = self.clashing(items, &held, errors);
        items.retain(|item| !clashing.contains(&item.id));
        let held: BTreeMap<String, std::sync::Mutex<Option<Ready>>> =
            held.into_iter().map(|(id, ready)| (id, std::sync::Mutex::new(Some(ready)))).collect();
        let one = |item: &Item| {
            let ready = held.get(&item.id).and_then(|held| held.lock().unwrap_or_else(|e| e.into_inner()).take());
            let skipped = || Report { is_skipped: true, ..Report::default() };
            if self.is_stopped() {
                return skipped();
            }
            let ready = ready.unwrap_or_else(|| self.ready(item));
            // What a validator said that was interrupted, too, is not to be kept.
            if (self.order.interrupted)() {
                return skipped();
            }
            let report = self.report(item, ready);
            if self.order.fails_fast && report.fate.is_error() {
                self.stopped.store(true, Ordering::Relaxed);
            }
            done();
            report
        };
        items.par_iter().map(one).collect()
    }

    /// Whether no other program is to be begun.
    fn is_stopped(&self) -> bool {
        (self.order.interrupted)() || self.stopped.load(Ordering::Relaxed)
    }

    /// Compiles a program, unless it is right.
    fn ready(&self, item: &Item) -> Ready {
        let key = self.key(item, self.locked(&item.job).as_ref());
        match self.before.reason(&item.id, &key, self.order.out) {
            None => Ready::Right,
            Some(reason) => {
                let cached = self.cache.as_ref().and_then(|cache| cache.find(&key));
                let compile = || {
                    let product = self.made(item);
                    self.cache.iter().for_each(|cache| cache.add(&key, &product));
                    product
                };
                let mut product = cached.unwrap_or_else(compile);
                let maps = self.order.job_options(&item.job).source_map;
                if maps != SourceMapUse::None {
                    maps::place(&mut product, maps, &maps::way(self.order.out, self.base));
                }
                Ready::Compiled(reason, Box::new(product))
            }
        }
    }

    /// A program, made here or elsewhere.
    fn made(&self, item: &Item) -> Product {
        let (order, lock) = (self.order, self.lock);
        let Item { job, kind, .. } = item;
        let wanted = Wanted { order, job, variants: &kind.variants, base: self.base, lock, loaders: &self.loaders };
        order.elsewhere.map_or_else(|| wanted.here(), |elsewhere| elsewhere.product(&wanted))
    }

    /// The programs of which two have an output of one name, which is reported.
    fn clashing(&self, items: &[Item], held: &[(String, Ready)], errors: &mut Vec<Finding>) -> BTreeSet<String> {
        let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (id, ready) in held {
            let names: Vec<&str> = match ready {
                Ready::Right => {
                    let outputs = self.before.job(id).into_iter().flat_map(|job| &job.outputs);
                    outputs.map(|output| &*output.output.name).collect()
                }
                Ready::Compiled(_, product) => product.files.iter().map(|file| file.name.as_str()).collect(),
            };
            names.into_iter().for_each(|name| users.entry(name).or_default().push(id));
        }
        let mut clashing = BTreeSet::new();
        for (name, ids) in users.into_iter().filter(|(_, ids)| ids.len() > 1) {
            let jobs = items.iter().filter(|item| ids.contains(&item.id.as_str())).map(|item| &item.job);
            errors.push(clash(self.order, name, jobs));
            clashing.extend(ids.into_iter().map(str::to_owned));
        }
        clashing
    }

    /// What the lock has of a program.
    fn locked(&self, job: &Job) -> Option<ProgramLock> {
        let input = self.lock?.input(&job.files, !job.is_program);
        Some(input.lock.programs.get(&input.program).cloned().unwrap_or_default())
    }

    /// Everything that the outputs depend on besides the bytes of files.
    fn key(&self, item: &Item, locked: Option<&ProgramLock>) -> String {
        let files: Vec<String> = item.job.files.iter().map(|path| from(self.base, path)).collect();
        let locked = locked.map(|l| serde_json::to_string(&l.apis).unwrap_or_default()).unwrap_or_default();
        let parts = [&item.kind.key, &files.join("\n"), &locked];
        Digest::of_parts(parts.map(|part| part.as_bytes())).to_string()
    }

    fn report(&self, item: &Item, ready: Ready) -> Report {
        match ready {
            Ready::Right => self.right(item),
            Ready::Compiled(reason, product) => self.written(item, reason, *product),
        }
    }

    /// The report of a program that is as it was built before.
    fn right(&self, item: &Item) -> Report {
        let Some(job) = self.before.job(&item.id) else { return Report::default() };
        let mut report = Report {
            messages: job.messages.clone(),
            fate: job.fate,
            is_broken: job.is_broken,
            variants: job.variants,
            passed_over: job.passed_over.clone(),
            dependencies: self.before.inputs(job).map(|name| self.place(name)).collect(),
            ..Report::default()
        };
        for OutputRecord { output, .. } in &job.outputs {
            report.outputs.push(output.clone());
            if let Some(target) = output.target {
                report.counts.entry(target).or_default()[1] += 1;
            }
        }
        for (name, failed) in &job.failed {
            if let Some(target) = record::target_of(name) {
                report.counts.entry(target).or_default()[2] += failed;
            }
        }
        report
    }

    /// The path of what is named in sidecars.
    fn place(&self, name: &str) -> String {
        self.base.join(name).to_string_lossy().into_owned()
    }

    /// Writes the outputs of a program that was compiled.
    fn written(&self, item: &Item, reason: Reason, product: Product) -> Report {
        let (fate, messages) = (product.fate, product.messages);
        let mut report = Report { reason: Some(reason), fate, messages, ..Report::default() };
        let mut outputs = Vec::new();
        for file in &product.files {
            let path = self.order.out.join(&file.name);
            match self.order.outputs {
                OutputUse::Write => {}
                OutputUse::Compare => {
                    report.outputs.push(Written::of(file));
                    report.differences.extend(difference(&path, file));
                    continue;
                }
                OutputUse::Drop => {
                    report.outputs.push(Written::of(file));
                    continue;
                }
            }
            let at = match write_if_changed(&path, &file.bytes, self.temporary.as_deref()) {
                Ok(Change::New) => 0,
                Ok(Change::Unchanged) => 1,
                Err(e) => {
                    let text = format!("cannot write {}: {e}", path.display());
                    let color = self.order.color;
                    report.messages.push(Message::without_place(Severity::Error, Some(Code::OUTPUT), &text, color));
                    report.fate = report.fate.max(Fate::Failed);
                    2
                }
            };
            if let Some(target) = file.target {
                report.counts.entry(target).or_default()[at] += 1;
            }
            let output = Written::of(file);
            report.outputs.push(output.clone());
            if let Some(stamp) = Stamp::of(&path).filter(|_| at < 2) {
                outputs.push(OutputRecord { output, stamp, digest: Digest::of(&file.bytes) });
            }
        }
        let mut failed = BTreeMap::new();
        for (target, count) in &product.failed {
            report.counts.entry(*target).or_default()[2] += count;
            failed.insert(target.name().to_owned(), *count);
        }
        // What could not be written is tried again.
        let is_whole = outputs.len() == product.files.len();
        let locked = product.records.clone().or_else(|| self.locked(&item.job));
        let job = JobRecord {
            key: if is_whole { self.key(item, locked.as_ref()) } else { String::new() },
            outputs,
            messages: report.messages.iter().map(Message::without_colors).collect(),
            fate: report.fate,
            is_broken: product.is_broken,
            variants: product.variants,
            passed_over: product.passed_over.clone(),
            failed,
            ..JobRecord::default()
        };
        report.record = Some(ReadFrom { job, inputs: product.inputs, misses: product.misses });
        report.records = product.records.filter(|_| !report.fate.is_error());
        report.dependencies = product.dependencies;
        report.is_broken = product.is_broken;
        report.variants = product.variants;
        report.passed_over = product.passed_over;
        report
    }

    /// The record of this build; `None`: the one that is there says the same. Outputs that are of no program any more are found,
    /// and removed if that was asked for.
    fn finish(&mut self, began: u64, items: &[Item], reports: &mut [Report], built: &mut Built) -> Option<Record> {
        let is_same = reports.iter().all(|report| report.reason.is_none() && !report.is_skipped);
        let is_same = is_same && items.len() == self.before.len();
        let mut stale = if is_same { self.before.stale.clone() } else { self.stale(items, reports) };
        let out = self.order.out;
        stale.retain(|name| out.join(name).is_file());
        stale.sort();
        stale.dedup();
        built.stale.clone_from(&stale);
        if self.order.prunes && self.order.outputs == OutputUse::Write && !self.is_stopped() {
            stale.retain(|name| std::fs::remove_file(out.join(name)).is_err());
        }
        if is_same && !self.before.is_worn() && stale == self.before.stale {
            return None;
        }
        let mut recorder = Recorder::new(began);
        for (item, report) in items.iter().zip(reports) {
            match report.record.take() {
                Some(ReadFrom { job, inputs, misses }) => {
                    let inputs = inputs.iter().map(|(name, input)| (name.as_str(), input.stamp, input.digest));
                    recorder.add(&item.id, job, inputs, misses.iter().map(String::as_str));
                }
                None => recorder.keep(&item.id, &mut self.before),
            }
        }
        Some(recorder.finish(stale))
    }

    /// Outputs of the record that are of no program any more.
    fn stale(&self, items: &[Item], reports: &[Report]) -> Vec<String> {
        let mut current: BTreeSet<&str> = BTreeSet::new();
        for (item, report) in items.iter().zip(reports) {
            current.extend(report.outputs.iter().map(|output| &*output.name));
            if report.is_skipped {
                let outputs = self.before.job(&item.id).into_iter().flat_map(|job| &job.outputs);
                current.extend(outputs.map(|output| &*output.output.name));
            }
        }
        self.before.outputs().filter(|name| !current.contains(name)).map(str::to_owned).collect()
    }
}

/// What differs between an output and what is there.
fn difference(path: &Path, file: &OutputFile) -> Option<Difference> {
    let old = std::fs::read(path).ok();
    let is_same = old.as_ref() == Some(&file.bytes);
    (!is_same).then(|| Difference { name: file.name.clone(), old, new: file.bytes.clone() })
}

/// Takes broken sources that programs include for libraries.
fn leave_out_parts(reports: &mut [(Job, Report)]) {
    let known = reports.iter().map(|(job, report)| parts::Compiled {
        path: job.path(),
        is_broken: report.is_broken,
        dependencies: &report.dependencies,
    });
    let are_parts = parts::parts(&known.collect::<Vec<_>>());
    for ((_, report), is_part) in reports.iter_mut().zip(are_parts) {
        if is_part {
            *report = Report { fate: Fate::Library, reason: report.reason.take(), ..Report::default() };
        }
    }
}

/// Writes what programs record into the lock. It is no newer than the outputs, which dependency files say to depend on it.
fn keep_lock(lock: Option<LockFile>, began: u64, built: &mut Built) {
    let Some(mut lock) = lock else { return };
    for (job, report) in &mut built.reports {
        lock.update(&job.files, !job.is_program, report.records.take());
    }
    let path = lock.path().to_path_buf();
    built.errors.extend(lock.save().err());
    let is_newer = Stamp::of(&path).is_some_and(|stamp| stamp.modified > began);
    if is_newer && let Ok(file) = std::fs::File::options().append(true).open(&path) {
        // Where times cannot be set, a build system builds once more than is needed.
        let _ = file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_nanos(began));
    }
}
