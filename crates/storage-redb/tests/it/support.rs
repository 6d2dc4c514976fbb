//! Test helpers.

use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_seeded_random::Random;
use portcullis_storage::engine::Engine;
use portcullis_storage_redb::{FatalHandler, Options};
use std::sync::{Arc, Mutex};

/// Entropy with a fixed seed.
pub(crate) struct Seeded(Mutex<Random>);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Random::from_seed(seed))))
    }
}

impl Entropy for Seeded {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let mut random = self.0.lock().unwrap();
        for byte in bytes {
            *byte = random.next().to_be_bytes()[0];
        }
        Ok(())
    }
}

/// Records fatal errors instead of ending the process.
#[derive(Clone, Default)]
pub(crate) struct Fatals(Arc<Mutex<Vec<String>>>);

impl Fatals {
    pub(crate) fn handler(&self) -> FatalHandler {
        let kept = Arc::clone(&self.0);
        Arc::new(move |fatal| kept.lock().unwrap().push(fatal.what.clone()))
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            fatal: self.handler(),
            ..Options::default()
        }
    }
}

/// Commits one row and returns the revision.
pub(crate) fn put(
    engine: &impl Engine<u64>,
    key: &[u8],
    value: &[u8],
) -> Result<u64, portcullis_storage::engine::CommitError> {
    let (key, value) = (key.to_vec(), value.to_vec());
    let ticket = engine.submit(Box::new(move |tx| {
        tx.put(&key, &value);
        Ok(())
    }));
    ticket.unwrap().wait().map(|committed| committed.revision)
}
