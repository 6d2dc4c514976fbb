//! Tokens that do not count, and what is told about those that do.

use crate::support::mfa::advance_clock;
use crate::support::oidc::{
    HOST, Tokens, claims, logged_in, oauth_error, post, refresh, request, session_of, with_form,
};
use http::Method;
use portcullis_domain::clock::Timestamp;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

fn encode(part: &Value) -> String {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    URL_SAFE_NO_PAD.encode(part.to_string())
}

#[tokio::test]
async fn altered_tokens_open_nothing() {
    let (controller, tokens) = logged_in().await;
    let parts: Vec<_> = tokens.access.split('.').collect();
    let [header, body, signature] = parts[..] else {
        panic!("{}", tokens.access)
    };
    let kid = Tokens::kid(&tokens.access);
    let mut admin = claims(&tokens.access);
    admin["z_ia"] = json!(true);
    let none = encode(&json!({"alg": "none", "kid": kid, "typ": "JWT"}));
    let symmetric = encode(&json!({"alg": "HS256", "kid": kid, "typ": "JWT"}));
    for token in [
        format!("{header}.{body}"),
        format!("{header}.{body}."),
        format!("{header}.{}.{signature}", encode(&admin)),
        format!("{none}.{body}."),
        format!("{none}.{}.", encode(&admin)),
        format!("{symmetric}.{body}.{signature}"),
        tokens.access[..tokens.access.len() - 4].to_owned(),
        format!("{}AAAA", tokens.access),
    ] {
        assert_eq!(session_of(&controller, &token).await.status, 401, "{token}");
    }
}

#[tokio::test]
async fn token_of_one_type_is_not_taken_for_another() {
    let (controller, tokens) = logged_in().await;
    for token in [&tokens.refresh, &tokens.id_token] {
        let reply = session_of(&controller, token).await;
        assert_eq!(reply.status, 401);
        let challenge = reply.headers["www-authenticate"].to_str().unwrap();
        assert!(challenge.contains("error=\"missing\""), "{challenge}");
    }
    for token in [&tokens.access, &tokens.id_token] {
        let refused = refresh(&controller, token).await;
        assert_eq!(oauth_error(&refused), (400, "invalid_grant".to_owned()));
    }
    // None of that spent anything.
    Tokens::of(&refresh(&controller, &tokens.refresh).await);
}

#[tokio::test]
async fn access_token_goes_before_external_tokens() {
    let (controller, tokens) = logged_in().await;
    let path = "/edge/client/v1/current-api-session";
    let bearer = format!("Bearer {}", tokens.access);
    let request = controller.request(Method::GET, path);
    let request = request.header("authorization", "Bearer garbage");
    let reply = request.header("authorization", &bearer).send().await;
    assert_eq!(reply.data()["id"], claims(&tokens.access)["z_asid"]);
}

#[tokio::test]
async fn user_information_is_for_holders_of_access_tokens() {
    let (controller, tokens) = logged_in().await;
    let ask = |token: &str| {
        let request = request(&controller, Method::GET, "/userinfo");
        request
            .header("authorization", &format!("Bearer {token}"))
            .send()
    };
    let told = ask(&tokens.access).await;
    assert_eq!(told.json(), json!({"sub": claims(&tokens.access)["sub"]}));
    let by_form = [("access_token", tokens.access.as_str())];
    let by_form = with_form(request(&controller, Method::POST, "/userinfo"), &by_form);
    assert_eq!(by_form.send().await.json(), told.json());
    for token in [&tokens.refresh, &tokens.id_token, "garbage"] {
        let refused = ask(token).await;
        assert_eq!(refused.status, 401);
        let challenge = refused.headers["www-authenticate"].to_str().unwrap();
        assert!(challenge.contains("invalid_token"), "{challenge}");
    }
    assert_eq!(
        request(&controller, Method::GET, "/userinfo")
            .send()
            .await
            .status,
        401
    );
}

#[tokio::test]
async fn introspection_tells_a_client_about_its_own_tokens() {
    let (controller, tokens) = logged_in().await;
    let ask = |client: &'static str, token: String| {
        let controller = &controller;
        async move {
            let form = [("client_id", client), ("token", token.as_str())];
            post(controller, "/oauth/introspect", &form).await.json()
        }
    };
    let told = ask("native", tokens.access.clone()).await;
    assert_eq!(
        (&told["active"], &told["client_id"]),
        (&json!(true), &json!("native"))
    );
    let inactive = json!({"active": false});
    assert_eq!(ask("openziti", tokens.access.clone()).await, inactive);
    assert_eq!(ask("native", tokens.refresh.clone()).await, inactive);
    assert_eq!(ask("native", "garbage".to_owned()).await, inactive);
}

