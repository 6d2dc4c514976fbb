//! Password hashing on a bounded thread pool.
//!
//! Argon2id is slow and memory-hungry by design. The pool bounds both: one hash per thread runs at
//! a time, a bounded number waits, and the rest is rejected at once, so a flood of logins can
//! neither exhaust memory nor delay other requests. Queue places are shared fairly among peers, so
//! that a flood does not keep others from logging in either.

mod hashing;
#[cfg(test)]
mod interleavings;
mod jobs;
mod queue;

use crate::metrics::{ControllerMetrics, PasswordHashes};
use hashing::{Hasher, SALT_LENGTH, needs_rehash};
use jobs::Jobs;
use portcullis_domain::authenticator::PasswordHash;
use portcullis_domain::peer::Peer;
use portcullis_metrics::{MetricName, MetricSource, Snapshot};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::atomic::{AtomicU64, Ordering};
// `jobs` takes its locks from here, so that `interleavings` can replace them with those of loom.
use std::sync::{self, Arc, OnceLock};
use std::time::Instant;
use tokio::sync::oneshot;

/// Too many passwords are being hashed already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked already")]
pub struct PoolFullError;

/// Result of a password check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordCheck {
    Right {
        /// Whether the stored hash is cheaper than a current one and should be replaced.
        needs_rehash: bool,
    },
    /// The password is wrong, or there was no hash to check it against.
    Wrong,
}

type Job = Box<dyn FnOnce(&mut Hasher, &PoolState) + Send>;

/// Thread pool for password hashing.
///
/// Dropping it finishes the running hashes and ends the threads.
pub struct PasswordPool(Arc<PoolState>);

struct PoolState {
    jobs: Jobs<Job>,
    /// Jobs that may wait, trusted or not.
    capacity: usize,
    hashed: AtomicU64,
    work: AtomicU64,
    /// Where times are recorded, if they are.
    hashes: OnceLock<PasswordHashes>,
}

impl PasswordPool {
    /// Starts `threads` threads. Up to `waiting` jobs of unknown peers may be queued, and as many
    /// of trusted ones: sessions, and addresses that logged in recently.
    pub fn start(threads: usize, waiting: usize) -> std::io::Result<Self> {
        let shared = Arc::new(PoolState {
            jobs: Jobs::new(waiting),
            capacity: waiting.saturating_mul(2),
            hashed: AtomicU64::new(0),
            work: AtomicU64::new(0),
            hashes: OnceLock::new(),
        });
        let pool = Self(shared);
        for number in 0..threads.max(1) {
            let shared = Arc::clone(&pool.0);
            std::thread::Builder::new()
                .name(format!("password-{number}"))
                .spawn(move || shared.run_worker())?;
        }
        Ok(pool)
    }

    /// Hashes a new password with `salt`.
    ///
    /// # Errors
    ///
    /// [`PoolFullError`] when the queue is full, in total or for this peer.
    pub async fn hash(
        &self,
        peer: Peer,
        password: SecretString,
        salt: [u8; SALT_LENGTH],
    ) -> Result<PasswordHash, PoolFullError> {
        self.submit(peer, move |hasher| {
            hasher.hash(password.expose_secret(), salt)
        })
        .await
    }

    /// Checks a password against a stored hash; without one, it is wrong. Takes the time of one
    /// hash at the current cost, whatever is stored.
    ///
    /// # Errors
    ///
    /// See [`PasswordPool::hash`].
    pub async fn verify(
        &self,
        peer: Peer,
        password: SecretString,
        stored: Option<PasswordHash>,
    ) -> Result<PasswordCheck, PoolFullError> {
        self.submit(peer, move |hasher| {
            if hasher.verify(password.expose_secret(), stored.as_ref()) {
                let needs_rehash = stored.as_ref().is_some_and(needs_rehash);
                PasswordCheck::Right { needs_rehash }
            } else {
                PasswordCheck::Wrong
            }
        })
        .await
    }

    /// Measures the pool from now on. Only the first call counts.
    pub(crate) fn measure(&self, metrics: &ControllerMetrics) {
        self.0.hashes.get_or_init(|| {
            metrics.registry().add_source(&self.0);
            metrics.password_hashes.clone()
        });
    }

    /// Number of passwords that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.0.jobs.len()
    }

    /// Trusts a peer that logged in: it no longer waits behind unknown peers.
    pub(crate) fn trust(&self, peer: Peer) {
        self.0.jobs.trust(peer);
    }

    /// Number of passwords hashed or checked so far.
    pub fn hashed(&self) -> u64 {
        self.0.hashed.load(Ordering::Relaxed)
    }

    /// Work done so far, in KiB of memory times passes.
    pub fn work(&self) -> u64 {
        self.0.work.load(Ordering::Relaxed)
    }

    async fn submit<T: Send + 'static>(
        &self,
        peer: Peer,
        work: impl FnOnce(&mut Hasher) -> T + Send + 'static,
    ) -> Result<T, PoolFullError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |hasher, shared| {
            let (before, begun) = (hasher.work(), Instant::now());
            let done = work(hasher);
            if let Some(hashes) = shared.hashes.get() {
                let time = begun.elapsed();
                hashes.timer.record(time);
                hashes.times.record_time(time);
            }
            shared.hashed.fetch_add(1, Ordering::Relaxed);
            let work = hasher.work() - before;
            shared.work.fetch_add(work, Ordering::Relaxed);
            // The requester may be gone; the result is dropped then.
            let _ = answer.send(done);
        });
        self.0.jobs.add(peer, job);
        // A rejected job drops its end of the channel.
        answered.await.map_err(|_turned_away| PoolFullError)
    }
}

impl Drop for PasswordPool {
    fn drop(&mut self) {
        self.0.jobs.close();
    }
}

impl std::fmt::Debug for PasswordPool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PasswordPool")
            .finish_non_exhaustive()
    }
}

impl PoolState {
    /// Runs jobs until the pool is dropped. Memory is reused between consecutive hashes; an idle
    /// thread returns it to the system.
    fn run_worker(&self) {
        let mut hasher = Hasher::default();
        while let Some(job) = self.jobs.waiting().or_else(|| {
            hasher.free();
            self.jobs.next()
        }) {
            job(&mut hasher, self);
        }
    }
}

impl MetricSource for PoolState {
    fn collect(&self, snapshot: &mut Snapshot) {
        snapshot.set_gauge(
            MetricName::plain("auth.limiter.queued_count"),
            self.jobs.len(),
        );
        snapshot.set_gauge(MetricName::plain("auth.limiter.window_size"), self.capacity);
    }
}

#[cfg(test)]
mod tests;
