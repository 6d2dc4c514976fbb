//! External JWT signers: create, read, list, replace, merge, delete.

use crate::support::idp::{Idp, create_signer, patch_signer};
use crate::support::{add_policy, get, merge, revision, shown_error, text};
use http::Method;
use insta::assert_snapshot;
use portcullis_domain::ids::SignerId;
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};

const ALL: &str = "/external-jwt-signers";

async fn send(
    controller: &Harness,
    admin: &str,
    method: Method,
    path: &str,
    body: &Value,
) -> Reply {
    controller
        .manage(method, path, admin)
        .json(body)
        .send()
        .await
}

#[tokio::test]
async fn signers_live_their_lives() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let idp = Idp::new(&controller, "idp");
    let id = idp
        .register(&controller, &admin, json!({"scopes": ["b", "a", "b"]}))
        .await;
    let path = format!("{ALL}/{id}");
    let made = get(&controller, &admin, &path).await.data();
    assert_eq!(made["scopes"], json!(["a", "b"]));
    assert_eq!(
        made["fingerprint"],
        idp.certificate.fingerprint().to_string()
    );
    assert_eq!(
        (&made["commonName"], &made["jwksEndpoint"]),
        (&json!("idp"), &Value::Null)
    );

    patch_signer(
        &controller,
        &admin,
        &id,
        json!({"audience": "x", "kid": null}),
    )
    .await
    .data();
    let merged = get(&controller, &admin, &path).await.data();
    assert_eq!(
        (&merged["audience"], &merged["kid"]),
        (&json!("x"), &json!(idp.kid))
    );
    let at = revision(&controller);
    patch_signer(&controller, &admin, &id, json!({}))
        .await
        .data();
    assert_eq!(revision(&controller), at, "nothing to change is a success");

    let body = json!({
        "name": "n", "enabled": false, "issuer": "i", "audience": "a",
        "jwksEndpoint": "https://idp.example.test/keys",
    });
    send(&controller, &admin, Method::PUT, &path, &body)
        .await
        .data();
    let replaced = get(&controller, &admin, &path).await.data();
    assert_eq!(replaced["jwksEndpoint"], "https://idp.example.test/keys");
    for member in ["certPem", "fingerprint", "kid", "scopes"] {
        assert_eq!(replaced[member], Value::Null, "{member}");
    }
    assert_eq!(replaced["createdAt"], made["createdAt"]);

    let switch = json!({"jwksEndpoint": "", "certPem": idp.certificate.to_pem()});
    patch_signer(&controller, &admin, &id, switch).await.data();
    let switched = get(&controller, &admin, &path).await.data();
    assert_eq!(
        (&switched["jwksEndpoint"], &switched["fingerprint"]),
        (&Value::Null, &made["fingerprint"])
    );

    send(&controller, &admin, Method::DELETE, &path, &Value::Null)
        .await
        .data();
    for method in [Method::GET, Method::DELETE, Method::PATCH] {
        let gone = send(&controller, &admin, method, &path, &json!({})).await;
        assert_eq!(gone.error(), (404, "NOT_FOUND".to_owned()));
    }
    let gone = send(&controller, &admin, Method::PUT, &path, &body).await;
    assert_eq!(gone.error(), (404, "NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let [idp, other] = ["idp", "other"].map(|name| Idp::new(&controller, name));
    let id = idp.register(&controller, &admin, json!({})).await;
    add_policy(&controller, "closed", |policy| {
        policy.spec.primary.cert.allowed = false;
        policy.spec.primary.ext_jwt.allowed_signers = [SignerId::from_wire("another")].into();
    })
    .await;
    let two = format!("{}{}", idp.certificate.to_pem(), other.certificate.to_pem());
    let at = revision(&controller);
    for (change, code, field) in [
        (json!({"certPem": ""}), "INVALID_FIELD", ""),
        (
            json!({"jwksEndpoint": "https://x.example.test/k"}),
            "INVALID_FIELD",
            "",
        ),
        (
            json!({"certPem": "", "jwksEndpoint": "http://169.254.169.254/k"}),
            "INVALID_FIELD",
            "",
        ),
        (
            json!({"certPem": "", "jwksEndpoint": "http://10.0.0.1/k"}),
            "INVALID_FIELD",
            "",
        ),
        (
            json!({"certPem": "", "jwksEndpoint": "http://8.8.8.8/k"}),
            "INVALID_FIELD",
            "",
        ),
        (
            json!({"certPem": "", "jwksEndpoint": "http://8.8.8.8/k", "enabled": false}),
            "INVALID_FIELD",
            "",
        ),
        (
            json!({"certPem": "", "jwksEndpoint": "file:///etc/passwd"}),
            "INVALID_FIELD",
            "",
        ),
        (
            json!({"certPem": "", "jwksEndpoint": "not a url"}),
            "INVALID_FIELD",
            "",
        ),
        (json!({"certPem": "hello"}), "INVALID_CERT_PEM", ""),
        (json!({ "certPem": two }), "INVALID_CERT_PEM", ""),
        (
            json!({"certPem": idp.certificate.to_pem()}),
            "COULD_NOT_VALIDATE",
            "fingerprint",
        ),
        (json!({"name": idp.issuer}), "COULD_NOT_VALIDATE", "name"),
        (
            json!({"issuer": idp.issuer}),
            "COULD_NOT_VALIDATE",
            "issuer",
        ),
        (json!({"kid": idp.kid}), "COULD_NOT_VALIDATE", "kid"),
        (json!({"name": " "}), "COULD_NOT_VALIDATE", "name"),
        (json!({"issuer": ""}), "COULD_NOT_VALIDATE", "issuer"),
        (json!({"audience": ""}), "COULD_NOT_VALIDATE", "audience"),
        (
            json!({"claimsProperty": "/a~"}),
            "COULD_NOT_VALIDATE",
            "claimsProperty",
        ),
        (
            json!({"enrollNameClaimsSelector": "/~2"}),
            "COULD_NOT_VALIDATE",
            "enrollNameClaimsSelector",
        ),
        (
            json!({"enrollAttributeClaimsSelector": "/~"}),
            "COULD_NOT_VALIDATE",
            "enrollAttributeClaimsSelector",
        ),
        (
            json!({"targetToken": "REFRESH"}),
            "COULD_NOT_VALIDATE",
            "targetToken",
        ),
        (json!({"tags": {"a": {}}}), "COULD_NOT_VALIDATE", "tags.a"),
        (
            json!({"enrollAuthPolicyId": "nobody"}),
            "COULD_NOT_VALIDATE",
            "enrollAuthPolicyId",
        ),
        (
            json!({"enrollAuthPolicyId": "closed", "enrollToCertEnabled": true}),
            "COULD_NOT_VALIDATE",
            "enrollAuthPolicyId",
        ),
        (
            json!({"enrollAuthPolicyId": "closed", "enrollToTokenEnabled": true}),
            "COULD_NOT_VALIDATE",
            "enrollAuthPolicyId",
        ),
        (
            json!({"scopes": (0..65).map(|n| n.to_string()).collect::<Vec<_>>()}),
            "COULD_NOT_VALIDATE",
            "scopes",
        ),
        (
            json!({"scopes": ["s".repeat(257)]}),
            "COULD_NOT_VALIDATE",
            "scopes",
        ),
        (json!({"enabled": "yes"}), "COULD_NOT_PARSE_BODY", ""),
    ] {
        let mut body = other.signer(json!({}));
        merge(&mut body, change.clone());
        let reply = create_signer(&controller, &admin, &body).await;
        assert_eq!(
            reply.error(),
            (400, code.to_owned()),
            "{change}: {}",
            reply.text()
        );
        if !field.is_empty() {
            assert_eq!(reply.field(), field, "{change}");
        }
    }
    // What has a key source cannot be given another one beside it.
    let both = json!({"jwksEndpoint": "https://x.example.test/k"});
    let reply = patch_signer(&controller, &admin, &id, both).await;
    assert_eq!(reply.error(), (400, "INVALID_FIELD".to_owned()));
    let none = patch_signer(&controller, &admin, &id, json!({"certPem": ""})).await;
    assert_eq!(none.error(), (400, "INVALID_FIELD".to_owned()));
    assert_eq!(revision(&controller), at);
}

#[tokio::test]
async fn texts_of_signers_have_an_end() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let idp = Idp::new(&controller, "idp");
    let long = |field: &str, length: usize| {
        let start = if field == "jwksEndpoint" {
            "https://idp.example.test/"
        } else {
            ""
        };
        let text = format!("{start}{}", "x".repeat(length - start.len()));
        let mut body = json!({ field: text });
        if field == "jwksEndpoint" {
            body["certPem"] = json!("");
        }
        body
    };
    for field in [
        "issuer",
        "audience",
        "kid",
        "claimsProperty",
        "enrollNameClaimsSelector",
        "enrollAttributeClaimsSelector",
        "clientId",
        "externalAuthUrl",
        "jwksEndpoint",
    ] {
        let too_long = idp.signer(long(field, 2049));
        let refused = create_signer(&controller, &admin, &too_long).await;
        assert_eq!(
            refused.error(),
            (400, "COULD_NOT_VALIDATE".to_owned()),
            "{field}"
        );
        assert_eq!(refused.field(), field);
        let id = idp.register(&controller, &admin, long(field, 2048)).await;
        let refused = patch_signer(&controller, &admin, &id, long(field, 2049)).await;
        assert_eq!(refused.field(), field);
        let path = format!("{ALL}/{id}");
        send(&controller, &admin, Method::DELETE, &path, &Value::Null)
            .await
            .data();
    }
}

