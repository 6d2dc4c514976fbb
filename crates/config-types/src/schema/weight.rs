//! How large values are.

use serde_json::Value;

/// A value and what it consists of, with the length of each.
pub(super) struct Weighed<'a> {
    pub(super) value: &'a Value,
    /// About the length of the value as JSON, in bytes.
    pub(super) weight: u64,
    /// Items and members; the names of the latter.
    pub(super) parts: Vec<(&'a str, Self)>,
}

impl<'a> Weighed<'a> {
    /// Weighs `value`, which does not lie deep.
    pub(super) fn new(value: &'a Value) -> Self {
        let parts: Vec<_> = match value {
            Value::Array(items) => items.iter().map(|item| ("", Self::new(item))).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(name, member)| (name.as_str(), Self::new(member)))
                .collect(),
            _ => Vec::new(),
        };
        let within: u64 = parts
            .iter()
            .map(|(name, part)| bytes(name) + part.weight)
            .sum();
        Self {
            value,
            weight: within + own(value),
            parts,
        }
    }
}

/// About the length of `value` as JSON; what lies deeper than `depth` counts as endless.
pub(super) fn of(value: &Value, depth: usize) -> u64 {
    let Some(below) = depth.checked_sub(1) else {
        return u64::MAX;
    };
    let within = match value {
        Value::Array(items) => items
            .iter()
            .fold(0, |sum: u64, item| sum.saturating_add(of(item, below))),
        Value::Object(members) => members.iter().fold(0, |sum: u64, (name, member)| {
            sum.saturating_add(bytes(name))
                .saturating_add(of(member, below))
        }),
        _ => 0,
    };
    within.saturating_add(own(value))
}

/// What `value` adds to its parts.
fn own(value: &Value) -> u64 {
    match value {
        Value::String(text) => bytes(text),
        _ => 4,
    }
}

/// A text with its quotation marks and what separates it from the next.
pub(super) fn bytes(text: &str) -> u64 {
    u64::try_from(text.len())
        .unwrap_or(u64::MAX)
        .saturating_add(4)
}
