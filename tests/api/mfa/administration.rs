//! TOTP: what administrators see and do, and what the audit trail tells of it (S-16).

use crate::support::mfa::{
    CodePlacement, CodeUse, MfaFixture, TestUser, answer, assert_refused, begin, enroll, identity,
    is_full, own_mfa, remove, set_wrong_codes, verify,
};
use crate::support::{create, current_session, find_identity_id, get, read, revision, send};
use http::Method;
use portcullis_domain::identity::TotpState;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{IDENTITY, RecordCounts, StoredMfa};
use portcullis_testkit::{ADMIN, AuditTrail, Harness};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// Number of records of enrollments, in a store that has nothing that leads nowhere.
async fn records(controller: &Harness) -> usize {
    let view = controller.engine.snapshot().unwrap();
    assert_eq!(RecordCounts::verify(&*view).unwrap(), []);
    crate::support::modify_store(controller, |rows| {
        let mut count = 0;
        rows.rows()
            .for_each_in::<StoredMfa>(&RecordKey::all(IDENTITY), &mut |_found| {
                count += 1;
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        count
    })
    .await
}

/// Somebody with permissions, or an administrator.
async fn caller(scene: &MfaFixture, name: &str, more: Value) -> String {
    let person = TestUser::new(&scene.controller, &scene.admin, name).await;
    let path = format!("/identities/{}", person.id);
    let asked = (Method::PATCH, path.as_str());
    send(&scene.controller, &scene.admin, asked, &more)
        .await
        .data();
    person.session
}

#[tokio::test]
async fn enrollments_are_removed_by_those_who_stand_above() {
    let scene = MfaFixture::new().await;
    let controller = &scene.controller;
    let helper = caller(
        &scene,
        "helper",
        json!({"permissions": ["identity.update"]}),
    )
    .await;
    let keeper = caller(&scene, "keeper", json!({"permissions": ["identity", "ca"]})).await;
    let appointed = caller(&scene, "appointed", json!({"isAdmin": true})).await;
    let reader = caller(&scene, "reader", json!({"permissions": ["admin_readonly"]})).await;
    let other = json!({"permissions": ["identity.delete", "identity.create", "ca"]});
    let other = caller(&scene, "other", other).await;
    let nobody = caller(&scene, "nobody", json!({})).await;

    let plain = create(controller, &scene.admin, "plain", json!({})).await;
    let more = json!({"permissions": ["identity.update"]});
    let peer = create(controller, &scene.admin, "peer", more).await;
    let more = json!({"permissions": ["identity.update", "ca.create"]});
    let richer = create(controller, &scene.admin, "richer", more).await;
    let more = json!({"permissions": ["admin_readonly"]});
    let seer = create(controller, &scene.admin, "seer", more).await;
    let boss = create(controller, &scene.admin, "boss", json!({"isAdmin": true})).await;
    let first = find_identity_id(controller, &scene.admin, ADMIN).await;

    let targets = [&plain, &peer, &richer, &seer, &boss, &first];
    for (label, session, may) in [
        // The last one is its own: that takes a code.
        (
            "administrator",
            &scene.admin,
            [true, true, true, true, true, false],
        ),
        ("appointed", &appointed, [true; 6]),
        (
            "identity.update",
            &helper,
            [true, true, false, false, false, false],
        ),
        (
            "identity and ca",
            &keeper,
            [true, true, true, false, false, false],
        ),
        ("admin_readonly", &reader, [false; 6]),
        ("other permissions", &other, [false; 6]),
        ("nobody", &nobody, [false; 6]),
    ] {
        for (target, may) in targets.into_iter().zip(may) {
            set_wrong_codes(controller, target, 6).await;
            let reply = remove(controller, session, target).await;
            let what = format!(
                "{label}, {}",
                read(controller, &scene.admin, target).await["name"]
            );
            if may {
                assert_eq!(reply.json(), json!({"data": {}, "meta": {}}), "{what}");
            } else {
                assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()), "{what}");
            }
            let is_forgotten = identity(controller, target).await.wrong_codes.is_none();
            assert_eq!(is_forgotten, may, "{what}");
        }
    }
    let stranger = controller.request(
        Method::DELETE,
        &format!("/edge/management/v1/identities/{plain}/mfa"),
    );
    assert_eq!(
        stranger.send().await.error(),
        (401, "UNAUTHORIZED".to_owned())
    );
    let client = format!("/edge/client/v1/identities/{plain}/mfa");
    let client = controller
        .request(Method::DELETE, &client)
        .session(&scene.admin);
    assert_eq!(
        client.send().await.status,
        404,
        "it is no part of the client API"
    );
}

