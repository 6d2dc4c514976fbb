//! Builders for test entities.

use crate::support::identity;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::{Config, ConfigSpec, ConfigType, ConfigTypeSpec, JsonObject};
use portcullis_domain::enrollment::{Enrollment, EnrollmentPurpose};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{
    ConfigId, EnrollmentId, EntityId, IdentityId, PostureCheckId, RouterId, ServiceId, SessionId,
};
use portcullis_domain::managed::{Managed, Spec};
use portcullis_domain::policies::{
    EdgeRouterPolicy, EdgeRouterPolicySpec, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicySpec,
    ServiceGrant, ServicePolicy, ServicePolicySpec,
};
use portcullis_domain::posture_check::{Check, DomainCheck, PostureCheck, PostureCheckSpec};
use portcullis_domain::revocation::{Revocation, RevocationSpec, RevocationType};
use portcullis_domain::roles::RoleSelectors;
use portcullis_domain::router::{Router, RouterCertificate, RouterSpec};
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_domain::terminator::{Terminator, TerminatorHost, TerminatorSpec};
use portcullis_storage::tables::StoredEnrollment;
use std::collections::BTreeSet;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// The ids with these texts.
pub(crate) fn ids<I: EntityId>(texts: &[&str]) -> BTreeSet<I> {
    texts.iter().map(|text| id(text)).collect()
}

fn id<I: EntityId>(text: &str) -> I {
    I::from_wire(text.to_owned())
}

fn selecting<I>(ids: BTreeSet<I>) -> RoleSelectors<I> {
    let attributes = BTreeSet::new();
    RoleSelectors::Some { attributes, ids }
}

fn managed<I: EntityId, S: Spec>(text: &str, spec: S) -> Managed<I, S> {
    Managed::new(id(text), spec, NOW).unwrap()
}

pub(crate) fn config_type(id: &str, name: &str) -> ConfigType {
    let spec = ConfigTypeSpec::named(name);
    managed(id, spec)
}

pub(crate) fn config(of: &str, name: &str, config_type: &str) -> Config {
    let spec = ConfigSpec::new(name, id(config_type), JsonObject::new());
    managed(of, spec)
}

pub(crate) fn service(id: &str, name: &str, configs: BTreeSet<ConfigId>) -> Service {
    let spec = ServiceSpec {
        configs,
        ..ServiceSpec::named(name)
    };
    managed(id, spec)
}

pub(crate) fn router(id: &str, name: &str, configs: BTreeSet<ConfigId>) -> Router {
    let certificate = RouterCertificate::new("pem".to_owned(), format!("print of {id}"));
    let spec = RouterSpec {
        configs,
        certificate: Some(certificate),
        ..RouterSpec::edge_router(name)
    };
    managed(id, spec)
}

/// A terminator; `host` is the service session of a client that hosts it.
pub(crate) fn terminator(
    of: &str,
    service: &str,
    router: &str,
    host: Option<&Session>,
) -> Terminator {
    let spec = TerminatorSpec {
        host: host.map(|session| TerminatorHost {
            identity: session.identity.clone(),
            session: Some(session.id.clone()),
            access_token: None,
        }),
        ..TerminatorSpec::new(id(service), id(router), "tcp:localhost:80")
    };
    managed(of, spec)
}

pub(crate) fn revocation(of: &str) -> Revocation {
    let spec = RevocationSpec {
        revoked: RevocationType::Jti,
        issued_before: NOW,
        expires_at: NOW,
        tags: Tags::default(),
    };
    managed(of, spec)
}

pub(crate) fn posture_check(id: &str, name: &str) -> PostureCheck {
    let spec = PostureCheckSpec::new(
        name,
        Check::Domain(DomainCheck::new(vec!["corp".to_owned()]).unwrap()),
    );
    managed(id, spec)
}

pub(crate) fn service_policy(
    id: &str,
    name: &str,
    identities: BTreeSet<IdentityId>,
    services: BTreeSet<ServiceId>,
    checks: BTreeSet<PostureCheckId>,
) -> ServicePolicy {
    let spec = ServicePolicySpec {
        identity_roles: selecting(identities),
        service_roles: selecting(services),
        posture_check_roles: selecting(checks),
        ..ServicePolicySpec::new(name, ServiceGrant::Dial)
    };
    managed(id, spec)
}

pub(crate) fn edge_router_policy(
    id: &str,
    name: &str,
    identities: BTreeSet<IdentityId>,
    routers: BTreeSet<RouterId>,
) -> EdgeRouterPolicy {
    let spec = EdgeRouterPolicySpec {
        identity_roles: selecting(identities),
        edge_router_roles: selecting(routers),
        ..EdgeRouterPolicySpec::named(name)
    };
    managed(id, spec)
}

pub(crate) fn service_edge_router_policy(
    id: &str,
    name: &str,
    services: BTreeSet<ServiceId>,
    routers: BTreeSet<RouterId>,
) -> ServiceEdgeRouterPolicy {
    let spec = ServiceEdgeRouterPolicySpec {
        service_roles: selecting(services),
        edge_router_roles: selecting(routers),
        ..ServiceEdgeRouterPolicySpec::named(name)
    };
    managed(id, spec)
}

pub(crate) fn service_session(of: &str, api_session: &ApiSession, service: &str) -> Session {
    let granted = (id(service), ServiceGrant::Dial);
    Session::new(SessionId::from_wire(of), api_session, granted, NOW)
}

pub(crate) fn router_enrollment(of: &str, router: &str, token: u8) -> StoredEnrollment {
    let enrollment = Enrollment::new(
        EnrollmentId::from_wire(of),
        EnrollmentPurpose::Router {
            router: id(router),
            is_edge: true,
        },
        NOW,
        NOW,
    );
    StoredEnrollment {
        enrollment,
        token: "sealed".to_owned(),
        jwt: "sealed".to_owned(),
        token_hash: TokenHash([token; 16]),
    }
}

/// An identity that hosts `services`, and is shown `configs` with each of them.
pub(crate) fn host(
    id: &str,
    name: &str,
    services: &BTreeSet<ServiceId>,
    configs: &BTreeSet<ConfigId>,
) -> Identity {
    let mut host = identity(id, name);
    for service in services {
        host.spec.hosting.costs.insert(service.clone(), 7);
        if !configs.is_empty() {
            host.service_configs
                .insert(service.clone(), configs.clone());
        }
    }
    host
}
