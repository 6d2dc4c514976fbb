//! `host.v1` and `host.v2`: where a hosting tunneller dials to.

mod listen;

use super::{addresses, checks, closed, defined, described, document, explained, members};
use portcullis_domain::config::Object;
use serde_json::{Value, json};

/// What can be dialled as it was intercepted: which member says where to, which one says that it
/// is forwarded, and which one what may be.
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
pub(super) fn one() -> Object {
    document(
        "http://ziti-edge.netfoundry.io/schemas/host.v1.schema.json",
        definitions(),
        terminator(),
    )
}

/// The schema of `host.v2`: several of what `host.v1` has one of.
pub(super) fn several() -> Object {
    let mut definitions = definitions();
    definitions.insert("terminator".to_owned(), Value::Object(terminator()));
    let terminators = json!({"type": "array", "minItems": 1, "items": defined("terminator")});
    document(
        "http://ziti-edge.netfoundry.io/schemas/host.v2.schema.json",
        definitions,
        closed(members([("terminators", terminators)]), &["terminators"]),
    )
}

fn definitions() -> Object {
    let mut definitions = addresses::definitions();
    definitions.extend(checks::definitions());
    definitions
}

fn terminator() -> Object {
    let properties = members([
        ("protocol", described("protocolName", PROTOCOL)),
        ("forwardProtocol", only_true(FORWARD_PROTOCOL)),
        ("allowedProtocols", set("protocolName", PROTOCOLS)),
        ("address", described("dialAddress", ADDRESS)),
        ("forwardAddress", only_true(FORWARD_ADDRESS)),
        ("allowedAddresses", set("listenAddress", ADDRESSES)),
        (
            "forwardAddressTranslations",
            set("addressTranslation", TRANSLATIONS),
        ),
        ("port", described("portNumber", PORT)),
        ("forwardPort", only_true(FORWARD_PORT)),
        ("allowedPortRanges", set("portRange", PORT_RANGES)),
        ("allowedSourceAddresses", set("listenAddress", SOURCES)),
        ("listenOptions", listen::options()),
        ("proxy", described("proxyConfiguration", PROXY)),
        ("portChecks", defined("portCheckList")),
        ("httpChecks", defined("httpCheckList")),
    ]);
    let mut schema = closed(properties, &[]);
    let conditions: Vec<_> = FORWARDED.into_iter().map(condition).collect();
    schema.insert("allOf".to_owned(), Value::Array(conditions));
    schema
}

/// Whoever forwards says what may be forwarded, and whoever does not says where to dial.
fn condition((fixed, forward, allowed): (&str, &str, &str)) -> Value {
    json!({
        "if": {"properties": {forward: {"const": true}}, "required": [forward]},
        "then": {"required": [allowed]},
        "else": {"required": [fixed]},
    })
}

fn only_true(description: &str) -> Value {
    explained(json!({"type": "boolean", "enum": [true]}), description)
}

fn set(item: &str, description: &str) -> Value {
    explained(addresses::set_of(item), description)
}