/// Whoever holds a session, stolen or not, gets rid of its own second factor with a code alone
/// (specification, Authentication 8).
#[tokio::test]
async fn one_s_own_enrollment_takes_a_code_whoever_one_is() {
    let scene = MfaFixture::new().await;
    let controller = &scene.controller;
    let helper = caller(&scene, "helper", json!({"permissions": ["identity"]})).await;
    let boss = caller(&scene, "boss", json!({"isAdmin": true})).await;
    for (name, session, other) in [
        ("helper", &helper, &scene.admin),
        ("boss", &boss, &scene.admin),
        (ADMIN, &scene.admin, &boss),
    ] {
        let id = find_identity_id(controller, &scene.admin, name).await;
        for is_verified in [false, true] {
            if is_verified {
                enroll(controller, session).await;
            } else {
                begin(controller, session).await;
            }
            set_wrong_codes(controller, &id, 5).await;
            let at = revision(controller);
            let refused = remove(controller, session, &id).await;
            assert_eq!(refused.error(), (401, "UNAUTHORIZED".to_owned()), "{name}");
            assert_eq!(revision(controller), at, "{name}");
            let shown = read(controller, other, &id).await;
            assert_eq!(shown["isMfaEnabled"], is_verified, "{name}");
            // Another administrator helps.
            assert_eq!(remove(controller, other, &id).await.status, 200, "{name}");
            let shown = read(controller, other, &id).await;
            assert_eq!(shown["isMfaEnabled"], false, "{name}");
            assert!(identity(controller, &id).await.wrong_codes.is_none());
        }
    }
}

#[tokio::test]
async fn unknown_identities_are_not_found() {
    let scene = MfaFixture::new().await;
    let at = revision(&scene.controller);
    for id in ["nope", "%20", &"x".repeat(500), "..%2F.."] {
        let reply = remove(&scene.controller, &scene.admin, id).await;
        assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()), "{id}");
    }
    assert_eq!(revision(&scene.controller), at);
}

/// Administrators are held to their own second factor before they touch that of others.
#[tokio::test]
async fn administrators_enroll_like_everybody() {
    let scene = MfaFixture::new().await;
    let controller = &scene.controller;
    let first = find_identity_id(controller, &scene.admin, ADMIN).await;
    let (device, recovery) = enroll(controller, &scene.admin).await;
    let shown = read(controller, &scene.admin, &first).await;
    assert_eq!(
        (&shown["isMfaEnabled"], &shown["isDefaultAdmin"]),
        (&json!(true), &json!(true))
    );
    let partial = controller.admin().await;
    for id in [&first, &scene.person.id] {
        let reply = remove(controller, &partial, id).await;
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
    }
    let code = device.code(controller, 0);
    assert_eq!(answer(controller, &partial, &code).await.status, 200);
    let given = CodePlacement::Header(&recovery[0]);
    let removed = own_mfa(controller, &partial, (Method::DELETE, ""), given).await;
    assert_eq!(removed.status, 200, "{}", removed.text());
    let again = controller.admin().await;
    assert!(is_full(controller, &again).await);
}

