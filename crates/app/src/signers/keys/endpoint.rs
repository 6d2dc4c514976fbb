//! One address of a key set: the set as it was last, and when to fetch it anew.

use super::{FetchKeySets, KeySetFault};
use portcullis_domain::clock::{Clock, SignedDuration, Timestamp};
use portcullis_pki::external::KeySet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use tokio::task::JoinHandle;

/// How old a set becomes before it is fetched anew although it has the key. Nobody waits for that.
const OLD: SignedDuration = SignedDuration::from_mins(5);

/// How long nobody has asked an address before a token waits for what it says although the set has
/// the key, so that a key that was withdrawn long ago does not count once more.
const FORGOTTEN: SignedDuration = SignedDuration::from_mins(15);

/// Shortest time between the end of a fetch and the next one. Each fetch that fails after another
/// doubles it.
const PAUSE: SignedDuration = SignedDuration::from_secs(1);

/// Longest time to which that grows.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_secs(30);

/// An address.
pub(super) struct Endpoint {
    address: String,
    known: Mutex<Known>,
    /// Held by whoever fetches.
    turn: Arc<Turn<()>>,
}

/// What is known of an address.
#[derive(Default, Clone)]
struct Known {
    set: Option<Arc<KeySet>>,
    /// When the set was fetched.
    fetched_at: Option<Timestamp>,
    /// When the last fetch ended, with or without a set.
    tried_at: Option<Timestamp>,
    /// How many fetches have ended.
    tries: u64,
    /// How many of them, the last ones, brought no set.
    failures: u32,
}

/// What a token needs of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Nothing; what is known has to do.
    Nothing,
    /// A fetch, for those that come later.
    Refresh,
    /// The outcome of a fetch.
    Fetch,
}

impl Known {
    /// What a token with this key id needs.
    fn need(&self, key_id: &str, now: Timestamp) -> Need {
        let has_key = |set: &Arc<KeySet>| set.candidates(key_id).next().is_some();
        let has_key = self.set.as_ref().is_some_and(has_key);
        if !is_past(self.tried_at, self.pause(), now) {
            Need::Nothing
        } else if !has_key || is_past(self.tried_at, FORGOTTEN, now) {
            Need::Fetch
        } else if is_past(self.fetched_at, OLD, now) {
            Need::Refresh
        } else {
            Need::Nothing
        }
    }

    /// Shortest time between the last fetch and the next.
    fn pause(&self) -> SignedDuration {
        let doublings = self.failures.saturating_sub(1).min(8);
        PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
    }

    fn take(&mut self, set: Result<Arc<KeySet>, KeySetFault>, now: Timestamp) {
        self.tries = self.tries.wrapping_add(1);
        self.tried_at = Some(now);
        match set {
            Ok(set) => {
                self.set = Some(set);
                self.fetched_at = Some(now);
                self.failures = 0;
            },
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                let is_served = self.set.is_some();
                tracing::warn!(%error, is_served, "a key set could not be fetched; check the jwksEndpoint of the signer");
            },
        }
    }
}

/// Whether an instant lies at least so long ago; one in the future, or none, does.
fn is_past(instant: Option<Timestamp>, duration: SignedDuration, now: Timestamp) -> bool {
    instant.is_none_or(|instant| {
        let elapsed = now.duration_since(instant);
        elapsed >= duration || elapsed.is_negative()
    })
}

impl Endpoint {
    pub(super) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            known: Mutex::default(),
            turn: Arc::default(),
        }
    }

    /// The set in which a key is to be looked for; `None` if none was ever had.
    pub(super) async fn keys(
        self: &Arc<Self>,
        key_id: &str,
        fetcher: &Arc<dyn FetchKeySets>,
        clock: &Arc<dyn Clock>,
    ) -> Option<Arc<KeySet>> {
        let before = self.known();
        match before.need(key_id, clock.now()) {
            Need::Nothing => before.set,
            Need::Refresh => {
                // Whoever fetches already does so for this one too.
                if let Ok(turn) = Arc::clone(&self.turn).try_lock_owned()
                    && self.known().tries == before.tries
                {
                    drop(self.begin(turn, fetcher, clock));
                }
                before.set
            },
            Need::Fetch => {
                let turn = Arc::clone(&self.turn).lock_owned().await;
                let now = self.known();
                // Whoever fetched while this one waited did so for this one too.
                if now.tries != before.tries {
                    return now.set;
                }
                if let Err(error) = self.begin(turn, fetcher, clock).await {
                    tracing::error!(%error, "the fetch of a key set failed");
                }
                self.known().set
            },
        }
    }

    /// Begins a fetch in a task of its own: others count on the outcome even if whoever began goes
    /// away. It holds nothing of the store, and may end with the process at any point.
    fn begin(
        self: &Arc<Self>,
        turn: OwnedMutexGuard<()>,
        fetcher: &Arc<dyn FetchKeySets>,
        clock: &Arc<dyn Clock>,
    ) -> JoinHandle<()> {
        let fetch = Arc::clone(self).fetch(turn, Arc::clone(fetcher), Arc::clone(clock));
        tokio::spawn(fetch)
    }

    async fn fetch(
        self: Arc<Self>,
        _turn: OwnedMutexGuard<()>,
        fetcher: Arc<dyn FetchKeySets>,
        clock: Arc<dyn Clock>,
    ) {
        let outcome = fetcher.fetch(&self.address).await;
        let set = outcome.and_then(|text| read(&text));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.take(set, clock.now());
    }

    fn known(&self) -> Known {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Reads a key set. One in which no key can be used is taken for a mistake of its provider: a signer
/// whose keys are all to count no more is disabled.
fn read(text: &[u8]) -> Result<Arc<KeySet>, KeySetFault> {
    let set = KeySet::parse(text).map_err(|error| KeySetFault(error.to_string()))?;
    let (keys, refused) = (set.len(), set.refused().len());
    if keys == 0 {
        let text = format!("the key set has no usable key; {refused} keys were refused");
        return Err(KeySetFault(text));
    }
    tracing::debug!(keys, refused, "a key set was fetched");
    Ok(Arc::new(set))
}

#[cfg(test)]
mod tests;
