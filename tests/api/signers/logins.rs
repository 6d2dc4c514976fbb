//! Login with tokens of external signers, and the sessions that it opens.

use crate::support::hold::{Hold, drawn};
use crate::support::idp::{
    Idp, bearing, challenge, create_signer, log_in_with, patch_signer, session,
};
use crate::support::{
    add_policy, create, current_session, disable_identity, edit_entity, get, modify_store, text,
};
use http::Method;
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{API_SESSION, IDENTITY, UniqueIndex};
use portcullis_testkit::Harness;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// A controller with a provider whose holders are found by their external ids, and one of them.
async fn scene() -> (Harness, String, Idp, String, String) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let idp = Idp::new(&controller, "idp");
    let signer = idp.register(&controller, &admin, json!({})).await;
    let holder = create(&controller, &admin, "ada", json!({"externalId": "ada@x"})).await;
    (controller, admin, idp, signer, holder)
}

#[tokio::test]
async fn a_good_token_opens_a_session() {
    let (controller, admin, idp, signer, holder) = scene().await;
    let token = idp.token(&controller, "ada@x");
    let reply = log_in_with(&controller, &[&token]).await;
    let data = reply.data();
    assert_eq!(data["authenticatorId"], format!("extJwtId:{signer}"));
    assert_eq!(
        (&data["identityId"], &data["authQueries"]),
        (&json!(holder), &json!([]))
    );
    assert_eq!(challenge(&reply), "none");
    assert_eq!(
        current_session(&controller, &session(&reply)).await.status,
        200
    );

    let by_management = controller.request(
        Method::POST,
        "/edge/management/v1/authenticate?method=ext-jwt",
    );
    let reply = bearing(by_management, &[&token]);
    let reply = reply.json(&json!({"configTypes": ["all"]})).send().await;
    assert_eq!(reply.data()["configTypes"], json!(["all"]));

    // The id of the identity instead, in a claim that lies deeper.
    let other = Idp::new(&controller, "other");
    let how = json!({"useExternalId": false, "claimsProperty": "/deep/id"});
    other.register(&controller, &admin, how).await;
    let mut claims = other.claims(&controller, "x");
    claims["deep"] = json!({ "id": holder });
    let token = other.sign(&other.header(), &claims);
    assert_eq!(log_in_with(&controller, &[&token]).await.status, 200);
}

#[tokio::test]
async fn refusals_are_told_apart_by_their_challenge_alone() {
    let (controller, admin, idp, signer, _) = scene().await;
    let stranger = Idp::new(&controller, "stranger");
    let claims = |member: &str, value: Value| {
        let mut claims = idp.claims(&controller, "ada@x");
        claims[member] = value;
        idp.sign(&idp.header(), &claims)
    };
    let now = controller.app.env().now().as_second();
    let good = idp.token(&controller, "ada@x");
    let (expired, invalid) = (claims("exp", json!(now)), claims("aud", json!("other")));
    let missing = idp.token(&controller, "nobody@x");
    let foreign = stranger.token(&controller, "ada@x");
    for (tokens, expected) in [
        (&[][..], "missing"),
        (&["garbage"], "missing"),
        (&[&foreign], "missing"),
        (&[&missing], "missing"),
        (&[&invalid], "invalid"),
        (&[&expired], "expired"),
        (&[&invalid, &expired], "expired"),
        (&[&expired, &invalid], "expired"),
        (&[&missing, &invalid], "invalid"),
        (&[&missing, &missing, &missing, &good], "missing"),
    ] {
        let reply = log_in_with(&controller, tokens).await;
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
        assert_eq!(challenge(&reply), expected, "{tokens:?}");
        let value = reply.headers["www-authenticate"].to_str().unwrap();
        let named = format!("id=\"{signer}\" issuer=\"{}\"", idp.issuer);
        assert!(value.ends_with(&named), "{value}");
    }
    let reply = log_in_with(&controller, &["garbage", &invalid, &good]).await;
    assert_eq!(reply.status, 200, "the first that passes wins");

    // Once no signer is left whose token would do, there is nothing to ask for.
    patch_signer(&controller, &admin, &signer, json!({"enabled": false})).await;
    assert_eq!(challenge(&log_in_with(&controller, &[&good]).await), "none");
}

