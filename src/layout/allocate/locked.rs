//! What a lock records stays where it was, and what is new comes after it: between phases 3 and 4.

use super::*;
use crate::layout::lock::{Owner, Record, RecordedRange, Records, Subject, View, keys, shared_tail, tail};
use crate::layout::rules::{Rules, round_up};

/// A lock, and what of the program its records are for.
pub(super) struct Locked<'a> {
    view: View<'a>,
    /// The key of everything that is placed.
    keys: BTreeMap<Owner, String>,
    /// What that is.
    subjects: BTreeMap<Owner, Subject>,
    /// Those that only their first members tell from others.
    alike: BTreeMap<Owner, usize>,
    /// Names of the entry points, of which parameters may be gone.
    entries: Vec<&'static str>,
    /// One past the last that is recorded, by unit and space.
    floors: BTreeMap<(Unit, u64), u64>,
}

impl<'a> Locked<'a> {
    pub(super) fn new(program: &Program, settings: &Settings, view: View<'a>) -> Self {
        let subjects = subjects(program, settings, &view);
        let keys = keys(view.records, &subjects);
        let entries = program.entry_points.iter().map(|e| e.name.as_str()).collect();
        let mut same: BTreeMap<(&str, &str, String), Vec<&Subject>> = BTreeMap::new();
        for s in &subjects {
            same.entry((&s.name, &s.namespace, tail(&s.file, 1))).or_default().push(s);
        }
        let mut alike = BTreeMap::new();
        for list in same.into_values().filter(|list| list.len() > 1) {
            let recorded = |s: &Subject| Some(view.records.get(keys.get(&s.owner)?)?.file.as_str());
            for s in &list {
                let others = list.iter().filter(|o| o.file != s.file);
                // A name that is on record distinguishes it if no other one has that.
                let known = recorded(s).is_some_and(|file| others.clone().all(|o| recorded(o) != Some(file)));
                let needed = others.map(|o| shared_tail(&o.file, &s.file) + 1).max();
                alike.insert(s.owner, needed.filter(|_| !known).unwrap_or(1));
            }
        }
        let subjects = subjects.into_iter().map(|s| (s.owner, s)).collect();
        Locked { view, keys, subjects, alike, entries, floors: floors(view.records) }
    }

    fn record(&self, owner: Owner) -> Option<(&str, &'a Record)> {
        let key = self.keys.get(&owner)?;
        Some((key, self.view.records.get(key)?))
    }

    /// The recorded position of an owner in one of the units that it takes. Where all slots are bindings, its first slots may
    /// have been recorded in another unit.
    pub(super) fn position(&self, owner: Owner, unit: Unit, takes: &Counts) -> Option<RecordedRange> {
        let (_, record) = self.record(owner)?;
        let exact = record.position(unit);
        if exact.is_some() || self.view.api == Api::D3d || !Unit::SLOTS.contains(&unit) {
            return exact;
        }
        let mut slots = record.positions().filter(|(u, _)| Unit::SLOTS.contains(u));
        let (other, sole) = slots.next().filter(|_| slots.next().is_none())?;
        let first = Unit::SLOTS.into_iter().find(|u| takes.get(*u) > 0);
        (takes.get(other) == 0 && first == Some(unit)).then_some(sole)
    }

    /// Whether an owner is recorded with a binding behind all others; `None` if it is not recorded.
    pub(super) fn puts_last(&self, owner: Owner) -> Option<bool> {
        let (_, record) = self.record(owner)?;
        Some(record.position(Unit::LateDescriptor).is_some())
    }

    /// Whether what a key stands for would be part of this program if it were not gone.
    fn is_in_view(&self, key: &str) -> bool {
        key.split_once('.').is_none_or(|(entry, _)| self.entries.contains(&entry))
    }

    /// Writes into a record what distinguishes its parameter from others.
    fn describe(&self, owner: Owner, record: &mut Record) {
        let Some(subject) = self.subjects.get(&owner) else { return };
        let parts = self.alike.get(&owner).copied();
        let several = parts.is_some() || !record.first.is_empty();
        // What is recorded and true stays as it is: it may have kept this one apart from others that are gone for now.
        let recorded = record.file.split('/').count();
        if shared_tail(&record.file, &subject.file) < recorded || recorded < parts.unwrap_or(1) {
            record.file = tail(&subject.file, parts.unwrap_or(1));
        }
        record.namespace = subject.namespace.clone();
        record.first = if several { subject.first.clone() } else { String::new() };
    }

