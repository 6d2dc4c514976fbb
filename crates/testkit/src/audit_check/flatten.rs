//! Flattening entities to member paths.

use serde_json::Value;
use std::collections::BTreeMap;

/// Members of an entity by path. `null` members are omitted.
pub(super) type MemberMap = BTreeMap<String, Value>;

/// Flattens an object.
pub(super) fn flatten(object: &Value) -> MemberMap {
    let mut members = MemberMap::new();
    add(&mut members, "", object);
    members
}

fn add(members: &mut MemberMap, path: &str, value: &Value) {
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
