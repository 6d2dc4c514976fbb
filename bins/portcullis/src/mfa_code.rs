//! TOTP and recovery codes: sources and retries.

use crate::error::CliError;
use crate::{output, prompt, secret_source};
use clap::Args;
use portcullis_api::code::Code;
use portcullis_client::ClientError;
use portcullis_totp::SubmittedCode;
use secrecy::{ExposeSecret as _, SecretString};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Environment variable for a code.
const ENV_VAR: &str = "PORTCULLIS_CODE";

const MAX_ATTEMPTS: u32 = 3;

/// Longest `Retry-After` that controllers send after wrong codes, in seconds.
const MAX_WAIT_SECONDS: u64 = 3600;

/// Noun for the secret in error messages.
const SECRET_NAME: &str = "code";

const CODE_HINT: &str = "pass it with `--code-file FILE` (`-` for standard input) or in PORTCULLIS_CODE; \
    `--code` would show it to other users of this machine";

const LOGIN_CODE_HINT: &str = "pass it, or a recovery code, with `--code-file FILE` (`-` for standard \
    input) or in PORTCULLIS_CODE; `--totp` and `--recovery-code` would show it to other users of this \
    machine";

/// Code source of commands that need a code; prompts by default.
#[derive(Debug, Clone, Args)]
pub(crate) struct CodeArgs {
    /// Code, for scripts; prompted for by default. Visible to other users of this machine: prefer a
    /// file or the environment variable `PORTCULLIS_CODE`
    #[arg(long, value_name = "CODE", value_parser = secret_source::parse_secret)]
    code: Option<SecretString>,

    /// Read the code from the first line of a file, or standard input for `-`; overrides
    /// `PORTCULLIS_CODE`
    #[arg(long, value_name = "FILE", conflicts_with = "code")]
    code_file: Option<PathBuf>,
}

/// Code source of a login; prompts by default.
#[derive(Debug, Clone, Args)]
pub(crate) struct LoginCodeArgs {
    /// TOTP code to use if one is required, for scripts. Visible to other users of this machine:
    /// prefer a file or the environment variable `PORTCULLIS_CODE`
    #[arg(long, value_name = "CODE", value_parser = secret_source::parse_secret)]
    totp: Option<SecretString>,

    /// Recovery code to use instead of a TOTP code, for scripts; each works once. Visible to other
    /// users of this machine: prefer a file or the environment variable `PORTCULLIS_CODE`
    #[arg(
        long,
        value_name = "CODE",
        value_parser = secret_source::parse_secret,
        conflicts_with = "totp"
    )]
    recovery_code: Option<SecretString>,

    /// Read the TOTP or recovery code from the first line of a file, or standard input for `-`;
    /// overrides `PORTCULLIS_CODE`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["totp", "recovery_code"])]
    code_file: Option<PathBuf>,
}

/// Kinds of codes that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AcceptedCodes {
    Totp,
    Recovery,
    Either,
}

/// Source of the codes that a command tries.
#[derive(Debug, Clone)]
pub(crate) enum CodeSource {
    Given(SecretString),
    /// The environment variable, which may be set for another command: it is read only when a code
    /// is required.
    Environment(AcceptedCodes),
    /// Interactive prompt.
    Prompt {
        accepted: AcceptedCodes,
        /// Non-interactive alternative, shown without a terminal.
        hint: &'static str,
    },
}

impl CodeArgs {
    /// Selects the code source.
    pub(crate) fn source(&self, accepted: AcceptedCodes) -> Result<CodeSource, CliError> {
        let given = secret_source::read_from_args(
            self.code.as_ref(),
            self.code_file.as_deref(),
            SECRET_NAME,
        )?;
        CodeSource::new(given, accepted, CODE_HINT)
    }
}

impl LoginCodeArgs {
    /// Whether an argument provides a code.
    pub(crate) fn is_given(&self) -> bool {
        self.totp.is_some() || self.recovery_code.is_some() || self.code_file.is_some()
    }

