//! Access to members of made-up bodies by path.

use serde_json::{Map, Value};

/// The value at `path`, whose segments are member names and list indexes; `None` for `null`.
pub(super) fn get<'v>(body: &'v Value, path: &str) -> Option<&'v Value> {
    body.pointer(&pointer(path))
        .filter(|value| !value.is_null())
}

/// Puts `value` at `path`. Missing parents become objects, or lists of one item.
pub(super) fn set(body: &mut Value, path: &str, value: Value) {
    let (step, rest) = match path.split_once('.') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    };
    let put = |place: &mut Value| match rest {
        Some(rest) => set(place, rest, value),
        None => *place = value,
    };
    *body = if step.parse::<usize>().is_ok() {
        let items = match body.take() {
            Value::Array(items) => items,
            _ => Vec::new(),
        };
        let mut item = items.into_iter().next().unwrap_or_default();
        put(&mut item);
        Value::Array(vec![item])
    } else {
        let mut members = match body.take() {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        put(members.entry(step).or_insert(Value::Null));
        Value::Object(members)
    };
}

fn pointer(path: &str) -> String {
    format!("/{}", path.replace('.', "/"))
}

/// Path of the object that contains a member; empty for the body.
pub(super) fn parent(path: &str) -> &str {
    let outer = path.rsplit_once('.').map_or("", |(outer, _name)| outer);
    outer
        .strip_suffix(".0")
        .unwrap_or(if outer == "0" { "" } else { outer })
}
