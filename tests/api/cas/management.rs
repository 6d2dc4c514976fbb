//! Third-party authorities: made, read, listed, changed and deleted.

use crate::support::third_party::{
    Authority, add, add_unverified, ask_for, common_name_claim, creation, expired, patch, remove,
};
use crate::support::{
    bad_request, create, find_identity_id, get, pending_enrollment, read, revision, text,
};
use http::Method;
use portcullis_pki::jwt;
use portcullis_testkit::{Harness, client_key_and_csr};
use serde_json::{Value, json};

async fn shown(controller: &Harness, admin: &str, id: &str) -> Value {
    get(controller, admin, &format!("/cas/{id}")).await.data()
}

#[tokio::test]
async fn authority_is_shown_as_clients_know_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("Partner root");
    let more = json!({"identityRoles": ["b", "a"], "tags": {"t": "1"}});
    let id = add_unverified(&controller, &admin, ("partner", &root), more).await;
    assert_eq!(id.len(), 22);
    let detail = shown(&controller, &admin, &id).await;
    let token = text(&detail, "verificationToken");
    assert_eq!(token.len(), 11);
    assert_eq!(
        detail,
        json!({
            "_links": {
                "jwt": {"href": format!("./cas/{id}/jwt")},
                "self": {"href": format!("./cas/{id}")},
                "verify": {"href": format!("./cas/{id}/verify")},
            },
            "createdAt": "2031-04-05T06:07:08.009Z", "id": id, "tags": {"t": "1"},
            "updatedAt": "2031-04-05T06:07:08.009Z", "certPem": root.pem(),
            "fingerprint": root.certificate.fingerprint().to_string(),
            "identityNameFormat": "[caName]-[commonName]", "identityRoles": ["a", "b"],
            "isAuthEnabled": true, "isAutoCaEnrollmentEnabled": true,
            "isOttCaEnrollmentEnabled": true, "isVerified": false, "name": "partner",
            "verificationToken": token,
        })
    );
    let none = json!({"identityRoles": [], "isAutoCaEnrollmentEnabled": false});
    assert_eq!(patch(&controller, &admin, &id, none).await.status, 200);
    let detail = shown(&controller, &admin, &id).await;
    assert_eq!(detail["identityRoles"], Value::Null);
    assert_eq!(detail["_links"]["jwt"], Value::Null);
}

#[tokio::test]
async fn certificates_that_cannot_vouch_are_refused() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let first = add_unverified(&controller, &admin, ("first", &root), json!({})).await;
    let no_signer = Authority::root_with("no signer", |params| {
        params.key_usages = vec![rcgen::KeyUsagePurpose::DigitalSignature];
    });
    let over = Authority::root_with("over", expired);
    let key = client_key_and_csr().0.to_pkcs8_pem().unwrap().to_string();
    let secret = key.lines().nth(1).unwrap();
    let at = revision(&controller);
    for (pem, why) in [
        (String::new(), "PEM"),
        ("hello".to_owned(), "PEM"),
        (root.leaf("leaf").to_pem(), "CA"),
        (no_signer.pem(), "usage"),
        (over.pem(), "expired"),
        (root.pem().replace("MII", "MIJ"), ""),
        (root.pem(), &format!("already registered as CA {first}")),
        (
            format!("{}{}", root.pem(), over.pem()),
            "already registered",
        ),
        (key.clone(), "PRIVATE KEY"),
    ] {
        let more = json!({"certPem": pem});
        let reply = ask_for(&controller, &admin, ("second", &root), more).await;
        assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"), "{why}");
        assert_eq!(reply.field(), "certPem", "{why}");
        let reason = &reply.json()["error"]["cause"]["reason"];
        assert!(reason.as_str().unwrap().contains(why), "{why}: {reason}");
        assert!(!reply.text().contains(secret), "{}", reply.text());
    }
    assert_eq!(revision(&controller), at, "nothing is half-done");
}

#[tokio::test]
async fn names_are_there_and_unique() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (one, other) = (Authority::root("one"), Authority::root("other"));
    add_unverified(&controller, &admin, ("one", &one), json!({})).await;
    let id = add_unverified(&controller, &admin, ("other", &other), json!({})).await;
    let third = Authority::root("third");
    let at = revision(&controller);
    for name in ["", " ", "one"] {
        let created = ask_for(&controller, &admin, (name, &third), json!({})).await;
        let merged = patch(&controller, &admin, &id, json!({"name": name})).await;
        let mut body = creation(name, &third);
        body["identityNameFormat"] = json!("");
        let path = format!("/cas/{id}");
        let replaced = controller.manage(Method::PUT, &path, &admin).json(&body);
        for reply in [created, merged, replaced.send().await] {
            assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"), "{name:?}");
            assert_eq!(reply.field(), "name");
        }
    }
    assert_eq!(revision(&controller), at, "nothing is half-done");
}

