//! Listing enrollments.

use super::{Holder, Read, hash, look};
use crate::app::App;
use crate::error::AppError;
use crate::listing::{Among, Answer, Asked, Listing, Paging, Sight, by_token, kinds, restricted};
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::ids::IdentityId;
use portcullis_domain::view::EnrollmentView;
use portcullis_storage::tables::{Found, Index, Rows, StoredEnrollment, UniqueValue};
use std::ops::ControlFlow;

/// Shows an enrollment of a list and hears whether more are wanted.
type Show<'s> = dyn FnMut(EnrollmentView) -> ControlFlow<()> + 's;

/// Lists enrollments. Those that would make the caller somebody above it are left out.
pub fn list(
    app: &App,
    permit: &Permit<Read>,
    asked: &Asked<'_>,
    show: &mut Show<'_>,
) -> Result<Paging, AppError> {
    let listing = read(app, permit.caller(), asked)?;
    answer(app, permit.caller(), asked, &listing, show)
}

/// Lists the enrollments of one identity. The list of one that does not exist is empty, as clients
/// expect.
pub fn list_of(
    app: &App,
    permit: &Permit<Read>,
    identity: &IdentityId,
    asked: &Asked<'_>,
    show: &mut Show<'_>,
) -> Result<Paging, AppError> {
    let listing = read(app, permit.caller(), asked)?;
    let listing = restricted(listing, &kinds::ENROLLMENTS, "identity", identity.as_str());
    answer(app, permit.caller(), asked, &listing, show)
}

fn answer(
    app: &App,
    caller: &Caller,
    asked: &Asked<'_>,
    listing: &Listing,
    show: &mut Show<'_>,
) -> Result<Paging, AppError> {
    let sees = |rows: Rows<'_>, found: &Found<StoredEnrollment>| -> Result<bool, AppError> {
        Ok(Holder::of(rows, found)?.is_outranked_by(caller))
    };
    let sight = Sight {
        // An administrator sees all, and no record has to be looked at for that.
        sees: (!caller.is_admin).then_some(&sees),
        knows: None,
        among: Among::All,
        is_over: asked.is_over,
    };
    let answer: Answer<'_, StoredEnrollment> = Answer::new(app, listing, &sight)?;
    answer.each(&mut |found| {
        let holder = Holder::of(answer.view.rows(), &found)?;
        Ok(show(look(app, caller, found, &holder)?))
    })
}

/// Reads what is asked for.
fn read(app: &App, caller: &Caller, asked: &Asked<'_>) -> Result<Listing, AppError> {
    let listing = asked.of::<StoredEnrollment>()?;
    by_token(listing, &kinds::ENROLLMENTS, caller, |token| {
        let value = UniqueValue::new(Index::EnrollmentToken, hash(app, token).0);
        let found: Option<Found<StoredEnrollment>> = app.snapshot()?.rows().find(&value)?;
        Ok(found.map(|found| found.entity.enrollment.id.to_string()))
    })
}
