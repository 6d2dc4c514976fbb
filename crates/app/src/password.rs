//! Password hashing on a bounded pool of threads.
//!
//! Argon2id is made to be slow and to need memory. The pool keeps both within bounds: as many
//! hashes run at once as it has threads, a bounded number waits, and whoever comes on top is turned
//! away at once, so that a flood of logins can neither exhaust memory nor delay other requests.

mod new;

pub(crate) use new::NewPassword;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use portcullis_domain::authenticator::PasswordHash;
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use subtle::ConstantTimeEq as _;
use tokio::sync::oneshot;
use zeroize::Zeroizing;

/// Cost of a new hash: memory in KiB, passes, lanes (OWASP password storage cheat sheet).
const COST: (u32, u32, u32) = (19 * 1024, 2, 1);

/// The highest costs that a stored hash may ask for; more is damage, not a password.
const DEAREST: (u32, u32, u32) = (256 * 1024, 16, 16);

/// Blocks that memory is reserved for, whether or not a hash fills them: 33 MiB. What is larger than
/// 32 MiB the C library maps for itself and gives back when it is freed; of anything smaller it
/// comes to keep many times what is in use.
const RESERVED: usize = 33 * 1024;

const SALT_LENGTH: usize = 16;
const HASH_LENGTH: usize = 32;

/// Too many passwords are being checked already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked already")]
pub struct PoolFull;

/// What a check of a password found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The password is right.
    Right {
        /// It under a hash of today's cost, if what is stored costs less.
        renewed: Option<PasswordHash>,
    },
    /// The password is wrong, or there was nothing to check it against.
    Wrong,
}

type Job = Box<dyn FnOnce(&mut Vec<Block>) + Send>;

/// Threads that hash passwords.
///
/// Dropping it lets the running hashes end and then ends the threads.
pub struct PasswordPool {
    jobs: SyncSender<Job>,
    taken: AtomicU64,
}

impl PasswordPool {
    /// Starts `threads` threads; `waiting` hashes may wait for one.
    pub fn start(threads: usize, waiting: usize) -> std::io::Result<Self> {
        let (jobs, queue) = sync_channel::<Job>(waiting);
        let queue = Arc::new(Mutex::new(queue));
        for number in 0..threads.max(1) {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new()
                .name(format!("password-{number}"))
                .spawn(move || work(&queue))?;
        }
        Ok(Self {
            jobs,
            taken: AtomicU64::new(0),
        })
    }

    /// Hashes a new password with `salt`.
    ///
    /// # Errors
    ///
    /// [`PoolFull`] when too many hashes wait already.
    pub async fn hash(
        &self,
        password: SecretString,
        salt: [u8; SALT_LENGTH],
    ) -> Result<PasswordHash, PoolFull> {
        self.run(move |blocks| hash(blocks, password.expose_secret(), salt))
            .await
    }

    /// Checks a password against a stored hash.
    ///
    /// A hash of today's cost is computed whatever there is to check: against nothing, so that an
    /// unknown name costs as much as a wrong password; and beside a stored one that costs less,
    /// which is how the password is kept from then on, with `salt`, if it is right.
    ///
    /// # Errors
    ///
    /// [`PoolFull`] when too many hashes wait already.
    pub async fn verify(
        &self,
        password: SecretString,
        stored: Option<PasswordHash>,
        salt: [u8; SALT_LENGTH],
    ) -> Result<Verdict, PoolFull> {
        self.run(move |blocks| {
            let password = password.expose_secret();
            let fits = |blocks: &mut _, stored| compare(blocks, password, stored);
            match &stored {
                Some(stored) if is_cheap(stored) => {
                    let is_right = fits(blocks, stored);
                    let renewed = Some(hash(blocks, password, salt));
                    verdict(is_right, renewed)
                },
                Some(stored) => verdict(fits(blocks, stored), None),
                None => {
                    hash(blocks, password, salt);
                    Verdict::Wrong
                },
            }
        })
        .await
    }

    /// How many passwords it has taken on.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Vec<Block>) -> T + Send + 'static,
    ) -> Result<T, PoolFull> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |blocks| {
            // Whoever asked may have gone away; then the answer is dropped.
            let _ = answer.send(work(blocks));
        });
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) | TrySendError::Disconnected(_) => PoolFull,
        })?;
        self.taken.fetch_add(1, Ordering::Relaxed);
        answered.await.map_err(|_gone| PoolFull)
    }
}

impl std::fmt::Debug for PasswordPool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PasswordPool")
            .finish_non_exhaustive()
    }
}

/// Takes jobs until the pool is dropped. The memory of one hash serves the next as long as there
/// is a next; an idle thread holds none, and the system has it back.
fn work(queue: &Mutex<Receiver<Job>>) {
    let mut blocks = Vec::new();
    while let Some(job) = waiting_job(queue).or_else(|| {
        blocks = Vec::new();
        next_job(queue)
    }) {
        job(&mut blocks);
    }
}

/// A job that is there already. A queue that another thread waits at is empty.
fn waiting_job(queue: &Mutex<Receiver<Job>>) -> Option<Job> {
    queue.try_lock().ok()?.try_recv().ok()
}

/// The next job, whenever it comes; `None` when the pool is dropped.
fn next_job(queue: &Mutex<Receiver<Job>>) -> Option<Job> {
    queue
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .recv()
        .ok()
}

/// Whether a stored hash costs less than one of today, as those of OpenZiti do.
fn is_cheap(stored: &PasswordHash) -> bool {
    stored.memory < COST.0 || stored.passes < COST.1
}

fn verdict(is_right: bool, renewed: Option<PasswordHash>) -> Verdict {
    if is_right {
        Verdict::Right { renewed }
    } else {
        Verdict::Wrong
    }
}

