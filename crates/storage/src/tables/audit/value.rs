//! Values, lists and names in audit events: truncated, but so that changes stay visible.

use super::node::Node;
use super::schema::{MemberNames, TimeUnit, find};
use portcullis_domain::clock::Timestamp;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum bytes of a value.
pub(super) const MAX_VALUE_BYTES: usize = 256;
/// Maximum bytes of a list item.
const MAX_ITEM_BYTES: usize = 128;
/// Maximum number of added and of removed list items.
pub(super) const MAX_ITEMS: usize = 16;
/// Maximum bytes of a member name.
const MAX_NAME_BYTES: usize = 64;
/// Bytes of the hash of truncated text.
const HASH_BYTES: usize = 8;

/// A value in an audit event.
#[derive(Debug)]
pub(super) enum AuditValue<'n> {
    Stored(Node<'n>),
    Time(Timestamp),
    // Defaults of members that are not stored.
    Bool(bool),
    Number(i64),
    Text(&'static str),
    Null,
}

impl AuditValue<'_> {
    /// A timestamp stored as a number, with separate milliseconds.
    pub(super) fn time(stored: Node<'_>, unit: TimeUnit, milliseconds: i64) -> Option<Self> {
        let number: i64 = stored.json().parse().ok()?;
        let time = match unit {
            TimeUnit::Second => Timestamp::from_second(number),
            TimeUnit::SecondAnd(_) => {
                let whole = number.checked_mul(1000)?;
                Timestamp::from_millisecond(whole.checked_add(milliseconds)?)
            },
            TimeUnit::Millisecond => Timestamp::from_millisecond(number),
        };
        time.ok().map(Self::Time)
    }
}

impl Serialize for AuditValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Stored(node) => serialize_truncated(*node, MAX_VALUE_BYTES, serializer),
            // The timestamp format of the API.
            Self::Time(time) => serializer.collect_str(&format_args!("{time:.3}")),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Null => serializer.serialize_unit(),
        }
    }
}

/// Items added to and removed from a list.
#[derive(Debug, Default)]
pub(super) struct ListChange<'n> {
    added: Vec<Node<'n>>,
    removed: Vec<Node<'n>>,
    /// API names of the members of items.
    names: MemberNames,
}

impl<'n> ListChange<'n> {
    /// Compares two lists.
    pub(super) fn between(before: &[Node<'n>], after: &[Node<'n>], names: MemberNames) -> Self {
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
            if items.len() > MAX_ITEMS {
                map.serialize_entry(more, &(items.len() - MAX_ITEMS))?;
            }
        }
        map.end()
    }
}

struct Items<'s, 'n>(&'s [Node<'n>], MemberNames);

impl Serialize for Items<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(items, names) = *self;
        serializer.collect_seq(items.iter().take(MAX_ITEMS).map(|item| Item(*item, names)))
    }
}

struct Item<'n>(Node<'n>, MemberNames);

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(node, names) = *self;
        if names.is_empty() {
            return serialize_truncated(node, MAX_ITEM_BYTES, serializer);
        }
        let renamed = with_api_names(node, names);
        let renamed = renamed.as_deref().map(str::as_bytes).map(Node::read);
        serialize_truncated(
            renamed.and_then(Result::ok).unwrap_or(node),
            MAX_ITEM_BYTES,
            serializer,
        )
    }
}

/// Renames the members of an object to their API names.
fn with_api_names(object: Node<'_>, names: MemberNames) -> Option<String> {
    let members = object.members()?.into_iter();
    let members: BTreeMap<_, _> = members
        .map(|(name, value)| match find(names, &name) {
            Some(called) => (Cow::Borrowed(called), value),
            None => (name, value),
        })
        .collect();
    serde_json::to_string(&members).ok()
}

fn serialize_truncated<S: Serializer>(
    node: Node<'_>,
    max: usize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    // A string is never longer than its JSON.
    if node.json().len() <= max {
        return node.serialize(serializer);
    }
    let whole = node.text().unwrap_or(Cow::Borrowed(node.json()));
    if whole.len() <= max {
        node.serialize(serializer)
    } else {
        serializer.serialize_str(&truncate(&whole, max))
    }
}

/// Truncates a text and appends length and hash, so that texts with the same beginning differ.
fn truncate(text: &str, max: usize) -> String {
    let shown = text.get(..text.floor_char_boundary(max));
    let (shown, length, hash) = (shown.unwrap_or_default(), text.len(), hash(text));
    format!("{shown}… ({length} bytes, SHA-256 {hash}…)")
}

/// Truncates very long member names.
pub(super) fn truncate_name(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_NAME_BYTES {
        return Cow::Borrowed(name);
    }
    let shown = name.get(..name.floor_char_boundary(MAX_NAME_BYTES));
    Cow::Owned(format!("{}…{}", shown.unwrap_or_default(), hash(name)))
}

fn hash(text: &str) -> String {
    let hash = Sha256::digest(text);
    crate::frame::hex(hash.get(..HASH_BYTES).unwrap_or_default())
}
