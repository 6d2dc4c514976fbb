//! Certificates of routers, which choose the names under which they are reached.

use super::Authority;
use super::issue::{IssueError, Order, YEAR};
use super::profile::Kind;
use super::reserved::{ReservedName, ReservedNames};
use crate::certificate::Certificate;
use crate::csr::{Csr, CsrError};
use crate::spiffe::TrustDomain;
use crate::subject::Subject;
use jiff::Timestamp;
use portcullis_domain::{entropy::Entropy, ids::RouterId};
use rustls_pki_types::DnsName;
use x509_cert::ext::pkix::name::GeneralName;

/// The certificate request of a router cannot be granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouterCsrError {
    /// It cannot be read, or is not signed with its own key.
    #[error(transparent)]
    Csr(#[from] CsrError),
    /// Its common name is not the id of the router.
    #[error("the common name of the CSR must be the id of the router, {0:?}")]
    CommonName(String),
    /// It asks for a name that is none.
    #[error("the CSR asks for the name {0:?}, which is not a DNS name or IP address")]
    Name(String),
    /// It asks for the name of somebody else in the network.
    #[error("the CSR asks for {0:?}, which is the SPIFFE ID of another identity in this network")]
    Foreign(String),
    /// It asks for a wildcard that covers everything under a top-level domain.
    #[error(
        "the wildcard {0:?} covers a whole top-level domain; ask for one below a domain of your own, \
         such as *.routers.example.com"
    )]
    Wildcard(String),
    /// It asks for a name of the controller.
    #[error(transparent)]
    Reserved(#[from] ReservedName),
    /// The id of the router is a name of the controller.
    #[error(
        "the id of the router, {0:?}, is a name of the controller, which only its own certificate may \
         bear; delete the router and create it again under another id"
    )]
    ReservedId(String),
}

/// A certificate request of a router that may be granted.
#[derive(Debug, Clone)]
pub struct RouterCsr {
    csr: Csr,
    subject: Subject,
    names: Vec<GeneralName>,
}

impl RouterCsr {
    /// Reads and judges the request, PEM, of a router of the network `domain`.
    ///
    /// The host names, addresses, mail addresses and URIs that it asks for are kept; other kinds of
    /// names are dropped. SPIFFE names are how the network knows identities, sessions and
    /// controllers, so none of this network is granted but `/router/` and the router's own id.
    ///
    /// The common name becomes the id of the router, whatever was asked for: clients that find no
    /// DNS name in a certificate go by the common name, some of them by partial wildcards in it too.
    /// `reserved` are the names of the controller, which no router gets. They are held against what
    /// will stand in the certificate, so nothing that is decided later escapes them.
    ///
    /// # Errors
    ///
    /// [`RouterCsrError`], by the first check that fails.
    pub fn read(
        text: &str,
        domain: &TrustDomain,
        id: &RouterId,
        reserved: &ReservedNames,
    ) -> Result<Self, RouterCsrError> {
        let csr = Csr::from_pem(text)?;
        let mut names = Vec::new();
        for name in csr.names()? {
            if is_kept(&name, domain, id)? {
                reserved.check_alternative(&name)?;
                names.push(name);
            }
        }
        let subject = csr.subject().clone().common_name(id.as_str());
        reserved
            .check_subject(&subject)
            .map_err(|_reserved| RouterCsrError::ReservedId(id.to_string()))?;
        Ok(Self {
            csr,
            subject,
            names,
        })
    }

    /// The same request, if the common name that it asks for is the id of the router.
    ///
    /// # Errors
    ///
    /// [`RouterCsrError::CommonName`].
    pub fn check_common_name(self, id: &RouterId) -> Result<Self, RouterCsrError> {
        if self.csr.subject().last_common_name() == Some(id.as_str()) {
            Ok(self)
        } else {
            Err(RouterCsrError::CommonName(id.to_string()))
        }
    }
}

impl Authority {
    /// Issues the certificate by which a router proves who it is, valid for one year.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn issue_router_client(
        &self,
        request: &RouterCsr,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        self.issue(&order(request, Kind::Identity), now, entropy)
    }

    /// Issues the certificate that a router shows to those who connect to it, valid for one year.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn issue_router_server(
        &self,
        request: &RouterCsr,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        self.issue(&order(request, Kind::RouterServer), now, entropy)
    }
}

