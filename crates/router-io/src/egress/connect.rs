//! Connections to servers.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use futures_util::TryFutureExt as _;
use portcullis_router::address::{HostPort, IpFamily};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{Instant, timeout_at};

use super::failure::Unreached;
use crate::outgoing::Outgoing;
use crate::tcp::connect_to;

/// When a dial has to be over: the controller waits for it, and the file may allow less.
pub(super) fn deadline(controller: Instant, connect_timeout: Duration) -> Instant {
    controller.min(Instant::now() + connect_timeout)
}

/// Waits for a step of a dial, as long as there is time.
pub(super) async fn in_time<T>(
    deadline: Instant,
    step: impl Future<Output = Result<T, Unreached>>,
) -> Result<T, Unreached> {
    let step = timeout_at(deadline, step).await;
    step.map_err(|_elapsed| Unreached::TimedOut)?
}

/// Connects to the first address that answers. Each has its share of the time that is left, so that one
/// that is silent leaves time for the others.
pub(super) async fn tcp(
    outgoing: &Outgoing,
    place: &HostPort,
    deadline: Instant,
) -> Result<TcpStream, Unreached> {
    let addresses = resolve(outgoing, place, IpFamily::Any, deadline).await?;
    let mut failure = Unreached::NoAddress;
    let mut untried = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
    for address in addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        let until = Instant::now() + left / untried;
        untried -= 1;
        let connecting = connect_to(address, None, outgoing.mark).map_err(Unreached::Unconnected);
        match in_time(until, connecting).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// A socket for datagrams to and from one place only.
pub(super) async fn udp(
    outgoing: &Outgoing,
    family: IpFamily,
    place: &HostPort,
    deadline: Instant,
) -> Result<UdpSocket, Unreached> {
    let addresses = resolve(outgoing, place, family, deadline).await?;
    let address = addresses.into_iter().next().ok_or(Unreached::NoAddress)?;
    let local: SocketAddr = if address.is_ipv4() {
        (Ipv4Addr::UNSPECIFIED, 0).into()
    } else {
        (Ipv6Addr::UNSPECIFIED, 0).into()
    };
    let connected = async {
        let socket = UdpSocket::bind(local).await?;
        outgoing.mark.put_on(&socket)?;
        socket.connect(address).await?;
        Ok(socket)
    };
    connected.await.map_err(Unreached::Unconnected)
}

async fn resolve(
    outgoing: &Outgoing,
    place: &HostPort,
    family: IpFamily,
    deadline: Instant,
) -> Result<Vec<SocketAddr>, Unreached> {
    // Who waits longer for a place has too little time left for the server.
    let now = Instant::now();
    let patience = now + deadline.saturating_duration_since(now) / 2;
    let finding = outgoing.lookups.find(&place.host, place.port, patience);
    let mut addresses = in_time(deadline, finding.map_err(Unreached::from)).await?;
    addresses.retain(|address| family.has(address));
    if addresses.is_empty() {
        return Err(Unreached::NoAddress);
    }
    Ok(addresses)
}
