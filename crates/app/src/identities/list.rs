//! Listing identities.

use super::{Onlooker, Read, ReadTypes};
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, Answer, Asked, FindSlots, Paging, Parameters, Sight, kinds};
use portcullis_domain::access::Permit;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::view::{IdentityView, Page};
use std::ops::ControlFlow;

/// Lists identities: shows those of the page one after the other, until `show` breaks.
pub fn list(
    app: &App,
    permit: &Permit<Read>,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(IdentityView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    answer(app, permit, asked, &Sight::of_all(asked), show)
}

/// Lists those identities alone whom policies single out.
pub(crate) fn list_selected(
    app: &App,
    permit: &Permit<Read>,
    asked: &Asked<'_>,
    find: &FindSlots<'_>,
    show: &mut dyn FnMut(IdentityView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let sight = Sight::of_all(asked).of_ruled(find);
    answer(app, permit, asked, &sight, show)
}

fn answer(
    app: &App,
    permit: &Permit<Read>,
    asked: &Asked<'_>,
    sight: &Sight<'_, Identity>,
    show: &mut dyn FnMut(IdentityView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of_roles::<Identity>()?;
    let answer: Answer<'_, Identity> = Answer::new(app, &listing, sight)?;
    let mut onlooker = Onlooker::new(app, permit.caller(), &answer.view);
    answer.each(&mut |found| Ok(show(onlooker.look(found)?)))
}

/// Lists the types of identities.
pub fn list_types(
    app: &App,
    _permit: &Permit<ReadTypes>,
    parameters: &Parameters<'_>,
) -> Result<Page<IdentityType>, AppError> {
    let listing = listing::read(&kinds::IDENTITY_TYPES, parameters)?;
    let rows = IdentityType::ALL.map(|kind| kinds::BuiltInRow {
        kind,
        id: kind.name(),
        name: kind.name(),
        since: app.founded_at(),
    });
    Ok(listing::select(&listing, rows).map(|row| row.kind))
}

/// Reads one type of identities.
pub fn read_type(_permit: &Permit<ReadTypes>, id: &str) -> Result<IdentityType, AppError> {
    IdentityType::ALL
        .into_iter()
        .find(|kind| kind.name() == id)
        .ok_or_else(|| AppError::not_found("identity type", id))
}
