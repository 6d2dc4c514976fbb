//! Builders for test entities.

use crate::support::identity;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::{
    Config, ConfigSpec, ConfigTarget, ConfigType, ConfigTypeSpec, JsonObject,
};
use portcullis_domain::enrollment::{Enrollment, EnrollmentPurpose};
use portcullis_domain::identity::{Identity, Precedence};
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
use portcullis_domain::roles::{RoleAttributes, RoleSelectors, Semantic};
use portcullis_domain::router::{
    EdgeRouterSettings, Router, RouterCertificate, RouterKind, RouterSpec,
};
use portcullis_domain::service::{Service, ServiceSpec, TerminatorStrategy};
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_storage::tables::StoredEnrollment;
use std::collections::{BTreeMap, BTreeSet};

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
    let spec = ConfigTypeSpec {
        name: name.to_owned(),
        schema: None,
        target: ConfigTarget::Service,
        tags: Tags::default(),
    };
    managed(id, spec)
}

pub(crate) fn config(of: &str, name: &str, config_type: &str) -> Config {
    let spec = ConfigSpec {
        name: name.to_owned(),
        config_type: id(config_type),
        data: JsonObject::new(),
        tags: Tags::default(),
    };
    managed(of, spec)
}

pub(crate) fn service(id: &str, name: &str, configs: BTreeSet<ConfigId>) -> Service {
    let spec = ServiceSpec {
        is_fabric_only: false,
        name: name.to_owned(),
        role_attributes: RoleAttributes::default(),
        configs,
        encryption_required: true,
        terminator_strategy: TerminatorStrategy::default(),
        max_idle_time_millis: 0,
        tags: Tags::default(),
    };
    managed(id, spec)
}

pub(crate) fn router(id: &str, name: &str, configs: BTreeSet<ConfigId>) -> Router {
    let certificate = RouterCertificate {
        pem: "pem".to_owned(),
        fingerprint: format!("print of {id}"),
    };
    let spec = RouterSpec {
        name: name.to_owned(),
        kind: RouterKind::Edge(EdgeRouterSettings::default()),
        cost: 0,
        no_traversal: false,
        disabled: false,
        ctrl_chan_listeners: BTreeMap::new(),
        configs,
        certificate: Some(certificate),
        tags: Tags::default(),
    };
    managed(id, spec)
}

pub(crate) fn terminator(of: &str, service: &str, router: &str) -> Terminator {
    let spec = TerminatorSpec {
        host_id: None,
        service: id(service),
        router: id(router),
        binding: String::new(),
        address: "tcp:localhost:80".to_owned(),
        cost: 0,
        precedence: Precedence::Default,
        instance_id: String::new(),
        tags: Tags::default(),
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
    let spec = PostureCheckSpec {
        name: name.to_owned(),
        role_attributes: RoleAttributes::default(),
        check: Check::Domain(DomainCheck::new(vec!["corp".to_owned()]).unwrap()),
        tags: Tags::default(),
    };
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
        name: name.to_owned(),
        grant: ServiceGrant::Dial,
        semantic: Semantic::AnyOf,
        identity_roles: selecting(identities),
        service_roles: selecting(services),
        posture_check_roles: selecting(checks),
        tags: Tags::default(),
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
        name: name.to_owned(),
        semantic: Semantic::AnyOf,
        identity_roles: selecting(identities),
        edge_router_roles: selecting(routers),
        is_system: false,
        tags: Tags::default(),
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
        name: name.to_owned(),
        semantic: Semantic::AnyOf,
        service_roles: selecting(services),
        edge_router_roles: selecting(routers),
        tags: Tags::default(),
    };
    managed(id, spec)
}

pub(crate) fn service_session(of: &str, api_session: &ApiSession, service: &str) -> Session {
    Session {
        id: SessionId::from_wire(of),
        created_at: NOW,
        api_session: api_session.id.clone(),
        api_session_token: api_session.token_hash,
        identity: api_session.identity.clone(),
        service: id(service),
        grant: ServiceGrant::Dial,
        tags: Tags::default(),
    }
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
