//! Serializers that expose secrets on the wire.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use serde::Serializer;

/// Writes the secret itself.
pub(crate) fn serialize<S: Serializer>(
    secret: &SecretString,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

/// Writes the secret itself, or `null`.
#[expect(
    clippy::ref_option,
    reason = "serde hands over a reference to the member"
)]
pub(crate) fn serialize_option<S: Serializer>(
    secret: &Option<SecretString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match secret {
        Some(secret) => serialize(secret, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes the secret itself in Base64, or `null`.
#[expect(
    clippy::ref_option,
    reason = "serde hands over a reference to the member"
)]
pub(crate) fn serialize_bytes_option<S: Serializer>(
    secret: &Option<SecretSlice<u8>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match secret {
        Some(secret) => serializer.serialize_str(&BASE64.encode(secret.expose_secret())),
        None => serializer.serialize_none(),
    }
}

/// Writes the secrets themselves.
pub(crate) fn serialize_list<S: Serializer>(
    secrets: &[SecretString],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(secrets.iter().map(ExposeSecret::expose_secret))
}

/// Writes the secrets themselves, or `null`.
#[expect(
    clippy::ref_option,
    reason = "serde hands over a reference to the member"
)]
pub(crate) fn serialize_list_option<S: Serializer>(
    secrets: &Option<Vec<SecretString>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match secrets {
        Some(secrets) => serialize_list(secrets, serializer),
        None => serializer.serialize_none(),
    }
}
