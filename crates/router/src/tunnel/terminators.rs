//! The terminators of the router's own tunneler, and their life at the controllers.

mod creation;
mod validation;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use portcullis_domain::identity::Precedence;
use portcullis_tunneler::TerminatorKey;
use portcullis_wire::Precedence as WirePrecedence;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::tunnel::{TunnelHealthEvent, UpdateTunnelTerminator};

use crate::edge::{RequestId, TerminatorId};
use crate::terminator_removals::{Answered, Removals};
use crate::time::after;
use crate::timers::Timers;

/// The terminators of the router's own tunneler.
///
/// | Event | Effect |
/// |---|---|
/// | a terminator is added | it is created at a controller, and asked for again until one has answered |
/// | a controller refuses it | it has ended, unless the controller is busy |
/// | precedence or cost change | a controller is told; if it does not take that, the terminator is created once more |
/// | it is removed | it is removed at a controller, until one has confirmed that |
/// | a controller connects | what it may have missed is created and removed again |
///
/// The terminator for a server has the same id each time, as long as the router runs, so that one which comes again
/// takes the place of the one before. Not more creations are on their way at a time than the owner says, and one
/// removal of at most 50 terminators.
///
/// After each call, take [`poll`](Self::poll) until there is none, and ask [`deadline`](Self::deadline) when to call
/// [`handle_timeout`](Self::handle_timeout).
pub struct TunnelTerminators {
    entropy: Arc<dyn Entropy>,
    most_creations: usize,
    /// Of servers, also of those that are not hosted now.
    ids: BTreeMap<TerminatorKey, TerminatorId>,
    table: BTreeMap<TerminatorId, Terminator>,
    /// Terminators to be created, by their turn.
    queue: BTreeMap<u64, TerminatorId>,
    last_turn: u64,
    /// Creations that were not answered, also of terminators that are gone.
    creating: BTreeSet<TerminatorId>,
    updates: BTreeMap<RequestId, TerminatorId>,
    removals: Removals,
    timers: Timers<Timer>,
    actions: VecDeque<TerminatorAction>,
    last_request: u64,
}

/// How a terminator is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminatorTerms {
    /// The name by which this host is dialed, of several.
    pub instance: Option<String>,
    pub precedence: Precedence,
    pub cost: u16,
}

/// What the owner of [`TunnelTerminators`] has to do, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum TerminatorAction {
    /// The network has the terminator.
    Created(TerminatorId),
    /// It was refused, and is not known here any more. The reason is a text for people.
    Ended { id: TerminatorId, reason: String },
    /// Tell a controller.
    Tell(Box<ControlMessage>),
    /// Ask a controller, and hand the outcome to [`TunnelTerminators::request_answered`].
    Ask {
        request: RequestId,
        message: Box<ControlMessage>,
    },
}

#[derive(Debug)]
struct Terminator {
    key: TerminatorKey,
    terms: TerminatorTerms,
    stage: Stage,
    /// A controller may know it.
    was_sent: bool,
    /// Its owner was told that a controller has it.
    was_told: bool,
    /// The terms have changed since they were sent.
    has_changed: bool,
    /// Answers that a controller is busy, in a row.
    delays: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Queued {
        turn: u64,
    },
    Creating,
    /// It is created when its timer says so.
    Paused,
    Established,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// It is to be created, or its creation was not answered.
    Create(TerminatorId),
    /// Removals were not answered, or may be tried again.
    Remove,
}

impl TunnelTerminators {
    /// None yet. `most_creations` may be on their way at a time.
    pub fn new(entropy: Arc<dyn Entropy>, most_creations: usize) -> Self {
        Self {
            entropy,
            most_creations: most_creations.max(1),
            ids: BTreeMap::new(),
            table: BTreeMap::new(),
            queue: BTreeMap::new(),
            last_turn: 0,
            creating: BTreeSet::new(),
            updates: BTreeMap::new(),
            removals: Removals::default(),
            timers: Timers::default(),
            actions: VecDeque::new(),
            last_request: 0,
        }
    }

    /// Adds the terminator for a server. Its id is its address as well.
    ///
    /// # Errors
    ///
    /// There is no randomness for a new id.
    pub fn add(
        &mut self,
        key: &TerminatorKey,
        terms: TerminatorTerms,
        now: Timestamp,
    ) -> Result<TerminatorId, EntropyError> {
        let id = self.id_for(key)?;
        let terminator = Terminator {
            key: key.clone(),
            terms,
            stage: Stage::Paused,
            was_sent: false,
            was_told: false,
            has_changed: false,
            delays: 0,
        };
        self.table.insert(id.clone(), terminator);
        self.enqueue(&id);
        self.proceed(now);
        Ok(id)
    }

