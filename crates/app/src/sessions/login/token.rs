//! Login with a token of an external signer.

use super::{AttemptEvent, LoginError, LoginRequest, NewSession, VerifiedCredential, open_session};
use crate::app::App;
use crate::records::is_holder;
use crate::signers::{self, BearerTokenError, TokenChallenge};
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::ExtensionRequest;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::signer::{Signer, SignerSettings};
use portcullis_events::Method;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, RowsMut, UniqueIndex, UniqueValue, WriteError};
use std::sync::Arc;

/// Logs in with the first token that is accepted.
///
/// # Errors
///
/// [`LoginError::NoToken`] when none is. Tokens of unknown and of disabled identities, and those
/// that a policy refuses, get the same response.
pub async fn with_token(
    app: &App,
    origin: &Origin,
    login: LoginRequest<'_>,
) -> Result<NewSession, LoginError> {
    let mut event = AttemptEvent::new(app, Method::ExtJwt);
    let outcome = attempt(app, origin, login, &mut event).await;
    event.publish(app, origin, &outcome);
    outcome
}

async fn attempt(
    app: &App,
    origin: &Origin,
    login: LoginRequest<'_>,
    event: &mut AttemptEvent,
) -> Result<NewSession, LoginError> {
    let mut worst = BearerTokenError::Missing;
    for text in login.tokens.iter() {
        let credential = match TokenLogin::verify(app, text).await? {
            Ok(login) => login,
            Err(fault) => {
                worst = worst.max(fault);
                continue;
            },
        };
        match open_session(app, origin, credential, login.clone(), event).await {
            Err(LoginError::Refused(reason)) => tracing::debug!(%reason, "token refused"),
            outcome => return outcome,
        }
    }
    let view = app.snapshot().map_err(LoginError::Failed)?;
    Err(LoginError::NoToken(TokenChallenge::for_all_signers(
        view.rows(),
        worst,
    )?))
}

/// A token that an enabled signer signed and that names an identity.
#[derive(Clone)]
struct TokenLogin {
    signer: Found<Arc<Signer>>,
    /// The claim that names the identity.
    holder: String,
    identity: RecordNumber,
}

impl TokenLogin {
    async fn verify(app: &App, text: &str) -> Result<Result<Self, BearerTokenError>, LoginError> {
        let Some(token) = signers::parse_token(text) else {
            return Ok(Err(BearerTokenError::Missing));
        };
        let issued_by = {
            let view = app.snapshot().map_err(LoginError::Failed)?;
            signers::find_issuer(view.rows(), &token)?
        };
        let Some(signer) = issued_by else {
            return Ok(Err(BearerTokenError::Missing));
        };
        let holder = match signers::verify_token(app, &signer.entity, &token).await {
            Ok(judged) => judged.holder.to_owned(),
            Err(fault) => return Ok(Err(fault)),
        };
        let view = app.snapshot().map_err(LoginError::Failed)?;
        let identity = find_holder(view.rows(), &signer.entity.spec.settings, &holder)?;
        Ok(identity
            .ok_or(BearerTokenError::Missing)
            .map(|identity| Self {
                signer,
                holder,
                identity,
            }))
    }
}

/// Finds the identity that a token names.
fn find_holder(
    rows: Rows<'_>,
    settings: &SignerSettings,
    holder: &str,
) -> Result<Option<RecordNumber>, StoreError> {
    let index = if settings.use_external_id {
        UniqueIndex::IdentityExternalId
    } else {
        UniqueIndex::IdentityId
    };
    let found: Option<Found<Identity>> = rows.find(&UniqueValue::new(index, holder))?;
    Ok(found.map(|found| found.number()))
}

impl VerifiedCredential for TokenLogin {
    fn identity(&self) -> RecordNumber {
        self.identity
    }

    fn opened_by(&self) -> OpenedBy {
        OpenedBy::Signer(self.signer.entity.id.clone())
    }

    fn recheck(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError> {
        // After any change of the signer the token would have to be verified again.
        let current: Option<Signer> = rows.get(&self.signer.key)?;
        if current.as_ref() != Some(&self.signer.entity) {
            Err(LoginError::refused(
                "the signer has changed in the meantime",
            ))
        } else if is_holder(&self.signer.entity.spec.settings, identity, &self.holder) {
            Ok(())
        } else {
            Err(LoginError::refused("the token now names another identity"))
        }
    }

    fn check_policy(&self, policy: &AuthPolicy, _now: Timestamp) -> Result<(), LoginError> {
        if policy.spec.primary.ext_jwt.allows(&self.signer.entity.id) {
            Ok(())
        } else {
            Err(LoginError::refused(
                "the policy does not allow tokens of the signer",
            ))
        }
    }

    fn apply(
        &self,
        _rows: &mut RowsMut<'_>,
        _identity: &mut Identity,
        session: &mut ApiSession,
    ) -> Result<Option<ExtensionRequest>, WriteError> {
        session.terms = Some(self.signer.entity.spec.terms);
        Ok(None)
    }
}
