//! Why something could not be done. Messages contain their causes, which are no [`source`](Error::source) then.

use crate::connector::ConnectError;
use portcullis_client::BuildError;
use portcullis_domain::entropy::EntropyError;
use portcullis_edge_session::{IdentityFileError, SessionError};
use portcullis_sdk_proto::{
    BindEnd, BindError, DialError as NotDialed, DialFailure, Refusal, Retry,
};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// The network was not joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    #[error("the identity file cannot be used: {}", with_causes(.0))]
    Identity(IdentityFileError),
    #[error("the identity cannot be used: {}", with_causes(.0))]
    Build(BuildError),
    /// The login is refused, or needs something that is missing.
    #[error("{}", with_causes(.0))]
    Session(SessionError),
    /// No controller has answered in time.
    #[error("there is no session after {} s", .0.as_secs())]
    TimedOut(Duration),
    /// Reading the identity file was cut off by the end of the runtime.
    #[error("the runtime has ended")]
    Runtime,
}

/// A service was not reached.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DialError {
    #[error("there is no service {service}, or the identity may not use it")]
    NoService { service: String },
    #[error("the identity may not dial the service {service}")]
    NotPermitted { service: String },
    /// Policies allow none, or none of those is online.
    #[error("there is no edge router through which the service {service} can be dialed")]
    NoRouter { service: String },
    /// Other routers were tried before.
    #[error("edge router {router} is not reached: {}", with_causes(why))]
    Unreachable {
        router: String,
        why: Arc<ConnectError>,
    },
    /// The hosting program, a router or the controller does not want it. Others were tried before, if that
    /// could have helped.
    #[error("the dial of the service {service} has failed: {}", with_causes(&**why))]
    Failed {
        service: String,
        why: Box<DialFailure>,
    },
    #[error("the service {service} cannot be dialed: {}", with_causes(why))]
    NotDialed { service: String, why: NotDialed },
    #[error("{}", with_causes(.0))]
    Session(SessionError),
    /// What the last attempt has met with, if any was over.
    #[error("the service {service} was not reached in time{}", because(last.as_deref()))]
    TimedOut {
        service: String,
        last: Option<Box<Self>>,
    },
    /// The context was closed.
    #[error("the network is closed")]
    Closed,
    #[error(transparent)]
    Random(#[from] EntropyError),
}

/// A service is not hosted.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    #[error("there is no service {service}, or the identity may not use it")]
    NoService { service: String },
    #[error("the identity may not host the service {service}")]
    NotPermitted { service: String },
    /// Policies allow none, or none of those is online.
    #[error("there is no edge router through which the service {service} can be hosted")]
    NoRouter { service: String },
    #[error("edge router {router} is not reached: {}", with_causes(why))]
    Unreachable {
        router: String,
        why: Arc<ConnectError>,
    },
    #[error("edge router {router} does not host the service {service}: {}", with_causes(&**why))]
    Ended {
        service: String,
        router: String,
        why: Box<BindEnd>,
    },
    #[error(
        "edge router {router} cannot be asked to host the service {service}: {}",
        with_causes(why)
    )]
    NotAsked {
        service: String,
        router: String,
        why: BindError,
    },
    #[error("{}", with_causes(.0))]
    Session(SessionError),
    /// The network or the listener was closed.
    #[error("the listener is closed")]
    Closed,
    #[error(transparent)]
    Random(#[from] EntropyError),
}

impl DialError {
    /// Whether the same dial may succeed later without anybody changing something.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Unreachable { why, .. } => is_router_temporary(why),
            Self::Failed { why, .. } => why.is_retryable(),
            Self::NotDialed { why, .. } => {
                matches!(why, NotDialed::Ended | NotDialed::TooMany { .. })
            },
            Self::Session(error) => error.is_temporary(),
            Self::TimedOut { last, .. } => last.as_ref().is_none_or(|last| last.is_temporary()),
            Self::NoRouter { .. } => true,
            Self::NoService { .. } | Self::NotPermitted { .. } | Self::Closed | Self::Random(_) => {
                false
            },
        }
    }

    /// What a router has refused the dial with.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Failed { why, .. } => match &**why {
                DialFailure::Refused(refusal) => Some(refusal),
                _ => None,
            },
            _ => None,
        }
    }
}

impl ListenError {
    /// Whether the listener goes on trying with some prospect.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Unreachable { why, .. } => is_router_temporary(why),
            Self::Ended { why, .. } => match &**why {
                BindEnd::Refused(refusal) => refusal.retry != Retry::GiveUp,
                BindEnd::TimedOut | BindEnd::ChannelEnded => true,
            },
            Self::NotAsked { why, .. } => {
                matches!(why, BindError::Ended | BindError::TooMany { .. })
            },
            Self::Session(error) => error.is_temporary(),
            Self::NoRouter { .. } => true,
            Self::NoService { .. } | Self::NotPermitted { .. } | Self::Closed | Self::Random(_) => {
                false
            },
        }
    }
}

impl From<IdentityFileError> for OpenError {
    fn from(error: IdentityFileError) -> Self {
        Self::Identity(error)
    }
}

impl From<BuildError> for OpenError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<SessionError> for OpenError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

fn is_router_temporary(error: &ConnectError) -> bool {
    match error {
        ConnectError::TimedOut | ConnectError::Io(_) | ConnectError::Hello(_) => true,
        ConnectError::Session(error) => error.is_temporary(),
        ConnectError::NoAddress
        | ConnectError::Address(_)
        | ConnectError::OtherRouter { .. }
        | ConnectError::Closed => false,
    }
}

fn because(last: Option<&DialError>) -> String {
    last.map_or_else(String::new, |last| format!("; before that, {last}"))
}

/// The text of an error with those of its causes, as far as it does not contain them.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn causes_are_told_once() {
        let refused = io::Error::new(io::ErrorKind::ConnectionRefused, "connection refused");
        let error = DialError::Unreachable {
            router: "r1".to_owned(),
            why: Arc::new(refused.into()),
        };
        let text = error.to_string();
        assert_eq!(text.matches("connection refused").count(), 1, "{text}");
        assert!(error.source().is_none());
        let late = DialError::TimedOut {
            service: "wiki".to_owned(),
            last: Some(Box::new(error)),
        };
        assert!(late.to_string().contains("connection refused"), "{late}");
        assert!(late.is_temporary() && !DialError::Closed.is_temporary());
    }
}
