//! Listing enrollments.

use super::{Read, hash, look, outranks, owner};
use crate::app::{App, View};
use crate::error::AppError;
use crate::identities;
use crate::listing::{self, BadListing, Listing, Parameters, Plan, kinds};
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::ids::{IdentityId, Number};
use portcullis_domain::view::{EnrollmentView, Page};
use portcullis_filter::Predicate;
use portcullis_index::Projections;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    ENROLLMENT, Found, IDENTITY, Index, StoredEnrollment, UniqueValue, identity_key,
};

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
    // The list of an identity that does not exist is empty, as clients expect.
    let (view, page) = owned(app, permit.caller(), &listing, identity)?;
    finish(app, &view, page)
}

fn find(app: &App, caller: &Caller, listing: &Listing) -> Result<Page<EnrollmentView>, AppError> {
    let projections = app.require_lists()?;
    if let Some(token) = asked_for(listing, caller)? {
        return by_token(app, listing, &token);
    }
    let (view, page): (View, Page<Found<StoredEnrollment>>) = match listing::plan(listing) {
        Plan::Owned(identity) => owned(app, caller, listing, &IdentityId::from_wire(identity))?,
        // The catalog does not know whose enrollments a caller may see; an administrator sees all.
        Plan::Walk(sort, direction) if caller.is_admin => {
            let total = projections.enrollments().len();
            let numbers = |offset, limit| {
                projections
                    .enrollments()
                    .page(sort, direction, offset, limit)
            };
            listing::page_of(app, listing, total, numbers, |number| {
                key(projections, number)
            })?
        },
        Plan::Walk(..) | Plan::Scan => {
            let view = app.snapshot()?;
            let page = scan(&view, caller, listing)?;
            (view, page)
        },
    };
    finish(app, &view, page)
}

/// The token that a list is asked for, if it is asked for by a token.
///
/// Tokens are secrets that can be found but not compared: only administrators may ask, for exactly
/// one, and nothing besides.
///
/// # Errors
///
/// [`BadListing::Filter`] for any other use of the symbol.
fn asked_for(listing: &Listing, caller: &Caller) -> Result<Option<String>, AppError> {
    if let Some(token) = listing::equals(&listing.predicate, TOKEN)
        && caller.is_admin
    {
        return Ok(Some(token.to_owned()));
    }
    if listing::mentions(listing, TOKEN) {
        let reason = "`token` can only be compared by `=`, alone and by an administrator";
        return Err(BadListing::Filter(reason.to_owned()).into());
    }
    Ok(None)
}

const TOKEN: &str = "token";

fn by_token(app: &App, listing: &Listing, token: &str) -> Result<Page<EnrollmentView>, AppError> {
    let view = app.snapshot()?;
    let value = UniqueValue::new(Index::EnrollmentToken, hash(app, token).0);
    let found: Option<Found<StoredEnrollment>> = view.rows().find(&value)?;
    let everything = Listing {
        predicate: Predicate::Constant(true),
        ..listing.clone()
    };
    let page = listing::select(&everything, found.map(kinds::EnrollmentRow));
    finish(app, &view, page.map(|row| row.0))
}

fn owned(
    app: &App,
    caller: &Caller,
    listing: &Listing,
    identity: &IdentityId,
) -> Result<(View, Page<Found<StoredEnrollment>>), AppError> {
    let view = app.snapshot()?;
    let owner = match identities::find(view.rows(), identity) {
        Ok(owner) if outranks(caller, &owner.entity) => owner,
        Ok(_) | Err(AppError::NotFound { .. }) => return Ok((view, listing::nothing(listing))),
        Err(error) => return Err(error),
    };
    let stored = view.rows().dependents::<StoredEnrollment>(&owner.key)?;
    let page = listing::select(listing, stored.into_iter().map(kinds::EnrollmentRow));
    Ok((view, page.map(|row| row.0)))
}

fn scan(
    view: &View,
    caller: &Caller,
    listing: &Listing,
) -> Result<Page<Found<StoredEnrollment>>, AppError> {
    let page = listing::scan(view, IDENTITY, listing, |found| {
        let is_visible = caller.is_admin || outranks(caller, &owner(view.rows(), &found)?.entity);
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
    page.try_map(|found| {
        let identity = owner(view.rows(), &found)?;
        look(app, found, &identity.entity)
    })
}
