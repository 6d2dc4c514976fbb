//! What is sent, and what is made of the answers.

use crate::certificates::{Authority, Leaf};
use crate::server::{Say, Seen, Server};
use portcullis_api::code::Code;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::identity::{IdentityCreate, IdentityDetail};
use portcullis_client::{Api, Client, ClientCertificate, ClientError, ListQuery, Trust};
use portcullis_domain::ids::IdentityId;
use std::sync::{Arc, Mutex};

/// A client of a server that says what a test wants said.
pub(crate) struct Setting {
    server: Server,
    pub(crate) client: Client,
    log: Arc<Mutex<Vec<String>>>,
}

impl Setting {
    pub(crate) async fn new(say: Say) -> Self {
        Self::with_certificate(say, |_| None).await
    }

    async fn with_certificate(say: Say, certificate: impl Fn(&Authority) -> Option<Leaf>) -> Self {
        let authority = Authority::new();
        let server = Server::start(&authority.issue("localhost"), &authority, say).await;
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&log);
        let mut builder = Client::builder(
            &server.url(),
            Trust::anchors([authority.certificate.clone()]),
        )
        .observe(Arc::new(move |exchange| {
            let line = format!(
                "{} {} {:?}",
                exchange.method, exchange.target, exchange.status
            );
            lines.lock().unwrap().push(line);
        }));
        if let Some(leaf) = certificate(&authority) {
            builder = builder.certificate(ClientCertificate {
                chain: vec![leaf.certificate.clone()],
                key: leaf.key(),
            });
        }
        let client = builder.build().unwrap();
        Self {
            server,
            client,
            log,
        }
    }

    pub(crate) fn seen(&self) -> Seen {
        self.server.seen()
    }

    /// What an observer was told.
    pub(crate) fn logged(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }
}

#[tokio::test]
async fn session_and_body_are_sent() {
    let answer = r#"{"data":{"_links":{},"id":"x1"},"meta":{}}"#;
    let setting = Setting::new(Say::Answer(201, answer)).await;
    let client = setting.client.with_session("s1".into());
    let id = client
        .create_entity::<IdentityDetail>(&IdentityCreate::named("laptop"))
        .await
        .unwrap();
    assert_eq!(id, IdentityId::from_wire("x1"));
    let request = &setting.seen().requests[0];
    assert!(
        request.starts_with("POST /edge/management/v1/identities HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(request.contains("\r\nzt-session: s1\r\n"));
    assert!(request.contains("\r\ncontent-type: application/json\r\n"));
    let host = format!(
        "\r\nhost: localhost:{}\r\n",
        setting.server.url().port().unwrap()
    );
    assert!(request.contains(&host), "{request}");
    assert!(request.ends_with(r#"{"name":"laptop","type":"Default","isAdmin":false}"#));
    assert!(!setting.seen().has_client_certificate);
    assert_eq!(
        *setting.log.lock().unwrap(),
        ["POST /edge/management/v1/identities Some(201)"]
    );
}

#[tokio::test]
async fn lists_carry_their_query() {
    let answer = r#"{"data":[],"meta":{"pagination":{"limit":10,"offset":0,"totalCount":0}}}"#;
    let setting = Setting::new(Say::Answer(200, answer)).await;
    let list = setting
        .client
        .entities::<EnrollmentDetail>(&ListQuery::equals("identity", "a b"))
        .await
        .unwrap();
    assert_eq!(list.meta.pagination.total_count, 0);
    let line = "GET /edge/management/v1/enrollments?filter=identity%3D%22a%20b%22 HTTP/1.1\r\n";
    assert!(setting.seen().requests[0].starts_with(line));
}

#[tokio::test]
async fn token_of_an_enrollment_is_not_logged() {
    let answer = r#"{"data":{"cert":"PEM"},"meta":{}}"#;
    let setting = Setting::new(Say::Answer(200, answer)).await;
    let result = setting
        .client
        .enroll_with_csr("t1".into(), "CSR")
        .await
        .unwrap();
    assert_eq!(result.cert.as_deref(), Some("PEM"));
    let request = &setting.seen().requests[0];
    assert!(request.starts_with("POST /edge/client/v1/enroll?method=ott&token=t1 HTTP/1.1"));
    assert!(request.contains("\r\ncontent-type: application/x-pem-file\r\n"));
    assert!(request.ends_with("\r\n\r\nCSR"));
    assert!(!setting.log.lock().unwrap()[0].contains("t1"));
}

#[tokio::test]
async fn client_certificate_is_shown() {
    let refused = r#"{"error":{"code":"INVALID_AUTH","message":"m","requestId":"r"},"meta":{}}"#;
    let setting = Setting::with_certificate(Say::Answer(401, refused), |authority| {
        Some(authority.issue("client"))
    })
    .await;
    let error = setting
        .client
        .authenticate_with_certificate(Api::Client)
        .await
        .unwrap_err();
    assert!(error.is_refused_with(Code::InvalidAuth), "{error}");
    assert!(setting.seen().has_client_certificate);
}

#[tokio::test]
async fn answers_of_others_are_not_understood() {
    for (say, is_refusal) in [
        (Say::Answer(200, "<html>"), false),
        (Say::Answer(200, r#"{"data":{"id":1}}"#), false),
        (Say::Answer(502, "<html>"), true),
    ] {
        let setting = Setting::new(say).await;
        let id = IdentityId::from_wire("x");
        let identity = setting.client.entity::<IdentityDetail>(&id).await;
        match identity.unwrap_err() {
            ClientError::UnexpectedResponse { .. } => assert!(!is_refusal),
            ClientError::Refused(refusal) => {
                assert_eq!((refusal.status, refusal.code()), (502, None));
                assert!(is_refusal);
            },
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn id_that_is_none_is_not_sent() {
    let setting = Setting::new(Say::Answer(200, "")).await;
    let error = setting
        .client
        .delete_entity::<IdentityDetail>(&IdentityId::from_wire(".."))
        .await;
    assert!(matches!(error, Err(ClientError::InvalidRequest(_))));
    assert_eq!(setting.seen().connections, 0);
}
