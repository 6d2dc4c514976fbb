//! Which channel a connection belongs to.

use parking_lot::Mutex;
use portcullis_channel::group::{
    Admission, AdmissionTicket, Attachment, Decision, GeneratedCredentials, GroupLimits,
    GroupRegistry, Registration, Reservation, ReservationExpiredError,
};
use portcullis_channel::hello::Hello;
use portcullis_transport::{ChannelHandle, Clock};
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// A router as its certificate has proved it: by fingerprint.
pub(crate) type Proven = String;

/// The groups of all routers.
pub(crate) struct Groups {
    clock: Clock,
    state: Mutex<State>,
}

struct State {
    registry: GroupRegistry<Proven, ChannelHandle>,
    waiting: HashMap<AdmissionTicket, oneshot::Sender<Decision<ChannelHandle>>>,
}

/// What becomes of a connection.
pub(crate) enum Place {
    /// The first one of a new channel.
    First(Reservation<Proven>),
    /// One more of an existing channel.
    Further(Attachment<ChannelHandle>),
    /// To be closed without an answer, on which routers begin anew.
    None,
}

impl Groups {
    pub(crate) fn new(clock: Clock) -> Self {
        let state = State {
            registry: GroupRegistry::new(GroupLimits::default()),
            waiting: HashMap::new(),
        };
        Self {
            clock,
            state: Mutex::new(state),
        }
    }

    /// Decides about the hello of a router. A second connection may come before the first one is
    /// through; it waits for that.
    pub(crate) async fn place(
        &self,
        router: &Proven,
        hello: &Hello,
        generated: GeneratedCredentials,
    ) -> Place {
        let (ticket, decided) = {
            let mut state = self.state.lock();
            let now = self.clock.now().mono;
            state.registry.handle_timeout(now);
            let ticket = match state.registry.admit(router, hello, generated, now) {
                Admission::New(reservation) => return Place::First(reservation),
                Admission::Attach(attachment) => return Place::Further(attachment),
                Admission::Refuse(reason) => {
                    tracing::debug!(%reason, "a connection of a router belongs to no channel");
                    return Place::None;
                },
                Admission::Wait(ticket) => ticket,
            };
            let (sender, decided) = oneshot::channel();
            state.waiting.insert(ticket, sender);
            state.decide();
            (ticket, decided)
        };
        self.wait(ticket, decided).await
    }

    async fn wait(
        &self,
        ticket: AdmissionTicket,
        decided: oneshot::Receiver<Decision<ChannelHandle>>,
    ) -> Place {
        let limit = GroupLimits::default().waiting_time + Duration::from_millis(10);
        match timeout(limit, decided).await {
            Ok(Ok(Decision::Attach(attachment))) => Place::Further(attachment),
            Ok(Ok(Decision::Refuse(_)) | Err(_)) => Place::None,
            Err(_) => {
                let mut state = self.state.lock();
                state.waiting.remove(&ticket);
                state.registry.withdraw(ticket);
                Place::None
            },
        }
    }

    /// The first connection of a channel is through.
    pub(crate) fn open(
        &self,
        reservation: Reservation<Proven>,
        channel: ChannelHandle,
    ) -> Result<Registration<Proven>, ReservationExpiredError> {
        let mut state = self.state.lock();
        let registration = state.registry.open(reservation, channel);
        state.decide();
        registration
    }

    /// The first connection of a channel was refused.
    pub(crate) fn abandon(&self, reservation: Reservation<Proven>) {
        let mut state = self.state.lock();
        state.registry.abandon(reservation);
        state.decide();
    }

    /// A channel is closed.
    pub(crate) fn close(&self, registration: Registration<Proven>) {
        let mut state = self.state.lock();
        state.registry.close(registration);
        state.decide();
    }
}

impl State {
    /// Hands out decisions to those who wait for them.
    fn decide(&mut self) {
        while let Some((ticket, decision)) = self.registry.poll_decision() {
            if let Some(waiting) = self.waiting.remove(&ticket) {
                // The connection may be gone.
                let _ = waiting.send(decision);
            }
        }
    }
}