    /// The file to read the code from, if any.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.code_file.as_deref()
    }

    /// Selects the code source.
    pub(crate) fn source(&self) -> Result<CodeSource, CliError> {
        let (code, accepted) = match (&self.totp, &self.recovery_code) {
            (Some(code), _) => (Some(code), AcceptedCodes::Totp),
            (None, Some(code)) => (Some(code), AcceptedCodes::Recovery),
            (None, None) => (None, AcceptedCodes::Either),
        };
        let given = secret_source::read_from_args(code, self.code_file.as_deref(), SECRET_NAME)?;
        CodeSource::new(given, accepted, LOGIN_CODE_HINT)
    }
}

impl AcceptedCodes {
    /// Normalizes a code: removes whitespace and converts it to upper case.
    fn normalize(self, text: &SecretString) -> Option<SecretString> {
        let written = text.expose_secret().chars();
        let mut code = Zeroizing::new(String::with_capacity(text.expose_secret().len()));
        code.extend(
            written
                .filter(|character| !character.is_whitespace())
                .map(|character| character.to_ascii_uppercase()),
        );
        let is_accepted = match (self, SubmittedCode::parse(&code).ok()?) {
            (Self::Either, _)
            | (Self::Totp, SubmittedCode::Totp(_))
            | (Self::Recovery, SubmittedCode::Recovery(_)) => true,
            (Self::Totp, SubmittedCode::Recovery(_)) | (Self::Recovery, SubmittedCode::Totp(_)) => {
                false
            },
        };
        is_accepted.then(|| SecretString::from(code.as_str()))
    }

    /// Hint on the format of accepted codes.
    fn describe_format(self) -> &'static str {
        match self {
            Self::Totp => "a TOTP code has six digits",
            Self::Recovery => "a recovery code has six letters and digits",
            Self::Either => "a TOTP code has six digits, a recovery code six letters and digits",
        }
    }
}

impl CodeSource {
    fn new(
        given: Option<SecretString>,
        accepted: AcceptedCodes,
        hint: &'static str,
    ) -> Result<Self, CliError> {
        match given {
            // The controller's refusal would not explain the reason.
            Some(code) => accepted.normalize(&code).map(Self::Given).ok_or_else(|| {
                CliError::usage("the code is malformed").hint(accepted.describe_format())
            }),
            None if secret_source::is_env_set(ENV_VAR) => Ok(Self::Environment(accepted)),
            None => Ok(Self::Prompt { accepted, hint }),
        }
    }

    pub(crate) fn is_prompt(&self) -> bool {
        matches!(self, Self::Prompt { .. })
    }

    /// Whether a code can be obtained: it is given, or there is a terminal.
    pub(crate) fn is_available(&self) -> bool {
        !self.is_prompt() || prompt::is_interactive()
    }

    /// Calls `attempt` with the given code, or with up to three prompted ones. Ctrl-C at the prompt
    /// cancels this call instead of the program, so that a new session can still be ended.
    pub(crate) async fn try_codes<T, F>(
        &self,
        question: &'static str,
        attempt: impl Fn(SecretString) -> F,
    ) -> Result<T, CliError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let tried = self.try_each(question, attempt);
        if self.is_prompt() {
            prompt::run_until_cancelled(tried).await
        } else {
            tried.await
        }
    }

    async fn try_each<T, F>(
        &self,
        question: &'static str,
        attempt: impl Fn(SecretString) -> F,
    ) -> Result<T, CliError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let mut left = MAX_ATTEMPTS;
        loop {
            let code = self.next_code(question, &mut left).await?;
            match attempt(code).await {
                Err(error) if left > 0 && error.is_refused_with(Code::MfaInvalidToken) => {
                    output::note("That code is wrong or was already used. Try the next one.");
                },
                Err(error) => return Err(explain_refusal(error)),
                Ok(done) => return Ok(done),
            }
        }
    }

    /// The next code to try. `left` counts the remaining attempts, including this one.
    async fn next_code(
        &self,
        question: &'static str,
        left: &mut u32,
    ) -> Result<SecretString, CliError> {
        let (accepted, hint) = match self {
            Self::Given(code) => {
                *left = 0;
                return Ok(code.clone());
            },
            Self::Environment(accepted) => {
                *left = 0;
                return read_from_env(*accepted);
            },
            Self::Prompt { accepted, hint } => (*accepted, *hint),
        };
        while *left > 0 {
            *left -= 1;
            let typed = prompt::spawn_prompt(move || prompt::code(question, hint)).await?;
            if let Some(code) = accepted.normalize(&typed) {
                return Ok(code);
            }
            output::note(&format!(
                "That code is malformed: {}.",
                accepted.describe_format()
            ));
        }
        Err(CliError::failed("no code was entered").hint(accepted.describe_format()))
    }
}

