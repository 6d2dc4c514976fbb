//! Completion of enrollments.

mod router;

pub use router::{ErOttEnrollmentRequest, RouterExtendEnrollmentRequest};

use crate::authenticate::{PASSWORD_LENGTH, USERNAME_LENGTH};
use crate::controller::ControllerDetail;
use crate::decode::{Decode, DecodeError, Members, PEM_LENGTH};
use crate::describe::JsonSchema;
use crate::secret;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Length of a token or name, in characters.
const TEXT_LENGTH: RangeInclusive<usize> = 0..=1024;

/// The body of POST `/enroll`, which may be missing.
///
/// The enrollment method, which the token determines, decides which members are required. An empty
/// string counts as absent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GenericEnroll {
    /// Name of the new identity, if the enrollment creates one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Username, if the client may choose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    pub password: Option<SecretString>,
    /// Certificate signing request of an identity, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_csr: Option<String>,
    /// Certificate signing request for the client certificate of a router, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert_csr: Option<String>,
    /// Certificate signing request for the server certificate of a router, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_cert_csr: Option<String>,
}

impl Decode for GenericEnroll {
    const BODY_NAME: &'static str = "body";
    const IS_OPTIONAL: bool = true;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        (
            "name",
            "Name of the new identity, if the enrollment creates one.",
        ),
        ("username", "Username, if the client may choose it."),
        ("password", "Chosen password."),
        (
            "clientCsr",
            "Certificate signing request of an identity, PEM.",
        ),
        (
            "certCsr",
            "Certificate signing request for the client certificate of a router, PEM.",
        ),
        (
            "serverCertCsr",
            "Certificate signing request for the server certificate of a router, PEM.",
        ),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            name: members.bounded_string("name", TEXT_LENGTH)?,
            username: members.bounded_string("username", USERNAME_LENGTH)?,
            password: members.bounded_secret("password", PASSWORD_LENGTH)?,
            client_csr: members.bounded_string("clientCsr", PEM_LENGTH)?,
            cert_csr: members.bounded_string("certCsr", PEM_LENGTH)?,
            server_cert_csr: members.bounded_string("serverCertCsr", PEM_LENGTH)?,
        })
    }
}

/// The body of POST `/enroll/ott`, which includes the token.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OttEnrollmentRequest {
    /// Enrollment token, which identifies the enrollment.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    pub token: Option<SecretString>,
    /// Certificate signing request, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_csr: Option<String>,
}

impl Decode for OttEnrollmentRequest {
    const BODY_NAME: &'static str = "ottEnrollmentRequest";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        (
            "token",
            "Enrollment token, which identifies the enrollment.",
        ),
        ("clientCsr", "Certificate signing request, PEM."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            token: members.bounded_secret("token", TEXT_LENGTH)?,
            client_csr: members.bounded_string("clientCsr", PEM_LENGTH)?,
        })
    }
}

/// Result of a completed enrollment. The method decides which members are set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnrollmentResult {
    /// Controllers of the network, as shown to clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controllers: Option<Vec<ControllerDetail>>,
    /// CA certificates of the network, PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// Certificate with its intermediates, without the root, PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert: Option<String>,
    /// The server certificate of a router and its intermediates, PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cert: Option<String>,
    /// Username that the password belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;
    use serde_json::{Value, json};

    fn read(body: &Value) -> Result<GenericEnroll, DecodeError> {
        GenericEnroll::from_body(body.to_string().as_bytes())
    }

    #[test]
    fn body_may_be_missing_unless_it_brings_the_token() {
        assert!(GenericEnroll::from_body(b"").unwrap().client_csr.is_none());
        assert!(
            read(&json!({"clientCsr": "", "password": null}))
                .unwrap()
                .client_csr
                .is_none()
        );
        assert!(
            OttEnrollmentRequest::from_body(b"{}")
                .unwrap()
                .token
                .is_none()
        );
        match OttEnrollmentRequest::from_body(b"").unwrap_err() {
            DecodeError::Field(error) => assert_eq!(error.field, "ottEnrollmentRequest"),
            DecodeError::Parse(text) => panic!("{text}"),
        }
    }

    #[test]
    fn lengths_are_bounded() {
        let long = "x".repeat(64 * 1024 + 1);
        for (body, field) in [
            (json!({"username": "abc"}), "username"),
            (json!({"password": "abcd"}), "password"),
            (json!({"name": long}), "name"),
            (json!({"clientCsr": long}), "clientCsr"),
            (json!({"certCsr": long}), "certCsr"),
            (json!({"serverCertCsr": long}), "serverCertCsr"),
        ] {
            match read(&body).unwrap_err() {
                DecodeError::Field(error) => assert_eq!(error.field, field),
                DecodeError::Parse(text) => panic!("{field}: {text}"),
            }
        }
        assert!(matches!(
            read(&json!({"clientCsr": 1})),
            Err(DecodeError::Parse(_))
        ));
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = GenericEnroll {
            password: Some("opensesame".into()),
            client_csr: Some("csr".to_owned()),
            ..GenericEnroll::default()
        };
        let bytes = serde_json::to_vec(&sent).unwrap();
        assert_eq!(bytes, br#"{"password":"opensesame","clientCsr":"csr"}"#);
        assert_eq!(
            GenericEnroll::from_body(&bytes)
                .unwrap()
                .client_csr
                .as_deref(),
            Some("csr")
        );
        let sent = OttEnrollmentRequest {
            token: Some("opensesame".into()),
            client_csr: None,
        };
        let read = OttEnrollmentRequest::from_body(&serde_json::to_vec(&sent).unwrap()).unwrap();
        assert_eq!(read.token.unwrap().expose_secret(), "opensesame");
        assert!(!format!("{sent:?}").contains("opensesame"));
    }
}
