//! Why a document was not fetched.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use super::address::AddressKind;

/// A document was not fetched.
///
/// Texts name the host and the rule, and hold nothing that a server answered but its status: who may
/// name a URL is not thereby allowed to read what is there. Sources are for the log; that of
/// [`Self::Untrusted`] tells which names the certificate is for.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The URL is of another kind than `http` and `https`.
    #[error("unsupported URL scheme `{scheme}`; use https")]
    Scheme {
        /// Scheme of the URL.
        scheme: String,
    },
    /// The URL holds a user name or a password.
    #[error("the URL of {host} must not contain a user name or password")]
    Credentials {
        /// Host of the URL.
        host: String,
    },
    /// The host must not be asked.
    #[error("host {host} is not permitted: {rule}")]
    HostRefused {
        /// Host of the URL.
        host: String,
        /// What refuses it.
        rule: HostRule,
    },
    /// An address must not be connected to.
    #[error("address {address}{} is not permitted: {rule}", Of(host.as_deref()))]
    AddressRefused {
        /// The address.
        address: IpAddr,
        /// The host that it belongs to, when the URL does not hold the address itself.
        host: Option<String>,
        /// What refuses it.
        rule: AddressRule,
    },
    /// Plain HTTP to an address that is not allowed for it.
    #[error(
        "key sets must be fetched over https, because plain http can be tampered with; use https, or \
         add the address of {host} to edge.externalJwtSigners.jwksFetch.allowedIPs"
    )]
    Plain {
        /// Host of the URL.
        host: String,
    },
    /// The addresses of the host could not be asked for.
    #[error("host {host} could not be resolved; check the name and the DNS of the controller")]
    Unresolved {
        /// Host of the URL.
        host: String,
        /// What happened.
        #[source]
        source: io::Error,
    },
    /// The host has no address, or no connection could be made to any.
    #[error("host {host} could not be reached")]
    Unreachable {
        /// Host of the URL.
        host: String,
        /// What happened.
        #[source]
        source: io::Error,
    },
    /// The certificate is not one that is trusted for the host.
    #[error("the TLS certificate of host {host} could not be verified")]
    Untrusted {
        /// Host of the URL.
        host: String,
        /// What is wrong with the certificate.
        #[source]
        source: rustls::Error,
    },
    /// The URL cannot be put into a request.
    #[error("the URL of host {host} cannot be requested")]
    Unwritable {
        /// Host of the URL.
        host: String,
        /// What is wrong.
        #[source]
        source: http::Error,
    },
    /// What came back is no answer, or ends early.
    #[error("host {host} sent an invalid HTTP response")]
    Broken {
        /// Host of the URL.
        host: String,
        /// What happened.
        #[source]
        source: hyper::Error,
    },
    /// Too many other documents are being fetched.
    #[error("too many fetches ({most}) are already running; host {host} was not contacted")]
    Crowded {
        /// Host of the URL.
        host: String,
        /// Most fetches at a time.
        most: usize,
    },
    /// The time was over.
    #[error("fetching from host {host} took longer than {} ms", limit.as_millis())]
    TimedOut {
        /// Host of the URL that was asked for.
        host: String,
        /// Time for the whole fetch from its turn on.
        limit: Duration,
    },
    /// The answer has another status than 200.
    #[error("host {host} responded with status {status}")]
    Status {
        /// Host of the URL.
        host: String,
        /// HTTP status.
        status: u16,
    },
    /// The answer is not JSON by its media type.
    #[error("host {host} responded with a content type that is not JSON")]
    NotJson {
        /// Host of the URL.
        host: String,
    },
    /// The answer is compressed although that was not asked for.
    #[error("host {host} responded with a content encoding that was not requested")]
    Encoded {
        /// Host of the URL.
        host: String,
    },
    /// The answer is too large.
    #[error("host {host} responded with more than {most} bytes")]
    TooLarge {
        /// Host of the URL.
        host: String,
        /// Most bytes that are taken.
        most: usize,
    },
    /// A redirect does not tell where to.
    #[error("host {host} redirected to an invalid URL")]
    Redirect {
        /// Host of the URL.
        host: String,
    },
    /// A redirect leads from `https` to `http`.
    #[error("host {host} redirected from https to http, which is refused")]
    Downgraded {
        /// Host that redirects.
        host: String,
    },
    /// There are more redirects than are followed.
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
    /// It is one of the host names that are denied.
    Denied,
    /// Only some host names are allowed, and it is none of them.
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
    /// It is one of the addresses that are denied.
    Denied,
    /// It is not public, and not one of the addresses that are allowed all the same.
    NotPublic(AddressKind),
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

/// Writes whose address it is.
struct Of<'h>(Option<&'h str>);

impl fmt::Display for Of<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(host) => write!(formatter, " of host {host}"),
            None => Ok(()),
        }
    }
}
