//! Command errors with hints and exit codes.

pub(crate) mod cause;
mod excerpt;
pub(crate) mod refusal;

use crate::{invocation, terminal};
use portcullis_api::code::Code;
use portcullis_client::first_contact::FirstContactError;
use portcullis_client::{
    BuildError, ClientError, PagingError, PeerCertificateError, RefusalError, RenewalError,
};
use portcullis_command_line::{fit, supports_color};
use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

const ERROR: &str = "error:";
const HINT: &str = "hint:";

/// Error kinds that exit codes distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    Failed,
    /// The session has expired or lacks a permission.
    Unauthorized,
    Usage,
    /// There is no session, or it has expired.
    NotLoggedIn,
    /// The controller cannot be reached or is not trusted.
    Unreachable,
    /// The user cancelled a prompt.
    Cancelled,
    /// The reader of the output closed it.
    BrokenPipe,
    /// The result already reports the failure.
    AlreadyReported,
}

impl ErrorKind {
    /// The exit code, as documented in `--help`.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::BrokenPipe => 0,
            Self::Failed | Self::Unauthorized | Self::AlreadyReported => 1,
            Self::Usage => 2,
            Self::NotLoggedIn => 3,
            Self::Unreachable => 4,
            // 128 + SIGINT, as shells report it.
            Self::Cancelled => 130,
        }
    }
}

/// An error with hints for the user.
#[derive(Debug)]
pub(crate) struct CliError {
    kind: ErrorKind,
    error: anyhow::Error,
    hints: Vec<String>,
    /// Id of the refused request, by which the controller's log is searched.
    request_id: Option<String>,
}

