//! Where this router listens: what a host and a port stand for.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::lookup_host;

/// Addresses of this computer. The first one that can be listened at counts.
///
/// Without a host, it is all that this computer has: a socket for IPv6 takes in IPv4 as well, and where there is
/// no IPv6, one for IPv4 does. Of a name, addresses of IPv4 come first.
pub(crate) async fn listen_addresses(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if host.is_empty() {
        return Ok(vec![
            (Ipv6Addr::UNSPECIFIED, port).into(),
            (Ipv4Addr::UNSPECIFIED, port).into(),
        ]);
    }
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![(address, port).into()]);
    }
    let mut found: Vec<_> = lookup_host((host, port)).await?.collect();
    if found.is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    found.sort_by_key(SocketAddr::is_ipv6);
    Ok(found)
}

/// Opens a listener at the first address that can be had. The error is that of the last one, or `none` without
/// addresses.
pub(crate) fn open_first<T, E>(
    addresses: &[SocketAddr],
    none: E,
    mut open: impl FnMut(SocketAddr) -> Result<T, E>,
) -> Result<T, E> {
    let mut failure = none;
    for address in addresses {
        match open(*address) {
            Ok(opened) => return Ok(opened),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn hosts_stand_for_addresses_of_this_computer() {
        let shown = async |host| {
            let addresses = listen_addresses(host, 7).await.unwrap().into_iter();
            addresses
                .map(|address| address.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(shown("").await, ["[::]:7", "0.0.0.0:7"]);
        assert_eq!(shown("::1").await, ["[::1]:7"]);
        assert_eq!(shown("192.0.2.1").await, ["192.0.2.1:7"]);
        assert_eq!(shown("localhost").await[0], "127.0.0.1:7");
        assert!(listen_addresses("no host", 7).await.is_err());
    }

    #[test]
    fn first_address_that_can_be_had_counts() {
        let addresses = [1, 2, 3].map(|port| (Ipv4Addr::LOCALHOST, port).into());
        let from_two = |address: SocketAddr| {
            let port = address.port();
            if port >= 2 { Ok(port) } else { Err(port) }
        };
        assert_eq!(open_first(&addresses, 0, from_two), Ok(2));
        assert_eq!(open_first(&addresses[..1], 0, from_two), Err(1));
        assert_eq!(open_first(&[], 0, from_two), Err(0));
    }
}
