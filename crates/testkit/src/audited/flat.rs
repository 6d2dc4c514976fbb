//! Entities by the paths of their members.

use serde_json::Value;
use std::collections::BTreeMap;

/// The members of an entity by their paths. What is `null` is not there.
pub(super) type Flat = BTreeMap<String, Value>;

/// The members of an object by their paths.
pub(super) fn flat(object: &Value) -> Flat {
    let mut members = Flat::new();
    add(&mut members, "", object);
    members
}

fn add(members: &mut Flat, path: &str, value: &Value) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                add(members, &path, value);
            }
        },
        Value::Null => {},
        value => {
            members.insert(path.to_owned(), value.clone());
        },
    }
}
