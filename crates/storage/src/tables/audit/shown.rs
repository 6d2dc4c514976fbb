//! How values, lists and names are shown in an event: short, but so that a change of them shows.

use super::described::{Names, Unit, find};
use super::node::Node;
use portcullis_domain::clock::Timestamp;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a value that are shown.
pub(super) const VALUE: usize = 256;
/// Bytes of an item of a list that are shown.
const ITEM: usize = 128;
/// Items that are shown of those that were added to a list, and of those that were removed.
pub(super) const ITEMS: usize = 16;
/// Bytes of the name of a member that are shown.
const NAME: usize = 64;
/// Bytes of the hash of what is cut.
const HASH: usize = 8;

/// A value as it is shown.
#[derive(Debug)]
pub(super) enum Shown<'n> {
    Stored(Node<'n>),
    Time(Timestamp),
    // Defaults, which are not stored.
    Bool(bool),
    Number(i64),
    Text(&'static str),
    Null,
}

impl Shown<'_> {
    /// An instant that is stored as a number, and the milliseconds that stand beside it.
    pub(super) fn time(stored: Node<'_>, unit: Unit, milliseconds: i64) -> Option<Self> {
        let number: i64 = stored.json().parse().ok()?;
        let time = match unit {
            Unit::Second => Timestamp::from_second(number),
            Unit::SecondAnd(_) => {
                let whole = number.checked_mul(1000)?;
                Timestamp::from_millisecond(whole.checked_add(milliseconds)?)
            },
            Unit::Millisecond => Timestamp::from_millisecond(number),
        };
        time.ok().map(Self::Time)
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Stored(node) => show(*node, VALUE, serializer),
            // As the API shows instants.
            Self::Time(time) => serializer.collect_str(&format_args!("{time:.3}")),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Null => serializer.serialize_unit(),
        }
    }
}

/// What was added to a list and removed from it.
#[derive(Debug, Default)]
pub(super) struct ListChange<'n> {
    added: Vec<Node<'n>>,
    removed: Vec<Node<'n>>,
    /// What the API calls members of the items.
    names: Names,
}

impl<'n> ListChange<'n> {
    /// Compares two lists, of whose items members are called otherwise by the API.
    pub(super) fn between(before: &[Node<'n>], after: &[Node<'n>], names: Names) -> Self {
        let lacking = |these: &[Node<'n>], those: &[Node<'n>]| {
            if those.is_empty() {
                return these.to_vec();
            }
            let those: BTreeSet<_> = those.iter().map(|item| item.json()).collect();
            let lacking = these.iter().filter(|item| !those.contains(item.json()));
            lacking.copied().collect()
        };
        Self {
            added: lacking(after, before),
            removed: lacking(before, after),
            names,
        }
    }
}

impl Serialize for ListChange<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.added.is_empty() && self.removed.is_empty() {
            map.serialize_entry("reordered", &true)?;
        }
        let sides = [
            ("added", "moreAdded", &self.added),
            ("removed", "moreRemoved", &self.removed),
        ];
        for (side, more, items) in sides {
            if !items.is_empty() {
                map.serialize_entry(side, &Items(items, self.names))?;
            }
            if items.len() > ITEMS {
                map.serialize_entry(more, &(items.len() - ITEMS))?;
            }
        }
        map.end()
    }
}

struct Items<'s, 'n>(&'s [Node<'n>], Names);

impl Serialize for Items<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(items, names) = *self;
        serializer.collect_seq(items.iter().take(ITEMS).map(|item| Item(*item, names)))
    }
}

struct Item<'n>(Node<'n>, Names);

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(node, names) = *self;
        if names.is_empty() {
            return show(node, ITEM, serializer);
        }
        let renamed = renamed(node, names);
        let renamed = renamed.as_deref().map(str::as_bytes).map(Node::read);
        show(
            renamed.and_then(Result::ok).unwrap_or(node),
            ITEM,
            serializer,
        )
    }
}

/// An object whose members go by the names of the API.
fn renamed(object: Node<'_>, names: Names) -> Option<String> {
    let members = object.members()?.into_iter();
    let members: BTreeMap<_, _> = members
        .map(|(name, value)| match find(names, &name) {
            Some(called) => (Cow::Borrowed(called), value),
            None => (name, value),
        })
        .collect();
    serde_json::to_string(&members).ok()
}

fn show<S: Serializer>(node: Node<'_>, most: usize, serializer: S) -> Result<S::Ok, S::Error> {
    // A text is never longer than its JSON.
    if node.json().len() <= most {
        return node.serialize(serializer);
    }
    let whole = node.text().unwrap_or(Cow::Borrowed(node.json()));
    if whole.len() <= most {
        node.serialize(serializer)
    } else {
        serializer.serialize_str(&cut(&whole, most))
    }
}

/// The beginning of a text, with its length and hash, so that texts that begin alike look different.
fn cut(text: &str, most: usize) -> String {
    let shown = text.get(..text.floor_char_boundary(most));
    let (shown, length, hash) = (shown.unwrap_or_default(), text.len(), hash(text));
    format!("{shown}… ({length} bytes, SHA-256 {hash}…)")
}

/// The name of a member as it is shown: whole unless somebody chose a very long one.
pub(super) fn name(name: &str) -> Cow<'_, str> {
    if name.len() <= NAME {
        return Cow::Borrowed(name);
    }
    let shown = name.get(..name.floor_char_boundary(NAME));
    Cow::Owned(format!("{}…{}", shown.unwrap_or_default(), hash(name)))
}

fn hash(text: &str) -> String {
    let hash = Sha256::digest(text);
    crate::frame::hex(hash.get(..HASH).unwrap_or_default())
}
