//! Login with a token of an external signer.

use super::{Login, LoginError, NewSession, Way, open};
use crate::app::App;
use crate::signers::{self, Demand, TokenFault};
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::ExtensionRequest;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::Number;
use portcullis_domain::signer::{Signer, SignerSpec};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Index, Rows, RowsMut, UniqueValue, WriteError};
use std::sync::Arc;

/// Logs in with the first of the tokens that lets anybody in.
///
/// # Errors
///
/// [`LoginError::NoToken`] when none does. A token of nobody, of somebody who is shut out and of
/// somebody whose policy refuses it are answered alike.
pub async fn with_token(
    app: &App,
    origin: &Origin,
    login: Login,
) -> Result<NewSession, LoginError> {
    let mut worst = TokenFault::Missing;
    for text in login.tokens.iter() {
        let way = match Token::judge(app, text).await? {
            Ok(way) => way,
            Err(fault) => {
                worst = worst.max(fault);
                continue;
            },
        };
        match open(app, origin, way, login.clone()).await {
            Err(LoginError::Refused(reason)) => tracing::debug!(reason, "a token lets nobody in"),
            outcome => return outcome,
        }
    }
    let view = app.snapshot().map_err(LoginError::Failed)?;
    Err(LoginError::NoToken(Demand::of_all(view.rows(), worst)?))
}

/// A token that an enabled signer has signed, and which names an identity.
#[derive(Clone)]
struct Token {
    signer: Found<Arc<Signer>>,
    /// What the token says of whom it is for.
    holder: String,
    identity: Number,
}

impl Token {
    async fn judge(app: &App, text: &str) -> Result<Result<Self, TokenFault>, LoginError> {
        let Some(token) = signers::read_token(text) else {
            return Ok(Err(TokenFault::Missing));
        };
        let issued_by = {
            let view = app.snapshot().map_err(LoginError::Failed)?;
            signers::issued_by(view.rows(), &token)?
        };
        let Some(signer) = issued_by else {
            return Ok(Err(TokenFault::Missing));
        };
        let holder = match signers::judge(app, &signer.entity, &token).await {
            Ok(judged) => judged.holder.to_owned(),
            Err(fault) => return Ok(Err(fault)),
        };
        let view = app.snapshot().map_err(LoginError::Failed)?;
        let identity = find_holder(view.rows(), &signer.entity.spec, &holder)?;
        Ok(identity.ok_or(TokenFault::Missing).map(|identity| Self {
            signer,
            holder,
            identity,
        }))
    }
}

/// Finds the identity that a token names.
fn find_holder(
    rows: Rows<'_>,
    spec: &SignerSpec,
    holder: &str,
) -> Result<Option<Number>, StoreError> {
    let index = if spec.use_external_id {
        Index::IdentityExternalId
    } else {
        Index::IdentityId
    };
    let found: Option<Found<Identity>> = rows.find(&UniqueValue::new(index, holder))?;
    Ok(found.map(|found| found.number()))
}

impl Way for Token {
    fn identity(&self) -> Number {
        self.identity
    }

    fn opened_by(&self) -> OpenedBy {
        OpenedBy::Signer(self.signer.entity.id.clone())
    }

    fn recheck(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError> {
        // One that changed is as good as another: its token would have to be judged again.
        let current: Option<Signer> = rows.get(&self.signer.key)?;
        if current.as_ref() != Some(&self.signer.entity) {
            Err(LoginError::Refused("the signer changed meanwhile"))
        } else if signers::is_holder(&self.signer.entity.spec, identity, &self.holder) {
            Ok(())
        } else {
            Err(LoginError::Refused("the token names somebody else now"))
        }
    }

    fn admit(&self, policy: &AuthPolicy, _now: Timestamp) -> Result<(), LoginError> {
        if policy.primary.ext_jwt.admits(&self.signer.entity.id) {
            Ok(())
        } else {
            Err(LoginError::Refused(
                "the policy does not allow tokens of the signer",
            ))
        }
    }

    fn settle(
        &self,
        _rows: &mut RowsMut<'_>,
        _identity: &mut Identity,
        session: &mut ApiSession,
    ) -> Result<Option<ExtensionRequest>, WriteError> {
        session.terms = Some(self.signer.entity.terms);
        Ok(None)
    }
}
