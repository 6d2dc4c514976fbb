//! Claims of tokens (RFC 7519 section 4).

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use super::ClaimSelector;
use crate::jwt::JwtError;

/// Tolerated clock difference if the signer's clock is ahead: one minute.
///
/// Tokens are used within the second in which they are issued, so without a tolerance a signer whose
/// clock is a second ahead would have every token rejected. It applies to the start of validity
/// only; the end is exact.
pub const CLOCK_LEEWAY: SignedDuration = SignedDuration::from_mins(1);

/// The claims of a token do not meet the requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClaimsError {
    /// The token has another issuer, or none.
    #[error("the token has another issuer")]
    WrongIssuer,
    /// The token is for another audience, or has none.
    #[error("the token is for another audience")]
    WrongAudience,
    #[error("the token is not valid yet")]
    NotYetValid,
    #[error("the token was issued in the future")]
    IssuedInFuture,
    /// The token has expired, and everything else is correct.
    #[error("the token has expired")]
    Expired,
}

/// A claim does not have the expected value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClaimLookupError {
    /// The claim is missing or null.
    #[error("the token does not have this claim")]
    Missing,
    /// The claim is not a string, or not a list of strings where one is expected.
    #[error("the claim of the token is not a string")]
    NotText,
    /// The claim is an empty string.
    #[error("the claim of the token is empty")]
    Empty,
}

/// The claims of a token. The registered ones have valid types.
#[derive(Clone, PartialEq)]
pub struct Claims {
    members: Value,
    issuer: Option<String>,
    audience: Vec<String>,
    expires_at: Option<Timestamp>,
    not_before: Option<Timestamp>,
    issued_at: Option<Timestamp>,
}

impl Claims {
    pub(super) fn parse(members: Map<String, Value>) -> Result<Self, JwtError> {
        let date = |claim| numeric_date(&members, claim);
        Ok(Self {
            issuer: issuer(&members)?,
            audience: audience(&members)?,
            expires_at: date("exp")?,
            not_before: date("nbf")?,
            issued_at: date("iat")?,
            members: Value::Object(members),
        })
    }

    /// The issuer of the token (`iss`).
    pub fn issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    /// The audience of the token (`aud`); a single string counts as a list of one.
    pub fn audience(&self) -> &[String] {
        &self.audience
    }

    /// The time from which the token is no longer valid (`exp`), if it expires.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    /// The time from which the token is valid (`nbf`).
    pub fn not_before(&self) -> Option<Timestamp> {
        self.not_before
    }

    /// The time at which the token was issued (`iat`).
    pub fn issued_at(&self) -> Option<Timestamp> {
        self.issued_at
    }

    /// Validates the standard requirements: issued by `issuer`, for `audience` among others, and
    /// valid at `now`. Strings are compared exactly. A token without `exp` never expires; whether
    /// that is acceptable is the caller's decision.
    ///
    /// # Errors
    ///
    /// [`ClaimsError`] for the first check that fails. Expiry comes last, so that the error tells
    /// whether a new token would help.
    pub fn validate(
        &self,
        issuer: &str,
        audience: &str,
        now: Timestamp,
    ) -> Result<(), ClaimsError> {
        // A time beyond the representable range is not reached by adding a minute.
        let latest_begin = now.checked_add(CLOCK_LEEWAY).unwrap_or(Timestamp::MAX);
        let begins_later = |begin: Option<Timestamp>| begin.is_some_and(|at| at > latest_begin);
        if self.issuer() != Some(issuer) {
            Err(ClaimsError::WrongIssuer)
        } else if !self.audience.iter().any(|one| one == audience) {
            Err(ClaimsError::WrongAudience)
        } else if begins_later(self.not_before) {
            Err(ClaimsError::NotYetValid)
        } else if begins_later(self.issued_at) {
            Err(ClaimsError::IssuedInFuture)
        } else if self.expires_at.is_some_and(|expiry| expiry <= now) {
            Err(ClaimsError::Expired)
        } else {
            Ok(())
        }
    }

    /// Finds a string, such as the id of an identity. Numbers are not converted: 1 and 1.0 are one
    /// number and two ids.
    ///
    /// # Errors
    ///
    /// [`ClaimLookupError`].
    pub fn text(&self, selector: &ClaimSelector) -> Result<&str, ClaimLookupError> {
        match self.find(selector)? {
            Value::String(text) if text.is_empty() => Err(ClaimLookupError::Empty),
            Value::String(text) => Ok(text),
            _ => Err(ClaimLookupError::NotText),
        }
    }

    /// Finds a string or a list of strings, such as role attributes. Empty strings are left out:
    /// providers write them for "none".
    ///
    /// # Errors
    ///
    /// [`ClaimLookupError::Missing`], and [`ClaimLookupError::NotText`] for anything but strings.
    pub fn texts(&self, selector: &ClaimSelector) -> Result<Vec<&str>, ClaimLookupError> {
        let found = match self.find(selector)? {
            Value::Array(list) => list.iter().collect(),
            one => vec![one],
        };
        let texts = found.into_iter().map(Value::as_str);
        let texts: Option<Vec<&str>> = texts.collect();
        let mut texts = texts.ok_or(ClaimLookupError::NotText)?;
        texts.retain(|text| !text.is_empty());
        Ok(texts)
    }

    fn find(&self, selector: &ClaimSelector) -> Result<&Value, ClaimLookupError> {
        let found = selector
            .find(&self.members)
            .filter(|value| !value.is_null());
        found.ok_or(ClaimLookupError::Missing)
    }
}

impl fmt::Debug for Claims {
    /// Leaves out personal data.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Claims")
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

fn issuer(members: &Map<String, Value>) -> Result<Option<String>, JwtError> {
    match members.get("iss") {
        None => Ok(None),
        Some(Value::String(issuer)) => Ok(Some(issuer.clone())),
        Some(_) => Err(JwtError::ClaimType { claim: "iss" }),
    }
}

fn audience(members: &Map<String, Value>) -> Result<Vec<String>, JwtError> {
    let audience = match members.get("aud") {
        None => Some(vec![]),
        Some(Value::String(one)) => Some(vec![one.clone()]),
        Some(Value::Array(list)) => list
            .iter()
            .map(|one| one.as_str().map(str::to_owned))
            .collect(),
        Some(_) => None,
    };
    audience.ok_or(JwtError::ClaimType { claim: "aud" })
}

/// Parses seconds since 1970, with or without a fraction. Values out of range are clamped.
fn numeric_date(
    members: &Map<String, Value>,
    claim: &'static str,
) -> Result<Option<Timestamp>, JwtError> {
    let Some(value) = members.get(claim) else {
        return Ok(None);
    };
    let since_epoch = if let Some(whole) = value.as_i64() {
        SignedDuration::from_secs(whole)
    } else {
        let seconds = value.as_f64().ok_or(JwtError::ClaimType { claim })?;
        let bound = if seconds < 0.0 {
            SignedDuration::MIN
        } else {
            SignedDuration::MAX
        };
        SignedDuration::try_from_secs_f64(seconds).unwrap_or(bound)
    };
    let bound = if since_epoch.is_negative() {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Ok(Some(Timestamp::from_duration(since_epoch).unwrap_or(bound)))
}
