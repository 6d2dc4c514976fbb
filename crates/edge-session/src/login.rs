//! A login at one controller.

mod code;
mod legacy;
mod oidc;

use crate::controller::Controller;
use crate::environment;
use crate::error::SessionError;
use crate::open_session::OpenSession;
use crate::options::{LoginMethod, LoginProtocol, SessionOptions};
use crate::state::SessionState;
use portcullis_api::api_session::AuthQuery;
use portcullis_api::authenticate::Authenticate;
use portcullis_client::{ClientError, Credentials};
use std::sync::Arc;
use tokio::sync::watch;

/// Types of authentication queries.
const TOTP: [&str; 2] = ["MFA", "TOTP"];
const EXTERNAL_TOKEN: &str = "EXT-JWT";

/// Why a login has failed, and what follows from that.
#[derive(Debug)]
pub(crate) struct LoginFailure {
    pub(crate) error: SessionError,
    pub(crate) retry: RetryPolicy,
}

/// When the same login is tried again after it has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryPolicy {
    /// After the pauses of a backoff, and at another controller at once.
    Soon,
    /// After the longest pause: an administrator has to change something.
    Slowly,
    /// Never by itself: it takes another password, token or code.
    WhenAsked,
}

/// A login, and what it needs.
pub(crate) struct Login<'a> {
    pub(crate) controller: &'a Controller,
    pub(crate) options: &'a SessionOptions,
    pub(crate) config_types: &'a [String],
    /// Where it is told that a person is asked.
    pub(crate) state: &'a watch::Sender<SessionState>,
}

impl Login<'_> {
    /// Logs in with whatever protocol the controller offers and the program allows.
    pub(crate) async fn run(&self) -> Result<OpenSession, LoginFailure> {
        let options = self.options;
        let credentials = credentials(&options.login).await?;
        let mut client = self.controller.client.clone();
        if let Some(tokens) = &options.second_factor {
            let token = tokens.token().await.ok_or_else(LoginFailure::no_token)?;
            client = client.with_bearer(token);
        }
        let offers_oidc = match options.protocol {
            LoginProtocol::Legacy => false,
            LoginProtocol::OidcIfOffered | LoginProtocol::Oidc => {
                client.version().await?.offers_oidc()
            },
        };
        match options.protocol {
            _ if offers_oidc => Box::pin(self.log_in_by_oidc(&client, &credentials)).await,
            LoginProtocol::Oidc => Err(LoginFailure {
                error: SessionError::OidcNotOffered,
                retry: RetryPolicy::Slowly,
            }),
            LoginProtocol::OidcIfOffered | LoginProtocol::Legacy => {
                Box::pin(self.log_in_by_legacy(&client, credentials)).await
            },
        }
    }

    /// What the controller is told of the program.
    fn description(&self) -> Authenticate {
        Authenticate {
            config_types: self.config_types.to_vec(),
            env_info: environment::env_info(),
            sdk_info: self.options.sdk_info.clone(),
            ..Authenticate::default()
        }
    }

    /// The error of a login whose credentials were refused.
    fn refused(&self, error: ClientError) -> LoginFailure {
        let is_judged = match &error {
            ClientError::Refused(refusal) => {
                (400..500).contains(&refusal.status) && refusal.status != 429
            },
            ClientError::Denied(_) => true,
            _ => false,
        };
        if !is_judged {
            return error.into();
        }
        LoginFailure {
            error: SessionError::LoginRefused(Arc::new(error)),
            retry: match self.options.login {
                LoginMethod::Certificate => RetryPolicy::Slowly,
                LoginMethod::Password { .. } | LoginMethod::ExternalToken(_) => {
                    RetryPolicy::WhenAsked
                },
            },
        }
    }
}

/// What is shown, with a token of now.
async fn credentials(method: &LoginMethod) -> Result<Credentials, LoginFailure> {
    Ok(match method {
        LoginMethod::Certificate => Credentials::Certificate,
        LoginMethod::Password { username, password } => {
            Credentials::password(username, password.clone())
        },
        LoginMethod::ExternalToken(tokens) => {
            let token = tokens.token().await;
            Credentials::Jwt(token.ok_or_else(LoginFailure::no_token)?)
        },
    })
}

/// The factor that is asked for, of which only codes can be answered.
fn open_factor(queries: &[AuthQuery]) -> Result<Option<&AuthQuery>, LoginFailure> {
    let Some(query) = queries.first() else {
        return Ok(None);
    };
    let error = match &*query.type_id {
        kind if TOTP.contains(&kind) => return Ok(Some(query)),
        EXTERNAL_TOKEN => SessionError::TokenNeeded(query.id.clone()),
        kind => SessionError::UnknownFactor(kind.to_owned()),
    };
    Err(LoginFailure {
        error,
        retry: RetryPolicy::WhenAsked,
    })
}

impl LoginFailure {
    pub(crate) fn no_controller() -> Self {
        Self {
            error: SessionError::NoController,
            retry: RetryPolicy::WhenAsked,
        }
    }

    fn no_token() -> Self {
        Self {
            error: SessionError::TokenNotGiven,
            retry: RetryPolicy::WhenAsked,
        }
    }
}

impl From<ClientError> for LoginFailure {
    /// The error of a request that shows no credentials.
    fn from(error: ClientError) -> Self {
        let error = Arc::new(error);
        Self {
            error: if error.is_disconnected() {
                SessionError::Unreachable(error)
            } else {
                SessionError::Unavailable(error)
            },
            retry: RetryPolicy::Soon,
        }
    }
}
