//! Schemas of health checks.

use super::{closed_object, definition_ref, integer_range, members, string, string_enum};
use portcullis_domain::config::JsonObject;
use serde_json::{Value, json};

/// Definitions of the types with health checks.
pub(super) fn definitions() -> JsonObject {
    members([
        ("duration", duration()),
        ("action", action()),
        ("actionList", action_list()),
        ("method", string_enum(&["GET", "POST", "PUT", "PATCH"])),
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
    let pattern = "(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)";
    let properties = members([
        ("trigger", string_enum(&["fail", "pass", "change"])),
        ("duration", definition_ref("duration")),
        ("consecutiveEvents", integer_range(0, 65_535)),
        ("action", json!({"type": "string", "pattern": pattern})),
    ]);
    Value::Object(closed_object(properties, &["trigger", "action"]))
}

fn action_list() -> Value {
    json!({"type": "array", "items": definition_ref("action"), "minItems": 1, "maxItems": 20})
}

fn port_check() -> Value {
    check([("address", string())], &["interval", "timeout", "address"])
}

fn http_check() -> Value {
    let own = [
        ("url", string()),
        ("method", definition_ref("method")),
        ("body", string()),
        ("expectStatus", integer_range(100, 599)),
        ("expectInBody", string()),
    ];
    check(own, &["interval", "timeout", "url"])
}

/// A health check with its `own` members in addition to the common ones.
fn check<const N: usize>(own: [(&str, Value); N], required: &[&str]) -> Value {
    let mut properties = members(own);
    properties.extend(members([
        ("interval", definition_ref("duration")),
        ("timeout", definition_ref("duration")),
        ("actions", definition_ref("actionList")),
    ]));
    Value::Object(closed_object(properties, required))
}

fn list_of(item: &str) -> Value {
    json!({"type": "array", "items": definition_ref(item)})
}
