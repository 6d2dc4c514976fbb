//! Loom tests of the job queue: all interleavings with up to three preemptions.
//!
//! The module is compiled again with loom's locks, which also detect deadlocks.
#![expect(clippy::duplicate_mod, reason = "the locks are others")]

#[path = "jobs.rs"]
mod jobs;

use super::queue;
use jobs::Jobs;
use loom::future::block_on;
use loom::sync;
use loom::thread::{self, JoinHandle};
use portcullis_domain::peer::Peer;
use std::sync::Arc;
use tokio::sync::oneshot::{Receiver, Sender, channel};

type Pool = Arc<Jobs<Sender<()>>>;

fn explore(scenario: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(scenario);
}

fn at(last: u8) -> Peer {
    Peer::from_address([192, 0, 2, last].into())
}

/// Starts a thread that runs jobs and returns how many it ran.
fn start(pool: &Pool) -> JoinHandle<usize> {
    let pool = Arc::clone(pool);
    thread::spawn(move || {
        let mut did = 0;
        while let Some(answer) = pool.waiting().or_else(|| pool.next()) {
            // The requester may be gone.
            let _ = answer.send(());
            did += 1;
        }
        did
    })
}

/// Adds a job; the channel receives when it is done and fails when it is rejected.
fn ask(pool: &Pool, last: u8) -> Receiver<()> {
    let (answer, answered) = channel();
    pool.add(at(last), answer);
    answered
}

#[test]
fn every_job_is_done_or_turned_away() {
    explore(|| {
        let pool: Pool = Arc::new(Jobs::new(1));
        let thread = start(&pool);
        let other = Arc::clone(&pool);
        let other = thread::spawn(move || block_on(ask(&other, 1)).is_ok());
        let is_done = [block_on(ask(&pool, 2)).is_ok(), other.join().unwrap()];
        pool.close();
        let done = is_done.into_iter().filter(|is_done| *is_done).count();
        assert_eq!(thread.join().unwrap(), done);
        assert!(done >= 1, "one of them came first");
    });
}

#[test]
fn threads_share_the_jobs() {
    explore(|| {
        let pool: Pool = Arc::new(Jobs::new(4));
        let threads = [start(&pool), start(&pool)];
        for answered in [1, 2].map(|last| ask(&pool, last)) {
            block_on(answered).unwrap();
        }
        pool.close();
        let did = threads.map(|thread| thread.join().unwrap());
        assert_eq!(did.iter().sum::<usize>(), 2);
        assert_eq!(pool.len(), 0);
    });
}

#[test]
fn nobody_is_turned_away_while_there_is_room() {
    explore(|| {
        let pool: Pool = Arc::new(Jobs::new(4));
        let thread = start(&pool);
        let other = Arc::clone(&pool);
        let other = thread::spawn(move || block_on(ask(&other, 1)).unwrap());
        block_on(ask(&pool, 2)).unwrap();
        other.join().unwrap();
        pool.close();
        assert_eq!(thread.join().unwrap(), 2);
    });
}

#[test]
fn place_of_one_who_went_away_is_free_again() {
    explore(|| {
        let pool: Pool = Arc::new(Jobs::new(1));
        let thread = start(&pool);
        let other = Arc::clone(&pool);
        let other = thread::spawn(move || drop(ask(&other, 1)));
        // Rejected while the other job is queued.
        while block_on(ask(&pool, 2)).is_err() {
            thread::yield_now();
        }
        other.join().unwrap();
        pool.close();
        thread.join().unwrap();
    });
}

#[test]
fn peer_that_has_logged_in_finds_room_beside_strangers() {
    explore(|| {
        let pool: Pool = Arc::new(Jobs::new(1));
        let thread = start(&pool);
        let other = Arc::clone(&pool);
        let other = thread::spawn(move || drop(ask(&other, 1)));
        pool.trust(at(2));
        block_on(ask(&pool, 2)).unwrap();
        other.join().unwrap();
        pool.close();
        thread.join().unwrap();
    });
}

#[test]
fn every_thread_ends_with_the_pool() {
    explore(|| {
        let pool: Pool = Arc::new(Jobs::new(4));
        let threads = [start(&pool), start(&pool)];
        pool.close();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), 0);
        }
    });
}
