//! New certificates for a router that has some.

use super::certificates::{RouterCertificates, RouterProof, check_admitted, issue};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::{Denied, Origin};
use portcullis_domain::audit::Actor;
use portcullis_domain::router::Router;
use portcullis_pki::Certificate;
use portcullis_storage::tables::{Found, Index, Rows, UniqueValue};

/// Issues new certificates to the router whose client certificate is the first of `certificates`, in
/// DER, the key of which was proved to be held. The old one proves nothing from then on.
///
/// # Errors
///
/// [`AppError::Denied`] unless it is the certificate of a router, within its time and that of what
/// vouches for it, and the router is not shut out; [`AppError::Csr`] for requests that cannot be granted.
pub async fn extend(
    app: &App,
    origin: &Origin,
    certificates: &[&[u8]],
    proof: RouterProof,
) -> Result<RouterCertificates, AppError> {
    let now = app.env().now();
    let leaf = certificates.first().copied().ok_or(Denied)?;
    let leaf = Certificate::from_der(leaf).or(Err(Denied))?;
    let by_fingerprint = UniqueValue::new(Index::RouterFingerprint, leaf.fingerprint().to_string());
    let router = find(app.snapshot()?.rows(), &by_fingerprint)?.entity;
    // Certificates that somebody else issued are known by their fingerprint alone.
    let validity = match app.network().judge(certificates) {
        Ok(chain) => chain.validity,
        Err(_foreign) => leaf.validity(),
    };
    if !validity.contains(now) {
        return Err(AppError::Denied {
            rule: Some(
                "the certificate, or that of the authority which issued it, has expired; re-enroll \
                 the router",
            ),
        });
    }
    let (certificate, issued) = issue(app, &router, &proof, now)?;
    app.commit(Actor::stranger(origin, router.id.as_str()), move |rows| {
        let router = find(rows.rows(), &by_fingerprint)?;
        rows.operation("router.extend", router.entity.id.as_str());
        let mut after = router.entity.clone();
        after.certify(certificate.clone(), now);
        Ok::<_, AppError>(rows.replace(&router.key, &router.entity, &after)?)
    })
    .await?;
    Ok(issued)
}

/// Finds the router that has a certificate, if it is not shut out.
fn find(rows: Rows<'_>, by_fingerprint: &UniqueValue) -> Result<Found<Router>, AppError> {
    let found: Found<Router> = rows.find(by_fingerprint)?.ok_or(Denied)?;
    check_admitted(&found.entity)?;
    Ok(found)
}
