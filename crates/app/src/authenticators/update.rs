//! Updates of usernames and passwords.

use super::{Update, find};
use crate::app::App;
use crate::error::{AppError, AuthenticatorError};
use crate::new_password::NewPassword;
use crate::privilege::CredentialGuard;
use crate::records::get_owner;
use crate::session_revocation::SessionRevocation;
use crate::sessions;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_domain::tags::Tags;
use portcullis_domain::username::validate_username;
use portcullis_storage::tables::{Found, RowsMut};
use secrecy::SecretString;

/// Changes to a username and password.
#[derive(Debug, Clone, Default)]
pub struct UpdbCredentialPatch {
    pub username: Option<String>,
    pub password: Option<SecretString>,
    pub tags: Option<Tags>,
}

impl UpdbCredentialPatch {
    pub fn is_empty(&self) -> bool {
        self.username.is_none() && self.password.is_none() && self.tags.is_none()
    }

    /// Whether the change affects logins.
    fn changes_login(&self) -> bool {
        self.username.is_some() || self.password.is_some()
    }
}

/// Checks that a username and password are not the caller's own: those require the current
/// password, or whoever steals a session could take over the account.
pub(super) fn check_not_own_password(
    caller: &Caller,
    authenticator: &Authenticator,
) -> Result<(), AppError> {
    let is_password = matches!(authenticator.credential, Credential::Updb(_));
    if is_password && caller.identity == authenticator.identity {
        return Err(AppError::Denied {
            rule: Some(
                "use current-identity/authenticators with the current password to change your own \
                 username and password, or ask another administrator",
            ),
        });
    }
    Ok(())
}

/// Updates the username, password or tags of any identity. A new password ends the sessions that
/// the old one opened, except the caller's own, and resets the count of wrong passwords.
pub async fn update(
    app: &App,
    permit: &Permit<Update>,
    id: &AuthenticatorId,
    change: UpdbCredentialPatch,
) -> Result<(), AppError> {
    let found = require_updb(find(app.snapshot()?.rows(), id)?)?;
    if change.is_empty() {
        return Ok(());
    }
    if change.changes_login() {
        // Early, to avoid a useless hash; the check in the transaction decides.
        check_not_own_password(permit.caller(), &found.entity)?;
    }
    let prepared = PreparedPatch::new(app, permit.caller(), &found, change).await?;
    let (wanted, credential_guard) = (id.clone(), CredentialGuard::new(app));
    let now = app.env().now();
    app.commit_for(permit, move |rows, caller| {
        let found = require_updb(find(rows.rows(), &wanted)?)?;
        if prepared.changes_login() {
            check_not_own_password(caller, &found.entity)?;
            credential_guard.check(caller, &get_owner(rows.rows(), &found)?.entity)?;
        }
        prepared.apply(rows, caller, &found, now)
    })
    .await?;
    Ok(())
}

/// Requires an authenticator with a username and password.
pub(super) fn require_updb(found: Found<Authenticator>) -> Result<Found<Authenticator>, AppError> {
    match found.entity.credential {
        Credential::Updb(_) => Ok(found),
        Credential::Cert(_) => Err(AuthenticatorError::NotUpdatable.into()),
    }
}

/// A change with its password hashed.
#[derive(Clone)]
pub(super) struct PreparedPatch {
    username: Option<String>,
    password: Option<NewPassword>,
    tags: Option<Tags>,
    revocation: SessionRevocation,
}

impl PreparedPatch {
    /// Prepares a change. An unchanged username is not validated, since it may predate the rules.
    pub(super) async fn new(
        app: &App,
        caller: &Caller,
        found: &Found<Authenticator>,
        change: UpdbCredentialPatch,
    ) -> Result<Self, AppError> {
        if let (Some(username), Credential::Updb(present)) =
            (&change.username, &found.entity.credential)
            && *username != present.username
        {
            validate_username("username", username)?;
        }
        let password = match change.password {
            Some(password) => {
                let identity = get_owner(app.snapshot()?.rows(), found)?.entity;
                Some(NewPassword::prepare(app, caller.peer(), &identity, password).await?)
            },
            None => None,
        };
        Ok(Self {
            username: change.username,
            password,
            tags: change.tags,
            revocation: SessionRevocation::new(app),
        })
    }

    fn changes_login(&self) -> bool {
        self.username.is_some() || self.password.is_some()
    }

    /// Writes the change.
    pub(super) fn apply(
        &self,
        rows: &mut RowsMut<'_>,
        caller: &Caller,
        found: &Found<Authenticator>,
        now: Timestamp,
    ) -> Result<(), AppError> {
        let mut after = found.entity.clone();
        let Credential::Updb(updb) = &mut after.credential else {
            return Err(AuthenticatorError::NotUpdatable.into());
        };
        if let Some(username) = &self.username {
            updb.username.clone_from(username);
        }
        if let Some(tags) = &self.tags {
            after.tags.clone_from(tags);
        }
        if let Some(password) = &self.password {
            let identity = get_owner(rows.rows(), found)?;
            let password = password.finalize(rows.rows(), &identity.entity)?;
            if caller.identity == found.entity.identity {
                updb.set_password(password);
            } else {
                updb.reset_password(password);
            }
            sessions::reset_wrong_passwords(rows, &found.key)?;
            sessions::end_other_sessions(rows, caller, found, &self.revocation)?;
        }
        after.updated_at = now;
        Ok(rows.replace(&found.key, &found.entity, &after)?)
    }
}
