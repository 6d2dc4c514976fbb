//! Consequences of failed passwords.

use super::password_attempt::PasswordAttempt;
use crate::app::App;
use crate::error::AppError;
use crate::records::{get_owner, get_policy};
use crate::session_revocation::SessionRevocation;
use portcullis_domain::access::Origin;
use portcullis_domain::audit::Actor;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, RecordNumber};
use portcullis_domain::password_throttle::ThrottledError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, RowsMut, identity_key};

/// Operation that a password was given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasswordPurpose {
    /// A login; guessing is pointless if the policy does not allow passwords.
    Login,
    /// A change of the password by its owner; guessing works under every policy.
    Change,
}

/// Effect of a wrong password.
#[derive(Debug, Default)]
struct FailureEffect {
    locked: Option<IdentityId>,
    throttled: Option<ThrottledError>,
}

/// Records a refused password durably; a wrong one counts against its owner and its source. Returns
/// the source's wait if it came too early.
pub(crate) async fn record_failed_password(
    app: &App,
    origin: &Origin,
    wrong: Option<Found<Authenticator>>,
    purpose: PasswordPurpose,
    attempt: PasswordAttempt,
) -> Result<Option<ThrottledError>, AppError> {
    let revocation = SessionRevocation::new(app);
    app.commit(Actor::without_session(origin, ""), move |rows| {
        let counted = match &wrong {
            Some(found) => count_wrong_password(rows, found, purpose, attempt, &revocation)?,
            None => FailureEffect::default(),
        };
        if let Some(identity) = counted.locked {
            rows.set_actor(identity.as_str());
            rows.set_operation("identity.lock", identity.as_str());
        }
        rows.count_refused_login()?;
        Ok::<_, AppError>(counted.throttled)
    })
    .await
}

/// Resets the count of wrong passwords of an authenticator's owner, who knew the right one.
pub(crate) fn reset_wrong_passwords(
    rows: &mut RowsMut<'_>,
    authenticator: &RecordKey,
) -> Result<(), AppError> {
    let key = identity_key(RecordNumber(authenticator.root_id().1));
    if let Some(identity) = rows.rows().get::<Identity>(&key)?
        && identity.wrong_passwords != 0
    {
        let mut after = identity.clone();
        after.wrong_passwords = 0;
        rows.set_operation("identity.forget-wrong-passwords", identity.id.as_str());
        rows.replace(&key, &identity, &after)?;
    }
    Ok(())
}

/// Counts a wrong password against the owner of an authenticator, unless even the right one would
/// have been useless. Ends all sessions of an owner that is locked by it.
///
/// The policy's count goes on while the source is throttled: it limits how many wrong passwords
/// there may be, not how fast they come.
fn count_wrong_password(
    rows: &mut RowsMut<'_>,
    authenticator: &Found<Authenticator>,
    purpose: PasswordPurpose,
    attempt: PasswordAttempt,
    revocation: &SessionRevocation,
) -> Result<FailureEffect, AppError> {
    let key = &authenticator.key;
    let Some(entity) = rows.rows().get::<Authenticator>(key)? else {
        return Ok(FailureEffect::default());
    };
    let found = get_owner(rows.rows(), authenticator)?;
    let rules = get_policy(rows.rows(), &found.entity)?.spec.primary.updb;
    let leads_nowhere = purpose == PasswordPurpose::Login && !rules.allowed;
    if found.entity.is_disabled(attempt.now()) || leads_nowhere {
        return Ok(FailureEffect::default());
    }
    let current = Found { key: *key, entity };
    let throttled = attempt.record_failure(rows, &current)?.err();
    let mut identity = found.entity.clone();
    let is_locked = identity.record_wrong_password(&rules, attempt.now());
    if identity != found.entity {
        rows.replace(&found.key, &found.entity, &identity)?;
    }
    if is_locked {
        revocation.end_those_of(rows, &found.key, |_session| true)?;
    }
    Ok(FailureEffect {
        locked: is_locked.then_some(identity.id),
        throttled,
    })
}
