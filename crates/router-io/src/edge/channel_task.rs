//! The task of an SDK's channel.

mod act;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use portcullis_channel::Frame;
use portcullis_domain::policies::ServiceGrant;
use portcullis_memory_budget::Account;
use portcullis_router::access::{Usage, UsageSubject};
use portcullis_router::edge::{
    AskId, BindKey, ChannelId, CircuitId, ControllerId, EndId, InspectionId, RequestFailure,
    RequestId, SdkChannel, TerminatorId, ToSdk,
};
use portcullis_transport::Inbox;
use portcullis_wire::Secret;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::route::RouteOutcome;
use portcullis_xgress::Options;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::Shared;
use super::circuits::{self, Circuits};
use super::outbox::Outbox;
use crate::sdk_channels::{Command, Notice, Notices, SdkHandle};

/// Frames that are handled before others have their turn.
const FRAMES: usize = 32;
/// What an idle channel counts as, in bytes.
const IDLE: usize = 32 << 10;
/// What a channel is charged in its identity's share even while it holds less: it may fill at any time.
pub(super) const RESERVED: usize = 128 << 10;
/// How long a question to the SDK is remembered; the channel gives up earlier.
const ASK_TIMEOUT: Duration = Duration::from_mins(1);

/// Owns the [`SdkChannel`] of an SDK, and carries out its actions.
pub(super) struct ChannelTask {
    shared: Arc<Shared>,
    handle: Arc<SdkHandle>,
    sdk: SdkChannel,
    inbox: Inbox,
    outbox: Outbox,
    /// What circuits have not taken, and what waits for room in the queues.
    memory: Account,
    commands: mpsc::Receiver<Command>,
    circuits: Circuits,
    taken: mpsc::UnboundedReceiver<(EndId, usize)>,
    /// Circuits that wait for the SDK to be told of them.
    unstarted: Vec<EndId>,
    /// The terminators of binds, for which rights are used.
    terminators: BTreeMap<BindKey, TerminatorId>,
    requests: FuturesUnordered<BoxFuture<'static, Answered>>,
    questions: FuturesUnordered<BoxFuture<'static, (AskId, Option<Frame>)>>,
    offers: BTreeMap<(CircuitId, u32), oneshot::Sender<RouteOutcome>>,
    inspections: BTreeMap<InspectionId, oneshot::Sender<Result<Secret<String>, String>>>,
    last_inspection: u64,
    has_left: bool,
}

/// What a controller has answered.
struct Answered {
    request: RequestId,
    answer: Result<(ControllerId, ControlMessage), RequestFailure>,
}

/// What a channel begins with.
pub(super) struct NewChannel {
    pub(super) handle: Arc<SdkHandle>,
    pub(super) sdk: SdkChannel,
    pub(super) inbox: Inbox,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) memory: Account,
    /// Of circuits that end in the router.
    pub(super) end_options: Arc<Options>,
}

impl ChannelTask {
    pub(super) fn new(shared: Arc<Shared>, new: NewChannel) -> Self {
        let (taken_sender, taken) = mpsc::unbounded_channel();
        let circuits = Circuits::new(
            shared.ends.clone(),
            new.end_options,
            Arc::clone(&new.handle),
            taken_sender,
        );
        Self {
            memory: new.memory,
            shared,
            outbox: Outbox::new(new.handle.channel.clone()),
            handle: new.handle,
            sdk: new.sdk,
            inbox: new.inbox,
            commands: new.commands,
            circuits,
            taken,
            unstarted: Vec::new(),
            terminators: BTreeMap::new(),
            requests: FuturesUnordered::new(),
            questions: FuturesUnordered::new(),
            offers: BTreeMap::new(),
            inspections: BTreeMap::new(),
            last_inspection: 0,
            has_left: false,
        }
    }

    const fn id(&self) -> ChannelId {
        self.sdk.id()
    }

    /// Serves the channel until nothing is left to be done for it.
    pub(super) async fn run(mut self) {
        let far = Instant::now() + Duration::from_hours(24);
        let timer = sleep_until(far);
        tokio::pin!(timer);
        // Rights may have been lost while the hello was answered.
        self.sdk
            .review(&*self.shared.rights, self.shared.clock.timestamp());
        loop {
            self.act();
            self.account_for_memory();
            if self.sdk.has_ended() {
                self.leave();
                if self.sdk.is_finished() {
                    return;
                }
            }
            let deadline = self.sdk.deadline();
            let deadline = deadline.map_or(far, |at| self.shared.clock.instant_of(at));
            if timer.deadline() != deadline {
                timer.as_mut().reset(deadline);
            }
            let is_open = !self.sdk.has_ended();
            let may_read = is_open && self.sdk.wants_input() && self.outbox.is_clear();
            tokio::select! {
                biased;
                Some(command) = self.commands.recv() => self.command(command),
                notices = self.handle.noticed(), if is_open => self.heed(notices),
                () = &mut timer => {
                    let now = self.shared.clock.timestamp();
                    self.sdk.handle_timeout(&*self.shared.rights, now);
                    timer.as_mut().reset(far);
                },
                Some((end, weight)) = self.taken.recv() => self.taken(&end, weight),
                Some(answered) = self.requests.next(), if !self.requests.is_empty() => {
                    self.controller_answered(answered);
                },
                Some((ask, answer)) = self.questions.next(), if !self.questions.is_empty() => {
                    match answer {
                        Some(answer) => self.sdk.answered(ask, answer),
                        None => self.sdk.not_answered(ask),
                    }
                },
                () = self.outbox.room(), if is_open => self.outbox.flush(),
                frame = self.inbox.next(), if may_read => match frame {
                    Some(frame) => self.read(frame),
                    None => self.lost(),
                },
                _reason = self.handle.channel.closed(), if is_open && !may_read => self.lost(),
            }
        }
    }

