//! Small built-in types.

use super::{
    addresses, checks, closed_object, definition_ref, document, members, string, with_description,
};
use portcullis_domain::config::JsonObject;
use serde_json::json;

pub(super) fn tunneler_client() -> JsonObject {
    let properties = members([("hostname", string()), ("port", addresses::port())]);
    document(
        "http://edge.openziti.org/schemas/ziti-tunneler-client.v1.config.json",
        JsonObject::new(),
        closed_object(properties, &["hostname", "port"]),
    )
}

pub(super) fn tunneler_server() -> JsonObject {
    let protocol = json!({"type": ["string", "null"], "enum": ["tcp", "udp", null]});
    let properties = members([
        ("hostname", string()),
        ("port", addresses::port()),
        ("protocol", protocol),
        ("portChecks", definition_ref("portCheckList")),
        ("httpChecks", definition_ref("httpCheckList")),
    ]);
    document(
        "http://edge.openziti.org/schemas/ziti-tunneler-server.v1.config.json",
        checks::definitions(),
        closed_object(properties, &["hostname", "port"]),
    )
}

pub(super) fn interfaces() -> JsonObject {
    let names = with_description(
        json!({"type": "array", "items": string()}),
        "Names of the network interfaces on which the service may be served.",
    );
    document(
        "https://netfoundry.io/schemas/interfaces.v1.config.json",
        JsonObject::new(),
        closed_object(members([("interfaces", names)]), &["interfaces"]),
    )
}

pub(super) fn proxy() -> JsonObject {
    let binding = with_description(
        string(),
        "Name of the interface or address that the proxy listens on.",
    );
    let properties = members([
        (
            "port",
            json!({"type": "number", "minimum": 1, "maximum": 65_535}),
        ),
        (
            "protocols",
            json!({"type": "array", "minItems": 1, "items": addresses::protocol()}),
        ),
        ("binding", binding),
    ]);
    document(
        "https://netfoundry.io/schemas/proxy.v1.config.json",
        JsonObject::new(),
        closed_object(properties, &["port", "protocols"]),
    )
}
