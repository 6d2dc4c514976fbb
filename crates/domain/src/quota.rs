//! Storage quotas per identity.

use crate::api_session::ApiSession;
use crate::session::Session;
use crate::session_certificate::SessionCertificate;

/// Storage quota in bytes for records that an identity creates for itself.
///
/// Kinds with many records per identity have their own shares. The rest is for records of fixed
/// number: client information, authenticators, TOTP enrollment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageQuota(usize);

impl StorageQuota {
    /// Minimum for normal operation of a client.
    pub const MIN_BYTES: usize = 256 << 10;

    pub const fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Share of API sessions in bytes.
    pub const fn api_sessions(self) -> usize {
        self.0 / 8 * 3
    }

    /// Share of service sessions in bytes.
    pub const fn service_sessions(self) -> usize {
        self.0 / 8 * 3
    }

    /// Share of session certificates in bytes.
    pub const fn session_certificates(self) -> usize {
        self.0 / 8
    }
}

impl Default for StorageQuota {
    fn default() -> Self {
        Self(1 << 20)
    }
}

/// Estimated storage size.
pub trait StoredSize {
    /// Upper bound for the bytes in the store, including keys and indexes.
    fn stored_bytes(&self) -> usize;
}

/// API session without its config types.
const API_SESSION_BYTES: usize = 768;
/// Name and delimiters of a sealed token.
const TOKEN_MEMBER_BYTES: usize = 16;
/// What a session of OIDC has besides.
const OIDC_BYTES: usize = 384;
/// Service session without its tags.
const SERVICE_SESSION_BYTES: usize = 640;
/// Session certificate without its texts.
const SESSION_CERTIFICATE_BYTES: usize = 640;
/// Quotes and comma around a string.
const DELIMITER_BYTES: usize = 3;

impl StoredSize for ApiSession {
    fn stored_bytes(&self) -> usize {
        let types = self.config_types.iter();
        API_SESSION_BYTES
            + self.oidc.as_ref().map_or(0, |_oidc| OIDC_BYTES)
            + self
                .token
                .as_ref()
                .map_or(0, |sealed| sealed.0.len() + TOKEN_MEMBER_BYTES)
            + types
                .map(|name| json_escaped_len(name) + DELIMITER_BYTES)
                .sum::<usize>()
    }
}

impl StoredSize for Session {
    fn stored_bytes(&self) -> usize {
        if self.tags.is_empty() {
            SERVICE_SESSION_BYTES
        } else {
            SERVICE_SESSION_BYTES + self.tags.stored_bytes()
        }
    }
}

impl StoredSize for SessionCertificate {
    fn stored_bytes(&self) -> usize {
        let certificate = &self.certificate;
        SESSION_CERTIFICATE_BYTES
            + json_escaped_len(&certificate.pem)
            + json_escaped_len(&certificate.subject)
    }
}

/// Length of a string in JSON without the quotes, in bytes (RFC 8259 section 7).
fn json_escaped_len(text: &str) -> usize {
    let byte = |byte: u8| match byte {
        b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(byte).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_counted_as_they_are_written() {
        for text in [
            "plain",
            "a\"b\\c",
            "line\nline\r\n",
            "\u{1}\u{1f}\u{0}",
            "\u{7f}ü李",
        ] {
            let written = serde_json::to_string(text).unwrap();
            assert_eq!(json_escaped_len(text), written.len() - 2, "{written}");
        }
    }
}
