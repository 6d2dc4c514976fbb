//! The budgets of a process.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portcullis_domain::peer::Peer;
use tokio_util::sync::CancellationToken;

use super::Quotas;
use super::activity::Activity;
use super::budget::{Budget, Charge, Holder};
use super::head_memory::HeadSender;

/// What all clients of all listeners share; clones share it too.
#[derive(Clone)]
pub struct Budgets {
    /// Connections with a finished handshake.
    pub(super) connections: Arc<Budget<Arc<Activity>>>,
    /// Bytes of requests whose head is not complete.
    pub(super) request_heads: Arc<Budget<HeadSender>>,
    /// Bytes of answers that clients have not taken yet.
    pub(super) unread_answers: Arc<Budget<CancellationToken>>,
    /// Bytes of requests of full sessions, by identity.
    pub(crate) session_requests: Arc<Budget<Arc<Upload>>>,
    /// Bytes of all other requests, by address.
    pub(crate) stranger_requests: Arc<Budget<Arc<Upload>>>,
}

impl Budgets {
    /// Makes budgets of these sizes, of which nothing is in use.
    pub fn new(quotas: &Quotas) -> Self {
        Self {
            connections: Budget::new(
                quotas.connections,
                ["limits.connections", "limits.connectionsPerPeer"],
            ),
            request_heads: Budget::new(
                quotas.request_heads,
                ["limits.requestHeadBytes", "limits.requestHeadBytesPerPeer"],
            ),
            unread_answers: Budget::new(
                quotas.unread_answers,
                [
                    "limits.unreadAnswerBytes",
                    "limits.unreadAnswerBytesPerPeer",
                ],
            ),
            session_requests: Budget::new(
                quotas.session_requests,
                ["limits.requestBytes", "limits.requestBytesPerIdentity"],
            ),
            stranger_requests: Budget::new(
                quotas.stranger_requests,
                [
                    "limits.unauthenticatedRequestBytes",
                    "limits.unauthenticatedRequestBytesPerPeer",
                ],
            ),
        }
    }
}

impl Default for Budgets {
    fn default() -> Self {
        Self::new(&Quotas::default())
    }
}

impl std::fmt::Debug for Budgets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Budgets").finish_non_exhaustive()
    }
}

/// A connection that gives way is closed.
impl Holder for CancellationToken {
    type Rank = Reverse<usize>;

    fn rank(&self, amount: usize) -> Self::Rank {
        Reverse(amount)
    }

    fn revoke(&self) {
        self.cancel();
    }
}

/// A request that arrives. It can be broken off until all of it is there.
#[derive(Debug, Default)]
pub(crate) struct Upload {
    has_arrived: AtomicBool,
    broken_off: CancellationToken,
}

impl Upload {
    /// Notes that all of the request is there.
    pub(super) fn arrived(&self) {
        self.has_arrived.store(true, Ordering::Relaxed);
    }

    /// Waits until the request has to make room.
    pub(super) async fn broken_off(&self) {
        self.broken_off.cancelled().await;
    }
}

impl Holder for Arc<Upload> {
    type Rank = Reverse<usize>;

    fn rank(&self, amount: usize) -> Self::Rank {
        Reverse(amount)
    }

    fn can_give_way(&self) -> bool {
        !self.has_arrived.load(Ordering::Relaxed)
    }

    fn revoke(&self) {
        self.broken_off.cancel();
    }
}

/// What a request takes up: its head, if that is long, and its body as it arrives.
pub(crate) struct RequestCharge {
    charge: Charge<Arc<Upload>>,
    head: usize,
}

impl RequestCharge {
    /// Charges a request with its head; `None` if there is no room for it.
    pub(crate) fn new(budget: &Arc<Budget<Arc<Upload>>>, peer: Peer, head: usize) -> Option<Self> {
        let mut charge = budget.charge(peer, Arc::default());
        charge.set(head).then_some(Self { charge, head })
    }

    /// Charges the request with so many bytes of its body in all; false if there is no room for it.
    pub(super) fn set_body(&mut self, bytes: usize) -> bool {
        self.charge.set(self.head + bytes)
    }

    /// Notes that nothing more of the request arrives, so that it cannot be broken off.
    pub(crate) fn arrived(&self) {
        self.upload().arrived();
    }

    /// The arriving request.
    pub(super) fn upload(&self) -> &Upload {
        self.charge.holder()
    }
}
