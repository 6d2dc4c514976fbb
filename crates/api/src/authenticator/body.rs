//! Requests about authenticators, as clients write them.

use crate::secret;
use portcullis_domain::ids::IdentityId;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// The body of POST `/authenticators`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthenticatorCreate {
    /// Whose it is to be.
    pub identity_id: IdentityId,
    /// What the identity is to log in with.
    #[serde(flatten)]
    pub credential: NewCredential,
}

/// What an identity is to log in with.
#[derive(Debug, Clone, Serialize)]
#[serde(
    tag = "method",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
pub enum NewCredential {
    /// A certificate that was issued already.
    Cert {
        /// The certificate, PEM.
        cert_pem: String,
    },
    /// A username with a password.
    Updb {
        /// The username.
        username: String,
        /// The password.
        #[serde(serialize_with = "secret::serialize")]
        password: SecretString,
    },
}

/// The body of PATCH `/authenticators/{id}`. What is `None` stays as it is.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AuthenticatorUpdate {
    /// A new username.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// A new password.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    pub password: Option<SecretString>,
}

/// The body of PATCH `/current-identity/authenticators/{id}`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnAuthenticatorUpdate {
    /// The password that holds so far.
    #[serde(serialize_with = "secret::serialize")]
    pub current_password: SecretString,
    /// What is to change.
    #[serde(flatten)]
    pub update: AuthenticatorUpdate,
}

/// The body of POST `/authenticators/{id}/request-extend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionWish {
    /// Whether the holder is to make another key as well.
    pub roll_keys: bool,
}

/// The body of POST `/current-identity/authenticators/{id}/extend`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extend {
    /// Request for the new certificate, PEM.
    pub client_cert_csr: String,
}

/// What an extension brings: a certificate that counts once it is confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Extended {
    /// The certificate and its intermediates without the root, PEM.
    pub client_cert: String,
    /// The authorities of the network, PEM.
    #[serde(default)]
    pub ca: Option<String>,
}

/// The body of POST `/current-identity/authenticators/{id}/extend-verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionReceipt {
    /// The certificate that arrived, PEM.
    pub client_cert: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn written(body: &impl Serialize) -> Value {
        serde_json::to_value(body).unwrap()
    }

    #[test]
    fn bodies_have_the_members_that_controllers_read() {
        let password = || SecretString::from("opensesame");
        let create = |credential| AuthenticatorCreate {
            identity_id: IdentityId::from_wire("i"),
            credential,
        };
        let updb = create(NewCredential::Updb {
            username: "anna".to_owned(),
            password: password(),
        });
        assert!(!format!("{updb:?}").contains("opensesame"));
        assert_eq!(
            written(&updb),
            json!({"identityId": "i", "method": "updb", "username": "anna",
                "password": "opensesame"})
        );
        let cert = create(NewCredential::Cert {
            cert_pem: "PEM".to_owned(),
        });
        assert_eq!(
            written(&cert),
            json!({"identityId": "i", "method": "cert", "certPem": "PEM"})
        );
        let own = OwnAuthenticatorUpdate {
            current_password: password(),
            update: AuthenticatorUpdate {
                username: Some("ann".to_owned()),
                password: None,
            },
        };
        assert_eq!(
            written(&own),
            json!({"currentPassword": "opensesame", "username": "ann"})
        );
        assert_eq!(
            written(&ExtensionWish { roll_keys: true }),
            json!({"rollKeys": true})
        );
    }
}
