//! Authenticators: create, read, list, change, delete, replace by an enrollment, renew.
//!
//! Administrators deal with those of everybody, identities with their own.

mod create;
mod delete;
mod draft;
mod own;
mod re_enroll;
mod renewal;
mod update;

pub use create::{CreateAuthenticator, NewCredential, create};
pub use delete::delete;
pub(crate) use draft::Draft;
pub use own::{list_own, read_own, update_own};
pub use re_enroll::re_enroll;
pub use renewal::{confirm, extend, request_extension};
pub use update::{UpdbChange, update};

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::identities::owner;
use crate::listing::{Answer, Asked, Listing, Paging, Sight, kinds, restricted};
use portcullis_domain::access::{Access, Caller, Permit};
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{AuthenticatorId, IdentityId, Number};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::view::{AuthenticatorView, IdentityRef};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{AUTHENTICATOR, Found, Index, Rows, RowsMut, UniqueValue};
use std::ops::ControlFlow;

actions! {
    /// Reads one authenticator or a list.
    Read = Access::Granted(Subject::Authenticator, Verb::Read);
    /// Creates an authenticator for an identity.
    Create = Access::Admin;
    /// Changes an authenticator, or asks its holder to renew it.
    Update = Access::Admin;
    /// Deletes an authenticator.
    Delete = Access::Admin;
    /// Puts an enrollment in the place of an authenticator.
    ReEnroll = Access::Admin;
    /// Reads the caller's own authenticators.
    ReadOwn = Access::Full;
    /// Changes the caller's own username or password.
    UpdateOwn = Access::Full;
    /// Renews the certificate of the caller's own authenticator.
    Renew = Access::Full;
}

/// Most authenticators of one identity, however they come about: one of each method by the hand of
/// an administrator, more by certificates of third parties.
const MOST_AUTHENTICATORS: u32 = 64;

/// Shows an authenticator of a list and hears whether more are wanted.
type Show<'s> = dyn FnMut(AuthenticatorView) -> ControlFlow<()> + 's;

/// Reads one authenticator.
pub fn read(
    app: &App,
    _permit: &Permit<Read>,
    id: &AuthenticatorId,
) -> Result<AuthenticatorView, AppError> {
    let view = app.snapshot()?;
    let found = find(view.rows(), id)?;
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
    let answer: Answer<'_, Authenticator> = Answer::new(app, listing, &Sight::of_all(asked))?;
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

/// Finds an authenticator by id.
fn find(rows: Rows<'_>, id: &AuthenticatorId) -> Result<Found<Authenticator>, AppError> {
    rows.find(&UniqueValue::new(Index::AuthenticatorId, id.as_str()))?
        .ok_or_else(|| AppError::not_found("authenticator", id.as_str()))
}

/// Finds an authenticator of the caller. Clients know reading and renewing to refuse those of others
/// in different words, so `refusal` says which.
fn find_own(
    rows: Rows<'_>,
    caller: &Caller,
    id: &AuthenticatorId,
    refusal: impl FnOnce(&AuthenticatorId) -> AppError,
) -> Result<Found<Authenticator>, AppError> {
    let found = find(rows, id)?;
    if found.entity.identity == caller.identity {
        Ok(found)
    } else {
        Err(refusal(id))
    }
}

/// Checks that an identity has no authenticator of a method yet, of which it is to have but one.
pub(crate) fn check_free(
    rows: Rows<'_>,
    identity: &RecordKey,
    method: &'static str,
) -> Result<(), AppError> {
    let present: Vec<Found<Authenticator>> = rows.dependents(identity)?;
    if present.iter().any(|one| one.entity.method() == method) {
        Err(AppError::AuthenticatorExists(method))
    } else {
        Ok(())
    }
}

/// Gives an identity one more authenticator, and notes that it must be found beside it.
pub(crate) fn add(
    rows: &mut RowsMut<'_>,
    identity: &Found<Identity>,
    number: Number,
    authenticator: &Authenticator,
) -> Result<(), AppError> {
    if identity.entity.attached.authenticators >= MOST_AUTHENTICATORS {
        return Err(AppError::AuthenticatorExists(authenticator.method()));
    }
    let key = identity.key.dependent(AUTHENTICATOR, number.0);
    rows.insert(&key, authenticator)?;
    let mut after = identity.entity.clone();
    after.attached.authenticators += 1;
    Ok(rows.replace(&identity.key, &identity.entity, &after)?)
}

/// Takes an authenticator from its identity; the sessions that it opened end with it.
fn remove(rows: &mut RowsMut<'_>, found: &Found<Authenticator>) -> Result<(), AppError> {
    let identity = owner(rows.rows(), found)?;
    let opened_by = OpenedBy::Authenticator(found.entity.id.clone());
    rows.remove_dependents::<ApiSession>(&identity.key, |session| session.opened_by == opened_by)?;
    rows.remove(&found.key, &found.entity)?;
    let mut after = identity.entity.clone();
    after.attached.authenticators = after.attached.authenticators.saturating_sub(1);
    Ok(rows.replace(&identity.key, &identity.entity, &after)?)
}
