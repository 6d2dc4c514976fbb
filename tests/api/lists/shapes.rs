//! What lists and details of authenticators, sessions and policies show, to the member.

use crate::support::lists::{list, names, pagination};
use crate::support::{
    add_policy, add_strict_policy, create, create_with_enrollment, current_session,
    disable_identity, find_identity_id, get, merge, pending_enrollment, redeem, text,
};
use http::Method;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ids::SignerId;
use portcullis_pki::certificates_from_pem;
use portcullis_testkit::{ADMIN, Harness, PASSWORD, client_key_and_csr};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const BASE: &[&str] = &["id", "createdAt", "updatedAt", "tags", "isSystem"];

fn members(value: &Value) -> Vec<&str> {
    let mut members: Vec<_> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    members.sort_unstable();
    members
}

/// Checks what every list has in common, and that each row is what its detail shows, but that the
/// detail of a service knows no configuration for the caller.
pub(crate) async fn rows(
    controller: &Harness,
    admin: &str,
    path: &str,
    fields: &[&str],
) -> Vec<Value> {
    let reply = list(controller, admin, path, &[]).await;
    let body = reply.json();
    assert_eq!(members(&body), ["data", "meta"], "{path}");
    assert_eq!(
        members(&body["meta"]),
        ["filterableFields", "pagination"],
        "{path}"
    );
    let given: Vec<_> = body["meta"]["filterableFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field.as_str().unwrap())
        .collect();
    let expected: BTreeSet<_> = BASE.iter().chain(fields).copied().collect();
    assert_eq!(given.len(), expected.len(), "{path}: each once");
    assert_eq!(
        given.into_iter().collect::<BTreeSet<_>>(),
        expected,
        "{path}"
    );
    let rows = body["data"].as_array().unwrap().clone();
    assert_eq!(
        pagination(&reply),
        (json!(10), json!(0), json!(rows.len())),
        "{path}"
    );
    // The kind is the last word of the path.
    let kind = path.rsplit('/').next().unwrap();
    for row in &rows {
        let id = text(row, "id");
        let mut detail = get(controller, admin, &format!("/{kind}/{id}"))
            .await
            .json();
        if kind == "services" {
            let config = std::mem::replace(&mut detail["data"]["config"], row["config"].clone());
            assert_eq!((config, &row["config"]), (Value::Null, &json!({})));
        }
        assert_eq!(detail, json!({"data": row, "meta": {}}), "{path}");
        assert_eq!(row["_links"]["self"]["href"], format!("./{kind}/{id}"));
    }
    rows
}

const AUTHENTICATOR_FIELDS: &[&str] = &[
    "method",
    "identity",
    "certFingerprint",
    "certPem",
    "isIssuedByNetwork",
    "isExtendRequested",
    "isKeyRollRequested",
    "extendRequestedAt",
    "publicKeyPrint",
    "lastAuthResolvedToRoot",
    "lastExtendRolledKeys",
    "updbUsername",
];

/// A controller whose administrator has a password, and `somebody` a certificate beside one.
async fn both_ways() -> (Harness, String, String) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "somebody", json!({})).await;
    let id = find_identity_id(&controller, &admin, "somebody").await;
    let body = json!({"identityId": id, "method": "ott", "expiresAt": "2040-01-01T00:00:00Z"});
    let request = controller.manage(Method::POST, "/enrollments", &admin);
    request.json(&body).send().await.id();
    let token = pending_enrollment(&controller, &admin, &id, "ott").await;
    let (_key, csr) = client_key_and_csr();
    redeem(&controller, text(&token, "token"), &csr)
        .await
        .data();
    (controller, admin, id)
}

