//! Secrets in the files that the program keeps.

use secrecy::{ExposeSecret as _, SecretString};
use serde::Serializer;

/// Writes a secret in clear, for files that only their owner may read.
pub(crate) fn exposed<S: Serializer>(
    secret: &SecretString,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}
