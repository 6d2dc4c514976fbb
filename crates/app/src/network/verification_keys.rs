//! Public keys of the controller that its tokens are verified with.
//!
//! Tokens name their key by the certificate that it belonged to when they were signed. A renewal
//! of the server certificate must not end sessions, so the keys of earlier certificates stay until
//! the last token that they signed has expired.

use portcullis_domain::clock::Timestamp;
use portcullis_pki::{Certificate, JwtSigner, PublicKey};
use std::sync::Arc;

/// A public key of the controller.
#[derive(Debug, Clone)]
pub struct VerificationKey {
    /// The `kid` of its tokens: lower-case hex SHA-1 of the certificate's DER.
    pub kid: String,
    pub key: Arc<PublicKey>,
    /// When the last token that it signed has expired; `None` while it signs.
    pub(crate) expires_at: Option<Timestamp>,
}

impl VerificationKey {
    /// The key that signs now.
    pub(super) fn of_signer(signer: &JwtSigner) -> Self {
        Self {
            kid: signer.key_id().to_string(),
            key: Arc::new(signer.public_key().clone()),
            expires_at: None,
        }
    }

    /// The key of an earlier certificate; `None` if its type is not supported.
    pub(crate) fn of_certificate(
        certificate: &Certificate,
        expires_at: Option<Timestamp>,
    ) -> Option<Self> {
        Some(Self {
            kid: certificate.fingerprint().to_string(),
            key: Arc::new(certificate.public_key().ok()?),
            expires_at,
        })
    }

    pub(super) fn is_current(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }
}
