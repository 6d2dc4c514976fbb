//! Hashes of binaries and fingerprints of their signers.

use super::{check_count, check_text};
use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The hash of a binary or the fingerprint of a signer, in hexadecimal digits.
///
/// It is kept as it was written; what it is compared by are its digits, in any case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// Hashes or fingerprints of which one will do; none for any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprints(BTreeSet<Fingerprint>);

impl Fingerprint {
    /// Longest text, bytes: SHA-512 with a separator between any two bytes takes 191.
    pub const LONGEST: usize = 256;

    /// Reads the member `field`: hexadecimal digits, with `:`, `-` or blanks between them or
    /// without.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when it is something else or too long.
    pub fn new(field: &str, text: impl Into<String>) -> Result<Self, FieldError> {
        let text = text.into();
        check_text(field, &text, Self::LONGEST)?;
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

    /// The text, as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it has these digits, which are bare and of lower case.
    pub fn is(&self, digits: &str) -> bool {
        bare_hex(&self.0) == digits
    }

    /// The same in lower case.
    pub(super) fn lowered(&self) -> Self {
        Self(self.0.to_ascii_lowercase())
    }
}

impl Fingerprints {
    /// Most items of a list.
    pub const MOST: usize = 128;

    /// Reads the list `field`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when it is too long, or on the item at fault.
    pub fn new(field: &str, texts: Vec<String>) -> Result<Self, FieldError> {
        if !texts.is_empty() {
            check_count(field, texts.len(), Self::MOST)?;
        }
        let read = |(place, text)| Fingerprint::new(&format!("{field}.{place}"), text);
        texts
            .into_iter()
            .enumerate()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether any will do.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, sorted by bytes.
    pub fn iter(&self) -> impl Iterator<Item = &Fingerprint> {
        self.0.iter()
    }

    /// Whether one of them has digits that `found` knows, or there are none.
    pub fn are_met<'a>(&self, mut found: impl Iterator<Item = &'a str>) -> bool {
        self.is_empty() || found.any(|digits| self.iter().any(|print| print.is(digits)))
    }

    pub(super) fn lowered(&self) -> Self {
        Self(self.iter().map(Fingerprint::lowered).collect())
    }
}

/// The hexadecimal digits of a text in lower case, without what stands between them.
pub fn bare_hex(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_hexdigit)
        .map(|digit| digit.to_ascii_lowercase())
        .collect()
}
