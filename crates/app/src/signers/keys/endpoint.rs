//! One address of a key set: the set as it was last, and when to fetch it anew.

use super::{FetchKeySets, KeySetFault};
use portcullis_domain::clock::{Clock, SignedDuration, Timestamp};
use portcullis_pki::external::KeySet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// How old a set becomes before it is fetched anew although it has the key: a key that a signer
/// withdraws is good for no longer, unless the address is away.
const OLD: SignedDuration = SignedDuration::from_mins(5);

/// Shortest time between the end of a fetch and the next one for a key that is not there.
const PAUSE: SignedDuration = SignedDuration::from_secs(1);

/// The same for a key that is there: who waits for an address that is away could be let in.
const LONG_PAUSE: SignedDuration = SignedDuration::from_secs(30);

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
}

impl Known {
    /// Whether the set is to be fetched for a token with this key id.
    fn is_lacking(&self, key_id: &str, now: Timestamp) -> bool {
        let has_key = |set: &Arc<KeySet>| set.candidates(key_id).next().is_some();
        let (has_key, pause) = match &self.set {
            Some(set) if has_key(set) => (true, LONG_PAUSE),
            _ => (false, PAUSE),
        };
        let is_wanted = !has_key || is_past(self.fetched_at, OLD, now);
        is_wanted && is_past(self.tried_at, pause, now)
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
        if !before.is_lacking(key_id, clock.now()) {
            return before.set;
        }
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let now = self.known();
        // Whoever fetched while this one waited did so for this one too.
        if now.tries != before.tries {
            return now.set;
        }
        let fetch = Arc::clone(self).fetch(turn, Arc::clone(fetcher), Arc::clone(clock));
        // In a task of its own: others wait for the outcome even if this one goes away.
        if let Err(error) = tokio::spawn(fetch).await {
            tracing::error!(%error, "the fetch of a key set failed");
        }
        self.known().set
    }

    async fn fetch(
        self: Arc<Self>,
        _turn: OwnedMutexGuard<()>,
        fetcher: Arc<dyn FetchKeySets>,
        clock: Arc<dyn Clock>,
    ) {
        let outcome = fetcher.fetch(&self.address).await;
        let parsed = outcome
            .and_then(|text| KeySet::parse(&text).map_err(|error| KeySetFault(error.to_string())));
        let now = clock.now();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.tries = known.tries.wrapping_add(1);
        known.tried_at = Some(now);
        match parsed {
            Ok(set) => {
                tracing::debug!(
                    keys = set.len(),
                    refused = set.refused().len(),
                    "a key set was fetched"
                );
                known.set = Some(Arc::new(set));
                known.fetched_at = Some(now);
            },
            Err(error) => {
                let is_served = known.set.is_some();
                tracing::warn!(%error, is_served, "the key set of a signer cannot be fetched");
            },
        }
    }

    fn known(&self) -> Known {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[cfg(test)]
mod tests;
