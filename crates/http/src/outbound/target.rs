//! What one request of a fetch is sent to.

use std::net::IpAddr;

use rustls_pki_types::ServerName;
use url::{Host, Url};

use super::error::FetchError;

/// The server and the document of a URL.
pub(super) struct Target<'u> {
    url: &'u Url,
    host: Host<&'u str>,
    port: u16,
}

impl<'u> Target<'u> {
    /// Takes `url` apart.
    pub(super) fn of(url: &'u Url) -> Result<Self, FetchError> {
        let refused = || FetchError::Scheme {
            scheme: url.scheme().to_owned(),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused());
        }
        // Both have a host and a port by the rules of the parser.
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

    /// The host for the texts of errors.
    pub(super) fn host(&self) -> String {
        self.host.to_string()
    }

    /// The name of the host, without a dot at its end; `None` when the URL holds its address.
    pub(super) fn name(&self) -> Option<&'u str> {
        match self.host {
            Host::Domain(name) => Some(name),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        }
    }

    /// The address that the URL holds; `None` when it names its host.
    pub(super) fn address(&self) -> Option<IpAddr> {
        match self.host {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn is_tls(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The name that the certificate has to be for; `None` when no certificate can name the host.
    pub(super) fn server_name(&self) -> Option<ServerName<'static>> {
        match self.address() {
            Some(address) => Some(ServerName::from(address)),
            None => ServerName::try_from(self.host()).ok(),
        }
    }

    /// The value of the header `Host` (RFC 9110, section 7.2).
    pub(super) fn authority(&self) -> String {
        match self.url.port() {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host(),
        }
    }

    /// Path and query.
    pub(super) fn path_and_query(&self) -> &'u str {
        &self.url[url::Position::BeforePath..url::Position::AfterQuery]
    }

    /// Reads the address of a redirect, which may be relative to this one.
    pub(super) fn join(&self, location: &str) -> Option<Url> {
        self.url.join(location).ok()
    }
}
