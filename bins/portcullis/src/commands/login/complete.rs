//! Answers to the authentication queries of new sessions.

use crate::auth_queries;
use crate::commands::mfa::own_enrollment;
use crate::error::CliError;
use crate::mfa_code::CodeSource;
use portcullis_api::api_session::{ApiSessionDetail, AuthQuery};
use portcullis_client::{Api, Client, ClientError, OidcLogin};
use secrecy::SecretString;

/// State of a session after answering its queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LoginState {
    /// Fully authenticated.
    Full,
    /// Limited to TOTP enrollment, which the policy requires, with these open queries.
    EnrollmentRequired(Vec<AuthQuery>),
}

impl LoginState {
    /// Open queries.
    pub(crate) fn pending(&self) -> &[AuthQuery] {
        match self {
            Self::Full => &[],
            Self::EnrollmentRequired(queries) => queries,
        }
    }

    /// Fails unless the session is fully authenticated.
    pub(crate) fn require_full(&self) -> Result<(), CliError> {
        match self {
            Self::Full => Ok(()),
            Self::EnrollmentRequired(queries) => Err(auth_queries::missing_factor_error(queries)),
        }
    }
}

/// Answers the queries of `session` with `codes`. `client` is authenticated by the session.
pub(crate) async fn answer_queries(
    client: &Client,
    session: &ApiSessionDetail,
    codes: &CodeSource,
) -> Result<LoginState, CliError> {
    let queries = &session.auth_queries;
    let Some(question) = queries.iter().find(|query| auth_queries::is_totp(query)) else {
        return if queries.is_empty() {
            Ok(LoginState::Full)
        } else {
            Err(auth_queries::missing_factor_error(queries))
        };
    };
    if queries.len() > 1 {
        return Err(auth_queries::missing_factor_error(queries));
    }
    if !is_enrolled(client, question).await? {
        return Ok(LoginState::EnrollmentRequired(queries.clone()));
    }
    try_codes(codes, |code| client.authenticate_mfa(Api::Client, code)).await?;
    let left = client.current_session(Api::Client).await?.auth_queries;
    if left.is_empty() {
        Ok(LoginState::Full)
    } else {
        Err(auth_queries::missing_factor_error(&left))
    }
}

/// Answers the queries of a login by OpenID Connect with `codes`.
pub(crate) async fn answer_login(
    login: &OidcLogin,
    open: &[AuthQuery],
    codes: &CodeSource,
) -> Result<(), CliError> {
    match open {
        [] => Ok(()),
        [question] if auth_queries::is_totp(question) => {
            let left = try_codes(codes, |code| login.answer_totp(code)).await?;
            if left.is_empty() {
                Ok(())
            } else {
                Err(auth_queries::missing_factor_error(&left))
            }
        },
        open => Err(auth_queries::missing_factor_error(open)),
    }
}

async fn try_codes<T, F>(
    codes: &CodeSource,
    answer: impl Fn(SecretString) -> F,
) -> Result<T, CliError>
where
    F: Future<Output = Result<T, ClientError>>,
{
    let answered = codes.try_codes("TOTP or recovery code", answer).await;
    answered.map_err(|error| {
        let message = "the login needs a code from your app, or a recovery code";
        if codes.is_available() {
            error
        } else {
            error.with_context(message.to_owned())
        }
    })
}

/// Whether a TOTP enrollment exists. Not every controller says so in its query.
async fn is_enrolled(client: &Client, question: &AuthQuery) -> Result<bool, CliError> {
    if let Some(is_enrolled) = question.is_totp_enrolled {
        return Ok(is_enrolled);
    }
    let found = own_enrollment::find(client).await?;
    Ok(found.is_some_and(|found| found.is_verified))
}
