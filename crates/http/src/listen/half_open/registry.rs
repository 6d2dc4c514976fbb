//! The registry of unfinished handshakes, and the places in it.

use std::net::IpAddr;
use std::sync::{Arc, PoisonError};

use portcullis_domain::peer::Peer;
use tokio_util::sync::CancellationToken;

use super::sync::{Mutex, MutexGuard};
use super::waiting::{Key, Waiting};

/// Bounds the number of unfinished handshakes. When there are too many, the heaviest peer loses its oldest,
/// so that a flood from one address ends the handshakes of nobody else, and a crowd of addresses ends none
/// of those who come now and then.
#[derive(Debug)]
pub(in crate::listen) struct HalfOpen {
    max: usize,
    waiting: Mutex<Waiting>,
}

/// Place of one connection among the unfinished; given up when dropped.
#[derive(Debug)]
pub(in crate::listen) struct Place {
    key: Key,
    pub(super) evicted: CancellationToken,
    registry: Arc<HalfOpen>,
}

impl HalfOpen {
    /// Makes a registry of at most `max` connections.
    pub(in crate::listen) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            max: max.max(1),
            waiting: Mutex::default(),
        })
    }

    /// Enters a new connection, at the price of another one when there is no room.
    pub(in crate::listen) fn enter(self: &Arc<Self>, address: IpAddr) -> Place {
        let evicted = CancellationToken::new();
        let mut waiting = self.lock();
        while waiting.count() >= self.max {
            waiting.evict();
        }
        let key = waiting.add(Peer::at(address), evicted.clone());
        Place {
            key,
            evicted,
            registry: Arc::clone(self),
        }
    }

    /// Drops one connection, to have its descriptor back.
    pub(in crate::listen) fn evict(&self) {
        self.lock().evict();
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits until the place is taken away.
    pub(in crate::listen) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    /// Gives the place up because the handshake is done.
    pub(in crate::listen) fn finish(self) {
        self.registry.lock().finish(self.key);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.registry.lock().remove(self.key);
    }
}