#[tokio::test]
async fn administrators_alone_decide_whose_tokens_count() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let permissions = json!({"permissions": ["external-jwt-signer", "auth-policy"]});
    let helper = controller.create_user(&admin, "helper", permissions).await;
    let idp = Idp::new(&controller, "idp");
    let refused = create_signer(&controller, &helper, &idp.signer(json!({}))).await;
    assert_eq!(refused.error(), (401, "UNAUTHORIZED".to_owned()));
    let id = idp
        .register(&controller, &helper, json!({"enabled": false}))
        .await;
    let patch = async |body: Value| patch_signer(&controller, &helper, &id, body).await.status;
    assert_eq!(patch(json!({"audience": "prepared"})).await, 200);
    assert_eq!(patch(json!({"enabled": true})).await, 401);
    patch_signer(&controller, &admin, &id, json!({"enabled": true}))
        .await
        .data();
    for change in [
        json!({"issuer": "x"}),
        json!({"audience": "x"}),
        json!({"kid": ""}),
        json!({"claimsProperty": "/email"}),
        json!({"useExternalId": false}),
        json!({"certPem": Idp::new(&controller, "idp").certificate.to_pem()}),
        json!({"enrollToCertEnabled": true}),
        json!({"externalAuthUrl": "https://idp.attacker.test"}),
        json!({"clientId": "c"}),
        json!({"scopes": ["s"]}),
        json!({"targetToken": "ID"}),
        json!({"enabled": false}),
    ] {
        assert_eq!(patch(change.clone()).await, 401, "{change}");
    }
    assert_eq!(patch(json!({"name": "n", "tags": {"a": 1}})).await, 200);
}

