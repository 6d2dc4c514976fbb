//! Targets of fetch requests.

use std::net::IpAddr;

use rustls_pki_types::ServerName;
use url::{Host, Url};

use crate::error::FetchError;

/// The server and the document of a URL.
pub(crate) struct FetchTarget<'u> {
    url: &'u Url,
    host: Host<&'u str>,
    port: u16,
}

impl<'u> FetchTarget<'u> {
    /// Parses the parts of `url`.
    pub(crate) fn parse(url: &'u Url) -> Result<Self, FetchError> {
        let refused = || FetchError::Scheme {
            scheme: url.scheme().to_owned(),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused());
        }
        // URLs of both schemes always have a host and a port.
        let (host, port) = url
            .host()
            .zip(url.port_or_known_default())
            .ok_or_else(refused)?;
        let host = match host {
            Host::Domain(name) => Host::Domain(name.trim_end_matches('.')),
            address @ (Host::Ipv4(_) | Host::Ipv6(_)) => address,
        };
        let target = Self { url, host, port };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Credentials {
                host: target.host(),
            });
        }
        Ok(target)
    }

    /// The host for error messages.
    pub(crate) fn host(&self) -> String {
        self.host.to_string()
    }

    /// The host name, without a trailing dot; `None` if the URL contains an address.
    pub(crate) fn name(&self) -> Option<&'u str> {
        match self.host {
            Host::Domain(name) => Some(name),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        }
    }

    /// The literal address of the URL; `None` if it contains a host name.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self.host {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The name that the certificate must be for; `None` if no certificate can name the host.
    pub(crate) fn server_name(&self) -> Option<ServerName<'static>> {
        match self.address() {
            Some(address) => Some(ServerName::from(address)),
            None => ServerName::try_from(self.host()).ok(),
        }
    }

    /// The value of the `Host` header (RFC 9110, section 7.2).
    pub(crate) fn authority(&self) -> String {
        match self.url.port() {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host(),
        }
    }

    pub(crate) fn path_and_query(&self) -> &'u str {
        &self.url[url::Position::BeforePath..url::Position::AfterQuery]
    }

    /// Resolves the location of a redirect, which may be relative.
    pub(crate) fn join(&self, location: &str) -> Option<Url> {
        self.url.join(location).ok()
    }
}
