//! Usernames are what they look like; whoever has another one from before keeps it.

use crate::support::credentials::with_password;
use crate::support::{bad_request, create, edit_entity, log_in_with_password, send};
use http::Method;
use portcullis_app::{AppError, administrator};
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_storage::tables::UniqueIndex;
use portcullis_testkit::{Harness, HarnessOptions, PASSWORD};
use serde_json::json;

const VALIDATE: &str = "COULD_NOT_VALIDATE";
const OLD: &str = "an\u{200b}na";
const NEW_PASSWORD: &str = "open-sesame-2";

#[tokio::test]
async fn usernames_that_look_like_others_are_refused_on_every_way() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, authenticator, own) = with_password(&controller, &admin, "berta", json!({})).await;
    let waiting = create(&controller, &admin, "waiting", json!({})).await;
    let managed = format!("/authenticators/{authenticator}");
    let of_owner = format!("/edge/client/v1/current-identity/authenticators/{authenticator}");
    for bad in [
        "ann\u{0}a",
        "ann\u{9b}a",
        OLD,
        "anna\u{202e}",
        "\u{2066}anna",
        " anna",
        "anna ",
    ] {
        let ways = [
            (
                (&admin, Method::POST, "/identities"),
                json!({"name": "new", "isAdmin": false, "enrollment": {"updb": bad}}),
                "enrollment.updb",
            ),
            (
                (&admin, Method::POST, "/enrollments"),
                json!({"identityId": waiting, "method": "updb", "username": bad,
                    "expiresAt": "2040-01-01T00:00:00Z"}),
                "username",
            ),
            (
                (&admin, Method::POST, "/authenticators"),
                json!({"identityId": waiting, "method": "updb", "username": bad,
                    "password": PASSWORD}),
                "username",
            ),
            (
                (&admin, Method::PUT, &managed),
                json!({"username": bad, "password": PASSWORD}),
                "username",
            ),
            (
                (&admin, Method::PATCH, &managed),
                json!({"username": bad}),
                "username",
            ),
            (
                (&own, Method::PUT, &of_owner),
                json!({"username": bad, "password": PASSWORD, "currentPassword": PASSWORD}),
                "username",
            ),
            (
                (&own, Method::PATCH, &of_owner),
                json!({"username": bad, "currentPassword": PASSWORD}),
                "username",
            ),
        ];
        for ((token, method, path), body, field) in ways {
            let full = if path.starts_with("/edge") {
                path.to_owned()
            } else {
                format!("/edge/management/v1{path}")
            };
            let request = controller.request(method.clone(), &full).session(token);
            let reply = request.json(&body).send().await;
            assert_eq!(
                reply.error(),
                bad_request(VALIDATE),
                "{method} {path} {bad:?}"
            );
            assert_eq!(reply.field(), field, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn the_first_administrator_has_no_such_name_either() {
    let options = HarnessOptions {
        is_initialized: false,
        ..HarnessOptions::default()
    };
    let controller = Harness::start_with(options).await;
    let made = administrator::initialize(&controller.app, OLD, PASSWORD.into()).await;
    assert!(matches!(made, Err(AppError::Field(error)) if error.field == "username"));
}

#[tokio::test]
async fn who_has_such_a_name_from_before_logs_in_and_changes_the_password() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, authenticator, _) = with_password(&controller, &admin, "berta", json!({})).await;
    edit_entity(
        &controller,
        UniqueIndex::AuthenticatorId,
        &authenticator,
        |authenticator: &mut Authenticator| {
            if let Credential::Updb(updb) = &mut authenticator.credential {
                updb.username = OLD.to_owned();
            }
        },
    )
    .await;
    assert_eq!(
        log_in_with_password(&controller, OLD, PASSWORD)
            .await
            .status,
        200
    );
    let path = format!("/authenticators/{authenticator}");
    let body = json!({"username": OLD, "password": NEW_PASSWORD});
    let changed = send(&controller, &admin, (Method::PUT, &path), &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    assert_eq!(
        log_in_with_password(&controller, OLD, NEW_PASSWORD)
            .await
            .status,
        200
    );
}