    /// What is recorded from now on.
    pub(super) fn records(&self, program: &Program, layout: &ProgramLayout) -> Records {
        let mut records = self.view.records.clone();
        for (id, parameter) in layout.leaves.parameters() {
            let owner = parameter.owner;
            if let Some((place, of)) = layout.position(id) {
                for (unit, count) in of.counts.units() {
                    let at = RecordedRange::new(unit, (place.offset.get(unit), count), place.space.get(unit));
                    self.put(&mut records, owner, unit, at, &of.counts);
                }
                let record = self.keys.get(&owner).and_then(|key| records.get_mut(key));
                let under = parts::under(program, &layout.settings, place, of);
                record.into_iter().for_each(|record| record.under.clone_from(&under));
            }
            if let Some((unit, index, space)) = layout.scope_buffer(owner).map(ScopeBuffer::position) {
                let at = RecordedRange::new(unit, (index, 1), space);
                self.put(&mut records, owner, unit, at, &Counts::one(unit, 1));
            }
        }
        for (id, counter) in &layout.counters {
            let at = RecordedRange::new(counter.unit, (counter.index, counter.count), counter.space);
            self.put(&mut records, Owner::Counter(*id), counter.unit, at, &Counts::one(counter.unit, counter.count));
        }
        // The register of an array without bound is no part of what it takes.
        for p in layout.trace.iter().filter(|p| p.how == How::Explicit && p.end == UNBOUNDED) {
            let at = RecordedRange::new(p.unit, (p.start, UNBOUNDED), p.space);
            self.put(&mut records, p.owner, p.unit, at, &Counts::one(p.unit, UNBOUNDED));
        }
        records
    }

    /// Records where an owner, which takes so much, is in a unit.
    fn put(&self, records: &mut Records, owner: Owner, unit: Unit, at: RecordedRange, takes: &Counts) {
        let Some(key) = self.keys.get(&owner) else { return };
        let record = records.entry(key.clone()).or_default();
        self.describe(owner, record);
        // Where all slots are bindings, it may have been counted in another unit before.
        let bindings = self.view.api != Api::D3d && Unit::SLOTS.contains(&unit);
        let others = Unit::SLOTS.into_iter().filter(|other| bindings && *other != unit && takes.get(*other) == 0);
        let mut count = at.count;
        for before in others.chain([unit]) {
            let same = |old: &RecordedRange| old.index == at.index && (before == unit || old.space == at.space);
            if let Some(old) = record.position(before).filter(same) {
                count = old.count.zip(count).map(|(a, b)| a.max(b));
                record.at.remove(before.word());
            }
        }
        record.at.insert(unit.word().to_owned(), RecordedRange { count, ..at });
    }

    /// Under `--locked`, reports what a lock would have to record.
    pub(super) fn report_changes(&self, records: &Records, diags: &mut Diagnostics) {
        let owners: BTreeMap<&String, Owner> = self.keys.iter().map(|(owner, key)| (key, *owner)).collect();
        let changed = records.iter().filter(|(key, record)| self.view.records.get(*key) != Some(*record));
        for (key, _) in changed.filter(|_| self.view.frozen) {
            let recorded = self.view.records.contains_key(key).then(|| self.view.place(key)).flatten();
            let span = owners.get(key).and_then(|owner| self.subjects.get(owner)).map_or(Span::default(), |s| s.span);
            let message = match recorded {
                Some(_) => format!("what is recorded of `{key}` would change, and the lock may not"),
                None => format!("`{key}` is not recorded, and the lock may not change"),
            };
            diags.push(recorded_at(span, recorded, message).note("compile without `--locked` to have it recorded"));
        }
    }
}

