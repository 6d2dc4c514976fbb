//! Login with a username and password.
//!
//! Every refusal costs the same: one hash, one durable commit. Neither the response nor its timing
//! reveals whether the username exists, whether the password was right, or what its owner lacks.

use super::password_attempt::PasswordAttempt;
use super::{
    AttemptEvent, LoginError, LoginRequest, NewSession, PasswordPurpose, VerifiedCredential,
    authorize, open_session, record_failed_password,
};
use crate::app::App;
use crate::error::AppError;
use crate::password::PasswordCheck;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential, ExtensionRequest, PasswordHash};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::peer::Peer;
use portcullis_events::Method;
use portcullis_storage::tables::{Found, Rows, RowsMut, UniqueIndex, UniqueValue, WriteError};
use secrecy::SecretString;

pub async fn with_password(
    app: &App,
    origin: &Origin,
    username: &str,
    password: SecretString,
    login: LoginRequest<'_>,
) -> Result<NewSession, LoginError> {
    let mut event = AttemptEvent::new(app, Method::Password);
    let outcome = attempt(app, origin, (username, password), login, &mut event).await;
    event.publish(app, origin, &outcome);
    outcome
}

async fn attempt(
    app: &App,
    origin: &Origin,
    (username, password): (&str, SecretString),
    login: LoginRequest<'_>,
    event: &mut AttemptEvent,
) -> Result<NewSession, LoginError> {
    let by_name = UniqueValue::new(UniqueIndex::AuthenticatorUsername, username);
    let found: Option<Found<Authenticator>> = app
        .snapshot()
        .map_err(LoginError::Failed)?
        .rows()
        .find(&by_name)?;
    if let Some(found) = &found {
        let opened_by = OpenedBy::Authenticator(found.entity.id.clone());
        event.note(found.root_number(), opened_by);
    }
    let stored = found.as_ref().and_then(|found| found.entity.password());
    let peer = Peer::from_address(origin.address());
    let verdict = app
        .passwords
        .verify(peer, password.clone(), stored.cloned())
        .await
        .map_err(AppError::from)?;
    let attempt = PasswordAttempt::new(app, origin);
    let attempt = match &found {
        Some(found) => attempt.with_session_history(app, found),
        None => attempt,
    };
    let outcome = match (verdict, found) {
        (
            PasswordCheck::Right {
                needs_rehash: is_cheap,
            },
            Some(authenticator),
        ) => {
            let mut credential = PasswordLogin {
                authenticator,
                attempt,
                rehashed: None,
            };
            if is_cheap {
                credential.rehash(app, peer, password).await?;
            }
            match open_session(app, origin, credential, login, event).await {
                Err(LoginError::Refused(reason)) => (None, reason),
                outcome => {
                    if outcome.is_ok() {
                        app.passwords.trust(peer);
                    }
                    return outcome;
                },
            }
        },
        (_, found) => (found, "wrong username or password".into()),
    };
    let (wrong, reason) = outcome;
    record_failed_password(app, origin, wrong, PasswordPurpose::Login, attempt).await?;
    Err(LoginError::Refused(reason))
}

/// A password that was verified.
#[derive(Clone)]
struct PasswordLogin {
    authenticator: Found<Authenticator>,
    attempt: PasswordAttempt,
    /// The password hashed at the current cost, if it is stored under a cheaper hash.
    rehashed: Option<PasswordHash>,
}

impl PasswordLogin {
    /// Rehashes the password at the current cost, if it lets its owner in: a refusal must take no
    /// longer than a wrong password. If the pool is full, the next login does it.
    async fn rehash(
        &mut self,
        app: &App,
        peer: Peer,
        password: SecretString,
    ) -> Result<(), LoginError> {
        let now = app.env().now();
        let view = app.snapshot().map_err(LoginError::Failed)?;
        let lets_in = match authorize(view.rows(), self, now) {
            Ok(_) => true,
            Err(LoginError::Refused(_)) => false,
            Err(error) => return Err(error),
        };
        drop(view);
        if lets_in {
            let salt = entropy::bytes(&*app.env().entropy)?;
            self.rehashed = app.passwords.hash(peer, password, salt).await.ok();
        }
        Ok(())
    }
}

impl VerifiedCredential for PasswordLogin {
    fn identity(&self) -> RecordNumber {
        self.authenticator.root_number()
    }

    fn opened_by(&self) -> OpenedBy {
        OpenedBy::Authenticator(self.authenticator.entity.id.clone())
    }

    fn recheck(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError> {
        super::require_authenticator(identity)?;
        let current: Option<Authenticator> = rows.get(&self.authenticator.key)?;
        let current = current
            .filter(|current| current.has_same_password(&self.authenticator.entity))
            .ok_or(LoginError::refused(
                "the password has changed in the meantime",
            ))?;
        self.attempt.check_throttle(&current).map_err(|_throttled| {
            LoginError::refused("too many wrong passwords came from this source")
        })
    }

    fn check_policy(&self, policy: &AuthPolicy, _now: Timestamp) -> Result<(), LoginError> {
        if policy.spec.primary.updb.allowed {
            Ok(())
        } else {
            Err(LoginError::refused("the policy does not allow passwords"))
        }
    }

    fn apply(
        &self,
        rows: &mut RowsMut<'_>,
        identity: &mut Identity,
        _session: &mut ApiSession,
    ) -> Result<Option<ExtensionRequest>, WriteError> {
        identity.wrong_passwords = 0;
        let key = &self.authenticator.key;
        // Other parts of the record may have changed since the password was verified.
        let Some(before) = rows.rows().get::<Authenticator>(key)? else {
            return Ok(None);
        };
        let mut after = before.clone();
        if let (Some(renewed), Credential::Updb(updb)) = (&self.rehashed, &mut after.credential) {
            updb.password = renewed.clone();
        }
        self.attempt.record_success(&mut after);
        if after != before {
            rows.replace(key, &before, &after)?;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
