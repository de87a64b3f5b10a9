//! The map of a text whose lines come from several texts that have maps.

use super::{MacroUse, MapPlace, MapSource, Segment, SourceMap};
use std::collections::BTreeMap;

/// A line of a text that has a map: the number of the map, and that of the line, from 0.
pub type MappedLine = (usize, usize);

impl SourceMap {
    /// The map of lines that are lines of other texts, as far as they are.
    pub fn of_lines(maps: &[&SourceMap], lines: &[Option<MappedLine>]) -> SourceMap {
        let mut joining = Joining::default();
        let segments = |joining: &mut Joining, (number, line): MappedLine| -> Vec<Segment> {
            let Some(map) = maps.get(number) else { return Vec::new() };
            let of_line = map.lines.get(line).into_iter().flatten();
            of_line.filter_map(|segment| joining.segment(number, map, segment)).collect()
        };
        let lines = lines.iter().map(|line| line.map(|line| segments(&mut joining, line)).unwrap_or_default());
        let lines = lines.collect();
        SourceMap { lines, ..joining.joined }
    }
}

/// Tables of several maps as one.
#[derive(Default)]
struct Joining {
    joined: SourceMap,
    sources: BTreeMap<String, u32>,
    names: BTreeMap<String, u32>,
    /// By the number of the map, and the number there.
    macros: BTreeMap<(usize, u32), u32>,
}

impl Joining {
    fn segment(&mut self, number: usize, map: &SourceMap, segment: &Segment) -> Option<Segment> {
        let place = self.place(map, segment.place)?;
        let name = segment.name.and_then(|name| map.names.get(name as usize)).map(|name| self.name(name));
        let spelled = segment.spelled.and_then(|(used, place)| {
            let place = self.place(map, place)?;
            Some((self.macro_use(number, map, used)?, place))
        });
        let pass = map.pass(segment).map(|pass| self.pass(pass));
        Some(Segment { column: segment.column, place, name, spelled, pass })
    }

    fn place(&mut self, map: &SourceMap, place: MapPlace) -> Option<MapPlace> {
        let source = map.sources.get(place.source as usize)?;
        if let Some(known) = self.sources.get(&source.name) {
            return Some(MapPlace { source: *known, ..place });
        }
        let at = self.joined.sources.len() as u32;
        self.sources.insert(source.name.clone(), at);
        self.joined.sources.push(MapSource { included_from: None, ..source.clone() });
        // What includes it may be new, too; a source is known before those around it are looked at.
        let included_from = source.included_from.and_then(|place| self.place(map, place));
        if let Some(source) = self.joined.sources.get_mut(at as usize) {
            source.included_from = included_from;
        }
        Some(MapPlace { source: at, ..place })
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let at = self.joined.names.len() as u32;
        self.names.insert(name.to_owned(), at);
        self.joined.names.push(name.to_owned());
        at
    }

    fn pass(&mut self, name: &str) -> u32 {
        let passes = &mut self.joined.passes;
        let known = passes.iter().position(|pass| pass == name);
        known.unwrap_or_else(|| {
            passes.push(name.to_owned());
            passes.len() - 1
        }) as u32
    }

    /// A use of a macro, behind that which it comes out of.
    fn macro_use(&mut self, number: usize, map: &SourceMap, used: u32) -> Option<u32> {
        let mut chain = Vec::new();
        let mut next = Some(used);
        while let Some(at) = next.filter(|at| !self.macros.contains_key(&(number, *at))) {
            // One that comes out of itself is none.
            if chain.contains(&at) {
                return None;
            }
            chain.push(at);
            next = map.macros.get(at as usize)?.within;
        }
        for at in chain.into_iter().rev() {
            let MacroUse { name, definition, call, within } = map.macros.get(at as usize)?;
            let (definition, call) = (self.place(map, *definition)?, self.place(map, *call)?);
            let within = within.and_then(|within| self.macros.get(&(number, within)).copied());
            self.macros.insert((number, at), self.joined.macros.len() as u32);
            self.joined.macros.push(MacroUse { name: name.clone(), definition, call, within });
        }
        self.macros.get(&(number, used)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(sources: &[&str], name: &str) -> SourceMap {
        let source = |name: &&str| MapSource { name: (*name).to_owned(), text: None, included_from: None };
        let place = |source, line| MapPlace { source, line, column: 4 };
        let used = |within| MacroUse { name: name.to_owned(), definition: place(0, 1), call: place(1, 2), within };
        let segment =
            Segment { column: 2, place: place(1, 7), name: Some(0), spelled: Some((1, place(0, 1))), pass: Some(0) };
        let mut sources: Vec<MapSource> = sources.iter().map(source).collect();
        sources[0].included_from = Some(place(1, 0));
        let lines = vec![Vec::new(), vec![segment]];
        SourceMap {
            sources,
            names: vec![name.to_owned()],
            lines,
            macros: vec![used(None), used(Some(0))],
            passes: vec!["flatten".to_owned()],
        }
    }

    #[test]
    fn lines_of_several_texts_have_one_map() {
        let (a, b) = (map(&["h", "a"], "A"), map(&["h", "b"], "B"));
        let joined = SourceMap::of_lines(&[&a, &b], &[None, Some((1, 1)), Some((0, 1)), Some((0, 9)), Some((7, 0))]);
        let names: Vec<&str> = joined.sources().iter().map(|source| source.name.as_str()).collect();
        assert_eq!(names, ["b", "h", "a"]);
        assert_eq!(joined.sources()[1].included_from.map(|place| place.source), Some(0));
        assert_eq!(joined.lines.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 1, 0, 0]);
        let segment = joined.segment(2, 3).expect("a segment");
        assert_eq!((segment.place.source, segment.place.line, joined.name(segment)), (2, 7, Some("A")));
        assert_eq!(joined.pass(segment), Some("flatten"));
        let (used, spelled) = segment.spelled.expect("a macro");
        assert_eq!((joined.macros[used as usize].name.as_str(), spelled.source), ("A", 1));
        assert_eq!(joined.macros[used as usize].within, Some(2));
    }
}
