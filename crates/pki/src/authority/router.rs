//! Certificates of routers, which choose the names at which they are reached.

use super::Authority;
use super::issue::{CertificateParams, IssueError, YEAR};
use super::profile::CertificateType;
use super::reserved::{ReservedNameError, ReservedNames};
use crate::certificate::Certificate;
use crate::csr::{Csr, CsrError};
use crate::spiffe::TrustDomain;
use crate::subject::Subject;
use jiff::Timestamp;
use portcullis_domain::{entropy::Entropy, ids::RouterId};
use rustls_pki_types::DnsName;
use x509_cert::ext::pkix::name::GeneralName;

/// The certificate request of a router was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouterCsrError {
    /// It cannot be parsed, or is not signed with its own key.
    #[error(transparent)]
    Csr(#[from] CsrError),
    #[error("the common name of the CSR must be the id of the router, {0:?}")]
    CommonName(String),
    /// It asks for an invalid name.
    #[error("the CSR asks for the name {0:?}, which is not a DNS name or IP address")]
    InvalidName(String),
    /// It asks for the SPIFFE ID of somebody else in the network.
    #[error("the CSR asks for {0:?}, which is the SPIFFE ID of another identity in this network")]
    ForeignSpiffeId(String),
    /// It asks for a wildcard that covers a whole top-level domain.
    #[error(
        "the wildcard {0:?} covers a whole top-level domain; ask for one below a domain of your own, \
         such as *.routers.example.com"
    )]
    TopLevelWildcard(String),
    /// It asks for a name of the controller.
    #[error(transparent)]
    Reserved(#[from] ReservedNameError),
    /// The id of the router is a name of the controller.
    #[error(
        "the id of the router, {0:?}, is a name of the controller, which only its own certificate may \
         bear; delete the router and create it again under another id"
    )]
    ReservedId(String),
}

/// A validated certificate request of a router.
#[derive(Debug, Clone)]
pub struct RouterCsr {
    csr: Csr,
    subject: Subject,
    names: Vec<GeneralName>,
}

impl RouterCsr {
    /// Parses and validates the PEM request of a router in the network `domain`.
    ///
    /// Requested host names, IP addresses, email addresses and URIs are kept; other types of names
    /// are dropped. SPIFFE IDs identify identities, sessions and controllers to the network, so the
    /// only one of this network that is granted is `/router/` with the router's own id.
    ///
    /// The common name becomes the id of the router, whatever was requested: clients that find no DNS
    /// name in a certificate use the common name, and some accept partial wildcards in it too.
    /// `reserved` are the names of the controller, which no router gets. The check covers exactly the
    /// names that the certificate will contain.
    ///
    /// # Errors
    ///
    /// [`RouterCsrError`], by the first check that fails.
    pub fn parse(
        text: &str,
        domain: &TrustDomain,
        id: &RouterId,
        reserved: &ReservedNames,
    ) -> Result<Self, RouterCsrError> {
        let csr = Csr::from_pem(text)?;
        let mut names = Vec::new();
        for name in csr.names()? {
            if accepts_name(&name, domain, id)? {
                reserved.check_general_name(&name)?;
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

    /// Returns the request if its common name is the id of the router.
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
    /// Issues the client certificate of a router, valid for one year.
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
        self.issue(
            &certificate_params(request, CertificateType::Identity),
            now,
            entropy,
        )
    }

    /// Issues the server certificate of a router, valid for one year.
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
        self.issue(
            &certificate_params(request, CertificateType::RouterServer),
            now,
            entropy,
        )
    }
}

fn certificate_params(request: &RouterCsr, kind: CertificateType) -> CertificateParams<'_> {
    CertificateParams {
        kind,
        subject: &request.subject,
        key: request.csr.public_key(),
        names: request.names.clone(),
        lifetime: YEAR,
    }
}

/// Whether a requested name goes into the certificate.
fn accepts_name(
    name: &GeneralName,
    domain: &TrustDomain,
    id: &RouterId,
) -> Result<bool, RouterCsrError> {
    match name {
        GeneralName::DnsName(host) => {
            let host = host.as_str();
            let domain = host.strip_prefix("*.");
            ensure_valid_name(DnsName::try_from(domain.unwrap_or(host)).is_ok(), host)?;
            if domain.is_some_and(|domain| !domain.trim_end_matches('.').contains('.')) {
                return Err(RouterCsrError::TopLevelWildcard(host.to_owned()));
            }
            Ok(true)
        },
        GeneralName::IpAddress(octets) => {
            let octets = octets.as_bytes();
            ensure_valid_name(matches!(octets.len(), 4 | 16), &format!("{octets:02x?}"))
        },
        GeneralName::Rfc822Name(address) => {
            let address = address.as_str();
            ensure_valid_name(address.contains('@') && is_ascii_graphic(address), address)
        },
        GeneralName::UniformResourceIdentifier(uri) => {
            let uri = uri.as_str();
            ensure_valid_name(uri.contains(':') && is_ascii_graphic(uri), uri)?;
            if is_foreign_spiffe_id(uri, domain, id) {
                return Err(RouterCsrError::ForeignSpiffeId(uri.to_owned()));
            }
            Ok(true)
        },
        _ => Ok(false),
    }
}

fn ensure_valid_name(is_good: bool, name: &str) -> Result<bool, RouterCsrError> {
    if is_good {
        Ok(true)
    } else {
        Err(RouterCsrError::InvalidName(name.to_owned()))
    }
}

/// Whether a string contains neither whitespace nor control characters.
fn is_ascii_graphic(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether a URI is a SPIFFE ID of the network, in any spelling, other than the router's own.
fn is_foreign_spiffe_id(uri: &str, domain: &TrustDomain, id: &RouterId) -> bool {
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
        accepts_name(&name, &domain, &RouterId::from_wire("r1"))
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
            assert_eq!(
                kept(uri),
                Err(RouterCsrError::ForeignSpiffeId(uri.to_owned()))
            );
        }
        for uri in [
            "spiffe://net.example.test/router/r1",
            "spiffe://other.example.test/identity/a",
            "https://net.example.test/identity/a",
        ] {
            assert_eq!(kept(uri), Ok(true), "{uri}");
        }
        for uri in ["", "no scheme", "a b:c"] {
            assert_eq!(kept(uri), Err(RouterCsrError::InvalidName(uri.to_owned())));
        }
    }
}