#[tokio::test]
async fn replacement_and_merge_change_what_they_say() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let more = json!({"tags": {"a": 1}, "identityRoles": ["x"]});
    let id = add(&controller, &admin, ("ca", &root), more).await;
    let before = shown(&controller, &admin, &id).await;
    // What is decided by nobody stays, whoever names it.
    let mut body = creation("new", &Authority::root("another"));
    body["isVerified"] = json!(false);
    body["verificationToken"] = json!("mine");
    body["fingerprint"] = json!("00");
    body["isAuthEnabled"] = json!(false);
    body["identityNameFormat"] = json!("[requestedName]");
    let path = format!("/cas/{id}");
    let request = controller.manage(Method::PUT, &path, &admin);
    assert_eq!(request.json(&body).send().await.status, 200);
    let after = shown(&controller, &admin, &id).await;
    for kept in [
        "certPem",
        "fingerprint",
        "verificationToken",
        "isVerified",
        "createdAt",
    ] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    assert_eq!(after["name"], "new");
    assert_eq!(
        (&after["tags"], &after["identityRoles"]),
        (&json!({}), &json!(null))
    );
    assert_eq!(after["identityNameFormat"], "[requestedName]");
    assert_eq!(after["isAuthEnabled"], false);

    let at = revision(&controller);
    for nothing in [json!({}), json!({"name": null, "externalIdClaim": {}})] {
        assert_eq!(patch(&controller, &admin, &id, nothing).await.status, 200);
    }
    assert_eq!(revision(&controller), at, "nothing is written");
    assert_eq!(shown(&controller, &admin, &id).await, after);
    let merged = json!({"isAuthEnabled": true, "identityNameFormat": ""});
    assert_eq!(patch(&controller, &admin, &id, merged).await.status, 200);
    let merged = shown(&controller, &admin, &id).await;
    assert_eq!(merged["isAuthEnabled"], true);
    assert_eq!(merged["identityNameFormat"], "[caName]-[commonName]");
    assert_eq!(merged["name"], "new");
}

#[tokio::test]
async fn claim_stays_only_if_the_merge_mentions_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let id = add_unverified(&controller, &admin, ("ca", &root), common_name_claim()).await;
    let claim = async || shown(&controller, &admin, &id).await["externalIdClaim"].clone();
    let merge = async |claim: Value| {
        patch(&controller, &admin, &id, json!({"externalIdClaim": claim})).await
    };
    let whole = common_name_claim()["externalIdClaim"].clone();
    assert_eq!(claim().await, whole);
    assert_eq!(merge(json!({})).await.status, 200);
    assert_eq!(claim().await, whole);
    let part = json!({"parser": "SPLIT", "parserCriteria": "-", "index": 2});
    assert_eq!(merge(part).await.status, 200);
    let changed = claim().await;
    assert_eq!(
        (&changed["parserCriteria"], &changed["index"]),
        (&json!("-"), &json!(2))
    );
    for (bad, code) in [
        (json!({"matcher": "PREFIX"}), "INVALID_FIELD"),
        (
            json!({"location": "SAN_URI", "matcher": "SUFFIX", "matcherCriteria": "x"}),
            "INVALID_FIELD",
        ),
        (json!({"parserCriteria": ""}), "INVALID_FIELD"),
        (json!({"index": -1}), "INVALID_FIELD"),
        (json!({"location": "DNS"}), "COULD_NOT_VALIDATE"),
        (json!({"index": "1"}), "COULD_NOT_PARSE_BODY"),
    ] {
        let reply = merge(bad.clone()).await;
        assert_eq!(reply.error(), bad_request(code), "{bad}");
        assert_eq!(claim().await, changed, "{bad}");
    }
    let without = patch(&controller, &admin, &id, json!({"isAuthEnabled": true})).await;
    assert_eq!(without.status, 200);
    assert_eq!(claim().await, Value::Null);
    let partial = merge(json!({"location": "COMMON_NAME"})).await;
    assert_eq!(partial.error(), bad_request("INVALID_FIELD"));
    for bad in [
        json!({}),
        json!({"location": "COMMON_NAME", "matcher": "SCHEME", "matcherCriteria": "a", "parser": "NONE"}),
    ] {
        let other = Authority::root("other");
        let more = json!({"externalIdClaim": bad});
        let reply = ask_for(&controller, &admin, ("other", &other), more).await;
        assert_eq!(reply.error(), bad_request("INVALID_FIELD"));
    }
}

