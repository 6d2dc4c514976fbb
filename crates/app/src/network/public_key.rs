//! Public keys of client certificates.

use portcullis_pki::{Certificate, PublicKey};

/// The public key of a DER certificate of any version; `None` if it cannot be parsed or the key
/// type is not supported.
pub fn parse_public_key(certificate: &[u8]) -> Option<PublicKey> {
    let certificate = Certificate::from_der(certificate).ok()?;
    certificate.public_key().ok()
}
