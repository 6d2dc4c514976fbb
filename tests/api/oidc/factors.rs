//! Second factors of logins.

use crate::support::idp::Idp;
use crate::support::mfa::{Device, enroll};
use crate::support::modify_policy;
use crate::support::oidc::{
    Flow, Tokens, claims, location, oauth_error, refresh, request, session_of, with_alice,
};
use http::Method;
use portcullis_testkit::{Harness, PASSWORD};
use serde_json::{Value, json};

async fn enrolled() -> (Harness, String, Device, Vec<String>) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let session = controller.create_user(&admin, "alice", json!({})).await;
    let (device, codes) = enroll(&controller, &session).await;
    (controller, session, device, codes)
}

fn totp_query(is_enrolled: bool) -> Value {
    json!({
        "format": "numeric", "httpMethod": "POST", "httpUrl": "./oidc/login/totp",
        "isTotpEnrolled": is_enrolled, "maxLength": 8, "minLength": 6, "provider": "ziti",
        "scopes": null, "typeId": "TOTP",
    })
}

#[tokio::test]
async fn totp_completes_a_login() {
    let (controller, _session, device, codes) = enrolled().await;
    let flow = Flow::begin(&controller).await;
    assert_eq!(
        flow.step("/login/totp", json!({"code": "000000"}))
            .await
            .status,
        400
    );
    let open = flow.password("alice").await;
    assert_eq!(open.headers["totp-required"], "true");
    assert_eq!(open.json(), json!({"authQueries": [totp_query(true)]}));
    let error = location(&flow.callback().await);
    assert!(error.contains("error=interaction_required"), "{error}");
    let wrong = device.wrong_code(&controller);
    let refused = flow.step("/login/totp", json!({"code": wrong})).await;
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["code"], "INVALID TOTP CODE");
    let code = device.code(&controller, 1);
    let passed = flow
        .step("/login/totp", json!({"code": format!(" {code} ")}))
        .await;
    assert_eq!(passed.status, 302, "{}", passed.text());
    let tokens = flow.tokens().await;
    assert_eq!(claims(&tokens.access)["amr"], json!(["password", "totp"]));
    let shown = session_of(&controller, &tokens.access).await.data();
    assert_eq!(
        (&shown["isMfaComplete"], &shown["isMfaRequired"]),
        (&json!(true), &json!(false))
    );
    // A code counts once on all ways together.
    let flow = Flow::by_password(&controller, "alice").await;
    assert_eq!(
        flow.step("/login/totp", json!({"code": code})).await.status,
        400
    );
    let recovery = flow.step("/login/totp", json!({"code": codes[0]})).await;
    assert_eq!(recovery.status, 302);
    let flow = Flow::by_password(&controller, "alice").await;
    assert_eq!(
        flow.step("/login/totp", json!({"code": codes[0]}))
            .await
            .status,
        400
    );
}

#[tokio::test]
async fn wrong_codes_are_throttled_here_as_everywhere() {
    let (controller, session, device, _codes) = enrolled().await;
    let flow = Flow::by_password(&controller, "alice").await;
    let wrong = device.wrong_code(&controller);
    for _attempt in 0..5 {
        let reply = flow.step("/login/totp", json!({"code": wrong})).await;
        assert_eq!(reply.status, 400);
    }
    let throttled = flow.step("/login/totp", json!({"code": wrong})).await;
    assert_eq!(throttled.status, 429);
    let elsewhere = crate::support::mfa::answer(&controller, &session, &wrong).await;
    assert_eq!(elsewhere.status, 429);
    let wait = elsewhere.headers.get("retry-after");
    assert_eq!(throttled.headers.get("retry-after"), wait);
    assert!(wait.is_some());
}

#[tokio::test]
async fn policy_demands_an_enrollment_within_the_login() {
    let controller = with_alice().await;
    modify_policy(&controller, "default", |policy| {
        policy.spec.secondary.require_totp = true;
    })
    .await;
    let flow = Flow::begin(&controller).await;
    // Not before somebody has said who they are.
    assert_eq!(flow.step("/login/totp/enroll", json!({})).await.status, 401);
    let open = flow.password("alice").await;
    assert_eq!(open.json(), json!({"authQueries": [totp_query(false)]}));
    let begun = flow.step("/login/totp/enroll", json!({})).await;
    assert_eq!(begun.status, 201, "{}", begun.text());
    let begun = begun.json();
    assert_eq!(
        (&begun["isVerified"], &begun["_links"]),
        (&json!(false), &json!(null))
    );
    assert_eq!(begun["recoveryCodes"].as_array().unwrap().len(), 20);
    let again = flow.step("/login/totp/enroll", json!({})).await;
    assert_eq!(
        (again.status.as_u16(), &again.json()["code"]),
        (409, &json!("MFA_EXISTS"))
    );
    // Begins again, as a C SDK asks for it.
    let path = format!("/login/totp/enroll?id={}", flow.id);
    let removed = request(&controller, Method::DELETE, &path);
    let removed = removed
        .text("application/x-www-form-urlencoded", "")
        .send()
        .await;
    assert_eq!((removed.status.as_u16(), removed.json()), (200, json!({})));
    let begun = flow.step("/login/totp/enroll", json!({})).await.json();
    let device = Device::scan(begun["provisioningUrl"].as_str().unwrap());
    let wrong = json!({"code": device.wrong_code(&controller)});
    let refused = flow.step("/login/totp/enroll/verify", wrong).await;
    assert_eq!(refused.json()["code"], "MFA_INVALID_TOKEN");
    let right = json!({"code": device.code(&controller, 0)});
    assert_eq!(
        flow.step("/login/totp/enroll/verify", right).await.status,
        302
    );
    let tokens = flow.tokens().await;
    assert_eq!(claims(&tokens.access)["amr"], json!(["password", "totp"]));
    assert_eq!(
        session_of(&controller, &tokens.access).await.data()["authQueries"],
        json!([])
    );
}

