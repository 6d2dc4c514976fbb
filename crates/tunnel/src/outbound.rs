//! Connections to servers and proxies.

#[cfg(target_os = "linux")]
mod kernel;
#[cfg(not(target_os = "linux"))]
mod no_kernel;

#[cfg(target_os = "linux")]
pub(crate) use kernel::Kernel;
#[cfg(not(target_os = "linux"))]
pub(crate) use no_kernel::Kernel;

use crate::host_names::HostNames;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use portcullis_tunnel_config::SourceAddress;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream, UdpSocket};
use tokio::time::sleep;

/// How long an address of a host has to answer before the next one is tried as well (RFC 8305, section 5).
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

/// Opens connections to servers.
#[derive(Debug, Default)]
pub(crate) struct Outbound {
    names: HostNames,
    /// What keeps them from being intercepted, and has them come from addresses that are not this machine's.
    pub(crate) kernel: OnceLock<Kernel>,
}

/// Why a server cannot be reached.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutboundError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it has no address of the kind of the source address {0}")]
    NoAddressLike(String),
    #[error("the host cannot connect from {from}: {source}")]
    Source { from: String, source: io::Error },
}

impl Outbound {
    /// Connects to the address of a host that answers first. How long that may take is for the caller to say.
    pub(crate) async fn tcp(
        &self,
        host: &str,
        port: u16,
        source: Option<SourceAddress>,
    ) -> Result<TcpStream, OutboundError> {
        let addresses = self.addresses(host, port, source).await?;
        first_to_answer(addresses, |address| self.tcp_to(address, source)).await
    }

