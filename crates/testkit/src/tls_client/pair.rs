//! Certificates made for a test.

use crate::version_one;
use rcgen::{CertificateParams, CustomExtension, KeyPair, SignatureAlgorithm, date_time_ymd};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate and the key it is for.
pub struct Pair {
    pub certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Pair {
    /// Makes a self-signed certificate for `names` with a P-256 key.
    pub fn named(names: &[&str]) -> Self {
        Self::make(names, &rcgen::PKCS_ECDSA_P256_SHA256, |_| {})
    }

    /// Makes a self-signed certificate with a key of the given kind.
    pub fn with_key(algorithm: &'static SignatureAlgorithm) -> Self {
        Self::make(&["client"], algorithm, |_| {})
    }

    /// Makes a self-signed certificate that ended long ago.
    pub fn expired() -> Self {
        Self::make(&["client"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
            params.not_before = date_time_ymd(2001, 1, 1);
            params.not_after = date_time_ymd(2002, 1, 1);
        })
    }

    /// Makes a certificate of version 1, whose own signature nobody looks at.
    pub fn version_one(algorithm: &'static SignatureAlgorithm) -> Self {
        let pair = Self::with_key(algorithm);
        let certificate = version_one(&pair.certificate, |_body| vec![0; 64]);
        pair.with_certificate(certificate.into())
    }

    /// Makes a certificate with an extension that is critical and that nobody knows.
    pub fn with_unknown_extension() -> Self {
        Self::make(&["client"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
            let mut unknown = CustomExtension::from_oid_content(&[1, 2, 3, 4], vec![5, 0]);
            unknown.set_criticality(true);
            params.custom_extensions.push(unknown);
        })
    }

    fn make(
        names: &[&str],
        algorithm: &'static SignatureAlgorithm,
        change: impl FnOnce(&mut CertificateParams),
    ) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let key = KeyPair::generate_for(algorithm).unwrap();
        let certificate = params.self_signed(&key).unwrap().der().clone();
        Self {
            certificate,
            key: key.serialize_der(),
        }
    }

    /// Presents `certificate` with a key that is not its own.
    #[must_use]
    pub fn with_certificate(self, certificate: CertificateDer<'static>) -> Self {
        Self {
            certificate,
            ..self
        }
    }

    pub fn chain(&self) -> Vec<CertificateDer<'static>> {
        vec![self.certificate.clone()]
    }

    pub fn key(&self) -> PrivateKeyDer<'static> {
        PrivatePkcs8KeyDer::from(self.key.clone()).into()
    }
}
