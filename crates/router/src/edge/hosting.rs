//! The terminators that SDKs host at this router, and their life at the controllers.

mod bind;
mod establish;
mod health;
mod inspect;
mod table;
mod terminator;
mod validate;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::Entropy;
use portcullis_wire::Precedence;
use portcullis_wire::control::ControlMessage;

use self::table::Table;
use super::access::{ApiSession, SessionKind};
use super::action::{Recipient, RequestId};
use super::host_exchange::{BindKey, HostEvent, HostRequest};
use super::limits::EdgeLimits;
use super::names::{ChannelId, TerminatorId};
use crate::terminator_removals::{Answered, Removals};
use crate::time::after;
use crate::timers::Timers;

pub use self::terminator::TerminatorView;

/// The terminators of all SDKs of a router.
///
/// | Event | Effect |
/// |---|---|
/// | a bind | a terminator is created at a controller, and created again until one has it |
/// | another bind of the same listener and identity | it takes the terminator over; the earlier bind ends |
/// | a controller refuses for good | the bind ends with what the controller says |
/// | the bind is changed | the terminator is created once more, which changes it |
/// | the bind or its channel ends | the terminator is removed, until a controller has confirmed that |
/// | a controller connects | what it may have missed is created and removed again |
///
/// Not more creations are on their way at a time than [`EdgeLimits::creations`] says, and one removal of at
/// most 50 terminators.
///
/// After each call, take [`poll`](Self::poll) until there is none, and ask [`deadline`](Self::deadline)
/// when to call [`handle_timeout`](Self::handle_timeout).
pub struct Hosting {
    limits: EdgeLimits,
    entropy: Arc<dyn Entropy>,
    table: Table,
    /// Terminators to be created, by their turn.
    queue: BTreeMap<u64, TerminatorId>,
    last_turn: u64,
    /// Creations that were not answered, also of terminators that are gone: who binds and unbinds for ever
    /// waits for the controllers.
    creating: BTreeSet<TerminatorId>,
    removals: Removals,
    timers: Timers<HostTimer>,
    actions: VecDeque<HostAction>,
    last_request: u64,
}

