//! What is refused about identities, and that nothing changes then.

use crate::support::{create, get, identities_and_enrollments, merge, read, revision, shown_error};
use http::Method;
use insta::assert_snapshot;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

/// A fault, its status and code, and the member that the error names; none for errors that name
/// no member.
type Row = (Value, u16, &'static str, Option<&'static str>);

const VALIDATE: &str = "COULD_NOT_VALIDATE";
const PARSE: &str = "COULD_NOT_PARSE_BODY";
const MISSING: &str = "NOT_FOUND";

/// Faults that every request about an identity can have.
fn common() -> Vec<Row> {
    vec![
        (json!({"name": ""}), 400, VALIDATE, Some("name")),
        (json!({"name": " \t"}), 400, VALIDATE, Some("name")),
        (json!({"name": "taken"}), 400, VALIDATE, Some("name")),
        (
            json!({"externalId": "ext"}),
            400,
            VALIDATE,
            Some("externalId"),
        ),
        (json!({"type": "Machine"}), 400, VALIDATE, Some("type")),
        (json!({"type": "default"}), 400, VALIDATE, Some("type")),
        (json!({"type": ""}), 400, VALIDATE, Some("type")),
        (json!({"authPolicyId": "nope"}), 404, MISSING, None),
        (
            json!({"roleAttributes": ["#one"]}),
            400,
            VALIDATE,
            Some("roleAttributes"),
        ),
        (
            json!({"roleAttributes": ["ok", "@one"]}),
            400,
            VALIDATE,
            Some("roleAttributes"),
        ),
        (
            json!({"roleAttributes": ["ok", ""]}),
            400,
            VALIDATE,
            Some("roleAttributes"),
        ),
        (
            json!({"permissions": ["fly"]}),
            400,
            VALIDATE,
            Some("permissions.0"),
        ),
        (
            json!({"permissions": ["ca", "admin"]}),
            400,
            VALIDATE,
            Some("permissions.1"),
        ),
        (
            json!({"defaultHostingPrecedence": "high"}),
            400,
            VALIDATE,
            Some("defaultHostingPrecedence"),
        ),
        (
            json!({"defaultHostingCost": 65536}),
            400,
            VALIDATE,
            Some("defaultHostingCost"),
        ),
        (
            json!({"defaultHostingCost": -1}),
            400,
            VALIDATE,
            Some("defaultHostingCost"),
        ),
        (
            json!({"serviceHostingCosts": {"s": 70000}}),
            400,
            VALIDATE,
            Some("serviceHostingCosts.s"),
        ),
        (json!({"serviceHostingCosts": {"s": 1}}), 404, MISSING, None),
        (
            json!({"serviceHostingPrecedences": {"s": "high"}}),
            400,
            VALIDATE,
            Some("serviceHostingPrecedences.s"),
        ),
        (
            json!({"serviceHostingPrecedences": {"s": "failed"}}),
            404,
            MISSING,
            None,
        ),
        (
            json!({"tags": {"a": {"b": 1}}}),
            400,
            VALIDATE,
            Some("tags.a"),
        ),
        (json!({"tags": {"a": [1]}}), 400, VALIDATE, Some("tags.a")),
        (json!({"name": 5}), 400, PARSE, None),
        (json!({"name": {"a": 1}}), 400, PARSE, None),
        (json!({"type": true}), 400, PARSE, None),
        (json!({"isAdmin": "true"}), 400, PARSE, None),
        (json!({"isAdmin": 1}), 400, PARSE, None),
        (json!({"roleAttributes": "one"}), 400, PARSE, None),
        (json!({"roleAttributes": [1]}), 400, PARSE, None),
        (json!({"permissions": {}}), 400, PARSE, None),
        (json!({"authPolicyId": 1}), 400, PARSE, None),
        (json!({"externalId": ["x"]}), 400, PARSE, None),
        (json!({"defaultHostingCost": "1"}), 400, PARSE, None),
        (json!({"defaultHostingCost": 1.5}), 400, PARSE, None),
        (json!({"defaultHostingPrecedence": 1}), 400, PARSE, None),
        (json!({"serviceHostingCosts": [1]}), 400, PARSE, None),
        (
            json!({"serviceHostingPrecedences": {"s": 1}}),
            400,
            PARSE,
            None,
        ),
        (json!({"tags": ["a"]}), 400, PARSE, None),
        (json!({"appData": "a"}), 400, PARSE, None),
    ]
}

