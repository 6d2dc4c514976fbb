//! TOTP and recovery codes: where they come from, and how often one is tried.

use crate::error::CliError;
use crate::{output, prompt, source};
use clap::Args;
use portcullis_api::code::Code;
use portcullis_client::ClientError;
use portcullis_totp::Submitted;
use secrecy::{ExposeSecret as _, SecretString};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Holds a code when no argument says where it is.
const VARIABLE: &str = "PORTCULLIS_CODE";

/// How often somebody is asked for a code.
const TRIES: u32 = 3;

/// Seconds of the longest wait after wrong codes.
const LONGEST_WAIT: u64 = 3600;

/// What a file is to hold, in messages.
const WHAT: &str = "code";

const HOW: &str = "give it with `--code-file FILE` (`-` for the standard input) or in PORTCULLIS_CODE; \
    `--code` would show it to other users of this machine";

const HOW_AT_LOGIN: &str = "give it, or a recovery code, with `--code-file FILE` (`-` for the standard \
    input) or in PORTCULLIS_CODE; `--totp` and `--recovery-code` would show it to other users of this \
    machine";

/// Where the code of a command about codes comes from. Without any of these it is asked for.
#[derive(Debug, Clone, Args)]
pub(crate) struct CodeArgs {
    /// The code, for scripts; it is asked for if left out. Other users of this machine may see it;
    /// prefer a file, or the environment variable `PORTCULLIS_CODE`
    #[arg(long, value_name = "CODE", value_parser = source::secret)]
    code: Option<SecretString>,

    /// Read the code from the first line of a file, or of the standard input for `-`; overrides
    /// `PORTCULLIS_CODE`
    #[arg(long, value_name = "FILE", conflicts_with = "code")]
    code_file: Option<PathBuf>,
}

/// Where the code comes from that a login may need. Without any of these it is asked for.
#[derive(Debug, Clone, Args)]
pub(crate) struct AnswerArgs {
    /// TOTP code to answer with if one is asked for, for scripts. Other users of this machine may
    /// see it; prefer a file, or the environment variable `PORTCULLIS_CODE`
    #[arg(long, value_name = "CODE", value_parser = source::secret)]
    totp: Option<SecretString>,

    /// Recovery code to answer with instead, which is spent by it, for scripts. Other users of this
    /// machine may see it; prefer a file, or the environment variable `PORTCULLIS_CODE`
    #[arg(
        long,
        value_name = "CODE",
        value_parser = source::secret,
        conflicts_with = "totp"
    )]
    recovery_code: Option<SecretString>,

    /// Read the code, of either kind, from the first line of a file, or of the standard input for
    /// `-`; goes before `PORTCULLIS_CODE`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["totp", "recovery_code"])]
    code_file: Option<PathBuf>,
}

/// Which codes will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// Those of an app.
    Totp,
    /// Recovery codes.
    Recovery,
    /// Both.
    Either,
}

/// The codes that a command can try.
#[derive(Debug, Clone)]
pub(crate) enum Codes {
    /// This one.
    Given(SecretString),
    /// The one in the environment, which may be there for something else. It is not looked at before
    /// a code is asked for.
    InEnvironment(Accepted),
    /// Those that somebody types.
    Asked {
        /// Which of them will do.
        accepted: Accepted,
        /// How a code is given beforehand.
        hint: &'static str,
    },
}

impl CodeArgs {
    /// Finds out which code is to be tried.
    pub(crate) fn codes(&self, accepted: Accepted) -> Result<Codes, CliError> {
        let given = source::given(self.code.as_ref(), self.code_file.as_deref(), WHAT)?;
        Codes::new(given, accepted, HOW)
    }
}

impl AnswerArgs {
    /// Whether the arguments say what to answer.
    pub(crate) fn is_given(&self) -> bool {
        self.totp.is_some() || self.recovery_code.is_some() || self.code_file.is_some()
    }

    /// The file that holds the code, if it is to come from one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.code_file.as_deref()
    }

    /// Finds out which code is to be tried.
    pub(crate) fn codes(&self) -> Result<Codes, CliError> {
        let (code, accepted) = match (&self.totp, &self.recovery_code) {
            (Some(code), _) => (Some(code), Accepted::Totp),
            (None, Some(code)) => (Some(code), Accepted::Recovery),
            (None, None) => (None, Accepted::Either),
        };
        let given = source::given(code, self.code_file.as_deref(), WHAT)?;
        Codes::new(given, accepted, HOW_AT_LOGIN)
    }
}

impl Accepted {
    /// Reads a code as people write it: with blanks between, and recovery codes in any case.
    fn read(self, text: &SecretString) -> Option<SecretString> {
        let written = text.expose_secret().chars();
        let mut code = Zeroizing::new(String::with_capacity(text.expose_secret().len()));
        code.extend(
            written
                .filter(|character| !character.is_whitespace())
                .map(|character| character.to_ascii_uppercase()),
        );
        let is_accepted = match (self, Submitted::parse(&code).ok()?) {
            (Self::Either, _)
            | (Self::Totp, Submitted::Totp(_))
            | (Self::Recovery, Submitted::Recovery(_)) => true,
            (Self::Totp, Submitted::Recovery(_)) | (Self::Recovery, Submitted::Totp(_)) => false,
        };
        is_accepted.then(|| SecretString::from(code.as_str()))
    }

    /// What such a code looks like.
    fn form(self) -> &'static str {
        match self {
            Self::Totp => "a code of an app has six digits",
            Self::Recovery => "a recovery code has six letters and digits",
            Self::Either => {
                "a code of an app has six digits, a recovery code six letters and digits"
            },
        }
    }
}

