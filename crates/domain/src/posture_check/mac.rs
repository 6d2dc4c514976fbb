//! Posture checks of MAC addresses.

use super::{bare_hex, validate_count, validate_length};
use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::BTreeSet;

/// A MAC address: 6, 8 or 20 bytes as bare lower-case hex.
///
/// The lengths of EUI-48, EUI-64 and `InfiniBand` (RFC 4391 section 9.1.1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MacAddress(String);

/// Requires one of several MAC addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MacCheck {
    addresses: BTreeSet<MacAddress>,
}

impl MacAddress {
    /// In bytes.
    const MAX_LENGTH: usize = 64;

    /// Parses the member `field`: hexadecimal digits in any case, optionally separated by `:`, `-`,
    /// `.` or blanks.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when it is not a MAC address.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_domain::posture_check::MacAddress;
    ///
    /// let address = MacAddress::new("macAddresses.0", "00:11:22:AA:BB:CC")?;
    /// assert_eq!(address.as_str(), "001122aabbcc");
    /// # Ok::<(), portcullis_domain::FieldError>(())
    /// ```
    pub fn new(field: &str, text: &str) -> Result<Self, FieldError> {
        validate_length(field, text, Self::MAX_LENGTH)?;
        let is_plain = text
            .chars()
            .all(|letter| letter.is_ascii_hexdigit() || ":-. ".contains(letter));
        let digits = bare_hex(text);
        if is_plain && matches!(digits.len(), 12 | 16 | 40) {
            Ok(Self(digits))
        } else {
            let reason = "must be a MAC address of 6, 8 or 20 bytes, such as 00:1a:2b:3c:4d:5e";
            Err(FieldError::new(field, reason, text))
        }
    }

    /// The address as bare lower-case hex.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for MacAddress {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl MacCheck {
    pub const MAX_ADDRESSES: usize = 10_000;

    /// Parses the list `macAddresses`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `macAddresses` when it is empty or too long, or on the invalid item.
    pub fn new(addresses: &[String]) -> Result<Self, FieldError> {
        validate_count("macAddresses", addresses.len(), Self::MAX_ADDRESSES)?;
        let read = |(place, text): (usize, &String)| {
            MacAddress::new(&format!("macAddresses.{place}"), text)
        };
        let addresses = addresses.iter().enumerate().map(read);
        Ok(Self {
            addresses: addresses.collect::<Result<_, _>>()?,
        })
    }

    /// The accepted addresses, sorted.
    pub fn addresses(&self) -> &BTreeSet<MacAddress> {
        &self.addresses
    }

    pub(super) fn empty() -> Self {
        Self {
            addresses: BTreeSet::new(),
        }
    }
}
