//! TOTP: where codes are read from, and where not.

use crate::support::mfa::{
    CodePlacement, CodeUse, MfaFixture, advance_clock, answer, assert_refused, request_with_code,
};
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};

/// Nobody reads a code out of the query, or out of a header where it belongs into the body.
#[tokio::test]
async fn codes_are_read_where_they_belong_and_nowhere_else() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (device, _) = scene.enroll().await;
    let code = device.code(controller, 0);
    for purpose in [CodeUse::Read, CodeUse::Leave] {
        let (method, path) = purpose.operation();
        for query in ["code", "mfa-validation-code"] {
            let path = format!("{path}?{query}={code}");
            let reply = request_with_code(
                controller,
                session,
                (method.clone(), &path),
                CodePlacement::Omitted,
            )
            .await;
            assert_refused(&reply);
        }
    }
    for purpose in [CodeUse::Answer, CodeUse::Replace] {
        let given = CodePlacement::Header(&code);
        let reply = request_with_code(controller, session, purpose.operation(), given).await;
        assert_eq!(
            reply.error(),
            (400, "COULD_NOT_VALIDATE".to_owned()),
            "{purpose:?}"
        );
    }
    assert_eq!(
        answer(controller, session, &code).await.status,
        200,
        "it was not used up"
    );
}

/// Sends one code in the header and another in the body.
async fn twice(
    controller: &Harness,
    session: &str,
    purpose: CodeUse,
    (header, body): (&str, &Value),
) -> Reply {
    let (method, path) = purpose.operation();
    let request = controller.request(method, path).session(session);
    let request = request.header("mfa-validation-code", header);
    request.json(body).send().await
}

/// As on the wire: the body wins where codes are read, the header where one leaves.
#[tokio::test]
async fn of_two_codes_one_counts() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    for (purpose, is_header_first) in [(CodeUse::Read, false), (CodeUse::Leave, true)] {
        let (device, _) = scene.enroll().await;
        let wrong = device.wrong_code(controller);
        let right = device.code(controller, 0);
        for loses in [wrong.as_str(), "84823", ""] {
            let (header, body) = if is_header_first {
                (loses, &*right)
            } else {
                (&*right, loses)
            };
            let body = json!({"code": body});
            let reply = twice(controller, session, purpose, (header, &body)).await;
            assert_refused(&reply);
        }
        let (header, body) = if is_header_first {
            (&*right, &*wrong)
        } else {
            (&*wrong, &*right)
        };
        let reply = twice(
            controller,
            session,
            purpose,
            (header, &json!({"code": body})),
        )
        .await;
        assert_eq!(reply.status, 200, "{purpose:?}: {}", reply.text());
        advance_clock(controller, 30);
        scene.remove().await.data();
    }
    // A body that is none spoils the request whatever is in the header.
    let (device, _) = scene.enroll().await;
    let right = device.code(controller, 0);
    let reply = twice(controller, session, CodeUse::Read, (&right, &json!({}))).await;
    assert_eq!(reply.error(), (400, "COULD_NOT_VALIDATE".to_owned()));
    let number = json!({"code": 848_239});
    let reply = twice(controller, session, CodeUse::Read, (&right, &number)).await;
    assert_eq!(reply.error(), (400, "COULD_NOT_PARSE_BODY".to_owned()));
    // But that of a removal never counted beside a header.
    let reply = twice(controller, session, CodeUse::Leave, (&right, &number)).await;
    assert_eq!(reply.status, 200);
}