/// All that may have a record, in global order.
fn subjects(program: &Program, settings: &Settings, view: &View) -> Vec<Subject> {
    let mut subjects = vec![Subject::implicit("$Globals".to_owned(), Owner::Globals)];
    for scope in order(program, &settings.policy) {
        if let Scope::Global(id) = scope {
            let global = &program.globals[id];
            let contents = program.types.get(global.ty).element().filter(|_| global.transparent);
            let fields = contents.map_or(&[][..], |ty| program.fields(ty));
            subjects.push(Subject {
                file: view.file_name(global.file),
                namespace: global.namespace.path.map_or(String::new(), |p| p.to_string()),
                first: fields.first().map_or(String::new(), |f| f.name.to_string()),
                span: global.span,
                ..Subject::implicit(global.name.to_string(), Owner::Global(id))
            });
        }
    }
    let counted = program.parameters.iter().filter(|id| program.globals[**id].counted);
    subjects.extend(counted.map(|id| {
        let name = format!("{}$Counter", program.globals[*id].name);
        Subject::implicit(name, Owner::Counter(*id))
    }));
    for (name, id) in heaps::recorded(program, settings) {
        subjects.push(Subject::implicit(name, Owner::Global(id)));
    }
    for (index, entry) in program.entry_points.iter().enumerate() {
        subjects.push(Subject::implicit(format!("{}.$Params", entry.name), Owner::EntryBuffer(index)));
        let function = &program.functions[entry.function];
        for (at, param) in function.params.iter().enumerate() {
            let local = &function.code.locals[param.local];
            if is_uniform(program, param, local.ty) {
                let file = view.file_name(view.sources.use_site(local.span).file);
                let name = format!("{}.{}", entry.name, local.name);
                let subject = Subject::implicit(name, Owner::Param(index, at));
                subjects.push(Subject { file, span: local.span, ..subject });
            }
        }
    }
    subjects
}

/// One past the last recorded number, by unit and space. What has no bound ends nowhere.
fn floors(records: &Records) -> BTreeMap<(Unit, u64), u64> {
    let mut floors: BTreeMap<(Unit, u64), u64> = BTreeMap::new();
    let mut raise = |unit, space, end: u64| {
        let floor = floors.entry((unit, space)).or_default();
        *floor = end.max(*floor);
    };
    for (unit, at) in records.values().flat_map(Record::positions).filter(|(u, _)| *u != Unit::Bytes) {
        let space = at.space.unwrap_or(0);
        if at.count.is_some() {
            raise(unit, space, at.end());
        }
        if Unit::SLOTS.contains(&unit) {
            raise(Unit::Space, 0, space.saturating_add(1));
        }
    }
    floors
}

impl<'a> Allocator<'a> {
    /// One past the last number that a lock records.
    pub(super) fn floor(&self, unit: Unit, space: u64) -> u64 {
        self.lock.as_ref().and_then(|l| l.floors.get(&(unit, space)).copied()).unwrap_or(0)
    }

    /// How what asks for no position comes to its place.
    pub(super) fn how_implicit(&self) -> How {
        let records = self.lock.as_ref().is_some_and(|l| !l.view.records.is_empty());
        if records { How::AfterRecorded } else { How::FirstFit }
    }

    /// The recorded position of an owner.
    pub(super) fn recorded_position(&self, owner: Owner, unit: Unit) -> Option<RecordedRange> {
        self.lock.as_ref()?.position(owner, unit, &Counts::one(unit, 1))
    }

    /// Whether an entry point's uniform parameters are on record, each by itself.
    pub(super) fn is_entry_recorded(&self, entry: usize, params: &[(usize, Pending)]) -> bool {
        let Some(lock) = &self.lock else { return false };
        let owners = params.iter().map(|(_, p)| p.id).chain([Owner::EntryBuffer(entry)]);
        owners.into_iter().any(|owner| lock.record(owner).is_some())
    }

    /// Keeps the recorded bytes of a scope's buffer from being given away.
    pub(super) fn reserve_bytes(&self, buffer: &mut StructBuilder, scope: Owner) {
        let Some(lock) = &self.lock else { return };
        let prefix = match scope {
            Owner::EntryBuffer(i) => lock.entries.get(i).map_or(String::new(), |name| format!("{name}.")),
            _ => String::new(),
        };
        for (key, record) in lock.view.records {
            let here = key.strip_prefix(&prefix).is_some_and(|rest| !rest.contains('.'));
            if let (true, Some(at)) = (here, record.position(Unit::Bytes)) {
                buffer.reserve(u32::try_from(at.index).ok(), at.count.unwrap_or(0));
            }
        }
    }

