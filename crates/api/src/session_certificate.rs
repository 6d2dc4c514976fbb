//! Wire types of API session certificates.

use crate::authenticator::ca_bundle;
use crate::decode::{Decode, DecodeError, Members, PEM_LENGTH};
use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::time::WireTime;
use portcullis_domain::FieldError;
use portcullis_domain::ids::SessionCertificateId;
use portcullis_domain::view::SessionCertificateView;
use serde::{Deserialize, Serialize};

/// The body of POST `/current-api-session/certificates`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionCertificateCreate {
    /// Certificate signing request, PEM.
    pub csr: String,
}

impl Decode for SessionCertificateCreate {
    const BODY_NAME: &'static str = "sessionCertificate";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] =
        &[("csr", "Certificate signing request, PEM.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let csr = members.bounded_string("csr", PEM_LENGTH)?;
        let missing = || FieldError::new("csr", "is required", "<nil>");
        Ok(Self {
            csr: csr.ok_or_else(missing)?,
        })
    }
}

/// A certificate that was issued for an API session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionCertificateCreated {
    /// Link `self`.
    #[serde(rename = "_links")]
    pub links: Links,
    /// Its id.
    #[schemars(with = "String")]
    pub id: SessionCertificateId,
    /// CA certificates that clients have to trust, PEM.
    pub cas: String,
    /// Certificate with its intermediates, without the root, PEM.
    pub certificate: String,
}

impl SessionCertificateCreated {
    /// A certificate and the CA certificates of the network.
    pub fn new(id: SessionCertificateId, certificate: String, authorities: &str) -> Self {
        Self {
            links: links(&id),
            id,
            cas: ca_bundle(authorities),
            certificate,
        }
    }
}

/// A certificate of an API session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCertificateDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<SessionCertificateId>,
    /// Certificate with its known intermediates, PEM.
    pub certificate: String,
    /// Lower-case hex SHA-1 of the certificate.
    pub fingerprint: String,
    /// Subject of the certificate.
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
    Links::with_self(format!("current-api-session/certificates/{id}"))
}
