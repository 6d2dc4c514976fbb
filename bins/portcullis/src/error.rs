//! What a command ends with when it does not do what was asked for.

pub(crate) mod cause;
mod excerpt;

use crate::output;
use portcullis_api::code::Code;
use portcullis_client::first_contact::FirstContactError;
use portcullis_client::{BuildError, ClientError, Refusal};
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Why a command failed, as far as scripts tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The controller refused, or something else went wrong.
    Failed,
    /// The controller refused because of who asks: the session may be over, or not entitled.
    Unauthorized,
    /// The arguments make no sense.
    Usage,
    /// There is no session, or it is over.
    NotLoggedIn,
    /// The controller is not reached, or is not the one that is trusted.
    Unreachable,
    /// Whoever was asked has given up.
    GivenUp,
    /// Whoever reads the output has seen enough.
    BrokenPipe,
    /// The result says what is wrong already.
    Told,
}

impl Kind {
    /// The exit code, as documented in the help.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::BrokenPipe => 0,
            Self::Failed | Self::Unauthorized | Self::Told => 1,
            Self::Usage => 2,
            Self::NotLoggedIn => 3,
            Self::Unreachable => 4,
            // What shells say of a program that Ctrl-C has ended.
            Self::GivenUp => 130,
        }
    }
}

/// A failure, and what can be done about it.
#[derive(Debug)]
pub(crate) struct CliError {
    kind: Kind,
    error: anyhow::Error,
    hints: Vec<String>,
}

impl CliError {
    /// Something could not be done.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, anyhow::Error::msg(message.into()))
    }

    /// The arguments make no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, anyhow::Error::msg(message.into()))
    }

    /// The command failed, and its result says why.
    pub(crate) fn told() -> Self {
        Self::new(Kind::Told, anyhow::Error::msg("the result says it"))
    }

    /// Whoever was asked has given up.
    pub(crate) fn given_up() -> Self {
        Self::new(Kind::GivenUp, anyhow::Error::msg("cancelled"))
    }

    /// There is no session for that profile, or it is over.
    pub(crate) fn not_logged_in(message: impl Into<String>, url: Option<&str>) -> Self {
        let login = url.unwrap_or("URL --username NAME");
        Self::new(Kind::NotLoggedIn, anyhow::Error::msg(message.into()))
            .hint(format!("run `portcullis login {login}`"))
    }

    fn new(kind: Kind, error: anyhow::Error) -> Self {
        Self {
            kind,
            error,
            hints: Vec::new(),
        }
    }

    /// The same failure with what led to it.
    pub(crate) fn because(mut self, cause: impl Into<anyhow::Error>) -> Self {
        let message = self.error.to_string();
        self.error = cause.into().context(message);
        self
    }

    /// The same failure as the reason of another one.
    pub(crate) fn within(mut self, message: String) -> Self {
        self.error = self.error.context(message);
        self
    }

    /// The same failure with something that can be done about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// A login that did not succeed. What to do when the controller takes none of it depends on
    /// what the login was made with: `hint` says it.
    pub(crate) fn of_login(error: ClientError, hint: impl Into<String>) -> Self {
        // Controllers say the latter about JWTs.
        let is_refused =
            error.is_refused_with(Code::InvalidAuth) || error.is_refused_with(Code::Unauthorized);
        let failure = Self::from(error);
        if is_refused {
            failure.hint(hint)
        } else {
            failure
        }
    }

    /// An enrollment that was refused for what it was made with; `hints` say what may be wrong with
    /// that. What is said about tokens elsewhere does not go with it.
    pub(crate) fn of_enrollment(error: ClientError, hints: Vec<String>) -> Self {
        let failure = Self::new(Kind::Failed, error.into());
        hints.into_iter().fold(failure, Self::hint)
    }

    /// Whether the controller has said what exactly it refuses.
    pub(crate) fn has_cause(&self) -> bool {
        let refusal = self.error.downcast_ref().and_then(ClientError::refusal);
        let body = refusal.and_then(|refusal| refusal.body.as_ref());
        body.is_some_and(|body| body.error.cause.is_some())
    }

    /// Why the command failed.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the controller could not prove that it is the one that is trusted.
    pub(crate) fn is_untrusted(&self) -> bool {
        let cause = self.error.downcast_ref();
        matches!(cause, Some(ClientError::Untrusted { .. }))
    }

    /// Prints the failure and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if !matches!(self.kind, Kind::BrokenPipe | Kind::Told) {
            // With no place to complain to, the exit code has to do.
            let _ = self.print();
        }
        ExitCode::from(self.kind.exit_code())
    }

    fn print(&self) -> io::Result<()> {
        let mut stderr = io::stderr().lock();
        let is_coloured = output::is_coloured(&stderr);
        stderr.write_all(self.render(is_coloured).as_bytes())
    }

    /// Writes the failure, what led to it and the hints, each on lines of their own.
    fn render(&self, is_coloured: bool) -> String {
        let paint = |text: &str, code: &str| {
            if is_coloured {
                format!("\u{1b}[{code}m{text}\u{1b}[0m")
            } else {
                text.to_owned()
            }
        };
        let mut lines = vec![format!(
            "{} {}",
            paint("error:", "1;31"),
            excerpt::legible(&self.text())
        )];
        for hint in &self.hints {
            lines.push(format!(
                "{} {}",
                paint("hint:", "1;36"),
                output::printable(hint)
            ));
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// The failure and what led to it.
    pub(crate) fn message(&self) -> String {
        output::printable(&self.text())
    }

    /// The same as it came, without what only repeats.
    fn text(&self) -> String {
        let mut message = String::new();
        for cause in self.error.chain() {
            let cause = cause::in_words(cause);
            if message.contains(&cause) {
                continue;
            }
            if !message.is_empty() {
                message.push_str(": ");
            }
            message.push_str(&cause);
        }
        message
    }
}

impl From<io::Error> for CliError {
    /// An error of writing the output.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::new(Kind::BrokenPipe, error.into())
        } else {
            Self::failed("the output cannot be written").because(error)
        }
    }
}

