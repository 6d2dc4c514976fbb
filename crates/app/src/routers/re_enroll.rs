//! Re-enrollment of edge routers.

use super::draft_enrollment;
use super::management::RouterSet;
use crate::app::App;
use crate::enrollment_records;
use crate::error::AppError;
use crate::managed::{self, Update};
use portcullis_domain::access::Permit;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_storage::tables::{Found, RowsMut, StoredEnrollment};

/// Revokes the certificate of an edge router and creates a new enrollment for it. A pending
/// enrollment becomes invalid.
pub async fn re_enroll(
    app: &App,
    permit: &Permit<Update<RouterSpec>>,
    id: &RouterId,
) -> Result<(), AppError> {
    let found = managed::get::<RouterSpec>(app.snapshot()?.rows(), id)?;
    RouterSet::Edge.check_changeable(permit.surface(), &found.entity)?;
    let draft = draft_enrollment(app, &found.key, id, true)?;
    let (wanted, now) = (id.clone(), app.env().now());
    app.commit_for(permit, move |rows, _caller| {
        let found = managed::get::<RouterSpec>(rows.rows(), &wanted)?;
        take_certificate(rows, &found, now)?;
        enrollment_records::insert(rows, &draft)
    })
    .await
}

/// Takes the certificate of a router away, and its pending enrollment.
pub(super) fn take_certificate(
    rows: &mut RowsMut<'_>,
    found: &Found<Router>,
    now: Timestamp,
) -> Result<(), AppError> {
    rows.remove_dependents::<StoredEnrollment>(&found.key, |_pending| true)?;
    let mut after = found.entity.clone();
    after.clear_certificate(now);
    rows.set_operation("router.re-enroll", found.entity.id.as_str());
    Ok(rows.replace(&found.key, &found.entity, &after)?)
}
