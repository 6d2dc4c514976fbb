//! Connections that go on with another protocol.

use crate::access_tokens::Counting;
use crate::requests::Setting;
use crate::server::Say;
use portcullis_client::{Api, ClientError, Endpoint, HeaderMap};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn endpoint() -> Endpoint {
    Endpoint::new(Api::Fabric, "ws-api")
}

fn echo() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("connection", "upgrade".parse().unwrap());
    headers.insert("upgrade", "echo".parse().unwrap());
    headers
}

#[tokio::test]
async fn bytes_pass_both_ways_once_the_controller_agrees() {
    let setting = Setting::new(Say::Echo).await;
    let client = setting.client.with_session("s1".into());
    let mut upgraded = client.upgrade(&endpoint(), &echo()).await.unwrap();
    assert_eq!(upgraded.headers["upgrade"], "echo");
    upgraded.stream.write_all(b"hello").await.unwrap();
    upgraded.stream.flush().await.unwrap();
    let mut heard = [0; 5];
    upgraded.stream.read_exact(&mut heard).await.unwrap();
    assert_eq!(&heard, b"hello");
    let request = &setting.seen().requests[0];
    assert!(request.starts_with("GET /fabric/v1/ws-api HTTP/1.1\r\n"));
    for header in ["zt-session: s1", "connection: upgrade", "upgrade: echo"] {
        assert!(request.contains(&format!("{header}\r\n")), "{request}");
    }
    assert_eq!(setting.logged(), "GET /fabric/v1/ws-api Some(101)");
}

#[tokio::test]
async fn refusals_are_those_of_other_requests() {
    const REFUSAL: &str =
        r#"{"error":{"code":"UNAUTHORIZED","message":"m","requestId":"r"},"meta":{}}"#;
    let setting = Setting::new(Say::Answer(401, REFUSAL)).await;
    let error = setting.client.upgrade(&endpoint(), &echo()).await;
    let error = error.unwrap_err();
    assert!(error.refusal().is_some_and(|refusal| refusal.status == 401));
    assert!(error.to_string().contains("UNAUTHORIZED"), "{error}");
    // The connection is used again.
    setting
        .client
        .upgrade(&endpoint(), &echo())
        .await
        .unwrap_err();
    assert_eq!(setting.seen().connections, 1);

    let setting = Setting::new(Say::Answer(200, "{}")).await;
    let error = setting.client.upgrade(&endpoint(), &echo()).await;
    assert!(matches!(error, Err(ClientError::UnexpectedResponse { .. })));
}

#[tokio::test]
async fn expired_token_is_replaced() {
    let setting = Setting::new(Say::AnswerTo("authorization: Bearer a2\r\n", "{}")).await;
    let client = setting.client.with_access_tokens(Counting::until(3));
    // The server of this test does not know the protocol, but has let the second token in.
    let error = client.upgrade(&endpoint(), &echo()).await.unwrap_err();
    assert!(matches!(error, ClientError::UnexpectedResponse { .. }));
    assert_eq!(setting.seen().requests.len(), 2);
}
