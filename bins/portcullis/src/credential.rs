//! Client certificates and private keys from files.

mod pem_file;

use crate::error::CliError;
use clap::Args;
use pem_file::PemFile;
use portcullis_api::code::Code;
use portcullis_client::{ClientCertificate, ClientError};
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{Certificate, certificates_to_pem};
use rustls_pki_types::PrivateKeyDer;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Files of a client certificate.
#[derive(Debug, Clone, Args)]
pub(crate) struct CertificateArgs {
    /// PEM file with the client certificate, followed by its intermediates
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,

    /// PEM file with the unencrypted private key for the certificate
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
}

/// A certificate chain and the matching private key.
pub(crate) struct Credential {
    pub(crate) chain: Vec<Certificate>,
    key: PrivateKeyDer<'static>,
    /// Name of the certificate in messages.
    name: String,
}

impl CertificateArgs {
    /// Reads the files, if they are given.
    pub(crate) fn read(&self) -> Result<Option<Credential>, CliError> {
        match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => Credential::read(cert, key).map(Some),
            _ => Ok(None),
        }
    }
}

/// Reads the certificates in a PEM file, ignoring everything else.
pub(crate) fn read_certificates(path: &Path) -> Result<Vec<Certificate>, CliError> {
    PemFile::read(path)?.certificates()
}

/// Reads the certificates in a PEM file, as normalized PEM.
pub(crate) fn read_certificates_pem(path: &Path) -> Result<String, CliError> {
    Ok(certificates_to_pem(&read_certificates(path)?))
}

/// Reads a PEM file with a private key. Parsing the key is left to the caller.
pub(crate) fn read_key_pem(path: &Path) -> Result<Zeroizing<String>, CliError> {
    let file = PemFile::read(path)?;
    file.key()?;
    Ok(file.text)
}

impl Credential {
    pub(crate) fn read(cert: &Path, key: &Path) -> Result<Self, CliError> {
        Self::from_pem_files(&PemFile::read(cert)?, &PemFile::read(key)?)
    }

    /// Parses the PEM texts of the identity file `name`.
    pub(crate) fn from_identity_file(name: &str, cert: &str, key: &str) -> Result<Self, CliError> {
        let part = |what: &str, text| PemFile::new(format!("the {what} of {name}"), text);
        Self::from_pem_files(&part("certificate", cert), &part("key", key))
    }

    fn from_pem_files(cert: &PemFile, key: &PemFile) -> Result<Self, CliError> {
        let credential = Self {
            chain: cert.certificates()?,
            key: key.key()?,
            name: cert.name.clone(),
        };
        credential
            .to_client_certificate()
            .validate()
            .map_err(|error| {
                CliError::failed(format!(
                    "{} and {} cannot be used together",
                    cert.name, key.name
                ))
                .with_source(error)
            })?;
        Ok(credential)
    }

    pub(crate) fn key_pem(&self) -> Zeroizing<String> {
        pem_file::encode_key(&self.key)
    }

    /// Converts it for use with TLS.
    pub(crate) fn to_client_certificate(&self) -> ClientCertificate {
        let chain = self.chain.iter();
        ClientCertificate {
            chain: chain.map(|one| one.as_rustls().clone()).collect(),
            key: self.key.clone_key(),
        }
    }

    /// Explains a failed login with this certificate. `hint` is added if the controller refused the
    /// credential.
    pub(crate) fn explain_login_error(
        &self,
        error: ClientError,
        hint: &str,
        now: Timestamp,
    ) -> CliError {
        let is_refused = error.is_refused_with(Code::InvalidAuth);
        let failure = CliError::from_login(error, hint);
        let remarks = self
            .certificate_warnings(now)
            .into_iter()
            .filter(|_| is_refused);
        remarks.fold(failure, CliError::hint)
    }

