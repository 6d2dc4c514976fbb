//! The terms on which a service is hosted.

use super::super::{between, closed, described, explained, members, with, word};
use serde_json::{Value, json};

const CONNECT_TIMEOUT: &str =
    "How long dialing may take, 5s by default. Counts before 'connectTimeoutSeconds'.";
const CONNECT_TIMEOUT_SECONDS: &str =
    "How many seconds dialing may take, 5 by default. 'connectTimeout' counts before it.";
const IDENTITY: &str = "The instance of the service that is hosted. '$tunneler_id.name' stands for the name of the tunneller's identity, '$tunneler_id.tag[x]' for its tag x.";
const EDGE_IDENTITY: &str =
    "Whether the instance is called like the tunneller's identity, as with '$tunneler_id.name'.";

pub(super) fn options() -> Value {
    let seconds = described("timeoutSeconds", CONNECT_TIMEOUT_SECONDS);
    let connections = json!({"type": "integer", "minimum": 1});
    let precedence = word(&["default", "required", "failed"]);
    let properties = members([
        (
            "connectTimeoutSeconds",
            with(seconds, "deprecated", json!(true)),
        ),
        ("connectTimeout", described("duration", CONNECT_TIMEOUT)),
        (
            "maxConnections",
            explained(
                connections,
                "How many terminators are made at most, 3 by default.",
            ),
        ),
        ("identity", explained(json!({"type": "string"}), IDENTITY)),
        (
            "bindUsingEdgeIdentity",
            explained(json!({"type": "boolean"}), EDGE_IDENTITY),
        ),
        (
            "cost",
            explained(
                between(0, 65_535),
                "What it costs to use the terminators, 0 by default.",
            ),
        ),
        (
            "precedence",
            explained(
                precedence,
                "How the terminators are preferred among those of the service.",
            ),
        ),
    ]);
    Value::Object(closed(properties, &[]))
}
