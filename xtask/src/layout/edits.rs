//! Random edits of the generator's programs, as text: what people do to shaders between two builds.

use std::collections::BTreeMap;

/// A fixed sequence of numbers a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}

/// What a declaration at the top of a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Import,
    Struct,
    Parameter,
    Entry,
}

#[derive(Clone, Debug)]
struct Block {
    kind: Kind,
    text: String,
}

/// A program as blocks of text.
#[derive(Clone, Debug)]
pub struct Program {
    files: BTreeMap<String, Vec<Block>>,
    /// The files of the command line.
    pub units: Vec<String>,
    names: usize,
}

/// New parameters; `@` is the name.
const FRESH: &[&str] = &[
    "uniform float @;",
    "uniform float3 @;",
    "uniform float4x4 @;",
    "uniform float2 @[3];",
    "Texture2D @;",
    "Texture2D @[3];",
    "Texture2D @[];",
    "TextureCube @;",
    "SamplerState @;",
    "Sampler2D @;",
    "Sampler2D @[2];",
    "StructuredBuffer<float4> @;",
    "RWStructuredBuffer<uint> @;",
    "RWTexture2D<float4> @;",
    "ByteAddressBuffer @;",
    "AppendStructuredBuffer<float4> @;",
    "cbuffer @\n{\n    float3 @a;\n    float @b;\n    float4x4 @c;\n}",
    "cbuffer @\n{\n    float @a;\n    Texture2D @t;\n}",
    "tbuffer @\n{\n    float2 @a;\n}",
    "ConstantBuffer<float4> @;",
    "ParameterBlock<float4> @;",
    "[[vk::push_constant]] ConstantBuffer<float2> @;",
    "[[vk::constant_id(7)]] const int @ = 3;",
    "[SpecializationConstant] const uint @ = 3;",
    "[[vk::input_attachment_index(1)]] SubpassInput<float4> @;",
    "static float @ = 2.0;",
    "groupshared float @[4];",
];

/// New uniform parameters of entry points.
const FRESH_UNIFORMS: &[&str] =
    &["uniform float @", "uniform float3 @", "uniform Texture2D @", "uniform SamplerState @[2]", "uniform float2x3 @"];

/// (beginning of a type, register class). The first one that fits counts.
const CLASSES: &[(&str, char)] = &[
    ("RW", 'u'),
    ("Append", 'u'),
    ("Consume", 'u'),
    ("Texture", 't'),
    ("Structured", 't'),
    ("ByteAddress", 't'),
    ("Buffer", 't'),
    ("tbuffer", 't'),
    ("Sampler", 's'),
    ("ConstantBuffer", 'b'),
    ("cbuffer", 'b'),
];

impl Program {
    pub fn new(files: BTreeMap<String, String>, units: Vec<String>) -> Program {
        let files = files.into_iter().map(|(name, text)| (name, blocks(&text))).collect();
        Program { files, units, names: 0 }
    }

    /// The texts of all files.
    pub fn texts(&self) -> impl Iterator<Item = (&str, String)> {
        self.files.iter().map(|(name, blocks)| {
            let text: Vec<&str> = blocks.iter().map(|b| b.text.as_str()).collect();
            (name.as_str(), text.join("\n") + "\n")
        })
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("new{}", self.names)
    }

    /// One random change. Not every one leaves a program that compiles.
    pub fn edit(&mut self, random: &mut Random) {
        match random.below(29) {
            0..4 => self.insert(random),
            4..6 => self.copy(random),
            6..8 => self.remove(random),
            8..11 => self.reorder(random),
            11..13 => self.rename(random),
            13..16 => self.resize(random),
            16 => self.retype(random),
            17..19 => self.toggle_explicit(random),
            19 => self.wrap(random),
            20 => self.move_to_other_file(random),
            21 => self.units_and_modules(random),
            22..24 => self.uniforms(random),
            24 => self.entries(random),
            25 => self.put_into_buffer(random),
            26 => self.rename_file(random),
            27 => self.split_file(random),
            _ => self.fields(random),
        }
    }

