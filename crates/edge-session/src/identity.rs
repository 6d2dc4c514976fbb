//! Who logs in, and where.

use portcullis_client::{ClientCertificate, Url};
use portcullis_enrollment::{IdentityFile, IdentityFileError};
use portcullis_pki::Certificate;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Who logs in at which controllers.
#[derive(Debug, Clone)]
pub struct EdgeIdentity {
    /// Controllers, in the order in which they are tried; at least one.
    pub controllers: Vec<Url>,
    /// CA certificates of the network, of controllers and edge routers alike.
    pub authorities: Vec<Certificate>,
    /// `None` for identities that log in with a password or a token.
    pub certificate: Option<Arc<RouterCredential>>,
    /// Configuration types that services shall come with; all of them without any.
    pub config_types: Vec<String>,
}

/// The certificate and key that edge routers are shown in TLS.
pub struct RouterCredential {
    /// The certificate followed by its intermediates.
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
}

impl EdgeIdentity {
    /// Reads an identity file, and the files that it names.
    pub fn read(path: &Path) -> Result<Self, IdentityFileError> {
        Self::from_file(&IdentityFile::read(path)?)
    }

    /// Reads the files that an identity file names.
    pub fn from_file(file: &IdentityFile) -> Result<Self, IdentityFileError> {
        let certificate = file.client_certificate()?;
        let certificate = certificate
            .map(|ClientCertificate { chain, key }| Arc::new(RouterCredential { chain, key }));
        Ok(Self {
            controllers: file.controllers()?,
            authorities: file.authorities()?,
            certificate,
            config_types: file.config_types().to_vec(),
        })
    }
}

impl fmt::Debug for RouterCredential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RouterCredential")
            .field("chain", &self.chain.len())
            .finish_non_exhaustive()
    }
}
