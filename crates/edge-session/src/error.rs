//! Why there is no session, or an answer.

use portcullis_client::ClientError;
use portcullis_domain::ids::ServiceId;
use std::sync::Arc;

/// There is no session, or the controller has not given what was asked for.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    #[error("the identity names no controller")]
    NoController,
    /// No controller was reached.
    #[error("no controller can be reached")]
    Unreachable(#[source] Arc<ClientError>),
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
    #[error("the controller has refused {attempts} TOTP codes")]
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
    #[error("the key or the certificate for edge routers could not be made")]
    Certificate(#[source] Arc<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Request(Arc<ClientError>),
}

fn signer(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("the external signer {name}"),
        None => "an external signer".to_owned(),
    }
}
