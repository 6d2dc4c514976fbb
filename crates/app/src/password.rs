//! Password hashing on a bounded pool of threads.
//!
//! Argon2id is made to be slow and to need memory. The pool keeps both within bounds: as many
//! hashes run at once as it has threads, a bounded number waits, and what comes on top is turned
//! away at once, so that a flood of logins can neither exhaust memory nor delay other requests. The
//! places are shared out among peers, so that a flood does not keep others from logging in either.

mod hashing;
#[cfg(test)]
mod interleavings;
mod jobs;
mod new;
mod queue;

pub(crate) use new::NewPassword;

use hashing::{Hasher, SALT_LENGTH, is_cheap};
use jobs::Jobs;
use portcullis_domain::authenticator::PasswordHash;
use portcullis_domain::peer::Peer;
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::atomic::{AtomicU64, Ordering};
// The jobs take their locks from here, so that `interleavings` can put those of loom in their place.
use std::sync::{self, Arc};
use tokio::sync::oneshot;

/// Too many passwords are being checked already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked already")]
pub struct PoolFull;

/// What a check of a password found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The password is right.
    Right {
        /// Whether what is stored costs less to compute than a hash of today, and so should be
        /// replaced.
        is_cheap: bool,
    },
    /// The password is wrong, or there was nothing to check it against.
    Wrong,
}

type Job = Box<dyn FnOnce(&mut Hasher, &Shared) + Send>;

/// Threads that hash passwords.
///
/// Dropping it lets the running hashes end and then ends the threads.
pub struct PasswordPool(Arc<Shared>);

struct Shared {
    jobs: Jobs<Job>,
    hashed: AtomicU64,
    work: AtomicU64,
}

impl PasswordPool {
    /// Starts `threads` threads. `waiting` hashes of strangers may wait for one, and as many of sessions
    /// and of addresses that have logged in lately.
    pub fn start(threads: usize, waiting: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            jobs: Jobs::new(waiting),
            hashed: AtomicU64::new(0),
            work: AtomicU64::new(0),
        });
        let pool = Self(shared);
        for number in 0..threads.max(1) {
            let shared = Arc::clone(&pool.0);
            std::thread::Builder::new()
                .name(format!("password-{number}"))
                .spawn(move || shared.serve())?;
        }
        Ok(pool)
    }

    /// Hashes a new password with `salt`.
    ///
    /// # Errors
    ///
    /// [`PoolFull`] when too many hashes wait already, in all or of this peer.
    pub async fn hash(
        &self,
        peer: Peer,
        password: SecretString,
        salt: [u8; SALT_LENGTH],
    ) -> Result<PasswordHash, PoolFull> {
        self.run(peer, move |hasher| {
            hasher.hash(password.expose_secret(), salt)
        })
        .await
    }

    /// Checks a password against a stored hash; against nothing, it is wrong. That takes the time of
    /// one hash of today, whatever is stored.
    ///
    /// # Errors
    ///
    /// As [`PasswordPool::hash`].
    pub async fn verify(
        &self,
        peer: Peer,
        password: SecretString,
        stored: Option<PasswordHash>,
    ) -> Result<Verdict, PoolFull> {
        self.run(peer, move |hasher| {
            if hasher.check(password.expose_secret(), stored.as_ref()) {
                let is_cheap = stored.as_ref().is_some_and(is_cheap);
                Verdict::Right { is_cheap }
            } else {
                Verdict::Wrong
            }
        })
        .await
    }

    /// Remembers that a peer has logged in. From then on it does not wait behind strangers.
    pub(crate) fn trust(&self, peer: Peer) {
        self.0.jobs.trust(peer);
    }

    /// How many passwords it has hashed or checked.
    pub fn hashed(&self) -> u64 {
        self.0.hashed.load(Ordering::Relaxed)
    }

    /// How much work that was: KiB of memory times passes over it.
    pub fn work(&self) -> u64 {
        self.0.work.load(Ordering::Relaxed)
    }

    async fn run<T: Send + 'static>(
        &self,
        peer: Peer,
        work: impl FnOnce(&mut Hasher) -> T + Send + 'static,
    ) -> Result<T, PoolFull> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |hasher, shared| {
            let before = hasher.work();
            let done = work(hasher);
            shared.hashed.fetch_add(1, Ordering::Relaxed);
            let work = hasher.work() - before;
            shared.work.fetch_add(work, Ordering::Relaxed);
            // Whoever asked may have gone away; then the answer is dropped.
            let _ = answer.send(done);
        });
        self.0.jobs.add(peer, job);
        // A job that is turned away, now or later, takes its end of the channel with it.
        answered.await.map_err(|_turned_away| PoolFull)
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

impl Shared {
    /// Takes jobs until the pool is dropped. The memory of one hash serves the next as long as there
    /// is a next; an idle thread holds none, and the system has it back.
    fn serve(&self) {
        let mut hasher = Hasher::default();
        while let Some(job) = self.jobs.waiting().or_else(|| {
            hasher.free();
            self.jobs.next()
        }) {
            job(&mut hasher, self);
        }
    }
}

#[cfg(test)]
mod tests;