    /// All blocks of a kind: file and index.
    fn all(&self, kind: Kind) -> Vec<(String, usize)> {
        let of_file = |(name, blocks): (&String, &Vec<Block>)| {
            let found = blocks.iter().enumerate().filter(|(_, b)| b.kind == kind);
            found.map(|(i, _)| (name.clone(), i)).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(of_file).collect()
    }

    fn pick(&self, random: &mut Random, kind: Kind) -> Option<(String, usize)> {
        random.of(&self.all(kind)).cloned()
    }

    fn block(&mut self, at: &(String, usize)) -> Option<&mut Block> {
        self.files.get_mut(&at.0)?.get_mut(at.1)
    }

    /// Puts a declaration before or after a random parameter of a file.
    fn put(&mut self, random: &mut Random, file: &str, block: Block) {
        let Some(blocks) = self.files.get_mut(file) else { return };
        let places: Vec<usize> =
            blocks.iter().enumerate().filter(|(_, b)| b.kind == Kind::Parameter).map(|(i, _)| i).collect();
        let at = random.of(&places).map_or(blocks.len(), |i| i + random.below(2));
        blocks.insert(at, block);
    }

    fn some_file(&self, random: &mut Random) -> String {
        let names: Vec<&String> = self.files.keys().collect();
        random.of(&names).map_or(String::new(), |n| (*n).clone())
    }

    fn insert(&mut self, random: &mut Random) {
        let file = self.some_file(random);
        for _ in 0..1 + random.below(2) {
            let name = self.fresh();
            let text = random.of(FRESH).map_or(String::new(), |t| t.replace('@', &name));
            self.put(random, &file, Block { kind: Kind::Parameter, text });
        }
    }

    /// A parameter again, under another name.
    fn copy(&mut self, random: &mut Random) {
        let Some(at) = self.pick(random, Kind::Parameter) else { return };
        let Some(block) = self.block(&at).cloned().filter(|b| !b.text.starts_with("namespace")) else { return };
        let mut text = without_position(&block.text);
        for name in declared(&text) {
            let fresh = self.fresh();
            text = replace_word(&text, &name, &fresh);
        }
        self.put(random, &at.0, Block { text, ..block });
    }

    /// Removes a parameter and the statements that use it.
    fn remove(&mut self, random: &mut Random) {
        let Some(at) = self.pick(random, Kind::Parameter) else { return };
        let names = self.block(&at).map_or(Vec::new(), |b| declared(&b.text));
        if names.iter().any(|n| n == "outBuf") {
            return;
        }
        if let Some(blocks) = self.files.get_mut(&at.0) {
            blocks.remove(at.1);
        }
        names.iter().for_each(|name| self.drop_uses(name));
    }

    fn drop_uses(&mut self, name: &str) {
        for block in self.files.values_mut().flatten().filter(|b| b.kind == Kind::Entry) {
            let kept = block.text.lines().filter(|l| !(l.contains("acc +=") && has_word(l, name)));
            block.text = kept.collect::<Vec<_>>().join("\n");
        }
    }

    /// Moves a parameter within its file, exchanges two, or turns the order around.
    fn reorder(&mut self, random: &mut Random) {
        let file = self.some_file(random);
        let Some(blocks) = self.files.get_mut(&file) else { return };
        let places: Vec<usize> =
            blocks.iter().enumerate().filter(|(_, b)| b.kind == Kind::Parameter).map(|(i, _)| i).collect();
        let (Some(a), Some(b)) = (random.of(&places).copied(), random.of(&places).copied()) else { return };
        match random.below(4) {
            0 => blocks.swap(a, b),
            1 => {
                let mut order: Vec<Block> = places.iter().filter_map(|i| blocks.get(*i).cloned()).collect();
                order.reverse();
                places.iter().zip(order).for_each(|(i, block)| blocks[*i] = block);
            }
            _ => {
                let moved = blocks.remove(a);
                blocks.insert(b.min(blocks.len()), moved);
            }
        }
    }

    fn rename(&mut self, random: &mut Random) {
        let Some(at) = self.pick(random, Kind::Parameter) else { return };
        let names = self.block(&at).map_or(Vec::new(), |b| declared(&b.text));
        let Some(name) = random.of(&names).filter(|n| *n != "outBuf").cloned() else { return };
        let fresh = self.fresh();
        for block in self.files.values_mut().flatten() {
            block.text = replace_word(&block.text, &name, &fresh);
        }
    }

    /// Another number of elements, or of components.
    fn resize(&mut self, random: &mut Random) {
        let kind = if random.chance(60) { Kind::Parameter } else { Kind::Struct };
        let Some(at) = self.pick(random, kind) else { return };
        let (number, plus) = (random.below(6) + 1, random.below(3));
        let array = random.chance(30);
        let which = random.below(8);
        let Some(block) = self.block(&at) else { return };
        let mut lines: Vec<String> = block.text.lines().map(str::to_owned).collect();
        let ends: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].ends_with(';')).collect();
        let Some(line) = ends.get(which % ends.len().max(1)).and_then(|i| lines.get_mut(*i)) else { return };
        let brackets = line.rfind("[").and_then(|from| Some((from, from + line[from..].find(']')?)));
        match brackets.filter(|(_, to)| *to + 2 > line.find(" : ").unwrap_or(line.len() - 1)) {
            Some((from, to)) if !line[from..to].contains('(') => line.replace_range(from + 1..to, &number.to_string()),
            _ if array => {
                let end = line.find(" : ").unwrap_or(line.len() - 1);
                line.insert_str(end, &format!("[{number}]"));
            }
            _ => {
                let vector = ["float2", "float3", "float4", "uint2", "uint3", "uint4", "int3"];
                let found = vector.iter().find(|v| has_word(line, v));
                if let Some(found) = found {
                    let (scalar, _) = found.split_at(found.len() - 1);
                    *line = replace_word(line, found, &format!("{scalar}{}", plus + 2));
                }
            }
        }
        block.text = lines.join("\n");
    }

    /// Another kind of resource.
    fn retype(&mut self, random: &mut Random) {
        const TYPES: &[(&str, &str)] = &[
            ("Texture2D", "RWTexture2D<float4>"),
            ("RWTexture2D<float4>", "Texture2D"),
            ("Texture2D", "StructuredBuffer<float4>"),
            ("SamplerState", "Texture2D"),
            ("StructuredBuffer<", "RWStructuredBuffer<"),
            ("ConstantBuffer<", "ParameterBlock<"),
            ("ParameterBlock<", "ConstantBuffer<"),
            ("ByteAddressBuffer", "RWByteAddressBuffer"),
            ("Texture2D", "Sampler2D"),
            ("cbuffer", "tbuffer"),
            ("uniform float3", "Texture2D"),
        ];
        let Some(at) = self.pick(random, Kind::Parameter) else { return };
        let start = random.below(TYPES.len());
        let Some(block) = self.block(&at) else { return };
        let found = TYPES.iter().cycle().skip(start).take(TYPES.len()).find(|(from, _)| block.text.starts_with(from));
        if let Some((from, to)) = found {
            block.text = block.text.replacen(from, to, 1);
        }
    }

    /// Asks for a position, or no longer asks for it.
    fn toggle_explicit(&mut self, random: &mut Random) {
        let Some(at) = self.pick(random, Kind::Parameter) else { return };
        let (index, space, binding, register) =
            (random.below(20), random.below(3), random.chance(60), random.chance(60));
        let Some(block) = self.block(&at) else { return };
        let plain = without_position(&block.text);
        if plain != block.text {
            block.text = plain;
            return;
        }
        let (head, rest) = plain.split_once('\n').unwrap_or((plain.as_str(), ""));
        let class = CLASSES.iter().find(|(start, _)| head.starts_with(start)).map(|(_, class)| *class);
        let Some(class) = class else { return };
        let mut text = head.trim_end_matches(';').to_owned();
        if register {
            let space = if space > 0 { format!(", space{space}") } else { String::new() };
            text.push_str(&format!(" : register({class}{index}{space})"));
        }
        if head.ends_with(';') {
            text.push(';');
        }
        if binding {
            text = format!("[[vk::binding({}, {space})]] {text}", index * 2);
        }
        block.text = if rest.is_empty() { text } else { format!("{text}\n{rest}") };
    }

    /// Puts a parameter into a namespace.
    fn wrap(&mut self, random: &mut Random) {
        let Some(at) = self.pick(random, Kind::Parameter) else { return };
        let space = self.fresh();
        let Some(block) = self.block(&at) else { return };
        let names = declared(&block.text);
        if block.text.starts_with("namespace") || names.iter().any(|n| n == "outBuf") {
            return;
        }
        block.text = format!("namespace {space}\n{{\n{}\n}}", block.text);
        for name in names {
            for entry in self.files.values_mut().flatten().filter(|b| b.kind == Kind::Entry) {
                entry.text = replace_word(&entry.text, &name, &format!("{space}::{name}"));
            }
        }
    }

    /// Makes plain globals members of a constant buffer.
    fn put_into_buffer(&mut self, random: &mut Random) {
        let Some(at) = self.pick(random, Kind::Parameter) else { return };
        let name = self.fresh();
        let Some(block) = self.block(&at) else { return };
        if let Some(member) = block.text.strip_prefix("uniform ").filter(|text| !text.contains('\n')) {
            block.text = format!("cbuffer {name}\n{{\n    {member}\n}}");
        }
    }

    /// Gives a unit's file another name.
    fn rename_file(&mut self, random: &mut Random) {
        let name = self.fresh();
        let at = random.below(self.units.len());
        let Some(unit) = self.units.get_mut(at) else { return };
        let extension = unit.rsplit_once('.').map_or("slang", |(_, extension)| extension);
        let (old, new) = (unit.clone(), format!("{name}.{extension}"));
        if let Some(blocks) = self.files.remove(&old) {
            self.files.insert(new.clone(), blocks);
            *unit = new;
        }
    }

    /// Moves what a unit declares in its first half into a file of its own, with what it needs.
    fn split_file(&mut self, random: &mut Random) {
        let name = self.fresh();
        let at = random.below(self.units.len());
        let Some(unit) = self.units.get(at).cloned() else { return };
        let Some(blocks) = self.files.get_mut(&unit) else { return };
        let first = blocks.iter().take_while(|b| b.kind != Kind::Entry).count();
        let moved: Vec<Block> = blocks.drain(..first).collect();
        let stem = unit.rsplit_once('/').map_or("", |(directory, _)| directory);
        let path = if stem.is_empty() { format!("{name}.h") } else { format!("{stem}/{name}.h") };
        let include = Block { kind: Kind::Import, text: format!("#include \"{name}.h\"") };
        blocks.insert(0, include);
        self.files.insert(path, moved);
    }

    fn move_to_other_file(&mut self, random: &mut Random) {
        let Some(at) = self.pick(random, Kind::Parameter) else { return };
        let file = self.some_file(random);
        let Some(block) = self.block(&at).cloned() else { return };
        if file != at.0 {
            if let Some(blocks) = self.files.get_mut(&at.0) {
                blocks.remove(at.1);
            }
            self.put(random, &file, block);
        }
    }

    fn units_and_modules(&mut self, random: &mut Random) {
        let many = self.units.len();
        let has_entry = |blocks: &Vec<Block>| blocks.iter().any(|b| b.kind == Kind::Entry);
        match random.below(5) {
            0 if many > 1 => self.units.rotate_left(1),
            1 if many > 1 => {
                let at = random.below(many);
                if !self.units.get(at).and_then(|u| self.files.get(u)).is_some_and(has_entry) {
                    self.units.remove(at);
                }
            }
            // Another module, or another unit.
            2 | 3 => {
                let name = self.fresh();
                let inner = self.fresh();
                let text = format!(
                    "Texture2D {name}t;\nuniform float2 {name}f;\ncbuffer {inner}\n{{\n    float {inner}a;\n}}\n"
                );
                let extension = self.units.first().and_then(|u| u.rsplit_once('.')).map_or("slang", |(_, e)| e);
                if random.chance(50) {
                    let file = format!("{name}.{extension}");
                    self.files.insert(file.clone(), blocks(&text));
                    self.units.insert(random.below(many + 1), file);
                } else {
                    let into = self.some_file(random);
                    self.files.insert(format!("{name}.slang"), blocks(&text));
                    let import = Block { kind: Kind::Import, text: format!("import {name};") };
                    self.files.entry(into).or_default().insert(0, import);
                }
            }
            _ => {
                let (Some(a), Some(b)) = (self.pick(random, Kind::Import), self.pick(random, Kind::Import)) else {
                    return;
                };
                if let Some(blocks) = self.files.get_mut(&a.0).filter(|_| a.0 == b.0) {
                    blocks.swap(a.1, b.1);
                } else if random.chance(30)
                    && let Some(blocks) = self.files.get_mut(&a.0)
                {
                    blocks.remove(a.1);
                }
            }
        }
    }

    /// Adds, removes or moves a uniform parameter of an entry point.
    fn uniforms(&mut self, random: &mut Random) {
        let Some(at) = self.pick(random, Kind::Entry) else { return };
        let name = self.fresh();
        let Some(block) = self.block(&at) else { return };
        let Some(from) = block.text.find("(uint3 ") else { return };
        let Some(to) = block.text[from..].find(")\n").map(|n| n + from) else { return };
        let mut list: Vec<String> = block.text[from + 1..to].split(", ").map(str::to_owned).collect();
        let old = 1 + random.below(list.len().saturating_sub(1));
        let other = 1 + random.below(list.len().saturating_sub(1));
        let mut gone = None;
        match random.below(4) {
            0 if list.len() > 1 => gone = Some(list.remove(old)),
            1 if list.len() > 2 => list.swap(old, other),
            _ => {
                let text = random.of(FRESH_UNIFORMS).map_or(String::new(), |t| t.replace('@', &name));
                list.insert(old.min(list.len()), text);
            }
        }
        block.text.replace_range(from + 1..to, &list.join(", "));
        if let Some(gone) = gone {
            declared(&format!("{gone};")).iter().for_each(|name| self.drop_uses(name));
        }
    }

    /// Another entry point, or the order of those that are there.
    fn entries(&mut self, random: &mut Random) {
        let Some(at) = self.pick(random, Kind::Entry) else { return };
        let name = self.fresh();
        let Some(block) = self.block(&at).cloned() else { return };
        let Some(blocks) = self.files.get_mut(&at.0) else { return };
        let entries: Vec<usize> =
            blocks.iter().enumerate().filter(|(_, b)| b.kind == Kind::Entry).map(|(i, _)| i).collect();
        match entries.as_slice() {
            [first, .., last] if random.chance(40) => blocks.swap(*first, *last),
            [_, .., last] if random.chance(30) => drop(blocks.remove(*last)),
            _ => {
                let from = block.text.find("void ").map_or(0, |n| n + 5);
                let to = block.text[from..].find('(').map_or(from, |n| n + from);
                let mut text = block.text.clone();
                text.replace_range(from..to, &name);
                blocks.insert(at.1 + random.below(2), Block { kind: Kind::Entry, text });
            }
        }
    }

    /// Adds a field to a struct or constant buffer, or exchanges two.
    fn fields(&mut self, random: &mut Random) {
        let kind = if random.chance(50) { Kind::Parameter } else { Kind::Struct };
        let Some(at) = self.pick(random, kind) else { return };
        let name = self.fresh();
        let (a, b, exchange) = (random.below(6), random.below(6), random.chance(40));
        let Some(block) = self.block(&at) else { return };
        let mut lines: Vec<&str> = block.text.lines().collect();
        let fields: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].starts_with("    ")).collect();
        let (Some(a), Some(b)) =
            (fields.get(a % fields.len().max(1)).copied(), fields.get(b % fields.len().max(1)).copied())
        else {
            return;
        };
        let new = format!("    float2 {name};");
        match exchange {
            true => lines.swap(a, b),
            false => lines.insert(a, &new),
        }
        block.text = lines.join("\n");
    }
}

