//! A channel and those who work for it: the tasks of its connections, its timer, waiters.

use crate::clock::Clock;
use crate::close_signal::CloseSignal;
use crate::connected::{Connected, Stream};
use crate::connection;
use crate::contact::Contact;
use crate::inbox::Delivery;
use crate::observer::{Direction, Observer};
use crate::transport::{Transport, TransportLimits};
use parking_lot::Mutex;
use portcullis_channel::group::ChannelGrant;
use portcullis_channel::{
    AttachError, Channel, ChannelEvent, ChannelKind, ChannelOptions, CloseReason, Flow, Frame,
    FrameReader, Message, Moment, Now, Priority, Received, ReplyTo, RequestFailure, RequestId,
    Role, SendError, Sequence, Transmit, UnderlayId,
};
use portcullis_memory_budget::{Account, MemoryBudget};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The outcome of a request.
pub(crate) type Answer = Result<Frame, RequestFailure>;

/// State of a channel that its handles and tasks share.
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) limits: TransportLimits,
    pub(crate) memory: Arc<MemoryBudget>,
    pub(crate) frames: FrameReader,
    tasks: TaskTracker,
    kind: ChannelKind,
    observer: Option<Arc<dyn Observer>>,
    /// Held for one call, never while waiting.
    state: Mutex<State>,
    pub(crate) inbox: Delivery,
    pub(crate) closed: CloseSignal,
    /// How often all connections were lost, and whether there is one now.
    pub(crate) contact: watch::Sender<Contact>,
    /// Cancelled when the connections must end at once.
    pub(crate) abort: CancellationToken,
    /// Wakes the timer for an earlier deadline, and at the end.
    pub(crate) timer: Notify,
}

struct State {
    channel: Channel,
    /// What is queued.
    memory: Account,
    requests: HashMap<RequestId, oneshot::Sender<Answer>>,
    /// Those who wait until a message is written.
    tracked: HashMap<Sequence, oneshot::Sender<()>>,
    /// Those who wait for room in a queue, by flow.
    blocked: BTreeMap<(Flow, Priority), Arc<Notify>>,
    /// Wakes the writers.
    writers: BTreeMap<UnderlayId, Arc<Notify>>,
    /// The deadline that the timer waits for.
    armed: Option<Moment>,
}

/// Frames for a writer.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) frames: Vec<Frame>,
    /// What they take until they are written.
    pub(crate) memory: Account,
    /// Told when the frames are written, by being dropped.
    pub(crate) tracked: Vec<oneshot::Sender<()>>,
    /// Whether the connection is closed after them.
    pub(crate) is_last: bool,
}

impl Batch {
    fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            frames: Vec::new(),
            memory: Account::new(budget),
            tracked: Vec::new(),
            is_last: false,
        }
    }
}

/// What the timer does next.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TimerStep {
    WaitUntil(Moment),
    /// Wait until woken.
    Wait,
    End,
}

impl Shared {
    /// Opens a channel; its first connection is returned to be run.
    pub(crate) fn open(
        transport: &Transport,
        grant: ChannelGrant,
        options: ChannelOptions,
        inbox: Delivery,
    ) -> (Arc<Self>, UnderlayId) {
        let clock = transport.clock();
        let (channel, underlay) = Channel::open(grant, options, clock.now());
        let shared = Arc::new(Self {
            clock,
            limits: *transport.limits(),
            memory: Arc::clone(transport.memory()),
            frames: FrameReader::new(options.kind.frame_limits(options.side)),
            tasks: transport.tasks().clone(),
            kind: options.kind,
            observer: transport.observer().cloned(),
            state: Mutex::new(State {
                channel,
                memory: Account::new(transport.memory()),
                requests: HashMap::new(),
                tracked: HashMap::new(),
                blocked: BTreeMap::new(),
                writers: BTreeMap::new(),
                armed: None,
            }),
            inbox,
            closed: CloseSignal::default(),
            contact: watch::Sender::new(Contact::default()),
            abort: CancellationToken::new(),
            timer: Notify::new(),
        });
        (shared, underlay)
    }

    pub(crate) fn attach<S: Stream>(
        self: &Arc<Self>,
        grant: &ChannelGrant,
        connected: Connected<S>,
    ) -> Result<CancellationToken, AttachError> {
        self.attach_by(connected, |channel, role, now| {
            channel.attach(grant, role, now)
        })
    }

    /// Keeps room for a connection.
    pub(crate) fn reserve(&self, grant: &ChannelGrant) -> Result<(), AttachError> {
        self.with(|channel, _| channel.reserve(grant))
    }