/// Whoever enables a signer again expects it to be the one that was disabled.
#[tokio::test]
async fn signers_that_were_enabled_or_are_named_stay_what_they_are() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let permissions = json!({"permissions": ["external-jwt-signer"]});
    let helper = controller.create_user(&admin, "helper", permissions).await;
    let off = || json!({"enabled": false});
    let was_enabled = Idp::new(&controller, "was-enabled");
    let was_enabled = was_enabled.register(&controller, &admin, json!({})).await;
    patch_signer(&controller, &admin, &was_enabled, off())
        .await
        .data();
    let is_named = Idp::new(&controller, "is-named");
    let is_named = is_named.register(&controller, &helper, off()).await;
    let named = SignerId::from_wire(is_named.as_str());
    add_policy(&controller, "p", move |policy| {
        policy.spec.primary.ext_jwt.allowed_signers = [named].into();
    })
    .await;
    for id in [&was_enabled, &is_named] {
        for change in [
            json!({"issuer": "https://attacker.test"}),
            json!({"certPem": Idp::new(&controller, "x").certificate.to_pem()}),
            json!({"externalAuthUrl": "https://attacker.test"}),
            json!({"claimsProperty": "/email"}),
        ] {
            let reply = patch_signer(&controller, &helper, id, change.clone()).await;
            let refused = (401, "UNAUTHORIZED".to_owned());
            assert_eq!(reply.error(), refused, "{change}");
        }
        let renamed = json!({"name": format!("called {id}"), "tags": {"a": 1}});
        let renamed = patch_signer(&controller, &helper, id, renamed).await;
        assert_eq!(renamed.status, 200);
    }
    let path = format!("{ALL}/{was_enabled}");
    let remove = async |token: &str| controller.manage(Method::DELETE, &path, token).send().await;
    assert_eq!(remove(&helper).await.status, 401);
    assert_eq!(remove(&admin).await.status, 200);

    let draft = Idp::new(&controller, "draft");
    let draft = draft.register(&controller, &helper, off()).await;
    let change = json!({"issuer": "https://other.test", "externalAuthUrl": "https://other.test"});
    let changed = patch_signer(&controller, &helper, &draft, change).await;
    assert_eq!(changed.status, 200, "nobody relies on it yet");
    let path = format!("{ALL}/{draft}");
    let gone = controller.manage(Method::DELETE, &path, &helper).send();
    assert_eq!(gone.await.status, 200);
}

