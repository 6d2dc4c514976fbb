//! How much of the store one identity may fill.

use crate::api_session::ApiSession;
use crate::session::Session;
use crate::session_certificate::SessionCertificate;

/// Bytes that may be stored for what one identity makes for itself.
///
/// Kinds of which an identity may make many have shares of their own. The rest is for what it has a
/// fixed number of: what its client says of itself, its authenticators, its TOTP enrollment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageQuota(usize);

impl StorageQuota {
    /// The least that lets a client work as usual, bytes.
    pub const LEAST: usize = 256 << 10;

    /// A quota of so many bytes.
    pub const fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// The share of API sessions.
    pub const fn api_sessions(self) -> usize {
        self.0 / 8 * 3
    }

    /// The share of service sessions.
    pub const fn service_sessions(self) -> usize {
        self.0 / 8 * 3
    }

    /// The share of certificates that are issued for API sessions.
    pub const fn session_certificates(self) -> usize {
        self.0 / 8
    }
}

impl Default for StorageQuota {
    fn default() -> Self {
        Self(1 << 20)
    }
}

/// What is stored, and how much room it takes.
pub trait Stored {
    /// Estimate of the bytes that it takes in the store, keys and indexes included. Never too low.
    fn stored_bytes(&self) -> usize;
}

/// What an API session takes besides its configuration types, bytes.
const API_SESSION: usize = 768;
/// What a service session takes besides its tags, bytes.
const SERVICE_SESSION: usize = 640;
/// What a session certificate takes besides its texts, bytes.
const SESSION_CERTIFICATE: usize = 640;
/// Quotes and commas around a text, bytes.
const DELIMITERS: usize = 3;

impl Stored for ApiSession {
    fn stored_bytes(&self) -> usize {
        let types = self.config_types.iter();
        API_SESSION + types.map(|name| in_json(name) + DELIMITERS).sum::<usize>()
    }
}

impl Stored for Session {
    fn stored_bytes(&self) -> usize {
        if self.tags.is_empty() {
            SERVICE_SESSION
        } else {
            SERVICE_SESSION + self.tags.stored_bytes()
        }
    }
}

impl Stored for SessionCertificate {
    fn stored_bytes(&self) -> usize {
        let facts = &self.certificate;
        SESSION_CERTIFICATE + in_json(&facts.pem) + in_json(&facts.subject)
    }
}

/// The bytes of a text between the quotes of JSON, which records are written in (RFC 8259 section 7).
fn in_json(text: &str) -> usize {
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
            assert_eq!(in_json(text), written.len() - 2, "{written}");
        }
    }
}
