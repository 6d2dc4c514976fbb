//! Listing enrollments.

use super::{Read, build_view};
use crate::app::App;
use crate::enrollment_records::token_hash;
use crate::error::AppError;
use crate::listing::{
    LazyRecord, ListPage, ListRequest, ListScope, Listing, Paging, kinds, resolve_token_filter,
    restrict_to,
};
use crate::privilege::EnrollmentOwner;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::ids::IdentityId;
use portcullis_domain::view::EnrollmentView;
use portcullis_storage::tables::{Found, StoredEnrollment, UniqueIndex, UniqueValue};
use std::ops::ControlFlow;

/// Receives the rows of a list; breaks when no more are wanted.
type RowVisitor<'s> = dyn FnMut(EnrollmentView) -> ControlFlow<()> + 's;

/// Lists enrollments, except those of identities whose privileges the caller lacks.
pub fn list(
    app: &App,
    permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut RowVisitor<'_>,
) -> Result<Paging, AppError> {
    let listing = parse_request(app, permit.caller(), request)?;
    list_rows(app, permit.caller(), request, &listing, show)
}

/// Lists the enrollments of one identity; empty for one that does not exist, as clients expect.
pub fn list_of(
    app: &App,
    permit: &Permit<Read>,
    identity: &IdentityId,
    request: &ListRequest<'_>,
    show: &mut RowVisitor<'_>,
) -> Result<Paging, AppError> {
    let listing = parse_request(app, permit.caller(), request)?;
    let listing = restrict_to(listing, &kinds::ENROLLMENTS, "identity", identity.as_str());
    list_rows(app, permit.caller(), request, &listing, show)
}

fn list_rows(
    app: &App,
    caller: &Caller,
    request: &ListRequest<'_>,
    listing: &Listing,
    show: &mut RowVisitor<'_>,
) -> Result<Paging, AppError> {
    let is_visible = |record: &LazyRecord<'_, StoredEnrollment>| -> Result<bool, AppError> {
        let Some(found) = record.read()? else {
            return Ok(false);
        };
        Ok(EnrollmentOwner::get(record.rows(), found)?.can_be_impersonated_by(caller))
    };
    let scope = ListScope {
        // Administrators see all, so no record has to be read for that.
        visibility: (!caller.is_admin).then_some(&is_visible),
        ..ListScope::all(request)
    };
    let answer: ListPage<'_, StoredEnrollment> = ListPage::new(app, listing, &scope)?;
    answer.for_each(&mut |found| {
        let holder = EnrollmentOwner::get(answer.view.rows(), &found)?;
        Ok(show(build_view(app, caller, found, &holder)?))
    })
}

/// Parses the query, with support for searching by token.
fn parse_request(
    app: &App,
    caller: &Caller,
    request: &ListRequest<'_>,
) -> Result<Listing, AppError> {
    let listing = request.parse::<StoredEnrollment>()?;
    resolve_token_filter(listing, &kinds::ENROLLMENTS, caller, |token| {
        let value = UniqueValue::new(UniqueIndex::EnrollmentToken, token_hash(app, token).0);
        let found: Option<Found<StoredEnrollment>> = app.snapshot()?.rows().find(&value)?;
        Ok(found.map(|found| found.entity.enrollment.id.to_string()))
    })
}
