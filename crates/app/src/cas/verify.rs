//! The proof that the key of an authority is held by whoever added it.

use super::{Update, find, rank};
use crate::app::App;
use crate::error::AppError;
use crate::rank::WaysIn;
use portcullis_domain::access::Permit;
use portcullis_domain::ca::Ca;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::CaId;
use portcullis_pki::{Certificate, CertificateError};

/// A text does not prove that the key of an authority is held.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The authority is verified already.
    #[error("the CA is already verified")]
    AlreadyVerified,
    /// The text is no PEM.
    #[error("expected a PEM certificate")]
    NotPem,
    /// The text is not one certificate.
    #[error("expected exactly one PEM certificate: {0}")]
    NotOneCertificate(String),
    /// The block is no certificate inside.
    #[error("the certificate could not be parsed")]
    Unreadable,
    /// The common name is not the authority's verification token.
    #[error("the common name must be the verification token of the CA")]
    WrongName,
    /// The authority did not issue the certificate, or one of the two is out of its time.
    #[error("the certificate was not issued by the CA")]
    NotIssued,
}

/// Verifies an authority by a certificate in PEM that it has signed for its own verification token.
pub async fn verify(
    app: &App,
    permit: &Permit<Update>,
    id: &CaId,
    pem: &str,
) -> Result<(), AppError> {
    let now = app.env().now();
    let ca = find(app.snapshot()?.rows(), id)?.entity;
    check(&ca, pem, now)?;
    let (wanted, ways_in) = (id.clone(), WaysIn::of(app));
    app.commit_for(permit, move |rows, caller| {
        rows.operation("ca.verify", wanted.as_str());
        // Neither certificate nor verification token ever change, so the proof still holds.
        let found = find(rows.rows(), &wanted)?;
        rank::check_named(ways_in, caller, &[&found.entity.spec])?;
        if found.entity.is_verified {
            return Err(ProofError::AlreadyVerified.into());
        }
        let mut after = found.entity.clone();
        after.is_verified = true;
        after.updated_at = now;
        Ok(rows.replace(&found.key, &found.entity, &after)?)
    })
    .await?;
    Ok(())
}

/// Checks the proof, in the order in which clients are used to hear of its faults.
fn check(ca: &Ca, pem: &str, now: Timestamp) -> Result<(), AppError> {
    if ca.is_verified {
        return Err(ProofError::AlreadyVerified.into());
    }
    let proof = Certificate::only_from_pem(pem).map_err(|error| unreadable(&error))?;
    if proof.common_name().as_deref() != Some(ca.verification_token.as_str()) {
        return Err(ProofError::WrongName.into());
    }
    let authority = Certificate::from_pem(&ca.pem).map_err(AppError::internal)?;
    // What kind of certificate it is does not matter, nor what for: only that the key has signed it.
    let is_proof = proof.is_issued_by(&authority)
        && [&proof, &authority].iter().all(|one| one.is_valid_at(now));
    if is_proof {
        Ok(())
    } else {
        Err(ProofError::NotIssued.into())
    }
}

fn unreadable(error: &CertificateError) -> ProofError {
    match error {
        CertificateError::Pem(_) | CertificateError::NotPem => ProofError::NotPem,
        CertificateError::OtherLabel { .. } | CertificateError::Several => {
            ProofError::NotOneCertificate(error.to_string())
        },
        CertificateError::Malformed(_) | CertificateError::TooLarge => ProofError::Unreadable,
    }
}
