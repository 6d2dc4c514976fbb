//! Answers made from domain views equal the recorded ones.

use crate::recorded::{TIME, answer, steps};
use portcullis_api::api_session::{ApiSessionDetail, AuthQuery};
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_api::code::Code;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::envelope::Envelope;
use portcullis_api::error::{Cause, ErrorBody};
use portcullis_api::identity::{IdentityDetail, IdentityTypeDetail};
use portcullis_api::spec::SpecDetail;
use portcullis_domain::FieldError;
use portcullis_domain::api_session::{ApiSession, OpenedBy, TokenHash};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::authenticator::{PasswordHash, UpdbCredential};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::enrollment::{
    Enrollment, EnrollmentMethod, EnrollmentPurpose, EnrollmentSecrets,
};
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec, IdentityType, TotpState};
use portcullis_domain::ids::{
    ApiSessionId, AuthPolicyId, AuthenticatorId, CaId, EnrollmentId, IdentityId, RequestId,
};
use portcullis_domain::tags::Tags;
use portcullis_domain::view::{
    ApiSessionView, AuthenticatorView, EdgeRouterConnection, EnrollmentOwnerRef, EnrollmentView,
    IdentityRef, IdentityView, OpenFactorView,
};
use serde::Serialize;
use serde_json::{Value, json};

fn now() -> Timestamp {
    TIME.parse().unwrap()
}

fn written(value: &impl Serialize) -> Value {
    serde_json::from_slice(&portcullis_api::json::to_bytes(value)).unwrap()
}

fn identity(id: &str, name: &str) -> Identity {
    let spec = IdentitySpec::named(IdentityName::new(name).unwrap());
    Identity::new(IdentityId::from_wire(id), spec, now())
}

fn view(identity: Identity) -> IdentityView {
    IdentityView {
        edge_router_connection: EdgeRouterConnection::default(),
        identity,
        policy_name: Some("Default".to_owned()),
        authenticators: Vec::new(),
        enrollments: Vec::new(),
        ca: None,
        has_api_session: false,
        as_of: now(),
    }
}

fn enrollment(
    id: &str,
    method: EnrollmentMethod,
    token: &str,
) -> (Enrollment, Option<EnrollmentSecrets>) {
    let enrollment = Enrollment::new(
        EnrollmentId::from_wire(id),
        EnrollmentPurpose::Identity {
            identity: IdentityId::from_wire("<id:u>"),
            method,
        },
        now(),
        now(),
    );
    let secrets = EnrollmentSecrets {
        token: token.into(),
        jwt: "<jwt>".into(),
    };
    (enrollment, Some(secrets))
}

fn reference(id: &str, name: &str) -> IdentityRef {
    IdentityRef {
        id: IdentityId::from_wire(id),
        name: name.to_owned(),
        auth_policy: AuthPolicyId::from_wire("default"),
    }
}

fn authenticator(id: &str, identity: &str, credential: Credential) -> Authenticator {
    Authenticator {
        id: AuthenticatorId::from_wire(id),
        created_at: now(),
        updated_at: now(),
        tags: Tags::default(),
        identity: IdentityId::from_wire(identity),
        credential,
    }
}

fn updb(username: &str) -> Credential {
    let hash = PasswordHash {
        memory: 1,
        passes: 1,
        lanes: 1,
        salt: "opensalt".to_owned(),
        hash: "opensesame".to_owned(),
    };
    Credential::Updb(UpdbCredential::new(username, hash))
}

fn cert() -> Credential {
    Credential::Cert(CertCredential::new(
        "f".to_owned(),
        "<pem>".to_owned(),
        true,
    ))
}

fn session(questions: Vec<OpenFactorView>) -> ApiSessionView {
    let mut session = ApiSession::new(
        ApiSessionId::from_wire("<cuid:u>"),
        IdentityId::from_wire("<id:u>"),
        OpenedBy::Authenticator(AuthenticatorId::from_wire("<id:auth>")),
        TokenHash([7; 16]),
        now(),
    );
    "<ip>".clone_into(&mut session.ip_address);
    ApiSessionView {
        session,
        identity: reference("<id:u>", "g<run>-s"),
        open_factors: questions,
        extension: None,
        last_activity_at: now(),
        timeout: SignedDuration::from_mins(30),
        ends_at: None,
        access_token: None,
    }
}

