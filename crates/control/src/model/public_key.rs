//! Public keys as routers get them.

use portcullis_app::router_keys::{KeyMaterial, KeyUse, RouterKey};
use portcullis_wire::control::data_model::{KeyFormat, KeyUsage, PublicKey};

pub(super) fn public_key(key: RouterKey) -> PublicKey {
    let (format, data) = match key.material {
        KeyMaterial::Certificate(der) => (KeyFormat::X509Certificate, der),
        KeyMaterial::PublicKey(der) => (KeyFormat::PkixPublicKey, der),
    };
    let usages = match key.verifies {
        KeyUse::Tokens => vec![KeyUsage::JwtValidation],
        KeyUse::ClientCertificates => vec![KeyUsage::ClientCertificateValidation],
        KeyUse::Both => vec![
            KeyUsage::JwtValidation,
            KeyUsage::ClientCertificateValidation,
        ],
    };
    PublicKey {
        data: data.into(),
        key_id: key.id,
        usages,
        format,
    }
}