    /// Likely reasons why a controller would refuse the certificate.
    pub(crate) fn certificate_warnings(&self, now: Timestamp) -> Vec<String> {
        let mut remarks = Vec::new();
        let name = &self.name;
        if let Some(leaf) = self.chain.first() {
            let (from, until) = (leaf.not_before(), leaf.not_after());
            if until < now {
                remarks.push(format!("{name} expired at {until}"));
            } else if from > now {
                remarks.push(format!("{name} is not valid before {from}"));
            }
            if self.chain.len() == 1 && !leaf.is_self_issued() {
                remarks.push(format!(
                    "if the CA did not issue {name} directly, append the intermediate certificates to \
                     the same file"
                ));
            }
        }
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls_pki_types::pem::PemObject as _;
    use std::fs;

    fn pair(key: &rcgen::KeyPair) -> (String, String) {
        let mut params = rcgen::CertificateParams::new([]).unwrap();
        params.not_after = rcgen::date_time_ymd(2031, 4, 5);
        (params.self_signed(key).unwrap().pem(), key.serialize_pem())
    }

    fn read(cert: &str, key: &str) -> Result<Credential, CliError> {
        let folder = tempfile::tempdir().unwrap();
        let (cert_file, key_file) = (folder.path().join("c.pem"), folder.path().join("c.key"));
        fs::write(&cert_file, cert).unwrap();
        fs::write(&key_file, key).unwrap();
        Credential::read(&cert_file, &key_file)
    }

    fn refusal(cert: &str, key: &str) -> String {
        let Err(error) = read(cert, key) else {
            panic!("it is taken");
        };
        format!("{error:?}")
    }

    #[test]
    fn keys_of_every_kind_are_read() {
        for algorithm in [&rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ED25519] {
            let key = rcgen::KeyPair::generate_for(algorithm).unwrap();
            let (cert, key) = pair(&key);
            let credential = read(&cert, &key).unwrap();
            assert_eq!(credential.to_client_certificate().chain.len(), 1);
            let written = credential.key_pem();
            let again = PrivateKeyDer::from_pem_slice(written.as_bytes()).unwrap();
            assert!(again == credential.key);
        }
    }

    #[test]
    fn what_stands_beside_is_left_out() {
        let (cert, key) = pair(&rcgen::KeyPair::generate().unwrap());
        let all = format!("Bag Attributes\n{key}\nsubject=/CN=x\n{cert}\ntrailing text\n");
        let credential = read(&all, &all).unwrap();
        let (certs, key) = (certificates_to_pem(&credential.chain), credential.key_pem());
        assert_eq!(certs.matches("-----BEGIN").count(), 1);
        assert!(
            certs.starts_with("-----BEGIN CERTIFICATE-----\n"),
            "{certs}"
        );
        assert!(certs.ends_with("-----END CERTIFICATE-----\n"), "{certs}");
        assert!(key.starts_with("-----BEGIN PRIVATE KEY-----\n"));
        assert!(key.ends_with("-----END PRIVATE KEY-----\n"));
        assert_eq!(key.matches("-----BEGIN").count(), 1);
    }

    #[test]
    fn refusals_name_file_and_cause() {
        let (cert, key) = pair(&rcgen::KeyPair::generate().unwrap());
        let (_, other) = pair(&rcgen::KeyPair::generate().unwrap());
        for (cert, key, told) in [
            (
                &*key,
                &*cert,
                "c.pem contains a private key, but no certificate",
            ),
            (
                &*cert,
                &*cert,
                "c.key contains a certificate, but no private key",
            ),
            (&*cert, "", "c.key is empty"),
            ("", &*key, "c.pem is empty"),
            ("0\u{3}\u{2}", &*key, "openssl x509 -inform DER"),
            (&*cert, "0\u{3}\u{2}", "openssl pkey -inform DER"),
            ("hello", &*key, "c.pem contains no PEM"),
            (&*cert, &*other, "the certificate does not match the key"),
        ] {
            let refusal = refusal(cert, key);
            assert!(refusal.contains(told), "{told}: {refusal}");
        }
        let encrypted = key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
        assert!(refusal(&cert, &encrypted).contains("is encrypted"));
    }

    #[test]
    fn time_of_a_certificate_is_remarked() {
        let (cert, key) = pair(&rcgen::KeyPair::generate().unwrap());
        let credential = read(&cert, &key).unwrap();
        let remarks = |at: &str| credential.certificate_warnings(at.parse().unwrap());
        assert!(remarks("2031-04-04T00:00:00Z").is_empty());
        let remarks = remarks("2031-04-06T00:00:00Z");
        assert!(
            remarks[0].contains("c.pem expired at 2031-04-05"),
            "{remarks:?}"
        );
    }
}
