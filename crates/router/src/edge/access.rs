//! What the edge asks about rights, and of whom it asks it.

use std::sync::Arc;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_wire::Token;

use super::names::{ControllerId, IdentityId, ServiceId, ServiceSessionId};
use super::refusal::Refusal;
use crate::access::AccessClaims;

/// Judges sessions and rights, from the data model and from what controllers say of sessions.
///
/// It answers at once, from memory. Whenever an answer may have changed,
/// [`SdkChannel::review`](super::SdkChannel::review) is called for the channels concerned.
pub trait Access {
    /// Whose session a token is, and whether it may be used with these certificates.
    fn authenticate(
        &self,
        token: &Token,
        certificates: &ClientCertificates,
        now: Timestamp,
    ) -> Result<ApiSession, LoginRefusal>;

    /// A newer token of the same session and identity. The refusal has a code.
    fn renew(
        &self,
        session: &ApiSession,
        token: &Token,
        now: Timestamp,
    ) -> Result<ApiSession, Refusal>;

    /// Whether a session still holds: it is not revoked, has not expired, and its identity is neither
    /// deleted nor disabled. The error is a text for people.
    fn check_session(&self, session: &ApiSession, now: Timestamp) -> Result<(), String>;

    /// What a token of a session for a service permits. It must belong to this API session.
    ///
    /// The token is a JWT in form: it begins with `ey`.
    fn check_service_session(
        &self,
        session: &ApiSession,
        token: &Token,
        now: Timestamp,
    ) -> Result<ServiceSession, Refusal>;

    /// Finds the service that an SDK names without a session for it.
    fn find_service(
        &self,
        session: &ApiSession,
        service: ServiceReference<'_>,
    ) -> Result<ServiceId, Refusal>;

    /// Whether policies and posture grant the use of a service. Only asked for
    /// [`SessionKind::Oidc`]; a controller judges the others.
    fn check_grant(
        &self,
        session: &ApiSession,
        grant: ServiceGrant,
        service: &ServiceId,
        now: Timestamp,
    ) -> Result<(), Refusal>;

    /// Whether the ends of its circuits have to encrypt what they send each other.
    fn requires_encryption(&self, service: &ServiceId) -> bool;
}

/// An API session that a channel belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiSession {
    pub id: String,
    pub identity: IdentityId,
    /// Name of the identity; empty if it is not known.
    pub identity_name: Arc<str>,
    pub kind: SessionKind,
    /// JWT, or UUID of a legacy session. Controllers are shown it.
    pub token: Token,
    /// `None` if a controller says when it ends.
    pub expires_at: Option<Timestamp>,
    /// Of the token, which was verified; `None` for a legacy session.
    pub claims: Option<Arc<AccessClaims>>,
    /// Whether the data model had the identity when the session was judged. If it has not any more, the identity
    /// was deleted; otherwise it may not have arrived yet.
    pub identity_was_known: bool,
}

/// How a session came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionKind {
    /// A controller keeps it and has announced it. Only that controller answers requests of it.
    Legacy(ControllerId),
    /// Its token is a JWT, and any controller answers.
    Oidc,
}

/// A session for a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceSession {
    pub id: ServiceSessionId,
    pub service: ServiceId,
    pub grant: ServiceGrant,
}

/// How an SDK names a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceReference<'a> {
    Id(&'a str),
    Name(&'a str),
}

/// The certificates that a client has shown. TLS has verified that the first one is the client's, and its
/// chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificates {
    /// SHA-1 in lower-case hex of each; that of the client first.
    pub fingerprints: Arc<[String]>,
    /// Dates of the client's certificate.
    pub not_before: Timestamp,
    pub not_after: Timestamp,
    /// URI of the client's certificate that begins with `spiffe:`.
    pub spiffe_id: Option<String>,
    /// The chain ends in the controller's own root, not in that of somebody else.
    pub is_first_party: bool,
}

/// Why an SDK may not connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginRefusal {
    /// The session, or the key that its token is signed with, may still become known.
    Unknown,
    /// For good, with a text for people.
    Refused(String),
}
