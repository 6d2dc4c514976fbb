//! Proof of possession of an authority's key.

use super::rank;
use crate::app::App;
use crate::error::{AppError, CaProofError};
use crate::managed::{self, CredentialGuard, Update};
use portcullis_domain::access::Permit;
use portcullis_domain::ca::{Ca, CaSpec};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::CaId;
use portcullis_pki::{Certificate, CertificateError};

/// Verifies an authority by a PEM certificate that it issued for its own verification token.
pub async fn verify(
    app: &App,
    permit: &Permit<Update<CaSpec>>,
    id: &CaId,
    pem: &str,
) -> Result<(), AppError> {
    let now = app.env().now();
    let ca = managed::get::<CaSpec>(app.snapshot()?.rows(), id)?.entity;
    validate_proof(&ca, pem, now)?;
    let (wanted, credential_guard) = (id.clone(), CredentialGuard::new(app));
    app.commit_for(permit, move |rows, caller| {
        rows.set_operation("ca.verify", wanted.as_str());
        // Neither the certificate nor the verification token can change: the proof is still valid.
        let found = managed::get::<CaSpec>(rows.rows(), &wanted)?;
        rank::check_external_id_claim(credential_guard, caller, &[&found.entity.spec.settings])?;
        if found.entity.spec.is_verified {
            return Err(CaProofError::AlreadyVerified.into());
        }
        let mut after = found.entity.clone();
        after.set_verified(now);
        Ok(rows.replace(&found.key, &found.entity, &after)?)
    })
    .await?;
    Ok(())
}

/// Validates the proof, in the order that clients expect.
fn validate_proof(ca: &Ca, pem: &str, now: Timestamp) -> Result<(), AppError> {
    if ca.spec.is_verified {
        return Err(CaProofError::AlreadyVerified.into());
    }
    let proof = Certificate::from_single_pem(pem).map_err(|error| map_certificate_error(&error))?;
    if proof.common_name().as_deref() != Some(ca.spec.verification_token.as_str()) {
        return Err(CaProofError::WrongName.into());
    }
    let authority = Certificate::from_pem(&ca.spec.pem).map_err(AppError::internal)?;
    // Type and purpose of the certificate do not matter: the authority's key has to have signed it.
    let is_issued = proof.is_issued_by(&authority)
        && [&proof, &authority].iter().all(|one| one.is_valid_at(now));
    if is_issued {
        Ok(())
    } else {
        Err(CaProofError::NotIssued.into())
    }
}

fn map_certificate_error(error: &CertificateError) -> CaProofError {
    match error {
        CertificateError::Pem(_) | CertificateError::NotPem => CaProofError::NotPem,
        CertificateError::UnexpectedLabel { .. } | CertificateError::MultipleCertificates => {
            CaProofError::NotOneCertificate(error.to_string())
        },
        CertificateError::Malformed(_) | CertificateError::TooLarge => CaProofError::Unreadable,
    }
}
