//! Bearer tokens as second factor: verified with every request.

use crate::app::App;
use crate::error::AppError;
use crate::records::{find_enabled_signer, is_holder};
use crate::signers::{self, BearerTokenError, BearerTokens};
use portcullis_domain::access::SecondFactorToken;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::identity::Identity;

/// Whether a request meets the requirement of a token as second factor.
#[derive(Debug)]
pub(super) enum TokenRequirement {
    /// The policy requires none.
    NotRequired,
    Met(SecondFactorToken),
    /// None of its tokens is accepted.
    Unmet(BearerTokenError),
}

impl TokenRequirement {
    pub(super) fn into_token(self) -> Option<SecondFactorToken> {
        match self {
            Self::Met(token) => Some(token),
            Self::NotRequired | Self::Unmet(_) => None,
        }
    }

    /// What is wrong, in case the requirement is not met. A policy that changed in the meantime may
    /// require a token of another signer, which nobody has looked for.
    pub(super) fn fault(&self) -> BearerTokenError {
        match self {
            Self::NotRequired | Self::Met(_) => BearerTokenError::Missing,
            Self::Unmet(fault) => *fault,
        }
    }
}

/// Looks for a valid token of the signer that the policy requires. It has to name this identity.
///
/// Without such a requirement, tokens are not even parsed.
pub(super) async fn verify(
    app: &App,
    identity: &Identity,
    policy: &AuthPolicy,
    tokens: BearerTokens<'_>,
) -> Result<TokenRequirement, AppError> {
    let Some(id) = &policy.spec.secondary.require_ext_jwt_signer else {
        return Ok(TokenRequirement::NotRequired);
    };
    let found = {
        let view = app.snapshot()?;
        find_enabled_signer(view.rows(), id)?
    };
    let Some(signer) = found.map(|found| found.entity) else {
        return Ok(TokenRequirement::Unmet(BearerTokenError::Missing));
    };
    let mut worst = BearerTokenError::Missing;
    for token in tokens.iter().filter_map(signers::parse_token) {
        if token.claimed_issuer() != Some(&signer.spec.settings.issuer) {
            continue;
        }
        let fault = match signers::verify_token(app, &signer, &token).await {
            Ok(judged) if is_holder(&signer.spec.settings, identity, judged.holder) => {
                return Ok(TokenRequirement::Met(SecondFactorToken {
                    holder: judged.holder.to_owned(),
                    signer: signer.id.clone(),
                    terms: signer.spec.terms,
                }));
            },
            Ok(_) => BearerTokenError::Invalid,
            Err(fault) => fault,
        };
        worst = worst.max(fault);
    }
    Ok(TokenRequirement::Unmet(worst))
}
