//! Bearer tokens of external signers: issuer, verification and holder.

use crate::app::App;
use portcullis_domain::ids::SignerId;
use portcullis_domain::signer::Signer;
use portcullis_pki::external::{ClaimSelector, Claims, ClaimsError, PresentedToken};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, SIGNER, UniqueIndex, UniqueValue};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Maximum number of tokens of a request.
const MAX_TOKENS: usize = 3;

/// Maximum number of signers in a challenge, which has to fit into a header.
const MAX_SIGNERS: usize = 32;

/// The bearer tokens of a request in order; those beyond the third are ignored.
#[derive(Clone, Copy, Default)]
pub struct BearerTokens<'t>([Option<&'t str>; MAX_TOKENS]);

impl<'t> BearerTokens<'t> {
    pub fn new(tokens: impl IntoIterator<Item = &'t str>) -> Self {
        let mut tokens = tokens.into_iter();
        Self(std::array::from_fn(|_| tokens.next()))
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'t str> {
        self.0.into_iter().flatten()
    }
}

/// Shows how many there are.
impl fmt::Debug for BearerTokens<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.iter().count();
        f.debug_tuple("BearerTokens").field(&number).finish()
    }
}

/// Why the tokens of a request are not accepted; of several reasons the greatest is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BearerTokenError {
    /// No token of an accepted signer, or none that authenticates anybody.
    Missing,
    /// A token of such a signer is invalid.
    Invalid,
    /// A token of such a signer has expired.
    Expired,
}

/// Challenge for a client that lacks a valid token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenChallenge {
    pub error: BearerTokenError,
    /// Signers whose tokens are accepted.
    pub signers: Vec<AcceptedSigner>,
}

/// A signer whose tokens are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedSigner {
    pub id: SignerId,
    pub issuer: String,
}

impl From<&Signer> for AcceptedSigner {
    fn from(signer: &Signer) -> Self {
        Self {
            id: signer.id.clone(),
            issuer: signer.spec.settings.issuer.clone(),
        }
    }
}

impl TokenChallenge {
    /// Challenge for a token of any enabled signer.
    pub(crate) fn for_all_signers(
        rows: Rows<'_>,
        error: BearerTokenError,
    ) -> Result<Self, StoreError> {
        let mut signers = Vec::new();
        rows.for_each_in::<Signer>(&RecordKey::all(SIGNER), &mut |found| {
            if found.entity.spec.settings.enabled {
                signers.push(AcceptedSigner::from(&found.entity));
            }
            Ok(if signers.len() < MAX_SIGNERS {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        Ok(Self { error, signers })
    }

    /// Challenge for a token of one signer; without signers if that is disabled.
    pub(crate) fn for_signer(signer: &Signer, error: BearerTokenError) -> Self {
        let is_enabled = signer.spec.settings.enabled;
        Self {
            error,
            signers: is_enabled.then(|| signer.into()).into_iter().collect(),
        }
    }
}

/// Parses a token; `None` if it is malformed.
pub(crate) fn parse_token(text: &str) -> Option<PresentedToken<'_>> {
    PresentedToken::parse(text)
        .inspect_err(|error| tracing::debug!(%error, "a bearer token cannot be read"))
        .ok()
}

/// Finds the enabled signer that a token names as its issuer. Nothing else identifies the signer.
pub(crate) fn find_issuer(
    rows: Rows<'_>,
    token: &PresentedToken<'_>,
) -> Result<Option<Found<Arc<Signer>>>, StoreError> {
    let Some(issuer) = token.claimed_issuer() else {
        return Ok(None);
    };
    let found: Option<Found<Arc<Signer>>> =
        rows.find_shared(&UniqueValue::new(UniqueIndex::SignerIssuer, issuer))?;
    Ok(found.filter(|found| found.entity.spec.settings.enabled))
}

/// A verified token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VerifiedToken<'t> {
    pub(crate) claims: &'t Claims,
    /// The claim that identifies the holder.
    pub(crate) holder: &'t str,
}

/// Verifies a token with the keys and requirements of a signer.
pub(crate) async fn verify_token<'t>(
    app: &App,
    signer: &Signer,
    token: &'t PresentedToken<'_>,
) -> Result<VerifiedToken<'t>, BearerTokenError> {
    let refuse = |reason: &dyn fmt::Display| {
        tracing::debug!(signer = signer.id.as_str(), %reason, "a bearer token is refused");
        BearerTokenError::Invalid
    };
    let key_id = token.key_id().ok_or_else(|| refuse(&"it names no key"))?;
    let keys = app
        .signer_keys
        .keys_for(signer, key_id, &app.env.clock)
        .await;
    let claims = token
        .verify(keys.candidates(key_id))
        .map_err(|error| refuse(&error))?;
    let settings = &signer.spec.settings;
    claims
        .validate(&settings.issuer, &settings.audience, app.env.now())
        .map_err(|error| match error {
            ClaimsError::Expired => BearerTokenError::Expired,
            error => refuse(&error),
        })?;
    if app.settings().require_token_expiry && claims.expires_at().is_none() {
        return Err(refuse(&"it has no `exp`, so it would never expire"));
    }
    let selector =
        ClaimSelector::parse(&settings.claims_property).map_err(|error| refuse(&error))?;
    let holder = claims.text(&selector).map_err(|error| refuse(&error))?;
    Ok(VerifiedToken { claims, holder })
}

#[cfg(test)]
mod tests;
