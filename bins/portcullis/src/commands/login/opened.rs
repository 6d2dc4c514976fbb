//! Sessions that a login has just opened.

use super::complete::LoginState;
use crate::context::Context;
use crate::error::CliError;
use crate::profile::{OidcSession, SessionToken, StoredSession};
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_client::oidc::{Provider, Tokens};
use portcullis_client::{Api, Client};
use portcullis_domain::ids::IdentityId;

/// A session with all that was asked for, as far as it could be had.
pub(super) struct OpenedSession {
    /// Authenticated client.
    pub(super) client: Client,
    pub(super) stored: StoredSession,
    /// Name of whose it is.
    pub(super) identity: String,
    pub(super) identity_id: IdentityId,
    pub(super) state: LoginState,
}

impl OpenedSession {
    /// A session with a session token. `client` is authenticated by it.
    pub(super) fn with_token(client: Client, detail: ApiSessionDetail, state: LoginState) -> Self {
        Self {
            client,
            stored: StoredSession::Token(SessionToken {
                token: detail.token,
                expires_at: detail.expires_at,
            }),
            identity: detail.identity.name,
            identity_id: detail.identity_id,
            state,
        }
    }

    /// A session by OpenID Connect, opened by `client`. Whose it is, the controller has to say as its ID
    /// token does.
    pub(super) async fn with_tokens(
        client: &Client,
        provider: &Provider,
        tokens: Tokens,
        context: &Context,
    ) -> Result<Self, CliError> {
        let session = OidcSession::new(tokens, context.now());
        let client = client.with_access_tokens(session.access_token.clone());
        let holder = client.current_identity(Api::Client).await;
        let holder = holder.map_err(CliError::from).and_then(|holder| {
            if holder.base.id == session.identity_id {
                Ok(holder)
            } else {
                Err(CliError::failed(
                    "the controller opened the session of somebody else",
                ))
            }
        });
        match holder {
            Ok(holder) => Ok(Self {
                client,
                identity: holder.name,
                identity_id: holder.base.id,
                stored: StoredSession::Oidc(session),
                state: LoginState::Full,
            }),
            Err(error) => {
                revoke(&client, provider, &session).await;
                Err(error)
            },
        }
    }

    /// Ends a session that cannot be kept. If this fails, it expires.
    pub(super) async fn end(&self) {
        match &self.stored {
            StoredSession::Token(_) => {
                let _ = self.client.log_out(Api::Management).await;
            },
            StoredSession::Oidc(session) => {
                if let Ok(provider) = self.client.oidc_provider().await {
                    revoke(&self.client, &provider, session).await;
                }
            },
        }
    }
}

async fn revoke(client: &Client, provider: &Provider, session: &OidcSession) {
    let token = session.refresh_token.as_ref();
    let token = token.unwrap_or(&session.access_token);
    let _ = client.revoke_token(provider, token).await;
}
