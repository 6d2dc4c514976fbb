//! Claims as they were recorded, and what keeps one token from passing for another.

use super::*;
use crate::algorithm::SigningAlgorithm;
use crate::client::Client;
use crate::issuer::Issuers;
use crate::login::{AuthenticatedLogin, CertificateFacts, Login, SecondaryFactor};
use crate::testing::{at, client_details, password_of, request};
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::{ApiSessionId, IdentityId, ServiceId, SessionId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

fn issuers() -> Issuers {
    Issuers::new(["ctrl.test", "127.0.0.1"], &[1280])
}

fn login(certificate: Option<CertificateFacts>, passed: &[SecondaryFactor]) -> AuthenticatedLogin {
    let mut primary = password_of("alice");
    primary.session = ApiSessionId::from_wire("as-1");
    primary.certificate = certificate;
    let mut client = client_details();
    client.config_types = vec!["all".to_owned()];
    client.env_info.os = "linux".to_owned();
    client.sdk_info.kind = "t".to_owned();
    let login = Login::begin(request()).authenticate(primary, client, passed.to_vec(), []);
    login.unwrap().authenticated().unwrap().clone()
}

fn facts() -> SessionFacts {
    SessionFacts::new(&login(None, &[]), HolderFacts::default(), None)
}

fn issue<const KIND: char>(issuers: &Issuers) -> SessionClaims<KIND> {
    SessionClaims::issue(facts(), &terms(issuers))
}

fn terms(issuers: &Issuers) -> TokenTerms<'_> {
    TokenTerms {
        issuer: issuers.of_host("ctrl.test:1280").unwrap(),
        id: TokenId::from_wire("id-1"),
        issued_at: at(10),
        lifetime: SignedDuration::from_mins(30),
    }
}

fn validation(issuers: &Issuers, now: Timestamp) -> Validation<'_> {
    Validation {
        issuers,
        client: None,
        now,
        leeway: SignedDuration::from_secs(5),
    }
}

fn id_claims(issuers: &Issuers) -> IdClaims {
    let origin = IdTokenOrigin {
        nonce: Some("no"),
        code: Some("code"),
        access_token: Some("token"),
    };
    let name = Some("Alice".to_owned());
    IdClaims::issue(
        &facts(),
        &terms(issuers),
        name,
        origin,
        SigningAlgorithm::Es256,
    )
}

fn totp_claims(id: TokenId) -> TotpClaims {
    let holder = (
        IdentityId::from_wire("alice"),
        ApiSessionId::from_wire("as-1"),
    );
    TotpClaims::issue("https://ctrl.test:1280", holder, Client::Native, id, at(10))
}

fn service_claims() -> ServiceSessionClaims {
    let session = Session {
        id: SessionId::from_wire("ss-1"),
        created_at: at(0),
        api_session: ApiSessionId::from_wire("as-1"),
        api_session_token: TokenHash([0; 16]),
        identity: IdentityId::from_wire("alice"),
        service: ServiceId::from_wire("svc"),
        grant: ServiceGrant::Dial,
        tags: Tags::default(),
    };
    ServiceSessionClaims::issue("https://ctrl.test:1280", &session, false, at(10))
}

#[test]
fn access_token_has_the_recorded_claims() {
    let claims = serde_json::to_value(issue::<'a'>(&issuers())).unwrap();
    let (auth_time, iat) = (at(0).as_second(), at(10).as_second());
    let expected = json!({
        "amr": ["password"],
        "aud": ["native"],
        "auth_time": auth_time,
        "client_id": "native",
        "exp": iat + 1800,
        "iat": iat,
        "iss": "https://ctrl.test:1280/oidc",
        "jti": "id-1",
        "nbf": iat,
        "scopes": ["openid", "offline_access"],
        "sub": "alice",
        "z_aid": "native",
        "z_asid": "as-1",
        "z_authid": "updb",
        "z_cer": false,
        "z_cfs": null,
        "z_ckrr": false,
        "z_ct": ["all"],
        "z_env": {"os": "linux"},
        "z_iccc": false,
        "z_ice": false,
        "z_ra": "127.0.0.1:50000",
        "z_sdk": {"type": "t"},
        "z_t": "a",
    });
    assert_eq!(claims, expected);
    let mut refresh = expected;
    refresh["z_t"] = json!("r");
    assert_eq!(
        serde_json::to_value(issue::<'r'>(&issuers())).unwrap(),
        refresh
    );
}

