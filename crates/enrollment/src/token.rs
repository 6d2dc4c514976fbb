//! Tokens before anything in them is believed.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{EnrollmentClaims, JwtError, jwt};
use url::{Host, Url};
use zeroize::Zeroizing;

/// A token cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("this is not an enrollment token")]
    NotAToken,
    #[error("the token does not name the controller that issued it")]
    NoIssuer,
    #[error("the token has expired")]
    Expired,
    #[error("the token was not issued by the controller at {url}")]
    OfOther {
        url: String,
        #[source]
        source: JwtError,
    },
}

/// An unverified enrollment token.
#[derive(Debug)]
pub struct UnverifiedToken {
    text: Zeroizing<String>,
    issuer: Url,
}

impl UnverifiedToken {
    /// Parses a token to find its issuer.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        let claims = parse_claims(text).ok_or(TokenError::NotAToken)?;
        let issuer = Url::parse(&claims.iss)
            .ok()
            .filter(|url| url.scheme() == "https");
        let issuer = issuer.as_ref().and_then(origin);
        Ok(Self {
            text: Zeroizing::new(text.to_owned()),
            issuer: issuer.ok_or(TokenError::NoIssuer)?,
        })
    }

    /// URL of the controller that the token names as its issuer.
    pub fn issuer(&self) -> &Url {
        &self.issuer
    }

    /// Verifies that the key of the certificate `leaf` signed the token, and that it has not
    /// expired at `now`.
    pub fn verify(&self, leaf: &[u8], now: Timestamp) -> Result<EnrollmentClaims, TokenError> {
        jwt::verify_with_certificate(&self.text, leaf, now).map_err(|error| match error {
            JwtError::Expired => TokenError::Expired,
            source => TokenError::OfOther {
                url: display_url(&self.issuer),
                source,
            },
        })
    }
}

/// Reduces a URL to its scheme, host and port.
pub fn origin(url: &Url) -> Option<Url> {
    let host = url.host()?.to_owned();
    if matches!(&host, Host::Domain(domain) if domain.is_empty()) {
        return None;
    }
    let port = url.port_or_known_default()?;
    Url::parse(&format!("https://{host}:{port}")).ok()
}

/// Formats a URL without a trailing slash.
pub fn display_url(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

/// Unverified claims.
fn parse_claims(text: &str) -> Option<EnrollmentClaims> {
    let (_header, rest) = text.split_once('.')?;
    let (claims, _signature) = rest.split_once('.')?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(claims: &str) -> String {
        format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims))
    }

    #[test]
    fn issuer_is_read_before_anything_is_believed() {
        let text = token(r#"{"iss":"https://c:1280","sub":"s","aud":[""],"jti":"j","em":"ott"}"#);
        let read = UnverifiedToken::parse(&format!("\n {text}\n")).unwrap();
        assert_eq!(read.issuer().as_str(), "https://c:1280/");
        assert!(
            read.verify(b"no certificate", Timestamp::UNIX_EPOCH)
                .is_err()
        );
    }

    #[test]
    fn other_things_are_no_tokens() {
        let plain = token(r#"{"iss":"http://c:1280","sub":"s","jti":"j","em":"ott"}"#);
        let nowhere = token(r#"{"iss":"","sub":"s","jti":"j","em":"ott"}"#);
        for text in [
            "",
            "a",
            "a.b",
            "a.b.c",
            "{}",
            &token("{}"),
            &plain,
            &nowhere,
        ] {
            assert!(UnverifiedToken::parse(text).is_err(), "{text}");
        }
    }
}
