//! Budgets of a process.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portcullis_domain::peer::Peer;
use tokio_util::sync::CancellationToken;

use crate::Quotas;
use crate::activity::Activity;
use crate::budget::{Budget, Charge, Evictable};
use crate::head_memory::HeadSender;

/// Resources that the clients of all listeners share; clones share them too.
#[derive(Clone)]
pub struct Budgets {
    /// Connections with a finished handshake.
    pub(crate) connections: Arc<Budget<Arc<Activity>>>,
    /// Bytes of requests whose head is incomplete.
    pub(crate) request_heads: Arc<Budget<HeadSender>>,
    /// Bytes of responses that clients have not read yet.
    pub(crate) unread_responses: Arc<Budget<CancellationToken>>,
    /// Bytes of requests of full sessions, by identity.
    pub session_requests: RequestBudget,
    /// Bytes of all other requests, by address.
    pub unauthenticated_requests: RequestBudget,
}

impl Budgets {
    /// Creates unused budgets with these quotas.
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
            unread_responses: Budget::new(
                quotas.unread_responses,
                [
                    "limits.unreadAnswerBytes",
                    "limits.unreadAnswerBytesPerPeer",
                ],
            ),
            session_requests: Budget::new(
                quotas.session_requests,
                ["limits.requestBytes", "limits.requestBytesPerIdentity"],
            ),
            unauthenticated_requests: Budget::new(
                quotas.unauthenticated_requests,
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

/// A connection that is evicted is closed.
impl Evictable for CancellationToken {
    type Rank = Reverse<usize>;

    fn rank(&self, amount: usize) -> Self::Rank {
        Reverse(amount)
    }

    fn evict(&self) {
        self.cancel();
    }
}

/// Memory of requests.
pub type RequestBudget = Arc<Budget<Arc<Upload>>>;

/// An incoming request. It can be cancelled until it has arrived completely.
#[derive(Debug, Default)]
pub struct Upload {
    has_arrived: AtomicBool,
    cancelled: CancellationToken,
}

impl Upload {
    /// Records that the request has arrived completely.
    pub(crate) fn set_arrived(&self) {
        self.has_arrived.store(true, Ordering::Relaxed);
    }

    /// Waits until the request is evicted.
    pub(crate) async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }
}

impl Evictable for Arc<Upload> {
    type Rank = Reverse<usize>;

    fn rank(&self, amount: usize) -> Self::Rank {
        Reverse(amount)
    }

    fn is_evictable(&self) -> bool {
        !self.has_arrived.load(Ordering::Relaxed)
    }

    fn evict(&self) {
        self.cancelled.cancel();
    }
}

/// Memory of a request: its head, if that is long, and its body as it arrives.
pub struct RequestCharge {
    charge: Charge<Arc<Upload>>,
    head: usize,
}

impl RequestCharge {
    /// Charges a request with its head; `None` if there is no memory left for it.
    pub fn new(budget: &RequestBudget, peer: Peer, head: usize) -> Option<Self> {
        let mut charge = budget.charge(peer, Arc::default());
        charge.set(head).then_some(Self { charge, head })
    }

    /// Charges `bytes` of the body in total; false if there is no memory left for them.
    pub(crate) fn set_body(&mut self, bytes: usize) -> bool {
        self.charge.set(self.head + bytes)
    }

    /// Records that the request has arrived completely, so that it can no longer be cancelled.
    pub fn set_arrived(&self) {
        self.upload().set_arrived();
    }

    pub(crate) fn upload(&self) -> &Upload {
        self.charge.holder()
    }
}
