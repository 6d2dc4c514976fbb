//! Which channel an accepted connection belongs to.

use crate::channel_handle::ChannelHandle;
use crate::clock::Clock;
use parking_lot::Mutex;
use portcullis_channel::group::{
    Admission, AdmissionTicket, Attachment, Decision, GeneratedCredentials, GroupLimits,
    GroupRegistry, RefusalReason, Registration, Reservation, ReservationExpiredError,
};
use portcullis_channel::hello::Hello;
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The groups of a listener: a [`GroupRegistry`] whose connections wait by themselves. `P` identifies a
/// peer as verified.
pub struct Groups<P> {
    clock: Clock,
    limits: GroupLimits,
    state: Mutex<State<P>>,
}

struct State<P> {
    registry: GroupRegistry<P, ChannelHandle>,
    waiting: HashMap<AdmissionTicket, oneshot::Sender<Decision<ChannelHandle>>>,
}

/// Where a connection belongs.
#[derive(Debug)]
pub enum Place<P> {
    /// It is the first one of a new channel.
    First(Reservation<P>),
    /// It is one more of an existing channel.
    Further(Attachment<ChannelHandle>),
}

impl<P: Ord + Clone + Send + Sync> Groups<P> {
    pub fn new(clock: Clock, limits: GroupLimits) -> Self {
        let state = State {
            registry: GroupRegistry::new(limits),
            waiting: HashMap::new(),
        };
        Self {
            clock,
            limits,
            state: Mutex::new(state),
        }
    }

    /// Decides about the hello of a verified peer. A second connection may come before the first one is
    /// through; it waits for that.
    ///
    /// # Errors
    ///
    /// Why it belongs to no channel. For some reasons the connection is to be closed without an answer,
    /// see [`GroupRegistry`].
    pub async fn place(
        &self,
        peer: &P,
        hello: &Hello,
        generated: GeneratedCredentials,
    ) -> Result<Place<P>, RefusalReason> {
        let (ticket, decided) = {
            let mut state = self.state.lock();
            let now = self.clock.now().mono;
            state.registry.handle_timeout(now);
            let ticket = match state.registry.admit(peer, hello, generated, now) {
                Admission::New(reservation) => return Ok(Place::First(reservation)),
                Admission::Attach(attachment) => return Ok(Place::Further(attachment)),
                Admission::Refuse(reason) => return Err(reason),
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
    ) -> Result<Place<P>, RefusalReason> {
        let limit = self.limits.waiting_time + Duration::from_millis(10);
        match timeout(limit, decided).await {
            Ok(Ok(Decision::Attach(attachment))) => Ok(Place::Further(attachment)),
            Ok(Ok(Decision::Refuse(reason))) => Err(reason),
            Ok(Err(_)) => Err(RefusalReason::UnknownGroup),
            Err(_) => {
                let mut state = self.state.lock();
                state.waiting.remove(&ticket);
                state.registry.withdraw(ticket);
                Err(RefusalReason::UnknownGroup)
            },
        }
    }

    /// The first connection of a channel is through.
    ///
    /// # Errors
    ///
    /// [`ReservationExpiredError`] if it took too long: the channel is to be closed.
    pub fn open(
        &self,
        reservation: Reservation<P>,
        channel: ChannelHandle,
    ) -> Result<Registration<P>, ReservationExpiredError> {
        self.change(|registry| registry.open(reservation, channel))
    }

    /// The first connection of a channel was refused.
    pub fn abandon(&self, reservation: Reservation<P>) {
        self.change(|registry| registry.abandon(reservation));
    }

    /// A channel is closed.
    pub fn close(&self, registration: Registration<P>) {
        self.change(|registry| registry.close(registration));
    }

    fn change<R>(&self, change: impl FnOnce(&mut GroupRegistry<P, ChannelHandle>) -> R) -> R {
        let mut state = self.state.lock();
        let result = change(&mut state.registry);
        state.decide();
        result
    }
}

impl<P: Ord + Clone> State<P> {
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

impl<P> fmt::Debug for Groups<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Groups").finish_non_exhaustive()
    }
}
