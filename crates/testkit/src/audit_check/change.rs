//! Comparison of audited changes with the lists before and after.

use super::flatten::MemberMap;
use super::listed_kind::ListedKind;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Maximum length of values and of list items, beyond which they are truncated.
const MAX_VALUE_BYTES: usize = 256;
const MAX_ITEM_BYTES: usize = 128;

/// The differences between the audited changes of an entity and its members before and after.
pub(super) fn mismatches(
    kind: &ListedKind,
    sides: [Option<&MemberMap>; 2],
    changes: &Map<String, Value>,
) -> Vec<String> {
    let comparison = Comparison {
        kind,
        states: sides,
    };
    let mut complaints = Vec::new();
    for (path, change) in changes {
        if !comparison.matches_change(path, change) {
            let [old, new] = comparison.values(path);
            complaints.push(format!(
                "{path} is audited as {change}; it was {old} and is {new}"
            ));
        }
    }
    for path in comparison.expected() {
        if !changes.contains_key(path) {
            let [old, new] = comparison.values(path);
            complaints.push(format!("{path} is not audited; it was {old} and is {new}"));
        }
    }
    complaints
}

struct Comparison<'c> {
    kind: &'c ListedKind,
    /// The members before and after; `None` where the entity does not exist.
    states: [Option<&'c MemberMap>; 2],
}

impl<'c> Comparison<'c> {
    /// The members whose changes must be audited.
    fn expected(&self) -> BTreeSet<&'c str> {
        let paths = self
            .states
            .into_iter()
            .flatten()
            .flat_map(|side| side.keys());
        let has_changed = |path: &&String| {
            let [old, new] = self.values(path);
            let goes_without_saying = self.is_created_or_deleted() && self.is_default(path);
            !goes_without_saying && !is_same(&old, &new)
        };
        paths.filter(has_changed).map(String::as_str).collect()
    }

    /// The values of a member before and after.
    fn values(&self, path: &str) -> [Value; 2] {
        self.states.map(|side| {
            let value = side.and_then(|side| side.get(path));
            value.cloned().unwrap_or_default()
        })
    }

    /// Whether the entity was created or deleted.
    fn is_created_or_deleted(&self) -> bool {
        self.states.contains(&None)
    }

    /// Whether a member of a created or deleted entity has its default value.
    fn is_default(&self, path: &str) -> bool {
        let [old, new] = self.values(path);
        let value = if old.is_null() { new } else { old };
        match &value {
            Value::Bool(value) => !value,
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::String(text) => {
                text.is_empty() || self.kind.defaults.contains(&(path, text.as_str()))
            },
            Value::Array(items) => items.is_empty(),
            Value::Null | Value::Object(_) => false,
        }
    }

    fn matches_change(&self, path: &str, change: &Value) -> bool {
        if self.kind.secret.contains(&path) {
            return change == "changed";
        }
        let is_hidden = |hidden: &&str| {
            let below = path.strip_prefix(hidden);
            below.is_some_and(|below| below.is_empty() || below.starts_with('.'))
        };
        if self.kind.hidden.iter().any(is_hidden) {
            return true;
        }
        let Some(change) = change.as_object() else {
            return false;
        };
        let [old, new] = self.values(path);
        let is_list = ["added", "removed", "reordered"]
            .iter()
            .any(|member| change.contains_key(*member));
        if is_list {
            return matches_list(change, (&items(&old), &items(&new)));
        }
        let told = |member| change.get(member).cloned().unwrap_or_default();
        let [before, after] = self.states;
        // Nothing is audited for a state without the entity.
        let is_quiet =
            |member, side: Option<&MemberMap>| side.is_some() || !change.contains_key(member);
        is_quiet("old", before)
            && is_quiet("new", after)
            && is_recorded(&told("old"), &old, MAX_VALUE_BYTES)
            && is_recorded(&told("new"), &new, MAX_VALUE_BYTES)
            && (self.is_created_or_deleted() || old != new)
    }
}

fn items(list: &Value) -> Vec<Value> {
    list.as_array().cloned().unwrap_or_default()
}

fn matches_list(change: &Map<String, Value>, (old, new): (&[Value], &[Value])) -> bool {
    let lacking = |these: &[Value], those: &[Value]| -> Vec<Value> {
        let lacking = these.iter().filter(|item| !those.contains(item));
        lacking.cloned().collect()
    };
    let (added, removed) = (lacking(new, old), lacking(old, new));
    let fits = |member: &str, items: &[Value]| {
        let told = change.get(member).and_then(Value::as_array);
        let told = told.map_or(&[][..], Vec::as_slice);
        told.len() == items.len()
            && told
                .iter()
                .zip(items)
                .all(|(told, item)| is_recorded(told, item, MAX_ITEM_BYTES))
    };
    let is_turned = added.is_empty() && removed.is_empty() && old != new;
    fits("added", &added)
        && fits("removed", &removed)
        && change.contains_key("reordered") == is_turned
}

/// Whether two values are equal. False and empty values are omitted by some lists and shown by
/// others.
fn is_same(one: &Value, other: &Value) -> bool {
    let is_nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    one == other || (is_nothing(one) && is_nothing(other))
}

/// Whether a value is audited as it is, or truncated if it is long.
fn is_recorded(told: &Value, value: &Value, most: usize) -> bool {
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    if text.len() <= most {
        return is_same(told, value);
    }
    let told = told.as_str().unwrap_or_default();
    let beginning = told.split('…').next().unwrap_or_default();
    let length = format!("({} bytes, ", text.len());
    beginning.len() > most - 4 && text.starts_with(beginning) && told.contains(&length)
}
