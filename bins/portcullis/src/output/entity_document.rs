//! Entities as documents for scripts.

use serde::Serialize;
use serde_yaml::Value;

/// Member that leads clients of the API to related resources.
const LINKS: &str = "_links";

/// Members whose values are the users' own, and so may hold anything.
const OPAQUE: [&str; 5] = ["appData", "config", "data", "schema", "tags"];

/// The members of an entity in their order, without links.
pub(super) fn of(entity: &impl Serialize) -> Result<Value, anyhow::Error> {
    let mut document = super::to_value(entity)?;
    remove_links(&mut document);
    Ok(document)
}

fn remove_links(value: &mut Value) {
    match value {
        Value::Mapping(members) => {
            members.shift_remove(LINKS);
            for (name, member) in members.iter_mut() {
                let is_opaque = name.as_str().is_some_and(|name| OPAQUE.contains(&name));
                if !is_opaque {
                    remove_links(member);
                }
            }
        },
        Value::Sequence(items) => items.iter_mut().for_each(remove_links),
        _ => {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn links_are_left_out_and_data_is_kept() {
        let entity = json!({
            "_links": {"self": {"href": "./x"}},
            "id": "c1",
            "configType": {"_links": {}, "id": "t1", "name": "host.v1"},
            "roles": [{"_links": {}, "id": "i1"}],
            "data": {"_links": ["mine"]},
            "tags": {"_links": "mine"},
            "number": 18_446_744_073_709_551_615_u64,
        });
        let document = serde_json::to_value(of(&entity).unwrap()).unwrap();
        let expected = json!({
            "id": "c1",
            "configType": {"id": "t1", "name": "host.v1"},
            "roles": [{"id": "i1"}],
            "data": {"_links": ["mine"]},
            "tags": {"_links": "mine"},
            "number": 18_446_744_073_709_551_615_u64,
        });
        assert_eq!(document, expected);
    }
}
