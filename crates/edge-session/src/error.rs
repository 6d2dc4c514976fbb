//! Why there is no session, or an answer.

use portcullis_client::ClientError;
use portcullis_domain::ids::ServiceId;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// There is no session, or the controller has not given what was asked for. Messages leave the cause to
/// [`source`](Error::source).
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    #[error("the identity names no controller")]
    NoController,
    /// No controller was reached.
    #[error("no controller can be reached")]
    Unreachable(#[source] Arc<ClientError>),
    /// A controller was reached, and is overloaded, starting, or behind a proxy that does not reach it.
    #[error("the controller cannot answer now")]
    Unavailable(#[source] Arc<ClientError>),
    /// The controller does not accept the credential.
    #[error("the controller refuses the login")]
    LoginRefused(#[source] Arc<ClientError>),
    #[error("the controller does not offer logins by OpenID Connect")]
    OidcNotOffered,
    #[error("the login needs a TOTP code, and there is nobody to ask for one")]
    CodeNeeded,
    #[error("the login needs TOTP, in which the identity has to be enrolled first")]
    TotpNotEnrolled,
    #[error("no TOTP code was given")]
    CodeNotGiven,
    #[error("the controller has refused {}", codes(*.attempts))]
    CodesRefused { attempts: u32 },
    /// The name of a signer, if the controller says it.
    #[error("the login needs a token of {}", signer(.0.as_deref()))]
    TokenNeeded(Option<String>),
    #[error("there is no token of an external signer to log in with")]
    TokenNotGiven,
    #[error("the login asks for something that is not known: {0}")]
    UnknownFactor(String),
    /// The service does not exist, or the identity may not use it that way.
    #[error("the service {0} does not exist, or the identity may not use it")]
    NotGranted(ServiceId),
    /// No policy that grants the service passes its posture checks.
    #[error("the posture checks of the service {0} do not pass")]
    Posture(ServiceId),
    /// There is no edge router that the identity may use for the service.
    #[error("no edge router is available for the service {0}")]
    NoEdgeRouters(ServiceId),
    #[error("the session has ended while it was asked")]
    SessionLost,
    #[error("the session is closed")]
    Closed,
    #[error("the controller has answered without a certificate for edge routers")]
    NoCertificate,
    #[error("the key or the certificate for edge routers could not be made")]
    Certificate(#[source] Arc<dyn Error + Send + Sync>),
    /// The controller refuses what was asked for.
    #[error(transparent)]
    Request(Arc<ClientError>),
}

impl SessionError {
    /// Whether the same may succeed later without anybody changing the identity or its login.
    pub const fn is_temporary(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_)
                | Self::Unavailable(_)
                | Self::SessionLost
                | Self::Posture(_)
                | Self::NoEdgeRouters(_)
        )
    }

    /// How long the controller asks to wait.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Unavailable(error) => retry_after(error),
            _ => None,
        }
    }
}

/// How long the controller asks to wait before the same request.
pub(crate) fn retry_after(error: &ClientError) -> Option<Duration> {
    error.refusal()?.retry_after.map(Duration::from_secs)
}

/// The error and its causes, for logs.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string cannot fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

fn codes(count: u32) -> String {
    match count {
        1 => "the TOTP code".to_owned(),
        _ => format!("{count} TOTP codes"),
    }
}

fn signer(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("the external signer {name}"),
        None => "an external signer".to_owned(),
    }
}