impl CliError {
    /// Creates a general failure.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, anyhow::Error::msg(message.into()))
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, anyhow::Error::msg(message.into()))
    }

    /// Creates an error for a controller that is not trusted, or is none.
    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unreachable, anyhow::Error::msg(message.into()))
    }

    /// Creates an error for a session that has ended, or lacks a permission.
    pub(crate) fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unauthorized, anyhow::Error::msg(message.into()))
    }

    /// Creates an error that the printed result already reports.
    pub(crate) fn already_reported() -> Self {
        Self::new(
            ErrorKind::AlreadyReported,
            anyhow::Error::msg("the result says it"),
        )
    }

    /// The user cancelled a prompt.
    pub(crate) fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, anyhow::Error::msg("cancelled"))
    }

    /// Creates an error for a missing or expired session.
    pub(crate) fn not_logged_in(message: impl Into<String>, url: Option<&str>) -> Self {
        let login = url.unwrap_or("URL --username NAME");
        Self::without_session(message).hint(format!("run `portcullis login {login}`"))
    }

    /// Creates an error for a missing session that a login does not mend.
    pub(crate) fn without_session(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotLoggedIn, anyhow::Error::msg(message.into()))
    }

    fn new(kind: ErrorKind, error: anyhow::Error) -> Self {
        Self {
            kind,
            error,
            hints: Vec::new(),
            request_id: None,
        }
    }

    /// Adds the underlying cause.
    pub(crate) fn with_source(mut self, cause: impl Into<anyhow::Error>) -> Self {
        let message = self.error.to_string();
        self.error = cause.into().context(message);
        self
    }

    /// Adds a message in front; the current error becomes its cause.
    pub(crate) fn with_context(mut self, message: String) -> Self {
        self.error = self.error.context(message);
        self
    }

    /// Says that `identity` lacks a permission. Controllers answer the same to expired sessions, and
    /// say both in one.
    pub(crate) fn into_missing_permission(self, identity: &str) -> Self {
        let message = format!(
            "`{identity}` lacks the permission for this ({})",
            Code::Unauthorized.name()
        );
        Self {
            error: anyhow::Error::msg(message),
            ..self
        }
        .hint("`portcullis whoami` shows the permissions; an administrator can grant more")
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Names the request that the controller refused.
    pub(crate) fn of_request(mut self, refusal: Option<&RefusalError>) -> Self {
        let id = refusal.and_then(RefusalError::request_id);
        self.request_id = id.map(str::to_owned);
        self
    }

    /// Converts a failed login; `hint` is added if the credential was refused.
    pub(crate) fn from_login(error: ClientError, hint: impl Into<String>) -> Self {
        // Controllers answer `UNAUTHORIZED` to refused JWTs.
        let is_refused =
            error.is_refused_with(Code::InvalidAuth) || error.is_refused_with(Code::Unauthorized);
        let failure = Self::from(error);
        if is_refused {
            failure.hint(hint)
        } else {
            failure
        }
    }

    /// Converts a refused enrollment. `hints` replace the generic ones about tokens.
    pub(crate) fn from_enrollment(error: ClientError, hints: Vec<String>) -> Self {
        let failure = Self::failed_request(ErrorKind::Failed, error);
        hints.into_iter().fold(failure, Self::hint)
    }

    /// Unwraps the error of a renewal, which is one of this program.
    fn from_renewal(error: ClientError) -> Self {
        match error {
            ClientError::Renewal(RenewalError(source)) => match source.downcast::<Self>() {
                Ok(told) => *told,
                Err(other) => {
                    let other = anyhow::Error::from_boxed(other);
                    Self::new(ErrorKind::NotLoggedIn, other)
                },
            },
            other => Self::new(ErrorKind::Failed, other.into()),
        }
    }

    fn failed_request(kind: ErrorKind, error: ClientError) -> Self {
        let request_id = error.refusal().and_then(RefusalError::request_id);
        let request_id = request_id.map(str::to_owned);
        Self {
            request_id,
            ..Self::new(kind, error.into())
        }
    }

    /// Whether the controller refused with this code.
    pub(crate) fn is_refused_with(&self, code: Code) -> bool {
        let cause = self.error.downcast_ref::<ClientError>();
        cause.is_some_and(|cause| cause.is_refused_with(code))
    }

    /// Whether the controller's error response names a cause.
    pub(crate) fn has_api_cause(&self) -> bool {
        let refusal = self.error.downcast_ref().and_then(ClientError::refusal);
        let body = refusal.and_then(|refusal| refusal.body.as_ref());
        body.is_some_and(|body| body.error.cause.is_some())
    }

    #[cfg(test)]
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Why the certificate of the controller was refused, if that is the error.
    pub(crate) fn untrusted_certificate(&self) -> Option<&PeerCertificateError> {
        match self.error.downcast_ref()? {
            ClientError::Untrusted { source, .. } => Some(source),
            _ => None,
        }
    }

    /// Prints the error and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if !matches!(
            self.kind,
            ErrorKind::BrokenPipe | ErrorKind::AlreadyReported
        ) {
            // If standard error is closed, the exit code has to do.
            let _ = self.print();
        }
        ExitCode::from(self.kind.exit_code())
    }

    fn print(&self) -> io::Result<()> {
        let mut stderr = io::stderr().lock();
        let is_colored = supports_color(&stderr);
        let text = self.render(is_colored, terminal::stderr_width());
        stderr.write_all(text.as_bytes())
    }

    /// Renders the error with its causes, each hint, and the id of the request, on lines of their
    /// own. Lines are broken for a terminal with `columns`.
    fn render(&self, is_colored: bool, columns: Option<usize>) -> String {
        let style = |text: &str, code| terminal::styled(text, code, is_colored);
        let message = excerpt::render_message(&self.full_message(), |text| {
            fit(&text, columns, ERROR.len() + 1)
        });
        let mut lines = vec![format!("{} {message}", style(ERROR, "1;31"))];
        for hint in &self.hints {
            let hint = invocation::repeat_options(hint);
            let hint = terminal::escape_control_characters(&hint);
            let hint = fit(&hint, columns, HINT.len() + 1);
            lines.push(format!("{} {hint}", style(HINT, "1;36")));
        }
        if let Some(id) = &self.request_id {
            let id = terminal::escape_control_characters(id);
            lines.push(style(&format!("request id: {id}"), "2"));
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// The error with its causes, escaped for terminals.
    pub(crate) fn message(&self) -> String {
        terminal::escape_control_characters(&self.full_message())
    }

    /// The error with its causes, unescaped, without repetitions.
    fn full_message(&self) -> String {
        let mut message = String::new();
        for cause in self.error.chain() {
            let cause = cause::describe(cause);
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

impl fmt::Display for CliError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message())
    }
}

/// For the errors of libraries that call back.
impl std::error::Error for CliError {}

impl From<io::Error> for CliError {
    /// Converts an error in writing the output.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::new(ErrorKind::BrokenPipe, error.into())
        } else {
            Self::failed("the output cannot be written").with_source(error)
        }
    }
}

