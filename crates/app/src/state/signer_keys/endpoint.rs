//! A key set address with its last key set and fetch schedule.

use super::{KeySetError, KeySetFetcher};
use parking_lot::Mutex;
use portcullis_domain::clock::{Clock, SignedDuration, Timestamp};
use portcullis_pki::external::KeySet;
use std::sync::Arc;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use tokio::task::JoinHandle;

/// Age at which a set is refreshed in the background although it has the key.
const REFRESH_AFTER: SignedDuration = SignedDuration::from_mins(5);

/// Time without any fetch after which a token waits for a fresh set although the current one has
/// its key, so that a key withdrawn long ago is not accepted once more.
const RECHECK_AFTER_IDLE: SignedDuration = SignedDuration::from_mins(15);

/// Minimum delay between two fetches. Doubles with each further failure.
const MIN_RETRY_DELAY: SignedDuration = SignedDuration::from_secs(1);

/// Maximum of that delay.
const MAX_RETRY_DELAY: SignedDuration = SignedDuration::from_secs(30);

/// The address of a key set.
pub(super) struct KeySetEndpoint {
    address: String,
    state: Mutex<FetchState>,
    /// Held during a fetch.
    fetch_lock: Arc<Turn<()>>,
}

/// Result of past fetches.
#[derive(Default, Clone)]
struct FetchState {
    set: Option<Arc<KeySet>>,
    /// When the set was fetched.
    fetched_at: Option<Timestamp>,
    /// End of the last fetch, successful or not.
    attempted_at: Option<Timestamp>,
    /// Number of finished fetches.
    attempts: u64,
    /// Number of consecutive failures.
    failures: u32,
}

/// Fetch that a token requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FetchNeed {
    /// None; the current set is used.
    None,
    /// A fetch in the background.
    Refresh,
    /// A fetch whose result is awaited.
    Fetch,
}

impl FetchState {
    /// The fetch that a token with this key id requires.
    fn fetch_need(&self, key_id: &str, now: Timestamp) -> FetchNeed {
        let has_key = |set: &Arc<KeySet>| set.candidates(key_id).next().is_some();
        let has_key = self.set.as_ref().is_some_and(has_key);
        if !has_elapsed(self.attempted_at, self.retry_delay(), now) {
            FetchNeed::None
        } else if !has_key || has_elapsed(self.attempted_at, RECHECK_AFTER_IDLE, now) {
            FetchNeed::Fetch
        } else if has_elapsed(self.fetched_at, REFRESH_AFTER, now) {
            FetchNeed::Refresh
        } else {
            FetchNeed::None
        }
    }

    /// Minimum delay before the next fetch.
    fn retry_delay(&self) -> SignedDuration {
        let doublings = self.failures.saturating_sub(1).min(8);
        MIN_RETRY_DELAY
            .saturating_mul(1 << doublings)
            .min(MAX_RETRY_DELAY)
    }

    fn record(&mut self, set: Result<Arc<KeySet>, KeySetError>, now: Timestamp) {
        self.attempts = self.attempts.wrapping_add(1);
        self.attempted_at = Some(now);
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

/// Whether at least `duration` has passed since `instant`; also true for no instant or one in the
/// future.
fn has_elapsed(instant: Option<Timestamp>, duration: SignedDuration, now: Timestamp) -> bool {
    instant.is_none_or(|instant| {
        let elapsed = now.duration_since(instant);
        elapsed >= duration || elapsed.is_negative()
    })
}

impl KeySetEndpoint {
    pub(super) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            state: Mutex::default(),
            fetch_lock: Arc::default(),
        }
    }

    /// The current key set, fetched first if needed; `None` if there has never been one.
    pub(super) async fn keys(
        self: &Arc<Self>,
        key_id: &str,
        fetcher: &Arc<dyn KeySetFetcher>,
        clock: &Arc<dyn Clock>,
    ) -> Option<Arc<KeySet>> {
        let before = self.state();
        match before.fetch_need(key_id, clock.now()) {
            FetchNeed::None => before.set,
            FetchNeed::Refresh => {
                // A running fetch serves this request too.
                if let Ok(turn) = Arc::clone(&self.fetch_lock).try_lock_owned()
                    && self.state().attempts == before.attempts
                {
                    drop(self.spawn_fetch(turn, fetcher, clock));
                }
                before.set
            },
            FetchNeed::Fetch => {
                let turn = Arc::clone(&self.fetch_lock).lock_owned().await;
                let now = self.state();
                // A fetch that ended while this one waited serves it too.
                if now.attempts != before.attempts {
                    return now.set;
                }
                if let Err(error) = self.spawn_fetch(turn, fetcher, clock).await {
                    tracing::error!(%error, "the fetch of a key set failed");
                }
                self.state().set
            },
        }
    }

    /// Starts a fetch in its own task: others rely on the result even if this request is cancelled.
    /// The task holds nothing of the store and may be aborted at any point.
    fn spawn_fetch(
        self: &Arc<Self>,
        turn: OwnedMutexGuard<()>,
        fetcher: &Arc<dyn KeySetFetcher>,
        clock: &Arc<dyn Clock>,
    ) -> JoinHandle<()> {
        let fetch = Arc::clone(self).fetch(turn, Arc::clone(fetcher), Arc::clone(clock));
        tokio::spawn(fetch)
    }

    async fn fetch(
        self: Arc<Self>,
        _turn: OwnedMutexGuard<()>,
        fetcher: Arc<dyn KeySetFetcher>,
        clock: Arc<dyn Clock>,
    ) {
        let outcome = fetcher.fetch(&self.address).await;
        let set = outcome.and_then(|text| parse_key_set(&text));
        let mut state = self.state.lock();
        state.record(set, clock.now());
    }

    fn state(&self) -> FetchState {
        self.state.lock().clone()
    }
}

/// Parses a key set. One without usable keys is treated as a mistake of the provider: to reject all
/// keys, disable the signer.
fn parse_key_set(text: &[u8]) -> Result<Arc<KeySet>, KeySetError> {
    let set = KeySet::parse(text).map_err(|error| KeySetError(error.to_string()))?;
    let (keys, refused) = (set.len(), set.rejected().len());
    if keys == 0 {
        let text = format!("the key set has no usable key; {refused} keys were refused");
        return Err(KeySetError(text));
    }
    tracing::debug!(keys, refused, "a key set was fetched");
    Ok(Arc::new(set))
}

#[cfg(test)]
mod tests;