#[test]
fn identity_with_an_enrollment_is_as_recorded() {
    let mut view = view(identity("<id:ott>", "g<run>-ott"));
    view.enrollments = vec![enrollment(
        "<id:otte>",
        EnrollmentMethod::Ott,
        "<token:ott>",
    )];
    let made = written(&Envelope::new(IdentityDetail::from(view)));
    assert_eq!(made["data"]["enrollment"]["ott"]["jwt"], "<jwt>");
    if let Some(recorded) = answer(&steps(), "identities-create: read one-time token") {
        assert_eq!(made, recorded);
    }
}

#[test]
fn identity_shows_what_belongs_to_it() {
    let mut identity = identity("i", "n");
    identity.attached.totp = TotpState::Verified;
    identity.disable(Some(now() + SignedDuration::from_mins(1)), now());
    let mut view = view(identity);
    let ca = CaId::from_wire("c");
    view.enrollments = vec![
        enrollment("e1", EnrollmentMethod::OttCa { ca }, "t1"),
        enrollment(
            "e2",
            EnrollmentMethod::Updb {
                username: "ann".to_owned(),
            },
            "t2",
        ),
    ];
    view.authenticators = vec![
        authenticator("a1", "i", updb("ann")),
        authenticator("a2", "i", cert()),
        authenticator("a3", "i", cert()),
    ];
    let mut later = view.clone();
    later.as_of = now() + SignedDuration::from_mins(1);
    let made = written(&IdentityDetail::from(view));
    assert_eq!(made["isMfaEnabled"], true);
    assert_eq!(made["disabled"], true);
    assert_eq!(made["disabledAt"], TIME);
    assert_eq!(made["disabledUntil"], "2031-04-05T06:08:08.009Z");
    assert_eq!(made["enrollment"]["ottca"]["caId"], "c");
    assert_eq!(
        made["enrollment"]["updb"],
        json!({"expiresAt": TIME, "id": "e2", "jwt": "<jwt>", "token": "t2"})
    );
    assert_eq!(
        made["authenticators"],
        json!({"cert": {"fingerprint": "f", "id": "a3"}, "updb": {"id": "a1", "username": "ann"}})
    );
    let made = written(&IdentityDetail::from(later));
    assert_eq!(made["disabled"], false, "the time is over");
    assert_eq!(made["disabledAt"], TIME, "and stays visible");
}

#[test]
fn caller_sees_itself_as_recorded() {
    let mut view = view(identity("<id:u>", "g<run>-ci"));
    view.has_api_session = true;
    view.authenticators = vec![authenticator("<id:auth>", "<id:u>", updb("g<run>-ciuser"))];
    let made = written(&Envelope::without_meta(IdentityDetail::of_caller(view)));
    let steps = steps();
    let recorded = steps.iter().find(|step| {
        step.name.starts_with("current-identity:")
            && step.path == "/current-identity"
            && step.status == 200
    });
    assert_eq!(made["data"]["_links"].as_object().unwrap().len(), 2);
    if let Some(recorded) = recorded {
        assert_eq!(made, recorded.answer, "{}", recorded.name);
    }
}

#[test]
fn session_is_as_recorded() {
    let holder = ApiSessionDetail::for_holder(session(Vec::new()), "<token:u>".into());
    let mut made = written(&Envelope::new(holder));
    assert_eq!(made["data"]["expirationSeconds"], 1800);
    assert_eq!(made["data"]["expiresAt"], "2031-04-05T06:37:08.009Z");
    let administrator =
        ApiSessionDetail::for_administrator(session(Vec::new()), "<token:u>".into());
    let listed = written(&Envelope::new(administrator));
    assert!(listed["data"].get("expiresAt").is_none());
    let steps = steps();
    if let Some(recorded) = answer(&steps, "auth-sessions: current session on the client API") {
        // Recordings have one instant only.
        made["data"]["expiresAt"] = TIME.into();
        assert_eq!(made, recorded);
        let recorded = answer(&steps, "auth-sessions: admin reads the session").unwrap();
        assert_eq!(listed, recorded);
    }
}

