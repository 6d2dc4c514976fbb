//! Sessions whose access tokens expire.

use crate::requests::Setting;
use crate::server::Say;
use portcullis_client::oidc::{AccessTokens, TokenFuture};
use portcullis_client::{Api, ClientError, RenewalError};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::{Arc, Mutex};

const DONE: Say = Say::AnswerTo("authorization: Bearer a2\r\n", r#"{"data":{},"meta":{}}"#);

/// Tokens that count up, from `a1`.
#[derive(Clone)]
pub(crate) struct Counting {
    current: Arc<Mutex<u32>>,
    last: u32,
}

impl Counting {
    pub(crate) fn until(last: u32) -> Self {
        let current = Arc::new(Mutex::new(1));
        Self { current, last }
    }
}

impl AccessTokens for Counting {
    fn token<'a>(&'a self, refused: Option<&'a SecretString>) -> TokenFuture<'a> {
        Box::pin(async move {
            let mut current = self.current.lock().unwrap();
            if refused.is_some_and(|it| it.expose_secret() == format!("a{current}")) {
                if *current == self.last {
                    return Err(RenewalError("over".into()));
                }
                *current += 1;
            }
            Ok(format!("a{current}").into())
        })
    }
}

#[tokio::test]
async fn request_with_an_expired_token_is_sent_once_more_with_another() {
    let setting = Setting::new(DONE).await;
    let client = setting.client.with_access_tokens(Counting::until(3));
    client.log_out(Api::Client).await.unwrap();
    let requests = setting.seen().requests;
    assert_eq!(requests.len(), 2);
    assert!(requests[0].contains("authorization: Bearer a1\r\n"));
    // From now on with the new one, and the JWT of a second factor behind it.
    let client = client.with_bearer("j1".into());
    client.log_out(Api::Client).await.unwrap();
    let last = setting.seen().requests.pop().unwrap();
    let [first, second] = ["Bearer a2\r\n", "Bearer j1\r\n"].map(|text| last.find(text).unwrap());
    assert!(first < second, "{last}");
    assert!(!last.contains("zt-session"));
    assert_eq!(setting.seen().requests.len(), 3);
}

#[tokio::test]
async fn token_that_cannot_be_renewed_is_told() {
    let setting = Setting::new(DONE).await;
    let client = setting.client.with_access_tokens(Counting::until(1));
    let error = client.log_out(Api::Client).await.unwrap_err();
    assert!(matches!(error, ClientError::Renewal(_)), "{error}");
    assert_eq!(setting.seen().requests.len(), 1);
    let fixed = setting.client.with_access_tokens(SecretString::from("a1"));
    let error = fixed.log_out(Api::Client).await.unwrap_err();
    assert!(matches!(error, ClientError::Renewal(_)), "{error}");
    assert!(!format!("{error:?}").contains("a1"));
}

#[tokio::test]
async fn token_that_is_refused_twice_is_not_sent_again() {
    let never = Say::AnswerTo("nothing has this", "");
    let setting = Setting::new(never).await;
    let client = setting.client.with_access_tokens(Counting::until(9));
    let error = client.log_out(Api::Client).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused(_)), "{error}");
    assert_eq!(setting.seen().requests.len(), 2);
}
