//! The keys that tokens are verified with, across restarts and renewals of the server certificate.
//!
//! They stay as long as access, refresh and ID tokens last. Tokens for routers say that they are
//! good for longer; clients ask for them anew with each connection, by the key of that time.

use crate::app::App;
use crate::error::AppError;
use crate::network::VerificationKey;
use portcullis_domain::clock;
use portcullis_pki::{certificates_from_pem, certificates_to_pem};
use portcullis_storage::tables::{RowsMut, StoredSigningKey};

/// Records the key that signs now, and dates the end of the others. Has to run after each start and
/// each renewal of the server certificate; otherwise it changes nothing.
pub async fn update(app: &App) -> Result<(), AppError> {
    let now = app.env().now();
    let served = app.network().serving_state();
    let current = StoredSigningKey {
        kid: served.jwt_signer.key_id().to_string(),
        certificate: certificates_to_pem([&served.controller.certificate]),
        expires_at: None,
    };
    let end = clock::saturating_add(now, app.settings().max_token_lifetime);
    let succeed = move |mut keys: Vec<StoredSigningKey>| {
        keys.retain(|key| key.kid != current.kid && key.expires_at.is_none_or(|end| now < end));
        for key in &mut keys {
            key.expires_at.get_or_insert(end);
        }
        keys.push(current.clone());
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
    let retired = after.iter().filter(|key| key.expires_at.is_some());
    app.network()
        .set_retired_keys(retired.filter_map(load).collect());
    Ok(())
}

fn load(stored: &StoredSigningKey) -> Option<VerificationKey> {
    let certificates = certificates_from_pem(&stored.certificate).ok()?;
    VerificationKey::of_certificate(certificates.first()?, stored.expires_at)
}

#[cfg(test)]
mod tests;
