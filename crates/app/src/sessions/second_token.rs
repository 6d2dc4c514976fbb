//! The second factor that comes with every request: a token of a signer that the policy names.

use crate::app::App;
use crate::error::AppError;
use crate::signers::{self, BearerTokens, TokenFault};
use portcullis_domain::access::Proof;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::identity::Identity;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Rows;

/// Looks for a good token of the signer that a policy demands one of. It has to be of the very
/// identity: somebody else's token proves nothing.
///
/// Tokens are not even read when the policy demands none. `Ok(None)` then.
pub(super) async fn prove(
    app: &App,
    identity: &Identity,
    policy: &AuthPolicy,
    tokens: &BearerTokens,
) -> Result<Result<Option<Proof>, TokenFault>, AppError> {
    let Some(id) = &policy.secondary.require_ext_jwt_signer else {
        return Ok(Ok(None));
    };
    let found = {
        let view = app.snapshot()?;
        signers::find_enabled(view.rows(), id)?
    };
    let Some(signer) = found.map(|found| found.entity) else {
        return Ok(Err(TokenFault::Missing));
    };
    let mut worst = TokenFault::Missing;
    for token in tokens.iter().filter_map(signers::read_token) {
        if token.claimed_issuer() != Some(&signer.spec.issuer) {
            continue;
        }
        let fault = match signers::judge(app, &signer, &token).await {
            Ok(judged) if signers::is_holder(&signer.spec, identity, judged.holder) => {
                return Ok(Ok(Some(Proof {
                    holder: judged.holder.to_owned(),
                    signer: signer.id.clone(),
                    terms: signer.terms,
                })));
            },
            Ok(_) => TokenFault::Invalid,
            Err(fault) => fault,
        };
        worst = worst.max(fault);
    }
    Ok(Err(worst))
}

/// Whether a token that was found to be good still is, by the records as they are now: its signer
/// judges as it did, and it names this identity.
pub(super) fn holds(
    rows: Rows<'_>,
    identity: &Identity,
    proof: &Proof,
) -> Result<bool, StoreError> {
    let signer = signers::find_enabled(rows, &proof.signer)?;
    Ok(signer.is_some_and(|found| {
        found.entity.terms == proof.terms
            && signers::is_holder(&found.entity.spec, identity, &proof.holder)
    }))
}
