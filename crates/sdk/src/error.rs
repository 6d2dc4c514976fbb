//! Why something could not be done.

use crate::connector::ConnectError;
use portcullis_client::BuildError;
use portcullis_domain::entropy::EntropyError;
use portcullis_edge_session::{IdentityFileError, SessionError};
use portcullis_sdk_proto::{
    BindEnd, BindError, DialError as NotDialed, DialFailure, Refusal, Retry,
};
use std::sync::Arc;
use std::time::Duration;

/// The network was not joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    #[error("the identity file cannot be used: {0}")]
    Identity(#[from] IdentityFileError),
    #[error("the identity cannot be used: {0}")]
    Build(#[from] BuildError),
    /// The login is refused, or needs something that is missing.
    #[error(transparent)]
    Session(#[from] SessionError),
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
    #[error("edge router {router} is not reached: {why}")]
    Unreachable {
        router: String,
        #[source]
        why: Arc<ConnectError>,
    },
    /// The hosting program, a router or the controller does not want it. Others were tried before, if that
    /// could have helped.
    #[error("the dial of the service {service} has failed: {why}")]
    Failed {
        service: String,
        #[source]
        why: Box<DialFailure>,
    },
    #[error("the service {service} cannot be dialed: {why}")]
    NotDialed {
        service: String,
        #[source]
        why: NotDialed,
    },
    #[error(transparent)]
    Session(SessionError),
    /// What the last attempt has met with, if any was over.
    #[error("the service {service} was not reached in time{}", because(last.as_deref()))]
    TimedOut {
        service: String,
        last: Option<Box<Self>>,
    },
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
    #[error("edge router {router} is not reached: {why}")]
    Unreachable {
        router: String,
        #[source]
        why: Arc<ConnectError>,
    },
    #[error("edge router {router} does not host the service {service}: {why}")]
    Ended {
        service: String,
        router: String,
        #[source]
        why: Box<BindEnd>,
    },
    #[error("edge router {router} cannot be asked to host the service {service}: {why}")]
    NotAsked {
        service: String,
        router: String,
        #[source]
        why: BindError,
    },
    #[error(transparent)]
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
            Self::Session(error) => is_session_temporary(error),
            Self::TimedOut { last, .. } => last.as_ref().is_none_or(|last| last.is_temporary()),
            Self::NoRouter { .. } => true,
            Self::NoService { .. } | Self::NotPermitted { .. } | Self::Random(_) => false,
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
            Self::Session(error) => is_session_temporary(error),
            Self::NoRouter { .. } => true,
            Self::NoService { .. } | Self::NotPermitted { .. } | Self::Closed | Self::Random(_) => {
                false
            },
        }
    }
}

const fn is_session_temporary(error: &SessionError) -> bool {
    matches!(
        error,
        SessionError::Unreachable(_)
            | SessionError::SessionLost
            | SessionError::Posture(_)
            | SessionError::NoEdgeRouters(_)
    )
}

fn is_router_temporary(error: &ConnectError) -> bool {
    match error {
        ConnectError::TimedOut | ConnectError::Io(_) | ConnectError::Hello(_) => true,
        ConnectError::Session(error) => is_session_temporary(error),
        ConnectError::NoAddress | ConnectError::Address(_) | ConnectError::Closed => false,
    }
}

fn because(last: Option<&DialError>) -> String {
    last.map_or_else(String::new, |last| format!("; before that, {last}"))
}
