//! Hashes of binaries and fingerprints of signers.

use super::{validate_count, validate_text};
use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The hash of a binary or the fingerprint of a signer, in hexadecimal digits.
///
/// Stored as written; compared by its digits, ignoring case and separators.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// A set of which any one has to match; empty matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprints(BTreeSet<Fingerprint>);

impl Fingerprint {
    /// Maximum length in bytes; SHA-512 with a separator between any two bytes takes 191.
    pub const MAX_LENGTH: usize = 256;

    /// Parses the member `field`: hexadecimal digits, optionally separated by `:`, `-` or blanks.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when it is invalid or too long.
    pub fn new(field: &str, text: impl Into<String>) -> Result<Self, FieldError> {
        let text = text.into();
        validate_text(field, &text, Self::MAX_LENGTH)?;
        let is_plain = text
            .chars()
            .all(|letter| letter.is_ascii_hexdigit() || ":- ".contains(letter));
        if is_plain && !bare_hex(&text).is_empty() {
            Ok(Self(text))
        } else {
            let reason = "must contain only hexadecimal digits";
            Err(FieldError::new(field, reason, text))
        }
    }

    /// The text as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether its digits are `digits`, given as bare lower-case hex.
    pub fn matches(&self, digits: &str) -> bool {
        bare_hex(&self.0) == digits
    }

    pub(super) fn to_lowercase(&self) -> Self {
        Self(self.0.to_ascii_lowercase())
    }
}

impl Fingerprints {
    pub const MAX_ITEMS: usize = 128;

    /// Parses the list `field`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when it is too long, or on the invalid item.
    pub fn new(field: &str, texts: Vec<String>) -> Result<Self, FieldError> {
        if !texts.is_empty() {
            validate_count(field, texts.len(), Self::MAX_ITEMS)?;
        }
        let read = |(place, text)| Fingerprint::new(&format!("{field}.{place}"), text);
        texts
            .into_iter()
            .enumerate()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether everything matches.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In byte order.
    pub fn iter(&self) -> impl Iterator<Item = &Fingerprint> {
        self.0.iter()
    }

    /// Whether the set is empty or one of the digit strings in `found` matches.
    pub fn is_met_by<'a>(&self, mut found: impl Iterator<Item = &'a str>) -> bool {
        self.is_empty() || found.any(|digits| self.iter().any(|print| print.matches(digits)))
    }

    pub(super) fn to_lowercase(&self) -> Self {
        Self(self.iter().map(Fingerprint::to_lowercase).collect())
    }
}

/// The hexadecimal digits of a text in lower case, without separators.
pub fn bare_hex(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_hexdigit)
        .map(|digit| digit.to_ascii_lowercase())
        .collect()
}
