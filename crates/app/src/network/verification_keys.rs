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
    /// `None` while it signs.
    pub(crate) retirement: Option<KeyRetirement>,
}

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenUse {
    /// It stands for a session.
    Session,
    /// Routers present it beside a session, whose record names it. By itself it opens nothing.
    Service,
}

/// Until when the key of an earlier certificate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyRetirement {
    /// When the last token of a session has expired that it signed. Until then the controller takes
    /// its tokens as sessions.
    pub(crate) session_tokens: Timestamp,
    /// When the last token of any type has expired. Until then the key is published, and the
    /// controller takes its tokens of service sessions.
    pub(crate) all_tokens: Timestamp,
}

impl VerificationKey {
    /// The key that signs now.
    pub(super) fn of_signer(signer: &JwtSigner) -> Self {
        Self {
            kid: signer.key_id().to_string(),
            key: Arc::new(signer.public_key().clone()),
            retirement: None,
        }
    }

    /// The key of an earlier certificate; `None` if its type is not supported.
    pub(crate) fn of_certificate(
        certificate: &Certificate,
        retirement: KeyRetirement,
    ) -> Option<Self> {
        Some(Self {
            kid: certificate.fingerprint().to_string(),
            key: Arc::new(certificate.public_key().ok()?),
            retirement: Some(retirement),
        })
    }

    /// Whether tokens that it signed may be good for somebody.
    pub(super) fn is_published(&self, now: Timestamp) -> bool {
        self.retirement.is_none_or(|ends| now < ends.all_tokens)
    }

    /// Whether tokens of this use that it signed may be good here.
    pub(super) fn verifies(&self, token: TokenUse, now: Timestamp) -> bool {
        self.retirement.is_none_or(|ends| match token {
            TokenUse::Session => now < ends.session_tokens,
            TokenUse::Service => now < ends.all_tokens,
        })
    }
}
