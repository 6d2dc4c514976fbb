//! URIs on the loopback interface.

pub(super) const SCHEMES: [&str; 2] = ["http", "https"];

/// Hosts in the only spelling that is accepted.
pub(super) const HOSTS: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

/// The parts of a URI whose host is one of [`HOSTS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LoopbackUri<'u> {
    pub(super) scheme: &'static str,
    pub(super) host: &'static str,
    /// As written, if there is one.
    pub(super) port: Option<&'u str>,
    /// Everything after host and port, with the query.
    pub(super) path: &'u str,
}

impl<'u> LoopbackUri<'u> {
    /// Splits a URI; `None` if its host is another one. User information is part of no accepted host.
    pub(super) fn split(uri: &'u str) -> Option<Self> {
        let (scheme, rest) = uri.split_once("://")?;
        let scheme = SCHEMES.into_iter().find(|known| *known == scheme)?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        HOSTS.into_iter().find_map(|host| {
            let port = match authority.strip_prefix(host)? {
                "" => None,
                rest => Some(rest.strip_prefix(':')?),
            };
            Some(Self {
                scheme,
                host,
                port,
                path,
            })
        })
    }

    /// Whether the port is a number from 1 to 65535 without leading zeros, or missing.
    pub(super) fn has_valid_port(&self) -> bool {
        self.port.is_none_or(|port| {
            port.bytes().all(|byte| byte.is_ascii_digit())
                && !port.starts_with('0')
                && port.parse::<u16>().is_ok()
        })
    }
}
