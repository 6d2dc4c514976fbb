//! Bootstrap: the default auth policy and the first administrator.

use crate::app::App;
use crate::authenticators;
use crate::configs;
use crate::error::AppError;
use crate::new_password::NewPassword;
use crate::records::find_policy;
use crate::signing_keys;
use portcullis_domain::FieldError;
use portcullis_domain::audit::Actor;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential, UpdbCredential};
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{AuthenticatorId, IdentityId};
use portcullis_domain::peer::Peer;
use portcullis_domain::username::validate_username;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    AUTH_POLICY, AUTHENTICATOR, Found, IDENTITY, UniqueIndex, UniqueValue, identity_key,
};
use secrecy::SecretString;

/// Creates the default auth policy and the built-in config types, unless they exist, and records the
/// key that signs tokens.
pub async fn ensure_defaults(app: &App) -> Result<(), AppError> {
    let policy = AuthPolicy::default_policy(app.env().now());
    let number = app.next_number(AUTH_POLICY);
    let store_created_at = app
        .commit(Actor::controller(), move |rows| {
            if let Some(found) = find_policy(rows.rows(), &policy.id)? {
                return Ok(found.entity.created_at);
            }
            rows.insert(&RecordKey::root(AUTH_POLICY, number.0), &policy)?;
            Ok::<_, AppError>(policy.created_at)
        })
        .await?;
    // Only the first call sets it; later ones would set the same value.
    let _ = app.store_created_at.set(store_created_at);
    configs::ensure_built_in(app).await?;
    signing_keys::update(app).await
}

/// Whether the first administrator exists.
pub fn exists(app: &App) -> Result<bool, AppError> {
    let mark = UniqueValue::new(UniqueIndex::DefaultAdministrator, "");
    Ok(app.snapshot()?.rows().find::<Identity>(&mark)?.is_some())
}

/// Creates the first administrator; of concurrent calls only one succeeds.
///
/// # Errors
///
/// [`AppError::AlreadyInitialized`] when there is one; [`AppError::Field`] for a username or
/// password of invalid length.
pub async fn initialize(
    app: &App,
    username: &str,
    password: SecretString,
) -> Result<IdentityId, AppError> {
    if !(4..=100).contains(&username.chars().count()) {
        let reason = "must be 4 to 100 characters long";
        return Err(FieldError::new("username", reason, username).into());
    }
    validate_username("username", username)?;
    let now = app.env().now();
    if exists(app)? {
        return Err(AppError::AlreadyInitialized);
    }
    let mut spec = IdentitySpec::named(IdentityName::new(username)?);
    spec.is_admin = true;
    let id = IdentityId::generate(&*app.env().entropy)?;
    let mut identity = Identity::new(id.clone(), spec, now);
    identity.is_default_admin = true;
    let password = NewPassword::prepare(app, Peer::CONTROLLER, &identity, password).await?;
    let hash = password.finalize(app.snapshot()?.rows(), &identity)?;
    let credential = Credential::Updb(UpdbCredential::new(username, hash));
    let authenticator = Authenticator::new(
        AuthenticatorId::generate(&*app.env().entropy)?,
        id.clone(),
        credential,
        now,
    );
    let (root, number) = (app.next_number(IDENTITY), app.next_number(AUTHENTICATOR));
    app.commit(Actor::controller(), move |rows| {
        let key = identity_key(root);
        rows.insert(&key, &identity)?;
        let entity = identity.clone();
        authenticators::insert(rows, &Found { key, entity }, number, &authenticator)
    })
    .await?;
    Ok(id)
}
