//! Bodies of authenticator requests.

use crate::authenticate::{PASSWORD_LENGTH, USERNAME_LENGTH};
use crate::decode::{Decode, DecodeError, Members, PEM_LENGTH};
use crate::secret;
use portcullis_domain::FieldError;
use portcullis_domain::ids::IdentityId;
use portcullis_domain::tags::{TagLimits, Tags};
use secrecy::SecretString;
use serde::Serialize;

/// The body of POST `/authenticators`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthenticatorCreate {
    /// Identity that the authenticator belongs to.
    pub identity_id: IdentityId,
    #[serde(flatten)]
    pub credential: NewCredential,
    #[serde(skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// A credential set by an administrator.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "method", rename_all = "lowercase")]
pub enum NewCredential {
    /// A certificate.
    #[serde(rename_all = "camelCase")]
    Cert {
        /// The certificate, PEM.
        cert_pem: String,
    },
    /// A username and password.
    Updb {
        username: String,
        #[serde(serialize_with = "secret::serialize")]
        password: SecretString,
    },
}

impl Decode for AuthenticatorCreate {
    const BODY_NAME: &'static str = "authenticator";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        ("certPem", "The certificate, PEM."),
        ("username", "The username."),
        ("password", "The password."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        members.record_choices("method", &["cert", "updb"]);
        let method = members.required_string("method")?;
        let identity_id = IdentityId::from_wire(members.required_string("identityId")?);
        let credential = match method.as_str() {
            "cert" => {
                let pem = members.bounded_string("certPem", PEM_LENGTH)?;
                let cert_pem = required_by_method("certPem", pem)?;
                NewCredential::Cert { cert_pem }
            },
            "updb" => {
                let name = members.new_username("username")?;
                let username = required_by_method("username", name)?;
                let secret = members.bounded_secret("password", PASSWORD_LENGTH)?;
                let password = required_by_method("password", secret)?;
                NewCredential::Updb { username, password }
            },
            _ => {
                let reason = "must be updb or cert";
                return Err(FieldError::new("method", reason, method).into());
            },
        };
        Ok(Self {
            identity_id,
            credential,
            tags: members.tags()?.unwrap_or_default(),
        })
    }
}

/// The body of PUT `/authenticators/{id}`: a username and password.
#[derive(Debug, Clone, Serialize)]
pub struct AuthenticatorUpdate {
    pub username: String,
    #[serde(serialize_with = "secret::serialize")]
    pub password: SecretString,
    #[serde(skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

impl Decode for AuthenticatorUpdate {
    const BODY_NAME: &'static str = "authenticator";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        ("username", "The new username."),
        ("password", "The new password."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let username = members.bounded_string("username", USERNAME_LENGTH)?;
        let password = members.bounded_secret("password", PASSWORD_LENGTH)?;
        Ok(Self {
            username: required("username", username)?,
            password: required("password", password)?,
            tags: members.tags()?.unwrap_or_default(),
        })
    }
}

/// The body of PATCH `/authenticators/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AuthenticatorPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    pub password: Option<SecretString>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl Decode for AuthenticatorPatch {
    const BODY_NAME: &'static str = "authenticator";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        ("username", "The new username."),
        ("password", "The new password."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            username: members.optional_bounded_string("username", USERNAME_LENGTH)?,
            password: members.optional_bounded_secret("password", PASSWORD_LENGTH)?,
            tags: members.tags()?,
        })
    }
}

/// The body of PUT and PATCH `/current-identity/authenticators/{id}`, which also needs the current
/// password.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WithCurrentPassword<T> {
    #[serde(serialize_with = "secret::serialize")]
    pub current_password: SecretString,
    #[serde(flatten)]
    pub change: T,
}

impl<T: Decode> Decode for WithCurrentPassword<T> {
    const BODY_NAME: &'static str = T::BODY_NAME;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        ("currentPassword", "The current password."),
        ("username", "The new username."),
        ("password", "The new password."),
    ];

    fn name() -> String {
        format!("{}WithCurrent", T::name())
    }

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        // The existing password need not satisfy the rules for new ones.
        members.set_tag_limits(TagLimits::OWN);
        let current = members.bounded_secret("currentPassword", 0..=*PASSWORD_LENGTH.end())?;
        Ok(Self {
            current_password: required("currentPassword", current)?,
            change: T::decode(members)?,
        })
    }
}

/// The body of POST `/authenticators/{id}/request-extend`, which may be missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestExtendAuthenticator {
    /// Whether the new certificate needs a new key.
    pub roll_keys: bool,
}

impl Decode for RequestExtendAuthenticator {
    const BODY_NAME: &'static str = "requestExtendAuthenticator";
    const IS_OPTIONAL: bool = true;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] =
        &[("rollKeys", "Whether the new certificate needs a new key.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            roll_keys: members.optional_bool("rollKeys")?.unwrap_or_default(),
        })
    }
}

/// The body of POST `/current-identity/authenticators/{id}/extend`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityExtendEnrollmentRequest {
    /// Certificate signing request for the new certificate, PEM.
    pub client_cert_csr: String,
}

