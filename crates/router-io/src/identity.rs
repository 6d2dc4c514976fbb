//! The section `identity`: certificates and keys of a router, and the files that they are in.

mod left_over;
mod renewal;
mod source;
#[cfg(test)]
pub(crate) mod test_files;
mod watch;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use portcullis_pki::{
    Certificate, CertificateError, CryptoError, IssueError, KeyError, SigningKey,
};
use portcullis_router_config::model::{Identity, SourcedValue};

use crate::tls::{Credentials, TlsSetupError};

pub use self::watch::{IdentityWatcher, Reload};
pub use self::write::{IdentityDraft, NewIdentity};

pub(crate) use self::renewal::RenewableFiles;
pub(crate) use self::source::PemValue;

/// Certificates or keys of the file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error("the file has no `{key}`")]
    Missing { key: String },
    #[error("`{key}` is neither a path nor PEM")]
    Malformed { key: String },
    #[error("`{key}` names a key of the kind `{scheme}:`, and only files and PEM are supported")]
    Engine { key: String, scheme: String },
    #[error("{value} cannot be read")]
    Unreadable {
        value: String,
        #[source]
        source: io::Error,
    },
    #[error("{value} contains no usable certificates")]
    Certificates {
        value: String,
        #[source]
        source: CertificateError,
    },
    #[error("{value} contains no usable key")]
    Key {
        value: String,
        #[source]
        source: KeyError,
    },
    #[error("the key {key} does not match the certificate {certificate}")]
    Mismatch { key: String, certificate: String },
    #[error("the certificate of the key {key} has to be the first in {certificate}")]
    WrongOrder { key: String, certificate: String },
    #[error("the certificate {certificate} names no router: its subject has no common name")]
    NoRouterId { certificate: String },
    #[error("the certificate {certificate} is that of another router, `{other}`")]
    OtherRouter { certificate: String, other: String },
    #[error("{value} cannot be replaced: name a file there")]
    Inline { value: String },
    #[error("`{first}` and `{second}` name the same file, {}", path.display())]
    SameFile {
        first: String,
        second: String,
        path: PathBuf,
    },
    #[error(transparent)]
    Write(#[from] portcullis_files::FileError),
    #[error(transparent)]
    Tls(#[from] TlsSetupError),
    #[error("the controller issued certificates for another key")]
    ForeignKey,
    #[error("the certificate request cannot be made")]
    Request(#[from] IssueError),
    #[error(transparent)]
    Crypto(#[from] CryptoError),
}

/// A certificate and its key, as the file names them.
#[derive(Debug, Clone)]
struct Pair {
    certificate: PemValue,
    key: PemValue,
}

/// Which key of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRole {
    /// `key`, of the client certificate.
    Client,
    /// `server_key`, of the server certificate; `key` if that is not set.
    Server,
}

/// What the section `identity` names.
#[derive(Debug, Clone)]
pub struct IdentityFiles {
    client: Pair,
    /// `server_cert`.
    server: Option<Pair>,
    /// `alt_server_certs`.
    alternatives: Vec<Pair>,
    authorities: Option<PemValue>,
}

/// What the files of an identity contain.
#[derive(Debug)]
pub struct LoadedIdentity {
    /// Id of the router: the common name of its client certificate.
    pub router_id: String,
    pub credentials: Credentials,
}

impl IdentityFiles {
    pub fn from_config(section: &Identity) -> Result<Self, IdentityError> {
        let key = required("identity.key", section.key.as_ref())?;
        let pair_with = |certificate: PemValue, own: Option<PemValue>| Pair {
            certificate,
            key: own.unwrap_or_else(|| key.clone()),
        };
        let server = optional("identity.server_cert", section.server_cert.as_ref())?;
        let server_key = optional("identity.server_key", section.server_key.as_ref())?;
        let alternatives = (0..).zip(&section.alt_server_certs);
        let alternatives = alternatives.map(|(index, entry): (usize, _)| {
            let name = |key: &str| format!("identity.alt_server_certs[{index}].{key}");
            let certificate = required(&name("server_cert"), entry.server_cert.as_ref())?;
            let own = optional(&name("server_key"), entry.server_key.as_ref())?;
            Ok(pair_with(certificate, own))
        });
        Ok(Self {
            client: Pair {
                certificate: required("identity.cert", section.cert.as_ref())?,
                key: key.clone(),
            },
            server: server.map(|certificate| pair_with(certificate, server_key)),
            alternatives: alternatives.collect::<Result<_, IdentityError>>()?,
            authorities: optional("identity.ca", section.ca.as_ref())?,
        })
    }

    /// Reads all files, which have to fit together.
    pub fn load(&self) -> Result<LoadedIdentity, IdentityError> {
        let (chain, key) = self.client.load()?;
        let router_id = (chain.first())
            .and_then(Certificate::common_name)
            .filter(|name| !name.is_empty())
            .ok_or_else(|| IdentityError::NoRouterId {
                certificate: self.client.certificate.describe(),
            })?;
        let (client_chain, client_key) = (to_rustls(&chain), key.to_rustls()?);
        let mut servers = Vec::new();
        for pair in self.server.iter().chain(&self.alternatives) {
            let (chain, key) = pair.load()?;
            servers.push((to_rustls(&chain), key.to_rustls()?));
        }
        if servers.is_empty() {
            // Peers refuse it, since it is for clients; `config check` warns that nobody can dial the router.
            servers.push((client_chain.clone(), client_key.clone_key()));
        }
        let authorities = self.authorities.as_ref().map(PemValue::certificates);
        let authorities = authorities.transpose()?.unwrap_or_default();
        Ok(LoadedIdentity {
            router_id,
            credentials: Credentials {
                client_chain,
                client_key,
                servers,
                authorities: to_rustls(&authorities),
            },
        })
    }

    /// The key of a certificate; `None` if its file does not exist.
    pub fn key(&self, role: KeyRole) -> Result<Option<SigningKey>, IdentityError> {
        match self.key_value(role).key() {
            Err(IdentityError::Unreadable { source, .. })
                if source.kind() == io::ErrorKind::NotFound =>
            {
                Ok(None)
            },
            key => key.map(Some),
        }
    }

    /// Whether the server certificate has a key of its own.
    pub fn has_server_key(&self) -> bool {
        self.key_value(KeyRole::Server).key_name() != self.key_value(KeyRole::Client).key_name()
    }

    fn key_value(&self, role: KeyRole) -> &PemValue {
        match (role, &self.server) {
            (KeyRole::Server, Some(server)) => &server.key,
            _ => &self.client.key,
        }
    }

    /// Whether the file of the client certificate is there.
    pub fn is_enrolled(&self) -> bool {
        let certificate = &self.client.certificate;
        certificate.file().is_none_or(Path::exists)
    }

    /// Where the client certificate comes from, such as `identity.cert (/etc/r1.cert)`.
    pub fn describe(&self) -> String {
        self.client.certificate.describe()
    }

    /// Whether a server certificate names a host, so that those who dial it accept the router. `false` as well
    /// if the certificates cannot be read.
    pub fn covers_host(&self, host: &str) -> bool {
        let servers = self.server.iter().chain(&self.alternatives);
        let mut leaves = servers.filter_map(|pair| {
            let chain = pair.certificate.certificates().ok()?;
            chain.into_iter().next()
        });
        leaves.any(|leaf| leaf.covers_host(host))
    }

    /// The chains of the client certificate and of `server_cert`, which controllers issue.
    fn chains(&self) -> Result<Vec<Vec<Certificate>>, IdentityError> {
        let pairs = std::iter::once(&self.client).chain(&self.server);
        pairs.map(|pair| pair.certificate.certificates()).collect()
    }

    fn values(&self) -> impl Iterator<Item = &PemValue> {
        let pairs = std::iter::once(&self.client)
            .chain(&self.server)
            .chain(&self.alternatives);
        let values = pairs.flat_map(|pair| [&pair.certificate, &pair.key]);
        values.chain(&self.authorities)
    }
}

impl Pair {
    fn load(&self) -> Result<(Vec<Certificate>, SigningKey), IdentityError> {
        let (chain, key) = (self.certificate.certificates()?, self.key.key()?);
        let is_of_key =
            |certificate: &Certificate| certificate.public_key().as_ref() == Ok(key.public_key());
        let names = || (self.key.describe(), self.certificate.describe());
        match chain.iter().position(is_of_key) {
            Some(0) => Ok((chain, key)),
            Some(_) => {
                let (key, certificate) = names();
                Err(IdentityError::WrongOrder { key, certificate })
            },
            None => {
                let (key, certificate) = names();
                Err(IdentityError::Mismatch { key, certificate })
            },
        }
    }
}

fn required(key: &str, value: Option<&SourcedValue<String>>) -> Result<PemValue, IdentityError> {
    optional(key, value)?.ok_or_else(|| IdentityError::Missing {
        key: key.to_owned(),
    })
}

fn optional(
    key: &str,
    value: Option<&SourcedValue<String>>,
) -> Result<Option<PemValue>, IdentityError> {
    value
        .map(|value| PemValue::parse(key, &value.value))
        .transpose()
}

fn to_rustls(chain: &[Certificate]) -> Vec<rustls_pki_types::CertificateDer<'static>> {
    chain.iter().map(|one| one.as_rustls().clone()).collect()
}

#[cfg(test)]
mod tests;