#[test]
fn what_is_set_is_told() {
    let certificate = CertificateFacts {
        fingerprint: "aa".to_owned(),
        is_extendable: true,
        has_improper_chain: true,
    };
    let login = login(Some(certificate), &[SecondaryFactor::Totp]);
    let holder = HolderFacts {
        is_admin: true,
        external_id: Some("ext".to_owned()),
        allows_expired_certificates: true,
        is_extension_requested: true,
        is_key_roll_requested: true,
    };
    let facts = SessionFacts::new(&login, holder, Some("bb".to_owned()));
    assert!(facts.is_bound() && facts.is_bound_to_login() && facts.is_bound_to_issued("bb"));
    for other in ["aa", "cc"] {
        assert!(!facts.is_bound_to_issued(other), "{other}");
    }
    let told = serde_json::to_value(&facts).unwrap();
    for (claim, value) in [
        ("amr", json!(["password", "totp"])),
        ("z_ia", json!(true)),
        ("z_eid", json!("ext")),
        ("z_cae", json!(true)),
        ("z_cer", json!(true)),
        ("z_ckrr", json!(true)),
        ("z_ice", json!(true)),
        ("z_iccc", json!(true)),
        ("z_acf", json!("aa")),
        ("z_cfs", json!(["aa", "bb"])),
    ] {
        assert_eq!(told[claim], value, "{claim}");
    }
    let renewed = facts.renewed(HolderFacts::default());
    assert!(!renewed.z_ia && renewed.z_eid.is_none() && renewed.is_bound_to_login());
}

#[test]
fn what_is_unknown_is_null_or_left_out() {
    let login = Login::begin(request())
        .authenticate(password_of("alice"), client_details(), [], [])
        .unwrap();
    let login = login.authenticated().unwrap();
    let facts = SessionFacts::new(login, HolderFacts::default(), None);
    assert!(!facts.is_bound() && !facts.is_bound_to_login());
    let told = serde_json::to_value(&facts).unwrap();
    assert!(told["z_sdk"].is_null() && told["z_env"].is_null());
    for claim in ["z_ct", "z_ia", "z_eid", "z_acf", "z_cae"] {
        assert!(told.get(claim).is_none(), "{claim}");
    }
}

#[test]
fn id_token_has_the_recorded_claims_and_the_session() {
    let claims = serde_json::to_value(id_claims(&issuers())).unwrap();
    let iat = at(10).as_second();
    let expected = json!({
        "amr": ["password"],
        "at_hash": SigningAlgorithm::Es256.half_hash("token"),
        "aud": ["native"],
        "auth_time": at(0).as_second(),
        "azp": "native",
        "c_hash": SigningAlgorithm::Es256.half_hash("code"),
        "client_id": "native",
        "exp": iat + 1800,
        "iat": iat,
        "iss": "https://ctrl.test:1280/oidc",
        "name": "Alice",
        "nonce": "no",
        "sub": "alice",
        "z_asid": "as-1",
        "z_ia": false,
    });
    assert_eq!(claims, expected);
}

#[test]
fn tokens_for_routers_have_the_recorded_claims() {
    let iat = at(10).as_second();
    assert_eq!(
        serde_json::to_value(service_claims()).unwrap(),
        json!({
            "aud": ["openziti"],
            "exp": iat + 365 * 24 * 3600,
            "iat": iat,
            "iss": "https://ctrl.test:1280",
            "jti": "ss-1",
            "sub": "svc",
            "z_asid": "as-1",
            "z_iid": "alice",
            "z_leg": false,
            "z_st": "Dial",
            "z_t": "s",
        })
    );
    let id = TokenId::from_wire("id-2");
    let totp = totp_claims(id);
    assert_eq!(
        serde_json::to_value(totp).unwrap(),
        json!({
            "aud": ["native"],
            "iat": iat,
            "iss": "https://ctrl.test:1280",
            "jti": "id-2",
            "sub": "alice",
            "z_asid": "as-1",
            "z_t": "t",
        })
    );
}

#[test]
fn no_token_is_taken_for_another() {
    let issuers = issuers();
    let totp = totp_claims(TokenId::from_wire("i"));
    let tokens = [
        serde_json::to_value(issue::<'a'>(&issuers)).unwrap(),
        serde_json::to_value(issue::<'r'>(&issuers)).unwrap(),
        serde_json::to_value(service_claims()).unwrap(),
        serde_json::to_value(totp).unwrap(),
        serde_json::to_value(id_claims(&issuers)).unwrap(),
    ];
    // One object with the claims of all types, so that only `z_t` is left to tell them apart.
    let mut all = Map::new();
    for token in &tokens {
        all.extend(token.as_object().unwrap().clone());
    }
    for (index, token) in tokens.iter().enumerate() {
        let mut all = all.clone();
        all.remove("z_t");
        all.extend(token.as_object().unwrap().clone());
        for token in [token.clone(), Value::Object(all)] {
            let read = [
                reads::<AccessClaims>(&token),
                reads::<RefreshClaims>(&token),
                reads::<ServiceSessionClaims>(&token),
                reads::<TotpClaims>(&token),
                reads::<IdClaims>(&token),
            ];
            let expected: Vec<_> = (0..5).map(|place| place == index).collect();
            assert_eq!(read.to_vec(), expected, "{token}");
        }
    }
}

