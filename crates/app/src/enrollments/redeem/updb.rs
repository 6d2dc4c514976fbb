//! Username: the client chooses a password.

use super::{Earned, Redeemed};
use crate::app::App;
use crate::error::AppError;
use crate::password::NewPassword;
use portcullis_domain::FieldError;
use portcullis_domain::authenticator::{Credential, UpdbCredential};
use portcullis_domain::identity::Identity;
use secrecy::{ExposeSecret as _, SecretString};

/// Hashes the password that a client has chosen.
pub(super) async fn choose(
    app: &App,
    identity: &Identity,
    username: &str,
    password: Option<SecretString>,
) -> Result<Earned, AppError> {
    let password = password
        .filter(|password| !password.expose_secret().is_empty())
        .ok_or_else(|| FieldError::new("password", "password in body is required", "<nil>"))?;
    let password = NewPassword::prepare(app, identity, password).await?;
    let credential = UpdbCredential::new(username, password.hash().clone());
    let redeemed = Redeemed::Username(username.to_owned());
    Ok(Earned {
        password: Some(password),
        ..Earned::by_itself(Credential::Updb(credential), redeemed)
    })
}
