//! The public keys by which routers judge clients on their own.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::ca::Ca;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::CA;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A key that routers are to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterKey {
    /// What tokens name it by: lower-case hex SHA-1 of the certificate that it belongs to.
    pub id: String,
    pub material: KeyMaterial,
    pub verifies: KeyUse,
}

/// The form that a key is known in, in DER.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyMaterial {
    Certificate(Vec<u8>),
    /// Of a certificate that is not there any more.
    PublicKey(Vec<u8>),
}

/// What is verified with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    Tokens,
    ClientCertificates,
    Both,
}

/// The keys that count now, by id: those that verify tokens, the roots of the network, and the
/// third-party authorities that are verified.
///
/// # Errors
///
/// What the store reports. A CA whose certificate is damaged is left out.
pub fn router_keys(app: &App) -> Result<Vec<RouterKey>, AppError> {
    let network = app.network();
    let mut keys = BTreeMap::new();
    let mut add = |id: String, material, verifies| {
        let key = RouterKey {
            id: id.clone(),
            material,
            verifies,
        };
        keys.entry(id).or_insert(key);
    };
    let served = network.serving_state();
    let certificate = &served.controller.certificate;
    add(
        certificate.fingerprint().to_string(),
        KeyMaterial::Certificate(certificate.as_der().to_vec()),
        KeyUse::Both,
    );
    for retired in network.verification_keys(app.env().now()) {
        let material = KeyMaterial::PublicKey(retired.key.as_der().to_vec());
        add(retired.kid, material, KeyUse::Tokens);
    }
    for root in network.anchors() {
        let material = KeyMaterial::Certificate(root.as_der().to_vec());
        add(
            root.fingerprint().to_string(),
            material,
            KeyUse::ClientCertificates,
        );
    }
    let view = app.snapshot()?;
    view.rows()
        .for_each_in::<Ca>(&RecordKey::all(CA), &mut |found| {
            if found.entity.spec.is_verified
                && let Ok(certificate) = app.trust_anchors.get(&found)
            {
                let material = KeyMaterial::Certificate(certificate.as_der().to_vec());
                add(
                    certificate.fingerprint().to_string(),
                    material,
                    KeyUse::ClientCertificates,
                );
            }
            Ok(ControlFlow::Continue(()))
        })?;
    Ok(keys.into_values().collect())
}

#[cfg(test)]
mod tests;
