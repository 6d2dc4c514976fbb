//! Listing identities.

use super::{Onlooker, Read, ReadTypes};
use crate::app::{App, View};
use crate::error::AppError;
use crate::listing::{self, Parameters, Plan, kinds};
use portcullis_domain::access::Permit;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::view::{IdentityView, Page};
use portcullis_storage::tables::{Found, IDENTITY, identity_key};

/// Lists identities.
pub fn list(
    app: &App,
    permit: &Permit<Read>,
    parameters: &Parameters<'_>,
) -> Result<Page<IdentityView>, AppError> {
    let listing = listing::read(&kinds::IDENTITIES, parameters)?;
    let projections = app.require_lists()?;
    let (view, page): (View, Page<Found<Identity>>) = match listing::plan(&listing) {
        Plan::Walk(sort, direction) => {
            let total = projections.identities().len();
            let numbers = |offset, limit| {
                projections
                    .identities()
                    .page(sort, direction, offset, limit)
            };
            listing::page_of(app, &listing, total, numbers, |number| {
                Some(identity_key(number))
            })?
        },
        Plan::Owned(_) | Plan::Scan => {
            let view = app.snapshot()?;
            let row = |found| Ok(Some(kinds::IdentityRow(found)));
            let page = listing::scan(&view, IDENTITY, &listing, row)?;
            (view, page.map(|row| row.0))
        },
    };
    let mut onlooker = Onlooker::new(app, permit.caller(), &view);
    page.try_map(|found| onlooker.look(found))
}

/// Lists the types of identities.
pub fn list_types(
    _permit: &Permit<ReadTypes>,
    parameters: &Parameters<'_>,
) -> Result<Page<IdentityType>, AppError> {
    let listing = listing::read(&kinds::IDENTITY_TYPES, parameters)?;
    let rows = IdentityType::ALL.map(kinds::IdentityTypeRow);
    Ok(listing::select(&listing, rows).map(|row| row.0))
}

/// Reads one type of identities.
pub fn read_type(_permit: &Permit<ReadTypes>, id: &str) -> Result<IdentityType, AppError> {
    IdentityType::ALL
        .into_iter()
        .find(|kind| kind.name() == id)
        .ok_or_else(|| AppError::not_found("identityType", id))
}
