//! The channel to one router: messages, commands and instants in, messages, events and a deadline out.

mod dial;
mod dispatch;
mod end;
mod host;
mod inspection;
mod offer;
mod probe;
mod services;
mod streams;
mod timeout;
mod token;
mod trace;
mod transmit;

pub use dial::{DialError, DialRequest, ServiceReference};
pub use host::BindError;
pub use offer::AnswerError;
pub use services::NotSupported;
pub use token::TokenError;
pub use trace::TraceError;
pub use transmit::Outgoing;

use crate::connection::Connections;
use crate::counters::Counters;
use crate::event::{ChannelEnd, EdgeEvent};
use crate::hello::{ApiSession, RouterTerms};
use crate::options::EdgeOptions;
use crate::stream::Stream;
use crate::timers::Timers;
use portcullis_channel::{Moment, Now};
use portcullis_wire::edge::ConnectionId;
use probe::Probes;
use services::Services;
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;
use token::TokenState;
use trace::Traces;

/// What an SDK and one router have to say to each other, after the hello.
///
/// *Handlers* (`handle_…`) say what has happened outside, *commands* ([`dial`](Self::dial),
/// [`bind`](Self::bind), [`write`](Self::write), [`close`](Self::close), …) act for the owner, *polls*
/// (`poll_…`) return what is to be done, getters change nothing.
///
/// After each handler or command:
///
/// 1. take [`poll_event`](Self::poll_event) until there is none;
/// 2. take [`poll_transmit`](Self::poll_transmit) until there is none, or as long as the channel's queues have
///    room;
/// 3. ask [`poll_timeout`](Self::poll_timeout) when to call [`handle_timeout`](Self::handle_timeout);
/// 4. read the next message of the router only if it [`wants_input`](Self::wants_input).
///
/// Instants must not go backwards.
///
/// A connection is the owner's from [`EdgeEvent::Connected`] or [`accept`](Self::accept) on until
/// [`close`](Self::close) or [`abort`](Self::abort), also if it is over before.
#[derive(Debug)]
pub struct EdgeChannel {
    options: EdgeOptions,
    terms: RouterTerms,
    /// The session is one of OpenID Connect.
    is_oidc: bool,
    connections: Connections,
    /// Connections that have something for the router, each once.
    queued: VecDeque<ConnectionId>,
    /// Connections that arrive faster than they are read.
    stalled: BTreeSet<ConnectionId>,
    outbox: VecDeque<Outgoing>,
    events: VecDeque<EdgeEvent>,
    timers: Timers,
    token: TokenState,
    probes: Probes,
    traces: Traces,
    services: Services,
    counters: Counters,
    end: Option<ChannelEnd>,
}

impl EdgeChannel {
    /// The channel to a router that has answered the hello.
    pub fn new(session: &ApiSession, terms: RouterTerms, options: EdgeOptions, now: Now) -> Self {
        let mut channel = Self {
            terms,
            is_oidc: session.is_oidc(),
            connections: Connections::default(),
            queued: VecDeque::new(),
            stalled: BTreeSet::new(),
            outbox: VecDeque::new(),
            events: VecDeque::new(),
            timers: Timers::default(),
            token: TokenState::default(),
            probes: Probes::new(now.mono),
            traces: Traces::default(),
            services: Services::default(),
            counters: Counters::default(),
            end: None,
            options,
        };
        channel.expect_expiry(session.expires_at, now);
        channel.schedule_probe();
        channel
    }

    pub fn poll_event(&mut self) -> Option<EdgeEvent> {
        self.events.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Moment> {
        self.timers.next()
    }

    /// Whether the next message of the router may be read. If not, a connection whose circuit ends in the
    /// router is read too slowly, or messages and events are not taken.
    pub fn wants_input(&self) -> bool {
        let most = self.options.max_waiting;
        self.stalled.is_empty() && self.outbox.len() <= most && self.events.len() <= most
    }

    pub const fn terms(&self) -> &RouterTerms {
        &self.terms
    }

    /// Whether services can be dialed by their ids and names. If not, each dial needs a session for its
    /// service.
    pub fn dials_services(&self) -> bool {
        self.is_oidc && self.terms.knows_services()
    }

    /// Number of connections: open, dialed, offered, and those that deliver what was written before they were
    /// closed.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// Number of binds.
    pub fn binds(&self) -> usize {
        self.connections.binds.len()
    }

    /// Bytes of memory that connections take for what travels, by [`weight`](portcullis_xgress::weight).
    pub fn weight(&self) -> usize {
        let streams = self.connections.iter();
        let streams = streams.filter_map(|(id, _)| self.connections.stream(id));
        streams.map(Stream::weight).sum()
    }

    /// The last measured round trip to the router.
    pub const fn latency(&self) -> Option<Duration> {
        self.probes.latency()
    }

    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Why the channel is over, if it is.
    pub const fn end(&self) -> Option<ChannelEnd> {
        self.end
    }

    /// Whether the circuits of new connections end here, if the owner prefers that.
    fn offers_xgress(&self, is_preferred: bool) -> bool {
        // What may overtake itself can only be put in order here.
        (is_preferred || !self.options.is_ordered) && self.terms.leaves_circuits_to_sdks()
    }
}