/// What the owner of a [`Hosting`] has to do, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum HostAction {
    /// Hand to the channel of a bind, unless that has ended.
    Event { bind: BindKey, event: HostEvent },
    /// Tell a controller. Answers come by [`Hosting::create_answered`].
    Tell {
        to: Recipient,
        message: Box<ControlMessage>,
    },
    /// Ask a controller, and hand the outcome to [`Hosting::removal_answered`].
    Remove {
        request: RequestId,
        message: Box<ControlMessage>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum HostTimer {
    /// It is to be created, or its creation was not answered.
    Create(TerminatorId),
    /// Its SDK is to be asked whether it still has the bind.
    Inspect(TerminatorId),
    /// A controller may be told of its health again.
    Health(TerminatorId),
    /// Removals were not answered, or may be tried again.
    Remove,
}

impl Hosting {
    pub fn new(entropy: Arc<dyn Entropy>, limits: EdgeLimits) -> Self {
        Self {
            limits,
            entropy,
            table: Table::default(),
            queue: BTreeMap::new(),
            last_turn: 0,
            creating: BTreeSet::new(),
            removals: Removals::default(),
            timers: Timers::default(),
            actions: VecDeque::new(),
            last_request: 0,
        }
    }

    /// Handles what a channel says.
    pub fn handle(&mut self, request: HostRequest, now: Timestamp) {
        match request {
            HostRequest::Bind(request) => self.bind(*request, now),
            HostRequest::Unbind(bind) => self.unbind(bind),
            HostRequest::Update {
                bind,
                cost,
                precedence,
            } => self.update(bind, cost, precedence),
            HostRequest::Health { bind, has_passed } => self.health(bind, has_passed, now),
            HostRequest::Inspected { bind, kind } => self.inspected(bind, kind),
            HostRequest::Renewed(channel, session) => self.renew(channel, &session),
            HostRequest::Ended(channel) => self.end(channel),
        }
        self.proceed(now);
    }

    /// The next action.
    pub fn poll(&mut self) -> Option<HostAction> {
        self.actions.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn deadline(&self) -> Option<Timestamp> {
        self.timers.next()
    }

    /// Handles all that has become due.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        while let Some(timer) = self.timers.pop_due(now) {
            match timer {
                HostTimer::Create(id) => self.create_again(&id),
                HostTimer::Inspect(id) => self.inspect(&id, now),
                HostTimer::Health(id) => self.health_is_due(&id, now),
                HostTimer::Remove => self.removals.retry(),
            }
        }
        self.proceed(now);
    }

    /// The outcome of a removal: whether a controller has confirmed it.
    pub fn removal_answered(&mut self, request: RequestId, is_done: bool, now: Timestamp) {
        match self.removals.answered(request, is_done) {
            Answered::NotAsked => return,
            Answered::Done => self.timers.clear(&HostTimer::Remove),
            Answered::RetryAfter(pause) => self.timers.set(HostTimer::Remove, after(now, pause)),
        }
        self.proceed(now);
    }

    /// A controller has connected. It may have missed what others were told.
    pub fn controller_connected(&mut self, now: Timestamp) {
        self.create_what_was_missed(now);
        self.removals.retry();
        self.proceed(now);
    }

    /// The bind of a terminator, by the destination of a route; `None` if it has ended.
    pub fn find(&self, destination: &str) -> Option<BindKey> {
        let id = destination.strip_prefix("hosted:").unwrap_or(destination);
        self.table.get(id).map(|terminator| terminator.bind)
    }

    /// The terminator of a bind; `None` if it has ended.
    pub fn terminator_of(&self, bind: BindKey) -> Option<&TerminatorId> {
        self.table.of_bind(bind).map(|terminator| &terminator.id)
    }

    /// The terminators, for inspections.
    pub fn terminators(&self) -> impl Iterator<Item = TerminatorView<'_>> {
        self.table.iter().map(TerminatorView::of)
    }

    /// The terminators after an id, by id; all of them after `None`.
    pub fn terminators_after(
        &self,
        after: Option<&TerminatorId>,
    ) -> impl Iterator<Item = TerminatorView<'_>> {
        self.table.iter_after(after).map(TerminatorView::of)
    }

    /// Number of terminators, including those whose removal no controller has confirmed.
    pub fn len(&self) -> usize {
        self.table.len() + self.removals.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sends what may be sent by now.
    fn proceed(&mut self, now: Timestamp) {
        self.create_queued(now);
        self.remove_queued(now);
    }

    fn remove_queued(&mut self, now: Timestamp) {
        let request = RequestId(self.last_request + 1);
        let Some(message) = self.removals.next(request) else {
            return;
        };
        self.last_request += 1;
        let deadline = after(now, Removals::ANSWER_TIME);
        self.timers.set(HostTimer::Remove, deadline);
        self.actions.push_back(HostAction::Remove {
            request,
            message: Box::new(message),
        });
    }

    /// A controller is told by creating the terminator again: it compares, and changes what differs. Unlike
    /// an update, that is repeated until it has succeeded, and there is one at a time on the way.
    fn update(&mut self, bind: BindKey, cost: Option<u16>, precedence: Option<Precedence>) {
        let Some(terminator) = self.table.of_bind_mut(bind) else {
            return;
        };
        let terms = &mut terminator.terms;
        let earlier = (terms.cost, terms.precedence);
        terms.cost = cost.unwrap_or(terms.cost);
        terms.precedence = precedence.unwrap_or(terms.precedence);
        if (terms.cost, terms.precedence) == earlier {
            return;
        }
        terminator.has_changed = true;
        if terminator.is_established() {
            let id = terminator.id.clone();
            self.enqueue(&id);
        }
    }

    fn renew(&mut self, channel: ChannelId, session: &ApiSession) {
        for bind in self.table.binds_of(channel) {
            if let Some(terminator) = self.table.of_bind_mut(bind) {
                terminator.session = session.clone();
            }
        }
    }

    fn event(&mut self, bind: BindKey, event: HostEvent) {
        self.actions.push_back(HostAction::Event { bind, event });
    }

    fn tell(&mut self, to: Recipient, message: ControlMessage) {
        let message = Box::new(message);
        self.actions.push_back(HostAction::Tell { to, message });
    }
}

/// The controller that answers for a session.
fn recipient(session: &ApiSession) -> Recipient {
    match &session.kind {
        SessionKind::Legacy(controller) => Recipient::Only(controller.clone()),
        SessionKind::Oidc => Recipient::Any,
    }
}
