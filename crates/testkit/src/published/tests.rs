use super::*;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::json;
use std::collections::BTreeSet;

const ERROR: &str = r#"{"error": {"code": "NOT_FOUND"}, "meta": {}}"#;

/// The violations in a response of the management API; `None` without the description.
fn faults(operation: &str, status: StatusCode, body: &str) -> Option<Vec<String>> {
    let document = published_document(Api::Management)?;
    let mut headers = HeaderMap::new();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    let reply = Reply {
        status,
        headers,
        body: body.into(),
    };
    Some(find_violations(document, operation, &reply))
}

fn identity_type() -> Value {
    let time = "2031-01-02T03:04:05.000Z";
    json!({
        "id": "Default", "name": "Default", "createdAt": time, "updatedAt": time, "tags": {"a": 1},
        "_links": {"self": {"href": "./identity-types/Default"}},
    })
}

#[test]
fn answers_as_described_are_sound() {
    let detail = json!({"data": identity_type(), "meta": null}).to_string();
    for (operation, status, body) in [
        ("GET /identity-types/{id}", StatusCode::OK, detail.as_str()),
        ("GET /identity-types/{id}", StatusCode::NOT_FOUND, ERROR),
        (
            "GET /identity-types/{id}",
            StatusCode::NOT_ACCEPTABLE,
            ERROR,
        ),
    ] {
        let faults = faults(operation, status, body).unwrap_or_default();
        assert_eq!(faults, Vec::<String>::new(), "{operation} {status}");
    }
}

#[test]
fn other_answers_are_faults_with_their_place() {
    let changed = |member: &str, value: Value| {
        let mut data = identity_type();
        data[member] = value;
        json!({"data": data, "meta": {}}).to_string()
    };
    let mut bare = identity_type();
    bare.as_object_mut().unwrap().remove("updatedAt");
    let bare = json!({"data": bare, "meta": {}}).to_string();
    for (body, fault) in [
        (bare.as_str(), "/data: \"updatedAt\" is a required property"),
        (&changed("name", json!(1)), "/data/name: "),
        (&changed("name", Value::Null), "/data/name: "),
        (
            &changed("createdAt", json!("yesterday")),
            "/data/createdAt: ",
        ),
        ("null", "the body is null"),
        ("{", "the body is not JSON"),
        ("", "the body is not JSON"),
    ] {
        let Some(faults) = faults("GET /identity-types/{id}", StatusCode::OK, body) else {
            return;
        };
        assert!(
            faults.iter().any(|line| line.starts_with(fault)),
            "{body}: {faults:?}"
        );
    }
}

#[test]
fn what_is_not_described_is_a_fault() {
    for (operation, status) in [
        ("GET /identity-types/{id}", StatusCode::CREATED),
        ("GET /nothing", StatusCode::OK),
        ("PUT /identity-types/{id}", StatusCode::OK),
    ] {
        if let Some(faults) = faults(operation, status, ERROR) {
            assert_eq!(faults.len(), 1, "{operation} {status}: {faults:?}");
        }
    }
}

/// A discriminator selects the subtype, and each subtype has members of its own.
#[test]
fn discriminators_are_followed() {
    let mut check = identity_type();
    check["version"] = json!(1);
    check["roleAttributes"] = json!([]);
    for (kind, count) in [("OS", 1), ("DOMAIN", 1), ("MFA", 0)] {
        check["typeId"] = json!(kind);
        let body = json!({"data": check, "meta": {}}).to_string();
        if let Some(faults) = faults("GET /posture-checks/{id}", StatusCode::OK, &body) {
            assert_eq!(faults.len(), count, "{kind}: {faults:?}");
        }
    }
}

#[test]
fn exceptions_are_about_what_is_described() {
    let documents: Vec<_> = DOCUMENTS
        .iter()
        .filter_map(|(api, _)| published_document(*api))
        .collect();
    if documents.is_empty() {
        println!("skipped: the descriptions are not beside the repository");
        return;
    }
    let mut lines = BTreeSet::new();
    for exception in exceptions() {
        assert!(
            lines.insert(exception.to_string()),
            "{exception} is there twice"
        );
        let is_defined = |place: &str| documents.iter().any(|document| document.defines(place));
        match exception.place {
            ExceptionScope::Schema(place, _) => assert!(is_defined(place), "{exception}"),
            ExceptionScope::Response {
                body: ExceptionBody::Definition(name),
                ..
            } => assert!(is_defined(name), "{exception}"),
            ExceptionScope::Response { .. } => {},
        }
    }
}