#[tokio::test]
async fn keys_verify_tokens() {
    let (controller, tokens) = logged_in().await;
    let keys = request(&controller, Method::GET, "/keys")
        .send()
        .await
        .json();
    assert_eq!(keys["keys"][0]["kid"], Tokens::kid(&tokens.access));
    let document = "/.well-known/openid-configuration";
    let at_root = controller
        .request(Method::GET, document)
        .header("host", HOST);
    let at_root = at_root.send().await.json();
    let document = request(&controller, Method::GET, document)
        .send()
        .await
        .json();
    assert_eq!(at_root, document);
    let algorithms = &document["id_token_signing_alg_values_supported"];
    assert_eq!(algorithms, &json!([keys["keys"][0]["alg"]]));
}

#[tokio::test]
async fn provider_is_only_there_under_names_of_its_own() {
    let controller = Harness::start().await;
    let path = "/oidc/.well-known/openid-configuration";
    for host in [
        "evil.test:1280",
        "ctrl.example.test",
        "ctrl.example.test:443",
    ] {
        let request = controller.request(Method::GET, path).header("host", host);
        assert_eq!(request.send().await.status, 404, "{host}");
    }
    let request = controller
        .request(Method::GET, path)
        .header("host", "CTRL.example.test:1280");
    assert_eq!(
        request.send().await.json()["issuer"],
        "https://ctrl.example.test:1280/oidc"
    );
}

#[tokio::test]
async fn authority_and_host_name_one_issuer() {
    let controller = Harness::start().await;
    let ask = async |authority: &str, hosts: &[&str]| {
        let path = "/oidc/.well-known/openid-configuration";
        let uri = match authority {
            "" => path.to_owned(),
            authority => format!("https://{authority}{path}"),
        };
        let mut request = controller.request(Method::GET, &uri);
        for host in hosts {
            request = request.header("host", host);
        }
        let reply = request.send().await;
        let issuer = (reply.status == 200).then(|| reply.json()["issuer"].clone());
        issuer.map(|issuer| issuer.as_str().unwrap().to_owned())
    };
    let (own, other) = (HOST, "localhost:1280");
    let issuer = |host| Some(format!("https://{host}/oidc"));
    // HTTP/2 has the authority alone, or a `Host` that agrees.
    assert_eq!(ask(own, &[]).await, issuer(own));
    assert_eq!(ask(own, &[own]).await, issuer(own));
    assert_eq!(ask(own, &["CTRL.example.test:1280"]).await, issuer(own));
    assert_eq!(ask(other, &[]).await, issuer(other));
    for (authority, hosts) in [
        (own, &[other][..]),
        (other, &[own]),
        (own, &["evil.test"]),
        ("evil.test", &[own]),
        ("user@ctrl.example.test:1280", &[]),
        ("", &[own, other]),
        (own, &[own, "evil.test"]),
        (own, &["\u{fc}"]),
        ("", &[]),
    ] {
        assert_eq!(ask(authority, hosts).await, None, "{authority} {hosts:?}");
    }
}

#[tokio::test]
async fn session_tells_when_its_token_ends() {
    let (controller, tokens) = logged_in().await;
    advance_clock(&controller, 60);
    let session = session_of(&controller, &tokens.access).await.data();
    let end = claims(&tokens.access)["exp"].as_i64().unwrap();
    let told: Timestamp = session["expiresAt"].as_str().unwrap().parse().unwrap();
    assert_eq!(told.as_second(), end);
    let left = end - controller.app.env().now().as_second();
    let told = session["expirationSeconds"].as_i64().unwrap();
    assert!((left - 1..=left).contains(&told), "{told} {left}");
}

#[tokio::test]
async fn posture_is_judged_for_access_tokens_too() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "alice", json!({})).await;
    let make = |path: &'static str, body: Value| {
        let request = controller.manage(Method::POST, path, &admin);
        request.json(&body).send()
    };
    let check = json!({"name": "code", "typeId": "MFA", "roleAttributes": ["mfa"]});
    make("/posture-checks", check).await.id();
    let service = json!({"name": "wiki", "encryptionRequired": true});
    let service = make("/services", service).await.id();
    let policy = json!({
        "name": "dial", "type": "Dial", "semantic": "AnyOf", "identityRoles": ["#all"],
        "serviceRoles": ["#all"], "postureCheckRoles": ["#mfa"],
    });
    make("/service-policies", policy).await.id();
    let tokens = Tokens::by_password(&controller, "alice").await;
    let request = controller.request(Method::POST, "/edge/client/v1/sessions");
    let request = request.header("authorization", &format!("Bearer {}", tokens.access));
    let refused = request.json(&json!({"serviceId": service})).send().await;
    assert_eq!(refused.error(), (409, "INVALID_POSTURE".to_owned()));
}
