//! Tokens of external signers that a request brings along: which signer is meant, whether they are
//! good, whom they name.

use crate::app::App;
use portcullis_domain::ids::SignerId;
use portcullis_domain::signer::Signer;
use portcullis_pki::external::{ClaimSelector, Claims, ClaimsError, PresentedToken};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Index, Rows, SIGNER, UniqueValue};
use secrecy::{ExposeSecret as _, SecretString};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The most tokens of a request that are looked at.
const MOST_TOKENS: usize = 3;

/// The most signers that a refusal names: it has to fit into a header.
const MOST_SIGNERS: usize = 32;

/// The tokens that a request brings along, in their order; those beyond the third do not count.
#[derive(Debug, Clone, Default)]
pub struct BearerTokens(Vec<SecretString>);

impl BearerTokens {
    /// Takes the first of the tokens given.
    pub fn new<'t>(tokens: impl IntoIterator<Item = &'t str>) -> Self {
        let first = tokens.into_iter().take(MOST_TOKENS);
        Self(first.map(SecretString::from).collect())
    }

    /// The tokens.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(SecretString::expose_secret)
    }
}

/// What is wrong with the tokens of a request; of several faults, the last counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenFault {
    /// None is of a signer whose tokens count, or the one that is lets nobody in.
    Missing,
    /// One of such a signer is not good.
    Invalid,
    /// One of such a signer was good and has expired.
    Expired,
}

/// What a client is told that lacks a good token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// What is wrong with the tokens that it brought.
    pub fault: TokenFault,
    /// The signers of which a token would do.
    pub signers: Vec<DemandedSigner>,
}

/// A signer of which a token would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemandedSigner {
    /// Its id.
    pub id: SignerId,
    /// Its issuer.
    pub issuer: String,
}

impl From<&Signer> for DemandedSigner {
    fn from(signer: &Signer) -> Self {
        Self {
            id: signer.id.clone(),
            issuer: signer.spec.issuer.clone(),
        }
    }
}

impl Demand {
    /// Demands a token of any enabled signer.
    pub(crate) fn of_all(rows: Rows<'_>, fault: TokenFault) -> Result<Self, StoreError> {
        let mut signers = Vec::new();
        rows.each_in::<Signer>(&RecordKey::all(SIGNER), &mut |found| {
            if found.entity.spec.enabled {
                signers.push(DemandedSigner::from(&found.entity));
            }
            Ok(if signers.len() < MOST_SIGNERS {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        Ok(Self { fault, signers })
    }

    /// Demands a token of one signer, if that is enabled.
    pub(crate) fn of_one(signer: &Signer, fault: TokenFault) -> Self {
        let is_enabled = signer.spec.enabled;
        Self {
            fault,
            signers: is_enabled.then(|| signer.into()).into_iter().collect(),
        }
    }
}

/// Takes a token apart; `None` if it is none.
pub(crate) fn read_token(text: &str) -> Option<PresentedToken<'_>> {
    PresentedToken::read(text)
        .inspect_err(|error| tracing::debug!(%error, "a bearer token cannot be read"))
        .ok()
}

/// Finds the enabled signer that a token names as its issuer. Nothing else says whose it is.
pub(crate) fn issued_by(
    rows: Rows<'_>,
    token: &PresentedToken<'_>,
) -> Result<Option<Found<Arc<Signer>>>, StoreError> {
    let Some(issuer) = token.claimed_issuer() else {
        return Ok(None);
    };
    let found: Option<Found<Arc<Signer>>> =
        rows.find_shared(&UniqueValue::new(Index::SignerIssuer, issuer))?;
    Ok(found.filter(|found| found.entity.spec.enabled))
}

/// A good token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judged<'t> {
    /// What it claims.
    pub(crate) claims: &'t Claims,
    /// Whom it names.
    pub(crate) holder: &'t str,
}

/// Judges a token by the keys and demands of a signer.
pub(crate) async fn judge<'t>(
    app: &App,
    signer: &Signer,
    token: &'t PresentedToken<'_>,
) -> Result<Judged<'t>, TokenFault> {
    let refuse = |reason: &dyn std::fmt::Display| {
        tracing::debug!(signer = signer.id.as_str(), %reason, "a bearer token is refused");
        TokenFault::Invalid
    };
    let key_id = token.key_id().ok_or_else(|| refuse(&"it names no key"))?;
    let keys = app.signer_keys.of(signer, key_id, &app.env.clock).await;
    let claims = token
        .verify(keys.candidates(key_id))
        .map_err(|error| refuse(&error))?;
    let spec = &signer.spec;
    claims
        .check(&spec.issuer, &spec.audience, app.env.now())
        .map_err(|error| match error {
            ClaimsError::Expired => TokenFault::Expired,
            error => refuse(&error),
        })?;
    if app.settings().require_token_expiry && claims.expires_at().is_none() {
        return Err(refuse(&"it has no `exp`, so it would never expire"));
    }
    let selector = ClaimSelector::parse(&spec.claims_property).map_err(|error| refuse(&error))?;
    let holder = claims.text(&selector).map_err(|error| refuse(&error))?;
    Ok(Judged { claims, holder })
}
