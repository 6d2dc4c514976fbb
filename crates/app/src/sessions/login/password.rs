//! Login with a username and password.
//!
//! Every refusal takes the same way: one hash, one durable commit. Neither its answer nor its time
//! tells whether the username exists, whether the password was right, or what its owner lacks.

use super::attempt::Attempt;
use super::{Guess, Login, LoginError, NewSession, Way, judge, note_refusal, open};
use crate::app::App;
use crate::error::AppError;
use crate::password::Verdict;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential, ExtensionRequest, PasswordHash};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::Number;
use portcullis_domain::peer::Peer;
use portcullis_storage::tables::{Found, Index, Rows, RowsMut, UniqueValue, WriteError};
use secrecy::SecretString;

/// Logs in with a username and password.
pub async fn with_password(
    app: &App,
    origin: &Origin,
    username: &str,
    password: SecretString,
    login: Login,
) -> Result<NewSession, LoginError> {
    let by_name = UniqueValue::new(Index::AuthenticatorUsername, username);
    let found: Option<Found<Authenticator>> = app
        .snapshot()
        .map_err(LoginError::Failed)?
        .rows()
        .find(&by_name)?;
    let stored = found.as_ref().and_then(|found| found.entity.password());
    let peer = Peer::at(origin.address);
    let verdict = app
        .passwords
        .verify(peer, password.clone(), stored.cloned())
        .await
        .map_err(AppError::from)?;
    let attempt = Attempt::new(app, origin);
    let attempt = match &found {
        Some(found) => attempt.knowing_sessions(app, found),
        None => attempt,
    };
    let outcome = match (verdict, found) {
        (Verdict::Right { is_cheap }, Some(authenticator)) => {
            let mut way = Password {
                authenticator,
                attempt,
                renewed: None,
            };
            if is_cheap {
                way.renew(app, peer, password).await?;
            }
            match open(app, origin, way, login).await {
                Err(LoginError::Refused(reason)) => (None, reason),
                outcome => {
                    if outcome.is_ok() {
                        app.passwords.trust(peer);
                    }
                    return outcome;
                },
            }
        },
        (_, found) => (found, "wrong name or password"),
    };
    let (wrong, reason) = outcome;
    note_refusal(app, origin, wrong, Guess::Login, attempt).await?;
    Err(LoginError::Refused(reason))
}

/// A right password.
#[derive(Clone)]
struct Password {
    authenticator: Found<Authenticator>,
    attempt: Attempt,
    /// The password under the hash of today, if it is stored under a weaker one.
    renewed: Option<PasswordHash>,
}

impl Password {
    /// Hashes the password at today's cost, if it lets its owner in: what is refused takes no longer
    /// than a wrong password. When the pool has no place, the next login does it.
    async fn renew(
        &mut self,
        app: &App,
        peer: Peer,
        password: SecretString,
    ) -> Result<(), LoginError> {
        let now = app.env().now();
        let view = app.snapshot().map_err(LoginError::Failed)?;
        let lets_in = match judge(view.rows(), self, now) {
            Ok(_) => true,
            Err(LoginError::Refused(_)) => false,
            Err(error) => return Err(error),
        };
        drop(view);
        if lets_in {
            let salt = entropy::bytes(&*app.env().entropy)?;
            self.renewed = app.passwords.hash(peer, password, salt).await.ok();
        }
        Ok(())
    }
}

impl Way for Password {
    fn identity(&self) -> Number {
        self.authenticator.root_number()
    }

    fn opened_by(&self) -> OpenedBy {
        OpenedBy::Authenticator(self.authenticator.entity.id.clone())
    }

    fn recheck(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError> {
        super::require_authenticator(identity)?;
        let current: Option<Authenticator> = rows.get(&self.authenticator.key)?;
        let current = current
            .filter(|current| current.has_password_of(&self.authenticator.entity))
            .ok_or(LoginError::Refused("the password changed meanwhile"))?;
        self.attempt.admit(&current).map_err(|_throttled| {
            LoginError::Refused("the source has to wait, after too many wrong passwords")
        })
    }

    fn admit(&self, policy: &AuthPolicy, _now: Timestamp) -> Result<(), LoginError> {
        if policy.primary.updb.allowed {
            Ok(())
        } else {
            Err(LoginError::Refused("the policy does not allow passwords"))
        }
    }

    fn settle(
        &self,
        rows: &mut RowsMut<'_>,
        identity: &mut Identity,
        _session: &mut ApiSession,
    ) -> Result<Option<ExtensionRequest>, WriteError> {
        identity.wrong_passwords = 0;
        let key = &self.authenticator.key;
        // What else there is to it may have changed since the password was checked.
        let Some(before) = rows.rows().get::<Authenticator>(key)? else {
            return Ok(None);
        };
        let mut after = before.clone();
        if let (Some(renewed), Credential::Updb(updb)) = (&self.renewed, &mut after.credential) {
            updb.password = renewed.clone();
        }
        self.attempt.note_right(&mut after);
        if after != before {
            rows.replace(key, &before, &after)?;
        }
        Ok(None)
    }
}
