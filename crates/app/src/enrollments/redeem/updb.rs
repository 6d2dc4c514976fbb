//! Username: the client chooses a password.

use super::{Earned, Redeemed};
use crate::app::App;
use crate::error::AppError;
use crate::identities::find_policy;
use portcullis_domain::FieldError;
use portcullis_domain::authenticator::{Credential, UpdbCredential};
use portcullis_domain::entropy;
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
    let policy = find_policy(app.snapshot()?.rows(), &identity.spec.auth_policy)?
        .ok_or_else(|| AppError::not_found("authPolicy", identity.spec.auth_policy.as_str()))?;
    policy
        .entity
        .primary
        .updb
        .check_password(password.expose_secret())?;
    let salt = entropy::bytes(&*app.env().entropy)?;
    let password = app.passwords.hash(password, salt).await?;
    let credential = UpdbCredential {
        username: username.to_owned(),
        password,
    };
    Ok(Earned::by_itself(
        Credential::Updb(credential),
        Redeemed::Username(username.to_owned()),
    ))
}
