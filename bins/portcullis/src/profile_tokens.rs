//! The access tokens of a profile's session, which are renewed when they expire.

use crate::context::{self, Context};
use crate::error::CliError;
use crate::profile::{OidcSession, ProfileStore, StoredSession};
use portcullis_client::oidc::{AccessTokens, TokenFuture};
use portcullis_client::{Client, ClientError, RenewalError};
use portcullis_domain::clock::Clock as _;
use portcullis_system::SystemClock;
use secrecy::SecretString;
use tokio::sync::Mutex;
use tokio::task;

/// Tokens of the session that a profile held when the command began.
///
/// Other processes use the same profile, and a refresh token that is presented twice ends the session. So one
/// process at a time renews it, and first looks whether another one has done so already.
pub(crate) struct ProfileTokens {
    store: ProfileStore,
    /// Name of the profile.
    profile: String,
    /// Address of the controller, for messages.
    url: String,
    /// Client without a session.
    client: Client,
    clock: SystemClock,
    held: Mutex<OidcSession>,
}

impl ProfileTokens {
    pub(crate) fn new(context: &Context, url: &str, client: Client, held: OidcSession) -> Self {
        Self {
            store: context.store.clone(),
            profile: context.profile.clone(),
            url: url.to_owned(),
            client,
            clock: context.clock,
            held: Mutex::new(held),
        }
    }

    async fn current(&self, refused: Option<&SecretString>) -> Result<SecretString, CliError> {
        let mut held = self.held.lock().await;
        if held.is_due(refused, self.clock.now()) {
            *held = self.renew(&held, refused).await?;
        }
        Ok(held.access_token.clone())
    }

    async fn renew(
        &self,
        held: &OidcSession,
        refused: Option<&SecretString>,
    ) -> Result<OidcSession, CliError> {
        let store = self.store.clone();
        let waited = task::spawn_blocking(move || store.lock_renewals()).await;
        let _lock = waited.map_err(|error| {
            CliError::failed("the session cannot be renewed").with_source(error)
        })??;
        let stored = self.stored(held)?;
        if !stored.is_due(refused, self.clock.now()) {
            return Ok(stored);
        }
        let Some(refresh_token) = &stored.refresh_token else {
            return Err(self.expired());
        };
        // A token that could not be stored would be lost, and the session with it.
        self.store.check_writable()?;
        let provider = self.client.oidc_provider().await?;
        let renewal = self.client.refresh_tokens(
            &provider,
            refresh_token,
            &stored.identity_id,
            self.clock.now(),
        );
        let tokens = renewal.await.map_err(|error| match error {
            ClientError::Denied(denial) if denial.is_invalid_grant() => {
                self.expired().with_source(denial)
            },
            error => error.into(),
        })?;
        let renewed = OidcSession::new(tokens, self.clock.now());
        self.store.update(|all| {
            let profile = all.profiles.get_mut(&self.profile);
            // Whoever has logged in or out meanwhile goes before.
            if let Some(StoredSession::Oidc(current)) =
                profile.and_then(|profile| profile.session.as_mut())
                && current.has_tokens_of(&stored)
            {
                *current = renewed.clone();
            }
        })?;
        Ok(renewed)
    }

    /// The session as it is stored now.
    fn stored(&self, held: &OidcSession) -> Result<OidcSession, CliError> {
        let profile = self.store.read(&self.profile)?;
        match profile.and_then(|profile| profile.session) {
            // Whoever logs in as somebody else does not change who a running command is.
            Some(StoredSession::Oidc(stored)) if stored.identity_id == held.identity_id => {
                Ok(stored)
            },
            _ => Err(CliError::not_logged_in(
                format!(
                    "the session was ended meanwhile (profile `{}`)",
                    self.profile
                ),
                Some(&self.url),
            )),
        }
    }

    fn expired(&self) -> CliError {
        context::expired_error(&self.profile, &self.url)
    }
}

impl AccessTokens for ProfileTokens {
    fn token<'a>(&'a self, refused: Option<&'a SecretString>) -> TokenFuture<'a> {
        Box::pin(async move {
            let token = self.current(refused).await;
            token.map_err(|error| RenewalError(Box::new(error)))
        })
    }
}
