//! Sections: maps with a known set of keys.

mod field;

use std::iter;

pub use crate::section::field::Field;

use crate::codes;
use crate::diagnostic::Diagnostics;
use crate::location::SourceLocation;
use crate::nearest::nearest;
use crate::node::{Entry, Map, Node};
use crate::path::KeyPath;

/// A key that a section may have.
pub trait KnownKey {
    /// Name, case-sensitive.
    fn name(&self) -> &'static str;

    /// Why the key is accepted without effect; `None` if it is used.
    fn ignored(&self) -> Option<&'static str>;
}

/// A known key of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Name, case-sensitive.
    pub name: &'static str,
    /// Why the key is accepted without effect; `None` if it is used.
    pub ignored: Option<&'static str>,
}

impl Key {
    /// Declares a key that is used.
    pub const fn supported(name: &'static str) -> Self {
        Self {
            name,
            ignored: None,
        }
    }

    /// Declares a key that is accepted with a warning; `reason` ends the sentence "this has no
    /// effect:".
    pub const fn ignored(name: &'static str, reason: &'static str) -> Self {
        Self {
            name,
            ignored: Some(reason),
        }
    }
}

impl KnownKey for Key {
    fn name(&self) -> &'static str {
        self.name
    }

    fn ignored(&self) -> Option<&'static str> {
        self.ignored
    }
}

/// A map in a document with known keys.
#[derive(Clone, Debug)]
pub struct Section<'tree> {
    map: &'tree Map,
    /// Location for mistakes about the section as a whole: its key.
    location: SourceLocation,
    path: KeyPath,
}

impl<'tree> Section<'tree> {
    /// The section at the root of a document, which must be a map.
    pub fn root(node: &'tree Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        let Some(map) = node.as_map() else {
            let message = format!("the file must be a map of keys, not {}", node.node_type());
            diagnostics.error(codes::WRONG_TYPE, &KeyPath::root(), node.location, message);
            return None;
        };
        Some(Self {
            map,
            location: node.location,
            path: KeyPath::root(),
        })
    }

    /// Reports keys that are not in `known`, and those without effect.
    pub fn check_keys<K: KnownKey>(&self, known: &[K], diagnostics: &mut Diagnostics) {
        self.check_keys_with_hints(known, &[], diagnostics);
    }

    /// As [`Self::check_keys`]; `hints` tell for misplaced keys what to do instead.
    pub fn check_keys_with_hints<K: KnownKey>(
        &self,
        known: &[K],
        hints: &[(&str, &str)],
        diagnostics: &mut Diagnostics,
    ) {
        for Entry { key, .. } in self.map {
            let name = key.text().unwrap_or_default();
            let found = known
                .iter()
                .find(|known| key.as_str() == Some(known.name()));
            match found.map(KnownKey::ignored) {
                Some(None) => {},
                Some(Some(reason)) => {
                    let message = format!("`{name}` has no effect: {reason}");
                    diagnostics.warning(
                        codes::IGNORED_KEY,
                        &self.path.key(name),
                        key.location,
                        message,
                    );
                },
                None => self.report_unknown(key, known, hints, diagnostics),
            }
        }
    }

    /// Finds an optional key.
    pub fn get(&self, name: &str) -> Option<Field<'tree>> {
        self.map
            .get(name)
            .map(|Entry { key, value }| Field::new(value, key.location, self.path.key(name)))
    }

    /// Finds an optional key; a null value counts as absent.
    pub fn get_non_null(&self, name: &str) -> Option<Field<'tree>> {
        self.get(name).filter(|field| !field.node().is_null())
    }

    /// All keys as text with their values, in the order of the file.
    pub fn fields(&self) -> impl Iterator<Item = (&'tree str, Field<'tree>)> {
        self.map.iter().map(|Entry { key, value }| {
            let name = key.text().unwrap_or_default();
            (name, Field::new(value, key.location, self.path.key(name)))
        })
    }

    /// Finds a required key and reports it if it is missing. `form` shows what to write.
    pub fn require(
        &self,
        name: &str,
        form: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<Field<'tree>> {
        let field = self.get_non_null(name);
        if field.is_none() {
            self.report_missing(name, form, diagnostics);
        }
        field
    }

    /// Reports a missing key, unless it was reported as mistyped. `form` shows what to write.
    pub fn report_missing(&self, name: &str, form: &str, diagnostics: &mut Diagnostics) {
        if diagnostics.is_mistyped(&self.path.key(name)) {
            return;
        }
        let written = self.map.get(name).map(|entry| entry.key.location);
        let message = match (written, self.path.is_root()) {
            (Some(_), _) => format!("`{name}` has no value"),
            (None, true) => format!("the file has no `{name}`"),
            (None, false) => format!("`{}` has no `{name}`", self.path),
        };
        diagnostics
            .error(
                codes::MISSING_KEY,
                &self.path.key(name),
                written.unwrap_or(self.location),
                message,
            )
            .help(format!("write `{name}: {form}`"));
    }

    /// The keys as written in the file.
    pub fn map(&self) -> &'tree Map {
        self.map
    }

    pub fn path(&self) -> &KeyPath {
        &self.path
    }

    /// The location of the key of this section.
    pub fn location(&self) -> SourceLocation {
        self.location
    }

    fn report_unknown<K: KnownKey>(
        &self,
        key: &Node,
        known: &[K],
        hints: &[(&str, &str)],
        diagnostics: &mut Diagnostics,
    ) {
        let name = key.text().unwrap_or_default();
        let message = format!("unknown key `{name}`");
        let diagnostic = diagnostics.error(
            codes::UNKNOWN_KEY,
            &self.path.key(name),
            key.location,
            message,
        );
        let hint = hints
            .iter()
            .find(|(unknown, _)| *unknown == name)
            .map(|(_, hint)| (*hint).to_owned());
        let retyped = || {
            let is_known = key.as_str().is_none() && known.iter().any(|key| key.name() == name);
            is_known.then(|| {
                format!(
                    "write `\"{name}\"` in quotes; YAML reads it as {}",
                    key.node_type()
                )
            })
        };
        if let Some(help) = hint.or_else(retyped) {
            diagnostic.help(help);
        } else if let Some(similar) = nearest(name, known.iter().map(KnownKey::name)) {
            diagnostic.help(format!("did you mean `{similar}`?"));
            diagnostics.note_mistyped(self.path.key(similar));
        } else if !known.is_empty() {
            let names: Vec<_> = known
                .iter()
                .filter(|key| key.ignored().is_none())
                .map(KnownKey::name)
                .collect();
            diagnostic.help(format!("known keys: {}", names.join(", ")));
        }
    }

    pub(crate) fn new(map: &'tree Map, place: SourceLocation, path: KeyPath) -> Self {
        Self {
            map,
            location: place,
            path,
        }
    }
}

/// Joins alternatives for a sentence: `a, b or c`.
pub(crate) fn join_alternatives(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first, middle @ .., last] => {
            let head: Vec<&str> = iter::once(*first).chain(middle.iter().copied()).collect();
            format!("{} or {last}", head.join(", "))
        },
    }
}

#[cfg(test)]
mod tests;
