//! One flow.

use crate::waiting::Waiting;
use portcullis_channel::Moment;
use std::net::SocketAddr;
use std::time::Duration;

/// What makes datagrams one flow. What comes back has to go to `client`, from `destination`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowKey {
    pub client: SocketAddr,
    pub destination: SocketAddr,
}

/// A flow, and no other flow of the same addresses before or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowId {
    pub(crate) key: FlowKey,
    pub(crate) number: u64,
}

impl FlowId {
    pub const fn key(self) -> FlowKey {
        self.key
    }
}

/// A flow that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "its circuit is to be closed"]
pub struct EndedFlow<T> {
    pub id: FlowId,
    /// `None` if it was still being dialed.
    pub circuit: Option<T>,
}

#[derive(Debug)]
pub(crate) struct Flow<T> {
    pub(crate) number: u64,
    pub(crate) state: FlowState<T>,
    pub(crate) last_used: Moment,
    /// Which use of the table the last one was.
    pub(crate) last_use: u64,
    pub(crate) idle_timeout: Duration,
    /// When it is looked at next; that may be before it has been idle for long.
    pub(crate) timer: Moment,
}

#[derive(Debug)]
pub(crate) enum FlowState<T> {
    Dialing(Waiting),
    Open(T),
    /// The dial failed.
    Failed {
        until: Moment,
    },
}

impl<T> Flow<T> {
    pub(crate) fn ends_at(&self) -> Moment {
        match self.state {
            FlowState::Dialing(_) | FlowState::Open(_) => self.last_used + self.idle_timeout,
            FlowState::Failed { until } => until,
        }
    }

    pub(crate) const fn circuit(&self) -> Option<&T> {
        match &self.state {
            FlowState::Open(circuit) => Some(circuit),
            FlowState::Dialing(_) | FlowState::Failed { .. } => None,
        }
    }
}
