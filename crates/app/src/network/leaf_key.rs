//! The key that a client has to prove to hold.

use portcullis_pki::{Certificate, PublicKey};

/// The key of a certificate in DER, whatever its version; `None` if it cannot be read or signatures
/// of such keys are not accepted.
pub fn leaf_key(certificate: &[u8]) -> Option<PublicKey> {
    let certificate = Certificate::from_der(certificate).ok()?;
    certificate.public_key().ok()
}
