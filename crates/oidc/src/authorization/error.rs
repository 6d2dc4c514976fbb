//! Refusals of authorization requests.

use crate::parameters::ParametersError;
use crate::pkce::ChallengeError;
use crate::redirect::{RedirectError, RedirectUri};
use crate::scope::ScopeError;

/// An authorization request is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthorizationError {
    /// Shown to whoever made the request. It must not be redirected: its redirect URI could be anybody's.
    #[error(transparent)]
    Page(#[from] PageError),
    /// Sent to the client through the browser.
    #[error("{}", .0.error)]
    Redirect(ErrorRedirect),
}

/// A request does not tell where it could be redirected to. Answered with status 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    #[error("client_id is missing")]
    MissingClient,
    #[error("client not found")]
    UnknownClient,
    #[error("redirect_uri is missing")]
    MissingRedirectUri,
    #[error("redirect_uri is not registered for the client")]
    Redirect(#[from] RedirectError),
    #[error(transparent)]
    Parameters(#[from] ParametersError),
}

impl PageError {
    /// Value of `error`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnknownClient => "invalid_client",
            Self::MissingClient
            | Self::MissingRedirectUri
            | Self::Redirect(_)
            | Self::Parameters(_) => "invalid_request",
        }
    }
}

/// What goes back to a client that gets no code. Its text is the `error_description`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RedirectedError {
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("{0} is malformed, too long or not supported")]
    Malformed(&'static str),
    #[error("response_type must be code")]
    ResponseType,
    #[error("request objects are not supported")]
    RequestObject,
    #[error("request_uri is not supported")]
    RequestUri,
    #[error("registration is not supported")]
    Registration,
    #[error(transparent)]
    Challenge(#[from] ChallengeError),
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// With `prompt=none`.
    #[error("the user has to log in")]
    LoginRequired,
    /// The login is not complete.
    #[error("the user is not logged in yet, or has to show another factor")]
    InteractionRequired,
    #[error("the login could not be processed")]
    Internal,
}

impl RedirectedError {
    /// Value of `error` (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6).
    pub const fn code(self) -> &'static str {
        match self {
            Self::Parameters(_) | Self::Missing(_) | Self::Malformed(_) | Self::Challenge(_) => {
                "invalid_request"
            },
            Self::ResponseType => "unsupported_response_type",
            Self::RequestObject => "request_not_supported",
            Self::RequestUri => "request_uri_not_supported",
            Self::Registration => "registration_not_supported",
            Self::Scope(_) => "invalid_scope",
            Self::LoginRequired => "login_required",
            Self::InteractionRequired => "interaction_required",
            Self::Internal => "server_error",
        }
    }
}

/// An error on its way to the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorRedirect {
    pub(super) redirect_uri: RedirectUri,
    pub(super) state: Option<String>,
    pub(super) error: RedirectedError,
}

impl ErrorRedirect {
    pub fn error(&self) -> RedirectedError {
        self.error
    }

    /// Value of the header `Location`.
    pub fn location(&self) -> String {
        let description = self.error.to_string();
        let state = self.state.iter().map(|state| ("state", state.as_str()));
        let parameters: Vec<_> = [
            ("error", self.error.code()),
            ("error_description", &description),
        ]
        .into_iter()
        .chain(state)
        .collect();
        self.redirect_uri.with_parameters(&parameters)
    }
}
