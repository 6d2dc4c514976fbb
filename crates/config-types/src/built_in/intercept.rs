//! `intercept.v1`: traffic that a tunneler intercepts on the client's machine.

use super::{addresses, closed_object, described_ref, document, members, string, with_description};
use portcullis_domain::config::JsonObject;
use serde_json::Value;

const SOURCE_IP: &str = "The source address, with or without a port, under which the hosting tunneller dials. '$tunneler_id.name' and '$tunneler_id.tag[x]' stand for name and tag of the client's identity, '$src_ip' and '$src_port' for where the client dials from, '$dst_port' for the port that it dials.";

const SOURCES: &str = "The source addresses that are intercepted; all of them, if this is absent.";

const CONNECT_TIMEOUT: &str =
    "How many seconds dialing may take: 15 by default, and 5 without dialOptions.";

const IDENTITY: &str = "The instance of the service to dial. '$dst_protocol', '$dst_ip' and '$dst_port' stand for what the client dials.";

pub(super) fn schema() -> JsonObject {
    let sources = addresses::set_of("listenAddress");
    let properties = members([
        ("protocols", addresses::set_of("protocolName")),
        ("addresses", addresses::set_of("listenAddress")),
        ("portRanges", addresses::set_of("portRange")),
        ("dialOptions", dial_options()),
        ("sourceIp", with_description(string(), SOURCE_IP)),
        ("allowedSourceAddresses", with_description(sources, SOURCES)),
    ]);
    document(
        "http://edge.openziti.org/schemas/intercept.v1.config.json",
        addresses::definitions(),
        closed_object(properties, &["protocols", "addresses", "portRanges"]),
    )
}

fn dial_options() -> Value {
    let properties = members([
        ("identity", with_description(string(), IDENTITY)),
        (
            "connectTimeoutSeconds",
            described_ref("timeoutSeconds", CONNECT_TIMEOUT),
        ),
    ]);
    Value::Object(closed_object(properties, &[]))
}
