//! Sharing of sockets between listeners.
//!
//! TLS listeners with the same bind text share one socket in OpenZiti. It distinguishes them by the
//! application protocols (ALPN, RFC 7301) that a client offers, so it refuses a second listener for the
//! same protocol.

use std::net::{IpAddr, Ipv4Addr};

use crate::network::socket::{Socket, SocketOwner};

/// ALPN names of `WebSocket` listeners, the same for every owner.
const WEB_SOCKETS: &[&str] = &["h2", "http/1.1"];

/// ALPN names of TLS listeners by owner; the empty one is for clients that offer none.
const ALPN_NAMES: [(SocketOwner, &[&str]); 5] = [
    (SocketOwner::Link, &["ziti-link"]),
    (SocketOwner::Edge, &["ziti-edge", ""]),
    (SocketOwner::Ctrl, &["ziti-ctrl"]),
    (SocketOwner::Plain, &[""]),
    (SocketOwner::Web, &["h2", "http/1.1", ""]),
];

/// Returns the ALPN names of a socket; none if it is not shared. `protocol` is that of the section
/// `transport`: links and edge listeners use it in addition to their own, other listeners instead.
fn alpn_names<'name>(socket: &Socket, protocol: Option<&'name str>) -> Vec<&'name str> {
    if socket.protocol == "wss" {
        return WEB_SOCKETS.to_vec();
    }
    if socket.protocol != "tls" {
        return Vec::new();
    }
    let own = ALPN_NAMES
        .iter()
        .find(|(owner, _)| *owner == socket.owner)
        .map_or(&[][..], |(_, names)| names);
    match (socket.owner, protocol) {
        (SocketOwner::Plain, Some(given)) => vec![given],
        (SocketOwner::Link | SocketOwner::Edge, Some(given)) => {
            own.iter().copied().chain([given]).collect()
        },
        _ => own.to_vec(),
    }
}

/// Whether two sockets cannot be open at the same time.
pub(super) fn conflict(one: &Socket, other: &Socket, protocol: Option<&str>) -> bool {
    let datagrams = |socket: &Socket| matches!(socket.protocol, "udp" | "dtls");
    if one.host_port.port != other.host_port.port || datagrams(one) != datagrams(other) {
        return false;
    }
    let (ours, theirs) = (alpn_names(one, protocol), alpn_names(other, protocol));
    if one.host_port.host == other.host_port.host && !ours.is_empty() && !theirs.is_empty() {
        return ours.iter().any(|name| theirs.contains(name));
    }
    one.host_port.port != 0 && overlap(&one.host_port.host, &other.host_port.host)
}

