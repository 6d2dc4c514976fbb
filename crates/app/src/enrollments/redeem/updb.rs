//! Username: the client chooses a password.

use super::Redeemed;
use crate::app::App;
use crate::authenticators::Draft;
use crate::error::AppError;
use crate::password::NewPassword;
use portcullis_domain::FieldError;
use portcullis_domain::identity::Identity;
use portcullis_domain::peer::Peer;
use portcullis_storage::tables::Found;
use secrecy::{ExposeSecret as _, SecretString};

/// Hashes the password that a client has chosen.
pub(super) async fn choose(
    app: &App,
    identity: &Found<Identity>,
    username: &str,
    password: Option<SecretString>,
) -> Result<(Draft, Redeemed), AppError> {
    let password = password
        .filter(|password| !password.expose_secret().is_empty())
        .ok_or_else(|| FieldError::new("password", "is required", "<nil>"))?;
    // Whoever has the token has proved whom it acts for.
    let peer = Peer::Identity(identity.root_number());
    let password = NewPassword::prepare(app, peer, &identity.entity, password).await?;
    let username = username.to_owned();
    let redeemed = Redeemed::Username(username.clone());
    Ok((Draft::Updb { username, password }, redeemed))
}
