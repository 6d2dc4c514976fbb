//! Errors of clients that could not be built.

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

/// The client could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The scheme of the address is not HTTPS.
    #[error("the address of a controller must begin with https://")]
    NotHttps,
    /// The address has no valid host.
    #[error("the address of the controller has no valid host")]
    NoHost,
    /// No usable CA certificate was given.
    #[error("there is no CA certificate to trust")]
    NoTrustAnchors,
    /// The private key of the client certificate has an unsupported type.
    #[error("this type of private key cannot be used; use ECDSA P-256 or P-384, or RSA")]
    ClientKey,
    /// The private key does not belong to the client certificate.
    #[error("the certificate does not match the key")]
    ClientKeyMismatch,
    /// A PEM text is damaged, or does not contain what it should.
    #[error("the PEM text is damaged, or does not contain what it should")]
    Pem,
    /// The cryptographic library supports no TLS version.
    #[error("TLS cannot be set up")]
    Tls,
}

/// All certificates of a PEM text.
pub(crate) fn certificates_from_pem(
    pem: &[u8],
) -> Result<Vec<CertificateDer<'static>>, BuildError> {
    let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    certificates.map_err(|_pem| BuildError::Pem)
}
