//! Signed tokens of the controller: signing, and verification by its own keys.
//!
//! What is verified here is the signature and the type of a token, which never change, so the
//! verdict on an access token is remembered. Whether it still counts is decided anew each time.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_oidc::algorithm::SigningAlgorithm;
use portcullis_oidc::claims::{AccessClaims, Validation};
use portcullis_oidc::issuer::Issuers;
use portcullis_pki::jwt;
use secrecy::SecretString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A text is no token of the wanted type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnverifiedError {
    /// It is no token, or one that names no key of this controller.
    #[error("the token was not signed by this controller")]
    Foreign,
    /// It names a key of this controller, but its signature is wrong or it is of another type.
    #[error("the token is damaged or of another type")]
    Invalid,
}

/// Signs claims with the key of the server certificate.
pub(crate) fn sign(app: &App, claims: &impl Serialize) -> Result<SecretString, AppError> {
    let signer = &app.network().serving_state().jwt_signer;
    let token = signer.sign(claims).map_err(AppError::internal)?;
    Ok(token.into())
}

/// The algorithm that [`sign`] uses.
pub(crate) fn signing_algorithm(app: &App) -> Result<SigningAlgorithm, AppError> {
    let name = app.network().serving_state().jwt_signer.algorithm();
    SigningAlgorithm::from_name(name).ok_or_else(|| AppError::internal("unknown algorithm"))
}

/// Verifies the signature and the type of a token.
pub(crate) fn verify<C: DeserializeOwned>(app: &App, token: &str) -> Result<C, UnverifiedError> {
    let kid = jwt::key_id(token).ok().flatten();
    let kid = kid.ok_or(UnverifiedError::Foreign)?;
    let key = app.network().verification_key(&kid, app.env().now());
    let key = key.ok_or(UnverifiedError::Foreign)?;
    jwt::verify(token, &key).map_err(|error| {
        tracing::debug!(%error, "a token is refused");
        UnverifiedError::Invalid
    })
}

/// Like [`verify`], for an access token.
pub(crate) fn verify_access(app: &App, token: &str) -> Result<Arc<AccessClaims>, UnverifiedError> {
    if let Some(claims) = app.verified_tokens.find(&app.vault, token) {
        return Ok(claims);
    }
    let claims = Arc::new(verify::<AccessClaims>(app, token)?);
    app.verified_tokens.insert(&app.vault, token, &claims);
    Ok(claims)
}

/// What the claims of a token of this controller are judged by, whoever its client is.
pub(crate) fn validation(issuers: &Issuers, now: Timestamp) -> Validation<'_> {
    Validation {
        issuers,
        client: None,
        now,
        leeway: SignedDuration::ZERO,
    }
}
