//! Certificates that a controller has issued.

use portcullis_pki::{Certificate, SigningKey, certificates_from_pem};

/// The certificate chain of a PEM text, if its leaf is for `key`.
pub fn chain_for_key(pem: &str, key: &SigningKey) -> Option<Vec<Certificate>> {
    let chain = certificates_from_pem(pem).ok()?;
    let certified = chain.first()?.public_key().ok()?;
    (certified.as_der() == key.public_key().as_der()).then_some(chain)
}
