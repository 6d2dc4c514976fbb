//! Committed changes: what projections are kept current by.

use crate::api_session::ApiSession;
use crate::auth_policy::AuthPolicy;
use crate::authenticator::Authenticator;
use crate::ca::Ca;
use crate::config::{Config, ConfigType};
use crate::enrollment::Enrollment;
use crate::identity::Identity;
use crate::ids::Number;
use crate::mfa::Mfa;
use crate::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use crate::posture_check::PostureCheck;
use crate::revocation::Revocation;
use crate::router::Router;
use crate::service::Service;
use crate::session::Session;
use crate::session_certificate::SessionCertificate;
use crate::signer::Signer;
use crate::terminator::Terminator;
use std::sync::Arc;

/// One entity that a committed transaction wrote or removed.
#[derive(Debug, Clone)]
pub enum Change {
    /// An identity.
    Identity(EntityChange<Identity>),
    /// An enrollment; its owner is the identity or the router that is to obtain a credential.
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
    /// A type of configurations.
    ConfigType(EntityChange<ConfigType>),
    /// A configuration.
    Config(EntityChange<Config>),
    /// A service.
    Service(EntityChange<Service>),
    /// A router.
    Router(EntityChange<Router>),
    /// A terminator.
    Terminator(EntityChange<Terminator>),
    /// A service policy.
    ServicePolicy(EntityChange<ServicePolicy>),
    /// An edge-router policy.
    EdgeRouterPolicy(EntityChange<EdgeRouterPolicy>),
    /// A service-edge-router policy.
    ServiceEdgeRouterPolicy(EntityChange<ServiceEdgeRouterPolicy>),
    /// A posture check.
    PostureCheck(EntityChange<PostureCheck>),
    /// A revocation.
    Revocation(EntityChange<Revocation>),
    /// A service session; its owner is the identity.
    Session(EntityChange<Session>),
}

/// The record that a dependent lives and dies with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// An identity, by the number of its record.
    Identity(Number),
    /// A router, by the number of its record.
    Router(Number),
}

/// What became of one entity.
#[derive(Debug)]
pub struct EntityChange<E> {
    /// The record that it lives under, if it is not a root itself.
    pub owner: Option<Owner>,
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
