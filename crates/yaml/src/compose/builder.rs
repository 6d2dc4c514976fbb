//! Builds nodes from events.

use std::collections::HashMap;

use libyaml_safer::EventData;

use crate::compose::events::Events;
use crate::compose::merge::Entries;
use crate::diagnostic::Diagnostics;
use crate::error::{ParseError, ParseErrorKind};
use crate::limits::Limits;
use crate::node::{Node, Value};
use crate::path::{KeyPath, Segment};
use crate::place::Place;
use crate::scalar;

pub(super) struct Builder<'build, 'text> {
    events: &'build mut Events<'text>,
    limits: &'build Limits,
    /// Values that are written, up to here.
    written: usize,
    /// What was read, aliases counted in full.
    read: Size,
    /// What of it aliases added.
    added: Size,
    depth: usize,
    path: KeyPath,
    /// Offsets of the keys whose values are being read.
    open_keys: Vec<usize>,
    anchors: HashMap<String, Anchor>,
    diagnostics: &'build mut Diagnostics,
}

/// What an alias may stand for.
enum Anchor {
    /// The value is still being read, so an alias to it stands inside it.
    Open,
    /// The value and the size of every copy of it.
    Known(Node, Size),
}

/// How large a tree is.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
}

impl Size {
    fn plus(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_add(other.nodes),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_sub(other.nodes),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

impl<'build, 'text> Builder<'build, 'text> {
    pub(super) fn new(
        events: &'build mut Events<'text>,
        limits: &'build Limits,
        diagnostics: &'build mut Diagnostics,
    ) -> Self {
        let (depth, path, anchors) = (0, KeyPath::root(), HashMap::new());
        Self {
            events,
            limits,
            written: 0,
            read: Size::default(),
            added: Size::default(),
            depth,
            path,
            open_keys: Vec::new(),
            anchors,
            diagnostics,
        }
    }

    /// Names the value that is being read, or that could not be read.
    pub(super) fn path(&self) -> &KeyPath {
        &self.path
    }

    /// Tells whether the value of the key at `offset` was being read.
    pub(super) fn is_within(&self, offset: usize) -> bool {
        self.open_keys.contains(&offset)
    }

    /// Reads up to the end of the first document's value.
    pub(super) fn document(&mut self) -> Result<Node, ParseError> {
        loop {
            let (event, place) = self.events.next()?;
            match event {
                EventData::StreamStart { .. } => {},
                EventData::StreamEnd => return Err(ParseError::new(ParseErrorKind::Empty, place)),
                EventData::DocumentStart {
                    version_directive: Some(version),
                    ..
                } if (version.major, version.minor) != (1, 1) => {
                    let kind = ParseErrorKind::Version {
                        major: version.major,
                        minor: version.minor,
                    };
                    return Err(ParseError::new(kind, place));
                },
                EventData::DocumentStart { .. } => {
                    let (event, place) = self.events.next()?;
                    return self.node(event, place);
                },
                _ => return Err(unexpected(place)),
            }
        }
    }

    fn node(&mut self, event: EventData, place: Place) -> Result<Node, ParseError> {
        match event {
            EventData::Alias { anchor } => self.alias(anchor, place),
            EventData::Scalar {
                anchor,
                tag,
                value,
                plain_implicit,
                ..
            } => {
                let before = self.open(anchor.as_deref());
                let bytes = value.len();
                self.count(bytes, place)?;
                let node = scalar_node(tag.as_deref(), value, plain_implicit, place)?;
                self.close(anchor, &node, before, place)?;
                Ok(node)
            },
            EventData::SequenceStart { anchor, .. } => self.collection(anchor, place, Self::list),
            EventData::MappingStart { anchor, .. } => self.collection(anchor, place, Self::map),
            _ => Err(unexpected(place)),
        }
    }

    fn collection(
        &mut self,
        anchor: Option<String>,
        place: Place,
        read: fn(&mut Self, &mut Place) -> Result<Value, ParseError>,
    ) -> Result<Node, ParseError> {
        let before = self.open(anchor.as_deref());
        self.count(0, place)?;
        if self.depth == self.limits.depth {
            self.leave_out(place)?;
            let nothing = Node::new(Value::Null, place);
            self.close(anchor, &nothing, before, place)?;
            return Ok(nothing);
        }
        self.depth += 1;
        let mut whole = place;
        let value = read(self, &mut whole)?;
        self.depth -= 1;
        let node = Node::new(value, whole);
        self.close(anchor, &node, before, place)?;
        Ok(node)
    }

    /// Passes over a list or map that is nested too deep to be kept.
    fn leave_out(&mut self, place: Place) -> Result<(), ParseError> {
        let limit = self.limits.depth;
        let kind = ParseErrorKind::LeftOut { limit };
        self.diagnostics
            .error(kind.code(), &self.path, place, kind.to_string());
        let mut open = 1;
        while open > 0 {
            let (event, place) = self.events.next()?;
            match event {
                EventData::SequenceStart { .. } | EventData::MappingStart { .. } => open += 1,
                EventData::SequenceEnd | EventData::MappingEnd => open -= 1,
                _ => {},
            }
            let limit = self.limits.levels;
            if self.events.indents > limit {
                return Err(ParseError::new(ParseErrorKind::TooDeep { limit }, place));
            }
        }
        Ok(())
    }

    fn list(&mut self, whole: &mut Place) -> Result<Value, ParseError> {
        let mut items = Vec::new();
        loop {
            let (event, place) = self.events.next()?;
            if matches!(event, EventData::SequenceEnd) {
                whole.span.end = place.span.end.max(whole.span.end);
                return Ok(Value::List(items));
            }
            self.path.push(Segment::Index(items.len()));
            items.push(self.node(event, place)?);
            self.path.pop();
        }
    }

    fn map(&mut self, whole: &mut Place) -> Result<Value, ParseError> {
        let mut entries = Entries::default();
        loop {
            let (event, place) = self.events.next()?;
            if matches!(event, EventData::MappingEnd) {
                whole.span.end = place.span.end.max(whole.span.end);
                return Ok(Value::Map(entries.into_map()));
            }
            let key = self.node(event, place)?;
            if matches!(key.value, Value::List(_) | Value::Map(_)) {
                return Err(ParseError::new(ParseErrorKind::CompositeKey, place));
            }
            self.open_keys.push(key.place.span.start);
            self.path
                .push(Segment::Key(key.text().unwrap_or_default().to_owned()));
            let (event, place) = self.events.next()?;
            let is_alias = matches!(event, EventData::Alias { .. });
            let value = self.node(event, place)?;
            self.open_keys.pop();
            if key.plain && key.as_str() == Some("<<") {
                self.path.pop();
                // A list is merged only where it is written.
                if is_alias && matches!(value.value, Value::List(_)) {
                    return Err(ParseError::new(ParseErrorKind::MergeOfScalar, place));
                }
                entries.merge(value, place, &self.path, self.diagnostics)?;
            } else {
                self.tell_of_mark(&key);
                entries.insert(key, value, &self.path, self.diagnostics);
                self.path.pop();
            }
        }
    }

    /// Tells of a byte order mark in a key, which nobody sees.
    fn tell_of_mark(&mut self, key: &Node) {
        if key.text().is_some_and(|text| text.contains('\u{FEFF}')) {
            let message = "the key contains the invisible character U+FEFF, a byte order mark";
            self.diagnostics
                .warning("byte-order-mark", &self.path, key.place, message)
                .help("remove it; it probably comes from joining two files");
        }
    }

    fn alias(&mut self, name: String, place: Place) -> Result<Node, ParseError> {
        match self.anchors.get(&name) {
            None => Err(ParseError::new(
                ParseErrorKind::UnknownAnchor { name },
                place,
            )),
            Some(Anchor::Open) => Err(ParseError::new(
                ParseErrorKind::RecursiveAnchor { name },
                place,
            )),
            Some(Anchor::Known(_, size)) => {
                let size = *size;
                self.read = self.read.plus(size);
                self.add(size, place)?;
                match self.anchors.get(&name) {
                    Some(Anchor::Known(node, _)) => Ok(node.clone()),
                    _ => Err(ParseError::new(
                        ParseErrorKind::UnknownAnchor { name },
                        place,
                    )),
                }
            },
        }
    }

    /// Notes that an anchored value begins, and what was read before it.
    fn open(&mut self, anchor: Option<&str>) -> Size {
        if let Some(name) = anchor {
            self.anchors.insert(name.to_owned(), Anchor::Open);
        }
        self.read
    }

    /// Keeps a copy of an anchored value that an alias may name.
    fn close(
        &mut self,
        anchor: Option<String>,
        node: &Node,
        before: Size,
        place: Place,
    ) -> Result<(), ParseError> {
        let Some(name) = anchor else { return Ok(()) };
        if self.events.named.contains(name.as_str()) {
            let size = self.read.minus(before);
            self.add(size, place)?;
            self.anchors.insert(name, Anchor::Known(node.clone(), size));
        } else {
            self.anchors.remove(&name);
        }
        Ok(())
    }

    /// Counts a value that is written.
    fn count(&mut self, bytes: usize, place: Place) -> Result<(), ParseError> {
        self.read = self.read.plus(Size { nodes: 1, bytes });
        self.written += 1;
        let limit = self.limits.values;
        if self.written > limit {
            return Err(ParseError::new(ParseErrorKind::TooMany { limit }, place));
        }
        Ok(())
    }

    /// Counts what aliases add, the copy that is kept for them included.
    fn add(&mut self, size: Size, place: Place) -> Result<(), ParseError> {
        self.added = self.added.plus(size);
        let limits = self.limits;
        let counts = [
            (self.added.nodes, limits.nodes, "values"),
            (self.added.bytes, limits.scalar_bytes, "bytes of text"),
        ];
        let over = counts.into_iter().find(|(added, limit, _)| added > limit);
        over.map_or(Ok(()), |(_, limit, unit)| {
            let kind = ParseErrorKind::AliasesTooLarge { limit, unit };
            Err(ParseError::new(kind, place))
        })
    }
}

fn scalar_node(
    tag: Option<&str>,
    text: String,
    plain: bool,
    place: Place,
) -> Result<Node, ParseError> {
    let written = text.clone();
    let value = scalar::resolve(tag, text, plain)
        .map_err(|mismatch| ParseError::new(ParseErrorKind::Tag { tag: mismatch.0 }, place))?;
    let shown = matches!(&value, Value::String(text) if *text == written);
    let text = (!shown).then(|| written.into_boxed_str());
    Ok(Node {
        value,
        place,
        plain,
        variables: Vec::new(),
        text,
    })
}

/// The parser yields events in a fixed grammar, so this cannot happen with a parser that works.
fn unexpected(place: Place) -> ParseError {
    let problem = "the structure of the file could not be understood".to_owned();
    ParseError::new(ParseErrorKind::Syntax { problem }, place)
}
