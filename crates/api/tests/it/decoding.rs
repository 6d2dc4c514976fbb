//! Whatever the bytes, reading a body ends in a request or an error.

use portcullis_api::authenticate::Authenticate;
use portcullis_api::config::{ConfigCreate, ConfigPatch};
use portcullis_api::config_type::{ConfigTypeCreate, ConfigTypePatch};
use portcullis_api::decode::{Decode, DecodeError};
use portcullis_api::edge_router::{EdgeRouterCreate, EdgeRouterPatch};
use portcullis_api::edge_router_policy::{EdgeRouterPolicyCreate, EdgeRouterPolicyPatch};
use portcullis_api::enroll::{GenericEnroll, OttEnrollmentRequest};
use portcullis_api::enrollment::{EnrollmentCreate, EnrollmentRefresh};
use portcullis_api::error::ErrorBody;
use portcullis_api::identity::{
    DisableParams, IdentityCreateRequest, IdentityPatchRequest, IdentityUpdateRequest,
};
use portcullis_api::router::{TransitRouterCreate, TransitRouterPatch};
use portcullis_api::service::{ServiceCreate, ServicePatch, ServiceUpdate};
use portcullis_api::service_config::ServiceConfigAssignments;
use portcullis_api::service_edge_router_policy::{
    ServiceEdgeRouterPolicyCreate, ServiceEdgeRouterPolicyPatch,
};
use portcullis_api::service_policy::{ServicePolicyCreate, ServicePolicyPatch};
use portcullis_api::session::SessionCreate;
use portcullis_api::terminator::{TerminatorCreate, TerminatorPatch};
use portcullis_domain::ids::RequestId;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};
use serde_json::Value;

const NAMES: &[&str] = &[
    "name",
    "NAME",
    "type",
    "isAdmin",
    "roleAttributes",
    "authPolicyId",
    "externalId",
    "permissions",
    "appData",
    "tags",
    "defaultHostingCost",
    "defaultHostingPrecedence",
    "serviceHostingCosts",
    "serviceHostingPrecedences",
    "enrollment",
    "ott",
    "ottca",
    "updb",
    "durationMinutes",
    "identityId",
    "method",
    "expiresAt",
    "caId",
    "username",
    "password",
    "configTypes",
    "envInfo",
    "sdkInfo",
    "os",
    "hostname",
    "clientCsr",
    "token",
    "encryptionRequired",
    "configs",
    "maxIdleTimeMillis",
    "terminatorStrategy",
    "configTypeId",
    "data",
    "schema",
    "target",
    "semantic",
    "identityRoles",
    "serviceRoles",
    "edgeRouterRoles",
    "postureCheckRoles",
    "cost",
    "disabled",
    "noTraversal",
    "ctrlChanListeners",
    "isTunnelerEnabled",
    "address",
    "binding",
    "precedence",
    "router",
    "service",
    "serviceId",
    "configId",
];

const TEXTS: &[&str] = &[
    "",
    " ",
    "ott",
    "updb",
    "Default",
    "Router",
    "required",
    "identity.read",
    "#x",
    "#all",
    "@x",
    "AnyOf",
    "Dial",
    "Invalid",
    "weighted",
    "admin1",
    "2031-04-05T06:07:08.009Z",
    "2031-13-05T06:07:08Z",
    "\u{0}\u{2028}<&>",
];

fn config() -> Config {
    Config {
        cases: 512,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(7),
        ..Config::default()
    }
}

/// JSON in the neighborhood of real requests.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..70_000_i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        proptest::sample::select(TEXTS).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 12, |inner| {
        let name = prop_oneof![
            9 => proptest::sample::select(NAMES).prop_map(str::to_owned),
            1 => any::<String>(),
        ];
        prop_oneof![
            1 => vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => btree_map(name, inner, 0..12)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Reads `bytes` as every request, and writes the errors.
fn read_all(bytes: &[u8]) {
    read_services(bytes);
    read::<IdentityCreateRequest>(bytes);
    read::<IdentityUpdateRequest>(bytes);
    read::<IdentityPatchRequest>(bytes);
    read::<DisableParams>(bytes);
    read::<EnrollmentCreate>(bytes);
    read::<EnrollmentRefresh>(bytes);
    read::<Authenticate>(bytes);
    read::<GenericEnroll>(bytes);
    read::<OttEnrollmentRequest>(bytes);
}

/// Reads `bytes` as every request about services and what is needed to use them.
fn read_services(bytes: &[u8]) {
    read::<ServiceCreate>(bytes);
    read::<ServiceUpdate>(bytes);
    read::<ServicePatch>(bytes);
    read::<ServiceConfigAssignments>(bytes);
    read::<ConfigCreate>(bytes);
    read::<ConfigPatch>(bytes);
    read::<ConfigTypeCreate>(bytes);
    read::<ConfigTypePatch>(bytes);
    read::<ServicePolicyCreate>(bytes);
    read::<ServicePolicyPatch>(bytes);
    read::<EdgeRouterPolicyCreate>(bytes);
    read::<EdgeRouterPolicyPatch>(bytes);
    read::<ServiceEdgeRouterPolicyCreate>(bytes);
    read::<ServiceEdgeRouterPolicyPatch>(bytes);
    read::<EdgeRouterCreate>(bytes);
    read::<EdgeRouterPatch>(bytes);
    read::<TransitRouterCreate>(bytes);
    read::<TransitRouterPatch>(bytes);
    read::<TerminatorCreate>(bytes);
    read::<TerminatorPatch>(bytes);
    read::<SessionCreate>(bytes);
}

fn read<T: Decode>(bytes: &[u8]) {
    if let Err(error) = T::from_body(bytes) {
        if let DecodeError::Field(field) = &error {
            assert!(
                !field.field.is_empty() && !field.reason.is_empty(),
                "{field:?}"
            );
        }
        let body = ErrorBody::new(error.code(), RequestId::from_wire("r"));
        let written = portcullis_api::json::to_bytes(&body.with_cause(error.into_cause()));
        let read: ErrorBody = serde_json::from_slice(&written).unwrap();
        assert!(read.code().is_some());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_json_is_a_request_or_an_error(value in json()) {
        read_all(value.to_string().as_bytes());
    }

    #[test]
    fn any_bytes_are_a_request_or_an_error(bytes in vec(any::<u8>(), 0..200)) {
        read_all(&bytes);
    }

    #[test]
    fn cut_json_is_a_request_or_an_error(value in json(), end in any::<prop::sample::Index>()) {
        let text = value.to_string().into_bytes();
        read_all(&text[..end.index(text.len())]);
    }

    #[test]
    fn what_follows_the_first_value_is_ignored(rest in vec(any::<u8>(), 0..50)) {
        let body = br#"{"name": "n", "isAdmin": false}"#;
        let alone = IdentityCreateRequest::from_body(body);
        let followed = IdentityCreateRequest::from_body(&[body.as_slice(), &rest].concat());
        prop_assert_eq!(alone, followed);
    }
}
