//! Renewal of router certificates.

use super::certificates::{RouterCertificates, RouterCsrs, check_enabled, issue};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::{AccessDeniedError, Origin};
use portcullis_domain::audit::Actor;
use portcullis_domain::router::{Confirmation, Router};
use portcullis_pki::Certificate;
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue};

/// Issues new certificates to the router whose client certificate is the first of `certificates`
/// (DER), and whose key the client has proved to hold. The old certificate is no longer accepted
/// afterwards.
///
/// # Errors
///
/// [`AppError::Denied`] unless it is the certificate of a router that is not disabled, and the
/// whole chain is within its validity period; [`AppError::Csr`] for invalid CSRs.
pub async fn extend(
    app: &App,
    origin: &Origin,
    certificates: &[&[u8]],
    csrs: RouterCsrs,
) -> Result<RouterCertificates, AppError> {
    let now = app.env().now();
    let leaf = certificates.first().copied().ok_or(AccessDeniedError)?;
    let leaf = Certificate::from_der(leaf).or(Err(AccessDeniedError))?;
    let by_fingerprint = UniqueValue::new(
        UniqueIndex::RouterFingerprint,
        leaf.fingerprint().to_string(),
    );
    let router = get_by_certificate(app.snapshot()?.rows(), &by_fingerprint)?.entity;
    // Certificates of foreign issuers are identified by their fingerprint alone.
    let validity = match app.network().find_client_chain(certificates, now) {
        Ok(chain) => chain.validity,
        Err(_unverified) => leaf.validity(),
    };
    if !validity.contains(now) {
        return Err(AppError::Denied {
            rule: Some(
                "the certificate, or that of the authority which issued it, has expired; re-enroll \
                 the router",
            ),
        });
    }
    let (certificate, issued) = issue(app, &router, &csrs, now)?;
    app.commit(Actor::router(origin, router.id.as_str()), move |rows| {
        let router = get_by_certificate(rows.rows(), &by_fingerprint)?;
        rows.set_operation("router.extend", router.entity.id.as_str());
        let mut after = router.entity.clone();
        after.extend_certificate(certificate.clone(), Confirmation::Needless, now);
        Ok::<_, AppError>(rows.replace(&router.key, &router.entity, &after)?)
    })
    .await?;
    Ok(issued)
}

/// Gets the router that has a certificate, if it is not disabled.
fn get_by_certificate(
    rows: Rows<'_>,
    by_fingerprint: &UniqueValue,
) -> Result<Found<Router>, AppError> {
    let found: Found<Router> = rows.find(by_fingerprint)?.ok_or(AccessDeniedError)?;
    check_enabled(&found.entity)?;
    Ok(found)
}