    pub(crate) fn release(&self) {
        self.with(|channel, _| channel.release());
    }

    /// Adds the connection that room was kept for.
    pub(crate) fn attach_reserved<S: Stream>(
        self: &Arc<Self>,
        grant: &ChannelGrant,
        connected: Connected<S>,
    ) -> Result<CancellationToken, AttachError> {
        self.attach_by(connected, |channel, role, now| {
            channel.release();
            channel.attach(grant, role, now)
        })
    }

    fn attach_by<S: Stream>(
        self: &Arc<Self>,
        connected: Connected<S>,
        attach: impl FnOnce(&mut Channel, Role, Now) -> Result<UnderlayId, AttachError>,
    ) -> Result<CancellationToken, AttachError> {
        let role = self.kind.role(connected.underlay_type.as_deref());
        let underlay = self.with(|channel, now| attach(channel, role, now))?;
        self.contact.send_if_modified(Contact::regain);
        Ok(self.run(underlay, connected))
    }

    /// Starts the task of a connection. The token is cancelled when the connection has ended.
    pub(crate) fn run<S: Stream>(
        self: &Arc<Self>,
        underlay: UnderlayId,
        connected: Connected<S>,
    ) -> CancellationToken {
        let output = Arc::new(Notify::new());
        self.lock_state(|state| state.writers.insert(underlay, Arc::clone(&output)));
        let ended = CancellationToken::new();
        let member = Member {
            shared: Arc::clone(self),
            underlay,
            ended: ended.clone(),
        };
        self.tasks.spawn(connection::run(member, connected, output));
        ended
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(task);
    }

    pub(crate) fn send(
        &self,
        flow: Flow,
        priority: Priority,
        message: Message,
    ) -> Result<Sequence, SendError> {
        self.with(|channel, _| channel.send_in(flow, priority, message))
    }

    pub(crate) fn send_tracked(
        &self,
        priority: Priority,
        message: Message,
    ) -> Result<oneshot::Receiver<()>, SendError> {
        self.update(|state, _| {
            let sequence = state.channel.send(priority, message)?;
            let (sender, receiver) = oneshot::channel();
            state.tracked.insert(sequence, sender);
            Ok(receiver)
        })
    }

    pub(crate) fn reply(
        &self,
        request: &ReplyTo,
        priority: Priority,
        message: Message,
    ) -> Result<Sequence, SendError> {
        self.with(|channel, _| channel.reply(request, priority, message))
    }

    pub(crate) fn request(
        &self,
        priority: Priority,
        message: Message,
        timeout: Duration,
    ) -> Result<(RequestId, oneshot::Receiver<Answer>), SendError> {
        self.update(|state, now| {
            let request = state.channel.request(priority, message, timeout, now)?;
            let (sender, receiver) = oneshot::channel();
            state.requests.insert(request, sender);
            Ok((request, receiver))
        })
    }

    pub(crate) fn cancel(&self, request: RequestId) {
        self.update(|state, _| {
            if state.requests.remove(&request).is_some() {
                state.channel.cancel(request);
            }
        });
    }

    /// Waits until a queue that has refused a message of a flow has room for it, or the channel is closed.
    pub(crate) async fn writable(&self, flow: Flow, priority: Priority) {
        let room = self.lock_state(|state| {
            state.heed_budget();
            let has_room = state.channel.wait_for_room(flow, priority);
            (!has_room).then(|| {
                let room = state.blocked.entry((flow, priority)).or_default();
                Arc::clone(room).notified_owned()
            })
        });
        if let Some(room) = room {
            room.await;
        }
    }

    pub(crate) fn close(&self) {
        self.with(|channel, now| channel.close(CloseReason::Requested, now));
    }

    /// Handles a received frame. Returns once there is room for others.
    pub(crate) async fn receive(&self, underlay: UnderlayId, frame: Frame) {
        self.observe(Direction::Received, std::slice::from_ref(&frame));
        let message =
            self.update(
                |state, now| match state.channel.handle_frame(underlay, frame, now)? {
                    Received::Message(frame) => Some(frame),
                    Received::Reply { request, frame } => {
                        state.answer(request, Ok(frame));
                        None
                    },
                },
            );
        if let Some(message) = message {
            self.inbox.deliver(message).await;
        }
    }

