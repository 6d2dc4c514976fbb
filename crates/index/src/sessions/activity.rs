//! Last activity of sessions, ahead of the store.

use crate::slots::Slot;
use parking_lot::{Mutex, MutexGuard};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::RecordNumber;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// Value of a free slot, which never expires.
const FREE: i64 = i64::MAX;

/// The last activity of each slot, and which of it the store does not have.
///
/// Every authenticated request touches a session, which takes no lock, except for the first touch
/// after a drain, which queues the session for the next one.
#[derive(Debug, Default)]
pub(super) struct Activity {
    /// Milliseconds since 1970. Separate from the flags, so that a sweep reads a dense array.
    last: Vec<AtomicI64>,
    is_dirty: Vec<AtomicBool>,
    /// Dirty sessions in the order in which they became dirty; each at least once.
    dirty: Mutex<VecDeque<RecordNumber>>,
}

impl Activity {
    /// Loads the activity of a record unless a later one is known.
    pub(super) fn load(&mut self, slot: Slot, at: Timestamp) {
        if self.last.len() <= slot.index() {
            self.last
                .resize_with(slot.index() + 1, || AtomicI64::new(FREE));
            self.is_dirty
                .resize_with(slot.index() + 1, AtomicBool::default);
        }
        if let Some(last) = self.last.get_mut(slot.index()) {
            let last = last.get_mut();
            let known = if *last == FREE { i64::MIN } else { *last };
            *last = known.max(at.as_millisecond());
        }
    }

    pub(super) fn clear(&mut self, slot: Slot) {
        if let Some(last) = self.last.get_mut(slot.index()) {
            *last.get_mut() = FREE;
        }
        if let Some(is_dirty) = self.is_dirty.get_mut(slot.index()) {
            *is_dirty.get_mut() = false;
        }
    }

    pub(super) fn last_activity(&self, slot: Slot) -> Timestamp {
        self.last
            .get(slot.index())
            .map_or(Timestamp::UNIX_EPOCH, load_timestamp)
    }

    pub(super) fn touch(&self, slot: Slot, number: RecordNumber, now: Timestamp) {
        let now = now.as_millisecond();
        let is_later = self
            .last
            .get(slot.index())
            .is_some_and(|last| last.fetch_max(now, Ordering::AcqRel) < now);
        if is_later {
            self.mark_dirty(slot, number);
        }
    }

    /// Queues the slot if it is not queued. The instant is written before the flag is set, and
    /// [`Activity::take_dirty`] reads it after clearing the flag, so no update is lost in between.
    pub(super) fn mark_dirty(&self, slot: Slot, number: RecordNumber) {
        let Some(is_dirty) = self.is_dirty.get(slot.index()) else {
            return;
        };
        if !is_dirty.swap(true, Ordering::AcqRel) {
            self.queue().push_back(number);
        }
    }

    pub(super) fn next_dirty(&self) -> Option<RecordNumber> {
        self.queue().pop_front()
    }

    /// Clears the flag of a dirty slot and returns its activity.
    pub(super) fn take_dirty(&self, slot: Slot) -> Option<Timestamp> {
        let is_dirty = self.is_dirty.get(slot.index())?;
        is_dirty
            .swap(false, Ordering::AcqRel)
            .then(|| self.last_activity(slot))
    }

    /// The slots that were idle for `timeout` at `now`.
    pub(super) fn idle_slots(
        &self,
        now: Timestamp,
        timeout: SignedDuration,
    ) -> impl Iterator<Item = Slot> {
        let latest = (now.as_nanosecond() - timeout.as_nanos()).div_euclid(1_000_000);
        let latest = latest.clamp(i64::MIN.into(), (FREE - 1).into());
        let latest = i64::try_from(latest).unwrap_or(i64::MIN);
        (0..)
            .zip(&self.last)
            .filter(move |(_, last)| last.load(Ordering::Relaxed) <= latest)
            .map(|(bit, _)| Slot::from_bit(bit))
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.last.capacity() * size_of::<AtomicI64>()
            + self.is_dirty.capacity()
            + self.queue().capacity() * size_of::<RecordNumber>()
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<RecordNumber>> {
        self.dirty.lock()
    }
}

fn load_timestamp(last: &AtomicI64) -> Timestamp {
    Timestamp::from_millisecond(last.load(Ordering::Acquire)).unwrap_or(Timestamp::UNIX_EPOCH)
}
