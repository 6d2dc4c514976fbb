//! Requests about what is created, listed, changed and deleted in one way, and about what is its own.

use crate::requests::Setting;
use crate::server::Say;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_api::ca::CaDetail;
use portcullis_api::config::{ConfigDetail, ConfigPatch};
use portcullis_api::config_type::ConfigTypeDetail;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::edge_router_policy::EdgeRouterPolicyDetail;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::external_jwt_signer::{ExternalJwtSignerCreate, ExternalJwtSignerDetail};
use portcullis_api::identity::IdentityDetail;
use portcullis_api::posture_check::PostureCheckDetail;
use portcullis_api::revocation::RevocationDetail;
use portcullis_api::service::ServiceDetail;
use portcullis_api::service_edge_router_policy::ServiceEdgeRouterPolicyDetail;
use portcullis_api::service_policy::ServicePolicyDetail;
use portcullis_api::terminator::TerminatorDetail;
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_client::{Client, ClientError, ListQuery, Resource, RoleAttributeKind};
use portcullis_domain::ids::{ConfigId, IdentityId, RouterId, ServiceId, SignerId};

const EMPTY_LIST: &str =
    r#"{"data":[],"meta":{"pagination":{"limit":10,"offset":0,"totalCount":0}}}"#;

/// Collections that the client does not administer under this name.
const NOT_ADMINISTERED: [&str; 4] = ["api-session-certificates", "mfas", "routers", "sessions"];

macro_rules! collections {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident $path:tt,
        id: $id:ident $shape:tt,
        spec: $spec:tt,
        collection: $collection:literal,
        $($rest:tt)*
    })+) => {
        const COLLECTIONS: &[&str] = &[$($collection),+];
    };
}

portcullis_domain::for_each_kind!(collections);

/// The first lines of the requests that were seen, without prefix and version.
fn lines(setting: &Setting) -> Vec<String> {
    let requests = setting.seen().requests;
    let lines = requests.iter().filter_map(|request| request.lines().next());
    lines
        .map(|line| {
            line.replace("/edge/management/v1/", "")
                .replace(" HTTP/1.1", "")
        })
        .collect()
}

async fn list<R: Resource>(client: &Client) {
    let page = client.entities::<R>(&ListQuery::default()).await.unwrap();
    assert!(page.data.is_empty());
}

#[tokio::test]
async fn each_kind_has_its_path() {
    let setting = Setting::new(Say::Answer(200, EMPTY_LIST)).await;
    let client = &setting.client;
    list::<IdentityDetail>(client).await;
    list::<EnrollmentDetail>(client).await;
    list::<AuthenticatorDetail>(client).await;
    list::<ApiSessionDetail>(client).await;
    list::<RevocationDetail>(client).await;
    list::<AuthPolicyDetail>(client).await;
    list::<CaDetail>(client).await;
    list::<ExternalJwtSignerDetail>(client).await;
    list::<ServiceDetail>(client).await;
    list::<ConfigDetail>(client).await;
    list::<ConfigTypeDetail>(client).await;
    list::<ServicePolicyDetail>(client).await;
    list::<EdgeRouterPolicyDetail>(client).await;
    list::<ServiceEdgeRouterPolicyDetail>(client).await;
    list::<EdgeRouterDetail>(client).await;
    list::<TransitRouterDetail>(client).await;
    list::<TerminatorDetail>(client).await;
    list::<PostureCheckDetail>(client).await;
    let expected = [
        "identities",
        "enrollments",
        "authenticators",
        "api-sessions",
        "revocations",
        "auth-policies",
        "cas",
        "external-jwt-signers",
        "services",
        "configs",
        "config-types",
        "service-policies",
        "edge-router-policies",
        "service-edge-router-policies",
        "edge-routers",
        "transit-routers",
        "terminators",
        "posture-checks",
    ];
    assert_eq!(lines(&setting), expected.map(|kind| format!("GET {kind}")));
    for collection in COLLECTIONS {
        let is_known = expected.contains(collection) || NOT_ADMINISTERED.contains(collection);
        assert!(
            is_known,
            "{collection} needs a row in resources/entities/kinds.rs"
        );
    }
}

#[tokio::test]
async fn each_verb_goes_to_the_entity() {
    let setting = Setting::new(Say::Answer(200, r#"{"data":{},"meta":{}}"#)).await;
    let client = &setting.client;
    let id = ConfigId::from_wire("c1");
    let change = ConfigPatch {
        name: Some("host".to_owned()),
        ..ConfigPatch::default()
    };
    client
        .patch_entity::<ConfigDetail>(&id, &change)
        .await
        .unwrap();
    client.delete_entity::<ConfigDetail>(&id).await.unwrap();
    let router = RouterId::from_wire("r1");
    let signer = SignerId::from_wire("s1");
    let body = ExternalJwtSignerCreate::new("okta", "https://okta.test", "gate");
    client
        .replace_entity::<ExternalJwtSignerDetail>(&signer, &body)
        .await
        .unwrap();
    client.re_enroll_edge_router(&router).await.unwrap();
    assert_eq!(
        lines(&setting),
        [
            "PATCH configs/c1",
            "DELETE configs/c1",
            "PUT external-jwt-signers/s1",
            "POST edge-routers/r1/re-enroll",
        ]
    );
    let requests = setting.seen().requests;
    assert!(
        requests[0].ends_with(r#"{"name":"host"}"#),
        "{}",
        requests[0]
    );
    assert!(requests[3].ends_with("\r\n\r\n"), "{}", requests[3]);
}

#[tokio::test]
async fn access_is_asked_for_from_both_sides() {
    let setting = Setting::new(Say::Answer(200, EMPTY_LIST)).await;
    let client = &setting.client;
    let (identity, service) = (IdentityId::from_wire("i1"), ServiceId::from_wire("s1"));
    let query = ListQuery::with_filter("true");
    client
        .services_of_identity(&identity, &query)
        .await
        .unwrap();
    client
        .identities_of_service(&service, &query)
        .await
        .unwrap();
    let advice = client.policy_advice(&identity, &service).await;
    assert!(matches!(
        advice,
        Err(ClientError::UnexpectedResponse { .. })
    ));
    assert_eq!(
        lines(&setting),
        [
            "GET identities/i1/services?filter=true",
            "GET services/s1/identities?filter=true",
            "GET identities/i1/policy-advice/s1",
        ]
    );
}

#[tokio::test]
async fn role_attributes_are_those_of_a_kind() {
    let setting = Setting::new(Say::Answer(200, EMPTY_LIST)).await;
    for bearer in [
        RoleAttributeKind::Identity,
        RoleAttributeKind::Service,
        RoleAttributeKind::EdgeRouter,
        RoleAttributeKind::PostureCheck,
    ] {
        let query = ListQuery::default();
        let page = setting.client.role_attributes(bearer, &query).await;
        assert!(page.unwrap().data.is_empty());
    }
    let expected = ["identity", "service", "edge-router", "posture-check"];
    assert_eq!(
        lines(&setting),
        expected.map(|kind| format!("GET {kind}-role-attributes"))
    );
}
