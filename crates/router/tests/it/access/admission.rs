//! Whose session a token is, and who may use it.

use super::judging::second;
use super::network::{Truth, creation, identity, insert, service};
use super::tokens::{
    KEY, access_claims, certificate, service_claims, session_id, sign, signing_key,
};
use super::world::{START, World, certificates};
use portcullis_data_model::Entity;
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{
    Access as _, ApiSession, ClientCertificates, LoginRefusal, ServiceReference, SessionKind,
};
use portcullis_wire::control::data_model::{KeyUsage, PolicyType, Subject};
use portcullis_wire::{ErrorCode, Token};
use serde_json::{Value, json};

fn network() -> Truth {
    let mut truth = Truth::new();
    insert(&mut truth, Entity::Identity(Box::new(identity("alice"))));
    insert(&mut truth, Entity::Service(service("wiki")));
    insert(&mut truth, Entity::Service(service("vault")));
    let policy = portcullis_data_model::Policy {
        id: "policy".to_owned(),
        name: "policy".to_owned(),
        policy_type: PolicyType::Dial,
        services: ["wiki".to_owned()].into(),
        posture_checks: [].into(),
        identities: ["alice".to_owned()].into(),
    };
    insert(&mut truth, Entity::Policy(policy));
    truth
}

fn claims() -> Value {
    access_claims("alice", START, START + 100)
}

fn with(mut claims: Value, name: &str, value: Value) -> Value {
    claims[name] = value;
    claims
}

fn refusal(outcome: Result<ApiSession, LoginRefusal>) -> String {
    match outcome {
        Err(LoginRefusal::Refused(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn access_tokens_are_judged_by_what_they_claim() {
    let world = World::new(&network());
    let session = world.authenticate(&sign(KEY, &claims()), "alice").unwrap();
    assert_eq!(session.id, session_id("alice"));
    assert_eq!(session.identity.as_str(), "alice");
    assert_eq!(&*session.identity_name, "name of alice");
    assert_eq!(session.kind, SessionKind::Oidc);
    assert_eq!(session.expires_at, Some(second(START + 100)));

    for accepted in [
        with(claims(), "aud", json!("native")),
        with(claims(), "aud", json!(["other", "openziti"])),
        with(claims(), "nbf", json!(START + 60)),
        with(claims(), "amr", json!(null)),
        with(claims(), "z_new", json!({"whatever": [1]})),
    ] {
        world.authenticate(&sign(KEY, &accepted), "alice").unwrap();
    }
    for refused in [
        with(claims(), "aud", json!(["other"])),
        with(claims(), "z_t", json!("r")),
        with(claims(), "exp", json!(START)),
        with(claims(), "nbf", json!(START + 61)),
        with(claims(), "sub", json!(7)),
        with(claims(), "z_asid", json!(null)),
        json!([]),
    ] {
        refusal(world.authenticate(&sign(KEY, &refused), "alice"));
    }
    // No signed token at all, and one of a key that may come.
    refusal(world.authenticate(&Token::new("eyJ".to_owned()), "alice"));
    for unknown in [sign("k9", &claims()), Token::new("a-uuid".to_owned())] {
        let outcome = world.authenticate(&unknown, "alice");
        assert_eq!(outcome, Err(LoginRefusal::Unknown));
    }
}

#[test]
fn keys_have_to_be_there_and_for_tokens() {
    let mut world = World::new(&network());
    let token = sign("k9", &claims());
    let key = |usages: &[KeyUsage]| {
        let key = signing_key("k9", usages);
        vec![creation(Subject::PublicKey(Box::new(key)))]
    };
    let news = world.change(key(&[KeyUsage::ClientCertificateValidation]));
    assert!(news.has_news_for_logins);
    refusal(world.authenticate(&token, "alice"));
    let _ = world.change(key(&[KeyUsage::JwtValidation]));
    world.authenticate(&token, "alice").unwrap();
}

/// Certificates with that of `alice` behind the client's own.
fn shown(
    fingerprint: &str,
    spiffe_id: Option<&str>,
    is_first_party: bool,
    is_over: bool,
) -> ClientCertificates {
    let mut certificates = certificates("nobody");
    certificates.fingerprints = [fingerprint.to_owned(), certificate("alice")].into();
    certificates.spiffe_id = spiffe_id.map(str::to_owned);
    certificates.is_first_party = is_first_party;
    if is_over {
        certificates.not_after = second(START - 1);
    }
    certificates
}

#[test]
fn certificates_have_to_belong_to_the_session() {
    let world = World::new(&network());
    let token = sign(KEY, &claims());
    let lenient = sign(KEY, &with(claims(), "z_cae", json!(true)));
    let unbound = sign(KEY, &with(claims(), "z_cfs", json!(null)));
    let of_identity = "spiffe://network.example.test/identity/alice";
    let of_session = format!("{of_identity}/apiSession/{}", session_id("alice"));
    let of_certificate = format!("{of_session}/apiSessionCertificate/c");
    let foreign_session = format!("{of_identity}/apiSession/other");
    let foreign_certificate = format!("{foreign_session}/apiSessionCertificate/c");

    let own = certificate("alice").to_uppercase();
    let cases = [
        (&token, own.as_str(), None, false, false, true),
        (&token, &own, None, false, true, false),
        (&lenient, &own, None, false, true, true),
        // Only the client's own certificate counts, not what it sends along.
        (&token, "other", None, false, false, false),
        (&unbound, &own, None, false, false, false),
        (&unbound, "other", Some(of_identity), true, false, true),
        (&unbound, "other", Some(of_identity), false, false, false),
        (&unbound, "other", Some(of_identity), true, true, false),
        (&lenient, "other", Some(of_identity), true, true, true),
        (&unbound, "other", Some(&of_session), true, false, true),
        (&unbound, "other", Some(&of_certificate), true, false, true),
        (&lenient, "other", Some(&of_session), true, true, false),
        (
            &unbound,
            "other",
            Some(&foreign_session),
            true,
            false,
            false,
        ),
        (
            &unbound,
            "other",
            Some(&foreign_certificate),
            true,
            false,
            false,
        ),
        (
            &unbound,
            "other",
            Some("spiffe://n/identity/alice/more"),
            true,
            false,
            false,
        ),
        (
            &unbound,
            "other",
            Some("spiffe://n/identity/bob"),
            true,
            false,
            false,
        ),
        (
            &unbound,
            "other",
            Some("https://n/identity/alice"),
            true,
            false,
            false,
        ),
    ];
    for (number, (token, fingerprint, spiffe, first_party, over, accepted)) in
        cases.into_iter().enumerate()
    {
        let certificates = shown(fingerprint, spiffe, first_party, over);
        let outcome = world
            .control
            .authenticate(token, &certificates, world.time());
        assert_eq!(outcome.is_ok(), accepted, "case {number}: {outcome:?}");
    }
}

#[test]
fn controllers_take_care_of_the_dates_of_legacy_sessions() {
    let mut world = World::new(&network());
    let session = world.open_legacy(1, "alice");
    let mut over = certificates("alice");
    over.not_after = second(START - 1);
    let now = world.time();
    world
        .control
        .authenticate(&session.token, &over, now)
        .unwrap();
    let other = certificates("bob");
    refusal(world.control.authenticate(&session.token, &other, now));
}

#[test]
fn a_new_token_is_one_of_the_same_session() {
    let mut world = World::new(&network());
    let session = world.open(1, "alice", 50);
    let renew = |world: &World, session: &ApiSession, claims: &Value| {
        let token = sign(KEY, claims);
        world.control.renew(session, &token, world.time())
    };
    let renewed = renew(&world, &session, &claims()).unwrap();
    assert_eq!(renewed.expires_at, Some(second(START + 100)));
    for refused in [
        with(claims(), "z_asid", json!("other")),
        with(claims(), "sub", json!("bob")),
        with(claims(), "exp", json!(START)),
        json!({}),
    ] {
        let refused = renew(&world, &session, &refused).unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::InvalidApiSession));
    }
    let legacy = world.open_legacy(2, "bob");
    let refused = renew(&world, &legacy, &claims()).unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::InvalidApiSessionType));
}

