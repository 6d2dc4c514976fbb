//! Method `ott`: signs a certificate request.

use super::RedemptionResult;
use crate::app::App;
use crate::authenticators::CredentialDraft;
use crate::error::{AppError, CsrDeniedError};
use portcullis_domain::authenticator::CertCredential;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;

/// Issues a certificate as credential of an identity.
pub(super) fn issue_credential(
    app: &App,
    identity: &Identity,
    csr: &str,
    now: Timestamp,
) -> Result<(CredentialDraft, RedemptionResult), AppError> {
    let (credential, chain) = issue(app, identity, csr, now)?;
    Ok((
        CredentialDraft::Network(credential),
        RedemptionResult::Certificate(chain),
    ))
}

/// Issues a certificate; returns it as a credential, and as PEM chain for the client.
pub(in crate::enrollments) fn issue(
    app: &App,
    identity: &Identity,
    csr: &str,
    now: Timestamp,
) -> Result<(CertCredential, String), AppError> {
    let csr = app
        .network()
        .parse_csr(csr)
        .map_err(|error| CsrDeniedError::Invalid(error.to_string()))?;
    let network = app.network();
    let leaf = network.signing().issue_identity(
        &csr,
        network.trust_domain(),
        &identity.id,
        now,
        &*app.env().entropy,
    )?;
    let pem = network.signing().chain_pem(&leaf);
    let fingerprint = leaf.fingerprint().to_string();
    let credential = CertCredential::new(fingerprint, pem.clone(), true);
    Ok((credential, pem))
}