#[tokio::test]
async fn unknown_authorities_are_not_found() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for (method, path, has_cause) in [
        (Method::GET, "/cas/nope", true),
        (Method::PUT, "/cas/nope", true),
        (Method::PATCH, "/cas/nope", true),
        (Method::DELETE, "/cas/nope", true),
        (Method::GET, "/cas/nope/jwt", false),
    ] {
        let mut body = creation("x", &Authority::root("x"));
        body["identityNameFormat"] = json!("");
        let request = controller.manage(method.clone(), path, &admin).json(&body);
        let reply = request.send().await;
        assert_eq!(
            reply.error(),
            (404, "NOT_FOUND".to_owned()),
            "{method} {path}"
        );
        assert_eq!(reply.json()["error"]["cause"].is_object(), has_cause);
        if has_cause {
            assert!(reply.text().contains("CA with id nope not found"));
        }
    }
}

#[tokio::test]
async fn lists_filter_by_every_symbol() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (one, two) = (Authority::root("one"), Authority::root("two"));
    let off = json!({
        "isAuthEnabled": false, "isAutoCaEnrollmentEnabled": false,
        "isOttCaEnrollmentEnabled": false, "tags": {"site": "x"},
    });
    add(&controller, &admin, ("one", &one), json!({})).await;
    let id = add_unverified(&controller, &admin, ("two", &two), off).await;
    let token = text(&shown(&controller, &admin, &id).await, "verificationToken").to_owned();
    let fingerprint = two.certificate.fingerprint().to_string();
    for filter in [
        format!("id=\"{id}\""),
        "name=\"two\"".to_owned(),
        format!("fingerprint=\"{fingerprint}\""),
        format!("verificationToken=\"{token}\""),
        "isVerified=false".to_owned(),
        "isAuthEnabled=false".to_owned(),
        "isAutoCaEnrollmentEnabled=false".to_owned(),
        "isOttCaEnrollmentEnabled=false".to_owned(),
        "tags.site=\"x\"".to_owned(),
    ] {
        let path = format!("/cas?filter={}", filter.replace('"', "%22"));
        let list = get(&controller, &admin, &path).await.data();
        assert_eq!(list.as_array().unwrap().len(), 1, "{filter}");
        assert_eq!(list[0]["name"], "two", "{filter}");
    }
}

#[tokio::test]
async fn token_of_an_authority_is_signed_by_the_server() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let id = add_unverified(&controller, &admin, ("ca", &root), json!({})).await;
    let request = controller.manage(Method::GET, &format!("/cas/{id}/jwt"), &admin);
    let reply = request.header("accept", "application/jwt").send().await;
    assert_eq!(reply.headers["content-type"], "application/jwt");
    let claims = jwt::verify_with_certificate(
        &reply.text(),
        controller.server.as_der(),
        controller.app.env().now(),
    )
    .unwrap();
    assert_eq!(claims.iss, "https://ctrl.example.test:1280/");
    assert_eq!(
        (claims.sub.as_str(), claims.jti.as_str()),
        (id.as_str(), id.as_str())
    );
    assert_eq!((claims.em.as_str(), claims.exp), ("ca", None));
    assert_eq!(
        (claims.aud, claims.ctrls),
        (vec!["openziti-enroller".to_owned()], None)
    );
}

#[tokio::test]
async fn enrollments_go_with_their_authority() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (one, two) = (Authority::root("one"), Authority::root("two"));
    let doomed = add(&controller, &admin, ("one", &one), json!({})).await;
    let kept = add(&controller, &admin, ("two", &two), json!({})).await;
    for (name, ca) in [("a", &doomed), ("b", &doomed), ("c", &kept)] {
        let how = json!({"enrollment": {"ottca": ca}});
        let id = create(&controller, &admin, name, how).await;
        let enrollment = pending_enrollment(&controller, &admin, &id, "ottca").await;
        assert_eq!(enrollment["caId"], **ca);
        assert_eq!(enrollment["ca"]["id"], **ca);
        assert_eq!(enrollment["ca"]["entity"], "cas");
        let links = enrollment["ca"]["_links"].as_object().unwrap();
        assert_eq!(links.keys().collect::<Vec<_>>(), ["jwt", "self"]);
        let path = format!("/enrollments/{}", text(&enrollment, "id"));
        let detail = get(&controller, &admin, &path).await.data();
        assert_eq!((&detail["caId"], &detail["ca"]), (&json!(ca), &json!(null)));
    }
    assert_eq!(remove(&controller, &admin, &doomed).await.status, 200);
    assert_eq!(remove(&controller, &admin, &doomed).await.status, 404);
    let left = get(&controller, &admin, "/enrollments").await.data();
    assert_eq!(left.as_array().unwrap().len(), 1);
    assert_eq!(left[0]["caId"], kept);
    for name in ["a", "b"] {
        let id = find_identity_id(&controller, &admin, name).await;
        assert_eq!(
            read(&controller, &admin, &id).await["enrollment"],
            json!({})
        );
    }
    // Certificate and name are free again.
    add(&controller, &admin, ("one", &one), json!({})).await;
}

