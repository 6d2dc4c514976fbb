//! Entities with just what the tests are about.

use portcullis_domain::api_session::{ApiSession, OpenedBy, TokenHash};
use portcullis_domain::auth_policy::{AuthPolicy, DEFAULT_ID};
use portcullis_domain::authenticator::{
    Authenticator, CertCredential, Credential, PasswordHash, UpdbCredential,
};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::{Enrollment, EnrollmentMethod, EnrollmentPurpose};
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{
    ApiSessionId, AuthPolicyId, AuthenticatorId, EdgeRouterPolicyId, EnrollmentId, IdentityId,
    PostureCheckId, RouterId, ServiceId, SessionId, TerminatorId,
};
use portcullis_domain::policies::{EdgeRouterPolicy, EdgeRouterPolicySpec, ServiceGrant};
use portcullis_domain::posture_check::{Check, MfaCheck, PostureCheck, PostureCheckSpec};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::router::{EdgeRouterSettings, Router, RouterKind, RouterSpec};
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};

pub(crate) fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(millisecond).unwrap()
}

pub(crate) fn identity(id: &str, name: &str, created_at: i64) -> Identity {
    let mut spec = IdentitySpec::named(IdentityName::new(name).unwrap());
    spec.auth_policy = AuthPolicyId::from_wire(DEFAULT_ID);
    Identity::new(IdentityId::from_wire(id), spec, at(created_at))
}

pub(crate) fn enrollment(id: &str, created_at: i64, method: EnrollmentMethod) -> Enrollment {
    let identity = IdentityId::from_wire("owner");
    enrollment_for(
        id,
        created_at,
        EnrollmentPurpose::Identity { identity, method },
    )
}

pub(crate) fn enrollment_for(id: &str, created_at: i64, purpose: EnrollmentPurpose) -> Enrollment {
    Enrollment::new(
        EnrollmentId::from_wire(id),
        purpose,
        at(created_at + 1000),
        at(created_at),
    )
}

/// `is_own` tells whether the network issued the certificate; without it, there is a password.
pub(crate) fn authenticator(id: &str, created_at: i64, is_own: Option<bool>) -> Authenticator {
    let credential = if let Some(is_issued_by_network) = is_own {
        Credential::Cert(CertCredential::new(
            format!("print-{id}"),
            String::new(),
            is_issued_by_network,
        ))
    } else {
        let hash = PasswordHash {
            memory: 0,
            passes: 0,
            lanes: 0,
            salt: String::new(),
            hash: String::new(),
        };
        Credential::Updb(UpdbCredential::new(format!("user-{id}"), hash))
    };
    Authenticator {
        id: AuthenticatorId::from_wire(id),
        created_at: at(created_at),
        updated_at: at(created_at),
        tags: Tags::default(),
        identity: IdentityId::from_wire("owner"),
        credential,
    }
}

pub(crate) fn policy(id: &str, name: &str, created_at: i64) -> AuthPolicy {
    let mut policy = AuthPolicy::default_policy(at(created_at));
    policy.id = AuthPolicyId::from_wire(id);
    name.clone_into(&mut policy.spec.name);
    policy
}

pub(crate) fn session(id: &str, token: u8, last_activity_at: i64) -> ApiSession {
    let mut session = ApiSession::new(
        ApiSessionId::from_wire(id),
        IdentityId::from_wire("owner"),
        OpenedBy::Authenticator(AuthenticatorId::from_wire("authenticator")),
        TokenHash([token; 16]),
        at(0),
    );
    session.last_activity_at = at(last_activity_at);
    "192.0.2.1".clone_into(&mut session.ip_address);
    session
}

pub(crate) fn service(id: &str, role_attributes: RoleAttributes) -> Service {
    let spec = ServiceSpec {
        role_attributes,
        ..ServiceSpec::named(id)
    };
    Service::new(ServiceId::from_wire(id), spec, at(0)).unwrap()
}

pub(crate) fn terminator(
    id: &str,
    created_at: i64,
    [service, router, instance]: [&str; 3],
) -> Terminator {
    let spec = TerminatorSpec {
        instance_id: instance.to_owned(),
        ..TerminatorSpec::new(
            ServiceId::from_wire(service),
            RouterId::from_wire(router),
            format!("tcp:{instance}:1"),
        )
    };
    Terminator::new(TerminatorId::from_wire(id), spec, at(created_at)).unwrap()
}

pub(crate) fn service_session(
    id: &str,
    created_at: i64,
    service: &str,
    grant: ServiceGrant,
) -> Session {
    Session {
        id: SessionId::from_wire(id),
        created_at: at(created_at),
        api_session: ApiSessionId::from_wire("session"),
        api_session_token: TokenHash([0; 16]),
        identity: IdentityId::from_wire("owner"),
        service: ServiceId::from_wire(service),
        grant,
        tags: Tags::default(),
    }
}

pub(crate) fn edge_router_policy(id: &str, is_system: bool) -> EdgeRouterPolicy {
    let spec = EdgeRouterPolicySpec {
        is_system,
        ..EdgeRouterPolicySpec::named(id)
    };
    EdgeRouterPolicy::new(EdgeRouterPolicyId::from_wire(id), spec, at(0)).unwrap()
}

pub(crate) fn router(id: &str, kind: RouterKind) -> Router {
    let spec = RouterSpec {
        kind,
        ..RouterSpec::edge_router(id)
    };
    Router::new(RouterId::from_wire(id), spec, at(0)).unwrap()
}

pub(crate) fn edge_router(id: &str, role_attributes: RoleAttributes) -> Router {
    let edge = EdgeRouterSettings {
        role_attributes,
        ..EdgeRouterSettings::default()
    };
    router(id, RouterKind::Edge(edge))
}

pub(crate) fn posture_check(id: &str, role_attributes: RoleAttributes) -> PostureCheck {
    let spec = PostureCheckSpec {
        role_attributes,
        ..PostureCheckSpec::new(id, Check::Mfa(MfaCheck::default()))
    };
    PostureCheck::new(PostureCheckId::from_wire(id), spec, at(0)).unwrap()
}
