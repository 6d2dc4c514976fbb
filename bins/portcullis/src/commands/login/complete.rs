//! Answering what a new session still asks for.

use super::missing;
use crate::code::Codes;
use crate::commands::mfa::own;
use crate::error::CliError;
use portcullis_api::api_session::{ApiSessionDetail, AuthQuery};
use portcullis_client::{Api, Client};

/// What a session is good for once everything was answered that can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Everything that its identity may do.
    Full,
    /// Enrolling in TOTP, which its policy demands. These questions are left till then.
    ToEnroll(Vec<AuthQuery>),
}

impl Standing {
    /// The questions that are left.
    pub(crate) fn pending(&self) -> &[AuthQuery] {
        match self {
            Self::Full => &[],
            Self::ToEnroll(queries) => queries,
        }
    }

    /// Refuses a session that is not good for everything.
    pub(crate) fn require_full(&self) -> Result<(), CliError> {
        match self {
            Self::Full => Ok(()),
            Self::ToEnroll(queries) => Err(missing::explain(queries)),
        }
    }
}

/// Answers the questions of `session`, which `client` holds, with `codes`.
pub(crate) async fn run(
    client: &Client,
    session: &ApiSessionDetail,
    codes: &Codes,
) -> Result<Standing, CliError> {
    let queries = &session.auth_queries;
    let Some(question) = queries.iter().find(|query| missing::is_code(query)) else {
        return if queries.is_empty() {
            Ok(Standing::Full)
        } else {
            Err(missing::explain(queries))
        };
    };
    if queries.len() > 1 {
        return Err(missing::explain(queries));
    }
    if !is_enrolled(client, question).await? {
        return Ok(Standing::ToEnroll(queries.clone()));
    }
    let answered = codes.tried("TOTP or recovery code", |code| {
        client.answer_mfa(Api::Client, code)
    });
    answered.await.map_err(|error| {
        let message = "the login needs a code from your app, or a recovery code";
        if codes.is_there() {
            error
        } else {
            error.within(message.to_owned())
        }
    })?;
    let left = client.current_session(Api::Client).await?.auth_queries;
    if left.is_empty() {
        Ok(Standing::Full)
    } else {
        Err(missing::explain(&left))
    }
}

/// Whether there is an enrollment that can answer. Not every controller says so in its question.
async fn is_enrolled(client: &Client, question: &AuthQuery) -> Result<bool, CliError> {
    if question.is_totp_enrolled {
        return Ok(true);
    }
    let found = own::find(client).await?;
    Ok(found.is_some_and(|found| found.is_verified))
}
