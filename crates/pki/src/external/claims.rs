//! What a token claims (RFC 7519 section 4).

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use super::ClaimSelector;
use crate::jwt::JwtError;

/// How far ahead the clock of a signer may be: one minute.
///
/// Tokens are used in the second in which they are made, so without it a signer whose clock is a
/// second ahead would have every token refused. It only counts for the beginning of a token; its
/// end is exact.
pub const CLOCK_LEEWAY: SignedDuration = SignedDuration::from_mins(1);

/// The claims of a token are not what they have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClaimsError {
    /// The token is of another issuer, or does not name one.
    #[error("the token has another issuer")]
    OtherIssuer,
    /// The token is for others, or does not say for whom.
    #[error("the token is for another audience")]
    OtherAudience,
    /// The token is not valid yet (`nbf`).
    #[error("the token is not valid yet")]
    NotYetValid,
    /// The token was issued in the future (`iat`).
    #[error("the token was issued in the future")]
    IssuedInFuture,
    /// The token has expired, and is right in everything else.
    #[error("the token has expired")]
    Expired,
}

/// A claim does not hold what it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// The claim is not there, or null.
    #[error("the token does not have this claim")]
    Missing,
    /// The claim is not a text, or not a list of texts where that is asked for.
    #[error("the claim of the token is not a string")]
    NotText,
    /// The claim is an empty text.
    #[error("the claim of the token is empty")]
    Empty,
}

/// The claims of a token, of which the registered ones are known to be of their types.
#[derive(Clone, PartialEq)]
pub struct Claims {
    all: Value,
    issuer: Option<String>,
    audience: Vec<String>,
    expires_at: Option<Timestamp>,
    not_before: Option<Timestamp>,
    issued_at: Option<Timestamp>,
}

impl Claims {
    pub(super) fn read(members: Map<String, Value>) -> Result<Self, JwtError> {
        let date = |claim| numeric_date(&members, claim);
        Ok(Self {
            issuer: issuer(&members)?,
            audience: audience(&members)?,
            expires_at: date("exp")?,
            not_before: date("nbf")?,
            issued_at: date("iat")?,
            all: Value::Object(members),
        })
    }

    /// Who issued the token (`iss`).
    pub fn issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    /// For whom the token is (`aud`), a bare text as a list of one.
    pub fn audience(&self) -> &[String] {
        &self.audience
    }

    /// The first instant at which the token is no longer valid (`exp`), if it ever ends.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    /// The first instant at which the token is valid (`nbf`).
    pub fn not_before(&self) -> Option<Timestamp> {
        self.not_before
    }

    /// When the token was issued (`iat`).
    pub fn issued_at(&self) -> Option<Timestamp> {
        self.issued_at
    }

    /// Judges what every token has to say: that it is of `issuer`, for `audience` among others, and
    /// valid at `now`. Texts are compared exactly. A token without expiry never ends: whether that
    /// will do is for the caller to say.
    ///
    /// # Errors
    ///
    /// [`ClaimsError`], by the first check that fails. Expiry comes last, so that only those are sent
    /// for a new token whom a new one would help.
    pub fn check(&self, issuer: &str, audience: &str, now: Timestamp) -> Result<(), ClaimsError> {
        // What lies beyond all time is not reached by adding a minute to it.
        let latest_begin = now.checked_add(CLOCK_LEEWAY).unwrap_or(Timestamp::MAX);
        let begins_later = |begin: Option<Timestamp>| begin.is_some_and(|at| at > latest_begin);
        if self.issuer() != Some(issuer) {
            Err(ClaimsError::OtherIssuer)
        } else if !self.audience.iter().any(|one| one == audience) {
            Err(ClaimsError::OtherAudience)
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

    /// Finds a text, such as the id of an identity. Numbers are not taken for texts: 1 and 1.0 are
    /// one number and two ids.
    ///
    /// # Errors
    ///
    /// [`SelectError`].
    pub fn text(&self, selector: &ClaimSelector) -> Result<&str, SelectError> {
        match self.find(selector)? {
            Value::String(text) if text.is_empty() => Err(SelectError::Empty),
            Value::String(text) => Ok(text),
            _ => Err(SelectError::NotText),
        }
    }

    /// Finds a text or a list of texts, such as role attributes. Empty texts are left out: providers
    /// write them for "none".
    ///
    /// # Errors
    ///
    /// [`SelectError::Missing`], and [`SelectError::NotText`] when there is anything but texts.
    pub fn texts(&self, selector: &ClaimSelector) -> Result<Vec<&str>, SelectError> {
        let found = match self.find(selector)? {
            Value::Array(list) => list.iter().collect(),
            one => vec![one],
        };
        let texts = found.into_iter().map(Value::as_str);
        let texts: Option<Vec<&str>> = texts.collect();
        let mut texts = texts.ok_or(SelectError::NotText)?;
        texts.retain(|text| !text.is_empty());
        Ok(texts)
    }

    fn find(&self, selector: &ClaimSelector) -> Result<&Value, SelectError> {
        let found = selector.find(&self.all).filter(|value| !value.is_null());
        found.ok_or(SelectError::Missing)
    }
}

impl fmt::Debug for Claims {
    /// Leaves out what tells of people.
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

/// Reads seconds since 1970, with or without a fraction. What lies beyond all time is as good as
/// its end.
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
