//! Committed changes: what projections are kept current by.

use crate::api_session::ApiSession;
use crate::auth_policy::AuthPolicy;
use crate::authenticator::Authenticator;
use crate::ca::Ca;
use crate::enrollment::Enrollment;
use crate::identity::Identity;
use crate::ids::Number;
use crate::mfa::Mfa;
use crate::session_certificate::SessionCertificate;
use crate::signer::Signer;
use std::sync::Arc;

/// One entity that a committed transaction wrote or removed.
#[derive(Debug, Clone)]
pub enum Change {
    /// An identity.
    Identity(EntityChange<Identity>),
    /// An enrollment; its owner is the identity.
    Enrollment(EntityChange<Enrollment>),
    /// An authenticator; its owner is the identity.
    Authenticator(EntityChange<Authenticator>),
    /// An API session; its owner is the identity.
    ApiSession(EntityChange<ApiSession>),
    /// A certificate of an API session; its owner is the identity.
    SessionCertificate(EntityChange<SessionCertificate>),
    /// A TOTP enrollment; its owner is the identity.
    Mfa(EntityChange<Mfa>),
    /// An authentication policy.
    AuthPolicy(EntityChange<AuthPolicy>),
    /// A third-party certificate authority.
    Ca(EntityChange<Ca>),
    /// An external JWT signer.
    Signer(EntityChange<Signer>),
}

/// What became of one entity.
#[derive(Debug)]
pub struct EntityChange<E> {
    /// Number of the record that it lives under, if it is not a root itself.
    pub owner: Option<Number>,
    /// Number of its record.
    pub number: Number,
    /// The entity as it is now; `None` when it was removed.
    pub now: Option<Arc<E>>,
}

impl<E> Clone for EntityChange<E> {
    fn clone(&self) -> Self {
        Self {
            owner: self.owner,
            number: self.number,
            now: self.now.clone(),
        }
    }
}
