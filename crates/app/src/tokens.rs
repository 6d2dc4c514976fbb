//! Signed tokens of the controller: signing, and verification by its own keys.
//!
//! What is verified here is the signature and the type of a token, which never change, so the
//! verdicts on access tokens and on those of service sessions are remembered. Whether it still counts is decided anew each time.

use crate::app::App;
use crate::error::AppError;
use crate::network::TokenUse;
use crate::verified_tokens::VerifiedTokens;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_oidc::algorithm::SigningAlgorithm;
use portcullis_oidc::claims::{AccessClaims, ServiceSessionClaims, Validation};
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

/// Whether a text claims to be a signed token: the JSON object of its header begins so in base64.
pub(crate) fn is_signed(text: &str) -> bool {
    text.starts_with("ey")
}

/// Verifies the signature and the type of a token that stands for a session.
pub(crate) fn verify<C: DeserializeOwned>(app: &App, token: &str) -> Result<C, UnverifiedError> {
    verify_as(app, token, TokenUse::Session)
}

/// Like [`verify`], for an access token.
pub(crate) fn verify_access(app: &App, token: &str) -> Result<Arc<AccessClaims>, UnverifiedError> {
    verify_once(app, &app.verified_tokens, token, TokenUse::Session)
}

/// Like [`verify`], for the token of a service session.
pub(crate) fn verify_service_session(
    app: &App,
    token: &str,
) -> Result<Arc<ServiceSessionClaims>, UnverifiedError> {
    verify_once(
        app,
        &app.verified_service_sessions,
        token,
        TokenUse::Service,
    )
}

fn verify_once<C: DeserializeOwned>(
    app: &App,
    verified: &VerifiedTokens<C>,
    token: &str,
    usage: TokenUse,
) -> Result<Arc<C>, UnverifiedError> {
    if let Some(claims) = verified.find(&app.vault, token) {
        return Ok(claims);
    }
    let claims = Arc::new(verify_as::<C>(app, token, usage)?);
    verified.insert(&app.vault, token, &claims);
    Ok(claims)
}

fn verify_as<C: DeserializeOwned>(
    app: &App,
    token: &str,
    usage: TokenUse,
) -> Result<C, UnverifiedError> {
    let kid = jwt::key_id(token).ok().flatten();
    let kid = kid.ok_or(UnverifiedError::Foreign)?;
    let key = app.network().verification_key(&kid, usage, app.env().now());
    let key = key.ok_or(UnverifiedError::Foreign)?;
    jwt::verify(token, &key).map_err(|error| {
        tracing::debug!(%error, "a token is refused");
        UnverifiedError::Invalid
    })
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
