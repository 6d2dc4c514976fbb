//! Group commit: group sizes and fatal errors.

use crate::support::{Fatals, put};
use portcullis_storage::engine::{CommitError, Engine as _, Observer, StoreError};
use portcullis_storage::feed::CommitGroup;
use portcullis_storage_redb::{Options, RedbEngine};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

/// Blocks the writer, so that bodies queue up and form groups.
fn hold(engine: &RedbEngine<u64>) -> Sender<()> {
    let (begun, begins) = channel();
    let (release, released) = channel::<()>();
    drop(engine.submit(Box::new(move |_| {
        begun.send(()).unwrap();
        let _ = released.recv();
        Ok(())
    })));
    begins.recv().unwrap();
    release
}

/// Submits `count` bodies of one row of `size` bytes and returns the group sizes.
fn groups(count: u64, size: usize) -> Vec<usize> {
    let engine: RedbEngine<u64> = RedbEngine::in_memory(Options::default()).unwrap();
    let release = hold(&engine);
    let tickets: Vec<_> = (0..count)
        .map(|number| {
            let value = vec![1; size];
            engine.submit(Box::new(move |tx| {
                tx.put(&number.to_be_bytes(), &value);
                tx.record(number);
                Ok(())
            }))
        })
        .collect();
    drop(release);
    for ticket in tickets {
        ticket.unwrap().wait().unwrap();
    }
    let groups = engine.feed().since(0).unwrap();
    groups.iter().map(|group| group.changes.len()).collect()
}

#[test]
fn groups_are_bounded_by_bodies_and_bytes() {
    // The body that waits is the first of 256.
    assert_eq!(groups(100, 10), [100]);
    assert_eq!(groups(600, 10), [255, 256, 89]);
    assert_eq!(groups(5, 600 * 1024), [2, 2, 1]);
}

struct Panicking;

impl Observer<u64> for Panicking {
    fn on_commit(&self, _: &Arc<CommitGroup<u64>>) {
        std::panic::resume_unwind(Box::new("an observer that panics"));
    }
}

#[test]
fn panicking_observer_ends_the_process() {
    let fatals = Fatals::default();
    let engine = RedbEngine::in_memory(fatals.options()).unwrap();
    put(&engine, b"\x01", b"").unwrap();
    engine.observe(Arc::new(Panicking));
    let closed = |result| matches!(result, Err(CommitError::Engine(StoreError::Closed)));
    assert!(closed(put(&engine, b"\x01", b"")));
    assert_eq!(fatals.all(), ["an observer of its changes panicked"]);
    assert!(
        closed(put(&engine, b"\x01", b"")),
        "nothing is taken afterwards"
    );
}
