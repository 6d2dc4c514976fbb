//! Router enrollment: signs two certificate requests.

use super::Redemption;
use crate::app::App;
use crate::error::{AppError, EnrollmentError};
use crate::privilege::EnrollmentOwner;
use crate::routers::{self, RouterCertificates};
use portcullis_domain::access::Origin;
use portcullis_domain::audit::Actor;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::router::Router;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, StoredEnrollment, UniqueValue};

/// Whether a token belongs to a router enrollment.
pub(super) fn is_router_token(app: &App, by_token: &UniqueValue) -> Result<bool, AppError> {
    let view = app.snapshot()?;
    let found: Option<Found<StoredEnrollment>> = view.rows().find(by_token)?;
    Ok(found.is_some_and(|found| found.entity.enrollment.purpose.method().is_none()))
}

/// Issues the certificates of a router and spends the token.
pub(super) async fn redeem(
    app: &App,
    origin: &Origin,
    by_token: UniqueValue,
    redemption: Redemption<'_>,
) -> Result<RouterCertificates, AppError> {
    let now = app.env().now();
    let method = redemption.method;
    let (_, router) = {
        let view = app.snapshot()?;
        find_pending(view.rows(), &by_token, method.as_deref(), now)?
    };
    let router = router.entity;
    let proof = redemption.proof.router.validate(&router)?;
    let (certificate, issued) = routers::issue(app, &router, &proof, now)?;
    let actor = Actor::router(origin, router.id.as_str());
    app.commit(actor, move |rows| {
        // Another request may have redeemed it in the meantime.
        let (found, router) = find_pending(rows.rows(), &by_token, method.as_deref(), now)?;
        rows.set_operation("enrollment.redeem", found.entity.enrollment.id.as_str());
        rows.set_operation("router.enroll", router.entity.id.as_str());
        rows.remove(&found.key, &found.entity)?;
        let mut after = router.entity.clone();
        after.set_certificate(certificate.clone(), now);
        Ok::<_, AppError>(rows.replace(&router.key, &router.entity, &after)?)
    })
    .await?;
    Ok(issued)
}

/// Finds the enrollment of a token and its router, if it can be redeemed.
fn find_pending(
    rows: Rows<'_>,
    by_token: &UniqueValue,
    method: Option<&str>,
    now: Timestamp,
) -> Result<(Found<StoredEnrollment>, Found<Router>), AppError> {
    let found: Found<StoredEnrollment> =
        rows.find(by_token)?.ok_or(EnrollmentError::UnknownToken)?;
    found.entity.enrollment.validate_redemption(method, now)?;
    let EnrollmentOwner::Router(router) = EnrollmentOwner::get(rows, &found)? else {
        return Err(EnrollmentError::UnknownToken.into());
    };
    routers::check_enabled(&router)?;
    let (kind, number) = found.key.root_id();
    let router = Found {
        key: RecordKey::root(kind, number),
        entity: *router,
    };
    Ok((found, router))
}
