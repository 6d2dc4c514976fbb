//! Tests of the requests about identities.

use super::*;
use crate::decode::{Decode as _, DecodeError};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::enrollment::EnrollmentMethod;
use portcullis_domain::identity::{self as domain, IdentityName, IdentitySpec, IdentityType};
use portcullis_domain::ids::{AuthPolicyId, CaId};
use serde_json::{Value, json};

fn create(body: &Value) -> Result<IdentityCreateRequest, DecodeError> {
    IdentityCreateRequest::from_body(body.to_string().as_bytes())
}

fn replace(body: &Value) -> Result<IdentityUpdateRequest, DecodeError> {
    IdentityUpdateRequest::from_body(body.to_string().as_bytes())
}

fn patch(body: &Value) -> Result<IdentityPatchRequest, DecodeError> {
    IdentityPatchRequest::from_body(body.to_string().as_bytes())
}

/// A complete body with the members of `extra` laid over it.
fn body(extra: &Value) -> Value {
    let mut body = json!({"name": "n", "type": "Default", "isAdmin": false});
    for (name, value) in extra.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

fn named(name: &str) -> IdentitySpec {
    IdentitySpec::named(IdentityName::new(name).unwrap())
}

/// The field and value of a refusal, or `parse`.
fn refusal<T: std::fmt::Debug>(result: Result<T, DecodeError>) -> (String, String) {
    match result.unwrap_err() {
        DecodeError::Field(error) => (error.field, error.value),
        DecodeError::Parse(_) => ("parse".to_owned(), String::new()),
    }
}

#[test]
fn name_and_admin_flag_are_enough_to_create() {
    let plain = create(&json!({"name": "n", "isAdmin": false})).unwrap();
    assert_eq!(plain.spec, named("n"));
    assert_eq!(plain.enrollment, None);
    assert_eq!(create(&body(&json!({}))).unwrap(), plain);
}

#[test]
fn types_but_that_of_routers_are_taken_and_mean_the_same() {
    for kind in ["User", "Device", "Service", "Default"] {
        let body = body(&json!({"type": kind}));
        assert_eq!(create(&body).unwrap().spec, named("n"), "{kind}");
        assert_eq!(
            replace(&body).unwrap().kind,
            IdentityType::Default,
            "{kind}"
        );
        assert!(patch(&json!({"type": kind})).unwrap().is_empty(), "{kind}");
    }
    let router = json!({"type": "Router"});
    let refused = refusal(create(&body(&router)));
    assert_eq!(refused, ("type".to_owned(), "Router".to_owned()));
    assert_eq!(replace(&body(&router)).unwrap().kind, IdentityType::Router);
    assert!(patch(&router).unwrap().is_empty());
}

#[test]
fn faults_are_refused_by_creation_and_replacement_alike() {
    let table = [
        (json!({"name": null}), "name", "<nil>"),
        (json!({"name": ""}), "name", ""),
        (json!({"name": " \t"}), "name", " \t"),
        (json!({"isAdmin": null}), "isAdmin", "<nil>"),
        (json!({"type": "default"}), "type", "default"),
        (json!({"type": ""}), "type", ""),
        (
            json!({"roleAttributes": ["#one"]}),
            "roleAttributes",
            "#one",
        ),
        (
            json!({"roleAttributes": ["ok", "@one"]}),
            "roleAttributes",
            "@one",
        ),
        (json!({"permissions": ["fly"]}), "permissions.0", "fly"),
        (
            json!({"permissions": ["ca", "admin"]}),
            "permissions.1",
            "admin",
        ),
        (
            json!({"defaultHostingCost": 65536}),
            "defaultHostingCost",
            "65536",
        ),
        (
            json!({"defaultHostingCost": -1}),
            "defaultHostingCost",
            "-1",
        ),
        (
            json!({"defaultHostingPrecedence": "high"}),
            "defaultHostingPrecedence",
            "high",
        ),
        (
            json!({"serviceHostingCosts": {"s": 70000}}),
            "serviceHostingCosts.s",
            "70000",
        ),
        (
            json!({"serviceHostingPrecedences": {"s": "Failed"}}),
            "serviceHostingPrecedences.s",
            "Failed",
        ),
        (json!({"tags": {"a": {"b": 1}}}), "tags.a", r#"{"b":1}"#),
        (json!({"tags": {"l": [1]}}), "tags.l", "[1]"),
        (json!({"name": 5}), "parse", ""),
        (json!({"isAdmin": "yes"}), "parse", ""),
        (json!({"type": 1}), "parse", ""),
        (json!({"roleAttributes": "one"}), "parse", ""),
        (json!({"roleAttributes": [1]}), "parse", ""),
        (json!({"authPolicyId": 1}), "parse", ""),
        (json!({"externalId": {}}), "parse", ""),
        (json!({"permissions": {}}), "parse", ""),
        (json!({"appData": "x"}), "parse", ""),
        (json!({"tags": ["a"]}), "parse", ""),
        (json!({"defaultHostingCost": 1.5}), "parse", ""),
        (json!({"defaultHostingPrecedence": 0}), "parse", ""),
        (json!({"serviceHostingCosts": [1]}), "parse", ""),
        (json!({"serviceHostingPrecedences": {"s": 1}}), "parse", ""),
    ];
    for (extra, field, value) in table {
        let body = body(&extra);
        let expected = (field.to_owned(), value.to_owned());
        assert_eq!(refusal(create(&body)), expected, "create {extra}");
        assert_eq!(refusal(replace(&body)), expected, "replace {extra}");
        if !extra.as_object().unwrap().values().any(Value::is_null) {
            assert_eq!(refusal(patch(&extra)), expected, "patch {extra}");
        }
    }
}

#[test]
fn replacement_needs_the_type() {
    let refused = refusal(replace(&json!({"name": "n", "isAdmin": false})));
    assert_eq!(refused, ("type".to_owned(), "<nil>".to_owned()));
}

#[test]
fn enrollment_is_one_of_three_or_none() {
    let updb = |username: &str| {
        Some(EnrollmentMethod::Updb {
            username: username.to_owned(),
        })
    };
    for (choice, enrollment) in [
        (json!(null), None),
        (json!({}), None),
        (json!({"ott": false}), None),
        (json!({"ott": null, "ottca": "", "updb": ""}), None),
        (json!({"ott": true}), Some(EnrollmentMethod::Ott)),
        (
            json!({"ott": true, "ottca": "", "updb": null}),
            Some(EnrollmentMethod::Ott),
        ),
        (
            json!({"ottca": "c1"}),
            Some(EnrollmentMethod::OttCa {
                ca: CaId::from_wire("c1"),
            }),
        ),
        (json!({"ott": false, "updb": "anna"}), updb("anna")),
        (json!({"OTT": false, "Updb": "anna"}), updb("anna")),
    ] {
        let created = create(&body(&json!({"enrollment": choice}))).unwrap();
        assert_eq!(created.enrollment, enrollment, "{choice}");
    }
    for (choice, field, value) in [
        (
            json!({"ott": true, "updb": "anna"}),
            "enrollment",
            "ott, updb",
        ),
        (
            json!({"ott": true, "ottca": "c1"}),
            "enrollment",
            "ott, ottca",
        ),
        (
            json!({"ottca": "c1", "updb": "anna"}),
            "enrollment",
            "ottca, updb",
        ),
        (
            json!({"ott": true, "ottca": "c", "updb": "anna"}),
            "enrollment",
            "ott, ottca, updb",
        ),
        (json!({"ott": "yes"}), "parse", ""),
        (json!({"updb": true}), "parse", ""),
        (json!({"ottca": 1}), "parse", ""),
        (json!("ott"), "parse", ""),
    ] {
        let refused = refusal(create(&body(&json!({"enrollment": choice}))));
        assert_eq!(refused, (field.to_owned(), value.to_owned()), "{choice}");
    }
}

#[test]
fn optional_members_may_be_null_or_blank() {
    let sent = body(&json!({
        "roleAttributes": null, "authPolicyId": " ", "externalId": "  ", "permissions": null,
        "appData": null, "tags": null, "defaultHostingCost": 0, "defaultHostingPrecedence": "",
        "serviceHostingCosts": {}, "serviceHostingPrecedences": {}, "unknown": [1]
    }));
    assert_eq!(create(&sent).unwrap().spec, named("n"));
    assert_eq!(replace(&sent).unwrap().spec, named("n"));
}

#[test]
fn every_member_is_read() {
    let sent = json!({
        "NAME": "n", "isAdmin": true, "roleAttributes": ["b", "a", "b"], "authPolicyId": "p",
        "externalId": "x", "permissions": ["identity", "ca.read"], "appData": {"deep": {"a": [1]}},
        "tags": {"t": null}, "defaultHostingCost": 65535, "defaultHostingPrecedence": "required",
        "serviceHostingCosts": {"s": 1}, "serviceHostingPrecedences": {"s": "failed"}
    });
    let spec = create(&sent).unwrap().spec;
    assert!(spec.is_admin);
    assert_eq!(spec.role_attributes.iter().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(spec.auth_policy, AuthPolicyId::from_wire("p"));
    assert_eq!(spec.external_id.as_deref(), Some("x"));
    assert_eq!(spec.permissions.unwrap().names(), ["ca.read", "identity"]);
    assert_eq!(
        serde_json::to_value(spec.app_data).unwrap(),
        sent["appData"]
    );
    assert_eq!(serde_json::to_value(spec.tags).unwrap(), sent["tags"]);
    assert_eq!(spec.hosting.default_cost, 65535);
    assert_eq!(
        spec.hosting.default_precedence,
        domain::Precedence::Required
    );
    assert_eq!(spec.hosting.costs.values().collect::<Vec<_>>(), [&1]);
    let precedences: Vec<_> = spec.hosting.precedences.into_values().collect();
    assert_eq!(precedences, [domain::Precedence::Failed]);
}

#[test]
fn patch_knows_what_is_set() {
    for nothing in [
        json!({}),
        json!({"name": null, "tags": null, "externalId": null}),
        json!(null),
    ] {
        assert!(patch(&nothing).unwrap().is_empty(), "{nothing}");
    }
    let cleared = patch(&json!({"externalId": "", "roleAttributes": [], "tags": {}})).unwrap();
    assert_eq!(cleared.patch.external_id, Some(None));
    assert!(cleared.patch.role_attributes.unwrap().is_empty());
    assert!(cleared.patch.tags.unwrap().is_empty());
    let policy = patch(&json!({"authPolicyId": ""}))
        .unwrap()
        .patch
        .auth_policy;
    assert_eq!(policy, Some(AuthPolicyId::from_wire("default")));
    assert!(!patch(&json!({"isAdmin": false})).unwrap().is_empty());
}

#[test]
fn missing_bodies_are_refused() {
    let expected = ("identity".to_owned(), String::new());
    assert_eq!(refusal(IdentityCreateRequest::from_body(b"")), expected);
    assert_eq!(refusal(IdentityUpdateRequest::from_body(b"")), expected);
    assert_eq!(refusal(IdentityPatchRequest::from_body(b" ")), expected);
    let disable = refusal(DisableParams::from_body(b""));
    assert_eq!(disable, ("disable".to_owned(), String::new()));
}

#[test]
fn durations_below_one_minute_have_no_end() {
    let duration = |value: &str| {
        let body = format!(r#"{{"durationMinutes": {value}}}"#);
        DisableParams::from_body(body.as_bytes()).map(DisableParams::duration)
    };
    assert_eq!(duration("10").unwrap(), Some(SignedDuration::from_mins(10)));
    assert_eq!(duration("0").unwrap(), None);
    assert_eq!(duration("-5").unwrap(), None);
    assert!(duration("9223372036854775807").unwrap().is_some());
    assert_eq!(refusal(duration("\"ten\"")).0, "parse");
    assert_eq!(
        refusal(duration("null")),
        ("durationMinutes".to_owned(), "<nil>".to_owned())
    );
}

#[test]
fn what_clients_write_is_what_the_server_reads() {
    let mut sent = IdentityCreate::named("n");
    sent.update.is_admin = true;
    sent.update.options.role_attributes = Some(vec!["a".to_owned()]);
    sent.update.options.default_hosting_cost = Some(7);
    for (choice, enrollment) in [
        (IdentityCreateEnrollment::ott(), EnrollmentMethod::Ott),
        (
            IdentityCreateEnrollment::ottca("c"),
            EnrollmentMethod::OttCa {
                ca: CaId::from_wire("c"),
            },
        ),
        (
            IdentityCreateEnrollment::updb("anna"),
            EnrollmentMethod::Updb {
                username: "anna".to_owned(),
            },
        ),
    ] {
        sent.enrollment = Some(choice);
        let read = IdentityCreateRequest::from_body(&serde_json::to_vec(&sent).unwrap()).unwrap();
        assert_eq!(read.enrollment, Some(enrollment));
        assert!(read.spec.is_admin);
        assert_eq!(read.spec.hosting.default_cost, 7);
    }
    let replaced =
        IdentityUpdateRequest::from_body(&serde_json::to_vec(&sent.update).unwrap()).unwrap();
    assert!(replaced.spec.role_attributes.contains("a"));

    let patch = IdentityPatch {
        name: Some("m".to_owned()),
        ..IdentityPatch::default()
    };
    assert_eq!(serde_json::to_string(&patch).unwrap(), r#"{"name":"m"}"#);
    let disable = serde_json::to_vec(&DisableParams {
        duration_minutes: 1,
    });
    let disable = DisableParams::from_body(&disable.unwrap()).unwrap();
    assert_eq!(disable.duration(), Some(SignedDuration::from_mins(1)));
}
