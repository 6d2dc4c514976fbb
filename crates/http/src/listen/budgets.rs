//! Budgets of a process.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portcullis_domain::peer::Peer;
use tokio_util::sync::CancellationToken;

use super::Quotas;
use super::activity::Activity;
use super::budget::{Budget, Charge, Evictable};
use super::head_memory::HeadSender;

/// Resources that the clients of all listeners share; clones share them too.
#[derive(Clone)]
pub struct Budgets {
    /// Connections with a finished handshake.
    pub(super) connections: Arc<Budget<Arc<Activity>>>,
    /// Bytes of requests whose head is incomplete.
    pub(super) request_heads: Arc<Budget<HeadSender>>,
    /// Bytes of responses that clients have not read yet.
    pub(super) unread_responses: Arc<Budget<CancellationToken>>,
    /// Bytes of requests of full sessions, by identity.
    pub(crate) session_requests: Arc<Budget<Arc<Upload>>>,
    /// Bytes of all other requests, by address.
    pub(crate) unauthenticated_requests: Arc<Budget<Arc<Upload>>>,
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

/// An incoming request. It can be cancelled until it has arrived completely.
#[derive(Debug, Default)]
pub(crate) struct Upload {
    has_arrived: AtomicBool,
    cancelled: CancellationToken,
}

impl Upload {
    /// Records that the request has arrived completely.
    pub(super) fn set_arrived(&self) {
        self.has_arrived.store(true, Ordering::Relaxed);
    }

    /// Waits until the request is evicted.
    pub(super) async fn cancelled(&self) {
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
pub(crate) struct RequestCharge {
    charge: Charge<Arc<Upload>>,
    head: usize,
}

impl RequestCharge {
    /// Charges a request with its head; `None` if there is no memory left for it.
    pub(crate) fn new(budget: &Arc<Budget<Arc<Upload>>>, peer: Peer, head: usize) -> Option<Self> {
        let mut charge = budget.charge(peer, Arc::default());
        charge.set(head).then_some(Self { charge, head })
    }

    /// Charges `bytes` of the body in total; false if there is no memory left for them.
    pub(super) fn set_body(&mut self, bytes: usize) -> bool {
        self.charge.set(self.head + bytes)
    }

    /// Records that the request has arrived completely, so that it can no longer be cancelled.
    pub(crate) fn set_arrived(&self) {
        self.upload().set_arrived();
    }

    pub(super) fn upload(&self) -> &Upload {
        self.charge.holder()
    }
}
