//! Errors of the token endpoint.

use crate::client::ClientError;
use crate::login::RedeemError;
use crate::parameters::ParametersError;
use crate::pkce::VerifierError;
use crate::scope::ScopeError;
use serde::Serialize;

/// No tokens are issued. Its text is the `error_description`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    #[error("{0} missing")]
    Missing(&'static str),
    #[error("grant_type not supported")]
    GrantType,
    #[error(transparent)]
    Client(ClientError),
    #[error(transparent)]
    Redeem(#[from] RedeemError),
    #[error("invalid code_verifier")]
    Verifier(#[from] VerifierError),
    /// A token cannot be read, is not signed by this controller, or is of another type or client.
    #[error("the token is invalid")]
    Invalid,
    #[error("the token has expired")]
    Expired,
    /// A token was revoked or spent, or whoever it was issued to lost what it was issued for.
    #[error("the token was revoked")]
    Revoked,
    /// The console has just spent a token, in another tab that has the next one.
    #[error("another tab has just renewed the session; try again with its token")]
    JustSpent,
    #[error("{0} not supported")]
    TokenType(&'static str),
    #[error("actor_token not supported")]
    Actor,
    #[error("resource and audience not supported")]
    Target,
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The policy demands a factor by now that the session has not shown.
    #[error("the user has to log in again and show another factor")]
    OpenFactor,
    /// The token counts only together with a client certificate.
    #[error("the client certificate that the token is bound to was not presented")]
    Certificate,
    #[error("csr_pem is not a usable certificate signing request")]
    Csr,
    #[error("the request could not be processed; try again")]
    Internal,
}

impl From<ClientError> for TokenError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Parameters(error) => Self::Parameters(error),
            error => Self::Client(error),
        }
    }
}

/// Body of an answer (RFC 6749 section 5.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorBody {
    pub error: &'static str,
    pub error_description: String,
}

impl TokenError {
    /// Value of `error`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::GrantType => "unsupported_grant_type",
            Self::Parameters(_)
            | Self::Missing(_)
            | Self::TokenType(_)
            | Self::Actor
            | Self::Csr
            | Self::Client(ClientError::Missing | ClientError::Ambiguous) => "invalid_request",
            Self::Client(_) => "invalid_client",
            Self::Redeem(_)
            | Self::Verifier(_)
            | Self::Invalid
            | Self::Expired
            | Self::Revoked
            | Self::OpenFactor => "invalid_grant",
            Self::Target => "invalid_target",
            Self::Scope(_) => "invalid_scope",
            Self::Certificate => "access_denied",
            // Of RFC 6749 section 4.1.2.1, which has a word for it.
            Self::JustSpent => "temporarily_unavailable",
            Self::Internal => "server_error",
        }
    }

    /// Status of the answer. 401 has to come with the challenge `Basic realm="openziti-oidc"`. SDKs try again
    /// after 500, and log in again after everything else.
    pub const fn status(&self) -> u16 {
        match self {
            Self::Client(
                ClientError::Unknown { in_header: true }
                | ClientError::Unsupported { in_header: true },
            ) => 401,
            Self::Internal => 500,
            Self::JustSpent => 503,
            _ => 400,
        }
    }

    pub fn body(&self) -> ErrorBody {
        ErrorBody {
            error: self.code(),
            error_description: self.to_string(),
        }
    }
}
