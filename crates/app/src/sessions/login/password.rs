//! Login with a username and password.
//!
//! Every refusal takes the same way: one hash, one durable commit. Neither its answer nor its time
//! tells whether the username exists, whether the password was right, or what its owner lacks.

use super::{Login, LoginError, NewSession, Way, judge, open};
use crate::app::App;
use crate::audit;
use crate::error::AppError;
use crate::identities::{owner, policy_of};
use crate::password::Verdict;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential, ExtensionRequest, PasswordHash};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, Number};
use portcullis_domain::peer::Peer;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    Found, Index, Rows, RowsMut, UniqueValue, WriteError, identity_key,
};
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
    let outcome = match (verdict, found) {
        (Verdict::Right { is_cheap }, Some(authenticator)) => {
            let mut way = Password {
                authenticator,
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
    note_refusal(app, origin, wrong, Guess::Login).await?;
    Err(LoginError::Refused(reason))
}

/// A right password.
#[derive(Clone)]
struct Password {
    authenticator: Found<Authenticator>,
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
        match current {
            Some(current) if current.has_password_of(&self.authenticator.entity) => Ok(()),
            _ => Err(LoginError::Refused("the password changed meanwhile")),
        }
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
        let Some(renewed) = &self.renewed else {
            return Ok(None);
        };
        let key = &self.authenticator.key;
        // What else there is to it may have changed since the password was checked.
        let Some(before) = rows.rows().get::<Authenticator>(key)? else {
            return Ok(None);
        };
        let mut after = before.clone();
        if let Credential::Updb(updb) = &mut after.credential {
            updb.password = renewed.clone();
        }
        rows.replace(key, &before, &after)?;
        Ok(None)
    }
}

/// What a password was given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    /// A login, which the policy may not allow with passwords; guessing leads nowhere then.
    Login,
    /// A change of the password by its owner, for which it has to be right under every policy.
    Change,
}

/// Notes durably that a password was refused; a wrong one counts against its owner.
pub(crate) async fn note_refusal(
    app: &App,
    origin: &Origin,
    wrong: Option<Found<Authenticator>>,
    guess: Guess,
) -> Result<(), AppError> {
    let now = app.env().now();
    let locked = app
        .commit(move |rows| {
            let locked = match &wrong {
                Some(found) => count_wrong_password(rows, found, guess, now)?,
                None => None,
            };
            rows.count_refused_login()?;
            Ok::<_, AppError>(locked)
        })
        .await?;
    if let Some(identity) = locked {
        let id = identity.as_str();
        audit::changed_by_stranger(origin, id, "identity.lock", id);
    }
    Ok(())
}

/// Lets the owner of an authenticator, whose key is given, guess anew: it knew the password.
pub(crate) fn forgive(rows: &mut RowsMut<'_>, authenticator: &RecordKey) -> Result<(), AppError> {
    let key = identity_key(Number(authenticator.root_id().1));
    if let Some(identity) = rows.rows().get::<Identity>(&key)?
        && identity.wrong_passwords != 0
    {
        let mut after = identity.clone();
        after.wrong_passwords = 0;
        rows.replace(&key, &identity, &after)?;
    }
    Ok(())
}

/// Counts a wrong password against the owner of an authenticator, if the right one would have led
/// anywhere; answers who is locked out by it. Whoever is, loses all sessions.
fn count_wrong_password(
    rows: &mut RowsMut<'_>,
    authenticator: &Found<Authenticator>,
    guess: Guess,
    now: Timestamp,
) -> Result<Option<IdentityId>, AppError> {
    if rows
        .rows()
        .get::<Authenticator>(&authenticator.key)?
        .is_none()
    {
        return Ok(None);
    }
    let found = owner(rows.rows(), authenticator)?;
    let rules = policy_of(rows.rows(), &found.entity)?.primary.updb;
    let leads_nowhere = guess == Guess::Login && !rules.allowed;
    if found.entity.is_disabled(now) || leads_nowhere {
        return Ok(None);
    }
    let mut identity = found.entity.clone();
    let is_locked = identity.note_wrong_password(&rules, now);
    if identity != found.entity {
        rows.replace(&found.key, &found.entity, &identity)?;
    }
    if is_locked {
        rows.remove_dependents::<ApiSession>(&found.key, |_session| true)?;
    }
    Ok(is_locked.then_some(identity.id))
}
