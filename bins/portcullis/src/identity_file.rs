//! Identity files, with the errors of commands.

use crate::credential::Credential;
use crate::error::CliError;
use crate::files;
use portcullis_client::{ClientCertificate, Trust};
use portcullis_enrollment::IdentityFileError;
use portcullis_pki::Certificate;
use std::path::Path;
use url::Url;
use zeroize::Zeroizing;

/// Hint where the certificate of an identity file was refused, which has many causes that the
/// controller does not tell apart.
pub(crate) const REFUSED_HINT: &str = "the identity is disabled or deleted, or its certificate was \
    withdrawn; ask an administrator";

/// An identity file.
pub(crate) struct IdentityFile(portcullis_enrollment::IdentityFile);

impl IdentityFile {
    /// Creates the file for the controller at `url`. `key` is one PEM block, and `chain` the
    /// certificate with its intermediates.
    pub(crate) fn new(
        url: &Url,
        key: &str,
        chain: &[Certificate],
        authorities: &[Certificate],
    ) -> Self {
        let file = portcullis_enrollment::IdentityFile::new(url, key, chain, authorities);
        Self(file)
    }

    pub(crate) fn to_json(&self) -> Result<Zeroizing<Vec<u8>>, CliError> {
        Ok(self.0.to_json()?)
    }

    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let text = Zeroizing::new(files::read_text(path)?);
        let name = path.display().to_string();
        Ok(Self(portcullis_enrollment::IdentityFile::parse(
            &text, name,
        )?))
    }

    /// The first of its controllers.
    pub(crate) fn url(&self) -> Result<Url, CliError> {
        let first = self.0.controllers()?.into_iter().next();
        first.ok_or_else(|| CliError::failed(format!("{} names no controller", self.0.name())))
    }

    pub(crate) fn trust(&self) -> Result<Trust, CliError> {
        crate::profile::trust_from_pem(&self.ca_pem()?)
    }

    /// Trusted CA certificates, PEM.
    pub(crate) fn ca_pem(&self) -> Result<String, CliError> {
        Ok(self.0.ca_pem()?)
    }

    /// Private key, PEM.
    pub(crate) fn key_pem(&self) -> Result<Zeroizing<String>, CliError> {
        Ok(self.0.key_pem()?)
    }

    /// Replaces the certificate, and the key if a new one is given. Both are stored inline.
    pub(crate) fn replace_certificate(&mut self, chain: &[Certificate], key: Option<&str>) {
        self.0.replace_certificate(chain, key);
    }

    pub(crate) fn client_certificate(&self) -> Result<ClientCertificate, CliError> {
        Ok(self.credential()?.to_client_certificate())
    }

    pub(crate) fn credential(&self) -> Result<Credential, CliError> {
        let file = &self.0;
        Credential::from_identity_file(file.name(), &file.cert_pem()?, &file.key_pem()?)
    }
}

impl From<IdentityFileError> for CliError {
    fn from(error: IdentityFileError) -> Self {
        let is_none = matches!(error, IdentityFileError::NotJson { .. });
        let failure = Self::failed(error.to_string());
        let failure = match error.into_cause() {
            Some(cause) => failure.with_source(anyhow::Error::from_boxed(cause)),
            None => failure,
        };
        if is_none {
            return failure.hint("`portcullis enroll TOKEN` creates one");
        }
        failure
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_pki::{KeyType, SigningKey};

    #[test]
    fn file_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("laptop.json");
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let url = "https://ctrl.example.test:1280".parse().unwrap();
        let file = IdentityFile::new(&url, &key.to_pkcs8_pem().unwrap(), &[], &[]);
        std::fs::write(&path, &*file.to_json().unwrap()).unwrap();
        let read = IdentityFile::read(&path).unwrap();
        assert_eq!(read.url().unwrap(), url);
        let error = read.client_certificate().unwrap_err().message();
        assert!(error.contains("laptop.json is empty"), "{error}");
        assert!(read.trust().is_err(), "nobody is trusted");
    }

    #[test]
    fn what_is_no_identity_file_has_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("laptop.json");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            IdentityFile::read(&path)
                .and_then(|file| file.url())
                .unwrap_err()
        };
        assert_eq!(
            read("eyJ").hints(),
            ["`portcullis enroll TOKEN` creates one"]
        );
        let missing = read("{}").message();
        assert!(
            missing.contains("`ztAPI` of") && missing.ends_with("is missing"),
            "{missing}"
        );
    }
}
