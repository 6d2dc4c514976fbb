//! Errors of fetching documents.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use crate::address::AddressClass;

/// Rustls refused the settings.
#[derive(Debug, thiserror::Error)]
#[error("TLS could not be set up")]
pub struct TlsSetupError(#[source] pub(crate) rustls::Error);

/// A document could not be fetched.
///
/// Messages name the host and the rule, and nothing of a response but its status: whoever may set a
/// URL may not therefore read what is there. Sources are for the log; that of [`Self::Untrusted`]
/// says which names the certificate is for.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The URL's scheme is neither `http` nor `https`.
    #[error("unsupported URL scheme `{scheme}`; use https")]
    Scheme {
        /// Scheme of the URL.
        scheme: String,
    },
    /// The URL contains a user name or a password.
    #[error("the URL of {host} must not contain a user name or password")]
    Credentials {
        /// Host of the URL.
        host: String,
    },
    /// The host is refused.
    #[error("host {host} is not permitted: {rule}")]
    HostRefused {
        /// Host of the URL.
        host: String,
        /// The rule that refuses it.
        rule: HostRule,
    },
    /// An address is refused.
    #[error("address {address}{} is not permitted: {rule}", OfHost(host.as_deref()))]
    AddressRefused {
        /// The address.
        address: IpAddr,
        /// The host that it belongs to; `None` if the URL contains the address itself.
        host: Option<String>,
        /// The rule that refuses it.
        rule: AddressRule,
    },
    /// Plain HTTP to an address for which that is not allowed.
    #[error(
        "key sets must be fetched over https, because plain http can be tampered with; use https, or \
         add the address of {host} to edge.externalJwtSigners.jwksFetch.allowedIPs"
    )]
    PlainHttp {
        /// Host of the URL.
        host: String,
    },
    /// The host could not be resolved.
    #[error("host {host} could not be resolved; check the name and the DNS of the controller")]
    Unresolved {
        /// Host of the URL.
        host: String,
        #[source]
        source: io::Error,
    },
    /// The host has no address, or none could be connected to.
    #[error("host {host} could not be reached")]
    Unreachable {
        /// Host of the URL.
        host: String,
        #[source]
        source: io::Error,
    },
    /// The certificate is not trusted for the host.
    #[error("the TLS certificate of host {host} could not be verified")]
    Untrusted {
        /// Host of the URL.
        host: String,
        #[source]
        source: rustls::Error,
    },
    /// The URL cannot be put into a request.
    #[error("the URL of host {host} cannot be requested")]
    InvalidRequest {
        /// Host of the URL.
        host: String,
        #[source]
        source: http::Error,
    },
    /// The response is malformed or truncated.
    #[error("host {host} sent an invalid HTTP response")]
    InvalidResponse {
        /// Host of the URL.
        host: String,
        #[source]
        source: hyper::Error,
    },
    /// Too many other documents are being fetched.
    #[error("too many fetches ({most}) are already running; host {host} was not contacted")]
    TooManyFetches {
        /// Host of the URL.
        host: String,
        /// Most concurrent fetches.
        most: usize,
    },
    /// The fetch took too long.
    #[error("fetching from host {host} took longer than {} ms", limit.as_millis())]
    TimedOut {
        /// Host of the URL that was asked for.
        host: String,
        /// Timeout of the whole fetch, from its turn on.
        limit: Duration,
    },
    /// The response has another status than 200.
    #[error("host {host} responded with status {status}")]
    Status {
        /// Host of the URL.
        host: String,
        /// HTTP status.
        status: u16,
    },
    /// The media type of the response is not JSON.
    #[error("host {host} responded with a content type that is not JSON")]
    NotJson {
        /// Host of the URL.
        host: String,
    },
    /// The response is compressed although that was not requested.
    #[error("host {host} responded with a content encoding that was not requested")]
    UnexpectedEncoding {
        /// Host of the URL.
        host: String,
    },
    /// The response is too large.
    #[error("host {host} responded with more than {most} bytes")]
    TooLarge {
        /// Host of the URL.
        host: String,
        /// Most bytes that are accepted.
        most: usize,
    },
    /// The location of a redirect is missing or invalid.
    #[error("host {host} redirected to an invalid URL")]
    InvalidRedirect {
        /// Host of the URL.
        host: String,
    },
    /// A redirect leads from `https` to `http`.
    #[error("host {host} redirected from https to http, which is refused")]
    Downgraded {
        /// Host that redirects.
        host: String,
    },
    /// There are more redirects than allowed.
    #[error("host {host} redirected more than {most} times")]
    TooManyRedirects {
        /// Host that redirects once more.
        host: String,
        /// Most redirects that are followed.
        most: u32,
    },
}

/// A rule that refuses a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRule {
    /// It is one of the denied host names.
    Denied,
    /// Only some host names are allowed, and it is not one of them.
    NotAllowed,
}

impl fmt::Display for HostRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Denied => "it is listed in `deniedHostnames`",
            Self::NotAllowed => "it is not listed in `allowedHostnames`",
        })
    }
}

/// A rule that refuses an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRule {
    /// It is one of the denied addresses.
    Denied,
    /// It is not public, and not one of the allowed addresses.
    NotPublic(AddressClass),
}

impl fmt::Display for AddressRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied => formatter.write_str("it is listed in `deniedIPs`"),
            Self::NotPublic(kind) => {
                write!(formatter, "it is {kind}, and `allowedIPs` does not list it")
            },
        }
    }
}

/// Displays the host of an address.
struct OfHost<'h>(Option<&'h str>);

impl fmt::Display for OfHost<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(host) => write!(formatter, " of host {host}"),
            None => Ok(()),
        }
    }
}
