//! Enrollment tokens.

use crate::controller_url;
use crate::error::CliError;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{EnrollmentClaims, JwtError, jwt};
use url::Url;
use zeroize::Zeroizing;

/// An unverified enrollment token.
pub(crate) struct UnverifiedToken {
    text: Zeroizing<String>,
    issuer: Url,
}

impl UnverifiedToken {
    /// Parses a token to find its issuer.
    pub(crate) fn parse(text: &str) -> Result<Self, CliError> {
        let text = text.trim();
        let claims = parse_claims(text).ok_or_else(|| {
            CliError::failed("this is not an enrollment token")
                .hint("an enrollment token is a single line with three parts separated by dots")
        })?;
        let issuer = Url::parse(&claims.iss)
            .ok()
            .filter(|url| url.scheme() == "https");
        let issuer = issuer
            .as_ref()
            .and_then(controller_url::origin)
            .ok_or_else(|| {
                CliError::failed("the token does not name the controller that issued it")
            })?;
        Ok(Self {
            text: Zeroizing::new(text.to_owned()),
            issuer,
        })
    }

    /// URL of the controller that the token names as its issuer.
    pub(crate) fn issuer(&self) -> &Url {
        &self.issuer
    }

    /// Verifies that the key of the certificate `leaf` signed the token, and that it has not
    /// expired at `now`.
    pub(crate) fn verify(&self, leaf: &[u8], now: Timestamp) -> Result<EnrollmentClaims, CliError> {
        let url = controller_url::display(&self.issuer);
        jwt::verify_with_certificate(&self.text, leaf, now).map_err(|error| match error {
            JwtError::Expired => CliError::failed("the token has expired")
                .hint("ask the administrator for a new one (`portcullis enrollment refresh`)"),
            other => CliError::failed(format!(
                "the token was not issued by the controller at {url}"
            ))
            .with_source(other)
            .hint("ask the administrator for a new one; do not use this one with any other controller"),
        })
    }
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
