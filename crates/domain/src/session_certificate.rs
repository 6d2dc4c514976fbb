//! Certificates that a client obtains for one API session.
//!
//! They prove to routers who somebody is, as long as the session lives; they are no authenticators.

use crate::api_session::TokenHash;
use crate::clock::Timestamp;
use crate::ids::SessionCertificateId;
use serde::{Deserialize, Serialize};

/// A certificate that was issued for one API session, with which it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCertificate {
    /// Its id.
    pub id: SessionCertificateId,
    /// When it was issued.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// The session, by what it is found by.
    pub session: TokenHash,
    /// The certificate.
    pub certificate: CertificateFacts,
}

/// What is shown of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertificateFacts {
    /// Lower-case hex SHA-1 of the leaf's DER.
    pub fingerprint: String,
    /// The subject, as text (RFC 4514).
    pub subject: String,
    /// The first second of its validity.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub not_before: Timestamp,
    /// The last second of its validity.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub not_after: Timestamp,
    /// The leaf and, as far as they are known, its intermediates, PEM.
    pub pem: String,
}
