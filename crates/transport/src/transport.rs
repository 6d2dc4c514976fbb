//! What the channels of a process have in common.

use crate::channel_handle::ChannelHandle;
use crate::clock::Clock;
use crate::connected::{Connected, Stream};
use crate::inbox::{Delivery, Inbox};
use crate::observer::Observer;
use crate::shared::Shared;
use crate::timer;
use portcullis_channel::ChannelOptions;
use portcullis_channel::group::ChannelGrant;
use portcullis_memory_budget::MemoryBudget;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Limits of channels, beside those of [`ChannelOptions`].
///
/// Worst-case memory of a channel beside its queues: `inbox_bytes`, or the longest frame if that is
/// more; and for each connection the longest frame, 64 KiB read and 64 KiB written. All channels together keep
/// to the budget of their [`Transport`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransportLimits {
    /// A connection ends if for this time the peer takes nothing of what is written, or sends
    /// nothing of a frame that has begun.
    pub stall: Duration,
    /// Bytes of received messages that wait for the owner of a channel; 256 are added for each.
    pub inbox_bytes: u32,
}

impl Default for TransportLimits {
    fn default() -> Self {
        Self {
            stall: Duration::from_secs(20),
            inbox_bytes: 1024 * 1024,
        }
    }
}

/// Opens channels. Clones share clock, limits and tasks.
#[derive(Debug, Clone)]
pub struct Transport {
    clock: Clock,
    limits: TransportLimits,
    tasks: TaskTracker,
    observer: Option<Arc<dyn Observer>>,
    memory: Arc<MemoryBudget>,
}

impl Transport {
    /// Channels without a common bound of memory, see [`within`](Self::within).
    pub fn new(clock: Clock, limits: TransportLimits) -> Self {
        Self {
            clock,
            limits,
            tasks: TaskTracker::new(),
            observer: None,
            memory: Arc::new(MemoryBudget::unlimited()),
        }
    }

    /// Lets all channels that are opened from now on share memory: a queue, an inbox and a frame that has begun
    /// get no longer than the budget allows. What is full refuses, or is not read, as ever.
    #[must_use]
    pub fn within(self, memory: Arc<MemoryBudget>) -> Self {
        Self { memory, ..self }
    }

    pub(crate) const fn memory(&self) -> &Arc<MemoryBudget> {
        &self.memory
    }

    /// Shows the messages of all channels that are opened from now on.
    #[must_use]
    pub fn observed(self, observer: Option<Arc<dyn Observer>>) -> Self {
        Self { observer, ..self }
    }

    pub(crate) const fn observer(&self) -> Option<&Arc<dyn Observer>> {
        self.observer.as_ref()
    }

    pub const fn clock(&self) -> Clock {
        self.clock
    }

    pub(crate) const fn limits(&self) -> &TransportLimits {
        &self.limits
    }

    /// The tasks of all channels: one for each connection, and one for each channel. They end with
    /// the channels, so whoever shuts down closes all channels, then waits for these.
    pub const fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }

    /// Opens a channel with its first connection. Must be called inside a Tokio runtime.
    pub fn open<S: Stream>(
        &self,
        grant: ChannelGrant,
        options: ChannelOptions,
        connected: Connected<S>,
    ) -> (ChannelHandle, Inbox) {
        let (handle, inbox, _connection) = self.open_observed(grant, options, connected);
        (handle, inbox)
    }

    /// Opens a channel. The token is cancelled when its first connection has ended.
    pub(crate) fn open_observed<S: Stream>(
        &self,
        grant: ChannelGrant,
        options: ChannelOptions,
        connected: Connected<S>,
    ) -> (ChannelHandle, Inbox, CancellationToken) {
        let (delivery, messages) = Delivery::new(self.limits.inbox_bytes, Arc::clone(&self.memory));
        let (shared, underlay) = Shared::open(self, grant, options, delivery);
        let connection = shared.run(underlay, connected);
        shared.spawn(timer::run(Arc::clone(&shared)));
        let inbox = Inbox::new(messages, Arc::clone(&shared));
        (ChannelHandle::new(shared), inbox, connection)
    }
}
