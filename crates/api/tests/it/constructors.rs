//! What clients construct is read by the server as the value that the domain constructs.

use portcullis_api::ca::{CaCreate, CaUpdate};
use portcullis_api::config::ConfigCreate;
use portcullis_api::config_type::ConfigTypeCreate;
use portcullis_api::decode::Decode;
use portcullis_api::edge_router::EdgeRouterCreate;
use portcullis_api::edge_router_policy::EdgeRouterPolicyCreate;
use portcullis_api::enrollment::EnrollmentCreate;
use portcullis_api::external_jwt_signer::ExternalJwtSignerCreate;
use portcullis_api::posture_check::PostureCheckCreate;
use portcullis_api::router::TransitRouterCreate;
use portcullis_api::service::ServiceCreate;
use portcullis_api::service_edge_router_policy::ServiceEdgeRouterPolicyCreate;
use portcullis_api::service_policy::ServicePolicyCreate;
use portcullis_api::terminator::TerminatorCreate;
use portcullis_api::time::WireTime;

use portcullis_domain::ca::CaSettings;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::{ConfigSpec, ConfigTypeSpec, JsonObject};
use portcullis_domain::enrollment::EnrollmentMethod;
use portcullis_domain::ids::{CaId, ConfigTypeId, IdentityId, RouterId, ServiceId};
use portcullis_domain::policies::{
    EdgeRouterPolicySpec, ServiceEdgeRouterPolicySpec, ServiceGrant, ServicePolicySpec,
};
use portcullis_domain::posture_check::{Check, MfaCheck, PostureCheckSpec};
use portcullis_domain::router::{RouterKind, RouterSpec};
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::signer::SignerSettings;
use portcullis_domain::terminator::TerminatorSpec;
use serde::Serialize;

/// The body as the server reads it.
#[track_caller]
fn sent<B: Serialize + Decode>(body: &B) -> B {
    B::from_body(&serde_json::to_vec(body).unwrap()).unwrap()
}

#[test]
fn policies() {
    let body = ServicePolicyCreate::new("p", ServiceGrant::Bind);
    let spec = ServicePolicySpec::new("p", ServiceGrant::Bind);
    assert_eq!(ServicePolicySpec::from(sent(&body)), spec);
    let body = EdgeRouterPolicyCreate::named("p");
    let spec = EdgeRouterPolicySpec::named("p");
    assert_eq!(EdgeRouterPolicySpec::from(sent(&body)), spec);
    let body = ServiceEdgeRouterPolicyCreate::named("p");
    let spec = ServiceEdgeRouterPolicySpec::named("p");
    assert_eq!(ServiceEdgeRouterPolicySpec::from(sent(&body)), spec);
    let check = || Check::Mfa(MfaCheck::default());
    let body = PostureCheckCreate::new("c", check());
    let spec = PostureCheckSpec::new("c", check());
    assert_eq!(PostureCheckSpec::from(sent(&body)), spec);
}

#[test]
fn services_and_configurations() {
    let body = ServiceCreate::named("s");
    assert_eq!(sent(&body).spec(), Ok(ServiceSpec::named("s")));
    let body = ConfigTypeCreate::named("t");
    assert_eq!(
        ConfigTypeSpec::from(sent(&body)),
        ConfigTypeSpec::named("t")
    );
    let kind = ConfigTypeId::from_wire("t");
    let body = ConfigCreate::new("c", kind.clone(), JsonObject::new());
    let spec = ConfigSpec::new("c", kind, JsonObject::new());
    assert_eq!(ConfigSpec::from(sent(&body)), spec);
}

#[test]
fn routers_and_terminators() {
    let body = TransitRouterCreate::named("r");
    let spec = sent(&body).spec(RouterKind::Transit);
    assert_eq!(spec, RouterSpec::transit_router("r"));
    let body = EdgeRouterCreate::named("r");
    let spec = RouterSpec::from(sent(&body));
    assert_eq!(spec, RouterSpec::edge_router("r"));
    let (service, router) = (ServiceId::from_wire("s"), RouterId::from_wire("r"));
    let body = TerminatorCreate::new(service.clone(), router.clone(), "tcp:a:1");
    let spec = TerminatorSpec {
        binding: "transport".to_owned(),
        ..TerminatorSpec::new(service, router, "tcp:a:1")
    };
    assert_eq!(TerminatorSpec::from(sent(&body)), spec);
}

#[test]
fn authorities_and_enrollments() {
    let CaCreate { replace, .. } = sent(&CaCreate::new("c", "pem"));
    assert_eq!(replace, CaUpdate::named("c"));
    assert_eq!(replace.settings(), Ok(CaSettings::named("c")));
    let body = ExternalJwtSignerCreate::new("s", "https://a.test", "gate");
    let (settings, _keys) = sent(&body).into_parts();
    let expected = SignerSettings::new("s", "https://a.test", "gate", true);
    assert_eq!(settings, expected);
    let ca = CaId::from_wire("c");
    for method in [
        EnrollmentMethod::Ott,
        EnrollmentMethod::OttCa { ca },
        EnrollmentMethod::Updb {
            username: "user".to_owned(),
        },
    ] {
        let expires_at = WireTime(Timestamp::UNIX_EPOCH);
        let body = EnrollmentCreate::new(IdentityId::from_wire("i"), method.clone(), expires_at);
        assert_eq!(sent(&body).to_method(), Ok(method));
    }
}
