//! Whether what is told of an entity's members is what lists show.

use super::flat::Flat;
use super::kind::Kind;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Bytes beyond which values, and items of lists, are cut.
const VALUE: usize = 256;
const ITEM: usize = 128;

/// What is wrong with what is told of an entity's members, which were and are `sides`.
pub(super) fn complaints(
    kind: &Kind,
    sides: [Option<&Flat>; 2],
    told: &Map<String, Value>,
) -> Vec<String> {
    let comparison = Comparison { kind, sides };
    let mut complaints = Vec::new();
    for (path, change) in told {
        if !comparison.fits(path, change) {
            let [old, new] = comparison.shown(path);
            complaints.push(format!(
                "{path} is told as {change}; it was {old} and is {new}"
            ));
        }
    }
    for path in comparison.expected() {
        if !told.contains_key(path) {
            let [old, new] = comparison.shown(path);
            complaints.push(format!("{path} is not told; it was {old} and is {new}"));
        }
    }
    complaints
}

struct Comparison<'c> {
    kind: &'c Kind,
    /// The members before and after; nothing where there was or is no such entity.
    sides: [Option<&'c Flat>; 2],
}

impl<'c> Comparison<'c> {
    /// The members that have to be told.
    fn expected(&self) -> BTreeSet<&'c str> {
        let paths = self
            .sides
            .into_iter()
            .flatten()
            .flat_map(|side| side.keys());
        let has_changed = |path: &&String| {
            let [old, new] = self.shown(path);
            let goes_without_saying = self.is_whole() && self.is_default(path);
            !goes_without_saying && !is_same(&old, &new)
        };
        paths.filter(has_changed).map(String::as_str).collect()
    }

    /// What a member was and is.
    fn shown(&self, path: &str) -> [Value; 2] {
        self.sides.map(|side| {
            let value = side.and_then(|side| side.get(path));
            value.cloned().unwrap_or_default()
        })
    }

    /// Whether the entity came or went.
    fn is_whole(&self) -> bool {
        self.sides.contains(&None)
    }

    /// Whether a member of an entity that came or went is what it is by itself.
    fn is_default(&self, path: &str) -> bool {
        let [old, new] = self.shown(path);
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

    fn fits(&self, path: &str, change: &Value) -> bool {
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
        let [old, new] = self.shown(path);
        let is_list = ["added", "removed", "reordered"]
            .iter()
            .any(|member| change.contains_key(*member));
        if is_list {
            return fits_list(change, (&items(&old), &items(&new)));
        }
        let told = |member| change.get(member).cloned().unwrap_or_default();
        let [before, after] = self.sides;
        // Nothing is said of a side on which there is no entity.
        let is_quiet = |member, side: Option<&Flat>| side.is_some() || !change.contains_key(member);
        is_quiet("old", before)
            && is_quiet("new", after)
            && is_shown(&told("old"), &old, VALUE)
            && is_shown(&told("new"), &new, VALUE)
            && (self.is_whole() || old != new)
    }
}

fn items(list: &Value) -> Vec<Value> {
    list.as_array().cloned().unwrap_or_default()
}

fn fits_list(change: &Map<String, Value>, (old, new): (&[Value], &[Value])) -> bool {
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
                .all(|(told, item)| is_shown(told, item, ITEM))
    };
    let is_turned = added.is_empty() && removed.is_empty() && old != new;
    fits("added", &added)
        && fits("removed", &removed)
        && change.contains_key("reordered") == is_turned
}

/// Whether two values are the same. What is false or empty is left out by some lists and shown by others.
fn is_same(one: &Value, other: &Value) -> bool {
    let is_nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    one == other || (is_nothing(one) && is_nothing(other))
}

/// Whether a value is told as it is, or cut if it is long.
fn is_shown(told: &Value, value: &Value, most: usize) -> bool {
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
