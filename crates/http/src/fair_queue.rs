//! Fair queue for blocking work that may scan every record.

use crate::error::ApiError;
use parking_lot::{Mutex, MutexGuard};
use portcullis_api::code::Code;
use portcullis_app::{AppError, run_blocking};
use portcullis_domain::peer::Peer;
use portcullis_listener::{Budget, Evictable, Quota};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Runs blocking jobs away from the threads that serve connections: a few at a time, with a bounded
/// queue in front. A peer has at most a fixed number of slots and half of the queue, so that other
/// peers get on however long its jobs take. A job whose client reads slowly yields its slot to
/// whoever waits for one.
pub(crate) struct FairQueue {
    slots: Semaphore,
    queue: Arc<Budget<QueueEntry>>,
    demand: Mutex<Demand>,
    /// How long a job may wait for its client, in total, while others wait for its slot.
    max_stall: Duration,
    /// Slots that one peer may have.
    slots_per_peer: usize,
    /// Requests of one peer that may run or wait.
    requests_per_peer: usize,
    peers: Mutex<Peers>,
}

/// Peers with requests that run or wait.
type Peers = BTreeMap<Peer, PeerRequests>;

#[derive(Debug)]
struct PeerRequests {
    /// Requests that run or wait.
    count: usize,
    /// Slots that are left to the peer.
    free_slots: Arc<Semaphore>,
}

/// A job's view of the queue: whether it is cancelled or has to yield.
#[derive(Clone)]
pub(crate) struct JobContext {
    is_cancelled: Arc<AtomicBool>,
    queue: &'static FairQueue,
}

/// A request in the queue. When that is full, the peer with the most entries loses its newest.
#[derive(Clone)]
struct QueueEntry {
    since: Instant,
    evicted: CancellationToken,
}

impl Evictable for QueueEntry {
    type Rank = Reverse<Instant>;

    fn rank(&self, _amount: usize) -> Self::Rank {
        Reverse(self.since)
    }

    fn evict(&self) {
        self.evicted.cancel();
    }
}

/// Requests that wait for a slot, and slots yielded for them that nobody has taken yet.
#[derive(Default)]
struct Demand {
    waiting: usize,
    yielded: usize,
}

/// Counts a request as waiting for a slot until dropped.
struct WaitingGuard(&'static FairQueue);

/// Cancels a job when its request is dropped.
struct CancelOnDrop(JobContext);

/// Counts a request of a peer, waiting or running, until dropped.
struct RequestGuard {
    queue: &'static FairQueue,
    peer: Peer,
    /// Slots that are left to the peer.
    free_slots: Arc<Semaphore>,
}

impl FairQueue {
    /// Runs `slots` jobs at a time, `slots_per_peer` of them for one peer, while `queue` more
    /// requests wait. A job that has waited for its client for longer than `max_stall` yields to
    /// others.
    pub(crate) fn new(
        slots: usize,
        slots_per_peer: usize,
        queue_length: usize,
        max_stall: Duration,
    ) -> Self {
        let quota = Quota {
            total: queue_length,
            per_peer: queue_length,
        };
        Self {
            slots: Semaphore::new(slots),
            queue: Budget::new(quota, ["waiting lists", "waiting lists of one client"]),
            demand: Mutex::default(),
            max_stall,
            slots_per_peer,
            requests_per_peer: slots_per_peer + queue_length.div_ceil(2),
            peers: Mutex::new(BTreeMap::new()),
        }
    }

    /// Waits for a slot and runs `work` in it for a peer.
    ///
    /// When the returned future is dropped, work that has not started never does, and work that has
    /// can find out through its [`JobContext`]. It keeps its slot until it ends.
    ///
    /// # Errors
    ///
    /// 429 when too many requests wait already, and the errors of `work`.
    pub(crate) async fn run<T: Send + 'static>(
        &'static self,
        peer: Peer,
        work: impl FnOnce(&JobContext) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let guard = self.admit(peer)?;
        let entry = QueueEntry {
            since: Instant::now(),
            evicted: CancellationToken::new(),
        };
        let mut queued = self.queue.charge(peer, entry.clone());
        if !queued.set(1) {
            return Err(too_many_requests());
        }
        let slot = async {
            let peer_slot = Arc::clone(&guard.free_slots).acquire_owned().await;
            (self.acquire_slot().await, peer_slot)
        };
        let slot = entry.evicted.run_until_cancelled(slot).await;
        let slot = slot.ok_or_else(too_many_requests)?;
        drop(queued);
        let context = JobContext {
            is_cancelled: Arc::default(),
            queue: self,
        };
        let _cancel = CancelOnDrop(context.clone());
        let job = move || {
            let _guards = (slot, guard);
            if context.is_cancelled() {
                return Err(AppError::NotReady.into());
            }
            work(&context)
        };
        run_blocking(job).await
    }

    /// Waits for a slot, and lets stalled jobs know that it is wanted.
    async fn acquire_slot(&'static self) -> Result<SemaphorePermit<'static>, AcquireError> {
        if let Ok(slot) = self.slots.try_acquire() {
            return Ok(slot);
        }
        self.demand().waiting += 1;
        let _waiting = WaitingGuard(self);
        self.slots.acquire().await
    }

    /// Yields a slot if more requests wait than slots were yielded for; false otherwise.
    fn try_yield_slot(&self) -> bool {
        let mut demand = self.demand();
        let is_wanted = demand.waiting > demand.yielded;
        demand.yielded += usize::from(is_wanted);
        is_wanted
    }

    fn demand(&self) -> MutexGuard<'_, Demand> {
        self.demand.lock()
    }

    /// Counts a request of a peer in, unless too many of its requests run or wait.
    fn admit(&'static self, peer: Peer) -> Result<RequestGuard, ApiError> {
        let mut peers = self.peers();
        let requests = peers.entry(peer).or_insert_with(|| PeerRequests {
            count: 0,
            free_slots: Arc::new(Semaphore::new(self.slots_per_peer)),
        });
        if requests.count == self.requests_per_peer {
            return Err(too_many_requests());
        }
        requests.count += 1;
        Ok(RequestGuard {
            queue: self,
            peer,
            free_slots: Arc::clone(&requests.free_slots),
        })
    }

    fn peers(&self) -> MutexGuard<'_, Peers> {
        self.peers.lock()
    }
}

fn too_many_requests() -> ApiError {
    ApiError::new(Code::ServerTooManyRequests).retry_after(1)
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut peers = self.queue.peers();
        if let Some(requests) = peers.get_mut(&self.peer) {
            requests.count -= 1;
            if requests.count == 0 {
                peers.remove(&self.peer);
            }
        }
    }
}

impl JobContext {
    /// Reports whether the client left or its request timed out. Cheap enough to be called for
    /// every record.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Reports whether the job has to end because it has waited for its client for `waited` in
    /// total and somebody else waits for its slot.
    pub(crate) fn must_yield(&self, waited: Duration) -> bool {
        waited >= self.queue.max_stall && self.queue.try_yield_slot()
    }
}

impl Drop for WaitingGuard {
    fn drop(&mut self) {
        let mut demand = self.0.demand();
        demand.waiting -= 1;
        demand.yielded = demand.yielded.saturating_sub(1);
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
