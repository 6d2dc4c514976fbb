//! One SDK's channel: messages and instants in, actions and a deadline out.

mod bind;
mod data;
mod dial;
mod dispatch;
mod end;
mod inspection;
mod offer;
mod review;
mod services;
mod token;
mod trace;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use portcullis_channel::ReplyTo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_memory_budget::{MemoryBudget, Shortage};
use portcullis_wire::ErrorCode;
use portcullis_wire::edge::{ConnectionId, EdgeMessage};

use self::inspection::Asked;
use self::offer::PendingOffer;
use self::trace::Traces;
use super::access::{Access, ApiSession, SessionKind};
use super::action::{Action, AskId, Outgoing, Recipient, RequestId};
use super::admission::Client;
use super::connections::{Connections, FIRST_OF_ROUTER, Usage};
use super::limits::EdgeLimits;
use super::names::ChannelId;
use super::refusal::Refusal;
use super::subscription::Subscription;
use crate::timers::Timers;

/// The channel of an SDK, whether it has one connection or several.
///
/// After each call, take [`poll`](Self::poll) until there is none, and ask [`deadline`](Self::deadline)
/// when to call [`handle_timeout`](Self::handle_timeout). Instants must not go backwards.
///
/// Every dial, bind and offer is answered exactly once, whatever the SDK does.
#[derive(Debug)]
pub struct SdkChannel {
    id: ChannelId,
    /// Id of this router, in answers to traces.
    router: Arc<str>,
    client: Client,
    limits: EdgeLimits,
    connections: Connections,
    dials: BTreeMap<RequestId, ConnectionId>,
    /// Questions that no controller has answered yet, also of dials that have ended.
    unanswered: BTreeSet<RequestId>,
    offers: BTreeMap<AskId, PendingOffer>,
    asked: BTreeMap<AskId, Asked>,
    traces: Traces,
    services: Subscription,
    /// Weight of what circuits have not taken yet.
    backlog: usize,
    /// How long the backlog may be by the memory that there is.
    allowance: usize,
    /// Why nothing new may begin.
    shortage: Option<Shortage>,
    /// Connections whose own part of that is too long.
    stalled: BTreeSet<ConnectionId>,
    timers: Timers<Timer>,
    actions: VecDeque<Action>,
    last_ask: u64,
    last_request: u64,
    last_bind: u64,
    has_ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    Dial(RequestId),
    Offer(AskId),
    Question(AskId),
    /// What time alone may end is checked.
    Review,
}

impl SdkChannel {
    /// Opens the channel of a client that was let in.
    pub fn new(
        id: ChannelId,
        client: Client,
        router: Arc<str>,
        limits: EdgeLimits,
        now: Timestamp,
    ) -> Self {
        let mut channel = Self {
            id,
            router,
            limits,
            connections: Connections::default(),
            dials: BTreeMap::new(),
            unanswered: BTreeSet::new(),
            offers: BTreeMap::new(),
            asked: BTreeMap::new(),
            traces: Traces::new(limits.traces),
            services: Subscription::default(),
            backlog: 0,
            allowance: usize::MAX,
            shortage: None,
            stalled: BTreeSet::new(),
            timers: Timers::default(),
            actions: VecDeque::new(),
            last_ask: 0,
            last_request: 0,
            last_bind: 0,
            has_ended: false,
            client,
        };
        channel.schedule_review(now);
        channel
    }

    pub const fn id(&self) -> ChannelId {
        self.id
    }

    pub const fn session(&self) -> &ApiSession {
        &self.client.session
    }

    /// The next action.
    pub fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn deadline(&self) -> Option<Timestamp> {
        self.timers.next()
    }

    /// Handles all that has become due.
    pub fn handle_timeout(&mut self, access: &dyn Access, now: Timestamp) {
        while let Some(timer) = self.timers.pop_due(now) {
            match timer {
                Timer::Dial(request) => self.dial_timed_out(request),
                Timer::Offer(ask) => self.offer_timed_out(ask),
                Timer::Question(ask) => self.not_answered(ask),
                Timer::Review => self.review(access, now),
            }
        }
    }

