//! TOTP: what becomes of sessions while an enrollment, a policy or a demand comes or goes.

use crate::mfa::partial::appoint;
use crate::support::credentials::{token_by, with_certificate};
use crate::support::idp::{Idp, bearing, who};
use crate::support::mfa::{
    CodeUse, MfaFixture, TestUser, advance_clock, answer, begin, enroll, is_full, verify,
    wrong_code_count,
};
use crate::support::{
    STRICT, add_policy, add_strict_policy, current_session, edit_entity, get, send, text,
};
use http::Method;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ids::SignerId;
use portcullis_storage::tables::UniqueIndex;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

/// What a session shows of its second factor.
async fn flags(controller: &Harness, session: &str) -> (bool, bool, Vec<Value>) {
    let data = current_session(controller, session).await.data();
    let flag = |name: &str| data[name].as_bool().unwrap();
    let queries = data["authQueries"].as_array().unwrap().clone();
    (flag("isMfaRequired"), flag("isMfaComplete"), queries)
}

/// The question for a code.
fn question(is_enrolled: bool) -> Value {
    let mut question = json!({
        "typeId": "MFA", "provider": "ziti", "httpMethod": "POST",
        "httpUrl": "./authenticate/mfa", "format": "alphaNumeric", "minLength": 4,
        "maxLength": 6, "scopes": null,
    });
    if is_enrolled {
        question["isTotpEnrolled"] = json!(true);
    }
    question
}

#[tokio::test]
async fn whoever_has_to_enroll_does_so_through_the_partial_session() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    add_strict_policy(controller).await;
    appoint(&scene, STRICT).await;
    let session = person.log_in(controller).await;
    let other = person.log_in(controller).await;
    assert_eq!(
        flags(controller, &session).await,
        (false, false, vec![question(false)])
    );
    let reply = answer(controller, &session, "848239").await;
    assert_eq!(reply.error(), (409, "MFA_NOT_ENROLLED".to_owned()));
    let (device, begun) = begin(controller, &session).await;
    // What is begun proves nothing yet, and lets nobody in.
    let recovery = begun["recoveryCodes"][0].as_str().unwrap();
    for code in [&device.code(controller, 0), recovery] {
        let reply = answer(controller, &session, code).await;
        assert_eq!(reply.error(), (409, "MFA_NOT_ENROLLED".to_owned()));
    }
    assert_eq!(
        flags(controller, &session).await,
        (false, false, vec![question(false)])
    );
    let code = device.code(controller, 0);
    assert_eq!(verify(controller, &session, &code).await.status, 200);
    assert_eq!(flags(controller, &session).await, (true, true, vec![]));
    assert!(is_full(controller, &session).await);
    assert_eq!(get(controller, &session, "/identities").await.status, 200);

    // The other one has to give a code of its own.
    assert_eq!(
        flags(controller, &other).await,
        (false, false, vec![question(true)])
    );
    advance_clock(controller, 30);
    let code = device.code(controller, 0);
    assert_eq!(answer(controller, &other, &code).await.status, 200);
    assert_eq!(flags(controller, &other).await, (false, true, vec![]));
    let new = person.log_in(controller).await;
    assert_eq!(
        flags(controller, &new).await,
        (true, false, vec![question(true)])
    );
}

#[tokio::test]
async fn policies_take_effect_at_once() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    add_policy(controller, "changing", |_| {}).await;
    appoint(&scene, "changing").await;
    let demand = |is_demanded: bool| {
        edit_entity(
            controller,
            UniqueIndex::AuthPolicyId,
            "changing",
            move |policy: &mut AuthPolicy| {
                policy.spec.secondary.require_totp = is_demanded;
            },
        )
    };
    let session = person.log_in(controller).await;
    for _ in 0..2 {
        demand(true).await;
        assert!(!is_full(controller, &session).await);
        demand(false).await;
        assert!(is_full(controller, &session).await);
    }
    let (device, _) = enroll(controller, &session).await;
    // A session that was asked at its beginning is asked whatever the policy says afterwards.
    let partial = person.log_in(controller).await;
    for is_demanded in [true, false, true] {
        demand(is_demanded).await;
        assert!(is_full(controller, &session).await, "it has given a code");
        assert!(!is_full(controller, &partial).await);
    }
    let code = device.code(controller, 0);
    assert_eq!(answer(controller, &partial, &code).await.status, 200);
    assert!(is_full(controller, &partial).await);
}

/// Facts auth-and-mfa 5.5
#[tokio::test]
async fn sessions_that_live_are_not_asked_when_their_identity_enrolls() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let other = person.log_in(controller).await;
    begin(controller, &other).await;
    let between = person.log_in(controller).await;
    assert_eq!(
        flags(controller, &between).await,
        (false, false, vec![]),
        "it is only begun"
    );
    scene.remove().await.data();
    let (device, _) = scene.enroll().await;
    assert_eq!(
        flags(controller, &person.session).await,
        (true, true, vec![])
    );
    for session in [&other, &between] {
        assert_eq!(flags(controller, session).await, (false, false, vec![]));
        assert!(is_full(controller, session).await);
    }
    let new = person.log_in(controller).await;
    assert_eq!(
        flags(controller, &new).await,
        (true, false, vec![question(true)])
    );
    assert!(!is_full(controller, &new).await);
    // Whoever is full may give a code all the same.
    let code = device.code(controller, 0);
    assert_eq!(answer(controller, &other, &code).await.status, 200);
    assert_eq!(flags(controller, &other).await, (false, true, vec![]));
    assert!(
        !is_full(controller, &new).await,
        "what one session answers, no other has answered"
    );
}