    /// A scope's buffer ends with what is in it, not with what only a lock knows.
    pub(super) fn trim(&self, buffer: TypeLayout, rules: &Rules) -> TypeLayout {
        let mut buffer = buffer;
        if self.lock.is_some() {
            let ends = buffer.fields().iter().filter(|f| f.layout.size() > 0);
            let end = ends.map(|f| f.offset.get(Unit::Bytes).saturating_add(f.layout.size())).max().unwrap_or(0);
            let align = if rules.round_struct_size { u64::from(buffer.align) } else { 1 };
            buffer.counts.set(Unit::Bytes, round_up(end, align));
        }
        buffer
    }

    /// Whether members of a scope's buffer lie elsewhere than their order alone would put them.
    pub(super) fn keeps_bytes(&self, buffer: &TypeLayout, rules: &Rules) -> bool {
        if self.lock.is_none() {
            return false;
        }
        let mut natural = StructBuilder::new(rules);
        buffer.fields().iter().any(|field| {
            let at = natural.append(field.layout.clone(), None);
            field.layout.size() > 0 && at.get(Unit::Bytes) != field.offset.get(Unit::Bytes)
        })
    }

    /// Gives everything that is on record its place, and keeps the places of what is gone.
    pub(super) fn keep_recorded(
        &mut self,
        globals: &mut [(GlobalId, Pending)],
        entries: &mut [EntryScope],
        has_globals: bool,
    ) {
        if self.lock.as_ref().is_none_or(|l| l.view.records.is_empty()) {
            return;
        }
        let Some(lock) = self.lock.take() else { return };
        let mut kept: BTreeSet<(Owner, Unit)> = BTreeSet::new();
        for (_, pending) in globals.iter_mut() {
            self.keep(&lock, pending, &mut kept);
        }
        for (_, pending) in entries.iter_mut().flat_map(|(params, _)| params) {
            self.keep(&lock, pending, &mut kept);
        }
        if has_globals {
            self.keep_buffer(&lock, Owner::Globals, &mut kept);
        }
        self.keep_bytes(&lock, globals.iter().map(|(_, p)| p).collect(), self.settings.rules.constant);
        let rules = self.settings.entry_rules();
        for (index, (params, buffer)) in entries.iter().enumerate() {
            if buffer.is_some() {
                self.keep_buffer(&lock, Owner::EntryBuffer(index), &mut kept);
            }
            self.keep_bytes(&lock, params.iter().map(|(_, p)| p).collect(), rules);
        }
        self.keep_rest(&lock, &kept);
        let blocks = self.trace.iter().filter(|p| p.unit == Unit::Space);
        let blocks: BTreeSet<u64> =
            blocks.flat_map(|p| p.start..p.end.min(p.start.saturating_add(LAST_SPACES))).collect();
        self.home = (0..).find(|space| !blocks.contains(space)).unwrap_or(0);
        self.lock = Some(lock);
    }

    /// Gives a parameter its recorded places.
    fn keep(&mut self, lock: &Locked, pending: &mut Pending, kept: &mut BTreeSet<(Owner, Unit)>) {
        let Some((_, record)) = lock.record(pending.id) else { return };
        if self.report_parts(lock, pending, record) || self.report_space(lock, pending, record) {
            return;
        }
        let further = self.recorded_further(record, pending);
        let takes = pending.layout.counts;
        let in_space = pending.layout.counts.get(Unit::Space) > 0;
        let units = Unit::ALL.into_iter().filter(|u| *u != Unit::Bytes);
        for unit in units.collect::<Vec<_>>() {
            let count = pending.layout.counts.get(unit);
            // The register of an array without bound is no part of what it takes.
            let register = in_space && count == 0 && record.position(unit).is_some_and(|at| at.count.is_none());
            if count == 0 && !register {
                continue;
            }
            let at = if unit == Unit::FurtherDescriptor { further } else { lock.position(pending.id, unit, &takes) };
            let Some(at) = at.or_else(|| self.once_unbounded(pending, record, unit)) else { continue };
            kept.insert((pending.id, unit));
            let space = at.space.unwrap_or(0);
            if pending.fixed.contains(&unit) {
                let now = (pending.place.offset.get(unit), pending.place.space.get(unit));
                let same = now.0 == at.index && (now.1 == space || !Unit::SLOTS.contains(&unit));
                if !same {
                    self.report_asked(lock, pending, unit, now, at);
                }
                continue;
            }
            let count = if register { UNBOUNDED } else { count };
            if Unit::SLOTS.contains(&unit) {
                self.keep_range(lock, pending, self.range(pending, unit, space, (at.index, count), How::Recorded));
                pending.place.offset.set(unit, at.index);
                pending.place.space.set(unit, space);
                pending.fixed.push(unit);
                if register && pending.layout.unbounded_classes().len() > 1 {
                    pending.class_spaces.push((unit, space));
                    self.join_class_spaces(pending);
                }
            } else if unit == Unit::Space {
                self.keep_free(lock, pending, unit, at.index, count);
                self.keep_spaces(pending, at.index, How::Recorded);
            } else {
                self.keep_free(lock, pending, unit, at.index, count);
                self.fix_number(pending, unit, (at.index, count.min(LAST_SPACES)), How::Recorded);
            }
        }
    }

