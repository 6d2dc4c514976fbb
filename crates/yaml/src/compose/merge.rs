//! Entries of a map under construction: duplicate keys and `<<`.

use std::collections::HashMap;

use crate::diagnostic::Diagnostics;
use crate::error::{ParseError, ParseErrorKind};
use crate::location::SourceLocation;
use crate::node::{Entry, KeyId, Map, Node, Value};
use crate::path::KeyPath;

/// Entries in the order of their first occurrence, indexed by key.
#[derive(Default)]
pub(super) struct MapBuilder {
    slots: Vec<(Entry, Origin)>,
    index: HashMap<KeyId, usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Written,
    Merged,
}

impl MapBuilder {
    /// Adds an entry; a later one replaces an earlier one with a warning.
    pub(super) fn insert(
        &mut self,
        key: Node,
        value: Node,
        path: &KeyPath,
        diagnostics: &mut Diagnostics,
    ) {
        let place = key.location;
        if let Some((earlier, Origin::Written)) =
            self.replace(Entry { key, value }, Origin::Written)
        {
            let message = format!(
                "the key is given twice; the value in line {} is lost",
                earlier.key.location.line
            );
            diagnostics
                .warning("duplicate-key", path, place, message)
                .help("keep one of the two; the last one counts");
        }
    }

    /// Adds the entries of the map, or of the list of maps, after `<<`.
    ///
    /// As in `yaml.v2`, merged entries override those written above `<<`, and entries below it
    /// override merged ones; of several merged maps the first wins.
    pub(super) fn merge(
        &mut self,
        value: Node,
        place: SourceLocation,
        path: &KeyPath,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), ParseError> {
        let maps = match value.value {
            Value::List(items) => items,
            value @ Value::Map(_) => vec![Node::new(value, place)],
            _ => return Err(ParseError::new(ParseErrorKind::MergeOfScalar, place)),
        };
        for map in maps.into_iter().rev() {
            let Value::Map(Map { entries }) = map.value else {
                return Err(ParseError::new(ParseErrorKind::MergeOfScalar, place));
            };
            for entry in entries {
                let name = entry.key.text().unwrap_or_default().to_owned();
                if let Some((lost, Origin::Written)) = self.replace(entry, Origin::Merged) {
                    let message =
                        format!("`{name}` is overridden by the map that is merged below it");
                    diagnostics
                        .warning(
                            "merge-overrides",
                            &path.key(&name),
                            lost.key.location,
                            message,
                        )
                        .help("write `<<` above the keys that override it");
                }
            }
        }
        Ok(())
    }

    pub(super) fn into_map(self) -> Map {
        Map {
            entries: self.slots.into_iter().map(|(entry, _)| entry).collect(),
        }
    }

    fn replace(&mut self, entry: Entry, origin: Origin) -> Option<(Entry, Origin)> {
        let slot = *self
            .index
            .entry(KeyId::from_node(&entry.key))
            .or_insert(self.slots.len());
        if let Some(old) = self.slots.get_mut(slot) {
            Some(std::mem::replace(old, (entry, origin)))
        } else {
            self.slots.push((entry, origin));
            None
        }
    }
}
