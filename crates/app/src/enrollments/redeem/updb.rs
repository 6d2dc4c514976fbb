//! Method `updb`: the client chooses a password.

use super::RedemptionResult;
use crate::app::App;
use crate::authenticators::CredentialDraft;
use crate::error::AppError;
use crate::new_password::NewPassword;
use portcullis_domain::FieldError;
use portcullis_domain::identity::Identity;
use portcullis_domain::peer::Peer;
use portcullis_storage::tables::Found;
use secrecy::{ExposeSecret as _, SecretString};

/// Hashes the password chosen by the client.
pub(super) async fn hash_password(
    app: &App,
    identity: &Found<Identity>,
    username: &str,
    password: Option<SecretString>,
) -> Result<(CredentialDraft, RedemptionResult), AppError> {
    let password = password
        .filter(|password| !password.expose_secret().is_empty())
        .ok_or_else(|| FieldError::new("password", "is required", "<nil>"))?;
    // The holder of the token acts for the identity.
    let peer = Peer::Identity(identity.root_number());
    let password = NewPassword::prepare(app, peer, &identity.entity, password).await?;
    let username = username.to_owned();
    let redeemed = RedemptionResult::Username(username.clone());
    Ok((CredentialDraft::Updb { username, password }, redeemed))
}