#[tokio::test]
async fn authenticators_show_what_is_no_secret() {
    let (controller, admin, id) = both_ways().await;
    let shown = rows(&controller, &admin, "/authenticators", AUTHENTICATOR_FIELDS).await;
    assert_eq!(shown.len(), 3);
    for one in &shown {
        let is_updb = one["method"] == "updb";
        let mut expected = vec![
            "_links",
            "createdAt",
            "id",
            "identity",
            "identityId",
            "method",
            "tags",
            "updatedAt",
        ];
        expected.extend(if is_updb {
            &["username"][..]
        } else {
            &["certPem", "fingerprint", "isIssuedByNetwork"]
        });
        expected.sort_unstable();
        assert_eq!(members(one), expected);
        assert_eq!(
            members(&one["identity"]),
            ["_links", "entity", "id", "name"]
        );
        assert_eq!(one["identity"]["id"], one["identityId"]);
        assert_eq!(one["identity"]["entity"], "identities");
        let owner = text(one, "identityId");
        assert_eq!(
            one["_links"]["identities"]["href"],
            format!("./identities/{owner}")
        );
        assert_eq!(one["tags"], json!({}));
        if !is_updb {
            assert_eq!(one["isIssuedByNetwork"], true);
            let leaf = &certificates_from_pem(text(one, "certPem")).unwrap()[0];
            assert_eq!(one["fingerprint"], leaf.fingerprint().to_string());
        }
    }
    let of = format!("/identities/{id}/authenticators");
    let own = rows(&controller, &admin, &of, AUTHENTICATOR_FIELDS).await;
    let expected: Vec<_> = shown.iter().filter(|one| one["identityId"] == id).collect();
    assert_eq!(own.iter().collect::<Vec<_>>(), expected);

    // What is kept of a password is neither shown nor known to any filter or order.
    for secret in ["updbPassword", "updbSalt", "password", "salt"] {
        let filter = format!("{secret} != null");
        for (parameter, value, code) in [
            ("filter", &*filter, "INVALID_FILTER"),
            ("sort", secret, "INVALID_SORT_IDENTIFIER"),
        ] {
            let reply = list(
                &controller,
                &admin,
                "/authenticators",
                &[(parameter, value)],
            )
            .await;
            assert_eq!(reply.error(), (400, code.to_owned()), "{parameter}={value}");
        }
    }
}

