//! What a code changes about the session on which it was given.

use super::own_key;
use crate::error::AppError;
use portcullis_domain::access::{Caller, Denied};
use portcullis_domain::api_session::{ApiSession, SessionTotp};
use portcullis_domain::clock::Timestamp;
use portcullis_storage::tables::RowsMut;

/// Notes that a code was accepted on the caller's session.
pub(crate) fn pass_totp(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    now: Timestamp,
) -> Result<(), AppError> {
    change(rows, caller, |totp| {
        totp.passed_at = Some(now);
        totp.factor_at = Some(now);
    })
}

/// Notes that the caller became enrolled through its session, by a code. It is no factor that was proved:
/// the secret was told through the same session.
pub(crate) fn enroll_in_totp(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    now: Timestamp,
) -> Result<(), AppError> {
    change(rows, caller, |totp| {
        totp.is_required = true;
        totp.passed_at = Some(now);
    })
}

fn change(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    apply: impl FnOnce(&mut SessionTotp),
) -> Result<(), AppError> {
    let key = own_key(caller);
    let before: ApiSession = rows.rows().get(&key)?.ok_or(Denied)?;
    let mut after = before.clone();
    apply(&mut after.totp);
    Ok(rows.replace(&key, &before, &after)?)
}
