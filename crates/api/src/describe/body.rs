//! Bodies that are made up, member by member.

use serde_json::{Map, Value};

/// What stands at `path`, whose steps are names and places in lists.
pub(super) fn get<'v>(body: &'v Value, path: &str) -> Option<&'v Value> {
    body.pointer(&pointer(path))
        .filter(|value| !value.is_null())
}

/// Puts `value` at `path`, below what it takes.
pub(super) fn set(body: &mut Value, path: &str, value: Value) {
    let mut place = body;
    for step in path.split('.') {
        place = match step.parse::<usize>() {
            Ok(_first) => {
                if !place.is_array() {
                    *place = Value::Array(Vec::new());
                }
                first(place)
            },
            Err(_name) => {
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                &mut place[step]
            },
        };
    }
    *place = value;
}

/// The first item of a list, which is there then.
fn first(list: &mut Value) -> &mut Value {
    if list.as_array().is_none_or(Vec::is_empty) {
        *list = Value::Array(vec![Value::Null]);
    }
    &mut list[0]
}

fn pointer(path: &str) -> String {
    format!("/{}", path.replace('.', "/"))
}

/// The path of what a member lies in; empty for the body.
pub(super) fn parent(path: &str) -> &str {
    let outer = path.rsplit_once('.').map_or("", |(outer, _name)| outer);
    outer
        .strip_suffix(".0")
        .unwrap_or(if outer == "0" { "" } else { outer })
}
