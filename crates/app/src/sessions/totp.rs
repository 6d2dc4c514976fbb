//! TOTP state of sessions.

use crate::error::AppError;
use crate::records::own_session_key;
use portcullis_domain::access::{AccessDeniedError, Caller};
use portcullis_domain::api_session::{ApiSession, SessionTotp};
use portcullis_domain::clock::Timestamp;
use portcullis_storage::tables::RowsMut;

/// Records that a code was accepted on the caller's session.
pub(crate) fn record_totp_pass(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    now: Timestamp,
) -> Result<(), AppError> {
    update_totp(rows, caller, |totp| {
        totp.passed_at = Some(now);
        totp.factor_at = Some(now);
    })
}

/// Records that the caller enrolled through its session. This is no proof of a factor, since the
/// secret was shown through the same session.
pub(crate) fn record_totp_enrollment(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    now: Timestamp,
) -> Result<(), AppError> {
    update_totp(rows, caller, |totp| {
        totp.is_required = true;
        totp.passed_at = Some(now);
    })
}

fn update_totp(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    apply: impl FnOnce(&mut SessionTotp),
) -> Result<(), AppError> {
    let key = own_session_key(caller);
    let before: ApiSession = rows.rows().get(&key)?.ok_or(AccessDeniedError)?;
    let mut after = before.clone();
    apply(&mut after.totp);
    Ok(rows.replace(&key, &before, &after)?)
}
