//! Dispatch from the kind of a record to its entity type.

use super::kind::{
    API_SESSION, AUTH_POLICY, AUTHENTICATOR, CA, CONFIG, CONFIG_TYPE, EDGE_ROUTER_POLICY,
    ENROLLMENT, Entity, IDENTITY, MFA, POSTURE_CHECK, REVOCATION, ROUTER, SERVICE,
    SERVICE_EDGE_ROUTER_POLICY, SERVICE_POLICY, SESSION, SESSION_CERTIFICATE, SIGNER,
    StoredEnrollment, StoredMfa, TERMINATOR,
};
use crate::key::Kind;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::ca::Ca;
use portcullis_domain::config::{Config, ConfigType};
use portcullis_domain::identity::Identity;
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::revocation::Revocation;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::session_certificate::SessionCertificate;
use portcullis_domain::signer::Signer;
use portcullis_domain::terminator::Terminator;

/// All kinds of records.
pub const KINDS: [Kind; 20] = [
    IDENTITY,
    AUTH_POLICY,
    ENROLLMENT,
    AUTHENTICATOR,
    API_SESSION,
    CA,
    SIGNER,
    SESSION_CERTIFICATE,
    MFA,
    CONFIG_TYPE,
    CONFIG,
    SERVICE,
    ROUTER,
    TERMINATOR,
    SERVICE_POLICY,
    EDGE_ROUTER_POLICY,
    SERVICE_EDGE_ROUTER_POLICY,
    POSTURE_CHECK,
    SESSION,
    REVOCATION,
];

/// A generic operation on the entity type of a record.
pub trait EntityVisitor {
    type Output;

    /// Runs with the entity type `E`.
    fn visit<E: Entity>(self) -> Self::Output;
}

/// Runs `work` with the entity type of `kind`; `None` for an unknown kind.
pub fn dispatch<F: EntityVisitor>(kind: Kind, work: F) -> Option<F::Output> {
    Some(match kind {
        IDENTITY => work.visit::<Identity>(),
        AUTH_POLICY => work.visit::<AuthPolicy>(),
        ENROLLMENT => work.visit::<StoredEnrollment>(),
        AUTHENTICATOR => work.visit::<Authenticator>(),
        API_SESSION => work.visit::<ApiSession>(),
        CA => work.visit::<Ca>(),
        SIGNER => work.visit::<Signer>(),
        SESSION_CERTIFICATE => work.visit::<SessionCertificate>(),
        MFA => work.visit::<StoredMfa>(),
        CONFIG_TYPE => work.visit::<ConfigType>(),
        CONFIG => work.visit::<Config>(),
        SERVICE => work.visit::<Service>(),
        ROUTER => work.visit::<Router>(),
        TERMINATOR => work.visit::<Terminator>(),
        SERVICE_POLICY => work.visit::<ServicePolicy>(),
        EDGE_ROUTER_POLICY => work.visit::<EdgeRouterPolicy>(),
        SERVICE_EDGE_ROUTER_POLICY => work.visit::<ServiceEdgeRouterPolicy>(),
        POSTURE_CHECK => work.visit::<PostureCheck>(),
        SESSION => work.visit::<Session>(),
        REVOCATION => work.visit::<Revocation>(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct KindOf;
    impl EntityVisitor for KindOf {
        type Output = Kind;
        fn visit<E: Entity>(self) -> Kind {
            E::KIND
        }
    }

    #[test]
    fn every_kind_leads_to_its_own_type() {
        for kind in KINDS {
            assert_eq!(dispatch(kind, KindOf), Some(kind));
        }
        assert_eq!(dispatch(Kind::new::<0xEE>(), KindOf), None);
    }
}
