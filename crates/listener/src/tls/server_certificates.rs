//! Server certificates, selected by name and replaceable at run time.

use parking_lot::RwLock;
use std::sync::Arc;

use rustls::client::verify_server_name;
use rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls_pki_types::ServerName;

use super::{TlsError, validate_certificates};

/// The certificates being served.
#[derive(Debug)]
pub(super) struct ServerCertificates {
    current: RwLock<Arc<[Arc<CertifiedKey>]>>,
}

impl ServerCertificates {
    pub(super) fn new(certificates: Vec<Arc<CertifiedKey>>) -> Result<Self, TlsError> {
        validate_certificates(&certificates)?;
        Ok(Self {
            current: RwLock::new(certificates.into()),
        })
    }

    /// Replaces the certificates; the present ones stay if these are refused.
    pub(super) fn replace(&self, certificates: Vec<Arc<CertifiedKey>>) -> Result<(), TlsError> {
        validate_certificates(&certificates)?;
        *self.current.write() = certificates.into();
        Ok(())
    }

    fn current(&self) -> Arc<[Arc<CertifiedKey>]> {
        Arc::clone(&self.current.read())
    }
}

impl ResolvesServerCert for ServerCertificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.current();
        let name = hello
            .server_name()
            .and_then(|name| ServerName::try_from(name).ok());
        let matching = || current.iter().filter(|pair| covers(pair, name.as_ref()));
        // Two certificates for one name differ in key type: the client says which it can verify.
        let usable =
            |pair: &&Arc<CertifiedKey>| pair.key.choose_scheme(hello.signature_schemes()).is_some();
        matching()
            .find(usable)
            .or_else(|| matching().next())
            .or_else(|| current.iter().find(usable))
            .or_else(|| current.first())
            .cloned()
    }
}

/// Reports whether a subject alternative name of `pair`, exact or wildcard, covers `name`.
fn covers(pair: &CertifiedKey, name: Option<&ServerName<'_>>) -> bool {
    let Some((leaf, name)) = pair.cert.first().zip(name) else {
        return false;
    };
    ParsedCertificate::try_from(leaf).is_ok_and(|leaf| verify_server_name(&leaf, name).is_ok())
}
