//! Credentials that were shown to the controller and accepted, and what is asked for beside them.

use super::complete::{self, LoginState};
use super::opened::OpenedSession;
use crate::auth_queries;
use crate::context::Context;
use crate::error::CliError;
use crate::ext_jwt;
use crate::mfa_code::CodeSource;
use portcullis_api::api_session::{ApiSessionDetail, AuthQuery};
use portcullis_client::oidc::Provider;
use portcullis_client::{Api, Client, ClientError, Credentials, OidcLogin};
use portcullis_domain::clock::Timestamp;
use portcullis_system::SystemEntropy;
use secrecy::SecretString;

/// A login whose first factor was accepted.
pub(super) struct ShownLogin {
    /// Sends the second JWT along, and is authenticated if there is a session.
    client: Client,
    second: Option<SecretString>,
    progress: Progress,
}

/// What the first factor has led to.
enum Progress {
    /// A session, which is partial while factors are open.
    Session(Box<ApiSessionDetail>),
    /// A login that opens a session once nothing is open any more.
    Oidc {
        login: Box<OidcLogin>,
        open: Vec<AuthQuery>,
    },
}

/// Shows credentials, and the second JWT with them, to the provider of the controller if it has one.
pub(super) async fn show(
    client: Client,
    credentials: Credentials,
    provider: Option<&Provider>,
    second: Option<&SecretString>,
) -> Result<ShownLogin, ClientError> {
    let with_second = |client: &Client| match second {
        Some(token) => client.with_bearer(token.clone()),
        None => client.clone(),
    };
    let shown = |client, progress| ShownLogin {
        client,
        second: second.cloned(),
        progress,
    };
    if let Some(provider) = provider {
        let client = with_second(&client);
        let begun = client.begin_oidc_login(provider, &credentials, &SystemEntropy);
        let mut login = Box::new(begun.await?);
        let open = login.authenticate(&credentials).await?;
        // Whoever has to enroll first needs a session for that.
        if !auth_queries::demand_enrollment(&open) {
            return Ok(shown(client, Progress::Oidc { login, open }));
        }
    }
    let login = client.log_in(Api::Management, credentials).await?;
    let progress = Progress::Session(Box::new(login.session));
    Ok(shown(with_second(&login.client), progress))
}

impl ShownLogin {
    /// Answers what is still asked for.
    pub(super) async fn complete(
        self,
        codes: &CodeSource,
        context: &Context,
    ) -> Result<OpenedSession, CliError> {
        let (client, second) = (self.client, self.second.as_ref());
        match self.progress {
            Progress::Session(session) => {
                match complete_session(&client, &session, second, codes, context).await {
                    Ok(state) => Ok(OpenedSession::with_token(client, *session, state)),
                    Err(error) => {
                        // The session is useless now; if this fails, it expires.
                        let _ = client.log_out(Api::Management).await;
                        Err(error)
                    },
                }
            },
            Progress::Oidc { login, open } => {
                if open.iter().any(auth_queries::is_jwt)
                    && let Some(second) = second
                {
                    return Err(refused_second(second, &open, context.now()));
                }
                complete::answer_login(&login, &open, codes).await?;
                let tokens = login.finish(context.now()).await?;
                OpenedSession::with_tokens(&client, login.provider(), tokens, context).await
            },
        }
    }
}

/// Answers the open authentication queries of a session with the second JWT and codes.
async fn complete_session(
    client: &Client,
    session: &ApiSessionDetail,
    second: Option<&SecretString>,
    codes: &CodeSource,
    context: &Context,
) -> Result<LoginState, CliError> {
    let Some(second) = second.filter(|_| !session.auth_queries.is_empty()) else {
        return complete::answer_queries(client, session, codes).await;
    };
    // Whether the second JWT is accepted shows in the session.
    let current = client.current_session(Api::Client).await?;
    if !current.auth_queries.iter().any(auth_queries::is_jwt) {
        return complete::answer_queries(client, &current, codes).await;
    }
    Err(refused_second(second, &current.auth_queries, context.now()))
}

fn refused_second(second: &SecretString, open: &[AuthQuery], now: Timestamp) -> CliError {
    let hint = match ext_jwt::expires_at(second) {
        Some(end) if end <= now => {
            format!("the JWT of `--second-ext-jwt` expired at {end}")
        },
        _ => "the JWT of `--second-ext-jwt` was refused: wrong signer, or not issued to you"
            .to_owned(),
    };
    auth_queries::missing_factor_error(open).hint(hint)
}
