//! Changing usernames and passwords.

use super::{Update, find};
use crate::app::App;
use crate::error::AppError;
use crate::identities::owner;
use crate::password::NewPassword;
use crate::rank::WaysIn;
use crate::sessions;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_domain::tags::Tags;
use portcullis_domain::username::check_username;
use portcullis_storage::tables::{Found, RowsMut};
use secrecy::SecretString;

/// What is to change about a username and password.
#[derive(Debug, Clone, Default)]
pub struct UpdbChange {
    /// The new username.
    pub username: Option<String>,
    /// The new password.
    pub password: Option<SecretString>,
    /// What users attach to it from now on.
    pub tags: Option<Tags>,
}

impl UpdbChange {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.username.is_none() && self.password.is_none() && self.tags.is_none()
    }

    /// Whether it changes with what the owner logs in.
    fn changes_login(&self) -> bool {
        self.username.is_some() || self.password.is_some()
    }
}

/// Checks that a username and password are not the caller's own: these are changed with the current
/// password only, or whoever steals a session could keep its owner out and itself in.
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

/// Changes the username, password or tags of anybody. A new password ends the sessions that the old
/// one opened, but not the caller's own, and lets the owner guess anew.
pub async fn update(
    app: &App,
    permit: &Permit<Update>,
    id: &AuthenticatorId,
    change: UpdbChange,
) -> Result<(), AppError> {
    let found = updb(find(app.snapshot()?.rows(), id)?)?;
    if change.is_empty() {
        return Ok(());
    }
    if change.changes_login() {
        // Before a password is hashed for nothing; it counts in the transaction.
        check_not_own_password(permit.caller(), &found.entity)?;
    }
    let prepared = Prepared::new(app, permit.caller(), &found, change).await?;
    let (wanted, ways_in) = (id.clone(), WaysIn::of(app));
    let now = app.env().now();
    app.commit_for(permit, move |rows, caller| {
        let found = updb(find(rows.rows(), &wanted)?)?;
        if prepared.changes_login() {
            check_not_own_password(caller, &found.entity)?;
            ways_in.check(caller, &owner(rows.rows(), &found)?.entity)?;
        }
        prepared.apply(rows, caller, &found, now)
    })
    .await?;
    Ok(())
}

/// Passes on an authenticator that has a username and password.
pub(super) fn updb(found: Found<Authenticator>) -> Result<Found<Authenticator>, AppError> {
    match found.entity.credential {
        Credential::Updb(_) => Ok(found),
        Credential::Cert(_) => Err(AppError::AuthenticatorUnfit),
    }
}

/// A change whose password is hashed.
#[derive(Clone)]
pub(super) struct Prepared {
    username: Option<String>,
    password: Option<NewPassword>,
    tags: Option<Tags>,
}

impl Prepared {
    /// Makes a change ready for the store. A username that stays is not judged: it may be older than
    /// the rules.
    pub(super) async fn new(
        app: &App,
        caller: &Caller,
        found: &Found<Authenticator>,
        change: UpdbChange,
    ) -> Result<Self, AppError> {
        if let (Some(username), Credential::Updb(present)) =
            (&change.username, &found.entity.credential)
            && *username != present.username
        {
            check_username("username", username)?;
        }
        let password = match change.password {
            Some(password) => {
                let identity = owner(app.snapshot()?.rows(), found)?.entity;
                Some(NewPassword::prepare(app, caller.peer(), &identity, password).await?)
            },
            None => None,
        };
        Ok(Self {
            username: change.username,
            password,
            tags: change.tags,
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
            return Err(AppError::AuthenticatorUnfit);
        };
        if let Some(username) = &self.username {
            updb.username.clone_from(username);
        }
        if let Some(tags) = &self.tags {
            after.tags.clone_from(tags);
        }
        if let Some(password) = &self.password {
            let identity = owner(rows.rows(), found)?;
            let password = password.settle(rows.rows(), &identity.entity)?;
            if caller.identity == found.entity.identity {
                updb.set_password(password);
            } else {
                updb.reset_password(password);
            }
            sessions::forgive(rows, &found.key)?;
            sessions::end_others(rows, caller, found)?;
        }
        after.updated_at = now;
        Ok(rows.replace(&found.key, &found.entity, &after)?)
    }
}
