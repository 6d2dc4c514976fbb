//! Listing identities.

use super::{IdentityViewBuilder, Read, ReadTypes};
use crate::app::App;
use crate::error::AppError;
use crate::listing::{
    self, FindSlots, ListPage, ListRequest, ListScope, Paging, Parameters, kinds,
};
use portcullis_domain::access::Permit;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::view::{IdentityView, Page};
use std::ops::ControlFlow;

/// Lists identities, passing each row of the page to `show` until it breaks.
pub fn list(
    app: &App,
    permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(IdentityView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    list_rows(app, permit, request, &ListScope::all(request), show)
}

/// Lists only the identities that policies select.
pub(crate) fn list_selected(
    app: &App,
    permit: &Permit<Read>,
    request: &ListRequest<'_>,
    find: &FindSlots<'_>,
    show: &mut dyn FnMut(IdentityView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let scope = ListScope::all(request).restricted_by_policies(find);
    list_rows(app, permit, request, &scope, show)
}

fn list_rows(
    app: &App,
    permit: &Permit<Read>,
    request: &ListRequest<'_>,
    scope: &ListScope<'_, Identity>,
    show: &mut dyn FnMut(IdentityView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse_with_roles::<Identity>()?;
    let answer: ListPage<'_, Identity> = ListPage::new(app, &listing, scope)?;
    let mut builder = IdentityViewBuilder::new(app, permit.caller(), &answer.view);
    answer.for_each(&mut |found| Ok(show(builder.build(found)?)))
}

/// Lists the identity types.
pub fn list_types(
    app: &App,
    _permit: &Permit<ReadTypes>,
    parameters: &Parameters<'_>,
) -> Result<Page<IdentityType>, AppError> {
    let listing = listing::parse(&kinds::IDENTITY_TYPES, parameters)?;
    let rows = IdentityType::ALL.map(|kind| kinds::BuiltInRow {
        value: kind,
        id: kind.name(),
        name: kind.name(),
        created_at: app.store_created_at(),
    });
    Ok(listing::select(&listing, rows).map(|row| row.value))
}

pub fn read_type(_permit: &Permit<ReadTypes>, id: &str) -> Result<IdentityType, AppError> {
    IdentityType::ALL
        .into_iter()
        .find(|kind| kind.name() == id)
        .ok_or_else(|| AppError::not_found("identity type", id))
}
