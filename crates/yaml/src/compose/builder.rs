//! Builder of nodes from parser events.

use std::collections::HashMap;

use libyaml_safer::EventData;

use crate::compose::events::Events;
use crate::compose::merge::MapBuilder;
use crate::diagnostic::Diagnostics;
use crate::error::{ParseError, ParseErrorKind};
use crate::limits::Limits;
use crate::location::SourceLocation;
use crate::node::{Node, Value};
use crate::path::{KeyPath, Segment};
use crate::scalar;

pub(super) struct Builder<'build, 'text> {
    events: &'build mut Events<'text>,
    limits: &'build Limits,
    /// Number of values written so far.
    value_count: usize,
    /// Size of everything read, with aliases expanded.
    total: TreeSize,
    /// The part of it that aliases added.
    alias_total: TreeSize,
    depth: usize,
    path: KeyPath,
    /// Offsets of the keys whose values are being read.
    open_keys: Vec<usize>,
    anchors: HashMap<String, Anchor>,
    diagnostics: &'build mut Diagnostics,
}

/// Target of an alias.
enum Anchor {
    /// The value is still being read, so an alias to it would be recursive.
    Open,
    /// The value and the size of each copy.
    Complete(Node, TreeSize),
}

#[derive(Clone, Copy, Default)]
struct TreeSize {
    nodes: usize,
    bytes: usize,
}

