//! SPIFFE IDs: the principals behind certificates of this network.

use std::fmt;

use der::asn1::Ia5String;
use portcullis_domain::ids::{ApiSessionId, ControllerId, IdentityId};
use x509_cert::ext::pkix::name::GeneralName;

use crate::certificate::Certificate;

const SCHEME: &str = "spiffe://";
const MAX_DOMAIN_BYTES: usize = 255;
const MAX_ID_BYTES: usize = 2048;

/// A string is not a SPIFFE ID of this network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpiffeError {
    /// The scheme is not lower-case `spiffe`.
    #[error("the name does not begin with spiffe://")]
    Scheme,
    /// The trust domain is empty, too long or contains other characters than `a-z`, `0-9`, `.`, `-`
    /// and `_`.
    #[error("a trust domain is 1 to 255 characters out of a-z, 0-9, '.', '-' and '_'")]
    TrustDomain,
    #[error("the path of the name is not one that this network uses")]
    Path,
    /// An id in the path is empty, a dot segment, or contains characters that are not allowed.
    #[error("an id in the path of the name is empty or contains characters that are not allowed")]
    Id,
    #[error("the certificate carries more than one SPIFFE name")]
    MultipleIds,
}

/// The name of a network: the host part of its SPIFFE IDs.
///
/// Two domains are equal if their strings are equal byte by byte; there is neither case folding nor
/// decoding, so no other string can pass for a domain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrustDomain(String);

impl TrustDomain {
    /// Validates a string.
    ///
    /// # Errors
    ///
    /// [`SpiffeError::TrustDomain`].
    pub fn parse(text: &str) -> Result<Self, SpiffeError> {
        let allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte);
        if text.is_empty() || text.len() > MAX_DOMAIN_BYTES || !text.bytes().all(allowed) {
            return Err(SpiffeError::TrustDomain);
        }
        Ok(Self(text.to_owned()))
    }

    /// Finds the domain in the first SPIFFE ID of a chain, leaf first.
    ///
    /// The path does not matter here: the ID of an authority has none.
    pub fn from_chain<'a>(chain: impl IntoIterator<Item = &'a Certificate>) -> Option<Self> {
        chain.into_iter().find_map(|certificate| {
            certificate.uri_names().find_map(|uri| {
                let rest = uri.strip_prefix(SCHEME)?;
                Self::parse(rest.split('/').next()?).ok()
            })
        })
    }

    /// Derives the domain of a network without a configured one from the fingerprint of its root.
    pub fn from_root(root: &Certificate) -> Self {
        Self(root.fingerprint().to_string())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TrustDomain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The path of a SPIFFE ID of this network.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SpiffePath {
    /// No path: the ID of an authority.
    Domain,
    /// `/identity/<id>`.
    Identity(IdentityId),
    /// `/identity/<id>/apiSession/<id>/apiSessionCertificate/<id>`.
    ApiSessionCertificate {
        identity: IdentityId,
        session: ApiSessionId,
        /// Id of the certificate within the session.
        certificate: String,
    },
    /// `/controller/<id>`.
    Controller(ControllerId),
}

/// A SPIFFE ID (SPIFFE-ID section 2), restricted to the paths that this network uses.
///
/// # Examples
///
/// ```
/// use portcullis_pki::{SpiffeId, SpiffePath};
///
/// let id = SpiffeId::parse("spiffe://example.test/identity/aB3.dE6gH")?;
/// assert!(matches!(id.path(), SpiffePath::Identity(id) if id.as_str() == "aB3.dE6gH"));
/// assert!(SpiffeId::parse("spiffe://Example.test/identity/aB3.dE6gH").is_err());
/// # Ok::<(), portcullis_pki::SpiffeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SpiffeId {
    domain: TrustDomain,
    path: SpiffePath,
}

impl SpiffeId {
    ///
    /// # Errors
    ///
    /// [`SpiffeError::Id`] if an id cannot be part of a SPIFFE ID.
    pub fn new(domain: TrustDomain, path: SpiffePath) -> Result<Self, SpiffeError> {
        let ids = match &path {
            SpiffePath::Domain => vec![],
            SpiffePath::Identity(id) => vec![id.as_str()],
            SpiffePath::ApiSessionCertificate {
                identity,
                session,
                certificate,
            } => {
                vec![identity.as_str(), session.as_str(), certificate]
            },
            SpiffePath::Controller(id) => vec![id.as_str()],
        };
        ids.into_iter().try_for_each(check_id)?;
        Ok(Self { domain, path })
    }

    /// Parses an ID strictly: no case folding, no decoding, no user, port, query or fragment.
    ///
    /// # Errors
    ///
    /// [`SpiffeError`] for the first part that is invalid.
    pub fn parse(text: &str) -> Result<Self, SpiffeError> {
        let rest = text.strip_prefix(SCHEME).ok_or(SpiffeError::Scheme)?;
        if text.len() > MAX_ID_BYTES {
            return Err(SpiffeError::Path);
        }
        let (domain, path) = match rest.split_once('/') {
            Some((domain, path)) => (domain, Some(path)),
            None => (rest, None),
        };
        let domain = TrustDomain::parse(domain)?;
        let segments: Vec<&str> = path.into_iter().flat_map(|path| path.split('/')).collect();
        let path = match *segments.as_slice() {
            [] => SpiffePath::Domain,
            ["identity", id] => SpiffePath::Identity(IdentityId::from_wire(id)),
            ["controller", id] => SpiffePath::Controller(ControllerId::from_wire(id)),
            [
                "identity",
                id,
                "apiSession",
                session,
                "apiSessionCertificate",
                certificate,
            ] => SpiffePath::ApiSessionCertificate {
                identity: IdentityId::from_wire(id),
                session: ApiSessionId::from_wire(session),
                certificate: certificate.to_owned(),
            },
            _ => return Err(SpiffeError::Path),
        };
        Self::new(domain, path)
    }

