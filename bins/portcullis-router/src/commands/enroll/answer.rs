//! What a controller answers to a router that enrolls.

use super::keys::RouterKeys;
use anyhow::bail;
use portcullis_client::api::enroll::EnrollmentResult;
use portcullis_pki::{SigningKey, certificates_from_pem};

/// PEM texts, each with what it should contain.
pub(super) struct Certificates {
    pub(super) client: String,
    pub(super) server: String,
    pub(super) authorities: String,
}

impl Certificates {
    /// Refuses certificates for other keys.
    pub(super) fn check(answer: EnrollmentResult, keys: &RouterKeys) -> anyhow::Result<Self> {
        let found = Self {
            client: answer.cert.unwrap_or_default(),
            server: answer.server_cert.unwrap_or_default(),
            authorities: answer.ca.unwrap_or_default(),
        };
        if !is_for(&found.client, &keys.client) || !is_for(&found.server, keys.server()) {
            bail!("the controller answered without certificates for the keys of the router");
        }
        if certificates_from_pem(&found.authorities).is_err() {
            bail!("the controller answered without CA certificates");
        }
        Ok(found)
    }
}

/// Whether the first certificate is for a key.
fn is_for(pem: &str, key: &SigningKey) -> bool {
    let chain = certificates_from_pem(pem).unwrap_or_default();
    let certified = chain.first().and_then(|leaf| leaf.public_key().ok());
    certified.is_some_and(|certified| certified == *key.public_key())
}
