//! Whether there is a session, and why not.

use crate::error::SessionError;
use portcullis_client::{SecretString, Url};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::IdentityId;
use std::fmt;
use std::sync::Arc;

/// Whether there is an API session.
#[derive(Debug, Clone)]
pub enum SessionState {
    /// A controller is being asked for a session.
    LoggingIn,
    /// A person is asked for a TOTP code.
    WaitingForCode,
    Open(Arc<ApiSession>),
    /// There is none, and a login is tried again later.
    Failed(SessionError),
    /// There is none, and the same login would fail again: [`EdgeSession::log_in`] tries it.
    ///
    /// [`EdgeSession::log_in`]: crate::EdgeSession::log_in
    Refused(SessionError),
    /// It was closed.
    Closed,
}

/// An API session.
#[derive(Clone)]
pub struct ApiSession {
    pub kind: SessionKind,
    /// What edge routers are shown: an access token (a JWT), or the UUID of a legacy session.
    pub token: SecretString,
    /// When the token expires unless it is renewed; `None` for those of legacy sessions, which last as long as
    /// they are used.
    pub expires_at: Option<Timestamp>,
    pub identity: IdentityId,
    /// The controller that has opened it.
    pub controller: Url,
}

/// The kind of an API session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// With a UUID; services are dialed and hosted by sessions of their own.
    Legacy,
    /// With an access token of OpenID Connect, which is all that edge routers need.
    Oidc,
}

impl SessionState {
    /// The session, if there is one.
    pub fn open(&self) -> Option<&Arc<ApiSession>> {
        match self {
            Self::Open(session) => Some(session),
            _ => None,
        }
    }
}

impl fmt::Debug for ApiSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ApiSession")
            .field("kind", &self.kind)
            .field("expires_at", &self.expires_at)
            .field("identity", &self.identity)
            .field("controller", &self.controller.as_str())
            .finish_non_exhaustive()
    }
}
