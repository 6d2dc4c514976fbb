//! What types say about health checks.

use super::{between, closed, defined, members, text, word};
use portcullis_domain::config::Object;
use serde_json::{Value, json};

/// The definitions of the types with health checks.
pub(super) fn definitions() -> Object {
    members([
        ("duration", duration()),
        ("action", action()),
        ("actionList", action_list()),
        ("method", word(&["GET", "POST", "PUT", "PATCH"])),
        ("portCheck", port_check()),
        ("portCheckList", list_of("portCheck")),
        ("httpCheck", http_check()),
        ("httpCheckList", list_of("httpCheck")),
    ])
}

fn duration() -> Value {
    json!({"type": "string", "pattern": "[0-9]+(h|m|s|ms)"})
}

fn action() -> Value {
    let deeds = "(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)";
    let properties = members([
        ("trigger", word(&["fail", "pass", "change"])),
        ("duration", defined("duration")),
        ("consecutiveEvents", between(0, 65_535)),
        ("action", json!({"type": "string", "pattern": deeds})),
    ]);
    Value::Object(closed(properties, &["trigger", "action"]))
}

fn action_list() -> Value {
    json!({"type": "array", "items": defined("action"), "minItems": 1, "maxItems": 20})
}

fn port_check() -> Value {
    check([("address", text())], &["interval", "timeout", "address"])
}

fn http_check() -> Value {
    let own = [
        ("url", text()),
        ("method", defined("method")),
        ("body", text()),
        ("expectStatus", between(100, 599)),
        ("expectInBody", text()),
    ];
    check(own, &["interval", "timeout", "url"])
}

/// A check that has, besides what all have, its `own` members.
fn check<const N: usize>(own: [(&str, Value); N], required: &[&str]) -> Value {
    let mut properties = members(own);
    properties.extend(members([
        ("interval", defined("duration")),
        ("timeout", defined("duration")),
        ("actions", defined("actionList")),
    ]));
    Value::Object(closed(properties, required))
}

fn list_of(item: &str) -> Value {
    json!({"type": "array", "items": defined(item)})
}
