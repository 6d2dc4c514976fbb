//! Recorded answers are read and written again without loss.

use crate::recorded::{Step, steps};
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_api::code::Code;
use portcullis_api::config::ConfigDetail;
use portcullis_api::config_type::ConfigTypeDetail;
use portcullis_api::controller::ControllerDetail;
use portcullis_api::edge_router::{EdgeRouterDetail, ServiceEdgeRouters};
use portcullis_api::edge_router_policy::EdgeRouterPolicyDetail;
use portcullis_api::enroll::EnrollmentResult;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::envelope::{Created, Empty, Envelope, ListEnvelope};
use portcullis_api::error::{BareError, ErrorBody};
use portcullis_api::identity::{IdentityDetail, IdentityTypeDetail};
use portcullis_api::network_jwt::NetworkJwt;
use portcullis_api::policy_advice::PolicyAdvice;
use portcullis_api::service::ServiceDetail;
use portcullis_api::service_config::ServiceConfigDetail;
use portcullis_api::service_edge_router_policy::ServiceEdgeRouterPolicyDetail;
use portcullis_api::service_policy::ServicePolicyDetail;
use portcullis_api::service_updates::ServiceUpdates;
use portcullis_api::spec::SpecDetail;
use portcullis_api::terminator::TerminatorDetail;
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_api::version::Version;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads the answer of `step` as `T`, writes it and compares.
fn survives<T: Serialize + DeserializeOwned>(step: &Step) {
    let read: T = serde_json::from_value(step.answer.clone())
        .map_err(|error| format!("{}: {error}", step.name))
        .unwrap();
    let written: Value = serde_json::from_slice(&portcullis_api::json::to_bytes(&read)).unwrap();
    assert_eq!(written, step.answer, "{}", step.name);
}

/// Does so with each of the steps chosen, of which there must be at least `least` if there are any
/// recordings.
fn all_survive<T: Serialize + DeserializeOwned>(least: usize, choose: impl Fn(&Step) -> bool) {
    let steps = steps();
    let chosen: Vec<_> = steps.iter().filter(|step| choose(step)).collect();
    assert!(
        steps.is_empty() || chosen.len() >= least,
        "only {} of {} steps were chosen",
        chosen.len(),
        steps.len()
    );
    for step in chosen {
        survives::<T>(step);
    }
}

/// Whether the answer holds one entity that has all of `members`.
fn is_one(step: &Step, members: &[&str]) -> bool {
    step.status < 300 && has(&step.answer["data"], members)
}

/// Whether the answer is a page of entities that have all of `members`.
fn is_page(step: &Step, members: &[&str]) -> bool {
    let items = step.answer["data"].as_array();
    step.status < 300
        && step.answer["meta"].get("pagination").is_some()
        && items
            .is_some_and(|items| !items.is_empty() && items.iter().all(|item| has(item, members)))
}

fn has(value: &Value, members: &[&str]) -> bool {
    members.iter().all(|member| value.get(member).is_some())
}

#[test]
fn identities() {
    let members = ["roleAttributes", "authenticators", "enrollment"];
    all_survive::<Envelope<IdentityDetail>>(50, |step| is_one(step, &members));
    all_survive::<ListEnvelope<IdentityDetail>>(20, |step| is_page(step, &members));
}

#[test]
fn identity_types() {
    let is_type = |step: &Step| step.path.contains("/identity-types");
    all_survive::<Envelope<IdentityTypeDetail>>(1, |step| is_type(step) && is_one(step, &["name"]));
    all_survive::<ListEnvelope<IdentityTypeDetail>>(1, |step| {
        is_type(step) && is_page(step, &["name"])
    });
}

#[test]
fn sessions() {
    let members = ["authQueries", "ipAddress", "identityId"];
    all_survive::<Envelope<ApiSessionDetail>>(20, |step| is_one(step, &members));
    all_survive::<ListEnvelope<ApiSessionDetail>>(2, |step| is_page(step, &members));
}

#[test]
fn authenticators() {
    let is = |step: &Step| step.path.contains("/authenticators");
    let members = ["method", "identityId"];
    all_survive::<Envelope<AuthenticatorDetail>>(5, |step| is(step) && is_one(step, &members));
    all_survive::<ListEnvelope<AuthenticatorDetail>>(3, |step| is(step) && is_page(step, &members));
}

#[test]
fn enrollments() {
    let members = ["method", "identityId", "token"];
    all_survive::<Envelope<EnrollmentDetail>>(5, |step| is_one(step, &members));
    all_survive::<ListEnvelope<EnrollmentDetail>>(1, |step| is_page(step, &members));
}

#[test]
fn enrollment_results() {
    all_survive::<Envelope<EnrollmentResult>>(10, |step| {
        step.method == "POST"
            && step.path.starts_with("/enroll")
            && step.status == 200
            && !step.path.starts_with("/enrollments")
            && step.path != "/enroll/token"
    });
}

#[test]
fn policies() {
    let members = ["primary", "secondary"];
    all_survive::<Envelope<AuthPolicyDetail>>(2, |step| is_one(step, &members));
    all_survive::<ListEnvelope<AuthPolicyDetail>>(2, |step| is_page(step, &members));
}