    /// Keeps to memory that channels share: while it is scarce, less is read, and nothing new begins.
    pub fn heed_memory(&mut self, memory: &MemoryBudget) {
        self.allowance = memory.allowance();
        self.shortage = memory.check_room().err();
    }

    /// Bytes that circuits have not taken yet, by their [`weight`](super::CircuitData::weight).
    pub const fn backlog(&self) -> usize {
        self.backlog
    }

    /// Number of connections and binds.
    pub fn connections(&self) -> usize {
        self.connections.len() + self.chosen_by_hosts()
    }

    /// Number of binds.
    pub const fn binds(&self) -> usize {
        self.connections.binds()
    }

    /// Whether the channel has ended: messages of the SDK are passed over.
    pub const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether there is nothing left to be done: the channel has ended, all actions were taken, and no
    /// controller may still answer with a circuit that would have to be given back.
    pub fn is_finished(&self) -> bool {
        self.has_ended && self.actions.is_empty() && self.unanswered.is_empty()
    }

    fn send(&mut self, message: EdgeMessage) {
        self.actions.push_back(Action::Send(Outgoing {
            message,
            reply_to: None,
        }));
    }

    fn reply(&mut self, message: EdgeMessage, reply_to: ReplyTo) {
        self.actions.push_back(Action::Send(Outgoing {
            message,
            reply_to: Some(reply_to),
        }));
    }

    fn refuse(&mut self, connection: ConnectionId, refusal: Refusal, reply_to: ReplyTo) {
        let closed = refusal.into_state_closed(connection);
        self.reply(EdgeMessage::StateClosed(closed), reply_to);
    }

    fn close(&mut self, connection: ConnectionId, refusal: Refusal) {
        let closed = refusal.into_state_closed(connection);
        self.send(EdgeMessage::StateClosed(closed));
    }

    fn next_ask(&mut self) -> AskId {
        self.last_ask += 1;
        AskId(self.last_ask)
    }

    fn next_request(&mut self) -> RequestId {
        self.last_request += 1;
        RequestId(self.last_request)
    }

    /// The controller that answers for the session.
    fn controller(&self) -> Recipient {
        match &self.client.session.kind {
            SessionKind::Legacy(controller) => Recipient::Only(controller.clone()),
            SessionKind::Oidc => Recipient::Any,
        }
    }

    /// Whether the session may use a service. That of a legacy session is for its controller to judge.
    fn check_grant(
        &self,
        usage: &Usage,
        access: &dyn Access,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        match self.client.session.kind {
            SessionKind::Legacy(_) => Ok(()),
            SessionKind::Oidc => {
                access.check_grant(&self.client.session, usage.grant, &usage.service, now)
            },
        }
    }

    /// Whether one more connection fits.
    fn check_room(&self, connection: ConnectionId) -> Result<(), Refusal> {
        if connection.0 >= FIRST_OF_ROUTER {
            return Err(Refusal::text(
                "connection ids from 2^31 on are chosen by the router",
            ));
        }
        if self.connections.contains(connection) {
            return Err(Refusal::text(format!(
                "connection id {} is already in use",
                connection.0
            )));
        }
        if self.connections() >= self.limits.connections {
            return Err(Refusal::busy("too many connections"));
        }
        if let Some(shortage) = self.shortage {
            return Err(Refusal::busy(shortage.to_string()));
        }
        Ok(())
    }
}

/// Fails for a session that was made for something else.
fn check_kind(found: ServiceGrant, wanted: ServiceGrant) -> Result<(), Refusal> {
    if found == wanted {
        return Ok(());
    }
    let reason = match wanted {
        ServiceGrant::Dial => "the session is not for dialing",
        ServiceGrant::Bind => "the session is not for binding",
    };
    Err(Refusal::new(ErrorCode::WrongSessionType, reason))
}
