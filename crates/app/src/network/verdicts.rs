//! Remembers how chains were judged.
//!
//! A signature check costs more than the rest of a login. The verdict on a chain depends only on
//! its bytes and on the anchors, which do not change while the controller runs; dates are judged
//! each time.

use super::{BadChain, GoodChain};
use portcullis_pki::Sha256Fingerprint;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How many verdicts are kept, in each of two generations.
const GENERATION: usize = 32_768;

/// Verdicts by the digests of the chain. When the young generation is full it becomes the old
/// one, so that what is in use stays and what is not goes, at no bookkeeping per entry.
#[derive(Default)]
pub(super) struct Verdicts(Mutex<Generations>);

#[derive(Default)]
struct Generations {
    young: HashMap<[u8; 32], GoodChain>,
    old: HashMap<[u8; 32], GoodChain>,
}

impl Verdicts {
    /// Answers from memory, or judges and remembers. Refusals are not remembered: strangers could
    /// fill the memory with them.
    pub(super) fn remember(
        &self,
        chain: &[&[u8]],
        judge: impl FnOnce() -> Result<GoodChain, BadChain>,
    ) -> Result<GoodChain, BadChain> {
        let key = digest(chain);
        if let Some(verdict) = self.lock().find(&key) {
            return Ok(verdict);
        }
        let verdict = judge()?;
        self.lock().keep(key, verdict.clone());
        Ok(verdict)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn find(&mut self, key: &[u8; 32]) -> Option<GoodChain> {
        if let Some(verdict) = self.young.get(key) {
            return Some(verdict.clone());
        }
        let verdict = self.old.remove(key)?;
        self.keep(*key, verdict.clone());
        Some(verdict)
    }

    fn keep(&mut self, key: [u8; 32], verdict: GoodChain) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, verdict);
    }
}

/// One digest for the whole chain: the leaf's alone would let a client that once left out an
/// intermediate count as improper for ever.
fn digest(chain: &[&[u8]]) -> [u8; 32] {
    let digests: Vec<u8> = chain
        .iter()
        .flat_map(|der| *Sha256Fingerprint::of_der(der).as_bytes())
        .collect();
    *Sha256Fingerprint::of_der(&digests).as_bytes()
}
