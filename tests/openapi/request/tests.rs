//! Tests of descriptions of requests.

use super::*;
use portcullis_api::auth_policy::AuthPolicyCreate;
use portcullis_api::authenticator::{AuthenticatorCreate, AuthenticatorPatch, WithCurrentPassword};
use portcullis_api::decode::Decode;
use portcullis_api::enroll::{GenericEnroll, OttEnrollmentRequest};
use portcullis_api::enrollment::EnrollmentCreate;
use portcullis_api::fabric::router::FabricRouterCreate;
use portcullis_api::identity::{
    IdentityCreateRequest, IdentityPatchRequest, IdentityUpdateRequest,
};
use portcullis_api::posture_check::PostureCheckCreate;
use portcullis_api::posture_response::PostureResponseBulk;
use portcullis_api::service_config::ServiceConfigAssignments;
use portcullis_api::service_policy::ServicePolicyCreate;
use serde_json::json;

#[track_caller]
fn described<T: Decode>() -> RequestDescription {
    let request = RequestDescription::new(&RequestDecoder::new::<T>());
    assert_eq!(request.problems, [] as [&str; 0], "{}", request.name);
    request
}

#[track_caller]
fn schema<T: Decode>() -> Value {
    described::<T>().schema
}

#[test]
fn what_a_reader_does_not_do_without_is_required() {
    let create = schema::<IdentityCreateRequest>();
    assert_eq!(create["required"], json!(["isAdmin", "name"]));
    let replace = schema::<IdentityUpdateRequest>();
    assert_eq!(replace["required"], json!(["isAdmin", "name", "type"]));
    let patch = schema::<IdentityPatchRequest>();
    assert_eq!(patch["required"], Value::Null);
    assert_eq!(patch["properties"]["defaultHostingCost"]["maximum"], 65535);
}

#[test]
fn words_that_are_refused_all_the_same_are_not_named() {
    let types = &schema::<IdentityCreateRequest>()["properties"]["type"]["enum"];
    assert_eq!(*types, json!(["User", "Device", "Service", "Default"]));
    let types = &schema::<ServicePolicyCreate>()["properties"]["type"]["enum"];
    assert_eq!(*types, json!(["Dial", "Bind"]));
}

#[test]
fn what_excludes_each_other_is_described_all_the_same() {
    let create = schema::<IdentityCreateRequest>();
    let enrollment = &create["properties"]["enrollment"];
    assert_eq!(enrollment["required"], Value::Null);
    let ways = &enrollment["properties"];
    assert_eq!(ways["ott"]["type"], "boolean");
    assert_eq!(ways["ottca"]["type"], "string");
    assert_eq!(ways["updb"]["minLength"], 4);
    assert_eq!(ways["updb"]["maxLength"], 100);
    let words = "Username for which a password is chosen with a one-time token.";
    assert_eq!(ways["updb"]["description"], words);
}

#[test]
fn members_of_members_are_described() {
    let policy = schema::<AuthPolicyCreate>();
    let updb = &policy["properties"]["primary"]["properties"]["updb"];
    assert_eq!(updb["required"].as_array().unwrap().len(), 7);
    assert_eq!(updb["properties"]["maxAttempts"]["minimum"], 0);
    assert_eq!(
        policy["properties"]["secondary"]["required"],
        json!(["requireTotp"])
    );
}

#[test]
fn kinds_of_a_body_are_described_one_by_one() {
    let check = schema::<PostureCheckCreate>();
    let kinds = check["oneOf"].as_array().unwrap();
    let words: Vec<_> = kinds
        .iter()
        .map(|kind| &kind["properties"]["typeId"]["enum"][0])
        .collect();
    let expected = ["OS", "DOMAIN", "MAC", "MFA", "PROCESS", "PROCESS_MULTI"];
    assert_eq!(words.len(), expected.len());
    assert!(
        expected
            .iter()
            .all(|word| words.iter().any(|is| is == word))
    );
    for kind in kinds {
        let required: Vec<_> = kind["required"].as_array().unwrap().iter().collect();
        assert!(required.contains(&&json!("typeId")) && required.contains(&&json!("name")));
    }
    let create = schema::<AuthenticatorCreate>();
    let required: Vec<_> = create["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| &kind["required"])
        .collect();
    assert_eq!(
        required,
        [
            &json!(["certPem", "identityId", "method"]),
            &json!(["identityId", "method", "password", "username"]),
        ]
    );
}

#[test]
fn lists_are_described_by_their_items() {
    let items = &schema::<ServiceConfigAssignments>()["items"];
    assert_eq!(items["required"], json!(["configId", "serviceId"]));
    let kinds = &schema::<PostureResponseBulk>()["items"]["oneOf"];
    assert_eq!(kinds.as_array().unwrap().len(), 5);
}

#[test]
fn bodies_that_may_be_missing_are_optional() {
    assert!(described::<GenericEnroll>().is_optional);
    assert!(!described::<OttEnrollmentRequest>().is_optional);
}

#[test]
fn texts_have_their_bounds() {
    let create = schema::<EnrollmentCreate>();
    let properties = &create["properties"];
    assert_eq!(properties["expiresAt"]["format"], "date-time");
    assert_eq!(
        properties["method"]["enum"],
        json!(["ott", "ottca", "updb"])
    );
    let request = described::<WithCurrentPassword<AuthenticatorPatch>>();
    assert_eq!(request.name, "AuthenticatorPatchWithCurrent");
    let password = &request.schema["properties"]["currentPassword"];
    assert_eq!(password["minLength"], 1);
    assert_eq!(password["format"], "password");
    assert_eq!(password["description"], "The current password.");
}

#[test]
fn what_is_asked_for_twice_is_what_it_was_at_first() {
    let create = schema::<FabricRouterCreate>();
    assert_eq!(
        create["required"],
        json!(["cost", "id", "name", "noTraversal"])
    );
    assert_eq!(create["properties"]["cost"]["type"], "integer");
}