#[test]
fn open_factor_is_asked_for_of_the_holder_alone() {
    let mut open = session(vec![OpenFactorView::Totp { is_enrolled: false }]);
    let queries = |view: ApiSessionView| {
        written(&ApiSessionDetail::for_holder(view, "t".into()))["authQueries"].clone()
    };
    let mut expected = json!([{
        "format": "alphaNumeric", "httpMethod": "POST", "httpUrl": "./authenticate/mfa",
        "maxLength": 6, "minLength": 4, "provider": "ziti", "scopes": null, "typeId": "MFA"
    }]);
    assert_eq!(queries(open.clone()), expected);
    open.open_factors = vec![OpenFactorView::Totp { is_enrolled: true }];
    expected[0]["isTotpEnrolled"] = true.into();
    assert_eq!(queries(open.clone()), expected);
    let listed = written(&ApiSessionDetail::for_administrator(open, "t".into()));
    assert_eq!(listed["authQueries"], json!([]));
    let read: Vec<AuthQuery> = serde_json::from_value(expected).unwrap();
    assert_eq!(read, [AuthQuery::totp(true)]);
}

#[test]
fn enrollment_is_as_recorded_but_for_its_times() {
    let (enrollment, secrets) = enrollment("<id:e2>", EnrollmentMethod::Ott, "<token:e2>");
    let made = written(&Envelope::new(EnrollmentDetail::from(EnrollmentView {
        enrollment,
        secrets,
        owner: EnrollmentOwnerRef::Identity(reference("<id:u>", "g<run>-ott")),
    })));
    assert_eq!(made["data"]["createdAt"], TIME);
    if let Some(mut recorded) = answer(&steps(), "enroll-ott: read second enrollment") {
        // The reference never stores these.
        assert_eq!(recorded["data"]["createdAt"], "0001-01-01T00:00:00.000Z");
        recorded["data"]["createdAt"] = TIME.into();
        recorded["data"]["updatedAt"] = TIME.into();
        assert_eq!(made, recorded);
    }
}

#[test]
fn authenticators_show_no_secret() {
    let detail = |credential| AuthenticatorView {
        authenticator: authenticator("a", "i", credential),
        identity: reference("i", "n"),
    };
    let made = written(&AuthenticatorDetail::from(detail(updb("ann"))));
    assert!(!made.to_string().contains("open"), "{made}");
    assert_eq!(made["username"], "ann");
    assert_eq!(made["_links"]["identities"]["href"], "./identities/i");
    let made = written(&AuthenticatorDetail::from(detail(cert())));
    assert_eq!(
        (&made["method"], &made["isIssuedByNetwork"]),
        (&json!("cert"), &json!(true))
    );
    assert_eq!(made.get("username"), None);
    let made = written(&AuthenticatorDetail::of_caller(detail(cert())));
    assert_eq!(
        made["_links"],
        json!({"self": {"href": "./current-identity/authenticators/a"}})
    );
}

#[test]
fn small_entities_are_as_recorded() {
    let steps = steps();
    let policy = written(&AuthPolicyDetail::from(AuthPolicy::default_policy(now())));
    assert_eq!(policy["secondary"], json!({"requireTotp": false}));
    let kind = written(&Envelope::new(IdentityTypeDetail::new(
        IdentityType::Default,
        now(),
    )));
    let spec = written(&Envelope::new(SpecDetail::new("edge-client", now())));
    if steps.is_empty() {
        return;
    }
    let list = steps.iter().find(|step| {
        step.path.starts_with("/auth-policies") && step.answer["data"][0]["id"] == "default"
    });
    assert_eq!(policy, list.unwrap().answer["data"][0]);
    assert_eq!(kind, answer(&steps, "http-errors: double slash").unwrap());
    assert_eq!(spec, answer(&steps, "root-and-version: one spec").unwrap());
}

#[test]
fn errors_are_as_recorded_but_for_their_words() {
    let request = || RequestId::from_wire("<request-id>");
    let missing = FieldError::new("isAdmin", "isAdmin in body is required", "<nil>");
    let steps = steps();
    for (made, name) in [
        (
            ErrorBody::field(missing, request()),
            "identities-create-errors: isAdmin missing",
        ),
        (
            ErrorBody::new(Code::NotFound, request())
                .with_cause(Cause::text("identity with id nope not found")),
            "identities-update: read unknown identity",
        ),
        (
            ErrorBody::new(Code::InvalidAuth, request()),
            "auth-password: unknown user",
        ),
    ] {
        let mut made = written(&made);
        let message = made["error"]["message"].take();
        assert!(!message.as_str().unwrap().is_empty());
        if let Some(mut recorded) = answer(&steps, name) {
            recorded["error"]["message"].take();
            assert_eq!(made, recorded, "{name}");
        }
    }
}
