//! What differs between two forms of a record.

use super::described::{Described, is_said_anyhow};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Members that an event names; more are counted.
const NAMED: usize = 48;
/// Bytes of a value that are shown.
const SHOWN: usize = 256;
/// Members that stand for what is within them.
const WRAPPERS: [&str; 3] = ["spec", "enrollment", "mfa"];

/// What is said of members that changed.
#[derive(Debug, Default)]
pub(super) struct Difference {
    /// By the path of the member: its value before and after, or that it changed.
    pub(super) members: Map<String, Value>,
    /// How many more changed.
    pub(super) more: usize,
    /// Whether the record says that it was changed, even to what it was.
    is_touched: bool,
}

impl Difference {
    /// Whether nothing was done but bookkeeping.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty() && !self.is_touched
    }
}

/// A record taken apart.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// By path, with whether it is secret.
    leaves: BTreeMap<String, (Value, bool)>,
    updated_at: Option<Value>,
}

impl Members {
    /// Takes a record apart. Of a kind that is not known, everything is secret.
    pub(super) fn of(record: Value, described: Option<&Described>) -> Self {
        let mut members = Self::default();
        if let Value::Object(object) = record {
            members.take("", object, described);
        }
        members
    }

    fn take(&mut self, prefix: &str, object: Map<String, Value>, described: Option<&Described>) {
        for (name, value) in object {
            let is_secret = described.is_none_or(|kind| kind.secret.contains(&&*name));
            if prefix.is_empty() && is_said_anyhow(&name) {
                if name == "updated_at" {
                    self.updated_at = Some(value);
                }
                continue;
            }
            let is_wrapper = prefix.is_empty() && WRAPPERS.contains(&&*name);
            let path = match prefix {
                _ if is_wrapper => String::new(),
                "" => name,
                prefix => format!("{prefix}.{name}"),
            };
            if described.is_some_and(|kind| kind.silent.contains(&&*path)) {
                continue;
            }
            match value {
                Value::Object(inner) if !is_secret && !inner.is_empty() => {
                    self.take(&path, inner, described);
                },
                value => {
                    self.leaves.insert(path, (value, is_secret));
                },
            }
        }
    }
}

/// What differs between a record before and after; where there was or is none, everything.
pub(super) fn difference(mut before: Members, mut after: Members) -> Difference {
    let paths: BTreeSet<String> = before
        .leaves
        .keys()
        .chain(after.leaves.keys())
        .cloned()
        .collect();
    let mut difference = Difference {
        is_touched: before.updated_at != after.updated_at,
        ..Difference::default()
    };
    for path in paths {
        let (old, new) = (before.leaves.remove(&path), after.leaves.remove(&path));
        if old == new {
            continue;
        }
        if difference.members.len() == NAMED {
            difference.more += 1;
            continue;
        }
        let is_secret = [&old, &new]
            .into_iter()
            .flatten()
            .any(|(_, is_secret)| *is_secret);
        let said = if is_secret {
            json!("changed")
        } else {
            let sides = [("old", old), ("new", new)].into_iter();
            let sides = sides
                .filter_map(|(side, leaf)| Some((side.to_owned(), shown(leaf?.0))))
                .collect();
            Value::Object(sides)
        };
        difference.members.insert(path, said);
    }
    difference
}

/// A value as it is shown: cut if it is long.
fn shown(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > SHOWN => Value::String(cut(&text)),
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.len() > SHOWN {
                Value::String(cut(&text))
            } else {
                value
            }
        },
        value => value,
    }
}

fn cut(text: &str) -> String {
    let kept = text.get(..text.floor_char_boundary(SHOWN));
    format!("{}…", kept.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::described::described;
    use super::*;
    use crate::tables::{AUTHENTICATOR, IDENTITY};

    fn said(before: Value, after: Value, kind: crate::key::Kind) -> Value {
        let described = described(kind);
        let of = |record| Members::of(record, described.as_ref());
        Value::Object(difference(of(before), of(after)).members)
    }

    #[test]
    fn changed_members_are_told_with_both_values() {
        let before = json!({"id": "i", "updated_at": 1, "attached": {"authenticators": 1},
            "spec": {"name": "laptop", "is_admin": false, "tags": {"site": "berlin", "floor": 2}}});
        let after = json!({"id": "i", "updated_at": 2, "attached": {"authenticators": 2},
            "spec": {"name": "laptop", "is_admin": true, "tags": {"site": "bonn"}}});
        let expected = json!({
            "is_admin": {"old": false, "new": true},
            "tags.site": {"old": "berlin", "new": "bonn"},
            "tags.floor": {"old": 2},
        });
        assert_eq!(said(before, after, IDENTITY), expected);
    }

    #[test]
    fn secrets_are_told_as_changed() {
        let with = |hash: &str| json!({"id": "a", "credential": {"updb": {"username": "u", "password": {"hash": hash}}}});
        let expected = json!({"credential.updb.password": "changed"});
        assert_eq!(said(with("one"), with("two"), AUTHENTICATOR), expected);
        let unknown = crate::key::Kind::of::<0xEE>();
        let expected = json!({"name": "changed"});
        assert_eq!(said(json!({}), json!({"name": "x"}), unknown), expected);
    }

    #[test]
    fn long_values_are_cut_and_many_members_counted() {
        let long = "é".repeat(SHOWN);
        let tags: Map<_, _> = (0..NAMED + 7)
            .map(|number| (number.to_string(), json!(long)))
            .collect();
        let after = Members::of(
            json!({"spec": {"tags": tags}}),
            described(IDENTITY).as_ref(),
        );
        let difference = difference(Members::default(), after);
        assert_eq!((difference.members.len(), difference.more), (NAMED, 7));
        for value in difference.members.values() {
            assert!(value["new"].as_str().unwrap().len() <= SHOWN + 3);
        }
    }
}