    /// Where an array of resources was in a space of its own while it had no bound on D3D.
    fn once_unbounded(&self, pending: &Pending, record: &Record, unit: Unit) -> Option<RecordedRange> {
        let Detail::Array { count: Some(_), .. } = pending.layout.detail else { return None };
        let spaces = record.position(Unit::Space).filter(|_| self.settings.api == Api::D3d)?;
        let classes = Unit::SLOTS.into_iter().filter(|u| pending.layout.counts.get(*u) > 0);
        let (_, space) = classes.zip(spaces.index..spaces.end()).find(|(class, _)| *class == unit)?;
        Some(RecordedRange { index: 0, count: None, space: Some(space) })
    }

    /// Reports what takes a space of its own now and had registers among others, an array that has lost its bound or a block
    /// under other options; and an array of structs that has got a bound, whose fields then lie behind one another.
    fn report_space(&mut self, lock: &Locked, pending: &Pending, record: &Record) -> bool {
        let had_spaces = record.position(Unit::Space);
        let structs = matches!(pending.layout.innermost().detail, Detail::Struct(_));
        if let (Some(spaces), Detail::Array { count: Some(_), .. }, true) =
            (had_spaces, &pending.layout.detail, structs)
        {
            let message = format!(
                "`{}` cannot stay in space {}: with a bound its parts lie behind one another in one space",
                pending.name, spaces.index
            );
            self.report(lock, pending, message, None);
            return true;
        }
        // A struct's parts come and go one by one.
        let whole = matches!(pending.layout.detail, Detail::Block { .. } | Detail::Array { count: None, .. });
        let takes = &pending.layout.counts;
        let lost = |unit: &Unit| unit.class().is_some() && takes.get(*unit) == 0;
        let mut had = Unit::SLOTS.into_iter().filter(lost).filter_map(|unit| Some((unit, record.position(unit)?)));
        let Some((unit, at)) = had.next().filter(|_| whole && had_spaces.is_none() && takes.get(Unit::Space) > 0)
        else {
            return false;
        };
        let first = pending.place.offset.get(Unit::Space);
        let space = pending.place.class_spaces(&pending.layout).first().map_or(first, |(_, space)| *space);
        let asked = pending.fixed.contains(&Unit::Space).then(|| (pending.place.offset.get(unit), space));
        match asked {
            Some(now) if now == (at.index, at.space.unwrap_or(0)) => return false,
            Some(now) => self.report_asked(lock, pending, unit, now, at),
            None => {
                let slots = (at.index, at.count.unwrap_or(UNBOUNDED));
                let recorded = self.range(pending, unit, at.space.unwrap_or(0), slots, How::Recorded);
                let place = range_text(&Placement { numbers: unit, ..recorded });
                let message = format!("`{}` cannot stay at {place}: it takes a space of its own now", pending.name);
                self.report(lock, pending, message, None);
            }
        }
        true
    }

    /// The bindings besides the first, which are, or were, apart from it.
    fn recorded_further(&self, record: &Record, pending: &mut Pending) -> Option<RecordedRange> {
        if !self.settings.api.is_webgpu() {
            return None;
        }
        let first = record.position(Unit::Descriptor)?;
        let further = record.position(Unit::FurtherDescriptor);
        if further.is_some() && pending.layout.counts.get(Unit::FurtherDescriptor) == 0 {
            pending.layout.part_bindings();
        }
        // Recorded together.
        let rest = first.count.filter(|n| *n > 1).map(|n| n - 1);
        further.or(rest.map(|n| RecordedRange { count: Some(n), index: first.index.saturating_add(1), ..first }))
    }

