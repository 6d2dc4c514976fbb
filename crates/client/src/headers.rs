//! Headers that authenticate the caller.

use crate::error::ClientError;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};

const SESSION: HeaderName = HeaderName::from_static("zt-session");

const CODE: HeaderName = HeaderName::from_static("mfa-validation-code");

/// The header with a session token.
pub(crate) fn session(token: &SecretString) -> Result<(HeaderName, HeaderValue), ClientError> {
    secret(SESSION, token.expose_secret(), "the session token")
}

/// The header with an access token, or with a JWT of an external signer.
pub(crate) fn bearer(token: &SecretString) -> Result<(HeaderName, HeaderValue), ClientError> {
    let text = format!("Bearer {}", token.expose_secret());
    secret(AUTHORIZATION, &text, "the JWT")
}

/// The header with a TOTP or recovery code.
pub(crate) fn code(code: &SecretString) -> Result<(HeaderName, HeaderValue), ClientError> {
    secret(CODE, code.expose_secret(), "the code")
}

/// A sensitive header, whose value is never shown; `what` names the value in errors.
fn secret(
    name: HeaderName,
    text: &str,
    what: &str,
) -> Result<(HeaderName, HeaderValue), ClientError> {
    let mut value = HeaderValue::from_str(text).map_err(|_secret| {
        ClientError::InvalidRequest(format!(
            "{what} contains characters that a header cannot carry"
        ))
    })?;
    value.set_sensitive(true);
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_sent_and_not_shown() {
        let (name, value) = bearer(&"a.b.c".into()).unwrap();
        assert_eq!(
            (name, value.to_str().unwrap()),
            (AUTHORIZATION, "Bearer a.b.c")
        );
        assert!(!format!("{value:?}").contains("a.b.c"));
        let error = session(&"t1\r\nx: y".into()).unwrap_err().to_string();
        assert!(!error.contains("t1"), "{error}");
    }
}
