//! Read models: entities together with related data, as returned by use cases.

mod network;
mod policy;
mod posture;
mod reference;
mod router;
mod service;

pub use network::{
    CircuitPath, CircuitView, ConnectedRouter, EdgeRouterConnection, InspectedValue, LinkChange,
    LinkConnection, LinkView, NamedCircuit, NamedLink,
};
pub use policy::{EdgeRouterPolicyView, ServiceEdgeRouterPolicyView, ServicePolicyView};
pub use posture::{CheckPosture, PolicyPosture, PostureView, SessionPosture};
pub use reference::{NamedRef, NamesById, RouterRef};
pub use router::{
    CommonRouter, LinkListener, ManagedRouterView, PolicyAdviceView, RouterConnection,
    RouterVersion, RouterView, SessionView, SyncStatus, TerminatorView,
};
pub use service::{ConfigView, ServiceConfigView, ServiceGrants, ServiceView};

use crate::access::AccessToken;
use crate::api_session::ApiSession;
use crate::authenticator::{Authenticator, ExtensionRequest};
use crate::ca::Ca;
use crate::clock::{SignedDuration, Timestamp};
use crate::enrollment::{Enrollment, EnrollmentSecrets};
use crate::identity::Identity;
use crate::ids::{ApiSessionId, AuthPolicyId, CaId, IdentityId, SessionCertificateId};
use crate::mfa::Mfa;
use crate::session_certificate::CertificateInfo;
use crate::signer::Signer;
use secrecy::SecretString;

/// Reference to an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityRef {
    pub id: IdentityId,
    pub name: String,
    /// For the link in references.
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

/// Reference to a third-party authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaRef {
    pub id: CaId,
    pub name: String,
    /// References to unverified authorities carry a link.
    pub is_verified: bool,
    /// References to auto-enrolling authorities carry a link.
    pub is_auto_enrollment_enabled: bool,
}

impl From<&Ca> for CaRef {
    fn from(ca: &Ca) -> Self {
        Self {
            id: ca.id.clone(),
            name: ca.spec.settings.name.clone(),
            is_verified: ca.spec.is_verified,
            is_auto_enrollment_enabled: ca.spec.settings.is_auto_enrollment_enabled,
        }
    }
}

/// An identity with its credentials and pending enrollments.
#[derive(Debug, Clone)]
pub struct IdentityView {
    pub identity: Identity,
    /// `None` if the policy cannot be read.
    pub policy_name: Option<String>,
    /// Oldest first.
    pub authenticators: Vec<Authenticator>,
    /// Pending enrollments, including expired ones, with their secrets if the caller may see them.
    pub enrollments: Vec<(Enrollment, Option<EnrollmentSecrets>)>,
    /// The third-party authority of an `ottca` enrollment.
    pub ca: Option<CaRef>,
    pub has_api_session: bool,
    pub edge_router_connection: EdgeRouterConnection,
    /// Time of the view; decides whether it is disabled.
    pub as_of: Timestamp,
}

/// An enrollment and its owner.
#[derive(Debug, Clone)]
pub struct EnrollmentView {
    pub enrollment: Enrollment,
    /// `None` unless the caller may see them.
    pub secrets: Option<EnrollmentSecrets>,
    pub owner: EnrollmentOwnerRef,
}

/// Reference to the owner of an enrollment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnrollmentOwnerRef {
    Identity(IdentityRef),
    Router(RouterRef),
}

/// An authenticator and its identity.
#[derive(Debug, Clone)]
pub struct AuthenticatorView {
    pub authenticator: Authenticator,
    pub identity: IdentityRef,
}

/// An API session and its identity.
#[derive(Debug, Clone)]
pub struct ApiSessionView {
    pub session: ApiSession,
    pub identity: IdentityRef,
    /// Pending factors under the policy of the identity.
    pub open_factors: Vec<OpenFactorView>,
    /// The open extension request.
    pub extension: Option<ExtensionRequest>,
    /// From memory, so possibly newer than the stored value.
    pub last_activity_at: Timestamp,
    /// Idle timeout.
    pub timeout: SignedDuration,
    /// End of the maximum lifetime, if limited.
    pub ends_at: Option<Timestamp>,
    /// The access token of the holder who reads it, if an OIDC login opened the session.
    pub access_token: Option<AccessToken>,
}

/// A certificate of an API session.
#[derive(Debug, Clone)]
pub struct SessionCertificateView {
    pub id: SessionCertificateId,
    pub session: ApiSessionId,
    /// When it was issued, or opened the session.
    pub created_at: Timestamp,
    pub certificate: CertificateInfo,
}

/// A TOTP enrollment, with its setup data until it is verified.
#[derive(Debug, Clone)]
pub struct MfaView {
    pub mfa: Mfa,
    /// `None` once it is verified.
    pub setup: Option<MfaSetup>,
}

/// Setup data of an authenticator app.
#[derive(Debug, Clone)]
pub struct MfaSetup {
    /// `otpauth` URL with the secret.
    pub provisioning_url: SecretString,
    pub recovery_codes: Vec<SecretString>,
}

/// The unused recovery codes of a TOTP enrollment.
#[derive(Debug, Clone)]
pub struct RecoveryCodesView {
    pub mfa: Mfa,
    pub codes: Vec<SecretString>,
}

/// A pending factor of a session, with the data needed to pass it.
#[derive(Debug, Clone)]
pub enum OpenFactorView {
    /// A TOTP code.
    Totp {
        /// `false` if the identity has to enroll first.
        is_enrolled: bool,
    },
    /// A token of this signer, required with every request.
    Token(Box<Signer>),
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Effective page size; `None` for no limit.
    pub limit: Option<u64>,
    pub offset: u64,
    /// Number of matches on all pages.
    pub total: u64,
}

impl<T> Page<T> {
    /// Converts the items.
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(convert).collect(),
            limit: self.limit,
            offset: self.offset,
            total: self.total,
        }
    }
}
