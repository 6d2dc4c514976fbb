//! Host and port.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

/// Host and port of an address such as `ctrl.example.test:1280` or `[::1]:1280`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostPort {
    /// Host name or IP address without brackets; may be empty.
    pub host: String,
    pub port: u16,
}

/// A text is not a host with a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostPortError {
    /// There is no `:` with a port after it.
    #[error("the port is missing")]
    MissingPort,
    /// The port is not a number from 0 to 65535.
    #[error("the port must be a number from 0 to 65535")]
    BadPort,
    /// There is more than one colon, or brackets are out of place.
    #[error("there are too many colons; write an IPv6 address in brackets")]
    BadHost,
}

impl FromStr for HostPort {
    type Err = HostPortError;

    /// Splits as Go does; an empty host is left to the caller, because some keys allow it.
    fn from_str(text: &str) -> Result<Self, HostPortError> {
        let (host, port) = text.rsplit_once(':').ok_or(HostPortError::MissingPort)?;
        let host = if let Some(inner) = host.strip_prefix('[') {
            inner.strip_suffix(']').ok_or(if inner.contains(']') {
                HostPortError::BadHost
            } else {
                HostPortError::MissingPort
            })?
        } else if host.contains(':') {
            return Err(HostPortError::BadHost);
        } else {
            host
        };
        if host.contains(['[', ']']) {
            return Err(HostPortError::BadHost);
        }
        if port.is_empty() {
            return Err(HostPortError::MissingPort);
        }
        if !port.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(HostPortError::BadPort);
        }
        let port = port.parse().ok().ok_or(HostPortError::BadPort)?;
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') || self.host.parse::<Ipv6Addr>().is_ok() {
            write!(formatter, "[{}]:{}", self.host, self.port)
        } else {
            write!(formatter, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_split_and_join() {
        let cases = [
            ("127.0.0.1:1280", "127.0.0.1", 1280, "127.0.0.1:1280"),
            ("a.b:0", "a.b", 0, "a.b:0"),
            ("a:080", "a", 80, "a:80"),
            (":80", "", 80, ":80"),
            ("[::1]:1", "::1", 1, "[::1]:1"),
            ("[fe80::1%eth0]:1", "fe80::1%eth0", 1, "[fe80::1%eth0]:1"),
            ("[a]:1", "a", 1, "a:1"),
        ];
        for (text, host, port, written) in cases {
            let expected = HostPort {
                host: host.to_owned(),
                port,
            };
            assert_eq!(text.parse::<HostPort>().as_ref(), Ok(&expected), "{text}");
            assert_eq!(expected.to_string(), written, "{text}");
        }
    }

    #[test]
    fn what_is_no_address_says_why() {
        let cases = [
            ("", HostPortError::MissingPort),
            ("a", HostPortError::MissingPort),
            ("a:", HostPortError::MissingPort),
            ("[::1]", HostPortError::MissingPort),
            ("::1", HostPortError::BadHost),
            ("tls:a:80", HostPortError::BadHost),
            ("[a]b:80", HostPortError::BadHost),
            ("a]:80", HostPortError::BadHost),
            ("a:+80", HostPortError::BadPort),
            ("a:-1", HostPortError::BadPort),
            ("a:65536", HostPortError::BadPort),
            ("a:80 ", HostPortError::BadPort),
            ("a:80/x", HostPortError::BadPort),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<HostPort>(), Err(expected), "{text}");
        }
    }
}
