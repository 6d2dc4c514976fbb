//! Remembers how chains were judged.
//!
//! A signature check costs more than the rest of a login. The verdict on a chain depends only on
//! its bytes and on the anchors, which do not change while the controller runs; dates are judged
//! each time.

use super::{BadChain, GoodChain};
use crate::recent::Recent;
use portcullis_pki::Sha256Fingerprint;

/// How many verdicts are kept, in each of two generations.
const GENERATION: usize = 32_768;

/// Verdicts by the digests of the chain.
pub(super) struct Verdicts(Recent<[u8; 32], GoodChain>);

impl Default for Verdicts {
    fn default() -> Self {
        Self(Recent::new(GENERATION))
    }
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
        if let Some(verdict) = self.0.find(&key) {
            return Ok(verdict);
        }
        let verdict = judge()?;
        self.0.keep(key, verdict.clone());
        Ok(verdict)
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
