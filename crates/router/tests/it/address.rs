//! Addresses of servers and listeners.

use portcullis_router::address::{
    AddressError, HostPort, HostPortError, IpFamily, PacketAddress, Protocol, TransportAddress,
};

fn place(host: &str, port: u16) -> HostPort {
    HostPort {
        host: host.to_owned(),
        port,
    }
}

#[test]
fn addresses_of_servers_are_read_and_shown() {
    for (text, protocol, host, port) in [
        ("tcp:localhost:22", Protocol::Tcp, "localhost", 22),
        (
            "tls:server.example.com:443",
            Protocol::Tls,
            "server.example.com",
            443,
        ),
        ("udp:192.0.2.1:53", Protocol::Udp, "192.0.2.1", 53),
        ("tcp:[::1]:8080", Protocol::Tcp, "::1", 8080),
        ("tcp:[fe80::1%eth0]:1", Protocol::Tcp, "fe80::1%eth0", 1),
    ] {
        let address = TransportAddress::to_dial(text).unwrap();
        let expected = TransportAddress {
            protocol,
            place: place(host, port),
        };
        assert_eq!(address, expected, "{text}");
        assert_eq!(address.to_string(), text);
    }
}

#[test]
fn addresses_of_packets_are_read_and_shown() {
    for (text, family) in [
        ("udp:dns.example.com:53", IpFamily::Any),
        ("udp4:dns.example.com:53", IpFamily::V4),
        ("udp6:dns.example.com:53", IpFamily::V6),
    ] {
        let address = PacketAddress::to_dial(text).unwrap();
        let expected = PacketAddress::Udp {
            family,
            place: place("dns.example.com", 53),
        };
        assert_eq!(address, expected, "{text}");
        assert_eq!(address.to_string(), text);
    }
    let address = PacketAddress::to_dial("unixgram:/run/a:b.sock").unwrap();
    assert_eq!(address, PacketAddress::Unix("/run/a:b.sock".into()));
    assert_eq!(address.to_string(), "unixgram:/run/a:b.sock");
}

#[test]
fn what_cannot_be_dialed_says_why() {
    for (text, error) in [
        (
            "tcp:server",
            AddressError::Place(HostPortError::MissingPort),
        ),
        ("tcp:::1:22", AddressError::Place(HostPortError::BadHost)),
        (
            "tcp:server:99999",
            AddressError::Place(HostPortError::BadPort),
        ),
        ("tcp://server:22", AddressError::Url),
        ("tcp::22", AddressError::NoHost),
        ("tcp:server:0", AddressError::NoPort),
        ("wss:server:443", AddressError::NotSpoken("wss")),
        (
            "TCP:server:22",
            AddressError::UnknownProtocol("TCP".to_owned()),
        ),
        (
            "server:22",
            AddressError::UnknownProtocol("server".to_owned()),
        ),
    ] {
        assert_eq!(TransportAddress::to_dial(text), Err(error), "{text}");
    }
    for (text, error) in [
        ("udp::53", AddressError::NoHost),
        ("udp://server:53", AddressError::Url),
        ("udp6:[::1]:0", AddressError::NoPort),
        ("unixgram:", AddressError::NoPath),
        (
            "tcp:server:22",
            AddressError::UnknownPackets("tcp".to_owned()),
        ),
    ] {
        assert_eq!(PacketAddress::to_dial(text), Err(error), "{text}");
    }
    let empty = TransportAddress::to_dial("").unwrap_err();
    assert_eq!(
        empty.to_string(),
        "the protocol is missing; write it like `tcp:server.example.com:22`"
    );
}

/// A listener may have all addresses of the machine, and any port.
#[test]
fn listeners_need_no_host_and_no_port() {
    let address: TransportAddress = "tcp::0".parse().unwrap();
    assert_eq!(address.place, place("", 0));
    let address: PacketAddress = "udp::0".parse().unwrap();
    assert_eq!(address.to_string(), "udp::0");
}
