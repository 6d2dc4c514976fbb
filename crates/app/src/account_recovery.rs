//! Account recovery on the store itself, for when nobody can do it through the API.
//!
//! There is no permit: whoever has the store and its sealing key can do anything.

use crate::app::App;
use crate::error::AppError;
use crate::mfa;
use crate::new_password::NewPassword;
use crate::session_revocation::SessionRevocation;
use portcullis_domain::audit::Actor;
use portcullis_domain::authenticator::{Authenticator, Credential, UpdbCredential};
use portcullis_domain::identity::Identity;
use portcullis_domain::identity::TotpState;
use portcullis_domain::ids::IdentityId;
use portcullis_domain::peer::Peer;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, IDENTITY, Rows, RowsMut, UniqueIndex, UniqueValue};
use secrecy::SecretString;
use std::ops::ControlFlow;

/// The identity that was recovered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredIdentity {
    pub id: IdentityId,
    pub name: String,
}

/// Sets the password of the identity with this id or name, enables it, resets its count of wrong
/// passwords and ends its sessions.
///
/// # Errors
///
/// [`AppError::NotFound`] when there is no such identity or it has no password; [`AppError::Field`]
/// for a password that violates its policy.
pub async fn reset_password(
    app: &App,
    who: &str,
    password: SecretString,
) -> Result<RecoveredIdentity, AppError> {
    let identity = find(app.snapshot()?.rows(), who)?.entity;
    let password = NewPassword::prepare(app, Peer::CONTROLLER, &identity, password).await?;
    let now = app.env().now();
    recover(app, who, "identity.reset-password", move |rows, found| {
        let (before, mut updb) = find_password(rows.rows(), found)?;
        updb.reset_password(password.finalize(rows.rows(), &found.entity)?);
        let mut after = before.entity.clone();
        after.credential = Credential::Updb(updb);
        found.entity.enable(now);
        Ok(rows.replace(&before.key, &before.entity, &after)?)
    })
    .await
}

/// Checks that [`reset_password`] finds a password to set.
///
/// # Errors
///
/// [`AppError::NotFound`] when there is no identity with this id or name, or it has no password.
pub fn require_password(app: &App, who: &str) -> Result<(), AppError> {
    let view = app.snapshot()?;
    let identity = find(view.rows(), who)?;
    find_password(view.rows(), &identity).map(|_found| ())
}

/// The names of all identities, oldest first.
pub fn identity_names(app: &App) -> Result<Vec<String>, AppError> {
    let mut names = Vec::new();
    let all = RecordKey::all(IDENTITY);
    (app.snapshot()?.rows()).for_each_in::<Identity>(&all, &mut |found| {
        names.push(found.entity.name().to_owned());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(names)
}

/// Removes the TOTP enrollment of the identity with this id or name, resets its count of wrong
/// codes and ends its sessions. A disabled identity stays disabled.
///
/// # Errors
///
/// [`AppError::NotFound`] when there is no such identity or it has no enrollment; nothing is changed
/// then.
pub async fn remove_mfa(app: &App, who: &str) -> Result<RecoveredIdentity, AppError> {
    recover(app, who, "identity.delete-mfa", |rows, found| {
        if found.entity.attached.totp == TotpState::None && found.entity.wrong_codes.is_none() {
            return Err(AppError::not_found(
                "MFA enrollment",
                found.entity.id.as_str(),
            ));
        }
        mfa::delete_enrollment(rows, found)?;
        mfa::reset_wrong_codes(&mut found.entity);
        Ok(())
    })
    .await
}

/// Applies `change` to an identity and its dependents, and ends its sessions.
async fn recover(
    app: &App,
    who: &str,
    operation: &'static str,
    change: impl Fn(&mut RowsMut<'_>, &mut Found<Identity>) -> Result<(), AppError> + Send + 'static,
) -> Result<RecoveredIdentity, AppError> {
    let who = who.to_owned();
    let revocation = SessionRevocation::new(app);
    app.commit(Actor::operator(), move |rows| {
        let before = find(rows.rows(), &who)?;
        let mut found = before.clone();
        change(rows, &mut found)?;
        rows.replace(&before.key, &before.entity, &found.entity)?;
        revocation.end_those_of(rows, &before.key, |_session| true)?;
        let is_enabled = before.entity.disabled.is_some() && found.entity.disabled.is_none();
        rows.set_operation(operation, found.entity.id.as_str());
        if is_enabled {
            rows.set_operation("identity.enable", found.entity.id.as_str());
        }
        Ok::<_, AppError>(RecoveredIdentity {
            name: found.entity.spec.name.as_str().to_owned(),
            id: found.entity.id,
        })
    })
    .await
}

/// Finds an identity by id, else by name.
fn find(rows: Rows<'_>, who: &str) -> Result<Found<Identity>, AppError> {
    for index in [UniqueIndex::IdentityId, UniqueIndex::IdentityName] {
        if let Some(found) = rows.find(&UniqueValue::new(index, who))? {
            return Ok(found);
        }
    }
    Err(AppError::not_found("identity", who))
}

/// Finds the password of an identity.
fn find_password(
    rows: Rows<'_>,
    identity: &Found<Identity>,
) -> Result<(Found<Authenticator>, UpdbCredential), AppError> {
    let present: Vec<Found<Authenticator>> = rows.dependents(&identity.key)?;
    let found = present.into_iter().find_map(|found| {
        let Credential::Updb(updb) = &found.entity.credential else {
            return None;
        };
        let updb = updb.clone();
        Some((found, updb))
    });
    found.ok_or_else(|| AppError::not_found("password", identity.entity.id.as_str()))
}