/// Members that a creation and a replacement cannot do without.
fn required() -> Vec<Row> {
    vec![
        (json!({"name": null}), 400, VALIDATE, Some("name")),
        (json!({"isAdmin": null}), 400, VALIDATE, Some("isAdmin")),
    ]
}

/// Sends each fault as part of a body that is good without it.
async fn refuse(controller: &Harness, method: Method, path: &str, good: &Value, rows: Vec<Row>) {
    let admin = controller.admin().await;
    let before = identities_and_enrollments(controller, &admin).await;
    let at = revision(controller);
    for (fault, status, code, field) in rows {
        let mut body = good.clone();
        merge(&mut body, fault.clone());
        let request = controller.manage(method.clone(), path, &admin);
        let reply = request.json(&body).send().await;
        let what = format!("{method} {fault}: {}", reply.text());
        assert_eq!(reply.error(), (status, code.to_owned()), "{what}");
        match field {
            Some(field) => assert_eq!(reply.field(), field, "{what}"),
            None => assert_eq!(
                reply.json()["error"]["cause"]["code"],
                "UNHANDLED",
                "{what}"
            ),
        }
    }
    assert_eq!(
        revision(controller),
        at,
        "{method}: something was committed"
    );
    assert_eq!(identities_and_enrollments(controller, &admin).await, before);
}

async fn with_others() -> Harness {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let others = json!({"externalId": "ext", "enrollment": {"ott": true}});
    create(&controller, &admin, "taken", others).await;
    controller
}

