//! Model checking of the group commit with loom, with up to three preemptions.
//!
//! The code shared by the threads is compiled again here with the locks of loom and a model of the
//! store. Loom also detects deadlocks.
#![expect(clippy::duplicate_mod, reason = "the locks are others")]

mod model;
#[path = "queue.rs"]
mod queue;
#[path = "shared.rs"]
mod shared;
#[path = "shared_view.rs"]
mod shared_view;
#[path = "../../storage/src/engine/ticket.rs"]
#[expect(unreachable_pub, reason = "they are public where the file is at home")]
mod ticket;
#[path = "writer.rs"]
mod writer;

use super::{counters, meta, options};
use loom::future::block_on;
use loom::sync;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use loom::thread::{self, JoinHandle};
use model as database;
use model as reader;
use model::{FailureMode, Store};
use options::Options;
use portcullis_storage::engine::{CommitError, Observer, StoreError};
use portcullis_storage::feed::CommitGroup;
use shared::Shared;
use std::sync::{Arc, PoisonError, Weak};
use ticket::{Committed, Resolver, Ticket};

fn lock<T>(mutex: &sync::Mutex<T>) -> sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn explore(scenario: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(scenario);
}

/// Notifications sent by the engine.
#[derive(Default)]
struct Notifications {
    /// Revision of the last observed group.
    revision: AtomicU64,
    /// Whether the fatal handler was called.
    is_fatal: AtomicBool,
}

#[derive(Clone)]
struct Engine {
    shared: Arc<Shared<u8>>,
    notifications: Arc<Notifications>,
}

/// Checks the invariants after a commit, on the writer thread.
struct CheckingObserver {
    shared: Weak<Shared<u8>>,
    notifications: Arc<Notifications>,
}

impl Observer<u8> for CheckingObserver {
    fn on_commit(&self, group: &Arc<CommitGroup<u8>>) {
        let shared = self.shared.upgrade().unwrap();
        let view = shared.snapshot().unwrap();
        assert!(group.changes.iter().all(|&row| view.contains(row)));
        assert_eq!(shared.feed.revision(), group.revision);
        let before = self
            .notifications
            .revision
            .swap(group.revision, Ordering::Relaxed);
        assert_eq!(before + 1, group.revision);
    }
}

impl Engine {
    fn start(store: Store, queue_capacity: usize) -> (Self, JoinHandle<()>) {
        let notifications = Arc::new(Notifications::default());
        let handler_state = Arc::clone(&notifications);
        let options = Options {
            queue_capacity,
            fatal: Arc::new(move |_| handler_state.is_fatal.store(true, Ordering::Relaxed)),
            ..Options::default()
        };
        let shared = Arc::new(Shared::new(store, &meta::State::default(), options));
        shared.observe(Arc::new(CheckingObserver {
            shared: Arc::downgrade(&shared),
            notifications: Arc::clone(&notifications),
        }));
        let served = Arc::clone(&shared);
        let writer = thread::spawn(move || writer::run(&served));
        (
            Self {
                shared,
                notifications,
            },
            writer,
        )
    }

    /// Submits a body that writes one row.
    fn submit(&self, row: u8) -> Option<Ticket> {
        let body = move |tx: &mut dyn portcullis_storage::engine::WriteTx<u8>| {
            tx.put(&[row], b"");
            tx.record(row);
            Ok(())
        };
        self.shared.submit(Box::new(body)).ok()
    }

    fn contains(&self, row: u8) -> bool {
        self.shared.snapshot().unwrap().contains(row)
    }

    /// Compares the result of a ticket with the visible state.
    fn assert_outcome(&self, row: u8, answer: Result<Committed, CommitError>) -> bool {
        match answer {
            Ok(Committed { revision }) => {
                assert!(self.notifications.revision.load(Ordering::Relaxed) >= revision);
                assert!(self.contains(row), "the body is not on disk");
                true
            },
            Err(CommitError::Engine(StoreError::Full)) => {
                assert!(!self.contains(row), "the body is on disk all the same");
                false
            },
            Err(error) => panic!("{error}"),
        }
    }

