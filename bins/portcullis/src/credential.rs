//! Certificates that people bring along, with their keys.

use crate::error::CliError;
use crate::files;
use clap::Args;
use portcullis_client::ClientCertificate;
use portcullis_pki::certificates_from_pem;
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Where a certificate and its key are.
#[derive(Debug, Clone, Args)]
pub(crate) struct CertificateArgs {
    /// PEM file that holds the certificate to show, with its intermediates after it
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,

    /// PEM file that holds the private key of the certificate, unencrypted
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
}

/// A certificate with its key, as they were given.
pub(crate) struct Credential {
    /// The certificate and its intermediates, PEM.
    pub(crate) cert: String,
    /// The private key, PEM.
    pub(crate) key: Zeroizing<String>,
}

impl CertificateArgs {
    /// Reads the two files, if they are named.
    pub(crate) fn read(&self) -> Result<Option<Credential>, CliError> {
        match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => Credential::read(cert, key).map(Some),
            _ => Ok(None),
        }
    }
}

impl Credential {
    /// Reads the two files.
    pub(crate) fn read(cert: &Path, key: &Path) -> Result<Self, CliError> {
        Ok(Self {
            cert: files::read_text(cert)?,
            key: Zeroizing::new(files::read_text(key)?),
        })
    }

    /// In the form in which it is shown to a controller.
    pub(crate) fn for_tls(&self) -> Result<ClientCertificate, CliError> {
        let unusable = || CliError::failed("the key or certificate cannot be used");
        let chain = certificates_from_pem(&self.cert).map_err(|error| unusable().because(error))?;
        if chain.is_empty() {
            return Err(CliError::failed("there is no certificate in the file"));
        }
        // What is wrong with the text could repeat parts of it.
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).map_err(|_secret| {
            CliError::failed("there is no private key in the file that could be read")
                .hint("an encrypted key has to be decrypted first, for example with `openssl pkey`")
        })?;
        Ok(ClientCertificate {
            chain: chain.iter().map(|one| one.as_rustls().clone()).collect(),
            key,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_kind_are_read() {
        for algorithm in [&rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ED25519] {
            let key = rcgen::KeyPair::generate_for(algorithm).unwrap();
            let params = rcgen::CertificateParams::new([]).unwrap();
            let credential = Credential {
                cert: params.self_signed(&key).unwrap().pem(),
                key: Zeroizing::new(key.serialize_pem()),
            };
            assert_eq!(credential.for_tls().unwrap().chain.len(), 1);
            let swapped = Credential {
                cert: credential.key.to_string(),
                key: Zeroizing::new(credential.cert.clone()),
            };
            assert!(swapped.for_tls().is_err());
        }
    }
}