impl Decode for IdentityExtendEnrollmentRequest {
    const BODY_NAME: &'static str = "extend";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "clientCertCsr",
        "Certificate signing request for the new certificate, PEM.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let csr = members.bounded_string("clientCertCsr", PEM_LENGTH)?;
        Ok(Self {
            client_cert_csr: required("clientCertCsr", csr)?,
        })
    }
}

/// The body of POST `/current-identity/authenticators/{id}/extend-verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityExtendValidateEnrollmentRequest {
    /// The new certificate, PEM.
    pub client_cert: String,
}

impl Decode for IdentityExtendValidateEnrollmentRequest {
    const BODY_NAME: &'static str = "extend";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] =
        &[("clientCert", "The new certificate, PEM.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let certificate = members.bounded_string("clientCert", PEM_LENGTH)?;
        Ok(Self {
            client_cert: required("clientCert", certificate)?,
        })
    }
}

/// A member that the method of the new authenticator requires.
fn required_by_method<T>(name: &str, value: Option<T>) -> Result<T, FieldError> {
    value.ok_or_else(|| FieldError::new(name, "is required", ""))
}

/// A required member; an empty one counts as missing.
fn required<T>(name: &str, value: Option<T>) -> Result<T, FieldError> {
    value.ok_or_else(|| FieldError::new(name, "is required", "<nil>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;
    use serde_json::{Value, json};

    fn read<T: Decode>(body: &Value) -> Result<T, DecodeError> {
        T::from_body(body.to_string().as_bytes())
    }

    #[track_caller]
    fn fault<T: Decode + std::fmt::Debug>(body: &Value) -> FieldError {
        match read::<T>(body).unwrap_err() {
            DecodeError::Field(error) => error,
            DecodeError::Parse(text) => panic!("{body}: {text}"),
        }
    }

    #[test]
    fn creation_needs_what_its_method_needs() {
        for (body, field) in [
            (json!({"identityId": "i"}), "method"),
            (json!({"method": "updb"}), "identityId"),
            (json!({"method": "fly", "identityId": "i"}), "method"),
            (json!({"method": "CERT", "identityId": "i"}), "method"),
            (json!({"method": "cert", "identityId": "i"}), "certPem"),
            (
                json!({"method": "cert", "identityId": "i", "certPem": ""}),
                "certPem",
            ),
            (json!({"method": "updb", "identityId": "i"}), "username"),
            (
                json!({"method": "updb", "identityId": "i", "username": "anna"}),
                "password",
            ),
            (
                json!({"method": "updb", "identityId": "i", "username": "abc"}),
                "username",
            ),
            (
                json!({"method": "updb", "identityId": "i", "username": "anna", "password": "abcd"}),
                "password",
            ),
        ] {
            assert_eq!(fault::<AuthenticatorCreate>(&body).field, field, "{body}");
        }
    }

    #[test]
    fn changes_are_bounded_and_repeat_no_password() {
        let long = "x".repeat(101);
        for (body, field) in [
            (json!({"username": ""}), "username"),
            (json!({"username": "abc"}), "username"),
            (json!({"username": long}), "username"),
            (json!({"password": ""}), "password"),
            (json!({"password": "abcd"}), "password"),
            (json!({"password": long}), "password"),
        ] {
            let error = fault::<AuthenticatorPatch>(&body);
            assert_eq!(error.field, field);
            assert!(field == "username" || error.value.is_empty(), "{error:?}");
        }
        let change = json!({"username": "anna", "password": "opensesame"});
        assert_eq!(
            fault::<WithCurrentPassword<AuthenticatorUpdate>>(&change).field,
            "currentPassword"
        );
        assert_eq!(
            fault::<AuthenticatorUpdate>(&json!({"username": "anna"})).field,
            "password"
        );
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = AuthenticatorCreate {
            identity_id: IdentityId::from_wire("i"),
            credential: NewCredential::Updb {
                username: "anna".to_owned(),
                password: "opensesame".into(),
            },
            tags: Tags::default(),
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(
            written,
            json!({"identityId": "i", "method": "updb", "username": "anna", "password": "opensesame"})
        );
        let read_back: AuthenticatorCreate = read(&written).unwrap();
        let NewCredential::Updb { password, .. } = read_back.credential else {
            panic!("{written}");
        };
        assert_eq!(password.expose_secret(), "opensesame");
        assert!(!format!("{sent:?}").contains("opensesame"));
        let sent = WithCurrentPassword {
            current_password: "opensesame".into(),
            change: AuthenticatorPatch {
                username: Some("berta".to_owned()),
                ..AuthenticatorPatch::default()
            },
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(
            written,
            json!({"currentPassword": "opensesame", "username": "berta"})
        );
        let read_back: WithCurrentPassword<AuthenticatorPatch> = read(&written).unwrap();
        assert_eq!(read_back.change.username.as_deref(), Some("berta"));
        assert!(
            !read::<RequestExtendAuthenticator>(&json!({}))
                .unwrap()
                .roll_keys
        );
    }
}
