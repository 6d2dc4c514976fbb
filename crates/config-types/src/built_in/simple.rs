//! The types that take a few lines each.

use super::{addresses, checks, closed, defined, document, explained, members, text};
use portcullis_domain::config::Object;
use serde_json::json;

pub(super) fn tunneler_client() -> Object {
    let properties = members([("hostname", text()), ("port", addresses::port())]);
    document(
        "http://edge.openziti.org/schemas/ziti-tunneler-client.v1.config.json",
        Object::new(),
        closed(properties, &["hostname", "port"]),
    )
}

pub(super) fn tunneler_server() -> Object {
    let protocol = json!({"type": ["string", "null"], "enum": ["tcp", "udp", null]});
    let properties = members([
        ("hostname", text()),
        ("port", addresses::port()),
        ("protocol", protocol),
        ("portChecks", defined("portCheckList")),
        ("httpChecks", defined("httpCheckList")),
    ]);
    document(
        "http://edge.openziti.org/schemas/ziti-tunneler-server.v1.config.json",
        checks::definitions(),
        closed(properties, &["hostname", "port"]),
    )
}

pub(super) fn interfaces() -> Object {
    let names = explained(
        json!({"type": "array", "items": text()}),
        "Names of the network interfaces on which the service may be served.",
    );
    document(
        "https://netfoundry.io/schemas/interfaces.v1.config.json",
        Object::new(),
        closed(members([("interfaces", names)]), &["interfaces"]),
    )
}

pub(super) fn proxy() -> Object {
    let binding = explained(
        text(),
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
        Object::new(),
        closed(properties, &["port", "protocols"]),
    )
}