    /// Takes what a connection is to write next, in `bytes` and one frame more at most.
    pub(crate) fn take_batch(&self, underlay: UnderlayId, bytes: usize) -> Batch {
        let batch = self.update(|state, now| {
            let mut batch = Batch::new(state.memory.budget());
            let mut taken = 0;
            while taken < bytes {
                match state.channel.poll_transmit(underlay, now) {
                    Some(Transmit::Frame(frame)) => {
                        taken += frame.wire_len();
                        let tracked = state.tracked.remove(&frame.sequence());
                        batch.tracked.extend(tracked);
                        batch.frames.push(frame);
                    },
                    Some(Transmit::Close) => {
                        batch.is_last = true;
                        break;
                    },
                    None => break,
                }
            }
            batch.memory.set(taken);
            batch
        });
        self.observe(Direction::Sent, &batch.frames);
        batch
    }

    fn observe(&self, direction: Direction, frames: &[Frame]) {
        let Some(observer) = &self.observer else {
            return;
        };
        if frames.is_empty() || !observer.is_watching() {
            return;
        }
        let channel = self.get(|channel, _| channel.id().clone());
        for frame in frames {
            observer.observe(&channel, direction, frame);
        }
    }

    /// What the timer does next.
    pub(crate) fn timer_step(&self) -> TimerStep {
        self.lock_state(|state| {
            if state.channel.is_finished() {
                return TimerStep::End;
            }
            state.armed = state.channel.poll_timeout().map(|(at, _)| at);
            state.armed.map_or(TimerStep::Wait, TimerStep::WaitUntil)
        })
    }

    pub(crate) fn handle_timeout(&self) {
        self.with(Channel::handle_timeout);
    }

    /// Reads from the channel.
    pub(crate) fn get<R>(&self, read: impl FnOnce(&Channel, Now) -> R) -> R {
        self.lock_state(|state| read(&state.channel, self.clock.now()))
    }

    fn with<R>(&self, change: impl FnOnce(&mut Channel, Now) -> R) -> R {
        self.update(|state, now| change(&mut state.channel, now))
    }

    /// Changes the state, and wakes whoever has something to do then.
    fn update<R>(&self, change: impl FnOnce(&mut State, Now) -> R) -> R {
        self.lock_state(|state| {
            state.heed_budget();
            // Under the lock, since a channel's time must not go backwards.
            let result = change(state, self.clock.now());
            self.settle(state);
            state.tell_budget();
            result
        })
    }

    fn lock_state<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        work(&mut self.state.lock())
    }

    fn settle(&self, state: &mut State) {
        while let Some(event) = state.channel.poll_event() {
            match event {
                ChannelEvent::RequestFailed { request, reason } => {
                    state.answer(request, Err(reason));
                },
                ChannelEvent::Closed { reason } => {
                    self.inbox.close();
                    self.closed.set(reason);
                    for room in std::mem::take(&mut state.blocked).into_values() {
                        room.notify_waiters();
                    }
                },
                ChannelEvent::Disconnected => self.contact.send_modify(Contact::lose),
                ChannelEvent::Writable { priority, flow } => {
                    if let Some(room) = state.blocked.remove(&(flow, priority)) {
                        room.notify_waiters();
                    }
                },
            }
        }
        for underlay in state.channel.underlays_with_output() {
            if let Some(output) = state.writers.get(&underlay) {
                output.notify_one();
            }
        }
        self.wake_timer(state);
    }

    fn wake_timer(&self, state: &mut State) {
        let deadline = state.channel.poll_timeout().map(|(at, _)| at);
        let is_closed = self.closed.reason().is_some();
        if is_closed && deadline.is_none() {
            // What is queued now is dropped.
            state.tracked.clear();
            self.abort.cancel();
        }
        let is_earlier = deadline.is_some_and(|at| state.armed.is_none_or(|armed| at < armed));
        if is_earlier || state.channel.is_finished() {
            self.timer.notify_one();
        }
    }
}

impl State {
    /// Lets queues get as long as there is memory for.
    fn heed_budget(&mut self) {
        let allowance = self.memory.budget().allowance();
        self.channel.set_queue_allowance(allowance);
    }

    fn tell_budget(&mut self) {
        let queued = |priority| self.channel.queued_bytes(priority);
        self.memory
            .set(queued(Priority::High) + queued(Priority::Default));
    }

    fn answer(&mut self, request: RequestId, answer: Answer) {
        if let Some(waiter) = self.requests.remove(&request) {
            // Who no longer waits has cancelled.
            let _nobody_waits = waiter.send(answer);
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// A connection of a channel, until it ends, however it ends.
pub(crate) struct Member {
    pub(crate) shared: Arc<Shared>,
    pub(crate) underlay: UnderlayId,
    ended: CancellationToken,
}

impl Drop for Member {
    fn drop(&mut self) {
        self.shared.update(|state, now| {
            state.writers.remove(&self.underlay);
            state.channel.detach(self.underlay, now);
        });
        self.ended.cancel();
    }
}
