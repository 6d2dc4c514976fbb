//! Serializers that expose secrets on the wire.

use secrecy::{ExposeSecret, SecretString};
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
