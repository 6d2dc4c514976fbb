//! What a refused password leaves behind.

use super::attempt::Attempt;
use crate::app::App;
use crate::error::AppError;
use crate::identities::{owner, policy_of};
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::audit::Actor;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, Number};
use portcullis_domain::password_throttle::Throttled;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, RowsMut, identity_key};

/// What a password was given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    /// A login, which the policy may not allow with passwords; guessing leads nowhere then.
    Login,
    /// A change of the password by its owner, for which it has to be right under every policy.
    Change,
}

/// What a wrong password did.
#[derive(Debug, Default)]
struct Counted {
    locked: Option<IdentityId>,
    throttled: Option<Throttled>,
}

/// Notes durably that a password was refused; a wrong one counts against its owner and its source.
/// Answers how long the source has to wait, if it did not wait long enough before this one.
pub(crate) async fn note_refusal(
    app: &App,
    origin: &Origin,
    wrong: Option<Found<Authenticator>>,
    guess: Guess,
    attempt: Attempt,
) -> Result<Option<Throttled>, AppError> {
    app.commit(Actor::stranger(origin, ""), move |rows| {
        let counted = match &wrong {
            Some(found) => count_wrong_password(rows, found, guess, attempt)?,
            None => Counted::default(),
        };
        if let Some(identity) = counted.locked {
            rows.acts(identity.as_str());
            rows.operation("identity.lock", identity.as_str());
        }
        rows.count_refused_login()?;
        Ok::<_, AppError>(counted.throttled)
    })
    .await
}

/// Lets the owner of an authenticator, whose key is given, guess anew: it knew the password.
pub(crate) fn forgive(rows: &mut RowsMut<'_>, authenticator: &RecordKey) -> Result<(), AppError> {
    let key = identity_key(Number(authenticator.root_id().1));
    if let Some(identity) = rows.rows().get::<Identity>(&key)?
        && identity.wrong_passwords != 0
    {
        let mut after = identity.clone();
        after.wrong_passwords = 0;
        rows.operation("identity.forget-wrong-passwords", identity.id.as_str());
        rows.replace(&key, &identity, &after)?;
    }
    Ok(())
}

/// Counts a wrong password against the owner of an authenticator, if the right one would have led
/// anywhere. Whoever is locked out by it, loses all sessions.
///
/// The policy's count goes on while the source has to wait: it says how many wrong passwords lock, not
/// how fast they come.
fn count_wrong_password(
    rows: &mut RowsMut<'_>,
    authenticator: &Found<Authenticator>,
    guess: Guess,
    attempt: Attempt,
) -> Result<Counted, AppError> {
    let key = &authenticator.key;
    let Some(entity) = rows.rows().get::<Authenticator>(key)? else {
        return Ok(Counted::default());
    };
    let found = owner(rows.rows(), authenticator)?;
    let rules = policy_of(rows.rows(), &found.entity)?.primary.updb;
    let leads_nowhere = guess == Guess::Login && !rules.allowed;
    if found.entity.is_disabled(attempt.now()) || leads_nowhere {
        return Ok(Counted::default());
    }
    let current = Found { key: *key, entity };
    let throttled = attempt.note_wrong(rows, &current)?.err();
    let mut identity = found.entity.clone();
    let is_locked = identity.note_wrong_password(&rules, attempt.now());
    if identity != found.entity {
        rows.replace(&found.key, &found.entity, &identity)?;
    }
    if is_locked {
        rows.remove_dependents::<ApiSession>(&found.key, |_session| true)?;
    }
    Ok(Counted {
        locked: is_locked.then_some(identity.id),
        throttled,
    })
}
