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
