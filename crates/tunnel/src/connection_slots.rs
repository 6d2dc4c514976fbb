//! Slots of connections at a port.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Slots of connections, of which no client address gets all.
#[derive(Debug)]
pub(crate) struct ConnectionSlots {
    all: Arc<Semaphore>,
    of_clients: Arc<Mutex<HashMap<IpAddr, usize>>>,
    max_of_client: usize,
}

/// A slot, until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    client: IpAddr,
    of_clients: Arc<Mutex<HashMap<IpAddr, usize>>>,
    _permit: OwnedSemaphorePermit,
}

impl ConnectionSlots {
    pub(crate) fn new(all: usize, of_client: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all)),
            of_clients: Arc::default(),
            max_of_client: of_client,
        }
    }

    /// Waits for a slot of whoever comes next. The answer is also whether it had to wait.
    pub(crate) async fn next(&self) -> Option<(OwnedSemaphorePermit, bool)> {
        if let Ok(permit) = Arc::clone(&self.all).try_acquire_owned() {
            return Some((permit, false));
        }
        let permit = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some((permit, true))
    }

    /// The slot for a client; `None` if it has as many as it may have.
    pub(crate) fn take(
        &self,
        client: IpAddr,
        permit: OwnedSemaphorePermit,
    ) -> Option<ConnectionSlot> {
        let client = client.to_canonical();
        let mut of_clients = self.of_clients.lock();
        let count = of_clients.entry(client).or_default();
        if *count >= self.max_of_client {
            return None;
        }
        *count += 1;
        Some(ConnectionSlot {
            client,
            of_clients: Arc::clone(&self.of_clients),
            _permit: permit,
        })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut of_clients = self.of_clients.lock();
        if let Some(count) = of_clients.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                of_clients.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_client_has_all_slots() {
        let slots = ConnectionSlots::new(3, 2);
        let address = |last| IpAddr::from([10, 0, 0, last]);
        let mut taken = Vec::new();
        for (client, fits) in [(1, true), (1, true), (1, false), (2, true)] {
            let (permit, has_waited) = slots.next().await.expect("a slot");
            assert!(!has_waited);
            let slot = slots.take(address(client), permit);
            assert_eq!(slot.is_some(), fits, "{client}");
            taken.extend(slot);
        }
        assert_eq!(slots.all.available_permits(), 0);
        taken.clear();
        assert_eq!(slots.all.available_permits(), 3);
        assert!(slots.of_clients.lock().is_empty());
    }
}