#[tokio::test]
async fn claims_are_for_administrators() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let more = json!({"permissions": ["ca", "identity"]});
    let keeper = controller.create_user(&admin, "keeper", more).await;
    let plain = Authority::root("plain");
    let id = add(&controller, &keeper, ("plain", &plain), json!({})).await;
    let claiming = Authority::root("claiming");
    let theirs = add_unverified(
        &controller,
        &admin,
        ("theirs", &claiming),
        common_name_claim(),
    )
    .await;
    let at = revision(&controller);
    let denied = (401, "UNAUTHORIZED".to_owned());
    let other = Authority::root("other");
    let replies = [
        ask_for(&controller, &keeper, ("other", &other), common_name_claim()).await,
        patch(&controller, &keeper, &id, common_name_claim()).await,
        patch(&controller, &keeper, &theirs, json!({"name": "mine"})).await,
        patch(
            &controller,
            &keeper,
            &theirs,
            json!({"externalIdClaim": {}, "name": "x"}),
        )
        .await,
    ];
    for reply in replies {
        assert_eq!(reply.error(), denied, "{}", reply.text());
    }
    assert_eq!(revision(&controller), at, "nothing is half-done");
    assert_eq!(remove(&controller, &keeper, &theirs).await.status, 200);
}

/// Nobody but administrators keeps out those who come by certificates, who may be administrators.
#[tokio::test]
async fn authorities_that_let_clients_in_are_shut_by_administrators() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let more = json!({"permissions": ["ca"]});
    let keeper = controller.create_user(&admin, "keeper", more).await;
    let authority = Authority::root("corporate");
    let id = add(
        &controller,
        &admin,
        ("corporate", &authority),
        common_name_claim(),
    )
    .await;
    let boss = json!({"isAdmin": true, "externalId": "boss"});
    create(&controller, &admin, "boss", boss).await;
    let chain = authority.chain("boss");
    let session = crate::support::credentials::token_by(&controller, &chain).await;
    let plain = Authority::root("plain");
    let theirs = add(&controller, &keeper, ("plain", &plain), json!({})).await;
    let off = json!({"isAuthEnabled": false});
    let denied = (401, "UNAUTHORIZED".to_owned());
    for id in [&id, &theirs] {
        let refused = patch(&controller, &keeper, id, off.clone()).await;
        assert_eq!(refused.error(), denied, "{}", refused.text());
        let refused = remove(&controller, &keeper, id).await;
        assert_eq!(refused.error(), denied, "{}", refused.text());
    }
    let current = crate::support::current_session(&controller, &session).await;
    assert_eq!(current.status, 200, "the administrator is still there");
    let renamed = patch(&controller, &keeper, &theirs, json!({"name": "mine"})).await;
    assert_eq!(renamed.status, 200);

    // Nor do they let in again whom an administrator shut out.
    let shut = patch(&controller, &admin, &theirs, off).await;
    assert_eq!(shut.status, 200);
    let again = json!({"isAuthEnabled": true});
    let opened = patch(&controller, &keeper, &theirs, again).await;
    assert_eq!(opened.error(), denied, "{}", opened.text());
    assert_eq!(remove(&controller, &keeper, &theirs).await.status, 200);
}

/// The enrollments of an authority go with it, and those of administrators are not for others to end.
#[tokio::test]
async fn authorities_that_administrators_are_to_enroll_with_stay() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let keeper = controller
        .create_user(&admin, "keeper", json!({"permissions": ["ca"]}))
        .await;
    let mut ids = Vec::new();
    for name in ["of boss", "of all"] {
        let authority = Authority::root(name);
        let no_logins = json!({"isAuthEnabled": false});
        let id = add(&controller, &admin, (name, &authority), no_logins).await;
        let is_admin = name == "of boss";
        let waiting = json!({"isAdmin": is_admin, "enrollment": {"ottca": id}});
        create(&controller, &admin, &format!("one {name}"), waiting).await;
        ids.push(id);
    }
    assert_eq!(remove(&controller, &keeper, &ids[0]).await.status, 401);
    assert_eq!(remove(&controller, &keeper, &ids[1]).await.status, 200);
    assert_eq!(remove(&controller, &admin, &ids[0]).await.status, 200);
}