#[tokio::test]
async fn several_signers_are_named_together() {
    let (controller, admin, idp, signer, _) = scene().await;
    let second = Idp::new(&controller, "second");
    let other = second.register(&controller, &admin, json!({})).await;
    let off = Idp::new(&controller, "off");
    off.register(&controller, &admin, json!({"enabled": false}))
        .await;
    let reply = log_in_with(&controller, &[]).await;
    let value = reply.headers["www-authenticate"]
        .to_str()
        .unwrap()
        .to_owned();
    let ids = format!("id=\"{signer}|{other}\"");
    let issuers = format!("issuer=\"{}|{}\"", idp.issuer, second.issuer);
    assert!(value.ends_with(&format!("{ids} {issuers}")), "{value}");
}

#[tokio::test]
async fn algorithms_are_not_confused() {
    let (controller, _, idp, ..) = scene().await;
    let claims = idp.claims(&controller, "ada@x");
    for algorithm in ["none", "HS256", "RS256", "ES384", "es256", "EdDSA"] {
        let mut header = idp.header();
        header["alg"] = json!(algorithm);
        let token = idp.sign(&header, &claims);
        let reply = log_in_with(&controller, &[&token]).await;
        assert_eq!(reply.error().0, 401, "{algorithm}");
        let (signed, _) = token.rsplit_once('.').unwrap();
        let bare = format!("{signed}.");
        assert_eq!(log_in_with(&controller, &[&bare]).await.error().0, 401);
    }
    let mut header = idp.header();
    header["jwk"] = idp.jwk();
    header["kid"] = json!("mine");
    let token = idp.sign(&header, &claims);
    assert_eq!(log_in_with(&controller, &[&token]).await.error().0, 401);
}

#[tokio::test]
async fn a_shared_key_id_leads_to_the_key_of_the_issuer() {
    // Key ids of key sets are the business of their providers, and two may choose alike.
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    create(&controller, &admin, "ada", json!({"externalId": "ada@x"})).await;
    let mut idps = ["one", "two"].map(|name| Idp::new(&controller, name));
    let mut servers = Vec::new();
    for idp in &mut idps {
        idp.kid = "shared".to_owned();
        let conduct = crate::support::key_server::Conduct::Json(idp.key_set());
        let server = crate::support::key_server::KeyServer::start(conduct).await;
        let how = json!({"certPem": "", "kid": "", "jwksEndpoint": server.url});
        idp.register(&controller, &admin, how).await;
        servers.push(server);
    }
    let [one, two] = &idps;
    for (signs, says, is_good) in [(one, one, true), (one, two, false), (two, two, true)] {
        let token = signs.sign(&signs.header(), &says.claims(&controller, "ada@x"));
        let reply = log_in_with(&controller, &[&token]).await;
        assert_eq!(reply.status == 200, is_good);
    }
}

#[tokio::test]
async fn a_certificate_goes_by_its_fingerprint_unless_it_has_a_name() {
    let (controller, admin, mut idp, signer, _) = scene().await;
    let fingerprint = idp.certificate.fingerprint().to_string();
    let as_of = |idp: &Idp| idp.token(&controller, "ada@x");
    let named = as_of(&idp);
    idp.kid = fingerprint;
    let by_print = as_of(&idp);
    assert_eq!(log_in_with(&controller, &[&named]).await.status, 200);
    assert_eq!(log_in_with(&controller, &[&by_print]).await.status, 401);
    patch_signer(&controller, &admin, &signer, json!({"kid": ""}))
        .await
        .data();
    assert_eq!(log_in_with(&controller, &[&named]).await.status, 401);
    assert_eq!(log_in_with(&controller, &[&by_print]).await.status, 200);
}