    fn close(&self, writer: JoinHandle<()>) {
        self.shared.queue.close();
        writer.join().unwrap();
    }
}

#[test]
fn tickets_resolve_after_the_disk_and_the_observers() {
    explore(|| {
        let (engine, writer) = Engine::start(Store::new(&[]), 8);
        let other = engine.clone();
        let other = thread::spawn(move || {
            let ticket = other.submit(1).unwrap();
            assert!(other.assert_outcome(1, block_on(ticket)));
        });
        let ticket = engine.submit(2).unwrap();
        assert!(engine.assert_outcome(2, ticket.wait()));
        other.join().unwrap();
        engine.close(writer);
    });
}

#[test]
fn closing_commits_what_was_submitted_before_and_answers_what_comes_after() {
    explore(|| {
        let (engine, writer) = Engine::start(Store::new(&[]), 8);
        let other = engine.clone();
        let other = thread::spawn(move || match other.submit(1).unwrap().wait() {
            Err(CommitError::Engine(StoreError::Closed)) => assert!(!other.contains(1)),
            answer => assert!(other.assert_outcome(1, answer)),
        });
        let ticket = engine.submit(2).unwrap();
        engine.close(writer);
        assert!(engine.assert_outcome(2, ticket.wait()));
        other.join().unwrap();
    });
}

#[test]
fn failed_commit_fails_its_group_and_no_other() {
    explore(|| {
        let (engine, writer) = Engine::start(Store::new(&[FailureMode::Transient]), 8);
        let other = engine.clone();
        let other = thread::spawn(move || {
            let ticket = other.submit(1).unwrap();
            other.assert_outcome(1, block_on(ticket))
        });
        let ticket = engine.submit(2).unwrap();
        let committed = [
            engine.assert_outcome(2, ticket.wait()),
            other.join().unwrap(),
        ];
        assert_ne!(committed, [true; 2]);
        assert!(engine.assert_outcome(3, engine.submit(3).unwrap().wait()));
        engine.close(writer);
    });
}

#[test]
fn process_is_told_to_end_before_any_ticket_gives_an_answer() {
    explore(|| {
        let (engine, writer) = Engine::start(Store::new(&[FailureMode::Fatal]), 8);
        let attempt = |engine: &Engine, row| {
            let answer = engine.submit(row).unwrap().wait();
            assert!(matches!(
                answer,
                Err(CommitError::Engine(StoreError::Closed))
            ));
            assert!(engine.notifications.is_fatal.load(Ordering::Relaxed));
        };
        let other = engine.clone();
        let other = thread::spawn(move || attempt(&other, 1));
        attempt(&engine, 2);
        other.join().unwrap();
        writer.join().unwrap();
    });
}

#[test]
fn body_that_finds_no_place_is_not_run() {
    explore(|| {
        let (engine, writer) = Engine::start(Store::new(&[]), 1);
        let other = engine.clone();
        let attempt = |engine: &Engine, row| match engine.submit(row) {
            Some(ticket) => engine.assert_outcome(row, ticket.wait()),
            None => false,
        };
        let other = thread::spawn(move || attempt(&other, 1));
        let committed = [attempt(&engine, 2), other.join().unwrap()];
        engine.close(writer);
        assert_eq!([engine.contains(2), engine.contains(1)], committed);
        assert_ne!(committed, [false; 2], "one of them came first");
    });
}

#[test]
fn readers_of_a_store_that_failed_have_it_opened_anew() {
    explore(|| {
        let (engine, writer) = Engine::start(Store::stale(), 8);
        let other = engine.clone();
        let other = thread::spawn(move || {
            if other.shared.snapshot().is_err() {
                other.shared.store.wait_until_open();
            }
        });
        if engine.shared.snapshot().is_err() {
            engine.shared.store.wait_until_open();
        }
        assert!(!engine.contains(1));
        other.join().unwrap();
        engine.close(writer);
    });
}
