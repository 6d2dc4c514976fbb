//! From the kind of a record to the type of its entity.

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

/// Every kind of record.
pub(super) const KINDS: [Kind; 20] = [
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

/// Something that is done with a record, whatever its type.
pub(super) trait ForEntity {
    /// What comes of it.
    type Output;

    /// Does it with a record of the type `E`.
    fn run<E: Entity>(self) -> Self::Output;
}

/// Does something with a record of `kind`; `None` for a kind that is not known.
pub(super) fn dispatch<F: ForEntity>(kind: Kind, work: F) -> Option<F::Output> {
    Some(match kind {
        IDENTITY => work.run::<Identity>(),
        AUTH_POLICY => work.run::<AuthPolicy>(),
        ENROLLMENT => work.run::<StoredEnrollment>(),
        AUTHENTICATOR => work.run::<Authenticator>(),
        API_SESSION => work.run::<ApiSession>(),
        CA => work.run::<Ca>(),
        SIGNER => work.run::<Signer>(),
        SESSION_CERTIFICATE => work.run::<SessionCertificate>(),
        MFA => work.run::<StoredMfa>(),
        CONFIG_TYPE => work.run::<ConfigType>(),
        CONFIG => work.run::<Config>(),
        SERVICE => work.run::<Service>(),
        ROUTER => work.run::<Router>(),
        TERMINATOR => work.run::<Terminator>(),
        SERVICE_POLICY => work.run::<ServicePolicy>(),
        EDGE_ROUTER_POLICY => work.run::<EdgeRouterPolicy>(),
        SERVICE_EDGE_ROUTER_POLICY => work.run::<ServiceEdgeRouterPolicy>(),
        POSTURE_CHECK => work.run::<PostureCheck>(),
        SESSION => work.run::<Session>(),
        REVOCATION => work.run::<Revocation>(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct KindOf;
    impl ForEntity for KindOf {
        type Output = Kind;
        fn run<E: Entity>(self) -> Kind {
            E::KIND
        }
    }

    #[test]
    fn every_kind_leads_to_its_own_type() {
        for kind in KINDS {
            assert_eq!(dispatch(kind, KindOf), Some(kind));
        }
        assert_eq!(dispatch(Kind::of::<0xEE>(), KindOf), None);
    }
}
