//! TOTP: codes that are none, wherever one can be given. None of them leaves a trace.

use crate::support::log::Log;
use crate::support::mfa::{
    CodePlacement, CodeUse, MfaFixture, TestUser, advance_clock, answer, assert_refused, begin,
    identity, own_mfa, request_with_code, texts, wrong_code_count,
};
use crate::support::revision;
use http::Method;
use portcullis_domain::identity::TotpState;
use portcullis_testkit::{Harness, Reply};
use serde_json::json;

const USES: [CodeUse; 5] = [
    CodeUse::Verify,
    CodeUse::Answer,
    CodeUse::Read,
    CodeUse::Replace,
    CodeUse::Leave,
];

/// Two people: one has begun, one is enrolled.
struct Two {
    scene: MfaFixture,
    beginner: TestUser,
    recovery: Vec<String>,
    log: Log,
}

impl Two {
    async fn new() -> Self {
        let scene = MfaFixture::new().await;
        let (_, recovery) = scene.enroll().await;
        let beginner = TestUser::new(&scene.controller, &scene.admin, "bert").await;
        begin(&scene.controller, &beginner.session).await;
        let log = Log::read();
        Self {
            scene,
            beginner,
            recovery,
            log,
        }
    }

    fn controller(&self) -> &Harness {
        &self.scene.controller
    }

    /// Whoever can give a code for something.
    fn person(&self, purpose: CodeUse) -> &TestUser {
        match purpose {
            CodeUse::Verify => &self.beginner,
            _ => &self.scene.person,
        }
    }

    /// Sends a body as it is.
    async fn send(&self, purpose: CodeUse, body: &[u8]) -> Reply {
        let (method, path) = purpose.operation();
        let request = self.controller().request(method, path);
        let request = request.session(&self.person(purpose).session);
        request.bytes("application/json", body).send().await
    }

    /// Asserts that nothing has come of a request that was sent when the store stood at `before`.
    async fn check(&self, before: u64, (value, reply): (&str, &Reply), what: &str) {
        assert_eq!(revision(self.controller()), before, "{what}");
        for person in [&self.scene.person, &self.beginner] {
            assert_eq!(
                wrong_code_count(self.controller(), &person.id).await,
                0,
                "{what}"
            );
        }
        let value = value.trim();
        let log = self.log.take();
        if value.len() > 3 {
            assert!(!reply.text().contains(value), "{what}: {}", reply.text());
            assert!(!log.contains(value), "{what}: {log}");
        }
        for (name, header) in &reply.headers {
            assert!(value.is_empty() || header != value, "{what}: {name}");
        }
    }
}

#[tokio::test]
async fn what_is_no_code_is_refused_like_a_wrong_one() {
    let two = Two::new().await;
    let huge = "8".repeat(1_000_000);
    let lower = two.recovery[0].to_lowercase();
    for (what, value) in [
        ("five digits", "84823"),
        ("seven digits", "8482395"),
        ("eight digits", "84823957"),
        ("a space before", " 848239"),
        ("a space behind", "848239 "),
        ("a space within", "848 239"),
        ("a space for a digit", "84 239"),
        ("a tab", "\t84823"),
        ("a line break", "848239\n"),
        ("full-width digits", "８４８２３９"),
        ("two full-width digits", "８４"),
        ("Arabic-Indic digits", "٨٤٨٢٣٩"),
        ("three Arabic-Indic digits", "٨٤٨"),
        ("a sign", "+84823"),
        ("a sign before a code", "+848239"),
        ("a negative number", "-84823"),
        ("a fraction", "8482.3"),
        ("a power", "8482e3"),
        ("hexadecimal", "0x8482"),
        ("a separator", "848_23"),
        ("a zero byte", "84823\0"),
        ("a zero byte behind", "848239\0"),
        ("a wrong letter", "ABCDE1"),
        ("a recovery code in lower case", &lower),
        ("a long recovery code", "ABCDEFG"),
        ("nothing", ""),
        ("a space", " "),
        ("a megabyte", &huge),
    ] {
        for purpose in USES {
            let what = format!("{what} for {purpose:?}");
            let before = revision(two.controller());
            let body = json!({"code": value}).to_string();
            let reply = two.send(purpose, body.as_bytes()).await;
            assert_refused(&reply);
            assert!(reply.body.len() < 1000, "{what}");
            two.check(before, (value, &reply), &what).await;
        }
    }
}

