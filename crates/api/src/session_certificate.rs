//! Certificates of API sessions on the wire.

use crate::authenticator::bundle;
use crate::decode::{Decode, DecodeError, Members};
use crate::entity::Base;
use crate::link::Links;
use crate::time::WireTime;
use portcullis_domain::FieldError;
use portcullis_domain::ids::SessionCertificateId;
use portcullis_domain::view::SessionCertificateView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Longest certificate request, in characters; see `crates/api/src/enroll.rs`.
const CSR_LENGTH: RangeInclusive<usize> = 0..=64 * 1024;

/// The body of POST `/current-api-session/certificates`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionCertificateCreate {
    /// Request for the certificate, PEM.
    pub csr: String,
}

impl Decode for SessionCertificateCreate {
    const PARAMETER: &'static str = "sessionCertificate";
    const WORDS: &'static [(&'static str, &'static str)] =
        &[("csr", "Request for the certificate, PEM.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let csr = members.bounded_string("csr", CSR_LENGTH)?;
        let missing = || FieldError::new("csr", "is required", "<nil>");
        Ok(Self {
            csr: csr.ok_or_else(missing)?,
        })
    }
}

/// A certificate that was issued for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionCertificateCreated {
    /// Where it is found.
    #[serde(rename = "_links")]
    pub links: Links,
    /// Its id.
    #[schemars(with = "String")]
    pub id: SessionCertificateId,
    /// The authorities that clients are to trust, PEM.
    pub cas: String,
    /// The certificate and its intermediates without the root, PEM.
    pub certificate: String,
}

impl SessionCertificateCreated {
    /// A certificate and the authorities of the network.
    pub fn new(id: SessionCertificateId, certificate: String, authorities: &str) -> Self {
        Self {
            links: links(&id),
            id,
            cas: bundle(authorities),
            certificate,
        }
    }
}

/// A certificate of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCertificateDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<SessionCertificateId>,
    /// The certificate and, as far as they are known, its intermediates, PEM.
    pub certificate: String,
    /// Lower-case hex SHA-1 of the certificate.
    pub fingerprint: String,
    /// Its subject.
    pub subject: String,
    /// The first second of its validity.
    pub valid_from: WireTime,
    /// The last second of its validity.
    pub valid_to: WireTime,
}

impl From<SessionCertificateView> for SessionCertificateDetail {
    fn from(view: SessionCertificateView) -> Self {
        Self {
            base: Base::unchanging(links(&view.id), view.id, view.created_at),
            certificate: view.certificate.pem,
            fingerprint: view.certificate.fingerprint,
            subject: view.certificate.subject,
            valid_from: view.certificate.not_before.into(),
            valid_to: view.certificate.not_after.into(),
        }
    }
}

fn links(id: &SessionCertificateId) -> Links {
    Links::to(format!("current-api-session/certificates/{id}"))
}