/// Hashes a password at today's cost.
fn hash(blocks: &mut Vec<Block>, password: &str, salt: [u8; SALT_LENGTH]) -> PasswordHash {
    let (memory, passes, lanes) = COST;
    let hash = derive(blocks, password, &salt, COST, HASH_LENGTH);
    PasswordHash {
        memory,
        passes,
        lanes,
        salt: BASE64.encode(salt),
        // The parameters are constants that are valid, so a hash always comes out.
        hash: BASE64.encode(hash.unwrap_or_default()),
    }
}

/// Whether a password fits a stored hash; what is damaged fits nothing.
fn compare(blocks: &mut Vec<Block>, password: &str, stored: &PasswordHash) -> bool {
    let (Ok(salt), Ok(expected)) = (BASE64.decode(&stored.salt), BASE64.decode(&stored.hash))
    else {
        return false;
    };
    let cost = (stored.memory, stored.passes, stored.lanes);
    derive(blocks, password, &salt, cost, expected.len())
        // A stored hash without bytes would match anything; no hash is that short.
        .is_some_and(|hash| expected.len() >= 16 && bool::from(hash.ct_eq(&expected)))
}

/// Computes argon2id, version 1.3; `None` for parameters that are out of bounds.
fn derive(
    blocks: &mut Vec<Block>,
    password: &str,
    salt: &[u8],
    (memory, passes, lanes): (u32, u32, u32),
    length: usize,
) -> Option<Zeroizing<Vec<u8>>> {
    if memory > DEAREST.0 || passes > DEAREST.1 || lanes > DEAREST.2 {
        return None;
    }
    let params = Params::new(memory, passes, lanes, Some(length)).ok()?;
    blocks.reserve_exact(RESERVED.saturating_sub(blocks.len()));
    blocks.resize(params.block_count(), Block::default());
    let mut hash = Zeroizing::new(vec![0; length]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(password.as_bytes(), salt, &mut hash, blocks)
        .ok()?;
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::{Context, Poll, Waker};

    fn wait<T>(future: impl Future<Output = T>) -> T {
        struct Unpark(std::thread::Thread);
        impl std::task::Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut future = std::pin::pin!(future);
        loop {
            match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(value) => return value,
                Poll::Pending => std::thread::park(),
            }
        }
    }

    #[test]
    fn only_the_right_password_fits() {
        let pool = PasswordPool::start(1, 4).unwrap();
        let stored = wait(pool.hash("correct horse".into(), [3; SALT_LENGTH])).unwrap();
        assert_eq!((stored.memory, stored.passes, stored.lanes), COST);
        let check = |password: &str, stored| {
            wait(pool.verify(password.into(), stored, [5; SALT_LENGTH])).unwrap()
        };
        assert_eq!(
            check("correct horse", Some(stored.clone())),
            Verdict::Right { renewed: None }
        );
        assert_eq!(check("correct hors", Some(stored)), Verdict::Wrong);
        assert_eq!(check("correct horse", None), Verdict::Wrong);
    }

    /// Argon2id of `correct horse` with the costs of OpenZiti (3 MiB, 1 pass, 4 lanes) and a salt of
    /// 10 bytes, as argon2-cffi computes it.
    #[test]
    fn cheap_hash_is_renewed_when_the_password_is_right() {
        let pool = PasswordPool::start(1, 4).unwrap();
        let cheap = PasswordHash {
            memory: 3072,
            passes: 1,
            lanes: 4,
            salt: "MDEyMzQ1Njc4OQ==".to_owned(),
            hash: "2V0TwqXU7sK4zwcrqJxc4pMgJOo32t+2bHG9FvgMaYA=".to_owned(),
        };
        let check = |password: &str, stored| {
            wait(pool.verify(password.into(), Some(stored), [5; SALT_LENGTH])).unwrap()
        };
        let Verdict::Right {
            renewed: Some(renewed),
        } = check("correct horse", cheap.clone())
        else {
            panic!("the password is right and its hash cheap");
        };
        assert_eq!((renewed.memory, renewed.passes, renewed.lanes), COST);
        assert_eq!(
            check("correct horse", renewed),
            Verdict::Right { renewed: None }
        );
        assert_eq!(check("correct hors", cheap), Verdict::Wrong);
    }

    #[test]
    fn damaged_hash_fits_nothing() {
        let pool = PasswordPool::start(1, 4).unwrap();
        let empty = PasswordHash {
            memory: 8,
            passes: 1,
            lanes: 1,
            salt: String::new(),
            hash: String::new(),
        };
        let dear = PasswordHash {
            memory: u32::MAX,
            ..empty.clone()
        };
        for stored in [empty, dear] {
            assert_eq!(
                wait(pool.verify("".into(), Some(stored), [5; SALT_LENGTH])).unwrap(),
                Verdict::Wrong
            );
        }
    }

    #[test]
    fn excess_is_turned_away_at_once() {
        let pool = PasswordPool::start(1, 1).unwrap();
        let (started, has_started) = std::sync::mpsc::channel();
        let (release, released) = std::sync::mpsc::channel::<()>();
        // One job occupies the thread, one waits; the third finds no place.
        let occupy: Job = Box::new(move |_| {
            started.send(()).unwrap();
            released.recv().unwrap();
        });
        pool.jobs.try_send(occupy).ok().unwrap();
        has_started.recv().unwrap();
        pool.jobs.try_send(Box::new(|_| ())).ok().unwrap();
        assert_eq!(
            wait(pool.verify("x".into(), None, [5; SALT_LENGTH])),
            Err(PoolFull)
        );
        release.send(()).unwrap();
    }
}
