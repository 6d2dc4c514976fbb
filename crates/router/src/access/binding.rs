//! Whether a session may be used with a certificate.

use crate::edge::ClientCertificates;
use portcullis_domain::clock::Timestamp;

/// What a session is bound to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binding<'s> {
    pub(super) identity: &'s str,
    pub(super) session: &'s str,
    /// SHA-1 in hex of certificates that belong to it.
    pub(super) fingerprints: &'s [String],
    /// What the dates of such a certificate mean.
    pub(super) dates: Dates,
}

/// What the dates of a certificate mean that is known by its fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dates {
    /// Its controller takes care of them.
    Ignored,
    /// It must not have expired, unless that is allowed.
    Checked { may_have_expired: bool },
}

/// A certificate does not belong to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum BindingError {
    #[error("the session is bound to another certificate")]
    Other,
    #[error("the certificate is not valid yet, or no longer")]
    Expired,
}

/// Whom a certificate of the controller itself is for.
enum Holder<'c> {
    Identity(&'c str),
    Session { identity: &'c str, session: &'c str },
}

impl Binding<'_> {
    /// Whether a client may use the session: it has shown one of its certificates, or one that the
    /// controller has issued to the identity or the session.
    pub(super) fn check(
        &self,
        certificates: &ClientCertificates,
        now: Timestamp,
    ) -> Result<(), BindingError> {
        let is_valid = certificates.not_before <= now && now <= certificates.not_after;
        let may_have_expired = match self.dates {
            Dates::Ignored => false,
            Dates::Checked { may_have_expired } => may_have_expired,
        };
        let is_known = certificates.fingerprints.first().is_some_and(|shown| {
            let mut known = self.fingerprints.iter();
            known.any(|known| known.eq_ignore_ascii_case(shown))
        });
        let may_be_over = if is_known {
            may_have_expired || self.dates == Dates::Ignored
        } else {
            match holder(certificates) {
                Some(Holder::Identity(identity)) if identity == self.identity => may_have_expired,
                Some(Holder::Session { identity, session })
                    if identity == self.identity && session == self.session =>
                {
                    false
                },
                _ => return Err(BindingError::Other),
            }
        };
        if is_valid || may_be_over {
            Ok(())
        } else {
            Err(BindingError::Expired)
        }
    }
}

/// What the SPIFFE id of a certificate says, if the controller has issued it.
fn holder(certificates: &ClientCertificates) -> Option<Holder<'_>> {
    let id = certificates.spiffe_id.as_deref();
    let id = id.filter(|_| certificates.is_first_party)?;
    let (_trust_domain, path) = id.strip_prefix("spiffe://")?.split_once('/')?;
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["identity", identity] => Some(Holder::Identity(identity)),
        ["identity", identity, "apiSession", session]
        | [
            "identity",
            identity,
            "apiSession",
            session,
            "apiSessionCertificate",
            _,
        ] => Some(Holder::Session { identity, session }),
        _ => None,
    }
}
