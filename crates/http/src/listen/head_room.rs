//! Memory that unfinished request heads may take up together.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Bytes of each connection that are not counted: nearly every head is shorter.
const FREE: usize = 2 * 1024;

/// Bounds what connections hold of requests that are not complete, by closing the connection that
/// has held some for longest.
#[derive(Debug)]
pub(super) struct HeadRoom {
    max: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    next: u64,
    bytes: usize,
    by_age: BTreeMap<u64, Holder>,
}

#[derive(Debug)]
struct Holder {
    bytes: usize,
    evicted: CancellationToken,
}

/// What one connection holds; given back when dropped.
#[derive(Debug)]
pub(super) struct Share {
    room: Arc<HeadRoom>,
    number: Option<u64>,
    evicted: CancellationToken,
}

impl HeadRoom {
    /// Makes room for `max` bytes besides the first 2 KiB of every connection.
    pub(super) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            max,
            held: Mutex::default(),
        })
    }

    /// Makes the share of a new connection, which holds nothing yet.
    pub(super) fn share(self: &Arc<Self>) -> Share {
        Share {
            room: Arc::clone(self),
            number: None,
            evicted: CancellationToken::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Takes out what a connection holds.
    fn remove(&mut self, number: u64) {
        if let Some(holder) = self.by_age.remove(&number) {
            self.bytes -= holder.bytes;
        }
    }

    fn evict_oldest(&mut self) {
        if let Some((_, oldest)) = self.by_age.pop_first() {
            self.bytes -= oldest.bytes;
            oldest.evicted.cancel();
        }
    }
}

impl Share {
    /// Notes how many bytes the connection holds now, at the price of the oldest when there is no
    /// room for them.
    pub(super) fn hold(&mut self, bytes: usize) {
        let counted = bytes.saturating_sub(FREE);
        if counted == 0 {
            self.release();
            return;
        }
        let mut held = self.room.lock();
        let number = *self.number.get_or_insert_with(|| {
            let number = held.next;
            held.next += 1;
            number
        });
        let before = held.by_age.get(&number).map_or(0, |holder| holder.bytes);
        held.bytes = held.bytes - before + counted;
        let holder = Holder {
            bytes: counted,
            evicted: self.evicted.clone(),
        };
        held.by_age.insert(number, holder);
        while held.bytes > self.room.max {
            held.evict_oldest();
        }
    }

    /// Returns the token that is cancelled when the connection is to make room.
    pub(super) fn evicted(&self) -> CancellationToken {
        self.evicted.clone()
    }

    fn release(&mut self) {
        if let Some(number) = self.number.take() {
            self.room.lock().remove(number);
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_too_many_costs_the_oldest() {
        let room = HeadRoom::new(1000);
        let (mut first, mut second, mut third) = (room.share(), room.share(), room.share());
        first.hold(FREE + 400);
        second.hold(FREE + 400);
        // Having held for longer counts, not having been heard of last.
        first.hold(FREE + 500);
        third.hold(FREE);
        assert!(!first.evicted.is_cancelled());
        third.hold(FREE + 101);
        assert!(first.evicted.is_cancelled());
        assert!(!second.evicted.is_cancelled());
        assert!(!third.evicted.is_cancelled());
        assert_eq!(room.lock().bytes, 501);
    }

    #[test]
    fn what_is_given_back_is_room_again() {
        let room = HeadRoom::new(1000);
        let mut first = room.share();
        first.hold(FREE + 900);
        first.hold(0);
        let mut second = room.share();
        second.hold(FREE + 900);
        drop(second);
        first.hold(FREE + 1000);
        assert!(!first.evicted.is_cancelled());
        first.hold(FREE + 1001);
        assert!(first.evicted.is_cancelled());
        assert_eq!(room.lock().bytes, 0);
    }
}