#[tokio::test]
async fn creation_refuses_each_fault() {
    let controller = with_others().await;
    let mut rows = common();
    rows.extend(required());
    rows.extend([
        (json!({"type": "Router"}), 400, VALIDATE, Some("type")),
        (json!({"enrollment": {"ottca": "nope"}}), 404, MISSING, None),
        (json!({"enrollment": {"ott": "yes"}}), 400, PARSE, None),
        (json!({"enrollment": {"updb": true}}), 400, PARSE, None),
        (json!({"enrollment": [1]}), 400, PARSE, None),
        (
            json!({"enrollment": {"ott": true, "updb": "user"}}),
            400,
            VALIDATE,
            Some("enrollment"),
        ),
        (
            json!({"enrollment": {"ott": true, "ottca": "c"}}),
            400,
            VALIDATE,
            Some("enrollment"),
        ),
        (
            json!({"enrollment": {"ottca": "c", "updb": "user"}}),
            400,
            VALIDATE,
            Some("enrollment"),
        ),
        (
            json!({"enrollment": {"ott": true, "ottca": "c", "updb": "user"}}),
            400,
            VALIDATE,
            Some("enrollment"),
        ),
    ]);
    // The error about an unknown authority names its member, although the code is "not found".
    let (ottca, rows): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .partition(|(fault, ..)| *fault == json!({"enrollment": {"ottca": "nope"}}));
    assert_eq!(ottca.len(), 1);
    let good =
        json!({"name": "new", "type": "Default", "isAdmin": false, "enrollment": {"ott": true}});
    refuse(&controller, Method::POST, "/identities", &good, rows).await;
    let admin = controller.admin().await;
    let unknown = controller
        .manage(Method::POST, "/identities", &admin)
        .json(&json!({"name": "new", "isAdmin": false, "enrollment": {"ottca": "nope"}}))
        .send()
        .await;
    assert_snapshot!(shown_error(&unknown), @r#"
        404 Not Found
        {
          "error": {
            "cause": {
              "field": "caId",
              "reason": "no CA with this id exists",
              "value": "nope"
            },
            "code": "NOT_FOUND",
            "message": "Nothing was found under this path or id",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);
}

#[tokio::test]
async fn replacement_refuses_each_fault() {
    let controller = with_others().await;
    let admin = controller.admin().await;
    let id = create(
        &controller,
        &admin,
        "mine",
        json!({"roleAttributes": ["a"]}),
    )
    .await;
    let mut rows = common();
    rows.extend(required());
    rows.push((json!({"type": null}), 400, VALIDATE, Some("type")));
    rows.push((json!({"type": "Router"}), 400, VALIDATE, Some("typeId")));
    let good = json!({"name": "mine", "type": "Default", "isAdmin": false});
    let path = format!("/identities/{id}");
    refuse(&controller, Method::PUT, &path, &good, rows).await;
}

#[tokio::test]
async fn merge_refuses_each_fault() {
    let controller = with_others().await;
    let admin = controller.admin().await;
    let id = create(
        &controller,
        &admin,
        "mine",
        json!({"roleAttributes": ["a"]}),
    )
    .await;
    let path = format!("/identities/{id}");
    refuse(&controller, Method::PATCH, &path, &json!({}), common()).await;
}

#[tokio::test]
async fn what_is_missing_is_not_found() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let at = revision(&controller);
    let body = json!({"name": "x", "type": "Default", "isAdmin": false});
    for (method, path, kind) in [
        (Method::GET, "/identities/nope", "identity"),
        (Method::PUT, "/identities/nope", "identity"),
        (Method::PATCH, "/identities/nope", "identity"),
        (Method::DELETE, "/identities/nope", "identity"),
        (Method::POST, "/identities/nope/enable", "identity"),
        (Method::GET, "/enrollments/nope", "enrollment"),
        (Method::DELETE, "/enrollments/nope", "enrollment"),
        (Method::GET, "/identity-types/nope", "identity type"),
    ] {
        let request = controller.manage(method.clone(), path, &admin);
        let reply = request.json(&body).send().await;
        assert_eq!(reply.error(), (404, MISSING.to_owned()), "{method} {path}");
        let cause = &reply.json()["error"]["cause"];
        assert_eq!(cause["message"], format!("{kind} with id nope not found"));
    }
    for (path, body) in [
        ("/identities/nope/disable", json!({"durationMinutes": 1})),
        (
            "/enrollments/nope/refresh",
            json!({"expiresAt": "2040-01-01T00:00:00Z"}),
        ),
    ] {
        let request = controller.manage(Method::POST, path, &admin);
        let reply = request.json(&body).send().await;
        assert_eq!(reply.error(), (404, MISSING.to_owned()), "{path}");
    }
    assert_eq!(revision(&controller), at);
}

#[tokio::test]
async fn first_administrator_stays() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let all = get(&controller, &admin, "/identities").await.data();
    let path = format!("/identities/{}", all[0]["id"].as_str().unwrap());
    let refused = controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await;
    assert_snapshot!(shown_error(&refused), @r#"
        400 Bad Request
        {
          "error": {
            "code": "ENTITY_CAN_NOT_BE_DELETED",
            "message": "This entity cannot be deleted, because the controller manages it",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);

    // Demotion is accepted and takes nothing away.
    let demote = controller.manage(Method::PATCH, &path, &admin);
    demote.json(&json!({"isAdmin": false})).send().await.data();
    let renamed = controller.manage(Method::PATCH, &path, &admin);
    renamed.json(&json!({"name": "root"})).send().await.data();
    let shown = get(&controller, &admin, &path).await.data();
    assert_eq!(
        (&shown["isAdmin"], &shown["isDefaultAdmin"], &shown["name"]),
        (&json!(false), &json!(true), &json!("root"))
    );
}

#[tokio::test]
async fn types_of_people_are_taken_and_shown_as_the_default() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for given in [
        json!("Default"),
        json!("Device"),
        json!("Service"),
        json!("User"),
        json!(null),
    ] {
        let name = format!("of {given}");
        let id = create(&controller, &admin, &name, json!({"type": given})).await;
        let shown = read(&controller, &admin, &id).await;
        assert_eq!(shown["typeId"], "Default", "{given}");
        assert_eq!(shown["type"]["name"], "Default", "{given}");
    }
    let types = get(&controller, &admin, "/identity-types").await.data();
    let mut names: Vec<_> = types
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind["name"].clone())
        .collect();
    names.sort_by_key(Value::to_string);
    assert_eq!(names, [json!("Default"), json!("Router")]);

    // A type cannot be changed, and asking for it is no fault.
    let id = create(&controller, &admin, "fixed", json!({})).await;
    let path = format!("/identities/{id}");
    for kind in ["Device", "Router"] {
        let request = controller.manage(Method::PATCH, &path, &admin);
        request.json(&json!({"type": kind})).send().await.data();
        assert_eq!(read(&controller, &admin, &id).await["typeId"], "Default");
    }
}

