//! Codes: where they go, and that they are shown nowhere.

use crate::requests::Setting;
use crate::server::Say;
use portcullis_api::code::Code;
use portcullis_client::{Api, ClientError};
use portcullis_domain::ids::IdentityId;
use secrecy::ExposeSecret as _;

const DONE: Say = Say::Answer(200, r#"{"data":{},"meta":{}}"#);

const CODES: Say = Say::Answer(
    200,
    r#"{"data":{"_links":{},"createdAt":"2031-04-05T06:07:08.009Z",
        "updatedAt":"2031-04-05T06:07:08.009Z","id":"m1","recoveryCodes":["AB2C3D"]},"meta":{}}"#,
);

/// The parts of the request that was sent last.
struct Sent {
    line: String,
    header: Option<String>,
    body: String,
}

fn sent(setting: &Setting) -> Sent {
    let request = setting.seen().requests.pop().unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let header = head
        .lines()
        .find_map(|line| line.strip_prefix("mfa-validation-code: "));
    Sent {
        line: head.lines().next().unwrap().to_owned(),
        header: header.map(str::to_owned),
        body: body.to_owned(),
    }
}

#[tokio::test]
async fn codes_go_into_bodies_where_there_are_some() {
    let setting = Setting::new(DONE).await;
    let client = setting.client.with_session("s1".into());
    let body = r#"{"code":"012345"}"#;

    client.verify_own_mfa("012345".into()).await.unwrap();
    let verify = sent(&setting);
    assert_eq!(
        verify.line,
        "POST /edge/client/v1/current-identity/mfa/verify HTTP/1.1"
    );
    assert_eq!((verify.header, verify.body.as_str()), (None, body));

    let replaced = client.replace_own_recovery_codes("012345".into());
    assert!(replaced.await.unwrap().is_none());
    let replace = sent(&setting);
    assert_eq!(
        replace.line,
        "POST /edge/client/v1/current-identity/mfa/recovery-codes HTTP/1.1"
    );
    assert_eq!((replace.header, replace.body.as_str()), (None, body));

    let answered = client.authenticate_mfa(Api::Management, "AB2C3D".into());
    answered.await.unwrap();
    let answer = sent(&setting);
    assert_eq!(
        answer.line,
        "POST /edge/management/v1/authenticate/mfa HTTP/1.1"
    );
    assert_eq!(answer.body, r#"{"code":"AB2C3D"}"#);

    let id = IdentityId::from_wire("i1");
    client.remove_mfa_of_identity(&id).await.unwrap();
    let remove = sent(&setting);
    assert_eq!(
        remove.line,
        "DELETE /edge/management/v1/identities/i1/mfa HTTP/1.1"
    );
    assert_eq!((remove.header, remove.body.as_str()), (None, ""));
}

#[tokio::test]
async fn codes_go_into_a_header_where_there_is_no_body() {
    let setting = Setting::new(CODES).await;
    let codes = setting.client.own_recovery_codes("012345".into()).await;
    let codes = codes.unwrap().recovery_codes;
    assert_eq!(codes[0].expose_secret(), "AB2C3D");
    let read = sent(&setting);
    assert_eq!(
        read.line,
        "GET /edge/client/v1/current-identity/mfa/recovery-codes HTTP/1.1"
    );
    assert_eq!((read.header.as_deref(), &*read.body), (Some("012345"), ""));

    for code in [None, Some("654321")] {
        let removed = setting.client.remove_own_mfa(code.map(Into::into)).await;
        removed.unwrap();
        let remove = sent(&setting);
        assert_eq!(
            remove.line,
            "DELETE /edge/client/v1/current-identity/mfa HTTP/1.1"
        );
        assert_eq!((remove.header.as_deref(), &*remove.body), (code, ""));
    }
    // A client that was used with a code does not keep it.
    let _ = setting.client.own_mfa().await;
    assert_eq!(sent(&setting).header, None);
    assert!(!setting.logged().contains("012345"));
}

#[tokio::test]
async fn text_that_fits_into_no_header_is_not_sent() {
    let setting = Setting::new(DONE).await;
    let code = "１２３\r\nx: y";
    let error = setting.client.remove_own_mfa(Some(code.into())).await;
    let error = error.unwrap_err();
    assert!(matches!(error, ClientError::InvalidRequest(_)), "{error}");
    assert!(!error.to_string().contains('１'), "{error}");
    assert_eq!(setting.seen().connections, 0);
}

#[tokio::test]
async fn image_comes_as_it_is() {
    let setting = Setting::new(Say::Answer(200, "\u{0}PNG")).await;
    let image = setting.client.own_mfa_qr_code().await.unwrap();
    assert_eq!(&image[..], b"\0PNG");
    assert_eq!(
        sent(&setting).line,
        "GET /edge/client/v1/current-identity/mfa/qr-code HTTP/1.1"
    );
    let refused = r#"{"error":{"code":"NOT_FOUND","message":"m","requestId":"r"},"meta":{}}"#;
    let setting = Setting::new(Say::Answer(404, refused)).await;
    let error = setting.client.own_mfa_qr_code().await.unwrap_err();
    assert!(error.is_refused_with(Code::NotFound));
}

#[tokio::test]
async fn new_codes_are_taken_from_the_answer_if_they_are_there() {
    let setting = Setting::new(CODES).await;
    let replaced = setting.client.replace_own_recovery_codes("012345".into());
    let codes = replaced.await.unwrap().unwrap().recovery_codes;
    assert_eq!(codes[0].expose_secret(), "AB2C3D");
}
