//! Authenticators: create, read, list, update, delete, re-enroll, renew.
//!
//! Administrators manage those of all identities, identities their own.

mod create;
mod delete;
mod draft;
mod own;
mod re_enroll;
mod renewal;
mod update;

pub use create::{CreateAuthenticator, NewCredential, create};
pub use delete::delete;
pub(crate) use draft::CredentialDraft;
pub use own::{list_own, read_own, update_own};
pub use re_enroll::re_enroll;
pub use renewal::{confirm, extend, request_extension};
pub use update::{UpdbCredentialPatch, update};

use crate::action::actions;
use crate::app::App;
use crate::error::{AppError, AuthenticatorError};
use crate::listing::{ListPage, ListRequest, ListScope, Listing, Paging, kinds, restrict_to};
use crate::records::get_owner;
use crate::session_revocation::SessionRevocation;
use portcullis_domain::access::{Access, Caller, Permit};
use portcullis_domain::api_session::OpenedBy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{AuthenticatorId, IdentityId, RecordNumber};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::view::{AuthenticatorView, IdentityRef};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{AUTHENTICATOR, Found, Rows, RowsMut, UniqueIndex, UniqueValue};
use std::ops::ControlFlow;

actions! {
    /// Reads one authenticator or a list.
    Read = Access::Granted(Subject::Authenticator, Verb::Read);
    /// Creates an authenticator for an identity.
    Create = Access::Admin;
    /// Updates an authenticator, or requests its renewal.
    Update = Access::Admin;
    /// Deletes an authenticator.
    Delete = Access::Admin;
    /// Replaces an authenticator by an enrollment.
    ReEnroll = Access::Admin;
    /// Reads the caller's own authenticators.
    ReadOwn = Access::Full;
    /// Updates the caller's own username or password.
    UpdateOwn = Access::Full;
    /// Renews the certificate of the caller's own authenticator.
    Renew = Access::Full;
}

/// Maximum number of authenticators of one identity: administrators create one per method,
/// enrollments with third-party certificates may add more.
const MAX_AUTHENTICATORS: u32 = 64;

/// Receives the rows of a list; breaks when no more are wanted.
type RowVisitor<'s> = dyn FnMut(AuthenticatorView) -> ControlFlow<()> + 's;

pub fn read(
    app: &App,
    _permit: &Permit<Read>,
    id: &AuthenticatorId,
) -> Result<AuthenticatorView, AppError> {
    let view = app.snapshot()?;
    let found = find(view.rows(), id)?;
    Ok(build_view(view.rows(), found)?)
}

pub fn list(
    app: &App,
    _permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut RowVisitor<'_>,
) -> Result<Paging, AppError> {
    list_rows(app, &request.parse::<Authenticator>()?, request, show)
}

/// Lists the authenticators of one identity; empty for one that does not exist, as clients expect.
pub fn list_of(
    app: &App,
    _permit: &Permit<Read>,
    identity: &IdentityId,
    request: &ListRequest<'_>,
    show: &mut RowVisitor<'_>,
) -> Result<Paging, AppError> {
    let listing = request.parse::<Authenticator>()?;
    let own = restrict_to(
        listing,
        &kinds::AUTHENTICATORS,
        "identity",
        identity.as_str(),
    );
    list_rows(app, &own, request, show)
}

fn list_rows(
    app: &App,
    listing: &Listing,
    request: &ListRequest<'_>,
    show: &mut RowVisitor<'_>,
) -> Result<Paging, AppError> {
    let answer: ListPage<'_, Authenticator> =
        ListPage::new(app, listing, &ListScope::all(request))?;
    answer.for_each(&mut |found| Ok(show(build_view(answer.view.rows(), found)?)))
}

fn build_view(
    rows: Rows<'_>,
    found: Found<Authenticator>,
) -> Result<AuthenticatorView, StoreError> {
    let identity = get_owner(rows, &found)?;
    Ok(AuthenticatorView {
        authenticator: found.entity,
        identity: IdentityRef::from(&identity.entity),
    })
}

fn find(rows: Rows<'_>, id: &AuthenticatorId) -> Result<Found<Authenticator>, AppError> {
    rows.find(&UniqueValue::new(UniqueIndex::AuthenticatorId, id.as_str()))?
        .ok_or_else(|| AppError::not_found("authenticator", id.as_str()))
}

/// Finds an authenticator of the caller. Clients know different errors for reading and for renewing
/// those of others, so `refusal` supplies it.
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

/// Inserts an authenticator and increments the count in its identity's record.
pub(crate) fn insert(
    rows: &mut RowsMut<'_>,
    identity: &Found<Identity>,
    number: RecordNumber,
    authenticator: &Authenticator,
) -> Result<(), AppError> {
    if identity.entity.attached.authenticators >= MAX_AUTHENTICATORS {
        return Err(AuthenticatorError::Exists(authenticator.method()).into());
    }
    let key = identity.key.dependent(AUTHENTICATOR, number.0);
    rows.insert(&key, authenticator)?;
    let mut after = identity.entity.clone();
    after.attached.authenticators += 1;
    Ok(rows.replace(&identity.key, &identity.entity, &after)?)
}

/// Deletes an authenticator and the sessions that it opened.
fn remove(
    rows: &mut RowsMut<'_>,
    found: &Found<Authenticator>,
    revocation: &SessionRevocation,
) -> Result<(), AppError> {
    let identity = get_owner(rows.rows(), found)?;
    let opened_by = OpenedBy::Authenticator(found.entity.id.clone());
    revocation.end_those_of(rows, &identity.key, |session| {
        session.opened_by == opened_by
    })?;
    rows.remove(&found.key, &found.entity)?;
    let mut after = identity.entity.clone();
    after.attached.authenticators = after.attached.authenticators.saturating_sub(1);
    Ok(rows.replace(&identity.key, &identity.entity, &after)?)
}
