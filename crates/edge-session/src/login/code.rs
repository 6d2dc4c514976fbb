//! Asking a person for a TOTP code.

use super::{Login, LoginFailure, RetryPolicy};
use crate::code_prompt::CodeQuery;
use crate::error::SessionError;
use crate::state::SessionState;
use portcullis_api::api_session::AuthQuery;
use portcullis_api::code::Code;
use portcullis_client::{Api, Client, ClientError, OidcLogin, SecretString};

/// How many codes a person may try.
const ATTEMPTS: u32 = 3;

/// Where a code is shown.
pub(super) enum CodeReceiver<'a> {
    Session(&'a Client),
    Login(&'a OidcLogin),
}

impl CodeReceiver<'_> {
    /// What is still asked for after this code.
    async fn show(&self, code: SecretString) -> Result<Vec<AuthQuery>, ClientError> {
        match self {
            Self::Session(client) => {
                client.authenticate_mfa(Api::Client, code).await?;
                Ok(client.current_session(Api::Client).await?.auth_queries)
            },
            Self::Login(login) => login.answer_totp(code).await,
        }
    }
}

impl Login<'_> {
    /// Asks for codes until one is accepted; answers what is still asked for.
    pub(super) async fn ask_for_code(
        &self,
        query: &AuthQuery,
        receiver: CodeReceiver<'_>,
    ) -> Result<Vec<AuthQuery>, LoginFailure> {
        let failed = |error| LoginFailure {
            error,
            retry: RetryPolicy::WhenAsked,
        };
        if query.is_totp_enrolled == Some(false) {
            return Err(failed(SessionError::TotpNotEnrolled));
        }
        let prompt = self.options.code_prompt.as_ref();
        let prompt = prompt.ok_or_else(|| failed(SessionError::CodeNeeded))?;
        self.state.send_replace(SessionState::WaitingForCode);
        let mut refusal = None;
        for attempt in 0..ATTEMPTS {
            let code = prompt.ask(CodeQuery {
                refusal: refusal.take(),
                attempts_left: ATTEMPTS - attempt,
                length: query.min_length.zip(query.max_length),
            });
            let Some(code) = code.await else {
                return Err(failed(match attempt {
                    0 => SessionError::CodeNotGiven,
                    attempts => SessionError::CodesRefused { attempts },
                }));
            };
            match receiver.show(code).await {
                Ok(queries) => {
                    self.state.send_replace(SessionState::LoggingIn);
                    return Ok(queries);
                },
                Err(error) if error.is_refused_with(Code::MfaInvalidToken) => {
                    refusal = Some(error.to_string());
                },
                Err(error) if error.is_refused_with(Code::MfaNotEnrolled) => {
                    return Err(failed(SessionError::TotpNotEnrolled));
                },
                Err(error) => return Err(error.into()),
            }
        }
        Err(failed(SessionError::CodesRefused { attempts: ATTEMPTS }))
    }
}