impl Codes {
    fn new(
        given: Option<SecretString>,
        accepted: Accepted,
        hint: &'static str,
    ) -> Result<Self, CliError> {
        match given {
            // Sent anyway it would be refused, and nobody would know why.
            Some(code) => accepted.read(&code).map(Self::Given).ok_or_else(|| {
                CliError::usage("the code has the wrong form").hint(accepted.form())
            }),
            None if source::is_set(VARIABLE) => Ok(Self::InEnvironment(accepted)),
            None => Ok(Self::Asked { accepted, hint }),
        }
    }

    /// Whether somebody has to be asked.
    pub(crate) fn are_asked(&self) -> bool {
        matches!(self, Self::Asked { .. })
    }

    /// Whether there is a code, or somebody to ask for one.
    pub(crate) fn is_there(&self) -> bool {
        !self.are_asked() || prompt::is_interactive()
    }

    /// Has codes tried: the one that is given, or what is typed, which may be wrong twice. Whoever
    /// gives up at the question ends this, and not the program: a session may have to be ended.
    pub(crate) async fn tried<T, F>(
        &self,
        question: &'static str,
        attempt: impl Fn(SecretString) -> F,
    ) -> Result<T, CliError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let tried = self.each_tried(question, attempt);
        if self.are_asked() {
            prompt::unless_given_up(tried).await
        } else {
            tried.await
        }
    }

    async fn each_tried<T, F>(
        &self,
        question: &'static str,
        attempt: impl Fn(SecretString) -> F,
    ) -> Result<T, CliError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let mut left = TRIES;
        loop {
            let code = self.next(question, &mut left).await?;
            match attempt(code).await {
                Err(error) if left > 0 && error.is_refused_with(Code::MfaInvalidToken) => {
                    output::note("That code is wrong or was already used. Try the next one.");
                },
                Err(error) => return Err(refused(error)),
                Ok(done) => return Ok(done),
            }
        }
    }

    /// The next code to try; `left` is how many there may be, this one included.
    async fn next(&self, question: &'static str, left: &mut u32) -> Result<SecretString, CliError> {
        let (accepted, hint) = match self {
            Self::Given(code) => {
                *left = 0;
                return Ok(code.clone());
            },
            Self::InEnvironment(accepted) => {
                *left = 0;
                return from_environment(*accepted);
            },
            Self::Asked { accepted, hint } => (*accepted, *hint),
        };
        while *left > 0 {
            *left -= 1;
            let typed = prompt::beside(move || prompt::code(question, hint)).await?;
            if let Some(code) = accepted.read(&typed) {
                return Ok(code);
            }
            output::note(&format!(
                "That code has the wrong form: {}.",
                accepted.form()
            ));
        }
        Err(CliError::failed("no code was entered").hint(accepted.form()))
    }
}

/// The code in the environment.
fn from_environment(accepted: Accepted) -> Result<SecretString, CliError> {
    let code = source::from_environment(VARIABLE)?.and_then(|text| accepted.read(&text));
    code.ok_or_else(|| {
        CliError::usage(format!("the code in {VARIABLE} has the wrong form")).hint(accepted.form())
    })
}

/// A code was not accepted, or not looked at.
fn refused(error: ClientError) -> CliError {
    let is_wrong = error.is_refused_with(Code::MfaInvalidToken);
    let is_held = error.is_refused_with(Code::ServerTooManyRequests);
    let wait = error.refusal().and_then(|refusal| refusal.retry_after);
    let failure = CliError::from(error);
    if is_wrong {
        return failure
            .hint("each code works once, and only for a short time: wait for the next one")
            .hint("check that the clock of the device that shows the codes is right");
    }
    match wait {
        // It is the same for the last of many waits and for a lock that no wait opens.
        Some(wait) if is_held && wait >= LONGEST_WAIT => failure.hint(
            "if waiting for an hour does not help, there were a hundred wrong codes in a row: then \
             an administrator has to run `portcullis identity mfa-remove`",
        ),
        Some(_) if is_held => {
            failure.hint("each wrong code makes the wait before the next one longer")
        },
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::error::ErrorBody;
    use portcullis_client::Refusal;
    use portcullis_domain::ids::RequestId;

    #[test]
    fn codes_are_read_as_people_write_them() {
        for (text, accepted, read) in [
            ("012345", Accepted::Totp, Some("012345")),
            (" 012 345\r", Accepted::Either, Some("012345")),
            ("ab2c3d", Accepted::Recovery, Some("AB2C3D")),
            ("AB2 C3D", Accepted::Either, Some("AB2C3D")),
            ("AB2C3D", Accepted::Totp, None),
            ("012345", Accepted::Recovery, None),
            ("01234", Accepted::Either, None),
            ("0123456", Accepted::Either, None),
            ("+12345", Accepted::Either, None),
            ("１２３４５６", Accepted::Either, None),
            ("", Accepted::Either, None),
        ] {
            let code = accepted.read(&text.into());
            let code = code.as_ref().map(SecretString::expose_secret);
            assert_eq!(code, read, "{text:?} {accepted:?}");
        }
    }

    #[test]
    fn longest_wait_may_be_the_last_or_a_lock() {
        let request = RequestId::from_wire("r");
        let body = ErrorBody::new(Code::ServerTooManyRequests, request);
        for (wait, told) in [
            (Some(3600), "if waiting for an hour does not help"),
            (Some(3599), "makes the wait before the next one longer"),
            (Some(1), "makes the wait before the next one longer"),
            (None, "try again later"),
        ] {
            let error = refused(ClientError::Refused(Box::new(Refusal {
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
        let error = Codes::new(Some("12345x".into()), Accepted::Totp, HOW).unwrap_err();
        assert!(!format!("{error:?}").contains("12345x"));
        assert_eq!(error.kind().exit_code(), 2);
    }
}