fn read_from_env(accepted: AcceptedCodes) -> Result<SecretString, CliError> {
    let code = secret_source::read_from_env(ENV_VAR)?.and_then(|text| accepted.normalize(&text));
    code.ok_or_else(|| {
        CliError::usage(format!("the code in {ENV_VAR} is malformed"))
            .hint(accepted.describe_format())
    })
}

/// Explains why a code was refused, or not checked at all.
fn explain_refusal(error: ClientError) -> CliError {
    let is_wrong = error.is_refused_with(Code::MfaInvalidToken);
    let is_throttled = error.is_refused_with(Code::ServerTooManyRequests);
    let wait = error.refusal().and_then(|refusal| refusal.retry_after);
    let failure = CliError::from(error);
    if is_wrong {
        return failure
            .hint("each code works once and only for a short time; wait for the next one")
            .hint("check the clock of the device that shows the codes");
    }
    match wait {
        // Controllers send it both for the longest wait and for a permanent lock.
        Some(wait) if is_throttled && wait >= MAX_WAIT_SECONDS => failure.hint(
            "if codes are still refused after an hour, there were 100 wrong codes in a row: ask an \
             administrator to run `portcullis identity mfa-remove`",
        ),
        Some(_) if is_throttled => failure.hint("each wrong code makes the wait longer"),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::error::ErrorBody;
    use portcullis_client::RefusalError;
    use portcullis_domain::ids::RequestId;

    #[test]
    fn codes_are_read_as_people_write_them() {
        for (text, accepted, read) in [
            ("012345", AcceptedCodes::Totp, Some("012345")),
            (" 012 345\r", AcceptedCodes::Either, Some("012345")),
            ("ab2c3d", AcceptedCodes::Recovery, Some("AB2C3D")),
            ("AB2 C3D", AcceptedCodes::Either, Some("AB2C3D")),
            ("AB2C3D", AcceptedCodes::Totp, None),
            ("012345", AcceptedCodes::Recovery, None),
            ("01234", AcceptedCodes::Either, None),
            ("0123456", AcceptedCodes::Either, None),
            ("+12345", AcceptedCodes::Either, None),
            ("１２３４５６", AcceptedCodes::Either, None),
            ("", AcceptedCodes::Either, None),
        ] {
            let code = accepted.normalize(&text.into());
            let code = code.as_ref().map(SecretString::expose_secret);
            assert_eq!(code, read, "{text:?} {accepted:?}");
        }
    }

    #[test]
    fn longest_wait_may_be_the_last_or_a_lock() {
        let request = RequestId::from_wire("r");
        let body = ErrorBody::new(Code::ServerTooManyRequests, request);
        for (wait, told) in [
            (Some(3600), "if codes are still refused after an hour"),
            (Some(3599), "makes the wait longer"),
            (Some(1), "makes the wait longer"),
            (None, "try again later"),
        ] {
            let error = explain_refusal(ClientError::Refused(Box::new(RefusalError {
                status: 429,
                body: Some(body.clone()),
                retry_after: wait,
            })));
            let shown = format!("{error:?}");
            assert!(shown.contains(told), "{wait:?}: {shown}");
            assert_eq!(shown.contains("mfa-remove"), wait == Some(3600), "{shown}");
        }
    }

    #[test]
    fn what_is_no_code_is_not_repeated() {
        let error =
            CodeSource::new(Some("12345x".into()), AcceptedCodes::Totp, CODE_HINT).unwrap_err();
        assert!(!format!("{error:?}").contains("12345x"));
        assert_eq!(error.kind().exit_code(), 2);
    }
}