#[tokio::test]
async fn authenticators_are_found_by_what_they_show() {
    let (controller, admin, id) = both_ways().await;
    let all = list(&controller, &admin, "/authenticators", &[])
        .await
        .data();
    let certificate = all.as_array().unwrap().iter();
    let certificate = certificate
        .clone()
        .find(|one| one["method"] == "cert")
        .unwrap();
    let fingerprint = text(certificate, "fingerprint");
    let of = format!("/identities/{id}/authenticators");
    for (path, filter, count) in [
        ("/authenticators", r#"method = "updb""#.to_owned(), 2),
        (
            "/authenticators",
            r#"updbUsername = "somebody""#.to_owned(),
            1,
        ),
        (
            "/authenticators",
            r#"updbUsername = "Somebody""#.to_owned(),
            0,
        ),
        (
            "/authenticators",
            format!("certFingerprint = \"{fingerprint}\""),
            1,
        ),
        (
            "/authenticators",
            format!("certFingerprint = \"{}\"", fingerprint.to_uppercase()),
            0,
        ),
        ("/authenticators", "isIssuedByNetwork".to_owned(), 1),
        ("/authenticators", "updbUsername = null".to_owned(), 1),
        ("/authenticators", format!("identity = \"{id}\""), 2),
        // What the command line sends.
        (
            "/authenticators",
            format!("identity=\"{id}\" and method=\"updb\""),
            1,
        ),
        ("/authenticators", r#"identity = "nobody""#.to_owned(), 0),
        (&*of, "true".to_owned(), 2),
        (&*of, r#"method = "cert""#.to_owned(), 1),
        (&*of, r#"updbUsername = "somebody""#.to_owned(), 1),
        // Somebody else's.
        (&*of, format!("updbUsername = \"{ADMIN}\""), 0),
        (&*of, r#"identity = "nobody""#.to_owned(), 0),
        ("/identities/nobody/authenticators", "true".to_owned(), 0),
        (
            "/identities/nobody/authenticators",
            format!("identity = \"{id}\""),
            0,
        ),
    ] {
        let reply = list(&controller, &admin, path, &[("filter", &*filter)]).await;
        assert_eq!(
            reply.data().as_array().unwrap().len(),
            count,
            "{path} {filter}"
        );
        assert_eq!(pagination(&reply).2, count, "{path} {filter}");
    }
    let parameters = [("sort", "method desc"), ("limit", "1"), ("offset", "1")];
    let reply = list(&controller, &admin, &of, &parameters).await;
    assert_eq!(reply.data()[0]["method"], "cert");
    assert_eq!(pagination(&reply), (json!(1), json!(1), json!(2)));
}

#[tokio::test]
async fn enrollments_of_an_identity_are_filtered_sorted_and_paged() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, ott) =
        create_with_enrollment(&controller, &admin, "somebody", json!({"ott": true})).await;
    create_with_enrollment(&controller, &admin, "other", json!({"ott": true})).await;
    let body = json!({
        "identityId": id, "method": "updb", "username": "somebody",
        "expiresAt": "2040-01-01T00:00:00Z"
    });
    let request = controller.manage(Method::POST, "/enrollments", &admin);
    let updb = request.json(&body).send().await.id();
    let own = format!("/identities/{id}/enrollments");
    let fields = ["token", "identity", "edgeRouter", "transitRouter", "caId"];
    assert_eq!(rows(&controller, &admin, &own, &fields).await.len(), 2);
    for (path, filter, count) in [
        (&*own, "true".to_owned(), 2),
        (&*own, format!("id = \"{updb}\""), 1),
        (&*own, format!("token = \"{}\"", text(&ott, "token")), 1),
        (&*own, "caId = null".to_owned(), 2),
        (&*own, r#"identity = "nobody""#.to_owned(), 0),
        ("/identities/nobody/enrollments", "true".to_owned(), 0),
        (
            "/identities/nobody/enrollments",
            format!("token = \"{}\"", text(&ott, "token")),
            0,
        ),
    ] {
        let reply = list(&controller, &admin, path, &[("filter", &*filter)]).await;
        assert_eq!(
            reply.data().as_array().unwrap().len(),
            count,
            "{path} {filter}"
        );
        assert_eq!(pagination(&reply).2, count, "{path} {filter}");
    }
    let parameters = [("sort", "id desc"), ("limit", "1")];
    let reply = list(&controller, &admin, &own, &parameters).await;
    let last = std::cmp::max(&*updb, text(&ott, "id"));
    assert_eq!(reply.data()[0]["id"], last);
    assert_eq!(pagination(&reply), (json!(1), json!(0), json!(2)));
}

const SESSION_FIELDS: &[&str] = &[
    "token",
    "identity",
    "lastActivityAt",
    "authenticator",
    "ipAddress",
    "mfaComplete",
    "mfaRequired",
    "improperClientCertChain",
];

#[tokio::test]
async fn sessions_show_no_token_but_what_stands_for_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "somebody", json!({})).await;
    let shown = rows(&controller, &admin, "/api-sessions", SESSION_FIELDS).await;
    assert_eq!(shown.len(), 2);
    let mut stand_ins = BTreeSet::new();
    for one in &shown {
        let stand_in = text(one, "token").to_owned();
        assert!(is_uuid(&stand_in), "{stand_in}");
        assert!(![&admin, &user].contains(&&stand_in));
        for opens in [
            current_session(&controller, &stand_in).await,
            get(&controller, &stand_in, "/identities").await,
        ] {
            assert_eq!(opens.status, 401, "it opens nothing");
        }
        let filter = format!("token = \"{stand_in}\"");
        let by_it = list(
            &controller,
            &admin,
            "/api-sessions",
            &[("filter", &*filter)],
        )
        .await;
        assert_eq!(pagination(&by_it).2, 0, "it is no token");
        assert_eq!(
            members(one),
            [
                "_links",
                "authQueries",
                "authenticatorId",
                "cachedLastActivityAt",
                "configTypes",
                "createdAt",
                "id",
                "identity",
                "identityId",
                "ipAddress",
                "isCertExtendable",
                "isMfaComplete",
                "isMfaRequired",
                "lastActivityAt",
                "tags",
                "token",
                "updatedAt",
            ]
        );
        assert_eq!(one["authQueries"], json!([]));
        assert_eq!(one["configTypes"], json!([]));
        assert_eq!(one["ipAddress"], "127.0.0.1");
        assert_eq!(one["isMfaComplete"], false);
        assert_eq!(one["isMfaRequired"], false);
        assert_eq!(one["identity"]["id"], one["identityId"]);
        let sessions = format!("./api-sessions/{}/sessions", text(one, "id"));
        assert_eq!(one["_links"]["sessions"]["href"], sessions);
        stand_ins.insert(stand_in);
    }
    assert_eq!(stand_ins.len(), shown.len(), "each has its own");

    // It stays the same as long as the session lives, whoever asks.
    controller
        .clock
        .advance(portcullis_domain::clock::SignedDuration::from_secs(60));
    let reader = json!({"permissions": ["admin_readonly"]});
    let reader = controller.create_user(&admin, "reader", reader).await;
    for one in &shown {
        let path = format!("/api-sessions/{}", text(one, "id"));
        let again = get(&controller, &reader, &path).await.data();
        assert_eq!(again["token"], one["token"]);
    }
    // The holder sees the token itself.
    let own = current_session(&controller, &user).await.data();
    assert_eq!(own["token"], *user);
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let is_hex = |part: &&str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && parts.iter().all(is_hex)
}

#[tokio::test]
async fn token_finds_its_session_for_administrators_and_does_nothing_else() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "somebody", json!({})).await;
    let id = find_identity_id(&controller, &admin, "somebody").await;
    let granted = json!({"permissions": ["ops", "admin_readonly", "identity"]});
    let granted = controller.create_user(&admin, "granted", granted).await;
    let reader = json!({"permissions": ["admin_readonly"]});
    let reader = controller.create_user(&admin, "reader", reader).await;
    let appointed = json!({"isAdmin": true});
    let appointed = controller.create_user(&admin, "appointed", appointed).await;
    let ask = async |caller: &str, filter: &str| {
        list(&controller, caller, "/api-sessions", &[("filter", filter)]).await
    };
    let alone = format!("token = \"{user}\"");
    for administrator in [&admin, &appointed] {
        for filter in [&*alone, &format!("{alone} sort by id limit 3")] {
            let found = ask(administrator, filter).await;
            assert_eq!(pagination(&found).2, 1);
            assert_eq!(found.data()[0]["identityId"], id);
            assert!(!found.text().contains(&user), "the token is not shown");
        }
        let unknown = ask(
            administrator,
            "token = \"6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee\"",
        )
        .await;
        assert_eq!(unknown.data(), json!([]));
    }
    let bad = (400, "INVALID_FILTER".to_owned());
    for filter in [
        format!("token != \"{user}\""),
        format!("token contains \"{}\"", &user[..4]),
        format!("token icontains \"{}\"", &user[..4]),
        format!("token >= \"{}\"", &user[..4]),
        format!("token in [\"{user}\"]"),
        format!("token not in [\"{user}\"]"),
        format!("not {alone}"),
        format!("not (not {alone})"),
        format!("{alone} and identity = \"{id}\""),
        format!("identity = \"{id}\" and {alone}"),
        format!("{alone} or true"),
        format!("{alone} or false"),
        "token = null".to_owned(),
        "token != null".to_owned(),
    ] {
        let reply = ask(&admin, &filter).await;
        // What comes to the same as the plain comparison may be taken for it.
        if reply.status == 200 {
            assert_eq!(reply.data()[0]["identityId"], id, "{filter}");
            assert_eq!(pagination(&reply).2, 1, "{filter}");
            continue;
        }
        assert_eq!(reply.error(), bad, "{filter}");
    }
    let unordered = (400, "INVALID_SORT_IDENTIFIER".to_owned());
    for parameter in [
        ("sort", "token"),
        ("filter", "true sort by token"),
        ("filter", "true sort by id, token desc"),
    ] {
        let reply = list(&controller, &admin, "/api-sessions", &[parameter]).await;
        assert_eq!(reply.error(), unordered, "{parameter:?}");
    }
    for caller in [&granted, &reader] {
        assert_eq!(ask(caller, "true").await.status, 200);
        for token in [&user, caller, &admin] {
            let reply = ask(caller, &format!("token = \"{token}\"")).await;
            assert_eq!(reply.error(), bad);
        }
        let reply = ask(caller, "true sort by token").await;
        assert_eq!(reply.error(), unordered);
    }
}

