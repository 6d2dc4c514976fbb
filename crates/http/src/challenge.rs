//! Challenges: what a client is told that lacks a credential (RFC 9110, section 11.6.1).
//!
//! Clients know them by scheme, realm and `error`. Parameters are separated by blanks, as they have
//! always been.

use crate::error::ApiError;
use http::{HeaderValue, header};
use portcullis_app::signers::{Demand, TokenFault};
use std::fmt::Write as _;

/// The realm of tokens by which one logs in.
pub(crate) const PRIMARY: &str = "openziti-primary-ext-jwt";

/// The realm of tokens that are a second factor.
pub(crate) const SECONDARY: &str = "openziti-secondary-ext-jwt";

/// Most bytes of the names of signers in a challenge: clients do not read headers of any length.
const MOST_NAMED: usize = 4096;

/// 401 with one challenge per scheme, joined into one header: scheme, realm, what is wrong.
pub(crate) fn unauthenticated(schemes: &[(&str, &str, &str)]) -> ApiError {
    let challenges: Vec<_> = schemes
        .iter()
        .map(|(scheme, realm, error)| one(scheme, realm, error))
        .collect();
    let error = ApiError::unauthenticated();
    match HeaderValue::try_from(challenges.join(",")) {
        Ok(value) => error.with(header::WWW_AUTHENTICATE, value),
        Err(_) => error,
    }
}

/// Asks for a token of external signers; `None` when there is no signer whose token would do.
pub(crate) fn external(realm: &str, demand: &Demand) -> Option<HeaderValue> {
    if demand.signers.is_empty() {
        return None;
    }
    let error = match demand.fault {
        TokenFault::Missing => "missing",
        TokenFault::Invalid => "invalid",
        TokenFault::Expired => "expired",
    };
    let mut text = one("Bearer", realm, error);
    let (mut ids, mut issuers, mut room) = (Vec::new(), Vec::new(), MOST_NAMED);
    for signer in &demand.signers {
        let (id, issuer) = (quotable(signer.id.as_str()), quotable(&signer.issuer));
        let separators = 2;
        // What does not fit is left out, and what is shorter still has its place.
        if let Some(rest) = room.checked_sub(id.len() + issuer.len() + separators) {
            room = rest;
            ids.push(id);
            issuers.push(issuer);
        }
    }
    parameter(&mut text, "id", &ids);
    parameter(&mut text, "issuer", &issuers);
    HeaderValue::try_from(text).ok()
}

fn one(scheme: &str, realm: &str, error: &str) -> String {
    let description = match error {
        "missing" => "no matching token was provided",
        "expired" => "token expired",
        _ => "token is invalid",
    };
    format!("{scheme} realm=\"{realm}\" error=\"{error}\" error_description=\"{description}\"")
}

/// Adds a parameter with several values, as a quoted string.
fn parameter(text: &mut String, name: &str, values: &[String]) {
    // Writing to a text does not fail.
    let _ = write!(text, " {name}=\"{}\"", values.join("|"));
}

/// A text as it stands in a quoted string (RFC 9110, section 5.6.4). What cannot stand in a header
/// is left out.
fn quotable(text: &str) -> String {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    quoted.replace(char::is_control, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_app::signers::DemandedSigner;
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
        let signer = |id, issuer: &str| DemandedSigner {
            id: SignerId::from_wire(id),
            issuer: issuer.to_owned(),
        };
        let demand = Demand {
            fault: TokenFault::Expired,
            signers: vec![signer("a", "https://a"), signer("b", "q\"u\\\r\nx: y")],
        };
        assert_eq!(
            external(PRIMARY, &demand).unwrap().to_str().unwrap(),
            concat!(
                r#"Bearer realm="openziti-primary-ext-jwt" error="expired" "#,
                r#"error_description="token expired" id="a|b" issuer="https://a|q\"u\\x: y""#
            )
        );
        let nobody = Demand {
            signers: Vec::new(),
            ..demand
        };
        assert_eq!(external(SECONDARY, &nobody), None);
    }

    #[test]
    fn challenges_have_an_end() {
        let signer = |number: usize, length: usize| DemandedSigner {
            id: SignerId::from_wire(format!("s{number}")),
            issuer: "i".repeat(length),
        };
        let mut signers: Vec<_> = (0..30).map(|number| signer(number, 300)).collect();
        signers.insert(1, signer(30, 70_000));
        signers.push(signer(31, 2));
        let demand = Demand {
            fault: TokenFault::Missing,
            signers,
        };
        let value = external(PRIMARY, &demand).unwrap();
        let text = value.to_str().unwrap();
        assert!(text.len() < 4096 + 256, "{}", text.len());
        let ids: Vec<_> = (0..13).map(|number| format!("s{number}")).collect();
        let (shown, issuers) = text.split_once(" issuer=").unwrap();
        assert!(
            shown.ends_with(&format!(" id=\"{}|s31\"", ids.join("|"))),
            "{shown}"
        );
        assert_eq!(issuers.split('|').count(), 14);
    }
}
