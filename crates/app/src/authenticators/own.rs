//! What identities do with their own authenticators.

use super::update::{Prepared, UpdbChange, updb};
use super::{ReadOwn, Show, UpdateOwn, answer, find_own, look};
use crate::app::App;
use crate::error::AppError;
use crate::listing::{Asked, Paging, kinds, restricted};
use crate::password::Verdict;
use crate::sessions::{self, Attempt, Guess};
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
    let found = find_own(view.rows(), permit.caller(), id, not_there)?;
    Ok(look(view.rows(), found)?)
}

/// Lists the caller's own authenticators.
pub fn list_own(
    app: &App,
    permit: &Permit<ReadOwn>,
    asked: &Asked<'_>,
    show: &mut Show<'_>,
) -> Result<Paging, AppError> {
    let listing = asked.of::<Authenticator>()?;
    let own = restricted(
        listing,
        &kinds::AUTHENTICATORS,
        "identity",
        permit.caller().identity.as_str(),
    );
    answer(app, &own, asked, show)
}

/// Changes the caller's own username, password or tags, if it knows the current password.
///
/// A wrong one counts as in a login, and costs as much as a right one; after too many, right ones are
/// refused as well until the time is over. What is wrong with the change itself is said before, so that
/// it does not tell which of the two it was. A change of nothing leaves no trace, but for what the right
/// password makes good.
pub async fn update_own(
    app: &App,
    permit: &Permit<UpdateOwn>,
    id: &AuthenticatorId,
    current: SecretString,
    change: UpdbChange,
) -> Result<(), AppError> {
    let found = {
        let view = app.snapshot()?;
        updb(find_own(view.rows(), permit.caller(), id, not_there)?)?
    };
    let known = found.entity.clone();
    let has_change = !change.is_empty();
    let prepared = Prepared::new(app, permit.caller(), &found, change).await?;
    let hash = known.password().cloned();
    let peer = permit.caller().peer();
    let is_wrong = app.passwords.verify(peer, current, hash).await? == Verdict::Wrong;
    let origin = &permit.caller().origin;
    let attempt = Attempt::new(app, origin).knowing_sessions(app, &found);
    let throttled = attempt.admit(&known).err();
    if is_wrong || throttled.is_some() {
        let wrong = is_wrong.then_some(found);
        let counted = sessions::note_refusal(app, origin, wrong, Guess::Change, attempt).await?;
        return Err(match throttled.or(counted) {
            Some(throttled) => throttled.into(),
            None => AppError::WrongPassword,
        });
    }
    let wanted = id.clone();
    let now = app.env().now();
    app.count_own_change(permit.caller())?;
    app.commit_for(permit, move |rows, caller| {
        let mut found = updb(find_own(rows.rows(), caller, &wanted, not_there)?)?;
        if !found.entity.has_password_of(&known) {
            // Somebody changed it while it was checked.
            return Err(AppError::WrongPassword);
        }
        attempt.admit(&found.entity)?;
        sessions::forgive(rows, &found.key)?;
        let before = found.entity.clone();
        attempt.note_right(&mut found.entity);
        if found.entity != before {
            if !has_change {
                rows.operation("authenticator.confirm-password", wanted.as_str());
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

/// Those of others are not there for whoever asks.
fn not_there(id: &AuthenticatorId) -> AppError {
    AppError::not_found("authenticator", id.as_str())
}
