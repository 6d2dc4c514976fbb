//! What types say about addresses, ports and protocols.

use super::{between, closed, defined, described, explained, members, text, word};
use portcullis_domain::config::Object;
use serde_json::{Value, json};

/// Says that the formats of addresses are a hint to forms and not a check.
const LISTENING: &str = "A host name, an IP address, a network in CIDR notation, or a name whose first label is '*'. Whatever is no valid address or network counts as a DNS name.";

/// The definitions that the types of tunnellers have in common.
pub(super) fn definitions() -> Object {
    members([
        ("portNumber", port()),
        ("portRange", port_range()),
        ("protocolName", protocol()),
        ("inhabitedSet", inhabited_set()),
        ("dialAddress", address()),
        ("listenAddress", explained(address(), LISTENING)),
        ("timeoutSeconds", between(0, 2_147_483_647)),
        ("addressTranslation", translation()),
        ("ipv4AddressTranslation", translation_of("ipv4", 32)),
        ("ipv6AddressTranslation", translation_of("ipv6", 128)),
        ("proxyConfiguration", proxy()),
        (
            "proxyType",
            explained(word(&["http"]), "What kinds of proxies there are."),
        ),
    ])
}

/// A port; 0 stands for any.
pub(super) fn port() -> Value {
    between(0, 65_535)
}

/// A protocol that can be tunnelled.
pub(super) fn protocol() -> Value {
    word(&["tcp", "udp"])
}

/// At least one of what stands under `item` in the definitions, none of them twice.
pub(super) fn set_of(item: &str) -> Value {
    json!({"allOf": [defined("inhabitedSet"), {"items": defined(item)}]})
}

fn inhabited_set() -> Value {
    json!({"type": "array", "minItems": 1, "uniqueItems": true})
}

fn port_range() -> Value {
    let ports = members([
        ("low", defined("portNumber")),
        ("high", defined("portNumber")),
    ]);
    Value::Object(closed(ports, &["low", "high"]))
}

fn address() -> Value {
    json!({"type": "string", "format": "idn-hostname", "not": {"pattern": "^$"}})
}

fn translation() -> Value {
    json!({"oneOf": [defined("ipv4AddressTranslation"), defined("ipv6AddressTranslation")]})
}

fn translation_of(format: &str, bits: u32) -> Value {
    let address = json!({"type": "string", "format": format});
    let properties = members([
        ("from", address.clone()),
        ("to", address),
        ("prefixLength", between(0, bits)),
    ]);
    Value::Object(closed(properties, &[]))
}

fn proxy() -> Value {
    let address = explained(text(), "The proxy, as host:port.");
    json!({
        "type": "object",
        "properties": {
            "type": described("proxyType", "What kind of proxy it is."),
            "address": address,
        },
        "required": ["type", "address"],
    })
}