    fn keep_buffer(&mut self, lock: &Locked, owner: Owner, kept: &mut BTreeSet<(Owner, Unit)>) {
        let unit = self.buffer_unit();
        let name: Symbol = if owner == Owner::Globals { "$Globals" } else { "entry point uniforms" }.into();
        for apart in [Unit::PushConstant, Unit::ShaderRecord] {
            let Some(at) = lock.position(owner, apart, &Counts::NONE) else { continue };
            kept.insert((owner, apart));
            self.numbers.entry(apart).or_default().insert(at.index);
            let range = self.range_of((name, owner), apart, 0, (at.index, 0), How::Recorded);
            self.trace.push(Placement { end: at.end(), ..range });
        }
        let Some(at) = lock.position(owner, unit, &Counts::one(unit, 1)) else { return };
        kept.insert((owner, unit));
        let space = at.space.unwrap_or(0);
        let none = Explicit::default();
        let layout = StructBuilder::new(self.settings.rules.constant).finish(TypeId::VOID);
        let pending = pending((name, owner), Span::default(), &none, layout, Position::default());
        if let Some((index, set)) = self.settings.globals_binding.filter(|_| owner == Owner::Globals) {
            let now = (u64::from(index), u64::from(set));
            if now != (at.index, space) {
                self.report_asked(lock, &pending, unit, now, at);
            }
            return;
        }
        self.keep_range(lock, &pending, self.range(&pending, unit, space, (at.index, 1), How::Recorded));
    }

    /// Takes a recorded range, which nobody else may have.
    fn keep_range(&mut self, lock: &Locked, pending: &Pending, range: Placement) {
        let taken = self.taken.get(&(range.space, range.numbers));
        let other = taken.and_then(|taken| taken.meeting(&range).next().copied());
        if let Some(other) = other {
            let message = format!(
                "`{}` cannot stay at {}: `{}` takes {}",
                pending.name,
                range_text(&range),
                other.name,
                range_text(&other)
            );
            self.report(lock, pending, message, Some((other.span, format!("`{}` is here", other.name))));
        }
        self.take(range);
        self.spaces.insert(range.space);
    }

    /// Reports spaces or numbers that somebody else has.
    fn keep_free(&mut self, lock: &Locked, pending: &Pending, unit: Unit, start: u64, count: u64) {
        let end = start.saturating_add(count);
        let other = self.trace.iter().copied().find(|p| p.unit == unit && p.start < end && start < p.end);
        let Some(other) = other.filter(|p| p.owner != pending.id) else { return };
        let words = if unit == Unit::Space { "space" } else { "number" };
        let message = format!(
            "`{}` cannot stay at {words} {start}, of which it takes {count}: `{}` has {words} {}",
            pending.name, other.name, other.start
        );
        self.report(lock, pending, message, Some((other.span, format!("`{}` is here", other.name))));
    }

    /// Recorded data must still be able to begin where it did, and must not have grown into something else.
    fn keep_bytes(&mut self, lock: &Locked, scope: Vec<&Pending>, rules: &Rules) {
        let start = |p: &Pending| p.place.offset.get(Unit::Bytes);
        let mut data: Vec<&Pending> = scope.into_iter().filter(|p| p.layout.size() > 0).collect();
        data.sort_by_key(|p| start(p));
        let mut before: Option<&Pending> = None;
        for pending in data {
            let (at, size) = (start(pending), pending.layout.size());
            let asked = offset_of_global(&self.settings, pending.explicit).map(|(byte, _)| u64::from(byte));
            if let (Some(asked), Some(recorded)) = (asked, lock.position(pending.id, Unit::Bytes, &Counts::NONE))
                && asked != recorded.index
            {
                self.report_asked(lock, pending, Unit::Bytes, (asked, 0), recorded);
            }
            let aligned = at.is_multiple_of(u64::from(pending.layout.align.max(1)));
            if !aligned || rules.crossed_row(at, size).is_some() {
                let message = format!("`{}` cannot stay at byte {at} with its new type or layout", pending.name);
                self.report(lock, pending, message, None);
            }
            if let Some(b) = before.filter(|b| start(b).saturating_add(b.layout.size()) > at) {
                let end = start(b).saturating_add(b.layout.size());
                let message = format!(
                    "`{}` cannot stay at byte {}: it reaches to byte {end}, and `{}` is at byte {at}",
                    b.name,
                    start(b),
                    pending.name
                );
                self.report(lock, b, message, Some((pending.span, format!("`{}` is here", pending.name))));
            }
            before = Some(pending);
        }
    }