#[tokio::test]
async fn sessions_are_found_by_what_they_show() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_strict_policy(&controller).await;
    controller.create_user(&admin, "somebody", json!({})).await;
    controller.login("somebody", PASSWORD).await;
    let id = find_identity_id(&controller, &admin, "somebody").await;
    let all = list(&controller, &admin, "/api-sessions", &[]).await.data();
    let (first, authenticator) = (text(&all[0], "id"), text(&all[0], "authenticatorId"));
    for (filter, count) in [
        ("true".to_owned(), 3),
        (format!("identity = \"{id}\""), 2),
        (format!("identity = \"{id}\" and mfaRequired"), 0),
        (format!("id = \"{first}\""), 1),
        (format!("id = \"{first}\" and mfaComplete"), 0),
        (r#"identity = "nobody""#.to_owned(), 0),
        (r#"ipAddress = "127.0.0.1""#.to_owned(), 3),
        ("not mfaComplete".to_owned(), 3),
        ("improperClientCertChain = false".to_owned(), 3),
        (
            format!("authenticator != \"{authenticator}\""),
            if all[0]["identityId"] == id { 1 } else { 2 },
        ),
        (
            "lastActivityAt >= datetime(2031-04-05T06:07:08.009Z)".to_owned(),
            3,
        ),
        (
            "lastActivityAt > datetime(2031-04-05T06:07:08.009Z)".to_owned(),
            0,
        ),
        ("isSystem".to_owned(), 0),
        ("tags.any = null".to_owned(), 3),
    ] {
        let reply = list(
            &controller,
            &admin,
            "/api-sessions",
            &[("filter", &*filter)],
        )
        .await;
        assert_eq!(pagination(&reply).2, count, "{filter}");
        assert_eq!(reply.data().as_array().unwrap().len(), count, "{filter}");
    }
    // The sessions of whoever is shut out are gone.
    disable_identity(&controller, &admin, &id).await;
    let filter = format!("identity = \"{id}\"");
    let reply = list(
        &controller,
        &admin,
        "/api-sessions",
        &[("filter", &*filter)],
    )
    .await;
    assert_eq!(reply.data(), json!([]));
    let rest = list(&controller, &admin, "/api-sessions", &[]).await;
    assert_eq!(pagination(&rest).2, 1);
}

#[tokio::test]
async fn policies_show_every_rule() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let edit = |policy: &mut AuthPolicy| {
        policy.spec.primary.updb.max_attempts = 3;
        policy.spec.primary.updb.lockout_duration_minutes = 15;
        policy.spec.primary.cert.allow_expired_certs = false;
        policy.spec.primary.ext_jwt.allowed_signers = [SignerId::from_wire("signer")].into();
        policy.spec.secondary.require_totp = true;
        policy.spec.secondary.require_ext_jwt_signer = Some(SignerId::from_wire("signer"));
    };
    add_policy(&controller, "second", edit).await;
    let fields = [
        "name",
        "primary.cert.allowed",
        "primary.cert.allowExpiredCerts",
        "primary.updb.allowed",
        "primary.updb.minPasswordLength",
        "primary.updb.requireSpecialChar",
        "primary.updb.requireNumberChar",
        "primary.updb.requireMixedCase",
        "primary.updb.maxAttempts",
        "primary.extJwt.allowed",
        "secondary.requireTotp",
        "secondary.requireExtJwtSigner",
    ];
    let shown = rows(&controller, &admin, "/auth-policies", &fields).await;
    let mut expected = json!({
        "id": "default", "name": "Default", "tags": {},
        "primary": {
            "cert": {"allowExpiredCerts": true, "allowed": true},
            "extJwt": {"allowed": true, "allowedSigners": []},
            "updb": {
                "allowed": true, "lockoutDurationMinutes": 0, "maxAttempts": 0,
                "minPasswordLength": 5, "requireMixedCase": false, "requireNumberChar": false,
                "requireSpecialChar": false
            },
        },
        "secondary": {"requireTotp": false},
    });
    let base = json!({
        "_links": shown[0]["_links"], "createdAt": shown[0]["createdAt"],
        "updatedAt": shown[0]["updatedAt"],
    });
    merge(&mut expected, base);
    assert_eq!(shown[0], expected);
    assert_eq!(shown[1]["primary"]["updb"]["maxAttempts"], 3);
    assert_eq!(shown[1]["primary"]["updb"]["lockoutDurationMinutes"], 15);
    assert_eq!(
        shown[1]["primary"]["extJwt"]["allowedSigners"],
        json!(["signer"])
    );
    let secondary = json!({"requireExtJwtSigner": "signer", "requireTotp": true});
    assert_eq!(shown[1]["secondary"], secondary);
    for (filter, expected) in [
        (r#"id = "default""#, &["Default"][..]),
        (r#"name = "second""#, &["second"]),
        (r#"name icontains "DEF""#, &["Default"]),
        ("primary.updb.maxAttempts > 2", &["second"]),
        ("primary.updb.maxAttempts = 0", &["Default"]),
        (
            "primary.updb.minPasswordLength between 5 and 6",
            &["Default", "second"],
        ),
        ("primary.cert.allowExpiredCerts", &["Default"]),
        (
            "primary.updb.requireNumberChar = false",
            &["Default", "second"],
        ),
        ("secondary.requireTotp", &["second"]),
        (r#"secondary.requireExtJwtSigner = "signer""#, &["second"]),
        ("secondary.requireExtJwtSigner = null", &["Default"]),
        (
            "true sort by primary.updb.maxAttempts desc",
            &["second", "Default"],
        ),
    ] {
        let reply = list(&controller, &admin, "/auth-policies", &[("filter", filter)]).await;
        assert_eq!(names(&reply), expected, "{filter}");
    }
}

#[tokio::test]
async fn what_is_unknown_or_forbidden_is_refused() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "somebody", json!({})).await;
    let id = create(&controller, &admin, "empty", json!({})).await;
    let unauthorized = (401, "UNAUTHORIZED".to_owned());
    for (kind, name) in [
        ("authenticators", "authenticator"),
        ("api-sessions", "API session"),
        ("auth-policies", "auth policy"),
        ("enrollments", "enrollment"),
        ("cas", "CA"),
        ("config-types", "config type"),
        ("configs", "config"),
        ("edge-routers", "router"),
        ("transit-routers", "router"),
        ("terminators", "terminator"),
        ("service-policies", "service policy"),
        ("edge-router-policies", "edge router policy"),
        ("service-edge-router-policies", "service edge router policy"),
        ("posture-checks", "posture check"),
    ] {
        let path = format!("/{kind}/nope");
        let reply = get(&controller, &admin, &path).await;
        assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()), "{path}");
        let cause = reply.json()["error"]["cause"].clone();
        assert_eq!(cause["message"], format!("{name} with id nope not found"));
        let list = format!("/{kind}");
        for path in [&path, &list] {
            let reply = get(&controller, &user, path).await;
            assert_eq!(reply.error(), unauthorized, "{path}");
            let request = controller.request(Method::GET, &format!("/edge/management/v1{path}"));
            assert_eq!(request.send().await.error(), unauthorized, "{path}");
            let request = controller.request(Method::GET, &format!("/edge/client/v1{path}"));
            let reply = request.session(&admin).send().await;
            assert_eq!(reply.status, 404, "{path}: of the management API alone");
        }
    }
    for kind in ["authenticators", "enrollments"] {
        let path = format!("/identities/{id}/{kind}");
        assert_eq!(get(&controller, &admin, &path).await.data(), json!([]));
        assert_eq!(get(&controller, &user, &path).await.error(), unauthorized);
    }
}
