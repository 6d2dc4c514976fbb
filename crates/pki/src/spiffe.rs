//! SPIFFE names: who a certificate of this network stands for.

use std::fmt;

use der::asn1::Ia5String;
use portcullis_domain::ids::{ApiSessionId, ControllerId, IdentityId};
use x509_cert::ext::pkix::name::GeneralName;

use crate::certificate::Certificate;

const SCHEME: &str = "spiffe://";
const LONGEST_DOMAIN: usize = 255;
const LONGEST_NAME: usize = 2048;

/// A text is not a SPIFFE name of this network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpiffeError {
    /// The scheme is not `spiffe`, in lower case.
    #[error("the name does not begin with spiffe://")]
    Scheme,
    /// The trust domain is empty, too long or holds other characters than `a-z`, `0-9`, `.`, `-`
    /// and `_`.
    #[error("a trust domain is 1 to 255 characters out of a-z, 0-9, '.', '-' and '_'")]
    TrustDomain,
    /// The path is none of the known ones.
    #[error("the path of the name is not one that this network uses")]
    Path,
    /// An id in the path is empty, a dot segment, or holds characters that a name cannot.
    #[error("an id in the path of the name is empty or contains characters that are not allowed")]
    Id,
    /// The certificate carries several SPIFFE names.
    #[error("the certificate carries more than one SPIFFE name")]
    Several,
}

/// The name of a network: the host part of its SPIFFE names.
///
/// Two domains are the same when their texts are equal byte by byte; there is no folding of case
/// and no decoding, so nothing looks like a domain that it is not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrustDomain(String);

impl TrustDomain {
    /// Checks a text and wraps it.
    ///
    /// # Errors
    ///
    /// [`SpiffeError::TrustDomain`].
    pub fn parse(text: &str) -> Result<Self, SpiffeError> {
        let allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte);
        if text.is_empty() || text.len() > LONGEST_DOMAIN || !text.bytes().all(allowed) {
            return Err(SpiffeError::TrustDomain);
        }
        Ok(Self(text.to_owned()))
    }

    /// Finds the domain in the first SPIFFE name of a chain, leaf first.
    ///
    /// The path does not matter here: an authority's name has none.
    pub fn of_chain<'a>(chain: impl IntoIterator<Item = &'a Certificate>) -> Option<Self> {
        chain.into_iter().find_map(|certificate| {
            certificate.uri_names().find_map(|uri| {
                let rest = uri.strip_prefix(SCHEME)?;
                Self::parse(rest.split('/').next()?).ok()
            })
        })
    }

    /// Names a network that never chose a domain after the fingerprint of its root.
    pub fn of_root(root: &Certificate) -> Self {
        Self(root.fingerprint().to_string())
    }

    /// Borrows the domain as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TrustDomain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What a SPIFFE name of this network points to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SpiffePath {
    /// The network itself: the name of an authority.
    Domain,
    /// `/identity/<id>`.
    Identity(IdentityId),
    /// `/identity/<id>/apiSession/<id>/apiSessionCertificate/<id>`.
    ApiSessionCertificate {
        /// The identity that the session belongs to.
        identity: IdentityId,
        /// The session.
        session: ApiSessionId,
        /// The certificate within the session.
        certificate: String,
    },
    /// `/controller/<id>`.
    Controller(ControllerId),
}

/// A SPIFFE name (SPIFFE-ID section 2), restricted to the paths that this network uses.
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
    /// Joins a domain and a path.
    ///
    /// # Errors
    ///
    /// [`SpiffeError::Id`] when an id cannot stand in a name.
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

    /// Reads a name exactly: no folding of case, no decoding, no user, port, query or fragment.
    ///
    /// # Errors
    ///
    /// [`SpiffeError`], by the first part that does not fit.
    pub fn parse(text: &str) -> Result<Self, SpiffeError> {
        let rest = text.strip_prefix(SCHEME).ok_or(SpiffeError::Scheme)?;
        if text.len() > LONGEST_NAME {
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

    /// Reads the name that a certificate carries, `None` if it carries none.
    ///
    /// # Errors
    ///
    /// [`SpiffeError`] when there are several, or the one there is does not parse.
    pub fn of_certificate(certificate: &Certificate) -> Result<Option<Self>, SpiffeError> {
        // By scheme without regard to case, so that a variant in another case is refused and not
        // taken for some other URI.
        let is_spiffe = |uri: &&str| {
            uri.split_once(':')
                .is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("spiffe"))
        };
        let mut names = certificate.uri_names().filter(is_spiffe);
        match (names.next(), names.next()) {
            (None, _) => Ok(None),
            (Some(name), None) => Self::parse(name).map(Some),
            (Some(_), Some(_)) => Err(SpiffeError::Several),
        }
    }

    /// The network that the name belongs to.
    pub fn domain(&self) -> &TrustDomain {
        &self.domain
    }

    /// What the name points to.
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
