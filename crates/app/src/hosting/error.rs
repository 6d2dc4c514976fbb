//! Reasons why a router is told no about a terminator.

use crate::error::AppError;
use crate::rights::{Refusal, RetryHint};
use crate::routers::RouterRefusal;
use portcullis_domain::FieldError;
use portcullis_domain::terminator::OtherTerminatorError;
use portcullis_storage::engine::StoreError;

/// What a router asked for about a terminator is refused.
#[derive(Debug, thiserror::Error)]
pub enum TerminatorError {
    /// The right to host is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("the router has no terminator with this id for this host")]
    Unknown,
    #[error("the terminator is not valid: {0}")]
    Invalid(FieldError),
    #[error("the precedence is unknown")]
    InvalidPrecedence,
    #[error("the cost must be at most 65535")]
    InvalidCost,
    #[error("the instance has another secret")]
    OtherSecret,
    #[error(transparent)]
    Conflict(#[from] OtherTerminatorError),
    #[error("{0}")]
    TooMany(&'static str),
}

impl TerminatorError {
    /// Its error code on the wire.
    pub const fn code(&self) -> u32 {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Conflict(_) | Self::TooMany(_) => 1,
            Self::Unknown | Self::Invalid(_) => 8,
            Self::InvalidPrecedence => 9,
            Self::InvalidCost => 10,
            Self::OtherSecret => 13,
        }
    }

    pub const fn retry_hint(&self) -> RetryHint {
        match self {
            Self::Refused(refusal) => refusal.retry_hint(),
            Self::Unknown
            | Self::Invalid(_)
            | Self::InvalidPrecedence
            | Self::InvalidCost
            | Self::OtherSecret
            | Self::Conflict(_)
            | Self::TooMany(_) => RetryHint::NotRetriable,
        }
    }
}

impl From<AppError> for TerminatorError {
    fn from(error: AppError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<StoreError> for TerminatorError {
    fn from(error: StoreError) -> Self {
        AppError::from(error).into()
    }
}

impl From<RouterRefusal> for TerminatorError {
    fn from(refusal: RouterRefusal) -> Self {
        match refusal {
            RouterRefusal::Unavailable(error) => error.into(),
            _ => Refusal::RouterNotAllowed.into(),
        }
    }
}

impl From<FieldError> for TerminatorError {
    fn from(error: FieldError) -> Self {
        Self::Invalid(error)
    }
}