impl From<ClientError> for CliError {
    fn from(error: ClientError) -> Self {
        match &error {
            ClientError::Unreachable { address, .. } => {
                let hint = format!(
                    "check that the controller is running and that the address {address} is correct"
                );
                Self::new(ErrorKind::Unreachable, error.into()).hint(hint)
            },
            ClientError::Interrupted { .. } => Self::new(ErrorKind::Unreachable, error.into())
                .hint("it is not known whether the request took effect: look before you repeat it"),
            ClientError::Untrusted { .. } => Self::new(ErrorKind::Unreachable, error.into()),
            ClientError::Refused(refusal) => {
                let kind = match refusal.code() {
                    Some(Code::Unauthorized) => ErrorKind::Unauthorized,
                    _ => ErrorKind::Failed,
                };
                let refusal = refusal.clone();
                refusal::with_hints(Self::failed_request(kind, error), &refusal)
            },
            ClientError::Denied(_) => Self::new(ErrorKind::Failed, error.into()),
            ClientError::Renewal(_) => Self::from_renewal(error),
            ClientError::UnexpectedResponse { .. } => Self::new(ErrorKind::Failed, error.into())
                .hint("check that this is the address of a controller"),
            ClientError::Paging(problem) => {
                let hint = match problem {
                    PagingError::Moved { .. } => {
                        "do not use `skip` in the filter; use --offset instead"
                    },
                    PagingError::TooFar { .. } => {
                        "leave out the sort order, or narrow the list with a filter"
                    },
                };
                Self::new(ErrorKind::Failed, error.into()).hint(hint)
            },
            ClientError::InvalidRequest(_) => Self::new(ErrorKind::Usage, error.into()),
        }
    }
}

impl From<BuildError> for CliError {
    fn from(error: BuildError) -> Self {
        let kind = match error {
            BuildError::NotHttps | BuildError::NoHost => ErrorKind::Usage,
            BuildError::NoTrustAnchors
            | BuildError::Pem
            | BuildError::ClientKey
            | BuildError::ClientKeyMismatch
            | BuildError::Tls => ErrorKind::Failed,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_with_cause_and_hints() {
        let error = CliError::failed("the file cannot be read")
            .with_source(io::Error::from(io::ErrorKind::NotFound))
            .hint("create it")
            .hint("or name another one");
        assert_eq!(
            error.render(false, None),
            "error: the file cannot be read: it does not exist\n\
             hint: create it\nhint: or name another one\n"
        );
        assert!(
            error
                .render(true, None)
                .starts_with("\u{1b}[1;31merror:\u{1b}[0m the file")
        );
    }

    #[test]
    fn text_of_others_cannot_drive_the_terminal() {
        let error = CliError::failed("bad \u{1b}[2J name\u{9b}5n");
        assert_eq!(
            error.render(false, None),
            "error: bad \\u{1b}[2J name\\u{9b}5n\n"
        );
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
                .render(false, None)
                .ends_with("hint: run `portcullis login https://c:1280`\n")
        );
    }
}