#[tokio::test]
async fn sessions_end_with_what_let_them_in() {
    let (controller, admin, idp, signer, holder) = scene().await;
    let token = idp.token(&controller, "ada@x");
    let open = async || session(&log_in_with(&controller, &[&token]).await);
    let live = async |session: &str| current_session(&controller, session).await.status == 200;

    let one = open().await;
    patch_signer(&controller, &admin, &signer, json!({"enabled": false}))
        .await
        .data();
    assert!(!live(&one).await, "the signer is disabled");
    assert_eq!(log_in_with(&controller, &[&token]).await.status, 401);
    patch_signer(&controller, &admin, &signer, json!({"enabled": true}))
        .await
        .data();

    let two = open().await;
    edit_entity(
        &controller,
        UniqueIndex::AuthPolicyId,
        "default",
        |policy: &mut AuthPolicy| {
            policy.spec.primary.ext_jwt.allowed = false;
        },
    )
    .await;
    assert!(!live(&two).await, "the policy allows no tokens");
    assert_eq!(
        challenge(&log_in_with(&controller, &[&token]).await),
        "missing"
    );
    edit_entity(
        &controller,
        UniqueIndex::AuthPolicyId,
        "default",
        |policy: &mut AuthPolicy| {
            policy.spec.primary.ext_jwt.allowed = true;
        },
    )
    .await;

    add_policy(&controller, "picky", |policy| {
        let other = portcullis_domain::ids::SignerId::from_wire("other");
        policy.spec.primary.ext_jwt.allowed_signers = [other].into();
    })
    .await;
    let three = open().await;
    let path = format!("/identities/{holder}");
    let change = controller.manage(Method::PATCH, &path, &admin);
    change
        .json(&json!({"authPolicyId": "picky"}))
        .send()
        .await
        .data();
    assert!(!live(&three).await, "the policy allows other signers");
    assert_eq!(
        challenge(&log_in_with(&controller, &[&token]).await),
        "missing"
    );
    let change = controller.manage(Method::PATCH, &path, &admin);
    change
        .json(&json!({"authPolicyId": "default"}))
        .send()
        .await
        .data();

    let four = open().await;
    disable_identity(&controller, &admin, &holder).await;
    assert!(!live(&four).await, "the identity is disabled");
    assert_eq!(
        challenge(&log_in_with(&controller, &[&token]).await),
        "missing"
    );
    let enable = format!("/identities/{holder}/enable");
    controller
        .manage(Method::POST, &enable, &admin)
        .send()
        .await
        .data();

    let five = open().await;
    let path = format!("/external-jwt-signers/{signer}");
    controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await
        .data();
    assert!(!live(&five).await, "the signer is deleted");
    assert_eq!(
        challenge(&log_in_with(&controller, &[&token]).await),
        "missing"
    );
}

#[tokio::test]
async fn sessions_end_when_their_signer_judges_otherwise() {
    let next = |controller: &Harness| Idp::new(controller, "next").certificate.to_pem();
    let (controller, admin, idp, signer, _) = scene().await;
    let path = format!("/external-jwt-signers/{signer}");
    let keys = json!({"certPem": "", "jwksEndpoint": "https://idp.example.test/keys"});
    for (change, ends) in [
        (json!({"certPem": next(&controller)}), true),
        (keys, true),
        (json!({"issuer": "https://else.example.test"}), true),
        (json!({"audience": "others"}), true),
        (json!({"kid": "other"}), true),
        (json!({"claimsProperty": "/email"}), true),
        (json!({"useExternalId": false}), true),
        (json!({"name": "another"}), false),
        (json!({"clientId": "app", "scopes": ["openid"]}), false),
        (
            json!({"externalAuthUrl": "https://idp.example.test/auth"}),
            false,
        ),
        (json!({"targetToken": "ID", "tags": {"a": 1}}), false),
        (
            json!({"enrollToCertEnabled": true, "enrollNameClaimsSelector": "/name"}),
            false,
        ),
        (json!({"enabled": false}), true),
    ] {
        let token = idp.token(&controller, "ada@x");
        let opened = session(&log_in_with(&controller, &[&token]).await);
        let status = async || current_session(&controller, &opened).await.status;
        patch_signer(&controller, &admin, &signer, change.clone())
            .await
            .data();
        assert_eq!(status().await, if ends { 401 } else { 200 }, "{change}");
        let mut before = idp.signer(json!({}));
        before["name"] = json!("idp");
        let back = controller.manage(Method::PUT, &path, &admin).json(&before);
        back.send().await.data();
        // Disabled, it has judged as ever.
        let is_out = ends && change != json!({"enabled": false});
        assert_eq!(status().await, if is_out { 401 } else { 200 }, "{change}");
    }
}

