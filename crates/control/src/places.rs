//! Places for connections of routers, which are limited: each takes a file descriptor.

use portcullis_transport::Holding;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places of all routers.
pub(crate) struct Places {
    free: Arc<Semaphore>,
    limit: usize,
    /// Whether the log has told that there are none, and there have been none since.
    is_told: AtomicBool,
}

/// A place, which is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Place(#[expect(dead_code, reason = "it is held")] OwnedSemaphorePermit);

impl Places {
    pub(crate) fn new(limit: usize) -> Self {
        let limit = limit.min(Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(limit)),
            limit,
            is_told: AtomicBool::new(false),
        }
    }

    /// A place for one more connection; `None` if there is none.
    pub(crate) fn take(&self) -> Option<Place> {
        let place = Arc::clone(&self.free).try_acquire_owned().ok();
        let was_told = self.is_told.swap(place.is_none(), Ordering::Relaxed);
        if place.is_none() && !was_told {
            tracing::warn!(
                limit = self.limit,
                "no more connections of routers are accepted: see `limits.routerConnections` and the limit of open files"
            );
        }
        place.map(Place)
    }
}

/// The stream of a connection that has a place.
pub(crate) type Placed<S> = Holding<S, Place>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_when_its_stream_is_dropped() {
        let places = Places::new(2);
        let first = Placed::new((), places.take().unwrap());
        let _second = places.take().unwrap();
        assert!(places.take().is_none());
        drop(first);
        assert!(places.take().is_some());
    }
}
