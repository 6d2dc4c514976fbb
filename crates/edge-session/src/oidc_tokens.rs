//! The tokens of a session of OpenID Connect, which are renewed before they expire.

use crate::state::{ApiSession, SessionKind};
use portcullis_client::oidc::{AccessTokens, Provider, TokenFuture, Tokens};
use portcullis_client::{Client, ClientError, RenewalError, SecretString, Url};
use portcullis_domain::Env;
use portcullis_domain::clock::{SignedDuration, saturating_add};
use portcullis_domain::ids::IdentityId;
use secrecy::ExposeSecret as _;
use std::fmt;
use std::sync::Arc;
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

/// The part of its lifetime after which a token is renewed.
const RENEWED_AFTER: f64 = 0.6;

/// The tokens of a session.
pub(crate) struct OidcTokens {
    client: Client,
    provider: Provider,
    env: Env,
    held: Mutex<HeldTokens>,
    announced: watch::Sender<Arc<ApiSession>>,
}

struct HeldTokens {
    access_token: SecretString,
    /// `None` once it was used up without an answer.
    refresh_token: Option<SecretString>,
    renewed_at: Instant,
    identity: IdentityId,
}

/// There is no other token.
#[derive(Debug, thiserror::Error)]
enum TokenError {
    #[error("the session is over")]
    Over(#[source] Option<ClientError>),
    #[error("the token cannot be renewed now")]
    Later(#[source] ClientError),
}

/// Whether a renewal has failed for good.
pub(crate) fn is_over(error: &RenewalError) -> bool {
    matches!(error.0.downcast_ref(), Some(TokenError::Over(_)))
}

impl OidcTokens {
    /// The tokens of a new session. `client` has no session.
    pub(crate) fn new(
        client: Client,
        controller: Url,
        provider: Provider,
        tokens: Tokens,
        env: Env,
    ) -> Self {
        let announced = session(&tokens, controller, &env);
        Self {
            client,
            provider,
            env,
            held: Mutex::new(HeldTokens::from(tokens)),
            announced: watch::Sender::new(Arc::new(announced)),
        }
    }

    /// The session with its present token, and those that come later.
    pub(crate) const fn announced(&self) -> &watch::Sender<Arc<ApiSession>> {
        &self.announced
    }

    /// When the token is to be renewed.
    pub(crate) async fn renewed_at(&self) -> Instant {
        self.held.lock().await.renewed_at
    }

    /// Renews the token if it is time for it.
    pub(crate) async fn renew_in_time(&self) -> Result<(), ClientError> {
        let held = &mut *self.held.lock().await;
        if held.renewed_at > Instant::now() {
            return Ok(());
        }
        Ok(self.renew(held).await?)
    }

    /// Ends the session.
    pub(crate) async fn revoke(&self) -> Result<(), ClientError> {
        let held = self.held.lock().await;
        let token = held.refresh_token.as_ref().unwrap_or(&held.access_token);
        self.client.revoke_token(&self.provider, token).await
    }

    async fn renew(&self, held: &mut HeldTokens) -> Result<(), RenewalError> {
        let over = |error| RenewalError(Box::new(TokenError::Over(error)));
        // Once it was sent, it may be used up.
        let token = held.refresh_token.take().ok_or_else(|| over(None))?;
        let (client, now) = (&self.client, self.env.now());
        let renewed = client.refresh_tokens(&self.provider, &token, &held.identity, now);
        match Box::pin(renewed).await {
            Ok(mut tokens) => {
                // One that may be used again is not sent again.
                tokens.refresh_token.get_or_insert(token);
                let controller = self.announced.borrow().controller.clone();
                let announced = session(&tokens, controller, &self.env);
                *held = HeldTokens::from(tokens);
                self.announced.send_replace(Arc::new(announced));
                Ok(())
            },
            Err(error) if was_not_taken(&error) => {
                held.refresh_token = Some(token);
                Err(RenewalError(Box::new(TokenError::Later(error))))
            },
            Err(error) => Err(over(Some(error))),
        }
    }

    async fn token(&self, refused: Option<&SecretString>) -> Result<SecretString, RenewalError> {
        let held = &mut *self.held.lock().await;
        let is_refused = |token: &SecretString| {
            refused.is_some_and(|refused| refused.expose_secret() == token.expose_secret())
        };
        if is_refused(&held.access_token) {
            self.renew(held).await?;
        }
        Ok(held.access_token.clone())
    }
}

/// Whether the controller has not looked at the request.
fn was_not_taken(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { .. } | ClientError::Untrusted { .. } => true,
        ClientError::Refused(refusal) => refusal.status == 429 || refusal.status >= 500,
        _ => false,
    }
}

impl From<Tokens> for HeldTokens {
    fn from(tokens: Tokens) -> Self {
        Self {
            access_token: tokens.access_token,
            refresh_token: tokens.refresh_token,
            renewed_at: Instant::now() + tokens.expires_in.mul_f64(RENEWED_AFTER),
            identity: tokens.identity,
        }
    }
}

fn session(tokens: &Tokens, controller: Url, env: &Env) -> ApiSession {
    let left = SignedDuration::try_from(tokens.expires_in).unwrap_or(SignedDuration::MAX);
    ApiSession {
        kind: SessionKind::Oidc,
        token: tokens.access_token.clone(),
        expires_at: Some(saturating_add(env.now(), left)),
        identity: tokens.identity.clone(),
        controller,
    }
}

/// Tokens as clients take them.
pub(crate) struct SharedTokens(pub(crate) Arc<OidcTokens>);

impl AccessTokens for SharedTokens {
    fn token<'a>(&'a self, refused: Option<&'a SecretString>) -> TokenFuture<'a> {
        Box::pin(self.0.token(refused))
    }
}

impl fmt::Debug for OidcTokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OidcTokens").finish_non_exhaustive()
    }
}
