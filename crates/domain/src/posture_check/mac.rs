//! Checks of MAC addresses.

use super::{bare_hex, check_count, check_length};
use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::BTreeSet;

/// A MAC address: 6, 8 or 20 bytes as bare lower-case hex.
///
/// Those are the lengths of EUI-48, of EUI-64 and of `InfiniBand` (RFC 4391 section 9.1.1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MacAddress(String);

/// Asks which MAC addresses the machine has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MacCheck {
    addresses: BTreeSet<MacAddress>,
}

impl MacAddress {
    /// Longest text of an address, bytes.
    const LONGEST: usize = 64;

    /// Reads the member `field`: hexadecimal digits in any case, with `:`, `-`, `.` or blanks
    /// between them or without.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when it is no address.
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
        check_length(field, text, Self::LONGEST)?;
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
    /// Most addresses of a check.
    pub const MOST: usize = 10_000;

    /// Reads the list `macAddresses`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `macAddresses` when it is empty or too long, or on the item at fault.
    pub fn new(addresses: &[String]) -> Result<Self, FieldError> {
        check_count("macAddresses", addresses.len(), Self::MOST)?;
        let read = |(place, text): (usize, &String)| {
            MacAddress::new(&format!("macAddresses.{place}"), text)
        };
        let addresses = addresses.iter().enumerate().map(read);
        Ok(Self {
            addresses: addresses.collect::<Result<_, _>>()?,
        })
    }

    /// The addresses that will do, sorted.
    pub fn addresses(&self) -> &BTreeSet<MacAddress> {
        &self.addresses
    }

    pub(super) fn blank() -> Self {
        Self {
            addresses: BTreeSet::new(),
        }
    }
}
