//! The picture of the network, and the sessions that it is drawn from and acts on.
//!
//! One lock holds both. Whatever changes the picture is followed, under the lock, by the messages that
//! come of it, so that each router gets them in the order in which they were decided. Nothing waits
//! under the lock: what a router has no room for is kept for it.

mod dial_answer;
mod ended;
mod link_times;
mod session;

use crate::identity_traces::IdentityTraces;
use crate::outlet::Outlet;
use crate::translate;
use dial_answer::PendingDial;
use ended::EndedCircuits;
use link_times::LinkTimes;
use parking_lot::Mutex;
use portcullis_channel::{Frame, Message, Priority, ReplyTo};
use portcullis_domain::ids::{CircuitId, LinkId, RouterId, TerminatorId};
use portcullis_fabric::{
    Action, CarriedCircuits, CircuitEvent, DialId, Fabric, FabricEvent, FabricOptions, Moment,
    RouteId, RouterSession,
};
use portcullis_transport::Clock;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::route::RouteResult;
use session::SessionState;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio::sync::{Notify, mpsc};

pub(crate) use dial_answer::{DialForm, DialRequest};

/// What the picture decides about records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordChange {
    DeleteTerminator(TerminatorId),
    DegradeTerminator(TerminatorId),
}

/// The picture of the network.
pub(crate) struct LiveFabric {
    clock: Clock,
    traces: Arc<IdentityTraces>,
    state: Mutex<State>,
    /// Told when the next deadline may have become an earlier one.
    rescheduled: Notify,
    record_changes: mpsc::UnboundedSender<RecordChange>,
    happened: mpsc::UnboundedSender<Happened>,
}

struct State {
    fabric: Fabric,
    sessions: HashMap<RouterSession, SessionState>,
    dials: HashMap<DialId, PendingDial>,
    next_dial: u64,
    ended: EndedCircuits,
    link_times: LinkTimes,
    /// The deadline that the timer knows of.
    scheduled: Option<Moment>,
}

/// What comes out of the picture, for its owner.
pub(crate) struct Outputs {
    pub(crate) record_changes: mpsc::UnboundedReceiver<RecordChange>,
    pub(crate) happened: mpsc::UnboundedReceiver<Happened>,
}

/// Something that has happened in the network.
pub(crate) struct Happened {
    pub(crate) at: Moment,
    pub(crate) event: FabricEvent,
}

/// A router's answer to the question what it carries.
pub(crate) struct AskedAt(pub(crate) Moment);

impl LiveFabric {
    pub(crate) fn new(
        options: FabricOptions,
        clock: Clock,
        traces: Arc<IdentityTraces>,
    ) -> (Arc<Self>, Outputs) {
        let (record_changes, changes) = mpsc::unbounded_channel();
        let (tell, happened) = mpsc::unbounded_channel();
        let state = State {
            fabric: Fabric::new(options, clock.now().mono),
            sessions: HashMap::new(),
            dials: HashMap::new(),
            next_dial: 0,
            ended: EndedCircuits::default(),
            link_times: LinkTimes::default(),
            scheduled: None,
        };
        let fabric = Self {
            clock,
            traces,
            state: Mutex::new(state),
            rescheduled: Notify::new(),
            record_changes,
            happened: tell,
        };
        let outputs = Outputs {
            record_changes: changes,
            happened,
        };
        (Arc::new(fabric), outputs)
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now().mono
    }

