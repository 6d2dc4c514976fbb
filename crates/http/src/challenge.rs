//! Authentication challenges of 401 responses (RFC 9110, section 11.6.1).
//!
//! Clients recognize them by scheme, realm and `error`. Parameters are separated by spaces instead
//! of commas, as OpenZiti clients expect.

use crate::error::ApiError;
use http::{HeaderValue, header};
use portcullis_app::signers::{BearerTokenError, TokenChallenge};
use std::fmt::Write as _;

/// The realm of external tokens as the primary factor.
pub(crate) const PRIMARY_REALM: &str = "openziti-primary-ext-jwt";

/// The realm of external tokens as the secondary factor.
pub(crate) const SECONDARY_REALM: &str = "openziti-secondary-ext-jwt";

/// Most bytes of signer ids and issuers in a challenge: clients limit the length of headers.
const MAX_SIGNER_BYTES: usize = 4096;

/// Builds a 401 with one challenge per `(scheme, realm, error)`, joined into one header.
pub(crate) fn unauthenticated(schemes: &[(&str, &str, &str)]) -> ApiError {
    let challenges: Vec<_> = schemes
        .iter()
        .map(|(scheme, realm, error)| format_challenge(scheme, realm, error))
        .collect();
    let error = ApiError::unauthenticated();
    match HeaderValue::try_from(challenges.join(",")) {
        Ok(value) => error.with_header(header::WWW_AUTHENTICATE, value),
        Err(_) => error,
    }
}

/// Builds a challenge for a token of an external signer; `None` if there is no signer.
pub(crate) fn external_signer(realm: &str, challenge: &TokenChallenge) -> Option<HeaderValue> {
    if challenge.signers.is_empty() {
        return None;
    }
    let error = match challenge.error {
        BearerTokenError::Missing => "missing",
        BearerTokenError::Invalid => "invalid",
        BearerTokenError::Expired => "expired",
    };
    let mut text = format_challenge("Bearer", realm, error);
    let (mut ids, mut issuers, mut remaining) = (Vec::new(), Vec::new(), MAX_SIGNER_BYTES);
    for signer in &challenge.signers {
        let (id, issuer) = (
            escape_quoted(signer.id.as_str()),
            escape_quoted(&signer.issuer),
        );
        let separators = 2;
        // A signer that does not fit is left out; a shorter one after it may still fit.
        if let Some(rest) = remaining.checked_sub(id.len() + issuer.len() + separators) {
            remaining = rest;
            ids.push(id);
            issuers.push(issuer);
        }
    }
    push_parameter(&mut text, "id", &ids);
    push_parameter(&mut text, "issuer", &issuers);
    HeaderValue::try_from(text).ok()
}

fn format_challenge(scheme: &str, realm: &str, error: &str) -> String {
    let description = match error {
        "missing" => "no matching token was provided",
        "expired" => "token expired",
        _ => "token is invalid",
    };
    format!("{scheme} realm=\"{realm}\" error=\"{error}\" error_description=\"{description}\"")
}

/// Appends a parameter with several values, as a quoted string.
fn push_parameter(text: &mut String, name: &str, values: &[String]) {
    // Writing to a `String` does not fail.
    let _ = write!(text, " {name}=\"{}\"", values.join("|"));
}

/// Escapes a text for a quoted string (RFC 9110, section 5.6.4). Control characters, which headers
/// must not contain, are dropped.
fn escape_quoted(text: &str) -> String {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    quoted.replace(char::is_control, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_app::signers::AcceptedSigner;
    use portcullis_domain::ids::SignerId;

    #[test]
    fn challenges_are_joined_by_a_comma() {
        let error = unauthenticated(&[("a", "r", "missing"), ("b", "s", "invalid")]);
        let (_, value) = error.headers.first().unwrap();
        assert_eq!(
            value.to_str().unwrap(),
            concat!(
                r#"a realm="r" error="missing" error_description="no matching token was provided","#,
                r#"b realm="s" error="invalid" error_description="token is invalid""#
            )
        );
    }

    #[test]
    fn signers_are_named_whatever_they_are_called() {
        let signer = |id, issuer: &str| AcceptedSigner {
            id: SignerId::from_wire(id),
            issuer: issuer.to_owned(),
        };
        let challenge = TokenChallenge {
            error: BearerTokenError::Expired,
            signers: vec![signer("a", "https://a"), signer("b", "q\"u\\\r\nx: y")],
        };
        assert_eq!(
            external_signer(PRIMARY_REALM, &challenge)
                .unwrap()
                .to_str()
                .unwrap(),
            concat!(
                r#"Bearer realm="openziti-primary-ext-jwt" error="expired" "#,
                r#"error_description="token expired" id="a|b" issuer="https://a|q\"u\\x: y""#
            )
        );
        let nobody = TokenChallenge {
            signers: Vec::new(),
            ..challenge
        };
        assert_eq!(external_signer(SECONDARY_REALM, &nobody), None);
    }

    #[test]
    fn challenges_have_an_end() {
        let signer = |number: usize, length: usize| AcceptedSigner {
            id: SignerId::from_wire(format!("s{number}")),
            issuer: "i".repeat(length),
        };
        let mut signers: Vec<_> = (0..30).map(|number| signer(number, 300)).collect();
        signers.insert(1, signer(30, 70_000));
        signers.push(signer(31, 2));
        let challenge = TokenChallenge {
            error: BearerTokenError::Missing,
            signers,
        };
        let value = external_signer(PRIMARY_REALM, &challenge).unwrap();
        let text = value.to_str().unwrap();
        assert!(text.len() < 4096 + 256, "{}", text.len());
        let ids: Vec<_> = (0..13).map(|number| format!("s{number}")).collect();
        let (ids_part, issuers) = text.split_once(" issuer=").unwrap();
        assert!(
            ids_part.ends_with(&format!(" id=\"{}|s31\"", ids.join("|"))),
            "{ids_part}"
        );
        assert_eq!(issuers.split('|').count(), 14);
    }
}