impl TreeSize {
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
            value_count: 0,
            total: TreeSize::default(),
            alias_total: TreeSize::default(),
            depth,
            path,
            open_keys: Vec::new(),
            anchors,
            diagnostics,
        }
    }

    /// Path of the value that is being read, or that could not be read.
    pub(super) fn path(&self) -> &KeyPath {
        &self.path
    }

    /// Whether the value of the key at `offset` is being read.
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

    fn node(&mut self, event: EventData, place: SourceLocation) -> Result<Node, ParseError> {
        match event {
            EventData::Alias { anchor } => self.alias(anchor, place),
            EventData::Scalar {
                anchor,
                tag,
                value,
                plain_implicit,
                ..
            } => {
                let before = self.begin_anchor(anchor.as_deref());
                let bytes = value.len();
                self.count_value(bytes, place)?;
                let node = scalar_node(tag.as_deref(), value, plain_implicit, place)?;
                self.finish_anchor(anchor, &node, before, place)?;
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
        place: SourceLocation,
        read: fn(&mut Self, &mut SourceLocation) -> Result<Value, ParseError>,
    ) -> Result<Node, ParseError> {
        let before = self.begin_anchor(anchor.as_deref());
        self.count_value(0, place)?;
        if self.depth == self.limits.depth {
            self.skip_collection(place)?;
            let nothing = Node::new(Value::Null, place);
            self.finish_anchor(anchor, &nothing, before, place)?;
            return Ok(nothing);
        }
        self.depth += 1;
        let mut whole = place;
        let value = read(self, &mut whole)?;
        self.depth -= 1;
        let node = Node::new(value, whole);
        self.finish_anchor(anchor, &node, before, place)?;
        Ok(node)
    }

    /// Skips a list or map that is nested too deep to be kept.
    fn skip_collection(&mut self, place: SourceLocation) -> Result<(), ParseError> {
        let limit = self.limits.depth;
        let kind = ParseErrorKind::NestingOmitted { limit };
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
            let limit = self.limits.skipped_depth;
            if self.events.indent_depth > limit {
                return Err(ParseError::new(ParseErrorKind::TooDeep { limit }, place));
            }
        }
        Ok(())
    }

    fn list(&mut self, whole: &mut SourceLocation) -> Result<Value, ParseError> {
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

    fn map(&mut self, whole: &mut SourceLocation) -> Result<Value, ParseError> {
        let mut entries = MapBuilder::default();
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
            self.open_keys.push(key.location.span.start);
            self.path
                .push(Segment::Key(key.text().unwrap_or_default().to_owned()));
            let (event, place) = self.events.next()?;
            let is_alias = matches!(event, EventData::Alias { .. });
            let value = self.node(event, place)?;
            self.open_keys.pop();
            if key.is_plain && key.as_str() == Some("<<") {
                self.path.pop();
                // A list is merged only where it is written literally.
                if is_alias && matches!(value.value, Value::List(_)) {
                    return Err(ParseError::new(ParseErrorKind::MergeOfScalar, place));
                }
                entries.merge(value, place, &self.path, self.diagnostics)?;
            } else {
                self.warn_byte_order_mark(&key);
                entries.insert(key, value, &self.path, self.diagnostics);
                self.path.pop();
            }
        }
    }

    /// Warns about a byte order mark in a key, which is invisible.
    fn warn_byte_order_mark(&mut self, key: &Node) {
        if key.text().is_some_and(|text| text.contains('\u{FEFF}')) {
            let message = "the key contains the invisible character U+FEFF, a byte order mark";
            self.diagnostics
                .warning("byte-order-mark", &self.path, key.location, message)
                .help("remove it; it probably comes from joining two files");
        }
    }

    fn alias(&mut self, name: String, place: SourceLocation) -> Result<Node, ParseError> {
        match self.anchors.get(&name) {
            None => Err(ParseError::new(
                ParseErrorKind::UnknownAnchor { name },
                place,
            )),
            Some(Anchor::Open) => Err(ParseError::new(
                ParseErrorKind::RecursiveAnchor { name },
                place,
            )),
            Some(Anchor::Complete(_, size)) => {
                let size = *size;
                self.total = self.total.plus(size);
                self.count_alias(size, place)?;
                match self.anchors.get(&name) {
                    Some(Anchor::Complete(node, _)) => Ok(node.clone()),
                    _ => Err(ParseError::new(
                        ParseErrorKind::UnknownAnchor { name },
                        place,
                    )),
                }
            },
        }
    }

    /// Registers an anchor, and returns the size read before its value.
    fn begin_anchor(&mut self, anchor: Option<&str>) -> TreeSize {
        if let Some(name) = anchor {
            self.anchors.insert(name.to_owned(), Anchor::Open);
        }
        self.total
    }

    /// Keeps a copy of an anchored value that an alias may refer to.
    fn finish_anchor(
        &mut self,
        anchor: Option<String>,
        node: &Node,
        before: TreeSize,
        place: SourceLocation,
    ) -> Result<(), ParseError> {
        let Some(name) = anchor else { return Ok(()) };
        if self.events.alias_names.contains(name.as_str()) {
            let size = self.total.minus(before);
            self.count_alias(size, place)?;
            self.anchors
                .insert(name, Anchor::Complete(node.clone(), size));
        } else {
            self.anchors.remove(&name);
        }
        Ok(())
    }

    /// Counts a written value.
    fn count_value(&mut self, bytes: usize, place: SourceLocation) -> Result<(), ParseError> {
        self.total = self.total.plus(TreeSize { nodes: 1, bytes });
        self.value_count += 1;
        let limit = self.limits.values;
        if self.value_count > limit {
            return Err(ParseError::new(
                ParseErrorKind::TooManyValues { limit },
                place,
            ));
        }
        Ok(())
    }

    /// Counts what aliases add, including the copy kept for them.
    fn count_alias(&mut self, size: TreeSize, place: SourceLocation) -> Result<(), ParseError> {
        self.alias_total = self.alias_total.plus(size);
        let limits = self.limits;
        let counts = [
            (self.alias_total.nodes, limits.alias_nodes, "values"),
            (self.alias_total.bytes, limits.alias_bytes, "bytes of text"),
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
    place: SourceLocation,
) -> Result<Node, ParseError> {
    let written = text.clone();
    let value = scalar::resolve(tag, text, plain)
        .map_err(|mismatch| ParseError::new(ParseErrorKind::Tag { tag: mismatch.0 }, place))?;
    let shown = matches!(&value, Value::String(text) if *text == written);
    let text = (!shown).then(|| written.into_boxed_str());
    Ok(Node {
        value,
        location: place,
        is_plain: plain,
        variables: Vec::new(),
        text,
    })
}

/// Cannot happen with a correct parser, whose events follow a fixed grammar.
fn unexpected(place: SourceLocation) -> ParseError {
    let problem = "the structure of the file could not be understood".to_owned();
    ParseError::new(ParseErrorKind::Syntax { problem }, place)
}