    /// As [`Self::tcp`], for datagrams.
    pub(crate) async fn udp(
        &self,
        host: &str,
        port: u16,
        source: Option<SourceAddress>,
    ) -> Result<UdpSocket, OutboundError> {
        let mut last = OutboundError::Io(io::ErrorKind::NotFound.into());
        for address in self.addresses(host, port, source).await? {
            match self.udp_to(address, source).await {
                Ok(connected) => return Ok(connected),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn tcp_to(
        &self,
        address: SocketAddr,
        source: Option<SourceAddress>,
    ) -> Result<TcpStream, OutboundError> {
        if let Some(source) = source
            && let Some(kernel) = self.for_foreign(source)?
        {
            let connecting = kernel.connect_from(socket_address(source), address);
            return connecting.await.map_err(|error| not_from(source, error));
        }
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        if let Some(kernel) = self.kernel.get() {
            kernel.exempt(&socket)?;
        }
        if let Some(source) = source {
            // A port of its own may still be that of a connection that has ended.
            socket.set_reuseaddr(source.port.is_some())?;
            let bound = socket.bind(socket_address(source));
            bound.map_err(|error| not_from(source, error))?;
        }
        socket.set_nodelay(true)?;
        socket.set_keepalive(true)?;
        Ok(socket.connect(address).await?)
    }

    async fn udp_to(
        &self,
        address: SocketAddr,
        source: Option<SourceAddress>,
    ) -> Result<UdpSocket, OutboundError> {
        let any: IpAddr = match address {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = match source {
            Some(source) => {
                let bound = self.udp_from(source).await;
                bound.map_err(|error| not_from(source, error))?
            },
            None => self.udp_at(SocketAddr::new(any, 0)).await?,
        };
        socket.connect(address).await?;
        Ok(socket)
    }

    async fn udp_from(&self, source: SourceAddress) -> io::Result<UdpSocket> {
        match self.for_foreign(source)? {
            Some(kernel) => kernel.bind_from(socket_address(source)),
            None => self.udp_at(socket_address(source)).await,
        }
    }

    async fn udp_at(&self, local: SocketAddr) -> io::Result<UdpSocket> {
        let socket = UdpSocket::bind(local).await?;
        if let Some(kernel) = self.kernel.get() {
            kernel.exempt(&socket)?;
        }
        Ok(socket)
    }

    /// What has sockets come from the address, if it is not this machine's.
    fn for_foreign(&self, source: SourceAddress) -> io::Result<Option<&Kernel>> {
        match self.kernel.get() {
            Some(kernel) if kernel.is_foreign(source.ip)? => Ok(Some(kernel)),
            _ => Ok(None),
        }
    }

    /// Addresses of a host that can be connected to from the source address.
    async fn addresses(
        &self,
        host: &str,
        port: u16,
        source: Option<SourceAddress>,
    ) -> Result<Vec<SocketAddr>, OutboundError> {
        let mut found = self.names.find(host, port).await?;
        if let Some(source) = source {
            found.retain(|address| address.is_ipv4() == source.ip.is_ipv4());
            if found.is_empty() {
                return Err(OutboundError::NoAddressLike(source.to_string()));
            }
        }
        Ok(found)
    }
}

/// Tries addresses in order. The next one has its turn when one has failed, or has not answered for a moment: one
/// that packets vanish on the way to does not keep from the others (RFC 8305, section 5).
async fn first_to_answer<T, F>(
    addresses: Vec<SocketAddr>,
    connect: impl Fn(SocketAddr) -> F,
) -> Result<T, OutboundError>
where
    F: Future<Output = Result<T, OutboundError>>,
{
    let mut failure = OutboundError::Io(io::ErrorKind::NotFound.into());
    let mut addresses = addresses.into_iter();
    let mut attempts = FuturesUnordered::new();
    loop {
        match addresses.next() {
            Some(address) => attempts.push(connect(address)),
            None if attempts.is_empty() => return Err(failure),
            None => {},
        }
        let are_more = addresses.len() > 0;
        tokio::select! {
            Some(ended) = attempts.next() => match ended {
                Ok(connected) => return Ok(connected),
                Err(error) => failure = error,
            },
            () = sleep(ATTEMPT_DELAY), if are_more => {},
        }
    }
}

fn socket_address(source: SourceAddress) -> SocketAddr {
    SocketAddr::new(source.ip, source.port.unwrap_or(0))
}

fn not_from(source: SourceAddress, error: io::Error) -> OutboundError {
    OutboundError::Source {
        from: source.to_string(),
        source: error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use tokio::time::Instant;

    fn address(last: u8) -> SocketAddr {
        ([192, 0, 2, last], 443).into()
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_does_not_answer_does_not_keep_from_the_others() {
        let start = Instant::now();
        let addresses = (1..=4).map(address).collect();
        let answer = first_to_answer(addresses, |tried| async move {
            match tried.ip() {
                ip if ip == address(1).ip() => pending().await,
                ip if ip == address(2).ip() => {
                    Err(io::Error::from(io::ErrorKind::ConnectionRefused).into())
                },
                _ => Ok(tried),
            }
        });
        assert_eq!(answer.await.expect("an answer"), address(3));
        assert_eq!(start.elapsed(), ATTEMPT_DELAY);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_answer_counts_as_well_and_the_last_failure_is_told() {
        let addresses = || vec![address(1), address(2)];
        let answer = first_to_answer(addresses(), |tried| async move {
            if tried == address(2) {
                return pending().await;
            }
            sleep(ATTEMPT_DELAY * 3).await;
            Ok(tried)
        });
        assert_eq!(answer.await.expect("an answer"), address(1));

        let failing = first_to_answer(addresses(), |tried| async move {
            let error = if tried == address(1) {
                io::ErrorKind::ConnectionRefused
            } else {
                io::ErrorKind::HostUnreachable
            };
            Err::<(), _>(io::Error::from(error).into())
        });
        let error = failing.await.expect_err("nobody answers");
        let OutboundError::Io(error) = error else {
            panic!("{error}");
        };
        assert_eq!(error.kind(), io::ErrorKind::HostUnreachable);
    }
}
