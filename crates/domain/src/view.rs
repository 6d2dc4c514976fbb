//! Entities together with what is shown beside them: what use cases answer and transports write.

mod policy;
mod posture;
mod reference;
mod router;
mod service;

pub use policy::{EdgeRouterPolicyView, ServiceEdgeRouterPolicyView, ServicePolicyView};
pub use posture::{CheckPosture, PolicyPosture, PostureView, SessionPosture};
pub use reference::{Named, Names, RouterRef};
pub use router::{
    CommonRouter, ManagedRouterView, PolicyAdviceView, RouterConnection, RouterVersion, RouterView,
    SessionView, SyncStatus, TerminatorView,
};
pub use service::{ConfigView, ServiceConfigView, ServiceGrants, ServiceView};

use crate::api_session::ApiSession;
use crate::authenticator::{Authenticator, ExtensionRequest};
use crate::ca::Ca;
use crate::clock::{SignedDuration, Timestamp};
use crate::enrollment::{Enrollment, EnrollmentSecrets};
use crate::identity::Identity;
use crate::ids::{ApiSessionId, AuthPolicyId, CaId, IdentityId, SessionCertificateId};
use crate::mfa::Mfa;
use crate::session_certificate::CertificateFacts;
use crate::signer::Signer;
use secrecy::SecretString;

/// Enough of an identity to refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityRef {
    /// Its id.
    pub id: IdentityId,
    /// Its name.
    pub name: String,
    /// Its authentication policy, to which references carry a link.
    pub auth_policy: AuthPolicyId,
}

impl From<&Identity> for IdentityRef {
    fn from(identity: &Identity) -> Self {
        Self {
            id: identity.id.clone(),
            name: identity.name().to_owned(),
            auth_policy: identity.spec.auth_policy.clone(),
        }
    }
}

/// Enough of a third-party authority to refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaRef {
    /// Its id.
    pub id: CaId,
    /// Its name.
    pub name: String,
    /// Whether it is verified; references to one that is not carry a link.
    pub is_verified: bool,
    /// Whether it enrolls by itself; references to one that does carry a link.
    pub is_auto_enrollment_enabled: bool,
}

impl From<&Ca> for CaRef {
    fn from(ca: &Ca) -> Self {
        Self {
            id: ca.id.clone(),
            name: ca.spec.name.clone(),
            is_verified: ca.is_verified,
            is_auto_enrollment_enabled: ca.spec.is_auto_enrollment_enabled,
        }
    }
}

/// An identity with its credentials and pending enrollments.
#[derive(Debug, Clone)]
pub struct IdentityView {
    /// The identity.
    pub identity: Identity,
    /// Name of its authentication policy, if that can be read.
    pub policy_name: Option<String>,
    /// Its authenticators, oldest first.
    pub authenticators: Vec<Authenticator>,
    /// Its pending enrollments, expired ones included, each with what redeems it if the caller may
    /// know that.
    pub enrollments: Vec<(Enrollment, Option<EnrollmentSecrets>)>,
    /// The third-party authority whose certificate one of them demands.
    pub ca: Option<CaRef>,
    /// Whether it has an API session.
    pub has_api_session: bool,
    /// When it was looked at; whether it is disabled depends on it.
    pub seen_at: Timestamp,
}

/// An enrollment and whose it is.
#[derive(Debug, Clone)]
pub struct EnrollmentView {
    /// The enrollment.
    pub enrollment: Enrollment,
    /// What redeems it, if the caller may know that.
    pub secrets: Option<EnrollmentSecrets>,
    /// Whose it is.
    pub holder: EnrollmentHolder,
}

/// Enough of whoever obtains a credential by an enrollment to refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnrollmentHolder {
    /// An identity.
    Identity(IdentityRef),
    /// A router.
    Router(RouterRef),
}

/// An authenticator and whose it is.
#[derive(Debug, Clone)]
pub struct AuthenticatorView {
    /// The authenticator.
    pub authenticator: Authenticator,
    /// Whose it is.
    pub identity: IdentityRef,
}

/// An API session and whose it is.
#[derive(Debug, Clone)]
pub struct ApiSessionView {
    /// The session.
    pub session: ApiSession,
    /// Whose it is.
    pub identity: IdentityRef,
    /// What its holder has still to answer under the identity's policy.
    pub questions: Vec<AuthQuestion>,
    /// The request for another certificate that is still to be met.
    pub extension: Option<ExtensionRequest>,
    /// When it was last used, as known in memory.
    pub last_activity_at: Timestamp,
    /// How long it lives without being used.
    pub timeout: SignedDuration,
    /// When it ends however much it is used, if it has such an end.
    pub ends_at: Option<Timestamp>,
}

/// A certificate of an API session.
#[derive(Debug, Clone)]
pub struct SessionCertificateView {
    /// Its id.
    pub id: SessionCertificateId,
    /// The session.
    pub session: ApiSessionId,
    /// When it was issued for the session, or opened it.
    pub created_at: Timestamp,
    /// The certificate.
    pub certificate: CertificateFacts,
}

/// A TOTP enrollment, with what its owner needs to finish it while it is not verified.
#[derive(Debug, Clone)]
pub struct MfaView {
    /// The enrollment.
    pub mfa: Mfa,
    /// What it takes to finish it; `None` once it is verified.
    pub set_up: Option<MfaSetUp>,
}

/// What an authenticator app is set up with, and what to keep for the day it is lost.
#[derive(Debug, Clone)]
pub struct MfaSetUp {
    /// URL of the scheme `otpauth`, with the secret.
    pub provisioning_url: SecretString,
    /// The recovery codes.
    pub recovery_codes: Vec<SecretString>,
}

/// The recovery codes of a TOTP enrollment that are not spent.
#[derive(Debug, Clone)]
pub struct RecoveryCodesView {
    /// The enrollment.
    pub mfa: Mfa,
    /// The codes.
    pub codes: Vec<SecretString>,
}

/// A factor that the holder of a session has still to answer, with what is needed to do so.
#[derive(Debug, Clone)]
pub enum AuthQuestion {
    /// A TOTP code.
    Totp {
        /// Whether there is an enrollment to answer with; otherwise one has to be made.
        is_enrolled: bool,
    },
    /// A token of this signer, with every request.
    Token(Box<Signer>),
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The entities of the page, in order.
    pub items: Vec<T>,
    /// The page's size that was in force; `None` for no limit.
    pub limit: Option<u64>,
    /// Entities skipped before the page.
    pub offset: u64,
    /// Entities that match, on all pages.
    pub total: u64,
}

impl<T> Page<T> {
    /// The same page with each entity turned into something else.
    pub fn map<U>(self, turn: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(turn).collect(),
            limit: self.limit,
            offset: self.offset,
            total: self.total,
        }
    }

    /// The same page with each entity turned into something else, unless one cannot be.
    ///
    /// # Errors
    ///
    /// The first that `turn` gives.
    pub fn try_map<U, E>(self, turn: impl FnMut(T) -> Result<U, E>) -> Result<Page<U>, E> {
        Ok(Page {
            items: self.items.into_iter().map(turn).collect::<Result<_, _>>()?,
            limit: self.limit,
            offset: self.offset,
            total: self.total,
        })
    }
}
