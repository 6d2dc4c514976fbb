//! Client certificates: asked for, proved, not judged.

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};
use rustls_pki_types::{CertificateDer, UnixTime};

/// Largest chain taken, in bytes of DER. A session ticket holds the chain and must stay below
/// 64 KiB; ten RSA 4096 certificates stay far below this.
const MAX_CHAIN_BYTES: usize = 32 * 1024;

/// Accepts every chain whose leaf the client proves to hold the key of.
///
/// Trust is decided per request against the authorities of the moment, so an expired, self-signed or
/// unknown certificate is not refused here. The leaf must be a well-formed X.509 v3 certificate,
/// because its key is read to check the handshake signature.
#[derive(Debug)]
pub(super) struct ProveAndAccept {
    algorithms: WebPkiSupportedAlgorithms,
}

impl ProveAndAccept {
    /// Makes a verifier that understands signatures by `algorithms`.
    pub(super) fn new(algorithms: WebPkiSupportedAlgorithms) -> Self {
        Self { algorithms }
    }
}

impl ClientCertVerifier for ProveAndAccept {
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
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
