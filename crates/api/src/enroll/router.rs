//! Enrollment requests of routers.

use super::TEXT_LENGTH;
use crate::decode::PEM_LENGTH;
use crate::decode::{Decode, DecodeError, Members};
use crate::secret;
use secrecy::SecretString;
use serde::Serialize;

/// The body of POST `/enroll/erott`, which includes the token.
///
/// The CSR members are also accepted under the names that they have in the other router bodies.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErOttEnrollmentRequest {
    /// Enrollment token, which identifies the enrollment.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    pub token: Option<SecretString>,
    /// Certificate signing request for the client certificate, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_csr: Option<String>,
    /// Certificate signing request for the server certificate, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_csr: Option<String>,
}

/// The body of POST `/enroll/extend/router`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RouterExtendEnrollmentRequest {
    /// Certificate signing request for the new client certificate, PEM.
    pub cert_csr: String,
    /// Certificate signing request for the new server certificate, PEM.
    pub server_cert_csr: String,
}

impl Decode for ErOttEnrollmentRequest {
    const BODY_NAME: &'static str = "erOttEnrollmentRequest";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        (
            "token",
            "Enrollment token, which identifies the enrollment.",
        ),
        (
            "clientCsr",
            "Certificate signing request for the client certificate, PEM.",
        ),
        ("certCsr", "Alias of `clientCsr`."),
        (
            "serverCsr",
            "Certificate signing request for the server certificate, PEM.",
        ),
        ("serverCertCsr", "Alias of `serverCsr`."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let token = members.bounded_secret("token", TEXT_LENGTH)?;
        let mut csr = |name: &str, elsewhere: &str| -> Result<Option<String>, DecodeError> {
            let csr = members.bounded_string(name, PEM_LENGTH)?;
            Ok(csr.or(members.bounded_string(elsewhere, PEM_LENGTH)?))
        };
        Ok(Self {
            token,
            client_csr: csr("clientCsr", "certCsr")?,
            server_csr: csr("serverCsr", "serverCertCsr")?,
        })
    }
}

impl Decode for RouterExtendEnrollmentRequest {
    const BODY_NAME: &'static str = "routerExtendEnrollmentRequest";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        (
            "certCsr",
            "Certificate signing request for the new client certificate, PEM.",
        ),
        (
            "serverCertCsr",
            "Certificate signing request for the new server certificate, PEM.",
        ),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            cert_csr: members.required_bounded_string("certCsr", PEM_LENGTH)?,
            server_cert_csr: members.required_bounded_string("serverCertCsr", PEM_LENGTH)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;
    use serde_json::json;

    #[test]
    fn what_routers_write_is_what_the_server_reads() {
        let sent = ErOttEnrollmentRequest {
            token: Some("opensesame".into()),
            client_csr: Some("c".to_owned()),
            server_csr: Some("s".to_owned()),
        };
        let elsewhere = json!({"token": "opensesame", "certCsr": "c", "serverCertCsr": "s"});
        for body in [serde_json::to_value(&sent).unwrap(), elsewhere] {
            let read = ErOttEnrollmentRequest::from_body(body.to_string().as_bytes()).unwrap();
            assert_eq!(read.token.unwrap().expose_secret(), "opensesame");
            assert_eq!(
                (read.client_csr, read.server_csr),
                (sent.client_csr.clone(), sent.server_csr.clone())
            );
        }
        assert!(!format!("{sent:?}").contains("opensesame"));
        let sent = RouterExtendEnrollmentRequest {
            cert_csr: "c".to_owned(),
            server_cert_csr: "s".to_owned(),
        };
        let written = serde_json::to_vec(&sent).unwrap();
        assert_eq!(
            RouterExtendEnrollmentRequest::from_body(&written).unwrap(),
            sent
        );
    }

    #[test]
    fn an_extension_brings_both_requests() {
        for (body, field) in [
            (json!({}), "certCsr"),
            (json!({"certCsr": "c"}), "serverCertCsr"),
            (json!({"serverCertCsr": "s"}), "certCsr"),
        ] {
            match RouterExtendEnrollmentRequest::from_body(body.to_string().as_bytes()).unwrap_err()
            {
                DecodeError::Field(error) => assert_eq!(error.field, field),
                DecodeError::Parse(text) => panic!("{text}"),
            }
        }
    }
}
