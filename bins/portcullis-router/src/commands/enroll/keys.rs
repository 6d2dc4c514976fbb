//! Keys of a router that enrolls.

use anyhow::bail;
use portcullis_command_line::KeyTypeArg;
use portcullis_pki::{KeyType, PublicKeyKind, SigningKey};
use portcullis_router_io::{IdentityFiles, KeyRole};

/// The keys that certificates are requested for.
pub(super) struct RouterKeys {
    pub(super) client: SigningKey,
    /// Of the server certificate, if it has one of its own.
    own_server: Option<SigningKey>,
}

impl RouterKeys {
    /// Loads the keys that are there, and generates and writes the others: they must not be lost once there
    /// are certificates for them.
    pub(super) fn load_or_generate(
        files: &IdentityFiles,
        key_type: Option<KeyTypeArg>,
    ) -> anyhow::Result<Self> {
        let key = |role| load_or_generate(files, role, key_type);
        let own_server = files.has_server_key().then(|| key(KeyRole::Server));
        Ok(Self {
            client: key(KeyRole::Client)?,
            own_server: own_server.transpose()?,
        })
    }

    /// The key of the server certificate.
    pub(super) fn server(&self) -> &SigningKey {
        self.own_server.as_ref().unwrap_or(&self.client)
    }
}

fn load_or_generate(
    files: &IdentityFiles,
    role: KeyRole,
    key_type: Option<KeyTypeArg>,
) -> anyhow::Result<SigningKey> {
    if let Some(key) = files.key(role)? {
        let kind = key.public_key().kind();
        if key_type.is_some_and(|wanted| kind != PublicKeyKind::from(KeyType::from(wanted))) {
            bail!(
                "there is a key of the type {kind} already; leave --key-type out to use it, or move its file \
                 away for a new one",
            );
        }
        return Ok(key);
    }
    let key = SigningKey::generate(key_type.map_or(KeyType::P256, KeyType::from))?;
    files.write_key(role, &key.to_pkcs8_pem()?)?;
    Ok(key)
}
