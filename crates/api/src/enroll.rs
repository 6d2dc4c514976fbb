//! Completing an enrollment.

mod router;

pub use router::{EnrollErott, ExtendRouter};

use crate::authenticate::{PASSWORD_LENGTH, USERNAME_LENGTH};
use crate::controller::ControllerDetail;
use crate::decode::{Decode, DecodeError, Members};
use crate::secret;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Longest certificate request, in characters: many times the size of one with a key of 16384 bits.
const CSR_LENGTH: RangeInclusive<usize> = 0..=64 * 1024;

/// Longest token or name, in characters.
const TEXT_LENGTH: RangeInclusive<usize> = 0..=1024;

/// The body of POST `/enroll`, read by the server and written by clients.
///
/// Which members are needed depends on the method, which the token decides; the whole body may be
/// missing. An empty text counts as absent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Enroll {
    /// The name that the new identity is to have, where there was none before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The username, where it may be chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The password chosen.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    pub password: Option<SecretString>,
    /// Request for the certificate of an identity, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_csr: Option<String>,
    /// Request for the client certificate of a router, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert_csr: Option<String>,
    /// Request for the server certificate of a router, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_cert_csr: Option<String>,
}

impl Decode for Enroll {
    const PARAMETER: &'static str = "body";
    const IS_OPTIONAL: bool = true;
    const WORDS: &'static [(&'static str, &'static str)] = &[
        (
            "name",
            "The name that the new identity is to have, where there was none before.",
        ),
        ("username", "The username, where it may be chosen."),
        ("password", "The password chosen."),
        (
            "clientCsr",
            "Request for the certificate of an identity, PEM.",
        ),
        (
            "certCsr",
            "Request for the client certificate of a router, PEM.",
        ),
        (
            "serverCertCsr",
            "Request for the server certificate of a router, PEM.",
        ),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            name: members.bounded_string("name", TEXT_LENGTH)?,
            username: members.bounded_string("username", USERNAME_LENGTH)?,
            password: members.bounded_secret("password", PASSWORD_LENGTH)?,
            client_csr: members.bounded_string("clientCsr", CSR_LENGTH)?,
            cert_csr: members.bounded_string("certCsr", CSR_LENGTH)?,
            server_cert_csr: members.bounded_string("serverCertCsr", CSR_LENGTH)?,
        })
    }
}

/// The body of POST `/enroll/ott`, which brings the token along.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrollOtt {
    /// The token of the enrollment; without one there is none to complete.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    pub token: Option<SecretString>,
    /// Request for the certificate, PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_csr: Option<String>,
}

impl Decode for EnrollOtt {
    const PARAMETER: &'static str = "ottEnrollmentRequest";
    const WORDS: &'static [(&'static str, &'static str)] = &[
        (
            "token",
            "The token of the enrollment; without one there is none to complete.",
        ),
        ("clientCsr", "Request for the certificate, PEM."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            token: members.bounded_secret("token", TEXT_LENGTH)?,
            client_csr: members.bounded_string("clientCsr", CSR_LENGTH)?,
        })
    }
}

/// What a completed enrollment brings. Which members are set depends on the method.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnrollmentResult {
    /// The controllers of the network, as clients see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controllers: Option<Vec<ControllerDetail>>,
    /// The authorities of the network, PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// The certificate and its intermediates without the root, PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert: Option<String>,
    /// The server certificate of a router and its intermediates, PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cert: Option<String>,
    /// The username that the password belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;
    use serde_json::{Value, json};

    fn read(body: &Value) -> Result<Enroll, DecodeError> {
        Enroll::from_body(body.to_string().as_bytes())
    }

    #[test]
    fn body_may_be_missing_unless_it_brings_the_token() {
        assert!(Enroll::from_body(b"").unwrap().client_csr.is_none());
        assert!(
            read(&json!({"clientCsr": "", "password": null}))
                .unwrap()
                .client_csr
                .is_none()
        );
        assert!(EnrollOtt::from_body(b"{}").unwrap().token.is_none());
        match EnrollOtt::from_body(b"").unwrap_err() {
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
        let sent = Enroll {
            password: Some("opensesame".into()),
            client_csr: Some("csr".to_owned()),
            ..Enroll::default()
        };
        let bytes = serde_json::to_vec(&sent).unwrap();
        assert_eq!(bytes, br#"{"password":"opensesame","clientCsr":"csr"}"#);
        assert_eq!(
            Enroll::from_body(&bytes).unwrap().client_csr.as_deref(),
            Some("csr")
        );
        let sent = EnrollOtt {
            token: Some("opensesame".into()),
            client_csr: None,
        };
        let read = EnrollOtt::from_body(&serde_json::to_vec(&sent).unwrap()).unwrap();
        assert_eq!(read.token.unwrap().expose_secret(), "opensesame");
        assert!(!format!("{sent:?}").contains("opensesame"));
    }
}
