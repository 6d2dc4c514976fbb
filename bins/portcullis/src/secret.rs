//! Serialization of secrets.

use secrecy::{ExposeSecret as _, SecretString};
use serde::Serializer;

/// Serializes a secret in clear text, for private files.
pub(crate) fn serialize_exposed<S: Serializer>(
    secret: &SecretString,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

/// The same for a secret that may be missing.
#[expect(clippy::ref_option, reason = "serde passes a reference")]
pub(crate) fn serialize_some_exposed<S: Serializer>(
    secret: &Option<SecretString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match secret {
        Some(secret) => serialize_exposed(secret, serializer),
        None => serializer.serialize_none(),
    }
}