/// The declarations of a file.
fn blocks(text: &str) -> Vec<Block> {
    let mut list = Vec::new();
    let mut current = String::new();
    let mut depth = 0i64;
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        if !current.is_empty() {
            current.push('\n');
        }
        current.push_str(line);
        depth += line.matches(['{', '(']).count() as i64 - line.matches(['}', ')']).count() as i64;
        if depth == 0 && line.ends_with([';', '}']) {
            let text = std::mem::take(&mut current);
            let kind = match text.split([' ', '(']).next() {
                Some("import") => Kind::Import,
                Some("struct") => Kind::Struct,
                Some("[shader") => Kind::Entry,
                _ => Kind::Parameter,
            };
            list.push(Block { kind, text });
        }
    }
    list
}

/// The names that a declaration of parameters declares: its own, and those of what it holds.
fn declared(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("namespace") || line.len() < 3 {
            continue;
        }
        let line = line.trim_end_matches(';');
        let line = line.split(" : ").next().unwrap_or(line).split(" = ").next().unwrap_or(line);
        let mut line = line;
        while let Some(from) = line.rfind('[').filter(|_| line.ends_with(']')) {
            line = &line[..from];
        }
        names.extend(line.rsplit(' ').next().filter(|n| !n.is_empty()).map(str::to_owned));
    }
    names
}

/// A declaration without `register` and `vk::binding`.
fn without_position(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(from) = text.find(" : register(") {
        let to = text[from..].find(')').map_or(text.len(), |n| from + n + 1);
        text.replace_range(from..to, "");
    }
    match text.strip_prefix("[[vk::binding(").and_then(|t| t.split_once("]] ")) {
        Some((_, rest)) => rest.to_owned(),
        None => text,
    }
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Where a word stands.
fn word_at(text: &str, word: &str, from: usize) -> Option<usize> {
    let mut from = from;
    while let Some(at) = text.get(from..)?.find(word).map(|n| n + from) {
        let end = at + word.len();
        if !is_word(text[..at].chars().next_back()) && !is_word(text[end..].chars().next()) {
            return Some(at);
        }
        from = end;
    }
    None
}

fn has_word(text: &str, word: &str) -> bool {
    word_at(text, word, 0).is_some()
}

fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut text = text.to_owned();
    let mut from = 0;
    while let Some(at) = word_at(&text, word, from) {
        text.replace_range(at..at + word.len(), by);
        from = at + by.len();
    }
    text
}