#[test]
fn services() {
    let members = ["encryptionRequired", "postureQueries"];
    all_survive::<Envelope<ServiceDetail>>(5, |step| is_one(step, &members));
    all_survive::<ListEnvelope<ServiceDetail>>(15, |step| is_page(step, &members));
}

#[test]
fn configurations() {
    let members = ["configTypeId", "data"];
    all_survive::<Envelope<ConfigDetail>>(2, |step| is_one(step, &members));
    all_survive::<ListEnvelope<ConfigDetail>>(5, |step| is_page(step, &members));
    let members = ["schema", "target"];
    all_survive::<Envelope<ConfigTypeDetail>>(3, |step| is_one(step, &members));
    all_survive::<ListEnvelope<ConfigTypeDetail>>(3, |step| is_page(step, &members));
}

#[test]
fn policies_of_services_and_routers() {
    let members = ["serviceRoles", "identityRoles"];
    all_survive::<Envelope<ServicePolicyDetail>>(4, |step| is_one(step, &members));
    all_survive::<ListEnvelope<ServicePolicyDetail>>(4, |step| is_page(step, &members));
    let members = ["edgeRouterRoles", "identityRoles"];
    all_survive::<Envelope<EdgeRouterPolicyDetail>>(1, |step| is_one(step, &members));
    all_survive::<ListEnvelope<EdgeRouterPolicyDetail>>(3, |step| is_page(step, &members));
    let members = ["edgeRouterRoles", "serviceRoles"];
    all_survive::<ListEnvelope<ServiceEdgeRouterPolicyDetail>>(3, |step| is_page(step, &members));
}

#[test]
fn routers() {
    let members = ["isTunnelerEnabled", "syncStatus"];
    all_survive::<Envelope<EdgeRouterDetail>>(5, |step| is_one(step, &members));
    all_survive::<ListEnvelope<EdgeRouterDetail>>(5, |step| is_page(step, &members));
    all_survive::<Envelope<TransitRouterDetail>>(2, |step| {
        step.api == "management"
            && is_one(step, &["noTraversal", "isVerified"])
            && !is_one(step, &members)
    });
    all_survive::<ListEnvelope<EnrollmentDetail>>(2, |step| {
        is_page(step, &["edgeRouterId"]) || is_page(step, &["transitRouterId"])
    });
    all_survive::<Envelope<ServiceEdgeRouters>>(1, |step| is_one(step, &["edgeRouters"]));
}

#[test]
fn what_uses_services() {
    let members = ["dynamicCost", "precedence"];
    let is_edge_api = |step: &Step| step.api == "management";
    all_survive::<Envelope<TerminatorDetail>>(2, |step| {
        is_edge_api(step) && is_one(step, &members)
    });
    all_survive::<ListEnvelope<TerminatorDetail>>(1, |step| {
        is_edge_api(step) && is_page(step, &members)
    });
    all_survive::<ListEnvelope<ServiceConfigDetail>>(1, |step| {
        is_page(step, &["configId", "serviceId"])
    });
    all_survive::<Envelope<PolicyAdvice>>(3, |step| is_one(step, &["commonRouters"]));
}

#[test]
fn controllers() {
    all_survive::<ListEnvelope<ControllerDetail>>(2, |step| {
        is_page(step, &["certPem", "lastJoinedAt"])
    });
}

#[test]
fn small_answers() {
    all_survive::<Envelope<Version>>(4, |step| is_one(step, &["apiVersions"]));
    all_survive::<Envelope<SpecDetail>>(1, |step| {
        step.path.starts_with("/specs/") && step.status == 200 && is_one(step, &["name"])
    });
    all_survive::<Envelope<Vec<SpecDetail>>>(2, |step| step.path == "/specs");
    all_survive::<Envelope<Vec<NetworkJwt>>>(2, |step| step.path == "/network-jwts");
    all_survive::<Envelope<ServiceUpdates>>(1, |step| is_one(step, &["lastChangeAt"]));
    all_survive::<Envelope<Vec<String>>>(3, |step| {
        step.path.starts_with("/enumerated-") && step.status == 200
    });
    all_survive::<Envelope<Created>>(50, |step| {
        step.status == 201
            && step.answer["data"]
                .as_object()
                .is_some_and(|data| data.len() == 2)
    });
    all_survive::<Envelope<Empty>>(50, |step| {
        step.answer["data"]
            .as_object()
            .is_some_and(serde_json::Map::is_empty)
    });
}

#[test]
fn errors() {
    let is_error = |step: &Step| step.answer["error"].is_object();
    all_survive::<ErrorBody>(100, is_error);
    all_survive::<BareError>(2, |step| step.status == 413);
    for step in steps().into_iter().filter(is_error) {
        let name = step.answer["error"]["code"].as_str().unwrap();
        let code = Code::from_name(name).unwrap_or_else(|| panic!("{}: {name}", step.name));
        // The reference also uses numbers of its own and sends no body of another status for these.
        if !matches!(step.status, 406 | 415 | 500 | 601..=606) {
            assert_eq!(
                u64::from(code.status()),
                step.status,
                "{}: {name}",
                step.name
            );
        }
    }
}