#[tokio::test]
async fn administrators_see_who_is_enrolled_and_nothing_else() {
    let scene = MfaFixture::new().await;
    let (controller, admin, person) = (&scene.controller, &scene.admin, &scene.person);
    let shown = async || {
        let detail = read(controller, admin, &person.id).await;
        let list = get(controller, admin, "/identities?filter=name%3D%22anne%22")
            .await
            .data();
        assert_eq!(list[0]["isMfaEnabled"], detail["isMfaEnabled"]);
        (
            detail["isMfaEnabled"].as_bool().unwrap(),
            detail.to_string() + &list.to_string(),
        )
    };
    assert!(!shown().await.0);
    let (device, begun) = begin(controller, &person.session).await;
    assert!(!shown().await.0, "what is begun protects nobody yet");
    let code = device.code(controller, 0);
    assert_eq!(verify(controller, &person.session, &code).await.status, 200);
    let (is_enabled, text) = shown().await;
    assert!(is_enabled);
    let url = begun["provisioningUrl"].as_str().unwrap();
    let (_, secret) = url.split_once("secret=").unwrap();
    assert!(
        !text.contains(secret) && !text.contains(begun["id"].as_str().unwrap()),
        "{text}"
    );
    for code in begun["recoveryCodes"].as_array().unwrap() {
        assert!(!text.contains(code.as_str().unwrap()), "{text}");
    }
    let sessions = get(controller, admin, "/api-sessions").await.data();
    let of_anne: Vec<_> = sessions
        .as_array()
        .unwrap()
        .iter()
        .filter(|session| session["identityId"] == *person.id)
        .collect();
    assert_eq!(of_anne.len(), 1);
    // Neither can an administrator show or finish what is another's.
    let own = own_mfa(controller, admin, (Method::GET, ""), CodePlacement::Omitted).await;
    assert_eq!(own.status, 404);
    scene.remove().await.data();
    assert!(!shown().await.0);
}

