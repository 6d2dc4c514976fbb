//! Connections that others dial, until somebody here takes them.

use super::connection::Connection;
use super::shared::Shared;
use super::state::Owned;
use portcullis_e2e_encryption::Header;
use portcullis_sdk_proto::{AnswerError, Offer};
use std::sync::Weak;
use tokio::sync::mpsc;

/// Where the channels of one listener put what is dialed.
#[derive(Debug, Clone)]
pub(crate) struct OfferSink(mpsc::Sender<Waiting>);

/// What is dialed at the channels of one listener, in the order in which it arrives.
#[derive(Debug)]
pub(crate) struct OfferQueue(mpsc::Receiver<Waiting>);

/// An offer in the queue. It has no owner there: who unbinds declines it, and so does the channel when time is
/// up.
#[derive(Debug)]
pub(super) struct Waiting {
    shared: Weak<Shared>,
    owned: Owned,
    offer: Offer,
}

/// A connection that waits for an answer. Dropping it refuses it.
#[derive(Debug)]
pub(crate) struct Offered {
    connection: Connection,
    pub(crate) offer: Offer,
}

/// The longest queue.
const MAX_CAPACITY: usize = 65_536;

/// A queue for so many offers.
pub(crate) fn offer_queue(capacity: usize) -> (OfferSink, OfferQueue) {
    let (sender, receiver) = mpsc::channel(capacity.clamp(1, MAX_CAPACITY));
    (OfferSink(sender), OfferQueue(receiver))
}

impl OfferSink {
    /// Whether there was room.
    pub(super) fn push(&self, shared: &Weak<Shared>, owned: Owned, offer: Offer) -> bool {
        let shared = Weak::clone(shared);
        let waiting = Waiting {
            shared,
            owned,
            offer,
        };
        self.0.try_send(waiting).is_ok()
    }
}

impl OfferQueue {
    /// The next offer that still waits for an answer; `None` if there will be none.
    pub(crate) async fn next(&mut self) -> Option<Offered> {
        loop {
            let Waiting {
                shared,
                owned,
                offer,
            } = self.0.recv().await?;
            let Some(shared) = shared.upgrade() else {
                continue;
            };
            if shared.get(|state| state.has(owned)) {
                let connection = Connection::new(shared, owned);
                return Some(Offered { connection, offer });
            }
        }
    }
}

impl Offered {
    /// Takes it. `header` has to be random.
    pub(crate) fn accept(self, header: &Header) -> Result<Connection, AnswerError> {
        let Self { connection, .. } = self;
        let owned = connection.owned;
        connection.shared.update(|state, now| {
            if !state.has(owned) {
                return Err(AnswerError);
            }
            state.edge.accept(owned.id, header, now)
        })?;
        Ok(connection)
    }

    /// Does not take it. The dialing program is told why.
    pub(crate) fn refuse(self, reason: &str) {
        let owned = self.connection.owned;
        self.connection.shared.update(|state, _| {
            if state.has(owned) {
                let _is_over = state.edge.refuse(owned.id, reason);
                state.forget(owned);
            }
        });
    }
}
