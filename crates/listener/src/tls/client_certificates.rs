//! Client certificates: requested, with proof of possession, but not verified.

use portcullis_pki::{Certificate, PublicKey};
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};
use rustls_pki_types::{CertificateDer, UnixTime};

/// Largest accepted chain, in bytes of DER. A session ticket holds the chain and must stay below
/// 64 KiB; ten RSA 4096 certificates stay far below this.
const MAX_CHAIN_BYTES: usize = 32 * 1024;

/// Accepts every chain whose leaf key the client proves to possess.
///
/// Trust is decided per request against the current authorities, so an expired, self-signed or
/// unknown certificate is not refused here, nor one of a version or with extensions that are not
/// accepted for login: a client may present it together with a password. The leaf must be a
/// well-formed X.509 certificate of any version, because its key verifies the handshake signature.
#[derive(Debug)]
pub(super) struct PossessionVerifier {
    algorithms: WebPkiSupportedAlgorithms,
}

impl PossessionVerifier {
    pub(super) fn new(algorithms: WebPkiSupportedAlgorithms) -> Self {
        Self { algorithms }
    }

    /// Verifies a handshake signature by a leaf that rustls has refused as a certificate. The TLS
    /// version allows `max_algorithms` algorithms for one scheme.
    fn verify_possession(
        &self,
        refused: Error,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
        max_algorithms: usize,
    ) -> Result<HandshakeSignatureValid, Error> {
        let is_about_form = |error: &CertificateError| *error != CertificateError::BadSignature;
        if !matches!(&refused, Error::InvalidCertificate(fault) if is_about_form(fault)) {
            return Err(refused);
        }
        let mut schemes = self.algorithms.mapping.iter();
        let algorithms = schemes
            .find(|(scheme, _)| *scheme == dss.scheme)
            .map_or(&[] as &[_], |(_, algorithms)| algorithms);
        let allowed = algorithms.get(..max_algorithms).unwrap_or(algorithms);
        match parse_public_key(cert) {
            Some(key) if key.has_signed(allowed, message, dss.signature()) => {
                Ok(HandshakeSignatureValid::assertion())
            },
            _ => Err(refused),
        }
    }
}

impl ClientCertVerifier for PossessionVerifier {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    // No hints: clients that hold several certificates filter by them.
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let rest: usize = intermediates.iter().map(|each| each.len()).sum();
        if end_entity.len() + rest > MAX_CHAIN_BYTES {
            return Err(CertificateError::ApplicationVerificationFailure.into());
        }
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        // TLS 1.2 tries all algorithms of a scheme, in rustls as here.
        verify_tls12_signature(message, cert, dss, &self.algorithms)
            .or_else(|refused| self.verify_possession(refused, message, cert, dss, usize::MAX))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        // A scheme names a single algorithm (RFC 8446 section 4.2.3), the first one.
        verify_tls13_signature(message, cert, dss, &self.algorithms)
            .or_else(|refused| self.verify_possession(refused, message, cert, dss, 1))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// The public key of a DER certificate of any version; `None` if it cannot be parsed or the key
/// type is not supported.
fn parse_public_key(certificate: &[u8]) -> Option<PublicKey> {
    let certificate = Certificate::from_der(certificate).ok()?;
    certificate.public_key().ok()
}
