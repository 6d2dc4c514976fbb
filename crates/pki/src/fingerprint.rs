//! Certificate fingerprints.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};
use sha2::Sha256;

/// A string is not forty hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a certificate fingerprint: 40 hexadecimal digits")]
pub struct FingerprintError;

/// The SHA-1 digest of a certificate in DER, by which OpenZiti clients and tokens identify it.
///
/// It is an identifier that OpenZiti chose, not a proof: a certificate that is found by its
/// fingerprint still has to be verified. Anyone can rewrite an ECDSA signature without the key, which
/// gives the same certificate another fingerprint. Checks whether a certificate is an authenticator
/// already must therefore include its [`twin`](crate::Certificate::twin); blocklists must use
/// [`Certificate::key_fingerprint`](crate::Certificate::key_fingerprint).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint([u8; 20]);

impl Fingerprint {
    /// Computes the fingerprint of a certificate in DER.
    pub fn of_der(der: &[u8]) -> Self {
        Self(Sha1::digest(der).into())
    }

    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    /// Writes forty lower-case hexadecimal digits.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Fingerprint({self})")
    }
}

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        parse_hex(text).map(Self)
    }
}

/// Parses the hex digits of a digest, in any case.
fn parse_hex<const BYTES: usize>(text: &str) -> Result<[u8; BYTES], FingerprintError> {
    if text.len() != 2 * BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(FingerprintError);
    }
    let mut digest = [0; BYTES];
    for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let pair = str::from_utf8(pair).or(Err(FingerprintError))?;
        *byte = u8::from_str_radix(pair, 16).or(Err(FingerprintError))?;
    }
    Ok(digest)
}

impl TryFrom<String> for Fingerprint {
    type Error = FingerprintError;

    fn try_from(text: String) -> Result<Self, FingerprintError> {
        text.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}

/// A SHA-256 digest of a certificate or key, for display and comparison by people.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256Fingerprint([u8; 32]);

impl Sha256Fingerprint {
    /// Computes the fingerprint of a certificate or key in DER.
    pub fn of_der(der: &[u8]) -> Self {
        Self(Sha256::digest(der).into())
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Its text in two lines of sixteen bytes, for terminals of 80 columns. The first one ends with a
    /// colon, so that both are one text to whoever copies them.
    pub fn halves(&self) -> [String; 2] {
        let mut first = self.to_string();
        let second = first.split_off(first.len() / 2 + 1);
        [first, second]
    }
}

impl fmt::Display for Sha256Fingerprint {
    /// Writes upper-case pairs separated by colons, as OpenSSL and browsers do.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            let colon = if index == 0 { "" } else { ":" };
            write!(formatter, "{colon}{byte:02X}")?;
        }
        Ok(())
    }
}

impl FromStr for Sha256Fingerprint {
    type Err = FingerprintError;

    /// Reads the hex digits, without separators.
    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        parse_hex(text).map(Self)
    }
}

impl fmt::Debug for Sha256Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Sha256Fingerprint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_match_published_vectors() {
        let sha1 = Fingerprint::of_der(b"abc");
        assert_eq!(sha1.to_string(), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let sha256 = Sha256Fingerprint::of_der(b"abc").to_string();
        assert!(sha256.starts_with("BA:78:16:BF:8F:01:CF:EA:"), "{sha256}");
        assert_eq!(sha256.len(), 32 * 3 - 1);
    }

    #[test]
    fn text_form_is_read_back_and_checked() {
        let fingerprint = Fingerprint::of_der(b"abc");
        let text = fingerprint.to_string();
        assert_eq!(text.parse(), Ok(fingerprint));
        assert_eq!(text.to_uppercase().parse(), Ok(fingerprint));
        assert_eq!(
            serde_json::to_string(&fingerprint).unwrap(),
            format!("\"{text}\"")
        );
        for bad in [
            "",
            "a9",
            &text[1..],
            &format!("{text}0"),
            &text.replace('a', "g"),
            "é",
        ] {
            assert_eq!(bad.parse::<Fingerprint>(), Err(FingerprintError), "{bad}");
        }
    }
}
