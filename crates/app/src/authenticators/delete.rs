//! Deletion of authenticators.

use super::update::check_not_own_password;
use super::{Delete, find, remove};
use crate::app::App;
use crate::error::AppError;
use crate::privilege::CredentialGuard;
use crate::records::get_owner;
use crate::session_revocation::SessionRevocation;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::AuthenticatorId;

/// Deletes an authenticator. The sessions that it opened have ended when this returns.
pub async fn delete(
    app: &App,
    permit: &Permit<Delete>,
    id: &AuthenticatorId,
) -> Result<(), AppError> {
    let (wanted, credential_guard) = (id.clone(), CredentialGuard::new(app));
    let revocation = SessionRevocation::new(app);
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), &wanted)?;
        // Otherwise a new password could be set without the current one.
        check_not_own_password(caller, &found.entity)?;
        credential_guard.check(caller, &get_owner(rows.rows(), &found)?.entity)?;
        remove(rows, &found, &revocation)
    })
    .await?;
    Ok(())
}
