//! Schemas of addresses, ports and protocols.

use super::{
    closed_object, definition_ref, described_ref, integer_range, members, string, string_enum,
    with_description,
};
use portcullis_domain::config::JsonObject;
use serde_json::{Value, json};

/// Description of listen addresses, whose formats are hints for forms and not validated.
const LISTEN_ADDRESS_FORMATS: &str = "A host name, an IP address, a network in CIDR notation, or a name whose first label is '*'. Whatever is no valid address or network counts as a DNS name.";

/// Definitions shared by the types for tunnelers.
pub(super) fn definitions() -> JsonObject {
    members([
        ("portNumber", port()),
        ("portRange", port_range()),
        ("protocolName", protocol()),
        ("inhabitedSet", inhabited_set()),
        ("dialAddress", address()),
        (
            "listenAddress",
            with_description(address(), LISTEN_ADDRESS_FORMATS),
        ),
        ("timeoutSeconds", integer_range(0, 2_147_483_647)),
        ("addressTranslation", translation()),
        ("ipv4AddressTranslation", translation_of("ipv4", 32)),
        ("ipv6AddressTranslation", translation_of("ipv6", 128)),
        ("proxyConfiguration", proxy()),
        (
            "proxyType",
            with_description(string_enum(&["http"]), "What kinds of proxies there are."),
        ),
    ])
}

/// A port; 0 means any.
pub(super) fn port() -> Value {
    integer_range(0, 65_535)
}

/// A protocol that can be tunneled.
pub(super) fn protocol() -> Value {
    string_enum(&["tcp", "udp"])
}

/// A non-empty array of unique items that match the definition `item`.
pub(super) fn set_of(item: &str) -> Value {
    json!({"allOf": [definition_ref("inhabitedSet"), {"items": definition_ref(item)}]})
}

fn inhabited_set() -> Value {
    json!({"type": "array", "minItems": 1, "uniqueItems": true})
}

fn port_range() -> Value {
    let ports = members([
        ("low", definition_ref("portNumber")),
        ("high", definition_ref("portNumber")),
    ]);
    Value::Object(closed_object(ports, &["low", "high"]))
}

fn address() -> Value {
    json!({"type": "string", "format": "idn-hostname", "not": {"pattern": "^$"}})
}

fn translation() -> Value {
    json!({"oneOf": [definition_ref("ipv4AddressTranslation"), definition_ref("ipv6AddressTranslation")]})
}

fn translation_of(format: &str, bits: u32) -> Value {
    let address = json!({"type": "string", "format": format});
    let properties = members([
        ("from", address.clone()),
        ("to", address),
        ("prefixLength", integer_range(0, bits)),
    ]);
    Value::Object(closed_object(properties, &[]))
}

fn proxy() -> Value {
    let address = with_description(string(), "The proxy, as host:port.");
    json!({
        "type": "object",
        "properties": {
            "type": described_ref("proxyType", "What kind of proxy it is."),
            "address": address,
        },
        "required": ["type", "address"],
    })
}
