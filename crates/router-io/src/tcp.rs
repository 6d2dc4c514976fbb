//! TCP connections to controllers, other routers and servers.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::{TcpSocket, TcpStream};
use tokio::time::Instant;

use crate::outgoing::Outgoing;
use crate::socket_mark::SocketMark;

/// How long others may be looked up before: longer than anybody waits for a connection.
const LOOKUP_PATIENCE: Duration = Duration::from_mins(5);

/// Connects to a host: from a network interface or a local address, if one is given. Its name is looked up among
/// few others; how long that may take is for the caller to say.
pub(crate) async fn connect(
    outgoing: &Outgoing,
    host: &str,
    port: u16,
    from: Option<&str>,
) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    let patience = Instant::now() + LOOKUP_PATIENCE;
    let addresses = outgoing.lookups.find(host, port, patience).await;
    for address in addresses.map_err(io::Error::other)? {
        match connect_to(address, from, outgoing.mark).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Connects to an address: from a network interface or a local address, if one is given.
pub(crate) async fn connect_to(
    address: SocketAddr,
    from: Option<&str>,
    mark: SocketMark,
) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    mark.put_on(&socket)?;
    if let Some(from) = from {
        let local = local_address(from, address.is_ipv4())?;
        socket.bind(SocketAddr::new(local, 0))?;
    }
    socket.set_keepalive(true)?;
    socket.set_nodelay(true)?;
    socket.connect(address).await
}

/// The address of a network interface, of one family; or the address itself.
fn local_address(from: &str, is_ipv4: bool) -> io::Result<IpAddr> {
    if let Ok(address) = from.parse() {
        return Ok(address);
    }
    let interfaces = if_addrs::get_if_addrs()?;
    let unavailable = |text| io::Error::new(io::ErrorKind::AddrNotAvailable, text);
    if !interfaces.iter().any(|one| one.name == from) {
        let text = format!("there is no network interface {from}, or it has no address");
        return Err(unavailable(text));
    }
    let mut addresses = interfaces
        .iter()
        .filter(|one| one.name == from && !one.is_link_local())
        .map(if_addrs::Interface::ip);
    let found = addresses.find(|address| address.is_ipv4() == is_ipv4);
    found.ok_or_else(|| {
        let family = if is_ipv4 { "IPv4" } else { "IPv6" };
        unavailable(format!(
            "the network interface {from} has no {family} address"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name_lookups::NameLookups;
    use tokio::net::TcpListener;

    fn outgoing(lookups: NameLookups) -> Outgoing {
        Outgoing {
            lookups,
            mark: SocketMark::default(),
        }
    }

    #[tokio::test]
    async fn connection_comes_from_the_address_or_interface_that_is_given() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let outgoing = outgoing(NameLookups::of_routers());
        let connecting = connect(&outgoing, "localhost", port, Some("127.0.0.2"));
        let _stream = connecting.await.unwrap();
        let (_accepted, peer) = listener.accept().await.unwrap();
        assert_eq!(peer.ip().to_string(), "127.0.0.2");
        let error = connect(&outgoing, "127.0.0.1", port, Some("none0"));
        let error = error.await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no network interface none0, or it has no address"
        );
    }

    #[tokio::test]
    async fn names_are_looked_up_among_few_others() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let here = |_host: &str, port| Ok(vec![(std::net::Ipv4Addr::LOCALHOST, port).into()]);
        let one = outgoing(NameLookups::new(1, here));
        let reached = connect(&one, "elsewhere.example", port, None);
        reached.await.unwrap();
        let full = outgoing(NameLookups::new(0, here));
        let waiting = connect(&full, "elsewhere.example", port, None);
        let waiting = tokio::time::timeout(Duration::from_millis(50), waiting).await;
        assert!(waiting.is_err(), "{waiting:?}");
    }
}
