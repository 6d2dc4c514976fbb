//! Token of a third-party authority: the client presents a certificate of it.

use super::Redeemed;
use crate::app::App;
use crate::authenticators::Draft;
use crate::cas::{self, Voucher};
use crate::enrollments::fault::CertificateFault;
use crate::error::AppError;
use portcullis_domain::authenticator::CertCredential;
use portcullis_domain::ca::Ca;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::CaId;
use portcullis_pki::VerifyAt;
use portcullis_storage::tables::Rows;

/// Takes the certificate of the connection, if the authority vouches for it.
pub(super) fn present(
    app: &App,
    ca: &CaId,
    chain: &[&[u8]],
    now: Timestamp,
) -> Result<(Draft, Redeemed), AppError> {
    let view = app.snapshot()?;
    // With an authority go its enrollments, so one that is gone has none.
    let authority = cas::find_if_any(view.rows(), ca)?.ok_or(AppError::UnknownToken)?;
    if !authority.entity.vouches_for_enrollments() {
        return Err(CertificateFault::AuthorityNotValid.into());
    }
    let voucher = cas::vouch_by(app, authority, chain, VerifyAt::Now(now))?
        .ok_or(CertificateFault::NotOfAuthority)?;
    CertificateFault::check_unused(view.rows(), &voucher, true)?;
    let fingerprint = voucher.fingerprint().to_string();
    let draft = Draft::ThirdParty {
        credential: CertCredential::new(fingerprint, voucher.chain_pem(), false),
        voucher: Box::new(voucher),
        recheck,
    };
    Ok((draft, Redeemed::Nothing))
}

/// Checks once more, inside the transaction, what was checked outside.
fn recheck(rows: Rows<'_>, voucher: &Voucher) -> Result<(), AppError> {
    if !voucher.holds(rows, Ca::vouches_for_enrollments)? {
        return Err(CertificateFault::AuthorityNotValid.into());
    }
    CertificateFault::check_unused(rows, voucher, true)
}