#[tokio::test]
async fn what_a_policy_names_is_not_deleted() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let signer = SignerId::from_wire("s");
    let (primary, secondary) = (signer.clone(), signer.clone());
    add_policy(&controller, "first", move |policy| {
        policy.spec.primary.ext_jwt.allowed_signers = [primary].into();
    })
    .await;
    let path = format!("{ALL}/s");
    let refused = controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await;
    assert_snapshot!(shown_error(&refused), @r#"
        409 Conflict
        {
          "error": {
            "cause": {
              "field": "primary.extJwt.allowedSigners",
              "reason": "the external JWT signer is still used by the auth policy `first` (first); change or delete that one first",
              "value": "[first]"
            },
            "code": "CAN_NOT_DELETE_REFERENCED_ENTITY",
            "message": "The entity is still in use and cannot be deleted; remove what refers to it first",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);

    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "second", move |policy| {
        policy.spec.secondary.require_ext_jwt_signer = Some(secondary);
    })
    .await;
    let refused = controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await;
    assert_snapshot!(shown_error(&refused), @r#"
        409 Conflict
        {
          "error": {
            "cause": {
              "field": "secondary.requireExtJwtSigner",
              "reason": "the external JWT signer is still used by the auth policy `second` (second); change or delete that one first",
              "value": "[second]"
            },
            "code": "CAN_NOT_DELETE_REFERENCED_ENTITY",
            "message": "The entity is still in use and cannot be deleted; remove what refers to it first",
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
async fn lists_know_what_signers_say() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut ids = Vec::new();
    for name in ["b", "a", "c"] {
        let idp = Idp::new(&controller, name);
        let more = match name {
            "c" => json!({"enabled": false, "scopes": ["openid"], "tags": {"x": 1}}),
            _ => json!({"clientId": "app", "enrollToCertEnabled": name == "a"}),
        };
        ids.push(idp.register(&controller, &admin, more).await);
    }
    let [b, a, c] = &ids[..] else {
        panic!("{ids:?}")
    };
    for (filter, expected) in [
        ("true sort by name", vec![a, b, c]),
        ("enabled = true sort by issuer desc", vec![b, a]),
        ("clientId = null", vec![c]),
        ("anyOf(scopes) = \"openid\"", vec![c]),
        ("enrollToCertEnabled = true", vec![a]),
        ("kid = \"b-key\"", vec![b]),
        ("issuer = \"https://c.example.test\"", vec![c]),
        ("commonName contains \"a\"", vec![a]),
        ("targetToken = \"ID\"", vec![]),
        ("tags.x = 1", vec![c]),
        (
            "enrollAuthPolicyId = \"default\" and notAfter > datetime(2020-01-01T00:00:00Z) sort by name",
            vec![a, b, c],
        ),
    ] {
        let query = filter
            .replace('"', "%22")
            .replace(' ', "%20")
            .replace('=', "%3D")
            .replace('>', "%3E");
        let list = get(&controller, &admin, &format!("{ALL}?filter={query}"))
            .await
            .data();
        let found: Vec<_> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|one| text(one, "id"))
            .collect();
        assert_eq!(found, expected, "{filter}");
    }
}
