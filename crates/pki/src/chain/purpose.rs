//! Ends of a connection that certificates are for: extended key usage.

use std::fmt;

use webpki::{
    ExtendedKeyUsageValidator, KeyPurposeId, KeyPurposeIdIter, KeyUsage, RequiredEkuNotFoundContext,
};

/// 1.3.6.1.5.5.7.3.1, `id-kp-serverAuth`.
const SERVER_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
/// 1.3.6.1.5.5.7.3.2, `id-kp-clientAuth`.
const CLIENT_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02];
/// 2.5.29.37.0, `anyExtendedKeyUsage`.
const ANY: &[u8] = &[0x55, 0x1d, 0x25, 0x00];

/// What a certificate proves who presents it as.
///
/// As a validator it accepts certificates with this purpose, with any purpose, or without a
/// restriction (RFC 5280 section 4.2.1.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Client,
    Server,
}

impl fmt::Display for Purpose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Client => "client authentication",
            Self::Server => "server authentication",
        })
    }
}

impl Purpose {
    fn oid(self) -> &'static [u8] {
        match self {
            Self::Client => CLIENT_AUTH,
            Self::Server => SERVER_AUTH,
        }
    }

    fn required(self) -> KeyUsage {
        match self {
            Self::Client => KeyUsage::client_auth(),
            Self::Server => KeyUsage::server_auth(),
        }
    }
}

impl ExtendedKeyUsageValidator for Purpose {
    fn validate(&self, purposes: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        let accepted = [KeyPurposeId::new(self.oid()), KeyPurposeId::new(ANY)];
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
        let required = self.required();
        let missing = RequiredEkuNotFoundContext { required, present };
        Err(webpki::Error::RequiredEkuNotFoundContext(missing))
    }
}