#[tokio::test]
async fn token_of_a_signer_may_come_later() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let more = json!({"externalId": "ext-alice"});
    controller.create_user(&admin, "alice", more).await;
    let idp = Idp::new(&controller, "idp");
    let signer = idp.register(&controller, &admin, json!({})).await;
    let body = json!({"secondary": {"requireTotp": false, "requireExtJwtSigner": signer}});
    let path = (Method::PATCH, "/auth-policies/default");
    crate::support::send(&controller, &admin, path, &body).await;
    let flow = Flow::begin(&controller).await;
    let open = flow.password("alice").await.json();
    assert_eq!(open["authQueries"][0]["typeId"], "EXT-JWT");
    let repeat = json!({"id": flow.id, "username": "alice", "password": PASSWORD});
    let with = |token: &str| {
        let step = request(&controller, Method::POST, "/login/password").json(&repeat);
        step.header("authorization", &format!("Bearer {token}"))
            .send()
    };
    // The token of somebody else leaves the query open.
    let stranger = with(&idp.token(&controller, "somebody")).await;
    assert_eq!(stranger.json()["authQueries"][0]["typeId"], "EXT-JWT");
    let token = idp.token(&controller, "ext-alice");
    assert_eq!(with(&token).await.status, 302);
    let tokens = flow.tokens().await;
    let told = claims(&tokens.access);
    assert_eq!(told["amr"], json!(["password", format!("ejs:{signer}")]));
    // It goes with each request, too.
    let alone = session_of(&controller, &tokens.access).await.data();
    assert_eq!(alone["authQueries"][0]["typeId"], "EXT-JWT");
    let request = controller.request(Method::GET, "/edge/client/v1/current-identity");
    let request = request.header("authorization", &format!("Bearer {}", tokens.access));
    let both = request
        .header("authorization", &format!("Bearer {token}"))
        .send()
        .await;
    assert_eq!(both.status, 200, "{}", both.text());
}

#[tokio::test]
async fn routers_are_told_of_a_code_by_a_token() {
    let (controller, session, device, codes) = enrolled().await;
    let flow = Flow::by_password(&controller, "alice").await;
    flow.step("/login/totp", json!({"code": codes[0]})).await;
    let tokens = flow.tokens().await;
    let ask = |code: String| {
        let path = "/edge/client/v1/current-api-session/totp-token";
        let request = controller.request(Method::POST, path);
        let request = request.header("authorization", &format!("Bearer {}", tokens.access));
        request.json(&json!({"code": code})).send()
    };
    let issued = ask(device.code(&controller, 1)).await.data();
    let told = claims(issued["token"].as_str().unwrap());
    assert_eq!(
        (&told["z_t"], &told["aud"]),
        (&json!("t"), &json!(["native"]))
    );
    assert_eq!(told["z_asid"], claims(&tokens.access)["z_asid"]);
    assert_eq!(
        ask(codes[1].clone()).await.error(),
        (400, "MFA_INVALID_TOKEN".to_owned())
    );
    assert_eq!(ask(String::new()).await.error().0, 400);
    // That did not spend the recovery code.
    let flow = Flow::by_password(&controller, "alice").await;
    assert_eq!(
        flow.step("/login/totp", json!({"code": codes[1]}))
            .await
            .status,
        302
    );
    let path = "/edge/client/v1/current-api-session/totp-token";
    let legacy = controller.request(Method::POST, path).session(&session);
    let refused = legacy.json(&json!({"code": "123456"})).send().await;
    assert_eq!(
        refused.error(),
        (400, "INVALID_BACKING_TOKEN_TYPE".to_owned())
    );
    let renewed = refresh(&controller, &tokens.refresh).await;
    assert_eq!(
        claims(&Tokens::of(&renewed).access)["amr"],
        json!(["password", "totp"])
    );
    assert_eq!(
        oauth_error(&refresh(&controller, &tokens.refresh).await).0,
        400
    );
}

#[tokio::test]
async fn session_gains_a_factor() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let session = controller.create_user(&admin, "alice", json!({})).await;
    let tokens = Tokens::by_password(&controller, "alice").await;
    let (device, _codes) = enroll(&controller, &session).await;
    let path = "/edge/client/v1/authenticate/mfa";
    let request = controller.request(Method::POST, path);
    let request = request.header("authorization", &format!("Bearer {}", tokens.access));
    let code = device.code(&controller, 1);
    assert_eq!(
        request.json(&json!({"code": code})).send().await.status,
        200
    );
    let shown = session_of(&controller, &tokens.access).await.data();
    assert_eq!(shown["isMfaComplete"], true);
    let renewed = Tokens::of(&refresh(&controller, &tokens.refresh).await);
    assert_eq!(claims(&renewed.access)["amr"], json!(["password", "totp"]));
}
