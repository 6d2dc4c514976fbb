//! A channel to one router that is open: the state machine of `sdk-proto` over a channel of `transport`.
//!
//! ```text
//! Connection, Bind -> Shared { State { EdgeChannel } } <- driver <- Inbox
//!                          `-----> ChannelHandle
//! ```
//!
//! Streams work on the state machine themselves, under its lock, which is never held across an await; what that
//! has for the router goes into the queue of the channel at once. The driver is the one task of a channel: it
//! reads, waits for room in the queue, and keeps the deadlines.

mod bind;
mod connection;
mod dialing;
mod driver;
mod offers;
mod shared;
mod state;
mod stop;
#[cfg(test)]
mod tests;

pub(crate) use bind::Bind;
pub(crate) use connection::Connection;
pub(crate) use dialing::Dialing;
pub(crate) use offers::{OfferQueue, OfferSink, Offered, offer_queue};
pub(crate) use stop::Stop;

use crate::sessions::Sessions;
use portcullis_domain::posture::Report;
use portcullis_sdk_proto::{
    ApiSession, BindError, BindRequest, DialError, DialRequest, EdgeChannel, EdgeOptions,
    RouterTerms,
};
use portcullis_transport::{ChannelHandle, Inbox, Transport};
use shared::Shared;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// A channel to one router that is open. Clones are the same channel; it lives until it is told to
/// [stop](Stop), or the router ends it.
#[derive(Debug, Clone)]
pub(crate) struct RouterChannel {
    shared: Arc<Shared>,
}

/// What a channel is made of.
pub(crate) struct OpenedChannel {
    pub(crate) handle: ChannelHandle,
    pub(crate) inbox: Inbox,
    pub(crate) terms: RouterTerms,
    /// The session that the hello has shown.
    pub(crate) session: ApiSession,
    /// How long the router took to answer the hello: an estimate until the first probe.
    pub(crate) hello_time: Duration,
}

/// What routers are told as it changes.
#[derive(Debug, Clone)]
pub(crate) struct Updates {
    pub(crate) sessions: Sessions,
    pub(crate) posture: watch::Receiver<Arc<[Report]>>,
    pub(crate) stop: watch::Receiver<Stop>,
}

impl RouterChannel {
    /// Starts the driver. The router has the posture before the first dial.
    pub(crate) fn start(
        transport: &Transport,
        parts: OpenedChannel,
        mut updates: Updates,
        options: EdgeOptions,
    ) -> Self {
        let OpenedChannel {
            handle,
            inbox,
            terms,
            session,
            hello_time,
        } = parts;
        let shared = Shared::new(
            handle,
            transport.clock(),
            EdgeChannel::new(&session, terms, options, transport.clock().now()),
            hello_time,
        );
        driver::report(&shared, &mut updates.posture);
        let driving = driver::run(Arc::clone(&shared), inbox, session, updates);
        transport.tasks().spawn(driving);
        Self { shared }
    }

    /// Asks for a connection. Dropping what is returned takes the dial back.
    pub(crate) fn dial(&self, request: DialRequest) -> Result<Dialing, DialError> {
        Dialing::start(&self.shared, request)
    }

    /// Hosts a service; what is dialed goes to `offers`. Dropping what is returned ends that.
    pub(crate) fn bind(&self, request: BindRequest, offers: OfferSink) -> Result<Bind, BindError> {
        Bind::start(&self.shared, request, offers)
    }

    /// Whether a dial needs a session for its service.
    pub(crate) fn needs_sessions(&self) -> bool {
        self.shared.get(|state| !state.edge.dials_services())
    }

    /// The round trip to the router.
    pub(crate) fn latency(&self) -> Duration {
        let measured = self.shared.get(|state| state.edge.latency());
        measured.unwrap_or(self.shared.hello_time)
    }

    /// Whether anything that was asked of the router has been answered: it has accepted the session.
    pub(crate) fn is_proven(&self) -> bool {
        self.shared.get(|state| state.is_proven)
    }

    /// The router has not answered in time: it is asked for a sign of life.
    pub(crate) fn suspect(&self) {
        self.shared.update(|state, now| {
            state.suspected_at = Some(now.mono);
            state.edge.probe(now);
        });
    }

    /// Whether nothing has arrived since it was [suspected](Self::suspect).
    pub(crate) fn is_suspected(&self) -> bool {
        self.shared.get(|state| {
            let at = state.suspected_at;
            at.is_some_and(|at| state.edge.last_heard() <= at)
        })
    }

    /// Whether it can be used for what is new.
    pub(crate) fn is_current(&self) -> bool {
        !self.has_ended() && self.shared.get(|state| !state.is_outdated)
    }

    /// Whether both are the same channel.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.shared.ended.is_cancelled()
    }

    /// Waits until the channel is over, by whatever.
    pub(crate) async fn ended(&self) {
        self.shared.ended.cancelled().await;
    }

    /// Lets the channel end as soon as nobody uses it.
    pub(crate) fn end_when_idle(&self) {
        self.shared.update(|state, _| state.ends_when_idle = true);
    }
}
