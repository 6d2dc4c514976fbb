//! Committed changes, from which projections are updated.

use crate::api_session::ApiSession;
use crate::auth_policy::AuthPolicy;
use crate::authenticator::Authenticator;
use crate::ca::Ca;
use crate::config::{Config, ConfigType};
use crate::enrollment::Enrollment;
use crate::identity::Identity;
use crate::ids::RecordNumber;
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
    AuthPolicy(EntityChange<AuthPolicy>),
    Ca(EntityChange<Ca>),
    Signer(EntityChange<Signer>),
    ConfigType(EntityChange<ConfigType>),
    Config(EntityChange<Config>),
    Service(EntityChange<Service>),
    Router(EntityChange<Router>),
    Terminator(EntityChange<Terminator>),
    ServicePolicy(EntityChange<ServicePolicy>),
    EdgeRouterPolicy(EntityChange<EdgeRouterPolicy>),
    ServiceEdgeRouterPolicy(EntityChange<ServiceEdgeRouterPolicy>),
    PostureCheck(EntityChange<PostureCheck>),
    Revocation(EntityChange<Revocation>),
    /// A service session; its owner is the identity.
    Session(EntityChange<Session>),
}

/// The root record that a dependent record belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// An identity, by the number of its record.
    Identity(RecordNumber),
    /// A router, by the number of its record.
    Router(RecordNumber),
}

/// The change of one entity.
#[derive(Debug)]
pub struct EntityChange<E> {
    /// `None` for root records.
    pub owner: Option<Owner>,
    pub number: RecordNumber,
    /// The new state; `None` when it was removed.
    pub entity: Option<Arc<E>>,
}

impl<E> Clone for EntityChange<E> {
    fn clone(&self) -> Self {
        Self {
            owner: self.owner,
            number: self.number,
            entity: self.entity.clone(),
        }
    }
}
