//! Traces of channels: each message of those that a controller follows is told to it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::RwLock;
use portcullis_channel::group::GroupId;
use portcullis_channel::{Frame, UnixNanos};
use portcullis_channel_traces::{Observed, Toggle, event, is_about_traces};
use portcullis_router::control::{ChannelTraces as Followed, Pipe};
use portcullis_router::edge::ControllerId;
use portcullis_transport::{Direction, Observer};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::trace::{PipeTraces, TraceEvent};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::clock::RouterClock;
use crate::controllers::Controllers;

/// Traces that may wait to be sent. What finds no room is counted, and the next trace says how many.
const MAX_WAITING: usize = 256;

/// Messages that may wait in the control channel of a controller for a trace to be added to them; else it would
/// keep out what circuits need.
const MAX_QUEUED: usize = 64;

/// Shows controllers the messages of the channels that they follow. While nobody follows any, a message costs a look
/// at a flag, and there is neither queue nor task.
pub(crate) struct ChannelTraces {
    router: Arc<str>,
    clock: RouterClock,
    controllers: Arc<Controllers>,
    tasks: TaskTracker,
    is_on: AtomicBool,
    state: RwLock<State>,
    dropped: Arc<AtomicU64>,
}

#[derive(Default)]
struct State {
    followed: Followed,
    /// Present while anything is followed; a task sends what is in it until it is dropped.
    queue: Option<mpsc::Sender<Told>>,
}

/// A trace, and whom to send it to.
struct Told {
    followers: BTreeSet<ControllerId>,
    event: TraceEvent,
}

/// A channel that may be followed, until this is dropped.
pub(crate) struct OpenPipe {
    traces: Arc<ChannelTraces>,
    channel: GroupId,
}

impl ChannelTraces {
    pub(crate) fn new(
        router: Arc<str>,
        clock: RouterClock,
        controllers: Arc<Controllers>,
        tasks: TaskTracker,
    ) -> Arc<Self> {
        Arc::new(Self {
            router,
            clock,
            controllers,
            tasks,
            is_on: AtomicBool::new(false),
            state: RwLock::default(),
            dropped: Arc::default(),
        })
    }

    pub(crate) fn opened(self: &Arc<Self>, channel: GroupId, pipe: Pipe) -> OpenPipe {
        self.state.write().followed.opened(channel.clone(), pipe);
        OpenPipe {
            traces: Arc::clone(self),
            channel,
        }
    }

    /// Does what a controller asks for. Returns what it is told of that.
    ///
    /// # Errors
    ///
    /// A text for people: an expression cannot be used.
    pub(crate) fn toggle(
        &self,
        controller: &ControllerId,
        request: &PipeTraces,
    ) -> Result<String, String> {
        let toggle = Toggle::parse(request)?;
        Ok(self.change(|followed| followed.toggle(&self.router, controller, &toggle)))
    }

    /// The control channel of a controller has ended: it follows nothing any more.
    pub(crate) fn forget(&self, controller: &ControllerId) {
        self.change(|followed| followed.forget(controller));
    }

    fn change<T>(&self, change: impl FnOnce(&mut Followed) -> T) -> T {
        let mut state = self.state.write();
        let result = change(&mut state.followed);
        let is_on = state.followed.is_any();
        if !is_on {
            state.queue = None;
        } else if state.queue.is_none() {
            let (queue, waiting) = mpsc::channel(MAX_WAITING);
            state.queue = Some(queue);
            let sending = send(
                waiting,
                Arc::clone(&self.controllers),
                Arc::clone(&self.dropped),
            );
            self.tasks.spawn(sending);
        }
        self.is_on.store(is_on, Ordering::Relaxed);
        result
    }
}

/// Sends traces until there can be no more.
async fn send(
    mut waiting: mpsc::Receiver<Told>,
    controllers: Arc<Controllers>,
    dropped: Arc<AtomicU64>,
) {
    while let Some(Told { followers, event }) = waiting.recv().await {
        let message = ControlMessage::TraceEvent(event);
        for follower in &followers {
            if !controllers.offer(follower, &message, MAX_QUEUED) {
                dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

impl Observer for ChannelTraces {
    fn is_watching(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    fn observe(&self, channel: &GroupId, direction: Direction, frame: &Frame) {
        if is_about_traces(frame) {
            return;
        }
        let state = self.state.read();
        let Some((pipe, followers)) = state.followed.followed(channel) else {
            return;
        };
        let Some(queue) = &state.queue else {
            return;
        };
        let Ok(place) = queue.try_reserve() else {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let nanos = self.clock.timestamp().as_nanosecond();
        let observed = Observed {
            program: &self.router,
            channel: &pipe.name,
            protocol: pipe.protocol,
            is_received: direction == Direction::Received,
            at: UnixNanos(u64::try_from(nanos).unwrap_or_default()),
            dropped: self.dropped.swap(0, Ordering::Relaxed),
        };
        place.send(Told {
            followers: followers.clone(),
            event: event(observed, frame),
        });
    }
}

impl fmt::Debug for ChannelTraces {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChannelTraces")
            .field("is_on", &self.is_on)
            .finish_non_exhaustive()
    }
}

impl Drop for OpenPipe {
    fn drop(&mut self) {
        let channel = &self.channel;
        self.traces.change(|followed| followed.closed(channel));
    }
}

/// Shows messages to the file of the section `trace`, if there is one, and to controllers that follow them.
#[derive(Debug)]
pub(crate) struct ChannelObserver {
    pub(crate) file: Option<Arc<dyn Observer>>,
    pub(crate) traces: Arc<ChannelTraces>,
}

impl Observer for ChannelObserver {
    fn is_watching(&self) -> bool {
        self.file.is_some() || self.traces.is_watching()
    }

    fn observe(&self, channel: &GroupId, direction: Direction, frame: &Frame) {
        if let Some(file) = &self.file {
            file.observe(channel, direction, frame);
        }
        if self.traces.is_watching() {
            self.traces.observe(channel, direction, frame);
        }
    }
}
