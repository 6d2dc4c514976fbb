//! Putting an enrollment in the place of an authenticator: its owner is to prove itself anew.

use super::update::check_not_own_password;
use super::{ReEnroll, find, remove};
use crate::app::App;
use crate::cas;
use crate::enrollments::{self, Draft};
use crate::error::AppError;
use crate::identities::owner;
use crate::rank::WaysIn;
use portcullis_domain::access::Permit;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::Method;
use portcullis_domain::ids::{AuthenticatorId, EnrollmentId};
use portcullis_pki::{Certificate, VerifyAt, certificates_from_pem};
use portcullis_storage::tables::{Found, Rows, RowsMut};

/// Puts an enrollment that leads to another authenticator of the same kind in the place of one.
/// What the old one opened is over when this returns.
pub async fn re_enroll(
    app: &App,
    permit: &Permit<ReEnroll>,
    id: &AuthenticatorId,
    expires_at: Timestamp,
) -> Result<EnrollmentId, AppError> {
    let expires_at = enrollments::end_after(app.env().now(), expires_at)?;
    let (found, method) = {
        let view = app.snapshot()?;
        let found = find(view.rows(), id)?;
        let method = method(app, view.rows(), &found.entity)?;
        (found, method)
    };
    let identity = (found.root_number(), &found.entity.identity);
    let draft = Draft::new(app, identity, method, expires_at)?;
    let enrollment = draft.id().clone();
    let (wanted, ways_in) = (id.clone(), WaysIn::of(app));
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), &wanted)?;
        check_not_own_password(caller, &found.entity)?;
        ways_in.check(caller, &owner(rows.rows(), &found)?.entity)?;
        rows.operation("authenticator.re-enroll", wanted.as_str());
        remove(rows, &found)?;
        replace(rows, &found, draft.clone())
    })
    .await?;
    Ok(enrollment)
}

/// Adds the enrollment for an authenticator that was removed in the same transaction.
fn replace(
    rows: &mut RowsMut<'_>,
    removed: &Found<Authenticator>,
    draft: Draft,
) -> Result<(), AppError> {
    let identity = owner(rows.rows(), removed)?;
    // Somebody may have given it another username since the enrollment was signed.
    let draft = match &removed.entity.credential {
        Credential::Updb(updb) => draft.redeemed_by(Method::Updb {
            username: updb.username.clone(),
        }),
        Credential::Cert(_) => draft,
    };
    enrollments::check_room(rows.rows(), &identity.key, draft.purpose())?;
    enrollments::insert(rows, &draft)
}

/// How an authenticator is obtained again.
fn method(app: &App, rows: Rows<'_>, authenticator: &Authenticator) -> Result<Method, AppError> {
    match &authenticator.credential {
        Credential::Updb(updb) => Ok(Method::Updb {
            username: updb.username.clone(),
        }),
        Credential::Cert(cert) => certificate_method(app, rows, cert),
    }
}

/// A certificate of a third-party authority is followed by another one of the same authority.
fn certificate_method(
    app: &App,
    rows: Rows<'_>,
    cert: &CertCredential,
) -> Result<Method, AppError> {
    if cert.is_issued_by_network {
        return Ok(Method::Ott);
    }
    let chain = certificates_from_pem(&cert.pem).unwrap_or_default();
    let chain: Vec<_> = chain.iter().map(Certificate::as_der).collect();
    let voucher = cas::vouch(app, rows, &chain, VerifyAt::IgnoreValidity, |_ca| true)?;
    Ok(voucher.map_or(Method::Ott, |voucher| Method::OttCa {
        ca: voucher.ca.entity.id,
    }))
}
