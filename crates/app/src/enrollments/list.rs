//! Listing enrollments.

use super::{Read, look, owner};
use crate::app::{App, View};
use crate::error::AppError;
use crate::identities;
use crate::listing::{self, Listing, Parameters, Plan, kinds};
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::ids::{IdentityId, Number};
use portcullis_domain::view::{EnrollmentView, Page};
use portcullis_index::Projections;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{ENROLLMENT, Found, IDENTITY, StoredEnrollment, identity_key};

/// Lists enrollments. Those of administrators are shown to administrators only.
pub fn list(
    app: &App,
    permit: &Permit<Read>,
    parameters: &Parameters<'_>,
) -> Result<Page<EnrollmentView>, AppError> {
    let listing = listing::read(&kinds::ENROLLMENTS, parameters)?;
    find(app, permit.caller(), &listing)
}

/// Lists the enrollments of one identity.
pub fn list_of(
    app: &App,
    permit: &Permit<Read>,
    identity: &IdentityId,
    parameters: &Parameters<'_>,
) -> Result<Page<EnrollmentView>, AppError> {
    let listing = listing::read(&kinds::ENROLLMENTS, parameters)?;
    let view = app.snapshot()?;
    let owner = match identities::find(view.rows(), identity) {
        Ok(owner) => owner,
        // The list of an identity that does not exist is empty, as clients expect.
        Err(AppError::NotFound { .. }) => return Ok(listing::nothing(&listing)),
        Err(error) => return Err(error),
    };
    let caller = permit.caller();
    if owner.entity.has_admin_rights() && !caller.is_admin {
        return Ok(listing::nothing(&listing));
    }
    let stored = view.rows().dependents::<StoredEnrollment>(&owner.key)?;
    let page = listing::select(&listing, stored.into_iter().map(kinds::EnrollmentRow));
    finish(app, &view, page.map(|row| row.0))
}

fn find(app: &App, caller: &Caller, listing: &Listing) -> Result<Page<EnrollmentView>, AppError> {
    let projections = app.require_lists()?;
    // The catalog does not know whose enrollments a caller may see; an administrator sees all.
    let plan = if caller.is_admin {
        listing::plan(listing)
    } else {
        Plan::Scan
    };
    let view = app.snapshot()?;
    let page = match plan {
        Plan::Walk(sort, direction) => {
            let total = projections.enrollments().len();
            listing::page_of(
                &view,
                listing,
                total,
                |offset, limit| {
                    let offset = u64::try_from(offset).unwrap_or(u64::MAX);
                    projections
                        .enrollments()
                        .page(sort, direction, offset, limit)
                },
                |number| key(projections, number),
            )?
        },
        Plan::Owned(identity) => {
            match identities::find(view.rows(), &IdentityId::from_wire(identity)) {
                Ok(identity) => owned(projections, &view, listing, identity.number())?,
                Err(AppError::NotFound { .. }) => listing::nothing(listing),
                Err(error) => return Err(error),
            }
        },
        Plan::Scan => scan(&view, caller, listing)?,
    };
    finish(app, &view, page)
}

fn owned(
    projections: &Projections,
    view: &View,
    listing: &Listing,
    identity: Number,
) -> Result<Page<Found<StoredEnrollment>>, AppError> {
    let total = projections.enrollments().owned_count(identity);
    listing::page_of(
        view,
        listing,
        total,
        |offset, limit| {
            let offset = u64::try_from(offset).unwrap_or(u64::MAX);
            projections.enrollments().owned_by(identity, offset, limit)
        },
        |number| Some(identity_key(identity).dependent(ENROLLMENT, number.0)),
    )
}

fn scan(
    view: &View,
    caller: &Caller,
    listing: &Listing,
) -> Result<Page<Found<StoredEnrollment>>, AppError> {
    let page = listing::scan(view, IDENTITY, listing, |found| {
        let is_visible = caller.is_admin || !owner(view.rows(), &found)?.entity.has_admin_rights();
        Ok(is_visible.then_some(kinds::EnrollmentRow(found)))
    })?;
    Ok(page.map(|row| row.0))
}

/// Where the record of an enrollment lies.
fn key(projections: &Projections, number: Number) -> Option<RecordKey> {
    let enrollments = projections.enrollments();
    let owner = enrollments.owner(enrollments.slot(number)?)?;
    Some(identity_key(owner).dependent(ENROLLMENT, number.0))
}

fn finish(
    app: &App,
    view: &View,
    page: Page<Found<StoredEnrollment>>,
) -> Result<Page<EnrollmentView>, AppError> {
    let Page {
        items,
        limit,
        offset,
        total,
    } = page;
    let items = items
        .into_iter()
        .map(|found| {
            let identity = owner(view.rows(), &found)?;
            look(app, found, &identity.entity)
        })
        .collect::<Result<_, _>>()?;
    Ok(Page {
        items,
        limit,
        offset,
        total,
    })
}
