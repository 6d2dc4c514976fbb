//! Deleting authenticators.

use super::update::check_not_own_password;
use super::{Delete, find, remove};
use crate::app::App;
use crate::error::AppError;
use crate::identities::owner;
use crate::rank::WaysIn;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::AuthenticatorId;

/// Deletes an authenticator. It lets nobody in from then on, and the sessions that it opened are
/// over when this returns.
pub async fn delete(
    app: &App,
    permit: &Permit<Delete>,
    id: &AuthenticatorId,
) -> Result<(), AppError> {
    let (wanted, ways_in) = (id.clone(), WaysIn::of(app));
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), &wanted)?;
        // Once it is gone, another one is set without the current password.
        check_not_own_password(caller, &found.entity)?;
        ways_in.check(caller, &owner(rows.rows(), &found)?.entity)?;
        remove(rows, &found)
    })
    .await?;
    Ok(())
}
