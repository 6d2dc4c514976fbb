//! Listen options of `host.v1` and `host.v2`.

use super::super::{
    closed_object, described_ref, integer_range, members, string_enum, with_description,
    with_member,
};
use serde_json::{Value, json};

const CONNECT_TIMEOUT: &str =
    "How long dialing may take, 5s by default. Counts before 'connectTimeoutSeconds'.";
const CONNECT_TIMEOUT_SECONDS: &str =
    "How many seconds dialing may take, 5 by default. 'connectTimeout' counts before it.";
const IDENTITY: &str = "The instance of the service that is hosted. '$tunneler_id.name' stands for the name of the tunneller's identity, '$tunneler_id.tag[x]' for its tag x.";
const EDGE_IDENTITY: &str =
    "Whether the instance is called like the tunneller's identity, as with '$tunneler_id.name'.";

pub(super) fn options() -> Value {
    let seconds = described_ref("timeoutSeconds", CONNECT_TIMEOUT_SECONDS);
    let connections = json!({"type": "integer", "minimum": 1});
    let precedence = string_enum(&["default", "required", "failed"]);
    let properties = members([
        (
            "connectTimeoutSeconds",
            with_member(seconds, "deprecated", json!(true)),
        ),
        ("connectTimeout", described_ref("duration", CONNECT_TIMEOUT)),
        (
            "maxConnections",
            with_description(
                connections,
                "How many terminators are made at most, 3 by default.",
            ),
        ),
        (
            "identity",
            with_description(json!({"type": "string"}), IDENTITY),
        ),
        (
            "bindUsingEdgeIdentity",
            with_description(json!({"type": "boolean"}), EDGE_IDENTITY),
        ),
        (
            "cost",
            with_description(
                integer_range(0, 65_535),
                "What it costs to use the terminators, 0 by default.",
            ),
        ),
        (
            "precedence",
            with_description(
                precedence,
                "How the terminators are preferred among those of the service.",
            ),
        ),
    ]);
    Value::Object(closed_object(properties, &[]))
}
