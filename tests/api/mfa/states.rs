//! TOTP: every operation in every state, through full and partial sessions, on both APIs.

use crate::support::mfa::{
    CodePlacement, Device, MfaFixture, TestUser, advance_clock, begin, enroll, remove,
    request_with_code, status_and_code,
};
use crate::support::{STRICT, add_strict_policy, read, send};
use http::Method;
use portcullis_http::path::Api;
use portcullis_testkit::Harness;
use serde_json::json;

/// How far an enrollment has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    None,
    Started,
    Verified,
}

const STATES: [State; 3] = [State::None, State::Started, State::Verified];

/// What is given for a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    None,
    Wrong,
    Totp,
    Recovery,
}

/// An operation with what is answered in each of [`STATES`], and the state that a success leads to.
struct Row {
    asked: (Method, &'static str),
    code: Code,
    answers: [&'static str; 3],
    leads_to: Option<State>,
}

const fn row(
    asked: (Method, &'static str),
    code: Code,
    answers: [&'static str; 3],
    leads_to: Option<State>,
) -> Row {
    Row {
        asked,
        code,
        answers,
        leads_to,
    }
}

const OWN: &str = "/current-identity/mfa";
const VERIFY: &str = "/current-identity/mfa/verify";
const QR: &str = "/current-identity/mfa/qr-code";
const CODES: &str = "/current-identity/mfa/recovery-codes";
const ANSWER: &str = "/authenticate/mfa";
const TOKEN: &str = "/current-api-session/totp-token";

const MISSING: &str = "404 NOT_FOUND";
const EXISTS: &str = "409 MFA_EXISTS";
const WRONG: &str = "400 MFA_INVALID_TOKEN";
const UNENROLLED: &str = "409 MFA_NOT_ENROLLED";
const DENIED: &str = "401 UNAUTHORIZED";
const NO_TOKEN: &str = "400 INVALID_BACKING_TOKEN_TYPE";

/// What full and partial sessions are answered alike.
fn alike() -> Vec<Row> {
    const VERIFIED: Option<State> = Some(State::Verified);
    vec![
        row(
            (Method::GET, OWN),
            Code::None,
            [MISSING, "200", "200"],
            None,
        ),
        row(
            (Method::POST, OWN),
            Code::None,
            ["201", EXISTS, EXISTS],
            Some(State::Started),
        ),
        row(
            (Method::GET, QR),
            Code::None,
            [MISSING, "200", MISSING],
            None,
        ),
        row(
            (Method::POST, VERIFY),
            Code::Wrong,
            [MISSING, WRONG, MISSING],
            None,
        ),
        row(
            (Method::POST, VERIFY),
            Code::Totp,
            [MISSING, "200", MISSING],
            VERIFIED,
        ),
        row(
            (Method::POST, VERIFY),
            Code::Recovery,
            [MISSING, WRONG, MISSING],
            None,
        ),
        row(
            (Method::POST, ANSWER),
            Code::Wrong,
            [UNENROLLED, UNENROLLED, WRONG],
            None,
        ),
        row(
            (Method::POST, ANSWER),
            Code::Totp,
            [UNENROLLED, UNENROLLED, "200"],
            None,
        ),
        row(
            (Method::POST, ANSWER),
            Code::Recovery,
            [UNENROLLED, UNENROLLED, "200"],
            None,
        ),
    ]
}

/// What only full sessions are answered.
fn full() -> Vec<Row> {
    const NONE: Option<State> = Some(State::None);
    let mut rows = alike();
    for method in [Method::GET, Method::POST] {
        for (code, verified) in [
            (Code::Wrong, WRONG),
            (Code::Totp, "200"),
            (Code::Recovery, "200"),
        ] {
            rows.push(row(
                (method.clone(), CODES),
                code,
                [MISSING, MISSING, verified],
                None,
            ));
        }
    }
    for (code, verified) in [
        (Code::None, WRONG),
        (Code::Wrong, WRONG),
        (Code::Totp, "200"),
        (Code::Recovery, "200"),
    ] {
        rows.push(row(
            (Method::DELETE, OWN),
            code,
            [MISSING, "200", verified],
            NONE,
        ));
    }
    rows.push(row(
        (Method::GET, CODES),
        Code::None,
        [MISSING, MISSING, WRONG],
        None,
    ));
    for code in [Code::Wrong, Code::Totp, Code::Recovery] {
        rows.push(row((Method::POST, TOKEN), code, [NO_TOKEN; 3], None));
    }
    rows
}

/// What only partial sessions are answered.
fn partial() -> Vec<Row> {
    let mut rows = alike();
    for code in [Code::None, Code::Wrong, Code::Totp, Code::Recovery] {
        let none = Some(State::None);
        rows.push(row(
            (Method::DELETE, OWN),
            code,
            [MISSING, "200", DENIED],
            none,
        ));
        rows.push(row((Method::GET, CODES), code, [DENIED; 3], None));
        if code != Code::None {
            rows.push(row((Method::POST, CODES), code, [DENIED; 3], None));
            rows.push(row((Method::POST, TOKEN), code, [DENIED; 3], None));
        }
    }
    rows
}

/// Brings an enrollment to a state; answers the session that is to be judged, partial if its policy
/// demands a code, and the device and a recovery code if there are any.
async fn bring_to(
    controller: &Harness,
    person: &TestUser,
    state: State,
) -> (String, Option<(Device, String)>) {
    let first = person.log_in(controller).await;
    let set_up = match state {
        State::None => return (first, None),
        State::Started => {
            let (device, begun) = begin(controller, &first).await;
            (
                device,
                begun["recoveryCodes"][3].as_str().unwrap().to_owned(),
            )
        },
        State::Verified => {
            let (device, mut codes) = enroll(controller, &first).await;
            (device, codes.swap_remove(3))
        },
    };
    (first, Some(set_up))
}

/// How far an enrollment has come, as its owner sees it.
async fn state(controller: &Harness, session: &str) -> State {
    let path = "/edge/client/v1/current-identity/mfa";
    let reply = request_with_code(
        controller,
        session,
        (Method::GET, path),
        CodePlacement::Omitted,
    )
    .await;
    match reply.status.as_u16() {
        404 => State::None,
        _ if reply.data()["isVerified"] == true => State::Verified,
        _ => State::Started,
    }
}

/// Asks one thing in one state.
async fn cell(
    scene: &MfaFixture,
    row: &Row,
    (before, number): (State, usize),
    api: Api,
    is_full: bool,
) {
    let MfaFixture {
        controller,
        admin,
        person,
    } = scene;
    remove(controller, admin, &person.id).await.data();
    let (mut session, set_up) = bring_to(controller, person, before).await;
    if before == State::Verified && !is_full {
        session = person.log_in(controller).await;
    }
    let (method, path) = row.asked.clone();
    let what = format!(
        "{method} {path} {:?} {before:?} {api:?} full: {is_full}",
        row.code
    );
    let code = match (row.code, &set_up) {
        (Code::None, _) => None,
        (Code::Wrong, Some((device, _))) => Some(device.wrong_code(controller)),
        (Code::Totp, Some((device, _))) => Some(device.code(controller, 0)),
        (Code::Recovery, Some((_, recovery))) => Some(recovery.clone()),
        (_, None) => Some("000000".to_owned()),
    };
    let given = code
        .as_deref()
        .map_or(CodePlacement::Omitted, CodePlacement::Body);
    let path = format!("{}{path}", api.base_path());
    let reply = request_with_code(controller, &session, (method, &path), given).await;
    assert_eq!(status_and_code(&reply), row.answers[number], "{what}");
    let is_challenged = reply.headers.contains_key("www-authenticate");
    assert!(!is_challenged, "{what}");
    let after = match row.leads_to {
        Some(after) if reply.status.is_success() => after,
        _ => before,
    };
    assert_eq!(state(controller, &session).await, after, "{what}");
    let shown = read(controller, admin, &person.id).await;
    assert_eq!(shown["isMfaEnabled"], after == State::Verified, "{what}");
}

#[tokio::test]
async fn every_operation_is_answered_as_the_state_demands() {
    let scene = MfaFixture::new().await;
    for api in [Api::Client, Api::Management] {
        for row in full() {
            for (number, before) in STATES.into_iter().enumerate() {
                cell(&scene, &row, (before, number), api, true).await;
            }
        }
    }
}

#[tokio::test]
async fn partial_sessions_are_answered_as_the_state_demands() {
    let scene = MfaFixture::new().await;
    let MfaFixture {
        controller,
        admin,
        person,
    } = &scene;
    add_strict_policy(controller).await;
    let path = format!("/identities/{}", person.id);
    let body = json!({"authPolicyId": STRICT});
    send(controller, admin, (Method::PATCH, &path), &body)
        .await
        .data();
    for api in [Api::Client, Api::Management] {
        for row in partial() {
            for (number, before) in STATES.into_iter().enumerate() {
                cell(&scene, &row, (before, number), api, false).await;
            }
        }
    }
}

#[tokio::test]
async fn administrators_end_every_state() {
    let scene = MfaFixture::new().await;
    let MfaFixture {
        controller, person, ..
    } = &scene;
    for before in STATES {
        let (session, _) = bring_to(controller, person, before).await;
        for _ in 0..2 {
            assert_eq!(scene.remove().await.json(), json!({"data": {}, "meta": {}}));
            assert_eq!(state(controller, &session).await, State::None, "{before:?}");
        }
    }
}

/// The codes of the one are nothing to the other, however often one begins.
#[tokio::test]
async fn each_enrollment_has_a_secret_of_its_own() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (old, first) = begin(controller, session).await;
    assert_eq!(scene.remove().await.status, 200);
    let (new, second) = begin(controller, session).await;
    for member in ["id", "provisioningUrl", "recoveryCodes"] {
        assert_ne!(first[member], second[member], "{member}");
    }
    advance_clock(controller, 30);
    let code = old.code(controller, 0);
    let path = format!("/edge/client/v1{VERIFY}");
    let refused = request_with_code(
        controller,
        session,
        (Method::POST, &path),
        CodePlacement::Body(&code),
    )
    .await;
    assert_eq!(status_and_code(&refused), WRONG);
    let code = new.code(controller, 0);
    let done = request_with_code(
        controller,
        session,
        (Method::POST, &path),
        CodePlacement::Body(&code),
    )
    .await;
    assert_eq!(status_and_code(&done), "200");
}
