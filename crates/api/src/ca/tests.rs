use super::*;
use crate::decode::{Decode as _, DecodeError};
use portcullis_domain::ca::{
    CaSettingsPatch, ClaimLocation, ClaimMatcher, ClaimParser, ClaimPatch, DEFAULT_NAME_FORMAT,
};
use serde_json::{Value, json};

fn least() -> Value {
    json!({
        "certPem": "pem", "identityRoles": [], "isAuthEnabled": true,
        "isAutoCaEnrollmentEnabled": false, "isOttCaEnrollmentEnabled": true, "name": "partner",
    })
}

fn with(member: &str, value: Value) -> Value {
    let mut body = least();
    body[member] = value;
    body
}

fn read(body: &Value) -> Result<CaCreate, DecodeError> {
    CaCreate::from_body(body.to_string().as_bytes())
}

#[test]
fn creation_takes_defaults_for_what_is_left_out() {
    let create = read(&least()).unwrap();
    let settings = create.replace.settings().unwrap();
    assert_eq!(settings.identity_name_format, DEFAULT_NAME_FORMAT);
    assert_eq!(settings.external_id_claim, None);
    assert!(settings.is_auth_enabled && settings.is_ott_enrollment_enabled);
    assert!(!settings.is_auto_enrollment_enabled);
}

#[test]
fn faults_name_their_member() {
    for (body, field) in [
        (with("certPem", json!(null)), "certPem"),
        (with("identityRoles", json!(null)), "identityRoles"),
        (with("identityRoles", json!(["#a"])), "identityRoles"),
        (with("isAuthEnabled", json!(null)), "isAuthEnabled"),
        (
            with("isAutoCaEnrollmentEnabled", json!(null)),
            "isAutoCaEnrollmentEnabled",
        ),
        (
            with("isOttCaEnrollmentEnabled", json!(null)),
            "isOttCaEnrollmentEnabled",
        ),
        (with("name", json!(null)), "name"),
        (with("name", json!(" ")), "name"),
        (with("tags", json!({"a": []})), "tags.a"),
        (with("certPem", json!("x".repeat(65_537))), "certPem"),
        (
            with("externalIdClaim", json!({"location": "DNS"})),
            "externalIdClaim.location",
        ),
        (
            with("externalIdClaim", json!({"matcher": "all"})),
            "externalIdClaim.matcher",
        ),
        (
            with("externalIdClaim", json!({"parser": "REGEX"})),
            "externalIdClaim.parser",
        ),
    ] {
        match read(&body).unwrap_err() {
            DecodeError::Field(error) => assert_eq!(error.field, field),
            DecodeError::Parse(text) => panic!("{field}: {text}"),
        }
    }
    for (member, value) in [
        ("isAuthEnabled", json!("yes")),
        ("identityRoles", json!("a")),
        ("externalIdClaim", json!([])),
        ("externalIdClaim", json!({"index": "0"})),
    ] {
        let error = read(&with(member, value)).unwrap_err();
        assert!(matches!(error, DecodeError::Parse(_)), "{member}");
    }
}

#[test]
fn replacement_names_its_format() {
    let mut body = least();
    assert!(CaUpdate::from_body(body.to_string().as_bytes()).is_err());
    body["identityNameFormat"] = json!("");
    let replace = CaUpdate::from_body(body.to_string().as_bytes()).unwrap();
    assert_eq!(
        replace.settings().unwrap().identity_name_format,
        DEFAULT_NAME_FORMAT
    );
}

#[test]
fn claims_are_judged_as_a_whole() {
    let settings = |claim: Value| {
        read(&with("externalIdClaim", claim))
            .unwrap()
            .replace
            .settings()
    };
    let good = json!({
        "location": "SAN_URI", "matcher": "SCHEME", "matcherCriteria": "spiffe",
        "parser": "SPLIT", "parserCriteria": "/", "index": 3,
    });
    let claim = settings(good).unwrap().external_id_claim.unwrap();
    assert_eq!(claim.location, ClaimLocation::SanUri);
    assert_eq!(
        (claim.matcher, claim.parser),
        (ClaimMatcher::Scheme, ClaimParser::Split)
    );
    for (claim, member) in [
        (json!({}), "location"),
        (
            json!({"location": "COMMON_NAME", "parser": "NONE"}),
            "matcher",
        ),
        (
            json!({"location": "COMMON_NAME", "matcher": "ALL", "parser": "NONE", "index": -1}),
            "index",
        ),
        (
            json!({"location": "SAN_EMAIL", "matcher": "SCHEME", "matcherCriteria": "a", "parser": "NONE"}),
            "matcher",
        ),
    ] {
        let error = settings(claim).unwrap_err();
        assert_eq!(error.field, format!("externalIdClaim.{member}"));
    }
}

#[test]
fn patch_tells_no_claim_from_an_empty_one() {
    let patch = |body: Value| {
        let merge = CaPatch::from_body(body.to_string().as_bytes()).unwrap();
        CaSettingsPatch::from(merge).external_id_claim
    };
    assert_eq!(patch(json!({})), None);
    assert_eq!(patch(json!({"externalIdClaim": null})), None);
    assert_eq!(
        patch(json!({"externalIdClaim": {}})),
        Some(ClaimPatch::default())
    );
    let some = patch(json!({"externalIdClaim": {"parserCriteria": ";"}})).unwrap();
    assert_eq!(some.parser_criteria.as_deref(), Some(";"));
}

#[test]
fn what_clients_write_is_what_the_server_reads() {
    let create = read(&with(
        "externalIdClaim",
        json!({"location": "COMMON_NAME", "matcher": "ALL", "parser": "NONE"}),
    ))
    .unwrap();
    let sent = serde_json::to_vec(&create).unwrap();
    assert_eq!(CaCreate::from_body(&sent).unwrap(), create);
    let merge = CaPatch {
        is_auth_enabled: Some(false),
        external_id_claim: Some(ExternalIdClaimPatch::default()),
        ..CaPatch::default()
    };
    let sent = serde_json::to_vec(&merge).unwrap();
    assert_eq!(sent, br#"{"isAuthEnabled":false,"externalIdClaim":{}}"#);
    assert_eq!(CaPatch::from_body(&sent).unwrap(), merge);
}