    fn account_for_memory(&mut self) {
        let held = self.sdk.backlog() + self.outbox.waiting_bytes();
        self.memory.set(IDLE + held);
        self.sdk.heed_memory(self.memory.budget());
    }

    /// Handles a frame, and those that have arrived with it.
    fn read(&mut self, first: Frame) {
        self.account_for_memory();
        let mut next = Some(first);
        for _ in 0..FRAMES {
            let Some(frame) = next else {
                return;
            };
            let now = self.shared.clock.timestamp();
            self.sdk.handle_frame(frame, &*self.shared.rights, now);
            self.act();
            if self.sdk.has_ended() || !self.sdk.wants_input() || !self.outbox.is_clear() {
                return;
            }
            // At the end of the channel, the next turn sees it.
            next = self.inbox.next().now_or_never().flatten();
        }
        if let Some(frame) = next {
            let now = self.shared.clock.timestamp();
            self.sdk.handle_frame(frame, &*self.shared.rights, now);
        }
    }

    fn taken(&mut self, end: &EndId, weight: usize) {
        self.sdk.taken_by(end, weight);
        while let Ok((end, weight)) = self.taken.try_recv() {
            self.sdk.taken_by(&end, weight);
        }
    }

    fn controller_answered(&mut self, answered: Answered) {
        let now = self.shared.clock.timestamp();
        match answered.answer {
            Ok((from, answer)) => self.sdk.controller_answered(
                answered.request,
                from,
                answer,
                &*self.shared.rights,
                now,
            ),
            Err(failure) => self.sdk.controller_failed(answered.request, failure),
        }
    }

    fn command(&mut self, command: Command) {
        let now = self.shared.clock.timestamp();
        match command {
            Command::Offer(offer, outcome) => {
                let key = (offer.circuit.clone(), offer.attempt);
                self.offers.insert(key, outcome);
                self.sdk.offer(*offer, now);
            },
            Command::Host(bind, event) => {
                self.forget_ended_bind(bind, &event);
                self.sdk.host_event(bind, *event, now);
            },
            Command::CircuitEnded(end, ended) => {
                self.circuits.forget(&end);
                self.shared.rights.end(&circuits::usage(self.id(), &end));
                self.sdk.deliver(&end, ToSdk::Ended(ended));
            },
            Command::Control(end, control) => {
                self.sdk.deliver(&end, ToSdk::Control(*control));
            },
            Command::Renew(session) => self.sdk.renew(&session, now),
            Command::EndServiceSessions(sessions) => {
                for session in &*sessions {
                    self.sdk.end_service_session(session);
                }
            },
            Command::End(reason) => self.sdk.end(&reason),
            Command::Inspect(question, answer) => {
                self.last_inspection += 1;
                let inspection = InspectionId(self.last_inspection);
                self.inspections.insert(inspection, answer);
                let names = vec![question.name];
                self.sdk
                    .inspect(inspection, question.connection, names, now);
            },
        }
    }

    fn heed(&mut self, notices: Notices) {
        let rights = &self.shared.rights;
        if notices.contains(Notice::Review) {
            self.sdk.review(&**rights, self.shared.clock.timestamp());
        }
        if notices.contains(Notice::Services)
            && let Some(changes) = rights.service_changes(self.id())
        {
            self.sdk.send_changes(changes);
        }
        if notices.contains(Notice::Posture) {
            self.sdk.send_posture(rights.posture_state(self.id()));
        }
    }

    /// The connections of the SDK are lost.
    fn lost(&mut self) {
        self.sdk.lost();
    }

    /// The channel has ended: others need not know of it any more, though a controller may still answer.
    fn leave(&mut self) {
        if std::mem::replace(&mut self.has_left, true) {
            return;
        }
        self.outbox.clear();
        self.shared.channels.remove(self.id());
        self.shared.rights.close(self.id());
        self.shared.presence.leave(self.id());
        tracing::info!(channel = self.id().0, identity = %self.handle.identity, "a client has left");
    }
}

/// For what a bind needs a right.
fn usage_of(channel: ChannelId, terminator: TerminatorId) -> Usage {
    Usage {
        channel,
        grant: ServiceGrant::Bind,
        subject: UsageSubject::Terminator(terminator),
    }
}
