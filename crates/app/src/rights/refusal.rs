//! Reasons why a router is told no.

use crate::error::AppError;
use portcullis_storage::engine::StoreError;

/// A right is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the API session is not valid")]
    InvalidApiSession,
    #[error("the service session is not valid, or its grant has ended")]
    InvalidSession,
    #[error("the service session is of the other type")]
    WrongSessionType,
    #[error(
        "the edge-router policies or service-edge-router policies do not allow this router for the \
         identity and the service"
    )]
    RouterNotAllowed,
    #[error("no such service")]
    InvalidService,
    #[error("this router has no identity, because its tunneler is not enabled")]
    TunnelerNotEnabled,
    #[error("no service policy allows the identity to do this")]
    AccessDenied,
    #[error("the session does not pass the posture checks of the service policies")]
    PostureCheckFailed,
    /// The controller is too busy, or still starting.
    #[error("the controller is busy")]
    Busy,
    /// The reason is for the log only.
    #[error("internal error")]
    Failed(#[source] AppError),
}

/// What a client had better do after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryHint {
    /// Nothing in particular.
    Default,
    /// Try again later.
    TooBusy,
    /// Request a session anew.
    StartOver,
    /// Give up.
    NotRetriable,
}

impl Refusal {
    /// Its error code on the wire.
    pub const fn code(&self) -> u32 {
        match self {
            Self::Failed(_) | Self::Busy => 1,
            Self::InvalidApiSession => 2,
            Self::InvalidSession => 3,
            Self::WrongSessionType => 4,
            Self::RouterNotAllowed => 5,
            Self::InvalidService => 6,
            Self::TunnelerNotEnabled => 7,
            Self::AccessDenied => 14,
            Self::PostureCheckFailed => 15,
        }
    }

    pub const fn retry_hint(&self) -> RetryHint {
        match self {
            Self::Failed(_) | Self::AccessDenied | Self::PostureCheckFailed => RetryHint::Default,
            Self::Busy => RetryHint::TooBusy,
            Self::InvalidApiSession
            | Self::InvalidSession
            | Self::WrongSessionType
            | Self::RouterNotAllowed => RetryHint::StartOver,
            Self::InvalidService | Self::TunnelerNotEnabled => RetryHint::NotRetriable,
        }
    }
}

impl RetryHint {
    /// Its number on the wire.
    pub const fn number(self) -> u32 {
        match self {
            Self::Default => 0,
            Self::TooBusy => 1,
            Self::StartOver => 2,
            Self::NotRetriable => 3,
        }
    }
}

impl From<AppError> for Refusal {
    fn from(error: AppError) -> Self {
        match error {
            AppError::NotReady | AppError::Overloaded(_) => Self::Busy,
            error => Self::Failed(error),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        AppError::from(error).into()
    }
}
