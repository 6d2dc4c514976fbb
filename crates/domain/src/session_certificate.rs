//! Session certificates.
//!
//! Issued for one API session, they authenticate its client to routers while the session lasts.
//! They are not authenticators.

use crate::api_session::TokenHash;
use crate::clock::Timestamp;
use crate::ids::SessionCertificateId;
use serde::{Deserialize, Serialize};

/// A certificate issued for one API session and deleted with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCertificate {
    pub id: SessionCertificateId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// Token hash of the session.
    pub session: TokenHash,
    pub certificate: CertificateInfo,
}

/// Displayed data of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertificateInfo {
    /// Lower-case hex SHA-1 of the leaf's DER.
    pub fingerprint: String,
    /// As text (RFC 4514).
    pub subject: String,
    /// The first second of its validity.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub not_before: Timestamp,
    /// The last second of its validity.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub not_after: Timestamp,
    /// PEM of the leaf and its known intermediates.
    pub pem: String,
}
