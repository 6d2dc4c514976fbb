//! Work that may have to look at every record there is.

use crate::error::ApiError;
use crate::listen::{Budget, Holder, Quota};
use portcullis_api::code::Code;
use portcullis_app::{AppError, aside};
use portcullis_domain::peer::Peer;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Works away from the threads that serve connections: on a few things at a time, with a line of
/// bounded length before it. No peer has more than its part of the places and half of the line, so
/// that others get on however long its work takes. Where that is because its client takes what is
/// written slowly, it gives its place up to whoever waits for one.
pub(crate) struct Desk {
    places: Semaphore,
    line: Arc<Budget<Waiting>>,
    demand: Mutex<Demand>,
    /// How long work may wait for its client, in all, while others wait for its place.
    patience: Duration,
    /// Places that one peer may have.
    each: usize,
    /// Requests of one peer that may be under way or wait.
    most: usize,
    peers: Mutex<Peers>,
}

/// The peers of which requests are there.
type Peers = BTreeMap<Peer, There>;

/// The requests of a peer.
#[derive(Debug)]
struct There {
    /// Those that are under way or wait.
    requests: usize,
    /// The places that are left to them.
    left: Arc<Semaphore>,
}

/// Whoever waits for work at a [`Desk`].
#[derive(Clone)]
pub(crate) struct Requester {
    is_gone: Arc<AtomicBool>,
    desk: &'static Desk,
}

/// A request in the line. When the line is full, the peer with most in it loses its newest.
#[derive(Clone)]
struct Waiting {
    since: Instant,
    sent_away: CancellationToken,
}

impl Holder for Waiting {
    type Rank = Reverse<Instant>;

    fn rank(&self, _amount: usize) -> Self::Rank {
        Reverse(self.since)
    }

    fn revoke(&self) {
        self.sent_away.cancel();
    }
}

/// How many wait for a place, and how many gave theirs up for them that nobody has taken yet.
#[derive(Default)]
struct Demand {
    waiting: usize,
    given_up: usize,
}

/// Somebody who waits for a place.
struct Wanted(&'static Desk);

/// Stands in a request for its requester, who leaves when it is dropped.
struct Presence(Requester);

/// A request of a peer, from the line on.
struct Attendance {
    desk: &'static Desk,
    peer: Peer,
    /// The places that are left to the peer.
    left: Arc<Semaphore>,
}

impl Desk {
    /// Works on `places` things at a time, `each` of them for one peer, while `line` more wait. Work
    /// that has waited for its client for longer than `patience` gives way to others.
    pub(crate) fn new(places: usize, each: usize, line: usize, patience: Duration) -> Self {
        let quota = Quota {
            total: line,
            per_peer: line,
        };
        Self {
            places: Semaphore::new(places),
            line: Budget::new(quota, ["waiting lists", "waiting lists of one client"]),
            demand: Mutex::default(),
            patience,
            each,
            most: each + line.div_ceil(2),
            peers: Mutex::new(BTreeMap::new()),
        }
    }

    /// Waits for a place and does `work` there for a peer.
    ///
    /// When the returned future is dropped, work that has not begun never does, and work that has
    /// can find out: it is handed the requester. It keeps its place until it ends.
    ///
    /// # Errors
    ///
    /// 429 when too many wait already, and the errors of `work`.
    pub(crate) async fn work<T: Send + 'static>(
        &'static self,
        peer: Peer,
        work: impl FnOnce(&Requester) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let attendance = self.attend(peer)?;
        let waiting = Waiting {
            since: Instant::now(),
            sent_away: CancellationToken::new(),
        };
        let mut in_line = self.line.charge(peer, waiting.clone());
        if !in_line.set(1) {
            return Err(full());
        }
        let place = async {
            let of_peer = Arc::clone(&attendance.left).acquire_owned().await;
            (self.place().await, of_peer)
        };
        let place = waiting.sent_away.run_until_cancelled(place).await;
        let place = place.ok_or_else(full)?;
        drop(in_line);
        let requester = Requester {
            is_gone: Arc::default(),
            desk: self,
        };
        let _presence = Presence(requester.clone());
        let working = move || {
            let _held = (place, attendance);
            if requester.is_gone() {
                return Err(AppError::NotReady.into());
            }
            work(&requester)
        };
        aside(working).await
    }

    /// Waits for a place, and lets whoever is slow know that it is wanted.
    async fn place(&'static self) -> Result<SemaphorePermit<'static>, AcquireError> {
        if let Ok(place) = self.places.try_acquire() {
            return Ok(place);
        }
        self.demand().waiting += 1;
        let _wanted = Wanted(self);
        self.places.acquire().await
    }

    /// Gives a place up if more wait than places were given up for; false otherwise.
    fn gives_place_up(&self) -> bool {
        let mut demand = self.demand();
        let is_wanted = demand.waiting > demand.given_up;
        demand.given_up += usize::from(is_wanted);
        is_wanted
    }

    fn demand(&self) -> MutexGuard<'_, Demand> {
        self.demand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a request of a peer in, unless too many of its requests are there.
    fn attend(&'static self, peer: Peer) -> Result<Attendance, ApiError> {
        let mut peers = self.peers();
        let there = peers.entry(peer).or_insert_with(|| There {
            requests: 0,
            left: Arc::new(Semaphore::new(self.each)),
        });
        if there.requests == self.most {
            return Err(full());
        }
        there.requests += 1;
        Ok(Attendance {
            desk: self,
            peer,
            left: Arc::clone(&there.left),
        })
    }

    fn peers(&self) -> MutexGuard<'_, Peers> {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn full() -> ApiError {
    ApiError::new(Code::ServerTooManyRequests).retry_after(1)
}

impl Drop for Attendance {
    fn drop(&mut self) {
        let mut peers = self.desk.peers();
        if let Some(there) = peers.get_mut(&self.peer) {
            there.requests -= 1;
            if there.requests == 0 {
                peers.remove(&self.peer);
            }
        }
    }
}

impl Requester {
    /// Reports whether nobody waits any more: the client left, or its time is over. Cheap enough to
    /// be asked for every record.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    /// Reports whether the work has to end, having waited for its client for so long in all, since
    /// somebody else wants its place.
    pub(crate) fn gives_way(&self, waited: Duration) -> bool {
        waited >= self.desk.patience && self.desk.gives_place_up()
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        let mut demand = self.0.demand();
        demand.waiting -= 1;
        demand.given_up = demand.given_up.saturating_sub(1);
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.is_gone.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