/// Facts auth-and-mfa 5.8
#[tokio::test]
async fn sessions_that_live_stay_what_they_are_when_an_enrollment_is_removed() {
    for is_by_administrator in [false, true] {
        let scene = MfaFixture::new().await;
        let (controller, person) = (&scene.controller, &scene.person);
        let (device, _) = scene.enroll().await;
        let open = person.log_in(controller).await;
        if is_by_administrator {
            scene.remove().await.data();
        } else {
            let code = device.code(controller, 0);
            let left = CodeUse::Leave
                .submit(controller, &person.session, &code)
                .await;
            assert_eq!(left.status, 200);
        }
        assert_eq!(
            flags(controller, &person.session).await,
            (true, true, vec![])
        );
        assert!(is_full(controller, &person.session).await);
        // One that was open can be completed by nobody any more: one logs in again.
        assert_eq!(
            flags(controller, &open).await,
            (true, false, vec![question(false)])
        );
        let code = device.code(controller, 1);
        let refused = answer(controller, &open, &code).await;
        assert_eq!(refused.error(), (409, "MFA_NOT_ENROLLED".to_owned()));
        let new = person.log_in(controller).await;
        assert_eq!(flags(controller, &new).await, (false, false, vec![]));
        assert!(is_full(controller, &new).await);

        // Where codes are demanded, the next login has to enroll anew.
        add_strict_policy(controller).await;
        appoint(&scene, STRICT).await;
        assert!(
            is_full(controller, &person.session).await,
            "it has given a code"
        );
        assert!(!is_full(controller, &new).await, "it has not");
        enroll(controller, &new).await;
        assert!(is_full(controller, &new).await);
    }
}

#[tokio::test]
async fn a_token_of_a_signer_and_a_code_are_both_needed() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let idp = Idp::new(&controller, "idp");
    let signer = idp.register(&controller, &admin, json!({})).await;
    let demanded = SignerId::from_wire(&*signer);
    add_policy(&controller, "both", |policy| {
        policy.spec.secondary.require_ext_jwt_signer = Some(demanded);
    })
    .await;
    let (id, chain) = with_certificate(&controller, &admin, "anne").await;
    let session = token_by(&controller, &chain).await;
    let (device, _) = enroll(&controller, &session).await;
    let path = format!("/identities/{id}");
    let change = json!({"authPolicyId": "both", "externalId": "anne@x"});
    send(&controller, &admin, (Method::PATCH, &path), &change)
        .await
        .data();

    let token = idp.token(&controller, "anne@x");
    let tokens: [&[&str]; 2] = [&[], &[&token]];
    let open = async |session: &str, tokens: &[&str]| -> Vec<String> {
        let request = controller
            .request(Method::GET, "/current-api-session")
            .session(session);
        let data = bearing(request, tokens).send().await.data();
        let queries = data["authQueries"].as_array().unwrap().iter();
        queries
            .map(|query| text(query, "typeId").to_owned())
            .collect()
    };
    let partial = token_by(&controller, &chain).await;
    for (tokens, left) in tokens
        .into_iter()
        .zip([vec!["MFA", "EXT-JWT"], vec!["MFA"]])
    {
        assert_eq!(open(&partial, tokens).await, left);
        assert_eq!(who(&controller, &partial, tokens).await.status, 401);
    }
    // The code may be given without the token.
    let code = device.code(&controller, 0);
    assert_eq!(answer(&controller, &partial, &code).await.status, 200);
    assert_eq!(open(&partial, tokens[0]).await, ["EXT-JWT"]);
    assert_eq!(who(&controller, &partial, tokens[0]).await.status, 401);
    assert!(open(&partial, tokens[1]).await.is_empty());
    assert_eq!(who(&controller, &partial, tokens[1]).await.status, 200);
    // Without it, recovery codes stay closed, and the enrollment cannot be removed.
    advance_clock(&controller, 30);
    let code = device.code(&controller, 0);
    for purpose in [CodeUse::Read, CodeUse::Replace, CodeUse::Leave] {
        let refused = purpose.submit(&controller, &partial, &code).await;
        assert_eq!(
            refused.error(),
            (401, "UNAUTHORIZED".to_owned()),
            "{purpose:?}"
        );
    }
    let (method, path) = CodeUse::Leave.operation();
    let request = bearing(
        controller.request(method, path).session(&partial),
        tokens[1],
    );
    let left = request.json(&json!({"code": code})).send().await;
    assert_eq!(left.status, 200, "{}", left.text());
}

/// The flags of one identity say nothing about another.
#[tokio::test]
async fn enrollment_is_of_one_identity_alone() {
    let scene = MfaFixture::new().await;
    let (controller, admin) = (&scene.controller, &scene.admin);
    let other = TestUser::new(controller, admin, "bert").await;
    let (device, recovery) = scene.enroll().await;
    let new = other.log_in(controller).await;
    assert_eq!(flags(controller, &new).await, (false, false, vec![]));
    enroll(controller, &new).await;
    let partial = other.log_in(controller).await;
    for code in [&device.code(controller, 0), &recovery[0]] {
        let refused = answer(controller, &partial, code).await;
        assert_eq!(refused.error(), (400, "MFA_INVALID_TOKEN".to_owned()));
    }
    assert_eq!(wrong_code_count(controller, &scene.person.id).await, 0);
    let code = device.code(controller, 0);
    assert_eq!(
        answer(controller, &scene.person.session, &code)
            .await
            .status,
        200
    );
}
