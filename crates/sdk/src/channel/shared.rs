//! What the driver of a channel and its users share.

use super::state::{Plan, State};
use parking_lot::Mutex;
use portcullis_channel::Now;
use portcullis_sdk_proto::EdgeChannel;
use portcullis_transport::{ChannelHandle, Clock};
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub(crate) struct Shared {
    state: Mutex<State>,
    pub(super) handle: ChannelHandle,
    pub(super) clock: Clock,
    pub(super) hello_time: Duration,
    /// The driver has something to do that it did not plan.
    pub(super) work: Notify,
    pub(super) ended: CancellationToken,
}

impl Shared {
    pub(super) fn new(
        handle: ChannelHandle,
        clock: Clock,
        edge: EdgeChannel,
        hello_time: Duration,
    ) -> Arc<Self> {
        Arc::new_cyclic(|shared| Self {
            state: Mutex::new(State::new(edge, Weak::clone(shared))),
            handle,
            clock,
            hello_time,
            work: Notify::new(),
            ended: CancellationToken::new(),
        })
    }

    /// Reads from the state.
    pub(super) fn get<R>(&self, read: impl FnOnce(&State) -> R) -> R {
        read(&self.state.lock())
    }

    /// Changes the state, and wakes the driver if it has something to do then that it did not plan.
    pub(super) fn update<R>(&self, change: impl FnOnce(&mut State, Now) -> R) -> R {
        let (result, is_unplanned) = self.change(change);
        if is_unplanned {
            self.work.notify_one();
        }
        result
    }

    /// The same as the driver, which plans anew anyway.
    pub(super) fn drive(&self, change: impl FnOnce(&mut State, Now)) -> Plan {
        self.change(change);
        self.plan()
    }

    /// What the driver has to wait for now.
    pub(super) fn plan(&self) -> Plan {
        let mut state = self.state.lock();
        state.planned = state.plan();
        state.planned
    }

    fn change<R>(&self, change: impl FnOnce(&mut State, Now) -> R) -> (R, bool) {
        let mut state = self.state.lock();
        // Under the lock, since a channel's time must not go backwards.
        let now = self.clock.now();
        let result = change(&mut state, now);
        state.follow_up(&self.handle, now);
        let woken = std::mem::take(&mut state.woken);
        let is_unplanned = state.plan().is_sooner_than(&state.planned);
        if state.edge.end().is_some() {
            self.ended.cancel();
        }
        drop(state);
        for waker in woken {
            waker.wake();
        }
        (result, is_unplanned)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}
