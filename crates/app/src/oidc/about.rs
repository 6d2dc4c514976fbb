//! What anybody may know of the keys, and a client of its tokens.

use crate::app::App;
use crate::error::AppError;
use crate::sessions;
use crate::tokens;
use portcullis_domain::oidc_session::OidcClient;
use portcullis_oidc::claims::AccessClaims;
use portcullis_oidc::introspection::Introspection;
use portcullis_oidc::jwks::{Curve, Jwk, JwkSet};
use portcullis_oidc::token_response::UserInfo;
use portcullis_pki::{PublicKeyComponents, PublicKeyKind};
use std::sync::Arc;

/// The keys that tokens are verified with.
pub fn key_set(app: &App) -> JwkSet {
    let keys = app.network().verification_keys(app.env().now());
    let jwk = |kid: &str, kind, components| match components {
        PublicKeyComponents::Rsa { modulus, exponent } => Some(Jwk::rsa(kid, modulus, exponent)),
        PublicKeyComponents::Ec { x, y } => Some(Jwk::ec(kid, curve(kind)?, x, y)),
    };
    let keys = keys
        .iter()
        .filter_map(|one| jwk(&one.kid, one.key.kind(), one.key.components()?))
        .collect();
    JwkSet { keys }
}

fn curve(kind: PublicKeyKind) -> Option<Curve> {
    match kind {
        PublicKeyKind::P256 => Some(Curve::P256),
        PublicKeyKind::P384 => Some(Curve::P384),
        PublicKeyKind::P521 => Some(Curve::P521),
        PublicKeyKind::Rsa { .. } | PublicKeyKind::Ed25519 => None,
    }
}

/// What an access token lets its client know of its user; `None` if the token does not count, or
/// not for that.
pub fn user_info(
    app: &App,
    token: &str,
    certificates: &[&[u8]],
) -> Result<Option<UserInfo>, AppError> {
    let Ok(claims) = tokens::verify_access(app, token) else {
        return Ok(None);
    };
    let live = sessions::find_session(app, &claims, certificates)?.ok();
    Ok(live.and_then(|live| UserInfo::new(&claims.session, live.identity.entity.name())))
}

/// Whether an access token counts, for the client that it was issued to (RFC 7662).
pub fn introspect(
    app: &App,
    token: &str,
    oidc_client: OidcClient,
    certificates: &[&[u8]],
) -> Result<Introspection, AppError> {
    let claims: Arc<AccessClaims> = match tokens::verify_access(app, token) {
        Ok(claims) if claims.session.client_id == oidc_client => claims,
        Ok(_) | Err(_) => return Ok(Introspection::inactive()),
    };
    let live = sessions::find_session(app, &claims, certificates)?;
    Ok(match live {
        Ok(_) => Introspection::active(&claims),
        Err(_) => Introspection::inactive(),
    })
}
