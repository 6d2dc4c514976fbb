//! `router.link.v1`: the links of a router.

use super::{between, closed, defined, document, explained, members, text, with, word};
use portcullis_domain::config::Object;
use serde_json::{Value, json};

pub(super) fn schema() -> Object {
    let modes = word(&["preserve", "orphaned", "changed"]);
    let properties = members([
        ("listeners", list_of("listener")),
        ("dialers", list_of("dialer")),
        ("heartbeats", defined("heartbeats")),
        ("payloadSenderQueueSize", at_least(1)),
        ("ackSenderQueueSize", at_least(1)),
        ("gcMode", with(modes, "default", json!("preserve"))),
    ]);
    document(
        "https://netfoundry.io/schemas/router.link.v1.config.json",
        definitions(),
        closed(properties, &[]),
    )
}

fn definitions() -> Object {
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
    let groups = json!({"oneOf": [text(), {"type": "array", "items": text()}]});
    explained(
        groups,
        "One group or several; routers link to those that they share a group with.",
    )
}

fn listener() -> Value {
    let binding = with(non_empty(), "default", json!("transport"));
    let properties = members([
        ("bind", non_empty()),
        ("binding", binding),
        ("advertise", text()),
        ("bindInterface", text()),
        ("groups", defined("groups")),
        ("options", defined("channelOptions")),
    ]);
    Value::Object(closed(properties, &["bind"]))
}

fn dialer() -> Value {
    let binding = with(non_empty(), "default", json!("transport"));
    let properties = members([
        ("binding", binding),
        ("maxDefaultConnections", between(1, 100)),
        ("maxAckConnections", between(0, 100)),
        ("startupDelay", defined("duration")),
        ("bindInterface", text()),
        ("groups", defined("groups")),
        ("healthyDialBackoff", defined("backoff")),
        ("unhealthyDialBackoff", defined("backoff")),
        ("options", defined("channelOptions")),
    ]);
    Value::Object(closed(properties, &[]))
}

fn heartbeats() -> Value {
    durations(["sendInterval", "checkInterval", "closeUnresponsiveTimeout"])
}

fn channel_options() -> Value {
    let properties = members([
        ("outQueueSize", at_least(0)),
        ("maxQueuedConnects", between(0, 5000)),
        ("maxOutstandingConnects", between(1, 1000)),
        ("connectTimeout", defined("duration")),
        ("writeTimeout", defined("duration")),
    ]);
    Value::Object(closed(properties, &[]))
}

fn backoff() -> Value {
    let factor = json!({"type": "number", "minimum": 1, "maximum": 100});
    let properties = members([
        ("retryBackoffFactor", factor),
        ("minRetryInterval", defined("duration")),
        ("maxRetryInterval", defined("duration")),
    ]);
    Value::Object(closed(properties, &[]))
}

fn durations<const N: usize>(names: [&str; N]) -> Value {
    let properties = names.map(|name| (name, defined("duration")));
    Value::Object(closed(members(properties), &[]))
}

fn list_of(item: &str) -> Value {
    json!({"type": "array", "items": defined(item)})
}

fn non_empty() -> Value {
    json!({"type": "string", "minLength": 1})
}

fn at_least(minimum: u32) -> Value {
    json!({"type": "integer", "minimum": minimum})
}
