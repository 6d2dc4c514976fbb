//! `host.v1` and `host.v2`: targets that a hosting tunneler dials.

mod listen;

use super::{
    addresses, checks, closed_object, definition_ref, described_ref, document, members,
    with_description,
};
use portcullis_domain::config::JsonObject;
use serde_json::{Value, json};

/// Members for properties that can be forwarded from the intercepted connection: the fixed value, the
/// flag to forward, and the allowed values.
const FORWARDED: [(&str, &str, &str); 3] = [
    ("protocol", "forwardProtocol", "allowedProtocols"),
    ("address", "forwardAddress", "allowedAddresses"),
    ("port", "forwardPort", "allowedPortRanges"),
];

const PROTOCOL: &str = "The protocol to dial.";
const FORWARD_PROTOCOL: &str =
    "Dial the protocol that the client used. Stands in the place of 'protocol'.";
const PROTOCOLS: &str = "The protocols that may be forwarded.";
const ADDRESS: &str = "The IP address or host name to dial.";
const FORWARD_ADDRESS: &str =
    "Dial the address that the client used. Stands in the place of 'address'.";
const ADDRESSES: &str = "The addresses that may be forwarded.";
const TRANSLATIONS: &str = "Networks whose forwarded addresses are replaced by those of others.";
const PORT: &str = "The port to dial.";
const FORWARD_PORT: &str = "Dial the port that the client used. Stands in the place of 'port'.";
const PORT_RANGES: &str = "The ports that may be forwarded.";
const SOURCES: &str =
    "The source addresses with which the tunneller may dial; it adds local routes for them.";
const PROXY: &str = "The proxy through which to dial.";

/// The schema of `host.v1`.
pub(super) fn v1() -> JsonObject {
    document(
        "http://ziti-edge.netfoundry.io/schemas/host.v1.schema.json",
        definitions(),
        terminator(),
    )
}

/// The schema of `host.v2`: several terminators where `host.v1` has one.
pub(super) fn v2() -> JsonObject {
    let mut definitions = definitions();
    definitions.insert("terminator".to_owned(), Value::Object(terminator()));
    let terminators =
        json!({"type": "array", "minItems": 1, "items": definition_ref("terminator")});
    document(
        "http://ziti-edge.netfoundry.io/schemas/host.v2.schema.json",
        definitions,
        closed_object(members([("terminators", terminators)]), &["terminators"]),
    )
}

fn definitions() -> JsonObject {
    let mut definitions = addresses::definitions();
    definitions.extend(checks::definitions());
    definitions
}

fn terminator() -> JsonObject {
    let properties = members([
        ("protocol", described_ref("protocolName", PROTOCOL)),
        ("forwardProtocol", only_true(FORWARD_PROTOCOL)),
        ("allowedProtocols", set("protocolName", PROTOCOLS)),
        ("address", described_ref("dialAddress", ADDRESS)),
        ("forwardAddress", only_true(FORWARD_ADDRESS)),
        ("allowedAddresses", set("listenAddress", ADDRESSES)),
        (
            "forwardAddressTranslations",
            set("addressTranslation", TRANSLATIONS),
        ),
        ("port", described_ref("portNumber", PORT)),
        ("forwardPort", only_true(FORWARD_PORT)),
        ("allowedPortRanges", set("portRange", PORT_RANGES)),
        ("allowedSourceAddresses", set("listenAddress", SOURCES)),
        ("listenOptions", listen::options()),
        ("proxy", described_ref("proxyConfiguration", PROXY)),
        ("portChecks", definition_ref("portCheckList")),
        ("httpChecks", definition_ref("httpCheckList")),
    ]);
    let mut schema = closed_object(properties, &[]);
    let conditions: Vec<_> = FORWARDED.into_iter().map(condition).collect();
    schema.insert("allOf".to_owned(), Value::Array(conditions));
    schema
}

/// Requires the allowed values with the flag to forward, and the fixed value without it.
fn condition((fixed, forward, allowed): (&str, &str, &str)) -> Value {
    json!({
        "if": {"properties": {forward: {"const": true}}, "required": [forward]},
        "then": {"required": [allowed]},
        "else": {"required": [fixed]},
    })
}

fn only_true(description: &str) -> Value {
    with_description(json!({"type": "boolean", "enum": [true]}), description)
}

fn set(item: &str, description: &str) -> Value {
    with_description(addresses::set_of(item), description)
}
