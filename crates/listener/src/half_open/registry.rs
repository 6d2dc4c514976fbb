//! Registry of unfinished handshakes.

use std::net::IpAddr;
use std::sync::{Arc, PoisonError};

use portcullis_domain::peer::Peer;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::pending::{Key, PendingHandshakes};
use super::sync::{Mutex, MutexGuard};

/// Bounds the number of unfinished handshakes. When there are too many, the heaviest peer loses its
/// oldest one, so that a flood from one address ends nobody else's handshakes, and a crowd of
/// addresses does not end those of occasional visitors.
#[derive(Debug)]
pub(crate) struct HalfOpenRegistry {
    max: usize,
    handshakes: Mutex<PendingHandshakes>,
}

/// Slot of one unfinished handshake; released when dropped.
#[derive(Debug)]
pub(crate) struct HandshakeSlot {
    key: Key,
    pub(super) evicted: CancellationToken,
    registry: Arc<HalfOpenRegistry>,
}

impl HalfOpenRegistry {
    /// Creates a registry of at most `max` handshakes.
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            max: max.max(1),
            handshakes: Mutex::default(),
        })
    }

    /// Admits a new connection, evicting another one when the registry is full.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> HandshakeSlot {
        let evicted = CancellationToken::new();
        let mut handshakes = self.lock();
        while handshakes.len() >= self.max {
            handshakes.evict();
        }
        let key = handshakes.insert(Peer::from_address(address), evicted.clone());
        HandshakeSlot {
            key,
            evicted,
            registry: Arc::clone(self),
        }
    }

    /// Evicts one connection, to free its file descriptor.
    pub(crate) fn evict(&self) {
        self.lock().evict();
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, PendingHandshakes> {
        self.handshakes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl HandshakeSlot {
    /// Waits until the handshake is evicted.
    pub(crate) fn evicted(&self) -> WaitForCancellationFutureOwned {
        self.evicted.clone().cancelled_owned()
    }

    /// Releases the slot because the handshake is finished.
    pub(crate) fn finish(self) {
        self.registry.lock().finish(self.key);
    }
}

impl Drop for HandshakeSlot {
    fn drop(&mut self) {
        self.registry.lock().remove(self.key);
    }
}