impl From<ClientError> for CliError {
    fn from(error: ClientError) -> Self {
        match &error {
            ClientError::Unreachable { address, .. } => {
                let hint =
                    format!("check that the controller is running and that {address} is right");
                Self::new(Kind::Unreachable, error.into()).hint(hint)
            },
            ClientError::Untrusted { .. } => Self::new(Kind::Unreachable, error.into()),
            ClientError::Refused(refusal) => {
                let hint = hint_for(refusal);
                let kind = match refusal.code() {
                    Some(Code::Unauthorized) => Kind::Unauthorized,
                    _ => Kind::Failed,
                };
                let error = Self::new(kind, error.into());
                match hint {
                    Some(hint) => error.hint(hint),
                    None => error,
                }
            },
            ClientError::Unexpected { .. } => Self::new(Kind::Failed, error.into())
                .hint("check that this is a controller's address"),
            ClientError::Unwritable(_) => Self::new(Kind::Usage, error.into()),
        }
    }
}

impl From<BuildError> for CliError {
    fn from(error: BuildError) -> Self {
        let kind = match error {
            BuildError::NotHttps | BuildError::NoHost => Kind::Usage,
            BuildError::NothingTrusted
            | BuildError::ClientKey
            | BuildError::ClientKeyMismatch
            | BuildError::Tls => Kind::Failed,
        };
        Self::new(kind, error.into())
    }
}

impl From<FirstContactError> for CliError {
    fn from(error: FirstContactError) -> Self {
        match error {
            FirstContactError::Address(error) => error.into(),
            FirstContactError::Client(error) => error.into(),
        }
    }
}

/// What can be done about a refusal.
fn hint_for(refusal: &Refusal) -> Option<String> {
    if let Some(seconds) = refusal.retry_after {
        return Some(format!("try again in {seconds} s"));
    }
    let hint = match refusal.code()? {
        Code::InvalidSortIdentifier => "sort orders look like `name` or `createdAt desc, name`",
        Code::InvalidFilter => "filters look like `name contains \"lap\" and isAdmin = false`",
        Code::EnrollmentExpired => {
            "ask the administrator for another token (`portcullis enrollment refresh`)"
        },
        Code::InvalidEnrollmentToken => {
            "the token may already have been used; ask the administrator for another one"
        },
        Code::ServerTooManyRequests | Code::RateLimited | Code::Timeout => "try again later",
        _ => return None,
    };
    Some(hint.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_with_cause_and_hints() {
        let error = CliError::failed("the file cannot be read")
            .because(io::Error::from(io::ErrorKind::NotFound))
            .hint("create it")
            .hint("or name another one");
        assert_eq!(
            error.render(false),
            "error: the file cannot be read: it does not exist\n\
             hint: create it\nhint: or name another one\n"
        );
        assert!(
            error
                .render(true)
                .starts_with("\u{1b}[1;31merror:\u{1b}[0m the file")
        );
    }

    #[test]
    fn text_of_others_cannot_drive_the_terminal() {
        let error = CliError::failed("bad \u{1b}[2J name\u{9b}5n");
        assert_eq!(error.render(false), "error: bad \\u{1b}[2J name\\u{9b}5n\n");
    }

    #[test]
    fn closed_pipe_is_no_failure() {
        let error = CliError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(error.kind.exit_code(), 0);
        let error = CliError::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(error.kind.exit_code(), 1);
    }

    #[test]
    fn missing_session_names_the_way_in() {
        let error = CliError::not_logged_in("not logged in", Some("https://c:1280"));
        assert_eq!(error.kind.exit_code(), 3);
        assert!(
            error
                .render(false)
                .ends_with("hint: run `portcullis login https://c:1280`\n")
        );
    }
}