    /// Parses the ID in a certificate; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`SpiffeError`] if there are several, or the only one is invalid.
    pub fn from_certificate(certificate: &Certificate) -> Result<Option<Self>, SpiffeError> {
        // Matching the scheme in any case makes other spellings an error instead of some other URI.
        let is_spiffe = |uri: &&str| {
            uri.split_once(':')
                .is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("spiffe"))
        };
        let mut names = certificate.uri_names().filter(is_spiffe);
        match (names.next(), names.next()) {
            (None, _) => Ok(None),
            (Some(name), None) => Self::parse(name).map(Some),
            (Some(_), Some(_)) => Err(SpiffeError::MultipleIds),
        }
    }

    pub fn domain(&self) -> &TrustDomain {
        &self.domain
    }

    pub fn path(&self) -> &SpiffePath {
        &self.path
    }

    pub(crate) fn to_general_name(&self) -> der::Result<GeneralName> {
        Ok(GeneralName::UniformResourceIdentifier(Ia5String::new(
            &self.to_string(),
        )?))
    }
}

impl fmt::Display for SpiffeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{SCHEME}{}", self.domain)?;
        match &self.path {
            SpiffePath::Domain => Ok(()),
            SpiffePath::Identity(id) => write!(formatter, "/identity/{id}"),
            SpiffePath::ApiSessionCertificate {
                identity,
                session,
                certificate,
            } => write!(
                formatter,
                "/identity/{identity}/apiSession/{session}/apiSessionCertificate/{certificate}"
            ),
            SpiffePath::Controller(id) => write!(formatter, "/controller/{id}"),
        }
    }
}

fn check_id(id: &str) -> Result<(), SpiffeError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if id.is_empty() || id == "." || id == ".." || !id.bytes().all(allowed) {
        return Err(SpiffeError::Id);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_read_and_written_alike() {
        for name in [
            "spiffe://example.test",
            "spiffe://a/identity/-x.Y",
            "spiffe://0a_b-c.d/controller/ctrl-1",
            "spiffe://a/identity/i/apiSession/cs1/apiSessionCertificate/c1",
        ] {
            assert_eq!(SpiffeId::parse(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        use SpiffeError::{Id, Path, Scheme, TrustDomain};
        let table = [
            ("", Scheme),
            ("SPIFFE://a/identity/i", Scheme),
            ("spiffe:/a/identity/i", Scheme),
            ("https://a/identity/i", Scheme),
            (" spiffe://a/identity/i", Scheme),
            ("spiffe://", TrustDomain),
            ("spiffe:///identity/i", TrustDomain),
            ("spiffe://A.example/identity/i", TrustDomain),
            ("spiffe://a.example:80/identity/i", TrustDomain),
            ("spiffe://user@a.example/identity/i", TrustDomain),
            ("spiffe://a%2eexample/identity/i", TrustDomain),
            ("spiffe://a?x/identity/i", TrustDomain),
            ("spiffe://ä/identity/i", TrustDomain),
            ("spiffe://a/", Path),
            ("spiffe://a//identity/i", Path),
            ("spiffe://a/identity", Path),
            ("spiffe://a/Identity/i", Path),
            ("spiffe://a/identity/i/", Path),
            ("spiffe://a/identity/i/apiSession/s", Path),
            ("spiffe://a/identity/i/x", Path),
            ("spiffe://a/router/r", Path),
            ("spiffe://a/x/../identity/i", Path),
            ("spiffe://a/identity/", Id),
            ("spiffe://a/identity/..", Id),
            ("spiffe://a/identity/i%2f", Id),
            ("spiffe://a/identity/i?q", Id),
            ("spiffe://a/identity/i#f", Id),
            ("spiffe://a/identity/i\0", Id),
            ("spiffe://a/identity/i ", Id),
            ("spiffe://a/controller/", Id),
        ];
        for (name, expected) in table {
            assert_eq!(SpiffeId::parse(name), Err(expected), "{name:?}");
        }
        let long = format!("spiffe://a/identity/{}", "i".repeat(3000));
        assert_eq!(SpiffeId::parse(&long), Err(Path));
    }

    #[test]
    fn domains_that_look_alike_differ() {
        let domain = TrustDomain::parse("a.example").unwrap();
        for other in [
            "a.example.evil",
            "a",
            "evil.a.example",
            "a-example",
            "aaexample",
        ] {
            let name = SpiffeId::parse(&format!("spiffe://{other}/identity/i")).unwrap();
            assert_ne!(name.domain(), &domain);
        }
        assert_eq!(
            TrustDomain::parse(&"a".repeat(256)),
            Err(SpiffeError::TrustDomain)
        );
    }

    #[test]
    fn names_that_would_read_differently_cannot_be_made() {
        let domain = TrustDomain::parse("a").unwrap();
        for id in ["", "..", "i/apiSession/s", "i%2e", "ü"] {
            let path = SpiffePath::Identity(IdentityId::from_wire(id));
            assert_eq!(SpiffeId::new(domain.clone(), path), Err(SpiffeError::Id));
        }
    }
}