#[test]
fn tokens_for_services_belong_to_the_session() {
    let mut world = World::new(&network());
    let session = world.open(1, "alice", 50);
    let check = |claims: Value| {
        let token = sign(KEY, &claims);
        world
            .control
            .check_service_session(&session, &token, world.time())
    };
    let claims = || service_claims("alice", "wiki", "Bind", START + 10);
    let granted = check(claims()).unwrap();
    assert_eq!(granted.grant, ServiceGrant::Bind);
    assert_eq!(granted.service.as_str(), "wiki");
    assert_eq!(granted.id.as_str(), "alice Bind wiki");
    for refused in [
        with(claims(), "z_asid", json!("other")),
        with(claims(), "z_iid", json!("bob")),
        with(claims(), "z_t", json!("a")),
        with(claims(), "z_st", json!("Fly")),
        with(claims(), "exp", json!(START)),
        with(claims(), "aud", json!("other")),
    ] {
        let refused = check(refused).unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::InvalidSession));
    }
}

#[test]
fn who_may_not_use_a_service_does_not_learn_of_it() {
    let mut world = World::new(&network());
    let session = world.open(1, "alice", 50);
    let find = |service| world.control.find_service(&session, service);
    let id = find(ServiceReference::Name("name of wiki")).unwrap();
    assert_eq!(id.as_str(), "wiki");
    assert_eq!(find(ServiceReference::Id("wiki")).unwrap(), id);
    for (hidden, unknown, code) in [
        (
            ServiceReference::Id("vault"),
            ServiceReference::Id("none"),
            ErrorCode::AccessDenied,
        ),
        (
            ServiceReference::Name("name of vault"),
            ServiceReference::Name("none"),
            ErrorCode::InvalidService,
        ),
    ] {
        let refused = find(hidden).unwrap_err();
        assert_eq!(refused.code(), Some(code));
        assert_eq!(refused, find(unknown).unwrap_err());
    }
    let check = |grant, service: &str| {
        let now = world.time();
        world
            .control
            .check_grant(&session, grant, &service.into(), now)
    };
    check(ServiceGrant::Dial, "wiki").unwrap();
    for (grant, service) in [(ServiceGrant::Bind, "wiki"), (ServiceGrant::Dial, "vault")] {
        let refused = check(grant, service).unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::AccessDenied));
    }
}
