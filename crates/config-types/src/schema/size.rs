//! Size of JSON values.

use serde_json::Value;

/// A value with the sizes of itself and its parts.
pub(super) struct SizedValue<'a> {
    pub(super) value: &'a Value,
    /// Approximate length of the value as JSON, in bytes.
    pub(super) size: u64,
    /// Items, or members with their names.
    pub(super) parts: Vec<(&'a str, Self)>,
}

impl<'a> SizedValue<'a> {
    /// Computes the sizes of `value`, whose depth has been checked.
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
            .map(|(name, part)| string_size(name) + part.size)
            .sum();
        Self {
            value,
            size: within + own_size(value),
            parts,
        }
    }
}

/// Approximate length of `value` as JSON; [`u64::MAX`] if it is nested more than `depth` levels.
pub(super) fn json_size(value: &Value, depth: usize) -> u64 {
    let Some(below) = depth.checked_sub(1) else {
        return u64::MAX;
    };
    let within = match value {
        Value::Array(items) => items.iter().fold(0, |sum: u64, item| {
            sum.saturating_add(json_size(item, below))
        }),
        Value::Object(members) => members.iter().fold(0, |sum: u64, (name, member)| {
            sum.saturating_add(string_size(name))
                .saturating_add(json_size(member, below))
        }),
        _ => 0,
    };
    within.saturating_add(own_size(value))
}

/// Size of `value` without its parts.
fn own_size(value: &Value) -> u64 {
    match value {
        Value::String(text) => string_size(text),
        _ => 4,
    }
}

/// Size of a string with quotation marks and separator.
pub(super) fn string_size(text: &str) -> u64 {
    u64::try_from(text.len())
        .unwrap_or(u64::MAX)
        .saturating_add(4)
}
