//! The keys that tokens are verified with, across restarts and renewals of the server certificate.
//!
//! They stay as long as tokens last. Those of sessions do so for hours; those of service sessions for
//! a year, and they open nothing but what a record says. So a key is published for longer than it
//! vouches for sessions: whoever stole it can forge one for hours only.

use crate::app::App;
use crate::error::AppError;
use crate::network::{KeyRetirement, VerificationKey};
use portcullis_domain::clock;
use portcullis_oidc::claims::ServiceSessionClaims;
use portcullis_pki::{certificates_from_pem, certificates_to_pem};
use portcullis_storage::tables::{RowsMut, StoredSigningKey};

/// Most keys that are kept; the oldest go. With a new key each week that is more than a year.
const MAX_KEYS: usize = 64;

/// Records the key that signs now, and dates the end of the others. Has to run after each start and
/// each renewal of the server certificate; otherwise it changes nothing.
pub async fn update(app: &App) -> Result<(), AppError> {
    let now = app.env().now();
    let served = app.network().serving_state();
    let current = StoredSigningKey {
        kid: served.jwt_signer.key_id().to_string(),
        certificate: certificates_to_pem([&served.controller.certificate]),
        expires_at: None,
        session_tokens_expire_at: None,
    };
    let session_tokens = app.settings().max_token_lifetime;
    // Tokens about TOTP have no end. They count for a session, and hardly one lasts that long.
    let longest = ServiceSessionClaims::LIFETIME.max(session_tokens);
    let end_of = |lifetime| clock::saturating_add(now, lifetime);
    let (session_tokens, all_tokens) = (end_of(session_tokens), end_of(longest));
    let succeed = move |mut keys: Vec<StoredSigningKey>| {
        keys.retain(|key| key.kid != current.kid && key.expires_at.is_none_or(|end| now < end));
        for key in keys.iter_mut().filter(|key| key.expires_at.is_none()) {
            key.expires_at = Some(all_tokens);
            key.session_tokens_expire_at = Some(session_tokens);
        }
        keys.push(current.clone());
        keys.drain(..keys.len().saturating_sub(MAX_KEYS));
        keys
    };
    let before = app.snapshot()?.rows().signing_keys()?;
    let mut after = succeed(before.clone());
    if after != before {
        after = app
            .commit_unaudited(move |rows: &mut RowsMut<'_>| {
                let after = succeed(rows.rows().signing_keys()?);
                rows.put_signing_keys(&after)?;
                Ok::<_, AppError>(after)
            })
            .await?;
    }
    app.network()
        .set_retired_keys(after.iter().filter_map(load_retired).collect());
    Ok(())
}

/// The key of an earlier certificate; `None` if it is the one that signs.
fn load_retired(stored: &StoredSigningKey) -> Option<VerificationKey> {
    let all_tokens = stored.expires_at?;
    let retirement = KeyRetirement {
        session_tokens: stored.session_tokens_expire_at.unwrap_or(all_tokens),
        all_tokens,
    };
    let certificates = certificates_from_pem(&stored.certificate).ok()?;
    VerificationKey::of_certificate(certificates.first()?, retirement)
}

#[cfg(test)]
mod tests;