    /// The id that the server had before, unless something may still happen to that.
    fn id_for(&mut self, key: &TerminatorKey) -> Result<TerminatorId, EntropyError> {
        if let Some(id) = self.ids.get(key)
            && !self.table.contains_key(id)
            && !self.creating.contains(id)
            && self.removals.cancel(id)
        {
            return Ok(id.clone());
        }
        let id = TerminatorId::from(entropy::uuid(&*self.entropy)?);
        self.ids.insert(key.clone(), id.clone());
        Ok(id)
    }

    /// Gives a terminator another precedence and cost.
    pub fn update(&mut self, id: &TerminatorId, precedence: Precedence, cost: u16) {
        let Some(terminator) = self.table.get_mut(id) else {
            return;
        };
        let terms = &mut terminator.terms;
        if (terms.precedence, terms.cost) == (precedence, cost) {
            return;
        }
        (terms.precedence, terms.cost) = (precedence, cost);
        terminator.has_changed = true;
        if terminator.stage == Stage::Established {
            self.send_update(id);
        }
    }

    /// Tells a controller of the present terms, unless it is being told of earlier ones.
    fn send_update(&mut self, id: &TerminatorId) {
        if self.updates.values().any(|updated| updated == id) {
            return;
        }
        let Some(terminator) = self.table.get_mut(id) else {
            return;
        };
        terminator.has_changed = false;
        let message = UpdateTunnelTerminator {
            terminator_id: id.as_str().to_owned(),
            cost: terminator.terms.cost.into(),
            precedence: wire_precedence(terminator.terms.precedence),
            updates_precedence: true,
            updates_cost: true,
        };
        let request = self.next_request();
        self.updates.insert(request, id.clone());
        self.actions.push_back(TerminatorAction::Ask {
            request,
            message: Box::new(ControlMessage::UpdateTunnelTerminator(message)),
        });
    }

    /// The server of a terminator was checked.
    pub fn report_health(&mut self, id: &TerminatorId, has_passed: bool) {
        let is_known = self.table.get(id).is_some_and(|found| found.was_told);
        if is_known {
            self.tell(ControlMessage::TunnelHealthEvent(TunnelHealthEvent {
                terminator_id: id.as_str().to_owned(),
                has_passed,
            }));
        }
    }

    /// Removes a terminator here, and then at the controllers.
    pub fn remove(&mut self, id: &TerminatorId, now: Timestamp) {
        self.forget(id);
        self.proceed(now);
    }

    fn forget(&mut self, id: &TerminatorId) {
        self.stop_creating(id);
        let was_sent = self.table.remove(id).is_some_and(|gone| gone.was_sent);
        if was_sent {
            self.removals.add(id.clone());
        }
    }

    /// The outcome of a question: whether a controller has done what it was asked for.
    pub fn request_answered(&mut self, request: RequestId, is_done: bool, now: Timestamp) {
        if let Some(id) = self.updates.remove(&request) {
            self.update_answered(&id, is_done);
        } else {
            match self.removals.answered(request, is_done) {
                Answered::NotAsked => {},
                Answered::Done => self.timers.clear(&Timer::Remove),
                Answered::RetryAfter(pause) => self.timers.set(Timer::Remove, after(now, pause)),
            }
        }
        self.proceed(now);
    }

    /// What an update could not change is changed by creating the terminator once more: that is repeated until a
    /// controller has answered.
    fn update_answered(&mut self, id: &TerminatorId, is_done: bool) {
        let Some(terminator) = self.table.get(id) else {
            return;
        };
        if terminator.stage != Stage::Established {
            return;
        }
        if !is_done {
            self.enqueue(id);
        } else if terminator.has_changed {
            self.send_update(id);
        }
    }

    /// A controller has connected. It may have missed what others were told.
    pub fn controller_connected(&mut self, now: Timestamp) {
        self.create_what_was_missed(now);
        self.removals.retry();
        self.proceed(now);
    }

    /// The next action.
    pub fn poll(&mut self) -> Option<TerminatorAction> {
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
                Timer::Create(id) => self.create_again(&id),
                Timer::Remove => self.removals.retry(),
            }
        }
        self.proceed(now);
    }

    /// The terminator that the destination of a route names, and the server that it is for.
    pub fn find(&self, destination: &str) -> Option<(&TerminatorId, &TerminatorKey)> {
        let (id, terminator) = self.table.get_key_value(destination)?;
        Some((id, &terminator.key))
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
        self.timers.set(Timer::Remove, deadline);
        self.actions.push_back(TerminatorAction::Ask {
            request,
            message: Box::new(message),
        });
    }

    fn tell(&mut self, message: ControlMessage) {
        self.actions
            .push_back(TerminatorAction::Tell(Box::new(message)));
    }

    const fn next_request(&mut self) -> RequestId {
        self.last_request += 1;
        RequestId(self.last_request)
    }
}

const fn wire_precedence(precedence: Precedence) -> WirePrecedence {
    match precedence {
        Precedence::Default => WirePrecedence::Default,
        Precedence::Required => WirePrecedence::Required,
        Precedence::Failed => WirePrecedence::Failed,
    }
}
