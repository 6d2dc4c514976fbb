//! Tags of circuits: what routers name in their reports of usage, and tell again after a restart.

use portcullis_domain::ids::{IdentityId, ServiceId};
use std::collections::BTreeMap;

/// Who has dialed, who hosts, and which service.
const CLIENT: &str = "clientId";
const HOST: &str = "hostId";
const SERVICE: &str = "serviceId";

/// Bindings of terminators that were created by the right of an identity to host.
const HOSTED: [&str; 2] = ["edge", "tunnel"];

/// Whether the host of a terminator is an identity that may lose its right. What administrators name as
/// the host of another terminator is any text.
pub(crate) fn is_hosted(binding: &str) -> bool {
    HOSTED.contains(&binding)
}

/// The tags of a circuit; without a host before one is chosen, and where none depends on a right.
pub(crate) fn to_wire(
    client: &IdentityId,
    host: Option<&str>,
    service: &ServiceId,
) -> BTreeMap<String, String> {
    let host = host.map(|host| (HOST, host));
    let others = [(CLIENT, client.as_str()), (SERVICE, service.as_str())];
    let all = others.into_iter().chain(host);
    all.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The host that tags name, if there is one that has a right to lose.
pub(crate) fn host(tags: &BTreeMap<String, String>) -> Option<IdentityId> {
    let host = tags.get(HOST).filter(|host| !host.is_empty());
    host.map(|host| IdentityId::from_wire(host.clone()))
}

/// The service that tags name.
pub(crate) fn service(tags: &BTreeMap<String, String>) -> Option<ServiceId> {
    tags.get(SERVICE)
        .map(|service| ServiceId::from_wire(service.clone()))
}
