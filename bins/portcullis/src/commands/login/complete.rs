//! Answers to the authentication queries of new sessions.

use crate::auth_queries;
use crate::commands::mfa::own_enrollment;
use crate::error::CliError;
use crate::mfa_code::CodeSource;
use portcullis_api::api_session::{ApiSessionDetail, AuthQuery};
use portcullis_client::{Api, Client};

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
    let answered = codes.try_codes("TOTP or recovery code", |code| {
        client.authenticate_mfa(Api::Client, code)
    });
    answered.await.map_err(|error| {
        let message = "the login needs a code from your app, or a recovery code";
        if codes.is_available() {
            error
        } else {
            error.with_context(message.to_owned())
        }
    })?;
    let left = client.current_session(Api::Client).await?.auth_queries;
    if left.is_empty() {
        Ok(LoginState::Full)
    } else {
        Err(auth_queries::missing_factor_error(&left))
    }
}

/// Whether a TOTP enrollment exists. Not every controller says so in its query.
async fn is_enrolled(client: &Client, question: &AuthQuery) -> Result<bool, CliError> {
    if question.is_totp_enrolled {
        return Ok(true);
    }
    let found = own_enrollment::find(client).await?;
    Ok(found.is_some_and(|found| found.is_verified))
}
