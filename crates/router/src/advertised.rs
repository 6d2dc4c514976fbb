//! What others are told to dial.

use crate::edge::is_for_sdks;
use portcullis_router_config::model::{RouterConfig, SourcedValue};
use portcullis_yaml::syntax::HostPort;

/// A host that others dial, and for which they expect a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvertisedHost {
    /// Where it stands in the file, such as `link.listeners[0].advertise`.
    pub key: String,
    pub host: String,
}

/// The hosts at which routers and SDKs are told to dial the router.
///
/// # Examples
///
/// ```
/// use portcullis_router::advertised_hosts;
/// use portcullis_router_config::{CheckOptions, SourceFile, load};
///
/// let file = SourceFile::new(
///     "router.yml",
///     b"link: {listeners: [{binding: transport, bind: 'tls:0.0.0.0:1', advertise: 'tls:r1.test:1'}]}",
/// );
/// let hosts = advertised_hosts(&load(&file, &CheckOptions::new()).config);
/// assert_eq!(hosts[0].key, "link.listeners[0].advertise");
/// assert_eq!(hosts[0].host, "r1.test");
/// ```
pub fn advertised_hosts(config: &RouterConfig) -> Vec<AdvertisedHost> {
    let links = config.link.listeners.iter().enumerate();
    let links = links.map(|(index, listener)| {
        let key = format!("link.listeners[{index}].advertise");
        (key, listener.advertise.as_ref())
    });
    let edges = config.listeners.iter().enumerate();
    let edges = edges.filter(|(_, listener)| is_for_sdks(listener));
    let edges = edges.map(|(index, listener)| {
        let key = format!("listeners[{index}].options.advertise");
        (key, listener.advertise.as_ref())
    });
    let written = links.chain(edges);
    written
        .filter_map(|(key, address)| {
            let host = host_of(address?)?;
            Some(AdvertisedHost { key, host })
        })
        .collect()
}

/// The host of an address with or without a protocol.
fn host_of(address: &SourcedValue<String>) -> Option<String> {
    let text = address.value.as_str();
    let place = text.strip_prefix("tls:").unwrap_or(text);
    let place: HostPort = place.parse().ok()?;
    Some(place.host).filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use portcullis_router_config::{CheckOptions, SourceFile, load};

    use super::*;

    #[test]
    fn routers_and_sdks_are_told_hosts() {
        let file = SourceFile::new(
            "router.yml",
            b"link:
  listeners:
    - {binding: transport, bind: 'tls:0.0.0.0:1', advertise: 'tls:r.test:1'}
    - {binding: transport, bind: 'tls:0.0.0.0:2', advertise: 'tls:[2001:db8::1]:2'}
listeners:
  - {binding: transport, address: 'tls:0.0.0.0:3', options: {advertise: 'other.test:3'}}
  - {binding: edge, address: 'tls:0.0.0.0:4', options: {advertise: 'e.test:4'}}
",
        );
        let hosts = advertised_hosts(&load(&file, &CheckOptions::new()).config);
        let hosts: Vec<_> = hosts.iter().map(|it| (&*it.key, &*it.host)).collect();
        assert_eq!(
            hosts,
            [
                ("link.listeners[0].advertise", "r.test"),
                ("link.listeners[1].advertise", "2001:db8::1"),
                ("listeners[1].options.advertise", "e.test"),
            ]
        );
    }
}