/// S-16
#[tokio::test]
async fn no_change_of_an_identity_ends_its_enrollment() {
    let scene = MfaFixture::new().await;
    let (controller, admin, person) = (&scene.controller, &scene.admin, &scene.person);
    let (device, recovery) = scene.enroll().await;
    let path = format!("/identities/{}", person.id);
    let [disable, enable] = ["disable", "enable"].map(|action| format!("{path}/{action}"));
    let traps = json!({
        "isMfaEnabled": false, "mfa": null, "isMfaRequired": false, "totp": "none",
        "attached": {"totp": "none"}, "wrongCodes": null,
    });
    let mut replaced = json!({"name": "anne", "type": "Default", "isAdmin": false});
    crate::support::merge(&mut replaced, traps.clone());
    let mut merged = json!({"name": "annette", "roleAttributes": ["a"], "isAdmin": true});
    crate::support::merge(&mut merged, traps);
    for (number, (method, path, body)) in [
        (Method::PUT, &path, &replaced),
        (Method::PATCH, &path, &merged),
        (
            Method::PATCH,
            &path,
            &json!({"externalId": "anne@x", "tags": {"totp": "none"}}),
        ),
        (Method::PATCH, &path, &json!({"authPolicyId": "default"})),
        (Method::POST, &disable, &json!({"durationMinutes": 0})),
        (Method::POST, &enable, &json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        set_wrong_codes(controller, &person.id, 3).await;
        let what = format!("{method} {path} {body}");
        let reply = send(controller, admin, (method, path), body).await;
        assert_eq!(reply.status, 200, "{what}: {}", reply.text());
        let after = identity(controller, &person.id).await;
        assert_eq!(after.attached.totp, TotpState::Verified, "{what}");
        assert_eq!(after.wrong_codes.unwrap().in_a_row, 3, "{what}");
        assert_eq!(
            read(controller, admin, &person.id).await["isMfaEnabled"],
            true,
            "{what}"
        );
        assert_eq!(records(controller).await, 1, "{what}");
        if path != &disable {
            let session = person.log_in(controller).await;
            assert!(!is_full(controller, &session).await, "{what}");
            let code = &recovery[number];
            assert_eq!(
                answer(controller, &session, code).await.status,
                200,
                "{what}"
            );
        }
    }
    let session = person.log_in(controller).await;
    let code = device.code(controller, 0);
    assert_eq!(answer(controller, &session, &code).await.status, 200);
}

#[tokio::test]
async fn an_enrollment_ends_with_its_identity() {
    let scene = MfaFixture::new().await;
    let (controller, admin) = (&scene.controller, &scene.admin);
    scene.enroll().await;
    let beginner = TestUser::new(controller, admin, "bert").await;
    begin(controller, &beginner.session).await;
    assert_eq!(records(controller).await, 2);
    for (id, left) in [(&scene.person.id, 1), (&beginner.id, 0)] {
        let path = format!("/identities/{id}");
        let request = controller.manage(Method::DELETE, &path, admin);
        assert_eq!(request.send().await.status, 200);
        assert_eq!(records(controller).await, left);
    }
}

/// Each transition is told, and neither a code nor a secret is.
#[tokio::test]
async fn the_audit_trail_tells_what_became_of_an_enrollment() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let session = &person.session;
    let trail = AuditTrail::from_now(controller);
    let own_session = current_session(controller, session).await.data()["id"].clone();
    let told = |expected: &[&str], what: &str| {
        let audit = trail.operations();
        let mut operations: Vec<_> = audit.iter().map(|(operation, _)| operation).collect();
        let mut expected = expected.to_vec();
        operations.sort_unstable();
        expected.sort_unstable();
        assert_eq!(operations, expected, "{what}");
        for (operation, entity) in &audit {
            if operation == "api-session.pass-mfa" {
                assert_eq!(own_session, **entity, "{what}");
            } else {
                assert_eq!(*entity, person.id, "{what}: {operation}");
            }
        }
    };
    begin(controller, session).await;
    told(&["mfa.create"], "begun");
    own_mfa(
        controller,
        session,
        (Method::GET, ""),
        CodePlacement::Omitted,
    )
    .await
    .data();
    own_mfa(
        controller,
        session,
        (Method::GET, "/qr-code"),
        CodePlacement::Omitted,
    )
    .await;
    told(&[], "looked at");
    own_mfa(
        controller,
        session,
        (Method::DELETE, ""),
        CodePlacement::Omitted,
    )
    .await
    .data();
    told(&["mfa.abandon"], "abandoned");
    let (device, begun) = begin(controller, session).await;
    told(&["mfa.create"], "begun anew");
    assert_refused(&verify(controller, session, &device.wrong_code(controller)).await);
    told(&["mfa.refuse-code"], "a wrong code");
    assert_refused(&verify(controller, session, "12345").await);
    told(&[], "no code");
    let code = device.code(controller, 0);
    assert_eq!(verify(controller, session, &code).await.status, 200);
    told(&["mfa.verify"], "finished");
    let recovery = crate::support::mfa::texts(&begun["recoveryCodes"]);
    let mut codes = recovery.iter();
    for (purpose, operation) in [
        (CodeUse::Answer, "api-session.pass-mfa"),
        (CodeUse::Read, "mfa.read-recovery-codes"),
        (CodeUse::Replace, "mfa.replace-recovery-codes"),
    ] {
        crate::support::mfa::advance_clock(controller, 30);
        let code = device.code(controller, 0);
        assert_eq!(purpose.submit(controller, session, &code).await.status, 200);
        told(&[operation], "with a code");
        assert_refused(&purpose.submit(controller, session, &code).await);
        told(&["mfa.refuse-code"], "replayed");
        if purpose != CodeUse::Replace {
            let code = codes.next().unwrap();
            assert_eq!(purpose.submit(controller, session, code).await.status, 200);
            told(
                &["mfa.spend-recovery-code", operation],
                "with a recovery code",
            );
        }
    }
    set_wrong_codes(controller, &person.id, 100).await;
    crate::support::mfa::assert_throttled(&answer(controller, session, &recovery[9]).await);
    told(&[], "held");
    set_wrong_codes(controller, &person.id, 99).await;
    crate::support::mfa::advance_clock(controller, 3600);
    trail.operations();
    assert_refused(&answer(controller, session, &device.wrong_code(controller)).await);
    told(&["mfa.refuse-code", "mfa.lock"], "one too many");
    set_wrong_codes(controller, &person.id, 9).await;
    crate::support::mfa::advance_clock(controller, -60);
    trail.operations();
    crate::support::mfa::assert_throttled(&answer(controller, session, &recovery[9]).await);
    told(&["mfa.wait-anew"], "the clock was set back");
    crate::support::mfa::advance_clock(controller, 60);
    set_wrong_codes(controller, &person.id, 0).await;
    crate::support::mfa::advance_clock(controller, 30);
    let code = device.code(controller, 0);
    assert_eq!(
        CodeUse::Leave
            .submit(controller, session, &code)
            .await
            .status,
        200
    );
    told(&["mfa.delete"], "removed");
    scene.enroll().await;
    trail.operations();
    scene.remove().await.data();
    told(
        &["mfa.delete", "identity.delete-mfa"],
        "removed by an administrator",
    );
}