    /// Keeps the recorded places that nothing has now, and reports what is gone.
    fn keep_rest(&mut self, lock: &Locked, kept: &BTreeSet<(Owner, Unit)>) {
        let owners: BTreeMap<&String, Owner> = lock.keys.iter().map(|(owner, key)| (key, *owner)).collect();
        for (key, record) in lock.view.records {
            let owner = owners.get(key).copied();
            for (unit, at) in record.positions() {
                if unit == Unit::Bytes || owner.is_some_and(|o| kept.contains(&(o, unit))) {
                    continue;
                }
                let (nobody, space) = ((Symbol::new(key), Owner::Nobody), at.space.unwrap_or(0));
                let range = self.range_of(nobody, unit, space, (at.index, 0), How::Kept);
                self.keep_place(Placement { end: at.end(), ..range });
            }
            if owner.is_none() && lock.is_in_view(key) {
                let name = key.split_once('#').map_or(key.as_str(), |(name, _)| name);
                let message = format!("`{name}` is recorded, but the program no longer has it");
                let note = "its position stays reserved until it is removed from the lock";
                let mut diagnostic = Diagnostic::warning(Code::LOCKED, Span::default(), message).note(note);
                diagnostic.span = lock.view.place(key);
                self.diags.push(diagnostic);
            }
        }
    }

    fn keep_place(&mut self, range: Placement) {
        let Placement { unit, space, .. } = range;
        let numbers = range.start..range.end.min(range.start.saturating_add(LAST_SPACES));
        if Unit::SLOTS.contains(&unit) {
            let taken = self.taken.get(&(space, range.numbers));
            // What the source gave to another parameter explicitly is no longer kept.
            if taken.is_none_or(|taken| taken.numbers().met(range.start, range.end).is_none()) {
                self.take(range);
                self.spaces.insert(space);
            }
            return;
        }
        match unit {
            Unit::Space => self.spaces.add(numbers.start, numbers.end),
            _ => self.numbers.entry(unit).or_default().add(numbers.start, numbers.end),
        }
        self.trace.push(range);
    }

    /// The source or an option asks for another place than the recorded one.
    fn report_asked(&mut self, lock: &Locked, pending: &Pending, unit: Unit, now: (u64, u64), at: RecordedRange) {
        let text = |(start, space): (u64, u64)| match unit {
            Unit::Space => format!("space {start}"),
            Unit::Bytes => format!("byte {start}"),
            _ if Unit::SLOTS.contains(&unit) => {
                range_text(&self.range(pending, unit, space, (start, 1), How::Explicit))
            }
            _ => format!("number {start}"),
        };
        let recorded = text((at.index, at.space.unwrap_or(0)));
        let message = format!("`{}` is recorded at {recorded}, and {} is asked for it", pending.name, text(now));
        let explicit = pending.explicit;
        let place = explicit.registers.first().map(|r| r.span).or(explicit.vk_binding.map(|(.., span)| span));
        let other = place.map(|span| (span, "asked for here".to_owned()));
        self.report(lock, pending, message, other);
    }

    pub(super) fn report(&mut self, lock: &Locked, pending: &Pending, message: String, other: Option<(Span, String)>) {
        let key = lock.keys.get(&pending.id).map_or("", String::as_str);
        let recorded = lock.view.place(key);
        let mut diagnostic = recorded_at(pending.span, recorded, message);
        if let Some((span, words)) = other.filter(|(span, _)| *span != Span::default()) {
            diagnostic = diagnostic.label(span, words);
        }
        let note = format!("what the lock records is never moved; remove `{key}` from it to get a new position");
        self.diags.push(diagnostic.note(note));
    }
}

/// An error of what is recorded, where it is declared or, without such a place, in the lock.
fn recorded_at(declared: Span, recorded: Option<Span>, message: String) -> Diagnostic {
    let error = Diagnostic::error(Code::LOCKED, declared, message);
    match recorded {
        _ if declared == Span::default() => Diagnostic { span: recorded, ..error },
        Some(place) => error.label(place, "recorded here"),
        None => error,
    }
}

/// No program has more spaces or numbers of one kind; a lock is read from a file and may say anything.
const LAST_SPACES: u64 = 1 << 16;