/// What may come in the header is judged like what comes in the body.
#[tokio::test]
async fn what_is_no_code_is_refused_in_the_header_too() {
    let two = Two::new().await;
    let lower = two.recovery[0].to_lowercase();
    for value in [
        "84823",
        "8482395",
        "84823957",
        "848 239",
        "84 239",
        "+84823",
        "-84823",
        "８４８２３９",
        "",
        &lower,
        "ABCDE1",
        "848239, 848239",
    ] {
        for purpose in [CodeUse::Read, CodeUse::Leave] {
            let what = format!("{value:?} for {purpose:?}");
            let before = revision(two.controller());
            let session = &two.scene.person.session;
            let given = CodePlacement::Header(value);
            let reply =
                request_with_code(two.controller(), session, purpose.operation(), given).await;
            assert_refused(&reply);
            two.check(before, (value, &reply), &what).await;
        }
    }
}

/// Bodies that are not what is asked for; the answers are those that clients know (ruling 27).
#[tokio::test]
async fn bodies_without_a_text_for_a_code_are_refused() {
    const PARSE: &str = "COULD_NOT_PARSE_BODY";
    const MISSING: &str = "COULD_NOT_VALIDATE";
    let two = Two::new().await;
    for (body, code) in [
        (r#"{"code": 848239}"#, PARSE),
        (r#"{"code": 848239.5}"#, PARSE),
        (r#"{"code": -848239}"#, PARSE),
        (r#"{"code": true}"#, PARSE),
        (r#"{"code": ["848239"]}"#, PARSE),
        (r#"{"code": {"code": "848239"}}"#, PARSE),
        (r#""848239""#, PARSE),
        (r#"["848239"]"#, PARSE),
        ("848239", PARSE),
        ("848239x", PARSE),
        (r#"{"code": "848239"#, PARSE),
        (r#"{"code": 848239x}"#, PARSE),
        (r#"{"code": 848239"#, PARSE),
        ("{code: '848239'}", PARSE),
        ("code=848239", PARSE),
        ("{\"code\": \"848239\n\"}", PARSE),
        ("{", PARSE),
        ("{}", MISSING),
        ("null", MISSING),
        (r#"{"code": null}"#, MISSING),
        (r#"{"code": "848239", "code": null}"#, MISSING),
        (
            r#"{"token": "848239", "mfa-validation-code": "848239"}"#,
            MISSING,
        ),
    ] {
        for purpose in USES {
            let what = format!("{body} for {purpose:?}");
            let before = revision(two.controller());
            let reply = two.send(purpose, body.as_bytes()).await;
            if purpose == CodeUse::Leave {
                // As on the wire, where the body of a removal never counted.
                assert_refused(&reply);
            } else {
                assert_eq!(reply.error(), (400, code.to_owned()), "{what}");
                if code == MISSING {
                    assert_eq!(reply.field(), "code", "{what}");
                }
            }
            two.check(before, ("848239", &reply), &what).await;
        }
    }
}

#[tokio::test]
async fn absent_bodies_are_named_where_one_is_needed() {
    let two = Two::new().await;
    for (purpose, parameter) in [
        (CodeUse::Verify, Some("mfaValidation")),
        (CodeUse::Answer, Some("mfaAuth")),
        (CodeUse::Replace, Some("mfaValidation")),
        (CodeUse::Read, None),
        (CodeUse::Leave, None),
    ] {
        let session = &two.person(purpose).session;
        let before = revision(two.controller());
        let asked = purpose.operation();
        let reply =
            request_with_code(two.controller(), session, asked, CodePlacement::Omitted).await;
        match parameter {
            Some(parameter) => {
                assert_eq!(
                    reply.error(),
                    (400, "COULD_NOT_VALIDATE".to_owned()),
                    "{purpose:?}"
                );
                assert_eq!(reply.field(), parameter, "{purpose:?}");
            },
            None => assert_refused(&reply),
        }
        two.check(before, ("", &reply), &format!("{purpose:?}"))
            .await;
    }
    let not_text = two
        .send(CodeUse::Answer, b"{\"code\": \"84\xff\xfe23\"}")
        .await;
    assert_eq!(not_text.error(), (400, "COULD_NOT_PARSE_BODY".to_owned()));
}

/// The form of a request is judged before anything is asked about the enrollment, apart from that of
/// a removal, which needs no body.
#[tokio::test]
async fn form_comes_before_state() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    for is_begun in [false, true] {
        if is_begun {
            begin(controller, session).await;
        }
        for purpose in [
            CodeUse::Verify,
            CodeUse::Answer,
            CodeUse::Read,
            CodeUse::Replace,
        ] {
            for (body, code) in [
                (json!({"code": 848_239}), "COULD_NOT_PARSE_BODY"),
                (json!({}), "COULD_NOT_VALIDATE"),
            ] {
                let (method, path) = purpose.operation();
                let request = controller.request(method, path).session(session);
                let reply = request.json(&body).send().await;
                assert_eq!(reply.error(), (400, code.to_owned()), "{purpose:?}");
            }
        }
    }
    for status in [200, 404] {
        let (method, path) = CodeUse::Leave.operation();
        let request = controller.request(method, path).session(session);
        let reply = request.json(&json!({"code": 848_239})).send().await;
        assert_eq!(reply.status, status, "{}", reply.text());
    }
    scene.remove().await.data();
    // And the state before the code.
    for code in ["", "84823", "848239"] {
        let reply = CodeUse::Verify.submit(controller, session, code).await;
        assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()), "{code:?}");
        let reply = answer(controller, session, code).await;
        assert_eq!(
            reply.error(),
            (409, "MFA_NOT_ENROLLED".to_owned()),
            "{code:?}"
        );
    }
}

/// Beginning takes no body: what is sent along is not looked at.
#[tokio::test]
async fn beginning_looks_at_no_body() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let path = "/edge/client/v1/current-identity/mfa";
    for body in [
        "",
        "{}",
        "null",
        "[1]",
        "{",
        r#"{"isVerified": true, "secret": "MZXW6"}"#,
    ] {
        let request = controller.request(Method::POST, path).session(session);
        let begun = request.text("application/json", body).send().await;
        assert_eq!(begun.status, 201, "{body}");
        let left = own_mfa(
            controller,
            session,
            (Method::DELETE, ""),
            CodePlacement::Omitted,
        )
        .await;
        assert_eq!(left.status, 200, "{body}");
    }
}

/// S-27: neither do the codes that are judged leave a trace, nor what they are judged by.
#[tokio::test]
async fn no_code_stands_in_the_log() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let log = Log::read();
    let (device, begun) = begin(controller, session).await;
    let recovery = texts(&begun["recoveryCodes"]);
    let url = begun["provisioningUrl"].as_str().unwrap();
    let (_, secret) = url.split_once("secret=").unwrap();
    let mut given = vec![secret.to_owned(), "QQQQQQ".to_owned()];
    given.extend(recovery.iter().cloned());
    own_mfa(
        controller,
        session,
        (Method::GET, ""),
        CodePlacement::Omitted,
    )
    .await
    .data();
    let code = device.code(controller, 0);
    assert_eq!(
        CodeUse::Verify
            .submit(controller, session, &code)
            .await
            .status,
        200
    );
    given.push(code);
    for (number, purpose) in CodeUse::ENROLLED.into_iter().enumerate() {
        advance_clock(controller, 30);
        let (wrong, right) = (device.wrong_code(controller), device.code(controller, 0));
        let unknown = "QQQQQQ".to_owned();
        for code in [wrong.clone(), unknown, right.clone(), right.clone()] {
            let reply = purpose.submit(controller, session, &code).await;
            if reply.status != 200 {
                assert!(!reply.text().contains(&code), "{}", reply.text());
            }
        }
        given.extend([wrong, right]);
        if purpose == CodeUse::Leave {
            break;
        }
        let recovery = &recovery[number];
        if purpose == CodeUse::Read {
            assert_eq!(
                purpose.submit(controller, session, recovery).await.status,
                200
            );
        }
    }
    assert_eq!(
        identity(controller, &scene.person.id).await.attached.totp,
        TotpState::None
    );
    let log = log.take();
    assert!(
        log.contains("code refused") && log.contains("request refused"),
        "{log}"
    );
    for code in given {
        assert!(!log.contains(&code), "{code}: {log}");
    }
}
