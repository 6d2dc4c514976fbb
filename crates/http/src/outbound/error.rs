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
    #[error("`{scheme}` is not a scheme that is fetched; `http` and `https` are")]
    Scheme {
        /// Scheme of the URL.
        scheme: String,
    },
    /// The URL holds a user name or a password.
    #[error("the URL at {host} must not hold a user name or a password")]
    Credentials {
        /// Host of the URL.
        host: String,
    },
    /// The host must not be asked.
    #[error("host {host} is not permitted, {rule}")]
    HostRefused {
        /// Host of the URL.
        host: String,
        /// What refuses it.
        rule: HostRule,
    },
    /// An address must not be connected to.
    #[error("address {address}{} is not permitted, {rule}", Of(host.as_deref()))]
    AddressRefused {
        /// The address.
        address: IpAddr,
        /// The host that it belongs to, when the URL does not hold the address itself.
        host: Option<String>,
        /// What refuses it.
        rule: AddressRule,
    },
    /// The addresses of the host could not be asked for.
    #[error("the addresses of host {host} cannot be found")]
    Unresolved {
        /// Host of the URL.
        host: String,
        /// What happened.
        #[source]
        source: io::Error,
    },
    /// The host has no address, or no connection could be made to any.
    #[error("host {host} cannot be reached")]
    Unreachable {
        /// Host of the URL.
        host: String,
        /// What happened.
        #[source]
        source: io::Error,
    },
    /// The certificate is not one that is trusted for the host.
    #[error("host {host} cannot prove that it is that host")]
    Untrusted {
        /// Host of the URL.
        host: String,
        /// What is wrong with the certificate.
        #[source]
        source: rustls::Error,
    },
    /// The URL cannot be put into a request.
    #[error("no request to host {host} can be written for the URL")]
    Unwritable {
        /// Host of the URL.
        host: String,
        /// What is wrong.
        #[source]
        source: http::Error,
    },
    /// What came back is no answer, or ends early.
    #[error("host {host} does not answer as HTTP demands")]
    Broken {
        /// Host of the URL.
        host: String,
        /// What happened.
        #[source]
        source: hyper::Error,
    },
    /// Too many other documents are being fetched.
    #[error("host {host} is not asked while {most} other fetches run")]
    Crowded {
        /// Host of the URL.
        host: String,
        /// Most fetches at a time.
        most: usize,
    },
    /// The time was over.
    #[error("fetching from host {host} takes longer than {} ms", limit.as_millis())]
    TimedOut {
        /// Host of the URL that was asked for.
        host: String,
        /// Time for the whole fetch from its turn on.
        limit: Duration,
    },
    /// The answer has another status than 200.
    #[error("host {host} answers with status {status}")]
    Status {
        /// Host of the URL.
        host: String,
        /// HTTP status.
        status: u16,
    },
    /// The answer is not JSON by its media type.
    #[error("host {host} answers with something that is not called JSON")]
    NotJson {
        /// Host of the URL.
        host: String,
    },
    /// The answer is compressed although that was not asked for.
    #[error("host {host} answers with a content encoding, which was not asked for")]
    Encoded {
        /// Host of the URL.
        host: String,
    },
    /// The answer is too large.
    #[error("host {host} answers with more than {most} bytes")]
    TooLarge {
        /// Host of the URL.
        host: String,
        /// Most bytes that are taken.
        most: usize,
    },
    /// A redirect does not tell where to.
    #[error("host {host} redirects to no URL")]
    Redirect {
        /// Host of the URL.
        host: String,
    },
    /// A redirect leads from `https` to `http`.
    #[error("host {host} redirects from https to http, which is not followed")]
    Downgraded {
        /// Host that redirects.
        host: String,
    },
    /// There are more redirects than are followed.
    #[error("host {host} redirects after {most} redirects, and no more are followed")]
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
            Self::Denied => "`deniedHostnames` names it",
            Self::NotAllowed => "`allowedHostnames` does not name it",
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
            Self::Denied => formatter.write_str("`deniedIPs` holds it"),
            Self::NotPublic(kind) => {
                write!(formatter, "it is {kind} and `allowedIPs` does not allow it")
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
