//! Authenticators of the caller's own identity.

use super::update::{PreparedPatch, UpdbCredentialPatch, require_updb};
use super::{ReadOwn, RowVisitor, UpdateOwn, build_view, find_own, list_rows};
use crate::app::App;
use crate::error::{AppError, AuthenticatorError};
use crate::listing::{ListRequest, Paging, kinds, restrict_to};
use crate::password::PasswordCheck;
use crate::sessions::{self, PasswordAttempt, PasswordPurpose};
use portcullis_domain::access::Permit;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_domain::view::AuthenticatorView;
use secrecy::SecretString;

/// Reads one of the caller's own authenticators.
pub fn read_own(
    app: &App,
    permit: &Permit<ReadOwn>,
    id: &AuthenticatorId,
) -> Result<AuthenticatorView, AppError> {
    let view = app.snapshot()?;
    let found = find_own(view.rows(), permit.caller(), id, not_found)?;
    Ok(build_view(view.rows(), found)?)
}

/// Lists the caller's own authenticators.
pub fn list_own(
    app: &App,
    permit: &Permit<ReadOwn>,
    request: &ListRequest<'_>,
    show: &mut RowVisitor<'_>,
) -> Result<Paging, AppError> {
    let listing = request.parse::<Authenticator>()?;
    let own = restrict_to(
        listing,
        &kinds::AUTHENTICATORS,
        "identity",
        permit.caller().identity.as_str(),
    );
    list_rows(app, &own, request, show)
}

/// Updates the caller's own username, password or tags, given the current password.
///
/// A wrong password counts as in a login and costs the same; after too many, correct ones are
/// refused too until the wait is over. An invalid change is reported first, so that the error does
/// not reveal whether the password was right. An empty change only has the effects of a correct
/// password.
pub async fn update_own(
    app: &App,
    permit: &Permit<UpdateOwn>,
    id: &AuthenticatorId,
    current: SecretString,
    change: UpdbCredentialPatch,
) -> Result<(), AppError> {
    let found = {
        let view = app.snapshot()?;
        require_updb(find_own(view.rows(), permit.caller(), id, not_found)?)?
    };
    let checked = found.entity.clone();
    let has_change = !change.is_empty();
    let prepared = PreparedPatch::new(app, permit.caller(), &found, change).await?;
    let hash = checked.password().cloned();
    let peer = permit.caller().peer();
    let is_wrong = app.passwords.verify(peer, current, hash).await? == PasswordCheck::Wrong;
    let origin = &permit.caller().origin;
    let attempt = PasswordAttempt::new(app, origin).with_session_history(app, &found);
    let throttled = attempt.check_throttle(&checked).err();
    if is_wrong || throttled.is_some() {
        let wrong = is_wrong.then_some(found);
        let counted =
            sessions::record_failed_password(app, origin, wrong, PasswordPurpose::Change, attempt)
                .await?;
        return Err(match throttled.or(counted) {
            Some(throttled) => throttled.into(),
            None => AuthenticatorError::WrongPassword.into(),
        });
    }
    let wanted = id.clone();
    let now = app.env().now();
    app.count_own_change(permit.caller())?;
    app.commit_for(permit, move |rows, caller| {
        let mut found = require_updb(find_own(rows.rows(), caller, &wanted, not_found)?)?;
        if !found.entity.has_same_password(&checked) {
            // It was changed in the meantime.
            return Err(AuthenticatorError::WrongPassword.into());
        }
        attempt.check_throttle(&found.entity)?;
        sessions::reset_wrong_passwords(rows, &found.key)?;
        let before = found.entity.clone();
        attempt.record_success(&mut found.entity);
        if found.entity != before {
            if !has_change {
                rows.set_operation("authenticator.confirm-password", wanted.as_str());
            }
            rows.replace(&found.key, &before, &found.entity)?;
        }
        if has_change {
            prepared.apply(rows, caller, &found, now)?;
        }
        Ok(())
    })
    .await
}

/// Authenticators of others are reported as missing.
fn not_found(id: &AuthenticatorId) -> AppError {
    AppError::not_found("authenticator", id.as_str())
}
