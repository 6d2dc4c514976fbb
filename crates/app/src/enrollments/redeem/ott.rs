//! One-time token: a certificate request is signed.

use super::Redeemed;
use crate::app::App;
use crate::authenticators::Draft;
use crate::error::AppError;
use crate::network::not_issued;
use portcullis_domain::authenticator::CertCredential;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;

/// Turns the request of a client into its credential.
pub(super) fn certify(
    app: &App,
    identity: &Identity,
    csr: &str,
    now: Timestamp,
) -> Result<(Draft, Redeemed), AppError> {
    let (credential, chain) = issue(app, identity, csr, now)?;
    Ok((Draft::Own(credential), Redeemed::Certificate(chain)))
}

/// Issues the certificate that a client asks for: as a credential, and as the chain that the client
/// gets, PEM.
pub(in crate::enrollments) fn issue(
    app: &App,
    identity: &Identity,
    csr: &str,
    now: Timestamp,
) -> Result<(CertCredential, String), AppError> {
    let csr = app
        .network()
        .read_csr(csr)
        .map_err(|error| AppError::Csr(error.to_string()))?;
    let network = app.network();
    let leaf = network
        .signing()
        .issue_identity(
            &csr,
            network.trust_domain(),
            &identity.id,
            now,
            &*app.env().entropy,
        )
        .map_err(not_issued)?;
    let pem = network.signing().chain_pem(&leaf);
    let fingerprint = leaf.fingerprint().to_string();
    let credential = CertCredential::new(fingerprint, pem.clone(), true);
    Ok((credential, pem))
}
