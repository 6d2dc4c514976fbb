//! JWTs of external signers.

use crate::error::CliError;
use crate::files;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::SignedDuration;
use portcullis_domain::clock::Timestamp;
use portcullis_enrollment::jwt_form;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use std::path::Path;
use zeroize::Zeroizing;

/// Reads a JWT from a file, or standard input for `-`. Its claims are not validated here.
pub(crate) fn read(path: &Path) -> Result<SecretString, CliError> {
    let text = Zeroizing::new(files::read_text(path)?);
    let token = text.trim();
    if jwt_form::has_form(token) {
        Ok(SecretString::from(token))
    } else {
        let path = path.display();
        Err(CliError::failed(format!("{path} does not contain a JWT"))
            .hint("a JWT is a single line with three parts separated by dots"))
    }
}

/// The unverified expiry of a JWT (`exp`).
pub(crate) fn expires_at(token: &SecretString) -> Option<Timestamp> {
    let claims = token.expose_secret().split('.').nth(1)?;
    let claims = Zeroizing::new(URL_SAFE_NO_PAD.decode(claims).ok()?);
    let claims: Claims = serde_json::from_slice(&claims).ok()?;
    // Some signers write fractions of seconds (RFC 7519 section 2).
    let end = SignedDuration::try_from_secs_f64(claims.exp?).ok()?;
    Timestamp::from_second(end.as_secs()).ok()
}

#[derive(Deserialize)]
struct Claims {
    exp: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_is_read_where_there_is_one() {
        let end_of = |claims: &str| {
            let claims = URL_SAFE_NO_PAD.encode(claims);
            expires_at(&SecretString::from(format!("e30.{claims}.c2ln")))
        };
        let end = end_of(r#"{"exp": 1900000000.5, "sub": "x"}"#).unwrap();
        assert_eq!(end.to_string(), "2030-03-17T17:46:40Z");
        for claims in ["{}", r#"{"exp": 1e300}"#, r#"{"exp": "x"}"#, "no"] {
            assert_eq!(end_of(claims), None, "{claims}");
        }
    }

    #[test]
    fn only_tokens_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, " a-1.b_2.c\n").unwrap();
        assert_eq!(read(&path).unwrap().expose_secret(), "a-1.b_2.c");
        for text in ["", "a.b", "a..c", "a.b.c.d", "a.b.c\nd", "a.b.\u{1b}"] {
            std::fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().message();
            assert!(
                error.ends_with("does not contain a JWT"),
                "{text:?}: {error}"
            );
        }
    }
}