/// Whether two hosts have an address in common; an unspecified one covers both families.
fn overlap(one: &str, other: &str) -> bool {
    let everywhere = |host: &str| {
        host.is_empty() || address(host).is_some_and(|address| address.is_unspecified())
    };
    if everywhere(one) || everywhere(other) {
        return true;
    }
    match (address(one), address(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.eq_ignore_ascii_case(other),
    }
}

/// Returns the address that is opened for a host; of names, only `localhost` is resolved.
fn address(host: &str) -> Option<IpAddr> {
    if host.eq_ignore_ascii_case("localhost") {
        return Some(Ipv4Addr::LOCALHOST.into());
    }
    let address: IpAddr = host.parse().ok()?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNERS: [(SocketOwner, &str); 10] = [
        (SocketOwner::Link, "tls"),
        (SocketOwner::Edge, "tls"),
        (SocketOwner::Ctrl, "tls"),
        (SocketOwner::Plain, "tls"),
        (SocketOwner::Web, "tls"),
        (SocketOwner::Link, "wss"),
        (SocketOwner::Edge, "wss"),
        (SocketOwner::ApiProxy, "tcp"),
        (SocketOwner::Plain, "tcp"),
        (SocketOwner::Plain, "udp"),
    ];

    fn socket(owner: SocketOwner, kind: &'static str, place: &str) -> Socket {
        Socket {
            owner,
            protocol: kind,
            host_port: place.parse().unwrap(),
            path: String::new(),
        }
    }

    #[test]
    fn every_pair_on_one_address() {
        // `x`: they exclude each other; a row and a column for each of the owners above.
        let expected = [
            "x......xx.",
            ".x.xx..xx.",
            "..x....xx.",
            ".x.xx..xx.",
            ".x.xxxxxx.",
            "....xxxxx.",
            "....xxxxx.",
            "xxxxxxxxx.",
            "xxxxxxxxx.",
            ".........x",
        ];
        for ((one, kind), row) in OWNERS.into_iter().zip(expected) {
            for ((other, other_kind), mark) in OWNERS.into_iter().zip(row.chars()) {
                let taken = conflict(
                    &socket(one, kind, "0.0.0.0:3022"),
                    &socket(other, other_kind, "0.0.0.0:3022"),
                    None,
                );
                assert_eq!(taken, mark == 'x', "{one:?} {kind}, {other:?} {other_kind}");
            }
        }
    }

    #[test]
    fn hosts_that_overlap_share_only_when_written_alike() {
        for (one, other, taken) in [
            ("127.0.0.1:1", "127.0.0.1:1", false),
            ("127.0.0.1:1", "127.0.0.1:2", false),
            ("127.0.0.1:1", "127.0.0.2:1", false),
            ("127.0.0.1:1", "0.0.0.0:1", true),
            ("[::1]:1", "0.0.0.0:1", true),
            (":1", "0.0.0.0:1", true),
            (":1", ":1", false),
            ("localhost:1", "127.0.0.1:1", true),
            ("LocalHost:1", "127.0.0.1:1", true),
            ("localhost:1", "localhost:1", false),
            ("localhost:1", "[::1]:1", false),
            ("[::ffff:127.0.0.1]:1", "127.0.0.1:1", true),
            ("[0:0:0:0:0:0:0:1]:1", "[::1]:1", true),
            ("r1.example:1", "R1.example:1", true),
            ("r1.example:1", "r2.example:1", false),
            ("0.0.0.0:0", "127.0.0.1:0", false),
        ] {
            let link = socket(SocketOwner::Link, "tls", one);
            let edge = socket(SocketOwner::Edge, "tls", other);
            assert_eq!(conflict(&link, &edge, None), taken, "{one} {other}");
        }
    }

    #[test]
    fn any_port_is_one_socket_for_listeners_with_tls() {
        let at = |owner, kind, place| socket(owner, kind, place);
        for (one, other, taken) in [
            (
                at(SocketOwner::Link, "tls", "0.0.0.0:0"),
                at(SocketOwner::Link, "tls", "0.0.0.0:0"),
                true,
            ),
            (
                at(SocketOwner::Link, "tls", "0.0.0.0:0"),
                at(SocketOwner::Edge, "tls", "0.0.0.0:0"),
                false,
            ),
            (
                at(SocketOwner::Link, "wss", "0.0.0.0:0"),
                at(SocketOwner::Edge, "wss", "0.0.0.0:0"),
                true,
            ),
            (
                at(SocketOwner::Plain, "tcp", "0.0.0.0:0"),
                at(SocketOwner::Plain, "tcp", "0.0.0.0:0"),
                false,
            ),
            (
                at(SocketOwner::Link, "tls", "127.0.0.1:0"),
                at(SocketOwner::Link, "tls", "0.0.0.0:0"),
                false,
            ),
        ] {
            assert_eq!(conflict(&one, &other, None), taken, "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_protocol_of_all_listeners_is_one_more_name_or_the_only_one() {
        let at = |owner| socket(owner, "tls", "0.0.0.0:3022");
        for (one, other, protocol, taken) in [
            (SocketOwner::Link, SocketOwner::Edge, "x", true),
            (SocketOwner::Link, SocketOwner::Plain, "x", true),
            (SocketOwner::Link, SocketOwner::Ctrl, "x", false),
            (SocketOwner::Plain, SocketOwner::Web, "x", false),
            (SocketOwner::Plain, SocketOwner::Web, "", true),
            (SocketOwner::Link, SocketOwner::Web, "h2", true),
        ] {
            let found = conflict(&at(one), &at(other), Some(protocol));
            assert_eq!(found, taken, "{one:?} {other:?} {protocol}");
        }
    }
}