#[tokio::test]
async fn sessions_of_before_terms_were_remembered_live_until_the_first_change() {
    let (controller, admin, idp, signer, _) = scene().await;
    let token = idp.token(&controller, "ada@x");
    let opened = session(&log_in_with(&controller, &[&token]).await);
    modify_store(&controller, |rows| {
        let (key, before) = {
            let mut found = None;
            let all = RecordKey::all(IDENTITY);
            rows.rows()
                .for_each_in::<ApiSession>(&all, &mut |one| {
                    if matches!(one.entity.opened_by, OpenedBy::Signer(_)) {
                        found = Some((one.key, one.entity));
                    }
                    Ok(ControlFlow::Continue(()))
                })
                .unwrap();
            found.unwrap()
        };
        let mut after = before.clone();
        assert!(after.terms.take().is_some());
        rows.replace(&key, &before, &after).unwrap();
    })
    .await;
    for (change, status) in [
        (json!({"name": "called otherwise"}), 200),
        (json!({"audience": "others"}), 401),
    ] {
        patch_signer(&controller, &admin, &signer, change.clone())
            .await
            .data();
        let reply = current_session(&controller, &opened).await;
        assert_eq!(reply.status, status, "{change}");
    }
}

#[tokio::test]
async fn what_changes_between_check_and_commit_counts() {
    let changes: [(&str, Value); 4] = [
        ("signer", json!({"enabled": false})),
        ("signer", json!({"audience": "others"})),
        ("identity", json!({"externalId": "eve@x"})),
        ("signer", Value::Null),
    ];
    for (whose, change) in changes {
        let (controller, admin, idp, signer, holder) = scene().await;
        let token = idp.token(&controller, "ada@x");
        let path = match whose {
            "signer" => format!("/external-jwt-signers/{signer}"),
            _ => format!("/identities/{holder}"),
        };
        let method = if change.is_null() {
            Method::DELETE
        } else {
            Method::PATCH
        };
        let request = controller.manage(method, &path, &admin).json(&change);
        let hold = Hold::take(&controller);
        let first = controller.engine.allocate(API_SESSION);
        // The change is handed to the writer before the login, which has judged all the same.
        let mut changing = Box::pin(request.send());
        let is_waiting = tokio::time::timeout(std::time::Duration::ZERO, &mut changing).await;
        assert!(is_waiting.is_err());
        let tokens = [token.as_str()];
        let release = async {
            drawn(&controller, API_SESSION, 1, first).await;
            drop(hold);
        };
        let (outcome, login, ()) =
            tokio::join!(changing, log_in_with(&controller, &tokens), release);
        assert!(outcome.status.is_success(), "{}", outcome.text());
        assert_eq!(login.error(), (401, "UNAUTHORIZED".to_owned()), "{change}");
        let sessions = get(&controller, &admin, "/api-sessions").await.data();
        assert_eq!(sessions.as_array().unwrap().len(), 1, "{change}");
    }
}

#[tokio::test]
async fn names_of_signers_are_told_to_everybody_and_nothing_else() {
    let (controller, admin, idp, signer, _) = scene().await;
    let hidden = Idp::new(&controller, "hidden");
    hidden
        .register(&controller, &admin, json!({"enabled": false}))
        .await;
    let list = controller
        .request(Method::GET, "/external-jwt-signers")
        .send()
        .await;
    let all = list.data();
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!(text(&all[0], "id"), signer);
    for secret in [
        "certPem",
        "kid",
        "issuer",
        "fingerprint",
        "claimsProperty",
        "enabled",
    ] {
        assert!(all[0].get(secret).is_none(), "{secret}");
    }
    let filter = format!(
        "/external-jwt-signers?filter=name%3D%22{}%22",
        hidden.issuer
    );
    let found = controller.request(Method::GET, &filter).send().await.data();
    assert_eq!(found, json!([]), "filters find no signer that is off");
    let filter = format!("/external-jwt-signers?filter=name%3D%22{}%22", idp.issuer);
    let found = controller.request(Method::GET, &filter).send().await.data();
    assert_eq!(text(&found[0], "id"), signer);
    let refused = create_signer(&controller, "nobody", &idp.signer(json!({}))).await;
    assert_eq!(refused.error().0, 401);
}
