//! The beginning of a `WebSocket` (RFC 6455, section 4).

use portcullis_client::HeaderMap;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::http::HeaderValue;

/// What a client begins with, and knows an answer to it by.
pub(super) struct Handshake {
    key: String,
}

impl Handshake {
    pub(super) fn new() -> Self {
        Self {
            key: generate_key(),
        }
    }

    /// The headers of the request.
    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if let Ok(key) = HeaderValue::try_from(&self.key) {
            headers.insert("sec-websocket-key", key);
        }
        headers
    }

    /// Whether the answer is one to this request.
    pub(super) fn is_accepted(&self, answer: &HeaderMap) -> bool {
        let expected = derive_accept_key(self.key.as_bytes());
        answer
            .get("sec-websocket-accept")
            .is_some_and(|accept| accept.as_bytes() == expected.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 6455, section 1.3.
    #[test]
    fn only_an_answer_to_its_own_key_is_accepted() {
        let handshake = Handshake {
            key: "dGhlIHNhbXBsZSBub25jZQ==".to_owned(),
        };
        assert_eq!(handshake.headers()["sec-websocket-key"], *handshake.key);
        let mut answer = HeaderMap::new();
        assert!(!handshake.is_accepted(&answer));
        let mut accept =
            |text| answer.insert("sec-websocket-accept", HeaderValue::from_static(text));
        accept("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert!(handshake.is_accepted(&answer));
        assert!(!Handshake::new().is_accepted(&answer));
    }
}
