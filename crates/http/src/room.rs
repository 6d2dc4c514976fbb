//! Memory that the bodies of requests without a session may take up together.
//!
//! Sessions are earned; what is open to everybody has to be bounded for everybody at once, and so
//! that nobody can take all of it.

use portcullis_domain::peer::Peer;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes for all together.
const ALL: usize = 32 * 1024 * 1024;

/// Bytes for one client: an address, or in IPv6 the network of 64 bits that a client chooses its
/// addresses from.
const EACH: usize = ALL / 32;

/// Room for bodies.
#[derive(Debug)]
pub(crate) struct Room {
    all: usize,
    each: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    bytes: usize,
    by_client: BTreeMap<Peer, usize>,
}

/// What one body takes up; given back when dropped.
#[derive(Debug)]
pub(crate) struct Share {
    room: Arc<Room>,
    client: Peer,
    bytes: usize,
}

impl Room {
    /// Makes the room of a controller: 32 MiB, and 1 MiB of it for one client.
    pub(crate) fn new() -> Arc<Self> {
        Self::of(ALL, EACH)
    }

    fn of(all: usize, each: usize) -> Arc<Self> {
        Arc::new(Self {
            all,
            each,
            taken: Mutex::default(),
        })
    }

    /// Makes the share of a body from `address`, which takes up nothing yet.
    pub(crate) fn share(self: &Arc<Self>, address: IpAddr) -> Share {
        Share {
            room: Arc::clone(self),
            client: Peer::at(address),
            bytes: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes room so that the body may take up `bytes` in all; false when there is none.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let mut taken = self.room.lock();
        let of_client = taken.by_client.get(&self.client).copied().unwrap_or(0);
        if more > self.room.all - taken.bytes || more > self.room.each - of_client {
            return false;
        }
        taken.bytes += more;
        taken.by_client.insert(self.client, of_client + more);
        self.bytes += more;
        true
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.room.lock();
        taken.bytes -= self.bytes;
        if let Some(of_client) = taken.by_client.get_mut(&self.client) {
            *of_client -= self.bytes;
            if *of_client == 0 {
                taken.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(room: &Arc<Room>, address: &str) -> Share {
        room.share(address.parse().unwrap())
    }

    #[test]
    fn one_client_takes_no_more_than_its_part() {
        let room = Room::of(100, 10);
        let mut first = share(&room, "192.0.2.1");
        let mut second = share(&room, "::ffff:192.0.2.1");
        assert!(first.grow(4) && second.grow(6), "all of its part");
        assert!(!first.grow(5) && !second.grow(7));
        assert!(share(&room, "192.0.2.2").grow(10), "others have theirs");
        drop(first);
        assert!(second.grow(10) && !second.grow(11));
    }

    #[test]
    fn clients_of_ipv6_are_networks() {
        let room = Room::of(100, 10);
        let mut first = share(&room, "2001:db8:0:1::1");
        assert!(first.grow(10));
        assert!(!share(&room, "2001:db8:0:1:ffff::2").grow(1));
        assert!(share(&room, "2001:db8:0:2::1").grow(1));
    }

    #[test]
    fn all_together_take_no_more_than_there_is() {
        let room = Room::of(15, 10);
        let mut first = share(&room, "192.0.2.1");
        let mut second = share(&room, "192.0.2.2");
        assert!(first.grow(10) && second.grow(5));
        assert!(!second.grow(6));
        drop((first, second));
        let taken = room.lock();
        assert_eq!((taken.bytes, taken.by_client.len()), (0, 0));
    }

    #[test]
    fn body_that_has_not_arrived_takes_nothing() {
        let room = Room::new();
        let silent: Vec<_> = (0..10_000).map(|_| share(&room, "192.0.2.1")).collect();
        assert!(share(&room, "192.0.2.1").grow(EACH));
        drop(silent);
    }
}
