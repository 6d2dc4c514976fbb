//! Having an edge router enroll anew.

use super::draft;
use super::operate::RouterSet;
use crate::app::App;
use crate::enrollments;
use crate::error::AppError;
use crate::managed::{self, Update};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::RouterSpec;
use portcullis_storage::tables::StoredEnrollment;

/// Takes the certificate of an edge router away and makes a new enrollment for it. An enrollment that
/// it has opens nothing from then on.
pub async fn re_enroll(
    app: &App,
    permit: &Permit<Update<RouterSpec>>,
    id: &RouterId,
) -> Result<(), AppError> {
    let found = managed::find::<RouterSpec>(app.snapshot()?.rows(), id)?;
    RouterSet::Edge.check_changeable(&found.entity)?;
    let draft = draft(app, &found.key, id, true)?;
    let (wanted, now) = (id.clone(), app.env().now());
    app.commit_for(permit, move |rows, _caller| {
        let found = managed::find::<RouterSpec>(rows.rows(), &wanted)?;
        rows.remove_dependents::<StoredEnrollment>(&found.key, |_pending| true)?;
        let mut after = found.entity.clone();
        after.revoke(now);
        rows.operation("router.re-enroll", wanted.as_str());
        rows.replace(&found.key, &found.entity, &after)?;
        enrollments::insert(rows, &draft)
    })
    .await
}
