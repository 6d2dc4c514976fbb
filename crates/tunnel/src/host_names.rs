//! Names of hosts, of which only a few are looked up at once.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Lookups at once. Each holds a thread until the operating system gives up, whether or not somebody still waits.
const LOOKUPS: usize = 16;

/// Looks up names of hosts by the operating system.
#[derive(Debug, Clone)]
pub(crate) struct HostNames {
    slots: Arc<Semaphore>,
}

/// The text is no host and port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a host and a port, such as `10.0.0.2:80` or `[2001:db8::1]:80`, not {0:?}")]
pub(crate) struct HostPortError(String);

impl Default for HostNames {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(LOOKUPS)),
        }
    }
}

impl HostNames {
    /// The addresses of a host; at least one. It may take long: how long is for the caller to say.
    pub(crate) async fn find(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        let slot = slot.map_err(io::Error::other)?;
        let name = host.to_owned();
        let looking = spawn_blocking(move || {
            let _until_it_returns = slot;
            let found = (name.as_str(), port).to_socket_addrs()?;
            Ok::<Vec<_>, io::Error>(found.collect())
        });
        let found = looking.await.map_err(io::Error::other)??;
        if found.is_empty() {
            let reason = format!("the host {host} has no address");
            return Err(io::Error::new(io::ErrorKind::NotFound, reason));
        }
        Ok(found)
    }
}

/// Divides `host:port`; IPv6 addresses are in brackets.
pub(crate) fn host_and_port(text: &str) -> Result<(&str, u16), HostPortError> {
    let divide = || {
        let (host, port) = text.rsplit_once(':')?;
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let host = match bare {
            Some(bare) => bare,
            None if host.contains(':') => return None,
            None => host,
        };
        let port = port.parse().ok().filter(|port| *port != 0)?;
        (!host.is_empty()).then_some((host, port))
    };
    divide().ok_or_else(|| HostPortError(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_ports() {
        for (text, expected) in [
            ("10.0.0.2:80", Some(("10.0.0.2", 80))),
            ("wiki.corp:443", Some(("wiki.corp", 443))),
            ("[2001:db8::1]:53", Some(("2001:db8::1", 53))),
            ("2001:db8::1", None),
            ("wiki", None),
            ("wiki:0", None),
            ("wiki:http", None),
            (":80", None),
        ] {
            assert_eq!(host_and_port(text).ok(), expected, "{text}");
        }
    }

    #[tokio::test]
    async fn addresses_are_not_looked_up() {
        let names = HostNames::default();
        assert_eq!(
            names.find("::1", 7).await.unwrap(),
            ["[::1]:7".parse().unwrap()]
        );
        assert!(!names.find("localhost", 7).await.unwrap().is_empty());
        assert!(names.find("no host", 7).await.is_err());
    }
}
