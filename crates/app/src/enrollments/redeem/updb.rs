//! Username: the client chooses a password.

use super::Redeemed;
use crate::app::App;
use crate::authenticators::Draft;
use crate::error::AppError;
use crate::password::NewPassword;
use portcullis_domain::FieldError;
use portcullis_domain::identity::Identity;
use secrecy::{ExposeSecret as _, SecretString};

/// Hashes the password that a client has chosen.
pub(super) async fn choose(
    app: &App,
    identity: &Identity,
    username: &str,
    password: Option<SecretString>,
) -> Result<(Draft, Redeemed), AppError> {
    let password = password
        .filter(|password| !password.expose_secret().is_empty())
        .ok_or_else(|| FieldError::new("password", "password in body is required", "<nil>"))?;
    let password = NewPassword::prepare(app, identity, password).await?;
    let username = username.to_owned();
    let redeemed = Redeemed::Username(username.clone());
    Ok((Draft::Updb { username, password }, redeemed))
}
