//! Which listeners can share a socket.
//!
//! Listeners with TLS that are bound to the same text are one socket in OpenZiti. It tells them apart
//! by the application protocols (ALPN, RFC 7301) that a client offers, so it refuses a second listener
//! for one of the names.

use std::net::{IpAddr, Ipv4Addr};

use crate::openziti::network::{Owner, Socket};

/// Names of `WebSocket` listeners, which are the same for every kind of listener.
const WEB_SOCKETS: &[&str] = &["h2", "http/1.1"];

/// Names by kind of listener with TLS; the empty one is for clients that offer none.
const NAMES: [(Owner, &[&str]); 5] = [
    (Owner::Link, &["ziti-link"]),
    (Owner::Edge, &["ziti-edge", ""]),
    (Owner::Ctrl, &["ziti-ctrl"]),
    (Owner::Plain, &[""]),
    (Owner::Web, &["h2", "http/1.1", ""]),
];

/// Gives the names of a socket, none when it is not shared. `protocol` is that of the section `transport`:
/// links and edge listeners take it besides their own, other listeners instead.
fn names<'name>(socket: &Socket, protocol: Option<&'name str>) -> Vec<&'name str> {
    if socket.kind == "wss" {
        return WEB_SOCKETS.to_vec();
    }
    if socket.kind != "tls" {
        return Vec::new();
    }
    let own = NAMES
        .iter()
        .find(|(owner, _)| *owner == socket.owner)
        .map_or(&[][..], |(_, names)| names);
    match (socket.owner, protocol) {
        (Owner::Plain, Some(given)) => vec![given],
        (Owner::Link | Owner::Edge, Some(given)) => own.iter().copied().chain([given]).collect(),
        _ => own.to_vec(),
    }
}

/// Tells whether two sockets cannot be open at a time.
pub(super) fn exclude(one: &Socket, other: &Socket, protocol: Option<&str>) -> bool {
    let datagrams = |socket: &Socket| matches!(socket.kind, "udp" | "dtls");
    if one.place.port != other.place.port || datagrams(one) != datagrams(other) {
        return false;
    }
    let (ours, theirs) = (names(one, protocol), names(other, protocol));
    if one.place.host == other.place.host && !ours.is_empty() && !theirs.is_empty() {
        return ours.iter().any(|name| theirs.contains(name));
    }
    one.place.port != 0 && overlap(&one.place.host, &other.place.host)
}

/// Tells whether two hosts have an address in common; an unspecified one stands for all of both families.
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

/// Gives the address that is opened for a host; other names than that of the machine itself are unknown.
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

    const OWNERS: [(Owner, &str); 10] = [
        (Owner::Link, "tls"),
        (Owner::Edge, "tls"),
        (Owner::Ctrl, "tls"),
        (Owner::Plain, "tls"),
        (Owner::Web, "tls"),
        (Owner::Link, "wss"),
        (Owner::Edge, "wss"),
        (Owner::ApiProxy, "tcp"),
        (Owner::Plain, "tcp"),
        (Owner::Plain, "udp"),
    ];

    fn socket(owner: Owner, kind: &'static str, place: &str) -> Socket {
        Socket {
            owner,
            kind,
            place: place.parse().unwrap(),
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
                let taken = exclude(
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
            let link = socket(Owner::Link, "tls", one);
            let edge = socket(Owner::Edge, "tls", other);
            assert_eq!(exclude(&link, &edge, None), taken, "{one} {other}");
        }
    }

    #[test]
    fn any_port_is_one_socket_for_listeners_with_tls() {
        let at = |owner, kind, place| socket(owner, kind, place);
        for (one, other, taken) in [
            (
                at(Owner::Link, "tls", "0.0.0.0:0"),
                at(Owner::Link, "tls", "0.0.0.0:0"),
                true,
            ),
            (
                at(Owner::Link, "tls", "0.0.0.0:0"),
                at(Owner::Edge, "tls", "0.0.0.0:0"),
                false,
            ),
            (
                at(Owner::Link, "wss", "0.0.0.0:0"),
                at(Owner::Edge, "wss", "0.0.0.0:0"),
                true,
            ),
            (
                at(Owner::Plain, "tcp", "0.0.0.0:0"),
                at(Owner::Plain, "tcp", "0.0.0.0:0"),
                false,
            ),
            (
                at(Owner::Link, "tls", "127.0.0.1:0"),
                at(Owner::Link, "tls", "0.0.0.0:0"),
                false,
            ),
        ] {
            assert_eq!(exclude(&one, &other, None), taken, "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_protocol_of_all_listeners_is_one_more_name_or_the_only_one() {
        let at = |owner| socket(owner, "tls", "0.0.0.0:3022");
        for (one, other, protocol, taken) in [
            (Owner::Link, Owner::Edge, "x", true),
            (Owner::Link, Owner::Plain, "x", true),
            (Owner::Link, Owner::Ctrl, "x", false),
            (Owner::Plain, Owner::Web, "x", false),
            (Owner::Plain, Owner::Web, "", true),
            (Owner::Link, Owner::Web, "h2", true),
        ] {
            let found = exclude(&at(one), &at(other), Some(protocol));
            assert_eq!(found, taken, "{one:?} {other:?} {protocol}");
        }
    }
}
