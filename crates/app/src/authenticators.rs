//! Authenticators: read, list.

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::identities::owner;
use crate::listing::{Answer, Asked, Listing, Paging, Sight, kinds, restricted};
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::ids::{AuthenticatorId, IdentityId};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::view::{AuthenticatorView, IdentityRef};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Index, Rows, UniqueValue};
use std::ops::ControlFlow;

actions! {
    /// Reads one authenticator or a list.
    Read = Access::Granted(Subject::Authenticator, Verb::Read);
}

/// Shows an authenticator of a list and hears whether more are wanted.
type Show<'s> = dyn FnMut(AuthenticatorView) -> ControlFlow<()> + 's;

/// Reads one authenticator.
pub fn read(
    app: &App,
    _permit: &Permit<Read>,
    id: &AuthenticatorId,
) -> Result<AuthenticatorView, AppError> {
    let view = app.snapshot()?;
    let by_id = UniqueValue::new(Index::AuthenticatorId, id.as_str());
    let found = view
        .rows()
        .find(&by_id)?
        .ok_or_else(|| AppError::not_found("authenticator", id.as_str()))?;
    Ok(look(view.rows(), found)?)
}

/// Lists authenticators.
pub fn list(
    app: &App,
    _permit: &Permit<Read>,
    asked: &Asked<'_>,
    show: &mut Show<'_>,
) -> Result<Paging, AppError> {
    answer(app, &asked.of::<Authenticator>()?, asked, show)
}

/// Lists the authenticators of one identity. The list of one that does not exist is empty, as
/// clients expect.
pub fn list_of(
    app: &App,
    _permit: &Permit<Read>,
    identity: &IdentityId,
    asked: &Asked<'_>,
    show: &mut Show<'_>,
) -> Result<Paging, AppError> {
    let listing = asked.of::<Authenticator>()?;
    let own = restricted(
        listing,
        &kinds::AUTHENTICATORS,
        "identity",
        identity.as_str(),
    );
    answer(app, &own, asked, show)
}

fn answer(
    app: &App,
    listing: &Listing,
    asked: &Asked<'_>,
    show: &mut Show<'_>,
) -> Result<Paging, AppError> {
    let answer: Answer<Authenticator> = Answer::new(app, listing, &Sight::of_all(asked))?;
    answer.each(&mut |found| Ok(show(look(answer.view.rows(), found)?)))
}

/// Puts an authenticator together with whose it is.
fn look(rows: Rows<'_>, found: Found<Authenticator>) -> Result<AuthenticatorView, StoreError> {
    let identity = owner(rows, &found)?;
    Ok(AuthenticatorView {
        authenticator: found.entity,
        identity: IdentityRef::from(&identity.entity),
    })
}
