//! Tokens of sessions, sealed in their records.
//!
//! Requests are recognized by a keyed hash of the token alone. Routers are told the tokens
//! themselves, also after a restart of the controller.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::api_session::{ApiSession, SealedToken};
use portcullis_storage::key::RecordKey;
use secrecy::SecretString;

/// Name of the sealed field.
const FIELD: &str = "token";

/// Seals the token of the session with this key.
pub(super) fn seal_token(
    app: &App,
    session: &RecordKey,
    token: &str,
) -> Result<SealedToken, AppError> {
    let sealed = app.vault.seal(session, FIELD, token.as_bytes())?;
    Ok(SealedToken(sealed))
}

/// The token of the session with this key; `None` if it is not recorded.
pub(super) fn open_token(
    app: &App,
    key: &RecordKey,
    session: &ApiSession,
) -> Result<Option<SecretString>, AppError> {
    let sealed = session.token.as_ref();
    let opened = sealed.map(|sealed| app.vault.open_text(key, FIELD, &sealed.0));
    Ok(opened.transpose()?)
}
