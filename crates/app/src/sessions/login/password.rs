//! Login with a username and password.
//!
//! Every refusal takes the same way: one hash, one durable commit. Neither its answer nor its time
//! tells whether the username exists, whether the password was right, or what its owner lacks.

use super::{Login, LoginError, NewSession, Way, open};
use crate::app::App;
use crate::audit;
use crate::error::AppError;
use crate::identities::{owner, policy_of};
use crate::password::Verdict;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential, PasswordHash};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, Number};
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
    let salt = entropy::bytes(&*app.env().entropy)?;
    let verdict = app
        .passwords
        .verify(password, stored.cloned(), salt)
        .await
        .map_err(AppError::from)?;
    let outcome = match (verdict, found) {
        (Verdict::Right { renewed }, Some(authenticator)) => {
            let way = Password {
                authenticator,
                renewed,
            };
            match open(app, origin, way, login).await {
                Err(LoginError::Refused(reason)) => (None, reason),
                outcome => return outcome,
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
    ) -> Result<(), WriteError> {
        identity.wrong_passwords = 0;
        let Some(renewed) = &self.renewed else {
            return Ok(());
        };
        let key = &self.authenticator.key;
        // What else there is to it may have changed since the password was checked.
        let Some(before) = rows.rows().get::<Authenticator>(key)? else {
            return Ok(());
        };
        let mut after = before.clone();
        if let Credential::Updb(updb) = &mut after.credential {
            updb.password = renewed.clone();
        }
        rows.replace(key, &before, &after)
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
