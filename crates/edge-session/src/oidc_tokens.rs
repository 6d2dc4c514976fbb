//! The tokens of a session of OpenID Connect, which are renewed before they expire.

use crate::state::{ApiSession, SessionKind};
use portcullis_client::oidc::{AccessTokens, Provider, TokenFuture, Tokens};
use portcullis_client::{Client, ClientError, RenewalError, SecretString, Url};
use portcullis_domain::Env;
use portcullis_domain::clock::{SignedDuration, Timestamp, saturating_add};
use portcullis_domain::ids::IdentityId;
use secrecy::ExposeSecret as _;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::task;
use tokio::time::Instant;

/// The part of its lifetime after which a token is renewed.
const RENEWED_AFTER: f64 = 0.6;

/// Bounds of what controllers may say of the lifetime, so that renewals neither follow each other without a pause
/// nor are out of reach of the clock.
const SHORTEST_LIFETIME: Duration = Duration::from_secs(2);
const LONGEST_LIFETIME: Duration = Duration::from_hours(24 * 30);

/// The tokens of a session. They are renewed by tasks, so that no renewal is given up half-way when whoever waits
/// for it does not wait any longer: the refresh token may be used up by then.
pub(crate) struct OidcTokens {
    client: Client,
    provider: Provider,
    env: Env,
    held: Mutex<HeldTokens>,
    announced: watch::Sender<Arc<ApiSession>>,
}

struct HeldTokens {
    access_token: SecretString,
    refresh_token: Option<SecretString>,
    renewed_at: Instant,
    /// Clocks that stand still while a computer sleeps know nothing of this.
    expires_at: Timestamp,
    identity: IdentityId,
}

/// There is no other token.
#[derive(Debug, thiserror::Error)]
enum TokenError {
    #[error("the session is over")]
    Over(#[source] Option<ClientError>),
    #[error("the token cannot be renewed now")]
    Later(#[source] ClientError),
    #[error("the runtime has ended")]
    Runtime(#[source] task::JoinError),
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
        let held = HeldTokens::new(tokens, &env);
        let announced = held.session(controller);
        Self {
            client,
            provider,
            env,
            held: Mutex::new(held),
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
    pub(crate) async fn renew_in_time(self: &Arc<Self>) -> Result<(), ClientError> {
        let is_due = |tokens: &Self, held: &HeldTokens| {
            held.renewed_at <= Instant::now() || held.expires_at <= tokens.env.now()
        };
        self.renew_if(is_due).await?;
        Ok(())
    }

    /// The access token, after a renewal if the present one is such.
    async fn renew_if(
        self: &Arc<Self>,
        is_due: impl FnOnce(&Self, &HeldTokens) -> bool + Send + 'static,
    ) -> Result<SecretString, RenewalError> {
        let tokens = Arc::clone(self);
        let renewing = tokio::spawn(async move {
            let held = &mut *tokens.held.lock().await;
            if is_due(&tokens, held) {
                tokens.renew(held).await?;
            }
            Ok(held.access_token.clone())
        });
        let ended = |error| RenewalError(Box::new(TokenError::Runtime(error)));
        renewing.await.map_err(ended)?
    }

    /// Ends the session.
    pub(crate) async fn revoke(&self) -> Result<(), ClientError> {
        let held = self.held.lock().await;
        let token = held.refresh_token.as_ref().unwrap_or(&held.access_token);
        self.client.revoke_token(&self.provider, token).await
    }

    async fn renew(&self, held: &mut HeldTokens) -> Result<(), RenewalError> {
        let over = |error| RenewalError(Box::new(TokenError::Over(error)));
        let token = held.refresh_token.clone().ok_or_else(|| over(None))?;
        let (client, now) = (&self.client, self.env.now());
        let renewed = client.refresh_tokens(&self.provider, &token, &held.identity, now);
        match Box::pin(renewed).await {
            Ok(mut tokens) => {
                // Without another one, it may be used again.
                tokens.refresh_token.get_or_insert(token);
                *held = HeldTokens::new(tokens, &self.env);
                let controller = self.announced.borrow().controller.clone();
                self.announced
                    .send_replace(Arc::new(held.session(controller)));
                Ok(())
            },
            Err(error) if is_refusal(&error) => Err(over(Some(error))),
            // If the token was used up, the controller says so the next time.
            Err(error) => Err(RenewalError(Box::new(TokenError::Later(error)))),
        }
    }

    async fn token(
        self: &Arc<Self>,
        refused: Option<&SecretString>,
    ) -> Result<SecretString, RenewalError> {
        let current = self.held.lock().await.access_token.clone();
        match refused {
            Some(refused) if refused.expose_secret() == current.expose_secret() => {
                self.renew_if(move |_, held| {
                    held.access_token.expose_secret() == current.expose_secret()
                })
                .await
            },
            _ => Ok(current),
        }
    }
}

/// Whether the controller has judged the refresh token, and does not accept it.
fn is_refusal(error: &ClientError) -> bool {
    match error {
        ClientError::Denied(_) | ClientError::InvalidRequest(_) => true,
        ClientError::Refused(refusal) => refusal.status < 500 && refusal.status != 429,
        _ => false,
    }
}

impl HeldTokens {
    fn new(tokens: Tokens, env: &Env) -> Self {
        let lifetime = tokens.expires_in.clamp(SHORTEST_LIFETIME, LONGEST_LIFETIME);
        let left = SignedDuration::try_from(lifetime).unwrap_or(SignedDuration::MAX);
        Self {
            access_token: tokens.access_token,
            refresh_token: tokens.refresh_token,
            renewed_at: Instant::now() + lifetime.mul_f64(RENEWED_AFTER),
            expires_at: saturating_add(env.now(), left),
            identity: tokens.identity,
        }
    }

    /// The session as programs see it.
    fn session(&self, controller: Url) -> ApiSession {
        ApiSession {
            kind: SessionKind::Oidc,
            token: self.access_token.clone(),
            expires_at: Some(self.expires_at),
            identity: self.identity.clone(),
            controller,
        }
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
