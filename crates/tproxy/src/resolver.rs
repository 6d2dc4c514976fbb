//! How programs of this machine learn the addresses of intercepted names.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// How programs learn the addresses of intercepted names; `resolver` of a router's tunnel.
///
/// ```
/// use portcullis_tproxy::Resolver;
///
/// let resolver: Resolver = "udp://127.0.0.1:53".parse()?;
/// assert_eq!(resolver, Resolver::NameServer("127.0.0.1:53".parse()?));
/// let resolver: Resolver = "file:///etc/hosts".parse()?;
/// assert_eq!(resolver, Resolver::HostsFile("/etc/hosts".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolver {
    /// They ask a name server of the tunneler, at this address.
    NameServer(SocketAddr),
    /// They look into a file, which the tunneler writes to.
    HostsFile(PathBuf),
}

/// The text names neither a name server nor a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be `udp://` with an IP address and a port, such as `udp://127.0.0.1:53`, or the absolute path of a hosts \
     file, not {0:?}"
)]
pub struct ResolverError(String);

impl FromStr for Resolver {
    type Err = ResolverError;

    /// What follows a `?` tells others what to answer, and counts for nothing here.
    fn from_str(text: &str) -> Result<Self, ResolverError> {
        let error = || ResolverError(text.to_owned());
        let plain = text.split('?').next().unwrap_or_default();
        if let Some(address) = plain.strip_prefix("udp://") {
            let address: SocketAddr = address.parse().ok().ok_or_else(error)?;
            let is_usable = address.port() != 0;
            return is_usable
                .then_some(Self::NameServer(address))
                .ok_or_else(error);
        }
        let path = PathBuf::from(plain.strip_prefix("file://").unwrap_or(plain));
        path.is_absolute()
            .then_some(Self::HostsFile(path))
            .ok_or_else(error)
    }
}

impl fmt::Display for Resolver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameServer(address) => write!(formatter, "udp://{address}"),
            Self::HostsFile(path) => write!(formatter, "file://{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_resolvers() {
        for (text, expected) in [
            ("udp://[fd00::1]:5353", Some("udp://[fd00::1]:5353")),
            (
                "udp://10.0.0.1:53?response=refused",
                Some("udp://10.0.0.1:53"),
            ),
            ("/etc/hosts", Some("file:///etc/hosts")),
            ("udp://10.0.0.1", None),
            ("udp://10.0.0.1:0", None),
            ("udp://localhost:53", None),
            ("tcp://10.0.0.1:53", None),
            ("hosts", None),
            ("", None),
        ] {
            let resolver = text.parse::<Resolver>().ok();
            assert_eq!(
                resolver.map(|it| it.to_string()).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
