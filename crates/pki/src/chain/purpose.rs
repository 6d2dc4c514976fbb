//! Extended key usage of client certificates.

use webpki::{
    ExtendedKeyUsageValidator, KeyPurposeId, KeyPurposeIdIter, KeyUsage, RequiredEkuNotFoundContext,
};

/// 1.3.6.1.5.5.7.3.2, `id-kp-clientAuth`.
const CLIENT_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02];
/// 2.5.29.37.0, `anyExtendedKeyUsage`.
const ANY: &[u8] = &[0x55, 0x1d, 0x25, 0x00];

/// Accepts client certificates: those with the client purpose, with any purpose, or without a
/// restriction (RFC 5280 section 4.2.1.12).
#[derive(Clone, Copy)]
pub(super) struct ClientAuthValidator;

impl ExtendedKeyUsageValidator for ClientAuthValidator {
    fn validate(&self, purposes: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        let accepted = [KeyPurposeId::new(CLIENT_AUTH), KeyPurposeId::new(ANY)];
        let mut present = Vec::new();
        for purpose in purposes {
            let purpose = purpose?;
            if accepted.contains(&purpose) {
                return Ok(());
            }
            present.push(purpose.to_decoded_oid());
        }
        if present.is_empty() {
            return Ok(());
        }
        let required = KeyUsage::client_auth();
        let missing = RequiredEkuNotFoundContext { required, present };
        Err(webpki::Error::RequiredEkuNotFoundContext(missing))
    }
}
