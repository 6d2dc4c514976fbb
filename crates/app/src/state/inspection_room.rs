//! How much inspections take at a time.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Inspections that are under way at a time.
const MAX_INSPECTIONS: usize = 16;

/// Bytes of the values of one inspection.
const MAX_BYTES_EACH: usize = 32 * 1024 * 1024;

/// Bytes of the values of all inspections, until they have reached those who asked.
const MAX_BYTES: usize = 128 * 1024 * 1024;

/// Room for inspections.
#[derive(Debug)]
pub(crate) struct InspectionRoom {
    places: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
}

/// The memory that the values of an inspection take. It is free for others when this is dropped.
#[derive(Debug)]
pub struct HeldValues {
    room: Arc<Semaphore>,
    bytes: Option<OwnedSemaphorePermit>,
}

impl Default for InspectionRoom {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(MAX_INSPECTIONS)),
            bytes: Arc::new(Semaphore::new(MAX_BYTES)),
        }
    }
}

impl InspectionRoom {
    /// A place for an inspection, until it is dropped; `None` if too many are under way.
    pub(crate) fn enter(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    /// Nothing yet.
    pub(crate) fn hold(&self) -> HeldValues {
        HeldValues {
            room: Arc::clone(&self.bytes),
            bytes: None,
        }
    }
}

impl HeldValues {
    /// Holds so many bytes more; whether there is room for them.
    pub(crate) fn add(&mut self, bytes: usize) -> bool {
        let held = self
            .bytes
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        if held + bytes > MAX_BYTES_EACH {
            return false;
        }
        let added = u32::try_from(bytes)
            .ok()
            .and_then(|bytes| Arc::clone(&self.room).try_acquire_many_owned(bytes).ok());
        match (&mut self.bytes, added) {
            (_, None) => false,
            (Some(held), Some(added)) => {
                held.merge(added);
                true
            },
            (held, added) => {
                *held = added;
                true
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_bounds_each_and_together() {
        let room = InspectionRoom::default();
        let mut first = room.hold();
        assert!(first.add(MAX_BYTES_EACH - 1) && first.add(1));
        assert!(!first.add(1));
        let mut others: Vec<_> = (1..MAX_BYTES / MAX_BYTES_EACH)
            .map(|_| room.hold())
            .collect();
        assert!(others.iter_mut().all(|held| held.add(MAX_BYTES_EACH)));
        let mut last = room.hold();
        assert!(!last.add(1));
        drop(first);
        assert!(last.add(1));
    }

    #[test]
    fn there_are_so_many_inspections_at_a_time() {
        let room = InspectionRoom::default();
        let places: Vec<_> = (0..MAX_INSPECTIONS)
            .map(|_| room.enter().unwrap())
            .collect();
        assert!(room.enter().is_none());
        drop(places);
        assert!(room.enter().is_some());
    }
}