    /// Reads the picture. What is read is complete as of one moment.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Fabric) -> T) -> T {
        read(&self.state.lock().fabric)
    }

    /// Whether a circuit has ended such a short time ago that routers may have it still.
    pub(crate) fn has_just_ended(&self, circuit: &CircuitId) -> bool {
        let now = self.clock.now().mono;
        let circuit = portcullis_fabric::CircuitId::new(circuit.as_str());
        circuit.is_ok_and(|circuit| self.state.lock().ended.contains(&circuit, now))
    }

    /// When links were first reported, of those that there are.
    pub(crate) fn links_since<'l>(
        &self,
        links: impl Iterator<Item = &'l LinkId>,
    ) -> BTreeMap<&'l LinkId, Moment> {
        let named = links.filter_map(|link| {
            let id = portcullis_fabric::LinkId::new(link.as_str()).ok()?;
            Some((link, id))
        });
        let named: Vec<_> = named.collect();
        let state = self.state.lock();
        let since = named
            .into_iter()
            .filter_map(|(link, id)| Some((link, state.link_times.get(&id)?)));
        since.collect()
    }

    /// Changes the picture, and does what follows from that.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Fabric, Moment) -> T) -> T {
        let mut state = self.state.lock();
        let now = self.clock.now().mono;
        let result = change(&mut state.fabric, now);
        self.follow(&mut state, now);
        result
    }

    /// Begins the session of a router; `None` if it has no record.
    pub(crate) fn connect(
        &self,
        router: &RouterId,
        outlet: Arc<Outlet>,
        tells_circuits: bool,
    ) -> Option<RouterSession> {
        let mut state = self.state.lock();
        let now = self.clock.now().mono;
        let session = state.fabric.connect(router, now)?;
        let state_of_session = SessionState::new(outlet, tells_circuits);
        state.sessions.insert(session, state_of_session);
        self.follow(&mut state, now);
        Some(session)
    }

    /// Ends a session.
    pub(crate) fn disconnect(&self, session: RouterSession) {
        let mut state = self.state.lock();
        let now = self.clock.now().mono;
        state.sessions.remove(&session);
        state.dials.retain(|_, dial| dial.session() != session);
        state.fabric.disconnect(session, now);
        self.follow(&mut state, now);
    }

    /// Dials for a router. The answer goes to it by itself.
    pub(crate) fn dial(&self, request: DialRequest, reply_to: ReplyTo) {
        let mut state = self.state.lock();
        let now = self.clock.now().mono;
        let id = DialId(state.next_dial);
        state.next_dial += 1;
        let (dial, form) = request.into_dial(id);
        let pending = PendingDial::new(&dial, form, reply_to);
        state.dials.insert(id, pending);
        state.fabric.dial(dial, now);
        self.follow(&mut state, now);
    }

    /// Handles the answer to a route.
    pub(crate) fn handle_route_result(
        &self,
        session: RouterSession,
        frame: &Frame,
        result: RouteResult,
    ) {
        let mut state = self.state.lock();
        let now = self.clock.now().mono;
        let route = state.sessions.get(&session);
        let route = route.and_then(|session| session.take_route(frame.reply_for()));
        if let Some(result) = translate::route_result(result, route) {
            state.fabric.handle_route_result(session, result, now);
        }
        self.follow(&mut state, now);
    }

    /// When the router was asked what it carries, if that is what a message answers.
    pub(crate) fn take_question(&self, session: RouterSession, frame: &Frame) -> Option<AskedAt> {
        let state = self.state.lock();
        let session = state.sessions.get(&session)?;
        session.take_question(frame.reply_for()).map(AskedAt)
    }

    /// Handles what a router says that it carries.
    pub(crate) fn handle_carried(&self, session: RouterSession, carried: CarriedCircuits) {
        self.change(|fabric, now| fabric.handle_carried(session, carried, now));
    }

    /// Keeps the deadlines until it is dropped.
    pub(crate) async fn keep_deadlines(&self) {
        loop {
            let deadline = self.state.lock().scheduled;
            let rescheduled = self.rescheduled.notified();
            match deadline {
                Some(deadline) => tokio::select! {
                    () = tokio::time::sleep_until(self.clock.instant(deadline)) => {
                        self.change(Fabric::handle_timeout);
                    },
                    () = rescheduled => {},
                },
                None => rescheduled.await,
            }
        }
    }

    /// Does what was decided, and schedules what is due next.
    fn follow(&self, state: &mut State, now: Moment) {
        while let Some(action) = state.fabric.poll_action() {
            self.perform(state, action, now);
        }
        while let Some(event) = state.fabric.poll_event() {
            self.traces.follow(&event, &state.fabric);
            match &event {
                FabricEvent::Circuit(CircuitEvent::Ended { circuit, .. }) => {
                    state.ended.add(circuit.names.circuit.clone(), now);
                },
                FabricEvent::Link(event) => state.link_times.follow(event, now),
                FabricEvent::Circuit(_) | FabricEvent::Router(_) => {},
            }
            // Nobody listens any more when the controller stops.
            let _ = self.happened.send(Happened { at: now, event });
        }
        let deadline = state.fabric.poll_timeout();
        if deadline != state.scheduled {
            state.scheduled = deadline;
            self.rescheduled.notify_one();
        }
    }

    fn perform(&self, state: &mut State, action: Action, now: Moment) {
        match action {
            Action::Route { to, id, route } => {
                let mut message = translate::route(&route);
                if let Some(context) = &mut message.context {
                    let circuit = state.fabric.circuit(&route.circuit);
                    self.traces.add_to(context, &route, circuit);
                }
                state.send_route(to, (id, now), &ControlMessage::Route(message));
            },
            Action::Unroute {
                to,
                circuit,
                now: is_immediate,
            } => {
                let unroute = translate::unroute(&circuit, is_immediate);
                state.send(to, &ControlMessage::Unroute(unroute));
            },
            Action::CloseLink {
                to,
                link,
                iteration,
            } => {
                let fault = translate::close_link(&link, iteration);
                state.send(to, &ControlMessage::Fault(fault));
            },
            Action::Answer {
                to,
                dial,
                circuit,
                result,
            } => {
                let Some(pending) = state.dials.remove(&dial) else {
                    return;
                };
                self.traces.answered(&circuit, result.as_ref());
                let (priority, answer) = pending.answer(&circuit, result);
                state.reply(to, pending.reply_to(), priority, answer);
            },
            Action::AskForCircuits { to } => state.ask_for_circuits(to, now),
            Action::DeleteTerminator { terminator } => {
                let _ = self
                    .record_changes
                    .send(RecordChange::DeleteTerminator(terminator));
            },
            Action::DegradeTerminator { terminator } => {
                let _ = self
                    .record_changes
                    .send(RecordChange::DegradeTerminator(terminator));
            },
        }
    }
}

impl State {
    fn send_route(&self, to: RouterSession, (id, now): (RouteId, Moment), route: &ControlMessage) {
        if let Some(session) = self.sessions.get(&to) {
            session.send_route((id, now), route);
        }
    }

    fn send(&self, to: RouterSession, message: &ControlMessage) {
        if let Some(session) = self.sessions.get(&to) {
            session.send(message);
        }
    }

    fn reply(&self, to: RouterSession, reply_to: &ReplyTo, priority: Priority, message: Message) {
        if let Some(session) = self.sessions.get(&to) {
            session.reply(reply_to, priority, message);
        }
    }

    fn ask_for_circuits(&self, to: RouterSession, now: Moment) {
        if let Some(session) = self.sessions.get(&to) {
            session.ask_for_circuits(now);
        }
    }
}
