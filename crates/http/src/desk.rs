//! Work that may have to look at every record there is.

use crate::error::ApiError;

use portcullis_api::code::Code;
use portcullis_app::{AppError, aside};
use portcullis_domain::peer::Peer;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// Works away from the threads that serve connections: on a few things at a time, with a line of
/// bounded length before it. No peer has more than half of the places and half of the line, so
/// that others get on however long its work takes.
#[derive(Debug)]
pub(crate) struct Desk {
    places: Semaphore,
    line: Semaphore,
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
#[derive(Clone, Debug)]
pub(crate) struct Requester {
    is_gone: Arc<AtomicBool>,
}

/// Stands in a request for its requester, who leaves when it is dropped.
#[derive(Debug)]
struct Presence(Requester);

/// A request of a peer, from the line on.
#[derive(Debug)]
struct Attendance {
    desk: &'static Desk,
    peer: Peer,
    /// The places that are left to the peer.
    left: Arc<Semaphore>,
}

impl Desk {
    /// Works on `places` things at a time, while `line` more wait.
    pub(crate) const fn new(places: usize, line: usize) -> Self {
        let each = places.div_ceil(2);
        Self {
            places: Semaphore::const_new(places),
            line: Semaphore::const_new(line),
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
        let waits = self.line.try_acquire().map_err(|_full| full())?;
        let attendance = self.attend(peer)?;
        let of_peer = Arc::clone(&attendance.left).acquire_owned().await;
        let place = self.places.acquire().await;
        drop(waits);
        let requester = Requester {
            is_gone: Arc::default(),
        };
        let _presence = Presence(requester.clone());
        let working = move || {
            let _held = (place, of_peer, attendance);
            if requester.is_gone() {
                return Err(AppError::NotReady.into());
            }
            work(&requester)
        };
        aside(working).await
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
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.is_gone.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
