//! `router.link.v1`: links of a router.

use super::{
    closed_object, definition_ref, document, integer_range, members, string, string_enum,
    with_description, with_member,
};
use portcullis_domain::config::JsonObject;
use serde_json::{Value, json};

pub(super) fn schema() -> JsonObject {
    let modes = string_enum(&["preserve", "orphaned", "changed"]);
    let properties = members([
        ("listeners", list_of("listener")),
        ("dialers", list_of("dialer")),
        ("heartbeats", definition_ref("heartbeats")),
        ("payloadSenderQueueSize", at_least(1)),
        ("ackSenderQueueSize", at_least(1)),
        ("gcMode", with_member(modes, "default", json!("preserve"))),
    ]);
    document(
        "https://netfoundry.io/schemas/router.link.v1.config.json",
        definitions(),
        closed_object(properties, &[]),
    )
}

fn definitions() -> JsonObject {
    members([
        ("duration", duration()),
        ("groups", groups()),
        ("channelOptions", channel_options()),
        ("backoff", backoff()),
        ("heartbeats", heartbeats()),
        ("listener", listener()),
        ("dialer", dialer()),
    ])
}

fn duration() -> Value {
    let pattern = r"^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$";
    json!({"type": "string", "pattern": pattern})
}

fn groups() -> Value {
    let groups = json!({"oneOf": [string(), {"type": "array", "items": string()}]});
    with_description(
        groups,
        "One group or several; routers link to those that they share a group with.",
    )
}

fn listener() -> Value {
    let binding = with_member(non_empty(), "default", json!("transport"));
    let properties = members([
        ("bind", non_empty()),
        ("binding", binding),
        ("advertise", string()),
        ("bindInterface", string()),
        ("groups", definition_ref("groups")),
        ("options", definition_ref("channelOptions")),
    ]);
    Value::Object(closed_object(properties, &["bind"]))
}

fn dialer() -> Value {
    let binding = with_member(non_empty(), "default", json!("transport"));
    let properties = members([
        ("binding", binding),
        ("maxDefaultConnections", integer_range(1, 100)),
        ("maxAckConnections", integer_range(0, 100)),
        ("startupDelay", definition_ref("duration")),
        ("bindInterface", string()),
        ("groups", definition_ref("groups")),
        ("healthyDialBackoff", definition_ref("backoff")),
        ("unhealthyDialBackoff", definition_ref("backoff")),
        ("options", definition_ref("channelOptions")),
    ]);
    Value::Object(closed_object(properties, &[]))
}

fn heartbeats() -> Value {
    durations(["sendInterval", "checkInterval", "closeUnresponsiveTimeout"])
}

fn channel_options() -> Value {
    let properties = members([
        ("outQueueSize", at_least(0)),
        ("maxQueuedConnects", integer_range(0, 5000)),
        ("maxOutstandingConnects", integer_range(1, 1000)),
        ("connectTimeout", definition_ref("duration")),
        ("writeTimeout", definition_ref("duration")),
    ]);
    Value::Object(closed_object(properties, &[]))
}

fn backoff() -> Value {
    let factor = json!({"type": "number", "minimum": 1, "maximum": 100});
    let properties = members([
        ("retryBackoffFactor", factor),
        ("minRetryInterval", definition_ref("duration")),
        ("maxRetryInterval", definition_ref("duration")),
    ]);
    Value::Object(closed_object(properties, &[]))
}

fn durations<const N: usize>(names: [&str; N]) -> Value {
    let properties = names.map(|name| (name, definition_ref("duration")));
    Value::Object(closed_object(members(properties), &[]))
}

fn list_of(item: &str) -> Value {
    json!({"type": "array", "items": definition_ref(item)})
}

fn non_empty() -> Value {
    json!({"type": "string", "minLength": 1})
}

fn at_least(minimum: u32) -> Value {
    json!({"type": "integer", "minimum": minimum})
}