#[tokio::test]
async fn empty_enrollment_members_do_not_count() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for (number, (given, methods)) in [
        (json!({}), vec![]),
        (json!({"ott": false, "ottca": "", "updb": ""}), vec![]),
        (json!({"ott": null, "ottca": null, "updb": null}), vec![]),
        (json!({"ott": true, "ottca": "", "updb": null}), vec!["ott"]),
        (json!({"ott": false, "updb": "someone"}), vec!["updb"]),
        (json!(null), vec![]),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("number {number}");
        let id = create(&controller, &admin, &name, json!({"enrollment": given})).await;
        let shown = read(&controller, &admin, &id).await;
        let pending: Vec<_> = shown["enrollment"].as_object().unwrap().keys().collect();
        assert_eq!(pending, methods, "{given}");
    }
}

#[tokio::test]
async fn merge_changes_what_it_names_and_replacement_everything() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let full = json!({
        "roleAttributes": ["b", "a", "b"], "tags": {"a": "1", "n": 2, "t": true, "z": null},
        "appData": {"deep": {"er": [1]}}, "externalId": "ext", "permissions": ["service.read", "ca"],
        "defaultHostingCost": 7, "defaultHostingPrecedence": "failed",
    });
    let id = create(&controller, &admin, "mine", full).await;
    let path = format!("/identities/{id}");
    let before = read(&controller, &admin, &id).await;
    assert_eq!(
        before["roleAttributes"],
        json!(["a", "b"]),
        "sorted, each once"
    );
    assert_eq!(before["permissions"], json!(["ca", "service.read"]));
    assert_eq!(before["appData"], json!({"deep": {"er": [1]}}));

    let at = revision(&controller);
    for nothing in [
        json!({}),
        json!({"name": null, "tags": null, "roleAttributes": null, "externalId": null, "isAdmin": null}),
        json!({"unknown": 1}),
    ] {
        let request = controller.manage(Method::PATCH, &path, &admin);
        let reply = request.json(&nothing).send().await;
        assert_eq!(reply.json(), json!({"data": {}, "meta": {}}), "{nothing}");
        assert_eq!(read(&controller, &admin, &id).await, before, "{nothing}");
    }
    assert_eq!(
        revision(&controller),
        at,
        "a merge without effect is no change"
    );

    let merge = json!({"tags": {"b": "2"}, "externalId": "", "roleAttributes": []});
    let request = controller.manage(Method::PATCH, &path, &admin);
    request.json(&merge).send().await.data();
    let merged = read(&controller, &admin, &id).await;
    let mut expected = before.clone();
    expected["tags"] = json!({"b": "2"});
    expected["externalId"] = json!(null);
    expected["roleAttributes"] = json!([]);
    assert_eq!(merged, expected);

    let replacement = json!({"name": "other", "type": "Device", "isAdmin": true});
    let request = controller.manage(Method::PUT, &path, &admin);
    request.json(&replacement).send().await.data();
    let replaced = read(&controller, &admin, &id).await;
    for (member, value) in [
        ("name", json!("other")),
        ("isAdmin", json!(true)),
        ("tags", json!({})),
        ("appData", json!({})),
        ("permissions", json!(null)),
        ("defaultHostingCost", json!(0)),
        ("defaultHostingPrecedence", json!("default")),
        ("authPolicyId", json!("default")),
    ] {
        assert_eq!(replaced[member], value, "{member}");
    }
}