fn order(request: &RouterCsr, kind: Kind) -> Order<'_> {
    Order {
        kind,
        subject: &request.subject,
        key: request.csr.public_key(),
        names: request.names.clone(),
        lifetime: YEAR,
    }
}

/// Whether a name that is asked for goes into the certificate.
fn is_kept(
    name: &GeneralName,
    domain: &TrustDomain,
    id: &RouterId,
) -> Result<bool, RouterCsrError> {
    match name {
        GeneralName::DnsName(host) => {
            let host = host.as_str();
            let domain = host.strip_prefix("*.");
            check(DnsName::try_from(domain.unwrap_or(host)).is_ok(), host)?;
            if domain.is_some_and(|domain| !domain.trim_end_matches('.').contains('.')) {
                return Err(RouterCsrError::Wildcard(host.to_owned()));
            }
            Ok(true)
        },
        GeneralName::IpAddress(octets) => {
            let octets = octets.as_bytes();
            check(matches!(octets.len(), 4 | 16), &format!("{octets:02x?}"))
        },
        GeneralName::Rfc822Name(address) => {
            let address = address.as_str();
            check(address.contains('@') && is_plain(address), address)
        },
        GeneralName::UniformResourceIdentifier(uri) => {
            let uri = uri.as_str();
            check(uri.contains(':') && is_plain(uri), uri)?;
            if is_of_other(uri, domain, id) {
                return Err(RouterCsrError::Foreign(uri.to_owned()));
            }
            Ok(true)
        },
        _ => Ok(false),
    }
}

fn check(is_good: bool, name: &str) -> Result<bool, RouterCsrError> {
    if is_good {
        Ok(true)
    } else {
        Err(RouterCsrError::Name(name.to_owned()))
    }
}

/// Whether a text has neither blanks nor control characters in it.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether a URI is a SPIFFE name of the network, in any spelling, but not the router's own.
fn is_of_other(uri: &str, domain: &TrustDomain, id: &RouterId) -> bool {
    let Some((scheme, rest)) = uri.split_once(':') else {
        return false;
    };
    if !scheme.eq_ignore_ascii_case("spiffe") || uri == format!("spiffe://{domain}/router/{id}") {
        return false;
    }
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let authority = rest.split(['/', '?', '#']).next();
    authority.is_none_or(|authority| {
        let host = authority.rsplit('@').next().unwrap_or(authority);
        let host = host.split(':').next().unwrap_or(host);
        host.is_empty() || host.contains('%') || host.eq_ignore_ascii_case(domain.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(uri: &str) -> Result<bool, RouterCsrError> {
        let domain = TrustDomain::parse("net.example.test").unwrap();
        let name = GeneralName::UniformResourceIdentifier(der::asn1::Ia5String::new(uri).unwrap());
        is_kept(&name, &domain, &RouterId::from_wire("r1"))
    }

    #[test]
    fn no_router_gets_a_name_of_others_in_the_network() {
        for uri in [
            "spiffe://net.example.test",
            "spiffe://net.example.test/identity/a",
            "spiffe://net.example.test/identity/a/apiSession/b/apiSessionCertificate/c",
            "spiffe://net.example.test/controller/c",
            "spiffe://net.example.test/router/r2",
            "spiffe://net.example.test/router/r1/",
            "SPIFFE://NET.example.test/identity/a",
            "spiffe:net.example.test/identity/a",
            "spiffe://x@net.example.test:1/identity/a",
            "spiffe://net.example%2etest/identity/a",
            "spiffe:///identity/a",
        ] {
            assert_eq!(kept(uri), Err(RouterCsrError::Foreign(uri.to_owned())));
        }
        for uri in [
            "spiffe://net.example.test/router/r1",
            "spiffe://other.example.test/identity/a",
            "https://net.example.test/identity/a",
        ] {
            assert_eq!(kept(uri), Ok(true), "{uri}");
        }
        for uri in ["", "no scheme", "a b:c"] {
            assert_eq!(kept(uri), Err(RouterCsrError::Name(uri.to_owned())));
        }
    }
}
