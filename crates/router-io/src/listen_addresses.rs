//! Where this router listens: what a host and a port stand for.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use portcullis_listener::{ListenError, is_unsupported_family};
use tokio::net::lookup_host;

/// Addresses that are to be listened at: the first one that this computer has.
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

/// That an address could not be listened at.
pub(crate) trait ListenFailure {
    /// Whether this computer has no such address, so that another one may stand for it.
    fn is_not_here(&self) -> bool;
}

impl ListenFailure for ListenError {
    fn is_not_here(&self) -> bool {
        matches!(self, Self::NotHere(_))
    }
}

impl ListenFailure for io::Error {
    fn is_not_here(&self) -> bool {
        self.kind() == io::ErrorKind::AddrNotAvailable || is_unsupported_family(self)
    }
}

/// The error of a listener without addresses.
pub(crate) fn no_address() -> ListenError {
    ListenError::NotHere((Ipv6Addr::UNSPECIFIED, 0).into())
}

/// Opens a listener at the first address that this computer has. One that it has but cannot be had, such as one
/// that is in use, is an error: elsewhere, nobody would look for the listener.
///
/// # Errors
///
/// That of the last address that was tried, or `none` without addresses.
pub(crate) fn open_first<T, E: ListenFailure>(
    addresses: &[SocketAddr],
    none: E,
    mut open: impl FnMut(SocketAddr) -> Result<T, E>,
) -> Result<T, E> {
    let mut failure = none;
    for address in addresses {
        match open(*address) {
            Err(error) if error.is_not_here() => failure = error,
            result => return result,
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
    fn first_address_that_is_here_counts() {
        use io::ErrorKind;
        let addresses = [1, 2, 3].map(|port| (Ipv4Addr::LOCALHOST, port).into());
        let open = |addresses: &[SocketAddr], second: Result<u16, ErrorKind>| {
            let none = io::Error::from(ErrorKind::NotFound);
            let opened = open_first(addresses, none, |address| match address.port() {
                1 => Err(ErrorKind::AddrNotAvailable.into()),
                2 => second.map_err(io::Error::from),
                port => Ok(port),
            });
            opened.map_err(|error| error.kind())
        };
        let not_here = Err(ErrorKind::AddrNotAvailable);
        assert_eq!(open(&addresses, Ok(2)), Ok(2));
        assert_eq!(open(&addresses, not_here), Ok(3));
        let in_use = Err(ErrorKind::AddrInUse);
        assert_eq!(open(&addresses, in_use), in_use);
        assert_eq!(open(&addresses[..1], Ok(2)), not_here);
        assert_eq!(open(&[], Ok(2)), Err(ErrorKind::NotFound));
    }
}