fn reads<C: DeserializeOwned>(token: &Value) -> bool {
    serde_json::from_value::<C>(token.clone()).is_ok()
}

#[test]
fn claims_lead_back() {
    let access = issue::<'a'>(&issuers());
    let text = serde_json::to_string(&access).unwrap();
    assert_eq!(serde_json::from_str::<AccessClaims>(&text).unwrap(), access);
    let id = id_claims(&issuers());
    let text = serde_json::to_string(&id).unwrap();
    assert_eq!(serde_json::from_str::<IdClaims>(&text).unwrap(), id);
}

#[test]
fn malformed_claims_are_refused() {
    let good = serde_json::to_value(issue::<'a'>(&issuers())).unwrap();
    assert!(reads::<AccessClaims>(&good));
    for (claim, value) in [
        ("z_t", json!("A")),
        ("z_t", json!("ar")),
        ("z_t", json!("")),
        ("z_t", json!(null)),
        ("z_t", json!(["a"])),
        ("aud", json!("native")),
        ("aud", json!(["native", "openziti"])),
        ("aud", json!([])),
        ("aud", json!(["evil"])),
        ("exp", json!("1800000000")),
        ("exp", json!(1.5)),
        ("exp", json!(null)),
        ("iat", json!(true)),
        ("sub", json!(7)),
        ("amr", json!(["guess"])),
        ("scopes", json!(["admin"])),
        ("z_cfs", json!("aa")),
        ("z_ia", json!("true")),
    ] {
        let mut bad = good.clone();
        bad[claim] = value;
        assert!(!reads::<AccessClaims>(&bad), "{bad}");
    }
    for claim in [
        "iss",
        "sub",
        "aud",
        "exp",
        "iat",
        "nbf",
        "jti",
        "client_id",
        "z_t",
        "z_asid",
    ] {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(claim);
        assert!(!reads::<AccessClaims>(&bad), "{claim}");
    }
}

#[test]
fn issuer_audience_and_times_are_judged() {
    let issuers = issuers();
    let token = issue::<'a'>(&issuers);
    let check = |second| token.validate(&validation(&issuers, at(second)));
    assert_eq!(check(4), Err(ClaimsError::NotYetValid));
    assert_eq!(check(5), Ok(()), "within the leeway");
    assert_eq!(check(1814), Ok(()), "within the leeway");
    assert_eq!(check(1815), Err(ClaimsError::Expired));

    let foreign = Issuers::new(["other.test"], &[1280]);
    let judged = token.validate(&validation(&foreign, at(10)));
    assert_eq!(judged, Err(ClaimsError::Issuer));
    // By another address of the same controller.
    let mut moved = token.clone();
    moved.iss = "https://127.0.0.1:1280/oidc".to_owned();
    assert_eq!(moved.validate(&validation(&issuers, at(10))), Ok(()));

    let mut expected = validation(&issuers, at(10));
    expected.client = Some(Client::Native);
    assert_eq!(token.validate(&expected), Ok(()));
    expected.client = Some(Client::OpenZiti);
    assert_eq!(token.validate(&expected), Err(ClaimsError::Audience));
    let mut mixed = token.clone();
    mixed.session.aud = [Client::OpenZiti];
    let judged = mixed.validate(&validation(&issuers, at(10)));
    assert_eq!(judged, Err(ClaimsError::Audience));
    let mut mixed = token.clone();
    mixed.session.z_aid = Client::OpenZiti;
    let judged = mixed.validate(&validation(&issuers, at(10)));
    assert_eq!(judged, Err(ClaimsError::Audience));

    let mut later = token;
    later.nbf = i64::MAX;
    let judged = later.validate(&validation(&issuers, at(10)));
    assert_eq!(judged, Err(ClaimsError::NotYetValid));
}

#[test]
fn hints_may_have_expired() {
    let issuers = issuers();
    let hint = id_claims(&issuers);
    assert_eq!(
        hint.validate_hint(&validation(&issuers, at(1_000_000))),
        Ok(())
    );
    let early = hint.validate_hint(&validation(&issuers, at(0)));
    assert_eq!(early, Err(ClaimsError::NotYetValid));
    let foreign = Issuers::new(["other.test"], &[1280]);
    let judged = hint.validate_hint(&validation(&foreign, at(10)));
    assert_eq!(judged, Err(ClaimsError::Issuer));
    let mut mixed = hint;
    mixed.azp = Client::OpenZiti;
    let judged = mixed.validate_hint(&validation(&issuers, at(10)));
    assert_eq!(judged, Err(ClaimsError::Audience));
}
